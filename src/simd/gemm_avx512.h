/* gemm_avx512.h - matrix products on AVX-512 (gemm_kernels.c). 28 of the 32 registers accumulate, 2 hold a row of b and 1 an
 * element of a. */
#ifndef STRIA_GEMM_AVX512_H
#define STRIA_GEMM_AVX512_H

#define GEMM_ROWS_f32 14
#define GEMM_VECTORS_f32 2
#define GEMM_KC_f32 384
#define GEMM_MC_f32 336
#define GEMM_ROWS_f64 14
#define GEMM_VECTORS_f64 2
#define GEMM_KC_f64 256
#define GEMM_MC_f64 252
#define GEMM_ROWS_u32 8
#define GEMM_VECTORS_u32 2
#define GEMM_KC_u32 384
#define GEMM_MC_u32 336
#define GEMM_ROWS_u64 8
#define GEMM_VECTORS_u64 2
#define GEMM_KC_u64 256
#define GEMM_MC_u64 168

VEC_INLINE vec_f32 gemm_madd_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    return (vec_f32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
VEC_INLINE vec_f64 gemm_madd_f64(vec_f64 a, vec_f64 b, vec_f64 c)
{
    return (vec_f64)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

#endif
