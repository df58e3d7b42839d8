/* convert.cu - copies between any strides and dtypes, and one value in every element. */
#include "conversion.cuh"

#include "calls_copy.h"
#include "runs.cuh"

static const int PER_THREAD = 4;

/* Elements as they are. */
struct bytes_16 {
    uint64_t at[2];
};

/* Operands of a walk in two forms: runs, whose offsets are multiples of `size`, and others. */
struct walked {
    uint32_t           n;
    bool               are_runs;
    uint32_t           size[2]; /* of runs: bytes from one element to the next */
    char              *data[2];
    stria_cuda_offsets offsets;
};

static __device__ __forceinline__ void get_offsets(const walked &w, uint32_t i, int64_t *offset)
{
    if (w.are_runs) {
        offset[0] = (int64_t)i * w.size[0];
        offset[1] = (int64_t)i * w.size[1];
    } else {
        int32_t found[STRIA_CUDA_MAX_OPERANDS];
        stria_cuda_offsets_get(&w.offsets, i, found);
        offset[0] = found[0];
        offset[1] = w.offsets.n_operands > 1 ? found[1] : 0;
    }
}

/* ---------------------------------------------------------------- copies */

template <class To>
static __global__ void convert_kernel(walked w, int from)
{
    uint32_t i = blockIdx.x * (uint32_t)(STRIA_CUDA_THREADS * PER_THREAD) + threadIdx.x;

    for (int k = 0; k < PER_THREAD && i < w.n; k++, i += STRIA_CUDA_THREADS) {
        int64_t offset[2];
        get_offsets(w, i, offset);
        *reinterpret_cast<typename To::element *>(w.data[0] + offset[0]) = load_as<To>(w.data[1] + offset[1], from);
    }
}

template <class T>
static __global__ void move_kernel(walked w)
{
    uint32_t i = blockIdx.x * (uint32_t)(STRIA_CUDA_THREADS * PER_THREAD) + threadIdx.x;

    for (int k = 0; k < PER_THREAD && i < w.n; k++, i += STRIA_CUDA_THREADS) {
        int64_t offset[2];
        get_offsets(w, i, offset);
        *reinterpret_cast<T *>(w.data[0] + offset[0]) = *reinterpret_cast<const T *>(w.data[1] + offset[1]);
    }
}

static bool describe(const stria_cuda_walk *walk, int64_t n, walked *w)
{
    w->n = (uint32_t)n;
    w->are_runs = true;
    for (int k = 0; k < 2; k++) w->data[k] = NULL, w->size[k] = 0;
    for (int k = 0; k < walk->n_operands; k++) {
        const int64_t stride = walk->ndim == 1 ? walk->strides[k] : 0;
        w->data[k] = walk->data[k];
        w->size[k] = (uint32_t)stride;
        w->are_runs = w->are_runs && walk->ndim <= 1 && stride >= 0 && stride <= 16;
    }
    return w->are_runs ||
           stria_cuda_offsets_init(&w->offsets, walk->ndim, walk->n_operands, walk->shape, walk->strides);
}

template <class T>
static int move(stria_cuda_stream *stream, const walked &w)
{
    return launch_kernel(stream, move_kernel<T>, blocks_for(w.n, PER_THREAD), dim3(STRIA_CUDA_THREADS), 0, w);
}

static int move_of_size(stria_cuda_stream *stream, size_t size, const walked &w)
{
    switch (size) {
    case 1: return move<uint8_t>(stream, w);
    case 2: return move<uint16_t>(stream, w);
    case 4: return move<uint32_t>(stream, w);
    case 8: return move<uint64_t>(stream, w);
    default: return move<bytes_16>(stream, w);
    }
}

namespace {

struct run_convert {
    stria_cuda_stream *stream;
    const walked      *w;
    int                from;
    template <class To>
    int operator()(To) const
    {
        return launch_kernel(stream, convert_kernel<To>, blocks_for(w->n, PER_THREAD), dim3(STRIA_CUDA_THREADS), 0, *w,
                             from);
    }
};

} // namespace

static size_t size_of(stria_dtype dtype)
{
    static const uint8_t sizes[] = {
#define STRIA_DTYPE(word, D, size, category, compute, js, npy, summary) size,
#include "table/dtypes.def"
    };
    return (unsigned)dtype < sizeof sizes ? sizes[dtype] : 0;
}

