/* exec.h - runs a loop over an iterator, converting and gathering operands block by block. Internal; the public form is
 * stria_iter_for_each_buffered.
 *
 * A loop wants contiguous lanes of its own dtype. Operands of another dtype, or with strides it does not take, pass
 * through blocks of a few KB that stay in L1; there is never a whole converted tensor. */
#ifndef STRIA_EXEC_H
#define STRIA_EXEC_H

#include "simd/kernels.h"
#include "iter.h"

#define STRIA_EXEC_MAX_OPERANDS STRIA_ITER_INLINE_OPERANDS

/* Scratch memory that a piece takes (scratch.h); who runs stria_exec_loop2d has reserved. */
#define STRIA_EXEC_SCRATCH_BYTES ((size_t)74240)

typedef struct stria_exec_operand {
    int64_t          size, lane_size; /* bytes of an element in memory, and as the loop sees it */
    int              shift;           /* log2 of size */
    bool             same;            /* memory holds what the loop wants */
    stria_dtype      dtype;           /* in memory */
    stria_cast_loop *load, *store;    /* memory -> lanes, lanes -> memory */
} stria_exec_operand;

typedef struct stria_exec {
    stria_loop1d        *loop; /* NULL: a copy of operand 1 to operand 0 */
    void                *context;
    const stria_kernels *kernels;
    stria_loop          *kernel; /* what the loop of stria_exec_init_kernel runs */
    int                  n, n_outputs;
    bool                 accumulates;    /* the loop combines what outputs hold; one of stride 0 is one value */
    bool                 has_dear_calls; /* a call of the loop is dear: rows are longer before each has its own */
    bool                 nontemporal; /* a copy whose result is larger than the caches, where there are such stores */
    int64_t              block_elements; /* of one block, a power of two */
    int64_t              row_elements;   /* of one that is part of a row */
    stria_exec_operand   operand[STRIA_EXEC_MAX_OPERANDS];
} stria_exec;

/* memory, lane: dtypes of the n operands in memory and in the loop, outputs first. */
void stria_exec_init(stria_exec *exec, const stria_kernels *kernels, int n, int n_outputs, const stria_dtype *memory,
                     const stria_dtype *lane);
/* The same for a loop of the kernel table, with one output. `exec` must not move afterwards. */
void stria_exec_init_kernel(stria_exec *exec, const stria_kernels *kernels, stria_loop *kernel, int n,
                            const stria_dtype *memory, const stria_dtype *lane);

/* A stria_loop2d; context is a const stria_exec. */
void stria_exec_loop2d(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1);

#endif
