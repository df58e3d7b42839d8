/* test_element.c - composites that work element by element (frexp, glu, equal, allclose, clamp_min, clamp_max), local_response_norm, and
 * tensors looked at as another dtype: against C's own functions and plain loops, every float dtype and layout, refusals. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "oracle.h"
#include "refused.h"

static random_state random_numbers = {89};

static const stria_dtype floats[] = {STRIA_F16, STRIA_BF16, STRIA_F32, STRIA_F64};
static const layout kinds[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED, LAYOUT_OFFSET, LAYOUT_STEPPED};

static stria_tensor *new_list(stria_dtype dtype, int64_t n, const double *elements)
{
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 1, &n, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < n; k++) value_set(dtype, value_from_real(elements[k]), tensor_at(x, &k));
    return x;
}

static double get(const stria_tensor *x, const int64_t *at)
{
    return value_get(stria_tensor_get_dtype(x), tensor_at(x, at)).real;
}

/* ---------------------------------------------------------------- frexp */

static void check_frexp(const stria_tensor *x)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    stria_tensor     *mantissa = NULL, *exponent = NULL;
    int64_t           at[3] = {0};

    CHECK_STATUS(stria_frexp(x, &mantissa, &exponent, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(mantissa) == dtype && stria_tensor_get_dtype(exponent) == STRIA_I32, "dtypes");
    do {
        const double v = get(x, at);
        int          power = 0;
        const double m = isfinite(v) ? frexp(v, &power) : v;
        char         want[16];
        value_set(dtype, value_from_real(m), want);
        CHECK(value_same(dtype, want, tensor_at(mantissa, at)), "%s %a: mantissa %a", stria_dtype_get_name(dtype), v,
              get(mantissa, at));
        CHECK(value_get(STRIA_I32, tensor_at(exponent, at)).whole == power, "%s %a: exponent %d, not %d",
              stria_dtype_get_name(dtype), v, (int)value_get(STRIA_I32, tensor_at(exponent, at)).whole, power);
    } while (index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), at));
    stria_tensor_release(mantissa), stria_tensor_release(exponent);
}

/* Neighbours of every power of two, subnormal ones too. */
static void test_frexp_powers(stria_dtype dtype)
{
    const int64_t n = 3 * 2200;
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 1, &n, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < n; k++) {
        const double power = ldexp(k % 2 ? -1 : 1, (int)(k / 3) - 1100);
        char         one[16];
        value_set(dtype, value_from_real(power), one);
        uint64_t bits = 0;
        memcpy(&bits, one, stria_dtype_get_size(dtype));
        if (value_get(dtype, one).real != 0 && isfinite(value_get(dtype, one).real)) bits += (uint64_t)(k % 3) - 1;
        memcpy(tensor_at(x, &k), &bits, stria_dtype_get_size(dtype));
    }
    check_frexp(x);
    stria_tensor_release(x);
}

static void test_frexp(void)
{
    static const int64_t shape[] = {3, 17, 9};

    for (int d = 0; d < 4; d++) {
        test_frexp_powers(floats[d]);
        for (int l = 0; l < 5; l++) {
            stria_tensor *x = tensor_random(&random_numbers, floats[d], kinds[l], 3, shape, -1e30, 1e30);
            check_frexp(x);
            stria_tensor_release(x);
        }
    }
}

/* ---------------------------------------------------------------- glu */

static void test_glu(void)
{
    static const int64_t shape[] = {4, 6, 2};

    for (int d = 0; d < 4; d++)
        for (int l = 0; l < 5; l++)
            for (int axis = -3; axis < 3; axis++) {
                stria_tensor *x = tensor_random(&random_numbers, floats[d], kinds[l], 3, shape, 0, 1), *y = NULL;
                const int     along = axis < 0 ? axis + 3 : axis;
                const double  eps = (double[]){0x1p-10, 0x1p-7, 0x1p-22, 0x1p-51}[d];
                int64_t       at[3] = {0}, own[3] = {4, 6, 2};
                tensor_fill_random(&random_numbers, x, 0, 6);
                CHECK_STATUS(stria_glu(x, axis, &y, NULL), STRIA_OK);
                own[along] /= 2;
                CHECK(stria_tensor_get_dtype(y) == floats[d] && stria_tensor_get_ndim(y) == 3, "dtype, dims");
                do {
                    int64_t gate[3] = {at[0], at[1], at[2]};
                    gate[along] += own[along];
                    const double want = get(x, at) / (1 + exp(-get(x, gate))), got = get(y, at);
                    CHECK(fabs(got - want) <= eps * (fabs(want) + 1e-3), "%s: %g, not %g",
                          stria_dtype_get_name(floats[d]), got, want);
                } while (index_next(3, own, at));
                stria_tensor_release(x), stria_tensor_release(y);
            }
}

