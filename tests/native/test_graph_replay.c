/* test_graph_replay.c - runs that follow one another on inputs as they were recorded take a short way: they give what calls give, new each time;
 * what is not as it was recorded is laid out anew, or refused in the words of a graph that has never run. */
#include <stdlib.h>
#include <string.h>

#include "graph_case.h"

enum { ROWS = 3, COLUMNS = 4, INPUTS = 2, RUNS = 3 };

static const int64_t shape[] = {ROWS, COLUMNS};

/* From two matrices, *y. */
typedef void program_fn(stria_tensor *const *x, const stria_tensor *held, stria_tensor **y);

static void make_sum(stria_tensor *const *x, const stria_tensor *held, stria_tensor **y)
{
    (void)held;
    OK(stria_add(x[0], x[1], y, NULL));
}

/* A number, which is no operand of its own in the loop, and one that repeats itself. */
static void make_chain(stria_tensor *const *x, const stria_tensor *held, stria_tensor **y)
{
    stria_tensor *a, *b;

    OK(stria_sub(x[1], x[0], &a, NULL));
    OK(stria_mul(a, held, &b, NULL));
    OK(stria_relu(b, y, NULL));
    RELEASE(a, b);
}

static void make_softmax(stria_tensor *const *x, const stria_tensor *held, stria_tensor **y)
{
    stria_tensor *a;

    OK(stria_softmax(x[0], -1, STRIA_DTYPE_NONE, &a, NULL));
    OK(stria_cumsum(a, 0, STRIA_DTYPE_NONE, y, NULL));
    (void)held;
    stria_tensor_release(a);
}

static void make_linear(stria_tensor *const *x, const stria_tensor *held, stria_tensor **y)
{
    stria_tensor *turned, *a;

    OK(stria_transpose(x[1], 0, 1, &turned, NULL));
    OK(stria_matmul(x[0], turned, &a, NULL));
    OK(stria_add(a, a, y, NULL));
    (void)held;
    RELEASE(turned, a);
}

static stria_tensor *new_matrix(int seed)
{
    stria_tensor *x;

    OK(stria_tensor_new(STRIA_F32, 2, shape, &x, NULL));
    for (int i = 0; i < ROWS * COLUMNS; i++) ((float *)(void *)x->data)[i] = (float)((i * 5 + seed) % 11) / 4 - 1;
    return x;
}

static stria_graph *record(program_fn *program, const stria_tensor *held)
{
    stria_tensor    *in[INPUTS] = {new_matrix(0), new_matrix(1)}, *symbols[INPUTS], *y;
    stria_recording *r = record_inputs(in, INPUTS, symbols);
    stria_graph     *g;

    program(symbols, held, &y);
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    release_all(INPUTS, in), release_all(INPUTS, symbols);
    stria_tensor_release(y);
    return g;
}

/* The graph gives for these inputs what the calls give. */
static stria_tensor *check_run(stria_graph *g, program_fn *program, const stria_tensor *held, stria_tensor *const *in,
                               const char *what)
{
    const double  number = 0;
    stria_tensor *y = NULL, *again = NULL, *expected;
    stria_error   err = {0};

    CHECK(stria_graph_run(g, in, INPUTS, &y, &err) == STRIA_OK, "%s: %s", what, err.message);
    CHECK(stria_graph_run_with(g, in, INPUTS, &number, 0, &again, &err) == STRIA_OK, "%s: %s", what, err.message);
    CHECK(y != NULL && again != NULL && y != again && has_same_bits(y, again), "%s: with no numbers", what);
    stria_tensor_release(again);
    program(in, held, &expected);
    CHECK(y != NULL && has_same_bits(expected, y), "%s: other elements than of the calls", what);
    stria_tensor_release(expected);
    return y;
}

