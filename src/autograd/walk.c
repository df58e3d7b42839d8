/* walk.c - a walk over a graph (walk.h).
 *
 * Nodes that have gradients wait in a heap. The one with the largest sequence number is next: every node that could add to its
 * gradients has a larger one, and is done. */
#include "autograd/walk.h"

#include <string.h>

#include "autograd/node_map.h"
#include "autograd/run.h"
#include "base/alloc.h"
#include "base/error.h"

#define OP "backward"
#define FEW 8 /* inputs of a node that need no memory of their own */

/* A node that waits, and its gradients so far. */
typedef struct entry {
    stria_node    *node; /* owned */
    unsigned       order;
    stria_tensor  *gradients[STRIA_MAX_OUTPUTS];
    stria_tensor **many; /* of a node with more outputs: instead */
} entry;

typedef struct target {
    stria_slot   *slot; /* owns its node */
    stria_tensor *gradient;
} target;

struct stria_walk {
    int            flags;
    bool           adds, is_restricted;
    entry         *entries; /* [room] */
    int            n_free, room, *free;
    int           *heap, n_heap;
    unsigned       order;
    stria_node_map waiting; /* -> entries */
    stria_node_map needed;  /* is_restricted: whether an input lies below */
    target        *targets;
    int            n_targets;
    /* the node that is being done */
    entry          now;
    bool           is_busy, is_kept, waits_for_answer, is_replayed;
    uint64_t       oldest; /* of the nodes of targets */
    int            slot;   /* whose hooks run */
    uint64_t       hook;   /* the last one that ran */
    bool          *wants, few_wants[FEW];
    stria_tensor **results, *few_results[FEW];
};

static stria_status fail_memory(stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_MEMORY, OP, NULL, NULL, NULL, "no memory");
}

static bool creates(const stria_walk *walk) { return (walk->flags & STRIA_GRAD_CREATE) != 0; }
static bool retains(const stria_walk *walk) { return (walk->flags & (STRIA_GRAD_CREATE | STRIA_GRAD_RETAIN)) != 0; }
static stria_tensor **get_gradients(entry *e) { return e->many != NULL ? e->many : e->gradients; }

/* ---------------------------------------------------------------- the heap */

static bool comes_first(const stria_walk *walk, int a, int b)
{
    const entry *x = &walk->entries[a], *y = &walk->entries[b];

    if (x->node->sequence != y->node->sequence) return x->node->sequence > y->node->sequence;
    return x->order < y->order;
}

static void heap_push(stria_walk *walk, int item)
{
    int k = walk->n_heap++;

    for (; k > 0 && comes_first(walk, item, walk->heap[(k - 1) / 2]); k = (k - 1) / 2)
        walk->heap[k] = walk->heap[(k - 1) / 2];
    walk->heap[k] = item;
}

static int heap_pop(stria_walk *walk)
{
    const int first = walk->heap[0], item = walk->heap[--walk->n_heap];
    int       k = 0;

    for (;;) {
        int child = 2 * k + 1;
        if (child >= walk->n_heap) break;
        if (child + 1 < walk->n_heap && comes_first(walk, walk->heap[child + 1], walk->heap[child])) child++;
        if (!comes_first(walk, walk->heap[child], item)) break;
        walk->heap[k] = walk->heap[child];
        k = child;
    }
    walk->heap[k] = item;
    return first;
}

/* Room for twice as many. */
static bool grow(stria_walk *walk)
{
    const int room = walk->room > 0 ? 2 * walk->room : 16;
    entry    *entries = stria_object_new((size_t)room * sizeof *entries);
    int      *numbers = stria_object_new(2 * (size_t)room * sizeof *numbers);

    if (entries == NULL || numbers == NULL) {
        stria_object_release(entries);
        stria_object_release(numbers);
        return false;
    }
    if (walk->room > 0) {
        memcpy(entries, walk->entries, (size_t)walk->room * sizeof *entries);
        memcpy(numbers, walk->heap, (size_t)walk->n_heap * sizeof *numbers);
    }
    stria_object_release(walk->entries);
    stria_object_release(walk->heap);
    walk->entries = entries;
    walk->heap = numbers;
    walk->free = numbers + room;
    for (int k = room - 1; k >= walk->room; k--) walk->free[walk->n_free++] = k; /* none was free */
    walk->room = room;
    return true;
}

