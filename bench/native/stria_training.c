/* stria_training.c - the training rows of the benchmark: gradients and steps of optimisers, by the kernels' names of rows/training.mjs;
 * "compiled NAME" is the graph of the same calls.
 * peer_torch_training.cpp does the same with PyTorch. */
#include "peer.h"

#include <stdlib.h>
#include <string.h>

#include "stria.h"
#include "stria_autograd.h"
#include "stria_graph.h"

enum { MOST_INPUTS = 6, MOST_PARAMS = 100, MOST_MADE = 20, CHAIN = 1000 };

typedef struct work work;
typedef struct kernel {
    const char *name;
    int         first, n;          /* of the inputs, those that are copied as leaves */
    int         n_states;          /* that an optimiser keeps for each */
    void (*start)(work *w);        /* what is made once; NULL */
    stria_tensor *(*run)(work *w); /* borrowed: the result */
} kernel;

struct work {
    const kernel       *kernel;
    const stria_tensor *in[MOST_INPUTS];
    stria_tensor       *leaves[MOST_PARAMS], *grads[MOST_PARAMS], *states[2][MOST_PARAMS];
    int                 n, n_grads;
    int64_t             step;
    stria_tensor       *made[MOST_MADE]; /* of one run */
    int                 n_made;
    stria_tensor       *result;
    stria_graph        *graph; /* of a compiled one */
    stria_recording    *recording;
    int                 n_in, n_numbers; /* number 0: the step */
};

#define CONST(list) ((const stria_tensor *const *)(list))

static stria_error error;

/* The benchmark's own inputs: nothing is refused. */
static void ok(stria_status status)
{
    if (status != STRIA_OK) abort();
}

#define NEW (&w->made[w->n_made])
static stria_tensor *keep(work *w, stria_status status)
{
    ok(status);
    return w->made[w->n_made++];
}

static void release_made(work *w)
{
    for (int k = 0; k < w->n_made; k++) {
        stria_tensor_release(w->made[k]);
        w->made[k] = NULL;
    }
    w->n_made = 0;
}

/* Gradients of the leaves by the last tensor that was made, from `gradient` or 1. */
static void backward(work *w, stria_tensor *gradient)
{
    stria_tensor *y = w->made[w->n_made - 1];

    ok(stria_backward(&y, 1, gradient ? &gradient : NULL, NULL, 0, 0, &error));
}

/* ---------------------------------------------------------------- gradients alone: the result is that of the first leaf */

static stria_tensor *run_matmul(work *w)
{
    stria_tensor *y = keep(w, stria_mm(w->leaves[0], w->leaves[1], NEW, &error));

    keep(w, stria_sum(y, NULL, 0, false, NEW, &error));
    backward(w, NULL);
    return stria_tensor_get_grad(w->leaves[0]);
}

/* in: x, target; weight, bias */
static stria_tensor *run_linear(work *w)
{
    stria_tensor *y = keep(w, stria_linear(w->in[0], w->leaves[0], w->leaves[1], NEW, &error));

    keep(w, stria_mse_loss(y, w->in[1], "mean", NEW, &error));
    backward(w, NULL);
    return stria_tensor_get_grad(w->leaves[0]);
}

/* Of the result y there is a gradient, in[0]. */
static stria_tensor *run_backward(work *w)
{
    backward(w, (stria_tensor *)(uintptr_t)w->in[0]);
    return stria_tensor_get_grad(w->leaves[0]);
}

static stria_tensor *run_softmax(work *w)
{
    keep(w, stria_softmax(w->leaves[0], 1, STRIA_DTYPE_NONE, NEW, &error));
    return run_backward(w);
}

static stria_tensor *run_layer_norm(work *w)
{
    const int64_t *width = stria_tensor_get_shape(w->leaves[1]);

    keep(w, stria_layer_norm(w->leaves[0], w->leaves[1], w->leaves[2], width, 1, 1e-5, NEW, &error));
    return run_backward(w);
}

static stria_tensor *run_normalize(work *w)
{
    keep(w, stria_normalize(w->leaves[0], 2, 1, 1e-12, NEW, &error));
    return run_backward(w);
}

static stria_tensor *run_mse(work *w)
{
    keep(w, stria_mse_loss(w->leaves[0], w->in[0], "mean", NEW, &error));
    backward(w, NULL);
    return stria_tensor_get_grad(w->leaves[0]);
}

