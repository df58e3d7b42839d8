/* test_gradients.c - the engine of gradients: graphs and walks, what is saved, views and what is written in place, refusals. */
#include "stria_autograd.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "refused.h"
#include "tensor/tensor.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define OK(call) CHECK_STATUS(call, STRIA_OK)

/* A leaf that requires a gradient. */
static stria_tensor *new_leaf(int ndim, const int64_t *shape, const double *values)
{
    stria_tensor *x;
    int64_t       n = 1;

    for (int d = 0; d < ndim; d++) n *= shape[d];
    OK(stria_tensor_new_copy_of(STRIA_F64, ndim, shape, values, (size_t)n * sizeof *values, &x, NULL));
    OK(stria_tensor_set_requires_grad(x, true, NULL));
    return x;
}

/* The elements of x, in row-major order. */
static bool has_values(const stria_tensor *x, int n, const double *values)
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

static void release_all(int n, stria_tensor **xs)
{
    for (int k = 0; k < n; k++) stria_tensor_release(xs[k]);
}
#define RELEASE(...) \
    release_all(sizeof((stria_tensor *[]){__VA_ARGS__}) / sizeof(stria_tensor *), (stria_tensor *[]){__VA_ARGS__})

static stria_status backward(stria_tensor *y, int flags, stria_error *err)
{
    return stria_backward(&y, 1, NULL, NULL, 0, flags, err);
}

static stria_tensor *sum(const stria_tensor *x)
{
    stria_tensor *y = NULL;
    OK(stria_sum(x, NULL, 0, false, &y, NULL));
    return y;
}

/* ---------------------------------------------------------------- graphs */

/* d sum(exp(a * b) / b - a): a is used twice, b is broadcast. */
static void check_formulas(void)
{
    stria_tensor *a = new_leaf(2, SHAPE(2, 2), (double[]){1, 2, -1, 0.5}),
                 *b = new_leaf(1, SHAPE(2), (double[]){0.5, 2});
    stria_tensor *product, *e, *quotient, *y, *loss;

    OK(stria_mul(a, b, &product, NULL));
    OK(stria_exp(product, &e, NULL));
    OK(stria_div(e, b, &quotient, NULL));
    OK(stria_sub(quotient, a, &y, NULL));
    loss = sum(y);
    CHECK(stria_tensor_get_requires_grad(loss) && !stria_tensor_get_is_leaf(loss) && stria_tensor_get_is_leaf(a),
          "who is a leaf");
    RELEASE(product, e, quotient, y);
    OK(backward(loss, 0, NULL));
    HAS(GRAD(a), exp(0.5) - 1, exp(4) - 1, exp(-0.5) - 1, exp(1) - 1);
    HAS(GRAD(b), exp(0.5) / 0.5 * 1 - exp(0.5) / 0.25 + exp(-0.5) / 0.5 * -1 - exp(-0.5) / 0.25,
        exp(4) / 2 * 2 - exp(4) / 4 + exp(1) / 2 * 0.5 - exp(1) / 4);
    RELEASE(a, b, loss);
}

/* Gradients of walks add up, also where they lie in one another. */
static void check_accumulation(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){3, 4}), *y, *first, *second, *third;

    for (int k = 1; k <= 3; k++) {
        OK(stria_mul(a, a, &y, NULL));
        OK(stria_add(y, a, &first, NULL));
        second = sum(first);
        OK(backward(second, 0, NULL));
        HAS(GRAD(a), 7.0 * k, 9.0 * k);
        RELEASE(y, first, second);
    }
    OK(stria_tensor_set_grad(a, NULL, NULL));
    CHECK(GRAD(a) == NULL, "a gradient after it was set to none");
    /* the same gradient goes to two places: neither may change with the other */
    stria_tensor *b = new_leaf(1, SHAPE(2), (double[]){1, 1});
    OK(stria_add(a, b, &y, NULL));
    third = sum(y);
    OK(backward(third, 0, NULL));
    CHECK(GRAD(a) != GRAD(b) && !stria_tensor_get_aliased(GRAD(a), GRAD(b)), "two gradients in one memory");
    RELEASE(a, b, y, third);
}

static void check_products(void)
{
    stria_tensor *a = new_leaf(2, SHAPE(2, 3), (double[]){1, 2, 3, 4, 5, 6}),
                 *v = new_leaf(1, SHAPE(3), (double[]){1, 0, -1});
    stria_tensor *t, *square, *y, *loss;

    OK(stria_transpose(a, 0, 1, &t, NULL));
    OK(stria_mm(a, t, &square, NULL));
    loss = sum(square);
    OK(backward(loss, 0, NULL));
    HAS(GRAD(a), 10, 14, 18, 10, 14, 18);
    RELEASE(loss, square, t);
    OK(stria_matmul(a, v, &y, NULL));
    OK(stria_tensor_set_grad(a, NULL, NULL));
    loss = sum(y);
    OK(backward(loss, 0, NULL));
    HAS(GRAD(a), 1, 0, -1, 1, 0, -1);
    HAS(GRAD(v), 5, 7, 9);
    RELEASE(a, v, y, loss);
}

/* ---------------------------------------------------------------- suite */

SUITE(test_gradients)
{
    check_formulas();
    check_accumulation();
    check_products();
    return check_finish("test_gradients");
}
