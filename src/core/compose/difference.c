/* difference.c - composites along an axis that look at neighbours: differences, and areas by the trapezoidal rule. */
#include <stdio.h>

#include "base/error.h"
#include "call/compose.h"

/* x[begin:end] along the axis, as operands are read. */
static stria_status slice(const stria_tensor *x, int axis, int64_t begin, int64_t end, stria_tensor **y,
                          stria_error *err)
{
    return stria_slice((stria_tensor *)(uintptr_t)x, axis, begin, end, 1, y, err);
}

static stria_status check_dims(const stria_call *call, const stria_tensor *x, const char *argument, stria_error *err)
{
    const char *name = stria_call_get_name(call);

    if (x->ndim > 0) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, "1 dim or more", "[]", "%s has no dims", argument);
}

/* ---------------------------------------------------------------- differences */

/* *y = the right of each pair of neighbours less the left; truth values: whether they differ. */
static stria_status subtract_neighbours(const stria_tensor *x, int axis, stria_tensor **y, stria_error *err)
{
    stria_tensor *left = NULL, *right = NULL;
    stria_status  status = slice(x, axis, 0, -1, &left, err);

    if (status == STRIA_OK) status = slice(x, axis, 1, STRIA_INT_NONE, &right, err);
    if (status == STRIA_OK)
        status = x->dtype == STRIA_BOOL ? stria_ne(right, left, y, err) : stria_sub(right, left, y, err);
    stria_tensor_release(left);
    stria_tensor_release(right);
    return status;
}

/* What stands before and behind x has its shape but for the axis. */
static stria_status check_ends(const stria_call *call, int axis, stria_error *err)
{
    static const char *const names[] = {"x", "prepend", "append"};
    const stria_tensor      *x = call->in[0];

    for (int k = 1; k < 3; k++) {
        const stria_tensor *end = call->in[k];
        bool                fits = end == NULL || end->ndim == x->ndim;
        for (int d = 0; end != NULL && fits && d < x->ndim; d++) fits = d == axis || end->shape[d] == x->shape[d];
        if (fits) continue;
        char expected[96], got[96];
        stria_shape_print(expected, sizeof expected, x->ndim, x->shape);
        stria_shape_print(got, sizeof got, end->ndim, end->shape);
        return stria_error_set(err, STRIA_ERR_SHAPE, "diff", names[k], expected, got,
                               "%s has shape %s, but must have that of x, %s, but for axis %d", names[k], got, expected,
                               axis);
    }
    return STRIA_OK;
}

static stria_status join_ends(const stria_call *call, int axis, stria_tensor **y, stria_error *err)
{
    const stria_tensor *parts[3];
    int                 n = 0;

    if (call->in[1] != NULL) parts[n++] = call->in[1];
    parts[n++] = call->in[0];
    if (call->in[2] != NULL) parts[n++] = call->in[2];
    return stria_cat(parts, n, axis, y, err);
}

stria_status stria_compose_diff(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_diff_attrs *attrs = call->attrs;
    const stria_tensor     *x = call->in[0];
    const bool              has_ends = call->in[1] != NULL || call->in[2] != NULL;
    int64_t                 n = attrs->n;
    int                     axis;

    STRIA_TRY(check_dims(call, x, "x", err));
    STRIA_TRY(stria_infer_wrap_axis(call, "dim", x->ndim, attrs->dim, &axis, err));
    STRIA_TRY(check_ends(call, axis, err));
    if (n < 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "diff", "n", "0 or more", NULL, "n must be 0 or more, not %lld",
                               (long long)n);
    if (n == 0) return stria_tensor_copy(x, x->dtype, &y[0], err);
    if (has_ends) {
        STRIA_TRY(join_ends(call, axis, STRIA_TEMP, err));
        x = STRIA_LAST;
    }
    if (n >= x->shape[axis]) { /* nothing is left, however many steps it takes */
        STRIA_TRY(slice(x, axis, 0, 1, STRIA_TEMP, err));
        x = STRIA_LAST;
        n = 1;
    }
    for (; n > 0; n--) {
        stria_tensor      *next = NULL;
        const stria_status status = subtract_neighbours(y[0] != NULL ? y[0] : x, axis, &next, err);
        if (status != STRIA_OK) return status;
        stria_tensor_release(y[0]);
        y[0] = next;
    }
    return STRIA_OK;
}

/* ---------------------------------------------------------------- areas */

/* Whether x, of one dim or of the dims of y, tells where the elements of y along the axis are. */
static stria_status check_places(const stria_call *call, int axis, stria_error *err)
{
    const stria_tensor *y = call->in[0], *x = call->in[1];
    bool                fits = x->ndim == 1 || x->ndim == y->ndim;

    if (x->ndim == 1)
        fits = x->shape[0] == y->shape[axis];
    else
        for (int d = 0; fits && d < y->ndim; d++) fits = x->shape[d] == y->shape[d] || (d != axis && x->shape[d] == 1);
    if (fits) return STRIA_OK;
    char expected[96], got[96];
    stria_shape_print(expected, sizeof expected, y->ndim, y->shape);
    stria_shape_print(got, sizeof got, x->ndim, x->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), "x", expected, got,
                           "x has shape %s, but must have that of y, %s, or one dim of the size of axis %d", got,
                           expected, axis);
}

