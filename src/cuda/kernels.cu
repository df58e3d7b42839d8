/* kernels.cu - every element-wise row for every lane type, from the same expressions as the CPU's loops. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "stria.h"

/* The scalar vocabulary and the conversions, for device code. */
#define VEC_INLINE static __device__ __forceinline__
#define V_LAMBDA static __device__ __forceinline__
#include "vec_scalar.h"
#include "vec_math.h"
#include "cast_lanes.h"
#include "paste.h"

#include "launch.cuh"

#define STRIA_PER_LANE_TYPE "elementwise_template.cuh"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE

namespace {

struct launch_table {
    launch_fn *at[STRIA_OP_COUNT][STRIA_DTYPE_COUNT];
    launch_table() : at()
    {
#define STRIA_PER_LANE_TYPE "launch_table.cuh"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE
    }
};

} // namespace

launch_fn *stria_cuda_launch_get(stria_op op, stria_dtype compute)
{
    static const launch_table table;
    if (op < 0 || op >= STRIA_OP_COUNT || compute < 0 || compute >= STRIA_DTYPE_COUNT) return NULL;
    return table.at[op][compute];
}
