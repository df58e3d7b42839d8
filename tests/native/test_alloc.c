/* test_alloc.c - the allocator: alignment, reuse, statistics, limit, and several threads at once. */
#include <string.h>

#include "base/alloc.h"
#include "oracle.h"
#include "base/parallel.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_CACHE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_CACHE 0
#endif
#endif
#ifndef HAS_CACHE
#define HAS_CACHE 1
#endif

#define MIB ((size_t)1 << 20)

static const size_t sizes[] = {
    0,    1,    63,   64,    65,    127,    512, 513,     640,         641,     1000,        4032,           4095,
    4096, 4097, 5000, 65536, 65537, 100000, MIB, MIB + 1, 2 * MIB - 1, 2 * MIB, 2 * MIB + 1, 5 * MIB + 12345};
#define N_SIZES ((int)(sizeof sizes / sizeof sizes[0]))

static void check_blocks(void)
{
    unsigned char           *blocks[N_SIZES];
    uint64_t                 total = 0;
    const stria_memory_stats before = stria_memory_get_stats();

    for (int k = 0; k < N_SIZES; k++) {
        blocks[k] = stria_block_new(sizes[k]);
        CHECK(blocks[k] && (uintptr_t)blocks[k] % 64 == 0, "block of %zu at %p", sizes[k], (void *)blocks[k]);
        if (sizes[k]) memset(blocks[k], k + 1, sizes[k]);
        total += sizes[k];
    }
    for (int k = 0; k < N_SIZES; k++) {
        for (int other = 0; other < k; other++)
            CHECK(blocks[k] != blocks[other], "blocks %d and %d are the same", k, other);
        if (sizes[k]) CHECK(blocks[k][0] == k + 1 && blocks[k][sizes[k] - 1] == k + 1, "block %d was overwritten", k);
    }
    CHECK(stria_memory_get_stats().live_bytes - before.live_bytes == total, "live bytes are not the bytes asked for");
    CHECK(stria_memory_get_stats().peak_bytes >= before.live_bytes + total, "the peak was missed");
    CHECK(stria_memory_get_stats().allocation_count - before.allocation_count == (uint64_t)N_SIZES, "blocks counted");
    for (int k = 0; k < N_SIZES; k++) stria_block_release(blocks[k], sizes[k]);
    CHECK(stria_memory_get_stats().live_bytes == before.live_bytes, "live bytes after the release");
    stria_block_release(NULL, 100);
}

/* Every size of the small classes, written to its end: a class that is too small would be seen by the sanitizers, and
 * here by a neighbour that changed. */
static void check_small_sizes(void)
{
    for (size_t size = 1; size <= 4200; size++) {
        unsigned char *a = stria_block_new(size), *b = stria_block_new(size);
        CHECK(a && b, "no block of %zu", size);
        if (!a || !b) return;
        memset(a, 0x11, size);
        memset(b, 0x22, size);
        CHECK(a[0] == 0x11 && a[size - 1] == 0x11 && b[0] == 0x22, "blocks of %zu overlap", size);
        stria_block_release(a, size);
        stria_block_release(b, size);
    }
}

/* The size of a class: steps of 64 bytes up to 512, then four to a power of two. */
static size_t class_size(size_t nbytes)
{
    size_t step = 64;

    while (nbytes > 8 * step) step *= 2;
    return (nbytes + step - 1) / step * step;
}

/* A released block counts with the bytes of its class, and serves the least and the most that the class holds. */
static void check_classes(void)
{
    if (!HAS_CACHE) return;
    for (size_t size = 1; size <= 4096; size++) {
        const size_t whole = class_size(size);
        stria_memory_release_cache();
        void *first = stria_block_new(size), *second;
        stria_block_release(first, size);
        CHECK(stria_memory_get_stats().cached_bytes == whole, "%zu bytes are cached as %llu, not %zu", size,
              (unsigned long long)stria_memory_get_stats().cached_bytes, whole);
        second = stria_block_new(whole);
        CHECK(second == first && stria_memory_get_stats().cached_bytes == 0, "%zu bytes do not serve %zu", size, whole);
        stria_block_release(second, whole);
    }
    stria_memory_release_cache();
}

static void check_objects(void)
{
    static const size_t object_sizes[] = {0, 1, 40, 200, 4000, 4080, 4081, 100000};
    const int64_t       live = stria_alloc_get_live_objects();
    for (size_t k = 0; k < sizeof object_sizes / sizeof object_sizes[0]; k++) {
        const size_t n = object_sizes[k];
        for (int round = 0; round < 2; round++) { /* the second time it may be a used one */
            unsigned char *object = stria_object_new(n);
            size_t         zeros = 0;
            CHECK(object && (uintptr_t)object % 16 == 0, "object of %zu", n);
            CHECK(stria_alloc_get_live_objects() == live + 1, "an object of %zu bytes is not counted", n);
            for (size_t b = 0; b < n; b++) zeros += object[b] == 0;
            CHECK(zeros == n, "object of %zu is not zeroed", n);
            memset(object, 0xFF, n);
            stria_object_release(object);
            CHECK(stria_alloc_get_live_objects() == live, "a released object of %zu bytes is counted", n);
        }
    }
    stria_object_release(NULL);
    CHECK(stria_object_new(SIZE_MAX) == NULL, "an object as large as the address space");
    CHECK(stria_block_new(SIZE_MAX) == NULL, "a block as large as the address space");
    CHECK(stria_block_new((size_t)PTRDIFF_MAX) == NULL, "a block of half the address space");
}

