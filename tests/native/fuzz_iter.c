/* fuzz_iter.c - random iterators: what they compute against plain nested loops; and how they are built, transformed, run and
 * reduced against the model of the specification (tests/spec/model.py, where there is a python3).
 *
 * Usage: fuzz_iter [values | model | cases.jsonl]      one of the two parts; or lines as tests/fuzz/gen_iter_cases.py writes
 *                                                      them, which it is run for otherwise. Without an argument: both
 *
 * In the environment: STRIA_FUZZ_COUNT cases (20000), STRIA_FUZZ_SEED (1), STRIA_FUZZ_JOBS processes of the model (2). A case
 * that differs is printed as a line; a file of such lines can be given as the argument. */
#include <stdlib.h>
#include <string.h>

#include "iter_steps.h"
#include "oracle.h"

#ifndef STRIA_SOURCE_DIR
#define STRIA_SOURCE_DIR "."
#endif

#define BUFFER 16384
#define MAX_FUZZ_DIMS 6

static random_state random_source;

static int64_t pick(int64_t n) { return (int64_t)(random_next(&random_source) % (uint64_t)n); }

static bool chance(int percent) { return pick(100) < percent; }

/* ---------------------------------------------------------------- operands over canary-filled buffers */

typedef struct operand {
    int32_t       memory[BUFFER], wanted[BUFFER]; /* `wanted`: memory as it should be afterwards */
    stria_tensor *tensor;
    int           ndim;
    int64_t       shape[MAX_FUZZ_DIMS], strides[MAX_FUZZ_DIMS];
    int64_t       start; /* of element [0,..,0] in memory */
} operand;

/* A layout without two elements at one place, unless may_repeat: permuted, with gaps, partly backwards. */
static void lay_out(operand *x, bool may_repeat)
{
    int     order[MAX_FUZZ_DIMS];
    int64_t step = 1;

    for (int d = 0; d < x->ndim; d++) order[d] = x->ndim - 1 - d;
    for (int d = x->ndim - 1; d > 0 && chance(60); d--) {
        int e = (int)pick(d + 1), swapped = order[d];
        order[d] = order[e];
        order[e] = swapped;
    }
    x->start = 16;
    for (int i = 0; i < x->ndim; i++) {
        int d = order[i];
        x->strides[d] = step;
        step *= x->shape[d] > 0 ? x->shape[d] : 1;
        if (chance(15) && step < 1000) step += pick(3);
        if (may_repeat && chance(12)) x->strides[d] = 0;
        if (!chance(20)) continue;
        if (x->shape[d] > 0) x->start += (x->shape[d] - 1) * x->strides[d];
        x->strides[d] = -x->strides[d];
    }
}

static void make_tensor(operand *x)
{
    for (int i = 0; i < BUFFER; i++) x->memory[i] = (int32_t)pick(1000000);
    memcpy(x->wanted, x->memory, sizeof x->memory);
    CHECK_STATUS(stria_tensor_new_external(STRIA_I32, x->ndim, x->shape, x->strides, x->memory + x->start, NULL, NULL,
                                           &x->tensor, NULL),
                 STRIA_OK);
}

static void make_base(operand *x)
{
    x->ndim = (int)pick(MAX_FUZZ_DIMS + 1);
    for (int d = 0; d < x->ndim; d++) x->shape[d] = 1 + pick(4);
    if (x->ndim > 0 && chance(3)) x->shape[pick(x->ndim)] = 0;
}

static void make_input(operand *x, const operand *base)
{
    int dropped = chance(20) ? (int)pick(base->ndim + 1) : 0;

    x->ndim = base->ndim - dropped;
    for (int d = 0; d < x->ndim; d++) {
        x->shape[d] = chance(15) ? 1 : base->shape[d + dropped];
    }
    lay_out(x, true);
    make_tensor(x);
}

/* Place of logical element index[ndim] of the broadcast shape in the operand's memory. */
static int64_t get_place(const operand *x, int ndim, const int64_t *index)
{
    int64_t place = x->start;

    for (int d = 0; d < x->ndim; d++) {
        if (x->shape[d] != 1) place += index[ndim - x->ndim + d] * x->strides[d];
    }
    return place;
}

static bool next_index(int ndim, const int64_t *shape, int64_t *index)
{
    for (int d = ndim - 1; d >= 0; d--) {
        if (++index[d] < shape[d]) return true;
        index[d] = 0;
    }
    return false;
}

/* ---------------------------------------------------------------- the loop under test */

static void add_loop(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    (void)context;
    for (int64_t j = 0; j < n1; j++) {
        for (int64_t i = 0; i < n0; i++) {
            const char *a = data[1] + i * strides[1] + j * strides[4];
            const char *b = data[2] + i * strides[2] + j * strides[5];
            char       *y = data[0] + i * strides[0] + j * strides[3];
            *(int32_t *)(void *)y = *(const int32_t *)(const void *)a + *(const int32_t *)(const void *)b;
        }
    }
}

