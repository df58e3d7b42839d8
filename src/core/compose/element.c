/* element.c - composites that work element by element. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "call/compose.h"
#include "call/meta.h"
#include "tensor/shape.h"

/* a + value * product */
static stria_status add_times(const stria_call *call, const stria_tensor *product, bool is_one, stria_tensor **y,
                              stria_temps *temps, stria_error *err)
{
    if (is_one) return stria_add(call->in[0], product, y, err);
    STRIA_TRY(stria_compose_make_number(call, 0, STRIA_TEMP, err));
    return stria_add_scaled(call->in[0], product, STRIA_LAST, y, err);
}

stria_status stria_compose_addcmul(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_scalar value = ((const stria_addcmul_attrs *)call->attrs)->value;

    STRIA_TRY(stria_mul(call->in[1], call->in[2], STRIA_TEMP, err));
    return add_times(call, STRIA_LAST, value.kind == STRIA_SCALAR_INT && value.i == 1, &y[0], temps, err);
}

stria_status stria_compose_addcdiv(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const double value = ((const stria_addcdiv_attrs *)call->attrs)->value;

    STRIA_TRY(stria_div(call->in[1], call->in[2], STRIA_TEMP, err));
    return add_times(call, STRIA_LAST, value == 1, &y[0], temps, err);
}

/* ---------------------------------------------------------------- NaN and infinities */

static double get_largest(stria_dtype dtype)
{
    switch (dtype) {
    case STRIA_F16: return 65504;
    case STRIA_BF16: return 0x1.fep127;
    case STRIA_F32: return FLT_MAX;
    default: return DBL_MAX;
    }
}

static stria_status make_float(double value, stria_tensor **number, stria_error *err)
{
    return stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_FLOAT, 0, value, 0}, number, err);
}

/* Other numbers for the elements of x that are `from`. */
static stria_status replace(const stria_tensor *x, double from, double to, stria_temps *temps, stria_error *err)
{
    STRIA_TRY(make_float(from, STRIA_TEMP, err));
    STRIA_TRY(stria_eq(x, STRIA_LAST, STRIA_TEMP, err));
    const stria_tensor *mask = STRIA_LAST;
    STRIA_TRY(make_float(to, STRIA_TEMP, err));
    return stria_where(mask, STRIA_LAST, x, STRIA_TEMP, err);
}

stria_status stria_compose_nan_to_num(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_nan_to_num_attrs *attrs = call->attrs;
    const stria_tensor           *x = call->in[0];
    const double                  largest = get_largest(x->dtype);

    if (stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "a", x->dtype, "real", err);
    if (stria_dtype_get_category(x->dtype) < STRIA_CATEGORY_F) return stria_tensor_copy(x, x->dtype, &y[0], err);
    STRIA_TRY(stria_isnan(x, STRIA_TEMP, err));
    const stria_tensor *is_nan = STRIA_LAST;
    if (isnan(attrs->posinf) && isnan(attrs->neginf)) {
        const stria_scalar low = {STRIA_SCALAR_FLOAT, 0, -largest, 0}, high = {STRIA_SCALAR_FLOAT, 0, largest, 0};
        STRIA_TRY(stria_hardtanh(x, low, high, STRIA_TEMP, err));
    } else {
        STRIA_TRY(replace(x, INFINITY, isnan(attrs->posinf) ? largest : attrs->posinf, temps, err));
        const stria_tensor *changed = STRIA_LAST;
        STRIA_TRY(make_float(-INFINITY, STRIA_TEMP, err)); /* sought in x: posinf may be -infinity */
        STRIA_TRY(stria_eq(x, STRIA_LAST, STRIA_TEMP, err));
        const stria_tensor *is_low = STRIA_LAST;
        STRIA_TRY(make_float(isnan(attrs->neginf) ? -largest : attrs->neginf, STRIA_TEMP, err));
        STRIA_TRY(stria_where(is_low, STRIA_LAST, changed, STRIA_TEMP, err));
    }
    const stria_tensor *finite = STRIA_LAST;
    STRIA_TRY(make_float(attrs->nan, STRIA_TEMP, err));
    return stria_where(is_nan, STRIA_LAST, finite, &y[0], err);
}

/* ---------------------------------------------------------------- comparison with a tolerance */

static stria_status check_tolerance(const char *argument, double value, stria_error *err)
{
    char got[32];

    if (value >= 0) return STRIA_OK;
    snprintf(got, sizeof got, "%g", value);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "isclose", argument, "0 or more", got,
                           "%s must be 0 or more, got %s", argument, got);
}

/* Of integers and bool in f64, where 2^24 + 1 is not 2^24; else x itself. */
static stria_status to_float(const stria_tensor **x, bool is_float, stria_temps *temps, stria_error *err)
{
    if (is_float) return STRIA_OK;
    STRIA_TRY(stria_tensor_copy(*x, STRIA_F64, STRIA_TEMP, err));
    *x = STRIA_LAST;
    return STRIA_OK;
}

