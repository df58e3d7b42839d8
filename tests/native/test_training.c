/* test_training.c - against PyTorch, by the file that tests/data/training.py wrote: steps of optimisers from given gradients, and small
 * networks that learn, step by step. */
#include <stdlib.h>

#include "gradients.h"
#include "json.h"

#define PATH "tests/data/training.json"
#define MOST 8 /* parameters */

/* ---------------------------------------------------------------- the file */

static double number_of(const json *options, const char *key, double usual)
{
    const json *found = json_get(options, key);
    return found != NULL ? found->number : usual;
}

/* {"shape": [..], "values": [..]} as a tensor. */
static stria_tensor *read_tensor(const json *from, stria_dtype dtype)
{
    const json   *shape = json_get(from, "shape"), *values = json_get(from, "values"), *item;
    int64_t       sizes[STRIA_MAX_DIMS];
    int           ndim = 0;
    int64_t       k = 0;
    stria_tensor *wide = NULL, *x = NULL;

    CHECK(shape != NULL && values != NULL, "no tensor in the file");
    if (shape == NULL || values == NULL) return NULL;
    for (item = shape->first; item != NULL; item = item->next) sizes[ndim++] = item->integer;
    CHECK_STATUS(stria_tensor_new(STRIA_F64, ndim, sizes, &wide, NULL), STRIA_OK);
    for (item = values->first; item != NULL && k < wide->numel; item = item->next)
        ((double *)(void *)wide->data)[k++] = item->number;
    CHECK(k == wide->numel && item == NULL, "%lld values", (long long)k);
    CHECK_STATUS(stria_to(wide, dtype, &x, NULL), STRIA_OK);
    stria_tensor_release(wide);
    return x;
}

static stria_tensor *new_filled(const stria_tensor *x, double value)
{
    stria_tensor *y = NULL;

    CHECK_STATUS(stria_full_like(x, (stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = value}, x->dtype,
                                 STRIA_DEVICE_NONE, &y, NULL),
                 STRIA_OK);
    return y;
}

static double get_double(const stria_tensor *x, int64_t k)
{
    return x->dtype == STRIA_F64 ? ((const double *)(const void *)x->data)[k]
                                 : (double)((const float *)(const void *)x->data)[k];
}

/* ---------------------------------------------------------------- a step, from the names and options of torch.optim */

typedef struct trained {
    const char   *optimizer;
    const json   *options;
    int           n;
    int64_t       step;
    stria_tensor *params[MOST], *grads[MOST], *states[3][MOST];
} trained;

static void start_states(trained *t)
{
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < t->n; m++)
            t->states[k][m] = new_filled(t->params[m], number_of(t->options, "initial_accumulator_value", 0));
}

static void end_trained(trained *t)
{
    for (int m = 0; m < t->n; m++) {
        stria_tensor_release(t->params[m]);
        for (int k = 0; k < 3; k++) stria_tensor_release(t->states[k][m]);
    }
}

static void run_step(trained *t)
{
    const json  *o = t->options, *betas = json_get(o, "betas");
    const bool   maximize = json_get_bool(o, "maximize", false), amsgrad = json_get_bool(o, "amsgrad", false);
    const bool   centered = json_get_bool(o, "centered", false);
    const double beta1 = betas != NULL ? json_at(betas, 0)->number : 0.9;
    const double beta2 = betas != NULL ? json_at(betas, 1)->number : 0.999;
    const double momentum = number_of(o, "momentum", 0), decay = number_of(o, "weight_decay", 0);
    const bool   is_adamw = strcmp(t->optimizer, "AdamW") == 0;

#define INTO(list) list, t->n
#define FROM(list) (const stria_tensor *const *)list, t->n
#define MAYBE(list, is_used) (is_used) ? list : NULL, (is_used) ? t->n : 0
    t->step++;
    if (strcmp(t->optimizer, "SGD") == 0)
        CHECK_STATUS(stria_sgd(INTO(t->params), FROM(t->grads), MAYBE(t->states[0], momentum != 0),
                               number_of(o, "lr", 0), momentum, number_of(o, "dampening", 0), decay,
                               json_get_bool(o, "nesterov", false), maximize, t->step == 1, NULL),
                     STRIA_OK);
    else if (is_adamw)
        CHECK_STATUS(stria_adamw(INTO(t->params), FROM(t->grads), INTO(t->states[0]), INTO(t->states[1]),
                                 MAYBE(t->states[2], amsgrad), t->step, number_of(o, "lr", 1e-3), beta1, beta2,
                                 number_of(o, "eps", 1e-8), number_of(o, "weight_decay", 0.01), maximize, NULL),
                     STRIA_OK);
    else if (strcmp(t->optimizer, "Adam") == 0)
        CHECK_STATUS(stria_adam(INTO(t->params), FROM(t->grads), INTO(t->states[0]), INTO(t->states[1]),
                                MAYBE(t->states[2], amsgrad), t->step, number_of(o, "lr", 1e-3), beta1, beta2,
                                number_of(o, "eps", 1e-8), decay, maximize, NULL),
                     STRIA_OK);
    else if (strcmp(t->optimizer, "RMSprop") == 0)
        CHECK_STATUS(stria_rmsprop(INTO(t->params), FROM(t->grads), INTO(t->states[0]),
                                   MAYBE(t->states[1], momentum != 0), MAYBE(t->states[2], centered),
                                   number_of(o, "lr", 0.01), number_of(o, "alpha", 0.99), number_of(o, "eps", 1e-8),
                                   decay, momentum, maximize, NULL),
                     STRIA_OK);
    else
        CHECK_STATUS(stria_adagrad(INTO(t->params), FROM(t->grads), INTO(t->states[0]), t->step,
                                   number_of(o, "lr", 0.01), number_of(o, "lr_decay", 0), decay,
                                   number_of(o, "eps", 1e-10), maximize, NULL),
                     STRIA_OK);
}

