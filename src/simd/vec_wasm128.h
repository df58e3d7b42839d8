/* vec_wasm128.h - the vocabulary on 16-byte vectors, WebAssembly SIMD. Contract: vec.h.
 *
 * Relaxed instructions are not used: their results differ between machines. */
#ifndef STRIA_VEC_WASM128_H
#define STRIA_VEC_WASM128_H

#include <wasm_simd128.h>

#include "vec.h"

#define STRIA_VECTOR_BYTES 16
#include "vec_types.h"

#define VEC_SELECT(m, a, b) ((VEC_V)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)m))
#define VEC_ANY(m) wasm_v128_any_true((v128_t)m)

/* ---------------------------------------------------------------- masks and bytes */

#define VEC_NATIVE_MASK_CONVERSION
VEC_INLINE vec_mask_8  vec_mask_load_8(const uint8_t *at) { return (vec_mask_8)((vec_u8)wasm_v128_load(at) != 0); }
VEC_INLINE vec_mask_16 vec_mask_load_16(const uint8_t *at)
{
    return (vec_mask_16)((vec_u16)wasm_u16x8_load8x8(at) != 0);
}
VEC_INLINE vec_mask_32 vec_mask_load_32(const uint8_t *at)
{
    const v128_t halves = wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(at));
    return (vec_mask_32)((vec_u32)wasm_u32x4_extend_low_u16x8(halves) != 0);
}
VEC_INLINE vec_mask_64 vec_mask_load_64(const uint8_t *at)
{
    return (vec_mask_64)((vec_u64)wasm_i64x2_make(at[0], at[1]) != 0);
}

VEC_INLINE void vec_mask_store_8(uint8_t *at, vec_mask_8 m)
{
    wasm_v128_store(at, wasm_v128_and((v128_t)m, wasm_i8x16_splat(1)));
}
VEC_INLINE void vec_mask_store_16(uint8_t *at, vec_mask_16 m)
{
    const v128_t bytes = wasm_i8x16_narrow_i16x8((v128_t)m, (v128_t)m);
    wasm_v128_store64_lane(at, wasm_v128_and(bytes, wasm_i8x16_splat(1)), 0);
}
VEC_INLINE void vec_mask_store_32(uint8_t *at, vec_mask_32 m)
{
    const v128_t halves = wasm_i16x8_narrow_i32x4((v128_t)m, (v128_t)m);
    const v128_t bytes = wasm_i8x16_narrow_i16x8(halves, halves);
    wasm_v128_store32_lane(at, wasm_v128_and(bytes, wasm_i8x16_splat(1)), 0);
}
VEC_INLINE void vec_mask_store_64(uint8_t *at, vec_mask_64 m)
{
    at[0] = (uint8_t)(m[0] & 1);
    at[1] = (uint8_t)(m[1] & 1);
}

/* ---------------------------------------------------------------- integers */

