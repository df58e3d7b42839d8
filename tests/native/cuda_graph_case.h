/* cuda_graph_case.h - what suites of graphs on CUDA devices share: tensors there, and a network that is trained. */
#ifndef TEST_CUDA_GRAPH_CASE_H
#define TEST_CUDA_GRAPH_CASE_H

#include "cuda_case.h"
#include "graph_case.h"

#define ON_DEVICE(x) move_over(&(x))

/* Another tensor with the same elements on the device, in its place. */
static inline void move_over(stria_tensor **x)
{
    stria_tensor *moved = cuda_case_to_device(*x, CUDA);

    stria_tensor_release(*x);
    *x = moved;
}

static inline bool is_same(const stria_tensor *a, const stria_tensor *b)
{
    if (a == NULL || b == NULL) return a == b;
    stria_tensor *x = cuda_case_to_cpu(a), *y = cuda_case_to_cpu(b);
    const bool    same = has_same_bits(x, y);
    RELEASE(x, y);
    return same;
}

/* ---------------------------------------------------------------- steps of training */

enum { N_PARAMS = 3 };
typedef struct network {
    stria_tensor    *params[N_PARAMS], *first[N_PARAMS], *second[N_PARAMS];
    stria_generator *random;
    int64_t          step;
} network;

static inline void begin(network *n)
{
    static const int64_t shapes[N_PARAMS][2] = {{3, 5}, {5, 0}, {5, 2}};

    *n = (network){.step = 0};
    OK(stria_generator_new(17, &n->random, NULL));
    for (int k = 0; k < N_PARAMS; k++) {
        OK(stria_tensor_new(STRIA_F32, shapes[k][1] > 0 ? 2 : 1, shapes[k], &n->params[k], NULL));
        float *at = stria_tensor_get_data(n->params[k]);
        for (int64_t i = 0; i < n->params[k]->numel; i++) at[i] = (float)((i * 7 + k) % 11 - 5) / 8;
        ON_DEVICE(n->params[k]);
        OK(stria_zeros_like(n->params[k], STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &n->first[k], NULL));
        OK(stria_zeros_like(n->params[k], STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &n->second[k], NULL));
        OK(stria_tensor_set_requires_grad(n->params[k], true, NULL));
    }
}

static inline void end(network *n)
{
    release_all(N_PARAMS, n->params), release_all(N_PARAMS, n->first), release_all(N_PARAMS, n->second);
    stria_generator_release(n->random);
}

/* The loss of a layer with noise in it, and Adam; r: of the recording. */
static inline stria_tensor *run_step(network *n, const stria_tensor *x, const stria_tensor *y, stria_recording *r)
{
    stria_tensor *a, *b, *h, *noise, *d, *z, *e, *f, *loss, *grads[N_PARAMS];
    int           index;

    n->step++;
    for (int k = 0; k < N_PARAMS; k++) OK(stria_tensor_set_grad(n->params[k], NULL, NULL));
    OK(stria_matmul(x, n->params[0], &a, NULL));
    OK(stria_add(a, n->params[1], &b, NULL));
    OK(stria_tanh(b, &h, NULL));
    OK(stria_rand_like(h, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, n->random, &noise, NULL));
    OK(stria_mul(h, noise, &d, NULL));
    OK(stria_matmul(d, n->params[2], &z, NULL));
    OK(stria_sub(z, y, &e, NULL));
    OK(stria_mul(e, e, &f, NULL));
    OK(stria_sum(f, NULL, 0, false, &loss, NULL));
    OK(backward(loss, 0, NULL));
    stria_grad_mode_set(false);
    for (int k = 0; k < N_PARAMS; k++) grads[k] = GRAD(n->params[k]);
    OK(stria_adam(n->params, N_PARAMS, (const stria_tensor *const *)grads, N_PARAMS, n->first, N_PARAMS, n->second,
                  N_PARAMS, NULL, 0, n->step, .01, .9, .999, 1e-8, 0, false, NULL));
    if (r != NULL) OK(stria_recording_add_number(r, "step", &index, NULL));
    stria_grad_mode_set(true);
    RELEASE(a, b, h, noise, d, z, e, f);
    return loss;
}

static inline stria_tensor *new_batch(int64_t columns, int64_t step)
{
    stria_tensor *x;

    OK(stria_tensor_new(STRIA_F32, 2, (int64_t[]){8, columns}, &x, NULL));
    for (int64_t i = 0; i < x->numel; i++)
        ((float *)stria_tensor_get_data(x))[i] = (float)((i * 5 + step * 3) % 17 - 8) / 8;
    ON_DEVICE(x);
    return x;
}

static inline stria_graph *record_step(network *n, const stria_tensor *x, const stria_tensor *y)
{
    stria_tensor    *sx, *sy, *loss;
    stria_recording *r;
    stria_graph     *g = NULL;
    stria_error      err;

    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &sx, NULL));
    OK(stria_recording_add_input(r, y, &sy, NULL));
    loss = run_step(n, sx, sy, r);
    n->step--;
    const stria_status status = stria_recording_end(r, &loss, 1, &g, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    RELEASE(sx, sy, loss);
    return g;
}

#endif
