/* test_iter.c - the iterator against tests/data/cases.json, and against plain nested loops.
 *
 * Usage: test_iter [cases.json] */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "case_list.h"
#include "base/error.h"
#include "iter_steps.h"
#include "oracle.h"
#include "base/parallel.h"

/* ---------------------------------------------------------------- the cases of the specification */

static void check_transform(const json *entry)
{
    iter_case  test;
    stria_iter it;

    iter_case_new(&test, entry);
    CHECK_STATUS(stria_iter_build(&it, &test.config, NULL), STRIA_OK);
    iter_steps_check(&test, &it, entry);
    stria_iter_release(&it);
    iter_case_release(&test);
}

static void check_loops(const json *entry)
{
    iter_case  test;
    stria_iter it;

    iter_case_new(&test, entry);
    CHECK_STATUS(stria_iter_build(&it, &test.config, NULL), STRIA_OK);
    iter_case_check_list(test.id, "shape", json_get(entry, "iter_shape"), it.ndim, it.shape);
    iter_case_check_list(test.id, "inner and outer strides", json_get(entry, "inner_outer_strides"), 2 * it.n_operands,
                         it.strides);
    iter_steps_check(&test, &it, entry);
    stria_iter_release(&it);
    iter_case_release(&test);
}

static void check_chunks(const json *entry)
{
    const char  *id = json_get_string(entry, "id", "?");
    const json  *expect = json_get(entry, "expect");
    int64_t      begin = json_get_int(entry, "begin", 0), end = json_get_int(entry, "end", 0);
    stria_chunks split = stria_chunks_build((stria_team){(int)json_get_int(entry, "threads", 0)}, begin, end,
                                            json_get_int(entry, "grain", 0));
    int64_t      size = split.chunk_size;
    int          n = split.n_chunks;

    CHECK(n == expect->count, "%s: %d chunks, expected %d", id, n, expect->count);
    for (int i = 0; i < n && i < expect->count; i++) {
        const json *chunk = json_at(expect, i);
        int64_t     from = begin + i * size, to = from + size < end ? from + size : end;
        CHECK(from == json_get_int(chunk, "begin", -1) && to == json_get_int(chunk, "end", -1),
              "%s: chunk %d is [%lld,%lld)", id, i, (long long)from, (long long)to);
    }
}

