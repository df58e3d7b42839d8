/* reduce.c - composites that reduce: sums and counts that pass over elements, two results at once, norms of matrices. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "call/compose.h"

/* ---------------------------------------------------------------- what they share */

static bool is_of(const stria_tensor *x, stria_category category)
{
    return stria_dtype_get_category(x->dtype) == category;
}

/* What the inner calls would refuse by other names. */
static stria_status check_axes(const stria_call *call, stria_axes dim, stria_error *err)
{
    uint64_t set;

    return stria_infer_axes(stria_call_get_name(call), "dim", call->in[0], dim.at, dim.n, &set, err);
}

static stria_status check(const stria_call *call, stria_axes dim, stria_error *err)
{
    const stria_tensor *x = call->in[0];

    if (is_of(x, STRIA_CATEGORY_C)) return stria_infer_refuse_dtype(call, "x", x->dtype, "bool, integer or float", err);
    return check_axes(call, dim, err);
}

static stria_status check_float(const stria_call *call, stria_axes dim, bool is_real, stria_error *err)
{
    const stria_tensor *x = call->in[0];

    if (!is_of(x, STRIA_CATEGORY_F) && (is_real || !is_of(x, STRIA_CATEGORY_C)))
        return stria_infer_refuse_dtype(call, "x", x->dtype, "a float", err);
    return check_axes(call, dim, err);
}

/* Extremes of nothing. */
static stria_status check_elements(const stria_call *call, stria_axes dim, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const char         *name = stria_call_get_name(call);
    uint64_t            set;

    STRIA_TRY(check(call, dim, err));
    STRIA_TRY(stria_infer_axes(name, "dim", x, dim.at, dim.n, &set, err));
    for (int d = 0; d < x->ndim; d++)
        if (x->shape[d] == 0 && (set >> d & 1))
            return stria_error_set(err, STRIA_ERR_EMPTY, name, "x", "elements along every reduced axis", NULL,
                                   "axis %d of x has size 0, and nothing has no extremes", d);
    return STRIA_OK;
}

static stria_status sum(const stria_tensor *x, stria_axes dim, bool keepdim, stria_dtype dtype, stria_tensor **y,
                        stria_error *err)
{
    return stria_reduce(STRIA_RED_sum, x, dim.at, dim.n, keepdim, dtype, y, err);
}

static stria_status new_zero(stria_temps *temps, stria_error *err)
{
    return stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_BOOL}, STRIA_TEMP, err);
}

/* ---------------------------------------------------------------- counts and sums */

stria_status stria_compose_count_nonzero(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_count_nonzero_attrs *attrs = call->attrs;
    const stria_tensor              *x = call->in[0];
    uint64_t                         set;

    STRIA_TRY(stria_infer_axes("count_nonzero", "dim", x, attrs->dim.at, attrs->dim.n, &set, err));
    if (x->dtype == STRIA_BOOL) return sum(x, attrs->dim, false, STRIA_I64, &y[0], err);
    if (is_of(x, STRIA_CATEGORY_C)) {
        STRIA_TRY(stria_tensor_copy(x, STRIA_BOOL, STRIA_TEMP, err)); /* true if either part is not 0 */
    } else {
        STRIA_TRY(new_zero(temps, err));
        STRIA_TRY(stria_ne(x, STRIA_LAST, STRIA_TEMP, err));
    }
    return sum(STRIA_LAST, attrs->dim, false, STRIA_I64, &y[0], err);
}

/* x with 0 in place of NaN. */
static stria_status without_nan(const stria_tensor *x, const stria_tensor *is_nan, stria_temps *temps, stria_error *err)
{
    STRIA_TRY(new_zero(temps, err));
    return stria_where(is_nan, STRIA_LAST, x, STRIA_TEMP, err);
}

stria_status stria_compose_nansum(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_nansum_attrs *attrs = call->attrs;
    const stria_tensor       *x = call->in[0];

    STRIA_TRY(check(call, attrs->dim, err));
    if (is_of(x, STRIA_CATEGORY_F)) {
        STRIA_TRY(stria_isnan(x, STRIA_TEMP, err));
        STRIA_TRY(without_nan(x, STRIA_LAST, temps, err));
        x = STRIA_LAST;
    }
    return sum(x, attrs->dim, attrs->keepdim, attrs->dtype, &y[0], err);
}