static void check_close(const stria_tensor *got, const json *expected, double bound, const char *what, int64_t step)
{
    stria_tensor *wanted = read_tensor(expected, STRIA_F64);

    for (int64_t k = 0; wanted != NULL && k < wanted->numel; k++) {
        const double x = get_double(got, k), y = get_double(wanted, k);
        CHECK(fabs(x - y) <= bound * (1 + fabs(y)), "%s, step %lld, element %lld: %.17g, PyTorch has %.17g", what,
              (long long)step, (long long)k, x, y);
    }
    stria_tensor_release(wanted);
}

/* ---------------------------------------------------------------- given gradients */

static void check_optimizer(const json *row, stria_dtype dtype, double bound)
{
    const json *params = json_get(row, "params"), *grads = json_get(row, "grads"), *after = json_get(row, "after");
    trained     t = {.optimizer = json_get_string(row, "name", ""), .options = json_get(row, "options")};

    t.n = params->count;
    for (int m = 0; m < t.n; m++) t.params[m] = read_tensor(json_at(params, m), dtype);
    start_states(&t);
    for (int step = 0; step < grads->count; step++) {
        for (int m = 0; m < t.n; m++) t.grads[m] = read_tensor(json_at(json_at(grads, step), m), dtype);
        run_step(&t);
        for (int m = 0; m < t.n; m++) {
            check_close(t.params[m], json_at(json_at(after, step), m), bound, t.optimizer, t.step);
            stria_tensor_release(t.grads[m]);
        }
    }
    end_trained(&t);
}

/* ---------------------------------------------------------------- networks */

typedef struct network {
    const char   *name;
    bool          is_class; /* targets are classes */
    double        max_norm; /* 0: any */
    const json   *keys;     /* parameters by their names, in the order of params */
    trained       t;
    stria_tensor *x, *y;
} network;

static stria_tensor *find(const network *net, const char *key)
{
    int k = 0;

    for (const json *item = net->keys->first; item != NULL; item = item->next, k++)
        if (strcmp(item->key, key) == 0) return net->t.params[k];
    CHECK(false, "%s has no %s", net->name, key);
    return NULL;
}

/* The layer of that name on x, which is released. */
static stria_tensor *run_linear(const network *net, stria_tensor *x, const char *weight, const char *bias)
{
    stria_tensor *y = NULL;

    OK(stria_linear(x, find(net, weight), find(net, bias), &y, NULL));
    RELEASE(x);
    return y;
}

static stria_tensor *run_norm(const network *net, stria_tensor *x, const char *weight, const char *bias)
{
    stria_tensor       *y = NULL;
    const stria_tensor *w = find(net, weight);

    OK(stria_layer_norm(x, w, find(net, bias), w->shape, 1, 1e-5, &y, NULL));
    RELEASE(x);
    return y;
}

static stria_tensor *run_activation(const network *net, stria_tensor *x)
{
    static const struct {
        const char *name;
        stria_op    op;
    } all[] = {{"momentum", STRIA_OP_tanh}, {"nesterov", STRIA_OP_relu},   {"adam", STRIA_OP_gelu},
               {"adamw", STRIA_OP_silu},    {"rmsprop", STRIA_OP_sigmoid}, {"adagrad", STRIA_OP_tanh}};
    stria_tensor *y = NULL;

    for (int k = 0; k < (int)(sizeof all / sizeof *all); k++)
        if (strcmp(net->name, all[k].name) == 0)
            OK(stria_apply(all[k].op, (const stria_tensor *const[]){x}, 1, &y, NULL));
    CHECK(y != NULL, "no activation of %s", net->name);
    RELEASE(x);
    return y;
}

