/* generator.h - the state of a random generator (stria.h). Internal. */
#ifndef STRIA_GENERATOR_H
#define STRIA_GENERATOR_H

#include "stria.h"

/* Takes n groups of random words (STRIA_RANDOM_WORDS of simd/kernels.h): the state before, whose offset is the first of them. Calls on
 * several threads get groups of their own. g NULL: the default generator. */
stria_generator_state stria_generator_take(stria_generator *g, uint64_t n);

#endif
