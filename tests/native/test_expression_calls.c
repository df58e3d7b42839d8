/* test_expression_calls.c - what expressions keep and refuse: programs of any size, the cache of compiled forms and what goes
 * from it, threads that share an expression, failures of memory, bad input. */
#include <string.h>

#include "base/alloc.h"
#include "oracle.h"

#if !defined(__EMSCRIPTEN__) && defined(__unix__)
#include <pthread.h>
#define HAS_THREADS 1
#else
#define HAS_THREADS 0
#endif

#define MOST_CODE 4000

static stria_tensor *make(stria_dtype dtype, int64_t n, double first, double step)
{
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 1, &n, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < n; k++) value_set(dtype, value_from_real(first + step * (double)k), tensor_at(x, &k));
    return x;
}

static double get(const stria_tensor *x, int64_t k)
{
    const value v = value_get(stria_tensor_get_dtype(x), tensor_at(x, &k));

    return v.is_float ? v.real : (double)v.whole;
}

/* ---------------------------------------------------------------- sizes */

/* The same into every third element of a longer tensor, as f64 and as f32: the others stay. */
static void check_into_given(const stria_expression *e, stria_tensor *const *in, int n_in, const stria_tensor *y)
{
    const int64_t numel = stria_tensor_get_numel(y);

    for (int round = 0; round < 2; round++) {
        stria_tensor *all = make(round ? STRIA_F32 : STRIA_F64, 3 * numel, -7, 0), *out = NULL;
        int64_t       wrong = 0;
        CHECK_STATUS(stria_slice(all, 0, 1, INT64_MAX, 3, &out, NULL), STRIA_OK);
        CHECK_STATUS(stria_expression_apply_out(e, (const stria_tensor *const *)in, n_in, out, NULL), STRIA_OK);
        for (int64_t i = 0; i < numel; i++)
            wrong += get(out, i) != (round ? (float)get(y, i) : get(y, i)) || get(all, 3 * i) != -7 ||
                     get(all, 3 * i + 2) != -7;
        CHECK(wrong == 0, "%d inputs into every third element: %lld wrong", n_in, (long long)wrong);
        stria_tensor_release(out);
        stria_tensor_release(all);
    }
}

/* x0 + 2 x1 + 3 x2 + ..: every input and as many constants; strided inputs where step is 2. */
static void check_weighted_sum(int n_in, int64_t numel, int64_t step, stria_dtype second)
{
    static stria_instruction code[MOST_CODE];
    static stria_scalar      constants[MOST_CODE];
    static stria_tensor     *in[STRIA_EXPRESSION_MAX_INPUTS];
    stria_expression        *e = NULL;
    stria_tensor            *y = NULL;
    int                      n = 0;

    for (int k = 0; k < n_in; k++) {
        stria_tensor *x = make(k == 1 ? second : STRIA_F64, numel * step, k, 1);
        CHECK_STATUS(stria_slice(x, 0, 0, INT64_MAX, step, &in[k], NULL), STRIA_OK);
        stria_tensor_release(x);
        constants[k] = (stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = k + 1};
        code[n++] = (stria_instruction){STRIA_OP_mul, {k, n_in + k}};
        if (k == 0) continue;
        code[n] = (stria_instruction){STRIA_OP_add, {2 * n_in + n - 2, 2 * n_in + n - 1}};
        n++;
    }
    CHECK_STATUS(stria_expression_new(n_in, constants, n_in, code, n, &e, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *const *)in, n_in, &y, NULL), STRIA_OK);
    int64_t wrong = 0;
    for (int64_t i = 0; y != NULL && i < numel; i++) {
        double expected = 0;
        for (int k = 0; k < n_in; k++) expected += (k + 1) * (k + (double)(i * step));
        wrong += get(y, i) != expected;
    }
    CHECK(y != NULL && wrong == 0, "%d inputs, %lld elements: %lld wrong", n_in, (long long)numel, (long long)wrong);
    check_into_given(e, in, n_in, y);
    stria_tensor_release(y);
    stria_expression_release(e);
    for (int k = 0; k < n_in; k++) stria_tensor_release(in[k]);
}

