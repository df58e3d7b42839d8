/* test_distributions.c - normal and exponential numbers against their definition in long double, whole numbers against 128-bit integers,
 * and what is made of them: element by element where there is a definition, by frequencies of fixed seeds; refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "refused.h"
#include "stream.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define INT(value) ((stria_scalar){.kind = STRIA_SCALAR_INT, .i = (value)})
#define UINT(value) ((stria_scalar){.kind = STRIA_SCALAR_UINT, .i = (int64_t)(value)})
#define REAL(value) ((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = (value)})
static stria_generator *generator;
static const int        threads[] = {1, 2, 7};

static const char *data_of(const stria_tensor *y) { return stria_tensor_get_const_data(y); }

static double number_at(const stria_tensor *y, int64_t k)
{
    const stria_dtype dtype = stria_tensor_get_dtype(y);
    return value_get(dtype, data_of(y) + k * (int64_t)stria_dtype_get_size(dtype)).real;
}

/* ---------------------------------------------------------------- normal, exponential */

/* Bounds of semantics.md. An angle that is nearly 0 has rounding errors that count as much as the sine itself. */
static void test_normal(void)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64};
    static const int64_t     sizes[] = {1, 31, 32, 33, 64, 65, 4097, 3 * 32768 + 5};
    static double            worst[2];

    for (int d = 0; d < 2; d++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const stria_generator_state state = {k, 5 * k};
            stria_tensor               *y = NULL;
            CHECK_STATUS(stria_threads_set(threads[k % 3], NULL), STRIA_OK);
            stria_generator_set_state(generator, state);
            CHECK_STATUS(stria_randn(&sizes[k], 1, dtypes[d], STRIA_CPU, generator, &y, NULL), STRIA_OK);
            for (int64_t i = 0; i < sizes[k]; i++) {
                const long double exact = stream_normal(state, d == 1, (uint64_t)i);
                const double      ulps = oracle_ulps(dtypes[d], number_at(y, i), exact);
                worst[d] = fmax(worst[d], ulps);
                CHECK(ulps <= 4, "randn %s: element %d is %a, %g ULP off", stria_dtype_get_name(dtypes[d]), (int)i,
                      number_at(y, i), ulps);
            }
            stria_tensor_release(y);
        }
    CHECK_STATUS(stria_threads_set(2, NULL), STRIA_OK);
    printf("randn: %.2f ULP in f32, %.2f in f64\n", worst[0], worst[1]);
}

/* musl's logl rounds its argument and its result to double: a unit more of what is compared with it. */
#ifdef __wasm__
#define LOGL_ULPS 1
#else
#define LOGL_ULPS 0
#endif

static void test_exponential(void)
{
    static const stria_dtype    dtypes[] = {STRIA_F32, STRIA_F64};
    static const double         rates[] = {1, 0.25, 3, 1e-3};
    const stria_generator_state state = {8, 1};
    stria_tensor               *x = NULL;

    for (int d = 0; d < 2; d++) {
        CHECK_STATUS(stria_tensor_new(dtypes[d], 1, SHAPE(100000), &x, NULL), STRIA_OK);
        for (int r = 0; r < 4; r++) { /* 1 / rate is rounded, and so is the product with it */
            const double bound = (r < 2 ? 1 : 2.5) + LOGL_ULPS;
            stria_generator_set_state(generator, state);
            CHECK_STATUS(stria_exponential_out(x, rates[r], generator, x, NULL), STRIA_OK);
            for (int64_t i = r; i < 100000; i += r + 1) {
                const double u = stream_positive(state, d == 1, (uint64_t)i), v = number_at(x, i);
                const double ulps =
                    u == 1 ? 0 : oracle_ulps(dtypes[d], v, -logl((long double)u) / (long double)rates[r]);
                CHECK(v > 0 && ulps <= bound, "exponential of rate %g: %a of %a, %g ULP", rates[r], v, u, ulps);
            }
        }
        stria_tensor_release(x);
    }
}

