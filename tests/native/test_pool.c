/* test_pool.c - pooling against plain loops in double: windows, padding, ceil_mode, dtypes, layouts, ties, NaN, adaptive windows, refusals. */
#include <math.h>
#include <string.h>

#include "isa.h"
#include "oracle.h"
#include "refused.h"
#include "suite.h"

typedef struct scene {
    int     n, ndim; /* pooled axes; of x, with a batch or without */
    int64_t x[5];
    int64_t taps[3], stride[3], padding[3], dilation[3];
    bool    has_stride, ceil_mode;
} scene;

#define ONES    \
    {           \
        1, 1, 1 \
    }
#define NONE    \
    {           \
        0, 0, 0 \
    }
static const scene scenes[] = {
    {1, 3, {2, 3, 9}, {3}, {2}, {1}, ONES, true, false},
    {1, 2, {3, 10}, {4}, NONE, NONE, ONES, false, true},
    {1, 3, {1, 2, 11}, {3}, {2}, {2}, {3}, true, true},
    {2, 4, {2, 3, 8, 9}, {2, 2}, NONE, NONE, ONES, false, false},
    {2, 4, {2, 3, 9, 8}, {3, 3}, {2, 2}, {1, 1}, ONES, true, false},
    {2, 4, {1, 2, 7, 6}, {2, 3}, {3, 2}, {1, 0}, ONES, true, true},
    {2, 3, {4, 7, 7}, {3, 2}, {1, 3}, {1, 1}, {2, 3}, true, true},
    {2, 4, {2, 2, 5, 5}, {5, 5}, ONES, {2, 2}, ONES, true, false},
    {2, 4, {2, 1, 2, 2}, {3, 3}, {2, 2}, {1, 1}, ONES, true, true},
    {2, 4, {0, 2, 4, 4}, {2, 2}, NONE, NONE, ONES, false, false},
    {3, 5, {2, 2, 4, 5, 6}, {2, 3, 2}, {2, 1, 2}, {1, 1, 0}, ONES, true, false},
    {3, 4, {2, 5, 4, 6}, {2, 2, 3}, NONE, {1, 0, 1}, ONES, false, true},
};
enum { N_SCENES = sizeof scenes / sizeof *scenes };

/* ---------------------------------------------------------------- plain loops */

static double get(const stria_tensor *x, const int64_t *index)
{
    const value v = value_get(stria_tensor_get_dtype(x), tensor_at(x, index));

    return dtype_is_float(stria_tensor_get_dtype(x)) ? v.real : (double)v.whole;
}

static int64_t get_stride(const scene *s, int d) { return s->has_stride ? s->stride[d] : s->taps[d]; }

/* How many windows, counted one after another. */
static int64_t get_out(const scene *s, int d, bool is_mean)
{
    const int64_t in = s->x[s->ndim - s->n + d], reach = (s->taps[d] - 1) * (is_mean ? 1 : s->dilation[d]) + 1;
    int64_t       n = 0;

    for (int64_t at = -s->padding[d];; at += get_stride(s, d)) {
        const bool is_whole = at + reach <= in + s->padding[d], begins = at < in;
        const bool reaches = s->ceil_mode && begins && at - get_stride(s, d) + reach < in + s->padding[d];
        if (!is_whole && !reaches) return n;
        n++;
    }
}

static bool is_larger(const stria_tensor *x, const int64_t *a, const int64_t *b)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    const value       one = value_get(dtype, tensor_at(x, a)), other = value_get(dtype, tensor_at(x, b));

    return dtype_is_float(dtype) ? one.real > other.real || isnan(one.real) : one.whole > other.whole;
}

/* What a window holds: its largest element by PyTorch's order, its sum, and how many places count. */
typedef struct found {
    double  largest, sum, size;
    int64_t at, n_inside, n_padded;
} found;

