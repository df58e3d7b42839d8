/* memory.c - memory of devices: blocks come from the plug-in's pools; here they are counted and limited. */
#include <stdatomic.h>

#include "base/error.h"
#include "cuda/cuda_device.h"
#include "tensor/device.h"

enum { MOST_DEVICES = 16 };

static struct {
    _Atomic uint64_t live, peak, limit, n_allocations;
    _Atomic int64_t  n_storages;
} counts[MOST_DEVICES];

/* Counts nbytes in; false: the limit. What is kept for reuse, by graphs, then in the pool, is given back first where both together would be above
 * it; not in a capture, which has its memory already. */
static bool count_in(const stria_cuda_queue *queue, uint64_t nbytes)
{
    const int         device = queue->device;
    const uint64_t    limit = atomic_load(&counts[device].limit);
    uint64_t          live = atomic_fetch_add(&counts[device].live, nbytes) + nbytes;
    stria_cuda_memory memory;

    if (limit == 0 || queue->is_capture) return true;
    if (live > limit) {
        stria_cuda_kept_give_back(device);
        live = atomic_load(&counts[device].live);
    }
    if (live > limit) {
        atomic_fetch_sub(&counts[device].live, nbytes);
        return false;
    }
    if (stria_cuda_get_plugin()->get_memory(device, &memory) == STRIA_CUDA_OK &&
        memory.reserved_bytes - memory.used_bytes > limit - live)
        (void)stria_cuda_get_plugin()->block_trim(device); /* a fault is found by the allocation */
    return true;
}

static void count_out(int device, uint64_t nbytes) { atomic_fetch_sub(&counts[device].live, nbytes); }

static void count_peak(int device)
{
    const uint64_t live = atomic_load(&counts[device].live);
    uint64_t       peak = atomic_load(&counts[device].peak);

    while (live > peak && !atomic_compare_exchange_weak(&counts[device].peak, &peak, live)) continue;
}

void *stria_cuda_memory_allocate(stria_device device, size_t nbytes, void **context)
{
    stria_cuda_queue *queue;
    void             *block = NULL;

    if (stria_cuda_queue_get(device.index, "tensor", &queue, NULL) != STRIA_OK) return NULL;
    if (!count_in(queue, nbytes)) return NULL;
    const int code = stria_cuda_get_plugin()->block_new(queue->stream, nbytes, &block);
    if (stria_cuda_check(device.index, code, "tensor", NULL) != STRIA_OK) {
        count_out(device.index, nbytes);
        return NULL;
    }
    count_peak(device.index);
    atomic_fetch_add(&counts[device.index].n_allocations, 1);
    atomic_fetch_add(&counts[device.index].n_storages, 1);
    *context = queue;
    return block;
}

void stria_cuda_memory_release(stria_device device, void *data, size_t nbytes, void *context)
{
    stria_cuda_queue *home = context;
    const char       *why;

    count_out(device.index, nbytes);
    atomic_fetch_sub(&counts[device.index].n_storages, 1);
    if (stria_cuda_open(&why) == NULL) return; /* a forked child: the block is the parent's */
    (void)stria_cuda_check(device.index, stria_cuda_get_plugin()->block_release(home->stream, data), "tensor", NULL);
}

stria_status stria_cuda_memory_get_stats(stria_device device, stria_memory_stats *stats, stria_error *err)
{
    stria_cuda_memory memory;
    const int         d = device.index;

    STRIA_TRY(stria_cuda_check(d, stria_cuda_get_plugin()->get_memory(d, &memory), "memory", err));
    *stats = (stria_memory_stats){.live_bytes = atomic_load(&counts[d].live),
                                  .peak_bytes = atomic_load(&counts[d].peak),
                                  .cached_bytes = memory.reserved_bytes - memory.used_bytes,
                                  .limit_bytes = atomic_load(&counts[d].limit),
                                  .live_storages = atomic_load(&counts[d].n_storages),
                                  .allocation_count = atomic_load(&counts[d].n_allocations)};
    return STRIA_OK;
}

uint64_t stria_cuda_memory_get_live_nbytes(void)
{
    uint64_t nbytes = 0;

    for (int d = 0; d < MOST_DEVICES; d++) nbytes += atomic_load_explicit(&counts[d].live, memory_order_relaxed);
    return nbytes;
}

void stria_cuda_memory_set_limit(stria_device device, uint64_t limit_bytes)
{
    atomic_store(&counts[device.index].limit, limit_bytes);
}

stria_status stria_cuda_memory_release_cache(stria_device device, stria_error *err)
{
    stria_cuda_kept_give_back(device.index);
    return stria_cuda_check(device.index, stria_cuda_get_plugin()->block_trim(device.index), "memory", err);
}
