/* test_derivatives_functions.c - derivatives of functions, first and second order, by central differences in f64: a case for each way in
 * which attributes, ranks, repeated positions, ties, lists and unused outputs matter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/run.h"
#include "base/alloc.h"
#include "oracle.h"
#include "refused.h"
#include "stria_autograd.h"
#include "tensor/tensor.h"

#define MOST_INPUTS 4
#define STEP 1e-5

typedef stria_status function(const stria_tensor *const *x, stria_tensor **y, stria_error *err);

static random_state random_numbers = {29};

/* ---------------------------------------------------------------- tensors */

#define MOST_CONSTANTS 128
static stria_tensor *constants[MOST_CONSTANTS]; /* released at the end */
static int           n_constants;

static stria_tensor *keep(stria_tensor *x)
{
    if (n_constants == MOST_CONSTANTS) CHECK(false, "too many constants");
    return constants[n_constants++] = x;
}

static void release_constants(void)
{
    while (n_constants > 0) stria_tensor_release(constants[--n_constants]);
}

/* "2,3" */
static int read_shape(const char *text, int64_t *shape)
{
    int ndim = 0;

    for (char *end; *text != 0 && *text != ';' && *text != ':'; text = *end == ',' ? end + 1 : end)
        shape[ndim++] = strtoll(text, &end, 10);
    return ndim;
}

/* "2,2: 0 1 1 0" as i64, bool or f64; without a shape a number. */
static stria_tensor *of(stria_dtype dtype, const char *text)
{
    int64_t       shape[8], n = 1;
    const char   *at = strchr(text, ':');
    const int     ndim = at != NULL ? read_shape(text, shape) : 0;
    double        values[64];
    stria_tensor *x = NULL, *y = NULL;
    char         *end;

    at = at != NULL ? at + 1 : text;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    for (int64_t k = 0; k < n; k++, at = end) values[k] = strtod(at, &end);
    CHECK_STATUS(stria_tensor_new(STRIA_F64, ndim, shape, &x, NULL), STRIA_OK);
    memcpy(stria_tensor_get_data(x), values, (size_t)n * sizeof *values);
    CHECK_STATUS(stria_tensor_copy(x, dtype, &y, NULL), STRIA_OK);
    stria_tensor_release(x);
    return keep(y);
}
#define I(text) of(STRIA_I64, text)
#define B(text) of(STRIA_BOOL, text)
#define F(text) of(STRIA_F64, text)

static stria_tensor *number(double value)
{
    stria_tensor *x = NULL;
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_FLOAT, 0, value, 0}, &x, NULL), STRIA_OK);
    return keep(x);
}

/* x with its first two axes exchanged: a view with history. */
static stria_tensor *keep_transposed(const stria_tensor *x)
{
    stria_tensor *y = NULL;
    CHECK_STATUS(stria_transpose((stria_tensor *)(uintptr_t)x, 0, 1, &y, NULL), STRIA_OK);
    return keep(y);
}

/* x twice, with stride 0. */
static stria_tensor *keep_expanded(const stria_tensor *x)
{
    stria_tensor *y = NULL;
    CHECK_STATUS(stria_expand((stria_tensor *)(uintptr_t)x, (int64_t[]){2, 3}, 2, &y, NULL), STRIA_OK);
    return keep(y);
}

/* x plus a matrix whose singular values are far apart. */
static stria_tensor *keep_added(const stria_tensor *x, const char *text)
{
    stria_tensor *y = NULL;
    CHECK_STATUS(stria_add(of(STRIA_F64, text), x, &y, NULL), STRIA_OK);
    return keep(y);
}

/* The first two columns of the square u, of those of v. */
static stria_status square_vectors(const stria_tensor *x, int which, stria_tensor **y, stria_error *err)
{
    stria_tensor *all[3] = {NULL};

    stria_status status = stria_svd(x, false, true, &all[0], &all[1], &all[2], err);
    if (status == STRIA_OK) status = stria_slice(all[which], -1, 0, 2, 1, y, err);
    for (int k = 0; k < 3; k++) stria_tensor_release(all[k]);
    return status;
}

static double *data_of(stria_tensor *x) { return stria_tensor_get_data(x); }

/* ---------------------------------------------------------------- one case */

static stria_tensor *add_up(const stria_tensor *a, const stria_tensor *b)
{
    stria_tensor *product = NULL, *sum = NULL;

    CHECK_STATUS(stria_mul(a, b, &product, NULL), STRIA_OK);
    CHECK_STATUS(stria_sum(product, NULL, 0, false, &sum, NULL), STRIA_OK);
    stria_tensor_release(product);
    return sum;
}

static double item(const stria_tensor *x)
{
    return value_get(stria_tensor_get_dtype(x), stria_tensor_get_const_data(x)).real;
}

typedef struct checked {
    const char   *name;
    function     *f;
    int           n;
    stria_tensor *x[MOST_INPUTS];      /* leaves */
    stria_tensor *w;                   /* of the shape of the result */
    stria_tensor *v[MOST_INPUTS];      /* of the shapes of the inputs */
    stria_tensor *g[MOST_INPUTS];      /* gradients of sum(w f(x)) */
    stria_tensor *second[MOST_INPUTS]; /* gradients of sum of v g */
} checked;

