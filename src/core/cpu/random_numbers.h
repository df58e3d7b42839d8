/* random_numbers.h - numbers of one distribution, as random.c makes them or the device does that they are on. Internal. */
#ifndef STRIA_CPU_RANDOM_NUMBERS_H
#define STRIA_CPU_RANDOM_NUMBERS_H

#include "simd/kernels.h"
#include "simd/random_kind.h"
#include "stria.h"

/* Group g of the numbers is made of group state.offset + g of the words of state.seed. */
typedef struct stria_random_numbers {
    stria_random_kind     kind;
    stria_dtype           lane; /* of what they are before they are converted: f32, f64, i64, u64 */
    int                   bits;
    double                a, b, limit;
    uint64_t              low, count; /* modulo 2^64, 0: 2^64 */
    stria_generator_state state;
} stria_random_numbers;

/* Words of a whole number: so many that none of `count` is more probable than another by more than 2^-32 of its probability. */
static inline int stria_random_count_words(uint64_t count) { return count != 0 && count > UINT64_C(1) << 32 ? 4 : 2; }

#endif
