/* test_graph_hostile.c - graphs where things go wrong: no memory, handles of others, memory that is shared, threads, very long programs; and what
 * a graph says of itself. */

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/call.h"
#include "graph_case.h"
#include "io/json.h"
#include "oom.h"
#include "suite.h"

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#define HAS_THREADS 1
#else
#define HAS_THREADS 0
#endif

/* ---------------------------------------------------------------- no memory */

static stria_tensor *given, *leaf, *momentum;

/* tanh(x) + ones, exp in place, and the same again. */
static stria_status make_calls(stria_tensor *x, stria_tensor **y, stria_error *err)
{
    stria_tensor *a = NULL, *b = NULL, *c = NULL;
    stria_status  status = stria_tanh(x, &a, err);

    if (status == STRIA_OK) status = stria_ones_like(x, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &b, err);
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
    OK(stria_zeros_like(leaf, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &momentum, NULL));
    oom_check_path("a graph", run_calls);
    oom_check_path("a graph of a step", run_step);
    RELEASE(given, leaf, momentum);
}

/* ---------------------------------------------------------------- no memory, and a caller who goes on */

/* An input and two calls that hold a tensor, whatever they say, with the n-th allocation failing. Whether one of them said so. */
static bool record_on(stria_tensor *x, stria_tensor *held, int64_t n, stria_recording *r, stria_tensor **y)
{
    stria_tensor *s = NULL, *a = NULL;
    stria_status  status[3] = {STRIA_OK};

    *y = NULL;
    stria_alloc_set_failure(n);
    status[0] = stria_recording_add_input(r, x, &s, NULL);
    status[1] = stria_add(s != NULL ? s : x, held, &a, NULL);
    stria_alloc_set_failure(0);
    status[2] = stria_mul(x, held, y, NULL);
    RELEASE(s, a);
    return status[0] == STRIA_ERR_MEMORY || status[1] == STRIA_ERR_MEMORY || status[2] == STRIA_ERR_MEMORY;
}

static void check_going_on(void)
{
    stria_tensor *x = new_vector(4), *held = new_vector(4), *y, *out;
    bool          has_failed = true;

    for (int64_t n = 1; has_failed && n < 1000; n++) {
        stria_recording *r;
        stria_graph     *g = NULL;
        OK(stria_recording_begin(&r, NULL));
        has_failed = record_on(x, held, n, r, &y);
        if (has_failed) {
            CHECK(y == NULL, "allocation %lld: a call after the one that had no memory", (long long)n);
            REFUSED(stria_recording_end(r, &x, 1, &g, &err), STRIA_ERR_MEMORY, "recording", "",
                    "no memory for the graph");
            CHECK(g == NULL, "allocation %lld: a graph of a part", (long long)n);
        } else {
            CHECK(n > 4, "nothing was made to fail");
            OK(stria_recording_end(r, &y, 1, &g, NULL));
            OK(stria_graph_run(g, &x, 1, &out, NULL));
            stria_tensor_release(out);
        }
        stria_tensor_release(y);
        stria_graph_release(g);
    }
    CHECK(!has_failed, "it never succeeded");
    RELEASE(x, held);
}

/* ---------------------------------------------------------------- views of what has no memory yet */

/* Whether as_strided of a symbol of x gives x the same elements as of x, or neither is made. */
static void check_window(stria_tensor *x, bool is_input, int64_t size, int64_t stride, int64_t offset, bool fits)
{
    stria_tensor *s, *v = NULL, *y, *z;
    stria_graph  *g;

    stria_recording *r = record_inputs(&x, is_input, &s);
    if (!is_input) s = stria_tensor_retain(x);
    if (!fits) {
        REFUSED(stria_as_strided(s, &size, 1, &stride, 1, offset, &v, &err), STRIA_ERR_ARGUMENT, "as_strided", "view",
                "of a memory of bytes 0 .. 31");
        CHECK(v == NULL, "no view");
        stria_recording_cancel(r);
    } else {
        OK(stria_as_strided(s, &size, 1, &stride, 1, offset, &v, NULL));
        OK(stria_neg(v, &y, NULL));
        OK(stria_recording_end(r, &y, 1, &g, NULL));
        stria_tensor_release(y);
        OK(stria_graph_run(g, &x, is_input, &y, NULL));
        OK(stria_as_strided(x, &size, 1, &stride, 1, offset, &z, NULL));
        for (int64_t i = 0; i < size; i++)
            CHECK(((float *)(void *)y->data)[i] == -((float *)(void *)z->data)[i * stride], "%lld", (long long)i);
        RELEASE(y, z);
        stria_graph_release(g);
    }
    RELEASE(s, v);
}

