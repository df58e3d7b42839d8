/* scan.c - cumsum and cumprod.
 *
 *   rows      The rows along the axis are scanned one after another. A row is cut into chunks of CHUNK elements. A chunk is
 *             scanned alone, and the total of the chunks before it is joined to its results. So chunks may run on several
 *             threads, once their totals are known, and give the same bits.
 *   tiles     Where neighbouring rows are adjacent in memory, they are columns: a tile of up to MAX_COLUMNS of them is
 *             scanned at once, with accumulators for each, in the same order: the memory order of x changes no bit. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/call.h"
#include "cpu/complex_parts.h"
#include "cpu/axis_rows.h"
#include "base/parallel.h"

#define CHUNK 65536
#define BLOCK 2048      /* elements that are converted at once, whole groups */
#define MIN_COLUMNS 8   /* fewer adjacent rows are scanned one by one */
#define MAX_COLUMNS 512 /* of a tile: accumulators of 8 KB */
#define FEW_COLUMNS 32  /* of a tile whose elements are converted: a group of rows in 4 KB */

typedef struct scan_task {
    const stria_axis_rows    *rows;
    const stria_scan_kernels *kernels;
    int64_t                   n_chunks; /* of a row */
    char                     *bases;    /* [n_chunks] accumulators, of the one row that is cut over threads */
    int64_t                   tile;
} scan_task;

/* Elements [begin, end) of a row: into out, or, where out is NULL, only their total. */
static void scan_run(const scan_task *task, const char *source, char *out, int64_t begin, int64_t end, const char *base,
                     char *carry)
{
    const stria_axis_rows *rows = task->rows;
    const bool             direct = rows->in_packed && (out == NULL || rows->out_packed);
    const int64_t          step = direct ? end - begin : BLOCK;
    _Alignas(64) char      buffer[BLOCK * 8];

    for (int64_t at = begin; at < end; at += step) {
        const int64_t n = end - at < step ? end - at : step;
        const char   *src = source + at * rows->in_step;
        char         *dst = rows->out_packed && out ? out + at * rows->out_step : buffer;
        if (!rows->in_packed) {
            rows->load(buffer, rows->size, src, rows->in_step, n);
            src = buffer;
        }
        if (out == NULL) {
            task->kernels->total(src, n, carry);
            continue;
        }
        task->kernels->row(dst, src, n, base, carry);
        if (!rows->out_packed) rows->store(out + at * rows->out_step, rows->out_step, buffer, rows->size, n);
    }
}

static int64_t chunk_end(const stria_axis_rows *rows, int64_t chunk)
{
    return (chunk + 1) * CHUNK < rows->length ? (chunk + 1) * CHUNK : rows->length;
}

/* Whole rows. */
static void rows_range(void *context, int thread, int64_t begin, int64_t end)
{
    const scan_task       *task = context;
    const stria_axis_rows *rows = task->rows;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        _Alignas(8) char base[8], carry[8];
        int64_t          in, out;
        stria_axis_rows_get_offsets(rows, k, &in, &out);
        task->kernels->start(base, 1);
        for (int64_t c = 0; c < task->n_chunks; c++) {
            task->kernels->start(carry, 1);
            scan_run(task, rows->source + in, rows->out + out, c * CHUNK, chunk_end(rows, c), base, carry);
            task->kernels->join(base, carry);
        }
    }
}

/* Chunks of the one row: first their totals, then their results. */
static void totals_range(void *context, int thread, int64_t begin, int64_t end)
{
    const scan_task *task = context;
    (void)thread;
    for (int64_t c = begin; c < end; c++) {
        task->kernels->start(task->bases + c * 8, 1);
        scan_run(task, task->rows->source, NULL, c * CHUNK, chunk_end(task->rows, c), NULL, task->bases + c * 8);
    }
}

static void chunks_range(void *context, int thread, int64_t begin, int64_t end)
{
    const scan_task *task = context;
    (void)thread;
    for (int64_t c = begin; c < end; c++) {
        _Alignas(8) char carry[8];
        task->kernels->start(carry, 1);
        scan_run(task, task->rows->source, task->rows->out, c * CHUNK, chunk_end(task->rows, c), task->bases + c * 8,
                 carry);
    }
}

