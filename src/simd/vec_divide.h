/* vec_divide.h - quotients rounded to whole numbers and their remainders, on the vocabulary (vec.h), for integers, f32 and
 * f64; and the shifts of signed integers.
 *
 *   trunc_divide(a, b)  a / b rounded toward zero     fmod(a, b)       what that leaves, with the sign of a
 *   floor_divide(a, b)  a / b rounded down            remainder(a, b)  what that leaves, with the sign of b
 *
 * Integers: the smallest number divided by -1 wraps to itself; all four are 0 where b is 0.
 * Floats: fmod is exact for all numbers; NaN for b = 0 and infinite a. remainder is fmod, plus b where the signs
 * differ, rounded once. trunc_divide rounds a / b first. floor_divide is (a - fmod) / b, less 1 where the signs differ,
 * rounded to the whole number it stands for; a / b for b = 0. As in PyTorch; -1 divided by infinity is -1.
 */
#ifndef STRIA_VEC_DIVIDE_H
#define STRIA_VEC_DIVIDE_H

#include "vec.h"

/* A recorder takes fmod for one word. */
#ifndef VEC_NATIVE_FMOD
#include "vec_fmod.h"

#define VEC_T f32
#include "vec_fmod_lanes.h"
#define VEC_T f64
#include "vec_fmod_lanes.h"

/* In doubles, where a quotient below 2^29 times b is exact. The quotient is rounded and may come out one too large. */
VEC_INLINE vec_f32 vec_fmod_f32(vec_f32 a, vec_f32 b)
{
    const vec_w64      x = vec_abs_w64(vec_widen_f32(a)), y = vec_abs_w64(vec_widen_f32(b)), zero = vec_set_w64(0);
    const vec_w64      q = vec_trunc_w64(vec_div_w64(x, y)), r = vec_sub_w64(x, vec_mul_w64(q, y));
    const vec_w64      rest = vec_select_w64(vec_lt_w64(r, zero), vec_add_w64(r, y), r);
    const vec_mask_w64 small = vec_lt_w64(q, vec_set_w64(0x1p29)),
                       finite = vec_lt_w64(y, vec_set_w64((double)INFINITY));
    const vec_mask_f32 easy = vec_narrow_mask_w64(vec_mask_and_w64(small, finite));
    return vec_fmod_finish_f32(a, b, vec_copysign_f32(vec_narrow_w64(rest), a), easy);
}

/* The product of b and a quotient below 2^53 as a double-double: both differences are exact. */
VEC_INLINE vec_f64 vec_fmod_f64(vec_f64 a, vec_f64 b)
{
    const vec_f64      x = vec_abs_f64(a), y = vec_abs_f64(b), q = vec_trunc_f64(vec_div_f64(x, y));
    const vec_dd_f64   p = vec_dd_product_f64(q, y);
    const vec_f64      r = vec_sub_f64(vec_sub_f64(x, p.hi), p.lo);
    const vec_f64      rest = vec_select_f64(vec_lt_f64(r, vec_set_f64(0)), vec_add_f64(r, y), r);
    const vec_mask_f64 in_range =
        vec_mask_and_f64(vec_le_f64(vec_set_f64(0x1p-900), y), vec_le_f64(y, vec_set_f64(0x1p900)));
    const vec_mask_f64 easy = vec_mask_and_f64(in_range, vec_lt_f64(q, vec_set_f64(0x1p53)));
    return vec_fmod_finish_f64(a, b, vec_copysign_f64(rest, a), easy);
}
#endif

#define VEC_T u8
#include "vec_divide_lanes.h"
#define VEC_T i8
#include "vec_divide_lanes.h"
#define VEC_T u16
#include "vec_divide_lanes.h"
#define VEC_T i16
#include "vec_divide_lanes.h"
#define VEC_T u32
#include "vec_divide_lanes.h"
#define VEC_T i32
#include "vec_divide_lanes.h"
#define VEC_T u64
#include "vec_divide_lanes.h"
#define VEC_T i64
#include "vec_divide_lanes.h"
#define VEC_T f32
#include "vec_divide_lanes.h"
#define VEC_T f64
#include "vec_divide_lanes.h"

#endif