/* Additions of 1, one after another, and a sum of `live` values that are all needed at once. */
static void check_long(int n_code, int live)
{
    static stria_instruction code[MOST_CODE];
    const stria_scalar       one = {.kind = STRIA_SCALAR_INT, .i = 1};
    stria_tensor            *x = make(STRIA_I32, 700, 0, 1), *y = NULL;
    stria_expression        *e = NULL;
    int                      n = 0;
    int64_t                  wrong = 0;

    for (; n < n_code; n++) code[n] = (stria_instruction){STRIA_OP_add, {n == 0 ? 0 : 1 + n, 1}};
    for (int i = 0; i < live; i++, n++) code[n] = (stria_instruction){STRIA_OP_mul, {1 + n_code, 1}};
    for (int i = 0; i < live; i++, n++) code[n] = (stria_instruction){STRIA_OP_add, {2 + n_code + i, 1 + n}};
    CHECK_STATUS(stria_expression_new(1, &one, 1, code, n, &e, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *[]){x}, 1, &y, NULL), STRIA_OK);
    const int64_t factor = live > 0 ? live + 1 : 1; /* the last of them counts twice */
    for (int64_t k = 0; y != NULL && k < 700; k++) wrong += get(y, k) != (double)(factor * (k + n_code));
    CHECK(y != NULL && wrong == 0, "%d ops, %d values at once: %lld wrong", n_code, live, (long long)wrong);
    stria_tensor_release(x);
    stria_tensor_release(y);
    stria_expression_release(e);
}

static void test_sizes(void)
{
    static const int inputs[] = {1, 7, 8, 10, 200, STRIA_EXPRESSION_MAX_INPUTS};

    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
        check_weighted_sum(inputs[k], 16, 1, STRIA_F64);
        check_weighted_sum(inputs[k], 1500, 1, STRIA_F64);
        check_weighted_sum(inputs[k], 1500, 2, STRIA_F64);
        check_weighted_sum(inputs[k], 1500, 1, STRIA_F32);
        check_weighted_sum(inputs[k], 1500, 2, STRIA_I64);
    }
    check_weighted_sum(10, 100000, 1, STRIA_F64);
    check_weighted_sum(10, 100000, 2, STRIA_F32);
    const int before = stria_threads_get();
    CHECK_STATUS(stria_threads_set(4, NULL), STRIA_OK); /* each of four chunks has memory of its own */
    for (int round = 0; round < 5; round++) check_weighted_sum(9, 140000, 2, STRIA_F32);
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
    check_long(1000, 0);
    check_long(1, 17);
    check_long(3, 1000);
}

/* ---------------------------------------------------------------- the cache */

static const stria_dtype many_dtypes[] = {STRIA_F32, STRIA_F64, STRIA_I32, STRIA_I64, STRIA_I16,
                                          STRIA_I8,  STRIA_U8,  STRIA_U16, STRIA_F16, STRIA_BF16};
enum { DTYPES = sizeof many_dtypes / sizeof *many_dtypes };

/* (a + b) * a; 2 3 .. with 1 2 .. */
static stria_expression *new_product(void)
{
    static const stria_instruction code[] = {{STRIA_OP_add, {0, 1}}, {STRIA_OP_mul, {2, 0}}};
    stria_expression              *e = NULL;

    CHECK_STATUS(stria_expression_new(2, NULL, 0, code, 2, &e, NULL), STRIA_OK);
    return e;
}

static bool is_product_right(const stria_expression *e, const stria_tensor *a, const stria_tensor *b)
{
    stria_tensor *y = NULL;
    const bool    ok = stria_expression_apply(e, (const stria_tensor *[]){a, b}, 2, &y, NULL) == STRIA_OK;
    bool          is_right = ok && stria_tensor_get_dtype(y) ==
                              stria_dtype_get_promoted(stria_tensor_get_dtype(a), stria_tensor_get_dtype(b));

    for (int64_t k = 0; ok && k < 4; k++) is_right &= get(y, k) == (get(a, k) + get(b, k)) * get(a, k);
    stria_tensor_release(y);
    return is_right;
}

