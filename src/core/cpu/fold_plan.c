/* fold_plan.c - the geometry of a reduction (fold.h): by an iterator, unless all is contiguous. */
#include "cpu/fold.h"

#include "base/error.h"
#include "iter/iter_internal.h"

static void init(stria_fold_plan *plan, const stria_fold *fold)
{
    plan->load = fold->kernels->cast[fold->x->dtype][fold->compute];
    plan->size = stria_dtype_sizes[fold->compute];
    plan->source_size = stria_dtype_sizes[fold->x->dtype];
    plan->same = fold->x->dtype == fold->compute;
    plan->count = plan->n_outputs = 1;
    plan->n_red = plan->n_keep = 0;
    plan->red_stride[0] = plan->keep_stride[0] = plan->keep_out[0] = 0;
    plan->red_shape[0] = plan->keep_shape[0] = 1;
}

static void add_reduced(stria_fold_plan *plan, int64_t size, int64_t stride)
{
    plan->red_shape[plan->n_red] = size;
    plan->red_stride[plan->n_red++] = stride;
    plan->count *= size;
}

static void add_kept(stria_fold_plan *plan, int64_t size, int64_t stride, int64_t out)
{
    plan->keep_shape[plan->n_keep] = size;
    plan->keep_out[plan->n_keep] = out;
    plan->keep_stride[plan->n_keep++] = stride;
    plan->n_outputs *= size;
}

/* In general: an iterator brings the dims into order. */
static __attribute__((noinline)) stria_status add_iterated(stria_fold_plan *plan, const stria_fold *fold,
                                                           stria_error *err)
{
    stria_iter    iter;
    stria_tensor *view = NULL;
    stria_status  status;

    STRIA_TRY(stria_iter_view_reduced(fold->y, fold->x->ndim, fold->reduced, fold->keepdim, &view, err));
    status = stria_iter_build_reduction(&iter, fold->op, view, fold->x, fold->in_order, err);
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
static void add_contiguous(stria_fold_plan *plan, const stria_tensor *x, const stria_tensor *y, uint64_t reduced)
{
    int64_t stride = plan->source_size, out = stria_tensor_get_item_size(y);

    plan->out = y->data;
    plan->source = x->data;
    if (y->numel == 1) {
        if (x->numel > 1) add_reduced(plan, x->numel, stride);
        return;
    }
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

stria_status stria_fold_plan_build(stria_fold_plan *plan, const stria_fold *fold, stria_error *err)
{
    init(plan, fold);
    if (!stria_tensor_is_contiguous(fold->x) || !stria_tensor_is_contiguous(fold->y))
        return add_iterated(plan, fold, err);
    add_contiguous(plan, fold->x, fold->y, fold->reduced);
    return STRIA_OK;
}
