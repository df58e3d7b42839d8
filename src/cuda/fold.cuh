/* fold.cuh - the kernels of reductions, and their launch: run_fold<F>(stream, walk, params).
 *
 * F is a family of states.cuh that has, too,
 *
 *   lane  load(const char *at, int dtype)
 *   run, element, from(element, dtype)                       of memory that kernels know: how many neighbours are taken together, what they are, and
 *                                                            the lane of one; run is 1 where they do not
 *   void  take(state *s, lane x, int64_t index, params)      element number `index` of its output
 *   void  store(char *at, int dtype, const state &, params)  the result
 *
 * The geometry is stria_cuda_reduce_plan (cuda_plan.h): threads along x take neighbours in memory, elements of one output or outputs. An output
 * that several blocks share has its states in temporary memory, and a second kernel joins them. In which order elements meet follows from
 * shape and strides, and neither from the device nor from addresses: elements side by side that are reduced are taken in runs, each by one thread, and
 * whether a run is read by accesses of 16 bytes or one by one is all that its alignment decides. */
#ifndef STRIA_CUDA_FOLD_CUH
#define STRIA_CUDA_FOLD_CUH

#include <stdlib.h>

#include "calls_fold.h"
#include "dims.h"
#include "fold_runs.h"
#include "launch.cuh"
#include "runs.cuh"
#include "states.cuh"

enum { FOLD_THREADS = 256, FOLD_AT_ONCE = 4, FOLD_RUNS = 2, JOIN_THREADS = 128 };

template <class F>
struct fold_launch {
    typename F::params params;
    const char        *in;
    char              *out;
    int32_t            in_dtype, out_dtype;
    bool               in_runs;
    int64_t            count, n_outputs;
    stria_cuda_dims    kept, reduced; /* kept: in, out; reduced: of elements, or of runs */
    /* numbers of the output and the first element, or run, of a thread, by threadIdx.x, .y and blockIdx.y */
    int64_t            step_output, step_input, output_mult[2], input_mult[3];
    typename F::state *partial; /* [n_outputs][gridDim.y], or NULL: one block for an output */
};

/* Elements first, first + step .. of an output. */
template <class F>
static __device__ __forceinline__ typename F::state fold_part(const fold_launch<F> &call, const char *base,
                                                              int64_t first)
{
    const int64_t     step = call.step_input;
    typename F::state s[FOLD_AT_ONCE];
    int64_t           i = first, at, unused;

#pragma unroll
    for (int k = 0; k < FOLD_AT_ONCE; k++) s[k] = F::start(call.params);
    for (; i + (FOLD_AT_ONCE - 1) * step < call.count; i += FOLD_AT_ONCE * step) {
        typename F::lane x[FOLD_AT_ONCE];
#pragma unroll
        for (int k = 0; k < FOLD_AT_ONCE; k++) {
            stria_cuda_dims_get(&call.reduced, i + k * step, &at, &unused);
            x[k] = F::load(base + at, call.in_dtype);
        }
#pragma unroll
        for (int k = 0; k < FOLD_AT_ONCE; k++) F::take(&s[k], x[k], i + k * step, call.params);
    }
    for (; i < call.count; i += step) {
        stria_cuda_dims_get(&call.reduced, i, &at, &unused);
        F::take(&s[0], F::load(base + at, call.in_dtype), i, call.params);
    }
#pragma unroll
    for (int k = 1; k < FOLD_AT_ONCE; k++) F::join(&s[0], s[k], call.params);
    return s[0];
}

/* Memory of elements T that a family knows, whose lanes are L: 16 bytes at once, or four elements if those are more. */
template <class T, class L>
struct fold_memory {
    typedef T                           element;
    static const int                    run = sizeof(T) < 4 ? 16 / (int)sizeof(T) : 4;
    static __device__ __forceinline__ L from(T x, int) { return static_cast<L>(x); }
    static __device__ __forceinline__ L load(const char *at, int) { return from(*reinterpret_cast<const T *>(at), 0); }
};

/* n of a run, the first one number `index`: element k goes to state k % FOLD_AT_ONCE. */
template <class F>
static __device__ __forceinline__ void take_run(const fold_launch<F> &call, const typename F::element *x, int n,
                                                int64_t index, typename F::state *s)
{
#pragma unroll
    for (int k = 0; k < F::run; k++)
        if (k < n) F::take(&s[k % FOLD_AT_ONCE], F::from(x[k], call.in_dtype), index + k, call.params);
}

