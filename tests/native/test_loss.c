/* test_loss.c - losses, normalize, cosine_similarity, rms_norm and linear against plain loops in double: dtypes, broadcasting, all
 * reductions, values where a careless formula overflows, refusals; losses of many elements in one pass. */
#include <math.h>
#include <string.h>

#include "call/call.h"
#include "oracle.h"
#include "refused.h"

#define ROWS 6
#define COLUMNS 5
#define COUNT (ROWS * COLUMNS)
static const int64_t shape[] = {ROWS, COLUMNS};

static const char *const reductions[] = {"none", "mean", "sum", "batchmean"};

static double get(const stria_tensor *x, int row, int column)
{
    const int64_t index[] = {row, column};
    return value_get(stria_tensor_get_dtype(x), tensor_at_broadcast(x, 2, index)).real;
}

static double tolerance(stria_dtype dtype)
{
    return dtype == STRIA_F64 ? 1e-13 : dtype == STRIA_F32 ? 2e-6 : dtype == STRIA_F16 ? 1e-3 : 8e-3;
}

static bool is_near(double got, double expected, stria_dtype dtype)
{
    if (isnan(expected)) return isnan(got);
    return fabs(got - expected) <= tolerance(dtype) * (fabs(expected) + 1);
}

/* ---------------------------------------------------------------- losses */

typedef stria_status run_fn(const stria_tensor *const *in, const char *reduction, stria_tensor **y, stria_error *err);
typedef double       element_fn(double x, double t, double weight, double pos_weight);

#define LOSS(name, call, formula)                                                                          \
    static stria_status run_##name(const stria_tensor *const *in, const char *reduction, stria_tensor **y, \
                                   stria_error *err)                                                       \
    {                                                                                                      \
        return call;                                                                                       \
    }                                                                                                      \
    static double element_##name(double x, double t, double weight, double pos_weight)                     \
    {                                                                                                      \
        const double z = fabs(x - t);                                                                      \
        (void)z, (void)weight, (void)pos_weight;                                                           \
        return formula;                                                                                    \
    }

static double log_bounded(double p) { return fmax(log(p), -100); }
static double softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }

LOSS(mse, stria_mse_loss(in[0], in[1], reduction, y, err), z *z)
LOSS(l1, stria_l1_loss(in[0], in[1], reduction, y, err), z)
LOSS(huber, stria_huber_loss(in[0], in[1], reduction, 0.75, y, err), z < 0.75 ? z * z / 2 : 0.75 * (z - 0.375))
LOSS(smooth, stria_smooth_l1_loss(in[0], in[1], reduction, 0.5, y, err), z < 0.5 ? z * z : z - 0.25)
LOSS(smooth0, stria_smooth_l1_loss(in[0], in[1], reduction, 0, y, err), z)
LOSS(bce, stria_binary_cross_entropy(in[0], in[1], NULL, reduction, y, err),
     -(t *log_bounded(x) + (1 - t) * log_bounded(1 - x)))
LOSS(bce_weighted, stria_binary_cross_entropy(in[0], in[1], in[2], reduction, y, err),
     -weight *(t *log_bounded(x) + (1 - t) * log_bounded(1 - x)))
LOSS(logits, stria_binary_cross_entropy_with_logits(in[0], in[1], NULL, NULL, reduction, y, err),
     t *softplus(-x) + (1 - t) * softplus(x))
LOSS(logits_weighted, stria_binary_cross_entropy_with_logits(in[0], in[1], in[2], in[3], reduction, y, err),
     weight *(pos_weight *t *softplus(-x) + (1 - t) * softplus(x)))
LOSS(kl, stria_kl_div(in[0], in[1], reduction, false, y, err), t > 0 ? t * (log(t) - x) : 0)
LOSS(kl_log, stria_kl_div(in[0], in[1], reduction, true, y, err), exp(t) * (t - x))

