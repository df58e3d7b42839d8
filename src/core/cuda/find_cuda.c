/* find_cuda.c - what depends on which elements are true, on CUDA: nonzero, masked_select, masked_scatter. The number of them is waited for. */
#include "base/error.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_index.h"
#include "cuda/made_cuda.h"
#include "tensor/shape.h"

enum { CHUNK = 1024 }; /* elements that one of `starts` is of */

/* Positions of the elements of a row-major bool that are true, in a tensor of this shape: a new i64 [found, ndim] on the device. */
static stria_status find(const char *name, const stria_tensor *mask, int ndim, const int64_t *shape, stria_tensor **out,
                         stria_error *err)
{
    stria_cuda_find_call call = {.mask = (const uint8_t *)mask->data, .n = mask->numel, .ndim = ndim};
    int64_t              found[2] = {0, ndim};
    stria_status         status = STRIA_OK;
    stria_cuda_work      work;

    for (int d = 0; d < ndim; d++) call.shape[d] = shape[d];
    STRIA_TRY(stria_cuda_work_begin(&work, name, mask->device, err));
    stria_cuda_work_use(&work, mask);
    call.starts = stria_cuda_work_allocate(&work, (size_t)((mask->numel - 1) / CHUNK + 2) * sizeof *call.starts);
    if (call.starts != NULL) {
        call.total = call.starts + (mask->numel - 1) / CHUNK + 1;
        if (stria_cuda_work_put(&work, work.plugin->find(work.stream, &call)))
            stria_cuda_work_put(&work, work.plugin->copy_out(work.stream, found, call.total, sizeof *found));
    }
    if (work.code == STRIA_CUDA_OK) status = stria_tensor_new_on(mask->device, STRIA_I64, 2, found, NULL, out, err);
    if (work.code == STRIA_CUDA_OK && status == STRIA_OK && (*out)->numel > 0) {
        stria_cuda_work_use(&work, *out);
        call.out = (int64_t *)(void *)(*out)->data;
        stria_cuda_work_put(&work, work.plugin->find(work.stream, &call));
    }
    stria_cuda_work_release(&work, call.starts);
    const stria_status ended = stria_cuda_work_end(&work, STRIA_BOOL, status == STRIA_OK ? err : NULL);
    return status != STRIA_OK ? status : ended;
}

stria_status stria_cuda_nonzero(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const int64_t       none[] = {0, x->ndim};
    stria_tensor       *mask = NULL;
    (void)meta;

    if (x->numel == 0) return stria_tensor_new_on(x->device, STRIA_I64, 2, none, NULL, &y[0], err);
    STRIA_TRY(stria_cuda_new_row_major(x, STRIA_BOOL, &mask, err));
    const stria_status status = find("nonzero", mask, x->ndim, x->shape, &y[0], err);
    stria_tensor_release(mask);
    return status;
}

/* ---------------------------------------------------------------- masked_select */

/* Row-major, of the shape that both broadcast to. */
static stria_status new_broadcast(const stria_tensor *x, stria_dtype dtype, int ndim, const int64_t *shape,
                                  stria_tensor **out, stria_error *err)
{
    STRIA_TRY(stria_tensor_new_on(x->device, dtype, ndim, shape, NULL, out, err));
    return stria_backend_copy(*out, x, err);
}

/* y = the elements of a row-major x at these positions. */
static stria_status select_at(const stria_call *call, const stria_tensor *x, const stria_tensor *positions,
                              stria_tensor *y, stria_error *err)
{
    stria_index_plan plan;

    stria_index_plan_init(&plan, 1, y->shape);
    plan.table = x->data;
    plan.item_size = plan.step = stria_tensor_get_item_size(x);
    plan.size = -1; /* they are in range */
    plan.index = positions->data;
    plan.index_strides[0] = (int64_t)sizeof(int64_t);
    stria_index_plan_set_other(&plan, y, 0);
    return stria_cuda_gather_from(call, &plan, x, y, "mask", positions, "x", err);
}

stria_status stria_cuda_masked_select(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                      stria_error *err)
{
    const stria_tensor *x = call->in[0], *given = call->in[1];
    stria_tensor       *all = NULL, *mask = NULL, *positions = NULL;
    int64_t             shape[STRIA_MAX_DIMS], numel, none = 0;
    int                 ndim = x->ndim;
    (void)meta;

    for (int d = 0; d < ndim; d++) shape[d] = x->shape[d];
    STRIA_TRY(stria_shape_broadcast("masked_select", &ndim, shape, given->ndim, given->shape, err));
    STRIA_TRY(stria_shape_get_product("masked_select", ndim, shape, &numel, err));
    if (numel == 0) return stria_tensor_new_on(x->device, x->dtype, 1, &none, NULL, &y[0], err);
    stria_status status = new_broadcast(x, x->dtype, ndim, shape, &all, err);
    if (status == STRIA_OK) status = new_broadcast(given, STRIA_BOOL, ndim, shape, &mask, err);
    if (status == STRIA_OK) status = find("masked_select", mask, 1, &numel, &positions, err);
    if (status == STRIA_OK)
        status = stria_tensor_new_on(x->device, x->dtype, 1, &positions->shape[0], NULL, &y[0], err);
    if (status == STRIA_OK) status = select_at(call, all, positions, y[0], err);
    stria_tensor_release(positions);
    stria_tensor_release(mask);
    stria_tensor_release(all);
    return status;
}

/* ---------------------------------------------------------------- masked_scatter */

/* Elements of a row-major y at these positions, which differ, become the first ones of a row-major source. */
static stria_status set_at(stria_tensor *y, const stria_tensor *positions, const stria_tensor *source, stria_error *err)
{
    const int64_t    n = positions->shape[0];
    stria_index_plan plan;

    if (n == 0) return STRIA_OK;
    stria_index_plan_init(&plan, 1, &n);
    plan.table = y->data;
    plan.item_size = plan.step = stria_tensor_get_item_size(y);
    plan.size = -1;
    plan.free = UINT64_MAX;
    plan.index = positions->data;
    plan.index_strides[0] = (int64_t)sizeof(int64_t);
    plan.other = source->data;
    plan.other_strides[0] = plan.item_size;
    return stria_cuda_scatter_to("masked_scatter", &plan, y, positions, source, err);
}

static stria_status make_masked_scatter(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                        stria_temps *temps, stria_error *err)
{
    const stria_tensor *source = call->in[2];
    const int64_t       numel = y[0]->numel;
    stria_tensor       *mask, *flat, *positions = NULL, *packed;
    (void)meta;

    if (numel == 0) return STRIA_OK;
    STRIA_TRY(new_broadcast(call->in[1], STRIA_BOOL, y[0]->ndim, y[0]->shape, STRIA_TEMP, err));
    mask = STRIA_LAST;
    STRIA_TRY(find("masked_scatter", mask, 1, &numel, &positions, err));
    STRIA_TRY(stria_temps_keep(temps, positions, err));
    STRIA_TRY(stria_masked_scatter_check(positions->shape[0], source, err));
    STRIA_TRY(stria_cuda_make_packed(temps, source, source->dtype, y[0]->device, &packed, err));
    STRIA_TRY(new_broadcast(call->in[0], y[0]->dtype, y[0]->ndim, y[0]->shape, STRIA_TEMP, err));
    flat = STRIA_LAST;
    STRIA_TRY(set_at(flat, positions, packed, err));
    return stria_backend_copy(y[0], flat, err);
}

stria_status stria_cuda_masked_scatter(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                       stria_error *err)
{
    return stria_cuda_make(make_masked_scatter, call, meta, y, err);
}
