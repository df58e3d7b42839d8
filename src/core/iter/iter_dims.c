/* iter_dims.c - the dims of an iterator: steps 3.7 strides, 3.8 reordering, 3.10 coalescing. */
#include <string.h>

#include "base/error.h"
#include "iter/iter_internal.h"
#include "tensor/tensor.h"

/* ---------------------------------------------------------------- 3.7 strides
 *
 * Iterator position r is logical dim ndim-1-r until the dims are reordered. */

stria_status stria_iter_compute_strides(stria_iter *it, const stria_iter_config *config, stria_error *err)
{
    const int64_t  n = it->ndim, n_operands = it->n_operands;
    const int64_t *lengths = it->common_shape;
    const bool     has_static_shape = config->has_static_shape;

    for (int64_t k = 0; k < n_operands; k++) {
        stria_iter_operand *op = &it->operands[k];
        const stria_tensor *x = op->tensor;
        if (!stria_iter_is_settled(op)) continue;
        const int64_t missing = n - x->ndim;
        if (missing < 0 || (has_static_shape && missing > 0)) {
            return stria_error_set(err, STRIA_ERR_SHAPE, config->name, NULL, NULL, NULL,
                                   "operand %d has %d dims where the iteration has %d", (int)k, x->ndim, (int)n);
        }
        const int64_t *shape = x->shape, *strides = x->strides, item_size = stria_tensor_get_item_size(x);
        int64_t       *row = it->strides + k;
        for (int64_t d = x->ndim - 1; d >= 0; d--, row += n_operands)
            *row = stria_iter_get_axis_stride(shape[d], strides[d], item_size, lengths[missing + d], has_static_shape);
        for (int64_t d = 0; d < missing; d++, row += n_operands) *row = 0;
        op->has_strides = true;
    }
    for (int64_t r = 0; r < n; r++) it->shape[r] = lengths[n - 1 - r];
    return STRIA_OK;
}

/* ---------------------------------------------------------------- 3.8 reordering
 *
 * Strides compare by magnitude, so that a reversed operand is walked in the order of its memory, too. */

void stria_iter_sort_dims(int n, int *order, stria_iter_compare_fn *compare, const void *context)
{
    for (int i = 0; i < n; i++) order[i] = n - 1 - i;
    for (int i = 1; i < n; i++) {
        int moving = i;
        for (int j = i - 1; j >= 0; j--) {
            int sign = compare(context, order[j], order[moving]);
            if (sign < 0) break;
            if (sign == 0) continue; /* ambiguous: look further left without moving */
            int dim = order[j];
            order[j] = order[moving];
            order[moving] = dim;
            moving = j;
        }
    }
}

int stria_iter_compare_tensor_dims(const void *context, int a, int b)
{
    const stria_tensor *x = context;
    int                 sign;

    stria_iter_compare_strides(false, x->strides[a], x->strides[b], x->shape[a], x->shape[b], &sign);
    return sign;
}

/* The strides of x if it is dense, else strides without gaps in the same order of dims. A size of 0 counts as 1. */
static void preserve_strides(const stria_tensor *x, int64_t *strides)
{
    int     order[STRIA_MAX_DIMS], n = x->ndim;
    int64_t running = 1;

    if (stria_layout_is_dense(n, x->shape, x->strides) && !stria_iter_has_negative_stride(x)) {
        stria_iter_copy_forward_strides(x, strides);
        return;
    }
    stria_iter_sort_dims(n, order, stria_iter_compare_tensor_dims, x);
    for (int i = 0; i < n; i++) {
        strides[order[i]] = running;
        if (x->shape[order[i]] > 1) running *= x->shape[order[i]];
    }
}

stria_status stria_iter_new_like(const stria_tensor *x, stria_dtype dtype, stria_tensor **out, stria_error *err)
{
    int64_t strides[STRIA_MAX_DIMS];

    preserve_strides(x, strides);
    if (x->device != STRIA_DEVICE_META) return stria_tensor_new_strided(dtype, x->ndim, x->shape, strides, out, err);
    STRIA_TRY(stria_tensor_new_meta(dtype, x->ndim, x->shape, out, err));
    for (int d = 0; d < x->ndim; d++) (*out)->strides[d] = strides[d];
    return STRIA_OK;
}

