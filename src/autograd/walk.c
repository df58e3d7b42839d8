/* walk.c - a walk over a graph (walk.h): how it begins, and what it does with each node. */
#include <string.h>

#include "autograd/run.h"
#include "autograd/walk_parts.h"
#include "base/alloc.h"
#include "base/error.h"

/* ---------------------------------------------------------------- beginning */

static stria_status refuse_no_grad(const char *argument, int k, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, STRIA_WALK_NAME, argument, "a tensor that requires a gradient",
                           NULL, "%s number %d requires no gradient, and is the result of no call on one that does",
                           argument, k);
}

static stria_status check_gradient(const stria_tensor *y, const stria_tensor *gradient, stria_error *err)
{
    return stria_gradient_check(STRIA_WALK_NAME, "gradient", y, gradient, true, err);
}

/* The gradient that an output begins with, owned by the caller. */
static stria_status new_seed(const stria_tensor *y, stria_tensor *gradient, stria_tensor **seed, stria_error *err)
{
    if (gradient != NULL) {
        STRIA_TRY(check_gradient(y, gradient, err));
        if (gradient->dtype != y->dtype) return stria_tensor_copy(gradient, y->dtype, seed, err);
        *seed = stria_tensor_retain(gradient);
        return STRIA_OK;
    }
    if (y->numel == 1 && !stria_dtype_is_complex(y->dtype))
        return stria_ones(y->shape, y->ndim, y->dtype, y->device, seed, err);
    char got[96];
    stria_shape_print(got, sizeof got, y->ndim, y->shape);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, STRIA_WALK_NAME, "gradient", "one real element", got,
                           "an output of shape %s and dtype %s needs a gradient to begin with; only that of one real "
                           "element is known, 1",
                           got, stria_dtype_get_name(y->dtype));
}

static stria_status begin_targets(stria_walk *walk, stria_tensor *const *inputs, int n, stria_error *err)
{
    walk->is_restricted = n > 0 || !walk->adds;
    if (n == 0) return STRIA_OK;
    walk->targets = stria_object_new((size_t)n * sizeof *walk->targets);
    if (walk->targets == NULL) return stria_gradient_fail_memory(STRIA_WALK_NAME, err);
    for (int k = 0; k < n; k++) {
        stria_slot *slot = NULL;
        if (inputs[k] != NULL) STRIA_TRY(stria_slot_find(inputs[k], &slot, err));
        if (!stria_slot_requires_grad(slot)) return refuse_no_grad("input", k, err);
        stria_node_retain(slot->node);
        walk->targets[walk->n_targets++].slot = slot;
        if (stria_node_map_find(&walk->of_targets, slot->node) == NULL &&
            !stria_node_map_put(&walk->of_targets, slot->node, k))
            return stria_gradient_fail_memory(STRIA_WALK_NAME, err);
    }
    return STRIA_OK;
}

static stria_status begin_outputs(stria_walk *walk, stria_tensor *const *outputs, int n, stria_tensor *const *gradients,
                                  stria_error *err)
{
    walk->oldest = UINT64_MAX;
    for (int k = 0; k < walk->n_targets; k++)
        if (walk->targets[k].slot->node->sequence < walk->oldest) walk->oldest = walk->targets[k].slot->node->sequence;
    for (int k = 0; k < n; k++) {
        stria_slot   *slot = NULL;
        stria_tensor *seed = NULL;
        if (outputs[k] != NULL) STRIA_TRY(stria_slot_find(outputs[k], &slot, err));
        if (!stria_slot_requires_grad(slot)) return refuse_no_grad("output", k, err);
        STRIA_TRY(new_seed(outputs[k], gradients != NULL ? gradients[k] : NULL, &seed, err));
        const stria_status status = stria_walk_find_needed(walk, slot->node, err);
        if (status != STRIA_OK) {
            stria_tensor_release(seed);
            return status;
        }
        STRIA_TRY(stria_walk_push(walk, slot, seed, err));
    }
    return STRIA_OK;
}

