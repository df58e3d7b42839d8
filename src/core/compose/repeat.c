/* repeat.c - composites that copy parts of a tensor to several places: diag, roll, repeat. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/backend.h"
#include "call/compose.h"
#include "tensor/device.h"
#include "tensor/shape.h"

static stria_tensor *get_base(const stria_call *call) { return (stria_tensor *)(uintptr_t)call->in[0]; }

/* ---------------------------------------------------------------- diagonals, turns */

stria_status stria_compose_diag(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_diag_attrs *attrs = call->attrs;
    const stria_tensor     *x = call->in[0];
    char                    got[32];

    if (x->ndim == 1) return stria_diag_embed(x, attrs->diagonal, -2, -1, &y[0], err);
    snprintf(got, sizeof got, "%d dims", x->ndim);
    if (x->ndim != 2)
        return stria_error_set(err, STRIA_ERR_SHAPE, "diag", "x", "1 or 2 dims", got, "x has %s, but must have 1 or 2",
                               got);
    STRIA_TRY(stria_diagonal(get_base(call), attrs->diagonal, 0, 1, STRIA_TEMP, err));
    return stria_to(STRIA_LAST, STRIA_DTYPE_NONE, &y[0], err);
}

stria_status stria_compose_diagflat(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_diagflat_attrs *attrs = call->attrs;

    STRIA_TRY(stria_ravel(get_base(call), STRIA_TEMP, err));
    return stria_diag_embed(STRIA_LAST, attrs->offset, -2, -1, &y[0], err);
}

stria_status stria_compose_rot90(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_rot90_attrs *attrs = call->attrs;
    const stria_tensor      *x = call->in[0];
    const int                quarters = (int)((attrs->k % 4 + 4) % 4);
    int                      dims[2] = {0, 1};
    uint64_t                 set;
    char                     got[32];

    snprintf(got, sizeof got, "%d dims", x->ndim);
    if (x->ndim < 2)
        return stria_error_set(err, STRIA_ERR_SHAPE, "rot90", "x", "2 dims or more", got,
                               "x has %s, but must have 2 or more", got);
    if (attrs->dims.at != NULL) {
        STRIA_TRY(stria_infer_listed_axes("rot90", "dims", x, attrs->dims.at, attrs->dims.n, &set, err));
        if (attrs->dims.n != 2)
            return stria_error_set(err, STRIA_ERR_AXIS, "rot90", "dims", "2 axes", NULL, "dims has %d axes, not 2",
                                   attrs->dims.n);
        dims[0] = attrs->dims.at[0];
        dims[1] = attrs->dims.at[1];
    }
    if (quarters % 2 == 0) return stria_flip(get_base(call), dims, quarters, &y[0], err); /* no axis, or both */
    STRIA_TRY(stria_flip(get_base(call), &dims[quarters == 1], 1, STRIA_TEMP, err));
    return stria_transpose(STRIA_LAST, dims[0], dims[1], &y[0], err);
}

/* ---------------------------------------------------------------- roll */

/* *x moved by shift, 0 < shift < its size, along the axis; the tensor that was there is released if it is `owned`. */
static stria_status roll_axis(stria_tensor **x, bool owned, int axis, int64_t shift, stria_error *err)
{
    const int64_t size = (*x)->shape[axis];
    stria_tensor *parts[2] = {NULL}, *rolled = NULL;

    stria_status status = stria_slice(*x, axis, size - shift, size, 1, &parts[0], err);
    if (status == STRIA_OK) status = stria_slice(*x, axis, 0, size - shift, 1, &parts[1], err);
    if (status == STRIA_OK) status = stria_cat((const stria_tensor *const *)parts, 2, axis, &rolled, err);
    stria_tensor_release(parts[0]);
    stria_tensor_release(parts[1]);
    STRIA_TRY(status);
    if (owned) stria_tensor_release(*x);
    *x = rolled;
    return STRIA_OK;
}

/* From 0 up to size - 1; the size may be 0. */
static int64_t wrap_shift(int64_t shift, int64_t size)
{
    if (size < 2) return 0;
    shift %= size;
    return shift < 0 ? shift + size : shift;
}

