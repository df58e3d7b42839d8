/* exec.h - runs a kernel loop over an iterator, converting and gathering operands block by block. Internal.
 *
 * A loop wants contiguous lanes of its own dtype (kernels.h). Operands of another dtype, or with strides it does not take,
 * pass through blocks of a few KB that stay in L1; there is never a whole converted tensor. */
#ifndef STRIA_EXEC_H
#define STRIA_EXEC_H

#include "../simd/kernels.h"
#include "iter.h"

/* Elements of a block. */
#define STRIA_EXEC_BLOCK 1024
#define STRIA_EXEC_MAX_OPERANDS (1 + STRIA_MAX_INPUTS)

typedef struct stria_exec {
    stria_loop      *loop;
    int              n;                                  /* operands, output first */
    int64_t          lane_size[STRIA_EXEC_MAX_OPERANDS]; /* bytes of an element as the loop sees it */
    stria_cast_loop *cast[STRIA_EXEC_MAX_OPERANDS];      /* memory -> lanes (inputs), lanes -> memory (output) */
    bool             same[STRIA_EXEC_MAX_OPERANDS];      /* memory holds what the loop wants */
} stria_exec;

/* memory, lane: dtypes of the n operands in memory and in the loop, output first. */
void stria_exec_init(stria_exec *exec, const stria_kernels *kernels, stria_loop *loop, int n, const stria_dtype *memory,
                     const stria_dtype *lane);

/* A stria_loop2d; context is a const stria_exec. */
void stria_exec_loop2d(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1);

#endif
