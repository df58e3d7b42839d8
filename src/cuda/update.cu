/* update.cu - steps of optimisers: the formulas of the CPU, for several tensors in one launch. */
#include "conversion.cuh"

#include "calls_update.h"
#include "launch.cuh"

#include "vec_words.h"
#define V_LOOP static __device__ __forceinline__
#define FN(name) STRIA_CAT3(name, _, STRIA_T)
#define STRIA_T f32
#include "update_template.h"
#undef STRIA_T
#define STRIA_T f64
#include "update_template.h"
#undef STRIA_T
#undef FN

static const int PER_THREAD = 4;

/* ---------------------------------------------------------------- formulas and lanes */

#define FORMULA(name, count, T)                                                                                       \
    struct name##_##T {                                                                                               \
        static const int                       n = count;                                                             \
        static __device__ __forceinline__ void run(vec_##T *x, const update_lanes_##T *c, const stria_update_step *s) \
        {                                                                                                             \
            update_##name##_lanes_##T(x, c, s);                                                                       \
        }                                                                                                             \
    };
#define FORMULAS(T)                                                                       \
    struct lanes_##T {                                                                    \
        typedef vec_##T                           lane;                                   \
        typedef update_lanes_##T                  numbers;                                \
        static __device__ __forceinline__ numbers get_numbers(const stria_update_step *s) \
        {                                                                                 \
            return update_get_lanes_##T(s);                                               \
        }                                                                                 \
        FORMULA(sgd, 3, T)                                                                \
        FORMULA(adam, 5, T)                                                               \
        FORMULA(rmsprop, 5, T)                                                            \
        FORMULA(adagrad, 3, T)                                                            \
        FORMULA(scale, 1, T)                                                              \
        FORMULA(clip, 1, T)                                                               \
        typedef sgd_##T     sgd;                                                          \
        typedef adam_##T    adam;                                                         \
        typedef rmsprop_##T rmsprop;                                                      \
        typedef adagrad_##T adagrad;                                                      \
        typedef scale_##T   scale;                                                        \
        typedef clip_##T    clip;                                                         \
    };
FORMULAS(f32)
FORMULAS(f64)
#undef FORMULA
#undef FORMULAS

/* Elements of memory as lanes. */
#define STORED(D, T, to)                                                                             \
    struct stored_##D : lanes_##T {                                                                  \
        typedef element_##D               element;                                                   \
        static __device__ __forceinline__ vec_##T load(element x) { return load_##D(x); }            \
        static __device__ __forceinline__ element store(vec_##T x) { return to_##D##_from_##to(x); } \
    };
STORED(F16, f32, F32)
STORED(BF16, f32, F32)
STORED(F32, f32, F32)
STORED(F64, f64, F64)
#undef STORED

/* ---------------------------------------------------------------- the kernel */

/* Block b has elements of the last member that begins at block b or before. */
struct members {
    stria_cuda_update_call call;
    uint32_t               first_block[STRIA_CUDA_UPDATE_MEMBERS];
};

static __device__ __forceinline__ int find_member(const members &m)
{
    int low = 0, high = m.call.n - 1;

    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (m.first_block[middle] <= blockIdx.x)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

template <class F, class S>
static __global__ void update_kernel(members m)
{
    typedef typename S::element element;
    stria_update_step           step = m.call.step;
    const int                   k = find_member(m);
    int64_t i = (int64_t)(blockIdx.x - m.first_block[k]) * (STRIA_CUDA_THREADS * PER_THREAD) + threadIdx.x;

    if (m.call.norm != NULL) {
        step.rate = m.call.max_norm / (load_as<as_F64>(m.call.norm, m.call.norm_dtype) + 1e-6);
        if (step.rate >= 1) return;
    }
    const typename S::numbers numbers = S::get_numbers(&step);
    for (int j = 0; j < PER_THREAD && i < m.call.numel[k]; j++, i += STRIA_CUDA_THREADS) {
        typename S::lane x[STRIA_UPDATE_LISTS];
#pragma unroll
        for (int l = 0; l < F::n; l++)
            x[l] = step.has[l] ? S::load(reinterpret_cast<const element *>(m.call.data[l][k])[i]) : numbers.rate;
        F::run(x, &numbers, &step);
#pragma unroll
        for (int l = 0; l < F::n; l++)
            if (step.has[l] && l != 1) reinterpret_cast<element *>(m.call.data[l][k])[i] = S::store(x[l]);
    }
}

template <class F, class S>
static int launch(stria_cuda_stream *stream, const stria_cuda_update_call *call)
{
    const int64_t per_block = STRIA_CUDA_THREADS * PER_THREAD;
    int64_t       n_blocks = 0;
    members       m;

    m.call = *call;
    for (int k = 0; k < call->n; k++) {
        m.first_block[k] = (uint32_t)n_blocks;
        n_blocks += (call->numel[k] + per_block - 1) / per_block;
        if (n_blocks > INT32_MAX) return STRIA_CUDA_TOO_LARGE;
    }
    if (n_blocks == 0) return STRIA_CUDA_OK;
    return launch_kernel(stream, update_kernel<F, S>, dim3((unsigned)n_blocks), dim3(STRIA_CUDA_THREADS), 0, m);
}

template <class S>
static int launch_family(stria_cuda_stream *stream, const stria_cuda_update_call *call)
{
    switch (call->family) {
    case STRIA_UPDATE_SGD: return launch<typename S::sgd, S>(stream, call);
    case STRIA_UPDATE_ADAM: return launch<typename S::adam, S>(stream, call);
    case STRIA_UPDATE_RMSPROP: return launch<typename S::rmsprop, S>(stream, call);
    case STRIA_UPDATE_ADAGRAD: return launch<typename S::adagrad, S>(stream, call);
    case STRIA_UPDATE_SCALE: return launch<typename S::scale, S>(stream, call);
    case STRIA_UPDATE_CLIP: return launch<typename S::clip, S>(stream, call);
    default: return STRIA_CUDA_NO_KERNEL;
    }
}

int stria_cuda_run_update(stria_cuda_stream *stream, const stria_cuda_update_call *call)
{
    switch (call->dtype) {
    case STRIA_F16: return launch_family<stored_F16>(stream, call);
    case STRIA_BF16: return launch_family<stored_BF16>(stream, call);
    case STRIA_F32: return launch_family<stored_F32>(stream, call);
    case STRIA_F64: return launch_family<stored_F64>(stream, call);
    default: return STRIA_CUDA_NO_KERNEL;
    }
}
