/* folds.c - an element-wise step and the reduction of its result as one (blocks.h): the reduction asks for its elements part by part, and the
 * expression makes them in the scratch of the thread. The order in which they are added up is that of the reduction alone. */
#include "base/alloc.h"
#include "base/error.h"
#include "compile/blocks.h"
#include "cpu/expression.h"
#include "call/meta.h"
#include "cpu/fold.h"

/* ---------------------------------------------------------------- plan */

/* Which of the results of step `first` the next one reduces, while nobody else looks at it; -1: none. */
static int find_made(const stria_graph_form *g, int first)
{
    const stria_graph_step *step = &g->steps.at[first], *reduction = step + 1;
    const stria_graph_view *x = &g->views.at[reduction->views[0]];
    const stria_buffer     *b = &g->buffers.at[x->buffer];
    int                     made = -1, n_looks = 0;

    if (b->kind != STRIA_BUFFER_MADE || b->is_result || b->is_constant || b->first != first || b->last != first + 1)
        return -1;
    for (int k = 0; k < step->n_in + step->n_out; k++) {
        const stria_graph_view *v = &g->views.at[step->views[k]];
        const bool              is_out = k >= step->n_in;
        if (is_out && g->buffers.at[v->buffer].kind != STRIA_BUFFER_MADE) return -1;
        for (int n = 0; n < step->n_in && is_out; n++)
            if (g->views.at[step->views[n]].buffer == v->buffer) return -1;
        if (v->buffer != x->buffer) continue;
        n_looks++;
        if (is_out && v->offset == x->offset && v->dtype == x->dtype &&
            stria_graph_view_count(v, 0) == stria_graph_view_count(x, 0) && stria_graph_view_is_row_major(v) &&
            stria_graph_view_is_row_major(x))
            made = k - step->n_in;
    }
    return n_looks == 1 ? made : -1;
}

/* Whether the reduction asks for its elements in row-major order, part by part, of handles over no memory. */
static bool is_by_parts(const stria_graph_step *step, const stria_tensor *x, const stria_tensor *y)
{
    const stria_reduce_attrs *attrs = step->attrs;
    stria_reduce_meta         meta;
    int                       n = 0;

    if (stria_meta_infer_reduce((stria_reduction)(step->row - STRIA_ROW_OF_REDUCTION(0)), x, attrs->axes.at,
                                attrs->axes.n, attrs->keepdim, attrs->dtype, y, &meta, NULL) != STRIA_OK)
        return false;
    while (n < x->ndim && (meta.reduced >> n & 1) != 0) n++;
    return meta.compute == x->dtype && (n == 64 || meta.reduced >> n == 0) &&
           (y->numel == 1 || y->numel >= STRIA_FOLD_MIN_COLUMNS);
}

static bool can_run(const stria_graph_form *g, const stria_graph_step *step, stria_storage *nowhere, stria_tensor **x,
                    stria_error *err, stria_status *status)
{
    const stria_graph_step *reduction = step + 1;
    stria_expression_bound *bound = NULL;
    const int               n = step->n_in + step->n_out;
    bool                    can;

    for (int k = 0; k < n + 2; k++) {
        x[k] = stria_graph_view_new_handle(&g->views.at[k < n ? step->views[k] : reduction->views[k - n]], STRIA_CPU,
                                           nowhere);
        if (x[k] == NULL) *status = stria_graph_refuse_memory(err);
        if (x[k] == NULL) return false;
    }
    if (!is_by_parts(reduction, x[n], x[n + 1])) return false;
    for (int k = 0; k < n; k++)
        if ((k >= step->n_in || x[k]->numel != 1) &&
            (!stria_tensor_is_contiguous(x[k]) ||
             !stria_tensor_has_shape(x[k], x[step->n_in]->ndim, x[step->n_in]->shape)))
            return false;
    *status = stria_expression_bind(stria_graph_step_get_expression(step), (const stria_tensor *const *)x,
                                    x + step->n_in, &bound, err);
    can = *status == STRIA_OK && bound != NULL && stria_expression_bound_has_ranges(bound);
    stria_expression_bound_release(bound);
    return can;
}

