/* bench_mlir.c - graphs as machine code (stria_mlir.h) beside the library's own runs and loops by hand, on one thread: one
 * case a line of JSON, the fastest of interleaved samples in microseconds, and ratios.
 *
 *     bench_mlir                          from the root of the project; toolchains/mlir.sh compiles
 *
 * chain_<n>     relu(a b + c) exp(-d) of n float32: graph (the library), inside (the plug-in's code, by stria_graph_run), program (of
 *               mlir.sh), loop (all of it in one loop over vectors, with the library's exp)
 * linear_256    relu(x w' + bias), 256 x 256 x 256: graph, inside, program, gemm (stria_matmul alone)
 * compile       milliseconds of stria_graph_compile of the chain and of the linear layer, of a text that is new: the first, the fastest, and what
 *               the process was busy at least */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "stria_mlir.h"
#include "timing.h"
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#include "vec_avx512.h"
#elif defined(__AVX2__)
#include "vec_avx2.h"
#else
#include "vec_scalar.h"
#endif
#include "vec_math.h"

#if !defined(BENCH_PLUGIN)
#define BENCH_PLUGIN NULL
#endif
enum { SAMPLES = 151, SAMPLE_NS = 500000 };

static stria_tensor *new_random(int ndim, const int64_t *shape)
{
    stria_tensor *x;
    stria_error   err;

    must(stria_rand(shape, ndim, STRIA_F32, STRIA_CPU, NULL, &x, &err), &err);
    return x;
}

/* ---------------------------------------------------------------- what is measured */

typedef struct setting {
    stria_graph        *graph, *inside; /* the same; NULL: there is no plug-in */
    stria_mlir_program *program;
    stria_tensor       *in[4], *out;
    int                 n_in;
    int64_t             n;
} setting;

static void drop(stria_tensor *y) { stria_tensor_release(y); }

static void run_calls(stria_graph *graph, const setting *s)
{
    stria_tensor *y;
    stria_error   err;
    must(stria_graph_run(graph, s->in, s->n_in, &y, &err), &err);
    drop(y);
}
static void run_graph(void *context) { run_calls(((setting *)context)->graph, context); }
static void run_inside(void *context) { run_calls(((setting *)context)->inside, context); }

static void run_program(void *context)
{
    const setting *s = context;
    stria_tensor  *y;
    stria_error    err;
    must(stria_graph_run_program(s->graph, s->program, s->in, s->n_in, NULL, 0, &y, &err), &err);
    drop(y);
}

/* n is a multiple of the lanes. Its result is a new tensor, as those of the others. */
static void run_loop(void *context)
{
    setting      *s = context;
    const float  *a = stria_tensor_get_const_data(s->in[0]), *b = stria_tensor_get_const_data(s->in[1]);
    const float  *c = stria_tensor_get_const_data(s->in[2]), *d = stria_tensor_get_const_data(s->in[3]);
    stria_tensor *y;
    stria_error   err;

    must(stria_tensor_new(STRIA_F32, 1, &s->n, &y, &err), &err);
    float *out = stria_tensor_get_data(y);
    for (int64_t i = 0; i < s->n; i += VEC_LANES_f32) {
        const vec_f32 zero = vec_set_f32(0);
        vec_f32       x = vec_add_f32(vec_mul_f32(vec_load_f32(a + i), vec_load_f32(b + i)), vec_load_f32(c + i));
        x = vec_add_f32(vec_select_f32(vec_lt_f32(x, zero), zero, x), zero);
        vec_store_f32(out + i, vec_mul_f32(x, vec_exp_f32(vec_neg_f32(vec_load_f32(d + i)))));
    }
    drop(y);
}

static void run_gemm(void *context)
{
    const setting *s = context;
    stria_tensor  *y, *w;
    stria_error    err;
    must(stria_transpose(s->in[1], 0, 1, &w, &err), &err);
    must(stria_matmul(s->in[0], w, &y, &err), &err);
    drop(w);
    drop(y);
}

/* ---------------------------------------------------------------- making it */

static void compile(setting *s, const char *name)
{
    char        folder[] = "/tmp/stria_mlir_XXXXXX", path[96], command[256], *text;
    stria_error err;

    must(stria_graph_get_mlir(s->graph, name, &text, &err), &err);
    if (mkdtemp(folder) == NULL) exit(1);
    snprintf(path, sizeof path, "%s/p.mlir", folder);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) exit(1);
    stria_mlir_release(text);
    const int64_t begin = now_ns();
    snprintf(command, sizeof command, "toolchains/mlir.sh %s/p.mlir %s/p.so", folder, folder);
    if (system(command) != 0) exit(77);
    fprintf(stderr, "%s: compiled in %.0f ms\n", name, (double)(now_ns() - begin) / 1e6);
    snprintf(path, sizeof path, "%s/p.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    snprintf(path, sizeof path, "%s_run", name);
    if (library == NULL) exit(1);
    *(void **)(void *)&s->program = dlsym(library, path);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (s->program == NULL || system(command) != 0) exit(1);
}

static stria_graph *end_recording(const setting *s, stria_recording *r, stria_tensor **symbols, stria_tensor **temps,
                                  int n_temps)
{
    stria_graph *graph;
    stria_error  err;

    must(stria_recording_end(r, &temps[n_temps - 1], 1, &graph, &err), &err);
    for (int k = 0; k < s->n_in; k++) drop(symbols[k]);
    for (int k = 0; k < n_temps; k++) drop(temps[k]);
    return graph;
}