/* Results are new each time: those of earlier runs keep their elements. */
static void check_runs(stria_graph *g, program_fn *program, const stria_tensor *held, const char *what)
{
    stria_tensor *in[RUNS][INPUTS], *y[RUNS], *expected;

    for (int run = 0; run < RUNS; run++) {
        for (int k = 0; k < INPUTS; k++) in[run][k] = new_matrix(3 * run + k);
        y[run] = check_run(g, program, held, in[run], what);
    }
    for (int run = 0; run < RUNS; run++) {
        program(in[run], held, &expected);
        CHECK(has_same_bits(expected, y[run]), "%s: what run %d gave has changed", what, run);
        stria_tensor_release(expected);
        release_all(INPUTS, in[run]);
    }
    release_all(RUNS, y);
}

/* Another memory order, and a beginning that is not that of the memory. */
static void check_layouts(stria_graph *g, program_fn *program, const stria_tensor *held)
{
    static const int64_t long_shape[] = {ROWS + 1, COLUMNS}, turned_shape[] = {COLUMNS, ROWS};
    stria_tensor        *in[INPUTS] = {NULL, new_matrix(2)}, *other, *y;

    OK(stria_tensor_new(STRIA_F32, 2, turned_shape, &other, NULL));
    for (int i = 0; i < ROWS * COLUMNS; i++) ((float *)(void *)other->data)[i] = (float)i / 8;
    OK(stria_transpose(other, 0, 1, &in[0], NULL));
    y = check_run(g, program, held, in, "a turned input");
    RELEASE(other, in[0], y);
    OK(stria_tensor_new(STRIA_F32, 2, long_shape, &other, NULL));
    for (int i = 0; i < (ROWS + 1) * COLUMNS; i++) ((float *)(void *)other->data)[i] = (float)i / 8;
    OK(stria_slice(other, 0, 1, ROWS + 1, 1, &in[0], NULL));
    y = check_run(g, program, held, in, "the end of a memory");
    RELEASE(other, y);
    release_all(INPUTS, in);
}

/* g, which has run, and one that has not say the same. */
static void check_refusal(stria_graph *g, stria_graph *fresh, stria_tensor *const *in, int n_in, const char *what)
{
    stria_tensor      *y = NULL, *z = NULL;
    stria_error        err = {0}, expected = {0};
    const stria_status status = stria_graph_run(g, in, n_in, &y, &err);

    CHECK(status != STRIA_OK && y == NULL, "%s is not refused", what);
    CHECK(stria_graph_run(fresh, in, n_in, &z, &expected) == status && strcmp(err.message, expected.message) == 0,
          "%s: \"%s\", where a new graph says \"%s\"", what, err.message, expected.message);
    release_all(2, (stria_tensor *[]){y, z});
}

static void check_refusals(stria_graph *g, stria_graph *fresh)
{
    stria_tensor    *in[INPUTS] = {new_matrix(0), new_matrix(1)}, *second = in[1], *y = NULL, *symbol;
    stria_recording *r;

    check_refusal(g, fresh, in, 1, "one input");
    check_refusal(g, fresh, NULL, INPUTS, "no inputs");
    in[1] = NULL;
    check_refusal(g, fresh, in, INPUTS, "NULL");
    OK(stria_tensor_copy(second, STRIA_F64, &in[1], NULL));
    check_refusal(g, fresh, in, INPUTS, "another dtype");
    stria_tensor_release(in[1]);
    OK(stria_slice(second, 0, 0, ROWS - 1, 1, &in[1], NULL));
    check_refusal(g, fresh, in, INPUTS, "another shape");
    stria_tensor_release(in[1]);
    in[1] = second;
    OK(stria_tensor_set_requires_grad(second, true, NULL));
    check_refusal(g, fresh, in, INPUTS, "one that requires a gradient");
    OK(stria_tensor_set_requires_grad(second, false, NULL));
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, in[0], &symbol, NULL));
    check_refusal(g, fresh, in, INPUTS, "a thread that records");
    stria_recording_cancel(r);
    CHECK(stria_graph_run(g, in, INPUTS, NULL, NULL) == STRIA_ERR_ARGUMENT, "no place for the result");
    OK(stria_graph_run(g, in, INPUTS, &y, NULL));
    RELEASE(symbol, y);
    release_all(INPUTS, in);
}

