/* test_graph.c - recorded programs: random ones give what their calls give one by one, bit for bit; errors; memory. On WebAssembly two of three
 * random programs run by code that is made of their groups (src/wasm). */

#include <stdlib.h>
#include <string.h>

#include "derivative_call.h"
#include "graph_case.h"
#include "random_program.h"
#include "table/rows.h"
#include "suite.h"
#ifdef __EMSCRIPTEN__
#include "wasm/code.h"
#endif

static random_state random_numbers;

static bool is_alike(const stria_tensor *a, const stria_tensor *b)
{
    return a->dtype == b->dtype && stria_tensor_has_shape(a, b->ndim, b->shape);
}

/* The graph, or what is loaded from its file in its place. */
static stria_graph *pass_through_file(stria_graph *g, bool is_saved)
{
    stria_graph *loaded;
    stria_error  err;
    void        *bytes;
    size_t       nbytes;

    if (!is_saved) return g;
    const stria_status saved = stria_graph_save(g, NULL, 0, &bytes, &nbytes, &err);
    CHECK(saved == STRIA_OK, "saving: %s", err.message);
    if (saved != STRIA_OK) return g;
    const stria_status status = stria_graph_load(bytes, nbytes, &loaded, &err);
    CHECK(status == STRIA_OK, "loading: %s", err.message);
    stria_bytes_release(bytes);
    if (status != STRIA_OK) return g;
    stria_graph_release(g);
    return loaded;
}

/* Every value is a result in some programs, few are in others. */
static int choose_results(const random_program *p, uint64_t seed, stria_tensor **results, int *numbers)
{
    random_state state = {seed};
    const int    share = 1 + (int)(seed % 5);
    int          n = 0;

    for (int k = 0; k < p->n; k++) {
        if (random_next(&state) % (uint64_t)share != 0) continue;
        numbers[n] = k;
        results[n++] = p->at[k];
    }
    return n;
}

/* A run before the one that is compared: on other elements elsewhere, with results that live on meanwhile. */
static void run_on_others(stria_graph *g, stria_tensor *const *in, int n, int n_results)
{
    stria_tensor *others[3], *outs[RANDOM_PROGRAM_VALUES];

    for (int k = 0; k < n; k++) OK(stria_zeros_like(in[k], STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &others[k], NULL));
    if (stria_graph_run(g, others, n, outs, NULL) == STRIA_OK) release_all(n_results, outs);
    release_all(n, others);
}

/* ---------------------------------------------------------------- code */

#ifdef __EMSCRIPTEN__
/* Blocks of groups that ran by code, those of groups with several results among them, and those that ran without. */
static _Atomic int n_coded, n_several_coded, n_not_coded;

static bool try_code(stria_lowering *l, char *const *data, const int64_t *strides, int64_t count)
{
    const bool ran = stria_code_try(l, data, strides, count);

    n_coded += ran;
    n_several_coded += ran && l->n_out > 1;
    n_not_coded += !ran;
    return ran;
}
#endif

/* From here on groups have code at once where they can, or none. Whether they have. */
static bool use_code(bool on)
{
#ifdef __EMSCRIPTEN__
    stria_code_set_price(0);
    stria_code_set(on ? try_code : NULL);
    return on;
#else
    (void)on;
    return false;
#endif
}

static void check_code_counts(void)
{
#ifdef __EMSCRIPTEN__
    printf("  by code: %d blocks, %d of groups with several results; %d without\n", n_coded, n_several_coded,
           n_not_coded);
    CHECK(n_coded > 4000 && n_several_coded > 2500, "%d blocks ran by code, %d of several results", n_coded,
          n_several_coded);
#endif
}

static bool is_result(const stria_tensor *eager, const stria_tensor *out, bool has_code)
{
    return has_code ? has_same_values(eager, out) : has_same_bits(eager, out);
}

