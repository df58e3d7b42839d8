/* call.h - the one door: every op, reduction and function is a call of a row. Internal.
 *
 * stria_call_run takes a call through the same steps, whatever the row:
 *
 *     schema     tensors that must be there are there
 *     meta       stria_infer_<name>: dtype, shape and memory order of the outputs, and every refusal; then devices and the
 *                outputs that the caller gave. Nothing is allocated or written before this has passed
 *     backend    impl[row] of the device (backend.h) computes into tensors of exactly these dtypes and shapes
 *     gradient   versions of what was written go up
 *
 * A composite (compose.h) has its schema checked, and is then nothing but the calls that it makes.
 *
 * Once the process uses gradients, src/autograd stands around all of this (stria_call_set_gradients): it looks at the inputs before the
 * call, and leaves a node behind it. Where somebody records (stria_call_set_recorder), he gets the call in place of these steps, and so
 * those, too, that gradients are made of.
 */
#ifndef STRIA_CALL_H
#define STRIA_CALL_H

#include "table/schema.h"
#include "tensor/tensor.h"

/* The rows in one order: element-wise ops, plain reductions, functions. */
typedef int stria_row;
#define STRIA_ROW_OF_OP(op) ((stria_row)(op))
#define STRIA_ROW_OF_REDUCTION(reduction) ((stria_row)STRIA_OP_COUNT + (stria_row)(reduction))
#define STRIA_ROW_OF_FUNCTION(function) ((stria_row)STRIA_OP_COUNT + (stria_row)STRIA_RED_COUNT + (stria_row)(function))

/* in      one for each tensor of the row, NULL where an OPTIONAL is left out; a LIST has none
 * list    [n_list]: the LIST; of several lists all members, list after list, as many of each, NULL for those of a list that is left out
 * attrs   stria_<name>_attrs; stria_reduce_attrs of a reduction; NULL of an element-wise op
 * out     one for each output of the row: the caller's tensor, or NULL for a new one, which then lies there
 * out_list  where the row makes a list: what it made; out is not looked at */
typedef struct stria_call {
    stria_row row;
    int       n_in; /* of an element-wise op, an expression; rows of functions.def have as many as they name */
    const stria_tensor *const *in;
    const stria_tensor *const *list;
    int                        n_list;
    const void                *attrs;
    stria_tensor             **out;
    stria_tensor_list         *out_list;
} stria_call;

/* Expressions are one row more, behind the functions: any number of inputs, and the program as its attribute. */
#define STRIA_ROW_EXPRESSION STRIA_ROW_OF_FUNCTION(STRIA_FN_COUNT)
#define STRIA_EXPRESSION_NAME "expression"
typedef struct stria_expression_attrs {
    const stria_expression *program;
} stria_expression_attrs;

/* The attributes of every plain reduction. */
typedef struct stria_reduce_attrs {
    stria_axes  axes; /* n = 0 or NULL: all */
    bool        keepdim;
    stria_dtype dtype;
} stria_reduce_attrs;

/* How a new output lies in memory. */
typedef enum stria_order {
    STRIA_ORDER_ROW_MAJOR,
    STRIA_ORDER_LIKE_FIRST, /* as the first input or member of the list, where that has as many dims; else row-major */
    STRIA_ORDER_STRIDED,    /* strides say how */
    STRIA_ORDER_VIEW,       /* strides and offset say how the first input is looked at */
    STRIA_ORDER_SAME,       /* it is the first input itself */
    STRIA_ORDER_UNKNOWN     /* the shape depends on elements: the implementation makes the tensor */
} stria_order;

typedef struct stria_output_meta {
    stria_dtype dtype;
    stria_order order;
    bool converts; /* the implementation writes to a given output of any dtype itself, rounding once; false unless infer
                             says so */
    int  ndim;
    int64_t shape[STRIA_MAX_DIMS];
    int64_t strides[STRIA_MAX_DIMS], offset; /* STRIDED, VIEW: in elements */
} stria_output_meta;

/* What a call is going to return; and what its implementation need not find out again. */
typedef struct stria_call_meta {
    stria_device       device;
    bool               has_device; /* infer found the device: tensors need not be on one */
    uint64_t           axes;       /* reduced: bit k for axis k */
    stria_dtype        compute;    /* of a plain reduction: what elements are converted to and combined in */
    int                axis;       /* in [0, ndim) */
    stria_output_meta *out;        /* [outputs of the row] */
} stria_call_meta;

