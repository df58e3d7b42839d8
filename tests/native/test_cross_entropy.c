/* test_cross_entropy.c - nll_loss and cross_entropy against plain loops in double: shapes, weights, targets that are ignored, smoothing,
 * probabilities as targets, reductions, refusals. */
#include <math.h>
#include <string.h>

#include "oracle.h"
#include "refused.h"

#define BATCH 4
#define CLASSES 5
#define PLACES 3
#define IGNORED 2

static const char *const reductions[] = {"none", "mean", "sum"};
static const int64_t     shape[] = {BATCH, CLASSES, PLACES}, rows[] = {BATCH, PLACES}, classes[] = {CLASSES};

static double get(const stria_tensor *x, int64_t a, int64_t b, int64_t c)
{
    const int64_t index[] = {a, b, c};
    return value_get(stria_tensor_get_dtype(x), tensor_at(x, index)).real;
}

static double get_weight(const stria_tensor *weight, int64_t c)
{
    return weight == NULL ? 1 : value_get(stria_tensor_get_dtype(weight), tensor_at(weight, &c)).real;
}

static bool is_near(double got, double expected, stria_dtype dtype)
{
    const double most = dtype == STRIA_F64 ? 1e-12 : dtype == STRIA_F32 ? 3e-6 : dtype == STRIA_F16 ? 2e-3 : 2e-2;
    return isnan(expected) ? isnan(got) : fabs(got - expected) <= most * (fabs(expected) + 1);
}

/* log of the sum of exp of a row */
static double get_log_sum(const stria_tensor *x, int a, int p)
{
    double sum = 0;
    for (int c = 0; c < CLASSES; c++) sum += exp(get(x, a, c, p));
    return log(sum);
}

typedef struct options {
    bool   is_cross, is_probability;
    double smoothing;
} options;

/* Of one row; *share is what it counts in a mean. */
static double get_cost(const options *o, const stria_tensor *x, const stria_tensor *target, const stria_tensor *weight,
                       int a, int p, double *share)
{
    const double norm = o->is_cross ? get_log_sum(x, a, p) : 0;
    double       cost = 0, all = 0;

    for (int c = 0; c < CLASSES; c++) all -= (get(x, a, c, p) - norm) * get_weight(weight, c);
    *share = 1;
    if (o->is_probability) {
        for (int c = 0; c < CLASSES; c++) {
            const double t = get(target, a, c, p) * (1 - o->smoothing) + o->smoothing / CLASSES;
            cost -= (get(x, a, c, p) - norm) * t * get_weight(weight, c);
        }
        return cost;
    }
    const int64_t index[] = {a, p};
    const int64_t c = (int64_t)value_get(stria_tensor_get_dtype(target), tensor_at(target, index)).whole;
    *share = c == IGNORED ? 0 : get_weight(weight, c);
    if (c == IGNORED) return 0;
    cost = -(get(x, a, c, p) - norm) * get_weight(weight, c);
    return (1 - o->smoothing) * cost + o->smoothing / CLASSES * all;
}

static stria_status run(const options *o, const stria_tensor *x, const stria_tensor *target, const stria_tensor *weight,
                        const char *reduction, stria_tensor **y)
{
    const int64_t ignored = o->is_probability ? -100 : IGNORED; /* probabilities have no index */
    return o->is_cross ? stria_cross_entropy(x, target, weight, reduction, ignored, o->smoothing, y, NULL)
                       : stria_nll_loss(x, target, weight, reduction, IGNORED, y, NULL);
}

static void check_loss(const options *o, const stria_tensor *x, const stria_tensor *target, const stria_tensor *weight,
                       int reduction)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    stria_tensor     *y = NULL;
    double            sum = 0, shares = 0;

    CHECK_STATUS(run(o, x, target, weight, reductions[reduction], &y), STRIA_OK);
    if (!y) return;
    CHECK(stria_tensor_get_dtype(y) == dtype && stria_tensor_get_ndim(y) == (reduction == 0 ? 2 : 0), "dtype, shape");
    for (int a = 0; a < BATCH; a++)
        for (int p = 0; p < PLACES; p++) {
            double        share;
            const double  cost = get_cost(o, x, target, weight, a, p, &share);
            const int64_t index[] = {a, p};
            sum += cost, shares += share;
            if (reduction != 0) continue;
            const double got = value_get(dtype, tensor_at(y, index)).real;
            CHECK(is_near(got, cost, dtype), "%s at %d, %d: %g, not %g", stria_dtype_get_name(dtype), a, p, got, cost);
        }
    if (reduction > 0) {
        const double got = value_get(dtype, tensor_at(y, NULL)).real, expected = reduction == 1 ? sum / shares : sum;
        CHECK(is_near(got, expected, dtype), "%s of %s, smoothing %g: %g, not %g", reductions[reduction],
              stria_dtype_get_name(dtype), o->smoothing, got, expected);
    }
    stria_tensor_release(y);
}