/* Allocations of a call. */
static int64_t count_allocations(const stria_expression *e, const stria_tensor *a, const stria_tensor *b)
{
    stria_alloc_set_failure(0);
    CHECK(is_product_right(e, a, b), "%s with %s", stria_dtype_get_name(stria_tensor_get_dtype(a)),
          stria_dtype_get_name(stria_tensor_get_dtype(b)));
    return stria_alloc_get_count();
}

static void test_cache(void)
{
    stria_tensor     *a[DTYPES], *b[DTYPES];
    stria_expression *e = new_product();

    for (int k = 0; k < DTYPES; k++) {
        a[k] = make(many_dtypes[k], 4, 2, 1);
        b[k] = make(many_dtypes[k], 4, 1, 1);
    }
    const int64_t first = count_allocations(e, a[0], b[0]), again = count_allocations(e, a[0], b[0]);
    CHECK(again < first, "compiled again: %lld allocations, %lld at first", (long long)again, (long long)first);
    /* eight forms stay */
    for (int k = 1; k < 8; k++) count_allocations(e, a[k], b[k]);
    for (int k = 0; k < 8; k++) CHECK(count_allocations(e, a[k], b[k]) <= again + 1, "form %d is gone", k);
    /* the one used longest ago goes: after these, 2 .. 7, 0, 8 are there, and 1 is not */
    count_allocations(e, a[0], b[0]);
    count_allocations(e, a[8], b[8]);
    CHECK(count_allocations(e, a[0], b[0]) == again, "the form used last is gone");
    CHECK(count_allocations(e, a[2], b[2]) <= again + 1, "a form used lately is gone");
    CHECK(count_allocations(e, a[1], b[1]) >= first - 1, "more than eight forms are kept");
    /* right each time, whatever is kept */
    for (int round = 0; round < 3; round++)
        for (int k = 0; k < DTYPES * DTYPES; k++)
            CHECK(is_product_right(e, a[k / DTYPES], b[k % DTYPES]), "%s with %s",
                  stria_dtype_get_name(many_dtypes[k / DTYPES]), stria_dtype_get_name(many_dtypes[k % DTYPES]));
    for (int k = 0; k < DTYPES; k++) {
        stria_tensor_release(a[k]);
        stria_tensor_release(b[k]);
    }
    stria_expression_release(e);
}

/* Forms differ in what promotion and refusals look at: dims, numbers, the sign of an exponent, the device. */
static void test_forms(void)
{
    static const stria_instruction sum[] = {{STRIA_OP_add, {0, 1}}, {STRIA_OP_neg, {2}}},
                                   power[] = {{STRIA_OP_pow, {0, 1}}};
    stria_tensor     *x = make(STRIA_F32, 3, 1, 1), *line = make(STRIA_F64, 1, 1, 0), *dimless = NULL, *y = NULL;
    stria_tensor     *whole = make(STRIA_I32, 3, 1, 1), *two = NULL, *minus = NULL, *meta = NULL, *deep = NULL;
    stria_expression *e = NULL, *p = NULL;
    stria_error       err;

    CHECK_STATUS(stria_expression_new(2, NULL, 0, sum, 2, &e, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_new(2, NULL, 0, power, 1, &p, NULL), STRIA_OK);
    CHECK_STATUS(stria_select(line, 0, 0, &dimless, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 3, (int64_t[]){1, 1, 1}, &deep, NULL), STRIA_OK);
    *(float *)stria_tensor_get_data(deep) = 1;
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT, .i = 2}, &two, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT, .i = -2}, &minus, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty((int64_t[]){3}, 1, STRIA_F32, STRIA_META, &meta, NULL), STRIA_OK);
    for (int round = 0; round < 2; round++) {
        CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *[]){x, line}, 2, &y, NULL), STRIA_OK);
        CHECK(y && stria_tensor_get_dtype(y) == STRIA_F64, "with a dim of 1");
        stria_tensor_release(y);
        CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *[]){x, dimless}, 2, &y, NULL), STRIA_OK);
        CHECK(y && stria_tensor_get_dtype(y) == STRIA_F32 && get(y, 2) == -4, "with a 0-dim tensor");
        stria_tensor_release(y);
        CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *[]){x, deep}, 2, &y, NULL), STRIA_OK);
        CHECK(y && stria_tensor_get_ndim(y) == 3 && stria_tensor_get_shape(y)[2] == 3, "with one value of three dims");
        stria_tensor_release(y);
        CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *[]){meta, meta}, 2, &y, NULL), STRIA_OK);
        CHECK(y && stria_tensor_get_device(y).type == STRIA_DEVICE_META, "without memory");
        stria_tensor_release(y);
        CHECK_STATUS(stria_expression_apply(p, (const stria_tensor *[]){whole, two}, 2, &y, NULL), STRIA_OK);
        CHECK(y && get(y, 2) == 9, "squares");
        stria_tensor_release(y);
        CHECK_STATUS(stria_expression_apply(p, (const stria_tensor *[]){whole, minus}, 2, &y, &err),
                     STRIA_ERR_ARGUMENT);
        CHECK(!y && strcmp(err.op, "pow") == 0, "%s", err.message);
    }
    stria_tensor *const all[] = {x, line, dimless, whole, two, minus, meta, deep};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) stria_tensor_release(all[k]);
    stria_expression_release(e);
    stria_expression_release(p);
}

