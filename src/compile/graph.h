/* graph.h - a program of calls: what is recorded, and what runs. Internal.
 *
 * A buffer is memory: a storage of the program that was recorded. A view is how a call looks at a buffer: offset, shape, strides, dtype. A step
 * is a call whose tensors are views. Rows that make views leave no step, nothing but other views of a buffer, so that chains of them are one
 * by construction. A step that writes in place, or into a given output, writes to a buffer again. Steps run in the order in which they were
 * recorded.
 *
 * A graph has two forms of its program. The recorded one has every call as it was made; it is what is saved, printed and explained. The planned
 * one is what runs: it begins as the same, with the same numbers of buffers and views, and the passes of plan.c change it.
 */
#ifndef STRIA_COMPILE_GRAPH_H
#define STRIA_COMPILE_GRAPH_H

#include <stdatomic.h>
#include <string.h>

#include "autograd/node.h"
#include "call/call.h"
#include "stria_graph.h"
#include "tensor/layout.h"

typedef enum stria_buffer_kind {
    STRIA_BUFFER_INPUT,  /* of input `input` */
    STRIA_BUFFER_HELD,   /* of `tensor` */
    STRIA_BUFFER_NUMBER, /* `tensor` is a wrapped number, or a constant of a dtype of its own */
    STRIA_BUFFER_MADE    /* by steps */
} stria_buffer_kind;

typedef struct stria_buffer {
    stria_buffer_kind kind;
    int               input;
    stria_tensor     *tensor;       /* HELD: a handle of its own; NUMBER; else NULL. Owned */
    stria_tensor     *holder;       /* HELD: the handle that was given first, of which `tensor` is a view. Owned */
    stria_tensor     *symbol;       /* while it is recorded: a handle over its storage on META. Owned */
    int64_t           nbytes;       /* from the beginning of the storage to the end of what is looked at */
    bool              is_whole;     /* INPUT: it begins where its memory does, */
    bool              must_be;      /* and does so in each run */
    bool              is_written;   /* by a step */
    bool              is_result;    /* a result looks at it */
    bool              is_constant;  /* it is made once for each frame */
    int               first, last;  /* steps that look at it; last -1: none */
    bool              is_handed_on; /* its place in the arena is that of another one afterwards */
    int64_t           place;        /* MADE and no result: bytes from the beginning of the arena */
    bool              is_local;     /* runs block by block: each thread has a block of it */
    int64_t           local_nbytes; /* of that */
    int64_t           block_place;  /* what `place` is then: in the arena of such runs, or of the thread's memory */
} stria_buffer;

typedef struct stria_graph_view {
    int         next; /* of the planned form: another view of the buffer, or -1 */
    int         buffer;
    stria_dtype dtype;
    int         ndim;
    int64_t     offset; /* bytes from the beginning of the storage */
    int64_t    *sizes;  /* [ndim] shape, [ndim] strides; owned */
} stria_graph_view;

typedef struct stria_graph_step {
    stria_row row;
    int       n_in, n_list, n_out;
    bool      is_new;      /* its outputs were not given */
    bool      is_plain;    /* they are of the dtypes that the row makes */
    bool      is_constant; /* it depends on nothing: it is made once for each frame */
    bool      is_taken;    /* another step computes what it did */
    bool      is_joined;   /* of the planned form: a product that the next step alone reads, and takes with it; */
    bool      is_gradient; /* or so does the step of an optimiser */
    int       first_number, n_numbers; /* those of its attributes that vary: numbers of the graph */
    bool      is_owner;                /* of views and attrs: they are one block. Else they are the recorded form's */
    int      *views;                   /* [n_in + n_list + n_out]; -1: the tensor is left out */
    void     *attrs;                   /* or NULL */
} stria_graph_step;

/* Steps first .. first + n_steps - 1 run block by block (blocks.h). A block is a part of their leading dims: one index of each of dims 0 .. flat - 1,
 * and a range of dims flat .. n_outer - 1, which lie in memory like one. */
