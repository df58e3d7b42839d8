/* hook.c - functions that see the gradient of a slot when a walk comes by. */
#include "autograd/node.h"
#include "base/alloc.h"

/* under stria_gradient_lock */
static uint64_t    last_hook;
static stria_hook *newest; /* of all slots: programs know hooks by their numbers alone */

static void unlink_from_all(stria_hook *hook)
{
    *(hook->newer != NULL ? &hook->newer->older : &newest) = hook->older;
    if (hook->older != NULL) hook->older->newer = hook->newer;
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
    hook->slot = slot;
    lock(&stria_gradient_lock);
    hook->id = ++last_hook;
    if (id != NULL) *id = hook->id;
    hook->older = newest;
    if (newest != NULL) newest->newer = hook;
    newest = hook;
    stria_hook *last = atomic_load_explicit(&slot->hooks, memory_order_relaxed);
    while (last != NULL && last->next != NULL) last = last->next;
    if (last != NULL)
        last->next = hook;
    else
        atomic_store_explicit(&slot->hooks, hook, memory_order_relaxed);
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

void stria_tensor_remove_hook(uint64_t id)
{
    lock(&stria_gradient_lock);
    stria_hook *hook = newest;
    while (hook != NULL && hook->id != id) hook = hook->older;
    if (hook != NULL) {
        stria_hook *before = atomic_load_explicit(&hook->slot->hooks, memory_order_relaxed);
        while (before != hook && before->next != hook) before = before->next;
        if (before == hook)
            atomic_store_explicit(&hook->slot->hooks, hook->next, memory_order_relaxed);
        else
            before->next = hook->next;
        unlink_from_all(hook);
    }
    unlock(&stria_gradient_lock);
    stria_hook_release(hook);
}

/* A walk that runs a hook keeps it: one that removes itself ends when it has run. */
void stria_hook_release(stria_hook *hook)
{
    if (hook == NULL || atomic_fetch_sub_explicit(&hook->refcount, 1, memory_order_acq_rel) > 1) return;
    if (hook->release != NULL) hook->release(hook->context);
    stria_object_release(hook);
}

void stria_hook_release_all(stria_slot *slot)
{
    if (atomic_load_explicit(&slot->hooks, memory_order_relaxed) == NULL) return;
    lock(&stria_gradient_lock);
    stria_hook *first = atomic_load_explicit(&slot->hooks, memory_order_relaxed);
    for (stria_hook *hook = first; hook != NULL; hook = hook->next) unlink_from_all(hook);
    unlock(&stria_gradient_lock);
    while (first != NULL) {
        stria_hook *next = first->next;
        stria_hook_release(first);
        first = next;
    }
}
