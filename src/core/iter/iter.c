/* iter.c - building an iterator.
 *
 * The steps have the order and the numbers of section 3 of the specification (tests/spec/iterator.md); `build` at
 * the end lists them. Larger ones have files of their own: iter_overlap.c (3.2), iter_types.c (3.5),
 * iter_outputs.c (3.6, 3.9), iter_dims.c (3.7, 3.8, 3.10). */
#include "iter.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "iter/iter_internal.h"
#include "tensor/overlap.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

#define DEVICE_UNKNOWN STRIA_DEVICE(-1, 0)

/* ---------------------------------------------------------------- 3.0 storage of the iterator itself */

static size_t round_up(size_t n) { return (n + 15) & ~(size_t)15; }

static void use_inline_storage(stria_iter *it, int n_operands)
{
    it->n_operands = n_operands;
    it->heap = NULL;
    it->operands = it->inline_operands;
    it->shape = it->inline_shape;
    it->strides = it->inline_strides;
    it->view_offsets = it->inline_view_offsets;
    it->common_shape = it->inline_common_shape;
    it->permutation = it->inline_permutation;
}

static bool use_heap(stria_iter *it, int n_operands, int ndim)
{
    size_t dims = (size_t)(ndim < 2 ? 2 : ndim);
    size_t operand_bytes = round_up((size_t)n_operands * sizeof(stria_iter_operand));
    size_t stride_bytes = round_up((size_t)n_operands * dims * sizeof(int64_t));
    size_t dim_bytes = round_up(dims * sizeof(int64_t));
    char  *heap = stria_object_new(operand_bytes + stride_bytes + 4 * dim_bytes);
    if (heap == NULL) {
        stria_iter_init(it);
        return false;
    }
    it->n_operands = n_operands;
    it->heap = heap;
    it->operands = (stria_iter_operand *)heap;
    it->strides = (int64_t *)(heap + operand_bytes);
    it->shape = (int64_t *)(heap + operand_bytes + stride_bytes);
    it->view_offsets = (int64_t *)(heap + operand_bytes + stride_bytes + dim_bytes);
    it->common_shape = (int64_t *)(heap + operand_bytes + stride_bytes + 2 * dim_bytes);
    it->permutation = (int8_t *)(heap + operand_bytes + stride_bytes + 3 * dim_bytes);
    return true;
}

static inline bool reserve(stria_iter *it, int n_operands, int ndim)
{
    if (n_operands > STRIA_ITER_INLINE_OPERANDS || ndim > STRIA_ITER_INLINE_DIMS) return use_heap(it, n_operands, ndim);
    use_inline_storage(it, n_operands);
    return true;
}

bool stria_iter_reserve(stria_iter *it, int n_operands, int ndim) { return reserve(it, n_operands, ndim); }

/* Sets every field to what it has if no step changes it. */
static void reset(stria_iter *it, const stria_iter_config *config)
{
    it->n_outputs = config->n_outputs;
    it->setup = STRIA_ITER_GENERAL;
    it->common_dtype = STRIA_DTYPE_NONE;
    it->common_device = STRIA_CPU;
    it->is_reduction = config->is_reduction;
    it->is_linear = config->enforce_linear_iteration;
    it->has_static_shape = config->has_static_shape;
    it->is_meta = false;
    it->accumulate = false;
    it->final_output = true;
    it->is_counted = false;
    it->multi_index = config->multi_index;
}

static void load_operand(stria_iter_operand *op, stria_tensor *x, bool is_output)
{
    const stria_dtype dtype = x != NULL ? x->dtype : STRIA_DTYPE_NONE;

    *op = (stria_iter_operand){.tensor = x,
                               .given = x,
                               .dtype = dtype,
                               .target = dtype,
                               .device = x != NULL ? x->device : DEVICE_UNKNOWN,
                               .contiguous = -1,
                               .is_output = is_output};
}

static bool has_op_axes(const stria_iter_config *config, int k)
{
    return config->op_axes_ndim >= 0 && k < STRIA_ITER_INLINE_OPERANDS && config->has_op_axes[k];
}

