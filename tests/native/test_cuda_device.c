/* test_cuda_device.c - CUDA devices themselves: what is known of them, memory, its limits and its end, threads and their streams, faults; and
 * why there is none. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_case.h"
#include "refused.h"
#include "tensor/tensor.h"

#if defined(__EMSCRIPTEN__)
SUITE(test_cuda_device)
{
    stria_tensor *y = NULL;

    CHECK(stria_device_get_count(STRIA_DEVICE_CUDA) == 0, "devices in WebAssembly");
    REFUSED_NEW(stria_zeros(NULL, 0, STRIA_F32, CUDA, &y, &err), STRIA_ERR_UNSUPPORTED, "zeros", "device",
                "there is no device cuda:0: WebAssembly cannot reach GPUs by CUDA");
    return check_finish("test_cuda_device");
}
#else
#include <dlfcn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cuda/cuda_device.h"
#include "cuda_host_case.h"
#include "iter/iter_internal.h"

static const stria_cuda_host *host; /* NULL: a real device */

/* Of CUDA. */
enum { ILLEGAL_ADDRESS = 700, INVALID_VALUE = 1 };

static stria_tensor *new_zeros(int64_t n)
{
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_zeros(&n, 1, STRIA_F32, CUDA, &x, NULL), STRIA_OK);
    return x;
}

static stria_tensor *new_empty(int64_t n)
{
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_empty(&n, 1, STRIA_F32, CUDA, &x, NULL), STRIA_OK);
    return x;
}

/* ---------------------------------------------------------------- what is known */

static void test_info(void)
{
    stria_device_info  info;
    stria_memory_stats stats;

    CHECK_STATUS(stria_device_get_info(CUDA, &info, NULL), STRIA_OK);
    CHECK(info.name[0] != 0 && info.memory_total_bytes > 0 && info.memory_free_bytes <= info.memory_total_bytes &&
              info.capability[0] > 0,
          "info: %s, %d.%d", info.name, info.capability[0], info.capability[1]);
    CHECK(stria_device_get_count(STRIA_DEVICE_CPU) == 1 && stria_device_get_count(STRIA_DEVICE_META) == 1 &&
              stria_device_get_count(STRIA_DEVICE_CUSTOM) == 0 && stria_device_get_count(STRIA_DEVICE_COUNT) == 0,
          "devices of other types");
    CHECK_STATUS(stria_device_get_info(STRIA_CPU, &info, NULL), STRIA_OK);
    CHECK(strcmp(info.name, "cpu") == 0 && info.memory_total_bytes == 0, "the CPU's info: %s", info.name);
    REFUSED(stria_device_get_info(STRIA_DEVICE(STRIA_DEVICE_CUDA, 16), &info, &err), STRIA_ERR_ARGUMENT, "device",
            "device", "is no device");
    REFUSED(stria_device_get_info(STRIA_DEVICE(STRIA_DEVICE_CUDA, 15), &info, &err), STRIA_ERR_UNSUPPORTED, "device",
            "device", "there is no device cuda:15: CUDA finds");
    REFUSED(stria_device_get_info(STRIA_DEVICE(STRIA_DEVICE_CUSTOM, 0), &info, &err), STRIA_ERR_UNSUPPORTED, "device",
            "device", "there is no device custom:0");
    REFUSED(stria_device_get_info(CUDA, NULL, &err), STRIA_ERR_ARGUMENT, "device", "info", "NULL");
    REFUSED(stria_device_memory_get_stats(CUDA, NULL, &err), STRIA_ERR_ARGUMENT, "memory", "stats", "NULL");
    REFUSED(stria_device_memory_set_limit(STRIA_META, 1, &err), STRIA_ERR_UNSUPPORTED, "memory", "device",
            "meta takes no limit");
    CHECK_STATUS(stria_device_memory_get_stats(STRIA_CPU, &stats, NULL), STRIA_OK);
    CHECK(stats.live_storages == stria_memory_get_stats().live_storages, "the CPU's memory");
    CHECK_STATUS(stria_device_synchronize(CUDA, NULL), STRIA_OK);
    CHECK_STATUS(stria_device_synchronize(STRIA_CPU, NULL), STRIA_OK);
    CHECK_STATUS(stria_device_memory_release_cache(STRIA_CPU, NULL), STRIA_OK);
}

/* ---------------------------------------------------------------- memory */

static stria_memory_stats get_stats(void)
{
    stria_memory_stats stats = {0};

    CHECK_STATUS(stria_device_memory_get_stats(CUDA, &stats, NULL), STRIA_OK);
    return stats;
}

