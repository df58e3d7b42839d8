/* test_gradients.c - the engine of gradients: graphs and walks, what is saved, orders above the first, refusals. */
#include "gradients.h"

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

/* ---------------------------------------------------------------- what a rule gets */

/* Gradients have the shape and dtype of the input, also where that was converted or broadcast; numbers take no part. */
static void check_dtypes(void)
{
    stria_tensor *a, *b = new_leaf(2, SHAPE(2, 1), (double[]){2, 3}), *half, *y, *number, *z;

    OK(stria_tensor_new_copy_of(STRIA_F32, 1, SHAPE(3), (float[]){1, 2, 3}, 12, &a, NULL));
    OK(stria_tensor_set_requires_grad(a, true, NULL));
    OK(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = 0.5}, &number, NULL));
    OK(stria_mul(a, number, &half, NULL));
    CHECK(half->dtype == STRIA_F32, "a number promotes");
    OK(stria_mul(half, b, &y, NULL));
    OK(stria_to(y, STRIA_F32, &z, NULL));
    OK(backward_sum(z, 0, NULL));
    CHECK(GRAD(a)->dtype == STRIA_F32 && GRAD(b)->dtype == STRIA_F64, "dtypes of gradients");
    HAS(GRAD(a), 2.5, 2.5, 2.5);
    HAS(GRAD(b), 3, 3);
    RELEASE(a, b, half, y, number);
}

/* y of a complex leaf: the gradient of |z|^2 is 2 z, of the real part of w z the conjugate of w. */
static void check_complex(void)
{
    const double  values[4] = {1, 2, -3, 0.5};
    stria_tensor *z, *w, *y, *parts = NULL, *seed;

    OK(stria_tensor_new_copy_of(STRIA_C128, 1, SHAPE(2), values, sizeof values, &z, NULL));
    OK(stria_tensor_new_copy_of(STRIA_C128, 1, SHAPE(2), (double[]){0, 1, 2, -1}, 32, &w, NULL));
    OK(stria_tensor_new_copy_of(STRIA_C128, 1, SHAPE(2), (double[]){1, 0, 1, 0}, 32, &seed, NULL));
    OK(stria_tensor_set_requires_grad(z, true, NULL));
    OK(stria_mul(z, w, &y, NULL));
    REFUSED(stria_backward(&y, 1, NULL, NULL, 0, 0, &err), STRIA_ERR_ARGUMENT, "backward", "gradient", "c128");
    OK(stria_backward(&y, 1, &seed, NULL, 0, 0, NULL));
    OK(stria_view_as_real(GRAD(z), &parts, NULL));
    HAS(parts, 0, -1, 2, 1);
    RELEASE(parts, z, w, y, seed);
}

/* The gradient of a sum of powers, four times: 3x^2, 6x, 6, 0. */
static void check_orders(void)
{
    stria_tensor *x = new_leaf(1, SHAPE(2), (double[]){2, -3}), *square, *cube, *y, *first, *second, *third;

    OK(stria_mul(x, x, &square, NULL));
    OK(stria_mul(square, x, &cube, NULL));
    y = sum(cube);
    OK(stria_grad(&y, 1, NULL, &x, 1, STRIA_GRAD_CREATE, &first, NULL));
    HAS(first, 12, 27);
    stria_tensor *total = sum(first);
    OK(stria_grad(&total, 1, NULL, &x, 1, STRIA_GRAD_CREATE, &second, NULL));
    HAS(second, 12, -18);
    RELEASE(total);
    total = sum(second);
    OK(stria_grad(&total, 1, NULL, &x, 1, 0, &third, NULL));
    HAS(third, 6, 6);
    CHECK(!stria_tensor_get_requires_grad(third) && GRAD(x) == NULL, "a gradient that nobody asked for");
    RELEASE(total, third, second, first, y, cube, square, x);
}

/* Second order through saved results and through a gradient that was added to .grad. */
static void check_second_backward(void)
{
    stria_tensor *x = new_leaf(1, SHAPE(2), (double[]){0.5, 1}), *e, *product, *y;

    OK(stria_exp(x, &e, NULL));
    OK(stria_mul(e, x, &product, NULL));
    y = sum(product);
    OK(backward(y, STRIA_GRAD_CREATE, NULL)); /* (1 + x) exp(x) */
    CHECK(stria_tensor_get_requires_grad(GRAD(x)), "a gradient without history");
    stria_tensor *first = stria_tensor_retain(GRAD(x));
    OK(stria_tensor_set_grad(x, NULL, NULL));
    OK(backward_sum(first, 0, NULL));
    HAS(GRAD(x), 2.5 * exp(0.5), 3 * exp(1));
    RELEASE(e, product, y, x);
}

