/* join.c - composites that join tensors. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/compose.h"
#include "tensor/shape.h"

static stria_status check_shapes(const stria_call *call, stria_error *err)
{
    const char *name = stria_call_get_name(call);
    char        argument[32], expected[96], got[96];

    if (call->n_list == 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, "tensors", "a tensor or more", "none",
                               "tensors is empty");
    const stria_tensor *first = call->list[0];
    for (int k = 1; k < call->n_list; k++) {
        const stria_tensor *x = call->list[k];
        if (stria_tensor_has_shape(x, first->ndim, first->shape)) continue;
        snprintf(argument, sizeof argument, "tensors[%d]", k);
        stria_shape_print(expected, sizeof expected, first->ndim, first->shape);
        stria_shape_print(got, sizeof got, x->ndim, x->shape);
        return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, expected, got,
                               "%s has shape %s, but must have the shape of the first, %s", argument, got, expected);
    }
    return STRIA_OK;
}

stria_status stria_compose_stack(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_stack_attrs *attrs = call->attrs;
    const int                n = call->n_list;
    stria_tensor           **views;
    stria_status             status = STRIA_OK;
    int                      n_views = 0;
    (void)temps;

    STRIA_TRY(check_shapes(call, err));
    views = stria_object_new((size_t)n * sizeof *views);
    if (!views)
        return stria_error_set(err, STRIA_ERR_MEMORY, "stack", "tensors", NULL, NULL, "no memory for %d views", n);
    for (; n_views < n && status == STRIA_OK; n_views++)
        status = stria_unsqueeze((stria_tensor *)(uintptr_t)call->list[n_views], attrs->dim, &views[n_views], err);
    /* the axis counts from the end of the result, as that of unsqueeze */
    if (status == STRIA_OK) status = stria_cat((const stria_tensor *const *)views, n, attrs->dim, &y[0], err);
    for (int k = 0; k < n_views; k++) stria_tensor_release(views[k]);
    stria_object_release(views);
    return status;
}

/* ---------------------------------------------------------------- hstack and the like */

typedef stria_status view_fn(stria_tensor *x, stria_tensor **y, stria_error *err);

/* cat of a view of each tensor; axis -1: 0 where the first has one dim, else 1. */
static stria_status join_views(const stria_call *call, view_fn *view, int axis, stria_tensor **y, stria_error *err)
{
    stria_tensor_list views;
    stria_status      status = stria_tensor_list_new(&views, call->n_list, stria_call_get_name(call), "tensors", err);

    for (int k = 0; k < views.n && status == STRIA_OK; k++)
        status = view((stria_tensor *)(uintptr_t)call->list[k], &views.at[k], err);
    if (status == STRIA_OK && axis < 0) axis = views.n > 0 && views.at[0]->ndim > 1;
    if (status == STRIA_OK) status = stria_cat((const stria_tensor *const *)views.at, views.n, axis, &y[0], err);
    stria_tensor_list_release(&views);
    return status;
}

static stria_status view_column(stria_tensor *x, stria_tensor **y, stria_error *err)
{
    const int64_t shape[] = {x->numel, 1};

    if (x->ndim > 1) return stria_atleast_1d(x, y, err);
    return stria_view(x, shape, 2, y, err);
}

stria_status stria_compose_hstack(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    (void)temps;
    return join_views(call, stria_atleast_1d, -1, y, err);
}

stria_status stria_compose_vstack(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    (void)temps;
    return join_views(call, stria_atleast_2d, 0, y, err);
}

stria_status stria_compose_row_stack(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    (void)temps;
    return join_views(call, stria_atleast_2d, 0, y, err);
}

stria_status stria_compose_dstack(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    (void)temps;
    return join_views(call, stria_atleast_3d, 2, y, err);
}

stria_status stria_compose_column_stack(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    (void)temps;
    return join_views(call, view_column, 1, y, err);
}
