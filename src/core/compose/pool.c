/* pool.c - pooling: largest elements by the row max_pool3d_with_indices, means by a convolution with ones, which adds in the order of x. */
#include "base/alloc.h"
#include "base/error.h"
#include "call/pooling.h"
#include "compose/spatial.h"

#define DIMS STRIA_CONV_DIMS

static stria_tensor *unconst(const stria_tensor *x) { return (stria_tensor *)(uintptr_t)x; }

/* ---------------------------------------------------------------- largest elements */

static stria_status pool_max(const stria_call *call, const stria_pool_attrs *a, stria_tensor **y,
                             stria_tensor **indices, stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0], *wide;
    const stria_dtype   dtype = x->dtype;
    int64_t             out[DIMS], kernel_size[DIMS], stride[DIMS], padding[DIMS], dilation[DIMS];
    stria_tensor       *values, *places;

    if (dtype == STRIA_BOOL || stria_dtype_is_complex(dtype))
        return stria_infer_refuse_dtype(call, "x", dtype, "a real number", err);
    STRIA_TRY(stria_pool_get_shape(a, x, out, err));
    STRIA_TRY(stria_spatial_widen(x, a->n, temps, &wide, err));
    stria_spatial_fill(a->n, a->kernel_size, 1, kernel_size);
    stria_spatial_fill(a->n, a->stride, 1, stride);
    stria_spatial_fill(a->n, a->padding, 0, padding);
    stria_spatial_fill(a->n, a->dilation, 1, dilation);
    STRIA_TRY(stria_max_pool3d_with_indices(wide, kernel_size, stride, padding, dilation, a->ceil_mode, &values,
                                            &places, err));
    const stria_status status = stria_temps_keep(temps, values, err);
    if (status != STRIA_OK) stria_tensor_release(places);
    STRIA_TRY(status);
    STRIA_TRY(stria_temps_keep(temps, places, err));
    if (indices != NULL) STRIA_TRY(stria_spatial_narrow(places, x, a->n, indices, err));
    return stria_spatial_narrow(values, x, a->n, y, err);
}

