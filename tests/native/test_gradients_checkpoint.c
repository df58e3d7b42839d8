/* test_gradients_checkpoint.c - checkpoints: results that share memory, captured tensors that others make, one checkpoint in another. */
#include "gradients.h"
#include "oom.h"

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#include <pthread.h>
#define HAS_THREADS 1
#else
#define HAS_THREADS 0
#endif

static stria_status in_place(stria_op op, stria_tensor *x, stria_error *err)
{
    const stria_tensor *in[] = {x, x};
    return stria_apply_out(op, in, op == STRIA_OP_add ? 2 : 1, x, err);
}

/* ---------------------------------------------------------------- results that share memory */

typedef enum result { INPUT, PART_OF_INPUT, CAPTURED, TWO, TURNED } result;
typedef struct scene {
    result        result;
    stria_tensor *captured;
} scene;

/* A call that has a gradient, whatever the result is. */
static stria_status run(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs, int n_outputs,
                        stria_error *err)
{
    const scene  *s = context;
    stria_tensor *y = NULL;

    CHECK(n_inputs == 1 && n_outputs == (s->result == TWO ? 2 : 1), "counts");
    stria_status status = stria_rand(NULL, 0, STRIA_F64, STRIA_CPU, NULL, &y, err); /* which is noted */
    if (status != STRIA_OK) return status;
    RELEASE(y);
    status = stria_square(inputs[0], &y, err);
    if (status != STRIA_OK) return status;
    switch (s->result) {
    case INPUT: outputs[0] = stria_tensor_retain(inputs[0]); break;
    case PART_OF_INPUT: status = stria_slice(inputs[0], 0, 1, 3, 1, &outputs[0], err); break;
    case CAPTURED: outputs[0] = stria_tensor_retain(s->captured); break;
    case TWO:
        outputs[0] = stria_tensor_retain(y);
        status = stria_slice(y, 0, 0, 2, 1, &outputs[1], err);
        break;
    case TURNED: status = stria_flip(y, (const int[]){0}, 1, &outputs[0], err); break;
    }
    RELEASE(y);
    return status;
}

#define SHARED(y)                                                              \
    REFUSED(in_place(STRIA_OP_neg, y, &err), STRIA_ERR_ARGUMENT, "neg", "out", \
            "a result of a checkpoint that shares its memory with another tensor cannot be changed in place")

static void check_shared(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(3), (double[]){1, 2, 3}), *x, *y[2], *view, *total;
    scene         s = {.captured = a};

    OK(stria_neg(a, &x, NULL));
    for (s.result = INPUT; s.result <= CAPTURED; s.result++) {
        OK(stria_checkpoint(run, &s, NULL, &x, 1, y, 1, NULL));
        CHECK(stria_tensor_get_aliased(y[0], s.result == CAPTURED ? a : x), "the result is no view");
        OK(stria_tensor_retain_grad(y[0], NULL));
        if (s.result == CAPTURED)
            REFUSED(in_place(STRIA_OP_neg, y[0], &err), STRIA_ERR_ARGUMENT, "neg", "out", "shares its memory");
        else
            SHARED(y[0]);
        OK(stria_slice(y[0], 0, 0, 1, 1, &view, NULL));
        REFUSED(in_place(STRIA_OP_neg, view, &err), STRIA_ERR_ARGUMENT, "neg", "out", "cannot be changed in place");
        total = sum(y[0]);
        OK(backward(total, STRIA_GRAD_RETAIN, NULL));
        CHECK(GRAD(y[0]) != NULL && GRAD(y[0])->numel == (s.result == PART_OF_INPUT ? 2 : 3),
              "no gradient is retained");
        /* memory that was written to where nothing is recorded, and what the checkpoint reads */
        stria_grad_mode_set(false);
        OK(in_place(STRIA_OP_neg, y[0], NULL));
        OK(in_place(STRIA_OP_neg, y[0], NULL));
        stria_grad_mode_set(true);
        if (s.result != CAPTURED)
            REFUSED(backward(total, 0, &err), STRIA_ERR_ARGUMENT, "backward", "checkpoint",
                    "changed in place since, by neg");
        RELEASE(y[0], view, total);
    }
    HAS(GRAD(a), -1 + 1, -2 + 1, -2 + 1);
    RELEASE(a, x);
}