static void test_memory(void)
{
    const stria_memory_stats before = get_stats();
    stria_tensor            *x = new_zeros(100000), *y = NULL;
    stria_memory_stats       stats = get_stats();

    CHECK(stats.live_bytes == before.live_bytes + 400000 && stats.live_storages == before.live_storages + 1,
          "%llu bytes live", (unsigned long long)stats.live_bytes);
    CHECK(stats.peak_bytes >= stats.live_bytes && stats.allocation_count == before.allocation_count + 1, "counts");
    stria_tensor_release(x);
    CHECK(get_stats().live_bytes == before.live_bytes, "bytes left");
    CHECK_STATUS(stria_device_memory_release_cache(CUDA, NULL), STRIA_OK);
    CHECK(get_stats().cached_bytes == 0 || before.live_bytes > 0, "%llu bytes kept",
          (unsigned long long)get_stats().cached_bytes);

    CHECK_STATUS(stria_device_memory_set_limit(CUDA, before.live_bytes + 1000000, NULL), STRIA_OK);
    CHECK(get_stats().limit_bytes == before.live_bytes + 1000000, "the limit");
    x = new_zeros(200000);
    REFUSED_NEW(stria_zeros((const int64_t[]){100000}, 1, STRIA_F32, CUDA, &y, &err), STRIA_ERR_MEMORY, "zeros", "",
                "no memory for 400000 bytes on cuda:0");
    REFUSED_NEW(stria_neg(x, &y, &err), STRIA_ERR_MEMORY, "neg", "", "no memory for 800000 bytes on cuda:0");
    CHECK_STATUS(stria_device_memory_set_limit(CUDA, 0, NULL), STRIA_OK);
    CHECK_STATUS(stria_neg(x, &y, NULL), STRIA_OK);
    stria_tensor_release(x), stria_tensor_release(y);
    CHECK(get_stats().live_bytes == before.live_bytes, "bytes left after what was refused");
}

/* A device that is full gives back what is kept, and only then refuses. */
static void test_full(void)
{
    const int64_t mib = 1 << 18; /* elements */
    stria_tensor *x[3] = {NULL}, *y = NULL;

    if (host == NULL) return;
    host->set_memory(0, (size_t)256 << 20);
    for (int k = 0; k < 3; k++) x[k] = new_empty(64 * mib);
    for (int k = 0; k < 3; k++) stria_tensor_release(x[k]);
    CHECK_STATUS(stria_device_synchronize(CUDA, NULL), STRIA_OK);
    CHECK(get_stats().cached_bytes >= (uint64_t)192 << 20, "%llu bytes kept",
          (unsigned long long)get_stats().cached_bytes);
    x[0] = new_empty(200 * mib); /* one block of what were three */
    REFUSED_NEW(stria_empty((const int64_t[]){100 * mib}, 1, STRIA_F32, CUDA, &y, &err), STRIA_ERR_MEMORY, "empty", "",
                "no memory for 104857600 bytes on cuda:0");
    stria_tensor_release(x[0]);
    x[0] = new_empty(100 * mib);
    stria_tensor_release(x[0]);
    CHECK_STATUS(stria_device_memory_release_cache(CUDA, NULL), STRIA_OK);
}

/* ---------------------------------------------------------------- threads */

enum { N_THREADS = 4, N_ROUNDS = 24 };

typedef struct shared {
    stria_tensor     *at[N_THREADS]; /* each made by one thread, read by the next */
    pthread_barrier_t barrier;
} shared;

typedef struct worker {
    shared *all;
    int     number;
} worker;

/* x * 2 + 1 of what another thread has just made, and is about to release. */
static void *run_worker(void *context)
{
    worker       *w = context;
    shared       *all = w->all;
    stria_tensor *two = NULL, *one = NULL, *x = NULL, *y = NULL;
    const int64_t n = 700;

    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_FLOAT, 0, 2, 0}, &two, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_FLOAT, 0, 1, 0}, &one, NULL), STRIA_OK);
    CHECK_STATUS(
        stria_full(&n, 1, (stria_scalar){STRIA_SCALAR_FLOAT, 0, 0, 0}, STRIA_F64, CUDA, &all->at[w->number], NULL),
        STRIA_OK);
    for (int k = 0; k < N_ROUNDS; k++) {
        pthread_barrier_wait(&all->barrier);
        stria_tensor *other = stria_tensor_retain(all->at[(w->number + 1) % N_THREADS]);
        CHECK_STATUS(stria_mul(other, two, &x, NULL), STRIA_OK);
        CHECK_STATUS(stria_add(x, one, &y, NULL), STRIA_OK);
        stria_tensor_release(x);
        stria_tensor_release(other); /* the last owner may be here, far from its home */
        x = NULL;
        pthread_barrier_wait(&all->barrier);
        stria_tensor_release(all->at[w->number]);
        all->at[w->number] = y;
        y = NULL;
    }
    stria_tensor_release(two), stria_tensor_release(one);
    return NULL;
}

