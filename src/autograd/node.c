/* node.c - nodes: making, releasing, visiting. */
#include "autograd/node.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/attrs.h"

_Thread_local stria_gradient_state stria_gradient_here;
spin_lock                          stria_gradient_lock = ATOMIC_FLAG_INIT;

/* ---------------------------------------------------------------- nodes */

static void *take(char **at, size_t nbytes)
{
    void *p = *at;
    *at += (nbytes + 7) / 8 * 8;
    return p;
}

stria_node *stria_node_new(const stria_node_plan *plan, int64_t **sizes)
{
    const size_t slots = (size_t)plan->n_out * sizeof(stria_slot), edges = (size_t)plan->n_in * sizeof(stria_slot *);
    const size_t inputs = plan->has_inputs ? (size_t)plan->n_in * sizeof(stria_rule_meta) : 0;
    const size_t saved = (size_t)plan->n_saved * sizeof(stria_saved), shapes = (size_t)plan->n_sizes * sizeof(int64_t);
    const size_t total = sizeof(stria_node) + slots + edges + inputs + saved + shapes + plan->attrs_nbytes + 40;
    stria_node  *node = stria_object_new(total);

    if (node == NULL) return NULL;
    char *at = (char *)node + sizeof(stria_node) + slots;
    atomic_init(&node->refcount, 1);
    node->row = plan->row;
    node->rule = plan->rule;
    node->n_in = plan->n_in;
    node->n_out = plan->n_out;
    node->n_saved = plan->n_saved;
    *sizes = take(&at, shapes);
    if (plan->has_inputs) node->inputs = take(&at, inputs);
    node->saved = take(&at, saved);
    node->edges = take(&at, edges);
    node->attrs = take(&at, plan->attrs_nbytes);
    for (int k = 0; k < plan->n_out; k++) {
        node->slots[k].node = node;
        node->slots[k].index = k;
    }
    return node;
}

