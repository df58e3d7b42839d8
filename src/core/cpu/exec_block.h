/* exec_block.h - moves and conversions of one operand's elements between memory and the buffers of a block (exec.c).
 * Internal. */
#ifndef STRIA_EXEC_BLOCK_H
#define STRIA_EXEC_BLOCK_H

#include "cpu/exec.h"

#define STRIA_CACHE_LINE_BYTES 64
/* A row of at least so many elements is worth a call of its own. */
#define STRIA_EXEC_LONG_ROW 64
/* The largest block of elements on their way to a conversion. */
#define STRIA_EXEC_STAGE_BYTES 16384

/* Elements in memory: `at` is the first one; the byte strides along a row and from row to row; columns and rows. */
typedef struct stria_exec_block {
    char   *at;
    int64_t inner, outer, width, height;
} stria_exec_block;

/* log2 of a size of elements */
static inline int stria_exec_get_shift(int64_t size)
{
    int shift = 0;
    while ((int64_t)1 << shift < size) shift++;
    return shift;
}

/* Memory to lanes, and lanes without gaps to memory. Rows of lanes are `pitch` bytes apart. */
void stria_exec_block_load(const stria_exec *exec, const stria_exec_operand *op, const stria_exec_block *b, char *lanes,
                           int64_t pitch);
void stria_exec_block_store(const stria_exec *exec, const stria_exec_operand *op, const stria_exec_block *b,
                            const char *lanes);

/* The same without a conversion. The rows of the packed side are `pitch` bytes apart. */
void stria_exec_block_gather(const stria_exec *exec, const stria_exec_operand *op, const stria_exec_block *b,
                             char *packed, int64_t pitch);
void stria_exec_block_scatter(const stria_exec *exec, const stria_exec_operand *op, const stria_exec_block *b,
                              const char *packed, int64_t pitch);

#endif