/* sum(w f(x)) */
static double value_at(checked *c)
{
    const bool    was = stria_grad_mode_set(false);
    stria_tensor *y = NULL;
    stria_error   err;

    if (c->f((const stria_tensor *const *)c->x, &y, &err) != STRIA_OK) CHECK(false, "%s: %s", c->name, err.message);
    stria_tensor *sum = add_up(y, c->w);
    const double  value = item(sum);
    stria_tensor_release(sum), stria_tensor_release(y);
    stria_grad_mode_set(was);
    return value;
}

/* sum of v g(x), by another walk; where `second` also its gradients. */
static double slope_at(checked *c, bool second)
{
    stria_tensor *y = NULL, *g[MOST_INPUTS] = {NULL}, *total = NULL;
    stria_error   err;
    double        value = 0;

    CHECK(c->f((const stria_tensor *const *)c->x, &y, &err) == STRIA_OK, "%s: %s", c->name, err.message);
    if (y == NULL) return NAN;
    const stria_status status = stria_grad(&y, 1, &c->w, c->x, c->n, STRIA_GRAD_UNUSED | STRIA_GRAD_CREATE, g, &err);
    CHECK(status == STRIA_OK, "%s: %s", c->name, err.message);
    for (int k = 0; k < c->n && status == STRIA_OK; k++) {
        if (g[k] == NULL) continue;
        stria_tensor *sum = add_up(g[k], c->v[k]), *more = NULL;
        value += item(sum);
        if (total == NULL) {
            total = sum;
            continue;
        }
        CHECK_STATUS(stria_add(total, sum, &more, NULL), STRIA_OK);
        stria_tensor_release(sum), stria_tensor_release(total);
        total = more;
    }
    if (second && total != NULL && stria_tensor_get_requires_grad(total)) {
        const stria_status again = stria_grad(&total, 1, NULL, c->x, c->n, STRIA_GRAD_UNUSED, c->second, &err);
        CHECK(again == STRIA_OK, "%s, second order: %s", c->name, err.message);
    }
    for (int k = 0; k < c->n; k++) stria_tensor_release(g[k]);
    stria_tensor_release(total), stria_tensor_release(y);
    return value;
}

static double get(const stria_tensor *g, int64_t k)
{
    stria_tensor *dense = NULL;

    if (g == NULL) return 0;
    CHECK_STATUS(stria_contiguous((stria_tensor *)(uintptr_t)g, &dense, NULL), STRIA_OK);
    const double value = ((const double *)stria_tensor_get_const_data(dense))[k];
    stria_tensor_release(dense);
    return value;
}

typedef double measure(checked *c);
static double  first_slope(checked *c) { return slope_at(c, false); }

/* Gradients against the differences of a value. */
static void compare(checked *c, const char *order, measure *value, stria_tensor *const *gradients, double bound)
{
    for (int k = 0; k < c->n; k++)
        for (int64_t i = 0; i < stria_tensor_get_numel(c->x[k]); i++) {
            double *const at = &data_of(c->x[k])[i], kept = *at;
            *at = kept + STEP;
            const double above = value(c);
            *at = kept - STEP;
            const double below = value(c);
            *at = kept;
            const double wanted = (above - below) / (2 * STEP), got = get(gradients[k], i);
            CHECK(fabs(got - wanted) <= bound * (1 + fabs(wanted)), "%s, %s, input %d, element %d: %.9g, not %.9g",
                  c->name, order, k, (int)i, got, wanted);
        }
}

static void release_case(checked *c)
{
    for (int k = 0; k < c->n; k++) {
        stria_tensor_release(c->x[k]), stria_tensor_release(c->v[k]);
        stria_tensor_release(c->g[k]), stria_tensor_release(c->second[k]);
    }
    stria_tensor_release(c->w);
    release_constants();
}

static stria_tensor *new_random(int ndim, const int64_t *shape, double low, double high)
{
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F64, ndim, shape, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < stria_tensor_get_numel(x); k++)
        data_of(x)[k] = low + (high - low) * random_unit(&random_numbers);
    return x;
}

/* A walk in which an allocation and all after it fail, for each of them: it says so, and leaves nothing behind. */
static void check_memory(checked *c, int flags)
{
    stria_status status = STRIA_ERR_MEMORY;

    for (int64_t n = 1; status != STRIA_OK && n < 2000; n++) {
        const int64_t before = stria_memory_get_stats().live_tensors;
        stria_tensor *y = NULL, *g[MOST_INPUTS] = {NULL};
        CHECK_STATUS(c->f((const stria_tensor *const *)c->x, &y, NULL), STRIA_OK);
        stria_alloc_set_failure(n);
        status = stria_grad(&y, 1, &c->w, c->x, c->n, flags | STRIA_GRAD_UNUSED, g, NULL);
        stria_alloc_set_failure(0);
        CHECK(status == STRIA_OK || status == STRIA_ERR_MEMORY, "%s, allocation %d: status %d", c->name, (int)n,
              status);
        for (int k = 0; k < c->n; k++) {
            CHECK(status == STRIA_OK || g[k] == NULL, "%s: a gradient of a walk that failed", c->name);
            stria_tensor_release(g[k]);
        }
        stria_tensor_release(y);
        CHECK(stria_memory_get_stats().live_tensors == before, "%s, allocation %d: %d tensors are left", c->name,
              (int)n, (int)(stria_memory_get_stats().live_tensors - before));
    }
    CHECK(status == STRIA_OK, "%s: more than 2000 allocations", c->name);
}

