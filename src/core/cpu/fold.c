/* fold.c - drives reductions whose state is not an element (fold.h). */
#include "cpu/fold.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "cpu/reduce_walk.h"
#include "base/scratch.h"

#define CHUNK_BLOCKS 16
#define CHUNK ((int64_t)CHUNK_BLOCKS * STRIA_REDUCE_BLOCK)
#define BLOCK_BYTES (STRIA_REDUCE_BLOCK * 8)
#define ROWS_BYTES 32768 /* of a tile of STRIA_FOLD_ROWS rows: it stays in L1 or close to it */
#define MIN_COLUMNS 16   /* fewer outputs side by side do not fill vectors */
#define SHORT_COUNT 64   /* so few elements per output: as columns, whatever their strides */

/* ---------------------------------------------------------------- rows */

/* state = chunk number `chunk` of the elements at base; buffer: BLOCK_BYTES for elements that are not packed. */
static void fold_chunk(const stria_fold *fold, const char *base, int64_t chunk, char *buffer, void *state)
{
    const stria_reduce_plan *plan = &fold->plan;
    const int64_t            first = chunk * CHUNK, end = first + CHUNK < plan->count ? first + CHUNK : plan->count;
    stria_walk               w;

    stria_walk_init(&w, plan, base, first);
    for (int64_t at = first; at < end; at += STRIA_REDUCE_BLOCK) {
        const int64_t n = end - at < STRIA_REDUCE_BLOCK ? end - at : STRIA_REDUCE_BLOCK;
        int64_t       run = stria_walk_run_length(&w, n);
        if (plan->same && run == n && (n == 1 || stria_red_step(plan) == plan->size)) {
            fold->family->row(fold, state, w.at, at, n, at == first);
            stria_walk_advance(&w, n);
            continue;
        }
        for (int64_t done = 0; done < n; done += run) {
            run = stria_walk_run_length(&w, n - done);
            plan->load(buffer + done * plan->size, plan->size, w.at, stria_red_step(plan), run);
            stria_walk_advance(&w, run);
        }
        fold->family->row(fold, state, buffer, at, n, at == first);
    }
}

typedef struct rows_task {
    const stria_fold *fold;
    int64_t           n_chunks;
    char             *states; /* [n_outputs][n_chunks] of STRIA_FOLD_STATE bytes; NULL if n_chunks is 1 */
} rows_task;

/* Whole outputs of one chunk each. */
static void rows_range(void *context, int thread, int64_t begin, int64_t end)
{
    const stria_fold *fold = ((const rows_task *)context)->fold;
    char             *buffer = stria_scratch_take(BLOCK_BYTES);
    (void)thread;
    for (int64_t o = begin; o < end; o++) {
        _Alignas(8) char state[STRIA_FOLD_STATE];
        int64_t          in, out;
        stria_output_offsets(&fold->plan, o, &in, &out);
        fold_chunk(fold, fold->plan.source + in, 0, buffer, state);
        fold->family->store(fold, fold->plan.out + out, state);
    }
    stria_scratch_give(buffer);
}

/* Chunks of all outputs. */
static void chunks_range(void *context, int thread, int64_t begin, int64_t end)
{
    const rows_task *task = context;
    char            *buffer = stria_scratch_take(BLOCK_BYTES);
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t in, out;
        stria_output_offsets(&task->fold->plan, k / task->n_chunks, &in, &out);
        fold_chunk(task->fold, task->fold->plan.source + in, k % task->n_chunks, buffer,
                   task->states + k * STRIA_FOLD_STATE);
    }
    stria_scratch_give(buffer);
}

