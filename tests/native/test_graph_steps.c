/* test_graph_steps.c - what a graph finds out about a step once holds in each later run: places, versions, attributes that vary, refusals. */
#include <string.h>

#include "gradients.h"
#include "oracle.h"
#include "stria_graph.h"
#include "tensor/tensor.h"

enum { N = 4, RUNS = 3 };

static stria_tensor *new_vector(int seed)
{
    const int64_t n = N;
    stria_tensor *x;

    OK(stria_tensor_new(STRIA_F32, 1, &n, &x, NULL));
    for (int64_t i = 0; i < n; i++) ((float *)stria_tensor_get_data(x))[i] = (float)(seed + i) / 4;
    return x;
}

static void check_same(const stria_tensor *a, const stria_tensor *b, const char *what, int run)
{
    CHECK(stria_tensor_get_numel(a) == stria_tensor_get_numel(b) &&
              memcmp(a->data, b->data, (size_t)stria_tensor_get_numel(a) * 4) == 0,
          "%s, run %d", what, run);
}

/* ---------------------------------------------------------------- what is held, and written to */

/* The calls leave something in p. */
typedef void write_fn(stria_tensor *p, const stria_tensor *x);

static void write_op(stria_tensor *p, const stria_tensor *x)
{
    OK(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){p, x}, 2, p, NULL));
}

static void write_turned(stria_tensor *p, const stria_tensor *x)
{
    static const int64_t shape[] = {2, 2};
    stria_tensor        *square, *turned, *left, *right;

    OK(stria_reshape(p, shape, 2, &square, NULL));
    OK(stria_transpose(square, 0, 1, &turned, NULL));
    OK(stria_reshape((stria_tensor *)(uintptr_t)x, shape, 2, &left, NULL));
    OK(stria_transpose(left, 0, 1, &right, NULL));
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){left, right}, 2, turned, NULL));
    OK(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){turned, left}, 2, turned, NULL));
    RELEASE(square, turned, left, right);
}

static void write_group(stria_tensor *p, const stria_tensor *x)
{
    stria_tensor *y;

    OK(stria_mul(p, x, &y, NULL));
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){y, x}, 2, p, NULL));
    stria_tensor_release(y);
}

static void write_function(stria_tensor *p, const stria_tensor *x)
{
    OK(stria_cumsum_out(x, 0, STRIA_DTYPE_NONE, p, NULL));
}

static void write_reduction(stria_tensor *p, const stria_tensor *x)
{
    stria_tensor *last, *flat;

    OK(stria_slice(p, 0, N - 1, N, 1, &last, NULL));
    OK(stria_squeeze(last, NULL, 0, &flat, NULL));
    OK(stria_reduce_out(STRIA_RED_sum, x, NULL, 0, false, STRIA_DTYPE_NONE, flat, NULL));
    RELEASE(last, flat);
}

static void write_step(stria_tensor *p, const stria_tensor *x)
{
    OK(stria_sgd(&p, 1, &x, 1, NULL, 0, .5, 0, 0, 0, false, false, false, NULL));
}

/* The only step has no outputs, and is the first that looks at a buffer. */
static void check_step_of_anything(void)
{
    stria_tensor    *p = new_vector(1), *anything;
    stria_recording *r;
    stria_graph     *g;

    OK(stria_recording_begin(&r, NULL));
    OK(stria_empty(stria_tensor_get_shape(p), 1, STRIA_F32, STRIA_CPU, &anything, NULL));
    write_step(p, anything);
    OK(stria_recording_end(r, NULL, 0, &g, NULL));
    CHECK(stria_graph_get_info(g).n_steps == 1, "%d steps", stria_graph_get_info(g).n_steps);
    stria_graph_release(g);
    RELEASE(p, anything);
}

/* A graph writes to p as the calls do to q, and p counts that. */
static void check_write(const char *what, write_fn *write)
{
    stria_tensor    *p = new_vector(1), *q = new_vector(1), *x = new_vector(5), *symbol, *none;
    stria_recording *r;
    stria_graph     *g;

    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &symbol, NULL));
    write(p, symbol);
    OK(stria_recording_end(r, NULL, 0, &g, NULL));
    for (int k = 0; k < RUNS; k++) {
        const unsigned before = atomic_load(&p->storage->version);
        stria_tensor  *in = new_vector(10 * k); /* elsewhere each time */
        OK(stria_graph_run(g, &in, 1, &none, NULL));
        write(q, in);
        check_same(p, q, what, k);
        CHECK(atomic_load(&p->storage->version) > before, "%s, run %d: the version is %u still", what, k, before);
        stria_tensor_release(in);
    }
    stria_graph_release(g);
    RELEASE(p, q, x, symbol);
}

