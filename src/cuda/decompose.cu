/* decompose.cu - det and inverse, a block for each matrix: every element goes through the steps of src/core/cpu/decompose.c, in their order, so that
 * results have the CPU's bits. */
#include "conversion.cuh"

#include <math.h>

#include "calls_linalg.h"
#include "decompose.cuh"
#include "launch.cuh"

namespace {

struct matrix {
    double                            *at;
    int64_t                            n;
    __device__ __forceinline__ double &get(int64_t i, int64_t j) const { return at[i * n + j]; }
};

/* The row of the pivot: that of column k on or below the diagonal. */
static __device__ int64_t find_pivot(const matrix &a, int64_t k, pivot *shared)
{
    return find_largest(a.at + k, a.n, k, a.n, shared).place;
}

/* Column k of the rows from `first` on, but row k, becomes what row k is subtracted times. */
static __device__ void set_factors(const matrix &a, int64_t first, int64_t k, double head)
{
    for (int64_t i = first + get_thread(); i < a.n; i += count_threads())
        if (i != k) a.get(i, k) /= head;
}

/* Elements from `begin` on of those rows of y, by the factors in column k of a; skips: rows whose factor is 0 stay. */
static __device__ void subtract_rows(const matrix &y, const matrix &a, int64_t first, int64_t k, int64_t begin,
                                     bool skips)
{
    for (int64_t i = first + threadIdx.y; i < a.n; i += (int)blockDim.y) {
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

static __global__ void __launch_bounds__(DECOMPOSE_MOST_THREADS) det_kernel(stria_cuda_decompose_call call)
{
    STRIA_CUDA_SHARED(pivot, shared, [DECOMPOSE_MOST_THREADS]);
    const matrix a = {call.matrices + (int64_t)blockIdx.x * call.n * call.n, call.n};
    double      *to = call.results + blockIdx.x;
    scaled       product = {1, 0};

    for (int64_t k = 0; k < a.n; k++) {
        const int64_t row = find_pivot(a, k, shared);
        if (row != k) product.mantissa = -product.mantissa;
        exchange_rows(a.at, a.n, k, row, k);
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

static __global__ void __launch_bounds__(DECOMPOSE_MOST_THREADS) inverse_kernel(stria_cuda_decompose_call call)
{
    STRIA_CUDA_SHARED(pivot, shared, [DECOMPOSE_MOST_THREADS]);
    const int64_t size = call.n * call.n, first = (int64_t)blockIdx.x * size;
    const matrix  a = {call.matrices + first, call.n}, y = {call.results + first, call.n};

    for (int64_t k = get_thread(); k < size; k += count_threads()) y.at[k] = k / call.n == k % call.n;
    for (int64_t k = 0; k < a.n; k++) {
        const int64_t row = find_pivot(a, k, shared);
        exchange_rows(a.at, a.n, k, row, k);
        exchange_rows(y.at, y.n, 0, row, k);
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
    for (int64_t k = get_thread(); k < size; k += count_threads()) y.at[k] /= a.get(k / call.n, k / call.n);
}

} // namespace

int stria_cuda_run_decompose(stria_cuda_stream *stream, const stria_cuda_decompose_call *call)
{
    if (call->n_matrices > INT32_MAX) return STRIA_CUDA_TOO_LARGE;
    return launch_kernel(stream, call->is_det ? det_kernel : inverse_kernel, dim3((unsigned)call->n_matrices),
                         decompose_threads(call->n), 0, *call);
}
