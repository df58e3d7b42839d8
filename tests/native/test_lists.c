/* test_lists.c - functions that make lists of tensors: each part element by element, numbers of parts, hostile sizes, refusals. */
#include <string.h>

#include "call/call.h"
#include "oracle.h"

#define REFUSED(call, status, name, place, text)                                                          \
    do {                                                                                                  \
        stria_error err = {0};                                                                            \
        ys = (stria_tensor_list){(stria_tensor **)&ys, 7};                                                \
        CHECK_STATUS(call, status);                                                                       \
        CHECK(strcmp(err.op, name) == 0 && strcmp(err.argument, place) == 0 && strstr(err.message, text), \
              "op %s, argument %s, message %s", err.op, err.argument, err.message);                       \
        CHECK(ys.at == NULL && ys.n == 0, "a list is left by a refusal");                                 \
    } while (0)
#define INTS(...) ((const int64_t[]){__VA_ARGS__}), (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static stria_tensor_list ys;

/* ---------------------------------------------------------------- cutting */

/* The list is x cut along the axis at `starts` [n], part k of `sizes`[k]; then it is released. */
static void check_parts(const stria_tensor *x, int axis, int n, const int64_t *starts, const int64_t *sizes,
                        const char *what)
{
    CHECK(ys.n == n, "%s: %d parts, expected %d", what, ys.n, n);
    for (int k = 0; k < ys.n && k < n; k++) {
        const stria_tensor *y = ys.at[k];
        int64_t             index[STRIA_MAX_DIMS] = {0}, source[STRIA_MAX_DIMS];
        CHECK(y->ndim == x->ndim && y->storage == x->storage && y->dtype == x->dtype, "%s: a view", what);
        for (int d = 0; d < x->ndim; d++)
            CHECK(y->shape[d] == (d == axis ? sizes[k] : x->shape[d]), "%s: part %d, axis %d: %lld", what, k, d,
                  (long long)y->shape[d]);
        if (y->numel == 0) continue;
        do {
            memcpy(source, index, sizeof source);
            source[axis] += starts[k];
            CHECK(tensor_at(y, index) == tensor_at(x, source), "%s: part %d", what, k);
        } while (index_next(y->ndim, y->shape, index));
    }
    stria_tensor_list_release(&ys);
    CHECK(ys.at == NULL && ys.n == 0, "an empty list");
}

#define PARTS(x, axis, what, ...) check_parts_of(x, axis, what, INTS(__VA_ARGS__))

/* Of sizes that follow one another. */
static void check_parts_of(const stria_tensor *x, int axis, const char *what, const int64_t *sizes, int n)
{
    int64_t starts[32] = {0};

    for (int k = 1; k < n; k++) starts[k] = starts[k - 1] + sizes[k - 1];
    check_parts(x, axis, n, starts, sizes, what);
}

static stria_tensor *x, *turned, *none, *line, *single;

