/* cuda_index.h - what the rows that index share on CUDA. Internal. */
#ifndef STRIA_CUDA_INDEX_H
#define STRIA_CUDA_INDEX_H

#include "cpu/scatter.h"

/* As of stria_index_check, of an index on a device: a kernel looks, and is waited for. */
stria_status stria_cuda_index_check(const stria_call *call, const char *argument, const stria_tensor *index,
                                    int64_t size, bool wraps, const char *what, stria_error *err);
/* y = elements of the table, which plan and y are of; the index is checked before. */
stria_status stria_cuda_gather_from(const stria_call *call, const stria_index_plan *plan, const stria_tensor *table,
                                    stria_tensor *y, const char *argument, const stria_tensor *index, const char *what,
                                    stria_error *err);
/* Elements of the table, which the plan is of, = those of other; the index is checked before. */
stria_status stria_cuda_scatter_to(const char *name, const stria_index_plan *plan, const stria_tensor *table,
                                   const stria_tensor *index, const stria_tensor *other, stria_error *err);
/* Of tables on CUDA devices. */
stria_index_list_add_fn stria_cuda_index_list_add;

#endif
