/* test_graph_blocks.c - graphs whose steps run block by block: random programs of row functions, reductions and what is element-wise around them
 * give what their calls give, bit for bit, by 1, 2 and 7 threads; what is a block, and what is not; memory. */
#include "stria_graph.h"

#include <stdlib.h>
#include <string.h>

#include "gradients.h"
#include "oom.h"
#include "oracle.h"
#include "sanitized.h"
#include "suite.h"
#include "table/rows.h"

#define MOST_VALUES 40
#define MOST_ELEMENTS 400000

static random_state random_numbers;
static int          pick(int n) { return (int)(random_next(&random_numbers) % (uint64_t)n); }

/* ---------------------------------------------------------------- random programs
 *
 * What a program does next depends on random numbers and shapes alone. */

typedef struct program {
    stria_tensor *at[MOST_VALUES];
    int           n;
} program;

/* The shape that the tensors of a program are related to. */
static const struct {
    int     ndim;
    int64_t shape[4];
} shapes[] = {{2, {300, 401}},    {2, {1000, 129}},  {2, {64, 1031}}, {2, {4099, 33}},    {3, {70, 5, 211}},
              {3, {3, 7, 4096}},  {2, {20000, 7}},   {2, {16, 8192}}, {2, {9, 20000}},    {4, {2, 3, 4, 2003}},
              {1, {100000}},      {2, {513, 64}},    {2, {1031, 65}}, {3, {45, 8, 1024}}, {2, {1, 70000}},
              {3, {129, 1, 257}}, {3, {37, 64, 16}}, {2, {7001, 16}}};

/* Of the values, rather a late one. */
static stria_tensor *choose(const program *p)
{
    const int a = pick(p->n), b = pick(p->n);
    return p->at[a > b ? a : b];
}

static void keep(program *p, stria_status status, stria_tensor *y)
{
    if (status == STRIA_OK && p->n < MOST_VALUES && y->numel <= MOST_ELEMENTS)
        p->at[p->n++] = y;
    else
        stria_tensor_release(y);
}

static bool is_too_large(const stria_tensor *x, const stria_tensor *y)
{
    double n = 1;

    for (int d = 1; d <= x->ndim || d <= y->ndim; d++) {
        const int64_t a = d <= x->ndim ? x->shape[x->ndim - d] : 1, b = d <= y->ndim ? y->shape[y->ndim - d] : 1;
        n *= (double)(a > b ? a : b);
    }
    return n > MOST_ELEMENTS;
}

static void step_op(program *p)
{
    static const stria_op ops[] = {STRIA_OP_add, STRIA_OP_mul, STRIA_OP_sub, STRIA_OP_maximum, STRIA_OP_div,
                                   STRIA_OP_abs, STRIA_OP_exp, STRIA_OP_neg, STRIA_OP_tanh,    STRIA_OP_rsqrt};
    const stria_op        op = ops[pick((int)(sizeof ops / sizeof *ops))];
    const stria_tensor   *in[] = {choose(p), choose(p)};
    stria_tensor         *y = NULL;

    if (stria_op_infos[op].arity == 2 && is_too_large(in[0], in[1])) return;
    if (pick(6) == 0) {
        (void)!stria_apply_out(op, in, stria_op_infos[op].arity, choose(p), NULL);
        return;
    }
    const stria_status status = stria_apply(op, in, stria_op_infos[op].arity, &y, NULL);
    keep(p, status, y);
}

/* An axis, most often the last one. */
static int choose_axis(const stria_tensor *x) { return x->ndim == 0 ? 0 : pick(4) ? -1 : pick(x->ndim); }

static void step_reduction(program *p)
{
    stria_tensor *x = choose(p), *y = NULL;
    const int     axis = choose_axis(x), axes[] = {-1, -2}, first[] = {0, 1}, way = pick(8);
    const int    *dims = way == 0 && x->ndim > 1 ? axes : way < 3 ? first : &axis;
    const int     n = way == 0 && x->ndim > 1    ? 2
                      : way == 1 || x->ndim == 0 ? 0
                      : way == 2 && x->ndim > 2  ? pick(2) + 1
                                                 : 1;
    const bool    keepdim = pick(3) > 0;
    stria_status  status;

    switch (pick(8)) {
    case 0: status = stria_amax(x, dims, n, keepdim, &y, NULL); break;
    case 1: status = stria_mean(x, dims, n, keepdim, &y, NULL); break;
    case 2: status = stria_var(x, dims, n, 1, keepdim, &y, NULL); break;
    case 3: status = stria_logsumexp(x, dims, n, keepdim, &y, NULL); break;
    case 4: status = stria_norm(x, 2, dims, n, keepdim, STRIA_DTYPE_NONE, &y, NULL); break;
    case 5: status = stria_argmax(x, axis, keepdim, &y, NULL); break;
    default: status = stria_sum(x, dims, n, keepdim, &y, NULL); break;
    }
    keep(p, status, y);
}

