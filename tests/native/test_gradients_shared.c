/* test_gradients_shared.c - graphs that several threads walk at once, with and without STRIA_GRAD_RETAIN: each walk is right, or told that what
 * it needs was freed. Nothing waits for itself. */
#include "call/call.h"
#include "gradients.h"

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { THREADS = 4, ROUNDS = 150, LENGTH = 12 };

/* ---------------------------------------------------------------- one graph, several walks */

typedef struct scene {
    stria_tensor *leaf, *links[LENGTH], *loss;
    atomic_int    n_ready, n_done;
    bool          by_grad;     /* stria_grad, which looks for the nodes that it needs */
    bool          one_retains; /* the first thread walks with STRIA_GRAD_RETAIN */
    double        one[2];      /* the gradient of a walk */
} scene;

typedef struct walker {
    scene *scene;
    int    number;
} walker;

/* Nodes that save their inputs, their results, and nothing, each held by a tensor. */
static void build(scene *s)
{
    stria_tensor *x, *y;

    s->leaf = new_leaf(1, SHAPE(2), (double[]){0.5, 0.25});
    x = s->leaf;
    for (int k = 0; k < LENGTH; k++) {
        OK(k % 3 == 0 ? stria_mul(x, s->leaf, &y, NULL) : k % 3 == 1 ? stria_exp(x, &y, NULL) : stria_neg(x, &y, NULL));
        x = s->links[k] = y;
    }
    s->loss = sum(x);
    atomic_init(&s->n_ready, 0);
    atomic_init(&s->n_done, 0);
}

static bool is_about(double got, double expected) { return fabs(got - expected) <= 1e-9 * (1 + fabs(expected)); }

static void check_result(const scene *s, stria_tensor *grad)
{
    const double *got = grad != NULL ? stria_tensor_get_const_data(grad) : NULL;

    CHECK(got != NULL && is_about(got[0], s->one[0]) && is_about(got[1], s->one[1]), "another gradient");
    RELEASE(grad);
}

static void *walk(void *argument)
{
    const walker *w = argument;
    scene        *s = w->scene;
    stria_error   err = {0};
    stria_tensor *grad = NULL;
    stria_status  status;
    const int     flags = s->one_retains && w->number == 0 ? STRIA_GRAD_RETAIN : 0;

    atomic_fetch_add(&s->n_ready, 1);
    while (atomic_load(&s->n_ready) < THREADS) sched_yield();
    status =
        s->by_grad ? stria_grad(&s->loss, 1, NULL, &s->leaf, 1, flags, &grad, &err) : backward(s->loss, flags, &err);
    CHECK(status == STRIA_OK || (status == STRIA_ERR_ARGUMENT && strcmp(err.op, "backward") == 0 &&
                                 strstr(err.message, "freed by an earlier walk") != NULL),
          "status %d, %s", (int)status, err.message);
    if (status == STRIA_OK) atomic_fetch_add(&s->n_done, 1);
    if (s->by_grad && status == STRIA_OK) check_result(s, grad);
    return NULL;
}

static void find_expected(scene *s)
{
    stria_tensor *grad;

    OK(stria_grad(&s->loss, 1, NULL, &s->leaf, 1, STRIA_GRAD_RETAIN, &grad, NULL));
    for (int k = 0; k < 2; k++) s->one[k] = ((const double *)stria_tensor_get_const_data(grad))[k];
    RELEASE(grad);
}

/* Whatever the threads do to each other, the leaf has as many gradients as walks came to their end. */
static void check_walks(bool by_grad, bool one_retains)
{
    for (int round = 0; round < ROUNDS; round++) {
        scene     s = {.by_grad = by_grad, .one_retains = one_retains};
        pthread_t threads[THREADS];
        walker    walkers[THREADS];

        build(&s);
        find_expected(&s);
        for (int k = 0; k < THREADS; k++) {
            walkers[k] = (walker){&s, k};
            CHECK(pthread_create(&threads[k], NULL, walk, &walkers[k]) == 0, "no thread");
        }
        for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
        const double *sums = GRAD(s.leaf) != NULL ? stria_tensor_get_const_data(GRAD(s.leaf)) : NULL;
        const int     n = atomic_load(&s.n_done);
        for (int k = 0; k < 2 && !by_grad; k++)
            CHECK(is_about(sums != NULL ? sums[k] : 0, n * s.one[k]), "%d walks, %g", n, sums != NULL ? sums[k] : 0);
        REFUSED(backward(s.loss, 0, &err), STRIA_ERR_ARGUMENT, "backward", "exp", "freed by an earlier walk");
        for (int k = 0; k < LENGTH; k++) RELEASE(s.links[k]);
        RELEASE(s.leaf, s.loss);
    }
}

