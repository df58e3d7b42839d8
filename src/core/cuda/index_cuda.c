/* index_cuda.c - gathers and scatters on CUDA: the plans of the CPU's drivers. Every index is looked at by a kernel of its own, whose answer is
 * waited for, before anything is written. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_index.h"

/* ---------------------------------------------------------------- plans as the plug-in takes them */

static void move_dim(stria_cuda_index_call *to, const stria_index_plan *plan, int d)
{
    const int k = to->ndim++;

    to->shape[k] = plan->shape[d];
    to->index_strides[k] = plan->index_strides[d];
    to->table_strides[k] = plan->table_strides[d];
    to->other_strides[k] = plan->other_strides[d];
}

/* Free dims first, each kind in its order; those of size 1 are left out. */
static void describe(const stria_index_plan *plan, stria_cuda_index_action action, stria_cuda_index_call *to)
{
    const bool are_free = action == STRIA_CUDA_INDEX_CHECK || action == STRIA_CUDA_INDEX_GET;

    memset(to, 0, offsetof(stria_cuda_index_call, shape));
    to->action = action;
    to->index_dtype = plan->index_dtype;
    to->item_size = (int32_t)plan->item_size;
    to->wraps = plan->wraps && plan->size >= 0; /* else these are offsets, below 0 where a stride is */
    to->size = plan->size;
    to->step = plan->step;
    to->index = plan->index;
    to->table = plan->table;
    to->other = plan->other;
    for (int d = 0; d < plan->ndim; d++)
        if (plan->shape[d] != 1 && (are_free || ((plan->free >> d) & 1))) move_dim(to, plan, d);
    to->n_free = to->ndim;
    for (int d = 0; d < plan->ndim; d++)
        if (plan->shape[d] != 1 && !are_free && !((plan->free >> d) & 1)) move_dim(to, plan, d);
}

/* Runs a plan that has been checked; dtypes count where elements are combined. */
static stria_status run(const char *name, const stria_index_plan *plan, stria_cuda_index_action action,
                        const stria_tensor *table, const stria_tensor *index, const stria_tensor *other,
                        stria_error *err)
{
    stria_cuda_index_call call;
    stria_cuda_work       work;

    describe(plan, action, &call);
    call.table_dtype = table->dtype;
    call.other_dtype = other->dtype;
    STRIA_TRY(stria_cuda_work_begin(&work, name, table->device, err));
    stria_cuda_work_use(&work, table);
    stria_cuda_work_use(&work, index);
    stria_cuda_work_use(&work, other);
    if (work.code == STRIA_CUDA_OK) stria_cuda_work_put(&work, work.plugin->index(work.stream, &call));
    return stria_cuda_work_end(&work, table->dtype, err);
}

/* ---------------------------------------------------------------- range */

/* Whether an index is out of range. */
static stria_status find_out(const char *name, const stria_index_plan *plan, const stria_tensor *index, int32_t *is_out,
                             stria_error *err)
{
    stria_cuda_index_call call;
    stria_cuda_work       work;

    describe(plan, STRIA_CUDA_INDEX_CHECK, &call);
    *is_out = 0;
    STRIA_TRY(stria_cuda_work_begin(&work, name, index->device, err));
    stria_cuda_work_use(&work, index);
    call.is_out = stria_cuda_work_allocate(&work, sizeof *is_out);
    if (call.is_out != NULL) {
        stria_cuda_work_put(&work, work.plugin->copy_in(work.stream, call.is_out, is_out, sizeof *is_out));
        if (work.code == STRIA_CUDA_OK) stria_cuda_work_put(&work, work.plugin->index(work.stream, &call));
        if (work.code == STRIA_CUDA_OK)
            stria_cuda_work_put(&work, work.plugin->copy_out(work.stream, is_out, call.is_out, sizeof *is_out));
        stria_cuda_work_release(&work, call.is_out);
    }
    return stria_cuda_work_end(&work, index->dtype, err);
}

