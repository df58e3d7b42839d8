/* random_program.h - random programs of calls, for tests that make the same calls in several ways.
 *
 * What a program does next depends on its random numbers, shapes and dtypes alone, so that it is the same for tensors and for symbols. What is
 * refused of tensors is refused of symbols. */
#ifndef TEST_RANDOM_PROGRAM_H
#define TEST_RANDOM_PROGRAM_H

#include "oracle.h"

#define RANDOM_PROGRAM_VALUES 64

typedef struct random_program {
    random_state  numbers;
    stria_tensor *at[RANDOM_PROGRAM_VALUES]; /* inputs, then results of steps */
    int           n, n_refused;
    bool          has_products; /* of matrices, whose bits another compiler may change */
} random_program;

int random_program_pick(random_program *p, int n); /* 0 .. n - 1 */
/* Of a random dtype and shape. */
stria_tensor *random_program_new_input(random_program *p);
/* Views, ops of the table, functions; into new results and given ones. Values must be there. */
void random_program_run(random_program *p, int n_steps);
void random_program_end(random_program *p);

#endif
