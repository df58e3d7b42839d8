/* alloc.c - memory: small blocks, statistics, the limit, injected failures (alloc.h). Large blocks: alloc_large.c.
 *
 * A small block has up to SMALL_MAX bytes. Sizes are rounded up to SMALL_CLASSES classes, and each class has a list
 * of free blocks. The lists exist SHARDS times, each time with a lock of their own. A thread prefers one shard,
 * chosen by its identity, and takes the next one if that is locked, so threads rarely wait for each other. A block
 * may be released to another shard than it was taken from. A block that the lists may not keep is given back to the
 * system. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc_internal.h"

#define SMALL_MAX STRIA_SMALL_MAX
#define SMALL_CLASSES 20
#define SMALL_LIST_BYTES 32768 /* a class of a shard may always keep so many */
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
#define SHARDS 1
#else
#define SHARDS 8
#endif
/* All classes of one shard together may keep so many bytes. A thread fills one shard, and a garbage collector ends
 * thousands of tensors at a time. */
#if defined(__EMSCRIPTEN__)
#define SMALL_CACHE_MAX ((int64_t)16 << 20)
#else
#define SMALL_CACHE_MAX ((int64_t)64 << 20)
#endif

/* ---------------------------------------------------------------- state */

/* What small blocks are used for: bit 0, they hold a handle; bit 1, a storage; bit 2, elements. */
typedef enum use { USE_OBJECT = 0, USE_HANDLE = 1, USE_BLOCK = 4, USE_STORAGE = 6, USE_TENSOR = 7 } use;

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

/* Storages and handles that were counted apart from their memory, and objects larger than SMALL_MAX. */
static atomic_llong  other_storages, other_handles, other_objects, other_live_objects;
static atomic_ullong peak_bytes;
static atomic_llong  count_base;

atomic_ullong stria_alloc_limit;
atomic_llong  stria_alloc_failure_countdown;
atomic_bool   stria_alloc_failure_armed;

static int64_t sum(tally t)
{
    int64_t total = counter_get(&stria_large_tallies[t]);
    for (int s = 0; s < SHARDS; s++) total += counter_get(&shards[s].tallies[t]);
    return total;
}

static int64_t count_allocations(void) { return sum(TALLY_OBJECTS) + sum(TALLY_BLOCKS) + atomic_load(&other_objects); }

void stria_alloc_note_peak(void)
{
    const uint64_t     live = (uint64_t)sum(TALLY_LIVE);
    unsigned long long peak = atomic_load_explicit(&peak_bytes, memory_order_relaxed);

    while (live > peak && !atomic_compare_exchange_weak_explicit(&peak_bytes, &peak, live, memory_order_relaxed,
                                                                 memory_order_relaxed)) {}
}

/* ---------------------------------------------------------------- the system */

