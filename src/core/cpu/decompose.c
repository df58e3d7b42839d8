/* decompose.c - det, inverse, svdvals and svd: matrices along the last two axes, copied in f64 and decomposed there, one batch after
 * another.
 *
 *   det      LU with partial pivoting; the product of the diagonal is kept as a mantissa and an exponent.
 *   inverse  Gauss-Jordan with partial pivoting.
 *   svdvals  One-sided Jacobi: pairs of vectors, the rows or the columns, of which there are no more than they have elements, are
 *            turned until all are orthogonal; their lengths are the singular values. Demmel and Veselic, Jacobi's Method is More
 *            Accurate than QR, SIAM J. Matrix Anal. Appl. 13 (1992).
 *   svd      The same with the vectors, and the identity turned along with them. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "call/call.h"
#include "cpu/decompose.h"
#include "tensor/shape.h"

typedef struct decompose_task {
    double     *matrices; /* [n][rows][columns] */
    double     *results;  /* [n][n_results] */
    int64_t     rows, columns;
    atomic_bool is_singular; /* one of them, of inverse */
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

stria_status stria_inverse_refuse(const stria_tensor *x, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "inverse", "x", "matrices of full rank", NULL,
                           x->ndim > 2 ? "a matrix of x is singular and has no inverse"
                                       : "x is singular and has no inverse");
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
        status = atomic_load(&task.is_singular) ? stria_inverse_refuse(x, err) : stria_backend_copy(y, results, err);
    }
    stria_tensor_release(results);
    stria_tensor_release(copy);
    return status;
}

/* ---------------------------------------------------------------- det */

/* The row with the largest element of column k on or below the diagonal, or with NaN. */
static int64_t find_pivot(const double *a, int64_t n, int64_t k)
{
    int64_t best = k;

    for (int64_t i = k + 1; i < n && !isnan(a[best * n + k]); i++)
        if (!(fabs(a[i * n + k]) <= fabs(a[best * n + k]))) best = i;
    return best;
}

/* Exchanges elements `from` .. n - 1 of two rows. */
static void exchange_rows(double *a, int64_t n, int64_t from, int64_t i, int64_t k)
{
    for (int64_t j = from; j < n; j++) {
        const double t = a[k * n + j];
        a[k * n + j] = a[i * n + j];
        a[i * n + j] = t;
    }
}

