/* test_parallel.c - how work is split among threads: the cases of kind parallel_for in tests/data/cases.json, and that
 * every element is visited once, nested calls and calls from several threads included. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sanitized.h"

#if HAS_PTHREADS
#include <pthread.h>
#endif

#include "json.h"
#include "oracle.h"
#include "base/parallel.h"

typedef struct recorded {
    atomic_int n;
    struct {
        int64_t begin, end;
    } chunk[STRIA_MAX_THREADS];
} recorded;

static void record(void *context, int thread, int64_t begin, int64_t end)
{
    recorded *r = context;
    r->chunk[thread].begin = begin;
    r->chunk[thread].end = end;
    atomic_fetch_add(&r->n, 1);
}

static void check_case(const json *c)
{
    const char   *id = json_get_string(c, "id", "?");
    const int64_t begin = json_get_int(c, "begin", 0), end = json_get_int(c, "end", 0);
    const int64_t grain = json_get_int(c, "grain", 0);
    const int     threads = (int)json_get_int(c, "threads", 1);
    const json   *expect = json_get(c, "expect");
    recorded     *r = calloc(1, sizeof *r);

    const stria_chunks split = stria_chunks_build((stria_team){threads}, begin, end, grain);
    CHECK(split.n_chunks == expect->count, "%s: %d chunks, expected %d", id, split.n_chunks, expect->count);
    CHECK_STATUS(stria_threads_set(threads, NULL), STRIA_OK);
    stria_parallel_for(stria_team_get(), begin, end, grain, record, r);
    if (stria_threads_get() == threads)
        CHECK(r->n == expect->count, "%s: %d calls, expected %d", id, r->n, expect->count);
    for (int k = 0; k < expect->count; k++) {
        const json   *e = json_at(expect, k);
        const int     thread = (int)json_get_int(e, "thread", 0);
        const int64_t b = json_get_int(e, "begin", -1), stop = json_get_int(e, "end", -1);
        const int64_t last = begin + (thread + 1) * split.chunk_size;
        CHECK(begin + thread * split.chunk_size == b && (last < end ? last : end) == stop,
              "%s: chunk %d is planned otherwise", id, thread);
        if (stria_threads_get() == threads)
            CHECK(r->chunk[thread].begin == b && r->chunk[thread].end == stop,
                  "%s: thread %d ran [%lld,%lld), expected [%lld,%lld)", id, thread, (long long)r->chunk[thread].begin,
                  (long long)r->chunk[thread].end, (long long)b, (long long)stop);
    }
    free(r);
}

static void check_cases(void)
{
    json *file = json_parse_file("tests/data/cases.json");
    int   n = 0;

    CHECK(file != NULL, "tests/data/cases.json cannot be read");
    const json *cases = json_get(file, "cases");
    for (const json *c = cases ? cases->first : NULL; c; c = c->next) {
        if (strcmp(json_get_string(c, "kind", ""), "parallel_for") != 0) continue;
        check_case(c);
        n++;
    }
    CHECK(n == 13, "%d cases of kind parallel_for", n);
    json_free(file);
}

/* The rules again, for sizes around every border, and sizes near 2^63. */
static void check_chunks(void)
{
    stria_chunks split;

    for (int64_t n = 0; n <= 40; n++)
        for (int64_t grain = 0; grain <= 12; grain++)
            for (int t = 1; t <= 9; t++) {
                split = stria_chunks_build((stria_team){t}, 7, 7 + n, grain);
                const int     chunks = split.n_chunks;
                const int64_t size = split.chunk_size;
                CHECK(chunks <= t && chunks >= (n > 0), "%lld elements: %d chunks", (long long)n, chunks);
                CHECK(chunks == 0 || (size * chunks >= n && size * (chunks - 1) < n),
                      "%lld elements, grain %lld, %d threads: %d chunks of %lld", (long long)n, (long long)grain, t,
                      chunks, (long long)size);
                if (n <= grain || t == 1) CHECK(chunks == (n > 0), "%lld elements are split", (long long)n);
            }
    split = stria_chunks_build((stria_team){256}, 0, INT64_MAX, 1);
    CHECK(split.n_chunks == 256, "2^63 - 1 elements");
    split = stria_chunks_build((stria_team){4}, 5, 2, 1);
    CHECK(split.n_chunks == 0, "an end before the begin");
}

