/* parallel.h - the only way to more than one thread. Internal.
 *
 * Work is split by shape: which chunks exist may depend on the thread count only where the result does not (element-wise
 * loops); reductions ask for chunks of a fixed size. */
#ifndef STRIA_PARALLEL_H
#define STRIA_PARALLEL_H

#include "stria.h"

/* Elements below which a second thread does not pay. */
#define STRIA_GRAIN 32768

/* Most threads of one call. */
#define STRIA_MAX_THREADS 256

/* thread: number of the chunk, below the thread count; no two calls that run at once have the same. */
typedef void stria_range_fn(void *context, int thread, int64_t begin, int64_t end);

/* Runs fn over [begin, end), not at all if that is empty: one call on the caller if end - begin <= grain, if there is one
 * thread, or inside a chunk of another call; otherwise one contiguous chunk per thread, fewer if they would be smaller
 * than grain. Chunks that no other thread has taken up are run by the caller, so that it never waits for a thread that
 * has yet to start. Returns when all are done. */
void stria_parallel_for(int64_t begin, int64_t end, int64_t grain, stria_range_fn *fn, void *context);

/* The chunks that stria_parallel_for would make, for tests and for planning: returns their number (at most n_threads);
 * chunk k is [begin + k * chunk_size, min(end, begin + (k + 1) * chunk_size)). */
int stria_parallel_get_chunks(int64_t begin, int64_t end, int64_t grain, int n_threads, bool nested,
                              int64_t *chunk_size);

/* Whether the caller runs inside a chunk. */
bool stria_parallel_is_nested(void);

#endif