/* ---------------------------------------------------------------- sums of gradients */

/* Whether x may be written to: nobody else knows it. */
static bool is_own(const stria_walk *walk, const stria_tensor *x)
{
    return !creates(walk) && stria_tensor_is_alone(x) && x->gradient == NULL && stria_tensor_is_contiguous(x);
}

static stria_status add_into(const stria_tensor *a, const stria_tensor *b, stria_tensor *out, stria_error *err)
{
    const stria_tensor *in[] = {a, b};
    return stria_apply_out(STRIA_OP_add, in, 2, out, err);
}

/* *sum += x; takes x over. */
static stria_status add(const stria_walk *walk, stria_tensor **sum, stria_tensor *x, stria_error *err)
{
    stria_tensor *y = NULL;
    stria_status  status;

    if (*sum == NULL) {
        *sum = x;
        return STRIA_OK;
    }
    if (is_own(walk, *sum)) {
        status = add_into(*sum, x, *sum, err);
    } else if (is_own(walk, x)) {
        status = add_into(*sum, x, x, err);
        if (status == STRIA_OK) y = stria_tensor_retain(x);
    } else {
        status = stria_add(*sum, x, &y, err);
    }
    stria_tensor_release(x);
    if (status != STRIA_OK || y == NULL) return status;
    stria_tensor_release(*sum);
    *sum = y;
    return STRIA_OK;
}

/* A tensor for .grad, which the user may write to: x itself, or a copy; x stays the caller's. */
static stria_status new_grad(const stria_walk *walk, stria_tensor *x, stria_tensor **y, stria_error *err)
{
    if (is_own(walk, x)) {
        *y = stria_tensor_retain(x);
        return STRIA_OK;
    }
    if (creates(walk)) { /* with its history */
        *y = stria_tensor_retain(x);
        if (stria_tensor_is_contiguous(x) && atomic_load(&x->refcount) == 2) return STRIA_OK;
        stria_tensor_release(*y);
    }
    *y = NULL;
    return stria_tensor_copy(x, STRIA_DTYPE_NONE, y, err);
}

static stria_status add_to_grad(const stria_walk *walk, stria_slot *slot, stria_tensor *x, stria_error *err)
{
    stria_tensor *y = NULL;
    stria_status  status;

    lock(&slot->is_adding);
    if (slot->owner == NULL) {
        status = STRIA_OK;
    } else if (slot->grad == NULL) {
        status = new_grad(walk, x, &y, err);
    } else if (!creates(walk)) {
        status = add_into(slot->grad, x, slot->grad, err);
    } else {
        status = stria_add(slot->grad, x, &y, err);
    }
    stria_tensor *old = NULL;
    if (status == STRIA_OK && y != NULL) {
        old = slot->grad;
        slot->grad = y;
    }
    unlock(&slot->is_adding);
    stria_tensor_release(old);
    return status;
}

/* ---------------------------------------------------------------- nodes that wait */

static stria_status new_entry(stria_walk *walk, stria_node *node, int *number, stria_error *err)
{
    if (walk->n_free == 0 && !grow(walk)) return fail_memory(err);
    *number = walk->free[walk->n_free - 1];
    entry *e = &walk->entries[*number];
    *e = (entry){.node = node, .order = walk->order++};
    if (node->n_out > STRIA_MAX_OUTPUTS) {
        e->many = stria_object_new((size_t)node->n_out * sizeof *e->many);
        if (e->many == NULL) return fail_memory(err);
    }
    if (!stria_node_map_put(&walk->waiting, node, *number)) {
        stria_object_release(e->many);
        return fail_memory(err);
    }
    walk->n_free--;
    stria_node_retain(node);
    heap_push(walk, *number);
    return STRIA_OK;
}

/* The gradient of a slot grows by x, which is taken over. */
static stria_status push(stria_walk *walk, const stria_slot *slot, stria_tensor *x, stria_error *err)
{
    const int   *found = stria_node_map_find(&walk->waiting, slot->node);
    int          number = found != NULL ? *found : -1;
    stria_status status = STRIA_OK;

    if (number < 0) status = new_entry(walk, slot->node, &number, err);
    if (status == STRIA_OK) return add(walk, &get_gradients(&walk->entries[number])[slot->index], x, err);
    stria_tensor_release(x);
    return status;
}

