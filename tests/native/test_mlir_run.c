/* test_mlir_run.c - what MLIR and LLVM make of the text of a graph computes what the graph computes: every op of ops.def,
 * conversions, random programs, products. Skipped where MLIR is absent. STRIA_MLIR_PROGRAMS random ones; where they are
 * more than 16, ops of every dtype. */
#include "derivative_call.h"
#include "mlir_program.h"
#include "table/rows.h"

static random_state random_numbers;
static int          pick(int n) { return (int)(random_next(&random_numbers) % (uint64_t)n); }
static int          n_programs, n_skipped;

static stria_tensor *new_random(stria_dtype dtype, int ndim, const int64_t *shape)
{
    stria_tensor *x;

    OK(stria_tensor_new(dtype, ndim, shape, &x, NULL));
    for (int64_t i = 0; i < x->numel; i++)
        random_element(&random_numbers, dtype, -4, 4, x->data + i * stria_tensor_get_item_size(x));
    return x;
}

/* Runs g by its calls and as a program, on copies of the inputs; results and inputs are the same afterwards. */
static void compare(stria_graph *g, const char *name, stria_tensor *const *in, int n_in)
{
    const int     n = stria_graph_get_info(g).n_results;
    stria_tensor *first[8], *second[8], **outs = calloc((size_t)(2 * n + 1), sizeof *outs);
    stria_error   err;
    mlir_program  p = mlir_program_new(g, name);

    n_programs++;
    n_skipped += p.is_skipped;
    for (int k = 0; k < n_in; k++) {
        OK(stria_tensor_copy(in[k], STRIA_DTYPE_NONE, &first[k], NULL));
        OK(stria_tensor_copy(in[k], STRIA_DTYPE_NONE, &second[k], NULL));
    }
    if (p.run != NULL) {
        stria_status status = stria_graph_run(g, first, n_in, outs, &err);
        CHECK(status == STRIA_OK, "%s: %s", name, err.message);
        status = stria_graph_run_program(g, p.run, second, n_in, NULL, 0, outs + n, &err);
        CHECK(status == STRIA_OK, "%s: %s", name, err.message);
        for (int k = 0; k < n && status == STRIA_OK; k++)
            CHECK(mlir_is_same(outs[k], outs[n + k]), "%s: result %d", name, k);
        for (int k = 0; k < n_in; k++) CHECK(mlir_is_same(first[k], second[k]), "%s: input %d afterwards", name, k);
    }
    release_all(2 * n, outs);
    release_all(n_in, first), release_all(n_in, second);
    free(outs);
    mlir_program_end(&p);
}

/* Steps that are calls of the library. */
static int count_calls(const stria_graph *g)
{
    char *text = NULL;
    int   n = 0;

    OK(stria_graph_get_mlir(g, "counted", &text, NULL));
    for (const char *at = text; (at = strstr(at, "func.call @stria_call_")) != NULL; at++) n++;
    stria_mlir_release(text);
    return n;
}

/* ---------------------------------------------------------------- every op */

#define MOST_RESULTS STRIA_OP_COUNT

/* Every op of one dtype that takes it, as one program. */
static void check_ops(stria_dtype dtype)
{
    static stria_tensor *results[MOST_RESULTS];
    const int64_t        n = 300;
    stria_tensor        *in[4], *s[4];
    stria_recording     *r;
    stria_graph         *g;
    stria_error          err;
    char                 name[32];
    int                  n_results = 0;

    random_numbers = (random_state){(uint64_t)dtype + 1};
    for (int k = 0; k < 3; k++) in[k] = new_random(dtype, 1, &n);
    in[3] = new_random(STRIA_BOOL, 1, &n);
    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < 4; k++) OK(stria_recording_add_input(r, in[k], &s[k], NULL));
    for (int op = 0; op < STRIA_OP_COUNT; op++) {
        const bool          has_mask = stria_op_infos[op].result == STRIA_RESULT_SELECT;
        const stria_tensor *operands[3] = {has_mask ? s[3] : s[0], s[1], s[2]};
        stria_tensor       *y = NULL;
        if (stria_apply((stria_op)op, operands, stria_op_infos[op].arity, &y, NULL) == STRIA_OK)
            results[n_results++] = y;
    }
    const stria_status status = stria_recording_end(r, results, n_results, &g, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    snprintf(name, sizeof name, "ops_%s", stria_dtype_get_name(dtype));
    CHECK(count_calls(g) == 0, "%s: %d ops are calls", name, count_calls(g));
    compare(g, name, in, 4);
    printf("  %s: %d ops\n", name, n_results);
    release_all(n_results, results);
    release_all(4, in), release_all(4, s);
    stria_graph_release(g);
}

