/* rules_convolution.c - derivatives of convolutions and pooling. The sum of gradient * convolution(x, weight) is linear in each of the three, so that the
 * derivative by one is a convolution of the other two. */
#include "autograd/rules_parts.h"
#include "call/convolution.h"

#define DIMS STRIA_CONV_DIMS

/* Elements at the end of x that no window meets. */
static void get_rest(const int64_t *x, const int64_t *y, const int64_t *taps, const int64_t *stride,
                     const int64_t *padding, const int64_t *dilation, int64_t *rest)
{
    for (int d = 0; d < DIMS; d++)
        rest[d] = x[d + 2] + 2 * padding[d] - (taps[d] - 1) * dilation[d] - 1 - (y[d + 2] - 1) * stride[d];
}

static stria_term sum_to_bias(stria_term gradient)
{
    static const int others[] = {0, 2, 3, 4};

    return r_sum(gradient, others, DIMS + 1, false);
}

/* Where output_padding of a transposed convolution makes room for more windows of the result than x has elements, x counts as if zeros came
 * behind it: so many along axis d. */
static int64_t get_more(const stria_convolution_attrs *attrs, int d)
{
    return attrs->transposed ? attrs->output_padding[d] / attrs->stride[d] : 0;
}

static stria_term extend(const stria_convolution_attrs *attrs, stria_term x)
{
    int64_t pad[2 * DIMS] = {0}, n = 0; /* before and behind, the last axis first */

    for (int d = 0; d < DIMS; d++) n += pad[2 * (DIMS - 1 - d) + 1] = get_more(attrs, d);
    return n > 0 ? r_pad(x, pad, 2 * DIMS, "constant", stria_part_integer(0)) : x;
}

/* Of the gradient of x with those zeros, that of x. */
static stria_term crop(const stria_convolution_attrs *attrs, const int64_t *x, stria_term gradient)
{
    for (int d = 0; d < DIMS; d++)
        if (get_more(attrs, d) > 0) gradient = r_slice(gradient, d + 2, STRIA_INT_NONE, x[d + 2], 1);
    return gradient;
}

RULE_FN(convolution)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0), *y = stria_rule_get_output_meta(run, 0);
    const int64_t         *taps = stria_rule_get_input_meta(run, 1)->shape + 2;
    const int64_t          none[DIMS] = {0};
    int64_t                rest[DIMS];

    get_rest(x->shape, y->shape, taps, attrs->stride, attrs->padding, attrs->dilation, rest);
    GRAD(0, crop(attrs, x->shape,
                 r_convolution(G(0), X(1), NOTHING, attrs->stride, attrs->padding, attrs->dilation, !attrs->transposed,
                               attrs->transposed ? none : rest, attrs->groups)));
    if (WANTS(1)) {
        stria_term small = attrs->transposed ? extend(attrs, X(0)) : G(0);
        stria_term large = attrs->transposed ? G(0) : X(0);
        GRAD(1,
             r_convolution_weight(small, large, taps, attrs->stride, attrs->padding, attrs->dilation, attrs->groups));
    }
    GRAD(2, sum_to_bias(G(0)));
}

RULE_FN(convolution_weight)
{
    const stria_rule_meta *y = stria_rule_get_input_meta(run, 0), *x = stria_rule_get_input_meta(run, 1);
    int64_t                rest[DIMS];

    get_rest(x->shape, y->shape, attrs->kernel_size, attrs->stride, attrs->padding, attrs->dilation, rest);
    GRAD(0, r_convolution(X(1), G(0), NOTHING, attrs->stride, attrs->padding, attrs->dilation, false, NULL,
                          attrs->groups));
    GRAD(1,
         r_convolution(X(0), G(0), NOTHING, attrs->stride, attrs->padding, attrs->dilation, true, rest, attrs->groups));
}

/* ---------------------------------------------------------------- pooling */

/* To the elements that were the largest. */
RULE_FN(max_pool3d_with_indices)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0), *y = stria_rule_get_output_meta(run, 0);
    const int              n = x->ndim - DIMS + 1;
    int64_t                flat[DIMS], places[DIMS];

    (void)attrs;
    if (!WANTS(0)) return;
    for (int d = 0; d < n; d++) {
        flat[d] = d < n - 1 ? x->shape[d] : x->shape[d] * x->shape[d + 1] * x->shape[d + 2];
        places[d] = d < n - 1 ? y->shape[d] : y->shape[d] * y->shape[d + 1] * y->shape[d + 2];
    }
    stria_term zeros = r_reshape(stria_part_zeros(run, 0, G(0)), flat, n);
    stria_term sum = stria_part_add_along(run, zeros, r_reshape(Y(1), places, n), r_reshape(G(0), places, n), -1);
    GRAD(0, stria_part_shape_as_input(run, 0, sum));
}
