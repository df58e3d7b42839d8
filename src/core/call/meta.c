/* meta.c - what an op or a reduction would return. Every refusal that shapes, dtypes and devices can cause happens
 * here, before any memory is touched. */
#include "call/meta.h"

#include <stdio.h>

#include "base/error.h"
#include "call/call.h"
#include "tensor/device.h"
#include "tensor/shape.h"

/* ---------------------------------------------------------------- what both kinds share */

static const char *const argument_names[STRIA_MAX_INPUTS] = {"a", "b", "c"};

static bool is_in_set(uint32_t dtype_set, stria_dtype dtype) { return (dtype_set >> dtype) & 1; }

static bool is_float_or_complex(stria_dtype dtype) { return stria_dtype_get_category(dtype) >= STRIA_CATEGORY_F; }

static stria_status refuse_device(const char *op, const char *argument, stria_device expected, stria_device got,
                                  stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_DEVICE, op, argument, stria_device_get_name(expected),
                           stria_device_get_name(got), "%s is on %s but the other operands are on %s", argument,
                           stria_device_get_name(got), stria_device_get_name(expected));
}

static stria_status refuse_dtype(const char *op, const char *argument, stria_dtype dtype, const char *hint,
                                 stria_error *err)
{
    const char *name = stria_dtype_get_name(dtype);

    return stria_error_set(err, STRIA_ERR_DTYPE, op, argument, NULL, name, "%s is not supported%s", name, hint);
}

/* ---------------------------------------------------------------- element-wise */

static stria_status check_inputs(const stria_op_info *info, const stria_tensor *const *in, int n_in, stria_error *err)
{
    if (n_in != info->arity) {
        return stria_error_set(err, STRIA_ERR_ARGUMENT, info->name, NULL, NULL, NULL, "takes %d inputs, got %d",
                               info->arity, n_in);
    }
    for (int i = 0; i < n_in; i++) {
        if (in != NULL && in[i] != NULL) continue;
        return stria_error_set(err, STRIA_ERR_ARGUMENT, info->name, argument_names[i], "a tensor", "NULL", "%s is NULL",
                               argument_names[i]);
    }
    return STRIA_OK;
}

/* What to use instead, for the refusals that people meet. */
static const char *get_hint(stria_op op, stria_dtype common)
{
    static const bool orders[STRIA_OP_COUNT] = {
        [STRIA_OP_lt] = true,    [STRIA_OP_le] = true,      [STRIA_OP_gt] = true,
        [STRIA_OP_ge] = true,    [STRIA_OP_minimum] = true, [STRIA_OP_maximum] = true,
        [STRIA_OP_clamp] = true, [STRIA_OP_fmin] = true,    [STRIA_OP_fmax] = true};

    if (stria_dtype_is_complex(common)) return orders[op] ? "; complex numbers have no order" : "";
    if (common != STRIA_BOOL) return "";
    if (op == STRIA_OP_sub || op == STRIA_OP_sub_scaled) return "; use bitwise_xor";
    return op == STRIA_OP_neg ? "; use logical_not" : "";
}

/* Integers to a negative integer number: the result would be no integer. */
static stria_status check_power(const stria_tensor *exponent, stria_dtype common, stria_error *err)
{
    if (is_float_or_complex(common) || !exponent->is_wrapped_number || exponent->dtype != STRIA_I64 ||
        exponent->device.type != STRIA_DEVICE_CPU || *(const int64_t *)(const void *)exponent->data >= 0) {
        return STRIA_OK;
    }
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "pow", "b", "a power >= 0", NULL,
                           "integers to a negative integer power; convert to a float first");
}

/* Inputs of one dtype, device and shape: nothing to promote and nothing to broadcast. Also whether they have the same strides. */
static bool are_alike(const stria_tensor *const *in, int n_in, bool *same_strides)
{
    const stria_tensor *first = in[0];
    int64_t             differing = 0;

    *same_strides = false;
    if (first->is_wrapped_number) return false;
    for (int i = 1; i < n_in; i++) {
        const stria_tensor *x = in[i];
        if (x->dtype != first->dtype || !stria_device_equals(x->device, first->device) || x->is_wrapped_number)
            return false;
        if (!stria_tensor_has_shape(x, first->ndim, first->shape)) return false;
        for (int d = 0; d < first->ndim; d++) differing |= x->strides[d] ^ first->strides[d];
    }
    *same_strides = differing == 0;
    return true;
}

