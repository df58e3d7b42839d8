/* complex_reduce.c - products, scans and norms of complex numbers. Sums: reduce.c. */
#include <string.h>

#include "base/error.h"
#include "call/backend.h"
#include "cpu/complex_parts.h"

#define CAST(x) ((stria_tensor *)(uintptr_t)(x))

/* The axes of a set, in their order. Returns how many. */
static int list_axes(uint64_t set, int ndim, int *axes)
{
    int n = 0;

    for (int d = 0; d < ndim; d++)
        if (set >> d & 1) axes[n++] = d;
    return n;
}

/* x as a complex tensor of the dtype of y, which is complex. */
static stria_status convert(const stria_tensor **x, stria_dtype dtype, stria_temps *temps, stria_error *err)
{
    if ((*x)->dtype == dtype) return STRIA_OK;
    STRIA_TRY(stria_tensor_copy(*x, dtype, STRIA_TEMP, err));
    *x = STRIA_LAST;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- products */

/* The reduced axes last, as one. */
static stria_status bring_together(const stria_tensor **x, uint64_t set, stria_temps *temps, stria_error *err)
{
    const stria_tensor *from = *x;
    int64_t             shape[STRIA_MAX_DIMS + 1], count = 1;
    int                 order[STRIA_MAX_DIMS], kept = 0, n = 0;

    for (int d = 0; d < from->ndim; d++)
        if (!(set >> d & 1)) shape[kept] = from->shape[d], order[kept++] = d;
    for (int d = 0; d < from->ndim; d++)
        if (set >> d & 1) count *= from->shape[d], order[kept + n++] = d;
    if (kept == STRIA_MAX_DIMS) kept--; /* nothing is reduced then */
    shape[kept] = count;
    STRIA_TRY(stria_permute(CAST(from), order, from->ndim, STRIA_TEMP, err));
    STRIA_TRY(stria_reshape(STRIA_LAST, shape, kept + 1, STRIA_TEMP, err));
    *x = STRIA_LAST;
    return STRIA_OK;
}

/* *product = the first times the second half along the last axis, in place of x; what is left over goes to *rest. */
static stria_status multiply_halves(const stria_tensor *x, stria_tensor **product, stria_tensor **rest,
                                    stria_temps *temps, stria_error *err)
{
    const int64_t n = x->shape[x->ndim - 1], half = n / 2;

    STRIA_TRY(stria_slice(CAST(x), -1, 0, half, 1, STRIA_TEMP, err));
    const stria_tensor *first = STRIA_LAST;
    STRIA_TRY(stria_slice(CAST(x), -1, half, 2 * half, 1, STRIA_TEMP, err));
    STRIA_TRY(stria_mul(first, STRIA_LAST, product, err));
    if (n % 2 == 0) return STRIA_OK;
    STRIA_TRY(stria_slice(CAST(x), -1, n - 1, n, 1, STRIA_TEMP, err));
    stria_tensor *last = STRIA_LAST, *more = NULL;
    if (*rest == NULL) {
        *rest = stria_tensor_retain(last);
        return STRIA_OK;
    }
    STRIA_TRY(stria_mul(*rest, last, &more, err));
    stria_tensor_release(*rest);
    *rest = more;
    return STRIA_OK;
}

/* The product along the last axis, whose size is at least 1 and becomes 1: a balanced tree, fixed by the size alone. */
static stria_status multiply_all(const stria_tensor *x, stria_tensor **product, stria_error *err)
{
    stria_tensor *now = stria_tensor_retain(CAST(x)), *rest = NULL, *next = NULL;
    stria_status  status = STRIA_OK;

    while (status == STRIA_OK && now->shape[now->ndim - 1] > 1) {
        stria_temps temps = {{NULL}, 0};
        status = multiply_halves(now, &next, &rest, &temps, err);
        stria_temps_release(&temps);
        stria_tensor_release(now);
        now = next;
        next = NULL;
        if (now == NULL) break;
    }
    if (status == STRIA_OK && rest != NULL) {
        status = stria_mul(now, rest, product, err);
    } else if (status == STRIA_OK) {
        *product = stria_tensor_retain(now);
    }
    stria_tensor_release(now);
    stria_tensor_release(rest);
    return status;
}

static stria_status multiply_axes(const stria_tensor *x, uint64_t set, stria_tensor *y, stria_temps *temps,
                                  stria_error *err)
{
    STRIA_TRY(convert(&x, y->dtype, temps, err));
    STRIA_TRY(bring_together(&x, set, temps, err));
    if (x->shape[x->ndim - 1] == 0) return stria_backend_fill(y, stria_scalar_get(1), err);
    STRIA_TRY(multiply_all(x, STRIA_TEMP, err));
    STRIA_TRY(stria_reshape(STRIA_LAST, y->shape, y->ndim, STRIA_TEMP, err));
    return stria_backend_copy(y, STRIA_LAST, err);
}

stria_status stria_complex_product(const stria_tensor *x, uint64_t axes, stria_tensor *y, stria_error *err)
{
    stria_temps        temps = {{NULL}, 0};
    const stria_status status = multiply_axes(x, axes, y, &temps, err);

    stria_temps_release(&temps);
    return status;
}

/* ---------------------------------------------------------------- scans */

/* Running products of n numbers side by side, in their place; accumulated in f64. */
static void multiply_row(char *at, stria_dtype dtype, int64_t n)
{
    double re = 1, im = 0;

    for (int64_t k = 0; k < n; k++) {
        float  f[2];
        double z[2];
        if (dtype == STRIA_C64) {
            memcpy(f, at + k * (int64_t)sizeof f, sizeof f);
            z[0] = (double)f[0];
            z[1] = (double)f[1];
        } else {
            memcpy(z, at + k * (int64_t)sizeof z, sizeof z);
        }
        const double product = k == 0 ? z[0] : re * z[0] - im * z[1];
        im = k == 0 ? z[1] : re * z[1] + im * z[0];
        re = product;
        if (dtype == STRIA_C64)
            memcpy(at + k * (int64_t)sizeof f, (float[2]){(float)re, (float)im}, sizeof f);
        else
            memcpy(at + k * (int64_t)sizeof z, (double[2]){re, im}, sizeof z);
    }
}

static stria_status scan_products(const stria_tensor *x, int axis, stria_tensor *y, stria_temps *temps,
                                  stria_error *err)
{
    const int64_t n = x->ndim > 0 ? x->shape[axis] : 1;

    if (x->ndim > 0) { /* the axis last */
        STRIA_TRY(stria_transpose(CAST(x), axis, -1, STRIA_TEMP, err));
        stria_tensor *turned = STRIA_LAST;
        STRIA_TRY(stria_tensor_new(y->dtype, x->ndim, turned->shape, STRIA_TEMP, err));
        STRIA_TRY(stria_backend_copy(STRIA_LAST, turned, err));
    } else {
        STRIA_TRY(stria_tensor_copy(x, y->dtype, STRIA_TEMP, err));
    }
    stria_tensor *rows = STRIA_LAST;
    const int64_t size = stria_tensor_get_item_size(rows);
    for (int64_t k = 0; k < rows->numel; k += n) multiply_row(rows->data + k * size, rows->dtype, n);
    if (x->ndim == 0) return stria_backend_copy(y, rows, err);
    STRIA_TRY(stria_transpose(rows, axis, -1, STRIA_TEMP, err));
    return stria_backend_copy(y, STRIA_LAST, err);
}

static stria_status scan_sums(const stria_tensor *x, int axis, stria_tensor *y, stria_temps *temps, stria_error *err)
{
    if (x->ndim == 0) return stria_backend_copy(y, x, err);
    if (!stria_dtype_is_complex(x->dtype)) STRIA_TRY(convert(&x, y->dtype, temps, err));
    STRIA_TRY(stria_view_as_real(CAST(x), STRIA_TEMP, err));
    const stria_tensor *from = STRIA_LAST;
    STRIA_TRY(stria_view_as_real(y, STRIA_TEMP, err));
    return stria_cumsum_out(from, axis, STRIA_LAST->dtype, STRIA_LAST, err);
}

stria_status stria_complex_scan(const stria_tensor *x, int axis, bool is_product, stria_tensor *y, stria_error *err)
{
    stria_temps        temps = {{NULL}, 0};
    const stria_status status =
        is_product ? scan_products(x, axis, y, &temps, err) : scan_sums(x, axis, y, &temps, err);

    stria_temps_release(&temps);
    return status;
}

/* ---------------------------------------------------------------- real results */

static stria_status find_moment(const stria_tensor *x, uint64_t set, double correction, bool keepdim, bool is_root,
                                stria_tensor *y, stria_temps *temps, stria_error *err)
{
    int       axes[STRIA_MAX_DIMS];
    const int n = list_axes(set, x->ndim, axes);

    STRIA_TRY(stria_real(CAST(x), STRIA_TEMP, err));
    STRIA_TRY(stria_var(STRIA_LAST, axes, n, correction, keepdim, STRIA_TEMP, err));
    const stria_tensor *re = STRIA_LAST;
    STRIA_TRY(stria_imag(CAST(x), STRIA_TEMP, err));
    STRIA_TRY(stria_var(STRIA_LAST, axes, n, correction, keepdim, STRIA_TEMP, err));
    const stria_tensor *im = STRIA_LAST;
    STRIA_TRY(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){re, im}, 2, y, err));
    return is_root ? stria_apply_out(STRIA_OP_sqrt, (const stria_tensor *[]){y}, 1, y, err) : STRIA_OK;
}

