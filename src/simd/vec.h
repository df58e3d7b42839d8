/* vec.h - the vocabulary: what every word computes, on every instruction set, bit for bit.
 *
 * vec_<word>_<type> works on vec_<type>, VEC_LANES_<type> lanes of one type. Each vec_<isa>.h defines the whole vocabulary;
 * vec_ir.h defines it once more with words that record themselves. tests/native/test_vec.c holds each ISA to this page.
 * All results are the same bits everywhere, except which NaN a NaN is.
 *
 * Types
 *   u8 i8 u16 i16 u32 i32 u64 i64 f32 f64   lanes of C's uint8_t .. double
 *   b8               bool: uint8_t lanes that hold 0 or 1
 *   w64 iw64 uw64    "wide": double, int64_t, uint64_t, as many lanes as f32 has, in the same order, so that f32 functions
 *                    can be evaluated in double
 *   vec_mask_<type>  one truth value per lane. Types of equal width share one mask type: f32 i32 u32; f64 i64 u64;
 *                    w64 iw64 uw64; u16 i16; u8 i8 b8
 *
 * Memory (any alignment)
 *   load(p) store(p, a)           VEC_LANES consecutive elements; load_b8 makes 1 of every value but 0
 *   load_part(p, n, a)            n < VEC_LANES elements, of which nothing beyond is read; the other lanes are those of a
 *   load_mask(p) store_mask(p, m) VEC_LANES bytes; any byte but 0 loads as true; stores 0 or 1
 *   set(x)                        x in every lane
 *
 * Integers i8 .. u64: computed modulo 2^bits, overflow wraps. floor, ceil, trunc and rint are the identity.
 *   add sub mul neg abs           abs and neg of the smallest value: itself; abs of an unsigned value: itself
 *   sign                          -1, 0 or 1
 *   min max
 *   and or xor not
 *   shl(a, n) shr(a, n)           0 <= n < bits, one count for all lanes; shr of a signed type copies the sign
 *   quot(a, b)                    unsigned types: a / b rounded down, 0 where b is 0
 *   mul_high(a, b)                u32: the upper half of the product of 64 bits
 *   shift_left(a, n), shift_right(a, n)   unsigned types, a count for each lane: 0 where n >= bits
 *   pow(a, b)                     a to the power b modulo 2^bits; pow(x, 0) = 1. b < 0: 1 for a = 1, +-1 for a = -1, else 0
 *   isinf isfinite                false, true in every lane
 *
 * b8: add = max = or (logical), mul = min = and, xor, not; sign is the identity; isinf is false, isfinite true.
 *
 * Floats f32 f64 w64: IEEE 754, round to nearest even, subnormal numbers kept, nothing contracted into FMA.
 *   add sub mul div sqrt          correctly rounded; sqrt(-0) = -0; NaN below zero
 *   neg abs copysign(a, b)        the sign bit alone changes: neg(+0) = -0; b may be any value, also NaN
 *   sign                          -1 or 1; +-0 and NaN stay as they are
 *   min max                       NaN if either is NaN; -0 is below +0
 *   floor ceil trunc rint         rint takes halves to even; the sign of a zero result is that of a; infinities and NaN stay
 *   isinf isfinite                masks
 *   bits, frombits                the lanes as u32 (f32), u64 (f64), uw64 (w64), and back
 *   toint                         i32 (f32), i64 (f64), iw64 (w64); for integral |a| < 2^31, w64 and f64: < 2^51. Any
 *                                 other lane gives some value and no harm
 *   sub_exact(a, b, c)            f32: a - b c, where b c needs no rounding, so that it may be fused; else some value
 *   grow(p, s)                    f32: p (1 + s), rounded once, where p is a power of two and the result no subnormal number
 *   fromint                       from i32 (rounded), from i64 and iw64 (|x| < 2^51, exact)
 *
 * Comparisons (all types): eq ne lt le give a mask. A NaN makes eq, lt, le false and ne true; -0 equals +0.
 *
 * Masks: mask_and mask_or mask_xor mask_not; mask_any(m) is an int, non-zero if a lane is true (recording: always
 * non-zero; so it may decide whether to compute what only true lanes use, nothing else).
 *   select(m, a, b)               a where m is true, else b; bits are moved unchanged
 *
 * For loops only, not for rows (no recorder has them)
 *   larger(a, b) smaller(a, b)    integers: max, min; floats: a > b ? a : b and a < b ? a : b, so b if one is NaN
 *   unordered(a, b)               floats: mask, true where a or b is NaN
 *   farther(a, b)                 f32: the magnitude of a or b that is larger; where one is NaN it may be passed over
 *
 * Conversions
 *   vec_widen_f32(a)              f32 to w64, exact
 *   vec_narrow_w64(a)             w64 to f32, rounded once; overflow is an infinity
 *   vec_widen_mask_f32(m), vec_narrow_mask_w64(m)
 *   vec_<u>_from_<i>, vec_<i>_from_<u>   between signed and unsigned of a width: same bits
 *
 * Whatever is not an operator of the machine is built from these words: vec_math.h, vec_divide.h for quotients,
 * remainders and the shifts of signed integers, and vec_numbers.h.
 */