static void check_random_program(uint64_t seed, int n_steps)
{
    const bool has_code = use_code(seed % 3 > 0);

    random_program   eager = {.numbers = {seed}, .has_products = true}, symbols = {.has_products = true};
    stria_tensor    *inputs[3], *copies[3], *results[RANDOM_PROGRAM_VALUES], *outs[RANDOM_PROGRAM_VALUES];
    int              numbers[RANDOM_PROGRAM_VALUES];
    stria_recording *r;
    stria_graph     *g = NULL;
    stria_error      err;

    const int n = 1 + random_program_pick(&eager, 3);
    for (int k = 0; k < n; k++) {
        inputs[k] = random_program_new_input(&eager);
        OK(stria_tensor_copy(inputs[k], STRIA_DTYPE_NONE, &copies[k], NULL));
        eager.at[eager.n++] = stria_tensor_retain(inputs[k]);
    }
    symbols.numbers = eager.numbers;
    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < n; k++) OK(stria_recording_add_input(r, inputs[k], &symbols.at[symbols.n++], NULL));
    random_program_run(&symbols, n_steps);
    const int          n_results = choose_results(&symbols, seed, results, numbers);
    const stria_status status = stria_recording_end(r, results, n_results, &g, &err);
    CHECK(status == STRIA_OK, "seed %llu: %s", (unsigned long long)seed, err.message);
    g = pass_through_file(g, seed % 2 == 0);
    random_program_run(&eager, n_steps);
    CHECK(eager.n == symbols.n, "seed %llu: %d values, %d symbols", (unsigned long long)seed, eager.n, symbols.n);
    run_on_others(g, copies, n, n_results);
    const stria_status ran = stria_graph_run(g, copies, n, outs, &err);
    CHECK(ran == STRIA_OK, "seed %llu: %s", (unsigned long long)seed, err.message);
    for (int k = 0; k < n_results && ran == STRIA_OK; k++)
        CHECK(is_result(eager.at[numbers[k]], outs[k], has_code), "seed %llu: value %d of %d differs",
              (unsigned long long)seed, numbers[k], eager.n);
    for (int k = 0; k < n; k++)
        CHECK(is_result(inputs[k], copies[k], has_code), "seed %llu: input %d", (unsigned long long)seed, k);
    if (ran == STRIA_OK) release_all(n_results, outs);
    for (int k = 0; k < n; k++) stria_tensor_release(inputs[k]), stria_tensor_release(copies[k]);
    random_program_end(&eager), random_program_end(&symbols);
    stria_graph_release(g);
    use_code(false);
}

/* ---------------------------------------------------------------- every row */

typedef struct row_result {
    int  calls, recorded;
    char refusal[320]; /* the last one of a recording */
} row_result;

static void swap_inputs(derivative_call *d, stria_tensor **xs)
{
    for (int k = 0; k < d->n_in; k++) {
        stria_tensor *x = d->in[k].x;
        d->in[k].x = xs[k];
        *d->in[k].place = xs[k];
        xs[k] = x;
    }
}

static stria_status record_row(derivative_call *d, stria_tensor **xs, stria_graph **g, stria_error *err)
{
    stria_tensor    *symbols[DERIVATIVE_INPUTS], *results[DERIVATIVE_INPUTS];
    stria_recording *r;

    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < d->n_in; k++) OK(stria_recording_add_input(r, xs[k], &symbols[k], NULL));
    swap_inputs(d, symbols);
    stria_status status = derivative_call_run(d, err);
    swap_inputs(d, symbols);
    const int n = status == STRIA_OK ? row_call_count_outputs(&d->call) : 0;
    for (int k = 0; k < n; k++) results[k] = row_call_get_output(&d->call, k);
    if (status == STRIA_OK)
        status = stria_recording_end(r, results, n, g, err);
    else
        stria_recording_cancel(r);
    for (int k = 0; k < d->n_in; k++) stria_tensor_release(symbols[k]);
    return status;
}

static bool has_undefined_elements(stria_row row) { return strncmp(stria_row_get_name(row), "empty", 5) == 0; }

