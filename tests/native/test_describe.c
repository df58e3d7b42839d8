/* test_describe.c - stria_iter_describe against examples worked by hand (the sections named are those of
 * tests/spec/iterator.md), and what its JSON form does with short buffers and broken input. */
#include <string.h>

#include "iter.h"
#include "json.h"
#include "oracle.h"

static stria_tensor *new_strided(stria_dtype dtype, int ndim, const int64_t *shape, const int64_t *strides)
{
    stria_tensor *x = NULL;
    CHECK_STATUS(stria_tensor_new_strided(dtype, ndim, shape, strides, &x, NULL), STRIA_OK);
    return x;
}

static stria_tensor *new_plain(stria_dtype dtype, int ndim, const int64_t *shape)
{
    stria_tensor *x = NULL;
    CHECK_STATUS(stria_tensor_new(dtype, ndim, shape, &x, NULL), STRIA_OK);
    return x;
}

#define LIST(...) ((const int64_t[]){__VA_ARGS__})
#define SAME(got, n, ...) (memcmp((got), LIST(__VA_ARGS__), (n) * sizeof(int64_t)) == 0)

/* Builds, describes and releases; f32 results. */
static void describe_elementwise(stria_tensor *out, stria_tensor *a, stria_tensor *b, stria_iter_description *d)
{
    stria_iter_config config;
    stria_iter        it;

    stria_iter_config_init(&config);
    stria_iter_config_set_elementwise(&config, STRIA_F32);
    stria_iter_config_add_output(&config, out);
    stria_iter_config_add_input(&config, a);
    if (b != NULL) stria_iter_config_add_input(&config, b);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    stria_iter_describe(&it, d);
    stria_iter_release(&it);
}

/* A copy is described as what it was copied from. */
static void check_copy(const stria_iter *it)
{
    static char texts[2][20000];
    stria_iter  copy;

    memset(&copy, 0xA5, sizeof copy);
    CHECK_STATUS(stria_iter_copy(it, &copy, NULL), STRIA_OK);
    CHECK_STATUS(stria_iter_describe_json(it, texts[0], sizeof texts[0], NULL, NULL), STRIA_OK);
    CHECK_STATUS(stria_iter_describe_json(&copy, texts[1], sizeof texts[1], NULL, NULL), STRIA_OK);
    CHECK(strcmp(texts[0], texts[1]) == 0, "a copy is %s\nof %s", texts[1], texts[0]);
    stria_iter_release(&copy);
}

/* Nothing that the iterator held before the build matters. */
static void describe_and_release(stria_iter_config *config, stria_iter_description *d)
{
    stria_iter it;
    memset(&it, 0xA5, sizeof it);
    CHECK_STATUS(stria_iter_build(&it, config, NULL), STRIA_OK);
    stria_iter_describe(&it, d);
    check_copy(&it);
    stria_iter_release(&it);
}

static stria_iter_description d; /* of the example at hand */

#define CHECK_ORDER(r, wanted, operand)                                                                          \
    CHECK(d.axes[r].order == (wanted) && d.axes[r].order_operand == (operand), "order of %d: %s, operand %d", r, \
          stria_iter_order_get_name(d.axes[r].order), d.axes[r].order_operand)
#define CHECK_MERGE(r, wanted, operand)                                                                          \
    CHECK(d.axes[r].merge == (wanted) && d.axes[r].merge_operand == (operand), "merge of %d: %s, operand %d", r, \
          stria_iter_merge_get_name(d.axes[r].merge), d.axes[r].merge_operand)
#define CHECK_BLOCKED(r, operand, stride_wanted, stride_found)                                         \
    CHECK(d.axes[r].merge == STRIA_ITER_MERGE_STRIDE && d.axes[r].merge_operand == (operand) &&        \
              d.axes[r].merge_wanted == (stride_wanted) && d.axes[r].merge_found == (stride_found),    \
          "merge of %d: %s, operand %d, %lld for %lld", r, stria_iter_merge_get_name(d.axes[r].merge), \
          d.axes[r].merge_operand, (long long)d.axes[r].merge_found, (long long)d.axes[r].merge_wanted)
