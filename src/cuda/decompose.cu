/* decompose.cu - det and inverse, a block for each matrix: every element goes through the steps of src/core/cpu/decompose.c, in their order, so that
 * results have the CPU's bits. */
#include "conversion.cuh"

#include <math.h>

#include "calls_linalg.h"
#include "launch.cuh"
#include "states.cuh"

namespace {

enum { DECOMPOSE_X = 32, DECOMPOSE_Y = 8, DECOMPOSE_THREADS = DECOMPOSE_X * DECOMPOSE_Y };

/* The first row with NaN, else the first with the largest element. */
struct pivot {
    struct state {
        double  size;
        int64_t row; /* -1: none */
    };
    struct params {};
    static __device__ void join(state *s, const state &later, const params &)
    {
        if (later.row < 0) return;
        const bool is_first = later.row < s->row, is_nan = s->size != s->size;
        const bool takes = later.size != later.size
                               ? !is_nan || is_first
                               : !is_nan && (later.size > s->size || (later.size == s->size && is_first));
        if (s->row < 0 || takes) *s = later;
    }
};

struct matrix {
    double                            *at;
    int64_t                            n;
    __device__ __forceinline__ double &get(int64_t i, int64_t j) const { return at[i * n + j]; }
};

/* Threads of a block, as a line and as a rectangle. */
static __device__ __forceinline__ int get_thread() { return (int)(threadIdx.y * DECOMPOSE_X + threadIdx.x); }

/* That of column k on or below the diagonal, in all threads, and behind a barrier. */
static __device__ int64_t find_pivot(const matrix &a, int64_t k, pivot::state *shared)
{
    pivot::state best = {0, -1};

    for (int64_t i = k + get_thread(); i < a.n; i += DECOMPOSE_THREADS)
        pivot::join(&best, pivot::state{fabs(a.get(i, k)), i}, pivot::params());
    shared[get_thread()] = best;
    for (int half = DECOMPOSE_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (get_thread() < half) pivot::join(&shared[get_thread()], shared[get_thread() + half], pivot::params());
    }
    __syncthreads();
    const int64_t row = shared[0].row;
    __syncthreads(); /* shared is free again */
    return row;
}

/* Elements `from` .. n - 1 of two rows. */
static __device__ void exchange_rows(const matrix &a, int64_t from, int64_t i, int64_t k)
{
    if (i == k) return;
    for (int64_t j = from + get_thread(); j < a.n; j += DECOMPOSE_THREADS) {
        const double t = a.get(k, j);
        a.get(k, j) = a.get(i, j);
        a.get(i, j) = t;
    }
}

/* Column k of the rows from `first` on, but row k, becomes what row k is subtracted times. */
static __device__ void set_factors(const matrix &a, int64_t first, int64_t k, double head)
{
    for (int64_t i = first + get_thread(); i < a.n; i += DECOMPOSE_THREADS)
        if (i != k) a.get(i, k) /= head;
}

/* Elements from `begin` on of those rows of y, by the factors in column k of a; skips: rows whose factor is 0 stay. */
static __device__ void subtract_rows(const matrix &y, const matrix &a, int64_t first, int64_t k, int64_t begin,
                                     bool skips)
{
    for (int64_t i = first + threadIdx.y; i < a.n; i += DECOMPOSE_Y) {
        const double factor = a.get(i, k);
        if (i == k || (skips && factor == 0)) continue;
        for (int64_t j = begin + threadIdx.x; j < a.n; j += DECOMPOSE_X) y.get(i, j) -= factor * y.get(k, j);
    }
}

/* A product as a number in [0.5, 1) and a power of two. */
struct scaled {
    double  mantissa;
    int64_t exponent;
};

static __device__ void multiply(scaled *s, double head)
{
    int own = 0, more = 0;

    if (!isfinite(head)) {
        s->mantissa *= head;
        return;
    }
    const double part = frexp(head, &own);
    s->mantissa = frexp(s->mantissa * part, &more);
    s->exponent += own + more;
}

static __device__ double get_product(const scaled &s)
{
    const int64_t most = INT32_MAX, e = s.exponent;
    return ldexp(s.mantissa, (int)(e > most ? most : e < -most ? -most : e));
}

static __global__ void __launch_bounds__(DECOMPOSE_THREADS) det_kernel(stria_cuda_decompose_call call)
{
    STRIA_CUDA_SHARED(pivot::state, shared, [DECOMPOSE_THREADS]);
    const matrix a = {call.matrices + (int64_t)blockIdx.x * call.n * call.n, call.n};
    double      *to = call.results + blockIdx.x;
    scaled       product = {1, 0};

    for (int64_t k = 0; k < a.n; k++) {
        const int64_t row = find_pivot(a, k, shared);
        if (row != k) product.mantissa = -product.mantissa;
        exchange_rows(a, k, row, k);
        __syncthreads();
        const double head = a.get(k, k);
        if (head == 0) {
            if (get_thread() == 0) *to = isfinite(product.mantissa) ? 0 : NAN;
            return;
        }
        multiply(&product, head);
        set_factors(a, k + 1, k, head);
        __syncthreads();
        subtract_rows(a, a, k + 1, k, k + 1, false);
        __syncthreads();
    }
    if (get_thread() == 0) *to = get_product(product);
}

static __global__ void __launch_bounds__(DECOMPOSE_THREADS) inverse_kernel(stria_cuda_decompose_call call)
{
    STRIA_CUDA_SHARED(pivot::state, shared, [DECOMPOSE_THREADS]);
    const int64_t size = call.n * call.n, first = (int64_t)blockIdx.x * size;
    const matrix  a = {call.matrices + first, call.n}, y = {call.results + first, call.n};

    for (int64_t k = get_thread(); k < size; k += DECOMPOSE_THREADS) y.at[k] = k / call.n == k % call.n;
    for (int64_t k = 0; k < a.n; k++) {
        const int64_t row = find_pivot(a, k, shared);
        exchange_rows(a, k, row, k);
        exchange_rows(y, 0, row, k);
        __syncthreads();
        const double head = a.get(k, k);
        if (head == 0) {
            if (get_thread() == 0) atomicExch(call.is_singular, 1);
            return;
        }
        set_factors(a, 0, k, head);
        __syncthreads();
        subtract_rows(a, a, 0, k, k + 1, true);
        subtract_rows(y, a, 0, k, 0, true);
        __syncthreads();
    }
    for (int64_t k = get_thread(); k < size; k += DECOMPOSE_THREADS) y.at[k] /= a.get(k / call.n, k / call.n);
}

} // namespace

int stria_cuda_run_decompose(stria_cuda_stream *stream, const stria_cuda_decompose_call *call)
{
    if (call->n_matrices > INT32_MAX) return STRIA_CUDA_TOO_LARGE;
    return launch_kernel(stream, call->is_det ? det_kernel : inverse_kernel, dim3((unsigned)call->n_matrices),
                         dim3(DECOMPOSE_X, DECOMPOSE_Y), 0, *call);
}
