/* decompose.h - what decompositions on every device share. Internal. */
#ifndef STRIA_CPU_DECOMPOSE_H
#define STRIA_CPU_DECOMPOSE_H

#include "call/call.h"

enum { STRIA_SVD_SWEEPS = 60 }; /* at most, over all pairs of vectors; about 10 are needed */

/* ERR_ARGUMENT: x, or a matrix of it, has no inverse. */
stria_status stria_inverse_refuse(const stria_tensor *x, stria_error *err);
/* Matrices of 0, and a number on the diagonal, on any device: u and v of svd where there are no vectors, or those of the identity. */
stria_status stria_svd_fill(stria_tensor *y, int64_t number, stria_error *err);

#endif