static void step_rows(program *p)
{
    stria_tensor       *x = choose(p), *z = choose(p), *y = NULL;
    const int           axis = choose_axis(x);
    const stria_tensor *weight = p->at[1];
    stria_status        status;

    switch (pick(5)) {
    case 0: status = stria_softmax(x, axis, STRIA_DTYPE_NONE, &y, NULL); break;
    case 1: status = stria_log_softmax(x, axis, STRIA_DTYPE_NONE, &y, NULL); break;
    case 2: status = stria_softmax_backward(x, z, axis, &y, NULL); break;
    case 3: status = stria_layer_norm(x, weight, pick(2) ? weight : NULL, weight->shape, 1, 1e-5, &y, NULL); break;
    default: status = stria_tensor_copy(x, pick(2) ? STRIA_F64 : STRIA_F32, &y, NULL); break;
    }
    keep(p, status, y);
}

static void step_view(program *p)
{
    stria_tensor *x = choose(p), *y = NULL;
    const int     axis = x->ndim > 0 ? pick(x->ndim) : 0;
    const int64_t size = x->ndim > 0 ? x->shape[axis] : 1, flat = -1;
    stria_status  status;

    switch (pick(8)) {
    case 0: status = stria_transpose(x, 0, -1, &y, NULL); break;
    case 1: status = stria_narrow(x, axis, pick(2), size > 2 ? size - 1 : 1, &y, NULL); break;
    case 2: status = stria_flip(x, &axis, 1, &y, NULL); break;
    case 3: status = stria_reshape(x, &flat, 1, &y, NULL); break;
    case 4: status = stria_slice(x, axis, 0, size, 2, &y, NULL); break;
    default: status = stria_unsqueeze(x, -1, &y, NULL); break;
    }
    keep(p, status, y);
}

static void run_program(program *p, int n_steps)
{
    for (int i = 0; i < n_steps; i++) switch (pick(9)) {
        case 0: step_view(p); break;
        case 1:
        case 2: step_reduction(p); break;
        case 3: step_rows(p); break;
        default: step_op(p); break;
        }
}

static stria_tensor *new_input(int ndim, const int64_t *shape)
{
    stria_tensor *x;

    OK(stria_tensor_new(STRIA_F32, ndim, shape, &x, NULL));
    for (int64_t i = 0; i < x->numel; i++)
        ((float *)(void *)x->data)[i] = (float)(random_unit(&random_numbers) * 4 - 2);
    return x;
}

/* Of one NaN the sign is not specified, and follows from where in a call it is. */
static bool is_same_number(const stria_tensor *x, const stria_tensor *y, int64_t k)
{
    const float  *a = (const void *)x->data, *b = (const void *)y->data;
    const double *c = (const void *)x->data, *d = (const void *)y->data;

    return x->dtype == STRIA_F32 ? a[k] != a[k] && b[k] != b[k] : x->dtype == STRIA_F64 && c[k] != c[k] && d[k] != d[k];
}

static bool is_same(const stria_tensor *a, const stria_tensor *b)
{
    stria_tensor *x, *y;
    bool          same = true;

    if (a->dtype != b->dtype || !stria_tensor_has_shape(a, b->ndim, b->shape)) return false;
    OK(stria_contiguous((stria_tensor *)(uintptr_t)a, &x, NULL));
    OK(stria_contiguous((stria_tensor *)(uintptr_t)b, &y, NULL));
    const size_t size = stria_dtype_get_size(x->dtype);
    if (x->numel > 0 && memcmp(x->data, y->data, (size_t)x->numel * size) != 0)
        for (int64_t k = 0; k < x->numel && same; k++)
            same = memcmp(x->data + (size_t)k * size, y->data + (size_t)k * size, size) == 0 || is_same_number(x, y, k);
    RELEASE(x, y);
    return same;
}

