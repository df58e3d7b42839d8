/* reduce.cu - the plain reductions of ops.def for every lane type, from the same expressions as the CPU's.
 *
 * Integers, extremes and truths have the CPU's bits. Floats are added and multiplied in f64: sums of f64 carry what rounding takes from them, so
 * that a sum is as good as one in twice the precision; those of f32, f16 and bf16 are rounded from f64 once. */
#include "vocabulary.cuh"

#include "fold.cuh"
#include "table/rows.h"

#define STRIA_PER_LANE_TYPE "reduce_template.cuh"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE

namespace {

struct reduce_params {
    int64_t count;
};

/* How elements of x become lanes: of any dtype; of one that the kernel knows; of f16 or bf16. */
template <class Row>
struct memory_any {
    typedef char      element;
    static const int  run = 1;
    static __device__ __forceinline__ typename Row::lane load(const char *at, int dtype)
    {
        return Row::load(at, dtype);
    }
};
template <class Row, class T>
using memory_of = fold_memory<T, typename Row::lane>;
template <class Row>
struct memory_short {
    typedef uint16_t  element;
    static const int  run = 8;
    static __device__ __forceinline__ typename Row::lane from(element x, int dtype)
    {
        return static_cast<typename Row::lane>(dtype == STRIA_BF16 ? load_BF16(x) : load_F16(x));
    }
    static __device__ __forceinline__ typename Row::lane load(const char *at, int dtype)
    {
        return from(*reinterpret_cast<const element *>(at), dtype);
    }
};

static bool is_short(int dtype) { return dtype == STRIA_F16 || dtype == STRIA_BF16; }

template <class Row>
static __device__ __forceinline__ void store_result(char *at, int dtype, typename Row::lane value,
                                                    const reduce_params &params)
{
    if constexpr (Row::finishes == STRIA_FINISH_DIVIDE_BY_COUNT)
        value = value / static_cast<typename Row::lane>(params.count);
    Row::store(at, dtype, value);
}

/* As the row says. */
template <class Row, class Memory>
struct combined : Memory {
    typedef typename Row::lane lane;
    typedef reduce_params      params;
    struct state {
        lane value;
    };
    static __device__ state start(const params &) { return state{Row::neutral()}; }
    static __device__ void  take(state *s, lane x, int64_t, const params &) { s->value = Row::both(s->value, x); }
    static __device__ void  join(state *s, const state &later, const params &)
    {
        s->value = Row::both(s->value, later.value);
    }
    static __device__ void store(char *at, int dtype, const state &s, const params &p)
    {
        store_result<Row>(at, dtype, s.value, p);
    }
};

/* A sum, and what rounding took from it, which counts only beside a finite one.
 * Source: Knuth, The Art of Computer Programming 2, 4.2.2, theorem B. */
template <class Row, class Memory>
struct added : Memory {
    typedef typename Row::lane lane;
    typedef reduce_params      params;
    struct state {
        lane value, lost;
    };
    static __device__ state start(const params &) { return state{Row::neutral(), 0}; }
    static __device__ void  take(state *s, lane x, int64_t, const params &)
    {
        const lane a = s->value, sum = Row::both(a, x), part = sum - a;
        s->value = sum;
        if (isfinite(sum)) s->lost += (a - (sum - part)) + (x - part);
    }
    static __device__ void join(state *s, const state &later, const params &p)
    {
        take(s, later.value, 0, p);
        s->lost += later.lost;
    }
    static __device__ void store(char *at, int dtype, const state &s, const params &p)
    {
        store_result<Row>(at, dtype, s.lost == 0 ? s.value : s.value + s.lost, p); /* -0 stays */
    }
};

typedef int reduce_fn(stria_cuda_stream *stream, const stria_cuda_reduce_call *call);

template <class Row>
static int reduce(stria_cuda_stream *stream, const stria_cuda_reduce_call *call)
{
    typedef typename Row::lane  lane;
    const stria_cuda_fold_walk *walk = &call->walk;
    const reduce_params         params = {walk->count};

    if constexpr (Row::dtype == STRIA_F64 && Row::starts == STRIA_IDENTITY_ZERO) {
        if (walk->in_dtype == STRIA_F32) return run_fold<combined<Row, memory_of<Row, float>>>(stream, walk, params);
        if (walk->in_dtype == STRIA_F64) return run_fold<added<Row, memory_of<Row, double>>>(stream, walk, params);
        if (is_short(walk->in_dtype)) return run_fold<added<Row, memory_short<Row>>>(stream, walk, params);
        return run_fold<added<Row, memory_any<Row>>>(stream, walk, params);
    } else {
        if (walk->in_dtype == Row::dtype) return run_fold<combined<Row, memory_of<Row, lane>>>(stream, walk, params);
        if constexpr (Row::dtype == STRIA_F32 || Row::dtype == STRIA_F64)
            if (is_short(walk->in_dtype)) return run_fold<combined<Row, memory_short<Row>>>(stream, walk, params);
        return run_fold<combined<Row, memory_any<Row>>>(stream, walk, params);
    }
}

struct reduce_table {
    reduce_fn *at[STRIA_RED_COUNT][STRIA_DTYPE_COUNT];
    constexpr reduce_table() : at()
    {
#define STRIA_PER_LANE_TYPE "reduce_table.cuh"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE
    }
};

} // namespace

int stria_cuda_run_reduce(stria_cuda_stream *stream, const stria_cuda_reduce_call *call)
{
    static constexpr reduce_table table;

    if ((unsigned)call->op >= STRIA_RED_COUNT || (unsigned)call->compute >= STRIA_DTYPE_COUNT)
        return STRIA_CUDA_NO_KERNEL;
    reduce_fn *run = table.at[call->op][call->compute];
    return run != NULL ? run(stream, call) : (int)STRIA_CUDA_NO_KERNEL;
}
