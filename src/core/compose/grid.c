/* grid.c - composites that lay tensors over one shape. */
#include <stdio.h>

#include "base/error.h"
#include "call/compose.h"
#include "tensor/shape.h"

static stria_tensor *get_part(const stria_call *call, int k) { return (stria_tensor *)(uintptr_t)call->list[k]; }

stria_status stria_compose_broadcast_tensors(const stria_call *call, stria_tensor_list *ys, stria_temps *temps,
                                             stria_error *err)
{
    int64_t shape[STRIA_MAX_DIMS];
    int     ndim = 0;
    char    argument[32];
    (void)temps;

    for (int k = 0; k < call->n_list; k++) {
        const stria_tensor *x = call->list[k];
        snprintf(argument, sizeof argument, "tensors[%d]", k);
        const stria_status status = stria_shape_broadcast("broadcast_tensors", &ndim, shape, x->ndim, x->shape, err);
        if (status != STRIA_OK) return stria_error_set_argument(err, status, argument);
    }
    STRIA_TRY(stria_tensor_list_new(ys, call->n_list, "broadcast_tensors", "tensors", err));
    for (int k = 0; k < ys->n; k++) STRIA_TRY(stria_expand(get_part(call, k), shape, ndim, &ys->at[k], err));
    return STRIA_OK;
}

/* Tensors of at most one dim, as many as there may be axes. */
static stria_status check_lines(const stria_call *call, int least, stria_error *err)
{
    const char *name = stria_call_get_name(call);
    char        argument[32], got[32];

    snprintf(got, sizeof got, "%d", call->n_list);
    if (call->n_list < 1 || call->n_list > STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, "tensors", "1 .. 64 tensors", got,
                               "tensors must have 1 .. %d members, not %s", STRIA_MAX_DIMS, got);
    for (int k = 0; k < call->n_list; k++) {
        const int ndim = call->list[k]->ndim;
        if (ndim >= least && ndim <= 1) continue;
        const char *expected = least == 1 ? "1 dim" : "0 or 1 dims";
        snprintf(argument, sizeof argument, "tensors[%d]", k);
        snprintf(got, sizeof got, "%d dims", ndim);
        return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, expected, got, "%s has %s, but must have %s",
                               argument, got, expected);
    }
    return STRIA_OK;
}

stria_status stria_compose_meshgrid(const stria_call *call, stria_tensor_list *ys, stria_temps *temps, stria_error *err)
{
    const stria_meshgrid_attrs *attrs = call->attrs;
    const int                   n = call->n_list;
    int64_t                     shape[STRIA_MAX_DIMS], line[STRIA_MAX_DIMS];

    STRIA_TRY(check_lines(call, 0, err));
    const bool exchanges = attrs->indexing == 1 && n > 1;
    for (int k = 0; k < n; k++) {
        line[k] = 1;
        shape[exchanges && k < 2 ? 1 - k : k] = call->list[k]->numel;
    }
    STRIA_TRY(stria_tensor_list_new(ys, n, "meshgrid", "tensors", err));
    for (int k = 0; k < n; k++) {
        const int     axis = exchanges && k < 2 ? 1 - k : k;
        stria_tensor *view = NULL;
        line[axis] = call->list[k]->numel;
        STRIA_TRY(stria_view(get_part(call, k), line, n, &view, err));
        const stria_status status = stria_expand(view, shape, n, &ys->at[k], err);
        stria_tensor_release(view);
        STRIA_TRY(status);
        line[axis] = 1;
    }
    (void)temps;
    return STRIA_OK;
}

stria_status stria_compose_cartesian_prod(const stria_call *call, stria_tensor **y, stria_temps *temps,
                                          stria_error *err)
{
    stria_tensor_list grid = {NULL, 0};
    (void)temps;

    STRIA_TRY(check_lines(call, 1, err));
    if (call->n_list == 1) return stria_to(call->list[0], STRIA_DTYPE_NONE, &y[0], err);
    stria_status status = stria_meshgrid(call->list, call->n_list, "ij", &grid, err);
    for (int k = 0; k < grid.n && status == STRIA_OK; k++) {
        stria_tensor *flat = NULL;
        const int64_t numel = grid.at[k]->numel;
        status = stria_reshape(grid.at[k], &numel, 1, &flat, err);
        stria_tensor_release(grid.at[k]);
        grid.at[k] = flat;
    }
    if (status == STRIA_OK) status = stria_stack((const stria_tensor *const *)grid.at, grid.n, 1, &y[0], err);
    stria_tensor_list_release(&grid);
    return status;
}
