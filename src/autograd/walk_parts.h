/* walk_parts.h - what the files of a walk share: its state, the queue of nodes that wait, sums of gradients. Internal. */
#ifndef STRIA_WALK_PARTS_H
#define STRIA_WALK_PARTS_H

#include "autograd/node_map.h"
#include "autograd/walk.h"

#define STRIA_WALK_FEW 8 /* inputs of a node that need no memory of their own */

/* A node that waits, and its gradients so far. */
typedef struct stria_walk_entry {
    stria_node    *node; /* owned */
    unsigned       order;
    stria_tensor  *gradients[STRIA_MAX_OUTPUTS];
    stria_tensor **many; /* of a node with more outputs: instead */
} stria_walk_entry;

typedef struct stria_walk_target {
    stria_slot   *slot; /* owns its node */
    stria_tensor *gradient;
} stria_walk_target;

struct stria_walk {
    int                flags;
    bool               adds, is_restricted, has_failed;
    stria_walk_entry  *entries; /* [room] */
    int                n_free, room, *free;
    int               *heap, n_heap;
    unsigned           order;
    stria_node_map     waiting; /* -> entries */
    stria_node_map     needed;  /* is_restricted: whether an input lies below */
    stria_node_map     replays; /* of checkpoints: how often */
    stria_walk_target *targets;
    int                n_targets;
    stria_node_map     of_targets; /* the nodes that have one */
    uint64_t           oldest;     /* of the nodes of targets */
    /* the node that is being done */
    stria_walk_entry now;
    stria_node_visit visit; /* of what it has saved */
    bool             is_busy, is_kept, waits_for_answer, is_replayed;
    int              slot; /* whose hooks run */
    uint64_t         hook; /* the last one that ran */
    bool            *wants, few_wants[STRIA_WALK_FEW];
    stria_tensor   **results, *few_results[STRIA_WALK_FEW];
};

static inline bool stria_walk_creates(const stria_walk *walk) { return (walk->flags & STRIA_GRAD_CREATE) != 0; }
static inline bool stria_walk_retains(const stria_walk *walk)
{
    return (walk->flags & (STRIA_GRAD_CREATE | STRIA_GRAD_RETAIN)) != 0;
}

/* ---------------------------------------------------------------- the queue (walk_queue.c) */

static inline stria_tensor **stria_walk_get_gradients(stria_walk_entry *e)
{
    return e->many != NULL ? e->many : e->gradients;
}

/* The gradient of a slot grows by x, which is taken over. */
stria_status stria_walk_push(stria_walk *walk, const stria_slot *slot, stria_tensor *x, stria_error *err);
/* The node with the largest sequence number into *e; there is one. */
void stria_walk_pop(stria_walk *walk, stria_walk_entry *e);
void stria_walk_end_entry(stria_walk_entry *e);

/* ---------------------------------------------------------------- sums of gradients (walk_sum.c) */

/* *sum += x; takes x over. */
stria_status stria_walk_add(const stria_walk *walk, stria_tensor **sum, stria_tensor *x, stria_error *err);
/* The gradient of the owner of slot grows by x, which stays the caller's. */
stria_status stria_walk_add_to_grad(const stria_walk *walk, stria_slot *slot, stria_tensor *x, stria_error *err);

/* ---------------------------------------------------------------- which nodes are needed (walk_needed.c) */

/* Finds which nodes below root lead to a target. ERR_MEMORY. */
stria_status stria_walk_find_needed(stria_walk *walk, stria_node *root, stria_error *err);
bool         stria_walk_needs(const stria_walk *walk, const stria_node *node);

#define STRIA_WALK_NAME "backward"

#endif