/* What lies in the memory of x is recorded, as symbol and held; sum of all gives each its part. */
static void check_lies_inside(stria_tensor *x, bool is_input)
{
    stria_tensor *s, *views[6], *y[6], *expected[6];
    stria_graph  *g;

    stria_recording *r = record_inputs(&x, is_input, &s);
    if (!is_input) s = stria_tensor_retain(x);
    for (int pass = 0; pass < 2; pass++) { /* recorded, then made */
        stria_tensor *from = pass == 0 ? s : x, **to = pass == 0 ? y : expected;
        OK(stria_flip(from, (int[]){0, 1}, 2, &views[0], NULL));
        OK(stria_transpose(from, 0, 1, &views[1], NULL));
        OK(stria_diagonal(from, 0, 0, 1, &views[2], NULL));
        OK(stria_unfold(from, 1, 2, 1, &views[3], NULL));
        OK(stria_expand(from, SHAPE(2, 3, 3), 3, &views[4], NULL));
        OK(stria_narrow(from, 1, 3, 0, &views[5], NULL));
        for (int k = 0; k < 6; k++) OK(stria_exp(views[k], &to[k], NULL));
        for (int k = 0; k < 6; k++) stria_tensor_release(views[k]);
        if (pass == 0) {
            OK(stria_recording_end(r, y, 6, &g, NULL));
            for (int k = 0; k < 6; k++) stria_tensor_release(y[k]);
            OK(stria_graph_run(g, &x, is_input, y, NULL));
        }
    }
    for (int k = 0; k < 6; k++) {
        stria_tensor *equal;
        OK(stria_equal(y[k], expected[k], &equal, NULL));
        CHECK(*(bool *)(void *)equal->data, "view %d", k);
        stria_tensor_release(equal);
        RELEASE(y[k], expected[k]);
    }
    stria_tensor_release(s);
    stria_graph_release(g);
}

static void check_views(void)
{
    stria_tensor *x = new_vector(8), *all = new_vector(24), *square, *cut, *turned, *flipped, *s, *m, *v;
    const int64_t size = 8, stride = 1, reverse = -1;

    for (int is_input = 0; is_input < 2; is_input++) {
        check_window(x, is_input, 8, 1, 0, true);
        check_window(x, is_input, 4, 2, 1, true);
        check_window(x, is_input, 9, 1, 0, false);
        check_window(x, is_input, 1, 1, 8, false);
        check_window(x, is_input, 2, -2, 1, false);
    }
    stria_recording *r = record_inputs(&x, 1, &s); /* what is made has an end, too */
    OK(stria_exp(s, &m, NULL));
    REFUSED(stria_as_strided(m, &size, 1, &stride, 1, 1, &v, &err), STRIA_ERR_ARGUMENT, "as_strided", "view",
            "reaches bytes 4 .. 35 of a memory of bytes 0 .. 31");
    REFUSED(stria_as_strided(m, &size, 1, &reverse, 1, 0, &v, &err), STRIA_ERR_ARGUMENT, "as_strided", "view",
            "reaches bytes -28 .. 3 of");
    REFUSED(stria_as_strided(m, &size, 1, &stride, 1, (int64_t)1 << 62, &v, &err), STRIA_ERR_ARGUMENT, "as_strided",
            "size", "reach the elements 4611686018427387904 .. ");
    stria_recording_cancel(r);
    RELEASE(s, m);
    OK(stria_view(all, SHAPE(4, 6), 2, &square, NULL));
    OK(stria_slice(square, 1, 1, 6, 2, &cut, NULL));
    stria_tensor_release(square);
    OK(stria_narrow(cut, 0, 1, 3, &square, NULL));
    OK(stria_transpose(square, 0, 1, &turned, NULL));
    OK(stria_flip(square, (int[]){0, 1}, 2, &flipped, NULL));
    for (int is_input = 0; is_input < 2; is_input++) {
        check_lies_inside(square, is_input);
        check_lies_inside(turned, is_input);
        check_lies_inside(flipped, is_input);
    }
    RELEASE(x, all, square, cut, turned, flipped);
}

