/* sequence.h - tensors whose element k is a function of k: ranges and the positions of triangles. Internal. */
#ifndef STRIA_SEQUENCE_H
#define STRIA_SEQUENCE_H

#include "call/backend.h"
#include "call/call.h"

/* Most elements of a block. */
#define STRIA_SEQUENCE_BLOCK 512

/* Elements first .. first + count - 1 into a block; count is at most STRIA_SEQUENCE_BLOCK. */
typedef void stria_sequence_fn(const void *sequence, int64_t first, int64_t count, void *block);

/* Makes the elements of y, which has 1 dim, or of row `row` of 2 dims, in blocks of dtype `made`, of at most 16 bytes, that are
 * converted to that of y. Many are made by all threads. */
stria_status stria_sequence_run(stria_tensor *y, int64_t row, stria_dtype made, stria_sequence_fn *make,
                                const void *sequence, stria_error *err);

#endif
