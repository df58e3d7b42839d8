/* random.c - random numbers made of uniform and normal ones and of other calls. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "call/compose.h"

/* Whether all elements of a bool tensor are true; true where there are none to look at. */
static stria_status ask_all(const stria_tensor *truths, bool *all, stria_temps *temps, stria_error *err)
{
    stria_tensor *answer;

    *all = true;
    if (truths->device.type == STRIA_DEVICE_META) return STRIA_OK;
    STRIA_TRY(stria_all(truths, NULL, 0, false, STRIA_TEMP, err));
    answer = STRIA_LAST;
    if (answer->device.type != STRIA_DEVICE_CPU) { /* waited for */
        STRIA_TRY(stria_tensor_new(STRIA_BOOL, 0, NULL, STRIA_TEMP, err));
        STRIA_TRY(stria_tensor_set(STRIA_LAST, answer, err));
        answer = STRIA_LAST;
    }
    *all = *(const bool *)stria_tensor_get_const_data(answer);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- normal */

/* ERR_ARGUMENT: an element of std that is below 0; NaN passes. */
static stria_status check_deviation(const stria_call *call, const stria_tensor *std, stria_temps *temps,
                                    stria_error *err)
{
    stria_tensor *zero;
    bool          all;

    STRIA_TRY(stria_temps_number(temps, 0, &zero, err));
    STRIA_TRY(stria_lt(std, zero, STRIA_TEMP, err));
    STRIA_TRY(stria_logical_not(STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(ask_all(STRIA_LAST, &all, temps, err));
    if (all) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), "std", "0 or more", NULL,
                           "std has elements below 0");
}

stria_status stria_compose_normal(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_normal_attrs *attrs = call->attrs;
    const stria_tensor       *in[] = {call->in[0], call->in[1]};
    stria_dtype               result;

    STRIA_TRY(stria_temps_widen_operands(call, temps, in, 2, &result, err));
    STRIA_TRY(check_deviation(call, in[1], temps, err));
    STRIA_TRY(stria_add(in[0], in[1], STRIA_TEMP, err)); /* of the shape and dtype that both have together */
    STRIA_TRY(stria_randn_like(STRIA_LAST, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, attrs->generator, STRIA_TEMP, err));
    STRIA_TRY(stria_mul(STRIA_LAST, in[1], STRIA_TEMP, err));
    STRIA_TRY(stria_add(STRIA_LAST, in[0], STRIA_TEMP, err));
    return stria_temps_narrow(STRIA_LAST, result, y, err);
}

/* ---------------------------------------------------------------- permutations */

/* The order of n numbers of 64 bits: two are equal with a probability below n^2 / 2^65, and then the first comes first. */
stria_status stria_compose_randperm(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_randperm_attrs *attrs = call->attrs;
    const stria_scalar          low = {STRIA_SCALAR_INT, INT64_MIN, 0, 0}, end = {STRIA_SCALAR_FLOAT, 0, 0x1p63, 0};
    const stria_dtype           dtype = attrs->dtype == STRIA_DTYPE_NONE ? STRIA_I64 : attrs->dtype;
    stria_tensor               *keys, *one = NULL;

    if (attrs->n < 0) return stria_infer_refuse_number(call, "n", "0 or more", (double)attrs->n, err);
    if (attrs->n > 0) { /* what the dtype does not hold is refused as randint does */
        const stria_scalar zero = {STRIA_SCALAR_INT, 0, 0, 0}, n = {STRIA_SCALAR_INT, attrs->n, 0, 0};
        const int64_t      none = 0; /* no number is drawn */
        const stria_status status = stria_randint(zero, n, &none, 1, dtype, attrs->device, NULL, &one, err);
        stria_tensor_release(one);
        STRIA_TRY(stria_temps_rename(status, "high", "n", err));
    }
    STRIA_TRY(stria_temps_rename(
        stria_randint(low, end, &attrs->n, 1, STRIA_I64, attrs->device, attrs->generator, STRIA_TEMP, err), "shape",
        "n", err));
    keys = STRIA_LAST;
    STRIA_TRY(stria_argsort(keys, 0, false, true, STRIA_TEMP, err));
    return stria_to(STRIA_LAST, dtype, y, err);
}

/* ---------------------------------------------------------------- truth */

/* ERR_ARGUMENT: a probability outside [0, 1], or NaN. */
static stria_status check_probabilities(const stria_call *call, const stria_tensor *x, stria_temps *temps,
                                        stria_error *err)
{
    stria_tensor *zero, *one, *above;
    bool          all;

    STRIA_TRY(stria_temps_number(temps, 0, &zero, err));
    STRIA_TRY(stria_temps_number(temps, 1, &one, err));
    STRIA_TRY(stria_le(zero, x, STRIA_TEMP, err));
    above = STRIA_LAST;
    STRIA_TRY(stria_le(x, one, STRIA_TEMP, err));
    STRIA_TRY(stria_logical_and(above, STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(ask_all(STRIA_LAST, &all, temps, err));
    if (all) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), "x", "probabilities from 0 to 1", NULL,
                           "x has elements that are no probabilities from 0 to 1");
}

stria_status stria_compose_bernoulli(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_bernoulli_attrs *attrs = call->attrs;
    const stria_tensor          *x = call->in[0], *p = x;
    const stria_category         category = stria_dtype_get_category(x->dtype);
    stria_tensor                *number;

    if (category == STRIA_CATEGORY_C) return stria_infer_refuse_dtype(call, "x", x->dtype, "real", err);
    if (!isnan(attrs->p)) {
        if (!(attrs->p >= 0 && attrs->p <= 1))
            return stria_infer_refuse_number(call, "p", "from 0 to 1", attrs->p, err);
        STRIA_TRY(stria_temps_number(temps, attrs->p, &number, err));
        p = number;
    } else if (category != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "a real float where p is not given", err);
    else
        STRIA_TRY(check_probabilities(call, x, temps, err));
    STRIA_TRY(stria_compose_check_outs(call, &x, err));
    /* numbers of 24 bits are below any p > 0 too often: 0 is one of 2^24 */
    STRIA_TRY(stria_rand_like(x, STRIA_F64, STRIA_DEVICE_NONE, attrs->generator, STRIA_TEMP, err));
    STRIA_TRY(stria_lt(STRIA_LAST, p, STRIA_TEMP, err));
    return stria_to(STRIA_LAST, x->dtype, y, err);
}

stria_status stria_compose_dropout(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_dropout_attrs *attrs = call->attrs;
    const stria_tensor        *x = call->in[0];
    stria_tensor              *number, *is_kept, *zero;

    if (stria_dtype_get_category(x->dtype) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "a real float", err);
    if (!(attrs->p >= 0 && attrs->p <= 1)) return stria_infer_refuse_number(call, "p", "from 0 to 1", attrs->p, err);
    if (!attrs->training || attrs->p == 0) return stria_to(x, x->dtype, y, err);
    if (attrs->p == 1) return stria_fill(x, (stria_scalar){.kind = STRIA_SCALAR_INT}, y, err); /* whose gradient is 0 */
    STRIA_TRY(stria_compose_check_outs(call, &x, err));
    const stria_dtype lane = x->dtype == STRIA_F64 ? STRIA_F64 : STRIA_F32;
    STRIA_TRY(stria_rand_like(x, lane, STRIA_DEVICE_NONE, attrs->generator, STRIA_TEMP, err));
    STRIA_TRY(stria_temps_number(temps, attrs->p, &number, err));
    STRIA_TRY(stria_le(number, temps->at[0], STRIA_TEMP, err));
    is_kept = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, 1 / (1 - attrs->p), &number, err));
    STRIA_TRY(stria_temps_number(temps, 0, &zero, err));
    STRIA_TRY(stria_mul(x, number, STRIA_TEMP, err));
    return stria_where(is_kept, STRIA_LAST, zero, y, err);
}
