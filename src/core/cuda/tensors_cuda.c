/* tensors_cuda.c - tensors on CUDA that rows need on the way (cuda_device.h). */
#include "base/error.h"
#include "cuda/cuda_device.h"

stria_status stria_cuda_new_row_major(const stria_tensor *x, stria_dtype dtype, stria_tensor **out, stria_error *err)
{
    STRIA_TRY(stria_tensor_new_on(x->device, dtype, x->ndim, x->shape, NULL, out, err));
    const stria_status status = stria_backend_copy(*out, x, err);
    if (status == STRIA_OK) return STRIA_OK;
    stria_tensor_release(*out);
    *out = NULL;
    return status;
}
