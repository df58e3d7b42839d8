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
