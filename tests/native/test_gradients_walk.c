/* test_gradients_walk.c - walks: long graphs on small stacks, hooks, checkpoints, threads, memory that ends in the middle. */
#include <pthread.h>

#include "autograd/walk.h"
#undef GRAD /* of rules */
#include "base/alloc.h"
#include "gradients.h"
#include "oom.h"
#include "sanitized.h"

/* ---------------------------------------------------------------- long graphs */

#if defined(__EMSCRIPTEN__) || IS_SANITIZED
#define LENGTH 100000
#else
#define LENGTH 1000000
#endif

/* Every third call saves something, and nothing but the last result is held. */
static void *walk_chain(void *argument)
{
    stria_tensor *a = new_leaf(0, NULL, (double[]){1e-3}), *x = stria_tensor_retain(a), *y, *one;
    int64_t      *least = argument;

    OK(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = 1}, &one, NULL));
    for (int k = 0; k < LENGTH; k++) {
        OK(k % 3 == 0 ? stria_mul(x, one, &y, NULL) : k % 3 == 1 ? stria_add(x, a, &y, NULL) : stria_neg(x, &y, NULL));
        RELEASE(x);
        x = y;
    }
    OK(backward(x, 0, NULL));
    CHECK(GRAD(a) != NULL && isfinite(*(double *)GRAD(a)->data), "no gradient of a long chain");
    *least = stria_memory_get_stats().live_tensors;
    RELEASE(x, a, one);
    return NULL;
}

/* A chain that nobody walks: it is released link by link. */
static void *release_chain(void *argument)
{
    stria_tensor *a = new_leaf(0, NULL, (double[]){1}), *x = stria_tensor_retain(a), *y;

    (void)argument;
    for (int k = 0; k < LENGTH; k++) {
        OK(stria_mul(x, x, &y, NULL)); /* its handle is saved: it owns a node, too */
        RELEASE(x);
        x = y;
    }
    RELEASE(x, a);
    return NULL;
}

static void run_on_small_stack(void *(*fn)(void *), void *argument)
{
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
    fn(argument);
#else
    pthread_attr_t attributes;
    pthread_t      thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 * 1024);
    const bool is_made = pthread_create(&thread, &attributes, fn, argument) == 0;
    if (is_made) pthread_join(thread, NULL);
    CHECK(is_made, "no thread");
    pthread_attr_destroy(&attributes);
#endif
}

static void check_long(void)
{
    const int64_t before = stria_memory_get_stats().live_tensors;
    int64_t       after = 0;

    run_on_small_stack(walk_chain, &after);
    CHECK(after - before < 8, "%d tensors live after a walk that retains nothing", (int)(after - before));
    run_on_small_stack(release_chain, NULL);
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors live after their graph");
}

/* What a walk has done with is released while it goes on: the largest tensors of a chain do not live together. */
static stria_status measure(void *context, const stria_tensor *gradient, stria_tensor **replacement, stria_error *err)
{
    (void)gradient, (void)replacement, (void)err;
    *(int64_t *)context = (int64_t)stria_memory_get_stats().live_bytes;
    return STRIA_OK;
}

static void check_frees(void)
{
    const int64_t shape[] = {1 << 16};
    stria_tensor *a, *x, *y;
    int64_t       before = (int64_t)stria_memory_get_stats().live_bytes, full, during = 0;
    uint64_t      id;

    OK(stria_zeros(shape, 1, STRIA_F64, STRIA_CPU, &a, NULL));
    OK(stria_tensor_set_requires_grad(a, true, NULL));
    OK(stria_tensor_register_hook(a, measure, &during, NULL, &id, NULL));
    x = stria_tensor_retain(a);
    for (int k = 0; k < 20; k++) {
        OK(stria_exp(x, &y, NULL));
        RELEASE(x);
        x = y;
    }
    y = sum(x);
    RELEASE(x);
    full = (int64_t)stria_memory_get_stats().live_bytes - before;
    CHECK(full > 20 << 19, "the graph saves nothing");
    OK(backward(y, 0, NULL));
    CHECK(during - before < 5 << 19, "%lld bytes live at the end of a walk", (long long)(during - before));
    RELEASE(a, y);
}

/* ---------------------------------------------------------------- hooks */

