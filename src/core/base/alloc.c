/* alloc.c - memory: free lists for small blocks, a cache of large ones, statistics, limit, injected failures.
 *
 * Small (up to SMALL_MAX): classes of similar size, each with a free list, in several independent copies ("shards"). A
 * thread tries the shard its identity points to, and the next one if that is taken, so threads rarely wait for one
 * another. A block may return to another shard than it came from. What the lists may not keep goes back to the system.
 *
 * Large: eight classes per power of two, least recently released first out, bounded in all. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__EMSCRIPTEN__) && defined(__unix__)
#include <sched.h>
#include <sys/mman.h>
#define HAS_MAPPING 1
#else
#define HAS_MAPPING 0
#endif

#include "base/alloc.h"

#define ALIGNMENT 64
#define SMALL_MAX STRIA_SMALL_MAX
#define SMALL_CLASSES 20
#define SMALL_LIST_BYTES 32768 /* kept per class and shard in any case */
#define HUGE_PAGE ((size_t)2 << 20)
#define LARGE_CLASSES 512
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
#define SHARDS 1
#else
#define SHARDS 8
#endif
/* Of small blocks: of all classes, per shard, of which a thread fills one. Garbage collectors end thousands of tensors at a
 * time. */
#if defined(__EMSCRIPTEN__)
#define SMALL_CACHE_MAX ((int64_t)16 << 20)
#define LARGE_CACHE_MAX ((uint64_t)64 << 20)
#else
#define SMALL_CACHE_MAX ((int64_t)64 << 20)
#define LARGE_CACHE_MAX ((uint64_t)1 << 30)
#endif

/* ---------------------------------------------------------------- locks */

typedef atomic_flag spin_lock;

static void pause_briefly(int round)
{
#if HAS_MAPPING
    if (round > 64) sched_yield(); /* the holder may not be running */
#else
    (void)round;
#endif
}

static void lock(spin_lock *l)
{
    for (int round = 0; atomic_flag_test_and_set_explicit(l, memory_order_acquire); round++) pause_briefly(round);
}

static void unlock(spin_lock *l) { atomic_flag_clear_explicit(l, memory_order_release); }

/* A counter that is written under a lock only, and may be read without. */
typedef atomic_llong counter;

static void counter_add(counter *c, int64_t amount)
{
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + amount, memory_order_relaxed);
}

static int64_t counter_get(counter *c) { return atomic_load_explicit(c, memory_order_relaxed); }

/* ---------------------------------------------------------------- state */

/* What small blocks are used for: bit 0, they hold a handle; bit 1, a storage; bit 2, elements. */
typedef enum use { USE_OBJECT = 0, USE_HANDLE = 1, USE_BLOCK = 4, USE_STORAGE = 6, USE_TENSOR = 7 } use;

/* What is counted, in each shard and for large blocks. */
typedef enum tally {
    TALLY_LIVE,   /* bytes in blocks */
    TALLY_CACHED, /* bytes held for reuse */
    TALLY_HANDLES,
    TALLY_STORAGES,
    TALLY_OBJECTS, /* allocations of objects and handles so far */
    TALLY_BLOCKS,  /* allocations of blocks so far */
    TALLY_HITS,    /* those that came from a cache */
    TALLY_COUNT
} tally;

typedef struct free_block {
    struct free_block *next;
} free_block;

typedef struct free_list {
    free_block *first;
    size_t      nbytes; /* of all of its blocks */
} free_list;

typedef struct shard {
    _Alignas(128) spin_lock taken;
    counter   tallies[TALLY_COUNT];
    counter   live_peak;
    free_list list[SMALL_CLASSES];
} shard;

static shard shards[SHARDS];

typedef struct large_block {
    struct large_block *newer, *older;           /* all cached blocks */
    struct large_block *class_next, *class_prev; /* those of one class, newest first */
    size_t              nbytes;                  /* of the class */
    int                 class_index;
} large_block;

static struct {
    spin_lock    taken;
    counter      tallies[TALLY_COUNT];
    large_block *newest, *oldest;
    large_block *list[LARGE_CLASSES];
} large;

/* Apart from their memory; apart from their memory; larger than SMALL_MAX. */
static atomic_llong  other_storages, other_handles, other_objects;
static atomic_ullong limit_bytes, peak_bytes;
static atomic_llong  failure_countdown, count_base;
static atomic_bool   failure_armed;

static int64_t sum(tally t)
{
    int64_t total = counter_get(&large.tallies[t]);
    for (int s = 0; s < SHARDS; s++) total += counter_get(&shards[s].tallies[t]);
    return total;
}

static int64_t count_allocations(void) { return sum(TALLY_OBJECTS) + sum(TALLY_BLOCKS) + atomic_load(&other_objects); }

