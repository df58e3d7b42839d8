/* test_mlir_plugin.c - graphs as machine code in this process. What is no plug-in, other versions, texts that are refused; what is kept; threads,
 * small stacks, memory; then what test_mlir_run.c compares, with more programs. Where the plug-in is not built, as for ThreadSanitizer, a fake
 * one stands for it, and what it compiles is skipped. STRIA_MLIR_PROGRAMS random programs,
 * from number STRIA_MLIR_FIRST on. */
#include <pthread.h>

#include "base/alloc.h"
#include "compile/mlir.h"
#undef GRAD /* a kind of row there, .grad here */
#include "mlir_cases.h"
#include "sanitized.h"

/* ---------------------------------------------------------------- graphs */

/* x * (n + 1/2) + x, of 100 elements; another text for each n. */
static stria_graph *new_scaled(int n)
{
    stria_tensor    *x, *s, *t, *y, *number;
    stria_recording *r;
    stria_graph     *g;

    OK(stria_zeros(SHAPE(100), 1, STRIA_F32, STRIA_CPU, &x, NULL));
    OK(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_FLOAT, .re = n + 0.5}, &number, NULL));
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &s, NULL));
    OK(stria_mul(s, number, &t, NULL));
    OK(stria_add(t, s, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    RELEASE(x, s, t, y, number);
    return g;
}

/* Whether it computes what new_scaled(n) says. No check: threads call it. */
static bool is_scaled(stria_graph *g, int n)
{
    stria_tensor *x = NULL, *y = NULL;
    bool same = stria_full(SHAPE(100), 1, (stria_scalar){STRIA_SCALAR_INT, .i = 3}, STRIA_F32, STRIA_CPU, &x, NULL) ==
                    STRIA_OK &&
                stria_graph_run(g, &x, 1, &y, NULL) == STRIA_OK;

    for (int k = 0; k < 100 && same; k++)
        same = ((const float *)stria_tensor_get_const_data(y))[k] == 3 * ((float)n + 0.5f) + 3;
    RELEASE(x, y);
    return same;
}

static bool is_compiled(const stria_graph *g) { return atomic_load(&g->code) != NULL; }

static char *get_text(int n)
{
    char        *text;
    stria_graph *g = new_scaled(n);

    OK(stria_graph_get_mlir(g, "graph", &text, NULL));
    stria_graph_release(g);
    return text;
}

/* ---------------------------------------------------------------- opening */

static void check_refused_open(const char *path, stria_status expected, const char *part)
{
    stria_error        err = {0};
    const stria_status status = path != NULL ? stria_mlir_open(path, &err) : STRIA_OK;

    if (path == NULL) return; /* not by CTest */
    CHECK(status == expected && strcmp(err.op, "mlir") == 0 && strcmp(err.argument, "path") == 0 &&
              strstr(err.message, part) != NULL,
          "%s: %d, %s", path, (int)status, err.message);
}

static void check_closed(void)
{
    stria_error  err;
    stria_graph *g = new_scaled(1);

    CHECK(stria_mlir_get_compiler() == NULL, "nothing is open");
    stria_status status = stria_graph_compile(g, &err);
    CHECK(status == STRIA_ERR_CONFIG && strstr(err.message, "stria_mlir_open") != NULL, "%s", err.message);
    status = stria_graph_compile(NULL, &err);
    CHECK(status == STRIA_ERR_ARGUMENT && strcmp(err.argument, "graph") == 0, "%s", err.message);
    CHECK(!is_compiled(g) && is_scaled(g, 1), "the graph runs as before");
    stria_graph_release(g);
}

static void check_refused_files(void)
{
    check_refused_open("/nowhere/libstria_mlir.so", STRIA_ERR_UNSUPPORTED, "/nowhere/libstria_mlir.so");
    check_refused_open("CMakeLists.txt", STRIA_ERR_UNSUPPORTED, "does not load");
    check_refused_open("", STRIA_ERR_FORMAT, "stria_mlir_plugin_table"); /* the program itself */
    check_refused_open(getenv("STRIA_FAKE_TABLE"), STRIA_ERR_FORMAT, "has no stria_mlir_plugin_table");
    check_refused_open(getenv("STRIA_FAKE_VERSION"), STRIA_ERR_FORMAT, "of version 2, this library takes version 1");
    CHECK(stria_mlir_get_compiler() == NULL, "nothing is open");
}

/* False: there is none. */
static bool open_plugin(void)
{
    const char        *path = getenv("STRIA_MLIR_PLUGIN"); /* set: it is built */
    stria_error        err;
    const stria_status status = stria_mlir_open(NULL, &err);

    CHECK(status == STRIA_OK || (status == STRIA_ERR_UNSUPPORTED && path == NULL), "%s", err.message);
    if (status != STRIA_OK) return false;
    CHECK(strncmp(stria_mlir_get_compiler(), "LLVM ", 5) == 0, "%s", stria_mlir_get_compiler());
    OK(stria_mlir_open(NULL, NULL));
    if (path != NULL) OK(stria_mlir_open(path, NULL));
    check_refused_open(getenv("STRIA_FAKE_OTHER"), STRIA_ERR_CONFIG, "another plug-in is open");
    check_refused_open(getenv("STRIA_FAKE_VERSION"), STRIA_ERR_FORMAT, "of version 2");
    return true;
}

/* ---------------------------------------------------------------- texts that are refused */

static void check_refused_text(const char *text, const char *part)
{
    stria_mlir_code   *code;
    stria_error        err;
    const stria_status status = stria_mlir_code_new(text, &code, &err);

    CHECK(status == STRIA_ERR_UNSUPPORTED && code == NULL && strncmp(err.message, "mlir: LLVM", 10) == 0 &&
              strstr(err.message, part) != NULL,
          "%.40s: %d, %s", text, (int)status, err.message);
}

static void check_refused_texts(void)
{
    char *half = get_text(1);

    half[strlen(half) / 2] = 0;
    check_refused_text(half, "expected");
    stria_mlir_release(half);
    check_refused_text("", "no function graph_run");
    check_refused_text("module {}", "no function graph_run");
    check_refused_text("what is this", "custom op 'what' is unknown");
    check_refused_text("func.func private @graph_run()", "no function graph_run");
    check_refused_text("func.func @graph_run(%x: f32) -> i32 { return %x : f32 }", "return");
    check_refused_text("func.func private @system()\nfunc.func @graph_run() { call @system() : () -> ()\n return }",
                       "the text calls system");
    check_refused_text("func.func @graph_run() { \"test.use\"() : () -> ()\n return }", "unregistered dialect");
    /* passes have no way down for it */
    check_refused_text("func.func @graph_run(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }",
                       "func");
}

/* ---------------------------------------------------------------- what is kept, and released */

static void check_kept(void)
{
    enum { MORE = 70 };
    stria_mlir_code *first, *again;
    stria_graph     *g[MORE];
    char            *text = get_text(1000);

    OK(stria_mlir_code_new(text, &first, NULL));
    OK(stria_mlir_code_new(text, &again, NULL));
    CHECK(first == again, "the same text is the same code");
    stria_mlir_code_release(again);
    for (int k = 0; k < MORE; k++) {
        g[k] = new_scaled(k);
        OK(stria_graph_compile(g[k], NULL));
        OK(stria_graph_compile(g[k], NULL));
        CHECK(is_compiled(g[k]), "graph %d", k);
        if (k == 30) { /* asked for again: it is not the oldest */
            OK(stria_mlir_code_new(text, &again, NULL));
            CHECK(first == again, "it is kept");
            stria_mlir_code_release(again);
        }
    }
    OK(stria_mlir_code_new(text, &again, NULL));
    CHECK(first == again, "it is kept, as it was asked for meanwhile");
    stria_mlir_code_release(again);
    for (int k = 0; k < MORE; k++) CHECK(is_scaled(g[k], k), "graph %d runs, kept or not", k);
    stria_graph *second = new_scaled(MORE - 1); /* as the last one, which ends first */
    OK(stria_graph_compile(second, NULL));
    for (int k = MORE - 1; k >= 0; k--) stria_graph_release(g[k]);
    CHECK(is_scaled(second, MORE - 1), "it outlives the graph that it was made for");
    stria_graph_release(second);
    stria_mlir_code_release(first);
    stria_mlir_code_release(NULL);
    stria_mlir_release(text);
}

/* Every allocation of a compile fails once: the graph is as it was. */
static void check_memory(void)
{
    stria_graph *g = new_scaled(2000);
    int          n = 0;

    for (stria_status status = STRIA_ERR_MEMORY; status != STRIA_OK && n < 1000; n++) {
        stria_error err;
        stria_alloc_set_failure(n + 1);
        status = stria_graph_compile(g, &err);
        stria_alloc_set_failure(0);
        CHECK(status == STRIA_OK || (status == STRIA_ERR_MEMORY && !is_compiled(g)), "allocation %d: %d, %s", n + 1,
              (int)status, err.message);
    }
    CHECK(n > 5 && n < 1000 && is_scaled(g, 2000), "%d allocations", n);
    stria_graph_release(g);
}

/* While this thread records, graphs are compiled as ever, and their calls are not written down. */
static void check_recording(void)
{
    stria_graph     *g = new_scaled(3000), *empty;
    stria_recording *r;

    OK(stria_recording_begin(&r, NULL));
    OK(stria_graph_compile(g, NULL));
    OK(stria_recording_end(r, NULL, 0, &empty, NULL));
    CHECK(stria_graph_get_info(empty).n_calls == 0, "%d calls", stria_graph_get_info(empty).n_calls);
    CHECK(is_scaled(g, 3000), "it runs");
    stria_graph_release(g);
    stria_graph_release(empty);
}

/* ---------------------------------------------------------------- threads */

typedef struct caller {
    stria_graph *shared; /* by all */
    int          first, n_failed;
} caller;

static void *compile_often(void *context)
{
    caller *c = context;

    for (int k = 0; k < 6; k++) {
        const int    number = 4000 + (c->first + k) % 8; /* texts that other threads compile, too */
        stria_graph *g = new_scaled(number);
        c->n_failed += stria_graph_compile(g, NULL) != STRIA_OK || !is_scaled(g, number);
        c->n_failed += stria_graph_compile(c->shared, NULL) != STRIA_OK || !is_scaled(c->shared, 5000);
        stria_graph_release(g);
    }
    return NULL;
}

/* Several at once; on stacks of 128 KB, of which LLVM alone would want more. */
static void check_threads(void)
{
    enum { CALLERS = 4 };
    pthread_t      threads[CALLERS];
    pthread_attr_t attributes;
    caller         callers[CALLERS];
    stria_graph   *shared = new_scaled(5000);

    pthread_attr_init(&attributes);
    if (!IS_SANITIZED) pthread_attr_setstacksize(&attributes, 128 << 10);
    for (int t = 0; t < CALLERS; t++) {
        callers[t] = (caller){.shared = shared, .first = t};
        CHECK(pthread_create(&threads[t], &attributes, compile_often, &callers[t]) == 0, "no thread");
    }
    for (int t = 0; t < CALLERS; t++) {
        pthread_join(threads[t], NULL);
        CHECK(callers[t].n_failed == 0, "thread %d: %d failures", t, callers[t].n_failed);
    }
    pthread_attr_destroy(&attributes);
    stria_graph_release(shared);
}

/* ---------------------------------------------------------------- whole programs */

/* A step of training: loss, backward, SGD, parameters and gradients held by the graph. */
static void check_training(void)
{
    static const double ws[] = {.1, -.2, .3, .4}, xs[] = {1, 2, -1, .5, 0, 3, -2, 1};
    stria_tensor       *x, *w[2], *sx, *outs[2];
    stria_graph        *g[2];

    OK(stria_tensor_new_copy_of(STRIA_F64, 2, SHAPE(4, 2), xs, sizeof xs, &x, NULL));
    for (int k = 0; k < 2; k++) { /* the same twice; the second is compiled */
        stria_recording *r;
        stria_tensor    *y, *e, *loss, *grad;
        w[k] = new_leaf(2, SHAPE(2, 2), ws);
        OK(stria_recording_begin(&r, NULL));
        OK(stria_recording_add_input(r, x, &sx, NULL));
        OK(stria_matmul(sx, w[k], &y, NULL));
        OK(stria_exp(y, &e, NULL));
        loss = sum(e);
        OK(backward(loss, 0, NULL));
        grad = stria_tensor_retain(GRAD(w[k]));
        OK(stria_recording_end(r, (stria_tensor *[]){loss}, 1, &g[k], NULL));
        RELEASE(sx, y, e, loss, grad);
    }
    OK(stria_graph_compile(g[1], NULL));
    for (int step = 0; step < 3; step++)
        for (int k = 0; k < 2; k++) {
            OK(stria_tensor_set_grad(w[k], NULL, NULL));
            OK(stria_graph_run(g[k], &x, 1, &outs[k], NULL));
            stria_tensor_release(outs[k]);
        }
    stria_tensor *grads[] = {GRAD(w[0]), GRAD(w[1])};
    CHECK(grads[0] != NULL && grads[1] != NULL, "gradients are set");
    for (int i = 0; i < 4 && grads[0] != NULL && grads[1] != NULL; i++) {
        const double a = ((const double *)stria_tensor_get_const_data(grads[0]))[i];
        const double b = ((const double *)stria_tensor_get_const_data(grads[1]))[i];
        CHECK(fabs(a - b) <= 1e-13 * fabs(a), "gradient %d: %g, %g", i, a, b);
    }
    RELEASE(x, w[0], w[1]);
    stria_graph_release(g[0]);
    stria_graph_release(g[1]);
}

static void check_programs(void)
{
    const int64_t n_random = check_get_setting("STRIA_MLIR_PROGRAMS", 50),
                  first = check_get_setting("STRIA_MLIR_FIRST", 1);
    const mlir_way     way = MLIR_BY_PLUGIN;
    int                n_dtypes;
    const stria_dtype *dtypes = mlir_get_dtypes(&n_dtypes);

    mlir_n_programs = mlir_n_skipped = 0;
    for (uint64_t seed = (uint64_t)first; seed < (uint64_t)(first + n_random); seed++)
        mlir_check_random_program(way, seed, 4 + (int)(seed % 20));
    mlir_check_unsigned(way);
    mlir_check_product(way, STRIA_F32, 0, 16, 10, 10);
    mlir_check_product(way, STRIA_F64, 0, 7, 33, 5);
    mlir_check_product(way, STRIA_F32, 3, 4, 5, 6);
    mlir_check_product(way, STRIA_F32, 0, 3, 0, 2);
    mlir_check_product(way, STRIA_F32, 0, 16, 512, 64); /* tiles */
    mlir_check_product(way, STRIA_F64, 0, 8, 100, 32);
    mlir_check_far(way);
    mlir_check_failure(way);
    mlir_check_overlap(way);
    for (int k = 0; k < (n_random < 20 ? 5 : n_dtypes); k++) mlir_check_ops(way, dtypes[k]);
    printf("  %d programs\n", mlir_n_programs);
}

SUITE(test_mlir_plugin)
{
    const stria_memory_stats before = stria_memory_get_stats();

    check_isa("test_mlir_plugin");
    check_closed();
    check_refused_files();
    const bool  is_there = open_plugin();
    const char *fake = getenv("STRIA_FAKE_OTHER");
    if (is_there || (fake != NULL && stria_mlir_open(fake, NULL) == STRIA_OK)) {
        check_kept();
        check_memory();
        check_recording();
        check_threads();
    }
    if (is_there) {
        check_refused_texts();
        check_training();
        check_programs();
    }
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_storages == before.live_storages, "%lld storages are left",
          (long long)(after.live_storages - before.live_storages));
    const int status = check_finish("test_mlir_plugin");
    return status == 0 && !is_there ? 77 : status;
}
