/* launch.cuh - what the sources of the plug-in share: streams, blocks of memory, the launch of a kernel. */
#ifndef STRIA_CUDA_LAUNCH_CUH
#define STRIA_CUDA_LAUNCH_CUH

#include <utility>

#include "device_words.cuh"
#include "walk.h"

/* Half of the pinned memory of a stream (stream.cu). */
struct pinned_half {
    char       *at; /* NULL: not made yet */
    size_t      taken;
    cudaEvent_t done;      /* after the last copy that reads or writes it */
    bool        is_marked; /* `done` has been recorded */
};

struct stria_cuda_stream {
    cudaStream_t stream;
    int          device;
    bool         is_capture; /* what is put to it is captured (capture.cu) */
    int          half;       /* the one in use */
    pinned_half  pinned[2];
};

/* What kernels may use as well: temporary memory, in the order of the stream. */
int stria_cuda_block_new(stria_cuda_stream *stream, size_t nbytes, void **block);
int stria_cuda_block_release(stria_cuda_stream *stream, void *block);

/* The code of a CUDA error; the runtime does not keep it. */
static inline int code_of(cudaError_t error)
{
    if (error == cudaSuccess) return STRIA_CUDA_OK;
    (void)cudaGetLastError();
    return error == cudaErrorMemoryAllocation ? (int)STRIA_CUDA_NO_MEMORY : (int)error;
}

#define STRIA_CUDA_TRY(call)                      \
    do {                                          \
        const int code_ = code_of(call);          \
        if (code_ != STRIA_CUDA_OK) return code_; \
    } while (0)

/* kernel(args ..) on so many blocks of so many threads. */
template <class... P, class... A>
static inline int launch_kernel(stria_cuda_stream *stream, void (*kernel)(P...), dim3 blocks, dim3 threads,
                                size_t shared_bytes, A &&...args)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream->stream;
    STRIA_CUDA_TRY(cudaSetDevice(stream->device));
    return code_of(cudaLaunchKernelEx(&config, kernel, std::forward<A>(args)...));
}

/* Blocks of n threads, one for each element; whether there are few enough. */
static inline dim3 blocks_of(int64_t n) { return dim3((unsigned)((n + STRIA_CUDA_THREADS - 1) / STRIA_CUDA_THREADS)); }
static inline bool has_blocks(int64_t n) { return n / STRIA_CUDA_THREADS < INT32_MAX; }

/* Elements of a walk; -1: as of STRIA_CUDA_TOO_LARGE. */
static inline int64_t count_walk(const stria_cuda_walk *walk)
{
    int64_t n = 1;

    if (walk->ndim < 0 || walk->ndim > STRIA_CUDA_MAX_DIMS) return -1;
    for (int d = 0; d < walk->ndim; d++) {
        if (walk->shape[d] == 0) return 0;
        if (walk->shape[d] < 0 || walk->shape[d] > INT32_MAX / n) return -1;
        n *= walk->shape[d];
    }
    return n;
}

/* Whether operand k has elements of `size` bytes side by side. */
static inline bool is_run(const stria_cuda_walk *walk, int k, int64_t size)
{
    return walk->ndim == 0 || (walk->ndim == 1 && walk->strides[k] == size);
}

#endif