static void test_threads(void)
{
    const int64_t n = 700;

    for (int round = 0; round < 3; round++) { /* later ones take the streams of ended threads */
        shared    all = {0};
        worker    workers[N_THREADS];
        pthread_t threads[N_THREADS];
        pthread_barrier_init(&all.barrier, NULL, N_THREADS);
        for (int k = 0; k < N_THREADS; k++) {
            workers[k] = (worker){&all, k};
            pthread_create(&threads[k], NULL, run_worker, &workers[k]);
        }
        for (int k = 0; k < N_THREADS; k++) pthread_join(threads[k], NULL);
        stria_tensor *wanted = NULL; /* 2^rounds - 1 */
        CHECK_STATUS(stria_full(&n, 1, (stria_scalar){STRIA_SCALAR_FLOAT, 0, (1 << N_ROUNDS) - 1, 0}, STRIA_F64,
                                STRIA_CPU, &wanted, NULL),
                     STRIA_OK);
        for (int k = 0; k < N_THREADS; k++) {
            cuda_case_check_same("threads", all.at[k], wanted);
            stria_tensor_release(all.at[k]);
        }
        stria_tensor_release(wanted);
        pthread_barrier_destroy(&all.barrier);
    }
    if (host == NULL) return;
    stria_cuda_host_counts counts;
    host->get_counts(&counts);
    CHECK(counts.streams <= 2 + N_THREADS, "%d streams", (int)counts.streams);
}

/* ---------------------------------------------------------------- streams of programs */

static void *get_handle(void)
{
    void *handle = NULL;

    CHECK_STATUS(stria_stream_get_handle(CUDA, &handle, NULL), STRIA_OK);
    return handle;
}

static int64_t count_streams(void)
{
    stria_cuda_host_counts counts;

    host->get_counts(&counts);
    return counts.streams;
}

/* Sets it, and ends with it set. */
static void *set_in_thread(void *stream)
{
    CHECK_STATUS(stria_stream_set(CUDA, stream, NULL), STRIA_OK);
    stria_tensor *x = new_zeros(10);
    stria_tensor_release(x);
    return NULL;
}

static void *set_elsewhere(void *stream)
{
    REFUSED(stria_stream_set(CUDA, stream, &err), STRIA_ERR_ARGUMENT, "stream", "stream", "set on another thread");
    CHECK_STATUS(stria_stream_synchronize(stream, NULL), STRIA_OK);
    return NULL;
}

static void in_thread(void *(*run)(void *), void *context)
{
    pthread_t thread;

    pthread_create(&thread, NULL, run, context);
    pthread_join(thread, NULL);
}

/* n sums of x with itself, each of them on another stream. */
static void check_streams(stria_stream **streams, int n_streams, int n)
{
    const int64_t size = 3000;
    stria_tensor *x = NULL, *y = NULL, *wanted = NULL;

    CHECK_STATUS(stria_ones(&size, 1, STRIA_F32, CUDA, &x, NULL), STRIA_OK);
    for (int k = 0; k < n; k++) {
        CHECK_STATUS(stria_stream_set(CUDA, streams[k % n_streams], NULL), STRIA_OK);
        CHECK_STATUS(stria_add(x, x, &y, NULL), STRIA_OK);
        stria_tensor_release(x);
        x = y, y = NULL;
    }
    CHECK_STATUS(stria_stream_set(CUDA, NULL, NULL), STRIA_OK);
    CHECK_STATUS(
        stria_full(&size, 1, (stria_scalar){STRIA_SCALAR_FLOAT, 0, 1 << n, 0}, STRIA_F32, STRIA_CPU, &wanted, NULL),
        STRIA_OK);
    cuda_case_check_same("streams in turns", x, wanted);
    stria_tensor_release(x), stria_tensor_release(wanted);
}

