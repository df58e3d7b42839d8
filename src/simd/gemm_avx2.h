/* gemm_avx2.h - matrix products on AVX2 with FMA (gemm_kernels.c). 12 of the 16 registers accumulate, 2 hold a row of b
 * and 1 an element of a. */
#ifndef STRIA_GEMM_AVX2_H
#define STRIA_GEMM_AVX2_H

#define GEMM_ROWS_f32 6
#define GEMM_VECTORS_f32 2
#define GEMM_KC_f32 384
#define GEMM_MC_f32 168
#define GEMM_ROWS_f64 6
#define GEMM_VECTORS_f64 2
#define GEMM_KC_f64 256
#define GEMM_MC_f64 120
#define GEMM_ROWS_u32 6
#define GEMM_VECTORS_u32 2
#define GEMM_KC_u32 384
#define GEMM_MC_u32 168
#define GEMM_ROWS_u64 2
#define GEMM_VECTORS_u64 2
#define GEMM_KC_u64 256
#define GEMM_MC_u64 120

VEC_INLINE vec_f32 gemm_madd_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    return (vec_f32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
VEC_INLINE vec_f64 gemm_madd_f64(vec_f64 a, vec_f64 b, vec_f64 c)
{
    return (vec_f64)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

#endif
