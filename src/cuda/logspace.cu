/* logspace.cu - powers of a base, from their numbers, by the expressions of src/simd/places.h. */
#include "vocabulary.cuh"

#define STRIA_PLACES_FN static __device__ __forceinline__
#include "calls_copy.h"
#include "launch.cuh"

static __global__ void logspace_kernel(stria_cuda_logspace_call c)
{
    const int64_t k = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x;
    double        low;

    if (k >= c.count) return;
    const double exponent = stria_exponents_get(&c.exponents, k, &low);
    c.data[k] = stria_exponents_finish(&c.exponents, vec_pow_f64(c.exponents.base, exponent), low);
}

int stria_cuda_run_logspace(stria_cuda_stream *stream, const stria_cuda_logspace_call *call)
{
    if (call->count == 0) return STRIA_CUDA_OK;
    if (!has_blocks(call->count)) return STRIA_CUDA_TOO_LARGE;
    return launch_kernel(stream, logspace_kernel, blocks_of(call->count), dim3(STRIA_CUDA_THREADS), 0, *call);
}