/* Blocks of a graph, steps of theirs. */
static int count_blocks(const stria_graph *g, const char *key)
{
    void  *bytes;
    size_t nbytes;
    int    n = 0;

    OK(stria_graph_explain(g, &bytes, &nbytes, NULL));
    char *text = calloc(1, nbytes + 1);
    memcpy(text, bytes, nbytes);
    stria_bytes_release(bytes);
    const char *begin = strstr(text, "\"blocks\":["), *end = strstr(text, "\"groups\":");
    for (const char *at = begin; at != NULL && (at = strstr(at, key)) != NULL && at < end; at++)
        n += atoi(at + strlen(key));
    free(text);
    return n;
}

#define STEPS_IN_BLOCKS "\"steps\":"

/* A matrix, a row, a column, another matrix. */
static void new_inputs(program *p, uint64_t seed)
{
    const int      k = (int)(seed % (sizeof shapes / sizeof *shapes)), ndim = shapes[k].ndim;
    const int64_t *shape = shapes[k].shape, column[] = {shape[0], 1};

    p->at[p->n++] = new_input(ndim, shape);
    p->at[p->n++] = new_input(1, shape + ndim - 1);
    p->at[p->n++] = ndim == 2 ? new_input(2, column) : new_input(ndim - 1, shape + 1);
    p->at[p->n++] = new_input(ndim, shape);
}

static void copy_all(const program *p, stria_tensor **copies)
{
    for (int k = 0; k < p->n; k++) OK(stria_tensor_copy(p->at[k], STRIA_DTYPE_NONE, &copies[k], NULL));
}

static void compare(const stria_graph *g, const program *eager, stria_tensor *const *inputs, uint64_t seed,
                    const int *numbers, int n_results)
{
    static const int threads[] = {1, 2, 7};

    for (int t = 0; t < 3; t++) {
        stria_tensor *copies[4], *outs[MOST_VALUES];
        stria_error   err;
        for (int k = 0; k < 4; k++) OK(stria_tensor_copy(inputs[k], STRIA_DTYPE_NONE, &copies[k], NULL));
        OK(stria_threads_set(threads[t], NULL));
        const stria_status ran = stria_graph_run((stria_graph *)(uintptr_t)g, copies, 4, outs, &err);
        CHECK(ran == STRIA_OK, "seed %llu: %s", (unsigned long long)seed, err.message);
        for (int k = 0; k < n_results && ran == STRIA_OK; k++)
            CHECK(is_same(eager->at[numbers[k]], outs[k]), "seed %llu, %d threads: value %d of %d differs",
                  (unsigned long long)seed, threads[t], numbers[k], eager->n);
        for (int k = 0; k < 4; k++)
            CHECK(is_same(eager->at[k], copies[k]), "seed %llu, %d threads: input %d", (unsigned long long)seed,
                  threads[t], k);
        if (ran == STRIA_OK) release_all(n_results, outs);
        release_all(4, copies);
    }
}

/* Returns how many steps run in blocks. */
static int check_random_program(uint64_t seed)
{
    program          eager = {.n = 0}, symbols = {.n = 0};
    stria_tensor    *inputs[4], *results[MOST_VALUES];
    int              numbers[MOST_VALUES], n_results = 0;
    stria_recording *r;
    stria_graph     *g = NULL;
    stria_error      err;

    random_numbers = (random_state){seed};
    const int n_steps = 3 + pick(16), share = 1 + pick(6);
    new_inputs(&eager, seed);
    copy_all(&eager, inputs);
    const random_state was = random_numbers;
    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < 4; k++) {
        OK(stria_recording_add_input(r, inputs[k], &symbols.at[symbols.n++], NULL));
        eager.at[k]->is_given = true; /* its shape stays, as that of its symbol does */
    }
    run_program(&symbols, n_steps);
    for (int k = 0; k < symbols.n; k++)
        if ((k * 7 + (int)(seed % 64)) % share == 0 || k == symbols.n - 1)
            numbers[n_results] = k, results[n_results++] = symbols.at[k];
    const stria_status status = stria_recording_end(r, results, n_results, &g, &err);
    CHECK(status == STRIA_OK, "seed %llu: %s", (unsigned long long)seed, err.message);
    random_numbers = was;
    run_program(&eager, n_steps);
    compare(g, &eager, inputs, seed, numbers, n_results);
    const int n = count_blocks(g, STEPS_IN_BLOCKS);
    stria_graph_release(g);
    release_all(eager.n, eager.at), release_all(symbols.n, symbols.at), release_all(4, inputs);
    return n;
}