/* A gradient with a history leads back to its leaf: both end with the leaf. The suite counts what is left. */
static void check_cycles(void)
{
    stria_tensor *x = new_leaf(1, SHAPE(2), (double[]){0.5, 1}), *y, *total;

    OK(stria_mul(x, x, &y, NULL));
    OK(stria_tensor_retain_grad(y, NULL));
    total = sum(y);
    OK(backward(total, STRIA_GRAD_CREATE, NULL));
    CHECK(stria_tensor_get_requires_grad(GRAD(x)), "a gradient without history");
    RELEASE(y, x);
    OK(backward(total, STRIA_GRAD_RETAIN, NULL)); /* nobody can ask for what it gives */
    RELEASE(total);
    x = new_leaf(1, SHAPE(2), (double[]){0.5, 1}); /* saved by its own gradient: cos(x) */
    OK(stria_sin(x, &y, NULL));
    OK(stria_tensor_retain_grad(y, NULL));
    total = sum(y);
    OK(backward(total, STRIA_GRAD_CREATE, NULL));
    RELEASE(total, y, x);
}

/* Outputs with gradients of their own, several at once; a result whose gradient nobody asked for. */
static void check_outputs(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){1, 2}), *b = new_leaf(1, SHAPE(2), (double[]){3, 4});
    stria_tensor *c = new_leaf(1, SHAPE(1), (double[]){1}), *both[2], *seeds[2], *inputs[2] = {a, c}, *grads[2];

    OK(stria_mul(a, b, &both[0], NULL));
    OK(stria_neg(a, &both[1], NULL));
    OK(stria_tensor_new_copy_of(STRIA_F64, 1, SHAPE(2), (double[]){10, 100}, 16, &seeds[0], NULL));
    OK(stria_tensor_new_copy_of(STRIA_F32, 1, SHAPE(2), (float[]){1, 2}, 8, &seeds[1], NULL)); /* becomes f64 */
    OK(stria_grad(both, 2, seeds, inputs, 2, STRIA_GRAD_RETAIN | STRIA_GRAD_UNUSED, grads, NULL));
    HAS(grads[0], 29, 398);
    CHECK(grads[1] == NULL && GRAD(a) == NULL && GRAD(b) == NULL, "gradients that nobody asked for");
    RELEASE(grads[0]);
    REFUSED(stria_grad(both, 2, seeds, inputs, 2, STRIA_GRAD_RETAIN, grads, &err), STRIA_ERR_ARGUMENT, "grad", "inputs",
            "do not depend on input number 1");
    CHECK(grads[0] == NULL && grads[1] == NULL, "outputs of a refused call");
    OK(stria_backward(both, 2, seeds, &a, 1, 0, NULL)); /* of a alone */
    HAS(GRAD(a), 29, 398);
    CHECK(GRAD(b) == NULL, "a gradient of another leaf");
    RELEASE(a, b, c, both[0], both[1], seeds[0], seeds[1]);
}

/* ---------------------------------------------------------------- no gradients */

static void check_modes(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){1, 2}), *y, *d, *z;

    CHECK(stria_grad_mode_get() && stria_grad_mode_set(false) && !stria_grad_mode_get(), "the mode of the thread");
    OK(stria_neg(a, &y, NULL));
    CHECK(!stria_tensor_get_requires_grad(y), "recorded without gradients");
    OK(stria_apply_out(STRIA_OP_neg, (const stria_tensor *[]){a}, 1, a, NULL)); /* as optimisers do */
    CHECK(!stria_grad_mode_set(true), "the mode of the thread");
    RELEASE(y);
    OK(stria_mul(a, a, &y, NULL));
    OK(stria_detach(y, &d, NULL));
    CHECK(!stria_tensor_get_requires_grad(d) && stria_tensor_get_aliased(d, y), "detach: a view without history");
    OK(stria_mul(y, d, &z, NULL));
    OK(backward_sum(z, 0, NULL));
    HAS(GRAD(a), -2, -16);
    RELEASE(d);
    OK(stria_tensor_detach(y, NULL));
    CHECK(!stria_tensor_get_requires_grad(y) && stria_tensor_get_is_leaf(y), "detached in place");
    OK(stria_tensor_set_requires_grad(a, false, NULL));
    OK(stria_neg(a, &z, NULL));
    CHECK(!stria_tensor_get_requires_grad(z), "of a leaf that requires nothing any more");
    RELEASE(a, y, z);
}

