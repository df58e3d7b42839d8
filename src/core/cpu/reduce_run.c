/* reduce_run.c - combining elements in an order that depends on shape and layout alone.
 *
 * Two forms:
 *
 *   rows     The reduced elements of one output, in iteration order, are cut into blocks of STRIA_REDUCE_BLOCK; each block
 *            becomes one value (the kernel `row`); CHUNK_BLOCKS blocks make a chunk, the unit that threads take.
 *   columns  Outputs that lie side by side in memory are computed together, one per lane: blocks of STRIA_REDUCE_ROWS rows are
 *            combined row by row (the kernel `column`). Where each output has only few elements, side by side, they are
 *            transposed in registers on the way (the kernel `few`).
 *
 * In both, the values of the blocks are combined as a balanced binary tree (`tree`), so that a sum's error grows with the
 * logarithm of the count. Source: Higham, The Accuracy of Floating Point Summation, SIAM J. Sci. Comput. 14 (1993).
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "cpu/reduce_plan.h"
#include "cpu/reduce_walk.h"
#include "base/scratch.h"

#define CHUNK_BLOCKS 16
#define CHUNK ((int64_t)CHUNK_BLOCKS * STRIA_REDUCE_BLOCK)
#define BLOCK_BYTES (STRIA_REDUCE_BLOCK * 8)
#define SCRATCH_BYTES 49152
#define MIN_COLUMNS 16 /* fewer outputs side by side do not fill vectors */
#define MAX_TREE 64
#define STORED_AT_ONCE 64

/* A binary counter of partial results: slot k holds 2^level blocks, like the bits of the number of blocks so far. */
typedef struct tree {
    char   *slots; /* MAX_TREE or fewer slots of `width` values */
    int64_t slot_bytes;
    int64_t width;
    int     used;
    int64_t count;
} tree;

/* Where the next block's values are to be put. */
static char *tree_next(const tree *t) { return t->slots + t->used * t->slot_bytes; }

static void tree_merge(const stria_reduce_plan *plan, tree *t)
{
    char *newer = t->slots + (t->used - 1) * t->slot_bytes;
    plan->column(newer - t->slot_bytes, newer, 0, 1, t->width);
    t->used--;
}

/* Takes in the block at tree_next. */
static void tree_push(const stria_reduce_plan *plan, tree *t)
{
    t->used++;
    t->count++;
    for (int64_t c = t->count; (c & 1) == 0; c >>= 1) tree_merge(plan, t);
}

/* All that is left, in slot 0. */
static char *tree_finish(const stria_reduce_plan *plan, tree *t)
{
    while (t->used > 1) tree_merge(plan, t);
    return t->slots;
}

static int tree_depth(int64_t n_blocks)
{
    int depth = 2;
    while (n_blocks > 1) n_blocks = (n_blocks + 1) / 2, depth++;
    return depth;
}

/* Divides n values of the compute dtype by the number of elements. Where that is a float, one division of floats rounds to
 * what division in double does (Figueroa, When is double rounding innocuous?, SIGNUM Newsletter 30, 1995). */
static void divide(const stria_reduce_plan *plan, char *values, int64_t n)
{
    const double  count = (double)plan->count;
    const float   count_f32 = (float)count;
    char *const   data[] = {values, values, plan->compute == STRIA_F64 ? (char *)&count : (char *)&count_f32};
    const int64_t strides[] = {plan->size, plan->size, 0};

    if (plan->compute == STRIA_F64 || plan->count <= 1 << 24) {
        plan->divide(data, strides, n);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        float *x = (float *)values + k;
        *x = (float)((double)*x / count);
    }
}

/* Divides if the op says so, and stores n results of the compute dtype. */
static void store(const stria_reduce_plan *plan, char *out, int64_t out_stride, char *values, int64_t n)
{
    if (plan->finish == STRIA_FINISH_DIVIDE_BY_COUNT) divide(plan, values, n);
    plan->store(out, out_stride, values, plan->size, n);
}

/* Whether results are in memory as the kernels leave them. */
static bool stores_as_is(const stria_reduce_plan *plan) { return plan->same_out && plan->finish == STRIA_FINISH_NONE; }

/* ---------------------------------------------------------------- rows */

static int64_t chunk_count(const stria_reduce_plan *plan) { return (plan->count + CHUNK - 1) / CHUNK; }

/* A whole chunk in one run. The kernel combines the values of sixteen blocks as the tree does, halves first, if block b is at
 * b with its four bits reversed; what it fills up with changes nothing. */
