/* outputs.c - the outputs of a call: new ones are made, and the caller's get what was computed. */
#include "base/error.h"
#include "call/backend.h"
#include "call/call_internal.h"
#include "tensor/layout.h"
#include "tensor/overlap.h"
#include "tensor/shape.h"

static bool may_lie_over(const stria_call *call, const stria_schema *schema, int k, int input, const stria_tensor *x)
{
    return schema->outputs[k].kind == STRIA_KIND_INPLACE && input == 0 &&
           stria_tensor_has_shape(x, call->out[k]->ndim, call->out[k]->shape);
}

bool stria_output_is_direct(const stria_call *call, const stria_schema *schema, int k, const stria_call_meta *meta)
{
    const stria_tensor *out = call->out[k];
    const int           n = stria_call_count_inputs(call, schema);

    if (meta->out[k].order != STRIA_ORDER_ROW_MAJOR && meta->out[k].order != STRIA_ORDER_LIKE_FIRST) return false;
    if ((out->dtype != meta->out[k].dtype && !meta->out[k].converts) || !stria_output_fits(out, &meta->out[k]))
        return false;
    for (int i = 0; i < n; i++) {
        const stria_tensor *x = stria_call_get_input(call, schema, i);
        const stria_overlap found = x != NULL ? stria_overlap_find(out, x) : STRIA_OVERLAP_NONE;
        if (found == STRIA_OVERLAP_NONE) continue;
        if (found == STRIA_OVERLAP_SAME && may_lie_over(call, schema, k, i, x)) continue;
        return false;
    }
    return true;
}

/* Once gradients are in use, a view knows whose view it is. */
static stria_status new_view(stria_tensor *x, const stria_output_meta *out, stria_tensor **y, stria_error *err)
{
    STRIA_TRY(stria_tensor_view_as(x, out->dtype, out->ndim, out->shape, out->strides, out->offset, y, err));
    if (stria_tensor_get_gradients() == NULL) {
        atomic_store_explicit(&x->storage->has_untracked, true, memory_order_relaxed);
        return STRIA_OK;
    }
    (*y)->base = stria_tensor_retain(x->base != NULL ? x->base : x);
    (*y)->is_cut = x->is_cut;
    return STRIA_OK;
}

stria_status stria_call_new_output(const stria_call *call, const stria_call_meta *meta, int k, stria_tensor **y,
                                   stria_error *err)
{
    const stria_output_meta *out = &meta->out[k];
    const stria_dtype        dtype = out->converts && call->out[k] != NULL ? call->out[k]->dtype : out->dtype;
    int64_t                  strides[STRIA_MAX_DIMS];
    const stria_tensor      *first = call->in[0] == NULL && call->n_list > 0 ? call->list[0] : call->in[0];

    if (out->order == STRIA_ORDER_VIEW) return new_view((stria_tensor *)(uintptr_t)first, out, y, err);
    if (out->order == STRIA_ORDER_UNKNOWN) return STRIA_OK;
    if (out->order == STRIA_ORDER_SAME) {
        *y = stria_tensor_retain((stria_tensor *)(uintptr_t)first);
        return STRIA_OK;
    }
    if (out->order == STRIA_ORDER_LIKE_FIRST && first->ndim == out->ndim &&
        !stria_layout_is_row_major(first->ndim, first->shape, first->strides)) {
        stria_layout_get_dense_strides(first->ndim, out->shape, first->strides, strides);
        return stria_tensor_new_on(meta->device, dtype, out->ndim, out->shape, strides, y, err);
    }
    return stria_tensor_new_on(meta->device, dtype, out->ndim, out->shape,
                               out->order == STRIA_ORDER_STRIDED ? out->strides : NULL, y, err);
}

stria_status stria_call_begin_outputs(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta,
                                      stria_tensor **y, stria_error *err)
{
    for (int k = 0; k < schema->n_outputs; k++) {
        const stria_tensor *out = call->out[k];
        const bool          is_meta = meta->device.type == STRIA_DEVICE_META;
        if (out != NULL &&
            ((is_meta && stria_output_fits(out, &meta->out[k])) || stria_output_is_direct(call, schema, k, meta)))
            y[k] = stria_tensor_retain(call->out[k]);
        else
            STRIA_TRY(stria_call_new_output(call, meta, k, &y[k], err));
    }
    return STRIA_OK;
}