/* ---------------------------------------------------------------- random programs
 *
 * What a program does depends on random numbers, shapes and dtypes alone. No products, whose bits are not fixed. */

#define MOST_VALUES 40

typedef struct values {
    stria_tensor *at[MOST_VALUES];
    int           n;
} values;

static stria_tensor *choose(const values *p) { return p->at[pick(p->n)]; }

static void keep(values *p, stria_status status, stria_tensor *y)
{
    if (status == STRIA_OK && p->n < MOST_VALUES)
        p->at[p->n++] = y;
    else
        stria_tensor_release(y);
}

static void add_view(values *p)
{
    stria_tensor *x = choose(p), *y = NULL;
    const int     ndim = stria_tensor_get_ndim(x), axis = ndim > 0 ? pick(ndim) : 0;
    const int64_t size = ndim > 0 ? stria_tensor_get_shape(x)[axis] : 1, flat = -1;
    stria_status  status;

    switch (pick(6)) {
    case 0: status = stria_transpose(x, 0, -1, &y, NULL); break;
    case 1: status = stria_narrow(x, axis, pick((int)size + 1), 1 + pick(2), &y, NULL); break;
    case 2: status = stria_select(x, axis, pick((int)size + 1), &y, NULL); break;
    case 3: status = stria_flip(x, &axis, 1, &y, NULL); break;
    case 4: status = stria_unsqueeze(x, axis, &y, NULL); break;
    default: status = stria_reshape(x, &flat, 1, &y, NULL); break;
    }
    keep(p, status, y);
}

static void add_op(values *p)
{
    const stria_op      op = (stria_op)pick(STRIA_OP_COUNT);
    const int           n = stria_op_infos[op].arity;
    const stria_tensor *in[3];
    stria_tensor       *y = NULL, *number = NULL;

    for (int k = 0; k < n; k++) in[k] = choose(p);
    if (n == 2 && pick(3) == 0) {
        OK(stria_tensor_new_scalar(pick(2) ? (stria_scalar){STRIA_SCALAR_INT, .i = pick(5) - 2}
                                           : (stria_scalar){STRIA_SCALAR_FLOAT, .re = pick(9) / 4.0},
                                   &number, NULL));
        in[pick(2)] = number;
    }
    if (pick(4) > 0) {
        const stria_status status = stria_apply(op, in, n, &y, NULL);
        keep(p, status, y);
    } else if (stria_apply_out(op, in, n, choose(p), NULL) != STRIA_OK) {
        y = NULL; /* refused, of symbols as of tensors */
    }
    stria_tensor_release(number);
}

