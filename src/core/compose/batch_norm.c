/* batch_norm.c - norms of channels over the batch, and of groups of channels. */
#include "base/error.h"
#include "call/compose.h"
#include "call/convolution.h"

static stria_tensor *unconst(const stria_tensor *x) { return (stria_tensor *)(uintptr_t)x; }

/* A parameter of each channel, of one dim, as it lies along axis 1 of x; NULL stays NULL. */
static stria_status align(const stria_tensor *parameter, int ndim, stria_temps *temps, const stria_tensor **aligned,
                          stria_error *err)
{
    int64_t shape[STRIA_MAX_DIMS];

    *aligned = NULL;
    if (parameter == NULL) return STRIA_OK;
    shape[0] = parameter->shape[0];
    for (int d = 1; d < ndim - 1; d++) shape[d] = 1;
    STRIA_TRY(stria_reshape(unconst(parameter), shape, ndim - 1, STRIA_TEMP, err));
    *aligned = STRIA_LAST;
    return STRIA_OK;
}

/* x weight + bias, of parameters that are aligned or NULL; x itself without any. */
static stria_status scale(const stria_tensor *x, const stria_tensor *weight, const stria_tensor *bias,
                          stria_temps *temps, const stria_tensor **y, stria_error *err)
{
    *y = x;
    if (weight == NULL && bias == NULL) return STRIA_OK;
    if (weight == NULL)
        STRIA_TRY(stria_add(x, bias, STRIA_TEMP, err));
    else if (bias == NULL)
        STRIA_TRY(stria_mul(x, weight, STRIA_TEMP, err));
    else
        STRIA_TRY(stria_add_scaled(bias, x, weight, STRIA_TEMP, err));
    *y = STRIA_LAST;
    return STRIA_OK;
}

/* Tensors 1 .. n - 1 of the row have one element for each channel. */
static stria_status check_channels(const stria_call *call, int n, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));
    const stria_tensor *x = call->in[0];

    if (stria_dtype_get_category(x->dtype) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "a float", err);
    if (x->ndim < 2) return stria_conv_refuse_shape(schema->name, "x", x, "2 dims or more", err);
    for (int k = 1; k < n; k++)
        if (call->in[k] != NULL && (call->in[k]->ndim != 1 || call->in[k]->shape[0] != x->shape[1]))
            return stria_conv_refuse_shape(schema->name, schema->tensors[k].name, call->in[k],
                                           "one dim, with the size of axis 1 of x", err);
    return STRIA_OK;
}

/* Inputs, of which some may be NULL, in the dtype that their common one is computed in. */
static stria_status convert(const stria_call *call, int n, const stria_tensor **in, stria_temps *temps,
                            stria_error *err)
{
    stria_dtype common;

    for (int k = 0; k < n; k++) in[k] = call->in[k];
    return stria_temps_widen(call, temps, in, n, &common, err);
}

/* ---------------------------------------------------------------- over the batch */

/* Mean and variance of each channel of the batch. */
static stria_status get_moments(const stria_tensor *x, stria_temps *temps, const stria_tensor **mean,
                                const stria_tensor **var, stria_error *err)
{
    int axes[STRIA_MAX_DIMS] = {0};

    for (int d = 1; d < x->ndim - 1; d++) axes[d] = d + 1;
    STRIA_TRY(stria_mean(x, axes, x->ndim - 1, false, STRIA_TEMP, err));
    *mean = STRIA_LAST;
    STRIA_TRY(stria_var(x, axes, x->ndim - 1, 0, false, STRIA_TEMP, err));
    *var = STRIA_LAST;
    return STRIA_OK;
}

/* *y = running + momentum (new factor - running), in the dtype of running; without one, what is new. */
static stria_status follow(const stria_tensor *running, const stria_tensor *fresh, double momentum, double factor,
                           stria_temps *temps, stria_tensor **y, stria_error *err)
{
    const stria_tensor *part;
    stria_tensor       *number;

    STRIA_TRY(stria_temps_number(temps, factor, &number, err));
    STRIA_TRY(stria_mul(fresh, number, STRIA_TEMP, err));
    part = STRIA_LAST;
    if (running == NULL) return stria_tensor_copy(part, part->dtype, y, err);
    STRIA_TRY(stria_sub(part, running, STRIA_TEMP, err));
    part = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, momentum, &number, err));
    STRIA_TRY(stria_add_scaled(running, part, number, STRIA_TEMP, err));
    return stria_tensor_copy(STRIA_LAST, running->dtype, y, err);
}

