/* fold.c - the driver of reductions (fold.h). */
#include "cpu/fold.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "cpu/offsets.h"

#define TOGETHER 64                         /* outputs that are stored at once */
#define TILE_BYTES STRIA_FOLD_SCRATCH_BYTES /* of a tile of outputs: states, and the rows given at once */
#define WIDEST 8192                         /* bytes of a row of a tile */
#define TILE_STEP 64                        /* tiles are whole lines of the caches */

/* ---------------------------------------------------------------- elements of an output */

/* A walk over them, run by run along the fastest reduced dim. */
typedef struct walk {
    const stria_fold_plan *plan;
    const char            *at; /* next element */
    int64_t                index[STRIA_MAX_DIMS];
} walk;

/* From element number `first` of the output at base on. */
static void walk_init(walk *w, const stria_fold_plan *plan, const char *base, int64_t first)
{
    w->plan = plan;
    w->at = base;
    w->index[0] = first;
    for (int d = 0; d < plan->n_red; d++) {
        if (d < plan->n_red - 1) {
            w->index[d + 1] = w->index[d] / plan->red_shape[d];
            w->index[d] %= plan->red_shape[d];
        }
        w->at += w->index[d] * plan->red_stride[d];
    }
}

static int64_t walk_run_length(const walk *w, int64_t limit)
{
    const int64_t rest = w->plan->red_shape[0] - w->index[0];
    return rest < limit ? rest : limit;
}

static void walk_advance(walk *w, int64_t n)
{
    const stria_fold_plan *plan = w->plan;

    w->index[0] += n;
    w->at += n * plan->red_stride[0];
    for (int d = 0; d < plan->n_red - 1 && w->index[d] == plan->red_shape[d]; d++) {
        w->index[d] = 0;
        w->index[d + 1]++;
        w->at += plan->red_stride[d + 1] - plan->red_shape[d] * plan->red_stride[d];
    }
}

/* Where the elements of an output begin, and the output itself, in bytes from the first. */
static void get_offsets(const stria_fold_plan *plan, int64_t output, int64_t *in, int64_t *out)
{
    stria_offsets_get(plan->n_keep, plan->keep_shape, plan->keep_stride, plan->keep_out, output, in, out);
}

/* Whether they are adjacent and of the compute dtype, so that kernels read them in place. */
static bool is_run(const stria_fold_plan *plan)
{
    return plan->same && plan->n_red <= 1 && (plan->n_red == 0 || plan->red_stride[0] == plan->size);
}

static int64_t state_bytes_of(const stria_fold *fold)
{
    return fold->family->state_bytes > 0 ? fold->family->state_bytes : fold->plan->size;
}

/* ---------------------------------------------------------------- rows */

/* The next n <= STRIA_REDUCE_BLOCK elements of the walk, packed: in place, or in buffer, of STRIA_FOLD_SCRATCH_BYTES. */
static const char *next_block(walk *w, char *buffer, int64_t n)
{
    const stria_fold_plan *plan = w->plan;
    const char            *at = w->at;
    int64_t                run = walk_run_length(w, n);

    if (plan->same && run == n && (n == 1 || plan->red_stride[0] == plan->size)) {
        walk_advance(w, n);
        return at;
    }
    for (int64_t done = 0; done < n; done += run) {
        run = walk_run_length(w, n - done);
        plan->load(buffer + done * plan->size, plan->size, w->at, plan->red_stride[0], run);
        walk_advance(w, run);
    }
    return buffer;
}