/* Along every axis by shifts[axis], which are wrapped. */
static stria_status roll_axes(stria_tensor *x, const int64_t *shifts, stria_tensor **y, stria_error *err)
{
    stria_tensor *now = x;
    stria_status  status = STRIA_OK;

    for (int d = 0; d < x->ndim && status == STRIA_OK; d++)
        if (shifts[d] != 0 && x->numel > 0) status = roll_axis(&now, now != x, d, shifts[d], err);
    if (status == STRIA_OK && now == x) return stria_to(x, STRIA_DTYPE_NONE, y, err);
    if (status == STRIA_OK)
        *y = now;
    else if (now != x)
        stria_tensor_release(now);
    return status;
}

stria_status stria_compose_roll(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_roll_attrs *attrs = call->attrs;
    const stria_tensor     *x = call->in[0];
    const int               n_dims = attrs->dims.at != NULL ? attrs->dims.n : 0;
    int64_t                 shifts[STRIA_MAX_DIMS] = {0};
    char                    expected[48], got[32];
    uint64_t                set;

    if (attrs->dims.at != NULL)
        STRIA_TRY(stria_infer_listed_axes("roll", "dims", x, attrs->dims.at, n_dims, &set, err));
    const int wanted = n_dims == 0 ? 1 : n_dims;
    if (attrs->shifts.n != wanted) {
        snprintf(expected, sizeof expected, "%d, as many as axes", wanted);
        snprintf(got, sizeof got, "%d", attrs->shifts.n);
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "roll", "shifts", expected, got,
                               "shifts has %s numbers, but must have %s", got, expected);
    }
    if (n_dims == 0) {
        STRIA_TRY(stria_ravel(get_base(call), STRIA_TEMP, err));
        shifts[0] = wrap_shift(attrs->shifts.at[0], x->numel);
        stria_tensor *flat = STRIA_LAST, *rolled = NULL;
        STRIA_TRY(roll_axes(flat, shifts, &rolled, err));
        const stria_status status = stria_view(rolled, x->shape, x->ndim, &y[0], err);
        stria_tensor_release(rolled);
        return status;
    }
    for (int k = 0; k < n_dims && x->ndim > 0; k++) {
        const int axis = attrs->dims.at[k] < 0 ? attrs->dims.at[k] + x->ndim : attrs->dims.at[k];
        shifts[axis] = wrap_shift(attrs->shifts.at[k], x->shape[axis]);
    }
    return roll_axes(get_base(call), shifts, &y[0], err);
}

/* ---------------------------------------------------------------- repeat */

static stria_status refuse_long(const stria_call *call, const char *argument, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_OVERFLOW, stria_call_get_name(call), argument, "fewer than 2^63 elements",
                           NULL, "the result has too many elements");
}

/* x `times`[d] times along axis d of ndim, of which x has the last. */
static stria_status repeat_axes(const stria_call *call, const char *argument, int ndim, const int64_t *times,
                                stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    int64_t             single[STRIA_MAX_DIMS], wide[STRIA_MAX_DIMS], shape[STRIA_MAX_DIMS];
    int                 n = 0;
    bool                is_copy = true;
    char                text[48], got[32];

    for (int d = 0; d < ndim; d++) {
        const int64_t size = d < ndim - x->ndim ? 1 : x->shape[d - (ndim - x->ndim)];
        snprintf(text, sizeof text, "%s[%d]", argument, d);
        snprintf(got, sizeof got, "%lld", (long long)times[d]);
        if (times[d] < 0)
            return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), text, "0 or more", got,
                                   "%s must be 0 or more, not %s", text, got);
        if (__builtin_mul_overflow(size, times[d], &shape[d])) return refuse_long(call, argument, err);
        if (n + 2 > STRIA_MAX_DIMS)
            return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), argument, NULL, NULL,
                                   "too many axes to repeat");
        is_copy &= times[d] == 1;
        if (times[d] != 1) {
            single[n] = 1;
            wide[n++] = times[d];
        }
        single[n] = size;
        wide[n++] = size;
    }
    STRIA_TRY(stria_view(get_base(call), single, n, STRIA_TEMP, err));
    if (is_copy) return stria_to(STRIA_LAST, STRIA_DTYPE_NONE, &y[0], err);
    STRIA_TRY(stria_expand(STRIA_LAST, wide, n, STRIA_TEMP, err));
    STRIA_TRY(stria_contiguous(STRIA_LAST, STRIA_TEMP, err)); /* a copy, since it is expanded */
    return stria_view(STRIA_LAST, shape, ndim, &y[0], err);
}