int stria_cuda_run_convert(stria_cuda_stream *stream, const stria_cuda_convert_call *call)
{
    const stria_cuda_walk *walk = &call->walk;
    const int64_t          n = count_walk(walk), size = (int64_t)size_of(walk->dtype[0]);
    walked                 w;

    if (size == 0 || size_of(walk->dtype[1]) == 0) return STRIA_CUDA_NO_KERNEL;
    if (n < 0 || walk->n_operands != 2 || !describe(walk, n, &w)) return STRIA_CUDA_TOO_LARGE;
    if (n == 0) return STRIA_CUDA_OK;
    if (walk->dtype[0] != walk->dtype[1]) {
        const run_convert run = {stream, &w, walk->dtype[1]};
        return with_dtype(walk->dtype[0], run);
    }
    if (is_run(walk, 0, size) && is_run(walk, 1, size)) {
        STRIA_CUDA_TRY(cudaSetDevice(stream->device));
        return code_of(
            cudaMemcpyAsync(w.data[0], w.data[1], (size_t)(n * size), cudaMemcpyDeviceToDevice, stream->stream));
    }
    return move_of_size(stream, (size_t)size, w);
}

/* ---------------------------------------------------------------- fills */

template <class T>
static __global__ void fill_kernel(walked w, stria_cuda_value value)
{
    uint32_t i = blockIdx.x * (uint32_t)(STRIA_CUDA_THREADS * PER_THREAD) + threadIdx.x;
    T        x;

    memcpy(&x, value.bits, sizeof x);
    for (int k = 0; k < PER_THREAD && i < w.n; k++, i += STRIA_CUDA_THREADS) {
        int64_t offset[2];
        get_offsets(w, i, offset);
        *reinterpret_cast<T *>(w.data[0] + offset[0]) = x;
    }
}

template <class T>
static __global__ void fill_run_kernel(char *out, uint32_t n, bool is_aligned, stria_cuda_value value)
{
    constexpr int            WIDTH = 16 / (int)sizeof(T);
    const thread_part<WIDTH> part(n, is_aligned);
    T                        x[WIDTH];

    if (part.first >= n) return;
#pragma unroll
    for (int k = 0; k < WIDTH; k++) memcpy(&x[k], value.bits, sizeof(T));
    store_part<T, WIDTH>(part, reinterpret_cast<T *>(out), x);
}

template <class T>
static int fill(stria_cuda_stream *stream, bool is_dense, const walked &w, stria_cuda_value value)
{
    constexpr int WIDTH = 16 / (int)sizeof(T);

    if (!is_dense)
        return launch_kernel(stream, fill_kernel<T>, blocks_for(w.n, PER_THREAD), dim3(STRIA_CUDA_THREADS), 0, w,
                             value);
    const bool is_aligned = is_aligned_for(w.data[0], sizeof(T), WIDTH);
    return launch_kernel(stream, fill_run_kernel<T>, blocks_for(w.n, WIDTH), dim3(STRIA_CUDA_THREADS), 0, w.data[0],
                         w.n, is_aligned, value);
}

int stria_cuda_run_fill(stria_cuda_stream *stream, const stria_cuda_fill_call *call)
{
    const stria_cuda_walk *walk = &call->walk;
    const int64_t          n = count_walk(walk), size = (int64_t)size_of(walk->dtype[0]);
    const bool             is_dense = is_run(walk, 0, size);
    walked                 w;

    if (size == 0) return STRIA_CUDA_NO_KERNEL;
    if (n < 0 || walk->n_operands != 1 || !describe(walk, n, &w)) return STRIA_CUDA_TOO_LARGE;
    if (n == 0) return STRIA_CUDA_OK;
    switch (size) {
    case 1: return fill<uint8_t>(stream, is_dense, w, call->value);
    case 2: return fill<uint16_t>(stream, is_dense, w, call->value);
    case 4: return fill<uint32_t>(stream, is_dense, w, call->value);
    case 8: return fill<uint64_t>(stream, is_dense, w, call->value);
    default: return fill<bytes_16>(stream, false, w, call->value);
    }
}
