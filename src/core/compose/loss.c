/* loss.c - losses: element by element, then the mean, the sum, or neither. */
#include "base/error.h"
#include "compose/elements.h"

/* The numbers of the words of `reduction`. */
enum { NONE, MEAN, SUM, BATCHMEAN };
#define MOST_TENSORS 4

/* The loss of every element, or all of them combined, as STRIA_LAST. The formula gets the inputs in the dtype that their common one,
 * *result, is computed in. */
static stria_status make_loss(const stria_call *call, stria_formula_fn *fn, int n_in, int reduction,
                              stria_dtype *result, stria_temps *temps, stria_error *err)
{
    const stria_tensor *in[MOST_TENSORS];
    const stria_formula formula = {fn, in, n_in};

    for (int k = 0; k < n_in; k++) in[k] = call->in[k];
    STRIA_TRY(stria_temps_widen_operands(call, temps, in, n_in, result, err));
    if (reduction == NONE) return stria_formula_make(call, &formula, temps, err);
    return stria_formula_reduce(call, &formula, reduction == MEAN ? STRIA_RED_mean : STRIA_RED_sum, temps, err);
}

/* y = the same, in the dtype of the row. */
static stria_status run_loss(const stria_call *call, stria_formula_fn *fn, int n_in, int reduction, stria_tensor **y,
                             stria_temps *temps, stria_error *err)
{
    stria_dtype result;

    STRIA_TRY(make_loss(call, fn, n_in, reduction, &result, temps, err));
    return stria_temps_narrow(STRIA_LAST, result, y, err);
}

/* ---------------------------------------------------------------- distances */

/* |x - target| */
static stria_status get_distance(const void *attrs, const stria_tensor *const *in, stria_temps *temps, stria_error *err)
{
    (void)attrs;
    STRIA_TRY(stria_sub(in[0], in[1], STRIA_TEMP, err));
    return stria_abs(STRIA_LAST, STRIA_TEMP, err);
}

static stria_status get_square(const void *attrs, const stria_tensor *const *in, stria_temps *temps, stria_error *err)
{
    (void)attrs;
    STRIA_TRY(stria_sub(in[0], in[1], STRIA_TEMP, err));
    return stria_square(STRIA_LAST, STRIA_TEMP, err);
}

stria_status stria_compose_mse_loss(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_mse_loss_attrs *attrs = call->attrs;

    return run_loss(call, get_square, 2, attrs->reduction, y, temps, err);
}

stria_status stria_compose_l1_loss(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_l1_loss_attrs *attrs = call->attrs;

    return run_loss(call, get_distance, 2, attrs->reduction, y, temps, err);
}

/* z < bound ? z * z / 2 / divisor : line, where line is what the caller made of z = |x - target|; divisor NULL: 1. */
static stria_status join_parabola(const stria_tensor *z, const stria_tensor *bound, const stria_tensor *divisor,
                                  const stria_tensor *line, stria_temps *temps, stria_error *err)
{
    stria_tensor *half, *parabola, *is_inside;

    STRIA_TRY(stria_temps_number(temps, 0.5, &half, err));
    STRIA_TRY(stria_square(z, STRIA_TEMP, err));
    STRIA_TRY(stria_mul(STRIA_LAST, half, STRIA_TEMP, err));
    if (divisor != NULL) STRIA_TRY(stria_div(STRIA_LAST, divisor, STRIA_TEMP, err));
    parabola = STRIA_LAST;
    STRIA_TRY(stria_lt(z, bound, STRIA_TEMP, err));
    is_inside = STRIA_LAST;
    return stria_where(is_inside, parabola, line, STRIA_TEMP, err);
}

static stria_status get_huber(const void *attributes, const stria_tensor *const *in, stria_temps *temps,
                              stria_error *err)
{
    const stria_huber_loss_attrs *attrs = attributes;
    stria_tensor                 *z, *delta, *half;

    STRIA_TRY(get_distance(NULL, in, temps, err));
    z = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, attrs->delta, &delta, err));
    STRIA_TRY(stria_temps_number(temps, 0.5 * attrs->delta, &half, err));
    STRIA_TRY(stria_sub(z, half, STRIA_TEMP, err));
    STRIA_TRY(stria_mul(STRIA_LAST, delta, STRIA_TEMP, err));
    return join_parabola(z, delta, NULL, STRIA_LAST, temps, err);
}

