/* pool.cpp - allocation of device memory, at once and in the order of streams, and pools.
 *
 * A pool counts as CUDA's do: what is freed stays reserved until someone waits, and then above the threshold no more. No
 * address is used twice all the same. Nothing is trimmed when memory runs out: that is the library's business. */
#include "runtime.h"

struct CUmemPoolHandle_st {
    int      device;
    uint64_t threshold, reserved, reserved_high, used, used_high, most;
    int      reuse[3];
    bool     is_open[cuda_host::DEVICES]; /* to kernels and copies of another device */
    bool     is_default, ended;           /* ended: destroyed, and gone with its last block */
};

namespace cuda_host {

static const uint64_t GRANULE = 2 << 20; /* what a pool reserves at a time */

static std::set<CUmemPoolHandle_st *> &pools = *new std::set<CUmemPoolHandle_st *>();
static CUmemPoolHandle_st             *default_pool[DEVICES], *current_pool[DEVICES];

static CUmemPoolHandle_st *pool_new(int device, bool is_default)
{
    CUmemPoolHandle_st *p = new CUmemPoolHandle_st();
    p->device = device;
    p->is_default = is_default;
    for (int &r : p->reuse) r = 1;
    pools.insert(p);
    return p;
}

static CUmemPoolHandle_st *default_of(int device)
{
    if (!default_pool[device]) default_pool[device] = pool_new(device, true);
    return default_pool[device];
}

static CUmemPoolHandle_st *pool_get(cudaMemPool_t pool)
{
    auto at = pools.find(pool);
    return at == pools.end() || (*at)->ended ? NULL : *at;
}

bool pool_is_open(cudaMemPool_t pool, int device) { return !pool || pool->device == device || pool->is_open[device]; }

size_t pools_get_reserved(int device)
{
    size_t n = 0;
    for (const CUmemPoolHandle_st *p : pools)
        if (p->device == device) n += p->reserved;
    return n;
}

static void pool_trim(CUmemPoolHandle_st *p, uint64_t keep)
{
    const uint64_t least = (p->used + GRANULE - 1) / GRANULE * GRANULE;
    keep = std::min<uint64_t>(keep, UINT64_MAX - GRANULE); /* which rounds up without overflow */
    keep = (keep + GRANULE - 1) / GRANULE * GRANULE;
    if (p->reserved > least) p->reserved = std::max(least, std::min(p->reserved, keep));
    if (p->ended && p->used == 0) {
        pools.erase(p);
        delete p;
    }
}

void pools_release(int device)
{
    for (auto at = pools.begin(); at != pools.end();) {
        CUmemPoolHandle_st *p = *at++;
        if (p->device == device) pool_trim(p, p->threshold);
    }
}

void pools_drop(int device)
{
    for (CUmemPoolHandle_st *p : pools)
        if (p->device == device) p->reserved = p->used = 0;
}

int64_t pool_count()
{
    int64_t n = 0;
    for (const CUmemPoolHandle_st *p : pools) n += !p->is_default && !p->ended;
    return n;
}

/* Room for `size` bytes in the pool, or false. */
static bool pool_take(CUmemPoolHandle_st *p, uint64_t size)
{
    const uint64_t needed = (p->used + size + GRANULE - 1) / GRANULE * GRANULE;
    const size_t   taken = state.devices[p->device].used + pools_get_reserved(p->device);
    if (needed > p->reserved) {
        const uint64_t more = needed - p->reserved;
        if (more > state.devices[p->device].memory || taken > state.devices[p->device].memory - more) return false;
        if (p->most && needed > p->most) return false;
        p->reserved = needed;
        p->reserved_high = std::max(p->reserved_high, p->reserved);
    }
    p->used += size;
    p->used_high = std::max(p->used_high, p->used);
    return true;
}

static void block_return(block *b)
{
    if (b->pool)
        b->pool->used -= b->size;
    else
        state.devices[b->device].used -= b->size;
    CUmemPoolHandle_st *p = b->pool;
    block_release(b);
    if (p && p->ended) pool_trim(p, 0);
}

static cudaError_t refuse_allocation()
{
    cudaError_t code = cudaSuccess;
    state.counts.allocations++;
    return is_failing("memory", &code) ? code : cudaSuccess;
}

/* The block's number of bytes keeps its identity: addresses are used once. */
static cudaError_t allocate_async(void **at, size_t size, CUmemPoolHandle_st *pool, CUstream_st *s)
{
    cudaError_t code = refuse_allocation();
    if (code != cudaSuccess) return code;
    if (stream_is_capturing(s)) return capture_refuse(s, cudaErrorStreamCaptureUnsupported);
    if (pool->device != stream_get_device(s)) return cudaErrorInvalidValue;
    if (!pool_take(pool, size)) return cudaErrorMemoryAllocation;
    block *b = block_new(pool->device, size, pool);
    if (!b) {
        pool->used -= size;
        return cudaErrorMemoryAllocation;
    }
    *at = b->at;
    char *const key = b->at;
    return stream_add(s, [key]() {
        if (block *made = block_find(key)) block_make(made);
        return cudaSuccess;
    });
}

} // namespace cuda_host

