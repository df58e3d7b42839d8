/* covariance.c - composites: covariances and correlations of variables, the rows of a matrix, over observations, its columns. */
#include "base/error.h"
#include "call/compose.h"

static const int observations = 1;

static stria_status check_matrix(const stria_call *call, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const char         *name = stria_call_get_name(call);

    if (stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_C || x->dtype == STRIA_BOOL)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "integer or float", err);
    if (x->ndim <= 2) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_SHAPE, name, "x", "at most 2 dims", NULL,
                           "x has %d dims, but at most 2 are taken", x->ndim);
}

/* Variables in rows, floats; the last of temps. */
static stria_status get_rows(const stria_tensor *x, stria_temps *temps, stria_error *err)
{
    const int64_t shape[] = {1, x->numel};

    if (stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_F)
        STRIA_TRY(stria_tensor_copy(x, stria_dtype_get_compute(x->dtype), STRIA_TEMP, err));
    else
        STRIA_TRY(stria_tensor_copy(x, STRIA_F32, STRIA_TEMP, err));
    if (x->ndim == 2) return STRIA_OK;
    return stria_reshape(STRIA_LAST, shape, 2, STRIA_TEMP, err);
}

static stria_status check_weights(const stria_call *call, const stria_tensor *w, const char *argument, bool is_whole,
                                  int64_t n, stria_error *err)
{
    const stria_category category = stria_dtype_get_category(w->dtype);
    const bool           fits =
        is_whole ? category == STRIA_CATEGORY_I || category == STRIA_CATEGORY_U : category == STRIA_CATEGORY_F;
    char got[96];

    if (!fits) return stria_infer_refuse_dtype(call, argument, w->dtype, is_whole ? "integer" : "a float", err);
    if (w->ndim <= 1 && w->numel == n) return STRIA_OK;
    stria_shape_print(got, sizeof got, w->ndim, w->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), argument, NULL, got,
                           "%s has shape %s, but there are %lld observations", argument, got, (long long)n);
}

/* *w = the weight of each observation, in the dtype of the rows; NULL: all are 1. */
static stria_status get_weights(const stria_call *call, const stria_tensor *rows, const stria_tensor **w,
                                stria_temps *temps, stria_error *err)
{
    const stria_tensor *counts = call->in[1], *shares = call->in[2];
    const int64_t       n = rows->shape[1];

    if (counts != NULL) STRIA_TRY(check_weights(call, counts, "fweights", true, n, err));
    if (shares != NULL) STRIA_TRY(check_weights(call, shares, "aweights", false, n, err));
    *w = NULL;
    for (int k = 1; k < 3; k++) {
        if (call->in[k] == NULL) continue;
        STRIA_TRY(stria_tensor_copy(call->in[k], rows->dtype, STRIA_TEMP, err));
        STRIA_TRY(stria_reshape(STRIA_LAST, &n, 1, STRIA_TEMP, err));
        if (*w != NULL) STRIA_TRY(stria_mul(*w, STRIA_LAST, STRIA_TEMP, err));
        *w = STRIA_LAST;
    }
    return STRIA_OK;
}

static stria_status add_up(const stria_tensor *x, stria_temps *temps, const stria_tensor **sum, stria_error *err)
{
    STRIA_TRY(stria_sum(x, NULL, 0, false, STRIA_TEMP, err));
    *sum = STRIA_LAST;
    return STRIA_OK;
}

/* What the products are divided by: max(sum of w - correction sum of w a / sum of w, 0); without shares a count less correction. */
static stria_status get_divisor(const stria_call *call, const stria_tensor *w, int64_t n, double correction,
                                stria_temps *temps, stria_tensor **divisor, stria_error *err)
{
    const stria_tensor *total, *part;
    stria_tensor       *number;

    if (w == NULL) return stria_temps_number(temps, (double)n > correction ? (double)n - correction : 0, divisor, err);
    STRIA_TRY(add_up(w, temps, &total, err));
    STRIA_TRY(stria_temps_number(temps, correction, &number, err));
    if (call->in[2] != NULL) {
        STRIA_TRY(stria_mul(w, call->in[2], STRIA_TEMP, err));
        STRIA_TRY(add_up(STRIA_LAST, temps, &part, err));
        STRIA_TRY(stria_div(part, total, STRIA_TEMP, err));
        STRIA_TRY(stria_mul(STRIA_LAST, number, STRIA_TEMP, err));
        number = STRIA_LAST;
    }
    STRIA_TRY(stria_sub(total, number, STRIA_TEMP, err));
    const stria_tensor *rest = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, 0, &number, err));
    STRIA_TRY(stria_maximum(rest, number, STRIA_TEMP, err));
    *divisor = STRIA_LAST;
    return STRIA_OK;
}

