/* index_cuda.c - gathers and scatters on CUDA: the plans of the CPU's drivers. Every index is looked at by a kernel of its own, whose answer is
 * waited for, before anything is written. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_index.h"

/* An order (calls_index.h) and its memory; of none all is NULL. */
typedef struct scatter_order {
    stria_cuda_index_order is;
    stria_tensor          *keys, *numbers, *parts;
} scatter_order;

/* ---------------------------------------------------------------- plans as the plug-in takes them */

static void move_dim(stria_cuda_index_call *to, const stria_index_plan *plan, int d)
{
    const int k = to->ndim++;

    to->shape[k] = plan->shape[d];
    to->index_strides[k] = plan->index_strides[d];
    to->table_strides[k] = plan->table_strides[d];
    to->other_strides[k] = plan->other_strides[d];
}

/* Dims of a kind, in their order; those of size 1 are left out. */
static void move_dims(stria_cuda_index_call *to, const stria_index_plan *plan, bool are_free, bool are_shared)
{
    for (int d = 0; d < plan->ndim; d++) {
        const bool is_free = (plan->free >> d) & 1, is_shared = is_free && plan->index_strides[d] == 0;
        if (plan->shape[d] != 1 && is_free == are_free && is_shared == are_shared) move_dim(to, plan, d);
    }
}

/* Free dims first, of scatters those along which the index is the same before all. */
static void describe(const stria_index_plan *plan, stria_cuda_index_action action, stria_cuda_index_call *to)
{
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
    if (action == STRIA_CUDA_INDEX_CHECK || action == STRIA_CUDA_INDEX_GET) {
        for (int d = 0; d < plan->ndim; d++)
            if (plan->shape[d] != 1) move_dim(to, plan, d);
        to->n_free = to->ndim;
        return;
    }
    move_dims(to, plan, true, true);
    to->n_shared = to->ndim;
    move_dims(to, plan, true, false);
    to->n_free = to->ndim;
    move_dims(to, plan, false, false);
}

/* Runs a plan that has been checked; dtypes count where elements are combined. order NULL: there is none. */
static stria_status run(const char *name, const stria_index_plan *plan, stria_cuda_index_action action,
                        const scatter_order *order, const stria_tensor *table, const stria_tensor *index,
                        const stria_tensor *other, stria_error *err)
{
    stria_cuda_index_call call;
    stria_cuda_work       work;

    describe(plan, action, &call);
    if (order != NULL) call.order = order->is;
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
    return run(stria_call_get_name(call), plan, STRIA_CUDA_INDEX_GET, NULL, y, index, table, err);
}

