/* convolution.c - what the rows of convolutions return (convolution.h). */
#include "call/convolution.h"

#include <stdio.h>

#include "base/error.h"
#include "call/meta.h"
#include "tensor/shape.h"

/* ---------------------------------------------------------------- refusals */

stria_status stria_conv_refuse_shape(const char *name, const char *argument, const stria_tensor *x,
                                     const char *expected, stria_error *err)
{
    char got[96];

    stria_shape_print(got, sizeof got, x->ndim, x->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, expected, got, "%s has shape %s, but must have %s",
                           argument, got, expected);
}

stria_status stria_spatial_check(const char *name, const stria_tensor *x, int n, stria_error *err)
{
    static const char *const expected[] = {"2 or 3 dims", "3 or 4 dims", "4 or 5 dims"};

    if (x->ndim == n + 1 || x->ndim == n + 2) return STRIA_OK;
    return stria_conv_refuse_shape(name, "x", x, expected[n - 1], err);
}

stria_status stria_conv_check_least(const char *name, const char *argument, int n, const int64_t *numbers,
                                    int64_t least, stria_error *err)
{
    char expected[32], got[32];

    for (int k = 0; k < n; k++) {
        if (numbers[k] >= least) continue;
        snprintf(expected, sizeof expected, "%lld or more", (long long)least);
        snprintf(got, sizeof got, "%lld", (long long)numbers[k]);
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, argument, expected, got, "%s must be %s, not %s",
                               argument, expected, got);
    }
    return STRIA_OK;
}

static stria_status refuse_overflow(const char *name, const char *argument, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_OVERFLOW, name, argument, "fewer than 2^63 elements", NULL,
                           "%s makes an axis of more than 2^63 - 1 elements", argument);
}

/* A size of the shape of an argument is not what another argument says. */
static stria_status refuse_size(const char *name, const char *argument, const char *what, int64_t got, int64_t expected,
                                stria_error *err)
{
    char wanted[32], found[32];

    snprintf(wanted, sizeof wanted, "%lld", (long long)expected);
    snprintf(found, sizeof found, "%lld", (long long)got);
    return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, wanted, found, "%s has %s %s, but must have %s",
                           argument, found, what, wanted);
}

/* ---------------------------------------------------------------- sizes */

stria_status stria_conv_get_reach(const char *name, int64_t taps, int64_t dilation, int64_t *reach, stria_error *err)
{
    if (__builtin_mul_overflow(taps - 1, dilation, reach) || __builtin_add_overflow(*reach, 1, reach))
        return refuse_overflow(name, "dilation", err);
    return STRIA_OK;
}

stria_status stria_conv_get_positions(const char *name, int64_t size, int64_t padding, int64_t reach, int64_t stride,
                                      int64_t *positions, stria_error *err)
{
    int64_t padded;

    if (__builtin_mul_overflow(padding, 2, &padded) || __builtin_add_overflow(padded, size, &padded))
        return refuse_overflow(name, "padding", err);
    *positions = padded < reach ? 0 : (padded - reach) / stride + 1;
    return STRIA_OK;
}

static stria_status check_attrs(const stria_conv_attrs *a, stria_error *err)
{
    STRIA_TRY(stria_conv_check_least(a->name, "stride", a->n, a->stride, 1, err));
    STRIA_TRY(stria_conv_check_least(a->name, "padding", a->n, a->padding, 0, err));
    STRIA_TRY(stria_conv_check_least(a->name, "dilation", a->n, a->dilation, 1, err));
    STRIA_TRY(stria_conv_check_least(a->name, "groups", 1, &a->groups, 1, err));
    if (a->output_padding == NULL) return STRIA_OK;
    STRIA_TRY(stria_conv_check_least(a->name, "output_padding", a->n, a->output_padding, 0, err));
    for (int d = 0; d < a->n; d++) {
        const int64_t most = a->transposed ? (a->stride[d] > a->dilation[d] ? a->stride[d] : a->dilation[d]) : 1;
        char          expected[64], got[32];
        if (a->output_padding[d] < most) continue;
        snprintf(got, sizeof got, "%lld", (long long)a->output_padding[d]);
        snprintf(expected, sizeof expected, a->transposed ? "less than stride or dilation" : "0 if not transposed");
        return stria_error_set(err, STRIA_ERR_ARGUMENT, a->name, "output_padding", expected, got,
                               "output_padding must be %s, not %s", expected, got);
    }
    return STRIA_OK;
}

static stria_status check_channels(const stria_conv_attrs *a, const int64_t *x, const int64_t *weight, int64_t bias,
                                   int64_t *out, stria_error *err)
{
    const int64_t first = weight[0], second = weight[1];
    char          got[64];

    snprintf(got, sizeof got, "%lld", (long long)first);
    if (first % a->groups != 0)
        return stria_error_set(err, STRIA_ERR_SHAPE, a->name, "weight", "a multiple of groups", got,
                               "axis 0 of weight has size %s, which %lld groups do not divide", got,
                               (long long)a->groups);
    int64_t product;
    if (__builtin_mul_overflow(second, a->groups, &product)) return refuse_overflow(a->name, "groups", err);
    const int64_t channels = a->transposed ? first : product;
    if (x[1] != channels) return refuse_size(a->name, "x", "channels", x[1], channels, err);
    *out = a->transposed ? product : first;
    if (bias >= 0 && bias != *out) return refuse_size(a->name, "bias", "elements", bias, *out, err);
    return STRIA_OK;
}

