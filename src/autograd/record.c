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
#include "autograd/record.h"

#include "base/error.h"
#include "table/rows.h"

/* ---------------------------------------------------------------- what the call is */

static void describe(const stria_call *call, stria_family_fn *family, stria_record *r)
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

/* What a call in the first run of a checkpoint reads: it lies below the checkpoint in the order of walks, whoever made it. */
static stria_status watch(const stria_record *r, stria_error *err)
{
    stria_gradient_state *here = &stria_gradient_here;
    stria_slot           *slot;

    for (int k = 0; k < r->n_in + r->n_out; k++) {
        const stria_tensor *x = k < r->n_in ? stria_record_get_input(r, k) : r->call->out[k - r->n_in];
        if (x == NULL) continue;
        STRIA_TRY(stria_slot_find(x, &slot, err));
        if (!stria_slot_requires_grad(slot)) continue;
        here->has_met = true;
        if (slot->node->sequence > here->sequence) here->sequence = slot->node->sequence;
    }
    return STRIA_OK;
}

static stria_status find_requirements(stria_record *r, stria_error *err)
{
    const stria_call *call = r->call;
    stria_slot       *slot;

    for (int k = 0; k < r->n_in && !r->needs; k++) {
        const stria_tensor *x = stria_record_get_input(r, k);
        if (x == NULL || (x->base == NULL && x->gradient == NULL)) continue;
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
    r->is_in_place = r->is_given && may_lie_over && r->n_in > 0 && call->out[0] == stria_record_get_input(r, 0);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- refusals */

stria_status stria_record_refuse_out(const stria_record *r, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(r->call), "out", "a new result",
                           "a tensor of the caller",
                           "a result that has a gradient cannot be written to out; take the new one, or turn "
                           "gradients off");
}

static stria_status refuse_write(const stria_record *r, const char *what, const char *mend, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(r->call), "out", NULL, what,
                           "%s cannot be changed in place%s", what, mend);
}

static bool is_required_leaf(const stria_slot *slot)
{
    return slot != NULL && stria_slot_is_leaf(slot) && slot->requires_grad;
}

