/* test_cuda_graph_capture.c - recorded programs as CUDA graphs: what is launched as one is what the steps compute one by one, bit for bit, wherever
 * inputs and results lie, whoever keeps them, and whatever fails on the way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

#if defined(__EMSCRIPTEN__)
SUITE(test_cuda_graph_capture)
{
    printf("test_cuda_graph_capture: SKIPPED (no plug-ins in this build)\n0 passed, 0 failed, 1 skipped\n");
    return 77;
}
#else
#include "cuda_capture_case.h"
#include "random_program.h"
#include "refused.h"
#include "sanitized.h"

/* ---------------------------------------------------------------- places */

/* Results that have ended are the memory of the next run; elements of the input change in between. */
static void test_same_places(int64_t n)
{
    stria_tensor *x = new_on_device(n, 1), *held = new_on_device(1, 2);
    stria_graph  *g = record(x, held);

    for (int k = 0; k < 12; k++) {
        stria_tensor *other = new_on_device(n, k);
        OK(stria_tensor_set(x, other, NULL));
        stria_tensor_release(other);
        check_run("same places", k, g, x, held);
    }
    const stria_graph_info info = stria_graph_get_info(g);
    CHECK(info.n_captured >= 3 && info.n_captures == 1 && info.n_launches == 10, "%d steps, %d captures, %d launches",
          info.n_captured, (int)info.n_captures, (int)info.n_launches);
    stria_graph_release(g);
    RELEASE(x, held);
}

/* Each run has another input: a small one is copied, a large one is where its capture has it, or its steps are made. */
static void test_moving_inputs(int64_t n, bool are_copied)
{
    stria_tensor *held = new_on_device(1, 2), *first = new_on_device(n, 1), *kept[24];
    stria_graph  *g = record(first, held);

    for (int k = 0; k < 24; k++) {
        kept[k] = new_on_device(n, k);
        check_run("moving inputs", k, g, kept[k], held);
    }
    CHECK(are_copied ? count_launches(g) > 12 : count_launches(g) == 0, "%d launches", (int)count_launches(g));
    release_all(24, kept);
    stria_graph_release(g);
    RELEASE(held, first);
}

/* Runs of one thread on streams by turns. */
static void test_streams(int64_t n)
{
    stria_tensor *x = new_on_device(n, 1), *held = new_on_device(1, 2);
    stria_graph  *g = record(x, held);
    stria_stream *streams[3] = {NULL}; /* and the thread's own one */

    for (int k = 0; k < 2; k++) OK(stria_stream_new(CUDA, &streams[k], NULL));
    for (int k = 0; k < 24; k++) {
        OK(stria_stream_set(CUDA, streams[k % 3], NULL));
        stria_tensor *other = new_on_device(n, k);
        OK(stria_tensor_set(x, other, NULL));
        stria_tensor_release(other);
        check_run("streams by turns", k, g, x, held);
    }
    CHECK(count_launches(g) > 12, "%d launches", (int)count_launches(g));
    OK(stria_stream_set(CUDA, NULL, NULL));
    for (int k = 0; k < 2; k++) stria_stream_release(streams[k]);
    stria_graph_release(g);
    RELEASE(x, held);
}

/* Two inputs by turns, twice each: each has a capture. */
static void test_turns(void)
{
    stria_tensor *x[] = {new_on_device(LARGE, 1), new_on_device(LARGE, 2)}, *held = new_on_device(1, 2);
    stria_graph  *g = record(x[0], held);

    for (int k = 0; k < 24; k++) check_run("turns", k, g, x[k / 2 % 2], held);
    CHECK(stria_graph_get_info(g).n_captures == 2 && count_launches(g) > 16, "%d captures, %d launches",
          (int)stria_graph_get_info(g).n_captures, (int)count_launches(g));
    stria_graph_release(g);
    RELEASE(x[0], x[1], held);
}

