/* test_bincount.c - bincount against plain loops: every integer dtype, strides, lengths around blocks, parts and tables, every
 * thread count, weights, out=, refusals. */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

static const stria_dtype dtypes[] = {STRIA_U8,  STRIA_I8,  STRIA_U16, STRIA_I16,
                                     STRIA_U32, STRIA_I32, STRIA_U64, STRIA_I64};

/* n elements below `limit`, `step` elements apart (backwards if negative), in memory that the tensor owns. */
static stria_tensor *new_input(stria_dtype dtype, int64_t n, int64_t limit, int64_t step, random_state *random)
{
    const int64_t size = (int64_t)stria_dtype_get_size(dtype), extent = (n > 0 ? n - 1 : 0) * llabs(step) + 1;
    char         *memory = calloc((size_t)extent, (size_t)size);
    stria_tensor *x = NULL;

    if (!memory) exit(2);
    CHECK_STATUS(stria_tensor_new_external(dtype, 1, &n, &step, memory + (step < 0 ? (extent - 1) * size : 0), free,
                                           memory, &x, NULL),
                 STRIA_OK);
    for (int64_t k = 0; k < n; k++) {
        const whole_int value = (whole_int)(random_next(random) % (uint64_t)limit);
        value_set(dtype, dtype_is_float(dtype) ? value_from_real((double)value / 8 - 3) : value_from_whole(value),
                  tensor_at(x, &k));
    }
    return x;
}

static int64_t get_whole(const stria_tensor *x, int64_t k)
{
    return (int64_t)value_get(stria_tensor_get_dtype(x), tensor_at(x, &k)).whole;
}

/* y against a loop over x. */
static void check_counts(const stria_tensor *x, const stria_tensor *weights, int64_t minlength, const stria_tensor *y)
{
    const int64_t n = stria_tensor_get_numel(x);
    int64_t       length = minlength, wrong = 0;

    for (int64_t k = 0; k < n; k++)
        if (get_whole(x, k) >= length) length = get_whole(x, k) + 1;
    CHECK(stria_tensor_get_ndim(y) == 1 && stria_tensor_get_numel(y) == length, "%lld counts, should be %lld",
          (long long)stria_tensor_get_numel(y), (long long)length);
    if (stria_tensor_get_numel(y) != length) return;
    double  *sums = calloc((size_t)length + 1, sizeof *sums);
    int64_t *counts = calloc((size_t)length + 1, sizeof *counts);
    if (!sums || !counts) exit(2);
    for (int64_t k = 0; k < n; k++) {
        counts[get_whole(x, k)]++;
        if (weights)
            sums[get_whole(x, k)] +=
                value_convert(value_get(stria_tensor_get_dtype(weights), tensor_at(weights, &k)), STRIA_F64).real;
    }
    for (int64_t k = 0; k < length; k++) {
        const stria_dtype dtype = stria_tensor_get_dtype(y);
        char              expected[16];
        value_set(dtype, weights ? value_from_real(sums[k]) : value_from_whole(counts[k]), expected);
        wrong += !value_same(dtype, tensor_at(y, &k), expected);
    }
    CHECK(wrong == 0, "%lld of %lld %s into %lld: %lld wrong", (long long)n, (long long)n,
          stria_dtype_get_name(stria_tensor_get_dtype(x)), (long long)length, (long long)wrong);
    free(sums);
    free(counts);
}

static void check_one(stria_dtype dtype, int64_t n, int64_t limit, int64_t step, int64_t minlength)
{
    random_state  random = {(uint64_t)(n * 31 + limit + step)};
    stria_tensor *x = new_input(dtype, n, limit, step, &random), *y = NULL;

    CHECK_STATUS(stria_bincount(x, NULL, minlength, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_I64, "counts are %s", stria_dtype_get_name(stria_tensor_get_dtype(y)));
    check_counts(x, NULL, minlength, y);
    stria_tensor_release(y);
    stria_tensor_release(x);
}

static void test_counts(void)
{
    static const int64_t lengths[] = {0, 1, 3, 4, 5, 511, 512, 513, 65536, 65537, 200000};
    static const int64_t steps[] = {1, 4, -1, 3};

    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
            const int64_t most = dtypes[d] == STRIA_I8 ? 128 : dtypes[d] == STRIA_U8 ? 256 : 5000;
            check_one(dtypes[d], lengths[n], 100, steps[n % 4], 0);
            check_one(dtypes[d], lengths[n], most, steps[(n + 1) % 4], n % 2 ? 256 : 7);
        }
    check_one(STRIA_U8, 65536 * 70, 256, 1, 0); /* parts that are longer */
    check_one(STRIA_U8, 5000, 256, 1, 1000);    /* more counts than bytes have values */
    check_one(STRIA_I8, 70000, 128, -1, 700);
    check_one(STRIA_I32, 100000, 4096, 1, 0); /* the largest tables that parts have, and one above */
    check_one(STRIA_I32, 100000, 4096, 1, 4097);
}