/* Into x, of what is held. */
static stria_status make_of_held(bool is_function, const stria_tensor *held, stria_tensor *x, stria_error *err)
{
    if (is_function) return stria_cumsum_out(held, 0, STRIA_DTYPE_NONE, x, err);
    return stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){x, held}, 2, x, err);
}

/* An input that is written to may lie over what the graph holds in one run, and not in another: then it is refused, and stays as it was. */
static void check_shared(bool is_function)
{
    const char      *what = is_function ? "cumsum over its input" : "add over its input";
    stria_tensor    *base = new_vector(1), *base2 = new_vector(1), *held, *held2, *in[2], *in2[2], *symbol, *none;
    stria_recording *r;
    stria_graph     *g;

    OK(stria_slice(base, 0, 0, N - 1, 1, &held, NULL));
    OK(stria_slice(base2, 0, 0, N - 1, 1, &held2, NULL));
    OK(stria_slice(base, 0, 1, N, 1, &in[1], NULL));
    OK(stria_slice(base2, 0, 1, N, 1, &in2[1], NULL));
    OK(stria_tensor_copy(in[1], STRIA_DTYPE_NONE, &in[0], NULL));
    OK(stria_tensor_copy(in[1], STRIA_DTYPE_NONE, &in2[0], NULL));
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, in[0], &symbol, NULL));
    OK(make_of_held(is_function, held, symbol, NULL));
    OK(stria_recording_end(r, NULL, 0, &g, NULL));
    for (int k = 0; k < 2; k++) {
        if (k == 0) OK(make_of_held(is_function, held2, in2[k], NULL));
        const stria_status status = stria_graph_run(g, &in[k], 1, &none, NULL);
        CHECK(status == (k == 0 ? STRIA_OK : STRIA_ERR_OVERLAP), "%s, run %d: %d", what, k, (int)status);
        check_same(in[k], in2[k], what, k);
    }
    stria_graph_release(g);
    RELEASE(base, base2, held, held2, in[0], in[1], in2[0], in2[1], symbol);
}

/* ---------------------------------------------------------------- refusals */

static void check_positions(void)
{
    const int64_t    n = 2;
    stria_tensor    *x = new_vector(1), *at, *in[2], *symbols[2], *y, *out;
    stria_recording *r;
    stria_graph     *g;
    stria_error      err;

    OK(stria_tensor_new(STRIA_I64, 1, &n, &at, NULL));
    int64_t *positions = stria_tensor_get_data(at);
    positions[0] = 3, positions[1] = 1;
    in[0] = x, in[1] = at;
    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < 2; k++) OK(stria_recording_add_input(r, in[k], &symbols[k], NULL));
    OK(stria_index_select(symbols[0], symbols[1], 0, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    for (int k = 0; k < RUNS; k++) {
        positions[0] = k == 1 ? N : k;
        const stria_status status = stria_graph_run(g, in, 2, &out, &err);
        if (k == 1) {
            CHECK(status == STRIA_ERR_ARGUMENT && strcmp(err.op, "index_select") == 0 &&
                      strcmp(err.argument, "index") == 0,
                  "%d of %s, %s: %s", (int)status, err.op, err.argument, err.message);
            CHECK(out == NULL, "a result of what was refused");
            continue;
        }
        CHECK(status == STRIA_OK, "%s", err.message);
        const float *got = stria_tensor_get_const_data(out), *from = stria_tensor_get_const_data(x);
        CHECK(got[0] == from[k] && got[1] == from[1], "run %d: %g %g", k, (double)got[0], (double)got[1]);
        stria_tensor_release(out);
    }
    stria_graph_release(g);
    RELEASE(x, at, symbols[0], symbols[1], y);
}

static void check_numbers(void)
{
    stria_tensor    *p = new_vector(1), *q = new_vector(1), *x = new_vector(2), *symbol;
    stria_recording *r;
    stria_graph     *g;
    stria_error      err;
    int              index;

    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &symbol, NULL));
    write_step(p, symbol);
    OK(stria_recording_add_number(r, "lr", &index, NULL));
    OK(stria_recording_end(r, NULL, 0, &g, NULL));
    for (int k = 0; k < RUNS; k++) {
        const double lr = k == 1 ? -1 : .25 * k;
        if (k != 1)
            OK(stria_sgd(&q, 1, (const stria_tensor *[]){x}, 1, NULL, 0, lr, 0, 0, 0, false, false, false, NULL));
        const stria_status status = stria_graph_run_with(g, &x, 1, &lr, 1, NULL, &err);
        CHECK(status == (k == 1 ? STRIA_ERR_ARGUMENT : STRIA_OK), "run %d: %d", k, (int)status);
        CHECK(k != 1 || (strcmp(err.op, "sgd") == 0 && strcmp(err.argument, "lr") == 0), "%s, %s", err.op,
              err.argument);
        check_same(p, q, "sgd with a learning rate", k);
    }
    stria_graph_release(g);
    RELEASE(p, q, x, symbol);
}

