/* record_node.c - the node of a call: its attributes, what its rule is going to read, where gradients go. */
#include <limits.h>
#include <string.h>

#include "autograd/record.h"
#include "base/error.h"

/* ---------------------------------------------------------------- attributes */

/* Bytes of what a list or text lies in beside the record. */
static size_t measure_attribute(const stria_param *param, const char *attrs)
{
    const char *field = attrs + param->offset;

    switch (param->kind) {
    case STRIA_KIND_AXES: return (size_t)((const stria_axes *)(const void *)field)->n * sizeof(int) + 8;
    case STRIA_KIND_SHAPE:
    case STRIA_KIND_INT_LIST: return (size_t)((const stria_sizes *)(const void *)field)->n * sizeof(int64_t);
    case STRIA_KIND_INT_OR_LIST: return (size_t)((const stria_int_or_list *)(const void *)field)->n * sizeof(int64_t);
    case STRIA_KIND_TEXT: return strlen(*(const char *const *)(const void *)field) + 9;
    default: return 0;
    }
}

static size_t measure_attrs(const stria_record *r)
{
    const char *attrs = r->call->attrs;

    if (attrs == NULL) return 0;
    if (r->schema == NULL)
        return sizeof(stria_reduce_attrs) + (size_t)((const stria_reduce_attrs *)r->call->attrs)->axes.n * sizeof(int);
    size_t total = (r->schema->attrs_size + 7) / 8 * 8;
    for (int k = 0; k < r->schema->n_attributes; k++) total += measure_attribute(&r->schema->attributes[k], attrs);
    return total;
}

static const void *copy_list(const void *from, size_t nbytes, char **room)
{
    char *to = *room;

    if (from == NULL) return NULL;
    memcpy(to, from, nbytes);
    *room += (nbytes + 7) / 8 * 8;
    return to;
}

static void copy_attribute(const stria_param *param, char *attrs, char **room)
{
    void *field = attrs + param->offset;

    if (param->kind == STRIA_KIND_AXES) {
        stria_axes *axes = field;
        axes->at = copy_list(axes->at, (size_t)axes->n * sizeof(int), room);
    } else if (param->kind == STRIA_KIND_SHAPE || param->kind == STRIA_KIND_INT_LIST) {
        stria_sizes *sizes = field;
        sizes->at = copy_list(sizes->at, (size_t)sizes->n * sizeof(int64_t), room);
    } else if (param->kind == STRIA_KIND_INT_OR_LIST) {
        stria_int_or_list *sizes = field;
        sizes->at = copy_list(sizes->at, (size_t)sizes->n * sizeof(int64_t), room);
    } else if (param->kind == STRIA_KIND_TEXT) {
        const char **text = field;
        *text = copy_list(*text, strlen(*text) + 1, room);
    } else if (param->kind == STRIA_KIND_GENERATOR) {
        stria_generator_retain(*(stria_generator **)field);
    }
}

static void copy_attrs(const stria_record *r, stria_node *node)
{
    char *room = node->attrs;

    if (r->call->attrs == NULL) return;
    if (r->schema == NULL) {
        stria_reduce_attrs *attrs = node->attrs;
        *attrs = *(const stria_reduce_attrs *)r->call->attrs;
        room += sizeof *attrs;
        attrs->axes.at = copy_list(attrs->axes.at, (size_t)attrs->axes.n * sizeof(int), &room);
        return;
    }
    memcpy(node->attrs, r->call->attrs, r->schema->attrs_size);
    room += (r->schema->attrs_size + 7) / 8 * 8;
    for (int k = 0; k < r->schema->n_attributes; k++) copy_attribute(&r->schema->attributes[k], node->attrs, &room);
}

/* ---------------------------------------------------------------- nodes of calls */

static bool wants(const stria_node *node, int k)
{
    if (k != STRIA_RULE_ANY) return k < node->n_in && node->edges[k] != NULL;
    for (int i = 0; i < node->n_in; i++)
        if (node->edges[i] != NULL) return true;
    return false;
}

/* Whether the history of x may become this node, or one that holds it: that would be a cycle. It may not be that of leaves, which are
 * written to only where nothing is recorded. */
static stria_status find_whether_written(const stria_tensor *x, bool *may_get_history, stria_error *err)
{
    stria_slot *slot;

    STRIA_TRY(stria_slot_find(x, &slot, err));
    *may_get_history = !x->is_wrapped_number && !(slot != NULL && slot->requires_grad && stria_slot_is_leaf(slot));
    return STRIA_OK;
}

static stria_status save(stria_node *node, int *n, const stria_tensor *x, int index, bool is_output, bool copies,
                         stria_error *err)
{
    stria_saved *saved = &node->saved[*n];
    bool         may_get_history = true;

    if (x == NULL) return STRIA_OK;
    for (int k = 0; k < *n; k++)
        if ((int)node->saved[k].index == index && node->saved[k].is_output == is_output) return STRIA_OK;
    if (!is_output) STRIA_TRY(find_whether_written(x, &may_get_history, err));
    saved->index = (unsigned)index & INT_MAX;
    saved->is_output = is_output;
    if (!is_output && copies)
        STRIA_TRY(stria_tensor_copy(x, STRIA_DTYPE_NONE, &saved->x, err));
    else if (may_get_history)
        STRIA_TRY(stria_slot_view(x, NULL, &saved->x, err));
    else
        saved->x = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
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
    plan.attrs_nbytes = measure_attrs(r);
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
    copy_attrs(r, node);
    status = set_edges(r, node, err);
    if (status == STRIA_OK) status = save_all(r, node, y, err);
    if (status == STRIA_OK)
        *out = node;
    else
        stria_node_release(node);
    return status;
}
