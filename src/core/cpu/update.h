/* update.h - steps of optimisers part by part: gradients are computed on the way, and are nowhere as a whole. Internal. */
#ifndef STRIA_UPDATE_H
#define STRIA_UPDATE_H

#include "call/call.h"
#include "simd/kernels.h"

/* Whether the row is a step of an optimiser: list 1 are the gradients, all others are updated. */
bool stria_row_is_update(stria_row row);

/* A call of such a row with one member of each list, for its attributes as they are now. */
typedef struct stria_update_part {
    stria_update_loop *loop;
    stria_update_step  step;
    char              *data[STRIA_UPDATE_LISTS];
    int64_t            size; /* bytes of an element */
} stria_update_part;

/* The tensors are row-major, f32 or f64, apart from each other, and were taken by the door once; the memory of the gradient is not looked at. Refuses what the row refuses
 * of its attributes. */
stria_status stria_update_begin(const stria_call *call, stria_update_part *part, stria_error *err);
/* Elements [at, at + count), by these gradients; each once, on any threads. */
void stria_update_run(const stria_update_part *part, int64_t at, int64_t count, const char *gradients);

#endif
