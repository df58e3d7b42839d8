/* checks.cu - checks of single functions of the host runtime: faults, errors on demand, memory, pools, graphs. */
#include <thread>

#include "scenarios.cuh"

#define EXPECT(condition) \
    if (!(condition)) return #condition

enum { THREADS = 64, N = 256 };

/* ---------------------------------------------------------------- kernels */

static __global__ void write_at(int *x, long at) { x[at] = 1; }

__attribute__((no_sanitize("undefined"))) static __global__ void divide_by(int *x, int by)
{
    if (threadIdx.x == 0) x[0] = x[1] / by;
}

/* Half of a warp waits for the other half, which waits for the block. */
static __global__ void stuck(void)
{
    if (threadIdx.x < 16)
        __syncwarp();
    else
        __syncthreads();
}

static __global__ void wait_for_ever(unsigned *flag)
{
    while (atomicAdd(flag, 0u) == 0) __nanosleep(100);
}

static __global__ void trap_now(void) { __trap(); }

static __global__ void too_much_shared(int *x)
{
    STRIA_CUDA_SHARED(int, values, [16384]);
    x[threadIdx.x] = values[0];
}

static __global__ void dynamic_shared(int *x)
{
    STRIA_CUDA_DYNAMIC_SHARED(int, values);
    values[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    x[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

/* Where every thread is, in three dims. */
static __global__ void places(int *x)
{
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    x[block * blockDim.x * blockDim.y * blockDim.z + thread] = (int)(block * 1000 + thread);
}

/* Words of a warp, each beside what it should be: 10 pairs a thread. */
static __global__ void warp_words(int *x)
{
    const unsigned all = 0xffffffffu, odd = 0xaaaaaaaau;
    const int      lane = (int)threadIdx.x % 32;
    int           *at = x + threadIdx.x * 20;
    *at++ = __shfl_sync(all, lane, 5), *at++ = 5;
    *at++ = __shfl_up_sync(all, lane, 3u), *at++ = lane < 3 ? lane : lane - 3;
    *at++ = __shfl_down_sync(all, lane, 3u), *at++ = lane > 28 ? lane : lane + 3;
    *at++ = __shfl_xor_sync(all, lane, 9), *at++ = lane ^ 9;
    *at++ = __shfl_down_sync(all, lane, 1u, 8), *at++ = lane % 8 == 7 ? lane : lane + 1;
    *at++ = (int)__ballot_sync(all, lane % 2), *at++ = (int)odd;
    *at++ = __any_sync(all, lane == 7) + 2 * __all_sync(all, lane < 31), *at++ = 1;
    *at++ = (int)__match_any_sync(all, lane / 16), *at++ = lane < 16 ? 0xffff : (int)0xffff0000u;
    *at++ = lane % 2 ? __shfl_sync(odd, lane, 3) : 3, *at++ = 3;
    *at++ = __syncthreads_count(lane == 0), *at++ = (int)blockDim.x / 32;
}

/* The last warp has half of its lanes. */
static __global__ void part_of_warp(int *x) { x[threadIdx.x] = (int)__ballot_sync(0xffffffffu, 1); }

static __global__ void atomics(unsigned *u, int *i, float *f, double *d, unsigned long long *w)
{
    atomicAdd(u, 1u);
    atomicMax(u + 1, threadIdx.x);
    atomicMin(i, -(int)threadIdx.x);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    atomicAdd(w, 1ull << 32);
    unsigned old = atomicAdd(u + 2, 0u), seen;
    do {
        seen = old;
        old = atomicCAS(u + 2, seen, seen + 2);
    } while (old != seen);
}

static __global__ void add_one(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

/* ---------------------------------------------------------------- kernels that fault */

static bool contains(const char *text, const char *part) { return strstr(text, part) != NULL; }

/* Launches it, and whether the device is dead with `code` then, for every call, and alive again after a reset. */
template <class... P, class... A>
static const char *expect_fault(const stria_cuda_host *host, cudaError_t code, const char *said, void (*kernel)(P...),
                                A... args)
{
    int   n;
    void *block;
    host->set_eagerness(0);
    EXPECT(launch_simply(2, THREADS, kernel, args...) == cudaSuccess);
    EXPECT(cudaDeviceSynchronize() == code);
    EXPECT(contains(host->get_message(), said));
    EXPECT(cudaDeviceSynchronize() == code);
    EXPECT(cudaMalloc(&block, 8) == code);
    EXPECT(cudaGetLastError() == code && cudaGetLastError() == code);
    EXPECT(cudaGetDeviceCount(&n) == cudaSuccess && n == 2);
    EXPECT(cudaSetDevice(1) == cudaSuccess && cudaMalloc(&block, 8) == cudaSuccess && cudaFree(block) == cudaSuccess);
    EXPECT(cudaSetDevice(0) == cudaSuccess);
    host->reset(1);
    EXPECT(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    return NULL;
}

static int *new_ints(int n)
{
    void *block = NULL;
    return cudaMalloc(&block, sizeof(int) * (size_t)n) == cudaSuccess ? static_cast<int *>(block) : NULL;
}

static const char *check_beyond(const stria_cuda_host *host)
{
    return expect_fault(host, cudaErrorIllegalAddress, "of a block of 1024 bytes", write_at, new_ints(N), 1100L);
}

static const char *check_before(const stria_cuda_host *host)
{
    return expect_fault(host, cudaErrorIllegalAddress, "kernel fault: thread (", write_at, new_ints(N), -1030L);
}

static const char *check_freed(const stria_cuda_host *host)
{
    int *x = new_ints(N);
    EXPECT(cudaFree(x) == cudaSuccess);
    return expect_fault(host, cudaErrorIllegalAddress, "that was freed", write_at, x, 3L);
}

static const char *check_wild(const stria_cuda_host *host)
{
    return expect_fault(host, cudaErrorIllegalAddress, "no memory of the device", write_at,
                        reinterpret_cast<int *>(uintptr_t{4096}), 3L);
}

/* Memory of another device needs access to it. */
static const char *check_other_device(const stria_cuda_host *host)
{
    EXPECT(cudaSetDevice(1) == cudaSuccess);
    int *x = new_ints(N);
    EXPECT(cudaSetDevice(0) == cudaSuccess);
    const char *wrong = expect_fault(host, cudaErrorIllegalAddress, "used", write_at, x, 3L);
    if (wrong) return wrong;
    EXPECT(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
    EXPECT(launch_simply(1, 1, write_at, x, 3L) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(cudaFree(x) == cudaSuccess);
    return NULL;
}

static const char *check_division(const stria_cuda_host *host)
{
    return expect_fault(host, cudaErrorLaunchFailure, "divided an integer by zero", divide_by, new_ints(N), 0);
}

static const char *check_stuck(const stria_cuda_host *host)
{
    return expect_fault(host, cudaErrorLaunchTimeout, "is stuck", stuck);
}

static const char *check_waiting(const stria_cuda_host *host)
{
    int *flag = new_ints(1);
    EXPECT(cudaMemset(flag, 0, sizeof(int)) == cudaSuccess);
    return expect_fault(host, cudaErrorLaunchTimeout, "never comes", wait_for_ever, reinterpret_cast<unsigned *>(flag));
}

static const char *check_trap(const stria_cuda_host *host)
{
    return expect_fault(host, cudaErrorLaunchFailure, "met a trap", trap_now);
}

static const char *check_shared_size(const stria_cuda_host *host)
{
    return expect_fault(host, cudaErrorLaunchOutOfResources, "48 KiB", too_much_shared, new_ints(N));
}

/* ---------------------------------------------------------------- what kernels see */

static const char *check_places(const stria_cuda_host *host)
{
    device_array       x(std::vector<int>(3 * 2 * 2 * 4 * 5 * 2, -1));
    cudaLaunchConfig_t config = {};
    (void)host;
    config.gridDim = dim3(3, 2, 2);
    config.blockDim = dim3(4, 5, 2);
    EXPECT(cudaLaunchKernelEx(&config, places, x.at) == cudaSuccess);
    const auto got = x.read();
    for (int k = 0; k < x.n; k++) EXPECT(got[(size_t)k] == k / 40 * 1000 + k % 40);
    return NULL;
}

static const char *check_warp_words(const stria_cuda_host *host)
{
    device_array x(std::vector<int>(THREADS * 20, -1)), part(std::vector<int>(48, 0));
    (void)host;
    EXPECT(launch_simply(1, THREADS, warp_words, x.at) == cudaSuccess);
    const auto got = x.read();
    for (size_t k = 0; k < got.size(); k += 2) EXPECT(got[k] == got[k + 1]);
    EXPECT(launch_simply(1, 48, part_of_warp, part.at) == cudaSuccess);
    const auto lanes = part.read();
    for (size_t k = 0; k < 48; k++) EXPECT(lanes[k] == (k < 32 ? -1 : 0xffff));
    return NULL;
}

static const char *check_atomics(const stria_cuda_host *host)
{
    device_array u({0, 0, 0}), i({0}), f({0}), d({0, 0}), w({0, 0});
    (void)host;
    EXPECT(launch_simply(5, THREADS, atomics, reinterpret_cast<unsigned *>(u.at), i.at, reinterpret_cast<float *>(f.at),
                         reinterpret_cast<double *>(d.at),
                         reinterpret_cast<unsigned long long *>(w.at)) == cudaSuccess);
    const auto gu = u.read(), gd = d.read();
    double     sum;
    memcpy(&sum, gd.data(), sizeof sum);
    EXPECT(gu[0] == 5 * THREADS && gu[1] == THREADS - 1 && gu[2] == 10 * THREADS);
    EXPECT(i.read()[0] == 1 - THREADS && __int_as_float(f.read()[0]) == 2.5f * THREADS && sum == 1.25 * THREADS);
    EXPECT(w.read()[0] == 0 && w.read()[1] == 5 * THREADS);
    return NULL;
}

static const char *check_dynamic_shared(const stria_cuda_host *host)
{
    device_array       x(std::vector<int>(THREADS, 0));
    cudaLaunchConfig_t config = {};
    (void)host;
    config.gridDim = dim3(1);
    config.blockDim = dim3(THREADS);
    config.dynamicSmemBytes = 64 << 10;
    EXPECT(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 48 << 10) == cudaSuccess);
    EXPECT(cudaLaunchKernelEx(&config, dynamic_shared, x.at) == cudaErrorInvalidValue);
    EXPECT(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10) == cudaSuccess);
    EXPECT(cudaLaunchKernelEx(&config, dynamic_shared, x.at) == cudaSuccess);
    const auto got = x.read();
    for (int k = 0; k < THREADS; k++) EXPECT(got[(size_t)k] == THREADS - 1 - k);
    config.blockDim = dim3(1025);
    EXPECT(cudaLaunchKernelEx(&config, dynamic_shared, x.at) == cudaErrorInvalidConfiguration);
    config.blockDim = dim3(32);
    config.gridDim = dim3(0);
    EXPECT(cudaLaunchKernelEx(&config, dynamic_shared, x.at) == cudaErrorInvalidConfiguration);
    return NULL;
}

/* ---------------------------------------------------------------- errors on demand */

static const char *check_no_device(const stria_cuda_host *host)
{
    int   n = 7;
    void *block;
    host->set_device_count(0);
    EXPECT(cudaGetDeviceCount(&n) == cudaErrorNoDevice && n == 0);
    EXPECT(cudaMalloc(&block, 8) == cudaErrorNoDevice);
    host->set_device_count(2);
    host->set_driver_version(0);
    EXPECT(cudaGetDeviceCount(&n) == cudaErrorInsufficientDriver && n == 0);
    EXPECT(cudaDriverGetVersion(&n) == cudaSuccess && n == 0);
    host->set_driver_version(13000);
    EXPECT(cudaGetDeviceCount(&n) == cudaSuccess && n == 2);
    EXPECT(cudaSetDevice(2) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaSuccess);
    return NULL;
}

static const char *check_failing_calls(const stria_cuda_host *host)
{
    void *a = NULL, *b = NULL;
    host->fail("memory", 2, cudaErrorMemoryAllocation);
    EXPECT(cudaMalloc(&a, 8) == cudaSuccess);
    EXPECT(cudaMallocAsync(&b, 8, NULL) == cudaErrorMemoryAllocation && b == NULL);
    EXPECT(cudaMallocAsync(&b, 8, NULL) == cudaSuccess && b != NULL);
    host->fail("cudaFree", -2, cudaErrorUnknown);
    EXPECT(cudaFree(a) == cudaSuccess);
    EXPECT(cudaFree(b) == cudaErrorUnknown && cudaFree(b) == cudaErrorUnknown);
    host->fail("cudaFree", 0, 0);
    EXPECT(cudaFree(b) == cudaSuccess);
    return NULL;
}

static const char *check_lost_device(const stria_cuda_host *host)
{
    device_array x(count_up(N));
    host->set_eagerness(0);
    host->fault_kernel(2, cudaErrorLaunchFailure);
    EXPECT(launch_simply(1, N, add_one, x.at) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(launch_simply(1, N, add_one, x.at) == cudaSuccess);
    EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    host->reset(1);
    cudaStream_t stream;
    EXPECT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    host->lose_device(0, cudaErrorDevicesUnavailable);
    EXPECT(cudaStreamSynchronize(stream) == cudaErrorDevicesUnavailable);
    host->reset(1);
    EXPECT(cudaStreamSynchronize(stream) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess);
    return NULL;
}

/* ---------------------------------------------------------------- memory */

static const char *check_arguments(const stria_cuda_host *host)
{
    device_array x(count_up(N));
    int          local[N] = {0};
    (void)host;
    EXPECT(cudaMemcpy(x.at, local, sizeof local + 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(local, x.at, sizeof local, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemset(x.at + 1, 0, sizeof local) == cudaErrorInvalidValue);
    EXPECT(cudaMemset(local, 0, sizeof local) == cudaErrorInvalidValue);
    EXPECT(cudaFree(x.at + 1) == cudaErrorInvalidValue && cudaFree(local) == cudaErrorInvalidValue);
    EXPECT(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(local)) == cudaErrorInvalidResourceHandle);
    EXPECT(strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
    return NULL;
}

static const char *check_pool(const stria_cuda_host *host)
{
    const uint64_t   unit = 2 << 20, keep = 2 * unit;
    cudaMemPool_t    pool;
    cudaMemPoolProps properties = {};
    cudaStream_t     stream;
    void            *block[3];
    uint64_t         used, reserved;
    auto             read = [&]() {
        (void)cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
        (void)cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
    };
    host->set_eagerness(0);
    host->set_memory(0, 4 * unit);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    EXPECT(cudaMemPoolCreate(&pool, &properties) == cudaSuccess);
    EXPECT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    for (void *&b : block) EXPECT(cudaMallocFromPoolAsync(&b, unit, pool, stream) == cudaSuccess);
    read();
    EXPECT(used == 3 * unit && reserved == 3 * unit);
    void *more;
    EXPECT(cudaMallocFromPoolAsync(&more, 2 * unit, pool, stream) == cudaErrorMemoryAllocation);
    for (void *b : block) EXPECT(cudaFreeAsync(b, stream) == cudaSuccess);
    EXPECT(cudaFreeAsync(block[0], stream) == cudaErrorInvalidValue);
    read();
    EXPECT(used == 3 * unit);
    EXPECT(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, const_cast<uint64_t *>(&keep)) ==
           cudaSuccess);
    EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
    read();
    EXPECT(used == 0 && reserved == keep);
    EXPECT(cudaMalloc(&more, 3 * unit) == cudaErrorMemoryAllocation);
    EXPECT(cudaMemPoolTrimTo(pool, 0) == cudaSuccess);
    EXPECT(cudaMalloc(&more, 3 * unit) == cudaSuccess && cudaFree(more) == cudaSuccess);
    EXPECT(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used) == cudaSuccess && used == 3 * unit);
    EXPECT(cudaMemPoolDestroy(pool) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess);
    return NULL;
}

static const char *check_leaks(const stria_cuda_host *host)
{
    stria_cuda_host_counts before, now;
    cudaStream_t           stream;
    cudaEvent_t            event;
    void                  *block, *pinned;
    host->get_counts(&before);
    EXPECT(cudaMalloc(&block, 100) == cudaSuccess && cudaHostAlloc(&pinned, 100, 0) == cudaSuccess);
    EXPECT(cudaStreamCreate(&stream) == cudaSuccess && cudaEventCreate(&event) == cudaSuccess);
    host->get_counts(&now);
    EXPECT(now.blocks == before.blocks + 1 && now.bytes == before.bytes + 100 && now.pinned == before.pinned + 1);
    EXPECT(now.streams == before.streams + 1 && now.events == before.events + 1);
    EXPECT(cudaFree(block) == cudaSuccess && cudaFreeHost(pinned) == cudaSuccess);
    EXPECT(cudaStreamDestroy(stream) == cudaSuccess && cudaEventDestroy(event) == cudaSuccess);
    host->get_counts(&now);
    EXPECT(now.blocks == before.blocks && now.pinned == before.pinned && now.streams == before.streams &&
           now.events == before.events);
    return NULL;
}

/* ---------------------------------------------------------------- host functions, graphs, devices */

static cudaError_t said;
static void        call_back(void *user)
{
    int n;
    ++*static_cast<int *>(user);
    said = cudaGetDevice(&n);
}

static const char *check_host_function(const stria_cuda_host *host)
{
    int called = 0;
    host->set_eagerness(0);
    EXPECT(cudaLaunchHostFunc(NULL, call_back, &called) == cudaSuccess && called == 0);
    EXPECT(cudaStreamQuery(NULL) == cudaErrorNotReady && called == 1);
    EXPECT(cudaStreamQuery(NULL) == cudaSuccess && said == cudaErrorNotPermitted);
    (void)cudaGetLastError();
    return NULL;
}

static const char *check_graph(const stria_cuda_host *host)
{
    device_array    x(std::vector<int>(N, 0));
    cudaStream_t    a, b;
    cudaEvent_t     fork, join;
    cudaGraph_t     graph;
    cudaGraphExec_t exec;
    size_t          n_nodes;
    (void)host;
    EXPECT(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking) == cudaSuccess);
    EXPECT(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking) == cudaSuccess);
    EXPECT(cudaEventCreate(&fork) == cudaSuccess && cudaEventCreate(&join) == cudaSuccess);
    EXPECT(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(N);
    config.stream = a;
    EXPECT(cudaLaunchKernelEx(&config, add_one, x.at) == cudaSuccess);
    EXPECT(cudaEventRecord(fork, a) == cudaSuccess && cudaStreamWaitEvent(b, fork, 0) == cudaSuccess);
    config.stream = b;
    EXPECT(cudaLaunchKernelEx(&config, add_one, x.at) == cudaSuccess);
    EXPECT(cudaEventRecord(join, b) == cudaSuccess && cudaStreamWaitEvent(a, join, 0) == cudaSuccess);
    EXPECT(cudaStreamEndCapture(a, &graph) == cudaSuccess);
    EXPECT(x.read()[0] == 0);
    EXPECT(cudaGraphGetNodes(graph, NULL, &n_nodes) == cudaSuccess && n_nodes == 2);
    EXPECT(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
    /* of one graph one launch runs after another, on whatever streams */
    EXPECT(cudaGraphUpload(exec, b) == cudaSuccess);
    for (int k = 0; k < 3; k++) EXPECT(cudaGraphLaunch(exec, k == 1 ? b : a) == cudaSuccess);
    EXPECT(cudaStreamSynchronize(a) == cudaSuccess && x.read()[N - 1] == 6);
    EXPECT(cudaGraphExecDestroy(exec) == cudaSuccess);
    EXPECT(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    EXPECT(cudaEventRecord(fork, a) == cudaSuccess && cudaStreamWaitEvent(b, fork, 0) == cudaSuccess);
    EXPECT(cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureUnjoined);
    EXPECT(cudaStreamDestroy(a) == cudaSuccess && cudaStreamDestroy(b) == cudaSuccess);
    EXPECT(cudaEventDestroy(fork) == cudaSuccess && cudaEventDestroy(join) == cudaSuccess);
    return NULL;
}

/* Calls that a capture does not permit fail, and so does it. */
static const char *check_refused_capture(const stria_cuda_host *host)
{
    device_array            x(std::vector<int>(N, 0));
    cudaStream_t            a, b;
    cudaEvent_t             event;
    cudaGraph_t             graph;
    cudaStreamCaptureStatus status;
    cudaLaunchConfig_t      config = {};
    int                     value = 0;
    (void)host;
    EXPECT(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking) == cudaSuccess);
    EXPECT(cudaStreamCreate(&b) == cudaSuccess && cudaEventCreate(&event) == cudaSuccess);
    config.gridDim = dim3(1);
    config.blockDim = dim3(N);
    config.stream = a;
    for (int k = 0; k < 9; k++) {
        void       *block = NULL;
        cudaError_t code = cudaSuccess, expected = cudaErrorStreamCaptureUnsupported;
        EXPECT(cudaEventRecord(event, b) == cudaSuccess);
        EXPECT(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
        EXPECT(cudaLaunchKernelEx(&config, add_one, x.at) == cudaSuccess);
        switch (k) {
        case 0: code = cudaMalloc(&block, 8); break;
        case 1: code = cudaStreamSynchronize(a); break;
        case 2: code = cudaDeviceSynchronize(); break;
        case 3: code = cudaMallocAsync(&block, 8, a); break;
        case 4: code = cudaStreamQuery(a); break;
        case 5: code = cudaFree(x.at); break;
        case 6: code = cudaMemcpyAsync(x.at, &value, sizeof value, cudaMemcpyHostToDevice, a); break;
        case 7:
            code = cudaStreamWaitEvent(a, event, 0);
            expected = cudaErrorStreamCaptureIsolation;
            break;
        default:
            code = cudaMemcpy(x.at, &value, sizeof value, cudaMemcpyHostToDevice);
            expected = cudaErrorStreamCaptureImplicit;
            break;
        }
        EXPECT(code == expected);
        EXPECT(cudaStreamIsCapturing(a, &status) == cudaSuccess && status == cudaStreamCaptureStatusInvalidated);
        EXPECT(cudaLaunchKernelEx(&config, add_one, x.at) == cudaErrorStreamCaptureInvalidated);
        EXPECT(cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureInvalidated && graph == NULL);
    }
    /* work of the legacy stream, which blocking streams wait for */
    EXPECT(cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    config.stream = NULL;
    EXPECT(cudaLaunchKernelEx(&config, add_one, x.at) == cudaErrorStreamCaptureImplicit);
    EXPECT(cudaStreamEndCapture(b, &graph) == cudaErrorStreamCaptureInvalidated);
    /* who did not begin it does not end it */
    EXPECT(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    cudaError_t code = cudaSuccess;
    std::thread([&]() { code = cudaStreamEndCapture(a, &graph); }).join();
    EXPECT(code == cudaErrorStreamCaptureWrongThread);
    EXPECT(cudaStreamEndCapture(a, &graph) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
    EXPECT(cudaStreamSynchronize(a) == cudaSuccess && x.read()[0] == 0);
    EXPECT(cudaStreamDestroy(a) == cudaSuccess && cudaStreamDestroy(b) == cudaSuccess);
    EXPECT(cudaEventDestroy(event) == cudaSuccess);
    (void)cudaGetLastError();
    return NULL;
}

static const char *check_two_devices(const stria_cuda_host *host)
{
    device_array x(count_up(N));
    cudaStream_t stream;
    (void)host;
    EXPECT(cudaSetDevice(1) == cudaSuccess && cudaStreamCreate(&stream) == cudaSuccess);
    int *y = new_ints(N);
    EXPECT(cudaMemcpyPeerAsync(y, 1, x.at, 0, N * sizeof(int), stream) == cudaSuccess);
    EXPECT(cudaMemcpyPeerAsync(y, 0, x.at, 1, N * sizeof(int), stream) == cudaErrorInvalidValue);
    int got[N];
    EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
    EXPECT(cudaMemcpy(got, y, sizeof got, cudaMemcpyDeviceToHost) == cudaSuccess && got[N - 1] == N - 1);
    EXPECT(cudaSetDevice(0) == cudaSuccess);
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    config.stream = stream; /* of the other device */
    EXPECT(cudaLaunchKernelEx(&config, add_one, x.at) == cudaErrorInvalidResourceHandle);
    EXPECT(cudaStreamDestroy(stream) == cudaSuccess && cudaFree(y) == cudaSuccess);
    return NULL;
}

#define CHECK_ROW(name)     \
    {                       \
#name, check_##name \
    }
const cuda_host_check cuda_host_checks[] = {
    CHECK_ROW(beyond),      CHECK_ROW(before),          CHECK_ROW(freed),
    CHECK_ROW(wild),        CHECK_ROW(other_device),    CHECK_ROW(division),
    CHECK_ROW(stuck),       CHECK_ROW(waiting),         CHECK_ROW(trap),
    CHECK_ROW(shared_size), CHECK_ROW(places),          CHECK_ROW(warp_words),
    CHECK_ROW(atomics),     CHECK_ROW(no_device),       CHECK_ROW(failing_calls),
    CHECK_ROW(lost_device), CHECK_ROW(arguments),       CHECK_ROW(pool),
    CHECK_ROW(leaks),       CHECK_ROW(dynamic_shared),  CHECK_ROW(host_function),
    CHECK_ROW(graph),       CHECK_ROW(refused_capture), CHECK_ROW(two_devices),
    {NULL, NULL},
};
#undef CHECK_ROW

static void read_device_memory(void)
{
    volatile int *x = new_ints(N);
    (void)x[7];
}

static __global__ void write_byte(char *x, int at) { x[at] = 1; }

static void write_beyond(void)
{
    void *block = NULL;
    (void)cudaMalloc(&block, 1001);
    (void)launch_simply(1, 1, write_byte, static_cast<char *>(block), 1001);
    (void)cudaDeviceSynchronize();
}

const cuda_host_tests *cuda_host_tests_get(void)
{
    static const cuda_host_tests tests = {cuda_host_scenarios, cuda_host_checks, read_device_memory, write_beyond};
    return &tests;
}
