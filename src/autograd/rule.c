/* rule.c - running rules: terms, words, formulas that become expressions, and what the gradient of an input is brought to. */
#include "autograd/run.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "tensor/device.h"

static _Thread_local stria_rule_run *here; /* the run that words work on */

/* ---------------------------------------------------------------- a run */

void stria_rule_run_begin(stria_rule_run *run)
{
    run->status = STRIA_OK;
    run->room = STRIA_RUN_INLINE;
    run->values = run->few;
    run->values[0] = (stria_value){.place = -1};
    run->n_values = 1;
    run->deferred = NULL;
    run->outer = here;
    here = run;
}

stria_status stria_rule_run_end(stria_rule_run *run)
{
    here = run->outer;
    for (int k = 0; k < run->n_values; k++)
        if (run->values[k].is_owned) stria_tensor_release((stria_tensor *)(uintptr_t)run->values[k].x);
    if (run->values != run->few) stria_object_release(run->values);
    stria_object_release(run->deferred);
    return run->status;
}

stria_error *stria_rule_get_error(stria_rule_run *run) { return run->err; }
bool         stria_rule_failed(const stria_rule_run *run) { return run->status != STRIA_OK; }

void stria_rule_fail(stria_rule_run *run, stria_status status)
{
    if (run->status == STRIA_OK) run->status = status;
}

/* ---------------------------------------------------------------- terms */

static bool grow(stria_rule_run *run)
{
    stria_value *more = stria_object_new(2 * (size_t)run->room * sizeof *more);

    if (more == NULL) return false;
    memcpy(more, run->values, (size_t)run->n_values * sizeof *more);
    if (run->values != run->few) stria_object_release(run->values);
    run->values = more;
    run->room *= 2;
    return true;
}

static stria_term add(stria_rule_run *run, stria_value value)
{
    if (run->n_values == run->room && !grow(run)) {
        stria_rule_fail(run, stria_gradient_fail_memory("backward", run->err));
        return NOTHING;
    }
    run->values[run->n_values] = value;
    return (stria_term){run->n_values++};
}

stria_term stria_rule_own(stria_rule_run *run, stria_tensor *x)
{
    if (x == NULL) return NOTHING;
    const stria_term term = add(run, (stria_value){.x = x, .place = -1, .is_owned = true});
    if (stria_term_is_nothing(term)) stria_tensor_release(x);
    return term;
}

stria_term stria_rule_borrow(stria_rule_run *run, const stria_tensor *x)
{
    return add(run, (stria_value){.x = x, .place = -1});
}

stria_term stria_rule_place(stria_rule_run *run, int place) { return add(run, (stria_value){.place = (short)place}); }

stria_term stria_term_number(double number)
{
    return add(here, (stria_value){.number = number, .place = -1, .is_number = true});
}

static const stria_tensor *get_tensor(stria_rule_run *run, stria_term term)
{
    stria_deferred_run(run, term);
    const stria_value *value = stria_value_get(run, term);

    return value->is_number ? NULL : value->x;
}

const stria_tensor *stria_term_get_tensor(stria_term term) { return get_tensor(here, term); }

/* ---------------------------------------------------------------- what a rule reads and says */

bool stria_rule_wants(const stria_rule_run *run, int k)
{
    return k >= 0 && k < run->node->n_in && run->wants[k] && run->status == STRIA_OK;
}

bool stria_rule_has_gradient(const stria_rule_run *run, int k) { return run->gradients[k] != NULL; }
bool stria_formula_creates_graph(void) { return here->tape == NULL && here->create_graph; }
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

    if (run->gradients[k] != NULL) return stria_rule_borrow(run, run->gradients[k]);
    if (run->status != STRIA_OK) return NOTHING;
    stria_rule_fail(run,
                    stria_zeros(slot->meta.shape, slot->meta.ndim, slot->meta.dtype, slot->device, &zeros, run->err));
    return stria_rule_own(run, zeros);
}