static void test_split(void)
{
    CHECK_STATUS(stria_split(x, 3, NULL, 0, 1, &ys, NULL), STRIA_OK);
    PARTS(x, 1, "split by 3", 3, 3, 1);
    CHECK_STATUS(stria_split(x, 9, NULL, 0, -2, &ys, NULL), STRIA_OK);
    PARTS(x, 1, "split by more than there is", 7);
    CHECK_STATUS(stria_split(turned, INT64_MAX, NULL, 0, 0, &ys, NULL), STRIA_OK);
    PARTS(turned, 0, "split by the largest size", 6);
    CHECK_STATUS(stria_split(turned, -5, INTS(1, 0, 5), 0, &ys, NULL), STRIA_OK);
    PARTS(turned, 0, "split by sizes", 1, 0, 5);
    CHECK_STATUS(stria_split(none, 0, NULL, 0, 1, &ys, NULL), STRIA_OK);
    PARTS(none, 1, "split of nothing by 0", 0);
    CHECK_STATUS(stria_split(none, 4, NULL, 0, 1, &ys, NULL), STRIA_OK);
    PARTS(none, 1, "split of nothing", 0);
    CHECK_STATUS(stria_split(none, 0, INTS(0), 1, &ys, NULL), STRIA_OK);
    PARTS(none, 1, "split of nothing by sizes", 0);
    REFUSED(stria_split(x, 0, NULL, 0, 1, &ys, &err), STRIA_ERR_ARGUMENT, "split", "split_size",
            "must be 1 or more, not 0");
    REFUSED(stria_split(x, -1, NULL, 0, 1, &ys, &err), STRIA_ERR_ARGUMENT, "split", "split_size", "not -1");
    REFUSED(stria_split(x, 2, NULL, 0, 3, &ys, &err), STRIA_ERR_AXIS, "split", "dim", "axis 3 is out of range");
    REFUSED(stria_split(single, 2, NULL, 0, 0, &ys, &err), STRIA_ERR_SHAPE, "split", "x", "x has 0 dims");
    REFUSED(stria_split(NULL, 2, NULL, 0, 0, &ys, &err), STRIA_ERR_ARGUMENT, "split", "x", "x is NULL");
    REFUSED(stria_split(x, 0, INTS(3, 3), 1, &ys, &err), STRIA_ERR_ARGUMENT, "split", "split_size",
            "adds up to 6, but axis 1 has size 7");
    REFUSED(stria_split(x, 0, INTS(8, -1), 1, &ys, &err), STRIA_ERR_ARGUMENT, "split", "split_size[1]", "not -1");
    REFUSED(stria_split(x, 0, INTS(INT64_MAX, INT64_MAX, 9), 1, &ys, &err), STRIA_ERR_ARGUMENT, "split", "split_size",
            "adds up to");
    REFUSED(stria_split(x, 0, (const int64_t[]){1}, -1, 1, &ys, &err), STRIA_ERR_ARGUMENT, "split", "split_size",
            "0 or more whole numbers");
    stria_error err = {0};
    CHECK_STATUS(stria_split(x, 3, NULL, 0, 1, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.argument, "ys") == 0 && strcmp(err.message, "split: ys is NULL") == 0, "%s", err.message);
}

static void test_chunk(void)
{
    CHECK_STATUS(stria_chunk(x, 3, 1, &ys, NULL), STRIA_OK);
    PARTS(x, 1, "chunks 3 of 7", 3, 3, 1);
    CHECK_STATUS(stria_chunk(turned, 4, 0, &ys, NULL), STRIA_OK);
    PARTS(turned, 0, "chunks 4 of 6: there are 3", 2, 2, 2);
    CHECK_STATUS(stria_chunk(turned, INT64_MAX, 0, &ys, NULL), STRIA_OK);
    PARTS(turned, 0, "as many chunks as there are", 1, 1, 1, 1, 1, 1);
    CHECK_STATUS(stria_chunk(none, 3, 1, &ys, NULL), STRIA_OK);
    PARTS(none, 1, "chunks of nothing", 0, 0, 0);
    REFUSED(stria_chunk(x, 0, 1, &ys, &err), STRIA_ERR_ARGUMENT, "chunk", "chunks", "must be 1 or more, not 0");
    REFUSED(stria_chunk(none, INT64_MAX, 1, &ys, &err), STRIA_ERR_ARGUMENT, "chunk", "chunks",
            "at most 1048576 tensors");
    REFUSED(stria_chunk(single, 1, 0, &ys, &err), STRIA_ERR_SHAPE, "chunk", "x", "x has 0 dims");
}