/* f16 and bf16 are the numbers of f32, rounded; mean and std multiply and add in the lane. */
static void test_rounding(void)
{
    static const stria_dtype halves[] = {STRIA_F16, STRIA_BF16};
    stria_tensor            *wide = NULL, *x = NULL;

    for (int d = 0; d < 2; d++) {
        CHECK_STATUS(stria_tensor_new(halves[d], 2, SHAPE(30, 41), &x, NULL), STRIA_OK);
        stria_generator_set_seed(generator, 4);
        CHECK_STATUS(stria_randn(SHAPE(30, 41), 2, STRIA_F32, STRIA_CPU, generator, &wide, NULL), STRIA_OK);
        stria_generator_set_seed(generator, 4);
        CHECK_STATUS(stria_fill_normal_out(x, 3, 0.5, generator, x, NULL), STRIA_OK);
        for (int64_t i = 0; i < 30 * 41; i++) {
            const float product = (float)number_at(wide, i) * 0.5f;
            char        wanted[2];
            value_set(halves[d], value_from_real((double)(3.0f + product)), wanted);
            CHECK(memcmp(data_of(x) + 2 * i, wanted, 2) == 0, "element %d is %g", (int)i, number_at(x, i));
        }
        stria_tensor_release(wide);
        stria_tensor_release(x);
    }
}

enum { MANY = 1 << 20 };
static double numbers[MANY];
static double normal_cdf(double x) { return 0.5 * erfc(-x / sqrt(2)); }
static double exponential_cdf(double x) { return -expm1(-x); }

static void take(stria_tensor *y)
{
    for (int64_t i = 0; y && i < MANY; i++) numbers[i] = number_at(y, i);
    stria_tensor_release(y);
}

static void test_statistics(void)
{
    for (int d = 0; d < 2; d++) {
        const stria_dtype dtype = d ? STRIA_F64 : STRIA_F32;
        stria_tensor     *y = NULL, *e = NULL;
        double            moments[5] = {0};
        int               beyond = 0;
        stria_generator_set_seed(generator, 10 + (uint64_t)d);
        CHECK_STATUS(stria_randn(SHAPE(MANY), 1, dtype, STRIA_CPU, generator, &y, NULL), STRIA_OK);
        take(y);
        for (int64_t i = 0; i < MANY; i++)
            for (int k = 1; k < 5; k++) moments[k] += pow(numbers[i], k) / MANY;
        for (int64_t i = 0; i < MANY; i++) beyond += fabs(numbers[i]) > 4;
        CHECK(fabs(moments[1]) * 1024 < 3.5, "mean %g", moments[1]);
        CHECK(fabs(moments[2] - 1) * 1024 / sqrt(2) < 3.5, "variance %g", moments[2]);
        CHECK(fabs(moments[3]) * 1024 / sqrt(15) < 3.5, "third moment %g", moments[3]);
        CHECK(fabs(moments[4] - 3) * 1024 / sqrt(96) < 3.5, "fourth moment %g", moments[4]);
        CHECK(beyond > 40 && beyond < 97, "%d beyond 4 deviations, of 66", beyond);
        for (int lag = 1; lag <= 64; lag *= 2) {
            const double r = statistics_correlation(numbers, numbers + lag, MANY - lag);
            CHECK(fabs(r) < 3.5, "correlation %g at %d", r, lag);
        }
        statistics_sort(numbers, MANY);
        CHECK(statistics_kolmogorov(numbers, MANY, normal_cdf) < 1.95, "Kolmogorov of randn");
        CHECK_STATUS(stria_tensor_new(dtype, 1, SHAPE(MANY), &e, NULL), STRIA_OK);
        CHECK_STATUS(stria_exponential_out(e, 1, generator, e, NULL), STRIA_OK);
        take(e);
        statistics_sort(numbers, MANY);
        CHECK(statistics_kolmogorov(numbers, MANY, exponential_cdf) < 1.95, "Kolmogorov of exponential");
    }
}

