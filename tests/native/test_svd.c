/* test_svd.c - svd and inverse: what the parts multiply to, in every shape, layout and float dtype; ranks that are not full, scales,
 * elements that are not finite; refusals. */
#include <float.h>
#include <math.h>

#include "oracle.h"
#include "refused.h"

static random_state random_numbers = {61};

static stria_tensor *multiply(const stria_tensor *a, const stria_tensor *b)
{
    stria_tensor *y = NULL;
    CHECK_STATUS(stria_matmul(a, b, &y, NULL), STRIA_OK);
    return y;
}

static stria_tensor *turn(stria_tensor *x)
{
    stria_tensor *y = NULL;
    CHECK_STATUS(stria_transpose(x, -2, -1, &y, NULL), STRIA_OK);
    return y;
}

static double first_of(const stria_tensor *x)
{
    return value_get(stria_tensor_get_dtype(x), stria_tensor_get_const_data(x)).real;
}

/* The largest distance of two tensors, in f64; of nothing 0. */
static double distance(const stria_tensor *a, const stria_tensor *b)
{
    stria_tensor *difference = NULL, *size = NULL, *wide = NULL, *y = NULL;

    CHECK_STATUS(stria_sub(a, b, &difference, NULL), STRIA_OK);
    CHECK_STATUS(stria_abs(difference, &size, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(size, STRIA_F64, &wide, NULL), STRIA_OK);
    if (stria_tensor_get_numel(wide) > 0) CHECK_STATUS(stria_amax(wide, NULL, 0, false, &y, NULL), STRIA_OK);
    const double largest = y != NULL ? first_of(y) : 0;
    stria_tensor_release(difference), stria_tensor_release(size), stria_tensor_release(wide), stria_tensor_release(y);
    return largest;
}

/* How far the columns of x are from being unit vectors at right angles. */
static double crookedness(stria_tensor *x)
{
    stria_tensor *turned = turn(x), *product = multiply(turned, x), *identity = NULL;

    CHECK_STATUS(stria_eye(stria_tensor_get_shape(x)[stria_tensor_get_ndim(x) - 1], STRIA_INT_NONE,
                           stria_tensor_get_dtype(x), STRIA_CPU, &identity, NULL),
                 STRIA_OK);
    const double error = distance(product, identity);
    stria_tensor_release(turned), stria_tensor_release(product), stria_tensor_release(identity);
    return error;
}

/* u diag(s) v^T is x within the bound times the largest value, and the values are those of svdvals. */
static void check_parts(const char *what, const stria_tensor *x, double bound)
{
    stria_tensor *u = NULL, *s = NULL, *v = NULL, *row = NULL, *scaled = NULL, *values = NULL;

    CHECK_STATUS(stria_svd(x, true, true, &u, &s, &v, NULL), STRIA_OK);
    CHECK_STATUS(stria_svdvals(x, &values, NULL), STRIA_OK);
    CHECK(distance(s, values) <= bound * first_of(values), "%s: values, by %g", what, distance(s, values));
    CHECK_STATUS(stria_unsqueeze(s, -2, &row, NULL), STRIA_OK);
    CHECK_STATUS(stria_mul(u, row, &scaled, NULL), STRIA_OK);
    stria_tensor *turned = turn(v), *product = multiply(scaled, turned);
    CHECK(distance(product, x) <= bound * fmax(first_of(values), DBL_MIN), "%s: off by %g of %g", what,
          distance(product, x), first_of(values));
    CHECK(crookedness(u) <= bound && crookedness(v) <= bound, "%s: vectors: %g, %g", what, crookedness(u),
          crookedness(v));
    stria_tensor_release(u), stria_tensor_release(s), stria_tensor_release(v), stria_tensor_release(row);
    stria_tensor_release(scaled), stria_tensor_release(values), stria_tensor_release(turned);
    stria_tensor_release(product);
}

static void test_shapes(void)
{
    static const int64_t     shapes[][3] = {{2, 4, 4}, {3, 2, 5}, {3, 5, 2}, {1, 1, 7}, {1, 7, 1}, {2, 9, 8}};
    static const stria_dtype floats[] = {STRIA_F64, STRIA_F32};
    static const layout      kinds[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED, LAYOUT_STEPPED};

    for (int k = 0; k < 6; k++)
        for (int d = 0; d < 2; d++)
            for (int l = 0; l < 4; l++) {
                stria_tensor *x = tensor_random(&random_numbers, floats[d], kinds[l], 3, shapes[k], 0, 1);
                tensor_fill_random(&random_numbers, x, 0, 2);
                check_parts("random", x, 64 * (d == 0 ? DBL_EPSILON : FLT_EPSILON));
                stria_tensor_release(x);
            }
}

/* Products of thin matrices: values 0, whose vectors are made; nothing but 0; large and small elements. */
static void test_ranks(void)
{
    static const int64_t thin[] = {6, 2}, flat[] = {2, 5}, none[] = {3, 4};
    stria_tensor        *x = NULL, *z = NULL;

    for (int k = 0; k < 5; k++) {
        stria_tensor *a = tensor_random(&random_numbers, STRIA_F64, LAYOUT_CONTIGUOUS, 2, thin, 0, 1);
        stria_tensor *b = tensor_random(&random_numbers, STRIA_F64, LAYOUT_CONTIGUOUS, 2, flat, 0, 1);
        tensor_fill_random(&random_numbers, a, 0, 2), tensor_fill_random(&random_numbers, b, 0, 2);
        stria_tensor *product = multiply(a, b);
        check_parts("rank 2", product, 64 * DBL_EPSILON);
        stria_tensor_release(a), stria_tensor_release(b), stria_tensor_release(product);
    }
    CHECK_STATUS(stria_zeros(none, 2, STRIA_F64, STRIA_CPU, &z, NULL), STRIA_OK);
    check_parts("zeros", z, 64 * DBL_EPSILON);
    ((double *)stria_tensor_get_data(z))[6] = 3; /* one row alone */
    check_parts("one element", z, 64 * DBL_EPSILON);
    ((double *)stria_tensor_get_data(z))[6] = 0x1p-1000;
    ((double *)stria_tensor_get_data(z))[1] = 0x1p-1001;
    check_parts("small", z, 64 * DBL_EPSILON);
    stria_tensor_release(z);
    /* of values that are rounding errors of the first one */
    for (int k = 0; k < 40; k++) {
        static const int64_t square[] = {3, 3};
        CHECK_STATUS(stria_tensor_new(STRIA_F64, 2, square, &x, NULL), STRIA_OK);
        for (int i = 0; i < 9; i++) ((double *)stria_tensor_get_data(x))[i] = (i % 3 + 1) * (i / 3 + 1);
        ((double *)stria_tensor_get_data(x))[k % 9] += (k < 18 ? 1e-5 : 1e-14) * (k & 1 ? 1 : -1);
        check_parts("nearly of rank 1", x, 64 * DBL_EPSILON);
        stria_tensor_release(x);
    }
    CHECK_STATUS(stria_eye(5, STRIA_INT_NONE, STRIA_F64, STRIA_CPU, &x, NULL), STRIA_OK);
    check_parts("equal values", x, 64 * DBL_EPSILON);
    stria_tensor_release(x);
}

static void test_specials(void)
{
    static const int64_t shape[] = {2, 2}, empty[] = {2, 3, 0};
    stria_tensor        *x = NULL, *u = NULL, *s = NULL, *v = NULL;

    CHECK_STATUS(stria_ones(shape, 2, STRIA_F64, STRIA_CPU, &x, NULL), STRIA_OK);
    ((double *)stria_tensor_get_data(x))[1] = INFINITY;
    CHECK_STATUS(stria_svd(x, true, true, &u, &s, &v, NULL), STRIA_OK);
    CHECK(isnan(first_of(u)) && isnan(first_of(s)) && isnan(first_of(v)), "an element that is not finite");
    stria_tensor_release(x), stria_tensor_release(u), stria_tensor_release(s), stria_tensor_release(v);
    CHECK_STATUS(stria_zeros(empty, 3, STRIA_F32, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_svd(x, true, true, &u, &s, &v, NULL), STRIA_OK);
    CHECK(stria_tensor_get_shape(u)[1] == 3 && stria_tensor_get_shape(v)[1] == 0 && stria_tensor_get_ndim(s) == 2,
          "empty");
    stria_tensor_release(x), stria_tensor_release(u), stria_tensor_release(s), stria_tensor_release(v);
}

/* Without `some` u and v are square and orthogonal, and begin with the vectors of the values; without compute_uv they are 0. Of nothing
 * they are the identity. */
static void test_square(const int64_t *shape, stria_dtype dtype)
{
    const int64_t n = shape[1] < shape[2] ? shape[1] : shape[2];
    const double  bound = 64 * (dtype == STRIA_F64 ? DBL_EPSILON : FLT_EPSILON);
    stria_tensor *x = tensor_random(&random_numbers, dtype, LAYOUT_CONTIGUOUS, 3, shape, 0, 1), *zero = NULL;
    stria_tensor *few[3] = {NULL}, *all[3] = {NULL}, *none[3] = {NULL};

    tensor_fill_random(&random_numbers, x, 0, 2);
    CHECK_STATUS(stria_svd(x, true, true, &few[0], &few[1], &few[2], NULL), STRIA_OK);
    CHECK_STATUS(stria_svd(x, false, true, &all[0], &all[1], &all[2], NULL), STRIA_OK);
    CHECK_STATUS(stria_svd(x, true, false, &none[0], &none[1], &none[2], NULL), STRIA_OK);
    CHECK(distance(all[1], few[1]) == 0 && distance(none[1], few[1]) <= bound * 8, "values");
    for (int k = 0; k < 3; k += 2) {
        const int64_t size = shape[k == 0 ? 1 : 2], square[] = {shape[0], size, size};
        stria_tensor *head = NULL;
        CHECK(memcmp(stria_tensor_get_shape(all[k]), square, sizeof square) == 0 &&
                  memcmp(stria_tensor_get_shape(none[k]), square, sizeof square) == 0,
              "shape of vectors %d", k);
        CHECK(crookedness(all[k]) <= bound, "vectors: %g", crookedness(all[k]));
        CHECK_STATUS(stria_slice(all[k], -1, 0, n, 1, &head, NULL), STRIA_OK);
        CHECK(distance(head, few[k]) == 0, "vectors of values");
        CHECK_STATUS(stria_zeros(square, 3, dtype, STRIA_CPU, &zero, NULL), STRIA_OK);
        CHECK(distance(none[k], zero) == 0, "vectors that were not asked for");
        stria_tensor_release(head), stria_tensor_release(zero), zero = NULL;
    }
    for (int k = 0; k < 3; k++)
        stria_tensor_release(few[k]), stria_tensor_release(all[k]), stria_tensor_release(none[k]);
    stria_tensor_release(x);
}

static void test_options(void)
{
    static const int64_t     shapes[][3] = {{2, 4, 4}, {3, 2, 5}, {3, 5, 2}, {1, 1, 7}, {2, 3, 0}, {2, 0, 3}};
    static const stria_dtype floats[] = {STRIA_F64, STRIA_F32};
    static const int64_t     square[] = {2, 2};
    stria_tensor            *x = NULL, *u = NULL, *s = NULL, *v = NULL;

    for (int k = 0; k < 6; k++)
        for (int d = 0; d < 2; d++) test_square(shapes[k], floats[d]);
    CHECK_STATUS(
        stria_full(square, 2, (stria_scalar){STRIA_SCALAR_FLOAT, 0, INFINITY, 0}, STRIA_F64, STRIA_CPU, &x, NULL),
        STRIA_OK);
    CHECK_STATUS(stria_svd(x, false, true, &u, &s, &v, NULL), STRIA_OK);
    CHECK(isnan(first_of(u)) && isnan(first_of(s)) && isnan(first_of(v)), "elements that are not finite");
    stria_tensor_release(x), stria_tensor_release(u), stria_tensor_release(s), stria_tensor_release(v);
}

/* ---------------------------------------------------------------- inverse */

static void test_inverse(void)
{
    static const int64_t     shapes[][3] = {{1, 1, 1}, {3, 2, 2}, {2, 5, 5}, {1, 12, 12}};
    static const stria_dtype floats[] = {STRIA_F64, STRIA_F32};

    for (int k = 0; k < 4; k++)
        for (int d = 0; d < 2; d++)
            for (int l = 0; l < 2; l++) {
                const layout  kind = l == 0 ? LAYOUT_CONTIGUOUS : LAYOUT_TRANSPOSED;
                stria_tensor *x = tensor_random(&random_numbers, floats[d], kind, 3, shapes[k], 0, 1);
                stria_tensor *y = NULL, *identity = NULL, *moved = NULL;
                tensor_fill_random(&random_numbers, x, 0, 1);
                CHECK_STATUS(stria_eye(shapes[k][1], STRIA_INT_NONE, floats[d], STRIA_CPU, &identity, NULL), STRIA_OK);
                CHECK_STATUS(stria_flip(identity, (int[]){0}, 1, &moved, NULL), STRIA_OK); /* a pivot is elsewhere */
                for (int twice = 0; twice < 2; twice++)
                    CHECK_STATUS(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){x, moved}, 2, x, NULL),
                                 STRIA_OK);
                CHECK_STATUS(stria_inverse(x, &y, NULL), STRIA_OK);
                stria_tensor *product = multiply(x, y);
                CHECK(distance(product, identity) <= 4096 * (d == 0 ? DBL_EPSILON : FLT_EPSILON), "%g",
                      distance(product, identity));
                stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(product);
                stria_tensor_release(identity), stria_tensor_release(moved);
            }
}