/* |a - b| is finite and within the bound. */
static stria_status find_near(const stria_isclose_attrs *attrs, const stria_tensor *a, const stria_tensor *b,
                              stria_temps *temps, stria_error *err)
{
    STRIA_TRY(stria_sub(a, b, STRIA_TEMP, err));
    STRIA_TRY(stria_abs(STRIA_LAST, STRIA_TEMP, err));
    const stria_tensor *distance = STRIA_LAST;
    STRIA_TRY(make_float(attrs->rtol, STRIA_TEMP, err));
    const stria_tensor *rtol = STRIA_LAST;
    STRIA_TRY(make_float(attrs->atol, STRIA_TEMP, err));
    const stria_tensor *atol = STRIA_LAST;
    STRIA_TRY(stria_abs(b, STRIA_TEMP, err));
    STRIA_TRY(stria_add_scaled(atol, STRIA_LAST, rtol, STRIA_TEMP, err));
    STRIA_TRY(stria_le(distance, STRIA_LAST, STRIA_TEMP, err));
    const stria_tensor *is_within = STRIA_LAST;
    STRIA_TRY(stria_isfinite(distance, STRIA_TEMP, err));
    return stria_logical_and(is_within, STRIA_LAST, STRIA_TEMP, err);
}

stria_status stria_compose_isclose(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_isclose_attrs *attrs = call->attrs;
    const stria_tensor        *a = call->in[0], *b = call->in[1];
    const bool is_float = stria_dtype_get_category(stria_promote_result(call->in, 2)) >= STRIA_CATEGORY_F;

    STRIA_TRY(check_tolerance("rtol", attrs->rtol, err));
    STRIA_TRY(check_tolerance("atol", attrs->atol, err));
    STRIA_TRY(stria_eq(a, b, STRIA_TEMP, err));
    const stria_tensor *is_same = STRIA_LAST;
    if (attrs->equal_nan && is_float) {
        STRIA_TRY(stria_isnan(a, STRIA_TEMP, err));
        const stria_tensor *first = STRIA_LAST;
        STRIA_TRY(stria_isnan(b, STRIA_TEMP, err));
        STRIA_TRY(stria_logical_and(first, STRIA_LAST, STRIA_TEMP, err));
        STRIA_TRY(stria_logical_or(is_same, STRIA_LAST, STRIA_TEMP, err));
        is_same = STRIA_LAST;
    }
    STRIA_TRY(to_float(&a, is_float, temps, err));
    STRIA_TRY(to_float(&b, is_float, temps, err));
    STRIA_TRY(find_near(attrs, a, b, temps, err));
    return stria_logical_or(is_same, STRIA_LAST, &y[0], err);
}

/* One truth value: whether all elements of a mask are true. */
static stria_status get_all(const stria_tensor *mask, stria_tensor **y, stria_error *err)
{
    return stria_all(mask, NULL, 0, false, y, err);
}

stria_status stria_compose_allclose(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_allclose_attrs *attrs = call->attrs;

    STRIA_TRY(stria_isclose(call->in[0], call->in[1], attrs->rtol, attrs->atol, attrs->equal_nan, STRIA_TEMP, err));
    return get_all(STRIA_LAST, &y[0], err);
}

stria_status stria_compose_equal(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *a = call->in[0], *b = call->in[1];
    const stria_scalar  no = {.kind = STRIA_SCALAR_BOOL};

    if (!stria_tensor_has_shape(a, b->ndim, b->shape))
        return stria_full(NULL, 0, no, STRIA_BOOL, a->device, &y[0], err);
    STRIA_TRY(stria_eq(a, b, STRIA_TEMP, err));
    return get_all(STRIA_LAST, &y[0], err);
}

/* ---------------------------------------------------------------- numbers in two parts */

/* x 2^-exponent becomes STRIA_LAST. */
static stria_status scale_down(const stria_tensor *x, const stria_tensor *exponent, stria_temps *temps,
                               stria_error *err)
{
    STRIA_TRY(stria_neg(exponent, STRIA_TEMP, err));
    const stria_tensor *power = STRIA_LAST;
    return stria_ldexp(x, power, STRIA_TEMP, err);
}

