/* exec.c - the way from a two-dimensional piece of an iteration to runs that a loop takes (exec.h).
 *
 * A piece is cut into blocks of `width` columns and `height` rows. In a block each operand is
 *
 *   direct   contiguous along the row and of the loop's dtype: the loop reads or writes memory itself
 *   value    one value along the row
 *   packed   gathered into a buffer before the loop, or scattered from one after it
 *
 * and the loop is called once for the whole block if every operand is contiguous from row to row too, else once a row.
 * Where rows are short, direct operands that are not contiguous from row to row are packed as well.
 */
#include "cpu/exec_block.h"

#include <string.h>

#include "base/error.h"
#include "base/scratch.h"
#include "iter/iter_internal.h"

/* A block with a transposed operand has at least so many rows, and at least a cache line of its elements. It is as
 * wide as the pool allows, since hardware prefetches long runs of the other operands. */
#define TRANSPOSED_ROWS 8
/* The block of a copy of 4-byte elements is two cache lines high, one where the lines of many rows would meet in a few sets of a cache, and so many bytes
 * wide. */
#define COPY_ROW_BYTES 2048
/* Rows at distances of a multiple of so many bytes share a few lines of a cache. A copy then goes through a square
 * block in a buffer, which is written to memory in whole cache lines. So does one that is stored past the caches. */
#define CONFLICT_BYTES 4096
#define SQUARE_SIDE 64
#define NONTEMPORAL_ROW_BYTES 512
/* The buffer of one operand, if a block is part of one row. It is small, so that the processor fetches the next block
 * while it computes this one. With half the size, the cost of each block outweighs that. */
#define ROW_BLOCK_BYTES 2048
/* The buffer of one operand, and the buffers of a block together. Blocks with transposed operands may fill the pool,
 * which is larger than the first-level cache. The pool also has room for the values of their rows. */
#define BLOCK_BYTES 8192
#define BLOCKS_BYTES 32768
#define POOL_BYTES 65536
#define VALUES_BYTES \
    (STRIA_CACHE_LINE_BYTES * 16) /* of one operand: up to 64 rows, one value of up to 16 bytes for each */

/* ---------------------------------------------------------------- set-up */

void stria_exec_init(stria_exec *exec, const stria_kernels *kernels, int n, int n_outputs, const stria_dtype *memory,
                     const stria_dtype *lane)
{
    int64_t largest_lane = 1, largest = 1;

    exec->loop = NULL;
    exec->context = NULL;
    exec->kernels = kernels;
    exec->kernel = NULL;
    exec->n = n;
    exec->n_outputs = n_outputs;
    exec->accumulates = exec->has_dear_calls = exec->nontemporal = false;
    for (int k = 0; k < n; k++) {
        stria_exec_operand *op = &exec->operand[k];
        op->size = (int64_t)stria_dtype_get_size(memory[k]);
        op->lane_size = (int64_t)stria_dtype_get_size(lane[k]);
        op->shift = stria_exec_get_shift(op->size);
        op->same = memory[k] == lane[k];
        op->dtype = memory[k];
        op->load = kernels->cast[memory[k]][lane[k]];
        op->store = kernels->cast[lane[k]][memory[k]];
        if (op->size > largest) largest = op->size;
        if (op->lane_size > largest_lane) largest_lane = op->lane_size;
    }
    exec->block_elements = BLOCK_BYTES / largest_lane;
    while (exec->block_elements * largest_lane * n > BLOCKS_BYTES ||
           exec->block_elements * largest > STRIA_EXEC_STAGE_BYTES)
        exec->block_elements /= 2;
    exec->row_elements = ROW_BLOCK_BYTES / largest_lane;
    if (exec->row_elements > exec->block_elements) exec->row_elements = exec->block_elements;
}

static void call_kernel(void *context, char *const *data, const int64_t *strides, int64_t count)
{
    const stria_exec *exec = context;
    exec->kernel(data, strides, count);
}

