/* cublas.cuh - products by cuBLASLt, in its own words: matrices are column-major. */
#ifndef STRIA_CUDA_CUBLAS_CUH
#define STRIA_CUDA_CUBLAS_CUH

#include "launch.cuh"

/* A column-major matrix, or its transpose, and those that follow it. */
struct gemm_side {
    char   *data;
    int64_t rows, columns; /* as they lie in memory: element (i, j) is number i + j * leading, leading >= rows */
    int64_t leading, batch;
    bool    is_turned; /* its transpose takes part in the product */
};

/* What products are multiplied and added up in. */
enum gemm_compute { GEMM_F32, GEMM_TF32 /* of f32, rounded to TF32 first; added up in f32 */, GEMM_F64 };

/* c = op(a) op(b); all of `dtype`: f16, bf16, f32, f64; but c may be f32 where that is f16 or bf16. */
struct gemm {
    stria_dtype  dtype, c_dtype;
    gemm_compute compute;
    int64_t      k, n_matrices;
    gemm_side    a, b, c;
};

/* STRIA_CUDA_NO_KERNEL: the library is not there, or has nothing for this product. */
int stria_cuda_run_gemm(stria_cuda_stream *stream, const gemm *product);

#endif
