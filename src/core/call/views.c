/* views.c - the rows that look at a tensor otherwise: other shapes, strides and offsets over the same storage. No element is
 * copied, but by the last two, which copy where no view is possible. */
#include "base/error.h"
#include "call/call.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

typedef stria_output_meta plan; /* what a view is going to be */

/* ---------------------------------------------------------------- arguments */

static __attribute__((noinline)) stria_status refuse_axis(const char *op, const char *argument, int axis, int n,
                                                          stria_error *err)
{
    char got[32], expected[32];

    stria_shape_print(got, sizeof got, 1, &(int64_t){axis});
    stria_shape_print(expected, sizeof expected, 2, (int64_t[]){-n, n - 1});
    return stria_error_set(err, STRIA_ERR_AXIS, op, argument, expected, got,
                           n ? "axis %d is not in %s" : "axis %d of a tensor without dims", axis, expected);
}

/* Brings axis, in [-n, n), into [0, n). A tensor without dims has the axes 0 and -1 where `n` is given as 1. */
static inline stria_status wrap_axis(const char *op, const char *argument, int axis, int n, int *wrapped,
                                     stria_error *err)
{
    *wrapped = axis < 0 ? axis + n : axis;
    return axis >= -n && axis < n ? STRIA_OK : refuse_axis(op, argument, axis, n, err);
}

/* Bit k of *set: axis k is in axes [n_axes]. Refuses repeats. */
static stria_status wrap_axes(const char *op, const char *argument, stria_axes axes, int n, uint64_t *set,
                              stria_error *err)
{
    *set = 0;
    for (int k = 0; k < axes.n; k++) {
        int axis = 0;
        STRIA_TRY(wrap_axis(op, argument, axes.at[k], n, &axis, err));
        if (*set >> axis & 1)
            return stria_error_set(err, STRIA_ERR_AXIS, op, argument, "no repeats", NULL, "axis %d is given twice",
                                   axes.at[k]);
        *set |= (uint64_t)1 << axis;
    }
    return STRIA_OK;
}

/* A view of other dims and offset 0; the rest is to be filled in. */
static void start_plan(const stria_tensor *x, int ndim, plan *p)
{
    p->dtype = x->dtype;
    p->order = STRIA_ORDER_VIEW;
    p->ndim = ndim;
    p->offset = 0;
}

static void copy_plan(const stria_tensor *x, plan *p)
{
    start_plan(x, x->ndim, p);
    for (int d = 0; d < x->ndim; d++) {
        p->shape[d] = x->shape[d];
        p->strides[d] = x->strides[d];
    }
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

stria_status stria_infer_slice(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_slice_attrs *attrs = call->attrs;
    const stria_tensor      *x = call->in[0];
    plan                    *p = &meta->out[0];
    const int64_t            step = attrs->step;
    int64_t                  first;
    int                      axis;

    STRIA_TRY(wrap_axis("slice", "dim", attrs->dim, x->ndim, &axis, err));
    if (step == 0) return stria_error_set(err, STRIA_ERR_ARGUMENT, "slice", "step", "not 0", "0", "step is 0");
    copy_plan(x, p);
    p->shape[axis] = get_slice(x->shape[axis], attrs->start, attrs->stop, step, &first);
    if (p->shape[axis] > 0 && x->numel > 0) p->offset = first * x->strides[axis];
    p->strides[axis] = multiply(x->strides[axis], step, x->strides[axis]);
    return STRIA_OK;
}

stria_status stria_infer_select(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_select_attrs *attrs = call->attrs;
    const stria_tensor       *x = call->in[0];
    plan                     *p = &meta->out[0];
    const int64_t             index = attrs->index;
    int                       axis;

    STRIA_TRY(wrap_axis("select", "dim", attrs->dim, x->ndim, &axis, err));
    const int64_t size = x->shape[axis];
    if (index < -size || index >= size) {
        char got[32], expected[48];
        stria_shape_print(got, sizeof got, 1, &index);
        stria_shape_print(expected, sizeof expected, 2, (int64_t[]){-size, size - 1});
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "select", "index", expected, got,
                               "index %lld is outside axis %d of size %lld", (long long)index, axis, (long long)size);
    }
    copy_plan(x, p);
    if (x->numel > 0) p->offset = (index < 0 ? index + size : index) * x->strides[axis];
    remove_axis(p, axis);
    return STRIA_OK;
}

