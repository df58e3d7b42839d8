/* vec_reduce_angle.h - reduction of a huge angle modulo pi/2, one value at a time, in integers.
 *
 * Source: Payne & Hanek, Radian reduction for trigonometric functions, SIGNUM Newsletter 18 (1983): only the bits of 2/pi
 * matter whose product with x is neither a multiple of four nor too small.
 */
#ifndef STRIA_VEC_REDUCE_ANGLE_H
#define STRIA_VEC_REDUCE_ANGLE_H

#include "vec.h"

/* x = (quadrant + some multiple of 4) * pi/2 + (hi + lo), |hi + lo| <= pi/4; for finite |x| >= 2^19. */
VEC_INLINE int vec_reduce_angle(double x, double *hi, double *lo)
{
    /* 2/pi, the first 1216 bits */
    static const uint32_t two_over_pi[38] = {
        0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
        0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
        0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
        0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
        0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};
    uint64_t bits, mantissa, top, next, carry;
    uint32_t product[10] = {0}; /* little-endian: mantissa times eight words of 2/pi */
    int      exponent, first, point, negative, rest_negative, quadrant;
    double   f_hi, f_lo, high, low, p, e;

    memcpy(&bits, &x, sizeof bits);
    negative = (int)(bits >> 63);
    exponent = (int)(bits >> 52 & 2047) - 1075; /* |x| = mantissa * 2^exponent */
    mantissa = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    first = exponent >= 2 ? (exponent - 2) / 32 : 0;
    point = 32 * (first + 8) - exponent; /* bits of the product behind the binary point */
    for (int j = 0; j < 2; j++) {
        const uint64_t m = j ? mantissa >> 32 : mantissa & 0xffffffffu;
        carry = 0;
        for (int k = 0; k < 8; k++) {
            const uint64_t t = m * two_over_pi[first + 7 - k] + product[j + k] + carry;
            product[j + k] = (uint32_t)t;
            carry = t >> 32;
        }
        product[j + 8] = (uint32_t)carry;
    }
    /* 128 bits from two above the point down: quadrant and fraction */
    top = next = 0;
    for (int k = 0; k < 4; k++) {
        const int      word = (point + 2) / 32 - k;
        const uint64_t pair = (uint64_t)product[word] << 32 | product[word - 1];
        const uint32_t piece = (uint32_t)(pair >> (point + 2) % 32);
        if (k < 2)
            top = top << 32 | piece;
        else
            next = next << 32 | piece;
    }
    quadrant = (int)(top >> 62);
    top = top << 2 | next >> 62;
    next <<= 2;
    rest_negative = (int)(top >> 63);
    if (rest_negative) { /* fraction at least a half: take the next quadrant and a negative rest */
        quadrant++;
        top = ~top;
        next = ~next;
    }
    /* fraction * 2^128 = top * 2^64 + next, cut to 53 + 53 bits */
    {
        int leading = 0;
        while (leading < 64 && !(top >> 63)) {
            top = top << 1 | next >> 63;
            next <<= 1;
            leading++;
        }
        high = (double)(top >> 11) * 0x1p-53;
        low = (double)((top & 0x7ffu) << 42 | next >> 22) * 0x1p-106;
        for (int k = 0; k < leading; k++) {
            high *= 0.5;
            low *= 0.5;
        }
    }
    f_hi = rest_negative != negative ? -high : high;
    f_lo = rest_negative != negative ? -low : low;
    /* times pi/2 */
    {
        const double c_hi = 0x1.921fb54442d18p0, c_lo = 0x1.1a62633145c07p-54;
        const double s = 0x1.0000002p27;
        double       a1 = s * f_hi, b1 = s * c_hi, a2, b2;
        a1 = a1 - (a1 - f_hi);
        a2 = f_hi - a1;
        b1 = b1 - (b1 - c_hi);
        b2 = c_hi - b1;
        p = f_hi * c_hi;
        e = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;
        e += f_hi * c_lo + f_lo * c_hi;
    }
    *hi = p + e;
    *lo = (p - *hi) + e;
    return (negative ? -quadrant : quadrant) & 3;
}

#endif
