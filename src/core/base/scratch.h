/* scratch.h - memory that a call uses on one thread while it runs: blocks of operands, partial results. Internal.
 *
 * Some systems give threads a stack of 128 KB. So buffers of more than a few KB lie in a block that belongs to the thread. It
 * is allocated when the thread first needs it, and released when the thread ends.
 *
 *     STRIA_TRY(stria_scratch_reserve("name", err));     in the call, on its own thread, before it writes anything
 *     char *rows = stria_scratch_take(ROWS_BYTES);       in its chunks, which other threads may run: never fails
 *     ..
 *     stria_scratch_give(rows);                          in the reverse order
 *
 * A thread that runs chunks of another thread's call has reserved before (parallel.c). On one thread, a call may hold at most
 * STRIA_SCRATCH_BYTES at a time. If a loop of the user calls the library again, that call reserves once more. */
#ifndef STRIA_SCRATCH_H
#define STRIA_SCRATCH_H

#include "stria.h"

/* A buffered iteration, and within it the slots of an expression (exec.c, expression.c). */
#define STRIA_SCRATCH_BYTES ((size_t)144 << 10)

/* Makes sure that this thread can take STRIA_SCRATCH_BYTES. ERR_MEMORY. */
stria_status stria_scratch_reserve(const char *op, stria_error *err);

/* 64-byte aligned memory with undefined contents, and its end. */
void *stria_scratch_take(size_t nbytes);
void  stria_scratch_give(void *p);

/* Releases a thread's scratch, from its lowest segment on; for the end of the thread (stria_thread_keep). */
void stria_scratch_end(void *lowest);

#endif
