/* shape.h - arithmetic of shapes. Internal. */
#ifndef STRIA_SHAPE_H
#define STRIA_SHAPE_H

#include "stria.h"

/* Widens shape [*ndim, room for STRIA_MAX_DIMS or for the wider of the two] by broadcasting it with other [other_ndim]:
 * aligned right, missing dims count as 1, a 1 takes the other's size. ERR_SHAPE names both and the axis, counted from
 * the left of the wider one; shape is unchanged then. */
stria_status stria_shape_broadcast(const char *op, int *ndim, int64_t *shape, int other_ndim, const int64_t *other,
                                   stria_error *err);

/* ERR_SHAPE, always: an output of shape `got` where inputs broadcast to another. */
stria_status stria_shape_refuse_output(const char *op, int ndim, const int64_t *shape, int got_ndim, const int64_t *got,
                                       stria_error *err);

/* Elements of a shape; 0 if any size is 0, ERR_OVERFLOW beyond 2^63 - 1. */
stria_status stria_shape_get_product(const char *op, int ndim, const int64_t *shape, int64_t *product,
                                     stria_error *err);

/* Row-major strides of a shape: 1 for the last dim, times max(size, 1) going left. */
static inline void stria_shape_get_strides(int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t stride = 1;

    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = stride;
        if (shape[d] > 1) stride *= shape[d];
    }
}

/* Whether a size is 0. */
bool stria_shape_is_empty(int ndim, const int64_t *shape);

/* Sizes that are left of a shape [ndim] when the axes of `reduced` (bit k: axis k) are reduced, into left; with keepdim those
 * axes count 1. Returns how many. */
int stria_shape_reduce(int ndim, const int64_t *shape, uint64_t reduced, bool keepdim, int64_t *left);

#endif
