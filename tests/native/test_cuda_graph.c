/* test_cuda_graph.c - recorded programs on CUDA devices: what they compute is what their calls compute there one by one, bit for bit; their
 * memory, faults and refusals. test_cuda_words has the code that is made of their groups. */
#include <stdlib.h>
#include <string.h>

#include "cuda_case.h"
#include "suite.h"

#if defined(__EMSCRIPTEN__)
SUITE(test_cuda_graph)
{
    printf("test_cuda_graph: SKIPPED (no plug-ins in this build)\n0 passed, 0 failed, 1 skipped\n");
    return 77;
}
#else
#include <pthread.h>

#include "cuda_graph_case.h"
#include "cuda_host_case.h"
#include "random_program.h"
#include "refused.h"
#include "sanitized.h"

/* ---------------------------------------------------------------- random programs */

static int n_left_out;

static int choose_results(const random_program *p, uint64_t seed, stria_tensor **results, int *numbers)
{
    random_state state = {seed};
    int          n = 0;

    for (int k = 0; k < p->n; k++) {
        if (random_next(&state) % (1 + seed % 5) != 0) continue;
        numbers[n] = k;
        results[n++] = p->at[k];
    }
    return n;
}

static void run_program(stria_graph *g, uint64_t seed, stria_tensor *const *in, int n, const random_program *eager,
                        const int *numbers, int n_results)
{
    stria_tensor *outs[RANDOM_PROGRAM_VALUES];
    stria_error   err;

    const stria_status status = stria_graph_run(g, in, n, outs, &err);
    CHECK(status == STRIA_OK, "seed %llu: %s", (unsigned long long)seed, err.message);
    for (int k = 0; k < n_results && status == STRIA_OK; k++) {
        CHECK(stria_tensor_get_device(outs[k]).type == STRIA_DEVICE_CUDA, "seed %llu: a result is elsewhere",
              (unsigned long long)seed);
        CHECK(is_same(eager->at[numbers[k]], outs[k]), "seed %llu: value %d of %d differs", (unsigned long long)seed,
              numbers[k], eager->n);
    }
    if (status == STRIA_OK) release_all(n_results, outs);
}

/* The same from a file. */
static void run_file(const stria_graph *g, uint64_t seed, stria_tensor *const *in, int n, const random_program *eager,
                     const int *numbers, int n_results)
{
    stria_graph *loaded = NULL;
    void        *bytes;
    size_t       nbytes;

    OK(stria_graph_save(g, NULL, 0, &bytes, &nbytes, NULL));
    OK(stria_graph_load_to(bytes, nbytes, CUDA, &loaded, NULL));
    if (loaded != NULL) run_program(loaded, seed, in, n, eager, numbers, n_results);
    stria_graph_release(loaded);
    stria_bytes_release(bytes);
}

static void check_random_program(uint64_t seed, int n_steps)
{
    random_program   eager = {.numbers = {seed}, .has_products = true}, symbols = {.has_products = true};
    stria_tensor    *inputs[3], *copies[3], *again[3], *third[3], *results[RANDOM_PROGRAM_VALUES];
    int              numbers[RANDOM_PROGRAM_VALUES];
    stria_recording *r;
    stria_graph     *g = NULL;
    stria_error      err;

    const int n = 1 + random_program_pick(&eager, 3);
    for (int k = 0; k < n; k++) {
        inputs[k] = random_program_new_input(&eager);
        ON_DEVICE(inputs[k]);
        inputs[k]->is_given = true; /* its shape stays, as that of its symbol does */
        copies[k] = cuda_case_to_device(inputs[k], CUDA);
        again[k] = cuda_case_to_device(inputs[k], CUDA);
        third[k] = cuda_case_to_device(inputs[k], CUDA);
        eager.at[eager.n++] = stria_tensor_retain(inputs[k]);
    }
    symbols.numbers = eager.numbers;
    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < n; k++) OK(stria_recording_add_input(r, inputs[k], &symbols.at[symbols.n++], NULL));
    random_program_run(&symbols, n_steps);
    const int          n_results = choose_results(&symbols, seed, results, numbers);
    const stria_status status = stria_recording_end(r, results, n_results, &g, &err);
    CHECK(status == STRIA_OK, "seed %llu: %s", (unsigned long long)seed, err.message);
    random_program_run(&eager, n_steps);
    if (eager.n == symbols.n) {
        run_program(g, seed, copies, n, &eager, numbers, n_results);
        run_program(g, seed, again, n, &eager, numbers, n_results); /* by the frame that is there */
    } else {
        n_left_out++; /* the device refuses what symbols take: no result to compare */
    }
    if (eager.n == symbols.n && seed % 4 == 0) run_file(g, seed, third, n, &eager, numbers, n_results);
    release_all(n, inputs), release_all(n, copies), release_all(n, again), release_all(n, third);
    random_program_end(&eager), random_program_end(&symbols);
    stria_graph_release(g);
}