static double get_det(double *a, int64_t n)
{
    double  mantissa = 1;
    int64_t exponent = 0;
    int     own = 0, more = 0;

    for (int64_t k = 0; k < n; k++) {
        const int64_t row = find_pivot(a, n, k);
        if (row != k) mantissa = -mantissa;
        exchange_rows(a, n, k, row, k);
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

/* ---------------------------------------------------------------- inverse */

/* a -= factor * b */
static void subtract_row(double *a, const double *b, int64_t n, double factor)
{
    for (int64_t j = 0; j < n; j++) a[j] -= factor * b[j];
}

/* False: a is singular. a is overwritten. Its pivots are those of get_det, bit for bit, so that det x inverse has its digits near singular matrices. */
static bool invert(double *a, double *y, int64_t n)
{
    memset(y, 0, (size_t)(n * n) * sizeof *y);
    for (int64_t k = 0; k < n; k++) y[k * n + k] = 1;
    for (int64_t k = 0; k < n; k++) {
        const int64_t row = find_pivot(a, n, k);
        exchange_rows(a, n, k, row, k);
        exchange_rows(y, n, 0, row, k);
        const double head = a[k * n + k];
        if (head == 0) return false;
        for (int64_t i = 0; i < n; i++) {
            const double factor = a[i * n + k] / head;
            if (i == k || factor == 0) continue;
            subtract_row(a + i * n + k, a + k * n + k, n - k, factor);
            subtract_row(y + i * n, y + k * n, n, factor);
        }
    }
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < n; j++) y[k * n + j] /= a[k * n + k];
    return true;
}

static void inverse_range(void *context, int chunk, int64_t begin, int64_t end)
{
    decompose_task *task = context;
    const int64_t   size = task->rows * task->rows;
    (void)chunk;
    for (int64_t k = begin; k < end; k++)
        if (!invert(task->matrices + k * size, task->results + k * size, task->rows))
            atomic_store_explicit(&task->is_singular, true, memory_order_relaxed);
}

stria_status stria_infer_inverse(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    STRIA_TRY(infer_matrices(call, true, meta, err));
    meta->out[0].ndim += 2;
    return STRIA_OK;
}

stria_status stria_cpu_inverse(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return run(call->in[0], inverse_range, y[0], err);
}

/* ---------------------------------------------------------------- svdvals */

static double get_product(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* Turns a and b, of these squared lengths and this product, so that they are orthogonal; n: elements of both, and what is turned along. */
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

/* Every pair once; whether one was turned. Vectors have n elements, and more, `step` in all, that are turned along with them. */
static bool sweep(double *vectors, int64_t count, int64_t n, int64_t step)
{
    bool is_changed = false;

    for (int64_t i = 0; i < count; i++)
        for (int64_t j = i + 1; j < count; j++) {
            double      *a = vectors + i * step, *b = vectors + j * step;
            const double aa = get_product(a, a, n), bb = get_product(b, b, n), ab = get_product(a, b, n);
            if (!(fabs(ab) > DBL_EPSILON * sqrt(aa) * sqrt(bb))) continue;
            turn(a, b, step, aa, bb, ab);
            is_changed = true;
        }
    return is_changed;
}

/* The largest magnitude as a power of two, so that squares neither overflow nor vanish; 0 if all are 0, NaN if one is not finite. */
static double get_scale(const double *vectors, int64_t count, int64_t n, int64_t step)
{
    double largest = 0;

    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < n; k++) {
            if (!isfinite(vectors[i * step + k])) return NAN;
            largest = fmax(largest, fabs(vectors[i * step + k]));
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

/* Makes vectors orthogonal; their lengths, in no order. Scaled by a power of two, which is returned: 0 or NaN if nothing was done. */
static double orthogonalize(double *vectors, int64_t count, int64_t n, int64_t step, double *lengths)
{
    const double scale = get_scale(vectors, count, n, step);

    for (int64_t k = 0; k < count; k++) lengths[k] = scale;
    if (!(scale > 0)) return scale;
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < n; k++) vectors[i * step + k] /= scale;
    for (int s = 0; s < STRIA_SVD_SWEEPS && sweep(vectors, count, n, step); s++) continue;
    for (int64_t k = 0; k < count; k++)
        lengths[k] = sqrt(get_product(vectors + k * step, vectors + k * step, n)) * scale;
    return scale;
}

static void svdvals_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const decompose_task *task = context;
    (void)chunk;
    for (int64_t k = begin; k < end; k++) {
        double *values = task->results + k * task->rows;
        orthogonalize(task->matrices + k * task->rows * task->columns, task->rows, task->columns, task->columns,
                      values);
        sort_down(values, task->rows);
    }
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

/* ---------------------------------------------------------------- svd
 *
 * Of a matrix with no more rows than columns: rows turned are orthogonal, R x = diag(s) V^T, so that x = R^T diag(s) V^T. R is what
 * the identity became, behind each row. */

/* A unit vector orthogonal to the first n_done of [size], which are: what is left of one of e_0, e_1 .. that is not among them. *first: the one to
 * begin with; of those before it little was left when there were fewer vectors. */
static void complete(double *vectors, int64_t size, int64_t n_done, int64_t *first)
{
    double *v = vectors + n_done * size, best = 0;

    if (*first >= size) *first = 0;
    for (; best < 0.5 / (double)size && *first < size; (*first)++) {
        memset(v, 0, (size_t)size * sizeof *v);
        v[*first] = 1;
        for (int twice = 0; twice < 2; twice++)
            for (int64_t k = 0; k < n_done; k++)
                subtract_row(v, vectors + k * size, size, get_product(v, vectors + k * size, size));
        best = get_product(v, v, size);
    }
    for (int64_t k = 0; k < size; k++) v[k] /= sqrt(best);
}

typedef struct svd_task {
    double *rows, *values, *left, *right;
    int64_t n, columns, n_right;
} svd_task;

/* Vectors by their lengths, the longest first. */
static void sort_vectors(double *rows, int64_t n, int64_t step, double *lengths)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++)
            if (lengths[i] > lengths[best]) best = i;
        exchange_rows(lengths, 1, 0, best, k);
        exchange_rows(rows, step, 0, best, k);
    }
}

