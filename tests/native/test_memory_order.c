/* test_memory_order.c - results lie in memory as their first input does: channels-last through ops and functions, with the same elements
 * as of a row-major input. */
#include <math.h>

#include "call/call.h"
#include "oracle.h"

#define NAMES(X)                                                                    \
    X(add, stria_add(x, plain, &y, NULL))                                           \
    X(exp, stria_exp(x, &y, NULL))                                                  \
    X(less, stria_lt(x, plain, &y, NULL))                                           \
    X(to, stria_to(x, STRIA_F64, &y, NULL))                                         \
    X(copy, stria_copy(x, plain, &y, NULL))                                         \
    X(fill, stria_fill(x, number, &y, NULL))                                        \
    X(masked_fill, stria_masked_fill(x, mask, filler, &y, NULL))                    \
    X(softmax, stria_softmax(x, 1, STRIA_DTYPE_NONE, &y, NULL))                     \
    X(log_softmax, stria_log_softmax(x, -1, STRIA_DTYPE_NONE, &y, NULL))            \
    X(layer_norm, stria_layer_norm(x, NULL, NULL, &last, 1, 1e-5, &y, NULL))        \
    X(cumsum, stria_cumsum(x, 2, STRIA_DTYPE_NONE, &y, NULL))                       \
    X(cumprod, stria_cumprod(x, 1, STRIA_DTYPE_NONE, &y, NULL))                     \
    X(tril, stria_tril(x, 1, &y, NULL))                                             \
    X(triu, stria_triu(x, -1, &y, NULL))                                            \
    X(roll, stria_roll(x, shifts, 2, axes, 2, &y, NULL))                            \
    X(cat_1, stria_cat((const stria_tensor *const[]){x, plain}, 2, 1, &y, NULL))    \
    X(cat_2, stria_cat((const stria_tensor *const[]){x, x, plain}, 3, 2, &y, NULL)) \
    X(cat_0, stria_cat((const stria_tensor *const[]){x, x}, 2, 0, &y, NULL))        \
    X(hstack, stria_hstack((const stria_tensor *const[]){x, x}, 2, &y, NULL))       \
    X(pad_constant, stria_pad(x, pads, 6, "constant", number, &y, NULL))            \
    X(pad_reflect, stria_pad(x, pads, 6, "reflect", zero, &y, NULL))                \
    X(pad_replicate, stria_pad(x, pads, 8, "replicate", zero, &y, NULL))            \
    X(pad_circular, stria_pad(x, pads, 6, "circular", zero, &y, NULL))              \
    X(crop, stria_pad(x, crops, 8, "constant", number, &y, NULL))

static const int64_t last = 5, shifts[] = {2, -1}, pads[] = {1, 2, 2, 0, 1, 1, 0, 3},
                     crops[] = {-1, 1, 2, -2, -3, 3, 0, -1};
static const int          axes[] = {1, 3};
static const stria_scalar zero = {.kind = STRIA_SCALAR_INT}, number = {.kind = STRIA_SCALAR_INT, .i = 7};
static stria_tensor      *x, *plain, *mask, *filler, *y;

#define RUN(name, call) \
    static stria_status run_##name(void) { return call; }
NAMES(RUN)

/* Products and sums along an axis are combined in an order that the layout decides. */
static bool is_close(const void *a, const void *b)
{
    if (value_same(y->dtype, a, b)) return true;
    const double p = value_get(y->dtype, a).real, q = value_get(y->dtype, b).real;
    return dtype_is_float(y->dtype) && fabs(p - q) <= (y->dtype == STRIA_F64 ? 1e-12 : 1e-6) * (1 + fabs(q));
}

static void check(const char *name, stria_status (*run)(void), stria_tensor *channels, stria_tensor *rows)
{
    int64_t       index[4] = {0};
    stria_tensor *expected;

    x = rows;
    CHECK_STATUS(run(), STRIA_OK);
    expected = y;
    x = channels;
    y = NULL;
    CHECK_STATUS(run(), STRIA_OK);
    CHECK(y && stria_layout_is_channels_last(4, y->shape, y->strides), "%s: the memory order", name);
    CHECK(expected && stria_tensor_is_contiguous(expected), "%s: the memory order of rows", name);
    if (y && expected && stria_tensor_has_shape(y, 4, expected->shape)) do
            CHECK(is_close(tensor_at(y, index), tensor_at(expected, index)), "%s: an element", name);
        while (index_next(4, y->shape, index));
    stria_tensor_release(y), stria_tensor_release(expected);
    y = NULL;
}

SUITE(test_memory_order)
{
    const int64_t before = stria_memory_get_stats().live_tensors, shape[] = {3, 4, 6, 5};
    random_state  random = {9};
    stria_tensor *channels = NULL, *rows = NULL;

    check_isa("test_memory_order");
    for (int turn = 0; turn < 2; turn++) {
        const stria_dtype dtype = turn ? STRIA_F64 : STRIA_F32;
        rows = tensor_random(&random, dtype, LAYOUT_CONTIGUOUS, 4, shape, -9, 9);
        plain = tensor_random(&random, dtype, LAYOUT_CONTIGUOUS, 4, shape, -9, 9);
        mask = tensor_random(&random, STRIA_BOOL, LAYOUT_CONTIGUOUS, 4, shape, 0, 1);
        filler = tensor_random(&random, dtype, LAYOUT_CONTIGUOUS, 0, NULL, -9, 9);
        CHECK_STATUS(stria_tensor_new_strided(dtype, 4, shape, (const int64_t[]){120, 1, 20, 4}, &channels, NULL),
                     STRIA_OK);
        CHECK_STATUS(stria_tensor_set(channels, rows, NULL), STRIA_OK);
#define CHECK_ROW(name, call) check(#name, run_##name, channels, rows);
        NAMES(CHECK_ROW)
        stria_tensor *indices = NULL;
        CHECK_STATUS(stria_sort(channels, 1, false, false, &y, &indices, NULL), STRIA_OK);
        CHECK(y && stria_layout_is_channels_last(4, y->shape, y->strides), "sort: values");
        CHECK(indices && stria_layout_is_channels_last(4, indices->shape, indices->strides), "sort: indices");
        stria_tensor_release(y), stria_tensor_release(indices);
        y = NULL;
        stria_tensor_release(channels), stria_tensor_release(rows), stria_tensor_release(plain);
        stria_tensor_release(mask), stria_tensor_release(filler);
    }
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("test_memory_order");
}
