/* spatial.h - what composites of convolution and pooling share: rows have three axes behind batch and channels, those that callers name have n.
 * Internal. */
#ifndef STRIA_COMPOSE_SPATIAL_H
#define STRIA_COMPOSE_SPATIAL_H

#include "call/compose.h"

/* x with a batch and three axes: a view in temps, or x itself. */
stria_status stria_spatial_widen(const stria_tensor *x, int n, stria_temps *temps, const stria_tensor **wide,
                                 stria_error *err);
/* A view of a result in the dims that x had. */
stria_status stria_spatial_narrow(stria_tensor *wide, const stria_tensor *x, int n, stria_tensor **y, stria_error *err);

/* n numbers behind as many usual ones as make three. */
void stria_spatial_fill(int n, const int64_t *numbers, int64_t usual, int64_t *wide);

#endif
