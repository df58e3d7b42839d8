/* test_iter_reduce.c - stria_iter_parallel_reduce and stria_iter_foreach_reduced_elt: what they compute, for any number of
 * threads and any layout, against plain nested loops; failures of parts; calls from inside a parallel region. */
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "iter.h"
#include "oracle.h"
#include "tensor/tensor.h"
#include "base/parallel.h"

static random_state random_source = {20240607};

static int64_t pick(int64_t n) { return (int64_t)(random_next(&random_source) % (uint64_t)n); }

/* ---------------------------------------------------------------- an input, and the view of an output */

typedef struct problem {
    int           ndim;
    int64_t       shape[4], kept[4]; /* kept: with size 1 where reduced */
    stria_tensor *x, *out, *view, *second, *second_view;
    uint64_t      reduced;
    stria_status  status;
} problem;

static stria_tensor *new_output(const problem *p, stria_tensor **view)
{
    stria_tensor *out = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_I64, p->ndim, p->kept, &out, NULL), STRIA_OK);
    memset(stria_tensor_get_data(out), 0, (size_t)stria_tensor_get_numel(out) * 8);
    CHECK_STATUS(stria_iter_view_reduced(out, p->ndim, p->reduced, true, view, NULL), STRIA_OK);
    return out;
}

/* Every layout that can be got by permuting and flipping; sizes so that some need several threads. */
static void make_problem(problem *p, int which, uint64_t reduced)
{
    static const int64_t sizes[][4] = {{50, 60, 70},     {3, 40000}, {40000, 3}, {7, 5, 11, 13}, {100000},
                                       {2, 2, 33000, 1}, {300, 301}, {1, 9, 1},  {8, 0, 5}};
    static const int     ndims[] = {3, 2, 2, 4, 1, 4, 2, 3, 3};
    int64_t              base[4];
    int                  order[4], inverse[4];

    memset(p, 0, sizeof *p);
    p->ndim = ndims[which];
    p->reduced = reduced & ((UINT64_C(1) << p->ndim) - 1);
    for (int d = 0; d < p->ndim; d++) order[d] = d;
    for (int d = p->ndim - 1; d > 0; d--) {
        const int e = (int)pick(d + 1), swapped = order[d];
        order[d] = order[e];
        order[e] = swapped;
    }
    for (int d = 0; d < p->ndim; d++) {
        p->shape[d] = sizes[which][d];
        p->kept[d] = (p->reduced >> d) & 1 ? 1 : p->shape[d];
        base[order[d]] = p->shape[d];
        inverse[d] = order[d];
    }
    stria_tensor *memory = NULL, *turned = NULL;
    CHECK_STATUS(stria_tensor_new(STRIA_I32, p->ndim, base, &memory, NULL), STRIA_OK);
    for (int64_t i = 0; i < stria_tensor_get_numel(memory); i++) {
        ((int32_t *)stria_tensor_get_data(memory))[i] = (int32_t)pick(1 << 20) - (1 << 19);
    }
    CHECK_STATUS(stria_permute(memory, inverse, p->ndim, &turned, NULL), STRIA_OK);
    const int axis = (int)pick(p->ndim);
    CHECK_STATUS(stria_flip(turned, &axis, (int)pick(2), &p->x, NULL), STRIA_OK);
    stria_tensor_release(memory);
    stria_tensor_release(turned);
    p->out = new_output(p, &p->view);
    p->second = new_output(p, &p->second_view);
}

static void end_problem(problem *p)
{
    stria_tensor_release(p->x);
    stria_tensor_release(p->view);
    stria_tensor_release(p->second_view);
    stria_tensor_release(p->out);
    stria_tensor_release(p->second);
}

/* Sums (start: what the outputs hold) and largest elements, element by element. */
static void check_outputs(const problem *p, const char *what, int threads, int64_t start, bool has_largest)
{
    int64_t index[4] = {0}, at[4];
    bool    more = true, same = true;

    for (int d = 0; d < p->ndim; d++) more &= p->kept[d] > 0;
    while (more) {
        int64_t sum = start, largest = INT64_MIN;
        memcpy(at, index, sizeof at);
        bool inside = true;
        for (int d = 0; d < p->ndim; d++) inside &= p->shape[d] > 0;
        while (inside) {
            const int64_t v = *(int32_t *)(void *)tensor_at(p->x, at);
            sum += v;
            if (v > largest) largest = v;
            inside = false;
            for (int d = p->ndim - 1; d >= 0 && !inside; d--) {
                if (!((p->reduced >> d) & 1)) continue;
                inside = ++at[d] < p->shape[d];
                if (!inside) at[d] = 0;
            }
        }
        same &= *(int64_t *)(void *)tensor_at(p->out, index) == sum;
        if (has_largest) same &= *(int64_t *)(void *)tensor_at(p->second, index) == largest;
        more = index_next(p->ndim, p->kept, index);
    }
    CHECK(same, "%s with %d threads: %d dims, reduced %llx", what, threads, p->ndim, (unsigned long long)p->reduced);
}

/* ---------------------------------------------------------------- loops */

