/* test_ops.c - every row of ops.def against the oracles of samples.def: the loops (ops_kernels.c), then the public
 * calls over every dtype, pair of dtypes and layout; out=, in-place, overlap, wrapped numbers, refusals. */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "ops_kernels.h"

/* ---------------------------------------------------------------- one result against the oracle */

static stria_dtype common_dtype(const oracle_op *op, const stria_tensor *const *in)
{
    const int   first = op->rule == ORACLE_SELECT;
    stria_dtype common = stria_tensor_get_dtype(in[first]);
    for (int k = first + 1; k < op->arity; k++) common = oracle_promote(common, stria_tensor_get_dtype(in[k]));
    if (op->rule == ORACLE_FLOAT && !dtype_is_float(common) && !dtype_is_complex(common)) common = STRIA_F32;
    return common;
}

/* Checks every element of y = op(in) where loops compute in `compute`. */
static void check_elements(const oracle_op *op, stria_dtype compute, const stria_tensor *const *in,
                           const stria_tensor *y, const char *what)
{
    const int         ndim = stria_tensor_get_ndim(y);
    const int64_t    *shape = stria_tensor_get_shape(y);
    const stria_dtype result = stria_tensor_get_dtype(y);
    int64_t           index[STRIA_MAX_DIMS] = {0};
    int               wrong = 0;

    if (stria_tensor_get_numel(y) == 0) return;
    do {
        value v[STRIA_MAX_INPUTS];
        char  text[96] = "", got[48], shown[3][48] = {"", "", ""};
        memset(v, 0, sizeof v);
        for (int k = 0; k < op->arity; k++) {
            const stria_dtype dtype = stria_tensor_get_dtype(in[k]);
            const char       *at = tensor_at_broadcast(in[k], ndim, index);
            v[k] = value_convert(value_get(dtype, at), oracle_input_dtype(op, k, compute));
        }
        const char *at = tensor_at(y, index);
        if (oracle_check(op, compute, v, result, at, text, sizeof text)) continue;
        for (int k = 0; k < op->arity; k++)
            value_print(stria_tensor_get_dtype(in[k]), tensor_at_broadcast(in[k], ndim, index), shown[k],
                        sizeof shown[k]);
        CHECK(wrong++ > 2, "%s %s: (%s, %s, %s) = %s, expected %s", op->name, what, shown[0], shown[1], shown[2],
              value_print(result, at, got, sizeof got), text);
    } while (index_next(ndim, shape, index));
    CHECK(wrong == 0, "%s %s: %d wrong elements", op->name, what, wrong);
}

static void release_all(stria_tensor **x, int n)
{
    for (int k = 0; k < n; k++) stria_tensor_release(x[k]);
}

/* Runs the row on fresh inputs of the given dtypes and layouts and checks status, dtype, shape and elements. */
static void check_call(stria_op number, const stria_dtype *dtypes, const layout *layouts, int ndim,
                       const int64_t *shape, random_state *random, const char *what)
{
    const oracle_op    *op = &oracle_ops[number];
    stria_tensor       *in[STRIA_MAX_INPUTS] = {NULL}, *y = NULL;
    const stria_tensor *view[STRIA_MAX_INPUTS];
    stria_error         err = {0};

    for (int k = 0; k < op->arity; k++) {
        in[k] = tensor_random(random, dtypes[k], layouts[k], ndim, shape, op->low, op->high);
        view[k] = in[k];
        if (!in[k]) return release_all(in, k);
    }
    const stria_dtype  common = common_dtype(op, view), compute = oracle_compute(common);
    const stria_status status = stria_apply(number, view, op->arity, &y, &err);
    if (!oracle_op_has(op, compute)) {
        CHECK(status == STRIA_ERR_DTYPE, "%s %s on %s: %s", op->name, what, stria_dtype_get_name(dtypes[0]),
              stria_status_get_name(status));
        CHECK(y == NULL && err.message[0], "%s %s: a refusal without a message", op->name, what);
    } else {
        CHECK(status == STRIA_OK, "%s %s: %s", op->name, what, err.message);
    }
    if (status == STRIA_OK && y) {
        const stria_dtype result = op->rule == ORACLE_BOOL ? STRIA_BOOL : common;
        CHECK(stria_tensor_get_dtype(y) == result, "%s %s: dtype %s, expected %s", op->name, what,
              stria_dtype_get_name(stria_tensor_get_dtype(y)), stria_dtype_get_name(result));
        check_elements(op, compute, view, y, what);
    }
    stria_tensor_release(y);
    release_all(in, op->arity);
}