/* ---------------------------------------------------------------- what a recording leaves */

static void check_what_is_left(void)
{
    stria_tensor    *x = new_vector(4), *few = new_vector(3), *s, *outs[2] = {few, NULL};
    stria_sort_attrs attrs = {.dim = 0};
    stria_graph     *g;

    const int64_t    before = stria_memory_get_stats().live_tensors;
    stria_recording *r = record_inputs(NULL, 0, NULL); /* one tensor three times */
    OK(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){x, x}, 2, x, NULL));
    OK(stria_recording_end(r, NULL, 0, &g, NULL));
    stria_graph_release(g);
    CHECK(stria_memory_get_stats().live_tensors == before, "x.mul_(x): a tensor is left");

    r = record_inputs(&x, 1, &s); /* refused for one output when the other one is made */
    const stria_call call = {
        .row = STRIA_ROW_OF_FUNCTION(STRIA_FN_sort), .in = (const stria_tensor *[]){s}, .attrs = &attrs, .out = outs};
    REFUSED(stria_call_run(&call, &err), STRIA_ERR_SHAPE, "sort", "out", "which is not changed");
    CHECK(outs[1] == NULL, "no output");
    stria_recording_cancel(r);
    stria_tensor_release(s);
    CHECK(stria_memory_get_stats().live_tensors == before, "sort: a tensor is left");
    RELEASE(x, few);
}

/* ---------------------------------------------------------------- numbers */

static void check_numbers(void)
{
    stria_tensor       *x, *w = new_vector(4), *grad = new_vector(4), *s, *y, *z;
    int                 index;
    const int64_t       values[] = {0, 1, 2, 0};
    const stria_tensor *of_w = grad;

    OK(stria_tensor_new_copy_of(STRIA_I64, 1, SHAPE(4), values, sizeof values, &x, NULL));
    stria_recording *r = record_inputs(&x, 1, &s);
    OK(stria_one_hot(s, 5, &y, NULL));
    REFUSED(stria_recording_add_number(r, "num_classes", &index, &err), STRIA_ERR_ARGUMENT, "recording", "attribute",
            "has no number num_classes");
    momentum = NULL;
    OK(stria_sgd(&w, 1, &of_w, 1, NULL, 0, .1, 0, 0, 0, false, false, true, NULL));
    OK(stria_recording_add_number(r, "lr", &index, NULL));
    OK(stria_transpose(y, 0, 1, &z, NULL)); /* leaves no step */
    REFUSED(stria_recording_add_number(r, "lr", &index, &err), STRIA_ERR_ARGUMENT, "recording", "attribute",
            "has no number lr");
    stria_recording_cancel(r);
    RELEASE(x, w, grad, s, y, z);
}

/* ---------------------------------------------------------------- bad handles */

