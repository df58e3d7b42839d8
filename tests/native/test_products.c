/* test_products.c - outer, inner, addmm and its kin, tensordot, kron, cross, chains, powers, trace, cdist against plain loops: small whole
 * numbers, so that every order of additions is exact; refusals by the caller's names. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "call/call.h"
#include "oracle.h"

static random_state numbers = {62};

static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_I32, STRIA_I8, STRIA_F16, STRIA_BF16};
#define DTYPES (int)(sizeof dtypes / sizeof *dtypes)

static const stria_scalar one = {.kind = STRIA_SCALAR_INT, .i = 1}, two = {.kind = STRIA_SCALAR_INT, .i = 2},
                          minus = {.kind = STRIA_SCALAR_INT, .i = -3}, zero = {.kind = STRIA_SCALAR_INT, .i = 0},
                          half = {.kind = STRIA_SCALAR_FLOAT, .re = 0.5};

#define REFUSED(call, status, name, at, text)                                                          \
    do {                                                                                               \
        stria_error err = {0};                                                                         \
        y = NULL;                                                                                      \
        CHECK_STATUS(call, status);                                                                    \
        CHECK(strcmp(err.op, name) == 0 && strcmp(err.argument, at) == 0 && strstr(err.message, text), \
              "op %s, argument %s, message %s", err.op, err.argument, err.message);                    \
    } while (0)

/* Of numbers from -3 to 3, its last two axes exchanged in memory where there are two. */
static stria_tensor *new_small(stria_dtype dtype, int ndim, const int64_t *shape)
{
    int64_t       turned[8], index[8] = {0};
    stria_tensor *base = NULL, *x = NULL;

    for (int d = 0; d < ndim; d++) turned[d] = shape[d];
    if (ndim > 1) {
        turned[ndim - 1] = shape[ndim - 2];
        turned[ndim - 2] = shape[ndim - 1];
    }
    CHECK_STATUS(stria_tensor_new(dtype, ndim, turned, &base, NULL), STRIA_OK);
    if (ndim > 1)
        CHECK_STATUS(stria_transpose(base, -1, -2, &x, NULL), STRIA_OK);
    else
        x = stria_tensor_retain(base);
    stria_tensor_release(base);
    if (stria_tensor_get_numel(x) == 0) return x;
    do value_set(dtype, value_from_whole((int)(random_next(&numbers) % 7) - 3), tensor_at(x, index));
    while (index_next(ndim, shape, index));
    return x;
}
#define NEW(dtype, ...) \
    new_small(dtype, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__})

/* An element as a number; i, j, k count as far as x has dims. */
static double get(const stria_tensor *x, int64_t i, int64_t j, int64_t k)
{
    const int64_t index[] = {i, j, k, 0};
    const value   v = value_get(stria_tensor_get_dtype(x), tensor_at(x, index));

    return v.is_float ? v.real : (double)v.whole;
}

/* Checks an element against an exact number, rounded or wrapped to the dtype of y. */
static void check_at(const stria_tensor *y, int64_t i, int64_t j, int64_t k, double expected, const char *what)
{
    const stria_dtype dtype = stria_tensor_get_dtype(y);
    const value       v = dtype_is_float(dtype) ? value_from_real(expected) : value_from_whole((int64_t)expected);
    char              at[16];

    value_set(dtype, v, at);
    const value wanted = value_get(dtype, at);
    CHECK(get(y, i, j, k) == (wanted.is_float ? wanted.real : (double)wanted.whole), "%s %s [%d,%d,%d]: %g, not %g",
          what, stria_dtype_get_name(dtype), (int)i, (int)j, (int)k, get(y, i, j, k), expected);
}

static bool check_shape(const stria_tensor *y, stria_dtype dtype, const char *what, int ndim, int64_t a, int64_t b,
                        int64_t c)
{
    const int64_t wanted[] = {a, b, c};
    bool          fits = y != NULL && stria_tensor_get_ndim(y) == ndim && stria_tensor_get_dtype(y) == dtype;

    for (int d = 0; fits && d < ndim; d++) fits = stria_tensor_get_shape(y)[d] == wanted[d];
    CHECK(fits, "%s: shape or dtype", what);
    return fits;
}

/* ---------------------------------------------------------------- beta x + alpha product */

static double get_product(const char *name, const stria_tensor *a, const stria_tensor *b, int64_t i, int64_t j,
                          int64_t k)
{
    double  sum = 0;
    int64_t n = stria_tensor_get_shape(a)[stria_tensor_get_ndim(a) - 1];

    if (strcmp(name, "addr") == 0) return get(a, i, 0, 0) * get(b, j, 0, 0);
    for (int64_t p = 0; p < n && strcmp(name, "addmm") == 0; p++) sum += get(a, i, p, 0) * get(b, p, j, 0);
    for (int64_t p = 0; p < n && strcmp(name, "addmv") == 0; p++) sum += get(a, i, p, 0) * get(b, p, 0, 0);
    for (int64_t p = 0; p < n && strcmp(name, "baddbmm") == 0; p++) sum += get(a, i, j, p) * get(b, i, p, k);
    for (int64_t q = 0; q < stria_tensor_get_shape(a)[0] && strcmp(name, "addbmm") == 0; q++)
        for (int64_t p = 0; p < n; p++) sum += get(a, q, i, p) * get(b, q, p, j);
    return sum;
}