/* Tensors of the stream that is set, of another one, and of the CPU. */
static void check_order(void)
{
    stria_stream *stream = NULL;
    stria_tensor *x = new_zeros(9), *y = NULL, *z = NULL, *empty = new_zeros(0);

    CHECK_STATUS(stria_stream_new(CUDA, &stream, NULL), STRIA_OK);
    CHECK_STATUS(stria_stream_set(CUDA, stream, NULL), STRIA_OK);
    CHECK_STATUS(stria_exp(x, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_ones((int64_t[]){3}, 1, STRIA_F32, STRIA_CPU, &z, NULL), STRIA_OK);
    stria_tensor *const all[] = {x, y, z, empty};
    for (int k = 0; k < 4; k++) {
        CHECK_STATUS(stria_stream_wait_tensor(all[k], NULL), STRIA_OK);
        CHECK_STATUS(stria_stream_record_tensor(all[k], NULL), STRIA_OK);
    }
    if (host != NULL) {
        host->fail("cudaStreamWaitEvent", 1, INVALID_VALUE);
        CHECK_STATUS(stria_stream_wait_tensor(y, NULL), STRIA_OK); /* it is of this stream */
        REFUSED(stria_stream_wait_tensor(x, &err), STRIA_ERR_INTERNAL, "stream", "", "CUDA error 1");
        host->fail("cudaStreamWaitEvent", 0, 0);
    }
    REFUSED(stria_stream_wait_tensor(NULL, &err), STRIA_ERR_ARGUMENT, "stream", "x", "NULL");
    REFUSED(stria_stream_record_tensor(NULL, &err), STRIA_ERR_ARGUMENT, "stream", "x", "NULL");
    CHECK_STATUS(stria_stream_set(CUDA, NULL, NULL), STRIA_OK);
    stria_stream_release(stream);
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(z), stria_tensor_release(empty);
}

/* Code of CUDA's own on a stream that is set: it sees what was done with a tensor of another one, and is seen where it was recorded. Nothing runs
 * before somebody waits for it. */
static void check_foreign(void)
{
    const stria_cuda_plugin *plugin = stria_cuda_get_plugin();
    const float              fives[] = {5, 5, 5};
    float                    seen[3] = {0};
    stria_stream            *stream = NULL;
    stria_cuda_queue        *queue = NULL;
    stria_tensor            *x = new_zeros(3), *y = NULL, *wanted = NULL;

    host->set_eagerness(0);
    CHECK_STATUS(stria_stream_new(CUDA, &stream, NULL), STRIA_OK);
    CHECK_STATUS(stria_exp(x, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_stream_set(CUDA, stream, NULL), STRIA_OK);
    CHECK_STATUS(stria_cuda_queue_get(0, "test", &queue, NULL), STRIA_OK);
    CHECK_STATUS(stria_stream_wait_tensor(y, NULL), STRIA_OK);
    CHECK(plugin->copy_out(queue->stream, seen, y->data, sizeof seen) == 0 && seen[0] == 1 && seen[2] == 1,
          "a stream that waited sees %g", (double)seen[0]);
    CHECK(plugin->copy_in(queue->stream, y->data, fives, sizeof fives) == 0, "a copy to the device");
    CHECK_STATUS(stria_stream_record_tensor(y, NULL), STRIA_OK);
    CHECK_STATUS(stria_stream_set(CUDA, NULL, NULL), STRIA_OK);
    CHECK_STATUS(
        stria_full((int64_t[]){3}, 1, (stria_scalar){STRIA_SCALAR_FLOAT, 0, 5, 0}, STRIA_F32, STRIA_CPU, &wanted, NULL),
        STRIA_OK);
    cuda_case_check_same("what another stream has written", y, wanted);
    stria_stream_release(stream);
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(wanted);
    host->reset(1);
}

static void test_streams(void)
{
    stria_stream *a = NULL, *b = NULL, *streams[3] = {NULL};
    void         *own = get_handle();

    REFUSED(stria_stream_new(STRIA_CPU, &a, &err), STRIA_ERR_UNSUPPORTED, "stream", "device", "cpu has no streams");
    REFUSED(stria_stream_new(STRIA_DEVICE(STRIA_DEVICE_CUDA, 15), &a, &err), STRIA_ERR_UNSUPPORTED, "stream", "device",
            "there is no device cuda:15");
    REFUSED(stria_stream_new(CUDA, NULL, &err), STRIA_ERR_ARGUMENT, "stream", "stream", "NULL");
    REFUSED(stria_stream_set(STRIA_META, NULL, &err), STRIA_ERR_UNSUPPORTED, "stream", "device", "meta has no streams");
    REFUSED(stria_stream_synchronize(NULL, &err), STRIA_ERR_ARGUMENT, "stream", "stream", "NULL");
    REFUSED(stria_stream_get_handle(CUDA, NULL, &err), STRIA_ERR_ARGUMENT, "stream", "handle", "NULL");
    stria_stream_release(NULL);
    CHECK_STATUS(stria_stream_new(CUDA, &a, NULL), STRIA_OK);
    CHECK_STATUS(stria_stream_new(CUDA, &b, NULL), STRIA_OK);
    if (stria_device_get_count(STRIA_DEVICE_CUDA) > 1)
        REFUSED(stria_stream_set(STRIA_DEVICE(STRIA_DEVICE_CUDA, 1), a, &err), STRIA_ERR_ARGUMENT, "stream", "stream",
                "stream is of cuda:0, and was to be set on cuda:1");
    CHECK_STATUS(stria_stream_set(CUDA, a, NULL), STRIA_OK);
    void *of_a = get_handle();
    CHECK_STATUS(stria_stream_set(CUDA, a, NULL), STRIA_OK); /* again */
    in_thread(set_elsewhere, a);
    CHECK_STATUS(stria_stream_set(CUDA, b, NULL), STRIA_OK);
    CHECK(own != NULL && of_a != own && get_handle() != own && get_handle() != of_a, "streams of one handle");
    in_thread(set_in_thread, a); /* this thread has it no more, and that one has ended */
    CHECK_STATUS(stria_stream_set(CUDA, a, NULL), STRIA_OK);
    CHECK(get_handle() == of_a, "another handle of a stream");
    CHECK_STATUS(stria_stream_set(CUDA, NULL, NULL), STRIA_OK);
    CHECK(get_handle() == own, "the thread's own stream is another one");
    streams[0] = a, streams[2] = b; /* and the thread's own */
    check_streams(streams, 3, 12);
    CHECK_STATUS(stria_stream_synchronize(a, NULL), STRIA_OK);
    CHECK_STATUS(stria_stream_set(CUDA, a, NULL), STRIA_OK);
    stria_stream_release(a); /* it stays set */
    CHECK(get_handle() == of_a, "a stream that is set went with its release");
    CHECK_STATUS(stria_stream_set(CUDA, NULL, NULL), STRIA_OK);
    stria_stream_release(b);
    check_order();
    if (host == NULL) return;
    check_foreign();
    const int64_t before = count_streams();
    for (int k = 0; k < 20; k++) { /* streams of released ones are handed on */
        CHECK_STATUS(stria_stream_new(CUDA, &a, NULL), STRIA_OK);
        in_thread(set_in_thread, a);
        stria_stream_release(a);
    }
    CHECK(count_streams() <= before + 1, "%d streams, and %d before", (int)count_streams(), (int)before);
}

/* ---------------------------------------------------------------- walks */

/* Adds up what the elements of operand 0 hold, on the host. */
static int sum_walk(void *context, stria_cuda_work *work, const stria_cuda_walk *walk)
{
    int64_t index[STRIA_CUDA_MAX_DIMS] = {0}, *sums = context;
    (void)work;

    CHECK(walk->ndim <= STRIA_CUDA_MAX_DIMS, "%d dims", (int)walk->ndim);
    for (bool more = true; more;) {
        const char *at = walk->data[0];
        int         d = 0;
        for (int k = 0; k < walk->ndim; k++) at += index[k] * walk->strides[k];
        sums[0] += *(const int64_t *)(const void *)at;
        sums[1]++;
        while (d < walk->ndim && ++index[d] == walk->shape[d]) index[d++] = 0;
        more = d < walk->ndim;
    }
    return STRIA_CUDA_OK;
}

/* More dims than a walk has. */
static void test_many_dims(void)
{
    int64_t           shape[40], sums[2] = {0, 0}, elements[1024];
    stria_tensor     *x = NULL;
    stria_iter_config config;
    stria_iter        it;
    stria_cuda_work   work = {.code = STRIA_CUDA_OK};

    for (int d = 0; d < 40; d++) shape[d] = d % 4 == 1 ? 2 : 1; /* 10 of 2 */
    for (int k = 0; k < 1024; k++) elements[k] = k;
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_I64, 40, shape, elements, sizeof elements, &x, NULL), STRIA_OK);
    x->device = x->storage->device = CUDA; /* of which only the walk is asked */
    stria_iter_config_init(&config);
    stria_iter_config_set_multi_index(&config, true); /* dims stay as they are */
    stria_iter_config_set_nullary_op(&config, x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    stria_iter_config_release(&config);
    CHECK(stria_iter_get_ndim(&it) == 40, "%d dims", stria_iter_get_ndim(&it));
    CHECK_STATUS(stria_cuda_walk_each(&work, &it, sum_walk, sums, NULL), STRIA_OK);
    CHECK(sums[1] == 1024 && sums[0] == 1023 * 512, "%d elements, their sum %d", (int)sums[1], (int)sums[0]);
    stria_iter_release(&it);
    x->device = x->storage->device = STRIA_CPU;
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- faults */

/* Errors that pass: the call fails, the next one does not. */
static void test_failures(void)
{
    static const char *const functions[] = {"cudaLaunchKernelEx", "cudaMemcpyAsync", "cudaEventRecord",
                                            "cudaEventSynchronize"};
    stria_tensor            *x = cuda_case_new(CUDA, STRIA_F32, AS_TURNED, 1), *y = NULL;

    if (host != NULL) {
        for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
            stria_error err = {0};
            host->fail(functions[k], 1, INVALID_VALUE);
            stria_tensor *cpu = NULL;
            CHECK_STATUS(stria_tensor_new(STRIA_F32, x->ndim, x->shape, &cpu, NULL), STRIA_OK);
            if (k == 0) { /* nothing is left of the result */
                CHECK_STATUS(stria_neg(x, &y, &err), STRIA_ERR_INTERNAL);
                CHECK(y == NULL && strcmp(err.op, "neg") == 0, "%s", err.message);
            } else {
                CHECK_STATUS(stria_tensor_set(cpu, x, &err), STRIA_ERR_INTERNAL);
                CHECK(strcmp(err.op, "copy") == 0, "%s", err.message);
            }
            CHECK(strstr(err.message, "CUDA error 1"), "%s", err.message);
            host->fail(functions[k], 0, 0);
            stria_tensor_release(cpu);
        }
        stria_error err = {0};
        CHECK_STATUS(stria_cuda_check(0, STRIA_CUDA_TOO_LARGE, "neg", &err), STRIA_ERR_UNSUPPORTED);
        CHECK(strcmp(err.message, "neg: cuda:0: more elements or dims than one launch of this kernel counts") == 0,
              "%s", err.message);
        host->fail("memory", -1, 2);
        CHECK_STATUS(stria_neg(x, &y, &err), STRIA_ERR_MEMORY);
        CHECK(y == NULL && strstr(err.message, "no memory for 168 bytes on cuda:0"), "%s", err.message);
        host->fail("memory", 0, 0);
    }
    CHECK_STATUS(stria_neg(x, &y, NULL), STRIA_OK);
    stria_tensor_release(x), stria_tensor_release(y);
}

static void *run_first_copy(void *context)
{
    static const struct {
        const char  *function;
        int          code;
        stria_status status;
    } cases[] = {{"cudaHostAlloc", 2, STRIA_ERR_MEMORY},
                 {"cudaHostAlloc", INVALID_VALUE, STRIA_ERR_INTERNAL},
                 {"cudaEventCreateWithFlags", INVALID_VALUE, STRIA_ERR_INTERNAL}};
    const stria_tensor *x = context;
    stria_tensor       *cpu = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, x->ndim, x->shape, &cpu, NULL), STRIA_OK);
    for (int k = 0; k < 3; k++) {
        host->fail(cases[k].function, k == 2 ? 2 : 1,
                   cases[k].code); /* the first event is what the home of x is waited for by */
        CHECK_STATUS(stria_tensor_set(cpu, x, NULL), cases[k].status);
        host->fail(cases[k].function, 0, 0);
    }
    stria_tensor_release(cpu);
    return NULL;
}