/* An input that is not aligned as the place of its own would be is not copied there. */
static void test_alignment(void)
{
    stria_tensor *base = new_on_device(200, 1), *held = new_on_device(1, 2), *first = new_on_device(50, 1);
    stria_graph  *g = record(first, held);

    for (int k = 0; k < 12; k++) {
        stria_tensor *x;
        OK(stria_slice(base, 0, 1 + k, 51 + k, 1, &x, NULL));
        check_run("alignment", k, g, x, held);
        stria_tensor_release(x);
    }
    CHECK(count_launches(g) == 0, "%d launches", (int)count_launches(g));
    stria_graph_release(g);
    RELEASE(base, held, first);
}

/* The caller keeps all results: none changes afterwards. Small ones are copied in the end, large ones are not. */
static void test_kept_results(int64_t n, bool are_copied)
{
    enum { N = 40 };
    stria_tensor *x = new_on_device(n, 1), *held = new_on_device(1, 2), *inputs[N], *out[N][N_RESULTS];
    stria_graph  *g = record(x, held);

    for (int k = 0; k < N; k++) {
        inputs[k] = new_on_device(n, k);
        OK(stria_tensor_set(x, inputs[k], NULL));
        if (!run(g, x, out[k])) memset(out[k], 0, sizeof out[k]);
    }
    for (int k = 0; k < N; k++) check_results("kept results", k, inputs[k], held, out[k]);
    const stria_graph_info info = stria_graph_get_info(g);
    CHECK(info.n_captures < 12, "%d captures", (int)info.n_captures);
    CHECK(are_copied ? info.n_launches > 20 : info.n_launches == info.n_captures, "%d launches", (int)info.n_launches);
    for (int k = 0; k < N; k++) release_all(N_RESULTS, out[k]);
    release_all(N, inputs);
    stria_graph_release(g);
    RELEASE(x, held);
}

/* A view of a result keeps its memory, too; and a result is the input of the next run. */
static void test_views_of_results(void)
{
    stria_tensor *x = new_on_device(LARGE, 1), *held = new_on_device(1, 2), *out[N_RESULTS], *views[12];
    stria_tensor *expected[12];
    stria_graph  *g = record(x, held);

    for (int k = 0; k < 12; k++) {
        if (!run(g, x, out)) return;
        OK(stria_slice(out[0], 0, 5, LARGE, 2, &views[k], NULL));
        expected[k] = cuda_case_to_cpu(views[k]);
        check_results("views", k, x, held, out);
        stria_tensor_release(x);
        x = k % 4 == 3 ? new_on_device(LARGE, k) : stria_tensor_retain(out[0]);
        release_all(N_RESULTS, out);
        if (k % 3 > 0) stria_tensor_release(views[k]), views[k] = NULL;
    }
    for (int k = 0; k < 12; k++) CHECK(views[k] == NULL || is_same(views[k], expected[k]), "view %d has changed", k);
    release_all(12, views), release_all(12, expected);
    stria_graph_release(g);
    RELEASE(x, held);
}

/* ---------------------------------------------------------------- what is in no capture */