static stria_status refuse_changed(const stria_node *node, const stria_saved *saved, stria_error *err)
{
    const char *name = stria_node_get_name(node->row), *what = saved->is_output ? "result" : "input";
    const int   writer = atomic_load_explicit(&saved->x->storage->writer, memory_order_relaxed);
    const char *by = writer == STRIA_WRITER_ITERATOR ? "an iterator" : stria_node_get_name(writer);

    if (stria_tensor_is_lost(saved->x))
        return stria_error_set(err, STRIA_ERR_DISPOSED, "backward", name, "a tensor whose memory is there", NULL,
                               "%s needs its %s number %d, whose memory was taken away", name, what, saved->index);
    if (writer == STRIA_WRITER_UNKNOWN)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "backward", name, "unchanged", "changed in place",
                               "%s needs its %s number %d, which was changed in place since", name, what, saved->index);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "backward", name, "unchanged", by,
                           "%s needs its %s number %d, which was changed in place since, by %s", name, what,
                           saved->index, by);
}

stria_status stria_saved_check(const stria_node *node, const stria_saved *saved, stria_error *err)
{
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

    if (run->status != STRIA_OK) return NOTHING;
    for (int i = 0; i < node->n_saved && saved == NULL; i++)
        if ((int)node->saved[i].index == k && node->saved[i].is_output == is_output) saved = &node->saved[i];
    if (saved == NULL) return NOTHING;
    stria_rule_fail(run, stria_saved_check(node, saved, run->err));
    if (run->status != STRIA_OK) return NOTHING;
    if (!run->create_graph) return stria_rule_borrow(run, saved->x);
    stria_slot *slot = is_output ? &node->slots[k] : node->edges[k], *now = NULL;
    if (!is_output) stria_rule_fail(run, stria_slot_find(saved->x, &now, run->err));
    if (slot == now || (slot == NULL && !is_output)) return stria_rule_borrow(run, saved->x);
    stria_rule_fail(run, stria_slot_view(saved->x, slot, &y, run->err));
    return stria_rule_own(run, y);
}

/* A number of the call as a 0-dim f64, which does not widen what is computed with it either: what rules make of numbers alone would be f32.
 * Numbers of short floats stay what they are, as they are rounded once less then. */
static stria_term as_double(stria_rule_run *run, stria_term term)
{
    const stria_tensor *x = get_tensor(run, term);
    const stria_dtype   dtype = run->node->slots[0].meta.dtype;
    stria_tensor       *y = NULL;

    if (x == NULL || !x->is_wrapped_number || x->dtype != STRIA_F64 || stria_dtype_get_compute(dtype) != dtype)
        return term;
    stria_rule_fail(run, stria_tensor_view((stria_tensor *)(uintptr_t)x, 0, NULL, NULL, 0, &y, run->err));
    if (y != NULL) y->is_constant = true;
    return stria_rule_own(run, y);
}

stria_term stria_rule_get_input(stria_rule_run *run, int k) { return as_double(run, get_saved(run, k, false)); }
stria_term stria_rule_get_output(stria_rule_run *run, int k) { return get_saved(run, k, true); }

/* ---------------------------------------------------------------- the gradient of an input */

static bool has_shape(const stria_rule_meta *meta, const stria_tensor *x)
{
    return stria_tensor_has_shape(x, meta->ndim, meta->shape);
}

/* x added up over what was broadcast; then stretched along axes where it is smaller than meta says, as the gradient of a sum may be. */
static stria_term broadcast_back(stria_rule_run *run, stria_term term, const stria_rule_meta *meta)
{
    const stria_tensor *x = get_tensor(run, term);
    const int           ndim = x->ndim < meta->ndim ? x->ndim : meta->ndim;
    int64_t             shape[STRIA_MAX_DIMS];

    for (int d = 0; d < ndim; d++) {
        const int64_t size = x->shape[x->ndim - ndim + d], wanted = meta->shape[meta->ndim - ndim + d];
        shape[d] = size == 1 ? 1 : wanted;
    }
    if (!stria_tensor_has_shape(x, ndim, shape)) term = r_sum_to_size(term, shape, ndim);
    x = get_tensor(run, term);
    return x == NULL || has_shape(meta, x) ? term : r_expand(term, meta->shape, meta->ndim);
}

