/* vec_scalar.h - the vocabulary with one lane, in plain C: the reference for the other instruction sets, and what runs
 * where there is none of them. Contract: vec.h. */
#ifndef STRIA_VEC_SCALAR_H
#define STRIA_VEC_SCALAR_H

#include "vec.h"

#define VEC_LANES_b8 1
#define VEC_LANES_u8 1
#define VEC_LANES_i8 1
#define VEC_LANES_u16 1
#define VEC_LANES_i16 1
#define VEC_LANES_u32 1
#define VEC_LANES_i32 1
#define VEC_LANES_u64 1
#define VEC_LANES_i64 1
#define VEC_LANES_f32 1
#define VEC_LANES_f64 1
#define VEC_LANES_w64 1
#define VEC_LANES_iw64 1
#define VEC_LANES_uw64 1

typedef uint8_t  vec_b8;
typedef uint8_t  vec_u8;
typedef int8_t   vec_i8;
typedef uint16_t vec_u16;
typedef int16_t  vec_i16;
typedef uint32_t vec_u32;
typedef int32_t  vec_i32;
typedef uint64_t vec_u64;
typedef int64_t  vec_i64;
typedef float    vec_f32;
typedef double   vec_f64;
typedef double   vec_w64;
typedef int64_t  vec_iw64;
typedef uint64_t vec_uw64;

/* 0 or 1 */
typedef uint8_t vec_mask_b8;
typedef uint8_t vec_mask_u8;
typedef uint8_t vec_mask_i8;
typedef uint8_t vec_mask_u16;
typedef uint8_t vec_mask_i16;
typedef uint8_t vec_mask_u32;
typedef uint8_t vec_mask_i32;
typedef uint8_t vec_mask_u64;
typedef uint8_t vec_mask_i64;
typedef uint8_t vec_mask_f32;
typedef uint8_t vec_mask_f64;
typedef uint8_t vec_mask_w64;
typedef uint8_t vec_mask_iw64;
typedef uint8_t vec_mask_uw64;

#define VEC_MASK_NOT(m) (m ^ 1)
#define VEC_ANY(m) (m)
#define VEC_SELECT(m, a, b) (m ? a : b)

VEC_INLINE uint8_t vec_mask_load_8(const uint8_t *at) { return *at != 0; }
VEC_INLINE uint8_t vec_mask_load_16(const uint8_t *at) { return *at != 0; }
VEC_INLINE uint8_t vec_mask_load_32(const uint8_t *at) { return *at != 0; }
VEC_INLINE uint8_t vec_mask_load_64(const uint8_t *at) { return *at != 0; }
VEC_INLINE void    vec_mask_store_8(uint8_t *at, uint8_t m) { *at = m; }
VEC_INLINE void    vec_mask_store_16(uint8_t *at, uint8_t m) { *at = m; }
VEC_INLINE void    vec_mask_store_32(uint8_t *at, uint8_t m) { *at = m; }
VEC_INLINE void    vec_mask_store_64(uint8_t *at, uint8_t m) { *at = m; }

/* 16-bit operands promote to int, in which their product could overflow. */
#define VEC_NATIVE_mul_u16 1
VEC_INLINE vec_u16 vec_mul_u16(vec_u16 a, vec_u16 b) { return (vec_u16)(1u * a * b); }
#define VEC_NATIVE_mul_i16 1
VEC_INLINE vec_i16 vec_mul_i16(vec_i16 a, vec_i16 b) { return (vec_i16)(1u * (vec_u16)a * (vec_u16)b); }

VEC_INLINE vec_u32 vec_mul_high_u32(vec_u32 a, vec_u32 b) { return (vec_u32)((uint64_t)a * b >> 32); }

VEC_INLINE vec_f32 vec_sqrt_f32(vec_f32 a) { return sqrtf(a); }
VEC_INLINE vec_f32 vec_floor_f32(vec_f32 a) { return floorf(a); }
VEC_INLINE vec_f32 vec_ceil_f32(vec_f32 a) { return ceilf(a); }
VEC_INLINE vec_f32 vec_trunc_f32(vec_f32 a) { return truncf(a); }
VEC_INLINE vec_f32 vec_rint_f32(vec_f32 a) { return rintf(a); }
VEC_INLINE vec_i32 vec_toint_f32(vec_f32 a) { return fabsf(a) < 0x1p31f ? (vec_i32)a : INT32_MIN; }
VEC_INLINE vec_f32 vec_fromint_f32(vec_i32 a) { return (vec_f32)a; }

#define VEC_SCALAR_DOUBLE(f, i)                                                                       \
    VEC_INLINE vec_##f vec_sqrt_##f(vec_##f a) { return sqrt(a); }                                    \
    VEC_INLINE vec_##f vec_floor_##f(vec_##f a) { return floor(a); }                                  \
    VEC_INLINE vec_##f vec_ceil_##f(vec_##f a) { return ceil(a); }                                    \
    VEC_INLINE vec_##f vec_trunc_##f(vec_##f a) { return trunc(a); }                                  \
    VEC_INLINE vec_##f vec_rint_##f(vec_##f a) { return rint(a); }                                    \
    VEC_INLINE vec_##i vec_toint_##f(vec_##f a) { return fabs(a) < 0x1p63 ? (vec_##i)a : INT64_MIN; } \
    VEC_INLINE vec_##f vec_fromint_##f(vec_##i a) { return (vec_##f)a; }
VEC_SCALAR_DOUBLE(f64, i64)
VEC_SCALAR_DOUBLE(w64, iw64)
#undef VEC_SCALAR_DOUBLE

VEC_INLINE vec_w64      vec_widen_f32(vec_f32 a) { return a; }
VEC_INLINE vec_f32      vec_narrow_w64(vec_w64 a) { return (vec_f32)a; }
VEC_INLINE vec_mask_w64 vec_widen_mask_f32(vec_mask_f32 m) { return m; }
VEC_INLINE vec_mask_f32 vec_narrow_mask_w64(vec_mask_w64 m) { return m; }

#include "vec_all_lanes.h"
#define VEC_T iw64
#include "vec_lanes.h"
#define VEC_T uw64
#include "vec_lanes.h"
#define VEC_T w64
#include "vec_lanes.h"

#include "vec_integers.h"

#endif