/* The logarithm may be wrong by an ULP, and so its whole part by 1 where x is near a power of two: what it leaves of x says so. */
static stria_status find_exponent(const stria_tensor *x, const stria_tensor **exponent, stria_temps *temps,
                                  stria_error *err)
{
    STRIA_TRY(stria_abs(x, STRIA_TEMP, err));
    STRIA_TRY(stria_log2(STRIA_LAST, STRIA_TEMP, err));
    const stria_tensor *logarithm = STRIA_LAST;
    STRIA_TRY(stria_isfinite(logarithm, STRIA_TEMP, err)); /* neither 0 nor infinite nor NaN */
    const stria_tensor *is_ordinary = STRIA_LAST;
    STRIA_TRY(stria_floor(logarithm, STRIA_TEMP, err));
    const stria_tensor *whole = STRIA_LAST;
    STRIA_TRY(scale_down(x, whole, temps, err)); /* in [1, 2) if `whole` is right */
    STRIA_TRY(stria_abs(STRIA_LAST, STRIA_TEMP, err));
    const stria_tensor *rest = STRIA_LAST;
    STRIA_TRY(make_float(1, STRIA_TEMP, err));
    STRIA_TRY(stria_ge(rest, STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(stria_add(whole, STRIA_LAST, STRIA_TEMP, err));
    const stria_tensor *sum = STRIA_LAST;
    STRIA_TRY(make_float(2, STRIA_TEMP, err));
    STRIA_TRY(stria_ge(rest, STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(stria_add(sum, STRIA_LAST, STRIA_TEMP, err));
    sum = STRIA_LAST;
    STRIA_TRY(make_float(0, STRIA_TEMP, err));
    STRIA_TRY(stria_where(is_ordinary, sum, STRIA_LAST, STRIA_TEMP, err));
    *exponent = STRIA_LAST;
    return STRIA_OK;
}

stria_status stria_compose_frexp(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0], *exponent;
    stria_dtype         result;

    STRIA_TRY(stria_temps_widen(call, temps, &x, 1, &result, err));
    STRIA_TRY(find_exponent(x, &exponent, temps, err));
    STRIA_TRY(scale_down(x, exponent, temps, err));
    STRIA_TRY(stria_temps_narrow(STRIA_LAST, result, &y[0], err));
    return stria_tensor_copy(exponent, STRIA_I32, &y[1], err);
}

/* ---------------------------------------------------------------- one bound */

stria_status stria_compose_clamp_min(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *bound;

    STRIA_TRY(stria_clamp_limit(call->in, 2, 1, &bound, STRIA_TEMP, err));
    const stria_status status = stria_temps_rename(stria_maximum(call->in[0], bound, &y[0], err), "b", "min", err);
    return stria_temps_rename(status, "a", "x", err);
}

stria_status stria_compose_clamp_max(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *bound;

    STRIA_TRY(stria_clamp_limit(call->in, 2, 1, &bound, STRIA_TEMP, err));
    const stria_status status = stria_temps_rename(stria_minimum(call->in[0], bound, &y[0], err), "b", "max", err);
    return stria_temps_rename(status, "a", "x", err);
}

/* ---------------------------------------------------------------- gates */

stria_status stria_compose_glu(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    int                 axis;
    stria_dtype         result;
    char                got[32];

    if (x->ndim == 0)
        return stria_error_set(err, STRIA_ERR_SHAPE, "glu", "x", "1 dim or more", "0", "x has no axis that has halves");
    STRIA_TRY(stria_infer_wrap_axis(call, "dim", x->ndim, ((const stria_glu_attrs *)call->attrs)->dim, &axis, err));
    snprintf(got, sizeof got, "%lld", (long long)x->shape[axis]);
    if (x->shape[axis] % 2 != 0)
        return stria_error_set(err, STRIA_ERR_SHAPE, "glu", "x", "an even size", got,
                               "axis %d of x has size %s, which has no halves", axis, got);
    STRIA_TRY(stria_temps_widen(call, temps, &x, 1, &result, err));
    const int64_t half = x->shape[axis] / 2;
    STRIA_TRY(stria_narrow((stria_tensor *)(uintptr_t)x, axis, half, half, STRIA_TEMP, err));
    STRIA_TRY(stria_sigmoid(STRIA_LAST, STRIA_TEMP, err));
    const stria_tensor *gate = STRIA_LAST;
    STRIA_TRY(stria_narrow((stria_tensor *)(uintptr_t)x, axis, 0, half, STRIA_TEMP, err));
    if (x->dtype == result) return stria_mul(STRIA_LAST, gate, &y[0], err);
    STRIA_TRY(stria_mul(STRIA_LAST, gate, STRIA_TEMP, err));
    return stria_tensor_copy(STRIA_LAST, result, &y[0], err);
}

/* ---------------------------------------------------------------- weights of channels */

stria_status stria_compose_prelu(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0], *in[2] = {x, call->in[1]};
    const int64_t       channels = x->ndim > 1 ? x->shape[1] : 1;
    int64_t             shape[STRIA_MAX_DIMS];
    char                expected[48], got[96];

    if (in[1]->numel != 1 && (in[1]->ndim != 1 || in[1]->numel != channels)) {
        snprintf(expected, sizeof expected, "1 element, or [%lld]", (long long)channels);
        stria_shape_print(got, sizeof got, in[1]->ndim, in[1]->shape);
        return stria_error_set(err, STRIA_ERR_SHAPE, "prelu", "weight", expected, got,
                               "weight must have %s, its shape is %s", expected, got);
    }
    for (int d = 0; d < x->ndim - 1; d++) shape[d] = d == 0 ? in[1]->numel : 1; /* the axes from 1 on */
    STRIA_TRY(stria_reshape((stria_tensor *)(uintptr_t)in[1], shape, x->ndim > 1 ? x->ndim - 1 : 0, STRIA_TEMP, err));
    in[1] = STRIA_LAST;
    return stria_apply(STRIA_OP_leaky_relu, in, 2, &y[0], err);
}
