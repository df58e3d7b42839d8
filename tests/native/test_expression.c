/* test_expression.c - values of expressions: a formula in long double; random programs against one op after another, of any
 * size, with dead code, cached and not, with out= and in place. */
#include <math.h>
#include <string.h>

#include "oracle.h"

#define MAX_CODE 60
#define MAX_INPUTS 14
#define MAX_CONSTANTS 4

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
    const int64_t                  shape[2] = {37, 90};
    stria_expression              *e = NULL;
    random_state                   random = {5};
    stria_tensor                  *a = NULL, *b = NULL, *y = NULL;
    int64_t                        index[2] = {0, 0}, wrong = 0;

    CHECK_STATUS(stria_tensor_new(dtype, 2, shape, &a, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(dtype, 1, shape + 1, &b, NULL), STRIA_OK);
    for (int64_t k = 0; k < 37 * 90; k++)
        value_set(dtype, value_from_real(random_unit(&random) * 8 - 4), tensor_at(a, (int64_t[2]){k / 90, k % 90}));
    for (int64_t k = 0; k < 90; k++) value_set(dtype, value_from_real(random_unit(&random)), tensor_at(b, &k));
    CHECK_STATUS(stria_expression_new(2, constants, 2, code, 5, &e, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *[]){a, b}, 2, &y, NULL), STRIA_OK);
    stria_expression_release(e);
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
    stria_expression *e;
    int               n_in, n_constants, n_code;
    stria_scalar      constants[MAX_CONSTANTS];
    stria_instruction code[MAX_CODE];
    stria_tensor     *in[MAX_INPUTS];
    int               ndim;
    int64_t           shape[3];
} random_program;

static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_I32,  STRIA_U8, STRIA_BOOL,
                                     STRIA_F16, STRIA_I64, STRIA_BF16, STRIA_I8, STRIA_U64};

static stria_instruction random_instruction(random_state *random, int n_values, int n_in, bool is_first)
{
    stria_instruction instruction = {.op = (stria_op)(random_next(random) % STRIA_OP_COUNT)};

    /* They read the sign of a NaN, which is open (docs/semantics.md). */
    if (instruction.op == STRIA_OP_signbit || instruction.op == STRIA_OP_copysign) instruction.op = STRIA_OP_abs;
    for (int k = 0; k < 3; k++) { /* mostly what is new */
        instruction.in[k] = (int)(random_next(random) % (uint64_t)n_values);
        if (random_next(random) % 2 && !is_first) instruction.in[k] = n_values - 1;
        if (random_next(random) % 4 == 0) instruction.in[k] = (int)(random_next(random) % (uint64_t)n_in);
    }
    return instruction;
}

/* Values that are all needed at the end: a tree, from its leaves. */
static void make_wide(random_program *p, random_state *random)
{
    static const stria_op leaves[] = {STRIA_OP_sigmoid, STRIA_OP_square, STRIA_OP_exp, STRIA_OP_abs};
    const int             half = 1 + p->n_code / 2, first = p->n_in + p->n_constants;

    p->n_code = 2 * half - 1;
    for (int i = 0; i < half; i++) p->code[i] = (stria_instruction){leaves[random_next(random) % 4], {i % p->n_in}};
    for (int i = half; i < p->n_code; i++)
        p->code[i] = (stria_instruction){STRIA_OP_add, {first + 2 * (i - half), first + 2 * (i - half) + 1}};
}

