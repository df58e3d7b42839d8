/* test_graph_products.c - products of matrices and what is element-wise of them, made as one step: random shapes, layouts, dtypes, ends and numbers of
 * threads, against eager calls bit for bit. */
#include <string.h>

#include "graph_case.h"
#include "tensor/tensor.h"

enum { SEEDS = 5000, RUNS = 2, MOST_INPUTS = 8, MOST_RESULTS = 4 };

static random_state numbers;
static int          pick(int n) { return (int)(random_next(&numbers) % (uint64_t)n); }

static int n_joined, n_programs;

/* ---------------------------------------------------------------- programs */

typedef struct program {
    stria_tensor *in[MOST_INPUTS]; /* a, b, then what the end reads */
    int           n_in;
    int           ops[6], n_ops, first_kept; /* the value after op first_kept is a result, too; -1 */
    bool          is_doubled;                /* the end begins with y + y */
    bool          is_left_made, is_read;     /* a is what a step makes */
} program;

static stria_tensor *new_tensor(stria_dtype dtype, int ndim, const int64_t *shape)
{
    stria_tensor *wide, *x;

    OK(stria_tensor_new(STRIA_F64, ndim, shape, &wide, NULL));
    double *p = stria_tensor_get_data(wide);
    for (int64_t i = 0; i < wide->numel; i++) p[i] = (pick(2001) - 1000) / (dtype == STRIA_I32 ? 1. : 250.);
    OK(stria_tensor_copy(wide, dtype, &x, NULL));
    stria_tensor_release(wide);
    return x;
}

/* The last two axes the other way round in memory. */
static stria_tensor *new_matrix(stria_dtype dtype, int ndim, const int64_t *shape, bool is_turned)
{
    int64_t       turned[4];
    stria_tensor *x, *y;

    if (!is_turned || ndim < 2) return new_tensor(dtype, ndim, shape);
    memcpy(turned, shape, (size_t)ndim * sizeof *turned);
    turned[ndim - 1] = shape[ndim - 2];
    turned[ndim - 2] = shape[ndim - 1];
    x = new_tensor(dtype, ndim, turned);
    OK(stria_transpose(x, ndim - 1, ndim - 2, &y, NULL));
    stria_tensor_release(x);
    return y;
}

static int64_t pick_size(void)
{
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 10, 16, 17, 31, 33, 64, 100, 130, 257};
    return sizes[pick(pick(8) == 0 ? 14 : 9)];
}

enum {
    ADD_ROW,
    MULTIPLY_ROW,
    ADD_WHOLE,
    ADD_MADE,
    ADD_COLUMN,
    ADD_ONE,
    ADD_LEFT,
    RELU,
    TANH,
    SCALE,
    ABOVE_ONE,
    TO_FLOAT,
    N_OPS
};

static void make_program(program *p)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F32, STRIA_F32, STRIA_F64, STRIA_F16, STRIA_I32};
    const stria_dtype        dtype = dtypes[pick(6)];
    const int                n_batch = pick(3) == 0 ? 1 + pick(2) : 0, ndim = n_batch + 2;
    int64_t                  a[4] = {2, 3, 0, 0}, b[4] = {2, 3, 0, 0}, y[4] = {2, 3, 0, 0};
    const int64_t            m = pick_size(), n = pick_size(), k = pick(4) == 0 ? n : pick_size();
    const bool               is_shared = n_batch > 0 && pick(2);
    bool                     is_part;

    memset(p, 0, sizeof *p);
    a[n_batch] = y[n_batch] = m, a[n_batch + 1] = b[n_batch] = k, b[n_batch + 1] = y[n_batch + 1] = n;
    p->in[p->n_in++] = new_matrix(dtype, ndim, a, pick(3) == 0);
    p->in[p->n_in++] = new_matrix(dtype, is_shared ? 2 : ndim, is_shared ? b + n_batch : b, pick(2));
    p->n_ops = 1 + pick(5);
    p->first_kept = pick(3) == 0 ? pick(p->n_ops) : -1;
    p->is_doubled = pick(8) == 0;
    p->is_left_made = pick(2);
    p->is_read = pick(2);
    for (int i = 0; i < p->n_ops; i++) {
        const int64_t column[] = {m, 1}, one[] = {1};
        int           op = pick(N_OPS);
        if (p->n_in == MOST_INPUTS && op <= ADD_ONE) op = RELU;
        if (op == ADD_COLUMN && pick(4)) op = ADD_ROW;
        if (op == ADD_LEFT && (n != k || n_batch > 0)) op = SCALE;
        p->ops[i] = op;
        switch (op) {
        case ADD_ROW:
        case MULTIPLY_ROW: p->in[p->n_in++] = new_tensor(dtype, 1, y + ndim - 1); break;
        case ADD_WHOLE: /* of the last dims alone, now and then */
            is_part = n_batch > 0 && pick(2);
            p->in[p->n_in++] = new_tensor(dtype, is_part ? 2 : ndim, is_part ? y + n_batch : y);
            break;
        case ADD_MADE: p->in[p->n_in++] = new_tensor(dtype, ndim, y); break;
        case ADD_COLUMN: p->in[p->n_in++] = new_tensor(dtype, 2, column); break;
        case ADD_ONE: p->in[p->n_in++] = new_tensor(dtype, pick(2), one); break;
        default: break;
        }
    }
}

