/* test_long_training.c - a training of many steps holds as much memory after the last one as after the first: bytes and handles of tensors, the
 * heap below them, where nodes and graphs lie, and what the system counts. 10,000 steps; 100,000 in `make test-all`. */
#include <stdlib.h>

#include "graph_case.h"
#include "sanitized.h"
#include "suite.h"

#if !IS_SANITIZED && defined(__EMSCRIPTEN__)
#include <malloc.h>
#define HAS_HEAP_SIZE 1
static int64_t get_heap_nbytes(void) { return mallinfo().uordblks; }
#elif !IS_SANITIZED && defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define HAS_HEAP_SIZE 1
static int64_t get_heap_nbytes(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}
#endif
#elif IS_SANITIZED && !defined(__EMSCRIPTEN__)
#define HAS_HEAP_SIZE 1
size_t         __sanitizer_get_current_allocated_bytes(void); /* of the sanitizer's runtime */
static int64_t get_heap_nbytes(void) { return (int64_t)__sanitizer_get_current_allocated_bytes(); }
#endif
#if !defined(HAS_HEAP_SIZE)
#define HAS_HEAP_SIZE 0
static int64_t get_heap_nbytes(void) { return 0; }
#endif

#define SAMPLES 16
#define N_PARAMS 4
#define MOST_RSS_GROWTH (1 << 20)

/* ---------------------------------------------------------------- what is held */

typedef struct usage {
    stria_memory_stats stats;
    int64_t            heap, resident; /* bytes; 0: nobody counts them */
} usage;

/* Of the process, where the system says so. */
static int64_t get_resident_nbytes(void)
{
    long long pages = 0;
    FILE     *file = HAS_PROCESSES && !IS_SANITIZED ? fopen("/proc/self/statm", "r") : NULL;

    if (file == NULL) return 0;
    if (fscanf(file, "%*d %lld", &pages) != 1) pages = 0;
    fclose(file);
    return pages * 4096;
}

static usage get_usage(void)
{
    usage now = {.resident = get_resident_nbytes()}; /* the file's buffer is given back */

    now.stats = stria_memory_get_stats();
    now.heap = get_heap_nbytes();
    return now;
}

static void check_same(const char *name, const usage *early, const usage *late, int64_t n_steps)
{
    const stria_memory_stats *a = &early->stats, *b = &late->stats;

    CHECK(a->live_bytes == b->live_bytes && a->live_tensors == b->live_tensors && a->live_storages == b->live_storages,
          "%s: %lld bytes, %lld tensors, %lld storages more after %lld steps", name,
          (long long)(b->live_bytes - a->live_bytes), (long long)(b->live_tensors - a->live_tensors),
          (long long)(b->live_storages - a->live_storages), (long long)n_steps);
    CHECK(a->peak_bytes == b->peak_bytes, "%s: the peak rose by %lld bytes", name,
          (long long)(b->peak_bytes - a->peak_bytes));
    CHECK(a->cached_bytes == b->cached_bytes, "%s: %lld more bytes are kept for reuse", name,
          (long long)(b->cached_bytes - a->cached_bytes));
    CHECK(early->heap == late->heap, "%s: %lld more bytes of the heap after %lld steps", name,
          (long long)(late->heap - early->heap), (long long)n_steps);
    CHECK(late->resident - early->resident <= MOST_RSS_GROWTH, "%s: the process grew by %lld bytes", name,
          (long long)(late->resident - early->resident));
}

/* ---------------------------------------------------------------- a network */

typedef struct trainer {
    stria_tensor    *params[N_PARAMS], *first[N_PARAMS], *second[N_PARAMS], *x, *y;
    stria_generator *random;
    stria_graph     *graph; /* of a step; NULL: not recorded yet */
    int64_t          step;
    float            loss;
} trainer;

static stria_tensor *new_values(int ndim, const int64_t *shape, int seed)
{
    stria_tensor *x;

    OK(stria_tensor_new(STRIA_F32, ndim, shape, &x, NULL));
    for (int64_t i = 0; i < x->numel; i++) ((float *)(void *)x->data)[i] = (float)((i * 7 + seed) % 11 - 5) / 8;
    return x;
}

static void begin(trainer *t)
{
    static const int64_t shapes[N_PARAMS][2] = {{3, 8}, {8, 0}, {8, 2}, {2, 0}};

    *t = (trainer){.x = new_values(2, SHAPE(SAMPLES, 3), 1), .y = new_values(2, SHAPE(SAMPLES, 2), 2)};
    OK(stria_generator_new(17, &t->random, NULL));
    for (int k = 0; k < N_PARAMS; k++) {
        t->params[k] = new_values(shapes[k][1] > 0 ? 2 : 1, shapes[k], k);
        OK(stria_zeros_like(t->params[k], STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &t->first[k], NULL));
        OK(stria_zeros_like(t->params[k], STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &t->second[k], NULL));
        OK(stria_tensor_set_requires_grad(t->params[k], true, NULL));
    }
}

static void end(trainer *t)
{
    release_all(N_PARAMS, t->params), release_all(N_PARAMS, t->first), release_all(N_PARAMS, t->second);
    RELEASE(t->x, t->y);
    stria_generator_release(t->random);
    stria_graph_release(t->graph);
}

