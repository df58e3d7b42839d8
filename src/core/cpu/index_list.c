/* index_list.c - several indices become one (index_list.h). */
#include "cpu/index_list.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "call/backend.h"
#include "tensor/device.h"
#include "tensor/shape.h"

static bool is_mask(const stria_tensor *index) { return index->dtype == STRIA_BOOL || index->dtype == STRIA_U8; }

static const char *name_member(char *text, size_t size, int k)
{
    snprintf(text, size, "indices[%d]", k);
    return text;
}

/* ---------------------------------------------------------------- shapes */

/* A mask has the shape of the dims that it stands for, dim and further ones; an integer stands for one. */
static stria_status check_member(const stria_call *call, int k, int dim, stria_error *err)
{
    const stria_tensor *x = call->in[0], *index = call->list[k];
    const char         *name = stria_call_get_name(call);
    char                argument[32], expected[96], got[96], what[32];

    name_member(argument, sizeof argument, k);
    if (!is_mask(index) && index->dtype != STRIA_I32 && index->dtype != STRIA_I64)
        return stria_infer_refuse_dtype(call, argument, index->dtype, "i32, i64 or bool", err);
    const int n = is_mask(index) ? index->ndim : 1;
    stria_shape_print(got, sizeof got, index->ndim, index->shape);
    if (n == 0)
        return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, "1 dim or more", "[]", "%s is a mask without dims",
                               argument);
    if (dim + n > x->ndim)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, "indices", NULL, NULL,
                               "indices stand for more than the %d dims of x", x->ndim);
    snprintf(what, sizeof what, "axis %d", dim);
    if (!is_mask(index)) return stria_index_infer_size(call, argument, index, x->shape[dim], what, err);
    if (memcmp(index->shape, x->shape + dim, (size_t)n * sizeof *index->shape) == 0) return STRIA_OK;
    stria_shape_print(expected, sizeof expected, n, x->shape + dim);
    return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, expected, got,
                           "%s is a mask of shape %s, but the dims of x from %d on are %s", argument, got, dim,
                           expected);
}

stria_status stria_index_list_infer(const stria_call *call, int *ndim, int64_t *shape, bool *is_known, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const char         *name = stria_call_get_name(call);
    int                 dim = 0;
    int64_t             numel;
    char                argument[32];

    if (call->n_list == 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, "indices", "an index or more", "none",
                               "indices is empty");
    *is_known = true;
    *ndim = 0;
    for (int k = 0; k < call->n_list; k++) {
        const stria_tensor *index = call->list[k];
        STRIA_TRY(check_member(call, k, dim, err));
        dim += is_mask(index) ? index->ndim : 1;
        if (is_mask(index)) *is_known = false;
        const stria_status status =
            is_mask(index) ? STRIA_OK : stria_shape_broadcast(name, ndim, shape, index->ndim, index->shape, err);
        if (status != STRIA_OK) return stria_error_set_argument(err, status, name_member(argument, sizeof argument, k));
    }
    if (*ndim + x->ndim - dim > STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, name, "indices", NULL, NULL, "the result has more than %d dims",
                               STRIA_MAX_DIMS);
    for (int d = dim; d < x->ndim; d++) shape[(*ndim)++] = x->shape[d];
    return stria_shape_get_product(name, *ndim, shape, &numel, err);
}

/* ---------------------------------------------------------------- members */

/* Integers, one for each dim: a mask has become the columns of its positions. */
typedef struct members {
    stria_tensor *at[STRIA_MAX_DIMS];
    int           from[STRIA_MAX_DIMS]; /* number in call->list */
    int           n;
} members;

static stria_status add_mask(members *m, const stria_tensor *mask, int k, stria_error *err)
{
    stria_tensor *positions = NULL;
    stria_status  status = stria_nonzero(mask, &positions, err);

    for (int d = 0; d < mask->ndim && status == STRIA_OK; d++) {
        status = stria_select(positions, 1, d, &m->at[m->n], err);
        m->from[m->n] = k;
        m->n += status == STRIA_OK;
    }
    stria_tensor_release(positions);
    return status;
}

