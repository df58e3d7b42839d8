/* test_cuda_index.c - gathers and scatters on CUDA devices against the CPU: the same bits, sums included, since elements meet in the same
 * order; over dtypes and layouts; indices out of range are refused, and nothing is written. */
#include <math.h>
#include <string.h>

#include "cuda_pair.h"
#include "refused.h"
#include "tensor/tensor.h"

static const stria_dtype index_dtypes[] = {STRIA_I64, STRIA_I32};

/* Indices in [low, high], of a dtype and an order that follow from the case. */
static cuda_pair new_index(int number, int ndim, const int64_t *shape, int low, int high)
{
    return cuda_pair_new(index_dtypes[number % 2], (pair_order)(number % N_PAIR_ORDERS), ndim, shape, low, high,
                         (uint64_t)number + 50);
}

/* ---------------------------------------------------------------- gathers */

static void test_gathers(stria_dtype dtype, int number)
{
    cuda_pair x = cuda_pair_new_any(dtype, (pair_order)(number % N_PAIR_ORDERS), 3, SHAPE(4, 5, 6), 1), y = {{NULL}};
    cuda_pair matrix = cuda_pair_new_any(dtype, (pair_order)(number % N_PAIR_ORDERS), 2, SHAPE(9, 7), 2);
    cuda_pair list = new_index(number, 1, SHAPE(11), 0, 4), along = new_index(number + 1, 3, SHAPE(3, 8, 6), 0, 4);
    cuda_pair wide = new_index(number + 2, 3, SHAPE(1, 2, 6), 0, 4),
              flat = new_index(number, 2, SHAPE(5, 8), -120, 119);
    cuda_pair rows = new_index(number + 1, 2, SHAPE(5, 3), 0, 8), none = cuda_pair_new_list(STRIA_I64, 0, NULL);

    ON_BOTH(stria_gather(x.on[s], along.on[s], 1, &y.on[s], &err));
    cuda_pair_check("gather", &y);
    ON_BOTH(stria_take_along_dim(x.on[s], wide.on[s], 1, &y.on[s], &err));
    cuda_pair_check("take_along_dim", &y);
    ON_BOTH(stria_take_along_dim(x.on[s], list.on[s], STRIA_AXIS_NONE, &y.on[s], &err));
    cuda_pair_check("take_along_dim, flat", &y);
    ON_BOTH(stria_take(x.on[s], flat.on[s], &y.on[s], &err));
    cuda_pair_check("take", &y);
    ON_BOTH(stria_index_select(x.on[s], list.on[s], 1, &y.on[s], &err));
    cuda_pair_check("index_select", &y);
    ON_BOTH(stria_index_select(x.on[s], none.on[s], 1, &y.on[s], &err));
    cuda_pair_check("index_select of nothing", &y);
    ON_BOTH(stria_embedding(matrix.on[s], rows.on[s], STRIA_INT_NONE, &y.on[s], &err));
    cuda_pair_check("embedding", &y);
    cuda_pair_release(&x), cuda_pair_release(&matrix), cuda_pair_release(&list), cuda_pair_release(&along);
    cuda_pair_release(&wide), cuda_pair_release(&flat), cuda_pair_release(&rows), cuda_pair_release(&none);
}

/* ---------------------------------------------------------------- scatters */

static const char *const reductions[] = {"sum", "prod", "mean", "amax", "amin"};

static bool has_reduction(stria_dtype dtype, int k)
{
    if (dtype == STRIA_BOOL) return k != 2;
    return !stria_dtype_is_complex(dtype) || k < 2;
}

