/* test_graph_sizes.c - random programs of many sizes: recorded at three of them, run at others. A run has the bits of the calls, or is refused;
 * and refused it is where a call is. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "graph_case.h"
#include "sanitized.h"
#include "table/rows.h"

enum { MOST_VALUES = 40, MOST_STEPS = 16, N_INPUTS = 3, N_HELD = 2 };

/* Steps depend on random numbers and numbers of dims alone, and on sizes by n + k. */
typedef struct program {
    random_state  numbers;
    stria_tensor *at[MOST_VALUES]; /* inputs, held ones, results of steps */
    int           n;
    stria_status  statuses[MOST_STEPS];
    int           n_statuses;
} program;

static int pick(program *p, int n) { return (int)(random_next(&p->numbers) % (uint64_t)n); }

static stria_tensor *choose(program *p) { return p->at[pick(p, p->n)]; }

/* A bound as programs write them: small, from the end, beyond it, or all there is. */
static int64_t pick_bound(program *p, int64_t size)
{
    static const int64_t bounds[] = {0, 1, 2, 3, 5, 8, 30, 64, -1, -2, -3, -8, -30, -64, INT64_MAX, INT64_MIN + 1};
    const int            k = pick(p, 20);
    return k < 16 ? bounds[k] : size - (k - 16);
}

static stria_status cut(program *p, stria_tensor *x, int axis, stria_tensor **y)
{
    stria_tensor_list list = {0};
    const int         way = pick(p, 3), n = 1 + pick(p, 40), which = pick(p, 3);
    stria_status      status = way == 0   ? stria_split(x, n, NULL, 0, axis, &list, NULL)
                               : way == 1 ? stria_chunk(x, n, axis, &list, NULL)
                                          : stria_tensor_split(x, n, NULL, 0, axis, &list, NULL);

    if (status == STRIA_OK && which >= list.n) status = STRIA_ERR_ARGUMENT;
    if (status == STRIA_OK) *y = stria_tensor_retain(list.at[which]);
    stria_tensor_list_release(&list);
    return status;
}

static stria_status step_view(program *p, stria_tensor *x, int axis, int64_t size, stria_tensor **y)
{
    const int64_t start = pick_bound(p, size), stop = pick_bound(p, size), step = pick(p, 4) == 0 ? 2 - pick(p, 4) : 1;
    int64_t       shape[STRIA_MAX_DIMS + 1] = {3};
    const int     ndim = stria_tensor_get_ndim(x);

    switch (pick(p, 12)) {
    case 0: return stria_transpose(x, 0, -1, y, NULL);
    case 1: return stria_narrow(x, axis, pick(p, 4), pick(p, 2) ? 1 + pick(p, 5) : size - 4, y, NULL);
    case 2: return stria_select(x, axis, pick(p, 2) ? pick(p, 3) : -1 - pick(p, 3), y, NULL);
    case 3: return stria_flip(x, &axis, 1, y, NULL);
    case 4: return stria_unsqueeze(x, axis, y, NULL);
    case 5: return stria_reshape(x, (const int64_t[]){-1}, 1, y, NULL);
    case 6: return stria_squeeze(x, NULL, 0, y, NULL);
    case 7: return cut(p, x, axis, y);
    case 8: return stria_unfold(x, axis, 1 + pick(p, 4), 1 + pick(p, 3), y, NULL);
    case 9:
        for (int d = 0; d < ndim; d++) shape[d + 1] = x->shape[d];
        return ndim < 4 ? stria_expand(x, shape, ndim + 1, y, NULL) : STRIA_ERR_SHAPE;
    default: return stria_slice(x, axis, start, stop, step == 0 ? 3 : step, y, NULL);
    }
}

static stria_status step_op(program *p, stria_tensor *x, stria_tensor **y)
{
    static const stria_op ops[] = {STRIA_OP_add, STRIA_OP_mul, STRIA_OP_sub, STRIA_OP_maximum,
                                   STRIA_OP_abs, STRIA_OP_exp, STRIA_OP_tanh};
    const stria_op        op = ops[pick(p, 7)];
    const stria_tensor   *in[] = {x, choose(p)};
    const int             n = stria_op_infos[op].arity;

    if (pick(p, 4) > 0) return stria_apply(op, in, n, y, NULL);
    return stria_apply_out(op, in, n, x, NULL);
}

