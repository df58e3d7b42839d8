/* test_cuda_graph_faults.c - recorded programs as CUDA graphs, by several threads, where memory is short, and where calls of CUDA fail: runs are made
 * all the same, or fail as those of steps do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

#if defined(__EMSCRIPTEN__)
SUITE(test_cuda_graph_faults)
{
    printf("test_cuda_graph_faults: SKIPPED (no plug-ins in this build)\n0 passed, 0 failed, 1 skipped\n");
    return 77;
}
#else
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cuda_capture_case.h"
#include "cuda_host_case.h"
#include "sanitized.h"

/* ---------------------------------------------------------------- threads */

typedef struct worker {
    stria_graph        *g;
    const stria_tensor *held;
    int64_t             seed;
} worker;

static void *work(void *context)
{
    const worker *w = context;
    stria_tensor *x = new_on_device(300, w->seed);

    for (int k = 0; k < 20; k++) check_run("threads", k, w->g, x, w->held);
    stria_tensor_release(x);
    return NULL;
}

/* Several threads run one graph at once, and those that come after them. */
static void test_threads(const stria_cuda_host *host)
{
    enum { N = 4 };
    stria_tensor *first = new_on_device(300, 1), *held = new_on_device(1, 2);
    stria_graph  *g = record(first, held);
    worker        workers[N];
    pthread_t     threads[N];

    for (int k = 0; k < N; k++) {
        workers[k] = (worker){g, held, k};
        CHECK(pthread_create(&threads[k], NULL, work, &workers[k]) == 0, "a thread");
    }
    for (int k = 0; k < N; k++) pthread_join(threads[k], NULL);
    if (host != NULL) host->set_eagerness(0); /* what nobody waits for has not run */
    for (int k = 0; k < N; k++) {
        CHECK(pthread_create(&threads[0], NULL, work, &workers[k]) == 0, "a thread");
        pthread_join(threads[0], NULL);
    }
    if (host != NULL) host->set_eagerness(32);
    CHECK(count_launches(g) > 40, "%d launches", (int)count_launches(g));
    stria_graph_release(g);
    RELEASE(first, held);
}

/* A launch is behind what others have begun with the input, which has another home than what the capture keeps, and with results. */
typedef struct turn {
    stria_graph        *g;
    stria_tensor       *x, *out[N_RESULTS];
    const stria_tensor *other;
} turn;

static void *set_input(void *context)
{
    turn *t = context;

    if (t->x == NULL) t->x = new_on_device(300, 1);
    OK(stria_tensor_set(t->x, t->other, NULL));
    return NULL;
}

static void *run_turn(void *context)
{
    turn *t = context;

    (void)run(t->g, t->x, t->out);
    return NULL;
}

static void in_thread(void *(*f)(void *context), turn *t)
{
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, f, t) == 0, "a thread");
    pthread_join(thread, NULL);
}

static void test_streams(const stria_cuda_host *host)
{
    stria_tensor *first = new_on_device(300, 1), *held = new_on_device(1, 2), *others[2];
    turn          t = {.g = record(first, held)};

    for (int k = 0; k < 2; k++) others[k] = new_on_device(300, 7 + k);
    for (int k = 0; k < 30; k++) {
        if (host != NULL && k == SETTLED) host->set_eagerness(0); /* what nobody waits for has not run */
        t.other = others[k % 2];
        in_thread(set_input, &t);
        if (k % 3 == 0 && k > SETTLED)
            in_thread(run_turn, &t);
        else
            run_turn(&t);
        check_results("streams", k, others[k % 2], held, t.out);
        release_all(N_RESULTS, t.out);
    }
    if (host != NULL) host->set_eagerness(32);
    CHECK(count_launches(t.g) > 20, "%d launches", (int)count_launches(t.g));
    stria_graph_release(t.g);
    RELEASE(first, t.x, held, others[0], others[1]);
}

/* ---------------------------------------------------------------- memory */

static int64_t count_graphs(const stria_cuda_host *host)
{
    stria_cuda_host_counts counts;

    host->get_counts(&counts);
    return counts.graphs;
}

