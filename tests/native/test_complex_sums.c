/* test_complex_sums.c - sums and means of complex numbers have the bits of those of their real and imaginary parts, each copied apart: over
 * shapes, axes, dtypes and threads. Other memory layouts: within rounding. */
#include <math.h>
#include <string.h>

#include "oracle.h"

typedef struct shaped {
    int     ndim;
    int64_t shape[3];
    int     n_axes, axes[2];
} shaped;

/* One chunk, several, with and without a rest; few and many outputs, of few and of many elements. */
static const shaped cases[] = {
    {1, {1}, 1, {0}},           {1, {2}, 1, {0}},
    {1, {31}, 1, {0}},          {1, {32}, 1, {0}},
    {1, {65}, 1, {0}},          {1, {127}, 1, {0}},
    {1, {4095}, 1, {0}},        {1, {4096}, 1, {0}},
    {1, {4097}, 1, {0}},        {1, {20000}, 1, {0}},
    {1, {65536}, 1, {0}},       {1, {70001}, 1, {0}},
    {1, {200000}, 1, {0}},      {2, {3, 5000}, 1, {1}},
    {2, {1000, 3}, 1, {1}},     {2, {1000, 3}, 1, {0}},
    {2, {40, 17}, 1, {0}},      {2, {40, 17}, 1, {1}},
    {2, {300, 70}, 1, {0}},     {2, {300, 70}, 1, {1}},
    {2, {2, 70000}, 1, {1}},    {2, {70000, 2}, 1, {0}},
    {2, {100, 64}, 1, {1}},     {2, {100, 65}, 1, {1}},
    {3, {5, 6, 70}, 2, {0, 2}}, {3, {20, 30, 40}, 2, {0, 1}},
    {3, {20, 30, 40}, 1, {1}},  {3, {40, 1, 33}, 1, {0}},
    {2, {300, 8}, 1, {1}},      {2, {300, 16}, 1, {1}},
    {3, {7, 50, 15}, 1, {2}},   {3, {50, 7, 3}, 2, {0, 2}},
};

/* Numbers from -1 to 1, none of them special. */
static stria_tensor *new_random(stria_dtype dtype, layout kind, const shaped *s)
{
    random_state     random = {1};
    stria_tensor    *x = tensor_random(&random, dtype, kind, s->ndim, s->shape, -1, 1), *parts = NULL;
    stria_generator *generator = NULL;

    CHECK_STATUS(stria_generator_new((uint64_t)s->shape[0], &generator, NULL), STRIA_OK);
    CHECK_STATUS(stria_view_as_real(x, &parts, NULL), STRIA_OK);
    CHECK_STATUS(stria_uniform_out(parts, -1, 1, generator, parts, NULL), STRIA_OK);
    stria_tensor_release(parts);
    stria_generator_release(generator);
    return x;
}