static void end_entry(entry *e)
{
    for (int k = 0; e->node != NULL && k < e->node->n_out; k++) stria_tensor_release(get_gradients(e)[k]);
    stria_object_release(e->many);
    stria_node_release(e->node);
    *e = (entry){.node = NULL};
}

/* ---------------------------------------------------------------- which nodes are needed */

typedef struct visit {
    const stria_node *node;
    int               edge;
    bool              is_needed;
} visit;

static bool is_target(const stria_walk *walk, const stria_node *node)
{
    for (int k = 0; k < walk->n_targets; k++)
        if (walk->targets[k].slot->node == node) return true;
    return false;
}

static bool is_freed(const stria_node *node)
{
    for (int k = 0; k < node->n_saved; k++)
        if (node->saved[k].x == NULL) return true;
    return false;
}

typedef struct visits {
    visit *at;
    size_t n, room;
} visits;

static bool visit_push(visits *stack, const stria_node *node)
{
    if (stack->n == stack->room) {
        const size_t room = stack->room > 0 ? 2 * stack->room : 64;
        visit       *at = stria_object_new(room * sizeof *at);
        if (at == NULL) return false;
        if (stack->n > 0) memcpy(at, stack->at, stack->n * sizeof *at);
        stria_object_release(stack->at);
        stack->at = at;
        stack->room = room;
    }
    stack->at[stack->n++] = (visit){node, 0, false};
    return true;
}

/* Depth first, with a stack of its own. Nodes older than every input lead to none. */
static bool find_needed(stria_walk *walk, const stria_node *root, visits *stack)
{
    if (stria_node_map_find(&walk->needed, root) != NULL) return true;
    if (!visit_push(stack, root)) return false;
    while (stack->n > 0) {
        visit *top = &stack->at[stack->n - 1];
        if (top->edge == 0) /* what was freed is refused when the walk comes there */
            top->is_needed = top->node->row == STRIA_ROW_REPLAY || is_target(walk, top->node) || is_freed(top->node);
        if (top->edge < top->node->n_in && top->node->sequence > walk->oldest) {
            const stria_slot *slot = top->node->edges[top->edge];
            const int        *known = slot != NULL ? stria_node_map_find(&walk->needed, slot->node) : NULL;
            if (slot == NULL || known != NULL) {
                if (known != NULL && *known != 0) top->is_needed = true;
                top->edge++;
            } else if (!visit_push(stack, slot->node)) {
                return false;
            }
            continue;
        }
        if (!stria_node_map_put(&walk->needed, top->node, top->is_needed)) return false;
        stack->n--;
    }
    return true;
}

static bool is_needed(const stria_walk *walk, const stria_node *node)
{
    const int *known = walk->is_restricted ? stria_node_map_find(&walk->needed, node) : NULL;

    return !walk->is_restricted || (known != NULL && *known != 0);
}

/* ---------------------------------------------------------------- beginning */

static stria_status refuse_no_grad(const char *argument, int k, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, argument, "a tensor that requires a gradient", NULL,
                           "%s number %d requires no gradient, and is the result of no call on one that does", argument,
                           k);
}

static stria_status check_gradient(const stria_tensor *y, const stria_tensor *gradient, stria_error *err)
{
    return stria_gradient_check(OP, "gradient", y, gradient, true, err);
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
    return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "gradient", "one real element", got,
                           "an output of shape %s and dtype %s needs a gradient to begin with; only that of one real "
                           "element is known, 1",
                           got, stria_dtype_get_name(y->dtype));
}

static stria_status begin_targets(stria_walk *walk, stria_tensor *const *inputs, int n, stria_error *err)
{
    walk->is_restricted = n > 0 || !walk->adds;
    if (n == 0) return STRIA_OK;
    walk->targets = stria_object_new((size_t)n * sizeof *walk->targets);
    if (walk->targets == NULL) return fail_memory(err);
    for (int k = 0; k < n; k++) {
        stria_slot *slot = NULL;
        if (inputs[k] != NULL) STRIA_TRY(stria_slot_find(inputs[k], &slot, err));
        if (!stria_slot_requires_grad(slot)) return refuse_no_grad("input", k, err);
        stria_node_retain(slot->node);
        walk->targets[walk->n_targets++].slot = slot;
    }
    return STRIA_OK;
}