/* What captures keep is given back when it is asked for, and where memory is short; programs go on. */
static void test_pressure(const stria_cuda_host *host)
{
    stria_tensor *x = new_on_device(LARGE, 1), *held = new_on_device(1, 2), *more = NULL;
    stria_graph  *g = record(x, held);
    const int64_t before = count_live_bytes(), nbytes = LARGE * 4;

    for (int round = 0; round < 3; round++) {
        const int64_t n = count_launches(g);
        for (int k = 0; k < SETTLED; k++) check_run("pressure", k, g, x, held);
        CHECK(count_launches(g) > n, "round %d launches nothing", round);
        const int64_t kept = count_live_bytes();
        CHECK(kept >= before + nbytes, "captures keep %d bytes", (int)(kept - before));
        if (host != NULL) CHECK(count_graphs(host) > 0, "no graph is there");
        if (round == 0) OK(stria_device_memory_release_cache(CUDA, NULL));
        if (round > 0) {
            if (round == 1) OK(stria_device_memory_set_limit(CUDA, (uint64_t)kept + 1000, NULL));
            if (round == 2 && host != NULL) host->fail("memory", 1, 2); /* the first try of the next block */
            OK(stria_empty((int64_t[]){LARGE}, 1, STRIA_F32, CUDA, &more, NULL));
            stria_tensor_release(more);
            OK(stria_device_memory_set_limit(CUDA, 0, NULL));
        }
        if (host != NULL || round < 2) CHECK(count_live_bytes() < kept, "round %d gives nothing back", round);
        if (host != NULL)
            CHECK(count_graphs(host) == 0, "round %d: %d graphs are left", round, (int)count_graphs(host));
    }
    check_run("pressure", -1, g, x, held);
    stria_graph_release(g);
    RELEASE(x, held);
}

/* A graph that ends while its launches wait: what they look at is there until they are done. */
static void test_ends_early(const stria_cuda_host *host)
{
    stria_tensor *x = new_on_device(200, 1), *held = new_on_device(1, 2), *out[N_RESULTS], *expected[N_RESULTS];
    stria_graph  *g = record(x, held);

    compute(x, held, expected);
    for (int k = 0; k < SETTLED; k++) check_run("ends early", k, g, x, held);
    if (host != NULL) host->set_eagerness(0);
    OK(stria_graph_run(g, &x, 1, out, NULL));
    stria_graph_release(g);
    RELEASE(x, held);
    for (int k = 0; k < N_RESULTS; k++) CHECK(is_same(out[k], expected[k]), "result %d", k);
    if (host != NULL) host->set_eagerness(32);
    release_all(N_RESULTS, out), release_all(N_RESULTS, expected);
}

/* Code that a graph launches stays, whatever comes after it; and goes with the graph. */
static void test_code(void)
{
    stria_tensor *x = new_on_device(200, 1), *held = new_on_device(1, 2);
    stria_graph  *graphs[] = {record(x, held), NULL};
    stria_tensor *s, *a, *b, *c, *y;

    if (getenv("STRIA_CUDA_HOST_COMPILER") != NULL) {
        stria_recording *r = record_inputs(&x, 1, &s);
        OK(stria_cumsum(s, 0, STRIA_DTYPE_NONE, &a, NULL));
        OK(stria_sub(a, held, &b, NULL));
        OK(stria_tanh(b, &c, NULL));
        OK(stria_recording_end(r, &c, 1, &graphs[1], NULL));
        RELEASE(s, a, b, c);
        setenv("STRIA_CUDA_KERNELS", "1", 1); /* there is room for one */
        for (int k = 0; k < 6; k++) check_run("code", k, graphs[0], x, held);
        const int64_t n = count_launches(graphs[0]);
        CHECK(n >= 3, "%d launches", (int)n);
        for (int k = 0; k < 6; k++) {
            OK(stria_graph_run(graphs[1], &x, 1, &y, NULL));
            stria_tensor_release(y);
        }
        for (int k = 6; k < 8; k++) check_run("code", k, graphs[0], x, held);
        CHECK(count_launches(graphs[0]) == n + 2 && count_launches(graphs[1]) == 3, "%d and %d launches",
              (int)count_launches(graphs[0]), (int)count_launches(graphs[1]));
        unsetenv("STRIA_CUDA_KERNELS");
    }
    stria_graph_release(graphs[0]);
    stria_graph_release(graphs[1]);
    RELEASE(x, held);
}

/* ---------------------------------------------------------------- faults */