/* retain_grad of a result; a whole number beside floats never requires one. */
static void check_results(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){1, 2}), *y, *z, *i;

    OK(stria_mul(a, a, &y, NULL));
    OK(stria_tensor_retain_grad(y, NULL));
    OK(stria_exp(y, &z, NULL));
    OK(stria_to(y, STRIA_I64, &i, NULL));
    CHECK(!stria_tensor_get_requires_grad(i), "a whole number that requires a gradient");
    OK(backward_sum(z, 0, NULL));
    HAS(GRAD(y), exp(1), exp(4));
    HAS(GRAD(a), 2 * exp(1), 4 * exp(4));
    RELEASE(a, y, i);
}

/* ---------------------------------------------------------------- refusals */

static void check_refusals(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){1, 2}), *y, *whole, *seed, *plain, *total;

    OK(stria_tensor_new_copy_of(STRIA_I32, 1, SHAPE(2), (int32_t[]){1, 2}, 8, &whole, NULL));
    REFUSED(stria_tensor_set_requires_grad(whole, true, &err), STRIA_ERR_DTYPE, "requires_grad", "x", "i32");
    OK(stria_mul(a, a, &y, NULL));
    REFUSED(stria_tensor_set_requires_grad(y, false, &err), STRIA_ERR_ARGUMENT, "requires_grad", "x", "detach");
    REFUSED(backward(y, 0, &err), STRIA_ERR_ARGUMENT, "backward", "gradient", "shape [2]");
    OK(stria_tensor_new_copy_of(STRIA_F64, 1, SHAPE(3), (double[]){1, 2, 3}, 24, &seed, NULL));
    REFUSED(stria_backward(&y, 1, &seed, NULL, 0, 0, &err), STRIA_ERR_SHAPE, "backward", "gradient", "[3]");
    REFUSED(stria_tensor_set_grad(a, seed, &err), STRIA_ERR_SHAPE, "grad", "grad", "[3]");
    REFUSED(stria_tensor_set_grad(a, whole, &err), STRIA_ERR_DTYPE, "grad", "grad", "i32");
    OK(stria_detach(a, &plain, NULL));
    REFUSED(stria_backward(&plain, 1, &plain, NULL, 0, 0, &err), STRIA_ERR_ARGUMENT, "backward", "output",
            "requires no gradient");
    REFUSED(stria_backward(&y, 1, &a, &plain, 1, 0, &err), STRIA_ERR_ARGUMENT, "backward", "input",
            "requires no gradient");
    REFUSED(stria_tensor_retain_grad(plain, &err), STRIA_ERR_ARGUMENT, "retain_grad", "x", "requires no gradient");
    /* twice: mul has saved a */
    total = sum(y);
    OK(backward(total, 0, NULL));
    REFUSED(backward(total, 0, &err), STRIA_ERR_ARGUMENT, "backward", "mul", "freed by an earlier walk");
    HAS(GRAD(a), 2, 4);
    RELEASE(a, y, whole, seed, plain, total);
}

/* What saves nothing, or numbers alone, may be walked over twice. */
static void check_twice(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){1, 2}), *three, *y, *z, *total;

    OK(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT, .i = 3}, &three, NULL));
    OK(stria_mul(a, three, &y, NULL));
    OK(stria_add(y, a, &z, NULL));
    total = sum(z);
    OK(backward(total, 0, NULL));
    OK(backward(total, 0, NULL));
    HAS(GRAD(a), 8, 8);
    RELEASE(a, three, y, z, total);
}

