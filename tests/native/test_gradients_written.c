/* test_gradients_written.c - gradients and what is written in place: tensors, views, bases, saved values. */
#include "gradients.h"
#include "oom.h"

static stria_status apply_in_place(stria_op op, stria_tensor *x, const stria_tensor *other, stria_error *err)
{
    const stria_tensor *in[] = {x, other};
    return stria_apply_out(op, in, other != NULL ? 2 : 1, x, err);
}

static stria_tensor *new_zeros(int ndim, const int64_t *shape)
{
    stria_tensor *x = NULL;
    OK(stria_zeros(shape, ndim, STRIA_F64, STRIA_CPU, &x, NULL));
    return x;
}

/* Results that a derivative could read, but PyTorch's does not, may be overwritten. */
static void check_results(void)
{
    static const stria_op ops[] = {STRIA_OP_div, STRIA_OP_gelu, STRIA_OP_sinc, STRIA_OP_sign};
    stria_tensor         *a = new_leaf(1, SHAPE(3), (double[]){0.5, -1.5, 2}), *b = new_leaf(0, NULL, (double[]){4});

    for (int k = 0; k <= 4; k++) {
        stria_tensor *g[2][2] = {{NULL}}, *leaves[] = {a, b};
        for (int is_written = 0; is_written < 2; is_written++) {
            stria_tensor *y = NULL;
            OK(k == 4 ? stria_normalize(a, 2, 0, 1e-12, &y, NULL)
                      : stria_apply(ops[k], (const stria_tensor *[]){a, b}, k == 0 ? 2 : 1, &y, NULL));
            if (is_written) OK(apply_in_place(STRIA_OP_neg, y, NULL, NULL));
            OK(stria_grad(&y, 1, (stria_tensor *[]){a}, leaves, 2, STRIA_GRAD_UNUSED, g[is_written], NULL));
            RELEASE(y);
        }
        for (int j = 0; j < (k == 0 ? 2 : 1); j++) {
            OK(apply_in_place(STRIA_OP_neg, g[0][j], NULL, NULL));
            CHECK(has_values(g[1][j], j == 0 ? 3 : 1, (const double *)stria_tensor_get_const_data(g[0][j])),
                  "row %d, input %d", k, j);
        }
        RELEASE(g[0][0], g[0][1], g[1][0], g[1][1]);
    }
    RELEASE(a, b);
}

/* ---------------------------------------------------------------- tensors of their own */

/* x = a; x *= b; x = exp(x): the history follows the tensor. */
static void check_in_place(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){0.5, 1}), *b = new_leaf(1, SHAPE(2), (double[]){2, 3}), *x, *y;

    OK(stria_neg(a, &x, NULL));
    OK(apply_in_place(STRIA_OP_mul, x, b, NULL)); /* saves what x was: the gradient of b needs it */
    OK(apply_in_place(STRIA_OP_exp, x, NULL, NULL));
    OK(stria_mul(x, b, &y, NULL));
    OK(backward_sum(y, 0, NULL));
    HAS(GRAD(a), -4 * exp(-1), -9 * exp(-3));
    HAS(GRAD(b), exp(-1) - 0.5 * 2 * exp(-1), exp(-3) - 3 * exp(-3));
    RELEASE(a, b, x);
}

/* A tensor without history gets one by what is written to it. */
static void check_becomes(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){2, 3}), *x = new_zeros(1, SHAPE(2));

    OK(apply_in_place(STRIA_OP_add, x, a, NULL));
    CHECK(stria_tensor_get_requires_grad(x) && !stria_tensor_get_is_leaf(x), "no history");
    OK(apply_in_place(STRIA_OP_mul, x, a, NULL));
    OK(backward_sum(x, 0, NULL));
    HAS(GRAD(a), 4, 6);
    RELEASE(a);
}

