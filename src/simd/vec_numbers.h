/* vec_numbers.h - what the vocabulary (vec.h) lacks of numbers: their signs, their neighbours, their divisors.
 *
 *   signbit(a)        all types: mask, true where the sign bit is set, also of -0 and NaN
 *   nextafter(a, b)   floats: the number next to a towards b; b where they are equal, NaN if one is
 *   gcd(a, b)         integers: greatest common divisor, not negative but for the smallest number; gcd(0, 0) = 0
 *   lcm(a, b)         integers: least common multiple, which wraps; 0 where a or b is 0
 *   bit_count(a)      integers: how many bits of the magnitude are 1
 *   leading_zeros(a)  integers: how many bits before the first 1, the sign bit among them; all of 0
 */
#ifndef STRIA_VEC_NUMBERS_H
#define STRIA_VEC_NUMBERS_H

#include "vec.h"

#define VEC_T b8
#include "vec_numbers_lanes.h"
#define VEC_T u8
#include "vec_numbers_lanes.h"
#define VEC_T i8
#include "vec_numbers_lanes.h"
#define VEC_T u16
#include "vec_numbers_lanes.h"
#define VEC_T i16
#include "vec_numbers_lanes.h"
#define VEC_T u32
#include "vec_numbers_lanes.h"
#define VEC_T i32
#include "vec_numbers_lanes.h"
#define VEC_T u64
#include "vec_numbers_lanes.h"
#define VEC_T i64
#include "vec_numbers_lanes.h"
#define VEC_T f32
#include "vec_numbers_lanes.h"
#define VEC_T f64
#include "vec_numbers_lanes.h"

#endif