void stria_exec_init_kernel(stria_exec *exec, const stria_kernels *kernels, stria_loop *kernel, int n,
                            const stria_dtype *memory, const stria_dtype *lane)
{
    stria_exec_init(exec, kernels, n, 1, memory, lane);
    exec->kernel = kernel;
    exec->loop = call_kernel;
    exec->context = exec;
}

/* ---------------------------------------------------------------- a piece */

typedef enum operand_mode { MODE_DIRECT, MODE_VALUE, MODE_PACKED } operand_mode;

typedef struct operand {
    operand_mode mode;
    bool         is_periodic; /* packed once: every block has the same elements */
    char        *data;
    int64_t      inner, outer; /* byte strides of the piece */
    char        *buffer;
    char        *seen; /* by the loop: the buffer or data, and the byte strides of blocks there */
    int64_t      seen_inner, seen_outer;
} operand;

typedef struct piece {
    const stria_exec *exec;
    int64_t           n0, n1;
    int64_t           width, height;     /* of a stria_exec_block */
    bool              by_row, by_square; /* by_square: a copy through a buffer */
    int               n_loads, n_stores; /* of packed operands, in each stria_exec_block */
    int               load[STRIA_EXEC_MAX_OPERANDS], store[STRIA_EXEC_MAX_OPERANDS];
    operand           operand[STRIA_EXEC_MAX_OPERANDS];
    int64_t           seen_strides[STRIA_EXEC_MAX_OPERANDS]; /* of the elements, in bytes, by the loop */
} piece;

static bool is_output(const piece *p, int k) { return k < p->exec->n_outputs; }

static operand_mode get_mode(const piece *p, int k)
{
    const operand            *op = &p->operand[k];
    const stria_exec_operand *kind = &p->exec->operand[k];

    if (op->inner == 0 && (!is_output(p, k) || p->exec->accumulates)) return MODE_VALUE;
    return kind->same && op->inner == kind->size ? MODE_DIRECT : MODE_PACKED;
}

static int64_t get_magnitude(int64_t x) { return x < 0 ? -x : x; }

/* Rows that a block of transposed operands should have; 0: none is transposed. */
static int64_t get_transposed_rows(const piece *p)
{
    int64_t rows = 0;

    for (int k = 0; k < p->exec->n; k++) {
        const operand *op = &p->operand[k];
        const int64_t  least = STRIA_CACHE_LINE_BYTES / p->exec->operand[k].size;
        if (op->mode != MODE_PACKED || op->outer == 0 || get_magnitude(op->outer) >= get_magnitude(op->inner)) continue;
        if (rows < TRANSPOSED_ROWS) rows = TRANSPOSED_ROWS;
        if (rows < least) rows = least;
    }
    return p->n1 > 1 ? rows : 0;
}

/* Elements of a block of transposed operands. */
static int64_t get_transposed_elements(const piece *p)
{
    int64_t bytes = 0;

    for (int k = 0; k < p->exec->n; k++) {
        if (p->operand[k].mode != MODE_PACKED) continue;
        if (!p->exec->operand[k].same) return p->exec->block_elements;
        bytes += p->exec->operand[k].lane_size;
    }
    return POOL_BYTES / bytes;
}

/* Whether several rows add to the same outputs. A block then has one row: each row of a block adds to a packed copy. */
static bool adds_rows(const piece *p)
{
    for (int k = 0; k < p->exec->n_outputs && p->exec->accumulates; k++)
        if (p->operand[k].outer == 0 && p->operand[k].inner != 0) return true;
    return false;
}

/* Whether all rows of a packed input are the same, so that one is packed for all. */
static bool repeats_rows(const piece *p)
{
    for (int k = p->exec->n_outputs; k < p->exec->n; k++)
        if (p->operand[k].mode == MODE_PACKED && p->operand[k].outer == 0 && p->n1 > 1) return true;
    return false;
}