/* ---------------------------------------------------------------- what is not done under a lock */

typedef struct meeting {
    stria_tensor *view, *sum;
    pthread_t     other;
    bool          has_begun;
    atomic_bool   is_over;
} meeting;

/* The view, whose base was written to, gets another slot: its .grad moves. */
static void *renew(void *argument)
{
    meeting *m = argument;

    CHECK(stria_tensor_get_requires_grad(m->view), "the view has no history");
    atomic_store(&m->is_over, true);
    return NULL;
}

/* Sees the addition to .grad of the view, and goes on when the other thread has renewed it, or after a while. */
static stria_status meet(void *context, const stria_call *call, bool *is_taken, stria_error *err)
{
    meeting              *m = context;
    const struct timespec moment = {0, 1000000};

    (void)is_taken, (void)err;
    if (call->row != STRIA_ROW_OF_OP(STRIA_OP_add) || call->out[0] != m->sum || m->has_begun) return STRIA_OK;
    m->has_begun = true;
    CHECK(pthread_create(&m->other, NULL, renew, m) == 0, "no thread");
    for (int k = 0; k < 5000 && !atomic_load(&m->is_over); k++) nanosleep(&moment, NULL);
    CHECK(atomic_load(&m->is_over), "a view waits for the sum of its gradient while it holds the lock of all");
    return STRIA_OK;
}

static void check_locks(void)
{
    stria_tensor       *a = new_leaf(1, SHAPE(4), (double[]){0, 0, 0, 0}), *base, *y;
    meeting             m = {.has_begun = false};
    const stria_tensor *in[2];

    OK(stria_neg(a, &base, NULL));
    OK(stria_slice(base, 0, 0, 2, 1, &m.view, NULL));
    OK(stria_tensor_retain_grad(m.view, NULL));
    OK(stria_neg(m.view, &y, NULL));
    stria_tensor *total = sum(y);
    OK(backward(total, STRIA_GRAD_RETAIN, NULL));
    m.sum = GRAD(m.view);
    HAS(m.sum, -1, -1);
    in[0] = in[1] = base;
    OK(stria_apply_out(STRIA_OP_add, in, 2, base, NULL));
    stria_call_set_recorder(meet, &m);
    OK(backward(total, STRIA_GRAD_RETAIN, NULL));
    stria_call_set_recorder(NULL, NULL);
    CHECK(m.has_begun, "no sum was seen");
    if (m.has_begun) pthread_join(m.other, NULL);
    CHECK(GRAD(m.view) == m.sum, "the gradient is another tensor");
    HAS(GRAD(m.view), -2, -2);
    RELEASE(a, base, y, total, m.view);
}
#else
static void check_walks(bool by_grad, bool one_retains) { (void)by_grad, (void)one_retains; }
static void check_locks(void) {}
#endif

/* ---------------------------------------------------------------- another gradient meanwhile */

/* Sets .grad of a leaf while a walk adds to what it was. */
static stria_status set_other(void *context, const stria_call *call, bool *is_taken, stria_error *err)
{
    stria_tensor **both = context;

    (void)is_taken;
    if (call->row != STRIA_ROW_OF_OP(STRIA_OP_add) || call->in[0] != GRAD(both[0])) return STRIA_OK;
    return stria_tensor_set_grad(both[0], both[1], err);
}

