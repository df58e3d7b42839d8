/* checkpoint.c - functions that run again in a walk, instead of being remembered. */
#include "autograd/node.h"
#include "base/alloc.h"
#include "base/error.h"

#define OP "checkpoint"

/* The node, which owns the context from here on; the saved inputs are those of the second run. */
static stria_status new_node(const stria_replay *replay, stria_tensor *const *inputs, int n_inputs,
                             stria_tensor *const *outputs, int n_outputs, stria_node **out, stria_error *err)
{
    stria_node_plan plan = {.row = STRIA_ROW_REPLAY,
                            .n_in = n_inputs,
                            .n_out = n_outputs,
                            .n_saved = n_inputs,
                            .attrs_nbytes = sizeof *replay};
    int64_t        *sizes;
    stria_slot     *slot;

    for (int k = 0; k < n_outputs; k++) plan.n_sizes += outputs[k]->ndim;
    stria_node *node = stria_node_new(&plan, &sizes);
    if (node == NULL) return stria_gradient_fail_memory(OP, err);
    for (int k = 0; k < n_outputs; k++) {
        stria_node_describe(outputs[k], &node->slots[k].meta, &sizes);
        node->slots[k].device = outputs[k]->device;
    }
    for (int k = 0; k < n_inputs; k++) {
        stria_status status = stria_slot_find(inputs[k], &slot, err);
        if (status == STRIA_OK) status = stria_slot_view(inputs[k], slot, &node->saved[k].x, err);
        if (status != STRIA_OK) {
            stria_node_release(node);
            return status;
        }
        if (stria_slot_requires_grad(slot)) stria_node_set_edge(node, k, slot);
        node->saved[k].index = (unsigned)k;
        node->saved[k].version = atomic_load_explicit(&inputs[k]->storage->version, memory_order_relaxed);
    }
    stria_node_end_edges(node);
    *(stria_replay *)node->attrs = *replay;
    *out = node;
    return STRIA_OK;
}

static bool is_among(const stria_tensor *x, stria_tensor *const *others, int n)
{
    for (int k = 0; k < n; k++)
        if (others[k] != x && others[k]->storage == x->storage) return true;
    return false;
}

/* Whether the memory of an output has another history: it is an input's, that of another output, or of a tensor with a gradient. What is
 * written there could be told to one of them only. */
static bool is_shared(const stria_tensor *y, stria_tensor *const *inputs, int n_inputs, stria_tensor *const *outputs,
                      int n_outputs)
{
    if (y->gradient != NULL || (y->base != NULL && y->base->gradient != NULL)) return true;
    for (int k = 0; k < n_inputs; k++)
        if (inputs[k] == y) return true;
    return is_among(y, inputs, n_inputs) || is_among(y, outputs, n_outputs);
}

/* The slot becomes the history of *y: of another handle, where somebody else holds this one, who is not to see a history in the second run.
 * Where the memory is shared, it refuses to be written to. */
static stria_status attach(stria_tensor **y, stria_slot *slot, bool is_shared, stria_error *err)
{
    stria_tensor *own = *y;

    if (is_shared || atomic_load_explicit(&own->refcount, memory_order_relaxed) > 1) {
        STRIA_TRY(stria_slot_view(*y, NULL, &own, err));
        own->base = stria_tensor_retain(is_shared && (*y)->base == NULL ? *y : (*y)->base);
        stria_tensor_release(*y);
    }
    own->is_cut = is_shared;
    stria_slot_attach(own, slot);
    *y = own;
    return STRIA_OK;
}

static stria_status attach_all(stria_node *node, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                               int n_outputs, stria_error *err)
{
    bool        *are_shared = stria_object_new((size_t)n_outputs * sizeof *are_shared);
    stria_status status = are_shared != NULL ? STRIA_OK : stria_gradient_fail_memory(OP, err);

    for (int k = 0; k < n_outputs && status == STRIA_OK; k++)
        are_shared[k] = is_shared(outputs[k], inputs, n_inputs, outputs, n_outputs);
    for (int k = 0; k < n_outputs && status == STRIA_OK; k++)
        if (stria_is_differentiable(outputs[k]->dtype))
            status = attach(&outputs[k], &node->slots[k], are_shared[k], err);
    stria_object_release(are_shared);
    return status;
}