static int compare_iter_dims(const void *context, int a, int b)
{
    const stria_iter *it = context;
    const int64_t    *row_a = stria_iter_row(it, it->ndim - 1 - a);
    const int64_t    *row_b = stria_iter_row(it, it->ndim - 1 - b);

    for (int k = 0; k < it->n_operands; k++) {
        const stria_iter_operand *op = &it->operands[k];
        int                       sign;
        if (!op->has_strides) continue;
        stria_iter_compare_strides(it->is_reduction && op->is_output, row_a[k], row_b[k], it->common_shape[a],
                                   it->common_shape[b], &sign);
        if (sign != 0) return sign;
    }
    return 0;
}

static void swap_positions(stria_iter *it, int r, int s)
{
    int64_t *row_r = stria_iter_row(it, r), *row_s = stria_iter_row(it, s);
    int64_t  size = it->shape[r];

    it->shape[r] = it->shape[s];
    it->shape[s] = size;
    for (int k = 0; k < it->n_operands; k++) {
        if (!it->operands[k].has_strides) continue;
        int64_t stride = row_r[k];
        row_r[k] = row_s[k];
        row_s[k] = stride;
    }
}

/* Brings logical dim order[r] to position r. */
static void move_dims(stria_iter *it, const int *order)
{
    const int n = it->ndim;
    int       at[STRIA_MAX_DIMS]; /* logical dim now at each position */

    for (int r = 0; r < n; r++) at[r] = n - 1 - r;
    for (int r = 0; r < n; r++) {
        int s = r;
        while (at[s] != order[r]) s++;
        if (s == r) continue;
        swap_positions(it, r, s);
        at[s] = at[r];
        at[r] = order[r];
    }
}

void stria_iter_reorder(stria_iter *it, const stria_iter_config *config)
{
    int       order[STRIA_MAX_DIMS], moved = 0;
    const int n = it->ndim;

    if (n == 1 || config->enforce_linear_iteration) {
        for (int r = 0; r < n; r++) it->permutation[r] = (int8_t)(n - 1 - r);
        return;
    }
    stria_iter_sort_dims(n, order, compare_iter_dims, it);
    for (int r = 0; r < n; r++) {
        it->permutation[r] = (int8_t)order[r];
        moved |= order[r] ^ (n - 1 - r);
    }
    if (moved != 0) move_dims(it, order);
}

/* ---------------------------------------------------------------- 3.10 coalescing */

static bool can_merge(const stria_iter *it, int p, int d)
{
    if (it->shape[p] == 1 || it->shape[d] == 1) return true;
    const int64_t *row_p = stria_iter_row(it, p), *row_d = stria_iter_row(it, d);
    for (int k = 0; k < it->n_operands; k++) {
        if (stria_wrapping_product(it->shape[p], row_p[k]) != row_d[k]) return false;
    }
    return true;
}

static void copy_row(stria_iter *it, int to, int from)
{
    memcpy(stria_iter_row(it, to), stria_iter_row(it, from), (size_t)it->n_operands * sizeof(int64_t));
}

void stria_iter_clear_missing_rows(stria_iter *it)
{
    for (int d = it->ndim; d < 2; d++) {
        memset(stria_iter_row(it, d), 0, (size_t)it->n_operands * sizeof(int64_t));
    }
}

void stria_iter_coalesce(stria_iter *it)
{
    int p = 0;

    if (it->ndim <= 1) return;
    for (int d = 1; d < it->ndim; d++) {
        if (can_merge(it, p, d)) {
            if (it->shape[p] == 1) copy_row(it, p, d);
            it->shape[p] *= it->shape[d];
            continue;
        }
        p++;
        if (p == d) continue;
        copy_row(it, p, d);
        it->shape[p] = it->shape[d];
    }
    it->ndim = p + 1;
    stria_iter_clear_missing_rows(it);
}