#ifndef STRIA_VEC_H
#define STRIA_VEC_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "paste.h"

#ifndef VEC_INLINE
#define VEC_INLINE static inline __attribute__((always_inline))
#endif

/* Per lane type: the C type of a lane, its bits, the integer types of its width, and its kind (one of the next four). */
#define VEC_BOOL 0
#define VEC_UINT 1
#define VEC_SINT 2
#define VEC_FLOAT 3

#define VEC_CTYPE_b8 uint8_t
#define VEC_CTYPE_u8 uint8_t
#define VEC_CTYPE_i8 int8_t
#define VEC_CTYPE_u16 uint16_t
#define VEC_CTYPE_i16 int16_t
#define VEC_CTYPE_u32 uint32_t
#define VEC_CTYPE_i32 int32_t
#define VEC_CTYPE_u64 uint64_t
#define VEC_CTYPE_i64 int64_t
#define VEC_CTYPE_f32 float
#define VEC_CTYPE_f64 double
#define VEC_CTYPE_w64 double
#define VEC_CTYPE_iw64 int64_t
#define VEC_CTYPE_uw64 uint64_t

#define VEC_BITS_b8 8
#define VEC_BITS_u8 8
#define VEC_BITS_i8 8
#define VEC_BITS_u16 16
#define VEC_BITS_i16 16
#define VEC_BITS_u32 32
#define VEC_BITS_i32 32
#define VEC_BITS_u64 64
#define VEC_BITS_i64 64
#define VEC_BITS_f32 32
#define VEC_BITS_f64 64
#define VEC_BITS_w64 64
#define VEC_BITS_iw64 64
#define VEC_BITS_uw64 64

#define VEC_KIND_b8 VEC_BOOL
#define VEC_KIND_u8 VEC_UINT
#define VEC_KIND_i8 VEC_SINT
#define VEC_KIND_u16 VEC_UINT
#define VEC_KIND_i16 VEC_SINT
#define VEC_KIND_u32 VEC_UINT
#define VEC_KIND_i32 VEC_SINT
#define VEC_KIND_u64 VEC_UINT
#define VEC_KIND_i64 VEC_SINT
#define VEC_KIND_f32 VEC_FLOAT
#define VEC_KIND_f64 VEC_FLOAT
#define VEC_KIND_w64 VEC_FLOAT
#define VEC_KIND_iw64 VEC_SINT
#define VEC_KIND_uw64 VEC_UINT

#define VEC_UNSIGNED_b8 u8
#define VEC_UNSIGNED_u8 u8
#define VEC_UNSIGNED_i8 u8
#define VEC_UNSIGNED_u16 u16
#define VEC_UNSIGNED_i16 u16
#define VEC_UNSIGNED_u32 u32
#define VEC_UNSIGNED_i32 u32
#define VEC_UNSIGNED_u64 u64
#define VEC_UNSIGNED_i64 u64
#define VEC_UNSIGNED_f32 u32
#define VEC_UNSIGNED_f64 u64
#define VEC_UNSIGNED_w64 uw64
#define VEC_UNSIGNED_iw64 uw64
#define VEC_UNSIGNED_uw64 uw64

#define VEC_SIGNED_u8 i8
#define VEC_SIGNED_u16 i16
#define VEC_SIGNED_u32 i32
#define VEC_SIGNED_u64 i64
#define VEC_SIGNED_uw64 iw64
#define VEC_SIGNED_f32 i32
#define VEC_SIGNED_f64 i64
#define VEC_SIGNED_w64 iw64

#endif
