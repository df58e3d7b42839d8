/* test_expression.c - expressions: a formula in long double, random programs against one op after another, out= and
 * in-place, and what is refused. */
#include <math.h>
#include <string.h>

#include "oracle.h"

#define MAX_CODE 24

/* ---------------------------------------------------------------- a formula */

static void test_formula(stria_dtype dtype, double bound)
{
    static const stria_scalar      constants[] = {{.kind = STRIA_SCALAR_FLOAT, .re = 1.5},
                                                  {.kind = STRIA_SCALAR_INT, .i = 2}};
    static const stria_instruction code[] = {{STRIA_OP_mul, {0, 2}},
                                             {STRIA_OP_sigmoid, {4}},
                                             {STRIA_OP_mul, {0, 5}},
                                             {STRIA_OP_add, {6, 1}},
                                             {STRIA_OP_div, {7, 3}}};
    const stria_expression         e = {2, 2, 5, constants, code};
    const int64_t                  shape[2] = {37, 90};
    random_state                   random = {5};
    stria_tensor                  *a = NULL, *b = NULL, *y = NULL;
    int64_t                        index[2] = {0, 0}, wrong = 0;

    CHECK_STATUS(stria_tensor_new(dtype, 2, shape, &a, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(dtype, 1, shape + 1, &b, NULL), STRIA_OK);
    for (int64_t k = 0; k < 37 * 90; k++)
        value_set(dtype, value_from_real(random_unit(&random) * 8 - 4), tensor_at(a, (int64_t[2]){k / 90, k % 90}));
    for (int64_t k = 0; k < 90; k++) value_set(dtype, value_from_real(random_unit(&random)), tensor_at(b, &k));
    CHECK_STATUS(stria_expression_apply(&e, (const stria_tensor *[]){a, b}, &y, NULL), STRIA_OK);
    CHECK(y != NULL && stria_tensor_get_dtype(y) == dtype, "dtype of the result");
    do {
        const long double x = value_get(dtype, tensor_at(a, index)).real,
                          z = value_get(dtype, tensor_at(b, index + 1)).real;
        const long double exact = (x / (1 + expl(-1.5L * x)) + z) / 2;
        wrong += fabsl((long double)value_get(dtype, tensor_at(y, index)).real - exact) > bound * (fabsl(exact) + 1);
    } while (index_next(2, shape, index));
    CHECK(wrong == 0, "(a sigmoid(1.5 a) + b) / 2 in %s: %lld wrong", stria_dtype_get_name(dtype), (long long)wrong);
    stria_tensor_release(a);
    stria_tensor_release(b);
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- random programs */

typedef struct random_program {
    stria_expression  e;
    stria_scalar      constants[4];
    stria_instruction code[MAX_CODE];
    stria_tensor     *in[STRIA_EXPRESSION_MAX_INPUTS];
    int               ndim;
    int64_t           shape[3];
} random_program;

static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_I32,  STRIA_U8, STRIA_BOOL,
                                     STRIA_F16, STRIA_I64, STRIA_BF16, STRIA_I8, STRIA_U64};

static void program_init(random_program *p, random_state *random)
{
    static const int64_t sizes[] = {0, 1, 3, 17, 300, 1100};

    p->e = (stria_expression){1 + (int)(random_next(random) % 4), (int)(random_next(random) % 4),
                              1 + (int)(random_next(random) % MAX_CODE), p->constants, p->code};
    p->ndim = (int)(random_next(random) % 3);
    for (int d = 0; d < p->ndim; d++) p->shape[d] = sizes[random_next(random) % 6 % (d ? 4 : 6)];
    const uint64_t few = 1 + random_next(random) % 10;
    for (int k = 0; k < p->e.n_in; k++)
        p->in[k] = tensor_random(random, dtypes[random_next(random) % few],
                                 (layout)(random_next(random) % LAYOUT_COUNT), p->ndim, p->shape, -3, 3);
    for (int k = 0; k < p->e.n_constants; k++)
        p->constants[k] = random_next(random) % 2 ? (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 2}
                                                  : (stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = -0.75};
    for (int i = 0; i < p->e.n_code; i++) {
        const int n_values = p->e.n_in + p->e.n_constants + i;
        p->code[i].op = (stria_op)(random_next(random) % STRIA_OP_COUNT);
        for (int k = 0; k < 3; k++) /* mostly what is new */
            p->code[i].in[k] =
                random_next(random) % 2 && i > 0 ? n_values - 1 : (int)(random_next(random) % (uint64_t)n_values);
    }
}

static void program_release(random_program *p)
{
    for (int k = 0; k < p->e.n_in; k++) stria_tensor_release(p->in[k]);
}

/* One op after another; *status is the first failure. */
static stria_tensor *run_one_by_one(const random_program *p, stria_status *status)
{
    stria_tensor *value[STRIA_EXPRESSION_MAX_INPUTS + 4 + MAX_CODE] = {NULL}, *result;
    const int     first = p->e.n_in + p->e.n_constants;

    *status = STRIA_OK;
    for (int k = 0; k < p->e.n_in; k++) value[k] = stria_tensor_retain(p->in[k]);
    for (int k = 0; k < p->e.n_constants; k++)
        CHECK_STATUS(stria_tensor_new_scalar(p->constants[k], &value[p->e.n_in + k], NULL), STRIA_OK);
    for (int i = 0; i < p->e.n_code && *status == STRIA_OK; i++) {
        const stria_tensor *in[3];
        const int           arity = oracle_ops[p->code[i].op].arity;
        for (int k = 0; k < arity; k++) in[k] = value[p->code[i].in[k]];
        *status = stria_apply(p->code[i].op, in, arity, &value[first + i], NULL);
    }
    result = stria_tensor_retain(value[first + p->e.n_code - 1]);
    for (int k = 0; k < first + p->e.n_code; k++) stria_tensor_release(value[k]);
    return result;
}

static void check_equal(const stria_tensor *got, const stria_tensor *expected, const char *what, uint64_t seed)
{
    const int         ndim = stria_tensor_get_ndim(expected);
    const stria_dtype dtype = stria_tensor_get_dtype(expected);
    int64_t           index[STRIA_MAX_DIMS] = {0}, wrong = 0;

    CHECK(stria_tensor_get_dtype(got) == dtype && stria_tensor_get_ndim(got) == ndim &&
              memcmp(stria_tensor_get_shape(got), stria_tensor_get_shape(expected), (size_t)ndim * sizeof(int64_t)) ==
                  0,
          "%s, seed %llu: dtype or shape", what, (unsigned long long)seed);
    if (stria_tensor_get_numel(expected) == 0) return;
    do wrong += !value_same(dtype, tensor_at(got, index), tensor_at(expected, index));
    while (index_next(ndim, stria_tensor_get_shape(expected), index));
    CHECK(wrong == 0, "%s, seed %llu: %lld wrong", what, (unsigned long long)seed, (long long)wrong);
}

/* Into a copy of the right shape, then into an input of the same shape and dtype. */
static void test_out(random_program *p, const stria_tensor *expected, uint64_t seed)
{
    stria_tensor *y = NULL;

    CHECK_STATUS(stria_tensor_new(stria_tensor_get_dtype(expected), stria_tensor_get_ndim(expected),
                                  stria_tensor_get_shape(expected), &y, NULL),
                 STRIA_OK);
    CHECK_STATUS(stria_expression_apply_out(&p->e, (const stria_tensor *const *)p->in, y, NULL), STRIA_OK);
    check_equal(y, expected, "out", seed);
    stria_tensor_release(y);
    if (stria_tensor_get_dtype(p->in[0]) != stria_tensor_get_dtype(expected) ||
        stria_tensor_get_ndim(p->in[0]) != stria_tensor_get_ndim(expected))
        return;
    for (int d = 0; d < stria_tensor_get_ndim(expected); d++)
        if (stria_tensor_get_shape(p->in[0])[d] != stria_tensor_get_shape(expected)[d] ||
            (stria_tensor_get_strides(p->in[0])[d] == 0))
            return;
    CHECK_STATUS(stria_expression_apply_out(&p->e, (const stria_tensor *const *)p->in, p->in[0], NULL), STRIA_OK);
    check_equal(p->in[0], expected, "in place", seed);
}

static int64_t test_random_program(uint64_t seed)
{
    random_state   random = {seed};
    random_program p;
    stria_status   one_by_one, status;
    stria_tensor  *y = NULL;

    program_init(&p, &random);
    stria_tensor *expected = run_one_by_one(&p, &one_by_one);
    status = stria_expression_apply(&p.e, (const stria_tensor *const *)p.in, &y, NULL);
    if (status != STRIA_ERR_UNSUPPORTED || one_by_one == STRIA_ERR_UNSUPPORTED) {
        CHECK(status == one_by_one, "seed %llu: %s, one by one %s", (unsigned long long)seed,
              stria_status_get_name(status), stria_status_get_name(one_by_one));
    }
    if (status == STRIA_OK && one_by_one == STRIA_OK) {
        check_equal(y, expected, "program", seed);
        test_out(&p, expected, seed);
    }
    CHECK((status == STRIA_OK) == (y != NULL), "a result exactly if all is well");
    stria_tensor_release(y);
    stria_tensor_release(expected);
    program_release(&p);
    return status == STRIA_OK;
}

/* ---------------------------------------------------------------- refusals */

static void check_refused(const stria_expression *e, const stria_tensor *const *in, stria_status expected,
                          const char *words)
{
    stria_tensor *y = (stria_tensor *)(uintptr_t)1;
    stria_error   err;

    CHECK_STATUS(stria_expression_apply(e, in, &y, &err), expected);
    CHECK(y == NULL && strstr(err.message, words) != NULL, "%s", err.message);
}

static void test_refusals(void)
{
    stria_instruction code[STRIA_EXPRESSION_MAX_CODE];
    const int64_t     shape[1] = {3}, other[1] = {4};
    stria_tensor     *x = NULL, *y = NULL;
    stria_error       err;
    stria_expression  e = {2, 0, 1, NULL, code};

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, shape, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, other, &y, NULL), STRIA_OK);
    const stria_tensor *in[2] = {x, y}, *missing[2] = {x, NULL};
    code[0] = (stria_instruction){STRIA_OP_add, {0, 1, 0}};
    check_refused(&e, in, STRIA_ERR_SHAPE, "[3]");
    check_refused(&e, missing, STRIA_ERR_ARGUMENT, "NULL");
    code[0].in[1] = 2;
    check_refused(&e, in, STRIA_ERR_ARGUMENT, "does not exist");
    code[0].in[1] = -1;
    check_refused(&e, in, STRIA_ERR_ARGUMENT, "does not exist");
    code[0] = (stria_instruction){STRIA_OP_bitwise_and, {0, 0, 0}};
    check_refused(&e, in, STRIA_ERR_DTYPE, "bitwise_and");
    code[0].op = (stria_op)STRIA_OP_COUNT;
    check_refused(&e, in, STRIA_ERR_ARGUMENT, "no such op");
    e.n_in = 8;
    check_refused(&e, in, STRIA_ERR_ARGUMENT, "1 to 7");
    e.n_in = 2;
    e.n_code = 65;
    check_refused(&e, in, STRIA_ERR_ARGUMENT, "1 to 64");
    e.n_code = 0;
    check_refused(&e, in, STRIA_ERR_ARGUMENT, "1 to 64");
    e.n_code = 1;
    e.n_constants = 33;
    check_refused(&e, in, STRIA_ERR_ARGUMENT, "0 to 32");
    check_refused(NULL, in, STRIA_ERR_ARGUMENT, "1 to 7");
    e.n_constants = 0;
    CHECK_STATUS(stria_expression_apply(&e, in, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_expression_apply_out(&e, in, NULL, &err), STRIA_ERR_ARGUMENT);

    /* twenty values that are all needed at the end */
    e.n_code = 0;
    for (int i = 0; i < 20; i++) code[e.n_code++] = (stria_instruction){STRIA_OP_exp, {i == 0 ? 0 : i + 1}};
    for (int i = 0; i < 19; i++) code[e.n_code++] = (stria_instruction){STRIA_OP_add, {2 + i, i == 0 ? 21 : 21 + i}};
    check_refused(&e, in, STRIA_ERR_UNSUPPORTED, "16");
    stria_tensor_release(x);
    stria_tensor_release(y);
}

SUITE(test_expression)
{
    int64_t ran = 0;

    check_isa("test_expression");
    test_formula(STRIA_F64, 1e-15);
    test_formula(STRIA_F32, 4e-7);
    test_formula(STRIA_F16, 3e-3);
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        CHECK_STATUS(stria_threads_set(1 + (int)(seed % 3), NULL), STRIA_OK);
        ran += test_random_program(seed);
    }
    CHECK(ran > 400, "only %lld programs were free of errors", (long long)ran);
    printf("  %lld of 4000 random programs are well typed\n", (long long)ran);
    test_refusals();
    CHECK(stria_memory_get_stats().live_tensors == 0, "tensors left");
    return check_finish("test_expression");
}
