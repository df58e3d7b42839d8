/* element.cu - every element-wise row for every lane type, from the same expressions as the CPU's loops. */
#include "vocabulary.cuh"

#include "element_kernels.cuh"

#define STRIA_PER_LANE_TYPE "elementwise_template.cuh"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE

namespace {

struct launch_table {
    launch_fn *at[STRIA_OP_COUNT][STRIA_DTYPE_COUNT];
    constexpr launch_table() : at()
    {
#define STRIA_PER_LANE_TYPE "element_table.cuh"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE
    }
};

} // namespace

int stria_cuda_run_element(stria_cuda_stream *stream, const stria_cuda_element_call *call)
{
    static constexpr launch_table table; /* made by the compiler: threads need not wait for it */

    if ((unsigned)call->op >= STRIA_OP_COUNT || (unsigned)call->compute >= STRIA_DTYPE_COUNT)
        return STRIA_CUDA_NO_KERNEL;
    launch_fn *run = table.at[call->op][call->compute];
    return run != NULL ? run(stream, call) : (int)STRIA_CUDA_NO_KERNEL;
}
