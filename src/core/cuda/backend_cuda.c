/* backend_cuda.c - CUDA as a backend: what rows.def lists. */
#include "base/error.h"
#include "cuda/cuda_device.h"

/* Each device says it of itself (device_cuda.c), when memory is made and when work begins there. */
static stria_status get_status(stria_error *err)
{
    (void)err;
    return STRIA_OK;
}

#define SHARED_ROW(name)
#define CUDA_ROW(name) stria_impl_fn stria_cuda_##name;
#include "cuda/rows.def"

const stria_backend stria_backend_cuda = {
    .get_status = get_status,
    .element = stria_cuda_element,
    .reduce = stria_cuda_reduce,
    .expression = stria_cpu_expression,
    .copy = stria_cuda_set,
    .update = stria_cuda_update,
    .random = stria_cuda_random,
    .gather = stria_cuda_gather_plan,
    .scatter = stria_cuda_scatter_plan,
    .lowered = stria_cuda_lowered,
    .capture = &stria_cuda_capture,
    .impl =
        {
#define SHARED_ROW(name) [STRIA_FN_##name] = stria_cpu_##name,
#define CUDA_ROW(name) [STRIA_FN_##name] = stria_cuda_##name,
#include "cuda/rows.def"
        },
};
