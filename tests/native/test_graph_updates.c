/* test_graph_updates.c - steps of optimisers whose gradients are matrix products, made tile by tile: parameters and states are what the calls make of them,
 * bit for bit, by 1, 2 and 7 threads; which gradients are whole; refusals; memory. */
#include "stria_graph.h"

#include <stdlib.h>

#include "gradients.h"
#include "oom.h"
#include "suite.h"

/* ---------------------------------------------------------------- two layers and a row, twice */

enum { N_PARAMS = 3, N_STATES = 3 };
enum { SGD, MOMENTUM, ADAM, ADAMW, RMSPROP, ADAGRAD, RULES };

/* What a step does beside. */
enum {
    PLAIN,
    GIVES_GRADIENT, /* that of the second layer is a result */
    READS_LATE,     /* the second layer is read between its gradient and the update */
    TIED,           /* its gradient is made of itself */
    TWICE,          /* and the gradient of both */
    TURNED,         /* its parameter is a transpose */
    OVERWRITES,     /* what its gradient is made of is written to behind that */
    PEEKS,          /* another tensor over its memory is read between its gradient and the update */
    LOOKS_UP,       /* a call that may refuse stands before the update */
    WAYS
};

typedef struct network {
    stria_tensor *params[N_PARAMS], *states[N_STATES][N_PARAMS];
    stria_dtype   dtype;
    int           rule, way;
    int64_t       sizes[4]; /* of the batch, the inputs, in between, the results */
    int64_t       step;
    stria_tensor *peek; /* over params[1] */
} network;

static stria_tensor *new_values(stria_dtype dtype, int64_t rows, int64_t columns, int seed)
{
    stria_tensor *x, *y;
    const int64_t shape[] = {rows, columns};

    OK(stria_tensor_new(STRIA_F64, rows > 0 ? 2 : 1, rows > 0 ? shape : shape + 1, &x, NULL));
    for (int64_t k = 0; k < x->numel; k++) ((double *)(void *)x->data)[k] = (double)((k * 7 + seed * 5) % 31 - 15) / 23;
    OK(stria_tensor_copy(x, dtype, &y, NULL));
    stria_tensor_release(x);
    return y;
}

static void begin(network *n)
{
    const int64_t shapes[N_PARAMS][2] = {{n->sizes[1], n->sizes[2]}, {n->sizes[2], n->sizes[3]}, {0, n->sizes[3]}};

    n->step = 0;
    for (int k = 0; k < N_PARAMS; k++) {
        n->params[k] = new_values(n->dtype, shapes[k][0], shapes[k][1], k);
        if (n->way == TURNED && k == 1) {
            stria_tensor *whole = new_values(n->dtype, shapes[k][1], shapes[k][0], k);
            stria_tensor_release(n->params[k]);
            OK(stria_transpose(whole, 0, 1, &n->params[k], NULL));
            stria_tensor_release(whole);
        }
        for (int s = 0; s < N_STATES; s++)
            OK(stria_zeros_like(n->params[k], STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &n->states[s][k], NULL));
    }
    n->peek = NULL;
    if (n->way == PEEKS)
        OK(stria_tensor_new_external(n->dtype, 2, n->params[1]->shape, NULL, n->params[1]->data, NULL, NULL, &n->peek,
                                     NULL));
}

static void end(network *n)
{
    stria_tensor_release(n->peek);
    release_all(N_PARAMS, n->params);
    for (int s = 0; s < N_STATES; s++) release_all(N_PARAMS, n->states[s]);
}

/* What differs from step to step, beside the rate. */
static const char *const numbers[RULES][2] = {{"lr"}, {"lr", "is_first_step"}, {"lr", "step"}, {"lr", "step"},
                                              {"lr"}, {"lr", "step"}};

