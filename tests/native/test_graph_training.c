/* test_graph_training.c - whole steps of training as graphs: parameters, states, gradients, numbers and generators are what the calls make of
 * them, bit for bit, step after step. */

#include "graph_case.h"
#include "suite.h"

/* ---------------------------------------------------------------- a network, twice */

#define N_PARAMS 4

typedef enum zeroing { ZERO_FIRST, ZERO_LAST, ZERO_IN_PLACE, ZERO_NEVER, ZERO_WAYS } zeroing;
typedef enum rule { ADAM, SGD, RULES } rule;

typedef struct network {
    stria_tensor    *params[N_PARAMS], *first[N_PARAMS], *second[N_PARAMS];
    stria_generator *random;
    rule             rule;
    zeroing          zeroing;
    int64_t          step;
} network;

static void begin(network *n, rule by, zeroing zeroing)
{
    static const int64_t shapes[N_PARAMS][2] = {{3, 5}, {5, 0}, {5, 2}, {2, 0}};

    *n = (network){.rule = by, .zeroing = zeroing};
    OK(stria_generator_new(17, &n->random, NULL));
    for (int k = 0; k < N_PARAMS; k++) {
        const int ndim = shapes[k][1] > 0 ? 2 : 1;
        OK(stria_tensor_new(STRIA_F32, ndim, shapes[k], &n->params[k], NULL));
        float *at = stria_tensor_get_data(n->params[k]);
        for (int64_t i = 0; i < n->params[k]->numel; i++) at[i] = (float)((i * 7 + k) % 11 - 5) / 8;
        OK(stria_zeros_like(n->params[k], STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &n->first[k], NULL));
        OK(stria_zeros_like(n->params[k], STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &n->second[k], NULL));
        OK(stria_tensor_set_requires_grad(n->params[k], true, NULL));
    }
}

static void end(network *n)
{
    release_all(N_PARAMS, n->params), release_all(N_PARAMS, n->first), release_all(N_PARAMS, n->second);
    stria_generator_release(n->random);
}

static void zero(const network *n)
{
    for (int k = 0; k < N_PARAMS; k++) {
        stria_tensor *grad = n->zeroing == ZERO_IN_PLACE ? GRAD(n->params[k]) : NULL;
        if (grad != NULL)
            OK(stria_fill_out(grad, (stria_scalar){.kind = STRIA_SCALAR_INT}, grad, NULL));
        else if (n->zeroing != ZERO_IN_PLACE)
            OK(stria_tensor_set_grad(n->params[k], NULL, NULL));
    }
}

static stria_tensor *get_loss(const network *n, const stria_tensor *x, const stria_tensor *y)
{
    stria_tensor *a, *b, *h, *d, *c, *z, *loss;

    OK(stria_matmul(x, n->params[0], &a, NULL));
    OK(stria_add(a, n->params[1], &b, NULL));
    OK(stria_tanh(b, &h, NULL));
    OK(stria_dropout(h, 0.25, true, n->random, &d, NULL));
    OK(stria_matmul(d, n->params[2], &c, NULL));
    OK(stria_add(c, n->params[3], &z, NULL));
    OK(stria_mse_loss(z, y, "mean", &loss, NULL));
    RELEASE(a, b, h, d, c, z);
    return loss;
}

/* r: of the recording, whose number 0 is the step. */
static void update(network *n, stria_recording *r)
{
    stria_tensor *grads[N_PARAMS];
    stria_grad_mode_set(false);
    for (int k = 0; k < N_PARAMS; k++) grads[k] = GRAD(n->params[k]);
#define ALL(list) (list), N_PARAMS
    const stria_tensor *const *from = (const stria_tensor *const *)grads;
    if (n->rule == ADAM)
        OK(stria_adam(ALL(n->params), ALL(from), ALL(n->first), ALL(n->second), NULL, 0, n->step, .01, .9, .999, 1e-8,
                      0, false, NULL));
    else
        OK(stria_sgd(ALL(n->params), ALL(from), ALL(n->first), .05, .9, 0, 1e-4, true, false, n->step == 1, NULL));
    int index;
    if (r != NULL) OK(stria_recording_add_number(r, n->rule == ADAM ? "step" : "is_first_step", &index, NULL));
    stria_grad_mode_set(true);
}