/* Both orders of a function of inputs of these shapes, "2,3;3". */
static void check(const char *name, function *f, const char *shapes, double low, double high)
{
    checked       c = {.name = name, .f = f};
    stria_tensor *y = NULL;
    stria_error   err;
    int64_t       shape[8];

    for (const char *at = shapes; at != NULL; at = strchr(at, ';') != NULL ? strchr(at, ';') + 1 : NULL) {
        const int ndim = read_shape(at, shape);
        c.x[c.n] = new_random(ndim, shape, low, high);
        c.v[c.n] = new_random(ndim, shape, -1, 1);
        CHECK_STATUS(stria_tensor_set_requires_grad(c.x[c.n++], true, NULL), STRIA_OK);
    }
    CHECK(f((const stria_tensor *const *)c.x, &y, &err) == STRIA_OK, "%s: %s", name, err.message);
    if (y != NULL) {
        CHECK(stria_tensor_get_requires_grad(y), "%s: the result requires no gradient", name);
        c.w = new_random(stria_tensor_get_ndim(y), stria_tensor_get_shape(y), -1, 1);
        const stria_status status = stria_grad(&y, 1, &c.w, c.x, c.n, STRIA_GRAD_UNUSED, c.g, &err);
        CHECK(status == STRIA_OK, "%s: %s", name, err.message);
        stria_tensor_release(y);
        if (status == STRIA_OK) {
            compare(&c, "first order", value_at, c.g, 1e-7);
            CHECK_STATUS(stria_tensor_set_requires_grad(c.w, false, NULL), STRIA_OK);
            slope_at(&c, true);
            compare(&c, "second order", first_slope, c.second, 1e-6);
            check_memory(&c, 0);
            check_memory(&c, STRIA_GRAD_CREATE);
        }
    }
    release_case(&c);
}

/* ---------------------------------------------------------------- the cases
 *
 * CASE(name, shapes, low, high, call): inputs x[0], x[1] .. with elements in [low, high]; the call gives *y. */

static stria_tensor *dropped[4]; /* outputs that nobody uses */

static stria_status end_case(stria_status status)
{
    release_constants();
    for (int k = 0; k < 4; k++) {
        stria_tensor_release(dropped[k]);
        dropped[k] = NULL;
    }
    return status;
}

/* The complex numbers that x holds as pairs; with history. */
static stria_tensor *pairs(const stria_tensor *x)
{
    stria_tensor *z = NULL;
    CHECK_STATUS(stria_view_as_complex((stria_tensor *)(uintptr_t)x, &z, NULL), STRIA_OK);
    return keep(z);
}

/* *y of complex numbers becomes pairs. */
static stria_status as_pairs(stria_status status, stria_tensor **y, stria_error *err)
{
    stria_tensor *z = *y;

    if (status != STRIA_OK) return status;
    status = stria_view_as_real(z, y, err);
    stria_tensor_release(z);
    return status;
}

/* Member `which` of a list becomes *y. */
static stria_status member(stria_status status, stria_tensor_list *list, int which, stria_tensor **y)
{
    if (status == STRIA_OK) *y = stria_tensor_retain(list->at[which]);
    stria_tensor_list_release(list);
    return status;
}

static stria_tensor_list list_of_results;
#define LIST (&list_of_results)
/* 2 x: no leaf, and nobody else's. */
static stria_tensor *twice(const stria_tensor *x)
{
    stria_tensor *y = NULL;
    CHECK_STATUS(stria_add(x, x, &y, NULL), STRIA_OK);
    return y;
}

/* Every other row of 2 x[0] is filled with x[1]. */
static stria_status in_place_of_view(const stria_tensor *const *x, stria_tensor **y, stria_error *err)
{
    stria_tensor *part = NULL;

    *y = twice(x[0]);
    CHECK_STATUS(stria_slice(*y, 0, -1, STRIA_INT_NONE, -2, &part, err), STRIA_OK);
    keep(part);
    const stria_status status = stria_scatter_add_out(part, of(STRIA_I64, "2,1: 0 3"), x[1], 1, part, err);
    return status;
}

/* The corners of a part of 2 x[0] are multiplied by x[1]. */
static stria_status in_place_of_strided(const stria_tensor *const *x, stria_tensor **y, stria_error *err)
{
    stria_tensor *part = NULL;

    *y = twice(x[0]);
    CHECK_STATUS(stria_as_strided(*y, (int64_t[]){2, 2}, 2, (int64_t[]){4, 2}, 2, 1, &part, err), STRIA_OK);
    keep(part);
    return stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){part, x[1]}, 2, part, err);
}

#define T(k) ((stria_tensor *)(uintptr_t)x[k])
#define Z(k) pairs(x[k])
#define DROP(k) (&dropped[k])
#define AXES(...) (int[]){__VA_ARGS__}, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int))
#define SIZES(...) (int64_t[]){__VA_ARGS__}, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define TENSORS(...) \
    (const stria_tensor *[]){__VA_ARGS__}, (int)(sizeof((const stria_tensor *[]){__VA_ARGS__}) / sizeof(stria_tensor *))
