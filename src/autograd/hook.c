/* hook.c - functions that see the gradient of a slot when a walk comes by. */
#include "autograd/node.h"
#include "base/alloc.h"

static uint64_t last_hook; /* under stria_gradient_lock */

/* Where the hook with this number is linked, or the end of the list. */
static stria_hook **find_link(stria_hook **link, uint64_t id)
{
    while (*link != NULL && (*link)->id != id) link = &(*link)->next;
    return link;
}

stria_status stria_hook_new(stria_slot *slot, stria_gradient_hook_fn *fn, void *context, void (*release)(void *context),
                            uint64_t *id, stria_error *err)
{
    stria_hook *hook = stria_object_new(sizeof *hook);

    if (hook == NULL) return stria_gradient_fail_memory("register_hook", err);
    atomic_init(&hook->refcount, 1);
    hook->fn = fn;
    hook->context = context;
    hook->release = release;
    lock(&stria_gradient_lock);
    hook->id = ++last_hook;
    if (id != NULL) *id = hook->id;
    stria_hook *first = atomic_load_explicit(&slot->hooks, memory_order_relaxed);
    *find_link(&first, 0) = hook;
    atomic_store_explicit(&slot->hooks, first, memory_order_relaxed);
    unlock(&stria_gradient_lock);
    return STRIA_OK;
}

stria_hook *stria_hook_find(stria_slot *slot, uint64_t last)
{
    if (atomic_load_explicit(&slot->hooks, memory_order_relaxed) == NULL) return NULL;
    lock(&stria_gradient_lock);
    stria_hook *hook = atomic_load_explicit(&slot->hooks, memory_order_relaxed);
    while (hook != NULL && hook->id <= last) hook = hook->next;
    if (hook != NULL) atomic_fetch_add_explicit(&hook->refcount, 1, memory_order_relaxed);
    unlock(&stria_gradient_lock);
    return hook;
}

void stria_hook_remove(stria_slot *slot, uint64_t id)
{
    lock(&stria_gradient_lock);
    stria_hook  *first = atomic_load_explicit(&slot->hooks, memory_order_relaxed);
    stria_hook **link = find_link(&first, id), *found = *link;
    if (found != NULL) *link = found->next;
    atomic_store_explicit(&slot->hooks, first, memory_order_relaxed);
    unlock(&stria_gradient_lock);
    stria_hook_release(found);
}

/* A walk that runs a hook keeps it: one that removes itself ends when it has run. */
void stria_hook_release(stria_hook *hook)
{
    if (hook == NULL || atomic_fetch_sub_explicit(&hook->refcount, 1, memory_order_acq_rel) > 1) return;
    if (hook->release != NULL) hook->release(hook->context);
    stria_object_release(hook);
}

void stria_hook_release_all(stria_hook *first)
{
    while (first != NULL) {
        stria_hook *next = first->next;
        stria_hook_release(first);
        first = next;
    }
}