/* The sum of what is a number over how many there are. Halves are added and divided in f32. */
stria_status stria_compose_nanmean(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_nanmean_attrs *attrs = call->attrs;
    const stria_tensor        *x = call->in[0];
    const stria_dtype          result = attrs->dtype != STRIA_DTYPE_NONE ? attrs->dtype : x->dtype;

    if (stria_is_dtype(result) && stria_dtype_get_category(result) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, attrs->dtype != STRIA_DTYPE_NONE ? "dtype" : "x", result, "a float", err);
    STRIA_TRY(check(call, attrs->dim, err));
    STRIA_TRY(stria_isnan(x, STRIA_TEMP, err));
    const stria_tensor *is_nan = STRIA_LAST;
    STRIA_TRY(without_nan(x, is_nan, temps, err));
    STRIA_TRY(sum(STRIA_LAST, attrs->dim, attrs->keepdim, stria_dtype_get_compute(result), STRIA_TEMP, err));
    const stria_tensor *total = STRIA_LAST;
    STRIA_TRY(stria_logical_not(is_nan, STRIA_TEMP, err));
    STRIA_TRY(sum(STRIA_LAST, attrs->dim, attrs->keepdim, STRIA_I64, STRIA_TEMP, err));
    if (total->dtype == result) return stria_div(total, STRIA_LAST, &y[0], err);
    STRIA_TRY(stria_div(total, STRIA_LAST, STRIA_TEMP, err));
    return stria_tensor_copy(STRIA_LAST, result, &y[0], err);
}

/* ---------------------------------------------------------------- two results */

stria_status stria_compose_var_mean(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_var_mean_attrs *attrs = call->attrs;
    const stria_axes            dim = attrs->dim;
    (void)temps;

    STRIA_TRY(check_float(call, dim, false, err));
    STRIA_TRY(stria_var(call->in[0], dim.at, dim.n, attrs->correction, attrs->keepdim, &y[0], err));
    return stria_mean(call->in[0], dim.at, dim.n, attrs->keepdim, &y[1], err);
}

stria_status stria_compose_std_mean(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_std_mean_attrs *attrs = call->attrs;
    const stria_axes            dim = attrs->dim;
    (void)temps;

    STRIA_TRY(check_float(call, dim, false, err));
    STRIA_TRY(stria_std(call->in[0], dim.at, dim.n, attrs->correction, attrs->keepdim, &y[0], err));
    return stria_mean(call->in[0], dim.at, dim.n, attrs->keepdim, &y[1], err);
}

stria_status stria_compose_aminmax(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_aminmax_attrs *attrs = call->attrs;
    const stria_axes           dim = {&attrs->dim, attrs->dim == STRIA_AXIS_NONE ? 0 : 1};
    (void)temps;

    STRIA_TRY(check_elements(call, dim, err));
    STRIA_TRY(stria_amin(call->in[0], dim.at, dim.n, attrs->keepdim, &y[0], err));
    return stria_amax(call->in[0], dim.at, dim.n, attrs->keepdim, &y[1], err);
}

/* The extremes along an axis or of all elements, and where they are. */
static stria_status get_extremes(const stria_call *call, bool smallest, int axis, bool keepdim, stria_tensor **y,
                                 stria_temps *temps, stria_error *err)
{
    const stria_axes    dim = {&axis, axis == STRIA_AXIS_NONE ? 0 : 1};
    const stria_tensor *x = call->in[0];

    STRIA_TRY(check_elements(call, dim, err));
    if (smallest)
        STRIA_TRY(stria_amin(x, dim.at, dim.n, keepdim, &y[0], err));
    else
        STRIA_TRY(stria_amax(x, dim.at, dim.n, keepdim, &y[0], err));
    if (x->dtype == STRIA_BOOL) {
        STRIA_TRY(stria_tensor_copy(x, STRIA_U8, STRIA_TEMP, err));
        x = STRIA_LAST;
    }
    return smallest ? stria_argmin(x, axis, keepdim, &y[1], err) : stria_argmax(x, axis, keepdim, &y[1], err);
}

stria_status stria_compose_max(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_max_attrs *attrs = call->attrs;
    return get_extremes(call, false, attrs->dim, attrs->keepdim, y, temps, err);
}

stria_status stria_compose_min(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_min_attrs *attrs = call->attrs;
    return get_extremes(call, true, attrs->dim, attrs->keepdim, y, temps, err);
}

/* ---------------------------------------------------------------- norms */

