/* complex_limits.h - what the words of complex_words.h know of the range of the parts. C and C++. Internal. */
#ifndef STRIA_CPU_COMPLEX_LIMITS_H
#define STRIA_CPU_COMPLEX_LIMITS_H

#include "simd/near.h"

typedef struct stria_complex_limits {
    double large, small, up, up_root,
        log_up; /* 4 large overflows; small: where squares lose digits, up: what mends that, its root and logarithm */
    double root_small, root_up;    /* the same where quotients lose digits */
    double normal, tiny_square;    /* the smallest normal number; a square that may have lost digits */
    double exp_top, tanh_top, far; /* exp overflows beyond; tanh is 1; 1 + z^2 is z^2 */
    double near_least, near_most;  /* near.h */
} stria_complex_limits;

#define STRIA_COMPLEX_LIMITS_F32                                                                                       \
    {                                                                                                                  \
        0x1p124, 0x1p-100, 0x1p48, 0x1p24, 0x1.0a2b23f3bab73p5, 0x1p-64, 0x1p64, 0x1p-126, 0x1p-100, STRIA_EXP_TOP(4), \
            11, 0x1p30, STRIA_NEAR_LEAST(4), STRIA_NEAR_MOST(4)                                                        \
    }
#define STRIA_COMPLEX_LIMITS_F64                                                                            \
    {                                                                                                       \
        0x1p1020, 0x1p-1000, 0x1p108, 0x1p54, 0x1.2b708872320e2p6, 0x1p-500, 0x1p512, 0x1p-1022, 0x1p-1000, \
            STRIA_EXP_TOP(8), 22, 0x1p60, STRIA_NEAR_LEAST(8), STRIA_NEAR_MOST(8)                           \
    }

#endif
