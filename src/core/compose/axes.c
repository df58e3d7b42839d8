/* axes.c - composites that put axes elsewhere: views. */
#include <stdio.h>

#include "base/error.h"
#include "call/compose.h"

static stria_tensor *get_base(const stria_call *call) { return (stria_tensor *)(uintptr_t)call->in[0]; }

static stria_status exchange(const stria_call *call, const char *first, int a, const char *second, int b,
                             stria_tensor **y, stria_error *err)
{
    STRIA_TRY(stria_infer_wrap_axis(call, first, call->in[0]->ndim, a, &a, err));
    STRIA_TRY(stria_infer_wrap_axis(call, second, call->in[0]->ndim, b, &b, err));
    return stria_transpose(get_base(call), a, b, &y[0], err);
}

stria_status stria_compose_swapaxes(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_swapaxes_attrs *attrs = call->attrs;
    (void)temps;

    return exchange(call, "axis0", attrs->axis0, "axis1", attrs->axis1, y, err);
}

stria_status stria_compose_swapdims(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_swapdims_attrs *attrs = call->attrs;
    (void)temps;

    return exchange(call, "dim0", attrs->dim0, "dim1", attrs->dim1, y, err);
}

stria_status stria_compose_t(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    char                got[32];
    (void)temps;

    snprintf(got, sizeof got, "%d dims", x->ndim);
    if (x->ndim > 2)
        return stria_error_set(err, STRIA_ERR_SHAPE, "t", "x", "2 dims or fewer", got,
                               "x has %s, but must have 2 or fewer", got);
    return stria_transpose(get_base(call), 0, x->ndim - 1 > 0 ? 1 : 0, &y[0], err);
}

static stria_status move(const stria_call *call, stria_axes source, stria_axes destination, stria_tensor **y,
                         stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const char         *name = stria_call_get_name(call);
    const int           range = x->ndim > 0 ? x->ndim : 1;
    uint64_t            from, to;
    int                 order[STRIA_MAX_DIMS];
    char                expected[32], got[32];

    STRIA_TRY(stria_infer_listed_axes(name, "source", x, source.at, source.n, &from, err));
    STRIA_TRY(stria_infer_listed_axes(name, "destination", x, destination.at, destination.n, &to, err));
    if (source.n != destination.n) {
        snprintf(expected, sizeof expected, "%d axes", source.n);
        snprintf(got, sizeof got, "%d axes", destination.n);
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, "destination", expected, got,
                               "destination has %s, but source has %d", got, source.n);
    }
    for (int d = 0, next = 0; d < x->ndim; d++) {
        if (to >> d & 1) continue;
        while (from >> next & 1) next++;
        order[d] = next++;
    }
    for (int k = 0; k < source.n; k++)
        order[destination.at[k] < 0 ? destination.at[k] + range : destination.at[k]] = source.at[k];
    return stria_permute(get_base(call), order, x->ndim, &y[0], err);
}

stria_status stria_compose_movedim(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_movedim_attrs *attrs = call->attrs;
    (void)temps;

    return move(call, attrs->source, attrs->destination, y, err);
}

stria_status stria_compose_moveaxis(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_moveaxis_attrs *attrs = call->attrs;
    (void)temps;

    return move(call, attrs->source, attrs->destination, y, err);
}
