/* calls_linalg.h - the argument of decompositions of square matrices. Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_LINALG_H
#define STRIA_CUDA_CALLS_LINALG_H

#include "walk.h"

/* n_matrices row-major matrices [n][n], which are overwritten. n and n_matrices are >= 1.
 *
 * results      of det [n_matrices], else the inverses [n_matrices][n][n]
 * is_singular  becomes 1 where a matrix has no inverse; not of det */
typedef struct stria_cuda_decompose_call {
    bool     is_det;
    int64_t  n_matrices, n;
    double  *matrices, *results;
    int32_t *is_singular;
} stria_cuda_decompose_call;

#endif
