/* walk.h - a walk over a graph from outputs to leaves, step by step. Internal.
 *
 * Hooks and functions that are not of C (fn NULL) stop the walk: whoever runs it does what they do, answers, and goes on. */
#ifndef STRIA_WALK_H
#define STRIA_WALK_H

#include "autograd/node.h"

typedef struct stria_walk stria_walk;

typedef enum stria_walk_event_kind { STRIA_WALK_DONE, STRIA_WALK_HOOK, STRIA_WALK_REPLAY } stria_walk_event_kind;

typedef struct stria_walk_event {
    stria_walk_event_kind kind;
    double                id;       /* of the hook, which has it as its context; or of the function */
    stria_tensor         *gradient; /* HOOK: borrowed until the answer */
} stria_walk_event;

/* As of stria_backward; adds: to .grad, else gradients are kept for stria_walk_take. */
stria_status stria_walk_new(stria_tensor *const *outputs, int n_outputs, stria_tensor *const *gradients,
                            stria_tensor *const *inputs, int n_inputs, int flags, bool adds, stria_walk **walk,
                            stria_error *err);
/* Goes on until there is an event; every event but DONE must be answered before the next call. ERR_CONFIG: it was not, or the
 * walk has failed, which only leaves to release it. */
stria_status stria_walk_next(stria_walk *walk, stria_walk_event *event, stria_error *err);
/* REPLAY: the inputs as they were, borrowed. */
int           stria_walk_count_inputs(const stria_walk *walk);
stria_tensor *stria_walk_get_input(const stria_walk *walk, int k);
/* HOOK: the gradient that goes on instead, taken over; NULL: as it is. ERR_SHAPE, ERR_DTYPE. */
stria_status stria_walk_answer_hook(stria_walk *walk, stria_tensor *replacement, stria_error *err);
/* REPLAY: what the function, run again with gradients, has made: as many as at first; borrowed. ERR_ARGUMENT, ERR_SHAPE. */
stria_status stria_walk_answer_replay(stria_walk *walk, stria_tensor *const *outputs, int n, stria_error *err);
/* The gradient of input k, owned by the caller; NULL: it has none. */
stria_tensor *stria_walk_take(stria_walk *walk, int k);
/* The same of all inputs. ERR_ARGUMENT, and nothing is taken: one has none, without STRIA_GRAD_UNUSED in flags. */
stria_status stria_walk_take_all(stria_walk *walk, int n, int flags, stria_tensor **grads, stria_error *err);
/* As stria_tensor_register_hook; fn NULL: walks stop for it. */
stria_status stria_gradient_register_hook(stria_tensor *x, stria_gradient_hook_fn *fn, void *context,
                                          void (*release)(void *context), uint64_t *id, stria_error *err);
/* NULL is allowed. */
void stria_walk_release(stria_walk *walk);

#endif
