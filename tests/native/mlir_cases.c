/* mlir_cases.c - see the header. */
#include "mlir_cases.h"

#include "derivative_call.h"
#include "random_program.h"
#include "table/rows.h"

static random_state random_numbers;
static int          pick(int n) { return (int)(random_next(&random_numbers) % (uint64_t)n); }
int                 mlir_n_programs, mlir_n_skipped;

static mlir_program new_program(mlir_way way, stria_graph *g, const char *name)
{
    const mlir_program p = mlir_program_new(way, g, name);

    mlir_n_programs++;
    mlir_n_skipped += p.is_skipped;
    return p;
}

static stria_tensor *new_random(stria_dtype dtype, int ndim, const int64_t *shape)
{
    stria_tensor *x;

    OK(stria_tensor_new(dtype, ndim, shape, &x, NULL));
    for (int64_t i = 0; i < x->numel; i++)
        random_element(&random_numbers, dtype, -4, 4, x->data + i * stria_tensor_get_item_size(x));
    return x;
}

/* Runs g by its calls and as a program, on copies of the inputs; results and inputs are the same afterwards. */
static void compare(mlir_way way, stria_graph *g, const char *name, stria_tensor *const *in, int n_in)
{
    const int     n = stria_graph_get_info(g).n_results;
    stria_tensor *first[8], *second[8], **outs = calloc((size_t)(2 * n + 1), sizeof *outs);
    stria_error   err;

    for (int k = 0; k < n_in; k++) {
        OK(stria_tensor_copy(in[k], STRIA_DTYPE_NONE, &first[k], NULL));
        OK(stria_tensor_copy(in[k], STRIA_DTYPE_NONE, &second[k], NULL));
    }
    stria_status status = stria_graph_run(g, first, n_in, outs, &err);
    CHECK(status == STRIA_OK, "%s: %s", name, err.message);
    mlir_program p = new_program(way, g, name);
    if (p.is_there) {
        status = mlir_program_run(&p, second, n_in, outs + n, &err);
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

/* The pairs of special values, as far as there is room for them. */
static void put_pairs(stria_tensor *a, stria_tensor *b)
{
    const int     count = special_count(a->dtype);
    const int64_t size = stria_tensor_get_item_size(a);

    for (int64_t i = 0; i < a->numel && i < (int64_t)count * count; i++) {
        special_element(a->dtype, (uint64_t)(i % count), a->data + i * size);
        special_element(a->dtype, (uint64_t)(i / count), b->data + i * size);
    }
}

/* Every op of one dtype that takes it, as one program. */
void mlir_check_ops(mlir_way way, stria_dtype dtype)
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
    put_pairs(in[0], in[1]);
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
    compare(way, g, name, in, 4);
    printf("  %s: %d ops\n", name, n_results);
    release_all(n_results, results);
    release_all(4, in), release_all(4, s);
    stria_graph_release(g);
}

/* ---------------------------------------------------------------- whole numbers without a sign */

/* In short rows, numbers whose places all have one bit, from the negative of a truth and of a number with a sign that became wider; as
 * floats of each size. */
static void check_all_ones(mlir_way way, int64_t n)
{
    static const stria_dtype from[] = {STRIA_U8, STRIA_U16, STRIA_U32, STRIA_U64};
    static const stria_dtype to[] = {STRIA_F32, STRIA_F64, STRIA_BF16};
    enum { MOST = 2 * 4 * 3 };
    stria_tensor    *in, *s, *truth, *sign, *results[MOST];
    stria_recording *r;
    stria_graph     *g;
    char             name[32];
    int              n_results = 0;

    OK(stria_tensor_new(STRIA_F32, 1, &n, &in, NULL));
    for (int k = 0; k < n; k++) ((float *)(void *)in->data)[k] = (float)(k % 3 - 1);
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, in, &s, NULL));
    OK(stria_signbit(s, &truth, NULL));
    OK(stria_tensor_copy(s, STRIA_I8, &sign, NULL));
    for (int i = 0; i < 4; i++) {
        stria_tensor *one, *whole[2];
        OK(stria_tensor_copy(truth, from[i], &one, NULL));
        OK(stria_neg(one, &whole[0], NULL));
        OK(stria_tensor_copy(sign, from[i], &whole[1], NULL));
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < 3; j++)
                if (from[i] != STRIA_U64 || to[j] != STRIA_BF16) /* that is a call */
                    OK(stria_tensor_copy(whole[k], to[j], &results[n_results++], NULL));
        RELEASE(one, whole[0], whole[1]);
    }
    OK(stria_recording_end(r, results, n_results, &g, NULL));
    snprintf(name, sizeof name, "ones_%d", (int)n);
    CHECK(count_calls(g) == 0, "%s: %d conversions are calls", name, count_calls(g));
    compare(way, g, name, &in, 1);
    release_all(n_results, results);
    RELEASE(in, s, truth, sign);
    stria_graph_release(g);
}

