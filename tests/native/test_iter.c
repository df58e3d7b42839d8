/* test_iter.c - the iterator against tests/data/cases.json, and against plain nested loops.
 *
 * Usage: test_iter [cases.json] */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "error.h"
#include "iter_case.h"
#include "oracle.h"
#include "parallel.h"

#ifndef STRIA_SOURCE_DIR
#define STRIA_SOURCE_DIR "."
#endif

/* ---------------------------------------------------------------- transformations */

static void check_state(const char *id, const json *expect, const stria_iter *it)
{
    int64_t values[STRIA_MAX_DIMS];

    iter_case_check_list(id, "shape", json_get(expect, "shape"), it->ndim, it->shape);
    for (int k = 0; k < it->n_operands; k++) {
        for (int d = 0; d < it->ndim; d++) values[d] = stria_iter_get_strides(it, d)[k];
        iter_case_check_list(id, "strides", json_at(json_get(expect, "strides"), k), it->ndim, values);
        values[k] = 0;
    }
    for (int k = 0; k < it->n_operands; k++) values[k] = iter_case_get_offset(it, k);
    iter_case_check_list(id, "data", json_get(expect, "data"), it->n_operands, values);
    const json *offsets = json_get(expect, "view_offsets");
    iter_case_check_list(id, "view_offsets", offsets, offsets->count, stria_iter_get_view_offsets(it));
    CHECK(stria_iter_get_accumulate(it) == json_get_bool(expect, "accumulate", false), "%s: accumulate", id);
    CHECK(stria_iter_get_final_output(it) == json_get_bool(expect, "final_output", true), "%s: final_output", id);
}

typedef struct part_list {
    const char *id;
    const json *expect;
    int         count;
} part_list;

static stria_status check_part(void *context, stria_iter *part, stria_error *err)
{
    part_list *parts = context;

    (void)err;
    CHECK(parts->count < parts->expect->count, "%s: too many parts", parts->id);
    if (parts->count < parts->expect->count) {
        check_state(parts->id, json_at(parts->expect, parts->count), part);
    }
    parts->count++;
    return STRIA_OK;
}

static int get_arg(const json *step, int index) { return (int)json_at(json_get(step, "args"), index)->integer; }

static void check_split(const char *id, const json *step, stria_iter *it)
{
    stria_iter lower;

    CHECK_STATUS(stria_iter_split(it, get_arg(step, 0), &lower, NULL), STRIA_OK);
    check_state(id, json_at(json_get(step, "expect"), 0), &lower);
    check_state(id, json_at(json_get(step, "expect"), 1), it);
    stria_iter_release(&lower);
}

static void check_step(const char *id, const json *step, stria_iter *it)
{
    const char *op = json_get_string(step, "op", "");
    const json *expect = json_get(step, "expect");

    if (strcmp(op, "split") == 0) {
        check_split(id, step, it);
        return;
    }
    if (strcmp(op, "dim_to_split") == 0) {
        CHECK(stria_iter_get_dim_to_split(it) == expect->integer, "%s: dim_to_split", id);
        return;
    }
    if (strcmp(op, "split_32bit") == 0) {
        part_list parts = {id, expect, 0};
        CHECK_STATUS(stria_iter_with_32bit_indexing(it, check_part, &parts, NULL), STRIA_OK);
        CHECK(parts.count == expect->count, "%s: %d parts, expected %d", id, parts.count, expect->count);
        return;
    }
    if (strcmp(op, "narrow") == 0) {
        stria_iter_narrow(it, get_arg(step, 0), get_arg(step, 1), get_arg(step, 2));
    } else if (strcmp(op, "select_all_keeping_dim") == 0) {
        int64_t index[STRIA_MAX_DIMS];
        int     n = 0;
        for (const json *v = json_at(json_get(step, "args"), 1)->first; v != NULL; v = v->next) {
            index[n++] = v->integer;
        }
        stria_iter_select_all_keeping_dim(it, get_arg(step, 0), index);
    } else if (strcmp(op, "remove_operand") == 0) {
        stria_iter_remove_operand(it, get_arg(step, 0));
    } else {
        CHECK(strcmp(op, "start") == 0, "%s: unknown step %s", id, op);
    }
    check_state(id, expect, it);
}

static void check_transform(const json *entry)
{
    iter_case  test;
    stria_iter it;

    iter_case_new(&test, entry);
    CHECK_STATUS(stria_iter_build(&it, &test.config, NULL), STRIA_OK);
    for (const json *step = json_get(entry, "steps")->first; step != NULL; step = step->next) {
        check_step(test.id, step, &it);
    }
    stria_iter_release(&it);
    iter_case_release(&test);
}

/* ---------------------------------------------------------------- loops over linear ranges */

typedef struct call_log {
    const char       *id;
    const stria_iter *it;
    const json       *calls;
    int               count;
} call_log;