/* By one of the ways to run all of an iterator: threads, ranges, halves, single positions. */
static void run_somehow(stria_iter *it)
{
    const int64_t numel = stria_iter_get_numel(it);
    const int     way = (int)pick(4);
    stria_iter    lower;

    if (way == 0 && numel > 1) {
        int dim = stria_iter_get_dim_to_split(it);
        if (dim >= 0 && stria_iter_get_shape(it)[dim] >= 2) {
            CHECK_STATUS(stria_iter_split(it, dim, &lower, NULL), STRIA_OK);
            run_somehow(&lower);
            run_somehow(it);
            stria_iter_release(&lower);
            return;
        }
    }
    if (way == 1) {
        for (int64_t begin = 0; begin < numel;) {
            int64_t end = begin + 1 + pick(numel - begin);
            stria_iter_run_range(it, add_loop, NULL, begin, end);
            begin = end;
        }
        return;
    }
    stria_iter_for_each(it, add_loop, NULL, way == 2 ? 1 + pick(64) : 0);
}

/* ---------------------------------------------------------------- one case */

static operand base, in[2], out;

static const operand *get_written(int mode) { return mode == 2 ? &in[0] : &out; }

/* Fills `wanted` of what is written (mode 1: out, 2: the first input, in place) or, for a new output, list. */
static void compute_wanted(int mode, int32_t *list)
{
    int64_t index[MAX_FUZZ_DIMS] = {0}, count = 0;
    bool    more = true;

    for (int d = 0; d < base.ndim; d++) more &= base.shape[d] > 0;
    while (more) {
        int32_t sum =
            in[0].memory[get_place(&in[0], base.ndim, index)] + in[1].memory[get_place(&in[1], base.ndim, index)];
        list[count++] = sum;
        if (mode == 1) out.wanted[get_place(&out, base.ndim, index)] = sum;
        if (mode == 2) in[0].wanted[get_place(&in[0], base.ndim, index)] = sum;
        more = next_index(base.ndim, base.shape, index);
    }
}

static void check_new_output(const stria_tensor *y, const int32_t *list, int number)
{
    int64_t index[MAX_FUZZ_DIMS] = {0};
    bool    same = y->ndim == base.ndim, more = y->numel > 0;

    for (int d = 0; same && d < base.ndim; d++) same = y->shape[d] == base.shape[d];
    CHECK(same, "case %d: shape of the new output", number);
    for (int64_t i = 0; same && more; i++) {
        int64_t place = 0;
        for (int d = 0; d < y->ndim; d++) place += index[d] * y->strides[d];
        same = ((const int32_t *)(const void *)y->data)[place] == list[i];
        more = next_index(base.ndim, base.shape, index);
    }
    CHECK(same, "case %d: new output", number);
}

static void check_values(int number)
{
    static int32_t    list[BUFFER];
    const int         mode = (int)pick(3);
    stria_iter_config config;
    stria_iter        it;
    stria_error       err = {0};

    make_base(&base);
    make_input(&in[0], &base);
    make_input(&in[1], &base);
    if (mode == 2) { /* in place: the first input is the whole shape, each element once */
        stria_tensor_release(in[0].tensor);
        in[0].ndim = base.ndim;
        memcpy(in[0].shape, base.shape, sizeof base.shape);
        lay_out(&in[0], false);
        make_tensor(&in[0]);
    } else { /* the inputs alone decide the shape */
        stria_tensor_release(in[0].tensor);
        in[0].ndim = base.ndim;
        memcpy(in[0].shape, base.shape, sizeof base.shape);
        lay_out(&in[0], true);
        make_tensor(&in[0]);
    }
    out.tensor = NULL;
    if (mode == 1) {
        out.ndim = base.ndim;
        memcpy(out.shape, base.shape, sizeof base.shape);
        lay_out(&out, false);
        make_tensor(&out);
    }
    compute_wanted(mode, list);
    stria_iter_config_init(&config);
    stria_iter_config_set_elementwise(&config, STRIA_I32);
    stria_iter_config_set_enforce_linear_iteration(&config, chance(15));
    stria_iter_config_add_output(&config, mode == 2 ? in[0].tensor : out.tensor);
    stria_iter_config_add_input(&config, in[0].tensor);
    stria_iter_config_add_input(&config, in[1].tensor);
    stria_status status = stria_iter_build(&it, &config, &err);
    CHECK(status == STRIA_OK, "case %d: %s", number, err.message);
    if (status == STRIA_OK) {
        run_somehow(&it);
        stria_tensor *y = stria_iter_take_output(&it, 0);
        stria_iter_release(&it);
        if (mode == 0)
            check_new_output(y, list, number);
        else
            CHECK(memcmp(get_written(mode)->memory, get_written(mode)->wanted, sizeof out.memory) == 0, "case %d: %s",
                  number, mode == 1 ? "given output" : "in place");
        CHECK(memcmp(in[1].memory, in[1].wanted, sizeof in[1].memory) == 0, "case %d: an input changed", number);
        stria_tensor_release(y);
    }
    stria_tensor_release(in[0].tensor);
    stria_tensor_release(in[1].tensor);
    stria_tensor_release(out.tensor);
}