stria_status stria_compose_dist(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_dist_attrs *attrs = call->attrs;
    const stria_dtype       common = stria_dtype_get_promoted(call->in[0]->dtype, call->in[1]->dtype);

    if (stria_dtype_get_category(common) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(
            call, stria_dtype_get_category(call->in[0]->dtype) != STRIA_CATEGORY_F ? "a" : "b", common, "a float", err);
    if (isnan(attrs->p)) return stria_error_set(err, STRIA_ERR_ARGUMENT, "dist", "p", "a number", "NaN", "p is NaN");
    STRIA_TRY(stria_sub(call->in[0], call->in[1], STRIA_TEMP, err));
    return stria_norm(STRIA_LAST, attrs->p, NULL, 0, false, STRIA_DTYPE_NONE, &y[0], err);
}

enum { FRO, ONE, MINUS_ONE, INF, MINUS_INF, NUC, TWO, MINUS_TWO }; /* the words of the row */

/* The axes of the matrices: rows, columns. */
static stria_status find_matrix(const stria_call *call, stria_axes dim, int *axes, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    char                got[32];

    if (x->ndim < 2)
        return stria_error_set(err, STRIA_ERR_SHAPE, "matrix_norm", "x", "2 dims or more", NULL,
                               "x has %d dims, but a matrix has 2", x->ndim);
    if (dim.at == NULL) {
        axes[0] = x->ndim - 2;
        axes[1] = x->ndim - 1;
        return STRIA_OK;
    }
    snprintf(got, sizeof got, "%d", dim.n);
    if (dim.n != 2)
        return stria_error_set(err, STRIA_ERR_AXIS, "matrix_norm", "dim", "2 axes", got,
                               "dim has %d axes, but a matrix 2", dim.n);
    for (int k = 0; k < 2; k++) axes[k] = dim.at[k] < 0 ? dim.at[k] + x->ndim : dim.at[k];
    return STRIA_OK;
}

/* The largest or smallest of the sums of |x| along one axis. */
static stria_status get_sums_norm(const stria_tensor *x, const int *axes, bool of_columns, bool smallest, bool keepdim,
                                  stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const int summed = axes[!of_columns], other = axes[of_columns] - (!keepdim && axes[of_columns] > summed);

    STRIA_TRY(stria_abs(x, STRIA_TEMP, err));
    STRIA_TRY(stria_sum(STRIA_LAST, &summed, 1, keepdim, STRIA_TEMP, err));
    return smallest ? stria_amin(STRIA_LAST, &other, 1, keepdim, y, err)
                    : stria_amax(STRIA_LAST, &other, 1, keepdim, y, err);
}

/* x with the axes of the matrices behind the others. */
static stria_status to_last(const stria_tensor *x, const int *axes, stria_tensor **y, stria_error *err)
{
    static const int last[] = {-2, -1};
    return stria_movedim((stria_tensor *)(uintptr_t)x, axes, 2, last, 2, y, err);
}

/* The sum, the largest or the smallest of the singular values. */
static stria_status get_singular_norm(const stria_call *call, const stria_tensor *x, const int *axes, int ord,
                                      bool keepdim, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const int     last = -1;
    int64_t       shape[STRIA_MAX_DIMS];
    stria_tensor *values;
    stria_dtype   result;

    STRIA_TRY(stria_temps_widen(call, temps, &x, 1, &result, err));
    STRIA_TRY(to_last(x, axes, STRIA_TEMP, err));
    STRIA_TRY(stria_svdvals(STRIA_LAST, STRIA_TEMP, err));
    values = STRIA_LAST;
    if (ord == NUC)
        STRIA_TRY(stria_sum(values, &last, 1, false, STRIA_TEMP, err));
    else if (ord == TWO)
        STRIA_TRY(stria_amax(values, &last, 1, false, STRIA_TEMP, err));
    else
        STRIA_TRY(stria_amin(values, &last, 1, false, STRIA_TEMP, err));
    if (!keepdim) return stria_temps_narrow(STRIA_LAST, result, y, err);
    for (int d = 0; d < x->ndim; d++) shape[d] = d == axes[0] || d == axes[1] ? 1 : x->shape[d];
    STRIA_TRY(stria_reshape(STRIA_LAST, shape, x->ndim, STRIA_TEMP, err));
    return stria_temps_narrow(STRIA_LAST, result, y, err);
}

stria_status stria_compose_matrix_norm(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_matrix_norm_attrs *attrs = call->attrs;
    const stria_tensor            *x = call->in[0];
    const int                      ord = attrs->ord;
    int                            axes[2];

    if (attrs->dtype != STRIA_DTYPE_NONE) {
        STRIA_TRY(check(call, attrs->dim, err));
        if (!stria_is_dtype(attrs->dtype) || stria_dtype_get_category(attrs->dtype) != STRIA_CATEGORY_F)
            return stria_infer_refuse_dtype(call, "dtype", attrs->dtype, "a float", err);
        STRIA_TRY(stria_tensor_copy(x, attrs->dtype, STRIA_TEMP, err));
        x = STRIA_LAST;
    } else {
        STRIA_TRY(check_float(call, attrs->dim, true, err));
    }
    STRIA_TRY(find_matrix(call, attrs->dim, axes, err));
    if (ord >= NUC) return get_singular_norm(call, x, axes, ord, attrs->keepdim, &y[0], temps, err);
    if (ord == FRO) return stria_norm(x, 2, axes, 2, attrs->keepdim, STRIA_DTYPE_NONE, &y[0], err);
    return get_sums_norm(x, axes, ord == ONE || ord == MINUS_ONE, ord == MINUS_ONE || ord == MINUS_INF, attrs->keepdim,
                         &y[0], temps, err);
}
