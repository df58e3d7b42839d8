/* kept.c - what graphs keep on CUDA devices for their next runs, until memory is short (call/capture.h). */
#include "base/lock.h"
#include "cuda/cuda_device.h"
#include "tensor/device.h"

static struct {
    spin_lock        taken; /* of all lists, and what is in them: for a few steps */
    stria_kept_list *first;
} lists;

static bool is_in_child(void)
{
    const char *why;
    return stria_cuda_open(&why) ==
           NULL; /* a forked one: the lock may be held for ever, by a thread that is not there */
}

void stria_cuda_kept_list_begin(stria_kept_list *list, stria_device device)
{
    list->first = NULL;
    list->device = device;
    lock(&lists.taken);
    list->next = lists.first;
    lists.first = list;
    unlock(&lists.taken);
}

static void release_all(stria_kept *first)
{
    for (stria_kept *kept = first; kept != NULL; kept = first) {
        first = kept->next;
        kept->release(kept);
    }
}

void stria_cuda_kept_list_end(stria_kept_list *list)
{
    if (is_in_child()) {
        release_all(list->first);
        return;
    }
    lock(&lists.taken);
    stria_kept_list **at = &lists.first;
    while (*at != list) at = &(*at)->next;
    *at = list->next;
    unlock(&lists.taken);
    release_all(list->first);
}

stria_kept *stria_cuda_kept_put(stria_kept_list *list, stria_kept *kept, int most)
{
    stria_kept **at = &list->first, *last = NULL;

    lock(&lists.taken);
    kept->next = list->first;
    list->first = kept;
    for (int n = 0; n < most && *at != NULL; n++) at = &(*at)->next;
    last = *at;
    *at = NULL;
    unlock(&lists.taken);
    return last;
}

stria_kept *stria_cuda_kept_take(stria_kept_list *list, stria_kept_match_fn *match, void *context)
{
    stria_kept **at = &list->first;

    lock(&lists.taken);
    while (*at != NULL && !match(*at, context)) at = &(*at)->next;
    stria_kept *found = *at;
    if (found != NULL) *at = found->next;
    unlock(&lists.taken);
    return found;
}

void stria_cuda_kept_give_back(int device)
{
    stria_kept *all = NULL;

    lock(&lists.taken);
    for (stria_kept_list *list = lists.first; list != NULL; list = list->next) {
        if (list->device.index != device) continue;
        for (stria_kept *kept = list->first; kept != NULL; kept = list->first) {
            list->first = kept->next;
            kept->next = all;
            all = kept;
        }
    }
    unlock(&lists.taken);
    release_all(all);
}