/* Whether the last of n unit vectors is not orthogonal to the others: sweeps do not end where a length is rounding errors of longer ones. */
static bool is_askew(const double *vectors, int64_t size, int64_t n)
{
    double worst = 0;

    for (int64_t k = 0; k < n - 1; k++)
        worst = fmax(worst, fabs(get_product(vectors + k * size, vectors + (n - 1) * size, size)));
    return worst > 4 * DBL_EPSILON * (double)size;
}

/* t->rows: [n][columns + n], the matrix and the identity. Vectors become the rows of left [n][n] and right [n_right][columns]. */
static void decompose(const svd_task *t, double *rows, double *values, double *left, double *right)
{
    const int64_t n = t->n, columns = t->columns, step = columns + n;
    const double  scale = orthogonalize(rows, n, columns, step, values);
    int64_t       first = 0;

    if (scale > 0) sort_vectors(rows, n, step, values);
    for (int64_t k = 0; k < n; k++) {
        const double *row = rows + k * step;
        for (int64_t j = 0; j < n; j++) left[k * n + j] = isnan(scale) ? scale : row[columns + j];
        for (int64_t j = 0; j < columns; j++) right[k * columns + j] = row[j] * (scale / values[k]);
        if (values[k] == 0 || (values[k] < 1e-12 * values[0] && is_askew(right, columns, k + 1)))
            complete(right, columns, k, &first);
    }
    for (int64_t k = n; k < t->n_right; k++) complete(right, columns, k, &first);
}

static void svd_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const svd_task *t = context;
    const int64_t   n = t->n, step = t->columns + n;

    (void)chunk;
    for (int64_t k = begin; k < end; k++) {
        double *rows = t->rows + k * n * step;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) rows[i * step + t->columns + j] = i == j;
        decompose(t, rows, t->values + k * n, t->left + k * n * n, t->right + k * t->n_right * t->columns);
    }
}

stria_status stria_infer_svd(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_svd_attrs *attrs = call->attrs;
    stria_output_meta     *u = &meta->out[0], *s = &meta->out[1], *v = &meta->out[2];

    STRIA_TRY(infer_matrices(call, false, meta, err));
    const int64_t rows = u->shape[u->ndim], columns = u->shape[u->ndim + 1], n = rows < columns ? rows : columns;
    const bool    is_square = !attrs->some || !attrs->compute_uv;
    *s = *v = *u;
    s->shape[s->ndim++] = n;
    u->shape[u->ndim++] = rows, u->shape[u->ndim++] = is_square ? rows : n;
    v->shape[v->ndim++] = columns, v->shape[v->ndim++] = is_square ? columns : n;
    return STRIA_OK;
}

/* A new f64 tensor of the batch of x and two more sizes. */
static stria_status new_batch(const stria_tensor *x, int64_t rows, int64_t columns, stria_tensor **y, stria_error *err)
{
    int64_t shape[STRIA_MAX_DIMS];

    for (int d = 0; d < x->ndim - 2; d++) shape[d] = x->shape[d];
    shape[x->ndim - 2] = rows;
    shape[x->ndim - 1] = columns;
    return stria_tensor_new(STRIA_F64, x->ndim, shape, y, err);
}

