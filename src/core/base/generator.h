/* generator.h - the state of a random generator (stria.h). Internal. */
#ifndef STRIA_GENERATOR_H
#define STRIA_GENERATOR_H

#include "stria.h"

/* Takes n groups of random words (STRIA_RANDOM_WORDS of simd/kernels.h): the state before, whose offset is the first of them. Calls on
 * several threads get groups of their own. g NULL: the default generator. */
stria_generator_state stria_generator_take(stria_generator *g, uint64_t n);

/* ---------------------------------------------------------------- what was drawn, drawn again */

/* What a function took from the default generator, in its order: n groups of a stream, from a place on. */
typedef struct stria_drawn {
    stria_generator_state from;
    uint64_t              n;
} stria_drawn;

typedef struct stria_draws {
    stria_drawn *at; /* [n] */
    size_t       n, room;
    bool         is_lost; /* there was no memory for one of them */
} stria_draws;

/* Between begin and end the default generator of this thread is another: with `notes` what is taken from it is noted there, too; with `again`
 * it gives what was noted, in the same order, and nobody else's generator is moved. What is set meanwhile is not; what is taken beyond the
 * notes is new. One in another: the inner one stands upon the outer one. */
typedef struct stria_draw_scope {
    struct stria_draw_scope *outer;
    stria_draws             *notes;
    const stria_draws       *again;
    size_t                   k; /* of again: the place that comes next */
    uint64_t                 used;
} stria_draw_scope;

void stria_draws_begin(stria_draw_scope *scope, stria_draws *notes, const stria_draws *again);
void stria_draws_end(const stria_draw_scope *scope);
void stria_draws_release(stria_draws *draws);

#endif
