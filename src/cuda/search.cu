/* search.cu - where values lie in rows that are in order, and quantiles of such rows: a thread for each result. */
#include "vocabulary.cuh"

#define STRIA_PLACES_FN static __device__ __forceinline__
#include "calls_search.h"
#include "launch.cuh"
#include "simd/places.h"

template <class T>
static __device__ __forceinline__ bool is_less(T a, T b)
{
    return b != b ? a == a : a < b;
}

/* How many of `length` elements are smaller than the value, or not larger. */
template <class T>
static __device__ __forceinline__ int64_t search(const T *row, int64_t length, T value, bool is_right)
{
    int64_t first = 0;

    for (int64_t left = length; left > 0;) {
        const int64_t half = left / 2;
        const T       middle = row[first + half];
        const bool    goes_on = is_right ? !is_less(value, middle) : is_less(middle, value);
        first = goes_on ? first + half + 1 : first;
        left = goes_on ? left - half - 1 : half;
    }
    return first;
}

template <class T>
static __global__ void search_kernel(stria_cuda_search_call c)
{
    const int64_t i = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x;

    if (i >= c.n_values) return;
    const T *row = reinterpret_cast<const T *>(c.sorted) + (c.per_row > 0 ? i / c.per_row * c.length : 0);
    c.out[i] = search(row, c.length, reinterpret_cast<const T *>(c.values)[i], c.is_right);
}

template <class T>
static int launch_search(stria_cuda_stream *stream, const stria_cuda_search_call *call)
{
    return launch_kernel(stream, search_kernel<T>, blocks_of(call->n_values), dim3(STRIA_CUDA_THREADS), 0, *call);
}

int stria_cuda_run_search(stria_cuda_stream *stream, const stria_cuda_search_call *call)
{
    if (call->n_values == 0) return STRIA_CUDA_OK;
    if (!has_blocks(call->n_values)) return STRIA_CUDA_TOO_LARGE;
    switch (call->dtype) {
    case STRIA_I64: return launch_search<int64_t>(stream, call);
    case STRIA_U64: return launch_search<uint64_t>(stream, call);
    case STRIA_F32: return launch_search<float>(stream, call);
    case STRIA_F64: return launch_search<double>(stream, call);
    default: return STRIA_CUDA_NO_KERNEL;
    }
}

/* Zeros are those above 0: keys of the CPU know no others. */
template <class T>
static __device__ __forceinline__ double number_of(T x)
{
    return x == T(0) ? 0.0 : (double)x;
}

template <class T>
static __global__ void quantile_kernel(stria_cuda_quantile_call c)
{
    const int64_t i = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x;

    if (i >= c.n_q * c.n_rows) return;
    const T      *row = reinterpret_cast<const T *>(c.sorted) + i % c.n_rows * c.length;
    const T       nan = T(NAN);
    const int64_t n = search(row, c.length, nan, false); /* numbers */
    int64_t       low, high;
    double        weight;
    if (n == 0 || (n < c.length && !c.skips_nan)) {
        c.out[i] = (double)nan;
        return;
    }
    stria_quantile_choose(c.interpolation, stria_quantile_get_place(c.q[i / c.n_rows], n, c.is_wide), &low, &high,
                          &weight);
    const double value = number_of(row[low]);
    c.out[i] = weight == 0 ? value : stria_quantile_get_between(value, number_of(row[high]), weight);
}

template <class T>
static int launch_quantile(stria_cuda_stream *stream, const stria_cuda_quantile_call *call)
{
    return launch_kernel(stream, quantile_kernel<T>, blocks_of(call->n_q * call->n_rows), dim3(STRIA_CUDA_THREADS), 0,
                         *call);
}

int stria_cuda_run_quantile(stria_cuda_stream *stream, const stria_cuda_quantile_call *call)
{
    if (call->n_rows == 0 || call->n_q == 0) return STRIA_CUDA_OK;
    if (!has_blocks(call->n_q * call->n_rows)) return STRIA_CUDA_TOO_LARGE;
    switch (call->dtype) {
    case STRIA_F32: return launch_quantile<float>(stream, call);
    case STRIA_F64: return launch_quantile<double>(stream, call);
    default: return STRIA_CUDA_NO_KERNEL;
    }
}
