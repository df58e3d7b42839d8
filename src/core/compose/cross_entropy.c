/* cross_entropy.c - losses of classes: nll_loss of logarithms of probabilities, cross_entropy of logits. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "call/compose.h"
#include "tensor/shape.h"

/* The numbers of the words of `reduction`. */
enum { NONE, MEAN, SUM };

/* What both losses are made from. x is [classes], or [batch, classes, ..]. */
typedef struct class_loss {
    const stria_tensor *x, *target, *weight; /* x and weight as they are computed with; weight may be NULL */
    int                 axis;                /* of the classes */
    int64_t             ignored;             /* the target that costs nothing */
    stria_dtype         result;
    stria_tensor       *zero;
} class_loss;

static stria_status refuse_shape(const stria_call *call, const char *argument, const stria_tensor *x, int ndim,
                                 const int64_t *shape, stria_error *err)
{
    char expected[96], got[96];

    stria_shape_print(expected, sizeof expected, ndim, shape);
    stria_shape_print(got, sizeof got, x->ndim, x->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), argument, expected, got,
                           "%s has shape %s, but must have %s", argument, got, expected);
}

/* x, its classes, and a weight for each of them. */
static stria_status begin(const stria_call *call, stria_temps *temps, int64_t ignored, class_loss *loss,
                          stria_error *err)
{
    const stria_tensor *in[] = {call->in[0], NULL, call->in[2]};
    const stria_tensor *x = call->in[0], *weight = call->in[2];
    const stria_scalar  zero = {.kind = STRIA_SCALAR_INT};

    if (x->ndim == 0)
        return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), "x", "1 dim or more", "0 dims",
                               "x has no dims, but must be [classes] or [batch, classes, ..]");
    loss->axis = x->ndim == 1 ? 0 : 1;
    loss->ignored = ignored;
    if (weight != NULL && !stria_tensor_has_shape(weight, 1, &x->shape[loss->axis]))
        return refuse_shape(call, "weight", weight, 1, &x->shape[loss->axis], err);
    STRIA_TRY(stria_temps_widen(call, temps, in, 3, &loss->result, err));
    loss->x = in[0];
    loss->weight = in[2];
    loss->target = call->in[1];
    STRIA_TRY(stria_tensor_new_scalar(zero, STRIA_TEMP, err));
    loss->zero = STRIA_LAST;
    return STRIA_OK;
}

/* The shape of numbers of classes: that of x without its classes. */
static int get_rows_shape(const class_loss *loss, int64_t *shape)
{
    int ndim = 0;

    for (int d = 0; d < loss->x->ndim; d++)
        if (d != loss->axis) shape[ndim++] = loss->x->shape[d];
    return ndim;
}

/* Targets of cross_entropy are one of two things; the words say which, as floats in place of numbers of classes are an easy slip. */
static stria_status refuse_target(const stria_call *call, const class_loss *loss, stria_error *err)
{
    const stria_tensor *target = loss->target;
    int64_t             shape[STRIA_MAX_DIMS];
    char                numbers[64], probabilities[64], got[64], expected[224];
    const int           ndim = get_rows_shape(loss, shape);
    const bool          is_dtype = stria_tensor_has_shape(target, ndim, shape);

    stria_shape_print(numbers, sizeof numbers, ndim, shape);
    stria_shape_print(probabilities, sizeof probabilities, loss->x->ndim, loss->x->shape);
    stria_shape_print(got, sizeof got, target->ndim, target->shape);
    snprintf(expected, sizeof expected,
             "numbers of classes (i64, i32) of shape %s, or probabilities (floats) of shape %s", numbers,
             probabilities);
    return stria_error_set(err, is_dtype ? STRIA_ERR_DTYPE : STRIA_ERR_SHAPE, stria_call_get_name(call), "target",
                           expected, got, "target must hold %s, got %s of shape %s", expected,
                           stria_dtype_get_name(target->dtype), got);
}

/* Numbers of classes: whole, and one for each row of x. */
static stria_status check_indices(const stria_call *call, const class_loss *loss, stria_error *err)
{
    const stria_tensor *target = loss->target;
    int64_t             shape[STRIA_MAX_DIMS];
    const int           ndim = get_rows_shape(loss, shape);

    const stria_category category = stria_dtype_get_category(target->dtype);
    if (category != STRIA_CATEGORY_I && category != STRIA_CATEGORY_U)
        return stria_infer_refuse_dtype(call, "target", target->dtype, "an integer", err);
    if (stria_tensor_has_shape(target, ndim, shape)) return STRIA_OK;
    return stria_call_get_function(call) == STRIA_FN_cross_entropy
               ? refuse_target(call, loss, err)
               : refuse_shape(call, "target", target, ndim, shape, err);
}

