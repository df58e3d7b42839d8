/* matrices.c - composites of several products of matrices, and distances. */
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "compose/contract.h"
#include "compose/products.h"
#include "tensor/shape.h"

#define CAST(x) ((stria_tensor *)(uintptr_t)(x))

stria_status stria_compose_trace(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    STRIA_TRY(stria_products_check_ndim(call, 0, 2, err));
    STRIA_TRY(stria_diagonal(CAST(call->in[0]), 0, 0, 1, STRIA_TEMP, err));
    return stria_sum(STRIA_LAST, NULL, 0, false, &y[0], err);
}

/* ---------------------------------------------------------------- powers */

static stria_status check_power(const stria_call *call, int64_t n, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    char                got[96];

    if (x->ndim < 2 || x->shape[x->ndim - 1] != x->shape[x->ndim - 2]) {
        stria_shape_print(got, sizeof got, x->ndim, x->shape);
        return stria_error_set(err, STRIA_ERR_SHAPE, "matrix_power", "x", "square matrices", got,
                               "x of shape %s is no square matrix, nor a batch of them", got);
    }
    if (n >= 0) return STRIA_OK;
    snprintf(got, sizeof got, "%lld", (long long)n);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "matrix_power", "n", "0 or more", got,
                           "n is %s, but must be 0 or more: there is no inverse", got);
}

/* Written over x, of which nothing is left: its gradient is 0. */
static stria_status new_identity(const stria_tensor *x, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    STRIA_TRY(stria_eye(x->shape[x->ndim - 1], STRIA_INT_NONE, x->dtype, x->device, STRIA_TEMP, err));
    return stria_copy(x, STRIA_LAST, y, err);
}

/* x^n for n > 0 by squaring. */
static stria_status new_power(const stria_tensor *x, int64_t n, stria_tensor **y, stria_error *err)
{
    stria_tensor *square = stria_tensor_retain(CAST(x)), *power = NULL, *next = NULL;
    stria_status  status = STRIA_OK;

    for (; n > 0 && status == STRIA_OK; n >>= 1) {
        if (n & 1 && power == NULL)
            power = stria_tensor_retain(square);
        else if (n & 1) {
            status = stria_matmul(power, square, &next, err);
            stria_tensor_release(power);
            power = next;
        }
        if (n == 1 || status != STRIA_OK) break;
        status = stria_matmul(square, square, &next, err);
        stria_tensor_release(square);
        square = next;
    }
    stria_tensor_release(square);
    if (status == STRIA_OK)
        *y = power;
    else
        stria_tensor_release(power);
    return status;
}

stria_status stria_compose_matrix_power(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_matrix_power_attrs *attrs = call->attrs;
    const stria_tensor             *in[] = {call->in[0]};
    stria_tensor                   *power = NULL;
    stria_dtype                     result;

    STRIA_TRY(check_power(call, attrs->n, err));
    if (attrs->n == 1) return stria_tensor_copy(in[0], STRIA_DTYPE_NONE, &y[0], err);
    STRIA_TRY(stria_products_widen(call, temps, in, 1, &result, err));
    if (attrs->n == 0)
        STRIA_TRY(new_identity(in[0], &power, temps, err));
    else
        STRIA_TRY(new_power(in[0], attrs->n, &power, err));
    STRIA_TRY(stria_temps_keep(temps, power, err));
    return stria_temps_narrow(power, result, &y[0], err);
}

/* ---------------------------------------------------------------- chains */

#define MOST_MATRICES 256

/* n matrices [size[k], size[k + 1]]; of the run i .. k the cost is at i n + k, and so is where it is cut into two. */
typedef struct chain {
    const stria_tensor **x;
    double              *cost;
    uint8_t             *cut;
    int                  n;
    int64_t              size[MOST_MATRICES + 1];
} chain;

