/* split.c - composites that cut a tensor into a list of views. */
#include <stdio.h>

#include "base/error.h"
#include "call/compose.h"

static stria_tensor *get_base(const stria_call *call) { return (stria_tensor *)(uintptr_t)call->in[0]; }

static stria_status check_dims(const stria_call *call, int least, stria_error *err)
{
    char expected[32], got[32];

    if (call->in[0]->ndim >= least) return STRIA_OK;
    snprintf(expected, sizeof expected, "%d dims or more", least);
    snprintf(got, sizeof got, "%d dims", call->in[0]->ndim);
    return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), "x", expected, got,
                           "x has %s, but must have %s", got, expected);
}

/* Refuses a number of parts, or a size, for the axis. */
static stria_status refuse_number(const stria_call *call, const char *argument, int64_t number, const char *expected,
                                  stria_error *err)
{
    char got[32];

    snprintf(got, sizeof got, "%lld", (long long)number);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), argument, expected, got,
                           "%s must be %s, not %s", argument, expected, got);
}

/* ---------------------------------------------------------------- by size */

/* n parts of `size` each, cut off at the end of the axis. */
static stria_status cut_even(const stria_call *call, const char *argument, int axis, int64_t size, int64_t n,
                             stria_tensor_list *ys, stria_error *err)
{
    STRIA_TRY(stria_tensor_list_new(ys, n, stria_call_get_name(call), argument, err));
    for (int k = 0; k < ys->n; k++) {
        const int64_t start = k * size, stop = size > INT64_MAX - start ? INT64_MAX : start + size;
        STRIA_TRY(stria_slice(get_base(call), axis, start, stop, 1, &ys->at[k], err));
    }
    return STRIA_OK;
}

/* How many parts of `size`; one, if the axis is empty. */
static int64_t count_parts(int64_t length, int64_t size) { return length == 0 ? 1 : (length - 1) / size + 1; }

static stria_status cut_sizes(const stria_call *call, int axis, const stria_int_or_list *sizes, stria_tensor_list *ys,
                              stria_error *err)
{
    const int64_t length = call->in[0]->shape[axis];
    int64_t       start = 0;
    char          argument[32], expected[48], got[32];

    for (int k = 0; k < sizes->n; k++) {
        snprintf(argument, sizeof argument, "split_size[%d]", k);
        if (sizes->at[k] < 0) return refuse_number(call, argument, sizes->at[k], "0 or more", err);
        if (__builtin_add_overflow(start, sizes->at[k], &start)) start = INT64_MAX;
    }
    if (start != length) {
        snprintf(expected, sizeof expected, "sizes that add up to %lld", (long long)length);
        snprintf(got, sizeof got, "%lld", (long long)start);
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "split", "split_size", expected, got,
                               "split_size adds up to %s, but axis %d has size %lld", got, axis, (long long)length);
    }
    STRIA_TRY(stria_tensor_list_new(ys, sizes->n, "split", "split_size", err));
    start = 0;
    for (int k = 0; k < sizes->n; k++) {
        STRIA_TRY(stria_slice(get_base(call), axis, start, start + sizes->at[k], 1, &ys->at[k], err));
        start += sizes->at[k];
    }
    return STRIA_OK;
}

stria_status stria_compose_split(const stria_call *call, stria_tensor_list *ys, stria_temps *temps, stria_error *err)
{
    const stria_split_attrs *attrs = call->attrs;
    const int64_t            size = attrs->split_size.one;
    int                      axis;
    (void)temps;

    STRIA_TRY(check_dims(call, 1, err));
    STRIA_TRY(stria_infer_wrap_axis(call, "dim", call->in[0]->ndim, attrs->dim, &axis, err));
    if (attrs->split_size.at != NULL) return cut_sizes(call, axis, &attrs->split_size, ys, err);
    if (size < 0 || (size == 0 && call->in[0]->shape[axis] > 0))
        return refuse_number(call, "split_size", size, "1 or more", err);
    return cut_even(call, "split_size", axis, size, count_parts(call->in[0]->shape[axis], size), ys, err);
}

stria_status stria_compose_chunk(const stria_call *call, stria_tensor_list *ys, stria_temps *temps, stria_error *err)
{
    const stria_chunk_attrs *attrs = call->attrs;
    const int64_t            n = attrs->chunks;
    int                      axis;
    (void)temps;

    STRIA_TRY(check_dims(call, 1, err));
    STRIA_TRY(stria_infer_wrap_axis(call, "dim", call->in[0]->ndim, attrs->dim, &axis, err));
    if (n < 1) return refuse_number(call, "chunks", n, "1 or more", err);
    const int64_t length = call->in[0]->shape[axis], size = length / n + (length % n != 0);
    /* an empty axis has as many empty parts as are asked for */
    return cut_even(call, "chunks", axis, size, size == 0 ? n : count_parts(length, size), ys, err);
}

