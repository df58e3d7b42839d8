/* test_cast.c - conversion from every dtype to every dtype against an independent definition (oracle.c): the cast
 * loops of the kernel table over strides, exhaustive 16-bit inputs, rounding and saturation pitfalls; then the public copies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simd/kernels.h"
#include "oracle.h"

#define COUNT 203

static void check_element(stria_dtype from, stria_dtype to, const void *source, const void *got, const char *what)
{
    char expected[16], a[64], b[64], c[64];
    value_set(to, value_get(from, source), expected);
    const bool ok = value_same(to, got, expected);
    if (ok) {
        check_count++;
        return;
    }
    CHECK(ok, "%s to %s, %s: %s gave %s, expected %s", stria_dtype_get_name(from), stria_dtype_get_name(to), what,
          value_print(from, source, a, sizeof a), value_print(to, got, b, sizeof b),
          value_print(to, expected, c, sizeof c));
}

/* Strides of source and destination in elements; 0 is one source element for all. */
static void check_strides(const stria_kernels *kernels, stria_dtype from, stria_dtype to, int64_t source_step,
                          int64_t step, random_state *random)
{
    const int64_t from_size = (int64_t)stria_dtype_get_size(from), to_size = (int64_t)stria_dtype_get_size(to);
    const size_t  source_bytes = (size_t)(COUNT * (llabs(source_step) + 1) * from_size);
    const size_t  bytes = (size_t)(COUNT * (llabs(step) + 1) * to_size);
    char         *source = malloc(source_bytes), *memory = malloc(bytes), *before = malloc(bytes);
    if (!source || !memory || !before) exit(2);
    for (size_t k = 0; k < source_bytes / (size_t)from_size; k++)
        random_element(random, from, -300, 70000, source + k * (size_t)from_size);
    memset(memory, 0x5a, bytes);
    memcpy(before, memory, bytes);

    const char *first_source = source + (source_step < 0 ? (COUNT - 1) * -source_step * from_size : 0);
    char       *first = memory + (step < 0 ? (COUNT - 1) * -step * to_size : 0);
    for (int64_t n = 0; n <= COUNT; n = n < 40 ? n + 1 : n + 163) {
        memcpy(memory, before, bytes);
        kernels->cast[from][to](first, step * to_size, first_source, source_step * from_size, n);
        for (int64_t k = 0; k < n; k++) {
            char *got = first + k * step * to_size;
            check_element(from, to, first_source + k * source_step * from_size, got, "strided");
            memset(got, 0x5a, (size_t)to_size);
        }
        CHECK(memcmp(memory, before, bytes) == 0, "%s to %s wrote beside its elements", stria_dtype_get_name(from),
              stria_dtype_get_name(to));
    }
    free(source);
    free(memory);
    free(before);
}

static void test_loops(void)
{
    static const int64_t steps[][2] = {{1, 1}, {0, 1}, {-1, 1}, {2, 1}, {1, 2}, {3, -1}, {-2, -3}, {7, 1}, {1, 5}};
    const stria_kernels *kernels = stria_dispatch_get();
    random_state         random = {31};
    for (int from = 0; from < STRIA_DTYPE_COUNT; from++)
        for (int to = 0; to < STRIA_DTYPE_COUNT; to++)
            for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++)
                check_strides(kernels, (stria_dtype)from, (stria_dtype)to, steps[s][0], steps[s][1], &random);
}

/* A run of given elements to every dtype. */
static void check_run(stria_dtype from, const void *source, int64_t count, const char *what)
{
    const stria_kernels *kernels = stria_dispatch_get();
    const int64_t        from_size = (int64_t)stria_dtype_get_size(from);
    char                *got = malloc((size_t)count * 16);
    if (!got) exit(2);
    for (int to = 0; to < STRIA_DTYPE_COUNT; to++) {
        const int64_t to_size = (int64_t)stria_dtype_get_size((stria_dtype)to);
        kernels->cast[from][to](got, to_size, source, from_size, count);
        for (int64_t k = 0; k < count; k++)
            check_element(from, (stria_dtype)to, (const char *)source + k * from_size, got + k * to_size, what);
    }
    free(got);
}

