/* test_row_backward.c - softmax_backward, log_softmax_backward and layer_norm_backward against long double: float dtypes, axes, layouts, lengths
 * around vectors and blocks, many rows, optional weight, empty inputs, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refused.h"

static random_state random_numbers = {9};

/* Elements along an axis of x from *index on, whose entry of the axis is 0. */
static long double *read_row(const stria_tensor *x, int axis, int64_t *index)
{
    const int64_t length = stria_tensor_get_ndim(x) > 0 ? stria_tensor_get_shape(x)[axis] : 1;
    long double  *row = calloc((size_t)length + 1, sizeof *row);

    for (int64_t k = 0; k < length; k++) {
        if (stria_tensor_get_ndim(x) > 0) index[axis] = k;
        row[k] = value_get(stria_tensor_get_dtype(x), tensor_at(x, index)).real;
    }
    if (stria_tensor_get_ndim(x) > 0) index[axis] = 0;
    return row;
}

/* Relative to the largest sizes that meet in the sum, `scale`. */
static bool is_near(stria_dtype dtype, long double got, long double exact, long double scale)
{
    const long double unit = dtype == STRIA_F64   ? 0x1p-53L
                             : dtype == STRIA_F32 ? 0x1p-24L
                             : dtype == STRIA_F16 ? 0x1p-11L
                                                  : 0x1p-8L;
    return fabsl(got - exact) <= 40 * unit * (scale + fabsl(exact)) + 1e-7L * (dtype == STRIA_F16);
}

/* A tensor with numbers from [-2, 2), in a layout: row-major, with the last axis reversed, or with the first and last exchanged. */
static stria_tensor *new_tensor(stria_dtype dtype, int ndim, const int64_t *shape, int layout)
{
    int64_t       turned[4] = {0};
    const int     last = ndim - 1;
    stria_tensor *base = NULL, *x = NULL;

    for (int d = 0; d < ndim; d++) turned[d] = shape[d];
    if (layout == 2 && ndim > 1) turned[0] = shape[last], turned[last] = shape[0];
    CHECK_STATUS(stria_tensor_new(dtype, ndim, turned, &base, NULL), STRIA_OK);
    tensor_fill_random(&random_numbers, base, 0, 2);
    if (layout == 0 || ndim == 0) return base;
    if (layout == 1)
        CHECK_STATUS(stria_flip(base, &last, 1, &x, NULL), STRIA_OK);
    else
        CHECK_STATUS(stria_transpose(base, 0, -1, &x, NULL), STRIA_OK);
    stria_tensor_release(base);
    return x;
}

/* ---------------------------------------------------------------- softmax */