stria_status stria_cuda_scatter_to(const char *name, const stria_index_plan *plan, const stria_tensor *table,
                                   const stria_tensor *index, const stria_tensor *other, stria_error *err)
{
    return run(name, plan, STRIA_CUDA_INDEX_SET, NULL, table, index, other, err);
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

/* ---------------------------------------------------------------- their order */

/* Scatters of fewer positions of the dims that are not free, or with as many threads without, have none: a sort takes longer. */
enum { ORDER_LEAST = 128, ORDER_MOST_THREADS = 65536 };

/* What the call says of sizes. False: there is to be no order. */
static bool size_order(const stria_cuda_index_call *call, stria_cuda_index_order *order)
{
    int64_t n_shared = 1, n_free = 1, n_rest = 1;

    for (int d = 0; d < call->ndim; d++) {
        if (d < call->n_shared) n_shared *= call->shape[d];
        int64_t *product = d < call->n_free ? &n_free : &n_rest;
        if (__builtin_mul_overflow(*product, call->shape[d], product)) return false;
    }
    if (n_rest < ORDER_LEAST || n_free >= ORDER_MOST_THREADS || n_rest > (INT64_C(1) << 37) / n_free) return false;
    order->n_shared_positions = n_shared;
    order->n = n_free / n_shared * n_rest;
    return true;
}

/* Where the elements of the table lie, from its data on. */
static void place_table(const stria_tensor *table, stria_cuda_index_order *order)
{
    int64_t low = 0, high = 0;

    for (int d = 0; d < table->ndim; d++)
        *(table->strides[d] < 0 ? &low : &high) += (table->shape[d] - 1) * table->strides[d];
    order->lowest = low * stria_tensor_get_item_size(table);
    order->n_elements = high - low + 1;
}

/* One where it pays, for a plan over the table, and over others of its shape. parts: elements are going to be combined, of at most as many bytes
 * as those of the table, or 8. */
static stria_status new_order(const char *name, const stria_index_plan *plan, const stria_tensor *table,
                              const stria_tensor *index, bool parts, scatter_order *order, stria_error *err)
{
    const int64_t         size = plan->item_size > 8 ? plan->item_size : 8;
    stria_cuda_index_call call;
    stria_cuda_work       work;

    describe(plan, STRIA_CUDA_INDEX_ORDER, &call);
    if (!size_order(&call, &call.order)) return STRIA_OK;
    place_table(table, &call.order);
    const int64_t n = call.order.n, room = (n / STRIA_CUDA_INDEX_PART + 1) * call.order.n_shared_positions * size;
    STRIA_TRY(stria_tensor_new_on(table->device, STRIA_I64, 1, &n, NULL, &order->keys, err));
    STRIA_TRY(stria_tensor_new_on(table->device, STRIA_I64, 1, &n, NULL, &order->numbers, err));
    if (parts) STRIA_TRY(stria_tensor_new_on(table->device, STRIA_U8, 1, &room, NULL, &order->parts, err));
    call.order.keys = (uint64_t *)(void *)order->keys->data;
    call.order.numbers = (int64_t *)(void *)order->numbers->data;
    call.order.parts = parts ? order->parts->data : NULL;
    order->is = call.order;
    STRIA_TRY(stria_cuda_work_begin(&work, name, table->device, err));
    stria_cuda_work_use(&work, index);
    if (work.code == STRIA_CUDA_OK) stria_cuda_work_put(&work, work.plugin->index(work.stream, &call));
    return stria_cuda_work_end(&work, table->dtype, err);
}

static void release_order(scatter_order *order)
{
    stria_tensor_release(order->keys);
    stria_tensor_release(order->numbers);
    stria_tensor_release(order->parts);
}

/* ---------------------------------------------------------------- elements that meet */

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
static stria_status spread(const stria_scattering *s, const scatter_order *order, stria_tensor *target,
                           const void *value, stria_cuda_index_action action, stria_error *err)
{
    stria_tensor    *scalar = NULL;
    stria_index_plan plan;

    stria_status status = new_value(target, value, &scalar, err);
    if (status == STRIA_OK) {
        set_plan(s, target, &plan);
        set_source(&plan, scalar, 0);
        status = run(stria_call_get_name(s->call), &plan, action, order, target, s->call->in[1], scalar, err);
    }
    stria_tensor_release(scalar);
    return status;
}

/* Adds 1 wherever the source is going to meet `met`; context: the order. */
static stria_status add_ones(const stria_scattering *s, stria_tensor *met, const void *context, stria_error *err)
{
    const int64_t one = 1;

    return spread(s, context, met, &one, STRIA_CUDA_INDEX_ADD, err);
}

static stria_status scatter_into(const stria_scattering *s, const scatter_order *order, const stria_tensor *source,
                                 stria_tensor *target, stria_error *err)
{
    const stria_tensor *x = s->call->in[0], *index = s->call->in[1];
    stria_index_plan    plan;
    char                neutral[16];

    if (target->data != x->data) STRIA_TRY(stria_backend_copy(target, x, err));
    if (index->numel == 0 || target->numel == 0) return STRIA_OK;
    if (s->kind != STRIA_SCATTER_WRITE && !s->include_self) {
        stria_scatter_get_identity(target->dtype, stria_scatter_kind_ops[s->kind], neutral);
        STRIA_TRY(spread(s, order, target, neutral, STRIA_CUDA_INDEX_SET, err));
    }
    set_plan(s, target, &plan);
    set_source(&plan, source, 0);
    return run(stria_call_get_name(s->call), &plan, get_action(s->kind), order, target, index, source, err);
}

/* What takes memory after the first element was written is made apart, so that the target is as it was where there is none: means, for their
 * counts, and what the target has no part in, for the neutral element. */
static stria_status scatter_ordered(const stria_scattering *s, const scatter_order *order, const stria_tensor *source,
                                    stria_tensor *target, stria_error *err)
{
    const bool    is_apart = s->kind == STRIA_SCATTER_MEAN || (s->kind != STRIA_SCATTER_WRITE && !s->include_self);
    stria_tensor *y = NULL;

    if (!is_apart || target->numel == 0) return scatter_into(s, order, source, target, err);
    STRIA_TRY(stria_tensor_new_on(target->device, target->dtype, target->ndim, target->shape, NULL, &y, err));
    stria_status status = scatter_into(s, order, source, y, err);
    if (status == STRIA_OK && s->kind == STRIA_SCATTER_MEAN && s->call->in[1]->numel > 0)
        status = stria_scatter_divide(s, y, add_ones, order, err);
    if (status == STRIA_OK) status = stria_backend_copy(target, y, err);
    stria_tensor_release(y);
    return status;
}

static stria_status scatter(const stria_scattering *s, const stria_tensor *source, stria_tensor *target,
                            stria_error *err)
{
    const stria_tensor *index = s->call->in[1];
    scatter_order       order = {.keys = NULL};
    stria_index_plan    plan;
    stria_status        status = STRIA_OK;

    if (index->numel > 0 && target->numel > 0) {
        set_plan(s, target, &plan);
        status =
            new_order(stria_call_get_name(s->call), &plan, target, index, s->kind != STRIA_SCATTER_WRITE, &order, err);
    }
    if (status == STRIA_OK) status = scatter_ordered(s, &order, source, target, err);
    release_order(&order);
    return status;
}

/* index_put: several indices. Everything is checked before the target is written. */
static stria_status put_many(const stria_scattering *s, const stria_tensor *source, stria_tensor *target,
                             stria_error *err)
{
    const stria_call   *call = s->call;
    const stria_tensor *x = call->in[0];
    const char         *name = stria_call_get_name(call);
    scatter_order       order = {.keys = NULL};
    stria_index_list    list;
    stria_index_plan    plan;

    stria_status status = stria_index_list_build(&list, call, target, stria_cuda_index_list_add, err);
    if (status == STRIA_OK) status = stria_scatter_check_values(call, list.ndim, list.shape, err);
    if (status == STRIA_OK && !list.is_checked)
        status = stria_cuda_index_check(call, "indices[0]", list.at, target->shape[0], true, "axis 0", err);
    const bool is_any = status == STRIA_OK && list.at->numel > 0 && target->numel > 0;
    if (is_any) {
        stria_index_list_plan(&list, &plan, target);
        status = new_order(name, &plan, target, list.at, s->kind != STRIA_SCATTER_WRITE, &order, err);
    }
    if (status == STRIA_OK && target->data != x->data) status = stria_backend_copy(target, x, err);
    if (is_any && status == STRIA_OK) {
        set_source(&plan, source, plan.ndim - source->ndim);
        status = run(name, &plan, get_action(s->kind), &order, target, list.at, source, err);
    }
    release_order(&order);
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