static void reduce_whole_chunk(const stria_reduce_plan *plan, const char *at, char *value)
{
    static const int8_t reversed[CHUNK_BLOCKS] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
    _Alignas(8) char    values[CHUNK_BLOCKS * 8];

    for (int b = 0; b < CHUNK_BLOCKS; b++, at += STRIA_REDUCE_BLOCK * plan->size)
        plan->row(values + reversed[b] * plan->size, at, STRIA_REDUCE_BLOCK);
    plan->row(value, values, CHUNK_BLOCKS);
}

/* *value = chunk number `chunk` of the elements at base, combined; buffer: BLOCK_BYTES for elements that are not packed. */
static void reduce_chunk(const stria_reduce_plan *plan, const char *base, int64_t chunk, char *buffer, char *value)
{
    _Alignas(8) char slots[(CHUNK_BLOCKS + 1) * 8];
    tree             t = {slots, 8, 1, 0, 0};
    const int64_t    first = chunk * CHUNK, end = first + CHUNK < plan->count ? first + CHUNK : plan->count;
    stria_walk       w;

    if (plan->same && plan->n_red == 1 && plan->red_stride[0] == plan->size && end - first == CHUNK) {
        reduce_whole_chunk(plan, base + first * plan->size, value);
        return;
    }
    stria_walk_init(&w, plan, base, first);
    for (int64_t at = first; at < end; at += STRIA_REDUCE_BLOCK) {
        const int64_t n = end - at < STRIA_REDUCE_BLOCK ? end - at : STRIA_REDUCE_BLOCK;
        int64_t       run = stria_walk_run_length(&w, n);
        if (plan->same && run == n && (n == 1 || stria_red_step(plan) == plan->size)) {
            plan->row(tree_next(&t), w.at, n);
            stria_walk_advance(&w, n);
        } else {
            for (int64_t done = 0; done < n; done += run) {
                run = stria_walk_run_length(&w, n - done);
                plan->load(buffer + done * plan->size, plan->size, w.at, stria_red_step(plan), run);
                stria_walk_advance(&w, run);
            }
            plan->row(tree_next(&t), buffer, n);
        }
        tree_push(plan, &t);
    }
    memcpy(value, tree_finish(plan, &t), (size_t)plan->size);
}

/* Combines the chunks of one output and stores it. */
static void finish_output(const stria_reduce_plan *plan, char *out, const char *chunks, int64_t n)
{
    _Alignas(8) char slots[MAX_TREE * 8];
    tree             t = {slots, 8, 1, 0, 0};
    for (int64_t c = 0; c < n; c++) {
        memcpy(tree_next(&t), chunks + c * 8, 8);
        tree_push(plan, &t);
    }
    store(plan, out, plan->size, tree_finish(plan, &t), 1);
}

typedef struct rows_task {
    const stria_reduce_plan *plan;
    int64_t                  n_chunks;
    char                    *chunks; /* [n_outputs][n_chunks] values of 8 bytes; NULL if n_chunks is 1 */
} rows_task;

/* Whether the elements of an output are one run of one block, that the kernel reads in place. */
static bool is_one_run(const stria_reduce_plan *plan)
{
    return plan->same && plan->count <= STRIA_REDUCE_BLOCK &&
           (plan->n_red == 0 || (plan->n_red == 1 && plan->red_stride[0] == plan->size));
}

/* Such an output, where it is the only one. */
static void reduce_run(const stria_reduce_plan *plan)
{
    _Alignas(8) char value[8];
    const bool       as_is = stores_as_is(plan);

    plan->row(as_is ? plan->out : value, plan->source, plan->count);
    if (!as_is) store(plan, plan->out, plan->size, value, 1);
}

/* Several, as many at a time as lie along the fastest kept dim. */
static void reduce_runs(const stria_reduce_plan *plan, int64_t begin, int64_t end)
{
    _Alignas(8) char values[STORED_AT_ONCE * 8];
    const bool       as_is = stores_as_is(plan);
    const int64_t    result_step = as_is ? plan->keep_out[0] : plan->size;
    int64_t          n;

    for (int64_t o = begin; o < end; o += n) {
        int64_t in, out;
        n = plan->keep_shape[0] - (plan->n_keep > 1 ? o % plan->keep_shape[0] : o);
        if (n > end - o) n = end - o;
        if (n > STORED_AT_ONCE) n = STORED_AT_ONCE;
        stria_output_offsets(plan, o, &in, &out);
        char *results = as_is ? plan->out + out : values;
        for (int64_t k = 0; k < n; k++)
            plan->row(results + k * result_step, plan->source + in + k * plan->keep_stride[0], plan->count);
        if (!as_is) store(plan, plan->out + out, plan->keep_out[0], values, n);
    }
}