/* Many rows are rounded down to a multiple of a power of two, so that a block is whole vectors for any length of a
 * row. */
static int64_t get_whole_vectors(int64_t rows)
{
    int64_t unit = 64;
    while (unit > 1 && unit > rows / 4) unit /= 2;
    return rows - rows % unit;
}

/* Whether a copy is written row by row from memory that is elsewhere in rows. */
static bool is_transposing(const piece *p)
{
    return p->exec->operand[1].same && p->operand[0].mode == MODE_DIRECT &&
           p->operand[1].outer == p->exec->operand[1].size;
}

static bool is_conflicting(const piece *p)
{
    return p->exec->operand[0].size * SQUARE_SIDE * SQUARE_SIDE <= POOL_BYTES &&
           (p->operand[1].inner % CONFLICT_BYTES == 0 || p->operand[0].outer % CONFLICT_BYTES == 0);
}

/* The block of a copy, one side of which is transposed, where there are more than a few rows. Smaller and larger elements gain nothing by
 * another shape, those of 8 bytes nothing by other stores. */
static void choose_copy_block(piece *p)
{
    const int64_t size = p->exec->operand[0].size, line = STRIA_CACHE_LINE_BYTES / size;
    const bool    meets =
        p->operand[0].outer % (CONFLICT_BYTES / 2) == 0 || p->operand[1].inner % (CONFLICT_BYTES / 2) == 0;
    const bool nontemporal = p->exec->nontemporal && size <= 4;

    if (!p->exec->operand[1].same || p->n1 < 2 * line) return;
    p->by_square = is_transposing(p) && (nontemporal || is_conflicting(p));
    if (p->by_square) {
        p->height = SQUARE_SIDE;
        p->width = nontemporal ? NONTEMPORAL_ROW_BYTES / size : SQUARE_SIDE;
    } else if (size == 4) {
        p->height = meets ? line : 2 * line;
        p->width = COPY_ROW_BYTES / size;
    }
    if (p->width > p->n0) p->width = p->n0;
    if (p->height > p->n1) p->height = p->n1;
}

static void choose_block(piece *p)
{
    const int64_t most = p->exec->block_elements, transposed_rows = get_transposed_rows(p);

    p->by_square = false;
    p->height = 1;
    if (adds_rows(p)) {
        p->width = p->n0 < most ? p->n0 : most;
    } else if (transposed_rows > 0 && p->n0 * transposed_rows > most) {
        const int64_t elements = get_transposed_elements(p);
        p->height = p->n1 < transposed_rows ? p->n1 : transposed_rows;
        p->width = elements / p->height < p->n0 ? elements / p->height : p->n0;
        if (p->exec->loop == NULL) choose_copy_block(p);
    } else if (p->n0 <= most / 2) {
        const int64_t rows = get_whole_vectors(most / p->n0);
        p->height = p->n1 < rows ? p->n1 : rows;
        p->width = p->n0;
        /* of pixels */
        p->by_square =
            p->exec->nontemporal && is_transposing(p) && p->operand[0].outer == p->n0 * p->exec->operand[0].size;
    } else {
        const int64_t columns = p->exec->loop == NULL || repeats_rows(p) ? most : p->exec->row_elements;
        p->width = p->n0 < columns ? p->n0 : columns;
    }
}

/* Whether the rows of a block follow one another without a gap as the loop sees them. */
static bool is_mergeable(const piece *p, int k)
{
    const operand *op = &p->operand[k];

    if (op->mode == MODE_PACKED || p->height == 1) return true;
    if (op->mode == MODE_VALUE) return op->outer == 0;
    return p->width == p->n0 && op->outer == p->n0 * p->exec->operand[k].size;
}

static int64_t round_to_cache_line(int64_t bytes)
{
    return (bytes + STRIA_CACHE_LINE_BYTES - 1) / STRIA_CACHE_LINE_BYTES * STRIA_CACHE_LINE_BYTES;
}