static stria_status scan_one_row(scan_task *task, stria_team team, const char *op, stria_error *err)
{
    size_t             nbytes = 0;
    const stria_chunks split = stria_chunks_build(team, 0, task->n_chunks, 1);
    _Alignas(8) char   sofar[8], total[8];

    task->bases = stria_block_new_parts(task->n_chunks, 8, &nbytes);
    if (!task->bases)
        return stria_error_set(err, STRIA_ERR_MEMORY, op, NULL, NULL, NULL, "no memory for partial results");
    stria_chunks_run(&split, totals_range, task);
    task->kernels->start(sofar, 1);
    for (int64_t c = 0; c < task->n_chunks; c++) {
        memcpy(total, task->bases + c * 8, 8);
        memcpy(task->bases + c * 8, sofar, 8);
        task->kernels->join(sofar, total);
    }
    stria_chunks_run(&split, chunks_range, task);
    stria_block_release(task->bases, nbytes);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- tiles */

static bool is_direct(const stria_axis_rows *rows)
{
    return rows->in_same && rows->in_stride[0] == rows->size && rows->out_same && rows->out_stride[0] == rows->size;
}

/* Rows [begin, end) of a tile, of one chunk. */
static void scan_tile_chunk(const scan_task *task, const char *source, char *out, int64_t begin, int64_t end, int64_t n,
                            char *base, char *carry)
{
    const stria_axis_rows *rows = task->rows;
    const int64_t          step = FEW_COLUMNS * 8;
    _Alignas(64) char      block[STRIA_SCAN_GROUP * FEW_COLUMNS * 8];

    source += begin * rows->in_step;
    out += begin * rows->out_step;
    if (is_direct(rows)) {
        task->kernels->column(out, rows->out_step, source, rows->in_step, base, carry, end - begin, n);
        return;
    }
    for (int64_t r = begin; r < end; r += STRIA_SCAN_GROUP) {
        const int64_t take = end - r < STRIA_SCAN_GROUP ? end - r : STRIA_SCAN_GROUP;
        for (int64_t k = 0; k < take; k++, source += rows->in_step)
            rows->load(block + k * step, rows->size, source, rows->in_stride[0], n);
        task->kernels->column(block, step, block, step, base, carry, take, n);
        for (int64_t k = 0; k < take; k++, out += rows->out_step)
            rows->store(out, rows->out_stride[0], block + k * step, rows->size, n);
    }
}

static void scan_tile(const scan_task *task, const char *source, char *out, int64_t n)
{
    _Alignas(64) char base[MAX_COLUMNS * 8], carry[MAX_COLUMNS * 8];

    task->kernels->start(base, n);
    for (int64_t c = 0; c < task->n_chunks; c++) {
        task->kernels->start(carry, n);
        scan_tile_chunk(task, source, out, c * CHUNK, chunk_end(task->rows, c), n, base, carry);
        for (int64_t j = 0; j < n && c + 1 < task->n_chunks; j++) task->kernels->join(base + j * 8, carry + j * 8);
    }
}

static void tiles_range(void *context, int thread, int64_t begin, int64_t end)
{
    const scan_task       *task = context;
    const stria_axis_rows *rows = task->rows;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t n, in, out;
        stria_axis_rows_get_offsets(rows, stria_tiles_get(rows->shape[0], task->tile, k, &n), &in, &out);
        scan_tile(task, rows->source + in, rows->out + out, n);
    }
}

/* ---------------------------------------------------------------- choosing */

static stria_status run(const char *op, const stria_axis_rows *rows, const stria_scan_kernels *kernels,
                        stria_error *err)
{
    scan_task        task = {rows, kernels, (rows->length + CHUNK - 1) / CHUNK, NULL, 0};
    const bool       wide = rows->ndim > 0 && rows->shape[0] >= MIN_COLUMNS;
    const stria_team team = stria_team_get();
    int64_t          grain = STRIA_GRAIN / rows->length;

    if (wide && rows->in_step != rows->in_size && rows->in_stride[0] == rows->in_size) {
        const int64_t fair = (rows->shape[0] + team.n_threads - 1) / team.n_threads;
        const int64_t most = is_direct(rows) ? MAX_COLUMNS : FEW_COLUMNS;
        task.tile = fair < most ? (fair < 16 ? 16 : fair) : most; /* columns do not meet */
        grain /= task.tile < rows->shape[0] ? task.tile : rows->shape[0];
        stria_parallel_for(team, 0, stria_tiles_get_count(rows->shape[0], task.tile, rows->n_rows),
                           grain > 1 ? grain : 1, tiles_range, &task);
        return STRIA_OK;
    }
    if (rows->n_rows == 1 && task.n_chunks > 1 && team.n_threads > 1) return scan_one_row(&task, team, op, err);
    stria_parallel_for(team, 0, rows->n_rows, grain > 1 ? grain : 1, rows_range, &task);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the rows */

static stria_status infer(const stria_call *call, int dim, stria_dtype dtype, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    stria_dtype         result;

    STRIA_TRY(stria_infer_dtype(call, dtype, stria_dtype_get_wide(x->dtype), &result, err));
    STRIA_TRY(stria_infer_axis(call, x, dim, meta, err));
    if (result == STRIA_BOOL)
        return stria_infer_refuse_dtype(call, dtype == STRIA_DTYPE_NONE && call->out[0] == NULL ? "x" : "dtype", result,
                                        "an integer, a float or complex", err);
    if (stria_dtype_is_complex(x->dtype) && !stria_dtype_is_complex(result))
        return stria_infer_refuse_dtype(call, "dtype", result, "complex, as x is", err);
    stria_infer_same_shape(x, result, &meta->out[0]);
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

static stria_status compute(const stria_call *call, bool is_product, const stria_call_meta *meta, stria_tensor *y,
                            stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    const stria_dtype    compute = stria_dtype_get_wide(stria_dtype_get_compute(y->dtype));
    const char          *name = stria_call_get_name(call);
    stria_axis_rows      rows;

    if (stria_dtype_is_complex(y->dtype)) return stria_complex_scan(call->in[0], meta->axis, is_product, y, err);
    STRIA_TRY(stria_axis_rows_init(&rows, name, kernels, call->in[0], y, meta->axis, compute, err));
    return run(name, &rows, &kernels->lane[compute]->scan[is_product], err);
}

stria_status stria_infer_cumsum(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_cumsum_attrs *attrs = call->attrs;
    return infer(call, attrs->dim, attrs->dtype, meta, err);
}

stria_status stria_cpu_cumsum(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return compute(call, false, meta, y[0], err);
}

stria_status stria_infer_cumprod(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_cumprod_attrs *attrs = call->attrs;
    return infer(call, attrs->dim, attrs->dtype, meta, err);
}

stria_status stria_cpu_cumprod(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return compute(call, true, meta, y[0], err);
}