stria_status stria_infer_detach(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    (void)err;
    copy_plan(call->in[0], &meta->out[0]);
    return STRIA_OK;
}

stria_status stria_infer_diagonal(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_diagonal_attrs *attrs = call->attrs;
    const stria_tensor         *x = call->in[0];
    plan                       *p = &meta->out[0];
    const int64_t               offset = attrs->offset;
    int                         axis0, axis1;

    STRIA_TRY(wrap_axis("diagonal", "dim1", attrs->dim1, x->ndim, &axis0, err));
    STRIA_TRY(wrap_axis("diagonal", "dim2", attrs->dim2, x->ndim, &axis1, err));
    if (axis0 == axis1)
        return stria_error_set(err, STRIA_ERR_AXIS, "diagonal", "dim2", "two axes", NULL, "both axes are axis %d",
                               axis0);
    const int64_t rows = x->shape[axis0] + (offset < 0 ? offset : 0);
    const int64_t columns = x->shape[axis1] - (offset > 0 ? offset : 0);
    const int64_t size = rows < columns ? rows : columns;
    copy_plan(x, p);
    if (size > 0 && x->numel > 0) p->offset = offset < 0 ? -offset * x->strides[axis0] : offset * x->strides[axis1];
    remove_axis(p, axis0 > axis1 ? axis0 : axis1);
    remove_axis(p, axis0 > axis1 ? axis1 : axis0);
    p->shape[p->ndim] = size > 0 ? size : 0;
    if (__builtin_add_overflow(x->strides[axis0], x->strides[axis1], &p->strides[p->ndim]))
        p->strides[p->ndim] = 1; /* fewer than two elements */
    p->ndim++;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- order */

stria_status stria_infer_transpose(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_transpose_attrs *attrs = call->attrs;
    const stria_tensor          *x = call->in[0];
    plan                        *p = &meta->out[0];
    const int                    n = x->ndim ? x->ndim : 1;
    int                          axis0, axis1;

    STRIA_TRY(wrap_axis("transpose", "dim0", attrs->dim0, n, &axis0, err));
    STRIA_TRY(wrap_axis("transpose", "dim1", attrs->dim1, n, &axis1, err));
    copy_plan(x, p);
    if (x->ndim) {
        p->shape[axis0] = x->shape[axis1];
        p->strides[axis0] = x->strides[axis1];
        p->shape[axis1] = x->shape[axis0];
        p->strides[axis1] = x->strides[axis0];
    }
    return STRIA_OK;
}

stria_status stria_infer_permute(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_permute_attrs *attrs = call->attrs;
    const stria_tensor        *x = call->in[0];
    plan                      *p = &meta->out[0];
    const stria_axes           dims = attrs->dims;
    uint64_t                   set;

    if (dims.n != x->ndim)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "permute", "dims", NULL, NULL,
                               "%d axes given for a tensor of %d dims", dims.n, x->ndim);
    STRIA_TRY(wrap_axes("permute", "dims", dims, x->ndim, &set, err));
    copy_plan(x, p);
    for (int k = 0; k < dims.n; k++) {
        const int axis = dims.at[k] < 0 ? dims.at[k] + x->ndim : dims.at[k];
        p->shape[k] = x->shape[axis];
        p->strides[k] = x->strides[axis];
    }
    return STRIA_OK;
}