/* *is_ignored, and *classes: the targets, 0 where they are ignored. */
static stria_status get_classes(const class_loss *loss, stria_temps *temps, stria_tensor **is_ignored,
                                stria_tensor **classes, stria_error *err)
{
    const stria_scalar ignored = {.kind = STRIA_SCALAR_INT, .i = loss->ignored};
    stria_tensor      *target;

    STRIA_TRY(stria_tensor_copy(loss->target, STRIA_I64, STRIA_TEMP, err));
    target = STRIA_LAST;
    STRIA_TRY(stria_tensor_new_scalar(ignored, STRIA_TEMP, err));
    STRIA_TRY(stria_eq(target, STRIA_LAST, STRIA_TEMP, err));
    *is_ignored = STRIA_LAST;
    STRIA_TRY(stria_where(*is_ignored, loss->zero, target, STRIA_TEMP, err));
    *classes = STRIA_LAST;
    return STRIA_OK;
}

/* The error of an index of `places` names a position in target, which lacks the axis: "target[1,0] is 7" is target[1]. */
static stria_status refuse_class(stria_status status, int axis, stria_error *err)
{
    status = stria_temps_rename(status, "index", "target", err);
    char *from = status == STRIA_ERR_ARGUMENT && err != NULL ? strstr(err->message, "target[") : NULL;
    if (from == NULL) return status;
    from += strlen("target[");
    for (int k = 0; k < axis && *from != 0; from++) k += *from == ',';
    char *to = from + strspn(from, "0123456789");
    if (*to == ',')
        to++;
    else if (from[-1] == ',')
        from--;
    else
        from--, to++; /* a number by itself, and its brackets */
    memmove(from, to, strlen(to) + 1);
    return status;
}

/* What every row costs, and its weight; both 0 where the target is ignored. logs are those of probabilities. */
static stria_status get_costs(const class_loss *loss, stria_tensor *logs, stria_temps *temps, stria_tensor **is_ignored,
                              stria_tensor **cost, stria_tensor **weight, stria_error *err)
{
    stria_tensor *classes, *places;

    STRIA_TRY(get_classes(loss, temps, is_ignored, &classes, err));
    STRIA_TRY(stria_unsqueeze(classes, loss->axis, STRIA_TEMP, err));
    places = STRIA_LAST;
    STRIA_TRY(refuse_class(stria_gather(logs, places, loss->axis, STRIA_TEMP, err), loss->axis, err));
    STRIA_TRY(stria_squeeze(STRIA_LAST, &loss->axis, 1, STRIA_TEMP, err));
    STRIA_TRY(stria_neg(STRIA_LAST, STRIA_TEMP, err));
    *cost = STRIA_LAST;
    if (loss->weight != NULL) {
        STRIA_TRY(stria_take(loss->weight, classes, STRIA_TEMP, err));
        STRIA_TRY(stria_where(*is_ignored, loss->zero, STRIA_LAST, STRIA_TEMP, err));
        *weight = STRIA_LAST;
        STRIA_TRY(stria_mul(*cost, *weight, STRIA_TEMP, err));
        *cost = STRIA_LAST;
    } else {
        STRIA_TRY(stria_logical_not(*is_ignored, STRIA_TEMP, err));
        STRIA_TRY(stria_tensor_copy(STRIA_LAST, logs->dtype, STRIA_TEMP, err));
        *weight = STRIA_LAST;
    }
    STRIA_TRY(stria_where(*is_ignored, loss->zero, *cost, STRIA_TEMP, err)); /* though the cost be infinite */
    *cost = STRIA_LAST;
    return STRIA_OK;
}

/* The costs, their sum, or that divided by the sum of the weights. */
static stria_status reduce_costs(stria_tensor *cost, const stria_tensor *weight, int reduction, stria_dtype result,
                                 stria_tensor **y, stria_temps *temps, stria_error *err)
{
    stria_tensor *sum;

    if (reduction == NONE) return stria_temps_narrow(cost, result, y, err);
    STRIA_TRY(stria_sum(cost, NULL, 0, false, STRIA_TEMP, err));
    if (reduction == SUM) return stria_temps_narrow(STRIA_LAST, result, y, err);
    sum = STRIA_LAST;
    STRIA_TRY(stria_sum(weight, NULL, 0, false, STRIA_TEMP, err));
    STRIA_TRY(stria_div(sum, STRIA_LAST, STRIA_TEMP, err));
    return stria_temps_narrow(STRIA_LAST, result, y, err);
}

stria_status stria_compose_nll_loss(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_nll_loss_attrs *attrs = call->attrs;
    class_loss                  loss;
    stria_tensor               *is_ignored, *cost, *weight;

    STRIA_TRY(begin(call, temps, attrs->ignore_index, &loss, err));
    STRIA_TRY(check_indices(call, &loss, err));
    STRIA_TRY(get_costs(&loss, (stria_tensor *)(uintptr_t)loss.x, temps, &is_ignored, &cost, &weight, err));
    return reduce_costs(cost, weight, attrs->reduction, loss.result, y, temps, err);
}

/* ---------------------------------------------------------------- cross_entropy */