static stria_status run_rows(const stria_fold *fold, const char *op, stria_error *err)
{
    const stria_reduce_plan *plan = &fold->plan;
    rows_task                task = {fold, (plan->count + CHUNK - 1) / CHUNK, NULL};
    const int64_t            total = plan->n_outputs * task.n_chunks, grain = STRIA_GRAIN / plan->count;
    size_t                   nbytes = 0;

    if (task.n_chunks == 1) {
        stria_parallel_for(stria_team_get(), 0, plan->n_outputs, grain > 1 ? grain : 1, rows_range, &task);
        return STRIA_OK;
    }
    task.states = stria_block_new_parts(total, STRIA_FOLD_STATE, &nbytes);
    if (!task.states)
        return stria_error_set(err, STRIA_ERR_MEMORY, op, NULL, NULL, NULL, "no memory for partial results");
    stria_parallel_for(stria_team_get(), 0, total, 1, chunks_range, &task);
    for (int64_t o = 0; o < plan->n_outputs; o++) {
        char   *states = task.states + o * task.n_chunks * STRIA_FOLD_STATE;
        int64_t in, out;
        for (int64_t c = 1; c < task.n_chunks; c++) fold->family->merge(fold, states, states + c * STRIA_FOLD_STATE);
        stria_output_offsets(plan, o, &in, &out);
        fold->family->store(fold, plan->out + out, states);
    }
    stria_block_release(task.states, nbytes);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- columns */

typedef struct columns_task {
    const stria_fold *fold;
    int64_t           tile;    /* columns computed together */
    int64_t           n_tiles; /* along the fastest kept dim */
    bool              direct;  /* rows are read in place */
} columns_task;

/* The next `run` rows of the walk, packed. Where the reduced elements lie side by side, rows are columns of memory. */
static void load_rows(const stria_reduce_plan *plan, const stria_walk *w, char *rows, int64_t run, int64_t n)
{
    const int64_t row_bytes = n * plan->size;

    if (plan->same && stria_red_step(plan) == plan->size && run > 1) {
        plan->transpose(rows, row_bytes, w->at, plan->keep_stride[0], n, run);
        return;
    }
    for (int64_t r = 0; r < run; r++)
        plan->load(rows + r * row_bytes, plan->size, w->at + r * stria_red_step(plan), plan->keep_stride[0], n);
}

static void fold_tile(const columns_task *task, const char *source, char *out, int64_t n)
{
    const stria_fold        *fold = task->fold;
    const stria_reduce_plan *plan = &fold->plan;
    char                    *rows = stria_scratch_take(ROWS_BYTES + STRIA_FOLD_COLUMNS * STRIA_FOLD_STATE);
    char                    *states = rows + ROWS_BYTES;
    stria_walk               w;

    stria_walk_init(&w, plan, source, 0);
    for (int64_t at = 0, run; at < plan->count; at += run) {
        run = stria_walk_run_length(&w, plan->count - at < STRIA_FOLD_ROWS ? plan->count - at : STRIA_FOLD_ROWS);
        if (task->direct) {
            fold->family->columns(fold, states, w.at, stria_red_step(plan), at, run, n);
        } else {
            load_rows(plan, &w, rows, run, n);
            fold->family->columns(fold, states, rows, n * plan->size, at, run, n);
        }
        stria_walk_advance(&w, run);
    }
    for (int64_t j = 0; j < n; j++)
        fold->family->store(fold, out + j * plan->keep_out[0], states + j * fold->family->state_bytes);
    stria_scratch_give(rows);
}

static void columns_range(void *context, int thread, int64_t begin, int64_t end)
{
    const columns_task      *task = context;
    const stria_reduce_plan *plan = &task->fold->plan;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        const int64_t first = k % task->n_tiles * task->tile, rest = plan->keep_shape[0] - first;
        int64_t       index[STRIA_MAX_DIMS], out = first * plan->keep_out[0];
        int64_t       in = first * plan->keep_stride[0] + stria_decompose(plan->n_keep - 1, plan->keep_shape + 1,
                                                                          plan->keep_stride + 1, k / task->n_tiles, index);
        for (int d = 1; d < plan->n_keep; d++) out += index[d - 1] * plan->keep_out[d];
        fold_tile(task, plan->source + in, plan->out + out, rest < task->tile ? rest : task->tile);
    }
}

static void run_columns(const stria_fold *fold)
{
    const stria_reduce_plan *plan = &fold->plan;
    columns_task             task = {fold, 0, 0, plan->same && plan->keep_stride[0] == plan->size};
    const stria_team         team = stria_team_get();
    const int64_t            width = plan->keep_shape[0], fair = (width + team.n_threads - 1) / team.n_threads;
    int64_t                  grain;

    /* Columns do not meet, so the width of a tile may follow the thread count. */
    task.tile = ROWS_BYTES / (STRIA_FOLD_ROWS * plan->size);
    if (task.tile > STRIA_FOLD_COLUMNS) task.tile = STRIA_FOLD_COLUMNS;
    if (plan->n_outputs == width && fair < task.tile) task.tile = fair < MIN_COLUMNS ? MIN_COLUMNS : fair;
    task.n_tiles = (width + task.tile - 1) / task.tile;
    grain = STRIA_GRAIN / (plan->count * (task.tile < width ? task.tile : width));
    stria_parallel_for(team, 0, task.n_tiles * (plan->n_outputs / width), grain > 1 ? grain : 1, columns_range, &task);
}

/* ---------------------------------------------------------------- choosing */

static stria_status run(const stria_fold *fold, const char *op, stria_error *err)
{
    const stria_reduce_plan *plan = &fold->plan;
    const bool               wide = plan->n_keep > 0 && plan->keep_shape[0] >= MIN_COLUMNS;
    const bool               rows_packed = stria_red_step(plan) == plan->source_size;
    const bool               columns_packed = wide && plan->keep_stride[0] == plan->source_size;

    if (!wide || ((!columns_packed || rows_packed) && plan->count > SHORT_COUNT)) return run_rows(fold, op, err);
    run_columns(fold);
    return STRIA_OK;
}

stria_status stria_fold_run(stria_fold *fold, const char *op, const stria_tensor *x, uint64_t reduced, bool keepdim,
                            stria_dtype compute, bool in_order, stria_tensor *y, stria_error *err)
{
    STRIA_TRY(stria_scratch_reserve(op, err));
    STRIA_TRY(stria_reduce_plan_build(&fold->plan, fold->kernels, compute, op, y, x, reduced, keepdim, in_order, err));
    return run(fold, op, err);
}