static void test_refusals(void)
{
    static const int64_t wide[] = {2, 3}, square[] = {2, 2}, batch[] = {3, 2, 2}, none[] = {0, 0};
    stria_tensor        *x = NULL, *whole = NULL, *ones = NULL, *many = NULL, *empty = NULL, *y = NULL;

    CHECK_STATUS(stria_zeros(wide, 2, STRIA_F32, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(square, 2, STRIA_I32, STRIA_CPU, &whole, NULL), STRIA_OK);
    CHECK_STATUS(stria_ones(square, 2, STRIA_F32, STRIA_CPU, &ones, NULL), STRIA_OK);
    CHECK_STATUS(stria_ones(batch, 3, STRIA_F32, STRIA_CPU, &many, NULL), STRIA_OK);
    CHECK_STATUS(stria_ones(none, 2, STRIA_F32, STRIA_CPU, &empty, NULL), STRIA_OK);
    REFUSED(stria_inverse(x, &y, &err), STRIA_ERR_SHAPE, "inverse", "x", "whose matrices are not square");
    REFUSED(stria_inverse(whole, &y, &err), STRIA_ERR_DTYPE, "inverse", "x", "x is i32, but must be a float");
    REFUSED(stria_inverse(ones, &y, &err), STRIA_ERR_ARGUMENT, "inverse", "x", "x is singular and has no inverse");
    REFUSED(stria_inverse(many, &y, &err), STRIA_ERR_ARGUMENT, "inverse", "x", "a matrix of x is singular");
    CHECK(y == NULL, "an output of a refused call");
    CHECK_STATUS(stria_inverse(empty, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_ndim(y) == 2 && stria_tensor_get_numel(y) == 0, "of nothing");
    stria_tensor_release(y);
    stria_tensor *u = NULL, *s = NULL, *v = NULL;
    REFUSED(stria_svd(whole, true, true, &u, &s, &v, &err), STRIA_ERR_DTYPE, "svd", "x", "i32");
    stria_tensor_release(x), stria_tensor_release(whole), stria_tensor_release(ones), stria_tensor_release(many);
    stria_tensor_release(empty);
}

SUITE(test_svd)
{
    test_shapes();
    test_ranks();
    test_specials();
    test_options();
    test_inverse();
    test_refusals();
    return check_finish("test_svd");
}