/* Composites: what addcmul and addmv make goes into x, whose history it becomes; in a view of it, too. */
static void check_composites(void)
{
    stria_tensor      *a = new_leaf(1, SHAPE(3), (double[]){2, -3, 1}), *x, *turned, *square;
    const stria_scalar two = {.kind = STRIA_SCALAR_FLOAT, .re = 2};

    OK(stria_ones(SHAPE(3, 3), 2, STRIA_F64, STRIA_CPU, &square, NULL));
    OK(stria_neg(a, &x, NULL));
    REFUSED(stria_mse_loss_out(x, a, "none", x, &err), STRIA_ERR_ARGUMENT, "mse_loss", "out",
            "cannot be written to out");
    OK(stria_addcmul_out(x, a, a, two, x, NULL));         /* -a + 2 a^2 */
    OK(stria_addmv_out(x, square, a, two, two, x, NULL)); /* 2 x + 2 square a */
    OK(stria_transpose(x, 0, 0, &turned, NULL));
    OK(stria_addmv_out(turned, square, a, two, two, turned, NULL));
    OK(backward_sum(x, 0, NULL));
    HAS(GRAD(a), 4 * (-1 + 4 * 2) + 6 * 3, 4 * (-1 + 4 * -3) + 6 * 3, 4 * (-1 + 4 * 1) + 6 * 3);
    RELEASE(a, turned, square);
}

/* .grad belongs to the tensor, whatever becomes of its history, and a result goes on retaining it. */
static void check_grad_stays(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){2, 3}), *x, *y, *part, *kept;

    OK(stria_neg(a, &x, NULL));
    OK(stria_tensor_retain_grad(x, NULL));
    OK(stria_mul(x, a, &y, NULL));
    OK(backward_sum(y, STRIA_GRAD_RETAIN, NULL));
    HAS(GRAD(x), 2, 3);
    kept = stria_tensor_retain(GRAD(x));
    OK(apply_in_place(STRIA_OP_mul, x, a, NULL));
    CHECK(GRAD(x) == kept, "the gradient is lost by what was written");
    OK(stria_add(x, x, &y, NULL));
    OK(backward_sum(y, 0, NULL)); /* with respect to what x is now */
    CHECK(GRAD(x) == kept, "the gradient is another tensor");
    HAS(GRAD(x), 4, 5);
    RELEASE(x, kept);
    /* a view, renewed because its base was written to */
    OK(stria_neg(a, &x, NULL));
    OK(stria_select(x, 0, 1, &part, NULL));
    OK(stria_tensor_retain_grad(part, NULL));
    OK(apply_in_place(STRIA_OP_exp, x, NULL, NULL));
    OK(stria_add(part, part, &y, NULL));
    OK(backward_sum(y, 0, NULL));
    HAS(GRAD(part), 2);
    RELEASE(x, part);
    /* a tensor without history */
    OK(stria_ones(SHAPE(2), 1, STRIA_F64, STRIA_CPU, &x, NULL));
    OK(stria_tensor_set_grad(x, a, NULL));
    OK(apply_in_place(STRIA_OP_mul, x, a, NULL));
    CHECK(GRAD(x) == a && stria_tensor_get_requires_grad(x), "the gradient that was set is lost");
    OK(stria_tensor_detach(x, NULL));
    CHECK(GRAD(x) == a && !stria_tensor_get_requires_grad(x), "the gradient is lost with the history");
    RELEASE(a, x);
}

/* ---------------------------------------------------------------- saved values */

static void check_versions(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){0.5, 1}), *x, *y, *part;

    OK(stria_neg(a, &x, NULL));
    OK(stria_mul(x, a, &y, NULL)); /* has saved x */
    OK(apply_in_place(STRIA_OP_add, x, a, NULL));
    stria_tensor *total = sum(y);
    REFUSED(backward(total, 0, &err), STRIA_ERR_ARGUMENT, "backward", "mul", "changed in place since, by add");
    RELEASE(total, x, y);
    /* a result, changed through a view */
    OK(stria_exp(a, &x, NULL));
    OK(stria_select(x, 0, 0, &part, NULL));
    stria_grad_mode_set(false);
    OK(apply_in_place(STRIA_OP_neg, part, NULL, NULL));
    stria_grad_mode_set(true);
    total = sum(x);
    REFUSED(backward(total, 0, &err), STRIA_ERR_ARGUMENT, "backward", "exp",
            "result number 0, which was changed in place since, by neg");
    RELEASE(total, x, part);
    /* what was not saved may change */
    OK(stria_neg(a, &x, NULL));
    OK(stria_add(x, a, &y, NULL));
    OK(apply_in_place(STRIA_OP_neg, x, NULL, NULL));
    OK(backward_sum(y, 0, NULL));
    HAS(GRAD(a), 0, 0);
    RELEASE(a, x);
}

