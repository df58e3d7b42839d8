/* test_random.c - uniform random numbers: every element against the words that docs/semantics.md makes it of, over dtypes, sizes, memory
 * layouts and threads; statistics; refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "refused.h"
#include "stream.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
static const stria_dtype floats[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16};
static const int         threads[] = {1, 2, 7};

static stria_generator *generator;

/* The numbers of one call: from + (to - from) u. */
typedef struct uniform {
    double from, to;
} uniform;

/* The largest number of the dtype below u.to; of 16 bits, the largest of all there are. */
static double get_limit(stria_dtype dtype, uniform u)
{
    double limit = -INFINITY;

    if (dtype == STRIA_F64) return nextafter(u.to, -INFINITY);
    if (dtype == STRIA_F32) return (double)nextafterf((float)u.to, -INFINITY);
    for (int k = 0; k < 65536; k++) {
        const uint16_t bits = (uint16_t)k;
        const double   number = value_get(dtype, &bits).real;
        if (number < u.to && number > limit) limit = number;
    }
    return limit;
}

/* Element k as the dtype has it, in plain C. */
static void get_wanted(stria_generator_state state, stria_dtype dtype, uniform u, double limit, uint64_t k, void *at)
{
    const int    bits = dtype == STRIA_F32 ? 24 : dtype == STRIA_F16 ? 11 : 8;
    const double scale = u.to - u.from, unit = dtype == STRIA_F64 ? 0x1p-53 : ldexp(1, -bits);
    double       number;

    if (dtype == STRIA_F64) {
        number = u.from + (double)(stream_pair(state, k) >> 11) * (scale * unit);
    } else {
        const float product = (float)(stream_word(state, k) >> (32 - bits)) * (float)(scale * unit);
        number = (double)((float)u.from + product);
    }
    value_set(dtype, value_from_real(u.from == u.to ? u.from : fmin(number, limit)), at);
}

static void check_elements(const char *what, stria_tensor *y, stria_generator_state state, stria_dtype dtype, uniform u)
{
    int64_t  index[STRIA_MAX_DIMS] = {0};
    uint64_t k = 0;
    char     wanted[8];

    const double limit = get_limit(dtype, u);

    CHECK(stria_tensor_get_dtype(y) == dtype, "%s: dtype %s", what, stria_dtype_get_name(stria_tensor_get_dtype(y)));
    if (stria_tensor_get_numel(y) == 0) return;
    do {
        const char *at = tensor_at(y, index);
        get_wanted(state, dtype, u, limit, k, wanted);
        CHECK(memcmp(at, wanted, stria_dtype_get_size(dtype)) == 0, "%s %s: element %llu is %a, not %a", what,
              stria_dtype_get_name(dtype), (unsigned long long)k, value_get(dtype, at).real,
              value_get(dtype, wanted).real);
        k++;
    } while (index_next(stria_tensor_get_ndim(y), stria_tensor_get_shape(y), index));
}

/* How much of the offset n numbers take. */
static uint64_t get_taken(stria_dtype dtype, int64_t n)
{
    return (uint64_t)((dtype == STRIA_F64 ? 2 * n : n) + 63) / 64;
}

static void test_sizes(void)
{
    static const int64_t sizes[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 1023, 1024, 1025, 4097};
    static const uniform unit = {0, 1};

    for (size_t d = 0; d < sizeof floats / sizeof *floats; d++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const stria_generator_state state = {d * 1000 + k, (uint64_t)(k % 3 ? k : UINT64_MAX - k)};
            stria_tensor               *y = NULL;
            stria_generator_set_state(generator, state);
            CHECK_STATUS(stria_rand(&sizes[k], 1, floats[d], STRIA_CPU, generator, &y, NULL), STRIA_OK);
            check_elements("rand", y, state, floats[d], unit);
            CHECK(stria_generator_get_state(generator).offset == state.offset + get_taken(floats[d], sizes[k]),
                  "%lld elements take %llu", (long long)sizes[k],
                  (unsigned long long)(stria_generator_get_state(generator).offset - state.offset));
            stria_tensor_release(y);
        }
}