/* Positions are looked at by the host: before and behind them steps are launched as one, and a wrong one is refused still. */
static void test_host_steps(void)
{
    const int64_t n = 50;
    stria_tensor *x = new_on_device(n, 1), *held = new_on_device(1, 2), *index, *wrong, *s[2], *a, *b, *c, *d, *e, *f;
    stria_tensor *near, *out = NULL;
    stria_recording *r;
    stria_graph     *g = NULL;

    OK(stria_tensor_new(STRIA_I64, 1, &n, &near, NULL));
    for (int64_t i = 0; i < n; i++) ((int64_t *)stria_tensor_get_data(near))[i] = i * 7 % n;
    index = cuda_case_to_device(near, CUDA);
    ((int64_t *)stria_tensor_get_data(near))[3] = n;
    wrong = cuda_case_to_device(near, CUDA);
    r = record_inputs((stria_tensor *[]){x, index}, 2, s);
    for (int k = 0; k < 2; k++) {
        const stria_tensor *from = k == 0 ? s[0] : x;
        OK(stria_cumsum(from, 0, STRIA_DTYPE_NONE, &a, NULL));
        OK(stria_softmax(a, 0, STRIA_DTYPE_NONE, &b, NULL));
        OK(stria_gather(b, k == 0 ? s[1] : index, 0, &c, NULL));
        OK(stria_cumsum(c, 0, STRIA_DTYPE_NONE, &d, NULL));
        OK(stria_softmax(d, 0, STRIA_DTYPE_NONE, &e, NULL));
        OK(stria_mul(e, held, &f, NULL));
        if (k == 0) OK(stria_recording_end(r, &f, 1, &g, NULL));
        RELEASE(a, b, c, d, e);
        if (k == 0) RELEASE(f, s[0], s[1]);
    }
    for (int k = 0; k < 10; k++) {
        OK(stria_graph_run(g, (stria_tensor *[]){x, index}, 2, &out, NULL));
        CHECK(is_same(out, f), "run %d", k);
        stria_tensor_release(out);
        if (k % 3 != 2) continue;
        REFUSED(stria_graph_run(g, (stria_tensor *[]){x, wrong}, 2, &out, &err), STRIA_ERR_ARGUMENT, "gather", "index",
                "out of range for axis 0 of size 50");
    }
    const stria_graph_info info = stria_graph_get_info(g);
    CHECK(info.n_captures >= 2 && info.n_launches > info.n_captures, "%d captures, %d launches", (int)info.n_captures,
          (int)info.n_launches);
    CHECK(info.n_captured < info.n_steps, "%d steps of %d are captured", info.n_captured, info.n_steps);
    stria_graph_release(g);
    RELEASE(x, held, index, wrong, near, f);
}

/* Parameters, states, gradients, random numbers and the number of the step go on as the calls make them. */
static void test_training(bool keeps_gradients)
{
    network       eager, compiled;
    stria_tensor *x = new_batch(3, 0), *y = new_batch(2, 0), *kept[12] = {NULL};
    stria_graph  *g = NULL;

    begin(&eager), begin(&compiled);
    for (int64_t step = 1; step <= 12; step++) {
        stria_tensor *next[] = {new_batch(3, step), new_batch(2, step)}, *loss = NULL;
        OK(stria_tensor_set(x, next[0], NULL));
        OK(stria_tensor_set(y, next[1], NULL));
        stria_tensor  *expected = run_step(&eager, x, y, NULL);
        const double   number = (double)step;
        const unsigned version = atomic_load(&compiled.params[0]->storage->version);
        if (g == NULL) g = record_step(&compiled, x, y);
        OK(stria_graph_run_with(g, (stria_tensor *[]){x, y}, 2, &number, 1, &loss, NULL));
        CHECK(is_same(loss, expected), "loss of step %d", (int)step);
        CHECK(step == 1 || atomic_load(&compiled.params[0]->storage->version) != version, "step %d: a version",
              (int)step);
        for (int k = 0; k < N_PARAMS; k++)
            CHECK(is_same(eager.params[k], compiled.params[k]) && is_same(eager.first[k], compiled.first[k]) &&
                      is_same(eager.second[k], compiled.second[k]) &&
                      is_same(GRAD(eager.params[k]), GRAD(compiled.params[k])),
                  "step %d: parameter %d", (int)step, k);
        if (keeps_gradients) kept[step - 1] = stria_tensor_retain(GRAD(compiled.params[0]));
        RELEASE(next[0], next[1], loss, expected);
    }
    CHECK(count_launches(g) > 4, "%d launches", (int)count_launches(g));
    stria_graph_release(g);
    release_all(12, kept);
    end(&eager), end(&compiled);
    RELEASE(x, y);
}

