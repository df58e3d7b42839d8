/* gather.c - elements, rows or slices of a tensor, at positions that an index says: gather, take_along_dim, take, index_select,
 * embedding. Each is a plan (index_plan.h). */
#include <stdio.h>

#include "base/error.h"
#include "call/backend.h"
#include "cpu/index_list.h"
#include "cpu/index_plan.h"
#include "tensor/shape.h"

/* Fills y by the plan. A tensor of the caller is not written before every index has been looked at. */
static stria_status fill(const stria_call *call, stria_index_plan *plan, stria_tensor *y, const char *argument,
                         const stria_tensor *index, const char *what, stria_error *err)
{
    if (y->device.type != STRIA_DEVICE_CPU)
        return stria_backend_get(y->device)->gather(call, plan, y, argument, index, what, err);
    plan->reads = true;
    plan->pass = stria_index_get_pass;
    if (y == call->out[0] && plan->size >= 0)
        STRIA_TRY(stria_index_check(call, argument, index, plan->size, plan->wraps, what, err));
    if (stria_index_run(plan, stria_index_get, plan)) return STRIA_OK;
    return stria_index_refuse(call, argument, index, plan->size, plan->wraps, what, err);
}

static stria_status fill_axis(const stria_call *call, stria_index_plan *plan, int axis, stria_tensor *y,
                              const char *argument, const stria_tensor *index, stria_error *err)
{
    char what[32];

    snprintf(what, sizeof what, "axis %d", axis);
    return fill(call, plan, y, argument, index, what, err);
}

/* ---------------------------------------------------------------- gather */

stria_status stria_infer_gather(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_gather_attrs *attrs = call->attrs;

    STRIA_TRY(stria_index_infer_along(call, attrs->dim, meta, err));
    stria_infer_same_shape(call->in[1], call->in[0]->dtype, &meta->out[0]);
    return STRIA_OK;
}

stria_status stria_cpu_gather(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_tensor *index = call->in[1];
    stria_index_plan    plan;

    stria_index_plan_init(&plan, index->ndim, index->shape);
    stria_index_plan_set_table(&plan, call->in[0], meta->axis);
    stria_index_plan_set_index(&plan, index, 0);
    stria_index_plan_set_other(&plan, y[0], 0);
    return fill_axis(call, &plan, meta->axis, y[0], "index", index, err);
}

/* ---------------------------------------------------------------- take_along_dim */

/* The shape that x and the index broadcast to, but for the axis, where it is that of the index. */
static stria_status infer_broadcast(const stria_call *call, int axis, stria_output_meta *out, stria_error *err)
{
    const stria_tensor *x = call->in[0], *index = call->in[1];
    const char         *name = stria_call_get_name(call);
    int64_t             other[STRIA_MAX_DIMS], numel;
    char                expected[96], got[96];

    if (index->ndim != x->ndim)
        return stria_error_set(err, STRIA_ERR_SHAPE, name, "indices",
                               stria_shape_print(expected, sizeof expected, x->ndim, x->shape),
                               stria_shape_print(got, sizeof got, index->ndim, index->shape),
                               "indices has shape %s, but must have as many dims as x, %s", got, expected);
    stria_infer_same_shape(x, x->dtype, out);
    for (int d = 0; d < x->ndim; d++) other[d] = index->shape[d];
    if (x->ndim > 0) out->shape[axis] = other[axis] = 1;
    const stria_status status = stria_shape_broadcast(name, &out->ndim, out->shape, x->ndim, other, err);
    if (status != STRIA_OK) return stria_error_set_argument(err, status, "indices");
    if (x->ndim > 0) out->shape[axis] = index->shape[axis];
    return stria_shape_get_product(name, out->ndim, out->shape, &numel, err);
}

