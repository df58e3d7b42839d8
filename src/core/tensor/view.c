/* view.c - views: other shapes, strides and offsets over the same storage. No element is copied, but by the last two
 * functions, which copy where no view is possible. */
#include "base/error.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

/* What a view is going to be. */
typedef struct plan {
    int     ndim;
    int64_t offset;
    int64_t shape[STRIA_MAX_DIMS], strides[STRIA_MAX_DIMS];
} plan;

/* ---------------------------------------------------------------- arguments */

/* Refuses NULL; sets *out to NULL. */
static stria_status check_tensors(const char *op, const stria_tensor *x, stria_tensor **out, stria_error *err)
{
    if (out) *out = NULL;
    if (!out || !x)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, op, out ? "x" : "out",
                               out ? "a tensor" : "a place for the result", "NULL", "%s is NULL", out ? "x" : "out");
    return STRIA_OK;
}

static stria_status check_list(const char *op, const char *argument, int n, const void *list, stria_error *err)
{
    if (n > 0 && !list)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, op, argument, "a list", "NULL", "%s is NULL", argument);
    return STRIA_OK;
}

/* Brings axis, in [-n, n), into [0, n). A tensor without dims has the axes 0 and -1 where `n` is given as 1. */
static stria_status wrap_axis(const char *op, const char *argument, int axis, int n, int *wrapped, stria_error *err)
{
    if (axis < -n || axis >= n) {
        char got[32], expected[32];
        stria_shape_print(got, sizeof got, 1, &(int64_t){axis});
        stria_shape_print(expected, sizeof expected, 2, (int64_t[]){-n, n - 1});
        return stria_error_set(err, STRIA_ERR_AXIS, op, argument, expected, got,
                               n ? "axis %d is not in %s" : "axis %d of a tensor without dims", axis, expected);
    }
    *wrapped = axis < 0 ? axis + n : axis;
    return STRIA_OK;
}

/* Bit k of *set: axis k is in axes [n_axes]. Refuses repeats. */
static stria_status wrap_axes(const char *op, const int *axes, int n_axes, int n, uint64_t *set, stria_error *err)
{
    *set = 0;
    STRIA_TRY(check_list(op, "axes", n_axes, axes, err));
    for (int k = 0; k < n_axes; k++) {
        int axis = 0;
        STRIA_TRY(wrap_axis(op, "axes", axes[k], n, &axis, err));
        if (*set >> axis & 1)
            return stria_error_set(err, STRIA_ERR_AXIS, op, "axes", "no repeats", NULL, "axis %d is given twice",
                                   axes[k]);
        *set |= (uint64_t)1 << axis;
    }
    return STRIA_OK;
}

static void copy_plan(const stria_tensor *x, plan *p)
{
    p->ndim = x->ndim;
    p->offset = 0;
    for (int d = 0; d < x->ndim; d++) {
        p->shape[d] = x->shape[d];
        p->strides[d] = x->strides[d];
    }
}

static stria_status view_plan(stria_tensor *x, const plan *p, stria_tensor **out, stria_error *err)
{
    return stria_tensor_view(x, p->ndim, p->shape, p->strides, p->offset, out, err);
}

/* a * b, or `otherwise` where that does not fit: for strides that no element is reached by. */
static int64_t multiply(int64_t a, int64_t b, int64_t otherwise)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? otherwise : product;
}

static void remove_axis(plan *p, int axis)
{
    p->ndim--;
    for (int d = axis; d < p->ndim; d++) {
        p->shape[d] = p->shape[d + 1];
        p->strides[d] = p->strides[d + 1];
    }
}

/* ---------------------------------------------------------------- parts */

