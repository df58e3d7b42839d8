/* runs.cuh - which elements a thread takes, and how it takes them.
 *
 * A block of STRIA_CUDA_THREADS threads has WIDTH elements for each. Whole blocks over aligned memory take them side by side, as one access
 * of up to 16 bytes; others take neighbours in neighbouring threads, one by one.
 */
#ifndef STRIA_CUDA_RUNS_CUH
#define STRIA_CUDA_RUNS_CUH

#include "launch.cuh"

/* N neighbours, read or written at once, or 16 bytes at a time. */
template <class T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) neighbours {
    T at[N];
};

/* The elements of a thread, in n of which all blocks take their part. */
template <int WIDTH>
struct thread_part {
    uint32_t first, step, n;
    bool     is_whole;

    /* All of one vector, the first WIDTH elements. */
    __device__ thread_part() : first(0), step(1), n(WIDTH), is_whole(true) {}
    __device__ thread_part(uint32_t count, bool is_aligned)
    {
        const uint32_t block_first = blockIdx.x * (uint32_t)(STRIA_CUDA_THREADS * WIDTH);
        n = count;
        is_whole = is_aligned && count - block_first >= (uint32_t)(STRIA_CUDA_THREADS * WIDTH);
        first = block_first + threadIdx.x * (is_whole ? WIDTH : 1);
        step = is_whole ? 1 : STRIA_CUDA_THREADS;
    }
    /* Number of element k; it may be n or more, where there is none. */
    __device__ uint32_t index(int k) const { return first + (uint32_t)k * step; }
};

/* What is beyond the end is T(). */
template <class T, int WIDTH>
static __device__ __forceinline__ void load_part(const thread_part<WIDTH> &part, const T *from, T *to)
{
    if (part.is_whole) {
        const neighbours<T, WIDTH> all = *reinterpret_cast<const neighbours<T, WIDTH> *>(from + part.first);
#pragma unroll
        for (int k = 0; k < WIDTH; k++) to[k] = all.at[k];
    } else {
#pragma unroll
        for (int k = 0; k < WIDTH; k++) to[k] = part.index(k) < part.n ? from[part.index(k)] : T();
    }
}

template <class T, int WIDTH>
static __device__ __forceinline__ void store_part(const thread_part<WIDTH> &part, T *to, const T *from)
{
    if (part.is_whole) {
        neighbours<T, WIDTH> all;
#pragma unroll
        for (int k = 0; k < WIDTH; k++) all.at[k] = from[k];
        *reinterpret_cast<neighbours<T, WIDTH> *>(to + part.first) = all;
    } else {
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            if (part.index(k) < part.n) to[part.index(k)] = from[k];
    }
}

/* Whether WIDTH elements of `size` bytes can be taken at once from there. */
static inline bool is_aligned_for(const void *at, size_t size, int width)
{
    return reinterpret_cast<uintptr_t>(at) % (size * (size_t)width) == 0;
}

static inline size_t size_of(int dtype)
{
    static const uint8_t sizes[] = {
#define STRIA_DTYPE(word, D, size, category, compute, js, npy, summary) size,
#include "table/dtypes.def"
    };
    return (unsigned)dtype < sizeof sizes ? sizes[dtype] : 0;
}

/* A walk as cuda_plan.h asks for it; bit k of `carried`: the call itself carries operand k. */
static inline stria_cuda_form_input get_form_input(const stria_cuda_walk *walk, uint32_t carried, int alike)
{
    stria_cuda_form_input in = {};

    in.ndim = walk->ndim;
    in.n_operands = walk->n_operands;
    in.alike = alike;
    in.shape = walk->shape;
    in.strides = walk->strides;
    for (int k = 0; k < walk->n_operands; k++) {
        in.address[k] = reinterpret_cast<uintptr_t>(walk->data[k]);
        in.size[k] = carried >> k & 1u ? 0 : (int)size_of(walk->dtype[k]);
    }
    return in;
}

static inline dim3 blocks_for(int64_t n, int width)
{
    return dim3((unsigned)stria_cuda_grid_get(n, width, STRIA_CUDA_THREADS));
}

#endif
