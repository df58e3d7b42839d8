/* record.c - what a call leaves behind: the door's side of gradients.
 *
 *     nothing requires a gradient, or nothing is recorded    the call is as it would be without gradients
 *     a composite without a rule                             its inner calls come here
 *     others                                                 the call runs, and a node is attached to its results
 *
 * In place: x.mul_(y) is a call whose result is the history of x from then on. Where x is a view, its base gets the new history:
 *
 *     base --(view)--> x --(mul)--> r         base, r --(write view)--> base
 *
 * and views of that base, x among them, look at it anew when they are next used. */
#include "autograd/node.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "call/call_internal.h"
#include "cpu/expression.h"
#include "table/rows.h"

/* What is found out about a call before it runs. */
typedef struct record {
    const stria_call   *call;
    stria_family_fn    *family;
    const stria_schema *schema; /* NULL: of an op or reduction */
    const stria_rule   *rule;
    int                 n_in, n_out;
    bool                needs;       /* an input requires a gradient */
    bool                is_given;    /* a result goes into a tensor of the caller */
    bool                is_in_place; /* which is the first input */
} record;

/* ---------------------------------------------------------------- what the call is */

static const stria_tensor *get_input(const record *r, int k)
{
    return r->schema != NULL ? stria_call_get_input(r->call, r->schema, k) : r->call->in[k];
}

static void describe(const stria_call *call, stria_family_fn *family, record *r)
{
    r->call = call;
    r->family = family;
    r->schema = NULL;
    r->rule = stria_rule_of(call->row);
    r->n_in = call->in != NULL ? call->n_in : 0;
    r->n_out = 1;
    if (call->row >= STRIA_ROW_OF_FUNCTION(0) && call->row < STRIA_ROW_EXPRESSION) {
        r->schema = stria_schema_get(stria_call_get_function(call));
        r->n_in = stria_call_count_inputs(call, r->schema);
        if (call->list == NULL || call->n_list < 0) r->n_in -= call->n_list; /* it is going to be refused */
        r->n_out = call->out == NULL ? 0 : r->schema->n_outputs;
    }
    r->needs = r->is_given = r->is_in_place = false;
}

static stria_status find_requirements(record *r, stria_error *err)
{
    const stria_call *call = r->call;
    stria_slot       *slot;

    for (int k = 0; k < r->n_in && !r->needs; k++) {
        const stria_tensor *x = get_input(r, k);
        if (x == NULL || (x->gradient == NULL && x->base == NULL)) continue;
        STRIA_TRY(stria_slot_find(x, &slot, err));
        r->needs = stria_slot_requires_grad(slot);
    }
    for (int k = 0; k < r->n_out; k++) {
        if (call->out[k] == NULL) continue;
        r->is_given = true;
        STRIA_TRY(stria_slot_find(call->out[k], &slot, err));
        const stria_tensor *base = call->out[k]->base;
        if (stria_slot_requires_grad(slot) || (call->out[k]->is_cut && stria_slot_requires_grad(base->gradient)))
            r->needs = true;
    }
    const bool may_lie_over = r->schema == NULL ? call->row < STRIA_OP_COUNT || call->row == STRIA_ROW_EXPRESSION
                                                : r->schema->outputs[0].kind == STRIA_KIND_INPLACE;
    r->is_in_place = r->is_given && may_lie_over && r->n_in > 0 && call->out[0] == get_input(r, 0);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- refusals */

static stria_status refuse_out(const record *r, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(r->call), "out", "a new result",
                           "a tensor of the caller",
                           "a result that has a gradient cannot be written to out; take the new one, or turn "
                           "gradients off");
}

static stria_status refuse_write(const record *r, const char *what, const char *mend, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(r->call), "out", NULL, what,
                           "%s cannot be changed in place%s", what, mend);
}

/* What a tensor that is written to may not be. */
static stria_status check_write(const record *r, const stria_tensor *x, stria_error *err)
{
    static const char   turn_off[] = " while gradients are recorded";
    const stria_tensor *base = x->base;
    const stria_slot   *slot = x->gradient, *base_slot = base != NULL ? base->gradient : NULL;

    if (slot != NULL && stria_slot_is_leaf(slot) && slot->requires_grad)
        return refuse_write(r, "a leaf that requires a gradient", turn_off, err);
    if (atomic_load_explicit(&x->storage->has_untracked, memory_order_relaxed))
        return refuse_write(r, "memory with views from before gradients were first used",
                            ", as these would not know; clone it, or make it later", err);
    if (base == NULL) return STRIA_OK;
    if (base_slot != NULL && stria_slot_is_leaf(base_slot) && base_slot->requires_grad)
        return refuse_write(r, "a view of a leaf that requires a gradient", turn_off, err);
    if (x->is_cut) return refuse_write(r, "a view that was made without gradients", turn_off, err);
    return STRIA_OK;
}

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