/* What the inputs promote to; numbers of the row take no part. */
static stria_dtype promote(const stria_op_info *info, const stria_tensor *const *in)
{
    const int first = info->result == STRIA_RESULT_SELECT;
    int       n = info->arity;

    for (int k = 0; k < info->n_numbers && in[n - 1]->is_wrapped_number; k++) n--;
    return stria_promote_result(in + first, n - first);
}

static stria_status check_condition(const stria_op_info *info, const stria_tensor *condition, stria_error *err)
{
    if (condition->dtype == STRIA_BOOL || condition->dtype == STRIA_U8) return STRIA_OK;
    const char *got = stria_dtype_get_name(condition->dtype);
    return stria_error_set(err, STRIA_ERR_DTYPE, info->name, "a", "bool", got, "the condition must be bool, not %s",
                           got);
}

/* Of complex numbers: a real operand stays real. */
static stria_status infer_complex(stria_op op, const stria_tensor *const *in, stria_meta *meta, stria_error *err)
{
    const stria_op_info     *info = &stria_op_infos[op];
    const bool               is_select = info->result == STRIA_RESULT_SELECT;
    const stria_complex_rule rule = (stria_complex_rule)stria_complex_rules[op];
    const stria_dtype        part = stria_dtype_get_part(meta->common);

    if (is_select) STRIA_TRY(check_condition(info, in[0], err));
    for (int i = 0; i < info->arity; i++) meta->input[i] = stria_dtype_is_complex(in[i]->dtype) ? meta->common : part;
    if (is_select) meta->input[0] = STRIA_BOOL;
    meta->result = rule == STRIA_COMPLEX_PAIR ? meta->common : rule == STRIA_COMPLEX_PART ? part : STRIA_BOOL;
    meta->loop_out = meta->result;
    return STRIA_OK;
}

/* common is what the inputs promote to. It and the dtype of the loop stay in variables: read from meta as a pair, right after each was
 * written, they would cost a small call a fifth of its time. */
static stria_status infer_dtypes(stria_op op, const stria_tensor *const *in, stria_dtype common, stria_meta *meta,
                                 stria_error *err)
{
    const stria_op_info *info = &stria_op_infos[op];
    const bool           is_select = info->result == STRIA_RESULT_SELECT, is_mask = info->result == STRIA_RESULT_BOOL;

    if (info->result == STRIA_RESULT_FLOAT && !is_float_or_complex(common)) common = STRIA_F32;
    const stria_dtype compute = stria_dtype_get_compute(common);
    meta->common = common;
    meta->compute = compute;
    if (!is_in_set(info->dtype_set, compute)) {
        if (stria_dtype_is_complex(common) && stria_complex_rules[op] != STRIA_COMPLEX_NONE)
            return infer_complex(op, in, meta, err);
        int i = is_select;
        while (i < info->arity - 1 && in[i]->dtype != common) i++;
        return refuse_dtype(info->name, argument_names[i], common, get_hint(op, common), err);
    }
    if (is_select) STRIA_TRY(check_condition(info, in[0], err));
    if (op == STRIA_OP_pow) STRIA_TRY(check_power(in[1], common, err));
    for (int i = 0; i < info->arity; i++) meta->input[i] = compute;
    if (is_select) meta->input[0] = STRIA_BOOL;
    meta->loop_out = is_mask ? STRIA_BOOL : compute;
    meta->result = is_mask ? STRIA_BOOL : common;
    return STRIA_OK;
}

/* All on one device; numbers, and one other 0-dim CPU input, may accompany the others. */
static stria_status infer_device(const stria_op_info *info, const stria_tensor *const *in, stria_meta *meta,
                                 stria_error *err)
{
    int scalars_left = 1;

    meta->device = STRIA_CPU;
    for (int i = 0; i < info->arity && meta->device.type == STRIA_DEVICE_CPU; i++) {
        meta->device = in[i]->device;
    }
    for (int i = 0; i < info->arity; i++) {
        if (stria_device_equals(in[i]->device, meta->device)) continue;
        if (in[i]->device.type == STRIA_DEVICE_CPU && in[i]->ndim == 0 &&
            (in[i]->is_wrapped_number || scalars_left-- > 0))
            continue;
        return refuse_device(info->name, argument_names[i], meta->device, in[i]->device, err);
    }
    return STRIA_OK;
}

static void set_shape(stria_meta *meta, const stria_tensor *x)
{
    meta->ndim = x->ndim;
    for (int d = 0; d < x->ndim; d++) meta->shape[d] = x->shape[d];
}

