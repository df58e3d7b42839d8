/* calls_copy.h - the arguments of copies, fills and ranges. Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_COPY_H
#define STRIA_CUDA_CALLS_COPY_H

#include "simd/places.h"
#include "walk.h"

/* Operand 0 = operand 1, converted as of stria_tensor_copy. */
typedef struct stria_cuda_convert_call {
    stria_cuda_walk walk;
} stria_cuda_convert_call;

/* Every element of operand 0, the only one, becomes value, which is in its dtype. */
typedef struct stria_cuda_fill_call {
    stria_cuda_value value;
    stria_cuda_walk  walk;
} stria_cuda_fill_call;

/* Element k of operand 0, 0 <= k < count, `stride_bytes` apart: converted from what is made in u64 or f64.
 *
 *     is_whole        whole[0] + k * whole[1], modulo 2^64
 *     otherwise       (first + k * step) * scale                 for k < half
 *                     (end - (last - k) * step) * scale          from there on */
typedef struct stria_cuda_range_call {
    char       *data;
    stria_dtype dtype;
    bool        is_whole;
    int64_t     stride_bytes, begin,
        count; /* elements begin .. begin + count - 1 are written, data is that of element `begin` */
    uint64_t whole[2];
    double   first, step, scale, end;
    int64_t  half, last;
} stria_cuda_range_call;

/* data[k] = the power of the base with exponent k, 0 <= k < count. */
typedef struct stria_cuda_logspace_call {
    double         *data;
    int64_t         count;
    stria_exponents exponents;
} stria_cuda_logspace_call;

#endif