/* Fills meta->out and what the implementation wants of the rest. Inputs are as the schema says. */
typedef stria_status stria_infer_fn(const stria_call *call, stria_call_meta *meta, stria_error *err);

/**
 * Computes y[k], of the dtype (but see `converts`) and shape of meta->out[k]; of an UNKNOWN one y[k] is NULL, and made here.
 *
 * y has elements, no memory in common with an input, and its own for each; but an INPLACE output may be the first input,
 * or lie exactly over it.
 */
typedef stria_status stria_impl_fn(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                   stria_error *err);

/* Both for each row; the implementations are those of the CPU. */
#define STRIA_FN_COMPOSE(name, tensors, attributes, outputs, summary)
#define STRIA_FN_VIEW(name, tensors, attributes, outputs, summary) stria_infer_fn stria_infer_##name;
#define STRIA_FN(name, tensors, attributes, outputs, summary) \
    stria_infer_fn stria_infer_##name;                        \
    stria_impl_fn  stria_cpu_##name;
#include "table/functions.def"

/* Runs a call. On success call->out holds every output, new ones owned by the caller; on failure new ones are NULL, and given
 * ones are as they were. */
stria_status stria_call_run(const stria_call *call, stria_error *err);

/* One of several lists. */
typedef struct stria_call_lists {
    const stria_tensor *const *at;
    int                        n;
} stria_call_lists;

/* The same of an FN_UPDATE: `lists` has one for each list of the row, and call->list is not looked at. ERR_ARGUMENT where they are not
 * of one length. (update.c) */
stria_status stria_call_run_lists(const stria_call *call, const stria_call_lists *lists, stria_error *err);

/* The steps of two rows that have their own (copy.c, expression.c): `copy` into x itself, which reads nothing of x, and an
 * expression. */
stria_status stria_call_copy_in_place(const stria_call *call, stria_error *err);
stria_status stria_call_run_expression(const stria_call *call, stria_error *err);

/* Name of a row ("add"); static string. */
const char               *stria_row_get_name(stria_row row);
static inline const char *stria_call_get_name(const stria_call *call) { return stria_row_get_name(call->row); }

/* Of a row of functions.def. */
static inline stria_function stria_call_get_function(const stria_call *call)
{
    return (stria_function)(call->row - STRIA_ROW_OF_FUNCTION(0));
}

/* Members of each list of the row, which has one. */
static inline int stria_call_count_members(const stria_call *call, const stria_schema *schema)
{
    return call->n_list / (schema->n_tensors - stria_schema_count_single(schema));
}

/* ---------------------------------------------------------------- recorders */

/* Sees every call of its thread before its schema is checked, but composites and what a row calls to do its work. *is_taken = true: the
 * recorder has done what there was to do, and its status is that of the call. */
typedef stria_status stria_recorder_fn(void *context, const stria_call *call, bool *is_taken, stria_error *err);

/* The recorder of the calling thread; fn NULL: none. It does not see the calls that it makes itself, nor calls of rows that there are
 * not. It may set another one, which sees the next call. */
void stria_call_set_recorder(stria_recorder_fn *fn, void *context);

/* A call of the program, which may make others, begins; or it was refused (is_refused), after calls that it made were seen. */
typedef void stria_recorder_mark_fn(void *context, bool is_refused);
/* Whether a symbol and a tensor with elements, in any order, stand for memory that both look at. */
typedef bool stria_recorder_overlaps_fn(void *context, const stria_tensor *a, const stria_tensor *b);
/* From now on the recorder of the calling thread is told of it, and asked this. */
void stria_call_set_recorder_mark(stria_recorder_mark_fn *mark, stria_recorder_overlaps_fn *overlaps);
/* Whether the recorder of the calling thread says so; false where there is none. */
bool stria_call_overlaps_recorded(const stria_tensor *a, const stria_tensor *b);

/* Whether a call that is made now is going to be recorded. */
bool stria_call_is_recorded(void);
/* An output with elements keeps its shape while calls are recorded. */
stria_status stria_call_refuse_resize(const char *op, const stria_tensor *out, int ndim, const int64_t *shape,
                                      stria_error *err);

/* Where it is: the row `copy` of y into out, past gradients. */
stria_status stria_call_record_copy(stria_tensor *out, const stria_tensor *y, stria_error *err);

/* A composite is not recorded: the calls that it makes are, and what it leaves in tensors that it was given. So it is with a view that is
 * asked for in a tensor that was given: the view, and a copy of it. */
bool stria_call_is_composite(const stria_call *call);

/* ---------------------------------------------------------------- gradients */

