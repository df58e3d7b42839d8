/* iter_steps.c - what a built iterator does, against what is expected of it (iter_steps.h). */
#include "iter_steps.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

/* ---------------------------------------------------------------- transformations */

/* The iterator under test, and where the addresses of its operands count from: the start of the storage, or, for an output
 * that has been resized, wherever it is now. */
typedef struct subject {
    const char *id;
    char       *base[CASE_MAX_OPERANDS];
} subject;

static subject get_subject(const char *id, const stria_iter *it)
{
    subject s = {id, {NULL}};

    for (int k = 0; k < it->n_operands; k++) {
        s.base[k] = it->operands[k].will_resize ? it->operands[k].data : it->operands[k].tensor->storage->data;
    }
    return s;
}

static void check_state(const subject *s, const json *expect, const stria_iter *it)
{
    int64_t values[STRIA_MAX_DIMS];

    iter_case_check_list(s->id, "shape", json_get(expect, "shape"), it->ndim, it->shape);
    for (int k = 0; k < it->n_operands; k++) {
        for (int d = 0; d < it->ndim; d++) values[d] = stria_iter_get_strides(it, d)[k];
        iter_case_check_list(s->id, "strides", json_at(json_get(expect, "strides"), k), it->ndim, values);
    }
    for (int k = 0; k < it->n_operands; k++) {
        values[k] = (int64_t)((uintptr_t)stria_iter_get_data(it, k) - (uintptr_t)s->base[k]);
    }
    iter_case_check_list(s->id, "data", json_get(expect, "data"), it->n_operands, values);
    /* there are max(ndim, 1) of them; the model keeps those of dims that have been merged, too */
    const int64_t *offsets = stria_iter_get_view_offsets(it);
    for (int d = 0; d == 0 || d < it->ndim; d++) {
        const json *offset = json_at(json_get(expect, "view_offsets"), d);
        CHECK(offset != NULL && offset->integer == offsets[d], "%s: view offset %d is %lld", s->id, d,
              (long long)offsets[d]);
    }
    CHECK(stria_iter_get_accumulate(it) == json_get_bool(expect, "accumulate", false), "%s: accumulate", s->id);
    CHECK(stria_iter_get_final_output(it) == json_get_bool(expect, "final_output", true), "%s: final_output", s->id);
}

typedef struct part_list {
    const subject *subject;
    const json    *expect;
    int            count;
} part_list;

static stria_status check_part(void *context, stria_iter *part, stria_error *err)
{
    part_list *parts = context;

    (void)err;
    CHECK(parts->count < parts->expect->count, "%s: too many parts", parts->subject->id);
    if (parts->count < parts->expect->count) {
        check_state(parts->subject, json_at(parts->expect, parts->count), part);
        CHECK(stria_iter_can_use_32bit_indexing(part), "%s: part %d is too large", parts->subject->id, parts->count);
    }
    parts->count++;
    return STRIA_OK;
}

static int64_t get_arg(const json *step, int index) { return json_at(json_get(step, "args"), index)->integer; }

static void check_split(const subject *s, const json *step, stria_iter *it)
{
    stria_iter lower;

    CHECK_STATUS(stria_iter_split(it, (int)get_arg(step, 0), &lower, NULL), STRIA_OK);
    check_state(s, json_at(json_get(step, "expect"), 0), &lower);
    check_state(s, json_at(json_get(step, "expect"), 1), it);
    stria_iter_release(&lower);
}

static void remove_operand(subject *s, stria_iter *it, int operand)
{
    stria_iter_remove_operand(it, operand);
    for (int k = operand; k < it->n_operands; k++) s->base[k] = s->base[k + 1];
}