#define VEC_MIN_MAX(type, suffix)                                     \
    VEC_INLINE vec_##type vec_min_##type(vec_##type a, vec_##type b)  \
    {                                                                 \
        return (vec_##type)wasm_##suffix##_min((v128_t)a, (v128_t)b); \
    }                                                                 \
    VEC_INLINE vec_##type vec_max_##type(vec_##type a, vec_##type b)  \
    {                                                                 \
        return (vec_##type)wasm_##suffix##_max((v128_t)a, (v128_t)b); \
    }
VEC_MIN_MAX(u8, u8x16)
VEC_MIN_MAX(i8, i8x16)
VEC_MIN_MAX(u16, u16x8)
VEC_MIN_MAX(i16, i16x8)
VEC_MIN_MAX(u32, u32x4)
VEC_MIN_MAX(i32, i32x4)
#undef VEC_MIN_MAX

VEC_INLINE vec_u32 vec_mul_high_u32(vec_u32 a, vec_u32 b)
{
    const v128_t low = wasm_u64x2_extmul_low_u32x4((v128_t)a, (v128_t)b);
    const v128_t high = wasm_u64x2_extmul_high_u32x4((v128_t)a, (v128_t)b);
    return (vec_u32)wasm_i32x4_shuffle(low, high, 1, 3, 5, 7);
}

/* ---------------------------------------------------------------- floats: the instructions are those of the contract */

#define VEC_UNARY(word, instruction)                                                                        \
    VEC_INLINE vec_f32 vec_##word##_f32(vec_f32 a) { return (vec_f32)wasm_f32x4_##instruction((v128_t)a); } \
    VEC_INLINE vec_f64 vec_##word##_f64(vec_f64 a) { return (vec_f64)wasm_f64x2_##instruction((v128_t)a); }
#define VEC_BINARY(word)                                         \
    VEC_INLINE vec_f32 vec_##word##_f32(vec_f32 a, vec_f32 b)    \
    {                                                            \
        return (vec_f32)wasm_f32x4_##word((v128_t)a, (v128_t)b); \
    }                                                            \
    VEC_INLINE vec_f64 vec_##word##_f64(vec_f64 a, vec_f64 b)    \
    {                                                            \
        return (vec_f64)wasm_f64x2_##word((v128_t)a, (v128_t)b); \
    }
VEC_BINARY(min)
VEC_BINARY(max)
VEC_UNARY(floor, floor)
VEC_UNARY(ceil, ceil)
VEC_UNARY(trunc, trunc)
VEC_UNARY(rint, nearest)
VEC_UNARY(sqrt, sqrt)
#undef VEC_UNARY
#undef VEC_BINARY

#if defined(__wasm_relaxed_simd__)
#define VEC_NATIVE_SUB_EXACT
VEC_INLINE vec_f32 vec_sub_exact_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    return (vec_f32)wasm_f32x4_relaxed_nmadd((v128_t)b, (v128_t)c, (v128_t)a);
}
#endif
VEC_INLINE vec_i32 vec_toint_f32(vec_f32 a) { return (vec_i32)wasm_i32x4_trunc_sat_f32x4((v128_t)a); }
/* pmax(b, a) is b < a ? a : b. */
#define VEC_NATIVE_larger_f32 1
#define VEC_NATIVE_larger_f64 1
VEC_INLINE vec_f32 vec_larger_f32(vec_f32 a, vec_f32 b) { return (vec_f32)wasm_f32x4_pmax((v128_t)b, (v128_t)a); }
VEC_INLINE vec_f32 vec_smaller_f32(vec_f32 a, vec_f32 b) { return (vec_f32)wasm_f32x4_pmin((v128_t)b, (v128_t)a); }
VEC_INLINE vec_f64 vec_larger_f64(vec_f64 a, vec_f64 b) { return (vec_f64)wasm_f64x2_pmax((v128_t)b, (v128_t)a); }
VEC_INLINE vec_f64 vec_smaller_f64(vec_f64 a, vec_f64 b) { return (vec_f64)wasm_f64x2_pmin((v128_t)b, (v128_t)a); }

VEC_INLINE vec_f32 vec_fromint_f32(vec_i32 a) { return (vec_f32)wasm_f32x4_convert_i32x4((v128_t)a); }

/* ---------------------------------------------------------------- wide */

VEC_INLINE vec_w64 vec_widen_f32(vec_f32 a)
{
    const v128_t upper = wasm_i32x4_shuffle((v128_t)a, (v128_t)a, 2, 3, 2, 3);
    return (vec_w64){(vec_f64)wasm_f64x2_promote_low_f32x4((v128_t)a), (vec_f64)wasm_f64x2_promote_low_f32x4(upper)};
}
VEC_INLINE vec_f32 vec_narrow_w64(vec_w64 a)
{
    const v128_t lower = wasm_f32x4_demote_f64x2_zero((v128_t)a.lo);
    const v128_t upper = wasm_f32x4_demote_f64x2_zero((v128_t)a.hi);
    return (vec_f32)wasm_i32x4_shuffle(lower, upper, 0, 1, 4, 5);
}
VEC_INLINE vec_mask_w64 vec_widen_mask_f32(vec_mask_f32 m)
{
    return (vec_mask_w64){(vec_mask_64)wasm_i64x2_extend_low_i32x4((v128_t)m),
                          (vec_mask_64)wasm_i64x2_extend_high_i32x4((v128_t)m)};
}
VEC_INLINE vec_mask_f32 vec_narrow_mask_w64(vec_mask_w64 m)
{
    return (vec_mask_f32)wasm_i32x4_shuffle((v128_t)m.lo, (v128_t)m.hi, 0, 2, 4, 6);
}

#include "vec_generic.h"

#endif