#define CHECK_PATH(path, wanted, at)                                                      \
    CHECK(d.path.verdict == (wanted) && d.path.operand == (at), #path ": %s, operand %d", \
          stria_iter_path_get_name(d.path.verdict), d.path.operand)

/* ---------------------------------------------------------------- order and merging, by hand */

static void test_worked_order(void) /* 3.8, Worked; 3.9 */
{
    stria_tensor        *x = new_strided(STRIA_F32, 5, LIST(6, 5, 4, 3, 2), LIST(6, 0, 120, 0, 1));
    static const int     order[5] = {4, 3, 0, 1, 2};
    static const int64_t sizes[5] = {2, 3, 6, 5, 4}, out[5] = {4, 8, 24, 144, 720}, in[5] = {4, 0, 24, 0, 480};

    describe_elementwise(NULL, x, NULL, &d);
    CHECK(d.n_axes == 5 && d.n_dims == 5 && d.numel == 720 && SAME(d.shape, 5, 6, 5, 4, 3, 2), "shape");
    for (int r = 0; r < 5; r++) {
        const stria_iter_description_axis *axis = &d.axes[r];
        CHECK(axis->axis == order[r] && axis->size == sizes[r] && axis->dim == r, "axis %d", r);
        CHECK(axis->strides[0] == out[r] && axis->strides[1] == in[r], "strides %d", r);
        CHECK(d.dims[r].size == sizes[r] && d.dims[r].strides[0] == out[r] && d.dims[r].strides[1] == in[r], "%d", r);
    }
    CHECK_ORDER(0, STRIA_ITER_ORDER_ROW_MAJOR, -1);
    CHECK_ORDER(1, STRIA_ITER_ORDER_ROW_MAJOR, -1);
    CHECK_ORDER(2, STRIA_ITER_ORDER_SORT, -1);
    CHECK_ORDER(3, STRIA_ITER_ORDER_SORT, -1);
    CHECK_ORDER(4, STRIA_ITER_ORDER_LAST, -1);
    CHECK_MERGE(0, STRIA_ITER_MERGE_FIRST, -1);
    CHECK_BLOCKED(1, 1, 8, 0);
    CHECK_BLOCKED(2, 1, 0, 24);
    CHECK_BLOCKED(3, 1, 144, 0);
    CHECK_BLOCKED(4, 1, 0, 480);
    stria_tensor_release(x);
}

static void test_deciding_operand(void) /* 3.8, Consequences */
{
    stria_tensor *row = new_plain(STRIA_F32, 2, LIST(1, 3));
    stria_tensor *columns = new_strided(STRIA_F32, 2, LIST(2, 3), LIST(1, 2));
    stria_tensor *equal = new_strided(STRIA_F32, 2, LIST(2, 3), LIST(3, 3));
    stria_tensor *plain = new_plain(STRIA_F32, 2, LIST(2, 3));

    describe_elementwise(NULL, row, columns, &d); /* follows the second input */
    CHECK(d.axes[0].axis == 0 && d.axes[1].axis == 1, "columns first");
    CHECK_ORDER(0, STRIA_ITER_ORDER_STRIDE, 2);
    CHECK_BLOCKED(1, 1, 0, 4);
    CHECK_PATH(contiguous, STRIA_ITER_PATH_SHAPES_DIFFER, 1);
    CHECK_PATH(dense, STRIA_ITER_PATH_SHAPES_DIFFER, 1);
    describe_elementwise(NULL, equal, NULL, &d); /* the axis of size 2 goes first */
    CHECK(d.axes[0].axis == 0 && d.axes[0].strides[0] == 4 && d.axes[1].strides[0] == 8, "output (1,2)");
    CHECK_ORDER(0, STRIA_ITER_ORDER_SIZE, 1);
    CHECK_BLOCKED(1, 1, 24, 12);
    describe_elementwise(plain, columns, equal, &d); /* a fitting output decides over all inputs */
    CHECK(d.axes[0].axis == 1, "row-major");
    CHECK_ORDER(0, STRIA_ITER_ORDER_STRIDE, 0);
    CHECK_BLOCKED(1, 1, 24, 4);
    CHECK_PATH(contiguous, STRIA_ITER_PATH_OTHER_LAYOUT, 1);
    CHECK_PATH(channels_last, STRIA_ITER_PATH_NOT_FOUR_DIMS, -1);
    CHECK_PATH(dense, STRIA_ITER_PATH_STRIDES_DIFFER, 1);
    stria_tensor_release(row);
    stria_tensor_release(columns);
    stria_tensor_release(equal);
    stria_tensor_release(plain);
}