/* Numbers at which a conversion rounds, or which would be negative. */
static void check_rounded(mlir_way way)
{
    static const uint64_t values[] = {0,
                                      1,
                                      255,
                                      65535,
                                      0xFFFFFF,
                                      0x1000001,
                                      0x1000003,
                                      0x7FFFFFBF,
                                      0x7FFFFFC0,
                                      0x80000000,
                                      0x80000080,
                                      0x80000081,
                                      0x80000180,
                                      0xFFFFFF7F,
                                      0xFFFFFF80,
                                      0xFFFFFFFF,
                                      0x20000000000001,
                                      0x20000000000003,
                                      0x7FFFFFFFFFFFFFFF,
                                      0x8000000000000000,
                                      0x8000000000000400,
                                      0x8000000000000401,
                                      0x8000000000000C00,
                                      0x8000008000000000,
                                      0x8000008000000001,
                                      0xFFFFFF7FFFFFFFFF,
                                      0xFFFFFFFFFFFFFBFF,
                                      0xFFFFFFFFFFFFFC00,
                                      UINT64_MAX};
    const int64_t         n = sizeof values / sizeof *values;
    stria_tensor         *in[2], *s[2], *results[5];
    stria_recording      *r;
    stria_graph          *g;

    OK(stria_tensor_new_copy_of(STRIA_U64, 1, &n, values, sizeof values, &in[0], NULL));
    OK(stria_tensor_copy(in[0], STRIA_U32, &in[1], NULL));
    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < 2; k++) {
        OK(stria_recording_add_input(r, in[k], &s[k], NULL));
        OK(stria_tensor_copy(s[k], STRIA_F32, &results[2 * k], NULL));
        OK(stria_tensor_copy(s[k], STRIA_F64, &results[2 * k + 1], NULL));
    }
    OK(stria_tensor_copy(s[1], STRIA_F16, &results[4], NULL));
    OK(stria_recording_end(r, results, 5, &g, NULL));
    CHECK(count_calls(g) == 0, "%d conversions are calls", count_calls(g));
    compare(way, g, "rounded", in, 2);
    release_all(5, results);
    RELEASE(in[0], in[1], s[0], s[1]);
    stria_graph_release(g);
}

void mlir_check_unsigned(mlir_way way)
{
    check_all_ones(way, 4);
    check_all_ones(way, 16);
    check_rounded(way);
}

/* ---------------------------------------------------------------- random programs */

void mlir_check_random_program(mlir_way way, uint64_t seed, int n_steps)
{
    random_program   p = {.numbers = {seed}};
    stria_tensor    *in[3];
    stria_recording *r;
    stria_graph     *g;
    stria_error      err;
    char             name[32];

    const int n = 1 + random_program_pick(&p, 3);
    for (int k = 0; k < n; k++) in[k] = random_program_new_input(&p);
    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < n; k++) OK(stria_recording_add_input(r, in[k], &p.at[p.n++], NULL));
    random_program_run(&p, n_steps);
    const stria_status status = stria_recording_end(r, p.at, p.n, &g, &err);
    CHECK(status == STRIA_OK, "seed %llu: %s", (unsigned long long)seed, err.message);
    snprintf(name, sizeof name, "program_%llu", (unsigned long long)seed);
    compare(way, g, name, in, n);
    release_all(n, in);
    random_program_end(&p);
    stria_graph_release(g);
}