stria_status stria_compose_repeat(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_repeat_attrs *attrs = call->attrs;
    const stria_tensor       *x = call->in[0];
    char                      expected[32], got[32];

    snprintf(expected, sizeof expected, "%d sizes or more", x->ndim);
    snprintf(got, sizeof got, "%d", attrs->sizes.n);
    if (attrs->sizes.n < x->ndim)
        return stria_error_set(err, STRIA_ERR_SHAPE, "repeat", "sizes", expected, got,
                               "sizes has %s numbers, fewer than the tensor has dims, %d", got, x->ndim);
    return repeat_axes(call, "sizes", attrs->sizes.n, attrs->sizes.at, y, temps, err);
}

stria_status stria_compose_tile(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tile_attrs *attrs = call->attrs;
    const int               n = attrs->dims.n, missing = call->in[0]->ndim - n;
    int64_t                 times[STRIA_MAX_DIMS];

    if (missing <= 0) return repeat_axes(call, "dims", n, attrs->dims.at, y, temps, err);
    for (int d = 0; d < missing; d++) times[d] = 1;
    for (int d = 0; d < n; d++) times[missing + d] = attrs->dims.at[d];
    return repeat_axes(call, "dims", missing + n, times, y, temps, err);
}

/* ---------------------------------------------------------------- repeat_interleave */

static stria_status refuse_repeats(int64_t number, const char *expected, stria_error *err)
{
    char got[32];

    snprintf(got, sizeof got, "%lld", (long long)number);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "repeat_interleave", "repeats", expected, got,
                           "repeats has %s, but must have %s", got, expected);
}

/* Every element n times: a new axis behind the axis is expanded, and both become one. */
static stria_status repeat_each(const stria_call *call, stria_tensor *x, int axis, int64_t n, stria_tensor **y,
                                stria_temps *temps, stria_error *err)
{
    int64_t shape[STRIA_MAX_DIMS + 1];

    for (int d = 0; d < x->ndim; d++) shape[d + (d > axis)] = x->shape[d];
    shape[axis + 1] = n;
    if (n == 1) return stria_to(x, STRIA_DTYPE_NONE, &y[0], err);
    STRIA_TRY(stria_unsqueeze(x, axis + 1, STRIA_TEMP, err));
    STRIA_TRY(stria_expand(STRIA_LAST, shape, x->ndim + 1, STRIA_TEMP, err));
    STRIA_TRY(stria_contiguous(STRIA_LAST, STRIA_TEMP, err)); /* a copy, since it is expanded */
    for (int d = 0; d < x->ndim; d++) shape[d] = x->shape[d];
    if (__builtin_mul_overflow(shape[axis], n, &shape[axis])) return refuse_long(call, "repeats", err);
    return stria_view(STRIA_LAST, shape, x->ndim, &y[0], err);
}

/* The positions 0 .. length - 1, each as often as counts [length] says. */
static stria_status new_positions(const int64_t *counts, int64_t length, stria_tensor **y, stria_error *err)
{
    int64_t total = 0;

    for (int64_t k = 0; k < length; k++) {
        if (counts[k] < 0) return refuse_repeats(counts[k], "counts of 0 or more", err);
        if (__builtin_add_overflow(total, counts[k], &total)) return refuse_repeats(total, "fewer than 2^63", err);
    }
    STRIA_TRY(stria_tensor_new(STRIA_I64, 1, &total, y, err));
    int64_t *at = stria_tensor_get_data(*y);
    for (int64_t k = 0; k < length; k++)
        for (int64_t i = 0; i < counts[k]; i++) *at++ = k;
    return STRIA_OK;
}

