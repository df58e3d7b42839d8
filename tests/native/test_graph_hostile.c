/* test_graph_hostile.c - graphs where things go wrong: no memory, handles of others, memory that is shared, threads, very long programs; and what
 * a graph says of itself. */
#include "stria_graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "gradients.h"
#include "io/json.h"
#include "oom.h"
#include "suite.h"

static stria_tensor *new_vector(int64_t n)
{
    stria_tensor *x;

    OK(stria_tensor_new(STRIA_F32, 1, &n, &x, NULL));
    for (int64_t i = 0; i < n; i++) ((float *)(void *)x->data)[i] = (float)(i % 13 - 6) / 4;
    return x;
}

/* A recording with the symbols of inputs. */
static stria_recording *record(stria_tensor *const *in, int n, stria_tensor **symbols)
{
    stria_recording *r;

    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < n; k++) OK(stria_recording_add_input(r, in[k], &symbols[k], NULL));
    return r;
}

/* ---------------------------------------------------------------- no memory */

static stria_tensor *given, *leaf, *momentum;

/* tanh(x) + ones, exp in place, and the same again. */
static stria_status make_calls(stria_tensor *x, stria_tensor **y, stria_error *err)
{
    stria_tensor *a = NULL, *b = NULL, *c = NULL;
    stria_status  status = stria_tanh(x, &a, err);

    if (status == STRIA_OK) status = stria_ones_like(x, STRIA_DTYPE_NONE, &b, err);
    if (status == STRIA_OK) status = stria_add(a, b, &c, err);
    if (status == STRIA_OK) status = stria_apply_out(STRIA_OP_exp, (const stria_tensor *[]){c}, 1, c, err);
    stria_tensor_release(a), a = NULL;
    if (status == STRIA_OK) status = stria_tanh(x, &a, err);
    if (status == STRIA_OK) status = stria_mul(a, c, y, err);
    RELEASE(a, b, c);
    return status;
}

/* The loss of a leaf, its gradient, and a step. */
static stria_status make_step(stria_tensor *x, stria_tensor **y, stria_error *err)
{
    stria_tensor *a = NULL;
    stria_status  status = stria_tensor_set_grad(leaf, NULL, err);

    if (status == STRIA_OK) status = stria_mul(x, leaf, &a, err);
    if (status == STRIA_OK) status = stria_sum(a, NULL, 0, false, y, err);
    if (status == STRIA_OK) status = backward(*y, 0, err);
    if (status == STRIA_OK) {
        const stria_tensor *grad = GRAD(leaf);
        stria_grad_mode_set(false);
        status = stria_sgd(&leaf, 1, &grad, 1, &momentum, 1, .1, .9, 0, 0, false, false, true, err);
        stria_grad_mode_set(true);
    }
    stria_tensor_release(a);
    return status;
}

static stria_status run_path(stria_status (*calls)(stria_tensor *x, stria_tensor **y, stria_error *err),
                             stria_tensor **out, stria_error *err)
{
    stria_recording *r;
    stria_tensor    *x = NULL, *y = NULL;
    stria_graph     *g = NULL;
    void            *text = NULL;
    size_t           nbytes;

    STRIA_TRY(stria_recording_begin(&r, err));
    stria_status status = stria_recording_add_input(r, given, &x, err);
    if (status == STRIA_OK) status = calls(x, &y, err);
    if (status == STRIA_OK)
        status = stria_recording_end(r, &y, 1, &g, err);
    else
        stria_recording_cancel(r);
    CHECK(GRAD(leaf) == NULL, "a recording leaves gradients as they were");
    RELEASE(x, y);
    if (status == STRIA_OK) status = stria_graph_explain(g, &text, &nbytes, err);
    stria_bytes_release(text);
    if (status == STRIA_OK) status = stria_graph_run(g, &given, 1, out, err);
    stria_graph_release(g);
    OK(stria_tensor_set_grad(leaf, NULL, NULL));
    return status;
}

static stria_status run_calls(stria_tensor **out, stria_error *err) { return run_path(make_calls, out, err); }
static stria_status run_step(stria_tensor **out, stria_error *err) { return run_path(make_step, out, err); }

static void check_memory(void)
{
    static const double values[300] = {1};

    given = new_vector(300);
    leaf = new_leaf(1, SHAPE(300), values);
    OK(stria_zeros_like(leaf, STRIA_DTYPE_NONE, &momentum, NULL));
    oom_check_path("a graph", run_calls);
    oom_check_path("a graph of a step", run_step);
    RELEASE(given, leaf, momentum);
}

/* ---------------------------------------------------------------- bad handles */

static void *end_elsewhere(void *recording)
{
    stria_graph *g;

    REFUSED(stria_recording_end(recording, NULL, 0, &g, &err), STRIA_ERR_ARGUMENT, "recording", "recording",
            "another thread's");
    return NULL;
}

