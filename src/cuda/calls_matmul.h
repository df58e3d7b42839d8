/* calls_matmul.h - the argument of matrix products. Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_MATMUL_H
#define STRIA_CUDA_CALLS_MATMUL_H

#include "walk.h"

/* One of the three matrices of a product, and those that follow it. Strides are in elements, of any sign, 0 included (not for c). */
typedef struct stria_cuda_matrix {
    char       *data;
    stria_dtype dtype;
    int64_t     row, column, batch; /* strides: to the next row, column, matrix */
} stria_cuda_matrix;

/* c[i, j] = sum over p of a[i, p] b[p, j], for each of n_matrices; m, n, k, n_matrices > 0. Products are added up in `compute`: f32, f64, an
 * integer dtype, which wraps, or a complex one. c has another dtype only of floats. allows_tf32: operands of f32 may be rounded to TF32. */
typedef struct stria_cuda_matmul_call {
    stria_dtype       compute;
    bool              allows_tf32;
    int64_t           m, n, k, n_matrices;
    stria_cuda_matrix a, b, c;
} stria_cuda_matmul_call;

#endif
