/* abi_view.c - the views of the flat ABI. Each borrows one tensor and returns a handle. */
#include "abi_table.h"

static stria_error *error_get(void) { return &stria_abi_get_scratch()->error; }

double stria_abi_slice(double a, double axis, double start, double stop, double step)
{
    stria_tensor *x = stria_abi_get_tensor(a, "slice", "x"), *y = NULL;
    if (!x) return -STRIA_ERR_DISPOSED;
    stria_status status = stria_slice(x, stria_abi_get_int(axis), stria_abi_get_int64(start), stria_abi_get_int64(stop),
                                      step == step ? stria_abi_get_int64(step) : 1, &y, error_get());
    return stria_abi_get_result(status, y);
}

double stria_abi_select(double a, double axis, double index)
{
    stria_tensor *x = stria_abi_get_tensor(a, "select", "x"), *y = NULL;
    if (!x) return -STRIA_ERR_DISPOSED;
    stria_status status = stria_select(x, stria_abi_get_int(axis), stria_abi_get_int64(index), &y, error_get());
    return stria_abi_get_result(status, y);
}

double stria_abi_transpose(double a, double axis0, double axis1)
{
    stria_tensor *x = stria_abi_get_tensor(a, "transpose", "x"), *y = NULL;
    if (!x) return -STRIA_ERR_DISPOSED;
    stria_status status = stria_transpose(x, stria_abi_get_int(axis0), stria_abi_get_int(axis1), &y, error_get());
    return stria_abi_get_result(status, y);
}

double stria_abi_unsqueeze(double a, double axis)
{
    stria_tensor *x = stria_abi_get_tensor(a, "unsqueeze", "x"), *y = NULL;
    if (!x) return -STRIA_ERR_DISPOSED;
    stria_status status = stria_unsqueeze(x, stria_abi_get_int(axis), &y, error_get());
    return stria_abi_get_result(status, y);
}

double stria_abi_diagonal(double a, double offset, double axis0, double axis1)
{
    stria_tensor *x = stria_abi_get_tensor(a, "diagonal", "x"), *y = NULL;
    if (!x) return -STRIA_ERR_DISPOSED;
    stria_status status = stria_diagonal(x, stria_abi_get_int64(offset), stria_abi_get_int(axis0),
                                         stria_abi_get_int(axis1), &y, error_get());
    return stria_abi_get_result(status, y);
}

/* Views that take a list of axes, and those that take a shape. */

typedef stria_status axes_fn(stria_tensor *, const int *, int, stria_tensor **, stria_error *);
typedef stria_status shape_fn(stria_tensor *, const int64_t *, int, stria_tensor **, stria_error *);

static double run_axes(axes_fn *fn, const char *op, double a, double n_axes)
{
    int           axes[STRIA_MAX_DIMS + 1], n = stria_abi_get_axes(n_axes, axes);
    stria_tensor *x = stria_abi_get_tensor(a, op, "x"), *y = NULL;
    if (!x) return -STRIA_ERR_DISPOSED;
    stria_status status = fn(x, n < 0 ? NULL : axes, n < 0 ? 0 : n, &y, error_get());
    return stria_abi_get_result(status, y);
}

static double run_shape(shape_fn *fn, const char *op, double a, double ndim)
{
    int64_t       shape[STRIA_MAX_DIMS];
    int           n = stria_abi_get_sizes(0, ndim, shape);
    stria_tensor *x = stria_abi_get_tensor(a, op, "x"), *y = NULL;
    if (!x) return -STRIA_ERR_DISPOSED;
    stria_status status = fn(x, shape, n, &y, error_get());
    return stria_abi_get_result(status, y);
}

double stria_abi_permute(double a, double n_axes) { return run_axes(stria_permute, "permute", a, n_axes); }

double stria_abi_flip(double a, double n_axes) { return run_axes(stria_flip, "flip", a, n_axes); }

double stria_abi_squeeze(double a, double n_axes) { return run_axes(stria_squeeze, "squeeze", a, n_axes); }

double stria_abi_view(double a, double ndim) { return run_shape(stria_view, "view", a, ndim); }

double stria_abi_reshape(double a, double ndim) { return run_shape(stria_reshape, "reshape", a, ndim); }

double stria_abi_expand(double a, double ndim) { return run_shape(stria_expand, "expand", a, ndim); }
