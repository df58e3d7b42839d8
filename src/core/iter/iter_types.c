/* iter_types.c - step 3.5 of building an iterator: dtypes, devices, and the temporaries of the converting options. */
#include "base/alloc.h"
#include "base/error.h"
#include "call/backend.h"
#include "iter/iter_internal.h"
#include "call/meta.h"
#include "tensor/device.h"
#include "tensor/tensor.h"

/* What the first walk over the operands finds. */
typedef struct survey {
    stria_dtype input_dtype;  /* of the first input; NONE: no inputs */
    stria_dtype output_dtype; /* of the first given output */
    bool        inputs_differ, outputs_differ;
    bool        has_undefined; /* an output to allocate without a static dtype */
} survey;

static stria_status refuse_contract(const stria_iter_config *config, const char *text, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_INTERNAL, config->name, NULL, NULL, NULL, "%s", text);
}

static stria_status take_survey(stria_iter *it, const stria_iter_config *config, survey *found, stria_error *err)
{
    found->input_dtype = found->output_dtype = STRIA_DTYPE_NONE;
    found->inputs_differ = found->outputs_differ = found->has_undefined = false;
    for (int k = 0; k < it->n_operands; k++) {
        stria_iter_operand *op = &it->operands[k];
        if (op->tensor == NULL) {
            if (!op->is_output) return refuse_contract(config, "an input is missing", err);
            op->target = config->static_dtype;
            if (op->target == STRIA_DTYPE_NONE) found->has_undefined = true;
            if (config->has_static_device) {
                op->device = config->static_device;
            } else if (!config->check_all_same_device) {
                return refuse_contract(config, "the device of an output cannot be inferred", err);
            }
            continue;
        }
        if (it->common_device.type == STRIA_DEVICE_CPU) it->common_device = op->tensor->device;
        stria_dtype *first = op->is_output ? &found->output_dtype : &found->input_dtype;
        bool        *differ = op->is_output ? &found->outputs_differ : &found->inputs_differ;
        if (*first == STRIA_DTYPE_NONE)
            *first = op->dtype;
        else if (*first != op->dtype)
            *differ = true;
    }
    return STRIA_OK;
}

static stria_status check_all_same_dtype(const stria_iter *it, const stria_iter_config *config, const survey *found,
                                         stria_error *err)
{
    for (int k = 0; config->check_all_same_dtype && k < it->n_operands; k++) {
        const stria_iter_operand *op = &it->operands[k];
        if (op->tensor == NULL || op->dtype == found->input_dtype) continue;
        const char *expected = stria_dtype_get_name(found->input_dtype);
        const char *got = stria_dtype_get_name(op->dtype);
        return stria_error_set(err, STRIA_ERR_DTYPE, config->name, op->is_output ? "out" : "in", expected, got,
                               "operand %d is %s but the first input is %s", k, got, expected);
    }
    return STRIA_OK;
}

/* The common dtype, given that it is needed. */
static stria_status compute_common_dtype(stria_iter *it, const stria_iter_config *config, const survey *found,
                                         stria_error *err)
{
    int n_inputs = it->n_operands - it->n_outputs;

    it->common_dtype = found->input_dtype;
    if (config->promote_inputs_to_common_dtype && (found->inputs_differ || it->all_scalars)) {
        if (n_inputs == 0) return refuse_contract(config, "promotion needs an input", err);
        it->common_dtype =
            stria_promote_result((const stria_tensor *const *)config->operands + it->n_outputs, n_inputs);
    }
    if (config->promote_integer_inputs_to_float && it->common_dtype != STRIA_DTYPE_NONE &&
        stria_dtype_get_category(it->common_dtype) <= STRIA_CATEGORY_I) {
        it->common_dtype = STRIA_F32;
    }
    return STRIA_OK;
}

/* A tensor given by the caller must be where the others are, one CPU scalar excepted. */
static stria_status check_device(const stria_iter *it, const stria_iter_config *config, const stria_iter_operand *op,
                                 int *scalars_left, stria_error *err)
{
    if (!config->check_all_same_device || stria_device_equals(op->device, it->common_device)) {
        return STRIA_OK;
    }
    if (config->allow_cpu_scalars && !op->is_output && op->tensor->ndim == 0 && op->device.type == STRIA_DEVICE_CPU) {
        if ((*scalars_left)-- > 0) return STRIA_OK;
        return stria_error_set(err, STRIA_ERR_DEVICE, config->name, "in", stria_device_get_name(it->common_device),
                               "cpu", "more than one CPU scalar beside operands on %s",
                               stria_device_get_name(it->common_device));
    }
    return stria_error_set(err, STRIA_ERR_DEVICE, config->name, op->is_output ? "out" : "in",
                           stria_device_get_name(it->common_device), stria_device_get_name(op->device),
                           "operands are on %s and %s", stria_device_get_name(it->common_device),
                           stria_device_get_name(op->device));
}

