/* device.cpp - devices, errors, what every call begins with, and what tests ask for (control.h). */
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

namespace cuda_host {

static const size_t   MEMORY = (size_t)4 << 30;
static const int      DRIVER = 13000;
static const unsigned EAGERNESS = 32;

static runtime_state *state_new();
runtime_state        &state = *state_new(); /* never destroyed: threads may outlive the module's static variables */

struct failing_rule {
    int64_t     left; /* calls that pass before one fails */
    bool        for_ever;
    cudaError_t code;
};
static std::map<std::string, failing_rule> *rules;
static thread_local int                     current_device;
static thread_local cudaError_t             last_error;

static void set_start(runtime_state *s, uint64_t seed)
{
    s->random = random_numbers(seed);
    s->device_count = DEVICES;
    s->driver_version = DRIVER;
    s->eagerness = EAGERNESS;
    s->fault_in = 0;
    s->message.clear();
    s->counts = stria_cuda_host_counts();
    for (device_state &d : s->devices) {
        d.dead = cudaSuccess;
        d.memory = MEMORY;
        memset(d.peers, 0, sizeof d.peers);
    }
}

static runtime_state *state_new()
{
    runtime_state *s = new runtime_state();
    const char    *seed = getenv("STRIA_CUDA_HOST_SEED");
    rules = new std::map<std::string, failing_rule>();
    set_start(s, seed ? strtoull(seed, NULL, 10) : 1);
    return s;
}

void tell(const char *format, ...)
{
    char    text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    state.message = text;
    if (!state.quiet) fprintf(stderr, "cuda_host: %s\n", text);
}

/* ---- errors */
bool is_failing(const char *name, cudaError_t *code)
{
    auto at = rules->find(name);
    if (at == rules->end()) return false;
    failing_rule &rule = at->second;
    if (rule.left > 0) {
        rule.left--;
        return false;
    }
    *code = rule.code;
    if (!rule.for_ever) rules->erase(at);
    return true;
}

int device_get_current() { return current_device; }

void device_kill(int device, cudaError_t code)
{
    device_state *d = &state.devices[device];
    if (d->dead != cudaSuccess) return;
    d->dead = code;
    streams_drop(device);
}

api_call::api_call(const char *name, call_needs what)
    : lock(state.lock), code(cudaSuccess), device(current_device), needs(what)
{
    state.held = &lock;
    handlers_prepare();
    if (is_host_function_here()) {
        tell("a host function of a stream calls %s", name);
        code = cudaErrorNotPermitted;
    } else if (needs != NEEDS_NOTHING && state.driver_version < 13000)
        code = cudaErrorInsufficientDriver;
    else if (needs == NEEDS_DEVICE && state.device_count == 0)
        code = cudaErrorNoDevice;
    else if (needs == NEEDS_DEVICE && device >= state.device_count)
        code = cudaErrorInvalidDevice;
    else if (!is_failing(name, &code) && needs == NEEDS_DEVICE)
        code = state.devices[device].dead;
}

api_call::~api_call() { blocks_close(); }

cudaError_t api_call::done(cudaError_t result)
{
    /* what ran meanwhile may have ended the device */
    if (result == cudaSuccess && needs == NEEDS_DEVICE) result = state.devices[device].dead;
    if (result != cudaSuccess) last_error = result;
    return result;
}

static const struct {
    cudaError_t code;
    const char *name, *text;
} errors[] = {
#define CUDA_HOST_ERROR(name, number, text) {name, #name, text},
#include "cuda_host/errors.def"
#undef CUDA_HOST_ERROR
};

} // namespace cuda_host

using namespace cuda_host;

const char *cudaGetErrorName(cudaError_t code)
{
    for (const auto &e : errors)
        if (e.code == code) return e.name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t code)
{
    for (const auto &e : errors)
        if (e.code == code) return e.text;
    return "unrecognized error code";
}