/* The pinned memory of a thread, which its first copy makes: what fails there says what it is, a fault of the device as well. */
static void test_first_copy(void)
{
    stria_tensor *x = cuda_case_new(CUDA, STRIA_F32, AS_PACKED, 1);
    pthread_t     thread;

    if (host != NULL) {
        pthread_create(&thread, NULL, run_first_copy, x);
        pthread_join(thread, NULL);
    }
    stria_tensor_release(x);
}

/* Rows that take memory on the way: for results, temporary tensors, and in the plug-in. */
static stria_status run_row(int k, const stria_tensor *x, stria_tensor **y, stria_error *err)
{
    stria_tensor *more[2] = {NULL};

    *y = NULL;
    const stria_status status = k == 0 ? stria_sort(x, -1, false, true, y, &more[0], err)
                                : k == 1
                                    ? stria_unique(x, true, true, true, STRIA_AXIS_NONE, y, &more[0], &more[1], err)
                                : k == 2 ? stria_median(x, 0, false, y, &more[0], err)
                                : k == 3 ? stria_histc(x, 4, -2, 2, y, err)
                                : k == 4 ? stria_masked_select(x, x, y, err)
                                         : stria_sum(x, NULL, 0, false, y, err);
    stria_tensor_release(more[0]), stria_tensor_release(more[1]);
    return status;
}

