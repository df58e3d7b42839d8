/* packed_rows.h - operands as rows along one axis that lie one after another, for functions that need them so. Internal. */
#ifndef STRIA_PACKED_ROWS_H
#define STRIA_PACKED_ROWS_H

#include "tensor/tensor.h"

/* x in a dtype (STRIA_DTYPE_NONE: its own), row-major, with axis `axis` and the last one exchanged: x itself, retained, or a copy on its device. NULL stays NULL. */
stria_status stria_packed_rows_new(const stria_tensor *x, int axis, stria_dtype dtype, stria_tensor **packed,
                                   stria_error *err);
/* A place for rows that y is to have: y itself, retained, or a new tensor, which stria_packed_rows_put copies to y. */
stria_status stria_packed_rows_new_place(stria_tensor *y, int axis, stria_dtype dtype, stria_tensor **place,
                                         stria_error *err);
stria_status stria_packed_rows_put(stria_tensor *y, int axis, const stria_tensor *place, stria_error *err);

#endif