/* Sums and means of what is scattered need no elements: these may change. */
static void check_scattered(void)
{
    static const struct {
        const char *reduce;
        bool        needs;
    } cases[] = {{"sum", false}, {"mean", false}, {"prod", true}, {"amax", true}};
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){2, 4}), *index = NULL, *x, *s, *y[2];

    OK(stria_tensor_new_copy_of(STRIA_I64, 1, SHAPE(2), (int64_t[]){0, 0}, 16, &index, NULL));
    for (int k = 0; k < 4; k++) {
        OK(stria_neg(a, &x, NULL));
        OK(stria_neg(a, &s, NULL));
        const int64_t before = stria_memory_get_stats().live_tensors;
        OK(stria_scatter_reduce(x, index, s, 0, cases[k].reduce, true, &y[0], NULL));
        const int n =
            (int)(stria_memory_get_stats().live_tensors - before); /* the result, and what is saved: index, or all */
        CHECK(n == 1 + (cases[k].needs ? 4 : 1), "%s saves %d tensors", cases[k].reduce, n - 1);
        OK(apply_in_place(STRIA_OP_add, x, a, NULL));
        OK(apply_in_place(STRIA_OP_add, s, a, NULL));
        stria_tensor *total = sum(y[0]);
        if (cases[k].needs)
            REFUSED(backward(total, 0, &err), STRIA_ERR_ARGUMENT, "backward", "scatter_reduce",
                    "changed in place since, by add");
        else
            OK(backward(total, 0, NULL));
        RELEASE(x, s, y[0], total);
        if (strcmp(cases[k].reduce, "mean") == 0) continue; /* index_reduce has no sum */
        OK(stria_neg(a, &x, NULL));
        const int64_t now = stria_memory_get_stats().live_tensors;
        OK(stria_index_reduce(x, index, a, 0, k == 0 ? "mean" : cases[k].reduce, true, &y[1], NULL));
        const int m = (int)(stria_memory_get_stats().live_tensors - now);
        CHECK(m == 1 + (cases[k].needs ? 4 : 1), "%s saves %d tensors", cases[k].reduce, m - 1);
        OK(apply_in_place(STRIA_OP_add, x, a, NULL));
        total = sum(y[1]);
        if (cases[k].needs)
            REFUSED(backward(total, 0, &err), STRIA_ERR_ARGUMENT, "backward", "index_reduce",
                    "changed in place since, by add");
        else
            OK(backward(total, 0, NULL));
        RELEASE(x, y[1], total);
    }
    const double third = 1.0 / 3;
    HAS(GRAD(a), (-1 - 1) + (-third - third) + (-third + third), (-1 - 1) + (-1 - third) + (-1 + third));
    RELEASE(a, index);
}

static void check_leaves(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){0.5, 1}), *part, *cut;

    REFUSED(apply_in_place(STRIA_OP_neg, a, NULL, &err), STRIA_ERR_ARGUMENT, "neg", "out",
            "a leaf that requires a gradient cannot be changed in place");
    OK(stria_select(a, 0, 0, &part, NULL));
    REFUSED(apply_in_place(STRIA_OP_neg, part, NULL, &err), STRIA_ERR_ARGUMENT, "neg", "out",
            "a view of a leaf that requires a gradient");
    stria_grad_mode_set(false);
    OK(stria_select(a, 0, 0, &cut, NULL));
    OK(apply_in_place(STRIA_OP_neg, cut, NULL, NULL)); /* nothing is recorded */
    stria_grad_mode_set(true);
    CHECK(!stria_tensor_get_requires_grad(cut), "a view that was made without gradients requires one");
    REFUSED(apply_in_place(STRIA_OP_neg, cut, NULL, &err), STRIA_ERR_ARGUMENT, "neg", "out", "a view of a leaf");
    HAS(a, -0.5, 1);
    REFUSED(stria_tensor_detach(part, &err), STRIA_ERR_ARGUMENT, "detach", "x", "a view");
    RELEASE(a, part, cut);
}