/* Runs g on xs: the results are those of the call, which was made for ys, and what it wrote to is the same, too. */
static void compare_row(derivative_call *d, stria_graph *g, stria_tensor **xs, stria_tensor **ys, int n_ys)
{
    stria_tensor *outs[DERIVATIVE_INPUTS];
    stria_error   err;

    stria_generator_set_seed(NULL, 5);
    const bool         was = stria_grad_mode_set(false); /* inputs that require a gradient are refused */
    const stria_status status = stria_graph_run(g, xs, d->n_in, outs, &err);
    stria_grad_mode_set(was);
    CHECK(status == STRIA_OK, "%s: %s", derivative_call_describe(d), err.message);
    if (status != STRIA_OK) return;
    for (int k = 0; k < n_ys; k++) {
        const bool same =
            has_undefined_elements(d->call.call.row) ? is_alike(ys[k], outs[k]) : has_same_bits(ys[k], outs[k]);
        CHECK(same, "%s: result %d", derivative_call_describe(d), k);
        stria_tensor_release(outs[k]);
    }
    for (int k = 0; k < d->n_in; k++)
        CHECK(has_same_bits(d->in[k].x, xs[k]), "%s: input %d after the call", derivative_call_describe(d), k);
}

/* A copy of input k; where it lies in another way, the input becomes such a copy, too: the order of sums in products depends on that. */
static stria_tensor *copy_input(derivative_call *d, int k)
{
    stria_tensor *x = d->in[k].x, *copy, *input;

    OK(stria_tensor_copy(x, STRIA_DTYPE_NONE, &copy, NULL));
    if (memcmp(x->strides, copy->strides, sizeof *x->strides * (size_t)x->ndim) == 0) return copy;
    if (d->call.schema != NULL && stria_schema_is_update(d->call.schema)) return copy; /* by rules of their own */
    OK(stria_tensor_copy(copy, STRIA_DTYPE_NONE, &input, NULL));
    stria_tensor_release(x);
    *d->in[k].place = d->in[k].x = input;
    return copy;
}

static void check_row_call(stria_row row, int number, row_result *found)
{
    derivative_call d;
    stria_tensor   *xs[DERIVATIVE_INPUTS], *ys[DERIVATIVE_INPUTS];
    stria_graph    *g = NULL;
    stria_error     err;

    derivative_call_begin(&d, &random_numbers, row, number);
    for (int k = 0; k < d.n_in; k++) xs[k] = copy_input(&d, k);
    if (derivative_call_run(&d, NULL) == STRIA_OK) {
        const int n = row_call_count_outputs(&d.call);
        found->calls++;
        for (int k = 0; k < n; k++) ys[k] = stria_tensor_retain(row_call_get_output(&d.call, k));
        row_call_release(&d.call);
        if (record_row(&d, xs, &g, &err) == STRIA_OK) {
            found->recorded++;
            g = pass_through_file(g, number % 2 == 0);
            compare_row(&d, g, xs, ys, n);
        } else {
            snprintf(found->refusal, sizeof found->refusal, "%s", err.message);
        }
        for (int k = 0; k < n; k++) stria_tensor_release(ys[k]);
    }
    stria_graph_release(g);
    for (int k = 0; k < d.n_in; k++) stria_tensor_release(xs[k]);
    derivative_call_end(&d);
}

/* Rows of which calls are refused while a thread records: the shape of the result depends on elements. */
static const char *const by_elements[] = {"masked_select", "nonzero", "argwhere",           "one_hot",
                                          "bincount",      "unique",  "unique_consecutive", "repeat_interleave"};