static int64_t limit(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Python's slice.indices: the first index, and how many there are. size >= 0, step not 0. */
static int64_t get_slice(int64_t size, int64_t start, int64_t stop, int64_t step, int64_t *first)
{
    const int64_t low = step < 0 ? -1 : 0, high = step < 0 ? size - 1 : size;

    if (step < -INT64_MAX) step = -INT64_MAX;
    if (start == INT64_MIN)
        start = step < 0 ? high : low;
    else
        start = limit(start < 0 ? start + size : start, low, high);
    if (stop == INT64_MIN)
        stop = step < 0 ? low : high;
    else
        stop = limit(stop < 0 ? stop + size : stop, low, high);
    *first = start;
    if (step < 0) return start > stop ? (start - stop - 1) / -step + 1 : 0;
    return stop > start ? (stop - start - 1) / step + 1 : 0;
}

stria_status stria_tensor_view_slice(stria_tensor *x, int axis, int64_t start, int64_t stop, int64_t step,
                                     stria_tensor **out, stria_error *err)
{
    plan    p;
    int64_t first;

    STRIA_TRY(check_tensors("slice", x, out, err));
    STRIA_TRY(wrap_axis("slice", "axis", axis, x->ndim, &axis, err));
    if (step == 0) return stria_error_set(err, STRIA_ERR_ARGUMENT, "slice", "step", "not 0", "0", "step is 0");
    copy_plan(x, &p);
    p.shape[axis] = get_slice(x->shape[axis], start, stop, step, &first);
    if (p.shape[axis] > 0) p.offset = first * x->strides[axis];
    p.strides[axis] = multiply(x->strides[axis], step, x->strides[axis]);
    return view_plan(x, &p, out, err);
}

stria_status stria_tensor_view_select(stria_tensor *x, int axis, int64_t index, stria_tensor **out, stria_error *err)
{
    plan p;

    STRIA_TRY(check_tensors("select", x, out, err));
    STRIA_TRY(wrap_axis("select", "axis", axis, x->ndim, &axis, err));
    const int64_t size = x->shape[axis];
    if (index < -size || index >= size) {
        char got[32], expected[48];
        stria_shape_print(got, sizeof got, 1, &index);
        stria_shape_print(expected, sizeof expected, 2, (int64_t[]){-size, size - 1});
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "select", "index", expected, got,
                               "index %lld is outside axis %d of size %lld", (long long)index, axis, (long long)size);
    }
    copy_plan(x, &p);
    if (x->numel > 0) p.offset = (index < 0 ? index + size : index) * x->strides[axis];
    remove_axis(&p, axis);
    return view_plan(x, &p, out, err);
}

stria_status stria_tensor_view_diagonal(stria_tensor *x, int64_t offset, int axis0, int axis1, stria_tensor **out,
                                        stria_error *err)
{
    plan p;

    STRIA_TRY(check_tensors("diagonal", x, out, err));
    STRIA_TRY(wrap_axis("diagonal", "axis0", axis0, x->ndim, &axis0, err));
    STRIA_TRY(wrap_axis("diagonal", "axis1", axis1, x->ndim, &axis1, err));
    if (axis0 == axis1)
        return stria_error_set(err, STRIA_ERR_AXIS, "diagonal", "axis1", "two axes", NULL, "both axes are axis %d",
                               axis0);
    const int64_t rows = x->shape[axis0] + (offset < 0 ? offset : 0);
    const int64_t columns = x->shape[axis1] - (offset > 0 ? offset : 0);
    const int64_t size = rows < columns ? rows : columns;
    copy_plan(x, &p);
    if (size > 0 && x->numel > 0) p.offset = offset < 0 ? -offset * x->strides[axis0] : offset * x->strides[axis1];
    remove_axis(&p, axis0 > axis1 ? axis0 : axis1);
    remove_axis(&p, axis0 > axis1 ? axis1 : axis0);
    p.shape[p.ndim] = size > 0 ? size : 0;
    if (__builtin_add_overflow(x->strides[axis0], x->strides[axis1], &p.strides[p.ndim]))
        p.strides[p.ndim] = 1; /* fewer than two elements */
    p.ndim++;
    return view_plan(x, &p, out, err);
}

/* ---------------------------------------------------------------- order */

stria_status stria_tensor_view_transpose(stria_tensor *x, int axis0, int axis1, stria_tensor **out, stria_error *err)
{
    plan p;

    STRIA_TRY(check_tensors("transpose", x, out, err));
    const int n = x->ndim ? x->ndim : 1;
    STRIA_TRY(wrap_axis("transpose", "axis0", axis0, n, &axis0, err));
    STRIA_TRY(wrap_axis("transpose", "axis1", axis1, n, &axis1, err));
    copy_plan(x, &p);
    if (x->ndim) {
        p.shape[axis0] = x->shape[axis1];
        p.strides[axis0] = x->strides[axis1];
        p.shape[axis1] = x->shape[axis0];
        p.strides[axis1] = x->strides[axis0];
    }
    return view_plan(x, &p, out, err);
}

stria_status stria_tensor_view_permute(stria_tensor *x, const int *axes, int n_axes, stria_tensor **out,
                                       stria_error *err)
{
    plan     p;
    uint64_t set;

    STRIA_TRY(check_tensors("permute", x, out, err));
    if (n_axes != x->ndim)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "permute", "axes", NULL, NULL,
                               "%d axes given for a tensor of %d dims", n_axes, x->ndim);
    STRIA_TRY(wrap_axes("permute", axes, n_axes, x->ndim, &set, err));
    copy_plan(x, &p);
    for (int k = 0; k < n_axes; k++) {
        const int axis = axes[k] < 0 ? axes[k] + x->ndim : axes[k];
        p.shape[k] = x->shape[axis];
        p.strides[k] = x->strides[axis];
    }
    return view_plan(x, &p, out, err);
}

