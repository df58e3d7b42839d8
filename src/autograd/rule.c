/* rule.c - running rules: terms, words, formulas that become expressions, and what the gradient of an input is brought to. */
#include "autograd/run.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

static _Thread_local stria_rule_run *here; /* the run that words work on */

/* ---------------------------------------------------------------- a run */

void stria_rule_run_begin(stria_rule_run *run)
{
    run->status = STRIA_OK;
    run->n_owned = 0;
    run->room = STRIA_RUN_INLINE;
    run->owned = run->few;
    run->outer = here;
    here = run;
}

stria_status stria_rule_run_end(stria_rule_run *run)
{
    here = run->outer;
    for (int k = 0; k < run->n_owned; k++) stria_tensor_release(run->owned[k]);
    if (run->owned != run->few) stria_object_release(run->owned);
    return run->status;
}

stria_error *stria_rule_get_error(stria_rule_run *run) { return run->err; }
bool         stria_rule_failed(const stria_rule_run *run) { return run->status != STRIA_OK; }

void stria_rule_fail(stria_rule_run *run, stria_status status)
{
    if (run->status == STRIA_OK) run->status = status;
}

static void fail_memory(stria_rule_run *run)
{
    if (run->status != STRIA_OK) return;
    run->status = stria_error_set(run->err, STRIA_ERR_MEMORY, "backward", NULL, NULL, NULL, "no memory");
}

static bool grow(stria_rule_run *run)
{
    stria_tensor **more = stria_object_new(2 * (size_t)run->room * sizeof *more);

    if (more == NULL) return false;
    memcpy(more, run->owned, (size_t)run->n_owned * sizeof *more);
    if (run->owned != run->few) stria_object_release(run->owned);
    run->owned = more;
    run->room *= 2;
    return true;
}

static stria_term nothing(stria_rule_run *run) { return (stria_term){.run = run, .is_nothing = true}; }

stria_term stria_rule_own(stria_rule_run *run, stria_tensor *x)
{
    if (x == NULL) return nothing(run);
    if (run->n_owned == run->room && !grow(run)) {
        stria_tensor_release(x);
        fail_memory(run);
        return nothing(run);
    }
    run->owned[run->n_owned++] = x;
    return (stria_term){.run = run, .x = x};
}

const stria_tensor *stria_term_get_tensor(stria_term term) { return term.x; }

/* ---------------------------------------------------------------- what a rule reads and says */

bool stria_rule_wants(const stria_rule_run *run, int k)
{
    return k >= 0 && k < run->node->n_in && run->wants[k] && run->status == STRIA_OK;
}

bool stria_rule_has_gradient(const stria_rule_run *run, int k) { return run->gradients[k] != NULL; }
bool stria_rule_creates_graph(const stria_rule_run *run) { return run->tape == NULL && run->create_graph; }
int  stria_rule_count_inputs(const stria_rule_run *run) { return run->node->n_in; }

const stria_rule_meta *stria_rule_get_input_meta(const stria_rule_run *run, int k) { return &run->node->inputs[k]; }
const stria_rule_meta *stria_rule_get_output_meta(const stria_rule_run *run, int k)
{
    return &run->node->slots[k].meta;
}

stria_term stria_rule_get_gradient(stria_rule_run *run, int k)
{
    const stria_slot *slot = &run->node->slots[k];
    stria_tensor     *zeros = NULL;

    if (run->gradients[k] != NULL) return (stria_term){.run = run, .x = run->gradients[k]};
    if (run->status != STRIA_OK) return nothing(run);
    stria_rule_fail(run,
                    stria_zeros(slot->meta.shape, slot->meta.ndim, slot->meta.dtype, slot->device, &zeros, run->err));
    return stria_rule_own(run, zeros);
}

static stria_status refuse_changed(const stria_node *node, const stria_saved *saved, stria_error *err)
{
    const char *name = stria_node_get_name(node->row), *what = saved->is_output ? "result" : "input";
    const int   writer = atomic_load_explicit(&saved->x->storage->writer, memory_order_relaxed);

    if (writer < 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "backward", name, "unchanged", "changed in place",
                               "%s needs its %s number %d, which was changed in place since", name, what, saved->index);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "backward", name, "unchanged", stria_node_get_name(writer),
                           "%s needs its %s number %d, which was changed in place since, by %s", name, what,
                           saved->index, stria_node_get_name(writer));
}

