/* cuda_plan.h - index arithmetic and launch geometry of the CUDA kernels: plain C, so that the host can test it without a
 * device. Internal.
 *
 * Numbers are those of the iterator specification, section 7. */
#ifndef STRIA_CUDA_PLAN_H
#define STRIA_CUDA_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __CUDACC__
#define STRIA_CUDA_BOTH __host__ __device__
#define STRIA_CUDA_BOTH_APART static __host__ __device__ __noinline__
#else
#define STRIA_CUDA_BOTH
#define STRIA_CUDA_BOTH_APART static inline
#endif

/* Threads of a block, and dims of the offset calculator. */
#define STRIA_CUDA_THREADS 128
#define STRIA_CUDA_MAX_DIMS 25
#define STRIA_CUDA_MAX_OPERANDS 4

/* n / divisor as (hi32(n * multiplier) + n) >> shift, for 1 <= divisor < 2^31 and 0 <= n < 2^31.
 * Source: Granlund & Montgomery, Division by Invariant Integers using Multiplication, PLDI 1994. */
typedef struct stria_cuda_divider {
    uint32_t divisor, multiplier, shift;
} stria_cuda_divider;

stria_cuda_divider stria_cuda_divider_new(uint32_t divisor);

static inline STRIA_CUDA_BOTH uint32_t stria_cuda_divide(stria_cuda_divider d, uint32_t n)
{
    const uint64_t high = ((uint64_t)n * d.multiplier) >> 32;
    return (uint32_t)((high + n) >> d.shift);
}

/* Linear index -> byte offset of every operand. Dim 0 is the fastest; strides may be negative. */
typedef struct stria_cuda_offsets {
    int                ndim, n_operands;
    stria_cuda_divider size[STRIA_CUDA_MAX_DIMS];
    int32_t            stride_bytes[STRIA_CUDA_MAX_DIMS][STRIA_CUDA_MAX_OPERANDS];
} stria_cuda_offsets;

/* shape [ndim]; strides [ndim][n_operands] bytes. False if there are too many dims or operands, or an offset does not fit
 * 31 bits (split the iteration first). */
bool stria_cuda_offsets_init(stria_cuda_offsets *offsets, int ndim, int n_operands, const int64_t *shape,
                             const int64_t *strides);

static inline STRIA_CUDA_BOTH void stria_cuda_offsets_get(const stria_cuda_offsets *offsets, uint32_t linear,
                                                          int32_t *offset_bytes)
{
    for (int k = 0; k < offsets->n_operands; k++) offset_bytes[k] = 0;
    for (int d = 0; d < offsets->ndim; d++) {
        const uint32_t next = stria_cuda_divide(offsets->size[d], linear);
        const int32_t  index = (int32_t)(linear - next * offsets->size[d].divisor);
        for (int k = 0; k < offsets->n_operands; k++) offset_bytes[k] += index * offsets->stride_bytes[d][k];
        linear = next;
    }
}

/* Blocks for numel elements. */
int64_t stria_cuda_grid_get(int64_t numel, int elements_per_thread, int threads);
/* Elements one access can take at an address: 4, 2 or 1. */
int stria_cuda_vector_width_get(uint64_t address, int element_size);

/* Launch geometry of a reduction. */
typedef struct stria_cuda_reduce_input {
    int            ndim, n_reduced; /* iterator dims, the reduced ones first */
    const int64_t *shape;           /* [ndim] */
    const int64_t *stride_bytes;    /* [ndim] of the input */
    int64_t        numel, n_outputs;
    int            input_size, accumulator_size;
    uint64_t       input_address;
    int            values_in_flight; /* accumulators a thread keeps: 4 */
    int            max_threads;      /* 512 */
    int            warp, sms, threads_per_sm;
} stria_cuda_reduce_input;

typedef struct stria_cuda_reduce_plan {
    int64_t step_input, step_output, ctas;
    int64_t input_mult[3], output_mult[2];
    bool    vectorize_input;
    int     output_vec;
    int64_t block[2], grid[2], values_per_thread, shared_bytes;
} stria_cuda_reduce_plan;

stria_cuda_reduce_plan stria_cuda_reduce_plan_get(const stria_cuda_reduce_input *in);

#ifdef __cplusplus
}
#endif

#endif