/* Many sources for one element: f16 and f32 sums depend on their order. */
static void test_scatters(stria_dtype dtype, int number)
{
    cuda_pair x = cuda_pair_new_any(dtype, (pair_order)(number % 4), 3, SHAPE(4, 5, 6), 3), y = {{NULL}};
    cuda_pair source = cuda_pair_new_any(dtype, (pair_order)((number + 1) % N_PAIR_ORDERS), 3, SHAPE(4, 30, 6), 4);
    cuda_pair along = new_index(number + 2, 3, SHAPE(3, 30, 5), 0, 4);
    const stria_scalar one = {.kind = STRIA_SCALAR_INT, .i = 1};
    stria_tensor      *value = NULL;
    char               what[96];

    CHECK_STATUS(stria_tensor_new_scalar(one, &value, NULL), STRIA_OK);
    ON_BOTH(stria_scatter(x.on[s], along.on[s], source.on[s], 1, "none", &y.on[s], &err));
    cuda_pair_check("scatter", &y);
    ON_BOTH(stria_scatter(x.on[s], along.on[s], value, 1, "none", &y.on[s], &err));
    cuda_pair_check("scatter of a number", &y);
    ON_BOTH(stria_scatter_add(x.on[s], along.on[s], source.on[s], -2, &y.on[s], &err));
    cuda_pair_check("scatter_add", &y);
    for (int k = 0; k < 10; k++) {
        if (!has_reduction(dtype, k % 5)) continue;
        snprintf(what, sizeof what, "scatter_reduce of %s, %s, %d", stria_dtype_get_name(dtype), reductions[k % 5], k);
        ON_BOTH(stria_scatter_reduce(x.on[s], along.on[s], source.on[s], 1, reductions[k % 5], k < 5, &y.on[s], &err));
        cuda_pair_check(what, &y);
    }
    stria_tensor_release(value);
    cuda_pair_release(&x), cuda_pair_release(&source), cuda_pair_release(&along);
}

static void test_lists(stria_dtype dtype, int number)
{
    const bool is_one =
        dtype == STRIA_BOOL || stria_dtype_is_complex(dtype); /* CUDA has no products of complex tensors */
    const stria_scalar three = {.kind = dtype == STRIA_BOOL ? STRIA_SCALAR_BOOL : STRIA_SCALAR_INT,
                                .i = is_one ? 1 : 3};
    cuda_pair          x = cuda_pair_new_any(dtype, (pair_order)(number % 4), 3, SHAPE(4, 5, 6), 5), y = {{NULL}};
    cuda_pair     source = cuda_pair_new_any(dtype, (pair_order)((number + 1) % N_PAIR_ORDERS), 3, SHAPE(4, 17, 6), 6);
    cuda_pair     list = new_index(number, 1, SHAPE(17), 0, 4), flat = new_index(number, 2, SHAPE(9, 20), -120, 119);
    cuda_pair     flat_source = cuda_pair_new_any(dtype, PAIR_TURNED, 2, SHAPE(9, 20), 7);
    stria_tensor *value = NULL;

    CHECK_STATUS(stria_tensor_new_scalar(three, &value, NULL), STRIA_OK);
    ON_BOTH(stria_index_add(x.on[s], list.on[s], source.on[s], 1, three, &y.on[s], &err));
    cuda_pair_check("index_add", &y);
    ON_BOTH(stria_index_copy(x.on[s], list.on[s], source.on[s], 1, &y.on[s], &err));
    cuda_pair_check("index_copy", &y);
    ON_BOTH(stria_index_fill(x.on[s], list.on[s], value, 1, &y.on[s], &err));
    cuda_pair_check("index_fill", &y);
    ON_BOTH(stria_index_reduce(x.on[s], list.on[s], source.on[s], 1, "prod", false, &y.on[s], &err));
    cuda_pair_check("index_reduce", &y);
    ON_BOTH(stria_put(x.on[s], flat.on[s], flat_source.on[s], false, &y.on[s], &err));
    cuda_pair_check("put", &y);
    ON_BOTH(stria_put(x.on[s], flat.on[s], flat_source.on[s], true, &y.on[s], &err));
    cuda_pair_check("put, adding", &y);
    stria_tensor_release(value);
    cuda_pair_release(&x), cuda_pair_release(&source), cuda_pair_release(&list), cuda_pair_release(&flat);
    cuda_pair_release(&flat_source);
}

