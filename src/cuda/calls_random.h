/* calls_random.h - the argument of random numbers. Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_RANDOM_H
#define STRIA_CUDA_CALLS_RANDOM_H

#include "simd/random_kind.h"
#include "walk.h"

/* `count` numbers side by side, of n_groups groups of words, from group `group` of the seed on; the rest is as of stria_random_numbers
 * (src/core/cpu/random_numbers.h). The last group may be cut. */
typedef struct stria_cuda_random_call {
    char             *data;
    int64_t           count, n_groups;
    stria_random_kind kind;
    stria_dtype       dtype, lane;
    int32_t           bits, words; /* words: of a whole number, 2 or 4 */
    double            a, b, limit;
    uint64_t          low, range; /* of whole numbers: the first, and how many, 0: 2^64 */
    uint64_t          seed, group;
} stria_cuda_random_call;

#endif