/* The same numbers by 1, 2 and 7 threads, of which each has some. */
static void test_threads(void)
{
    static const uniform        unit = {0, 1};
    const stria_generator_state state = {3, 9};
    const int64_t               n = 7 * 32768 + 1000;

    for (size_t d = 0; d < sizeof floats / sizeof *floats; d++)
        for (int t = check_has_values() ? 0 : 2; t < 3; t++) {
            stria_tensor *y = NULL;
            CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
            stria_generator_set_state(generator, state);
            CHECK_STATUS(stria_rand(&n, 1, floats[d], STRIA_CPU, generator, &y, NULL), STRIA_OK);
            check_elements("threads", y, state, floats[d], unit);
            stria_tensor_release(y);
        }
    CHECK_STATUS(stria_threads_set(2, NULL), STRIA_OK);
}

/* Elements count in row-major order, wherever they lie. */
static void test_layouts(void)
{
    static const layout         layouts[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED, LAYOUT_OFFSET,
                                             LAYOUT_STEPPED};
    static const int64_t        shape[] = {5, 7, 9};
    static const uniform        unit = {0, 1}, wide = {-3, 7.5};
    const stria_generator_state state = {1, 1};

    for (size_t d = 0; d < sizeof floats / sizeof *floats; d++)
        for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
            random_state  random = {k};
            stria_tensor *x = tensor_random(&random, floats[d], layouts[k], 3, shape, -1, 1), *y = NULL;
            stria_generator_set_state(generator, state);
            CHECK_STATUS(stria_rand_out(shape, 3, STRIA_DTYPE_NONE, STRIA_CPU, generator, x, NULL), STRIA_OK);
            check_elements("rand_out", x, state, floats[d], unit);
            stria_generator_set_state(generator, state);
            CHECK_STATUS(stria_rand_like(x, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, generator, &y, NULL), STRIA_OK);
            check_elements("rand_like", y, state, floats[d], unit);
            stria_tensor_release(y);
            y = NULL;
            stria_generator_set_state(generator, state);
            CHECK_STATUS(stria_uniform_out(x, -3, 7.5, generator, x, NULL), STRIA_OK);
            check_elements("uniform_", x, state, floats[d], wide);
            stria_generator_set_state(generator, state);
            CHECK_STATUS(stria_uniform(x, -3, 7.5, generator, &y, NULL), STRIA_OK);
            check_elements("uniform", y, state, floats[d], wide);
            stria_tensor_release(y);
            stria_tensor_release(x);
        }
}

/* Ranges where rounding would reach the upper end, and others. */
static void test_ranges(void)
{
    static const uniform ranges[] = {{0, 1},   {1, 2},       {-1, 1},         {2, 2},         {1, 1.0078125},
                                     {-2, -1}, {0, 0x1p-14}, {-0x1p-14, 0},   {1000, 1024},   {-5, 0},
                                     {-5, 4},  {100, 100.5}, {0, 0x1.f8p+15}, {0x1p-8, 0.25}, {-0.5, 0x1p-9}};

    for (size_t d = 0; d < sizeof floats / sizeof *floats; d++)
        for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
            const stria_generator_state state = {k, d};
            stria_tensor               *x = NULL;
            CHECK_STATUS(stria_tensor_new(floats[d], 1, SHAPE(20000), &x, NULL), STRIA_OK);
            stria_generator_set_state(generator, state);
            CHECK_STATUS(stria_uniform_out(x, ranges[k].from, ranges[k].to, generator, x, NULL), STRIA_OK);
            check_elements("range", x, state, floats[d], ranges[k]);
            const char *at = stria_tensor_get_const_data(x);
            for (int64_t i = 0; i < 20000; i++, at += stria_dtype_get_size(floats[d])) {
                const double v = value_get(floats[d], at).real;
                CHECK(v >= ranges[k].from && (v < ranges[k].to || ranges[k].from == ranges[k].to), "%a of range %d", v,
                      (int)k);
            }
            stria_tensor_release(x);
        }
}

/* Ranges of the smallest numbers of a dtype, of which some hold one number alone. */
static void test_smallest(void)
{
    static const double  least[] = {0x1p-149, 0x1p-1074, 0x1p-24, 0x1p-133};
    static const uniform units[] = {{0, 1},   {0, 2},  {0, 3}, {-1, 0}, {-2, 0},
                                    {-3, -1}, {-1, 1}, {1, 2}, {4, 7},  {0, 600}};

    for (size_t d = 0; d < sizeof floats / sizeof *floats; d++)
        for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
            const uniform               u = {units[k].from * least[d], units[k].to * least[d]};
            const stria_generator_state state = {k, d};
            stria_tensor               *x = NULL;
            CHECK_STATUS(stria_tensor_new(floats[d], 1, SHAPE(500), &x, NULL), STRIA_OK);
            stria_generator_set_state(generator, state);
            CHECK_STATUS(stria_uniform_out(x, u.from, u.to, generator, x, NULL), STRIA_OK);
            check_elements("smallest", x, state, floats[d], u);
            stria_tensor_release(x);
        }
}