/* ---------------------------------------------------------------- products */

static double get(const stria_tensor *x, int64_t i)
{
    return x->dtype == STRIA_F32 ? (double)((const float *)(const void *)x->data)[i]
                                 : ((const double *)(const void *)x->data)[i];
}

/* a b and a transposed b, within K + 2 units of what the sizes of the products sum up to; relu(a b + 1). */
void mlir_check_product(mlir_way way, stria_dtype dtype, int batch, int64_t m, int64_t k, int64_t n)
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
    OK(stria_graph_run(g, in, 2, y, NULL));
    mlir_program p = new_program(way, g, "product");
    if (p.is_there) {
        OK(mlir_program_run(&p, in, 2, outs, NULL));
        OK(stria_abs(in[0], &a, NULL));
        OK(stria_abs(in[1], &b, NULL));
        OK(stria_transpose(b, -1, -2, &t, NULL));
        OK(stria_matmul(a, t, &sizes, NULL));
        const double unit = (double)(k + 2) * (dtype == STRIA_F32 ? 0x1p-23 : 0x1p-52);
        for (int64_t i = 0; i < sizes->numel; i++)
            CHECK(fabs(get(outs[0], i) - get(y[0], i)) <= unit * get(sizes, i), "%lld %lld %lld, element %lld",
                  (long long)m, (long long)k, (long long)n, (long long)i);
        RELEASE(outs[0], outs[1], a, b, t, sizes);
    }
    RELEASE(y[0], y[1]);
    mlir_program_end(&p);
    RELEASE(in[0], in[1]);
    stria_graph_release(g);
}

/* ---------------------------------------------------------------- quick forms */

/* exp(-x) b of n rows, b one row; x = exp(x) afterwards if is_in_place. Of each third block one element is beyond the quick form of exp. */
static void check_far(mlir_way way, stria_dtype dtype, int64_t n, int64_t width, bool is_in_place)
{
    static const float far[] = {100, -100, 87.4f, -87.4f, INFINITY, -INFINITY, NAN, 86.00001f, 86};
    stria_tensor      *in[2], *s[2], *y[3], *x;
    stria_recording   *r;
    stria_graph       *g;

    OK(stria_tensor_new(STRIA_F32, 2, SHAPE(n, width), &x, NULL));
    for (int64_t i = 0; i < x->numel; i++) ((float *)(void *)x->data)[i] = (float)(pick(2001) - 1000) / 20;
    for (int64_t i = 0, k = 0; i < x->numel; i += 1500, k++) ((float *)(void *)x->data)[i] = far[k % 9];
    ((float *)(void *)x->data)[x->numel - 1] = far[pick(9)];
    OK(stria_tensor_copy(x, dtype, &in[0], NULL));
    in[1] = new_random(STRIA_F32, 1, &width);
    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < 2; k++) OK(stria_recording_add_input(r, in[k], &s[k], NULL));
    OK(stria_neg(s[0], &y[0], NULL));
    OK(stria_exp(y[0], &y[1], NULL));
    OK(stria_mul(y[1], s[1], &y[2], NULL));
    if (is_in_place) OK(stria_apply_out(STRIA_OP_exp, (const stria_tensor *[]){s[0]}, 1, s[0], NULL));
    OK(stria_recording_end(r, &y[2], 1, &g, NULL));
    compare(way, g, "far", in, 2);
    stria_graph_release(g);
    RELEASE(in[0], in[1], s[0], s[1], y[0], y[1], y[2], x);
}

/* cumsum(exp(cumsum(x))): exp writes to the place in the arena that it reads from, so that it cannot be computed again. */
static void check_far_in_place(mlir_way way)
{
    const int64_t    n = 300;
    stria_tensor    *x, *s, *y[3];
    stria_recording *r;
    stria_graph     *g;

    OK(stria_tensor_new(STRIA_F32, 1, &n, &x, NULL));
    for (int k = 0; k < n; k++) ((float *)(void *)x->data)[k] = k == 0 ? -95 : 0.3f; /* up to -5: the first are far */
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &s, NULL));
    OK(stria_cumsum(s, 0, STRIA_DTYPE_NONE, &y[0], NULL));
    OK(stria_exp(y[0], &y[1], NULL));
    OK(stria_cumsum(y[1], 0, STRIA_DTYPE_NONE, &y[2], NULL));
    OK(stria_recording_end(r, &y[2], 1, &g, NULL));
    compare(way, g, "handed_on", &x, 1);
    stria_graph_release(g);
    RELEASE(x, s, y[0], y[1], y[2]);
}