/* Releases from `depth` times 16 KB further down the stack. */
static __attribute__((noinline)) void release_deep(void *block, size_t nbytes, int depth)
{
    volatile char here[16384];
    here[0] = (char)depth;
    if (depth > 0)
        release_deep(block, nbytes, depth - 1);
    else
        stria_block_release(block, nbytes);
    here[1] = here[0]; /* not a tail call */
}

/* A thread finds its own blocks again, however deep it was when it released them. */
static void check_depth(void)
{
    if (!HAS_CACHE) return;
    for (int depth = 0; depth < 32; depth++) {
        void          *first = stria_block_new(100);
        const uint64_t hits = stria_memory_get_stats().cache_hit_count;
        release_deep(first, 100, depth);
        void *second = stria_block_new(100);
        CHECK(second == first && stria_memory_get_stats().cache_hit_count == hits + 1,
              "released %d KB down the stack: not found again", 16 * depth);
        stria_block_release(second, 100);
    }
}

static void check_reuse(void)
{
    static const size_t reused[] = {100, 4000, 100000, 3 * MIB};
    if (!HAS_CACHE) {
        printf("test_alloc: SKIPPED reuse (nothing is cached under AddressSanitizer)\n");
        return;
    }
    stria_memory_release_cache();
    CHECK(stria_memory_get_stats().cached_bytes == 0, "bytes are cached after release_cache");
    for (int k = 0; k < 4; k++) {
        void *first = stria_block_new(reused[k]), *second;
        stria_block_release(first, reused[k]);
        CHECK(stria_memory_get_stats().cached_bytes >= reused[k], "a block of %zu is not cached", reused[k]);
        const uint64_t hits = stria_memory_get_stats().cache_hit_count;
        second = stria_block_new(reused[k]);
        CHECK(second == first, "a block of %zu is not used again", reused[k]);
        CHECK(stria_memory_get_stats().cache_hit_count == hits + 1, "the hit is not counted");
        stria_block_release(second, reused[k]);
    }
    stria_memory_release_cache();
    CHECK(stria_memory_get_stats().cached_bytes == 0, "bytes are cached after release_cache");
}

#if UINTPTR_MAX > UINT32_MAX
/* The cache has a bound: what is released last stays, what is oldest goes. */
static void check_bound(void)
{
    enum { N = 48 };
    void *blocks[N];

    if (!HAS_CACHE) return;
    for (int k = 0; k < N; k++) {
        blocks[k] = stria_block_new(64 * MIB + (size_t)k * 8 * MIB);
        CHECK(blocks[k] != NULL, "no block %d", k); /* not touched, so no memory is used */
    }
    for (int k = 0; k < N; k++) stria_block_release(blocks[k], 64 * MIB + (size_t)k * 8 * MIB);
    CHECK(stria_memory_get_stats().cached_bytes <= 1024 * MIB, "the cache holds %llu bytes",
          (unsigned long long)stria_memory_get_stats().cached_bytes);
    CHECK(stria_memory_get_stats().cached_bytes > 256 * MIB, "the cache holds too little");
    stria_memory_release_cache();
}
#endif

static void check_limit(void)
{
    const uint64_t live = stria_memory_get_stats().live_bytes;
    void          *large, *small;

    stria_memory_set_limit(live + 4 * MIB);
    CHECK(stria_memory_get_stats().limit_bytes == live + 4 * MIB, "the limit is not reported");
    CHECK(stria_block_new(4 * MIB + 1) == NULL, "a block beyond the limit");
    large = stria_block_new(3 * MIB);
    CHECK(large != NULL, "a block within the limit");
    stria_block_release(large, 3 * MIB);
    large = stria_block_new(4 * MIB); /* another class: the cached block must make room */
    CHECK(large != NULL, "the cache does not make room");
    CHECK(stria_block_new(1) == NULL, "a small block beyond the limit");
    CHECK(stria_memory_get_stats().live_bytes == live + 4 * MIB, "live bytes at the limit");
    stria_block_release(large, 4 * MIB);
    small = stria_block_new(100);
    CHECK(small != NULL, "a small block within the limit");
    CHECK(stria_memory_get_stats().live_bytes + stria_memory_get_stats().cached_bytes <= live + 4 * MIB,
          "live and cached bytes exceed the limit");
    stria_block_release(small, 100);
    large = stria_block_new(4 * MIB);
    stria_block_release(large, 4 * MIB); /* kept for reuse */
    small = stria_block_new(3 * MIB);
    CHECK(small && stria_block_new(4 * MIB) == NULL, "a block that is there, but beyond the limit");
    CHECK(stria_memory_get_stats().live_bytes == live + 3 * MIB, "live bytes after the refusal");
    stria_block_release(small, 3 * MIB);
    stria_memory_set_limit(0);
    large = stria_block_new(8 * MIB);
    CHECK(large != NULL, "a block without limit");
    stria_block_release(large, 8 * MIB);
}

