/* test_cuda_random.c - random numbers on CUDA devices are those of the CPU for the same state of a generator: the same bits where functions
 * are computed alike, which the host runtime does. */
#include <math.h>
#include <string.h>

#include "cuda_pair.h"
#include "refused.h"
#include "tensor/tensor.h"

static const stria_dtype floats[] = {STRIA_F16, STRIA_BF16, STRIA_F32, STRIA_F64};
static const int64_t     counts[] = {0, 1, 31, 32, 33, 64, 65, 1000, 5003};
enum { N_COUNTS = sizeof counts / sizeof *counts };

/* One for each side, of one state, which has taken `offset` groups. */
static void new_generators(stria_generator **g, uint64_t seed, uint64_t offset)
{
    for (int s = 0; s < 2; s++) {
        CHECK_STATUS(stria_generator_new(seed, &g[s], NULL), STRIA_OK);
        stria_generator_set_state(g[s], (stria_generator_state){seed, offset});
    }
}

/* Both took as much. */
static void check(const char *what, stria_dtype dtype, int64_t n, cuda_pair *y, stria_generator **g)
{
    const stria_generator_state one = stria_generator_get_state(g[0]), other = stria_generator_get_state(g[1]);
    char                        text[96];

    snprintf(text, sizeof text, "%s, %lld of %s", what, (long long)n, stria_dtype_get_name(dtype));
    CHECK(one.seed == other.seed && one.offset == other.offset, "%s: the generators differ", text);
    cuda_pair_check(text, y);
    stria_generator_release(g[0]), stria_generator_release(g[1]);
}

#define DEVICE (s == 0 ? STRIA_CPU : CUDA)

static void test_floats(stria_dtype dtype, int64_t n, uint64_t offset)
{
    const int64_t    shape[] = {n};
    stria_generator *g[2];
    cuda_pair        y = {{NULL}};

    new_generators(g, 7 + (uint64_t)n, offset);
    ON_BOTH(stria_rand(shape, 1, dtype, DEVICE, g[s], &y.on[s], &err));
    check("rand", dtype, n, &y, g);
    new_generators(g, UINT64_C(0xfedcba9876543210), offset);
    ON_BOTH(stria_randn(shape, 1, dtype, DEVICE, g[s], &y.on[s], &err));
    check("randn", dtype, n, &y, g);

    cuda_pair x = cuda_pair_new_any(dtype, PAIR_FLIPPED, 1, shape, 1);
    new_generators(g, 9, offset);
    ON_BOTH(stria_uniform(x.on[s], -3, 5, g[s], &y.on[s], &err));
    check("uniform", dtype, n, &y, g);
    new_generators(g, 10, offset);
    ON_BOTH(stria_fill_normal(x.on[s], -3, 0.5, g[s], &y.on[s], &err));
    check("fill_normal", dtype, n, &y, g);
    new_generators(g, 11, offset);
    ON_BOTH(stria_exponential(x.on[s], 1.5, g[s], &y.on[s], &err));
    check("exponential", dtype, n, &y, g);
    cuda_pair_release(&x);
}

static stria_scalar whole(int64_t i) { return (stria_scalar){.kind = STRIA_SCALAR_INT, .i = i}; }

static void test_whole(stria_dtype dtype, int64_t n)
{
    static const int64_t ranges[][2] = {{0, 2}, {3, 100}};
    const int64_t        shape[] = {n};
    stria_generator     *g[2];
    cuda_pair            y = {{NULL}};

    for (int k = 0; k < 2; k++) {
        if (dtype == STRIA_BOOL && k > 0) continue;
        new_generators(g, 12, 3);
        ON_BOTH(stria_randint(whole(ranges[k][0]), whole(ranges[k][1]), shape, 1, dtype, DEVICE, g[s], &y.on[s], &err));
        check("randint", dtype, n, &y, g);
    }
}

/* Ranges of which each number takes 128 bits, of all 64 bits, and below 0. */
static void test_ranges(void)
{
    const stria_scalar all = {.kind = STRIA_SCALAR_FLOAT, .re = 0x1p64};
    stria_generator   *g[2];
    cuda_pair          y = {{NULL}};

    new_generators(g, 13, UINT64_MAX >> 5);
    ON_BOTH(stria_randint(whole(-5), whole(INT64_MAX), SHAPE(40, 5), 2, STRIA_I64, DEVICE, g[s], &y.on[s], &err));
    check("randint of 128 bits", STRIA_I64, 200, &y, g);
    new_generators(g, 14, 0);
    ON_BOTH(stria_randint(whole(0), all, SHAPE(77), 1, STRIA_U64, DEVICE, g[s], &y.on[s], &err));
    check("randint of everything", STRIA_U64, 77, &y, g);
    new_generators(g, 15, 0);
    ON_BOTH(stria_randint(whole(-100), whole(-10), SHAPE(77), 1, STRIA_I8, DEVICE, g[s], &y.on[s], &err));
    check("randint below 0", STRIA_I8, 77, &y, g);
}