static stria_status call_op(stria_op op, const stria_tensor *a, const stria_tensor *b, stria_tensor **y)
{
    return stria_apply(op, (const stria_tensor *[]){a, b}, b == NULL ? 1 : 2, y, NULL);
}

static stria_tensor *run_op(int op, const stria_tensor *y, const stria_tensor *left, stria_tensor *const *in, int *next)
{
    stria_tensor *z = NULL, *number = NULL;

    switch (op) {
    case ADD_ROW:
    case ADD_WHOLE:
    case ADD_COLUMN:
    case ADD_ONE: OK(call_op(STRIA_OP_add, y, in[(*next)++], &z)); break;
    case ADD_MADE: /* it is no part of the group, and lies in the arena */
        OK(stria_cumsum(in[(*next)++], -1, y->dtype, &number, NULL));
        OK(call_op(STRIA_OP_add, number, y, &z));
        break;
    case MULTIPLY_ROW: OK(call_op(STRIA_OP_mul, in[(*next)++], y, &z)); break;
    case ADD_LEFT: OK(call_op(STRIA_OP_add, left, y, &z)); break;
    case RELU: OK(call_op(STRIA_OP_relu, y, NULL, &z)); break;
    case TANH: OK(call_op(STRIA_OP_tanh, y, NULL, &z)); break;
    case TO_FLOAT:
    case SCALE:
        OK(stria_tensor_new_scalar(op == SCALE ? (stria_scalar){STRIA_SCALAR_INT, .i = 3}
                                               : (stria_scalar){STRIA_SCALAR_FLOAT, .re = .75},
                                   &number, NULL));
        OK(call_op(STRIA_OP_mul, y, number, &z));
        break;
    default:
        OK(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_INT, .i = 1}, &number, NULL));
        OK(call_op(STRIA_OP_maximum, y, number, &z));
    }
    stria_tensor_release(number);
    return z;
}

/* The results; how many. */
static int run_program(const program *p, stria_tensor *const *in, stria_tensor **results)
{
    stria_tensor *left = stria_tensor_retain(in[0]), *y = NULL, *z;
    int           n = 0, next = 2;

    if (p->is_left_made) {
        stria_tensor_release(left);
        OK(call_op(STRIA_OP_add, in[0], in[0], &left));
    }
    OK(stria_matmul(left, in[1], &y, NULL));
    if (p->is_doubled) {
        OK(call_op(STRIA_OP_add, y, y, &z));
        stria_tensor_release(y);
        y = z;
    }
    for (int i = 0; i < p->n_ops; i++) {
        z = run_op(p->ops[i], y, left, in, &next);
        stria_tensor_release(y);
        y = z;
        if (i == p->first_kept) results[n++] = stria_tensor_retain(y);
    }
    stria_tensor_release(left);
    results[n++] = y;
    for (int k = 0; k < n && p->is_read; k++) { /* what the group makes lies in the arena, too */
        OK(stria_cumsum(results[k], -1, STRIA_DTYPE_NONE, &z, NULL));
        stria_tensor_release(results[k]);
        results[k] = z;
    }
    return n;
}

/* ---------------------------------------------------------------- against eager calls */

static bool is_joined(const stria_graph *g)
{
    void  *text;
    size_t nbytes;

    OK(stria_graph_explain(g, &text, &nbytes, NULL));
    bool found = false;
    for (size_t k = 0; k + 8 < nbytes && !found; k++) found = memcmp((char *)text + k, "\"joined\"", 8) == 0;
    stria_bytes_release(text);
    return found;
}

