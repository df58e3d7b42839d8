/* node.h - what a call on tensors that require gradients leaves behind. Internal.
 *
 * A node is a call that was made: its row, a copy of its attributes, what its rule reads (saved), and where the gradients of its inputs go
 * (edges). A slot is one of its results, or a leaf: tensor->gradient points to it, and owns its node. Edges point to slots, too, and own
 * their nodes, so a graph lives as long as somebody holds its last tensor. All of a node is one block of memory.
 *
 * Nodes have numbers that grow along every path: sequence is larger than that of every node that an edge leads to. So a walk from results
 * to leaves that always takes the largest number first has seen every gradient of a node when it comes to it.
 *
 * Threads: a graph may be built and walked by several threads. What a finished node has does not change but for the gradients and hooks of
 * its slots, which locks guard, and its saved values and edges, which a walk without STRIA_GRAD_RETAIN frees: who reads them visits the node
 * (stria_node_enter), the last one to leave frees them, and who comes later is refused.
 *
 * Order of locks: stria_gradient_lock, then the guard of one slot. Under a guard nothing else is locked, computed or released; under
 * stria_gradient_lock nothing of the program's runs.
 */
#ifndef STRIA_NODE_H
#define STRIA_NODE_H

#include "autograd/rule.h"
#include "autograd/rules.h"
#include "base/generator.h"
#include "base/lock.h"
#include "stria_autograd.h"

typedef struct stria_node stria_node;
typedef struct stria_hook stria_hook;

typedef struct stria_slot {
    stria_node     *node;
    stria_rule_meta meta;
    stria_device    device;
    int             index;         /* node->slots[index] */
    bool            requires_grad; /* of a leaf; results do */
    bool            retains_grad;  /* of a result; leaves do */
    bool            is_rewritten;  /* the tensor was written to in place: views that were made before look here again */
    bool            views_leaf;    /* of a view: of a leaf that requires a gradient and has a base itself */
    uint64_t        base_sequence; /* of a view: the node of its base when this was made */
    spin_lock       guard;         /* of owner, grad, is_summing, moved_to */
    bool            is_summing;    /* a walk adds to grad, others wait */
    struct stria_slot  *moved_to;  /* owns its node: where grad and its sum went while is_summing; or NULL */
    const stria_tensor *owner;     /* whose .grad this has; NULL: the handle has ended, and nobody can ask for it */
    stria_tensor       *grad;      /* owned, or NULL */
    stria_hook *_Atomic hooks;     /* in the order in which they were registered; under stria_gradient_lock */
} stria_slot;

typedef struct stria_saved {
    stria_tensor *x; /* owned; NULL: freed by a walk */
    unsigned      version;
    unsigned      index : 31;    /* of the input or output */
    unsigned      is_output : 1; /* x is then a handle of its own, without history */
} stria_saved;

/* Rows that nobody calls: what a node can be beside a call. */
#define STRIA_ROW_LEAF (STRIA_ROW_EXPRESSION + 1)
#define STRIA_ROW_VIEW_OF \
    (STRIA_ROW_EXPRESSION + 2) /* of stria_geometry: a view, looked at anew after its base was written to */
#define STRIA_ROW_WRITE_VIEW \
    (STRIA_ROW_EXPRESSION + 3) /* of stria_geometry: inputs are the base and what a view of it became */
#define STRIA_ROW_REPLAY (STRIA_ROW_EXPRESSION + 4) /* of stria_replay: a checkpoint */

struct stria_node {
    atomic_int        refcount;
    atomic_uint       visits; /* how many walks read saved and edges; and whether these are freed (node.c) */
    stria_row         row;
    int               n_in, n_out, n_saved;
    uint64_t          sequence;
    const stria_rule *rule;
    stria_slot      **edges;   /* [n_in], NULL: that input wants no gradient */
    stria_rule_meta  *inputs;  /* [n_in] of a RULE, else NULL */
    stria_saved      *saved;   /* [n_saved] */
    void             *attrs;   /* what the call had; the lists in it lie in this block */
    stria_node       *next;    /* of nodes that are being released */
    stria_slot        slots[]; /* [n_out] */
};

/* How a view lies over its base: offsets in elements from the lowest element of both. Where one of them is complex and the other one is of
 * its parts, elements are parts, and the complex one has a last axis of 2. */
typedef struct stria_geometry_side {
    int            ndim;
    bool           is_complex; /* and seen as parts */
    int64_t        offset;
    const int64_t *shape, *strides;
} stria_geometry_side;

typedef struct stria_geometry {
    int64_t             extent; /* elements from the lowest to the highest of both */
    stria_geometry_side view, base;
} stria_geometry;

/* A function whose calls were not remembered. A walk that comes by runs it again on the saved inputs, and goes on where the new results
 * come from. fn NULL: the walk stops, and whoever runs it does this (stria_walk_next). */