/* state = chunk number `chunk` of the output whose elements begin at base. */
static void fold_chunk(const stria_fold *fold, const char *base, int64_t chunk, char *buffer, void *state)
{
    const stria_fold_plan *plan = fold->plan;
    const bool             in_place = is_run(plan);
    const int64_t          first = chunk * STRIA_FOLD_CHUNK, rest = plan->count - first;
    const int64_t          end = first + (rest < STRIA_FOLD_CHUNK ? rest : STRIA_FOLD_CHUNK);
    walk                   w;

    if (fold->source) {
        for (int64_t at = first; at < end; at += STRIA_REDUCE_BLOCK) {
            const int64_t n = end - at < STRIA_REDUCE_BLOCK ? end - at : STRIA_REDUCE_BLOCK;
            fold->source->make(fold->source->context, buffer, at, n);
            fold->family->row(fold, state, buffer, at, n, at == first);
        }
        return;
    }
    if (in_place && fold->family->chunk && rest >= STRIA_FOLD_CHUNK) {
        fold->family->chunk(fold, state, base + first * plan->size);
        return;
    }
    if (!in_place) walk_init(&w, plan, base, first);
    for (int64_t at = first; at < end; at += STRIA_REDUCE_BLOCK) {
        const int64_t n = end - at < STRIA_REDUCE_BLOCK ? end - at : STRIA_REDUCE_BLOCK;
        const char   *block = in_place ? base + at * plan->size : next_block(&w, buffer, n);
        fold->family->row(fold, state, block, at, n, at == first);
    }
}

/* Whether each output is one block that a kernel reads in place. */
static bool has_blocks(const stria_fold *fold)
{
    return fold->block && is_run(fold->plan) && fold->plan->count <= STRIA_REDUCE_BLOCK;
}

/* n such outputs along the fastest kept dim. */
static inline void fold_blocks(const stria_fold *fold, char *out, char *states, const char *source, int64_t n)
{
    const stria_fold_plan *plan = fold->plan;
    const int64_t          step = fold->as_is ? plan->keep_out[0] : state_bytes_of(fold);
    const int64_t          stride = plan->keep_stride[0], count = plan->count;
    stria_reduce_row      *block = fold->block;
    char                  *results = fold->as_is ? out : states;

    for (int64_t k = 0; k < n; k++, results += step, source += stride) block(results, source, count);
    if (!fold->as_is) fold->family->store(fold, out, plan->keep_out[0], states, n);
}

typedef struct rows_task {
    const stria_fold *fold;
    int64_t           n_chunks;
    char             *states; /* [n_outputs][n_chunks] of STRIA_FOLD_STATE bytes; NULL if n_chunks is 1 */
} rows_task;

/* Whole outputs of one chunk each; as many are stored at once as lie along the fastest kept dim. */
static void rows_range(void *context, int thread, int64_t begin, int64_t end)
{
    const stria_fold      *fold = ((const rows_task *)context)->fold;
    const stria_fold_plan *plan = fold->plan;
    const bool             is_block = has_blocks(fold);
    const int64_t          state_bytes = state_bytes_of(fold), width = plan->keep_shape[0];
    char                  *buffer = is_block ? NULL : stria_scratch_take(STRIA_FOLD_SCRATCH_BYTES);
    _Alignas(8) char       states[(TOGETHER + 1) * STRIA_FOLD_STATE]; /* until it is finished, each overlaps the next */

    (void)thread;
    for (int64_t o = begin, n; o < end; o += n) {
        int64_t in, out;
        n = width - (plan->n_keep > 1 ? o % width : o);
        if (n > end - o) n = end - o;
        if (n > TOGETHER) n = TOGETHER;
        get_offsets(plan, o, &in, &out);
        if (!buffer) {
            fold_blocks(fold, plan->out + out, states, plan->source + in, n);
            continue;
        }
        for (int64_t k = 0; k < n; k++)
            fold_chunk(fold, plan->source + in + k * plan->keep_stride[0], 0, buffer, states + k * state_bytes);
        fold->family->store(fold, plan->out + out, plan->keep_out[0], states, n);
    }
    if (buffer) stria_scratch_give(buffer);
}

/* Chunks of all outputs. */
static void chunks_range(void *context, int thread, int64_t begin, int64_t end)
{
    const rows_task       *task = context;
    const stria_fold_plan *plan = task->fold->plan;
    char                  *buffer = stria_scratch_take(STRIA_FOLD_SCRATCH_BYTES);

    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t in, out;
        get_offsets(plan, k / task->n_chunks, &in, &out);
        fold_chunk(task->fold, plan->source + in, k % task->n_chunks, buffer, task->states + k * STRIA_FOLD_STATE);
    }
    stria_scratch_give(buffer);
}