static void visit_window(const scene *s, const stria_tensor *x, const int64_t *y, bool is_mean, found *f)
{
    int64_t taps[3] = {1, 1, 1}, t[3] = {0}, index[5] = {0}, largest[5] = {0};
    int     first = s->ndim - s->n;

    *f = (found){-INFINITY, 0, 0, -1, 0, 0};
    for (int d = 0; d < s->n; d++) taps[d] = s->taps[d];
    for (int d = 0; d < first; d++) index[d] = y[d];
    do {
        bool    is_inside = true, is_padded = true;
        int64_t place = 0;
        for (int d = 0; d < s->n; d++) {
            const int64_t in = s->x[first + d];
            const int64_t at = y[first + d] * get_stride(s, d) + t[d] * (is_mean ? 1 : s->dilation[d]) - s->padding[d];
            is_inside = is_inside && at >= 0 && at < in;
            is_padded = is_padded && at < in + s->padding[d];
            index[first + d] = at;
            place = place * in + at;
        }
        f->n_padded += is_padded;
        if (!is_inside) continue;
        const double v = get(x, index);
        if (f->at < 0 || is_larger(x, index, largest)) {
            f->largest = v;
            f->at = place;
            memcpy(largest, index, sizeof largest);
        }
        f->sum += v;
        f->size += fabs(v);
        f->n_inside++;
    } while (index_next(3, taps, t));
}

/* ---------------------------------------------------------------- largest elements */

static stria_status run_max(const scene *s, const stria_tensor *x, stria_tensor **y, stria_tensor **at)
{
#define CALL(name) name(x, s->taps, s->has_stride ? s->stride : NULL, s->padding, s->dilation, s->ceil_mode
    if (at == NULL)
        return s->n == 1   ? CALL(stria_max_pool1d), y, NULL)
               : s->n == 2 ? CALL(stria_max_pool2d), y, NULL)
                           : CALL(stria_max_pool3d), y, NULL);
    return s->n == 1   ? CALL(stria_max_pool1d_with_indices), y, at, NULL)
           : s->n == 2 ? CALL(stria_max_pool2d_with_indices), y, at, NULL)
                       : CALL(stria_max_pool3d_with_indices), y, at, NULL);
#undef CALL
}

static bool has_shape(const stria_tensor *y, const scene *s, bool is_mean, int64_t *shape)
{
    bool is_same = stria_tensor_get_ndim(y) == s->ndim;

    for (int d = 0; d < s->ndim; d++) {
        shape[d] = d < s->ndim - s->n ? s->x[d] : get_out(s, d - s->ndim + s->n, is_mean);
        is_same = is_same && stria_tensor_get_shape(y)[d] == shape[d];
    }
    return is_same;
}

static void check_max(const scene *s, int number, const stria_tensor *x)
{
    const char   *dtype = stria_dtype_get_name(stria_tensor_get_dtype(x));
    stria_tensor *y = NULL, *at = NULL, *alone = NULL;
    int64_t       shape[5], index[5] = {0};
    bool          is_fine = true;

    CHECK_STATUS(run_max(s, x, &y, &at), STRIA_OK);
    CHECK_STATUS(run_max(s, x, &alone, NULL), STRIA_OK);
    if (y == NULL || alone == NULL) return;
    is_fine = has_shape(y, s, false, shape) && has_shape(at, s, false, shape) && has_shape(alone, s, false, shape);
    CHECK(is_fine && stria_tensor_get_dtype(y) == stria_tensor_get_dtype(x) && stria_tensor_get_dtype(at) == STRIA_I64,
          "max_pool %d: shape", number);
    if (!is_fine || stria_tensor_get_numel(y) == 0) goto end;
    do {
        found f;
        visit_window(s, x, index, false, &f);
        const double  got = get(y, index), other = get(alone, index);
        const int64_t place = (int64_t)value_get(STRIA_I64, tensor_at(at, index)).whole;
        is_fine = (isnan(f.largest) ? isnan(got) && isnan(other) : got == f.largest && other == got) && place == f.at;
        CHECK(is_fine, "max_pool %d of %s: %g at %lld, not %g at %lld", number, dtype, got, (long long)place, f.largest,
              (long long)f.at);
    } while (is_fine && index_next(s->ndim, shape, index));
end:
    stria_tensor_release(y);
    stria_tensor_release(at);
    stria_tensor_release(alone);
}