/* Each call of CUDA that captures and launches make fails once: the run is made all the same, and later ones are launched. */
static void test_refused_calls(const stria_cuda_host *host)
{
    enum { NOT_SUPPORTED = 801, NO_MEMORY = 2 };
    static const char *const functions[] = {"cudaStreamCreateWithFlags",
                                            "cudaStreamBeginCapture",
                                            "cudaLaunchKernelEx",
                                            "cudaStreamEndCapture",
                                            "cudaGraphGetNodes",
                                            "cudaGraphInstantiate",
                                            "cudaGraphUpload",
                                            "cudaGraphDestroy",
                                            "cudaGraphLaunch",
                                            "cudaGraphExecDestroy",
                                            "memory"};
    stria_tensor            *x = new_on_device(200, 1), *held = new_on_device(1, 2);

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (int nth = 1; nth <= 3; nth++) {
            stria_graph *g = record(x, held);
            for (int k = 0; k < 2; k++) check_run(functions[i], k, g, x, held);
            host->fail(functions[i], nth, i % 2 == 0 || i == 10 ? NO_MEMORY : NOT_SUPPORTED);
            for (int k = 2; k < 3; k++) {
                stria_tensor *out[N_RESULTS];
                if (run(g, x, out)) release_all(N_RESULTS, out);
            }
            host->fail(functions[i], 0, 0);
            for (int k = 3; k < 9; k++) check_run(functions[i], k, g, x, held);
            CHECK(count_launches(g) >= 4, "%s: %d launches", functions[i], (int)count_launches(g));
            if (i == 9) host->fail(functions[i], 1, NOT_SUPPORTED);
            stria_graph_release(g);
            host->fail(functions[i], 0, 0);
        }
    stria_error err = {0};
    CHECK(stria_device_synchronize(CUDA, &err) == STRIA_OK, "the device works: %s", err.message);
    RELEASE(x, held);
}

/* A launch of a graph that is there fails: the steps are made, and another graph later. */
static void test_refused_launches(const stria_cuda_host *host)
{
    stria_tensor *x = new_on_device(200, 1), *held = new_on_device(1, 2);
    stria_graph  *g = record(x, held);

    for (int k = 0; k < 30; k++) {
        if (k > SETTLED && k % 6 == 0) host->fail("cudaGraphLaunch", 1, 2);
        check_run("refused launches", k, g, x, held);
        host->fail("cudaGraphLaunch", 0, 0);
    }
    CHECK(stria_graph_get_info(g).n_captures > 2 && count_launches(g) > 10, "%d captures, %d launches",
          (int)stria_graph_get_info(g).n_captures, (int)count_launches(g));
    stria_graph_release(g);
    RELEASE(x, held);
}

/* Objects of the host: each allocation fails once. */
static void test_host_memory(void)
{
    stria_tensor *x = new_on_device(200, 1), *held = new_on_device(1, 2), *out[N_RESULTS];
    int           n_failed = 0;

    for (int64_t nth = 1; nth < 200; nth++) {
        stria_graph *g = record(x, held);
        for (int k = 0; k < 2; k++) check_run("host memory", k, g, x, held);
        stria_alloc_set_failure(nth);
        const stria_status status = stria_graph_run(g, &x, 1, out, NULL);
        const int64_t      n_asked = stria_alloc_get_count();
        stria_alloc_set_failure(0);
        CHECK(status == STRIA_OK || status == STRIA_ERR_MEMORY, "allocation %d: %d", (int)nth, (int)status);
        n_failed += status != STRIA_OK;
        if (status == STRIA_OK) {
            check_results("host memory", (int)nth, x, held, out);
            release_all(N_RESULTS, out);
        }
        for (int k = 0; k < 5; k++) check_run("host memory", k, g, x, held);
        CHECK(count_launches(g) > 0, "allocation %d: nothing is launched", (int)nth);
        stria_graph_release(g);
        if (n_asked < nth) break;
    }
    CHECK(n_failed > 0, "no run has failed");
    RELEASE(x, held);
}