static stria_status step_function(program *p, stria_tensor *x, int axis, int64_t size, stria_tensor **y)
{
    const int           ndim = stria_tensor_get_ndim(x);
    const stria_tensor *both[] = {x, choose(p)};
    stria_tensor       *number;
    stria_status        status;

    switch (pick(p, 11)) {
    case 0: return stria_sum(x, &axis, ndim > 0, pick(p, 2), y, NULL);
    case 1: return stria_mean(x, &axis, ndim > 0, pick(p, 2), y, NULL);
    case 2: return stria_amax(x, &axis, ndim > 0, pick(p, 2), y, NULL);
    case 3: return stria_softmax(x, axis, STRIA_DTYPE_NONE, y, NULL);
    case 4: return stria_cumsum(x, axis, STRIA_DTYPE_NONE, y, NULL);
    case 5: return stria_cat(both, 2, axis, y, NULL);
    case 6: return stria_roll(x, (const int64_t[]){pick(p, 7) - 3}, 1, &axis, 1, y, NULL);
    case 7: return stria_tensor_set(x, both[1], NULL);
    case 8:
        return stria_pad(x, (const int64_t[]){pick(p, 5) - 2, pick(p, 3)}, 2, "constant",
                         (stria_scalar){STRIA_SCALAR_INT, .i = 1}, y, NULL);
    case 9: return stria_slice_scatter(x, both[1], axis, pick_bound(p, size), pick_bound(p, size), 1, y, NULL);
    default:
        OK(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_FLOAT, .re = (double)size}, &number, NULL));
        status = pick(p, 2) ? stria_div(x, number, y, NULL) : stria_mul(x, number, y, NULL);
        stria_tensor_release(number);
        return status;
    }
}

static void run(program *p, int n_steps)
{
    for (int k = 0; k < n_steps; k++) {
        stria_tensor *x = choose(p), *y = NULL;
        const int     ndim = stria_tensor_get_ndim(x), axis = pick(p, 3) % (ndim > 0 ? ndim : 1), kind = pick(p, 5);
        const int64_t size = ndim > 0 ? x->shape[axis] : 1;
        p->statuses[k] = kind < 2    ? step_view(p, x, axis, size, &y)
                         : kind == 2 ? step_op(p, x, &y)
                                     : step_function(p, x, axis, size, &y);
        p->n_statuses = k + 1;
        if (p->statuses[k] == STRIA_OK && y != NULL && p->n < MOST_VALUES)
            p->at[p->n++] = y;
        else
            stria_tensor_release(y);
    }
}

/* ---------------------------------------------------------------- a program at a size */

static stria_tensor *new_filled(int ndim, const int64_t *shape, int seed)
{
    stria_tensor *x;

    OK(stria_tensor_new(STRIA_F32, ndim, shape, &x, NULL));
    for (int64_t i = 0; i < x->numel; i++)
        ((float *)stria_tensor_get_data(x))[i] = (float)((i * 37 + seed * 11) % 64) / 32 - 1;
    return x;
}

static void new_inputs(int64_t n, stria_tensor **in)
{
    in[0] = new_filled(2, SHAPE(n, 3), 1);
    in[1] = new_filled(1, SHAPE(n), 2);
    in[2] = new_filled(3, SHAPE(2, n, 2), 3);
}

static void begin(program *p, uint64_t seed, stria_tensor *const *held)
{
    p->numbers = (random_state){seed};
    for (int k = 0; k < N_HELD; k++) p->at[p->n++] = stria_tensor_retain(held[k]);
}

static void new_held(stria_tensor **held)
{
    held[0] = new_filled(2, SHAPE(3, 3), 4);
    held[1] = new_filled(1, SHAPE(40), 5);
}

static void end(program *p)
{
    release_all(p->n, p->at);
    p->n = 0;
}

/* The graph of a size, and what its calls said. */
static stria_graph *record(uint64_t seed, int n_steps, int64_t n, stria_tensor *const *held, program *p)
{
    stria_tensor    *in[N_INPUTS], *symbols[N_INPUTS];
    stria_graph     *g = NULL;
    stria_error      err = {0};
    stria_recording *r;

    new_inputs(n, in);
    r = record_inputs(in, N_INPUTS, symbols);
    *p = (program){.n = 0};
    begin(p, seed, held);
    for (int k = 0; k < N_INPUTS; k++) p->at[p->n++] = symbols[k];
    run(p, n_steps);
    const stria_status status = stria_recording_end(r, p->at, p->n, &g, &err);
    CHECK(status == STRIA_OK, "seed %llu: %s", (unsigned long long)seed, err.message);
    release_all(N_INPUTS, in);
    return g;
}

static bool has_same_numbers(const stria_tensor *a, const stria_tensor *b)
{
    stria_tensor *x, *y;

    if (!stria_tensor_has_shape(a, b->ndim, b->shape)) return false;
    OK(stria_tensor_copy(a, STRIA_DTYPE_NONE, &x, NULL));
    OK(stria_tensor_copy(b, STRIA_DTYPE_NONE, &y, NULL));
    if (stria_tensor_is_contiguous(x)) value_canonicalise(x->dtype, x->data, x->numel);
    if (stria_tensor_is_contiguous(y)) value_canonicalise(y->dtype, y->data, y->numel);
    const bool same = has_same_bits(x, y);
    RELEASE(x, y);
    return same;
}

/* Whether both were refused the same calls. */
static bool makes_same(const program *a, const program *b)
{
    for (int k = 0; k < a->n_statuses; k++)
        if ((a->statuses[k] == STRIA_OK) != (b->statuses[k] == STRIA_OK)) return false;
    return true;
}