/* ---------------------------------------------------------------- whole numbers */

static void check_whole(stria_scalar low, stria_scalar high, whole_int first, whole_int end, stria_dtype dtype)
{
    const stria_generator_state state = {21, 2};
    const whole_int             count = end - first;
    const bool                  is_long = count > (whole_int)1 << 32 && count < (whole_int)1 << 64;
    stria_tensor               *y = NULL;

    stria_generator_set_state(generator, state);
    CHECK_STATUS(stria_randint(low, high, SHAPE(3, 700), 2, dtype, STRIA_CPU, generator, &y, NULL), STRIA_OK);
    if (!y) return;
    CHECK(stria_generator_get_state(generator).offset == 2 + (uint64_t)(2100 * (is_long ? 4 : 2) + 63) / 64, "taken");
    for (int64_t k = 0; k < 2100; k++) {
        const uint64_t  upper = stream_pair(state, (uint64_t)(is_long ? 2 * k + 1 : k));
        const uint64_t  lower = is_long ? stream_pair(state, (uint64_t)(2 * k)) : 0;
        const whole_int below = (whole_int)((unsigned __int128)lower * (unsigned __int128)(is_long ? count : 0) >> 64);
        const unsigned __int128 product =
            (unsigned __int128)upper * (unsigned __int128)(uint64_t)count + (unsigned __int128)below;
        const whole_int n = first + (count == (whole_int)1 << 64 ? (whole_int)upper : (whole_int)(product >> 64));
        char            wanted[8];
        const char     *at = data_of(y) + k * (int64_t)stria_dtype_get_size(dtype);
        value_set(dtype, value_from_whole(n), wanted);
        CHECK(memcmp(at, wanted, stria_dtype_get_size(dtype)) == 0, "randint %s: element %d is %lld, not %lld",
              stria_dtype_get_name(dtype), (int)k, (long long)value_get(dtype, at).whole, (long long)n);
    }
    stria_tensor_release(y);
}

static void test_whole(void)
{
    const whole_int one = 1;

    for (int d = 0; d < STRIA_DTYPE_COUNT; d++)
        if (!dtype_is_complex((stria_dtype)d)) check_whole(INT(0), INT(2), 0, 2, (stria_dtype)d);
    check_whole(INT(-128), INT(128), -128, 128, STRIA_I8);
    check_whole(INT(-3), INT(4), -3, 4, STRIA_F16);
    check_whole(INT(5), INT(6), 5, 6, STRIA_U8);
    check_whole(INT(0), INT(one << 32), 0, one << 32, STRIA_U32);
    check_whole(INT(-1), INT(one << 32), -1, one << 32, STRIA_I64);
    check_whole(INT(INT64_MIN), INT(INT64_MAX), INT64_MIN, INT64_MAX, STRIA_I64);
    check_whole(INT(INT64_MIN), UINT(UINT64_C(1) << 63), INT64_MIN, one << 63, STRIA_I64);
    check_whole(INT(0), REAL(0x1p64), 0, one << 64, STRIA_U64);
    check_whole(INT(1), UINT(UINT64_MAX), 1, UINT64_MAX, STRIA_U64);
    check_whole(UINT((UINT64_C(1) << 63) + 5), UINT(UINT64_MAX), (one << 63) + 5, UINT64_MAX, STRIA_U64);
    check_whole(REAL(0x1p63), REAL(0x1p64), one << 63, one << 64, STRIA_U64);
    check_whole(REAL(-0x1p63), REAL(0x1p63), INT64_MIN, one << 63, STRIA_I64);
    check_whole(REAL(-0x1p63), REAL(-0x1.fffffffffffffp62), INT64_MIN, INT64_MIN + 1024, STRIA_I64);
    check_whole(INT(-(1 << 24)), INT((1 << 24) + 1), -(1 << 24), (1 << 24) + 1, STRIA_F32);
}