static const layout layouts[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED,
                                 LAYOUT_OFFSET,     LAYOUT_STEPPED,    LAYOUT_EXPANDED};
enum { N_LAYOUTS = sizeof layouts / sizeof *layouts };

/* Random elements have NaN and infinities among them, and whole ones many that are equal. */
static void test_max(void)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16, STRIA_I8,  STRIA_U8,
                                         STRIA_I16, STRIA_U16, STRIA_I32, STRIA_U32,  STRIA_I64, STRIA_U64};
    random_state             random = {21};

    for (int k = 0; k < N_SCENES; k++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            for (int l = 0; l < N_LAYOUTS; l++) {
                stria_tensor *x = tensor_random(&random, dtypes[d], layouts[l], scenes[k].ndim, scenes[k].x, 0, 5);
                if (x != NULL) check_max(&scenes[k], k, x);
                stria_tensor_release(x);
            }
}

/* ---------------------------------------------------------------- means */

static stria_status run_mean(const scene *s, const stria_tensor *x, bool has_padding, int64_t divisor, stria_tensor **y)
{
    const int64_t *stride = s->has_stride ? s->stride : NULL;

    if (s->n == 1) return stria_avg_pool1d(x, s->taps, stride, s->padding, s->ceil_mode, has_padding, y, NULL);
    return (s->n == 2 ? stria_avg_pool2d : stria_avg_pool3d)(x, s->taps, stride, s->padding, s->ceil_mode, has_padding,
                                                             divisor, y, NULL);
}

static double get_tolerance(stria_dtype dtype)
{
    return dtype == STRIA_F64 ? 1e-15 : dtype == STRIA_F32 ? 1e-6 : dtype == STRIA_F16 ? 1e-3 : 8e-3;
}

static void check_mean(const scene *s, int number, const stria_tensor *x, bool has_padding, int64_t divisor)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    stria_tensor     *y = NULL;
    int64_t           shape[5], index[5] = {0};
    bool              is_fine;

    CHECK_STATUS(run_mean(s, x, has_padding, divisor, &y), STRIA_OK);
    if (y == NULL) return;
    is_fine = has_shape(y, s, true, shape) && stria_tensor_get_dtype(y) == dtype;
    CHECK(is_fine, "avg_pool %d: shape", number);
    if (is_fine && stria_tensor_get_numel(y) > 0) do {
            found f;
            visit_window(s, x, index, true, &f);
            const double n = divisor != STRIA_INT_NONE ? (double)divisor
                             : has_padding             ? (double)f.n_padded
                                                       : (double)f.n_inside;
            const double got = get(y, index), expected = f.sum / n;
            is_fine = fabs(got - expected) <= get_tolerance(dtype) * (f.size / fabs(n) + fabs(expected)) + 1e-30;
            CHECK(is_fine, "avg_pool %d of %s: %g, not %g", number, stria_dtype_get_name(dtype), got, expected);
        } while (is_fine && index_next(s->ndim, shape, index));
    stria_tensor_release(y);
}

static void test_means(void)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16};
    random_state             random = {22};

    for (int k = 0; k < N_SCENES; k++)
        for (int d = 0; d < 4 && scenes[k].padding[0] <= scenes[k].taps[0] / 2; d++)
            for (int l = 0; l < (d == 0 ? N_LAYOUTS : 1); l++) {
                stria_tensor *x = tensor_random(&random, dtypes[d], layouts[l], scenes[k].ndim, scenes[k].x, -5, 5);
                if (x == NULL) continue;
                tensor_fill_random(&random, x, 1, 5);
                check_mean(&scenes[k], k, x, true, STRIA_INT_NONE);
                check_mean(&scenes[k], k, x, false, STRIA_INT_NONE);
                if (scenes[k].n > 1) check_mean(&scenes[k], k, x, true, -3);
                stria_tensor_release(x);
            }
}

/* ---------------------------------------------------------------- adaptive windows */

typedef stria_status adaptive_fn(const stria_tensor *x, const int64_t *size, stria_tensor **y, stria_error *err);