stria_status stria_cuda_index_check(const stria_call *call, const char *argument, const stria_tensor *index,
                                    int64_t size, bool wraps, const char *what, stria_error *err)
{
    stria_index_plan plan;
    stria_tensor    *host = NULL;
    int32_t          is_out;

    if (index->numel == 0) return STRIA_OK;
    stria_index_plan_init(&plan, index->ndim, index->shape);
    stria_index_plan_set_index(&plan, index, 0);
    plan.size = size;
    plan.wraps = wraps;
    for (int d = 0; d < index->ndim; d++)
        if (index->strides[d] == 0) plan.shape[d] = 1; /* the same indices again */
    STRIA_TRY(find_out(stria_call_get_name(call), &plan, index, &is_out, err));
    if (!is_out) return STRIA_OK;
    STRIA_TRY(stria_tensor_new_shaped(index->dtype, index, &host, err));
    stria_status status = stria_backend_copy(host, index, err);
    if (status == STRIA_OK) status = stria_index_refuse(call, argument, host, size, wraps, what, err);
    stria_tensor_release(host);
    return status;
}

stria_status stria_cuda_gather_from(const stria_call *call, const stria_index_plan *plan, const stria_tensor *table,
                                    stria_tensor *y, const char *argument, const stria_tensor *index, const char *what,
                                    stria_error *err)
{
    if (y->numel == 0) return STRIA_OK;
    if (plan->size >= 0) STRIA_TRY(stria_cuda_index_check(call, argument, index, plan->size, plan->wraps, what, err));
    return run(stria_call_get_name(call), plan, STRIA_CUDA_INDEX_GET, y, index, table, err);
}

stria_status stria_cuda_scatter_to(const char *name, const stria_index_plan *plan, const stria_tensor *table,
                                   const stria_tensor *index, const stria_tensor *other, stria_error *err)
{
    return run(name, plan, STRIA_CUDA_INDEX_SET, table, index, other, err);
}

stria_status stria_cuda_gather_plan(const stria_call *call, const stria_index_plan *plan, stria_tensor *y,
                                    const char *argument, const stria_tensor *index, const char *what, stria_error *err)
{
    return stria_cuda_gather_from(call, plan, call->in[0], y, argument, index, what, err);
}

/* ---------------------------------------------------------------- take */

stria_status stria_cuda_take(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_tensor *index = call->in[1];
    const int64_t       flat = -1;
    stria_tensor       *x = NULL;
    stria_index_plan    plan;
    (void)meta;

    STRIA_TRY(stria_reshape((stria_tensor *)(uintptr_t)call->in[0], &flat, 1, &x, err));
    stria_index_plan_init(&plan, index->ndim, index->shape);
    stria_index_plan_set_rows(&plan, x, 0, index->ndim);
    stria_index_plan_set_index(&plan, index, 0);
    stria_index_plan_set_other(&plan, y[0], 0);
    plan.wraps = true;
    const stria_status status = stria_cuda_gather_from(call, &plan, x, y[0], "index", index, "x", err);
    stria_tensor_release(x);
    return status;
}

/* ---------------------------------------------------------------- scatters */

/* The walk over a target. Of STRIA_SCATTER_FLAT the target is row-major. */
static void set_plan(const stria_scattering *s, const stria_tensor *target, stria_index_plan *plan)
{
    const stria_tensor *index = s->call->in[1];

    if (s->form != STRIA_SCATTER_LIST) {
        stria_index_plan_init(plan, index->ndim, index->shape);
    } else {
        stria_index_plan_init(plan, target->ndim, target->shape);
        if (target->ndim > 0) {
            plan->shape[s->axis] = index->numel;
        } else if (index->numel != 1) { /* one element meets all */
            plan->ndim = 1;
            plan->shape[0] = index->numel;
        }
    }
    if (s->form == STRIA_SCATTER_FLAT) {
        plan->table = target->data;
        plan->item_size = plan->step = stria_tensor_get_item_size(target);
        plan->size = target->numel;
        plan->wraps = true;
    } else {
        stria_index_plan_set_table(plan, target, s->axis);
        plan->wraps = s->wraps;
    }
    stria_index_plan_set_index(plan, index, s->form == STRIA_SCATTER_LIST ? s->axis : 0);
}

