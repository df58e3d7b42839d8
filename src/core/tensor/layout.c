/* layout.c - how the dims of a tensor lie in memory (layout.h). */
#include "tensor/layout.h"

#include "tensor/shape.h"

bool stria_layout_is_contiguous(int ndim, const int64_t *shape, const int64_t *strides)
{
    return stria_layout_is_row_major(ndim, shape, strides) || stria_shape_is_empty(ndim, shape);
}

bool stria_layout_is_channels_last(int ndim, const int64_t *shape, const int64_t *strides)
{
    static const int order[4] = {1, 3, 2, 0}; /* C, W, H, N: fastest first */
    int64_t          wanted = 1;

    if (ndim != 4) return false;
    for (int k = 0; k < 4; k++) {
        const int d = order[k];
        if (shape[d] == 1) continue;
        if (strides[d] != wanted) return false;
        wanted *= shape[d];
    }
    return true;
}

bool stria_layout_is_dense(int ndim, const int64_t *shape, const int64_t *strides)
{
    uint64_t done = 0; /* bit d: dim d is placed */
    int64_t  wanted = 1;

    if (stria_layout_is_contiguous(ndim, shape, strides) || stria_layout_is_channels_last(ndim, shape, strides))
        return true;
    /* strides of dims >= 2 must be 1, 1 * s, 1 * s * t ..: look for the next in turn */
    for (int placed = 0; placed < ndim;) {
        int found = -1;
        for (int d = 0; d < ndim && found < 0; d++)
            if (!(done >> d & 1) && (shape[d] < 2 || strides[d] == wanted)) found = d;
        if (found < 0) return false;
        if (shape[found] >= 2) wanted *= shape[found];
        done |= (uint64_t)1 << found;
        placed++;
    }
    return true;
}

bool stria_layout_has_negative_stride(int ndim, const int64_t *shape, const int64_t *strides)
{
    for (int d = 0; d < ndim; d++) {
        if (strides[d] < 0 && shape[d] > 1) return true;
    }
    return false;
}

void stria_layout_sort_dims(int n, int *order, stria_layout_compare_fn *compare, const void *context)
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

int stria_layout_compare_dims(const void *context, int a, int b)
{
    const stria_layout *x = context;
    int                 sign;

    stria_layout_compare_strides(false, x->strides[a], x->strides[b], x->shape[a], x->shape[b], &sign);
    return sign;
}

void stria_layout_get_dense_strides(int ndim, const int64_t *shape, const int64_t *strides, int64_t *dense)
{
    const stria_layout x = {shape, strides};
    int                order[STRIA_MAX_DIMS];
    int64_t            running = 1;

    if (stria_layout_is_dense(ndim, shape, strides) && !stria_layout_has_negative_stride(ndim, shape, strides)) {
        for (int d = 0; d < ndim; d++)
            dense[d] = (int64_t)stria_magnitude(strides[d]); /* a size of 1 may run backwards */
        return;
    }
    stria_layout_sort_dims(ndim, order, stria_layout_compare_dims, &x);
    for (int i = 0; i < ndim; i++) {
        dense[order[i]] = running;
        if (shape[order[i]] > 1) running *= shape[order[i]];
    }
}