stria_status stria_compose_huber_loss(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_huber_loss_attrs *attrs = call->attrs;

    if (!(attrs->delta > 0)) return stria_infer_refuse_number(call, "delta", "greater than 0", attrs->delta, err);
    return run_loss(call, get_huber, 2, attrs->reduction, y, temps, err);
}

static stria_status get_smooth_l1(const void *attributes, const stria_tensor *const *in, stria_temps *temps,
                                  stria_error *err)
{
    const stria_smooth_l1_loss_attrs *attrs = attributes;
    stria_tensor                     *z, *beta, *half;

    STRIA_TRY(get_distance(NULL, in, temps, err));
    z = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, attrs->beta, &beta, err));
    STRIA_TRY(stria_temps_number(temps, 0.5 * attrs->beta, &half, err));
    STRIA_TRY(stria_sub(z, half, STRIA_TEMP, err));
    return join_parabola(z, beta, beta, STRIA_LAST, temps, err);
}

stria_status stria_compose_smooth_l1_loss(const stria_call *call, stria_tensor **y, stria_temps *temps,
                                          stria_error *err)
{
    const stria_smooth_l1_loss_attrs *attrs = call->attrs;

    if (!(attrs->beta >= 0)) return stria_infer_refuse_number(call, "beta", "0 or more", attrs->beta, err);
    return run_loss(call, attrs->beta == 0 ? get_distance : get_smooth_l1, 2, attrs->reduction, y, temps, err);
}

/* ---------------------------------------------------------------- cross entropies */

/* STRIA_LAST times a weight, where there is one. */
static stria_status weigh(const stria_tensor *weight, stria_temps *temps, stria_error *err)
{
    return weight == NULL ? STRIA_OK : stria_mul(STRIA_LAST, weight, STRIA_TEMP, err);
}

/* max(log(x), -100), so that a certain mistake costs much, not everything. */
static stria_status get_bounded_log(const stria_tensor *log, stria_temps *temps, stria_tensor **bounded,
                                    stria_error *err)
{
    stria_tensor *least;

    STRIA_TRY(stria_temps_number(temps, -100, &least, err));
    STRIA_TRY(stria_maximum(log, least, STRIA_TEMP, err));
    *bounded = STRIA_LAST;
    return STRIA_OK;
}