stria_status stria_infer_take_along_dim(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_take_along_dim_attrs *attrs = call->attrs;
    const stria_tensor               *x = call->in[0], *index = call->in[1];
    stria_output_meta                *out = &meta->out[0];
    char                              what[32] = "x";

    if (attrs->dim == STRIA_AXIS_NONE) { /* both flat */
        STRIA_TRY(stria_index_infer_dtype(call, "indices", index, err));
        stria_infer_same_shape(x, x->dtype, out);
        out->ndim = 1;
        out->shape[0] = index->numel;
        return stria_index_infer_size(call, "indices", index, x->numel, what, err);
    }
    STRIA_TRY(stria_infer_axis(call, x, attrs->dim, meta, err));
    STRIA_TRY(stria_index_infer_dtype(call, "indices", index, err));
    STRIA_TRY(infer_broadcast(call, meta->axis, out, err));
    snprintf(what, sizeof what, "axis %d", meta->axis);
    return stria_index_infer_size(call, "indices", index, stria_index_get_size(x, meta->axis), what, err);
}

static stria_status take_flat(const stria_call *call, stria_tensor *y, stria_error *err)
{
    const stria_tensor *index = call->in[1];
    const int64_t       flat = -1;
    stria_tensor       *x = NULL, *list = NULL;
    stria_index_plan    plan;

    STRIA_TRY(stria_reshape((stria_tensor *)(uintptr_t)call->in[0], &flat, 1, &x, err));
    stria_status status = stria_reshape((stria_tensor *)(uintptr_t)index, &flat, 1, &list, err);
    if (status == STRIA_OK) {
        stria_index_plan_init(&plan, 1, list->shape);
        stria_index_plan_set_table(&plan, x, 0);
        stria_index_plan_set_index(&plan, list, 0);
        stria_index_plan_set_other(&plan, y, 0);
        status = fill(call, &plan, y, "indices", index, "x", err);
    }
    stria_tensor_release(list);
    stria_tensor_release(x);
    return status;
}

stria_status stria_cpu_take_along_dim(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                      stria_error *err)
{
    const stria_tensor *x = call->in[0], *index = call->in[1];
    stria_index_plan    plan;

    if (((const stria_take_along_dim_attrs *)call->attrs)->dim == STRIA_AXIS_NONE) return take_flat(call, y[0], err);
    stria_index_plan_init(&plan, y[0]->ndim, y[0]->shape);
    stria_index_plan_set_table(&plan, x, meta->axis);
    stria_index_plan_set_index(&plan, index, 0);
    stria_index_plan_set_other(&plan, y[0], 0);
    for (int d = 0; d < x->ndim; d++) {
        if (x->shape[d] == 1) plan.table_strides[d] = 0;
        if (index->shape[d] == 1) plan.index_strides[d] = 0;
    }
    return fill_axis(call, &plan, meta->axis, y[0], "indices", index, err);
}

/* ---------------------------------------------------------------- take */

stria_status stria_infer_take(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0], *index = call->in[1];

    STRIA_TRY(stria_index_infer_dtype(call, "index", index, err));
    stria_infer_same_shape(index, x->dtype, &meta->out[0]);
    return stria_index_infer_size(call, "index", index, x->numel, "x", err);
}

stria_status stria_cpu_take(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_tensor *index = call->in[1];
    stria_tensor       *offsets = NULL;
    stria_index_plan    plan;
    stria_status        status;

    (void)meta;
    stria_index_plan_init(&plan, index->ndim, index->shape);
    STRIA_TRY(stria_index_plan_set_flat(&plan, call, call->in[0], index, &offsets, err));
    stria_index_plan_set_other(&plan, y[0], 0);
    status = fill(call, &plan, y[0], "index", offsets ? offsets : index, "x", err);
    stria_tensor_release(offsets);
    return status;
}

/* ---------------------------------------------------------------- index_select, embedding */

stria_status stria_infer_index_select(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_index_select_attrs *attrs = call->attrs;
    const stria_tensor             *x = call->in[0], *index = call->in[1];
    stria_output_meta              *out = &meta->out[0];
    int64_t                         numel;
    char                            got[32];

    STRIA_TRY(stria_index_infer_list(call, "index", attrs->dim, meta, err));
    stria_infer_same_shape(x, x->dtype, out);
    if (x->ndim > 0) {
        out->shape[meta->axis] = index->numel;
        return stria_shape_get_product("index_select", out->ndim, out->shape, &numel, err);
    }
    if (index->numel == 1) return STRIA_OK;
    snprintf(got, sizeof got, "%lld", (long long)index->numel);
    return stria_error_set(err, STRIA_ERR_SHAPE, "index_select", "index", "1 element", got,
                           "index has %s elements, but must have one where x has no dims", got);
}