static void add_function(values *p)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16, STRIA_I64, STRIA_U8, STRIA_BOOL};
    stria_tensor            *x = choose(p), *y = NULL;
    const int                ndim = stria_tensor_get_ndim(x), axis = ndim > 0 ? pick(ndim) : 0;
    stria_status             status;

    switch (pick(9)) {
    case 0: status = stria_sum(x, &axis, ndim > 0, pick(2), &y, NULL); break;
    case 1: status = stria_softmax(x, axis, STRIA_DTYPE_NONE, &y, NULL); break;
    case 2: status = stria_cumsum(x, axis, STRIA_DTYPE_NONE, &y, NULL); break;
    case 3: status = stria_zeros_like(x, STRIA_DTYPE_NONE, &y, NULL); break;
    case 4: status = stria_ones_like(x, dtypes[pick(7)], &y, NULL); break;
    case 5:
        status = stria_full_like(x, (stria_scalar){STRIA_SCALAR_FLOAT, .re = pick(9) / 4.0}, STRIA_F32, &y, NULL);
        break;
    case 6: /* refused, of symbols as of tensors */
        if (stria_tensor_set(x, choose(p), NULL) == STRIA_OK) status = STRIA_ERR_ARGUMENT;
        status = STRIA_ERR_ARGUMENT;
        break;
    default: status = stria_tensor_copy(x, dtypes[pick(7)], &y, NULL); break;
    }
    keep(p, status, y);
}

static stria_tensor *new_input(void)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F32, STRIA_F64, STRIA_I32, STRIA_I64, STRIA_BF16, STRIA_BOOL};
    const int                ndim = pick(4);
    int64_t                  shape[4];

    for (int d = 0; d < ndim; d++) shape[d] = pick(10) == 0 ? 0 : 1 + pick(4);
    return new_random(dtypes[pick(7)], ndim, shape);
}

static void check_random_program(uint64_t seed, int n_steps)
{
    values           p = {.n = 0};
    stria_tensor    *in[3];
    stria_recording *r;
    stria_graph     *g;
    stria_error      err;
    char             name[32];

    random_numbers = (random_state){seed};
    const int n = 1 + pick(3);
    for (int k = 0; k < n; k++) in[k] = new_input();
    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < n; k++) OK(stria_recording_add_input(r, in[k], &p.at[p.n++], NULL));
    for (int i = 0; i < n_steps; i++) switch (pick(4)) {
        case 0: add_view(&p); break;
        case 1: add_function(&p); break;
        default: add_op(&p); break;
        }
    const stria_status status = stria_recording_end(r, p.at, p.n, &g, &err);
    CHECK(status == STRIA_OK, "seed %llu: %s", (unsigned long long)seed, err.message);
    snprintf(name, sizeof name, "program_%llu", (unsigned long long)seed);
    compare(g, name, in, n);
    release_all(n, in), release_all(p.n, p.at);
    stria_graph_release(g);
}

/* ---------------------------------------------------------------- products */

static double get(const stria_tensor *x, int64_t i)
{
    return x->dtype == STRIA_F32 ? (double)((const float *)(const void *)x->data)[i]
                                 : ((const double *)(const void *)x->data)[i];
}