/* ---------------------------------------------------------------- by number or place */

static const char wanted[] = "indices_or_sections";

static stria_status cut_sections(const stria_call *call, int axis, int64_t n, stria_tensor_list *ys, stria_error *err)
{
    const int64_t length = call->in[0]->shape[axis], least = length / n, larger = length % n;
    int64_t       start = 0;

    STRIA_TRY(stria_tensor_list_new(ys, n, stria_call_get_name(call), wanted, err));
    for (int k = 0; k < ys->n; k++) {
        const int64_t stop = start + least + (k < larger);
        STRIA_TRY(stria_slice(get_base(call), axis, start, stop, 1, &ys->at[k], err));
        start = stop;
    }
    return STRIA_OK;
}

/* Parts x[0:i], x[i:j], .. by Python's rules for what is negative or too large. */
static stria_status cut_at(const stria_call *call, int axis, const stria_int_or_list *places, stria_tensor_list *ys,
                           stria_error *err)
{
    int64_t start = 0;

    STRIA_TRY(stria_tensor_list_new(ys, (int64_t)places->n + 1, stria_call_get_name(call), wanted, err));
    for (int k = 0; k < ys->n; k++) {
        int64_t stop = k < places->n ? places->at[k] : call->in[0]->shape[axis];
        if (stop == STRIA_INT_NONE) stop++; /* any number below the axis */
        STRIA_TRY(stria_slice(get_base(call), axis, start, stop, 1, &ys->at[k], err));
        start = stop;
    }
    return STRIA_OK;
}

stria_status stria_compose_tensor_split(const stria_call *call, stria_tensor_list *ys, stria_temps *temps,
                                        stria_error *err)
{
    const stria_tensor_split_attrs *attrs = call->attrs;
    const stria_int_or_list        *by = &attrs->indices_or_sections;
    int                             axis;
    (void)temps;

    STRIA_TRY(check_dims(call, 1, err));
    STRIA_TRY(stria_infer_wrap_axis(call, "dim", call->in[0]->ndim, attrs->dim, &axis, err));
    if (by->at != NULL) return cut_at(call, axis, by, ys, err);
    if (by->one < 1) return refuse_number(call, wanted, by->one, "1 or more", err);
    return cut_sections(call, axis, by->one, ys, err);
}

/* hsplit, vsplit, dsplit: parts of equal size, or cut at indices. */
static stria_status cut_axis(const stria_call *call, int axis, const stria_int_or_list *by, stria_tensor_list *ys,
                             stria_error *err)
{
    char expected[48];

    if (by->at != NULL) return cut_at(call, axis, by, ys, err);
    const int64_t length = call->in[0]->shape[axis];
    snprintf(expected, sizeof expected, "a divisor of %lld", (long long)length);
    if (by->one < 1 || length % by->one != 0) return refuse_number(call, wanted, by->one, expected, err);
    return cut_sections(call, axis, by->one, ys, err);
}

stria_status stria_compose_hsplit(const stria_call *call, stria_tensor_list *ys, stria_temps *temps, stria_error *err)
{
    (void)temps;
    STRIA_TRY(check_dims(call, 1, err));
    return cut_axis(call, call->in[0]->ndim > 1, &((const stria_hsplit_attrs *)call->attrs)->indices_or_sections, ys,
                    err);
}

stria_status stria_compose_vsplit(const stria_call *call, stria_tensor_list *ys, stria_temps *temps, stria_error *err)
{
    (void)temps;
    STRIA_TRY(check_dims(call, 2, err));
    return cut_axis(call, 0, &((const stria_vsplit_attrs *)call->attrs)->indices_or_sections, ys, err);
}

stria_status stria_compose_dsplit(const stria_call *call, stria_tensor_list *ys, stria_temps *temps, stria_error *err)
{
    (void)temps;
    STRIA_TRY(check_dims(call, 3, err));
    return cut_axis(call, 2, &((const stria_dsplit_attrs *)call->attrs)->indices_or_sections, ys, err);
}

stria_status stria_compose_unbind(const stria_call *call, stria_tensor_list *ys, stria_temps *temps, stria_error *err)
{
    const stria_unbind_attrs *attrs = call->attrs;
    int                       axis;
    (void)temps;

    STRIA_TRY(check_dims(call, 1, err));
    STRIA_TRY(stria_infer_wrap_axis(call, "dim", call->in[0]->ndim, attrs->dim, &axis, err));
    STRIA_TRY(stria_tensor_list_new(ys, call->in[0]->shape[axis], "unbind", "dim", err));
    for (int k = 0; k < ys->n; k++) STRIA_TRY(stria_select(get_base(call), axis, k, &ys->at[k], err));
    return STRIA_OK;
}