static void check_handles(void)
{
    stria_tensor    *x = new_vector(4), *s, *t, *y, *out, *stray;
    stria_recording *r, *other;
    stria_graph     *g;
    pthread_t        thread;
    void            *text;
    size_t           nbytes;

    REFUSED(stria_recording_begin(NULL, &err), STRIA_ERR_ARGUMENT, "recording", "out", "out is NULL");
    REFUSED(stria_recording_end(NULL, NULL, 0, &g, &err), STRIA_ERR_ARGUMENT, "recording", "recording", "is NULL");
    REFUSED(stria_graph_run(NULL, NULL, 0, NULL, &err), STRIA_ERR_ARGUMENT, "graph", "graph", "the graph is NULL");
    REFUSED(stria_graph_explain(NULL, &text, &nbytes, &err), STRIA_ERR_ARGUMENT, "graph", "graph", "graph is NULL");
    stria_recording_cancel(NULL);
    stria_graph_release(stria_graph_retain(NULL));

    r = record(&x, 1, &t);
    stria_recording_cancel(r); /* t means nothing from now on */
    OK(stria_empty(SHAPE(4), 1, STRIA_F32, STRIA_META, &stray, NULL));
    r = record(&x, 1, &s);
    REFUSED(stria_recording_begin(&other, &err), STRIA_ERR_ARGUMENT, "recording", "", "this thread records already");
    REFUSED(stria_recording_add_input(r, NULL, &y, &err), STRIA_ERR_ARGUMENT, "recording", "x", "x is NULL");
    REFUSED(stria_recording_add_input(r, x, NULL, &err), STRIA_ERR_ARGUMENT, "recording", "symbol", "symbol is NULL");
    REFUSED(stria_exp(t, &y, &err), STRIA_ERR_ARGUMENT, "exp", "", "before the recording began");
    REFUSED(stria_add(s, stray, &y, &err), STRIA_ERR_ARGUMENT, "add", "", "before the recording began");
    CHECK(pthread_create(&thread, NULL, end_elsewhere, r) == 0 && pthread_join(thread, NULL) == 0, "a thread");
    OK(stria_exp(s, &y, NULL));
    REFUSED(stria_recording_end(r, &stray, 1, &g, &err), STRIA_ERR_ARGUMENT, "recording", "results[0]",
            "was not made by the calls");
    RELEASE(s, y);
    r = record(&x, 1, &s);
    REFUSED(stria_recording_end(r, (stria_tensor *[]){NULL}, 1, &g, &err), STRIA_ERR_ARGUMENT, "recording",
            "results[0]", "is NULL");
    stria_tensor_release(s);
    r = record(&x, 1, &s);
    OK(stria_exp(s, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    REFUSED(stria_graph_run(g, &x, 1, NULL, &err), STRIA_ERR_ARGUMENT, "graph", "out", "out is NULL");
    REFUSED(stria_graph_run(g, NULL, 1, &out, &err), STRIA_ERR_ARGUMENT, "graph", "n_in", "takes 1 inputs, got 0");
    REFUSED(stria_graph_run(g, (stria_tensor *[]){NULL}, 1, &out, &err), STRIA_ERR_ARGUMENT, "graph", "in[0]", "NULL");
    REFUSED(stria_graph_run(g, &stray, 1, &out, &err), STRIA_ERR_DEVICE, "graph", "in[0]", "is on meta");
    RELEASE(s, t, y, x, stray);
    stria_graph_release(g);
}

/* ---------------------------------------------------------------- shared memory */

static void check_sharing(void)
{
    stria_tensor    *x = new_vector(8), *held = new_vector(8), *half, *in[2], *s[2], *outs[1];
    stria_recording *r;
    stria_graph     *g;
    const unsigned   version = atomic_load(&held->storage->version);

    in[0] = x, in[1] = held;
    r = record(in, 2, s);
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){s[0], s[1]}, 2, s[0], NULL));
    OK(stria_recording_end(r, NULL, 0, &g, NULL));
    in[1] = x;
    REFUSED(stria_graph_run(g, in, 2, outs, &err), STRIA_ERR_OVERLAP, "graph", "in[0]", "shares memory with in[1]");
    RELEASE(s[0], s[1]);
    stria_graph_release(g);

    r = record(&x, 1, s);
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){held, s[0]}, 2, held, NULL));
    OK(stria_recording_end(r, NULL, 0, &g, NULL));
    OK(stria_narrow(held, 0, 0, 8, &half, NULL));
    REFUSED(stria_graph_run(g, &half, 1, outs, &err), STRIA_ERR_OVERLAP, "graph", "in[0]", "that the graph holds");
    OK(stria_graph_run(g, &x, 1, outs, NULL));
    CHECK(((float *)(void *)held->data)[0] == -3 && atomic_load(&held->storage->version) > version, "held: written");
    stria_tensor_release(held); /* the graph goes on holding it */
    OK(stria_graph_run(g, &x, 1, outs, NULL));
    CHECK(((float *)(void *)half->data)[0] == -4.5f, "held: written again");
    RELEASE(s[0], x, half);
    stria_graph_release(g);
}

/* ---------------------------------------------------------------- threads */

#define RUNS 200

static stria_graph  *shared;
static stria_tensor *expected;