typedef struct stria_replay {
    stria_checkpoint_fn *fn;
    void                *context;
    void (*release)(void *context); /* when the node ends; may be NULL */
    double      id;                 /* of fn NULL */
    stria_draws drawn;              /* what the first run took from the default generator; fn not NULL */
} stria_replay;

struct stria_hook {
    stria_hook             *next, *newer, *older; /* of its slot; of all */
    stria_slot             *slot;
    atomic_int              refcount; /* the list, and walks that run it */
    uint64_t                id;
    stria_gradient_hook_fn *fn; /* NULL: the walk stops, and whoever runs it does this */
    void                   *context;
    void (*release)(void *context);
};

/* ---------------------------------------------------------------- what each thread has */

typedef struct stria_gradient_state {
    bool        is_off;               /* nothing is recorded: no_grad */
    bool        is_working;           /* a row does its work: what it calls is not recorded */
    bool        is_watching, has_met; /* whether a call that was not recorded had an input that requires a gradient */
    bool        is_repeated;          /* off in the first run of a checkpoint alone: the second one records */
    int         n_checkpoints;        /* whose first runs, one in another, are under way */
    int         depth;                /* of composites that run */
    bool        is_ending;            /* nodes are being released: others are put into `ending` */
    stria_node *ending;
    uint64_t    sequence; /* of the node made last */
    /* Of a thread that records: .grad of slot is going to be read or added to (reads), or set. NULL: none. */
    void (*watch_grad)(void *context, stria_slot *slot, bool reads);
    /* The same: the history of x is going to be that of slot. NULL where watch_grad is. */
    void (*watch_history)(void *context, stria_tensor *x, const stria_slot *slot);
    void *watch_context;
} stria_gradient_state;
extern _Thread_local stria_gradient_state stria_gradient_here;

/* Whether calls are recorded, or will be when a checkpoint runs again. */
static inline bool stria_gradient_is_wanted(void)
{
    return !stria_gradient_here.is_off || stria_gradient_here.is_repeated;
}

/* The mode as one value, as blocks of the host keep it: what stria_grad_mode_set has is on or off alone. */
typedef enum stria_grad_state {
    STRIA_GRAD_OFF,
    STRIA_GRAD_ON,
    STRIA_GRAD_REPEATED /* off in the first run of a checkpoint alone; on, where no checkpoint runs */
} stria_grad_state;
/* Sets it; the one of before. */
stria_grad_state stria_gradient_set_state(stria_grad_state state);

extern spin_lock stria_gradient_lock;

static inline void stria_gradient_watch(stria_slot *slot, bool reads)
{
    if (stria_gradient_here.watch_grad != NULL)
        stria_gradient_here.watch_grad(stria_gradient_here.watch_context, slot, reads);
}

/* ---------------------------------------------------------------- nodes */

/* What a new node needs room for. */
typedef struct stria_node_plan {
    stria_row         row;
    const stria_rule *rule;
    int               n_in, n_out, n_saved;
    bool              has_inputs; /* metas of all inputs */
    int               n_sizes;    /* of shapes: of slots, and of inputs where there are metas of them */
    size_t            attrs_nbytes;
} stria_node_plan;

/* With refcount 1, edges NULL, nothing saved. *sizes: room for the shapes. NULL: no memory. */
stria_node               *stria_node_new(const stria_node_plan *plan, int64_t **sizes);
static inline stria_node *stria_node_retain(stria_node *node)
{
    atomic_fetch_add_explicit(&node->refcount, 1, memory_order_relaxed);
    return node;
}
void stria_node_release(stria_node *node); /* NULL is allowed; never recurses, however long the graph is */

/* How a node is visited. */
typedef enum stria_node_visit {
    STRIA_VISIT_NONE,    /* not; or it has nothing that could be freed */
    STRIA_VISIT_REFUSED, /* it is freed */
    STRIA_VISIT_ALONE,   /* nobody else can come */
    STRIA_VISIT_COUNTED
} stria_node_visit;

/* Between these saved and edges stay. is_owner: the caller owns the node, and may find that nobody else does. `frees`: nobody needs them any
 * more; numbers of the host language are kept, and a node that has saved nothing else may be walked over again. */
stria_node_visit stria_node_enter(stria_node *node, bool is_owner);
void             stria_node_leave(stria_node *node, stria_node_visit visit, bool frees);

/* Describes x in meta and copies its shape to *sizes, which goes on. */
void stria_node_describe(const stria_tensor *x, stria_rule_meta *meta, int64_t **sizes);

/* edges[k] = slot, whose node is retained; sequence grows above it. */
void stria_node_set_edge(stria_node *node, int k, stria_slot *slot);
/* The sequence number of a node whose edges are set. */
void stria_node_end_edges(stria_node *node);