/* ---------------------------------------------------------------- dtypes and layouts */

/* Every layout, or one of STRIA_OPS_LAYOUTS, others for each op, dtype and shape, where emulators are slow. */
static void test_layouts(void)
{
    const char *part = !check_is_full() ? getenv("STRIA_OPS_LAYOUTS") : NULL;
    const int   step = part != NULL && atoi(part) > 0 ? atoi(part) : 1;
    static const struct {
        int     ndim;
        int64_t shape[8];
    } shapes[] = {
        {0, {0}}, {1, {37}}, {2, {5, 19}}, {2, {40, 3}}, {3, {2, 0, 3}}, {3, {3, 4, 5}}, {7, {2, 1, 2, 3, 1, 2, 3}},
    };
    random_state random = {7};
    for (int op = 0; op < STRIA_OP_COUNT; op++) {
        for (int d = 0; d <= STRIA_F64; d++) {
            for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
                for (int a = (op + d + (int)s) % step; a < LAYOUT_COUNT; a += step) {
                    /* in every place, beside contiguous and beside another kind */
                    for (int turn = 0; turn < oracle_ops[op].arity + (oracle_ops[op].arity > 1); turn++) {
                        stria_dtype dtypes[3];
                        layout      layouts[3];
                        for (int k = 0; k < 3; k++) {
                            dtypes[k] = oracle_ops[op].rule == ORACLE_SELECT && k == 0 ? STRIA_BOOL : (stria_dtype)d;
                            layouts[k] = k == turn ? (layout)a : LAYOUT_CONTIGUOUS;
                            if (turn == oracle_ops[op].arity) layouts[k] = (layout)((a + 2 * k) % LAYOUT_COUNT);
                        }
                        check_call((stria_op)op, dtypes, layouts, shapes[s].ndim, shapes[s].shape, &random,
                                   layout_names[a]);
                    }
                }
            }
        }
    }
}

/* Every pair of dtypes, contiguous and transposed; longer than the buffers that convert. */
static void test_mixed_dtypes(void)
{
    static const int64_t shape[] = {3, 41};
    random_state         random = {8};
    for (int op = 0; op < STRIA_OP_COUNT; op++) {
        if (oracle_ops[op].arity < 2) continue;
        for (int a = 0; a <= STRIA_F64; a++) {
            for (int b = 0; b <= STRIA_F64; b++) {
                const bool        select = oracle_ops[op].rule == ORACLE_SELECT;
                const stria_dtype dtypes[] = {select ? STRIA_BOOL : (stria_dtype)a,
                                              select ? (stria_dtype)a : (stria_dtype)b, (stria_dtype)b};
                const layout plain[] = {LAYOUT_CONTIGUOUS, LAYOUT_CONTIGUOUS, LAYOUT_CONTIGUOUS};
                const layout other[] = {LAYOUT_TRANSPOSED, LAYOUT_ROW, LAYOUT_FLIPPED};
                check_call((stria_op)op, dtypes, plain, 2, shape, &random, "mixed dtypes");
                check_call((stria_op)op, dtypes, other, 2, shape, &random, "mixed dtypes and layouts");
            }
        }
    }
}

/* Long enough for several blocks and threads, in every dtype. */
static void test_long(void)
{
    static const stria_op ops[] = {STRIA_OP_add, STRIA_OP_lt, STRIA_OP_where, STRIA_OP_exp};
    static const int64_t  flat[] = {70001}, wide[] = {300, 251}, rows[] = {7, 3001};
    static const layout   plain[3] = {LAYOUT_CONTIGUOUS, LAYOUT_CONTIGUOUS, LAYOUT_CONTIGUOUS};
    static const layout   mixed[3] = {LAYOUT_TRANSPOSED, LAYOUT_STEPPED, LAYOUT_ROW};
    static const layout   columns[3] = {LAYOUT_COLUMN, LAYOUT_STEPPED, LAYOUT_COLUMN};
    random_state          random = {9};
    for (size_t k = 0; k < sizeof ops / sizeof ops[0]; k++) {
        for (int d = 0; d <= STRIA_F64; d++) {
            const bool        select = ops[k] == STRIA_OP_where;
            const stria_dtype dtypes[] = {select ? STRIA_BOOL : (stria_dtype)d, (stria_dtype)d, (stria_dtype)d};
            check_call(ops[k], dtypes, plain, 1, flat, &random, "long");
            check_call(ops[k], dtypes, mixed, 2, wide, &random, "long, strided");
            check_call(ops[k], dtypes, columns, 2, rows, &random, "long rows, one value in each");
        }
    }
}

