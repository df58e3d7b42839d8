/* rules_losses.c - derivatives of losses, and of what goes with them, where those of their inner calls would be slower or not finite. */
#include "autograd/rules_parts.h"
#include "table/dtype.h"
#include "tensor/shape.h"

enum { NONE, MEAN, SUM, BATCHMEAN }; /* the numbers of the words of `reduction` */

/* Of inputs 0 .. n - 1 broadcast together. */
static double count_elements(stria_rule_run *run, int n)
{
    int64_t shape[STRIA_MAX_DIMS], numel = 1;
    int     ndim = 0;

    for (int k = 0; k < n; k++) {
        const stria_rule_meta *x = stria_rule_get_input_meta(run, k);
        if (x->ndim == 0) continue; /* or not given */
        const stria_status status =
            stria_shape_broadcast("loss", &ndim, shape, x->ndim, x->shape, stria_rule_get_error(run));
        stria_rule_fail(run, status);
    }
    for (int d = 0; d < ndim; d++) numel *= shape[d];
    return (double)numel;
}

/* The dtype that the loss was computed in. */
static stria_dtype get_wide(stria_rule_run *run)
{
    return stria_dtype_get_compute(stria_rule_get_output_meta(run, 0)->dtype);
}

/* The gradient of the loss of each element: that of the result, or of the mean its share; times a factor. n: inputs. */
static stria_term element_gradient(stria_rule_run *run, int reduction, int n, double factor)
{
    const stria_dtype wide = get_wide(run);
    /* shares of a mean may be too small for halves */
    stria_term g = stria_rule_get_output_meta(run, 0)->dtype == wide ? G(0) : r_to(G(0), wide);

    const double count = reduction == MEAN ? count_elements(run, n) : 1;
    if (count > 0) factor /= count; /* of no element nothing is asked */
    return factor == 1 ? g : r_mul(g, N(factor));
}

/* Input k as the loss was computed with it. */
static stria_term get_input(stria_rule_run *run, int k)
{
    const stria_dtype wide = get_wide(run);

    return stria_rule_get_input_meta(run, k)->dtype == wide ? X(k) : r_to(X(k), wide);
}

/* ---------------------------------------------------------------- distances */

static stria_term get_difference(stria_rule_run *run) { return r_sub(get_input(run, 0), get_input(run, 1)); }

/* Of a loss of x - target, whose derivative is factor * slope. */
static void give_slope(stria_rule_run *run, int reduction, double factor, stria_term slope)
{
    slope = r_mul(element_gradient(run, reduction, 2, factor), slope);
    GRAD(0, slope);
    GRAD(1, r_neg(slope));
}

RULE_FN(mse_loss) { give_slope(run, attrs->reduction, 2, get_difference(run)); }

RULE_FN(l1_loss) { give_slope(run, attrs->reduction, 1, r_sign(get_difference(run))); }

/* `inside` where d is nearer to 0 than the bound, sign(d) times `beyond` elsewhere. */
static stria_term join_slopes(stria_term d, double bound, stria_term inside, double beyond)
{
    stria_term sign = r_sign(d);

    return r_where(r_lt(r_abs(d), N(bound)), inside, beyond == 1 ? sign : r_mul(sign, N(beyond)));
}

RULE_FN(huber_loss)
{
    stria_term d = get_difference(run);

    give_slope(run, attrs->reduction, 1, join_slopes(d, attrs->delta, d, attrs->delta));
}

RULE_FN(smooth_l1_loss)
{
    const double beta = attrs->beta;
    stria_term   d = get_difference(run);

    give_slope(run, attrs->reduction, 1, beta == 0 ? r_sign(d) : join_slopes(d, beta, r_div(d, N(beta)), 1));
}

/* ---------------------------------------------------------------- cross entropies of probabilities */

typedef struct entropy {
    stria_term g; /* of the loss of each element */
    stria_term x, target, weight, pos_weight;
} entropy;

static stria_term get_optional(stria_rule_run *run, int k)
{
    return stria_term_is_nothing(X(k)) ? N(1) : get_input(run, k);
}

static stria_term bounded_log(stria_term log) { return r_maximum(log, N(-100)); }

/* (target - 1) log(1 - x) - target log(x): what a weight multiplies. */
static stria_term binary_loss(const entropy *e)
{
    stria_term if_true = bounded_log(r_log(e->x)), if_false = bounded_log(r_log1p(r_neg(e->x)));

    return r_sub(r_mul(r_sub(e->target, N(1)), if_false), r_mul(e->target, if_true));
}