static const struct {
    const char *name;
    run_fn     *run;
    element_fn *element;
    bool        is_probability, has_batchmean;
} losses[] = {
    {"mse_loss", run_mse, element_mse, false, false},
    {"l1_loss", run_l1, element_l1, false, false},
    {"huber_loss", run_huber, element_huber, false, false},
    {"smooth_l1_loss", run_smooth, element_smooth, false, false},
    {"smooth_l1_loss", run_smooth0, element_smooth0, false, false},
    {"binary_cross_entropy", run_bce, element_bce, true, false},
    {"binary_cross_entropy", run_bce_weighted, element_bce_weighted, true, false},
    {"binary_cross_entropy_with_logits", run_logits, element_logits, false, false},
    {"binary_cross_entropy_with_logits", run_logits_weighted, element_logits_weighted, false, false},
    {"kl_div", run_kl, element_kl, true, true},
    {"kl_div", run_kl_log, element_kl_log, false, true},
};

static void check_loss(int which, const stria_tensor *const *in, int reduction)
{
    const char       *name = losses[which].name;
    const stria_dtype dtype = stria_tensor_get_dtype(in[0]);
    stria_tensor     *y = NULL;
    double            sum = 0;

    CHECK_STATUS(losses[which].run(in, reductions[reduction], &y, NULL), STRIA_OK);
    if (!y) return;
    CHECK(stria_tensor_get_dtype(y) == dtype && stria_tensor_get_ndim(y) == (reduction == 0 ? 2 : 0), "%s", name);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            const double expected = losses[which].element(get(in[0], row, column), get(in[1], row, column),
                                                          get(in[2], row, column), get(in[3], row, column));
            sum += expected;
            if (reduction != 0) continue;
            CHECK(is_near(get(y, row, column), expected, dtype), "%s of %s at %d, %d: %g, not %g", name,
                  stria_dtype_get_name(dtype), row, column, get(y, row, column), expected);
        }
    if (reduction > 0) {
        const double expected = reduction == 1 ? sum / COUNT : reduction == 2 ? sum : sum / ROWS;
        CHECK(is_near(get(y, 0, 0), expected, dtype), "%s, %s of %s: %g, not %g", name, reductions[reduction],
              stria_dtype_get_name(dtype), get(y, 0, 0), expected);
    }
    stria_tensor_release(y);
}

static void test_losses(void)
{
    static const stria_dtype floats[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16};
    random_state             random = {71};

    for (int which = 0; which < (int)(sizeof losses / sizeof *losses); which++)
        for (int d = 0; d < 4; d++) {
            const double  low = losses[which].is_probability ? 0.01 : -1.5;
            stria_tensor *in[4];
            for (int k = 0; k < 4; k++) {
                const layout kind = k == 2 ? LAYOUT_ROW : k == 1 ? LAYOUT_TRANSPOSED : LAYOUT_CONTIGUOUS;
                in[k] = tensor_random(&random, floats[d], kind, 2, shape, 0, 1);
                if (in[k]) tensor_fill_random(&random, in[k], (0.99 + low) / 2, (0.99 - low) / 2);
            }
            const stria_tensor *const list[] = {in[0], in[1], in[2], in[3]};
            for (int reduction = 0; reduction < 3 + losses[which].has_batchmean; reduction++)
                check_loss(which, list, reduction);
            for (int k = 0; k < 4; k++) stria_tensor_release(in[k]);
        }
}

/* ---------------------------------------------------------------- many elements */

#define MANY 90300 /* more than a chunk of a reduction (fold.h) */
static const int64_t many[] = {300, 301};

static stria_status look_on(void *n_calls, const stria_call *call, bool *is_taken, stria_error *err)
{
    (void)call, (void)is_taken, (void)err;
    ++*(int *)n_calls;
    return STRIA_OK;
}

/* The loss by the calls of its formula, which somebody wants to see. */
static stria_tensor *run_seen(int which, const stria_tensor *const *in, int reduction)
{
    stria_tensor *y = NULL;
    int           n_calls = 0;

    stria_call_set_recorder(look_on, &n_calls);
    CHECK_STATUS(losses[which].run(in, reductions[reduction], &y, NULL), STRIA_OK);
    stria_call_set_recorder(NULL, NULL);
    CHECK(n_calls > 1, "%s: %d calls", losses[which].name, n_calls);
    return y;
}