/* A leaf that is a view itself is changed by nobody either: it would be none any more. */
static void check_leaves_that_are_views(void)
{
    stria_tensor *base = new_zeros(1, SHAPE(6)), *w, *parts[4], *own, *copy;

    OK(stria_view(base, SHAPE(2, 3), 2, &w, NULL));
    OK(stria_tensor_set_requires_grad(w, true, NULL));
    OK(stria_select(w, 0, 0, &parts[0], NULL));
    OK(stria_transpose(w, 0, 1, &parts[1], NULL));
    OK(stria_slice(parts[1], 0, 0, 2, 1, &parts[2], NULL));
    OK(stria_as_strided(w, SHAPE(2), 1, SHAPE(1), 1, STRIA_INT_NONE, &parts[3], NULL));
    for (int k = 0; k < 4; k++)
        REFUSED(apply_in_place(STRIA_OP_neg, parts[k], NULL, &err), STRIA_ERR_ARGUMENT, "neg", "out",
                "a view of a leaf that requires a gradient");
    REFUSED(apply_in_place(STRIA_OP_neg, w, NULL, &err), STRIA_ERR_ARGUMENT, "neg", "out", "a leaf that requires");
    CHECK(!stria_tensor_get_requires_grad(base) && stria_tensor_get_is_leaf(w), "the base has a history");
    OK(stria_tensor_copy(w, STRIA_DTYPE_NONE, &own, NULL)); /* memory of its own, of which there are views */
    OK(stria_select(own, 0, 0, &copy, NULL));
    OK(apply_in_place(STRIA_OP_neg, copy, NULL, NULL));
    OK(backward_sum(own, 0, NULL));
    HAS(GRAD(w), -1, -1, -1, 1, 1, 1);
    stria_grad_mode_set(false);
    OK(apply_in_place(STRIA_OP_neg, parts[0], NULL, NULL));
    stria_grad_mode_set(true);
    CHECK(stria_tensor_get_is_leaf(w), "w is no leaf any more");
    RELEASE(base, w, parts[0], parts[1], parts[2], parts[3], copy);
}

/* Steps of optimisers change leaves, and are not recorded; what they have written is known. */
static void check_updates(void)
{
    stria_tensor       *a = new_leaf(1, SHAPE(2), (double[]){0.5, 1}), *g = new_zeros(1, SHAPE(2)), *x, *y, *part;
    const stria_tensor *grads[] = {g};

#define STEP(x) stria_sgd(&x, 1, grads, 1, NULL, 0, 1, 0, 0, 0, false, false, false, &err)
    stria_error err;
    OK(stria_mul(a, a, &y, NULL));
    OK(STEP(a));
    stria_tensor *total = sum(y);
    REFUSED(backward(total, 0, &err), STRIA_ERR_ARGUMENT, "backward", "mul", "changed in place since, by sgd");
    RELEASE(total, y);
    OK(stria_neg(a, &x, NULL));
    OK(stria_slice(a, 0, 0, 2, 1, &part, NULL));
    REFUSED(STEP(x), STRIA_ERR_ARGUMENT, "sgd", "params[0]", "params[0] is the result of a call, whose history");
    REFUSED(STEP(part), STRIA_ERR_ARGUMENT, "sgd", "params[0]", "is the result of a call");
    OK(stria_exp(x, &y, NULL));
    stria_grad_mode_set(false);
    OK(STEP(part));
    stria_grad_mode_set(true);
    OK(stria_clip_grad_value(&y, 1, 0.25, NULL)); /* a gradient may have a history */
    HAS(y, 0.25, 0.25);
    total = sum(y);
    REFUSED(backward(total, 0, &err), STRIA_ERR_ARGUMENT, "backward", "exp",
            "changed in place since, by clip_grad_value");
    RELEASE(a, g, x, y, part, total);
#undef STEP
}

/* ---------------------------------------------------------------- views */

/* x = zeros; x[0] = a; x[1] = a * a: rows are filled one by one. */
static void check_filling(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){2, 3}), *x = new_zeros(2, SHAPE(2, 2)), *row, *first, *square,
                 *y;

    OK(stria_select(x, 0, 0, &first, NULL));
    OK(stria_select(x, 0, 1, &row, NULL));
    OK(stria_tensor_set(first, a, NULL));
    OK(stria_mul(a, a, &square, NULL));
    OK(stria_tensor_set(row, square, NULL));
    CHECK(stria_tensor_get_requires_grad(x) && stria_tensor_get_requires_grad(row), "who requires a gradient");
    OK(stria_mul(x, x, &y, NULL));
    OK(backward_sum(y, 0, NULL));
    HAS(GRAD(a), 4 + 4 * 8, 6 + 4 * 27);
    RELEASE(a, x, row, first, square);
}

