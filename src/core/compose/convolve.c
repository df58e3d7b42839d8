/* convolve.c - convolutions of PyTorch's names: sizes are checked, then tensors get axes of size 1 and the row `convolution` runs. */
#include "base/error.h"
#include "call/compose.h"
#include "call/convolution.h"
#include "compose/spatial.h"

static stria_tensor *unconst(const stria_tensor *x) { return (stria_tensor *)(uintptr_t)x; }

stria_status stria_spatial_widen(const stria_tensor *x, int n, stria_temps *temps, const stria_tensor **wide,
                                 stria_error *err)
{
    *wide = x;
    if (x->ndim == n + 1) {
        STRIA_TRY(stria_unsqueeze(unconst(*wide), 0, STRIA_TEMP, err));
        *wide = STRIA_LAST;
    }
    for (int d = n; d < STRIA_CONV_DIMS; d++) {
        STRIA_TRY(stria_unsqueeze(unconst(*wide), 2, STRIA_TEMP, err));
        *wide = STRIA_LAST;
    }
    return STRIA_OK;
}

stria_status stria_spatial_narrow(stria_tensor *wide, const stria_tensor *x, int n, stria_tensor **y, stria_error *err)
{
    int axes[STRIA_CONV_DIMS + 2], n_axes = 0;

    if (x->ndim == n + 1) axes[n_axes++] = 0;
    for (int d = n; d < STRIA_CONV_DIMS; d++) axes[n_axes++] = 2 + d - n;
    if (n_axes > 0) return stria_squeeze(wide, axes, n_axes, y, err);
    *y = stria_tensor_retain(wide);
    return STRIA_OK;
}

void stria_spatial_fill(int n, const int64_t *numbers, int64_t usual, int64_t *wide)
{
    const int skip = STRIA_CONV_DIMS - n;

    for (int d = 0; d < STRIA_CONV_DIMS; d++) wide[d] = d < skip ? usual : numbers[d - skip];
}

/* Dims of the three tensors, and all sizes, by the names and in the dims that the caller knows. */
static stria_status check(const stria_call *call, const stria_conv_attrs *a, stria_error *err)
{
    static const char *const expected[] = {"3 dims", "4 dims", "5 dims"};
    const stria_tensor      *x = call->in[0], *weight = call->in[1], *bias = call->in[2];
    int64_t                  batch[STRIA_CONV_DIMS + 2] = {1}, shape[STRIA_CONV_DIMS + 2];

    STRIA_TRY(stria_spatial_check(a->name, x, a->n, err));
    if (weight->ndim != a->n + 2) return stria_conv_refuse_shape(a->name, "weight", weight, expected[a->n - 1], err);
    if (bias != NULL && bias->ndim != 1) return stria_conv_refuse_shape(a->name, "bias", bias, "1 dim", err);
    for (int d = 0; d < x->ndim; d++) batch[a->n + 2 - x->ndim + d] = x->shape[d];
    return stria_conv_get_shape(a, batch, weight->shape, bias == NULL ? -1 : bias->shape[0], shape, err);
}

static stria_status convolve(const stria_call *call, const stria_conv_attrs *a, stria_tensor **y, stria_temps *temps,
                             stria_error *err)
{
    static const int64_t zeros[STRIA_CONV_DIMS] = {0};
    const stria_tensor  *x, *weight;
    int64_t stride[STRIA_CONV_DIMS], padding[STRIA_CONV_DIMS], dilation[STRIA_CONV_DIMS], more[STRIA_CONV_DIMS];

    STRIA_TRY(check(call, a, err));
    STRIA_TRY(stria_spatial_widen(call->in[0], a->n, temps, &x, err));
    STRIA_TRY(stria_spatial_widen(call->in[1], a->n, temps, &weight, err));
    stria_spatial_fill(a->n, a->stride, 1, stride);
    stria_spatial_fill(a->n, a->padding, 0, padding);
    stria_spatial_fill(a->n, a->dilation, 1, dilation);
    stria_spatial_fill(a->n, a->output_padding != NULL ? a->output_padding : zeros, 0, more);
    STRIA_TRY(stria_convolution(x, weight, call->in[2], stride, padding, dilation, a->transposed, more, a->groups,
                                STRIA_TEMP, err));
    return stria_spatial_narrow(STRIA_LAST, call->in[0], a->n, y, err);
}

#define CONV(row, dims)                                                                                              \
    stria_status stria_compose_##row(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err) \
    {                                                                                                                \
        const stria_##row##_attrs *a = call->attrs;                                                                  \
        const stria_conv_attrs     c = {#row, dims, false, a->groups, a->stride, a->padding, a->dilation, NULL};     \
        return convolve(call, &c, y, temps, err);                                                                    \
    }
CONV(conv1d, 1)
CONV(conv2d, 2)
CONV(conv3d, 3)
#undef CONV

#define TRANSPOSED(row, dims)                                                                                        \
    stria_status stria_compose_##row(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err) \
    {                                                                                                                \
        const stria_##row##_attrs *a = call->attrs;                                                                  \
        const stria_conv_attrs     c = {                                                                             \
                #row, dims, true, a->groups, a->stride, a->padding, a->dilation, a->output_padding};                 \
        return convolve(call, &c, y, temps, err);                                                                    \
    }
TRANSPOSED(conv_transpose1d, 1)
TRANSPOSED(conv_transpose2d, 2)
TRANSPOSED(conv_transpose3d, 3)
#undef TRANSPOSED
