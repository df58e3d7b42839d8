/* parts_cuda.c - tensors put together from parts, and triangles, on CUDA: by copies and ops. */
#include <string.h>

#include "base/error.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_index.h"
#include "cuda/made_cuda.h"

/* ---------------------------------------------------------------- cat */

stria_status stria_cuda_cat(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    int64_t      at = 0;
    stria_status status = STRIA_OK;

    for (int k = 0; k < call->n_list && status == STRIA_OK; k++) {
        const stria_tensor *x = call->list[k];
        stria_tensor       *place = NULL;
        if (x->numel == 0) continue;
        status = stria_tensor_view(y[0], x->ndim, x->shape, y[0]->strides, at * y[0]->strides[meta->axis], &place, err);
        if (status == STRIA_OK) status = stria_backend_copy(place, x, err);
        stria_tensor_release(place);
        at += x->shape[meta->axis];
    }
    return status;
}

/* ---------------------------------------------------------------- tril, triu */

static stria_scalar whole(int64_t i) { return (stria_scalar){.kind = STRIA_SCALAR_INT, .i = i}; }

/* Number of each row, in a column of its own, or of each column. */
static stria_status new_numbers(stria_device device, int64_t n, bool are_rows, stria_tensor **numbers, stria_error *err)
{
    const int64_t shape[] = {n, 1};
    stria_tensor *all = NULL;

    STRIA_TRY(stria_arange(whole(0), whole(n), whole(1), STRIA_I64, device, &all, err));
    const stria_status status = stria_view(all, shape, are_rows ? 2 : 1, numbers, err);
    stria_tensor_release(all);
    return status;
}

/* Whether column - row is on the side that is cleared. */
static stria_status new_mask(const stria_tensor *x, int64_t diagonal, bool is_upper, stria_tensor **mask,
                             stria_error *err)
{
    stria_tensor *rows = NULL, *columns = NULL, *distance = NULL, *limit = NULL;

    stria_status status = new_numbers(x->device, x->shape[x->ndim - 2], true, &rows, err);
    if (status == STRIA_OK) status = new_numbers(x->device, x->shape[x->ndim - 1], false, &columns, err);
    if (status == STRIA_OK) status = stria_sub(columns, rows, &distance, err);
    if (status == STRIA_OK) status = stria_tensor_new_scalar(whole(diagonal), &limit, err);
    if (status == STRIA_OK)
        status = is_upper ? stria_lt(distance, limit, mask, err) : stria_gt(distance, limit, mask, err);
    stria_tensor_release(limit);
    stria_tensor_release(distance);
    stria_tensor_release(columns);
    stria_tensor_release(rows);
    return status;
}

static stria_status clear(const stria_tensor *x, int64_t diagonal, bool is_upper, stria_tensor *y, stria_error *err)
{
    stria_tensor *mask = NULL, *zero = NULL;

    if (x->numel == 0) return STRIA_OK;
    stria_status status = new_mask(x, diagonal, is_upper, &mask, err);
    if (status == STRIA_OK) status = stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_BOOL}, &zero, err);
    if (status == STRIA_OK) status = stria_masked_fill_out(x, mask, zero, y, err);
    stria_tensor_release(zero);
    stria_tensor_release(mask);
    return status;
}

stria_status stria_cuda_tril(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return clear(call->in[0], ((const stria_tril_attrs *)call->attrs)->diagonal, false, y[0], err);
}

stria_status stria_cuda_triu(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return clear(call->in[0], ((const stria_triu_attrs *)call->attrs)->diagonal, true, y[0], err);
}

/* ---------------------------------------------------------------- one_hot */

/* One more than the largest, which is waited for; x has elements. */
static stria_status get_classes(const stria_tensor *x, int64_t *n, stria_error *err)
{
    stria_tensor *largest = NULL;

    STRIA_TRY(stria_reduce(STRIA_RED_amax, x, NULL, 0, false, STRIA_DTYPE_NONE, &largest, err));
    const stria_status status = stria_cuda_read(largest, STRIA_I64, n, err);
    stria_tensor_release(largest);
    ++*n;
    return status;
}

stria_status stria_cuda_one_hot(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    int64_t             n = ((const stria_one_hot_attrs *)call->attrs)->num_classes, shape[STRIA_MAX_DIMS];
    stria_tensor       *column = NULL, *numbers = NULL, *hits = NULL;

    STRIA_TRY(stria_cuda_index_check(call, "x", x, n == -1 ? INT64_MAX : n, false, "num_classes", err));
    if (n == -1) STRIA_TRY(get_classes(x, &n, err));
    memcpy(shape, meta->out[0].shape, (size_t)meta->out[0].ndim * sizeof *shape);
    shape[meta->out[0].ndim - 1] = n;
    if (y[0] == NULL) STRIA_TRY(stria_tensor_new_on(x->device, STRIA_I64, meta->out[0].ndim, shape, NULL, &y[0], err));
    stria_status status = stria_unsqueeze((stria_tensor *)(uintptr_t)x, -1, &column, err);
    if (status == STRIA_OK) status = new_numbers(x->device, n, false, &numbers, err);
    if (status == STRIA_OK) status = stria_eq(column, numbers, &hits, err);
    if (status == STRIA_OK) status = stria_backend_copy(y[0], hits, err);
    stria_tensor_release(hits);
    stria_tensor_release(numbers);
    stria_tensor_release(column);
    return status;
}