/* The dims of the source are those of the plan from `first` on. */
static void set_source(stria_index_plan *plan, const stria_tensor *source, int first)
{
    plan->other = source->data;
    memset(plan->other_strides, 0, sizeof plan->other_strides);
    if (source->ndim == 0) return;
    stria_index_plan_set_other(plan, source, first);
    for (int d = 0; d < source->ndim; d++)
        if (source->shape[d] == 1) plan->other_strides[first + d] = 0;
}

static stria_cuda_index_action get_action(stria_scatter_kind kind)
{
    switch (kind) {
    case STRIA_SCATTER_WRITE: return STRIA_CUDA_INDEX_SET;
    case STRIA_SCATTER_PROD: return STRIA_CUDA_INDEX_MUL;
    case STRIA_SCATTER_AMAX: return STRIA_CUDA_INDEX_MAX;
    case STRIA_SCATTER_AMIN: return STRIA_CUDA_INDEX_MIN;
    default: return STRIA_CUDA_INDEX_ADD;
    }
}

/* A 0-dim tensor on the device of the target with an element of the host. */
static stria_status new_value(const stria_tensor *target, const void *element, stria_tensor **value, stria_error *err)
{
    stria_tensor *host = NULL;

    STRIA_TRY(stria_tensor_new(target->dtype, 0, NULL, &host, err));
    memcpy(host->data, element, (size_t)stria_tensor_get_item_size(target));
    stria_status status = stria_tensor_new_on(target->device, target->dtype, 0, NULL, NULL, value, err);
    if (status == STRIA_OK) status = stria_backend_copy(*value, host, err);
    stria_tensor_release(host);
    return status;
}

/* Combines `value`, one element, with the target wherever the source is going to meet it. */
static stria_status spread(const stria_scattering *s, stria_tensor *target, const void *value,
                           stria_cuda_index_action action, stria_error *err)
{
    stria_tensor    *scalar = NULL;
    stria_index_plan plan;

    stria_status status = new_value(target, value, &scalar, err);
    if (status == STRIA_OK) {
        set_plan(s, target, &plan);
        set_source(&plan, scalar, 0);
        status = run(stria_call_get_name(s->call), &plan, action, target, s->call->in[1], scalar, err);
    }
    stria_tensor_release(scalar);
    return status;
}

/* Adds 1 wherever the source is going to meet `met`. */
static stria_status add_ones(const stria_scattering *s, stria_tensor *met, stria_error *err)
{
    const int64_t one = 1;

    return spread(s, met, &one, STRIA_CUDA_INDEX_ADD, err);
}

static stria_status scatter_into(const stria_scattering *s, const stria_tensor *source, stria_tensor *target,
                                 stria_error *err)
{
    const stria_tensor *x = s->call->in[0], *index = s->call->in[1];
    stria_index_plan    plan;
    char                neutral[16];

    if (target->data != x->data) STRIA_TRY(stria_backend_copy(target, x, err));
    if (index->numel == 0 || target->numel == 0) return STRIA_OK;
    if (s->kind != STRIA_SCATTER_WRITE && !s->include_self) {
        stria_scatter_get_identity(target->dtype, stria_scatter_kind_ops[s->kind], neutral);
        STRIA_TRY(spread(s, target, neutral, STRIA_CUDA_INDEX_SET, err));
    }
    set_plan(s, target, &plan);
    set_source(&plan, source, 0);
    return run(stria_call_get_name(s->call), &plan, get_action(s->kind), target, index, source, err);
}