/* Puts a view with the iteration's axes in the operand's place. */
static stria_status map_axes(stria_iter_operand *op, int ndim, const int8_t *axes, stria_error *err)
{
    int64_t       shape[STRIA_MAX_DIMS], strides[STRIA_MAX_DIMS];
    stria_tensor *x = op->tensor, *view;

    for (int d = 0; d < ndim; d++) {
        shape[d] = axes[d] < 0 ? 1 : x->shape[axes[d]];
        strides[d] = axes[d] < 0 ? 0 : x->strides[axes[d]];
    }
    STRIA_TRY(stria_tensor_view(x, ndim, shape, strides, 0, &view, err));
    op->tensor = view;
    op->owned = true;
    return STRIA_OK;
}

/* What is found in one pass over the operands, so that steps can be left out. */
typedef struct facts {
    int  most_dims;
    bool any_meta;
    bool is_uniform;    /* all are given, on the CPU and of one dtype */
    bool shares_memory; /* an output and another operand may lie in one storage */
} facts;

static facts find_facts(const stria_iter_config *config)
{
    const stria_tensor  *last = config->n_operands > 0 ? config->operands[config->n_operands - 1] : NULL;
    const stria_storage *written =
        config->n_outputs == 1 && config->operands[0] != NULL ? config->operands[0]->storage : NULL;
    facts found = {.most_dims = config->has_static_shape ? config->static_ndim : 0,
                   .is_uniform = last != NULL,
                   .shares_memory = config->n_outputs > 1};

    if (config->op_axes_ndim > found.most_dims) found.most_dims = config->op_axes_ndim;
    for (int k = 0; k < config->n_operands; k++) {
        const stria_tensor *x = config->operands[k];
        if (x == NULL) {
            found.is_uniform = false;
            continue;
        }
        if (x->ndim > found.most_dims) found.most_dims = x->ndim;
        found.any_meta |= x->device.type == STRIA_DEVICE_META;
        found.is_uniform = found.is_uniform && x->device.type == STRIA_DEVICE_CPU && x->dtype == last->dtype;
        found.shares_memory |= k > 0 && written != NULL && stria_storage_meets(written, x->storage);
    }
    return found;
}

static stria_status load_operands(stria_iter *it, const stria_iter_config *config, stria_error *err)
{
    const int   n = config->n_operands;
    const facts found = find_facts(config);

    if (!reserve(it, n, found.most_dims)) {
        return stria_error_set(err, STRIA_ERR_MEMORY, config->name, NULL, NULL, NULL, "no memory for the iterator");
    }
    reset(it, config);
    it->is_meta = found.any_meta;
    it->is_uniform = found.is_uniform;
    it->shares_memory = found.shares_memory;
    for (int k = 0; k < n; k++) load_operand(&it->operands[k], config->operands[k], k < config->n_outputs);
    for (int k = 0; k < n && config->op_axes_ndim >= 0; k++) {
        if (!has_op_axes(config, k)) continue;
        STRIA_TRY(map_axes(&it->operands[k], config->op_axes_ndim, config->op_axes[k], err));
    }
    return STRIA_OK;
}

/* ---------------------------------------------------------------- 3.1 outputs that are inputs as well */

static void mark_outputs(stria_iter *it)
{
    for (int k = 0; k < it->n_outputs && it->shares_memory; k++) {
        stria_iter_operand *out = &it->operands[k];
        for (int i = it->n_outputs; out->given != NULL && i < it->n_operands; i++) {
            if (it->operands[i].given == out->given) out->read_write = true;
        }
    }
}

/* ---------------------------------------------------------------- 3.3 common shape */

static stria_status fold_shape(stria_iter *it, const stria_iter_config *config, const stria_tensor *x, bool is_output,
                               stria_error *err)
{
    int                ndim = it->common_ndim;
    const stria_status status = stria_shape_broadcast(config->name, &ndim, it->common_shape, x->ndim, x->shape, err);
    it->common_ndim = ndim;
    return status == STRIA_OK ? status : stria_error_set_argument(err, status, is_output ? "out" : "in");
}