/* Many positions beside few others are put in order first: those that meet one element have the CPU's bits up to 1024 of them. */
static void test_ordered(stria_dtype dtype, int number)
{
    cuda_pair x = cuda_pair_new_any(dtype, (pair_order)(number % 4), 2, SHAPE(40, 3), 13), y = {{NULL}};
    cuda_pair source = cuda_pair_new_any(dtype, (pair_order)((number + 1) % N_PAIR_ORDERS), 2, SHAPE(260, 3), 14);
    cuda_pair list = new_index(number, 1, SHAPE(260), 0, 39), along = new_index(number + 1, 2, SHAPE(259, 2), 0, 39);
    cuda_pair columns = new_index(number + 1, 1, SHAPE(260), -3, 2), turned = {{NULL}};
    cuda_pair values = cuda_pair_new_any(dtype, PAIR_STEPPED, 1, SHAPE(260), 15);
    const stria_scalar one = {.kind = STRIA_SCALAR_INT, .i = 1};
    char               what[96];

    ON_BOTH(stria_index_add(x.on[s], list.on[s], source.on[s], 0, one, &y.on[s], &err));
    cuda_pair_check("index_add, in order", &y);
    ON_BOTH(stria_index_copy(x.on[s], list.on[s], source.on[s], 0, &y.on[s], &err));
    cuda_pair_check("index_copy, in order", &y);
    ON_BOTH(stria_scatter(x.on[s], along.on[s], source.on[s], 0, "none", &y.on[s], &err));
    cuda_pair_check("scatter, in order", &y);
    for (int k = 0; k < 10; k++) {
        if (!has_reduction(dtype, k % 5)) continue;
        snprintf(what, sizeof what, "scatter_reduce of %s, %s, %d, in order", stria_dtype_get_name(dtype),
                 reductions[k % 5], k);
        ON_BOTH(stria_scatter_reduce(x.on[s], along.on[s], source.on[s], 0, reductions[k % 5], k < 5, &y.on[s], &err));
        cuda_pair_check(what, &y);
    }
    ON_BOTH(stria_flip(x.on[s], (const int[]){0, 1}, 2, &turned.on[s], &err));
    ON_BOTH(stria_index_put_out(turned.on[s], values.on[s], (const stria_tensor *const[]){list.on[s], columns.on[s]}, 2,
                                number % 2, turned.on[s], &err));
    cuda_case_check_same("index_put by two, in order", turned.on[1], turned.on[0]);
    cuda_pair_release(&x), cuda_pair_release(&source), cuda_pair_release(&list), cuda_pair_release(&along);
    cuda_pair_release(&columns), cuda_pair_release(&turned), cuda_pair_release(&values);
}

/* Thousands of positions for one element are combined in parts: sums of whole numbers are exact in any order. */
static void test_parts_of_order(void)
{
    static const stria_dtype dtypes[] = {STRIA_I32, STRIA_F32, STRIA_F64, STRIA_BOOL, STRIA_C64};
    enum { MANY = 4500 };

    for (int d = 0; d < 5; d++) {
        cuda_pair x = cuda_pair_new(dtypes[d], PAIR_PACKED, 2, SHAPE(3, 2), -5, 5, 16), y = {{NULL}};
        cuda_pair source = cuda_pair_new(dtypes[d], PAIR_TURNED, 2, SHAPE(MANY, 2), -9, 9, 17);
        cuda_pair list = new_index(d, 1, SHAPE(MANY), 0, 1), along = new_index(d, 2, SHAPE(MANY, 2), 0, 2);
        for (int k = 0; k < 10; k++) {
            if (k % 5 == 1 || !has_reduction(dtypes[d], k % 5)) continue;
            ON_BOTH(
                stria_scatter_reduce(x.on[s], along.on[s], source.on[s], 0, reductions[k % 5], k < 5, &y.on[s], &err));
            cuda_pair_check("scatter_reduce, in parts", &y);
        }
        ON_BOTH(stria_index_add(x.on[s], list.on[s], source.on[s], 0, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 1},
                                &y.on[s], &err));
        cuda_pair_check("index_add, in parts", &y);
        ON_BOTH(stria_index_copy(x.on[s], list.on[s], source.on[s], 0, &y.on[s], &err));
        cuda_pair_check("index_copy of thousands", &y);
        cuda_pair_release(&x), cuda_pair_release(&source), cuda_pair_release(&list), cuda_pair_release(&along);
    }
}