static stria_status begin_outputs(stria_walk *walk, stria_tensor *const *outputs, int n, stria_tensor *const *gradients,
                                  visits *stack, stria_error *err)
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
        if (walk->is_restricted && !find_needed(walk, slot->node, stack)) {
            stria_tensor_release(seed);
            return fail_memory(err);
        }
        STRIA_TRY(push(walk, slot, seed, err));
    }
    return STRIA_OK;
}

/* Calls of the walk are recorded or not as it says, whatever the thread does otherwise. */
static stria_gradient_state enter(const stria_walk *walk)
{
    stria_gradient_state *here = &stria_gradient_here, was = *here;

    here->is_off = !creates(walk);
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
    visits stack = {NULL, 0, 0};

    *out = NULL;
    if (outputs == NULL || n_outputs < 1 || n_inputs < 0 || (n_inputs > 0 && inputs == NULL))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "outputs", "tensors", NULL,
                               "there must be an output, and as many inputs as are said");
    stria_walk *walk = stria_object_new(sizeof *walk);
    if (walk == NULL) return fail_memory(err);
    walk->flags = flags;
    walk->adds = adds;
    const stria_gradient_state was = enter(walk);
    stria_status               status = begin_targets(walk, inputs, n_inputs, err);
    if (status == STRIA_OK) status = begin_outputs(walk, outputs, n_outputs, gradients, &stack, err);
    leave(&was);
    stria_object_release(stack.at);
    if (status == STRIA_OK)
        *out = walk;
    else
        stria_walk_release(walk);
    return status;
}

/* ---------------------------------------------------------------- one node */

static void end_now(stria_walk *walk)
{
    for (int k = 0; walk->results != NULL && k < walk->now.node->n_in; k++) stria_tensor_release(walk->results[k]);
    if (walk->results != NULL && walk->results != walk->few_results) stria_object_release(walk->results);
    if (walk->wants != NULL && walk->wants != walk->few_wants) stria_object_release(walk->wants);
    walk->results = NULL;
    walk->wants = NULL;
    end_entry(&walk->now);
    walk->is_busy = walk->waits_for_answer = walk->is_replayed = walk->is_kept = false;
}

static void begin_next(stria_walk *walk)
{
    const int number = heap_pop(walk);

    walk->now = walk->entries[number];
    walk->entries[number] = (entry){.node = NULL};
    walk->free[walk->n_free++] = number;
    stria_node_map_remove(&walk->waiting, walk->now.node);
    walk->is_busy = true;
    walk->slot = 0;
    walk->hook = 0;
}