/* Each text some times, since some are drawn for complex numbers, too; else calls by chance. */
static void check_row(stria_row row, int *n_calls)
{
    const char *name = stria_row_get_name(row);
    const int   n_texts = derivative_count_texts(name);
    row_result  found = {0};
    bool        is_by_elements = false;

    for (size_t k = 0; k < sizeof by_elements / sizeof *by_elements; k++)
        is_by_elements |= strcmp(name, by_elements[k]) == 0;
    random_numbers = (random_state){(uint64_t)row + 1};
    for (int k = 0; k < 4 * n_texts; k++) check_row_call(row, k % n_texts, &found);
    for (int k = 0; k < 400 && found.calls < 6 && n_texts == 0; k++) check_row_call(row, k, &found);
    CHECK(found.calls > 0, "%s: no call succeeded", name);
    if (is_by_elements)
        CHECK(found.recorded < found.calls && strstr(found.refusal, "depends on") != NULL, "%s: %d of %d calls: %s",
              name, found.recorded, found.calls, found.refusal);
    else
        CHECK(found.recorded == found.calls, "%s: %d of %d calls recorded: %s", name, found.recorded, found.calls,
              found.refusal);
    *n_calls += found.recorded;
}

static void check_every_row(void)
{
    int n_rows = 0, n_calls = 0;

    for (stria_row row = 0; row < STRIA_ROW_EXPRESSION; row++) {
        if (row_find(stria_row_get_name(row)) != row) continue; /* an op with numbers is called as the function */
        check_row(row, &n_calls);
        n_rows++;
    }
    printf("  %d rows, %d calls recorded\n", n_rows, n_calls);
}

/* ---------------------------------------------------------------- gradients */

/* mean((tanh(x w + b) - y)^2), with its gradients. */
static stria_tensor *get_loss(const stria_tensor *x, const stria_tensor *y, const stria_tensor *w,
                              const stria_tensor *b)
{
    stria_tensor *h, *z, *t, *loss;

    OK(stria_matmul(x, w, &h, NULL));
    OK(stria_add(h, b, &z, NULL));
    OK(stria_tanh(z, &t, NULL));
    OK(stria_mse_loss(t, y, "mean", &loss, NULL));
    RELEASE(h, z, t);
    return loss;
}

static void check_gradients(void)
{
    static const double xs[] = {1, 2, -1, .5, 0, 3, -2, 1}, ys[] = {.5, -.5, .25, 1}, ws[] = {.1, -.2}, bs[] = {.3};
    stria_tensor *x, *y, *w = new_leaf(2, SHAPE(2, 1), ws), *b = new_leaf(1, SHAPE(1), bs), *sx, *sy, *loss, *outs[3];
    stria_recording *r;
    stria_graph     *g;
    stria_error      err;

    OK(stria_tensor_new_copy_of(STRIA_F64, 2, SHAPE(4, 2), xs, sizeof xs, &x, NULL));
    OK(stria_tensor_new_copy_of(STRIA_F64, 2, SHAPE(4, 1), ys, sizeof ys, &y, NULL));
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &sx, NULL));
    OK(stria_recording_add_input(r, y, &sy, NULL));
    loss = get_loss(sx, sy, w, b);
    const stria_status walked = backward(loss, 0, &err);
    CHECK(walked == STRIA_OK, "%s", err.message);
    const stria_status status = stria_recording_end(r, (stria_tensor *[]){loss, GRAD(w), GRAD(b)}, 3, &g, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    RELEASE(loss, sx, sy);
    OK(stria_tensor_set_grad(w, NULL, NULL));
    OK(stria_tensor_set_grad(b, NULL, NULL));
    OK(stria_graph_run(g, (stria_tensor *[]){x, y}, 2, outs, NULL));
    CHECK(GRAD(w)->storage == outs[1]->storage && GRAD(b)->storage == outs[2]->storage, "gradients are set");
    OK(stria_tensor_set_grad(w, NULL, NULL));
    OK(stria_tensor_set_grad(b, NULL, NULL));
    loss = get_loss(x, y, w, b);
    OK(backward(loss, 0, NULL));
    CHECK(has_same_bits(loss, outs[0]) && has_same_bits(GRAD(w), outs[1]) && has_same_bits(GRAD(b), outs[2]),
          "a loss and its gradients");
    printf("  %d calls, %d steps, %zu bytes of %zu\n", stria_graph_get_info(g).n_calls, stria_graph_get_info(g).n_steps,
           stria_graph_get_info(g).nbytes, stria_graph_get_info(g).recorded_nbytes);
    stria_graph_release(g);
    RELEASE(loss, x, y, w, b, outs[0], outs[1], outs[2]);
}