static stria_status twice(void *context, const stria_tensor *gradient, stria_tensor **replacement, stria_error *err)
{
    (*(int *)context)++;
    return stria_add(gradient, gradient, replacement, err);
}

static stria_status look(void *context, const stria_tensor *gradient, stria_tensor **replacement, stria_error *err)
{
    (void)replacement, (void)err;
    *(double *)context = *(const double *)stria_tensor_get_const_data(gradient);
    return STRIA_OK;
}

static stria_status give_other(void *context, const stria_tensor *gradient, stria_tensor **replacement,
                               stria_error *err)
{
    (void)gradient;
    return stria_zeros((int64_t[]){7}, 1, STRIA_F64, STRIA_CPU, replacement, context == NULL ? err : NULL);
}

static void count_end(void *context) { (*(int *)context) += 100; }

static void check_hooks(void)
{
    stria_tensor *a = new_leaf(0, NULL, (double[]){3}), *x, *y;
    int           n = 0;
    double        seen = 0;
    uint64_t      first, second, third;

    OK(stria_mul(a, a, &x, NULL));
    OK(stria_neg(x, &y, NULL));
    OK(stria_tensor_register_hook(x, twice, &n, count_end, &first, NULL));
    OK(stria_tensor_register_hook(x, look, &seen, NULL, &second, NULL));
    OK(stria_tensor_register_hook(a, twice, &n, NULL, &third, NULL));
    OK(backward(y, STRIA_GRAD_RETAIN, NULL));
    CHECK(n == 2 && seen == -2, "%d hooks, %g", n, seen);
    HAS(GRAD(a), -24);
    stria_tensor_remove_hook(first);
    CHECK(n == 102, "a hook that was removed is not released");
    stria_tensor_remove_hook(first);
    stria_tensor_remove_hook(third);
    OK(backward(y, STRIA_GRAD_RETAIN, NULL));
    CHECK(n == 102 && seen == -1, "%d hooks, %g", n, seen);
    HAS(GRAD(a), -30);
    OK(stria_tensor_register_hook(x, give_other, NULL, NULL, &first, NULL));
    REFUSED(backward(y, STRIA_GRAD_RETAIN, &err), STRIA_ERR_SHAPE, "hook", "gradient", "[7]");
    OK(stria_tensor_register_hook(x, twice, &n, count_end, &first, NULL));
    OK(stria_tensor_register_hook(x, twice, &n, count_end, &second, NULL));
    OK(stria_apply_out(STRIA_OP_neg, (const stria_tensor *[]){x}, 1, x,
                       NULL)); /* in place: hooks stay with the value before */
    stria_tensor_remove_hook(second);
    CHECK(n == 202, "a hook of a value that was overwritten is not removed");
    n = 102;
    RELEASE(a, x, y);
    CHECK(n == 202, "the hook of a graph that ended is not released");
}

/* A hook that removes itself, or all hooks of its tensor, ends when it has run. */
typedef struct own_hook {
    stria_tensor *x;
    uint64_t      id;
    int           n_runs, n_ends;
} own_hook;

static void end_own(void *context) { ((own_hook *)context)->n_ends++; }

static stria_status remove_itself(void *context, const stria_tensor *gradient, stria_tensor **replacement,
                                  stria_error *err)
{
    own_hook *hook = context;

    stria_tensor_remove_hook(hook->id);
    CHECK(hook->n_ends == 0, "a hook has ended while it runs");
    hook->n_runs++;
    return stria_add(gradient, gradient, replacement, err);
}

static void check_own_hooks(void)
{
    stria_tensor *a = new_leaf(0, NULL, (double[]){3}), *x;
    own_hook      one = {.x = a}, other = {.x = a};
    double        seen = 0;

    OK(stria_neg(a, &x, NULL));
    OK(stria_tensor_register_hook(a, remove_itself, &one, end_own, &one.id, NULL));
    OK(stria_tensor_register_hook(a, remove_itself, &other, end_own, &other.id, NULL));
    OK(stria_tensor_register_hook(a, look, &seen, NULL, NULL, NULL)); /* nobody wants to remove it */
    OK(backward(x, STRIA_GRAD_RETAIN, NULL));
    CHECK(one.n_runs == 1 && one.n_ends == 1 && other.n_runs == 1 && other.n_ends == 1 && seen == -4, "hooks, %g",
          seen);
    OK(backward(x, 0, NULL));
    CHECK(one.n_runs == 1 && other.n_runs == 1 && seen == -1, "hooks that were removed, %g", seen);
    REFUSED(stria_tensor_register_hook(a, NULL, NULL, NULL, NULL, &err), STRIA_ERR_ARGUMENT, "register_hook", "fn",
            "fn is NULL");
    REFUSED(stria_tensor_register_hook(NULL, look, &seen, NULL, NULL, &err), STRIA_ERR_ARGUMENT, "register_hook", "x",
            "requires no gradient");
    RELEASE(a, x);
}