/* a b and a transposed b, within K + 2 units of what the sizes of the products sum up to; relu(a b + 1). */
static void check_product(stria_dtype dtype, int batch, int64_t m, int64_t k, int64_t n)
{
    const int64_t    as[] = {batch, m, k}, bs[] = {batch, n, k};
    stria_tensor    *in[2], *s[2], *t, *y[2], *outs[2], *a, *b, *sizes;
    stria_recording *r;
    stria_graph     *g;
    const int        skip = batch == 0; /* matrices alone */

    in[0] = new_random(dtype, 3 - skip, as + skip), in[1] = new_random(dtype, 3 - skip, bs + skip);
    for (int i = 0; i < 2; i++) /* finite, of ordinary size */
        for (int64_t e = 0; e < in[i]->numel; e++)
            if (dtype == STRIA_F32)
                ((float *)(void *)in[i]->data)[e] = (float)(pick(1001) - 500) / 100;
            else
                ((double *)(void *)in[i]->data)[e] = (pick(1001) - 500) / 100.0;
    OK(stria_recording_begin(&r, NULL));
    for (int i = 0; i < 2; i++) OK(stria_recording_add_input(r, in[i], &s[i], NULL));
    OK(stria_transpose(s[1], -1, -2, &t, NULL));
    OK(stria_matmul(s[0], t, &y[0], NULL));
    OK(stria_relu(y[0], &y[1], NULL));
    OK(stria_recording_end(r, y, 2, &g, NULL));
    RELEASE(s[0], s[1], t, y[0], y[1]);
    mlir_program p = mlir_program_new(g, "product");
    n_programs++;
    n_skipped += p.is_skipped;
    if (p.run != NULL) {
        OK(stria_graph_run_program(g, p.run, in, 2, NULL, 0, outs, NULL));
        OK(stria_graph_run(g, in, 2, y, NULL));
        OK(stria_abs(in[0], &a, NULL));
        OK(stria_abs(in[1], &b, NULL));
        OK(stria_transpose(b, -1, -2, &t, NULL));
        OK(stria_matmul(a, t, &sizes, NULL));
        const double unit = (double)(k + 2) * (dtype == STRIA_F32 ? 0x1p-23 : 0x1p-52);
        for (int64_t i = 0; i < sizes->numel; i++)
            CHECK(fabs(get(outs[0], i) - get(y[0], i)) <= unit * get(sizes, i), "%lld %lld %lld, element %lld",
                  (long long)m, (long long)k, (long long)n, (long long)i);
        RELEASE(outs[0], outs[1], y[0], y[1], a, b, t, sizes);
    }
    mlir_program_end(&p);
    RELEASE(in[0], in[1]);
    stria_graph_release(g);
}

/* ---------------------------------------------------------------- what goes wrong, and what is written to */

/* x.add_(1); y = relu(x); z = y[index] + x: an index out of range ends it, and what a step before wrote stays. */
static void check_failure(void)
{
    const int64_t    n = 5;
    stria_tensor    *in[2], *s[2], *y, *z, *v, *one, *out;
    stria_recording *r;
    stria_graph     *g;
    stria_error      err;

    OK(stria_tensor_new(STRIA_F32, 1, &n, &in[0], NULL));
    OK(stria_tensor_new(STRIA_I64, 1, &n, &in[1], NULL));
    for (int k = 0; k < n; k++)
        ((float *)(void *)in[0]->data)[k] = (float)k, ((int64_t *)(void *)in[1]->data)[k] = 4 - k;
    OK(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_INT, .i = 1}, &one, NULL));
    OK(stria_recording_begin(&r, NULL));
    for (int i = 0; i < 2; i++) OK(stria_recording_add_input(r, in[i], &s[i], NULL));
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){s[0], one}, 2, s[0], NULL));
    OK(stria_relu(s[0], &y, NULL));
    OK(stria_index_select(y, s[1], 0, &z, NULL));
    OK(stria_add(z, s[0], &v, NULL));
    OK(stria_recording_end(r, &v, 1, &g, NULL));
    RELEASE(s[0], s[1], y, z, v, one);
    compare(g, "indexed", in, 2);
    mlir_program p = mlir_program_new(g, "indexed");
    if (p.run != NULL) {
        const unsigned version = atomic_load(&in[0]->storage->version);
        OK(stria_graph_run_program(g, p.run, in, 2, NULL, 0, &out, NULL));
        CHECK(get(out, 0) == 6 && get(in[0], 0) == 1, "%g, %g", get(out, 0), get(in[0], 0));
        CHECK(atomic_load(&in[0]->storage->version) > version, "what was written to has another version");
        stria_tensor_release(out);
        ((int64_t *)(void *)in[1]->data)[2] = 5;
        stria_status status = stria_graph_run_program(g, p.run, in, 2, NULL, 0, &out, &err);
        CHECK(status == STRIA_ERR_ARGUMENT && strcmp(err.op, "index_select") == 0 && out == NULL, "%d, %s", (int)status,
              err.message);
        status = stria_graph_run_program(g, p.run, in, 1, NULL, 0, &out, &err);
        CHECK(status == STRIA_ERR_ARGUMENT && strcmp(err.argument, "n_in") == 0, "%d, %s", (int)status, err.message);
    }
    const stria_status status = stria_graph_run_program(g, NULL, in, 2, NULL, 0, &out, &err);
    CHECK(status == STRIA_ERR_ARGUMENT && strcmp(err.argument, "program") == 0, "%d, %s", (int)status, err.message);
    mlir_program_end(&p);
    RELEASE(in[0], in[1]);
    stria_graph_release(g);
}