/* An equal stride decides only where the longer axis is the left one in a comparison of the sort. Here axes 2 and 0 are
 * compared in that order: the output takes steps of 4 bytes in both, and size 1 is not above 2, so it cannot tell; the next
 * operand can. */
static void test_equal_strides_of_the_left(void)
{
    stria_tensor *out = new_strided(STRIA_F32, 3, LIST(2, 2, 1), LIST(1, 2, 1));
    stria_tensor *in = new_strided(STRIA_F32, 3, LIST(2, 2, 1), LIST(3, 1, 1));

    describe_elementwise(out, in, NULL, &d);
    CHECK(d.axes[0].axis == 2 && d.axes[1].axis == 0 && d.axes[2].axis == 1, "2, 0, 1");
    CHECK_ORDER(0, STRIA_ITER_ORDER_STRIDE, 1);
    CHECK_ORDER(1, STRIA_ITER_ORDER_STRIDE, 0);
    stria_tensor_release(out);
    stria_tensor_release(in);
}

static void test_worked_merging(void) /* 3.10, Example */
{
    stria_tensor *out = new_strided(STRIA_F32, 4, LIST(1, 5, 4, 64), LIST(1280, 256, 64, 1));
    stria_tensor *in = new_strided(STRIA_F32, 4, LIST(1, 5, 4, 64), LIST(1280, 4, 1, 20));

    describe_elementwise(out, in, NULL, &d);
    CHECK(d.n_dims == 2 && d.dims[0].size == 64 && d.dims[1].size == 20, "[64,20]");
    CHECK(SAME(d.dims[0].strides, 2, 4, 80) && SAME(d.dims[1].strides, 2, 256, 4), "strides");
    CHECK(d.axes[0].dim == 0 && d.axes[1].dim == 1 && d.axes[2].dim == 1 && d.axes[3].dim == 1, "dims of the axes");
    for (int r = 0; r < 3; r++) CHECK_ORDER(r, STRIA_ITER_ORDER_STRIDE, 0);
    CHECK_BLOCKED(1, 1, 5120, 4);
    CHECK_MERGE(2, STRIA_ITER_MERGE_FITS, -1);
    CHECK_MERGE(3, STRIA_ITER_MERGE_SIZE_ONE, -1);
    CHECK_PATH(contiguous, STRIA_ITER_PATH_OTHER_LAYOUT, 1);
    CHECK_PATH(channels_last, STRIA_ITER_PATH_OTHER_LAYOUT, 0);
    CHECK_PATH(dense, STRIA_ITER_PATH_STRIDES_DIFFER, 1);
    CHECK(d.operands[0].form == STRIA_ITER_FORM_CONTIGUOUS && d.operands[1].form == STRIA_ITER_FORM_STRIDED, "forms");
    CHECK(!d.is_contiguous && d.fits_32bit && !d.is_part && d.dim_to_split == 0, "flags");
    stria_tensor_release(out);
    stria_tensor_release(in);
}

/* ---------------------------------------------------------------- fast set-ups, by hand */