#define MAX_POOL(row, n, indices)                                                                                    \
    stria_status stria_compose_##row(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err) \
    {                                                                                                                \
        const stria_##row##_attrs *a = call->attrs;                                                                  \
        const stria_pool_attrs     p = {#row, n, a->kernel_size, a->stride, a->padding, a->dilation, a->ceil_mode};  \
        return pool_max(call, &p, y, indices, temps, err);                                                           \
    }
MAX_POOL(max_pool1d, 1, NULL)
MAX_POOL(max_pool2d, 2, NULL)
MAX_POOL(max_pool3d, 3, NULL)
MAX_POOL(max_pool1d_with_indices, 1, &y[1])
MAX_POOL(max_pool2d_with_indices, 2, &y[1])
#undef MAX_POOL

/* ---------------------------------------------------------------- means */

/* Sums of windows of x [planes, 1, ..]; `more` zeros behind x, and padding on both sides. */
typedef struct windows {
    int64_t kernel_size[DIMS], stride[DIMS], padding[DIMS], more[DIMS];
} windows;

static stria_status pad_ends(const stria_tensor *x, const int64_t *before, const int64_t *after, double value,
                             stria_temps *temps, const stria_tensor **padded, stria_error *err)
{
    const stria_scalar number = {.kind = STRIA_SCALAR_FLOAT, .re = value};
    int64_t            pairs[2 * DIMS];
    bool               is_any = false;

    *padded = x;
    for (int d = 0; d < DIMS; d++) {
        pairs[2 * (DIMS - 1 - d)] = before[d];
        pairs[2 * (DIMS - 1 - d) + 1] = after[d];
        is_any = is_any || before[d] > 0 || after[d] > 0;
    }
    if (!is_any) return STRIA_OK;
    STRIA_TRY(stria_pad(x, pairs, 2 * DIMS, "constant", number, STRIA_TEMP, err));
    *padded = STRIA_LAST;
    return STRIA_OK;
}

static stria_status add_up(const stria_tensor *x, const windows *w, const int64_t *padding, stria_temps *temps,
                           stria_error *err)
{
    static const int64_t none[DIMS] = {0};
    const int64_t        shape[] = {1, 1, w->kernel_size[0], w->kernel_size[1], w->kernel_size[2]};
    const stria_tensor  *padded;

    STRIA_TRY(pad_ends(x, none, w->more, 0, temps, &padded, err));
    STRIA_TRY(stria_ones(shape, DIMS + 2, x->dtype, x->device, STRIA_TEMP, err));
    return stria_convolution(padded, STRIA_LAST, NULL, w->stride, padding, NULL, false, NULL, 1, STRIA_TEMP, err);
}

/* How many elements the windows have: 1 for each element of x, and of the padding, if that counts. */
static stria_status count(const stria_tensor *x, const windows *w, bool has_padding, stria_temps *temps,
                          stria_error *err)
{
    static const int64_t none[DIMS] = {0};
    const int64_t        shape[] = {1, 1, x->shape[2], x->shape[3], x->shape[4]};
    const stria_tensor  *ones;

    STRIA_TRY(stria_ones(shape, DIMS + 2, x->dtype, x->device, STRIA_TEMP, err));
    ones = STRIA_LAST;
    if (has_padding) STRIA_TRY(pad_ends(ones, w->padding, w->padding, 1, temps, &ones, err));
    return add_up(ones, w, has_padding ? none : w->padding, temps, err);
}

static bool has_any(const int64_t *numbers)
{
    for (int d = 0; d < DIMS; d++)
        if (numbers[d] > 0) return true;
    return false;
}

static stria_status divide(const stria_tensor *x, const stria_tensor *sum, const windows *w, bool has_padding,
                           int64_t divisor, stria_temps *temps, stria_error *err)
{
    stria_tensor *number;

    if (divisor != STRIA_INT_NONE || !(has_any(w->more) || (has_any(w->padding) && !has_padding))) {
        double n = (double)w->kernel_size[0] * (double)w->kernel_size[1] * (double)w->kernel_size[2];
        if (divisor != STRIA_INT_NONE) n = (double)divisor;
        STRIA_TRY(stria_temps_number(temps, n, &number, err));
    } else {
        STRIA_TRY(count(x, w, has_padding, temps, err));
        number = STRIA_LAST;
    }
    return stria_div(sum, number, STRIA_TEMP, err);
}

/* wide [batch, channels, ..]: the means of the windows, of `out` positions. */
static stria_status average(const stria_tensor *wide, const windows *w, const int64_t *out, bool has_padding,
                            int64_t divisor, stria_temps *temps, stria_error *err)
{
    const int64_t planes[] = {wide->shape[0] * wide->shape[1], 1, wide->shape[2], wide->shape[3], wide->shape[4]};
    const int64_t shape[] = {wide->shape[0], wide->shape[1], out[0], out[1], out[2]};

    STRIA_TRY(stria_reshape(unconst(wide), planes, DIMS + 2, STRIA_TEMP, err));
    const stria_tensor *x = STRIA_LAST;
    STRIA_TRY(add_up(x, w, w->padding, temps, err));
    STRIA_TRY(divide(x, STRIA_LAST, w, has_padding, divisor, temps, err));
    return stria_reshape(STRIA_LAST, shape, DIMS + 2, STRIA_TEMP, err);
}

static stria_status pool_average(const stria_call *call, const stria_pool_attrs *a, bool has_padding, int64_t divisor,
                                 stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0], *wide;
    stria_dtype         result;
    int64_t             out[DIMS], sizes[DIMS];
    windows             w;
    stria_tensor       *narrow;

    STRIA_TRY(stria_pool_get_shape(a, x, sizes, err));
    if (divisor == 0) return stria_infer_refuse_number(call, "divisor_override", "other than 0", 0, err);
    STRIA_TRY(stria_temps_widen(call, temps, &x, 1, &result, err));
    STRIA_TRY(stria_spatial_widen(x, a->n, temps, &wide, err));
    stria_spatial_fill(a->n, sizes, 1, out);
    stria_spatial_fill(a->n, a->kernel_size, 1, w.kernel_size);
    stria_spatial_fill(a->n, a->padding, 0, w.padding);
    for (int d = 0; d < DIMS; d++) {
        w.stride[d] = d < DIMS - a->n ? 1 : stria_pool_get_stride(a, d - DIMS + a->n);
        const int64_t rest = (out[d] - 1) * w.stride[d] + w.kernel_size[d] - wide->shape[d + 2] - 2 * w.padding[d];
        w.more[d] = rest > 0 ? rest : 0;
    }
    STRIA_TRY(average(wide, &w, out, has_padding, divisor, temps, err));
    STRIA_TRY(stria_spatial_narrow(STRIA_LAST, x, a->n, &narrow, err));
    STRIA_TRY(stria_temps_keep(temps, narrow, err));
    return stria_temps_narrow(narrow, result, y, err);
}

