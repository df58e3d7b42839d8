/* vec_neon.h - the vocabulary on 16-byte vectors, Advanced SIMD of arm64. Contract: vec.h. */
#ifndef STRIA_VEC_NEON_H
#define STRIA_VEC_NEON_H

#include <arm_neon.h>

#include "vec.h"

#define STRIA_VECTOR_BYTES 16
#include "vec_types.h"

#define VEC_ANY(m) (vmaxvq_u8((uint8x16_t)m) != 0)

/* ---------------------------------------------------------------- masks and bytes */

#define VEC_NATIVE_MASK_CONVERSION
VEC_INLINE vec_mask_8 vec_mask_load_8(const uint8_t *at)
{
    const uint8x16_t bytes = vld1q_u8(at);
    return (vec_mask_8)vtstq_u8(bytes, bytes);
}
VEC_INLINE vec_mask_16 vec_mask_load_16(const uint8_t *at)
{
    const uint16x8_t lanes = vmovl_u8(vld1_u8(at));
    return (vec_mask_16)vtstq_u16(lanes, lanes);
}
VEC_INLINE vec_mask_32 vec_mask_load_32(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    const uint16x8_t halves = vmovl_u8(vcreate_u8(word));
    const uint32x4_t lanes = vmovl_u16(vget_low_u16(halves));
    return (vec_mask_32)vtstq_u32(lanes, lanes);
}
VEC_INLINE vec_mask_64 vec_mask_load_64(const uint8_t *at)
{
    const vec_u64 lanes = {at[0], at[1]};
    return (vec_mask_64)(lanes != 0);
}

VEC_INLINE void vec_mask_store_8(uint8_t *at, vec_mask_8 m) { vst1q_u8(at, vandq_u8((uint8x16_t)m, vdupq_n_u8(1))); }
VEC_INLINE void vec_mask_store_16(uint8_t *at, vec_mask_16 m)
{
    vst1_u8(at, vand_u8(vmovn_u16((uint16x8_t)m), vdup_n_u8(1)));
}
VEC_INLINE void vec_mask_store_32(uint8_t *at, vec_mask_32 m)
{
    const uint16x4_t halves = vmovn_u32((uint32x4_t)m);
    const uint8x8_t  bytes = vand_u8(vmovn_u16(vcombine_u16(halves, halves)), vdup_n_u8(1));
    const uint32_t   word = vget_lane_u32(vreinterpret_u32_u8(bytes), 0);
    memcpy(at, &word, sizeof word);
}
VEC_INLINE void vec_mask_store_64(uint8_t *at, vec_mask_64 m)
{
    at[0] = (uint8_t)(m[0] & 1);
    at[1] = (uint8_t)(m[1] & 1);
}

/* ---------------------------------------------------------------- integers */