static stria_tensor *run_network(const network *net)
{
    const int     second = 1;
    stria_tensor *rows = NULL, *y = NULL;

    if (strcmp(net->name, "embedding") == 0) {
        OK(stria_embedding(find(net, "embedding.weight"), net->x, STRIA_INT_NONE, &rows, NULL));
        OK(stria_mean(rows, &second, 1, false, &y, NULL));
        RELEASE(rows);
        y = run_norm(net, y, "norm.weight", "norm.bias");
        return run_linear(net, y, "output.weight", "output.bias");
    }
    y = run_linear(net, stria_tensor_retain(net->x), "0.weight", "0.bias");
    if (strcmp(net->name, "linear") == 0) return y;
    if (json_get(net->keys, "1.weight") == NULL) return run_linear(net, run_activation(net, y), "2.weight", "2.bias");
    y = run_norm(net, y, "1.weight", "1.bias");
    return run_linear(net, run_activation(net, y), "3.weight", "3.bias");
}

static stria_tensor *get_loss(const network *net)
{
    stria_tensor *y = run_network(net), *loss = NULL;

    if (net->is_class)
        OK(stria_cross_entropy(y, net->y, NULL, "mean", -100, 0, &loss, NULL));
    else
        OK(stria_mse_loss(y, net->y, "mean", &loss, NULL));
    RELEASE(y);
    return loss;
}

static void clip(trained *t, double max_norm)
{
    stria_tensor *norm = NULL;

    OK(stria_total_norm(FROM(t->grads), 2, &norm, NULL));
    OK(stria_clip_grads_with_norm(norm, INTO(t->grads), max_norm, NULL));
    RELEASE(norm);
}

/* One epoch; returns the loss before it. */
static double run_epoch(network *net)
{
    trained      *t = &net->t;
    stria_tensor *loss = get_loss(net);
    const double  value = get_double(loss, 0);

    OK(backward(loss, 0, NULL));
    RELEASE(loss);
    for (int m = 0; m < t->n; m++) t->grads[m] = stria_tensor_get_grad(t->params[m]);
    const bool was = stria_grad_mode_set(false);
    if (net->max_norm > 0) clip(t, net->max_norm);
    run_step(t);
    stria_grad_mode_set(was);
    for (int m = 0; m < t->n; m++) OK(stria_tensor_set_grad(t->params[m], NULL, NULL));
    return value;
}

static void check_network(const json *row, const char *key, stria_dtype dtype, double bound)
{
    const json *expected = json_get(row, key), *losses = json_get(expected, "losses"), *norm = json_get(row, "maxNorm");
    const bool  is_class = strcmp(json_get_string(row, "loss", ""), "cross_entropy") == 0;
    network    net = {.name = json_get_string(row, "name", ""), .is_class = is_class, .keys = json_get(row, "initial")};
    const bool is_token = strcmp(net.name, "embedding") == 0;
    int        k = 0;

    if (norm->type == JSON_NUMBER) net.max_norm = norm->number;
    net.t.optimizer = json_get_string(row, "optimizer", "");
    net.t.options = json_get(row, "options");
    for (const json *item = net.keys->first; item != NULL; item = item->next)
        net.t.params[net.t.n++] = read_tensor(item, dtype);
    start_states(&net.t);
    for (int m = 0; m < net.t.n; m++) OK(stria_tensor_set_requires_grad(net.t.params[m], true, NULL));
    net.x = read_tensor(json_get(row, "inputs"), is_token ? STRIA_I64 : dtype);
    net.y = read_tensor(json_get(row, "targets"), is_class ? STRIA_I64 : dtype);
    CHECK(losses->count == 30, "%s: %d losses", net.name, losses->count);
    for (const json *item = losses->first; item != NULL; item = item->next, k++) {
        const double loss = run_epoch(&net);
        CHECK(fabs(loss - item->number) <= bound * (1 + fabs(item->number)),
              "%s of %s, step %d: %.17g, PyTorch has %.17g", net.name, key, k, loss, item->number);
    }
    for (const json *item = net.keys->first; item != NULL; item = item->next)
        check_close(find(&net, item->key), json_get(json_get(expected, "final"), item->key), bound, item->key, k);
    end_trained(&net.t);
    RELEASE(net.x, net.y);
}

SUITE(test_training)
{
    const int64_t before = stria_memory_get_stats().live_tensors;
    json         *file = json_parse_file(PATH);

    check_isa("test_training");
    CHECK(file != NULL, "%s cannot be read", PATH);
    if (file != NULL) {
        const json *rows = json_get(file, "optimizers");
        CHECK(rows->count > 10, "%d optimisers", rows->count);
        for (const json *row = rows->first; row != NULL; row = row->next) {
            check_optimizer(row, STRIA_F64, 1e-12);
            check_optimizer(row, STRIA_F32, 2e-6);
        }
    }
    if (file != NULL) {
        const json *rows = json_get(file, "models");
        CHECK(rows->count == 8, "%d networks", rows->count);
        for (const json *row = rows->first; row != NULL; row = row->next) {
            check_network(row, "float64", STRIA_F64, 1e-9);
            check_network(row, "float32", STRIA_F32, 1e-4);
        }
    }
    json_free(file);
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("test_training");
}