/* (x - mean) / sqrt(var + eps), times weight, plus bias. */
static stria_status normalise(const stria_tensor *x, const stria_tensor *mean, const stria_tensor *var, double eps,
                              const stria_tensor *weight, const stria_tensor *bias, stria_temps *temps,
                              const stria_tensor **y, stria_error *err)
{
    const stria_tensor *centre, *factor, *shift;
    stria_tensor       *number;

    STRIA_TRY(stria_temps_number(temps, eps, &number, err));
    STRIA_TRY(stria_add(var, number, STRIA_TEMP, err));
    STRIA_TRY(stria_rsqrt(STRIA_LAST, STRIA_TEMP, err));
    factor = STRIA_LAST;
    if (weight != NULL) {
        STRIA_TRY(stria_mul(factor, weight, STRIA_TEMP, err));
        factor = STRIA_LAST;
    }
    STRIA_TRY(align(mean, x->ndim, temps, &centre, err));
    STRIA_TRY(align(factor, x->ndim, temps, &factor, err));
    STRIA_TRY(align(bias, x->ndim, temps, &shift, err));
    STRIA_TRY(stria_sub(x, centre, STRIA_TEMP, err));
    return scale(STRIA_LAST, factor, shift, temps, y, err);
}

static stria_status check_batch(const stria_call *call, bool of_batch, stria_error *err)
{
    const stria_tensor *x = call->in[0];

    STRIA_TRY(check_channels(call, 5, err));
    if ((call->in[1] == NULL) != (call->in[2] == NULL))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "batch_norm", "running_var", "with running_mean, or neither",
                               NULL, "running_mean and running_var are given together, or neither");
    if (!of_batch || x->numel != x->shape[1]) return STRIA_OK;
    return stria_conv_refuse_shape("batch_norm", "x", x, "more than one element of each channel while training", err);
}

stria_status stria_compose_batch_norm(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_batch_norm_attrs *attrs = call->attrs;
    const bool                    of_batch = attrs->training || call->in[1] == NULL;
    const stria_tensor           *in[5], *mean, *var, *result;

    STRIA_TRY(check_batch(call, of_batch, err));
    STRIA_TRY(convert(call, 5, in, temps, err));
    mean = in[1];
    var = in[2];
    if (of_batch) STRIA_TRY(get_moments(in[0], temps, &mean, &var, err));
    STRIA_TRY(normalise(in[0], mean, var, attrs->eps, in[3], in[4], temps, &result, err));
    STRIA_TRY(stria_temps_narrow(unconst(result), call->in[0]->dtype, &y[0], err));
    if (!of_batch) {
        STRIA_TRY(stria_tensor_copy(call->in[1], call->in[1]->dtype, &y[1], err));
        return stria_tensor_copy(call->in[2], call->in[2]->dtype, &y[2], err);
    }
    const double n = (double)(in[0]->numel / (in[0]->shape[1] > 0 ? in[0]->shape[1] : 1));
    STRIA_TRY(follow(call->in[1], mean, attrs->momentum, 1, temps, &y[1], err));
    return follow(call->in[2], var, attrs->momentum, n / (n - 1), temps, &y[2], err);
}

/* ---------------------------------------------------------------- over groups of channels */

/* Rows of a group each, of mean 0 and variance 1; the channels of x in the end. */
static stria_status normalise_groups(const stria_call *call, int64_t groups, double eps, stria_tensor **y,
                                     stria_temps *temps, stria_error *err)
{
    const stria_tensor *in[3], *weight, *bias, *result;

    STRIA_TRY(convert(call, 3, in, temps, err));
    const int64_t n = in[0]->shape[0] * groups, length = n > 0 ? in[0]->numel / n : 0;
    const int64_t rows[] = {n, length};
    if (in[0]->numel == 0) return stria_tensor_copy(in[0], call->in[0]->dtype, y, err);
    STRIA_TRY(stria_reshape(unconst(in[0]), rows, 2, STRIA_TEMP, err));
    STRIA_TRY(stria_layer_norm(STRIA_LAST, NULL, NULL, &length, 1, eps, STRIA_TEMP, err));
    STRIA_TRY(stria_reshape(STRIA_LAST, in[0]->shape, in[0]->ndim, STRIA_TEMP, err));
    result = STRIA_LAST;
    STRIA_TRY(align(in[1], in[0]->ndim, temps, &weight, err));
    STRIA_TRY(align(in[2], in[0]->ndim, temps, &bias, err));
    STRIA_TRY(scale(result, weight, bias, temps, &result, err));
    return stria_temps_narrow(unconst(result), call->in[0]->dtype, y, err);
}

stria_status stria_compose_group_norm(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_group_norm_attrs *attrs = call->attrs;

    STRIA_TRY(check_channels(call, 3, err));
    STRIA_TRY(stria_conv_check_least("group_norm", "num_groups", 1, &attrs->num_groups, 1, err));
    if (call->in[0]->shape[1] % attrs->num_groups != 0)
        return stria_conv_refuse_shape("group_norm", "x", call->in[0], "channels that num_groups divides", err);
    return normalise_groups(call, attrs->num_groups, attrs->eps, y, temps, err);
}

stria_status stria_compose_instance_norm(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_instance_norm_attrs *attrs = call->attrs;
    const stria_tensor              *x = call->in[0];

    STRIA_TRY(check_channels(call, 3, err));
    if (x->ndim < 3) return stria_conv_refuse_shape("instance_norm", "x", x, "3 dims or more", err);
    if (x->numel > 0 && x->numel == x->shape[0] * x->shape[1])
        return stria_conv_refuse_shape("instance_norm", "x", x, "more than one element of each channel", err);
    return normalise_groups(call, x->shape[1], attrs->eps, y, temps, err);
}