static void check_softmax(stria_dtype dtype, int ndim, const int64_t *shape, int axis, int layout, bool is_log)
{
    stria_tensor *g = new_tensor(dtype, ndim, shape, layout), *y = new_tensor(dtype, ndim, shape, 2 - layout),
                 *x = NULL;
    int64_t       outer[4], index[4] = {0};
    const int64_t length = ndim > 0 ? shape[axis] : 1;

    CHECK_STATUS((is_log ? stria_log_softmax_backward : stria_softmax_backward)(g, y, axis, &x, NULL), STRIA_OK);
    for (int d = 0; d < ndim; d++) outer[d] = d == axis ? 1 : shape[d];
    if (x != NULL && stria_tensor_get_numel(x) > 0) do {
            long double *gs = read_row(g, axis, index), *ys = read_row(y, axis, index), *xs = read_row(x, axis, index);
            long double  sum = 0, sizes = 0;
            for (int64_t k = 0; k < length; k++) sum += is_log ? gs[k] : gs[k] * ys[k], sizes += fabsl(gs[k]) * 2;
            for (int64_t k = 0; k < length; k++) {
                const long double exact = is_log ? gs[k] - expl(ys[k]) * sum : ys[k] * (gs[k] - sum);
                const long double scale = (is_log ? expl(ys[k]) : fabsl(ys[k])) * sizes;
                CHECK(is_near(dtype, xs[k], exact, scale), "%s, %s, axis %d of %d, layout %d: %Lg, expected %Lg",
                      is_log ? "log_softmax" : "softmax", stria_dtype_get_name(dtype), axis, ndim, layout, xs[k],
                      exact);
            }
            free(gs), free(ys), free(xs);
        } while (index_next(ndim, outer, index));
    stria_tensor_release(g);
    stria_tensor_release(y);
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- layer_norm, rms_norm */

/* x, g of [n_rows, length]. */
static void check_norm(stria_dtype dtype, int64_t n_rows, int64_t length, bool has_weight, int layout, bool is_rms)
{
    const int64_t shape[] = {n_rows, length};
    stria_tensor *g = new_tensor(dtype, 2, shape, layout), *x = new_tensor(dtype, 2, shape, 2 - layout), *w = NULL;
    stria_tensor *ys[3] = {NULL};
    long double  *sums[2] = {calloc((size_t)length + 1, sizeof **sums), calloc((size_t)length + 1, sizeof **sums)};
    int64_t       index[2] = {0};

    if (has_weight) w = new_tensor(dtype, 1, &length, 1);
    CHECK_STATUS(is_rms ? stria_rms_norm_backward(g, x, w, &length, 1, 0.01, &ys[0], &ys[1], NULL)
                        : stria_layer_norm_backward(g, x, w, &length, 1, 0.01, &ys[0], &ys[1], &ys[2], NULL),
                 STRIA_OK);
    long double *ws = w ? read_row(w, 0, index) : NULL;
    for (int64_t row = 0; row < n_rows && ys[0]; row++) {
        index[0] = row, index[1] = 0;
        long double *gs = read_row(g, 1, index), *xs = read_row(x, 1, index), *got = read_row(ys[0], 1, index);
        long double  mean = 0, m2 = 0, h = 0, hz = 0, sizes = 0;
        for (int64_t k = 0; k < length && !is_rms; k++) mean += xs[k] / (long double)length;
        for (int64_t k = 0; k < length; k++) m2 += (xs[k] - mean) * (xs[k] - mean) / (long double)length;
        const long double factor = 1 / sqrtl(m2 + 0.01L);
        for (int64_t k = 0; k < length; k++) {
            const long double z = (xs[k] - mean) * factor, part = gs[k] * (ws ? ws[k] : 1);
            h += is_rms ? 0 : part / (long double)length, hz += part * z / (long double)length,
                sizes += fabsl(part) * (1 + fabsl(z));
            sums[0][k] += gs[k] * z, sums[1][k] += gs[k];
        }
        for (int64_t k = 0; k < length; k++) {
            const long double z = (xs[k] - mean) * factor, exact = (gs[k] * (ws ? ws[k] : 1) - h - z * hz) * factor;
            CHECK(is_near(dtype, got[k], exact, (2 + fabsl(z)) * factor * (4 + sizes / (long double)length)),
                  "%s_norm, %s, %d rows of %d: %Lg, expected %Lg", is_rms ? "rms" : "layer",
                  stria_dtype_get_name(dtype), (int)n_rows, (int)length, got[k], exact);
        }
        free(gs), free(xs), free(got);
    }
    index[0] = index[1] = 0;
    for (int which = 0; which < 2 && ys[1 + which]; which++) {
        long double *got = read_row(ys[1 + which], 0, index);
        for (int64_t k = 0; k < length; k++)
            CHECK(is_near(dtype, got[k], sums[which][k], 4 * (long double)n_rows),
                  "norm, %s, %d rows of %d: %s %Lg, expected %Lg", stria_dtype_get_name(dtype), (int)n_rows,
                  (int)length, which ? "bias" : "weight", got[k], sums[which][k]);
        free(got);
    }
    free(ws), free(sums[0]), free(sums[1]);
    for (int k = 0; k < 3; k++) stria_tensor_release(ys[k]);
    stria_tensor_release(g);
    stria_tensor_release(x);
    stria_tensor_release(w);
}

static void check_refusals(void)
{
    const int64_t shape[] = {2, 3}, other[] = {3, 2}, three = 3, two = 2;
    stria_tensor *x = new_tensor(STRIA_F32, 2, shape, 0), *g = new_tensor(STRIA_F32, 2, other, 0), *whole = NULL;
    stria_tensor *y = NULL, *u = NULL, *v = NULL, *w = new_tensor(STRIA_F32, 1, &two, 0);

    CHECK_STATUS(stria_tensor_new(STRIA_I32, 2, shape, &whole, NULL), STRIA_OK);
    REFUSED_NEW(stria_softmax_backward(g, x, 1, &y, &err), STRIA_ERR_SHAPE, "softmax_backward", "gradient",
                "gradient has shape [3,2], but y has [2,3]");
    REFUSED_NEW(stria_log_softmax_backward(x, whole, 1, &y, &err), STRIA_ERR_DTYPE, "log_softmax_backward", "y",
                "a float");
    REFUSED_NEW(stria_softmax_backward(x, x, 2, &y, &err), STRIA_ERR_AXIS, "softmax_backward", "dim", "2");
    REFUSED_NEW(stria_layer_norm_backward(x, x, w, &three, 1, 1e-5, &y, &u, &v, &err), STRIA_ERR_SHAPE,
                "layer_norm_backward", "weight", "weight has shape [2], but must have [3]");
    REFUSED_NEW(stria_layer_norm_backward(x, x, NULL, &two, 1, 1e-5, &y, &u, &v, &err), STRIA_ERR_SHAPE,
                "layer_norm_backward", "x", "x has shape [2,3], but must end in [2]");
    REFUSED_NEW(stria_layer_norm_backward(x, x, NULL, NULL, 0, 1e-5, &y, &u, &v, &err), STRIA_ERR_ARGUMENT,
                "layer_norm_backward", "normalized_shape", "empty");
    REFUSED_NEW(stria_rms_norm_backward(x, x, w, &three, 1, 1e-5, &y, &u, &err), STRIA_ERR_SHAPE, "rms_norm_backward",
                "weight", "weight has shape [2], but must have [3]");
    REFUSED_NEW(stria_rms_norm_backward(x, whole, NULL, &three, 1, 1e-5, &y, &u, &err), STRIA_ERR_DTYPE,
                "rms_norm_backward", "x", "a float");
    REFUSED_NEW(stria_layer_norm_backward(x, x, whole, &three, 1, 1e-5, &y, &u, &v, &err), STRIA_ERR_DTYPE,
                "layer_norm_backward", "weight", "a float");
    stria_tensor_release(x);
    stria_tensor_release(g);
    stria_tensor_release(w);
    stria_tensor_release(whole);
}

SUITE(test_row_backward)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16};
    static const int64_t     lengths[] = {1, 3, 16, 63, 64, 65, 700, 4097};
    static const int64_t     shapes[][4] = {{2, 3, 4, 5}, {70, 33, 1, 2}, {0, 3, 2, 1}};

    check_isa("test_row_backward");
    for (int d = 0; d < 4; d++) {
        for (int layout = 0; layout < 3; layout++) {
            for (int n = 0; n < 8; n++) {
                const int64_t shape[] = {3, lengths[n]};
                for (int is_log = 0; is_log < 2; is_log++) check_softmax(dtypes[d], 2, shape, 1, layout, is_log);
                check_norm(dtypes[d], 3, lengths[n], n & 1, layout, false);
                check_norm(dtypes[d], 3, lengths[n], n & 1, layout, true);
            }
            for (int n = 0; n < 3; n++)
                for (int axis = 0; axis < 4; axis++) check_softmax(dtypes[d], 4, shapes[n], axis, layout, axis & 1);
            check_norm(dtypes[d], 150, 20, true, layout, layout == 1);
            check_norm(dtypes[d], 0, 5, true, layout, layout == 1);
        }
        check_softmax(dtypes[d], 0, NULL, 0, 0, false);
    }
    check_norm(STRIA_F32, 3000, 33, false, 0, false); /* several threads */
    check_refusals();
    return check_finish("test_row_backward");
}
