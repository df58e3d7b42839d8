/* stria_autograd.h - gradients: what results depend on, and how much.
 *
 *     stria_tensor_set_requires_grad(w, true, &err);
 *     stria_mm(x, w, &y, &err);  stria_sum(y, NULL, 0, false, &loss, &err);
 *     stria_backward(&loss, 1, NULL, NULL, 0, 0, &err);
 *     stria_tensor_get_grad(w)                            d loss / d w
 *
 * A call with an input that requires a gradient remembers how its derivative is computed, and its results require gradients, too. What it
 * needs for that it keeps alive: the caller may release tensors as soon as he does not need them himself. Tensors that require a gradient and
 * are results of no such call are leaves. Conventions are those of stria.h; the semantics are PyTorch's, but for docs/semantics.md.
 *
 * Writes:   a gradient that needs elements which were changed since is refused. Calls and runs of iterators (iter.h) count their writes; who
 *           writes by stria_tensor_get_data says so by stria_tensor_set_written. Neither of the latter has a derivative: what they make is a
 *           value without history, and a tensor with one keeps that of before, so write to leaves and new tensors only.
 * Complex:  the gradient of a real loss is the conjugate of its derivative: x - rate * gradient descends.
 * Threads:  threads may compute and walk graphs that share leaves and results: sums into .grad are made one at a time. A walk that needs what
 *           another one, without STRIA_GRAD_RETAIN, has freed is refused. A leaf may be written to by nobody else meanwhile. What hooks do is
 *           the caller's business.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STRIA_AUTOGRAD_H
#define STRIA_AUTOGRAD_H

#include "stria.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- tensors */

/* Makes a leaf require a gradient, or not. ERR_DTYPE: integers and bool have none; ERR_ARGUMENT: x is the result of a call, which
 * stria_detach gives without history, or an input of a recording, whose clone may be a leaf; ERR_MEMORY. */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_set_requires_grad(stria_tensor *x, bool requires_grad,
                                                                       stria_error *err);
STRIA_API bool                          stria_tensor_get_requires_grad(const stria_tensor *x);
/* Whether no call that was remembered made x. */
STRIA_API bool stria_tensor_get_is_leaf(const stria_tensor *x);

/* The gradient that walks have added up; NULL: none. Of results only after stria_tensor_retain_grad. Borrowed until x ends, another gradient is
 * set, or a walk with STRIA_GRAD_CREATE adds to it and puts a new tensor in its place: where another thread does that, only NULL tells
 * something. */
STRIA_API stria_tensor *stria_tensor_get_grad(const stria_tensor *x);
/* Another gradient, of the shape, dtype and device of x; NULL: none, as before the first walk. ERR_SHAPE, ERR_DTYPE, ERR_DEVICE, ERR_MEMORY. */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_set_grad(stria_tensor *x, stria_tensor *grad, stria_error *err);
/* Walks add up the gradient of a result, too, also after x was changed in place. ERR_ARGUMENT: x requires none. */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_retain_grad(stria_tensor *x, stria_error *err);
/* x forgets its history, and requires no gradient; it keeps its .grad. stria_detach makes a view that has none. ERR_ARGUMENT: x is a view,
 * whose base would go on having it; ERR_MEMORY. */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_detach(stria_tensor *x, stria_error *err);

/* ---------------------------------------------------------------- what is remembered */

/* Whether calls of this thread are remembered; true at first. Setting it returns what it was, to be set again:
 *     const bool was = stria_grad_mode_set(false);  ..  stria_grad_mode_set(was); */
STRIA_API bool stria_grad_mode_get(void);
STRIA_API bool stria_grad_mode_set(bool is_on);

/* ---------------------------------------------------------------- walks */

/* What a walk does beside: bits of `flags`. */
#define STRIA_GRAD_RETAIN 1 /* what the graph has saved is kept, for another walk over it */
#define STRIA_GRAD_CREATE 2 /* gradients can be differentiated themselves; implies STRIA_GRAD_RETAIN */
#define STRIA_GRAD_UNUSED 4 /* stria_grad: NULL for an input that the outputs do not depend on, not an error */