/* ---------------------------------------------------------------- wrapped numbers */

static void test_wrapped_numbers(void)
{
    static const struct {
        stria_dtype  dtype;
        stria_scalar number;
        stria_dtype  sum, quotient;
    } cases[] = {
        {STRIA_F32, {STRIA_SCALAR_FLOAT, 0, 0.1, 0}, STRIA_F32, STRIA_F32},
        {STRIA_F16, {STRIA_SCALAR_FLOAT, 0, 0.1, 0}, STRIA_F16, STRIA_F16},
        {STRIA_BF16, {STRIA_SCALAR_INT, 3, 0, 0}, STRIA_BF16, STRIA_BF16},
        {STRIA_F64, {STRIA_SCALAR_FLOAT, 0, 0.1, 0}, STRIA_F64, STRIA_F64},
        {STRIA_I32, {STRIA_SCALAR_FLOAT, 0, 2.5, 0}, STRIA_F32, STRIA_F32},
        {STRIA_I32, {STRIA_SCALAR_INT, -7, 0, 0}, STRIA_I32, STRIA_F32},
        {STRIA_U8, {STRIA_SCALAR_INT, 300, 0, 0}, STRIA_U8, STRIA_F32},
        {STRIA_U64, {STRIA_SCALAR_INT, 5, 0, 0}, STRIA_U64, STRIA_F32},
        {STRIA_BOOL, {STRIA_SCALAR_INT, 5, 0, 0}, STRIA_I64, STRIA_F32},
        {STRIA_I8, {STRIA_SCALAR_BOOL, 1, 0, 0}, STRIA_I8, STRIA_F32},
    };
    random_state random = {10};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        static const int64_t shape[] = {45};
        stria_tensor        *x = tensor_random(&random, cases[k].dtype, LAYOUT_CONTIGUOUS, 1, shape, -50, 50);
        stria_tensor        *number = NULL, *y = NULL;
        CHECK_STATUS(stria_tensor_new_scalar(cases[k].number, &number, NULL), STRIA_OK);
        const stria_tensor *in[] = {x, number};
        CHECK_STATUS(stria_add(x, number, &y, NULL), STRIA_OK);
        if (y) {
            CHECK(stria_tensor_get_dtype(y) == cases[k].sum, "case %d: %s", (int)k,
                  stria_dtype_get_name(stria_tensor_get_dtype(y)));
            check_elements(&oracle_ops[STRIA_OP_add], oracle_compute(cases[k].sum), in, y, "wrapped number");
        }
        stria_tensor_release(y);
        y = NULL;
        CHECK_STATUS(stria_div(x, number, &y, NULL), STRIA_OK);
        CHECK(y && stria_tensor_get_dtype(y) == cases[k].quotient, "case %d: quotient", (int)k);
        stria_tensor_release(y);
        stria_tensor_release(number);
        stria_tensor_release(x);
    }
}

/* ---------------------------------------------------------------- out= and in-place */

