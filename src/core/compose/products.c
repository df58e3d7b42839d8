/* products.c - composites of products of vectors and matrices. */
#include <stdio.h>

#include "base/error.h"
#include "call/compose.h"
#include "compose/contract.h"
#include "compose/products.h"
#include "tensor/shape.h"

#define CAST(x) ((stria_tensor *)(uintptr_t)(x))

/* ---------------------------------------------------------------- what they check */

static const char *get_name(const stria_call *call, int k)
{
    return stria_schema_get(stria_call_get_function(call))->tensors[k].name;
}

stria_status stria_products_check_ndim(const stria_call *call, int k, int ndim, stria_error *err)
{
    char expected[32], got[96];

    if (call->in[k]->ndim == ndim) return STRIA_OK;
    snprintf(expected, sizeof expected, "%d dim%s", ndim, ndim == 1 ? "" : "s");
    stria_shape_print(got, sizeof got, call->in[k]->ndim, call->in[k]->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), get_name(call, k), expected, got,
                           "%s needs %s, its shape is %s", get_name(call, k), expected, got);
}

stria_status stria_products_check_sizes(const stria_call *call, int a, int a_axis, int b, int b_axis, stria_error *err)
{
    const int64_t wanted = call->in[a]->shape[a_axis], size = call->in[b]->shape[b_axis];
    char          expected[32], got[32];

    if (wanted == size) return STRIA_OK;
    snprintf(expected, sizeof expected, "size %lld", (long long)wanted);
    snprintf(got, sizeof got, "%lld", (long long)size);
    return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), get_name(call, b), expected, got,
                           "axis %d of %s has size %s, but axis %d of %s has size %lld", b_axis, get_name(call, b), got,
                           a_axis, get_name(call, a), (long long)wanted);
}

stria_status stria_products_widen(const stria_call *call, stria_temps *temps, const stria_tensor **in, int n,
                                  stria_dtype *result, stria_error *err)
{
    STRIA_TRY(stria_contract_infer_dtype(call, in, n, result, err));
    return stria_temps_convert(temps, in, n, stria_dtype_get_compute(*result), err);
}

/* ---------------------------------------------------------------- beta x + alpha product */

static bool is_number(const stria_scalar *scalar, int number)
{
    if (scalar->kind == STRIA_SCALAR_FLOAT) return scalar->re == number;
    if (scalar->kind == STRIA_SCALAR_COMPLEX) return scalar->re == number && scalar->im == 0;
    return scalar->i == number;
}

/* Integers are multiplied by integers only. */
static stria_status check_factor(const stria_call *call, const char *argument, const stria_scalar *factor,
                                 stria_dtype result, stria_error *err)
{
    const bool  is_float = stria_dtype_get_category(result) == STRIA_CATEGORY_F;
    const char *got = factor->kind == STRIA_SCALAR_FLOAT ? "a float" : "a complex number";

    if (stria_dtype_is_complex(result)) return STRIA_OK;
    if (factor->kind != STRIA_SCALAR_COMPLEX && (is_float || factor->kind != STRIA_SCALAR_FLOAT)) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_DTYPE, stria_call_get_name(call), argument,
                           is_float ? "a real number" : "a whole number", got, "%s is %s, but the result is %s",
                           argument, got, stria_dtype_get_name(result));
}

/* x broadcasts to the shape of the product. */
static stria_status check_addend(const stria_call *call, int ndim, const int64_t *shape, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    bool                fits = x->ndim <= ndim;
    char                expected[96], got[96];

    for (int d = 1; fits && d <= x->ndim; d++)
        fits = x->shape[x->ndim - d] == 1 || x->shape[x->ndim - d] == shape[ndim - d];
    if (fits) return STRIA_OK;
    stria_shape_print(expected, sizeof expected, ndim, shape);
    stria_shape_print(got, sizeof got, x->ndim, x->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), "x", expected, got,
                           "x of shape %s does not broadcast to the shape of the product, %s", got, expected);
}

/* A product of in[1] and in[2], of the compute dtype. */
typedef stria_status product_fn(const stria_tensor *const *in, stria_temps *temps, stria_tensor **product,
                                stria_error *err);