/* Rows that are made of these, and results in another order of memory. */
static void test_made(void)
{
    cuda_pair        x = cuda_pair_new_any(STRIA_F32, PAIR_TURNED, 2, SHAPE(30, 50), 2), y = {{NULL}};
    stria_generator *g[2];

    new_generators(g, 16, 0);
    ON_BOTH(stria_randn_like(x.on[s], STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, g[s], &y.on[s], &err));
    check("randn_like", STRIA_F32, 1500, &y, g);
    new_generators(g, 17, 0);
    ON_BOTH(stria_randint_like(x.on[s], whole(0), whole(9), STRIA_I16, STRIA_DEVICE_NONE, g[s], &y.on[s], &err));
    check("randint_like", STRIA_I16, 1500, &y, g);
    new_generators(g, 17, 0); /* of a tensor on the other side */
    ON_BOTH(stria_rand_like(x.on[1 - s], STRIA_DTYPE_NONE, DEVICE, g[s], &y.on[s], &err));
    check("rand_like", STRIA_F32, 1500, &y, g);
    new_generators(g, 18, 0);
    ON_BOTH(stria_dropout(x.on[s], 0.3, true, g[s], &y.on[s], &err));
    check("dropout", STRIA_F32, 1500, &y, g);
    new_generators(g, 19, 0);
    ON_BOTH(stria_bernoulli(x.on[s], 0.3, g[s], &y.on[s], &err));
    check("bernoulli", STRIA_F32, 1500, &y, g);
    cuda_pair_release(&x);
}

/* Eighths of the largest weight add up to the same in any order, so what is drawn is, too. */
static void test_multinomial(stria_dtype dtype, int64_t n_rows, int64_t n)
{
    const int64_t    shape[] = {n_rows, n};
    cuda_pair        x = cuda_pair_new(dtype, PAIR_TURNED, 2, shape, 0, 8, 3), y = {{NULL}}, top = {{NULL}};
    stria_generator *g[2];

    ON_BOTH(stria_slice(x.on[s], 1, n - 1, n, 1, &top.on[s], &err));
    ON_BOTH(stria_fill_out(top.on[s], whole(8), top.on[s], &err));
    for (int replacement = 0; replacement < 2; replacement++) {
        const int64_t samples = replacement ? 50 : n / 2, count = n_rows * samples;
        new_generators(g, 20, 1);
        ON_BOTH(stria_multinomial(x.on[s], samples, replacement, g[s], &y.on[s], &err));
        check(replacement ? "multinomial with replacement" : "multinomial", dtype, count, &y, g);
    }
    cuda_pair_release(&x), cuda_pair_release(&top);
}

static void test_bad_weights(void)
{
    const int64_t    few[] = {0, 0, 3, 0, 0, 1}, below[] = {1, 2, -1};
    cuda_pair        x = cuda_pair_new_list(STRIA_F32, 6, few), z = cuda_pair_new_list(STRIA_F64, 3, below);
    cuda_pair        none = cuda_pair_new_list(STRIA_F32, 2, few), y = {{NULL}};
    stria_generator *g[2];

    new_generators(g, 21, 0);
    REFUSED_ON_BOTH(stria_multinomial(x.on[s], 3, false, g[s], &y.on[s], &err), STRIA_ERR_ARGUMENT);
    REFUSED_ON_BOTH(stria_multinomial(z.on[s], 1, true, g[s], &y.on[s], &err), STRIA_ERR_ARGUMENT);
    REFUSED_ON_BOTH(stria_multinomial(none.on[s], 1, true, g[s], &y.on[s], &err), STRIA_ERR_ARGUMENT);
    ON_BOTH(stria_multinomial(x.on[s], 40, true, g[s], &y.on[s], &err));
    check("multinomial of few weights above 0", STRIA_F32, 40, &y, g);
    cuda_pair_release(&x), cuda_pair_release(&z), cuda_pair_release(&none);
}

/* Elements that the distribution does not have are found on the device, too. */
static void test_refused(void)
{
    cuda_pair mean = cuda_pair_new_list(STRIA_F32, 3, SHAPE(1, 2, 3)),
              std = cuda_pair_new_list(STRIA_F32, 3, SHAPE(1, -1, 0)), y = {{NULL}};

    REFUSED_ON_BOTH(stria_normal(mean.on[s], std.on[s], NULL, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    REFUSED_ON_BOTH(stria_bernoulli(mean.on[s], NAN, NULL, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    CHECK(y.on[0] == NULL && y.on[1] == NULL, "results of what is refused");
    cuda_pair_release(&mean);
    cuda_pair_release(&std);
}

SUITE(test_cuda_random)
{
    check_isa("test_cuda_random");
    if (!cuda_case_begin("test_cuda_random")) return 77;
    for (int d = 0; d < 4; d++)
        for (int k = 0; k < N_COUNTS; k++) test_floats(floats[d], counts[k], (uint64_t)k << 28);
    for (int d = 0; d < STRIA_DTYPE_COUNT; d++)
        if (!stria_dtype_is_complex((stria_dtype)d))
            for (int k = 0; k < N_COUNTS; k++) test_whole((stria_dtype)d, counts[k]);
    test_ranges();
    test_made();
    for (int d = 0; d < 4; d++) {
        test_multinomial(floats[d], 3, 20);
        test_multinomial(floats[d], 1, 700);
    }
    test_bad_weights();
    test_refused();
    return cuda_case_finish("test_cuda_random");
}