typedef stria_status add_fn(const stria_tensor *, const stria_tensor *, const stria_tensor *, stria_scalar,
                            stria_scalar, stria_tensor **, stria_error *);
static const struct {
    const char *name;
    add_fn     *run;
    int         ndim, a_ndim, b_ndim;
    int64_t     shape[3], a[3], b[3];
} adds[] = {
    {"addmm", stria_addmm, 2, 2, 2, {4, 5, 1}, {4, 3}, {3, 5}},
    {"addmv", stria_addmv, 1, 2, 1, {4, 1, 1}, {4, 3}, {3}},
    {"addr", stria_addr, 2, 1, 1, {4, 5, 1}, {4}, {5}},
    {"baddbmm", stria_baddbmm, 3, 3, 3, {2, 4, 5}, {2, 4, 3}, {2, 3, 5}},
    {"addbmm", stria_addbmm, 2, 3, 3, {4, 5, 1}, {2, 4, 3}, {2, 3, 5}},
    {"addmm", stria_addmm, 2, 2, 2, {4, 5, 1}, {4, 0}, {0, 5}},
    {"addbmm", stria_addbmm, 2, 3, 3, {4, 5, 1}, {0, 4, 3}, {0, 3, 5}},
    {"baddbmm", stria_baddbmm, 3, 3, 3, {2, 0, 5}, {2, 0, 3}, {2, 3, 5}},
};

static void test_adds(void)
{
    for (size_t r = 0; r < sizeof adds / sizeof *adds; r++)
        for (int t = 0; t < DTYPES; t++)
            for (int form = 0; form < 4; form++) {
                const int64_t *shape = adds[r].shape;
                const int      skip = form == 1 ? adds[r].ndim : form == 2 ? adds[r].ndim - 1 : 0; /* x broadcasts */
                const bool     is_float = dtype_is_float(dtypes[t]);
                stria_scalar   beta = form == 3   ? zero
                                      : form == 2 ? minus
                                                  : one,
                             alpha = form == 0               ? one
                                     : is_float && form == 1 ? half
                                                             : two;
                stria_tensor *x = new_small(dtypes[t], adds[r].ndim - skip, shape + skip), *y = NULL,
                             *a = new_small(dtypes[t], adds[r].a_ndim, adds[r].a),
                             *b = new_small(dtypes[t], adds[r].b_ndim, adds[r].b);
                if (form == 3 && is_float && stria_tensor_get_numel(x) > 0)
                    value_set(dtypes[t], value_from_real(NAN), tensor_at(x, (int64_t[]){0, 0, 0}));
                CHECK_STATUS(adds[r].run(x, a, b, beta, alpha, &y, NULL), STRIA_OK);
                const double factor = alpha.kind == STRIA_SCALAR_FLOAT ? alpha.re : (double)alpha.i;
                if (check_shape(y, dtypes[t], adds[r].name, adds[r].ndim, shape[0], shape[1], shape[2]))
                    for (int64_t i = 0; i < shape[0]; i++)
                        for (int64_t j = 0; j < shape[1]; j++)
                            for (int64_t k = 0; k < shape[2]; k++) {
                                const int64_t at[] = {i, j, k};
                                double        own = 0;
                                if (form != 3)
                                    own = (double)beta.i * (skip == adds[r].ndim ? get(x, 0, 0, 0)
                                                            : skip               ? get(x, at[skip], 0, 0)
                                                                                 : get(x, i, j, k));
                                check_at(y, i, j, k, own + factor * get_product(adds[r].name, a, b, i, j, k),
                                         adds[r].name);
                            }
                stria_tensor_release(x);
                stria_tensor_release(a);
                stria_tensor_release(b);
                stria_tensor_release(y);
            }
}