/* Puts an owned temporary in the place of the caller's tensor, or of an earlier temporary. */
static void substitute(stria_iter_operand *op, stria_tensor *temporary)
{
    if (op->original == NULL) {
        op->original = op->tensor;
        op->owns_original = op->owned;
    } else if (op->owned) {
        stria_tensor_release(op->tensor);
    }
    op->tensor = temporary;
    op->owned = true;
    op->contiguous = -1;
    op->dtype = op->target = temporary->dtype;
}

stria_status stria_iter_convert_input(stria_iter_operand *op, stria_dtype dtype, stria_error *err)
{
    stria_tensor *temporary;

    STRIA_TRY(stria_tensor_new_like(op->tensor, dtype, &temporary, err));
    stria_status status = stria_backend_copy(temporary, op->tensor, err);
    if (status != STRIA_OK) {
        stria_tensor_release(temporary);
        return status;
    }
    substitute(op, temporary);
    return STRIA_OK;
}

static stria_status convert_output(stria_iter_operand *op, stria_dtype dtype, stria_error *err)
{
    stria_tensor *temporary;

    STRIA_TRY(stria_tensor_new(dtype, op->tensor->ndim, op->tensor->shape, &temporary, err));
    substitute(op, temporary);
    return STRIA_OK;
}

static stria_status settle_operand(stria_iter *it, const stria_iter_config *config, stria_iter_operand *op,
                                   stria_error *err)
{
    const stria_dtype common = it->common_dtype;

    if (op->dtype == common) return STRIA_OK;
    if (config->enforce_safe_casting_to_output && op->is_output && !stria_dtype_get_castable(common, op->dtype)) {
        const char *from = stria_dtype_get_name(common), *to = stria_dtype_get_name(op->dtype);
        return stria_error_set(err, STRIA_ERR_DTYPE, config->name, "out", from, to,
                               "a result of %s does not cast to an output of %s", from, to);
    }
    if (it->common_device.type != STRIA_DEVICE_CPU) return STRIA_OK; /* kernels convert there */
    if (op->is_output && config->cast_common_dtype_to_outputs) {
        if (common == STRIA_DTYPE_NONE) {
            return refuse_contract(config, "no inputs to take a common dtype from", err);
        }
        return convert_output(op, common, err);
    }
    if (!op->is_output && config->promote_inputs_to_common_dtype) {
        return stria_iter_convert_input(op, common, err);
    }
    return STRIA_OK;
}

stria_status stria_iter_compute_types(stria_iter *it, const stria_iter_config *config, stria_error *err)
{
    survey found;

    STRIA_TRY(take_survey(it, config, &found, err));
    bool casts_out = config->cast_common_dtype_to_outputs || config->enforce_safe_casting_to_output;
    if (found.inputs_differ && !config->promote_inputs_to_common_dtype && (found.has_undefined || casts_out)) {
        return refuse_contract(config, "inputs differ in dtype and promotion is off", err);
    }
    STRIA_TRY(check_all_same_dtype(it, config, &found, err));
    if (!found.has_undefined && !config->check_all_same_device && !config->promote_inputs_to_common_dtype &&
        !casts_out) {
        it->common_dtype = found.inputs_differ ? STRIA_DTYPE_NONE : found.input_dtype;
        return STRIA_OK;
    }
    STRIA_TRY(compute_common_dtype(it, config, &found, err));
    int scalars_left = 1;
    for (int k = 0; k < it->n_operands; k++) {
        stria_iter_operand *op = &it->operands[k];
        if (op->device.type < 0) op->device = it->common_device;
        if (op->tensor == NULL) {
            if (op->target == STRIA_DTYPE_NONE) op->target = it->common_dtype;
            continue;
        }
        STRIA_TRY(check_device(it, config, op, &scalars_left, err));
        STRIA_TRY(settle_operand(it, config, op, err));
    }
    return STRIA_OK;
}