/* ---------------------------------------------------------------- threads */

#if HAS_THREADS
typedef struct caller {
    stria_expression *e;
    unsigned          seed;
    int               failed;
    stria_tensor     *a[DTYPES], *b[DTYPES];
} caller;

static void *call_often(void *context)
{
    caller *c = context;

    for (int round = 0; round < 600; round++) { /* mostly one form, now and then more than are kept */
        c->seed = c->seed * 1664525u + 1013904223u;
        const unsigned j = c->seed >> 16, k = round % 8 ? j % 3 : j % (DTYPES * DTYPES);
        c->failed += !is_product_right(c->e, c->a[k / DTYPES], c->b[k % DTYPES]);
    }
    stria_expression_release(c->e); /* the last thread ends it */
    return NULL;
}

static void test_threads(void)
{
    enum { THREADS = 12 };
    pthread_t         threads[THREADS];
    caller            callers[THREADS];
    stria_expression *e = new_product();

    for (int t = 0; t < THREADS; t++) {
        callers[t] = (caller){.e = stria_expression_retain(e), .seed = (unsigned)t};
        for (int k = 0; k < DTYPES; k++) {
            callers[t].a[k] = make(many_dtypes[k], 4, 2, 1);
            callers[t].b[k] = make(many_dtypes[k], 4, 1, 1);
        }
        CHECK(pthread_create(&threads[t], NULL, call_often, &callers[t]) == 0, "no thread");
    }
    stria_expression_release(e);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        CHECK(callers[t].failed == 0, "thread %d: %d of 600 calls are wrong", t, callers[t].failed);
        for (int k = 0; k < DTYPES; k++) {
            stria_tensor_release(callers[t].a[k]);
            stria_tensor_release(callers[t].b[k]);
        }
    }
}
#endif

/* ---------------------------------------------------------------- memory */

static stria_tensor *given, *oom_a, *oom_b;

/* The n-th allocation fails, for every n: ERR_MEMORY, nothing left, and then all works. */
static void fail_each(stria_expression *e, bool to_given)
{
    for (int64_t n = 1;; n++) {
        stria_tensor *y = NULL;
        stria_error   err = {0};
        stria_alloc_set_failure(n);
        const stria_tensor *const in[] = {oom_a, oom_b};
        const stria_status        status =
            to_given ? stria_expression_apply_out(e, in, 2, given, &err) : stria_expression_apply(e, in, 2, &y, &err);
        stria_alloc_set_failure(0);
        stria_tensor_release(y);
        if (status == STRIA_OK) break;
        CHECK(status == STRIA_ERR_MEMORY && y == NULL && strcmp(err.op, "expression") == 0, "failure %lld: %s",
              (long long)n, err.message);
        if (n == 60) CHECK(false, "no end of failures");
        if (n == 60) break;
    }
    CHECK(is_product_right(e, oom_a, oom_b), "after failures");
}

