/* learn.h - what the examples that learn share: parameters, the tensors of a step, a step of AdamW. */
#ifndef LEARN_H
#define LEARN_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "stria.h"
#include "stria_autograd.h"

static stria_error error;

/* Tensors of a step: NEW is the place for one more, LAST the one made last; release_made ends all of them. */
static stria_tensor *made[64];
static int           n_made;
#define NEW (&made[n_made])
#define LAST (made[n_made - 1])

static inline void release_made(void)
{
    for (; n_made > 0; n_made--) {
        stria_tensor_release(LAST);
        LAST = NULL;
    }
}

/* Ends the program where a call does not succeed. */
static inline void check(stria_status status)
{
    if (status != STRIA_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    if (*NEW != NULL) n_made++;
}
#define TRY(call) check(call)

/* Parameters, and what AdamW keeps for each. */
typedef struct learner {
    stria_tensor *params[8], *means[8], *squares[8];
    int           n;
    int64_t       steps;
} learner;

/* A parameter of normal numbers with this standard deviation. */
static inline stria_tensor *add_parameter(learner *l, int rows, int columns, double deviation, stria_generator *random)
{
    const int64_t shape[] = {rows, columns};
    stria_tensor *x = NULL;

    TRY(stria_empty(rows == 0 ? shape + 1 : shape, rows == 0 ? 1 : 2, STRIA_F32, STRIA_CPU, &x, &error));
    TRY(stria_fill_normal_out(x, 0, deviation, random, x, &error));
    TRY(stria_zeros_like(x, STRIA_F32, STRIA_DEVICE_NONE, &l->means[l->n], &error));
    TRY(stria_zeros_like(x, STRIA_F32, STRIA_DEVICE_NONE, &l->squares[l->n], &error));
    TRY(stria_tensor_set_requires_grad(x, true, &error));
    l->params[l->n++] = x;
    return x;
}

static inline void end_learner(learner *l)
{
    for (int k = 0; k < l->n; k++) {
        stria_tensor_release(l->params[k]);
        stria_tensor_release(l->means[k]);
        stria_tensor_release(l->squares[k]);
    }
}

/* Gradients of a loss, a step of AdamW, and the gradients go. Returns the loss. */
static inline double learn(learner *l, stria_tensor *loss, double rate, double decay)
{
    const stria_tensor *grads[8];
    double              value;

    value = (double)*(const float *)stria_tensor_get_const_data(loss);
    TRY(stria_backward(&loss, 1, NULL, NULL, 0, 0, &error));
    for (int k = 0; k < l->n; k++) grads[k] = stria_tensor_get_grad(l->params[k]);
    TRY(stria_adamw(l->params, l->n, grads, l->n, l->means, l->n, l->squares, l->n, NULL, 0, ++l->steps, rate, 0.9,
                    0.999, 1e-8, decay, false, &error));
    for (int k = 0; k < l->n; k++) TRY(stria_tensor_set_grad(l->params[k], NULL, &error));
    return value;
}

/* On failure tells what was expected. */
static inline int expect(bool ok, const char *what)
{
    if (!ok) fprintf(stderr, "expected: %s\n", what);
    return ok ? 0 : 1;
}

#endif
