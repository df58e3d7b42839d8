/* fold_rows.h - what reductions of other devices share with the CPU's. Internal. */
#ifndef STRIA_FOLD_ROWS_H
#define STRIA_FOLD_ROWS_H

#include "call/backend.h"

/* Nothing is combined: every element of the result is the identity, a mean of nothing NaN. (reduce.c) */
stria_status stria_reduce_fill_identity(stria_reduction op, stria_tensor *y, stria_error *err);

/* sum_to_size by a device's plain reductions. (sum_to_size.c) */
stria_status stria_sum_to_size_by(stria_impl_fn *reduce, const stria_call *call, const stria_call_meta *meta,
                                  stria_tensor **y, stria_error *err);

#endif
