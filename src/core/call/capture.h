/* capture.h - work that a device launches again and again as one: what its table offers to graphs. Internal.
 *
 * The calls of a thread are watched first, then captured: they do not compute, but what they would launch is kept, with the places of elements and
 * the numbers that they had. A launch makes all of it, on the same places. Who launches sees to it that the same calls would do the same. */
#ifndef STRIA_CAPTURE_H
#define STRIA_CAPTURE_H

#include "tensor/tensor.h"

typedef struct stria_captured stria_captured;

typedef struct stria_watched {
    bool   can_be_captured; /* the host neither waited for the device, nor read or wrote its memory */
    bool   is_settled;      /* nothing was made that the next time finds */
    size_t memory_nbytes;   /* of the device, that were taken on the way */
} stria_watched;

/* What is kept on a device for later runs, and given back where memory is short: at the beginning of it. */
typedef struct stria_kept stria_kept;
struct stria_kept {
    stria_kept *next;
    void (*release)(stria_kept *kept);
};
typedef struct stria_kept_list {
    stria_kept             *first;
    stria_device            device;
    struct stria_kept_list *next; /* of all lists */
} stria_kept_list;
typedef bool stria_kept_match_fn(const stria_kept *kept, void *context);

typedef struct stria_backend_capture {
    /* Whether anything is to be captured. */
    bool (*is_on)(void);

    /* False: no memory; nothing is watched. */
    bool (*watch_begin)(void);
    void (*watch_end)(stria_watched *watched);

    /* What this thread calls on the device, from begin to end, is captured. memory: what is taken on the way lies there, so that it must outlive
     * what was captured; NULL: nothing is. Calls fail where they cannot be captured; versions go up as ever. captured NULL: it is not wanted. */
    stria_status (*begin)(stria_device device, const stria_storage *memory, stria_error *err);
    stria_status (*end)(stria_captured **captured, stria_error *err);

    /* All of it, behind whatever was done with the memory and with the tensors, which are those that it reads or writes. Not by two threads at
     * once. *is_launched false: nothing was done. */
    stria_status (*launch)(const stria_captured *captured, const stria_storage *memory, stria_tensor *const *tensors,
                           int n_tensors, bool *is_launched, stria_error *err);
    void (*release)(stria_captured *captured);

    /* Lists of what is kept. What is put there belongs to the list, until it is taken or given back by any thread. */
    void (*list_begin)(stria_kept_list *list, stria_device device);
    void (*list_end)(stria_kept_list *list);
    /* In front. Of more than `most`, the last one is returned, which is the caller's then; else NULL. */
    stria_kept *(*put)(stria_kept_list *list, stria_kept *kept, int most);
    /* The first that matches, which is asked under a lock; NULL: none. */
    stria_kept *(*take)(stria_kept_list *list, stria_kept_match_fn *match, void *context);
} stria_backend_capture;

#endif