static void test_tensor_split(void)
{
    CHECK_STATUS(stria_tensor_split(x, 3, NULL, 0, 1, &ys, NULL), STRIA_OK);
    PARTS(x, 1, "3 sections of 7", 3, 2, 2);
    CHECK_STATUS(stria_tensor_split(turned, 8, NULL, 0, 0, &ys, NULL), STRIA_OK);
    PARTS(turned, 0, "8 sections of 6", 1, 1, 1, 1, 1, 1, 0, 0);
    CHECK_STATUS(stria_tensor_split(x, 0, INTS(2, 5), 1, &ys, NULL), STRIA_OK);
    PARTS(x, 1, "at 2 and 5", 2, 3, 2);
    CHECK_STATUS(stria_tensor_split(x, 0, (const int64_t[]){1}, 0, 1, &ys, NULL), STRIA_OK);
    PARTS(x, 1, "at no index", 7);
    CHECK_STATUS(stria_tensor_split(x, 0, INTS(-2, 20, 1), 1, &ys, NULL), STRIA_OK);
    check_parts(x, 1, 4, (const int64_t[]){0, 5, 7, 1}, (const int64_t[]){5, 2, 0, 6}, "at -2, 20, 1");
    CHECK_STATUS(stria_tensor_split(x, 0, INTS(INT64_MIN, INT64_MAX), 1, &ys, NULL), STRIA_OK);
    PARTS(x, 1, "at both ends of the numbers", 0, 7, 0);
    REFUSED(stria_tensor_split(x, 0, NULL, 0, 1, &ys, &err), STRIA_ERR_ARGUMENT, "tensor_split", "indices_or_sections",
            "must be 1 or more, not 0");
    REFUSED(stria_tensor_split(x, STRIA_MAX_LIST + 1, NULL, 0, 1, &ys, &err), STRIA_ERR_ARGUMENT, "tensor_split",
            "indices_or_sections", "asks for 1048577 tensors");
}

static void test_axis_splits(void)
{
    CHECK_STATUS(stria_hsplit(line, 3, NULL, 0, &ys, NULL), STRIA_OK);
    PARTS(line, 0, "hsplit of one dim", 2, 2, 2);
    CHECK_STATUS(stria_hsplit(x, 7, NULL, 0, &ys, NULL), STRIA_OK);
    PARTS(x, 1, "hsplit", 1, 1, 1, 1, 1, 1, 1);
    CHECK_STATUS(stria_vsplit(x, 0, INTS(1), &ys, NULL), STRIA_OK);
    PARTS(x, 0, "vsplit", 1, 1);
    CHECK_STATUS(stria_dsplit(x, 3, NULL, 0, &ys, NULL), STRIA_OK);
    PARTS(x, 2, "dsplit", 2, 2, 2);
    REFUSED(stria_hsplit(x, 2, NULL, 0, &ys, &err), STRIA_ERR_ARGUMENT, "hsplit", "indices_or_sections",
            "must be a divisor of 7, not 2");
    REFUSED(stria_hsplit(single, 2, NULL, 0, &ys, &err), STRIA_ERR_SHAPE, "hsplit", "x", "must have 1 dims or more");
    REFUSED(stria_vsplit(line, 2, NULL, 0, &ys, &err), STRIA_ERR_SHAPE, "vsplit", "x", "x has 1 dims");
    REFUSED(stria_dsplit(line, 0, NULL, 0, &ys, &err), STRIA_ERR_SHAPE, "dsplit", "x", "must have 3 dims or more");
}

static void test_unbind(void)
{
    for (int axis = -3; axis < 3; axis++) {
        const int at = axis < 0 ? axis + 3 : axis;
        CHECK_STATUS(stria_unbind(x, axis, &ys, NULL), STRIA_OK);
        CHECK(ys.n == x->shape[at], "unbind: %d", ys.n);
        for (int k = 0; k < ys.n; k++) {
            int64_t index[2] = {0}, source[3];
            do {
                for (int d = 0, used = 0; d < 3; d++) source[d] = d == at ? k : index[used++];
                CHECK(ys.at[k]->ndim == 2 && tensor_at(ys.at[k], index) == tensor_at(x, source), "unbind: part %d", k);
            } while (index_next(2, ys.at[k]->shape, index));
        }
        stria_tensor_list_release(&ys);
    }
    CHECK_STATUS(stria_unbind(none, 1, &ys, NULL), STRIA_OK);
    CHECK(ys.n == 0 && ys.at == NULL, "unbind of nothing");
    REFUSED(stria_unbind(single, 0, &ys, &err), STRIA_ERR_SHAPE, "unbind", "x", "x has 0 dims");
}

