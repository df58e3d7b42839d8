/* views_written.c - derivatives of what happens between a tensor and its views when one of them is written to (record.c). */
#include "autograd/node.h"
#include "base/error.h"

/* z [extent] is the memory of both; a view of it that knows z, so that what is written to the view belongs to z's history. */
static stria_status look(stria_tensor *z, int ndim, const int64_t *shape, const int64_t *strides, int64_t offset,
                         stria_tensor **view, stria_error *err)
{
    STRIA_TRY(stria_tensor_view(z, ndim, shape, strides, offset, view, err));
    (*view)->base = stria_tensor_retain(z);
    return STRIA_OK;
}

static stria_status look_at_base(stria_tensor *z, const stria_geometry *g, stria_tensor **view, stria_error *err)
{
    return look(z, g->base_ndim, g->base_shape, g->base_strides, g->base_offset, view, err);
}

static stria_status look_at_view(stria_tensor *z, const stria_geometry *g, stria_tensor **view, stria_error *err)
{
    return look(z, g->ndim, g->shape, g->strides, g->offset, view, err);
}

static stria_status new_memory(const stria_geometry *g, const stria_tensor *like, stria_tensor **z, stria_error *err)
{
    return stria_zeros(&g->extent, 1, like->dtype, like->device, z, err);
}

/* ---------------------------------------------------------------- base --(view)--> x */

/* Whether positions of the view may be at one address: its strides, from small to large, do not step over what lies below. */
static bool may_overlap(int ndim, const int64_t *shape, const int64_t *strides)
{
    int64_t reach = 0;
    bool    used[STRIA_MAX_DIMS] = {false};

    for (int n = 0; n < ndim; n++) {
        int     least = -1;
        int64_t stride = 0;
        for (int d = 0; d < ndim; d++) {
            const int64_t s = strides[d] < 0 ? -strides[d] : strides[d];
            if (used[d] || (least >= 0 && s >= stride)) continue;
            least = d;
            stride = s;
        }
        used[least] = true;
        if (shape[least] < 2) continue;
        if (stride <= reach) return true;
        reach += (shape[least] - 1) * stride;
    }
    return false;
}

/* Elements, in row-major order, added up where places has their numbers. */
static stria_term add_at(stria_term z, stria_term places, int64_t n, stria_term elements)
{
    return r_put(z, r_reshape(places, &n, 1), r_reshape(elements, &n, 1), true);
}

static stria_term as_base(stria_term z, const stria_geometry *g)
{
    return r_as_strided(z, g->base_shape, g->base_ndim, g->base_strides, g->base_ndim, g->base_offset);
}

/* The elements of gradient added up where the view has them in z. Elements of a base at one address share what is there. */
static stria_status add_up(stria_tensor *z, const stria_geometry *g, stria_term gradient, stria_rule_run *run)
{
    const stria_scalar from = {.kind = STRIA_SCALAR_INT}, one = {.kind = STRIA_SCALAR_INT, .i = 1};
    const stria_scalar to = {.kind = STRIA_SCALAR_INT, .i = g->extent};
    const stria_term   memory = stria_rule_borrow(run, z);
    stria_error       *err = stria_rule_get_error(run);
    stria_tensor      *numbers = NULL, *places = NULL, *base_places = NULL;

    STRIA_TRY(stria_arange(from, to, one, STRIA_I64, z->device, &numbers, err));
    stria_rule_own(run, numbers);
    STRIA_TRY(look_at_view(numbers, g, &places, err));
    stria_term index = stria_rule_own(run, places);
    stria_term sums = as_base(add_at(memory, index, stria_term_get_tensor(gradient)->numel, gradient), g);
    if (may_overlap(g->base_ndim, g->base_shape, g->base_strides)) {
        STRIA_TRY(look_at_base(numbers, g, &base_places, err));
        const int64_t n = base_places->numel;
        index = stria_rule_own(run, base_places);
        stria_term zeros = r_zeros_like(memory, STRIA_DTYPE_NONE),
                   ones = r_ones_like(index, stria_term_get_tensor(gradient)->dtype);
        sums = r_div(sums, as_base(add_at(zeros, index, n, ones), g));
    }
    stria_rule_set(run, 0, sums);
    return STRIA_OK;
}