/* *centred = the rows less their (weighted) means. */
static stria_status centre(const stria_tensor *rows, const stria_tensor *w, stria_temps *temps,
                           const stria_tensor **centred, stria_error *err)
{
    if (w == NULL) {
        STRIA_TRY(stria_mean(rows, &observations, 1, true, STRIA_TEMP, err));
    } else {
        const stria_tensor *total, *sums;
        STRIA_TRY(add_up(w, temps, &total, err));
        STRIA_TRY(stria_mul(rows, w, STRIA_TEMP, err));
        STRIA_TRY(stria_sum(STRIA_LAST, &observations, 1, true, STRIA_TEMP, err));
        sums = STRIA_LAST;
        STRIA_TRY(stria_div(sums, total, STRIA_TEMP, err));
    }
    STRIA_TRY(stria_sub(rows, STRIA_LAST, STRIA_TEMP, err));
    *centred = STRIA_LAST;
    return STRIA_OK;
}

/* The covariances, [variables, variables], in the dtype that is computed in; the last of temps. */
static stria_status get_covariances(const stria_call *call, double correction, bool has_weights, stria_temps *temps,
                                    stria_error *err)
{
    const stria_tensor *w = NULL, *rows, *centred, *products;
    stria_tensor       *divisor;

    STRIA_TRY(check_matrix(call, err));
    STRIA_TRY(get_rows(call->in[0], temps, err));
    rows = STRIA_LAST;
    if (has_weights) STRIA_TRY(get_weights(call, rows, &w, temps, err));
    STRIA_TRY(centre(rows, w, temps, &centred, err));
    if (w != NULL) STRIA_TRY(stria_mul(centred, w, STRIA_TEMP, err));
    STRIA_TRY(stria_transpose((stria_tensor *)(uintptr_t)(w != NULL ? STRIA_LAST : centred), 0, 1, STRIA_TEMP, err));
    STRIA_TRY(stria_matmul(centred, STRIA_LAST, STRIA_TEMP, err));
    products = STRIA_LAST;
    STRIA_TRY(get_divisor(call, w, rows->shape[1], correction, temps, &divisor, err));
    return stria_div(products, divisor, STRIA_TEMP, err);
}

/* The last of temps, without axes where there is one variable. */
static stria_status finish(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const stria_dtype   result = stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_F ? x->dtype : STRIA_F32;

    if (STRIA_LAST->numel == 1) STRIA_TRY(stria_reshape(STRIA_LAST, NULL, 0, STRIA_TEMP, err));
    return stria_tensor_copy(STRIA_LAST, result, &y[0], err);
}

stria_status stria_compose_cov(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    STRIA_TRY(get_covariances(call, ((const stria_cov_attrs *)call->attrs)->correction, true, temps, err));
    return finish(call, y, temps, err);
}

/* Covariances over the standard deviations of both variables, in [-1, 1]. */
stria_status stria_compose_corrcoef(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *c, *deviations, *result;
    stria_tensor       *low, *high;

    STRIA_TRY(get_covariances(call, 1, false, temps, err));
    c = STRIA_LAST;
    STRIA_TRY(stria_diagonal((stria_tensor *)(uintptr_t)c, 0, 0, 1, STRIA_TEMP, err));
    STRIA_TRY(stria_sqrt(STRIA_LAST, STRIA_TEMP, err));
    deviations = STRIA_LAST;
    STRIA_TRY(stria_div(c, deviations, STRIA_TEMP, err));
    result = STRIA_LAST;
    STRIA_TRY(stria_unsqueeze((stria_tensor *)(uintptr_t)deviations, 1, STRIA_TEMP, err));
    STRIA_TRY(stria_div(result, STRIA_LAST, STRIA_TEMP, err));
    result = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, -1, &low, err));
    STRIA_TRY(stria_temps_number(temps, 1, &high, err));
    STRIA_TRY(stria_clamp(result, low, high, STRIA_TEMP, err));
    return finish(call, y, temps, err);
}