/* Every f16 and bf16, and every way back from numbers around each of them. */
static void test_half_exhaustive(void)
{
    static uint16_t bits[65536];
    static float    singles[65536 * 5];
    static double   doubles[65536 * 5];
    for (int k = 0; k < 65536; k++) bits[k] = (uint16_t)k;
    for (int h = 0; h < 2; h++) {
        const stria_dtype dtype = h ? STRIA_BF16 : STRIA_F16;
        check_run(dtype, bits, 65536, "exhaustive");
        for (int k = 0; k < 65536; k++) {
            const uint16_t next = (uint16_t)(k + 1);
            const double   x = value_get(dtype, &bits[k]).real, y = value_get(dtype, &next).real;
            const double   middle = x / 2 + y / 2; /* a tie, exact in f32 and f64 but for the smallest bf16 */
            const double   group[] = {x, nextafter(middle, -INFINITY), middle, nextafter(middle, INFINITY), x * 1.25};
            for (int j = 0; j < 5; j++) {
                doubles[5 * k + j] = group[j];
                singles[5 * k + j] = j == 1   ? nextafterf((float)middle, -INFINITY)
                                     : j == 3 ? nextafterf((float)middle, INFINITY)
                                              : (float)group[j];
            }
        }
        check_run(STRIA_F32, singles, 65536 * 5, "around a tie");
        check_run(STRIA_F64, doubles, 65536 * 5, "around a tie");
    }
}

/* Numbers that a detour over a shorter format would round twice, and the ends of every integer range. */
static void test_pitfalls(void)
{
    static const double doubles[] = {
        1 + 0x1p-11 + 0x1p-40,
        1 + 0x1p-11 - 0x1p-40,
        1 + 3 * 0x1p-11 - 0x1p-40, /* f16: f32 would make these ties */
        1 + 0x1p-8 + 0x1p-40,
        1 + 0x1p-8 - 0x1p-40,
        -1 - 3 * 0x1p-8 + 0x1p-45, /* bf16 */
        65519.999999999993,
        65520,
        65504,
        -65520,
        0x1p-25,
        0x1.0000000000001p-25,
        0x1p-24,
        0x1.8p-24,
        0x1.7ffffffffffffp-24,
        0x1.fffffefffffffp127,
        0x1.ffffffp127,
        0x1.fffffep127,
        0x1.ff7fffffffffp127,
        0x1.ff8p127,
        0x1p-133,
        0x1p-134,
        0x1.0000000000001p-134,
        0x1p-149,
        0x1p-150,
        0x1.0000000000001p-150,
        0x1p-1074,
        -0.0,
        0.0,
        0.9999999999999999,
        -0.99,
        -1.5,
        254.5,
        255,
        255.99,
        256,
        -128.99,
        -129,
        127.99,
        65535.99,
        65536,
        2147483647,
        2147483647.5,
        2147483648,
        -2147483648.5,
        -2147483649,
        4294967295.5,
        4294967296,
        0x1.fffffffffffffp62,
        0x1p63,
        -0x1p63,
        -0x1.0000000000001p63,
        0x1.fffffffffffffp63,
        0x1p64,
        -1,
        1e300,
        -1e300,
        INFINITY,
        -INFINITY,
        NAN,
        -NAN,
    };
    static const uint64_t wholes[] = {
        0,
        1,
        2049,
        2051,
        65504,
        65519,
        65520,
        257,
        259,
        (1u << 24) + 1,
        (1u << 24) + 3,
        (1ull << 53) + 1,
        (1ull << 53) + 3,
        (1ull << 31) + 128,
        UINT32_MAX,
        1ull << 32,
        INT64_MAX,
        1ull << 63,
        (1ull << 63) + 1,
        UINT64_MAX,
        UINT64_MAX - 1024,
        (1ull << 62) + (1ull << 54),
        (1ull << 62) + (1ull << 54) + 1,
        (1ull << 60) + (1ull << 36) + 1,
        (1ull << 40) + (1ull << 16),
        0x8000008000000000u,
        0x8000008000000001u,
        0x8080000000000000u,
        0x8080000000000001u,
    };
    enum { N = sizeof doubles / sizeof doubles[0], M = sizeof wholes / sizeof wholes[0] };
    float   singles[N];
    double  pairs[2 * N];
    int64_t negative[M];
    for (int k = 0; k < N; k++) {
        singles[k] = (float)doubles[k];
        pairs[2 * k] = doubles[k];
        pairs[2 * k + 1] = doubles[N - 1 - k];
    }
    for (int k = 0; k < M; k++) negative[k] = (int64_t)(0 - wholes[k]);
    check_run(STRIA_F64, doubles, N, "pitfall");
    check_run(STRIA_F32, singles, N, "pitfall");
    check_run(STRIA_C128, pairs, N, "pitfall");
    check_run(STRIA_U64, wholes, M, "pitfall");
    check_run(STRIA_I64, wholes, M, "pitfall");
    check_run(STRIA_I64, negative, M, "pitfall");
}

