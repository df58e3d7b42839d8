/* scan.cu - running sums, products, logarithms of sums of exponentials, and extremes with their places, along an axis.
 *
 * A row is the business of one block, which goes along it with what came before, or, where rows lie side by side and are many, of one thread.
 * Of few long rows, a block has a part: the states of parts are found first, then what came before each, and then the results.
 * Sums and products of floats are in f64, those of integers wrap: these, and extremes, have the CPU's bits. In which order elements meet
 * follows from the shape. */
#include "conversion.cuh"

#include <stdlib.h>

#include "calls_scan.h"
#include "dims.h"
#include "exp_sum.cuh"
#include "launch.cuh"
#include "states.cuh"

namespace {

enum { SCAN_THREADS = 256, SCAN_AT_ONCE = 4 };
/* Elements of a part, a multiple of what a block takes at once; and the rows that are cut into parts: long ones, if there are fewer. */
enum { SCAN_PART = 4 * SCAN_THREADS * SCAN_AT_ONCE, SCAN_LONG = 4 * SCAN_PART, SCAN_FEW = 256 };

struct scan_launch {
    stria_cuda_dims rows, place_rows; /* x, out; places */
    int64_t         length, n_rows, in_step, out_step, place_step;
    int32_t         in_dtype, out_dtype;
    const char     *in;
    char           *out, *places;
};

/* Where a result goes. */
struct scan_place {
    char   *out, *place;
    int32_t dtype;
};

/* ---------------------------------------------------------------- what is joined
 *
 * state of(at, dtype, index) of one element, start() of none, join(earlier, later), store(place, state). */

template <class T>
static __device__ __noinline__ void scan_store(char *at, int dtype, T x)
{
    switch (dtype) {
#define STRIA_DTYPE(word, D, size, category, compute, js, npy, summary) \
    case STRIA_##D:                                                     \
        *reinterpret_cast<element_##D *>(at) = as_##D::from(x);         \
        break;
#include "table/dtypes.def"
    default: break;
    }
}

template <class As, class T, bool IS_PRODUCT>
struct running {
    typedef T                    state; /* u64 in place of i64: it wraps */
    typedef typename As::element element;
    static __device__ state      start() { return IS_PRODUCT ? 1 : 0; }
    static __device__ state      of(const char *at, int dtype, int64_t) { return (T)load_as<As>(at, dtype); }
    static __device__ state      join(state a, state b) { return IS_PRODUCT ? a * b : a + b; }
    static __device__ void store(const scan_place &to, state s) { scan_store<element>(to.out, to.dtype, (element)s); }
};

/* Products of complex numbers. Of none is no number: 1 would make NaN of infinities. */
struct running_complex {
    struct state {
        double re, im;
        bool   is_any;
    };
    static __device__ state start() { return state{0, 0, false}; }
    static __device__ state of(const char *at, int dtype, int64_t)
    {
        const cast_c128 x = load_as<as_C128>(at, dtype);
        return state{x.re, x.im, true};
    }
    static __device__ state join(const state &a, const state &b)
    {
        if (!a.is_any || !b.is_any) return a.is_any ? a : b;
        return state{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, true};
    }
    static __device__ void store(const scan_place &to, const state &s)
    {
        cast_c128 y;
        y.re = s.re;
        y.im = s.im;
        scan_store<cast_c128>(to.out, to.dtype, y);
    }
};

struct running_exponentials {
    typedef exp_sum         state;
    static __device__ state start() { return exp_sum{0, 0}; }
    static __device__ state of(const char *at, int dtype, int64_t) { return exp_sum_of(load_as<as_F64>(at, dtype)); }
    static __device__ state join(state a, const state &b)
    {
        exp_sum_join(&a, b);
        return a;
    }
    static __device__ void store(const scan_place &to, const state &s)
    {
        scan_store<double>(to.out, to.dtype, exp_sum_log(s));
    }
};

/* The last of equals; from the first NaN on all are NaN. */
template <class T>
struct extreme {
    T       value;
    int64_t index; /* -1: of no element */
};

template <class As, class T, bool IS_MIN>
struct running_extreme {
    typedef extreme<T>      state;
    static __device__ state start() { return state{T(), -1}; }
    static __device__ state of(const char *at, int dtype, int64_t index)
    {
        return state{(T)load_as<As>(at, dtype), index};
    }
    static __device__ bool  is_number(T x) { return !(x != x); }
    static __device__ state join(const state &a, const state &b)
    {
        if (b.index < 0) return a;
        const bool takes = a.index < 0 || !is_number(b.value) ||
                           (is_number(a.value) && (IS_MIN ? b.value <= a.value : b.value >= a.value));
        return takes ? b : a;
    }
    static __device__ void store(const scan_place &to, const state &s)
    {
        scan_store<T>(to.out, to.dtype, s.value);
        *reinterpret_cast<int64_t *>(to.place) = s.index;
    }
};

/* ---------------------------------------------------------------- rows */

struct scan_row {
    const char *in;
    char       *out, *places;
};

static __device__ __forceinline__ scan_row get_row(const scan_launch &call, int64_t number)
{
    int64_t in, out, places, unused;

    stria_cuda_dims_get(&call.rows, number, &in, &out);
    stria_cuda_dims_get(&call.place_rows, number, &places, &unused);
    return scan_row{call.in + in, call.out + out, call.places + places};
}

template <class F>
static __device__ __forceinline__ typename F::state get(const scan_launch &call, const scan_row &row, int64_t k)
{
    return k < call.length ? F::of(row.in + k * call.in_step, call.in_dtype, k) : F::start();
}

template <class F>
static __device__ __forceinline__ void put(const scan_launch &call, const scan_row &row, int64_t k,
                                           const typename F::state &s)
{
    if (k < call.length)
        F::store(scan_place{row.out + k * call.out_step, row.places + k * call.place_step, call.out_dtype}, s);
}

/* A thread for each row. */
template <class F>
static __global__ void __launch_bounds__(STRIA_CUDA_THREADS)
    scan_columns_kernel(const __grid_constant__ scan_launch call)
{
    const int64_t     number = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x;
    typename F::state s = F::start();

    if (number >= call.n_rows) return;
    const scan_row row = get_row(call, number);
    for (int64_t k = 0; k < call.length; k++) {
        s = F::join(s, get<F>(call, row, k));
        put<F>(call, row, k, s);
    }
}

/* The state of the threads of the same row before this one, and in *all that of all of them. totals has a state for each warp of each row, and is
 * not in use by others. */
template <class F>
static __device__ __forceinline__ typename F::state get_before(typename F::state own, typename F::state *totals,
                                                               typename F::state *all)
{
    const int width = (int)blockDim.x < 32 ? (int)blockDim.x : 32, lane = (int)threadIdx.x % width;
    const int n_warps = (int)blockDim.x / width, warp = (int)threadIdx.x / width;

    for (int delta = 1; delta < width; delta *= 2) {
        const typename F::state earlier = shuffle_state(own, delta, width, false);
        if (lane >= delta) own = F::join(earlier, own);
    }
    typename F::state before = shuffle_state(own, 1, width, false);
    if (lane == 0) before = F::start();
    totals += threadIdx.y * n_warps;
    if (lane == width - 1) totals[warp] = own;
    __syncthreads();
    typename F::state earlier = F::start();
    *all = F::start();
    for (int w = 0; w < n_warps; w++) {
        if (w == warp) earlier = *all;
        *all = F::join(*all, totals[w]);
    }
    __syncthreads(); /* totals is free again */
    return F::join(earlier, before);
}

/* Elements begin .. end - 1 of a row behind those of `carry`; the state of all of them. begin is a multiple of what is taken at once, and end the
 * length of the row, or such a multiple too. All threads of the block call. */
template <class F>
static __device__ __forceinline__ typename F::state scan_along(const scan_launch &call, const scan_row &row,
                                                               bool is_there, bool stores, int64_t begin, int64_t end,
                                                               typename F::state carry, typename F::state *totals)
{
    for (int64_t first = begin; first < end; first += (int64_t)blockDim.x * SCAN_AT_ONCE) {
        const int64_t     at = first + (int64_t)threadIdx.x * SCAN_AT_ONCE;
        typename F::state s[SCAN_AT_ONCE], all;
#pragma unroll
        for (int k = 0; k < SCAN_AT_ONCE; k++) {
            s[k] = is_there ? get<F>(call, row, at + k) : F::start();
            if (k > 0) s[k] = F::join(s[k - 1], s[k]);
        }
        const typename F::state before = F::join(carry, get_before<F>(s[SCAN_AT_ONCE - 1], totals, &all));
#pragma unroll
        for (int k = 0; k < SCAN_AT_ONCE; k++)
            if (is_there && stores) put<F>(call, row, at + k, F::join(before, s[k]));
        carry = F::join(carry, all);
    }
    return carry;
}

/* blockDim.x threads, a power of two, for each row. */
template <class F>
static __global__ void __launch_bounds__(SCAN_THREADS) scan_rows_kernel(const __grid_constant__ scan_launch call)
{
    STRIA_CUDA_DYNAMIC_SHARED(typename F::state, totals);
    const int64_t number = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    const bool    is_there = number < call.n_rows;

    scan_along<F>(call, get_row(call, is_there ? number : 0), is_there, true, 0, call.length, F::start(), totals);
}

/* A block for each part of each row. parts: [n_rows][n_parts]; first they become the states of the parts, and when they are what comes before
 * each, the second call finds the results. */
template <class F>
static __global__ void __launch_bounds__(SCAN_THREADS)
    scan_parts_kernel(const __grid_constant__ scan_launch call, typename F::state *parts, int64_t n_parts, bool stores)
{
    STRIA_CUDA_DYNAMIC_SHARED(typename F::state, totals);
    const int64_t     number = (int64_t)blockIdx.x / n_parts, begin = (int64_t)blockIdx.x % n_parts * SCAN_PART;
    const int64_t     end = begin + SCAN_PART < call.length ? begin + SCAN_PART : call.length;
    typename F::state carry = F::start();

    if (stores) carry = parts[blockIdx.x];
    carry = scan_along<F>(call, get_row(call, number), true, stores, begin, end, carry, totals);
    if (!stores && threadIdx.x == 0) parts[blockIdx.x] = carry;
}

/* A block for each row: states of parts become those of what comes before them. */
template <class F>
static __global__ void __launch_bounds__(SCAN_THREADS) scan_before_kernel(typename F::state *parts, int64_t n_parts)
{
    STRIA_CUDA_DYNAMIC_SHARED(typename F::state, totals);
    typename F::state *row = parts + (int64_t)blockIdx.x * n_parts, carry = F::start(), all;

    for (int64_t first = 0; first < n_parts; first += blockDim.x) {
        const int64_t           k = first + threadIdx.x;
        const typename F::state own = k < n_parts ? row[k] : F::start();
        const typename F::state before = F::join(carry, get_before<F>(own, totals, &all));
        if (k < n_parts) row[k] = before;
        carry = F::join(carry, all);
    }
}

/* ---------------------------------------------------------------- launches */

template <class F>
static int launch_parts(stria_cuda_stream *stream, const scan_launch &call)
{
    typedef typename F::state state;
    const int64_t             n_parts = (call.length + SCAN_PART - 1) / SCAN_PART, blocks = n_parts * call.n_rows;
    const size_t              shared_bytes = sizeof(state) * (SCAN_THREADS / 32);
    const dim3                threads(SCAN_THREADS);
    void                     *block = NULL;

    if (blocks > INT32_MAX) return STRIA_CUDA_TOO_LARGE;
    int code = stria_cuda_block_new(stream, sizeof(state) * (size_t)blocks, &block);
    if (code != STRIA_CUDA_OK) return code;
    state *parts = static_cast<state *>(block);
    code = launch_kernel(stream, scan_parts_kernel<F>, dim3((unsigned)blocks), threads, shared_bytes, call, parts,
                         n_parts, false);
    if (code == STRIA_CUDA_OK)
        code = launch_kernel(stream, scan_before_kernel<F>, dim3((unsigned)call.n_rows), threads, shared_bytes, parts,
                             n_parts);
    if (code == STRIA_CUDA_OK)
        code = launch_kernel(stream, scan_parts_kernel<F>, dim3((unsigned)blocks), threads, shared_bytes, call, parts,
                             n_parts, true);
    const int ended = stria_cuda_block_release(stream, block);
    return code != STRIA_CUDA_OK ? code : ended;
}

template <class F>
static int launch_scan(stria_cuda_stream *stream, const scan_launch &call)
{
    const bool side_by_side = call.rows.ndim > 0 && llabs(call.rows.stride[0][0]) < llabs(call.in_step);
    int        n = 1;

    if (call.length == 1 || (side_by_side && call.n_rows >= 4 * STRIA_CUDA_THREADS)) {
        const int64_t blocks = stria_cuda_grid_get(call.n_rows, 1, STRIA_CUDA_THREADS);
        if (blocks > INT32_MAX) return STRIA_CUDA_TOO_LARGE;
        return launch_kernel(stream, scan_columns_kernel<F>, dim3((unsigned)blocks), dim3(STRIA_CUDA_THREADS), 0, call);
    }
    if (call.length >= SCAN_LONG && call.n_rows < SCAN_FEW) return launch_parts<F>(stream, call);
    while (n * SCAN_AT_ONCE < call.length && n < SCAN_THREADS) n *= 2;
    const int     others = SCAN_THREADS / n, n_warps = n < 32 ? 1 : n / 32;
    const int64_t blocks = (call.n_rows + others - 1) / others;
    if (blocks > INT32_MAX) return STRIA_CUDA_TOO_LARGE;
    return launch_kernel(stream, scan_rows_kernel<F>, dim3((unsigned)blocks), dim3((unsigned)n, (unsigned)others),
                         sizeof(typename F::state) * (size_t)(others * n_warps), call);
}

template <bool IS_PRODUCT>
static int launch_running(stria_cuda_stream *stream, stria_dtype compute, const scan_launch &call)
{
    switch (compute) {
    case STRIA_C128: return IS_PRODUCT ? launch_scan<running_complex>(stream, call) : (int)STRIA_CUDA_NO_KERNEL;
    case STRIA_F64: return launch_scan<running<as_F64, double, IS_PRODUCT>>(stream, call);
    case STRIA_I64: return launch_scan<running<as_I64, uint64_t, IS_PRODUCT>>(stream, call);
    case STRIA_U64: return launch_scan<running<as_U64, uint64_t, IS_PRODUCT>>(stream, call);
    default: return STRIA_CUDA_NO_KERNEL;
    }
}

/* Whole numbers of any size keep their order as those of 64 bits. */
template <bool IS_MIN>
static int launch_extreme(stria_cuda_stream *stream, const scan_launch &call)
{
    switch (call.in_dtype) {
    case STRIA_BOOL:
    case STRIA_U8:
    case STRIA_U16:
    case STRIA_U32:
    case STRIA_U64: return launch_scan<running_extreme<as_U64, uint64_t, IS_MIN>>(stream, call);
    case STRIA_I8:
    case STRIA_I16:
    case STRIA_I32:
    case STRIA_I64: return launch_scan<running_extreme<as_I64, int64_t, IS_MIN>>(stream, call);
    case STRIA_F16:
    case STRIA_BF16:
    case STRIA_F32: return launch_scan<running_extreme<as_F32, float, IS_MIN>>(stream, call);
    case STRIA_F64: return launch_scan<running_extreme<as_F64, double, IS_MIN>>(stream, call);
    default: return STRIA_CUDA_NO_KERNEL;
    }
}

} // namespace