static void test_memory(void)
{
    const int64_t live = stria_memory_get_stats().live_tensors;

    oom_a = make(STRIA_F16, 4, 2, 1);
    oom_b = make(STRIA_I32, 4, 1, 1);
    given = make(STRIA_F32, 4, 0, 0);
    for (int to_given = 0; to_given < 2; to_given++) {
        stria_expression *e = new_product();
        fail_each(e, to_given);
        stria_expression_release(e);
    }
    static const stria_instruction neg = {STRIA_OP_neg, {0}};
    stria_expression              *e = (stria_expression *)(uintptr_t)1;
    stria_error                    err;
    stria_alloc_set_failure(1);
    CHECK_STATUS(stria_expression_new(1, NULL, 0, &neg, 1, &e, &err), STRIA_ERR_MEMORY);
    stria_alloc_set_failure(0);
    CHECK(e == NULL && strcmp(err.message, "expression: no memory for the expression") == 0, "%s", err.message);
    stria_tensor_release(oom_a);
    stria_tensor_release(oom_b);
    stria_tensor_release(given);
    CHECK(stria_memory_get_stats().live_tensors == live, "tensors are left");
}

/* ---------------------------------------------------------------- refusals */

static void check_new_refused(int n_in, const stria_scalar *constants, int n_constants, const stria_instruction *code,
                              int n_code, const char *argument, const char *message)
{
    stria_expression *e = (stria_expression *)(uintptr_t)1;
    stria_error       err = {0};

    CHECK_STATUS(stria_expression_new(n_in, constants, n_constants, code, n_code, &e, &err), STRIA_ERR_ARGUMENT);
    CHECK(e == NULL && strcmp(err.op, "expression") == 0 && strcmp(err.argument, argument) == 0 &&
              strcmp(err.message, message) == 0,
          "%s: %s", err.argument, err.message);
}

static void test_bad_programs(void)
{
    static const stria_instruction add = {STRIA_OP_add, {0, 1, 0}}, late = {STRIA_OP_add, {0, 2, 0}},
                                   negative = {STRIA_OP_add, {0, -1, 0}},
                                   none = {STRIA_CONVERT(STRIA_DTYPE_COUNT), {0}}, below = {(stria_op)-1, {0}};
    static const stria_scalar odd = {.kind = (stria_scalar_kind)9};
    static const char         missing[] = "expression: an instruction refers to a value that does not exist before it";

    check_new_refused(0, NULL, 0, &add, 1, "n_in", "expression: an expression has 1 to 512 inputs");
    check_new_refused(-1, NULL, 0, &add, 1, "n_in", "expression: an expression has 1 to 512 inputs");
    check_new_refused(513, NULL, 0, &add, 1, "n_in", "expression: an expression has 1 to 512 inputs");
    check_new_refused(2, NULL, -1, &add, 1, "n_constants", "expression: an expression has 0 to 65536 constants");
    check_new_refused(2, &odd, 65537, &add, 1, "n_constants", "expression: an expression has 0 to 65536 constants");
    check_new_refused(2, NULL, 0, &add, 0, "n_code", "expression: an expression has 1 to 65536 instructions");
    check_new_refused(2, NULL, 0, &add, -5, "n_code", "expression: an expression has 1 to 65536 instructions");
    check_new_refused(2, NULL, 0, &add, 65537, "n_code", "expression: an expression has 1 to 65536 instructions");
    check_new_refused(2, NULL, 1, &add, 1, "constants", "expression: the constants of the expression are NULL");
    check_new_refused(2, NULL, 0, NULL, 1, "code", "expression: the code of the expression is NULL");
    check_new_refused(1, &odd, 1, &add, 1, "constants", "expression: a constant has no such kind");
    check_new_refused(2, NULL, 0, &late, 1, "code", missing);
    check_new_refused(2, NULL, 0, &negative, 1, "code", missing);
    check_new_refused(2, NULL, 0, &none, 1, "code", "expression: an instruction has no such op");
    check_new_refused(2, NULL, 0, &below, 1, "code", "expression: an instruction has no such op");
    CHECK_STATUS(stria_expression_new(2, NULL, 0, &add, 1, NULL, NULL), STRIA_ERR_ARGUMENT);
    stria_expression_release(NULL);
    CHECK(stria_expression_retain(NULL) == NULL, "retain of NULL");
}

