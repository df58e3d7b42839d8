/* iter_config.c - options, operands and presets of the iterator (section 2 of the specification).
 *
 * The calls return nothing; the first mistake is kept in the config and reported by stria_iter_build. */
#include <string.h>

#include "base/alloc.h"
#include "iter.h"
#include "tensor/device.h"
#include "tensor/overlap.h"

static void remember(stria_iter_config *config, stria_status status, const char *message)
{
    if (config->status != STRIA_OK) return;
    config->status = status;
    config->message = message;
}

void stria_iter_config_init(stria_iter_config *config)
{
    config->check_mem_overlap = true;
    config->check_all_same_dtype = true;
    config->check_all_same_device = true;
    config->enforce_safe_casting_to_output = false;
    config->promote_inputs_to_common_dtype = false;
    config->cast_common_dtype_to_outputs = false;
    config->promote_integer_inputs_to_float = false;
    config->allow_cpu_scalars = false;
    config->is_reduction = false;
    config->enforce_linear_iteration = false;
    config->resize_outputs = true;
    config->has_static_shape = false;
    config->has_static_device = false;
    config->copy_if_overlap = false;
    config->multi_index = false;
    config->op_axes_ndim = -1;
    config->static_dtype = STRIA_DTYPE_NONE;
    config->static_device = STRIA_CPU;
    config->static_ndim = 0;
    config->n_outputs = 0;
    config->n_operands = 0;
    config->operand_capacity = STRIA_ITER_INLINE_OPERANDS;
    config->status = STRIA_OK;
    config->message = "";
    config->name = "iter";
    config->operands = config->inline_operands;
}

void stria_iter_config_release(stria_iter_config *config)
{
    if (config->operands != config->inline_operands) stria_object_release(config->operands);
    config->operands = config->inline_operands;
    config->n_operands = config->n_outputs = 0;
    config->operand_capacity = STRIA_ITER_INLINE_OPERANDS;
}

/* Twice as much room for operands; false (and remembered) if there is none. */
static bool grow(stria_iter_config *config)
{
    if (config->n_operands >= STRIA_ITER_MAX_OPERANDS) {
        remember(config, STRIA_ERR_ARGUMENT, "too many operands");
        return false;
    }
    int            capacity = 2 * config->operand_capacity;
    stria_tensor **operands = stria_object_new((size_t)capacity * sizeof *operands);
    if (operands == NULL) {
        remember(config, STRIA_ERR_MEMORY, "no memory for the list of operands");
        return false;
    }
    memcpy(operands, config->operands, (size_t)config->n_operands * sizeof *operands);
    if (config->operands != config->inline_operands) stria_object_release(config->operands);
    config->operands = operands;
    config->operand_capacity = capacity;
    return true;
}

static inline void add_operand(stria_iter_config *config, const stria_tensor *x, bool is_output)
{
    if (config->n_operands == config->operand_capacity && !grow(config)) return;
    config->operands[config->n_operands++] = (stria_tensor *)x; /* inputs are only ever read through */
    config->n_outputs += is_output;
}

void stria_iter_config_add_output(stria_iter_config *config, stria_tensor *out)
{
    if (config->n_operands != config->n_outputs) {
        remember(config, STRIA_ERR_INTERNAL, "an output was added after an input");
        return;
    }
    add_operand(config, out, true);
}

void stria_iter_config_add_input(stria_iter_config *config, const stria_tensor *in) { add_operand(config, in, false); }

void stria_iter_config_set_name(stria_iter_config *config, const char *name) { config->name = name; }

/* ---------------------------------------------------------------- options */

void stria_iter_config_set_check_mem_overlap(stria_iter_config *config, bool on) { config->check_mem_overlap = on; }

void stria_iter_config_set_check_all_same_dtype(stria_iter_config *config, bool on)
{
    config->check_all_same_dtype = on;
}

void stria_iter_config_set_check_all_same_device(stria_iter_config *config, bool on)
{
    config->check_all_same_device = on;
}

void stria_iter_config_set_enforce_safe_casting_to_output(stria_iter_config *config, bool on)
{
    config->enforce_safe_casting_to_output = on;
}

void stria_iter_config_set_promote_inputs_to_common_dtype(stria_iter_config *config, bool on)
{
    config->promote_inputs_to_common_dtype = on;
    if (on) config->check_all_same_dtype = false;
}

void stria_iter_config_set_cast_common_dtype_to_outputs(stria_iter_config *config, bool on)
{
    config->cast_common_dtype_to_outputs = on;
    if (on) config->check_all_same_dtype = false;
}

void stria_iter_config_set_promote_integer_inputs_to_float(stria_iter_config *config, bool on)
{
    config->promote_integer_inputs_to_float = on;
    if (on && !config->promote_inputs_to_common_dtype) {
        remember(config, STRIA_ERR_INTERNAL,
                 "promote_integer_inputs_to_float needs promote_inputs_to_common_dtype before");
    }
}

void stria_iter_config_set_allow_cpu_scalars(stria_iter_config *config, bool on) { config->allow_cpu_scalars = on; }