static bool drop(stria_node *node)
{
    return atomic_load_explicit(&node->refcount, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(&node->refcount, 1, memory_order_acq_rel) == 1;
}

/* What a copy of attributes holds beside its block. */
static void end_attrs(const stria_node *node)
{
    if (node->row == STRIA_ROW_REPLAY) {
        stria_replay_end_context(node->attrs);
    }
    if (node->row < STRIA_ROW_EXPRESSION) stria_attrs_end(node->row, node->attrs);
}

static void end(stria_node *node)
{
    for (int k = 0; k < node->n_saved; k++) stria_tensor_release(node->saved[k].x);
    for (int k = 0; k < node->n_out; k++) {
        stria_tensor_release(node->slots[k].grad);
        stria_hook_release_all(&node->slots[k]);
    }
    end_attrs(node);
    stria_object_release(node);
}

/* The last owner of a node ends it, and with it, perhaps, the nodes that its edges and saved tensors own: those wait in a list. */
void stria_node_release(stria_node *node)
{
    stria_gradient_state *here;

    if (node == NULL || !drop(node)) return;
    here = &stria_gradient_here;
    node->next = here->ending;
    here->ending = node;
    if (here->is_ending) return;
    here->is_ending = true;
    while ((node = here->ending) != NULL) {
        here->ending = node->next;
        for (int k = 0; k < node->n_in; k++)
            if (node->edges[k] != NULL) stria_node_release(node->edges[k]->node);
        end(node);
    }
    here->is_ending = false;
}

/* ---------------------------------------------------------------- visits */

/* visits is their number, FREED once one of them wants what the node has saved to be freed, and ENDED once the last one does that. */
#define FREED (1U << 31)
#define ENDED (1U << 30)

stria_node_visit stria_node_enter(stria_node *node, bool is_owner)
{
    if (node->n_saved == 0 && node->row != STRIA_ROW_REPLAY) return STRIA_VISIT_NONE;
    if (is_owner && atomic_load_explicit(&node->refcount, memory_order_acquire) == 1)
        return atomic_load_explicit(&node->visits, memory_order_acquire) == 0 ? STRIA_VISIT_ALONE : STRIA_VISIT_REFUSED;
    if ((atomic_fetch_add_explicit(&node->visits, 1, memory_order_acquire) & FREED) == 0) return STRIA_VISIT_COUNTED;
    stria_node_leave(node, STRIA_VISIT_COUNTED, false);
    return STRIA_VISIT_REFUSED;
}

/* A checkpoint has its function, whatever it was given. */
static bool has_freeable(const stria_node *node)
{
    if (node->row == STRIA_ROW_REPLAY) return true;
    for (int k = 0; k < node->n_saved; k++)
        if (!node->saved[k].x->is_wrapped_number) return true;
    return false;
}

static void free_saved(stria_node *node)
{
    for (int k = 0; k < node->n_saved; k++) {
        stria_tensor_release(node->saved[k].x);
        node->saved[k].x = NULL;
    }
    for (int k = 0; k < node->n_in; k++) {
        stria_slot *slot = node->edges[k];
        node->edges[k] = NULL;
        if (slot != NULL) stria_node_release(slot->node);
    }
}

void stria_node_leave(stria_node *node, stria_node_visit visit, bool frees)
{
    unsigned freed = FREED;

    if (visit == STRIA_VISIT_NONE || visit == STRIA_VISIT_REFUSED) return;
    frees = frees && has_freeable(node);
    if (visit == STRIA_VISIT_ALONE) {
        if (!frees) return;
        atomic_store_explicit(&node->visits, FREED | ENDED, memory_order_relaxed);
        free_saved(node);
        return;
    }
    if (frees) atomic_fetch_or_explicit(&node->visits, FREED, memory_order_relaxed);
    if (atomic_fetch_sub_explicit(&node->visits, 1, memory_order_acq_rel) == (FREED | 1) &&
        atomic_compare_exchange_strong_explicit(&node->visits, &freed, FREED | ENDED, memory_order_acq_rel,
                                                memory_order_relaxed))
        free_saved(node);
}

stria_status stria_node_refuse_freed(const stria_node *node, stria_error *err)
{
    const char *name = stria_node_get_name(node->row);

    return stria_error_set(err, STRIA_ERR_ARGUMENT, "backward", name, NULL, NULL,
                           "what %s has saved was freed by an earlier walk, which did not retain the graph", name);
}

stria_status stria_gradient_fail_memory(const char *op, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_MEMORY, op, NULL, NULL, NULL, "no memory");
}

/* ---------------------------------------------------------------- describing */

void stria_node_describe(const stria_tensor *x, stria_rule_meta *meta, int64_t **sizes)
{
    meta->dtype = x->dtype;
    meta->ndim = x->ndim;
    meta->numel = x->numel;
    meta->shape = *sizes;
    for (int d = 0; d < x->ndim; d++) (*sizes)[d] = x->shape[d];
    *sizes += x->ndim;
}

void stria_node_set_edge(stria_node *node, int k, stria_slot *slot)
{
    node->edges[k] = slot;
    if (slot == NULL) return;
    stria_node_retain(slot->node);
    if (slot->node->sequence > node->sequence) node->sequence = slot->node->sequence;
}

void stria_node_end_edges(stria_node *node)
{
    stria_gradient_state *here = &stria_gradient_here;

    if (here->sequence > node->sequence) node->sequence = here->sequence;
    here->sequence = ++node->sequence;
}

const char *stria_node_get_name(stria_row row)
{
    if (row == STRIA_ROW_LEAF) return "a leaf";
    if (row == STRIA_ROW_VIEW_OF || row == STRIA_ROW_WRITE_VIEW) return "a view";
    if (row == STRIA_ROW_REPLAY) return "checkpoint";
    return row >= 0 && row < STRIA_ROW_LEAF ? stria_row_get_name(row) : "an unknown call";
}