static void check_step(subject *s, const json *step, stria_iter *it)
{
    const char *op = json_get_string(step, "op", "");
    const json *expect = json_get(step, "expect");

    if (strcmp(op, "split") == 0) {
        check_split(s, step, it);
        return;
    }
    if (strcmp(op, "dim_to_split") == 0) {
        CHECK(stria_iter_get_dim_to_split(it) == expect->integer, "%s: dim_to_split", s->id);
        return;
    }
    if (strcmp(op, "split_32bit") == 0) {
        part_list parts = {s, expect, 0};
        CHECK_STATUS(stria_iter_with_32bit_indexing(it, check_part, &parts, NULL), STRIA_OK);
        CHECK(parts.count == expect->count, "%s: %d parts, expected %d", s->id, parts.count, expect->count);
        return;
    }
    if (strcmp(op, "narrow") == 0) {
        stria_iter_narrow(it, (int)get_arg(step, 0), get_arg(step, 1), get_arg(step, 2));
    } else if (strcmp(op, "select_all_keeping_dim") == 0) {
        int64_t index[STRIA_MAX_DIMS];
        int     n = 0;
        for (const json *v = json_at(json_get(step, "args"), 1)->first; v != NULL; v = v->next) {
            index[n++] = v->integer;
        }
        stria_iter_select_all_keeping_dim(it, (int)get_arg(step, 0), index);
    } else if (strcmp(op, "remove_operand") == 0) {
        remove_operand(s, it, (int)get_arg(step, 0));
    } else {
        CHECK(strcmp(op, "start") == 0, "%s: unknown step %s", s->id, op);
    }
    check_state(s, expect, it);
}

static void check_steps(const char *id, const stria_iter *it, const json *steps)
{
    subject    s = get_subject(id, it);
    stria_iter copy;

    CHECK_STATUS(stria_iter_copy(it, &copy, NULL), STRIA_OK);
    for (const json *step = steps->first; step != NULL; step = step->next) check_step(&s, step, &copy);
    stria_iter_release(&copy);
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
        offsets[k] = (int64_t)((uintptr_t)data[k] - (uintptr_t)stria_iter_get_data(log->it, k));
        data[k] = NULL; /* scratch: a loop may change it */
    }
    iter_case_check_list(log->id, "ptr", json_get(expect, "ptr"), log->it->n_operands, offsets);
    CHECK(n0 == json_get_int(expect, "size0", -1) && n1 == json_get_int(expect, "size1", -1), "%s: call of %lld x %lld",
          log->id, (long long)n0, (long long)n1);
    CHECK(strides == log->it->strides, "%s: strides are not the iterator's", log->id);
}

static void check_ranges(const char *id, const stria_iter *it, const json *ranges)
{
    for (const json *range = ranges->first; range != NULL; range = range->next) {
        call_log log = {id, it, json_get(range, "calls"), 0};
        stria_iter_run_range(it, check_call, &log, json_get_int(range, "begin", -1), json_get_int(range, "end", -1));
        CHECK(log.count == log.calls->count, "%s: %d calls, expected %d", id, log.count, log.calls->count);
    }
}

/* ---------------------------------------------------------------- calls by several threads, in any order */

#define MAX_CALLS 32768

/* The addresses of up to four operands, and the sizes. */
typedef struct one_call {
    const char *data[4];
    int64_t     n0, n1;
} one_call;

typedef struct call_set {
    const stria_iter *it;
    int               n_data;
    atomic_int        count;
    one_call          calls[MAX_CALLS];
} call_set;

static call_set got_calls, expected_calls;

int iter_steps_skipped;

static void reset(call_set *set, const stria_iter *it)
{
    set->it = it;
    set->n_data = it->n_operands < 4 ? it->n_operands : 4;
    atomic_store(&set->count, 0);
}

static one_call *new_call(call_set *set, int64_t n0, int64_t n1)
{
    const int slot = atomic_fetch_add(&set->count, 1);
    one_call *call = &set->calls[slot < MAX_CALLS ? slot : 0];

    memset(call, 0, sizeof *call);
    call->n0 = n0;
    call->n1 = n1;
    return call;
}

static void log_call(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    call_set *set = context;
    one_call *call = new_call(set, n0, n1);

    (void)strides;
    for (int k = 0; k < set->n_data; k++) call->data[k] = data[k];
}

/* In the two passes of a reduction the output is a slot of the thread's own, except at last, when the input is the slots:
 * such addresses are left out. */