/* ---------------------------------------------------------------- statistics */

enum { MANY = 1 << 20, CELLS = 1024 };
static double numbers[MANY];

static double identity(double x) { return x; }

/* Numbers of a call into numbers[], as doubles. */
static void draw(stria_dtype dtype, uint64_t seed)
{
    stria_tensor *y = NULL;

    stria_generator_set_seed(generator, seed);
    CHECK_STATUS(stria_rand(SHAPE(MANY), 1, dtype, STRIA_CPU, generator, &y, NULL), STRIA_OK);
    const char *at = stria_tensor_get_const_data(y);
    for (int64_t i = 0; i < MANY; i++, at += stria_dtype_get_size(dtype)) numbers[i] = value_get(dtype, at).real;
    stria_tensor_release(y);
}

static void test_statistics(void)
{
    for (uint64_t seed = 0; seed < 3; seed++)
        for (int d = 0; d < 2; d++) {
            const char *name = stria_dtype_get_name(floats[d]);
            double      chi2 = 0, mean = 0, square = 0;
            static int  cells[CELLS], pairs[CELLS];
            draw(floats[d], seed);
            memset(cells, 0, sizeof cells);
            memset(pairs, 0, sizeof pairs);
            for (int64_t i = 0; i < MANY; i++) cells[(int)(numbers[i] * CELLS)]++;
            for (int64_t i = 0; i + 1 < MANY; i += 2) pairs[(int)(numbers[i] * 32) * 32 + (int)(numbers[i + 1] * 32)]++;
            for (int k = 0; k < CELLS; k++) chi2 += pow(cells[k] - MANY / CELLS, 2) / (MANY / CELLS);
            double tail = statistics_chi2_tail(chi2, CELLS - 1);
            CHECK(tail > 1e-3 && tail < 0.999, "%s, seed %d: chi^2 %g", name, (int)seed, chi2);
            chi2 = 0;
            for (int k = 0; k < CELLS; k++) chi2 += pow(pairs[k] - MANY / 2 / CELLS, 2) / (MANY / 2 / CELLS);
            tail = statistics_chi2_tail(chi2, CELLS - 1);
            CHECK(tail > 1e-3 && tail < 0.999, "%s, seed %d: chi^2 of pairs %g", name, (int)seed, chi2);
            for (int lag = 1; lag <= 64; lag *= 2) {
                const double r = statistics_correlation(numbers, numbers + lag, MANY - lag);
                CHECK(fabs(r) < 3.5, "%s, seed %d: correlation %g at %d", name, (int)seed, r, lag);
            }
            for (int64_t i = 0; i < MANY; i++) mean += numbers[i], square += numbers[i] * numbers[i];
            mean = (mean / MANY - 0.5) * sqrt(12.0 * MANY);
            square = (square / MANY - 1.0 / 3) * sqrt(MANY * 45 / 4.0);
            CHECK(fabs(mean) < 3.5 && fabs(square) < 3.5, "%s, seed %d: moments %g, %g", name, (int)seed, mean, square);
            statistics_sort(numbers, MANY);
            const double distance = statistics_kolmogorov(numbers, MANY, identity);
            CHECK(distance < 1.95, "%s, seed %d: Kolmogorov %g", name, (int)seed, distance);
        }
}

/* Streams of neighbouring seeds, and of forks, have nothing to do with one another. */
static void test_streams(void)
{
    static double before[MANY];

    draw(STRIA_F32, 0);
    for (uint64_t seed = 1; seed < 6; seed++) {
        memcpy(before, numbers, sizeof before);
        draw(STRIA_F32, seed);
        const double r = statistics_correlation(before, numbers, MANY);
        CHECK(fabs(r) < 3.5, "correlation %g of seeds %d and %d", r, (int)seed - 1, (int)seed);
    }
}

/* ---------------------------------------------------------------- refusals */