/* What a host answers is converted as the walk computes: not recorded, though the thread records meanwhile. The event is answered once. */
static void check_answers(void)
{
    stria_tensor    *a = new_leaf(1, SHAPE(2), (double[]){3, 4}), *x, *other, *narrow;
    stria_walk      *walk;
    stria_walk_event event;

    OK(stria_neg(a, &x, NULL));
    OK(stria_gradient_register_hook(x, NULL, &event, NULL, NULL, NULL));
    stria_tensor *total = sum(x);
    REFUSED(backward(total, STRIA_GRAD_RETAIN, &err), STRIA_ERR_UNSUPPORTED, "backward", "", "of another language");
    OK(stria_to(a, STRIA_F32, &narrow, NULL));
    OK(stria_add(narrow, narrow, &other, NULL)); /* has a history of its own */
    OK(stria_walk_new(&total, 1, NULL, NULL, 0, 0, true, &walk, NULL));
    OK(stria_walk_next(walk, &event, NULL));
    CHECK(event.kind == STRIA_WALK_HOOK && event.id == (double)(uintptr_t)&event, "kind %d", (int)event.kind);
    REFUSED(stria_walk_next(walk, &event, &err), STRIA_ERR_CONFIG, "backward", "", "waits for an answer");
    OK(stria_walk_answer_hook(walk, stria_tensor_retain(other), NULL));
    OK(stria_walk_next(walk, &event, NULL));
    CHECK(event.kind == STRIA_WALK_DONE && stria_grad_mode_get(), "kind %d", (int)event.kind);
    HAS(GRAD(a), -6, -8);
    CHECK(!stria_tensor_get_requires_grad(GRAD(a)), "what was answered is recorded");
    stria_walk_release(walk);
    RELEASE(a, x, total, narrow, other);
}

/* A walk that has failed does not go on in the middle of a node. */
static void check_failed(void)
{
    stria_tensor    *a = new_leaf(0, NULL, (double[]){3}), *x, *y;
    stria_walk      *walk;
    stria_walk_event event;

    OK(stria_exp(a, &x, NULL));
    OK(stria_exp(x, &y, NULL));
    OK(stria_gradient_register_hook(x, NULL, &event, NULL, NULL, NULL));
    OK(stria_walk_new(&y, 1, NULL, NULL, 0, 0, true, &walk, NULL));
    OK(stria_walk_next(walk, &event, NULL));
    REFUSED(stria_walk_answer_hook(walk, new_leaf(1, SHAPE(2), (double[]){3, 4}), &err), STRIA_ERR_SHAPE, "hook",
            "gradient", "shape");
    REFUSED(stria_walk_next(walk, &event, &err), STRIA_ERR_CONFIG, "backward", "", "the walk has failed");
    stria_walk_release(walk);
    CHECK(GRAD(a) == NULL, "a gradient of a walk that has failed");
    RELEASE(a, x, y);
}

/* ---------------------------------------------------------------- .grad */

/* .grad may be written to: it shares no memory with what a walk was given, nor with what the graph has saved. */
static void check_memory_of_grad(void)
{
    for (int flags = 0; flags <= STRIA_GRAD_CREATE; flags += STRIA_GRAD_CREATE) {
        stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){3, 4}), *x, *ones, *seed;
        OK(stria_add(a, a, &x, NULL));
        OK(stria_ones(SHAPE(2, 1), 2, STRIA_F64, STRIA_CPU, &ones, NULL));
        OK(stria_reshape(ones, SHAPE(2), 1, &seed, NULL));
        OK(stria_backward(&a, 1, &seed, NULL, 0, flags, NULL));
        CHECK(!stria_tensor_get_aliased(GRAD(a), ones), "the gradient shares memory with a view of what began it");
        OK(stria_tensor_set_grad(a, NULL, NULL));
        OK(stria_backward(&x, 1, &seed, NULL, 0, flags, NULL));
        CHECK(!stria_tensor_get_aliased(GRAD(a), ones), "the gradient of a sum shares memory with what began it");
        RELEASE(a, x, seed, ones);
    }
}

