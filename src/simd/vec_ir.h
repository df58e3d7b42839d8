/* vec_ir.h - the vocabulary that records: a word appends itself to the tape of the thread (ir.h) instead of computing.
 * Lanes and masks of every type are numbers of instructions; wide types record as f64, i64, u64. */
#ifndef STRIA_VEC_IR_H
#define STRIA_VEC_IR_H

#include "ir.h"
#include "vec.h"

#define VEC_DTYPE_b8 STRIA_BOOL
#define VEC_DTYPE_u8 STRIA_U8
#define VEC_DTYPE_i8 STRIA_I8
#define VEC_DTYPE_u16 STRIA_U16
#define VEC_DTYPE_i16 STRIA_I16
#define VEC_DTYPE_u32 STRIA_U32
#define VEC_DTYPE_i32 STRIA_I32
#define VEC_DTYPE_u64 STRIA_U64
#define VEC_DTYPE_i64 STRIA_I64
#define VEC_DTYPE_f32 STRIA_F32
#define VEC_DTYPE_f64 STRIA_F64
#define VEC_DTYPE_w64 STRIA_F64
#define VEC_DTYPE_iw64 STRIA_I64
#define VEC_DTYPE_uw64 STRIA_U64

#define VEC_IR_TYPE(type)              \
    typedef stria_ir_value vec_##type; \
    typedef stria_ir_value vec_mask_##type;
VEC_IR_TYPE(b8)
VEC_IR_TYPE(u8)
VEC_IR_TYPE(i8)
VEC_IR_TYPE(u16)
VEC_IR_TYPE(i16)
VEC_IR_TYPE(u32)
VEC_IR_TYPE(i32)
VEC_IR_TYPE(u64)
VEC_IR_TYPE(i64)
VEC_IR_TYPE(f32)
VEC_IR_TYPE(f64)
VEC_IR_TYPE(w64)
VEC_IR_TYPE(iw64)
VEC_IR_TYPE(uw64)
#undef VEC_IR_TYPE

VEC_INLINE stria_ir_value vec_widen_f32(stria_ir_value a)
{
    return stria_ir_append(STRIA_IR_widen, STRIA_F32, a, a, a, 0);
}
VEC_INLINE stria_ir_value vec_narrow_w64(stria_ir_value a)
{
    return stria_ir_append(STRIA_IR_narrow, STRIA_F64, a, a, a, 0);
}
VEC_INLINE stria_ir_value vec_widen_mask_f32(stria_ir_value m) { return m; }
VEC_INLINE stria_ir_value vec_narrow_mask_w64(stria_ir_value m) { return m; }

/* Huge quotients are divided one lane at a time (vec_fmod.h), so fmod is a word of its own. */
#define VEC_NATIVE_FMOD
/* So is gcd (vec_numbers_lanes.h). */
#define VEC_NATIVE_GCD

/* The reduction of huge angles works on one lane at a time. So each of its results is a word. (These are macros, since the
 * result type is defined in vec_math_common.h.) */
#define VEC_NATIVE_REDUCE_HUGE
#define vec_reduce_huge_f64(x, q)                     \
    (*(q) = vec_ir_angle(STRIA_IR_angle_quadrant, x), \
     vec_dd_of_f64(vec_ir_angle(STRIA_IR_angle_hi, x), vec_ir_angle(STRIA_IR_angle_lo, x)))
#define vec_reduce_huge_w64(x, q)                     \
    (*(q) = vec_ir_angle(STRIA_IR_angle_quadrant, x), \
     vec_dd_of_w64(vec_ir_angle(STRIA_IR_angle_hi, x), vec_ir_angle(STRIA_IR_angle_lo, x)))
VEC_INLINE stria_ir_value vec_ir_angle(stria_ir_word word, stria_ir_value x)
{
    return stria_ir_append(word, STRIA_F64, x, x, x, 0);
}

#define VEC_T b8
#include "vec_ir_lanes.h"
#define VEC_T i8
#include "vec_ir_lanes.h"
#define VEC_T u8
#include "vec_ir_lanes.h"
#define VEC_T i16
#include "vec_ir_lanes.h"
#define VEC_T u16
#include "vec_ir_lanes.h"
#define VEC_T i32
#include "vec_ir_lanes.h"
#define VEC_T u32
#include "vec_ir_lanes.h"
#define VEC_T i64
#include "vec_ir_lanes.h"
#define VEC_T u64
#include "vec_ir_lanes.h"
#define VEC_T f32
#include "vec_ir_lanes.h"
#define VEC_T f64
#include "vec_ir_lanes.h"
#define VEC_T iw64
#include "vec_ir_lanes.h"
#define VEC_T uw64
#include "vec_ir_lanes.h"
#define VEC_T w64
#include "vec_ir_lanes.h"

#endif