/* Whether rows are long enough for a call each. Spreading a value over a row costs less than a dear call, but more for each element. */
static bool has_long_rows(const piece *p)
{
    bool spreads = p->exec->has_dear_calls;

    for (int k = 0; k < p->exec->n; k++) spreads &= is_mergeable(p, k) || p->operand[k].mode == MODE_VALUE;
    return p->width >= (spreads ? p->exec->row_elements : STRIA_EXEC_LONG_ROW);
}

/* Chooses the block, and how the loop gets each operand. Operands that are packed only because rows are short were
 * not counted when the block was chosen, so the block then gets fewer rows. */
static void choose_modes(piece *p)
{
    const int n = p->exec->n;
    bool      packs_more = false;

    for (int k = 0; k < n; k++) p->operand[k].mode = get_mode(p, k);
    choose_block(p);
    p->by_row = false;
    const bool is_long = has_long_rows(p);
    for (int k = 0; k < n && p->exec->loop != NULL; k++) { /* a copy takes rows as they are */
        operand *op = &p->operand[k];
        if (is_mergeable(p, k)) continue;
        if (is_long || (op->mode == MODE_VALUE && is_output(p, k))) {
            p->by_row = true;
        } else {
            op->mode = MODE_PACKED;
            packs_more = true;
        }
    }
    if (packs_more && p->width * p->height > p->exec->block_elements) p->height = p->exec->block_elements / p->width;
}

/* A buffer for operand k from *pool, and what the loop sees of it. */
static void plan_operand(piece *p, int k, char **pool)
{
    operand                  *op = &p->operand[k];
    const stria_exec_operand *kind = &p->exec->operand[k];
    const bool                is_packed = op->mode == MODE_PACKED;
    const bool                in_memory = op->mode == MODE_DIRECT || (op->mode == MODE_VALUE && kind->same);

    op->is_periodic = is_packed && !is_output(p, k) && op->outer == 0 && p->width == p->n0;
    op->buffer = *pool;
    if (is_packed) *pool += round_to_cache_line(p->width * p->height * kind->lane_size);
    if (op->mode == MODE_VALUE) *pool += round_to_cache_line(p->height * kind->lane_size);
    op->seen = in_memory ? op->data : op->buffer;
    op->seen_inner = in_memory ? op->inner : 0;
    op->seen_outer = in_memory ? op->outer : 0;
    p->seen_strides[k] = op->mode == MODE_VALUE ? 0 : kind->lane_size;
    if (is_packed && !op->is_periodic && (!is_output(p, k) || p->exec->accumulates)) p->load[p->n_loads++] = k;
    if (is_packed && is_output(p, k)) p->store[p->n_stores++] = k;
}

static void plan(piece *p, char *pool)
{
    char *end = pool;

    choose_modes(p);
    p->n_loads = p->n_stores = 0;
    for (int k = 0; k < p->exec->n; k++) plan_operand(p, k, &end);
    /* a copy uses the buffer of its output alone, which is the first */
    if (p->exec->loop == NULL) end = pool + p->width * p->height * p->exec->operand[0].lane_size;
    STRIA_ASSERT((size_t)(end - pool) <= STRIA_EXEC_SCRATCH_BYTES);
    (void)end;
}

static stria_exec_block get_block(const operand *op, int64_t i, int64_t j, int64_t width, int64_t height)
{
    return (stria_exec_block){op->data + i * op->inner + j * op->outer, op->inner, op->outer, width, height};
}

/* How many values of an operand a block has: one a row, or one for all rows. */
static int64_t get_value_count(const operand *op, int64_t height) { return op->outer == 0 ? 1 : height; }

