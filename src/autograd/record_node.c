/* record_node.c - the node of a call: what its rule is going to read, where gradients go. */
#include <limits.h>
#include <string.h>

#include "autograd/record.h"
#include "base/error.h"
#include "call/attrs.h"

/* ---------------------------------------------------------------- nodes of calls */

static bool wants(const stria_node *node, int k)
{
    if (k != STRIA_RULE_ANY) return k < node->n_in && node->edges[k] != NULL;
    for (int i = 0; i < node->n_in; i++)
        if (node->edges[i] != NULL) return true;
    return false;
}

/* Tensors are saved by handles without history, whose memory they share: the history of the caller's handle may become this node, or one that
 * holds it, and its .grad may have one that leads here; that would be a cycle. The edge to an input has its history. */
static stria_status save(stria_node *node, int *n, const stria_tensor *x, int index, bool is_output, bool copies,
                         stria_error *err)
{
    stria_saved *saved = &node->saved[*n];

    if (x == NULL) return STRIA_OK;
    for (int k = 0; k < *n; k++)
        if ((int)node->saved[k].index == index && node->saved[k].is_output == is_output) return STRIA_OK;
    saved->index = (unsigned)index & INT_MAX;
    saved->is_output = is_output;
    if (!is_output && copies)
        STRIA_TRY(stria_tensor_copy(x, STRIA_DTYPE_NONE, &saved->x, err));
    else if (x->is_wrapped_number)
        saved->x = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
    else
        STRIA_TRY(stria_slot_view(x, NULL, &saved->x, err));
    saved->version = atomic_load_explicit(&saved->x->storage->version, memory_order_relaxed);
    (*n)++;
    return STRIA_OK;
}

/* What a formula mentions. In place the first input is about to be written over: it is copied. */
static stria_status save_mentions(const stria_record *r, stria_node *node, int *n, unsigned mentions,
                                  stria_tensor *const *y, stria_error *err)
{
    for (int k = 0; k < r->n_in; k++)
        if ((mentions >> k & 1) != 0)
            STRIA_TRY(save(node, n, stria_record_get_input(r, k), k, false, r->is_in_place && k == 0, err));
    if ((mentions >> STRIA_VALUE_Y & 1) != 0) STRIA_TRY(save(node, n, y[0], 0, true, false, err));
    return STRIA_OK;
}

static stria_status save_line(const stria_record *r, stria_node *node, int *n, const stria_rule_save *line,
                              stria_tensor *const *y, stria_error *err)
{
    if (line->kind == 'Y') return save(node, n, y[line->index], line->index, true, false, err);
    if (line->index != STRIA_RULE_LIST)
        return save(node, n, stria_record_get_input(r, line->index), line->index, false,
                    r->is_in_place && line->index == 0, err);
    for (int k = r->n_in - r->call->n_list; k < r->n_in; k++)
        STRIA_TRY(save(node, n, stria_record_get_input(r, k), k, false, false, err));
    return STRIA_OK;
}

/* Whether this is a call that the line is for. */
static bool is_met(const stria_record *r, stria_rule_when when)
{
    if (when == STRIA_SAVE_OF_ALL) return stria_rule_is_of_all(r->call->row, r->call->attrs);
    if (when == STRIA_SAVE_OF_VALUES) return stria_rule_is_of_values(r->call->row, r->call->attrs);
    return true;
}

static stria_status save_all(const stria_record *r, stria_node *node, stria_tensor *const *y, stria_error *err)
{
    const stria_formula *formula;
    int                  n = 0;

    if (r->rule->kind == STRIA_RULE_FORMULAS) {
        for (int k = 0; k < r->n_in; k++) {
            if (node->edges[k] == NULL || r->rule->formulas[k] == NULL) continue;
            STRIA_TRY(stria_formula_get(r->call->row, k, &formula, err));
            STRIA_TRY(save_mentions(r, node, &n, formula->mentions, y, err));
        }
    } else if (r->rule->kind == STRIA_RULE_FUNCTION) {
        for (const stria_rule_save *line = r->rule->saves; line->kind != 0; line++)
            if (wants(node, line->input) && is_met(r, (stria_rule_when)line->when))
                STRIA_TRY(save_line(r, node, &n, line, y, err));
    }
    node->n_saved = n;
    return STRIA_OK;
}

static int count_saves(const stria_record *r)
{
    int n = 0;

    if (r->rule->kind == STRIA_RULE_FORMULAS) return STRIA_MAX_INPUTS + 1;
    for (const stria_rule_save *line = r->rule->saves; line->kind != 0; line++)
        n += line->index == STRIA_RULE_LIST ? r->call->n_list : 1;
    return n;
}

static stria_status set_edges(const stria_record *r, stria_node *node, stria_error *err)
{
    stria_slot *slot;

    for (int k = 0; k < r->n_in; k++) {
        const stria_tensor *x = stria_record_get_input(r, k);
        if (x == NULL || (x->base == NULL && x->gradient == NULL)) continue;
        STRIA_TRY(stria_slot_find(x, &slot, err));
        if (stria_slot_requires_grad(slot)) stria_node_set_edge(node, k, slot);
    }
    stria_node_end_edges(node);
    return STRIA_OK;
}

/* The node of a call that has made y, or is going to write to it. */
stria_status stria_record_new_node(const stria_record *r, stria_tensor *const *y, stria_node **out, stria_error *err)
{
    stria_node_plan plan = {.row = r->call->row, .rule = r->rule, .n_in = r->n_in, .n_out = r->n_out};
    int64_t        *sizes;
    stria_status    status;

    plan.n_saved = count_saves(r);
    plan.has_inputs = r->rule->kind == STRIA_RULE_FUNCTION;
    plan.attrs_nbytes = stria_attrs_get_nbytes(r->call);
    for (int k = 0; k < r->n_out; k++) plan.n_sizes += y[k]->ndim;
    for (int k = 0; plan.has_inputs && k < r->n_in; k++)
        if (stria_record_get_input(r, k) != NULL) plan.n_sizes += stria_record_get_input(r, k)->ndim;
    stria_node *node = stria_node_new(&plan, &sizes);
    if (node == NULL) return stria_gradient_fail_memory(stria_call_get_name(r->call), err);
    for (int k = 0; k < r->n_out; k++) {
        stria_node_describe(y[k], &node->slots[k].meta, &sizes);
        node->slots[k].device = y[k]->device;
    }
    for (int k = 0; plan.has_inputs && k < r->n_in; k++)
        if (stria_record_get_input(r, k) != NULL)
            stria_node_describe(stria_record_get_input(r, k), &node->inputs[k], &sizes);
    stria_attrs_copy(r->call, node->attrs);
    status = set_edges(r, node, err);
    if (status == STRIA_OK) status = save_all(r, node, y, err);
    if (status == STRIA_OK)
        *out = node;
    else
        stria_node_release(node);
    return status;
}