static size_t measure_attrs(const record *r)
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

static void copy_attrs(const record *r, stria_node *node)
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
static bool may_get_history(const stria_tensor *x)
{
    const stria_slot *slot = x->gradient;
    return !x->is_wrapped_number && !(slot != NULL && slot->requires_grad && stria_slot_is_leaf(slot));
}

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
    else if (is_output || may_get_history(x))
        STRIA_TRY(stria_slot_view(x, NULL, &saved->x, err));
    else
        saved->x = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
    saved->version = atomic_load_explicit(&saved->x->storage->version, memory_order_relaxed);
    (*n)++;
    return STRIA_OK;
}

/* What a formula mentions. In place the first input is about to be written over: it is copied. */
static stria_status save_mentions(const record *r, stria_node *node, int *n, unsigned mentions, stria_tensor *const *y,
                                  stria_error *err)
{
    for (int k = 0; k < r->n_in; k++)
        if ((mentions >> k & 1) != 0)
            STRIA_TRY(save(node, n, get_input(r, k), k, false, r->is_in_place && k == 0, err));
    if ((mentions >> STRIA_VALUE_Y & 1) != 0) STRIA_TRY(save(node, n, y[0], 0, true, false, err));
    return STRIA_OK;
}

static stria_status save_line(const record *r, stria_node *node, int *n, const stria_rule_save *line,
                              stria_tensor *const *y, stria_error *err)
{
    if (line->kind == 'Y') return save(node, n, y[line->index], line->index, true, false, err);
    if (line->index != STRIA_RULE_LIST)
        return save(node, n, get_input(r, line->index), line->index, false, r->is_in_place && line->index == 0, err);
    for (int k = r->n_in - r->call->n_list; k < r->n_in; k++)
        STRIA_TRY(save(node, n, get_input(r, k), k, false, false, err));
    return STRIA_OK;
}

/* Whether the call is of a row whose attribute dim was not given. */
static bool is_of_all(const record *r)
{
    for (int k = 0; r->schema != NULL && k < r->schema->n_attributes; k++) {
        const stria_param *param = &r->schema->attributes[k];
        if (param->kind == STRIA_KIND_AXIS && strcmp(param->name, "dim") == 0)
            return *(const int *)(const void *)((const char *)r->call->attrs + param->offset) == STRIA_AXIS_NONE;
    }
    return true;
}

static stria_status save_all(const record *r, stria_node *node, stria_tensor *const *y, stria_error *err)
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
            if (wants(node, line->input) && (!line->is_of_all || is_of_all(r)))
                STRIA_TRY(save_line(r, node, &n, line, y, err));
    }
    node->n_saved = n;
    return STRIA_OK;
}

static int count_saves(const record *r)
{
    int n = 0;

    if (r->rule->kind == STRIA_RULE_FORMULAS) return STRIA_MAX_INPUTS + 1;
    for (const stria_rule_save *line = r->rule->saves; line->kind != 0; line++)
        n += line->index == STRIA_RULE_LIST ? r->call->n_list : 1;
    return n;
}

static stria_status set_edges(const record *r, stria_node *node, stria_error *err)
{
    stria_slot *slot;

    for (int k = 0; k < r->n_in; k++) {
        const stria_tensor *x = get_input(r, k);
        if (x == NULL || (x->gradient == NULL && x->base == NULL)) continue;
        STRIA_TRY(stria_slot_find(x, &slot, err));
        if (stria_slot_requires_grad(slot)) stria_node_set_edge(node, k, slot);
    }
    stria_node_end_edges(node);
    return STRIA_OK;
}

