/* triangle.h - what tril_indices and triu_indices make, on every device. Internal. */
#ifndef STRIA_CPU_TRIANGLE_H
#define STRIA_CPU_TRIANGLE_H

#include "call/call.h"

/* The lower triangle, or the upper one turned by half a turn, which is a lower one: row i has the columns up to i + offset. Rows before
 * `first` have none, rows from `full` on all n_columns. */
typedef struct stria_triangle {
    bool    is_upper;
    int64_t n_rows, n_columns, offset, first, full, count;
    int     part; /* to make: 0 rows, 1 columns */
} stria_triangle;

/* ERR_SHAPE, ERR_OVERFLOW: there is no such matrix, or it has too many positions. */
stria_status stria_triangle_plan(const stria_call *call, bool is_upper, int64_t row, int64_t col, int64_t offset,
                                 stria_triangle *t, stria_error *err);

#endif