static int64_t count_blocks(void)
{
    stria_cuda_host_counts counts;

    CHECK_STATUS(stria_device_synchronize(CUDA, NULL), STRIA_OK);
    host->get_counts(&counts);
    return counts.blocks;
}

/* One allocation after another fails: for once, which is mended; and for good, which is an error that leaves nothing behind. */
static void test_memory_sweep(void)
{
    stria_tensor *x = cuda_case_new(CUDA, STRIA_F32, AS_PACKED, 1), *truths = NULL, *y = NULL, *want = NULL;

    if (host != NULL) {
        CHECK_STATUS(stria_tensor_copy(x, STRIA_BOOL, &truths, NULL), STRIA_OK);
        for (int k = 0; k < 6; k++) {
            const stria_tensor *in = k == 4 ? truths : x;
            CHECK_STATUS(run_row(k, in, &y, NULL), STRIA_OK);
            want = cuda_case_to_cpu(y);
            stria_tensor_release(y);
            const int64_t blocks = count_blocks();
            stria_status  status = STRIA_ERR_MEMORY;
            for (int nth = 1; status != STRIA_OK && nth < 100; nth++) {
                stria_error err = {0};
                host->fail("memory", nth, 2);
                CHECK_STATUS(run_row(k, in, &y, &err), STRIA_OK);
                host->fail("memory", 0, 0);
                if (y != NULL) cuda_case_check_same("after an allocation that failed once", y, want);
                stria_tensor_release(y);
                host->fail("memory", -nth, 2);
                status = run_row(k, in, &y, &err);
                host->fail("memory", 0, 0);
                CHECK(status == STRIA_OK || (status == STRIA_ERR_MEMORY && y == NULL), "row %d, allocation %d: %s", k,
                      nth, err.message);
                if (status == STRIA_OK) cuda_case_check_same("with all the memory that it takes", y, want);
                stria_tensor_release(y);
                CHECK(count_blocks() == blocks, "row %d, allocation %d: blocks are left", k, nth);
            }
            CHECK(status == STRIA_OK, "row %d takes 100 allocations", k);
            stria_tensor_release(want);
        }
    }
    stria_tensor_release(x), stria_tensor_release(truths);
}

