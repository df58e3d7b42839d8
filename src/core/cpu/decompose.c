/* decompose.c - det and svdvals: matrices along the last two axes, copied in f64 and decomposed there, one batch after another.
 *
 *   det      LU with partial pivoting; the product of the diagonal is kept as a mantissa and an exponent.
 *   svdvals  One-sided Jacobi: pairs of vectors, the rows or the columns, of which there are no more than they have elements, are
 *            turned until all are orthogonal; their lengths are the singular values. Demmel and Veselic, Jacobi's Method is More
 *            Accurate than QR, SIAM J. Matrix Anal. Appl. 13 (1992). */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "call/call.h"
#include "tensor/shape.h"

#define MOST_SWEEPS 60 /* about 10 are needed */

typedef struct decompose_task {
    double *matrices; /* [n][rows][columns] */
    double *results;  /* [n][n_results] */
    int64_t rows, columns;
} decompose_task;

/* ---------------------------------------------------------------- what they share */

static stria_status infer_matrices(const stria_call *call, bool is_square, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const char         *name = stria_call_get_name(call);
    char                got[96];

    if (stria_dtype_get_category(x->dtype) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "a float", err);
    stria_shape_print(got, sizeof got, x->ndim, x->shape);
    if (x->ndim < 2)
        return stria_error_set(err, STRIA_ERR_SHAPE, name, "x", "2 dims or more", got,
                               "x has shape %s, but a matrix has 2 dims", got);
    if (is_square && x->shape[x->ndim - 1] != x->shape[x->ndim - 2])
        return stria_error_set(err, STRIA_ERR_SHAPE, name, "x", "square matrices", got,
                               "x has shape %s, whose matrices are not square", got);
    stria_infer_same_shape(x, x->dtype, &meta->out[0]);
    meta->out[0].ndim = x->ndim - 2;
    return STRIA_OK;
}

/* Decomposes row-major copies of the matrices of x in f64. */
static stria_status run(const stria_tensor *x, stria_range_fn *decompose, stria_tensor *y, stria_error *err)
{
    stria_tensor  *copy = NULL, *results = NULL;
    decompose_task task = {.rows = x->shape[x->ndim - 2], .columns = x->shape[x->ndim - 1]};
    int64_t        n = 1;

    for (int d = 0; d < x->ndim - 2; d++) n *= x->shape[d];
    stria_status status = stria_tensor_new_shaped(STRIA_F64, x, &copy, err);
    if (status == STRIA_OK) status = stria_tensor_new_shaped(STRIA_F64, y, &results, err);
    if (status == STRIA_OK) status = stria_backend_copy(copy, x, err);
    if (status == STRIA_OK) {
        const int64_t work = x->numel / n * (task.rows + 1), grain = work > 0 ? STRIA_GRAIN / work : STRIA_GRAIN;
        task.matrices = (double *)(void *)copy->data;
        task.results = (double *)(void *)results->data;
        stria_parallel_for(stria_team_get(), 0, n, grain > 1 ? grain : 1, decompose, &task);
        status = stria_backend_copy(y, results, err);
    }
    stria_tensor_release(results);
    stria_tensor_release(copy);
    return status;
}

/* ---------------------------------------------------------------- det */

/* Brings the row with the largest element of column k on or below the diagonal, or with NaN, to row k; whether that was another. */
static bool pivot(double *a, int64_t n, int64_t k)
{
    int64_t best = k;

    for (int64_t i = k + 1; i < n && !isnan(a[best * n + k]); i++)
        if (!(fabs(a[i * n + k]) <= fabs(a[best * n + k]))) best = i;
    if (best == k) return false;
    for (int64_t j = k; j < n; j++) {
        const double t = a[k * n + j];
        a[k * n + j] = a[best * n + j];
        a[best * n + j] = t;
    }
    return true;
}

