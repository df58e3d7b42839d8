/* reduce.c - the path of one reduction: meta -> output -> iterator -> plan -> run (reduce_run.c). */
#include <math.h>
#include <string.h>

#include "error.h"
#include "function.h"
#include "iter_internal.h"
#include "reduce_plan.h"

void stria_reduce_plan_init(stria_reduce_plan *plan, const stria_kernels *kernels, stria_dtype compute,
                            const stria_iter *iter)
{
    const stria_dtype memory_out = stria_iter_get_dtype(iter, 0), memory_in = stria_iter_get_dtype(iter, 1);
    const int64_t    *shape = stria_iter_get_shape(iter);

    plan->row = NULL;
    plan->column = NULL;
    plan->few = NULL;
    plan->load = kernels->cast[memory_in][compute];
    plan->store = kernels->cast[compute][memory_out];
    plan->transpose = kernels->transpose[__builtin_ctz((unsigned)stria_dtype_get_size(memory_in))];
    plan->divide = kernels->loop[STRIA_OP_div][compute];
    plan->finish = STRIA_FINISH_NONE;
    plan->compute = compute;
    plan->same = memory_in == compute;
    plan->same_out = memory_out == compute;
    plan->size = (int64_t)stria_dtype_get_size(compute);
    plan->source_size = (int64_t)stria_dtype_get_size(memory_in);
    plan->count = plan->n_outputs = 1;
    plan->out = stria_iter_get_data(iter, 0);
    plan->source = stria_iter_get_data(iter, 1);
    plan->n_red = plan->n_keep = 0;
    for (int d = 0; d < stria_iter_get_ndim(iter); d++) {
        const int64_t *strides = stria_iter_get_strides(iter, d);
        if (shape[d] == 1) continue;
        if (strides[0] == 0) {
            plan->red_shape[plan->n_red] = shape[d];
            plan->red_stride[plan->n_red++] = strides[1];
            plan->count *= shape[d];
        } else {
            plan->keep_shape[plan->n_keep] = shape[d];
            plan->keep_out[plan->n_keep] = strides[0];
            plan->keep_stride[plan->n_keep++] = strides[1];
            plan->n_outputs *= shape[d];
        }
    }
}

/* Nothing is combined: every element of the result is the identity, a mean of nothing NaN. */
static stria_status fill_identity(stria_reduction op, stria_tensor *y, stria_error *err)
{
    const stria_reduction_info *info = &stria_reduction_infos[op];
    const bool                  is_mean = info->finish == STRIA_FINISH_DIVIDE_BY_COUNT;

    return stria_function_fill(y, is_mean ? (double)NAN : info->identity == STRIA_IDENTITY_ONE ? 1 : 0, err);
}

/* Combines x into y, which has the shape of the result and shares no memory with x. */
static stria_status combine(stria_reduction op, const stria_reduce_meta *meta, const stria_tensor *x, bool keepdim,
                            stria_tensor *y, stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    stria_iter           iter;
    stria_reduce_plan    plan;
    stria_tensor        *view = NULL;
    stria_status         status;

    if (!kernels) return stria_isa_get_status(err);
    if (y->numel == 0) return STRIA_OK;
    if (x->numel == 0) return fill_identity(op, y, err);
    STRIA_TRY(stria_iter_view_reduced(y, x->ndim, meta->reduced, keepdim, &view, err));
    status = stria_iter_build_reduction(&iter, stria_reduction_infos[op].name, view, x, false, err);
    if (status == STRIA_OK) {
        stria_reduce_plan_init(&plan, kernels, meta->compute, &iter);
        plan.row = kernels->row[op][meta->compute];
        plan.column = kernels->column[op][meta->compute];
        plan.few = kernels->few[op][meta->compute];
        plan.finish = stria_reduction_infos[op].finish;
        status = stria_reduce_plan_run(&plan, err);
        stria_iter_release(&iter);
    }
    stria_tensor_release(view);
    return status;
}

