/* test_convert.c - conversions in expressions and in groups of graphs: the bits of calls one after another, for all pairs of dtypes, layouts and
 * outputs; groups go on over them. */
#include <string.h>

#include "cpu/expression.h"
#include "graph_case.h"
#include "suite.h"
#ifdef __EMSCRIPTEN__
#include "wasm/code.h"
#endif

enum { N_REAL = STRIA_F64 + 1 };

static random_state random_numbers = {5};

static int pick(int n) { return (int)(random_next(&random_numbers) % (uint64_t)n); }

static bool has_code;

/* From here on expressions have code (src/wasm), or none; false: there is none here. */
static bool use_code(bool on)
{
#ifdef __EMSCRIPTEN__
    stria_code_set_price(0);
    stria_code_set(on ? stria_code_try : NULL);
    has_code = on;
    return true;
#else
    return !on;
#endif
}

static bool is_same(const stria_tensor *a, const stria_tensor *b)
{
    return has_code ? has_same_values(a, b) : has_same_bits(a, b);
}

/* Special elements, and others, in some layout of this shape. */
static stria_tensor *new_elements(stria_dtype dtype, int ndim, const int64_t *shape)
{
    stria_tensor *base, *x;
    int64_t       larger[3] = {0};
    const int     layout = ndim > 0 ? pick(4) : 0, first = 0;

    for (int d = 0; d < ndim; d++) larger[d] = shape[d];
    if (layout == 1) larger[0] = shape[ndim - 1], larger[ndim - 1] = shape[0];
    if (layout == 2) larger[ndim - 1] = 2 * shape[ndim - 1] + 1;
    OK(stria_tensor_new(dtype, ndim, larger, &base, NULL));
    char *at = stria_tensor_get_data(base);
    for (int64_t k = 0; k < base->numel; k++, at += stria_dtype_get_size(dtype)) {
        if (pick(3) == 0)
            special_element(dtype, random_next(&random_numbers), at);
        else
            random_element(&random_numbers, dtype, -300, 300, at);
    }
    if (layout == 1)
        OK(stria_transpose(base, 0, -1, &x, NULL));
    else if (layout == 2)
        OK(stria_slice(base, ndim - 1, 1, INT64_MAX, 2, &x, NULL));
    else if (layout == 3)
        OK(stria_flip(base, &first, 1, &x, NULL));
    else
        x = stria_tensor_retain(base);
    stria_tensor_release(base);
    return x;
}

/* x as one of them, then as the other, and something that is done with that. */
static stria_instruction get_last(stria_dtype dtype)
{
    return dtype == STRIA_BOOL ? (stria_instruction){STRIA_OP_logical_not, {2}}
                               : (stria_instruction){STRIA_OP_add, {2, 2}};
}

/* The same by calls, for a new tensor and into `given`. */
static stria_tensor *run_apart(const stria_tensor *x, stria_dtype first, stria_dtype second, bool has_last,
                               stria_tensor *given)
{
    stria_tensor           *y, *z, *last;
    const stria_instruction op = get_last(second);
    const int               arity = stria_op_infos[op.op].arity;

    OK(stria_tensor_copy(x, first, &y, NULL));
    OK(stria_tensor_copy(y, second, &z, NULL));
    stria_tensor_release(y);
    if (!has_last) {
        OK(stria_tensor_set(given, z, NULL));
        return z;
    }
    OK(stria_apply(op.op, (const stria_tensor *[]){z, z}, arity, &last, NULL));
    OK(stria_apply_out(op.op, (const stria_tensor *[]){z, z}, arity, given, NULL));
    stria_tensor_release(z);
    return last;
}

static void check_pair(stria_dtype from, stria_dtype first, stria_dtype second)
{
    const stria_instruction code[] = {{STRIA_CONVERT(first), {0}}, {STRIA_CONVERT(second), {1}}, get_last(second)};
    const int64_t           shape[] = {1 + pick(9), 1 + pick(90)};

    for (int n = 2; n <= 3; n++) {
        /* a tensor of another dtype that it may be written to */
        const stria_dtype given = second == STRIA_F16 ? STRIA_F64 : second == STRIA_BOOL ? STRIA_I16 : STRIA_BF16;
        stria_tensor     *x = new_elements(from, 2, shape), *y, *out, *set;
        stria_expression *e;
        OK(stria_tensor_new(given, 2, shape, &out, NULL));
        OK(stria_tensor_new(given, 2, shape, &set, NULL));
        stria_tensor *const expected = run_apart(x, first, second, n == 3, set);
        OK(stria_expression_new(1, NULL, 0, code, n, &e, NULL));
        OK(stria_expression_apply(e, (const stria_tensor *[]){x}, 1, &y, NULL));
        CHECK(is_same(expected, y), "%s to %s to %s, %d", stria_dtype_get_name(from), stria_dtype_get_name(first),
              stria_dtype_get_name(second), n);
        OK(stria_expression_apply_out(e, (const stria_tensor *[]){x}, 1, out, NULL));
        CHECK(is_same(set, out), "%s to %s to %s, %d, into %s", stria_dtype_get_name(from), stria_dtype_get_name(first),
              stria_dtype_get_name(second), n, stria_dtype_get_name(given));
        stria_expression_release(e);
        RELEASE(x, expected, y, out, set);
    }
}

