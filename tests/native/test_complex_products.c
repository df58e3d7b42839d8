/* test_complex_products.c - reductions, scans and matrix products of complex numbers against plain sums in long double. */
#include <math.h>
#include <string.h>

#include "call/call.h"
#include "refused.h"

typedef struct pair {
    long double re, im;
} pair;

static pair add(pair a, pair b) { return (pair){a.re + b.re, a.im + b.im}; }
static pair times(pair a, pair b) { return (pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static pair conjugate(pair a) { return (pair){a.re, -a.im}; }

static pair at(const stria_tensor *x, int64_t i, int64_t k)
{
    const value v = value_get(x->dtype, tensor_at(x, (const int64_t[]){i, k}));
    return (pair){v.is_float ? v.real : (long double)v.whole, v.imag};
}

static bool is_near(pair got, pair want, long double scale, stria_dtype dtype)
{
    const bool is_narrow = dtype == STRIA_C64 || dtype == STRIA_F32;
    return hypotl(got.re - want.re, got.im - want.im) <= scale * (is_narrow ? 2e-6L : 4e-15L);
}

/* [rows, columns] of numbers in [-1, 1], a transposed view if `turned`. */
static stria_tensor *make(stria_dtype dtype, int64_t rows, int64_t columns, bool turned)
{
    stria_tensor *x = NULL, *y = NULL;
    random_state  random = {(uint64_t)(rows * 100 + columns)};

    CHECK_STATUS(stria_tensor_new(
                     dtype, 2, turned ? (const int64_t[]){columns, rows} : (const int64_t[]){rows, columns}, &x, NULL),
                 STRIA_OK);
    for (int64_t k = 0; k < x->numel; k++)
        value_set(dtype,
                  (value){.is_float = true, .real = random_unit(&random) * 2 - 1, .imag = random_unit(&random) * 2 - 1},
                  x->data + k * stria_tensor_get_item_size(x));
    if (!turned) return x;
    CHECK_STATUS(stria_transpose(x, 0, 1, &y, NULL), STRIA_OK);
    stria_tensor_release(x);
    return y;
}

static stria_tensor *y;
static void          release(void)
{
    stria_tensor_release(y);
    y = NULL;
}

/* ---------------------------------------------------------------- reductions and scans along axis 1 of [m, n] */

static void test_reductions(stria_dtype dtype, bool turned, int64_t n)
{
    const stria_dtype part = stria_dtype_get_part(dtype);
    stria_tensor     *x = make(dtype, 3, n, turned), *sum = NULL, *product = NULL, *sums = NULL, *products = NULL;
    stria_tensor     *mean = NULL, *var = NULL, *std = NULL, *norm = NULL, *norm1 = NULL;
    const int         last = 1;

    CHECK_STATUS(stria_sum(x, &last, 1, false, &sum, NULL), STRIA_OK);
    CHECK_STATUS(stria_mean(x, &last, 1, true, &mean, NULL), STRIA_OK);
    CHECK_STATUS(stria_prod(x, &last, 1, false, &product, NULL), STRIA_OK);
    CHECK_STATUS(stria_cumsum(x, 1, STRIA_DTYPE_NONE, &sums, NULL), STRIA_OK);
    CHECK_STATUS(stria_cumprod(x, 1, STRIA_DTYPE_NONE, &products, NULL), STRIA_OK);
    CHECK_STATUS(stria_var(x, &last, 1, 1, false, &var, NULL), STRIA_OK);
    CHECK_STATUS(stria_std(x, &last, 1, 1, true, &std, NULL), STRIA_OK);
    CHECK_STATUS(stria_norm(x, 2, &last, 1, true, STRIA_DTYPE_NONE, &norm, NULL), STRIA_OK);
    CHECK_STATUS(stria_norm(x, 1, &last, 1, false, STRIA_DTYPE_NONE, &norm1, NULL), STRIA_OK);
    CHECK(sum->dtype == dtype && sum->ndim == 1 && mean->ndim == 2 && mean->shape[1] == 1 && var->dtype == part &&
              norm->dtype == part && norm->ndim == 2 && std->ndim == 2,
          "dtypes and shapes");
    for (int64_t i = 0; i < 3; i++) {
        pair        s = {0, 0}, p = {1, 0};
        long double squares = 0, sizes = 0, spread = 0;
        for (int64_t k = 0; k < n; k++) {
            const pair v = at(x, i, k);
            s = add(s, v);
            p = times(p, v);
            squares += v.re * v.re + v.im * v.im;
            sizes += hypotl(v.re, v.im);
            CHECK(is_near(at(sums, i, k), s, sizes, dtype), "cumsum: %d %d", (int)i, (int)k);
            CHECK(is_near(at(products, i, k), p, hypotl(p.re, p.im) * 10, dtype), "cumprod: %d %d", (int)i, (int)k);
        }
        const pair middle = {s.re / n, s.im / n};
        for (int64_t k = 0; k < n; k++) {
            const pair v = at(x, i, k);
            spread += (v.re - middle.re) * (v.re - middle.re) + (v.im - middle.im) * (v.im - middle.im);
        }
        CHECK(is_near(at(sum, i, 0), s, sizes, dtype), "sum: %d", (int)i);
        CHECK(is_near(at(mean, i, 0), middle, 1, dtype), "mean: %d", (int)i);
        CHECK(is_near(at(product, i, 0), p, hypotl(p.re, p.im) * 10, dtype), "prod: %d", (int)i);
        CHECK(is_near(at(norm, i, 0), (pair){sqrtl(squares), 0}, sqrtl(squares), dtype), "norm: %d", (int)i);
        CHECK(is_near(at(norm1, i, 0), (pair){sizes, 0}, sizes, dtype), "norm 1: %d", (int)i);
        CHECK(n < 2 || is_near(at(var, i, 0), (pair){spread / (n - 1), 0}, 2, dtype), "var: %d", (int)i);
        CHECK(n < 2 || is_near(at(std, i, 0), (pair){sqrtl(spread / (n - 1)), 0}, 2, dtype), "std: %d", (int)i);
    }
    for (stria_tensor **each = (stria_tensor *[]){x, sum, product, sums, products, mean, var, std, norm, norm1, NULL};
         *each != NULL; each++)
        stria_tensor_release(*each);
}

static void test_all_axes(void)
{
    stria_tensor *x = make(STRIA_C64, 5, 7, false), *one = NULL, *nothing = NULL, *real = make(STRIA_F64, 2, 3, false);
    pair          s = {0, 0}, p = {1, 0};

    for (int64_t k = 0; k < 35; k++) {
        s = add(s, at(x, k / 7, k % 7));
        p = times(p, at(x, k / 7, k % 7));
    }
    CHECK_STATUS(stria_sum(x, NULL, 0, false, &y, NULL), STRIA_OK);
    CHECK(y->ndim == 0 && is_near(at(y, 0, 0), s, 40, STRIA_C64), "sum of all");
    release();
    CHECK_STATUS(stria_prod(x, NULL, 0, false, &y, NULL), STRIA_OK);
    CHECK(is_near(at(y, 0, 0), p, hypotl(p.re, p.im) * 10, STRIA_C64), "prod of all");
    CHECK_STATUS(stria_sum(y, NULL, 0, false, &one, NULL), STRIA_OK);
    CHECK(at(one, 0, 0).re == at(y, 0, 0).re && at(one, 0, 0).im == at(y, 0, 0).im, "sum of one number");
    stria_tensor_release(one);
    one = NULL;
    CHECK_STATUS(stria_cumprod(y, 0, STRIA_C128, &one, NULL), STRIA_OK);
    CHECK(one->dtype == STRIA_C128 && at(one, 0, 0).im == at(y, 0, 0).im, "cumprod of one number");
    stria_tensor_release(one);
    release();
    CHECK_STATUS(stria_zeros((const int64_t[]){2, 0}, 2, STRIA_C128, STRIA_CPU, &nothing, NULL), STRIA_OK);
    CHECK_STATUS(stria_prod(nothing, NULL, 0, false, &y, NULL), STRIA_OK);
    CHECK(at(y, 0, 0).re == 1 && at(y, 0, 0).im == 0, "product of nothing");
    release();
    CHECK_STATUS(stria_sum(nothing, NULL, 0, false, &y, NULL), STRIA_OK);
    CHECK(at(y, 0, 0).re == 0 && at(y, 0, 0).im == 0, "sum of nothing");
    release();
    CHECK_STATUS(stria_reduce(STRIA_RED_sum, real, NULL, 0, false, STRIA_C64, &y, NULL), STRIA_OK);
    CHECK(y->dtype == STRIA_C64 && at(y, 0, 0).im == 0, "a real tensor as complex numbers");
    release();
    REFUSED(stria_amax(x, NULL, 0, false, &y, &err), STRIA_ERR_DTYPE, "amax", "x", "complex numbers have no order");
    REFUSED(stria_cumsum(x, 0, STRIA_F32, &y, &err), STRIA_ERR_DTYPE, "cumsum", "dtype", "complex");
    stria_tensor_release(nothing);
    stria_tensor_release(real);
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- products */

static void check_product(const stria_tensor *a, const stria_tensor *b, const char *what)
{
    CHECK_STATUS(stria_matmul(a, b, &y, NULL), STRIA_OK);
    for (int64_t i = 0; y != NULL && i < a->shape[0]; i++)
        for (int64_t k = 0; k < b->shape[1]; k++) {
            pair s = {0, 0};
            for (int64_t p = 0; p < a->shape[1]; p++) s = add(s, times(at(a, i, p), at(b, p, k)));
            CHECK(is_near(at(y, i, k), s, (long double)a->shape[1], y->dtype), "%s: %d %d", what, (int)i, (int)k);
        }
    release();
}

static void test_products(stria_dtype dtype)
{
    const stria_dtype part = stria_dtype_get_part(dtype);

    for (int turned = 0; turned < 4; turned++) {
        stria_tensor *a = make(dtype, 7, 13, turned & 1), *b = make(dtype, 13, 5, turned & 2);
        stria_tensor *real = make(part, 13, 5, turned & 2), *left = make(part, 7, 13, turned & 1), *whole = NULL;
        CHECK_STATUS(stria_tensor_copy(left, STRIA_I32, &whole, NULL), STRIA_OK);
        check_product(a, b, "matmul");
        check_product(a, real, "matmul by a real matrix");
        check_product(left, b, "matmul of a real matrix");
        check_product(whole, b, "matmul of a matrix of integers");
        for (stria_tensor **each = (stria_tensor *[]){a, b, real, left, whole, NULL}; *each != NULL; each++)
            stria_tensor_release(*each);
    }
    stria_tensor *mixed = make(dtype == STRIA_C64 ? STRIA_C128 : STRIA_C64, 4, 6, false), *b = make(dtype, 6, 4, false);
    check_product(mixed, b, "matmul of two dtypes");
    stria_tensor_release(mixed);
    stria_tensor_release(b);
}

static void test_vectors(void)
{
    stria_tensor *a = make(STRIA_C128, 1, 9, false), *b = make(STRIA_C128, 2, 9, false), *u = NULL, *v = NULL,
                 *d = NULL;
    pair dot = {0, 0}, vdot = {0, 0};

    CHECK_STATUS(stria_select(a, 0, 0, &u, NULL), STRIA_OK);
    CHECK_STATUS(stria_select(b, 0, 1, &v, NULL), STRIA_OK);
    for (int64_t k = 0; k < 9; k++) {
        dot = add(dot, times(at(a, 0, k), at(b, 1, k)));
        vdot = add(vdot, times(conjugate(at(a, 0, k)), at(b, 1, k)));
    }
    CHECK_STATUS(stria_dot(u, v, &y, NULL), STRIA_OK);
    CHECK(y->ndim == 0 && is_near(at(y, 0, 0), dot, 9, STRIA_C128), "dot");
    release();
    CHECK_STATUS(stria_vdot(u, v, &y, NULL), STRIA_OK);
    CHECK(is_near(at(y, 0, 0), vdot, 9, STRIA_C128), "vdot");
    release();
    CHECK_STATUS(stria_inner(u, v, &y, NULL), STRIA_OK);
    CHECK(is_near(at(y, 0, 0), dot, 9, STRIA_C128), "inner");
    release();
    CHECK_STATUS(stria_mv(b, u, &y, NULL), STRIA_OK);
    CHECK(is_near(at(y, 1, 0), dot, 9, STRIA_C128), "mv");
    CHECK_STATUS(stria_linear(u, b, y, &d, NULL), STRIA_OK);
    CHECK(is_near(at(d, 1, 0), add(dot, dot), 18, STRIA_C128), "linear, which does not conjugate");
    stria_tensor_release(d);
    release();
    CHECK_STATUS(stria_einsum((const stria_tensor *const[]){b, u}, 2, "ik,k->i", &y, NULL), STRIA_OK);
    CHECK(is_near(at(y, 1, 0), dot, 9, STRIA_C128), "einsum");
    release();
    CHECK_STATUS(stria_outer(u, v, &y, NULL), STRIA_OK);
    const pair corner = times(at(a, 0, 3), at(b, 1, 8));
    CHECK(is_near(at(y, 3, 8), corner, 2, STRIA_C128), "outer");
    CHECK_STATUS(stria_trace(y, &d, NULL), STRIA_OK);
    CHECK(is_near(at(d, 0, 0), dot, 9, STRIA_C128), "trace of the outer product");
    stria_tensor_release(d);
    d = NULL;
    const stria_scalar i = {STRIA_SCALAR_COMPLEX, 0, 0, 1}, two = {STRIA_SCALAR_INT, 2, 0, 0};
    stria_tensor      *sum = NULL;
    CHECK_STATUS(stria_addmm(y, y, y, two, i, &sum, NULL), STRIA_OK);
    CHECK_STATUS(stria_mm(y, y, &d, NULL), STRIA_OK);
    const pair want = add(times((pair){2, 0}, at(y, 1, 2)), times((pair){0, 1}, at(d, 1, 2)));
    CHECK(is_near(at(sum, 1, 2), want, 20, STRIA_C128), "addmm");
    stria_tensor_release(sum);
    release();
    CHECK_STATUS(stria_kron(a, b, &y, NULL), STRIA_OK);
    CHECK(is_near(at(y, 1, 9 * 2 + 4), times(at(a, 0, 2), at(b, 1, 4)), 2, STRIA_C128), "kron");
    release();
    REFUSED(stria_cdist(a, b, 2, "use_mm_for_euclid_dist", &y, &err), STRIA_ERR_DTYPE, "cdist", "x1", "a float");
    for (stria_tensor **each = (stria_tensor *[]){a, b, u, v, d, NULL}; *each != NULL; each++)
        stria_tensor_release(*each);
}

static void test_batches(void)
{
    stria_tensor *a = make(STRIA_C64, 6, 4, false), *b = make(STRIA_C64, 4, 5, false), *batch = NULL, *out = NULL,
                 *turned = NULL;

    CHECK_STATUS(stria_view(a, (const int64_t[]){2, 3, 4}, 3, &batch, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros((const int64_t[]){5, 3, 2}, 3, STRIA_C64, STRIA_CPU, &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(out, 0, 2, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_matmul_out(batch, b, turned, NULL), STRIA_OK);
    for (int64_t n = 0; n < 30; n++) {
        pair s = {0, 0};
        for (int64_t p = 0; p < 4; p++) s = add(s, times(at(a, n / 5, p), at(b, p, n % 5)));
        const value got = value_get(STRIA_C64, tensor_at(turned, (const int64_t[]){n / 15, n / 5 % 3, n % 5}));
        CHECK(is_near((pair){got.real, got.imag}, s, 4, STRIA_C64), "a batch: %d", (int)n);
    }
    for (stria_tensor **each = (stria_tensor *[]){a, b, batch, out, turned, NULL}; *each != NULL; each++)
        stria_tensor_release(*each);
}

SUITE(test_complex_products)
{
    check_isa("test_complex_products");
    for (int turned = 0; turned < 2; turned++) {
        test_reductions(STRIA_C64, turned, 37);
        test_reductions(STRIA_C128, turned, 64);
        test_reductions(STRIA_C64, turned, 1);
    }
    test_all_axes();
    test_products(STRIA_C64);
    test_products(STRIA_C128);
    test_vectors();
    test_batches();
    return check_finish("test_complex_products");
}