using namespace cuda_host;

cudaError_t cudaMalloc(void **at, size_t size)
{
    CUDA_HOST_ENTER("cudaMalloc");
    device_state *d = &state.devices[call.device];
    if (!at) return call.done(cudaErrorInvalidValue);
    if (is_capture_forbidding()) return call.done(capture_refuse(NULL, cudaErrorStreamCaptureUnsupported));
    *at = NULL;
    if (size == 0) return call.done(cudaSuccess);
    cudaError_t code = refuse_allocation();
    if (code != cudaSuccess) return call.done(code);
    const size_t taken = d->used + pools_get_reserved(call.device);
    block       *b = size <= d->memory && taken <= d->memory - size ? block_new(call.device, size, NULL) : NULL;
    if (!b) return call.done(cudaErrorMemoryAllocation);
    d->used += size;
    block_make(b);
    *at = b->at;
    return call.done(cudaSuccess);
}

cudaError_t cudaFree(void *at)
{
    CUDA_HOST_ENTER("cudaFree");
    if (!at) return call.done(cudaSuccess);
    block *b = block_find(at);
    if (!b || b->at != at || b->dying) return call.done(cudaErrorInvalidValue);
    if (is_capture_forbidding()) return call.done(capture_refuse(NULL, cudaErrorStreamCaptureUnsupported));
    device_wait(b->device); /* as CUDA does, though it does not promise to */
    b = block_find(at);
    if (b) block_return(b);
    return call.done(cudaSuccess);
}

cudaError_t cudaMallocAsync(void **at, size_t size, cudaStream_t stream)
{
    CUDA_HOST_ENTER("cudaMallocAsync");
    CUstream_st *s = stream_get(stream);
    if (!at) return call.done(cudaErrorInvalidValue);
    *at = NULL;
    if (!s) return call.done(cudaErrorInvalidResourceHandle);
    if (size == 0) return call.done(cudaSuccess);
    const int           device = stream_get_device(s);
    CUmemPoolHandle_st *pool = current_pool[device] ? current_pool[device] : default_of(device);
    return call.done(allocate_async(at, size, pool, s));
}

cudaError_t cudaMallocFromPoolAsync(void **at, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    CUDA_HOST_ENTER("cudaMallocFromPoolAsync");
    CUstream_st        *s = stream_get(stream);
    CUmemPoolHandle_st *p = pool_get(pool);
    if (!at) return call.done(cudaErrorInvalidValue);
    *at = NULL;
    if (!s) return call.done(cudaErrorInvalidResourceHandle);
    if (!p) return call.done(cudaErrorInvalidValue);
    if (size == 0) return call.done(cudaSuccess);
    return call.done(allocate_async(at, size, p, s));
}