/* ---------------------------------------------------------------- comparisons of whole tensors */

static bool take_truth(stria_tensor *y)
{
    CHECK(stria_tensor_get_dtype(y) == STRIA_BOOL && stria_tensor_get_ndim(y) == 0, "one truth value");
    const bool truth = *(const uint8_t *)stria_tensor_get_const_data(y);
    stria_tensor_release(y);
    return truth;
}

static bool is_equal(const stria_tensor *a, const stria_tensor *b)
{
    stria_tensor *y = NULL;
    CHECK_STATUS(stria_equal(a, b, &y, NULL), STRIA_OK);
    return take_truth(y);
}

static bool is_close(const stria_tensor *a, const stria_tensor *b, double rtol, double atol, bool equal_nan)
{
    stria_tensor *y = NULL;
    CHECK_STATUS(stria_allclose(a, b, rtol, atol, equal_nan, &y, NULL), STRIA_OK);
    return take_truth(y);
}

static void test_comparisons(void)
{
    stria_tensor *a = new_list(STRIA_F32, 3, (const double[]){1, 2, 3}),
                 *b = new_list(STRIA_I16, 3, (const double[]){1, 2, 3});
    stria_tensor *c = new_list(STRIA_F64, 3, (const double[]){1, 2, 3.0000002}),
                 *one = new_list(STRIA_F32, 1, (const double[]){1});
    stria_tensor *nan = new_list(STRIA_F32, 2, (const double[]){NAN, 1}),
                 *zero = new_list(STRIA_F64, 2, (const double[]){0, -0.0});
    stria_tensor *other = new_list(STRIA_F64, 2, (const double[]){-0.0, 0}), *none = NULL, *row = NULL, *y = NULL,
                 *meta = NULL;
    stria_tensor        *infinite = new_list(STRIA_F32, 1, (const double[]){INFINITY});
    static const int64_t zero_sizes[] = {2, 0}, other_sizes[] = {0, 2}, row_sizes[] = {1, 3};

    CHECK(is_equal(a, a) && is_equal(a, b) && is_equal(b, a), "equal elements of other dtypes");
    CHECK(!is_equal(a, c) && !is_equal(a, one) && is_equal(zero, other), "others");
    CHECK(!is_equal(nan, nan), "NaN is equal to nothing");
    CHECK_STATUS(stria_reshape(a, row_sizes, 2, &row, NULL), STRIA_OK);
    CHECK(!is_equal(a, row), "shapes count");
    CHECK_STATUS(stria_zeros(zero_sizes, 2, STRIA_F32, STRIA_CPU, &none, NULL), STRIA_OK);
    CHECK(is_equal(none, none) && is_close(none, none, 0, 0, false), "nothing is equal to nothing");
    CHECK_STATUS(stria_zeros(other_sizes, 2, STRIA_F32, STRIA_CPU, &y, NULL), STRIA_OK);
    CHECK(!is_equal(none, y), "shapes without elements");
    stria_tensor_release(y);
    CHECK(is_close(a, c, 1e-5, 1e-8, false) && !is_close(a, c, 1e-9, 1e-9, false), "tolerances");
    CHECK(is_close(a, c, 0, 1e-6, false) && is_close(one, one, 0, 0, false) && !is_close(a, one, 0, 1.5, false),
          "broadcast");
    CHECK(is_close(a, one, 0, 2, false), "broadcast");
    CHECK(!is_close(nan, nan, 1, 1, false) && is_close(nan, nan, 0, 0, true), "NaN");
    CHECK(is_close(infinite, infinite, 0, 0, false) && !is_close(infinite, one, 1, 1e30, false), "infinities");
    y = NULL;
    REFUSED(stria_allclose(a, c, -1, 0, false, &y, &err), STRIA_ERR_ARGUMENT, "allclose", "rtol", "0 or more");
    REFUSED(stria_allclose(a, nan, 1, 0, false, &y, &err), STRIA_ERR_SHAPE, "allclose", "b", "[2]");
    CHECK_STATUS(stria_zeros(row_sizes, 2, STRIA_F32, STRIA_META, &meta, NULL), STRIA_OK);
    CHECK_STATUS(stria_equal(meta, meta, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_device(y).type == STRIA_DEVICE_META, "the meta device");
    stria_tensor_release(y), stria_tensor_release(meta);
    stria_tensor_release(a), stria_tensor_release(b), stria_tensor_release(c), stria_tensor_release(one);
    stria_tensor_release(nan), stria_tensor_release(zero), stria_tensor_release(other), stria_tensor_release(none);
    stria_tensor_release(row), stria_tensor_release(infinite);
}

/* ---------------------------------------------------------------- one bound */

static void test_bounds(void)
{
    stria_tensor *x = new_list(STRIA_I32, 4, (const double[]){-3, 0, 5, 9}), *low = NULL, *y = NULL;
    stria_tensor *high = new_list(STRIA_F32, 4, (const double[]){-4, 0.5, 5, NAN}),
                 *wide = new_list(STRIA_I32, 3, (const double[]){1, 2, 3});

    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT, .i = 1}, &low, NULL), STRIA_OK);
    CHECK_STATUS(stria_clamp_max(x, high, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_F32, "the common dtype");
    for (int64_t k = 0; k < 4; k++)
        CHECK(k == 3 ? isnan(get(y, &k)) : get(y, &k) == ((const double[]){-4, 0, 5})[k], "%g", get(y, &k));
    stria_tensor_release(y);
    CHECK_STATUS(stria_clamp(x, NULL, high, &y, NULL), STRIA_OK);
    for (int64_t k = 0; k < 3; k++) CHECK(get(y, &k) == ((const double[]){-4, 0, 5})[k], "clamp above, %g", get(y, &k));
    stria_tensor_release(y);
    CHECK_STATUS(stria_clamp(x, high, NULL, &y, NULL), STRIA_OK);
    for (int64_t k = 0; k < 3; k++)
        CHECK(get(y, &k) == ((const double[]){-3, 0.5, 5})[k], "clamp below, %g", get(y, &k));
    stria_tensor_release(y);
    y = NULL;
    REFUSED(stria_clamp(x, NULL, NULL, &y, &err), STRIA_ERR_ARGUMENT, "clamp", "b", "clamp: b and c are NULL");
    REFUSED(stria_clamp(x, wide, NULL, &y, &err), STRIA_ERR_SHAPE, "clamp", "b", "clamp: ");
    REFUSED(stria_clamp(x, NULL, wide, &y, &err), STRIA_ERR_SHAPE, "clamp", "c", "clamp: ");
    REFUSED(stria_clamp(NULL, NULL, wide, &y, &err), STRIA_ERR_ARGUMENT, "clamp", "a", "clamp: a is NULL");
    REFUSED(stria_apply_out(STRIA_OP_clamp, (const stria_tensor *[]){x, NULL, high}, 3, x, &err), STRIA_ERR_DTYPE,
            "clamp", "out", "f32");
    CHECK_STATUS(stria_clamp_min_out(x, low, x, NULL), STRIA_OK); /* in place */
    for (int64_t k = 0; k < 4; k++)
        CHECK(value_get(STRIA_I32, tensor_at(x, &k)).whole == ((const int[]){1, 1, 5, 9})[k], "element %d", (int)k);
    y = NULL;
    REFUSED(stria_clamp_min(x, wide, &y, &err), STRIA_ERR_SHAPE, "clamp_min", "min", "[3]");
    REFUSED(stria_clamp_max_out(x, high, x, &err), STRIA_ERR_DTYPE, "clamp_max", "out", "f32");
    stria_tensor_release(x), stria_tensor_release(low), stria_tensor_release(high), stria_tensor_release(wide);
}