/* Two results over one memory; and one that is a view of what only it holds, which may be written to. */
static void check_own_memory(void)
{
    stria_tensor *x = new_leaf(1, SHAPE(3), (double[]){1, 2, 3}), *y[2];
    scene         s = {.result = TWO};

    OK(stria_checkpoint(run, &s, NULL, &x, 1, y, 2, NULL));
    SHARED(y[0]);
    SHARED(y[1]);
    OK(stria_tensor_retain_grad(y[0], NULL));
    stria_tensor *totals[] = {sum(y[0]), sum(y[1])};
    OK(stria_backward(totals, 2, NULL, NULL, 0, 0, NULL));
    HAS(GRAD(x), 4, 8, 6);
    HAS(GRAD(y[0]), 1, 1, 1);
    RELEASE(y[0], y[1], totals[0], totals[1]);
    s.result = TURNED;
    OK(stria_tensor_set_grad(x, NULL, NULL));
    OK(stria_checkpoint(run, &s, NULL, &x, 1, y, 1, NULL));
    OK(in_place(STRIA_OP_exp, y[0], NULL)); /* exp(x^2) */
    OK(stria_tensor_retain_grad(y[0], NULL));
    OK(backward_sum(stria_tensor_retain(y[0]), 0, NULL));
    HAS(GRAD(x), 2 * exp(1), 4 * exp(4), 6 * exp(9));
    HAS(GRAD(y[0]), 1, 1, 1);
    RELEASE(x, y[0]);
}

/* ---------------------------------------------------------------- captured tensors */

static stria_status multiply(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                             int n_outputs, stria_error *err)
{
    (void)n_inputs, (void)n_outputs;
    return stria_mul(inputs[0], *(stria_tensor *const *)context, outputs, err);
}

/* exp(w), after so many other calls that its node is younger than those of the other thread. */
typedef struct made {
    stria_tensor *w, *y;
    int           n_calls;
} made;

static void *make(void *argument)
{
    made         *m = argument;
    stria_tensor *x;

    for (int k = 0; k < m->n_calls; k++) {
        OK(stria_neg(m->w, &x, NULL));
        RELEASE(x);
    }
    OK(stria_exp(m->w, &m->y, NULL));
    return NULL;
}

static void run_apart(void *(*fn)(void *), void *argument)
{
#if HAS_THREADS
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, fn, argument) == 0, "no thread");
    pthread_join(thread, NULL);
#else
    fn(argument);
#endif
}

/* What another thread has made is walked over once, after the checkpoint that reads it. */
static void check_captured(void)
{
    stria_tensor *x = new_leaf(0, NULL, (double[]){5}), *w = new_leaf(0, NULL, (double[]){2}), *y, *z, *grad;

    for (int k = 0; k < 2; k++) {
        made m = {.w = w, .n_calls = 5000 + 5000 * k};
        run_apart(make, &m);
        OK(stria_checkpoint(multiply, &m.y, NULL, &x, 1, &y, 1, NULL));
        OK(stria_add(y, m.y, &z, NULL)); /* (x + 1) exp(w) */
        if (k == 0) {
            OK(stria_grad(&z, 1, NULL, &m.y, 1, 0, &grad, NULL));
            HAS(grad, 6);
            RELEASE(grad);
        } else {
            OK(backward(z, 0, NULL));
        }
        RELEASE(y, z, m.y);
    }
    HAS(GRAD(x), exp(2));
    HAS(GRAD(w), 6 * exp(2));
    RELEASE(x, w);
}

/* The second run reads what was made after the first one: the walk comes by its node twice. */
static void check_made_later(void)
{
    stria_tensor *x = new_leaf(0, NULL, (double[]){5}), *w = new_leaf(0, NULL, (double[]){2}), *made, *later, *y, *z,
                 *grad;

    OK(stria_exp(w, &made, NULL));
    later = made;
    OK(stria_checkpoint(multiply, &later, NULL, &x, 1, &y, 1, NULL));
    OK(stria_exp(w, &later, NULL));
    OK(stria_add(y, later, &z, NULL));
    OK(stria_grad(&z, 1, NULL, &later, 1, STRIA_GRAD_RETAIN, &grad, NULL));
    HAS(grad, 6);
    RELEASE(grad);
    OK(stria_grad(&z, 1, NULL, &w, 1, STRIA_GRAD_RETAIN, &grad, NULL));
    HAS(grad, 6 * exp(2));
    RELEASE(grad);
    REFUSED(backward(z, 0, &err), STRIA_ERR_ARGUMENT, "backward", "exp", "freed by an earlier walk"); /* this one */
    RELEASE(x, w, made, later, y, z);
}

/* What the first run keeps for the second one has no history; one that reads its own result is refused. */
typedef struct keeper {
    stria_tensor *kept;
} keeper;

static stria_status run_once(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                             int n_outputs, stria_error *err)
{
    keeper *k = context;

    (void)n_inputs, (void)n_outputs;
    if (k->kept == NULL) OK(stria_square(inputs[0], &k->kept, err));
    outputs[0] = stria_tensor_retain(k->kept);
    return STRIA_OK;
}