static double get_det(double *a, int64_t n)
{
    double  mantissa = 1;
    int64_t exponent = 0;
    int     own = 0, more = 0;

    for (int64_t k = 0; k < n; k++) {
        if (pivot(a, n, k)) mantissa = -mantissa;
        const double head = a[k * n + k];
        if (head == 0) return isfinite(mantissa) ? 0 : NAN;
        if (isfinite(head)) {
            mantissa = frexp(mantissa * frexp(head, &own), &more);
            exponent += own + more;
        } else {
            mantissa *= head;
        }
        for (int64_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / head;
            for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return ldexp(mantissa, exponent > INT_MAX ? INT_MAX : exponent < INT_MIN ? INT_MIN : (int)exponent);
}

static void det_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const decompose_task *task = context;
    (void)chunk;
    for (int64_t k = begin; k < end; k++)
        task->results[k] = get_det(task->matrices + k * task->rows * task->rows, task->rows);
}

stria_status stria_infer_det(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_matrices(call, true, meta, err);
}

stria_status stria_cpu_det(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return run(call->in[0], det_range, y[0], err);
}

/* ---------------------------------------------------------------- svdvals */

static double get_product(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* Turns a and b, of these squared lengths and this product, so that they are orthogonal. */
static void turn(double *a, double *b, int64_t n, double aa, double bb, double ab)
{
    const double zeta = (bb - aa) / (2 * ab);
    const double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double c = 1 / sqrt(1 + t * t), s = c * t;

    for (int64_t k = 0; k < n; k++) {
        const double x = a[k], y = b[k];
        a[k] = c * x - s * y;
        b[k] = s * x + c * y;
    }
}

/* Every pair once; whether one was turned. */
static bool sweep(double *vectors, int64_t count, int64_t n)
{
    bool is_changed = false;

    for (int64_t i = 0; i < count; i++)
        for (int64_t j = i + 1; j < count; j++) {
            double      *a = vectors + i * n, *b = vectors + j * n;
            const double aa = get_product(a, a, n), bb = get_product(b, b, n), ab = get_product(a, b, n);
            if (!(fabs(ab) > DBL_EPSILON * sqrt(aa) * sqrt(bb))) continue;
            turn(a, b, n, aa, bb, ab);
            is_changed = true;
        }
    return is_changed;
}

/* The largest magnitude as a power of two, so that squares neither overflow nor vanish; 0 if all are 0, NaN if one is not finite. */
static double get_scale(const double *a, int64_t n)
{
    double largest = 0;

    for (int64_t k = 0; k < n; k++) {
        if (!isfinite(a[k])) return NAN;
        largest = fmax(largest, fabs(a[k]));
    }
    return largest == 0 ? 0 : ldexp(1, ilogb(largest));
}

static void sort_down(double *values, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const double value = values[i];
        int64_t      k = i;
        for (; k > 0 && values[k - 1] < value; k--) values[k] = values[k - 1];
        values[k] = value;
    }
}

static void get_singular_values(double *vectors, int64_t count, int64_t n, double *values)
{
    const double scale = get_scale(vectors, count * n);

    for (int64_t k = 0; k < count; k++) values[k] = scale;
    if (!(scale > 0)) return;
    for (int64_t k = 0; k < count * n; k++) vectors[k] /= scale;
    for (int s = 0; s < MOST_SWEEPS && sweep(vectors, count, n); s++) continue;
    for (int64_t k = 0; k < count; k++) values[k] = sqrt(get_product(vectors + k * n, vectors + k * n, n)) * scale;
    sort_down(values, count);
}

static void svdvals_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const decompose_task *task = context;
    (void)chunk;
    for (int64_t k = begin; k < end; k++)
        get_singular_values(task->matrices + k * task->rows * task->columns, task->rows, task->columns,
                            task->results + k * task->rows);
}

stria_status stria_infer_svdvals(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    stria_output_meta *out = &meta->out[0];

    STRIA_TRY(infer_matrices(call, false, meta, err));
    const int64_t rows = out->shape[out->ndim], columns = out->shape[out->ndim + 1];
    out->shape[out->ndim++] = rows < columns ? rows : columns;
    return STRIA_OK;
}

stria_status stria_cpu_svdvals(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    stria_tensor *x = (stria_tensor *)(uintptr_t)call->in[0], *turned = NULL;
    (void)meta;

    if (x->shape[x->ndim - 2] <= x->shape[x->ndim - 1]) return run(x, svdvals_range, y[0], err);
    STRIA_TRY(stria_transpose(x, -2, -1, &turned, err));
    const stria_status status = run(turned, svdvals_range, y[0], err);
    stria_tensor_release(turned);
    return status;
}