typedef struct stria_graph_blocks {
    int            first, n_steps;
    int            n_outer, flat;
    const int64_t *sizes;    /* of the leading dims: [n_outer] */
    int64_t        extent;   /* of dims flat .. n_outer - 1 together */
    int64_t        n_ranges; /* that it is cut into: they differ by 1 at most */
    int64_t        n_blocks; /* all of them */
    bool
                is_fold; /* but these are an expression, and a reduction of its result number `made` over everything or the first dims */
    int         made;
    bool        is_update; /* or a matrix product, and the step of an optimiser that alone reads it, as its gradient */
    const char *end;       /* why the next step is not among them; NULL: there is none */
} stria_graph_blocks;

typedef struct stria_graph_frame stria_graph_frame;

/* An array that grows: [n] items, room for `room`. */
#define STRIA_GROWING(type) \
    struct {                \
        type *at;           \
        int   n, room;      \
    }

/* Tensors of buffers, and sizes of views, are owned by the recorded form. */
typedef struct stria_graph_form {
    STRIA_GROWING(stria_buffer) buffers;
    STRIA_GROWING(stria_graph_view) views;
    STRIA_GROWING(stria_graph_step) steps;
    STRIA_GROWING(int) inputs;                /* views */
    STRIA_GROWING(int) results;               /* views */
    STRIA_GROWING(stria_graph_blocks) blocks; /* of the planned form, in the order of their steps */
    int *grad_views;                          /* of the planned form: [grads] */
    int *step_views;                          /* of the planned form: what views of steps that are no owners lie in */
} stria_graph_form;

/* A call that made a view. It leaves no step: what it looked at is in the views of others. Where sizes vary, it is made again for each: a slice
 * that asks for more than there is has another shape than the views say, then. */
typedef struct stria_graph_look {
    stria_graph_step call;
    int              before; /* the step that was recorded next */
} stria_graph_look;

/* An attribute of a step that each run may have another value of. */
typedef struct stria_graph_number {
    const stria_param *param;  /* an INT, a NUMBER or a FLAG */
    double             value;  /* that was recorded */
    int                change; /* what each run after the first one adds, see stria_graph_number_info */
} stria_graph_number;

/* .grad of a tensor with elements, as the program finds it and leaves it. */
typedef struct stria_graph_grad {
    stria_node   *leaf;    /* its slot 0 is that of the tensor; owned */
    stria_tensor *first;   /* what it was; owned, or NULL */
    bool          is_read; /* by the program: it must be the same in each run */
    bool          is_set;  /* by a run, to */
    stria_tensor *last;    /* this; owned, or NULL */
    int           view;    /* or to this; -1: not */
} stria_graph_grad;

/* What makes the steps of a graph in place of calls; its first member is the beginning of something that knows how. */
typedef struct stria_graph_code stria_graph_code;
struct stria_graph_code {
    stria_status (*run)(const stria_graph_frame *frame, void *code, stria_error *err);
    void (*release)(stria_graph_code *code);
};

/* What makes graphs of other sizes of it (dynamic.h). */
typedef struct stria_graph_dynamic stria_graph_dynamic;

struct stria_graph {
    atomic_int           refcount;
    stria_device         device;  /* that all of its tensors are on, but numbers */
    stria_graph_dynamic *dynamic; /* or NULL; owned */
    stria_graph_form     recorded, planned;
    STRIA_GROWING(stria_graph_number) numbers;
    STRIA_GROWING(stria_graph_grad) grads;
    size_t arena_nbytes;                     /* where steps run one after another, each for all elements */
    size_t block_arena_nbytes, local_nbytes; /* where they run block by block; beside it for each thread */
    size_t varied_nbytes;                    /* of the attributes of steps with numbers */
    size_t recorded_nbytes;
    int    n_calls;
    STRIA_GROWING(stria_graph_look) looks;
    _Atomic(stria_graph_frame *) kept;                   /* a frame that no run uses, or NULL */
    _Atomic(stria_graph_code *)  code;                   /* or NULL; set once */
    atomic_bool                  has_replay;             /* frames may be prepared for replays */
    atomic_int                   n_captured;             /* steps that are launched several as one (capturing.h) */
    _Atomic int64_t              n_captures, n_launches; /* so far, of parts of it */
};

/* Leaves out steps that have ended. */
void stria_graph_form_pack(stria_graph_form *form);

/* An empty one with refcount 1; NULL: no memory. */
stria_graph *stria_graph_new(void);