stria_status stria_saved_check(const stria_node *node, const stria_saved *saved, stria_error *err)
{
    if (saved->x == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "backward", stria_node_get_name(node->row), NULL, NULL,
                               "what %s has saved was freed by an earlier walk, which did not retain the graph",
                               stria_node_get_name(node->row));
    if (saved->version != atomic_load_explicit(&saved->x->storage->version, memory_order_relaxed))
        return refuse_changed(node, saved, err);
    return STRIA_OK;
}

/* The saved tensor as it was in the call: with its history, where the gradient is differentiated itself. */
static stria_term get_saved(stria_rule_run *run, int k, bool is_output)
{
    stria_node   *node = run->node;
    stria_saved  *saved = NULL;
    stria_tensor *y = NULL;

    if (run->status != STRIA_OK) return nothing(run);
    for (int i = 0; i < node->n_saved && saved == NULL; i++)
        if ((int)node->saved[i].index == k && node->saved[i].is_output == is_output) saved = &node->saved[i];
    if (saved == NULL) return nothing(run);
    stria_rule_fail(run, stria_saved_check(node, saved, run->err));
    if (run->status != STRIA_OK) return nothing(run);
    if (!run->create_graph) return (stria_term){.run = run, .x = saved->x};
    stria_slot *slot = is_output ? &node->slots[k] : node->edges[k], *now = NULL;
    if (!is_output) stria_rule_fail(run, stria_slot_find(saved->x, &now, run->err));
    if (slot == now || (slot == NULL && !is_output)) return (stria_term){.run = run, .x = saved->x};
    stria_rule_fail(run, stria_slot_view(saved->x, slot, &y, run->err));
    return stria_rule_own(run, y);
}

stria_term stria_rule_get_input(stria_rule_run *run, int k) { return get_saved(run, k, false); }
stria_term stria_rule_get_output(stria_rule_run *run, int k) { return get_saved(run, k, true); }

/* ---------------------------------------------------------------- the gradient of an input */

static bool has_shape(const stria_rule_meta *meta, const stria_tensor *x)
{
    return stria_tensor_has_shape(x, meta->ndim, meta->shape);
}

/* x added up over what was broadcast; then stretched along axes where it is smaller than meta says, as the gradient of a sum may be. */
static stria_term broadcast_back(stria_term x, const stria_rule_meta *meta)
{
    const int ndim = x.x->ndim < meta->ndim ? x.x->ndim : meta->ndim;
    int64_t   shape[STRIA_MAX_DIMS];

    for (int d = 0; d < ndim; d++) {
        const int64_t size = x.x->shape[x.x->ndim - ndim + d], wanted = meta->shape[meta->ndim - ndim + d];
        shape[d] = size == 1 ? 1 : wanted;
    }
    if (!stria_tensor_has_shape(x.x, ndim, shape)) x = r_sum_to_size(x, shape, ndim);
    if (x.x != NULL && !has_shape(meta, x.x)) x = r_expand(x, meta->shape, meta->ndim);
    return x;
}

/* Real part, sum over what was broadcast, dtype. */
static stria_tensor *fit(stria_rule_run *run, stria_term term, const stria_slot *slot)
{
    const stria_rule_meta *meta = &slot->meta;

    if (stria_dtype_is_complex(term.x->dtype) && !stria_dtype_is_complex(meta->dtype)) term = r_real(term);
    if (term.x != NULL && !has_shape(meta, term.x)) term = broadcast_back(term, meta);
    if (term.x != NULL && term.x->dtype != meta->dtype) term = r_to(term, meta->dtype);
    return run->status == STRIA_OK && term.x != NULL ? stria_tensor_retain((stria_tensor *)(uintptr_t)term.x) : NULL;
}

void stria_rule_set(stria_rule_run *run, int k, stria_term term)
{
    stria_slot *slot = run->node->edges[k];

    if (run->status != STRIA_OK || term.is_nothing) return;
    if (term.run == NULL) {
        const stria_scalar value = {.kind = STRIA_SCALAR_FLOAT, .re = term.number};
        term = r_full(slot->meta.shape, slot->meta.ndim, value, slot->meta.dtype, slot->device);
    }
    if (term.x == NULL) return;
    stria_tensor_release(run->results[k]);
    run->results[k] = fit(run, term, slot);
}

