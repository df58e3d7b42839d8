/* walk_needed.c - which nodes lead to the tensors whose gradients are asked for (walk_parts.h). */
#include <string.h>

#include "autograd/walk_parts.h"
#include "base/alloc.h"
#include "base/error.h"

/* ---------------------------------------------------------------- which nodes are needed */

/* A node on the way: its edges stay while it is visited, and with them the nodes below. */
typedef struct step {
    stria_node      *node;
    stria_node_visit visit;
    int              edge;
    bool             is_needed;
} step;

typedef struct steps {
    step  *at;
    size_t n, room;
} steps;

/* What was freed is refused when the walk comes there. */
static bool step_push(const stria_walk *walk, steps *stack, stria_node *node)
{
    if (stack->n == stack->room) {
        const size_t room = stack->room > 0 ? 2 * stack->room : 64;
        step        *at = stria_object_new(room * sizeof *at);
        if (at == NULL) return false;
        if (stack->n > 0) memcpy(at, stack->at, stack->n * sizeof *at);
        stria_object_release(stack->at);
        stack->at = at;
        stack->room = room;
    }
    step *top = &stack->at[stack->n++];
    *top = (step){node, stria_node_enter(node, false), 0, false};
    top->is_needed = node->row == STRIA_ROW_REPLAY || top->visit == STRIA_VISIT_REFUSED ||
                     stria_node_map_find(&walk->of_targets, node) != NULL;
    return true;
}

static void step_pop(steps *stack)
{
    const step *top = &stack->at[--stack->n];
    stria_node_leave(top->node, top->visit, false);
}

/* Depth first, with a stack of its own. Nodes older than every input lead to none. */
static bool find_needed(stria_walk *walk, stria_node *root, steps *stack)
{
    if (!step_push(walk, stack, root)) return false;
    while (stack->n > 0) {
        step *top = &stack->at[stack->n - 1];
        if (top->visit != STRIA_VISIT_REFUSED && top->edge < top->node->n_in && top->node->sequence > walk->oldest) {
            const stria_slot *slot = top->node->edges[top->edge];
            const int        *known = slot != NULL ? stria_node_map_find(&walk->needed, slot->node) : NULL;
            if (slot == NULL || known != NULL) {
                if (known != NULL && *known != 0) top->is_needed = true;
                top->edge++;
            } else if (!step_push(walk, stack, slot->node)) {
                return false;
            }
            continue;
        }
        if (!stria_node_map_put(&walk->needed, top->node, top->is_needed)) return false;
        step_pop(stack);
    }
    return true;
}

stria_status stria_walk_find_needed(stria_walk *walk, stria_node *root, stria_error *err)
{
    steps stack = {NULL, 0, 0};

    if (!walk->is_restricted || stria_node_map_find(&walk->needed, root) != NULL) return STRIA_OK;
    const bool is_done = find_needed(walk, root, &stack);
    while (stack.n > 0) step_pop(&stack);
    stria_object_release(stack.at);
    return is_done ? STRIA_OK : stria_gradient_fail_memory(STRIA_WALK_NAME, err);
}

bool stria_walk_needs(const stria_walk *walk, const stria_node *node)
{
    const int *known = walk->is_restricted ? stria_node_map_find(&walk->needed, node) : NULL;

    return !walk->is_restricted || (known != NULL && *known != 0);
}
