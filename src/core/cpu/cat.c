/* cat.c - tensors one behind another along an axis: each is copied into its part of the result. */
#include <stdio.h>

#include "base/error.h"
#include "call/backend.h"
#include "call/call.h"
#include "call/meta.h"

static const char name[] = "cat";

/* Adds tensor k to the shape of the result, which is that of those before it. */
static stria_status add_shape(const stria_call *call, int k, int axis, stria_output_meta *out, stria_error *err)
{
    const stria_tensor *x = call->list[k];
    char                argument[32], expected[96], got[96];

    snprintf(argument, sizeof argument, "tensors[%d]", k);
    if (x->ndim == 0)
        return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, "1 dim or more", "0 dims", "%s has no dims",
                               argument);
    bool fits = x->ndim == out->ndim;
    for (int d = 0; d < x->ndim && fits; d++) fits = d == axis || x->shape[d] == out->shape[d];
    if (!fits) {
        stria_shape_print(expected, sizeof expected, call->list[0]->ndim, call->list[0]->shape);
        stria_shape_print(got, sizeof got, x->ndim, x->shape);
        return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, expected, got,
                               "%s has shape %s, which differs from %s in more than axis %d", argument, got, expected,
                               axis);
    }
    if (__builtin_add_overflow(out->shape[axis], x->shape[axis], &out->shape[axis]))
        return stria_error_set(err, STRIA_ERR_OVERFLOW, name, argument, "fewer than 2^63 elements", NULL,
                               "axis %d of the result is too long", axis);
    return STRIA_OK;
}

stria_status stria_infer_cat(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_cat_attrs *attrs = call->attrs;
    stria_output_meta     *out = &meta->out[0];

    if (call->n_list == 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, "tensors", "at least one tensor", "none",
                               "tensors is empty");
    STRIA_TRY(stria_infer_axis(call, call->list[0], attrs->dim, meta, err));
    stria_infer_same_shape(call->list[0], stria_promote_result(call->list, call->n_list), out);
    if (out->ndim > 0) out->shape[meta->axis] = 0;
    for (int k = 0; k < call->n_list; k++) STRIA_TRY(add_shape(call, k, meta->axis, out, err));
    return STRIA_OK;
}

stria_status stria_cpu_cat(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const int64_t step = y[0]->strides[meta->axis];
    int64_t       at = 0;

    for (int k = 0; k < call->n_list; k++) {
        const stria_tensor *x = call->list[k];
        stria_tensor       *part = NULL;
        if (x->numel == 0) continue;
        STRIA_TRY(stria_tensor_view(y[0], x->ndim, x->shape, y[0]->strides, at * step, &part, err));
        const stria_status status = stria_backend_copy(part, x, err);
        stria_tensor_release(part);
        STRIA_TRY(status);
        at += x->shape[meta->axis];
    }
    return STRIA_OK;
}