stria_status stria_graph_find_fold(stria_graph_form *g, int first, stria_graph_blocks *found, stria_error *err)
{
    stria_graph_step *step = &g->steps.at[first];
    stria_status      status = STRIA_OK;

    found->n_steps = 0;
    if (first + 1 >= g->steps.n || !stria_graph_step_is_element_wise(step) || step->is_constant ||
        step[1].row < STRIA_OP_COUNT || step[1].row >= STRIA_ROW_OF_FUNCTION(0) || !step[1].is_plain ||
        step[1].is_constant)
        return STRIA_OK;
    const int     made = find_made(g, first), n = step->n_in + step->n_out + 2;
    const int64_t count = stria_graph_view_count(&g->views.at[step[1].views[0]], 0);
    if (made < 0 || count <= STRIA_FOLD_CHUNK) return STRIA_OK;
    STRIA_TRY(stria_graph_step_to_expression(g, step, err));
    if (step->row != STRIA_ROW_EXPRESSION) return STRIA_OK;
    stria_storage *nowhere = stria_storage_new_external((char *)g, 0, NULL, NULL);
    stria_tensor **x = stria_object_new((size_t)n * sizeof *x);
    if (nowhere == NULL || x == NULL)
        status = stria_graph_refuse_memory(err);
    else if (can_run(g, step, nowhere, x, err, &status))
        *found = (stria_graph_blocks){.first = first,
                                      .n_steps = 2,
                                      .is_fold = true,
                                      .made = made,
                                      .extent = count,
                                      .n_ranges = (count + STRIA_FOLD_CHUNK - 1) / STRIA_FOLD_CHUNK,
                                      .n_blocks = (count + STRIA_FOLD_CHUNK - 1) / STRIA_FOLD_CHUNK,
                                      .end = first + 2 < g->steps.n ? "a reduction of everything ends it" : NULL};
    for (int k = 0; k < n && x != NULL; k++) stria_tensor_release(x[k]);
    stria_object_release(x);
    stria_storage_release(nowhere);
    return status;
}

/* ---------------------------------------------------------------- runs */

struct stria_graph_fold {
    stria_expression_bound *bound;
    int                     made;
    stria_tensor           *tensors[]; /* of the expression, then of the reduction; borrowed */
};

void stria_graph_fold_release(stria_graph_fold *f)
{
    if (f == NULL) return;
    stria_expression_bound_release(f->bound);
    stria_object_release(f);
}

static stria_status fold_new(const stria_graph_frame *frame, const stria_graph_blocks *b, const stria_graph_step *step,
                             stria_graph_fold **fold, stria_error *err)
{
    const int         n = step->n_in + step->n_out;
    stria_graph_fold *f = stria_object_new(sizeof *f + (size_t)(n + 2) * sizeof *f->tensors);

    if (f == NULL) return stria_graph_refuse_memory(err);
    f->made = b->made;
    for (int k = 0; k < n + 2; k++)
        f->tensors[k] = stria_graph_frame_get_handle(frame, k < n ? step->views[k] : step[1].views[k - n]);
    const stria_status status =
        stria_expression_bind(stria_graph_step_get_expression(step), (const stria_tensor *const *)f->tensors,
                              f->tensors + step->n_in, &f->bound, err);
    if (status == STRIA_OK)
        *fold = f;
    else
        stria_graph_fold_release(f);
    return status;
}

stria_status stria_graph_fold_run(const stria_graph_frame *frame, const stria_graph_blocks *b, stria_graph_fold **fold,
                                  stria_error *err)
{
    const stria_graph_step *step = &stria_graph_frame_get_form(frame)->steps.at[b->first];
    const int               n = step->n_in + step->n_out;

    if (*fold == NULL) STRIA_TRY(fold_new(frame, b, step, fold, err));
    stria_graph_fold         *f = *fold;
    const stria_tensor *const x = f->tensors[n];
    const stria_call          call = {step[1].row, 1, &x, NULL, 0, step[1].attrs, &f->tensors[n + 1], NULL};
    stria_expression_bound_set(f->bound, (const stria_tensor *const *)f->tensors, f->tensors + step->n_in);
    return stria_expression_bound_reduce(f->bound, f->made, &call, err);
}
