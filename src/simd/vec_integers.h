/* vec_integers.h - quot, shift_left and shift_right of the unsigned types, which need the words of wider types and of
 * floats: the end of vec_scalar.h and vec_generic.h.
 *
 * Before it, from vec_<isa>.h: VEC_NATIVE_LANE_SHIFTS if << and >> of vectors of 32 and 64 bits are instructions. */
#if VEC_LANES_u8 > 1

/* For numbers below 2^16 (2^32). Their quotient is a whole number or further from the next one than a float (a double)
 * rounds, so that it may be cut. */
VEC_INLINE vec_u32 vec_quot_of_halves_u32(vec_u32 a, vec_u32 b)
{
    const vec_f32 q = vec_div_f32(vec_fromint_f32(vec_i32_from_u32(a)), vec_fromint_f32(vec_i32_from_u32(b)));
    const vec_u32 whole = vec_u32_from_i32(vec_toint_f32(vec_trunc_f32(q))), zero = vec_set_u32(0);
    return vec_select_u32(vec_eq_u32(b, zero), zero, whole);
}
VEC_INLINE vec_u64 vec_quot_of_halves_u64(vec_u64 a, vec_u64 b)
{
    const vec_f64 q = vec_div_f64(vec_fromint_f64(vec_i64_from_u64(a)), vec_fromint_f64(vec_i64_from_u64(b)));
    const vec_u64 whole = vec_u64_from_i64(vec_toint_f64(vec_trunc_f64(q))), zero = vec_set_u64(0);
    return vec_select_u64(vec_eq_u64(b, zero), zero, whole);
}
/* A quotient of 16 bits is one of 8. */
VEC_INLINE vec_u16 vec_quot_u16(vec_u16 a, vec_u16 b);
VEC_INLINE vec_u16 vec_quot_of_halves_u16(vec_u16 a, vec_u16 b) { return vec_quot_u16(a, b); }

#endif

#define VEC_T u8
#define VEC_WIDE u16
#include "vec_unsigned_lanes.h"
#define VEC_T u16
#define VEC_WIDE u32
#include "vec_unsigned_lanes.h"
#define VEC_T u32
#define VEC_WIDE u64
#include "vec_unsigned_lanes.h"
#define VEC_T u64
#define VEC_WIDE none
#include "vec_unsigned_lanes.h"