/* ---------------------------------------------------------------- what is a block */

static stria_tensor *softmax(stria_tensor *const *x)
{
    const int     last = -1;
    stria_tensor *m, *d, *e, *s, *y;

    OK(stria_amax(x[0], &last, 1, true, &m, NULL));
    OK(stria_sub(x[0], m, &d, NULL));
    OK(stria_exp(d, &e, NULL));
    OK(stria_sum(e, &last, 1, true, &s, NULL));
    OK(stria_div(e, s, &y, NULL));
    RELEASE(m, d, e, s);
    return y;
}

/* Without keepdim, with weights. */
static stria_tensor *layer_norm(stria_tensor *const *x)
{
    const int     last = -1;
    stria_tensor *m, *d, *q, *v, *r, *y, *z, *w, *column, *square;

    OK(stria_mean(x[0], &last, 1, true, &m, NULL));
    OK(stria_sub(x[0], m, &d, NULL));
    OK(stria_mul(d, d, &q, NULL));
    OK(stria_mean(q, &last, 1, false, &v, NULL));
    OK(stria_unsqueeze(v, -1, &column, NULL));
    OK(stria_rsqrt(column, &r, NULL));
    OK(stria_mul(d, r, &y, NULL));
    OK(stria_mul(y, x[1], &z, NULL));
    OK(stria_add(z, x[1], &w, NULL));
    OK(stria_square(w, &square, NULL));
    RELEASE(m, d, q, v, r, y, z, column, w);
    return square;
}

/* Each row and its mirror image among the rows: blocks of them depend on each other. */
static stria_tensor *mirrored(stria_tensor *const *x)
{
    const int     first = 0;
    stria_tensor *y, *turned, *sum, *z;

    OK(stria_softmax(x[0], -1, STRIA_DTYPE_NONE, &y, NULL));
    OK(stria_flip(y, &first, 1, &turned, NULL));
    OK(stria_add(y, turned, &sum, NULL));
    OK(stria_softmax(sum, 0, STRIA_DTYPE_NONE, &z, NULL));
    RELEASE(y, turned, sum);
    return z;
}

/* What is read as float32 in the first step lies in the arena, where what is made as float64 in the next one may not lie yet. */
static stria_tensor *between(stria_tensor *const *x)
{
    stria_tensor *a, *b, *c, *y;

    OK(stria_cumsum(x[0], 0, STRIA_DTYPE_NONE, &a, NULL));
    OK(stria_softmax(a, -1, STRIA_DTYPE_NONE, &b, NULL));
    OK(stria_tensor_copy(b, STRIA_F64, &c, NULL));
    OK(stria_cumsum(c, 0, STRIA_DTYPE_NONE, &y, NULL));
    RELEASE(a, b, c);
    return y;
}

/* Sums of rows of 1024, and of 8 of these: fewer than 16 of them at once would be added up in another order. */
static stria_tensor *sums(stria_tensor *const *x)
{
    const int     last = -1;
    const int64_t shape[] = {-1, 8, 1024};
    stria_tensor *a, *b, *c, *y;

    OK(stria_reshape(x[0], shape, 3, &a, NULL));
    OK(stria_exp(a, &b, NULL));
    OK(stria_sum(b, &last, 1, false, &c, NULL));
    OK(stria_var(c, &last, 1, 1, false, &y, NULL));
    RELEASE(a, b, c);
    return y;
}