void stria_iter_config_set_is_reduction(stria_iter_config *config, bool on) { config->is_reduction = on; }

void stria_iter_config_set_enforce_linear_iteration(stria_iter_config *config, bool on)
{
    config->enforce_linear_iteration = on;
}

void stria_iter_config_set_resize_outputs(stria_iter_config *config, bool on) { config->resize_outputs = on; }

void stria_iter_config_set_static_dtype(stria_iter_config *config, stria_dtype dtype)
{
    config->static_dtype = dtype;
    if (config->check_all_same_dtype) {
        remember(config, STRIA_ERR_CONFIG, "static_dtype needs check_all_same_dtype off before");
    } else if (stria_dtype_get_size(dtype) == 0) {
        remember(config, STRIA_ERR_DTYPE, "static_dtype is no dtype");
    }
}

void stria_iter_config_set_static_device(stria_iter_config *config, stria_device device)
{
    if (!stria_device_is_valid(device)) remember(config, STRIA_ERR_ARGUMENT, "the static device is no device");
    config->static_device = device;
    config->has_static_device = true;
}

void stria_iter_config_set_static_shape(stria_iter_config *config, int ndim, const int64_t *shape, const int *squash,
                                        int n_squash)
{
    if (config->resize_outputs) {
        remember(config, STRIA_ERR_CONFIG, "static_shape needs resize_outputs off before");
        return;
    }
    if (ndim < 0 || ndim > STRIA_MAX_DIMS) {
        remember(config, STRIA_ERR_SHAPE, "static_shape has too many dims");
        return;
    }
    if ((shape == NULL && ndim > 0) || (squash == NULL && n_squash > 0)) {
        remember(config, STRIA_ERR_ARGUMENT, "static_shape or its squash axes are NULL");
        return;
    }
    config->has_static_shape = true;
    config->static_ndim = ndim;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0) remember(config, STRIA_ERR_SHAPE, "static_shape has a negative size");
        config->static_shape[d] = shape[d];
    }
    for (int i = 0; ndim > 0 && i < n_squash; i++) {
        if (squash[i] < 0 || squash[i] >= ndim) {
            remember(config, STRIA_ERR_AXIS, "a squash axis of static_shape is out of range");
            return;
        }
        config->static_shape[squash[i]] = 1;
    }
}

void stria_iter_config_set_copy_if_overlap(stria_iter_config *config, bool on) { config->copy_if_overlap = on; }

void stria_iter_config_set_multi_index(stria_iter_config *config, bool on) { config->multi_index = on; }

void stria_iter_config_set_op_axes(stria_iter_config *config, int operand, const int *axes, int n_axes)
{
    if (operand < 0 || operand >= config->n_operands || operand >= STRIA_ITER_INLINE_OPERANDS) {
        remember(config, STRIA_ERR_ARGUMENT, "op_axes of an operand that was not added, or beyond the first 8");
        return;
    }
    if (config->operands[operand] == NULL) {
        remember(config, STRIA_ERR_ARGUMENT, "op_axes of an output that is to be allocated");
        return;
    }
    if (n_axes < 0 || n_axes > STRIA_MAX_DIMS || (config->op_axes_ndim >= 0 && config->op_axes_ndim != n_axes)) {
        remember(config, STRIA_ERR_AXIS, "op_axes differ in length, or have more than 64 axes");
        return;
    }
    if (axes == NULL && n_axes > 0) {
        remember(config, STRIA_ERR_ARGUMENT, "op_axes are NULL");
        return;
    }
    const stria_tensor *x = config->operands[operand];
    uint64_t            seen = 0;
    for (int d = 0; d < n_axes; d++) {
        if (axes[d] < -1 || axes[d] >= stria_tensor_get_ndim(x) || (axes[d] >= 0 && (seen >> axes[d] & 1))) {
            remember(config, STRIA_ERR_AXIS, "op_axes name an axis twice, or one that the operand does not have");
            return;
        }
        if (axes[d] >= 0) seen |= (uint64_t)1 << axes[d];
        config->op_axes[operand][d] = (int8_t)axes[d];
    }
    for (int axis = 0; axis < stria_tensor_get_ndim(x); axis++) {
        if (stria_tensor_get_shape(x)[axis] != 1 && !(seen >> axis & 1)) {
            remember(config, STRIA_ERR_AXIS, "op_axes leave out an axis whose size is not 1");
            return;
        }
    }
    if (config->op_axes_ndim < 0) memset(config->has_op_axes, 0, sizeof config->has_op_axes);
    config->op_axes_ndim = n_axes;
    config->has_op_axes[operand] = true;
}

/* ---------------------------------------------------------------- presets */

void stria_iter_config_set_elementwise(stria_iter_config *config, stria_dtype result_dtype)
{
    config->check_all_same_dtype = false;
    config->allow_cpu_scalars = true;
    stria_iter_config_set_static_dtype(config, result_dtype);
}

/* Promotion, with temporaries for inputs and outputs and only safe casts. */
static void set_promoting(stria_iter_config *config)
{
    stria_iter_config_set_promote_inputs_to_common_dtype(config, true);
    stria_iter_config_set_cast_common_dtype_to_outputs(config, true);
    stria_iter_config_set_enforce_safe_casting_to_output(config, true);
}

