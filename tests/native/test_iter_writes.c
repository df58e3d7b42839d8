/* test_iter_writes.c - what a program writes through the iterator, or by an address, counts as written, once a run: a gradient that needs
 * the elements of before is refused. The library's own calls count their writes once, whatever way they take. */
#include <stdatomic.h>

#include "gradients.h"
#include "iter.h"

#define N 100000 /* enough for several threads */

static unsigned version_of(const stria_tensor *x) { return atomic_load(&x->storage->version); }

static stria_tensor *new_zeros(stria_dtype dtype, int ndim, const int64_t *shape)
{
    stria_tensor *x = NULL;

    OK(stria_zeros(shape, ndim, dtype, STRIA_CPU, &x, NULL));
    return x;
}

/* ---------------------------------------------------------------- loops: out = in, or out += in */

static void copy_2d(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    (void)context;
    for (int64_t j = 0; j < n1; j++)
        for (int64_t i = 0; i < n0; i++)
            memcpy(data[0] + i * strides[0] + j * strides[2], data[1] + i * strides[1] + j * strides[3],
                   sizeof(double));
}

static void add_2d(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    (void)context;
    for (int64_t j = 0; j < n1; j++)
        for (int64_t i = 0; i < n0; i++)
            *(double *)(void *)(data[0] + i * strides[0] + j * strides[2]) +=
                *(const double *)(const void *)(data[1] + i * strides[1] + j * strides[3]);
}

static void add_1d(void *context, char *const *data, const int64_t *strides, int64_t count)
{
    (void)context;
    for (int64_t i = 0; i < count; i++)
        *(double *)(void *)(data[0] + i * strides[0]) += *(const double *)(const void *)(data[1] + i * strides[1]);
}

static void copy_1d(void *context, char *const *data, const int64_t *strides, int64_t count)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) memcpy(data[0] + i * strides[0], data[1] + i * strides[1], sizeof(double));
}

static stria_status add_part(void *context, stria_iter *part, stria_error *err)
{
    (void)err;
    stria_iter_run_range(part, add_2d, context, 0, stria_iter_get_numel(part));
    return STRIA_OK;
}

static stria_status fail_part(void *context, stria_iter *part, stria_error *err)
{
    (void)part, (void)err;
    ++*(int *)context;
    return STRIA_ERR_ARGUMENT;
}

/* ---------------------------------------------------------------- runs of a program */

static void build_unary(stria_iter *it, stria_tensor *out, const stria_tensor *x)
{
    stria_iter_config config;

    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, out, x);
    OK(stria_iter_build(it, &config, NULL));
}

static void build_reduction(stria_iter *it, stria_tensor *view, const stria_tensor *x)
{
    stria_iter_config config;

    stria_iter_config_init(&config);
    stria_iter_config_set_reduce_op(&config, view, x);
    OK(stria_iter_build(it, &config, NULL));
}

/* Every way to run a loop element by element; each counts so many writes. */
static void run_for_each(const stria_iter *it) { stria_iter_for_each(it, copy_2d, NULL, 0); }
static void run_range(const stria_iter *it) { stria_iter_run_range(it, copy_2d, NULL, 0, stria_iter_get_numel(it)); }
static void run_buffered(const stria_iter *it) { OK(stria_iter_for_each_buffered(it, NULL, copy_1d, NULL, 0, NULL)); }

static void run_split(const stria_iter *it) { OK(stria_iter_with_32bit_indexing(it, add_part, NULL, NULL)); }

static void run_cursor(const stria_iter *it)
{
    stria_iter_cursor c;

    OK(stria_iter_cursor_init(&c, it, 0, stria_iter_get_numel(it), false, NULL));
    for (; c.count > 0; stria_iter_cursor_next(&c)) memcpy(c.data[0], c.data[1], sizeof(double));
}

static void run_cursor_half(const stria_iter *it)
{
    stria_iter_cursor c;

    OK(stria_iter_cursor_init(&c, it, 0, stria_iter_get_numel(it), true, NULL));
    memcpy(c.data[0], c.data[1], sizeof(double));
}

static const struct {
    const char *name;
    void (*run)(const stria_iter *it);
    unsigned n_writes;
} ways[] = {
    {"for_each", run_for_each, 1}, {"run_range", run_range, 1}, {"buffered", run_buffered, 1},
    {"32-bit", run_split, 1},      {"cursor", run_cursor, 2},   {"half of a cursor", run_cursor_half, 1},
};
enum { N_WAYS = sizeof ways / sizeof *ways };

