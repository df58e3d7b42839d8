/* meta.h - what an op would return, without touching memory: every refusal of apply and reduce happens here.
 * Internal. */
#ifndef STRIA_META_H
#define STRIA_META_H

#include "tensor.h"

typedef enum stria_result_rule {
    STRIA_RESULT_COMMON,
    STRIA_RESULT_FLOAT,
    STRIA_RESULT_BOOL,
    STRIA_RESULT_SELECT
} stria_result_rule;
typedef enum stria_red_rule { STRIA_RED_WIDE, STRIA_RED_SAME, STRIA_RED_FLOAT, STRIA_RED_TRUTH } stria_red_rule;
/* LOWEST and HIGHEST: an empty reduction is refused. */
typedef enum stria_red_identity {
    STRIA_IDENTITY_ZERO,
    STRIA_IDENTITY_ONE,
    STRIA_IDENTITY_LOWEST,
    STRIA_IDENTITY_HIGHEST
} stria_red_identity;
typedef enum stria_red_finish { STRIA_FINISH_NONE, STRIA_FINISH_DIVIDE_BY_COUNT } stria_red_finish;

/* One row of ops.def as data. dtype_set has bit d set if a loop exists for compute dtype d. */
typedef struct stria_op_info {
    const char       *name, *summary;
    int               arity;
    stria_result_rule result;
    uint32_t          dtype_set;
} stria_op_info;
typedef struct stria_reduction_info {
    const char        *name, *summary;
    stria_red_rule     result;
    stria_red_identity identity;
    stria_red_finish   finish;
    uint32_t           dtype_set;
} stria_reduction_info;
extern const stria_op_info        stria_op_infos[STRIA_OP_COUNT];
extern const stria_reduction_info stria_reduction_infos[STRIA_RED_COUNT];

typedef struct stria_meta {
    stria_dtype  common;                  /* promoted dtype of the inputs (float already, for FLOAT rows) */
    stria_dtype  compute;                 /* the dtype of the loop: dtypes.def's compute column of `common` */
    stria_dtype  input[STRIA_MAX_INPUTS]; /* dtype each input is loaded as: compute; bool for a SELECT condition */
    stria_dtype  loop_out;                /* dtype the loop writes: compute, or bool */
    stria_dtype  result;                  /* dtype of a new output */
    stria_device device;
    bool         inputs_fit, out_fits; /* every input, the given output has the shape of the result */
    int          ndim;
    int64_t      shape[STRIA_MAX_DIMS];
} stria_meta;

/* Element-wise: arity, dtypes, devices, broadcast shape; with out (may be NULL) also its dtype, and its shape if it
 * is one of the inputs. Memory overlap is checked by the iterator. */
stria_status stria_meta_infer(stria_op op, const stria_tensor *const *in, int n_in, const stria_tensor *out,
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

/* The set of axes in [n_axes] as bits, all of them if there are none. ERR_AXIS: out of range or given twice. */
stria_status stria_meta_get_axes(const char *op, const stria_tensor *x, const int *axes, int n_axes, uint64_t *reduced,
                                 stria_error *err);

/* promote.c: result type of operands by the three priorities (dims, 0-dim, wrapped numbers). */
stria_dtype stria_promote_result(const stria_tensor *const *in, int n_in);
/* dtypes.def as data */
typedef enum stria_category {
    STRIA_CATEGORY_B,
    STRIA_CATEGORY_U,
    STRIA_CATEGORY_I,
    STRIA_CATEGORY_F,
    STRIA_CATEGORY_C
} stria_category;
typedef struct stria_dtype_info {
    const char *name;
    signed char category, compute;
} stria_dtype_info;
extern const stria_dtype_info stria_dtype_infos[STRIA_DTYPE_COUNT];
static inline stria_category  stria_dtype_get_category(stria_dtype dtype)
{
    return stria_is_dtype(dtype) ? (stria_category)stria_dtype_infos[dtype].category : STRIA_CATEGORY_B;
}
static inline stria_dtype stria_dtype_get_compute(stria_dtype dtype)
{
    return stria_is_dtype(dtype) ? (stria_dtype)stria_dtype_infos[dtype].compute : STRIA_DTYPE_NONE;
}

#endif