#define INT(n) ((stria_scalar){.kind = STRIA_SCALAR_INT, .i = n})
#define REAL(n) ((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = n})
#define OPEN STRIA_INT_NONE
#define ALL STRIA_AXIS_NONE
#define SAME STRIA_DTYPE_NONE
#define CASE(name, shapes, low, high, call)                                                           \
    static stria_status name##_case(const stria_tensor *const *x, stria_tensor **y, stria_error *err) \
    {                                                                                                 \
        return end_case(call);                                                                        \
    }
#include "derivative_functions.def"
#undef CASE

/* ---------------------------------------------------------------- values that differences do not show
 *
 * Gradients of the sum of w times the result, at points where there is more than one derivative, or none. */

typedef struct expected {
    const char *name;
    function   *f;
    const char *x[3], *w, *g[3]; /* of(STRIA_F64, ..); g NULL: not looked at; w NULL: of ones */
} expected;

static void check_expected(const expected *e)
{
    stria_tensor *x[3], *g[3] = {NULL}, *y = NULL, *w = NULL;
    stria_error   err;
    int           n = 0;

    for (; n < 3 && e->x[n] != NULL; n++) {
        x[n] = stria_tensor_retain(F(e->x[n]));
        CHECK_STATUS(stria_tensor_set_requires_grad(x[n], true, NULL), STRIA_OK);
    }
    release_constants();
    CHECK(e->f((const stria_tensor *const *)x, &y, &err) == STRIA_OK, "%s: %s", e->name, err.message);
    if (e->w != NULL)
        w = stria_tensor_retain(F(e->w));
    else
        CHECK_STATUS(stria_ones_like(y, SAME, STRIA_DEVICE_NONE, &w, NULL), STRIA_OK);
    const stria_status status = stria_grad(&y, 1, &w, x, n, STRIA_GRAD_UNUSED, g, &err);
    CHECK(status == STRIA_OK, "%s: %s", e->name, err.message);
    for (int k = 0; k < n; k++) {
        if (e->g[k] == NULL || g[k] == NULL) continue;
        const stria_tensor *wanted = F(e->g[k]);
        for (int64_t i = 0; i < stria_tensor_get_numel(x[k]); i++) {
            const double got = get(g[k], i), number = get(wanted, i);
            CHECK(got == number || fabs(got - number) <= 1e-12 * (1 + fabs(number)),
                  "%s, input %d, element %d: %.17g, not %.17g", e->name, k, (int)i, got, number);
        }
    }
    release_constants();
    for (int k = 0; k < n; k++) stria_tensor_release(x[k]), stria_tensor_release(g[k]);
    stria_tensor_release(y), stria_tensor_release(w);
}

#define CASE(name, call)                                                                               \
    static stria_status name##_value(const stria_tensor *const *x, stria_tensor **y, stria_error *err) \
    {                                                                                                  \
        return end_case(call);                                                                         \
    }
CASE(median_axis, stria_median(x[0], 0, false, y, DROP(0), err))
CASE(median_all, stria_median(x[0], ALL, false, y, DROP(0), err))
CASE(max_axis, stria_max(x[0], 0, false, y, DROP(0), err))
CASE(max_all, stria_max(x[0], ALL, false, y, DROP(0), err))
CASE(min_all, stria_min(x[0], ALL, false, y, DROP(0), err))
CASE(mode, stria_mode(x[0], 0, false, y, DROP(0), err))
CASE(quantile, stria_quantile(x[0], x[1], 0, false, "linear", y, err))
CASE(nanquantile, stria_nanquantile(x[0], number(0.5), 0, false, "linear", y, err))
CASE(whole_prod, stria_prod(x[0], NULL, 0, false, y, err))
CASE(cumprod, stria_cumprod(x[0], 0, SAME, y, err))
CASE(prod, stria_scatter_reduce(x[0], I("4: 0 0 1 1"), x[1], 0, "prod", true, y, err))
CASE(prod_alone, stria_scatter_reduce(x[0], I("4: 0 0 1 1"), x[1], 0, "prod", false, y, err))
CASE(amax, stria_scatter_reduce(x[0], I("4: 0 0 1 1"), x[1], 0, "amax", true, y, err))
CASE(amax_alone, stria_scatter_reduce(x[0], I("4: 0 0 1 1"), x[1], 0, "amax", false, y, err))
CASE(embedding, stria_embedding(x[0], I("4: 1 0 1 2"), 1, y, err))
CASE(embedding_back, stria_embedding(x[0], I("4: 1 0 1 2"), -1, y, err))
CASE(cdist, stria_cdist(x[0], x[1], 2, "use_mm_for_euclid_dist_if_necessary", y, err))
CASE(cdist_product, stria_cdist(x[0], x[1], 2, "use_mm_for_euclid_dist", y, err))
CASE(cdist_power, stria_cdist(x[0], x[1], 1.5, "use_mm_for_euclid_dist_if_necessary", y, err))
CASE(cdist_count, stria_cdist(x[0], x[1], 0, "use_mm_for_euclid_dist_if_necessary", y, err))
CASE(det, stria_det(x[0], y, err))
CASE(entropy, stria_binary_cross_entropy(x[0], x[1], NULL, "sum", y, err))
CASE(angle, stria_angle(Z(0), y, err))
CASE(frexp, stria_frexp(x[0], y, DROP(0), err))
CASE(uniform, stria_uniform(x[0], 0, 1, NULL, y, err))
CASE(fill_normal, stria_fill_normal(x[0], 0, 1, NULL, y, err))
CASE(exponential, stria_exponential(x[0], 1, NULL, y, err))
CASE(normal, stria_normal(x[0], x[1], NULL, y, err))
CASE(bernoulli, stria_bernoulli(x[0], NAN, NULL, y, err))
CASE(prelu, stria_prelu(x[0], x[1], y, err))
#undef CASE