static stria_tensor *run_chain(work *w)
{
    stria_tensor *y = stria_tensor_retain(w->leaves[0]), *next;

    for (int k = 0; k < CHAIN; k++) {
        next = NULL;
        ok(stria_add(y, w->in[0], &next, &error));
        stria_tensor_release(y);
        y = next;
    }
    *NEW = y;
    w->n_made++;
    keep(w, stria_sum(y, NULL, 0, false, NEW, &error));
    backward(w, NULL);
    return stria_tensor_get_grad(w->leaves[0]);
}

/* One call that is recorded, and whose node is released with its result. */
static stria_tensor *run_recorded(work *w) { return keep(w, stria_add(w->leaves[0], w->in[0], NEW, &error)); }

/* ---------------------------------------------------------------- steps: the result is the first parameter */

static void collect(work *w)
{
    for (int k = 0; k < w->n; k++) w->grads[k] = stria_tensor_get_grad(w->leaves[k]);
}

static void step_sgd(work *w)
{
    collect(w);
    ok(stria_sgd(w->leaves, w->n, CONST(w->grads), w->n, NULL, 0, 1e-2, 0, 0, 0, false, false, false, &error));
}

static void adam(work *w)
{
    int number;

    ok(stria_adam(w->leaves, w->n, CONST(w->grads), w->n, w->states[0], w->n, w->states[1], w->n, NULL, 0, ++w->step,
                  1e-3, 0.9, 0.999, 1e-8, 0, false, &error));
    if (w->recording == NULL) return;
    ok(stria_recording_add_number(w->recording, "step", &number, &error));
    w->n_numbers = 1;
    w->step--;
}

static void step_adam(work *w)
{
    collect(w);
    adam(w);
}

/* in: x, target; weight, bias of one element */
static stria_tensor *run_regression(work *w)
{
    stria_tensor *y = keep(w, stria_mul(w->in[0], w->leaves[0], NEW, &error));

    y = keep(w, stria_add(y, w->leaves[1], NEW, &error));
    keep(w, stria_mse_loss(y, w->in[1], "mean", NEW, &error));
    backward(w, NULL);
    step_sgd(w);
    return w->leaves[0];
}

/* in: x, classes; weight, bias, weight, bias */
static void learn(work *w)
{
    stria_tensor *h = keep(w, stria_linear(w->in[0], w->leaves[0], w->leaves[1], NEW, &error));

    h = keep(w, stria_relu(h, NEW, &error));
    h = keep(w, stria_linear(h, w->leaves[2], w->leaves[3], NEW, &error));
    keep(w, stria_cross_entropy(h, w->in[1], NULL, "mean", -100, 0, NEW, &error));
    backward(w, NULL);
}

static stria_tensor *run_mlp_sgd(work *w)
{
    learn(w);
    step_sgd(w);
    return w->leaves[0];
}

static stria_tensor *run_mlp_adam(work *w)
{
    learn(w);
    step_adam(w);
    return w->leaves[0];
}

/* Of n parameters, whose gradients stay. */
static void make_adam(work *w, int n)
{
    for (int k = 0; k < n; k++) {
        ok(stria_tensor_copy(w->in[0], STRIA_F32, &w->leaves[k], &error));
        for (int s = 0; s < 2; s++)
            ok(stria_zeros_like(w->in[0], STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &w->states[s][k], &error));
        ok(stria_tensor_copy(w->in[1], STRIA_F32, &w->grads[k], &error));
    }
    w->n = w->n_grads = n;
}

static void start_adam(work *w) { make_adam(w, MOST_PARAMS); }

static stria_tensor *run_adam(work *w)
{
    adam(w);
    return w->leaves[0];
}

/* Adam of one parameter written out in calls, in place */
static void start_adam_calls(work *w) { make_adam(w, 1); }

static stria_tensor *number(work *w, double value)
{
    return keep(w, stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_FLOAT, .re = value}, NEW, &error));
}

/* x = op(x, y) */
static void put(stria_op op, stria_tensor *x, const stria_tensor *y)
{
    ok(stria_apply_out(op, (const stria_tensor *const[]){x, y}, 2, x, &error));
}

/* state = state * share + change * (1 - share) */
static void move(work *w, stria_tensor *state, const stria_tensor *change, double share)
{
    stria_tensor *rest = number(w, 1 - share), *part = keep(w, stria_mul(change, rest, NEW, &error));

    put(STRIA_OP_mul, state, number(w, share));
    put(STRIA_OP_add, state, part);
}