static stria_status scale(stria_tensor *product, stria_scalar factor, stria_temps *temps, stria_error *err)
{
    if (is_number(&factor, 1)) return STRIA_OK;
    STRIA_TRY(stria_tensor_new_scalar(factor, STRIA_TEMP, err));
    return stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){product, STRIA_LAST}, 2, product, err);
}

/* The shape of the product is [ndim]. */
static stria_status add_product(const stria_call *call, int ndim, const int64_t *shape, product_fn *multiply,
                                stria_scalar beta, stria_scalar alpha, stria_tensor **y, stria_temps *temps,
                                stria_error *err)
{
    const stria_tensor *in[] = {call->in[0], call->in[1], call->in[2]};
    stria_tensor       *product = NULL;
    stria_dtype         result;

    STRIA_TRY(check_addend(call, ndim, shape, err));
    STRIA_TRY(stria_contract_infer_dtype(call, in, 3, &result, err));
    STRIA_TRY(check_factor(call, "beta", &beta, result, err));
    STRIA_TRY(check_factor(call, "alpha", &alpha, result, err));
    STRIA_TRY(stria_temps_convert(temps, in, 3, stria_dtype_get_compute(result), err));
    STRIA_TRY(multiply(in, temps, &product, err));
    STRIA_TRY(stria_temps_keep(temps, product, err));
    STRIA_TRY(scale(product, alpha, temps, err));
    if (is_number(&beta, 0)) return stria_temps_narrow(product, result, &y[0], err);
    const stria_tensor *addend = in[0];
    if (!is_number(&beta, 1)) {
        STRIA_TRY(stria_tensor_new_scalar(beta, STRIA_TEMP, err));
        const stria_tensor *factor = STRIA_LAST;
        STRIA_TRY(stria_mul(addend, factor, STRIA_TEMP, err));
        addend = STRIA_LAST;
    }
    STRIA_TRY(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){product, addend}, 2, product, err));
    return stria_temps_narrow(product, result, &y[0], err);
}

static stria_status multiply_matmul(const stria_tensor *const *in, stria_temps *temps, stria_tensor **product,
                                    stria_error *err)
{
    (void)temps;
    return stria_matmul(in[1], in[2], product, err);
}

static stria_status multiply_outer(const stria_tensor *const *in, stria_temps *temps, stria_tensor **product,
                                   stria_error *err)
{
    STRIA_TRY(stria_unsqueeze(CAST(in[1]), 1, STRIA_TEMP, err));
    return stria_mul(STRIA_LAST, in[2], product, err);
}

/* The sum of the products of a batch is one product: [n, batch k] [batch k, p]. */
static stria_status multiply_summed(const stria_tensor *const *in, stria_temps *temps, stria_tensor **product,
                                    stria_error *err)
{
    static const int    order[] = {1, 0, 2};
    const stria_tensor *a = in[1], *b = in[2];
    const int64_t       k = a->shape[0] * a->shape[2], left[] = {a->shape[1], k}, right[] = {k, b->shape[2]};

    STRIA_TRY(stria_permute(CAST(a), order, 3, STRIA_TEMP, err));
    STRIA_TRY(stria_reshape(STRIA_LAST, left, 2, STRIA_TEMP, err));
    a = STRIA_LAST;
    STRIA_TRY(stria_reshape(CAST(b), right, 2, STRIA_TEMP, err));
    return stria_matmul(a, STRIA_LAST, product, err);
}

stria_status stria_compose_addmm(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_addmm_attrs *attrs = call->attrs;

    STRIA_TRY(stria_products_check_ndim(call, 1, 2, err));
    STRIA_TRY(stria_products_check_ndim(call, 2, 2, err));
    STRIA_TRY(stria_products_check_sizes(call, 1, 1, 2, 0, err));
    const int64_t shape[] = {call->in[1]->shape[0], call->in[2]->shape[1]};
    return add_product(call, 2, shape, multiply_matmul, attrs->beta, attrs->alpha, y, temps, err);
}

stria_status stria_compose_addmv(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_addmv_attrs *attrs = call->attrs;

    STRIA_TRY(stria_products_check_ndim(call, 1, 2, err));
    STRIA_TRY(stria_products_check_ndim(call, 2, 1, err));
    STRIA_TRY(stria_products_check_sizes(call, 1, 1, 2, 0, err));
    return add_product(call, 1, call->in[1]->shape, multiply_matmul, attrs->beta, attrs->alpha, y, temps, err);
}