static void test_fast_set_ups(void) /* 3.6 */
{
    stria_tensor *ones = new_strided(STRIA_F32, 4, LIST(2, 3, 1, 1), LIST(3, 1, 3, 3));
    stria_tensor *images = new_strided(STRIA_F32, 4, LIST(2, 3, 4, 5), LIST(60, 1, 15, 3));
    stria_tensor *columns = new_strided(STRIA_F32, 2, LIST(2, 3), LIST(1, 2)), *reversed = NULL;
    const int     axis = 1;

    describe_elementwise(NULL, ones, NULL, &d);
    CHECK(d.setup == STRIA_ITER_CONTIGUOUS && d.is_contiguous, "%s", stria_iter_setup_get_name(d.setup));
    CHECK_PATH(contiguous, STRIA_ITER_PATH_TAKEN, -1);
    CHECK_PATH(channels_last, STRIA_ITER_PATH_NOT_NEEDED, -1);
    CHECK_PATH(dense, STRIA_ITER_PATH_NOT_NEEDED, -1);
    CHECK(d.n_dims == 1 && d.dims[0].size == 6 && SAME(d.dims[0].strides, 2, 4, 4), "one run");
    CHECK(d.axes[3].strides[0] == 12 && d.axes[2].strides[0] == 4 && d.axes[1].strides[1] == 12, "axes of the output");
    describe_elementwise(NULL, images, NULL, &d);
    CHECK_PATH(contiguous, STRIA_ITER_PATH_OTHER_LAYOUT, 1);
    CHECK_PATH(channels_last, STRIA_ITER_PATH_TAKEN, -1);
    CHECK_PATH(dense, STRIA_ITER_PATH_NOT_NEEDED, -1);
    CHECK(d.axes[0].axis == 1 && d.axes[1].axis == 3 && d.axes[2].axis == 2 && d.axes[3].axis == 0, "C, W, H, N");
    for (int r = 0; r < 3; r++) CHECK_ORDER(r, STRIA_ITER_ORDER_ALIKE, -1);
    for (int r = 1; r < 4; r++) CHECK_MERGE(r, STRIA_ITER_MERGE_ALIKE, -1);
    describe_elementwise(NULL, columns, columns, &d);
    CHECK_PATH(contiguous, STRIA_ITER_PATH_OTHER_LAYOUT, 1);
    CHECK_PATH(channels_last, STRIA_ITER_PATH_NOT_FOUR_DIMS, -1);
    CHECK_PATH(dense, STRIA_ITER_PATH_TAKEN, -1);
    CHECK(d.axes[0].axis == 0 && d.axes[0].strides[0] == 4 && d.axes[1].strides[0] == 8, "columns first");
    CHECK_STATUS(stria_flip(columns, &axis, 1, &reversed, NULL), STRIA_OK);
    describe_elementwise(NULL, reversed, NULL, &d);
    CHECK_PATH(dense, STRIA_ITER_PATH_REVERSED, 1);
    CHECK(d.axes[1].strides[1] == -8 && d.dims[1].strides[1] == -8, "%lld", (long long)d.axes[1].strides[1]);
    CHECK_BLOCKED(1, 1, 8, -8);
    stria_tensor_release(ones);
    stria_tensor_release(images);
    stria_tensor_release(columns);
    stria_tensor_release(reversed);
}

