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

/* Four elements of an operand side by side: one access of up to 16 bytes, or two of 16. */
template <class T>
struct alignas(sizeof(T) * 4 < 16 ? sizeof(T) * 4 : 16) group_four {
    T at[STRIA_CUDA_GROUP_PER_THREAD];
};

/* Those of operands K, K + 1 .. of types T .., of which the first N_OUT are results. */
template <int K, int N_OUT, class... T>
struct group_fours {
    __device__ __forceinline__ void load(const stria_cuda_group_params &, char *const *) {}
    __device__ __forceinline__ void get_places(int, char **) {}
    __device__ __forceinline__ void store(char *const *) const {}
};
template <int K, int N_OUT, class T, class... R>
struct group_fours<K, N_OUT, T, R...> {
    group_four<T>                   here;
    group_fours<K + 1, N_OUT, R...> rest;

    __device__ __forceinline__ void load(const stria_cuda_group_params &call, char *const *at)
    {
        if (K < N_OUT || call.data[K] == NULL) {
            here = group_four<T>();
        } else if (call.ones >> K & 1u) {
            const T one = *reinterpret_cast<const T *>(at[K]);
#pragma unroll
            for (int k = 0; k < STRIA_CUDA_GROUP_PER_THREAD; k++) here.at[k] = one;
        } else {
            here = *reinterpret_cast<const group_four<T> *>(at[K]);
        }
        rest.load(call, at);
    }
    /* Addresses of element k. */
    __device__ __forceinline__ void get_places(int k, char **at)
    {
        at[K] = reinterpret_cast<char *>(&here.at[k]);
        rest.get_places(k, at);
    }
    __device__ __forceinline__ void store(char *const *at) const
    {
        if (K < N_OUT) *reinterpret_cast<group_four<T> *>(at[K]) = here;
        rest.store(at);
    }
};

/* Addresses of element i of all operands. */
template <int N>
static __device__ __forceinline__ void find_group(const stria_cuda_group_params &call, uint32_t i, char **at)
{
#pragma unroll
    for (int k = 0; k < N; k++) at[k] = call.data[k];
    for (int d = 0; d < call.ndim; d++) {
        const uint32_t next = d + 1 < call.ndim ? stria_cuda_divide(call.size[d], i) : 0;
        const int32_t  index = (int32_t)(i - next * call.size[d].divisor);
#pragma unroll
        for (int k = 0; k < N; k++) at[k] += index * call.stride[d][k];
        i = next;
    }
}

/* N_OUT results of the first types. A thread has four elements: neighbours, read before any is written; else one by one: of a square, neighbours in
 * neighbouring threads, or what is left at the end of neighbours. 128 threads, no shared memory; registers hold four elements of each operand. */
template <int N_OUT, class... T>
static __device__ __forceinline__ void run_group(const stria_cuda_group_params &call, uint32_t block, uint32_t thread)
{
    constexpr int  N = (int)sizeof...(T), EACH = STRIA_CUDA_GROUP_PER_THREAD;
    const uint32_t number = block * (uint32_t)STRIA_CUDA_THREADS + thread;
    const uint32_t step = call.in_fours ? 1 : STRIA_CUDA_THREADS;
    uint32_t       i = call.in_fours ? number * EACH : block * (uint32_t)(STRIA_CUDA_THREADS * EACH) + thread;
    char          *at[N], *place[N];

    if (call.in_fours && i < call.n && call.n - i >= EACH) {
        group_fours<0, N_OUT, T...> fours;
        find_group<N>(call, i, at);
        fours.load(call, at);
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            fours.get_places(k, place);
            group_element(place, call.value);
        }
        fours.store(at);
        return;
    }
    for (int k = 0; k < EACH; k++, i += step) {
        if (call.in_squares ? !stria_cuda_squares_find(&call.squares, block, thread, k, &i) : i >= call.n) continue;
        find_group<N>(call, i, at);
        group_element(at, call.value);
    }
}

#endif