/* Whether the step writes to its tensor k, in the order of views. */
bool              stria_graph_step_writes(const stria_graph_step *step, int k);
static inline int stria_graph_step_count(const stria_graph_step *step)
{
    return step->n_in + step->n_list + step->n_out;
}
/* Bytes of its record of attributes, of a row of functions.def. */
static inline size_t stria_graph_step_get_attrs_size(const stria_graph_step *step)
{
    return stria_schema_get((stria_function)(step->row - STRIA_ROW_OF_FUNCTION(0)))->attrs_size;
}
/* What an expression computes; NULL: the step is none. */
static inline const stria_expression *stria_graph_step_get_expression(const stria_graph_step *step)
{
    return step->row == STRIA_ROW_EXPRESSION ? ((const stria_expression_attrs *)step->attrs)->program : NULL;
}
/* An op, or an expression of ops. */
static inline bool stria_graph_step_is_element_wise(const stria_graph_step *step)
{
    return step->row < STRIA_OP_COUNT || step->row == STRIA_ROW_EXPRESSION;
}
/* Whether it takes random numbers from a generator. */
bool stria_graph_step_draws(const stria_graph_step *step);
/* Releases what a step owns. */
void stria_graph_step_end(stria_graph_step *step);

/* Room for one more item of a growing array of items of so many bytes. */
bool stria_graph_grow(void *array, int *room, int n, size_t nbytes_each);
#define STRIA_GROW(array) stria_graph_grow(&(array).at, &(array).room, (array).n, sizeof *(array).at)

/* Always fails. */
stria_status stria_graph_refuse_memory(stria_error *err);
/* The same of machine code of the CPU, for a graph on another device. */
stria_status stria_graph_refuse_code(const stria_graph *graph, const char *op, stria_error *err);

/* A handle over that place of the storage. NULL: no memory. */
stria_tensor *stria_graph_view_new_handle(const stria_graph_view *v, stria_device device, stria_storage *storage);
/* The same of a handle of its dtype and dims that has a storage. */
void stria_graph_view_set_handle(const stria_graph_view *v, stria_tensor *x);
/* Of a tensor that is a number. (fuse.c) */
stria_scalar stria_graph_get_number(const stria_tensor *x);
/* Other names, repetitions, constants. (simplify.c) */
stria_status stria_graph_simplify(stria_graph_form *planned, int n_grads, stria_error *err);

/* Element-wise steps as few as can be. (fuse.c) */
stria_status stria_graph_fuse(stria_graph_form *planned, stria_error *err);
/* An element-wise step of one op as an expression, which can be bound; others stay as they are. */
stria_status stria_graph_step_to_expression(const stria_graph_form *planned, stria_graph_step *step, stria_error *err);
/* Products right before the element-wise steps that they are joined to. (fuse_product.c) */
stria_status stria_graph_join_products(stria_graph_form *planned, stria_error *err);
/* Products that are gradients, and what steps of optimisers do with them, side by side. (updates_plan.c) */
stria_status stria_graph_pair_updates(stria_graph_form *planned, stria_error *err);
/* Why each tensor that a step reads is read from memory: one text for each view of each step, NULL of what it does not read. */
stria_status stria_graph_find_ends(const stria_graph_form *planned, const char **ends, stria_error *err);

/* Sets the attribute of a record. (run.c) */
void stria_graph_number_set(const stria_param *param, void *attrs, double value);

/* Makes the planned form of the recorded one. (plan.c) */
stria_status stria_graph_plan(stria_graph *graph, stria_error *err);

/* .grad of tensors with elements, while their thread records and when a graph runs. (grads.c) */
void         stria_graph_grad_end(stria_graph_grad *grad);
void         stria_graph_grad_take_back(stria_graph_grad *grad);
stria_status stria_graph_grads_check(const stria_graph *graph, stria_error *err);
void         stria_graph_grad_set(const stria_graph_grad *grad, stria_tensor *y);
/* What a run sets, and does not read, is none from its beginning on: its memory serves the run. */
void stria_graph_grads_drop(const stria_graph *graph, stria_tensor *const *in);

