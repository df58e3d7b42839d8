/* device.cu - devices, and their memory: a pool for each, in which released blocks wait for the next ones. */
#include <stdio.h>

#include <atomic>
#include <mutex>

#include "capture.cuh"
#include "runtime.cuh"

enum { MOST_DEVICES = 16 };

/* ---------------------------------------------------------------- devices */

int stria_cuda_get_device_count(char *why, size_t size)
{
    int               n = 0, driver = 0, runtime = 0;
    const cudaError_t error = cudaGetDeviceCount(&n);

    if (error == cudaSuccess && n > 0) return n < MOST_DEVICES ? n : (int)MOST_DEVICES;
    (void)cudaGetLastError();
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    if (driver == 0)
        snprintf(why, size, "no NVIDIA driver is installed");
    else if (error == cudaErrorInsufficientDriver)
        snprintf(why, size, "the NVIDIA driver is too old: it has CUDA %d.%d, the plug-in needs %d.%d", driver / 1000,
                 driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    else if (error == cudaSuccess || error == cudaErrorNoDevice)
        snprintf(why, size, "the NVIDIA driver finds no device");
    else
        snprintf(why, size, "the NVIDIA driver does not start: %s", cudaGetErrorString(error));
    return 0;
}

int stria_cuda_get_properties(int device, stria_cuda_properties *properties)
{
    cudaDeviceProp p;

    STRIA_CUDA_TRY(cudaGetDeviceProperties(&p, device));
    *properties = stria_cuda_properties();
    snprintf(properties->name, sizeof properties->name, "%s", p.name);
    properties->major = p.major;
    properties->minor = p.minor;
    properties->sms = p.multiProcessorCount;
    properties->threads_per_sm = p.maxThreadsPerMultiProcessor;
    properties->warp = p.warpSize;
    properties->max_threads = p.maxThreadsPerBlock;
    properties->total_bytes = p.totalGlobalMem;
    properties->shared_bytes = (int64_t)p.sharedMemPerBlockOptin;
    return STRIA_CUDA_OK;
}

int stria_cuda_synchronize(int device)
{
    const int met = stria_cuda_meet_change();

    if (met != STRIA_CUDA_OK) return met;
    STRIA_CUDA_TRY(cudaSetDevice(device));
    return code_of(cudaDeviceSynchronize());
}

/* ---------------------------------------------------------------- memory */

static struct {
    std::mutex    mutex;
    cudaMemPool_t at[MOST_DEVICES];
} pools;

static std::atomic<void (*)(int device)> give_back; /* of the library; NULL: nothing is kept there */

void stria_cuda_set_give_back(void (*give)(int device)) { give_back = give; }

/* The pool of a device, made when it is first asked for; nothing goes back to the driver unless it is trimmed. */
static int get_pool(int device, cudaMemPool_t *pool)
{
    std::lock_guard<std::mutex> guard(pools.mutex);
    cudaMemPoolProps            properties = {};
    uint64_t                    everything = UINT64_MAX;

    if (device < 0 || device >= MOST_DEVICES) return (int)cudaErrorInvalidDevice;
    if (pools.at[device] == NULL) {
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        properties.location.id = device;
        STRIA_CUDA_TRY(cudaMemPoolCreate(&pools.at[device], &properties));
        STRIA_CUDA_TRY(cudaMemPoolSetAttribute(pools.at[device], cudaMemPoolAttrReleaseThreshold, &everything));
    }
    *pool = pools.at[device];
    return STRIA_CUDA_OK;
}

/* Each device of the two can reach the blocks of the other, where the hardware lets it: copies need not pass the host. */
static int open_pools(int one, int other)
{
    cudaMemAccessDesc access = {};
    cudaMemPool_t     pool;
    int               can = 0, code = get_pool(one, &pool);

    if (code != STRIA_CUDA_OK) return code;
    STRIA_CUDA_TRY(cudaDeviceCanAccessPeer(&can, other, one));
    if (!can) return STRIA_CUDA_OK;
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = other;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    return code_of(cudaMemPoolSetAccess(pool, &access, 1));
}

int stria_cuda_join_devices(int one, int other)
{
    static std::mutex mutex;
    static bool       are_joined[MOST_DEVICES][MOST_DEVICES];
    const int         low = one < other ? one : other, high = one < other ? other : one;

    if (one == other) return STRIA_CUDA_OK;
    std::lock_guard<std::mutex> guard(mutex);
    if (are_joined[low][high]) return STRIA_CUDA_OK;
    int code = open_pools(low, high);
    if (code == STRIA_CUDA_OK) code = open_pools(high, low);
    are_joined[low][high] = code == STRIA_CUDA_OK;
    return code;
}

int stria_cuda_block_new(stria_cuda_stream *stream, size_t nbytes, void **block)
{
    cudaMemPool_t pool;
    int           code;

    if (stria_cuda_capture_block_new(stream, nbytes, block, &code)) return code;
    code = get_pool(stream->device, &pool);
    *block = NULL;
    if (code != STRIA_CUDA_OK) return code;
    STRIA_CUDA_TRY(cudaSetDevice(stream->device));
    code = code_of(cudaMallocFromPoolAsync(block, nbytes, pool, stream->stream));
    if (code == STRIA_CUDA_NO_MEMORY) {
        void (*const give)(int) = give_back.load();
        if (give != NULL) give(stream->device);
        code = stria_cuda_block_trim(stream->device);
        if (code == STRIA_CUDA_OK) code = code_of(cudaSetDevice(stream->device));
        if (code == STRIA_CUDA_OK) code = code_of(cudaMallocFromPoolAsync(block, nbytes, pool, stream->stream));
    }
    if (code == STRIA_CUDA_OK) stria_cuda_watch_block_new(*block, nbytes);
    return code;
}

int stria_cuda_block_release(stria_cuda_stream *stream, void *block)
{
    if (stria_cuda_capture_block_release(stream, block)) return STRIA_CUDA_OK;
    stria_cuda_watch_block_release(block);
    STRIA_CUDA_TRY(cudaSetDevice(stream->device));
    return code_of(cudaFreeAsync(block, stream->stream));
}

int stria_cuda_block_trim(int device)
{
    cudaMemPool_t pool;
    int           code = get_pool(device, &pool);

    if (code == STRIA_CUDA_OK) code = stria_cuda_synchronize(device); /* what is released is free by then */
    return code == STRIA_CUDA_OK ? code_of(cudaMemPoolTrimTo(pool, 0)) : code;
}

int stria_cuda_get_memory(int device, stria_cuda_memory *memory)
{
    cudaMemPool_t pool;
    size_t        free_bytes = 0, total_bytes = 0;
    uint64_t      used = 0, reserved = 0;
    const int     code = get_pool(device, &pool);

    if (stria_cuda_is_capturing()) return STRIA_CUDA_NOT_CAPTURED;
    if (code != STRIA_CUDA_OK) return code;
    STRIA_CUDA_TRY(cudaSetDevice(device));
    STRIA_CUDA_TRY(cudaMemGetInfo(&free_bytes, &total_bytes));
    STRIA_CUDA_TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    STRIA_CUDA_TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    if (used > reserved) used = reserved; /* other threads released and trimmed in between */
    *memory = stria_cuda_memory{free_bytes, total_bytes, used, reserved};
    return STRIA_CUDA_OK;
}