static stria_term binary_slope(const entropy *e)
{
    stria_term variance = r_maximum(r_mul(r_sub(N(1), e->x), e->x), N(1e-12));

    return r_div(r_sub(e->x, e->target), variance);
}

RULE_FN(binary_cross_entropy)
{
    entropy e = {.g = element_gradient(run, attrs->reduction, 3, 1)};

    e.x = get_input(run, 0);
    e.target = get_input(run, 1);
    e.weight = get_optional(run, 2);
    GRAD(0, r_mul(r_mul(e.g, e.weight), binary_slope(&e)));
    GRAD(1, r_mul(r_mul(e.g, e.weight), r_sub(bounded_log(r_log1p(r_neg(e.x))), bounded_log(r_log(e.x)))));
    GRAD(2, r_mul(e.g, binary_loss(&e)));
}

/* ---------------------------------------------------------------- cross entropies of logits
 *
 * (1 - target) x + (1 + (pos_weight - 1) target) s, where s = log(1 + exp(-x)) */

static stria_term share_of_true(const entropy *e) { return r_add(N(1), r_mul(r_sub(e->pos_weight, N(1)), e->target)); }

static stria_term logits_loss(const entropy *e, stria_term s)
{
    return r_add(r_mul(r_sub(N(1), e->target), e->x), r_mul(share_of_true(e), s));
}

RULE_FN(binary_cross_entropy_with_logits)
{
    entropy e = {.g = element_gradient(run, attrs->reduction, 4, 1)};

    e.x = get_input(run, 0);
    e.target = get_input(run, 1);
    e.weight = get_optional(run, 2);
    e.pos_weight = get_optional(run, 3);
    stria_term g = stria_term_is_nothing(X(2)) ? e.g : r_mul(e.g, e.weight);
    if (stria_term_is_nothing(X(3)))
        GRAD(0, r_mul(g, r_sub(r_sigmoid(e.x), e.target)));
    else
        GRAD(0, r_mul(g, r_sub(r_sub(N(1), e.target), r_mul(share_of_true(&e), r_sigmoid(r_neg(e.x))))));
    if (!WANTS(1) && !WANTS(2) && !WANTS(3)) return;
    stria_term s = r_neg(r_logsigmoid(e.x));
    GRAD(1, r_mul(g, r_sub(r_mul(r_sub(e.pos_weight, N(1)), s), e.x)));
    GRAD(2, r_mul(e.g, logits_loss(&e, s)));
    GRAD(3, r_mul(g, r_mul(e.target, s)));
}

/* ---------------------------------------------------------------- divergence */

/* t (log t - x); -infinity is the derivative by t = 0, of what is masked 0. Of a target that is log(t) its own exponential is t. */
RULE_FN(kl_div)
{
    const int64_t first = stria_rule_get_input_meta(run, 0)->shape[0];
    const double  factor = attrs->reduction == BATCHMEAN && first > 0 ? 1 / (double)first : 1;
    stria_term    g = element_gradient(run, attrs->reduction, 2, factor), target = get_input(run, 1);
    stria_term    t = attrs->log_target ? r_exp(target) : target;

    GRAD(0, r_neg(r_mul(g, t)));
    if (!WANTS(1)) return;
    stria_term rest = r_sub(N(1), get_input(run, 0));
    if (attrs->log_target)
        GRAD(1, r_mul(g, r_mul(t, r_add(target, rest))));
    else
        GRAD(1, r_add(r_xlogy(g, t), r_mul(g, rest)));
}

/* ---------------------------------------------------------------- slopes of channels */

/* The weight as it broadcasts to x: one, or one for each index of axis 1. */
static int get_channel_shape(stria_rule_run *run, int64_t *shape)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0), *weight = stria_rule_get_input_meta(run, 1);

    for (int d = 0; d < x->ndim - 1; d++) shape[d] = d == 0 ? weight->numel : 1;
    return x->ndim > 1 ? x->ndim - 1 : 0;
}

RULE_FN(prelu)
{
    int64_t    shape[STRIA_MAX_DIMS];
    const int  ndim = get_channel_shape(run, shape);
    stria_term is_above = r_gt(X(0), N(0));

    (void)attrs;
    GRAD(0, r_where(is_above, G(0), r_mul(G(0), r_reshape(X(1), shape, ndim))));
    GRAD(1, stria_part_shape_as_input(run, 1, r_sum_to_size(r_where(is_above, N(0), r_mul(G(0), X(0))), shape, ndim)));
}

/* x = mantissa 2^exponent. */
RULE_FN(frexp)
{
    (void)attrs;
    GRAD(0, r_ldexp(G(0), r_neg(Y(1))));
}