/* A held tensor that a captured step writes to: its version goes up with each launch. */
static void test_held(void)
{
    stria_tensor    *x = new_on_device(30, 1), *sum = new_on_device(30, 2), *s, *a, *b, *y;
    stria_tensor    *expected = cuda_case_to_device(sum, CUDA);
    stria_recording *r = record_inputs(&x, 1, &s);
    stria_graph     *g = NULL;

    OK(stria_cumsum(s, 0, STRIA_DTYPE_NONE, &a, NULL));
    OK(stria_cumsum(a, 0, STRIA_DTYPE_NONE, &b, NULL));
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){sum, b}, 2, sum, NULL));
    OK(stria_recording_end(r, &b, 1, &g, NULL));
    RELEASE(a, b, s);
    for (int k = 0; k < 10; k++) {
        const unsigned version = atomic_load(&sum->storage->version);
        OK(stria_cumsum(x, 0, STRIA_DTYPE_NONE, &a, NULL));
        OK(stria_cumsum(a, 0, STRIA_DTYPE_NONE, &b, NULL));
        OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){expected, b}, 2, expected, NULL));
        OK(stria_graph_run(g, &x, 1, &y, NULL));
        CHECK(is_same(y, b) && is_same(sum, expected), "run %d", k);
        CHECK(atomic_load(&sum->storage->version) > version, "run %d leaves the version", k);
        RELEASE(a, b, y);
    }
    CHECK(count_launches(g) == 8, "%d launches", (int)count_launches(g));
    stria_graph_release(g);
    RELEASE(x, sum, expected);
}

/* An input that is written to is written where it is. */
static void test_written_inputs(void)
{
    stria_tensor    *x = new_on_device(30, 1), *s, *a, *b, *y;
    stria_recording *r = record_inputs(&x, 1, &s);
    stria_graph     *g = NULL;

    OK(stria_cumsum(s, 0, STRIA_DTYPE_NONE, &a, NULL));
    OK(stria_softmax(a, 0, STRIA_DTYPE_NONE, &b, NULL));
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){s, b}, 2, s, NULL));
    OK(stria_recording_end(r, &b, 1, &g, NULL));
    RELEASE(a, b, s);
    for (int k = 0; k < 16; k++) {
        stria_tensor *other = k < 8 ? stria_tensor_retain(x) : new_on_device(30, k),
                     *twin = cuda_case_to_device(other, CUDA);
        OK(stria_cumsum(twin, 0, STRIA_DTYPE_NONE, &a, NULL));
        OK(stria_softmax(a, 0, STRIA_DTYPE_NONE, &b, NULL));
        OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){twin, b}, 2, twin, NULL));
        OK(stria_graph_run(g, &other, 1, &y, NULL));
        CHECK(is_same(y, b) && is_same(other, twin), "run %d", k);
        RELEASE(a, b, y, other, twin);
    }
    CHECK(count_launches(g) == 6, "%d launches", (int)count_launches(g));
    stria_graph_release(g);
    stria_tensor_release(x);
}

/* A number that the program took is an argument of its launches: where somebody changes it, they are captured again. */
static void test_numbers(void)
{
    stria_tensor *x = new_on_device(30, 1), *number, *s, *a, *b, *c, *out[2];
    stria_graph  *g[2];

    OK(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_FLOAT, .re = 2}, &number, NULL));
    for (int k = 0; k < 2; k++) {
        stria_recording *r = record_inputs(&x, 1, &s);
        OK(stria_cumsum(s, 0, STRIA_DTYPE_NONE, &a, NULL));
        OK(stria_mul(a, number, &b, NULL));
        OK(stria_cumsum(b, 0, STRIA_DTYPE_NONE, &c, NULL));
        OK(stria_recording_end(r, &c, 1, &g[k], NULL));
        RELEASE(s, a, b, c);
    }
    for (int k = 0; k < 16; k++) {
        if (k == 8) memcpy(stria_tensor_get_data(number), &(double){3}, sizeof(double));
        if (k == 0) setenv("STRIA_CUDA_GRAPHS", "0", 1);
        OK(stria_graph_run(g[0], &x, 1, &out[0], NULL));
        unsetenv("STRIA_CUDA_GRAPHS");
        OK(stria_graph_run(g[1], &x, 1, &out[1], NULL));
        CHECK(is_same(out[0], out[1]), "run %d", k);
        RELEASE(out[0], out[1]);
    }
    const stria_graph_info info = stria_graph_get_info(g[1]);
    CHECK(info.n_captures == 2 && info.n_launches == 14 && count_launches(g[0]) == 0, "%d captures, %d launches",
          (int)info.n_captures, (int)info.n_launches);
    stria_graph_release(g[0]);
    stria_graph_release(g[1]);
    RELEASE(x, number);
}

/* ---------------------------------------------------------------- random programs */