/* Rows that begin one element behind those that were written. */
static stria_tensor *displaced(stria_tensor *const *x)
{
    const int64_t rows = stria_tensor_get_shape(x[0])[0], columns = stria_tensor_get_shape(x[0])[1];
    const int64_t n = rows * columns, room = n + 1;
    stria_tensor *all, *flat, *first, *second, *y;

    OK(stria_zeros(&room, 1, STRIA_F32, stria_tensor_get_device(x[0]), &all, NULL));
    OK(stria_narrow(all, 0, 0, n, &flat, NULL));
    OK(stria_view(flat, SHAPE(rows, columns), 2, &first, NULL));
    stria_tensor_release(flat);
    OK(stria_narrow(all, 0, 1, n, &flat, NULL));
    OK(stria_view(flat, SHAPE(rows, columns), 2, &second, NULL));
    OK(stria_apply_out(STRIA_OP_exp, (const stria_tensor *const *)x, 1, first, NULL));
    OK(stria_softmax(second, -1, STRIA_DTYPE_NONE, &y, NULL));
    RELEASE(all, flat, first, second);
    return y;
}

/* The mean of exp(x^2), where the square is read again. */
static stria_tensor *mean_square(stria_tensor *const *x)
{
    stria_tensor *d, *q, *m, *y;

    OK(stria_mul(x[0], x[0], &d, NULL));
    OK(stria_exp(d, &q, NULL));
    OK(stria_mean(q, NULL, 0, false, &m, NULL));
    OK(stria_cumsum(d, 0, STRIA_DTYPE_NONE, &y, NULL));
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){y, m}, 2, y, NULL));
    RELEASE(d, q, m);
    return y;
}

/* As of a bias: the sum over rows of what is element-wise. */
static stria_tensor *sum_rows(stria_tensor *const *x)
{
    const int     first = 0;
    stria_tensor *d, *q, *y;

    OK(stria_abs(x[0], &d, NULL));
    OK(stria_mul(d, x[0], &q, NULL));
    OK(stria_sum(q, &first, 1, false, &y, NULL));
    RELEASE(d, q);
    return y;
}

static stria_tensor *greatest(stria_tensor *const *x)
{
    stria_tensor *d, *y;

    OK(stria_neg(x[0], &d, NULL));
    OK(stria_amax(d, NULL, 0, false, &y, NULL));
    stria_tensor_release(d);
    return y;
}

/* What is reduced is a result that the expression stores on the way to another one. */
static stria_tensor *on_the_way(stria_tensor *const *x)
{
    stria_tensor *d, *e, *c, *m, *y;

    OK(stria_neg(x[0], &d, NULL));
    OK(stria_exp(d, &e, NULL));
    OK(stria_amax(d, NULL, 0, false, &m, NULL));
    OK(stria_cumsum(e, 0, STRIA_DTYPE_NONE, &c, NULL));
    OK(stria_add(c, m, &y, NULL));
    RELEASE(d, e, c, m);
    return y;
}

/* One graph of f on [rows, columns] and [columns], and how many steps it runs in blocks. The results are those of the calls. */
static void check_one(const char *what, stria_tensor *(*f)(stria_tensor *const *), int64_t rows, int64_t columns,
                      int n_steps)
{
    program          p = {.n = 0};
    stria_tensor    *symbols[2], *y, *out, *result;
    stria_recording *r;
    stria_graph     *g;

    random_numbers = (random_state){3};
    p.at[0] = new_input(2, SHAPE(rows, columns)), p.at[1] = new_input(1, SHAPE(columns));
    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < 2; k++) OK(stria_recording_add_input(r, p.at[k], &symbols[k], NULL));
    result = f(symbols);
    OK(stria_recording_end(r, &result, 1, &g, NULL));
    y = f(p.at);
    for (int run = 0; run < 2; run++) {
        OK(stria_graph_run(g, p.at, 2, &out, NULL));
        CHECK(is_same(y, out), "%s of %d x %d", what, (int)rows, (int)columns);
        stria_tensor_release(out);
    }
    CHECK(count_blocks(g, STEPS_IN_BLOCKS) == n_steps, "%s of %d x %d: %d steps in blocks", what, (int)rows,
          (int)columns, count_blocks(g, STEPS_IN_BLOCKS));
    const stria_graph_info info = stria_graph_get_info(g);
    CHECK(n_steps < info.n_steps || info.nbytes < 2 * (300 << 10), "%s: %zu bytes", what, info.nbytes);
    RELEASE(p.at[0], p.at[1], symbols[0], symbols[1], y, result);
    stria_graph_release(g);
}