/* The largest error of the loss of an element, or the error of all of them combined, by a tolerance. */
static double get_error(int which, stria_tensor *const *in, int reduction, const stria_tensor *y)
{
    const stria_dtype dtype = stria_tensor_get_dtype(in[0]);
    double            sum = 0, sizes = 0, most = 0;

    for (int row = 0; row < many[0]; row++)
        for (int column = 0; column < many[1]; column++) {
            const double expected = losses[which].element(get(in[0], row, column), get(in[1], row, column),
                                                          get(in[2], row, column), get(in[3], row, column));
            sum += expected;
            sizes += fabs(expected) + 1;
            if (reduction == 0)
                most = fmax(most, fabs(get(y, row, column) - expected) / (tolerance(dtype) * (fabs(expected) + 1)));
        }
    if (reduction == 0) return most;
    if (dtype == STRIA_F16 && reduction == 2 && fabs(sum) > 65520) return isinf(get(y, 0, 0)) ? 0 : INFINITY;
    const double divisor = reduction == 1 ? MANY : reduction == 2 ? 1 : (double)many[0];
    return fabs(get(y, 0, 0) * divisor - sum) / (tolerance(dtype) * sizes);
}

static void check_many(int which, stria_tensor *const *in, int reduction, bool is_without_memory)
{
    const stria_tensor *const list[] = {in[0], in[1], in[2], in[3]};
    const char               *name = losses[which].name, *dtype = stria_dtype_get_name(stria_tensor_get_dtype(in[0]));
    stria_tensor             *seen = run_seen(which, list, reduction), *y = NULL;

    stria_memory_release_cache();
    if (is_without_memory) stria_memory_set_limit(stria_memory_get_stats().live_bytes + MANY);
    CHECK_STATUS(losses[which].run(list, reductions[reduction], &y, NULL), STRIA_OK);
    stria_memory_set_limit(0);
    if (seen == NULL || y == NULL) return;
    const double error = get_error(which, in, reduction, y);
    CHECK(error <= 1, "%s, %s of many %s: %g of the tolerance", name, reductions[reduction], dtype, error);
    CHECK(memcmp(stria_tensor_get_strides(seen), stria_tensor_get_strides(y),
                 (size_t)stria_tensor_get_ndim(y) * sizeof(int64_t)) == 0,
          "%s, %s of many %s: another memory order than by its calls", name, reductions[reduction], dtype);
    CHECK(memcmp(stria_tensor_get_const_data(seen), stria_tensor_get_const_data(y),
                 stria_tensor_get_storage_nbytes(y)) == 0,
          "%s, %s of many %s: other bits than by its calls", name, reductions[reduction], dtype);
    stria_tensor_release(seen), stria_tensor_release(y);
}

/* In one pass without memory for the elements, where tensors lie as the result would or repeat themselves; call by call where they do not.
 * Kinds: all alike; a weight that repeats itself; x and target turned; target turned. */
static void test_many(void)
{
    static const stria_dtype floats[] = {STRIA_F32, STRIA_F64, STRIA_F16};
    random_state             random = {73};

    for (int d = 0; d < 3; d++)
        for (int kind = 0; kind < 4; kind++) {
            if (d > 0 && kind != 0 && kind != d + 1) continue; /* how tensors lie has nothing to do with their dtype */
            stria_tensor *in[4];
            for (int k = 0; k < 4; k++) {
                const layout how = k == 2 && kind > 0                               ? LAYOUT_ROW
                                   : (k == 0 && kind == 2) || (k == 1 && kind >= 2) ? LAYOUT_TRANSPOSED
                                                                                    : LAYOUT_CONTIGUOUS;
                in[k] = tensor_random(&random, floats[d], how, 2, many, 0, 1);
                if (in[k]) tensor_fill_random(&random, in[k], 0.5, 0.49);
            }
            for (int which = 0; which < (int)(sizeof losses / sizeof *losses); which++)
                for (int reduction = 0; reduction < 3 + losses[which].has_batchmean; reduction++)
                    check_many(which, in, reduction, floats[d] != STRIA_F16 && kind < 2 && reduction > 0);
            for (int k = 0; k < 4; k++) stria_tensor_release(in[k]);
        }
}