/* ---------------------------------------------------------------- words */

stria_rule_run *stria_word_begin(void)
{
    here->has_first = false;
    return here;
}

static void note(stria_tape *tape, stria_term term)
{
    if (term.run != NULL && !term.is_nothing && term.at < STRIA_N_VALUES) tape->mentions |= 1u << term.at;
}

static bool become_tensor(stria_rule_run *run, stria_term *term)
{
    const stria_scalar value = {.kind = STRIA_SCALAR_FLOAT, .re = term->number};
    stria_tensor      *x = NULL;

    stria_rule_fail(run, stria_tensor_new_scalar(value, &x, run->err));
    *term = stria_rule_own(run, x);
    return run->status == STRIA_OK;
}

bool stria_word_prepare(stria_rule_run *run, stria_term *term, bool is_optional)
{
    if (run->tape != NULL) {
        note(run->tape, *term);
    } else if (run->status == STRIA_OK && term->run == NULL && !term->is_nothing) {
        become_tensor(run, term);
    }
    if (!run->has_first) run->answer = *term; /* what conj of a real term is */
    run->has_first = true;
    if (run->tape != NULL || (run->status == STRIA_OK && (term->x != NULL || is_optional))) return true;
    if (run->status == STRIA_OK)
        run->status =
            stria_error_set(run->err, STRIA_ERR_INTERNAL, "backward", stria_node_get_name(run->node->row), NULL, NULL,
                            "the rule of %s uses a value that it has not saved", stria_node_get_name(run->node->row));
    run->answer = nothing(run);
    return false;
}

bool stria_word_prepare_list(stria_rule_run *run, const stria_term *terms, int n, const stria_tensor ***list)
{
    if (run->tape != NULL) {
        for (int k = 0; k < n; k++) note(run->tape, terms[k]);
        return true;
    }
    run->answer = nothing(run);
    if (run->status != STRIA_OK) return false;
    /* the array is the elements of a tensor that the run owns */
    const int64_t nbytes = (int64_t)((size_t)n * sizeof **list);
    stria_tensor *room = NULL;
    stria_rule_fail(run, stria_tensor_new(STRIA_U8, 1, &nbytes, &room, run->err));
    if (stria_rule_own(run, room).x == NULL) return false;
    *list = (const stria_tensor **)(void *)room->data;
    for (int k = 0; k < n; k++) {
        stria_term term = terms[k];
        if (!stria_word_prepare(run, &term, true)) return false;
        (*list)[k] = term.x;
    }
    return true;
}

bool stria_word_calls(stria_rule_run *run, int function)
{
    if (function == STRIA_FN_conj && (run->tape != NULL || !stria_dtype_is_complex(run->answer.x->dtype))) return false;
    if (run->tape == NULL) {
        run->answer = nothing(run);
        return run->status == STRIA_OK;
    }
    run->tape->is_unfit = true;
    run->answer = (stria_term){.run = run, .at = STRIA_TAPE_CODE_AT};
    return false;
}

stria_term stria_word_end(stria_rule_run *run, stria_status status, stria_tensor *y)
{
    stria_rule_fail(run, status);
    return stria_rule_own(run, y);
}

/* One instruction more. */
static stria_term append(stria_rule_run *run, stria_op op, const stria_term *in, int n)
{
    stria_tape       *tape = run->tape;
    stria_instruction code = {.op = op};
    const stria_term  term = {.run = run, .at = STRIA_TAPE_CODE_AT + tape->n_code};

    for (int k = 0; k < n; k++) {
        note(tape, in[k]);
        code.in[k] = in[k].at;
        if (in[k].run != NULL) continue;
        if (tape->n_constants == STRIA_TAPE_CONSTANTS) {
            tape->is_unfit = true;
            return term;
        }
        tape->constants[tape->n_constants] = in[k].number;
        code.in[k] = STRIA_TAPE_CONSTANT_AT + tape->n_constants++;
    }
    if (tape->n_code == STRIA_TAPE_CODE) {
        tape->is_unfit = true;
        return term;
    }
    tape->code[tape->n_code++] = code;
    return term;
}