/* Cleared: a single matrix costs nothing. NULL: no memory. */
static chain *chain_new(int n)
{
    const size_t pairs = (size_t)n * (size_t)n;
    chain *c = stria_object_new(sizeof *c + (size_t)n * sizeof *c->x + pairs * (sizeof *c->cost + sizeof *c->cut));

    if (c == NULL) return NULL;
    c->n = n;
    c->cost = (double *)(void *)(c + 1); /* what is aligned most comes first */
    c->x = (const stria_tensor **)(void *)(c->cost + pairs);
    c->cut = (uint8_t *)(c->x + n);
    return c;
}

/* Source: Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, "Matrix-chain multiplication". */
static void find_cuts(chain *c)
{
    const int n = c->n;

    for (int length = 2; length <= n; length++)
        for (int i = 0, k = length - 1; k < n; i++, k++)
            for (int cut = i; cut < k; cut++) {
                const double cost = c->cost[i * n + cut] + c->cost[(cut + 1) * n + k] +
                                    (double)c->size[i] * (double)c->size[cut + 1] * (double)c->size[k + 1];
                if (cut > i && cost >= c->cost[i * n + k]) continue;
                c->cost[i * n + k] = cost;
                c->cut[i * n + k] = (uint8_t)cut;
            }
}

/* The product of the matrices i .. k, i < k. */
static stria_status new_product(const chain *c, int i, int k, stria_tensor **y, stria_error *err)
{
    const int     cut = c->cut[i * c->n + k];
    stria_tensor *left = NULL, *right = NULL;
    stria_status  status = STRIA_OK;

    if (i < cut) status = new_product(c, i, cut, &left, err);
    if (status == STRIA_OK && cut + 1 < k) status = new_product(c, cut + 1, k, &right, err);
    if (status == STRIA_OK) status = stria_matmul(left ? left : c->x[i], right ? right : c->x[k], y, err);
    stria_tensor_release(left);
    stria_tensor_release(right);
    return status;
}

/* What each tensor of the list must be; the ends may be vectors where `has_vectors` says so. */
static stria_status check_chain(const stria_call *call, const char *name, int least, bool has_vectors, stria_error *err)
{
    const char *op = stria_call_get_name(call);
    char        argument[32], expected[48], got[96];

    snprintf(expected, sizeof expected, "%d .. %d matrices", least, MOST_MATRICES);
    snprintf(got, sizeof got, "%d", call->n_list);
    if (call->n_list < least || call->n_list > MOST_MATRICES)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, op, name, expected, got, "%s must be %s, not %s", name,
                               expected, got);
    for (int k = 0; k < call->n_list; k++) {
        const stria_tensor *x = call->list[k], *before = k > 0 ? call->list[k - 1] : NULL;
        const bool          is_end = has_vectors && (k == 0 || k == call->n_list - 1);
        snprintf(argument, sizeof argument, "%s[%d]", name, k);
        stria_shape_print(got, sizeof got, x->ndim, x->shape);
        if (x->ndim != 2 && !(is_end && x->ndim == 1))
            return stria_error_set(err, STRIA_ERR_SHAPE, op, argument, is_end ? "1 or 2 dims" : "2 dims", got,
                                   "%s of shape %s must have %s", argument, got, is_end ? "1 or 2 dims" : "2 dims");
        if (before == NULL || before->shape[before->ndim - 1] == x->shape[0]) continue;
        snprintf(expected, sizeof expected, "size %lld", (long long)before->shape[before->ndim - 1]);
        return stria_error_set(err, STRIA_ERR_SHAPE, op, argument, expected, got,
                               "%s of shape %s must have %s on its first axis, as the last axis of the one before",
                               argument, got, expected);
    }
    return STRIA_OK;
}