static stria_tensor *from_list(stria_dtype dtype, int n, const double *list)
{
    const int64_t length = n;
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 1, &length, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < n; k++) value_set(dtype, value_from_real(list[k]), tensor_at(x, &k));
    return x;
}

static void check_list(stria_tensor *y, int n, const double *expected, const char *what)
{
    for (int64_t k = 0; y && k < n; k++) {
        const double got = value_get(stria_tensor_get_dtype(y), tensor_at(y, &k)).real;
        CHECK(is_near(got, expected[k], STRIA_F32), "%s [%d]: %g, not %g", what, (int)k, got, expected[k]);
    }
    stria_tensor_release(y);
}

/* Where exp overflows, or a logarithm is infinite. */
static void test_ends(void)
{
    static const double logits[] = {1000, -1000, 1000, -1000, 0, INFINITY}, truth[] = {1, 0, 0, 1, 1, 1};
    static const double costs[] = {0, 0, 1000, 1000, 0.69314718056, 0};
    static const double certain[] = {1, 0, 1, 0}, wrong[] = {1, 0, 0, 1}, bounded[] = {0, 0, 100, 100};
    static const double logs[] = {-1, -2, -INFINITY}, target[] = {0, 1, 0};
    static const double divergence[] = {0, 2, NAN};
    static const double zero[] = {0, 0, 0};
    stria_tensor       *x = from_list(STRIA_F32, 6, logits), *t = from_list(STRIA_F32, 6, truth), *y = NULL;

    CHECK_STATUS(stria_binary_cross_entropy_with_logits(x, t, NULL, NULL, "none", &y, NULL), STRIA_OK);
    /* (1 - 1) * infinity is NaN, as in PyTorch */
    check_list(y, 5, costs, "logits");
    stria_tensor_release(x), stria_tensor_release(t);
    x = from_list(STRIA_F32, 4, certain), t = from_list(STRIA_F32, 4, wrong);
    CHECK_STATUS(stria_binary_cross_entropy(x, t, NULL, "none", &y, NULL), STRIA_OK);
    check_list(y, 4, bounded, "probabilities 0 and 1");
    stria_tensor_release(x), stria_tensor_release(t);
    x = from_list(STRIA_F32, 3, logs), t = from_list(STRIA_F32, 3, target);
    CHECK_STATUS(stria_kl_div(x, t, "none", false, &y, NULL), STRIA_OK);
    check_list(y, 3, divergence, "targets of 0");
    y = NULL;
    CHECK_STATUS(stria_smooth_l1_loss(t, t, "none", 1e-40, &y, NULL), STRIA_OK);
    check_list(y, 3, zero, "a beta whose inverse is no f32");
    stria_tensor_release(x), stria_tensor_release(t);
}

