/* iter_reduce.c - reductions over a built iterator on several threads (section 4.5 of the specification). */
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "iter/iter_internal.h"
#include "base/parallel.h"

/* A slot of the two-pass form has a cache line of its own, so that threads do not write to one another's. */
#define SLOT_BYTES 64
/* Chunks of a dim whose input elements are adjacent begin at multiples of this. */
#define ROUND_BYTES 128

stria_status stria_iter_build_reduction(stria_iter *it, const char *name, stria_tensor *view, const stria_tensor *x,
                                        bool in_order, stria_error *err)
{
    stria_iter_config config;
    stria_status      status;

    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, name);
    stria_iter_config_set_check_mem_overlap(&config, false);
    stria_iter_config_set_check_all_same_dtype(&config, false);
    stria_iter_config_set_resize_outputs(&config, false);
    stria_iter_config_set_is_reduction(&config, true);
    stria_iter_config_set_enforce_linear_iteration(&config, in_order);
    stria_iter_config_add_output(&config, view);
    stria_iter_config_add_input(&config, x);
    status = stria_iter_build(it, &config, err);
    stria_iter_config_release(&config);
    return status;
}

/* The first failure of several threads. */
typedef struct failure {
    atomic_int   status;
    stria_error *err;
} failure;

static void record(failure *first, stria_status status, const stria_error *err)
{
    int none = STRIA_OK;

    if (status == STRIA_OK || !atomic_compare_exchange_strong(&first->status, &none, (int)status)) return;
    if (first->err != NULL) *first->err = *err;
}

static stria_status check_operands(const stria_iter *it, const char *op, bool one_output, stria_error *err)
{
    const int n_inputs = it->n_operands - it->n_outputs;

    if (it->is_reduction && n_inputs == 1 && (one_output ? it->n_outputs == 1 : it->n_outputs >= 1)) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, op, "iter", NULL, NULL,
                           "needs a reduction with one input and %s, got %d outputs and %d inputs%s",
                           one_output ? "one output" : "an output", it->n_outputs, n_inputs,
                           it->is_reduction ? "" : " without is_reduction");
}

/* Reduced dims come first, then kept dims. Linear iteration does not order them so. */
static stria_status check_order(const stria_iter *it, stria_error *err)
{
    for (int d = stria_iter_get_num_reduce_dims(it); d < it->ndim; d++) {
        if (!stria_iter_is_dim_reduced(it, d)) continue;
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "foreach_reduced_elt", "iter", NULL, NULL,
                               "the reduced dims do not come first: dim %d of %d is one of them (linear iteration?)", d,
                               it->ndim);
    }
    return STRIA_OK;
}

static bool is_serial(const stria_iter *it, stria_team team)
{
    return stria_iter_get_numel(it) < STRIA_GRAIN || team.n_threads == 1;
}

/* Looks at the kept dims from the outermost one inwards: the first dim with a position for every thread, else the
 * largest one. */
static int choose_kept_dim(const stria_iter *it, stria_team team)
{
    int best = it->ndim - 1;

    for (int d = best; d >= 0 && !stria_iter_is_dim_reduced(it, d); d--) {
        if (it->shape[d] >= team.n_threads) return d;
        if (it->shape[d] > it->shape[best]) best = d;
    }
    return best;
}

stria_iter_reduce_strategy stria_iter_choose_reduce_strategy(const stria_iter *it, stria_team team, int *dim)
{
    *dim = -1;
    if (is_serial(it, team)) return STRIA_ITER_REDUCE_SERIAL;
    if (stria_iter_get_num_output_elements(it) == 1) return STRIA_ITER_REDUCE_TWO_PASS;
    *dim = choose_kept_dim(it, team);
    if (!stria_iter_is_dim_reduced(it, *dim)) return STRIA_ITER_REDUCE_SPLIT_DIM;
    *dim = -1; /* in linear order a reduced dim may be the outermost */
    return STRIA_ITER_REDUCE_SERIAL;
}

stria_iter_reduce_strategy stria_iter_get_reduce_strategy(const stria_iter *it, int *dim)
{
    return stria_iter_choose_reduce_strategy(it, stria_team_get(), dim);
}

typedef struct reduction {
    const stria_iter   *it;
    stria_loop2d       *loop;
    stria_iter_part_fn *part; /* of foreach_reduced_elt */
    void               *context;
    stria_team          team;
    int                 dim;
    int64_t             round; /* elements that chunks of `dim` are rounded to; 1: not at all */
    char               *slots;
    failure             first;
} reduction;

/* ---------------------------------------------------------------- two passes */

static void run_slot(void *context, int chunk, int64_t begin, int64_t end)
{
    reduction   *work = context;
    stria_iter   part;
    stria_error  err;
    stria_status status = stria_iter_copy(work->it, &part, &err);

    if (status == STRIA_OK) {
        part.operands[0].data = work->slots + (int64_t)chunk * SLOT_BYTES;
        stria_iter_walk_range(&part, work->loop, work->context, begin, end);
        stria_iter_release(&part);
    }
    record(&work->first, status, &err);
}

