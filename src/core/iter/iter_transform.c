/* iter_transform.c - copies, parts and conversions of a built iterator (section 4.4). */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/backend.h"
#include "iter/iter_internal.h"

stria_status stria_iter_copy(const stria_iter *it, stria_iter *copy, stria_error *err)
{
    const int most_dims = it->ndim > it->common_ndim ? it->ndim : it->common_ndim;
    const int rows = it->ndim < 2 ? 2 : it->ndim;

    stria_iter_init(copy);
    if (!stria_iter_reserve(copy, it->n_operands, most_dims)) {
        return stria_error_set(err, STRIA_ERR_MEMORY, "iter", NULL, NULL, NULL, "no memory for a copy of the iterator");
    }
    copy->ndim = it->ndim;
    copy->n_outputs = it->n_outputs;
    copy->common_ndim = it->common_ndim;
    copy->common_dtype = it->common_dtype;
    copy->common_device = it->common_device;
    copy->setup = it->setup;
    copy->is_reduction = it->is_reduction;
    copy->is_linear = it->is_linear;
    copy->has_static_shape = it->has_static_shape;
    copy->is_meta = it->is_meta;
    copy->all_same_shape = it->all_same_shape;
    copy->all_scalars = it->all_scalars;
    copy->accumulate = it->accumulate;
    copy->final_output = it->final_output;
    copy->multi_index = it->multi_index;
    copy->is_counted = it->is_counted;
    size_t dims_bytes = (size_t)it->ndim * sizeof(int64_t);
    size_t common_bytes = (size_t)it->common_ndim * sizeof(int64_t);
    size_t offset_bytes = (size_t)(it->ndim < 1 ? 1 : it->ndim) * sizeof(int64_t);
    memcpy(copy->shape, it->shape, dims_bytes);
    memcpy(copy->view_offsets, it->view_offsets, offset_bytes);
    memcpy(copy->strides, it->strides, (size_t)rows * (size_t)it->n_operands * sizeof(int64_t));
    memcpy(copy->common_shape, it->common_shape, common_bytes);
    if (it->setup == STRIA_ITER_GENERAL) {
        memcpy(copy->permutation, it->permutation, (size_t)it->common_ndim);
    }
    for (int k = 0; k < it->n_operands; k++) {
        copy->operands[k] = it->operands[k];
        copy->operands[k].owned = copy->operands[k].owns_original = false;
    }
    return STRIA_OK;
}

static void advance(stria_iter *it, int dim, int64_t steps)
{
    const int64_t *row = stria_iter_row(it, dim);

    for (int k = 0; k < it->n_operands; k++) {
        if (it->operands[k].data != NULL) it->operands[k].data += steps * row[k];
    }
}

void stria_iter_narrow(stria_iter *it, int dim, int64_t start, int64_t size)
{
    STRIA_ASSERT(dim >= 0 && dim < it->ndim && size >= 1);
    it->shape[dim] = size;
    it->view_offsets[dim] += start;
    advance(it, dim, start);
    if (size == 1 && !it->is_reduction && !it->multi_index) stria_iter_coalesce(it);
}

void stria_iter_select_all_keeping_dim(stria_iter *it, int from, const int64_t *index)
{
    for (int d = from; d < it->ndim; d++) {
        advance(it, d, index[d - from]);
        it->shape[d] = 1;
    }
}

stria_status stria_iter_split(stria_iter *it, int dim, stria_iter *lower, stria_error *err)
{
    const int64_t n_lower = it->shape[dim] / 2;
    const bool    is_reduced = stria_iter_is_dim_reduced(it, dim);

    STRIA_ASSERT(it->shape[dim] >= 2);
    STRIA_TRY(stria_iter_copy(it, lower, err));
    stria_iter_narrow(lower, dim, 0, n_lower);
    stria_iter_narrow(it, dim, n_lower, it->shape[dim] - n_lower);
    if (is_reduced) {
        lower->final_output = false;
        it->accumulate = true;
    }
    return STRIA_OK;
}

void stria_iter_remove_operand(stria_iter *it, int operand)
{
    const int n = it->n_operands;
    const int rows = it->ndim < 2 ? 2 : it->ndim;
    int64_t  *to = it->strides;

    if (it->operands[operand].owned) stria_tensor_release(it->operands[operand].tensor);
    if (it->operands[operand].owns_original) stria_tensor_release(it->operands[operand].original);
    for (int i = 0; i < n * rows; i++) {
        if (i % n != operand) *to++ = it->strides[i];
    }
    for (int k = operand; k < n - 1; k++) it->operands[k] = it->operands[k + 1];
    if (operand < it->n_outputs) it->n_outputs--;
    it->n_operands = n - 1;
}

