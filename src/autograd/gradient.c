/* gradient.c - the functions of stria_autograd.h, but checkpoints. */
#include "stria_autograd.h"

#include "autograd/walk.h"
#include "base/alloc.h"
#include "base/error.h"

/* ---------------------------------------------------------------- tensors */

static stria_slot *find(const stria_tensor *x)
{
    stria_slot *slot;
    return stria_slot_find(x, &slot, NULL) == STRIA_OK ? slot : NULL;
}

stria_status stria_tensor_set_requires_grad(stria_tensor *x, bool requires_grad, stria_error *err)
{
    stria_slot *slot;

    if (x == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "requires_grad", "x", "a tensor", "NULL", "x is NULL");
    if (requires_grad && !stria_is_differentiable(x->dtype))
        return stria_error_set(
            err, STRIA_ERR_DTYPE, "requires_grad", "x", "a float or complex dtype", stria_dtype_get_name(x->dtype),
            "a tensor of %s has no gradient; only floats and complex numbers do", stria_dtype_get_name(x->dtype));
    if (requires_grad && x->is_given)
        return stria_error_set(
            err, STRIA_ERR_ARGUMENT, "requires_grad", "x", "no input", "an input",
            "x is an input of what is recorded, and is given no gradient; clone it first, or use grad");
    STRIA_TRY(stria_slot_find(x, &slot, err));
    if (slot == NULL && !requires_grad) return STRIA_OK;
    STRIA_TRY(stria_slot_get(x, &slot, err));
    if (stria_slot_is_leaf(slot)) {
        slot->requires_grad = requires_grad;
        return STRIA_OK;
    }
    if (requires_grad) return STRIA_OK;
    return stria_error_set(
        err, STRIA_ERR_ARGUMENT, "requires_grad", "x", "a leaf", "a result",
        "x is the result of a call and requires what its inputs do; detach gives it without history");
}

bool stria_tensor_get_requires_grad(const stria_tensor *x) { return stria_slot_requires_grad(find(x)); }

bool stria_tensor_get_is_leaf(const stria_tensor *x)
{
    const stria_slot *slot = find(x);
    return slot == NULL || stria_slot_is_leaf(slot);
}

stria_tensor *stria_tensor_get_grad(const stria_tensor *x)
{
    stria_slot *slot = find(x);

    if (slot == NULL) return NULL;
    stria_gradient_watch(slot, true);
    lock(&slot->guard);
    stria_tensor *grad = slot->grad;
    unlock(&slot->guard);
    return grad;
}

stria_status stria_tensor_set_grad(stria_tensor *x, stria_tensor *grad, stria_error *err)
{
    stria_slot *slot = NULL;

    if (x == NULL) return stria_error_set(err, STRIA_ERR_ARGUMENT, "grad", "x", "a tensor", "NULL", "x is NULL");
    STRIA_TRY(stria_slot_find(x, &slot, err));
    if (grad != NULL) {
        if (grad == x || grad->base == x)
            return stria_error_set(err, STRIA_ERR_ARGUMENT, "grad", "grad", "another tensor", "x or a view of it",
                                   "a tensor is not its own gradient");
        STRIA_TRY(stria_gradient_check("grad", "grad", x, grad, false, err));
        STRIA_TRY(stria_slot_get(x, &slot, err));
    }
    if (slot == NULL) return STRIA_OK;
    stria_gradient_watch(slot, false);
    lock(&slot->guard);
    stria_tensor *old = slot->grad;
    slot->grad = stria_tensor_retain(grad);
    unlock(&slot->guard);
    stria_tensor_release(old);
    return STRIA_OK;
}

static stria_status refuse_no_grad(const char *op, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, op, "x", "a tensor that requires a gradient", NULL,
                           "x requires no gradient");
}

stria_status stria_tensor_retain_grad(stria_tensor *x, stria_error *err)
{
    stria_slot *slot = NULL;

    if (x != NULL) STRIA_TRY(stria_slot_find(x, &slot, err));
    if (!stria_slot_requires_grad(slot)) return refuse_no_grad("retain_grad", err);
    slot->retains_grad = true;
    return STRIA_OK;
}