#define AVG_POOL(row, n, divisor)                                                                                    \
    stria_status stria_compose_##row(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err) \
    {                                                                                                                \
        const stria_##row##_attrs *a = call->attrs;                                                                  \
        const stria_pool_attrs     p = {#row, n, a->kernel_size, a->stride, a->padding, NULL, a->ceil_mode};         \
        return pool_average(call, &p, a->count_include_pad, divisor, y, temps, err);                                 \
    }
AVG_POOL(avg_pool1d, 1, STRIA_INT_NONE)
AVG_POOL(avg_pool2d, 2, a->divisor_override)
AVG_POOL(avg_pool3d, 3, a->divisor_override)
#undef AVG_POOL

/* ---------------------------------------------------------------- windows of uneven sizes */

/* x [.., in, ..] along axis d from the end: one window of [start, end). */
static stria_status reduce_window(const stria_tensor *x, int d, int64_t start, int64_t end, bool is_max,
                                  stria_tensor **y, stria_error *err)
{
    stria_tensor *part = NULL, *indices = NULL;

    STRIA_TRY(stria_slice(unconst(x), d, start, end, 1, &part, err));
    const stria_status status =
        is_max ? stria_max(part, d, true, y, &indices, err) : stria_mean(part, &d, 1, true, y, err);
    stria_tensor_release(indices);
    stria_tensor_release(part);
    return status;
}

/* Window i of n is from floor(i size / n) to ceil((i + 1) size / n). */
static stria_status reduce_axis(const stria_tensor *x, int d, int64_t n, bool is_max, stria_tensor **y,
                                stria_error *err)
{
    const int64_t  size = x->shape[x->ndim + d], step = size / n, rest = size % n;
    stria_tensor **parts = stria_object_new((size_t)n * sizeof *parts);
    stria_status   status = STRIA_OK;

    if (parts == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, "adaptive pooling", NULL, NULL, NULL, "no memory for windows");
    for (int64_t i = 0; i < n && status == STRIA_OK; i++) {
        const int64_t start = i * step + i * rest / n, end = (i + 1) * step + ((i + 1) * rest + n - 1) / n;
        status = reduce_window(x, d, start, end, is_max, &parts[i], err);
    }
    if (status == STRIA_OK) status = stria_cat((const stria_tensor *const *)parts, (int)n, d, y, err);
    for (int64_t i = 0; i < n; i++) stria_tensor_release(parts[i]);
    stria_object_release(parts);
    return status;
}

static stria_status check_adaptive(const char *name, const stria_tensor *x, int n, const int64_t *size,
                                   stria_error *err)
{
    STRIA_TRY(stria_spatial_check(name, x, n, err));
    STRIA_TRY(stria_conv_check_least(name, "output_size", n, size, 1, err));
    for (int d = 0; d < n; d++) {
        if (x->shape[x->ndim - n + d] < 1)
            return stria_conv_refuse_shape(name, "x", x, "elements along each axis", err);
        if (size[d] > INT32_MAX / 2)
            return stria_error_set(err, STRIA_ERR_OVERFLOW, name, "output_size", "less than 2^30", NULL,
                                   "output_size is larger than 2^30");
    }
    return STRIA_OK;
}

/* Windows of one size are those of avg_pool, all of an axis one mean; axes are taken one after another otherwise. */
static stria_status pool_adaptive(const stria_call *call, int n, const int64_t *size, bool is_max, stria_tensor **y,
                                  stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0], *wide;
    const char         *name = stria_call_get_name(call);
    const stria_dtype   dtype = x->dtype;
    stria_dtype         result = dtype;
    int64_t             out[DIMS];
    bool                is_even = !is_max, is_one = true;
    windows             w = {.padding = {0}, .more = {0}};
    stria_tensor       *part;

    if (is_max && (dtype == STRIA_BOOL || stria_dtype_is_complex(dtype)))
        return stria_infer_refuse_dtype(call, "x", dtype, "a real number", err);
    STRIA_TRY(check_adaptive(name, x, n, size, err));
    if (!is_max) STRIA_TRY(stria_temps_widen(call, temps, &x, 1, &result, err));
    STRIA_TRY(stria_spatial_widen(x, n, temps, &wide, err));
    stria_spatial_fill(n, size, 1, out);
    for (int d = 0; d < DIMS; d++) {
        is_even = is_even && wide->shape[d + 2] % out[d] == 0;
        is_one = is_one && out[d] == 1;
        w.kernel_size[d] = w.stride[d] = wide->shape[d + 2] / out[d];
    }
    if (is_even && !is_one) {
        STRIA_TRY(average(wide, &w, out, true, STRIA_INT_NONE, temps, err));
    } else {
        for (int d = -1; d >= -n; d--) {
            STRIA_TRY(reduce_axis(wide, d, out[DIMS + d], is_max, STRIA_TEMP, err));
            wide = STRIA_LAST;
        }
    }
    STRIA_TRY(stria_spatial_narrow(STRIA_LAST, x, n, &part, err));
    STRIA_TRY(stria_temps_keep(temps, part, err));
    return stria_temps_narrow(part, result, y, err);
}

#define ADAPTIVE(row, n, is_max)                                                                                       \
    stria_status stria_compose_##row(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)   \
    {                                                                                                                  \
        return pool_adaptive(call, n, ((const stria_##row##_attrs *)call->attrs)->output_size, is_max, y, temps, err); \
    }
ADAPTIVE(adaptive_avg_pool1d, 1, false)
ADAPTIVE(adaptive_avg_pool2d, 2, false)
ADAPTIVE(adaptive_max_pool1d, 1, true)
ADAPTIVE(adaptive_max_pool2d, 2, true)
#undef ADAPTIVE