static void log_pass(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    call_set *set = context;
    one_call *call = new_call(set, n0, n1);

    if (data[0] == stria_iter_get_data(set->it, 0)) {
        call->data[0] = data[0];
        if (strides[0] != 0 || strides[1] <= 0) call->n0 = -1; /* unlike any that is expected */
    } else {
        call->data[1] = data[1];
        if (memcmp(strides, set->it->strides, 4 * sizeof *strides) != 0) call->n0 = -1;
    }
}

static int compare_calls(const void *a, const void *b) { return memcmp(a, b, sizeof(one_call)); }

static void check_same_calls(const char *id, const char *what)
{
    const int n = atomic_load(&got_calls.count), expected = atomic_load(&expected_calls.count);

    CHECK(n == expected, "%s: %s made %d calls, expected %d", id, what, n, expected);
    if (n != expected || n > MAX_CALLS) return;
    qsort(got_calls.calls, (size_t)n, sizeof(one_call), compare_calls);
    qsort(expected_calls.calls, (size_t)n, sizeof(one_call), compare_calls);
    int same = 0;
    while (same < n && compare_calls(&got_calls.calls[same], &expected_calls.calls[same]) == 0) same++;
    CHECK(same == n, "%s: %s: unexpected call of %lld x %lld", id, what, (long long)got_calls.calls[same].n0,
          (long long)got_calls.calls[same].n1);
}

static int64_t get_bound(const json *range, int which)
{
    return range->type == JSON_ARRAY ? json_at(range, which)->integer
                                     : json_get_int(range, which == 0 ? "begin" : "end", -1);
}

/* Sets the number of threads; false, and counted, where there are none. */
static bool set_threads(int threads)
{
    CHECK_STATUS(stria_threads_set(threads, NULL), STRIA_OK);
    iter_steps_skipped += stria_threads_get() != threads;
    return stria_threads_get() == threads;
}

void iter_steps_check_for_each(const char *id, const stria_iter *it, int threads, int64_t grain, const json *ranges)
{
    const int before = stria_threads_get();

    reset(&expected_calls, it);
    reset(&got_calls, it);
    for (const json *range = ranges->first; range != NULL; range = range->next) {
        stria_iter_run_range(it, log_call, &expected_calls, get_bound(range, 0), get_bound(range, 1));
    }
    if (set_threads(threads)) {
        stria_iter_for_each(it, log_call, &got_calls, grain);
        check_same_calls(id, "for_each");
    }
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
}

/* ---------------------------------------------------------------- reductions */

static void expect_dim_calls(const stria_iter *it, int dim, const json *ranges)
{
    for (const json *range = ranges->first; range != NULL; range = range->next) {
        stria_iter part;
        CHECK_STATUS(stria_iter_copy(it, &part, NULL), STRIA_OK);
        stria_iter_narrow(&part, dim, get_bound(range, 0), get_bound(range, 1) - get_bound(range, 0));
        stria_iter_run_range(&part, log_call, &expected_calls, 0, stria_iter_get_numel(&part));
        stria_iter_release(&part);
    }
}

static void expect_two_passes(const stria_iter *it, int threads, const json *ranges)
{
    one_call *last = new_call(&expected_calls, threads, 1);

    last->data[0] = stria_iter_get_data(it, 0);
    for (const json *range = ranges->first; range != NULL; range = range->next) {
        const int first = atomic_load(&expected_calls.count);
        stria_iter_run_range(it, log_call, &expected_calls, get_bound(range, 0), get_bound(range, 1));
        for (int i = first; i < atomic_load(&expected_calls.count) && i < MAX_CALLS; i++) {
            expected_calls.calls[i].data[0] = NULL;
        }
    }
}