/* What a hook gives is the walk's alone, but its memory is that of another tensor. */
static stria_status give_view(void *context, const stria_tensor *gradient, stria_tensor **replacement, stria_error *err)
{
    return stria_reshape(context, gradient->shape, gradient->ndim, replacement, err);
}

static void check_memory_of_hook(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){3, 4}), *x, *ones;

    OK(stria_neg(a, &x, NULL));
    OK(stria_ones(SHAPE(2, 1), 2, STRIA_F64, STRIA_CPU, &ones, NULL));
    OK(stria_tensor_register_hook(a, give_view, ones, NULL, NULL, NULL));
    OK(backward_sum(x, STRIA_GRAD_CREATE, NULL));
    HAS(GRAD(a), 1, 1);
    CHECK(!stria_tensor_get_aliased(GRAD(a), ones), "the gradient shares memory with what a hook gave");
    OK(stria_tensor_set_grad(a, NULL, NULL)); /* its history leads to a */
    RELEASE(a, ones);
}

/* ---------------------------------------------------------------- checkpoints */

typedef struct function {
    stria_tensor *weight;
    int           n_runs;
    bool          changes;
} function;

/* weight * exp(x) * (random numbers); and a copy that is no float. */
static stria_status run_function(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                                 int n_outputs, stria_error *err)
{
    function     *f = context;
    stria_tensor *e = NULL, *noise = NULL, *product = NULL;

    f->n_runs++;
    CHECK(n_inputs == 1 && n_outputs == 2, "counts");
    stria_status status = stria_exp(inputs[0], &e, err);
    if (status == STRIA_OK) status = stria_rand(e->shape, e->ndim, STRIA_F64, STRIA_CPU, NULL, &noise, err);
    if (status == STRIA_OK) status = stria_mul(e, f->weight, &product, err);
    if (status == STRIA_OK) status = stria_mul(product, noise, &outputs[0], err);
    if (status == STRIA_OK && f->changes) {
        stria_tensor_release(outputs[0]);
        outputs[0] = sum(product);
    }
    if (status == STRIA_OK) status = stria_to(noise, STRIA_I32, &outputs[1], err);
    RELEASE(e, noise, product);
    return status;
}

static void end_function(void *context) { ((function *)context)->n_runs += 1000; }

static void check_checkpoint(void)
{
    stria_tensor *x = new_leaf(1, SHAPE(2), (double[]){0.5, 1}), *w = new_leaf(0, NULL, (double[]){3}), *y[2], *z,
                 *grads[2];
    stria_tensor *expected[2], *both[2] = {x, w};
    function      f = {w, 0, false};

    stria_generator_set_seed(NULL, 7);
    OK(run_function(&f, &x, 1, y, 2, NULL));
    z = sum(y[0]);
    OK(stria_grad(&z, 1, NULL, both, 2, 0, expected, NULL));
    RELEASE(y[0], y[1], z);
    stria_generator_set_seed(NULL, 7);
    f.n_runs = 0;
    OK(stria_checkpoint(run_function, &f, end_function, &x, 1, y, 2, NULL));
    CHECK(f.n_runs == 1 && stria_tensor_get_requires_grad(y[0]) && !stria_tensor_get_requires_grad(y[1]), "first run");
    z = sum(y[0]);
    const stria_generator_state state = stria_generator_get_state(NULL);
    OK(stria_grad(&z, 1, NULL, both, 2, STRIA_GRAD_RETAIN, grads, NULL)); /* of the weight, too */
    CHECK(f.n_runs == 2 && stria_generator_get_state(NULL).offset == state.offset, "second run");
    for (int k = 0; k < 2; k++) {
        const double *e = stria_tensor_get_const_data(expected[k]);
        CHECK(has_values(grads[k], (int)grads[k]->numel, e), "gradient %d of a checkpoint", k);
        RELEASE(grads[k], expected[k]);
    }
    f.changes = true;
    REFUSED(backward(z, STRIA_GRAD_RETAIN, &err), STRIA_ERR_SHAPE, "checkpoint", "gradient", "[2]");
    f.changes = false;
    stria_grad_mode_set(false);
    OK(stria_apply_out(STRIA_OP_neg, (const stria_tensor *[]){x}, 1, x, NULL));
    stria_grad_mode_set(true);
    REFUSED(backward(z, 0, &err), STRIA_ERR_ARGUMENT, "backward", "checkpoint", "changed in place since, by neg");
    RELEASE(z, y[0], y[1]);
    CHECK(f.n_runs > 1000, "the function is not released");
    /* nothing requires a gradient */
    f.n_runs = 0;
    OK(stria_tensor_set_requires_grad(x, false, NULL));
    OK(stria_tensor_set_requires_grad(w, false, NULL));
    OK(stria_checkpoint(run_function, &f, end_function, &x, 1, y, 2, NULL));
    CHECK(f.n_runs == 1001 && !stria_tensor_get_requires_grad(y[0]), "a checkpoint of nothing");
    RELEASE(x, w, y[0], y[1]);
}