/* ---------------------------------------------------------------- lines of the model */

#define MAX_JOBS 64

typedef struct line_count {
    int64_t ran, foreign, different;
} line_count;

/* Lines that the model answers with c32 are counted as foreign and left out. */
static void check_line(const char *line, line_count *counts)
{
    const int64_t before = check_failures;
    json         *entry = json_parse(line, strlen(line));

    counts->ran++;
    CHECK(entry != NULL, "line %lld is not JSON", (long long)counts->ran);
    if (entry != NULL && iter_case_is_foreign(entry))
        counts->foreign++;
    else if (entry != NULL)
        iter_case_check_build(entry);
    json_free(entry);
    if (check_failures == before) return;
    if (counts->different++ < 20) fprintf(stderr, "replay: %s", line);
}

/* A line of each in turn, so that all of them are kept busy. */
static line_count check_streams(FILE **streams, int n)
{
    static char line[1 << 18];
    line_count  counts = {0};
    bool        more = true;

    while (more) {
        more = false;
        for (int i = 0; i < n; i++) {
            if (streams[i] == NULL || fgets(line, sizeof line, streams[i]) == NULL) continue;
            check_line(strncmp(line, "replay: ", 8) == 0 ? line + 8 : line, &counts);
            more = true;
        }
    }
    return counts;
}

static void print_counts(const char *what, line_count counts)
{
    printf("  model        %lld cases %s: %lld different; %lld with c32 skipped", (long long)counts.ran, what,
           (long long)counts.different, (long long)counts.foreign);
    if (iter_steps_skipped > 0) printf("; %d checks skipped for want of threads", iter_steps_skipped);
    printf("\n");
}

static void check_file(const char *path)
{
    FILE *file = fopen(path, "rb");

    CHECK(file != NULL, "cannot read %s", path);
    print_counts(path, check_streams(&file, 1));
    if (file != NULL) fclose(file);
}

/* False where the model cannot run. */
static bool check_model(int64_t count, int64_t seed)
{
#if defined(__EMSCRIPTEN__)
    (void)count;
    (void)seed;
    printf("  model        SKIPPED: no processes here\n");
    return false;
#else
    const int  jobs = (int)check_get_setting("STRIA_FUZZ_JOBS", 2);
    FILE      *streams[MAX_JOBS];
    line_count counts;
    char       command[1024];

    if (system("python3 -c pass 2>/dev/null") != 0) {
        printf("  model        SKIPPED: no python3\n");
        return false;
    }
    CHECK(jobs >= 1 && jobs <= MAX_JOBS, "%d jobs", jobs);
    for (int i = 0; i < jobs && i < MAX_JOBS; i++) {
        snprintf(command, sizeof command, "python3 \"%s/tests/fuzz/gen_iter_cases.py\" %lld %lld %d %d",
                 STRIA_SOURCE_DIR, (long long)count, (long long)seed, jobs, i);
        streams[i] = popen(command, "r");
        CHECK(streams[i] != NULL, "cannot run %s", command);
    }
    counts = check_streams(streams, jobs < MAX_JOBS ? jobs : MAX_JOBS);
    for (int i = 0; i < jobs && i < MAX_JOBS; i++) CHECK(streams[i] != NULL && pclose(streams[i]) == 0, "job %d", i);
    CHECK(counts.ran == count, "%lld cases came", (long long)counts.ran);
    snprintf(command, sizeof command, "of seed %lld", (long long)seed);
    print_counts(command, counts);
    return true;
#endif
}

static void check_all_values(int64_t count, int64_t seed)
{
    const int before = stria_threads_get();

    if (count > 100000) count = 100000;
    random_source.state = (uint64_t)seed;
    CHECK_STATUS(stria_threads_set(3, NULL), STRIA_OK);
    for (int number = 0; number < count; number++) check_values(number);
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
    printf("  values       %lld cases of seed %lld\n", (long long)count, (long long)seed);
}

SUITE(fuzz_iter)
{
    const char   *part = argc > 1 ? argv[1] : "";
    const int64_t count = check_get_setting("STRIA_FUZZ_COUNT", 20000), seed = check_get_setting("STRIA_FUZZ_SEED", 1);
    const bool    only_values = strcmp(part, "values") == 0, only_model = strcmp(part, "model") == 0;

    if (part[0] && !only_values && !only_model) {
        check_file(part);
        return check_finish("fuzz_iter");
    }
    if (!only_model) check_all_values(check_get_count(count / 4), seed);
    if (!only_values && !check_model(count, seed) && only_model) return 77;
    return check_finish("fuzz_iter");
}
