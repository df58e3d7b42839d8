/* range.cu - element k from k: the numbers of arange and linspace, by the expressions of src/core/cpu/range.c. */
#include "conversion.cuh"

#include "calls_copy.h"
#include "runs.cuh"

static const int PER_THREAD = 4;

template <class To>
static __global__ void range_kernel(stria_cuda_range_call call)
{
    int64_t i = (int64_t)blockIdx.x * (STRIA_CUDA_THREADS * PER_THREAD) + threadIdx.x;

    for (int j = 0; j < PER_THREAD && i < call.count; j++, i += STRIA_CUDA_THREADS) {
        const int64_t         k = call.begin + i;
        typename To::element *at = reinterpret_cast<typename To::element *>(call.data + i * call.stride_bytes);
        if (call.is_whole)
            *at = To::from(call.whole[0] + (uint64_t)k * call.whole[1]);
        else if (k < call.half)
            *at = To::from((call.first + (double)k * call.step) * call.scale);
        else
            *at = To::from((call.end - (double)(call.last - k) * call.step) * call.scale);
    }
}

namespace {

struct run_range {
    stria_cuda_stream           *stream;
    const stria_cuda_range_call *call;
    template <class To>
    int operator()(To) const
    {
        return launch_kernel(stream, range_kernel<To>, blocks_for(call->count, PER_THREAD), dim3(STRIA_CUDA_THREADS), 0,
                             *call);
    }
};

} // namespace

int stria_cuda_run_range(stria_cuda_stream *stream, const stria_cuda_range_call *call)
{
    const run_range run = {stream, call};

    if (call->count == 0) return STRIA_CUDA_OK;
    if (call->count < 0 || call->count > INT32_MAX) return STRIA_CUDA_TOO_LARGE;
    return with_dtype(call->dtype, run);
}
