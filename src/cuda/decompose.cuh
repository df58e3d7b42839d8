/* decompose.cuh - what decompositions of matrices of f64 share: a block of threads for each matrix, which all of them work on. Results do not depend on
 * how many they are. */
#ifndef STRIA_CUDA_DECOMPOSE_CUH
#define STRIA_CUDA_DECOMPOSE_CUH

#include "device_words.cuh"

enum { DECOMPOSE_X = 32, DECOMPOSE_MOST_Y = 8, DECOMPOSE_MOST_THREADS = DECOMPOSE_X * DECOMPOSE_MOST_Y };

/* For a matrix of n rows: few wait for each other where there is little to do. */
static inline dim3 decompose_threads(int64_t n)
{
    unsigned y = 1;
    while (y < DECOMPOSE_MOST_Y && n > 8 * (int64_t)y) y *= 2;
    return dim3(DECOMPOSE_X, y);
}

/* The first place with NaN, else the first with the largest element. */
struct pivot {
    double  size;
    int64_t place; /* -1: none */

    __device__ __forceinline__ void join(const pivot &later)
    {
        if (later.place < 0) return;
        const bool is_first = later.place < place, is_nan = size != size;
        const bool takes = later.size != later.size
                               ? !is_nan || is_first
                               : !is_nan && (later.size > size || (later.size == size && is_first));
        if (place < 0 || takes) *this = later;
    }
};

/* The threads of a block as a line; as a rectangle they are threadIdx. */
static __device__ __forceinline__ int get_thread() { return (int)(threadIdx.y * DECOMPOSE_X + threadIdx.x); }
static __device__ __forceinline__ int count_threads() { return (int)(blockDim.y * DECOMPOSE_X); }

/* That of at[k * step], by magnitude, for k in begin .. end - 1, of which there is one at least: in all threads, and behind a barrier. `shared` has a
 * place for each thread. */
static __device__ __forceinline__ pivot find_largest(const double *at, int64_t step, int64_t begin, int64_t end,
                                                     pivot *shared)
{
    pivot best = {0, -1};

    for (int64_t k = begin + get_thread(); k < end; k += count_threads()) best.join(pivot{fabs(at[k * step]), k});
    shared[get_thread()] = best;
    for (int half = count_threads() / 2; half > 0; half /= 2) {
        __syncthreads();
        if (get_thread() < half) shared[get_thread()].join(shared[get_thread() + half]);
    }
    __syncthreads();
    best = shared[0];
    __syncthreads(); /* shared is free again */
    return best;
}

/* Elements `from` .. n - 1 of two rows of n. */
static __device__ __forceinline__ void exchange_rows(double *a, int64_t n, int64_t from, int64_t i, int64_t k)
{
    if (i == k) return;
    for (int64_t j = from + get_thread(); j < n; j += count_threads()) {
        const double t = a[k * n + j];
        a[k * n + j] = a[i * n + j];
        a[i * n + j] = t;
    }
}

#endif