static stria_tensor *run_step(network *n, const stria_tensor *x, const stria_tensor *y, stria_recording *r)
{
    n->step++;
    if (n->zeroing == ZERO_FIRST || n->zeroing == ZERO_IN_PLACE) zero(n);
    stria_tensor *loss = get_loss(n, x, y);
    OK(backward(loss, 0, NULL));
    update(n, r);
    if (n->zeroing == ZERO_LAST) zero(n);
    return loss;
}

static stria_graph *record(network *n, const stria_tensor *x, const stria_tensor *y)
{
    stria_tensor    *sx, *sy, *loss, *before[N_PARAMS];
    stria_recording *r;
    stria_graph     *g = NULL;
    stria_error      err;

    for (int k = 0; k < N_PARAMS; k++) before[k] = GRAD(n->params[k]);
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &sx, NULL));
    OK(stria_recording_add_input(r, y, &sy, NULL));
    loss = run_step(n, sx, sy, r);
    n->step--;
    const stria_status status = stria_recording_end(r, &loss, 1, &g, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    for (int k = 0; k < N_PARAMS; k++)
        CHECK(GRAD(n->params[k]) == before[k], "a recording leaves gradients as they were");
    RELEASE(sx, sy, loss);
    return g;
}

/* ---------------------------------------------------------------- 100 steps */

static stria_tensor *new_batch(int64_t columns, int64_t step)
{
    stria_tensor *x;

    OK(stria_tensor_new(STRIA_F32, 2, SHAPE(8, columns), &x, NULL));
    for (int64_t i = 0; i < x->numel; i++) ((float *)(void *)x->data)[i] = (float)((i * 5 + step * 3) % 17 - 8) / 8;
    return x;
}

static void compare(const network *a, const network *b, int64_t step)
{
    for (int k = 0; k < N_PARAMS; k++)
        CHECK(has_same_bits(a->params[k], b->params[k]) && has_same_bits(a->first[k], b->first[k]) &&
                  has_same_bits(a->second[k], b->second[k]) && has_same_bits(GRAD(a->params[k]), GRAD(b->params[k])),
              "rule %d, zeroing %d, step %lld: parameter %d", a->rule, a->zeroing, (long long)step, k);
}