/* Another gradient that a run treats as `like` does; last: what is set to it, or NULL: as there. False: no memory. (recording.c) */
bool stria_recording_add_grad(stria_recording *recording, const stria_graph_grad *like, stria_tensor *last);
/* Of a number that was added. (recording.c) */
void stria_recording_set_change(stria_recording *recording, int index, int change);
/* Whether the last call that was recorded left a step. (recording.c) */
bool stria_recording_has_step(const stria_recording *recording);
/* What a call looks at or makes is on this device, as all else in the recording is, or ERR_DEVICE; META says nothing. (recording.c) */
stria_status stria_recording_use_device(stria_recording *recording, const char *op, stria_device device,
                                        stria_error *err);
/* Whether this thread records. (recording.c) */
bool stria_recording_is_on(void);

/* Bytes of what steps make: most that are needed at a time, if each begins with the first step that mentions it and ends with the last
 * one, and results live on; those of results alone. (plan.c) */
size_t stria_graph_get_peak(const stria_graph_form *form);
size_t stria_graph_get_result_nbytes(const stria_graph_form *form);
/* Bytes that a run takes beside results, by as many threads as are set. */
size_t stria_graph_get_run_nbytes(const stria_graph *graph);

/* Memory for runs (frame.c). NULL is allowed. */
void stria_graph_frame_release(stria_graph_frame *frame);

/* What makes the steps of a run; the memory of its buffers is set. */
typedef stria_status stria_graph_steps_fn(const stria_graph_frame *frame, void *context, stria_error *err);
stria_graph_steps_fn stria_graph_frame_run_steps; /* calls, one after another */
/* stria_graph_run_with by another one. */
stria_status stria_graph_run_by(stria_graph *graph, stria_tensor *const *in, int n_in, const double *numbers,
                                int n_numbers, stria_tensor **out, stria_graph_steps_fn *steps, void *context,
                                stria_error *err);
/* One of them, unless it is constant and was made. */
stria_status stria_graph_frame_run_step(const stria_graph_frame *frame, int step, stria_error *err);
/* Where a buffer of the planned form begins in this run; of an input its element 0. */
char *stria_graph_frame_get_data(const stria_graph_frame *frame, int buffer);
char *stria_graph_frame_get_arena(const stria_graph_frame *frame); /* or NULL */
/* The handle over all of a view. */
stria_tensor           *stria_graph_frame_get_handle(const stria_graph_frame *frame, int view);
const stria_graph_form *stria_graph_frame_get_form(const stria_graph_frame *frame);
/* The attributes of a step as they are in this run. */
const void *stria_graph_frame_get_attrs(const stria_graph_frame *frame, int step);

/* Bytes [*begin, *end) that a view looks at, counted from the beginning of its storage; both 0: of no element. False: they are more than
 * 2^63 - 1. (save.c) */
bool stria_graph_view_get_range(const stria_graph_view *v, int64_t *begin, int64_t *end);

/* Whether both look at the same elements of a buffer in the same way. */
static inline bool stria_graph_view_is_same(const stria_graph_view *a, const stria_graph_view *b)
{
    return a->buffer == b->buffer && a->dtype == b->dtype && a->ndim == b->ndim && a->offset == b->offset &&
           memcmp(a->sizes, b->sizes, 2 * (size_t)a->ndim * sizeof *a->sizes) == 0;
}
/* Elements of one index of the dims before first_dim. */
static inline int64_t stria_graph_view_count(const stria_graph_view *v, int first_dim)
{
    int64_t n = 1;

    for (int d = first_dim; d < v->ndim; d++) n *= v->sizes[d];
    return n;
}
static inline bool stria_graph_view_is_row_major(const stria_graph_view *v)
{
    return stria_layout_is_row_major(v->ndim, v->sizes, v->sizes + v->ndim);
}

/* Where the lowest element of a view begins, and the highest one ends: bytes from the beginning of its storage. */
static inline int64_t stria_graph_view_get_begin(const stria_graph_view *v)
{
    int64_t begin = v->offset;

    for (int d = 0; d < v->ndim; d++) {
        if (v->sizes[d] == 0) return v->offset;
        if (v->sizes[v->ndim + d] < 0) begin += (v->sizes[d] - 1) * v->sizes[v->ndim + d] * stria_dtype_sizes[v->dtype];
    }
    return begin;
}
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
