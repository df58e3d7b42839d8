/* reduce_cuda.c - the plain reductions, which CUDA lacks. */
#include "cuda/cuda_device.h"

stria_status stria_cuda_reduce(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)y;
    return stria_backend_refuse(stria_call_get_name(call), "x", meta->device, err);
}