stria_term stria_word_op(stria_op op, const stria_term *in, int n)
{
    stria_rule_run     *run = stria_word_begin();
    const stria_tensor *tensors[STRIA_MAX_INPUTS];
    stria_tensor       *y = NULL;

    if (run->tape != NULL) return append(run, op, in, n);
    for (int k = 0; k < n; k++) {
        stria_term term = in[k];
        if (!stria_word_prepare(run, &term, false)) return run->answer;
        tensors[k] = term.x;
    }
    const stria_status status = stria_apply(op, tensors, n, &y, run->err);
    return stria_word_end(run, status, y);
}

/* ---------------------------------------------------------------- rules of nodes */

/* The values of a formula, of which it mentions some. */
static void get_values(stria_rule_run *run, unsigned mentions, stria_term *values)
{
    for (int k = 0; k < STRIA_N_VALUES; k++) {
        values[k] = nothing(run);
        if ((mentions >> k & 1) == 0) continue;
        if (k == STRIA_VALUE_G)
            values[k] = stria_rule_get_gradient(run, 0);
        else
            values[k] = k == STRIA_VALUE_Y ? stria_rule_get_output(run, 0) : stria_rule_get_input(run, k);
    }
}

static bool runs_at_once(const stria_rule_run *run, const stria_formula *formula, const stria_term *values)
{
    if (run->create_graph || formula->expression == NULL) return false;
    for (int k = 0; k < STRIA_N_VALUES; k++)
        if (values[k].x != NULL &&
            (stria_dtype_is_complex(values[k].x->dtype) || values[k].x->device.type != STRIA_DEVICE_CPU))
            return false;
    return true;
}

static void apply_formula(stria_rule_run *run, int k)
{
    const stria_node    *node = run->node;
    const stria_formula *formula;
    stria_term           values[STRIA_N_VALUES];
    const stria_tensor  *in[STRIA_N_VALUES];
    stria_tensor        *y = NULL;
    int                  n = 0;

    stria_rule_fail(run, stria_formula_get(node->row, k, &formula, run->err));
    if (run->status != STRIA_OK) return;
    get_values(run, formula->mentions, values);
    if (run->status != STRIA_OK) return;
    if (formula->is_value > 0) {
        stria_rule_set(run, k, values[formula->is_value - 1]);
    } else if (runs_at_once(run, formula, values)) {
        for (int i = 0; i < STRIA_N_VALUES; i++)
            if ((formula->mentions >> i & 1) != 0) in[n++] = values[i].x;
        stria_rule_fail(run, stria_expression_apply(formula->expression, in, n, &y, run->err));
        stria_rule_set(run, k, stria_rule_own(run, y));
    } else {
        stria_rule_set(run, k, node->rule->formulas[k](values[0], values[1], values[2], values[3], values[4]));
    }
}

static void apply(stria_rule_run *run)
{
    const stria_node *node = run->node;

    switch (node->rule->kind) {
    case STRIA_RULE_FORMULAS:
        for (int k = 0; k < node->n_in; k++)
            if (stria_rule_wants(run, k) && node->rule->formulas[k] != NULL) apply_formula(run, k);
        break;
    case STRIA_RULE_FUNCTION: node->rule->fn(run, node->attrs); break;
    case STRIA_RULE_CONSTANT:
    case STRIA_RULE_STOPS:
        for (int k = 0; k < node->n_in; k++)
            if (stria_rule_wants(run, k)) stria_rule_set(run, k, stria_term_number(0));
        break;
    default:
        stria_rule_fail(run,
                        stria_error_set(run->err, STRIA_ERR_UNSUPPORTED, "backward", stria_node_get_name(node->row),
                                        NULL, NULL, "%s has no derivative", stria_node_get_name(node->row)));
    }
}

stria_status stria_rule_apply(stria_node *node, stria_tensor *const *gradients, const bool *wants, bool create_graph,
                              stria_tensor **results, stria_error *err)
{
    stria_rule_run run;

    run.node = node;
    run.gradients = gradients;
    run.results = results;
    run.wants = wants;
    run.create_graph = create_graph;
    run.err = err;
    run.tape = NULL;
    stria_rule_run_begin(&run);
    apply(&run);
    const stria_status status = stria_rule_run_end(&run);
    for (int k = 0; status != STRIA_OK && k < node->n_in; k++) {
        stria_tensor_release(results[k]);
        results[k] = NULL;
    }
    return status;
}
