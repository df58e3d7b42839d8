/* row.cuh - what kernels of rows share: elements of f32 or f64 from memory of any dtype and back, sums over a row. */
#ifndef STRIA_CUDA_ROW_CUH
#define STRIA_CUDA_ROW_CUH

#include "conversion.cuh"

#include "calls_row.h"
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

/* Threads of a row: a power of two. */
static inline int get_row_threads(int64_t length)
{
    int n = 1;
    while (n * 2 <= length && n < (length < 1024 ? 32 : ROW_THREADS)) n *= 2;
    return n;
}

static inline bool get_row_blocks(int64_t n_rows, int rows_of_block, dim3 *blocks)
{
    const int64_t n = (n_rows + rows_of_block - 1) / rows_of_block;

    *blocks = dim3((unsigned)n);
    return n <= INT32_MAX;
}

#endif