static void test_refusals(void)
{
    stria_tensor *x = new_strided(STRIA_F32, 2, LIST(2, 3), LIST(1, 2)), *plain = new_plain(STRIA_F32, 2, LIST(2, 3));
    stria_iter_config config;

    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, NULL, x);
    stria_iter_config_set_enforce_linear_iteration(&config, true);
    describe_and_release(&config, &d);
    CHECK(d.is_linear && d.axes[0].axis == 1 && d.axes[0].strides[1] == 8, "row-major");
    CHECK_ORDER(0, STRIA_ITER_ORDER_LINEAR, -1);
    CHECK_PATH(contiguous, STRIA_ITER_PATH_OTHER_LAYOUT, 1);
    CHECK_PATH(channels_last, STRIA_ITER_PATH_LINEAR, -1);
    CHECK_PATH(dense, STRIA_ITER_PATH_LINEAR, -1);
    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, NULL, plain);
    stria_iter_config_set_multi_index(&config, true);
    describe_and_release(&config, &d);
    CHECK_PATH(contiguous, STRIA_ITER_PATH_MULTI_INDEX, -1);
    CHECK_MERGE(1, STRIA_ITER_MERGE_MULTI_INDEX, -1);
    CHECK(d.multi_index && d.n_dims == 2 && d.axes[1].dim == 1 && !d.is_part, "dims stay apart");
    stria_iter_config_init(&config);
    stria_iter_config_set_resize_outputs(&config, false);
    stria_iter_config_add_output(&config, plain);
    stria_iter_config_set_static_shape(&config, 2, LIST(2, 3), (const int[]){1}, 1);
    stria_iter_config_add_input(&config, x);
    describe_and_release(&config, &d);
    CHECK_PATH(contiguous, STRIA_ITER_PATH_STATIC_SHAPE, -1);
    CHECK(d.has_static_shape && d.numel == 2 && SAME(d.shape, 2, 2, 1) && !d.is_part, "squashed");
    CHECK(d.n_dims == 1 && SAME(d.dims[0].strides, 2, 12, 4), "strides %lld", (long long)d.dims[0].strides[0]);
    stria_iter_config_init(&config);
    stria_iter_config_set_nullary_op(&config, x);
    describe_and_release(&config, &d);
    CHECK_PATH(dense, STRIA_ITER_PATH_TAKEN, -1);
    CHECK(d.n_operands == 1 && d.common_dtype == STRIA_DTYPE_NONE, "no inputs");
    stria_tensor_release(x);
    stria_tensor_release(plain);
}

/* ---------------------------------------------------------------- operands, threads, reductions, by hand */

static void test_origins(void)
{
    stria_tensor     *i = new_plain(STRIA_I32, 1, LIST(4)), *f = new_plain(STRIA_F32, 1, LIST(4)), *number = NULL;
    stria_tensor     *base = new_plain(STRIA_F32, 1, LIST(8)), *low = NULL, *high = NULL;
    stria_tensor     *wrong = new_plain(STRIA_F32, 1, LIST(0)), *wide = new_plain(STRIA_F64, 1, LIST(6));
    stria_iter_config config;

    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = 2}, &number, NULL), STRIA_OK);
    stria_iter_config_init(&config);
    stria_iter_config_set_binary_op(&config, NULL, i, f);
    describe_and_release(&config, &d);
    CHECK(d.operands[0].origin == STRIA_ITER_ALLOCATED && d.operands[0].given_dtype == STRIA_DTYPE_NONE, "new");
    CHECK(d.operands[1].origin == STRIA_ITER_CONVERTED && d.operands[1].given_dtype == STRIA_I32, "converted");
    CHECK(d.operands[1].dtype == STRIA_F32 && d.operands[2].origin == STRIA_ITER_GIVEN, "f32");
    CHECK(d.common_dtype == STRIA_F32 && d.common_device.type == STRIA_DEVICE_CPU, "common");
    describe_elementwise(f, f, number, &d);
    CHECK(d.operands[0].is_in_place && d.operands[1].is_in_place && !d.operands[2].is_in_place, "in place");
    CHECK(d.operands[2].is_wrapped_number && d.operands[2].form == STRIA_ITER_FORM_VALUE, "a number");
    describe_elementwise(wrong, f, NULL, &d);
    CHECK(d.operands[0].origin == STRIA_ITER_RESIZED && d.operands[0].given_dtype == STRIA_F32, "resized");
    CHECK(!d.is_part && d.setup == STRIA_ITER_CONTIGUOUS, "as built");
    CHECK_STATUS(stria_slice(base, 0, 0, 6, 1, &low, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(base, 0, 2, 8, 1, &high, NULL), STRIA_OK);
    stria_iter_config_init(&config);
    stria_iter_config_set_copy_if_overlap(&config, true);
    stria_iter_config_set_unary_op(&config, high, low);
    describe_and_release(&config, &d);
    CHECK(d.operands[1].origin == STRIA_ITER_COPIED && d.operands[0].origin == STRIA_ITER_GIVEN, "copied");
    stria_iter_config_init(&config); /* copied through op_axes, then converted */
    stria_iter_config_set_copy_if_overlap(&config, true);
    stria_iter_config_set_promote_inputs_to_common_dtype(&config, true);
    stria_iter_config_add_output(&config, high);
    stria_iter_config_add_input(&config, low);
    stria_iter_config_set_op_axes(&config, 1, (const int[]){0}, 1);
    stria_iter_config_add_input(&config, wide);
    describe_and_release(&config, &d);
    CHECK(d.operands[1].origin == STRIA_ITER_CONVERTED && d.operands[1].has_op_axes, "converted behind a view");
    stria_iter_config_init(&config);
    stria_iter_config_add_output(&config, NULL);
    stria_iter_config_add_input(&config, f);
    stria_iter_config_set_op_axes(&config, 1, (const int[]){-1, 0}, 2);
    describe_and_release(&config, &d);
    CHECK(d.operands[1].has_op_axes && !d.operands[0].has_op_axes && SAME(d.shape, 2, 1, 4), "op_axes");
    stria_tensor *all[] = {i, f, number, base, low, high, wrong, wide};
    for (int k = 0; k < 8; k++) stria_tensor_release(all[k]);
}

