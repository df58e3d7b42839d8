/* stria_enums.h - the part of stria.h that kernels know: dtypes and ops. Apart from it, so that a new function builds no kernel
 * again. Include stria.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STRIA_ENUMS_H
#define STRIA_ENUMS_H

/* Most dimensions a tensor may have; most inputs an element-wise op takes. */
#define STRIA_MAX_DIMS 64
#define STRIA_MAX_INPUTS 3

typedef enum stria_dtype {
    STRIA_DTYPE_NONE = -1,
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) STRIA_##ENUM,
#include "table/dtypes.def"
    STRIA_DTYPE_COUNT
} stria_dtype;

/* Element-wise ops, then reductions, in the order of ops.def. */
typedef enum stria_op {
#define STRIA_OP(set, name, arity, result, lanes, summary) STRIA_OP_##name,
#include "table/ops.def"
    STRIA_OP_COUNT
} stria_op;

typedef enum stria_reduction {
#define STRIA_RED(set, name, result, identity, combine, finish, summary) STRIA_RED_##name,
#include "table/ops.def"
    STRIA_RED_COUNT
} stria_reduction;

#endif /* STRIA_ENUMS_H */