/* n elements of a run, at once if they are all there and aligned. */
template <class F>
static __device__ __forceinline__ void load_run(const char *at, int n, typename F::element *x)
{
    typedef neighbours<typename F::element, F::run> whole;
    const typename F::element                      *each = reinterpret_cast<const typename F::element *>(at);

    if (n == F::run && reinterpret_cast<uintptr_t>(at) % 16 == 0) {
        const whole all = *reinterpret_cast<const whole *>(at);
#pragma unroll
        for (int k = 0; k < F::run; k++) x[k] = all.at[k];
    } else {
#pragma unroll
        for (int k = 0; k < F::run; k++) x[k] = k < n ? each[k] : typename F::element();
    }
}

/* Runs first, first + step .. of an output; the last one may be shorter. FOLD_RUNS of them are read before they are taken. */
template <class F>
static __device__ __forceinline__ typename F::state fold_runs(const fold_launch<F> &call, const char *base,
                                                              int64_t first)
{
    const int64_t     n_runs = (call.count + F::run - 1) / F::run;
    typename F::state s[FOLD_AT_ONCE];

#pragma unroll
    for (int k = 0; k < FOLD_AT_ONCE; k++) s[k] = F::start(call.params);
    for (int64_t i = first; i < n_runs; i += FOLD_RUNS * call.step_input) {
        typename F::element x[FOLD_RUNS][F::run];
        int                 n[FOLD_RUNS];
#pragma unroll
        for (int k = 0; k < FOLD_RUNS; k++) {
            const int64_t run = i + k * call.step_input, left = call.count - run * F::run;
            int64_t       at = 0, unused;
            n[k] = left >= F::run ? F::run : left > 0 ? (int)left : 0;
            if (n[k] > 0) stria_cuda_dims_get(&call.reduced, run, &at, &unused);
            load_run<F>(base + at, n[k], x[k]);
        }
#pragma unroll
        for (int k = 0; k < FOLD_RUNS; k++) take_run<F>(call, x[k], n[k], (i + k * call.step_input) * F::run, s);
    }
#pragma unroll
    for (int k = 1; k < FOLD_AT_ONCE; k++) F::join(&s[0], s[k], call.params);
    return s[0];
}

template <class F>
static __device__ __forceinline__ typename F::state fold_all(const fold_launch<F> &call, const char *base,
                                                             int64_t first)
{
    if constexpr (F::run > 1)
        if (call.in_runs) return fold_runs<F>(call, base, first);
    return fold_part<F>(call, base, first);
}

/* 256 threads, and 64 registers or fewer in most families: four blocks of an SM have 32 KB under way, two runs of 16 bytes of each thread. Shared memory is
 * a state for each thread. */
template <class F>
static __global__ void __launch_bounds__(FOLD_THREADS) fold_kernel(const __grid_constant__ fold_launch<F> call)
{
    STRIA_CUDA_DYNAMIC_SHARED(typename F::state, shared);
    const int64_t output = (int64_t)blockIdx.x * call.step_output + (int64_t)threadIdx.x * call.output_mult[0] +
                           (int64_t)threadIdx.y * call.output_mult[1];
    const int64_t first = (int64_t)threadIdx.x * call.input_mult[0] + (int64_t)threadIdx.y * call.input_mult[1] +
                          (int64_t)blockIdx.y * call.input_mult[2];
    const bool        along_x = call.input_mult[0] != 0, along_y = call.input_mult[1] != 0;
    typename F::state s = F::start(call.params);
    int64_t           in = 0, out = 0;

    stria_cuda_dims_get(&call.kept, output < call.n_outputs ? output : 0, &in, &out);
    if (output < call.n_outputs) s = fold_all<F>(call, call.in + in, first);
    if (along_y) s = join_along_y<F>(s, call.params, shared);
    if (along_x) s = join_along_x<F>(s, call.params, shared);
    if (output >= call.n_outputs || (along_x && threadIdx.x > 0) || (along_y && threadIdx.y > 0)) return;
    if (call.partial != NULL)
        call.partial[output * gridDim.y + blockIdx.y] = s;
    else
        F::store(call.out + out, call.out_dtype, s, call.params);
}

/* A block for each output. */
template <class F>
static __global__ void __launch_bounds__(JOIN_THREADS)
    join_kernel(const __grid_constant__ fold_launch<F> call, int n_parts)
{
    STRIA_CUDA_DYNAMIC_SHARED(typename F::state, shared);
    const int64_t            output = (int64_t)blockIdx.x;
    const typename F::state *part = call.partial + output * n_parts;
    typename F::state        s = F::start(call.params);
    int64_t                  in, out;

    for (int k = (int)threadIdx.x; k < n_parts; k += JOIN_THREADS) F::join(&s, part[k], call.params);
    s = join_along_x<F>(s, call.params, shared);
    if (threadIdx.x > 0) return;
    stria_cuda_dims_get(&call.kept, output, &in, &out);
    F::store(call.out + out, call.out_dtype, s, call.params);
}