void mlir_check_far(mlir_way way)
{
    check_far_in_place(way);
    random_numbers = (random_state){7};
    check_far(way, STRIA_F32, 1, 63, false);
    check_far(way, STRIA_F32, 1, 300, true);
    check_far(way, STRIA_F32, 1, 16384, false); /* blocks of 2,048 */
    check_far(way, STRIA_F32, 1, 12301, false); /* a prime: blocks of 1,024, and a rest */
    check_far(way, STRIA_F32, 7, 700, true);
    check_far(way, STRIA_BF16, 3, 4100, true);
}

/* ---------------------------------------------------------------- what goes wrong, and what is written to */

/* x.add_(1); y = relu(x); z = y[index] + x: an index out of range ends it, and what a step before wrote stays. */
void mlir_check_failure(mlir_way way)
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
    compare(way, g, "indexed", in, 2);
    mlir_program p = new_program(way, g, "indexed");
    if (p.is_there) {
        const unsigned version = atomic_load(&in[0]->storage->version);
        OK(mlir_program_run(&p, in, 2, &out, NULL));
        CHECK(get(out, 0) == 6 && get(in[0], 0) == 1, "%g, %g", get(out, 0), get(in[0], 0));
        CHECK(atomic_load(&in[0]->storage->version) > version, "what was written to has another version");
        stria_tensor_release(out);
        ((int64_t *)(void *)in[1]->data)[2] = 5;
        stria_status status = mlir_program_run(&p, in, 2, &out, &err);
        CHECK(status == STRIA_ERR_ARGUMENT && strcmp(err.op, "index_select") == 0 && out == NULL, "%d, %s", (int)status,
              err.message);
        status = mlir_program_run(&p, in, 1, &out, &err);
        CHECK(status == STRIA_ERR_ARGUMENT && strcmp(err.argument, "n_in") == 0, "%d, %s", (int)status, err.message);
    }
    const stria_status status = stria_graph_run_program(g, NULL, in, 2, NULL, 0, &out, &err);
    CHECK(status == STRIA_ERR_ARGUMENT && strcmp(err.argument, "program") == 0, "%d, %s", (int)status, err.message);
    mlir_program_end(&p);
    RELEASE(in[0], in[1]);
    stria_graph_release(g);
}

/* held[1:] += x: of x apart from it the program does it; of x that lies in what is held the calls, which refuse it. */
void mlir_check_overlap(mlir_way way)
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
    mlir_program p = new_program(way, g, "shifted");
    OK(stria_narrow(held, 0, 0, 5, &x, NULL));
    if (p.is_there) {
        const unsigned version = atomic_load(&held->storage->version);
        OK(mlir_program_run(&p, &in, 1, &out, NULL));
        for (int k = 0; k < n; k++) CHECK(get(held, k) == 2 * k, "element %d is %g", k, get(held, k));
        CHECK(atomic_load(&held->storage->version) > version, "what was written to has another version");
        stria_tensor_release(out);
        const stria_status status = mlir_program_run(&p, &x, 1, &out, &err);
        CHECK(status == STRIA_ERR_OVERLAP && out == NULL, "%d, %s", (int)status, err.message);
        for (int k = 0; k < n; k++) CHECK(get(held, k) == 2 * k, "element %d is %g", k, get(held, k));
    }
    mlir_program_end(&p);
    RELEASE(held, part, in, x, s);
    stria_graph_release(g);
}

const stria_dtype *mlir_get_dtypes(int *n)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_I32, STRIA_BOOL, STRIA_BF16, STRIA_U8, STRIA_I8,
                                         STRIA_U16, STRIA_I16, STRIA_U32, STRIA_U64,  STRIA_I64,  STRIA_F16};

    *n = (int)(sizeof dtypes / sizeof *dtypes);
    return dtypes;
}
