/* walk_queue.c - the nodes of a walk that wait (walk_parts.h).
 *
 * Nodes that have gradients wait in a heap. The one with the largest sequence number is next: every node that could add to its
 * gradients has a larger one, and is done. */
#include <string.h>

#include "autograd/walk_parts.h"
#include "base/alloc.h"
#include "base/error.h"

/* ---------------------------------------------------------------- the heap */

static bool comes_first(const stria_walk *walk, int a, int b)
{
    const stria_walk_entry *x = &walk->entries[a], *y = &walk->entries[b];

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
    const int         room = walk->room > 0 ? 2 * walk->room : 16;
    stria_walk_entry *entries = stria_object_new((size_t)room * sizeof *entries);
    int              *numbers = stria_object_new(2 * (size_t)room * sizeof *numbers);

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

/* ---------------------------------------------------------------- nodes that wait */

static stria_status new_entry(stria_walk *walk, stria_node *node, int *number, stria_error *err)
{
    if (walk->n_free == 0 && !grow(walk)) return stria_gradient_fail_memory(STRIA_WALK_NAME, err);
    *number = walk->free[walk->n_free - 1];
    stria_walk_entry *e = &walk->entries[*number];
    *e = (stria_walk_entry){.node = node, .order = walk->order++};
    if (node->n_out > STRIA_MAX_OUTPUTS) {
        e->many = stria_object_new((size_t)node->n_out * sizeof *e->many);
        if (e->many == NULL) return stria_gradient_fail_memory(STRIA_WALK_NAME, err);
    }
    if (!stria_node_map_put(&walk->waiting, node, *number)) {
        stria_object_release(e->many);
        return stria_gradient_fail_memory(STRIA_WALK_NAME, err);
    }
    walk->n_free--;
    stria_node_retain(node);
    heap_push(walk, *number);
    return STRIA_OK;
}

stria_status stria_walk_push(stria_walk *walk, const stria_slot *slot, stria_tensor *x, stria_error *err)
{
    const int   *found = stria_node_map_find(&walk->waiting, slot->node);
    int          number = found != NULL ? *found : -1;
    stria_status status = STRIA_OK;

    if (number < 0) status = new_entry(walk, slot->node, &number, err);
    if (status == STRIA_OK)
        return stria_walk_add(walk, &stria_walk_get_gradients(&walk->entries[number])[slot->index], x, err);
    stria_tensor_release(x);
    return status;
}

void stria_walk_pop(stria_walk *walk, stria_walk_entry *e)
{
    const int number = heap_pop(walk);

    *e = walk->entries[number];
    walk->entries[number] = (stria_walk_entry){.node = NULL};
    walk->free[walk->n_free++] = number;
    stria_node_map_remove(&walk->waiting, e->node);
}

void stria_walk_end_entry(stria_walk_entry *e)
{
    for (int k = 0; e->node != NULL && k < e->node->n_out; k++) stria_tensor_release(stria_walk_get_gradients(e)[k]);
    stria_object_release(e->many);
    stria_node_release(e->node);
    *e = (stria_walk_entry){.node = NULL};
}