static stria_tensor *get_loss(const trainer *t, const stria_tensor *x, const stria_tensor *y)
{
    stria_tensor *h[6], *loss;

    OK(stria_matmul(x, t->params[0], &h[0], NULL));
    OK(stria_add(h[0], t->params[1], &h[1], NULL));
    OK(stria_tanh(h[1], &h[2], NULL));
    OK(stria_dropout(h[2], 0.25, true, t->random, &h[3], NULL));
    OK(stria_matmul(h[3], t->params[2], &h[4], NULL));
    OK(stria_add(h[4], t->params[3], &h[5], NULL));
    OK(stria_mse_loss(h[5], y, "mean", &loss, NULL));
    release_all(6, h);
    return loss;
}

/* Gradients are none, computed, taken by the optimiser, and left. r: of the recording, whose number 0 is the step. */
static stria_tensor *make_calls(trainer *t, const stria_tensor *x, const stria_tensor *y, stria_recording *r)
{
    stria_tensor *grads[N_PARAMS];
    int           index;

    for (int k = 0; k < N_PARAMS; k++) OK(stria_tensor_set_grad(t->params[k], NULL, NULL));
    stria_tensor *loss = get_loss(t, x, y);
    OK(backward(loss, 0, NULL));
    const bool was = stria_grad_mode_set(false);
    for (int k = 0; k < N_PARAMS; k++) grads[k] = GRAD(t->params[k]);
    OK(stria_adam(t->params, N_PARAMS, (const stria_tensor *const *)grads, N_PARAMS, t->first, N_PARAMS, t->second,
                  N_PARAMS, NULL, 0, t->step, .01, .9, .999, 1e-8, 0, false, NULL));
    if (r != NULL) OK(stria_recording_add_number(r, "step", &index, NULL));
    stria_grad_mode_set(was);
    return loss;
}

static void take_loss(trainer *t, stria_tensor *loss)
{
    t->loss = *(const float *)stria_tensor_get_const_data(loss);
    stria_tensor_release(loss);
}

/* ---------------------------------------------------------------- ways to make a step */

static void run_eager(trainer *t) { take_loss(t, make_calls(t, t->x, t->y, NULL)); }

static void run_compiled(trainer *t)
{
    const double  number = (double)t->step;
    stria_tensor *loss = NULL;

    if (t->graph == NULL) {
        stria_tensor    *symbols[2], *result;
        stria_recording *r = record_inputs((stria_tensor *[]){t->x, t->y}, 2, symbols);
        result = make_calls(t, symbols[0], symbols[1], r);
        OK(stria_recording_end(r, &result, 1, &t->graph, NULL));
        RELEASE(symbols[0], symbols[1], result);
    }
    OK(stria_graph_run_with(t->graph, (stria_tensor *[]){t->x, t->y}, 2, &number, 1, &loss, NULL));
    take_loss(t, loss);
}

/* Each step has a graph of its own, as where shapes change all the time. */
static void run_recorded(trainer *t)
{
    stria_graph_release(t->graph);
    t->graph = NULL;
    run_compiled(t);
}

/* Gradients of gradients, whose nodes hold one another until the walk is over. */
static void run_penalised(trainer *t)
{
    stria_tensor *loss = get_loss(t, t->x, t->y), *grad = NULL, *square, *penalty, *total;

    for (int k = 0; k < N_PARAMS; k++) OK(stria_tensor_set_grad(t->params[k], NULL, NULL));
    OK(stria_grad(&loss, 1, NULL, (stria_tensor *const[]){t->params[0]}, 1, STRIA_GRAD_CREATE, &grad, NULL));
    OK(stria_mul(grad, grad, &square, NULL));
    penalty = sum(square);
    OK(stria_add(loss, penalty, &total, NULL));
    OK(backward(total, 0, NULL));
    const bool          was = stria_grad_mode_set(false);
    const stria_tensor *grads[N_PARAMS];
    for (int k = 0; k < N_PARAMS; k++) grads[k] = GRAD(t->params[k]);
    OK(stria_sgd(t->params, N_PARAMS, grads, N_PARAMS, NULL, 0, .01, 0, 0, 0, false, false, false, NULL));
    stria_grad_mode_set(was);
    RELEASE(grad, square, penalty, total);
    take_loss(t, loss);
}

/* ---------------------------------------------------------------- many of them */

static void check_flat(const char *name, void (*run)(trainer *t), int64_t n_steps)
{
    const stria_memory_stats before = stria_memory_get_stats();
    usage                    early = get_usage();
    trainer                  t;
    float                    first = 0;

    begin(&t);
    while (t.step < n_steps) {
        t.step++;
        run(&t);
        if (t.step == 1) first = t.loss;
        if (t.step == n_steps / 10) early = get_usage();
    }
    const usage late = get_usage();
    check_same(name, &early, &late, n_steps - n_steps / 10);
    CHECK(t.loss < first / 2, "%s: the loss was %g and is %g: nothing was learnt", name, (double)first, (double)t.loss);
    end(&t);
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_bytes == before.live_bytes && after.live_tensors == before.live_tensors &&
              after.live_storages == before.live_storages,
          "%s: %lld tensors are left at the end", name, (long long)(after.live_tensors - before.live_tensors));
}

SUITE(test_long_training)
{
    const int64_t n = check_is_full() ? 100000 : IS_SANITIZED ? 2000 : 10000;

    check_isa("test_long_training");
    check_flat("eager steps", run_eager, n);
    check_flat("steps of a graph", run_compiled, n);
    check_flat("graphs of one step each", run_recorded, n / 10);
    check_flat("gradients of gradients", run_penalised, n / 4);
    return check_finish("test_long_training");
}