static stria_tensor *run_adam_calls(work *w)
{
    const stria_tensor *g = w->grads[0];
    stria_tensor       *p = w->leaves[0], *m = w->states[0][0], *v = w->states[1][0];

    stria_tensor *least = number(w, 1e-8), *rate = number(w, 1e-3);
    move(w, m, g, 0.9);
    move(w, v, keep(w, stria_mul(g, g, NEW, &error)), 0.999);
    stria_tensor *root = keep(w, stria_sqrt(v, NEW, &error));
    root = keep(w, stria_add(root, least, NEW, &error));
    stria_tensor *change = keep(w, stria_div(m, root, NEW, &error));
    change = keep(w, stria_mul(change, rate, NEW, &error));
    put(STRIA_OP_sub, p, change);
    return p;
}

/* relu(a b + c) exp(-d): in */
static stria_tensor *run_fused(work *w)
{
    stria_tensor *y = keep(w, stria_mul(w->in[0], w->in[1], NEW, &error));

    y = keep(w, stria_add(y, w->in[2], NEW, &error));
    y = keep(w, stria_relu(y, NEW, &error));
    stria_tensor *z = keep(w, stria_neg(w->in[3], NEW, &error));
    z = keep(w, stria_exp(z, NEW, &error));
    return keep(w, stria_mul(y, z, NEW, &error));
}

/* relu(x w + b): in */
static stria_tensor *run_layer(work *w)
{
    stria_tensor *y = keep(w, stria_matmul(w->in[0], w->in[1], NEW, &error));

    y = keep(w, stria_add(y, w->in[2], NEW, &error));
    return keep(w, stria_relu(y, NEW, &error));
}

/* Functions of rows written out in calls: in x, and of layer_norm weight and bias */
static const int last = -1;

static stria_tensor *run_softmax_calls(work *w)
{
    stria_tensor *m = keep(w, stria_amax(w->in[0], &last, 1, true, NEW, &error));
    stria_tensor *d = keep(w, stria_sub(w->in[0], m, NEW, &error));
    stria_tensor *e = keep(w, stria_exp(d, NEW, &error));
    stria_tensor *s = keep(w, stria_sum(e, &last, 1, true, NEW, &error));

    return keep(w, stria_div(e, s, NEW, &error));
}

static stria_tensor *run_log_softmax_calls(work *w)
{
    stria_tensor *m = keep(w, stria_amax(w->in[0], &last, 1, true, NEW, &error));
    stria_tensor *d = keep(w, stria_sub(w->in[0], m, NEW, &error));
    stria_tensor *e = keep(w, stria_exp(d, NEW, &error));
    stria_tensor *s = keep(w, stria_sum(e, &last, 1, true, NEW, &error));
    stria_tensor *l = keep(w, stria_log(s, NEW, &error));

    return keep(w, stria_sub(d, l, NEW, &error));
}

static stria_tensor *run_layer_norm_calls(work *w)
{
    stria_tensor *m = keep(w, stria_mean(w->in[0], &last, 1, true, NEW, &error));
    stria_tensor *d = keep(w, stria_sub(w->in[0], m, NEW, &error));
    stria_tensor *q = keep(w, stria_mul(d, d, NEW, &error));
    stria_tensor *v = keep(w, stria_mean(q, &last, 1, true, NEW, &error));
    stria_tensor *r = keep(w, stria_rsqrt(v, NEW, &error));

    d = keep(w, stria_mul(d, r, NEW, &error));
    d = keep(w, stria_mul(d, w->in[1], NEW, &error));
    return keep(w, stria_add(d, w->in[2], NEW, &error));
}

static stria_tensor *run_softmax_alone(work *w)
{
    return keep(w, stria_softmax(w->in[0], 1, STRIA_DTYPE_NONE, NEW, &error));
}