static void *run_often(void *context)
{
    stria_tensor *x = context, *y;
    intptr_t      n_wrong = 0;

    for (int i = 0; i < RUNS; i++) {
        if (stria_graph_run(shared, &x, 1, &y, NULL) != STRIA_OK) return (void *)(intptr_t)-1;
        n_wrong += memcmp(y->data, expected->data, (size_t)y->numel * sizeof(float)) != 0;
        stria_tensor_release(y);
    }
    return (void *)n_wrong;
}

static void check_threads(void)
{
    stria_tensor *x = new_vector(500), *s, *y = NULL;
    pthread_t     threads[3];
    int           n = 0;

    stria_recording *r = record(&x, 1, &s);
    OK(make_calls(s, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &shared, NULL));
    RELEASE(s, y);
    expected = NULL;
    OK(make_calls(x, &expected, NULL));
    while (n < 3 && pthread_create(&threads[n], NULL, run_often, x) == 0) n++;
    CHECK(n == 3, "%d threads", n);
    for (int k = 0; k < n; k++) {
        void *result;
        pthread_join(threads[k], &result);
        CHECK(result == NULL, "thread %d: %lld wrong runs", k, (long long)(intptr_t)result);
    }
    RELEASE(x, expected);
    stria_graph_release(shared);
}

/* ---------------------------------------------------------------- long programs */

/* Seconds of this process to record and plan n calls: a chain, with a matrix product now and then. */
static double record_long(int n)
{
    stria_tensor    *x, *s, *y, *z;
    stria_recording *r;
    stria_graph     *g;
    const clock_t    begin = clock();

    OK(stria_ones(SHAPE(2, 2), 2, STRIA_F32, STRIA_CPU, &x, NULL));
    r = record(&x, 1, &s);
    y = stria_tensor_retain(s);
    for (int i = 0; i < n; i++) {
        OK(i % 50 == 49
               ? stria_matmul(y, s, &z, NULL)
               : stria_apply(i % 2 ? STRIA_OP_add : STRIA_OP_mul, (const stria_tensor *[]){y, s}, 2, &z, NULL));
        stria_tensor_release(y);
        y = z;
    }
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    CHECK(stria_graph_get_info(g).n_calls == n && stria_graph_get_info(g).nbytes < 1024, "%d calls, %zu bytes", n,
          stria_graph_get_info(g).nbytes);
    RELEASE(x, s, y);
    stria_graph_release(g);
    return seconds;
}

static void check_long(void)
{
    const double few = record_long(10000), many = record_long(100000);

    printf("  10,000 calls are recorded and planned in %.3f s, 100,000 in %.3f s\n", few, many);
    CHECK(many < 40 * few + .5, "%.3f s, and %.3f s of 10 times as many", few, many);
}

/* ---------------------------------------------------------------- explanations */

static bool says(const char *text, size_t nbytes, const char *what)
{
    const size_t n = strlen(what);

    for (size_t k = 0; k + n <= nbytes; k++)
        if (memcmp(text + k, what, n) == 0) return true;
    printf("  \"%s\" is missing in %.*s\n", what, (int)nbytes, text);
    return false;
}

static void check_explanation(void)
{
    stria_tensor *x = new_vector(500), *s, *y = NULL, *z;
    stria_graph  *g;
    void         *text;
    size_t        nbytes;

    stria_recording *r = record(&x, 1, &s);
    OK(make_calls(s, &y, NULL));
    OK(stria_softmax(y, 0, STRIA_DTYPE_NONE, &z, NULL));
    OK(stria_recording_end(r, &z, 1, &g, NULL));
    OK(stria_graph_explain(g, &text, &nbytes, NULL));
    stria_json j = {.at = text, .end = (unsigned char *)text + nbytes};
    CHECK(stria_json_skip(&j) && stria_json_end(&j), "the explanation is no JSON");
    CHECK(says(text, nbytes, "{\"inputs\":1,\"results\":1,\"numbers\":0,\"gradients\":0,\"recordedBytes\":12000"),
          "head");
    CHECK(says(text, nbytes,
               "\"nodes\":[{\"row\":\"tanh\",\"reads\":[{\"buffer\":0,\"of\":\"input\",\"dtype\":\"f32\","
               "\"shape\":[500]}],\"writes\":[{\"buffer\":1,\"of\":\"made\""),
          "nodes");
    CHECK(says(text, nbytes, "{\"row\":\"ones_like\",\"once\":true,"), "constants");
    CHECK(says(text, nbytes, "\"ops\":[\"tanh\",\"add\",\"exp\",\"mul\"]"), "groups");
    CHECK(says(text, nbytes, "\"from\":1,\"why\":\"what reads it is not element-wise, or complex\""), "ends");
    stria_bytes_release(text);
    RELEASE(x, s, y, z);
    stria_graph_release(g);
}

SUITE(test_graph_hostile)
{
    const stria_memory_stats before = stria_memory_get_stats();

    check_isa("test_graph_hostile");
    check_handles();
    check_sharing();
    check_threads();
    check_long();
    check_explanation();
    check_memory();
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_storages == before.live_storages, "%lld storages are left",
          (long long)(after.live_storages - before.live_storages));
    return check_finish("test_graph_hostile");
}