static void check_what_is_a_block(void)
{
    OK(stria_threads_set(2, NULL));
    check_one("softmax", softmax, 1000, 300, 4);
    check_one("softmax", softmax, 20001, 8, 4);  /* short rows: blocks of 16 rows or more */
    check_one("softmax", softmax, 4, 100000, 0); /* a row is too large */
    check_one("softmax", softmax, 40, 40, 0);    /* the cache holds all of it */
    check_one("layer norm", layer_norm, 1001, 301, 5);
    check_one("rows that depend on others", mirrored, 1000, 300, 0);
    check_one("rows behind others", displaced, 1000, 300, 0);
    check_one("a place in the arena", between, 1000, 300, 2);
    check_one("sums of sums", sums, 45, 8192, 2);
    check_one("a mean", mean_square, 1000, 300, 2);
    check_one("a mean", mean_square, 200, 300, 0); /* of no more than a part */
    check_one("a result on the way", on_the_way, 300, 300, 2);
    check_one("the greatest", greatest, 65537, 1, 2);
    for (int k = 0; k < 10; k++) check_one("a sum of rows", sum_rows, 1 + 5000 * k + k % 3, 100 + k, k > 0 ? 2 : 0);
    check_one("a sum of rows", sum_rows, 17, 20000, 2);
    check_one("a sum of rows", sum_rows, 33, 4111, 2);
    check_one("a sum of few columns", sum_rows, 30000, 15, 0);
}

/* ---------------------------------------------------------------- memory */

/* A graph with blocks and a fold is recorded and run. */
static stria_status run_blocks(stria_tensor **out, stria_error *err)
{
    const int64_t    shape[] = {300, 300};
    stria_tensor    *x = NULL, *s = NULL, *e = NULL, *f = NULL, *y = NULL, *sum = NULL;
    stria_recording *r = NULL;
    stria_graph     *g = NULL;
    stria_status     status =
        stria_full(shape, 2, (stria_scalar){STRIA_SCALAR_FLOAT, .re = 1}, STRIA_F32, STRIA_CPU, &x, err);

    if (status == STRIA_OK) status = stria_recording_begin(&r, err);
    if (status == STRIA_OK) status = stria_recording_add_input(r, x, &s, err);
    if (status == STRIA_OK) status = stria_softmax(s, -1, STRIA_DTYPE_NONE, &e, err);
    if (status == STRIA_OK) status = stria_log_softmax(e, -1, STRIA_DTYPE_NONE, &y, err);
    stria_tensor_release(e);
    e = NULL;
    if (status == STRIA_OK) status = stria_cumsum(y, 0, STRIA_DTYPE_NONE, &e, err);
    if (status == STRIA_OK) status = stria_apply(STRIA_OP_exp, (const stria_tensor *[]){e}, 1, &f, err);
    if (status == STRIA_OK) status = stria_sum(f, NULL, 0, false, &sum, err);
    if (status == STRIA_OK)
        status = stria_recording_end(r, &sum, 1, &g, err);
    else
        stria_recording_cancel(r);
    if (status == STRIA_OK) status = stria_graph_run(g, &x, 1, out, err);
    stria_graph_release(g);
    RELEASE(x, s, e, f, y, sum);
    return status;
}

/* Random programs: fewer where each takes several times as long. */
static int count_programs(void)
{
#if defined(__EMSCRIPTEN__)
    const bool is_slow = true;
#else
    const bool is_slow = IS_SANITIZED;
#endif
    return (int)check_get_count(is_slow && !check_is_full() ? 250 : 1000);
}

SUITE(test_graph_blocks)
{
    const int                n_programs = count_programs();
    const stria_memory_stats before = stria_memory_get_stats();
    int                      n_with = 0, n_steps = 0;
    const int                threads = stria_threads_get();

    check_isa("test_graph_blocks");
    check_what_is_a_block();
    OK(stria_threads_set(1, NULL));
    oom_check_path("blocks", run_blocks);
    for (uint64_t seed = 1; seed <= (uint64_t)n_programs; seed++) {
        const int n = check_random_program(seed);
        n_with += n > 0, n_steps += n;
    }
    printf("  %d of %d programs have blocks, of %d steps\n", n_with, n_programs, n_steps);
    CHECK(5 * n_with > 2 * n_programs, "%d of %d programs have blocks", n_with, n_programs);
    OK(stria_threads_set(threads, NULL));
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_storages == before.live_storages, "%lld storages are left",
          (long long)(after.live_storages - before.live_storages));
    return check_finish("test_graph_blocks");
}
