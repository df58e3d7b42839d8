/* cuda_chance.h - tensors by chance, on the CPU and on a CUDA device alike, for fuzz_cuda.c: any dtype, shape, layout, and elements that are
 * special values; views of one memory among them. */
#ifndef STRIA_TEST_CUDA_CHANCE_H
#define STRIA_TEST_CUDA_CHANCE_H

#include "cuda_case.h"

enum { CHANCE_DIMS = 8, CHANCE_KEPT = 96 };

/* A tensor of the CPU, and the same of the device. */
typedef struct chance_twin {
    stria_tensor *on[2];
} chance_twin;

/* What elements are. */
typedef enum chance_filling {
    FILL_ANY,      /* special values and any bits among them */
    FILL_SMALL,    /* whole numbers from -4 to 4, of unsigned ones from 0 on */
    FILL_REAL,     /* numbers in [-3, 3] */
    FILL_POSITIVE, /* numbers in [0.1, 0.9] */
    FILL_BELOW     /* whole numbers below `below`, now and then one that is not, or is negative */
} chance_filling;

/* What a round has made: it is all released at its end. */
typedef struct chance {
    random_state random;
    chance_twin  memory[CHANCE_KEPT]; /* row-major, all of what views look at */
    chance_twin  kept[CHANCE_KEPT];   /* views */
    int          n_memory, n_kept;
    int64_t      below;
    int64_t      room; /* most elements of a tensor */
} chance;

int         chance_pick(chance *c, int n); /* 0 .. n - 1 */
stria_dtype chance_pick_dtype(chance *c);
int         chance_pick_shape(chance *c, int64_t *shape);
/* Of this shape, in any layout that has it. */
chance_twin *chance_new(chance *c, stria_dtype dtype, chance_filling filling, int ndim, const int64_t *shape);
/* A number of the host language, and a 0-dim tensor of the CPU; the same on both sides. */
chance_twin *chance_new_number(chance *c);
chance_twin *chance_new_on_cpu(chance *c, stria_dtype dtype);
/* Some view of one of the kept ones. */
chance_twin *chance_look(chance *c);
void         chance_end(chance *c);

#endif
