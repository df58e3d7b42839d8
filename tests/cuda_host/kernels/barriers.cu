/* barriers.cu - kernels with barriers, and the same with one of them left out; streams that wait, and that do not. */
#include <thread>

#include "scenarios.cuh"

enum { THREADS = 128, BLOCKS = 6, N = THREADS * BLOCKS };

std::vector<int> count_up(int n)
{
    std::vector<int> values;
    for (int k = 0; k < n; k++) values.push_back(k);
    return values;
}

/* Sum of x[first .. first + n). */
static int sum_of(int first, int n) { return n * first + n * (n - 1) / 2; }

/* ---------------------------------------------------------------- kernels */

/* Every block turns its elements round. */
template <bool SAFE>
static __global__ void reverse(int *x)
{
    STRIA_CUDA_SHARED(int, values, [THREADS]);
    const int t = (int)threadIdx.x, at = (int)blockIdx.x * THREADS;
    values[t] = x[at + t];
    if (SAFE) __syncthreads();
    x[at + t] = values[THREADS - 1 - t];
}

static __device__ int warp_sum(int x)
{
    for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(0xffffffffu, x, (unsigned)step);
    return x;
}

/* The sum of a value of every thread, known to all of them; `values` may be used again at once if SAFE. */
template <bool SAFE>
static __device__ int block_sum(int x, int *values)
{
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int       total = 0;
    x = warp_sum(x);
    if (lane == 0) values[warp] = x;
    __syncthreads();
    for (int k = 0; k < THREADS / 32; k++) total += values[k];
    if (SAFE) __syncthreads();
    return total;
}

/* Sums of x, and of its doubles, by one function that is called twice. */
template <bool SAFE>
static __global__ void two_sums(const int *x, int *sums)
{
    STRIA_CUDA_SHARED(int, values, [THREADS / 32]);
    const int mine = x[blockIdx.x * THREADS + threadIdx.x];
    const int once = block_sum<SAFE>(mine, values), twice = block_sum<true>(2 * mine, values);
    if (threadIdx.x % 32 == 31) atomicAdd(&sums[blockIdx.x], once + twice);
}

/* Every warp turns its elements round. */
template <bool SAFE>
static __global__ void reverse_warps(int *x)
{
    STRIA_CUDA_SHARED(int, values, [THREADS]);
    const int t = (int)threadIdx.x, at = (int)blockIdx.x * THREADS;
    values[t] = x[at + t];
    if (SAFE) __syncwarp();
    x[at + t] = values[t ^ 31];
}

/* The sum of all blocks' sums, which the last block makes. */
template <bool SAFE>
static __global__ void sum_by_last(const int *x, volatile int *parts, unsigned *ticket, int *sum)
{
    STRIA_CUDA_SHARED(int, values, [THREADS / 32]);
    STRIA_CUDA_SHARED(int, is_last, );
    const int part = block_sum<true>(x[blockIdx.x * THREADS + threadIdx.x], values);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = part;
        __threadfence();
        is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    if (SAFE) __syncthreads();
    if (is_last && threadIdx.x == 33) {
        int total = 0;
        __threadfence();
        for (unsigned k = 0; k < gridDim.x; k++) total += parts[k];
        *sum = total;
    }
}

/* Blocks one after the other, each when the one before says so. */
static __global__ void in_turn(unsigned *turn, int *order)
{
    STRIA_CUDA_SHARED(unsigned, place, );
    if (threadIdx.x == 0) {
        place = atomicAdd(turn, 1u);
        while (atomicAdd(turn + 1, 0u) != place) __nanosleep(20);
        __threadfence();
    }
    __syncthreads();
    order[place * THREADS + threadIdx.x] = place > 0 ? order[(place - 1) * THREADS + threadIdx.x] + 1 : 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(turn + 1, 1u);
}

static __global__ void add_one(int *x, int n)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) x[i] += 1;
}

/* ---------------------------------------------------------------- what is run of them */

template <bool SAFE>
static bool run_reverse()
{
    device_array x(count_up(N));
    bool         right = launch_simply(BLOCKS, THREADS, reverse<SAFE>, x.at) == cudaSuccess;
    const auto   got = x.read();
    for (int k = 0; k < N; k++) right = right && got[(size_t)k] == k / THREADS * THREADS + THREADS - 1 - k % THREADS;
    return right;
}