/* f16 is rounded once: the parts of the sum do not fit its mantissa. */
static void test_rounded_once(void)
{
    stria_tensor *x = NEW(STRIA_F16, 1, 1), *a = NEW(STRIA_F16, 1, 2), *b = NEW(STRIA_F16, 2, 1), *y = NULL;
    const double  values[] = {-2048, 2048, 1, 1};

    value_set(STRIA_F16, value_from_real(values[0]), tensor_at(x, (int64_t[]){0, 0}));
    for (int k = 0; k < 2; k++) {
        value_set(STRIA_F16, value_from_real(k ? 1 : 2048), tensor_at(a, (int64_t[]){0, k}));
        value_set(STRIA_F16, value_from_real(1), tensor_at(b, (int64_t[]){k, 0}));
    }
    CHECK_STATUS(stria_addmm(x, a, b, one, one, &y, NULL), STRIA_OK);
    check_at(y, 0, 0, 0, 1, "2049 - 2048 in f16");
    CHECK_STATUS(stria_addmm_out(x, a, b, one, one, x, NULL), STRIA_OK); /* in place */
    check_at(x, 0, 0, 0, 1, "in place");
    stria_tensor_release(x);
    stria_tensor_release(a);
    stria_tensor_release(b);
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- vectors, axes */

static void test_vectors(void)
{
    for (int t = 0; t < DTYPES; t++) {
        const stria_dtype dtype = dtypes[t];
        stria_tensor     *a = NEW(dtype, 5), *b = NEW(dtype, 4), *c = NEW(dtype, 5), *m = NEW(dtype, 3, 5), *s = NULL,
                     *y = NULL;
        double dot = 0;
        for (int64_t i = 0; i < 5; i++) dot += get(a, i, 0, 0) * get(c, i, 0, 0);
        CHECK_STATUS(stria_outer(a, b, &y, NULL), STRIA_OK);
        if (check_shape(y, dtype, "outer", 2, 5, 4, 1))
            for (int64_t i = 0; i < 20; i++)
                check_at(y, i / 4, i % 4, 0, get(a, i / 4, 0, 0) * get(b, i % 4, 0, 0), "outer");
        stria_tensor_release(y);
        CHECK_STATUS(stria_vdot(a, c, &y, NULL), STRIA_OK);
        if (check_shape(y, dtype, "vdot", 0, 1, 1, 1)) check_at(y, 0, 0, 0, dot, "vdot");
        stria_tensor_release(y);
        CHECK_STATUS(stria_inner(a, c, &y, NULL), STRIA_OK);
        if (check_shape(y, dtype, "inner", 0, 1, 1, 1)) check_at(y, 0, 0, 0, dot, "inner");
        stria_tensor_release(y);
        CHECK_STATUS(stria_inner(m, m, &y, NULL), STRIA_OK);
        if (check_shape(y, dtype, "inner", 2, 3, 3, 1))
            for (int64_t i = 0; i < 9; i++) {
                double sum = 0;
                for (int64_t p = 0; p < 5; p++) sum += get(m, i / 3, p, 0) * get(m, i % 3, p, 0);
                check_at(y, i / 3, i % 3, 0, sum, "inner");
            }
        stria_tensor_release(y);
        CHECK_STATUS(stria_tensor_new(dtype, 0, NULL, &s, NULL), STRIA_OK);
        value_set(dtype, value_from_whole(3), tensor_at(s, (int64_t[]){0}));
        CHECK_STATUS(stria_inner(s, b, &y, NULL), STRIA_OK);
        if (check_shape(y, dtype, "inner of a number", 1, 4, 1, 1))
            for (int64_t i = 0; i < 4; i++) check_at(y, i, 0, 0, 3 * get(b, i, 0, 0), "inner of a number");
        stria_tensor_release(y);
        stria_tensor_release(s);
        stria_tensor_release(a);
        stria_tensor_release(b);
        stria_tensor_release(c);
        stria_tensor_release(m);
    }
}

static void test_cross(void)
{
    for (int t = 0; t < DTYPES; t++)
        for (int axis = 0; axis < 2; axis++) {
            stria_tensor *a = axis ? NEW(dtypes[t], 4, 3) : NEW(dtypes[t], 3, 4), *y = NULL,
                         *b = axis ? NEW(dtypes[t], 3) : NEW(dtypes[t], 3, 1);
            CHECK_STATUS(stria_cross(a, b, axis ? -1 : 0, &y, NULL), STRIA_OK);
            if (check_shape(y, dtypes[t], "cross", 2, axis ? 4 : 3, axis ? 3 : 4, 1))
                for (int64_t i = 0; i < 4; i++)
                    for (int64_t k = 0; k < 3; k++) {
                        const int64_t p = (k + 1) % 3, q = (k + 2) % 3;
                        const double  expected =
                            axis ? get(a, i, p, 0) * get(b, q, 0, 0) - get(a, i, q, 0) * get(b, p, 0, 0)
                                  : get(a, p, i, 0) * get(b, q, 0, 0) - get(a, q, i, 0) * get(b, p, 0, 0);
                        check_at(y, axis ? i : k, axis ? k : i, 0, expected, "cross");
                    }
            stria_tensor_release(a);
            stria_tensor_release(b);
            stria_tensor_release(y);
        }
}

/* Tensors without dims have no axes, not even 0. */
static void test_no_axes(void)
{
    static const int zero[] = {0};
    stria_tensor    *three = NEW(STRIA_F32, 3), *one = NULL, *y = NULL;

    CHECK_STATUS(stria_zeros(NULL, 0, STRIA_F32, STRIA_CPU, &one, NULL), STRIA_OK);
    REFUSED(stria_cross(one, one, -1, &y, &err), STRIA_ERR_SHAPE, "cross", "a", "a of shape [] must have size 3");
    REFUSED(stria_tensordot(one, three, 1, zero, 1, zero, 1, &y, &err), STRIA_ERR_AXIS, "tensordot", "dims_a",
            "axis 0 of a tensor without dims");
    REFUSED(stria_tensordot(three, one, 1, zero, 1, zero, 1, &y, &err), STRIA_ERR_AXIS, "tensordot", "dims_b",
            "axis 0 of a tensor without dims");
    stria_tensor_release(three);
    stria_tensor_release(one);
}

static void test_tensordot(void)
{
    static const int a_axes[] = {0, -1}, b_axes[] = {2, 0};

    for (int t = 0; t < DTYPES; t++) {
        stria_tensor *a = NEW(dtypes[t], 2, 3, 4), *b = NEW(dtypes[t], 4, 5, 2), *c = NEW(dtypes[t], 3, 4, 2),
                     *y = NULL;
        CHECK_STATUS(stria_tensordot(a, b, 7, a_axes, 2, b_axes, 2, &y, NULL), STRIA_OK);
        if (check_shape(y, dtypes[t], "tensordot", 2, 3, 5, 1))
            for (int64_t i = 0; i < 15; i++) {
                double sum = 0;
                for (int64_t p = 0; p < 8; p++) sum += get(a, p / 4, i / 5, p % 4) * get(b, p % 4, i % 5, p / 4);
                check_at(y, i / 5, i % 5, 0, sum, "tensordot of lists");
            }
        stria_tensor_release(y);
        CHECK_STATUS(stria_tensordot(a, c, 2, NULL, 0, NULL, 0, &y, NULL), STRIA_OK);
        if (check_shape(y, dtypes[t], "tensordot", 2, 2, 2, 1))
            for (int64_t i = 0; i < 4; i++) {
                double sum = 0;
                for (int64_t p = 0; p < 12; p++) sum += get(a, i / 2, p / 4, p % 4) * get(c, p / 4, p % 4, i % 2);
                check_at(y, i / 2, i % 2, 0, sum, "tensordot 2");
            }
        stria_tensor_release(y);
        CHECK_STATUS(stria_tensordot(a, b, 0, NULL, 0, NULL, 0, &y, NULL), STRIA_OK);
        CHECK(y && stria_tensor_get_ndim(y) == 6, "tensordot 0");
        stria_tensor_release(y);
        stria_tensor_release(a);
        stria_tensor_release(b);
        stria_tensor_release(c);
    }
}

/* An axis of size 1 meets one of any size, which is summed up. */
static void test_tensordot_of_ones(void)
{
    static const int a_axes[] = {2, 1}, b_axes[] = {0, 2};

    for (int t = 0; t < DTYPES; t++) {
        stria_tensor *a = NEW(dtypes[t], 2, 3, 1), *b = NEW(dtypes[t], 4, 5, 3), *c = NEW(dtypes[t], 4, 5, 1),
                     *y = NULL;
        CHECK_STATUS(stria_tensordot(a, b, 0, a_axes, 2, b_axes, 2, &y, NULL), STRIA_OK);
        if (check_shape(y, dtypes[t], "tensordot", 2, 2, 5, 1))
            for (int64_t i = 0; i < 10; i++) {
                double sum = 0;
                for (int64_t p = 0; p < 12; p++) sum += get(a, i / 5, p % 3, 0) * get(b, p / 3, i % 5, p % 3);
                check_at(y, i / 5, i % 5, 0, sum, "tensordot of an axis of size 1 of a");
            }
        stria_tensor_release(y);
        CHECK_STATUS(stria_tensordot(b, a, 0, b_axes, 2, a_axes, 2, &y, NULL), STRIA_OK);
        if (check_shape(y, dtypes[t], "tensordot", 2, 5, 2, 1))
            for (int64_t i = 0; i < 10; i++) {
                double sum = 0;
                for (int64_t p = 0; p < 12; p++) sum += get(a, i % 2, p % 3, 0) * get(b, p / 3, i / 2, p % 3);
                check_at(y, i / 2, i % 2, 0, sum, "tensordot of an axis of size 1 of b");
            }
        stria_tensor_release(y);
        CHECK_STATUS(stria_tensordot(a, c, 0, a_axes, 2, b_axes, 2, &y, NULL), STRIA_OK);
        if (check_shape(y, dtypes[t], "tensordot", 2, 2, 5, 1))
            for (int64_t i = 0; i < 10; i++) {
                double sum = 0;
                for (int64_t p = 0; p < 12; p++) sum += get(a, i / 5, p % 3, 0) * get(c, p / 3, i % 5, 0);
                check_at(y, i / 5, i % 5, 0, sum, "tensordot of axes of size 1 of both");
            }
        stria_tensor_release(y);
        stria_tensor_release(a);
        stria_tensor_release(b);
        stria_tensor_release(c);
    }
}

static void test_kron(void)
{
    for (int t = 0; t < DTYPES; t++) {
        stria_tensor *a = NEW(dtypes[t], 2, 3), *b = NEW(dtypes[t], 4, 5), *v = NEW(dtypes[t], 4), *y = NULL;
        CHECK_STATUS(stria_kron(a, b, &y, NULL), STRIA_OK);
        if (check_shape(y, dtypes[t], "kron", 2, 8, 15, 1))
            for (int64_t i = 0; i < 8; i++)
                for (int64_t j = 0; j < 15; j++)
                    check_at(y, i, j, 0, get(a, i / 4, j / 5, 0) * get(b, i % 4, j % 5, 0), "kron");
        stria_tensor_release(y);
        CHECK_STATUS(stria_kron(v, a, &y, NULL), STRIA_OK);
        if (check_shape(y, dtypes[t], "kron", 2, 2, 12, 1))
            for (int64_t i = 0; i < 2; i++)
                for (int64_t j = 0; j < 12; j++)
                    check_at(y, i, j, 0, get(v, j / 3, 0, 0) * get(a, i, j % 3, 0), "kron of a vector");
        stria_tensor_release(y);
        stria_tensor_release(a);
        stria_tensor_release(b);
        stria_tensor_release(v);
    }
}

/* ---------------------------------------------------------------- matrices */

static double products;

static stria_status count_products(void *context, const stria_call *call, bool *is_taken, stria_error *err)
{
    (void)context;
    (void)err;
    *is_taken = false;
    if (call->row != STRIA_ROW_OF_FUNCTION(STRIA_FN_matmul)) return STRIA_OK;
    products += (double)stria_tensor_get_numel(call->in[0]) * (double)stria_tensor_get_shape(call->in[1])[1];
    return STRIA_OK;
}

static void test_chains(void)
{
    static const int64_t sizes[] = {30, 35, 15, 5, 10, 20, 25}; /* Cormen et al.: 15125 multiplications */
    stria_tensor        *x[6], *y = NULL, *z = NULL;
    stria_tensor *a = NEW(STRIA_F16, 2, 3), *b = NEW(STRIA_I8, 3, 4), *u = NEW(STRIA_I32, 2), *v = NEW(STRIA_I32, 4);

    for (int k = 0; k < 6; k++) x[k] = NEW(STRIA_I64, sizes[k], sizes[k + 1]);
    stria_call_set_recorder(count_products, NULL);
    CHECK_STATUS(stria_chain_matmul((const stria_tensor *const *)x, 6, &y, NULL), STRIA_OK);
    stria_call_set_recorder(NULL, NULL);
    CHECK(products == 15125, "%g multiplications", products);
    CHECK_STATUS(stria_multi_dot((const stria_tensor *const *)x, 6, &z, NULL), STRIA_OK);
    stria_tensor *left = stria_tensor_retain(x[0]), *next = NULL;
    for (int k = 1; k < 6; k++) {
        CHECK_STATUS(stria_matmul(left, x[k], &next, NULL), STRIA_OK);
        stria_tensor_release(left);
        left = next;
    }
    if (check_shape(y, STRIA_I64, "chain", 2, 30, 25, 1) && check_shape(z, STRIA_I64, "chain", 2, 30, 25, 1))
        for (int64_t i = 0; i < 30 * 25; i++) {
            check_at(y, i / 25, i % 25, 0, get(left, i / 25, i % 25, 0), "chain_matmul");
            check_at(z, i / 25, i % 25, 0, get(left, i / 25, i % 25, 0), "multi_dot");
        }
    stria_tensor_release(left);
    stria_tensor_release(y);
    stria_tensor_release(z);
    for (int k = 0; k < 6; k++) stria_tensor_release(x[k]);

    const stria_tensor *const mixed[] = {u, a, b, v};
    CHECK_STATUS(stria_multi_dot(mixed, 4, &y, NULL), STRIA_OK);
    double sum = 0;
    for (int64_t i = 0; i < 2; i++)
        for (int64_t p = 0; p < 3; p++)
            for (int64_t q = 0; q < 4; q++)
                sum += get(u, i, 0, 0) * get(a, i, p, 0) * get(b, p, q, 0) * get(v, q, 0, 0);
    if (check_shape(y, STRIA_F16, "multi_dot of vectors", 0, 1, 1, 1))
        check_at(y, 0, 0, 0, sum, "multi_dot of vectors");
    stria_tensor_release(y);
    CHECK_STATUS(stria_chain_matmul(mixed + 1, 1, &y, NULL), STRIA_OK);
    CHECK(y && y != a && stria_tensor_get_dtype(y) == STRIA_F16, "a chain of one");
    stria_tensor_release(y);
    stria_tensor_release(a);
    stria_tensor_release(b);
    stria_tensor_release(u);
    stria_tensor_release(v);
}

static void test_powers(void)
{
    for (int t = 0; t < DTYPES; t++)
        for (int64_t n = 0; n < 8; n++) {
            stria_tensor *x = NEW(dtypes[t], 2, 3, 3), *y = NULL;
            CHECK_STATUS(stria_matrix_power(x, n, &y, NULL), STRIA_OK);
            CHECK(y != x, "a power is a new tensor");
            if (check_shape(y, dtypes[t], "matrix_power", 3, 2, 3, 3))
                for (int64_t batch = 0; batch < 2; batch++) {
                    double power[9], next[9];
                    for (int k = 0; k < 9; k++) power[k] = k % 4 == 0;
                    for (int64_t step = 0; step < n; step++) {
                        for (int k = 0; k < 9; k++) {
                            next[k] = 0;
                            for (int p = 0; p < 3; p++) next[k] += power[k / 3 * 3 + p] * get(x, batch, p, k % 3);
                        }
                        memcpy(power, next, sizeof power);
                    }
                    for (int k = 0; k < 9; k++) check_at(y, batch, k / 3, k % 3, power[k], "matrix_power");
                }
            stria_tensor_release(x);
            stria_tensor_release(y);
        }
    for (int t = 0; t < DTYPES; t++) {
        stria_tensor *x = NEW(dtypes[t], 3, 5), *y = NULL;
        CHECK_STATUS(stria_trace(x, &y, NULL), STRIA_OK);
        if (check_shape(y, dtype_is_float(dtypes[t]) ? dtypes[t] : STRIA_I64, "trace", 0, 1, 1, 1))
            check_at(y, 0, 0, 0, get(x, 0, 0, 0) + get(x, 1, 1, 0) + get(x, 2, 2, 0), "trace");
        stria_tensor_release(x);
        stria_tensor_release(y);
    }
}

static double get_distance(const stria_tensor *a, const stria_tensor *b, int64_t batch, int64_t i, int64_t j, double p)
{
    double sum = 0;

    for (int64_t k = 0; k < stria_tensor_get_shape(a)[2]; k++) {
        const double d = fabs(get(a, batch, i, k) - get(b, j, k, 0));
        sum = p == 0 ? sum + (d != 0) : isinf(p) ? fmax(sum, d) : sum + pow(d, p);
    }
    return p == 0 || isinf(p) ? sum : pow(sum, 1 / p);
}

static void test_distances(void)
{
    static const double      ps[] = {2, 1, 0, 3, 0.5, INFINITY};
    static const char       *modes[] = {"use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist",
                                        "donot_use_mm_for_euclid_dist"};
    static const stria_dtype floats[] = {STRIA_F32, STRIA_F64, STRIA_F16};
    static const double      tolerance[] = {2e-6, 1e-14, 1e-3};

    for (int t = 0; t < 3; t++)
        for (int form = 0; form < 36; form++) {
            const double  p = ps[form % 6];
            const int64_t rows = form / 6 == 5 ? 30 : form / 6 == 4 ? 0 : 4, m = form / 6 == 3 ? 0 : 7;
            stria_tensor *a = NEW(floats[t], 2, rows, m), *b = NEW(floats[t], 5, m), *y = NULL;
            CHECK_STATUS(stria_cdist(a, b, p, modes[form / 6 % 3], &y, NULL), STRIA_OK);
            if (check_shape(y, floats[t], "cdist", 3, 2, rows, 5))
                for (int64_t k = 0; k < 2 * rows * 5; k++) {
                    const double expected = get_distance(a, b, k / (rows * 5), k / 5 % rows, k % 5, p),
                                 got = get(y, k / (rows * 5), k / 5 % rows, k % 5);
                    CHECK(fabs(got - expected) <= tolerance[t] * expected + (expected == 0 && form / 6 == 1 ? 1e-3 : 0),
                          "cdist p %g: %g, not %g", p, got, expected);
                }
            stria_tensor_release(a);
            stria_tensor_release(b);
            stria_tensor_release(y);
        }
    /* differences of few rows are exact where a product would cancel; many elements go in parts */
    stria_tensor *a = NEW(STRIA_F32, 1, 1), *b = NEW(STRIA_F32, 1, 1), *y = NULL;
    *(float *)(void *)tensor_at(a, (int64_t[]){0, 0}) = 1e6f + 0.25f;
    *(float *)(void *)tensor_at(b, (int64_t[]){0, 0}) = 1e6f;
    CHECK_STATUS(stria_cdist(a, b, 2, modes[0], &y, NULL), STRIA_OK);
    check_at(y, 0, 0, 0, 0.25, "cdist of close rows");
    stria_tensor_release(a);
    stria_tensor_release(b);
    stria_tensor_release(y);
    a = NEW(STRIA_F32, 1, 300, 40);
    b = NEW(STRIA_F32, 200, 40);
    CHECK_STATUS(stria_cdist(a, b, 1, modes[0], &y, NULL), STRIA_OK);
    if (check_shape(y, STRIA_F32, "cdist", 3, 1, 300, 200))
        for (int64_t k = 0; k < 300 * 200; k += 7)
            check_at(y, 0, k / 200, k % 200, get_distance(a, b, 0, k / 200, k % 200, 1), "cdist in parts");
    stria_tensor_release(a);
    stria_tensor_release(b);
    stria_tensor_release(y);
}

/* More than 25 rows on either side: the product, which loses the difference of numbers that are close. */
static void test_distance_modes(void)
{
    static const struct {
        int64_t rows[2];
        bool    multiplies;
    } forms[] = {{{25, 25}, false}, {{26, 1}, true}, {{1, 26}, true}, {{26, 26}, true}, {{1, 1}, false}};

    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        stria_tensor *in[2], *y = NULL;
        for (int side = 0; side < 2; side++) {
            in[side] = NEW(STRIA_F32, forms[k].rows[side], 1);
            for (int64_t i = 0; i < forms[k].rows[side]; i++)
                *(float *)(void *)tensor_at(in[side], (int64_t[]){i, 0}) = 1e6f + (side ? 0.25f : 0);
        }
        CHECK_STATUS(stria_cdist(in[0], in[1], 2, "use_mm_for_euclid_dist_if_necessary", &y, NULL), STRIA_OK);
        if (check_shape(y, STRIA_F32, "cdist", 2, forms[k].rows[0], forms[k].rows[1], 1))
            CHECK((get(y, 0, 0, 0) == 0.25) == !forms[k].multiplies, "cdist of %d and %d rows: %g",
                  (int)forms[k].rows[0], (int)forms[k].rows[1], get(y, 0, 0, 0));
        stria_tensor_release(y);
        for (int side = 0; side < 2; side++) stria_tensor_release(in[side]);
    }
}

