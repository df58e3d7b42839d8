/* pooling.c - what the row of pooling returns (pooling.h). */
#include "call/pooling.h"

#include <stdio.h>

#include "base/error.h"

/* At most half of a window is padding, so that each has elements. */
static stria_status check_padding(const stria_pool_attrs *a, int64_t padding, int64_t reach, stria_error *err)
{
    char expected[64], got[32];

    if (padding <= reach / 2) return STRIA_OK;
    snprintf(expected, sizeof expected, "at most %lld, half of a window", (long long)(reach / 2));
    snprintf(got, sizeof got, "%lld", (long long)padding);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, a->name, "padding", expected, got, "padding must be %s, not %s",
                           expected, got);
}

static stria_status refuse_size(const stria_pool_attrs *a, int64_t in, int64_t reach, stria_error *err)
{
    char expected[64], got[32];

    snprintf(expected, sizeof expected, "room for a window of %lld", (long long)reach);
    snprintf(got, sizeof got, "%lld", (long long)in);
    return stria_error_set(err, STRIA_ERR_SHAPE, a->name, "x", expected, got,
                           "an axis of x has %s elements, but must have %s", got, expected);
}

/* With ceil_mode the last window may end beyond the padding, but not begin there. */
static stria_status get_size(const stria_pool_attrs *a, int d, int64_t in, int64_t *out, stria_error *err)
{
    const int64_t stride = stria_pool_get_stride(a, d), dilation = a->dilation == NULL ? 1 : a->dilation[d];
    int64_t       reach;

    STRIA_TRY(stria_conv_get_reach(a->name, a->kernel_size[d], dilation, &reach, err));
    STRIA_TRY(check_padding(a, a->padding[d], reach, err));
    STRIA_TRY(stria_conv_get_positions(a->name, in, a->padding[d], reach, stride, out, err));
    const int64_t rest = in + 2 * a->padding[d] - reach; /* of elements behind the first window */
    if (a->ceil_mode && rest < 0 && rest > -stride) *out = 1;
    if (a->ceil_mode && rest > 0 && rest % stride != 0) (*out)++;
    if (a->ceil_mode && *out - 1 > (in + a->padding[d] - 1) / stride) (*out)--;
    if (in < 1 || *out < 1 || (a->kernel_size[d] > 1 && dilation > in)) return refuse_size(a, in, reach, err);
    return STRIA_OK;
}

stria_status stria_pool_get_shape(const stria_pool_attrs *a, const stria_tensor *x, int64_t *out, stria_error *err)
{
    STRIA_TRY(stria_spatial_check(a->name, x, a->n, err));
    STRIA_TRY(stria_conv_check_least(a->name, "kernel_size", a->n, a->kernel_size, 1, err));
    for (int d = 0; d < a->n; d++) {
        const int64_t stride = stria_pool_get_stride(a, d);
        STRIA_TRY(stria_conv_check_least(a->name, "stride", 1, &stride, 1, err));
    }
    STRIA_TRY(stria_conv_check_least(a->name, "padding", a->n, a->padding, 0, err));
    if (a->dilation != NULL) STRIA_TRY(stria_conv_check_least(a->name, "dilation", a->n, a->dilation, 1, err));
    for (int d = 0; d < a->n; d++) STRIA_TRY(get_size(a, d, x->shape[x->ndim - a->n + d], &out[d], err));
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the row */

stria_status stria_infer_max_pool3d_with_indices(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_max_pool3d_with_indices_attrs *attrs = call->attrs;
    const stria_tensor                        *x = call->in[0];
    const stria_pool_attrs                     a = {
                            "max_pool3d_with_indices", STRIA_CONV_DIMS, attrs->kernel_size, attrs->stride, attrs->padding,
                            attrs->dilation,           attrs->ceil_mode};
    const stria_category category = stria_dtype_get_category(x->dtype);

    if (category == STRIA_CATEGORY_B || category == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "a real number", err);
    for (int k = 0; k < 2; k++) stria_infer_same_shape(x, k == 0 ? x->dtype : STRIA_I64, &meta->out[k]);
    STRIA_TRY(stria_pool_get_shape(&a, x, meta->out[0].shape + x->ndim - STRIA_CONV_DIMS, err));
    for (int d = 0; d < x->ndim; d++) meta->out[1].shape[d] = meta->out[0].shape[d];
    return STRIA_OK;
}