/* The first state becomes that of n chunks. */
static void merge_chunks(const stria_fold *fold, char *states, int64_t n)
{
    if (!fold->family->in_pairs) {
        for (int64_t k = 1; k < n; k++) fold->family->merge(fold, states, states + k * STRIA_FOLD_STATE);
        return;
    }
    for (int64_t half = 1; half < n; half *= 2) {
        for (int64_t k = 0; k + half < n; k += 2 * half)
            fold->family->merge(fold, states + k * STRIA_FOLD_STATE, states + (k + half) * STRIA_FOLD_STATE);
    }
}

static stria_status run_rows(const stria_fold *fold, stria_error *err)
{
    const stria_fold_plan *plan = fold->plan;
    rows_task              task = {fold, (plan->count + STRIA_FOLD_CHUNK - 1) / STRIA_FOLD_CHUNK, NULL};
    const int64_t          total = plan->n_outputs * task.n_chunks, grain = STRIA_GRAIN / plan->count;
    size_t                 nbytes = 0;

    if (task.n_chunks == 1) {
        stria_parallel_for(stria_team_get(), 0, plan->n_outputs, grain > 1 ? grain : 1, rows_range, &task);
        return STRIA_OK;
    }
    task.states = stria_block_new_parts(total, STRIA_FOLD_STATE, &nbytes);
    if (!task.states)
        return stria_error_set(err, STRIA_ERR_MEMORY, fold->op, NULL, NULL, NULL, "no memory for partial results");
    stria_parallel_for(stria_team_get(), 0, total, 1, chunks_range, &task);
    for (int64_t o = 0; o < plan->n_outputs; o++) {
        char   *states = task.states + o * task.n_chunks * STRIA_FOLD_STATE;
        int64_t in, out;
        get_offsets(plan, o, &in, &out);
        merge_chunks(fold, states, task.n_chunks);
        fold->family->store(fold, plan->out + out, 0, states, 1);
    }
    stria_block_release(task.states, nbytes);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- columns */

typedef struct columns_task {
    const stria_fold *fold;
    int64_t           tile;      /* columns computed together */
    int64_t           row_bytes; /* of a column, for rows that are not read in place; 0: they are */
    bool              few;       /* outputs have few elements, and a kernel for that */
} columns_task;

/* The next `run` rows of the walk, packed. Where the reduced elements lie side by side, rows are columns of memory. */
static void load_rows(const stria_fold *fold, const walk *w, char *rows, int64_t run, int64_t n)
{
    const stria_fold_plan *plan = fold->plan;
    const int64_t          row_bytes = n * plan->size;

    if (plan->same && plan->red_stride[0] == plan->size && run > 1) {
        fold->kernels->transpose[__builtin_ctzll((uint64_t)plan->size)](rows, row_bytes, w->at, plan->keep_stride[0], n,
                                                                        run);
        return;
    }
    for (int64_t r = 0; r < run; r++)
        plan->load(rows + r * row_bytes, plan->size, w->at + r * plan->red_stride[0], plan->keep_stride[0], n);
}

/* n outputs; scratch: TILE_BYTES. */
static void fold_tile(const columns_task *task, char *scratch, const char *source, char *out, int64_t n)
{
    const stria_fold      *fold = task->fold;
    const stria_fold_plan *plan = fold->plan;
    const int64_t          most = task->row_bytes == 0 && fold->family->takes_all ? plan->count : fold->family->rows;
    char                  *states = scratch + n * task->row_bytes;
    walk                   w;

    walk_init(&w, plan, source, 0);
    for (int64_t at = 0, run; at < plan->count; at += run) {
        run = walk_run_length(&w, plan->count - at < most ? plan->count - at : most);
        if (task->row_bytes == 0) {
            fold->family->columns(fold, states, w.at, plan->red_stride[0], at, run, n);
        } else {
            load_rows(fold, &w, scratch, run, n);
            fold->family->columns(fold, states, scratch, n * plan->size, at, run, n);
        }
        walk_advance(&w, run);
    }
    fold->family->store(fold, out, plan->keep_out[0], states, n);
}

/* Outputs of few elements side by side, as far as the kernel does them; returns their number. */
static int64_t fold_few(const stria_fold *fold, char *states, const char *source, char *out, int64_t n)
{
    const stria_fold_plan *plan = fold->plan;
    const bool             in_place = fold->as_is && plan->keep_out[0] == plan->size;

    n = fold->few(in_place ? out : states, source, plan->keep_stride[0], plan->count, n);
    if (!in_place && n > 0) fold->family->store(fold, out, plan->keep_out[0], states, n);
    return n;
}

static void columns_range(void *context, int thread, int64_t begin, int64_t end)
{
    const columns_task    *task = context;
    const stria_fold_plan *plan = task->fold->plan;
    char                  *scratch = stria_scratch_take(TILE_BYTES);

    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t n, in, out, done = 0;
        get_offsets(plan, stria_tiles_get(plan->keep_shape[0], task->tile, k, &n), &in, &out);
        if (task->few) done = fold_few(task->fold, scratch, plan->source + in, plan->out + out, n);
        if (done < n)
            fold_tile(task, scratch, plan->source + in + done * plan->keep_stride[0],
                      plan->out + out + done * plan->keep_out[0], n - done);
    }
    stria_scratch_give(scratch);
}

