/* convolution_calls.c - convolutions as calls of rows that every device has: windows are copied one beside another, and multiplied
 * (convolution.h). */
#include "base/error.h"
#include "call/backend.h"
#include "call/compose.h"
#include "cpu/convolution.h"

#define DIMS STRIA_CONV_DIMS
static const stria_scalar zero = {.kind = STRIA_SCALAR_INT};

/* Where windows lie in x. */
typedef struct windows {
    const int64_t *stride, *dilation;
    int64_t        groups, taps[DIMS], out[DIMS];
} windows;

/* x with zeros around it, or less than x: pairs of numbers from the last axis backwards. */
static stria_status pad(const stria_tensor *x, const int64_t *before, const int64_t *after, stria_temps *temps,
                        stria_error *err)
{
    int64_t pairs[2 * DIMS];

    for (int d = 0; d < DIMS; d++) {
        pairs[2 * (DIMS - 1 - d)] = before[d];
        pairs[2 * (DIMS - 1 - d) + 1] = after[d];
    }
    return stria_pad(x, pairs, 2 * DIMS, "constant", zero, STRIA_TEMP, err);
}

/* [batch, groups, channels * taps, positions] of x, which is padded. */
static stria_status get_columns(const stria_tensor *x, const windows *w, stria_temps *temps, stria_tensor **columns,
                                stria_error *err)
{
    const int64_t channels = x->shape[1] / w->groups;
    int64_t       size[3 + 2 * DIMS] = {x->shape[0], w->groups, channels};
    int64_t       stride[3 + 2 * DIMS] = {x->strides[0], channels * x->strides[1], x->strides[1]};
    int64_t       k = channels, positions = 1;

    for (int d = 0; d < DIMS; d++) {
        size[3 + d] = w->taps[d];
        stride[3 + d] = w->dilation[d] * x->strides[d + 2];
        size[3 + DIMS + d] = w->out[d];
        stride[3 + DIMS + d] = w->stride[d] * x->strides[d + 2];
        k *= w->taps[d];
        positions *= w->out[d];
    }
    STRIA_TRY(stria_as_strided((stria_tensor *)(uintptr_t)x, size, 3 + 2 * DIMS, stride, 3 + 2 * DIMS, STRIA_INT_NONE,
                               STRIA_TEMP, err));
    const int64_t shape[] = {x->shape[0], w->groups, k, positions};
    STRIA_TRY(stria_reshape(STRIA_LAST, shape, 4, STRIA_TEMP, err));
    *columns = STRIA_LAST;
    return STRIA_OK;
}

/* weight, plain: [groups, m, channels * taps], of which rows follow. */
static stria_status multiply(const stria_tensor *x, const windows *w, stria_tensor *weight, const stria_tensor *bias,
                             stria_tensor *y, stria_temps *temps, stria_error *err)
{
    stria_tensor *columns;
    const int64_t shape[] = {w->groups, y->shape[1] / w->groups,
                             x->shape[1] / w->groups * w->taps[0] * w->taps[1] * w->taps[2]};

    STRIA_TRY(get_columns(x, w, temps, &columns, err));
    STRIA_TRY(stria_reshape(weight, shape, 3, STRIA_TEMP, err));
    STRIA_TRY(stria_matmul(STRIA_LAST, columns, STRIA_TEMP, err));
    STRIA_TRY(stria_view(STRIA_LAST, y->shape, y->ndim, STRIA_TEMP, err));
    const stria_tensor *product = STRIA_LAST;
    if (bias == NULL) return stria_backend_copy(y, product, err);
    STRIA_TRY(stria_view((stria_tensor *)(uintptr_t)bias, (const int64_t[]){bias->numel, 1, 1, 1}, 4, STRIA_TEMP, err));
    STRIA_TRY(stria_add(product, STRIA_LAST, STRIA_TEMP, err));
    return stria_backend_copy(y, STRIA_LAST, err);
}

/* weight [groups * channels, m, taps] as [groups, m, channels, taps], the taps from the last one backwards. */
static stria_status turn_weight(const stria_tensor *weight, int64_t groups, stria_temps *temps, stria_error *err)
{
    static const int order[] = {0, 2, 1, 3, 4, 5}, taps[] = {3, 4, 5};
    const int64_t   *size = weight->shape;
    const int64_t    shape[] = {groups, size[0] / groups, size[1], size[2], size[3], size[4]};

    STRIA_TRY(stria_reshape((stria_tensor *)(uintptr_t)weight, shape, 6, STRIA_TEMP, err));
    STRIA_TRY(stria_permute(STRIA_LAST, order, 6, STRIA_TEMP, err));
    return stria_flip(STRIA_LAST, taps, DIMS, STRIA_TEMP, err);
}