static void *end_elsewhere(void *recording)
{
    stria_graph *g;

    REFUSED(stria_recording_end(recording, NULL, 0, &g, &err), STRIA_ERR_ARGUMENT, "recording", "recording",
            "another thread's");
    stria_recording_cancel(recording); /* which goes on */
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

    r = record_inputs(&x, 1, &t);
    stria_recording_cancel(r); /* t means nothing from now on */
    OK(stria_empty(SHAPE(4), 1, STRIA_F32, STRIA_META, &stray, NULL));
    r = record_inputs(&x, 1, &s);
    REFUSED(stria_recording_begin(&other, &err), STRIA_ERR_ARGUMENT, "recording", "", "this thread records already");
    REFUSED(stria_recording_add_input(r, NULL, &y, &err), STRIA_ERR_ARGUMENT, "recording", "x", "x is NULL");
    REFUSED(stria_recording_add_input(r, x, NULL, &err), STRIA_ERR_ARGUMENT, "recording", "symbol", "symbol is NULL");
    REFUSED(stria_exp(t, &y, &err), STRIA_ERR_ARGUMENT, "exp", "", "before the recording began");
    REFUSED(stria_add(s, stray, &y, &err), STRIA_ERR_ARGUMENT, "add", "", "before the recording began");
    CHECK(!HAS_THREADS || (pthread_create(&thread, NULL, end_elsewhere, r) == 0 && pthread_join(thread, NULL) == 0),
          "a thread");
    OK(stria_exp(s, &y, NULL));
    REFUSED(stria_recording_end(r, &stray, 1, &g, &err), STRIA_ERR_ARGUMENT, "recording", "results[0]",
            "was not made by the calls");
    RELEASE(s, y);
    r = record_inputs(&x, 1, &s);
    REFUSED(stria_recording_end(r, (stria_tensor *[]){NULL}, 1, &g, &err), STRIA_ERR_ARGUMENT, "recording",
            "results[0]", "is NULL");
    stria_tensor_release(s);
    r = record_inputs(&x, 1, &s);
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
    r = record_inputs(in, 2, s);
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){s[0], s[1]}, 2, s[0], NULL));
    OK(stria_recording_end(r, NULL, 0, &g, NULL));
    in[1] = x;
    REFUSED(stria_graph_run(g, in, 2, outs, &err), STRIA_ERR_OVERLAP, "graph", "in[0]", "shares memory with in[1]");
    RELEASE(s[0], s[1]);
    stria_graph_release(g);

    r = record_inputs(&x, 1, s);
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){held, s[0]}, 2, held, NULL));
    OK(stria_recording_end(r, NULL, 0, &g, NULL));
    OK(stria_narrow(held, 0, 0, 8, &half, NULL));
    REFUSED(stria_graph_run(g, &half, 1, outs, &err), STRIA_ERR_OVERLAP, "graph", "in[0]", "that the graph holds");
    OK(stria_graph_run(g, &x, 1, outs, NULL));
    CHECK(((float *)(void *)held->data)[0] == 0.25f && atomic_load(&held->storage->version) > version, "held: written");
    stria_tensor_release(held); /* the graph goes on holding it */
    OK(stria_graph_run(g, &x, 1, outs, NULL));
    CHECK(((float *)(void *)half->data)[0] == 0.375f, "held: written again");
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

    stria_recording *r = record_inputs(&x, 1, &s);
    OK(make_calls(s, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &shared, NULL));
    RELEASE(s, y);
    expected = NULL;
    OK(make_calls(x, &expected, NULL));
    while (n < 3 && pthread_create(&threads[n], NULL, run_often, x) == 0) n++;
    CHECK(n == 3 || !HAS_THREADS, "%d threads", n);
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
    r = record_inputs(&x, 1, &s);
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

/* With the n-th allocation failing, for every n, it is refused, or the same. */
static void check_same_words(const stria_graph *g, const void *text, size_t nbytes)
{
    stria_status status = STRIA_ERR_MEMORY;
    int          n = 0;

    while (status == STRIA_ERR_MEMORY && n < 100) {
        void  *words;
        size_t n_words;
        stria_alloc_set_failure(++n);
        status = stria_graph_explain(g, &words, &n_words, NULL);
        stria_alloc_set_failure(0);
        CHECK(status == STRIA_ERR_MEMORY || (n_words == nbytes && memcmp(words, text, nbytes) == 0),
              "allocation %d: %s", n, stria_status_get_name(status));
        stria_bytes_release(words);
    }
    CHECK(status == STRIA_OK && n > 3, "it fails %d times", n - 1);
}

static void check_explanation(void)
{
    stria_tensor *x = new_vector(500), *s, *y = NULL, *z;
    stria_graph  *g;
    void         *text;
    size_t        nbytes;

    stria_recording *r = record_inputs(&x, 1, &s);
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
    CHECK(says(text, nbytes,
               "\"ops\":[\"tanh\",\"add\",\"exp\",\"mul\"],\"operands\":[[0],[2,1],[3],[2,4]],\"constants\":[],"
               "\"gives\":[5],\"reads\":"),
          "groups");
    CHECK(says(text, nbytes, "\"dtype\":\"f32\",\"shape\":[500],\"result\":true}]}]}"), "the result");
    CHECK(says(text, nbytes, "\"from\":1,\"why\":\"what reads it is not element-wise, or complex\""), "ends");
    check_same_words(g, text, nbytes);
    stria_bytes_release(text);
    RELEASE(x, s, y, z);
    stria_graph_release(g);
}