static void test_pairs(void)
{
    for (int from = 0; from < N_REAL; from++)
        for (int first = 0; first < N_REAL; first++) {
            check_pair((stria_dtype)from, (stria_dtype)first, (stria_dtype)from);
            check_pair((stria_dtype)from, (stria_dtype)first, (stria_dtype)pick(N_REAL));
        }
}

/* ---------------------------------------------------------------- random expressions */

#define MOST_CODE 10

/* What is well typed; of three instructions one converts. */
static void pick_instruction(stria_tensor **value, int n_values, stria_instruction *code)
{
    stria_status status = STRIA_ERR_DTYPE;

    while (status != STRIA_OK) {
        for (int k = 0; k < 3; k++) code->in[k] = pick(2) ? n_values - 1 : pick(n_values);
        if (pick(3) == 0) {
            code->op = STRIA_CONVERT(pick(N_REAL));
            status = stria_tensor_copy(value[code->in[0]], stria_instruction_get_dtype(code), &value[n_values], NULL);
            continue;
        }
        code->op = (stria_op)pick(STRIA_OP_COUNT);
        const stria_tensor *in[3] = {value[code->in[0]], value[code->in[1]], value[code->in[2]]};
        status = stria_apply(code->op, in, stria_op_infos[code->op].arity, &value[n_values], NULL);
    }
}

/* The same into an f64, which takes every result. */
static void check_given(const stria_expression *e, stria_tensor *const *value, int n_in, const stria_instruction *last,
                        const stria_tensor *result, uint64_t seed)
{
    const stria_tensor *in[3] = {value[last->in[0]], value[last->in[1]], value[last->in[2]]};
    stria_tensor       *expected, *given;

    OK(stria_tensor_new(STRIA_F64, result->ndim, result->shape, &expected, NULL));
    OK(stria_tensor_new(STRIA_F64, result->ndim, result->shape, &given, NULL));
    if (last->op >= STRIA_OP_COUNT)
        OK(stria_tensor_set(expected, result, NULL));
    else
        OK(stria_apply_out(last->op, in, stria_op_infos[last->op].arity, expected, NULL));
    OK(stria_expression_apply_out(e, (const stria_tensor *const *)value, n_in, given, NULL));
    CHECK(is_same(expected, given), "seed %llu, into f64", (unsigned long long)seed);
    RELEASE(expected, given);
}

static void check_random(uint64_t seed)
{
    const int         n_in = 1 + pick(3), n_code = 1 + pick(MOST_CODE);
    const int64_t     shape[] = {1 + pick(4), pick(8) ? 1 + pick(40) : 3000};
    stria_tensor     *value[3 + MOST_CODE], *y;
    stria_instruction code[MOST_CODE];
    stria_expression *e;

    for (int k = 0; k < n_in; k++) {
        const int ndim = k > 0 ? pick(3) : 2; /* some broadcast */
        value[k] = new_elements((stria_dtype)pick(N_REAL), ndim, shape + 2 - ndim);
    }
    for (int i = 0; i < n_code; i++) pick_instruction(value, n_in + i, &code[i]);
    OK(stria_expression_new(n_in, NULL, 0, code, n_code, &e, NULL));
    OK(stria_expression_apply(e, (const stria_tensor *const *)value, n_in, &y, NULL));
    CHECK(is_same(value[n_in + n_code - 1], y), "seed %llu", (unsigned long long)seed);
    check_given(e, value, n_in, &code[n_code - 1], value[n_in + n_code - 1], seed);
    stria_expression_release(e);
    stria_tensor_release(y);
    release_all(n_in + n_code, value);
}

/* ---------------------------------------------------------------- refusals, complex numbers, gradients */

static void check_refused(const stria_instruction *code, const char *message)
{
    const stria_scalar one = {.kind = STRIA_SCALAR_INT, .i = 1};
    stria_expression  *e = NULL;
    stria_error        err;

    CHECK(stria_expression_new(1, &one, 1, code, 1, &e, &err) == STRIA_ERR_ARGUMENT && e == NULL &&
              strstr(err.message, message) != NULL,
          "%s", err.message);
}