static void run_two_passes(reduction *work)
{
    const stria_iter    *it = work->it;
    const int            n_threads = work->team.n_threads;
    const size_t         size = stria_dtype_get_size(it->operands[0].dtype);
    _Alignas(64) char    slots[STRIA_MAX_THREADS * SLOT_BYTES];
    char                *data[2] = {it->operands[0].data, slots};
    static const int64_t strides[4] = {0, SLOT_BYTES, 0, 0};

    for (int t = 0; t < n_threads; t++) memcpy(slots + (int64_t)t * SLOT_BYTES, data[0], size);
    work->slots = slots;
    stria_parallel_for(work->team, 0, stria_iter_get_numel(it), STRIA_GRAIN, run_slot, work);
    if (work->first.status == STRIA_OK) work->loop(work->context, data, strides, n_threads, 1);
}

/* ---------------------------------------------------------------- parts of a kept dim */

static stria_status run_part(reduction *work, stria_iter *part, stria_error *err)
{
    if (work->part != NULL) return work->part(work->context, part, err);
    stria_iter_walk_range(part, work->loop, work->context, 0, stria_iter_get_numel(part));
    return STRIA_OK;
}

/* One part for each position of the kept dims of `it`, in order; stops at the first failure. */
static stria_status run_each_kept(reduction *work, const stria_iter *it, stria_error *err)
{
    const int    first = stria_iter_get_num_reduce_dims(it);
    stria_iter   part;
    int64_t      index[STRIA_MAX_DIMS] = {0};
    stria_status status = STRIA_OK;
    int          d;

    do {
        STRIA_TRY(stria_iter_copy(it, &part, err));
        part.is_counted = true;
        stria_iter_select_all_keeping_dim(&part, first, index);
        status = run_part(work, &part, err);
        stria_iter_release(&part);
        for (d = first; d < it->ndim && ++index[d - first] == it->shape[d]; d++) index[d - first] = 0;
    } while (status == STRIA_OK && d < it->ndim);
    return status;
}

static void run_positions(void *context, int thread, int64_t begin, int64_t end)
{
    reduction    *work = context;
    const int64_t size = work->it->shape[work->dim];
    stria_iter    part;
    stria_error   err;
    stria_status  status;

    (void)thread;
    begin -= begin % work->round;
    if (end != size) end -= end % work->round;
    if (begin == end) return;
    status = stria_iter_copy(work->it, &part, &err);
    if (status == STRIA_OK) {
        stria_iter_narrow(&part, work->dim, begin, end - begin);
        status = work->part != NULL ? run_each_kept(work, &part, &err) : run_part(work, &part, &err);
        stria_iter_release(&part);
    }
    record(&work->first, status, &err);
}

int64_t stria_iter_get_chunk_round(const stria_iter *it, int dim)
{
    const int64_t size = (int64_t)stria_dtype_get_size(it->operands[it->n_operands - 1].dtype);

    return stria_iter_row(it, dim)[it->n_operands - 1] == size ? ROUND_BYTES / size : 1;
}

static stria_status get_outcome(const reduction *work) { return (stria_status)work->first.status; }

stria_status stria_iter_parallel_reduce(stria_iter *it, stria_loop2d *loop, void *context, stria_error *err)
{
    reduction work = {
        .it = it, .loop = loop, .context = context, .team = stria_team_get(), .round = 1, .first = {.err = err}};

    STRIA_TRY(check_operands(it, "parallel_reduce", true, err));
    if (stria_iter_get_numel(it) == 0) return STRIA_OK;
    switch (stria_iter_choose_reduce_strategy(it, work.team, &work.dim)) {
    case STRIA_ITER_REDUCE_SERIAL: stria_iter_walk_range(it, loop, context, 0, stria_iter_get_numel(it)); break;
    case STRIA_ITER_REDUCE_TWO_PASS: run_two_passes(&work); break;
    case STRIA_ITER_REDUCE_SPLIT_DIM:
        work.round = stria_iter_get_chunk_round(it, work.dim);
        stria_parallel_for(work.team, 0, it->shape[work.dim], 1, run_positions, &work);
        break;
    }
    stria_iter_count_writes(it);
    return get_outcome(&work);
}

/* Of at least one result. */
static stria_status run_each_result(reduction *work, stria_iter *it, int64_t n_results, stria_error *err)
{
    if (n_results == 1) return run_part(work, it, err);
    if (is_serial(it, work->team)) return run_each_kept(work, it, err);
    work->dim = choose_kept_dim(it, work->team);
    stria_parallel_for(work->team, 0, it->shape[work->dim], 1, run_positions, work);
    return get_outcome(work);
}

stria_status stria_iter_foreach_reduced_elt(stria_iter *it, stria_iter_part_fn *fn, void *context, stria_error *err)
{
    reduction work = {
        .it = it, .part = fn, .context = context, .team = stria_team_get(), .round = 1, .first = {.err = err}};
    const int64_t n_results = stria_iter_get_num_output_elements(it);

    STRIA_TRY(check_operands(it, "foreach_reduced_elt", false, err));
    STRIA_TRY(check_order(it, err));
    if (n_results == 0) return STRIA_OK;
    const stria_status status = run_each_result(&work, it, n_results, err);
    stria_iter_count_writes(it);
    return status;
}