static void run_columns(const stria_fold *fold)
{
    const stria_fold_plan *plan = fold->plan;
    const bool             is_direct = plan->same && plan->keep_stride[0] == plan->size;
    columns_task           task = {fold, 0, is_direct ? 0 : fold->family->rows * plan->size,
                                   fold->few && is_run(plan) && plan->count <= STRIA_REDUCE_FEW};
    const stria_team       team = stria_team_get();
    const int64_t          width = plan->keep_shape[0], fair = (width + team.n_threads - 1) / team.n_threads;
    int64_t                grain, slots = fold->family->slots ? fold->family->slots(fold) : 1;

    /* Columns do not meet, so the width of a tile may follow the thread count. */
    task.tile = TILE_BYTES / (slots * state_bytes_of(fold) + task.row_bytes) / TILE_STEP * TILE_STEP;
    if (!fold->family->slots && task.tile > STRIA_FOLD_COLUMNS) task.tile = STRIA_FOLD_COLUMNS;
    if (task.tile > WIDEST / plan->size) task.tile = WIDEST / plan->size;
    if (plan->n_outputs == width && fair < task.tile) task.tile = fair;
    if (task.tile < STRIA_FOLD_MIN_COLUMNS) task.tile = STRIA_FOLD_MIN_COLUMNS;
    grain = STRIA_GRAIN / (plan->count * (task.tile < width ? task.tile : width));
    stria_parallel_for(team, 0, stria_tiles_get_count(width, task.tile, plan->n_outputs), grain > 1 ? grain : 1,
                       columns_range, &task);
}

/* ---------------------------------------------------------------- choosing */

static stria_status run(stria_fold *fold, stria_error *err)
{
    const stria_fold_plan *plan = fold->plan;

    if (plan->n_outputs == 1 && has_blocks(fold)) {
        _Alignas(8) char state[STRIA_FOLD_STATE];
        fold_blocks(fold, plan->out, state, plan->source, 1);
        return STRIA_OK;
    }
    STRIA_TRY(stria_scratch_reserve(fold->op, err));
    if (fold->source && plan->n_outputs > 1) return stria_fold_run_made_columns(fold, err);
    const int  parts = stria_dtype_is_complex(fold->compute) ? 2 : 1;
    const bool wide = plan->keep_shape[0] >= STRIA_FOLD_MIN_COLUMNS / parts,
               rows_packed = plan->red_stride[0] == plan->source_size;
    const bool columns_packed = plan->keep_stride[0] == plan->source_size;
    if (!wide || ((!columns_packed || rows_packed) && plan->count > STRIA_FOLD_SHORT)) return run_rows(fold, err);
    run_columns(fold);
    return STRIA_OK;
}

stria_status stria_fold_run(stria_fold *fold, stria_error *err)
{
    stria_fold_plan plan;

    STRIA_TRY(stria_fold_plan_build(&plan, fold, err));
    fold->plan = &plan;
    const stria_status status = run(fold, err);
    fold->plan = NULL; /* it ends here */
    return status;
}
