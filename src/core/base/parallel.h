/* parallel.h - the only way to more than one thread. Internal.
 *
 * Work is split by shape: which chunks exist may depend on the thread count only where the result does not (element-
 * wise loops); reductions ask for chunks of a fixed size. */
#ifndef STRIA_PARALLEL_H
#define STRIA_PARALLEL_H

#include "stria.h"

/* Elements below which a second thread does not pay. */
#define STRIA_GRAIN 32768

/* Most threads of one call. */
#define STRIA_MAX_THREADS 256

/* Threads that a call may use. Another thread may change their number at any time (stria_threads_set). So a call gets
 * its team once, and plans and runs with that: buffers for each thread or chunk are sized by the team or the split
 * that runs. */
typedef struct stria_team {
    int n_threads;
} stria_team;

/* The number that is set; 1 inside a chunk of another call. */
stria_team stria_team_get(void);

/* The range [begin, end) in contiguous chunks: chunk k is [begin + k * chunk_size, min(end, begin + (k + 1) *
 * chunk_size)). */
typedef struct stria_chunks {
    int64_t begin, end, chunk_size;
    int     n_chunks; /* at most the threads of the team; 0: the range is empty */
} stria_chunks;

/* One chunk if end - begin <= grain or the team is one thread; otherwise one per thread, fewer if they would be
 * smaller than grain. */
stria_chunks stria_chunks_build(stria_team team, int64_t begin, int64_t end, int64_t grain);

/* chunk: its number, below n_chunks; no two calls that run at once have the same. */
typedef void stria_range_fn(void *context, int chunk, int64_t begin, int64_t end);

/* Calls fn once for each chunk; a single chunk runs on the caller. The caller also runs the chunks that no other
 * thread has begun, so that it never waits for a thread that has yet to start. Returns when all chunks are done. */
void stria_chunks_run(const stria_chunks *split, stria_range_fn *fn, void *context);

/* Both in one, where nothing is sized by the number of chunks. */
void stria_parallel_for(stria_team team, int64_t begin, int64_t end, int64_t grain, stria_range_fn *fn, void *context);

/* Lets stria_scratch_end have the calling thread's scratch when the thread ends. False: the system has no memory or
 * no key for that, and nothing was kept. A build without threads keeps the scratch until the process ends. */
bool stria_thread_keep(void *scratch);
/* The same of the thread's streams on devices, which `end` gets, the same function each time. */
typedef void stria_thread_end_fn(void *streams);
bool         stria_thread_keep_streams(stria_thread_end_fn *end, void *streams);

/* Whether the caller runs inside a chunk. */
bool stria_parallel_is_nested(void);

#endif