/* f32 numbers up to 1, thousands of them for one element: sums within the bound of their number, and the same again. */
static void test_long_sums(void)
{
    enum { MANY = 3000 };
    cuda_pair          x = cuda_pair_new(STRIA_F32, PAIR_PACKED, 1, SHAPE(1), 1, 1, 18), y = {{NULL}}, again = {{NULL}};
    cuda_pair          whole = cuda_pair_new(STRIA_F32, PAIR_PACKED, 1, SHAPE(MANY), -100, 100, 19), source = {{NULL}};
    cuda_pair          list = new_index(0, 1, SHAPE(MANY), 0, 0);
    const stria_scalar one = {.kind = STRIA_SCALAR_INT, .i = 1};
    double             sums[2];

    ON_BOTH(stria_sin(whole.on[s], &source.on[s], &err));
    ON_BOTH(stria_index_add(x.on[s], list.on[s], source.on[s], 0, one, &y.on[s], &err));
    ON_BOTH(stria_index_add(x.on[s], list.on[s], source.on[s], 0, one, &again.on[s], &err));
    for (int s = 0; s < 2; s++) {
        stria_tensor *a = cuda_case_to_cpu(y.on[s]), *b = cuda_case_to_cpu(again.on[s]);
        CHECK(memcmp(a->data, b->data, 4) == 0, "another sum");
        sums[s] = value_get(STRIA_F32, a->data).real;
        stria_tensor_release(a), stria_tensor_release(b);
    }
    CHECK(fabs(sums[0] - sums[1]) <= MANY * 0x1p-23, "a sum of %.9g, not %.9g", sums[1], sums[0]);
    cuda_pair_release(&x), cuda_pair_release(&y), cuda_pair_release(&again), cuda_pair_release(&source);
    cuda_pair_release(&list), cuda_pair_release(&whole);
}

/* Several indices, of a table that may go backwards: what they become are offsets below 0 then. */
static void test_several(stria_dtype dtype, int number)
{
    cuda_pair x = cuda_pair_new_any(dtype, (pair_order)(number % 4), 3, SHAPE(4, 3, 6), 11), y = {{NULL}};
    cuda_pair rows = new_index(number, 1, SHAPE(7), -4, 3), columns = new_index(number + 1, 2, SHAPE(2, 7), -3, 2);
    cuda_pair values = cuda_pair_new_any(dtype, PAIR_TURNED, 2, SHAPE(7, 6), 12), turned = {{NULL}};

    ON_BOTH(stria_flip(x.on[s], (const int[]){0, 1}, 2, &turned.on[s], &err));
    for (int k = 0; k < 2; k++) {
        cuda_pair *table = k == 0 ? &x : &turned;
        ON_BOTH(stria_index(table->on[s], (const stria_tensor *const[]){rows.on[s], columns.on[s]}, 2, &y.on[s], &err));
        cuda_pair_check("index by two", &y);
        ON_BOTH(stria_index_put_out(table->on[s], values.on[s],
                                    (const stria_tensor *const[]){rows.on[s], columns.on[s]}, 2, number % 2,
                                    table->on[s], &err));
        cuda_case_check_same("index_put by two", table->on[1], table->on[0]);
    }
    cuda_pair_release(&turned);
    cuda_pair_release(&x), cuda_pair_release(&rows), cuda_pair_release(&columns), cuda_pair_release(&values);
}

/* ---------------------------------------------------------------- parts */

static void test_parts(stria_dtype dtype, int number)
{
    cuda_pair x = cuda_pair_new_any(dtype, (pair_order)(number % N_PAIR_ORDERS), 2, SHAPE(5, 6), 8), y = {{NULL}};
    cuda_pair row = cuda_pair_new_any(dtype, PAIR_STEPPED, 1, SHAPE(6), 9);
    cuda_pair mask = cuda_pair_new(STRIA_BOOL, (pair_order)((number + 2) % N_PAIR_ORDERS), 2, SHAPE(5, 6), 0, 1, 10);
    stria_tensor *value = NULL;

    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_BOOL, .i = 1}, &value, NULL), STRIA_OK);
    ON_BOTH(stria_masked_fill(x.on[s], mask.on[s], value, &y.on[s], &err));
    cuda_pair_check("masked_fill", &y);
    ON_BOTH(stria_select_scatter(x.on[s], row.on[s], 0, 3, &y.on[s], &err));
    cuda_pair_check("select_scatter", &y);
    ON_BOTH(stria_diag_embed(x.on[s], 1, 0, -1, &y.on[s], &err));
    cuda_pair_check("diag_embed", &y);
    stria_tensor_release(value);
    cuda_pair_release(&x), cuda_pair_release(&row), cuda_pair_release(&mask);
}

