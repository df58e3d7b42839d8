/* hash_training.c - hashes of what training leaves: parameters after all steps, which every target must reproduce bit for bit where no
 * matrix product is in the way. Where one is, they lie within a bound of those of the same network without: so do any two targets.
 * tests/js/training_bits.test.ts trains the same. */
#include <stdlib.h>

#include "gradients.h"
#include "hash.h"

enum { FEATURES = 5, HIDDEN = 7, MOST_PARAMS = 6, MOST_MADE = 32 };

/* One way to train a network. */
typedef struct plan {
    const char *name; /* of the line */
    void (*step)(stria_tensor *const *params, const stria_tensor *const *grads,
                 stria_tensor *const (*states)[MOST_PARAMS], int n, int64_t step);
    int64_t     n_samples;
    int         n_steps;
    bool        is_polynomial, has_products;
    stria_dtype dtype;
} plan;

typedef struct training {
    const plan      *plan;
    stria_generator *random;
    stria_tensor    *x, *y; /* [n_samples, FEATURES], [n_samples, 1] */
    stria_tensor    *params[MOST_PARAMS], *states[2][MOST_PARAMS];
    int              n_params;
    stria_tensor    *made[MOST_MADE]; /* tensors of a step */
    int              n_made;
} training;

/* ---------------------------------------------------------------- steps */

#define STEP(name, call)                                                                    \
    static void step_##name(stria_tensor *const *params, const stria_tensor *const *grads,  \
                            stria_tensor *const(*states)[MOST_PARAMS], int n, int64_t step) \
    {                                                                                       \
        (void)step;                                                                         \
        OK(call);                                                                           \
    }
STEP(sgd, stria_sgd(params, n, grads, n, states[0], n, 0.05, 0.9, 0, 1e-4, true, false, step == 1, NULL))
STEP(adam,
     stria_adam(params, n, grads, n, states[0], n, states[1], n, NULL, 0, step, 0.02, 0.9, 0.999, 1e-8, 0, false, NULL))
STEP(adamw, stria_adamw(params, n, grads, n, states[0], n, states[1], n, NULL, 0, step, 0.02, 0.9, 0.999, 1e-8, 0.01,
                        false, NULL))
STEP(rmsprop, stria_rmsprop(params, n, grads, n, states[0], n, NULL, 0, NULL, 0, 0.01, 0.99, 1e-8, 0, 0, false, NULL))
STEP(adagrad, stria_adagrad(params, n, grads, n, states[0], n, step, 0.05, 0, 0, 1e-10, false, NULL))
#undef STEP

/* ---------------------------------------------------------------- networks */

/* The tensor of a call of this step, released after it. */
#define NEW (&t->made[t->n_made])
static stria_tensor *keep(training *t, stria_status status)
{
    CHECK_STATUS(status, STRIA_OK);
    if (t->n_made + 1 >= MOST_MADE) exit(2);
    return t->made[t->n_made++];
}

/* a [n, k] times b [k, m]; without a matrix product, products added up in the order that all targets have. */
static stria_tensor *multiply(training *t, const stria_tensor *a, const stria_tensor *b)
{
    const int second = 1;

    if (t->plan->has_products) return keep(t, stria_mm(a, b, NEW, NULL));
    const stria_tensor *tall = keep(t, stria_unsqueeze((stria_tensor *)(uintptr_t)a, 2, NEW, NULL));
    const stria_tensor *all = keep(t, stria_mul(tall, b, NEW, NULL));
    return keep(t, stria_sum(all, &second, 1, false, NEW, NULL));
}

static stria_tensor *predict(training *t)
{
    stria_tensor *const *p = t->params;
    const int64_t        width = HIDDEN;

    if (t->plan->is_polynomial) {
        const stria_tensor *terms = keep(t, stria_dropout(t->x, 0.1, true, t->random, NEW, NULL));
        return multiply(t, terms, p[0]);
    }
    stria_tensor *h = multiply(t, t->x, p[0]);
    h = keep(t, stria_add(h, p[1], NEW, NULL));
    h = keep(t, stria_tanh(h, NEW, NULL));
    h = keep(t, stria_dropout(h, 0.2, true, t->random, NEW, NULL));
    h = keep(t, stria_layer_norm(h, p[2], p[3], &width, 1, 1e-5, NEW, NULL));
    h = multiply(t, h, p[4]);
    return keep(t, stria_add(h, p[5], NEW, NULL));
}

static void run_step(training *t, int64_t step)
{
    const stria_tensor *grads[MOST_PARAMS];
    stria_tensor       *y = predict(t);
    stria_tensor       *loss = keep(t, stria_mse_loss(y, t->y, "mean", NEW, NULL));

    OK(backward(loss, 0, NULL));
    for (int k = 0; k < t->n_params; k++) grads[k] = GRAD(t->params[k]);
    t->plan->step(t->params, grads, (stria_tensor *const(*)[MOST_PARAMS])t->states, t->n_params, step);
    for (int k = 0; k < t->n_params; k++) OK(stria_tensor_set_grad(t->params[k], NULL, NULL));
    release_all(t->n_made, t->made);
    memset(t->made, 0, sizeof t->made);
    t->n_made = 0;
}