static void test_permutation(void)
{
    stria_tensor *y = NULL;
    int           seen[24] = {0};

    CHECK_STATUS(stria_randperm(0, STRIA_DTYPE_NONE, STRIA_CPU, generator, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_numel(y) == 0 && stria_tensor_get_dtype(y) == STRIA_I64, "no numbers");
    stria_tensor_release(y);
    for (int round = 0; round < 24000; round++) {
        int place = 0;
        CHECK_STATUS(stria_randperm(4, STRIA_I32, STRIA_CPU, generator, &y, NULL), STRIA_OK);
        const int32_t *p = (const int32_t *)(const void *)data_of(y);
        for (int i = 0; i < 4; i++) {
            int smaller = 0;
            for (int j = i + 1; j < 4; j++) smaller += p[j] < p[i];
            place = place * (4 - i) + smaller;
        }
        seen[place]++;
        stria_tensor_release(y);
    }
    double chi2 = 0;
    for (int k = 0; k < 24; k++) chi2 += pow(seen[k] - 1000, 2) / 1000;
    CHECK(statistics_chi2_tail(chi2, 23) > 1e-3, "chi^2 of permutations %g", chi2);
    static bool is_there[100000];
    CHECK_STATUS(stria_randperm(100000, STRIA_DTYPE_NONE, STRIA_CPU, generator, &y, NULL), STRIA_OK);
    for (int64_t i = 0; i < 100000; i++) is_there[((const int64_t *)(const void *)data_of(y))[i]] = true;
    for (int64_t i = 0; i < 100000; i++) CHECK(is_there[i], "%d is missing", (int)i);
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- truth, weights */

static void test_bernoulli(void)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16};
    stria_tensor            *x = NULL, *y = NULL, *u = NULL;

    for (int d = 0; d < 3; d++) {
        stria_generator_set_seed(generator, 1);
        CHECK_STATUS(stria_rand(SHAPE(5000), 1, dtypes[d], STRIA_CPU, generator, &x, NULL), STRIA_OK);
        stria_generator_set_seed(generator, 2);
        CHECK_STATUS(stria_bernoulli(x, NAN, generator, &y, NULL), STRIA_OK);
        stria_generator_set_seed(generator, 2);
        CHECK_STATUS(stria_rand(SHAPE(5000), 1, STRIA_F64, STRIA_CPU, generator, &u, NULL), STRIA_OK);
        CHECK(stria_tensor_get_dtype(y) == dtypes[d], "dtype of bernoulli");
        for (int64_t i = 0; i < 5000; i++)
            CHECK(number_at(y, i) == (number_at(u, i) < number_at(x, i)), "bernoulli: element %d", (int)i);
        CHECK_STATUS(stria_bernoulli_out(x, 0.25, generator, x, NULL), STRIA_OK);
        double sum = 0;
        for (int64_t i = 0; i < 5000; i++) sum += number_at(x, i);
        CHECK(fabs(sum - 1250) / sqrt(5000 * 0.1875) < 3.5, "%g of 1250", sum);
        stria_tensor_release(x);
        stria_tensor_release(y);
        stria_tensor_release(u);
    }
    CHECK_STATUS(stria_tensor_new(STRIA_I8, 1, SHAPE(1000), &x, NULL), STRIA_OK);
    for (int p = 0; p < 2; p++) {
        CHECK_STATUS(stria_bernoulli_out(x, p, generator, x, NULL), STRIA_OK);
        for (int64_t i = 0; i < 1000; i++) CHECK(data_of(x)[i] == p, "p = %d", p);
    }
    stria_tensor_release(x);
}