/* ---------------------------------------------------------------- local_response_norm */

static void test_local_response(void)
{
    static const int64_t shape[] = {2, 5, 3};

    for (int d = 0; d < 4; d++)
        for (int64_t size = 1; size < 8; size++) {
            stria_tensor *x = tensor_random(&random_numbers, floats[d], kinds[size % 5], 3, shape, 0, 1), *y = NULL;
            const double  eps = (double[]){0x1p-10, 0x1p-7, 0x1p-21, 0x1p-49}[d];
            int64_t       at[3] = {0};
            tensor_fill_random(&random_numbers, x, 0, 3);
            CHECK_STATUS(stria_local_response_norm(x, size, 0.7, 0.6, 1.5, &y, NULL), STRIA_OK);
            CHECK(stria_tensor_get_dtype(y) == floats[d], "dtype");
            do {
                double sum = 0;
                for (int64_t k = at[1] - size / 2; k < at[1] - size / 2 + size; k++) {
                    const int64_t near[] = {at[0], k, at[2]};
                    if (k >= 0 && k < 5) sum += get(x, near) * get(x, near);
                }
                const double want = get(x, at) / pow(1.5 + 0.7 * sum / (double)size, 0.6), got = get(y, at);
                CHECK(fabs(got - want) <= eps * (fabs(want) + 1e-3), "%s, size %d: %g, not %g",
                      stria_dtype_get_name(floats[d]), (int)size, got, want);
            } while (index_next(3, shape, at));
            stria_tensor_release(x), stria_tensor_release(y);
        }
}