cudaError_t cudaFreeAsync(void *at, cudaStream_t stream)
{
    CUDA_HOST_ENTER("cudaFreeAsync");
    CUstream_st *s = stream_get(stream);
    if (!s) return call.done(cudaErrorInvalidResourceHandle);
    if (!at) return call.done(cudaSuccess);
    block *b = block_find(at);
    if (!b || b->at != at || b->dying) return call.done(cudaErrorInvalidValue);
    if (stream_is_capturing(s)) return call.done(capture_refuse(s, cudaErrorStreamCaptureUnsupported));
    b->dying = true;
    char *const key = b->at;
    return call.done(stream_add(s, [key]() -> cudaError_t {
        block *gone = block_find(key);
        if (!gone) return cudaSuccess;
        if (!gone->made) {
            tell("a block of %zu bytes is freed in a stream that has not waited for its allocation", gone->size);
            return cudaErrorIllegalAddress;
        }
        block_return(gone);
        return cudaSuccess;
    }));
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    CUDA_HOST_ENTER("cudaMemGetInfo");
    const device_state *d = &state.devices[call.device];
    const size_t        taken = d->used + pools_get_reserved(call.device);
    if (!free || !total) return call.done(cudaErrorInvalidValue);
    *total = d->memory;
    *free = taken < d->memory ? d->memory - taken : 0;
    return call.done(cudaSuccess);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties)
{
    CUDA_HOST_ENTER("cudaMemPoolCreate");
    if (!pool || !properties || properties->allocType != cudaMemAllocationTypePinned ||
        properties->handleTypes != cudaMemHandleTypeNone || properties->location.type != cudaMemLocationTypeDevice)
        return call.done(cudaErrorInvalidValue);
    if (properties->location.id < 0 || properties->location.id >= state.device_count)
        return call.done(cudaErrorInvalidDevice);
    CUmemPoolHandle_st *p = pool_new(properties->location.id, false);
    p->most = properties->maxSize;
    *pool = p;
    return call.done(cudaSuccess);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    CUDA_HOST_ENTER("cudaMemPoolDestroy");
    CUmemPoolHandle_st *p = pool_get(pool);
    if (!p || p->is_default) return call.done(cudaErrorInvalidValue);
    if (current_pool[p->device] == p) current_pool[p->device] = NULL;
    p->ended = true;
    pool_trim(p, 0);
    return call.done(cudaSuccess);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value)
{
    CUDA_HOST_ENTER("cudaMemPoolSetAttribute");
    CUmemPoolHandle_st *p = pool_get(pool);
    if (!p || !value) return call.done(cudaErrorInvalidValue);
    const uint64_t wide = attribute >= cudaMemPoolAttrReleaseThreshold ? *static_cast<uint64_t *>(value) : 0;
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: p->reuse[attribute - 1] = *static_cast<int *>(value); break;
    case cudaMemPoolAttrReleaseThreshold: p->threshold = wide; break;
    /* the highest values may be set to zero */
    case cudaMemPoolAttrReservedMemHigh:
        if (wide) return call.done(cudaErrorInvalidValue);
        p->reserved_high = p->reserved;
        break;
    case cudaMemPoolAttrUsedMemHigh:
        if (wide) return call.done(cudaErrorInvalidValue);
        p->used_high = p->used;
        break;
    default: return call.done(cudaErrorInvalidValue);
    }
    return call.done(cudaSuccess);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value)
{
    CUDA_HOST_ENTER("cudaMemPoolGetAttribute");
    CUmemPoolHandle_st *p = pool_get(pool);
    if (!p || !value) return call.done(cudaErrorInvalidValue);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: *static_cast<int *>(value) = p->reuse[attribute - 1]; break;
    case cudaMemPoolAttrReleaseThreshold: *static_cast<uint64_t *>(value) = p->threshold; break;
    case cudaMemPoolAttrReservedMemCurrent: *static_cast<uint64_t *>(value) = p->reserved; break;
    case cudaMemPoolAttrReservedMemHigh: *static_cast<uint64_t *>(value) = p->reserved_high; break;
    case cudaMemPoolAttrUsedMemCurrent: *static_cast<uint64_t *>(value) = p->used; break;
    case cudaMemPoolAttrUsedMemHigh: *static_cast<uint64_t *>(value) = p->used_high; break;
    default: return call.done(cudaErrorInvalidValue);
    }
    return call.done(cudaSuccess);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *accesses, size_t n)
{
    CUDA_HOST_ENTER("cudaMemPoolSetAccess");
    CUmemPoolHandle_st *p = pool_get(pool);
    if (!p || (!accesses && n > 0)) return call.done(cudaErrorInvalidValue);
    for (size_t k = 0; k < n; k++) {
        const int device = accesses[k].location.id;
        if (accesses[k].location.type != cudaMemLocationTypeDevice || device < 0 || device >= state.device_count)
            return call.done(cudaErrorInvalidValue);
        if (device == p->device && accesses[k].flags != cudaMemAccessFlagsProtReadWrite)
            return call.done(cudaErrorInvalidDevice); /* its own cannot be taken from it */
    }
    for (size_t k = 0; k < n; k++)
        p->is_open[accesses[k].location.id] = accesses[k].flags == cudaMemAccessFlagsProtReadWrite;
    return call.done(cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    CUDA_HOST_ENTER("cudaMemPoolTrimTo");
    CUmemPoolHandle_st *p = pool_get(pool);
    if (!p) return call.done(cudaErrorInvalidValue);
    pool_trim(p, keep);
    return call.done(cudaSuccess);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    CUDA_HOST_ENTER("cudaDeviceGetDefaultMemPool");
    if (!pool) return call.done(cudaErrorInvalidValue);
    if (device < 0 || device >= state.device_count) return call.done(cudaErrorInvalidDevice);
    *pool = default_of(device);
    return call.done(cudaSuccess);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    CUDA_HOST_ENTER("cudaDeviceGetMemPool");
    if (!pool) return call.done(cudaErrorInvalidValue);
    if (device < 0 || device >= state.device_count) return call.done(cudaErrorInvalidDevice);
    *pool = current_pool[device] ? current_pool[device] : default_of(device);
    return call.done(cudaSuccess);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    CUDA_HOST_ENTER("cudaDeviceSetMemPool");
    CUmemPoolHandle_st *p = pool_get(pool);
    if (device < 0 || device >= state.device_count) return call.done(cudaErrorInvalidDevice);
    if (!p || p->device != device) return call.done(cudaErrorInvalidValue);
    current_pool[device] = p;
    return call.done(cudaSuccess);
}
