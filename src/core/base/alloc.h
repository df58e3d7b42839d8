/* alloc.h - every allocation of the library. Internal.
 *
 * Objects (parts of iterators, shapes of many dims), handles and blocks of element memory. Up to 4 KB all three come
 * from free lists by size class; larger blocks come from a cache by size class, on huge pages from 2 MB where the
 * system has them. Blocks count against the memory limit; everything can be made to fail for tests. Thread-safe. */
#ifndef STRIA_ALLOC_H
#define STRIA_ALLOC_H

#include "stria.h"

/* Under AddressSanitizer nothing is cached, so that it sees every use after release. */
#if defined(__SANITIZE_ADDRESS__)
#define STRIA_HAS_CACHE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STRIA_HAS_CACHE 0
#endif
#endif
#ifndef STRIA_HAS_CACHE
#define STRIA_HAS_CACHE 1
#endif

/* Largest block that comes from a free list. */
#define STRIA_SMALL_MAX 4096
/* Most bytes of a block that stria_embed_new makes; it makes none where nothing is cached. */
#define STRIA_EMBED_MAX (STRIA_HAS_CACHE ? STRIA_SMALL_MAX : 0)

/* Zeroed memory, aligned for any type, or NULL. NULL may be released. */
void *stria_object_new(size_t nbytes);
void  stria_object_release(void *object);

/* Memory of a tensor handle, counted as one: nbytes with undefined contents, or NULL; the same nbytes on release. */
void *stria_handle_new(size_t nbytes);
void  stria_handle_release(void *handle, size_t nbytes);

/* nbytes of 64-byte aligned memory with undefined contents, or NULL. nbytes 0 gives a valid unique pointer. */
void *stria_block_new(size_t nbytes);
/* The same for n >= 0 parts of nbytes_each >= 0 bytes. NULL also if the product is larger than any block can be: an
 * expanded tensor may have more elements than memory has bytes. *nbytes is what stria_block_release needs. */
void *stria_block_new_parts(int64_t n, int64_t nbytes_each, size_t *nbytes);
/* nbytes as given to stria_block_new. */
void stria_block_release(void *block, size_t nbytes);

/* One 64-byte aligned block of nbytes for a storage, its elements (element_nbytes of it) and, with a handle, the
 * handle of its first tensor; counted as these. Contents undefined; NULL: no memory. */
void *stria_embed_new(size_t nbytes, size_t element_nbytes, bool has_handle);
/* has_handle: the handle ends with the block. A handle that ended earlier was counted by stria_alloc_count_handle. */
void stria_embed_release(void *block, size_t nbytes, size_t element_nbytes, bool has_handle);

/* Scratch memory of a thread (scratch.c), which no statistics count: 64-byte aligned, contents undefined, or NULL. */
void *stria_alloc_scratch_new(size_t nbytes);
void  stria_alloc_scratch_release(void *p);

/* For stria_memory_get_stats: counts storages and handles that begin or end without an allocation. */
void stria_alloc_count_storage(int delta);
void stria_alloc_count_handle(int delta);

/* Called around a fork (parallel.c). The child has one thread only; no other thread may hold a lock then. */
void stria_alloc_lock_all(void);
void stria_alloc_unlock_all(void);

/* Tests: the n-th allocation from now (1 = the next) and every later one fails; 0 turns it off. */
void stria_alloc_set_failure(int64_t n);
/* Tests: allocations asked for since the last stria_alloc_set_failure. */
int64_t stria_alloc_get_count(void);
/* Tests: objects of stria_object_new that are not released. */
int64_t stria_alloc_get_live_objects(void);

#endif