/* x [2, 3, 7, 10], or [3, 10] of one axis. */
static void check_adaptive(adaptive_fn *run, int n, bool is_max, const int64_t *size, stria_dtype dtype)
{
    static const int64_t shapes[][4] = {{3, 10}, {2, 3, 7, 10}};
    const int64_t       *in = shapes[n - 1];
    random_state         random = {23};
    stria_tensor        *x = tensor_random(&random, dtype, LAYOUT_TRANSPOSED, 2 * n, in, -5, 5), *y = NULL;
    int64_t              shape[4], index[4] = {0};

    tensor_fill_random(&random, x, 0, 9);
    for (int d = 0; d < 2 * n; d++) shape[d] = d < n ? in[d] : size[d - n];
    CHECK_STATUS(run(x, size, &y, NULL), STRIA_OK);
    CHECK(y != NULL && memcmp(stria_tensor_get_shape(y), shape, sizeof *shape * (size_t)(2 * n)) == 0,
          "adaptive shape");
    bool is_fine = y != NULL;
    while (is_fine) {
        int64_t at[4] = {index[0], index[1]}, low[2] = {0, 0}, high[2] = {1, 1};
        double  sum = 0, largest = -INFINITY, count = 0;
        for (int d = 0; d < n; d++) {
            low[d] = index[n + d] * in[n + d] / size[d];
            high[d] = (in[n + d] * (index[n + d] + 1) + size[d] - 1) / size[d];
        }
        for (at[n] = low[0]; at[n] < high[0]; at[n]++)
            for (int64_t k = low[1]; k < high[1]; k++) {
                if (n == 2) at[3] = k;
                sum += get(x, at);
                largest = fmax(largest, get(x, at));
                count++;
            }
        const double got = get(y, index), expected = is_max ? largest : sum / count;
        is_fine = is_max ? got == expected : fabs(got - expected) <= 9 * get_tolerance(dtype);
        CHECK(is_fine, "adaptive of %lld: %g, not %g", (long long)size[0], got, expected);
        is_fine = is_fine && index_next(2 * n, shape, index);
    }
    stria_tensor_release(x);
    stria_tensor_release(y);
}

static void test_adaptive(void)
{
    static const int64_t sizes[][2] = {{1, 1}, {7, 5}, {3, 4}, {7, 10}, {9, 13}, {1, 10}};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        check_adaptive(stria_adaptive_avg_pool2d, 2, false, sizes[k], STRIA_F32);
        check_adaptive(stria_adaptive_avg_pool2d, 2, false, sizes[k], STRIA_F16);
        check_adaptive(stria_adaptive_max_pool2d, 2, true, sizes[k], STRIA_F64);
        check_adaptive(stria_adaptive_max_pool2d, 2, true, sizes[k], STRIA_I32);
        check_adaptive(stria_adaptive_avg_pool1d, 1, false, sizes[k] + 1, STRIA_F64);
        check_adaptive(stria_adaptive_max_pool1d, 1, true, sizes[k] + 1, STRIA_F32);
    }
}

/* ---------------------------------------------------------------- refusals */

