/* count.cu - how often whole numbers occur, or how many numbers lie in each bin. Counts are whole: they add up to the same in any order. */
#include "device_words.cuh"

#define STRIA_PLACES_FN static __device__ __forceinline__
#include "calls_count.h"
#include "launch.cuh"

static __global__ void count_kernel(stria_cuda_count_call c)
{
    const int64_t i = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x;

    if (i >= c.n) return;
    const int64_t at = c.numbers != NULL ? c.numbers[i] : stria_bins_find(&c.bins, c.values[i]);
    if ((uint64_t)at < (uint64_t)c.bins.n) atomicAdd(reinterpret_cast<unsigned long long *>(c.counts + at), 1ULL);
}

int stria_cuda_run_count(stria_cuda_stream *stream, const stria_cuda_count_call *call)
{
    if (call->n == 0) return STRIA_CUDA_OK;
    if (!has_blocks(call->n)) return STRIA_CUDA_TOO_LARGE;
    return launch_kernel(stream, count_kernel, blocks_of(call->n), dim3(STRIA_CUDA_THREADS), 0, *call);
}