static void check_counts(void)
{
    stria_tensor *x = new_zeros(STRIA_F64, 1, SHAPE(N)), *out = new_zeros(STRIA_F64, 1, SHAPE(N)), *part;
    stria_iter    it;

    OK(stria_slice(out, 0, 10, INT64_MAX, 1, &part, NULL));
    for (int k = 0; k < N_WAYS; k++) {
        build_unary(&it, out, x);
        const unsigned before = version_of(out), of_input = version_of(x);
        ways[k].run(&it);
        stria_iter_release(&it);
        CHECK(version_of(part) - before == ways[k].n_writes, "%s counts %u writes", ways[k].name,
              version_of(part) - before);
        CHECK(version_of(x) == of_input, "%s counts a write to its input", ways[k].name);
    }
    RELEASE(x, out, part);
    /* nothing is written */
    x = new_zeros(STRIA_F64, 1, SHAPE(0)), out = new_zeros(STRIA_F64, 1, SHAPE(0));
    for (int k = 0; k < N_WAYS - 1; k++) {
        build_unary(&it, out, x);
        const unsigned before = version_of(out);
        ways[k].run(&it);
        stria_iter_release(&it);
        CHECK(version_of(out) == before, "%s of nothing counts a write", ways[k].name);
    }
    RELEASE(x, out);
}

/* y = x * w has saved w, which each way then writes to. */
static void check_refused(void)
{
    stria_tensor *x = new_leaf(1, SHAPE(3), (double[]){1, 2, 3}), *w = NULL, *z = NULL, *y;
    stria_iter    it;

    OK(stria_tensor_new_copy_of(STRIA_F64, 1, SHAPE(3), (double[]){1, 2, 3}, 24, &w, NULL));
    OK(stria_tensor_new_copy_of(STRIA_F64, 1, SHAPE(3), (double[]){7, 8, 9}, 24, &z, NULL));
    for (int k = 0; k < N_WAYS; k++) {
        OK(stria_mul(x, w, &y, NULL));
        build_unary(&it, w, z);
        ways[k].run(&it);
        stria_iter_release(&it);
        REFUSED(backward_sum(y, 0, &err), STRIA_ERR_ARGUMENT, "backward", "mul",
                "input number 1, which was changed in place since, by an iterator");
    }
    OK(stria_mul(x, w, &y, NULL));
    OK(stria_apply_out(STRIA_OP_neg, (const stria_tensor *const[]){w}, 1, w, NULL)); /* a call is named instead */
    REFUSED(backward_sum(y, 0, &err), STRIA_ERR_ARGUMENT, "backward", "mul", "changed in place since, by neg");
    OK(stria_mul(x, w, &y, NULL));
    *(double *)stria_tensor_get_data(w) = 5;
    stria_tensor_set_written(w);
    stria_tensor_set_written(NULL);
    stria_error err = {0};
    CHECK_STATUS(backward_sum(y, 0, &err), STRIA_ERR_ARGUMENT);
    CHECK(strstr(err.message, "input number 1, which was changed in place since"), "%s", err.message);
    CHECK(strstr(err.message, "since, by") == NULL, "nobody is known to have written: %s", err.message);
    RELEASE(x, w, z);
}

/* What is saved while a cursor is on its way is not what is there when it has passed the end, or was set. */
static void check_cursor_left(void)
{
    stria_tensor     *x = new_leaf(1, SHAPE(2), (double[]){1, 2}), *w = new_zeros(STRIA_F64, 1, SHAPE(2)), *y;
    stria_iter        it;
    stria_iter_cursor c;

    build_unary(&it, w, x);
    for (int is_set = 0; is_set < 2; is_set++) {
        OK(stria_iter_cursor_init(&c, &it, 0, 2, false, NULL));
        OK(stria_mul(x, w, &y, NULL));
        if (is_set) OK(stria_iter_cursor_set(&c, 1, NULL));
        memcpy(c.data[0], c.data[1], sizeof(double));
        while (!is_set && c.count > 0) stria_iter_cursor_next(&c);
        REFUSED(backward_sum(y, 0, &err), STRIA_ERR_ARGUMENT, "backward", "mul", "by an iterator");
    }
    stria_iter_release(&it);
    RELEASE(x, w);
}