static void test_refusals(void)
{
    const stria_instruction whole = {STRIA_CONVERT(STRIA_F32), {0}};
    const int64_t           n = 3, other = 4;
    stria_expression       *e;
    stria_tensor           *x, *out, *wide;
    stria_error             err;

    check_refused(&(stria_instruction){STRIA_CONVERT(STRIA_F32), {1}}, "a constant is not converted");
    check_refused(&(stria_instruction){STRIA_CONVERT(STRIA_F32), {2}}, "does not exist before it");
    check_refused(&(stria_instruction){STRIA_CONVERT(STRIA_DTYPE_COUNT), {0}}, "no such op");
    OK(stria_expression_new(1, NULL, 0, &whole, 1, &e, NULL));
    OK(stria_tensor_new(STRIA_I64, 1, &n, &x, NULL));
    OK(stria_tensor_new(STRIA_I32, 1, &n, &out, NULL));
    OK(stria_tensor_new(STRIA_F32, 1, &other, &wide, NULL));
    CHECK(stria_expression_apply_out(e, (const stria_tensor *[]){x}, 1, out, &err) == STRIA_ERR_DTYPE &&
              strcmp(err.op, "to") == 0,
          "%s", err.message);
    CHECK(stria_expression_apply_out(e, (const stria_tensor *[]){wide}, 1, out, &err) == STRIA_ERR_DTYPE, "%s",
          err.message);
    stria_expression_release(e);
    RELEASE(x, out, wide);
}

/* f32 to c64 and back: one after another, as with all complex numbers. */
static void test_complex(void)
{
    const stria_instruction code[] = {
        {STRIA_CONVERT(STRIA_C64), {0}}, {STRIA_OP_mul, {1, 1}}, {STRIA_CONVERT(STRIA_F64), {2}}};
    stria_expression *e;
    stria_tensor     *x = new_vector(50), *y, *a, *b, *z;

    OK(stria_expression_new(1, NULL, 0, code, 3, &e, NULL));
    OK(stria_expression_apply(e, (const stria_tensor *[]){x}, 1, &y, NULL));
    OK(stria_tensor_copy(x, STRIA_C64, &a, NULL));
    OK(stria_mul(a, a, &b, NULL));
    OK(stria_tensor_copy(b, STRIA_F64, &z, NULL));
    CHECK(is_same(z, y), "by way of complex numbers");
    stria_expression_release(e);
    RELEASE(x, y, a, b, z);
}

/* The gradient of x^2, x as f64 on the way, is 2 x. */
static void test_gradient(void)
{
    const stria_instruction code[] = {{STRIA_CONVERT(STRIA_F64), {0}}, {STRIA_OP_mul, {1, 1}}};
    stria_expression       *e;
    stria_tensor           *x = new_vector(5), *y, *sum;

    OK(stria_tensor_set_requires_grad(x, true, NULL));
    OK(stria_expression_new(1, NULL, 0, code, 2, &e, NULL));
    OK(stria_expression_apply(e, (const stria_tensor *[]){x}, 1, &y, NULL));
    CHECK(stria_tensor_get_dtype(y) == STRIA_F64, "it is an f64");
    OK(stria_sum(y, NULL, 0, false, &sum, NULL));
    OK(backward(sum, 0, NULL));
    const float *g = stria_tensor_get_const_data(GRAD(x)), *at = stria_tensor_get_const_data(x);
    for (int k = 0; k < 5; k++) CHECK(g[k] == 2 * at[k], "gradient %d is %g", k, (double)g[k]);
    stria_expression_release(e);
    RELEASE(x, y, sum);
}

/* ---------------------------------------------------------------- graphs */

static stria_tensor *number(double value)
{
    stria_tensor *x;

    OK(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = value}, &x, NULL));
    return x;
}

/* Bytes of a picture as f32, scaled and shifted, clamped, as bytes again; and, where it is asked for, as f32. */
static void run_picture(stria_tensor *x, bool has_both, stria_tensor **ys)
{
    stria_tensor *a, *b, *c, *d, *numbers[] = {number(1.25), number(-20), number(0), number(255)};

    OK(stria_tensor_copy(x, STRIA_F32, &a, NULL));
    OK(stria_mul(a, numbers[0], &b, NULL));
    OK(stria_add(b, numbers[1], &c, NULL));
    OK(stria_apply(STRIA_OP_clamp, (const stria_tensor *[]){c, numbers[2], numbers[3]}, 3, &d, NULL));
    OK(stria_tensor_copy(d, STRIA_U8, &ys[0], NULL));
    if (has_both) ys[1] = stria_tensor_retain(a);
    RELEASE(a, b, c, d);
    release_all(4, numbers);
}

