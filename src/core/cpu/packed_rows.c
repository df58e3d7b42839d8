/* packed_rows.c - see packed_rows.h. */
#include "cpu/packed_rows.h"

#include "base/error.h"
#include "call/backend.h"

/* x with axis `axis` and the last one exchanged: a view, or x itself. */
static stria_status exchange(const stria_tensor *x, int axis, stria_tensor **view, stria_error *err)
{
    stria_tensor *source = (stria_tensor *)(uintptr_t)x; /* views of what is only read */

    if (x->ndim > 0) return stria_transpose(source, axis, -1, view, err);
    *view = stria_tensor_retain(source);
    return STRIA_OK;
}

stria_status stria_packed_rows_new(const stria_tensor *x, int axis, stria_dtype dtype, stria_tensor **packed,
                                   stria_error *err)
{
    stria_tensor *view = NULL;

    *packed = NULL;
    if (x == NULL) return STRIA_OK;
    STRIA_TRY(exchange(x, axis, &view, err));
    if (dtype == STRIA_DTYPE_NONE) dtype = x->dtype;
    if (view->dtype == dtype && stria_tensor_is_contiguous(view)) {
        *packed = view;
        return STRIA_OK;
    }
    stria_status status = stria_tensor_new_on(x->device, dtype, view->ndim, view->shape, NULL, packed, err);
    if (status == STRIA_OK) status = stria_backend_copy(*packed, view, err);
    stria_tensor_release(view);
    return status;
}

stria_status stria_packed_rows_new_place(stria_tensor *y, int axis, stria_dtype dtype, stria_tensor **place,
                                         stria_error *err)
{
    int64_t shape[STRIA_MAX_DIMS];

    if (y->dtype == dtype && stria_tensor_is_contiguous(y) && axis >= y->ndim - 1) {
        *place = stria_tensor_retain(y);
        return STRIA_OK;
    }
    for (int d = 0; d < y->ndim; d++) shape[d] = y->shape[d];
    if (y->ndim > 0) shape[axis] = y->shape[y->ndim - 1], shape[y->ndim - 1] = y->shape[axis];
    return stria_tensor_new_on(y->device, dtype, y->ndim, shape, NULL, place, err);
}

stria_status stria_packed_rows_put(stria_tensor *y, int axis, const stria_tensor *place, stria_error *err)
{
    stria_tensor *view = NULL;

    if (place == y) return STRIA_OK;
    STRIA_TRY(exchange(y, axis, &view, err));
    const stria_status status = stria_backend_copy(view, place, err);
    stria_tensor_release(view);
    return status;
}
