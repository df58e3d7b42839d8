/* group.cuh - what the text of a group of element-wise ops begins with: the vocabulary, and the walk over elements. The text defines
 * group_element, and a kernel stria_group that runs it. The plug-in carries this file, with all that it includes, as text for NVRTC, without
 * macros (cmake/cuda.cmake). */
#ifndef STRIA_CUDA_GROUP_CUH
#define STRIA_CUDA_GROUP_CUH

#define STRIA_CUDA_VOCABULARY_CUH /* that of vocabulary.cuh without functions that texts see through: NVRTC reads it for each text */
#include "device_words.cuh"
#include "stria_enums.h"

#define VEC_INLINE static __device__ __forceinline__
#define V_LAMBDA static __device__ __forceinline__
#include "vec_scalar.h"

#include "vec_reduce_angle.h"
#define VEC_T f32
#include "vec_math_common.h"
#define VEC_T w64
#include "vec_math_common.h"
#define VEC_T f64
#include "vec_math_common.h"
#define VEC_T f64
#include "vec_math_begin.h"
#define DD VEC_W(dd)
#include "vec_math_dd.h"
#undef DD
#include "vec_math_end.h"
#include "vec_divide.h"
#include "vec_numbers.h"
#include "cast_lanes.h"
#include "paste.h"

#include "conversion.cuh"

#include "calls_group.h"

/* One element of each operand: at[k] its address, unless it is value[k]. */
static __device__ __forceinline__ void group_element(char *const *at, const uint64_t *value);

/* The words of angles too large for their usual reduction (src/simd/vec_reduce_angle.h). */
static __device__ __forceinline__ double vec_angle_quadrant_f64(double x)
{
    double hi, lo;
    return vec_reduce_angle(x, &hi, &lo);
}
static __device__ __forceinline__ double vec_angle_hi_f64(double x)
{
    double hi, lo;
    vec_reduce_angle(x, &hi, &lo);
    return hi;
}
static __device__ __forceinline__ double vec_angle_lo_f64(double x)
{
    double hi, lo;
    vec_reduce_angle(x, &hi, &lo);
    return lo;
}

template <int N>
static __device__ __forceinline__ void run_group(const stria_cuda_group_params &call, uint32_t block, uint32_t thread)
{
    uint32_t i = block * (uint32_t)(STRIA_CUDA_THREADS * STRIA_CUDA_GROUP_PER_THREAD) + thread;

    for (int part = 0; part < STRIA_CUDA_GROUP_PER_THREAD && i < call.n; part++, i += STRIA_CUDA_THREADS) {
        char    *at[N];
        uint32_t rest = i;
#pragma unroll
        for (int k = 0; k < N; k++) at[k] = call.data[k];
        for (int d = 0; d < call.ndim; d++) {
            const uint32_t next = d + 1 < call.ndim ? stria_cuda_divide(call.size[d], rest) : 0;
            const int32_t  index = (int32_t)(rest - next * call.size[d].divisor);
#pragma unroll
            for (int k = 0; k < N; k++) at[k] += index * call.stride[d][k];
            rest = next;
        }
        group_element(at, call.value);
    }
}

#endif