/* Calls that are recorded make it: an empty tensor, and a copy into it. */
static stria_status record_replacement(stria_dtype dtype, const stria_tensor *y, stria_tensor **made, stria_error *err)
{
    STRIA_TRY(stria_empty(y->shape, y->ndim, dtype, y->device, made, err));
    return stria_call_record_copy(*made, y, err);
}

/* What is going to be in the caller's tensor, which has another shape: y itself, if nobody else holds it, or a copy. */
static stria_status new_replacement(const stria_tensor *out, stria_tensor *y, stria_tensor **made, stria_error *err)
{
    STRIA_TRY(stria_tensor_check_resize(out, err));
    if (stria_call_is_recorded()) return record_replacement(out->dtype, y, made, err);
    if (y->dtype == out->dtype && stria_tensor_is_contiguous(y) && stria_tensor_is_alone(y)) {
        *made = stria_tensor_retain(y);
        return STRIA_OK;
    }
    STRIA_TRY(stria_tensor_new_on(y->device, out->dtype, y->ndim, y->shape, NULL, made, err));
    return stria_backend_copy(*made, y, err);
}

/* Who records knows whether they lie over each other: a symbol stands for memory that a tensor with elements may have, too. */
static stria_status record_apart(stria_tensor *out, const stria_tensor *y, stria_error *err)
{
    stria_tensor *copy = NULL;
    stria_status  status = stria_call_record_copy(out, y, err);

    if (status != STRIA_ERR_OVERLAP) return status;
    STRIA_TRY(stria_tensor_copy(y, y->dtype, &copy, err));
    status = stria_call_record_copy(out, copy, err);
    stria_tensor_release(copy);
    return status;
}

/* The elements of y, which may be a view of the memory of out. */
static stria_status set_apart(stria_tensor *out, const stria_tensor *y, stria_error *err)
{
    stria_tensor *copy = NULL;
    stria_status  status;

    if (stria_call_is_recorded()) return record_apart(out, y, err);
    if (!stria_tensor_get_aliased(out, y)) return stria_backend_copy(out, y, err);
    STRIA_TRY(stria_backend_new_copy(y, y->dtype, &copy, err));
    status = stria_backend_copy(out, copy, err);
    stria_tensor_release(copy);
    return status;
}

/* Brings y to the caller's tensors. What may be refused comes first: they are as they were then. */
static stria_status end_given(const stria_call *call, int n, stria_tensor **y, stria_tensor **made, stria_error *err)
{
    for (int k = 0; k < n; k++)
        if (call->out[k] != NULL && !stria_tensor_has_shape(call->out[k], y[k]->ndim, y[k]->shape))
            STRIA_TRY(new_replacement(call->out[k], y[k], &made[k], err));
    for (int k = 0; k < n; k++)
        if (call->out[k] != NULL && call->out[k] != y[k] && made[k] == NULL)
            STRIA_TRY(set_apart(call->out[k], y[k], err));
    for (int k = 0; k < n; k++)
        if (made[k] != NULL) stria_tensor_exchange(call->out[k], made[k]);
    return STRIA_OK;
}

/* A recorder sees to the versions of tensors with elements, which nothing has written to yet. */
static bool is_touched_by_copy(const stria_tensor *out)
{
    return out->device.type != STRIA_DEVICE_META && stria_call_is_recorded();
}

stria_status stria_call_end_outputs(const stria_call *call, const stria_schema *schema, stria_status status,
                                    stria_tensor **y, stria_error *err)
{
    stria_tensor *made[STRIA_MAX_OUTPUTS] = {NULL};

    if (status == STRIA_OK) status = end_given(call, schema->n_outputs, y, made, err);
    for (int k = 0; k < schema->n_outputs; k++) {
        stria_tensor_release(made[k]);
        if (status == STRIA_OK && call->out[k] == NULL) {
            call->out[k] = y[k];
            continue;
        }
        if (status == STRIA_OK && !is_touched_by_copy(call->out[k])) stria_tensor_touch(call->out[k]);
        stria_tensor_release(y[k]);
    }
    return stria_error_set_op(err, status, schema->name);
}
