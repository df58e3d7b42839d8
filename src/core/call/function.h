/* function.h - what the functions of functions.def share: refusals and the place of the result. Internal.
 *
 *     stria_target target;
 *     .. check the inputs, fill target.dtype, .ndim, .shape
 *     STRIA_TRY(stria_target_begin(&target, "name", in, n_in, in_place, out, err));
 *     status = target.is_meta ? STRIA_OK : compute(.., target.y, err);
 *     return stria_target_end(&target, status, result, err); */
#ifndef STRIA_FUNCTION_H
#define STRIA_FUNCTION_H

#include "call/meta.h"

typedef struct stria_target {
    const char   *op;
    stria_dtype   dtype; /* of the result */
    int           ndim;
    int64_t       shape[STRIA_MAX_DIMS];
    bool          is_meta;
    stria_tensor *out; /* the caller's, or NULL */
    stria_tensor *y;   /* to compute into: of that dtype and shape; out itself where possible */
} stria_target;

/**
 * stria_target_begin - refuses an `out` that does not do, and finds or makes the tensor to compute into.
 *
 * in        [n_in] inputs; NULL entries are skipped
 * in_place  the computation allows y to be in[0], or to share all its memory under equal strides
 * out       NULL: the result is new
 *
 * Errors: ERR_DEVICE, ERR_DTYPE (the result does not cast to out), ERR_OVERLAP, ERR_OVERFLOW, ERR_MEMORY.
 */
stria_status stria_target_begin(stria_target *target, const char *op, const stria_tensor *const *in, int n_in,
                                bool in_place, stria_tensor *out, stria_error *err);

/* Brings y to the caller: *result = y, or y into out. With a status that is not OK y is dropped, and out as it was; the
 * status is passed on. `result` is NULL where out is given. */
stria_status stria_target_end(stria_target *target, stria_status status, stria_tensor **result, stria_error *err);

/* axis in [0, max(ndim, 1)) from one that may count from the end. ERR_AXIS. */
stria_status stria_function_get_axis(const char *op, const stria_tensor *x, int axis, int *wrapped, stria_error *err);

/* What reductions of floats share, the axes as of stria_reduce: *reduced, and dtype and shape of the target. ERR_DTYPE if
 * x is no float, ERR_AXIS, ERR_ARGUMENT. */
stria_status stria_function_infer_float_reduction(const char *op, const stria_tensor *x, const int *axes, int n_axes,
                                                  bool keepdim, uint64_t *reduced, stria_target *target,
                                                  stria_error *err);

/* Writes value to every element of y. */
stria_status stria_function_fill(stria_tensor *y, double value, stria_error *err);

/* ERR_ARGUMENT if x is NULL. */
stria_status stria_function_check_tensor(const char *op, const char *argument, const stria_tensor *x, stria_error *err);
/* ERR_ARGUMENT if result, where a new tensor goes, is NULL; else *result = NULL. */
stria_status stria_function_check_result(const char *op, stria_tensor **result, stria_error *err);

/* ERR_DTYPE: "op: argument is <dtype>, <expected>". Always fails. */
stria_status stria_function_refuse_dtype(const char *op, const char *argument, stria_dtype dtype, const char *expected,
                                         stria_error *err);

/* The dtype of functions with a dtype parameter: dtype, else that of out, else `own`. ERR_DTYPE if there is no such dtype,
 * or out has another one than asked for. */
stria_status stria_function_get_dtype(const char *op, stria_dtype dtype, const stria_tensor *out, stria_dtype own,
                                      stria_dtype *result, stria_error *err);

#endif