typedef struct sum_task {
    atomic_llong total, calls;
    atomic_int   nested_threads;
} sum_task;

static void add_range(void *context, int thread, int64_t begin, int64_t end)
{
    sum_task *task = context;
    int64_t   sum = 0;
    for (int64_t k = begin; k < end; k++) sum += k;
    atomic_fetch_add(&task->total, sum);
    atomic_fetch_add(&task->calls, 1);
    if (stria_parallel_is_nested() && thread != 0) atomic_fetch_add(&task->nested_threads, 1);
}

static void nest(void *context, int thread, int64_t begin, int64_t end)
{
    sum_task *outer = context, inner = {0};
    (void)thread;
    if (stria_threads_get() > 1) atomic_fetch_add(&outer->nested_threads, !stria_parallel_is_nested());
    if (stria_team_get().n_threads != 1) atomic_fetch_add(&outer->nested_threads, 1); /* nested work is not split */
    for (int64_t k = begin; k < end; k++) {
        stria_parallel_for(stria_team_get(), 0, 1000, 1, add_range, &inner);
        atomic_fetch_add(&outer->total, 1);
    }
    if (atomic_load(&inner.total) != 499500 * (end - begin) || atomic_load(&inner.calls) != end - begin ||
        atomic_load(&inner.nested_threads) != 0)
        atomic_fetch_add(&outer->calls, 1);
}

static void check_visits(void)
{
    static const int counts[] = {1, 2, 3, 7, 16, 64};

    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        CHECK_STATUS(stria_threads_set(counts[c], NULL), STRIA_OK);
        for (int round = 0; round < 200; round++) {
            sum_task task = {0};
            stria_parallel_for(stria_team_get(), 0, 1000 + round, 1, add_range, &task);
            CHECK(task.total == (int64_t)(1000 + round) * (999 + round) / 2, "%d threads, round %d: sum %lld",
                  counts[c], round, (long long)task.total);
        }
        sum_task outer = {0};
        stria_parallel_for(stria_team_get(), 0, 100, 1, nest, &outer);
        CHECK(outer.total == 100 && outer.calls == 0 && outer.nested_threads == 0, "%d threads: nested calls",
              counts[c]);
        CHECK(!stria_parallel_is_nested(), "still nested");
    }
}

#if HAS_PTHREADS
static atomic_int wrong;

static void *call_often(void *unused)
{
    (void)unused;
    for (int round = 0; round < 300; round++) {
        sum_task task = {0};
        stria_parallel_for(stria_team_get(), 0, 5000, 1, add_range, &task);
        if (atomic_load(&task.total) != 12497500) atomic_fetch_add(&wrong, 1);
    }
    return NULL;
}

static void check_callers(void)
{
    pthread_t callers[4];
    int       n = 0;

    CHECK_STATUS(stria_threads_set(3, NULL), STRIA_OK);
    while (n < 4 && pthread_create(&callers[n], NULL, call_often, NULL) == 0) n++;
    CHECK(n == 4, "%d callers started", n);
    for (int k = 0; k < n; k++) pthread_join(callers[k], NULL);
    CHECK(wrong == 0, "%d wrong sums with several callers", wrong);
}
#endif

static void check_settings(void)
{
    stria_error err;
    const int   before = stria_threads_get();

    CHECK(before >= 1 && before <= STRIA_MAX_THREADS, "%d threads by default", before);
    CHECK_STATUS(stria_threads_set(0, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.argument, "n_threads") == 0 && strcmp(err.op, "threads") == 0, "error names %s", err.argument);
    CHECK_STATUS(stria_threads_set(257, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_threads_set(-1, NULL), STRIA_ERR_ARGUMENT);
    CHECK(stria_threads_get() == before, "a refused number of threads changed the setting");
    CHECK_STATUS(stria_threads_set(256, NULL), STRIA_OK);
    CHECK(stria_threads_get() == 256 || stria_threads_get() == 1, "256 threads became %d", stria_threads_get());
}

SUITE(test_parallel)
{
    check_settings();
    check_chunks();
    check_cases();
    check_visits();
#if HAS_PTHREADS
    check_callers();
#else
    printf("test_parallel: SKIPPED several callers (no threads in this build)\n");
#endif
    return check_finish("test_parallel");
}