static void test_dropout(void)
{
    stria_tensor *x = NULL, *y = NULL, *u = NULL;

    CHECK_STATUS(stria_randn(SHAPE(4000), 1, STRIA_F32, STRIA_CPU, generator, &x, NULL), STRIA_OK);
    stria_generator_set_seed(generator, 3);
    CHECK_STATUS(stria_dropout(x, 0.75, true, generator, &y, NULL), STRIA_OK);
    stria_generator_set_seed(generator, 3);
    CHECK_STATUS(stria_rand(SHAPE(4000), 1, STRIA_F32, STRIA_CPU, generator, &u, NULL), STRIA_OK);
    for (int64_t i = 0; i < 4000; i++)
        CHECK(number_at(y, i) == (number_at(u, i) >= 0.75 ? 4 * number_at(x, i) : 0), "dropout: element %d", (int)i);
    stria_tensor_release(y);
    for (int64_t i = 0; i < 4000; i += 400) { /* a number that is p itself is not below it */
        const double p = number_at(u, i);
        stria_generator_set_seed(generator, 3);
        CHECK_STATUS(stria_dropout(x, p, true, generator, &y, NULL), STRIA_OK);
        CHECK((number_at(y, i) != 0) == (number_at(x, i) != 0), "dropout of %g at %g", p, p);
        stria_tensor_release(y);
    }
    CHECK_STATUS(stria_dropout(x, 0.75, false, generator, &y, NULL), STRIA_OK);
    CHECK(y != x && memcmp(data_of(y), data_of(x), 16000) == 0, "without training");
    stria_tensor_release(y);
    CHECK_STATUS(stria_dropout(x, 1, true, generator, &y, NULL), STRIA_OK);
    for (int64_t i = 0; i < 4000; i++) CHECK(number_at(y, i) == 0, "p = 1");
    stria_tensor_release(x);
    stria_tensor_release(y);
    stria_tensor_release(u);
}

static void test_multinomial(void)
{
    static const float weights[] = {1, 0, 3, 2, 0, 4, 0};
    stria_tensor      *x = NULL, *y = NULL;
    int                seen[7] = {0}, pairs[7][7] = {{0}};
    double             chi2 = 0, sum = 0;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 1, SHAPE(7), weights, sizeof weights, &x, NULL), STRIA_OK);
    stria_generator_set_seed(generator, 6);
    CHECK_STATUS(stria_multinomial(x, 20000, true, generator, &y, NULL), STRIA_OK);
    for (int64_t i = 0; i < 20000; i++) seen[((const int64_t *)(const void *)data_of(y))[i]]++;
    for (int k = 0; k < 7; k++) {
        if (weights[k] == 0) CHECK(seen[k] == 0, "weight 0 was drawn");
        if (weights[k] > 0) chi2 += pow(seen[k] - 2000 * (double)weights[k], 2) / (2000 * (double)weights[k]);
    }
    CHECK(statistics_chi2_tail(chi2, 3) > 1e-3, "chi^2 %g", chi2);
    stria_tensor_release(y);
    /* two of the four, in order: w1 / 10 * w2 / (10 - w1) */
    for (int round = 0; round < 20000; round++) {
        CHECK_STATUS(stria_multinomial(x, 2, false, generator, &y, NULL), STRIA_OK);
        const int64_t *p = (const int64_t *)(const void *)data_of(y);
        pairs[p[0]][p[1]]++;
        stria_tensor_release(y);
    }
    chi2 = 0;
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            const double p = i == j ? 0 : (double)weights[i] / 10 * (double)weights[j] / (10 - (double)weights[i]);
            if (p == 0) CHECK(pairs[i][j] == 0, "%d, %d was drawn", i, j);
            if (p > 0) chi2 += pow(pairs[i][j] - 20000 * p, 2) / (20000 * p);
            sum += p;
        }
    CHECK(fabs(sum - 1) < 1e-12 && statistics_chi2_tail(chi2, 11) > 1e-3, "chi^2 of pairs %g", chi2);
    /* all that can be drawn; rows; a strided matrix */
    CHECK_STATUS(stria_multinomial(x, 4, false, generator, &y, NULL), STRIA_OK);
    for (int64_t i = 0; i < 4; i++) CHECK(weights[((const int64_t *)(const void *)data_of(y))[i]] > 0, "weight 0");
    stria_tensor_release(y);
    static const double columns[] = {0, 1, 5, 0, 0, 0, 0x1p-1000, 0x1p1000};
    stria_tensor       *matrix = NULL, *turned = NULL;
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F64, 2, SHAPE(4, 2), columns, sizeof columns, &matrix, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(matrix, 0, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_multinomial(turned, 50, true, generator, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_ndim(y) == 2 && stria_tensor_get_shape(y)[0] == 2 && stria_tensor_get_shape(y)[1] == 50,
          "shape of rows");
    for (int64_t i = 0; i < 100; i++)
        CHECK(((const int64_t *)(const void *)data_of(y))[i] == (i < 50 ? 1 : 3), "row %d", (int)(i / 50));
    stria_tensor_release(x);
    stria_tensor_release(y);
    stria_tensor_release(matrix);
    stria_tensor_release(turned);
}