/* What the geometry says, of runs as if each were an element. Addresses and their alignment count for nothing: a thread has one output. Neither does
 * the device, so that results are the same on all; the numbers are those of a large one. */
static inline stria_cuda_reduce_plan plan_fold(const stria_cuda_fold_walk *walk, int state_size)
{
    int64_t                 shape[2 * STRIA_CUDA_MAX_DIMS] = {}, stride[2 * STRIA_CUDA_MAX_DIMS] = {};
    stria_cuda_reduce_input input = {};

    for (int d = 0; d < walk->n_reduced; d++) {
        shape[d] = walk->reduced_shape[d];
        stride[d] = llabs(walk->reduced_in[d]);
    }
    for (int d = 0; d < walk->n_kept; d++) {
        shape[walk->n_reduced + d] = walk->kept_shape[d];
        stride[walk->n_reduced + d] = llabs(walk->kept_in[d]);
    }
    input.ndim = walk->n_reduced + walk->n_kept;
    input.n_reduced = walk->n_reduced;
    input.shape = shape;
    input.stride_bytes = stride;
    input.numel = walk->count * walk->n_outputs;
    input.n_outputs = walk->n_outputs;
    input.input_size = walk->in_size;
    input.accumulator_size = state_size;
    input.input_address = (uint64_t)walk->in_size; /* as if no two outputs could be taken at once */
    input.values_in_flight = 1;
    input.max_threads = FOLD_THREADS;
    input.warp = 32;
    input.sms = 128;
    input.threads_per_sm = 2048;
    return stria_cuda_reduce_plan_get(&input);
}

template <class F>
static int launch_fold(stria_cuda_stream *stream, const stria_cuda_reduce_plan &plan, fold_launch<F> &call)
{
    const dim3   blocks((unsigned)plan.grid[0], (unsigned)plan.grid[1]);
    const dim3   threads((unsigned)plan.block[0], (unsigned)plan.block[1]);
    const size_t size = sizeof(typename F::state);
    void        *partial = NULL;
    int          code;

    if (plan.ctas == 1)
        return launch_kernel(stream, fold_kernel<F>, blocks, threads, size * threads.x * threads.y, call);
    code = stria_cuda_block_new(stream, size * (size_t)(call.n_outputs * plan.ctas), &partial);
    if (code != STRIA_CUDA_OK) return code;
    call.partial = static_cast<typename F::state *>(partial);
    code = launch_kernel(stream, fold_kernel<F>, blocks, threads, size * threads.x * threads.y, call);
    if (code == STRIA_CUDA_OK)
        code = launch_kernel(stream, join_kernel<F>, dim3((unsigned)call.n_outputs), dim3(JOIN_THREADS),
                             size * JOIN_THREADS, call, (int)plan.ctas);
    const int ended = stria_cuda_block_release(stream, partial);
    return code != STRIA_CUDA_OK ? code : ended;
}

template <class F>
static int run_fold(stria_cuda_stream *stream, const stria_cuda_fold_walk *walk, const typename F::params &params)
{
    const bool                   in_runs = stria_cuda_fold_has_runs(walk, F::run);
    const stria_cuda_fold_walk   runs = in_runs ? stria_cuda_fold_get_runs(walk, F::run) : *walk;
    const stria_cuda_reduce_plan plan = plan_fold(&runs, (int)sizeof(typename F::state));
    fold_launch<F>               call = {};

    if (plan.grid[0] > INT32_MAX || plan.grid[1] > UINT16_MAX) return STRIA_CUDA_TOO_LARGE;
    if (!stria_cuda_dims_init(&call.kept, walk->n_kept, walk->kept_shape, walk->kept_in, walk->kept_out) ||
        !stria_cuda_dims_init(&call.reduced, runs.n_reduced, runs.reduced_shape, runs.reduced_in, NULL))
        return STRIA_CUDA_TOO_LARGE;
    call.in_runs = in_runs;
    call.params = params;
    call.in = walk->in;
    call.out = walk->out;
    call.in_dtype = walk->in_dtype;
    call.out_dtype = walk->out_dtype;
    call.count = walk->count;
    call.n_outputs = walk->n_outputs;
    call.step_output = plan.step_output;
    call.step_input = plan.step_input;
    for (int k = 0; k < 2; k++) call.output_mult[k] = plan.output_mult[k];
    for (int k = 0; k < 3; k++) call.input_mult[k] = plan.input_mult[k];
    return launch_fold<F>(stream, plan, call);
}

#endif
