/* dims.c - see dims.h. */
#include "dims.h"

#include <stddef.h>

bool stria_cuda_dims_init(stria_cuda_dims *dims, int ndim, const int64_t *shape, const int64_t *a, const int64_t *b)
{
    int64_t numel = 1;

    if (ndim > STRIA_CUDA_MAX_DIMS) return false;
    for (int d = 0; d < ndim; d++)
        if (__builtin_mul_overflow(numel, shape[d], &numel)) return false;
    dims->ndim = ndim;
    dims->is_wide = ndim > 1 && numel > INT32_MAX;
    for (int d = 0; d < ndim; d++) {
        if (dims->is_wide)
            dims->size[d].wide = shape[d];
        else
            dims->size[d].divider = stria_cuda_divider_new(ndim > 1 ? (uint32_t)shape[d] : 1);
        dims->stride[d][0] = a[d];
        dims->stride[d][1] = b != NULL ? b[d] : 0;
    }
    return true;
}