static stria_status compute_shape(stria_iter *it, const stria_iter_config *config, stria_error *err)
{
    bool has_scalar = false, has_dims = false;

    it->all_same_shape = !config->has_static_shape;
    it->all_scalars = false;
    it->common_ndim = 0;
    if (config->has_static_shape) {
        it->common_ndim = config->static_ndim;
        memcpy(it->common_shape, config->static_shape, (size_t)config->static_ndim * sizeof(int64_t));
    }
    for (int k = 0; k < it->n_operands && !config->has_static_shape; k++) {
        const stria_tensor *x = it->operands[k].tensor;
        if (x == NULL || (it->operands[k].is_output && config->resize_outputs)) continue;
        if (x->ndim == 0)
            has_scalar = true;
        else
            has_dims = true;
        if (has_scalar && has_dims) it->all_same_shape = false;
        if (it->common_ndim == 0) {
            it->common_ndim = x->ndim;
            for (int d = 0; d < x->ndim; d++) it->common_shape[d] = x->shape[d];
        } else if (!stria_tensor_has_shape(x, it->common_ndim, it->common_shape)) {
            it->all_same_shape = false;
            STRIA_TRY(fold_shape(it, config, x, it->operands[k].is_output, err));
        }
    }
    if (!config->has_static_shape) it->all_scalars = !has_dims;
    it->ndim = it->common_ndim;
    int64_t numel;
    return stria_shape_get_product(config->name, it->ndim, it->common_shape, &numel, err);
}

/* ---------------------------------------------------------------- 3.4 output shapes */

static stria_status mark_resize(stria_iter *it, const stria_iter_config *config, stria_error *err)
{
    if (config->has_static_shape) return STRIA_OK;
    for (int k = 0; k < it->n_outputs; k++) {
        stria_iter_operand *out = &it->operands[k];
        if (out->tensor == NULL || stria_tensor_has_shape(out->tensor, it->common_ndim, it->common_shape)) {
            continue;
        }
        if (config->resize_outputs && !out->read_write && !has_op_axes(config, k)) {
            out->will_resize = true;
        } else if (!it->is_reduction) {
            return stria_shape_refuse_output(config->name, it->common_ndim, it->common_shape, out->tensor->ndim,
                                             out->tensor->shape, err);
        }
    }
    return STRIA_OK;
}

/* ---------------------------------------------------------------- 3.5 types */

/* The frequent case, in which that step finds nothing to do. */
static bool has_types_settled(const stria_iter *it, const stria_iter_config *config)
{
    return it->is_uniform && it->n_operands > it->n_outputs && !it->all_scalars &&
           !config->promote_integer_inputs_to_float && config->check_all_same_device;
}

/* ---------------------------------------------------------------- 3.3 to 3.5, where a meta has found it all */

/* The meta of an element-wise call, and a config of its operands (stria_iter_config_set_elementwise): nothing is left to
 * refuse. */
static void take_meta(stria_iter *it, const stria_iter_config *config, const stria_meta *meta)
{
    stria_iter_operand *out = &it->operands[0];

    it->all_same_shape = meta->inputs_fit;
    it->all_scalars = meta->ndim == 0;
    it->ndim = it->common_ndim = meta->ndim;
    for (int d = 0; d < meta->ndim; d++) it->common_shape[d] = meta->shape[d];
    it->common_dtype = config->operands[1]->dtype;
    it->common_device = meta->device;
    if (out->tensor == NULL) {
        out->target = config->static_dtype;
        out->device = meta->device;
    } else {
        out->will_resize = !meta->out_fits;
    }
}