/* (in - 1) stride - 2 padding + reach + output_padding */
static stria_status get_transposed_size(const stria_conv_attrs *a, int d, int64_t in, int64_t reach, int64_t *size,
                                        stria_error *err)
{
    const int64_t more = a->output_padding == NULL ? 0 : a->output_padding[d];
    int64_t       less;

    if (__builtin_mul_overflow(in - 1, a->stride[d], size)) return refuse_overflow(a->name, "stride", err);
    if (__builtin_add_overflow(*size, reach, size) || __builtin_add_overflow(*size, more, size) ||
        __builtin_mul_overflow(a->padding[d], 2, &less) || __builtin_sub_overflow(*size, less, size))
        return refuse_overflow(a->name, "padding", err);
    return STRIA_OK;
}

stria_status stria_conv_get_shape(const stria_conv_attrs *a, const int64_t *x, const int64_t *weight, int64_t bias,
                                  int64_t *shape, stria_error *err)
{
    STRIA_TRY(check_attrs(a, err));
    STRIA_TRY(check_channels(a, x, weight, bias, &shape[1], err));
    shape[0] = x[0];
    for (int d = 0; d < a->n; d++) {
        const int64_t in = x[d + 2], taps = weight[d + 2];
        int64_t       reach;
        char          got[96];
        if (taps < 1) return refuse_size(a->name, "weight", "elements along an axis", taps, 1, err);
        STRIA_TRY(stria_conv_get_reach(a->name, taps, a->dilation[d], &reach, err));
        if (a->transposed)
            STRIA_TRY(get_transposed_size(a, d, in, reach, &shape[d + 2], err));
        else
            STRIA_TRY(stria_conv_get_positions(a->name, in, a->padding[d], reach, a->stride[d], &shape[d + 2], err));
        if (shape[d + 2] > 0) continue;
        snprintf(got, sizeof got, "%lld elements and padding %lld along axis %d", (long long)in,
                 (long long)a->padding[d], d + 2);
        return stria_error_set(err, STRIA_ERR_SHAPE, a->name, "x", "a window or more", got,
                               "x has %s, which is too little for a window of %lld", got, (long long)reach);
    }
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the rows */

/* The common dtype of the tensors, numbers; all have the dims of rows, but bias. */
static stria_status infer_common(const stria_call *call, int n, stria_output_meta *out, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));
    const stria_tensor *given[3];
    int                 n_given = 0;

    for (int k = 0; k < n; k++) {
        const stria_tensor *x = call->in[k];
        if (x == NULL) continue;
        given[n_given++] = x;
        if (stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_C)
            return stria_infer_refuse_dtype(call, schema->tensors[k].name, x->dtype, "real", err);
        if (x->ndim != (k < 2 ? STRIA_CONV_DIMS + 2 : 1))
            return stria_conv_refuse_shape(schema->name, schema->tensors[k].name, x, k < 2 ? "5 dims" : "1 dim", err);
    }
    out->dtype = stria_promote_result(given, n_given);
    out->order = STRIA_ORDER_ROW_MAJOR;
    out->ndim = STRIA_CONV_DIMS + 2;
    if (stria_dtype_get_category(out->dtype) != STRIA_CATEGORY_B) return STRIA_OK;
    return stria_infer_refuse_dtype(call, schema->tensors[0].name, out->dtype, "a number", err);
}

stria_status stria_infer_convolution(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_convolution_attrs *attrs = call->attrs;
    stria_output_meta             *out = &meta->out[0];
    int64_t                        numel;

    STRIA_TRY(infer_common(call, 3, out, err));
    const stria_conv_attrs a = {"convolution", STRIA_CONV_DIMS, attrs->transposed, attrs->groups,
                                attrs->stride, attrs->padding,  attrs->dilation,   attrs->output_padding};
    const int64_t          bias = call->in[2] == NULL ? -1 : call->in[2]->shape[0];
    STRIA_TRY(stria_conv_get_shape(&a, call->in[0]->shape, call->in[1]->shape, bias, out->shape, err));
    return stria_shape_get_numel(a.name, "x", out->dtype, out->ndim, out->shape, &numel, NULL, err);
}

stria_status stria_infer_convolution_weight(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_convolution_weight_attrs *attrs = call->attrs;
    const stria_tensor                   *gradient = call->in[0], *x = call->in[1];
    stria_output_meta                    *out = &meta->out[0];
    int64_t                               shape[STRIA_CONV_DIMS + 2], numel;

    STRIA_TRY(infer_common(call, 2, out, err));
    const stria_conv_attrs a = {"convolution_weight", STRIA_CONV_DIMS, false,           attrs->groups,
                                attrs->stride,        attrs->padding,  attrs->dilation, NULL};
    STRIA_TRY(stria_conv_check_least(a.name, "groups", 1, &a.groups, 1, err));
    STRIA_TRY(stria_conv_check_least(a.name, "kernel_size", STRIA_CONV_DIMS, attrs->kernel_size, 1, err));
    if (x->shape[1] % a.groups != 0)
        return refuse_size(a.name, "x", "channels", x->shape[1], x->shape[1] / a.groups * a.groups, err);
    out->shape[0] = gradient->shape[1];
    out->shape[1] = x->shape[1] / a.groups;
    for (int d = 0; d < STRIA_CONV_DIMS; d++) out->shape[d + 2] = attrs->kernel_size[d];
    STRIA_TRY(stria_conv_get_shape(&a, x->shape, out->shape, -1, shape, err));
    for (int d = 0; d < STRIA_CONV_DIMS + 2; d++)
        if (gradient->shape[d] != shape[d]) {
            char expected[96];
            stria_shape_print(expected, sizeof expected, STRIA_CONV_DIMS + 2, shape);
            return stria_conv_refuse_shape(a.name, "gradient", gradient, expected, err);
        }
    return stria_shape_get_numel(a.name, "kernel_size", out->dtype, out->ndim, out->shape, &numel, NULL, err);
}