/* ---------------------------------------------------------------- groups */

static stria_tensor *add_named_input(stria_recording *r, const stria_tensor *x)
{
    stria_tensor *s;
    OK(stria_recording_add_input(r, x, &s, NULL));
    return s;
}

/* relu(a b + c) exp(-d) + (a b + c), of which a b + c is read twice; exp(-d) in the memory of -d where is_in_place. */
static stria_tensor *run_chain(stria_tensor *const *in, bool is_in_place)
{
    stria_tensor *p, *q, *u, *d, *e, *f, *y;

    OK(stria_mul(in[0], in[1], &p, NULL));
    OK(stria_add(p, in[2], &q, NULL));
    OK(stria_relu(q, &u, NULL));
    OK(stria_neg(in[3], &d, NULL));
    if (is_in_place) {
        e = stria_tensor_retain(d);
        OK(stria_apply_out(STRIA_OP_exp, (const stria_tensor *[]){d}, 1, d, NULL));
    } else {
        OK(stria_exp(d, &e, NULL));
    }
    OK(stria_mul(u, e, &f, NULL));
    OK(stria_add(f, q, &y, NULL));
    RELEASE(p, q, u, d, e, f);
    return y;
}

static void check_groups(void)
{
    stria_tensor    *in[4], *symbols[4], *y, *z, *out;
    stria_recording *r;
    stria_graph     *g;

    random_numbers = (random_state){7};
    for (int is_in_place = 0; is_in_place < 2; is_in_place++) {
        for (int k = 0; k < 4; k++) {
            const int64_t n = 1000;
            OK(stria_tensor_new(STRIA_F32, 1, &n, &in[k], NULL));
            for (int64_t i = 0; i < n; i++)
                ((float *)(void *)in[k]->data)[i] = (float)(random_unit(&random_numbers) - .5);
        }
        OK(stria_recording_begin(&r, NULL));
        for (int k = 0; k < 4; k++) symbols[k] = add_named_input(r, in[k]);
        y = run_chain(symbols, is_in_place);
        OK(stria_recording_end(r, &y, 1, &g, NULL));
        OK(stria_graph_run(g, in, 4, &out, NULL));
        z = run_chain(in, is_in_place);
        CHECK(has_same_bits(out, z), "a chain");
        const stria_graph_info info = stria_graph_get_info(g);
        CHECK(info.n_steps == 1 && info.nbytes == 0, "%d calls, %d steps, %zu bytes", info.n_calls, info.n_steps,
              info.nbytes);
        release_all(4, in), release_all(4, symbols);
        RELEASE(y, z, out);
        stria_graph_release(g);
    }
}

/* q = a b + c, relu(q), and the sum of q: a group with two results, and one step that reads one of them; c is broadcast, or not. */
static void check_several_results(bool broadcasts)
{
    stria_tensor    *in[3], *symbols[3], *p[2], *ys[2][3], *outs[3];
    stria_recording *r;
    stria_graph     *g;
    const int64_t    shape[] = {20, 30};

    random_numbers = (random_state){11};
    for (int k = 0; k < 3; k++) {
        OK(stria_tensor_new(STRIA_F32, k == 2 && broadcasts ? 1 : 2, shape + (k == 2 && broadcasts), &in[k], NULL));
        for (int64_t i = 0; i < in[k]->numel; i++)
            ((float *)(void *)in[k]->data)[i] = (float)(random_unit(&random_numbers) - .5);
    }
    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < 3; k++) symbols[k] = add_named_input(r, in[k]);
    for (int way = 0; way < 2; way++) {
        stria_tensor *const *x = way == 0 ? symbols : in;
        OK(stria_mul(x[0], x[1], &p[way], NULL));
        OK(stria_add(p[way], x[2], &ys[way][0], NULL));
        OK(stria_relu(ys[way][0], &ys[way][1], NULL));
        OK(stria_sum(ys[way][0], NULL, 0, false, &ys[way][2], NULL));
        if (way == 0) OK(stria_recording_end(r, ys[0], 3, &g, NULL));
    }
    for (int run = 0; run < 2; run++) {
        OK(stria_graph_run(g, in, 3, outs, NULL));
        for (int k = 0; k < 3; k++) CHECK(has_same_bits(ys[1][k], outs[k]), "broadcasts %d: result %d", broadcasts, k);
        release_all(3, outs);
    }
    CHECK(stria_graph_get_info(g).n_steps == 2 && stria_graph_get_info(g).nbytes == 0, "%d steps, %zu bytes",
          stria_graph_get_info(g).n_steps, stria_graph_get_info(g).nbytes);
    release_all(3, in), release_all(3, symbols), release_all(2, p), release_all(3, ys[0]), release_all(3, ys[1]);
    stria_graph_release(g);
}