stria_status stria_cpu_index_select(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                    stria_error *err)
{
    const stria_tensor *index = call->in[1];
    stria_index_plan    plan;

    stria_index_plan_init(&plan, y[0]->ndim, y[0]->shape);
    stria_index_plan_set_table(&plan, call->in[0], meta->axis);
    stria_index_plan_set_index(&plan, index, meta->axis);
    stria_index_plan_set_other(&plan, y[0], 0);
    return fill_axis(call, &plan, meta->axis, y[0], "index", index, err);
}

/* A row of the matrix, from the end where it is negative. */
static stria_status check_padding(const stria_call *call, int64_t n, stria_error *err)
{
    const int64_t row = ((const stria_embedding_attrs *)call->attrs)->padding_idx;
    char          expected[64], got[32];

    if (row == STRIA_INT_NONE || (row >= -n && row < n)) return STRIA_OK;
    snprintf(got, sizeof got, "%lld", (long long)row);
    snprintf(expected, sizeof expected, "from %lld to %lld", -(long long)n, (long long)n - 1);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "embedding", "padding_idx", expected, got,
                           "padding_idx is %s, but weight has %lld rows", got, (long long)n);
}

stria_status stria_infer_embedding(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *weight = call->in[0], *index = call->in[1];
    stria_output_meta  *out = &meta->out[0];
    int64_t             numel;
    char                got[96];

    STRIA_TRY(stria_index_infer_dtype(call, "indices", index, err));
    if (weight->ndim != 2)
        return stria_error_set(err, STRIA_ERR_SHAPE, "embedding", "weight", "2 dims",
                               stria_shape_print(got, sizeof got, weight->ndim, weight->shape),
                               "weight has shape %s, but must have two dims", got);
    if (index->ndim == STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, "embedding", "indices", "fewer dims", NULL,
                               "indices already has %d dims", STRIA_MAX_DIMS);
    STRIA_TRY(check_padding(call, weight->shape[0], err));
    stria_infer_same_shape(index, weight->dtype, out);
    out->shape[out->ndim++] = weight->shape[1];
    STRIA_TRY(stria_shape_get_product("embedding", out->ndim, out->shape, &numel, err));
    return stria_index_infer_size(call, "indices", index, weight->shape[0], "axis 0 of weight", err);
}

stria_status stria_cpu_embedding(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    const stria_tensor *weight = call->in[0], *index = call->in[1];
    stria_index_plan    plan;

    (void)meta;
    stria_index_plan_init(&plan, y[0]->ndim, y[0]->shape);
    stria_index_plan_set_rows(&plan, weight, 1, index->ndim);
    stria_index_plan_set_index(&plan, index, 0);
    stria_index_plan_set_other(&plan, y[0], 0);
    return fill(call, &plan, y[0], "indices", index, "axis 0 of weight", err);
}

/* ---------------------------------------------------------------- index */

stria_status stria_infer_index(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    stria_output_meta  *out = &meta->out[0];
    bool                is_known;

    stria_infer_same_shape(x, x->dtype, out);
    STRIA_TRY(stria_index_list_infer(call, &out->ndim, out->shape, &is_known, err));
    if (!is_known) out->order = STRIA_ORDER_UNKNOWN;
    return STRIA_OK;
}

stria_status stria_cpu_index(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    stria_index_list list;
    stria_index_plan plan;
    stria_status     status = stria_index_list_build(&list, call, call->in[0], stria_index_list_add, err);

    (void)meta;
    if (status == STRIA_OK && !y[0]) status = stria_tensor_new(call->in[0]->dtype, list.ndim, list.shape, &y[0], err);
    if (status == STRIA_OK) {
        stria_index_list_plan(&list, &plan, call->in[0]);
        stria_index_plan_set_other(&plan, y[0], 0);
        status = fill(call, &plan, y[0], "indices[0]", list.at, "axis 0", err);
    }
    stria_index_list_release(&list);
    return status;
}
