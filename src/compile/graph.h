/* graph.h - a program of calls: what is recorded, and what runs. Internal.
 *
 * A buffer is memory: a storage of the program that was recorded. A view is how a call looks at a buffer: offset, shape, strides, dtype. A step
 * is a call whose tensors are views. Rows that make views leave no step, nothing but other views of a buffer, so that chains of them are one
 * by construction. A step that writes in place, or into a given output, writes to a buffer again. Steps run in the order in which they were
 * recorded.
 */
#ifndef STRIA_COMPILE_GRAPH_H
#define STRIA_COMPILE_GRAPH_H

#include <stdatomic.h>

#include "call/call.h"
#include "stria_graph.h"

typedef enum stria_buffer_kind {
    STRIA_BUFFER_INPUT,  /* of input `input` */
    STRIA_BUFFER_HELD,   /* of `tensor` */
    STRIA_BUFFER_NUMBER, /* `tensor` is a number */
    STRIA_BUFFER_MADE    /* by steps */
} stria_buffer_kind;

typedef struct stria_buffer {
    stria_buffer_kind kind;
    int               input;
    stria_tensor     *tensor;      /* HELD: a handle of its own; NUMBER; else NULL. Owned */
    stria_tensor     *symbol;      /* while it is recorded: a handle over its storage on META. Owned */
    int64_t           nbytes;      /* from the beginning of the storage to the end of what is looked at */
    bool              is_written;  /* by a step */
    bool              is_result;   /* a result looks at it */
    int               first, last; /* steps that look at it; last -1: none */
    int64_t           place;       /* MADE and no result: bytes from the beginning of the arena */
} stria_buffer;

typedef struct stria_graph_view {
    int         buffer;
    stria_dtype dtype;
    int         ndim;
    int64_t     offset; /* bytes from the beginning of the storage */
    int64_t    *sizes;  /* [ndim] shape, [ndim] strides; owned */
} stria_graph_view;

typedef struct stria_graph_step {
    stria_row row;
    int       n_in, n_list, n_out;
    bool      is_new;   /* its outputs were not given: they are new, of the dtypes that the row makes */
    bool      is_taken; /* another step computes what it did */
    int      *views;    /* [n_in + n_list + n_out]; -1: the tensor is left out; owned, with attrs behind them */
    void     *attrs;    /* or NULL */
} stria_graph_step;

typedef struct stria_graph_frame stria_graph_frame;

/* An array that grows: [n] items, room for `room`. */
#define STRIA_GROWING(type) \
    struct {                \
        type *at;           \
        int   n, room;      \
    }

struct stria_graph {
    atomic_int refcount;
    STRIA_GROWING(stria_buffer) buffers;
    STRIA_GROWING(stria_graph_view) views;
    STRIA_GROWING(stria_graph_step) steps;
    STRIA_GROWING(int) inputs;  /* views */
    STRIA_GROWING(int) results; /* views */
    size_t                       arena_nbytes;
    size_t                       recorded_nbytes;
    int                          n_calls;
    _Atomic(stria_graph_frame *) kept; /* a frame that no run uses, or NULL */
};

/* An empty one with refcount 1; NULL: no memory. */
stria_graph *stria_graph_new(void);

/* Whether the step writes to its tensor k, in the order of views. */
bool stria_graph_step_writes(const stria_graph_step *step, int k);
/* Releases what a step owns. */
void stria_graph_step_end(stria_graph_step *step);

/* Element-wise steps as few as can be. (fuse.c) */
stria_status stria_graph_fuse(stria_graph *graph, stria_error *err);

/* Where each buffer lies in the arena. (plan.c) */
stria_status stria_graph_plan(stria_graph *graph, stria_error *err);

/* Memory for runs (run.c). NULL is allowed. */
void stria_graph_frame_release(stria_graph_frame *frame);

/* Bytes from the lowest element's begin to the end of the highest of a view; strides may be negative, then *below is what lies before the first. */
static inline int64_t stria_graph_view_get_end(const stria_graph_view *v)
{
    int64_t end = v->offset + stria_dtype_sizes[v->dtype];

    for (int d = 0; d < v->ndim; d++) {
        if (v->sizes[d] == 0) return v->offset;
        if (v->sizes[v->ndim + d] > 0) end += (v->sizes[d] - 1) * v->sizes[v->ndim + d] * stria_dtype_sizes[v->dtype];
    }
    return end;
}

#endif
