/* made_cuda.c - what rows that are made of other calls share (made_cuda.h). */
#include "cuda/made_cuda.h"

#include <string.h>

#include "base/error.h"

stria_status stria_cuda_make(stria_cuda_make_fn *make, const stria_call *call, const stria_call_meta *meta,
                             stria_tensor **y, stria_error *err)
{
    stria_temps        temps = {{NULL}, 0};
    const stria_status status = make(call, meta, y, &temps, err);

    stria_temps_release(&temps);
    return stria_error_set_op(err, status, stria_call_get_name(call));
}

stria_status stria_cuda_make_packed(stria_temps *temps, const stria_tensor *x, stria_dtype dtype, stria_device device,
                                    stria_tensor **packed, stria_error *err)
{
    if (x->dtype == dtype && x->device.type == device.type && stria_tensor_is_contiguous(x)) {
        *packed = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
        return stria_temps_keep(temps, *packed, err);
    }
    STRIA_TRY(stria_tensor_new_on(device, dtype, x->ndim, x->shape, NULL, STRIA_TEMP, err));
    *packed = STRIA_LAST;
    return stria_backend_copy(*packed, x, err);
}

stria_status stria_cuda_make_rows(stria_temps *temps, const stria_tensor *x, int axis, stria_dtype dtype,
                                  stria_tensor **rows, stria_error *err)
{
    const int           last = -1;
    const bool          is_one = axis < 0 || x->ndim == 0;
    const int64_t       length = is_one ? x->numel : x->shape[axis], shape[] = {x->numel / length, length};
    const stria_tensor *turned = x;

    if (!is_one) {
        STRIA_TRY(stria_movedim((stria_tensor *)(uintptr_t)x, &axis, 1, &last, 1, STRIA_TEMP, err));
        turned = STRIA_LAST;
    }
    STRIA_TRY(stria_cuda_make_packed(temps, turned, dtype, x->device, rows, err));
    STRIA_TRY(stria_view(*rows, shape, 2, STRIA_TEMP, err));
    *rows = STRIA_LAST;
    return STRIA_OK;
}

stria_status stria_cuda_set_flat(stria_temps *temps, stria_tensor *y, const stria_tensor *values, stria_error *err)
{
    STRIA_TRY(stria_reshape((stria_tensor *)(uintptr_t)values, y->shape, y->ndim, STRIA_TEMP, err));
    return stria_backend_copy(y, STRIA_LAST, err);
}

static stria_scalar whole(int64_t i) { return (stria_scalar){.kind = STRIA_SCALAR_INT, .i = i}; }

stria_status stria_cuda_make_whole(stria_temps *temps, int64_t i, stria_tensor **number, stria_error *err)
{
    STRIA_TRY(stria_tensor_new_scalar(whole(i), STRIA_TEMP, err));
    *number = STRIA_LAST;
    return STRIA_OK;
}

stria_status stria_cuda_make_numbers(stria_temps *temps, stria_device device, int64_t first, int64_t n,
                                     stria_tensor **numbers, stria_error *err)
{
    STRIA_TRY(stria_arange(whole(first), whole(first + n), whole(1), STRIA_I64, device, STRIA_TEMP, err));
    *numbers = STRIA_LAST;
    return STRIA_OK;
}

stria_status stria_cuda_make_sorted(stria_temps *temps, const stria_tensor *rows, stria_tensor **sorted,
                                    stria_tensor **places, stria_error *err)
{
    *sorted = *places = NULL;
    STRIA_TRY(stria_sort(rows, -1, false, true, sorted, places, err));
    const stria_status status = stria_temps_keep(temps, *sorted, err);
    if (status == STRIA_OK) return stria_temps_keep(temps, *places, err);
    stria_tensor_release(*places);
    return status;
}

stria_status stria_cuda_read(const stria_tensor *x, stria_dtype dtype, void *value, stria_error *err)
{
    stria_tensor *host = NULL;

    STRIA_TRY(stria_tensor_new(dtype, x->ndim, x->shape, &host, err));
    const stria_status status = stria_backend_copy(host, x, err);
    if (status == STRIA_OK) memcpy(value, host->data, stria_dtype_get_size(dtype));
    stria_tensor_release(host);
    return status;
}