static void add_operands(stria_iter_config *config, stria_tensor *out, const stria_tensor *a)
{
    stria_iter_config_add_output(config, out);
    stria_iter_config_add_input(config, a);
}

void stria_iter_config_set_binary_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *a,
                                     const stria_tensor *b)
{
    set_promoting(config);
    config->allow_cpu_scalars = true;
    add_operands(config, out, a);
    stria_iter_config_add_input(config, b);
}

void stria_iter_config_set_borrowing_binary_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *a,
                                               const stria_tensor *b)
{
    stria_iter_config_set_binary_op(config, out, a, b);
}

void stria_iter_config_set_binary_float_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *a,
                                           const stria_tensor *b)
{
    stria_iter_config_set_binary_op(config, out, a, b);
    stria_iter_config_set_promote_integer_inputs_to_float(config, true);
}

void stria_iter_config_set_ternary_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *a,
                                      const stria_tensor *b, const stria_tensor *c)
{
    set_promoting(config);
    add_operands(config, out, a);
    stria_iter_config_add_input(config, b);
    stria_iter_config_add_input(config, c);
}

void stria_iter_config_set_comparison_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *a,
                                         const stria_tensor *b)
{
    stria_iter_config_set_promote_inputs_to_common_dtype(config, true);
    config->allow_cpu_scalars = true;
    if (out == NULL) {
        stria_iter_config_set_static_dtype(config, STRIA_BOOL);
    } else if (stria_tensor_get_dtype(out) != STRIA_BOOL) {
        stria_iter_config_set_cast_common_dtype_to_outputs(config, true);
    }
    add_operands(config, out, a);
    stria_iter_config_add_input(config, b);
}

void stria_iter_config_set_unary_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *a)
{
    add_operands(config, out, a);
}

void stria_iter_config_set_unary_float_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *a)
{
    set_promoting(config);
    stria_iter_config_set_promote_integer_inputs_to_float(config, true);
    add_operands(config, out, a);
}

void stria_iter_config_set_unary_force_boolean_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *a)
{
    config->check_all_same_dtype = false;
    stria_iter_config_set_static_dtype(config, STRIA_BOOL);
    if (a != NULL) stria_iter_config_set_static_device(config, stria_tensor_get_device(a)); /* else the build refuses */
    add_operands(config, out, a);
}

void stria_iter_config_set_nullary_op(stria_iter_config *config, stria_tensor *out)
{
    config->check_all_same_dtype = false;
    config->resize_outputs = false;
    stria_iter_config_add_output(config, out);
}

static void set_reducing(stria_iter_config *config)
{
    config->check_mem_overlap = false;
    config->resize_outputs = false;
    config->is_reduction = true;
}

void stria_iter_config_set_reduce_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *in)
{
    set_reducing(config);
    stria_iter_config_set_promote_inputs_to_common_dtype(config, true);
    if (out == NULL) remember(config, STRIA_ERR_INTERNAL, "a reduction needs its output given");
    add_operands(config, out, in);
}

static bool same_geometry(const stria_tensor *a, const stria_tensor *b)
{
    int ndim = stria_tensor_get_ndim(a);
    if (ndim != stria_tensor_get_ndim(b)) return false;
    for (int d = 0; d < ndim; d++) {
        if (stria_tensor_get_shape(a)[d] != stria_tensor_get_shape(b)[d] ||
            stria_tensor_get_strides(a)[d] != stria_tensor_get_strides(b)[d]) {
            return false;
        }
    }
    return true;
}

void stria_iter_config_set_reduce_op_pair(stria_iter_config *config, stria_tensor *out0, stria_tensor *out1,
                                          const stria_tensor *in)
{
    set_reducing(config);
    config->check_all_same_dtype = false;
    if (out0 == NULL || out1 == NULL) {
        remember(config, STRIA_ERR_INTERNAL, "a reduction needs its outputs given");
    } else if ((in != NULL && !stria_device_equals(stria_tensor_get_device(out0), stria_tensor_get_device(in))) ||
               !stria_device_equals(stria_tensor_get_device(out0), stria_tensor_get_device(out1))) {
        remember(config, STRIA_ERR_DEVICE, "the outputs and the input are on different devices");
    } else if (!same_geometry(out0, out1)) {
        remember(config, STRIA_ERR_SHAPE, "the two outputs differ in shape or strides");
    } else if (out0 == out1 || stria_overlap_find(out0, out1) != STRIA_OVERLAP_NONE) {
        remember(config, STRIA_ERR_OVERLAP, "the two outputs share memory");
    }
    stria_iter_config_add_output(config, out0);
    stria_iter_config_add_output(config, out1);
    stria_iter_config_add_input(config, in);
}

void stria_iter_config_set_copy(stria_iter_config *config, stria_tensor *out, const stria_tensor *in)
{
    config->check_all_same_dtype = false;
    config->check_all_same_device = false;
    config->resize_outputs = false;
    add_operands(config, out, in);
}