/* Counts on the CPU, which decide the shape of the result: those of the device of x are waited for. */
static stria_status read_counts(const stria_tensor *x, const stria_tensor **counts, stria_temps *temps,
                                stria_error *err)
{
    const stria_tensor *there = *counts;
    const char         *expected = stria_device_get_name(x->device), *got = stria_device_get_name(there->device);

    if (there->device.type == STRIA_DEVICE_CPU) return STRIA_OK;
    if (there->device.type == STRIA_DEVICE_META)
        return stria_error_set(err, STRIA_ERR_DEVICE, "repeat_interleave", "repeats", "cpu", got,
                               "the shape of the result depends on repeats");
    if (!stria_device_equals(there->device, x->device))
        return stria_error_set(err, STRIA_ERR_DEVICE, "repeat_interleave", "repeats", expected, got,
                               "repeats is on %s but x is on %s", got, expected);
    STRIA_TRY(stria_tensor_new_shaped(there->dtype, there, STRIA_TEMP, err));
    *counts = STRIA_LAST;
    return stria_backend_copy(STRIA_LAST, there, err);
}

stria_status stria_compose_repeat_interleave(const stria_call *call, stria_tensor **y, stria_temps *temps,
                                             stria_error *err)
{
    const stria_repeat_interleave_attrs *attrs = call->attrs;
    const stria_tensor                  *repeats = call->in[1];
    stria_tensor                        *x = get_base(call);
    const stria_tensor                  *counts, *positions;
    int                                  axis = 0;
    char                                 expected[64];

    if (attrs->dim != STRIA_AXIS_NONE) STRIA_TRY(stria_infer_wrap_axis(call, "dim", x->ndim, attrs->dim, &axis, err));
    if (attrs->dim == STRIA_AXIS_NONE || x->ndim == 0) {
        STRIA_TRY(stria_ravel(x, STRIA_TEMP, err));
        x = STRIA_LAST;
    }
    const stria_category category = stria_dtype_get_category(repeats->dtype);
    if (category != STRIA_CATEGORY_I && category != STRIA_CATEGORY_U)
        return stria_infer_refuse_dtype(call, "repeats", repeats->dtype, "an integer", err);
    if (repeats->is_wrapped_number && repeats->dtype == STRIA_I64) { /* also while calls are recorded */
        const int64_t number = *(const int64_t *)(const void *)repeats->data;
        if (number < 0) return refuse_repeats(number, "counts of 0 or more", err);
        return repeat_each(call, x, axis, number, y, temps, err);
    }
    const int64_t length = x->shape[axis];
    if (repeats->ndim > 1 || (repeats->numel != 1 && repeats->numel != length)) {
        snprintf(expected, sizeof expected, "one element, or one dim of %lld", (long long)length);
        return refuse_repeats(repeats->numel, expected, err);
    }
    STRIA_TRY(stria_to(repeats, STRIA_I64, STRIA_TEMP, err));
    STRIA_TRY(stria_contiguous(STRIA_LAST, STRIA_TEMP, err));
    counts = STRIA_LAST;
    STRIA_TRY(read_counts(x, &counts, temps, err));
    const int64_t *const numbers = stria_tensor_get_const_data(counts);
    if (counts->numel == 1 && numbers[0] < 0) return refuse_repeats(numbers[0], "counts of 0 or more", err);
    if (counts->numel == 1) return repeat_each(call, x, axis, numbers[0], y, temps, err);
    STRIA_TRY(new_positions(numbers, length, STRIA_TEMP, err));
    positions = STRIA_LAST;
    if (x->device.type == STRIA_DEVICE_CUDA) {
        STRIA_TRY(stria_tensor_new_on(x->device, STRIA_I64, 1, positions->shape, NULL, STRIA_TEMP, err));
        STRIA_TRY(stria_backend_copy(STRIA_LAST, positions, err));
        positions = STRIA_LAST;
    }
    return stria_index_select(x, positions, axis, &y[0], err);
}