/* Inputs of several dtypes: as if they had been converted to the common one first. */
static void check_mixed(int which, stria_dtype first, stria_dtype second, stria_dtype common)
{
    static const double       ones[] = {0, 1, 1, 0}, shares[] = {0.25, 0.75, 0.1, 0.9};
    stria_tensor             *x = from_list(first, 4, ones), *t = from_list(second, 4, shares), *plain[2] = {NULL};
    stria_tensor             *got = NULL, *expected = NULL, *weight = from_list(second, 4, shares);
    const stria_tensor *const mixed[] = {x, t, weight, weight};

    CHECK_STATUS(stria_to(x, common, &plain[0], NULL), STRIA_OK);
    CHECK_STATUS(stria_to(t, common, &plain[1], NULL), STRIA_OK);
    stria_tensor *wide = NULL;
    CHECK_STATUS(stria_to(weight, common, &wide, NULL), STRIA_OK);
    const stria_tensor *const alike[] = {plain[0], plain[1], wide, wide};
    CHECK_STATUS(losses[which].run(mixed, "none", &got, NULL), STRIA_OK);
    CHECK_STATUS(losses[which].run(alike, "none", &expected, NULL), STRIA_OK);
    for (int64_t k = 0; got && expected && k < 4; k++) {
        const double a = value_get(common, tensor_at(got, &k)).real,
                     b = value_get(common, tensor_at(expected, &k)).real;
        CHECK(stria_tensor_get_dtype(got) == common && a == b, "%s of %s and %s, element %d: %g, expected %g",
              losses[which].name, stria_dtype_get_name(first), stria_dtype_get_name(second), (int)k, a, b);
    }
    stria_tensor_release(x), stria_tensor_release(t), stria_tensor_release(weight), stria_tensor_release(wide);
    stria_tensor_release(plain[0]), stria_tensor_release(plain[1]);
    stria_tensor_release(got), stria_tensor_release(expected);
}

static void test_mixed(void)
{
    static const double large[] = {300, 0.5}, none[] = {0};
    stria_tensor       *x = from_list(STRIA_F16, 2, large), *zeros = from_list(STRIA_F32, 1, none), *zero, *y = NULL;

    for (int which = 0; which < (int)(sizeof losses / sizeof *losses); which++) {
        check_mixed(which, STRIA_U8, STRIA_F32, STRIA_F32);
        check_mixed(which, STRIA_BOOL, STRIA_F64, STRIA_F64);
        check_mixed(which, STRIA_F32, STRIA_BF16, STRIA_F32);
        check_mixed(which, STRIA_F16, STRIA_F64, STRIA_F64);
    }
    /* a number as a tensor without dims does not widen, and is computed with as the others are */
    CHECK_STATUS(stria_select(zeros, 0, 0, &zero, NULL), STRIA_OK);
    CHECK_STATUS(stria_mse_loss(x, zero, "mean", &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_dtype(y) == STRIA_F16 && get(y, 0, 0) == 44992, "%g", y ? get(y, 0, 0) : NAN);
    stria_tensor_release(x), stria_tensor_release(zeros), stria_tensor_release(zero), stria_tensor_release(y);
}

static void test_refusals(void)
{
    static const int64_t other[] = {4};
    stria_tensor        *x = NULL, *whole = NULL, *complex_one = NULL, *longer = NULL, *single = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, shape, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_I32, 2, shape, &whole, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_C64, 2, shape, &complex_one, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, other, &longer, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 0, NULL, &single, NULL), STRIA_OK);
    REFUSED(stria_mse_loss(x, longer, "mean", &y, &err), STRIA_ERR_SHAPE, "mse_loss", "target", "do not broadcast");
    REFUSED(stria_mse_loss(whole, whole, "mean", &y, &err), STRIA_ERR_DTYPE, "mse_loss", "x", "must be a float");
    REFUSED(stria_l1_loss(x, complex_one, "mean", &y, &err), STRIA_ERR_DTYPE, "l1_loss", "target", "must be real");
    REFUSED(stria_l1_loss(x, x, "median", &y, &err), STRIA_ERR_ARGUMENT, "l1_loss", "reduction", "must be one of");
    REFUSED(stria_huber_loss(x, x, "mean", 0, &y, &err), STRIA_ERR_ARGUMENT, "huber_loss", "delta", "greater than 0");
    REFUSED(stria_huber_loss(x, x, "mean", NAN, &y, &err), STRIA_ERR_ARGUMENT, "huber_loss", "delta", "greater");
    REFUSED(stria_smooth_l1_loss(x, x, "mean", -1, &y, &err), STRIA_ERR_ARGUMENT, "smooth_l1_loss", "beta",
            "0 or more");
    REFUSED(stria_kl_div(single, single, "batchmean", false, &y, &err), STRIA_ERR_SHAPE, "kl_div", "x", "has none");
    REFUSED(stria_binary_cross_entropy(x, x, longer, "mean", &y, &err), STRIA_ERR_SHAPE, "binary_cross_entropy",
            "weight", "do not broadcast");
    REFUSED(stria_rms_norm(x, NULL, NULL, 0, NAN, &y, &err), STRIA_ERR_ARGUMENT, "rms_norm", "normalized_shape",
            "empty");
    REFUSED(stria_rms_norm(x, NULL, other, 1, NAN, &y, &err), STRIA_ERR_SHAPE, "rms_norm", "x", "must end in [4]");
    REFUSED(stria_rms_norm(x, longer, shape + 1, 1, NAN, &y, &err), STRIA_ERR_SHAPE, "rms_norm", "weight",
            "must have [5]");
    REFUSED(stria_normalize(x, 2, 2, 1e-12, &y, &err), STRIA_ERR_AXIS, "normalize", "dim", "axis 2");
    REFUSED(stria_cosine_similarity(x, longer, 1, 1e-8, &y, &err), STRIA_ERR_SHAPE, "cosine_similarity", "other",
            "do not broadcast");
    REFUSED(stria_linear(x, single, NULL, &y, &err), STRIA_ERR_SHAPE, "linear", "weight", "1 or 2 dims");
    CHECK(y == NULL, "the output of a refused call");
    stria_tensor_release(x), stria_tensor_release(whole), stria_tensor_release(complex_one);
    stria_tensor_release(longer), stria_tensor_release(single);
}

