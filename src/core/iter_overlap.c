/* iter_overlap.c - step 3.2 of building an iterator: outputs whose elements would be written twice, or that would be
 * read through another operand after they were written.
 *
 * A dense tensor covers each byte of its range once. Negative strides count by magnitude here, and the range runs from
 * the lowest address to the highest. What is not dense is too hard to decide: allowed, or copied (copy_if_overlap). */
#include <string.h>

#include "error.h"
#include "iter_internal.h"
#include "tensor.h"

static bool is_dense(stria_iter_operand *op)
{
    const stria_tensor *x = op->tensor;
    int64_t             magnitudes[STRIA_MAX_DIMS];

    if (stria_iter_is_operand_contiguous(op)) return true;
    for (int d = 0; d < x->ndim; d++) magnitudes[d] = (int64_t)stria_magnitude(x->strides[d]);
    return stria_layout_is_dense(x->ndim, x->shape, magnitudes);
}

static bool overlaps_itself(stria_iter_operand *op)
{
    const stria_tensor *x = op->tensor;

    for (int d = 0; d < x->ndim; d++) {
        if (x->shape[d] > 1 && x->strides[d] == 0) return !is_dense(op); /* the latter if it has no elements */
    }
    return false; /* or too hard to tell */
}

/* Address of the lowest byte of a tensor with elements. */
static uintptr_t lowest_address(const stria_tensor *x)
{
    uintptr_t low = (uintptr_t)x->data;
    int64_t   size = (int64_t)stria_dtype_get_size(x->dtype);

    for (int d = 0; d < x->ndim; d++) {
        if (x->shape[d] > 1 && x->strides[d] < 0) {
            low += (uintptr_t)((x->shape[d] - 1) * x->strides[d] * size);
        }
    }
    return low;
}

/* Whether two tensors of one storage share some bytes in another way than element by element. */
static bool overlaps_partly(stria_iter_operand *a, stria_iter_operand *b)
{
    const stria_tensor *x = a->tensor, *y = b->tensor;

    if (x->numel == 0 || y->numel == 0) return false;
    if (!is_dense(a) || !is_dense(b)) return false; /* too hard to tell */
    uintptr_t x_low = lowest_address(x);
    uintptr_t y_low = lowest_address(y);
    uintptr_t x_high = x_low + (uintptr_t)x->numel * stria_dtype_get_size(x->dtype);
    uintptr_t y_high = y_low + (uintptr_t)y->numel * stria_dtype_get_size(y->dtype);
    if (x_low == y_low && x_high == y_high) {
        return x->ndim != y->ndim || memcmp(x->strides, y->strides, (size_t)x->ndim * sizeof(int64_t)) != 0;
    }
    return x_low < y_high && y_low < x_high;
}

/* Address after the highest byte. */
static uintptr_t highest_address(const stria_tensor *x)
{
    uintptr_t high = (uintptr_t)x->data;
    int64_t   size = (int64_t)stria_dtype_get_size(x->dtype);

    for (int d = 0; d < x->ndim; d++) {
        if (x->strides[d] > 0) high += (uintptr_t)((x->shape[d] - 1) * x->strides[d] * size);
    }
    return high + (uintptr_t)size;
}

/* Element by element the same memory. */
static bool is_same_view(const stria_tensor *x, const stria_tensor *y)
{
    if (x->data != y->data || x->ndim != y->ndim || x->dtype != y->dtype) return false;
    for (int d = 0; d < x->ndim; d++) {
        if (x->shape[d] != y->shape[d] || (x->shape[d] > 1 && x->strides[d] != y->strides[d])) return false;
    }
    return true;
}

/* Whether writing x may change what is still to be read of y; true where that is not certain. */
static bool may_disturb(const stria_tensor *x, const stria_tensor *y)
{
    if (x->storage != y->storage || x->numel == 0 || y->numel == 0 || is_same_view(x, y)) return false;
    return lowest_address(x) < highest_address(y) && lowest_address(y) < highest_address(x);
}

static stria_status copy_disturbed(stria_iter *it, const stria_iter_operand *out, stria_error *err)
{
    for (int i = it->n_outputs; i < it->n_operands; i++) {
        stria_iter_operand *in = &it->operands[i];
        if (in->tensor == NULL || !may_disturb(out->tensor, in->tensor)) continue;
        STRIA_TRY(stria_iter_convert_input(in, in->dtype, err));
    }
    return STRIA_OK;
}

static stria_status refuse_itself(const stria_iter_config *config, const stria_tensor *out, stria_error *err)
{
    char shape[96], strides[96];

    stria_shape_print(shape, sizeof shape, out->ndim, out->shape);
    stria_shape_print(strides, sizeof strides, out->ndim, out->strides);
    return stria_error_set(err, STRIA_ERR_OVERLAP, config->name, "out", "one address for each element", strides,
                           "the output, of shape %s and strides %s, has several elements at one address; copy it first",
                           shape, strides);
}

static stria_status refuse_pair(const stria_iter_config *config, const stria_tensor *out, const stria_tensor *in,
                                int input, stria_error *err)
{
    char a[96], b[96];

    stria_shape_print(a, sizeof a, out->ndim, out->shape);
    stria_shape_print(b, sizeof b, in->ndim, in->shape);
    return stria_error_set(err, STRIA_ERR_OVERLAP, config->name, "out", "all or none of an input's memory", "a part",
                           "the output of shape %s and input %d of shape %s share part of their memory; copy the "
                           "input first",
                           a, input, b);
}

stria_status stria_iter_check_overlap(stria_iter *it, const stria_iter_config *config, stria_error *err)
{
    for (int k = 0; k < it->n_outputs; k++) {
        stria_iter_operand *out = &it->operands[k];
        if (out->tensor == NULL) continue;
        if (overlaps_itself(out)) {
            return refuse_itself(config, out->tensor, err);
        }
        if (config->copy_if_overlap && !it->is_meta) {
            STRIA_TRY(copy_disturbed(it, out, err));
            continue;
        }
        for (int i = it->n_outputs; i < it->n_operands && it->shares_memory; i++) {
            stria_iter_operand *in = &it->operands[i];
            if (in->tensor == NULL || in->tensor == out->tensor) continue;
            if (in->tensor->storage != out->tensor->storage || !overlaps_partly(out, in)) continue;
            return refuse_pair(config, out->tensor, in->tensor, i - it->n_outputs, err);
        }
    }
    return STRIA_OK;
}