static void test_normal_of(void)
{
    static const float means[] = {0, 10, -5}, deviations[] = {0, 2};
    stria_tensor      *mean = NULL, *std = NULL, *y = NULL, *z = NULL;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 2, SHAPE(3, 1), means, sizeof means, &mean, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 1, SHAPE(2), deviations, sizeof deviations, &std, NULL), STRIA_OK);
    stria_generator_set_seed(generator, 12);
    CHECK_STATUS(stria_normal(mean, std, generator, &y, NULL), STRIA_OK);
    stria_generator_set_seed(generator, 12);
    CHECK_STATUS(stria_randn(SHAPE(3, 2), 2, STRIA_F32, STRIA_CPU, generator, &z, NULL), STRIA_OK);
    for (int64_t i = 0; i < 6; i++) {
        const float product = (float)number_at(z, i) * deviations[i % 2];
        CHECK(number_at(y, i) == (double)(product + means[i / 2]), "normal: element %d is %g", (int)i, number_at(y, i));
    }
    stria_tensor_release(mean);
    stria_tensor_release(std);
    stria_tensor_release(y);
    stria_tensor_release(z);
}

/* ---------------------------------------------------------------- refusals */

static stria_tensor *new_f64(int ndim, const int64_t *shape, const double *elements, size_t nbytes)
{
    stria_tensor *x = NULL;
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F64, ndim, shape, elements, nbytes, &x, NULL), STRIA_OK);
    return x;
}