/* The same reduction of one part, which is copied in its memory order. */
static stria_tensor *reduce_part(stria_reduction op, stria_tensor *x, bool is_imag, const shaped *s)
{
    stria_tensor *view = NULL, *part = NULL, *y = NULL;

    CHECK_STATUS(is_imag ? stria_imag(x, &view, NULL) : stria_real(x, &view, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(view, STRIA_DTYPE_NONE, &part, NULL), STRIA_OK);
    CHECK_STATUS(stria_reduce(op, part, s->axes, s->n_axes, false, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    stria_tensor_release(part);
    stria_tensor_release(view);
    return y;
}

static void check_parts(stria_reduction op, stria_tensor *x, const shaped *s, bool same_bits, const char *what)
{
    stria_tensor *y = NULL, *parts[2] = {reduce_part(op, x, false, s), reduce_part(op, x, true, s)};
    const size_t  size = stria_dtype_get_size(stria_tensor_get_dtype(parts[0]));
    int64_t       index[STRIA_MAX_DIMS] = {0};

    CHECK_STATUS(stria_reduce(op, x, s->axes, s->n_axes, false, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == stria_tensor_get_dtype(x), "dtype");
    do {
        for (int k = 0; k < 2; k++) {
            const char  *got = tensor_at(y, index) + (size_t)k * size, *wanted = tensor_at(parts[k], index);
            const double a = value_get(stria_tensor_get_dtype(parts[0]), got).real;
            const double b = value_get(stria_tensor_get_dtype(parts[0]), wanted).real;
            CHECK(same_bits ? memcmp(got, wanted, size) == 0 : fabs(a - b) <= 1e-3,
                  "%s [%lld, %lld]: part %d is %a, not %a", what, (long long)s->shape[0], (long long)s->shape[1], k, a,
                  b);
        }
    } while (index_next(stria_tensor_get_ndim(y), stria_tensor_get_shape(y), index));
    for (int k = 0; k < 2; k++) stria_tensor_release(parts[k]);
    stria_tensor_release(y);
}

static void test_parts(void)
{
    static const stria_dtype dtypes[] = {STRIA_C64, STRIA_C128};
    static const layout      layouts[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED, LAYOUT_STEPPED};
    static const int         threads[] = {1, 2, 7};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int d = 0; d < 2; d++)
            for (int l = 0; l < 4; l++) {
                stria_tensor *x = new_random(dtypes[d], layouts[l], &cases[c]);
                CHECK_STATUS(stria_threads_set(threads[(c + (size_t)l) % 3], NULL), STRIA_OK);
                check_parts(STRIA_RED_sum, x, &cases[c], l < 2, "sum");
                check_parts(STRIA_RED_mean, x, &cases[c], l < 2, "mean");
                stria_tensor_release(x);
            }
    CHECK_STATUS(stria_threads_set(2, NULL), STRIA_OK);
}

/* Eight outputs side by side and more are computed together. */
static void test_side_by_side(void)
{
    for (int64_t n = 6; n < 20; n++) {
        const shaped  s = {2, {500, n}, 1, {0}};
        stria_tensor *x = new_random(STRIA_C64, LAYOUT_CONTIGUOUS, &s);
        check_parts(STRIA_RED_sum, x, &s, n < 8 || n >= 16, "sum of columns");
        stria_tensor_release(x);
    }
}

/* Elements are converted before they are added; zeros keep their signs. */
static void test_conversion(void)
{
    enum { N = 10000 };
    const shaped  s = {1, {N}, 1, {0}};
    stria_tensor *x = new_random(STRIA_C64, LAYOUT_CONTIGUOUS, &s), *wide = NULL, *y = NULL, *z = NULL;

    CHECK_STATUS(stria_tensor_copy(x, STRIA_C128, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_sum(wide, NULL, 0, false, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_reduce(STRIA_RED_sum, x, NULL, 0, false, STRIA_C128, &z, NULL), STRIA_OK);
    CHECK(memcmp(stria_tensor_get_const_data(y), stria_tensor_get_const_data(z), 16) == 0, "c64 into c128");
    stria_tensor_release(y);
    stria_tensor_release(z);
    stria_tensor_release(wide);
    float *parts = stria_tensor_get_data(x);
    for (int64_t k = 0; k < 2 * N; k++) parts[k] = k % 2 ? 0.0f : -0.0f;
    CHECK_STATUS(stria_sum(x, NULL, 0, false, &y, NULL), STRIA_OK);
    parts = stria_tensor_get_data(y);
    CHECK(parts[0] == 0 && signbit(parts[0]) && parts[1] == 0 && !signbit(parts[1]), "-0 + 0i: %g, %g",
          (double)parts[0], (double)parts[1]);
    stria_tensor_release(y);
    stria_tensor_release(x);
}

SUITE(test_complex_sums)
{
    check_isa("test_complex_sums");
    test_parts();
    test_side_by_side();
    test_conversion();
    return check_finish("test_complex_sums");
}