static stria_status run_product(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                                int n_outputs, stria_error *err)
{
    (void)n_inputs, (void)n_outputs;
    return stria_mul(inputs[0], context, outputs, err);
}

/* The walk frees nodes that it does not need before it comes to the checkpoint, whose new nodes may lie in the same memory. */
static void check_checkpoint_of_inputs(void)
{
    stria_tensor *x = new_leaf(1, SHAPE(2), (double[]){5, 7}), *w = new_leaf(1, SHAPE(2), (double[]){2, 3}), *y, *z,
                 *ones, *total, *grad;

    OK(stria_checkpoint(run_product, w, NULL, &x, 1, &y, 1, NULL));
    OK(stria_div(x, x, &ones, NULL));
    OK(stria_mul(y, ones, &z, NULL));
    RELEASE(y, ones);
    total = sum(z);
    RELEASE(z);
    OK(stria_grad(&total, 1, NULL, &w, 1, 0, &grad, NULL));
    HAS(grad, 5, 7);
    RELEASE(grad);
    REFUSED(stria_grad(&total, 1, NULL, &w, 1, STRIA_GRAD_UNUSED, &grad, &err), STRIA_ERR_ARGUMENT, "backward", "mul",
            "freed");
    RELEASE(x, w, total);
}

/* A graph that was freed is refused, also where inputs are named that it leads to; a gradient is of the device of its tensor, and is
 * another one. */
static void check_refused_walks(void)
{
    stria_tensor *x = new_leaf(1, SHAPE(2), (double[]){5, 7}), *y, *z, *meta, *view;

    OK(stria_exp(x, &y, NULL));
    z = sum(y);
    OK(backward(z, 0, NULL));
    REFUSED(stria_backward(&z, 1, NULL, &x, 1, 0, &err), STRIA_ERR_ARGUMENT, "backward", "exp", "freed");
    RELEASE(z);
    OK(stria_exp(x, &z, NULL));
    OK(stria_zeros(SHAPE(2), 1, STRIA_F64, (stria_device){STRIA_DEVICE_META, 0}, &meta, NULL));
    REFUSED(stria_backward(&z, 1, &meta, NULL, 0, 0, &err), STRIA_ERR_DEVICE, "backward", "gradient", "meta");
    REFUSED(stria_tensor_set_grad(x, x, &err), STRIA_ERR_ARGUMENT, "grad", "grad", "not its own gradient");
    OK(stria_slice(x, 0, 0, 2, 1, &view, NULL));
    REFUSED(stria_tensor_set_grad(x, view, &err), STRIA_ERR_ARGUMENT, "grad", "grad", "not its own gradient");
    RELEASE(x, y, z, meta, view);
}

/* A checkpoint twice differentiated, within another one. */
static stria_status run_cube(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                             int n_outputs, stria_error *err)
{
    stria_tensor *square = NULL;
    stria_status  status;

    if (context == NULL) return stria_checkpoint(run_cube, &square, NULL, inputs, n_inputs, outputs, n_outputs, err);
    status = stria_mul(inputs[0], inputs[0], &square, err);
    if (status == STRIA_OK) status = stria_mul(square, inputs[0], &outputs[0], err);
    stria_tensor_release(square);
    return status;
}