template <bool SAFE>
static bool run_two_sums()
{
    device_array x(count_up(N)), sums(std::vector<int>(BLOCKS, 0));
    bool         right = launch_simply(BLOCKS, THREADS, two_sums<SAFE>, x.at, sums.at) == cudaSuccess;
    const auto   got = sums.read();
    for (int k = 0; k < BLOCKS; k++) right = right && got[(size_t)k] == 4 * 3 * sum_of(k * THREADS, THREADS);
    return right;
}

template <bool SAFE>
static bool run_reverse_warps()
{
    device_array x(count_up(N));
    bool         right = launch_simply(BLOCKS, THREADS, reverse_warps<SAFE>, x.at) == cudaSuccess;
    const auto   got = x.read();
    for (int k = 0; k < N; k++) right = right && got[(size_t)k] == (k ^ 31);
    return right;
}

template <bool SAFE>
static bool run_sum_by_last()
{
    device_array x(count_up(N)), parts(std::vector<int>(BLOCKS, 0)), ticket({0}), sum({0});
    const bool   launched = launch_simply(BLOCKS, THREADS, sum_by_last<SAFE>, x.at, parts.at,
                                          reinterpret_cast<unsigned *>(ticket.at), sum.at) == cudaSuccess;
    return launched && sum.read()[0] == sum_of(0, N);
}

static bool run_in_turn()
{
    device_array turn({0, 0}), order(std::vector<int>(N, 0));
    bool         right =
        launch_simply(BLOCKS, THREADS, in_turn, reinterpret_cast<unsigned *>(turn.at), order.at) == cudaSuccess;
    const auto got = order.read();
    for (int k = 0; k < N; k++) right = right && got[(size_t)k] == k / THREADS + 1;
    return right;
}

/* ---------------------------------------------------------------- streams */

struct two_streams {
    cudaStream_t a, b;
    cudaEvent_t  event;
    int         *pinned;
    two_streams() : a(NULL), b(NULL), event(NULL), pinned(NULL)
    {
        (void)cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
        (void)cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
        (void)cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        (void)cudaHostAlloc(reinterpret_cast<void **>(&pinned), N * sizeof(int), cudaHostAllocDefault);
    }
    ~two_streams()
    {
        (void)cudaDeviceSynchronize();
        (void)cudaStreamDestroy(a);
        (void)cudaStreamDestroy(b);
        (void)cudaEventDestroy(event);
        (void)cudaFreeHost(pinned);
    }
    cudaError_t add_one_in(cudaStream_t stream, int *x)
    {
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(BLOCKS);
        config.blockDim = dim3(THREADS);
        config.stream = stream;
        return cudaLaunchKernelEx(&config, add_one, x, (int)N);
    }
    two_streams(const two_streams &) = delete;
};

static bool is_counted(const int *x, int first)
{
    for (int k = 0; k < N; k++)
        if (x[k] != first + k) return false;
    return true;
}

/* The host reads what a copy wrote. */
template <bool SAFE>
static bool run_host_waits()
{
    device_array x(count_up(N));
    two_streams  s;
    (void)s.add_one_in(s.a, x.at);
    (void)cudaMemcpyAsync(s.pinned, x.at, N * sizeof(int), cudaMemcpyDeviceToHost, s.a);
    if (SAFE) (void)cudaStreamSynchronize(s.a);
    return is_counted(s.pinned, 1);
}

/* The host writes to what a copy reads. */
template <bool SAFE>
static bool run_source_reused()
{
    device_array x(std::vector<int>(N, 0));
    two_streams  s;
    for (int k = 0; k < N; k++) s.pinned[k] = k;
    (void)cudaMemcpyAsync(x.at, s.pinned, N * sizeof(int), cudaMemcpyHostToDevice, s.a);
    if (SAFE) (void)cudaStreamSynchronize(s.a);
    memset(s.pinned, 0, N * sizeof(int));
    (void)cudaStreamSynchronize(s.a);
    return is_counted(x.read().data(), 0);
}

