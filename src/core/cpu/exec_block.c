/* exec_block.c - moves and conversions of one operand's elements between memory and the buffers of a block
 * (exec_block.h). */
#include "cpu/exec_block.h"

/* A row of fewer elements is not worth a call of memcpy. */
#define SHORT_ROW 8

/* Elements from anywhere to anywhere as they are: as integers, since f16 would go by way of f32, which changes NaNs. */
static stria_cast_loop *get_move(const stria_exec *exec, const stria_exec_operand *op)
{
    static const stria_dtype of_size[] = {STRIA_U8, STRIA_U16, STRIA_U32, STRIA_U64, STRIA_C128};

    return exec->kernels->cast[of_size[op->shift]][of_size[op->shift]];
}

/* Whether elements of a block are better moved row by row than column by column. */
static bool goes_by_row(const stria_exec_operand *op, const stria_exec_block *b)
{
    return b->width >= b->height || (b->inner == op->size && b->width >= SHORT_ROW);
}

void stria_exec_block_gather(const stria_exec *exec, const stria_exec_operand *op, const stria_exec_block *b,
                             char *packed, int64_t pitch)
{
    const bool is_spread = b->inner == 0 && b->width >= STRIA_EXEC_LONG_ROW; /* each row is one value */

    if (b->inner != op->size && b->outer == op->size && b->height > 1 && !is_spread) {
        exec->kernels->transpose[op->shift](packed, pitch, b->at, b->inner, b->width, b->height);
    } else if (goes_by_row(op, b)) {
        for (int64_t j = 0; j < b->height; j++)
            exec->kernels->gather[op->shift](packed + j * pitch, b->at + j * b->outer, b->inner, b->width);
    } else {
        stria_cast_loop *copy = get_move(exec, op);
        for (int64_t i = 0; i < b->width; i++)
            copy(packed + i * op->size, pitch, b->at + i * b->inner, b->outer, b->height);
    }
}

void stria_exec_block_scatter(const stria_exec *exec, const stria_exec_operand *op, const stria_exec_block *b,
                              const char *packed, int64_t pitch)
{
    if (b->inner != op->size && b->outer == op->size && b->height > 1) {
        exec->kernels->transpose[op->shift](b->at, b->inner, packed, pitch, b->height, b->width);
    } else if (goes_by_row(op, b)) {
        for (int64_t j = 0; j < b->height; j++)
            exec->kernels->scatter[op->shift](b->at + j * b->outer, b->inner, packed + j * pitch, b->width);
    } else {
        stria_cast_loop *copy = get_move(exec, op);
        for (int64_t i = 0; i < b->width; i++)
            copy(b->at + i * b->inner, b->outer, packed + i * op->size, pitch, b->height);
    }
}

/* A block takes a few KB of each row. The hardware prefetcher does not follow so short an access, so the same number
 * of bytes of the next block is prefetched. `behind` is the end of this block's part of a row; there may be no
 * elements there. */
static void ask_for_reading(uintptr_t behind, int64_t nbytes)
{
    for (int64_t k = 0; k < nbytes; k += STRIA_CACHE_LINE_BYTES)
        __builtin_prefetch((const char *)(behind + (uintptr_t)k));
}
static void ask_for_writing(uintptr_t behind, int64_t nbytes)
{
    for (int64_t k = 0; k < nbytes; k += STRIA_CACHE_LINE_BYTES) __builtin_prefetch((char *)(behind + (uintptr_t)k), 1);
}

/* Memory to lanes of another dtype. */
static void convert_block(const stria_exec_operand *op, const stria_exec_block *b, char *lanes, int64_t pitch)
{
    const int64_t nbytes = b->width * op->lane_size;

    if (b->height == 1 || (b->outer == b->width * op->size && pitch == nbytes)) {
        op->load(lanes, op->lane_size, b->at, op->size, b->width * b->height);
    } else if (goes_by_row(op, b)) {
        for (int64_t j = 0; j < b->height; j++) {
            char *row = lanes + j * pitch;
            ask_for_writing((uintptr_t)row + (uintptr_t)nbytes, nbytes);
            op->load(row, op->lane_size, b->at + j * b->outer, op->size, b->width);
        }
    } else {
        for (int64_t i = 0; i < b->width; i++)
            op->load(lanes + i * op->lane_size, pitch, b->at + i * op->size, b->outer, b->height);
    }
}

/* Whether a block has few and long columns, each contiguous, which are better converted before they are transposed:
 * where elements do not grow, and where rows have gaps between them, as pixels do, and are too short to be converted
 * one by one. */
static bool converts_columns(const stria_exec_operand *op, const stria_exec_block *b, int64_t pitch)
{
    return b->outer == op->size && b->height >= STRIA_EXEC_LONG_ROW && b->height >= b->width &&
           (op->lane_size <= op->size || pitch != b->width * op->lane_size);
}

static void gather_and_convert_block(const stria_exec *exec, const stria_exec_operand *op, const stria_exec_block *b,
                                     char *lanes, int64_t pitch)
{
    _Alignas(64) char      stage[STRIA_EXEC_STAGE_BYTES];
    const stria_exec_block gathered = {stage, op->size, b->width * op->size, b->width, b->height};

    if (converts_columns(op, b, pitch)) {
        const int64_t column = b->height * op->lane_size, nbytes = b->height * op->size;
        for (int64_t i = 0; i < b->width; i++) {
            const char *from = b->at + i * b->inner;
            ask_for_reading((uintptr_t)from + (uintptr_t)nbytes, nbytes);
            op->load(stage + i * column, op->lane_size, from, op->size, b->height);
        }
        exec->kernels->transpose[stria_exec_get_shift(op->lane_size)](lanes, pitch, stage, column, b->width, b->height);
        return;
    }
    stria_exec_block_gather(exec, op, b, stage, gathered.outer);
    convert_block(op, &gathered, lanes, pitch);
}

void stria_exec_block_load(const stria_exec *exec, const stria_exec_operand *op, const stria_exec_block *b, char *lanes,
                           int64_t pitch)
{
    if (op->same)
        stria_exec_block_gather(exec, op, b, lanes, pitch);
    else if (b->inner == op->size)
        convert_block(op, b, lanes, pitch);
    else
        gather_and_convert_block(exec, op, b, lanes, pitch);
}

void stria_exec_block_store(const stria_exec *exec, const stria_exec_operand *op, const stria_exec_block *b,
                            const char *lanes)
{
    _Alignas(64) char stage[STRIA_EXEC_STAGE_BYTES];
    const int64_t     pitch = b->width * op->lane_size;

    if (op->same) {
        stria_exec_block_scatter(exec, op, b, lanes, pitch);
    } else if (b->inner == op->size) {
        for (int64_t j = 0; j < b->height; j++)
            op->store(b->at + j * b->outer, op->size, lanes + j * pitch, op->lane_size, b->width);
    } else {
        op->store(stage, op->size, lanes, op->lane_size, b->width * b->height);
        stria_exec_block_scatter(exec, op, b, stage, b->width * op->size);
    }
}