/* A training step goes through a file, and on from where it was. */
static stria_graph *save_and_load(stria_graph *g, rule by)
{
    void        *bytes;
    size_t       nbytes;
    stria_graph *loaded = NULL;
    stria_error  err;

    OK(stria_graph_save(g, NULL, 0, &bytes, &nbytes, NULL));
    const stria_status status = stria_graph_load(bytes, nbytes, &loaded, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    stria_bytes_release(bytes);
    const stria_graph_number_info number = stria_graph_get_number_info(loaded, 0);
    CHECK(strcmp(number.name, by == ADAM ? "step" : "is_first_step") == 0, "%s", number.name);
    CHECK(number.value == 1 && number.change == (by == ADAM ? 1 : -1), "%g %d", number.value, number.change);
    CHECK(stria_graph_get_number_info(loaded, 1).name == NULL && stria_graph_get_number_info(g, -1).name == NULL, "no");
    return loaded;
}

static void check_loaded(stria_graph *loaded, const stria_tensor *x, const stria_tensor *y, double number,
                         const stria_tensor *expected)
{
    stria_tensor *loss = NULL, *in[] = {(stria_tensor *)(uintptr_t)x, (stria_tensor *)(uintptr_t)y};

    OK(stria_graph_run_with(loaded, in, 2, &number, 1, &loss, NULL));
    CHECK(has_same_bits(loss, expected), "loss of a loaded step");
    stria_tensor_release(loss);
}

static void check_training(rule by, zeroing zeroing)
{
    stria_graph *loaded = NULL;
    network      eager, compiled;
    stria_graph *g = NULL;
    stria_error  err;

    begin(&eager, by, zeroing), begin(&compiled, by, zeroing);
    for (int64_t step = 1; step <= 100; step++) {
        stria_tensor *x = new_batch(3, step), *y = new_batch(2, step), *loss = NULL;
        stria_tensor *expected = run_step(&eager, x, y, NULL);
        const double  number = by == ADAM ? (double)step : step == 1;
        if (g == NULL) g = record(&compiled, x, y);
        const unsigned version = atomic_load(&compiled.params[0]->storage->version);
        stria_status   status = stria_graph_run_with(g, (stria_tensor *[]){x, y}, 2, &number, 1, &loss, &err);
        if (step == 2 && zeroing >= ZERO_IN_PLACE) { /* it was recorded without gradients */
            CHECK(status == STRIA_ERR_ARGUMENT && strcmp(err.argument, "grad") == 0, "%s", err.message);
            stria_graph_release(g);
            g = record(&compiled, x, y);
            status = stria_graph_run_with(g, (stria_tensor *[]){x, y}, 2, &number, 1, &loss, &err);
        }
        CHECK(status == STRIA_OK, "step %lld: %s", (long long)step, err.message);
        CHECK(atomic_load(&compiled.params[0]->storage->version) > version, "a parameter has a new version");
        CHECK(status != STRIA_OK || has_same_bits(loss, expected), "loss of step %lld", (long long)step);
        compare(&eager, &compiled, step);
        if (loaded != NULL) check_loaded(loaded, x, y, number, expected);
        if (step == 50 && (zeroing == ZERO_FIRST || zeroing == ZERO_LAST)) loaded = save_and_load(g, by);
        RELEASE(x, y, loss, expected);
    }
    stria_graph_release(loaded);
    stria_graph_release(g);
    end(&eager), end(&compiled);
}

/* ---------------------------------------------------------------- what is refused */

static void check_refusals(void)
{
    network          n;
    stria_tensor    *x = new_batch(3, 1), *y = new_batch(2, 1), *s, *t, *out;
    stria_recording *r;
    int              index;

    begin(&n, ADAM, ZERO_FIRST);
    stria_graph *g = record(&n, x, y);
    CHECK(stria_graph_get_info(g).n_numbers == 1, "one number");
    REFUSED(stria_graph_run_with(g, (stria_tensor *[]){x, y}, 2, (double[]){1, 2}, 2, &out, &err), STRIA_ERR_ARGUMENT,
            "graph", "n_numbers", "takes 1 numbers, got 2");
    REFUSED(stria_graph_run_with(g, (stria_tensor *[]){x, y}, 2, (double[]){0}, 1, &out, &err), STRIA_ERR_ARGUMENT,
            "adam", "step", "step is 0");
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &s, NULL));
    REFUSED(stria_recording_add_number(r, "dim", &index, &err), STRIA_ERR_ARGUMENT, "recording", "attribute",
            "has no number dim");
    OK(stria_tanh(s, &t, NULL));
    REFUSED(stria_recording_add_number(r, NULL, &index, &err), STRIA_ERR_ARGUMENT, "recording", "attribute",
            "has no number");
    REFUSED(stria_graph_run(g, (stria_tensor *[]){x, y}, 2, &out, &err), STRIA_ERR_UNSUPPORTED, "graph", "",
            "does not run while its thread records");
    stria_recording_cancel(r);
    RELEASE(s, t, x, y);
    stria_graph_release(g);
    end(&n);
}

/* ---------------------------------------------------------------- gradients that are left */

/* The gradient of w, a leaf, of the sum of x w, for all x of this shape; run once. */
static stria_graph *record_gradient(stria_tensor *w, stria_tensor *x, stria_tensor **out)
{
    stria_tensor    *s, *y, *loss;
    stria_graph     *g = NULL;
    stria_recording *r = record_inputs(&x, 1, &s);

    OK(stria_tensor_set_grad(w, NULL, NULL));
    OK(stria_mul(s, w, &y, NULL));
    loss = sum(y);
    OK(backward(loss, 0, NULL));
    OK(stria_recording_end(r, &loss, 1, &g, NULL));
    OK(stria_graph_run(g, &x, 1, out, NULL));
    RELEASE(s, y, loss);
    return g;
}