static void check_for_each(const json *entry)
{
    int64_t           numel = json_get_int(entry, "numel", 0);
    stria_tensor     *x;
    stria_iter_config config;
    stria_iter        it;

    CHECK_STATUS(stria_tensor_new(STRIA_U8, 1, &numel, &x, NULL), STRIA_OK);
    stria_iter_config_init(&config);
    stria_iter_config_set_nullary_op(&config, x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    iter_steps_check_for_each(json_get_string(entry, "id", "?"), &it, (int)json_get_int(entry, "threads", 1),
                              json_get_int(entry, "grain", 0), json_get(entry, "expect"));
    stria_iter_release(&it);
    stria_tensor_release(x);
}

static void check_parallel_reduce(const json *entry)
{
    iter_case  test;
    stria_iter it;

    iter_case_new(&test, entry);
    CHECK_STATUS(stria_iter_build(&it, &test.config, NULL), STRIA_OK);
    iter_case_check_list(test.id, "shape", json_get(entry, "iter_shape"), it.ndim, it.shape);
    iter_steps_check_reduce(test.id, &it, (int)json_get_int(entry, "threads", 1), json_get(entry, "expect"));
    stria_iter_release(&it);
    iter_case_release(&test);
}

static void check_cases(const char *path)
{
    json *file = json_parse_file(path);

    CHECK(file != NULL, "cannot read %s", path);
    case_run_kind(file, "build", iter_case_check_build);
    case_run_kind(file, "transform", check_transform);
    case_run_kind(file, "loops", check_loops);
    case_run_kind(file, "parallel_for", check_chunks);
    case_run_kind(file, "for_each", check_for_each);
    case_run_kind(file, "parallel_reduce", check_parallel_reduce);
    if (iter_steps_skipped > 0)
        printf("  %d checks with several threads skipped: this build has none\n", iter_steps_skipped);
    json_free(file);
}

/* ---------------------------------------------------------------- more operands and dims than fit inline */

static void count_sum(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    const int n = *(const int *)context;

    for (int64_t j = 0; j < n1; j++) {
        for (int64_t i = 0; i < n0; i++) {
            int64_t sum = 0;
            for (int k = 1; k < n; k++) {
                sum += *(int64_t *)(void *)(data[k] + i * strides[k] + j * strides[n + k]);
            }
            *(int64_t *)(void *)(data[0] + i * strides[0] + j * strides[n]) = sum;
        }
    }
}

static void check_many_operands(void)
{
    enum { N = 21 };
    const int         n = N;
    int64_t           shape[2] = {3, 5};
    stria_tensor     *x[N];
    stria_iter_config config;
    stria_iter        it, copy;

    stria_iter_config_init(&config);
    stria_iter_config_add_output(&config, NULL);
    for (int k = 1; k < N; k++) {
        int64_t column[2] = {3, 1};
        CHECK_STATUS(stria_tensor_new(STRIA_I64, 2, k % 2 ? shape : column, &x[k], NULL), STRIA_OK);
        for (int64_t i = 0; i < x[k]->numel; i++) ((int64_t *)(void *)x[k]->data)[i] = k;
        stria_iter_config_add_input(&config, x[k]);
    }
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    stria_iter_config_release(&config);
    CHECK_STATUS(stria_iter_copy(&it, &copy, NULL), STRIA_OK);
    stria_iter_for_each(&copy, count_sum, (void *)&n, 0);
    stria_iter_release(&copy);
    x[0] = stria_iter_take_output(&it, 0);
    stria_iter_release(&it);
    for (int64_t i = 0; i < 15; i++) {
        CHECK(((int64_t *)(void *)x[0]->data)[i] == N * (N - 1) / 2, "sum of %d operands at %lld", N - 1, (long long)i);
    }
    for (int k = 0; k < N; k++) stria_tensor_release(x[k]);
}

static void check_many_dims(void)
{
    int64_t           shape[STRIA_MAX_DIMS], strides[STRIA_MAX_DIMS];
    stria_tensor     *x, *view;
    stria_iter_config config;
    stria_iter        it, copy;

    /* 14 dims of size 2 and 50 of size 1; every second of the 14 exchanged with its neighbour, so that none merge */
    for (int d = 0; d < STRIA_MAX_DIMS; d++) shape[d] = d % 4 == 0 && d < 56 ? 2 : 1;
    CHECK_STATUS(stria_tensor_new(STRIA_I64, STRIA_MAX_DIMS, shape, &x, NULL), STRIA_OK);
    for (int64_t i = 0; i < x->numel; i++) ((int64_t *)(void *)x->data)[i] = i;
    for (int d = 0; d < STRIA_MAX_DIMS; d++) {
        int from = shape[d] == 2 ? (d / 4 % 2 ? d - 4 : d + 4) : d;
        strides[d] = x->strides[from];
    }
    CHECK_STATUS(stria_tensor_view(x, STRIA_MAX_DIMS, shape, strides, 0, &view, NULL), STRIA_OK);
    stria_tensor *out;
    CHECK_STATUS(stria_tensor_new(STRIA_I64, STRIA_MAX_DIMS, shape, &out, NULL), STRIA_OK);
    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, out, view);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    CHECK(it.heap != NULL && it.ndim == 14, "64 dims: %d after merging", it.ndim);
    CHECK_STATUS(stria_iter_copy(&it, &copy, NULL), STRIA_OK);
    int n = 2;
    stria_iter_for_each(&copy, count_sum, &n, 0);
    for (int64_t i = 0; i < out->numel; i++) {
        int64_t even = i & 0x1555, odd = i & 0x2AAA; /* bits exchanged in pairs */
        CHECK(((int64_t *)(void *)out->data)[i] == (even << 1 | odd >> 1), "64 dims: element %lld", (long long)i);
    }
    stria_iter_release(&copy);
    stria_iter_release(&it);
    stria_tensor_release(out);
    stria_tensor_release(view);
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- messages, misuse, ownership */

static stria_tensor *new_f32(int ndim, int64_t a, int64_t b)
{
    int64_t       shape[2] = {a, b};
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, ndim, shape, &x, NULL), STRIA_OK);
    return x;
}