#define VEC_MIN_MAX(type, suffix, vector)                            \
    VEC_INLINE vec_##type vec_min_##type(vec_##type a, vec_##type b) \
    {                                                                \
        return (vec_##type)vminq_##suffix((vector)a, (vector)b);     \
    }                                                                \
    VEC_INLINE vec_##type vec_max_##type(vec_##type a, vec_##type b) \
    {                                                                \
        return (vec_##type)vmaxq_##suffix((vector)a, (vector)b);     \
    }
VEC_MIN_MAX(u8, u8, uint8x16_t)
VEC_MIN_MAX(i8, s8, int8x16_t)
VEC_MIN_MAX(u16, u16, uint16x8_t)
VEC_MIN_MAX(i16, s16, int16x8_t)
VEC_MIN_MAX(u32, u32, uint32x4_t)
VEC_MIN_MAX(i32, s32, int32x4_t)
#undef VEC_MIN_MAX

VEC_INLINE vec_u32 vec_mul_high_u32(vec_u32 a, vec_u32 b)
{
    const uint64x2_t low = vmull_u32(vget_low_u32((uint32x4_t)a), vget_low_u32((uint32x4_t)b));
    const uint64x2_t high = vmull_high_u32((uint32x4_t)a, (uint32x4_t)b);
    return (vec_u32)vuzp2q_u32(vreinterpretq_u32_u64(low), vreinterpretq_u32_u64(high));
}

/* ---------------------------------------------------------------- floats: the instructions are those of the contract */

VEC_INLINE vec_f32 vec_min_f32(vec_f32 a, vec_f32 b) { return (vec_f32)vminq_f32((float32x4_t)a, (float32x4_t)b); }
VEC_INLINE vec_f32 vec_max_f32(vec_f32 a, vec_f32 b) { return (vec_f32)vmaxq_f32((float32x4_t)a, (float32x4_t)b); }
VEC_INLINE vec_f64 vec_min_f64(vec_f64 a, vec_f64 b) { return (vec_f64)vminq_f64((float64x2_t)a, (float64x2_t)b); }
VEC_INLINE vec_f64 vec_max_f64(vec_f64 a, vec_f64 b) { return (vec_f64)vmaxq_f64((float64x2_t)a, (float64x2_t)b); }

#define VEC_UNARY(word, instruction)                                                                      \
    VEC_INLINE vec_f32 vec_##word##_f32(vec_f32 a) { return (vec_f32)instruction##_f32((float32x4_t)a); } \
    VEC_INLINE vec_f64 vec_##word##_f64(vec_f64 a) { return (vec_f64)instruction##_f64((float64x2_t)a); }
VEC_UNARY(floor, vrndmq)
VEC_UNARY(ceil, vrndpq)
VEC_UNARY(trunc, vrndq)
VEC_UNARY(rint, vrndnq)
VEC_UNARY(sqrt, vsqrtq)
#undef VEC_UNARY

#define VEC_NATIVE_SUB_EXACT
#define VEC_NATIVE_GROW
VEC_INLINE vec_f32 vec_sub_exact_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    return (vec_f32)vfmsq_f32((float32x4_t)a, (float32x4_t)b, (float32x4_t)c);
}
VEC_INLINE vec_f32 vec_grow_f32(vec_f32 p, vec_f32 s)
{
    return (vec_f32)vfmaq_f32((float32x4_t)p, (float32x4_t)p, (float32x4_t)s);
}
VEC_INLINE vec_i32 vec_toint_f32(vec_f32 a) { return (vec_i32)vcvtq_s32_f32((float32x4_t)a); }
VEC_INLINE vec_f32 vec_fromint_f32(vec_i32 a) { return (vec_f32)vcvtq_f32_s32((int32x4_t)a); }
#define VEC_NATIVE_INT64
VEC_INLINE vec_i64 vec_toint_f64(vec_f64 a) { return (vec_i64)vcvtq_s64_f64((float64x2_t)a); }
VEC_INLINE vec_f64 vec_fromint_f64(vec_i64 a) { return (vec_f64)vcvtq_f64_s64((int64x2_t)a); }

/* ---------------------------------------------------------------- wide */

VEC_INLINE vec_w64 vec_widen_f32(vec_f32 a)
{
    return (vec_w64){(vec_f64)vcvt_f64_f32(vget_low_f32((float32x4_t)a)), (vec_f64)vcvt_high_f64_f32((float32x4_t)a)};
}
VEC_INLINE vec_f32 vec_narrow_w64(vec_w64 a)
{
    return (vec_f32)vcvt_high_f32_f64(vcvt_f32_f64((float64x2_t)a.lo), (float64x2_t)a.hi);
}
VEC_INLINE vec_mask_w64 vec_widen_mask_f32(vec_mask_f32 m)
{
    return (vec_mask_w64){(vec_mask_64)vmovl_s32(vget_low_s32((int32x4_t)m)),
                          (vec_mask_64)vmovl_high_s32((int32x4_t)m)};
}
VEC_INLINE vec_mask_f32 vec_narrow_mask_w64(vec_mask_w64 m)
{
    return (vec_mask_f32)vmovn_high_s64(vmovn_s64((int64x2_t)m.lo), (int64x2_t)m.hi);
}

#define VEC_NATIVE_LANE_SHIFTS
#include "vec_generic.h"

#endif