/* ---------------------------------------------------------------- the bytes as another dtype */

static void check_view(stria_tensor *x, stria_dtype dtype)
{
    const int     ndim = stria_tensor_get_ndim(x), last = ndim - 1;
    const int64_t from = stria_dtype_get_size(stria_tensor_get_dtype(x)), to = stria_dtype_get_size(dtype);
    stria_tensor *y = NULL;
    int64_t       at[3] = {0};

    CHECK_STATUS(stria_view_dtype(x, dtype, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == dtype && stria_tensor_get_ndim(y) == ndim, "dtype, dims");
    CHECK(stria_tensor_get_numel(y) * to == stria_tensor_get_numel(x) * from, "bytes");
    if (stria_tensor_get_numel(x) > 0) do {
            const int64_t byte = at[last] * from;
            int64_t       other[3] = {at[0], at[1], at[2]};
            other[last] = byte / to;
            CHECK(tensor_at(x, at) == tensor_at(y, other) + byte % to, "an element is elsewhere");
        } while (index_next(ndim, stria_tensor_get_shape(x), at));
    stria_tensor_release(y);
}

static void test_view_dtype(void)
{
    static const int64_t shape[] = {3, 2, 16}, none[] = {2, 0, 3};

    for (int a = 0; a < STRIA_DTYPE_COUNT; a++)
        for (int b = 0; b < STRIA_DTYPE_COUNT; b++) {
            stria_tensor *x = NULL, *turned = NULL, *flipped = NULL, *empty = NULL;
            if (b == STRIA_BOOL && a != b) continue;
            CHECK_STATUS(stria_zeros(shape, 3, (stria_dtype)a, STRIA_CPU, &x, NULL), STRIA_OK);
            CHECK_STATUS(stria_zeros(none, 3, (stria_dtype)a, STRIA_CPU, &empty, NULL), STRIA_OK);
            CHECK_STATUS(stria_transpose(x, 0, 1, &turned, NULL), STRIA_OK);
            CHECK_STATUS(stria_flip(x, (const int[]){1}, 1, &flipped, NULL), STRIA_OK);
            check_view(x, (stria_dtype)b);
            check_view(turned, (stria_dtype)b);
            check_view(flipped, (stria_dtype)b);
            if (3 * stria_dtype_get_size((stria_dtype)a) % stria_dtype_get_size((stria_dtype)b) == 0)
                check_view(empty, (stria_dtype)b);
            stria_tensor_release(x), stria_tensor_release(turned), stria_tensor_release(flipped),
                stria_tensor_release(empty);
        }
}

static void test_view_particular(void)
{
    static const int64_t row[] = {2, 8}, odd[] = {2, 3};
    stria_tensor *x = new_list(STRIA_F32, 3, (const double[]){1, -2.5, 3.75}), *y = NULL, *part = NULL, *one = NULL,
                 *wide = NULL;

    CHECK_STATUS(stria_view_dtype(x, STRIA_I32, &y, NULL), STRIA_OK);
    const int32_t *at = stria_tensor_get_const_data(y);
    CHECK(at[0] == 1065353216 && at[1] == -1071644672 && at[2] == 1081081856, "bits of f32");
    CHECK_STATUS(stria_fill_out(y, (stria_scalar){.i = 0}, y, NULL), STRIA_OK); /* it is a view */
    CHECK(*(const float *)stria_tensor_get_const_data(x) == 0, "a view writes to x");
    stria_tensor_release(y);
    CHECK_STATUS(stria_view_dtype(x, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_F32, "no dtype");
    stria_tensor_release(y), stria_tensor_release(x);
    y = NULL;
    CHECK_STATUS(stria_zeros(row, 2, STRIA_I16, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(odd, 2, STRIA_I16, STRIA_CPU, &wide, NULL), STRIA_OK);
    REFUSED(stria_view_dtype(wide, STRIA_F32, &y, &err), STRIA_ERR_SHAPE, "view_dtype", "x", "whole elements");
    REFUSED(stria_view_dtype(x, STRIA_BOOL, &y, &err), STRIA_ERR_DTYPE, "view_dtype", "dtype", "any but bool");
    REFUSED(stria_view_dtype(x, (stria_dtype)99, &y, &err), STRIA_ERR_DTYPE, "view_dtype", "dtype", "");
    CHECK_STATUS(stria_slice(x, 1, 1, 7, 1, &part, NULL), STRIA_OK); /* begins between two f32 */
    REFUSED(stria_view_dtype(part, STRIA_F32, &y, &err), STRIA_ERR_SHAPE, "view_dtype", "x",
            "a beginning of whole elements");
    stria_tensor_release(part);
    CHECK_STATUS(stria_slice(x, 1, 0, 8, 2, &part, NULL), STRIA_OK);
    REFUSED(stria_view_dtype(part, STRIA_F32, &y, &err), STRIA_ERR_SHAPE, "view_dtype", "x", "side by side");
    REFUSED(stria_view_dtype(part, STRIA_U8, &y, &err), STRIA_ERR_SHAPE, "view_dtype", "x", "side by side");
    stria_tensor_release(part);
    CHECK_STATUS(stria_select(wide, 0, 0, &one, NULL), STRIA_OK);
    CHECK_STATUS(stria_select(one, 0, 0, &part, NULL), STRIA_OK);
    REFUSED(stria_view_dtype(part, STRIA_F32, &y, &err), STRIA_ERR_SHAPE, "view_dtype", "x", "a last axis");
    stria_tensor_release(part), stria_tensor_release(one), stria_tensor_release(x);
    CHECK_STATUS(stria_as_strided(wide, (const int64_t[]){2, 2}, 2, (const int64_t[]){3, 1}, 2, 0, &x, NULL), STRIA_OK);
    REFUSED(stria_view_dtype(x, STRIA_F32, &y, &err), STRIA_ERR_SHAPE, "view_dtype", "x", "steps and a beginning");
    CHECK(y == NULL, "an output of a refused call");
    stria_tensor_release(x), stria_tensor_release(wide);
}

/* ---------------------------------------------------------------- refusals */

static void test_refusals(void)
{
    stria_tensor *whole = new_list(STRIA_I32, 4, (const double[]){1, 2, 3, 4}),
                 *odd = new_list(STRIA_F32, 3, (const double[]){1, 2, 3});
    stria_tensor *zero = NULL, *y = NULL, *z = NULL;

    CHECK_STATUS(stria_select(odd, 0, 0, &zero, NULL), STRIA_OK);
    REFUSED(stria_frexp(whole, &y, &z, &err), STRIA_ERR_DTYPE, "frexp", "x", "x is i32, but must be a float");
    REFUSED(stria_glu(whole, 0, &y, &err), STRIA_ERR_DTYPE, "glu", "x", "i32");
    REFUSED(stria_glu(odd, 0, &y, &err), STRIA_ERR_SHAPE, "glu", "x", "axis 0 of x has size 3");
    REFUSED(stria_glu(zero, 0, &y, &err), STRIA_ERR_SHAPE, "glu", "x", "no axis");
    REFUSED(stria_glu(odd, 1, &y, &err), STRIA_ERR_AXIS, "glu", "dim", "axis 1");
    REFUSED(stria_local_response_norm(odd, 3, 1, 1, 1, &y, &err), STRIA_ERR_SHAPE, "local_response_norm", "x", "[3]");
    CHECK_STATUS(stria_reshape(odd, (const int64_t[]){1, 3, 1}, 3, &z, NULL), STRIA_OK);
    REFUSED(stria_local_response_norm(z, 0, 1, 1, 1, &y, &err), STRIA_ERR_ARGUMENT, "local_response_norm", "size",
            "size is 0");
    stria_tensor_release(z);
    CHECK_STATUS(stria_embedding(NULL, whole, 0, &y, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_reshape(odd, (const int64_t[]){3, 1}, 2, &z, NULL), STRIA_OK);
    REFUSED(stria_embedding(z, whole, 3, &y, &err), STRIA_ERR_ARGUMENT, "embedding", "padding_idx",
            "padding_idx is 3, but weight has 3 rows");
    REFUSED(stria_embedding(z, whole, -4, &y, &err), STRIA_ERR_ARGUMENT, "embedding", "padding_idx",
            "padding_idx is -4");
    stria_tensor_release(whole);
    whole = new_list(STRIA_I32, 2, (const double[]){2, 0});
    CHECK_STATUS(stria_embedding(z, whole, -3, &y, NULL), STRIA_OK); /* the result is that without it */
    CHECK(get(y, (const int64_t[]){0, 0}) == 3 && get(y, (const int64_t[]){1, 0}) == 1, "rows");
    stria_tensor_release(y);
    stria_tensor_release(whole), stria_tensor_release(odd), stria_tensor_release(zero), stria_tensor_release(z);
}

/* ---------------------------------------------------------------- sums of products, numbers in place of infinities, weights */

static void check_list(stria_tensor *y, int64_t n, const double *wanted, const char *what)
{
    stria_tensor *flat = NULL;

    CHECK_STATUS(stria_reshape(y, &n, 1, &flat, NULL), STRIA_OK);
    for (int64_t k = 0; k < n; k++)
        CHECK(get(flat, &k) == wanted[k], "%s: element %d is %g, not %g", what, (int)k, get(flat, &k), wanted[k]);
    stria_tensor_release(flat), stria_tensor_release(y);
}

static void test_numbers(void)
{
    const double  all[] = {-INFINITY, 1, INFINITY};
    stria_tensor *a = new_list(STRIA_F32, 3, (const double[]){1, 2, 3}), *wide = new_list(STRIA_BF16, 3, all),
                 *y = NULL;
    stria_tensor *b = new_list(STRIA_F32, 3, (const double[]){10, 100, 1000}), *x = new_list(STRIA_F32, 3, all);

    for (int value = 1; value < 3; value++) {
        const stria_scalar number = {.kind = STRIA_SCALAR_INT, .i = value};
        CHECK_STATUS(stria_addcmul(a, a, b, number, &y, NULL), STRIA_OK);
        check_list(y, 3, (const double[]){1 + 10 * value, 2 + 200 * value, 3 + 3000 * value}, "addcmul");
    }
    CHECK_STATUS(stria_nan_to_num(wide, 0, NAN, NAN, &y, NULL), STRIA_OK);
    check_list(y, 3, (const double[]){-0x1.fep127, 1, 0x1.fep127}, "nan_to_num of bf16");
    CHECK_STATUS(stria_nan_to_num(x, 0, 7, NAN, &y, NULL), STRIA_OK);
    check_list(y, 3, (const double[]){-FLT_MAX, 1, 7}, "nan_to_num with posinf alone");
    stria_tensor *pair = NULL;
    CHECK_STATUS(stria_tensor_copy(a, STRIA_C64, &pair, NULL), STRIA_OK);
    REFUSED(stria_nan_to_num_out(pair, 0, 1, NAN, pair, &err), STRIA_ERR_DTYPE, "nan_to_num", "a",
            "a is c64, but must be real");
    stria_tensor_release(pair);
    CHECK_STATUS(stria_isclose(a, b, 0.95, 0, false, &y, NULL), STRIA_OK); /* 0.95 of b, not of a */
    CHECK(((const bool *)stria_tensor_get_const_data(y))[0], "isclose is relative to b");
    stria_tensor_release(y);
    CHECK_STATUS(stria_isclose(x, a, INFINITY, 0, false, &y, NULL), STRIA_OK);
    CHECK(!((const bool *)stria_tensor_get_const_data(y))[2], "an infinity is close to itself alone");
    stria_tensor_release(y);
    stria_tensor_release(a), stria_tensor_release(b), stria_tensor_release(x), stria_tensor_release(wide);
}

/* The weights are those of axis 1, whatever follows. */
static void test_channels(void)
{
    stria_tensor *flat = new_list(STRIA_F32, 4, (const double[]){-1, -2, -3, -4}), *x = NULL, *y = NULL;
    stria_tensor *weight = new_list(STRIA_F32, 2, (const double[]){10, 100});

    CHECK_STATUS(stria_reshape(flat, (const int64_t[]){1, 2, 2}, 3, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_prelu(x, weight, &y, NULL), STRIA_OK);
    check_list(y, 4, (const double[]){-10, -20, -300, -400}, "prelu");
    stria_tensor_release(flat), stria_tensor_release(x), stria_tensor_release(weight);
}

/* Numbers limit integers as numbers do, by the row and by the function; without a bound the row is refused. */
static void check_hardtanh(void)
{
    static const uint8_t values[] = {0, 3, 200, 255}, ones[] = {0, 1, 1, 1};
    const int64_t        four = 4;
    stria_tensor        *x, *low, *high, *y[3];

    CHECK_STATUS(stria_tensor_new(STRIA_U8, 1, &four, &x, NULL), STRIA_OK);
    memcpy(stria_tensor_get_data(x), values, sizeof values);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_INT, .i = -1}, &low, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_INT, .i = 300}, &high, NULL), STRIA_OK);
    CHECK_STATUS(stria_apply(STRIA_OP_hardtanh, (const stria_tensor *[]){x, low, high}, 3, &y[0], NULL), STRIA_OK);
    CHECK_STATUS(stria_hardtanh(x, (stria_scalar){STRIA_SCALAR_INT, .i = -1},
                                (stria_scalar){STRIA_SCALAR_INT, .i = 300}, &y[1], NULL),
                 STRIA_OK);
    CHECK_STATUS(stria_hardtanh(x, (stria_scalar){STRIA_SCALAR_INT, .i = -1}, (stria_scalar){STRIA_SCALAR_INT, .i = 1},
                                &y[2], NULL),
                 STRIA_OK);
    for (int k = 0; k < 3; k++)
        CHECK(memcmp(stria_tensor_get_const_data(y[k]), k < 2 ? values : ones, 4) == 0, "hardtanh %d", k);
    CHECK_STATUS(stria_apply_out(STRIA_OP_hardtanh, (const stria_tensor *[]){x, low, high}, 3, x, NULL), STRIA_OK);
    CHECK(memcmp(stria_tensor_get_const_data(x), values, 4) == 0, "hardtanh in place");
    stria_tensor_release(y[0]);
    for (int k = 0; k < 3; k++)
        CHECK(stria_apply(STRIA_OP_hardtanh,
                          (const stria_tensor *[]){k == 0 ? NULL : x, k == 1 ? NULL : low, k == 2 ? NULL : high}, 3,
                          &y[0], NULL) == STRIA_ERR_ARGUMENT,
              "hardtanh without tensor %d", k);
    stria_tensor_release(x), stria_tensor_release(low), stria_tensor_release(high);
    stria_tensor_release(y[1]), stria_tensor_release(y[2]);
}

SUITE(test_element)
{
    check_hardtanh();
    test_numbers();
    test_channels();
    test_frexp();
    test_glu();
    test_comparisons();
    test_bounds();
    test_local_response();
    test_view_dtype();
    test_view_particular();
    test_refusals();
    return check_finish("test_element");
}