static void check_errors(void)
{
    stria_tensor     *x = new_f32(2, 2, 3), *y = new_f32(1, 4, 0);
    stria_iter_config config;
    stria_iter        it;
    stria_error       err = {0};

    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, "add");
    stria_iter_config_set_binary_op(&config, NULL, x, y);
    CHECK_STATUS(stria_iter_build(&it, &config, &err), STRIA_ERR_SHAPE);
    CHECK(strcmp(err.message, "add: shapes [2,3] and [4] do not broadcast at axis 1") == 0, "%s", err.message);
    stria_iter_release(&it); /* harmless after a failure */

    stria_iter_config_init(&config);
    stria_iter_config_add_input(&config, x);
    stria_iter_config_add_output(&config, NULL);
    CHECK_STATUS(stria_iter_build(&it, &config, &err), STRIA_ERR_INTERNAL);
    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, NULL, NULL);
    CHECK_STATUS(stria_iter_build(&it, &config, &err), STRIA_ERR_INTERNAL);

    stria_iter_config_init(&config);
    stria_iter_config_set_unary_force_boolean_op(&config, NULL, NULL);
    CHECK_STATUS(stria_iter_build(&it, &config, &err), STRIA_ERR_INTERNAL);
    stria_iter_config_init(&config);
    stria_tensor *twin;
    CHECK_STATUS(stria_tensor_copy(x, x->dtype, &twin, NULL), STRIA_OK);
    stria_iter_config_set_reduce_op_pair(&config, x, twin, NULL);
    CHECK_STATUS(stria_iter_build(&it, &config, &err), STRIA_ERR_INTERNAL);
    stria_tensor_release(twin);

    stria_tensor *wide, *tall;
    int64_t       huge = INT64_C(1) << 40, across[2] = {1, huge}, down[2] = {huge, 1};
    int64_t       zero[2] = {0, 0};
    CHECK_STATUS(stria_tensor_view(x, 2, across, zero, 0, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_view(x, 2, down, zero, 0, &tall, NULL), STRIA_OK);
    stria_iter_config_init(&config);
    stria_iter_config_set_binary_op(&config, NULL, wide, tall);
    CHECK_STATUS(stria_iter_build(&it, &config, &err), STRIA_ERR_OVERFLOW);
    stria_tensor_release(wide);
    stria_tensor_release(tall);
    stria_tensor_release(x);
    stria_tensor_release(y);
}

static void check_ownership(void)
{
    const int64_t     before = stria_memory_get_stats().live_tensors;
    stria_tensor     *x = new_f32(2, 2, 3), *y;
    stria_iter_config config;
    stria_iter        it;

    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, NULL, x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    stria_iter_release(&it); /* with the output nobody took */
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    y = stria_iter_take_output(&it, 0);
    stria_iter_release(&it);
    CHECK(stria_memory_get_stats().live_tensors == before + 2, "an untaken output stayed alive");
    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, y, x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    stria_tensor *taken = stria_iter_take_output(&it, 0);
    CHECK(taken == y, "a given output comes back as it is");
    stria_iter_release(&it);
    stria_tensor_release(taken);
    stria_tensor_release(x);
    stria_tensor_release(y);
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors leaked");
}

/* x op flip(x) in place has no defined result; the same flip on both sides has. */
static void check_negative_strides(void)
{
    stria_tensor     *x = new_f32(2, 3, 4), *flipped, *again;
    int               axes[2] = {0, 1};
    stria_iter_config config;
    stria_iter        it;
    stria_error       err = {0};

    CHECK_STATUS(stria_flip(x, axes, 2, &flipped, NULL), STRIA_OK);
    CHECK_STATUS(stria_flip(x, axes, 2, &again, NULL), STRIA_OK);
    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, x, flipped);
    CHECK_STATUS(stria_iter_build(&it, &config, &err), STRIA_ERR_OVERLAP);
    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, again, flipped);
    CHECK_STATUS(stria_iter_build(&it, &config, &err), STRIA_OK);
    CHECK(it.ndim == 1 && it.shape[0] == 12 && stria_iter_get_strides(&it, 0)[1] == -4,
          "a fully flipped tensor is one backwards run");
    stria_iter_release(&it);
    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, NULL, flipped);
    CHECK_STATUS(stria_iter_build(&it, &config, &err), STRIA_OK);
    const stria_tensor *out = stria_iter_get_tensor(&it, 0);
    CHECK(out->strides[0] == 4 && out->strides[1] == 1, "new outputs run forwards");
    stria_iter_release(&it);
    stria_tensor_release(flipped);
    stria_tensor_release(again);
    stria_tensor_release(x);
}