static stria_status new_result(const stria_reduce_meta *meta, stria_tensor **y, stria_error *err)
{
    return meta->device == STRIA_DEVICE_META ? stria_tensor_new_meta(meta->result, meta->ndim, meta->shape, y, err)
                                             : stria_tensor_new(meta->result, meta->ndim, meta->shape, y, err);
}

stria_status stria_reduce(stria_reduction op, const stria_tensor *x, const int *axes, int n_axes, bool keepdim,
                          stria_dtype dtype, stria_tensor **out, stria_error *err)
{
    stria_reduce_meta meta;
    stria_tensor     *y = NULL;
    stria_status      status;

    if (!out)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "reduce", "out", "a place for the result", "NULL",
                               "out is NULL");
    *out = NULL;
    STRIA_TRY(stria_meta_infer_reduce(op, x, axes, n_axes, keepdim, dtype, NULL, &meta, err));
    STRIA_TRY(new_result(&meta, &y, err));
    status = meta.device == STRIA_DEVICE_META ? STRIA_OK : combine(op, &meta, x, keepdim, y, err);
    if (status != STRIA_OK) {
        stria_tensor_release(y);
        return status;
    }
    *out = y;
    return STRIA_OK;
}

static bool has_shape(const stria_tensor *x, const stria_reduce_meta *meta)
{
    if (x->ndim != meta->ndim) return false;
    for (int d = 0; d < x->ndim; d++)
        if (x->shape[d] != meta->shape[d]) return false;
    return true;
}

/* Several elements at one address cannot all be results. */
static bool overlaps_itself(const stria_tensor *x)
{
    for (int d = 0; d < x->ndim && x->numel > 0; d++)
        if (x->shape[d] > 1 && x->strides[d] == 0) return true;
    return false;
}

/* Gives out the shape and elements of y, which is row-major; nothing can fail once out has changed. */
static stria_status replace(stria_tensor *out, const stria_tensor *y, stria_error *err)
{
    stria_tensor *converted = NULL;
    stria_status  status;

    STRIA_TRY(stria_tensor_copy(y, out->dtype, &converted, err));
    status = stria_tensor_resize(out, y->ndim, y->shape, y->strides, err);
    if (status == STRIA_OK && out->device == STRIA_DEVICE_CPU)
        memcpy(out->data, converted->data, (size_t)y->numel * stria_dtype_get_size(out->dtype));
    stria_tensor_release(converted);
    return status;
}

stria_status stria_reduce_out(stria_reduction op, const stria_tensor *x, const int *axes, int n_axes, bool keepdim,
                              stria_dtype dtype, stria_tensor *out, stria_error *err)
{
    stria_reduce_meta meta;
    stria_tensor     *y = NULL;
    stria_status      status;

    if (!out) return stria_error_set(err, STRIA_ERR_ARGUMENT, "reduce", "out", "a tensor", "NULL", "out is NULL");
    STRIA_TRY(stria_meta_infer_reduce(op, x, axes, n_axes, keepdim, dtype, out, &meta, err));
    if (has_shape(out, &meta) && overlaps_itself(out))
        return stria_error_set(err, STRIA_ERR_OVERLAP, stria_reduction_infos[op].name, "out",
                               "one address for each element", "a broadcast tensor",
                               "out has several elements at one address; copy it first");
    if (meta.device != STRIA_DEVICE_META && has_shape(out, &meta) && !stria_tensor_get_aliased(out, x))
        return combine(op, &meta, x, keepdim, out, err);

    /* Another shape, or memory shared with x: the result is made apart, so that out stays as it is on failure. */
    STRIA_TRY(new_result(&meta, &y, err));
    status = meta.device == STRIA_DEVICE_META ? STRIA_OK : combine(op, &meta, x, keepdim, y, err);
    if (status == STRIA_OK) status = has_shape(out, &meta) ? stria_tensor_set(out, y, err) : replace(out, y, err);
    stria_tensor_release(y);
    return status;
}