/* Numbers, as values of a call and as constants of a group. */
static void check_explained_number(stria_scalar value, const char *words)
{
    stria_tensor *x = new_vector(8), *number, *s, *y, *z;
    stria_graph  *g;
    void         *text;
    size_t        nbytes;
    char          wanted[128];

    OK(stria_tensor_new_scalar(value, &number, NULL));
    stria_recording *r = record_inputs(&x, 1, &s);
    OK(stria_mul(s, number, &y, NULL));
    OK(stria_neg(y, &z, NULL));
    OK(stria_recording_end(r, &z, 1, &g, NULL));
    OK(stria_graph_explain(g, &text, &nbytes, NULL));
    stria_json j = {.at = text, .end = (unsigned char *)text + nbytes};
    CHECK(stria_json_skip(&j) && stria_json_end(&j), "%s: no JSON", words);
    snprintf(wanted, sizeof wanted, "\"shape\":[],\"value\":%s}],\"writes\":[", words);
    CHECK(says(text, nbytes, wanted), "%s of a call", words);
    snprintf(wanted, sizeof wanted, "\"operands\":[[0,1],[2]],\"constants\":[%s],\"gives\":[3],", words);
    CHECK(says(text, nbytes, wanted), "%s of a group", words);
    stria_bytes_release(text);
    RELEASE(x, number, s, y, z);
    stria_graph_release(g);
}

static void check_explained_numbers(void)
{
    static const struct {
        double      value;
        const char *words;
    } floats[] = {{1.5, "15e-1"},
                  {-0.0, "-0"},
                  {0.1, "1e-1"},
                  {-3, "-3"},
                  {1.0 / 3, "333333333333333e-15"},
                  {999999999999999, "999999999999999"},
                  {1e300, "100000000000000e286"},
                  {INFINITY, "\"inf\""},
                  {-INFINITY, "\"-inf\""},
                  {NAN, "\"nan\""}};

    for (int k = 0; k < (int)(sizeof floats / sizeof floats[0]); k++)
        check_explained_number((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = floats[k].value}, floats[k].words);
    check_explained_number((stria_scalar){.kind = STRIA_SCALAR_INT, .i = -7}, "-7");
    check_explained_number((stria_scalar){.kind = STRIA_SCALAR_BOOL, .i = 1}, "1");
}

/* What a step of an optimiser changes, it writes. */
static void check_explained_step(void)
{
    static const double values[300] = {1};
    stria_tensor       *x = new_vector(300), *s, *y;
    stria_graph        *g;
    void               *text;
    size_t              nbytes;

    leaf = new_leaf(1, SHAPE(300), values);
    OK(stria_zeros_like(leaf, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &momentum, NULL));
    stria_recording *r = record_inputs(&x, 1, &s);
    OK(make_step(s, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    OK(stria_graph_explain(g, &text, &nbytes, NULL));
    stria_json j = {.at = text, .end = (unsigned char *)text + nbytes};
    CHECK(stria_json_skip(&j) && stria_json_end(&j), "the explanation is no JSON");
    CHECK(says(text, nbytes, "\"dtype\":\"f64\",\"shape\":[],\"result\":true}]},"), "a result");
    CHECK(says(text, nbytes, "\"dtype\":\"f64\",\"shape\":[300],\"gradient\":true}]},"), "a gradient");
    CHECK(says(text, nbytes,
               "]}],\"writes\":[{\"buffer\":1,\"of\":\"held\",\"dtype\":\"f64\",\"shape\":[300]},{\"buffer\":7,"
               "\"of\":\"held\",\"dtype\":\"f64\",\"shape\":[300]}]}"),
          "what the step writes");
    stria_bytes_release(text);
    RELEASE(x, s, y, leaf, momentum);
    stria_graph_release(g);
}

SUITE(test_graph_hostile)
{
    const stria_memory_stats before = stria_memory_get_stats();

    check_isa("test_graph_hostile");
    check_handles();
    check_going_on();
    check_views();
    check_what_is_left();
    check_numbers();
    check_sharing();
    check_threads();
    check_long();
    check_explanation();
    check_explained_numbers();
    check_explained_step();
    check_memory();
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_storages == before.live_storages, "%lld storages are left",
          (long long)(after.live_storages - before.live_storages));
    return check_finish("test_graph_hostile");
}
