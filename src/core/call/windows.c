/* windows.c - views whose elements may lie over one another: as_strided, unfold. */
#include <stdio.h>

#include "base/error.h"
#include "call/call.h"
#include "tensor/shape.h"

/* ---------------------------------------------------------------- as_strided */

static stria_status refuse(const char *argument, const char *expected, int64_t number, stria_error *err)
{
    char got[32];

    snprintf(got, sizeof got, "%lld", (long long)number);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "as_strided", argument, expected, got, "%s must be %s, not %s",
                           argument, expected, got);
}

/* The elements of the view are among elements first .. room - 1 of the storage; offset counts from its beginning. */
static stria_status check_inside(const stria_as_strided_attrs *attrs, int64_t offset, int64_t first, int64_t room,
                                 stria_error *err)
{
    int64_t low = offset, high = offset, reach;
    bool    fits = true;
    char    got[96], expected[64];

    for (int d = 0; d < attrs->size.n && fits; d++) {
        const int64_t stride = attrs->stride.at[d];
        int64_t      *end = stride < 0 ? &low : &high;
        fits =
            !__builtin_mul_overflow(attrs->size.at[d] - 1, stride, &reach) && !__builtin_add_overflow(*end, reach, end);
    }
    if (fits && low >= first && high < room) return STRIA_OK;
    snprintf(expected, sizeof expected, "elements %lld .. %lld", (long long)first, (long long)room - 1);
    if (fits)
        snprintf(got, sizeof got, "%lld .. %lld", (long long)low, (long long)high);
    else
        snprintf(got, sizeof got, "more than 2^63");
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "as_strided", "size", expected, got,
                           "size and stride reach the elements %s of a memory of %lld", got, (long long)room);
}

stria_status stria_infer_as_strided(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_as_strided_attrs *attrs = call->attrs;
    const stria_tensor           *x = call->in[0];
    stria_output_meta            *p = &meta->out[0];
    const int64_t                 item = stria_tensor_get_item_size(x);
    const bool                    has_memory = x->device.type != STRIA_DEVICE_META; /* else recordings look at it */
    const int64_t own = x->data != NULL ? (x->data - x->storage->data) / item : 0;  /* of nothing: NULL */
    const int64_t offset = attrs->storage_offset == STRIA_INT_NONE ? own : attrs->storage_offset;
    int64_t       numel;

    if (attrs->stride.n != attrs->size.n) return refuse("stride", "one number for each size", attrs->stride.n, err);
    STRIA_TRY(stria_shape_get_numel("as_strided", "size", x->dtype, attrs->size.n, attrs->size.at, &numel, NULL, err));
    if (offset < 0) return refuse("storage_offset", "0 or more", offset, err);
    /* without memory: as far as bytes can be counted */
    const int64_t room = has_memory ? (int64_t)x->storage->nbytes / item : INT64_MAX / 4 / item;
    if (numel > 0) STRIA_TRY(check_inside(attrs, offset, has_memory ? 0 : -room, room, err));
    p->dtype = x->dtype;
    p->order = STRIA_ORDER_VIEW;
    p->ndim = attrs->size.n;
    p->offset = numel > 0 ? offset - own : 0;
    for (int d = 0; d < p->ndim; d++) {
        p->shape[d] = attrs->size.at[d];
        p->strides[d] = attrs->stride.at[d];
    }
    return STRIA_OK;
}

/* ---------------------------------------------------------------- unfold */

stria_status stria_infer_unfold(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_unfold_attrs *attrs = call->attrs;
    const stria_tensor       *x = call->in[0];
    stria_output_meta        *p = &meta->out[0];
    const int64_t             size = attrs->size, step = attrs->step;
    int                       axis;
    char                      expected[48], got[32];

    STRIA_TRY(stria_infer_wrap_axis(call, "dimension", x->ndim, attrs->dimension, &axis, err));
    const int64_t length = x->ndim > 0 ? x->shape[axis] : 1;
    snprintf(expected, sizeof expected, "0 .. %lld", (long long)length);
    snprintf(got, sizeof got, "%lld", (long long)size);
    if (size < 0 || size > length)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "unfold", "size", expected, got,
                               "size %s is not in %s, the size of axis %d", got, expected, axis);
    snprintf(got, sizeof got, "%lld", (long long)step);
    if (step < 1)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "unfold", "step", "1 or more", got,
                               "step must be 1 or more, not %s", got);
    if (x->ndim == STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, "unfold", "x", NULL, NULL, "the tensor already has %d dims",
                               STRIA_MAX_DIMS);
    stria_infer_same_shape(x, x->dtype, p);
    p->order = STRIA_ORDER_VIEW;
    p->offset = 0;
    for (int d = 0; d < x->ndim; d++) p->strides[d] = x->strides[d];
    p->shape[x->ndim] = size;
    p->strides[x->ndim] = x->ndim > 0 ? x->strides[axis] : 1;
    p->ndim = x->ndim + 1;
    if (x->ndim == 0) return STRIA_OK; /* the elements of one window are all there is */
    p->shape[axis] = (length - size) / step + 1;
    if (__builtin_mul_overflow(x->strides[axis], step, &p->strides[axis])) p->strides[axis] = 1; /* of one window */
    int64_t numel;
    return stria_shape_get_numel("unfold", "size", x->dtype, p->ndim, p->shape, &numel, NULL, err);
}