int stria_cuda_run_scan(stria_cuda_stream *stream, const stria_cuda_scan_call *call)
{
    scan_launch to = {};

    if (!stria_cuda_dims_init(&to.rows, call->ndim, call->shape, call->x.stride, call->out.stride) ||
        !stria_cuda_dims_init(&to.place_rows, call->ndim, call->shape, call->places.stride, NULL))
        return STRIA_CUDA_TOO_LARGE;
    to.length = call->length;
    to.n_rows = call->n_rows;
    to.in = call->x.data;
    to.out = call->out.data;
    to.places = call->places.data;
    to.in_step = call->x.step;
    to.out_step = call->out.step;
    to.place_step = call->places.step;
    to.in_dtype = call->x.dtype;
    to.out_dtype = call->out.dtype;
    switch (call->kind) {
    case STRIA_CUDA_CUMSUM: return launch_running<false>(stream, call->compute, to);
    case STRIA_CUDA_CUMPROD: return launch_running<true>(stream, call->compute, to);
    case STRIA_CUDA_LOGCUMSUMEXP: return launch_scan<running_exponentials>(stream, to);
    case STRIA_CUDA_CUMMAX: return launch_extreme<false>(stream, to);
    case STRIA_CUDA_CUMMIN: return launch_extreme<true>(stream, to);
    }
    return STRIA_CUDA_NO_KERNEL;
}