static void check_call(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    call_log   *log = context;
    const json *expect = json_at(log->calls, log->count++);
    int64_t     offsets[CASE_MAX_OPERANDS];

    CHECK(expect != NULL, "%s: too many calls", log->id);
    if (expect == NULL) return;
    for (int k = 0; k < log->it->n_operands; k++) {
        offsets[k] = data[k] - stria_iter_get_data(log->it, k);
        data[k] = NULL; /* scratch: a loop may change it */
    }
    iter_case_check_list(log->id, "ptr", json_get(expect, "ptr"), log->it->n_operands, offsets);
    CHECK(n0 == json_get_int(expect, "size0", -1) && n1 == json_get_int(expect, "size1", -1), "%s: call of %lld x %lld",
          log->id, (long long)n0, (long long)n1);
    CHECK(strides == log->it->strides, "%s: strides are not the iterator's", log->id);
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
    for (const json *range = json_get(entry, "ranges")->first; range != NULL; range = range->next) {
        call_log log = {test.id, &it, json_get(range, "calls"), 0};
        stria_iter_run_range(&it, check_call, &log, json_get_int(range, "begin", -1), json_get_int(range, "end", -1));
        CHECK(log.count == log.calls->count, "%s: %d calls, expected %d", test.id, log.count, log.calls->count);
    }
    stria_iter_release(&it);
    iter_case_release(&test);
}

/* ---------------------------------------------------------------- ranges given to threads */

static void check_chunks(const json *entry)
{
    const char *id = json_get_string(entry, "id", "?");
    const json *expect = json_get(entry, "expect");
    int64_t     begin = json_get_int(entry, "begin", 0), end = json_get_int(entry, "end", 0), size = 0;
    int         n = stria_parallel_get_chunks(begin, end, json_get_int(entry, "grain", 0),
                                              (int)json_get_int(entry, "threads", 0), false, &size);

    CHECK(n == expect->count, "%s: %d chunks, expected %d", id, n, expect->count);
    for (int i = 0; i < n && i < expect->count; i++) {
        const json *chunk = json_at(expect, i);
        int64_t     from = begin + i * size, to = from + size < end ? from + size : end;
        CHECK(from == json_get_int(chunk, "begin", -1) && to == json_get_int(chunk, "end", -1),
              "%s: chunk %d is [%lld,%lld)", id, i, (long long)from, (long long)to);
    }
}

typedef struct range_log {
    char      *start;
    atomic_int count;
    int64_t    begin[64], end[64];
} range_log;

static void log_range(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    range_log *log = context;
    int        slot = atomic_fetch_add(&log->count, 1);

    (void)strides;
    (void)n1;
    if (slot >= 64) return;
    log->begin[slot] = data[0] - log->start;
    log->end[slot] = data[0] - log->start + n0;
}

static void check_for_each(const json *entry)
{
    const char       *id = json_get_string(entry, "id", "?");
    const json       *expect = json_get(entry, "expect");
    int64_t           numel = json_get_int(entry, "numel", 0);
    int               before = stria_threads_get();
    stria_tensor     *x;
    stria_iter_config config;
    stria_iter        it;

    CHECK_STATUS(stria_threads_set((int)json_get_int(entry, "threads", 1), NULL), STRIA_OK);
    bool has_threads = stria_threads_get() == json_get_int(entry, "threads", 1);
    CHECK_STATUS(stria_tensor_new(STRIA_U8, 1, &numel, &x, NULL), STRIA_OK);
    stria_iter_config_init(&config);
    stria_iter_config_set_nullary_op(&config, x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    range_log log = {.start = stria_iter_get_data(&it, 0)};
    stria_iter_for_each(&it, log_range, &log, json_get_int(entry, "grain", 0));
    CHECK(!has_threads || log.count == expect->count, "%s: %d ranges, expected %d", id, log.count, expect->count);
    for (const json *range = has_threads ? expect->first : NULL; range != NULL; range = range->next) {
        int found = 0;
        for (int i = 0; i < log.count && i < 64; i++) {
            found += log.begin[i] == json_get_int(range, "begin", -1) && log.end[i] == json_get_int(range, "end", -1);
        }
        CHECK(found == 1, "%s: range from %lld ran %d times", id, (long long)json_get_int(range, "begin", -1), found);
    }
    stria_iter_release(&it);
    stria_tensor_release(x);
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
}

/* ---------------------------------------------------------------- all kinds */

typedef void case_check(const json *entry);
static const struct {
    const char *kind;
    case_check *check;
} kinds[] = {
    {"build", iter_case_check_build}, {"transform", check_transform}, {"loops", check_loops},
    {"parallel_for", check_chunks},   {"for_each", check_for_each},
};

static void check_cases(const char *path)
{
    json *file = json_parse_file(path);

    CHECK(file != NULL, "cannot read %s", path);
    for (size_t i = 0; file != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        int ran = 0, foreign = 0;
        for (const json *entry = json_get(file, "cases")->first; entry != NULL; entry = entry->next) {
            if (strcmp(json_get_string(entry, "kind", ""), kinds[i].kind) != 0) continue;
            if (iter_case_is_foreign(entry)) {
                foreign++;
            } else {
                kinds[i].check(entry);
                ran++;
            }
        }
        printf("  %-12s %3d cases, %d with c32 skipped\n", kinds[i].kind, ran, foreign);
        CHECK(ran > 0, "no cases of kind %s", kinds[i].kind);
    }
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

    CHECK_STATUS(stria_tensor_view_flip(x, axes, 2, &flipped, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_view_flip(x, axes, 2, &again, NULL), STRIA_OK);
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

int main(int argc, char **argv)
{
    check_cases(argc > 1 ? argv[1] : STRIA_SOURCE_DIR "/tests/data/cases.json");
    check_many_operands();
    check_many_dims();
    check_errors();
    check_ownership();
    check_negative_strides();
    check_reduced_view();
    check_out_of_memory();
    return check_finish("test_iter");
}