/* The node of a call that has made y, or is going to write to it. */
static stria_status new_node(const record *r, stria_tensor *const *y, stria_node **out, stria_error *err)
{
    stria_node_plan plan = {.row = r->call->row, .rule = r->rule, .n_in = r->n_in, .n_out = r->n_out};
    int64_t        *sizes;
    stria_status    status;

    plan.n_saved = count_saves(r);
    plan.has_inputs = r->rule->kind == STRIA_RULE_FUNCTION;
    plan.attrs_nbytes = measure_attrs(r);
    for (int k = 0; k < r->n_out; k++) plan.n_sizes += y[k]->ndim;
    for (int k = 0; plan.has_inputs && k < r->n_in; k++)
        if (get_input(r, k) != NULL) plan.n_sizes += get_input(r, k)->ndim;
    stria_node *node = stria_node_new(&plan, &sizes);
    if (node == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, stria_call_get_name(r->call), NULL, NULL, NULL, "no memory");
    for (int k = 0; k < r->n_out; k++) {
        stria_node_describe(y[k], &node->slots[k].meta, &sizes);
        node->slots[k].device = y[k]->device;
    }
    for (int k = 0; plan.has_inputs && k < r->n_in; k++)
        if (get_input(r, k) != NULL) stria_node_describe(get_input(r, k), &node->inputs[k], &sizes);
    copy_attrs(r, node);
    status = set_edges(r, node, err);
    if (status == STRIA_OK) status = save_all(r, node, y, err);
    if (status == STRIA_OK)
        *out = node;
    else
        stria_node_release(node);
    return status;
}

/* ---------------------------------------------------------------- running */

static void note_writers(const stria_call *call, int n_out)
{
    for (int k = 0; k < n_out; k++)
        if (call->out[k] != NULL)
            atomic_store_explicit(&call->out[k]->storage->writer, (short)call->row, memory_order_relaxed);
}

/* Nothing is recorded inside. */
static stria_status run_family(const record *r, stria_error *err)
{
    stria_gradient_state *here = &stria_gradient_here;

    here->is_working = true;
    const stria_status status = r->family(r->call, err);
    here->is_working = false;
    return status;
}

/* A call without gradients. */
static stria_status run_plain(const record *r, bool is_off, stria_error *err)
{
    stria_tensor *given[STRIA_MAX_OUTPUTS];

    for (int k = 0; k < r->n_out; k++) given[k] = r->call->out[k];
    STRIA_TRY(r->family(r->call, err));
    for (int k = 0; k < r->n_out; k++) {
        if (given[k] != NULL)
            atomic_store_explicit(&given[k]->storage->writer, (short)r->call->row, memory_order_relaxed);
        else if (is_off && r->call->out[k] != NULL && r->call->out[k]->base != NULL &&
                 r->call->out[k] != get_input(r, 0))
            r->call->out[k]->is_cut = true;
    }
    return STRIA_OK;
}

static void give_up_outputs(const record *r)
{
    for (int k = 0; k < r->n_out; k++) {
        stria_tensor_release(r->call->out[k]);
        r->call->out[k] = NULL;
    }
}

static void forget_base(stria_tensor *x)
{
    stria_tensor_release(x->base);
    x->base = NULL;
}

/* The node of a view that is told by how it lies over its input. */
static stria_status new_strided(const record *r, const stria_tensor *y, stria_node **out, stria_error *err)
{
    const stria_tensor *x = get_input(r, 0);
    stria_slot         *slot;

    STRIA_TRY(stria_slot_find(x, &slot, err));
    STRIA_TRY(stria_node_new_geometry(y, x, STRIA_ROW_VIEW_OF, 1, out, err));
    stria_node_set_edge(*out, 0, slot);
    stria_node_end_edges(*out);
    return STRIA_OK;
}

/* New results get their history. */
static stria_status attach_new(const record *r, stria_error *err)
{
    stria_tensor **y = r->call->out;
    stria_node    *node;
    bool           has_history = false;

    for (int k = 0; k < r->n_out; k++) has_history |= stria_is_differentiable(y[k]->dtype);
    if (!has_history || r->rule->kind == STRIA_RULE_STOPS || (r->n_in > 0 && y[0] == get_input(r, 0))) return STRIA_OK;
    STRIA_TRY(r->rule->kind == STRIA_RULE_GEOMETRY ? new_strided(r, y[0], &node, err) : new_node(r, y, &node, err));
    for (int k = 0; k < r->n_out; k++)
        if (stria_is_differentiable(y[k]->dtype)) stria_slot_attach(y[k], &node->slots[k]);
    stria_node_release(node);
    return STRIA_OK;
}

static bool is_detach(const record *r) { return r->call->row == STRIA_ROW_OF_FUNCTION(STRIA_FN_detach); }

static stria_status run_new(const record *r, stria_error *err)
{
    STRIA_TRY(run_family(r, err));
    if (is_detach(r)) forget_base(r->call->out[0]);
    const stria_status status = attach_new(r, err);
    if (status != STRIA_OK) give_up_outputs(r);
    return status;
}