stria_status stria_compose_addr(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_addr_attrs *attrs = call->attrs;

    STRIA_TRY(stria_products_check_ndim(call, 1, 1, err));
    STRIA_TRY(stria_products_check_ndim(call, 2, 1, err));
    const int64_t shape[] = {call->in[1]->shape[0], call->in[2]->shape[0]};
    return add_product(call, 2, shape, multiply_outer, attrs->beta, attrs->alpha, y, temps, err);
}

static stria_status check_batches(const stria_call *call, stria_error *err)
{
    STRIA_TRY(stria_products_check_ndim(call, 1, 3, err));
    STRIA_TRY(stria_products_check_ndim(call, 2, 3, err));
    STRIA_TRY(stria_products_check_sizes(call, 1, 0, 2, 0, err));
    return stria_products_check_sizes(call, 1, 2, 2, 1, err);
}

stria_status stria_compose_baddbmm(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_baddbmm_attrs *attrs = call->attrs;

    STRIA_TRY(check_batches(call, err));
    const int64_t shape[] = {call->in[1]->shape[0], call->in[1]->shape[1], call->in[2]->shape[2]};
    return add_product(call, 3, shape, multiply_matmul, attrs->beta, attrs->alpha, y, temps, err);
}

stria_status stria_compose_addbmm(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_addbmm_attrs *attrs = call->attrs;

    STRIA_TRY(check_batches(call, err));
    const int64_t shape[] = {call->in[1]->shape[1], call->in[2]->shape[2]};
    return add_product(call, 2, shape, multiply_summed, attrs->beta, attrs->alpha, y, temps, err);
}

/* ---------------------------------------------------------------- vectors */

stria_status stria_compose_outer(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    STRIA_TRY(stria_products_check_ndim(call, 0, 1, err));
    STRIA_TRY(stria_products_check_ndim(call, 1, 1, err));
    STRIA_TRY(stria_unsqueeze(CAST(call->in[0]), 1, STRIA_TEMP, err));
    return stria_mul(STRIA_LAST, call->in[1], &y[0], err);
}

stria_status stria_compose_vdot(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *a = call->in[0];

    STRIA_TRY(stria_products_check_ndim(call, 0, 1, err));
    STRIA_TRY(stria_products_check_ndim(call, 1, 1, err));
    STRIA_TRY(stria_products_check_sizes(call, 0, 0, 1, 0, err));
    if (stria_dtype_is_complex(a->dtype)) {
        STRIA_TRY(stria_conj(a, STRIA_TEMP, err));
        a = STRIA_LAST;
    }
    return stria_dot(a, call->in[1], &y[0], err);
}

/* a[1] b[2] - a[2] b[1] for the three places after one another along an axis. */
stria_status stria_compose_cross(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_cross_attrs *attrs = call->attrs;
    const stria_tensor      *in[] = {call->in[0], call->in[1]};
    int64_t                  shape[STRIA_MAX_DIMS];
    int                      ndim = 0, dim;
    stria_dtype              result;
    stria_tensor            *parts[3], *left, *right;

    for (int k = 0; k < 2; k++) {
        const stria_status status = stria_shape_broadcast("cross", &ndim, shape, in[k]->ndim, in[k]->shape, err);
        if (status != STRIA_OK) return stria_error_set_argument(err, status, "b");
    }
    STRIA_TRY(stria_infer_wrap_axis(call, "dim", ndim, attrs->dim, &dim, err));
    for (int k = 0; k < 2; k++) {
        const int own = dim - (ndim - in[k]->ndim);
        char      got[96];
        if (own >= 0 && own < in[k]->ndim && in[k]->shape[own] == 3) continue;
        stria_shape_print(got, sizeof got, in[k]->ndim, in[k]->shape);
        return stria_error_set(err, STRIA_ERR_SHAPE, "cross", get_name(call, k), "size 3", got,
                               "%s of shape %s must have size 3 along the axis", get_name(call, k), got);
    }
    STRIA_TRY(stria_products_widen(call, temps, in, 2, &result, err));
    for (int k = 0; k < 3; k++) {
        stria_tensor *at[2][2]; /* a, b; at the next place and the one after it */
        for (int i = 0; i < 4; i++) {
            STRIA_TRY(stria_select(CAST(in[i & 1]), dim - ndim, (k + 1 + (i >> 1)) % 3, STRIA_TEMP, err));
            at[i & 1][i >> 1] = STRIA_LAST;
        }
        STRIA_TRY(stria_mul(at[0][0], at[1][1], STRIA_TEMP, err));
        left = STRIA_LAST;
        STRIA_TRY(stria_mul(at[0][1], at[1][0], STRIA_TEMP, err));
        right = STRIA_LAST;
        STRIA_TRY(stria_sub(left, right, STRIA_TEMP, err));
        parts[k] = STRIA_LAST;
    }
    STRIA_TRY(stria_stack((const stria_tensor *const *)parts, 3, dim, STRIA_TEMP, err));
    return stria_temps_narrow(STRIA_LAST, result, &y[0], err);
}