static void test_values(void)
{
    static const expected all[] = {
        {"median along an axis", median_axis_value, {"5: 1 3 3 3 4"}, "2", {"5: 0 2 0 0 0"}},
        {"median of all", median_all_value, {"5: 1 3 3 3 4"}, "6", {"5: 0 2 2 2 0"}},
        {"median of all, NaN", median_all_value, {"4: 1 nan 3 nan"}, "6", {"4: 0 3 0 3"}},
        {"max along an axis", max_axis_value, {"4: 2 5 5 1"}, "2", {"4: 0 2 0 0"}},
        {"max of all", max_all_value, {"4: 2 5 5 1"}, "2", {"4: 0 1 1 0"}},
        {"min of all", min_all_value, {"4: 2 1 5 1"}, "3", {"4: 0 1.5 0 1.5"}},
        {"mode", mode_value, {"5: 2 1 2 1 3"}, "2", {"5: 0 0 0 2 0"}},
        {"quantile, NaN", quantile_value, {"4: 1 nan 3 2", "0.5"}, "2", {"4: 0 2 0 0", "0"}},
        {"quantile of equal ones",
         quantile_value,
         {"4: 1 1 4 4", "2: 0.5 0.5"},
         "2: 1 2",
         {"4: 0 1.5 1.5 0", "2: 9 18"}},
        {"nanquantile", nanquantile_value, {"4: 1 nan 3 2"}, "2", {"4: 0 0 0 2"}},
        {"product of all, infinite", whole_prod_value, {"3: inf 2 3"}, NULL, {"3: 6 inf inf"}},
        {"running product, two 0", cumprod_value, {"4: 2 0 3 0"}, NULL, {"4: 1 8 0 0"}},
        {"running product, infinite", cumprod_value, {"3: 2 inf 3"}, NULL, {"3: inf 8 inf"}},
        {"product, one 0", prod_value, {"2: 3 2", "4: 0 5 7 4"}, NULL, {"2: 0 28", "4: 15 0 8 14"}},
        {"product, two 0", prod_value, {"2: 0 2", "4: 0 5 0 0"}, NULL, {"2: 0 0", "4: 0 0 0 0"}},
        {"product, x 0", prod_value, {"2: 0 2", "4: 3 5 7 4"}, NULL, {"2: 15 28", "4: 0 0 8 14"}},
        {"product without x", prod_alone_value, {"3: 0 2 9", "4: 0 5 7 4"}, NULL, {"3: 0 0 1", "4: 5 0 4 7"}},
        {"largest of equals", amax_value, {"2: 5 2", "4: 5 5 7 4"}, "2: 6 2", {"2: 2 0", "4: 2 2 2 0"}},
        {"largest without x", amax_alone_value, {"3: 5 2 9", "4: 5 5 7 4"}, "3: 6 2 1", {"3: 0 0 1", "4: 3 3 2 0"}},
        {"embedding", embedding_value, {"3,1: 1 2 3"}, NULL, {"3,1: 1 0 1"}},
        {"embedding, from the end", embedding_back_value, {"3,1: 1 2 3"}, NULL, {"3,1: 1 2 0"}},
        {"distance 0", cdist_value, {"2,2: 0 0 3 4", "1,2: 0 0"}, NULL, {"2,2: 0 0 0.6 0.8", "1,2: -0.6 -0.8"}},
        {"distance 0 by products",
         cdist_product_value,
         {"2,2: 0 0 3 4", "1,2: 0 0"},
         NULL,
         {"2,2: 0 0 0.6 0.8", "1,2: -0.6 -0.8"}},
        {"distance 0 of order 1.5",
         cdist_power_value,
         {"1,2: 1 2", "2,2: 1 2 1 3"},
         NULL,
         {"1,2: 0 -1", "2,2: 0 0 0 1"}},
        {"distances of order 0", cdist_count_value, {"1,2: 1 2", "1,2: 1 3"}, NULL, {"1,2: 0 0", "1,2: 0 0"}},
        {"determinant 0", det_value, {"2,2: 1 2 2 4"}, "3", {"2,2: 12 -6 -6 3"}},
        {"determinant 0 of rank 1", det_value, {"3,3: 1 2 3 2 4 6 3 6 9"}, NULL, {"3,3: 0 0 0 0 0 0 0 0 0"}},
        {"determinants, one of them 0", det_value, {"2,2,2: 1 0 0 0 2 0 0 1"}, NULL, {"2,2,2: 0 0 0 1 1 0 0 2"}},
        {"determinant of nothing", det_value, {"0,0:"}, NULL, {NULL}},
        {"entropy of 0 and 1", entropy_value, {"2: 0 1", "2: 0 1"}, NULL, {"2: 0 0", "2: 100 -100"}},
        {"angle of 0", angle_value, {"2,2: 0 0 0 2"}, NULL, {"2,2: 0 0 -0.5 0"}},
        {"mantissas", frexp_value, {"4: 0 8 -0.75 1e-3"}, NULL, {"4: 1 0.0625 1 512"}},
        {"uniform", uniform_value, {"2: 1 2"}, NULL, {"2: 0 0"}},
        {"fill_normal", fill_normal_value, {"2: 1 2"}, NULL, {"2: 0 0"}},
        {"exponential", exponential_value, {"2: 1 2"}, NULL, {"2: 0 0"}},
        {"normal", normal_value, {"2: 1 2", "2,1: 1 2"}, NULL, {"2: 0 0", "2,1: 0 0"}},
        {"bernoulli", bernoulli_value, {"2: 0.5 0.2"}, NULL, {"2: 0 0"}},
        {"prelu at 0", prelu_value, {"2: 0 -1", "1: 0.25"}, NULL, {"2: 0.25 0.25", "1: -1"}},
    };

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) check_expected(&all[k]);
}