/* Memory is not touched, so it need not exist. */
static void describe_large(int64_t numel, stria_iter_description *into)
{
    static char   one[4];
    stria_tensor *x = NULL;
    CHECK_STATUS(stria_tensor_new_external(STRIA_F32, 1, &numel, NULL, one, NULL, NULL, &x, NULL), STRIA_OK);
    describe_elementwise(x, x, NULL, into);
    stria_tensor_release(x);
}

static void test_threads(void) /* 4.3 */
{
    const int before = stria_threads_get();

    CHECK_STATUS(stria_threads_set(4, NULL), STRIA_OK);
    if (stria_threads_get() == 4) {
        describe_large(100000, &d);
        CHECK(d.threads.n_threads == 4 && d.threads.n_chunks == 4 && d.threads.chunk_size == 25000, "100000");
        describe_large(65537, &d); /* no chunk is to be below the grain */
        CHECK(d.threads.n_chunks == 3 && d.threads.chunk_size == 21846, "%d", d.threads.n_chunks);
        describe_large(32768, &d);
        CHECK(d.threads.n_chunks == 1 && d.threads.chunk_size == 32768, "%d", d.threads.n_chunks);
        CHECK(d.threads.dim == -1 && d.threads.grain == 32768 && d.threads.round == 1, "over all positions");
    }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    describe_large(100000, &d);
    CHECK(d.threads.n_chunks == 1 && d.threads.chunk_size == 100000, "one thread");
    if (sizeof(void *) == 8) { /* 2^31 bytes are more than a tensor may have where pointers have 32 bits */
        describe_large((int64_t)1 << 29, &d); /* 3.12, Boundary */
        CHECK(d.fits_32bit, "2^29");
        describe_large(((int64_t)1 << 29) + 1, &d);
        CHECK(!d.fits_32bit, "2^29 + 1");
    }
    describe_large(0, &d);
    CHECK(d.threads.n_chunks == 0 && d.numel == 0, "nothing to do");
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
}

static void describe_sum(int ndim, const int64_t *shape, uint64_t reduced, stria_iter_description *into)
{
    stria_tensor     *x = new_plain(STRIA_F32, ndim, shape), *out, *view = NULL;
    int64_t           kept[STRIA_MAX_DIMS];
    int               n = 0;
    stria_iter_config config;

    for (int k = 0; k < ndim; k++) {
        if (!((reduced >> k) & 1)) kept[n++] = shape[k];
    }
    out = new_plain(STRIA_F32, n, kept);
    CHECK_STATUS(stria_iter_view_reduced(out, ndim, reduced, false, &view, NULL), STRIA_OK);
    stria_iter_config_init(&config);
    stria_iter_config_set_reduce_op(&config, view, x);
    describe_and_release(&config, into);
    stria_tensor_release(x);
    stria_tensor_release(out);
    stria_tensor_release(view);
}