/* ---------------------------------------------------------------- rows */

static void check_normalize(stria_tensor *x, double p, int dim)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    stria_tensor     *y = NULL;

    CHECK_STATUS(stria_normalize(x, p, dim, 1e-12, &y, NULL), STRIA_OK);
    for (int row = 0; y && row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            double sum = 0;
            for (int k = 0; k < (dim == 0 ? ROWS : COLUMNS); k++)
                sum += pow(fabs(dim == 0 ? get(x, k, column) : get(x, row, k)), p);
            const double expected = get(x, row, column) / fmax(pow(sum, 1 / p), 1e-12);
            CHECK(is_near(get(y, row, column), expected, dtype), "normalize of %s: %g, not %g",
                  stria_dtype_get_name(dtype), get(y, row, column), expected);
        }
    stria_tensor_release(y);
}

static void check_similarity(stria_tensor *x, stria_tensor *other)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    stria_tensor     *y = NULL;

    CHECK_STATUS(stria_cosine_similarity(x, other, -1, 1e-8, &y, NULL), STRIA_OK);
    for (int64_t row = 0; y && row < ROWS; row++) {
        double product = 0, a = 0, b = 0;
        for (int k = 0; k < COLUMNS; k++) {
            product += get(x, (int)row, k) * get(other, (int)row, k);
            a += get(x, (int)row, k) * get(x, (int)row, k);
            b += get(other, (int)row, k) * get(other, (int)row, k);
        }
        const double expected = product / (fmax(sqrt(a), 1e-8) * fmax(sqrt(b), 1e-8));
        const double got = value_get(dtype, tensor_at(y, &row)).real;
        CHECK(is_near(got, expected, dtype), "cosine_similarity of %s: %g, not %g", stria_dtype_get_name(dtype), got,
              expected);
    }
    stria_tensor_release(y);
}