static void test_weights(void)
{
    static const struct {
        stria_dtype weights, result;
    } kinds[] = {{STRIA_F32, STRIA_F32},  {STRIA_F64, STRIA_F64}, {STRIA_F16, STRIA_F64},
                 {STRIA_BF16, STRIA_F64}, {STRIA_I32, STRIA_F64}, {STRIA_U8, STRIA_F64}};

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int64_t n = 0; n < 6000; n += 2999) {
            random_state  random = {(uint64_t)n + k};
            stria_tensor *x = new_input(STRIA_I64, n, 50, 1, &random);
            stria_tensor *weights = new_input(kinds[k].weights, n, 100, n % 2 ? 2 : -1, &random), *y = NULL;
            CHECK_STATUS(stria_bincount(x, weights, 60, &y, NULL), STRIA_OK);
            CHECK(stria_tensor_get_dtype(y) == kinds[k].result, "sums of %s are %s",
                  stria_dtype_get_name(kinds[k].weights), stria_dtype_get_name(stria_tensor_get_dtype(y)));
            check_counts(x, weights, 60, y);
            stria_tensor_release(y);
            stria_tensor_release(weights);
            stria_tensor_release(x);
        }
}

static void test_out(void)
{
    random_state  random = {5};
    stria_tensor *x = new_input(STRIA_I64, 40, 20, 1, &random), *y = NULL, *view = NULL, *before = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, (const int64_t[]){50}, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(y, 0, 0, 50, 2, &view, NULL), STRIA_OK);
    CHECK_STATUS(stria_bincount_out(x, NULL, 25, view, NULL), STRIA_OK); /* strided, of another dtype */
    CHECK_STATUS(stria_bincount_out(x, NULL, 25, y, NULL), STRIA_OK);    /* resized */
    for (int64_t k = 0; k < 25; k++)
        CHECK(memcmp(tensor_at(view, &k), tensor_at(y, &k), 4) == 0, "count %lld differs with out", (long long)k);
    CHECK_STATUS(stria_tensor_copy(x, STRIA_I64, &before, NULL), STRIA_OK);
    CHECK_STATUS(stria_bincount_out(x, NULL, 0, x, NULL), STRIA_OK); /* into its own input */
    check_counts(before, NULL, 0, x);
    stria_tensor_release(before);
    stria_tensor_release(view);
    stria_tensor_release(y);
    stria_tensor_release(x);
}

static void check_refused(const stria_tensor *x, const stria_tensor *weights, int64_t minlength, stria_status status,
                          const char *argument, const char *words)
{
    stria_tensor *y = NULL;
    stria_error   err = {0};

    CHECK(stria_bincount(x, weights, minlength, &y, &err) == status && y == NULL, "%s instead of %s",
          stria_status_get_name(err.code), stria_status_get_name(status));
    CHECK(strcmp(err.op, "bincount") == 0 && strcmp(err.argument, argument) == 0 && strstr(err.message, words),
          "op %s, argument %s: %s", err.op, err.argument, err.message);
}

static void test_refusals(void)
{
    static const int64_t three = 3, square[] = {3, 3};
    stria_tensor        *x = NULL, *matrix = NULL, *floats = NULL, *few = NULL, *meta = NULL, *complex_numbers = NULL;
    int64_t              at = 1, low = -7, high = INT64_MAX;
    const stria_scalar   two = {.kind = STRIA_SCALAR_INT, .i = 2};

    CHECK_STATUS(stria_full(&three, 1, two, STRIA_I64, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(square, 2, two, STRIA_I64, STRIA_CPU, &matrix, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(&three, 1, two, STRIA_F32, STRIA_CPU, &floats, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(floats, 0, 0, 2, 1, &few, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_C64, 1, &three, &complex_numbers, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(&three, 1, STRIA_I64, STRIA_META, &meta, NULL), STRIA_OK);
    check_refused(NULL, NULL, 0, STRIA_ERR_ARGUMENT, "x", "NULL");
    check_refused(floats, NULL, 0, STRIA_ERR_DTYPE, "x", "x is f32, but must be an integer dtype");
    check_refused(matrix, NULL, 0, STRIA_ERR_SHAPE, "x", "x has shape [3,3], but must have one dim");
    check_refused(x, few, 0, STRIA_ERR_SHAPE, "weights", "weights has shape [2], but must have the shape of x");
    check_refused(x, matrix, 0, STRIA_ERR_SHAPE, "weights", "[3,3]");
    check_refused(x, complex_numbers, 0, STRIA_ERR_DTYPE, "weights", "a real dtype");
    check_refused(x, NULL, -1, STRIA_ERR_ARGUMENT, "minlength", "minlength is -1");
    check_refused(meta, NULL, 0, STRIA_ERR_DEVICE, "x", "depends on elements");
    memcpy(tensor_at(x, &at), &low, sizeof low);
    check_refused(x, NULL, 0, STRIA_ERR_ARGUMENT, "x", "x has an element -7");
    memcpy(tensor_at(x, &at), &high, sizeof high);
    check_refused(x, NULL, 0, STRIA_ERR_OVERFLOW, "x", "9223372036854775807");
    stria_tensor *all[] = {x, matrix, few, floats, complex_numbers, meta};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) stria_tensor_release(all[k]);
}

SUITE(test_bincount)
{
    check_isa("test_bincount");
    for (int n = check_has_values() ? 1 : 4; n <= 4; n += 3) {
        CHECK_STATUS(stria_threads_set(n, NULL), STRIA_OK);
        test_counts();
    }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    test_weights();
    test_out();
    test_refusals();
    return check_finish("test_bincount");
}