stria_status stria_tensor_view_flip(stria_tensor *x, const int *axes, int n_axes, stria_tensor **out, stria_error *err)
{
    plan     p;
    uint64_t set;

    STRIA_TRY(check_tensors("flip", x, out, err));
    if (n_axes < 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "flip", "axes", "a list of axes", NULL, "no axes are given");
    STRIA_TRY(wrap_axes("flip", axes, n_axes, x->ndim ? x->ndim : 1, &set, err));
    copy_plan(x, &p);
    for (int d = 0; d < x->ndim; d++) {
        if (!(set >> d & 1) || x->shape[d] < 2) continue;
        if (x->numel > 0) p.offset += (x->shape[d] - 1) * x->strides[d];
        p.strides[d] = -x->strides[d];
    }
    return view_plan(x, &p, out, err);
}

/* ---------------------------------------------------------------- shape */

static stria_status refuse_shape(const char *op, const stria_tensor *x, int ndim, const int64_t *shape,
                                 const char *format, stria_error *err)
{
    char from[96], to[96];

    stria_shape_print(from, sizeof from, x->ndim, x->shape);
    stria_shape_print(to, sizeof to, ndim, shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, op, "shape", from, to, "shape %s %s of shape %s", to, format, from);
}

static stria_status check_shape(const char *op, int ndim, const int64_t *shape, stria_error *err)
{
    if (ndim < 0 || ndim > STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, op, "ndim", NULL, NULL, "a tensor has 0 to %d dims, not %d",
                               STRIA_MAX_DIMS, ndim);
    return check_list(op, "shape", ndim, shape, err);
}

/* Puts the wanted shape into p, with the -1 replaced; its elements must be those of x. */
static stria_status infer_shape(const char *op, const stria_tensor *x, int ndim, const int64_t *shape, plan *p,
                                stria_error *err)
{
    int     unknown = -1;
    int64_t numel;

    STRIA_TRY(check_shape(op, ndim, shape, err));
    p->ndim = ndim;
    p->offset = 0;
    for (int d = 0; d < ndim; d++) {
        p->shape[d] = shape[d];
        if (shape[d] != -1) continue;
        if (unknown >= 0) return refuse_shape(op, x, ndim, shape, "leaves two sizes open for the elements", err);
        unknown = d;
        p->shape[d] = 1;
    }
    STRIA_TRY(stria_shape_get_numel(op, "shape", x->dtype, ndim, p->shape, &numel, NULL, err));
    if (unknown >= 0) {
        if (numel == 0 || x->numel % numel != 0)
            return refuse_shape(op, x, ndim, shape, "cannot be completed for the elements", err);
        p->shape[unknown] = x->numel / numel;
    } else if (numel != x->numel) {
        return refuse_shape(op, x, ndim, shape, "has another count than the elements", err);
    }
    return STRIA_OK;
}

static bool has_shape(const stria_tensor *x, const plan *p)
{
    if (x->ndim != p->ndim) return false;
    for (int d = 0; d < p->ndim; d++)
        if (x->shape[d] != p->shape[d]) return false;
    return true;
}

/* Strides that show the elements of x in row-major order under p->shape, which has as many. False if there are none.
 *
 * From the right, dims of x whose strides chain (stride[d-1] = stride[d] * size[d], sizes of 1 aside) form a run of
 * evenly spaced elements. The new dims are cut out of the runs, and must end exactly where each run ends. */
static bool infer_strides(const stria_tensor *x, plan *p)
{
    int64_t run = 1, base = x->ndim ? x->strides[x->ndim - 1] : 1;
    int new = p->ndim - 1;

    if (x->numel == 0) {
        if (has_shape(x, p))
            copy_plan(x, p);
        else
            stria_shape_get_strides(p->ndim, p->shape, p->strides);
        return true;
    }
    for (int d = x->ndim - 1; d >= 0; d--) {
        int64_t cut = 1;
        run *= x->shape[d];
        if (d > 0 && (x->shape[d - 1] == 1 || x->strides[d - 1] == multiply(run, base, INT64_MIN)))
            continue; /* the run goes on */
        for (; new >= 0 && (cut < run || p->shape[new] == 1); new --) {
            p->strides[new] = multiply(cut, base, base);
            cut *= p->shape[new];
        }
        if (cut != run) return false;
        run = 1;
        if (d > 0) base = x->strides[d - 1];
    }
    for (; new >= 0; new --) p->strides[new] = 1; /* x has no dims */
    return true;
}

stria_status stria_tensor_view_shape(stria_tensor *x, int ndim, const int64_t *shape, stria_tensor **out,
                                     stria_error *err)
{
    plan p;

    STRIA_TRY(check_tensors("view", x, out, err));
    STRIA_TRY(infer_shape("view", x, ndim, shape, &p, err));
    if (!infer_strides(x, &p))
        return refuse_shape("view", x, ndim, shape, "is impossible without a copy for the strides", err);
    return view_plan(x, &p, out, err);
}