void iter_steps_check_reduce(const char *id, const stria_iter *it, int threads, const json *expect)
{
    static const char *const words[] = {"serial", "two_pass", "dim"};
    const char              *word = json_get_string(expect, "strategy", "");
    const json              *ranges = json_get(expect, "ranges");
    const int                before = stria_threads_get();
    stria_iter               copy;
    int                      dim;

    CHECK_STATUS(stria_iter_copy(it, &copy, NULL), STRIA_OK);
    reset(&expected_calls, it);
    reset(&got_calls, it);
    if (set_threads(threads)) {
        const stria_iter_reduce_strategy strategy = stria_iter_get_reduce_strategy(it, &dim);
        CHECK(strcmp(words[strategy], word) == 0, "%s: reduced by %s, expected %s", id, words[strategy], word);
        CHECK(dim == json_get_int(expect, "dim", -1), "%s: splits dim %d", id, dim);
        if (strcmp(word, "serial") == 0) {
            stria_iter_run_range(it, log_call, &expected_calls, 0, stria_iter_get_numel(it));
        } else if (strcmp(word, "two_pass") == 0) {
            expect_two_passes(it, threads, ranges);
        } else {
            expect_dim_calls(it, dim, ranges);
        }
        CHECK_STATUS(
            stria_iter_parallel_reduce(&copy, strcmp(word, "two_pass") == 0 ? log_pass : log_call, &got_calls, NULL),
            STRIA_OK);
        check_same_calls(id, "parallel_reduce");
    }
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
    stria_iter_release(&copy);
}

/* The kept dims of a part have size 1, the reduced ones are those of the whole. */
static stria_status log_part(void *context, stria_iter *part, stria_error *err)
{
    call_set *set = context;
    one_call *call = new_call(set, stria_iter_get_numel(part), stria_iter_get_num_output_elements(part));

    (void)err;
    for (int k = 0; k < set->n_data; k++) call->data[k] = stria_iter_get_data(part, k);
    return STRIA_OK;
}

static void check_parts(const char *id, const stria_iter *it, const json *expect)
{
    const json *parts = json_get(expect, "list");
    const int   before = stria_threads_get();
    stria_iter  copy;

    CHECK_STATUS(stria_iter_copy(it, &copy, NULL), STRIA_OK);
    reset(&expected_calls, it);
    reset(&got_calls, it);
    if (parts == NULL) {
        CHECK_STATUS(stria_iter_foreach_reduced_elt(&copy, log_part, &got_calls, NULL), STRIA_ERR_ARGUMENT);
        CHECK(atomic_load(&got_calls.count) == 0, "%s: parts though they were refused", id);
        stria_iter_release(&copy);
        return;
    }
    for (const json *part = parts->first; part != NULL; part = part->next) {
        one_call *call = new_call(&expected_calls, json_get_int(expect, "numel", 0), 1);
        for (int k = 0; k < expected_calls.n_data; k++) {
            call->data[k] = it->operands[k].tensor->storage->data + json_at(part, k)->integer;
        }
    }
    if (set_threads((int)json_get_int(expect, "threads", 1))) {
        CHECK_STATUS(stria_iter_foreach_reduced_elt(&copy, log_part, &got_calls, NULL), STRIA_OK);
        check_same_calls(id, "foreach_reduced_elt");
    }
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
    stria_iter_release(&copy);
}

/* ---------------------------------------------------------------- all of it */

void iter_steps_check(const iter_case *test, const stria_iter *it, const json *entry)
{
    const json *steps = json_get(entry, "steps"), *ranges = json_get(entry, "ranges");
    const json *for_each = json_get(entry, "for_each"), *reduce = json_get(entry, "reduce");
    const json *parts = json_get(entry, "parts");

    if (steps != NULL) check_steps(test->id, it, steps);
    if (ranges != NULL) check_ranges(test->id, it, ranges);
    if (for_each != NULL) {
        iter_steps_check_for_each(test->id, it, (int)json_get_int(for_each, "threads", 1),
                                  json_get_int(for_each, "grain", 0), json_get(for_each, "ranges"));
    }
    if (reduce != NULL) {
        iter_steps_check_reduce(test->id, it, (int)json_get_int(reduce, "threads", 1), reduce);
    }
    if (parts != NULL) check_parts(test->id, it, parts);
}