static stria_tensor *new_indices(random_state *random, stria_dtype dtype)
{
    int64_t       index[2] = {0};
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 2, rows, &x, NULL), STRIA_OK);
    do value_set(dtype, value_from_whole((whole_int)(random_next(random) % CLASSES)), tensor_at(x, index));
    while (index_next(2, rows, index));
    return x;
}

static stria_tensor *new_floats(random_state *random, stria_dtype dtype, layout kind, int ndim, const int64_t *sizes,
                                double low, double high)
{
    stria_tensor *x = tensor_random(random, dtype, kind, ndim, sizes, 0, 1);

    if (x) tensor_fill_random(random, x, (low + high) / 2, (high - low) / 2);
    return x;
}

static void test_losses(void)
{
    static const options     all[] = {{false, false, 0}, {true, false, 0},   {true, false, 0.3},
                                      {true, true, 0},   {true, true, 0.25}, {true, false, 1}};
    static const stria_dtype floats[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16};
    static const stria_dtype wholes[] = {STRIA_I64, STRIA_I32, STRIA_U8, STRIA_I64};
    random_state             random = {81};

    for (int k = 0; k < (int)(sizeof all / sizeof *all); k++)
        for (int d = 0; d < 4; d++) {
            stria_tensor *x = new_floats(&random, floats[d], LAYOUT_TRANSPOSED, 3, shape, -3, 0);
            stria_tensor *weight = new_floats(&random, floats[d], LAYOUT_STEPPED, 1, classes, 0.2, 1);
            stria_tensor *target = all[k].is_probability
                                       ? new_floats(&random, floats[d], LAYOUT_FLIPPED, 3, shape, 0, 1)
                                       : new_indices(&random, wholes[d]);
            for (int reduction = 0; x && weight && target && reduction < 3; reduction++) {
                check_loss(&all[k], x, target, NULL, reduction);
                check_loss(&all[k], x, target, weight, reduction);
            }
            stria_tensor_release(x), stria_tensor_release(weight), stria_tensor_release(target);
        }
}

/* One row without a batch; a row that is ignored though it costs infinitely much; no row that counts. */
static void test_ends(void)
{
    const float   logits[] = {1, 2, -INFINITY, 0, 3};
    stria_tensor *x = NULL, *target = NULL, *y = NULL;
    const int64_t third = 3;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, classes, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_I64, 0, NULL, &target, NULL), STRIA_OK);
    memcpy(stria_tensor_get_data(x), logits, sizeof logits);
    memcpy(stria_tensor_get_data(target), &third, sizeof third);
    CHECK_STATUS(stria_cross_entropy(x, target, NULL, "mean", -100, 0, &y, NULL), STRIA_OK);
    const double expected = log(exp(1) + exp(2) + 1 + exp(3));
    CHECK(y && stria_tensor_get_ndim(y) == 0 && is_near(*(float *)stria_tensor_get_data(y), expected, STRIA_F32),
          "row");
    stria_tensor_release(y);
    CHECK_STATUS(stria_cross_entropy(x, target, NULL, "sum", 3, 0.5, &y, NULL), STRIA_OK);
    CHECK(y && *(float *)stria_tensor_get_data(y) == 0, "the sum of what is ignored");
    stria_tensor_release(y);
    CHECK_STATUS(stria_nll_loss(x, target, NULL, "mean", 3, &y, NULL), STRIA_OK);
    CHECK(y && isnan(*(float *)stria_tensor_get_data(y)), "the mean of nothing");
    stria_tensor_release(y), stria_tensor_release(x), stria_tensor_release(target);
}