static void check_rms(stria_tensor *x, stria_tensor *weight, int n_axes, double eps)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    stria_tensor     *y = NULL;

    CHECK_STATUS(stria_rms_norm(x, n_axes == 1 ? weight : NULL, shape + 2 - n_axes, n_axes, eps, &y, NULL), STRIA_OK);
    for (int row = 0; y && row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            double sum = 0;
            for (int i = 0; i < ROWS; i++)
                for (int k = 0; k < COLUMNS; k++)
                    if (n_axes == 2 || i == row) sum += get(x, i, k) * get(x, i, k);
            const double mean = sum / (n_axes == 2 ? COUNT : COLUMNS);
            const double expected =
                get(x, row, column) / sqrt(mean + (isnan(eps) ? 0 : eps)) * (n_axes == 1 ? get(weight, 0, column) : 1);
            CHECK(is_near(get(y, row, column), expected, dtype), "rms_norm of %s: %g, not %g",
                  stria_dtype_get_name(dtype), get(y, row, column), expected);
        }
    stria_tensor_release(y);
}

/* Squares are those of f64; an infinity divides finite elements to 0. */
static void check_rms_range(void)
{
    static const float values[] = {3e30F, 4e30F, INFINITY, 1, NAN, 1};
    const int64_t      sizes[] = {3, 2};
    stria_tensor      *x = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 2, sizes, values, sizeof values, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_rms_norm(x, NULL, sizes + 1, 1, NAN, &y, NULL), STRIA_OK);
    const float *got = stria_tensor_get_const_data(y);
    CHECK(fabsf(got[0] - 0.848528F) < 1e-6F && fabsf(got[1] - 1.131371F) < 1e-6F, "%g, %g", got[0], got[1]);
    CHECK(isnan(got[2]) && got[3] == 0 && isnan(got[4]) && isnan(got[5]), "%g, %g, %g", got[3], got[4], got[5]);
    stria_tensor_release(x), stria_tensor_release(y);
}

static void check_linear(stria_tensor *x, stria_tensor *weight, stria_tensor *bias)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    stria_tensor     *y = NULL;

    CHECK_STATUS(stria_linear(x, weight, bias, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_shape(y)[1] == ROWS, "shape");
    for (int row = 0; y && row < ROWS; row++)
        for (int unit = 0; unit < ROWS; unit++) {
            double expected = get(bias, 0, unit);
            for (int k = 0; k < COLUMNS; k++) expected += get(x, row, k) * get(weight, unit, k);
            CHECK(is_near(get(y, row, unit), expected, dtype), "linear: %g, not %g", get(y, row, unit), expected);
        }
    stria_tensor_release(y);
}

static void test_rows(void)
{
    static const stria_dtype floats[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16};
    static const int64_t     last[] = {COLUMNS}, units[] = {ROWS};
    random_state             random = {72};

    for (int d = 0; d < 4; d++) {
        stria_tensor *x = tensor_random(&random, floats[d], LAYOUT_TRANSPOSED, 2, shape, 0, 1);
        stria_tensor *other = tensor_random(&random, floats[d], LAYOUT_CONTIGUOUS, 2, shape, 0, 1);
        stria_tensor *weight = tensor_random(&random, floats[d], LAYOUT_STEPPED, 1, last, 0, 1);
        stria_tensor *bias = tensor_random(&random, floats[d], LAYOUT_CONTIGUOUS, 1, units, 0, 1);
        if (!x || !other || !weight || !bias) return;
        tensor_fill_random(&random, x, 0.1, 1), tensor_fill_random(&random, other, 0.1, 1);
        tensor_fill_random(&random, weight, 0.1, 1), tensor_fill_random(&random, bias, 0.1, 1);
        check_normalize(x, 2, 1), check_normalize(x, 1, 0), check_normalize(x, 3, 1);
        check_similarity(x, other);
        check_rms(x, weight, 1, 1e-3), check_rms(x, weight, 2, 1e-3);
        if (floats[d] == STRIA_F32 || floats[d] == STRIA_F64) check_rms(x, weight, 1, NAN);
        check_linear(x, other, bias);
        stria_tensor_release(x), stria_tensor_release(other), stria_tensor_release(weight), stria_tensor_release(bias);
    }
}

SUITE(test_loss)
{
    const int64_t before = stria_memory_get_stats().live_tensors;

    test_losses();
    test_many();
    test_ends();
    test_mixed();
    test_refusals();
    test_rows();
    check_rms_range();
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("test_loss");
}