/* ---------------------------------------------------------------- positions on the CPU */

/* index and index_put copy positions and masks of the CPU to the device; gather and its kin refuse them. Repeats are waited for. */
static void test_apart(void)
{
    static const int64_t counts[] = {2, 0, 3, 1};
    cuda_pair   x = cuda_pair_new_any(STRIA_F32, PAIR_TURNED, 2, SHAPE(4, 6), 20), y = {{NULL}}, test = {{NULL}};
    cuda_pair   rows = new_index(1, 1, SHAPE(7), -4, 3), columns = new_index(0, 2, SHAPE(2, 7), -6, 5);
    cuda_pair   mask = cuda_pair_new(STRIA_BOOL, PAIR_PACKED, 2, SHAPE(4, 6), 0, 1, 21);
    cuda_pair   values = cuda_pair_new_any(STRIA_F32, PAIR_PACKED, 2, SHAPE(2, 7), 22);
    cuda_pair   one = cuda_pair_new_any(STRIA_F32, PAIR_PACKED, 1, SHAPE(1), 23), out = new_index(0, 1, SHAPE(3), 4, 9);
    cuda_pair   repeats = cuda_pair_new_list(STRIA_I32, 4, counts);
    stria_error err = {0};

    ON_BOTH(stria_index(x.on[s], (const stria_tensor *const[]){rows.on[0], columns.on[s]}, 2, &y.on[s], &err));
    cuda_pair_check("index by positions of the CPU", &y);
    ON_BOTH(stria_index(x.on[s], (const stria_tensor *const[]){mask.on[0]}, 1, &y.on[s], &err));
    cuda_pair_check("index by a mask of the CPU", &y);
    ON_BOTH(stria_index_put(x.on[s], values.on[s], (const stria_tensor *const[]){rows.on[s], columns.on[0]}, 2, true,
                            &y.on[s], &err));
    cuda_pair_check("index_put at positions of the CPU", &y);
    ON_BOTH(stria_index_put(x.on[s], one.on[s], (const stria_tensor *const[]){mask.on[0]}, 1, false, &y.on[s], &err));
    cuda_pair_check("index_put at a mask of the CPU", &y);
    REFUSED_ON_BOTH(stria_index(x.on[s], (const stria_tensor *const[]){out.on[0]}, 1, &y.on[s], &err),
                    STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_index(x.on[0], (const stria_tensor *const[]){rows.on[1]}, 1, &y.on[0], &err), STRIA_ERR_DEVICE);
    CHECK_STATUS(stria_index_put(x.on[1], values.on[0], (const stria_tensor *const[]){rows.on[1], columns.on[1]}, 2,
                                 false, &y.on[1], &err),
                 STRIA_ERR_DEVICE);
    CHECK_STATUS(stria_index_select(x.on[1], rows.on[0], 0, &y.on[1], &err), STRIA_ERR_DEVICE);

    ON_BOTH(stria_repeat_interleave(x.on[s], repeats.on[s], 0, &y.on[s], &err));
    cuda_pair_check("repeat_interleave", &y);
    ON_BOTH(stria_repeat_interleave(x.on[s], repeats.on[0], 0, &y.on[s], &err));
    cuda_pair_check("repeat_interleave by counts of the CPU", &y);
    ON_BOTH(stria_slice(repeats.on[s], 0, 2, 3, 1, &test.on[s], &err));
    ON_BOTH(stria_repeat_interleave(x.on[s], test.on[s], 1, &y.on[s], &err));
    cuda_pair_check("repeat_interleave by one count", &y);
    REFUSED_ON_BOTH(stria_repeat_interleave(x.on[s], columns.on[s], 0, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    REFUSED_ON_BOTH(stria_repeat_interleave(x.on[s], rows.on[s], STRIA_AXIS_NONE, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_repeat_interleave(x.on[0], repeats.on[1], 0, &y.on[0], &err), STRIA_ERR_DEVICE);
    CHECK(strstr(err.message, "repeats is on cuda:0 but x is on cpu") != NULL, "%s", err.message);

    CHECK_STATUS(stria_isin(x.on[1], one.on[0], false, &y.on[1], &err), STRIA_ERR_DEVICE);
    CHECK(strstr(err.message, "test_elements is on cpu but elements is on cuda:0") != NULL, "%s", err.message);
    CHECK_STATUS(stria_isin(x.on[0], one.on[1], true, &y.on[0], &err), STRIA_ERR_DEVICE);
    stria_tensor_release(test.on[0]), stria_tensor_release(test.on[1]), test = (cuda_pair){{NULL}};
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT, .i = 2}, &test.on[0], NULL),
                 STRIA_OK);
    ON_BOTH(stria_isin(repeats.on[s], test.on[0], false, &y.on[s], &err));
    cuda_pair_check("isin of a number", &y);
    ON_BOTH(stria_isin(repeats.on[s], rows.on[s], true, &y.on[s], &err));
    cuda_pair_check("isin", &y);
    stria_tensor_release(test.on[0]);
    cuda_pair_release(&x), cuda_pair_release(&rows), cuda_pair_release(&columns), cuda_pair_release(&mask);
    cuda_pair_release(&values), cuda_pair_release(&one), cuda_pair_release(&out), cuda_pair_release(&repeats);
}