/* A call of numbers alone is written down, not made: what it gives is a symbol. A number of repetitions is known meanwhile; one that a tensor
 * has is not. */
static void check_numbers(void)
{
    const stria_scalar two = {.kind = STRIA_SCALAR_INT, .i = 2};
    const int64_t      size = 3;
    stria_recording   *r;
    stria_graph       *g = NULL;
    stria_error        err;
    stria_tensor      *number, *x, *s, *sum, *symbols[2], *counts, *refused, *y[2];

    CHECK(stria_tensor_new_scalar(two, &number, &err) == STRIA_OK, "%s", err.message);
    CHECK(stria_full(&size, 1, two, STRIA_F32, STRIA_CPU, &x, &err) == STRIA_OK, "%s", err.message);
    CHECK(stria_full(&size, 1, two, STRIA_I64, STRIA_CPU, &counts, &err) == STRIA_OK, "%s", err.message);
    CHECK(stria_recording_begin(&r, &err) == STRIA_OK, "%s", err.message);
    CHECK(stria_recording_add_input(r, x, &s, &err) == STRIA_OK, "%s", err.message);
    CHECK(stria_sum(number, NULL, 0, false, &sum, &err) == STRIA_OK, "%s", err.message);
    CHECK(stria_tensor_get_device(sum).type == STRIA_DEVICE_META, "the sum of a number is a symbol");
    CHECK(stria_div(s, sum, &symbols[0], &err) == STRIA_OK, "%s", err.message);
    CHECK(stria_repeat_interleave(s, number, 0, &symbols[1], &err) == STRIA_OK, "%s", err.message);
    CHECK(stria_repeat_interleave(s, counts, 0, &refused, &err) == STRIA_ERR_DEVICE &&
              strcmp(err.argument, "repeats") == 0,
          "repetitions by elements: %s", err.message);
    CHECK(stria_recording_end(r, symbols, 2, &g, &err) == STRIA_OK, "%s", err.message);
    CHECK(stria_graph_run(g, &x, 1, y, &err) == STRIA_OK, "%s", err.message);
    CHECK(*(const float *)stria_tensor_get_const_data(y[0]) == 1 && stria_tensor_get_numel(y[1]) == 6, "2 / 2, 3 * 2");
    stria_tensor *all[] = {number, x, s, sum, symbols[0], symbols[1], counts, y[0], y[1]};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) stria_tensor_release(all[k]);
    stria_graph_release(g);
}

SUITE(test_graph)
{
    const stria_memory_stats before = stria_memory_get_stats();

    check_isa("test_graph");
    for (uint64_t seed = 1; seed <= 10000; seed++) check_random_program(seed, 2 + (int)(seed % 30));
    check_code_counts();
    check_groups();
    check_several_results(false);
    check_several_results(true);
    check_gradients();
    check_numbers();
    check_every_row();
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_storages == before.live_storages, "%lld storages are left",
          (long long)(after.live_storages - before.live_storages));
    return check_finish("test_graph");
}