/* ---------------------------------------------------------------- refusals, memory */

static void test_refusals(void)
{
    static const int far[] = {0, 2}, first[] = {0}, both[] = {0, 0};
    const char      *mode = "use_mm_for_euclid_dist_if_necessary";
    stria_tensor *m = NEW(STRIA_F32, 2, 3), *s = NEW(STRIA_F32, 3, 3), *v = NEW(STRIA_F32, 3), *w = NEW(STRIA_F32, 4),
                 *i = NEW(STRIA_I32, 3, 3), *b = NEW(STRIA_F32, 2, 3, 4), *y = NULL;
    const stria_tensor *const list[] = {m, m}, *const batch[] = {m, b}, *const ends[] = {v, v, v};
    const stria_scalar imaginary = {STRIA_SCALAR_COMPLEX, 0, 0, 1};

    REFUSED(stria_outer(m, v, &y, &err), STRIA_ERR_SHAPE, "outer", "a", "needs 1 dim, its shape is [2,3]");
    REFUSED(stria_vdot(v, w, &y, &err), STRIA_ERR_SHAPE, "vdot", "b", "axis 0 of b has size 4");
    REFUSED(stria_inner(m, w, &y, &err), STRIA_ERR_SHAPE, "inner", "b", "axis 1 of a has size 3");
    REFUSED(stria_addmm(m, m, m, one, one, &y, &err), STRIA_ERR_SHAPE, "addmm", "mat2", "axis 0 of mat2 has size 2");
    REFUSED(stria_addmm(m, v, m, one, one, &y, &err), STRIA_ERR_SHAPE, "addmm", "mat1", "needs 2 dims");
    REFUSED(stria_addmm(w, m, s, one, one, &y, &err), STRIA_ERR_SHAPE, "addmm", "x", "does not broadcast");
    REFUSED(stria_addmm(b, m, s, one, one, &y, &err), STRIA_ERR_SHAPE, "addmm", "x", "does not broadcast");
    REFUSED(stria_addmm(i, i, i, one, half, &y, &err), STRIA_ERR_DTYPE, "addmm", "alpha", "alpha is a float");
    REFUSED(stria_addmm(i, i, i, half, one, &y, &err), STRIA_ERR_DTYPE, "addmm", "beta", "beta is a float");
    REFUSED(stria_addmm(s, s, s, one, imaginary, &y, &err), STRIA_ERR_DTYPE, "addmm", "alpha",
            "alpha is a complex number");
    REFUSED(stria_addmv(v, m, w, one, one, &y, &err), STRIA_ERR_SHAPE, "addmv", "vec", "size 4");
    REFUSED(stria_addr(m, v, m, one, one, &y, &err), STRIA_ERR_SHAPE, "addr", "vec2", "needs 1 dim");
    REFUSED(stria_baddbmm(b, b, b, one, one, &y, &err), STRIA_ERR_SHAPE, "baddbmm", "batch2", "axis 1 of batch2");
    REFUSED(stria_addbmm(m, m, b, one, one, &y, &err), STRIA_ERR_SHAPE, "addbmm", "batch1", "needs 3 dims");
    REFUSED(stria_tensordot(m, s, 3, NULL, 0, NULL, 0, &y, &err), STRIA_ERR_ARGUMENT, "tensordot", "dims", "0 .. 2");
    REFUSED(stria_tensordot(m, s, -1, NULL, 0, NULL, 0, &y, &err), STRIA_ERR_ARGUMENT, "tensordot", "dims", "-1");
    REFUSED(stria_tensordot(m, s, 2, NULL, 0, NULL, 0, &y, &err), STRIA_ERR_SHAPE, "tensordot", "b", "axis 0 of b");
    REFUSED(stria_tensordot(m, s, 0, far, 2, first, 1, &y, &err), STRIA_ERR_AXIS, "tensordot", "dims_a", "2");
    REFUSED(stria_tensordot(m, s, 0, first, 1, both, 2, &y, &err), STRIA_ERR_AXIS, "tensordot", "dims_b", "");
    REFUSED(stria_tensordot(m, s, 0, first, 1, NULL, 0, &y, &err), STRIA_ERR_ARGUMENT, "tensordot", "dims_b",
            "has 0 axes");
    REFUSED(stria_cross(m, v, 0, &y, &err), STRIA_ERR_SHAPE, "cross", "a", "must have size 3");
    REFUSED(stria_cross(m, w, -1, &y, &err), STRIA_ERR_SHAPE, "cross", "b", "");
    REFUSED(stria_cross(m, v, 2, &y, &err), STRIA_ERR_AXIS, "cross", "dim", "");
    REFUSED(stria_chain_matmul(list, 2, &y, &err), STRIA_ERR_SHAPE, "chain_matmul", "matrices[1]", "size 3");
    REFUSED(stria_chain_matmul(batch, 2, &y, &err), STRIA_ERR_SHAPE, "chain_matmul", "matrices[1]", "2 dims");
    REFUSED(stria_chain_matmul(list, 0, &y, &err), STRIA_ERR_ARGUMENT, "chain_matmul", "matrices", "1 .. 256");
    REFUSED(stria_multi_dot(list, 1, &y, &err), STRIA_ERR_ARGUMENT, "multi_dot", "tensors", "2 .. 256");
    REFUSED(stria_multi_dot(ends, 3, &y, &err), STRIA_ERR_SHAPE, "multi_dot", "tensors[1]", "2 dims");
    REFUSED(stria_matrix_power(m, 2, &y, &err), STRIA_ERR_SHAPE, "matrix_power", "x", "no square matrix");
    REFUSED(stria_matrix_power(s, -1, &y, &err), STRIA_ERR_ARGUMENT, "matrix_power", "n", "n is -1");
    REFUSED(stria_trace(v, &y, &err), STRIA_ERR_SHAPE, "trace", "x", "needs 2 dims");
    REFUSED(stria_cdist(m, v, 2, mode, &y, &err), STRIA_ERR_SHAPE, "cdist", "x2", "2 dims or more");
    REFUSED(stria_cdist(m, b, 2, mode, &y, &err), STRIA_ERR_SHAPE, "cdist", "x2", "size 4");
    REFUSED(stria_cdist(m, s, -1, mode, &y, &err), STRIA_ERR_ARGUMENT, "cdist", "p", "p is -1");
    REFUSED(stria_cdist(m, s, NAN, mode, &y, &err), STRIA_ERR_ARGUMENT, "cdist", "p", "nan");
    REFUSED(stria_cdist(i, i, 2, mode, &y, &err), STRIA_ERR_DTYPE, "cdist", "x1", "a float");
    stria_tensor *all[] = {m, s, v, w, i, b};
    for (int k = 0; k < 6; k++) stria_tensor_release(all[k]);
}

