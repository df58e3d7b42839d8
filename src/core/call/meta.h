/* meta.h - what an op would return, without touching memory: every refusal of apply and reduce happens here.
 * Internal. */
#ifndef STRIA_META_H
#define STRIA_META_H

#include "table/rows.h"
#include "tensor/tensor.h"

typedef struct stria_meta {
    stria_dtype  common;                  /* promoted dtype of the inputs (float already, for FLOAT rows) */
    stria_dtype  compute;                 /* the dtype of the loop: dtypes.def's compute column of `common` */
    stria_dtype  input[STRIA_MAX_INPUTS]; /* dtype each input is loaded as: compute; bool for a SELECT condition */
    stria_dtype  loop_out;                /* dtype the loop writes: compute, or bool */
    stria_dtype  result;                  /* dtype of a new output */
    stria_device device;
    bool         inputs_fit, out_fits; /* every input, the given output has the shape of the result */
    bool         same_strides;         /* all inputs are of one dtype, shape and strides */
    int          ndim;
    int64_t      shape[STRIA_MAX_DIMS];
} stria_meta;

/* Element-wise: arity, dtypes, devices, broadcast shape; with out (may be NULL) also its dtype, and its shape if it
 * is one of the inputs. Memory overlap is checked by the iterator. */
stria_status stria_meta_infer(stria_op op, const stria_tensor *const *in, int n_in, const stria_tensor *out,
                              stria_meta *meta, stria_error *err);

/* The same of x converted to a dtype. */
stria_status stria_meta_infer_conversion(const stria_tensor *x, stria_dtype dtype, const stria_tensor *out,
                                         stria_meta *meta, stria_error *err);

typedef struct stria_reduce_meta {
    stria_dtype  compute; /* dtype that elements are converted to and combined in */
    stria_dtype  result;  /* dtype of a new output */
    int          ndim;    /* of the result as the caller sees it */
    int64_t      shape[STRIA_MAX_DIMS];
    uint64_t     reduced; /* bit k: axis k of x is reduced */
    int64_t      count;   /* elements combined into one */
    stria_device device;
} stria_reduce_meta;

stria_status stria_meta_infer_reduce(stria_reduction op, const stria_tensor *x, const int *axes, int n_axes,
                                     bool keepdim, stria_dtype dtype, const stria_tensor *out, stria_reduce_meta *meta,
                                     stria_error *err);

/* Rows of a value and two bounds, of which numbers become the nearest that the dtype of the result holds (clamp.c). */
static inline bool stria_op_has_limits(stria_op op) { return op == STRIA_OP_clamp || op == STRIA_OP_hardtanh; }

/* clamp.c: whether a whole number of the host language, as a bound of clamp, is none that the integer dtype holds. *nearest: the bits of the nearest
 * one that it does. */
bool stria_clamp_find_nearest(const stria_tensor *number, stria_dtype dtype, int64_t *nearest);

/* promote.c: result type of operands by the three priorities (dims, 0-dim, wrapped numbers). */
stria_dtype stria_promote_result(const stria_tensor *const *in, int n_in);

#endif