static stria_status infer_shape(const stria_op_info *info, const stria_tensor *const *in, stria_meta *meta,
                                stria_error *err)
{
    int64_t numel;

    set_shape(meta, in[0]);
    meta->inputs_fit = true;
    for (int i = 1; i < info->arity; i++) {
        if (stria_tensor_has_shape(in[i], meta->ndim, meta->shape)) continue;
        meta->inputs_fit = false;
        const stria_status status =
            stria_shape_broadcast(info->name, &meta->ndim, meta->shape, in[i]->ndim, in[i]->shape, err);
        if (status != STRIA_OK) return stria_error_set_argument(err, status, argument_names[i]);
    }
    if (meta->inputs_fit) return STRIA_OK;
    return stria_shape_get_product(info->name, meta->ndim, meta->shape, &numel, err);
}

static stria_status check_out(const stria_op_info *info, const stria_tensor *const *in, const stria_tensor *out,
                              stria_meta *meta, stria_error *err)
{
    bool is_in_place = false;

    if (!stria_device_equals(out->device, meta->device)) {
        return refuse_device(info->name, "out", meta->device, out->device, err);
    }
    if (info->result != STRIA_RESULT_BOOL && out->dtype != meta->result &&
        !stria_dtype_get_castable(meta->result, out->dtype)) {
        const char *from = stria_dtype_get_name(meta->result);
        const char *to = stria_dtype_get_name(out->dtype);
        return stria_error_set(err, STRIA_ERR_DTYPE, info->name, "out", from, to,
                               "a result of %s does not cast to an out of %s", from, to);
    }
    meta->out_fits = stria_tensor_has_shape(out, meta->ndim, meta->shape);
    if (meta->out_fits) return STRIA_OK;
    for (int i = 0; i < info->arity; i++) is_in_place |= in[i] == out;
    if (is_in_place) {
        char expected[96], got[96];
        stria_shape_print(expected, sizeof expected, out->ndim, out->shape);
        stria_shape_print(got, sizeof got, meta->ndim, meta->shape);
        return stria_error_set(err, STRIA_ERR_SHAPE, info->name, "out", expected, got,
                               "in-place: a result of shape %s does not fit a tensor of shape %s", got, expected);
    }
    return STRIA_OK;
}

stria_status stria_meta_infer(stria_op op, const stria_tensor *const *in, int n_in, const stria_tensor *out,
                              stria_meta *meta, stria_error *err)
{
    if ((int)op < 0 || (int)op >= STRIA_OP_COUNT) {
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "apply", "op", NULL, NULL, "there is no op %d", (int)op);
    }
    const stria_op_info *info = &stria_op_infos[op];
    STRIA_TRY(check_inputs(info, in, n_in, err));
    const bool alike = are_alike(in, n_in, &meta->same_strides);
    STRIA_TRY(infer_dtypes(op, in, alike ? in[0]->dtype : promote(info, in), meta, err));
    if (alike) {
        meta->device = in[0]->device;
        meta->inputs_fit = true;
        set_shape(meta, in[0]);
    } else {
        STRIA_TRY(infer_device(info, in, meta, err));
        STRIA_TRY(infer_shape(info, in, meta, err));
    }
    return out != NULL ? check_out(info, in, out, meta, err) : STRIA_OK;
}

stria_status stria_meta_infer_conversion(const stria_tensor *x, stria_dtype dtype, const stria_tensor *out,
                                         stria_meta *meta, stria_error *err)
{
    static const stria_op_info info = {.name = "to", .arity = 1, .result = STRIA_RESULT_COMMON};

    meta->input[0] = meta->compute = x->dtype;
    meta->common = meta->loop_out = meta->result = dtype;
    meta->device = x->device;
    meta->inputs_fit = true;
    set_shape(meta, x);
    return out != NULL ? check_out(&info, &x, out, meta, err) : STRIA_OK;
}

/* ---------------------------------------------------------------- reductions */

/* Sums and products of small integers run in the 64-bit ones, which agree with them modulo 2^bits. */
static stria_dtype choose_compute(const stria_reduction_info *info, stria_dtype result)
{
    if (info->result == STRIA_RED_TRUTH) return STRIA_BOOL;
    stria_dtype compute = stria_dtype_get_compute(result);
    if (info->result == STRIA_RED_WIDE && compute != STRIA_BOOL) compute = stria_dtype_get_wide(compute);
    return compute;
}

