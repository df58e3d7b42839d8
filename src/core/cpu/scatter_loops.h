/* scatter_loops.h - combining elements of a table with those of a source. Internal. */
#ifndef STRIA_SCATTER_LOOPS_H
#define STRIA_SCATTER_LOOPS_H

#include "cpu/index_plan.h"

typedef enum stria_scatter_op {
    STRIA_SCATTER_ADD,
    STRIA_SCATTER_MUL,
    STRIA_SCATTER_MAX,
    STRIA_SCATTER_MIN,
    STRIA_SCATTER_OPS
} stria_scatter_op;

/* For k = 0, 1 .. n - 1 in this order: the element at table + k * table_stride + offsets[k] is combined with src[k]. offsets NULL: 0.
 * Integers wrap; of bool, add and max are or, mul and min and; max and min of floats are NaN if one is, and -0 is below +0. */
typedef void stria_scatter_fn(char *table, int64_t table_stride, const int64_t *offsets, const char *src, int64_t n);

/* Of a compute dtype (no f16, bf16); NULL: complex numbers have no order. */
stria_scatter_fn *stria_scatter_get(stria_dtype dtype, stria_scatter_op op);
/* The same by one pass; NULL: there is none. */
stria_index_pass *stria_scatter_get_pass(stria_dtype dtype, stria_scatter_op op);
/* What combining with changes nothing, into 16 bytes. */
void stria_scatter_get_identity(stria_dtype dtype, stria_scatter_op op, char *at);

#endif
