/* vec_fmod.h - the remainder of one division in integers, for the operands that vectors do not cover (vec_divide.h). */
#ifndef STRIA_VEC_FMOD_H
#define STRIA_VEC_FMOD_H

#include "vec.h"

/* Exponent field and significand of a positive finite number: x = significand * 2^(exponent - 1075). */
VEC_INLINE int      vec_fmod_exponent(uint64_t bits) { return bits >> 52 ? (int)(bits >> 52) : 1; }
VEC_INLINE uint64_t vec_fmod_significand(uint64_t bits)
{
    return (bits & 0xfffffffffffffull) | (bits >> 52 ? 0x10000000000000ull : 0);
}

/* a - n b exactly, n = a / b cut to an integer; the sign is that of a. NaN for b = 0, infinite a, and NaN. */
VEC_INLINE double vec_fmod_one(double a, double b)
{
    const uint64_t sign = 0x8000000000000000ull, infinity = 0x7ff0000000000000ull;
    uint64_t       x, y, rest, scale_bits;
    double         scale, r;

    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x &= ~sign;
    y &= ~sign;
    if (x >= infinity || y > infinity || y == 0) return (double)NAN;
    if (x < y) return a;
    const int      unit = vec_fmod_exponent(y);
    const uint64_t modulus = vec_fmod_significand(y);
    rest = vec_fmod_significand(x) % modulus;
    /* 11 bits at a time: rest is below 2^53 */
    for (int left = vec_fmod_exponent(x) - unit; left > 0 && rest != 0; left -= 11) {
        rest = (rest << (left < 11 ? left : 11)) % modulus;
    }
    scale_bits = unit > 52 ? (uint64_t)(unit - 52) << 52 : (uint64_t)1 << (unit - 1); /* 2^(unit - 1075) */
    memcpy(&scale, &scale_bits, sizeof scale);
    r = (double)rest * scale; /* below b, a multiple of its last place: exact */
    return a < 0 ? -r : r;
}

#endif