static cudaError_t get_last_error(bool forget)
{
    std::unique_lock<std::mutex> lock(state.lock);
    const cudaError_t            dead = state.devices[current_device].dead, code = last_error;
    if (forget) last_error = cudaSuccess;
    return dead != cudaSuccess ? dead : code;
}

cudaError_t cudaGetLastError(void) { return get_last_error(true); }
cudaError_t cudaPeekAtLastError(void) { return get_last_error(false); }

/* ---- devices */
cudaError_t cudaGetDeviceCount(int *count)
{
    if (count) *count = 0;
    CUDA_HOST_ENTER("cudaGetDeviceCount", NEEDS_DRIVER);
    if (!count) return call.done(cudaErrorInvalidValue);
    *count = state.device_count;
    return call.done(state.device_count > 0 ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int *device)
{
    CUDA_HOST_ENTER("cudaGetDevice", NEEDS_DRIVER);
    if (!device) return call.done(cudaErrorInvalidValue);
    *device = current_device;
    return call.done(cudaSuccess);
}

cudaError_t cudaSetDevice(int device)
{
    CUDA_HOST_ENTER("cudaSetDevice", NEEDS_DRIVER);
    if (state.device_count == 0) return call.done(cudaErrorNoDevice);
    if (device < 0 || device >= state.device_count) return call.done(cudaErrorInvalidDevice);
    current_device = device;
    return call.done(cudaSuccess);
}

static void properties_set(cudaDeviceProp *p, int device)
{
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "host runtime, device %d", device);
    p->totalGlobalMem = state.devices[device].memory;
    p->sharedMemPerBlock = 48 << 10;
    p->sharedMemPerBlockOptin = 99 << 10;
    p->sharedMemPerMultiprocessor = 100 << 10;
    p->totalConstMem = 64 << 10;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->warpSize = WARP;
    p->maxThreadsPerBlock = MAX_THREADS;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = MAX_THREADS;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 0x7fffffff;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->major = 8;
    p->minor = 6;
    p->multiProcessorCount = 4; /* few, so that grids that fill a device stay small */
    p->maxThreadsPerMultiProcessor = 1536;
    p->maxBlocksPerMultiProcessor = 16;
    p->l2CacheSize = 1 << 20;
    p->memoryBusWidth = 128;
    p->asyncEngineCount = 2;
    p->concurrentKernels = p->unifiedAddressing = p->memoryPoolsSupported = p->canMapHostMemory = 1;
    p->pciBusID = device + 1;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    CUDA_HOST_ENTER("cudaGetDeviceProperties", NEEDS_DRIVER);
    if (!properties) return call.done(cudaErrorInvalidValue);
    if (device < 0 || device >= state.device_count) return call.done(cudaErrorInvalidDevice);
    properties_set(properties, device);
    return call.done(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    CUDA_HOST_ENTER("cudaDeviceGetAttribute", NEEDS_DRIVER);
    cudaDeviceProp p;
    if (!value) return call.done(cudaErrorInvalidValue);
    if (device < 0 || device >= state.device_count) return call.done(cudaErrorInvalidDevice);
    properties_set(&p, device);
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)p.sharedMemPerBlock; break;
    case cudaDevAttrTotalConstantMemory: *value = (int)p.totalConstMem; break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrAsyncEngineCount: *value = p.asyncEngineCount; break;
    case cudaDevAttrUnifiedAddressing: *value = p.unifiedAddressing; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = (int)p.sharedMemPerMultiprocessor; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)p.sharedMemPerBlockOptin; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrMemoryPoolsSupported: *value = p.memoryPoolsSupported; break;
    default: return call.done(cudaErrorInvalidValue);
    }
    return call.done(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    CUDA_HOST_ENTER("cudaDriverGetVersion", NEEDS_NOTHING);
    if (!version) return call.done(cudaErrorInvalidValue);
    *version = state.driver_version;
    return call.done(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    CUDA_HOST_ENTER("cudaRuntimeGetVersion", NEEDS_NOTHING);
    if (!version) return call.done(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return call.done(cudaSuccess);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    CUDA_HOST_ENTER("cudaDeviceCanAccessPeer", NEEDS_DRIVER);
    if (!can) return call.done(cudaErrorInvalidValue);
    if (device < 0 || device >= state.device_count || peer < 0 || peer >= state.device_count)
        return call.done(cudaErrorInvalidDevice);
    *can = device != peer;
    return call.done(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    CUDA_HOST_ENTER("cudaDeviceEnablePeerAccess");
    if (flags) return call.done(cudaErrorInvalidValue);
    if (peer < 0 || peer >= state.device_count || peer == call.device) return call.done(cudaErrorInvalidDevice);
    if (state.devices[call.device].peers[peer]) return call.done(cudaErrorPeerAccessAlreadyEnabled);
    state.devices[call.device].peers[peer] = true;
    return call.done(cudaSuccess);
}

/* ---- control.h */
static void control_reset(uint64_t seed)
{
    std::unique_lock<std::mutex> lock(state.lock);
    for (int k = 0; k < DEVICES; k++)
        if (state.devices[k].dead != cudaSuccess) {
            blocks_release_device(k);
            pools_drop(k);
            graphs_drop(k);
            state.devices[k].used = 0;
        }
    rules->clear();
    set_start(&state, seed);
    current_device = 0;
    last_error = cudaSuccess;
}

static void control_fail(const char *function, int64_t nth, int code)
{
    std::unique_lock<std::mutex> lock(state.lock);
    if (nth == 0)
        rules->erase(function);
    else
        (*rules)[function] = {(nth < 0 ? -nth : nth) - 1, nth < 0, (cudaError_t)code};
}

static void control_fault_kernel(int64_t nth, int code)
{
    std::unique_lock<std::mutex> lock(state.lock);
    state.fault_in = nth;
    state.fault_code = (cudaError_t)code;
}

static void control_lose_device(int device, int code)
{
    std::unique_lock<std::mutex> lock(state.lock);
    if (device >= 0 && device < DEVICES) device_kill(device, (cudaError_t)code);
}

static void control_set_driver_version(int version)
{
    std::unique_lock<std::mutex> lock(state.lock);
    state.driver_version = version;
}

static void control_set_device_count(int count)
{
    std::unique_lock<std::mutex> lock(state.lock);
    state.device_count = std::min((int)DEVICES, std::max(0, count));
}

static void control_set_memory(int device, size_t size)
{
    std::unique_lock<std::mutex> lock(state.lock);
    if (device >= 0 && device < DEVICES) state.devices[device].memory = size;
}

static void control_set_eagerness(int of_256)
{
    std::unique_lock<std::mutex> lock(state.lock);
    state.eagerness = of_256;
}

static void control_set_quiet(bool quiet)
{
    std::unique_lock<std::mutex> lock(state.lock);
    state.quiet = quiet;
}

static void control_get_counts(stria_cuda_host_counts *counts)
{
    std::unique_lock<std::mutex> lock(state.lock);
    *counts = state.counts;
    streams_count(counts);
    counts->graphs = graph_count();
    counts->blocks = block_count();
    counts->pinned = pinned_count();
    counts->pools = pool_count();
    counts->bytes = block_bytes();
}

static const char *control_get_message(void)
{
    std::unique_lock<std::mutex> lock(state.lock);
    return state.message.c_str();
}

const stria_cuda_host *stria_cuda_host_get(void)
{
    static const stria_cuda_host control = {STRIA_CUDA_HOST_VERSION,  control_reset,       control_fail,
                                            control_fault_kernel,     control_lose_device, control_set_driver_version,
                                            control_set_device_count, control_set_memory,  control_set_eagerness,
                                            control_set_quiet,        control_get_counts,  control_get_message};
    return &control;
}