static stria_status update(network *n, stria_tensor *const *grads, stria_recording *r, stria_error *err)
{
    const stria_tensor *const *g = (const stria_tensor *const *)grads;
    const double               lr = .25 / (double)n->step, decay = 1e-3;
    int                        index;
    stria_status               status;

#define ALL(list) (list), N_PARAMS
    switch (n->rule) {
    case SGD: status = stria_sgd(ALL(n->params), ALL(g), NULL, 0, lr, 0, 0, 0, false, true, false, err); break;
    case MOMENTUM:
        status = stria_sgd(ALL(n->params), ALL(g), ALL(n->states[0]), lr, .9, 0, decay, true, false, n->step == 1, err);
        break;
    case ADAM:
        status = stria_adam(ALL(n->params), ALL(g), ALL(n->states[0]), ALL(n->states[1]), ALL(n->states[2]), n->step,
                            lr, .9, .999, 1e-8, decay, false, err);
        break;
    case ADAMW:
        status = stria_adamw(ALL(n->params), ALL(g), ALL(n->states[0]), ALL(n->states[1]), NULL, 0, n->step, lr, .9,
                             .999, 1e-8, decay, true, err);
        break;
    case RMSPROP:
        status = stria_rmsprop(ALL(n->params), ALL(g), ALL(n->states[0]), ALL(n->states[1]), ALL(n->states[2]), lr, .99,
                               1e-8, decay, .5, false, err);
        break;
    default:
        status = stria_adagrad(ALL(n->params), ALL(g), ALL(n->states[0]), n->step, lr, .125, decay, 1e-10, false, err);
    }
#undef ALL
    for (int k = 0; k < 2 && status == STRIA_OK && r != NULL && numbers[n->rule][k] != NULL; k++)
        status = stria_recording_add_number(r, numbers[n->rule][k], &index, err);
    return status;
}

#define MOST_MADE 24
typedef struct made {
    stria_tensor *at[MOST_MADE];
    int           n;
} made;

static stria_tensor *keep(made *m, stria_status status)
{
    OK(status);
    return m->at[m->n++];
}
#define NEW(m) (&(m)->at[(m)->n])
static stria_tensor *turn(made *m, stria_tensor *x) { return keep(m, stria_transpose(x, 0, 1, NEW(m), NULL)); }
static stria_tensor *product(made *m, const stria_tensor *x, const stria_tensor *y)
{
    return keep(m, stria_matmul(x, y, NEW(m), NULL));
}
static stria_tensor *apply(made *m, stria_op op, const stria_tensor *x, const stria_tensor *y)
{
    return keep(m, stria_apply(op, (const stria_tensor *[]){x, y}, y != NULL ? 2 : 1, NEW(m), NULL));
}