static stria_status multiply_chain(const stria_call *call, stria_tensor **y, stria_error *err)
{
    const int     n = call->n_list;
    stria_tensor *product = NULL;
    stria_dtype   result;
    stria_status  status = STRIA_OK;

    STRIA_TRY(stria_contract_infer_dtype(call, call->list, n, &result, err));
    const stria_dtype compute = stria_dtype_get_compute(result);
    if (n == 1) return stria_tensor_copy(call->list[0], result, y, err);
    chain *c = chain_new(n);
    if (!c) return stria_error_set(err, STRIA_ERR_MEMORY, NULL, NULL, NULL, NULL, "no memory for %d matrices", n);
    for (int k = 0; k < n; k++) {
        const stria_tensor *x = call->list[k];
        c->size[k] = x->ndim == 1 && k == 0 ? 1 : x->shape[0];
        c->size[k + 1] = x->ndim == 1 && k > 0 ? 1 : x->shape[x->ndim - 1];
    }
    find_cuts(c);
    for (int k = 0; k < n && status == STRIA_OK; k++) {
        stria_tensor *x = NULL;
        if (call->list[k]->dtype == compute)
            x = stria_tensor_retain(CAST(call->list[k]));
        else
            status = stria_tensor_copy(call->list[k], compute, &x, err);
        c->x[k] = x;
    }
    if (status == STRIA_OK) status = new_product(c, 0, n - 1, &product, err);
    for (int k = 0; k < n; k++) stria_tensor_release(CAST(c->x[k]));
    stria_object_release(c);
    if (status == STRIA_OK) status = stria_temps_narrow(product, result, y, err);
    stria_tensor_release(product);
    return status;
}

stria_status stria_compose_multi_dot(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    (void)temps;
    STRIA_TRY(check_chain(call, "tensors", 2, true, err));
    return multiply_chain(call, &y[0], err);
}

stria_status stria_compose_chain_matmul(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    (void)temps;
    STRIA_TRY(check_chain(call, "matrices", 1, false, err));
    return multiply_chain(call, &y[0], err);
}

/* ---------------------------------------------------------------- distances */

/* Elements of differences that are held at a time; rows beyond which a product takes their place. */
#define MOST_DIFFERENCES (INT64_C(1) << 20)
#define MOST_EXACT_ROWS 25

enum { MM_IF_NECESSARY, MM_ALWAYS, MM_NEVER }; /* the words of compute_mode */

/* Shapes of the two: [batch .., P, M] and [batch .., R, M]; shape becomes [batch .., P, R]. */
static stria_status infer_distances(const stria_call *call, double p, int *ndim, int64_t *shape, stria_error *err)
{
    const stria_tensor *in[] = {call->in[0], call->in[1]};
    char                got[96];

    for (int k = 0; k < 2; k++) {
        const char *name = k == 0 ? "x1" : "x2";
        stria_shape_print(got, sizeof got, in[k]->ndim, in[k]->shape);
        if (in[k]->ndim < 2)
            return stria_error_set(err, STRIA_ERR_SHAPE, "cdist", name, "2 dims or more", got,
                                   "%s of shape %s must have 2 dims or more", name, got);
    }
    STRIA_TRY(stria_products_check_sizes(call, 0, in[0]->ndim - 1, 1, in[1]->ndim - 1, err));
    *ndim = 0;
    for (int k = 0; k < 2; k++) {
        const stria_status status = stria_shape_broadcast("cdist", ndim, shape, in[k]->ndim - 2, in[k]->shape, err);
        if (status != STRIA_OK) return stria_error_set_argument(err, status, "x2");
    }
    if (*ndim + 3 > STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, "cdist", "x1", "at most 63 dims", "more",
                               "there are too many dims");
    for (int k = 0; k < 2; k++) shape[(*ndim)++] = in[k]->shape[in[k]->ndim - 2];
    if (p >= 0) return STRIA_OK;
    snprintf(got, sizeof got, "%g", p);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "cdist", "p", "0 or more", got, "p is %s, but must be 0 or more",
                           got);
}