static const kernel kernels[] = {
    {"matmul_gradients", 0, 2, 0, NULL, run_matmul},
    {"linear_gradients", 2, 2, 0, NULL, run_linear},
    {"softmax_gradient", 1, 1, 0, NULL, run_softmax},
    {"layer_norm_gradients", 1, 3, 0, NULL, run_layer_norm},
    {"normalize_gradient", 1, 1, 0, NULL, run_normalize},
    {"mse_gradient", 1, 1, 0, NULL, run_mse},
    {"chain", 1, 1, 0, NULL, run_chain},
    {"recorded", 1, 1, 0, NULL, run_recorded},
    {"regression", 2, 2, 0, NULL, run_regression},
    {"mlp_sgd", 2, 4, 0, NULL, run_mlp_sgd},
    {"mlp_adam", 2, 4, 2, NULL, run_mlp_adam},
    {"adam", 0, 0, 0, start_adam, run_adam},
    {"adam_calls", 0, 0, 0, start_adam_calls, run_adam_calls},
    {"fused", 0, 0, 0, NULL, run_fused},
    {"layer", 0, 0, 0, NULL, run_layer},
    {"softmax", 0, 0, 0, NULL, run_softmax_alone},
    {"softmax_calls", 0, 0, 0, NULL, run_softmax_calls},
    {"log_softmax_calls", 0, 0, 0, NULL, run_log_softmax_calls},
    {"layer_norm_calls", 0, 0, 0, NULL, run_layer_norm_calls},
};

/* ---------------------------------------------------------------- jobs */

static stria_tensor *run_calls(work *w)
{
    stria_tensor *result = stria_tensor_retain(w->kernel->run(w));

    for (int k = 0; k < w->n && w->n_grads == 0; k++) ok(stria_tensor_set_grad(w->leaves[k], NULL, &error));
    release_made(w);
    return result;
}

static void run(void *context)
{
    work *w = context;

    stria_tensor_release(w->result);
    w->result = run_calls(w);
}

static void run_graph(void *context)
{
    work        *w = context;
    const double step = (double)++w->step;

    stria_tensor_release(w->result);
    w->result = NULL;
    ok(stria_graph_run_with(w->graph, (stria_tensor *const *)(uintptr_t)w->in, w->n_in, &step, w->n_numbers, &w->result,
                            &error));
}

static void record(work *w)
{
    const stria_tensor *in[MOST_INPUTS];
    stria_tensor       *symbols[MOST_INPUTS];

    memcpy(in, w->in, sizeof in);
    ok(stria_recording_begin(&w->recording, &error));
    for (int k = 0; k < w->n_in; k++) {
        ok(stria_recording_add_input(w->recording, in[k], &symbols[k], &error));
        w->in[k] = symbols[k];
    }
    stria_tensor *result = run_calls(w);
    ok(stria_recording_end(w->recording, &result, 1, &w->graph, &error));
    w->recording = NULL;
    memcpy(w->in, in, sizeof in);
    stria_tensor_release(result);
    for (int k = 0; k < w->n_in; k++) stria_tensor_release(symbols[k]);
}

static const void *get_result(void *context) { return stria_tensor_get_const_data(((work *)context)->result); }

static void release(void *context)
{
    work *w = context;

    stria_tensor_release(w->result);
    stria_graph_release(w->graph);
    for (int k = 0; k < w->n; k++) {
        stria_tensor_release(w->leaves[k]);
        for (int s = 0; s < 2; s++) stria_tensor_release(w->states[s][k]);
    }
    for (int k = 0; k < w->n_grads; k++) stria_tensor_release(w->grads[k]);
    free(w);
}

static void make_leaves(work *w)
{
    for (w->n = 0; w->n < w->kernel->n; w->n++) {
        const stria_tensor *x = w->in[w->kernel->first + w->n];
        ok(stria_tensor_copy(x, STRIA_DTYPE_NONE, &w->leaves[w->n], &error));
        for (int s = 0; s < w->kernel->n_states; s++)
            ok(stria_zeros_like(x, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &w->states[s][w->n], &error));
        ok(stria_tensor_set_requires_grad(w->leaves[w->n], true, &error));
    }
}

/* A job of a kernel on tensors that outlive it; 0 if there is no such kernel, or no memory. */
BENCH_API int bench_stria_new_training(const char *name, const stria_tensor *const *in, int n_in, bench_job *job)
{
    static const char compiled[] = "compiled ";
    const bool        is_compiled = strncmp(name, compiled, sizeof compiled - 1) == 0;

    if (is_compiled) name += sizeof compiled - 1;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        if (strcmp(kernels[k].name, name) != 0) continue;
        work *w = calloc(1, sizeof *w);
        if (!w || n_in > MOST_INPUTS) return free(w), 0;
        w->kernel = &kernels[k];
        memcpy(w->in, in, (size_t)n_in * sizeof *in);
        make_leaves(w);
        if (w->kernel->start) w->kernel->start(w);
        w->n_in = n_in;
        if (is_compiled) record(w);
        *job =
            (bench_job){.run = is_compiled ? run_graph : run, .result = get_result, .release = release, .context = w};
        return 1;
    }
    return 0;
}