static void check_picture(int ndim, const int64_t *shape, bool has_both)
{
    stria_tensor    *x = new_elements(STRIA_U8, ndim, shape), *symbol, *symbols[2], *ys[2], *outs[2];
    stria_recording *r = record_inputs(&x, 1, &symbol);
    const int        n = 1 + has_both;
    stria_graph     *g;
    void            *bytes;
    size_t           nbytes;

    run_picture(symbol, has_both, symbols);
    OK(stria_recording_end(r, symbols, n, &g, NULL));
    run_picture(x, has_both, ys);
    for (int run = 0; run < 3; run++) {
        OK(stria_graph_run(g, &x, 1, outs, NULL));
        for (int k = 0; k < n; k++) CHECK(is_same(ys[k], outs[k]), "a picture, result %d of %d", k, n);
        release_all(n, outs);
    }
    CHECK(stria_graph_get_info(g).n_steps == 1 && stria_graph_get_info(g).nbytes == 0, "%d steps, %zu bytes",
          stria_graph_get_info(g).n_steps, stria_graph_get_info(g).nbytes);
    OK(stria_graph_explain(g, &bytes, &nbytes, NULL));
    char *const text = bytes;
    text[nbytes - 1] = 0;
    CHECK(strstr(text, "\"to.f32\"") != NULL && strstr(text, "\"to.u8\"") != NULL, "%s", text);
    stria_bytes_release(bytes);
    stria_graph_release(g);
    RELEASE(x, symbol);
    release_all(n, symbols), release_all(n, ys);
}

/* An expression that converts, in a graph that goes through a file; what it takes may be a number. */
static void test_saved(void)
{
    const stria_instruction code[] = {
        {STRIA_CONVERT(STRIA_I16), {0}}, {STRIA_OP_add, {1, 1}}, {STRIA_CONVERT(STRIA_F16), {2}}};
    stria_tensor     *x = new_vector(50), *two = number(2.5), *symbol, *s, *t, *ys[2], *outs[2];
    stria_recording  *r;
    stria_expression *e;
    stria_graph      *g, *loaded;
    void             *bytes;
    size_t            nbytes;

    OK(stria_expression_new(1, NULL, 0, code, 3, &e, NULL));
    for (int way = 0; way < 2; way++) {
        if (way == 0) r = record_inputs(&x, 1, &symbol);
        OK(stria_mul(way == 0 ? symbol : x, two, &s, NULL));
        OK(stria_expression_apply(e, (const stria_tensor *[]){s}, 1, &ys[0], NULL));
        OK(stria_expression_apply(e, (const stria_tensor *[]){two}, 1, &t, NULL));
        OK(stria_add(s, t, &ys[1], NULL));
        if (way == 0) {
            OK(stria_recording_end(r, ys, 2, &g, NULL));
            release_all(2, ys);
        }
        RELEASE(s, t);
    }
    OK(stria_graph_save(g, NULL, 0, &bytes, &nbytes, NULL));
    OK(stria_graph_load(bytes, nbytes, &loaded, NULL));
    for (int way = 0; way < 2; way++) {
        OK(stria_graph_run(way == 0 ? g : loaded, &x, 1, outs, NULL));
        for (int k = 0; k < 2; k++) CHECK(is_same(ys[k], outs[k]), "%s: result %d", way ? "loaded" : "recorded", k);
        release_all(2, outs);
    }
    for (char *at = bytes; (at = memchr(at, 't', nbytes - (size_t)(at - (char *)bytes))) != NULL; at++)
        if ((size_t)(at - (char *)bytes) + 6 <= nbytes && memcmp(at, "to.i16", 6) == 0) at[3] = 'x';
    stria_error  err;
    stria_graph *damaged;
    CHECK(stria_graph_load(bytes, nbytes, &damaged, &err) == STRIA_ERR_FORMAT && strstr(err.message, "no such op"),
          "%s", err.message);
    stria_bytes_release(bytes);
    stria_expression_release(e);
    stria_graph_release(g), stria_graph_release(loaded);
    RELEASE(x, two, symbol);
    release_all(2, ys);
}

SUITE(test_convert)
{
    const int64_t before = stria_memory_get_stats().live_storages;

    check_isa("test_convert");
    for (int on = 0; on < 2 && use_code(on); on++) {
        test_pairs();
        for (uint64_t seed = 1; seed <= 1500; seed++) random_numbers = (random_state){seed}, check_random(seed);
    }
    test_refusals();
    test_complex();
    test_gradient();
    test_saved();
    for (int has_both = 0; has_both < 2; has_both++) {
        check_picture(1, (int64_t[]){1000}, has_both);
        check_picture(2, (int64_t[]){300, 400}, has_both);
        check_picture(2, (int64_t[]){7, 3}, has_both);
    }
    use_code(false);
    CHECK(stria_memory_get_stats().live_storages == before, "storages are left");
    return check_finish("test_convert");
}