/* Norms of the differences, some rows of x1 at a time. */
static stria_status fill_distances(const stria_tensor *const *in, double p, stria_tensor *y, stria_error *err)
{
    static const int last = -1;
    const int64_t    rows = y->shape[y->ndim - 2], m = in[0]->shape[in[0]->ndim - 1];
    const int64_t    each = rows > 0 ? stria_tensor_get_numel(y) / rows * m : 1;
    const int64_t    step = each < MOST_DIFFERENCES ? MOST_DIFFERENCES / (each > 0 ? each : 1) : 1;
    stria_status     status = STRIA_OK;

    for (int64_t row = 0; row < rows && status == STRIA_OK; row += step) {
        const int64_t n = rows - row < step ? rows - row : step;
        stria_tensor *part = NULL, *left = NULL, *right = NULL, *difference = NULL, *out = NULL;
        status = stria_narrow(CAST(in[0]), -2, row, n, &part, err);
        if (status == STRIA_OK) status = stria_unsqueeze(part, -2, &left, err);
        if (status == STRIA_OK) status = stria_unsqueeze(CAST(in[1]), -3, &right, err);
        if (status == STRIA_OK) status = stria_sub(left, right, &difference, err);
        if (status == STRIA_OK) status = stria_narrow(y, -2, row, n, &out, err);
        if (status == STRIA_OK) status = stria_norm_out(difference, p, &last, 1, false, STRIA_DTYPE_NONE, out, err);
        stria_tensor_release(part);
        stria_tensor_release(left);
        stria_tensor_release(right);
        stria_tensor_release(difference);
        stria_tensor_release(out);
    }
    return status;
}

/* sqrt(max(|a|^2 + |b|^2 - 2 a b, 0)) */
static stria_status multiply_distances(const stria_tensor *const *in, stria_tensor **y, stria_temps *temps,
                                       stria_error *err)
{
    static const int last = -1;
    stria_tensor    *squares[2], *product, *number;

    for (int k = 0; k < 2; k++) {
        STRIA_TRY(stria_square(in[k], STRIA_TEMP, err));
        STRIA_TRY(stria_sum(STRIA_LAST, &last, 1, true, STRIA_TEMP, err));
        squares[k] = STRIA_LAST;
    }
    STRIA_TRY(stria_transpose(squares[1], -1, -2, STRIA_TEMP, err));
    squares[1] = STRIA_LAST;
    STRIA_TRY(stria_transpose(CAST(in[1]), -1, -2, STRIA_TEMP, err));
    STRIA_TRY(stria_matmul(in[0], STRIA_LAST, STRIA_TEMP, err));
    product = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, -2, &number, err));
    STRIA_TRY(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){product, number}, 2, product, err));
    STRIA_TRY(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){product, squares[0]}, 2, product, err));
    STRIA_TRY(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){product, squares[1]}, 2, product, err));
    STRIA_TRY(stria_temps_number(temps, 0, &number, err));
    STRIA_TRY(stria_apply_out(STRIA_OP_maximum, (const stria_tensor *[]){product, number}, 2, product, err));
    return stria_sqrt(product, y, err);
}

stria_status stria_compose_cdist(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_cdist_attrs *attrs = call->attrs;
    const stria_tensor      *in[] = {call->in[0], call->in[1]};
    int64_t                  shape[STRIA_MAX_DIMS];
    int                      ndim;
    stria_dtype              result;
    stria_tensor            *found = NULL;

    STRIA_TRY(infer_distances(call, attrs->p, &ndim, shape, err));
    STRIA_TRY(stria_contract_infer_dtype(call, in, 2, &result, err));
    if (stria_dtype_get_category(result) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "x1", in[0]->dtype, "a float", err);
    STRIA_TRY(stria_temps_convert(temps, in, 2, stria_dtype_get_compute(result), err));
    const bool    is_large = shape[ndim - 2] > MOST_EXACT_ROWS || shape[ndim - 1] > MOST_EXACT_ROWS;
    const int64_t m = in[0]->shape[in[0]->ndim - 1];
    if (attrs->p == 2 && m > 0 &&
        (attrs->compute_mode == MM_ALWAYS || (attrs->compute_mode == MM_IF_NECESSARY && is_large))) {
        STRIA_TRY(multiply_distances(in, &found, temps, err));
        STRIA_TRY(stria_temps_keep(temps, found, err));
        return stria_temps_narrow(found, result, &y[0], err);
    }
    STRIA_TRY(stria_zeros(shape, ndim, stria_dtype_get_compute(result), in[0]->device, STRIA_TEMP, err));
    found = STRIA_LAST;
    if (m > 0) STRIA_TRY(fill_distances(in, attrs->p, found, err));
    return stria_temps_narrow(found, result, &y[0], err);
}