/* The node by which the base of x becomes what it is after x became what `slot` is. */
static stria_status new_write(const stria_tensor *x, stria_slot *slot, stria_node **out, stria_error *err)
{
    stria_slot *base = x->base->gradient;

    STRIA_TRY(stria_node_new_geometry(x, x->base, STRIA_ROW_WRITE_VIEW, 2, out, err));
    if (stria_slot_requires_grad(base)) stria_node_set_edge(*out, 0, base);
    stria_node_set_edge(*out, 1, slot);
    stria_node_end_edges(*out);
    return STRIA_OK;
}

/* Whether an op has its inputs; if not, the door refuses it. */
static bool is_whole(const record *r)
{
    if (r->schema != NULL) return true;
    for (int k = 0; k < r->n_in; k++)
        if (r->call->in[k] == NULL) return false;
    return r->call->row >= STRIA_OP_COUNT || r->n_in == stria_op_infos[r->call->row].arity;
}

/* A result that goes into x: the node is there before x is written to, so that nothing can fail afterwards. */
static stria_status run_into(const record *r, stria_error *err)
{
    stria_tensor *x = r->call->out[0];
    stria_node   *node, *write = NULL;
    stria_status  status;

    if (!is_whole(r)) return r->family(r->call, err);
    if (!stria_is_differentiable(x->dtype)) return run_plain(r, false, err);
    if (r->schema != NULL) STRIA_TRY(stria_call_check_schema(r->call, r->schema, err));
    STRIA_TRY(check_write(r, x, err));
    STRIA_TRY(new_node(r, &x, &node, err));
    if (x->base != NULL && !x->is_cut) {
        status = new_write(x, node->slots, &write, err);
        if (status != STRIA_OK) {
            stria_node_release(node);
            return status;
        }
    }
    status = run_family(r, err);
    if (status == STRIA_OK) {
        stria_slot *slot = write != NULL ? write->slots : node->slots;
        slot->is_rewritten = true;
        note_writers(r->call, 1);
        for (int k = 0; k < node->n_saved; k++)
            if (node->saved[k].is_output)
                node->saved[k].version = atomic_load_explicit(&x->storage->version, memory_order_relaxed);
        stria_slot_attach(write != NULL ? x->base : x, slot);
    }
    stria_node_release(node);
    stria_node_release(write);
    return status;
}

/* ---------------------------------------------------------------- composites */

/* Another tensor with the elements and the history of x. */
static stria_status copy_with_history(const stria_tensor *x, stria_tensor **copy, stria_error *err)
{
    stria_tensor *plain = NULL;
    stria_slot   *slot = NULL;

    STRIA_TRY(stria_slot_find(x, &slot, err));
    STRIA_TRY(stria_tensor_copy(x, STRIA_DTYPE_NONE, &plain, err));
    const stria_status status = stria_slot_view(plain, slot, copy, err);
    stria_tensor_release(plain);
    return status;
}

/* The composite makes a new result. In place it reads a copy: what its calls save is not written over then, and does not own the history that
 * x is going to have. */
static stria_status run_composite_new(const record *r, stria_tensor **y, stria_error *err)
{
    const stria_tensor *in[STRIA_MAX_TENSORS];
    stria_tensor       *copy = NULL;
    stria_call          call = *r->call;

    call.out = y;
    if (!r->is_in_place) return r->family(&call, err);
    STRIA_TRY(copy_with_history(r->call->in[0], &copy, err));
    const int n = r->schema->n_tensors - stria_schema_has_list(r->schema);
    for (int k = 0; k < n; k++) in[k] = r->call->in[k] == r->call->in[0] ? copy : r->call->in[k];
    call.in = in;
    const stria_status status = r->family(&call, err);
    stria_tensor_release(copy);
    return status;
}

/* The result is then copied to the tensor that was given. */
static stria_status run_composite_into(const record *r, stria_error *err)
{
    stria_tensor *y[STRIA_MAX_OUTPUTS] = {NULL};
    stria_status  status;

    status = run_composite_new(r, y, err);
    for (int k = 0; k < r->n_out && status == STRIA_OK; k++) {
        if (r->call->out[k] == NULL) {
            r->call->out[k] = y[k];
            y[k] = NULL;
        } else if (!stria_dtype_get_castable(y[k]->dtype, r->call->out[k]->dtype)) {
            const char *to = stria_dtype_get_name(r->call->out[k]->dtype), *from = stria_dtype_get_name(y[k]->dtype);
            status = stria_error_set(err, STRIA_ERR_DTYPE, r->schema->name, "out", from, to,
                                     "a result of %s does not cast to an out of %s", from, to);
        } else {
            status = stria_error_set_op(err, stria_tensor_set(r->call->out[k], y[k], err), r->schema->name);
        }
    }
    for (int k = 0; k < r->n_out; k++) stria_tensor_release(y[k]);
    return status;
}