/* out= has no gradient. */
static void check_out(void)
{
    stria_tensor       *a = new_leaf(1, SHAPE(2), (double[]){1, 2}), *out;
    const stria_tensor *in[] = {a, a};

    OK(stria_tensor_new(STRIA_F64, 1, SHAPE(2), &out, NULL));
    REFUSED(stria_apply_out(STRIA_OP_mul, in, 2, out, &err), STRIA_ERR_ARGUMENT, "mul", "out",
            "cannot be written to out");
    REFUSED(stria_reduce_out(STRIA_RED_sum, a, NULL, 0, false, STRIA_DTYPE_NONE, out, &err), STRIA_ERR_ARGUMENT, "sum",
            "out", "cannot be written to out");
    REFUSED(stria_outer_out(a, a, out, &err), STRIA_ERR_ARGUMENT, "outer", "out", "cannot be written to out");
    stria_grad_mode_set(false);
    OK(stria_apply_out(STRIA_OP_mul, in, 2, out, NULL));
    stria_grad_mode_set(true);
    HAS(out, 1, 4);
    RELEASE(a, out);
}

/* ---------------------------------------------------------------- bounds, small numbers, nothing */

/* As PyTorch: NaN on either side gets no gradient, and gives none to the bound. */
static void check_bounds(void)
{
    stria_tensor *x = new_leaf(1, SHAPE(5), (double[]){NAN, 1, 0, 2, 1}),
                 *b = new_leaf(1, SHAPE(5), (double[]){1, NAN, 1, 1, 1}), *y;

    OK(stria_clamp_min(x, b, &y, NULL));
    OK(backward_sum(y, 0, NULL));
    HAS(GRAD(x), 0, 0, 0, 1, 1);
    HAS(GRAD(b), 0, 0, 1, 0, 0);
    OK(stria_clamp_max(x, b, &y, NULL));
    OK(backward_sum(y, 0, NULL));
    HAS(GRAD(x), 0, 0, 1, 1, 2);
    HAS(GRAD(b), 0, 0, 1, 1, 0);
    OK(stria_clamp(x, b, NULL, &y, NULL)); /* the same rows */
    OK(backward_sum(y, 0, NULL));
    HAS(GRAD(x), 0, 0, 1, 2, 3);
    HAS(GRAD(b), 0, 0, 2, 1, 0);
    OK(stria_clamp(x, NULL, b, &y, NULL));
    OK(backward_sum(y, 0, NULL));
    HAS(GRAD(x), 0, 0, 2, 2, 4);
    HAS(GRAD(b), 0, 0, 2, 2, 0);
    RELEASE(x, b);
}

/* The results are subnormal numbers of f16, of few bits: what gelu passes on is 1/2 + a sqrt(2 / pi) all the same. */
static void check_small_gelu(void)
{
    const double  values[] = {0, 0x1p-24, -0x1p-24, 3 * 0x1p-24, -5 * 0x1p-20, 0x1p-14, 0x1p-12, -0x1p-11};
    stria_tensor *wide = new_leaf(1, SHAPE(8), values), *x, *y, *grad;

    OK(stria_to(wide, STRIA_F16, &x, NULL));
    OK(stria_gelu(x, &y, NULL));
    stria_tensor *total = sum(y);
    OK(stria_grad(&total, 1, NULL, &x, 1, 0, &grad, NULL));
    RELEASE(total, x, y);
    OK(stria_to(grad, STRIA_F64, &x, NULL));
    for (int k = 0; k < 8; k++) {
        const double got = ((const double *)stria_tensor_get_const_data(x))[k];
        CHECK(fabs(got - (0.5 + values[k] * 0.79788456080286536)) <= 0x1p-12, "gelu at %g: %g", values[k], got);
    }
    RELEASE(wide, x, grad);
}

/* 0 log 0 is 0, and its derivative that of t log t towards 0; a target below 0 has no logarithm. */
static void check_divergence(void)
{
    stria_tensor *x = new_leaf(1, SHAPE(3), (double[]){-1, -2, 0.5}),
                 *target = new_leaf(1, SHAPE(3), (double[]){0, 1, -0.5}), *y;

    OK(stria_kl_div(x, target, "sum", false, &y, NULL));
    OK(backward(y, 0, NULL));
    CHECK(isnan(*(const double *)stria_tensor_get_const_data(y)), "of a target below 0");
    HAS(GRAD(x), 0, -1, 0.5);
    const double *got = stria_tensor_get_const_data(GRAD(target));
    CHECK(got[0] == -INFINITY && got[1] == 3 && isnan(got[2]), "%g %g %g", got[0], got[1], got[2]);
    RELEASE(x, target, y);

    /* what is masked has no gradient */
    stria_tensor *mask = new_leaf(1, SHAPE(3), (double[]){0, 1, 1}), *loss;
    x = new_leaf(1, SHAPE(3), (double[]){-1, -2, 0.5}), target = new_leaf(1, SHAPE(3), (double[]){0, 1, 0.5});
    OK(stria_kl_div(x, target, "none", false, &y, NULL));
    OK(stria_mul(y, mask, &loss, NULL));
    stria_tensor_release(y), y = NULL;
    OK(stria_sum(loss, NULL, 0, false, &y, NULL));
    OK(backward(y, 0, NULL));
    HAS(GRAD(target), 0, 3, -0.19314718055994531);
    RELEASE(x, target, y, mask, loss);
}

