/* gemm_neon.h - matrix products on Advanced SIMD (gemm_kernels.c). 24 of the 32 registers accumulate, 3 hold a row of b. */
#ifndef STRIA_GEMM_NEON_H
#define STRIA_GEMM_NEON_H

#define GEMM_ROWS_f32 8
#define GEMM_VECTORS_f32 3
#define GEMM_KC_f32 384
#define GEMM_MC_f32 168
#define GEMM_ROWS_f64 8
#define GEMM_VECTORS_f64 3
#define GEMM_KC_f64 256
#define GEMM_MC_f64 120
#define GEMM_ROWS_u32 8
#define GEMM_VECTORS_u32 3
#define GEMM_KC_u32 384
#define GEMM_MC_u32 168
#define GEMM_ROWS_u64 4
#define GEMM_VECTORS_u64 2
#define GEMM_KC_u64 256
#define GEMM_MC_u64 120

VEC_INLINE vec_f32 gemm_madd_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    return (vec_f32)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
VEC_INLINE vec_f64 gemm_madd_f64(vec_f64 a, vec_f64 b, vec_f64 c)
{
    return (vec_f64)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}

#endif