/* Whole outputs of one chunk each. */
static void rows_range(void *context, int thread, int64_t begin, int64_t end)
{
    const rows_task         *task = context;
    const stria_reduce_plan *plan = task->plan;
    (void)thread;
    if (is_one_run(plan)) {
        reduce_runs(plan, begin, end);
        return;
    }
    char *buffer = stria_scratch_take(BLOCK_BYTES);
    for (int64_t o = begin; o < end; o++) {
        _Alignas(8) char value[8];
        int64_t          in, out;
        stria_output_offsets(plan, o, &in, &out);
        reduce_chunk(plan, plan->source + in, 0, buffer, value);
        store(plan, plan->out + out, plan->size, value, 1);
    }
    stria_scratch_give(buffer);
}

/* Chunks of all outputs. */
static void chunks_range(void *context, int thread, int64_t begin, int64_t end)
{
    const rows_task         *task = context;
    const stria_reduce_plan *plan = task->plan;
    char                    *buffer = stria_scratch_take(BLOCK_BYTES);
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t in, out;
        stria_output_offsets(plan, k / task->n_chunks, &in, &out);
        reduce_chunk(plan, plan->source + in, k % task->n_chunks, buffer, task->chunks + k * 8);
    }
    stria_scratch_give(buffer);
}

static stria_status run_rows(const stria_reduce_plan *plan, const char *op, stria_error *err)
{
    if (plan->n_outputs == 1 && is_one_run(plan)) {
        reduce_run(plan);
        return STRIA_OK;
    }
    STRIA_TRY(stria_scratch_reserve(op, err));
    rows_task     task = {plan, chunk_count(plan), NULL};
    const int64_t total = plan->n_outputs * task.n_chunks;
    size_t        nbytes = 0;

    if (task.n_chunks == 1) {
        const int64_t grain = STRIA_GRAIN / plan->count;
        stria_parallel_for(stria_team_get(), 0, plan->n_outputs, grain > 1 ? grain : 1, rows_range, &task);
        return STRIA_OK;
    }
    task.chunks = stria_block_new_parts(total, 8, &nbytes);
    if (!task.chunks)
        return stria_error_set(err, STRIA_ERR_MEMORY, op, NULL, NULL, NULL, "no memory for partial results");
    stria_parallel_for(stria_team_get(), 0, total, 1, chunks_range, &task);
    for (int64_t o = 0; o < plan->n_outputs; o++) {
        int64_t in, out;
        stria_output_offsets(plan, o, &in, &out);
        finish_output(plan, plan->out + out, task.chunks + o * task.n_chunks * 8, task.n_chunks);
    }
    stria_block_release(task.chunks, nbytes);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- columns */

typedef struct columns_task {
    const stria_reduce_plan *plan;
    int64_t                  tile;    /* columns computed together */
    int64_t                  n_tiles; /* along the fastest kept dim */
    bool                     direct;  /* rows are read in place */
} columns_task;

/* The next `run` rows of the walk, packed. Where the reduced elements lie side by side, rows are columns of memory. */
static void load_rows(const stria_reduce_plan *plan, const stria_walk *w, char *rows, int64_t run, int64_t n_columns)
{
    const int64_t row_bytes = n_columns * plan->size;

    if (plan->same && stria_red_step(plan) == plan->size && run > 1) {
        plan->transpose(rows, row_bytes, w->at, plan->keep_stride[0], n_columns, run);
        return;
    }
    for (int64_t r = 0; r < run; r++)
        plan->load(rows + r * row_bytes, plan->size, w->at + r * stria_red_step(plan), plan->keep_stride[0], n_columns);
}

/* Combines up to STRIA_REDUCE_ROWS rows into acc; rows that need conversion or gathering pass through `rows`. */
static void column_block(const columns_task *task, stria_walk *w, char *acc, char *rows, int64_t n_rows,
                         int64_t n_columns)
{
    const stria_reduce_plan *plan = task->plan;
    const int64_t            row_bytes = n_columns * plan->size;

    for (int64_t done = 0, run; done < n_rows; done += run) {
        const char *next = w->at;
        int64_t     stride = stria_red_step(plan);
        run = stria_walk_run_length(w, n_rows - done);
        if (!task->direct) {
            load_rows(plan, w, rows, run, n_columns);
            next = rows;
            stride = row_bytes;
        }
        if (done == 0) memcpy(acc, next, (size_t)row_bytes);
        plan->column(acc, done == 0 ? next + stride : next, stride, done == 0 ? run - 1 : run, n_columns);
        stria_walk_advance(w, run);
    }
}

/* Columns whose few elements lie side by side, as far as the kernel does them; returns their number. */
static int64_t few_columns(const stria_reduce_plan *plan, char *scratch, const char *source, char *out,
                           int64_t n_columns)
{
    if (!plan->few || !plan->same || plan->n_red != 1 || plan->red_stride[0] != plan->size ||
        plan->count > STRIA_REDUCE_FEW)
        return 0;
    if (stores_as_is(plan) && plan->keep_out[0] == plan->size)
        return plan->few(out, source, plan->keep_stride[0], plan->count, n_columns);
    n_columns = plan->few(scratch, source, plan->keep_stride[0], plan->count, n_columns);
    if (n_columns > 0) store(plan, out, plan->keep_out[0], scratch, n_columns);
    return n_columns;
}

/* Columns as blocks of rows; scratch holds the tree, and rows that are not read in place. */
static void column_blocks(const columns_task *task, char *scratch, const char *source, char *out, int64_t n_columns)
{
    const stria_reduce_plan *plan = task->plan;
    const int64_t            slot_bytes = n_columns * plan->size;
    char                    *slots = scratch + (task->direct ? 0 : STRIA_REDUCE_ROWS * slot_bytes);
    tree                     t = {slots, slot_bytes, n_columns, 0, 0};
    stria_walk               w;

    stria_walk_init(&w, plan, source, 0);
    for (int64_t at = 0; at < plan->count; at += STRIA_REDUCE_ROWS) {
        const int64_t n = plan->count - at < STRIA_REDUCE_ROWS ? plan->count - at : STRIA_REDUCE_ROWS;
        column_block(task, &w, tree_next(&t), scratch, n, n_columns);
        tree_push(plan, &t);
    }
    store(plan, out, plan->keep_out[0], tree_finish(plan, &t), n_columns);
}

static void column_tile(const columns_task *task, const char *source, char *out, int64_t n_columns)
{
    const stria_reduce_plan *plan = task->plan;
    char                    *scratch = stria_scratch_take(SCRATCH_BYTES);
    const int64_t            done = few_columns(plan, scratch, source, out, n_columns);

    if (done < n_columns)
        column_blocks(task, scratch, source + done * plan->keep_stride[0], out + done * plan->keep_out[0],
                      n_columns - done);
    stria_scratch_give(scratch);
}

static void columns_range(void *context, int thread, int64_t begin, int64_t end)
{
    const columns_task      *task = context;
    const stria_reduce_plan *plan = task->plan;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        const int64_t first = k % task->n_tiles * task->tile;
        const int64_t rest = plan->keep_shape[0] - first;
        int64_t       index[STRIA_MAX_DIMS], out = first * plan->keep_out[0];
        int64_t       in = first * plan->keep_stride[0] + stria_decompose(plan->n_keep - 1, plan->keep_shape + 1,
                                                                          plan->keep_stride + 1, k / task->n_tiles, index);
        for (int d = 1; d < plan->n_keep; d++) out += index[d - 1] * plan->keep_out[d];
        column_tile(task, plan->source + in, plan->out + out, rest < task->tile ? rest : task->tile);
    }
}