/* ---------------------------------------------------------------- dtypes, refusals */

/* Gradients have the dtypes of their inputs. */
static void test_dtypes(void)
{
    stria_tensor *a = stria_tensor_retain(of(STRIA_F32, "2: 1 2")), *b = stria_tensor_retain(of(STRIA_F64, "3: 3 4 5"));
    stria_tensor *c = stria_tensor_retain(of(STRIA_F16, "1,2: 1 2")), *whole = I("2: 1 2"), *y = NULL, *z = NULL,
                 *sum = NULL;
    stria_tensor *leaves[] = {a, b, c};

    for (int k = 0; k < 3; k++) CHECK_STATUS(stria_tensor_set_requires_grad(leaves[k], true, NULL), STRIA_OK);
    CHECK_STATUS(stria_cat((const stria_tensor *[]){a, whole, b}, 3, 0, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_F64, "dtype of the result");
    CHECK_STATUS(stria_linear(c, F("2,2: 1 2 3 4"), a, &z, NULL), STRIA_OK);
    stria_tensor *outputs[] = {y, z}, *ones[2] = {NULL};
    CHECK_STATUS(stria_ones_like(y, SAME, STRIA_DEVICE_NONE, &ones[0], NULL), STRIA_OK);
    CHECK_STATUS(stria_ones_like(z, SAME, STRIA_DEVICE_NONE, &ones[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_backward(outputs, 2, ones, NULL, 0, 0, NULL), STRIA_OK);
    for (int k = 0; k < 3; k++) {
        const stria_tensor *g = stria_tensor_get_grad(leaves[k]);
        CHECK(g != NULL && stria_tensor_get_dtype(g) == stria_tensor_get_dtype(leaves[k]), "dtype of gradient %d", k);
        CHECK(g != NULL && stria_tensor_get_numel(g) == stria_tensor_get_numel(leaves[k]), "shape of gradient %d", k);
    }
    CHECK(value_get(STRIA_F16, stria_tensor_get_const_data(stria_tensor_get_grad(c))).real == 4, "a gradient of f16");
    stria_tensor_release(ones[0]), stria_tensor_release(ones[1]), stria_tensor_release(y), stria_tensor_release(z);
    stria_tensor_release(sum);
    for (int k = 0; k < 3; k++) stria_tensor_release(leaves[k]);
    release_constants();
}

static int get_refcount(const stria_tensor *x) { return atomic_load(&x->refcount); }

/* The sum of the squares of the gradient of y by x, with history; takes y over. */
static stria_tensor *squared_gradient(stria_tensor *y, stria_tensor *x)
{
    stria_tensor *sum = NULL, *g = NULL, *square = NULL, *total = NULL;

    CHECK_STATUS(stria_sum(y, NULL, 0, false, &sum, NULL), STRIA_OK);
    CHECK_STATUS(stria_grad(&sum, 1, NULL, &x, 1, STRIA_GRAD_CREATE, &g, NULL), STRIA_OK);
    CHECK_STATUS(stria_square(g, &square, NULL), STRIA_OK);
    CHECK_STATUS(stria_sum(square, NULL, 0, false, &total, NULL), STRIA_OK);
    stria_tensor_release(y), stria_tensor_release(sum), stria_tensor_release(g), stria_tensor_release(square);
    return total;
}

/* Derivatives of determinants: the second one of f32 has its digits at singular matrices, too; the third is NaN there, and there alone. */
static void test_determinants(void)
{
    const char   *text = "2,3,3: 1 2 3 4 5 6 7 8 9 2 0 0 0 3 1 0 0 1";
    stria_tensor *second[2], *leaves[] = {of(STRIA_F32, text), F(text)};

    for (int k = 0; k < 2; k++) {
        stria_tensor *y = NULL;
        CHECK_STATUS(stria_tensor_set_requires_grad(leaves[k], true, NULL), STRIA_OK);
        CHECK_STATUS(stria_det(leaves[k], &y, NULL), STRIA_OK);
        y = squared_gradient(y, leaves[k]);
        CHECK_STATUS(stria_grad(&y, 1, NULL, &leaves[k], 1, STRIA_GRAD_CREATE, &second[k], NULL), STRIA_OK);
        stria_tensor_release(y);
    }
    for (int i = 0; i < 18; i++) {
        const double got = ((const float *)stria_tensor_get_const_data(second[0]))[i], wanted = get(second[1], i);
        CHECK(fabs(got - wanted) <= 1e-4 * (1 + fabs(wanted)), "f32, element %d: %.9g, not %.9g", i, got, wanted);
    }
    stria_tensor *third = NULL, *total = NULL;
    CHECK_STATUS(stria_det(leaves[1], &total, NULL), STRIA_OK);
    total = squared_gradient(squared_gradient(total, leaves[1]), leaves[1]);
    CHECK_STATUS(stria_grad(&total, 1, NULL, &leaves[1], 1, 0, &third, NULL), STRIA_OK);
    for (int i = 0; i < 18; i++) CHECK(isnan(get(third, i)) == (i < 9), "third derivative, element %d", i);
    stria_tensor_release(third), stria_tensor_release(total);
    stria_tensor_release(second[0]), stria_tensor_release(second[1]);
    release_constants();
}

/* Gradients that are one row or column again and again give what the same numbers give in memory of their own. */
static void test_repeated(void)
{
    static const struct {
        int     n[2];
        int64_t shapes[2][3], weight[3], full[3];
        int     ndim, n_weight;
    } all[] = {
        {{2, 2}, {{40, 4}, {4, 37}}, {1, 37}, {40, 37}, 2, 2},
        {{2, 2}, {{40, 4}, {4, 37}}, {40, 1}, {40, 37}, 2, 2},
        {{2, 2}, {{40, 4}, {4, 37}}, {1, 1}, {40, 37}, 2, 2},
        {{3, 2}, {{2, 40, 4}, {4, 37}}, {2, 1, 37}, {2, 40, 37}, 3, 3},
        {{3, 3}, {{2, 40, 4}, {2, 4, 37}}, {2, 40, 1}, {2, 40, 37}, 3, 3},
        {{3, 3}, {{1, 40, 4}, {2, 4, 37}}, {1, 1, 1}, {2, 40, 37}, 3, 3},
        {{2, 1}, {{40, 4}, {4}}, {1}, {40}, 1, 1},
        {{1, 2}, {{4}, {4, 37}}, {1}, {37}, 1, 1},
    };

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        stria_tensor *x[2], *y = NULL, *w, *wide = NULL, *dense = NULL, *g[2], *wanted[2];
        for (int i = 0; i < 2; i++) {
            x[i] = new_random(all[k].n[i], all[k].shapes[i], -1, 1);
            CHECK_STATUS(stria_tensor_set_requires_grad(x[i], true, NULL), STRIA_OK);
        }
        w = new_random(all[k].n_weight, all[k].weight, -1, 1);
        CHECK_STATUS(stria_expand(w, all[k].full, all[k].ndim, &wide, NULL), STRIA_OK);
        CHECK_STATUS(stria_to(wide, SAME, &y, NULL), STRIA_OK);
        CHECK_STATUS(stria_contiguous(y, &dense, NULL), STRIA_OK);
        stria_tensor_release(y);
        CHECK_STATUS(stria_matmul(x[0], x[1], &y, NULL), STRIA_OK);
        CHECK_STATUS(stria_grad(&y, 1, &wide, x, 2, STRIA_GRAD_RETAIN, g, NULL), STRIA_OK);
        CHECK_STATUS(stria_grad(&y, 1, &dense, x, 2, 0, wanted, NULL), STRIA_OK);
        for (int i = 0; i < 2; i++) {
            CHECK(stria_tensor_get_numel(g[i]) == stria_tensor_get_numel(wanted[i]), "shape of gradient %d", i);
            for (int64_t e = 0; e < stria_tensor_get_numel(wanted[i]); e++)
                CHECK(fabs(get(g[i], e) - get(wanted[i], e)) <= 1e-13 * (1 + fabs(get(wanted[i], e))),
                      "case %d, input %d, element %d: %g, not %g", (int)k, i, (int)e, get(g[i], e), get(wanted[i], e));
            CHECK(stria_tensor_get_contiguous(g[i]) == stria_tensor_get_contiguous(wanted[i]), "memory of gradient %d",
                  i);
            stria_tensor_release(g[i]), stria_tensor_release(wanted[i]), stria_tensor_release(x[i]);
        }
        stria_tensor_release(y), stria_tensor_release(w), stria_tensor_release(wide), stria_tensor_release(dense);
    }
}

/* A result along an axis needs its positions alone: x and the values may be changed in place. Of all elements they are compared. */
static void test_saved(void)
{
    stria_tensor *leaf = stria_tensor_retain(F("2,2: 3 1 3 2")), *x = NULL, *y = NULL, *indices = NULL, *g = NULL;
    stria_tensor *ones = NULL;

    CHECK_STATUS(stria_tensor_set_requires_grad(leaf, true, NULL), STRIA_OK);
    CHECK_STATUS(stria_add(leaf, leaf, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_max(x, 1, false, &y, &indices, NULL), STRIA_OK);
    CHECK(get_refcount(x) == 1, "x is kept");
    CHECK_STATUS(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){x, number(2)}, 2, x, NULL), STRIA_OK);
    CHECK_STATUS(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){y, number(2)}, 2, y, NULL), STRIA_OK);
    CHECK_STATUS(stria_ones_like(y, SAME, STRIA_DEVICE_NONE, &ones, NULL), STRIA_OK);
    CHECK_STATUS(stria_grad(&y, 1, &ones, &leaf, 1, 0, &g, NULL), STRIA_OK);
    CHECK(get(g, 0) == 4 && get(g, 1) == 0 && get(g, 2) == 4 && get(g, 3) == 0, "along an axis");
    stria_tensor_release(g), stria_tensor_release(y), stria_tensor_release(indices), stria_tensor_release(ones);
    CHECK_STATUS(stria_max(x, ALL, false, &y, &indices, NULL), STRIA_OK);
    CHECK_STATUS(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){x, number(2)}, 2, x, NULL), STRIA_OK);
    REFUSED(stria_grad(&y, 1, NULL, &leaf, 1, 0, &g, &err), STRIA_ERR_ARGUMENT, "backward", "max",
            "max needs its input number 0, which was changed in place since, by mul");
    stria_tensor_release(leaf), stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(indices);
    release_constants();
}