/* results: [2], the loss and another one. */
static stria_status run_step(network *n, stria_tensor *x, stria_tensor *t, stria_tensor **results, stria_recording *r,
                             stria_error *err)
{
    made          m = {.n = 0};
    const int     first = 0;
    stria_tensor *grads[N_PARAMS], *other = NULL;

    n->step++;
    stria_tensor *const w = n->params[1];
    stria_tensor       *h = apply(&m, STRIA_OP_relu, product(&m, x, n->params[0]), NULL);
    stria_tensor       *d = apply(&m, STRIA_OP_sub, apply(&m, STRIA_OP_add, product(&m, h, w), n->params[2]), t);
    grads[1] = product(&m, turn(&m, h), d);
    if (n->way == TIED) grads[1] = product(&m, product(&m, grads[1], turn(&m, w)), w);
    if (n->way == OVERWRITES) {
        stria_tensor *row = keep(&m, stria_select(h, 0, 1, NEW(&m), NULL));
        OK(stria_apply_out(STRIA_OP_neg, (const stria_tensor *[]){row}, 1, row, NULL));
    }
    if (n->way == PEEKS) other = apply(&m, STRIA_OP_relu, n->peek, NULL);
    grads[2] = keep(&m, stria_sum(d, &first, 1, false, NEW(&m), NULL));
    stria_tensor *back = product(&m, d, turn(&m, w));
    grads[0] = product(&m, turn(&m, x), apply(&m, STRIA_OP_mul, back, apply(&m, STRIA_OP_sign, h, NULL)));
    if (n->way == TWICE) grads[0] = grads[1];
    if (n->way == READS_LATE) other = keep(&m, stria_cumsum(w, 0, STRIA_DTYPE_NONE, NEW(&m), NULL));
    if (n->way == GIVES_GRADIENT) other = grads[1];
    if (n->way == LOOKS_UP) {
        stria_tensor      *sizes = apply(&m, STRIA_OP_abs, t, NULL);
        stria_tensor      *place = keep(&m, stria_to(sizes, STRIA_I64, NEW(&m), NULL));
        stria_tensor      *row = keep(&m, stria_select(place, 0, 0, NEW(&m), NULL));
        const stria_status status = stria_index_select(d, row, 0, NEW(&m), err);
        if (status != STRIA_OK) {
            release_all(m.n, m.at);
            return status;
        }
        other = m.at[m.n++];
    }
    const stria_status status = update(n, grads, r, err);
    stria_tensor      *squares = apply(&m, STRIA_OP_mul, d, d);
    results[0] = keep(&m, stria_sum(squares, NULL, 0, false, NEW(&m), NULL));
    results[1] = stria_tensor_retain(other != NULL ? other : results[0]);
    stria_tensor_retain(results[0]);
    release_all(m.n, m.at);
    return status;
}

static stria_graph *record(network *n, stria_tensor *x, stria_tensor *t)
{
    stria_tensor    *sx, *st, *results[2];
    stria_recording *r;
    stria_graph     *g = NULL;

    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &sx, NULL));
    OK(stria_recording_add_input(r, t, &st, NULL));
    OK(run_step(n, sx, st, results, r, NULL));
    OK(stria_recording_end(r, results, 2, &g, NULL));
    RELEASE(sx, st, results[0], results[1]);
    n->step = 0;
    return g;
}

/* Gradients that are never whole: the optimiser's steps that take a product with them. */
static int count_pairs(const stria_graph *g, int rule)
{
    static const char *const rows[RULES] = {"sgd\"", "sgd\"", "adam\"", "adamw\"", "rmsprop\"", "adagrad\""};
    static const char        row[] = "{\"row\":\"", joined[] = "\"joined\"";
    void                    *bytes;
    size_t                   nbytes;
    int                      n = 0;

    OK(stria_graph_explain(g, &bytes, &nbytes, NULL));
    char *text = calloc(nbytes + 1, 1);
    memcpy(text, bytes, nbytes);
    const char *groups = strstr(text, "\"groups\"");
    for (const char *at = strstr(groups, row), *next; at != NULL; at = next) {
        next = strstr(at + 1, row);
        const char *found = strstr(at, joined);
        if (next == NULL || found == NULL || found > next) continue;
        n += strncmp(next + strlen(row), rows[rule], strlen(rows[rule])) == 0;
        CHECK(strncmp(next + strlen(row), "matmul", 6) != 0, "a product is joined to what does not read it");
    }
    free(text);
    stria_bytes_release(bytes);
    return n;
}

static bool is_same(const stria_tensor *a, const stria_tensor *b)
{
    return a->numel == b->numel && memcmp(a->data, b->data, (size_t)(a->numel * stria_tensor_get_item_size(a))) == 0;
}

static void compare(const network *a, const network *b)
{
    for (int k = 0; k < N_PARAMS; k++) {
        CHECK(is_same(a->params[k], b->params[k]), "rule %d, way %d, step %d: parameter %d", a->rule, a->way,
              (int)a->step, k);
        for (int s = 0; s < N_STATES; s++)
            CHECK(is_same(a->states[s][k], b->states[s][k]), "rule %d, way %d, step %d: state %d of parameter %d",
                  a->rule, a->way, (int)a->step, s, k);
    }
}