/* A part of size 1 of a flipped dim keeps its stride, which a result laid out alike must not take over. */
static void check_negative_stride_of_size_one(void)
{
    const int64_t shape[3] = {3, 4, 2};
    stria_tensor *x, *turned, *flipped, *part, *y = NULL;
    const int     axes[3] = {2, 1, 0}, middle = 1;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 3, shape, &x, NULL), STRIA_OK);
    for (int64_t i = 0; i < x->numel; i++) ((float *)(void *)x->data)[i] = (float)i;
    CHECK_STATUS(stria_permute(x, axes, 3, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_flip(turned, &middle, 1, &flipped, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(flipped, 1, 0, 1, 1, &part, NULL), STRIA_OK);
    for (int round = 0; round < 2; round++) {
        stria_tensor *dense = NULL, *one = part;
        if (round == 1) { /* [2,1,3] with strides 1, -2, 2: gapless, in reverse order */
            int64_t strides[3] = {1, -2, 2};
            int64_t sizes[3] = {2, 1, 3};
            CHECK_STATUS(stria_tensor_view(x, 3, sizes, strides, 0, &dense, NULL), STRIA_OK);
            one = dense;
        }
        CHECK_STATUS(stria_neg(one, &y, NULL), STRIA_OK);
        for (int64_t i = 0; y != NULL && i < 6; i++) {
            const int64_t at[3] = {i % 2, 0, i / 2};
            CHECK(*(float *)(void *)tensor_at(y, at) == -*(float *)(void *)tensor_at(one, at), "element %lld",
                  (long long)i);
        }
        stria_tensor_release(y);
        stria_tensor_release(dense);
    }
    stria_tensor_release(part);
    stria_tensor_release(flipped);
    stria_tensor_release(turned);
    stria_tensor_release(x);
}

static void check_reduced_view(void)
{
    int64_t           shape[3] = {2, 3, 4}, kept[1] = {3};
    stria_tensor     *x, *y, *view;
    stria_iter_config config;
    stria_iter        it;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 3, shape, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, kept, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_iter_view_reduced(y, 3, 5, false, &view, NULL), STRIA_OK);
    stria_iter_config_init(&config);
    stria_iter_config_set_reduce_op(&config, view, x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    static const int64_t sizes[3] = {4, 2, 3}, out[3] = {0, 0, 4}, in[3] = {4, 48, 16};
    for (int d = 0; d < 3; d++) {
        CHECK(it.shape[d] == sizes[d] && stria_iter_get_strides(&it, d)[0] == out[d] &&
                  stria_iter_get_strides(&it, d)[1] == in[d],
              "sum of [2,3,4] over axes 0 and 2: dim %d", d);
        CHECK(stria_iter_is_dim_reduced(&it, d) == (d < 2), "dim %d", d);
    }
    CHECK(stria_iter_get_num_reduce_dims(&it) == 2 && stria_iter_get_num_output_elements(&it) == 3,
          "reduced dims lead");
    stria_iter_release(&it);
    stria_tensor_release(view);
    stria_tensor_release(y);
    stria_tensor_release(x);
}

/* A dim of size 0 cannot be split, though an operand that does not move in it has the extent 0 there. */
static void check_dim_to_split_of_nothing(void)
{
    const int64_t     shape[2] = {0, 3}, still[2] = {0, 0};
    stria_tensor     *one = new_f32(1, 1, 0), *x;
    stria_iter_config config;
    stria_iter        it;

    for (int ndim = 1; ndim <= 2; ndim++) {
        CHECK_STATUS(stria_tensor_view(one, ndim, shape, still, 0, &x, NULL), STRIA_OK);
        stria_iter_config_init(&config);
        stria_iter_config_set_multi_index(&config, true); /* dims stay as they are */
        stria_iter_config_add_input(&config, x);
        CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
        const int dim = stria_iter_get_dim_to_split(&it);
        CHECK(dim == (ndim == 1 ? -1 : it.shape[0] == 0), "%d dims: dim %d is to be split", ndim, dim);
        stria_iter_release(&it);
        stria_tensor_release(x);
    }
    stria_tensor_release(one);
}

static stria_status count_part(void *context, stria_iter *part, stria_error *err)
{
    int64_t *seen = context;

    (void)err;
    CHECK(stria_iter_can_use_32bit_indexing(part), "a part of %lld elements", (long long)stria_iter_get_numel(part));
    seen[0]++;
    seen[1] += stria_iter_get_numel(part);
    return STRIA_OK;
}

/* 2^33 positions in which nothing moves, and an outer dim of size 1 beside them: the largest extent is 0, in either dim. */
static void check_split_of_nothing(void)
{
    const int64_t     shape[2] = {3, INT64_C(1) << 33}, kept[2] = {3, 1}, zero[2] = {0, 0};
    stria_tensor     *one = new_f32(2, 1, 1), *x, *y, *out = new_f32(2, 3, 1);
    stria_iter_config config;
    stria_iter        it;
    int64_t           seen[2] = {0};

    CHECK_STATUS(stria_tensor_view(one, 2, shape, zero, 0, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_view(out, 2, kept, (const int64_t[]){1, 0}, 0, &y, NULL), STRIA_OK);
    stria_iter_config_init(&config);
    stria_iter_config_set_reduce_op(&config, y, x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    stria_iter_narrow(&it, 1, 1, 1);
    CHECK(it.ndim == 2 && it.shape[1] == 1 && !stria_iter_can_use_32bit_indexing(&it), "a dim of size 1 stays");
    CHECK_STATUS(stria_iter_with_32bit_indexing(&it, count_part, seen, NULL), STRIA_OK);
    CHECK(seen[0] == 8 && seen[1] == INT64_C(1) << 33, "%lld parts of %lld elements", (long long)seen[0],
          (long long)seen[1]);
    stria_iter_release(&it);
    stria_tensor_release(x);
    stria_tensor_release(y);
    stria_tensor_release(out);
    stria_tensor_release(one);
}

/* Every allocation in turn fails: an error each time, and nothing stays behind. */
static void check_out_of_memory(void)
{
    enum { N = 12 };
    stria_tensor     *x[N];
    stria_iter_config config;
    stria_iter        it;
    int               failures = 0;

    stria_iter_config_init(&config);
    stria_iter_config_set_promote_inputs_to_common_dtype(&config, true);
    stria_iter_config_add_output(&config, NULL);
    for (int k = 0; k < N; k++) {
        int64_t shape[2] = {3, 5};
        CHECK_STATUS(stria_tensor_new(k % 2 ? STRIA_F64 : STRIA_I16, 2, shape, &x[k], NULL), STRIA_OK);
        memset(x[k]->data, 0, 15 * stria_dtype_get_size(x[k]->dtype));
        stria_iter_config_add_input(&config, x[k]);
    }
    const int64_t before = stria_memory_get_stats().live_tensors;
    for (int64_t n = 1; n < 1000; n++) {
        stria_alloc_set_failure(n);
        stria_status status = stria_iter_build(&it, &config, NULL);
        stria_alloc_set_failure(0);
        CHECK(status == STRIA_OK || status == STRIA_ERR_MEMORY, "%s", stria_status_get_name(status));
        if (status == STRIA_OK) {
            stria_iter_release(&it);
            break;
        }
        CHECK(stria_memory_get_stats().live_tensors == before, "tensors stayed after failure %lld", (long long)n);
        failures++;
    }
    CHECK(failures >= 8, "%d allocations failed", failures); /* the iterator, six temporaries, the output */
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors stayed after success");
    stria_iter_config_release(&config);
    for (int k = 0; k < N; k++) stria_tensor_release(x[k]);
}

SUITE(test_iter)
{
    check_cases(argc > 1 ? argv[1] : CASES_PATH);
    check_many_operands();
    check_many_dims();
    check_errors();
    check_ownership();
    check_negative_strides();
    check_negative_stride_of_size_one();
    check_reduced_view();
    check_dim_to_split_of_nothing();
    check_split_of_nothing();
    check_out_of_memory();
    return check_finish("test_iter");
}