static void check_other(void)
{
    for (int flags = 0; flags <= STRIA_GRAD_CREATE; flags += STRIA_GRAD_CREATE) {
        stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){1, 2}), *other, *y;
        OK(stria_ones(SHAPE(2), 1, STRIA_F64, STRIA_CPU, &other, NULL));
        stria_tensor *both[] = {a, other};
        OK(stria_neg(a, &y, NULL));
        OK(backward_sum(stria_tensor_retain(y), STRIA_GRAD_RETAIN, NULL));
        stria_call_set_recorder(set_other, both);
        OK(backward_sum(y, flags, NULL));
        stria_call_set_recorder(NULL, NULL);
        CHECK(GRAD(a) == other, "the gradient that was set is lost");
        HAS(other, 1, 1);
        OK(stria_tensor_set_grad(a, NULL, NULL));
        RELEASE(a, other);
    }
}

/* ---------------------------------------------------------------- a view that is renewed meanwhile */

typedef struct renewal {
    stria_tensor       *view;
    const stria_tensor *seed;
    int                 n_writes, n_seen;
    bool                ends;
} renewal;

/* While the seed is added to .grad of the view: its base is written to, and it looks at that anew, as often as is said; then it may end. */
static stria_status renew_within(void *context, const stria_call *call, bool *is_taken, stria_error *err)
{
    renewal *r = context;

    (void)is_taken;
    if ((call->in[0] != r->seed && (call->row != STRIA_ROW_OF_OP(STRIA_OP_add) || call->in[1] != r->seed)) ||
        r->n_seen++ > 0)
        return STRIA_OK;
    for (int k = 0; k < r->n_writes; k++) {
        const stria_tensor *in[] = {r->view->base, r->view->base};
        const bool          was = stria_grad_mode_set(true);
        const stria_status  status = stria_apply_out(STRIA_OP_add, in, 2, r->view->base, err);
        stria_grad_mode_set(was);
        if (status != STRIA_OK) return status;
        CHECK(stria_tensor_get_requires_grad(r->view), "the view has no history");
    }
    if (r->ends) RELEASE(r->view);
    return STRIA_OK;
}

/* What a walk is adding to .grad follows it, whether there was a gradient before or not. */
static void check_renewed(int flags, bool has_grad, int n_writes, bool ends)
{
    stria_tensor *a = new_leaf(1, SHAPE(4), (double[]){0, 0, 0, 0}), *base, *seed;
    renewal       r = {.n_writes = n_writes, .ends = ends};

    OK(stria_neg(a, &base, NULL));
    OK(stria_slice(base, 0, 0, 2, 1, &r.view, NULL));
    OK(stria_tensor_retain_grad(r.view, NULL));
    OK(stria_tensor_new_copy_of(STRIA_F64, 1, SHAPE(2), (double[]){3, 5}, 2 * sizeof(double), &seed, NULL));
    r.seed = seed;
    if (has_grad) OK(stria_backward(&r.view, 1, &seed, NULL, 0, STRIA_GRAD_RETAIN, NULL));
    stria_call_set_recorder(renew_within, &r);
    OK(stria_backward(&r.view, 1, &seed, NULL, 0, STRIA_GRAD_RETAIN | flags, NULL));
    stria_call_set_recorder(NULL, NULL);
    CHECK(r.n_seen > 0, "no sum was seen");
    if (!ends) {
        HAS(GRAD(r.view), has_grad ? 6 : 3, has_grad ? 10 : 5);
        OK(stria_backward(&r.view, 1, &seed, NULL, 0, STRIA_GRAD_RETAIN,
                          NULL)); /* nobody waits for a sum that is over */
        HAS(GRAD(r.view), has_grad ? 9 : 6, has_grad ? 15 : 10);
        RELEASE(r.view);
    }
    RELEASE(a, base, seed);
}

static void check_all_renewed(void)
{
    for (int k = 0; k < 16; k++)
        check_renewed((k & 1) != 0 ? STRIA_GRAD_CREATE : 0, (k & 2) != 0, (k & 4) != 0 ? 2 : 1, (k & 8) != 0);
}

SUITE(test_gradients_shared)
{
    check_walks(false, false);
    check_walks(false, true);
    check_walks(true, false);
    check_walks(true, true);
    check_locks();
    check_other();
    check_all_renewed();
    return check_finish("test_gradients_shared");
}