/* Runs the call by `family`, the rest of the door, and does for gradients what there is to do. */
typedef stria_status stria_family_fn(const stria_call *call, stria_error *err);
typedef stria_status stria_gradient_fn(const stria_call *call, stria_family_fn *family, stria_error *err);
/* Whether a call with these tensors leaves a node behind it on this thread. */
typedef bool stria_gradient_sees_fn(const stria_call *call);
/* From now on every call passes through fn. Once in a process. */
void stria_call_set_gradients(stria_gradient_fn *fn, stria_gradient_sees_fn *sees);

/* Whether anybody wants to see the calls that this one makes, a composite: a recorder, or gradients. */
bool stria_call_is_seen(const stria_call *call);

/* ---------------------------------------------------------------- what infer functions share
 *
 * `name` is that of the row; every refusal carries it. */

/* ERR_DTYPE: "argument is <dtype>, but must be <expected>". Always fails. */
stria_status stria_infer_refuse_dtype(const stria_call *call, const char *argument, stria_dtype dtype,
                                      const char *expected, stria_error *err);
/* ERR_ARGUMENT: an attribute that is a number, of which `expected` says what it must be. */
stria_status stria_infer_refuse_number(const stria_call *call, const char *argument, const char *expected,
                                       double number, stria_error *err);

/* Axis `axis` of `ndim` axes into [0, ndim), or 0 of none, which takes -1 and 0. ERR_AXIS. */
stria_status stria_infer_wrap_axis(const stria_call *call, const char *argument, int ndim, int axis, int *wrapped,
                                   stria_error *err);

/* Axis `axis` of x into meta->axis; a 0-dim tensor takes -1 and 0. ERR_AXIS. */
stria_status stria_infer_axis(const stria_call *call, const stria_tensor *x, int axis, stria_call_meta *meta,
                              stria_error *err);

/* The set of axes as bits, all of them if there are none. ERR_AXIS: out of range or given twice. */
stria_status stria_infer_listed_axes(const char *name, const char *argument, const stria_tensor *x, const int *axes,
                                     int n_axes, uint64_t *set, stria_error *err);
static inline stria_status stria_infer_axes(const char *name, const char *argument, const stria_tensor *x,
                                            const int *axes, int n_axes, uint64_t *set, stria_error *err)
{
    if (axes != NULL && n_axes > 0) return stria_infer_listed_axes(name, argument, x, axes, n_axes, set, err);
    *set = x->ndim == 64 ? UINT64_MAX : (UINT64_C(1) << x->ndim) - 1;
    return STRIA_OK;
}

/* The output is of dtype and of the shape of x, row-major. */
void stria_infer_same_shape(const stria_tensor *x, stria_dtype dtype, stria_output_meta *out);

/* The output is what is left of x when the axes of meta->axes are reduced. */
void stria_infer_reduced_shape(const stria_tensor *x, bool keepdim, stria_dtype dtype, stria_call_meta *meta);

/* What reductions of floats share: meta->axes and the output, of the dtype of x, which must be a float or complex, and is that of its parts
 * then; or of `dtype`, a float, of any x. ERR_DTYPE, ERR_AXIS, ERR_ARGUMENT. */
stria_status stria_infer_float_reduction(const stria_call *call, stria_axes axes, bool keepdim, stria_dtype dtype,
                                         stria_call_meta *meta, stria_error *err);

/* The dtype of rows with a dtype attribute: dtype, else that of the given output, else `own`. ERR_DTYPE if there is no such
 * dtype, or the output has another one than asked for. */
stria_status stria_infer_dtype(const stria_call *call, stria_dtype dtype, stria_dtype own, stria_dtype *result,
                               stria_error *err);

/* A number or a 0-dim tensor that elements of x get: its dtype casts to that of x; bool takes the numbers 0 and 1, too. ERR_SHAPE,
 * ERR_DTYPE. */
stria_status stria_infer_value(const stria_call *call, const char *argument, const stria_tensor *value,
                               const stria_tensor *x, stria_error *err);

/* The output is row-major, of a shape that the call asks for by `argument`. ERR_SHAPE: a negative size; ERR_OVERFLOW. */
stria_status stria_infer_shape(const stria_call *call, const char *argument, const int64_t *shape, int ndim,
                               stria_dtype dtype, stria_output_meta *out, stria_error *err);

/* The dtype of a tensor made of numbers of this kind: bool, i64, u64 (of what only that holds), f32, c64. */
stria_dtype stria_scalar_get_dtype(stria_scalar value);

#endif
