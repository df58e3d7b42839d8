/* row.cuh - what kernels of rows share: elements of f32 or f64 from memory of any dtype and back, sums over a row. */
#ifndef STRIA_CUDA_ROW_CUH
#define STRIA_CUDA_ROW_CUH

#include "conversion.cuh"

#include "calls_row.h"
#include "fours.cuh"
#include "launch.cuh"
#include "store_float.cuh"
#include "states.cuh"

enum { ROW_THREADS = 256, ROW_SHARED = ROW_THREADS * 16 };

/* ---------------------------------------------------------------- elements */

template <class T>
struct row_words;
template <>
struct row_words<float> {
    typedef as_F32          stored;
    static const int        dtype = STRIA_F32;
    static __device__ float exp(float x) { return vec_exp_f32(x); }
};
template <>
struct row_words<double> {
    typedef as_F64           stored;
    static const int         dtype = STRIA_F64;
    static __device__ double exp(double x) { return vec_exp_f64(x); }
};

template <class T>
static __device__ __noinline__ T row_load_other(const char *at, int dtype)
{
    return load_as<typename row_words<T>::stored>(at, dtype);
}
template <class T>
static __device__ __forceinline__ T row_load(const char *at, int dtype)
{
    return dtype == row_words<T>::dtype ? *reinterpret_cast<const T *>(at) : row_load_other<T>(at, dtype);
}

/* dtype is a float. */
template <class T>
static __device__ __forceinline__ void row_store(char *at, int dtype, T x)
{
    if (dtype == row_words<T>::dtype)
        *reinterpret_cast<T *>(at) = x;
    else
        store_float(at, dtype, x);
}

/* How many of four neighbours there are from element k on, of `length`. */
static __device__ __forceinline__ int get_left(int64_t k, int64_t length)
{
    return length - k < STRIA_CUDA_FOUR ? (int)(length - k) : STRIA_CUDA_FOUR;
}

/* Whether four neighbours of `size` bytes are one access, or two of 16 bytes. */
static __device__ __forceinline__ bool is_aligned_four(const char *at, int64_t size)
{
    return reinterpret_cast<uintptr_t>(at) % (uintptr_t)(size < 4 ? STRIA_CUDA_FOUR * size : 16) == 0;
}

/* n of four neighbours, `size` bytes each: at once if they are all there and aligned. */
template <class T>
static __device__ __forceinline__ void row_load_four(const char *at, int dtype, int64_t size, int n, T *x)
{
    if (n == STRIA_CUDA_FOUR && is_aligned_four(at, size)) {
        const four<T> all = dtype == row_words<T>::dtype ? *reinterpret_cast<const four<T> *>(at)
                                                         : load_four<typename row_words<T>::stored>(at, dtype);
#pragma unroll
        for (int k = 0; k < STRIA_CUDA_FOUR; k++) x[k] = all.at[k];
    } else {
#pragma unroll
        for (int k = 0; k < STRIA_CUDA_FOUR; k++) x[k] = k < n ? row_load<T>(at + k * size, dtype) : T(0);
    }
}

/* The same back; dtype is a float. */
template <class T>
static __device__ __forceinline__ void row_store_four(char *at, int dtype, int64_t size, int n, const T *x)
{
    if (n == STRIA_CUDA_FOUR && is_aligned_four(at, size)) {
        four<T> all;
#pragma unroll
        for (int k = 0; k < STRIA_CUDA_FOUR; k++) all.at[k] = x[k];
        if (dtype == row_words<T>::dtype)
            *reinterpret_cast<four<T> *>(at) = all;
        else
            store_four<typename row_words<T>::stored>(at, dtype, all);
    } else {
#pragma unroll
        for (int k = 0; k < STRIA_CUDA_FOUR; k++)
            if (k < n) row_store<T>(at + k * size, dtype, x[k]);
    }
}

template <class T>
static __device__ __forceinline__ void get_four(const stria_cuda_vector &v, int64_t k, int n, T *x)
{
    row_load_four<T>(v.data + k * v.size, v.dtype, v.size, n, x);
}
template <class T>
static __device__ __forceinline__ void set_four(const stria_cuda_vector &v, int64_t k, int n, const T *x)
{
    row_store_four<T>(v.data + k * v.size, v.dtype, v.size, n, x);
}

template <class T>
static __device__ __forceinline__ T get_element(const stria_cuda_vector &v, int64_t k)
{
    return row_load<T>(v.data + k * v.size, v.dtype);
}
template <class T>
static __device__ __forceinline__ void set_element(const stria_cuda_vector &v, int64_t k, T x)
{
    row_store<T>(v.data + k * v.size, v.dtype, x);
}

/* ---------------------------------------------------------------- over a row */

struct no_params {};

/* The larger number; NaN is passed over. */
template <class T>
struct row_largest {
    typedef T              state;
    typedef no_params      params;
    static __device__ void join(state *s, const state &later, const params &) { *s = later > *s ? later : *s; }
};

struct two_sums {
    double a, b;
};
struct row_sums {
    typedef two_sums       state;
    typedef no_params      params;
    static __device__ void join(state *s, const state &later, const params &)
    {
        s->a += later.a;
        s->b += later.b;
    }
};

template <class F>
static __device__ __forceinline__ typename F::state join_row(typename F::state s, void *shared, bool along_y)
{
    return join_for_all<F>(s, no_params(), static_cast<typename F::state *>(shared), along_y);
}

/* What the mean of a row follows from, where sums of f64 may overflow before they are divided: the sum, and that of 2^-64 of each. */
template <class T>
static __device__ __forceinline__ void add_to_mean(two_sums *sums, T x)
{
    sums->a += (double)x;
    if constexpr (sizeof(T) == sizeof(double)) sums->b += x * 0x1p-64;
}
template <class T>
static __device__ __forceinline__ double get_mean(const two_sums &sums, double length)
{
    if constexpr (sizeof(T) == sizeof(double))
        if (!isfinite(sums.a)) return sums.b / length * 0x1p64;
    return sums.a / length;
}

/* z = (x - (near + rest)) * factor: what a norm makes of x before its weight. `near` and `rest` are the mean as two numbers. */
template <class T>
struct row_standard {
    T                              near, rest, factor;
    __device__ T                   get(T x) const { return (x - near - rest) * factor; }
    static __device__ row_standard from(double mean, double square, double eps)
    {
        const T near = (T)mean;
        return row_standard{near, (T)(mean - (double)near), (T)(1 / sqrt(square + eps))};
    }
};

/* Threads of a row of n elements, or of n times four: a power of two. */
static inline int get_row_threads(int64_t n)
{
    int threads = 1;
    while (threads * 2 <= n && threads < (n < 1024 ? 32 : ROW_THREADS)) threads *= 2;
    return threads;
}
static inline int64_t get_fours(int64_t length) { return (length + STRIA_CUDA_FOUR - 1) / STRIA_CUDA_FOUR; }

static inline bool get_row_blocks(int64_t n_rows, int rows_of_block, dim3 *blocks)
{
    const int64_t n = (n_rows + rows_of_block - 1) / rows_of_block;

    *blocks = dim3((unsigned)n);
    return n <= INT32_MAX;
}

#endif