/* Hundreds of thousands of parts, and more than a list holds. */
static void test_many(void)
{
    const int64_t zero = 0, many = 300000, more = INT64_C(1) << 40;
    stria_tensor *one = NULL, *wide = NULL, *wider = NULL;

    CHECK_STATUS(stria_full((const int64_t[]){1}, 1, (stria_scalar){.i = 3, .kind = STRIA_SCALAR_INT}, STRIA_U8,
                            STRIA_CPU, &one, NULL),
                 STRIA_OK);
    CHECK_STATUS(stria_expand(one, &many, 1, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_unbind(wide, 0, &ys, NULL), STRIA_OK);
    CHECK(ys.n == many && ys.at[many - 1]->ndim == 0 && *tensor_at(ys.at[many - 1], &zero) == 3, "%d parts", ys.n);
    stria_tensor_list_release(&ys);
    CHECK_STATUS(stria_expand(one, &more, 1, &wider, NULL), STRIA_OK);
    REFUSED(stria_unbind(wider, 0, &ys, &err), STRIA_ERR_ARGUMENT, "unbind", "dim", "asks for 1099511627776 tensors");
    REFUSED(stria_split(wider, 2, NULL, 0, 0, &ys, &err), STRIA_ERR_ARGUMENT, "split", "split_size",
            "asks for 549755813888 tensors");
    CHECK_STATUS(stria_split(wider, more / 2, NULL, 0, 0, &ys, NULL), STRIA_OK);
    CHECK(ys.n == 2 && ys.at[1]->numel == more / 2, "2 halves");
    stria_tensor_list_release(&ys);
    stria_tensor_release(one), stria_tensor_release(wide), stria_tensor_release(wider);
}

/* ---------------------------------------------------------------- one shape */

static void test_broadcast_tensors(void)
{
    static const int64_t shape[] = {2, 7, 6};
    const stria_tensor  *list[] = {single, line, x, single};

    CHECK_STATUS(stria_broadcast_tensors(list, 4, &ys, NULL), STRIA_OK);
    CHECK(ys.n == 4, "%d tensors", ys.n);
    for (int k = 0; k < ys.n; k++) {
        int64_t index[3] = {0};
        CHECK(stria_tensor_has_shape(ys.at[k], 3, shape) && ys.at[k]->dtype == list[k]->dtype, "tensor %d", k);
        do CHECK(tensor_at(ys.at[k], index) == tensor_at_broadcast(list[k], 3, index), "tensor %d", k);
        while (index_next(3, shape, index));
    }
    stria_tensor_list_release(&ys);
    CHECK_STATUS(stria_broadcast_tensors(NULL, 0, &ys, NULL), STRIA_OK);
    CHECK(ys.n == 0, "nothing of nothing");
    list[1] = turned;
    REFUSED(stria_broadcast_tensors(list, 4, &ys, &err), STRIA_ERR_SHAPE, "broadcast_tensors", "tensors[2]",
            "broadcast");
    REFUSED(stria_broadcast_tensors((const stria_tensor *const[]){x, NULL}, 2, &ys, &err), STRIA_ERR_ARGUMENT,
            "broadcast_tensors", "tensors[1]", "is NULL");
}

static void test_meshgrid(void)
{
    static const char *const words[] = {"ij", "xy"};
    stria_tensor            *three = NULL, *two = NULL;
    random_state             random = {8};

    three = tensor_random(&random, STRIA_C64, LAYOUT_FLIPPED, 1, (const int64_t[]){3}, -9, 9);
    two = tensor_random(&random, STRIA_U8, LAYOUT_CONTIGUOUS, 1, (const int64_t[]){2}, 0, 9);
    const stria_tensor *const list[] = {three, line, single, two};
    for (int n = 1; n <= 4; n++)
        for (int w = 0; w < 2; w++) {
            CHECK_STATUS(stria_meshgrid(list, n, words[w], &ys, NULL), STRIA_OK);
            CHECK(ys.n == n, "%d tensors", ys.n);
            for (int k = 0; k < ys.n; k++) {
                const int     axis = w == 1 && n > 1 && k < 2 ? 1 - k : k;
                int64_t       index[4] = {0};
                stria_tensor *y = ys.at[k];
                CHECK(y->ndim == n && y->dtype == list[k]->dtype && y->shape[axis] == list[k]->numel, "tensor %d", k);
                do CHECK(tensor_at(y, index) == tensor_at(list[k], index + axis), "tensor %d of %d", k, n);
                while (index_next(n, y->shape, index));
            }
            stria_tensor_list_release(&ys);
        }
    REFUSED(stria_meshgrid(NULL, 0, "ij", &ys, &err), STRIA_ERR_ARGUMENT, "meshgrid", "tensors",
            "1 .. 64 members, not 0");
    REFUSED(stria_meshgrid((const stria_tensor *const[]){line, x}, 2, "ij", &ys, &err), STRIA_ERR_SHAPE, "meshgrid",
            "tensors[1]", "tensors[1] has 3 dims");
    REFUSED(stria_meshgrid(list, 2, "ji", &ys, &err), STRIA_ERR_ARGUMENT, "meshgrid", "indexing", "ij|xy");
    const stria_tensor *many[65];
    for (int k = 0; k < 65; k++) many[k] = single;
    REFUSED(stria_meshgrid(many, 65, "ij", &ys, &err), STRIA_ERR_ARGUMENT, "meshgrid", "tensors", "not 65");
    CHECK_STATUS(stria_meshgrid(many, 64, "xy", &ys, NULL), STRIA_OK);
    CHECK(ys.n == 64 && ys.at[63]->ndim == 64, "64 axes");
    stria_tensor_list_release(&ys);
    stria_tensor_release(three), stria_tensor_release(two);
}

/* Tensors may be taken over one by one; META has lists, too. */
static void test_life(void)
{
    stria_tensor *meta = NULL, *kept;

    CHECK_STATUS(stria_unbind(x, 0, &ys, NULL), STRIA_OK);
    kept = ys.at[1];
    ys.at[1] = NULL;
    stria_tensor_list_release(&ys);
    stria_tensor_list_release(&ys);
    stria_tensor_list_release(NULL);
    CHECK(kept->storage == x->storage && kept->numel == 42, "a tensor that was taken over");
    stria_tensor_release(kept);
    CHECK_STATUS(stria_empty((const int64_t[]){4, 6}, 2, STRIA_F32, STRIA_META, &meta, NULL), STRIA_OK);
    CHECK_STATUS(stria_split(meta, 4, NULL, 0, 1, &ys, NULL), STRIA_OK);
    CHECK(ys.n == 2 && ys.at[1]->device.type == STRIA_DEVICE_META && ys.at[1]->shape[1] == 2, "parts on META");
    stria_tensor_list_release(&ys);
    stria_tensor_release(meta);
}

SUITE(test_lists)
{
    const int64_t before = stria_memory_get_stats().live_tensors;
    random_state  random = {7};

    x = tensor_random(&random, STRIA_F32, LAYOUT_FLIPPED, 3, (const int64_t[]){2, 7, 6}, -9, 9);
    turned = tensor_random(&random, STRIA_C128, LAYOUT_TRANSPOSED, 2, (const int64_t[]){6, 5}, -9, 9);
    none = tensor_random(&random, STRIA_BOOL, LAYOUT_CONTIGUOUS, 2, (const int64_t[]){3, 0}, 0, 1);
    line = tensor_random(&random, STRIA_I64, LAYOUT_OFFSET, 1, (const int64_t[]){6}, -9, 9);
    single = tensor_random(&random, STRIA_F64, LAYOUT_CONTIGUOUS, 0, NULL, -9, 9);
    test_split();
    test_chunk();
    test_tensor_split();
    test_axis_splits();
    test_unbind();
    test_many();
    test_broadcast_tensors();
    test_meshgrid();
    test_life();
    stria_tensor_release(x), stria_tensor_release(turned), stria_tensor_release(none), stria_tensor_release(line);
    stria_tensor_release(single);
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("test_lists");
}