/* Means are made apart, so that the target is as it was where there is no memory for counts. */
static stria_status scatter(const stria_scattering *s, const stria_tensor *source, stria_tensor *target,
                            stria_error *err)
{
    stria_tensor *means = NULL;

    if (s->kind != STRIA_SCATTER_MEAN || target->numel == 0) return scatter_into(s, source, target, err);
    STRIA_TRY(stria_tensor_new_on(target->device, target->dtype, target->ndim, target->shape, NULL, &means, err));
    stria_status status = scatter_into(s, source, means, err);
    if (status == STRIA_OK && s->call->in[1]->numel > 0) status = stria_scatter_divide(s, means, add_ones, err);
    if (status == STRIA_OK) status = stria_backend_copy(target, means, err);
    stria_tensor_release(means);
    return status;
}

/* index_put: several indices. Everything is checked before the target is written. */
static stria_status put_many(const stria_scattering *s, const stria_tensor *source, stria_tensor *target,
                             stria_error *err)
{
    const stria_call   *call = s->call;
    const stria_tensor *x = call->in[0];
    stria_index_list    list;
    stria_index_plan    plan;

    stria_status status = stria_index_list_build(&list, call, target, stria_cuda_index_list_add, err);
    if (status == STRIA_OK) status = stria_scatter_check_values(call, list.ndim, list.shape, err);
    if (status == STRIA_OK && !list.is_checked)
        status = stria_cuda_index_check(call, "indices[0]", list.at, target->shape[0], true, "axis 0", err);
    if (status == STRIA_OK && target->data != x->data) status = stria_backend_copy(target, x, err);
    if (status == STRIA_OK && list.at->numel > 0 && target->numel > 0) {
        stria_index_list_plan(&list, &plan, target);
        set_source(&plan, source, plan.ndim - source->ndim);
        status = run(stria_call_get_name(call), &plan, get_action(s->kind), target, list.at, source, err);
    }
    stria_index_list_release(&list);
    return status;
}

/* The source on the device: a number of the host is moved there. */
static stria_status get_source(const stria_scattering *s, const stria_tensor *y, stria_tensor **source,
                               stria_error *err)
{
    if (s->source->device.type == y->device.type) {
        *source = stria_tensor_retain((stria_tensor *)(uintptr_t)s->source);
        return STRIA_OK;
    }
    STRIA_TRY(stria_tensor_new_on(y->device, s->source->dtype, 0, NULL, NULL, source, err));
    return stria_backend_copy(*source, s->source, err);
}

static stria_status check_sole(const stria_scattering *s, const stria_tensor *y, stria_error *err)
{
    const bool    is_flat = s->form == STRIA_SCATTER_FLAT;
    const int64_t size = is_flat ? y->numel : stria_index_get_size(y, s->axis);
    char          what[32] = "x";

    if (!is_flat) snprintf(what, sizeof what, "axis %d", s->axis);
    return stria_cuda_index_check(s->call, "index", s->call->in[1], size, s->wraps || is_flat, what, err);
}

stria_status stria_cuda_scatter_plan(const stria_scattering *s, stria_tensor *y, stria_error *err)
{
    const stria_dtype compute = s->kind == STRIA_SCATTER_WRITE ? y->dtype : stria_dtype_get_compute(y->dtype);
    const bool        is_many = s->form == STRIA_SCATTER_MANY;
    const bool    is_apart = compute != y->dtype || (s->form == STRIA_SCATTER_FLAT && !stria_tensor_is_contiguous(y));
    stria_tensor *target = NULL, *source = NULL;

    if (!is_many) STRIA_TRY(check_sole(s, y, err));
    stria_status status = get_source(s, y, &source, err);
    if (!is_apart)
        target = stria_tensor_retain(y);
    else if (status == STRIA_OK)
        status = stria_tensor_new_on(y->device, compute, y->ndim, y->shape, NULL, &target, err);
    if (status == STRIA_OK) status = is_many ? put_many(s, source, target, err) : scatter(s, source, target, err);
    if (status == STRIA_OK && is_apart) status = stria_backend_copy(y, target, err);
    stria_tensor_release(target);
    stria_tensor_release(source);
    return status;
}