void stria_replay_end_context(stria_replay *replay)
{
    stria_draws_release(&replay->drawn);
    if (replay->release != NULL) replay->release(replay->context);
}

stria_status stria_replay_attach(const stria_replay *replay, stria_tensor *const *inputs, int n_inputs,
                                 stria_tensor **outputs, int n_outputs, stria_error *err)
{
    stria_node  *node = NULL;
    stria_status status = new_node(replay, inputs, n_inputs, outputs, n_outputs, &node, err);

    if (status != STRIA_OK) {
        stria_replay own = *replay;
        stria_replay_end_context(&own);
        return status;
    }
    status = attach_all(node, inputs, n_inputs, outputs, n_outputs, err);
    stria_node_release(node);
    return status;
}

stria_gradient_state stria_replay_begin(void)
{
    stria_gradient_state *here = &stria_gradient_here, was = *here;

    stria_gradients_begin();
    here->n_checkpoints++;
    here->is_repeated = !was.is_off || was.is_repeated;
    here->is_off = here->is_watching = true;
    here->has_met = false;
    return was;
}

bool stria_replay_end(const stria_gradient_state *was)
{
    stria_gradient_state *here = &stria_gradient_here;
    const bool            has_met = here->has_met;

    here->n_checkpoints--;
    here->is_off = was->is_off;
    here->is_watching = was->is_watching;
    here->is_repeated = was->is_repeated;
    here->has_met = was->has_met || has_met;
    return has_met && !was->is_off;
}

static stria_status check(stria_checkpoint_fn *fn, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                          int n_outputs, stria_error *err)
{
    if (fn == NULL || n_inputs < 0 || n_outputs < 1 || outputs == NULL || (n_inputs > 0 && inputs == NULL))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, fn == NULL ? "fn" : "outputs", NULL, NULL,
                               "there must be a function, and places for what it makes");
    for (int k = 0; k < n_inputs; k++)
        if (inputs[k] == NULL)
            return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "inputs", "tensors", "NULL", "input %d is NULL", k);
    if (stria_gradient_here.n_checkpoints < STRIA_MAX_CHECKPOINTS) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, OP, "fn", NULL, NULL,
                           "checkpoints lie more than %d deep in one another", STRIA_MAX_CHECKPOINTS);
}

/* The first run: outputs are made, or the status says why not. */
static stria_status run_first(stria_replay *replay, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                              int n_outputs, bool *needs, stria_error *err)
{
    const stria_gradient_state was = stria_replay_begin();
    stria_draw_scope           scope;
    stria_status               status;

    stria_draws_begin(&scope, &replay->drawn, NULL);
    status = replay->fn(replay->context, inputs, n_inputs, outputs, n_outputs, err);
    stria_draws_end(&scope);
    *needs = stria_replay_end(&was);
    for (int k = 0; k < n_outputs && status == STRIA_OK; k++)
        if (outputs[k] == NULL)
            status = stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "fn", "tensors", "NULL",
                                     "the function has not made output %d", k);
    return status == STRIA_OK && *needs && replay->drawn.is_lost ? stria_gradient_fail_memory(OP, err) : status;
}

stria_status stria_checkpoint(stria_checkpoint_fn *fn, void *context, void (*release)(void *context),
                              stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs, int n_outputs,
                              stria_error *err)
{
    stria_replay replay = {.fn = fn, .context = context, .release = release};
    bool         needs = false;
    stria_status status = check(fn, inputs, n_inputs, outputs, n_outputs, err);

    if (status == STRIA_OK) {
        for (int k = 0; k < n_outputs; k++) outputs[k] = NULL;
        status = run_first(&replay, inputs, n_inputs, outputs, n_outputs, &needs, err);
    }
    if (status == STRIA_OK && needs)
        status = stria_replay_attach(&replay, inputs, n_inputs, outputs, n_outputs, err);
    else
        stria_replay_end_context(&replay);
    for (int k = 0; status != STRIA_OK && outputs != NULL && k < n_outputs; k++) {
        stria_tensor_release(outputs[k]);
        outputs[k] = NULL;
    }
    return status;
}