static stria_status view_of(stria_rule_run *run, const stria_geometry *g)
{
    stria_term    gradient = stria_rule_get_gradient(run, 0);
    stria_error  *err = stria_rule_get_error(run);
    stria_tensor *z = NULL, *view = NULL, *base = NULL;

    if (stria_term_get_tensor(gradient) == NULL) return STRIA_OK;
    STRIA_TRY(new_memory(g, stria_term_get_tensor(gradient), &z, err));
    stria_rule_own(run, z);
    if (may_overlap(g->ndim, g->shape, g->strides) || may_overlap(g->base_ndim, g->base_shape, g->base_strides))
        return add_up(z, g, gradient, run);
    STRIA_TRY(look_at_view(z, g, &view, err));
    stria_rule_own(run, view);
    STRIA_TRY(stria_tensor_set(view, stria_term_get_tensor(gradient), err));
    STRIA_TRY(look_at_base(z, g, &base, err));
    stria_rule_set(run, 0, stria_rule_own(run, base));
    return STRIA_OK;
}

static void run_view_of(stria_rule_run *run, const void *attrs) { stria_rule_fail(run, view_of(run, attrs)); }

const stria_rule stria_rule_view_of = {.kind = STRIA_RULE_FUNCTION, .fn = run_view_of};

/* ---------------------------------------------------------------- base, r --(write view)--> base */

/* The gradient, lying as the base does: *view is the part of the view in it, *base all of it. */
static stria_status lay_out(stria_rule_run *run, const stria_geometry *g, const stria_tensor *gradient,
                            stria_tensor **view, stria_tensor **base)
{
    stria_error  *err = stria_rule_get_error(run);
    stria_tensor *z = NULL;

    STRIA_TRY(new_memory(g, gradient, &z, err));
    stria_rule_own(run, z);
    STRIA_TRY(look_at_base(z, g, base, err));
    stria_rule_own(run, *base);
    STRIA_TRY(stria_tensor_set(*base, gradient, err));
    STRIA_TRY(look_at_view(z, g, view, err));
    stria_rule_own(run, *view);
    return STRIA_OK;
}

static stria_status write_view(stria_rule_run *run, const stria_geometry *g)
{
    stria_term    gradient = stria_rule_get_gradient(run, 0);
    stria_error  *err = stria_rule_get_error(run);
    stria_tensor *view = NULL, *base = NULL, *zero = NULL;

    if (stria_term_get_tensor(gradient) == NULL) return STRIA_OK;
    if (stria_rule_wants(run, 1)) {
        STRIA_TRY(lay_out(run, g, stria_term_get_tensor(gradient), &view, &base));
        stria_rule_set(run, 1, stria_rule_borrow(run, view));
    }
    if (stria_rule_wants(run, 0)) {
        const stria_scalar nothing = {.kind = STRIA_SCALAR_FLOAT};
        STRIA_TRY(lay_out(run, g, stria_term_get_tensor(gradient), &view, &base));
        STRIA_TRY(stria_tensor_new_scalar(nothing, &zero, err));
        stria_rule_own(run, zero);
        STRIA_TRY(stria_tensor_set(view, zero, err));
        stria_rule_set(run, 0, stria_rule_borrow(run, base));
    }
    return STRIA_OK;
}

static void run_write_view(stria_rule_run *run, const void *attrs) { stria_rule_fail(run, write_view(run, attrs)); }

const stria_rule stria_rule_write_view = {.kind = STRIA_RULE_FUNCTION, .fn = run_write_view};