/* held[1:] += x: of x apart from it the program does it; of x that lies in what is held the calls, which refuse it. */
static void check_overlap(void)
{
    const int64_t    n = 6;
    stria_tensor    *held, *part, *in, *x, *s, *out;
    stria_recording *r;
    stria_graph     *g;
    stria_error      err;

    OK(stria_tensor_new(STRIA_F64, 1, &n, &held, NULL));
    for (int k = 0; k < n; k++) ((double *)(void *)held->data)[k] = k;
    OK(stria_narrow(held, 0, 1, 5, &part, NULL));
    OK(stria_tensor_copy(part, STRIA_DTYPE_NONE, &in, NULL));
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, in, &s, NULL));
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){part, s}, 2, part, NULL));
    OK(stria_recording_end(r, &part, 1, &g, NULL));
    mlir_program p = mlir_program_new(g, "shifted");
    n_programs++;
    n_skipped += p.is_skipped;
    OK(stria_narrow(held, 0, 0, 5, &x, NULL));
    if (p.run != NULL) {
        const unsigned version = atomic_load(&held->storage->version);
        OK(stria_graph_run_program(g, p.run, &in, 1, NULL, 0, &out, NULL));
        for (int k = 0; k < n; k++) CHECK(get(held, k) == 2 * k, "element %d is %g", k, get(held, k));
        CHECK(atomic_load(&held->storage->version) > version, "what was written to has another version");
        stria_tensor_release(out);
        const stria_status status = stria_graph_run_program(g, p.run, &x, 1, NULL, 0, &out, &err);
        CHECK(status == STRIA_ERR_OVERLAP && out == NULL, "%d, %s", (int)status, err.message);
        for (int k = 0; k < n; k++) CHECK(get(held, k) == 2 * k, "element %d is %g", k, get(held, k));
    }
    mlir_program_end(&p);
    RELEASE(held, part, in, x, s);
    stria_graph_release(g);
}

SUITE(test_mlir_run)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_I32, STRIA_BOOL, STRIA_BF16, STRIA_U8, STRIA_I8,
                                         STRIA_U16, STRIA_I16, STRIA_U32, STRIA_U64,  STRIA_I64,  STRIA_F16};
    const stria_memory_stats before = stria_memory_get_stats();
    const int64_t            n_random = check_get_setting("STRIA_MLIR_PROGRAMS", 16);

    check_isa("test_mlir_run");
    n_programs = n_skipped = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)n_random && n_skipped == 0; seed++)
        check_random_program(seed, 4 + (int)(seed % 20));
    if (n_skipped == 0) {
        check_product(STRIA_F32, 0, 16, 10, 10);
        check_product(STRIA_F64, 0, 7, 33, 5);
        check_product(STRIA_F32, 3, 4, 5, 6);
        check_product(STRIA_F32, 0, 3, 0, 2);
        check_product(STRIA_F32, 0, 16, 512, 64);
        check_product(STRIA_F64, 0, 8, 100, 32);
        check_failure();
        check_overlap();
    }
    const size_t n_dtypes = n_random > 16 ? sizeof dtypes / sizeof *dtypes : 4;
    for (size_t k = 0; k < n_dtypes && n_skipped == 0; k++) check_ops(dtypes[k]);
    printf("  %d programs, %d skipped\n", n_programs, n_skipped);
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_storages == before.live_storages, "%lld storages are left",
          (long long)(after.live_storages - before.live_storages));
    const int status = check_finish("test_mlir_run");
    return status == 0 && n_skipped > 0 ? 77 : status;
}