stria_status stria_complex_moment(const stria_tensor *x, uint64_t axes, double correction, bool keepdim, bool is_root,
                                  stria_tensor *y, stria_error *err)
{
    stria_temps        temps = {{NULL}, 0};
    const stria_status status = find_moment(x, axes, correction, keepdim, is_root, y, &temps, err);

    stria_temps_release(&temps);
    return status;
}

/* The 2-norm is that of all parts. */
static stria_status find_norm(const stria_tensor *x, double p, uint64_t set, stria_tensor *y, stria_temps *temps,
                              stria_error *err)
{
    int axes[STRIA_MAX_DIMS + 1], n = list_axes(set, x->ndim, axes);

    if (p == 2) {
        STRIA_TRY(stria_view_as_real(CAST(x), STRIA_TEMP, err));
        axes[n++] = x->ndim;
    } else {
        STRIA_TRY(stria_abs(x, STRIA_TEMP, err));
    }
    STRIA_TRY(stria_norm(STRIA_LAST, p, axes, n, false, y->dtype, STRIA_TEMP, err));
    STRIA_TRY(stria_reshape(STRIA_LAST, y->shape, y->ndim, STRIA_TEMP, err));
    return stria_backend_copy(y, STRIA_LAST, err);
}

stria_status stria_complex_norm(const stria_tensor *x, double p, uint64_t axes, stria_tensor *y, stria_error *err)
{
    stria_temps        temps = {{NULL}, 0};
    const stria_status status = find_norm(x, p, axes, y, &temps, err);

    stria_temps_release(&temps);
    return status;
}
