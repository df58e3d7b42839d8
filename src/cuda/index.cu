/* index.cu - elements of a table at positions that an index says: got, set, combined. */
#include "conversion.cuh"

#include "index_segments.cuh"

#include "vec_words.h"

/* ---------------------------------------------------------------- positions */

/* Numbers of elements of the two kinds of dims. */
struct counts {
    int64_t n_free, n_rest;
};

static bool count_positions(const stria_cuda_index_call *call, counts *n)
{
    n->n_free = n->n_rest = 1;
    for (int d = 0; d < call->ndim; d++) {
        int64_t *product = d < call->n_free ? &n->n_free : &n->n_rest;
        if (__builtin_mul_overflow(*product, call->shape[d], product)) return false;
    }
    return n->n_free / STRIA_CUDA_THREADS < INT32_MAX;
}

/* ---------------------------------------------------------------- kernels */

static __global__ void check_kernel(stria_cuda_index_call c, int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x;
    place         at = {0, 0, 0};

    if (i >= n) return;
    add_place(c, 0, c.n_free, i, &at);
    const int64_t index = read_index(c, at.index);
    if (index >= c.size || index < (c.wraps ? -c.size : 0)) atomicExch(c.is_out, 1);
}

struct bytes_16 {
    uint64_t at[2];
};

template <class T>
static __global__ void get_kernel(stria_cuda_index_call c, int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x;
    place         at = {0, 0, 0};

    if (i >= n) return;
    add_place(c, 0, c.n_free, i, &at);
    *reinterpret_cast<T *>(c.other + at.other) =
        *reinterpret_cast<const T *>(c.table + at.table + get_offset(c, at.index));
}

template <class T>
static __global__ void set_kernel(stria_cuda_index_call c, counts n)
{
    const int64_t i = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x;
    place         first = {0, 0, 0};

    if (i >= n.n_free) return;
    add_place(c, 0, c.n_free, i, &first);
    for (int64_t k = 0; k < n.n_rest; k++) {
        place at = first;
        add_place(c, c.n_free, c.ndim, k, &at);
        *reinterpret_cast<T *>(c.table + at.table + get_offset(c, at.index)) =
            *reinterpret_cast<const T *>(c.other + at.other);
    }
}

template <class L>
static __global__ void combine_kernel(stria_cuda_index_call c, counts n)
{
    typedef typename L::element element;
    const int64_t               i = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x;
    place                       first = {0, 0, 0};

    if (i >= n.n_free) return;
    add_place(c, 0, c.n_free, i, &first);
    for (int64_t k = 0; k < n.n_rest; k++) {
        place at = first;
        add_place(c, c.n_free, c.ndim, k, &at);
        element      *to = reinterpret_cast<element *>(c.table + at.table + get_offset(c, at.index));
        const element x = load_as<typename L::as>(c.other + at.other, c.other_dtype);
        *to = L::combine(c.action, *to, x);
    }
}

/* ---------------------------------------------------------------- what is combined */

#define STRIA_PER_LANE_TYPE "index_lanes.cuh"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE

#define COMPLEX_LANES(D)                                                                     \
    struct lanes_##D {                                                                       \
        typedef as_##D                            as;                                        \
        typedef element_##D                       element;                                   \
        static __device__ __forceinline__ element combine(int action, element a, element b)  \
        {                                                                                    \
            element y;                                                                       \
            y.re = action == STRIA_CUDA_INDEX_ADD ? a.re + b.re : a.re * b.re - a.im * b.im; \
            y.im = action == STRIA_CUDA_INDEX_ADD ? a.im + b.im : a.re * b.im + a.im * b.re; \
            return y;                                                                        \
        }                                                                                    \
    };
COMPLEX_LANES(C64)
COMPLEX_LANES(C128)
#undef COMPLEX_LANES

/* ---------------------------------------------------------------- launches */

template <class T>
static int move(stria_cuda_stream *stream, const stria_cuda_index_call *call, counts n)
{
    if (call->action == STRIA_CUDA_INDEX_GET)
        return launch_kernel(stream, get_kernel<T>, blocks_of(n.n_free), dim3(STRIA_CUDA_THREADS), 0, *call, n.n_free);
    if (call->order.keys != NULL) return set_segments<T>(stream, call);
    return launch_kernel(stream, set_kernel<T>, blocks_of(n.n_free), dim3(STRIA_CUDA_THREADS), 0, *call, n);
}

static int move_of_size(stria_cuda_stream *stream, const stria_cuda_index_call *call, counts n)
{
    switch (call->item_size) {
    case 1: return move<uint8_t>(stream, call, n);
    case 2: return move<uint16_t>(stream, call, n);
    case 4: return move<uint32_t>(stream, call, n);
    case 8: return move<uint64_t>(stream, call, n);
    default: return move<bytes_16>(stream, call, n);
    }
}

template <class L>
static int combine(stria_cuda_stream *stream, const stria_cuda_index_call *call, counts n)
{
    if (call->order.keys != NULL) return combine_segments<L>(stream, call);
    return launch_kernel(stream, combine_kernel<L>, blocks_of(n.n_free), dim3(STRIA_CUDA_THREADS), 0, *call, n);
}

static int combine_of_dtype(stria_cuda_stream *stream, const stria_cuda_index_call *call, counts n)
{
    const bool is_ordered = call->action == STRIA_CUDA_INDEX_MAX || call->action == STRIA_CUDA_INDEX_MIN;

    switch (call->table_dtype) {
#define STRIA_PER_LANE_TYPE "index_table.cuh"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE
    case STRIA_C64: return is_ordered ? (int)STRIA_CUDA_NO_KERNEL : combine<lanes_C64>(stream, call, n);
    case STRIA_C128: return is_ordered ? (int)STRIA_CUDA_NO_KERNEL : combine<lanes_C128>(stream, call, n);
    default: return STRIA_CUDA_NO_KERNEL;
    }
}

int stria_cuda_run_index(stria_cuda_stream *stream, const stria_cuda_index_call *call)
{
    counts n;

    if (!count_positions(call, &n)) return STRIA_CUDA_TOO_LARGE;
    if (n.n_free == 0 || n.n_rest == 0) return STRIA_CUDA_OK;
    switch (call->action) {
    case STRIA_CUDA_INDEX_CHECK:
        return launch_kernel(stream, check_kernel, blocks_of(n.n_free), dim3(STRIA_CUDA_THREADS), 0, *call, n.n_free);
    case STRIA_CUDA_INDEX_ORDER: return run_order(stream, call);
    case STRIA_CUDA_INDEX_GET:
    case STRIA_CUDA_INDEX_SET: return move_of_size(stream, call, n);
    default: return combine_of_dtype(stream, call, n);
    }
}
