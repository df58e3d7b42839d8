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
/* Operands whose form is asked for: those of a compiled group. */
#define STRIA_CUDA_FORM_OPERANDS 16

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

/* n: number of operands. Kernels know it, so that the offsets stay in registers. */
static inline STRIA_CUDA_BOTH void stria_cuda_offsets_get(const stria_cuda_offsets *offsets, int n, uint32_t linear,
                                                          int32_t *offset_bytes)
{
    for (int k = 0; k < n; k++) offset_bytes[k] = 0;
    for (int d = 0; d < offsets->ndim; d++) {
        const uint32_t next = stria_cuda_divide(offsets->size[d], linear);
        const int32_t  index = (int32_t)(linear - next * offsets->size[d].divisor);
        for (int k = 0; k < n; k++) offset_bytes[k] += index * offsets->stride_bytes[d][k];
        linear = next;
    }
}

/* ---------------------------------------------------------------- how element-wise kernels and copies take their elements */

/* Threads side by side share what memory hands out at once, a sector of 32 bytes, if their elements lie in it. */
#define STRIA_CUDA_SECTOR 32
/* Tiles of element-wise kernels are squares; shorter dims than this would leave most of one empty. */
#define STRIA_CUDA_TILE 32
#define STRIA_CUDA_TILE_LEAST 16
/* Elements of a thread of a kernel that converts. */
#define STRIA_CUDA_FOUR 4

typedef enum stria_cuda_form {
    STRIA_CUDA_FORM_FLAT, /* one dim, stored alike: 16 bytes of each operand at once; ends and what is not aligned one by one */
    STRIA_CUDA_FORM_ROWS, /* the same of rows: a vector lies in one row, and what is broadcast along it is one element */
    STRIA_CUDA_FORM_TILES,   /* an operand lies across: squares of two dims, read along one and used along the other */
    STRIA_CUDA_FORM_VECTORS, /* of any dtypes: STRIA_CUDA_FOUR neighbours of dim 0 at once, or one element for them */
    STRIA_CUDA_FORM_APART,   /* elements one by one */
    STRIA_CUDA_FORM_COUNT
} stria_cuda_form;

/* Operands as of stria_cuda_walk. size: bytes of an element, 0 of what the call carries itself, whose strides are 0. `alike`: how many
 * elements are 16 bytes, where all lanes are stored in the dtype that is computed in, or in that of 2 bytes; 0: they are not. */
typedef struct stria_cuda_form_input {
    int            ndim, n_operands, alike;
    const int64_t *shape, *strides;
    uint64_t       address[STRIA_CUDA_FORM_OPERANDS];
    int            size[STRIA_CUDA_FORM_OPERANDS];
} stria_cuda_form_input;

/* Two dims of which tiles are squares: operand 0 has neighbours along dim[0], the operands of `turned` (bit k: operand k) along dim[1]. */
typedef struct stria_cuda_turn {
    int      dim[2];
    uint32_t turned;
} stria_cuda_turn;

/* False: no operand lies across operand 0. */
bool stria_cuda_turn_get(const stria_cuda_form_input *in, stria_cuda_turn *turn);
/* `turn` is set where the form is TILES. The fastest form that the operands allow. */
stria_cuda_form stria_cuda_form_get(const stria_cuda_form_input *in, stria_cuda_turn *turn);

/* Vectors of `width` neighbours of dim 0: offsets of the first element of vector 0 .. n - 1. False as of stria_cuda_offsets_init. */
bool stria_cuda_vectors_init(stria_cuda_offsets *offsets, int64_t *n, const stria_cuda_form_input *in, int width);

/* Tiles of edge x edge elements: offsets of the first element of tile n; dims 0 and 1 of `first` count tiles along dim[0] and dim[1]. */
typedef struct stria_cuda_tiles {
    stria_cuda_offsets first;
    uint32_t           n, turned;
    int32_t            size[2]; /* elements of the two dims */
    int32_t            stride[2][STRIA_CUDA_MAX_OPERANDS];
} stria_cuda_tiles;

bool stria_cuda_tiles_init(stria_cuda_tiles *tiles, const stria_cuda_form_input *in, const stria_cuda_turn *turn,
                           int edge);

/* Elements of the two dims before tile n. */
static inline STRIA_CUDA_BOTH void stria_cuda_tiles_begin(const stria_cuda_tiles *tiles, uint32_t n, int edge,
                                                          int32_t *begin)
{
    const uint32_t across = stria_cuda_divide(tiles->first.size[0], n);
    const uint32_t rest = stria_cuda_divide(tiles->first.size[1], across);

    begin[0] = (int32_t)(n - across * tiles->first.size[0].divisor) * edge;
    begin[1] = (int32_t)(across - rest * tiles->first.size[1].divisor) * edge;
}

/* Squares: how kernels without shared memory take operands that lie across. A block has 32 x 16 elements of dims 0 and 1, four of a thread, of which a
 * warp takes 8 x 4 at a time. So what a read fetches beyond the elements that it asks for is what the same block asks for next. */
#define STRIA_CUDA_SQUARE_0 32
#define STRIA_CUDA_SQUARE_1 16

typedef struct stria_cuda_squares {
    stria_cuda_divider blocks[2]; /* along dims 0 and 1 */
    uint32_t           size[2];   /* elements of them */
} stria_cuda_squares;

/* Dims in the order in which squares take them: order[d] of `ndim`. Operand 0 has neighbours along order[0], those that lie across along order[1]. */
void stria_cuda_squares_order(const stria_cuda_turn *turn, int ndim, int *order);
/* shape [ndim], in that order, without zeros; fewer than 2^31 elements. Returns the number of blocks. */
int64_t stria_cuda_squares_init(stria_cuda_squares *squares, int ndim, const int64_t *shape);

/* *linear: the index of element k < STRIA_CUDA_FOUR of a thread. False: there is none. */
static inline STRIA_CUDA_BOTH bool stria_cuda_squares_find(const stria_cuda_squares *squares, uint32_t block,
                                                           uint32_t thread, int k, uint32_t *linear)
{
    const uint32_t rows = stria_cuda_divide(squares->blocks[0], block);
    const uint32_t rest = stria_cuda_divide(squares->blocks[1], rows), lane = thread % 32;
    const uint32_t i0 = (block - rows * squares->blocks[0].divisor) * STRIA_CUDA_SQUARE_0 + thread / 32 * 8 + lane % 8;
    const uint32_t i1 = (rows - rest * squares->blocks[1].divisor) * STRIA_CUDA_SQUARE_1 + (uint32_t)k * 4 + lane / 8;

    *linear = (rest * squares->size[1] + i1) * squares->size[0] + i0;
    return i0 < squares->size[0] && i1 < squares->size[1];
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