/* Calls of the walk are recorded or not as it says, whatever the thread does otherwise. */
static stria_gradient_state enter(const stria_walk *walk)
{
    stria_gradient_state *here = &stria_gradient_here, was = *here;

    here->is_off = !stria_walk_creates(walk);
    here->is_working = false;
    here->depth = 0;
    return was;
}

static void leave(const stria_gradient_state *was)
{
    stria_gradient_here.is_off = was->is_off;
    stria_gradient_here.is_working = was->is_working;
    stria_gradient_here.depth = was->depth;
}

stria_status stria_walk_new(stria_tensor *const *outputs, int n_outputs, stria_tensor *const *gradients,
                            stria_tensor *const *inputs, int n_inputs, int flags, bool adds, stria_walk **out,
                            stria_error *err)
{
    *out = NULL;
    if (outputs == NULL || n_outputs < 1 || n_inputs < 0 || (n_inputs > 0 && inputs == NULL))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, STRIA_WALK_NAME, "outputs", "tensors", NULL,
                               "there must be an output, and as many inputs as are said");
    stria_walk *walk = stria_object_new(sizeof *walk);
    if (walk == NULL) return stria_gradient_fail_memory(STRIA_WALK_NAME, err);
    walk->flags = flags;
    walk->adds = adds;
    const stria_gradient_state was = enter(walk);
    stria_status               status = begin_targets(walk, inputs, n_inputs, err);
    if (status == STRIA_OK) status = begin_outputs(walk, outputs, n_outputs, gradients, err);
    leave(&was);
    if (status == STRIA_OK)
        *out = walk;
    else
        stria_walk_release(walk);
    return status;
}

/* ---------------------------------------------------------------- one node */

static void end_now(stria_walk *walk, bool frees)
{
    stria_node_leave(walk->now.node, walk->visit, frees);
    walk->visit = STRIA_VISIT_NONE;
    for (int k = 0; walk->results != NULL && k < walk->now.node->n_in; k++) stria_tensor_release(walk->results[k]);
    if (walk->results != NULL && walk->results != walk->few_results) stria_object_release(walk->results);
    if (walk->wants != NULL && walk->wants != walk->few_wants) stria_object_release(walk->wants);
    walk->results = NULL;
    walk->wants = NULL;
    stria_walk_end_entry(&walk->now);
    walk->is_busy = walk->waits_for_answer = walk->is_replayed = walk->is_kept = false;
}

static void begin_next(stria_walk *walk)
{
    stria_walk_pop(walk, &walk->now);
    walk->is_busy = true;
    walk->slot = 0;
    walk->hook = 0;
}

/* From here on what the node has saved stays until end_now. */
static stria_status enter_node(stria_walk *walk, stria_error *err)
{
    if (walk->visit == STRIA_VISIT_NONE) walk->visit = stria_node_enter(walk->now.node, true);
    return walk->visit != STRIA_VISIT_REFUSED ? STRIA_OK : stria_node_refuse_freed(walk->now.node, err);
}

static stria_status replace(stria_tensor **gradient, stria_tensor *replacement, stria_error *err)
{
    stria_status status = STRIA_OK;

    if (replacement == NULL) return STRIA_OK;
    status = check_gradient(*gradient, replacement, err);
    if (status == STRIA_OK && replacement->dtype != (*gradient)->dtype) {
        stria_tensor *converted = NULL;
        status = stria_tensor_copy(replacement, (*gradient)->dtype, &converted, err);
        stria_tensor_release(replacement);
        replacement = converted;
    }
    if (status != STRIA_OK) {
        stria_tensor_release(replacement);
        return stria_error_set_op(err, status, "hook");
    }
    stria_tensor_release(*gradient);
    *gradient = replacement;
    return STRIA_OK;
}

/* The hook, which is released. */
static stria_status run_hook(stria_walk *walk, stria_hook *hook, stria_tensor **gradient, stria_walk_event *event,
                             stria_error *err)
{
    stria_tensor *replacement = NULL;
    stria_status  status = STRIA_OK;

    walk->hook = hook->id;
    if (hook->fn == NULL) {
        *event = (stria_walk_event){STRIA_WALK_HOOK, (double)(uintptr_t)hook->context, *gradient};
        walk->waits_for_answer = true;
    } else {
        status = hook->fn(hook->context, *gradient, &replacement, err);
        if (status == STRIA_OK)
            status = replace(gradient, replacement, err);
        else
            stria_tensor_release(replacement);
    }
    stria_hook_release(hook);
    return status;
}

