/* test_cuda_find.c - what masks and several indices choose on CUDA devices, and what is put together from parts, against the CPU. */
#include <string.h>

#include "cuda_pair.h"
#include "refused.h"
#include "tensor/tensor.h"

#define TWO(one, other) ((const stria_tensor *const[]){one, other})

/* ---------------------------------------------------------------- masks */

/* Sizes around those of blocks and rounds; masks that are full, empty and in between. */
static void test_masks(void)
{
    static const int64_t sizes[] = {0, 1, 31, 32, 127, 128, 129, 1023, 1024, 1025, 5000};

    for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++)
        for (int most = 0; most < 3; most++) {
            const int64_t shape[] = {sizes[k]};
            cuda_pair     x = cuda_pair_new(STRIA_I16, PAIR_PACKED, 1, shape, most == 2, most > 0, (uint64_t)k);
            cuda_pair mask = cuda_pair_new(STRIA_BOOL, PAIR_STEPPED, 1, shape, most == 2, most > 0, 3), y = {{NULL}};
            ON_BOTH(stria_nonzero(x.on[s], &y.on[s], &err));
            cuda_pair_check("nonzero", &y);
            ON_BOTH(stria_masked_select(x.on[s], mask.on[s], &y.on[s], &err));
            cuda_pair_check("masked_select", &y);
            cuda_pair_release(&x), cuda_pair_release(&mask);
        }
}

/* More chunks than the block that adds them up has threads. */
static void test_many(void)
{
    cuda_pair x = cuda_pair_new(STRIA_U8, PAIR_PACKED, 2, SHAPE(300, 1000), 0, 3, 4), y = {{NULL}};

    ON_BOTH(stria_nonzero(x.on[s], &y.on[s], &err));
    cuda_pair_check("nonzero of 293 chunks", &y);
    cuda_pair_release(&x);
}

static void test_shapes(stria_dtype dtype, int number)
{
    const pair_order order = (pair_order)(number % N_PAIR_ORDERS);
    cuda_pair        x = cuda_pair_new(dtype, order, 3, SHAPE(3, 4, 5), 0, 1, 5), y = {{NULL}};
    cuda_pair mask = cuda_pair_new(STRIA_BOOL, (pair_order)((number + 1) % N_PAIR_ORDERS), 2, SHAPE(4, 5), 0, 1, 6);
    cuda_pair wide = cuda_pair_new(STRIA_BOOL, PAIR_PACKED, 4, SHAPE(2, 1, 4, 1), 0, 1, 7);

    ON_BOTH(stria_nonzero(x.on[s], &y.on[s], &err));
    cuda_pair_check("nonzero of 3 dims", &y);
    ON_BOTH(stria_masked_select(x.on[s], mask.on[s], &y.on[s], &err));
    cuda_pair_check("masked_select of 3 dims", &y);
    ON_BOTH(stria_masked_select(x.on[s], wide.on[s], &y.on[s], &err));
    cuda_pair_check("masked_select of what is broadcast", &y);
    cuda_pair_release(&x), cuda_pair_release(&mask), cuda_pair_release(&wide);
}

/* ---------------------------------------------------------------- several indices */

static void test_lists(stria_dtype dtype, int number)
{
    const pair_order order = (pair_order)(number % 4);
    cuda_pair        x = cuda_pair_new_any(dtype, order, 3, SHAPE(4, 5, 6), 8), y = {{NULL}};
    cuda_pair        i = cuda_pair_new(STRIA_I64, PAIR_PACKED, 2, SHAPE(7, 1), -4, 3, 9);
    cuda_pair        j = cuda_pair_new(STRIA_I32, PAIR_FLIPPED, 1, SHAPE(3), -5, 4, 10);
    cuda_pair        mask = cuda_pair_new(STRIA_BOOL, PAIR_TURNED, 2, SHAPE(4, 5), 0, 1, 11);
    cuda_pair        source = cuda_pair_new_any(dtype, PAIR_STEPPED, 3, SHAPE(7, 3, 6), 12);
    cuda_pair        row = cuda_pair_new_any(dtype, PAIR_PACKED, 1, SHAPE(6), 13);

    ON_BOTH(stria_index(x.on[s], TWO(i.on[s], NULL), 1, &y.on[s], &err));
    cuda_pair_check("index by one", &y);
    ON_BOTH(stria_index(x.on[s], TWO(i.on[s], j.on[s]), 2, &y.on[s], &err));
    cuda_pair_check("index by two", &y);
    ON_BOTH(stria_index(x.on[s], TWO(mask.on[s], NULL), 1, &y.on[s], &err));
    cuda_pair_check("index by a mask", &y);
    for (int adds = 0; adds < 2; adds++) {
        ON_BOTH(stria_index_put(x.on[s], source.on[s], TWO(i.on[s], j.on[s]), 2, adds, &y.on[s], &err));
        cuda_pair_check("index_put by two", &y);
        ON_BOTH(stria_index_put(x.on[s], row.on[s], TWO(mask.on[s], NULL), 1, adds, &y.on[s], &err));
        cuda_pair_check("index_put by a mask", &y);
        ON_BOTH(stria_index_put(x.on[s], row.on[s], TWO(i.on[s], NULL), 1, adds, &y.on[s], &err));
        cuda_pair_check("index_put by one", &y);
    }
    cuda_pair_release(&x), cuda_pair_release(&i), cuda_pair_release(&j), cuda_pair_release(&mask);
    cuda_pair_release(&source), cuda_pair_release(&row);
}

