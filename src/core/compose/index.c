/* index.c - composites of indexing and search. */
#include "base/error.h"
#include "call/compose.h"
#include "table/dtype.h"
#include "tensor/device.h"

stria_status stria_compose_argwhere(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    (void)temps;
    return stria_nonzero(call->in[0], &y[0], err);
}

static stria_status refuse_complex(const stria_call *call, const char *argument, const stria_tensor *x,
                                   stria_error *err)
{
    if (stria_dtype_get_category(x->dtype) != STRIA_CATEGORY_C) return STRIA_OK;
    return stria_infer_refuse_dtype(call, argument, x->dtype, "real", err);
}

stria_status stria_compose_bucketize(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_bucketize_attrs *attrs = call->attrs;
    const stria_tensor          *x = call->in[0], *boundaries = call->in[1];
    char                         got[96];
    (void)temps;

    STRIA_TRY(refuse_complex(call, "x", x, err));
    STRIA_TRY(refuse_complex(call, "boundaries", boundaries, err));
    if (boundaries->ndim != 1)
        return stria_error_set(err, STRIA_ERR_SHAPE, "bucketize", "boundaries", "1 dim",
                               stria_shape_print(got, sizeof got, boundaries->ndim, boundaries->shape),
                               "boundaries has shape %s, but must have one dim", got);
    return stria_searchsorted(boundaries, x, NULL, attrs->right, "none", attrs->out_int32, &y[0], err);
}

stria_status stria_compose_embedding_renorm(const stria_call *call, stria_tensor **y, stria_temps *temps,
                                            stria_error *err)
{
    const stria_embedding_renorm_attrs *attrs = call->attrs;
    const stria_tensor                 *weight = call->in[0];
    const int64_t                       flat = -1;
    const int                           last = -1;

    stria_tensor *bound, *small, *one, *scaled;

    if (stria_dtype_get_category(weight->dtype) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "weight", weight->dtype, "a real float", err);
    STRIA_TRY(stria_temps_number(temps, attrs->max_norm, &bound, err));
    STRIA_TRY(stria_temps_number(temps, 1e-7, &small, err));
    STRIA_TRY(stria_temps_number(temps, 1, &one, err));
    STRIA_TRY(stria_reshape((stria_tensor *)(uintptr_t)call->in[1], &flat, 1, STRIA_TEMP, err));
    const stria_tensor *list = STRIA_LAST;
    STRIA_TRY(stria_embedding(weight, list, STRIA_INT_NONE, STRIA_TEMP, err));
    const stria_tensor *rows = STRIA_LAST;
    const stria_dtype   wide = stria_dtype_get_compute(weight->dtype);
    STRIA_TRY(stria_temps_rename(stria_norm(rows, attrs->norm_type, &last, 1, true, wide, STRIA_TEMP, err), "p",
                                 "norm_type", err));
    const stria_tensor *norms = STRIA_LAST;
    STRIA_TRY(stria_add(norms, small, STRIA_TEMP, err));
    STRIA_TRY(stria_div(bound, STRIA_LAST, STRIA_TEMP, err));
    const stria_tensor *factors = STRIA_LAST;
    STRIA_TRY(stria_gt(norms, bound, STRIA_TEMP, err));
    STRIA_TRY(stria_where(STRIA_LAST, factors, one, STRIA_TEMP, err));
    STRIA_TRY(stria_mul(rows, STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(stria_temps_narrow(STRIA_LAST, weight->dtype, &scaled, err));
    STRIA_TRY(stria_temps_keep(temps, scaled, err));
    return stria_index_copy(weight, list, scaled, 0, &y[0], err);
}

/* A 0-dim tensor of the CPU may accompany one on another device. */
static stria_status check_isin_device(const stria_tensor *elements, const stria_tensor *test, stria_error *err)
{
    const char *expected = stria_device_get_name(elements->device), *got = stria_device_get_name(test->device);

    if (stria_device_equals(elements->device, test->device) || test->is_wrapped_number || stria_call_is_recorded() ||
        (test->device.type == STRIA_DEVICE_CPU && test->ndim == 0))
        return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_DEVICE, "isin", "test_elements", expected, got,
                           "test_elements is on %s but elements is on %s", got, expected);
}

/* The test elements in order; where each element would stand; whether it stands there. */
stria_status stria_compose_isin(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const bool          invert = ((const stria_isin_attrs *)call->attrs)->invert;
    const stria_tensor *elements = call->in[0], *test = call->in[1];
    const int64_t       flat = -1;
    stria_tensor       *sorted, *order;

    STRIA_TRY(refuse_complex(call, "elements", elements, err));
    STRIA_TRY(refuse_complex(call, "test_elements", test, err));
    STRIA_TRY(check_isin_device(elements, test, err));
    if (test->is_wrapped_number || (test->ndim == 0 && !stria_device_equals(elements->device, test->device)))
        return invert ? stria_ne(elements, test, &y[0], err) : stria_eq(elements, test, &y[0], err);
    if (test->numel == 0) { /* less than itself is nothing */
        STRIA_TRY(stria_lt(elements, elements, STRIA_TEMP, err));
        return invert ? stria_logical_not(STRIA_LAST, &y[0], err)
                      : stria_logical_or(STRIA_LAST, STRIA_LAST, &y[0], err);
    }
    STRIA_TRY(stria_reshape((stria_tensor *)(uintptr_t)test, &flat, 1, STRIA_TEMP, err));
    const stria_tensor *list = STRIA_LAST;
    STRIA_TRY(stria_sort(list, 0, false, false, &sorted, &order, err));
    stria_tensor_release(order);
    STRIA_TRY(stria_temps_keep(temps, sorted, err));
    STRIA_TRY(stria_searchsorted(sorted, elements, NULL, false, "none", false, STRIA_TEMP, err));
    const stria_tensor *places = STRIA_LAST;
    STRIA_TRY(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT, .i = test->numel - 1}, STRIA_TEMP, err));
    STRIA_TRY(stria_minimum(places, STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(stria_take(sorted, STRIA_LAST, STRIA_TEMP, err));
    return invert ? stria_ne(elements, STRIA_LAST, &y[0], err) : stria_eq(elements, STRIA_LAST, &y[0], err);
}