/* The gradient of the run before does not stand beside that of this one, unless somebody holds it: as where calls clear it first. */
static void check_memory(void)
{
    enum { N = 512 };
    stria_tensor *x, *w, *loss;

    OK(stria_ones(SHAPE(N, N), 2, STRIA_F32, STRIA_CPU, &x, NULL));
    OK(stria_ones(SHAPE(N, N), 2, STRIA_F32, STRIA_CPU, &w, NULL));
    OK(stria_tensor_set_requires_grad(w, true, NULL));
    stria_graph *g = record_gradient(w, x, &loss);
    stria_tensor_release(loss);
    stria_memory_release_cache();
    stria_memory_set_limit(stria_memory_get_stats().live_bytes + sizeof(float[N][N]) / 2);
    OK(stria_graph_run(g, &x, 1, &loss, NULL));
    CHECK(GRAD(w) != NULL && *(const float *)stria_tensor_get_const_data(GRAD(w)) == 1, "the gradient");
    stria_tensor *held = stria_tensor_retain(GRAD(w)), *none = NULL;
    stria_memory_release_cache();
    REFUSED(stria_graph_run(g, &x, 1, &none, &err), STRIA_ERR_MEMORY, "graph", "",
            "no memory to run the graph, which takes 1048");
    CHECK(GRAD(w) == NULL && none == NULL, "what is refused leaves no gradient");
    stria_memory_set_limit(0);
    CHECK(*(const float *)stria_tensor_get_const_data(held) == 1, "what somebody holds stays");
    OK(stria_graph_run(g, &x, 1, &none, NULL));
    RELEASE(x, w, loss, held, none);
    stria_graph_release(g);
}

/* A run may be given the gradient that it replaces, by the handle that the leaf holds. */
static void check_given(void)
{
    stria_tensor *x = new_vector(5000), *w = new_vector(5000), *out;

    OK(stria_tensor_set_requires_grad(w, true, NULL));
    stria_graph *g = record_gradient(w, x, &out);
    stria_tensor_release(out);
    for (int k = 0; k < 3; k++) {
        stria_tensor *given = GRAD(w);
        OK(stria_graph_run(g, &given, 1, &out, NULL));
        CHECK(has_same_bits(GRAD(w), x), "the gradient is what the run was given");
        stria_tensor_release(out);
    }
    RELEASE(x, w);
    stria_graph_release(g);
}

/* What comes after a symbol is a tensor with elements, which the graph holds. */
static void check_held_gradient(void)
{
    stria_tensor    *x = new_vector(40), *w = new_vector(40), *after = new_vector(40), *s, *y, *z, *expected;
    stria_recording *r;
    stria_graph     *g = NULL;
    stria_error      err;

    OK(stria_tensor_set_requires_grad(w, true, NULL));
    OK(stria_mul(x, w, &y, NULL));
    OK(stria_tanh(y, &z, NULL));
    OK(stria_backward(&z, 1, &after, NULL, 0, 0, NULL));
    expected = stria_tensor_retain(GRAD(w));
    OK(stria_tensor_set_grad(w, NULL, NULL));
    RELEASE(y, z);
    r = record_inputs(&x, 1, &s);
    OK(stria_mul(s, w, &y, NULL));
    OK(stria_tanh(y, &z, NULL));
    const stria_status status = stria_backward(&z, 1, &after, NULL, 0, 0, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    OK(stria_recording_end(r, NULL, 0, &g, NULL));
    OK(stria_graph_run(g, &x, 1, NULL, NULL));
    CHECK(has_same_bits(GRAD(w), expected), "from a gradient that is held");
    RELEASE(x, w, after, s, y, z, expected);
    stria_graph_release(g);
}

/* A history does not leave the recording: what is written with one is as it was. */
static void check_written(void)
{
    stria_tensor    *x = new_vector(40), *w = new_vector(40), *h = new_vector(40), *s, *y;
    stria_recording *r;
    stria_graph     *g;

    OK(stria_tensor_set_requires_grad(w, true, NULL));
    for (int is_input = 0; is_input < 2; is_input++) {
        r = record_inputs(&x, 1, &s);
        y = is_input ? s : h;
        OK(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){y, w}, 2, y, NULL));
        REFUSED(stria_recording_end(r, NULL, 0, &g, &err), STRIA_ERR_ARGUMENT, "recording", "x",
                is_input ? "an input was written with a value that requires a gradient"
                         : "a captured tensor was written with a value that requires a gradient");
        CHECK(g == NULL && !stria_tensor_get_requires_grad(y), "no history");
        stria_tensor_release(s);
    }
    r = record_inputs(&x, 1, &s);
    OK(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){h, w}, 2, h, NULL));
    stria_recording_cancel(r);
    CHECK(!stria_tensor_get_requires_grad(h), "no history of a recording that was cancelled");
    RELEASE(x, w, h, s);
}