/* Itself, or a copy on the device of what it is the gradient of, if that was copied to another one. */
static stria_tensor *new_at_home(stria_rule_run *run, stria_term term, stria_device home)
{
    const stria_tensor *x = get_tensor(run, term);
    stria_tensor       *moved = NULL;

    if (run->status != STRIA_OK || x == NULL) return NULL;
    if (stria_device_equals(x->device, home) || x->device.type == STRIA_DEVICE_META || home.type == STRIA_DEVICE_META)
        return stria_tensor_retain((stria_tensor *)(uintptr_t)x);
    stria_rule_fail(run, stria_tensor_copy_to(x, STRIA_DTYPE_NONE, home, &moved, run->err));
    return moved;
}

/* Real part, sum over what was broadcast, dtype, device. */
static stria_tensor *fit(stria_rule_run *run, stria_term term, const stria_slot *slot)
{
    const stria_rule_meta *meta = &slot->meta;
    const stria_tensor    *x = get_tensor(run, term);

    if (stria_dtype_is_complex(x->dtype) && !stria_dtype_is_complex(meta->dtype)) term = r_real(term);
    x = get_tensor(run, term);
    if (x != NULL && !has_shape(meta, x)) term = broadcast_back(run, term, meta);
    x = get_tensor(run, term);
    if (x != NULL && x->dtype != meta->dtype) term = r_to(term, meta->dtype);
    return new_at_home(run, term, slot->device);
}

void stria_rule_set(stria_rule_run *run, int k, stria_term term)
{
    stria_slot        *slot = run->node->edges[k];
    const stria_value *value = stria_value_get(run, term);

    if (run->status != STRIA_OK || stria_term_is_nothing(term)) return;
    if (value->is_number) {
        const stria_scalar number = {.kind = STRIA_SCALAR_FLOAT, .re = value->number};
        term = r_full(slot->meta.shape, slot->meta.ndim, number, slot->meta.dtype, slot->device);
    }
    if (get_tensor(run, term) == NULL) return;
    stria_tensor_release(run->results[k]);
    run->results[k] = fit(run, term, slot);
}

/* ---------------------------------------------------------------- words */

stria_rule_run *stria_word_begin(void)
{
    here->has_first = false;
    return here;
}

static void note(const stria_rule_run *run, stria_term term)
{
    const int place = stria_value_get(run, term)->place;

    if (place >= 0 && place < STRIA_N_VALUES) run->tape->mentions |= 1u << place;
}

/* A number as a tensor, which the number keeps. */
static const stria_tensor *become_tensor(stria_rule_run *run, stria_value *value)
{
    const stria_scalar number = {.kind = STRIA_SCALAR_FLOAT, .re = value->number};
    stria_tensor      *x = NULL;

    stria_rule_fail(run, stria_tensor_new_scalar(number, &x, run->err));
    value->x = x;
    value->is_owned = x != NULL;
    return x;
}

const stria_tensor *stria_word_take_optional(stria_rule_run *run, stria_term term)
{
    stria_value *value = &run->values[term.at];

    if (!run->has_first) run->answer = term;
    run->has_first = true;
    if (run->tape != NULL) {
        note(run, term);
        return NULL;
    }
    stria_deferred_run(run, term);
    if (run->status != STRIA_OK) return NULL;
    return value->is_number && value->x == NULL ? become_tensor(run, value) : value->x;
}

const stria_tensor *stria_word_take(stria_rule_run *run, stria_term term)
{
    const stria_tensor *x = stria_word_take_optional(run, term);

    if (x == NULL && run->tape == NULL && run->status == STRIA_OK)
        run->status =
            stria_error_set(run->err, STRIA_ERR_INTERNAL, "backward", stria_node_get_name(run->node->row), NULL, NULL,
                            "the rule of %s uses a value that it has not saved", stria_node_get_name(run->node->row));
    return x;
}