/* logs * weight of their class */
static stria_status weigh_classes(const class_loss *loss, stria_tensor **logs, stria_temps *temps, stria_error *err)
{
    int64_t shape[STRIA_MAX_DIMS];

    if (loss->weight == NULL) return STRIA_OK;
    for (int d = 0; d < loss->x->ndim; d++) shape[d] = d == loss->axis ? loss->x->shape[d] : 1;
    STRIA_TRY(stria_view((stria_tensor *)(uintptr_t)loss->weight, shape, loss->x->ndim, STRIA_TEMP, err));
    STRIA_TRY(stria_mul(*logs, STRIA_LAST, STRIA_TEMP, err));
    *logs = STRIA_LAST;
    return STRIA_OK;
}

/* *cost = (1 - smoothing) cost + smoothing / classes * (what all classes of the row cost) */
static stria_status smooth(const class_loss *loss, stria_tensor *logs, const stria_tensor *is_ignored, double smoothing,
                           stria_tensor **cost, stria_temps *temps, stria_error *err)
{
    stria_tensor *number, *all, *own;

    if (smoothing == 0) return STRIA_OK;
    STRIA_TRY(weigh_classes(loss, &logs, temps, err));
    STRIA_TRY(stria_sum(logs, &loss->axis, 1, false, STRIA_TEMP, err));
    STRIA_TRY(stria_where(is_ignored, loss->zero, STRIA_LAST, STRIA_TEMP, err));
    all = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, -smoothing / (double)loss->x->shape[loss->axis], &number, err));
    STRIA_TRY(stria_mul(all, number, STRIA_TEMP, err));
    all = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, 1 - smoothing, &number, err));
    STRIA_TRY(stria_mul(*cost, number, STRIA_TEMP, err));
    own = STRIA_LAST;
    STRIA_TRY(stria_add(own, all, STRIA_TEMP, err));
    *cost = STRIA_LAST;
    return STRIA_OK;
}

/* Targets that are probabilities of classes. A mean divides by the number of rows. */
static stria_status run_probabilities(const stria_call *call, const class_loss *loss, stria_tensor *logs,
                                      stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_cross_entropy_attrs *attrs = call->attrs;
    const stria_tensor              *target = loss->target;
    const double                     classes = (double)loss->x->shape[loss->axis];
    stria_tensor                    *number;

    if (!stria_tensor_has_shape(target, loss->x->ndim, loss->x->shape)) return refuse_target(call, loss, err);
    if (attrs->label_smoothing != 0) {
        STRIA_TRY(stria_temps_number(temps, 1 - attrs->label_smoothing, &number, err));
        STRIA_TRY(stria_mul(target, number, STRIA_TEMP, err));
        target = STRIA_LAST;
        STRIA_TRY(stria_temps_number(temps, attrs->label_smoothing / classes, &number, err));
        STRIA_TRY(stria_add(target, number, STRIA_TEMP, err));
        target = STRIA_LAST;
    }
    STRIA_TRY(weigh_classes(loss, &logs, temps, err));
    STRIA_TRY(stria_mul(logs, target, STRIA_TEMP, err));
    STRIA_TRY(stria_sum(STRIA_LAST, &loss->axis, 1, false, STRIA_TEMP, err));
    STRIA_TRY(stria_neg(STRIA_LAST, STRIA_TEMP, err));
    stria_tensor *cost = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, (double)cost->numel, &number, err));
    return reduce_costs(cost, number, attrs->reduction, loss->result, y, temps, err);
}

stria_status stria_compose_cross_entropy(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_cross_entropy_attrs *attrs = call->attrs;
    class_loss                       loss;
    stria_tensor                    *logs, *is_ignored, *cost, *weight;

    if (!(attrs->label_smoothing >= 0 && attrs->label_smoothing <= 1))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "cross_entropy", "label_smoothing", "0 .. 1", NULL,
                               "label_smoothing is %g, but must be 0 .. 1", attrs->label_smoothing);
    STRIA_TRY(begin(call, temps, attrs->ignore_index, &loss, err));
    const bool is_probability = stria_dtype_get_category(loss.target->dtype) == STRIA_CATEGORY_F;
    if (is_probability && attrs->ignore_index >= 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "cross_entropy", "ignore_index", "below 0", NULL,
                               "ignore_index is %lld, but targets that are probabilities have no index",
                               (long long)attrs->ignore_index);
    if (!is_probability) STRIA_TRY(check_indices(call, &loss, err));
    STRIA_TRY(stria_log_softmax(loss.x, loss.axis, STRIA_DTYPE_NONE, STRIA_TEMP, err));
    logs = STRIA_LAST;
    if (is_probability) return run_probabilities(call, &loss, logs, y, temps, err);
    STRIA_TRY(get_costs(&loss, logs, temps, &is_ignored, &cost, &weight, err));
    STRIA_TRY(smooth(&loss, logs, is_ignored, attrs->label_smoothing, &cost, temps, err));
    return reduce_costs(cost, weight, attrs->reduction, loss.result, y, temps, err);
}