static void check_refused(const stria_expression *e, const stria_tensor *const *in, int n_in, stria_status expected,
                          const char *op, const char *words)
{
    for (int round = 0; round < 2; round++) {
        stria_tensor *y = (stria_tensor *)(uintptr_t)1;
        stria_error   err = {0};
        CHECK_STATUS(stria_expression_apply(e, in, n_in, &y, &err), expected);
        CHECK(y == NULL && strcmp(err.op, op) == 0 && strstr(err.message, words) != NULL, "%s", err.message);
    }
}

/* Refused in the same words by the first call and by later ones, which have a compiled form. */
static void test_bad_calls(void)
{
    static const stria_instruction code[] = {{STRIA_OP_exp, {1}}, {STRIA_OP_add, {0, 1}}, {STRIA_OP_mul, {0, 2}}},
                                   dead[] = {{STRIA_OP_add, {0, 1}}, {STRIA_OP_neg, {0}}},
                                   bits[] = {{STRIA_OP_bitwise_and, {0, 0}}};
    stria_tensor     *x = make(STRIA_F32, 3, 1, 1), *y = make(STRIA_F32, 4, 1, 1), *out = make(STRIA_I32, 3, 1, 1);
    stria_expression *e = NULL, *d = NULL, *b = NULL;
    stria_tensor     *result = NULL;
    stria_error       err;

    CHECK_STATUS(stria_expression_new(2, NULL, 0, code, 3, &e, NULL), STRIA_OK); /* exp(b) * a; a + b is dead */
    CHECK_STATUS(stria_expression_new(2, NULL, 0, dead, 2, &d, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_new(1, NULL, 0, bits, 1, &b, NULL), STRIA_OK);
    const stria_tensor *both[] = {x, y}, *missing[] = {x, NULL}, *alike[] = {x, x};
    check_refused(NULL, both, 2, STRIA_ERR_ARGUMENT, "expression", "the expression is NULL");
    check_refused(e, both, 3, STRIA_ERR_ARGUMENT, "expression", "takes 2 inputs, got 3");
    check_refused(e, both, -1, STRIA_ERR_ARGUMENT, "expression", "takes 2 inputs, got -1");
    check_refused(e, NULL, 2, STRIA_ERR_ARGUMENT, "expression", "an input is NULL");
    check_refused(e, missing, 2, STRIA_ERR_ARGUMENT, "expression", "an input is NULL");
    check_refused(b, both, 1, STRIA_ERR_DTYPE, "bitwise_and", "f32 is not supported");
    for (int round = 0; round < 2; round++) { /* without a compiled form, then with one */
        check_refused(e, both, 2, STRIA_ERR_SHAPE, "add", "[3] and [4]");
        check_refused(d, both, 2, STRIA_ERR_SHAPE, "add", "[3] and [4]");
        CHECK_STATUS(stria_expression_apply_out(e, alike, 2, out, &err), STRIA_ERR_DTYPE);
        CHECK(strcmp(err.op, "mul") == 0 && strcmp(err.argument, "out") == 0, "%s", err.message);
        CHECK_STATUS(stria_expression_apply(e, alike, 2, &result, NULL), STRIA_OK);
        stria_tensor_release(result);
        CHECK_STATUS(stria_expression_apply(d, alike, 2, &result, NULL), STRIA_OK);
        stria_tensor_release(result);
    }
    CHECK_STATUS(stria_expression_apply(e, both, 2, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_expression_apply_out(e, both, 2, NULL, &err), STRIA_ERR_ARGUMENT);
    stria_tensor *const all[] = {x, y, out};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) stria_tensor_release(all[k]);
    stria_expression_release(e);
    stria_expression_release(d);
    stria_expression_release(b);
}

SUITE(test_expression_calls)
{
    check_isa("test_expression_calls");
    test_sizes();
    if (check_has_values()) {
        test_cache();
        test_forms();
    }
#if HAS_THREADS
    test_threads();
#endif
    if (check_has_values()) {
        test_memory();
        test_bad_programs();
        test_bad_calls();
    }
    CHECK(stria_memory_get_stats().live_tensors == 0, "tensors left");
    return check_finish("test_expression_calls");
}