/* ---------------------------------------------------------------- axes of two tensors */

/* The sum over pairs of axes, a_axes[k] of a with b_axes[k] of b: the axes of a that are left, then those of b. */
static stria_status sum_axes(const stria_call *call, const int *a_axes, const int *b_axes, int n, stria_tensor **y,
                             stria_error *err)
{
    const stria_tensor *in[] = {call->in[0], call->in[1]};
    const int           n_labels = in[0]->ndim + in[1]->ndim - n;
    stria_labelled      parts[2] = {{0}, {0}};
    int64_t             size[64];
    uint8_t             out[64];
    int                 n_out = 0, label = in[0]->ndim;
    stria_dtype         result;
    stria_status        status;

    STRIA_TRY(stria_contract_infer_dtype(call, in, 2, &result, err));
    if (n_labels > 64)
        return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), get_name(call, 1),
                               "at most 64 different axes", "more", "both have %d different axes", n_labels);
    for (int d = 0; d < in[0]->ndim; d++) {
        bool is_summed = false;
        for (int k = 0; k < n; k++) is_summed |= a_axes[k] == d;
        parts[0].label[d] = (uint8_t)d;
        size[d] = in[0]->shape[d];
        if (!is_summed) out[n_out++] = (uint8_t)d;
    }
    for (int d = 0; d < in[1]->ndim; d++) {
        int found = -1;
        for (int k = 0; k < n; k++)
            if (b_axes[k] == d) found = a_axes[k];
        parts[1].label[d] = (uint8_t)(found >= 0 ? found : label);
        if (found >= 0 && size[found] == 1) size[found] = in[1]->shape[d];
        if (found >= 0) continue;
        size[label] = in[1]->shape[d];
        out[n_out++] = (uint8_t)label++;
    }
    for (int k = 0; k < 2; k++) parts[k].x = stria_tensor_retain(CAST(in[k]));
    status = stria_contract(parts, 2, out, n_out, size, result, &y[0], err);
    for (int k = 0; k < 2; k++) stria_tensor_release(parts[k].x);
    return status;
}

stria_status stria_compose_inner(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *a = call->in[0], *b = call->in[1];
    const int           last[] = {a->ndim - 1, b->ndim - 1};
    stria_dtype         result;
    (void)temps;

    if (a->ndim > 0 && b->ndim > 0) {
        STRIA_TRY(stria_products_check_sizes(call, 0, last[0], 1, last[1], err));
        return sum_axes(call, &last[0], &last[1], 1, y, err);
    }
    STRIA_TRY(stria_contract_infer_dtype(call, call->in, 2, &result, err));
    return stria_mul(a, b, &y[0], err);
}

/* The axes of in[which] as they are given, or the last of a and the first of b. */
static stria_status get_axes(const stria_call *call, const char *argument, int which, stria_axes given, int64_t dims,
                             int *axes, stria_error *err)
{
    const stria_tensor *x = call->in[which];
    uint64_t            set;

    if (given.at == NULL) {
        for (int k = 0; k < dims; k++) axes[k] = which == 0 ? x->ndim - (int)dims + k : k;
        return STRIA_OK;
    }
    STRIA_TRY(stria_infer_listed_axes("tensordot", argument, x, given.at, given.n, &set, err));
    if (x->ndim == 0 && given.n > 0)
        return stria_error_set(err, STRIA_ERR_AXIS, "tensordot", argument, "no axes", NULL,
                               "axis %d of a tensor without dims", given.at[0]);
    for (int k = 0; k < given.n; k++) axes[k] = given.at[k] < 0 ? given.at[k] + x->ndim : given.at[k];
    return STRIA_OK;
}

