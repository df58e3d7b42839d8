/* sort_cuda.c - sort, argsort, topk, kthvalue on CUDA: places of the elements of each row in order, then the elements at these places. */
#include "base/error.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_index.h"

/* x with the axis behind all others. */
static stria_status move_last(const stria_tensor *x, int axis, stria_tensor **view, stria_error *err)
{
    return stria_movedim((stria_tensor *)(uintptr_t)x, &axis, 1, (const int[]){-1}, 1, view, err);
}

static stria_status run(const char *name, const stria_tensor *rows, bool descending, stria_tensor *places,
                        stria_error *err)
{
    const int64_t              length = rows->ndim > 0 ? rows->shape[rows->ndim - 1] : 1;
    const stria_cuda_sort_call call = {.x = rows->data,
                                       .dtype = rows->dtype,
                                       .descending = descending,
                                       .n_rows = rows->numel / length,
                                       .length = length,
                                       .places = (int64_t *)(void *)places->data};
    stria_cuda_work            work;

    STRIA_TRY(stria_cuda_work_begin(&work, name, rows->device, err));
    stria_cuda_work_use(&work, rows);
    stria_cuda_work_use(&work, places);
    if (work.code == STRIA_CUDA_OK) stria_cuda_work_put(&work, work.plugin->sort(work.stream, &call));
    return stria_cuda_work_end(&work, rows->dtype, err);
}

/* Where the elements of x are in order along the axis: an i64 of the shape of x, on its device. x has elements. */
static stria_status new_places(const stria_call *call, int axis, bool descending, stria_tensor **places,
                               stria_error *err)
{
    const stria_tensor *x = call->in[0];
    stria_tensor       *turned = NULL, *rows = NULL, *own = NULL;
    const int           last = -1;

    stria_status status = x->ndim > 0 ? move_last(x, axis, &turned, err) : STRIA_OK;
    if (status == STRIA_OK) status = stria_cuda_new_row_major(turned != NULL ? turned : x, x->dtype, &rows, err);
    if (status == STRIA_OK)
        status = stria_tensor_new_on(x->device, STRIA_I64, rows->ndim, rows->shape, NULL, &own, err);
    if (status == STRIA_OK) status = run(stria_call_get_name(call), rows, descending, own, err);
    if (status == STRIA_OK && x->ndim > 0)
        status = stria_movedim(own, &last, 1, &axis, 1, places, err);
    else if (status == STRIA_OK)
        *places = stria_tensor_retain(own);
    stria_tensor_release(own);
    stria_tensor_release(rows);
    stria_tensor_release(turned);
    return status;
}

/* y = the elements of x at these places along the axis. */
static stria_status get_values(const stria_call *call, int axis, const stria_tensor *places, stria_tensor *y,
                               stria_error *err)
{
    const stria_tensor *x = call->in[0];
    stria_index_plan    plan;

    stria_index_plan_init(&plan, places->ndim, places->shape);
    stria_index_plan_set_table(&plan, x, axis);
    stria_index_plan_set_index(&plan, places, 0);
    stria_index_plan_set_other(&plan, y, 0);
    plan.size = -1; /* they are in range */
    return stria_cuda_gather_from(call, &plan, x, y, "x", places, "x", err);
}

stria_status stria_cuda_sort(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    stria_tensor *places = NULL;

    if (call->in[0]->numel == 0) return STRIA_OK;
    stria_status status =
        new_places(call, meta->axis, ((const stria_sort_attrs *)call->attrs)->descending, &places, err);
    if (status == STRIA_OK) status = get_values(call, meta->axis, places, y[0], err);
    if (status == STRIA_OK) status = stria_backend_copy(y[1], places, err);
    stria_tensor_release(places);
    return status;
}

stria_status stria_cuda_argsort(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    stria_tensor *places = NULL;

    if (call->in[0]->numel == 0) return STRIA_OK;
    stria_status status =
        new_places(call, meta->axis, ((const stria_argsort_attrs *)call->attrs)->descending, &places, err);
    if (status == STRIA_OK) status = stria_backend_copy(y[0], places, err);
    stria_tensor_release(places);
    return status;
}

/* ---------------------------------------------------------------- topk, kthvalue */

/* Those at begin .. end in order; y[0] and y[1] may be without the axis. */
static stria_status get_part(const stria_call *call, int axis, bool descending, int64_t begin, int64_t end,
                             stria_tensor **y, stria_error *err)
{
    stria_tensor *places = NULL, *part = NULL, *values = NULL, *indices = NULL;

    stria_status status = new_places(call, axis, descending, &places, err);
    if (status == STRIA_OK && places->ndim > 0)
        status = stria_slice(places, axis, begin, end, 1, &part, err);
    else if (status == STRIA_OK)
        part = stria_tensor_retain(places);
    if (status == STRIA_OK) status = stria_view(y[0], part->shape, part->ndim, &values, err);
    if (status == STRIA_OK) status = stria_view(y[1], part->shape, part->ndim, &indices, err);
    if (status == STRIA_OK) status = get_values(call, axis, part, values, err);
    if (status == STRIA_OK) status = stria_backend_copy(indices, part, err);
    stria_tensor_release(indices);
    stria_tensor_release(values);
    stria_tensor_release(part);
    stria_tensor_release(places);
    return status;
}

stria_status stria_cuda_topk(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_topk_attrs *a = call->attrs;

    if (y[0]->numel == 0) return STRIA_OK;
    return get_part(call, meta->axis, a->largest, 0, a->k, y, err);
}

stria_status stria_cuda_kthvalue(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    const stria_kthvalue_attrs *a = call->attrs;

    if (y[0]->numel == 0) return STRIA_OK;
    return get_part(call, meta->axis, false, a->k - 1, a->k, y, err);
}
