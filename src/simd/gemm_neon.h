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

#define GEMM_BLOCK_32 4
VEC_INLINE void gemm_transpose_32(void *dst, int64_t dst_row, const void *src, int64_t src_row)
{
    const uint32_t  *s = (const uint32_t *)src;
    uint32_t        *d = (uint32_t *)dst;
    const uint32x4_t r0 = vld1q_u32(s), r1 = vld1q_u32(s + src_row);
    const uint32x4_t r2 = vld1q_u32(s + 2 * src_row), r3 = vld1q_u32(s + 3 * src_row);
    const uint64x2_t a = vreinterpretq_u64_u32(vtrn1q_u32(r0, r1)), b = vreinterpretq_u64_u32(vtrn2q_u32(r0, r1));
    const uint64x2_t c = vreinterpretq_u64_u32(vtrn1q_u32(r2, r3)), e = vreinterpretq_u64_u32(vtrn2q_u32(r2, r3));
    vst1q_u32(d, vreinterpretq_u32_u64(vtrn1q_u64(a, c)));
    vst1q_u32(d + dst_row, vreinterpretq_u32_u64(vtrn1q_u64(b, e)));
    vst1q_u32(d + 2 * dst_row, vreinterpretq_u32_u64(vtrn2q_u64(a, c)));
    vst1q_u32(d + 3 * dst_row, vreinterpretq_u32_u64(vtrn2q_u64(b, e)));
}

#define GEMM_BLOCK_64 2
VEC_INLINE void gemm_transpose_64(void *dst, int64_t dst_row, const void *src, int64_t src_row)
{
    const uint64_t  *s = (const uint64_t *)src;
    uint64_t        *d = (uint64_t *)dst;
    const uint64x2_t r0 = vld1q_u64(s), r1 = vld1q_u64(s + src_row);
    vst1q_u64(d, vtrn1q_u64(r0, r1));
    vst1q_u64(d + dst_row, vtrn2q_u64(r0, r1));
}

#endif
