/* dims.h - where elements of several dims lie, two operands at a time: 64-bit offsets, for kernels that walk some dims of a tensor and not
 * others. Plain C, so that the host can test it without a device. Internal. */
#ifndef STRIA_CUDA_DIMS_H
#define STRIA_CUDA_DIMS_H

#include "cuda_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Positions 0 .. numel - 1 of dims, the fastest first, and strides in bytes, of any sign, of operands a and b. */
typedef struct stria_cuda_dims {
    int32_t ndim;
    bool    is_wide; /* several dims of 2^31 positions or more: 64-bit division, which takes several times as long */
    union {
        stria_cuda_divider divider;
        int64_t            wide;
    } size[STRIA_CUDA_MAX_DIMS];
    int64_t stride[STRIA_CUDA_MAX_DIMS][2];
} stria_cuda_dims;

/* b NULL: all 0. False: there are too many dims, or 2^63 positions or more. Sizes are >= 1. */
bool stria_cuda_dims_init(stria_cuda_dims *dims, int ndim, const int64_t *shape, const int64_t *a, const int64_t *b);

STRIA_CUDA_BOTH_APART void stria_cuda_dims_get_wide(const stria_cuda_dims *dims, int64_t position, int64_t *a,
                                                    int64_t *b)
{
    *a = *b = 0;
    for (int d = 0; d < dims->ndim; d++) {
        const int64_t next = position / dims->size[d].wide, index = position - next * dims->size[d].wide;
        *a += index * dims->stride[d][0];
        *b += index * dims->stride[d][1];
        position = next;
    }
}

static inline STRIA_CUDA_BOTH void stria_cuda_dims_get(const stria_cuda_dims *dims, int64_t position, int64_t *a,
                                                       int64_t *b)
{
    if (dims->is_wide) {
        stria_cuda_dims_get_wide(dims, position, a, b);
        return;
    }
    *a = *b = 0;
    for (int d = 0; d < dims->ndim; d++) {
        int64_t index = position;
        if (d + 1 < dims->ndim) { /* the last one takes what is left */
            const uint32_t next = stria_cuda_divide(dims->size[d].divider, (uint32_t)position);
            index = (int64_t)((uint32_t)position - next * dims->size[d].divider.divisor);
            position = next;
        }
        *a += index * dims->stride[d][0];
        *b += index * dims->stride[d][1];
    }
}

#ifdef __cplusplus
}
#endif

#endif