/**
 * stria_backward - add the gradients of outputs to those of leaves (stria_tensor_get_grad).
 *
 * outputs    [n_outputs] tensors that require gradients
 * gradients  [n_outputs] of what comes after each output, in its shape; NULL, all or one: 1, of an output with one element
 * inputs     [n_inputs] tensors that get gradients, no others do; n_inputs 0: all leaves
 *
 * Memory:  what the graph has saved is released as the walk goes, unless flags say otherwise. A gradient is added in place where there is
 *          one. The stack does not grow with the graph.
 * Order:   gradients that meet are added up in the order in which the walk comes by, which the graph decides: bits do not depend on threads.
 * Errors:  ERR_ARGUMENT (an output or input that requires no gradient; no gradient for an output of several elements; a saved value was
 *          freed by an earlier walk, or changed since), ERR_SHAPE, ERR_DTYPE, ERR_UNSUPPORTED (a row has no derivative), ERR_MEMORY, those
 *          of the calls that compute gradients. Some leaves may have got theirs before a walk fails.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_backward(stria_tensor *const *outputs, int n_outputs,
                                                       stria_tensor *const *gradients, stria_tensor *const *inputs,
                                                       int n_inputs, int flags, stria_error *err);

/**
 * stria_grad - the gradients of outputs by inputs, as new tensors; .grad of no tensor changes.
 *
 * grads  [n_inputs], owned by the caller; all NULL on failure. As of stria_backward otherwise. ERR_ARGUMENT also: an input that the outputs
 *        do not depend on, without STRIA_GRAD_UNUSED.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_grad(stria_tensor *const *outputs, int n_outputs,
                                                   stria_tensor *const *gradients, stria_tensor *const *inputs,
                                                   int n_inputs, int flags, stria_tensor **grads, stria_error *err);

/* ---------------------------------------------------------------- hooks */

/* Sees the gradient of a tensor before it goes on, borrowed; *replacement, NULL before, may become another one of the same shape, which the
 * walk then owns. */
typedef stria_status stria_gradient_hook_fn(void *context, const stria_tensor *gradient, stria_tensor **replacement,
                                            stria_error *err);

/* Hooks of one tensor run in the order in which they were registered. release(context), which may be NULL, is called when the hook ends.
 * *id, which may be NULL, is for stria_tensor_remove_hook, which does nothing if there is no such hook; a hook may remove itself, and ends when
 * it has run. A hook belongs to the value that x has when it is registered: once x, or the base of the view x, was changed in place, it stays
 * with the value before. ERR_ARGUMENT: x requires no gradient, fn is NULL; ERR_MEMORY. */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_register_hook(stria_tensor *x, stria_gradient_hook_fn *fn,
                                                                   void     *context, void (*release)(void *context),
                                                                   uint64_t *id, stria_error *err);
STRIA_API void                          stria_tensor_remove_hook(uint64_t id);

/* ---------------------------------------------------------------- checkpoints */

/* Fills outputs [n_outputs] with new tensors, owned by the caller. */
typedef stria_status stria_checkpoint_fn(void *context, stria_tensor *const *inputs, int n_inputs,
                                         stria_tensor **outputs, int n_outputs, stria_error *err);

/**
 * stria_checkpoint - run a function without remembering its calls; a walk runs it again, and then remembers.
 *
 * That needs less memory, and the time of the function twice. Every run must compute the same, and make a result that
 * requires a gradient when it is remembered. fn must not read a result of this checkpoint: a walk that comes by one
 * more than 100 times is refused. A walk without STRIA_GRAD_RETAIN frees the checkpoint, whatever fn was given, also
 * where it fails. release(context), which may be NULL, is called when no run will come any more, also on failure. An
 * output that shares memory with an input or with another output cannot be changed in place while gradients are
 * recorded.
 *
 * Random:  a later run gets from the default generator what the first one took, in the same order, and moves it for
 *          nobody; setting its state then does nothing. What fn draws on other threads, or from other generators, it
 *          has to repeat itself.
 * Errors:  those of fn; ERR_ARGUMENT (counts, NULL), ERR_UNSUPPORTED (more than STRIA_MAX_CHECKPOINTS, one in another),
 *          ERR_MEMORY. Of walks: ERR_ARGUMENT with op checkpoint (fn breaks what is said above).
 */
#define STRIA_MAX_CHECKPOINTS 100
STRIA_API STRIA_MUST_CHECK stria_status stria_checkpoint(stria_checkpoint_fn *fn, void                       *context,
                                                         void (*release)(void *context), stria_tensor *const *inputs,
                                                         int n_inputs, stria_tensor **outputs, int n_outputs,
                                                         stria_error *err);

#ifdef __cplusplus
}
#endif

#endif /* STRIA_AUTOGRAD_H */