static void test_refusals(void)
{
    static const int64_t shape[] = {2, 3, 4, 5}, two[] = {2, 2}, zero[] = {2, 0}, less[] = {-1, 0}, large[] = {6, 2},
                         far[] = {1, 7}, huge[] = {INT64_MAX, 2}, none[] = {2, 3, 0, 4};
    stria_device  cpu = {STRIA_DEVICE_CPU, 0};
    stria_tensor *x = NULL, *flags = NULL, *empty = NULL, *whole = NULL, *vector = NULL, *y = NULL;

    CHECK_STATUS(stria_zeros(shape, 4, STRIA_F32, cpu, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(shape, 4, STRIA_BOOL, cpu, &flags, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(shape, 4, STRIA_I64, cpu, &whole, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(none, 4, STRIA_F32, cpu, &empty, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(shape, 1, STRIA_F32, cpu, &vector, NULL), STRIA_OK);
#define MAX(x, taps, stride, padding, dilation) stria_max_pool2d(x, taps, stride, padding, dilation, false, &y, &err)
    REFUSED_NEW(MAX(vector, two, NULL, NULL, NULL), STRIA_ERR_SHAPE, "max_pool2d", "x", "3 or 4 dims");
    REFUSED_NEW(MAX(flags, two, NULL, NULL, NULL), STRIA_ERR_DTYPE, "max_pool2d", "x", "a real number");
    REFUSED_NEW(MAX(empty, two, NULL, NULL, NULL), STRIA_ERR_SHAPE, "max_pool2d", "x", "0 elements");
    REFUSED_NEW(MAX(x, NULL, NULL, NULL, NULL), STRIA_ERR_ARGUMENT, "max_pool2d", "kernel_size", "1 or more");
    REFUSED_NEW(MAX(x, zero, NULL, NULL, NULL), STRIA_ERR_ARGUMENT, "max_pool2d", "kernel_size", "1 or more");
    REFUSED_NEW(MAX(x, two, zero, NULL, NULL), STRIA_ERR_ARGUMENT, "max_pool2d", "stride", "1 or more");
    REFUSED_NEW(MAX(x, two, NULL, less, NULL), STRIA_ERR_ARGUMENT, "max_pool2d", "padding", "0 or more");
    REFUSED_NEW(MAX(x, two, NULL, two, NULL), STRIA_ERR_ARGUMENT, "max_pool2d", "padding", "half of a window");
    REFUSED_NEW(MAX(x, two, NULL, NULL, zero), STRIA_ERR_ARGUMENT, "max_pool2d", "dilation", "1 or more");
    REFUSED_NEW(MAX(x, large, NULL, NULL, NULL), STRIA_ERR_SHAPE, "max_pool2d", "x", "4 elements");
    REFUSED_NEW(MAX(x, two, NULL, NULL, far), STRIA_ERR_SHAPE, "max_pool2d", "x", "5 elements");
    REFUSED_NEW(MAX(x, huge, NULL, NULL, two), STRIA_ERR_OVERFLOW, "max_pool2d", "dilation", "2^63");
    REFUSED_NEW(MAX(x, huge, NULL, NULL, NULL), STRIA_ERR_SHAPE, "max_pool2d", "x", "4 elements");
#undef MAX
#define MEAN(x, taps, divisor) stria_avg_pool2d(x, taps, NULL, NULL, false, true, divisor, &y, &err)
    REFUSED_NEW(MEAN(whole, two, 1), STRIA_ERR_DTYPE, "avg_pool2d", "x", "a float");
    REFUSED_NEW(MEAN(x, two, 0), STRIA_ERR_ARGUMENT, "avg_pool2d", "divisor_override", "other than 0");
    REFUSED_NEW(MEAN(x, large, 1), STRIA_ERR_SHAPE, "avg_pool2d", "x", "4 elements");
#undef MEAN
    REFUSED_NEW(stria_adaptive_avg_pool2d(x, zero, &y, &err), STRIA_ERR_ARGUMENT, "adaptive_avg_pool2d", "output_size",
                "1 or more");
    REFUSED_NEW(stria_adaptive_avg_pool2d(whole, two, &y, &err), STRIA_ERR_DTYPE, "adaptive_avg_pool2d", "x",
                "a float");
    REFUSED_NEW(stria_adaptive_max_pool2d(flags, two, &y, &err), STRIA_ERR_DTYPE, "adaptive_max_pool2d", "x",
                "a real number");
    REFUSED_NEW(stria_adaptive_max_pool1d(x, two, &y, &err), STRIA_ERR_SHAPE, "adaptive_max_pool1d", "x",
                "2 or 3 dims");
    REFUSED_NEW(stria_adaptive_avg_pool2d(empty, two, &y, &err), STRIA_ERR_SHAPE, "adaptive_avg_pool2d", "x",
                "elements along each axis");
    stria_tensor_release(x);
    stria_tensor_release(flags);
    stria_tensor_release(whole);
    stria_tensor_release(empty);
    stria_tensor_release(vector);
}

SUITE(test_pool)
{
    check_isa("test_pool");
    test_max();
    test_means();
    test_adaptive();
    test_refusals();
    return check_finish("test_pool");
}