/* ---------------------------------------------------------------- results */

/* Several results that look at the memory of one, which is none of them or the last; one of them twice. */
static void check_results(void)
{
    stria_tensor    *x = new_vector(1), *symbol, *y, *results[4], *out[4], *expected;
    stria_recording *r;
    stria_graph     *g;

    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &symbol, NULL));
    OK(stria_exp(symbol, &y, NULL));
    OK(stria_slice(y, 0, 2, 4, 1, &results[0], NULL));
    OK(stria_flip(y, (const int[]){0}, 1, &results[1], NULL));
    results[2] = results[0];
    results[3] = y;
    OK(stria_recording_end(r, results, 4, &g, NULL));
    OK(stria_exp(x, &expected, NULL));
    for (int k = 0; k < RUNS; k++) {
        OK(stria_graph_run(g, &x, 1, out, NULL));
        check_same(out[3], expected, "a result", k);
        CHECK(out[0]->storage == out[3]->storage && out[2]->storage == out[0]->storage, "views of one memory");
        CHECK(out[0]->data == out[3]->data + 8 && out[2]->data == out[0]->data, "places of views");
        CHECK(out[0]->shape[0] == 2 && out[0]->numel == 2, "%lld elements", (long long)out[0]->numel);
        CHECK(((float *)(void *)out[1]->data)[0] == ((float *)(void *)out[3]->data)[3], "turned over");
        for (int n = 0; n < 4; n++) stria_tensor_release(out[n]);
    }
    stria_graph_release(g);
    RELEASE(x, symbol, y, results[0], results[1], expected);
}

/* ---------------------------------------------------------------- inputs that lie in another way, results that are one */

static void check_layouts(void)
{
    stria_tensor    *x, *turned, *whole, *s, *y, *outs[3];
    stria_recording *r;
    stria_graph     *g;

    OK(stria_tensor_new(STRIA_F32, 2, SHAPE(3, 5), &x, NULL));
    OK(stria_tensor_new(STRIA_F32, 2, SHAPE(5, 3), &whole, NULL));
    OK(stria_transpose(whole, 0, 1, &turned, NULL));
    for (int k = 0; k < 15; k++) ((float *)(void *)whole->data)[k] = (float)k;
    OK(stria_tensor_set(x, turned, NULL));
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &s, NULL));
    OK(stria_exp(s, &y, NULL));
    OK(stria_recording_end(r, (stria_tensor *[]){y, s, y}, 3, &g, NULL));
    stria_tensor_release(y);
    OK(stria_exp(x, &y, NULL));
    for (int run = 0; run < RUNS; run++) {
        OK(stria_graph_run(g, &x, 1, outs, NULL));
        check_same(outs[0], y, "a result", run);
        CHECK(outs[0] == outs[2] && outs[1] == x, "results of run %d are the tensors that they were", run);
        release_all(3, outs);
    }
    stria_graph_release(g);
    OK(stria_recording_begin(&r, NULL));
    stria_tensor_release(s);
    OK(stria_recording_add_input(r, x, &s, NULL));
    OK(stria_exp(s, &outs[0], NULL));
    OK(stria_recording_end(r, outs, 1, &g, NULL));
    stria_tensor_release(outs[0]);
    for (int run = 0; run < RUNS; run++) {
        OK(stria_graph_run(g, &turned, 1, outs, NULL));
        check_same(outs[0], y, "a turned input", run);
        stria_tensor_release(outs[0]);
    }
    stria_graph_release(g);
    RELEASE(x, turned, whole, s, y);
}

SUITE(test_graph_steps)
{
    const stria_memory_stats before = stria_memory_get_stats();

    check_isa("test_graph_steps");
    check_write("an op", write_op);
    check_write("ops of a view that is turned", write_turned);
    check_write("a group", write_group);
    check_write("a function", write_function);
    check_write("a reduction", write_reduction);
    check_write("a step of an optimiser", write_step);
    check_step_of_anything();
    check_shared(false);
    check_shared(true);
    check_positions();
    check_numbers();
    check_results();
    check_layouts();
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_storages == before.live_storages, "%lld storages are left",
          (long long)(after.live_storages - before.live_storages));
    return check_finish("test_graph_steps");
}