/* Hooks of all outputs. False with status OK: one of them is an event. */
static bool run_hooks(stria_walk *walk, stria_walk_event *event, stria_status *status, stria_error *err)
{
    stria_tensor **gradients = stria_walk_get_gradients(&walk->now);
    stria_hook    *hook;

    for (; walk->slot < walk->now.node->n_out; walk->slot++, walk->hook = 0) {
        while (gradients[walk->slot] != NULL &&
               (hook = stria_hook_find(&walk->now.node->slots[walk->slot], walk->hook)) != NULL) {
            *status = run_hook(walk, hook, &gradients[walk->slot], event, err);
            if (*status != STRIA_OK || walk->waits_for_answer) return false;
        }
    }
    return true;
}

stria_status stria_walk_answer_hook(stria_walk *walk, stria_tensor *replacement, stria_error *err)
{
    const stria_gradient_state was = enter(walk);

    walk->waits_for_answer = false;
    const stria_status status = replace(&stria_walk_get_gradients(&walk->now)[walk->slot], replacement, err);
    leave(&was);
    walk->has_failed = status != STRIA_OK;
    return status;
}

/* A target that a checkpoint leads to may be come by more than once: its gradients are added up. */
static stria_status keep_target(stria_walk *walk, const stria_slot *slot, stria_tensor *gradient, bool *is_target,
                                stria_error *err)
{
    const int *first = stria_node_map_find(&walk->of_targets, slot->node);

    *is_target = false;
    for (int i = first != NULL ? *first : walk->n_targets; i < walk->n_targets; i++) {
        if (walk->targets[i].slot != slot) continue;
        *is_target = true;
        if (!walk->adds)
            STRIA_TRY(stria_walk_add(walk, &walk->targets[i].gradient, stria_tensor_retain(gradient), err));
    }
    return STRIA_OK;
}

/* Gradients that somebody keeps. */
static stria_status keep(stria_walk *walk, stria_error *err)
{
    stria_node    *node = walk->now.node;
    stria_tensor **gradients = stria_walk_get_gradients(&walk->now);
    const bool     is_leaf = node->row == STRIA_ROW_LEAF;
    bool           is_target;

    for (int k = 0; k < node->n_out; k++) {
        stria_slot *slot = &node->slots[k];
        if (gradients[k] == NULL) continue;
        STRIA_TRY(keep_target(walk, slot, gradients[k], &is_target, err));
        const bool is_kept = walk->is_restricted ? is_target && walk->adds : is_leaf && slot->requires_grad;
        if (is_kept || (slot->retains_grad && !is_leaf))
            STRIA_TRY(stria_walk_add_to_grad(walk, slot, gradients[k], err));
    }
    return STRIA_OK;
}

/* Room for what the rule is asked for; *any: something is. */
static stria_status begin_rule(stria_walk *walk, bool *any, stria_error *err)
{
    const stria_node *node = walk->now.node;
    const int         n = node->n_in;

    *any = false;
    walk->wants = walk->few_wants;
    walk->results = walk->few_results;
    if (n > STRIA_WALK_FEW) {
        walk->wants = stria_object_new((size_t)n * sizeof *walk->wants);
        walk->results = stria_object_new((size_t)n * sizeof *walk->results);
    }
    if (walk->wants == NULL || walk->results == NULL) {
        stria_object_release(walk->wants);
        stria_object_release(walk->results);
        walk->wants = NULL;
        walk->results = NULL;
        return stria_gradient_fail_memory(STRIA_WALK_NAME, err);
    }
    for (int k = 0; k < n; k++) {
        walk->results[k] = NULL;
        walk->wants[k] = node->edges[k] != NULL && stria_walk_needs(walk, node->edges[k]->node);
        *any |= walk->wants[k];
    }
    return STRIA_OK;
}