static void test_refusals(void)
{
    static const int64_t above[] = {0, 1, 5, 1}, fine[] = {0, 1, 2, 1};
    cuda_pair            x = cuda_pair_new(STRIA_F32, PAIR_PACKED, 2, SHAPE(5, 5), 0, 9, 14), y = {{NULL}};
    cuda_pair            high = cuda_pair_new_list(STRIA_I64, 4, above), low = cuda_pair_new_list(STRIA_I64, 4, fine);
    cuda_pair            one = cuda_pair_new_list(STRIA_F32, 1, above), kept = {{NULL}};

    REFUSED_ON_BOTH(stria_index(x.on[s], TWO(high.on[s], NULL), 1, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    REFUSED_ON_BOTH(stria_index(x.on[s], TWO(low.on[s], high.on[s]), 2, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    REFUSED_ON_BOTH(stria_one_hot(high.on[s], 5, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    kept = cuda_pair_new(STRIA_F32, PAIR_PACKED, 2, SHAPE(5, 5), 0, 9, 14);
    REFUSED_ON_BOTH(stria_index_put_out(x.on[s], one.on[s], TWO(low.on[s], high.on[s]), 2, true, x.on[s], &err),
                    STRIA_ERR_ARGUMENT);
    cuda_case_check_same("a result of the caller", x.on[1], kept.on[0]);
    cuda_pair_release(&x), cuda_pair_release(&high), cuda_pair_release(&low), cuda_pair_release(&one);
    cuda_pair_release(&kept);
}

/* ---------------------------------------------------------------- parts */

static void test_parts(stria_dtype dtype, int number)
{
    const stria_scalar one = {.kind = STRIA_SCALAR_BOOL, .i = 1};
    cuda_pair a = cuda_pair_new_any(dtype, (pair_order)(number % N_PAIR_ORDERS), 3, SHAPE(2, 4, 5), 15), y = {{NULL}};
    cuda_pair b = cuda_pair_new_any(STRIA_I32, PAIR_FLIPPED, 3, SHAPE(2, 3, 5), 16);

    ON_BOTH(stria_cat(TWO(a.on[s], a.on[s]), 2, -1, &y.on[s], &err));
    cuda_pair_check("cat", &y);
    ON_BOTH(stria_cat(TWO(a.on[s], b.on[s]), 2, 1, &y.on[s], &err));
    cuda_pair_check("cat of two dtypes", &y);
    ON_BOTH(stria_tril(a.on[s], 1, &y.on[s], &err));
    cuda_pair_check("tril", &y);
    ON_BOTH(stria_triu(a.on[s], -1, &y.on[s], &err));
    cuda_pair_check("triu", &y);
    ON_BOTH(stria_pad(a.on[s], (const int64_t[]){1, 2, -1, 3}, 4, "constant", one, &y.on[s], &err));
    cuda_pair_check("pad", &y);
    cuda_pair_release(&a), cuda_pair_release(&b);
}

static void test_one_hot(void)
{
    cuda_pair x = cuda_pair_new(STRIA_I64, PAIR_TURNED, 2, SHAPE(3, 4), 0, 6, 17), y = {{NULL}}, less = {{NULL}};

    ON_BOTH(stria_one_hot(x.on[s], 7, &y.on[s], &err));
    cuda_pair_check("one_hot", &y);
    ON_BOTH(stria_one_hot(x.on[s], -1, &y.on[s], &err));
    cuda_pair_check("one_hot of as many as there are", &y);
    ON_BOTH(stria_neg(x.on[s], &less.on[s], &err));
    REFUSED_ON_BOTH(stria_one_hot(less.on[s], -1, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    cuda_pair_release(&x), cuda_pair_release(&less);
}

static const char *const modes[] = {"reflect", "replicate", "circular"};

static void test_pads(stria_dtype dtype, int number)
{
    const stria_scalar zero = {.kind = STRIA_SCALAR_INT};
    cuda_pair x = cuda_pair_new_any(dtype, (pair_order)(number % N_PAIR_ORDERS), 3, SHAPE(3, 4, 5), 18), y = {{NULL}};

    for (int k = 0; k < 3; k++) {
        ON_BOTH(stria_pad(x.on[s], (const int64_t[]){4, 3}, 2, modes[k], zero, &y.on[s], &err));
        cuda_pair_check(modes[k], &y);
        ON_BOTH(stria_pad(x.on[s], (const int64_t[]){-1, 3, 2, -2, 0, 2}, 6, modes[k], zero, &y.on[s], &err));
        cuda_pair_check(modes[k], &y);
        ON_BOTH(stria_pad(x.on[s], NULL, 0, modes[k], zero, &y.on[s], &err));
        cuda_pair_check(modes[k], &y);
    }
    cuda_pair_release(&x);
}

static void test_masked_scatter(stria_dtype dtype, int number)
{
    const pair_order order = (pair_order)(number % N_PAIR_ORDERS);
    cuda_pair        x = cuda_pair_new_any(dtype, order, 2, SHAPE(4, 5), 19), y = {{NULL}}, few = {{NULL}};
    cuda_pair        source = cuda_pair_new_any(dtype, PAIR_FLIPPED, 3, SHAPE(2, 7, 5), 20);
    cuda_pair        mask = cuda_pair_new(STRIA_BOOL, PAIR_TURNED, 3, SHAPE(3, 4, 5), 0, 1, 21);

    ON_BOTH(stria_masked_scatter(x.on[s], mask.on[s], source.on[s], &y.on[s], &err));
    cuda_pair_check("masked_scatter", &y);
    ON_BOTH(stria_slice(source.on[s], 1, 0, 2, 1, &few.on[s], &err));
    REFUSED_ON_BOTH(stria_masked_scatter(x.on[s], mask.on[s], few.on[s], &y.on[s], &err), STRIA_ERR_SHAPE);
    cuda_pair_release(&few);
    ON_BOTH(stria_select(mask.on[s], 0, 1, &few.on[s], &err));
    if (order != PAIR_EXPANDED) {
        ON_BOTH(stria_masked_scatter_out(x.on[s], few.on[s], source.on[s], x.on[s], &err));
        cuda_case_check_same("masked_scatter in place", x.on[1], x.on[0]);
    }
    cuda_pair_release(&x), cuda_pair_release(&source), cuda_pair_release(&mask), cuda_pair_release(&few);
}

static void test_combinations(stria_dtype dtype, int number)
{
    cuda_pair y = {{NULL}};

    for (int64_t n = 0; n < 8; n++) {
        if (dtype != STRIA_F32 && !cuda_case_is_drawn()) continue;
        cuda_pair x = cuda_pair_new_any(dtype, (pair_order)(number % 4), 1, &n, 23);
        for (int r = 0; r < 9; r++)
            for (int repeats = 0; repeats < 2; repeats++) {
                ON_BOTH(stria_combinations(x.on[s], r, repeats, &y.on[s], &err));
                cuda_pair_check("combinations", &y);
            }
        cuda_pair_release(&x);
    }
}

static void test_triangles(void)
{
    static const int64_t sizes[][2] = {{0, 3}, {3, 0}, {1, 1}, {4, 4}, {3, 7}, {9, 2}, {1, 40}, {40, 1}};
    const stria_device   devices[] = {STRIA_CPU, CUDA};
    cuda_pair            y = {{NULL}};

    for (int k = 0; k < 8; k++)
        for (int64_t offset = -10; offset < 11; offset += k < 6 ? 1 : 3) {
            const stria_dtype dtype = offset % 2 == 0 ? STRIA_DTYPE_NONE : STRIA_F32;
            if (k != 4 && !cuda_case_is_drawn()) continue;
            ON_BOTH(stria_tril_indices(sizes[k][0], sizes[k][1], offset, dtype, devices[s], &y.on[s], &err));
            cuda_pair_check("tril_indices", &y);
            ON_BOTH(stria_triu_indices(sizes[k][0], sizes[k][1], offset, dtype, devices[s], &y.on[s], &err));
            cuda_pair_check("triu_indices", &y);
        }
    ON_BOTH(stria_tril_indices(INT64_C(1) << 61, 5, 3 - (INT64_C(1) << 61), STRIA_I64, devices[s], &y.on[s], &err));
    cuda_pair_check("the last rows of many", &y);
    ON_BOTH(stria_triu_indices(INT64_C(1) << 61, 5, 1, STRIA_I64, devices[s], &y.on[s], &err));
    cuda_pair_check("the first rows of many", &y);
}

SUITE(test_cuda_find)
{
    static void (*const tests[])(stria_dtype dtype, int number) = {test_shapes, test_lists, test_parts, test_pads,
                                                                   test_masked_scatter};

    check_isa("test_cuda_find");
    if (!cuda_case_begin("test_cuda_find")) return 77;
    test_masks();
    test_many();
    for (int d = 0; d < STRIA_DTYPE_COUNT; d++)
        for (int k = 0; k < N_PAIR_ORDERS; k++) {
            for (size_t t = 0; t < sizeof tests / sizeof *tests; t++)
                if ((d == STRIA_F32 && k == 0) || cuda_case_is_drawn()) tests[t]((stria_dtype)d, d + k);
            if (k == 0) test_combinations((stria_dtype)d, d);
        }
    test_one_hot();
    test_triangles();
    test_refusals();
    return cuda_case_finish("test_cuda_find");
}