/* What a tensor that is written to may not be. */
static stria_status check_write(const stria_record *r, const stria_tensor *x, stria_error *err)
{
    static const char   turn_off[] = " while gradients are recorded";
    const stria_tensor *base = x->base;
    const stria_slot   *slot = x->gradient, *base_slot = base != NULL ? base->gradient : NULL;

    if (is_required_leaf(slot)) return refuse_write(r, "a leaf that requires a gradient", turn_off, err);
    if (atomic_load_explicit(&x->storage->has_untracked, memory_order_relaxed))
        return refuse_write(r, "memory with views from before gradients were first used",
                            ", as these would not know; clone it, or make it later", err);
    if (base == NULL) return STRIA_OK;
    if (x->is_cut && slot != NULL && slot->node->row == STRIA_ROW_REPLAY)
        return refuse_write(r, "a result of a checkpoint that shares its memory with another tensor", "; clone it",
                            err);
    if (is_required_leaf(base_slot) || (slot != NULL && slot->views_leaf))
        return refuse_write(r, "a view of a leaf that requires a gradient", turn_off, err);
    if (x->is_cut) return refuse_write(r, "a view that was made without gradients", turn_off, err);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- running */

static void note_writer(const stria_call *call, const stria_tensor *x)
{
    atomic_store_explicit(&x->storage->writer, (short)call->row, memory_order_relaxed);
}

/* Nothing is recorded inside. */
static stria_status run_family(const stria_record *r, stria_error *err)
{
    stria_gradient_state *here = &stria_gradient_here;

    here->is_working = true;
    const stria_status status = r->family(r->call, err);
    here->is_working = false;
    return status;
}

/* A call without gradients. */
static stria_status run_plain(const stria_record *r, bool is_off, stria_error *err)
{
    stria_tensor *given[STRIA_MAX_OUTPUTS];

    for (int k = 0; k < r->n_out; k++) given[k] = r->call->out[k];
    STRIA_TRY(r->family(r->call, err));
    for (int k = 0; k < r->n_out; k++) {
        if (given[k] != NULL)
            note_writer(r->call, given[k]);
        else if (is_off && r->call->out[k] != NULL && r->call->out[k]->base != NULL &&
                 r->call->out[k] != stria_record_get_input(r, 0))
            r->call->out[k]->is_cut = true;
    }
    return STRIA_OK;
}

static void give_up_outputs(const stria_record *r)
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
static stria_status new_strided(const stria_record *r, const stria_tensor *y, stria_node **out, stria_error *err)
{
    const stria_tensor *x = stria_record_get_input(r, 0);
    stria_slot         *slot;

    STRIA_TRY(stria_slot_find(x, &slot, err));
    STRIA_TRY(stria_node_new_geometry(y, x, STRIA_ROW_VIEW_OF, 1, out, err));
    stria_node_set_edge(*out, 0, slot);
    stria_node_end_edges(*out);
    return STRIA_OK;
}

/* Whether x, a view, is a leaf, or a view of one: that would be none any more if its base got a history by what is written here. */
static bool is_or_views_leaf(const stria_tensor *x)
{
    const stria_slot *slot = x != NULL && x->base != NULL ? x->gradient : NULL;
    return is_required_leaf(slot) || (slot != NULL && slot->views_leaf);
}

/* New results get their history. */
static stria_status attach_new(const stria_record *r, stria_error *err)
{
    stria_tensor **y = r->call->out;
    stria_node    *node;
    bool           has_history = false;

    for (int k = 0; k < r->n_out; k++) has_history |= stria_is_differentiable(y[k]->dtype);
    if (!has_history || r->rule->kind == STRIA_RULE_STOPS || (r->n_in > 0 && y[0] == stria_record_get_input(r, 0)))
        return STRIA_OK;
    STRIA_TRY(r->rule->kind == STRIA_RULE_GEOMETRY ? new_strided(r, y[0], &node, err)
                                                   : stria_record_new_node(r, y, &node, err));
    for (int k = 0; k < r->n_out; k++)
        if (stria_is_differentiable(y[k]->dtype)) stria_slot_attach(y[k], &node->slots[k]);
    node->slots[0].views_leaf = y[0]->base != NULL && is_or_views_leaf(stria_record_get_input(r, 0));
    stria_node_release(node);
    return STRIA_OK;
}

static bool is_detach(const stria_record *r) { return r->call->row == STRIA_ROW_OF_FUNCTION(STRIA_FN_detach); }

static stria_status run_new(const stria_record *r, stria_error *err)
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
static bool is_whole(const stria_record *r)
{
    if (r->schema != NULL) return true;
    for (int k = 0; k < r->n_in; k++)
        if (r->call->in[k] == NULL) return false;
    return r->call->row >= STRIA_OP_COUNT || r->n_in == stria_op_infos[r->call->row].arity;
}

/* A result that goes into x: the node is there before x is written to, so that nothing can fail afterwards. */
static stria_status run_into(const stria_record *r, stria_error *err)
{
    stria_tensor *x = r->call->out[0];
    stria_node   *node, *write = NULL;
    stria_status  status;

    if (!is_whole(r)) return r->family(r->call, err);
    if (!stria_is_differentiable(x->dtype)) return run_plain(r, false, err);
    if (r->schema != NULL) STRIA_TRY(stria_call_check_schema(r->call, r->schema, err));
    STRIA_TRY(check_write(r, x, err));
    STRIA_TRY(stria_record_new_node(r, &x, &node, err));
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
        note_writer(r->call, x);
        for (int k = 0; k < node->n_saved; k++)
            if (node->saved[k].is_output)
                node->saved[k].version = atomic_load_explicit(&x->storage->version, memory_order_relaxed);
        stria_slot_attach(write != NULL ? x->base : x, slot);
    }
    stria_node_release(node);
    stria_node_release(write);
    return status;
}