/* Whether what is written to one of a view and its base has a derivative by the other: they are of one dtype, or one is of the parts of the
 * other. (geometry.c) */
bool stria_geometry_is_known(const stria_tensor *x, const stria_tensor *base);
/* A node of STRIA_ROW_VIEW_OF or STRIA_ROW_WRITE_VIEW, for the view x. ERR_UNSUPPORTED: its geometry is not known; ERR_MEMORY. */
stria_status stria_node_new_geometry(const stria_tensor *x, const stria_tensor *base, stria_row row, int n_in,
                                     stria_node **out, stria_error *err);
extern const stria_rule stria_rule_view_of, stria_rule_write_view;

/* ERR_ARGUMENT: x was written to. */
stria_status stria_saved_check(const stria_node *node, const stria_saved *saved, stria_error *err);
/* Always fails. ERR_ARGUMENT: what the node has saved was freed; ERR_MEMORY. */
stria_status stria_node_refuse_freed(const stria_node *node, stria_error *err);
stria_status stria_gradient_fail_memory(const char *op, stria_error *err);

/* Name of what made a node, for errors. */
const char *stria_node_get_name(stria_row row);

/* Results get the history of a checkpoint; integers and bool stay as they are. outputs[k] becomes another handle over its elements where its
 * memory is an input's or another output's: that cannot be written to in place while gradients are recorded. Takes replay->context and
 * replay->drawn over, also on failure. */
stria_status stria_replay_attach(const stria_replay *replay, stria_tensor *const *inputs, int n_inputs,
                                 stria_tensor **outputs, int n_outputs, stria_error *err);

/* What a replay owns: its context and its notes. */
void stria_replay_end_context(stria_replay *replay);

/* The first run of a checkpoint stands between these: nothing is recorded. `end` tells whether something would have been. */
stria_gradient_state stria_replay_begin(void);
bool                 stria_replay_end(const stria_gradient_state *was);

/* ---------------------------------------------------------------- slots of tensors */

static inline bool stria_is_differentiable(stria_dtype dtype)
{
    return stria_dtype_get_category(dtype) >= STRIA_CATEGORY_F;
}
static inline bool stria_slot_is_leaf(const stria_slot *slot) { return slot->node->row == STRIA_ROW_LEAF; }
static inline bool stria_slot_requires_grad(const stria_slot *slot)
{
    return slot != NULL && (slot->requires_grad || slot->node->row != STRIA_ROW_LEAF);
}

/* ERR_SHAPE, ERR_DEVICE, ERR_DTYPE: what gradient may not be, of x; converts: its dtype need only cast to that of x. */
stria_status stria_gradient_check(const char *op, const char *argument, const stria_tensor *x,
                                  const stria_tensor *gradient, bool converts, stria_error *err);

/* The slot of x as it is now: a view whose base was written to gets a new one. NULL: it has none. ERR_MEMORY; ERR_UNSUPPORTED. */
stria_status stria_slot_find(const stria_tensor *x, stria_slot **slot, stria_error *err);
/* The slot of x; a new leaf that requires nothing where there is none. */
stria_status stria_slot_get(stria_tensor *x, stria_slot **slot, stria_error *err);
/* x becomes a leaf that requires nothing; it keeps its .grad. ERR_MEMORY. */
stria_status stria_slot_new_leaf(stria_tensor *x, stria_error *err);
/* The history of x is that of slot, which nobody else knows yet, from now on; what it had before is released, but .grad stays. NULL: none, and
 * no .grad. */
void stria_slot_attach(stria_tensor *x, stria_slot *slot);
/* A handle of its own over the elements of x, with slot as its history (NULL: none). */
stria_status stria_slot_view(const stria_tensor *x, stria_slot *slot, stria_tensor **y, stria_error *err);

/* ---------------------------------------------------------------- hooks (hook.c) */

/* At the end of the list of slot; fn NULL: the walk stops for it. Takes nothing over on failure: ERR_MEMORY. id may be NULL. */
stria_status stria_hook_new(stria_slot *slot, stria_gradient_hook_fn *fn, void *context, void (*release)(void *context),
                            uint64_t *id, stria_error *err);
/* The first hook of a slot behind the one with number `last`, retained; NULL: there is none. Hooks may come and go at any time. */
stria_hook *stria_hook_find(stria_slot *slot, uint64_t last);
void        stria_hook_release(stria_hook *hook);
void        stria_hook_release_all(stria_slot *slot);

/* From now on calls come here, and views know their bases. */
void stria_gradients_begin(void);

stria_status stria_gradients_run(const stria_call *call, stria_family_fn *family, stria_error *err);
/* stria_gradient_sees_fn */
bool stria_gradients_see(const stria_call *call);

#endif
