/* alloc_internal.h - what alloc.c and alloc_large.c share: counters, the limit, injected failures. Internal. */
#ifndef STRIA_ALLOC_INTERNAL_H
#define STRIA_ALLOC_INTERNAL_H

#include <stdatomic.h>
#include <stdlib.h>

#if !defined(__EMSCRIPTEN__) && defined(__unix__)
#define HAS_MAPPING 1
#else
#define HAS_MAPPING 0
#endif

#include "base/alloc.h"
#include "base/lock.h"

#define ALIGNMENT 64

/* ---------------------------------------------------------------- counters */

/* A counter that is written under a lock only, and may be read without. */
typedef atomic_llong counter;

static inline void counter_add(counter *c, int64_t amount)
{
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + amount, memory_order_relaxed);
}

static inline int64_t counter_get(counter *c) { return atomic_load_explicit(c, memory_order_relaxed); }

/* ---------------------------------------------------------------- statistics */

/* What is counted, in each shard and for large blocks. */
typedef enum tally {
    TALLY_LIVE,   /* bytes in blocks */
    TALLY_CACHED, /* bytes held for reuse */
    TALLY_HANDLES,
    TALLY_STORAGES,
    TALLY_OBJECTS, /* allocations of objects and handles so far */
    TALLY_LIVE_OBJECTS,
    TALLY_BLOCKS, /* allocations of blocks so far */
    TALLY_HITS,   /* those that came from a cache */
    TALLY_COUNT
} tally;

/* Raises the peak to what is live now, if that is more. */
void stria_alloc_note_peak(void);

/* ---------------------------------------------------------------- the limit and failures */

extern atomic_ullong stria_alloc_limit; /* bytes, live and cached; 0: none */
extern atomic_llong  stria_alloc_failure_countdown;
extern atomic_bool   stria_alloc_failure_armed;

bool stria_alloc_fits_limit(uint64_t limit, size_t more);

static inline bool is_within_limit(size_t more)
{
    const uint64_t limit = atomic_load_explicit(&stria_alloc_limit, memory_order_relaxed);
    return limit == 0 || stria_alloc_fits_limit(limit, more);
}

/* Whether the caller must fail now, for a test. */
static inline bool must_fail(void)
{
    return atomic_load_explicit(&stria_alloc_failure_armed, memory_order_relaxed) &&
           atomic_fetch_sub(&stria_alloc_failure_countdown, 1) <= 1;
}

/* ---------------------------------------------------------------- the system */

static inline void *system_new(size_t nbytes)
{
    void *p = NULL;
    return posix_memalign(&p, ALIGNMENT, nbytes ? nbytes : 1) == 0 ? p : NULL;
}

/* ---------------------------------------------------------------- large blocks */

extern counter stria_large_tallies[TALLY_COUNT];

/* nbytes > STRIA_SMALL_MAX; NULL: no memory. The same nbytes on release. */
void *stria_large_new(size_t nbytes);
void  stria_large_release(void *p, size_t nbytes);
/* Gives cached blocks back to the system, oldest first, until at most `keep` bytes are cached. */
void stria_large_trim(uint64_t keep);
/* Around a fork. */
void stria_large_lock(void);
void stria_large_unlock(void);

#endif