/* The gradients of a replayed function go on at what it has made this time. */
static stria_status go_on_at(stria_walk *walk, stria_tensor *const *outputs, int n, stria_error *err)
{
    stria_tensor **gradients = stria_walk_get_gradients(&walk->now);
    bool           has_history = false;

    if (n != walk->now.node->n_out)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "checkpoint", NULL, NULL, NULL,
                               "the function made %d tensors at first, and then %d", walk->now.node->n_out, n);
    for (int k = 0; k < n; k++) {
        stria_slot *slot = NULL;
        if (outputs[k] != NULL) STRIA_TRY(stria_slot_find(outputs[k], &slot, err));
        if (!stria_slot_requires_grad(slot)) continue;
        has_history = true;
        if (gradients[k] == NULL) continue;
        STRIA_TRY(stria_error_set_op(err, check_gradient(outputs[k], gradients[k], err), "checkpoint"));
        STRIA_TRY(stria_walk_find_needed(walk, slot->node, err));
        STRIA_TRY(stria_walk_push(walk, slot, stria_tensor_retain(gradients[k]), err));
    }
    if (has_history) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "checkpoint", "fn", "a result that requires a gradient",
                           "results that require none",
                           "fn must make a result that requires a gradient when it runs again");
}

stria_status stria_walk_answer_replay(stria_walk *walk, stria_tensor *const *outputs, int n, stria_error *err)
{
    const stria_gradient_state was = enter(walk);

    walk->waits_for_answer = false;
    walk->is_replayed = true;
    const stria_status status = go_on_at(walk, outputs, n, err);
    leave(&was);
    walk->has_failed = status != STRIA_OK;
    return status;
}

int           stria_walk_count_inputs(const stria_walk *walk) { return walk->now.node->n_saved; }
stria_tensor *stria_walk_get_input(const stria_walk *walk, int k) { return walk->now.node->saved[k].x; }

static stria_status replay(stria_walk *walk, const stria_replay *again, stria_error *err)
{
    const stria_node *node = walk->now.node;
    const bool        was = stria_grad_mode_set(true);
    stria_draw_scope  scope;
    stria_tensor    **all = stria_object_new((size_t)(node->n_in + node->n_out) * sizeof *all);
    stria_status      status = all != NULL ? STRIA_OK : stria_gradient_fail_memory(STRIA_WALK_NAME, err);

    if (status == STRIA_OK) {
        for (int k = 0; k < node->n_in; k++) all[k] = node->saved[k].x;
        stria_draws_begin(&scope, NULL, &again->drawn);
        status = again->fn(again->context, all, node->n_in, all + node->n_in, node->n_out, err);
        stria_draws_end(&scope);
    }
    stria_grad_mode_set(was);
    if (status == STRIA_OK) status = stria_walk_answer_replay(walk, all + node->n_in, node->n_out, err);
    for (int k = 0; all != NULL && k < node->n_out; k++) stria_tensor_release(all[node->n_in + k]);
    stria_object_release(all);
    return status;
}

/* A checkpoint may be come by more than once, but one whose function reads a result of it leads to itself for ever. */
#define MOST_REPLAYS 100
static stria_status count_replay(stria_walk *walk, const stria_node *node, stria_error *err)
{
    int *n = stria_node_map_find(&walk->replays, node);

    if (n == NULL)
        return stria_node_map_put(&walk->replays, node, 1) ? STRIA_OK
                                                           : stria_gradient_fail_memory(STRIA_WALK_NAME, err);
    if (++*n <= MOST_REPLAYS) return STRIA_OK;
    return stria_error_set(
        err, STRIA_ERR_ARGUMENT, "checkpoint", "fn", NULL, NULL,
        "fn must not read a result of this checkpoint, to which its later runs lead again and again");
}