static void check_kept(void)
{
    stria_tensor *x = new_leaf(0, NULL, (double[]){3}), *y;
    keeper        k = {NULL};

    OK(stria_checkpoint(run_once, &k, NULL, &x, 1, &y, 1, NULL));
    CHECK(y != k.kept && stria_tensor_get_requires_grad(y) && !stria_tensor_get_requires_grad(k.kept), "histories");
    REFUSED(backward(y, STRIA_GRAD_RETAIN, &err), STRIA_ERR_ARGUMENT, "checkpoint", "fn",
            "fn must make a result that requires a gradient when it runs again");
    CHECK(GRAD(x) == NULL, "a gradient of what was kept");
    RELEASE(k.kept);
    k.kept = y;
    REFUSED(backward(y, STRIA_GRAD_RETAIN, &err), STRIA_ERR_ARGUMENT, "checkpoint", "fn",
            "fn must not read a result of this checkpoint");
    k.kept = NULL; /* the walks that were refused have freed nothing */
    OK(backward(y, STRIA_GRAD_RETAIN, NULL));
    HAS(GRAD(x), 6);
    RELEASE(k.kept);
    OK(stria_detach(x, &k.kept, NULL));
    REFUSED(backward(y, 0, &err), STRIA_ERR_ARGUMENT, "checkpoint", "fn", "fn must make a result");
    REFUSED(backward(y, 0, &err), STRIA_ERR_ARGUMENT, "backward", "checkpoint", "freed by an earlier walk");
    HAS(GRAD(x), 6);
    RELEASE(x, y, k.kept);
}

/* A square of what the context is, by a function that is given nothing; and the value beside it, which has no gradient. */
static stria_status run_alone(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                              int n_outputs, stria_error *err)
{
    (void)inputs;
    CHECK(n_inputs == 0 && n_outputs == 2, "counts");
    OK(stria_detach(context, &outputs[1], err));
    return stria_square(context, &outputs[0], err);
}

/* A checkpoint may be walked over once, whatever its function was given, unless the graph is retained. */
static void check_freed(void)
{
    stria_tensor *x = new_leaf(0, NULL, (double[]){3}), *y[2];

    OK(stria_checkpoint(run_alone, x, NULL, NULL, 0, y, 2, NULL));
    OK(backward(y[1], STRIA_GRAD_RETAIN, NULL)); /* to what has no history in the second run, beside what has one */
    CHECK(GRAD(x) == NULL, "a gradient of what is detached");
    OK(backward(y[0], STRIA_GRAD_RETAIN, NULL));
    OK(backward(y[0], 0, NULL));
    HAS(GRAD(x), 12);
    REFUSED(backward(y[0], 0, &err), STRIA_ERR_ARGUMENT, "backward", "checkpoint", "freed by an earlier walk");
    HAS(GRAD(x), 12);
    RELEASE(x, y[0], y[1]);
}

/* ---------------------------------------------------------------- random numbers */

/* What a function draws, while another thread draws, too. */
typedef struct drawing {
    int    n_runs;
    double own[3][3], other[3]; /* by run */
} drawing;

static double draw(stria_error *err)
{
    stria_tensor *x = NULL;

    OK(stria_rand(NULL, 0, STRIA_F64, STRIA_CPU, NULL, &x, err));
    const double value = *(const double *)stria_tensor_get_const_data(x);
    RELEASE(x);
    return value;
}

static void *draw_apart(void *argument)
{
    *(double *)argument = draw(NULL);
    return NULL;
}

static stria_status draw_all(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                             int n_outputs, stria_error *err)
{
    drawing *d = context;
    double  *own = d->own[d->n_runs];

    (void)n_inputs, (void)n_outputs;
    own[0] = draw(err);
    run_apart(draw_apart, &d->other[d->n_runs]);
    const stria_generator_state here = stria_generator_get_state(NULL);
    own[1] = draw(err);
    stria_generator_set_state(stria_generator_get_default(), here);
    own[2] = draw(err);
    d->n_runs++;
    return stria_square(inputs[0], outputs, err);
}

static stria_status draw_inside(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                                int n_outputs, stria_error *err)
{
    return stria_checkpoint(draw_all, context, NULL, inputs, n_inputs, outputs, n_outputs, err);
}

