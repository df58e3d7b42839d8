/* exec.c - the way from a two-dimensional piece of an iteration to runs that a kernel loop takes (exec.h). */
#include "exec.h"

#include <string.h>

#include "error.h"

/* A row at least this long is worth a call of its own. */
#define LONG_ROW 128

void stria_exec_init(stria_exec *exec, const stria_kernels *kernels, stria_loop *loop, int n, const stria_dtype *memory,
                     const stria_dtype *lane)
{
    exec->loop = loop;
    exec->n = n;
    for (int k = 0; k < n; k++) {
        exec->lane_size[k] = (int64_t)stria_dtype_get_size(lane[k]);
        exec->same[k] = memory[k] == lane[k];
        exec->cast[k] = k == 0 ? kernels->cast[lane[k]][memory[k]] : kernels->cast[memory[k]][lane[k]];
    }
}

/* What one operand needs over a 2-d piece. */
typedef enum operand_mode {
    MODE_DIRECT, /* contiguous over the block: the loop reads or writes memory itself */
    MODE_ONE,    /* one value for the whole piece (inputs) */
    MODE_PERIOD, /* the same row again and again: gathered once (inputs) */
    MODE_BUFFER  /* gathered or scattered for each block */
} operand_mode;

typedef struct operand {
    operand_mode mode;
    char        *data;
    int64_t      inner, outer; /* byte strides of the piece */
    char        *buffer;
} operand;

/* Copies a block of n0 x rows between memory and a buffer. The shorter of the two extents makes the outer loop. */
static void block_copy(stria_cast_loop *cast, bool gather, char *buffer, int64_t size, char *memory, int64_t inner,
                       int64_t outer, int64_t n0, int64_t rows)
{
    const bool    by_row = n0 >= rows;
    const int64_t calls = by_row ? rows : n0, count = by_row ? n0 : rows;
    const int64_t memory_call = by_row ? outer : inner, memory_step = by_row ? inner : outer;
    const int64_t buffer_call = by_row ? n0 * size : size, buffer_step = by_row ? size : n0 * size;
    for (int64_t c = 0; c < calls; c++) {
        if (gather)
            cast(buffer + c * buffer_call, buffer_step, memory + c * memory_call, memory_step, count);
        else
            cast(memory + c * memory_call, memory_step, buffer + c * buffer_call, buffer_step, count);
    }
}

static operand_mode choose_mode(const stria_exec *exec, int k, const operand *op, int64_t n0, int64_t rows)
{
    const int64_t size = exec->lane_size[k];
    const bool    is_input = k > 0;
    if (is_input && op->inner == 0 && (rows == 1 || op->outer == 0)) return MODE_ONE;
    if (exec->same[k] && op->inner == size && (rows == 1 || op->outer == n0 * size)) return MODE_DIRECT;
    if (is_input && rows > 1 && op->outer == 0) return MODE_PERIOD;
    return MODE_BUFFER;
}

/* Runs the loop over one block of n0 x rows elements, the first of which op[k].data points to. */
static void run_block(const stria_exec *exec, operand *op, int64_t n0, int64_t rows)
{
    char   *data[STRIA_EXEC_MAX_OPERANDS];
    int64_t stride[STRIA_EXEC_MAX_OPERANDS];
    for (int k = 0; k < exec->n; k++) {
        stride[k] = op[k].mode == MODE_ONE ? 0 : exec->lane_size[k];
        data[k] = op[k].mode == MODE_DIRECT ? op[k].data : op[k].buffer;
        if (k > 0 && op[k].mode == MODE_BUFFER)
            block_copy(exec->cast[k], true, op[k].buffer, exec->lane_size[k], op[k].data, op[k].inner, op[k].outer, n0,
                       rows);
    }
    exec->loop(data, stride, n0 * rows);
    if (op[0].mode == MODE_BUFFER)
        block_copy(exec->cast[0], false, op[0].buffer, exec->lane_size[0], op[0].data, op[0].inner, op[0].outer, n0,
                   rows);
}

/* The piece in blocks of at most STRIA_EXEC_BLOCK elements: several rows each, or parts of a row. */
static void run_blocks(const stria_exec *exec, operand *op, int64_t n0, int64_t n1)
{
    _Alignas(64) char buffers[STRIA_EXEC_MAX_OPERANDS][STRIA_EXEC_BLOCK * 8];
    const bool        whole_rows = n0 <= STRIA_EXEC_BLOCK / 2;
    const int64_t     fit = whole_rows ? STRIA_EXEC_BLOCK / n0 : 1;
    const int64_t     rows = fit < n1 ? fit : n1;
    const int64_t     step0 = whole_rows ? n0 : STRIA_EXEC_BLOCK;
    char             *base[STRIA_EXEC_MAX_OPERANDS];

    for (int k = 0; k < exec->n; k++) {
        base[k] = op[k].data;
        op[k].buffer = buffers[k];
        op[k].mode = choose_mode(exec, k, &op[k], n0, rows);
        if (op[k].mode == MODE_ONE)
            exec->cast[k](buffers[k], 0, op[k].data, 0, 1);
        else if (op[k].mode == MODE_PERIOD)
            block_copy(exec->cast[k], true, buffers[k], exec->lane_size[k], op[k].data, op[k].inner, 0, n0, rows);
    }
    for (int64_t j = 0; j < n1; j += rows) {
        const int64_t rows_now = rows < n1 - j ? rows : n1 - j;
        for (int64_t i = 0; i < n0; i += step0) {
            for (int k = 0; k < exec->n; k++) {
                op[k].data = base[k] + j * op[k].outer + i * op[k].inner;
                /* rows == 1: an operand that is one value along a row may change from row to row */
                if (op[k].mode == MODE_ONE && i == 0 && j > 0 && op[k].outer != 0)
                    exec->cast[k](op[k].buffer, 0, op[k].data, 0, 1);
            }
            run_block(exec, op, step0 < n0 - i ? step0 : n0 - i, rows_now);
        }
    }
}

void stria_exec_loop2d(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    const stria_exec *exec = context;
    operand           op[STRIA_EXEC_MAX_OPERANDS];
    bool              direct = n1 == 1 || n0 >= LONG_ROW;

    for (int k = 0; k < exec->n; k++) {
        op[k].data = data[k];
        op[k].inner = strides[k];
        op[k].outer = n1 == 1 ? 0 : strides[exec->n + k];
        direct = direct && exec->same[k] && (strides[k] == exec->lane_size[k] || (k > 0 ? strides[k] == 0 : n0 == 1));
    }
    if (!direct) {
        run_blocks(exec, op, n0, n1);
        return;
    }
    for (int64_t j = 0; j < n1; j++) {
        exec->loop(data, strides, n0);
        for (int k = 0; k < exec->n; k++) data[k] += op[k].outer;
    }
}
