/* pad.h - the modes of pad, and what it adds, on every device. Internal. */
#ifndef STRIA_CPU_PAD_H
#define STRIA_CPU_PAD_H

#include "call/call.h"

/* In the order of the row's words. */
enum { STRIA_PAD_CONSTANT, STRIA_PAD_REFLECT, STRIA_PAD_REPLICATE, STRIA_PAD_CIRCULAR };

/* What is added along an axis of x, which has ndim dims; negative: left out. pad has pairs from the last axis backwards. */
void stria_pad_get(const stria_pad_attrs *attrs, int ndim, int axis, int64_t *before, int64_t *after);

#endif