/* Values of another dtype, of all columns of rows j ..: into their buffers, and those of outputs back. */
static void load_values(const piece *p, int64_t j, int64_t height)
{
    for (int k = 0; k < p->exec->n; k++) {
        const operand            *op = &p->operand[k];
        const stria_exec_operand *kind = &p->exec->operand[k];
        if (op->mode == MODE_VALUE && !kind->same)
            kind->load(op->buffer, kind->lane_size, op->data + j * op->outer, op->outer, get_value_count(op, height));
    }
}

static void store_values(const piece *p, int64_t j, int64_t height)
{
    for (int k = 0; k < p->exec->n_outputs; k++) {
        const operand            *op = &p->operand[k];
        const stria_exec_operand *kind = &p->exec->operand[k];
        if (op->mode == MODE_VALUE && !kind->same)
            kind->store(op->data + j * op->outer, op->outer, op->buffer, kind->lane_size, get_value_count(op, height));
    }
}

/* Byte stride from row to row of what the loop sees of operand k in a block of `width` columns. */
static int64_t get_seen_pitch(const piece *p, int k, int64_t width)
{
    const operand            *op = &p->operand[k];
    const stria_exec_operand *kind = &p->exec->operand[k];

    if (op->mode == MODE_PACKED) return width * kind->lane_size;
    if (op->mode == MODE_VALUE && !kind->same && op->outer != 0) return kind->lane_size;
    return op->seen_outer;
}

static void call_loop_by_row(const piece *p, char **data, int64_t width, int64_t height)
{
    const stria_exec *exec = p->exec;
    char             *row[STRIA_EXEC_MAX_OPERANDS];
    int64_t           pitch[STRIA_EXEC_MAX_OPERANDS];

    for (int k = 0; k < exec->n; k++) pitch[k] = get_seen_pitch(p, k, width);
    for (int64_t r = 0; r < height; r++) {
        for (int k = 0; k < exec->n; k++) row[k] = data[k] + r * pitch[k];
        exec->loop(exec->context, row, p->seen_strides, width);
    }
}

/* Runs the blocks of rows j .. from left to right. Blocks are small, so this does little beside the loads, the loop
 * and the stores. */
static void run_blocks(const piece *p, int64_t j, int64_t height)
{
    const stria_exec *exec = p->exec;
    char             *seen[STRIA_EXEC_MAX_OPERANDS];
    stria_exec_block  part[STRIA_EXEC_MAX_OPERANDS];

    for (int k = 0; k < exec->n; k++) {
        seen[k] = p->operand[k].seen + j * p->operand[k].seen_outer;
        part[k] = get_block(&p->operand[k], 0, j, p->width, height);
    }
    for (int64_t left = p->n0; left > 0; left -= p->width) {
        const int64_t width = p->width < left ? p->width : left;
        for (int l = 0; l < p->n_loads; l++) {
            const int k = p->load[l];
            part[k].width = width;
            stria_exec_block_load(exec, &exec->operand[k], &part[k], p->operand[k].buffer,
                                  width * exec->operand[k].lane_size);
        }
        if (p->by_row)
            call_loop_by_row(p, seen, width, height);
        else
            exec->loop(exec->context, seen, p->seen_strides, width * height);
        for (int l = 0; l < p->n_stores; l++) {
            const int k = p->store[l];
            part[k].width = width;
            stria_exec_block_store(exec, &exec->operand[k], &part[k], p->operand[k].buffer);
        }
        for (int k = 0; k < exec->n; k++) {
            seen[k] += width * p->operand[k].seen_inner;
            part[k].at += width * p->operand[k].inner;
        }
    }
}

/* Fills the buffer of an operand whose rows are all the same: packs one row, then doubles what the buffer holds. */
static void load_periodic(const piece *p, int k)
{
    const operand            *op = &p->operand[k];
    const stria_exec_operand *kind = &p->exec->operand[k];
    const stria_exec_block    row = get_block(op, 0, 0, p->width, 1);
    const int64_t             pitch = p->width * kind->lane_size, whole = p->height * pitch;

    stria_exec_block_load(p->exec, kind, &row, op->buffer, pitch);
    for (int64_t done = pitch; done < whole; done *= 2)
        memcpy(op->buffer + done, op->buffer, (size_t)(done < whole - done ? done : whole - done));
}

