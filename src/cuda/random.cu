/* random.cu - random numbers: the words of Philox and what the CPU makes of them (src/simd/random_template.h).
 *
 * A thread makes four numbers of a group: of as many neighbouring blocks of words as a number has words, W, it takes words 0 .. 3. Word i of
 * number j is word j of block i, and thread t of a group has the numbers t, t + 16 / W, .. */
#include "conversion.cuh"

#include "calls_random.h"
#include "launch.cuh"

#include "vec_words.h"
#include "lane_properties.h"
#define V_LOOP static __device__ __forceinline__
#define FN(name) STRIA_CAT3(name, _, STRIA_T)
#define STRIA_T u32
#include "random_template.h"
#undef STRIA_T
#define STRIA_T f32
#include "random_template.h"
#undef STRIA_T
#define STRIA_T f64
#include "random_template.h"
#undef STRIA_T
#undef FN

/* ---------------------------------------------------------------- numbers of words */

struct words_f32 {
    static const int                           W = 1;
    typedef float                              number;
    static __device__ __forceinline__ uint32_t join(const uint32_t (*x)[4], int j) { return x[0][j]; }
};

static __device__ __forceinline__ uint64_t join_two(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }

struct words_f64 {
    static const int                           W = 2;
    typedef double                             number;
    static __device__ __forceinline__ uint64_t join(const uint32_t (*x)[4], int j)
    {
        return join_two(x[0][j], x[1][j]);
    }
};

#define FLOATS(T)                                                                                            \
    struct uniform_##T : words_##T {                                                                         \
        static __device__ __forceinline__ void make(const stria_cuda_random_call &c, const uint32_t (*x)[4], \
                                                    number                       *y)                         \
        {                                                                                                    \
            for (int j = 0; j < 4; j++)                                                                      \
                y[j] = random_to_uniform_##T(join(x, j), c.bits, (number)c.a, (number)c.b, (number)c.limit); \
        }                                                                                                    \
    };                                                                                                       \
    struct normal_##T : words_##T {                                                                          \
        static __device__ __forceinline__ void make(const stria_cuda_random_call &c, const uint32_t (*x)[4], \
                                                    number                       *y)                         \
        {                                                                                                    \
            for (int j = 0; j < 2; j++) {                                                                    \
                number pair[2];                                                                              \
                random_to_normal_##T(join(x, j), join(x, j + 2), (number)c.a, (number)c.b, pair);            \
                y[j] = pair[0];                                                                              \
                y[j + 2] = pair[1];                                                                          \
            }                                                                                                \
        }                                                                                                    \
    };                                                                                                       \
    struct exponential_##T : words_##T {                                                                     \
        static __device__ __forceinline__ void make(const stria_cuda_random_call &c, const uint32_t (*x)[4], \
                                                    number                       *y)                         \
        {                                                                                                    \
            for (int j = 0; j < 4; j++) y[j] = random_to_exponential_##T(join(x, j), (number)c.b);           \
        }                                                                                                    \
    };
FLOATS(f32)
FLOATS(f64)
#undef FLOATS

/* low + floor(range x), where the words are a fraction x of 64 or 128 bits, as of random.c. */
template <class T, int WORDS>
struct whole {
    static const int                       W = WORDS;
    typedef T                              number;
    static __device__ __forceinline__ void make(const stria_cuda_random_call &c, const uint32_t (*x)[4], number *y)
    {
        for (int j = 0; j < 4; j++) {
            const uint64_t upper = join_two(x[W - 2][j], x[W - 1][j]);
            uint64_t       part = c.range == 0 ? upper : __umul64hi(upper, c.range);
            if (W == 4) {
                const uint64_t low = upper * c.range, rest = __umul64hi(join_two(x[0][j], x[1][j]), c.range);
                part += low + rest < low;
            }
            y[j] = (T)(c.low + part);
        }
    }
};

/* ---------------------------------------------------------------- the kernel */

template <class F, class To>
static __global__ void random_kernel(stria_cuda_random_call call)
{
    constexpr int      W = F::W, EACH = 16 / W; /* threads of a group, and numbers from one of a thread to its next */
    const int64_t      thread = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x, group = thread / EACH;
    const uint32_t     t = (uint32_t)(thread % EACH);
    uint32_t           x[W][4];
    typename F::number y[4];

    if (group >= call.n_groups) return;
    for (int i = 0; i < W; i++) random_block_u32(x[i], call.seed, call.group + (uint64_t)group, t * W + (uint32_t)i);
    F::make(call, x, y);
    for (int j = 0; j < 4; j++) {
        const int64_t at = group * (4 * EACH) + j * EACH + t;
        if (at < call.count) reinterpret_cast<typename To::element *>(call.data)[at] = To::from(y[j]);
    }
}

template <class F, class To>
static int launch(stria_cuda_stream *stream, const stria_cuda_random_call *call)
{
    const int64_t per_block = STRIA_CUDA_THREADS / (16 / F::W);
    const int64_t n = (call->n_groups + per_block - 1) / per_block;

    if (n > INT32_MAX) return STRIA_CUDA_TOO_LARGE;
    return launch_kernel(stream, random_kernel<F, To>, dim3((unsigned)n), dim3(STRIA_CUDA_THREADS), 0, *call);
}

template <class Uniform, class Normal, class Exponential, class To>
static int launch_float(stria_cuda_stream *stream, const stria_cuda_random_call *call)
{
    switch (call->kind) {
    case STRIA_RANDOM_UNIFORM: return launch<Uniform, To>(stream, call);
    case STRIA_RANDOM_NORMAL: return launch<Normal, To>(stream, call);
    case STRIA_RANDOM_EXPONENTIAL: return launch<Exponential, To>(stream, call);
    default: return STRIA_CUDA_NO_KERNEL;
    }
}

template <class To>
static int launch_f32(stria_cuda_stream *stream, const stria_cuda_random_call *call)
{
    return launch_float<uniform_f32, normal_f32, exponential_f32, To>(stream, call);
}

namespace {

struct run_whole {
    stria_cuda_stream            *stream;
    const stria_cuda_random_call *call;
    template <class To>
    int operator()(To) const
    {
        if (call->lane == STRIA_I64)
            return call->words == 4 ? launch<whole<int64_t, 4>, To>(stream, call)
                                    : launch<whole<int64_t, 2>, To>(stream, call);
        return call->words == 4 ? launch<whole<uint64_t, 4>, To>(stream, call)
                                : launch<whole<uint64_t, 2>, To>(stream, call);
    }
};

} // namespace

int stria_cuda_run_random(stria_cuda_stream *stream, const stria_cuda_random_call *call)
{
    const run_whole run = {stream, call};

    if (call->kind == STRIA_RANDOM_WHOLE) return with_dtype(call->dtype, run);
    switch (call->dtype) {
    case STRIA_F16: return launch_f32<as_F16>(stream, call);
    case STRIA_BF16: return launch_f32<as_BF16>(stream, call);
    case STRIA_F32: return launch_f32<as_F32>(stream, call);
    case STRIA_F64: return launch_float<uniform_f64, normal_f64, exponential_f64, as_F64>(stream, call);
    default: return STRIA_CUDA_NO_KERNEL;
    }
}