static void run_columns(const stria_reduce_plan *plan)
{
    columns_task  task = {plan, 0, 0, plan->same && plan->keep_stride[0] == plan->size};
    const int64_t slots =
        tree_depth((plan->count + STRIA_REDUCE_ROWS - 1) / STRIA_REDUCE_ROWS) + (task.direct ? 0 : STRIA_REDUCE_ROWS);
    const int64_t    fit = SCRATCH_BYTES / (slots * plan->size);
    const stria_team team = stria_team_get();
    const int64_t    fair = (plan->keep_shape[0] + team.n_threads - 1) / team.n_threads;
    int64_t          n, grain;

    /* Columns do not meet, so the width of a tile may follow the thread count. */
    task.tile = plan->n_outputs == plan->keep_shape[0] && fair < fit ? fair : fit;
    if (task.tile < MIN_COLUMNS) task.tile = MIN_COLUMNS;
    task.n_tiles = (plan->keep_shape[0] + task.tile - 1) / task.tile;
    n = task.n_tiles * (plan->n_outputs / plan->keep_shape[0]);
    grain = STRIA_GRAIN / (plan->count * (task.tile < plan->keep_shape[0] ? task.tile : plan->keep_shape[0]));
    stria_parallel_for(team, 0, n, grain > 1 ? grain : 1, columns_range, &task);
}

stria_status stria_reduce_plan_run(const stria_reduce_plan *plan, const char *op, stria_error *err)
{
    const bool wide = plan->n_keep > 0 && plan->keep_shape[0] >= MIN_COLUMNS;
    const bool rows_packed = stria_red_step(plan) == plan->source_size;
    const bool columns_packed = wide && plan->keep_stride[0] == plan->source_size;
    if (wide && ((columns_packed && !rows_packed) || plan->count <= STRIA_REDUCE_FEW)) {
        STRIA_TRY(stria_scratch_reserve(op, err));
        run_columns(plan);
        return STRIA_OK;
    }
    return run_rows(plan, op, err);
}
