/* shape.c - broadcasting and products of sizes. */
#include "tensor/shape.h"

#include <string.h>

#include "base/error.h"

static stria_status refuse_broadcast(const char *op, int ndim, const int64_t *shape, int other_ndim,
                                     const int64_t *other, int axis, stria_error *err)
{
    char a[96], b[96];

    stria_shape_print(a, sizeof a, ndim, shape);
    stria_shape_print(b, sizeof b, other_ndim, other);
    return stria_error_set(err, STRIA_ERR_SHAPE, op, NULL, a, b, "shapes %s and %s do not broadcast at axis %d", a, b,
                           axis);
}

stria_status stria_shape_broadcast(const char *op, int *ndim, int64_t *shape, int other_ndim, const int64_t *other,
                                   stria_error *err)
{
    const int      n = *ndim, wide = n > other_ndim ? n : other_ndim, shared = n + other_ndim - wide;
    const int64_t *x = shape + (n - shared), *y = other + (other_ndim - shared);

    bool grows = false;

    for (int d = shared - 1; d >= 0; d--) {
        if (x[d] == y[d] || y[d] == 1) continue;
        if (x[d] != 1) return refuse_broadcast(op, n, shape, other_ndim, other, wide - shared + d, err);
        grows = true;
    }
    if (wide > n) {
        memmove(shape + (wide - n), shape, (size_t)n * sizeof *shape);
        memcpy(shape, other, (size_t)(wide - n) * sizeof *shape);
    }
    int64_t *widened = shape + (wide - shared);
    for (int d = 0; d < shared && grows; d++) {
        if (widened[d] == 1) widened[d] = y[d];
    }
    *ndim = wide;
    return STRIA_OK;
}

stria_status stria_shape_refuse_output(const char *op, int ndim, const int64_t *shape, int got_ndim, const int64_t *got,
                                       stria_error *err)
{
    char expected[96], text[96];

    stria_shape_print(expected, sizeof expected, ndim, shape);
    stria_shape_print(text, sizeof text, got_ndim, got);
    return stria_error_set(err, STRIA_ERR_SHAPE, op, "out", expected, text,
                           "output shape %s does not match the broadcast shape %s", text, expected);
}

stria_status stria_shape_get_product(const char *op, int ndim, const int64_t *shape, int64_t *product, stria_error *err)
{
    int64_t numel = 1;
    bool    overflow = false;

    for (int d = 0; d < ndim; d++) overflow |= __builtin_mul_overflow(numel, shape[d], &numel);
    for (int d = 0; d < ndim && overflow; d++) {
        if (shape[d] != 0) continue;
        numel = 0;
        overflow = false;
    }
    if (overflow) {
        char text[96];
        stria_shape_print(text, sizeof text, ndim, shape);
        return stria_error_set(err, STRIA_ERR_OVERFLOW, op, NULL, NULL, text,
                               "shape %s has more elements than 2^63 - 1", text);
    }
    *product = numel;
    return STRIA_OK;
}

int stria_shape_reduce(int ndim, const int64_t *shape, uint64_t reduced, bool keepdim, int64_t *left)
{
    int n = 0;

    for (int d = 0; d < ndim; d++) {
        const bool is_reduced = (reduced >> d) & 1;
        if (!is_reduced || keepdim) left[n++] = is_reduced ? 1 : shape[d];
    }
    return n;
}

bool stria_shape_is_empty(int ndim, const int64_t *shape)
{
    for (int d = 0; d < ndim; d++)
        if (shape[d] == 0) return true;
    return false;
}