/* From the buffer of the output to memory. */
static void put_rows(const piece *p, char *to, int64_t outer, int64_t nbytes, int64_t n)
{
    const char *from = p->operand[0].buffer;

    if (outer == nbytes) { /* one row */
        nbytes *= n;
        n = 1;
    }
    for (int64_t r = 0; r < n; r++)
        if (p->exec->nontemporal)
            p->exec->kernels->copy_nontemporal(to + r * outer, from + r * nbytes, nbytes);
        else
            memcpy(to + r * outer, from + r * nbytes, (size_t)nbytes);
}

/* A block of a copy: straight from memory to memory where one side is contiguous. */
static void copy_block(const piece *p, int64_t i, int64_t j, int64_t width, int64_t height)
{
    const stria_exec         *exec = p->exec;
    const operand            *out = &p->operand[0];
    const stria_exec_operand *from = &exec->operand[1];
    const stria_exec_block    target = get_block(out, i, j, width, height);
    const stria_exec_block    source = get_block(&p->operand[1], i, j, width, height);

    if (p->by_square) {
        const int64_t pitch = width * from->size;
        stria_exec_block_gather(exec, from, &source, out->buffer, pitch);
        put_rows(p, target.at, target.outer, pitch, height);
    } else if (out->mode == MODE_DIRECT) {
        stria_exec_block_load(exec, from, &source, target.at, target.outer);
    } else if (from->same && source.inner == from->size) {
        stria_exec_block_scatter(exec, &exec->operand[0], &target, source.at, source.outer);
    } else {
        stria_exec_block_load(exec, from, &source, out->buffer, width * from->lane_size);
        stria_exec_block_store(exec, &exec->operand[0], &target, out->buffer);
    }
}

static void copy_piece(const piece *p)
{
    for (int64_t j = 0; j < p->n1; j += p->height) {
        const int64_t height = p->height < p->n1 - j ? p->height : p->n1 - j;
        for (int64_t i = 0; i < p->n0; i += p->width)
            copy_block(p, i, j, p->width < p->n0 - i ? p->width : p->n0 - i, height);
    }
    if (p->exec->nontemporal) p->exec->kernels->fence();
}

static void loop_piece(const piece *p)
{
    for (int k = 0; k < p->exec->n; k++)
        if (p->operand[k].is_periodic) load_periodic(p, k);
    for (int64_t j = 0; j < p->n1; j += p->height) {
        const int64_t height = p->height < p->n1 - j ? p->height : p->n1 - j;
        load_values(p, j, height);
        run_blocks(p, j, height);
        store_values(p, j, height);
    }
}

_Static_assert(STRIA_EXEC_SCRATCH_BYTES >=
                   POOL_BYTES + STRIA_EXEC_MAX_OPERANDS * (STRIA_CACHE_LINE_BYTES + VALUES_BYTES),
               "a pool holds the blocks of a piece");

static __attribute__((noinline)) void run_piece(piece *p)
{
    char *pool = stria_scratch_take(STRIA_EXEC_SCRATCH_BYTES);

    plan(p, pool);
    if (p->exec->loop == NULL)
        copy_piece(p);
    else
        loop_piece(p);
    stria_scratch_give(pool);
}

/* Rows that the loop takes as they are. */
static void run_rows(const stria_exec *exec, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    for (int64_t j = 0; j < n1; j++) {
        if (exec->loop == NULL)
            exec->operand[1].load(data[0], strides[0], data[1], strides[1], n0);
        else
            exec->loop(exec->context, data, strides, n0);
        for (int k = 0; k < exec->n; k++) data[k] += strides[exec->n + k];
    }
}