/* x with stride - 1 zeros between its elements. */
static stria_status spread(const stria_tensor *x, const int64_t *stride, stria_temps *temps, stria_error *err)
{
    int64_t       shape[DIMS + 2] = {x->shape[0], x->shape[1]};
    stria_tensor *zeros;

    for (int d = 0; d < DIMS; d++) shape[d + 2] = (x->shape[d + 2] - 1) * stride[d] + 1;
    STRIA_TRY(stria_zeros(shape, DIMS + 2, x->dtype, x->device, STRIA_TEMP, err));
    stria_tensor *part = zeros = STRIA_LAST;
    for (int d = 0; d < DIMS; d++) {
        STRIA_TRY(stria_slice(part, d + 2, STRIA_INT_NONE, STRIA_INT_NONE, stride[d], STRIA_TEMP, err));
        part = STRIA_LAST;
    }
    STRIA_TRY(stria_backend_copy(part, x, err));
    return stria_temps_keep(temps, stria_tensor_retain(zeros), err);
}

static stria_status convolve(const stria_convolution_attrs *attrs, const stria_tensor *x, const stria_tensor *weight,
                             const stria_tensor *bias, stria_tensor *y, stria_temps *temps, stria_error *err)
{
    static const int64_t ones[] = {1, 1, 1};
    windows              w = {attrs->transposed ? ones : attrs->stride, attrs->dilation, attrs->groups, {0}, {0}};
    int64_t              before[DIMS], after[DIMS];

    for (int d = 0; d < DIMS; d++) {
        w.taps[d] = weight->shape[d + 2];
        w.out[d] = y->shape[d + 2];
        const int64_t reach = (w.taps[d] - 1) * w.dilation[d];
        before[d] = attrs->transposed ? reach - attrs->padding[d] : attrs->padding[d];
        after[d] = before[d] + (attrs->transposed ? attrs->output_padding[d] : 0);
    }
    if (!attrs->transposed) {
        STRIA_TRY(pad(x, before, after, temps, err));
        return multiply(STRIA_LAST, &w, (stria_tensor *)(uintptr_t)weight, bias, y, temps, err);
    }
    STRIA_TRY(spread(x, attrs->stride, temps, err));
    STRIA_TRY(pad(STRIA_LAST, before, after, temps, err));
    const stria_tensor *padded = STRIA_LAST;
    STRIA_TRY(turn_weight(weight, w.groups, temps, err));
    return multiply(padded, &w, STRIA_LAST, bias, y, temps, err);
}

/* The sum over the batch of gradient [batch, groups, m, positions] times the transpose of the columns. */
static stria_status convolve_weights(const stria_convolution_weight_attrs *attrs, const stria_tensor *gradient,
                                     const stria_tensor *x, stria_tensor *y, stria_temps *temps, stria_error *err)
{
    static const int first[] = {0};
    const int64_t   *size = gradient->shape, groups = attrs->groups;
    const int64_t    shape[] = {size[0], groups, size[1] / groups, size[2] * size[3] * size[4]};
    windows          w = {attrs->stride, attrs->dilation, groups, {0}, {0}};
    stria_tensor    *columns;

    for (int d = 0; d < DIMS; d++) {
        w.taps[d] = attrs->kernel_size[d];
        w.out[d] = size[d + 2];
    }
    STRIA_TRY(pad(x, attrs->padding, attrs->padding, temps, err));
    STRIA_TRY(get_columns(STRIA_LAST, &w, temps, &columns, err));
    STRIA_TRY(stria_transpose(columns, 2, 3, STRIA_TEMP, err));
    columns = STRIA_LAST;
    STRIA_TRY(stria_reshape((stria_tensor *)(uintptr_t)gradient, shape, 4, STRIA_TEMP, err));
    STRIA_TRY(stria_matmul(STRIA_LAST, columns, STRIA_TEMP, err));
    STRIA_TRY(stria_sum(STRIA_LAST, first, 1, false, STRIA_TEMP, err));
    STRIA_TRY(stria_view(STRIA_LAST, y->shape, y->ndim, STRIA_TEMP, err));
    return stria_backend_copy(y, STRIA_LAST, err);
}

stria_status stria_conv_by_calls(const stria_convolution_attrs *attrs, const stria_tensor *x,
                                 const stria_tensor *weight, const stria_tensor *bias, stria_tensor *y,
                                 stria_error *err)
{
    stria_temps  temps = {{NULL}, 0};
    stria_status status = convolve(attrs, x, weight, bias, y, &temps, err);

    stria_temps_release(&temps);
    return status;
}

stria_status stria_conv_weight_by_calls(const stria_convolution_weight_attrs *attrs, const stria_tensor *gradient,
                                        const stria_tensor *x, stria_tensor *y, stria_error *err)
{
    stria_temps  temps = {{NULL}, 0};
    stria_status status = convolve_weights(attrs, gradient, x, y, &temps, err);

    stria_temps_release(&temps);
    return status;
}