/* ---------------------------------------------------------------- steps of training */

/* Parameters, states, gradients and the generator go on as the calls make them. */
static void test_training(void)
{
    network      eager, compiled;
    stria_graph *g = NULL;
    stria_error  err;

    begin(&eager), begin(&compiled);
    for (int64_t step = 1; step <= 6; step++) {
        stria_tensor *x = new_batch(3, step), *y = new_batch(2, step), *loss = NULL;
        stria_tensor *expected = run_step(&eager, x, y, NULL);
        const double  number = (double)step;
        if (g == NULL) g = record_step(&compiled, x, y);
        const stria_status status = stria_graph_run_with(g, (stria_tensor *[]){x, y}, 2, &number, 1, &loss, &err);
        CHECK(status == STRIA_OK, "step %d: %s", (int)step, err.message);
        CHECK(status != STRIA_OK || is_same(loss, expected), "loss of step %d", (int)step);
        for (int k = 0; k < N_PARAMS; k++)
            CHECK(is_same(eager.params[k], compiled.params[k]) && is_same(eager.first[k], compiled.first[k]) &&
                      is_same(eager.second[k], compiled.second[k]) &&
                      is_same(GRAD(eager.params[k]), GRAD(compiled.params[k])),
                  "step %d: parameter %d", (int)step, k);
        RELEASE(x, y, loss, expected);
    }
    stria_graph_release(g);
    end(&eager), end(&compiled);
}

/* ---------------------------------------------------------------- inputs, files, sizes */

static stria_tensor *new_run(int64_t n)
{
    stria_tensor *x = new_vector(n);

    ON_DEVICE(x);
    return x;
}

/* y = tanh(x * held + 2), of which another sum is taken in place. */
static stria_graph *record_chain(const stria_tensor *x, const stria_tensor *held)
{
    stria_tensor    *s, *a, *b, *c, *two;
    stria_recording *r = record_inputs((stria_tensor *[]){(stria_tensor *)(uintptr_t)x}, 1, &s);
    stria_graph     *g = NULL;
    stria_error      err;

    OK(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_INT, .i = 2}, &two, NULL));
    OK(stria_mul(s, held, &a, NULL));
    OK(stria_add(a, two, &b, NULL));
    OK(stria_tanh(b, &c, NULL));
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){s, c}, 2, s, NULL));
    const stria_status status = stria_recording_end(r, (stria_tensor *[]){c, b}, 2, &g, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    RELEASE(s, a, b, c, two);
    return g;
}

static void check_chain(stria_graph *g, const stria_tensor *held, int64_t n)
{
    stria_tensor *x = new_run(n), *again = new_run(n), *a, *b, *c, *out[2] = {NULL}, *two;
    stria_error   err;

    OK(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_INT, .i = 2}, &two, NULL));
    OK(stria_mul(x, held, &a, NULL));
    OK(stria_add(a, two, &b, NULL));
    OK(stria_tanh(b, &c, NULL));
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){x, c}, 2, x, NULL));
    const stria_status status = stria_graph_run(g, &again, 1, out, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    CHECK(status != STRIA_OK || (is_same(out[0], c) && is_same(out[1], b)), "results of %d elements", (int)n);
    CHECK(status != STRIA_OK || is_same(again, x), "what is written in place");
    RELEASE(x, again, a, b, c, two, out[0], out[1]);
}