static void sum_loop(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    (void)context;
    for (int64_t j = 0; j < n1; j++) {
        for (int64_t i = 0; i < n0; i++) {
            *(int64_t *)(void *)(data[0] + i * strides[0] + j * strides[2]) +=
                *(int64_t *)(void *)(data[1] + i * strides[1] + j * strides[3]);
        }
    }
}

typedef struct sum_and_max {
    int64_t sum, largest;
} sum_and_max;

static void both_loop(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    sum_and_max *acc = context;

    for (int64_t j = 0; j < n1; j++) {
        for (int64_t i = 0; i < n0; i++) {
            const int64_t v = *(int32_t *)(void *)(data[2] + i * strides[2] + j * strides[5]);
            acc->sum += v;
            if (v > acc->largest) acc->largest = v;
        }
    }
}

static stria_status both_part(void *context, stria_iter *part, stria_error *err)
{
    sum_and_max acc = {0, INT64_MIN};

    (void)context;
    (void)err;
    stria_iter_run_range(part, both_loop, &acc, 0, stria_iter_get_numel(part));
    *(int64_t *)(void *)stria_iter_get_data(part, 0) = acc.sum;
    *(int64_t *)(void *)stria_iter_get_data(part, 1) = acc.largest;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- against nested loops */

/* The slots of the two passes are of the output's dtype, so the input is converted to it. */
static stria_status run_sum(const problem *p, bool is_linear)
{
    stria_tensor     *wide = NULL;
    stria_iter_config config;
    stria_iter        it;

    if (stria_tensor_copy(p->x, STRIA_I64, &wide, NULL) != STRIA_OK) return STRIA_ERR_MEMORY;
    stria_iter_config_init(&config);
    stria_iter_config_set_reduce_op(&config, p->view, wide);
    stria_iter_config_set_enforce_linear_iteration(&config, is_linear);
    stria_status status = stria_iter_build(&it, &config, NULL);
    if (status == STRIA_OK) {
        status = stria_iter_parallel_reduce(&it, sum_loop, NULL, NULL);
        stria_iter_release(&it);
    }
    stria_tensor_release(wide);
    return status;
}

static stria_status run_both(const problem *p, stria_iter_part_fn *fn, void *context, stria_error *err)
{
    stria_iter_config config;
    stria_iter        it;

    stria_iter_config_init(&config);
    stria_iter_config_set_reduce_op_pair(&config, p->view, p->second_view, p->x);
    stria_status status = stria_iter_build(&it, &config, err);
    if (status != STRIA_OK) return status;
    status = stria_iter_foreach_reduced_elt(&it, fn, context, err);
    stria_iter_release(&it);
    return status;
}

static void check_values(void)
{
    static const int threads[] = {1, 2, 3, 4, 8};
    const int64_t    n = check_get_count(180);
    int              count = 0;

    for (int number = 0; number < n; number++) {
        problem        p;
        const int      n_threads = threads[number % 5];
        const uint64_t reduced = random_next(&random_source);
        make_problem(&p, number % 9, reduced);
        CHECK_STATUS(stria_threads_set(n_threads, NULL), STRIA_OK);
        CHECK_STATUS(run_sum(&p, number % 4 == 3), STRIA_OK);
        check_outputs(&p, "parallel_reduce", n_threads, 0, false);
        count += stria_tensor_get_numel(p.x) >= 32768;
        end_problem(&p);
        make_problem(&p, number % 9, reduced);
        CHECK_STATUS(run_both(&p, both_part, NULL, NULL), STRIA_OK);
        if (stria_tensor_get_numel(p.x) > 0) check_outputs(&p, "foreach_reduced_elt", n_threads, 0, true);
        end_problem(&p);
    }
    CHECK(count > n / 9 * 5, "%d large problems", count);
}

/* What an output of several elements holds is combined with the result. */
static void check_accumulation(void)
{
    const int64_t shape[2] = {200, 300}, kept[2] = {200, 1};
    stria_tensor *x = NULL, *out = NULL, *view = NULL;
    int64_t       index[2] = {0};
    bool          same = true;

    CHECK_STATUS(stria_threads_set(4, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(shape, 2, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 3}, STRIA_I64, STRIA_CPU, &x, NULL),
                 STRIA_OK);
    CHECK_STATUS(
        stria_full(kept, 2, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 7}, STRIA_I64, STRIA_CPU, &out, NULL),
        STRIA_OK);
    CHECK_STATUS(stria_iter_view_reduced(out, 2, 2, true, &view, NULL), STRIA_OK);
    stria_iter_config config;
    stria_iter        it;
    stria_iter_config_init(&config);
    stria_iter_config_set_reduce_op(&config, view, x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    CHECK_STATUS(stria_iter_parallel_reduce(&it, sum_loop, NULL, NULL), STRIA_OK);
    for (index[0] = 0; index[0] < 200; index[0]++) same &= *(int64_t *)(void *)tensor_at(out, index) == 7 + 900;
    CHECK(same, "a kept dim: what the output held is not combined once");
    stria_iter_release(&it);
    stria_tensor_release(view);
    stria_tensor_release(out);
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- failures, misuse, nesting */

static stria_status fail_part(void *context, stria_iter *part, stria_error *err)
{
    atomic_int *calls = context;

    (void)part;
    return atomic_fetch_add(calls, 1) == 5 ? stria_error_set(err, STRIA_ERR_EMPTY, "part", NULL, NULL, NULL, "no more")
                                           : STRIA_OK;
}

static void check_failures_of_parts(void)
{
    for (int threads = 1; threads <= 4; threads += 3) {
        problem     p;
        stria_error err = {0};
        atomic_int  calls = 0;
        make_problem(&p, 0, 1);
        CHECK_STATUS(stria_threads_set(threads, NULL), STRIA_OK);
        CHECK_STATUS(run_both(&p, fail_part, &calls, &err), STRIA_ERR_EMPTY);
        CHECK(strcmp(err.message, "part: no more") == 0, "%s", err.message);
        CHECK(calls >= 6 && calls < 4200, "%d parts", calls);
        end_problem(&p);
    }
}

/* Not a reduction; two outputs where one is possible; a linear order that puts a kept dim first. */
static void check_misuse(void)
{
    problem           p;
    stria_iter_config config;
    stria_iter        it;
    stria_error       err;

    make_problem(&p, 6, 1);
    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, NULL, p.x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    CHECK_STATUS(stria_iter_parallel_reduce(&it, sum_loop, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.op, "parallel_reduce") == 0 && strcmp(err.argument, "iter") == 0, "%s", err.message);
    CHECK_STATUS(stria_iter_foreach_reduced_elt(&it, both_part, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.op, "foreach_reduced_elt") == 0, "%s", err.message);
    stria_iter_release(&it);
    stria_iter_config_init(&config);
    stria_iter_config_set_reduce_op_pair(&config, p.view, p.second_view, p.x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    CHECK_STATUS(stria_iter_parallel_reduce(&it, sum_loop, NULL, &err), STRIA_ERR_ARGUMENT);
    stria_iter_release(&it);
    stria_iter_config_init(&config);
    stria_iter_config_set_reduce_op_pair(&config, p.view, p.second_view, p.x);
    stria_iter_config_set_enforce_linear_iteration(&config, true);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    CHECK_STATUS(stria_iter_foreach_reduced_elt(&it, both_part, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK(strstr(err.message, "do not come first") != NULL, "%s", err.message);
    stria_iter_release(&it);
    end_problem(&p);
}

/* A pair of outputs may be one memory block, but no element of one may lie on one of the other. */
static void check_pair_apart(void)
{
    const int64_t     shape[] = {2, 4}, row[] = {1, 4};
    stria_tensor     *x, *both, *out[3]; /* [1,4] each: elements 0 .. 3, 4 .. 7, 2 .. 5 */
    const int64_t     offsets[] = {0, 4, 2};
    stria_iter_config config;
    stria_iter        it;
    stria_error       err;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, shape, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, &(int64_t){8}, &both, NULL), STRIA_OK);
    for (int k = 0; k < 3; k++)
        CHECK_STATUS(stria_tensor_view(both, 2, row, (const int64_t[]){4, 1}, offsets[k], &out[k], NULL), STRIA_OK);
    for (int k = 0; k < 3; k++) {
        stria_iter_config_init(&config);
        stria_iter_config_set_name(&config, "var_mean");
        stria_iter_config_set_reduce_op_pair(&config, out[0], out[k], x);
        const stria_status status = stria_iter_build(&it, &config, &err);
        CHECK(status == (k == 1 ? STRIA_OK : STRIA_ERR_OVERLAP), "%d: %s", k, stria_status_get_name(status));
        CHECK(k == 1 || (strcmp(err.op, "var_mean") == 0 && strcmp(err.argument, "config") == 0), "%d: %s", k,
              err.argument);
        CHECK(k == 1 || strcmp(err.message, "var_mean: the two outputs share memory") == 0, "%d: %s", k, err.message);
        stria_iter_release(&it);
    }
    for (int k = 0; k < 3; k++) stria_tensor_release(out[k]);
    stria_tensor_release(both);
    stria_tensor_release(x);
}

static void reduce_inside(void *context, int thread, int64_t begin, int64_t end)
{
    problem *problems = context;

    (void)thread; /* counting checks is for one thread alone */
    for (int64_t k = begin; k < end; k++) problems[k].status = run_sum(&problems[k], false);
}

/* Inside a parallel region everything is serial, and right. */
static void check_nesting(void)
{
    problem problems[6];

    CHECK_STATUS(stria_threads_set(3, NULL), STRIA_OK);
    for (int k = 0; k < 6; k++) make_problem(&problems[k], k, 5);
    stria_parallel_for(stria_team_get(), 0, 6, 1, reduce_inside, problems);
    for (int k = 0; k < 6; k++) {
        CHECK_STATUS(problems[k].status, STRIA_OK);
        check_outputs(&problems[k], "nested parallel_reduce", 3, 0, false);
        end_problem(&problems[k]);
    }
}

SUITE(test_iter_reduce)
{
    check_values();
    check_accumulation();
    check_failures_of_parts();
    check_misuse();
    check_pair_apart();
    check_nesting();
    return check_finish("test_iter_reduce");
}
