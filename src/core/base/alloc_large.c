/* alloc_large.c - blocks of more than STRIA_SMALL_MAX bytes, and the cache of released ones.
 *
 * Sizes are rounded up to classes, eight for each power of two. A released block goes to the cache. A request is
 * served by the block of its class that was released last. The cache holds LARGE_CACHE_MAX bytes: above that, the
 * blocks that were released first are given back to the system. Blocks of HUGE_PAGE bytes and more are mapped, so
 * that they begin on a huge page. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "base/alloc_internal.h"

#if HAS_MAPPING
#include <sys/mman.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20)
#define LARGE_CLASSES 512
#if defined(__EMSCRIPTEN__)
#define LARGE_CACHE_MAX ((uint64_t)64 << 20)
#else
#define LARGE_CACHE_MAX ((uint64_t)1 << 30)
#endif

typedef struct large_block {
    struct large_block *newer, *older;           /* all cached blocks */
    struct large_block *class_next, *class_prev; /* those of one class, newest first */
    size_t              nbytes;                  /* of the class */
    int                 class_index;
} large_block;

static struct {
    spin_lock    taken;
    large_block *newest, *oldest;
    large_block *list[LARGE_CLASSES];
} large;

counter stria_large_tallies[TALLY_COUNT];

/* ---------------------------------------------------------------- the system */

#if HAS_MAPPING
static bool is_mapped(size_t nbytes) { return STRIA_HAS_CACHE && nbytes >= HUGE_PAGE; }

/* The block begins on a huge page. The system may refuse the request for huge pages. */
static void *mapping_new(size_t nbytes)
{
    char  *p = mmap(NULL, nbytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t before, after;

    if (p == MAP_FAILED) return NULL;
    before = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
    after = HUGE_PAGE - before;
    if (before) munmap(p, before);
    if (after) munmap(p + before + nbytes, after);
#ifdef MADV_HUGEPAGE
    (void)madvise(p + before, nbytes, MADV_HUGEPAGE);
#endif
    return p + before;
}
#endif

static void *large_system_new(size_t nbytes)
{
#if HAS_MAPPING
    if (is_mapped(nbytes)) return mapping_new(nbytes);
#endif
    return system_new(nbytes);
}

static void large_system_release(void *block, size_t nbytes)
{
#if HAS_MAPPING
    if (is_mapped(nbytes)) {
        munmap(block, nbytes);
        return;
    }
#endif
    (void)nbytes;
    free(block);
}

/* ---------------------------------------------------------------- the cache */

/* Rounds nbytes up to the size of its class, in *size; returns the class, or -1 if the size does not fit. */
static int large_class(size_t nbytes, size_t *size)
{
    const size_t last = nbytes - 1;
    const int    exponent = (int)sizeof(long long) * 8 - 1 - __builtin_clzll(last);
    const size_t step = (size_t)1 << (exponent - 3);
    const size_t rounded = (last / step + 1) * step;

    if (rounded < nbytes || rounded > (size_t)PTRDIFF_MAX - 2 * HUGE_PAGE) return -1;
    *size = rounded;
    return 8 * exponent + (int)((last / step) & 7);
}

/* Under the lock. */
static void large_unlink(large_block *b)
{
    if (b->newer)
        b->newer->older = b->older;
    else
        large.newest = b->older;
    if (b->older)
        b->older->newer = b->newer;
    else
        large.oldest = b->newer;
    if (b->class_prev)
        b->class_prev->class_next = b->class_next;
    else
        large.list[b->class_index] = b->class_next;
    if (b->class_next) b->class_next->class_prev = b->class_prev;
    counter_add(&stria_large_tallies[TALLY_CACHED], -(int64_t)b->nbytes);
}

/* Under the lock. */
static void large_link(large_block *b, size_t nbytes, int c)
{
    *b = (large_block){.older = large.newest, .class_next = large.list[c], .nbytes = nbytes, .class_index = c};
    if (b->older)
        b->older->newer = b;
    else
        large.oldest = b;
    large.newest = b;
    if (b->class_next) b->class_next->class_prev = b;
    large.list[c] = b;
    counter_add(&stria_large_tallies[TALLY_CACHED], (int64_t)nbytes);
}

void stria_large_trim(uint64_t keep)
{
    for (;;) {
        large_block *b = NULL;
        lock(&large.taken);
        if (large.oldest && (uint64_t)counter_get(&stria_large_tallies[TALLY_CACHED]) > keep) {
            b = large.oldest;
            large_unlink(b);
        }
        unlock(&large.taken);
        if (!b) return;
        large_system_release(b, b->nbytes);
    }
}

/* Takes a cached block of class c into *cached, NULL if there is none, and counts nbytes as live. False, and no
 * block, if the limit does not allow it. */
static bool large_admit(size_t nbytes, int c, void **cached)
{
    bool ok;

    lock(&large.taken);
    *cached = large.list[c];
    if (*cached) large_unlink(*cached);
    ok = is_within_limit(nbytes);
    if (ok) {
        counter_add(&stria_large_tallies[TALLY_LIVE], (int64_t)nbytes);
        counter_add(&stria_large_tallies[TALLY_BLOCKS], 1);
        if (*cached) counter_add(&stria_large_tallies[TALLY_HITS], 1);
    } else if (*cached) {
        large_block *b = *cached;
        large_link(b, b->nbytes, c);
        *cached = NULL;
    }
    unlock(&large.taken);
    return ok;
}

static void large_count_back(size_t nbytes)
{
    lock(&large.taken);
    counter_add(&stria_large_tallies[TALLY_LIVE], -(int64_t)nbytes);
    counter_add(&stria_large_tallies[TALLY_BLOCKS], -1);
    unlock(&large.taken);
}

void *stria_large_new(size_t nbytes)
{
    size_t    size;
    void     *p;
    const int c = large_class(nbytes, &size);

    if (c < 0 || must_fail()) return NULL;
    if (!large_admit(nbytes, c, &p)) {
        stria_memory_release_cache();
        if (!large_admit(nbytes, c, &p)) return NULL;
    }
    if (!p) p = large_system_new(STRIA_HAS_CACHE ? size : nbytes);
    if (!p) {
        stria_memory_release_cache();
        p = large_system_new(STRIA_HAS_CACHE ? size : nbytes);
    }
    if (!p) {
        large_count_back(nbytes);
        return NULL;
    }
    stria_alloc_note_peak();
    return p;
}

void stria_large_release(void *p, size_t nbytes)
{
    size_t    size = 0;
    bool      keep = false;
    const int c = large_class(nbytes, &size);

    lock(&large.taken);
    counter_add(&stria_large_tallies[TALLY_LIVE], -(int64_t)nbytes);
    keep = STRIA_HAS_CACHE && size <= LARGE_CACHE_MAX / 2 && is_within_limit(size);
    if (keep) large_link(p, size, c);
    unlock(&large.taken);
    if (keep)
        stria_large_trim(LARGE_CACHE_MAX);
    else
        large_system_release(p, STRIA_HAS_CACHE ? size : nbytes);
}

void stria_large_lock(void) { lock(&large.taken); }

void stria_large_unlock(void) { unlock(&large.taken); }