/* The tensor number k of the list, on the device of x: one of the CPU is copied there. */
static stria_status get_listed(const stria_call *call, int k, stria_tensor **index, stria_error *err)
{
    const stria_tensor *x = call->in[0], *listed = call->list[k];

    *index = NULL;
    if (stria_device_equals(listed->device, x->device)) {
        *index = stria_tensor_retain((stria_tensor *)(uintptr_t)listed);
        return STRIA_OK;
    }
    STRIA_TRY(stria_tensor_new_on(x->device, listed->dtype, listed->ndim, listed->shape, NULL, index, err));
    const stria_status status = stria_backend_copy(*index, listed, err);
    if (status != STRIA_OK) stria_tensor_release(*index);
    return status;
}

static stria_status add_members(members *m, const stria_call *call, stria_error *err)
{
    for (int k = 0; k < call->n_list; k++) {
        stria_tensor *index;
        STRIA_TRY(get_listed(call, k, &index, err));
        if (is_mask(index)) {
            const stria_status status = add_mask(m, index, k, err);
            stria_tensor_release(index);
            STRIA_TRY(status);
            continue;
        }
        m->from[m->n] = k;
        m->at[m->n++] = index;
    }
    return STRIA_OK;
}

/* The shape that the members broadcast to, into the list, and behind it the other dims of x. */
static stria_status set_shape(stria_index_list *list, const members *m, const stria_call *call, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const char         *name = stria_call_get_name(call);
    int64_t             numel;
    char                argument[32];

    for (int k = 0; k < m->n; k++) {
        const stria_tensor *index = m->at[k];
        const stria_status  status =
            stria_shape_broadcast(name, &list->ndim, list->shape, index->ndim, index->shape, err);
        if (status != STRIA_OK)
            return stria_error_set_argument(err, status, name_member(argument, sizeof argument, m->from[k]));
    }
    list->n_rest = x->ndim - m->n;
    for (int d = m->n; d < x->ndim; d++) list->shape[list->ndim++] = x->shape[d];
    return stria_shape_get_product(name, list->ndim, list->shape, &numel, err);
}

/* ---------------------------------------------------------------- positions */

/* Adds what one index contributes to the offsets at `other`. */
static void add_offsets(const void *context, char *table, int64_t table_stride, const int64_t *offsets, char *other,
                        int64_t other_stride, int64_t n)
{
    (void)context, (void)table, (void)table_stride;
    for (int64_t k = 0; k < n; k++) *(int64_t *)(void *)(other + k * other_stride) += offsets[k];
}

stria_status stria_index_list_add(const stria_index_list *list, const stria_tensor *index, int k, const char *argument,
                                  const stria_call *call, const stria_tensor *table, stria_error *err)
{
    const int        first = list->at->ndim - index->ndim;
    stria_index_plan plan;
    char             what[32];

    stria_index_plan_init(&plan, list->at->ndim, list->at->shape);
    stria_index_plan_set_index(&plan, index, first);
    for (int d = 0; d < index->ndim; d++)
        if (index->shape[d] == 1) plan.index_strides[first + d] = 0;
    stria_index_plan_set_other(&plan, list->at, 0);
    plan.reads = plan.wants_offsets = plan.wraps = true;
    plan.item_size = (int64_t)sizeof(int64_t);
    plan.size = table->shape[k];
    plan.step = table->strides[k] * stria_tensor_get_item_size(table);
    if (stria_index_run(&plan, add_offsets, NULL)) return STRIA_OK;
    snprintf(what, sizeof what, "axis %d", k);
    return stria_index_refuse(call, argument, index, plan.size, true, what, err);
}

static stria_status build(stria_index_list *list, members *m, const stria_call *call, const stria_tensor *table,
                          stria_index_list_add_fn *add, stria_error *err)
{
    char argument[32];

    STRIA_TRY(add_members(m, call, err));
    STRIA_TRY(set_shape(list, m, call, err));
    list->is_checked = m->n != 1;
    if (m->n == 1) {
        list->at = stria_tensor_retain(m->at[0]);
        return STRIA_OK;
    }
    STRIA_TRY(stria_zeros(list->shape, list->ndim - list->n_rest, STRIA_I64, table->device, &list->at, err));
    for (int k = 0; k < m->n && list->at->numel > 0; k++)
        STRIA_TRY(add(list, m->at[k], k, name_member(argument, sizeof argument, m->from[k]), call, table, err));
    return STRIA_OK;
}