/* A view that was made before its base was written to sees that; what is written to a view is in the base. */
static void check_views_before(void)
{
    stria_tensor *a = new_leaf(2, SHAPE(2, 3), (double[]){1, 2, 3, 4, 5, 6}), *b = new_leaf(0, NULL, (double[]){10});
    stria_tensor *x, *turned, *column, *y, *last;

    OK(stria_neg(a, &x, NULL));
    OK(stria_transpose(x, 0, 1, &turned, NULL));
    OK(stria_select(turned, 0, 1, &column, NULL)); /* x[:, 1] */
    OK(apply_in_place(STRIA_OP_mul, x, b, NULL));  /* both look at it anew */
    OK(apply_in_place(STRIA_OP_exp, column, NULL, NULL));
    OK(stria_transpose(turned, 0, 1, &last, NULL));
    OK(stria_add(turned, column, &y, NULL));
    OK(backward_sum(y, STRIA_GRAD_RETAIN, NULL));
    const double e[2] = {exp(-20), exp(-50)};
    HAS(GRAD(a), -10, -40 * e[0], -10, -10, -40 * e[1], -10);
    HAS(GRAD(b), -1 - 3 - 4 - 6 + 4 * (-2 * e[0] - 5 * e[1]));
    OK(stria_tensor_set_grad(a, NULL, NULL));
    OK(backward_sum(stria_tensor_retain(last), 0, NULL));
    HAS(GRAD(a), -10, -10 * e[0], -10, -10, -10 * e[1], -10);
    RELEASE(a, b, x, turned, column, last);
}

/* Complex numbers and views of their parts: what is written to one of them is in the other. b = (a0 + a1 i, ..), b *= w, b.real *= v. */
static void check_parts(void)
{
    stria_tensor *a = new_leaf(2, SHAPE(2, 2), (double[]){1, 2, 3, 4}), *w = new_leaf(0, NULL, (double[]){2}),
                 *v = new_leaf(1, SHAPE(2), (double[]){10, 100}), *x, *b, *parts, *real, *imag, *y, *bits;

    OK(stria_neg(a, &x, NULL));
    OK(stria_view_as_complex(x, &b, NULL));
    OK(stria_view_as_real(b, &parts, NULL));
    OK(stria_real(b, &real, NULL));
    OK(stria_imag(b, &imag, NULL));
    OK(stria_view_dtype(x, STRIA_I64, &bits, NULL));
    OK(apply_in_place(STRIA_OP_mul, b, w, NULL)); /* the base of all is x */
    CHECK(stria_tensor_get_requires_grad(x) && stria_tensor_get_requires_grad(parts), "no history");
    OK(stria_bitwise_not(bits, &y, NULL)); /* bits have no gradient */
    CHECK(!stria_tensor_get_requires_grad(bits) && !stria_tensor_get_requires_grad(y), "bits with a gradient");
    RELEASE(y);
    OK(apply_in_place(STRIA_OP_mul, real, v, NULL));
    OK(apply_in_place(STRIA_OP_exp, imag, NULL, NULL));
    OK(stria_add(parts, x, &y, NULL)); /* twice (-2 v a0, exp(-2 a1)) */
    OK(backward_sum(y, STRIA_GRAD_RETAIN, NULL));
    const double e[2] = {exp(-4), exp(-8)};
    HAS(GRAD(a), -40, -4 * e[0], -400, -4 * e[1]);
    HAS(GRAD(w), 2 * (-10 - 300 - 2 * e[0] - 4 * e[1]));
    HAS(GRAD(v), -4, -12);
    OK(stria_tensor_set_grad(a, NULL, NULL));
    OK(stria_mul(b, b, &y, NULL)); /* real part of the sum of squares: r^2 - i^2 */
    RELEASE(parts);
    OK(stria_real(y, &parts, NULL));
    OK(backward_sum(parts, 0, NULL));
    HAS(GRAD(a), 2 * 20 * 20, 4 * e[0] * e[0], 2 * 200 * 200 * 3, 4 * e[1] * e[1]);
    RELEASE(a, w, v, x, b, y, real, imag, bits);
}

/* The numbers begin at odd places of the base, which is no view any more. */
static void check_odd_parts(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){3, 4}), *all = new_zeros(1, SHAPE(5)), *part, *base, *pair, *z,
                 *number, *y;

    OK(stria_slice(all, 0, 1, 5, 1, &part, NULL));
    OK(stria_detach(part, &base, NULL));
    OK(stria_slice(base, 0, 1, 3, 1, &pair, NULL));
    OK(stria_view_as_complex(pair, &z, NULL));
    OK(stria_view_as_complex(a, &number, NULL));
    OK(stria_copy_out(z, number, z, NULL)); /* base is 0 a0 a1 0 */
    HAS(base, 0, 3, 4, 0);
    OK(stria_mul(base, base, &y, NULL));
    OK(backward_sum(y, 0, NULL));
    HAS(GRAD(a), 6, 8);
    OK(apply_in_place(STRIA_OP_exp, base, NULL, NULL));
    OK(stria_real(z, &y, NULL)); /* which looks at it anew */
    OK(backward_sum(y, 0, NULL));
    HAS(GRAD(a), 6 + exp(3), 8);
    RELEASE(a, all, part, base, pair, z, number);
}

