/* gradients.h - what suites about gradients share: leaves, values, refusals. */
#ifndef TEST_GRADIENTS_H
#define TEST_GRADIENTS_H

#include <math.h>
#include <string.h>

#include "refused.h"
#include "stria_autograd.h"
#include "tensor/tensor.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define OK(call) CHECK_STATUS(call, STRIA_OK)

/* A leaf that requires a gradient. */
static inline stria_tensor *new_leaf(int ndim, const int64_t *shape, const double *values)
{
    stria_tensor *x;
    int64_t       n = 1;

    for (int d = 0; d < ndim; d++) n *= shape[d];
    OK(stria_tensor_new_copy_of(STRIA_F64, ndim, shape, values, (size_t)n * sizeof *values, &x, NULL));
    OK(stria_tensor_set_requires_grad(x, true, NULL));
    return x;
}

/* The elements of x, in row-major order. */
static inline bool has_values(const stria_tensor *x, int n, const double *values)
{
    stria_tensor *y = NULL, *dense = NULL;
    bool          equal = x != NULL && x->numel == n;

    if (x == NULL) return false;
    OK(stria_tensor_copy(x, STRIA_F64, &y, NULL));
    OK(stria_contiguous(y, &dense, NULL));
    for (int k = 0; k < n && equal; k++)
        equal =
            fabs(((const double *)stria_tensor_get_const_data(dense))[k] - values[k]) <= 1e-12 * (1 + fabs(values[k]));
    if (!equal && x->numel > 0) printf("  (first element %g)\n", *(const double *)stria_tensor_get_const_data(dense));
    stria_tensor_release(y);
    stria_tensor_release(dense);
    return equal;
}
#define HAS(x, ...) \
    CHECK(has_values(x, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__}), "values of " #x)
#define GRAD(x) stria_tensor_get_grad(x)

static inline void release_all(int n, stria_tensor **xs)
{
    for (int k = 0; k < n; k++) stria_tensor_release(xs[k]);
}
#define RELEASE(...) \
    release_all(sizeof((stria_tensor *[]){__VA_ARGS__}) / sizeof(stria_tensor *), (stria_tensor *[]){__VA_ARGS__})

static inline stria_status backward(stria_tensor *y, int flags, stria_error *err)
{
    return stria_backward(&y, 1, NULL, NULL, 0, flags, err);
}

static inline stria_tensor *sum(const stria_tensor *x)
{
    stria_tensor *y = NULL;
    OK(stria_sum(x, NULL, 0, false, &y, NULL));
    return y;
}

/* backward of the sum of y, which is released. */
static inline stria_status backward_sum(stria_tensor *y, int flags, stria_error *err)
{
    stria_tensor      *total = sum(y);
    const stria_status status = backward(total, flags, err);

    RELEASE(total, y);
    return status;
}

#endif