/* Half an ulp of bf16 beside 2^62 and 2^63, and one more bit: whichever it is, the sum is above the tie and rounds up. */
static void test_sticky_bits(void)
{
    enum { N = 54 };
    uint64_t wholes[N], large[N];
    int64_t  negative[N];
    for (int k = 0; k < N; k++) {
        wholes[k] = (1ull << 62) + (1ull << 54) + (1ull << k);
        large[k] = 2 * wholes[k];
        negative[k] = -(int64_t)wholes[k];
    }
    check_run(STRIA_U64, wholes, N, "sticky bit");
    check_run(STRIA_U64, large, N, "sticky bit");
    check_run(STRIA_I64, wholes, N, "sticky bit");
    check_run(STRIA_I64, negative, N, "sticky bit");
}

/* Random bits through every float format and 64-bit integer. */
static void test_random_bits(void)
{
    static uint64_t bits[20000];
    random_state    random = {32};
    for (size_t k = 0; k < sizeof bits / sizeof bits[0]; k++) bits[k] = random_next(&random) >> (k % 64);
    check_run(STRIA_U64, bits, 20000, "random bits");
    check_run(STRIA_I64, bits, 20000, "random bits");
    for (size_t k = 0; k < sizeof bits / sizeof bits[0]; k++) bits[k] = random_next(&random);
    check_run(STRIA_F64, bits, 20000, "random bits");
    check_run(STRIA_F32, bits, 40000, "random bits");
}

/* ---------------------------------------------------------------- the public copies */

static void check_same_elements(const stria_tensor *x, const stria_tensor *y, const char *what)
{
    const int ndim = stria_tensor_get_ndim(y);
    int64_t   index[STRIA_MAX_DIMS] = {0};
    if (stria_tensor_get_numel(y) == 0) return;
    do {
        check_element(stria_tensor_get_dtype(x), stria_tensor_get_dtype(y), tensor_at_broadcast(x, ndim, index),
                      tensor_at(y, index), what);
    } while (index_next(ndim, stria_tensor_get_shape(y), index));
}

static void test_copies(void)
{
    static const int64_t shape[] = {4, 3, 37}, none[] = {2, 0, 5};
    random_state         random = {33};
    for (int from = 0; from < STRIA_DTYPE_COUNT; from++) {
        for (int to = 0; to < STRIA_DTYPE_COUNT; to++) {
            for (int l = 0; l < LAYOUT_COUNT; l++) {
                stria_tensor *x = tensor_random(&random, (stria_dtype)from, (layout)l, 3, shape, -300, 70000);
                stria_tensor *y = NULL,
                             *target = tensor_random(&random, (stria_dtype)to, LAYOUT_TRANSPOSED, 3, shape, 0, 1);
                CHECK_STATUS(stria_tensor_copy(x, (stria_dtype)to, &y, NULL), STRIA_OK);
                if (y) {
                    CHECK((int)stria_tensor_get_dtype(y) == to, "a copy of another dtype");
                    check_same_elements(x, y, layout_names[l]);
                }
                CHECK_STATUS(stria_tensor_set(target, x, NULL), STRIA_OK);
                check_same_elements(x, target, layout_names[l]);
                stria_tensor_release(y);
                stria_tensor_release(x);
                stria_tensor_release(target);
            }
        }
    }
    stria_tensor *empty = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 3, none, 0, 1), *y = NULL;
    CHECK_STATUS(stria_tensor_copy(empty, STRIA_I8, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_numel(y) == 0 && stria_tensor_get_shape(y)[0] == 2, "copy of an empty tensor");
    stria_tensor_release(y);
    y = empty;
    CHECK_STATUS(stria_tensor_copy(empty, (stria_dtype)STRIA_DTYPE_COUNT, &y, NULL), STRIA_ERR_DTYPE);
    stria_tensor_release(empty);
}

SUITE(test_cast)
{
    check_isa("test_cast");
    test_loops();
    test_half_exhaustive();
    test_pitfalls();
    test_sticky_bits();
    test_random_bits();
    test_copies();
    return check_finish("test_cast");
}