/* A call that writes to given tensors: [0] to [3] of `of`, some of which lie in other ways, [4] indices, [5] a list of them, for the rows of [6]. */
static stria_status run_given(int k, stria_tensor *const *of, stria_error *err)
{
    stria_tensor       *params[] = {of[0], of[1]};
    const stria_tensor *grads[] = {of[2], of[3]};

    if (k == 0) return stria_scatter_reduce_out(of[1], of[4], of[2], 0, "mean", true, of[0], err);
    if (k == 1) return stria_clip_grad_value(params, 2, 0.5, err);
    if (k == 3) return stria_scatter_reduce_out(of[1], of[4], of[2], 0, "sum", false, of[0], err);
    if (k == 4) return stria_index_add_out(of[1], of[5], of[6], 0, stria_scalar_get(2), of[0], err);
    return stria_sgd(params, 2, grads, 2, NULL, 0, 0.1, 0, 0, 0, false, false, false, err);
}

/* Where there is no memory for what they take on the way, given tensors are as they were. */
static void test_given_stay(void)
{
    const int64_t many[] = {200, CUDA_COLUMNS};
    stria_tensor *of[7] = {cuda_case_new(CUDA, STRIA_F32, AS_PACKED, 1), cuda_case_new(CUDA, STRIA_F32, AS_STEP, 2),
                           cuda_case_new(CUDA, STRIA_F32, AS_PACKED, 3), cuda_case_new(CUDA, STRIA_F32, AS_STEP, 4)};
    stria_tensor *was[4];

    CHECK_STATUS(stria_zeros(of[0]->shape, 2, STRIA_I64, CUDA, &of[4], NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(many, 1, STRIA_I64, CUDA, &of[5], NULL), STRIA_OK);
    CHECK_STATUS(stria_ones(many, 2, STRIA_F32, CUDA, &of[6], NULL), STRIA_OK);
    for (int j = 0; j < 4; j++) was[j] = cuda_case_to_cpu(of[j]);
    for (int k = 0; k < 5 && host != NULL; k++) {
        stria_status status = STRIA_ERR_MEMORY;
        int          n_failed = 0;
        for (int nth = 1; status != STRIA_OK && nth < 100; nth++) {
            host->fail("memory", -nth, 2);
            status = run_given(k, of, NULL);
            host->fail("memory", 0, 0);
            if (status == STRIA_OK) break;
            CHECK_STATUS(status, STRIA_ERR_MEMORY);
            n_failed++;
            for (int j = 0; j < 4; j++) cuda_case_check_same("given, without memory", of[j], was[j]);
        }
        CHECK(status == STRIA_OK && n_failed > 0, "call %d: %d allocations failed", k, n_failed);
        for (int j = 0; j < 4; j++) CHECK_STATUS(stria_tensor_set(of[j], was[j], NULL), STRIA_OK);
    }
    for (int j = 0; j < 7; j++) stria_tensor_release(of[j]);
    for (int j = 0; j < 4; j++) stria_tensor_release(was[j]);
}

/* The last of all: the device is lost. */
static void test_lost_device(void)
{
    stria_tensor *x, *y = NULL, *z = NULL, *cpu = NULL;
    stria_error   err = {0};

    if (host == NULL) return;
    x = cuda_case_new(CUDA, STRIA_F32, AS_PACKED, 1);
    CHECK_STATUS(stria_device_synchronize(CUDA, NULL), STRIA_OK);
    host->set_quiet(true);
    host->set_eagerness(0);
    host->fault_kernel(1, ILLEGAL_ADDRESS);
    CHECK_STATUS(stria_exp(x, &y, NULL), STRIA_OK); /* nobody knows yet */
    CHECK_STATUS(stria_tensor_new(STRIA_F32, x->ndim, x->shape, &cpu, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(cpu, y, &err), STRIA_ERR_DEVICE);
    CHECK(strcmp(err.op, "copy") == 0 && strstr(err.message, "cuda:0 has failed, in exp or before"), "%s", err.message);
    CHECK_STATUS(stria_neg(x, &z, &err), STRIA_ERR_DEVICE);
    CHECK(z == NULL && strcmp(err.op, "neg") == 0 && strstr(err.message, "in exp or before"), "%s", err.message);
    CHECK_STATUS(stria_zeros(x->shape, 2, STRIA_F32, CUDA, &z, &err), STRIA_ERR_DEVICE);
    CHECK_STATUS(stria_device_synchronize(CUDA, &err), STRIA_ERR_DEVICE);
    CHECK(stria_device_get_count(STRIA_DEVICE_CUDA) > 0, "a lost device is a device");
    CHECK_STATUS(stria_neg(cpu, &z, NULL), STRIA_OK); /* the CPU goes on */
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(z), stria_tensor_release(cpu);
}

/* ---------------------------------------------------------------- why there is none */

/* Run with STRIA_CUDA_PLUGIN set to something else. */
static void *open_plugin(void *none)
{
    CHECK(stria_device_get_count(STRIA_DEVICE_CUDA) == 0, "there are devices");
    return none;
}

/* A child that is forked while another thread opens the plug-in does not wait for it: nobody opens it there. */
static int check_fork(void)
{
    const struct timespec a_while = {.tv_nsec = 200 * 1000000};
    stria_device_info     info;
    pthread_t             thread;
    int                   status = 0;

    CHECK(pthread_create(&thread, NULL, open_plugin, NULL) == 0, "a thread");
    nanosleep(&a_while, NULL);
    const pid_t child = fork();
    if (child == 0) {
        stria_error err;
        alarm(10);
        const bool is_refused = stria_device_get_info(CUDA, &info, &err) == STRIA_ERR_UNSUPPORTED &&
                                strstr(err.message, "was being opened when this process was forked") != NULL;
        _exit(is_refused ? 0 : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
          "the child ended with %d", status);
    pthread_join(thread, NULL);
    return check_finish("test_cuda_device");
}

/* A host runtime without a driver ("driver=0"), with an old one ("driver=11080"), without devices ("devices=0"). */
static bool set_host(const char *setting)
{
    int number = 0;

    if (dlopen(getenv("STRIA_CUDA_PLUGIN"), RTLD_NOW) != NULL)
        host = cuda_host_case_get(); /* before the library opens it */
    if (host == NULL) return false;
    if (sscanf(setting, "driver=%d", &number) == 1)
        host->set_driver_version(number);
    else if (sscanf(setting, "devices=%d", &number) == 1)
        host->set_device_count(number);
    else
        return false;
    return true;
}

static int check_absent(const char *words)
{
    stria_device_info info;
    stria_tensor     *y = NULL;

    CHECK(stria_device_get_count(STRIA_DEVICE_CUDA) == 0, "there are devices");
    REFUSED(stria_device_get_info(CUDA, &info, &err), STRIA_ERR_UNSUPPORTED, "device", "device", words);
    REFUSED_NEW(stria_zeros(NULL, 0, STRIA_F32, CUDA, &y, &err), STRIA_ERR_UNSUPPORTED, "zeros", "device", words);
    REFUSED(stria_device_synchronize(CUDA, &err), STRIA_ERR_UNSUPPORTED, "synchronize", "device", words);
    return check_finish("test_cuda_device");
}

SUITE(test_cuda_device)
{
    check_isa("test_cuda_device");
    if (argc > 1 && strcmp(argv[1], "fork") == 0) return check_fork();
    if (argc > 2) CHECK(set_host(argv[2]), "%s is not set", argv[2]);
    if (argc > 1) return check_absent(argv[1]);
    if (!cuda_case_begin("test_cuda_device")) return 77;
    host = cuda_host_case_get();
    test_info();
    test_memory();
    test_full();
    test_threads();
    test_many_dims();
    test_failures();
    test_first_copy();
    test_memory_sweep();
    test_given_stay();
    test_streams();
    cuda_case_check_leaks(1 + N_THREADS);
    test_lost_device();
    return check_finish("test_cuda_device");
}
#endif