static int64_t n_launched;
static int     n_left_out;

static stria_graph *record_program(stria_tensor *const *in, int n, random_state numbers, int n_steps, int *n_values)
{
    random_program   symbols = {.numbers = numbers, .has_products = true};
    stria_recording *r;
    stria_graph     *g = NULL;
    stria_error      err;

    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < n; k++) OK(stria_recording_add_input(r, in[k], &symbols.at[symbols.n++], NULL));
    random_program_run(&symbols, n_steps);
    *n_values = symbols.n;
    const int          first = symbols.n > n + 3 ? symbols.n - 3 : n;
    const stria_status status = stria_recording_end(r, symbols.at + first, symbols.n - first, &g, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    random_program_end(&symbols);
    return g;
}

/* Runs of the program on the device, on inputs of the same places and other elements, are those of its calls. */
static void check_random_program(uint64_t seed, int n_steps)
{
    random_program eager = {.numbers = {seed}, .has_products = true};
    stria_tensor  *in[3];
    int            n_values = 0;

    const int n = 1 + random_program_pick(&eager, 3);
    for (int k = 0; k < n; k++) {
        in[k] = random_program_new_input(&eager);
        ON_DEVICE(in[k]);
    }
    const random_state numbers = eager.numbers;
    stria_graph       *g = record_program(in, n, numbers, n_steps, &n_values);
    for (int k = 0; k < 6; k++) {
        stria_tensor *out[RANDOM_PROGRAM_VALUES];
        eager = (random_program){.numbers = numbers, .has_products = true};
        const stria_storage *given[3] = {NULL};
        for (int i = 0; i < n; i++) given[i] = (eager.at[eager.n++] = cuda_case_to_device(in[i], CUDA))->storage;
        random_program_run(&eager, n_steps);
        const bool is_compared = eager.n == n_values;
        const int  first = eager.n > n + 3 ? eager.n - 3 : n;
        if (is_compared && stria_graph_run(g, in, n, out, NULL) == STRIA_OK) {
            for (int i = first; i < eager.n; i++)
                CHECK(is_same(eager.at[i], out[i - first]), "seed %llu: value %d of run %d", (unsigned long long)seed,
                      i, k);
            for (int i = 0; i < n; i++)
                CHECK(eager.at[i]->storage != given[i] || eager.at[i]->numel != in[i]->numel ||
                          is_same(eager.at[i], in[i]),
                      "seed %llu: input %d of run %d", (unsigned long long)seed, i, k);
            release_all(eager.n - first, out);
        }
        n_left_out += !is_compared && k == 0;
        random_program_end(&eager);
    }
    n_launched += count_launches(g);
    release_all(n, in);
    stria_graph_release(g);
}

SUITE(test_cuda_graph_capture)
{
    const int n_programs = argc > 1 ? atoi(argv[1]) : IS_SANITIZED ? 5 : 80;

    if (!cuda_case_begin("test_cuda_graph_capture")) return 77;
    const int64_t live = count_live_bytes();
    for (int64_t n = 30; n <= LARGE; n += LARGE - 30) test_same_places(n);
    for (int64_t n = 30; n <= LARGE; n += LARGE - 30) test_streams(n);
    test_moving_inputs(50, true), test_moving_inputs(LARGE, false);
    test_turns(), test_alignment();
    test_kept_results(50, true), test_kept_results(LARGE, false);
    test_views_of_results();
    test_host_steps();
    test_training(false), test_training(true);
    test_held(), test_written_inputs(), test_numbers();
    for (int k = 0; k < n_programs; k++) check_random_program(5000 + (uint64_t)k, 4 + k % 20);
    CHECK(n_launched > n_programs, "%d launches of %d programs", (int)n_launched, n_programs);
    CHECK(n_left_out <= n_programs / 10, "%d programs of %d are not compared", n_left_out, n_programs);
    printf("  %d random programs, %d launches, %d left out\n", n_programs, (int)n_launched, n_left_out);
    CHECK(count_live_bytes() == live, "%d bytes are left", (int)(count_live_bytes() - live));
    return check_finish("test_cuda_graph_capture");
}
#endif