static void test_reductions(void)
{
    const int before = stria_threads_get();

    describe_sum(3, LIST(2, 3, 4), 5, &d); /* section 8, View trick */
    CHECK(d.is_reduction && d.n_reduced_dims == 2 && d.n_dims == 3, "[4,2,3]");
    CHECK(d.axes[0].axis == 2 && d.axes[1].axis == 0 && d.axes[2].axis == 1, "reduced axes first");
    CHECK(SAME(d.dims[0].strides, 2, 0, 4) && SAME(d.dims[1].strides, 2, 0, 48), "reduced strides");
    CHECK(SAME(d.dims[2].strides, 2, 4, 16), "kept strides");
    CHECK_ORDER(0, STRIA_ITER_ORDER_STRIDE, 1);
    CHECK_ORDER(1, STRIA_ITER_ORDER_REDUCED, 0);
    CHECK_BLOCKED(1, 1, 16, 48);
    CHECK_PATH(contiguous, STRIA_ITER_PATH_REDUCTION, -1);
    CHECK(d.threads.strategy == STRIA_ITER_REDUCE_SERIAL && d.threads.n_chunks == 1, "small");
    CHECK_STATUS(stria_threads_set(4, NULL), STRIA_OK);
    if (stria_threads_get() == 4) {
        describe_sum(2, LIST(100, 1000), 1, &d); /* 4.5, Example */
        CHECK(d.threads.strategy == STRIA_ITER_REDUCE_SPLIT_DIM && d.threads.dim == 1, "a kept dim");
        CHECK(d.threads.n_chunks == 4 && d.threads.chunk_size == 250 && d.threads.round == 32, "chunks of 250");
        describe_sum(2, LIST(100, 1000), 3, &d);
        CHECK(d.threads.strategy == STRIA_ITER_REDUCE_TWO_PASS && d.threads.dim == -1, "one result");
        CHECK(d.threads.n_chunks == 4 && d.threads.chunk_size == 25000, "%d", d.threads.n_chunks);
        CHECK_MERGE(1, STRIA_ITER_MERGE_FITS, -1);
    }
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
}

/* ---------------------------------------------------------------- parts, sizes beyond the usual, nothing */

static void test_parts(void)
{
    stria_tensor     *x = new_strided(STRIA_F32, 2, LIST(5, 8), LIST(9, 1)), *none = NULL;
    stria_iter_config config;
    stria_iter        it, lower;

    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, none, x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    stria_iter_describe(&it, &d);
    CHECK(!d.is_part && d.n_dims == 2, "whole");
    CHECK_STATUS(stria_iter_split(&it, 0, &lower, NULL), STRIA_OK);
    stria_iter_describe(&lower, &d);
    CHECK(d.is_part && d.dims[0].size == 4 && d.axes[0].size == 8 && d.numel == 20, "lower half");
    stria_iter_describe(&it, &d);
    CHECK(d.is_part && d.dims[0].size == 4 && d.dims[1].size == 5, "upper half");
    stria_iter_release(&lower);
    stria_iter_release(&it);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    stria_iter_narrow(&it, 1, 2, 1); /* the short dim vanishes */
    stria_iter_describe(&it, &d);
    CHECK(d.is_part && d.n_dims == 1 && d.n_axes == 2 && d.axes[1].dim == 1, "narrowed");
    stria_iter_release(&it);
    stria_tensor_release(x);
}

