/* gemm_scalar.h - matrix products in plain C (gemm_kernels.c). */
#ifndef STRIA_GEMM_SCALAR_H
#define STRIA_GEMM_SCALAR_H

#define GEMM_ROWS_f32 4
#define GEMM_VECTORS_f32 4
#define GEMM_KC_f32 384
#define GEMM_MC_f32 128
#define GEMM_ROWS_f64 4
#define GEMM_VECTORS_f64 4
#define GEMM_KC_f64 256
#define GEMM_MC_f64 96
#define GEMM_ROWS_u32 4
#define GEMM_VECTORS_u32 4
#define GEMM_KC_u32 384
#define GEMM_MC_u32 128
#define GEMM_ROWS_u64 4
#define GEMM_VECTORS_u64 4
#define GEMM_KC_u64 256
#define GEMM_MC_u64 96

VEC_INLINE vec_f32 gemm_madd_f32(vec_f32 a, vec_f32 b, vec_f32 c) { return a * b + c; }
VEC_INLINE vec_f64 gemm_madd_f64(vec_f64 a, vec_f64 b, vec_f64 c) { return a * b + c; }

#endif