/* Whole numbers are computed with as floats by the rule, too. */
static void check_entropy_of_whole(void)
{
    stria_tensor *ones = new_leaf(1, SHAPE(2), (double[]){1, 0}), *x, *y,
                 *target = new_leaf(1, SHAPE(2), (double[]){0.25, 0.25});

    OK(stria_to(ones, STRIA_U8, &x, NULL));
    OK(stria_binary_cross_entropy(x, target, NULL, "sum", &y, NULL));
    OK(backward(y, 0, NULL));
    HAS(y, 100);
    HAS(GRAD(target), -100, 100);
    RELEASE(ones, x, target, y);
}

static void check_product_of_nothing(void)
{
    const stria_device devices[] = {STRIA_CPU, STRIA_META};

    for (int k = 0; k < 2; k++) {
        const int     axis = 1;
        stria_tensor *x, *y;
        OK(stria_zeros(SHAPE(2, 0), 2, STRIA_F64, devices[k], &x, NULL));
        OK(stria_tensor_set_requires_grad(x, true, NULL));
        OK(stria_prod(x, &axis, 1, false, &y, NULL));
        OK(backward_sum(y, 0, NULL));
        CHECK(GRAD(x) != NULL && stria_tensor_has_shape(GRAD(x), 2, SHAPE(2, 0)), "no gradient");
        RELEASE(x);
    }
}

/* ---------------------------------------------------------------- suite */

/* ---------------------------------------------------------------- numbers */

/* d op(x, number) / d x, or of op(number, x), of 0-dim and of longer tensors: what a formula makes of the number alone is not rounded to f32. */
static void check_numbers(void)
{
    static const struct {
        stria_op op;
        double   x, number;
        bool     is_first; /* the number */
        double   expected;
    } cases[] = {
        {STRIA_OP_pow, .5, .1, false, .1866065983073614831962},
        {STRIA_OP_pow, .5, 1e39, true, 2.839751226082602e21},
        {STRIA_OP_atan2, .5, 1e39, false, 1e-39},
        {STRIA_OP_atan2, .5, 1e39, true, -1e-39},
        {STRIA_OP_atan2, 1e-50, 1e-50, false, 5e49},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int ndim = 0; ndim < 2; ndim++) {
            const stria_scalar number = {.kind = STRIA_SCALAR_FLOAT, .re = cases[k].number};
            stria_tensor      *x = new_leaf(ndim, SHAPE(1), &cases[k].x), *n, *y = NULL, *loss;
            OK(stria_tensor_new_scalar(number, &n, NULL));
            const stria_tensor *const in[] = {cases[k].is_first ? n : x, cases[k].is_first ? x : n};
            OK(stria_apply(cases[k].op, in, 2, &y, NULL));
            loss = sum(y);
            OK(backward(loss, 0, NULL));
            const double got = *(const double *)stria_tensor_get_const_data(GRAD(x));
            CHECK(fabs(got - cases[k].expected) <= 1e-14 * fabs(cases[k].expected), "case %d: %g, expected %g", (int)k,
                  got, cases[k].expected);
            RELEASE(x, n, y, loss);
        }
}

SUITE(test_gradients)
{
    check_formulas();
    check_accumulation();
    check_products();
    check_dtypes();
    check_complex();
    check_orders();
    check_second_backward();
    check_cycles();
    check_outputs();
    check_modes();
    check_results();
    check_refusals();
    check_twice();
    check_out();
    check_bounds();
    check_small_gelu();
    check_divergence();
    check_entropy_of_whole();
    check_product_of_nothing();
    check_numbers();
    return check_finish("test_gradients");
}