static void test_refusals(void)
{
    stria_tensor *x = NULL, *target = NULL, *halves = NULL, *weight = NULL, *flags = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 3, shape, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_I64, 2, rows, &target, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F16, 2, rows, &halves, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, rows, &weight, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 2, rows, &flags, NULL), STRIA_OK);
    memset(stria_tensor_get_data(target), 0, BATCH * PLACES * 8);
    ((int64_t *)stria_tensor_get_data(target))[4] = CLASSES;
    REFUSED(stria_nll_loss(x, target, NULL, "mean", -100, &y, &err), STRIA_ERR_ARGUMENT, "nll_loss", "target",
            "target[1,1] is 5");
    ((int64_t *)stria_tensor_get_data(target))[4] = -1;
    REFUSED(stria_cross_entropy(x, target, NULL, "mean", -100, 0, &y, &err), STRIA_ERR_ARGUMENT, "cross_entropy",
            "target", "target[1,1] is -1");
    /* [classes], and [batch, classes] */
    stria_tensor *line = NULL, *table = NULL, *single = NULL, *few = NULL;
    CHECK_STATUS(stria_select(x, 0, 0, &table, NULL), STRIA_OK);
    CHECK_STATUS(stria_select(table, 1, 0, &line, NULL), STRIA_OK);
    CHECK_STATUS(stria_select(target, 0, 1, &few, NULL), STRIA_OK); /* 0, -1, 0 */
    CHECK_STATUS(stria_select(few, 0, 1, &single, NULL), STRIA_OK);
    REFUSED(stria_nll_loss(line, single, NULL, "mean", -100, &y, &err), STRIA_ERR_ARGUMENT, "nll_loss", "target",
            "nll_loss: target is -1");
    stria_tensor_release(line), stria_tensor_release(table);
    CHECK_STATUS(stria_select(x, 2, 0, &table, NULL), STRIA_OK); /* [4, 5] */
    CHECK_STATUS(stria_narrow(table, 0, 0, 3, &line, NULL), STRIA_OK);
    REFUSED(stria_nll_loss(line, few, NULL, "mean", -100, &y, &err), STRIA_ERR_ARGUMENT, "nll_loss", "target",
            "target[1] is -1");
    stria_tensor_release(line), stria_tensor_release(table), stria_tensor_release(few), stria_tensor_release(single);
    REFUSED(stria_nll_loss(x, halves, NULL, "mean", -100, &y, &err), STRIA_ERR_DTYPE, "nll_loss", "target",
            "must be an integer");
    REFUSED(stria_cross_entropy(x, flags, NULL, "mean", -100, 0, &y, &err), STRIA_ERR_DTYPE, "cross_entropy", "target",
            "must be an integer");
    REFUSED(stria_cross_entropy(x, halves, NULL, "mean", -100, 0, &y, &err), STRIA_ERR_DTYPE, "cross_entropy", "target",
            "or probabilities (floats) of shape [4,5,3], got f16 of shape [4,3]");
    REFUSED(stria_nll_loss(x, weight, NULL, "mean", -100, &y, &err), STRIA_ERR_DTYPE, "nll_loss", "target", "integer");
    REFUSED(stria_nll_loss(x, target, weight, "mean", -100, &y, &err), STRIA_ERR_SHAPE, "nll_loss", "weight",
            "must have [5]");
    REFUSED(stria_nll_loss(target, target, NULL, "mean", -100, &y, &err), STRIA_ERR_DTYPE, "nll_loss", "x",
            "must be a float");
    REFUSED(stria_cross_entropy(x, target, NULL, "mean", -100, 1.5, &y, &err), STRIA_ERR_ARGUMENT, "cross_entropy",
            "label_smoothing", "must be 0 .. 1");
    REFUSED(stria_cross_entropy(x, x, NULL, "mean", 1, 0, &y, &err), STRIA_ERR_ARGUMENT, "cross_entropy",
            "ignore_index", "probabilities have no index");
    CHECK(y == NULL, "the output of a refused call");
    stria_tensor_release(x), stria_tensor_release(target), stria_tensor_release(halves), stria_tensor_release(weight);
    stria_tensor_release(flags);
}

SUITE(test_cross_entropy)
{
    const int64_t before = stria_memory_get_stats().live_tensors;

    test_losses();
    test_ends();
    test_refusals();
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("test_cross_entropy");
}
