/* arg.cu - argmax and argmin: the number of the largest or smallest element, the first of equals or the first NaN. The CPU's results. */
#include "conversion.cuh"

#include "fold.cuh"

#define STRIA_PER_LANE_TYPE "arg_template.cuh"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE

namespace {

template <class Lane, bool IS_SMALLEST>
struct arg_family : Lane {
    typedef typename Lane::lane lane;
    struct params {};
    struct state {
        lane    value;
        int64_t index;
    };
    static __device__ state start(const params &)
    {
        return state{IS_SMALLEST ? Lane::highest() : Lane::lowest(), INT64_MAX};
    }
    /* Whether x comes before y in value: NaN comes first. */
    static __device__ bool beats(lane x, lane y)
    {
        return (IS_SMALLEST ? x < y : x > y) || (Lane::is_nan(x) && !Lane::is_nan(y));
    }
    static __device__ void join(state *s, const state &later, const params &)
    {
        if (beats(later.value, s->value) || (later.index < s->index && !beats(s->value, later.value))) *s = later;
    }
    static __device__ void take(state *s, lane x, int64_t index, const params &p) { join(s, state{x, index}, p); }
    static __device__ void store(char *at, int, const state &s, const params &)
    {
        *reinterpret_cast<int64_t *>(at) = s.index;
    }
};

/* f16 and bf16. */
struct arg_lane_short : arg_lane_f32 {
    typedef uint16_t                        element;
    static const int                        run = 8;
    static __device__ __forceinline__ float from(element x, int dtype)
    {
        return dtype == STRIA_BF16 ? load_BF16(x) : load_F16(x);
    }
    static __device__ __forceinline__ float load(const char *at, int dtype)
    {
        return from(*reinterpret_cast<const element *>(at), dtype);
    }
};

template <class Lane>
static int find(stria_cuda_stream *stream, const stria_cuda_arg_call *call)
{
    if (call->is_smallest)
        return run_fold<arg_family<Lane, true>>(stream, &call->walk, typename arg_family<Lane, true>::params());
    return run_fold<arg_family<Lane, false>>(stream, &call->walk, typename arg_family<Lane, false>::params());
}

} // namespace

int stria_cuda_run_arg(stria_cuda_stream *stream, const stria_cuda_arg_call *call)
{
    switch (call->walk.in_dtype) {
    case STRIA_U8: return find<arg_lane_u8>(stream, call);
    case STRIA_I8: return find<arg_lane_i8>(stream, call);
    case STRIA_U16: return find<arg_lane_u16>(stream, call);
    case STRIA_I16: return find<arg_lane_i16>(stream, call);
    case STRIA_U32: return find<arg_lane_u32>(stream, call);
    case STRIA_I32: return find<arg_lane_i32>(stream, call);
    case STRIA_U64: return find<arg_lane_u64>(stream, call);
    case STRIA_I64: return find<arg_lane_i64>(stream, call);
    case STRIA_F32: return find<arg_lane_f32>(stream, call);
    case STRIA_F64: return find<arg_lane_f64>(stream, call);
    case STRIA_F16:
    case STRIA_BF16: return find<arg_lane_short>(stream, call);
    default: return STRIA_CUDA_NO_KERNEL;
    }
}
