/* test_gradients_limits.c - gradients where there is little or much: no elements, results by the dozen, expressions of several steps; and
 * arguments that are none. */
#include "gradients.h"
#include "oracle.h"
#include "stria_autograd.h"

static const double numbers[] = {1, 2, 3, 4, 5, 6};

/* ---------------------------------------------------------------- arguments */

static stria_status make_nothing(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                                 int n_outputs, stria_error *err)
{
    (void)context, (void)inputs, (void)n_inputs, (void)outputs, (void)n_outputs, (void)err;
    return STRIA_OK;
}

static void check_arguments(void)
{
    stria_tensor *x = new_leaf(1, SHAPE(3), numbers), *none = NULL, *y = NULL;

    REFUSED(stria_tensor_set_requires_grad(NULL, true, &err), STRIA_ERR_ARGUMENT, "requires_grad", "x", "x is NULL");
    REFUSED(stria_checkpoint(NULL, NULL, NULL, &x, 1, &y, 1, &err), STRIA_ERR_ARGUMENT, "checkpoint", "fn",
            "there must be a function");
    REFUSED(stria_checkpoint(make_nothing, NULL, NULL, &x, 1, NULL, 1, &err), STRIA_ERR_ARGUMENT, "checkpoint",
            "outputs", "places for what it makes");
    REFUSED(stria_checkpoint(make_nothing, NULL, NULL, &none, 1, &y, 1, &err), STRIA_ERR_ARGUMENT, "checkpoint",
            "inputs", "input 0 is NULL");
    REFUSED(stria_checkpoint(make_nothing, NULL, NULL, &x, 1, &y, 1, &err), STRIA_ERR_ARGUMENT, "checkpoint", "fn",
            "has not made output 0");
    REFUSED(stria_backward(NULL, 1, NULL, NULL, 0, 0, &err), STRIA_ERR_ARGUMENT, "backward", "outputs",
            "there must be an output");
    REFUSED(stria_backward(&x, 1, NULL, NULL, 1, 0, &err), STRIA_ERR_ARGUMENT, "backward", "outputs",
            "as many inputs as are said");
    REFUSED(stria_grad(&x, 1, NULL, &x, 1, 0, NULL, &err), STRIA_ERR_ARGUMENT, "grad", "grads", "a place");
    REFUSED(stria_grad(&x, 1, NULL, NULL, 0, 0, &y, &err), STRIA_ERR_ARGUMENT, "grad", "inputs", "an input");
    CHECK(y == NULL && GRAD(x) == NULL, "nothing is made");
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- expressions */

/* x x + 2.5 x, into a new tensor and in place. */
static void check_expression(void)
{
    static const stria_scalar      constant = {.kind = STRIA_SCALAR_FLOAT, .re = 2.5};
    static const stria_instruction code[] = {{STRIA_OP_mul, {0, 0}}, {STRIA_OP_mul, {0, 1}}, {STRIA_OP_add, {2, 3}}};
    stria_expression              *e;

    OK(stria_expression_new(1, &constant, 1, code, 3, &e, NULL));
    for (int is_in_place = 0; is_in_place < 2; is_in_place++) {
        stria_tensor *x = new_leaf(1, SHAPE(3), numbers), *y = NULL, *total;
        if (is_in_place) {
            OK(stria_tensor_copy(x, STRIA_DTYPE_NONE, &y, NULL));
            OK(stria_expression_apply_out(e, (const stria_tensor *[]){y}, 1, y, NULL));
        } else {
            OK(stria_expression_apply(e, (const stria_tensor *[]){x}, 1, &y, NULL));
        }
        HAS(y, 3.5, 9, 16.5);
        total = sum(y);
        OK(backward(total, 0, NULL));
        HAS(GRAD(x), 4.5, 6.5, 8.5);
        RELEASE(x, y, total);
    }
    stria_tensor *x = new_leaf(1, SHAPE(3), numbers), *y = NULL;
    REFUSED(stria_expression_apply(e, (const stria_tensor *[]){x, x}, 2, &y, &err), STRIA_ERR_ARGUMENT, "expression",
            "n_in", "");
    CHECK(y == NULL, "no result");
    stria_tensor_release(x);
    stria_expression_release(e);
}

/* ---------------------------------------------------------------- many */

/* Exponentials that all wait for one walk, joined; and a node of as many results. */
static void check_many(void)
{
    enum { N = 70 };
    double            ones[N];
    stria_tensor     *all, *parts[N], *joined, *total;
    stria_tensor_list list;

    for (int k = 0; k < N; k++) ones[k] = k % 5;
    all = new_leaf(1, SHAPE(N), ones);
    OK(stria_unbind(all, 0, &list, NULL));
    CHECK(list.n == N, "%d parts", list.n);
    for (int k = 0; k < N; k++) OK(stria_exp(list.at[k], &parts[k], NULL));
    OK(stria_stack((const stria_tensor *const *)parts, N, 0, &joined, NULL));
    total = sum(joined);
    OK(backward(total, 0, NULL));
    for (int k = 0; k < N; k++) {
        const double got = ((const double *)stria_tensor_get_const_data(GRAD(all)))[k];
        CHECK(fabs(got - exp(ones[k])) < 1e-12 * exp(ones[k]), "part %d: %g", k, got);
        stria_tensor_release(parts[k]);
    }
    stria_tensor_list_release(&list);
    RELEASE(all, joined, total);
}

/* ---------------------------------------------------------------- nothing */

/* Gradients of x and, if there is one, of source are of their shapes; and of these values where `values` are given. */
static void check_made(stria_status status, stria_tensor *const *made, stria_tensor *x, stria_tensor *source,
                       double value, const char *what)
{
    stria_tensor *total, *y = *made;

    CHECK(status == STRIA_OK, "%s", what);
    if (status != STRIA_OK) return;
    total = sum(y);
    OK(backward(total, 0, NULL));
    CHECK(GRAD(x) != NULL && GRAD(x)->numel == x->numel, "%s: a gradient of x", what);
    for (int64_t k = 0; GRAD(x) != NULL && k < x->numel; k++)
        CHECK(((const double *)stria_tensor_get_const_data(GRAD(x)))[k] == value, "%s: element %lld", what,
              (long long)k);
    CHECK(source == NULL || (GRAD(source) != NULL && GRAD(source)->numel == source->numel), "%s: one of source", what);
    for (int64_t k = 0; source != NULL && GRAD(source) != NULL && k < source->numel; k++)
        CHECK(((const double *)stria_tensor_get_const_data(GRAD(source)))[k] == 0, "%s: source %lld", what,
              (long long)k);
    OK(stria_tensor_set_grad(x, NULL, NULL));
    RELEASE(y, total);
}

static void check_nothing(void)
{
    stria_tensor *x = new_leaf(2, SHAPE(2, 3), numbers), *source = new_leaf(2, SHAPE(2, 3), numbers), *index, *list;
    stria_tensor *empty = new_leaf(2, SHAPE(0, 3), numbers), *q = new_leaf(0, NULL, &(double){0.5}), *y = NULL;
    stria_tensor *no_source = new_leaf(2, SHAPE(0, 3), numbers), *bias = new_leaf(1, SHAPE(3), numbers), *plain;

    OK(stria_tensor_new(STRIA_I64, 2, SHAPE(0, 3), &index, NULL));
    OK(stria_tensor_new(STRIA_I64, 1, SHAPE(0), &list, NULL));
    check_made(stria_scatter_reduce(x, index, source, 0, "sum", true, &y, NULL), &y, x, source, 1, "scatter_reduce");
    check_made(stria_index_reduce(x, list, no_source, 0, "amax", true, &y, NULL), &y, x, no_source, 1, "index_reduce");
    check_made(stria_logcumsumexp(empty, 0, &y, NULL), &y, empty, NULL, 0, "logcumsumexp");
    check_made(stria_quantile(empty, q, 1, false, "linear", &y, NULL), &y, empty, q, 0, "quantile");
    OK(stria_detach(x, &plain, NULL));
    check_made(stria_layer_norm(plain, NULL, bias, SHAPE(3), 1, 1e-5, &y, NULL), &y, bias, NULL, 2, "layer_norm");
    RELEASE(x, source, index, list, empty, q, no_source, bias, plain);
}

SUITE(test_gradients_limits)
{
    check_isa("test_gradients_limits");
    check_arguments();
    check_expression();
    check_many();
    check_nothing();
    return check_finish("test_gradients_limits");
}
