/* copy.cpp - copies, fills, launches, and pinned memory: what is queued, and what is checked before.
 *
 * Pinned memory is read and written when the stream gets there. Pageable memory is read at once or when the stream gets there,
 * as it happens, and the call waits where CUDA's would. */
#include "runtime.h"

namespace cuda_host {

enum memory_kind { PAGEABLE, PINNED, DEVICE, NOT_THERE };

/* Where size bytes from `at` on are; NOT_THERE: not within one block. */
static memory_kind kind_of(const void *at, size_t size)
{
    const char *a = static_cast<const char *>(at);
    if (is_device_address(at)) {
        const block *b = block_find(at);
        return b && size <= (size_t)(b->at + b->size - a) ? DEVICE : NOT_THERE;
    }
    if (const pinned_block *p = pinned_find(at)) return size <= (size_t)(p->at + p->size - a) ? PINNED : NOT_THERE;
    return PAGEABLE;
}

/* When the stream gets there: opens a block of the device; false: it is gone, or not made yet. */
static bool open_for_copy(const void *at, memory_kind kind)
{
    if (kind == PINNED) {
        if (pinned_find(at)) return true;
        tell("a copy uses pinned memory at %p, which was freed before the stream got there", at);
        return false;
    }
    if (kind != DEVICE) return true;
    block *b = block_find(at);
    if (!b || !b->made) {
        tell("a copy uses device memory at %p, which its stream %s", at, b ? "has not allocated yet" : "finds freed");
        return false;
    }
    blocks_open(b);
    return true;
}

static cudaError_t copy_now(void *to, memory_kind to_kind, const void *from, memory_kind from_kind, size_t size)
{
    const ignored_accesses ignored;
    if (!open_for_copy(to, to_kind) || !open_for_copy(from, from_kind)) return cudaErrorIllegalAddress;
    memmove(to, from, size);
    return cudaSuccess;
}

static bool is_of_kind(memory_kind to, memory_kind from, cudaMemcpyKind kind)
{
    switch (kind) {
    case cudaMemcpyHostToHost: return to != DEVICE && from != DEVICE;
    case cudaMemcpyHostToDevice: return to == DEVICE && from != DEVICE;
    case cudaMemcpyDeviceToHost: return to != DEVICE && from == DEVICE;
    case cudaMemcpyDeviceToDevice: return to == DEVICE && from == DEVICE;
    case cudaMemcpyDefault: return true;
    }
    return false;
}

/* Queues the copy; `wait`: until it has been made. */
static cudaError_t copy(void *to, const void *from, size_t size, cudaMemcpyKind kind, CUstream_st *s, bool wait)
{
    const memory_kind to_kind = kind_of(to, size), from_kind = kind_of(from, size);
    operation_fn      run;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (size == 0) return cudaSuccess;
    if (to_kind == NOT_THERE || from_kind == NOT_THERE || !is_of_kind(to_kind, from_kind, kind))
        return cudaErrorInvalidValue;
    const bool capturing = stream_is_capturing(s);
    if (capturing && (wait || to_kind == PAGEABLE || from_kind == PAGEABLE))
        return capture_refuse(s, cudaErrorStreamCaptureUnsupported);
    if (wait && is_capture_forbidding()) return capture_refuse(NULL, cudaErrorStreamCaptureImplicit);
    state.counts.copies++;
    if (from_kind == PAGEABLE && to_kind == DEVICE && state.random.is_one_in(2)) {
        /* staged */
        const char *bytes = static_cast<const char *>(from);
        auto        kept = std::make_shared<std::vector<char>>(bytes, bytes + size);
        run = [=]() { return copy_now(to, to_kind, kept->data(), PAGEABLE, size); };
    } else {
        run = [=]() { return copy_now(to, to_kind, from, from_kind, size); };
        wait = wait || (!capturing && (from_kind == PAGEABLE || to_kind == PAGEABLE));
    }
    const int   device = stream_get_device(s);
    cudaError_t code = stream_add(s, run);
    if (code != cudaSuccess || !wait) return code;
    state.counts.waits++;
    stream_wait(s);
    return state.devices[device].dead;
}

static cudaError_t fill(void *to, int value, size_t size, CUstream_st *s)
{
    if (!s) return cudaErrorInvalidResourceHandle;
    if (size == 0) return cudaSuccess;
    if (kind_of(to, size) != DEVICE) return cudaErrorInvalidValue;
    state.counts.fills++;
    return stream_add(s, [=]() {
        const ignored_accesses ignored;
        if (!open_for_copy(to, DEVICE)) return cudaErrorIllegalAddress;
        memset(to, value, size);
        return cudaSuccess;
    });
}

/* ---- launches */
/* of kernels that asked for more than the usual 48 KiB */
static std::map<const void *, int> &most_dynamic_shared = *new std::map<const void *, int>();

cudaError_t set_kernel_attribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    CUDA_HOST_ENTER("cudaFuncSetAttribute");
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return call.done(cudaSuccess);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || value > 99 << 10)
        return call.done(cudaErrorInvalidValue);
    most_dynamic_shared[kernel] = value;
    return call.done(cudaSuccess);
}

static bool is_grid(dim3 grid, dim3 block)
{
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    return block.x > 0 && block.y > 0 && block.z > 0 && block.x <= MAX_THREADS && block.y <= MAX_THREADS &&
           block.z <= 64 && threads <= MAX_THREADS && grid.x > 0 && grid.y > 0 && grid.z > 0 && grid.x <= 0x7fffffffu &&
           grid.y <= 65535 && grid.z <= 65535;
}

