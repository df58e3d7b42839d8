/* walk_sum.c - sums of gradients in a walk, and those that tensors keep (walk_parts.h). */
#include "autograd/walk_parts.h"
#include "base/alloc.h"
#include "base/error.h"

/* ---------------------------------------------------------------- sums of gradients */

/* Whether x may be written to: nobody else knows it. */
static bool is_own(const stria_walk *walk, const stria_tensor *x)
{
    return !stria_walk_creates(walk) && stria_tensor_is_alone(x) && x->gradient == NULL &&
           stria_tensor_is_contiguous(x);
}

static stria_status add_into(const stria_tensor *a, const stria_tensor *b, stria_tensor *out, stria_error *err)
{
    const stria_tensor *in[] = {a, b};
    return stria_apply_out(STRIA_OP_add, in, 2, out, err);
}

stria_status stria_walk_add(const stria_walk *walk, stria_tensor **sum, stria_tensor *x, stria_error *err)
{
    stria_tensor *y = NULL;
    stria_status  status;

    if (*sum == NULL) {
        *sum = x;
        return STRIA_OK;
    }
    if (is_own(walk, *sum)) {
        status = add_into(*sum, x, *sum, err);
    } else if (is_own(walk, x)) {
        status = add_into(*sum, x, x, err);
        if (status == STRIA_OK) y = stria_tensor_retain(x);
    } else {
        status = stria_add(*sum, x, &y, err);
    }
    stria_tensor_release(x);
    if (status != STRIA_OK || y == NULL) return status;
    stria_tensor_release(*sum);
    *sum = y;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- .grad */

/* A tensor for .grad, which the user may write to: x itself, if only the walk holds it and its memory, or a copy, in rows where its tensor is;
 * x stays the caller's. With STRIA_GRAD_CREATE it keeps its history. */
static stria_status new_grad(const stria_walk *walk, stria_tensor *x, bool in_rows, stria_tensor **y, stria_error *err)
{
    if (in_rows && !stria_tensor_is_contiguous(x)) return stria_contiguous(x, y, err);
    if (is_own(walk, x) ||
        (stria_walk_creates(walk) && stria_tensor_is_alone(x) && stria_tensor_is_contiguous(x) && x->base == NULL)) {
        *y = stria_tensor_retain(x);
        return STRIA_OK;
    }
    *y = NULL;
    return stria_tensor_copy(x, STRIA_DTYPE_NONE, y, err);
}

/* One walk at a time adds to the gradient of a slot. *grad: what it is now, owned by the caller; in_rows: its tensor is contiguous. False: nobody
 * can ask for it. */
static bool begin_sum(stria_slot *slot, stria_tensor **grad, bool *in_rows)
{
    for (int round = 0;; round++) {
        lock(&slot->guard);
        if (!slot->is_summing) break;
        unlock(&slot->guard);
        pause_briefly(round);
    }
    slot->is_summing = slot->owner != NULL;
    const bool is_summing = slot->is_summing;
    *grad = is_summing ? stria_tensor_retain(slot->grad) : NULL;
    *in_rows = is_summing && stria_tensor_is_contiguous(slot->owner);
    unlock(&slot->guard);
    return is_summing;
}

/* The sum of a slot is over: y takes the place of grad, unless this is another by now, or nobody's. Returns where both are instead, if they
 * have moved meanwhile, with its node; NULL: *old is what the caller has to release. */
static stria_slot *end_sum_at(stria_slot *slot, const stria_tensor *grad, stria_tensor *y, stria_tensor **old)
{
    lock(&slot->guard);
    stria_slot *next = slot->moved_to;
    slot->moved_to = NULL;
    slot->is_summing = false;
    if (next == NULL && y != NULL && slot->owner != NULL && slot->grad == grad) {
        *old = slot->grad;
        slot->grad = y;
    }
    unlock(&slot->guard);
    return next;
}

/* y (NULL: none) is the gradient from now on, unless it is another than it was, or nobody's, by now. Takes both over. */
static void end_sum(stria_slot *slot, stria_tensor *grad, stria_tensor *y)
{
    stria_tensor *old = y;
    stria_slot   *next = end_sum_at(slot, grad, y, &old);

    while (next != NULL) {
        stria_node *node = next->node;
        next = end_sum_at(next, grad, y, &old);
        stria_node_release(node);
    }
    stria_tensor_release(old);
    stria_tensor_release(grad);
}

stria_status stria_walk_add_to_grad(const stria_walk *walk, stria_slot *slot, stria_tensor *x, stria_error *err)
{
    stria_tensor *grad, *y = NULL;
    stria_status  status;
    bool          in_rows;

    stria_gradient_watch(slot, true);
    if (!begin_sum(slot, &grad, &in_rows)) return STRIA_OK;
    if (grad == NULL)
        status = new_grad(walk, x, in_rows, &y, err);
    else if (stria_tensor_is_lost(grad))
        status = stria_error_set(err, STRIA_ERR_DISPOSED, "backward", "grad", "a tensor whose memory is there", NULL,
                                 "the gradient so far lies in memory that was taken away");
    else if (stria_walk_creates(walk))
        status = stria_add(grad, x, &y, err);
    else
        status = add_into(grad, x, grad, err);
    end_sum(slot, grad, y);
    return status;
}