static stria_status infer_reduce_dtypes(stria_reduction op, const stria_tensor *x, stria_dtype dtype,
                                        const stria_tensor *out, stria_reduce_meta *meta, stria_error *err)
{
    const stria_reduction_info *info = &stria_reduction_infos[op];
    const bool                  by_out = dtype == STRIA_DTYPE_NONE && out != NULL;
    stria_dtype                 result = by_out ? out->dtype : dtype;

    if (dtype != STRIA_DTYPE_NONE && stria_dtype_get_size(dtype) == 0) {
        return stria_error_set(err, STRIA_ERR_DTYPE, info->name, "dtype", NULL, NULL, "there is no dtype %d",
                               (int)dtype);
    }
    if (out != NULL && out->dtype != result) {
        const char *expected = stria_dtype_get_name(result), *got = stria_dtype_get_name(out->dtype);
        return stria_error_set(err, STRIA_ERR_DTYPE, info->name, "out", expected, got,
                               "out is %s but dtype asks for %s", got, expected);
    }
    if (info->result == STRIA_RED_FLOAT) {
        stria_dtype averaged = dtype == STRIA_DTYPE_NONE ? x->dtype : dtype;
        if (!is_float_or_complex(averaged)) {
            return refuse_dtype(info->name, "x", averaged, "; give a float dtype", err);
        }
    }
    if (result == STRIA_DTYPE_NONE) {
        result = info->result == STRIA_RED_WIDE ? stria_dtype_get_wide(x->dtype) : x->dtype;
        if (info->result == STRIA_RED_TRUTH && result != STRIA_U8) result = STRIA_BOOL;
    } else if (info->result == STRIA_RED_TRUTH && !by_out && result != STRIA_BOOL && result != STRIA_U8) {
        return refuse_dtype(info->name, "dtype", result, "; the result is bool or u8", err);
    }
    meta->result = result;
    meta->compute = choose_compute(info, result);
    if (is_in_set(info->dtype_set, meta->compute)) return STRIA_OK;
    if (stria_dtype_is_complex(meta->compute) && (info->result == STRIA_RED_WIDE || info->result == STRIA_RED_FLOAT))
        return STRIA_OK; /* sums, products and means, of parts */
    if (stria_dtype_is_complex(meta->compute) && info->result == STRIA_RED_SAME)
        return refuse_dtype(info->name, "x", result, "; complex numbers have no order", err);
    const bool is_wide_bool = meta->compute == STRIA_BOOL && info->result == STRIA_RED_WIDE;
    return refuse_dtype(info->name, "x", result, is_wide_bool ? "; use any or all" : "", err);
}

static bool is_undefined_if_empty(const stria_reduction_info *info)
{
    return info->identity == STRIA_IDENTITY_LOWEST || info->identity == STRIA_IDENTITY_HIGHEST;
}

static stria_status infer_reduce_shape(const stria_reduction_info *info, const stria_tensor *x, bool keepdim,
                                       stria_reduce_meta *meta, stria_error *err)
{
    uint64_t count = 1; /* wraps only where another size is 0 */

    for (int d = 0; d < x->ndim; d++) {
        if (!((meta->reduced >> d) & 1)) continue;
        count *= (uint64_t)x->shape[d];
        if (x->shape[d] == 0 && is_undefined_if_empty(info)) {
            char got[96];
            stria_shape_print(got, sizeof got, x->ndim, x->shape);
            return stria_error_set(err, STRIA_ERR_EMPTY, info->name, "x", "elements along every reduced axis", got,
                                   "axis %d has size 0, and there is no %s of nothing", d, info->name);
        }
    }
    meta->ndim = stria_shape_reduce(x->ndim, x->shape, meta->reduced, keepdim, meta->shape);
    meta->count = (int64_t)count;
    return STRIA_OK;
}

stria_status stria_meta_infer_reduce(stria_reduction op, const stria_tensor *x, const int *axes, int n_axes,
                                     bool keepdim, stria_dtype dtype, const stria_tensor *out, stria_reduce_meta *meta,
                                     stria_error *err)
{
    if ((int)op < 0 || (int)op >= STRIA_RED_COUNT) {
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "reduce", "op", NULL, NULL, "there is no reduction %d",
                               (int)op);
    }
    const stria_reduction_info *info = &stria_reduction_infos[op];
    if (x == NULL || n_axes < 0) {
        return stria_error_set(err, STRIA_ERR_ARGUMENT, info->name, x == NULL ? "x" : "axes", NULL, NULL,
                               x == NULL ? "x is NULL" : "n_axes is negative");
    }
    STRIA_TRY(infer_reduce_dtypes(op, x, dtype, out, meta, err));
    STRIA_TRY(stria_infer_axes(info->name, "axes", x, axes, n_axes, &meta->reduced, err));
    STRIA_TRY(infer_reduce_shape(info, x, keepdim, meta, err));
    meta->device = x->device;
    if (out == NULL || stria_device_equals(out->device, x->device)) return STRIA_OK;
    return refuse_device(info->name, "out", x->device, out->device, err);
}