static cudaError_t run_kernel(const kernel_launch &what, int device)
{
    if (state.fault_in > 0 && --state.fault_in == 0) {
        tell("kernel fault: on demand");
        return state.fault_code;
    }
    return grid_run(what, device);
}

cudaError_t launch(const cudaLaunchConfig_t *config, const void *kernel, std::function<void()> run)
{
    CUDA_HOST_ENTER("cudaLaunchKernelEx");
    if (!config || !kernel) return call.done(cudaErrorInvalidValue);
    CUstream_st *s = stream_get(config->stream);
    const auto   more = most_dynamic_shared.find(kernel);
    const size_t most = more == most_dynamic_shared.end() ? 48 << 10 : (size_t)more->second;
    if (!s || stream_get_device(s) != call.device) return call.done(cudaErrorInvalidResourceHandle);
    if (!is_grid(config->gridDim, config->blockDim)) return call.done(cudaErrorInvalidConfiguration);
    if (config->dynamicSmemBytes > most) return call.done(cudaErrorInvalidValue);
    for (unsigned k = 0; k < config->numAttrs; k++)
        if (config->attrs[k].id != cudaLaunchAttributeIgnore) return call.done(cudaErrorNotSupported);
    state.counts.launches++;
    const kernel_launch what = {config->gridDim, config->blockDim, config->dynamicSmemBytes, std::move(run)};
    const int           device = call.device;
    return call.done(stream_add(s, [what, device]() { return run_kernel(what, device); }));
}

} // namespace cuda_host

using namespace cuda_host;

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream)
{
    CUDA_HOST_ENTER("cudaMemcpyAsync");
    return call.done(copy(to, from, size, kind, stream_get(stream), false));
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind kind)
{
    CUDA_HOST_ENTER("cudaMemcpy");
    return call.done(copy(to, from, size, kind, stream_get(NULL), true));
}

/* On that device, and within reach of the other. */
static bool is_on(const void *at, int device, int other)
{
    const block *b = block_find(at);
    return b && b->device == device && pool_is_open(b->pool, other);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                                cudaStream_t stream)
{
    CUDA_HOST_ENTER("cudaMemcpyPeerAsync");
    if (size > 0 && (!is_on(to, to_device, from_device) || !is_on(from, from_device, to_device)))
        return call.done(cudaErrorInvalidValue);
    return call.done(copy(to, from, size, cudaMemcpyDeviceToDevice, stream_get(stream), false));
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
    CUDA_HOST_ENTER("cudaMemcpyPeer");
    if (size > 0 && (!is_on(to, to_device, from_device) || !is_on(from, from_device, to_device)))
        return call.done(cudaErrorInvalidValue);
    return call.done(copy(to, from, size, cudaMemcpyDeviceToDevice, stream_get(NULL), true));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
    CUDA_HOST_ENTER("cudaMemsetAsync");
    return call.done(fill(to, value, size, stream_get(stream)));
}

cudaError_t cudaMemset(void *to, int value, size_t size)
{
    CUDA_HOST_ENTER("cudaMemset");
    return call.done(fill(to, value, size, stream_get(NULL)));
}

/* ---- pinned memory */
cudaError_t cudaHostAlloc(void **block, size_t size, unsigned)
{
    CUDA_HOST_ENTER("cudaHostAlloc");
    if (!block) return call.done(cudaErrorInvalidValue);
    *block = NULL;
    if (size == 0) return call.done(cudaSuccess);
    const pinned_block *p = pinned_new(size);
    if (!p) return call.done(cudaErrorMemoryAllocation);
    *block = p->at;
    return call.done(cudaSuccess);
}

cudaError_t cudaMallocHost(void **block, size_t size) { return cudaHostAlloc(block, size, cudaHostAllocDefault); }

cudaError_t cudaFreeHost(void *block)
{
    CUDA_HOST_ENTER("cudaFreeHost");
    if (!block) return call.done(cudaSuccess);
    pinned_block *p = pinned_find(block);
    if (!p || p->at != block || !p->pages) return call.done(cudaErrorInvalidValue);
    pinned_release(p);
    return call.done(cudaSuccess);
}

cudaError_t cudaHostRegister(void *block, size_t size, unsigned)
{
    CUDA_HOST_ENTER("cudaHostRegister");
    if (!block || size == 0 || is_device_address(block)) return call.done(cudaErrorInvalidValue);
    return call.done(pinned_register(block, size) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void *block)
{
    CUDA_HOST_ENTER("cudaHostUnregister");
    pinned_block *p = block ? pinned_find(block) : NULL;
    if (!p || p->at != block || p->pages) return call.done(cudaErrorHostMemoryNotRegistered);
    pinned_release(p);
    return call.done(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *at)
{
    CUDA_HOST_ENTER("cudaPointerGetAttributes");
    if (!attributes) return call.done(cudaErrorInvalidValue);
    const block *b = block_find(at);
    void *const  place = const_cast<void *>(at);
    if (b)
        *attributes = {cudaMemoryTypeDevice, b->device, place, NULL};
    else if (pinned_find(at))
        *attributes = {cudaMemoryTypeHost, call.device, place, place};
    else
        *attributes = {cudaMemoryTypeUnregistered, -2, NULL, place};
    return call.done(cudaSuccess);
}
