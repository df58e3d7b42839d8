/* fold_cuda.h - reductions as the plug-in takes them. Internal. */
#ifndef STRIA_FOLD_CUDA_H
#define STRIA_FOLD_CUDA_H

#include "cuda/cuda_device.h"

/* x along the axes of `reduced` (bit k for axis k) into y, both with elements, on the device; keepdim and in_order as of stria_fold. The op
 * names the function in errors: ERR_MEMORY, and ERR_UNSUPPORTED of more dims than a walk has. */
stria_status stria_cuda_fold_walk_build(stria_cuda_fold_walk *walk, const char *op, const stria_tensor *x,
                                        stria_tensor *y, uint64_t reduced, bool keepdim, bool in_order,
                                        stria_error *err);
/* Of complex x and y: elements and outputs become their parts. The same errors. */
stria_status stria_cuda_fold_walk_split(stria_cuda_fold_walk *walk, const char *op, const stria_tensor *x,
                                        stria_error *err);

#endif
