/* random_kind.h - the distributions of random numbers that a device makes of words. Plain C. Internal. */
#ifndef STRIA_RANDOM_KIND_H
#define STRIA_RANDOM_KIND_H

typedef enum stria_random_kind {
    STRIA_RANDOM_WHOLE, /* whole numbers of `count` beginning with `low` (cpu/random_numbers.h); the others: kernels.h */
    STRIA_RANDOM_UNIFORM,
    STRIA_RANDOM_NORMAL,
    STRIA_RANDOM_EXPONENTIAL
} stria_random_kind;

#endif
