/* test_numbers.c - rows of ops.def with numbers: as functions they are the op with filled tensors, whatever the dtype, into new,
 * given and own tensors; numbers take no part in promotion; what is refused, and by which names. Then the composites of
 * compose/element.c against loops in double. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "call/call.h"
#include "oracle.h"
#include "table/rows.h"

static const int64_t SHAPE[] = {3, 7};

static stria_scalar real(double value) { return (stria_scalar){STRIA_SCALAR_FLOAT, 0, value, 0}; }
static stria_scalar whole(int64_t value) { return (stria_scalar){STRIA_SCALAR_INT, value, 0, 0}; }

/* ---------------------------------------------------------------- every row, by its schema */

/* The function that a row of ops.def with numbers is. */
static const stria_schema *find_function(const char *name, stria_function *function)
{
    for (int f = 0; f < STRIA_FN_COUNT; f++) {
        const stria_schema *schema = stria_schema_get((stria_function)f);
        if (strcmp(schema->name, name) != 0) continue;
        *function = (stria_function)f;
        return schema;
    }
    return NULL;
}

/* Writes number k, and makes a tensor of `dtype` that is filled with it. */
static stria_tensor *set_number(const stria_schema *schema, int k, double value, stria_dtype dtype, char *attrs)
{
    const stria_param *param = &schema->attributes[k];
    const stria_scalar number = dtype_is_float(dtype) ? real(value) : whole((int64_t)value);
    stria_tensor      *filled = NULL;

    if (param->kind == STRIA_KIND_NUMBER)
        *(double *)(void *)(attrs + param->offset) = value;
    else
        *(stria_scalar *)(void *)(attrs + param->offset) = number;
    CHECK_STATUS(stria_full(SHAPE, 2, number, dtype, STRIA_CPU, &filled, NULL), STRIA_OK);
    return filled;
}

static void check_same(const char *name, const stria_tensor *y, const stria_tensor *expected, const char *what)
{
    int64_t index[STRIA_MAX_DIMS] = {0};

    CHECK(y && expected, "%s %s: no result", name, what);
    if (!y || !expected) return;
    const stria_dtype dtype = stria_tensor_get_dtype(expected);
    CHECK(stria_tensor_get_dtype(y) == dtype, "%s %s: %s, expected %s", name, what,
          stria_dtype_get_name(stria_tensor_get_dtype(y)), stria_dtype_get_name(dtype));
    if (stria_tensor_get_dtype(y) != dtype) return;
    do {
        CHECK(value_same(dtype, tensor_at(y, index), tensor_at(expected, index)), "%s %s of %s", name, what,
              stria_dtype_get_name(dtype));
    } while (index_next(2, SHAPE, index));
}

static void check_row(stria_op op, stria_dtype dtype)
{
    static const double  values[] = {0.75, 2};
    const stria_op_info *info = &stria_op_infos[op];
    const int            n_tensors = info->arity - info->n_numbers;
    stria_function       function = (stria_function)0;
    const stria_schema  *schema = find_function(info->name, &function);
    stria_any_attrs      attrs;
    stria_tensor        *in[STRIA_MAX_INPUTS] = {NULL}, *y = NULL, *expected = NULL;
    const stria_tensor  *view[STRIA_MAX_INPUTS];
    random_state         random = {(uint64_t)op * 100 + (uint64_t)dtype};
    const bool           to_float = info->result == STRIA_RESULT_FLOAT && !dtype_is_float(dtype);

    CHECK(schema != NULL && schema->n_attributes == info->n_numbers && schema->n_tensors == n_tensors,
          "%s is not the function of its row", info->name);
    if (!schema) return;
    for (int k = 0; k < info->arity; k++)
        view[k] = in[k] = k < n_tensors ? tensor_random(&random, dtype, LAYOUT_TRANSPOSED, 2, SHAPE, -2, 2)
                                        : set_number(schema, k - n_tensors, values[(k - n_tensors) % 2],
                                                     to_float ? STRIA_F32 : dtype, (char *)&attrs);
    CHECK_STATUS(stria_apply(op, view, info->arity, &expected, NULL), STRIA_OK);
    const stria_call call = {STRIA_ROW_OF_FUNCTION(function), 0, view, NULL, 0, &attrs, &y, NULL};
    CHECK_STATUS(stria_call_run(&call, NULL), STRIA_OK);
    check_same(info->name, y, expected, "new");
    if (y) CHECK_STATUS(stria_call_run(&call, NULL), STRIA_OK); /* y is given now */
    check_same(info->name, y, expected, "given");
    const stria_call own = {STRIA_ROW_OF_FUNCTION(function), 0, view, NULL, 0, &attrs, in, NULL};
    if (!to_float) {
        CHECK_STATUS(stria_call_run(&own, NULL), STRIA_OK);
        check_same(info->name, in[0], expected, "in place");
    }
    for (int k = 0; k < info->arity; k++) stria_tensor_release(in[k]);
    stria_tensor_release(y);
    stria_tensor_release(expected);
}