/* Results without derivatives require none; walks refuse what has none by the name of the row. */
static void test_without(void)
{
    stria_tensor *x = stria_tensor_retain(F("4: 3 1 3 2")), *y = NULL, *more[2] = {NULL};

    CHECK_STATUS(stria_tensor_set_requires_grad(x, true, NULL), STRIA_OK);
    CHECK_STATUS(stria_histc(x, 3, 0, 0, &y, NULL), STRIA_OK);
    CHECK(!stria_tensor_get_requires_grad(y), "histc");
    stria_tensor_release(y);
    CHECK_STATUS(stria_view_dtype(x, STRIA_F32, &y, NULL), STRIA_OK);
    CHECK(!stria_tensor_get_requires_grad(y), "view_dtype");
    stria_tensor_release(y);
    CHECK_STATUS(stria_argsort(x, 0, false, false, &y, NULL), STRIA_OK);
    CHECK(!stria_tensor_get_requires_grad(y), "argsort");
    stria_tensor_release(y);
    CHECK_STATUS(stria_sort(x, 0, false, false, &y, &more[0], NULL), STRIA_OK);
    CHECK(stria_tensor_get_requires_grad(y) && !stria_tensor_get_requires_grad(more[0]), "sort");
    stria_tensor_release(y), stria_tensor_release(more[0]);
    CHECK_STATUS(stria_ones_like(x, SAME, STRIA_DEVICE_NONE, &y, NULL), STRIA_OK);
    CHECK(!stria_tensor_get_requires_grad(y), "ones_like");
    stria_tensor_release(y);
    CHECK_STATUS(stria_unique(x, true, false, false, ALL, &y, &more[0], &more[1], NULL), STRIA_OK);
    stria_tensor *ones = NULL;
    CHECK_STATUS(stria_ones_like(y, SAME, STRIA_DEVICE_NONE, &ones, NULL), STRIA_OK);
    REFUSED(stria_backward(&y, 1, &ones, NULL, 0, 0, &err), STRIA_ERR_UNSUPPORTED, "unique", "",
            "unique has no derivative: an element of the result is several of x");
    stria_tensor_release(y), stria_tensor_release(more[0]), stria_tensor_release(more[1]), stria_tensor_release(ones);
    CHECK_STATUS(stria_scatter(x, I("2: 0 0"), F("2: 3 4"), 0, "multiply", &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_ones_like(y, SAME, STRIA_DEVICE_NONE, &ones, NULL), STRIA_OK);
    REFUSED(stria_backward(&y, 1, &ones, NULL, 0, 0, &err), STRIA_ERR_UNSUPPORTED, "scatter", "",
            "use scatter_reduce with 'prod'");
    stria_tensor_release(y), stria_tensor_release(ones);
    stria_tensor *matrix = NULL;
    CHECK_STATUS(stria_unsqueeze(x, 0, &matrix, NULL), STRIA_OK);
    CHECK_STATUS(stria_svd(matrix, true, false, &more[0], &y, &more[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_ones_like(y, SAME, STRIA_DEVICE_NONE, &ones, NULL), STRIA_OK);
    REFUSED(stria_backward(&y, 1, &ones, NULL, 0, 0, &err), STRIA_ERR_UNSUPPORTED, "svd", "", "use svdvals");
    stria_tensor_release(y), stria_tensor_release(more[0]), stria_tensor_release(more[1]), stria_tensor_release(ones);
    stria_tensor_release(matrix);
    stria_tensor_release(x);
    release_constants();
}

SUITE(test_derivatives_functions)
{
    for (int least = -1; least <= 0; least++) { /* rules word by word, and as expressions where they can be */
        stria_deferred_set_least(least);
#define CASE(name, shapes, low, high, call) check(#name, name##_case, shapes, low, high);
#include "derivative_functions.def"
#undef CASE
        test_values();
        test_dtypes();
        test_determinants();
        test_repeated();
        test_saved();
        test_without();
    }
    stria_deferred_set_least(-1);
    return check_finish("test_derivatives_functions");
}