static void check_nested_checkpoint(void)
{
    stria_tensor *x = new_leaf(0, NULL, (double[]){2}), *y, *first;

    OK(stria_checkpoint(run_cube, NULL, NULL, &x, 1, &y, 1, NULL));
    OK(stria_grad(&y, 1, NULL, &x, 1, STRIA_GRAD_CREATE, &first, NULL));
    HAS(first, 12);
    OK(backward(first, 0, NULL));
    HAS(GRAD(x), 12);
    RELEASE(x, y, first);
}

/* ---------------------------------------------------------------- threads */

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#define STEPS 200

static void *train(void *shared)
{
    stria_tensor *own = new_leaf(1, SHAPE(2), (double[]){1, 2}), *y, *z;

    for (int k = 0; k < STEPS; k++) {
        OK(stria_mul(own, shared, &y, NULL));
        OK(stria_exp(y, &z, NULL));
        RELEASE(y);
        OK(stria_mul(z, shared, &y, NULL));
        OK(backward_sum(y, 0, NULL));
        RELEASE(z);
    }
    HAS(GRAD(own), STEPS * exp(1), STEPS * exp(2));
    RELEASE(own);
    return NULL;
}

static void check_threads(void)
{
    stria_tensor *shared = new_leaf(0, NULL, (double[]){1});
    pthread_t     threads[4];

    for (int k = 0; k < 4; k++) CHECK(pthread_create(&threads[k], NULL, train, shared) == 0, "no thread");
    for (int k = 0; k < 4; k++) pthread_join(threads[k], NULL);
    const double one = 2 * exp(1) + 3 * exp(2), got = *(const double *)stria_tensor_get_const_data(GRAD(shared));
    CHECK(fabs(got - 4 * STEPS * one) < 1e-8 * got, "%.17g of a shared leaf", got);
    RELEASE(shared);
}
#else
static void check_threads(void) {}
#endif

/* ---------------------------------------------------------------- memory that ends */

static stria_tensor *leaf;

/* Forward, backward, second order: *out is a gradient. */
static stria_status run_all(stria_tensor **out, stria_error *err)
{
    stria_tensor *x = NULL, *y = NULL, *z = NULL, *t = NULL, *first = NULL, *total = NULL;
    stria_status  status = stria_mul(leaf, leaf, &x, err);

    if (status == STRIA_OK) status = stria_apply_out(STRIA_OP_neg, (const stria_tensor *[]){x}, 1, x, err);
    if (status == STRIA_OK) status = stria_transpose(x, 0, 1, &t, err);
    if (status == STRIA_OK) status = stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){t, leaf}, 2, t, err);
    if (status == STRIA_OK) status = stria_matmul(x, leaf, &y, err);
    if (status == STRIA_OK) status = stria_mean(y, NULL, 0, false, &z, err);
    if (status == STRIA_OK) status = stria_grad(&z, 1, NULL, &leaf, 1, STRIA_GRAD_CREATE, &first, err);
    if (status == STRIA_OK) status = stria_sum(first, NULL, 0, false, &total, err);
    if (status == STRIA_OK) status = stria_grad(&total, 1, NULL, &leaf, 1, 0, out, err);
    RELEASE(x, y, z, t, first, total);
    return status;
}

static void check_memory(void)
{
    leaf = new_leaf(2, SHAPE(2, 2), (double[]){0.1, 0.2, 0.3, 0.4});
    stria_tensor *warm = NULL;
    OK(run_all(&warm, NULL)); /* formulas that are kept are made */
    RELEASE(warm);
    oom_check_path("gradients", run_all);
    RELEASE(leaf);
}

SUITE(test_gradients_walk)
{
    check_long();
    check_frees();
    check_hooks();
    check_own_hooks();
    check_answers();
    check_failed();
    check_memory_of_grad();
    check_memory_of_hook();
    check_checkpoint();
    check_nested_checkpoint();
    check_checkpoint_of_inputs();
    check_refused_walks();
    check_threads();
    check_memory();
    return check_finish("test_gradients_walk");
}