/* The distances of neighbours along the axis, of the dims of y. */
static stria_status get_widths(const stria_call *call, int axis, stria_temps *temps, stria_error *err)
{
    const stria_tensor *y = call->in[0], *x = call->in[1];
    int64_t             shape[STRIA_MAX_DIMS];

    STRIA_TRY(check_dims(call, x, "x", err));
    STRIA_TRY(check_places(call, axis, err));
    if (x->dtype == STRIA_BOOL) {
        STRIA_TRY(stria_tensor_copy(x, STRIA_I64, STRIA_TEMP, err));
        x = STRIA_LAST;
    }
    STRIA_TRY(subtract_neighbours(x, x->ndim == 1 ? 0 : axis, STRIA_TEMP, err));
    if (x->ndim == y->ndim) return STRIA_OK;
    const stria_tensor *widths = STRIA_LAST;
    for (int d = 0; d < y->ndim; d++) shape[d] = d == axis ? widths->shape[0] : 1;
    return stria_reshape((stria_tensor *)(uintptr_t)widths, shape, y->ndim, STRIA_TEMP, err);
}

/* Twice the areas between neighbours along the axis, but for dx; the last of temps. Whole numbers are added in i64, halves in f32. */
static stria_status get_areas(const stria_call *call, int axis, stria_temps *temps, stria_error *err)
{
    const stria_tensor *y = call->in[0];
    const stria_tensor *left, *right, *heights;

    if (stria_dtype_get_category(y->dtype) < STRIA_CATEGORY_F || stria_dtype_get_compute(y->dtype) != y->dtype) {
        STRIA_TRY(stria_tensor_copy(y, stria_dtype_get_wide(stria_dtype_get_compute(y->dtype)), STRIA_TEMP, err));
        y = STRIA_LAST;
    }
    STRIA_TRY(slice(y, axis, 0, -1, STRIA_TEMP, err));
    left = STRIA_LAST;
    STRIA_TRY(slice(y, axis, 1, STRIA_INT_NONE, STRIA_TEMP, err));
    right = STRIA_LAST;
    STRIA_TRY(stria_add(left, right, STRIA_TEMP, err));
    heights = STRIA_LAST;
    if (call->in[1] == NULL) return STRIA_OK;
    STRIA_TRY(get_widths(call, axis, temps, err));
    return stria_mul(heights, STRIA_LAST, STRIA_TEMP, err);
}

/* What the areas are in: the dtype of y and x, a float. */
static stria_dtype get_result(const stria_call *call)
{
    const stria_tensor *y = call->in[0], *x = call->in[1];
    const stria_dtype   common = x != NULL ? stria_dtype_get_promoted(y->dtype, x->dtype) : y->dtype;

    return stria_dtype_get_category(common) < STRIA_CATEGORY_F ? STRIA_F32 : common;
}

/* The sums of areas, whose halves are the result. */
static stria_status finish(const stria_call *call, double dx, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_dtype   result = get_result(call);
    const stria_tensor *sums = STRIA_LAST;
    stria_tensor       *half;

    STRIA_TRY(stria_temps_number(temps, call->in[1] != NULL ? 0.5 : dx / 2, &half, err));
    STRIA_TRY(stria_mul(sums, half, STRIA_TEMP, err));
    return stria_tensor_copy(STRIA_LAST, result, &y[0], err);
}

static stria_status check_area(const stria_call *call, int dim, int *axis, stria_error *err)
{
    STRIA_TRY(check_dims(call, call->in[0], "y", err));
    return stria_infer_wrap_axis(call, "dim", call->in[0]->ndim, dim, axis, err);
}

stria_status stria_compose_trapezoid(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_trapezoid_attrs *attrs = call->attrs;
    int                          axis;

    STRIA_TRY(check_area(call, attrs->dim, &axis, err));
    STRIA_TRY(get_areas(call, axis, temps, err));
    STRIA_TRY(stria_sum(STRIA_LAST, &axis, 1, false, STRIA_TEMP, err));
    return finish(call, attrs->dx, y, temps, err);
}

stria_status stria_compose_cumulative_trapezoid(const stria_call *call, stria_tensor **y, stria_temps *temps,
                                                stria_error *err)
{
    const stria_cumulative_trapezoid_attrs *attrs = call->attrs;
    int                                     axis;

    STRIA_TRY(check_area(call, attrs->dim, &axis, err));
    STRIA_TRY(get_areas(call, axis, temps, err));
    STRIA_TRY(stria_cumsum(STRIA_LAST, axis, STRIA_DTYPE_NONE, STRIA_TEMP, err));
    return finish(call, attrs->dx, y, temps, err);
}