static void test_switch(const stria_cuda_host *host)
{
    stria_tensor          *x = new_on_device(200, 1), *held = new_on_device(1, 2);
    stria_cuda_host_counts before, after;

    setenv("STRIA_CUDA_GRAPHS", "0", 1);
    stria_graph *g = record(x, held);
    host->get_counts(&before);
    for (int k = 0; k < 8; k++) check_run("switched off", k, g, x, held);
    host->get_counts(&after);
    CHECK(count_launches(g) == 0 && after.graph_launches == before.graph_launches, "graphs are launched");
    stria_graph_release(g);
    unsetenv("STRIA_CUDA_GRAPHS");
    g = record(x, held);
    for (int k = 0; k < 8; k++) check_run("switched on", k, g, x, held);
    host->get_counts(&after);
    CHECK(count_launches(g) == 6 && after.graph_launches == before.graph_launches + 6, "%d launches of graphs, %d said",
          (int)(after.graph_launches - before.graph_launches), (int)count_launches(g));
    stria_graph_release(g);
    RELEASE(x, held);
}

/* A child that was forked ends what it has without CUDA. */
static void test_fork(void)
{
    stria_tensor *x = new_on_device(200, 1), *held = new_on_device(1, 2);
    stria_graph  *g = record(x, held);
    int           ended = -1;

    for (int k = 0; k < SETTLED; k++) check_run("fork", k, g, x, held);
    const pid_t child = fork();
    if (child == 0) {
        stria_graph_release(g);
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &ended, 0) == child && ended == 0, "the child ends with %d", ended);
    check_run("fork", -1, g, x, held);
    stria_graph_release(g);
    RELEASE(x, held);
}

/* The device is lost while a graph is captured, launched, or runs: runs fail with that, and the process goes on. */
static void test_lost(const stria_cuda_host *host, bool in_capture)
{
    enum { ILLEGAL_ADDRESS = 700 };
    stria_tensor *x = new_on_device(200, 1), *held = new_on_device(1, 2), *out[N_RESULTS];
    stria_graph  *g = record(x, held);
    stria_error   err = {0};

    host->set_quiet(true);
    for (int k = 0; k < (in_capture ? 2 : SETTLED); k++) check_run("lost", k, g, x, held);
    if (in_capture) host->fail("cudaStreamEndCapture", -1, ILLEGAL_ADDRESS);
    if (!in_capture) host->fault_kernel(1, ILLEGAL_ADDRESS);
    stria_status status = stria_graph_run(g, &x, 1, out, &err);
    if (status == STRIA_OK) release_all(N_RESULTS, out);
    status = in_capture ? status : stria_device_synchronize(CUDA, NULL);
    CHECK(status == STRIA_ERR_DEVICE, "the device is not lost: %d", (int)status);
    status = stria_graph_run(g, &x, 1, out, &err);
    CHECK(status == STRIA_ERR_DEVICE && strstr(err.message, "cuda:0 has failed") != NULL, "%s", err.message);
    stria_graph_release(g);
    RELEASE(x, held);
}

static void check_counts(const stria_cuda_host *host, const stria_cuda_host_counts *before, int64_t n_graphs)
{
    stria_cuda_host_counts after;

    OK(stria_device_synchronize(CUDA, NULL));
    host->get_counts(&after);
    CHECK(after.graphs == before->graphs + n_graphs && after.bytes == before->bytes && after.blocks == before->blocks,
          "%d graphs, %d bytes are left", (int)(after.graphs - before->graphs), (int)(after.bytes - before->bytes));
}

SUITE(test_cuda_graph_faults)
{
    if (!cuda_case_begin("test_cuda_graph_faults")) return 77;
    const stria_cuda_host *host = cuda_host_case_get();
    const int64_t          live = count_live_bytes();
    stria_cuda_host_counts before = {0};

    if (host != NULL && argc > 1) {
        test_lost(host, true);
        return check_finish("test_cuda_graph_faults");
    }
    if (host != NULL) host->get_counts(&before);
    test_threads(host), test_streams(host);
    test_pressure(host), test_ends_early(host);
    test_host_memory(), test_code();
    if (host != NULL) {
        check_counts(host, &before, 0);
        test_refused_calls(host), test_refused_launches(host), test_switch(host);
        check_counts(host, &before, 4); /* those whose ends have failed */
    }
    CHECK(count_live_bytes() == live, "%d bytes are left", (int)(count_live_bytes() - live));
    if (!IS_SANITIZED) test_fork();
    if (host != NULL) test_lost(host, false); /* the last one */
    return check_finish("test_cuda_graph_faults");
}
#endif