/* (target - 1) log(1 - x) - target log(x) */
static stria_status get_entropy(const void *attrs, const stria_tensor *const *in, stria_temps *temps, stria_error *err)
{
    stria_tensor *one, *if_true, *if_false;

    (void)attrs;
    STRIA_TRY(stria_temps_number(temps, 1, &one, err));
    STRIA_TRY(stria_log(in[0], STRIA_TEMP, err));
    STRIA_TRY(get_bounded_log(STRIA_LAST, temps, &if_true, err));
    STRIA_TRY(stria_mul(in[1], if_true, STRIA_TEMP, err));
    if_true = STRIA_LAST;
    STRIA_TRY(stria_neg(in[0], STRIA_TEMP, err));
    STRIA_TRY(stria_log1p(STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(get_bounded_log(STRIA_LAST, temps, &if_false, err));
    STRIA_TRY(stria_sub(in[1], one, STRIA_TEMP, err));
    STRIA_TRY(stria_mul(STRIA_LAST, if_false, STRIA_TEMP, err));
    STRIA_TRY(stria_sub(STRIA_LAST, if_true, STRIA_TEMP, err));
    return weigh(in[2], temps, err);
}

stria_status stria_compose_binary_cross_entropy(const stria_call *call, stria_tensor **y, stria_temps *temps,
                                                stria_error *err)
{
    const stria_binary_cross_entropy_attrs *attrs = call->attrs;

    return run_loss(call, get_entropy, 3, attrs->reduction, y, temps, err);
}

/* log(1 + exp(-x)) = log1p(exp(-|x|)) + max(-x, 0), which neither overflows nor loses what is small. */
static stria_status get_softplus_of_negative(const stria_tensor *x, stria_temps *temps, stria_tensor **y,
                                             stria_error *err)
{
    stria_tensor *zero, *rest;

    STRIA_TRY(stria_temps_number(temps, 0, &zero, err));
    STRIA_TRY(stria_abs(x, STRIA_TEMP, err));
    STRIA_TRY(stria_neg(STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(stria_exp(STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(stria_log1p(STRIA_LAST, STRIA_TEMP, err));
    rest = STRIA_LAST;
    STRIA_TRY(stria_neg(x, STRIA_TEMP, err));
    STRIA_TRY(stria_maximum(STRIA_LAST, zero, STRIA_TEMP, err));
    STRIA_TRY(stria_add(rest, STRIA_LAST, STRIA_TEMP, err));
    *y = STRIA_LAST;
    return STRIA_OK;
}

/* (1 - target) x + (1 + (pos_weight - 1) target) log(1 + exp(-x)) */
static stria_status get_entropy_of_logits(const void *attrs, const stria_tensor *const *in, stria_temps *temps,
                                          stria_error *err)
{
    stria_tensor *one, *first, *second;

    (void)attrs;
    STRIA_TRY(stria_temps_number(temps, 1, &one, err));
    STRIA_TRY(stria_sub(one, in[1], STRIA_TEMP, err));
    STRIA_TRY(stria_mul(STRIA_LAST, in[0], STRIA_TEMP, err));
    first = STRIA_LAST;
    STRIA_TRY(get_softplus_of_negative(in[0], temps, &second, err));
    if (in[3] != NULL) {
        STRIA_TRY(stria_sub(in[3], one, STRIA_TEMP, err));
        STRIA_TRY(stria_mul(STRIA_LAST, in[1], STRIA_TEMP, err));
        STRIA_TRY(stria_add(STRIA_LAST, one, STRIA_TEMP, err));
        STRIA_TRY(stria_mul(STRIA_LAST, second, STRIA_TEMP, err));
        second = STRIA_LAST;
    }
    STRIA_TRY(stria_add(first, second, STRIA_TEMP, err));
    return weigh(in[2], temps, err);
}

stria_status stria_compose_binary_cross_entropy_with_logits(const stria_call *call, stria_tensor **y,
                                                            stria_temps *temps, stria_error *err)
{
    const stria_binary_cross_entropy_with_logits_attrs *attrs = call->attrs;

    return run_loss(call, get_entropy_of_logits, 4, attrs->reduction, y, temps, err);
}

/* ---------------------------------------------------------------- divergence */

/* target (log(target) - x), and 0 where target is 0; of a target that is a logarithm: exp(target) (target - x) */
static stria_status get_divergence(const void *attributes, const stria_tensor *const *in, stria_temps *temps,
                                   stria_error *err)
{
    const stria_kl_div_attrs *attrs = attributes;
    stria_tensor             *zero, *probability, *plain;

    if (attrs->log_target) {
        STRIA_TRY(stria_exp(in[1], STRIA_TEMP, err));
        probability = STRIA_LAST;
        STRIA_TRY(stria_sub(in[1], in[0], STRIA_TEMP, err));
        return stria_mul(probability, STRIA_LAST, STRIA_TEMP, err);
    }
    STRIA_TRY(stria_temps_number(temps, 0, &zero, err));
    STRIA_TRY(stria_log(in[1], STRIA_TEMP, err));
    STRIA_TRY(stria_mul(in[1], STRIA_LAST, STRIA_TEMP, err));
    plain = STRIA_LAST;
    STRIA_TRY(stria_eq(in[1], zero, STRIA_TEMP, err));
    STRIA_TRY(stria_where(STRIA_LAST, zero, plain, STRIA_TEMP, err)); /* 0 log 0 is 0 */
    plain = STRIA_LAST;
    STRIA_TRY(stria_mul(in[1], in[0], STRIA_TEMP, err));
    return stria_sub(plain, STRIA_LAST, STRIA_TEMP, err);
}

stria_status stria_compose_kl_div(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_kl_div_attrs *attrs = call->attrs;
    const stria_tensor       *x = call->in[0];
    stria_tensor             *sum, *count;
    stria_dtype               result;

    if (attrs->reduction != BATCHMEAN) return run_loss(call, get_divergence, 2, attrs->reduction, y, temps, err);
    if (x->ndim == 0)
        return stria_error_set(err, STRIA_ERR_SHAPE, "kl_div", "x", "1 dim or more", "0 dims",
                               "batchmean divides by the size of the first axis, and x has none");
    STRIA_TRY(make_loss(call, get_divergence, 2, SUM, &result, temps, err));
    sum = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, (double)x->shape[0], &count, err));
    STRIA_TRY(stria_div(sum, count, STRIA_TEMP, err));
    return stria_temps_narrow(STRIA_LAST, result, y, err);
}
