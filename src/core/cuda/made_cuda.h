/* made_cuda.h - rows of functions.def that are made of other calls on CUDA, and of a kernel where there is no such call. Internal. */
#ifndef STRIA_MADE_CUDA_H
#define STRIA_MADE_CUDA_H

#include "call/compose.h"
#include "cuda/cuda_device.h"

/* As a stria_impl_fn; what is put into temps is released. */
typedef stria_status stria_cuda_make_fn(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                        stria_temps *temps, stria_error *err);
/* Errors name the row. */
stria_status stria_cuda_make(stria_cuda_make_fn *make, const stria_call *call, const stria_call_meta *meta,
                             stria_tensor **y, stria_error *err);

/* The functions below put what they make into temps.
 *
 * x in the dtype, row-major, [rows, elements], or a view of x: along the axis, or axis -1 all elements as one row. x has elements, but of rows there may be
 * none. */
stria_status stria_cuda_make_rows(stria_temps *temps, const stria_tensor *x, int axis, stria_dtype dtype,
                                  stria_tensor **rows, stria_error *err);
/* x in the dtype, row-major, on the device; x itself where it is that. */
stria_status stria_cuda_make_packed(stria_temps *temps, const stria_tensor *x, stria_dtype dtype, stria_device device,
                                    stria_tensor **packed, stria_error *err);
/* y = as many elements in row-major order. */
stria_status stria_cuda_set_flat(stria_temps *temps, stria_tensor *y, const stria_tensor *values, stria_error *err);
/* i as a number of the host. */
stria_status stria_cuda_make_whole(stria_temps *temps, int64_t i, stria_tensor **number, stria_error *err);
/* first, first + 1 .. of n i64 numbers. */
stria_status stria_cuda_make_numbers(stria_temps *temps, stria_device device, int64_t first, int64_t n,
                                     stria_tensor **numbers, stria_error *err);
/* The rows in order, and where elements were. */
stria_status stria_cuda_make_sorted(stria_temps *temps, const stria_tensor *rows, stria_tensor **sorted,
                                    stria_tensor **places, stria_error *err);
/* *value = the only element of x, as dtype; waits for it. */
stria_status stria_cuda_read(const stria_tensor *x, stria_dtype dtype, void *value, stria_error *err);

#endif
