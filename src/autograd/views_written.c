/* views_written.c - derivatives of what happens between a tensor and its views when one of them is written to (record.c). */
#include "autograd/node.h"
#include "base/error.h"

/* z [extent] is the memory of both sides; a view of it that knows z, so that what is written to the view belongs to z's history. */
static stria_term look(stria_rule_run *run, stria_tensor *z, const stria_geometry_side *side)
{
    stria_tensor *view = NULL;

    if (stria_rule_failed(run)) return NOTHING;
    stria_rule_fail(run, stria_tensor_view(z, side->ndim, side->shape, side->strides, side->offset, &view,
                                           stria_rule_get_error(run)));
    if (view != NULL) view->base = stria_tensor_retain(z);
    return stria_rule_own(run, view);
}

static void set(stria_rule_run *run, stria_term view, stria_term value)
{
    if (stria_rule_failed(run)) return;
    stria_rule_fail(run, stria_tensor_set((stria_tensor *)(uintptr_t)stria_term_get_tensor(view),
                                          stria_term_get_tensor(value), stria_rule_get_error(run)));
}

/* For elements like these; NULL after an error. */
static stria_tensor *new_memory(stria_rule_run *run, const stria_geometry *g, stria_term elements)
{
    const stria_tensor *like = stria_term_get_tensor(elements);
    stria_tensor       *z = NULL;

    if (stria_rule_failed(run) || like == NULL) return NULL;
    stria_rule_fail(run, stria_zeros(&g->extent, 1, like->dtype, like->device, &z, stria_rule_get_error(run)));
    stria_rule_own(run, z);
    return stria_rule_failed(run) ? NULL : z;
}

/* Between the tensor of a side and the elements of the geometry. */
static stria_term to_elements(const stria_geometry_side *side, stria_term x)
{
    return side->is_complex ? r_view_as_real(x) : x;
}

static stria_term to_tensor(const stria_geometry_side *side, stria_term elements)
{
    return side->is_complex ? r_view_as_complex(elements) : elements;
}

/* ---------------------------------------------------------------- base --(view)--> x */

/* Whether positions of a side may be at one address: its strides, from small to large, do not step over what lies below. */
static bool may_overlap(const stria_geometry_side *side)
{
    int64_t reach = 0;
    bool    used[STRIA_MAX_DIMS] = {false};

    for (int n = 0; n < side->ndim; n++) {
        int     least = -1;
        int64_t stride = 0;
        for (int d = 0; d < side->ndim; d++) {
            const int64_t s = side->strides[d] < 0 ? -side->strides[d] : side->strides[d];
            if (used[d] || (least >= 0 && s >= stride)) continue;
            least = d;
            stride = s;
        }
        used[least] = true;
        if (side->shape[least] < 2) continue;
        if (stride <= reach) return true;
        reach += (side->shape[least] - 1) * stride;
    }
    return false;
}

/* Elements, in row-major order, added up where places has their numbers. */
static stria_term add_at(stria_term z, stria_term places, int64_t n, stria_term elements)
{
    return r_put(z, r_reshape(places, &n, 1), r_reshape(elements, &n, 1), true);
}

static stria_term as_side(stria_term z, const stria_geometry_side *side)
{
    return r_as_strided(z, side->shape, side->ndim, side->strides, side->ndim, side->offset);
}

/* The elements added up where the view has them in z. Elements of a base at one address share what is there. */
static stria_term add_up(stria_rule_run *run, stria_tensor *z, const stria_geometry *g, stria_term elements)
{
    const stria_scalar from = {.kind = STRIA_SCALAR_INT}, one = {.kind = STRIA_SCALAR_INT, .i = 1};
    const stria_scalar to = {.kind = STRIA_SCALAR_INT, .i = g->extent};
    const stria_term   memory = stria_rule_borrow(run, z);
    stria_tensor      *numbers = NULL;

    stria_rule_fail(run, stria_arange(from, to, one, STRIA_I64, z->device, &numbers, stria_rule_get_error(run)));
    stria_rule_own(run, numbers);
    const stria_term places = look(run, numbers, &g->view);
    if (stria_rule_failed(run)) return places;
    stria_term sums = as_side(add_at(memory, places, stria_term_get_tensor(elements)->numel, elements), &g->base);
    if (!may_overlap(&g->base)) return sums;
    const stria_term base_places = look(run, numbers, &g->base);
    if (stria_rule_failed(run)) return base_places;
    const stria_term zeros = r_zeros_like(memory, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE),
                     ones = r_ones_like(base_places, z->dtype, STRIA_DEVICE_NONE);
    return r_div(sums, as_side(add_at(zeros, base_places, stria_term_get_tensor(base_places)->numel, ones), &g->base));
}

static void run_view_of(stria_rule_run *run, const void *attrs)
{
    const stria_geometry *g = attrs;
    const stria_term      elements = to_elements(&g->view, stria_rule_get_gradient(run, 0));
    stria_tensor         *z = new_memory(run, g, elements);

    if (z == NULL) return;
    if (may_overlap(&g->view) || may_overlap(&g->base)) {
        stria_rule_set(run, 0, to_tensor(&g->base, add_up(run, z, g, elements)));
        return;
    }
    set(run, look(run, z, &g->view), elements);
    stria_rule_set(run, 0, to_tensor(&g->base, look(run, z, &g->base)));
}

const stria_rule stria_rule_view_of = {.kind = STRIA_RULE_FUNCTION, .fn = run_view_of};

/* ---------------------------------------------------------------- base, r --(write view)--> base */

/* The elements of a gradient of the base, lying as the base does: *view is the part of the view in it, *base all of it. */
static bool lay_out(stria_rule_run *run, const stria_geometry *g, stria_term elements, stria_term *view,
                    stria_term *base)
{
    stria_tensor *z = new_memory(run, g, elements);

    if (z == NULL) return false;
    *base = look(run, z, &g->base);
    set(run, *base, elements);
    *view = look(run, z, &g->view);
    return !stria_rule_failed(run);
}

static stria_term new_zero(stria_rule_run *run)
{
    const stria_scalar nothing = {.kind = STRIA_SCALAR_FLOAT};
    stria_tensor      *zero = NULL;

    stria_rule_fail(run, stria_tensor_new_scalar(nothing, &zero, stria_rule_get_error(run)));
    return stria_rule_own(run, zero);
}

static void run_write_view(stria_rule_run *run, const void *attrs)
{
    const stria_geometry *g = attrs;
    const stria_term      elements = to_elements(&g->base, stria_rule_get_gradient(run, 0));
    stria_term            view, base;

    if (stria_rule_wants(run, 1) && lay_out(run, g, elements, &view, &base))
        stria_rule_set(run, 1, to_tensor(&g->view, view));
    if (stria_rule_wants(run, 0) && lay_out(run, g, elements, &view, &base)) {
        set(run, view, new_zero(run));
        stria_rule_set(run, 0, to_tensor(&g->base, base));
    }
}

const stria_rule stria_rule_write_view = {.kind = STRIA_RULE_FUNCTION, .fn = run_write_view};
