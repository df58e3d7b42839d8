/* calls_update.h - the argument of steps of optimisers. Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_UPDATE_H
#define STRIA_CUDA_CALLS_UPDATE_H

#include "simd/kernels.h"
#include "simd/update_family.h"
#include "walk.h"

#define STRIA_CUDA_UPDATE_MEMBERS 40

/* A step for n members, of one dtype, a real float: data[j][k] has the numel[k] elements of member k of list j, side by side. What the lists are:
 * kernels.h. norm: NULL, or one element on the device: the rate is max_norm / (norm + 1e-6), and where that is not below 1 nothing happens. */
typedef struct stria_cuda_update_call {
    stria_update_family family;
    stria_update_step   step;
    const char         *norm;
    stria_dtype         norm_dtype, dtype;
    double              max_norm;
    int32_t             n;
    int64_t             numel[STRIA_CUDA_UPDATE_MEMBERS];
    char               *data[STRIA_UPDATE_LISTS][STRIA_CUDA_UPDATE_MEMBERS];
} stria_cuda_update_call;

#endif