static void test_chain(void)
{
    stria_tensor *x = new_run(40), *held = new_run(1), *turned, *base, *out[2] = {NULL}, *near = new_vector(40);
    stria_graph  *g = record_chain(x, held), *loaded = NULL;
    stria_error   err;
    void         *bytes = NULL;
    size_t        nbytes;

    for (int k = 0; k < 3; k++) check_chain(g, held, 40);
    REFUSED(stria_graph_run(g, &near, 1, out, &err), STRIA_ERR_DEVICE, "graph", "in[0]", "is on cpu, but was recorded");
    OK(stria_empty((int64_t[]){80}, 1, STRIA_F32, CUDA, &base, NULL));
    OK(stria_slice(base, 0, 0, STRIA_INT_NONE, 2, &turned, NULL));
    REFUSED(stria_graph_run(g, &turned, 1, out, &err), STRIA_ERR_ARGUMENT, "graph", "in[0]",
            "is written to, and has strides");
    /* as a file it runs where it is loaded */
    const stria_status saved = stria_graph_save(g, NULL, 0, &bytes, &nbytes, &err);
    CHECK(saved == STRIA_OK, "%s", err.message);
    if (saved == STRIA_OK) {
        stria_tensor *expected[2] = {NULL}, *moved = new_vector(40);
        OK(stria_graph_load(bytes, nbytes, &loaded, NULL));
        OK(stria_graph_run(g, &x, 1, expected, NULL));
        OK(stria_graph_run(loaded, &moved, 1, out, NULL));
        CHECK(stria_tensor_get_device(out[0]).type == STRIA_DEVICE_CPU && is_same(out[0], expected[0]) &&
                  is_same(moved, x),
              "a file of a program on the device");
        RELEASE(out[0], out[1], expected[0], expected[1], moved);
        stria_bytes_release(bytes);
    }
    stria_graph_release(loaded);
    stria_graph_release(g);
    RELEASE(x, held, turned, base, near);
}

/* A program of the CPU runs on the device that it is loaded to: what it holds is there, and computes what the calls do there. */
static void test_file_to_device(void)
{
    stria_tensor      *near = new_vector(40), *near_held = new_vector(1), *held = cuda_case_to_device(near_held, CUDA);
    stria_graph       *g = record_chain(near, near_held), *loaded = NULL;
    stria_memory_stats before, after;
    stria_tensor      *out[2] = {NULL};
    void              *bytes = NULL;
    size_t             nbytes;

    OK(stria_graph_save(g, NULL, 0, &bytes, &nbytes, NULL));
    OK(stria_device_memory_get_stats(CUDA, &before, NULL));
    OK(stria_graph_load_to(bytes, nbytes, CUDA, &loaded, NULL));
    OK(stria_device_memory_get_stats(CUDA, &after, NULL));
    CHECK(after.live_storages == before.live_storages + 1, "what the program holds is copied once");
    for (int k = 0; k < 3; k++) check_chain(loaded, held, 40);
    REFUSED(stria_graph_run(loaded, &near, 1, out, &err), STRIA_ERR_DEVICE, "graph", "in[0]",
            "is on cpu, but was recorded as cuda:0");
    stria_graph_release(loaded);
    REFUSED(stria_graph_load_to(bytes, nbytes, STRIA_META, &loaded, &err), STRIA_ERR_DEVICE, "graph", "device",
            "programs do not run on meta");
    REFUSED(stria_graph_load_to(bytes, nbytes, STRIA_DEVICE(STRIA_DEVICE_CUDA, 15), &loaded, &err),
            STRIA_ERR_UNSUPPORTED, "graph", "device", "there is no device cuda:15");
    OK(stria_graph_load_to(bytes, nbytes, STRIA_CPU, &loaded, NULL));
    stria_graph_release(loaded);
    stria_bytes_release(bytes);
    stria_graph_release(g);
    RELEASE(near, near_held, held);
}