static void test_many(void)
{
    int64_t           shape[20], strides[20];
    stria_tensor     *x, *y;
    stria_iter_config config;

    for (int k = 0; k < 20; k++) shape[k] = k % 2 + 1, strides[k] = 2 << k;
    x = new_strided(STRIA_U8, 20, shape, strides);
    y = new_plain(STRIA_U8, 1, LIST(2));
    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, "many");
    stria_iter_config_add_output(&config, NULL);
    for (int k = 0; k < 11; k++) stria_iter_config_add_input(&config, k == 9 ? y : x);
    describe_and_release(&config, &d);
    stria_iter_config_release(&config);
    CHECK(d.n_operands == 12 && d.n_listed == 8 && d.n_axes == 20 && d.n_outputs == 1, "%d operands", d.n_operands);
    CHECK(d.axes[0].axis == 0 && d.axes[19].axis == 19, "the first input's order, against row-major");
    CHECK_PATH(contiguous, STRIA_ITER_PATH_SHAPES_DIFFER, 10); /* one that is not listed */
    CHECK(d.n_dims == 10 && !d.is_part, "%d dims", d.n_dims);
    stria_tensor_release(x);
    stria_tensor_release(y);
}

static void test_nothing(void)
{
    stria_iter it;
    char       text[4000];
    size_t     needed = 0;

    stria_iter_init(&it);
    stria_iter_describe(&it, &d);
    CHECK(d.n_operands == 0 && d.n_axes == 0 && d.numel == 0 && d.common_dtype == STRIA_DTYPE_NONE, "nothing");
    CHECK_STATUS(stria_iter_describe_json(&it, text, sizeof text, &needed, NULL), STRIA_OK);
    json *value = json_parse(text, needed);
    CHECK(value != NULL && json_get(value, "operands")->count == 0, "an object");
    json_free(value);
}

static void test_broken_input(void)
{
    stria_iter  it;
    stria_error err;
    size_t      needed = 77;

    stria_iter_init(&it);
    CHECK_STATUS(stria_iter_describe_json(NULL, NULL, 0, &needed, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.op, "describe") == 0 && strcmp(err.argument, "it") == 0 && needed == 77, "%s", err.message);
    CHECK_STATUS(stria_iter_describe_json(&it, NULL, 1, &needed, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.argument, "text") == 0 && needed == 77, "%s", err.message);
    CHECK_STATUS(stria_iter_describe_json(&it, NULL, 0, NULL, NULL), STRIA_OK);
    CHECK(strcmp(stria_iter_path_get_name((stria_iter_path)99), "unknown") == 0, "no such path");
    CHECK(strcmp(stria_iter_merge_get_text((stria_iter_merge)-1), "unknown") == 0, "no such merge");
    CHECK(strcmp(stria_iter_path_get_name(STRIA_ITER_PATH_NO_OPERAND), "no_operand") == 0, "the last one");
}

/* Every size up to what is needed: a prefix, its end, and nothing beyond. */
static void test_truncation(void)
{
    stria_tensor     *x = new_strided(STRIA_F32, 2, LIST(3, 4), LIST(1, 3));
    static char       whole[8000], part[8000];
    stria_iter_config config;
    stria_iter        it;
    size_t            needed = 0, again = 0;
    int               wrong = 0;

    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, NULL, x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    CHECK_STATUS(stria_iter_describe_json(&it, whole, sizeof whole, &needed, NULL), STRIA_OK);
    CHECK(needed > 500 && needed < sizeof whole && strlen(whole) == needed, "%zu", needed);
    CHECK_STATUS(stria_iter_describe_json(&it, NULL, 0, &again, NULL), STRIA_OK);
    CHECK(again == needed, "%zu", again);
    for (size_t size = 1; size <= needed + 2; size++) {
        const size_t length = size <= needed ? size - 1 : needed;
        memset(part, '#', sizeof part);
        if (stria_iter_describe_json(&it, part, size, &again, NULL) != STRIA_OK) wrong++;
        wrong += again != needed || memcmp(part, whole, length) != 0 || part[length] != 0 || part[size] != '#';
    }
    CHECK(wrong == 0, "%d sizes", wrong);
    stria_iter_release(&it);
    stria_tensor_release(x);
}

SUITE(test_describe)
{
    test_worked_order();
    test_deciding_operand();
    test_equal_strides_of_the_left();
    test_worked_merging();
    test_fast_set_ups();
    test_refusals();
    test_origins();
    test_threads();
    test_reductions();
    test_parts();
    test_many();
    test_nothing();
    test_broken_input();
    test_truncation();
    return check_finish("test_describe");
}