static void program_init(random_program *p, random_state *random)
{
    static const int64_t sizes[] = {0, 1, 3, 17, 300, 1100};

    p->n_in = 1 + (int)(random_next(random) % (random_next(random) % 8 ? 4 : MAX_INPUTS));
    p->n_constants = (int)(random_next(random) % MAX_CONSTANTS);
    p->n_code = 1 + (int)(random_next(random) % (random_next(random) % 8 ? 24 : MAX_CODE - 1));
    p->ndim = (int)(random_next(random) % 3);
    for (int d = 0; d < p->ndim; d++) p->shape[d] = sizes[random_next(random) % 6 % (d ? 4 : 6)];
    const uint64_t few = 1 + random_next(random) % 10;
    const bool     is_plain = random_next(random) % 3 == 0;
    for (int k = 0; k < p->n_in; k++)
        p->in[k] = tensor_random(random, dtypes[random_next(random) % few],
                                 is_plain ? (layout)0 : (layout)(random_next(random) % LAYOUT_COUNT), p->ndim, p->shape,
                                 -3, 3);
    for (int k = 0; k < p->n_constants; k++)
        p->constants[k] = random_next(random) % 2 ? (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 2}
                                                  : (stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = -0.75};
    for (int i = 0; i < p->n_code; i++)
        p->code[i] = random_instruction(random, p->n_in + p->n_constants + i, p->n_in, i == 0);
    if (random_next(random) % 5 == 0) make_wide(p, random);
    CHECK_STATUS(stria_expression_new(p->n_in, p->constants, p->n_constants, p->code, p->n_code, &p->e, NULL),
                 STRIA_OK);
}

static void program_release(random_program *p)
{
    for (int k = 0; k < p->n_in; k++) stria_tensor_release(p->in[k]);
    stria_expression_release(p->e);
}

/* One op after another; *status is the first failure. */
static stria_tensor *run_one_by_one(const random_program *p, stria_status *status)
{
    stria_tensor *value[MAX_INPUTS + MAX_CONSTANTS + MAX_CODE] = {NULL}, *result;
    const int     first = p->n_in + p->n_constants;

    *status = STRIA_OK;
    for (int k = 0; k < p->n_in; k++) value[k] = stria_tensor_retain(p->in[k]);
    for (int k = 0; k < p->n_constants; k++)
        CHECK_STATUS(stria_tensor_new_scalar(p->constants[k], &value[p->n_in + k], NULL), STRIA_OK);
    for (int i = 0; i < p->n_code && *status == STRIA_OK; i++) {
        const stria_tensor *in[3];
        const int           arity = oracle_ops[p->code[i].op].arity;
        for (int k = 0; k < arity; k++) in[k] = value[p->code[i].in[k]];
        *status = stria_apply(p->code[i].op, in, arity, &value[first + i], NULL);
    }
    result = stria_tensor_retain(value[first + p->n_code - 1]);
    for (int k = 0; k < first + p->n_code; k++) stria_tensor_release(value[k]);
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
    CHECK_STATUS(stria_expression_apply_out(p->e, (const stria_tensor *const *)p->in, p->n_in, y, NULL), STRIA_OK);
    check_equal(y, expected, "out", seed);
    stria_tensor_release(y);
    if (stria_tensor_get_dtype(p->in[0]) != stria_tensor_get_dtype(expected) ||
        stria_tensor_get_ndim(p->in[0]) != stria_tensor_get_ndim(expected))
        return;
    for (int d = 0; d < stria_tensor_get_ndim(expected); d++)
        if (stria_tensor_get_shape(p->in[0])[d] != stria_tensor_get_shape(expected)[d] ||
            (stria_tensor_get_strides(p->in[0])[d] == 0))
            return;
    CHECK_STATUS(stria_expression_apply_out(p->e, (const stria_tensor *const *)p->in, p->n_in, p->in[0], NULL),
                 STRIA_OK);
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
    status = stria_expression_apply(p.e, (const stria_tensor *const *)p.in, p.n_in, &y, NULL);
    CHECK(status == one_by_one, "seed %llu: %s, one by one %s", (unsigned long long)seed, stria_status_get_name(status),
          stria_status_get_name(one_by_one));
    if (status == STRIA_OK && one_by_one == STRIA_OK) {
        stria_tensor *again = NULL;
        check_equal(y, expected, "program", seed);
        CHECK_STATUS(stria_expression_apply(p.e, (const stria_tensor *const *)p.in, p.n_in, &again, NULL), STRIA_OK);
        check_equal(again, expected, "compiled before", seed);
        stria_tensor_release(again);
        test_out(&p, expected, seed);
    }
    CHECK((status == STRIA_OK) == (y != NULL), "a result exactly if all is well");
    stria_tensor_release(y);
    stria_tensor_release(expected);
    program_release(&p);
    return status == STRIA_OK;
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
    CHECK(stria_memory_get_stats().live_tensors == 0, "tensors left");
    return check_finish("test_expression");
}