stria_status stria_index_list_build(stria_index_list *list, const stria_call *call, const stria_tensor *table,
                                    stria_index_list_add_fn *add, stria_error *err)
{
    members      m = {.n = 0};
    stria_status status;

    list->at = NULL;
    list->ndim = 0;
    status = build(list, &m, call, table, add, err);
    for (int k = 0; k < m.n; k++) stria_tensor_release(m.at[k]);
    return status;
}

void stria_index_list_release(stria_index_list *list) { stria_tensor_release(list->at); }

void stria_index_list_plan(const stria_index_list *list, stria_index_plan *plan, const stria_tensor *table)
{
    stria_index_plan_init(plan, list->ndim, list->shape);
    stria_index_plan_set_rows(plan, table, list->n_rest, list->ndim - list->n_rest);
    stria_index_plan_set_index(plan, list->at, 0);
    plan->wraps = true;
    if (!list->is_checked) return;
    plan->size = -1;
    plan->step = 1;
}

void stria_index_plan_set_rows(stria_index_plan *plan, const stria_tensor *table, int n, int first)
{
    const int axis = table->ndim - n - 1;

    plan->table = table->data;
    plan->item_size = stria_tensor_get_item_size(table);
    plan->size = table->shape[axis];
    plan->step = table->strides[axis] * plan->item_size;
    for (int d = 0; d < n; d++) {
        plan->table_strides[first + d] = table->strides[axis + 1 + d] * plan->item_size;
        plan->free |= UINT64_C(1) << (first + d);
    }
}

/* ---------------------------------------------------------------- all elements */

/* From numbers of elements in row-major order to bytes; context: the table. */
static void set_unravelled(const void *context, char *base, int64_t base_stride, const int64_t *offsets, char *other,
                           int64_t other_stride, int64_t n)
{
    const stria_tensor *table = context;

    (void)base, (void)base_stride;
    for (int64_t k = 0; k < n; k++) {
        int64_t left = offsets[k], at = 0;
        for (int d = table->ndim - 1; d >= 0; d--) {
            at += left % table->shape[d] * table->strides[d];
            left /= table->shape[d];
        }
        *(int64_t *)(void *)(other + k * other_stride) = at * stria_tensor_get_item_size(table);
    }
}

stria_status stria_index_plan_set_flat(stria_index_plan *plan, const stria_call *call, const stria_tensor *table,
                                       const stria_tensor *index, stria_tensor **offsets, stria_error *err)
{
    stria_index_plan finder;

    *offsets = NULL;
    plan->table = table->data;
    plan->item_size = stria_tensor_get_item_size(table);
    plan->size = table->numel;
    plan->wraps = true;
    if (stria_tensor_is_contiguous(table)) {
        plan->step = plan->item_size;
        stria_index_plan_set_index(plan, index, 0);
        return STRIA_OK;
    }
    STRIA_TRY(stria_tensor_new_shaped(STRIA_I64, index, offsets, err));
    stria_index_plan_init(&finder, index->ndim, index->shape);
    stria_index_plan_set_index(&finder, index, 0);
    stria_index_plan_set_other(&finder, *offsets, 0);
    finder.reads = finder.wants_offsets = finder.wraps = true;
    finder.item_size = (int64_t)sizeof(int64_t);
    finder.size = table->numel;
    finder.step = 1;
    if (!stria_index_run(&finder, set_unravelled, table)) {
        stria_tensor_release(*offsets);
        *offsets = NULL;
        return stria_index_refuse(call, "index", index, table->numel, true, "x", err);
    }
    stria_index_plan_set_index(plan, *offsets, 0);
    plan->size = -1;
    plan->step = 1;
    return STRIA_OK;
}