static void test_refusals(void)
{
    stria_tensor *y = NULL, *whole = NULL, *x = new_f64(1, SHAPE(3), (const double[]){0, 0.5, 1}, 24);
    stria_tensor *odd[] = {new_f64(1, SHAPE(2), (const double[]){0.5, NAN}, 16),
                           new_f64(1, SHAPE(2), (const double[]){0.5, -0.5}, 16),
                           new_f64(1, SHAPE(2), (const double[]){1.5, INFINITY}, 16)};
    stria_tensor *none = new_f64(2, SHAPE(2, 2), (const double[]){0, 1, 0, 0}, 32);

    CHECK_STATUS(stria_tensor_new(STRIA_I64, 1, SHAPE(3), &whole, NULL), STRIA_OK);
    REFUSED_NEW(stria_randn(SHAPE(2), 1, STRIA_BOOL, STRIA_CPU, NULL, &y, &err), STRIA_ERR_DTYPE, "randn", "dtype",
                "bool");
    REFUSED_NEW(stria_fill_normal(x, 0, -1, NULL, &y, &err), STRIA_ERR_ARGUMENT, "fill_normal", "std", "-1");
    REFUSED_NEW(stria_fill_normal(x, NAN, 1, NULL, &y, &err), STRIA_ERR_ARGUMENT, "fill_normal", "mean", "nan");
    REFUSED_NEW(stria_fill_normal(x, 0, NAN, NULL, &y, &err), STRIA_ERR_ARGUMENT, "fill_normal", "std", "nan");
    REFUSED_NEW(stria_fill_normal(whole, 0, 1, NULL, &y, &err), STRIA_ERR_DTYPE, "fill_normal", "x", "i64");
    REFUSED_NEW(stria_normal(x, odd[1], NULL, &y, &err), STRIA_ERR_SHAPE, "normal", "std", "broadcast");
    REFUSED_NEW(stria_normal(odd[1], odd[1], NULL, &y, &err), STRIA_ERR_ARGUMENT, "normal", "std", "below 0");
    REFUSED_NEW(stria_exponential(x, 0, NULL, &y, &err), STRIA_ERR_ARGUMENT, "exponential", "lambd", "above 0");
    REFUSED_NEW(stria_exponential(x, NAN, NULL, &y, &err), STRIA_ERR_ARGUMENT, "exponential", "lambd", "above 0");
    REFUSED_NEW(stria_exponential(x, INFINITY, NULL, &y, &err), STRIA_ERR_ARGUMENT, "exponential", "lambd", "inf");
    for (int k = 0; k < 3; k++) {
        REFUSED_NEW(stria_bernoulli(odd[k], NAN, NULL, &y, &err), STRIA_ERR_ARGUMENT, "bernoulli", "x",
                    "no probabilities");
        if (k != 1)
            REFUSED_NEW(stria_multinomial(odd[k], 1, true, NULL, &y, &err), STRIA_ERR_ARGUMENT, "multinomial", "x",
                        "NaN");
    }
    REFUSED_NEW(stria_bernoulli(x, 1.5, NULL, &y, &err), STRIA_ERR_ARGUMENT, "bernoulli", "p", "1.5");
    REFUSED_NEW(stria_bernoulli(whole, NAN, NULL, &y, &err), STRIA_ERR_DTYPE, "bernoulli", "x", "i64");
    REFUSED_NEW(stria_dropout(x, NAN, true, NULL, &y, &err), STRIA_ERR_ARGUMENT, "dropout", "p", "nan");
    REFUSED_NEW(stria_dropout(x, -0.1, false, NULL, &y, &err), STRIA_ERR_ARGUMENT, "dropout", "p", "-0.1");
    REFUSED_NEW(stria_dropout(whole, 0.5, true, NULL, &y, &err), STRIA_ERR_DTYPE, "dropout", "x", "i64");
    REFUSED_NEW(stria_multinomial(odd[1], 1, true, NULL, &y, &err), STRIA_ERR_ARGUMENT, "multinomial", "x", "negative");
    REFUSED_NEW(stria_multinomial(none, 1, true, NULL, &y, &err), STRIA_ERR_ARGUMENT, "multinomial", "x", "0 weights");
    REFUSED_NEW(stria_multinomial(x, 3, false, NULL, &y, &err), STRIA_ERR_ARGUMENT, "multinomial", "x", "2 weights");
    REFUSED_NEW(stria_multinomial(x, 4, false, NULL, &y, &err), STRIA_ERR_ARGUMENT, "multinomial", "num_samples", "4");
    REFUSED_NEW(stria_multinomial(x, 0, true, NULL, &y, &err), STRIA_ERR_ARGUMENT, "multinomial", "num_samples", "0");
    REFUSED_NEW(stria_multinomial(whole, 1, true, NULL, &y, &err), STRIA_ERR_DTYPE, "multinomial", "x", "i64");
    REFUSED_NEW(stria_randint(INT(3), INT(3), SHAPE(2), 1, STRIA_I64, STRIA_CPU, NULL, &y, &err), STRIA_ERR_ARGUMENT,
                "randint", "high", "above low");
    REFUSED_NEW(stria_randint(INT(3), INT(-3), SHAPE(2), 1, STRIA_I64, STRIA_CPU, NULL, &y, &err), STRIA_ERR_ARGUMENT,
                "randint", "high", "above low");
    REFUSED_NEW(stria_randint(REAL(0.5), INT(3), SHAPE(2), 1, STRIA_I64, STRIA_CPU, NULL, &y, &err), STRIA_ERR_ARGUMENT,
                "randint", "low", "whole number");
    REFUSED_NEW(stria_randint(INT(0), REAL(NAN), SHAPE(2), 1, STRIA_I64, STRIA_CPU, NULL, &y, &err), STRIA_ERR_ARGUMENT,
                "randint", "high", "nan");
    REFUSED_NEW(stria_randint(REAL(-0x1.0000000000001p63), INT(3), SHAPE(2), 1, STRIA_I64, STRIA_CPU, NULL, &y, &err),
                STRIA_ERR_ARGUMENT, "randint", "low", "whole number");
    REFUSED_NEW(stria_randint(INT(0), REAL(0x1.0000000000001p64), SHAPE(2), 1, STRIA_U64, STRIA_CPU, NULL, &y, &err),
                STRIA_ERR_ARGUMENT, "randint", "high", "whole number");
    REFUSED_NEW(stria_randint(UINT((UINT64_C(1) << 63) + 5), UINT((UINT64_C(1) << 63) + 5), SHAPE(2), 1, STRIA_U64,
                              STRIA_CPU, NULL, &y, &err),
                STRIA_ERR_ARGUMENT, "randint", "high", "above low");
    REFUSED_NEW(stria_randint(INT(0), INT(257), SHAPE(2), 1, STRIA_U8, STRIA_CPU, NULL, &y, &err), STRIA_ERR_ARGUMENT,
                "randint", "high", "u8");
    REFUSED_NEW(stria_randint(INT(-1), INT(2), SHAPE(2), 1, STRIA_U64, STRIA_CPU, NULL, &y, &err), STRIA_ERR_ARGUMENT,
                "randint", "low", "u64");
    REFUSED_NEW(stria_randint(INT(-1), REAL(0x1p64), SHAPE(2), 1, STRIA_I64, STRIA_CPU, NULL, &y, &err),
                STRIA_ERR_ARGUMENT, "randint", "high", "i64");
    REFUSED_NEW(stria_randint(INT(0), INT(2), SHAPE(2), 1, STRIA_C64, STRIA_CPU, NULL, &y, &err), STRIA_ERR_DTYPE,
                "randint", "dtype", "c64");
    REFUSED_NEW(stria_randint(INT(0), INT(2050), SHAPE(2), 1, STRIA_F16, STRIA_CPU, NULL, &y, &err), STRIA_ERR_ARGUMENT,
                "randint", "high", "f16");
    REFUSED_NEW(stria_randperm(-1, STRIA_I64, STRIA_CPU, NULL, &y, &err), STRIA_ERR_ARGUMENT, "randperm", "n", "-1");
    REFUSED_NEW(stria_randperm(300, STRIA_U8, STRIA_CPU, NULL, &y, &err), STRIA_ERR_ARGUMENT, "randperm", "n", "u8");
    REFUSED_NEW(stria_randperm(INT64_MAX, STRIA_I64, STRIA_CPU, NULL, &y, &err), STRIA_ERR_OVERFLOW, "randperm", "n",
                "randperm");
    for (int k = 0; k < 3; k++) stria_tensor_release(odd[k]);
    stria_tensor_release(x);
    stria_tensor_release(none);
    stria_tensor_release(whole);
}

SUITE(test_distributions)
{
    check_isa("test_distributions");
    CHECK_STATUS(stria_generator_new(0, &generator, NULL), STRIA_OK);
    test_normal();
    if (check_has_values()) {
        test_exponential();
        test_rounding();
        test_statistics();
    }
    test_whole();
    test_permutation();
    test_bernoulli();
    test_dropout();
    test_multinomial();
    test_normal_of();
    if (check_has_values()) test_refusals();
    stria_generator_release(generator);
    return check_finish("test_distributions");
}
