/* test_create.c - creation: elements of every dtype against the numbers they are made of, dtypes, devices, memory order, out=, refusals. */
#include <string.h>

#include "oracle.h"
#include "refused.h"
#include "tensor/device.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define INT_SCALAR(value) ((stria_scalar){.kind = STRIA_SCALAR_INT, .i = value})
#define FLOAT_SCALAR(value) ((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = value})

/* A number as a dtype has it. */
static void set_number(stria_dtype dtype, double number, void *at)
{
    value_set(dtype, value_get(STRIA_F64, &number), at);
}

/* Every element of y is value, as its dtype has it; y is released. */
static void check_all(const char *what, stria_tensor *y, stria_dtype dtype, double value)
{
    int64_t index[STRIA_MAX_DIMS] = {0};
    char    expected[16];

    CHECK(y != NULL && stria_tensor_get_dtype(y) == dtype, "%s: dtype", what);
    if (y == NULL) return;
    set_number(dtype, value, expected);
    if (stria_tensor_get_numel(y) > 0) {
        do {
            CHECK(value_same(dtype, expected, tensor_at(y, index)), "%s %s", what, stria_dtype_get_name(dtype));
        } while (index_next(stria_tensor_get_ndim(y), stria_tensor_get_shape(y), index));
    }
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- one value */

static void test_values(void)
{
    static const int64_t shapes[][3] = {{2, 3, 4}, {1, 1, 70001}, {3, 0, 2}, {1, 1, 1}};
    stria_tensor        *y = NULL;

    for (int d = 0; d < STRIA_DTYPE_COUNT; d++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            const stria_dtype dtype = (stria_dtype)d;
            CHECK_STATUS(stria_zeros(shapes[k], 3, dtype, STRIA_CPU, &y, NULL), STRIA_OK);
            check_all("zeros", y, dtype, 0);
            CHECK_STATUS(stria_ones(shapes[k], 3, dtype, STRIA_CPU, &y, NULL), STRIA_OK);
            check_all("ones", y, dtype, 1);
            CHECK_STATUS(stria_full(shapes[k], 3, INT_SCALAR(5), dtype, STRIA_CPU, &y, NULL), STRIA_OK);
            check_all("full", y, dtype, 5);
            CHECK_STATUS(stria_empty(shapes[k], 3, dtype, STRIA_CPU, &y, NULL), STRIA_OK);
            CHECK(y && stria_tensor_get_dtype(y) == dtype && stria_tensor_get_ndim(y) == 3 &&
                      stria_tensor_get_shape(y)[2] == shapes[k][2] && stria_tensor_get_contiguous(y),
                  "empty");
            stria_tensor_release(y);
        }
    CHECK_STATUS(stria_zeros(NULL, 0, STRIA_DTYPE_NONE, STRIA_CPU, &y, NULL), STRIA_OK);
    check_all("of no dims", y, STRIA_F32, 0);
}

/* full without a dtype. */
static void test_kinds(void)
{
    static const struct {
        stria_scalar value;
        stria_dtype  dtype;
        double       as_double;
    } kinds[] = {{{.kind = STRIA_SCALAR_BOOL, .i = 1}, STRIA_BOOL, 1},
                 {{.kind = STRIA_SCALAR_INT, .i = -7}, STRIA_I64, -7},
                 {{.kind = STRIA_SCALAR_FLOAT, .re = 2.5}, STRIA_F32, 2.5},
                 {{.kind = STRIA_SCALAR_COMPLEX, .re = 2.5}, STRIA_C64, 2.5},
                 {{.kind = STRIA_SCALAR_UINT, .i = INT64_MIN}, STRIA_U64, 9223372036854775808.0}};
    stria_tensor *y = NULL, *x = NULL;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        CHECK_STATUS(stria_full(SHAPE(3), 1, kinds[k].value, STRIA_DTYPE_NONE, STRIA_CPU, &y, NULL), STRIA_OK);
        check_all("full", y, kinds[k].dtype, kinds[k].as_double);
    }
    CHECK_STATUS(stria_ones(SHAPE(3), 1, STRIA_I16, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_full_like(x, FLOAT_SCALAR(2.75), STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &y, NULL), STRIA_OK);
    check_all("full_like", y, STRIA_I16, 2);
    CHECK_STATUS(stria_full_like(x, FLOAT_SCALAR(2.75), STRIA_F64, STRIA_DEVICE_NONE, &y, NULL), STRIA_OK);
    check_all("full_like", y, STRIA_F64, 2.75);
    stria_tensor_release(x);
}

/* The memory order of x: of a transposed tensor its strides, of one with gaps its dims in their order, packed. */
static void test_like(void)
{
    stria_tensor *x = NULL, *turned = NULL, *part = NULL, *y = NULL;

    CHECK_STATUS(stria_ones(SHAPE(4, 6), 2, STRIA_I32, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(x, 0, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(turned, 0, 0, 6, 2, &part, NULL), STRIA_OK);
    for (int k = 0; k < 2; k++) {
        const stria_tensor *like = k ? part : turned;
        stria_tensor       *all[4] = {NULL};
        CHECK_STATUS(stria_zeros_like(like, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &all[0], NULL), STRIA_OK);
        CHECK_STATUS(stria_ones_like(like, STRIA_F16, STRIA_DEVICE_NONE, &all[1], NULL), STRIA_OK);
        CHECK_STATUS(stria_full_like(like, INT_SCALAR(3), STRIA_U8, STRIA_DEVICE_NONE, &all[2], NULL), STRIA_OK);
        CHECK_STATUS(stria_empty_like(like, STRIA_C128, STRIA_DEVICE_NONE, &all[3], NULL), STRIA_OK);
        for (int i = 0; i < 4; i++)
            CHECK(all[i] && stria_tensor_get_strides(all[i])[0] == 1 &&
                      stria_tensor_get_strides(all[i])[1] == (k ? 3 : 6) &&
                      stria_tensor_get_shape(all[i])[0] == (k ? 3 : 6),
                  "memory order, %d of %d", i, k);
        check_all("zeros_like", all[0], STRIA_I32, 0);
        check_all("ones_like", all[1], STRIA_F16, 1);
        check_all("full_like", all[2], STRIA_U8, 3);
        CHECK(all[3] && stria_tensor_get_dtype(all[3]) == STRIA_C128, "empty_like");
        stria_tensor_release(all[3]);
    }
    stria_tensor_release(turned), stria_tensor_release(part), stria_tensor_release(x);
    CHECK_STATUS(stria_empty(SHAPE(2), 1, STRIA_I8, STRIA_META, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_ones_like(x, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_device(y).type == STRIA_DEVICE_META && stria_tensor_get_dtype(y) == STRIA_I8, "meta");
    stria_tensor_release(y), stria_tensor_release(x);
}

static void check_like_on(stria_tensor *y, stria_device device, double number)
{
    CHECK(stria_device_equals(stria_tensor_get_device(y), device), "on %s, not %s",
          stria_device_get_name(stria_tensor_get_device(y)), stria_device_get_name(device));
    CHECK(stria_tensor_get_strides(y)[0] == 1 && stria_tensor_get_strides(y)[1] == 3, "memory order");
    if (device.type == STRIA_DEVICE_CPU)
        check_all("on the CPU", y, STRIA_I32, number);
    else
        stria_tensor_release(y);
}

/* On another device than that of x, either way. */
static void test_like_elsewhere(void)
{
    static const stria_device devices[] = {{STRIA_DEVICE_CPU, 0}, {STRIA_DEVICE_META, 0}};
    stria_tensor             *x = NULL, *y = NULL, *turned = NULL;

    for (int k = 0; k < 4; k++) {
        const stria_device from = devices[k / 2], to = devices[k % 2];
        CHECK_STATUS(stria_ones(SHAPE(2, 3), 2, STRIA_I32, from, &x, NULL), STRIA_OK);
        CHECK_STATUS(stria_transpose(x, 0, 1, &turned, NULL), STRIA_OK);
        CHECK_STATUS(stria_zeros_like(turned, STRIA_DTYPE_NONE, to, &y, NULL), STRIA_OK);
        check_like_on(y, to, 0);
        CHECK_STATUS(stria_ones_like(turned, STRIA_DTYPE_NONE, to, &y, NULL), STRIA_OK);
        check_like_on(y, to, 1);
        CHECK_STATUS(stria_full_like(turned, INT_SCALAR(7), STRIA_DTYPE_NONE, to, &y, NULL), STRIA_OK);
        check_like_on(y, to, 7);
        CHECK_STATUS(stria_randint_like(turned, INT_SCALAR(5), INT_SCALAR(6), STRIA_I32, to, NULL, &y, NULL), STRIA_OK);
        check_like_on(y, to, 5);
        CHECK_STATUS(stria_rand_like(turned, STRIA_F32, to, NULL, &y, NULL), STRIA_OK);
        CHECK(stria_device_equals(stria_tensor_get_device(y), to), "rand_like");
        stria_tensor_release(y);
        CHECK_STATUS(stria_randn_like(turned, STRIA_F32, to, NULL, &y, NULL), STRIA_OK);
        CHECK(stria_device_equals(stria_tensor_get_device(y), to), "randn_like");
        stria_tensor_release(y);
        CHECK_STATUS(stria_empty_like(turned, STRIA_F32, to, &y, NULL), STRIA_OK);
        CHECK(stria_device_equals(stria_tensor_get_device(y), to), "empty_like");
        stria_tensor_release(y), stria_tensor_release(turned), stria_tensor_release(x);
    }
    CHECK_STATUS(stria_zeros(SHAPE(2), 1, STRIA_I32, STRIA_DEVICE_NONE, &x, NULL), STRIA_OK);
    CHECK(stria_device_equals(stria_tensor_get_device(x), STRIA_CPU), "of nothing: the CPU");
    CHECK_STATUS(stria_ones_like_out(x, STRIA_DTYPE_NONE, STRIA_CPU, x, NULL), STRIA_OK);
    REFUSED(stria_ones_like_out(x, STRIA_DTYPE_NONE, STRIA_META, x, &err), STRIA_ERR_DEVICE, "ones_like", "out",
            "out is on cpu but device is meta");
    REFUSED_NEW(stria_ones_like(x, STRIA_DTYPE_NONE, STRIA_DEVICE(-1, 1), &y, &err), STRIA_ERR_ARGUMENT, "ones_like",
                "device", "device is no device: type -1, index 1");
    check_all("after what was refused", x, STRIA_I32, 1);
}

/* out=: its dtype is the result's, its strides stay where it has the shape, else it gets the shape. */
static void test_given(void)
{
    stria_tensor *x = NULL, *turned = NULL, *small = NULL;

    CHECK_STATUS(stria_zeros(SHAPE(3, 2), 2, STRIA_I64, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(x, 0, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_full_out(SHAPE(2, 3), 2, FLOAT_SCALAR(4.5), STRIA_DTYPE_NONE, STRIA_CPU, turned, NULL),
                 STRIA_OK);
    check_all("into a view", stria_tensor_retain(x), STRIA_I64, 4);
    CHECK_STATUS(stria_ones_like_out(x, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, x, NULL), STRIA_OK);
    check_all("into x itself", stria_tensor_retain(x), STRIA_I64, 1);
    CHECK_STATUS(stria_zeros(SHAPE(1), 1, STRIA_F64, STRIA_CPU, &small, NULL), STRIA_OK);
    CHECK_STATUS(stria_ones_out(SHAPE(5, 4), 2, STRIA_F64, STRIA_CPU, small, NULL), STRIA_OK);
    CHECK(stria_tensor_get_numel(small) == 20, "given another shape");
    check_all("given another shape", small, STRIA_F64, 1);
    CHECK_STATUS(stria_eye_out(2, 3, STRIA_DTYPE_NONE, STRIA_CPU, turned, NULL), STRIA_OK);
    for (int64_t i = 0; i < 2; i++)
        for (int64_t k = 0; k < 3; k++)
            CHECK(*(const int64_t *)(const void *)tensor_at(turned, SHAPE(i, k)) == (i == k), "eye into a view");
    stria_tensor_release(turned), stria_tensor_release(x);
}

static void test_eye(void)
{
    static const int64_t sizes[][2] = {{3, STRIA_INT_NONE}, {3, 5}, {5, 3}, {0, 4}, {4, 0}, {1, 1}};

    for (int d = 0; d < STRIA_DTYPE_COUNT; d++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const int64_t n = sizes[s][0], m = sizes[s][1] == STRIA_INT_NONE ? n : sizes[s][1];
            stria_tensor *y = NULL;
            char          expected[16];
            CHECK_STATUS(stria_eye(n, sizes[s][1], (stria_dtype)d, STRIA_CPU, &y, NULL), STRIA_OK);
            CHECK(y && stria_tensor_get_shape(y)[0] == n && stria_tensor_get_shape(y)[1] == m, "shape");
            for (int64_t i = 0; y && i < n; i++)
                for (int64_t k = 0; k < m; k++) {
                    set_number((stria_dtype)d, i == k, expected);
                    CHECK(value_same((stria_dtype)d, expected, tensor_at(y, SHAPE(i, k))), "eye");
                }
            stria_tensor_release(y);
        }
}

/* Strides of its own; as much memory as they reach. */
static void test_strided(void)
{
    stria_tensor *y = NULL;

    for (int on_meta = 0; on_meta < 2; on_meta++) {
        const stria_device device = on_meta ? STRIA_META : STRIA_CPU;
        CHECK_STATUS(stria_empty_strided(SHAPE(2, 3), 2, SHAPE(1, 4), 2, STRIA_I16, device, &y, NULL), STRIA_OK);
        CHECK(y && stria_tensor_get_dtype(y) == STRIA_I16 && stria_tensor_get_shape(y)[1] == 3 &&
                  stria_tensor_get_strides(y)[0] == 1 && stria_tensor_get_strides(y)[1] == 4,
              "strides");
        CHECK(stria_tensor_get_storage_nbytes(y) == (on_meta ? 0 : 20), "memory of 10 elements");
        stria_tensor_release(y);
    }
    CHECK_STATUS(stria_empty_strided(SHAPE(3, 5), 2, SHAPE(0, 0), 2, STRIA_DTYPE_NONE, STRIA_CPU, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_dtype(y) == STRIA_F32 && stria_tensor_get_storage_nbytes(y) == 4, "one element");
    stria_tensor_release(y);
    CHECK_STATUS(stria_empty_strided(SHAPE(3, 0), 2, SHAPE(INT64_MAX, 9), 2, STRIA_F64, STRIA_CPU, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_numel(y) == 0, "no elements");
    stria_tensor_release(y);
    CHECK_STATUS(stria_empty_strided(NULL, 0, NULL, 0, STRIA_F64, STRIA_CPU, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_ndim(y) == 0 && stria_tensor_get_numel(y) == 1, "no dims");
    stria_tensor_release(y);
    REFUSED_NEW(stria_empty_strided(SHAPE(2, 3), 2, SHAPE(1), 1, STRIA_F32, STRIA_CPU, &y, &err), STRIA_ERR_SHAPE,
                "empty_strided", "stride", "stride must be 2 numbers, one for each size, got 1");
    REFUSED_NEW(stria_empty_strided(SHAPE(2, 3), 2, SHAPE(1, -1), 2, STRIA_F32, STRIA_META, &y, &err),
                STRIA_ERR_ARGUMENT, "empty_strided", "stride", "stride [1,-1] has a negative one at axis 1");
    REFUSED_NEW(stria_empty_strided(SHAPE(3), 1, SHAPE(INT64_MAX), 1, STRIA_F32, STRIA_CPU, &y, &err),
                STRIA_ERR_OVERFLOW, "empty_strided", "stride", "reaches beyond the address space");
    REFUSED_NEW(stria_empty_strided(SHAPE(2), 1, SHAPE(INT64_MAX / 2), 1, STRIA_F32, STRIA_META, &y, &err),
                STRIA_ERR_OVERFLOW, "empty_strided", "stride", "reaches beyond the address space");
    REFUSED_NEW(stria_empty_strided(SHAPE(-2), 1, SHAPE(1), 1, STRIA_F32, STRIA_CPU, &y, &err), STRIA_ERR_SHAPE,
                "empty_strided", "size", "negative size");
}

/* ---------------------------------------------------------------- refusals */

static void test_refusals(void)
{
    const int64_t huge = INT64_C(1) << 40;
    stria_tensor *y = NULL, *given = NULL, *meta = NULL;

    REFUSED_NEW(stria_zeros(SHAPE(2, -3), 2, STRIA_F32, STRIA_CPU, &y, &err), STRIA_ERR_SHAPE, "zeros", "shape",
                "negative size -3 at axis 1");
    REFUSED_NEW(stria_ones(NULL, 2, STRIA_F32, STRIA_CPU, &y, &err), STRIA_ERR_ARGUMENT, "ones", "shape",
                "shape is NULL");
    REFUSED_NEW(stria_empty(SHAPE(1), 65, STRIA_F32, STRIA_CPU, &y, &err), STRIA_ERR_SHAPE, "empty", "shape", "65");
    REFUSED_NEW(stria_empty(SHAPE(huge, huge), 2, STRIA_F32, STRIA_META, &y, &err), STRIA_ERR_OVERFLOW, "empty",
                "shape", "2^63 - 1");
    REFUSED_NEW(stria_full(SHAPE(1), 1, (stria_scalar){.kind = (stria_scalar_kind)9}, STRIA_F32, STRIA_CPU, &y, &err),
                STRIA_ERR_ARGUMENT, "full", "value", "9 is not a kind of scalar");
    REFUSED_NEW(stria_full(SHAPE(1), 1, INT_SCALAR(1), (stria_dtype)99, STRIA_CPU, &y, &err), STRIA_ERR_DTYPE, "full",
                "dtype", "99");
    REFUSED_NEW(stria_eye(-1, STRIA_INT_NONE, STRIA_F32, STRIA_CPU, &y, &err), STRIA_ERR_SHAPE, "eye", "n", "negative");
    REFUSED_NEW(stria_eye(1, -1, STRIA_F32, STRIA_CPU, &y, &err), STRIA_ERR_SHAPE, "eye", "m", "negative");
    REFUSED_NEW(stria_zeros_like(NULL, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &y, &err), STRIA_ERR_ARGUMENT, "zeros_like",
                "x", "NULL");
    /* devices: none, one that is not there, out elsewhere */
    REFUSED_NEW(stria_zeros(SHAPE(1), 1, STRIA_F32, STRIA_DEVICE(STRIA_DEVICE_CPU, 1), &y, &err), STRIA_ERR_ARGUMENT,
                "zeros", "device", "device is no device: type 0, index 1");
    REFUSED_NEW(stria_zeros(SHAPE(1), 1, STRIA_F32, STRIA_DEVICE(-2, 0), &y, &err), STRIA_ERR_ARGUMENT, "zeros",
                "device", "no device");
    REFUSED_NEW(stria_zeros(SHAPE(1), 1, STRIA_F32, STRIA_DEVICE(STRIA_DEVICE_CUDA, 15), &y, &err),
                STRIA_ERR_UNSUPPORTED, "zeros", "device", "there is no device cuda:15");
    CHECK_STATUS(stria_zeros(SHAPE(1), 1, STRIA_F32, STRIA_CPU, &given, NULL), STRIA_OK);
    REFUSED_NEW(stria_zeros_out(SHAPE(1), 1, STRIA_F32, STRIA_META, given, &err), STRIA_ERR_DEVICE, "zeros", "out",
                "out is on cpu but device is meta");
    REFUSED_NEW(stria_zeros_out(SHAPE(1), 1, STRIA_F64, STRIA_CPU, given, &err), STRIA_ERR_DTYPE, "zeros", "out",
                "out is f32 but dtype asks for f64");
    CHECK_STATUS(stria_zeros(SHAPE(huge), 1, STRIA_I8, STRIA_META, &meta, NULL), STRIA_OK);
    CHECK(meta && stria_tensor_get_device(meta).type == STRIA_DEVICE_META && stria_tensor_get_data(meta) == NULL,
          "on meta");
    stria_tensor_release(given), stria_tensor_release(meta);
}

SUITE(test_create)
{
    test_values();
    test_kinds();
    test_like();
    test_like_elsewhere();
    test_given();
    test_eye();
    test_strided();
    test_refusals();
    return check_finish("test_create");
}