stria_status stria_infer_flip(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_flip_attrs *attrs = call->attrs;
    const stria_tensor     *x = call->in[0];
    plan                   *p = &meta->out[0];
    uint64_t                set;

    STRIA_TRY(wrap_axes("flip", "dims", attrs->dims, x->ndim ? x->ndim : 1, &set, err));
    copy_plan(x, p);
    for (int d = 0; d < x->ndim; d++) {
        if (!(set >> d & 1) || x->shape[d] < 2) continue;
        if (x->numel > 0) p->offset += (x->shape[d] - 1) * x->strides[d];
        p->strides[d] = -x->strides[d];
    }
    return STRIA_OK;
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

/* Puts the wanted shape into p, with the -1 replaced; its elements must be those of x. */
static stria_status infer_shape(const char *op, const stria_tensor *x, stria_sizes sizes, plan *p, stria_error *err)
{
    const int64_t *shape = sizes.at;
    const int      ndim = sizes.n;
    int            unknown = -1;
    int64_t        numel;

    start_plan(x, ndim, p);
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

/* Strides that show the elements of x in row-major order under p->shape, which has as many. False if there are none.
 *
 * From the right, dims of x whose strides chain (stride[d-1] = stride[d] * size[d], sizes of 1 aside) form a run of
 * evenly spaced elements. The new dims are cut out of the runs, and must end exactly where each run ends. */
static bool infer_strides(const stria_tensor *x, plan *p)
{
    int64_t run = 1, base = x->ndim ? x->strides[x->ndim - 1] : 1;
    int new = p->ndim - 1;

    if (x->numel == 0) {
        if (stria_tensor_has_shape(x, p->ndim, p->shape))
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

stria_status stria_infer_view(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_view_attrs *attrs = call->attrs;
    const stria_tensor     *x = call->in[0];
    plan                   *p = &meta->out[0];
    STRIA_TRY(infer_shape("view", x, attrs->shape, p, err));
    if (!infer_strides(x, p))
        return refuse_shape("view", x, attrs->shape.n, attrs->shape.at, "is impossible without a copy for the strides",
                            err);
    return STRIA_OK;
}

stria_status stria_infer_expand(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_expand_attrs *attrs = call->attrs;
    const stria_tensor       *x = call->in[0];
    plan                     *p = &meta->out[0];
    const int64_t            *shape = attrs->shape.at;
    const int                 ndim = attrs->shape.n;
    int64_t                   numel;

    if (ndim < x->ndim) return refuse_shape("expand", x, ndim, shape, "has fewer dims than the tensor", err);
    start_plan(x, ndim, p);
    for (int d = 0; d < ndim; d++) {
        const int     from = d - (ndim - x->ndim); /* axis of x, if not below 0 */
        const int64_t size = from >= 0 ? x->shape[from] : 1;
        if (from >= 0 && (shape[d] == size || shape[d] == -1)) {
            p->shape[d] = size;
            p->strides[d] = x->strides[from];
        } else if (size == 1 && shape[d] >= 0) {
            p->shape[d] = shape[d];
            p->strides[d] = 0;
        } else {
            return refuse_shape("expand", x, ndim, shape, "does not fit the tensor", err);
        }
    }
    STRIA_TRY(stria_shape_get_numel("expand", "shape", x->dtype, ndim, p->shape, &numel, NULL, err));
    return STRIA_OK;
}

stria_status stria_infer_squeeze(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_squeeze_attrs *attrs = call->attrs;
    const stria_tensor        *x = call->in[0];
    plan                      *p = &meta->out[0];
    uint64_t                   set = ~(uint64_t)0;

    if (attrs->dim.at != NULL) STRIA_TRY(wrap_axes("squeeze", "dim", attrs->dim, x->ndim ? x->ndim : 1, &set, err));
    start_plan(x, 0, p);
    for (int d = 0; d < x->ndim; d++) {
        if (x->shape[d] == 1 && (set >> d & 1)) continue;
        p->shape[p->ndim] = x->shape[d];
        p->strides[p->ndim++] = x->strides[d];
    }
    return STRIA_OK;
}

stria_status stria_infer_unsqueeze(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_unsqueeze_attrs *attrs = call->attrs;
    const stria_tensor          *x = call->in[0];
    plan                        *p = &meta->out[0];
    int                          axis;

    STRIA_TRY(wrap_axis("unsqueeze", "dim", attrs->dim, x->ndim + 1, &axis, err));
    if (x->ndim == STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, "unsqueeze", "x", NULL, NULL, "the tensor already has %d dims",
                               STRIA_MAX_DIMS);
    copy_plan(x, p);
    for (int d = p->ndim++; d > axis; d--) {
        p->shape[d] = p->shape[d - 1];
        p->strides[d] = p->strides[d - 1];
    }
    p->shape[axis] = 1;
    p->strides[axis] = axis < x->ndim ? multiply(x->shape[axis], x->strides[axis], 1) : 1;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- other dtypes */

static stria_status refuse_view(const stria_tensor *x, stria_dtype dtype, const char *expected, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_SHAPE, "view_dtype", "x", expected, NULL,
                           "x of %s is no view as %s: it must have %s", stria_dtype_get_name(x->dtype),
                           stria_dtype_get_name(dtype), expected);
}

/* Elements of `ratio` times the size: neighbours become one. */
static stria_status join_elements(const stria_tensor *x, int64_t ratio, plan *p, stria_error *err)
{
    const int     last = x->ndim - 1;
    const int64_t size = stria_tensor_get_item_size(x);
    bool          fits = x->data == NULL || (x->data - x->storage->data) % (size * ratio) == 0;

    if (x->shape[last] % ratio != 0) return refuse_view(x, p->dtype, "a last axis whose bytes are whole elements", err);
    for (int d = 0; d < last; d++) {
        fits = fits && (x->shape[d] <= 1 || x->strides[d] % ratio == 0);
        p->strides[d] = x->strides[d] / ratio;
    }
    p->shape[last] = x->shape[last] / ratio;
    return fits || x->numel == 0 ? STRIA_OK : refuse_view(x, p->dtype, "steps and a beginning of whole elements", err);
}

static stria_status part_elements(const stria_tensor *x, int64_t ratio, plan *p, stria_error *err)
{
    const int last = x->ndim - 1;
    int64_t   numel;

    for (int d = 0; d < last; d++) p->strides[d] = multiply(x->strides[d], ratio, 1);
    p->shape[last] = multiply(x->shape[last], ratio, INT64_MAX);
    return stria_shape_get_numel("view_dtype", "x", p->dtype, p->ndim, p->shape, &numel, NULL, err);
}

stria_status stria_infer_view_dtype(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_dtype   asked = ((const stria_view_dtype_attrs *)call->attrs)->dtype;
    const stria_tensor *x = call->in[0];
    const stria_dtype   dtype = asked == STRIA_DTYPE_NONE ? x->dtype : asked;
    plan               *p = &meta->out[0];

    if (!stria_is_dtype(dtype) || (dtype == STRIA_BOOL && x->dtype != STRIA_BOOL))
        return stria_infer_refuse_dtype(call, "dtype", dtype, "any but bool, whose bytes are 0 and 1", err);
    const int64_t from = stria_dtype_get_size(x->dtype), to = stria_dtype_get_size(dtype);
    copy_plan(x, p);
    p->dtype = dtype;
    if (from == to) return STRIA_OK;
    if (x->ndim == 0) return refuse_view(x, dtype, "a last axis, where elements differ in size", err);
    if (x->strides[x->ndim - 1] != 1 && x->shape[x->ndim - 1] > 1)
        return refuse_view(x, dtype, "elements side by side along the last axis", err);
    p->strides[x->ndim - 1] = 1;
    return from < to ? join_elements(x, to / from, p, err) : part_elements(x, from / to, p, err);
}

/* ---------------------------------------------------------------- with a copy where needed */

stria_status stria_infer_contiguous(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0];

    (void)err;
    stria_infer_same_shape(x, x->dtype, &meta->out[0]);
    if (stria_tensor_is_contiguous(x)) meta->out[0].order = STRIA_ORDER_SAME;
    return STRIA_OK;
}

stria_status stria_infer_reshape(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_reshape_attrs *attrs = call->attrs;
    const stria_tensor        *x = call->in[0];
    plan                      *p = &meta->out[0];

    STRIA_TRY(infer_shape("reshape", x, attrs->shape, p, err));
    if (!infer_strides(x, p)) p->order = STRIA_ORDER_ROW_MAJOR;
    return STRIA_OK;
}