static void test_refusals(void)
{
    stria_tensor *y = NULL, *x = NULL, *whole = NULL, *meta = NULL;
    const int64_t huge[] = {INT64_MAX, INT64_MAX};

    CHECK_STATUS(stria_tensor_new(STRIA_F16, 1, SHAPE(3), &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_I32, 1, SHAPE(3), &whole, NULL), STRIA_OK);
    REFUSED_NEW(stria_rand(SHAPE(2), 1, STRIA_I64, STRIA_CPU, NULL, &y, &err), STRIA_ERR_DTYPE, "rand", "dtype",
                "must be a real float");
    REFUSED_NEW(stria_rand(SHAPE(2), 1, STRIA_C64, STRIA_CPU, NULL, &y, &err), STRIA_ERR_DTYPE, "rand", "dtype", "c64");
    REFUSED_NEW(stria_rand(SHAPE(-2), 1, STRIA_F32, STRIA_CPU, NULL, &y, &err), STRIA_ERR_SHAPE, "rand", "shape", "-2");
    REFUSED_NEW(stria_rand(huge, 2, STRIA_F32, STRIA_CPU, NULL, &y, &err), STRIA_ERR_OVERFLOW, "rand", "shape", "rand");
    REFUSED_NEW(stria_rand_like(whole, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, NULL, &y, &err), STRIA_ERR_DTYPE,
                "rand_like", "x", "i32");
    REFUSED_NEW(stria_rand_like(NULL, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, NULL, &y, &err), STRIA_ERR_ARGUMENT,
                "rand_like", "x", "NULL");
    REFUSED_NEW(stria_uniform(whole, 0, 1, NULL, &y, &err), STRIA_ERR_DTYPE, "uniform", "x", "i32");
    REFUSED_NEW(stria_uniform(x, NAN, 1, NULL, &y, &err), STRIA_ERR_ARGUMENT, "uniform", "from", "nan");
    REFUSED_NEW(stria_uniform(x, 0, INFINITY, NULL, &y, &err), STRIA_ERR_ARGUMENT, "uniform", "to", "inf");
    REFUSED_NEW(stria_uniform(x, 0, 70000, NULL, &y, &err), STRIA_ERR_ARGUMENT, "uniform", "to",
                "finite number of f16");
    for (int d = 0; d < 3; d++) { /* what rounds to the power of 2 behind the largest number, and what does not quite */
        static const stria_dtype dtypes[] = {STRIA_F16, STRIA_F32, STRIA_BF16};
        static const double      ends[] = {0x1.ffep15, 0x1.ffffffp127, 0x1.ffp127};
        stria_tensor            *z = NULL;
        CHECK_STATUS(stria_tensor_new(dtypes[d], 1, SHAPE(3), &z, NULL), STRIA_OK);
        REFUSED_NEW(stria_uniform(z, 0, ends[d], NULL, &y, &err), STRIA_ERR_ARGUMENT, "uniform", "to", "finite number");
        CHECK_STATUS(stria_uniform(z, 0, nextafter(ends[d], 0), NULL, &y, NULL), STRIA_OK);
        stria_tensor_release(y);
        stria_tensor_release(z);
        y = NULL;
    }
    REFUSED_NEW(stria_uniform(x, 2, 1, NULL, &y, &err), STRIA_ERR_ARGUMENT, "uniform", "to", "at least from, 2");
    REFUSED_NEW(stria_uniform(x, -60000, 60000, NULL, &y, &err), STRIA_ERR_ARGUMENT, "uniform", "to", "farther");
    CHECK_STATUS(stria_rand(SHAPE(4), 1, STRIA_F64, STRIA_META, NULL, &meta, NULL), STRIA_OK);
    REFUSED_NEW(stria_rand_out(SHAPE(4), 1, STRIA_F64, STRIA_CPU, NULL, meta, &err), STRIA_ERR_DEVICE, "rand", "out",
                "meta");
    CHECK_STATUS(stria_rand_like(whole, STRIA_BF16, STRIA_DEVICE_NONE, NULL, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_BF16, "dtype of rand_like");
    stria_tensor_release(y);
    stria_tensor_release(x);
    stria_tensor_release(whole);
    stria_tensor_release(meta);
}

SUITE(test_random)
{
    check_isa("test_random");
    CHECK_STATUS(stria_generator_new(0, &generator, NULL), STRIA_OK);
    if (check_has_values()) test_sizes();
    test_threads();
    if (check_has_values()) {
        test_layouts();
        test_ranges();
        test_smallest();
        test_statistics();
        test_streams();
        test_refusals();
    }
    stria_generator_release(generator);
    return check_finish("test_random");
}