/* Whether a call that was refused while it was recorded is made. What JavaScript or C does then, no graph knows. */
static bool makes_more(const program *is, const program *was)
{
    for (int k = 0; k < is->n_statuses; k++)
        if (is->statuses[k] == STRIA_OK && was->statuses[k] != STRIA_OK) return true;
    return false;
}

typedef struct counts {
    int n_programs, n_runs, n_refused, n_skipped;
} counts;

/* held: the graph's; what the calls write to is their own. */
static void check_run(uint64_t seed, int n_steps, int64_t n, stria_graph *g, const program *recorded,
                      stria_tensor *const *held, counts *c)
{
    program       eager = {.n = 0};
    stria_tensor *in[N_INPUTS], *own[N_INPUTS], *own_held[N_HELD], *out[MOST_VALUES];
    stria_error   err = {0};

    new_inputs(n, in);
    new_inputs(n, own);
    new_held(own_held);
    for (int k = 0; k < N_HELD; k++) OK(stria_tensor_set(held[k], own_held[k], NULL));
    begin(&eager, seed, own_held);
    for (int k = 0; k < N_INPUTS; k++) eager.at[eager.n++] = stria_tensor_retain(own[k]);
    run(&eager, n_steps);
    const stria_status status = stria_graph_run(g, in, N_INPUTS, out, &err);
    if (makes_more(&eager, recorded)) {
        c->n_skipped++;
    } else if (!makes_same(&eager, recorded)) {
        CHECK(status == STRIA_ERR_UNSUPPORTED, "seed %llu, size %lld: a call is refused, the graph runs",
              (unsigned long long)seed, (long long)n);
        c->n_refused++;
    } else if (status != STRIA_OK) {
        CHECK(status == STRIA_ERR_UNSUPPORTED && strcmp(err.argument, "dynamic") == 0 &&
                  strstr(err.message, "the program is another one for size") != NULL,
              "seed %llu, size %lld: %s", (unsigned long long)seed, (long long)n, err.message);
        c->n_refused++;
    } else {
        for (int k = 0; k < eager.n; k++)
            CHECK(has_same_numbers(eager.at[k], out[k]), "seed %llu, size %lld: value %d of %d differs",
                  (unsigned long long)seed, (long long)n, k, eager.n);
        c->n_runs++;
    }
    if (status == STRIA_OK) release_all(recorded->n, out);
    end(&eager);
    release_all(N_INPUTS, in), release_all(N_INPUTS, own), release_all(N_HELD, own_held);
}

static void check_program(uint64_t seed, counts *c)
{
    static const int64_t triples[][3] = {{23, 34, 31}, {5, 6, 8}, {40, 51, 12}, {9, 6, 4}};
    static const int64_t sizes[] = {2, 3, 4, 5, 7, 10, 16, 30, 32, 64, 65, 100};
    const int64_t       *t = triples[seed % 4];
    const int            n_steps = 2 + (int)(seed / 4 % (MOST_STEPS - 2));
    program              recorded[3];
    stria_tensor        *held[N_HELD], *in[N_INPUTS], *out[MOST_VALUES];
    stria_graph         *g[3];
    stria_error          err = {0};

    new_held(held);
    for (int k = 0; k < 3; k++) g[k] = record(seed, n_steps, t[k], held, &recorded[k]);
    const bool         is_same = makes_same(&recorded[0], &recorded[1]) && makes_same(&recorded[0], &recorded[2]);
    const stria_status status = is_same ? stria_graph_set_dynamic(g[0], t[0], g + 1, t + 1, &err) : STRIA_OK;
    CHECK(status == STRIA_OK || status == STRIA_ERR_UNSUPPORTED, "seed %llu: %s", (unsigned long long)seed,
          err.message);
    if (is_same && status == STRIA_OK) {
        c->n_programs++;
        for (int k = 0; k < 3; k++) check_run(seed, n_steps, t[k], g[0], recorded, held, c);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            check_run(seed, n_steps, sizes[k], g[0], recorded, held, c);
        new_inputs(1, in);
        CHECK_STATUS(stria_graph_run(g[0], in, N_INPUTS, out, &err), STRIA_ERR_SHAPE);
        release_all(N_INPUTS, in);
    }
    for (int k = 0; k < 3; k++) stria_graph_release(g[k]), end(&recorded[k]);
    release_all(N_HELD, held);
}

SUITE(test_graph_sizes)
{
    const int64_t n = check_get_setting("STRIA_TEST_PROGRAMS", IS_SANITIZED && !check_is_full() ? 500 : 2000);
    counts        c = {0};

    check_isa("test_graph_sizes");
    for (int64_t seed = 1; seed <= n; seed++) check_program((uint64_t)seed, &c);
    printf("  %lld programs, %d of them of many sizes: %d runs, %d refused, %d skipped\n", (long long)n, c.n_programs,
           c.n_runs, c.n_refused, c.n_skipped);
    CHECK(c.n_programs > n / 4 && c.n_runs > 4 * c.n_programs && c.n_refused > 0, "most programs are refused");
    return check_finish("test_graph_sizes");
}