static void note_peak(void)
{
    const uint64_t     live = (uint64_t)sum(TALLY_LIVE);
    unsigned long long peak = atomic_load_explicit(&peak_bytes, memory_order_relaxed);

    while (live > peak && !atomic_compare_exchange_weak_explicit(&peak_bytes, &peak, live, memory_order_relaxed,
                                                                 memory_order_relaxed)) {}
}

/* Whether the caller must fail now, for a test. */
static inline bool must_fail(void)
{
    return atomic_load_explicit(&failure_armed, memory_order_relaxed) && atomic_fetch_sub(&failure_countdown, 1) <= 1;
}

/* ---------------------------------------------------------------- the system */

static void *system_new(size_t nbytes)
{
    void *p = NULL;
    return posix_memalign(&p, ALIGNMENT, nbytes ? nbytes : 1) == 0 ? p : NULL;
}

/* Once more without what is cached. */
static void *system_new_retry(size_t nbytes)
{
    void *p = system_new(nbytes);
    if (p) return p;
    stria_memory_release_cache();
    return system_new(nbytes);
}

#if HAS_MAPPING
static bool is_mapped(size_t nbytes) { return STRIA_HAS_CACHE && nbytes >= HUGE_PAGE; }

/* Starts on a huge page; asking for huge pages is a hint that may be refused. */
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

/* ---------------------------------------------------------------- small blocks */

/* Bytes of each class: steps of 64 up to 512, then four per power of two. */
static const uint16_t small_sizes[SMALL_CLASSES] = {64,  128,  192,  256,  320,  384,  448,  512,  640,  768,
                                                    896, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 3584, 4096};

static int small_class(size_t nbytes)
{
    if (nbytes <= 512) return nbytes ? (int)((nbytes - 1) >> 6) : 0;
    const int exponent = 31 - __builtin_clz((unsigned)(nbytes - 1)); /* 9 .. 11 */
    return 8 + 4 * (exponent - 9) + (int)(((nbytes - 1) >> (exponent - 2)) & 3);
}

static inline bool shard_try(shard *st) { return !atomic_flag_test_and_set_explicit(&st->taken, memory_order_acquire); }

/* The first that is free from number s on. */
static __attribute__((noinline)) shard *shard_search(unsigned s)
{
    for (int round = 0;; round++) {
        shard *st = &shards[s++ % SHARDS];
        if (shard_try(st)) return st;
        pause_briefly(round);
    }
}

/* Of each thread one and the same, so that it finds again what it released; two threads seldom have the same one. */
static inline shard *shard_take(void)
{
    const uint32_t self = SHARDS > 1 ? (uint32_t)((uintptr_t)pthread_self() >> 6) : 0;
    const unsigned s = self * 0x9E3779B1u >> 24;
    shard         *st = &shards[s % SHARDS];

    return shard_try(st) ? st : shard_search(s + 1);
}

/* Under the lock of st; sign is 1 for a new block and -1 for a released one. */
static inline void count_use(shard *st, use u, size_t live, int sign)
{
    counter_add(&st->tallies[TALLY_HANDLES], sign * (int)(u & 1));
    counter_add(&st->tallies[TALLY_STORAGES], sign * (int)(u >> 1 & 1));
    counter_add(&st->tallies[TALLY_LIVE], sign * (int64_t)live);
    if (sign > 0) counter_add(&st->tallies[u & 4 ? TALLY_BLOCKS : TALLY_OBJECTS], 1);
}

/* Gives every small cached block back. */
static void small_release_cache(void)
{
    for (int s = 0; s < SHARDS; s++) {
        shard *st = &shards[s];
        lock(&st->taken);
        for (int c = 0; c < SMALL_CLASSES; c++) {
            while (st->list[c].first) {
                free_block *b = st->list[c].first;
                st->list[c].first = b->next;
                free(b);
            }
            st->list[c].nbytes = 0;
        }
        counter_add(&st->tallies[TALLY_CACHED], -counter_get(&st->tallies[TALLY_CACHED]));
        unlock(&st->taken);
    }
}

static __attribute__((noinline)) bool fits_limit(uint64_t limit, size_t more)
{
    const uint64_t used = (uint64_t)(sum(TALLY_LIVE) + sum(TALLY_CACHED));
    return more <= limit && used <= limit - more;
}

static inline bool is_within_limit(size_t more)
{
    const uint64_t limit = atomic_load_explicit(&limit_bytes, memory_order_relaxed);
    return limit == 0 || fits_limit(limit, more);
}