/* The base is complex, and elements of a view of its parts lie over each other; twice differentiated. */
static void check_parts_twice(void)
{
    stria_tensor *a = new_leaf(2, SHAPE(2, 2), (double[]){1, 2, 3, 4}), *z, *b, *real, *windows, *y, *square, *first;

    OK(stria_view_as_complex(a, &z, NULL));
    OK(stria_mul(z, z, &b, NULL)); /* (-3 + 4i, -7 + 24i) */
    OK(stria_view_as_real(b, &real, NULL));
    OK(stria_as_strided(real, SHAPE(3, 2), 2, SHAPE(1, 1), 2, 0, &windows, NULL));
    OK(apply_in_place(STRIA_OP_add, b, z, NULL));
    OK(stria_mul(windows, windows, &square, NULL));
    y = sum(square); /* with weights 1, 2, 2, 1 */
    OK(stria_grad(&y, 1, NULL, &a, 1, STRIA_GRAD_CREATE, &first, NULL));
    /* f = r0^2 + 2 i0^2 + 2 r1^2 + i1^2 of r = a0^2 - a1^2 + a0, i = 2 a0 a1 + a1 */
    const double r0 = -2, i0 = 6, r1 = -4, i1 = 28;
    HAS(first, 2 * r0 * 3 + 4 * i0 * 4, 2 * r0 * -4 + 4 * i0 * 3, 4 * r1 * 7 + 2 * i1 * 8, 4 * r1 * -8 + 2 * i1 * 7);
    OK(backward_sum(first, 0, NULL));
    /* the sum over rows of the second derivatives: of a0 and a1, d r = (p, -q), d i = (q, p), p = 2 a0 + 1, q = 2 a1 */
    HAS(GRAD(a), 2 * (3 * (3 - 4) + 2 * r0) + 4 * (4 * (4 + 3) + 2 * i0),
        2 * (-4 * (3 - 4) - 2 * r0) + 4 * (3 * (4 + 3) + 2 * i0),
        4 * (7 * (7 - 8) + 2 * r1) + 2 * (8 * (8 + 7) + 2 * i1),
        4 * (-8 * (7 - 8) - 2 * r1) + 2 * (7 * (8 + 7) + 2 * i1));
    RELEASE(a, z, b, real, windows, square, y);
}

/* The same twice differentiated: the gradient of what was written into views has a history. */
static void check_views_twice(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){2, 3}), *x = new_zeros(1, SHAPE(4)), *part, *square, *cube, *y,
                 *first;

    OK(stria_slice(x, 0, STRIA_INT_NONE, STRIA_INT_NONE, -2, &part, NULL)); /* x[3], x[1] */
    OK(stria_mul(a, a, &square, NULL));
    OK(stria_tensor_set(part, square, NULL));
    OK(stria_mul(x, x, &cube, NULL));
    y = sum(cube); /* a^4 */
    OK(stria_grad(&y, 1, NULL, &a, 1, STRIA_GRAD_CREATE, &first, NULL));
    HAS(first, 32, 108);
    OK(backward_sum(first, 0, NULL));
    HAS(GRAD(a), 48, 108);
    RELEASE(a, x, part, square, cube, y);
}

/* Memory of which views were made before gradients were used anywhere: begin() of this suite made them. */
static stria_tensor *old, *old_view;
static void          check_untracked(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){2, 3});

    REFUSED(apply_in_place(STRIA_OP_add, old, a, &err), STRIA_ERR_ARGUMENT, "add", "out",
            "before gradients were first used");
    REFUSED(apply_in_place(STRIA_OP_add, old_view, a, &err), STRIA_ERR_ARGUMENT, "add", "out",
            "before gradients were first used");
    OK(apply_in_place(STRIA_OP_neg, old_view, NULL, NULL)); /* nothing there requires a gradient */
    RELEASE(a, old, old_view);
}

