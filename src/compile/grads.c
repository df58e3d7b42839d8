/* grads.c - .grad of tensors with elements: a recording leaves it as it was, and each run of the graph does to it what the program did. */
#include "base/error.h"
#include "compile/graph.h"

static stria_slot *get_slot(const stria_graph_grad *grad) { return &grad->leaf->slots[0]; }

/* y, taken over, is what it is from now on. Returns what it was, owned by the caller. */
static stria_tensor *exchange(const stria_graph_grad *grad, stria_tensor *y)
{
    stria_slot   *slot = get_slot(grad);
    stria_tensor *old = y; /* nobody can ask for that of a tensor that has ended */

    lock(&slot->guard);
    if (slot->owner != NULL) {
        old = slot->grad;
        slot->grad = y;
    }
    unlock(&slot->guard);
    return old;
}

void stria_graph_grad_end(stria_graph_grad *grad)
{
    stria_tensor_release(grad->first);
    stria_tensor_release(grad->last);
    stria_node_release(grad->leaf);
}

/* What the program has made of it is `last`. */
void stria_graph_grad_take_back(stria_graph_grad *grad)
{
    grad->last = exchange(grad, stria_tensor_retain(grad->first));
    grad->is_set |= grad->last != grad->first;
}

stria_status stria_graph_grads_check(const stria_graph *g, stria_error *err)
{
    for (int k = 0; k < g->grads.n; k++) {
        const stria_graph_grad *grad = &g->grads.at[k];
        stria_slot             *slot = get_slot(grad);
        if (!grad->is_read) continue;
        lock(&slot->guard);
        const bool is_same = slot->owner == NULL || slot->grad == grad->first;
        unlock(&slot->guard);
        if (!is_same)
            return stria_error_set(err, STRIA_ERR_ARGUMENT, "graph", "grad", "as it was recorded", NULL,
                                   "the graph reads or adds to the gradient of a tensor that it holds, which was %s "
                                   "when it was recorded, and is another one now; record it again",
                                   grad->first == NULL ? "none" : "there");
    }
    return STRIA_OK;
}

void stria_graph_grad_set(const stria_graph_grad *grad, stria_tensor *y) { stria_tensor_release(exchange(grad, y)); }

/* Unless it is what the run is given: by a borrowed handle, perhaps. */
static stria_tensor *take_unused(const stria_graph_grad *grad, stria_tensor *const *in, int n_in)
{
    stria_slot   *slot = get_slot(grad);
    stria_tensor *old;

    lock(&slot->guard);
    old = slot->owner != NULL ? slot->grad : NULL;
    for (int k = 0; k < n_in && old != NULL; k++)
        if (in[k] == old) old = NULL;
    if (old != NULL) slot->grad = NULL;
    unlock(&slot->guard);
    return old;
}

void stria_graph_grads_drop(const stria_graph *g, stria_tensor *const *in)
{
    for (int k = 0; k < g->grads.n; k++) {
        const stria_graph_grad *grad = &g->grads.at[k];
        if (grad->is_set && !grad->is_read) stria_tensor_release(take_unused(grad, in, g->planned.inputs.n));
    }
}