/* ---------------------------------------------------------------- a whole training */

static void add_parameter(training *t, int ndim, const int64_t *shape)
{
    stria_tensor *x = NULL;

    OK(stria_rand(shape, ndim, t->plan->dtype, STRIA_CPU, t->random, &x, NULL));
    for (int k = 0; k < 2; k++)
        OK(stria_zeros_like(x, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &t->states[k][t->n_params], NULL));
    OK(stria_tensor_set_requires_grad(x, true, NULL));
    t->params[t->n_params++] = x;
}

static void start(training *t)
{
    const plan   *p = t->plan;
    const int     second = 1;
    stria_tensor *total = NULL;

    OK(stria_generator_new(2024, &t->random, NULL));
    OK(stria_randn(SHAPE(p->n_samples, FEATURES), 2, p->dtype, STRIA_CPU, t->random, &t->x, NULL));
    OK(stria_sum(t->x, &second, 1, true, &total, NULL));
    OK(stria_sin(total, &t->y, NULL));
    RELEASE(total);
    if (p->is_polynomial) {
        add_parameter(t, 2, SHAPE(FEATURES, 1));
        return;
    }
    add_parameter(t, 2, SHAPE(FEATURES, HIDDEN));
    for (int k = 0; k < 3; k++) add_parameter(t, 1, SHAPE(HIDDEN));
    add_parameter(t, 2, SHAPE(HIDDEN, 1));
    add_parameter(t, 1, SHAPE(1));
}

/* All parameters, one behind another. */
static stria_tensor *train(const void *call)
{
    training      t = {.plan = call};
    stria_tensor *flat[MOST_PARAMS], *y = NULL;

    start(&t);
    for (int k = 1; k <= t.plan->n_steps; k++) run_step(&t, k);
    const bool was = stria_grad_mode_set(false);
    for (int k = 0; k < t.n_params; k++) OK(stria_flatten(t.params[k], 0, -1, &flat[k], NULL));
    OK(stria_cat((const stria_tensor *const *)flat, t.n_params, 0, &y, NULL));
    stria_grad_mode_set(was);
    release_all(t.n_params, flat);
    release_all(t.n_params, t.params);
    for (int k = 0; k < 2; k++) release_all(t.n_params, t.states[k]);
    RELEASE(t.x, t.y);
    stria_generator_release(t.random);
    return y;
}

static double get_number(const stria_tensor *x, int64_t k)
{
    return x->dtype == STRIA_F64 ? ((const double *)(const void *)x->data)[k]
                                 : (double)((const float *)(const void *)x->data)[k];
}

/* The same network with matrix products: parameters near those without. */
static void check_products(const plan *p)
{
    plan          with = *p;
    const double  bound = p->dtype == STRIA_F32 ? 1e-4 : 1e-11;
    stria_tensor *expected = train(p);

    with.has_products = true;
    stria_tensor *got = train(&with);
    for (int64_t k = 0; k < expected->numel; k++) {
        const double x = get_number(got, k), y = get_number(expected, k);
        CHECK(x - y <= bound && y - x <= bound, "%s.%s with products: %.17g, without %.17g", p->name,
              stria_dtype_get_name(p->dtype), x, y);
    }
    RELEASE(expected, got);
}

void hash_training(void)
{
    static const plan plans[] = {
        {.name = "training.polynomial", .step = step_adam, .n_samples = 301, .n_steps = 200, .is_polynomial = true},
        {.name = "training.sgd", .step = step_sgd, .n_samples = 101, .n_steps = 30},
        {.name = "training.adam", .step = step_adam, .n_samples = 101, .n_steps = 30},
        {.name = "training.rmsprop", .step = step_rmsprop, .n_samples = 101, .n_steps = 30},
        {.name = "training.adagrad", .step = step_adagrad, .n_samples = 101, .n_steps = 30},
        {.name = "training.adamw",
         .step = step_adamw,
         .n_samples = 2503,
         .n_steps = 5}, /* threads share [2503, 5, 7] */
    };

    for (int d = STRIA_F32; d <= STRIA_F64; d++)
        for (int k = 0; k < (int)(sizeof plans / sizeof *plans); k++) {
            plan one = plans[k];
            one.dtype = (stria_dtype)d;
            hash_add_line(one.name, one.dtype, STRIA_DTYPE_NONE,
                          hash_threads(train, &one, HASH_BEGIN, one.name, one.dtype));
            check_products(&one);
        }
}
