/* find.cu - positions of what is true, in order: blocks count theirs, one block adds the counts up, then each writes where the sum before it
 * says. */
#include "launch.cuh"

#include "calls_index.h"

static const int THREADS = 128, ROUNDS = 8, CHUNK = THREADS * ROUNDS; /* elements of a block */

static __device__ __forceinline__ int is_true(const stria_cuda_find_call &c, int round)
{
    const int64_t i = (int64_t)blockIdx.x * CHUNK + round * THREADS + threadIdx.x;
    return i < c.n && c.mask[i] != 0;
}

static __global__ void count_kernel(stria_cuda_find_call c)
{
    int count = 0;

    for (int r = 0; r < ROUNDS; r++) count += __syncthreads_count(is_true(c, r));
    if (threadIdx.x == 0) c.starts[blockIdx.x] = count;
}

/* Counts become the sums of those before them. One block; thread t takes a part of its own. */
static __global__ void add_kernel(stria_cuda_find_call c, int64_t n_chunks)
{
    STRIA_CUDA_SHARED(int64_t, sums, [THREADS]);
    const int64_t part = (n_chunks + THREADS - 1) / THREADS, first = threadIdx.x * part;
    const int64_t end = first + part < n_chunks ? first + part : n_chunks;
    int64_t       sum = 0;

    for (int64_t k = first; k < end; k++) sum += c.starts[k];
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        int64_t total = 0;
        for (int t = 0; t < THREADS; t++) {
            const int64_t n = sums[t];
            sums[t] = total;
            total += n;
        }
        *c.total = total;
    }
    __syncthreads();
    sum = sums[threadIdx.x];
    for (int64_t k = first; k < end; k++) {
        const int64_t n = c.starts[k];
        c.starts[k] = sum;
        sum += n;
    }
}

static __device__ void write_position(const stria_cuda_find_call &c, int64_t element, int64_t *out)
{
    for (int d = c.ndim - 1; d >= 0; d--) {
        out[d] = element % c.shape[d];
        element /= c.shape[d];
    }
}

static __global__ void write_kernel(stria_cuda_find_call c)
{
    STRIA_CUDA_SHARED(int, in_warps, [THREADS / 32]);
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    int64_t   next = c.starts[blockIdx.x];

    for (int r = 0; r < ROUNDS; r++) {
        const int      found = is_true(c, r);
        const unsigned votes = __ballot_sync(0xffffffffu, found);
        int            before = __popc(votes & ((1u << lane) - 1)), all = 0;
        if (lane == 0) in_warps[warp] = __popc(votes);
        __syncthreads();
        for (int w = 0; w < THREADS / 32; w++) {
            if (w < warp) before += in_warps[w];
            all += in_warps[w];
        }
        if (found)
            write_position(c, (int64_t)blockIdx.x * CHUNK + r * THREADS + threadIdx.x,
                           c.out + (next + before) * c.ndim);
        next += all;
        __syncthreads();
    }
}

int stria_cuda_run_find(stria_cuda_stream *stream, const stria_cuda_find_call *call)
{
    const int64_t n_chunks = (call->n + CHUNK - 1) / CHUNK;
    const dim3    blocks((unsigned)n_chunks);

    if (n_chunks > INT32_MAX) return STRIA_CUDA_TOO_LARGE;
    if (n_chunks == 0) return STRIA_CUDA_OK;
    if (call->out != NULL) return launch_kernel(stream, write_kernel, blocks, dim3(THREADS), 0, *call);
    const int code = launch_kernel(stream, count_kernel, blocks, dim3(THREADS), 0, *call);
    return code != STRIA_CUDA_OK ? code : launch_kernel(stream, add_kernel, dim3(1), dim3(THREADS), 0, *call, n_chunks);
}