/* An input that lies in another way is laid out as it was recorded; constants and what a call makes are on the device. */
static void test_layouts(void)
{
    stria_tensor    *x = cuda_case_new(CUDA, STRIA_F32, AS_PACKED, 3), *s, *z, *y, *w, *out[2], *other, *turned;
    stria_recording *r = record_inputs(&x, 1, &s);
    stria_graph     *g = NULL;
    stria_error      err;

    OK(stria_ones_like(s, STRIA_F64, STRIA_DEVICE_NONE, &z, NULL));
    OK(stria_div(s, z, &y, NULL));
    OK(stria_sum(y, (int[]){0}, 1, false, &w, NULL));
    const stria_status status = stria_recording_end(r, (stria_tensor *[]){y, w}, 2, &g, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    RELEASE(z, y, w, s);
    for (int k = 0; k < 2; k++) {
        other = cuda_case_new(CUDA, STRIA_F32, k == 0 ? AS_PACKED : AS_TURNED, 7);
        OK(stria_ones_like(other, STRIA_F64, STRIA_DEVICE_NONE, &z, NULL));
        OK(stria_div(other, z, &y, NULL));
        OK(stria_contiguous(y, &turned, NULL));
        OK(stria_sum(turned, (int[]){0}, 1, false, &w, NULL));
        OK(stria_graph_run(g, &other, 1, out, NULL));
        CHECK(is_same(out[0], y) && is_same(out[1], w), "layout %d", k);
        RELEASE(other, z, y, turned, w, out[0], out[1]);
    }
    stria_graph_release(g);
    stria_tensor_release(x);
}

/* What is like a symbol, on a device that is named: that of the graph. Loaded for the CPU, it is made there. */
static void test_like(void)
{
    stria_tensor    *x = new_run(8), *near = cuda_case_to_cpu(x), *s, *z = NULL, *y = NULL, *out = NULL;
    stria_recording *r = record_inputs(&x, 1, &s);
    stria_graph     *g = NULL, *loaded = NULL;
    void            *bytes = NULL;
    size_t           nbytes;

    REFUSED_NEW(stria_zeros_like(s, STRIA_DTYPE_NONE, STRIA_CPU, &z, &err), STRIA_ERR_DEVICE, "zeros_like", "",
                "a recording is of one device: this one has been on cuda:0, and here is cpu");
    OK(stria_ones_like(s, STRIA_F64, CUDA, &z, NULL));
    OK(stria_add(s, z, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    RELEASE(s, z, y);
    OK(stria_graph_run(g, &x, 1, &out, NULL));
    OK(stria_ones_like(near, STRIA_F64, STRIA_DEVICE_NONE, &z, NULL));
    OK(stria_add(near, z, &y, NULL));
    cuda_case_check_same("ones_like of a graph", out, y);
    RELEASE(out, z);
    OK(stria_graph_save(g, NULL, 0, &bytes, &nbytes, NULL));
    OK(stria_graph_load_to(bytes, nbytes, STRIA_CPU, &loaded, NULL));
    OK(stria_graph_run(loaded, &near, 1, &out, NULL));
    CHECK(stria_tensor_get_device(out).type == STRIA_DEVICE_CPU, "on the CPU");
    stria_bytes_release(bytes);
    stria_graph_release(loaded);
    stria_graph_release(g);
    RELEASE(x, near, y, out);
}

/* Runs of one graph by threads that follow one another: each has a stream of its own. */
typedef struct thread_run {
    stria_graph  *g;
    stria_tensor *x, *out;
} thread_run;

static void *run_in_thread(void *context)
{
    thread_run *t = context;

    OK(stria_graph_run(t->g, &t->x, 1, &t->out, NULL));
    return NULL;
}

/* With nothing held, which would be waited for: an input, a place in the arena, a result. */
static stria_graph *record_sums(stria_tensor *x)
{
    stria_tensor    *s, *a, *b;
    stria_recording *r = record_inputs(&x, 1, &s);
    stria_graph     *g = NULL;

    OK(stria_cumsum(s, 0, STRIA_DTYPE_NONE, &a, NULL));
    OK(stria_cumsum(a, 0, STRIA_DTYPE_NONE, &b, NULL));
    OK(stria_recording_end(r, &b, 1, &g, NULL));
    RELEASE(s, a, b);
    return g;
}

static void test_threads(const stria_cuda_host *host)
{
    stria_tensor *first = new_run(300), *expected = NULL;
    stria_graph  *g = record_sums(first);

    OK(stria_graph_run(g, &first, 1, &expected, NULL));
    if (host != NULL) host->set_eagerness(0); /* what nobody waits for has not run */
    for (int k = 0; k < 20; k++) {
        thread_run t = {g, new_run(300), NULL};
        pthread_t  thread;
        CHECK(pthread_create(&thread, NULL, run_in_thread, &t) == 0, "a thread");
        pthread_join(thread, NULL);
        CHECK(is_same(t.out, expected), "run %d", k);
        RELEASE(t.x, t.out);
    }
    if (host != NULL) host->set_eagerness(32);
    stria_graph_release(g);
    RELEASE(first, expected);
}

/* Three sizes become a program of all. */
static void test_sizes(void)
{
    stria_tensor *held = new_run(1), *x[3];
    stria_graph  *g[3];

    for (int k = 0; k < 3; k++) {
        x[k] = new_run(5 + k);
        g[k] = record_chain(x[k], held);
    }
    stria_error        err;
    const stria_status status = stria_graph_set_dynamic(g[0], 5, g + 1, (int64_t[]){6, 7}, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    if (status == STRIA_OK)
        for (int64_t n = 2; n < 12; n += 3) check_chain(g[0], held, n);
    for (int k = 0; k < 3; k++) {
        stria_graph_release(g[k]);
        stria_tensor_release(x[k]);
    }
    stria_tensor_release(held);
}

/* ---------------------------------------------------------------- refusals and faults */

static void test_refusals(void)
{
    stria_tensor    *x = new_run(4), *near = new_vector(4), *s, *y = NULL;
    stria_recording *r = record_inputs(&x, 1, &s);

    REFUSED(stria_add(s, near, &y, &err), STRIA_ERR_DEVICE, "add", "",
            "a recording is of one device: this one has been on cuda:0, and here is cpu");
    REFUSED(stria_zeros((int64_t[]){4}, 1, STRIA_F32, STRIA_CPU, &y, &err), STRIA_ERR_DEVICE, "zeros", "",
            "this one has been on cuda:0, and here is cpu");
    OK(stria_zeros((int64_t[]){4}, 1, STRIA_F32, CUDA, &y, NULL));
    stria_recording_cancel(r);
    RELEASE(y, s);
    r = record_inputs(&near, 1, &s);
    REFUSED(stria_add(s, x, &y, &err), STRIA_ERR_DEVICE, "add", "", "this one has been on cpu, and here is cuda:0");
    stria_recording_cancel(r);
    RELEASE(s, x, near);
}

static void run_all(stria_graph *g, stria_tensor *x)
{
    stria_tensor *out[2] = {NULL};

    OK(stria_graph_run(g, &x, 1, out, NULL));
    RELEASE(out[0], out[1]);
}

/* Each allocation fails once; then all is as it was. */
static void test_memory(const stria_cuda_host *host)
{
    enum { NO_MEMORY = 2 };
    stria_tensor      *x = new_run(1000), *held = new_run(1), *out[2];
    stria_memory_stats before, after;
    int                n_failed = 0;

    OK(stria_device_memory_get_stats(CUDA, &before, NULL));
    for (int64_t nth = 1; nth < 40; nth++) {
        stria_graph *g = record_chain(x, held);
        stria_error  err = {0};
        host->fail("memory", -nth, NO_MEMORY); /* that one, and what is tried after it */
        const stria_status status = stria_graph_run(g, &x, 1, out, &err);
        host->fail("memory", 0, 0);
        CHECK(status == STRIA_OK || (status == STRIA_ERR_MEMORY && out[0] == NULL && out[1] == NULL),
              "allocation %d: %s", (int)nth, err.message);
        n_failed += status != STRIA_OK;
        if (status == STRIA_OK) RELEASE(out[0], out[1]);
        run_all(g, x);
        stria_graph_release(g);
        if (status == STRIA_OK) break;
    }
    CHECK(n_failed > 1, "%d allocations failed", n_failed);
    OK(stria_device_memory_get_stats(CUDA, &after, NULL));
    CHECK(after.live_bytes == before.live_bytes && after.live_storages == before.live_storages,
          "%lld bytes are left, of %lld", (long long)after.live_bytes, (long long)before.live_bytes);
    RELEASE(x, held);
}

/* A kernel of a replay that faults: the device is lost, and the process goes on. */
static void test_fault(const stria_cuda_host *host)
{
    enum { ILLEGAL_ADDRESS = 700 };
    stria_tensor *x = new_run(100), *held = new_run(1), *out[2] = {NULL};
    stria_graph  *g = record_chain(x, held);
    stria_error   err = {0};
    stria_status  status;

    run_all(g, x);
    host->set_quiet(true);
    host->fault_kernel(1, ILLEGAL_ADDRESS);
    status = stria_graph_run(g, &x, 1, out, &err);
    if (status == STRIA_OK) RELEASE(out[0], out[1]);
    status = stria_device_synchronize(CUDA, NULL);
    CHECK(status == STRIA_ERR_DEVICE, "the kernel has faulted");
    status = stria_graph_run(g, &x, 1, out, &err);
    CHECK(status == STRIA_ERR_DEVICE && strstr(err.message, "cuda:0 has failed") != NULL, "%s", err.message);
    stria_graph_release(g);
    RELEASE(x, held);
}

SUITE(test_cuda_graph)
{
    const int n_programs = argc > 1 ? atoi(argv[1]) : IS_SANITIZED ? 60 : 250;

    if (!cuda_case_begin("test_cuda_graph")) return 77;
    for (int k = 0; k < n_programs; k++) check_random_program(1000 + (uint64_t)k, 4 + k % 20);
    CHECK(n_left_out <= n_programs / 10, "%d programs of %d are not compared", n_left_out, n_programs);
    printf("  %d random programs, %d left out\n", n_programs, n_left_out);
    test_training();
    test_chain();
    test_file_to_device();
    test_layouts();
    test_like();
    test_sizes();
    test_refusals();
    const stria_cuda_host *host = cuda_host_case_get();
    test_threads(host);
    if (host != NULL) test_memory(host);
    cuda_case_check_leaks(2);
    if (host != NULL) test_fault(host); /* the last one: the device is lost */
    return check_finish("test_cuda_graph");
}
#endif