/* A reduction of many results, of few and of one counts one write, also where it fails. */
static void check_reductions(void)
{
    static const int64_t shapes[][2] = {{1000, 100}, {4, 25000}, {1, 100000}, {2, 3}};
    stria_iter           it;

    for (int k = 0; k < 4; k++) {
        stria_tensor *x = new_zeros(STRIA_F64, 2, shapes[k]), *y = new_zeros(STRIA_F64, 1, shapes[k]), *view;
        int           n_calls = 0;
        OK(stria_iter_view_reduced(y, 2, 2, false, &view, NULL));
        build_reduction(&it, view, x);
        unsigned before = version_of(y);
        OK(stria_iter_parallel_reduce(&it, add_2d, NULL, NULL));
        CHECK(version_of(y) == before + 1, "parallel_reduce counts %u writes", version_of(y) - before);
        before = version_of(y);
        OK(stria_iter_for_each_buffered(&it, NULL, add_1d, NULL, 0, NULL));
        CHECK(version_of(y) == before + 1, "for_each_buffered counts %u writes", version_of(y) - before);
        before = version_of(y);
        OK(stria_iter_foreach_reduced_elt(&it, add_part, NULL, NULL));
        /* the part of the only result is the iterator itself, whose run counts, too */
        CHECK(version_of(y) - before == (shapes[k][0] == 1 ? 2 : 1), "foreach_reduced_elt counts %u writes",
              version_of(y) - before);
        stria_iter_release(&it);
        build_reduction(&it, view, x);
        before = version_of(y);
        OK(stria_threads_set(1, NULL));
        CHECK_STATUS(stria_iter_foreach_reduced_elt(&it, fail_part, &n_calls, NULL), STRIA_ERR_ARGUMENT);
        OK(stria_threads_set(3, NULL));
        CHECK(version_of(y) == before + 1 && n_calls == 1, "one that fails counts %u writes", version_of(y) - before);
        stria_iter_release(&it);
        RELEASE(x, y, view);
    }
}

/* A temporary in place of an output is written by the loop, and the output when it is cast back. */
static void check_cast_back(void)
{
    stria_tensor     *x = new_zeros(STRIA_F64, 1, SHAPE(4)), *out = new_zeros(STRIA_F32, 1, SHAPE(4));
    stria_tensor     *a = new_leaf(1, SHAPE(4), (double[]){1, 2, 3, 4}), *y;
    stria_iter        it;
    stria_iter_config config;

    stria_iter_config_init(&config);
    stria_iter_config_set_binary_op(&config, out, x, x);
    OK(stria_iter_build(&it, &config, NULL));
    OK(stria_mul(a, out, &y, NULL));
    const unsigned before = version_of(out);
    stria_iter_for_each(&it, copy_2d, NULL, 0);
    CHECK(version_of(out) == before, "a write to the temporary counts");
    OK(stria_iter_cast_outputs(&it, NULL));
    CHECK(version_of(out) == before + 1, "casting back counts %u writes", version_of(out) - before);
    stria_iter_release(&it);
    REFUSED(backward_sum(y, 0, &err), STRIA_ERR_ARGUMENT, "backward", "mul", "by an iterator");
    RELEASE(x, out, a);
}

/* ---------------------------------------------------------------- the library's calls */

static void check_calls(void)
{
    stria_tensor *x = new_zeros(STRIA_F64, 2, SHAPE(300, 200)), *out = new_zeros(STRIA_F64, 2, SHAPE(200, 300)), *t;
    stria_tensor *half = new_zeros(STRIA_F16, 2, SHAPE(300, 200)), *z = new_zeros(STRIA_C64, 2, SHAPE(300, 200)), *zt;
    static const stria_instruction code[] = {{STRIA_OP_add, {0, 1}}, {STRIA_OP_neg, {2}}};
    stria_expression              *e;

    OK(stria_transpose(out, 0, 1, &t, NULL));
    OK(stria_transpose(z, 0, 1, &zt, NULL));
    OK(stria_expression_new(2, NULL, 0, code, 2, &e, NULL));
    unsigned before = version_of(out);
    OK(stria_apply_out(STRIA_OP_neg, (const stria_tensor *const[]){x}, 1, t, NULL));
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *const[]){half, x}, 2, t, NULL));
    OK(stria_tensor_set(t, x, NULL));
    OK(stria_expression_apply_out(e, (const stria_tensor *const[]){x, half}, 2, t, NULL));
    CHECK(version_of(out) == before + 4, "4 calls count %u writes", version_of(out) - before);
    before = version_of(z);
    const stria_tensor *const turned[] = {zt, zt};
    OK(stria_apply_out(STRIA_OP_add, turned, 2, zt, NULL));
    CHECK(version_of(z) == before + 1, "a complex call counts %u writes", version_of(z) - before);
    stria_expression_release(e);
    RELEASE(x, out, t, half, z, zt);
}

SUITE(test_iter_writes)
{
    const int before = stria_threads_get();

    OK(stria_threads_set(3, NULL));
    check_counts();
    check_refused();
    check_cursor_left();
    check_reductions();
    check_cast_back();
    check_calls();
    OK(stria_threads_set(before, NULL));
    return check_finish("test_iter_writes");
}