stria_status stria_tensor_detach(stria_tensor *x, stria_error *err)
{
    if (x == NULL) return stria_error_set(err, STRIA_ERR_ARGUMENT, "detach", "x", "a tensor", "NULL", "x is NULL");
    if (x->base != NULL && !x->is_cut)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "detach", "x", "a tensor of its own", "a view",
                               "a view cannot forget its history in place, as its base goes on having it; detach "
                               "gives a view that has none");
    if (stria_tensor_get_grad(x) != NULL) return stria_slot_new_leaf(x, err); /* which keeps it */
    if (x->gradient != NULL) stria_slot_attach(x, NULL);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- what is remembered */

bool stria_grad_mode_get(void) { return !stria_gradient_here.is_off; }

bool stria_grad_mode_set(bool is_on)
{
    const bool was = !stria_gradient_here.is_off;
    stria_gradient_here.is_off = !is_on;
    return was;
}

stria_grad_state stria_gradient_set_state(stria_grad_state state)
{
    stria_gradient_state  *here = &stria_gradient_here;
    const stria_grad_state was = !here->is_off       ? STRIA_GRAD_ON
                                 : here->is_repeated ? STRIA_GRAD_REPEATED
                                                     : STRIA_GRAD_OFF;
    const bool             is_repeated = state == STRIA_GRAD_REPEATED && here->n_checkpoints > 0;

    here->is_off = state == STRIA_GRAD_OFF || is_repeated;
    here->is_repeated = is_repeated;
    return was;
}

/* ---------------------------------------------------------------- walks */

static stria_status walk_on(stria_walk *walk, stria_error *err)
{
    stria_walk_event event;

    STRIA_TRY(stria_walk_next(walk, &event, err));
    if (event.kind == STRIA_WALK_DONE) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, "backward", NULL, NULL, NULL,
                           "the graph has a hook or function of another language, which only its own walk can run");
}

stria_status stria_backward(stria_tensor *const *outputs, int n_outputs, stria_tensor *const *gradients,
                            stria_tensor *const *inputs, int n_inputs, int flags, stria_error *err)
{
    stria_walk *walk;

    STRIA_TRY(stria_walk_new(outputs, n_outputs, gradients, inputs, n_inputs, flags, true, &walk, err));
    const stria_status status = walk_on(walk, err);
    stria_walk_release(walk);
    return status;
}

stria_status stria_walk_take_all(stria_walk *walk, int n, int flags, stria_tensor **grads, stria_error *err)
{
    for (int k = 0; k < n; k++) {
        grads[k] = stria_walk_take(walk, k);
        if (grads[k] != NULL || (flags & STRIA_GRAD_UNUSED) != 0) continue;
        for (int i = 0; i < k; i++) {
            stria_tensor_release(grads[i]);
            grads[i] = NULL;
        }
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "grad", "inputs", "an input that the outputs depend on", NULL,
                               "the outputs do not depend on input number %d; allow unused inputs if that is meant", k);
    }
    return STRIA_OK;
}

stria_status stria_grad(stria_tensor *const *outputs, int n_outputs, stria_tensor *const *gradients,
                        stria_tensor *const *inputs, int n_inputs, int flags, stria_tensor **grads, stria_error *err)
{
    stria_walk *walk;

    if (grads == NULL || n_inputs < 1)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "grad", grads == NULL ? "grads" : "inputs", NULL, NULL,
                               "there must be an input, and a place for its gradient");
    for (int k = 0; k < n_inputs; k++) grads[k] = NULL;
    STRIA_TRY(stria_walk_new(outputs, n_outputs, gradients, inputs, n_inputs, flags, false, &walk, err));
    stria_status status = walk_on(walk, err);
    if (status == STRIA_OK) status = stria_walk_take_all(walk, n_inputs, flags, grads, err);
    stria_walk_release(walk);
    return status;
}

/* ---------------------------------------------------------------- hooks */

stria_status stria_tensor_register_hook(stria_tensor *x, stria_gradient_hook_fn *fn, void *context,
                                        void (*release)(void *context), uint64_t *id, stria_error *err)
{
    if (fn == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "register_hook", "fn", "a function", "NULL", "fn is NULL");
    return stria_gradient_register_hook(x, fn, context, release, id, err);
}

stria_status stria_gradient_register_hook(stria_tensor *x, stria_gradient_hook_fn *fn, void *context,
                                          void (*release)(void *context), uint64_t *id, stria_error *err)
{
    stria_slot *slot = NULL;

    if (x != NULL) STRIA_TRY(stria_slot_find(x, &slot, err));
    if (!stria_slot_requires_grad(slot)) return refuse_no_grad("register_hook", err);
    return stria_hook_new(slot, fn, context, release, id, err);
}
