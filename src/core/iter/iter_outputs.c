/* iter_outputs.c - the steps of building an iterator that allocate outputs: the fast set-up (3.6), and 3.9. */
#include <string.h>

#include "base/error.h"
#include "iter/iter_internal.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

/* ---------------------------------------------------------------- 3.6 fast set-up
 *
 * If all operands share one layout without gaps, the iteration has one dim over that memory. */

static bool all_contiguous(stria_iter *it)
{
    for (int k = 0; k < it->n_operands; k++) {
        if (stria_iter_is_settled(&it->operands[k]) && !stria_iter_is_operand_contiguous(&it->operands[k])) {
            return false;
        }
    }
    return true;
}

static bool all_channels_last(stria_iter *it)
{
    for (int k = 0; k < it->n_operands; k++) {
        const stria_tensor *x = it->operands[k].tensor;
        if (!stria_iter_is_settled(&it->operands[k])) continue;
        if (!stria_layout_is_channels_last(x->ndim, x->shape, x->strides)) return false;
    }
    return true;
}

/* Whether no operand has gaps and all have the same strides. None may be negative: the one dim begins at the first
 * element and goes up. */
static bool all_dense_alike(stria_iter *it)
{
    const stria_tensor *first = NULL;

    for (int k = 0; k < it->n_operands; k++) {
        const stria_tensor *x = it->operands[k].tensor;
        if (!stria_iter_is_settled(&it->operands[k])) continue;
        if (first == NULL) {
            if (stria_layout_has_negative_stride(x->ndim, x->shape, x->strides)) return false;
            if (!stria_layout_is_dense(x->ndim, x->shape, x->strides)) return false;
            first = x;
        } else if (memcmp(first->strides, x->strides, (size_t)x->ndim * sizeof(int64_t)) != 0) {
            return false;
        }
    }
    return first != NULL;
}

stria_iter_setup stria_iter_choose_setup(stria_iter *it, const stria_iter_config *config)
{
    if (it->is_reduction || !it->all_same_shape || it->multi_index) return STRIA_ITER_GENERAL;
    if (all_contiguous(it)) return STRIA_ITER_CONTIGUOUS;
    if (config->enforce_linear_iteration) return STRIA_ITER_GENERAL;
    if (it->ndim == 4 && all_channels_last(it)) return STRIA_ITER_CHANNELS_LAST;
    return all_dense_alike(it) ? STRIA_ITER_DENSE : STRIA_ITER_GENERAL;
}

/* Allocates output k, or gives it this geometry if it is to be resized. Strides in elements, logical order. */
static stria_status set_output(stria_iter *it, const stria_iter_config *config, int k, const int64_t *strides,
                               stria_error *err)
{
    stria_iter_operand *op = &it->operands[k];
    const int           ndim = it->common_ndim;
    const int64_t      *shape = it->common_shape;

    if (stria_iter_is_settled(op)) return STRIA_OK;
    if (op->tensor != NULL) return stria_tensor_resize(op->tensor, ndim, shape, strides, err);
    if (op->target == STRIA_DTYPE_NONE) {
        return stria_error_set(err, STRIA_ERR_INTERNAL, config->name, "out", NULL, NULL, "an output has no dtype");
    }
    STRIA_TRY(stria_tensor_new_on(op->device, op->target, ndim, shape, strides, &op->tensor, err));
    if (op->device.type == STRIA_DEVICE_META)
        it->is_meta = true; /* by the static device, though all that is given is elsewhere */
    op->owned = true;
    op->dtype = op->target;
    return STRIA_OK;
}

static void get_channels_last_strides(const int64_t *shape, int64_t *strides)
{
    strides[1] = 1;
    strides[3] = shape[1];
    strides[2] = shape[1] * shape[3];
    strides[0] = strides[2] * shape[2];
}

stria_status stria_iter_allocate_like(stria_iter *it, const stria_iter_config *config, stria_error *err)
{
    int64_t strides[STRIA_MAX_DIMS];
    bool    needed = false;

    for (int k = 0; k < it->n_outputs; k++) needed |= !stria_iter_is_settled(&it->operands[k]);
    if (!needed) return STRIA_OK;
    if (it->setup == STRIA_ITER_CHANNELS_LAST) {
        get_channels_last_strides(it->common_shape, strides);
    } else if (it->setup == STRIA_ITER_DENSE) {
        int last = it->n_operands - 1;
        while (!stria_iter_is_settled(&it->operands[last])) last--;
        const stria_tensor *like = it->operands[last].tensor;
        /* a dim of size 1 may run backwards all the same */
        for (int d = 0; d < like->ndim; d++) strides[d] = (int64_t)stria_magnitude(like->strides[d]);
    } else {
        stria_shape_get_strides(it->common_ndim, it->common_shape, strides);
    }
    for (int k = 0; k < it->n_outputs; k++) STRIA_TRY(set_output(it, config, k, strides, err));
    return STRIA_OK;
}

stria_status stria_iter_set_up_fast(stria_iter *it, const stria_iter_config *config, stria_error *err)
{
    STRIA_TRY(stria_iter_allocate_like(it, config, err));
    int64_t numel = 1;
    for (int d = 0; d < it->common_ndim; d++) numel *= it->common_shape[d];
    it->ndim = it->common_ndim > 0;
    it->shape[0] = numel;
    for (int k = 0; k < it->n_operands; k++) {
        it->strides[k] = stria_tensor_get_item_size(it->operands[k].tensor);
        it->operands[k].has_strides = true;
    }
    return STRIA_OK;
}

/* ---------------------------------------------------------------- 3.9 allocating outputs */

static stria_status allocate_output(stria_iter *it, const stria_iter_config *config, int k, stria_error *err)
{
    stria_iter_operand *op = &it->operands[k];
    const int64_t       size = (int64_t)stria_dtype_get_size(op->target);
    int64_t             running = size;
    bool                reversed = true, overflow = false;
    int64_t             strides[STRIA_MAX_DIMS];

    for (int r = 0; r < it->ndim; r++) {
        stria_iter_row(it, r)[k] = running;
        strides[it->permutation[r]] = size > 0 ? running / size : 0;
        overflow |= __builtin_mul_overflow(running, it->shape[r], &running);
        if (it->permutation[r] != it->ndim - 1 - r) reversed = false;
    }
    if (overflow) {
        return stria_error_set(err, STRIA_ERR_OVERFLOW, config->name, "out", NULL, NULL,
                               "the output has more than 2^63 - 1 bytes");
    }
    if (reversed) stria_shape_get_strides(it->common_ndim, it->common_shape, strides);
    STRIA_TRY(set_output(it, config, k, strides, err));
    op->has_strides = true;
    return STRIA_OK;
}

stria_status stria_iter_allocate_outputs(stria_iter *it, const stria_iter_config *config, stria_error *err)
{
    for (int k = 0; k < it->n_outputs; k++) {
        if (stria_iter_is_settled(&it->operands[k])) continue;
        STRIA_TRY(allocate_output(it, config, k, err));
    }
    return STRIA_OK;
}
