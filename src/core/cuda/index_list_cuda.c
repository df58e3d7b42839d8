/* index_list_cuda.c - several indices and masks as one, on CUDA (cpu/index_list.h): masks become positions, and, where there are several
 * indices, the bytes where each slice begins are added up by ops. */
#include <stdio.h>

#include "base/error.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_index.h"
#include "tensor/shape.h"

/* Integers, one for each dim. */
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

/* Members, and the shape that they broadcast to with the other dims of x behind it. */
static stria_status add_members(members *m, stria_index_list *list, const stria_call *call, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    int64_t             numel;
    char                argument[32];

    for (int k = 0; k < call->n_list; k++) {
        stria_tensor *index = (stria_tensor *)(uintptr_t)call->list[k];
        if (index->dtype == STRIA_BOOL || index->dtype == STRIA_U8) {
            STRIA_TRY(add_mask(m, index, k, err));
            continue;
        }
        m->from[m->n] = k;
        m->at[m->n++] = stria_tensor_retain(index);
    }
    for (int k = 0; k < m->n; k++) {
        const stria_status status = stria_shape_broadcast(stria_call_get_name(call), &list->ndim, list->shape,
                                                          m->at[k]->ndim, m->at[k]->shape, err);
        snprintf(argument, sizeof argument, "indices[%d]", m->from[k]);
        if (status != STRIA_OK) return stria_error_set_argument(err, status, argument);
    }
    list->n_rest = x->ndim - m->n;
    for (int d = m->n; d < x->ndim; d++) list->shape[list->ndim++] = x->shape[d];
    return stria_shape_get_product(stria_call_get_name(call), list->ndim, list->shape, &numel, err);
}

static stria_scalar whole(int64_t i) { return (stria_scalar){.kind = STRIA_SCALAR_INT, .i = i}; }

/* Adds what member k, which stands for dim k of the table and is in range, contributes: (index mod size) * step. */
static stria_status add_offsets(stria_tensor *offsets, const stria_tensor *index, int64_t size, int64_t step,
                                stria_error *err)
{
    stria_tensor *number = NULL, *wide = NULL, *from_start = NULL, *bytes = NULL;

    stria_status status = stria_tensor_copy(index, STRIA_I64, &wide, err);
    if (status == STRIA_OK) status = stria_tensor_new_scalar(whole(size), &number, err);
    if (status == STRIA_OK) status = stria_remainder(wide, number, &from_start, err);
    stria_tensor_release(number);
    number = NULL;
    if (status == STRIA_OK) status = stria_tensor_new_scalar(whole(step), &number, err);
    if (status == STRIA_OK) status = stria_mul(from_start, number, &bytes, err);
    if (status == STRIA_OK)
        status = stria_apply_out(STRIA_OP_add, (const stria_tensor *const[]){offsets, bytes}, 2, offsets, err);
    stria_tensor_release(bytes);
    stria_tensor_release(number);
    stria_tensor_release(from_start);
    stria_tensor_release(wide);
    return status;
}

static stria_status build(stria_index_list *list, members *m, const stria_call *call, const stria_tensor *table,
                          stria_error *err)
{
    char argument[32], what[32];

    STRIA_TRY(add_members(m, list, call, err));
    list->is_checked = m->n != 1;
    if (m->n == 1) {
        list->at = stria_tensor_retain(m->at[0]);
        return STRIA_OK;
    }
    for (int k = 0; k < m->n; k++) {
        snprintf(argument, sizeof argument, "indices[%d]", m->from[k]);
        snprintf(what, sizeof what, "axis %d", k);
        STRIA_TRY(stria_cuda_index_check(call, argument, m->at[k], table->shape[k], true, what, err));
    }
    STRIA_TRY(stria_zeros(list->shape, list->ndim - list->n_rest, STRIA_I64, table->device, &list->at, err));
    for (int k = 0; k < m->n && list->at->numel > 0; k++)
        STRIA_TRY(add_offsets(list->at, m->at[k], table->shape[k],
                              table->strides[k] * stria_tensor_get_item_size(table), err));
    return STRIA_OK;
}

stria_status stria_cuda_index_list_build(stria_index_list *list, const stria_call *call, const stria_tensor *table,
                                         stria_error *err)
{
    members m = {.n = 0};

    list->at = NULL;
    list->ndim = 0;
    const stria_status status = build(list, &m, call, table, err);
    for (int k = 0; k < m.n; k++) stria_tensor_release(m.at[k]);
    return status;
}

stria_status stria_cuda_index(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    stria_index_list    list;
    stria_index_plan    plan;
    (void)meta;

    stria_status status = stria_cuda_index_list_build(&list, call, x, err);
    if (status == STRIA_OK && y[0] == NULL)
        status = stria_tensor_new_on(x->device, x->dtype, list.ndim, list.shape, NULL, &y[0], err);
    if (status == STRIA_OK) {
        stria_index_list_plan(&list, &plan, x);
        stria_index_plan_set_other(&plan, y[0], 0);
        status = stria_cuda_gather_from(call, &plan, x, y[0], "indices[0]", list.at, "axis 0", err);
    }
    stria_index_list_release(&list);
    return status;
}