/* ---------------------------------------------------------------- results that look at inputs and at what is held */

static void check_views(void)
{
    static const double values[] = {1, 2, 3, 4, 5, 6};
    stria_tensor       *x, *w, *s, *symbols[4], *outs[4], *turned;
    stria_recording    *r;
    stria_graph        *g;

    OK(stria_tensor_new_copy_of(STRIA_F64, 2, SHAPE(2, 3), values, sizeof values, &x, NULL));
    OK(stria_tensor_new_copy_of(STRIA_F64, 2, SHAPE(2, 3), values, sizeof values, &w, NULL));
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &s, NULL));
    OK(stria_select(s, 0, 1, &symbols[0], NULL));
    OK(stria_select(w, 1, 2, &symbols[1], NULL));
    symbols[2] = stria_tensor_retain(s);
    OK(stria_exp(symbols[0], &symbols[3], NULL));
    OK(stria_recording_end(r, symbols, 4, &g, NULL));
    OK(stria_graph_run(g, &x, 1, outs, NULL));
    CHECK(outs[2] == x && outs[0]->storage == x->storage && outs[1]->storage == w->storage, "views are views");
    HAS(outs[0], 4, 5, 6), HAS(outs[1], 3, 6);
    /* in place of a view: the history of its base */
    stria_tensor *leaf = new_leaf(1, SHAPE(3), values), *y;
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){outs[0], leaf}, 2, outs[0], NULL));
    OK(stria_sum(x, NULL, 0, false, &y, NULL));
    OK(backward(y, 0, NULL));
    HAS(GRAD(leaf), 1, 1, 1);
    OK(stria_transpose(x, 0, 1, &turned, NULL));
    stria_tensor *like; /* of the shape, but with other strides */
    OK(stria_contiguous(turned, &like, NULL));
    RELEASE(turned);
    OK(stria_transpose(like, 0, 1, &turned, NULL));
    bool was = stria_grad_mode_set(false);
    REFUSED(stria_graph_run(g, &turned, 1, (stria_tensor *[4]){NULL}, &err), STRIA_ERR_ARGUMENT, "graph", "in[0]",
            "is part of a result, and has strides [1,2]");
    stria_grad_mode_set(was);
    release_all(4, symbols), release_all(4, outs);
    RELEASE(x, w, s, leaf, y, turned, like);
    stria_graph_release(g);
}

SUITE(test_graph_training)
{
    const stria_memory_stats before = stria_memory_get_stats();

    check_isa("test_graph_training");
    for (rule by = ADAM; by < RULES; by++)
        for (zeroing way = ZERO_FIRST; way < ZERO_WAYS; way++) check_training(by, way);
    check_refusals();
    check_memory();
    check_given();
    check_held_gradient();
    check_written();
    check_views();
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_storages == before.live_storages, "%lld storages are left",
          (long long)(after.live_storages - before.live_storages));
    return check_finish("test_graph_training");
}