static stria_graph *new_chain(const setting *s)
{
    stria_tensor    *x[4], *t[6];
    stria_recording *r;
    stria_error      err;

    must(stria_recording_begin(&r, &err), &err);
    for (int k = 0; k < 4; k++) must(stria_recording_add_input(r, s->in[k], &x[k], &err), &err);
    must(stria_mul(x[0], x[1], &t[0], &err), &err);
    must(stria_add(t[0], x[2], &t[1], &err), &err);
    must(stria_relu(t[1], &t[2], &err), &err);
    must(stria_neg(x[3], &t[3], &err), &err);
    must(stria_exp(t[3], &t[4], &err), &err);
    must(stria_mul(t[2], t[4], &t[5], &err), &err);
    return end_recording(s, r, x, t, 6);
}

static stria_graph *new_linear(const setting *s)
{
    stria_tensor    *x[3], *t[2];
    stria_recording *r;
    stria_error      err;

    must(stria_recording_begin(&r, &err), &err);
    for (int k = 0; k < 3; k++) must(stria_recording_add_input(r, s->in[k], &x[k], &err), &err);
    must(stria_linear(x[0], x[1], x[2], &t[0], &err), &err);
    must(stria_relu(t[0], &t[1], &err), &err);
    return end_recording(s, r, x, t, 2);
}

/* Of the chain n elements; of the linear layer n rows of 256. */
static void make_inputs(setting *s, bool is_chain, int64_t n)
{
    const int64_t rows[] = {n, 256}, square[] = {256, 256};

    *s = (setting){.n_in = is_chain ? 4 : 3, .n = n};
    for (int k = 0; k < s->n_in; k++)
        s->in[k] = new_random(is_chain || k == 2 ? 1 : 2, is_chain || k == 0 ? rows : square);
}

static stria_graph *new_graph(const setting *s) { return s->n_in == 4 ? new_chain(s) : new_linear(s); }

static void make(setting *s, bool is_chain, int64_t n, const char *name)
{
    stria_error err;

    make_inputs(s, is_chain, n);
    s->graph = new_graph(s);
    compile(s, name);
    if (stria_mlir_get_compiler() == NULL) return;
    s->inside = new_graph(s);
    must(stria_graph_compile(s->inside, &err), &err);
}

static void end(setting *s)
{
    for (int k = 0; k < s->n_in; k++) drop(s->in[k]);
    stria_graph_release(s->graph);
    stria_graph_release(s->inside);
}

/* ---------------------------------------------------------------- measuring */

typedef struct way {
    const char *name;
    timed_fn   *run;
    int64_t     n_runs;
    double      samples[SAMPLES];
} way;

/* The ways that are there; ratios of the two that are machine code to the others. */
static void measure(const char *name, setting *s, timed_fn *beside, const char *what)
{
    static way ways[] = {{.name = "graph"}, {.name = "inside"}, {.name = "program"}, {.name = ""}};
    timed_fn  *runs[] = {run_graph, s->inside != NULL ? run_inside : NULL, run_program, beside};

    ways[3].name = what;
    for (int k = 0; k < 4; k++)
        if ((ways[k].run = runs[k]) != NULL) ways[k].n_runs = count_calls(runs[k], s, SAMPLE_NS);
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 3; k >= 0; k--)
            if (ways[k].run != NULL) ways[k].samples[i] = time_calls(ways[k].run, s, ways[k].n_runs) / 1e3;
    printf("{\"case\": \"%s\"", name);
    for (int k = 0; k < 4; k++) {
        if (ways[k].run == NULL) continue;
        sort_samples(ways[k].samples, SAMPLES);
        printf(", \"%s_us\": %.2f", ways[k].name, ways[k].samples[0]);
    }
    for (int k = 1; k < 3; k++)
        for (int i = 0; i < 4 && ways[k].run != NULL; i += 3)
            printf(", \"%s_to_%s\": %.3f", ways[k].name, ways[i].name, ways[k].samples[0] / ways[i].samples[0]);
    printf("}\n");
    fflush(stdout);
}

/* Texts that are new: of other sizes. */
static void measure_compile(const char *name, bool is_chain, int64_t n)
{
    enum { TIMES = 9 };
    double      times[TIMES], busy[TIMES], first = 0;
    setting     s;
    stria_error err;

    for (int k = 0; k < TIMES; k++) {
        make_inputs(&s, is_chain, n + 64 * (k + 1));
        s.graph = new_graph(&s);
        const clock_t clock_begin = clock();
        const int64_t begin = now_ns();
        must(stria_graph_compile(s.graph, &err), &err);
        times[k] = (double)(now_ns() - begin) / 1e6;
        busy[k] = (double)(clock() - clock_begin) * 1e3 / CLOCKS_PER_SEC;
        if (k == 0) first = times[k];
        end(&s);
    }
    sort_samples(times, TIMES);
    sort_samples(busy, TIMES);
    printf("{\"case\": \"compile_%s\", \"first_ms\": %.1f, \"fastest_ms\": %.1f, \"median_ms\": %.1f, \"busy_ms\": "
           "%.1f}\n",
           name, first, times[0], times[TIMES / 2], busy[0]);
    fflush(stdout);
}

int main(void)
{
    static const int64_t sizes[] = {9984, 999936, 9999872}; /* multiples of all lanes */
    setting              s;
    stria_error          err;

    must(stria_threads_set(1, &err), &err);
    if (stria_mlir_open(BENCH_PLUGIN, &err) == STRIA_OK) {
        measure_compile("chain", true, sizes[0]);
        measure_compile("linear", false, 256);
    } else {
        fprintf(stderr, "%s\n", err.message);
    }
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "chain_%lld", (long long)sizes[k]);
        make(&s, true, sizes[k], name);
        measure(name, &s, run_loop, "loop");
        end(&s);
    }
    make(&s, false, 256, "linear_256");
    measure("linear_256", &s, run_gemm, "gemm");
    end(&s);
    return 0;
}
