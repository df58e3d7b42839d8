/* calls_linalg.h - the arguments of decompositions of matrices. Plain C. Internal. */
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

/* n_matrices row-major matrices [n][columns], 1 <= n <= columns, which are overwritten: x = left^T diag(values) right.
 *
 * most_sweeps  over all pairs of rows
 * values       [n_matrices][n], in descending order
 * left         [n_matrices][n][n], with `right`; NULL: values alone
 * right        [n_matrices][n_right][columns], n <= n_right <= columns; rows from n on are orthogonal to the others */
typedef struct stria_cuda_svd_call {
    int32_t most_sweeps;
    int64_t n_matrices, n, columns, n_right;
    double *matrices, *values, *left, *right;
} stria_cuda_svd_call;

#endif
