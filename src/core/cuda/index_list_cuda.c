/* index_list_cuda.c - several indices and masks as one, on CUDA (cpu/index_list.h): masks become positions, and, where there are several
 * indices, the bytes where each slice begins are added up by ops. */
#include <stdio.h>

#include "base/error.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_index.h"

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

stria_status stria_cuda_index_list_add(const stria_index_list *list, const stria_tensor *index, int k,
                                       const char *argument, const stria_call *call, const stria_tensor *table,
                                       stria_error *err)
{
    char what[32];

    snprintf(what, sizeof what, "axis %d", k);
    STRIA_TRY(stria_cuda_index_check(call, argument, index, table->shape[k], true, what, err));
    return add_offsets(list->at, index, table->shape[k], table->strides[k] * stria_tensor_get_item_size(table), err);
}

stria_status stria_cuda_index(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    stria_index_list    list;
    stria_index_plan    plan;
    (void)meta;

    stria_status status = stria_index_list_build(&list, call, x, stria_cuda_index_list_add, err);
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