/* Rows as columns, in the dtype of the result. */
static stria_status copy_turned(stria_tensor *y, stria_tensor *rows, stria_error *err)
{
    stria_tensor *turned = NULL;

    STRIA_TRY(stria_transpose(rows, -2, -1, &turned, err));
    const stria_status status = stria_backend_copy(y, turned, err);
    stria_tensor_release(turned);
    return status;
}

/* Of x with no more rows than columns; parts: work, left, right and values, to be released in any case. */
static stria_status run_svd(stria_tensor *x, stria_tensor **parts, stria_tensor *u, stria_tensor *s, stria_tensor *v,
                            stria_error *err)
{
    const int64_t n = x->shape[x->ndim - 2], columns = x->shape[x->ndim - 1], n_batch = x->numel / (n * columns);
    const int64_t grain = STRIA_GRAIN / (n * n * columns), n_right = v->shape[v->ndim - 1];
    stria_tensor *matrix = NULL;

    STRIA_TRY(new_batch(x, n, columns + n, &parts[0], err));
    STRIA_TRY(new_batch(x, n, n, &parts[1], err));
    STRIA_TRY(new_batch(x, n_right, columns, &parts[2], err));
    STRIA_TRY(stria_tensor_new_shaped(STRIA_F64, s, &parts[3], err));
    STRIA_TRY(stria_slice(parts[0], -1, 0, columns, 1, &matrix, err));
    stria_status status = stria_backend_copy(matrix, x, err);
    stria_tensor_release(matrix);
    STRIA_TRY(status);
    double *at[4];
    for (int k = 0; k < 4; k++) at[k] = (double *)(void *)parts[k]->data;
    svd_task task = {at[0], at[3], at[1], at[2], n, columns, n_right};
    stria_parallel_for(stria_team_get(), 0, n_batch, grain > 1 ? grain : 1, svd_range, &task);
    STRIA_TRY(copy_turned(u, parts[1], err));
    STRIA_TRY(copy_turned(v, parts[2], err));
    return stria_backend_copy(s, parts[3], err);
}

stria_status stria_svd_fill(stria_tensor *y, int64_t number, stria_error *err)
{
    stria_tensor *diagonal = NULL;

    STRIA_TRY(stria_backend_fill(y, (stria_scalar){.kind = STRIA_SCALAR_INT}, err));
    STRIA_TRY(stria_diagonal(y, 0, -2, -1, &diagonal, err));
    const stria_status status =
        stria_backend_fill(diagonal, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = number}, err);
    stria_tensor_release(diagonal);
    return status;
}

/* One without elements has no values; vectors of any size are those of the identity. */
stria_status stria_cpu_svd(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const bool    has_vectors = ((const stria_svd_attrs *)call->attrs)->compute_uv;
    stria_tensor *x = (stria_tensor *)(uintptr_t)call->in[0], *turned = NULL, *parts[4] = {NULL};
    const bool    is_wide = x->shape[x->ndim - 2] <= x->shape[x->ndim - 1];

    if (x->numel == 0 || !has_vectors) {
        STRIA_TRY(stria_svd_fill(y[0], has_vectors, err));
        STRIA_TRY(stria_svd_fill(y[2], has_vectors, err));
        return x->numel == 0 ? STRIA_OK : stria_cpu_svdvals(call, meta, &y[1], err);
    }
    if (!is_wide) STRIA_TRY(stria_transpose(x, -2, -1, &turned, err));
    const stria_status status =
        is_wide ? run_svd(x, parts, y[0], y[1], y[2], err) : run_svd(turned, parts, y[2], y[1], y[0], err);
    for (int k = 0; k < 4; k++) stria_tensor_release(parts[k]);
    stria_tensor_release(turned);
    return status;
}