/* The n-th allocation fails, for every n: nothing is left over. */
static void test_memory(void)
{
    const char   *mode = "use_mm_for_euclid_dist_if_necessary";
    stria_tensor *h = NEW(STRIA_F16, 3, 3), *s = NEW(STRIA_F32, 3, 3), *large = NEW(STRIA_F32, 30, 3), *y = NULL;
    const stria_tensor *const list[] = {h, s, s};
    const int64_t             before = stria_memory_get_stats().live_tensors;

    for (int what = 0; what < 8; what++) {
        stria_status status = STRIA_ERR_MEMORY;
        for (int64_t n = 1; status == STRIA_ERR_MEMORY && n < 1000; n++) {
            y = NULL;
            stria_alloc_set_failure(n);
            switch (what) {
            case 0: status = stria_addmm(h, h, h, two, minus, &y, NULL); break;
            case 1: status = stria_tensordot(h, s, 1, NULL, 0, NULL, 0, &y, NULL); break;
            case 2: status = stria_kron(h, s, &y, NULL); break;
            case 3: status = stria_cross(h, s, -1, &y, NULL); break;
            case 4: status = stria_multi_dot(list, 3, &y, NULL); break;
            case 5: status = stria_matrix_power(h, 7, &y, NULL); break;
            case 6: status = stria_cdist(h, s, 1, mode, &y, NULL); break;
            default: status = stria_cdist(large, s, 2, mode, &y, NULL); break;
            }
            stria_alloc_set_failure(0);
            CHECK(status == STRIA_OK || y == NULL, "a result of a failure");
            stria_tensor_release(y);
            CHECK(stria_memory_get_stats().live_tensors == before, "%d: tensors are left over after failure %lld", what,
                  (long long)n);
        }
        CHECK_STATUS(status, STRIA_OK);
    }
    stria_tensor_release(h);
    stria_tensor_release(s);
    stria_tensor_release(large);
}

SUITE(test_products)
{
    check_isa("test_products");
    test_adds();
    test_rounded_once();
    test_vectors();
    test_cross();
    test_no_axes();
    test_tensordot();
    test_tensordot_of_ones();
    test_kron();
    test_chains();
    test_powers();
    test_distances();
    test_distance_modes();
    test_refusals();
    test_memory();
    return check_finish("test_products");
}