#if UINTPTR_MAX > UINT32_MAX
/* A block above half of what the cache may hold goes back to the system at once. */
static void check_huge(void)
{
    const size_t nbytes = ((size_t)512 << 20) + 1;

    stria_memory_release_cache();
    void *huge = stria_block_new(nbytes); /* not touched */
    CHECK(huge != NULL, "no memory");
    if (huge) stria_block_release(huge, nbytes);
    CHECK(stria_memory_get_stats().cached_bytes == 0, "%llu bytes are kept",
          (unsigned long long)stria_memory_get_stats().cached_bytes);
}
#endif

static void check_failures_injected(void)
{
    void *a, *b;

    stria_alloc_set_failure(2);
    a = stria_block_new(10);
    b = stria_object_new(10);
    CHECK(a && !b, "the second allocation must fail");
    CHECK(stria_block_new(100000) == NULL, "later ones must fail too");
    stria_alloc_set_failure(0);
    CHECK(stria_alloc_get_count() == 0, "the count starts anew");
    b = stria_object_new(10);
    CHECK(b && stria_alloc_get_count() == 1, "one allocation, counted as %lld", (long long)stria_alloc_get_count());
    stria_block_release(a, 10);
    stria_object_release(b);
}

/* Blocks move between threads: one chunk allocates what another releases. */
enum { SLOTS = 512, PASSES = 40 };
static void  *shared_blocks[SLOTS];
static size_t slot_size(int64_t k) { return (size_t)(k * 37 % 9000 + 1); }

static void allocate_range(void *context, int thread, int64_t begin, int64_t end)
{
    (void)context;
    for (int64_t k = begin; k < end; k++) {
        shared_blocks[k] = stria_block_new(slot_size(k));
        if (shared_blocks[k]) memset(shared_blocks[k], thread + 1, slot_size(k));
    }
}

static void release_range(void *context, int thread, int64_t begin, int64_t end)
{
    (void)context;
    (void)thread;
    for (int64_t k = begin; k < end; k++) stria_block_release(shared_blocks[SLOTS - 1 - k], slot_size(SLOTS - 1 - k));
}

static void check_threads(void)
{
    const stria_memory_stats before = stria_memory_get_stats();

    CHECK_STATUS(stria_threads_set(4, NULL), STRIA_OK);
    for (int pass = 0; pass < PASSES; pass++) {
        stria_parallel_for(stria_team_get(), 0, SLOTS, 1, allocate_range, NULL);
        int held = 0;
        for (int k = 0; k < SLOTS; k++) {
            const unsigned char *b = shared_blocks[k];
            held += b && b[0] == b[slot_size(k) - 1] && b[0] >= 1 && b[0] <= 4;
        }
        CHECK(held == SLOTS, "pass %d: %d of %d blocks hold", pass, held, SLOTS);
        stria_parallel_for(stria_team_get(), 0, SLOTS, 1, release_range, NULL);
    }
    CHECK(stria_memory_get_stats().live_bytes == before.live_bytes, "live bytes after threads");
    CHECK(stria_memory_get_stats().allocation_count == before.allocation_count + SLOTS * PASSES, "blocks counted");
}

static void check_parts(void)
{
    const uint64_t before = stria_memory_get_stats().live_bytes;
    size_t         nbytes = 0;
    void          *parts = stria_block_new_parts(40, 64, &nbytes);

    CHECK(parts && nbytes == 40 * 64, "%zu bytes of parts", nbytes);
    CHECK(stria_memory_get_stats().live_bytes == before + nbytes, "live bytes of parts");
    stria_block_release(parts, nbytes);
    parts = stria_block_new_parts(0, 64, &nbytes);
    CHECK(parts && nbytes == 0, "no parts");
    stria_block_release(parts, nbytes);
    CHECK(stria_block_new_parts(INT64_MAX, 2, &nbytes) == NULL, "more bytes than int64_t counts");
    CHECK(stria_block_new_parts(INT64_C(1) << 56, 64, &nbytes) == NULL, "2^62 bytes");
    if (sizeof(void *) == 4) CHECK(stria_block_new_parts(INT64_C(1) << 26, 64, &nbytes) == NULL, "2^32 bytes");
    CHECK(stria_memory_get_stats().live_bytes == before, "live bytes after parts");
}

SUITE(test_alloc)
{
    check_blocks();
    check_parts();
    check_small_sizes();
    check_classes();
    check_objects();
    check_reuse();
    check_depth();
#if UINTPTR_MAX > UINT32_MAX
    check_bound();
    check_huge();
#endif
    check_limit();
    check_failures_injected();
    check_threads();
    stria_memory_release_cache();
    CHECK(stria_memory_get_stats().live_bytes == 0, "%llu bytes are still alive",
          (unsigned long long)stria_memory_get_stats().live_bytes);
    return check_finish("test_alloc");
}