static void test_out(void)
{
    static const int64_t shape[] = {6, 11}, small[] = {2};
    random_state         random = {11};
    for (int d = STRIA_U8; d <= STRIA_F64; d++) {
        for (int o = 0; o <= STRIA_F64; o++) {
            stria_tensor       *a = tensor_random(&random, (stria_dtype)d, LAYOUT_TRANSPOSED, 2, shape, -50, 50);
            stria_tensor       *b = tensor_random(&random, (stria_dtype)d, LAYOUT_ROW, 2, shape, -50, 50), *out = NULL;
            const stria_tensor *in[] = {a, b};
            const bool          legal = oracle_castable((stria_dtype)d, (stria_dtype)o);
            stria_error         err = {0};
            CHECK_STATUS(stria_tensor_new((stria_dtype)o, 1, small, &out, NULL), STRIA_OK);
            const stria_status status = stria_apply_out(STRIA_OP_sub, in, 2, out, &err);
            CHECK(status == (legal ? STRIA_OK : STRIA_ERR_DTYPE), "sub %s out=%s: %s",
                  stria_dtype_get_name((stria_dtype)d), stria_dtype_get_name((stria_dtype)o),
                  stria_status_get_name(status));
            if (legal && status == STRIA_OK) {
                CHECK(stria_tensor_get_ndim(out) == 2 && stria_tensor_get_shape(out)[1] == 11, "out not resized");
                CHECK((int)stria_tensor_get_dtype(out) == o, "out changed its dtype");
                check_elements(&oracle_ops[STRIA_OP_sub], oracle_compute((stria_dtype)d), in, out, "out=");
            } else {
                CHECK(stria_tensor_get_ndim(out) == 1 && stria_tensor_get_shape(out)[0] == 2, "a refused out changed");
            }
            /* comparisons write to any dtype */
            CHECK_STATUS(stria_apply_out(STRIA_OP_le, in, 2, out, NULL), STRIA_OK);
            check_elements(&oracle_ops[STRIA_OP_le], oracle_compute((stria_dtype)d), in, out, "out=");
            stria_tensor_release(out);
            release_all((stria_tensor *[]){a, b}, 2);
        }
    }
}

/* x op= b for every row: the result is written over x, whose shape stays. */
static void test_in_place(void)
{
    static const int64_t shape[] = {7, 23};
    random_state         random = {12};
    for (int op = 0; op < STRIA_OP_COUNT; op++) {
        const oracle_op *row = &oracle_ops[op];
        for (int d = 0; d <= STRIA_F64; d++) {
            for (int l = 0; l <= LAYOUT_STEPPED; l++) {
                const int           target = row->rule == ORACLE_SELECT; /* the operand that is overwritten */
                stria_tensor       *in[3] = {NULL}, *before = NULL;
                const stria_tensor *now[3], *old[3];
                for (int k = 0; k < row->arity; k++) {
                    const stria_dtype dtype = k < target ? STRIA_BOOL : (stria_dtype)d;
                    in[k] = tensor_random(&random, dtype, k == target ? (layout)l : LAYOUT_ROW, 2, shape, row->low,
                                          row->high);
                    now[k] = old[k] = in[k];
                }
                const stria_dtype common = common_dtype(row, now), compute = oracle_compute(common);
                const bool        exists = oracle_op_has(row, compute);
                const bool legal = exists && (row->rule == ORACLE_BOOL || oracle_castable(common, (stria_dtype)d));
                CHECK_STATUS(stria_tensor_copy(in[target], (stria_dtype)d, &before, NULL), STRIA_OK);
                old[target] = before;
                const stria_status status = stria_apply_out((stria_op)op, now, row->arity, in[target], NULL);
                CHECK(status == (legal ? STRIA_OK : STRIA_ERR_DTYPE), "%s.%s in place: %s", row->name,
                      stria_dtype_get_name((stria_dtype)d), stria_status_get_name(status));
                if (status == STRIA_OK && before) check_elements(row, compute, old, in[target], "in place");
                stria_tensor_release(before);
                release_all(in, row->arity);
            }
        }
    }
}

static void test_overlap(void)
{
    static const int64_t shape[] = {10}, square[] = {4, 4}, one[] = {1};
    stria_tensor        *x = NULL, *a = NULL, *b = NULL, *c = NULL, *t = NULL, *m = NULL;
    random_state         random = {13};

    x = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 1, shape, -5, 5);
    CHECK_STATUS(stria_slice(x, 0, 0, 9, 1, &a, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(x, 0, 1, 10, 1, &b, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(x, 0, 0, 9, 1, &c, NULL), STRIA_OK);
    const stria_tensor *shifted[] = {b, b}, *exact[] = {c, c};
    CHECK_STATUS(stria_apply_out(STRIA_OP_add, shifted, 2, a, NULL), STRIA_ERR_OVERLAP);
    CHECK_STATUS(stria_apply_out(STRIA_OP_add, exact, 2, a, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(a, b, NULL), STRIA_ERR_OVERLAP);

    /* a transposed view of the output itself */
    m = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 2, square, -5, 5);
    CHECK_STATUS(stria_transpose(m, 0, 1, &t, NULL), STRIA_OK);
    const stria_tensor *transposed[] = {t, t};
    CHECK_STATUS(stria_apply_out(STRIA_OP_add, transposed, 2, m, NULL), STRIA_ERR_OVERLAP);
    stria_tensor_release(t);
    t = NULL;

    /* several elements of the output at one address */
    stria_tensor *single = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 1, one, -5, 5), *wide = NULL;
    CHECK_STATUS(stria_expand(single, shape, 1, &wide, NULL), STRIA_OK);
    const stria_tensor *whole[] = {x, x};
    CHECK_STATUS(stria_apply_out(STRIA_OP_add, whole, 2, wide, NULL), STRIA_ERR_OVERLAP);
    release_all((stria_tensor *[]){x, a, b, c, m, single, wide}, 7);
}