static stria_status check_lists(const stria_tensordot_attrs *attrs, stria_error *err)
{
    char expected[32], got[32];

    if ((attrs->dims_a.at == NULL) == (attrs->dims_b.at == NULL) && attrs->dims_a.n == attrs->dims_b.n) return STRIA_OK;
    snprintf(expected, sizeof expected, "%d axes", attrs->dims_a.n);
    snprintf(got, sizeof got, "%d", attrs->dims_b.n);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "tensordot", "dims_b", expected, got,
                           "dims_b has %d axes, but dims_a has %d", attrs->dims_b.n, attrs->dims_a.n);
}

stria_status stria_compose_tensordot(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensordot_attrs *attrs = call->attrs;
    const stria_tensor          *a = call->in[0], *b = call->in[1];
    const int                    most = a->ndim < b->ndim ? a->ndim : b->ndim;
    int                          a_axes[STRIA_MAX_DIMS], b_axes[STRIA_MAX_DIMS], n = attrs->dims_a.n;
    char                         expected[32], got[32];
    (void)temps;

    if (attrs->dims_a.at == NULL && attrs->dims_b.at == NULL) {
        snprintf(expected, sizeof expected, "0 .. %d", most);
        snprintf(got, sizeof got, "%lld", (long long)attrs->dims);
        if (attrs->dims < 0 || attrs->dims > most)
            return stria_error_set(err, STRIA_ERR_ARGUMENT, "tensordot", "dims", expected, got,
                                   "dims is %s, but must be %s", got, expected);
        n = (int)attrs->dims;
    }
    STRIA_TRY(get_axes(call, "dims_a", 0, attrs->dims_a, n, a_axes, err));
    STRIA_TRY(get_axes(call, "dims_b", 1, attrs->dims_b, n, b_axes, err));
    STRIA_TRY(check_lists(attrs, err));
    for (int k = 0; k < n; k++) {
        if (a->shape[a_axes[k]] == 1 || b->shape[b_axes[k]] == 1) continue;
        STRIA_TRY(stria_products_check_sizes(call, 0, a_axes[k], 1, b_axes[k], err));
    }
    return sum_axes(call, a_axes, b_axes, n, y, err);
}

stria_status stria_compose_kron(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *in[] = {call->in[0], call->in[1]};
    const int           ndim = in[0]->ndim > in[1]->ndim ? in[0]->ndim : in[1]->ndim;
    int64_t             shape[2 * STRIA_MAX_DIMS], sizes[STRIA_MAX_DIMS];
    stria_tensor       *parts[2];

    if (2 * ndim > STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, "kron", in[0]->ndim == ndim ? "a" : "b", "at most 32 dims", "more",
                               "the larger operand has %d dims, but may have 32", ndim);
    for (int d = 0; d < ndim; d++) sizes[d] = 1;
    for (int k = 0; k < 2; k++) { /* a is [a0, 1, a1, 1 ..], b is [1, b0, 1, b1 ..] */
        for (int d = 0; d < ndim; d++) {
            const int     own = d - (ndim - in[k]->ndim);
            const int64_t size = own >= 0 ? in[k]->shape[own] : 1;
            shape[2 * d + k] = size;
            shape[2 * d + 1 - k] = 1;
            STRIA_TRY(stria_shape_get_product("kron", 2, (int64_t[]){sizes[d], size}, &sizes[d], err));
        }
        STRIA_TRY(stria_view(CAST(in[k]), shape, 2 * ndim, STRIA_TEMP, err));
        parts[k] = STRIA_LAST;
    }
    STRIA_TRY(stria_mul(parts[0], parts[1], STRIA_TEMP, err));
    return stria_reshape(STRIA_LAST, sizes, ndim, &y[0], err);
}