/* The rows of ops.def with numbers write to their output themselves. */
static bool is_op_with_numbers(const record *r)
{
    static const bool are[] = {
#define STRIA_FN_OP(name, tensors, attributes, outputs, summary) true,
#define STRIA_FN_COMPOSE(name, tensors, attributes, outputs, summary) false,
#define STRIA_FN(name, tensors, attributes, outputs, summary) false,
#include "table/functions.def"
    };
    return are[stria_call_get_function(r->call)];
}

static stria_status run_composite(const record *r, stria_error *err)
{
    stria_gradient_state *here = &stria_gradient_here;
    stria_status          status;

    if (r->needs && r->is_given && !r->is_in_place && here->depth == 0) return refuse_out(r, err);
    here->depth++;
    status = r->needs && r->is_given && !is_op_with_numbers(r) ? run_composite_into(r, err) : r->family(r->call, err);
    here->depth--;
    return status;
}

/* An expression whose inputs require gradients is what its instructions are, one after another. */
static stria_status run_instructions(const record *r, stria_error *err)
{
    const stria_expression_attrs *attrs = r->call->attrs;
    const stria_expression       *e = attrs->program;
    const int                     n_before = e != NULL ? e->n_in + e->n_constants : 0;
    stria_status                  status = STRIA_OK;
    stria_tensor_list             values;

    if (e == NULL || e->n_in != r->call->n_in) return r->family(r->call, err); /* refuses it */
    STRIA_TRY(stria_tensor_list_new(&values, n_before + e->n_code, STRIA_EXPRESSION_NAME, "code", err));
    for (int k = 0; k < e->n_in; k++) values.at[k] = stria_tensor_retain((stria_tensor *)(uintptr_t)r->call->in[k]);
    for (int k = 0; k < e->n_constants && status == STRIA_OK; k++)
        status = stria_tensor_new_scalar(e->constants[k], &values.at[e->n_in + k], err);
    for (int k = 0; k < e->n_code && status == STRIA_OK; k++) {
        const stria_tensor *in[STRIA_MAX_INPUTS];
        const int           arity = stria_op_infos[e->code[k].op].arity;
        for (int i = 0; i < arity; i++) in[i] = values.at[e->code[k].in[i]];
        status = stria_apply(e->code[k].op, in, arity, &values.at[n_before + k], err);
    }
    if (status == STRIA_OK && r->is_given) {
        status = stria_tensor_set(r->call->out[0], values.at[n_before + e->n_code - 1], err);
    } else if (status == STRIA_OK) {
        r->call->out[0] = values.at[n_before + e->n_code - 1];
        values.at[n_before + e->n_code - 1] = NULL;
    }
    stria_tensor_list_release(&values);
    return stria_error_set_op(err, status, STRIA_EXPRESSION_NAME);
}

/* ---------------------------------------------------------------- the door's side */

stria_status stria_gradients_run(const stria_call *call, stria_family_fn *family, stria_error *err)
{
    stria_gradient_state *here = &stria_gradient_here;
    record                r;

    if (here->is_working) return family(call, err);
    describe(call, family, &r);
    if (here->is_off) {
        if (here->is_watching && !here->has_met) STRIA_TRY(find_requirements(&r, err));
        here->has_met |= r.needs;
        return run_plain(&r, true, err);
    }
    STRIA_TRY(find_requirements(&r, err));
    if (stria_call_is_composite(call) && r.rule->kind == STRIA_RULE_SILENT) return run_composite(&r, err);
    if (is_detach(&r)) return run_new(&r, err);
    if (!r.needs) return run_plain(&r, false, err);
    if (r.is_given && !r.is_in_place && here->depth == 0) return refuse_out(&r, err);
    if (call->row == STRIA_ROW_EXPRESSION) return run_instructions(&r, err);
    if (r.is_given && stria_call_is_composite(call)) return run_composite_into(&r, err);
    return r.is_given && r.n_out == 1 ? run_into(&r, err) : r.is_given ? refuse_out(&r, err) : run_new(&r, err);
}