const stria_tensor *const *stria_word_take_list(stria_rule_run *run, const stria_term *terms, int n)
{
    /* the array is the elements of a tensor that the run owns */
    const int64_t        nbytes = (int64_t)((size_t)n * sizeof(stria_tensor *));
    const stria_tensor **list = NULL;
    stria_tensor        *room = NULL;

    if (run->tape == NULL && run->status == STRIA_OK) {
        stria_rule_fail(run, stria_tensor_new(STRIA_U8, 1, &nbytes, &room, run->err));
        if (!stria_term_is_nothing(stria_rule_own(run, room))) list = (const stria_tensor **)(void *)room->data;
    }
    for (int k = 0; k < n; k++) {
        const stria_tensor *x = stria_word_take_optional(run, terms[k]);
        if (list != NULL) list[k] = x;
    }
    return list;
}

bool stria_word_calls(stria_rule_run *run, int function)
{
    const bool calls = run->tape == NULL && run->status == STRIA_OK;

    run->made = NULL;
    if (function == STRIA_FN_conj &&
        (run->tape != NULL || (calls && !stria_dtype_is_complex(stria_value_get(run, run->answer)->x->dtype))))
        return false;
    run->answer = NOTHING;
    if (run->tape == NULL) return calls;
    run->tape->is_unfit = true;
    run->answer = stria_rule_place(run, STRIA_TAPE_CODE_AT);
    return false;
}

stria_term stria_word_end(stria_rule_run *run, stria_status status, stria_tensor *y)
{
    stria_rule_fail(run, status);
    return stria_rule_own(run, y);
}

stria_term stria_word_end_one(stria_rule_run *run, stria_status status)
{
    return stria_word_end(run, status, run->made);
}

/* One instruction more. */
static stria_term append(stria_rule_run *run, stria_op op, const stria_term *in, int n)
{
    stria_tape       *tape = run->tape;
    stria_instruction code = {.op = op};

    if (tape->n_code == STRIA_TAPE_CODE || tape->n_constants + n > STRIA_TAPE_CONSTANTS) {
        tape->is_unfit = true;
        for (int k = 0; k < n; k++) note(run, in[k]);
        return stria_rule_place(run, STRIA_TAPE_CODE_AT);
    }
    for (int k = 0; k < n; k++) {
        const stria_value *value = stria_value_get(run, in[k]);
        note(run, in[k]);
        code.in[k] = value->place;
        if (!value->is_number) continue;
        tape->constants[tape->n_constants] = value->number;
        code.in[k] = STRIA_TAPE_CONSTANT_AT + tape->n_constants++;
    }
    tape->code[tape->n_code++] = code;
    return stria_rule_place(run, STRIA_TAPE_CODE_AT + tape->n_code - 1);
}

stria_term stria_word_op(stria_op op, const stria_term *in, int n)
{
    stria_rule_run     *run = stria_word_begin();
    const stria_tensor *tensors[STRIA_MAX_INPUTS];

    if (run->tape != NULL) return append(run, op, in, n);
    if (stria_deferred_fits(run, in, n)) return stria_deferred_add(run, op, in, n);
    for (int k = 0; k < n; k++) tensors[k] = stria_word_take(run, in[k]);
    if (!stria_word_calls(run, -1)) return run->answer;
    return stria_word_end_one(run, stria_apply(op, tensors, n, &run->made, run->err));
}

/* ---------------------------------------------------------------- rules of nodes */

/* The values of a formula, of which it mentions some. */
static void get_values(stria_rule_run *run, unsigned mentions, stria_term *values)
{
    for (int k = 0; k < STRIA_N_VALUES; k++) {
        values[k] = NOTHING;
        if ((mentions >> k & 1) == 0) continue;
        if (k == STRIA_VALUE_G)
            values[k] = stria_rule_get_gradient(run, 0);
        else
            values[k] = k == STRIA_VALUE_Y ? stria_rule_get_output(run, 0) : stria_rule_get_input(run, k);
    }
}

static bool runs_at_once(stria_rule_run *run, const stria_formula *formula, const stria_term *values)
{
    if (run->create_graph || formula->expression == NULL) return false;
    for (int k = 0; k < STRIA_N_VALUES; k++) {
        const stria_tensor *x = get_tensor(run, values[k]);
        if (x != NULL && (stria_dtype_is_complex(x->dtype) || x->device.type != STRIA_DEVICE_CPU)) return false;
    }
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
            if ((formula->mentions >> i & 1) != 0) in[n++] = get_tensor(run, values[i]);
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
    case STRIA_RULE_CLIPS:
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
