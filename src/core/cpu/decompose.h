/* decompose.h - what decompositions on every device share. Internal. */
#ifndef STRIA_CPU_DECOMPOSE_H
#define STRIA_CPU_DECOMPOSE_H

#include "call/call.h"

/* ERR_ARGUMENT: x, or a matrix of it, has no inverse. */
stria_status stria_inverse_refuse(const stria_tensor *x, stria_error *err);

#endif