static void test_rows(void)
{
    int n_rows = 0;
    for (int op = 0; op < STRIA_OP_COUNT; op++) {
        if (stria_op_infos[op].n_numbers == 0) continue;
        n_rows++;
        for (int d = STRIA_U8; d <= STRIA_F64; d++) check_row((stria_op)op, (stria_dtype)d);
    }
    CHECK(n_rows > 0, "no row has numbers");
}

/* ---------------------------------------------------------------- dtypes and refusals */

static void test_dtypes(void)
{
    static const int64_t shape[] = {4};
    stria_tensor        *x = NULL, *y = NULL;
    stria_error          err = {0};

    CHECK_STATUS(stria_full(shape, 1, whole(-5), STRIA_I32, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_hardtanh(x, whole(-3), whole(3), &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_dtype(y) == STRIA_I32 &&
              value_get(STRIA_I32, stria_tensor_get_const_data(y)).whole == -3,
          "hardtanh of i32");
    stria_tensor_release(y);
    CHECK_STATUS(stria_hardtanh(x, whole(-3), real(2.5), &y, &err), STRIA_ERR_DTYPE);
    CHECK(strcmp(err.op, "hardtanh") == 0 && strcmp(err.argument, "max_val") == 0 && y == NULL &&
              strstr(err.message, "max_val must be an integer for operands of i32"),
          "a float for integers: %s", err.message);
    CHECK_STATUS(stria_threshold(x, whole(0), (stria_scalar){STRIA_SCALAR_COMPLEX, 0, 1, 1}, &y, &err),
                 STRIA_ERR_DTYPE);
    CHECK(strcmp(err.argument, "value") == 0, "a complex number: %s", err.message);
    CHECK_STATUS(stria_leaky_relu(x, 0.5, &y, NULL), STRIA_OK); /* i32 becomes f32 */
    CHECK(y && stria_tensor_get_dtype(y) == STRIA_F32 &&
              value_get(STRIA_F32, stria_tensor_get_const_data(y)).real == -2.5,
          "leaky_relu of i32");
    stria_tensor_release(y);
    CHECK_STATUS(stria_leaky_relu(NULL, 0.5, &y, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.op, "leaky_relu") == 0 && strcmp(err.argument, "a") == 0, "no tensor: %s", err.message);
    CHECK_STATUS(stria_leaky_relu_out(x, 0.5, x, &err), STRIA_ERR_DTYPE);
    CHECK(strcmp(err.op, "leaky_relu") == 0 && strcmp(err.argument, "out") == 0, "f32 into i32: %s", err.message);
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- composites */

static stria_tensor *tensor_of(stria_dtype dtype, int n, const double *values)
{
    const int64_t shape[] = {n};
    stria_tensor *x = NULL;
    CHECK_STATUS(stria_tensor_new(dtype, 1, shape, &x, NULL), STRIA_OK);
    for (int64_t k = 0; x && k < n; k++) value_set(dtype, value_from_real(values[k]), tensor_at(x, &k));
    return x;
}

static void check_values(const char *what, stria_tensor *y, stria_dtype dtype, int n, const double *expected)
{
    CHECK(y && stria_tensor_get_dtype(y) == dtype && stria_tensor_get_numel(y) == n, "%s: dtype or shape", what);
    for (int64_t k = 0; y && stria_tensor_get_dtype(y) == dtype && k < n; k++) {
        char want[16];
        value_set(dtype, value_from_real(expected[k]), want);
        CHECK(value_same(dtype, tensor_at(y, &k), want), "%s of %s: element %d is not %g", what,
              stria_dtype_get_name(dtype), (int)k, expected[k]);
    }
    stria_tensor_release(y);
}

static void test_addcmul(void)
{
    static const double a[] = {1, 2, 3}, b[] = {4, 5, 6}, c[] = {2, 4, 8};
    for (int d = STRIA_I32; d <= STRIA_F64; d++) {
        const stria_dtype dtype = (stria_dtype)d;
        stria_tensor *x = tensor_of(dtype, 3, a), *y = tensor_of(dtype, 3, b), *z = tensor_of(dtype, 3, c), *r = NULL;
        stria_error   err = {0};
        CHECK_STATUS(stria_addcmul(x, y, z, whole(3), &r, NULL), STRIA_OK);
        check_values("addcmul", r, dtype, 3, (const double[]){25, 62, 147});
        CHECK_STATUS(stria_addcmul(x, y, z, whole(1), &r, NULL), STRIA_OK);
        check_values("addcmul", r, dtype, 3, (const double[]){9, 22, 51});
        CHECK_STATUS(stria_addcdiv(x, y, z, -2, &r, NULL), STRIA_OK);
        check_values("addcdiv", r, dtype_is_float(dtype) ? dtype : STRIA_F32, 3, (const double[]){-3, -0.5, 1.5});
        if (!dtype_is_float(dtype)) {
            CHECK_STATUS(stria_addcmul(x, y, z, real(0.5), &r, &err), STRIA_ERR_DTYPE);
            CHECK(strcmp(err.op, "addcmul") == 0 && strcmp(err.argument, "value") == 0, "%s", err.message);
        }
        stria_tensor_release(x);
        stria_tensor_release(y);
        stria_tensor_release(z);
    }
}

static void test_nan_to_num(void)
{
    static const double values[] = {1, NAN, INFINITY, -INFINITY, -0.0, -7};
    static const struct {
        stria_dtype dtype;
        double      largest;
    } cases[] = {{STRIA_F16, 65504}, {STRIA_BF16, 0x1.fep127}, {STRIA_F32, FLT_MAX}, {STRIA_F64, DBL_MAX}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double  most = cases[k].largest;
        stria_tensor *x = tensor_of(cases[k].dtype, 6, values), *y = NULL;
        CHECK_STATUS(stria_nan_to_num(x, 0, NAN, NAN, &y, NULL), STRIA_OK);
        check_values("nan_to_num", y, cases[k].dtype, 6, (const double[]){1, 0, most, -most, -0.0, -7});
        CHECK_STATUS(stria_nan_to_num(x, 5, -INFINITY, 9, &y, NULL), STRIA_OK);
        check_values("nan_to_num", y, cases[k].dtype, 6, (const double[]){1, 5, -INFINITY, 9, -0.0, -7});
        CHECK_STATUS(stria_nan_to_num(x, NAN, 3, NAN, &y, NULL), STRIA_OK);
        check_values("nan_to_num", y, cases[k].dtype, 6, (const double[]){1, NAN, 3, -most, -0.0, -7});
        CHECK_STATUS(stria_nan_to_num_out(x, 2, NAN, NAN, x, NULL), STRIA_OK);
        check_values("nan_to_num", x, cases[k].dtype, 6, (const double[]){1, 2, most, -most, -0.0, -7});
    }
    stria_tensor *x = tensor_of(STRIA_I8, 2, (const double[]){-3, 4}), *y = NULL;
    CHECK_STATUS(stria_nan_to_num(x, 1, 2, 3, &y, NULL), STRIA_OK);
    check_values("nan_to_num", y, STRIA_I8, 2, (const double[]){-3, 4});
    stria_tensor_release(x);
}

static void test_isclose(void)
{
    static const double a[] = {1, 1, NAN, INFINITY, INFINITY, 0, 100, 1},
                        b[] = {1 + 1e-6, 1.1, NAN, INFINITY, 1, 1e-9, 100.5, NAN};
    for (int d = STRIA_F32; d <= STRIA_F64; d++) {
        stria_tensor *x = tensor_of((stria_dtype)d, 8, a), *y = tensor_of((stria_dtype)d, 8, b), *r = NULL;
        stria_error   err = {0};
        CHECK_STATUS(stria_isclose(x, y, 1e-5, 1e-8, false, &r, NULL), STRIA_OK);
        check_values("isclose", r, STRIA_BOOL, 8, (const double[]){1, 0, 0, 1, 0, 1, 0, 0});
        CHECK_STATUS(stria_isclose(x, y, 0.01, 0, true, &r, NULL), STRIA_OK);
        check_values("isclose", r, STRIA_BOOL, 8, (const double[]){1, 0, 1, 1, 0, 0, 1, 0});
        CHECK_STATUS(stria_isclose(x, y, -1, 0, true, &r, &err), STRIA_ERR_ARGUMENT);
        CHECK(strcmp(err.op, "isclose") == 0 && strcmp(err.argument, "rtol") == 0, "%s", err.message);
        CHECK_STATUS(stria_isclose(x, y, 0, NAN, true, &r, &err), STRIA_ERR_ARGUMENT);
        CHECK(strcmp(err.argument, "atol") == 0, "%s", err.message);
        stria_tensor_release(x);
        stria_tensor_release(y);
    }
    stria_tensor *x = tensor_of(STRIA_I8, 3, (const double[]){-128, 100, 7}), *r = NULL;
    stria_tensor *y = tensor_of(STRIA_I8, 3, (const double[]){127, 101, 7});
    CHECK_STATUS(stria_isclose(x, y, 0, 1, false, &r, NULL), STRIA_OK);
    check_values("isclose", r, STRIA_BOOL, 3, (const double[]){0, 1, 1});
    stria_tensor_release(x), stria_tensor_release(y);
    /* neighbours that are one number in f32 */
    x = tensor_of(STRIA_I64, 2, (const double[]){16777216, -33554433});
    y = tensor_of(STRIA_I32, 2, (const double[]){16777217, -33554433});
    CHECK_STATUS(stria_isclose(x, y, 0, 0, false, &r, NULL), STRIA_OK);
    check_values("isclose of large integers", r, STRIA_BOOL, 2, (const double[]){0, 1});
    stria_tensor_release(x), stria_tensor_release(y);
}

static void test_prelu(void)
{
    static const int64_t shape[] = {2, 3, 2}, one[] = {1};
    static const double  weights[] = {0.5, 2, -1};
    stria_tensor        *x = NULL, *w = tensor_of(STRIA_F32, 3, weights), *y = NULL, *single = NULL;
    stria_error          err = {0};
    int64_t              index[3] = {0};

    CHECK_STATUS(stria_full(shape, 3, real(-4), STRIA_F32, STRIA_CPU, &x, NULL), STRIA_OK);
    value_set(STRIA_F32, value_from_real(3), tensor_at(x, (const int64_t[]){1, 2, 0}));
    CHECK_STATUS(stria_prelu(x, w, &y, NULL), STRIA_OK);
    do {
        const bool   is_positive = index[0] == 1 && index[1] == 2 && index[2] == 0;
        const double expected = is_positive ? 3 : -4 * weights[index[1]];
        CHECK(y && value_get(STRIA_F32, tensor_at(y, index)).real == expected, "prelu [%d, %d, %d]", (int)index[0],
              (int)index[1], (int)index[2]);
    } while (index_next(3, shape, index));
    stria_tensor_release(y);
    CHECK_STATUS(stria_full(one, 1, real(0.25), STRIA_F32, STRIA_CPU, &single, NULL), STRIA_OK);
    CHECK_STATUS(stria_prelu(x, single, &y, NULL), STRIA_OK);
    CHECK(y && value_get(STRIA_F32, stria_tensor_get_const_data(y)).real == -1, "one weight");
    stria_tensor_release(y);
    CHECK_STATUS(stria_prelu(w, w, &y, &err), STRIA_ERR_SHAPE);
    CHECK(strcmp(err.op, "prelu") == 0 && strcmp(err.argument, "weight") == 0 && strcmp(err.got, "[3]") == 0 &&
              strcmp(err.expected, "1 element, or [1]") == 0,
          "three weights for one channel: %s", err.message);
    stria_tensor_release(single);
    stria_tensor_release(x);
    stria_tensor_release(w);
}

SUITE(test_numbers)
{
    (void)argc, (void)argv;
    check_isa("test_numbers");
    test_rows();
    test_dtypes();
    test_addcmul();
    test_nan_to_num();
    test_isclose();
    test_prelu();
    return check_finish("test_numbers");
}