/* Two streams, and the second uses what the first makes. */
template <bool SAFE>
static bool run_event()
{
    device_array x(count_up(N));
    two_streams  s;
    (void)s.add_one_in(s.a, x.at);
    (void)s.add_one_in(s.a, x.at);
    (void)cudaEventRecord(s.event, s.a);
    if (SAFE) (void)cudaStreamWaitEvent(s.b, s.event, 0);
    (void)cudaMemcpyAsync(s.pinned, x.at, N * sizeof(int), cudaMemcpyDeviceToHost, s.b);
    (void)cudaStreamSynchronize(s.b);
    return is_counted(s.pinned, 2);
}

/* A block is freed in the stream that used it, or in another one. */
template <bool SAFE>
static bool run_free()
{
    two_streams s;
    int        *x = NULL;
    for (int k = 0; k < N; k++) s.pinned[k] = k;
    (void)cudaMallocAsync(reinterpret_cast<void **>(&x), N * sizeof(int), s.a);
    (void)cudaMemcpyAsync(x, s.pinned, N * sizeof(int), cudaMemcpyHostToDevice, s.a);
    (void)s.add_one_in(s.a, x);
    (void)cudaMemcpyAsync(s.pinned, x, N * sizeof(int), cudaMemcpyDeviceToHost, s.a);
    (void)cudaFreeAsync(x, SAFE ? s.a : s.b);
    return cudaDeviceSynchronize() == cudaSuccess && is_counted(s.pinned, 1);
}

/* Threads of the host, each with a stream of its own, memory that streams allocate, and a function that a stream calls. */
static void count_in_thread(int first, bool *is_right)
{
    two_streams s;
    int        *x = NULL, called = 0;
    for (int k = 0; k < N; k++) s.pinned[k] = first + k;
    for (int round = 0; round < 5; round++) {
        (void)cudaMallocAsync(reinterpret_cast<void **>(&x), N * sizeof(int), s.a);
        (void)cudaMemcpyAsync(x, s.pinned, N * sizeof(int), cudaMemcpyHostToDevice, s.a);
        (void)cudaEventRecord(s.event, s.a);
        (void)cudaStreamWaitEvent(s.b, s.event, 0);
        (void)s.add_one_in(s.b, x);
        (void)cudaMemcpyAsync(s.pinned, x, N * sizeof(int), cudaMemcpyDeviceToHost, s.b);
        (void)cudaFreeAsync(x, s.b);
        (void)cudaLaunchHostFunc(
            s.b, [](void *n) { ++*static_cast<int *>(n); }, &called);
    }
    *is_right = cudaStreamSynchronize(s.b) == cudaSuccess && called == 5;
    /* the copies in of later rounds wait for no copy out: only the last thing is known, that every round added one to what it read */
    for (int k = 0; k < N; k++) *is_right = *is_right && s.pinned[k] > first + k && s.pinned[k] <= first + k + 5;
}

static bool run_host_threads()
{
    bool                     right[3] = {false, false, false};
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; k++) threads.emplace_back(count_in_thread, 1000 * k, &right[k]);
    for (std::thread &t : threads) t.join();
    return right[0] && right[1] && right[2];
}

const cuda_host_scenario cuda_host_scenarios[] = {
    {"barrier before a shared read", run_reverse<true>, 0, false},
    {"barrier before a shared read, removed", run_reverse<false>, 95, true},
    {"barrier before a shared overwrite", run_two_sums<true>, 0, false},
    {"barrier before a shared overwrite, removed", run_two_sums<false>, 50, true},
    {"barrier of a warp", run_reverse_warps<true>, 0, false},
    {"barrier of a warp, removed", run_reverse_warps<false>, 95, true},
    {"barrier of the last block", run_sum_by_last<true>, 0, false},
    {"barrier of the last block, removed", run_sum_by_last<false>, 10, true},
    {"blocks in turn", run_in_turn, 0, false},
    {"wait of the host", run_host_waits<true>, 0, false},
    {"wait of the host, removed", run_host_waits<false>, 80, false},
    {"pinned source", run_source_reused<true>, 0, false},
    {"pinned source, reused too early", run_source_reused<false>, 60, false},
    {"event between streams", run_event<true>, 0, false},
    {"event between streams, removed", run_event<false>, 20, false},
    {"free in order", run_free<true>, 0, false},
    {"free in another stream", run_free<false>, 50, false},
    {"threads of the host", run_host_threads, 0, false},
    {NULL, NULL, 0, false},
};