/* ---------------------------------------------------------------- refusals */

/* One index is out of range, deep inside; results of the caller keep their elements. */
static void test_refusals(void)
{
    static const int64_t above[] = {0, 1, 2, 5, 1}, below[] = {0, 1, -1, 4, 1}, numbers[] = {7, 8, 9, 10, 11};
    cuda_pair            x = cuda_pair_new_list(STRIA_F32, 5, numbers), y = {{NULL}}, kept = {{NULL}};
    cuda_pair            high = cuda_pair_new_list(STRIA_I64, 5, above), low = cuda_pair_new_list(STRIA_I32, 5, below);
    cuda_pair            real = cuda_pair_new_list(STRIA_F32, 5, below);

    REFUSED_ON_BOTH(stria_gather(x.on[s], high.on[s], 0, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    REFUSED_ON_BOTH(stria_index_select(x.on[s], low.on[s], 0, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    REFUSED_ON_BOTH(stria_take(x.on[s], high.on[s], &y.on[s], &err), STRIA_ERR_ARGUMENT);
    REFUSED_ON_BOTH(stria_scatter_add(x.on[s], low.on[s], x.on[s], 0, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    REFUSED_ON_BOTH(stria_put(x.on[s], high.on[s], x.on[s], true, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    REFUSED_ON_BOTH(stria_gather(x.on[s], real.on[s], 0, &y.on[s], &err), STRIA_ERR_DTYPE);
    for (int s = 0; s < 2; s++) CHECK(y.on[s] == NULL, "there is a result");

    REFUSED_ON_BOTH(stria_index_add_out(x.on[s], high.on[s], x.on[s], 0,
                                        (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 1}, x.on[s], &err),
                    STRIA_ERR_ARGUMENT);
    REFUSED_ON_BOTH(stria_index_copy_out(x.on[s], low.on[s], x.on[s], 0, x.on[s], &err), STRIA_ERR_ARGUMENT);
    kept = cuda_pair_new_list(STRIA_F32, 5, numbers);
    cuda_case_check_same("a result of the caller", x.on[1], kept.on[0]);
    cuda_pair_release(&x), cuda_pair_release(&high), cuda_pair_release(&low), cuda_pair_release(&real);
    cuda_pair_release(&kept);
}

SUITE(test_cuda_index)
{
    static void (*const tests[])(stria_dtype dtype, int number) = {test_gathers, test_scatters, test_lists,
                                                                   test_several, test_parts};

    check_isa("test_cuda_index");
    if (!cuda_case_begin("test_cuda_index")) return 77;
    for (int d = 0; d < STRIA_DTYPE_COUNT; d++)
        for (int k = 0; k < N_PAIR_ORDERS; k++) {
            for (size_t t = 0; t < sizeof tests / sizeof *tests; t++)
                if ((d == STRIA_F32 && k == 0) || cuda_case_is_drawn()) tests[t]((stria_dtype)d, d + k);
            if (k < 2 && cuda_case_is_drawn()) test_ordered((stria_dtype)d, d + k);
        }
    test_parts_of_order();
    test_long_sums();
    test_apart();
    test_refusals();
    return cuda_case_finish("test_cuda_index");
}