/* A cached block of class c, or NULL. Under the lock of st. */
static void *small_pop(shard *st, int c, use u)
{
    free_list  *list = &st->list[c];
    free_block *b = list->first;

    if (!b) return NULL;
    list->first = b->next;
    list->nbytes -= small_sizes[c];
    counter_add(&st->tallies[TALLY_CACHED], -(int64_t)small_sizes[c]);
    counter_add(&st->tallies[TALLY_HITS], u >> 2 & 1);
    return b;
}

/* Counts a new block and gives st back. */
static inline void small_finish(shard *st, use u, size_t live)
{
    count_use(st, u, live, 1);
    const int64_t risen = counter_get(&st->tallies[TALLY_LIVE]) - counter_get(&st->live_peak);
    if (risen > 0) counter_add(&st->live_peak, risen);
    unlock(&st->taken);
    if (risen > 0) note_peak();
}

static __attribute__((noinline)) void *small_system_new(size_t nbytes, use u, size_t live)
{
    void *p = system_new_retry(nbytes);

    if (p) small_finish(shard_take(), u, live);
    return p;
}

/* nbytes <= SMALL_MAX; live: the bytes of it that are elements. */
static inline void *small_new(size_t nbytes, use u, size_t live)
{
    const int c = small_class(nbytes);
    shard    *st;
    void     *p;

    if (must_fail()) return NULL;
    if (live && !is_within_limit(live)) {
        stria_memory_release_cache();
        if (!is_within_limit(live)) return NULL;
    }
    st = shard_take();
    p = small_pop(st, c, u);
    if (p) {
        small_finish(st, u, live);
        return p;
    }
    unlock(&st->taken);
    return small_system_new(STRIA_HAS_CACHE ? small_sizes[c] : nbytes, u, live);
}

static inline void small_release(void *p, size_t nbytes, use u, size_t live)
{
    const int    c = small_class(nbytes);
    const size_t size = small_sizes[c];
    const bool   keep = STRIA_HAS_CACHE && is_within_limit(size);
    shard       *st = shard_take();

    count_use(st, u, live, -1);
    if (keep && (st->list[c].nbytes < SMALL_LIST_BYTES || counter_get(&st->tallies[TALLY_CACHED]) < SMALL_CACHE_MAX)) {
        free_list  *list = &st->list[c];
        free_block *b = p;
        b->next = list->first;
        list->first = b;
        list->nbytes += size;
        counter_add(&st->tallies[TALLY_CACHED], (int64_t)size);
        unlock(&st->taken);
        return;
    }
    unlock(&st->taken);
    free(p);
}

/* ---------------------------------------------------------------- large blocks */

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
    counter_add(&large.tallies[TALLY_CACHED], -(int64_t)b->nbytes);
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
    counter_add(&large.tallies[TALLY_CACHED], (int64_t)nbytes);
}

/* Takes cached blocks out, oldest first, until at most `keep` bytes are left, and gives them back to the system. */
static void large_trim(uint64_t keep)
{
    for (;;) {
        large_block *b = NULL;
        lock(&large.taken);
        if (large.oldest && (uint64_t)counter_get(&large.tallies[TALLY_CACHED]) > keep) {
            b = large.oldest;
            large_unlink(b);
        }
        unlock(&large.taken);
        if (!b) return;
        large_system_release(b, b->nbytes);
    }
}

/* Counts nbytes as live if the limit allows; a cached block of the class in *cached if there is one. */
static bool large_admit(size_t nbytes, int c, void **cached)
{
    bool ok;

    lock(&large.taken);
    *cached = large.list[c];
    if (*cached) large_unlink(*cached);
    ok = is_within_limit(nbytes);
    if (ok) {
        counter_add(&large.tallies[TALLY_LIVE], (int64_t)nbytes);
        counter_add(&large.tallies[TALLY_BLOCKS], 1);
        if (*cached) counter_add(&large.tallies[TALLY_HITS], 1);
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
    counter_add(&large.tallies[TALLY_LIVE], -(int64_t)nbytes);
    counter_add(&large.tallies[TALLY_BLOCKS], -1);
    unlock(&large.taken);
}

static void *large_new(size_t nbytes)
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
    note_peak();
    return p;
}

static void large_release(void *p, size_t nbytes)
{
    size_t    size = 0;
    bool      keep = false;
    const int c = large_class(nbytes, &size);

    lock(&large.taken);
    counter_add(&large.tallies[TALLY_LIVE], -(int64_t)nbytes);
    keep = STRIA_HAS_CACHE && size <= LARGE_CACHE_MAX / 2 && is_within_limit(size);
    if (keep) large_link(p, size, c);
    unlock(&large.taken);
    if (keep)
        large_trim(LARGE_CACHE_MAX);
    else
        large_system_release(p, STRIA_HAS_CACHE ? size : nbytes);
}

