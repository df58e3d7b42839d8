/* test_mlir.c - the text of a graph as an MLIR module: the example of docs/mlir.md, names, calls, what a text may not
 * hold, its length, memory. What MLIR makes of it is in test_mlir_run.c. */
#include <stdlib.h>

#include "base/alloc.h"
#include "gradients.h"
#include "stria_mlir.h"

/* ---------------------------------------------------------------- texts */

static char *get_text(const stria_graph *g, const char *name)
{
    char              *text = NULL;
    stria_error        err;
    const stria_status status = stria_graph_get_mlir(g, name, &text, &err);

    CHECK(status == STRIA_OK, "%s", err.message);
    return text;
}

static int count(const char *text, const char *part)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL; at++) n++;
    return n;
}

static stria_recording *begin(int n, stria_tensor **in, stria_tensor **symbols)
{
    stria_recording *r;

    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < n; k++) OK(stria_recording_add_input(r, in[k], &symbols[k], NULL));
    return r;
}

static stria_tensor *new_zeros(stria_dtype dtype, int ndim, const int64_t *shape)
{
    stria_tensor *x;

    OK(stria_zeros(shape, ndim, dtype, STRIA_CPU, &x, NULL));
    return x;
}

/* relu(linear(x, w, b)), 16 rows of 10. */
static stria_graph *new_linear(void)
{
    stria_tensor    *in[] = {new_zeros(STRIA_F32, 2, SHAPE(16, 10)), new_zeros(STRIA_F32, 2, SHAPE(10, 10)),
                             new_zeros(STRIA_F32, 1, SHAPE(10))};
    stria_tensor    *s[3], *t, *y;
    stria_graph     *g;
    stria_recording *r = begin(3, in, s);

    OK(stria_linear(s[0], s[1], s[2], &t, NULL));
    OK(stria_relu(t, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    release_all(3, in), release_all(3, s);
    RELEASE(t, y);
    return g;
}

/* tanh, n times over, each result a result of the graph, which are no group then; with gathered elements in between if
 * `has_calls`. */
static stria_graph *new_chain(int n, bool has_calls)
{
    stria_tensor    *x = new_zeros(STRIA_F32, 1, SHAPE(5)), *index = new_zeros(STRIA_I64, 1, SHAPE(5)), *s;
    stria_tensor   **at = calloc((size_t)n + 1, sizeof *at);
    stria_graph     *g;
    stria_recording *r = begin(1, &x, &s);

    at[0] = s;
    for (int k = 0; k < n; k++)
        if (has_calls && k % 2 == 1)
            OK(stria_index_select(at[k], index, 0, &at[k + 1], NULL));
        else
            OK(stria_tanh(at[k], &at[k + 1], NULL));
    OK(stria_recording_end(r, at + 1, n, &g, NULL));
    release_all(n + 1, at);
    RELEASE(x, index);
    free(at);
    return g;
}

/* ---------------------------------------------------------------- the example */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    CHECK(file != NULL && fread(text, 1, (1 << 20) - 1, file) > 0, "%s", path);
    if (file != NULL) fclose(file);
    return text;
}

static void check_example(void)
{
    stria_graph *g = new_linear();
    char        *text = get_text(g, "linear"), *page = read_file("docs/mlir.md");
    char        *end = text != NULL ? strstr(text, "  // what programs call") : NULL;

    CHECK(end != NULL, "there is a way in behind the function");
    if (end != NULL) *end = 0;
    const bool is_there = text != NULL && strstr(page, text) != NULL;
    CHECK(is_there, "docs/mlir.md has another text of the example than\n%s", text);
    stria_mlir_release(text);
    stria_graph_release(g);
    free(page);
}

/* ---------------------------------------------------------------- names */

static void check_name(const char *given, const char *expected)
{
    stria_graph *g = new_linear();
    char        *text = get_text(g, given), line[160];

    snprintf(line, sizeof line, "func.func @%s(", expected);
    CHECK(text != NULL && count(text, line) == 1, "%s becomes %s", given, expected);
    snprintf(line, sizeof line, "func.func @%s_run(", expected);
    CHECK(text != NULL && count(text, line) == 1, "%s becomes %s, and %s_run", given, expected, expected);
    stria_mlir_release(text);
    stria_graph_release(g);
}

static void check_names(void)
{
    char long_name[400], cut[64];

    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    memset(cut, 'n', sizeof cut - 1);
    cut[sizeof cut - 1] = 0;
    check_name("train_step1", "train_step1");
    check_name(NULL, "graph");
    check_name("", "graph");
    check_name("a-b\"(){\n", "a_b_____");
    check_name("1st", "_1st");
    check_name("stria_buffer", "_stria_buffer");
    check_name("\xc3\xa9", "__");
    check_name(long_name, cut);
}

/* ---------------------------------------------------------------- what is in a text */

static void check_calls(void)
{
    stria_graph *g = new_chain(6, true);
    char        *text = get_text(g, "calls");

    CHECK(count(text, "func.call @stria_call_") == 3 && count(text, "func.func private @stria_call_") == 3,
          "three calls");
    CHECK(count(text, "func.call @stria_tanh_") == 3 && count(text, "func.func private @stria_tanh_") == 1,
          "a row is a function, once");
    CHECK(count(text, "llvm.noalias") == 0, "each result is looked at by a call of the library");
    CHECK(count(text, "{") == count(text, "}"), "braces");
    stria_mlir_release(text);
    stria_graph_release(g);
}

/* Bits are the library's: of math only what is exact, nothing that may be contracted or reordered. */
static void check_words(void)
{
    static const char *const refused[] = {"fastmath", "contract", "math.fma",  "math.exp", "math.log",
                                          "math.sin", "math.tan", "math.powf", "math.erf", "reassoc"};
    stria_graph             *g = new_chain(2, false);
    char                    *text = get_text(g, "words");

    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        CHECK(count(text, refused[k]) == 0, "there is %s in the text", refused[k]);
    CHECK(count(text, "llvm.noalias") == 2, "both results are memory of their own");
    stria_mlir_release(text);
    stria_graph_release(g);
}

/* exp of n elements, into a new tensor or in place: as loops of its quick form, or not. */
static void check_quick(int64_t n, bool is_in_place, int expected)
{
    stria_tensor    *x = new_zeros(STRIA_F32, 1, &n), *s, *y;
    stria_graph     *g;
    stria_recording *r = begin(1, &x, &s);

    if (is_in_place)
        OK(stria_apply_out(STRIA_OP_exp, (const stria_tensor *[]){y = stria_tensor_retain(s)}, 1, s, NULL));
    else
        OK(stria_exp(s, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    char *text = get_text(g, "quick");
    CHECK(count(text, "func.call @stria_exp_f32_quick") == expected, "%lld elements: %d", (long long)n,
          count(text, "func.call @stria_exp_f32_quick"));
    CHECK(count(text, "func.func private @stria_exp_f32_quick") == expected, "its function, if it is called");
    stria_mlir_release(text);
    stria_graph_release(g);
    RELEASE(x, s, y);
}

/* A number beside a tensor is a constant of the tensor's type, with the sign that the bits have as a signed integer. */
static void check_constants(void)
{
    static const struct {
        stria_dtype  dtype;
        stria_scalar number;
        const char  *line;
    } cases[] = {
        {STRIA_I8, {STRIA_SCALAR_INT, .i = -3}, "arith.constant -3 : i8\n"},
        {STRIA_U8, {STRIA_SCALAR_INT, .i = 253}, "arith.constant -3 : i8\n"},
        {STRIA_I16, {STRIA_SCALAR_INT, .i = -300}, "arith.constant -300 : i16\n"},
        {STRIA_U16, {STRIA_SCALAR_INT, .i = 300}, "arith.constant 300 : i16\n"},
        {STRIA_I32, {STRIA_SCALAR_INT, .i = -70000}, "arith.constant -70000 : i32\n"},
        {STRIA_I64, {STRIA_SCALAR_INT, .i = INT64_MIN}, "arith.constant -9223372036854775808 : i64\n"},
        {STRIA_F32, {STRIA_SCALAR_FLOAT, .re = -0.5}, "arith.constant 0xBF000000 : f32\n"},
        {STRIA_F64, {STRIA_SCALAR_FLOAT, .re = -0.5}, "arith.constant 0xBFE0000000000000 : f64\n"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        stria_tensor    *x = new_zeros(cases[k].dtype, 1, SHAPE(5)), *s, *number, *y;
        stria_graph     *g;
        stria_recording *r = begin(1, &x, &s);

        OK(stria_tensor_new_scalar(cases[k].number, &number, NULL));
        OK(stria_mul(s, number, &y, NULL));
        OK(stria_recording_end(r, &y, 1, &g, NULL));
        char *text = get_text(g, "constants");
        CHECK(count(text, cases[k].line) >= 1, "case %zu: no line %sin\n%s", k, cases[k].line, text);
        stria_mlir_release(text);
        stria_graph_release(g);
        RELEASE(x, s, number, y);
    }
}

/* Strides of all kinds stand in the indices: z = flip(x) + transpose(y)[.., 1:] */
static void check_strides(void)
{
    const int     axis = 0;
    stria_tensor *in[] = {new_zeros(STRIA_F32, 2, SHAPE(4, 3)), new_zeros(STRIA_F64, 2, SHAPE(4, 4))}, *s[2], *a, *b,
                 *c, *z;
    stria_graph     *g;
    stria_recording *r = begin(2, in, s);

    OK(stria_flip(s[0], &axis, 1, &a, NULL));
    OK(stria_transpose(s[1], 0, 1, &b, NULL));
    OK(stria_narrow(b, 1, 1, 3, &c, NULL));
    OK(stria_add(a, c, &z, NULL));
    OK(stria_recording_end(r, &z, 1, &g, NULL));
    char *text = get_text(g, "strides");
    CHECK(count(text, "affine.load %in0[%i0 * -3 + %i1 + 9] : memref<12xf32>") == 1, "a flipped one:\n%s", text);
    CHECK(count(text, "affine.load %in1[%i0 + %i1 * 4 + 4] : memref<16xf64>") == 1, "a transposed one:\n%s", text);
    CHECK(count(text, "arith.extf") == 1 && count(text, "arith.addf") == 1, "an operand is converted");
    stria_mlir_release(text);
    release_all(2, in), release_all(2, s);
    RELEASE(a, b, c, z);
    stria_graph_release(g);
}

static void check_length(void)
{
    size_t length[2];

    for (int k = 0; k < 2; k++) {
        stria_graph *g = new_chain(k == 0 ? 500 : 2000, false);
        char        *text = get_text(g, "long");
        length[k] = strlen(text);
        stria_mlir_release(text);
        stria_graph_release(g);
    }
    CHECK(length[1] < 4.5 * (double)length[0], "%zu bytes of 500 steps, %zu of 2000", length[0], length[1]);
}

/* ---------------------------------------------------------------- refusals */

static void check_refusals(void)
{
    stria_graph *g = new_linear();
    stria_error  err;
    char        *text = (char *)"";

    stria_status status = stria_graph_get_mlir(NULL, "x", &text, &err);
    CHECK(status == STRIA_ERR_ARGUMENT && strcmp(err.argument, "graph") == 0 && text == NULL, "%s", err.message);
    status = stria_graph_get_mlir(g, "x", NULL, &err);
    CHECK(status == STRIA_ERR_ARGUMENT && strcmp(err.argument, "text") == 0, "%s", err.message);
    stria_mlir_release(NULL);
#if defined(__EMSCRIPTEN__)
    status = stria_mlir_open(NULL, &err);
    CHECK(status == STRIA_ERR_UNSUPPORTED && stria_mlir_get_compiler() == NULL, "%s", err.message);
#endif
    stria_graph_release(g);
}

static void check_memory(void)
{
    stria_graph *g = new_chain(3, true);
    int          n = 0;

    for (stria_status status = STRIA_ERR_MEMORY; status != STRIA_OK && n < 1000; n++) {
        char       *text = NULL;
        stria_error err;
        stria_alloc_set_failure(n + 1);
        status = stria_graph_get_mlir(g, "m", &text, &err);
        stria_alloc_set_failure(0);
        CHECK(status == STRIA_OK || (status == STRIA_ERR_MEMORY && text == NULL), "allocation %d: %d, %s", n + 1,
              (int)status, err.message);
        stria_mlir_release(text);
    }
    CHECK(n > 10 && n < 1000, "%d allocations", n);
    stria_graph_release(g);
}

static int n_runs;

static void count_run(const stria_mlir_host *host, void *const *buffers)
{
    (void)host;
    (void)buffers;
    n_runs++;
}

/* A program is called, but where the library makes the calls itself: an argument is written to, and part of it is another one. */
static void check_given_program(void)
{
    const int64_t    n = 6;
    stria_tensor    *held, *part, *in, *x, *s, *out;
    stria_recording *r;
    stria_graph     *g;
    stria_error      err;

    OK(stria_tensor_new(STRIA_F64, 1, &n, &held, NULL));
    memset(held->data, 0, 6 * sizeof(double));
    OK(stria_narrow(held, 0, 1, 5, &part, NULL));
    OK(stria_narrow(held, 0, 0, 5, &x, NULL));
    OK(stria_tensor_copy(part, STRIA_DTYPE_NONE, &in, NULL));
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, in, &s, NULL));
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){part, s}, 2, part, NULL));
    OK(stria_recording_end(r, &part, 1, &g, NULL));
    n_runs = 0;
    OK(stria_graph_run_program(g, count_run, &in, 1, NULL, 0, &out, &err));
    CHECK(n_runs == 1, "the program was called %d times", n_runs);
    stria_tensor_release(out);
    const stria_status status = stria_graph_run_program(g, count_run, &x, 1, NULL, 0, &out, &err);
    CHECK(status == STRIA_ERR_OVERLAP && out == NULL, "%d, %s", (int)status, err.message);
    CHECK(n_runs == 1, "the program was called where its arguments overlap");
    RELEASE(held, part, in, x, s);
    stria_graph_release(g);
}

SUITE(test_mlir)
{
    const stria_memory_stats before = stria_memory_get_stats();

    check_isa("test_mlir");
    check_example();
    check_names();
    check_calls();
    check_words();
    check_quick(63, false, 0);
    check_quick(64, false, 1);
    check_quick(64, true, 0); /* what is read would be gone if it had to be computed again */
    check_quick(12301, false, 1);
    check_constants();
    check_strides();
    check_length();
    check_refusals();
    check_given_program();
    check_memory();
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_storages == before.live_storages, "%lld storages are left",
          (long long)(after.live_storages - before.live_storages));
    return check_finish("test_mlir");
}