stria_status stria_tensor_view_expand(stria_tensor *x, int ndim, const int64_t *shape, stria_tensor **out,
                                      stria_error *err)
{
    plan    p;
    int64_t numel;

    STRIA_TRY(check_tensors("expand", x, out, err));
    STRIA_TRY(check_shape("expand", ndim, shape, err));
    if (ndim < x->ndim) return refuse_shape("expand", x, ndim, shape, "has fewer dims than the tensor", err);
    p.ndim = ndim;
    p.offset = 0;
    for (int d = 0; d < ndim; d++) {
        const int     from = d - (ndim - x->ndim); /* axis of x, if not below 0 */
        const int64_t size = from >= 0 ? x->shape[from] : 1;
        if (from >= 0 && (shape[d] == size || shape[d] == -1)) {
            p.shape[d] = size;
            p.strides[d] = x->strides[from];
        } else if (size == 1 && shape[d] >= 0) {
            p.shape[d] = shape[d];
            p.strides[d] = 0;
        } else {
            return refuse_shape("expand", x, ndim, shape, "does not fit the tensor", err);
        }
    }
    STRIA_TRY(stria_shape_get_numel("expand", "shape", x->dtype, ndim, p.shape, &numel, NULL, err));
    return view_plan(x, &p, out, err);
}

stria_status stria_tensor_view_squeeze(stria_tensor *x, const int *axes, int n_axes, stria_tensor **out,
                                       stria_error *err)
{
    plan     p;
    uint64_t set = ~(uint64_t)0;

    STRIA_TRY(check_tensors("squeeze", x, out, err));
    if (n_axes >= 0) STRIA_TRY(wrap_axes("squeeze", axes, n_axes, x->ndim ? x->ndim : 1, &set, err));
    p.ndim = 0;
    p.offset = 0;
    for (int d = 0; d < x->ndim; d++) {
        if (x->shape[d] == 1 && (set >> d & 1)) continue;
        p.shape[p.ndim] = x->shape[d];
        p.strides[p.ndim++] = x->strides[d];
    }
    return view_plan(x, &p, out, err);
}

stria_status stria_tensor_view_unsqueeze(stria_tensor *x, int axis, stria_tensor **out, stria_error *err)
{
    plan p;

    STRIA_TRY(check_tensors("unsqueeze", x, out, err));
    STRIA_TRY(wrap_axis("unsqueeze", "axis", axis, x->ndim + 1, &axis, err));
    if (x->ndim == STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, "unsqueeze", "x", NULL, NULL, "the tensor already has %d dims",
                               STRIA_MAX_DIMS);
    copy_plan(x, &p);
    for (int d = p.ndim++; d > axis; d--) {
        p.shape[d] = p.shape[d - 1];
        p.strides[d] = p.strides[d - 1];
    }
    p.shape[axis] = 1;
    p.strides[axis] = axis < x->ndim ? multiply(x->shape[axis], x->strides[axis], 1) : 1;
    return view_plan(x, &p, out, err);
}

/* ---------------------------------------------------------------- with a copy where needed */

/* A row-major copy of x. */
static stria_status copy_row_major(const char *op, const stria_tensor *x, stria_tensor **out, stria_error *err)
{
    stria_tensor *y = NULL;
    stria_status  status;

    if (x->device == STRIA_DEVICE_META) return stria_tensor_new_meta(x->dtype, x->ndim, x->shape, out, err);
    status = stria_tensor_new(x->dtype, x->ndim, x->shape, &y, err);
    if (status == STRIA_OK) status = stria_tensor_set(y, x, err);
    if (status == STRIA_OK)
        *out = y;
    else
        stria_tensor_release(y);
    return stria_error_set_op(err, status, op);
}

stria_status stria_tensor_contiguous(stria_tensor *x, stria_tensor **out, stria_error *err)
{
    STRIA_TRY(check_tensors("contiguous", x, out, err));
    if (!stria_tensor_get_contiguous(x)) return copy_row_major("contiguous", x, out, err);
    *out = stria_tensor_retain(x);
    return STRIA_OK;
}

stria_status stria_tensor_reshape(stria_tensor *x, int ndim, const int64_t *shape, stria_tensor **out, stria_error *err)
{
    plan          p;
    stria_tensor *y = NULL;
    stria_status  status;

    STRIA_TRY(check_tensors("reshape", x, out, err));
    STRIA_TRY(infer_shape("reshape", x, ndim, shape, &p, err));
    if (infer_strides(x, &p)) return view_plan(x, &p, out, err);
    STRIA_TRY(copy_row_major("reshape", x, &y, err));
    stria_shape_get_strides(p.ndim, p.shape, p.strides);
    status = view_plan(y, &p, out, err);
    stria_tensor_release(y);
    return status;
}
