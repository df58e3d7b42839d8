/* reduce.c - the path of one reduction: meta -> output -> plan, by an iterator unless all is contiguous -> run
 * (reduce_run.c). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "call/call.h"
#include "iter/iter_internal.h"
#include "tensor/overlap.h"
#include "cpu/reduce_plan.h"

static void init_ways(stria_reduce_plan *plan, const stria_kernels *kernels, stria_dtype compute,
                      stria_dtype memory_out, stria_dtype memory_in)
{
    plan->row = NULL;
    plan->column = NULL;
    plan->few = NULL;
    plan->load = kernels->cast[memory_in][compute];
    plan->store = kernels->cast[compute][memory_out];
    plan->size = stria_dtype_sizes[compute];
    plan->source_size = stria_dtype_sizes[memory_in];
    plan->transpose = kernels->transpose[__builtin_ctz((unsigned)plan->source_size)];
    plan->divide = kernels->lane[compute]->loop[STRIA_OP_div];
    plan->finish = STRIA_FINISH_NONE;
    plan->compute = compute;
    plan->same = memory_in == compute;
    plan->same_out = memory_out == compute;
    plan->count = plan->n_outputs = 1;
    plan->n_red = plan->n_keep = 0;
}

static void add_reduced(stria_reduce_plan *plan, int64_t size, int64_t stride)
{
    plan->red_shape[plan->n_red] = size;
    plan->red_stride[plan->n_red++] = stride;
    plan->count *= size;
}

static void add_kept(stria_reduce_plan *plan, int64_t size, int64_t stride, int64_t out)
{
    plan->keep_shape[plan->n_keep] = size;
    plan->keep_out[plan->n_keep] = out;
    plan->keep_stride[plan->n_keep++] = stride;
    plan->n_outputs *= size;
}

/* In general: an iterator brings the dims into order. */
static __attribute__((noinline)) stria_status add_iterated(stria_reduce_plan *plan, const char *op, stria_tensor *y,
                                                           const stria_tensor *x, uint64_t reduced, bool keepdim,
                                                           bool in_order, stria_error *err)
{
    stria_iter    iter;
    stria_tensor *view = NULL;
    stria_status  status;

    STRIA_TRY(stria_iter_view_reduced(y, x->ndim, reduced, keepdim, &view, err));
    status = stria_iter_build_reduction(&iter, op, view, x, in_order, err);
    if (status == STRIA_OK) {
        const int64_t *shape = stria_iter_get_shape(&iter);
        plan->out = stria_iter_get_data(&iter, 0);
        plan->source = stria_iter_get_data(&iter, 1);
        for (int d = 0; d < stria_iter_get_ndim(&iter); d++) {
            const int64_t *strides = stria_iter_get_strides(&iter, d);
            if (shape[d] == 1) continue;
            if (strides[0] == 0)
                add_reduced(plan, shape[d], strides[1]);
            else
                add_kept(plan, shape[d], strides[1], strides[0]);
        }
        stria_iter_release(&iter);
    }
    stria_tensor_release(view);
    return status;
}

/* Contiguous tensors have their dims in order: neighbouring axes of one kind are one dim. */
static void add_contiguous(stria_reduce_plan *plan, const stria_tensor *y, const stria_tensor *x, uint64_t reduced)
{
    int64_t stride = plan->source_size, out = stria_tensor_get_item_size(y);

    plan->out = y->data;
    plan->source = x->data;
    for (int d = x->ndim - 1; d >= 0;) {
        const bool is_reduced = reduced >> d & 1;
        int64_t    size = 1;
        for (; d >= 0 && (x->shape[d] == 1 || (reduced >> d & 1) == is_reduced); d--) size *= x->shape[d];
        if (size == 1) continue;
        if (is_reduced) {
            add_reduced(plan, size, stride);
        } else {
            add_kept(plan, size, stride, out);
            out *= size;
        }
        stride *= size;
    }
}

stria_status stria_reduce_plan_build(stria_reduce_plan *plan, const stria_kernels *kernels, stria_dtype compute,
                                     const char *op, stria_tensor *y, const stria_tensor *x, uint64_t reduced,
                                     bool keepdim, bool in_order, stria_error *err)
{
    init_ways(plan, kernels, compute, y->dtype, x->dtype);
    if (!stria_tensor_is_contiguous(x) || !stria_tensor_is_contiguous(y))
        return add_iterated(plan, op, y, x, reduced, keepdim, in_order, err);
    add_contiguous(plan, y, x, reduced);
    return STRIA_OK;
}

/* Nothing is combined: every element of the result is the identity, a mean of nothing NaN. */
static stria_status fill_identity(stria_reduction op, stria_tensor *y, stria_error *err)
{
    const stria_reduction_info *info = &stria_reduction_infos[op];
    const bool                  is_mean = info->finish == STRIA_FINISH_DIVIDE_BY_COUNT;

    return stria_tensor_fill(y, is_mean ? (double)NAN : info->identity == STRIA_IDENTITY_ONE ? 1 : 0, err);
}

/* Combines x into y, which has the shape of the result and shares no memory with x. */
static stria_status combine(stria_reduction op, const stria_reduce_meta *meta, const stria_tensor *x, bool keepdim,
                            stria_tensor *y, stria_error *err)
{
    const stria_kernels        *kernels = stria_dispatch_get();
    const stria_reduction_info *info = &stria_reduction_infos[op];
    stria_reduce_plan           plan;

    if (!kernels) return stria_isa_get_status(err);
    if (y->numel == 0) return STRIA_OK;
    if (x->numel == 0) return fill_identity(op, y, err);
    STRIA_TRY(
        stria_reduce_plan_build(&plan, kernels, meta->compute, info->name, y, x, meta->reduced, keepdim, false, err));
    plan.row = kernels->lane[meta->compute]->row[op];
    plan.column = kernels->lane[meta->compute]->column[op];
    plan.few = kernels->lane[meta->compute]->few[op];
    plan.finish = info->finish;
    return stria_reduce_plan_run(&plan, info->name, err);
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
    status = new_result(&meta, &y, err);
    if (status == STRIA_OK && meta.device != STRIA_DEVICE_META) status = combine(op, &meta, x, keepdim, y, err);
    if (status != STRIA_OK) {
        stria_tensor_release(y);
        return stria_error_set_op(err, status, stria_reduction_infos[op].name);
    }
    *out = y;
    return STRIA_OK;
}

static bool has_shape(const stria_tensor *x, const stria_reduce_meta *meta)
{
    return stria_tensor_has_shape(x, meta->ndim, meta->shape);
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
    if (has_shape(out, &meta)) STRIA_TRY(stria_overlap_check_out(stria_reduction_infos[op].name, out, err));
    if (meta.device != STRIA_DEVICE_META && has_shape(out, &meta) && stria_overlap_find(out, x) == STRIA_OVERLAP_NONE)
        return stria_error_set_op(err, combine(op, &meta, x, keepdim, out, err), stria_reduction_infos[op].name);

    /* Another shape, or memory shared with x: the result is made apart, so that out stays as it is on failure. */
    status = new_result(&meta, &y, err);
    if (status == STRIA_OK && meta.device != STRIA_DEVICE_META) status = combine(op, &meta, x, keepdim, y, err);
    if (status == STRIA_OK) status = has_shape(out, &meta) ? stria_tensor_set(out, y, err) : replace(out, y, err);
    stria_tensor_release(y);
    return stria_error_set_op(err, status, stria_reduction_infos[op].name);
}