/* Later runs draw the same, and what another thread draws meanwhile, in any run, is nobody else's. */
static void check_draws_of(stria_checkpoint_fn *fn, int n_runs)
{
    stria_tensor *x = new_leaf(0, NULL, (double[]){3}), *y;
    drawing       d = {.n_runs = 0};

    stria_generator_set_seed(NULL, 5);
    const double first = draw(NULL);
    stria_generator_set_seed(NULL, 5);
    OK(stria_checkpoint(fn, &d, NULL, &x, 1, &y, 1, NULL));
    CHECK(d.own[0][0] == first, "the first run draws something else than without a checkpoint");
    CHECK(stria_generator_get_state(NULL).offset == 3, "the default generator is elsewhere after the first run");
    CHECK(d.own[0][1] == d.own[0][2], "the state that was set is lost");
    OK(backward(y, 0, NULL));
    CHECK(d.n_runs == n_runs, "%d runs", d.n_runs);
    const stria_generator_state after = stria_generator_get_state(NULL);
    CHECK(after.seed == 5 && after.offset == (uint64_t)(2 + n_runs),
          "the default generator is elsewhere after the walk");
    for (int run = 0; run < n_runs; run++) {
        for (int i = 0; i < 3; i++) CHECK(d.own[run][i] == d.own[0][i], "run %d: draw %d differs", run, i);
        for (int i = 0; i < 3; i++) CHECK(d.other[run] != d.own[0][i], "another thread draws what was drawn");
        for (int i = 0; i < run; i++) CHECK(d.other[run] != d.other[i], "another thread draws the same twice");
    }
    RELEASE(x, y);
}

static void check_draws(void)
{
    const stria_generator_state before = stria_generator_get_state(NULL);

    if (!HAS_THREADS) return; /* another thread's would be its own */
    check_draws_of(draw_all, 2);
    check_draws_of(draw_inside, 3); /* the outer one finds out what the inner one makes, which then runs once more */
    stria_generator_set_state(NULL, before);
}

/* ---------------------------------------------------------------- one in another */

/* context: how many more. */
static stria_status nest(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                         int n_outputs, stria_error *err)
{
    char *more = context;

    (void)n_inputs, (void)n_outputs;
    if (*more == 0) return stria_square(inputs[0], outputs, err);
    return stria_checkpoint(nest, more + 1, NULL, inputs, 1, outputs, 1, err);
}

static void *check_depth(void *argument)
{
    stria_tensor *x = new_leaf(0, NULL, (double[]){3}), *y;
    static char   more[5001]; /* a 1 for each that follows */

    (void)argument;
    memset(more, 1, sizeof more - 1);
    OK(stria_checkpoint(nest, more + sizeof more - STRIA_MAX_CHECKPOINTS, NULL, &x, 1, &y, 1, NULL));
    OK(backward(y, 0, NULL));
    HAS(GRAD(x), 6);
    RELEASE(y);
    REFUSED(stria_checkpoint(nest, more, NULL, &x, 1, &y, 1, &err), STRIA_ERR_UNSUPPORTED, "checkpoint", "fn",
            "more than 100 deep in one another");
    CHECK(stria_grad_mode_get(), "what was refused is not over");
    RELEASE(x);
    return NULL;
}

/* On the stack of a small thread. */
static void check_nesting(void)
{
#if HAS_THREADS
    pthread_attr_t attributes;
    pthread_t      thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 * 1024);
    const bool is_made = pthread_create(&thread, &attributes, check_depth, NULL) == 0;
    if (is_made) pthread_join(thread, NULL);
    CHECK(is_made, "no thread");
    pthread_attr_destroy(&attributes);
#else
    check_depth(NULL);
#endif
}

/* ---------------------------------------------------------------- memory that ends */

static stria_tensor *leaf;

/* A checkpoint whose results share memory, within another walk's reach: *out is a gradient. */
static stria_status run_all(stria_tensor **out, stria_error *error)
{
    scene         s = {.result = TWO};
    stria_tensor *x = NULL, *y[2] = {NULL, NULL}, *both = NULL, *total = NULL;
    stria_status  status = stria_neg(leaf, &x, error);

    if (status == STRIA_OK) status = stria_checkpoint(run, &s, NULL, &x, 1, y, 2, error);
    if (status == STRIA_OK) status = stria_sum(y[0], NULL, 0, false, &both, error);
    if (status == STRIA_OK) status = stria_sum(y[1], NULL, 0, false, &total, error);
    if (status == STRIA_OK) status = stria_grad((stria_tensor *[]){both, total}, 2, NULL, &leaf, 1, 0, out, error);
    RELEASE(x, y[0], y[1], both, total);
    return status;
}

static void check_memory(void)
{
    stria_tensor *warm = NULL;

    leaf = new_leaf(1, SHAPE(3), (double[]){1, 2, 3});
    OK(run_all(&warm, NULL)); /* formulas that are kept are made */
    HAS(warm, 4, 8, 6);
    RELEASE(warm);
    oom_check_path("checkpoints", run_all);
    RELEASE(leaf);
}

SUITE(test_gradients_checkpoint)
{
    check_shared();
    check_own_memory();
    check_captured();
    check_made_later();
    check_kept();
    check_freed();
    check_draws();
    check_nesting();
    check_memory();
    return check_finish("test_gradients_checkpoint");
}