/* If the system has no memory left, cached blocks are given back to it, and it is asked again. */
static void *system_new_retry(size_t nbytes)
{
    void *p = system_new(nbytes);
    if (p) return p;
    stria_memory_release_cache();
    return system_new(nbytes);
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

/* Locks the first shard from number s on that is not locked. */
static __attribute__((noinline)) shard *shard_search(unsigned s)
{
    for (int round = 0;; round++) {
        shard *st = &shards[s++ % SHARDS];
        if (shard_try(st)) return st;
        pause_briefly(round);
    }
}

/* Locks a shard. A thread always prefers the same one, where it finds the blocks that it released. Two threads seldom
 * prefer the same one. */
static inline shard *shard_take(void)
{
    const uint32_t self = SHARDS > 1 ? (uint32_t)((uintptr_t)pthread_self() >> 6) : 0;
    const unsigned s = self * 0x9E3779B1u >> 24;
    shard         *st = &shards[s % SHARDS];

    return shard_try(st) ? st : shard_search(s + 1);
}

/* st is locked; sign is 1 for a new block and -1 for a released one. */
static inline void count_use(shard *st, use u, size_t live, int sign)
{
    counter_add(&st->tallies[TALLY_HANDLES], sign * (int)(u & 1));
    counter_add(&st->tallies[TALLY_STORAGES], sign * (int)(u >> 1 & 1));
    counter_add(&st->tallies[TALLY_LIVE], sign * (int64_t)live);
    if (u == USE_OBJECT) counter_add(&st->tallies[TALLY_LIVE_OBJECTS], sign);
    if (sign > 0) counter_add(&st->tallies[u & 4 ? TALLY_BLOCKS : TALLY_OBJECTS], 1);
}

/* Gives every cached small block back to the system. */
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

__attribute__((noinline)) bool stria_alloc_fits_limit(uint64_t limit, size_t more)
{
    const uint64_t used = (uint64_t)(sum(TALLY_LIVE) + sum(TALLY_CACHED));
    return more <= limit && used <= limit - more;
}

/* A cached block of class c, or NULL. st is locked. */
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

/* Counts a new block and unlocks st. */
static inline void small_finish(shard *st, use u, size_t live)
{
    count_use(st, u, live, 1);
    const int64_t risen = counter_get(&st->tallies[TALLY_LIVE]) - counter_get(&st->live_peak);
    if (risen > 0) counter_add(&st->live_peak, risen);
    unlock(&st->taken);
    if (risen > 0) stria_alloc_note_peak();
}

static __attribute__((noinline)) void *small_system_new(size_t nbytes, use u, size_t live)
{
    void *p = system_new_retry(nbytes);

    if (p) small_finish(shard_take(), u, live);
    return p;
}

/* nbytes <= SMALL_MAX, of which `live` are elements. */
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
        atomic_fetch_add_explicit(&other_live_objects, h != NULL, memory_order_relaxed);
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
    if (h->nbytes <= SMALL_MAX) {
        small_release(h, h->nbytes, USE_OBJECT, 0);
    } else {
        free(h);
        atomic_fetch_add_explicit(&other_live_objects, -1, memory_order_relaxed);
    }
}

void *stria_handle_new(size_t nbytes) { return small_new(nbytes, USE_HANDLE, 0); }

void stria_handle_release(void *handle, size_t nbytes) { small_release(handle, nbytes, USE_HANDLE, 0); }

void *stria_block_new(size_t nbytes)
{
    return nbytes <= SMALL_MAX ? small_new(nbytes, USE_BLOCK, nbytes) : stria_large_new(nbytes);
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
        stria_large_release(block, nbytes);
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
    stria_large_lock();
    for (int s = 0; s < SHARDS; s++) lock(&shards[s].taken);
}

void stria_alloc_unlock_all(void)
{
    for (int s = 0; s < SHARDS; s++) unlock(&shards[s].taken);
    stria_large_unlock();
}

/* ---------------------------------------------------------------- tests and the public side */

void stria_alloc_set_failure(int64_t n)
{
    atomic_store(&stria_alloc_failure_armed, false);
    atomic_store(&stria_alloc_failure_countdown, n);
    atomic_store(&count_base, count_allocations());
    atomic_store(&stria_alloc_failure_armed, n > 0);
}

int64_t stria_alloc_get_count(void) { return count_allocations() - atomic_load(&count_base); }

int64_t stria_alloc_get_live_objects(void) { return sum(TALLY_LIVE_OBJECTS) + atomic_load(&other_live_objects); }

stria_memory_stats stria_memory_get_stats(void)
{
    stria_alloc_note_peak();
    return (stria_memory_stats){
        .live_bytes = (uint64_t)sum(TALLY_LIVE),
        .peak_bytes = atomic_load(&peak_bytes),
        .cached_bytes = (uint64_t)sum(TALLY_CACHED),
        .limit_bytes = atomic_load(&stria_alloc_limit),
        .live_tensors = sum(TALLY_HANDLES) + atomic_load(&other_handles),
        .live_storages = sum(TALLY_STORAGES) + atomic_load(&other_storages),
        .allocation_count = (uint64_t)sum(TALLY_BLOCKS),
        .cache_hit_count = (uint64_t)sum(TALLY_HITS),
    };
}

void stria_memory_set_limit(uint64_t limit)
{
    atomic_store(&stria_alloc_limit, limit);
    if (!is_within_limit(0)) stria_memory_release_cache();
}

void stria_memory_release_cache(void)
{
    stria_large_trim(0);
    small_release_cache();
}