static stria_status run_graph(stria_graph *g, network *n, stria_tensor *x, stria_tensor *t, stria_tensor **out,
                              stria_error *err)
{
    const double step = (double)++n->step, values[] = {.25 / step, n->rule == MOMENTUM ? step == 1 : step};

    return stria_graph_run_with(g, (stria_tensor *[]){x, t}, 2, values, stria_graph_get_info(g).n_numbers, out, err);
}

static void check_network(network base, int n_pairs)
{
    network       eager = base, compiled = base;
    stria_tensor *t = new_values(base.dtype, base.sizes[0], base.sizes[3], 3);
    stria_graph  *g = NULL;

    begin(&eager), begin(&compiled);
    for (int step = 0; step < 4; step++) {
        stria_tensor  *x = new_values(base.dtype, base.sizes[0], base.sizes[1], step), *expected[2], *out[2];
        const unsigned version = atomic_load(&compiled.params[0]->storage->version);
        stria_error    err = {0};
        if (g == NULL) g = record(&compiled, x, t);
        OK(run_step(&eager, x, t, expected, NULL, NULL));
        const stria_status status = run_graph(g, &compiled, x, t, out, &err);
        CHECK(status == STRIA_OK, "rule %d, way %d: %s", base.rule, base.way, err.message);
        if (status != STRIA_OK) break;
        CHECK(is_same(out[0], expected[0]) && is_same(out[1], expected[1]), "results of rule %d, way %d", base.rule,
              base.way);
        CHECK(atomic_load(&compiled.params[0]->storage->version) > version, "a parameter has a new version");
        compare(&eager, &compiled);
        RELEASE(x, expected[0], expected[1], out[0], out[1]);
    }
    const int found = count_pairs(g, base.rule);
    CHECK(found == n_pairs, "rule %d, way %d: %d gradients are not whole, expected %d", base.rule, base.way, found,
          n_pairs);
    stria_graph_release(g);
    stria_tensor_release(t);
    end(&eager), end(&compiled);
}

static void check_ways(int n_threads)
{
    static const int n_pairs[WAYS] = {[PLAIN] = 2,  [GIVES_GRADIENT] = 1, [READS_LATE] = 2, [TIED] = 1,    [TWICE] = 0,
                                      [TURNED] = 1, [OVERWRITES] = 1,     [PEEKS] = 1,      [LOOKS_UP] = 2};

    OK(stria_threads_set(n_threads, NULL));
    for (int rule = 0; rule < RULES; rule++) {
        check_network((network){.dtype = STRIA_F32, .rule = rule, .sizes = {37, 300, 230, 290}}, 2);
        check_network((network){.dtype = STRIA_F64, .rule = rule, .sizes = {21, 700, 131, 3}}, 1);
    }
    check_network((network){.dtype = STRIA_F32, .rule = ADAM, .sizes = {500, 520, 530, 5}}, 1); /* tiles are squares */
    for (int way = 0; way < WAYS; way++)
        check_network((network){.dtype = STRIA_F32, .rule = way % RULES, .way = way, .sizes = {40, 260, 260, 260}},
                      n_pairs[way]);
    check_network((network){.dtype = STRIA_F16, .rule = SGD, .sizes = {40, 260, 260, 260}}, 0);
    check_network((network){.dtype = STRIA_F32, .rule = ADAM, .sizes = {1, 260, 260, 260}}, 2);
}

/* ---------------------------------------------------------------- refusals, memory */