static stria_status find_meta(stria_iter *it, const stria_iter_config *config, stria_error *err)
{
    STRIA_TRY(compute_shape(it, config, err));
    STRIA_TRY(mark_resize(it, config, err));
    if (!has_types_settled(it, config)) return stria_iter_compute_types(it, config, err);
    it->common_dtype = it->operands[0].dtype;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- 3.11 finish */

static void finish(stria_iter *it)
{
    for (int k = 0; k < it->n_operands; k++) it->operands[k].data = it->operands[k].tensor->data;
    it->view_offsets[0] = 0;
    for (int d = 1; d < it->ndim; d++) it->view_offsets[d] = 0;
    stria_iter_clear_missing_rows(it);
}

/* ---------------------------------------------------------------- the common case at once
 *
 * Most calls have CPU tensors of one shape with the same row-major strides, no conversion, and no two views of one storage.
 * Every step then does nothing or is one line. Done at once, they take less time, which matters for small tensors. */

/* What the options of the common case ask of the operands' dtypes. */
typedef enum common_dtypes {
    COMMON_NEVER, /* the options are not those of the common case */
    COMMON_ANY,   /* a static dtype for the output; the kernel takes care of the inputs' */
    COMMON_ONE    /* that all are the same: then nothing is promoted, refused or converted */
} common_dtypes;

static common_dtypes get_common_dtypes(const stria_iter_config *config)
{
    const bool is_special = config->is_reduction | config->has_static_shape | config->has_static_device |
                            config->multi_index | config->promote_integer_inputs_to_float |
                            !config->check_all_same_device;
    const bool compares = config->check_all_same_dtype | config->promote_inputs_to_common_dtype |
                          config->cast_common_dtype_to_outputs | config->enforce_safe_casting_to_output;

    if (is_special || config->op_axes_ndim >= 0 || config->n_outputs != 1 || config->n_operands < 2 ||
        config->n_operands > STRIA_ITER_INLINE_OPERANDS) {
        return COMMON_NEVER;
    }
    if (config->static_dtype == STRIA_DTYPE_NONE) return COMMON_ONE;
    return compares ? COMMON_NEVER : COMMON_ANY;
}

/* Whether x, the last input, has a geometry that the others can share. */
static bool is_common_geometry(const stria_tensor *x)
{
    if (x == NULL || x->ndim > STRIA_ITER_INLINE_DIMS || x->device.type != STRIA_DEVICE_CPU) return false;
    return stria_layout_is_row_major(x->ndim, x->shape, x->strides);
}

static bool has_geometry_of(const stria_tensor *x, const stria_tensor *y)
{
    const int64_t *x_shape = x->shape, *y_shape = y->shape, *x_strides = x->strides, *y_strides = y->strides;
    int64_t        differing = 0;

    for (int d = 0; d < y->ndim; d++) differing |= (x_shape[d] ^ y_shape[d]) | (x_strides[d] ^ y_strides[d]);
    return differing == 0;
}

static bool is_common_case(const stria_iter_config *config)
{
    const common_dtypes dtypes = get_common_dtypes(config);
    if (dtypes == COMMON_NEVER) return false;

    const int            n = config->n_operands;
    const stria_tensor  *out = config->operands[0], *last = config->operands[n - 1];
    const stria_storage *written = out != NULL ? out->storage : NULL;
    if (!is_common_geometry(last)) return false;
    if (dtypes == COMMON_ONE && last->ndim == 0) return false; /* promoted by rules of their own */
    for (int k = out == NULL; k < n; k++) {
        const stria_tensor *x = config->operands[k];
        if (x == NULL || x->ndim != last->ndim || x->device.type != STRIA_DEVICE_CPU) return false;
        if (dtypes == COMMON_ONE && x->dtype != last->dtype) return false;
        if (written != NULL && x != out && stria_storage_meets(written, x->storage)) return false; /* may overlap */
        if (x != last && !has_geometry_of(x, last)) return false;
    }
    return true;
}

/* What the loop sees of an operand: one dim, or a single element. */
static void settle_common_operand(stria_iter *it, int k)
{
    stria_iter_operand *op = &it->operands[k];

    op->data = op->tensor->data;
    op->has_strides = true;
    it->strides[k] = it->ndim * stria_tensor_get_item_size(op->tensor);
    it->strides[it->n_operands + k] = 0;
}

static stria_status build_common_case(stria_iter *it, const stria_iter_config *config, stria_error *err)
{
    const int           n = config->n_operands;
    stria_tensor *const out = config->operands[0];
    const stria_tensor *last = config->operands[n - 1];

    use_inline_storage(it, n);
    reset(it, config);
    it->setup = STRIA_ITER_CONTIGUOUS;
    it->common_dtype = config->operands[1]->dtype;
    it->all_same_shape = true;
    it->all_scalars = last->ndim == 0;
    it->common_ndim = last->ndim;
    it->ndim = last->ndim > 0;
    it->shape[0] = last->numel;
    it->view_offsets[0] = 0;
    for (int d = 0; d < last->ndim; d++) it->common_shape[d] = last->shape[d];
    load_operand(&it->operands[0], out, true);
    for (int k = 1; k < n; k++) {
        load_operand(&it->operands[k], config->operands[k], false);
        settle_common_operand(it, k);
        it->operands[0].read_write |= config->operands[k] == out;
    }
    if (out == NULL) {
        it->operands[0].target = config->static_dtype == STRIA_DTYPE_NONE ? it->common_dtype : config->static_dtype;
        it->operands[0].device = STRIA_CPU;
        STRIA_TRY(stria_iter_allocate_like(it, config, err));
    }
    settle_common_operand(it, 0);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- all of it */

/* meta: what is known already, or NULL. */
static stria_status build(stria_iter *it, const stria_iter_config *config, const stria_meta *meta, stria_error *err)
{
    if (is_common_case(config)) return build_common_case(it, config, err);
    STRIA_TRY(load_operands(it, config, err));
    mark_outputs(it);
    if (config->check_mem_overlap) STRIA_TRY(stria_iter_check_overlap(it, config, err));
    if (meta != NULL)
        take_meta(it, config, meta);
    else
        STRIA_TRY(find_meta(it, config, err));
    it->setup = stria_iter_choose_setup(it, config);
    if (it->setup != STRIA_ITER_GENERAL) {
        STRIA_TRY(stria_iter_set_up_fast(it, config, err));
    } else {
        STRIA_TRY(stria_iter_compute_strides(it, config, err));
        stria_iter_reorder(it, config);
        STRIA_TRY(stria_iter_allocate_outputs(it, config, err));
        if (!it->is_meta && !it->multi_index) stria_iter_coalesce(it);
    }
    finish(it);
    return STRIA_OK;
}

/* The first mistake of the calls that made the config. */
static stria_status report_config(const stria_iter_config *config, stria_error *err)
{
    char first[96] = "", second[96] = "";

    /* of the two outputs of a reduction */
    if (config->status == STRIA_ERR_SHAPE && config->is_reduction && config->n_outputs == 2 &&
        config->operands[0] != NULL && config->operands[1] != NULL) {
        stria_shape_print(first, sizeof first, config->operands[0]->ndim, config->operands[0]->shape);
        stria_shape_print(second, sizeof second, config->operands[1]->ndim, config->operands[1]->shape);
    }
    return stria_error_set(err, config->status, config->name, "config", first, second, "%s%s%s%s%s", config->message,
                           first[0] ? ": " : "", first, second[0] ? " and " : "", second);
}

static stria_status finish_build(stria_iter *it, const stria_iter_config *config, stria_status status, stria_error *err)
{
    if (status == STRIA_OK) return STRIA_OK;
    stria_iter_release(it);
    return stria_error_set_op(err, status, config->name);
}

stria_status stria_iter_build(stria_iter *it, const stria_iter_config *config, stria_error *err)
{
    if (it == NULL) return stria_error_set(err, STRIA_ERR_ARGUMENT, "iter", "it", "an iterator", "NULL", "it is NULL");
    if (config == NULL) {
        stria_iter_init(it);
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "iter", "config", "a config", "NULL", "config is NULL");
    }
    if (config->status != STRIA_OK) {
        stria_iter_init(it);
        return report_config(config, err);
    }
    return finish_build(it, config, build(it, config, NULL, err), err);
}

stria_status stria_iter_build_known(stria_iter *it, const stria_iter_config *config, const stria_meta *meta,
                                    stria_error *err)
{
    return finish_build(it, config, build(it, config, meta, err), err);
}

void stria_iter_init(stria_iter *it)
{
    it->n_operands = it->n_outputs = 0;
    it->ndim = 0;
    it->heap = NULL;
    it->operands = it->inline_operands;
}

void stria_iter_release(stria_iter *it)
{
    const stria_iter_operand *end = it->operands + it->n_operands;

    for (const stria_iter_operand *op = it->operands; op < end; op++) {
        if (!(op->owned | op->owns_original)) continue;
        if (op->owned) stria_tensor_release(op->tensor);
        if (op->owns_original) stria_tensor_release(op->original);
    }
    if (it->heap != NULL) stria_object_release(it->heap);
    stria_iter_init(it);
}