/* A result that there is no memory for is none, and the next run has it. */
static void check_memory(void)
{
    const int64_t    n = 1 << 20;
    stria_tensor    *in[INPUTS], *symbols[INPUTS], *y;
    stria_recording *r;
    stria_graph     *g;
    stria_error      err;

    for (int k = 0; k < INPUTS; k++) in[k] = new_vector(n);
    r = record_inputs(in, INPUTS, symbols);
    make_sum(symbols, NULL, &y);
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    stria_tensor_release(y);
    OK(stria_graph_run(g, in, INPUTS, &y, NULL));
    const uint64_t limit = stria_memory_get_stats().limit_bytes;
    stria_memory_set_limit(stria_memory_get_stats().live_bytes + 1000);
    stria_tensor *none = y;
    CHECK(stria_graph_run(g, in, INPUTS, &none, &err) == STRIA_ERR_MEMORY && none == NULL, "more memory than there is");
    stria_memory_set_limit(limit);
    OK(stria_graph_run(g, in, INPUTS, &none, NULL));
    CHECK(has_same_bits(y, none), "the run after it");
    RELEASE(y, none);
    stria_graph_release(g);
    release_all(INPUTS, in), release_all(INPUTS, symbols);
}

/* What the graph holds is looked at in each run. */
static void check_held(void)
{
    stria_tensor *held = new_matrix(4), *other = new_matrix(5);
    stria_graph  *g = record(make_chain, held);

    check_runs(g, make_chain, held, "what is held");
    memcpy(held->data, other->data, sizeof(float) * ROWS * COLUMNS);
    check_runs(g, make_chain, held, "what is held, written to");
    stria_graph_release(g);
    RELEASE(held, other);
}

/* A row of so many elements added to each of m rows: the graph has as many copies of it as a block takes, or all. */
static void check_width(int64_t m, int64_t n)
{
    const int64_t    sizes[] = {m, n};
    stria_tensor    *in[INPUTS] = {NULL, new_vector(n)}, *symbols[INPUTS], *a, *y;
    stria_recording *r;
    stria_graph     *g;

    OK(stria_tensor_new(STRIA_F32, 2, sizes, &in[0], NULL));
    for (int64_t i = 0; i < m * n; i++) ((float *)(void *)in[0]->data)[i] = (float)(i * 7 % 64) / 8 - 4;
    r = record_inputs(in, INPUTS, symbols);
    OK(stria_add(symbols[0], symbols[1], &a, NULL));
    OK(stria_relu(a, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    RELEASE(a, y);
    for (int run = 0; run < RUNS; run++) {
        stria_tensor *expected;
        ((float *)(void *)in[1]->data)[n - 1] += (float)run;
        OK(stria_add(in[0], in[1], &a, NULL));
        OK(stria_relu(a, &expected, NULL));
        OK(stria_graph_run(g, in, INPUTS, &y, NULL));
        CHECK(has_same_bits(expected, y), "rows of %d, run %d", (int)n, run);
        RELEASE(a, expected, y);
    }
    stria_graph_release(g);
    release_all(INPUTS, in), release_all(INPUTS, symbols);
}

SUITE(test_graph_replay)
{
    static const struct {
        const char *what;
        program_fn *program;
    } programs[] = {
        {"an op", make_sum}, {"a chain", make_chain}, {"functions", make_softmax}, {"a product", make_linear}};
    const stria_memory_stats before = stria_memory_get_stats();

    check_isa("test_graph_replay");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        stria_tensor *held = new_vector(COLUMNS);
        stria_graph  *g = record(programs[i].program, held), *fresh = record(programs[i].program, held);

        for (int round = 0; round < 2; round++) { /* others in between change nothing */
            check_runs(g, programs[i].program, held, programs[i].what);
            check_layouts(g, programs[i].program, held);
            if (round == 0) check_refusals(g, fresh);
        }
        stria_graph_release(g);
        stria_graph_release(fresh);
        stria_tensor_release(held);
    }
    for (int64_t n = 2; n <= 20; n++) check_width(16, n), check_width(300, n);
    check_held();
    check_memory();
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_storages == before.live_storages, "%lld storages are left",
          (long long)(after.live_storages - before.live_storages));
    return check_finish("test_graph_replay");
}