/* A stack of parts, linked from the top. Each split halves a dim, so it holds fewer parts than the sizes have bits. */
typedef struct part {
    stria_iter   iter;
    struct part *below;
} part;

static stria_status push_copy(const stria_iter *it, part **top, stria_error *err)
{
    part *added = stria_object_new(sizeof *added);

    if (added == NULL) {
        return stria_error_set(err, STRIA_ERR_MEMORY, "iter", NULL, NULL, NULL, "no memory for a part of the iterator");
    }
    stria_status status = stria_iter_copy(it, &added->iter, err);
    if (status != STRIA_OK) {
        stria_object_release(added);
        return status;
    }
    added->below = *top;
    *top = added;
    return STRIA_OK;
}

static void pop(part **top)
{
    part *below = (*top)->below;

    stria_iter_release(&(*top)->iter);
    stria_object_release(*top);
    *top = below;
}

/* The dim of stria_iter_get_dim_to_split. Where no operand moves in any dim, that may be a dim of size 1. Then it is
 * the outermost dim that can be split; there is one, since the part is too large. */
static int choose_dim(const stria_iter *it)
{
    int dim = stria_iter_get_dim_to_split(it);

    for (int d = it->ndim - 1; it->shape[dim] < 2 && d >= 0; d--) {
        if (it->shape[d] >= 2) dim = d;
    }
    return dim;
}

/* Splits the top, leaving its lower half on top of its upper half. */
static stria_status split_top(part **top, stria_error *err)
{
    part      *upper = *top;
    stria_iter lower;

    STRIA_TRY(stria_iter_split(&upper->iter, choose_dim(&upper->iter), &lower, err));
    stria_status status = push_copy(&lower, top, err);
    stria_iter_release(&lower);
    return status;
}

stria_status stria_iter_with_32bit_indexing(const stria_iter *it, stria_iter_part_fn *fn, void *context,
                                            stria_error *err)
{
    part        *top = NULL;
    stria_status status = push_copy(it, &top, err);

    while (status == STRIA_OK && top != NULL) {
        if (stria_iter_can_use_32bit_indexing(&top->iter)) {
            status = fn(context, &top->iter, err);
            pop(&top);
        } else {
            status = split_top(&top, err);
        }
    }
    while (top != NULL) pop(&top);
    return status;
}

static bool has_shape_of(const stria_tensor *x, const stria_tensor *y)
{
    return x->ndim == y->ndim && memcmp(x->shape, y->shape, (size_t)x->ndim * sizeof(int64_t)) == 0;
}

stria_status stria_iter_cast_outputs(stria_iter *it, stria_error *err)
{
    for (int k = 0; k < it->n_outputs; k++) {
        stria_iter_operand *op = &it->operands[k];
        stria_tensor       *user = op->original, *temporary = op->tensor;
        if (user == NULL) continue;
        if (!has_shape_of(user, temporary)) {
            STRIA_TRY(stria_tensor_resize(user, temporary->ndim, temporary->shape, temporary->strides, err));
        }
        STRIA_TRY(stria_backend_copy(user, temporary, err));
        stria_tensor_touch_by(user, STRIA_WRITER_ITERATOR);
        if (op->owned) stria_tensor_release(temporary);
        op->tensor = user;
        op->original = NULL;
        op->owned = op->owns_original;
        op->owns_original = false;
        op->dtype = user->dtype;
    }
    return STRIA_OK;
}

stria_status stria_iter_view_reduced(stria_tensor *out, int ndim, uint64_t reduced, bool keepdim, stria_tensor **view,
                                     stria_error *err)
{
    int64_t shape[STRIA_MAX_DIMS], strides[STRIA_MAX_DIMS];

    if (view == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "iter", "view", "a place", "NULL", "view is NULL");
    *view = NULL;
    if (out == NULL) return stria_error_set(err, STRIA_ERR_ARGUMENT, "iter", "out", "a tensor", "NULL", "out is NULL");
    int n_kept = 0;
    for (int d = 0; d < ndim && d < STRIA_MAX_DIMS; d++) n_kept += keepdim || !(reduced >> d & 1);
    if (ndim < 0 || ndim > STRIA_MAX_DIMS || out->ndim != n_kept)
        return stria_error_set(err, STRIA_ERR_SHAPE, "iter", "out", NULL, NULL,
                               "out has %d dims, not those that remain of %d dims", out->ndim, ndim);
    for (int d = 0, axis = 0; d < ndim; d++) {
        bool is_reduced = (reduced >> d) & 1;
        if (is_reduced && !keepdim) {
            shape[d] = 1;
            strides[d] = 0;
            continue;
        }
        shape[d] = out->shape[axis];
        strides[d] = is_reduced ? 0 : out->strides[axis];
        axis++;
    }
    return stria_tensor_view(out, ndim, shape, strides, 0, view, err);
}