/* ---------------------------------------------------------------- refusals leave everything as it was */

/* The rows of complex numbers; the condition of where is none. */
static bool takes_complex(stria_op op)
{
    static const bool rows[STRIA_OP_COUNT] = {
#define COMPLEX(name, result, arity, expression) [STRIA_OP_##name] = true,
#include "table/complex.def"
    };
    return rows[op] && op != STRIA_OP_where;
}

static void test_refusals(void)
{
    static const int64_t two_three[] = {2, 3}, four[] = {4}, one_three[] = {1, 3};
    random_state         random = {14};
    stria_tensor        *a = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 2, two_three, -5, 5);
    stria_tensor        *b = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 1, four, -5, 5);
    stria_tensor        *c = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 2, one_three, -5, 5);
    stria_tensor        *z = tensor_random(&random, STRIA_C64, LAYOUT_CONTIGUOUS, 1, four, -5, 5), *y = a;
    const stria_tensor  *in[] = {a, b}, *grow[] = {c, a};
    stria_error          err = {0};

    CHECK_STATUS(stria_add(a, b, &y, &err), STRIA_ERR_SHAPE);
    CHECK(y == NULL, "a failed call wrote a result");
    CHECK(err.code == STRIA_ERR_SHAPE && strcmp(err.op, "add") == 0, "the error names %s", err.op);
    CHECK(strstr(err.message, "[2,3]") && strstr(err.message, "[4]"), "the message is: %s", err.message);
    CHECK_STATUS(stria_apply(STRIA_OP_add, in, 1, &y, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_apply((stria_op)STRIA_OP_COUNT, in, 2, &y, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_apply(STRIA_OP_add, in, 2, NULL, NULL), STRIA_ERR_ARGUMENT);
    in[1] = NULL;
    CHECK_STATUS(stria_apply(STRIA_OP_add, in, 2, &y, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_apply_out(STRIA_OP_add, grow, 2, c, &err), STRIA_ERR_SHAPE);
    CHECK(stria_tensor_get_shape(c)[0] == 1, "an in-place call changed a shape");
    for (int op = 0; op < STRIA_OP_COUNT; op++) {
        const stria_tensor *complex_in[] = {z, z, z};
        CHECK_STATUS(stria_apply((stria_op)op, complex_in, oracle_ops[op].arity, &y, &err),
                     takes_complex((stria_op)op) ? STRIA_OK : STRIA_ERR_DTYPE);
        stria_tensor_release(y);
    }
    CHECK_STATUS(stria_where(a, a, a, &y, &err), STRIA_ERR_DTYPE);
    release_all((stria_tensor *[]){a, b, c, z}, 4);
}

/* Shape and dtype without memory. */
static void test_meta(void)
{
    static const int64_t huge[] = {1 << 20, 1 << 20, 1 << 10};
    stria_tensor        *x = NULL, *y = NULL;
    CHECK_STATUS(stria_empty(huge, 3, STRIA_I16, STRIA_META, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_div(x, x, &y, NULL), STRIA_OK);
    if (y) {
        CHECK(stria_tensor_get_device(y).type == STRIA_DEVICE_META && !stria_tensor_get_data(y),
              "a meta result has memory");
        CHECK(stria_tensor_get_dtype(y) == STRIA_F32 && stria_tensor_get_shape(y)[2] == 1 << 10,
              "meta dtype and shape");
    }
    stria_tensor_release(y);
    stria_tensor_release(x);
}

SUITE(test_ops)
{
    check_isa("test_ops");
    check_kernels();
    test_layouts();
    test_mixed_dtypes();
    test_long();
    test_wrapped_numbers();
    test_out();
    test_in_place();
    test_overlap();
    test_refusals();
    test_meta();
    return check_finish("test_ops");
}