/* A checkpoint. False with status OK: it is an event. */
static bool run_replay(stria_walk *walk, stria_walk_event *event, stria_status *status, stria_error *err)
{
    const stria_node   *node = walk->now.node;
    const stria_replay *again = node->attrs;

    *status = enter_node(walk, err);
    for (int k = 0; k < node->n_saved && *status == STRIA_OK; k++)
        *status = stria_saved_check(node, &node->saved[k], err);
    if (*status == STRIA_OK && !walk->is_replayed) *status = count_replay(walk, node, err);
    if (*status != STRIA_OK || walk->is_replayed) return *status == STRIA_OK;
    if (again->fn == NULL) {
        *event = (stria_walk_event){STRIA_WALK_REPLAY, again->id, NULL};
        walk->waits_for_answer = true;
        return false;
    }
    *status = replay(walk, again, err);
    return *status == STRIA_OK;
}

/* The rule of the node, and where its results go. */
static stria_status run_rule(stria_walk *walk, stria_error *err)
{
    stria_node *node = walk->now.node;
    bool        any;

    STRIA_TRY(enter_node(walk, err));
    STRIA_TRY(begin_rule(walk, &any, err));
    if (!any) return STRIA_OK;
    STRIA_TRY(stria_rule_apply(node, stria_walk_get_gradients(&walk->now), walk->wants, stria_walk_creates(walk),
                               walk->results, err));
    for (int k = 0; k < node->n_in; k++) {
        stria_tensor *x = walk->results[k];
        walk->results[k] = NULL;
        if (x != NULL) STRIA_TRY(stria_walk_push(walk, node->edges[k], x, err));
    }
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the walk */

static stria_status go_on(stria_walk *walk, stria_walk_event *event, stria_error *err)
{
    stria_status status = STRIA_OK;

    for (;;) {
        if (!walk->is_busy) {
            if (walk->n_heap == 0) {
                event->kind = STRIA_WALK_DONE;
                return STRIA_OK;
            }
            begin_next(walk);
        }
        stria_node *node = walk->now.node;
        if (!walk->is_kept) {
            if (!run_hooks(walk, event, &status, err)) return status;
            STRIA_TRY(keep(walk, err));
            walk->is_kept = true;
        }
        if (node->row == STRIA_ROW_REPLAY) {
            if (!run_replay(walk, event, &status, err)) return status;
        } else if (node->row != STRIA_ROW_LEAF && stria_walk_needs(walk, node)) {
            STRIA_TRY(run_rule(walk, err));
        }
        end_now(walk, !stria_walk_retains(walk));
    }
}

stria_status stria_walk_next(stria_walk *walk, stria_walk_event *event, stria_error *err)
{
    if (walk->waits_for_answer)
        return stria_error_set(err, STRIA_ERR_CONFIG, STRIA_WALK_NAME, NULL, "an answer", NULL,
                               "the walk waits for an answer");
    if (walk->has_failed)
        return stria_error_set(err, STRIA_ERR_CONFIG, STRIA_WALK_NAME, NULL, NULL, NULL, "the walk has failed");
    const stria_gradient_state was = enter(walk);
    const stria_status         status = go_on(walk, event, err);
    leave(&was);
    walk->has_failed = status != STRIA_OK;
    return status;
}

stria_tensor *stria_walk_take(stria_walk *walk, int k)
{
    stria_tensor *x = walk->targets[k].gradient;
    walk->targets[k].gradient = NULL;
    return x;
}

void stria_walk_release(stria_walk *walk)
{
    if (walk == NULL) return;
    /* a function that fails is not kept: nobody else may know what it holds */
    if (walk->is_busy) end_now(walk, walk->now.node->row == STRIA_ROW_REPLAY && !stria_walk_retains(walk));
    for (int k = 0; k < walk->n_heap; k++) stria_walk_end_entry(&walk->entries[walk->heap[k]]);
    for (int k = 0; k < walk->n_targets; k++) {
        stria_tensor_release(walk->targets[k].gradient);
        stria_node_release(walk->targets[k].slot->node);
    }
    stria_object_release(walk->entries);
    stria_object_release(walk->heap);
    stria_object_release(walk->targets);
    stria_node_map_release(&walk->waiting);
    stria_node_map_release(&walk->needed);
    stria_node_map_release(&walk->of_targets);
    stria_node_map_release(&walk->replays);
    stria_object_release(walk);
}