/* What a call saves does not hold what the call becomes the history of. */
static void check_cycles_of_saved(void)
{
    const int64_t before = stria_memory_get_stats().live_tensors;
    stria_tensor *w = new_leaf(1, SHAPE(2), (double[]){2, 3}), *h, *y, *rows[2], *buffer;

    OK(stria_neg(w, &h, NULL));
    OK(apply_in_place(STRIA_OP_mul, h, h, NULL));
    OK(stria_mul(h, w, &y, NULL));
    OK(apply_in_place(STRIA_OP_add, h, y, NULL));
    RELEASE(h, y);
    buffer = new_zeros(2, SHAPE(2, 2));
    for (int k = 0; k < 2; k++) OK(stria_select(buffer, 0, k, &rows[k], NULL));
    OK(stria_mul(rows[0], w, &y, NULL));
    OK(stria_copy_out(rows[1], y, rows[1], NULL));
    RELEASE(w, y, rows[0], rows[1], buffer);
    CHECK(stria_memory_get_stats().live_tensors == before, "%d tensors hold each other",
          (int)(stria_memory_get_stats().live_tensors - before));
}

/* Whole numbers take what is written to them, without its history. */
static void check_whole_numbers(void)
{
    stria_tensor *a = new_leaf(1, SHAPE(2), (double[]){2, 3}), *mask = NULL;

    OK(stria_ones(SHAPE(2), 1, STRIA_BOOL, STRIA_CPU, &mask, NULL));
    OK(apply_in_place(STRIA_OP_logical_and, mask, a, NULL));
    CHECK(!stria_tensor_get_requires_grad(mask), "a mask with a gradient");
    RELEASE(a, mask);
}

/* ---------------------------------------------------------------- memory that ends */

static stria_tensor *leaf;

/* Complex numbers, their parts, and windows over these that overlap; written to and looked at anew; twice differentiated. */
static stria_status run_parts(stria_tensor **out, stria_error *err)
{
    stria_tensor *x = NULL, *z = NULL, *parts = NULL, *windows = NULL, *square = NULL, *total = NULL, *first = NULL;
    stria_status  status = stria_neg(leaf, &x, err);

    if (status == STRIA_OK) status = stria_view_as_complex(x, &z, err);
    if (status == STRIA_OK) status = stria_real(z, &parts, err);
    if (status == STRIA_OK) status = stria_as_strided(x, SHAPE(3, 2), 2, SHAPE(1, 1), 2, 0, &windows, err);
    if (status == STRIA_OK) status = apply_in_place(STRIA_OP_square, z, NULL, err);
    if (status == STRIA_OK) status = apply_in_place(STRIA_OP_exp, parts, NULL, err);
    if (status == STRIA_OK) status = stria_mul(windows, windows, &square, err);
    if (status == STRIA_OK) status = stria_sum(square, NULL, 0, false, &total, err);
    if (status == STRIA_OK) status = stria_grad(&total, 1, NULL, &leaf, 1, STRIA_GRAD_CREATE, &first, err);
    RELEASE(total);
    total = NULL;
    if (status == STRIA_OK) status = stria_sum(first, NULL, 0, false, &total, err);
    if (status == STRIA_OK) status = stria_grad(&total, 1, NULL, &leaf, 1, 0, out, err);
    RELEASE(x, z, parts, windows, square, total, first);
    return status;
}

static void check_memory(void)
{
    stria_tensor *warm = NULL;

    leaf = new_leaf(2, SHAPE(2, 2), (double[]){0.1, 0.2, 0.3, 0.4});
    OK(run_parts(&warm, NULL)); /* formulas that are kept are made */
    RELEASE(warm);
    oom_check_path("views of parts", run_parts);
    RELEASE(leaf);
}

SUITE(test_gradients_written)
{
    old = new_zeros(1, SHAPE(2));
    OK(stria_slice(old, 0, 0, 2, 1, &old_view, NULL));
    check_untracked();
    check_results();
    check_in_place();
    check_becomes();
    check_composites();
    check_grad_stays();
    check_versions();
    check_scattered();
    check_leaves();
    check_leaves_that_are_views();
    check_updates();
    check_filling();
    check_views_before();
    check_parts();
    check_odd_parts();
    check_parts_twice();
    check_views_twice();
    check_cycles_of_saved();
    check_whole_numbers();
    check_memory();
    return check_finish("test_gradients_written");
}