/* ---------------------------------------------------------------- what the library calls */

/* In front of an object. */
typedef struct object_header {
    _Alignas(16) size_t nbytes; /* of object and header */
} object_header;

void *stria_object_new(size_t nbytes)
{
    object_header *h;

    if (nbytes > (size_t)PTRDIFF_MAX) return NULL;
    nbytes += sizeof *h;
    if (nbytes <= SMALL_MAX) {
        h = small_new(nbytes, USE_OBJECT, 0);
    } else {
        if (must_fail()) return NULL;
        h = system_new_retry(nbytes);
        atomic_fetch_add_explicit(&other_objects, 1, memory_order_relaxed);
    }
    if (!h) return NULL;
    memset(h, 0, nbytes);
    h->nbytes = nbytes;
    return h + 1;
}

void stria_object_release(void *object)
{
    if (!object) return;
    object_header *h = (object_header *)object - 1;
    if (h->nbytes <= SMALL_MAX)
        small_release(h, h->nbytes, USE_OBJECT, 0);
    else
        free(h);
}

void *stria_handle_new(size_t nbytes) { return small_new(nbytes, USE_HANDLE, 0); }

void stria_handle_release(void *handle, size_t nbytes) { small_release(handle, nbytes, USE_HANDLE, 0); }

void *stria_block_new(size_t nbytes)
{
    return nbytes <= SMALL_MAX ? small_new(nbytes, USE_BLOCK, nbytes) : large_new(nbytes);
}

void *stria_block_new_parts(int64_t n, int64_t nbytes_each, size_t *nbytes)
{
    int64_t total;

    if (__builtin_mul_overflow(n, nbytes_each, &total) || total > PTRDIFF_MAX) return NULL;
    *nbytes = (size_t)total;
    return stria_block_new(*nbytes);
}

void stria_block_release(void *block, size_t nbytes)
{
    if (!block) return;
    if (nbytes <= SMALL_MAX)
        small_release(block, nbytes, USE_BLOCK, nbytes);
    else
        large_release(block, nbytes);
}

void *stria_embed_new(size_t nbytes, size_t element_nbytes, bool has_handle)
{
    return small_new(nbytes, has_handle ? USE_TENSOR : USE_STORAGE, element_nbytes);
}

void stria_embed_release(void *block, size_t nbytes, size_t element_nbytes, bool has_handle)
{
    small_release(block, nbytes, has_handle ? USE_TENSOR : USE_STORAGE, element_nbytes);
}

void *stria_alloc_scratch_new(size_t nbytes) { return must_fail() ? NULL : system_new_retry(nbytes); }

void stria_alloc_scratch_release(void *p) { free(p); }

void stria_alloc_count_storage(int delta) { atomic_fetch_add_explicit(&other_storages, delta, memory_order_relaxed); }

void stria_alloc_count_handle(int delta) { atomic_fetch_add_explicit(&other_handles, delta, memory_order_relaxed); }

/* No thread holds one of these locks while it waits for another, or calls the user. */
void stria_alloc_lock_all(void)
{
    lock(&large.taken);
    for (int s = 0; s < SHARDS; s++) lock(&shards[s].taken);
}

void stria_alloc_unlock_all(void)
{
    for (int s = 0; s < SHARDS; s++) unlock(&shards[s].taken);
    unlock(&large.taken);
}

/* ---------------------------------------------------------------- tests and the public side */

void stria_alloc_set_failure(int64_t n)
{
    atomic_store(&failure_armed, false);
    atomic_store(&failure_countdown, n);
    atomic_store(&count_base, count_allocations());
    atomic_store(&failure_armed, n > 0);
}

int64_t stria_alloc_get_count(void) { return count_allocations() - atomic_load(&count_base); }

stria_memory_stats stria_memory_get_stats(void)
{
    note_peak();
    return (stria_memory_stats){
        .live_bytes = (uint64_t)sum(TALLY_LIVE),
        .peak_bytes = atomic_load(&peak_bytes),
        .cached_bytes = (uint64_t)sum(TALLY_CACHED),
        .limit_bytes = atomic_load(&limit_bytes),
        .live_tensors = sum(TALLY_HANDLES) + atomic_load(&other_handles),
        .live_storages = sum(TALLY_STORAGES) + atomic_load(&other_storages),
        .allocation_count = (uint64_t)sum(TALLY_BLOCKS),
        .cache_hit_count = (uint64_t)sum(TALLY_HITS),
    };
}

void stria_memory_set_limit(uint64_t limit)
{
    atomic_store(&limit_bytes, limit);
    if (!is_within_limit(0)) stria_memory_release_cache();
}

void stria_memory_release_cache(void)
{
    large_trim(0);
    small_release_cache();
}