/* ---------------------------------------------------------------- rows that write into their lists (FN_UPDATE) */

static bool is_update(const stria_record *r) { return r->schema != NULL && stria_schema_is_update(r->schema); }

/* Steps of optimisers are not recorded, and change leaves. A result would keep a history that knows nothing of the step; gradients that are
 * clipped may have one. */
static stria_status check_update(const stria_record *r, int k, const stria_tensor *x, stria_error *err)
{
    stria_slot *slot;
    char        text[48];

    if (r->rule->kind == STRIA_RULE_CLIPS) return STRIA_OK;
    STRIA_TRY(stria_slot_find(x, &slot, err));
    if (slot == NULL || stria_slot_is_leaf(slot)) return STRIA_OK;
    const char *name = stria_call_get_input_name(r->call, r->schema, k, text, sizeof text);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, r->schema->name, name, "a leaf", "a result",
                           "%s is the result of a call, whose history would not know what %s does; a leaf can be "
                           "changed, or turn gradients off",
                           name, r->schema->name);
}

/* The lists of the call that it writes to, one after another: their members are checked, or noted as written. */
static stria_status visit_updated(const stria_record *r, bool checks, stria_error *err)
{
    const int n_single = stria_schema_count_single(r->schema), n_lists = r->schema->n_tensors - n_single;
    const int n = r->call->list != NULL && r->call->n_list > 0 ? r->call->n_list / n_lists : 0;

    for (int j = 0; j < n_lists; j++) {
        if (!stria_param_is_updated(&r->schema->tensors[n_single + j])) continue;
        for (int k = j * n; k < (j + 1) * n; k++) {
            const stria_tensor *x = r->call->list[k];
            if (x != NULL && checks) STRIA_TRY(check_update(r, n_single + k, x, err));
            if (x != NULL && !checks) note_writer(r->call, x);
        }
    }
    return STRIA_OK;
}

static stria_status run_update(const stria_record *r, bool is_off, stria_error *err)
{
    if (!is_off) STRIA_TRY(visit_updated(r, true, err));
    STRIA_TRY(r->family(r->call, err));
    return visit_updated(r, false, err);
}

/* ---------------------------------------------------------------- the door's side */

stria_status stria_gradients_run(const stria_call *call, stria_family_fn *family, stria_error *err)
{
    stria_gradient_state *here = &stria_gradient_here;
    stria_record          r;

    if (here->is_working) return family(call, err);
    describe(call, family, &r);
    if (here->is_off) {
        if (here->is_watching) STRIA_TRY(watch(&r, err));
        if (is_update(&r)) return run_update(&r, true, err);
        return run_plain(&r, true, err);
    }
    if (is_update(&r)) return run_update(&r, false, err);
    STRIA_TRY(find_requirements(&r, err));
    if (stria_call_is_composite(call) && r.rule->kind == STRIA_RULE_SILENT) return stria_record_run_composite(&r, err);
    if (is_detach(&r)) return run_new(&r, err);
    if (!r.needs) return run_plain(&r, false, err);
    if (r.is_given && !r.is_in_place && here->depth == 0) return stria_record_refuse_out(&r, err);
    if (call->row == STRIA_ROW_EXPRESSION) return stria_record_run_instructions(&r, err);
    if (r.is_given && stria_call_is_composite(call)) return stria_record_run_composite_into(&r, err);
    return r.is_given && r.n_out == 1 ? run_into(&r, err)
           : r.is_given               ? stria_record_refuse_out(&r, err)
                                      : run_new(&r, err);
}

bool stria_gradients_see(const stria_call *call)
{
    const stria_gradient_state *here = &stria_gradient_here;
    stria_record                r;

    if (here->is_working || here->is_off) return false;
    describe(call, NULL, &r);
    return find_requirements(&r, NULL) != STRIA_OK || r.needs; /* no memory: the call itself says so */
}
