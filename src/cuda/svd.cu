/* svd.cu - singular values and vectors by one-sided Jacobi, a block for each matrix: the steps of src/core/cpu/decompose.c, and its bits.
 *
 * There pairs of rows (i, j), i < j, are turned in row-major order. A pair follows (i, j - 1) and (i - 1, j), and all others with a row in common have
 * a smaller i + j, too, or come later: so pairs of one i + j are turned at once. */
#include "conversion.cuh"

#include <float.h>
#include <math.h>

#include "calls_linalg.h"
#include "decompose.cuh"
#include "launch.cuh"

namespace {

/* How many pairs are turned at once: a thread for each of three products. */
enum { MOST_PAIRS = DECOMPOSE_MOST_THREADS / 3 };
static __device__ __forceinline__ int count_pairs() { return count_threads() / 3; }

/* Of one matrix. */
struct vectors {
    int64_t n, columns;
    double *rows; /* [n][columns] */
    double *left; /* [n][n], turned along; NULL: none */
};

struct shared_memory {
    pivot  best[DECOMPOSE_MOST_THREADS];
    double products[3 * MOST_PAIRS];
};

/* In the order of the elements, by one thread. */
static __device__ double get_product(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

static __device__ void turn_rows(double *a, double *b, int64_t n, double c, double s)
{
    for (int64_t k = threadIdx.x; k < n; k += DECOMPOSE_X) {
        const double x = a[k], y = b[k];
        a[k] = c * x - s * y;
        b[k] = s * x + c * y;
    }
}

/* Rows i and j become orthogonal, by the threads of one y; products: aa, bb, ab of these rows. Whether they had to be turned. */
static __device__ bool turn(const vectors &v, int64_t i, int64_t j, const double *products)
{
    const double aa = products[0], bb = products[1], ab = products[2];

    if (!(fabs(ab) > DBL_EPSILON * sqrt(aa) * sqrt(bb))) return false;
    const double zeta = (bb - aa) / (2 * ab);
    const double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double c = 1 / sqrt(1 + t * t), s = c * t;
    turn_rows(v.rows + i * v.columns, v.rows + j * v.columns, v.columns, c, s);
    if (v.left != NULL) turn_rows(v.left + i * v.n, v.left + j * v.n, v.n, c, s);
    return true;
}

/* The pairs (i, sum - i) for i in begin .. end - 1, as many as there are threads for. */
static __device__ bool turn_pairs(const vectors &v, int64_t sum, int64_t begin, int64_t end, double *products)
{
    const int count = (int)(end - begin), which = get_thread() % 3;
    bool      is_changed = false;

    if (get_thread() < 3 * count) {
        const int64_t i = begin + get_thread() / 3, j = sum - i;
        const double *a = v.rows + i * v.columns, *b = v.rows + j * v.columns;
        products[get_thread()] = get_product(which == 1 ? b : a, which == 0 ? a : b, v.columns);
    }
    __syncthreads();
    for (int k = (int)threadIdx.y; k < count; k += (int)blockDim.y)
        is_changed |= turn(v, begin + k, sum - begin - k, products + 3 * k);
    __syncthreads();
    return is_changed;
}

/* Every pair once; whether one was turned, in all threads. */
static __device__ bool sweep(const vectors &v, double *products)
{
    bool is_changed = false;

    for (int64_t sum = 1; sum <= 2 * v.n - 3; sum++) {
        const int64_t first = sum < v.n ? 0 : sum - v.n + 1, end = (sum + 1) / 2;
        for (int64_t i = first; i < end; i += count_pairs())
            is_changed |= turn_pairs(v, sum, i, end < i + count_pairs() ? end : i + count_pairs(), products);
    }
    return __syncthreads_or(is_changed) != 0;
}

/* Rows become orthogonal and are scaled by a power of two, which is returned, 0 or NaN if nothing was done; their lengths, in no order. */
static __device__ double orthogonalize(const vectors &v, int most_sweeps, double *lengths, shared_memory *shared)
{
    const double largest = find_largest(v.rows, 1, 0, v.n * v.columns, shared->best).size;
    const double scale = !isfinite(largest) ? NAN : largest == 0 ? 0 : ldexp(1.0, ilogb(largest));

    for (int64_t k = get_thread(); k < v.n; k += count_threads()) lengths[k] = scale;
    if (scale > 0) {
        for (int64_t k = get_thread(); k < v.n * v.columns; k += count_threads()) v.rows[k] /= scale;
        __syncthreads();
        for (int s = 0; s < most_sweeps && sweep(v, shared->products); s++) continue;
        for (int64_t k = get_thread(); k < v.n; k += count_threads())
            lengths[k] = sqrt(get_product(v.rows + k * v.columns, v.rows + k * v.columns, v.columns)) * scale;
    }
    __syncthreads();
    return scale;
}

/* By lengths, the longest first. */
static __device__ void sort_vectors(const vectors &v, double *lengths, pivot *shared)
{
    for (int64_t k = 0; k < v.n; k++) {
        const pivot best = find_largest(lengths, 1, k, v.n, shared);
        exchange_rows(v.rows, v.columns, 0, best.place, k);
        if (v.left != NULL) exchange_rows(v.left, v.n, 0, best.place, k);
        exchange_rows(lengths, 1, 0, best.place, k);
        __syncthreads();
    }
}

/* The last of n rows of `size` becomes a unit vector orthogonal to the others, from *first on; behind a barrier. */
static __device__ void complete(double *rows, int64_t size, int64_t n, int64_t *first, double *shared)
{
    double *v = rows + (n - 1) * size, best = 0;

    if (*first >= size) *first = 0;
    for (; best < 0.5 / (double)size && *first < size; (*first)++) {
        for (int64_t k = get_thread(); k < size; k += count_threads()) v[k] = k == *first;
        for (int64_t step = 0; step < 2 * n - 1; step++) {
            const double *other = step == 2 * n - 2 ? v : rows + step % (n - 1) * size;
            __syncthreads();
            if (get_thread() == 0) *shared = get_product(v, other, size);
            __syncthreads();
            best = *shared;
            if (other == v) break;
            for (int64_t k = get_thread(); k < size; k += count_threads()) v[k] -= best * other[k];
        }
    }
    for (int64_t k = get_thread(); k < size; k += count_threads()) v[k] /= sqrt(best);
    __syncthreads();
}

/* Whether the last of n unit vectors is not orthogonal to the others; in all threads, behind a barrier. */
static __device__ bool is_askew(const double *rows, int64_t size, int64_t n)
{
    double worst = 0;

    for (int64_t k = get_thread(); k < n - 1; k += count_threads())
        worst = fmax(worst, fabs(get_product(rows + k * size, rows + (n - 1) * size, size)));
    return __syncthreads_or(worst > 4 * DBL_EPSILON * (double)size) != 0;
}

/* Rows as unit vectors, and more of them. */
static __device__ void set_right(const vectors &v, double scale, const double *values, double *right, int64_t n_right,
                                 double *shared)
{
    int64_t first = 0;

    for (int64_t k = 0; k < n_right; k++) {
        bool is_missing = k >= v.n;
        if (!is_missing) {
            const double factor = scale / values[k];
            for (int64_t j = get_thread(); j < v.columns; j += count_threads())
                right[k * v.columns + j] = v.rows[k * v.columns + j] * factor;
            __syncthreads();
            is_missing = values[k] == 0 || (values[k] < 1e-12 * values[0] && is_askew(right, v.columns, k + 1));
        }
        if (is_missing) complete(right, v.columns, k + 1, &first, shared);
    }
}

static __global__ void __launch_bounds__(DECOMPOSE_MOST_THREADS) svd_kernel(stria_cuda_svd_call call)
{
    STRIA_CUDA_SHARED(shared_memory, shared, [1]);
    const int64_t at = blockIdx.x, n = call.n, columns = call.columns;
    const bool    has_vectors = call.left != NULL;
    const vectors v = {n, columns, call.matrices + at * n * columns, has_vectors ? call.left + at * n * n : NULL};
    double       *values = call.values + at * n;

    if (has_vectors)
        for (int64_t k = get_thread(); k < n * n; k += count_threads()) v.left[k] = k / n == k % n;
    const double scale = orthogonalize(v, call.most_sweeps, values, shared);
    if (scale > 0) sort_vectors(v, values, shared->best);
    if (!has_vectors) return;
    if (isnan(scale))
        for (int64_t k = get_thread(); k < n * n; k += count_threads()) v.left[k] = scale;
    set_right(v, scale, values, call.right + at * call.n_right * columns, call.n_right, shared->products);
}

} // namespace

int stria_cuda_run_svd(stria_cuda_stream *stream, const stria_cuda_svd_call *call)
{
    if (call->n_matrices > INT32_MAX) return STRIA_CUDA_TOO_LARGE;
    return launch_kernel(stream, svd_kernel, dim3((unsigned)call->n_matrices), decompose_threads(call->n), 0, *call);
}