void stria_exec_loop2d(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    const stria_exec *exec = context;
    const int         n = exec->n;
    const int64_t     long_row = exec->has_dear_calls ? exec->row_elements : STRIA_EXEC_LONG_ROW;
    bool              direct = n1 == 1 || n0 >= long_row;
    piece             p;

    for (int k = 0; k < n && direct; k++) {
        const stria_exec_operand *kind = &exec->operand[k];
        direct = strides[k] == kind->size && (kind->same || exec->loop == NULL);
        if (strides[k] == 0 && kind->same) direct = k >= exec->n_outputs || exec->accumulates;
    }
    if (direct) {
        run_rows(exec, data, strides, n0, n1);
        return;
    }
    p.exec = exec;
    p.n0 = n0;
    p.n1 = n1;
    for (int k = 0; k < n; k++) {
        operand      *op = &p.operand[k];
        const int64_t size = exec->operand[k].size;
        op->data = data[k];
        op->inner = strides[k];
        op->outer = strides[n + k];
        if (n0 == 1 && n1 > 1) op->inner = op->outer; /* a column is a row */
        if (n0 == 1 && n1 == 1) op->inner = size;
        if (n0 == 1 || n1 == 1) op->outer = op->inner * n0 * n1;
    }
    if (n0 == 1) {
        p.n0 = n1;
        p.n1 = 1;
    }
    run_piece(&p);
}

/* ---------------------------------------------------------------- the public form */

static stria_status check_buffered(const stria_iter *it, const stria_dtype *lanes, stria_loop1d *loop, stria_error *err)
{
    char got[32];

    if (loop == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "for_each_buffered", "loop", "a function", "NULL",
                               "loop is NULL");
    if (it->n_operands > STRIA_EXEC_MAX_OPERANDS || it->n_operands == 0) {
        stria_shape_print(got, sizeof got, 1, &(int64_t){it->n_operands});
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "for_each_buffered", "iter", "1 to 8 operands", got,
                               "%d operands, but 1 to %d can be buffered", it->n_operands, STRIA_EXEC_MAX_OPERANDS);
    }
    for (int k = 0; k < it->n_operands; k++) {
        if (it->operands[k].device.type != STRIA_DEVICE_CPU)
            return stria_error_set(err, STRIA_ERR_DEVICE, "for_each_buffered", "iter", "cpu", NULL,
                                   "operand %d is not on the CPU", k);
        if (lanes != NULL && stria_dtype_get_size(lanes[k]) == 0)
            return stria_error_set(err, STRIA_ERR_DTYPE, "for_each_buffered", "lanes", "a dtype", NULL,
                                   "lanes[%d] is no dtype", k);
    }
    return stria_isa_get_status(err);
}

stria_status stria_iter_for_each_buffered(const stria_iter *it, const stria_dtype *lanes, stria_loop1d *loop,
                                          void *context, int64_t grain, stria_error *err)
{
    stria_exec  exec;
    stria_dtype memory[STRIA_EXEC_MAX_OPERANDS];

    STRIA_TRY(check_buffered(it, lanes, loop, err));
    STRIA_TRY(stria_scratch_reserve("for_each_buffered", err));
    for (int k = 0; k < it->n_operands; k++) memory[k] = it->operands[k].dtype;
    stria_exec_init(&exec, stria_dispatch_get(), it->n_operands, it->n_outputs, memory, lanes ? lanes : memory);
    exec.loop = loop;
    exec.context = context;
    exec.accumulates = it->is_reduction;
    if (it->is_reduction)
        stria_iter_walk_range(it, stria_exec_loop2d, &exec, 0, stria_iter_get_numel(it));
    else
        stria_iter_walk(it, stria_exec_loop2d, &exec, grain);
    if (stria_iter_get_numel(it) > 0) stria_iter_count_writes(it);
    return STRIA_OK;
}