/* A run that is refused leaves parameters as they are. */
static void check_refused(int way, bool is_step)
{
    network       n = {.dtype = STRIA_F32, .rule = ADAM, .way = way, .sizes = {40, 260, 260, 260}}, as_it_was = n;
    stria_tensor *x = new_values(STRIA_F32, 40, 260, 1), *t = new_values(STRIA_F32, 40, 260, 2), *out[2];
    const double  values[] = {.25, is_step ? 0 : 1};

    begin(&n), begin(&as_it_was);
    stria_graph *g = record(&n, x, t);
    CHECK(count_pairs(g, ADAM) == 2, "%d gradients are not whole", count_pairs(g, ADAM));
    if (!is_step) ((float *)(void *)t->data)[0] = 40;
    if (is_step)
        REFUSED(stria_graph_run_with(g, (stria_tensor *[]){x, t}, 2, values, 2, out, &err), STRIA_ERR_ARGUMENT, "adam",
                "step", "step is 0");
    else
        REFUSED(stria_graph_run_with(g, (stria_tensor *[]){x, t}, 2, values, 2, out, &err), STRIA_ERR_ARGUMENT,
                "index_select", "index", "is 40");
    compare(&n, &as_it_was);
    stria_graph_release(g);
    RELEASE(x, t);
    end(&n), end(&as_it_was);
}

/* What a run holds is less than one gradient. */
static void check_size(void)
{
    network       n = {.dtype = STRIA_F32, .rule = SGD, .sizes = {16, 512, 512, 512}};
    stria_tensor *x = new_values(STRIA_F32, 16, 512, 1), *t = new_values(STRIA_F32, 16, 512, 2);

    begin(&n);
    stria_graph *g = record(&n, x, t);
    CHECK(stria_graph_get_info(g).nbytes < sizeof(float[512][512]) / 4, "a run holds %zu bytes",
          stria_graph_get_info(g).nbytes);
    stria_graph_release(g);
    RELEASE(x, t);
    end(&n);
}

/* A graph with such a gradient is recorded and run. */
static stria_status run_pair(stria_tensor **out, stria_error *err)
{
    const int64_t    shape[] = {260, 260};
    stria_tensor    *x = NULL, *w = NULL, *s = NULL, *y = NULL;
    stria_recording *r = NULL;
    stria_graph     *g = NULL;
    stria_status     status =
        stria_full(shape, 2, (stria_scalar){STRIA_SCALAR_FLOAT, .re = 1}, STRIA_F32, STRIA_CPU, &x, err);

    if (status == STRIA_OK) status = stria_zeros(shape, 2, STRIA_F32, STRIA_CPU, &w, err);
    if (status == STRIA_OK) status = stria_recording_begin(&r, err);
    if (status == STRIA_OK) status = stria_recording_add_input(r, x, &s, err);
    if (status == STRIA_OK) status = stria_matmul(s, s, &y, err);
    if (status == STRIA_OK)
        status = stria_sgd(&w, 1, (const stria_tensor *[]){y}, 1, NULL, 0, 1, 0, 0, 0, false, false, false, err);
    if (status == STRIA_OK)
        status = stria_recording_end(r, &w, 1, &g, err);
    else
        stria_recording_cancel(r);
    if (status == STRIA_OK) status = stria_graph_run(g, &x, 1, out, err);
    stria_graph_release(g);
    RELEASE(x, w, s, y);
    return status;
}

SUITE(test_graph_updates)
{
    static const int         counts[] = {1, 2, 7};
    const stria_memory_stats before = stria_memory_get_stats();
    const int                threads = stria_threads_get();

    check_isa("test_graph_updates");
    for (int k = check_has_values() ? 0 : 2; k < 3; k++) check_ways(counts[k]);
    OK(stria_threads_set(1, NULL));
    if (check_has_values()) {
        check_refused(PLAIN, true);
        check_refused(LOOKS_UP, false);
        check_size();
        oom_check_path("a gradient that is never whole", run_pair);
    }
    OK(stria_threads_set(threads, NULL));
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_storages == before.live_storages, "%lld storages are left",
          (long long)(after.live_storages - before.live_storages));
    return check_finish("test_graph_updates");
}