/* The first hook of a slot behind those that ran; false: there is none. Hooks may be removed at any time. */
static bool find_hook(const stria_slot *slot, uint64_t last, stria_hook *found)
{
    stria_hook *hook = NULL;

    if (slot->hooks == NULL) return false;
    lock(&stria_gradient_lock);
    for (hook = slot->hooks; hook != NULL && hook->id <= last; hook = hook->next) {}
    if (hook != NULL) *found = *hook;
    unlock(&stria_gradient_lock);
    return hook != NULL;
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

/* Hooks of all outputs. False with status OK: one of them is an event. */
static bool run_hooks(stria_walk *walk, stria_walk_event *event, stria_status *status, stria_error *err)
{
    stria_tensor **gradients = get_gradients(&walk->now);
    stria_hook     hook;

    for (; walk->slot < walk->now.node->n_out; walk->slot++, walk->hook = 0) {
        while (gradients[walk->slot] != NULL && find_hook(&walk->now.node->slots[walk->slot], walk->hook, &hook)) {
            stria_tensor *replacement = NULL;
            walk->hook = hook.id;
            if (hook.fn == NULL) {
                *event = (stria_walk_event){STRIA_WALK_HOOK, (double)(uintptr_t)hook.context, gradients[walk->slot]};
                walk->waits_for_answer = true;
                return false;
            }
            *status = hook.fn(hook.context, gradients[walk->slot], &replacement, err);
            if (*status == STRIA_OK)
                *status = replace(&gradients[walk->slot], replacement, err);
            else
                stria_tensor_release(replacement);
            if (*status != STRIA_OK) return false;
        }
    }
    return true;
}

stria_status stria_walk_answer_hook(stria_walk *walk, stria_tensor *replacement, stria_error *err)
{
    walk->waits_for_answer = false;
    return replace(&get_gradients(&walk->now)[walk->slot], replacement, err);
}

/* Gradients that somebody keeps. */
static stria_status keep(stria_walk *walk, stria_error *err)
{
    stria_node    *node = walk->now.node;
    stria_tensor **gradients = get_gradients(&walk->now);

    for (int k = 0; k < node->n_out; k++) {
        stria_slot *slot = &node->slots[k];
        if (gradients[k] == NULL) continue;
        bool is_target = false;
        for (int i = 0; i < walk->n_targets; i++) {
            if (walk->targets[i].slot != slot) continue;
            if (!walk->adds) walk->targets[i].gradient = stria_tensor_retain(gradients[k]);
            is_target = true;
        }
        const bool is_leaf = node->row == STRIA_ROW_LEAF;
        const bool is_kept = walk->is_restricted ? is_target && walk->adds : is_leaf && slot->requires_grad;
        if (is_kept || (slot->retains_grad && !is_leaf)) STRIA_TRY(add_to_grad(walk, slot, gradients[k], err));
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
    if (n > FEW) {
        walk->wants = stria_object_new((size_t)n * sizeof *walk->wants);
        walk->results = stria_object_new((size_t)n * sizeof *walk->results);
    }
    if (walk->wants == NULL || walk->results == NULL) {
        stria_object_release(walk->wants);
        stria_object_release(walk->results);
        walk->wants = NULL;
        walk->results = NULL;
        return fail_memory(err);
    }
    for (int k = 0; k < n; k++) {
        walk->results[k] = NULL;
        walk->wants[k] = node->edges[k] != NULL && is_needed(walk, node->edges[k]->node);
        *any |= walk->wants[k];
    }
    return STRIA_OK;
}

/* The gradients of a replayed function go on at what it has made this time. */
stria_status stria_walk_answer_replay(stria_walk *walk, stria_tensor *const *outputs, int n, stria_error *err)
{
    stria_node    *node = walk->now.node;
    stria_tensor **gradients = get_gradients(&walk->now);
    visits         stack = {NULL, 0, 0};
    stria_status   status = STRIA_OK;

    walk->waits_for_answer = false;
    walk->is_replayed = true;
    if (n != node->n_out)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "checkpoint", NULL, NULL, NULL,
                               "the function made %d tensors at first, and then %d", node->n_out, n);
    for (int k = 0; k < n && status == STRIA_OK; k++) {
        stria_slot *slot = NULL;
        if (gradients[k] == NULL) continue;
        if (outputs[k] != NULL) status = stria_slot_find(outputs[k], &slot, err);
        if (status != STRIA_OK || !stria_slot_requires_grad(slot)) continue;
        status = stria_error_set_op(err, check_gradient(outputs[k], gradients[k], err), "checkpoint");
        if (status == STRIA_OK && walk->is_restricted && !find_needed(walk, slot->node, &stack))
            status = fail_memory(err);
        if (status == STRIA_OK) status = push(walk, slot, stria_tensor_retain(gradients[k]), err);
    }
    stria_object_release(stack.at);
    return status;
}

int           stria_walk_count_inputs(const stria_walk *walk) { return walk->now.node->n_saved; }
stria_tensor *stria_walk_get_input(const stria_walk *walk, int k) { return walk->now.node->saved[k].x; }

static stria_status replay(stria_walk *walk, const stria_replay *again, stria_error *err)
{
    const stria_node           *node = walk->now.node;
    const stria_generator_state now = stria_generator_get_state(NULL);
    const bool                  was = stria_grad_mode_set(true);
    stria_tensor              **all = stria_object_new((size_t)(node->n_in + node->n_out) * sizeof *all);
    stria_status                status = all != NULL ? STRIA_OK : fail_memory(err);

    if (status == STRIA_OK) {
        for (int k = 0; k < node->n_in; k++) all[k] = node->saved[k].x;
        stria_generator_set_state(NULL, again->random);
        status = again->fn(again->context, all, node->n_in, all + node->n_in, node->n_out, err);
        stria_generator_set_state(NULL, now);
    }
    stria_grad_mode_set(was);
    if (status == STRIA_OK) status = stria_walk_answer_replay(walk, all + node->n_in, node->n_out, err);
    for (int k = 0; all != NULL && k < node->n_out; k++) stria_tensor_release(all[node->n_in + k]);
    stria_object_release(all);
    return status;
}

/* A checkpoint. False with status OK: it is an event. */
static bool run_replay(stria_walk *walk, stria_walk_event *event, stria_status *status, stria_error *err)
{
    const stria_node   *node = walk->now.node;
    const stria_replay *again = node->attrs;

    for (int k = 0; k < node->n_saved && *status == STRIA_OK; k++)
        *status = stria_saved_check(node, &node->saved[k], err);
    if (*status != STRIA_OK || walk->is_replayed) return *status == STRIA_OK;
    if (again->fn == NULL) {
        *event = (stria_walk_event){STRIA_WALK_REPLAY, again->id, NULL};
        walk->waits_for_answer = true;
        return false;
    }
    *status = replay(walk, again, err);
    return *status == STRIA_OK;
}

/* What a walk that does not retain the graph does with a node that it has done. Numbers of the host language are kept: a node that has saved
 * nothing else may be walked over again. */
static void free_saved(stria_node *node)
{
    bool is_freed = false;

    for (int k = 0; k < node->n_saved; k++) {
        stria_tensor *x = node->saved[k].x;
        if (x == NULL || x->is_wrapped_number) continue;
        node->saved[k].x = NULL;
        stria_tensor_release(x);
        is_freed = true;
    }
    for (int k = 0; is_freed && k < node->n_in; k++) {
        stria_slot *slot = node->edges[k];
        node->edges[k] = NULL;
        if (slot != NULL) stria_node_release(slot->node);
    }
}

static stria_status refuse_freed(const stria_node *node, stria_error *err)
{
    for (int k = 0; k < node->n_saved; k++)
        if (node->saved[k].x == NULL) return stria_saved_check(node, &node->saved[k], err);
    return STRIA_OK;
}

/* The rule of the node, and where its results go. */
static stria_status run_rule(stria_walk *walk, stria_error *err)
{
    stria_node *node = walk->now.node;
    bool        any;

    STRIA_TRY(refuse_freed(node, err));
    STRIA_TRY(begin_rule(walk, &any, err));
    if (!any) return STRIA_OK;
    STRIA_TRY(stria_rule_apply(node, get_gradients(&walk->now), walk->wants, creates(walk), walk->results, err));
    for (int k = 0; k < node->n_in; k++) {
        stria_tensor *x = walk->results[k];
        walk->results[k] = NULL;
        if (x != NULL) STRIA_TRY(push(walk, node->edges[k], x, err));
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
        } else if (node->row != STRIA_ROW_LEAF && is_needed(walk, node)) {
            STRIA_TRY(run_rule(walk, err));
        }
        if (!retains(walk)) free_saved(node);
        end_now(walk);
    }
}

stria_status stria_walk_next(stria_walk *walk, stria_walk_event *event, stria_error *err)
{
    if (walk->waits_for_answer)
        return stria_error_set(err, STRIA_ERR_CONFIG, OP, NULL, "an answer", NULL, "the walk waits for an answer");
    const stria_gradient_state was = enter(walk);
    const stria_status         status = go_on(walk, event, err);
    leave(&was);
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
    if (walk->is_busy) end_now(walk);
    for (int k = 0; k < walk->n_heap; k++) end_entry(&walk->entries[walk->heap[k]]);
    for (int k = 0; k < walk->n_targets; k++) {
        stria_tensor_release(walk->targets[k].gradient);
        stria_node_release(walk->targets[k].slot->node);
    }
    stria_object_release(walk->entries);
    stria_object_release(walk->heap);
    stria_object_release(walk->targets);
    stria_node_map_release(&walk->waiting);
    stria_node_map_release(&walk->needed);
    stria_object_release(walk);
}