static void compare(const program *p, stria_graph *g, stria_tensor *const *in, unsigned long long seed)
{
    stria_tensor *expected[MOST_RESULTS], *out[MOST_RESULTS];
    const int     n = run_program(p, in, expected);
    stria_error   err;

    const stria_status status = stria_graph_run(g, in, p->n_in, out, &err);
    CHECK(status == STRIA_OK, "seed %llu: %s", seed, err.message);
    for (int k = 0; k < n; k++) {
        if (status == STRIA_OK) {
            CHECK(has_same_bits(out[k], expected[k]), "seed %llu: result %d of %d differs", seed, k, n);
            stria_tensor_release(out[k]);
        }
        stria_tensor_release(expected[k]);
    }
}

static void check_program(unsigned long long seed)
{
    stria_tensor    *symbols[MOST_INPUTS], *results[MOST_RESULTS];
    stria_recording *r;
    stria_graph     *g;
    program          p;

    numbers = (random_state){seed};
    make_program(&p);
    OK(stria_threads_set(1 + pick(4), NULL));
    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < p.n_in; k++) OK(stria_recording_add_input(r, p.in[k], &symbols[k], NULL));
    const int n = run_program(&p, symbols, results);
    OK(stria_recording_end(r, results, n, &g, NULL));
    release_all(n, results);
    n_joined += is_joined(g);
    n_programs++;
    for (int run = 0; run < RUNS; run++) {
        compare(&p, g, p.in, seed);
        if (run == 0) OK(stria_threads_set(1 + pick(4), NULL));
        for (int k = 0; k < p.n_in && run == 0; k++) { /* elsewhere, with other elements */
            stria_tensor *other;
            OK(stria_tensor_copy(p.in[k], STRIA_DTYPE_NONE, &other, NULL));
            OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){other, other}, 2, other, NULL));
            stria_tensor_release(p.in[k]);
            p.in[k] = other;
        }
    }
    stria_graph_release(g);
    release_all(p.n_in, symbols);
    release_all(p.n_in, p.in);
}

/* Layers whose results are large: several tiles, and threads; the end of one reads what the product reads, too. */
static void check_large(int n_threads, bool is_residual)
{
    const int64_t left[] = {300, is_residual ? 520 : 700}, right[] = {left[1], 520}, row[] = {520},
                  whole[] = {300, 520};
    program p = {.n_in = 4, .ops = {ADD_ROW, RELU, ADD_WHOLE}, .n_ops = 3, .first_kept = -1};

    if (is_residual) p = (program){.n_in = 2, .ops = {ADD_LEFT}, .n_ops = 1, .is_left_made = true, .is_read = true};
    p.first_kept = -1;
    OK(stria_threads_set(n_threads, NULL));
    numbers = (random_state){1};
    for (int is_turned = 0; is_turned < 2; is_turned++) {
        stria_tensor    *symbols[MOST_INPUTS], *result;
        stria_recording *r;
        stria_graph     *g;
        p.in[0] = new_matrix(STRIA_F32, 2, left, is_turned && !is_residual);
        p.in[1] = new_matrix(STRIA_F32, 2, right, !is_turned);
        if (!is_residual) p.in[2] = new_tensor(STRIA_F32, 1, row);
        if (!is_residual) p.in[3] = new_tensor(STRIA_F32, 2, whole);
        OK(stria_recording_begin(&r, NULL));
        for (int k = 0; k < p.n_in; k++) OK(stria_recording_add_input(r, p.in[k], &symbols[k], NULL));
        run_program(&p, symbols, &result);
        OK(stria_recording_end(r, &result, 1, &g, NULL));
        CHECK(is_joined(g), "a large layer is two steps");
        compare(&p, g, p.in, 0);
        stria_graph_release(g);
        stria_tensor_release(result);
        release_all(p.n_in, symbols);
        release_all(p.n_in, p.in);
    }
}

SUITE(test_graph_products)
{
    check_isa("test_graph_products");
    for (unsigned long long seed = 1; seed <= (unsigned long long)check_get_count(SEEDS); seed++) check_program(seed);
    CHECK(n_joined > n_programs / 2, "%d of %d programs join their product", n_joined, n_programs);
    for (int n_threads = 1; n_threads <= 4; n_threads++) {
        check_large(n_threads, false);
        check_large(n_threads, true);
    }
    return check_finish("test_graph_products");
}
