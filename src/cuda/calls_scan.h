/* calls_scan.h - the argument of running sums and their kin along an axis. Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_SCAN_H
#define STRIA_CUDA_CALLS_SCAN_H

#include "walk.h"

typedef enum stria_cuda_scan_kind {
    STRIA_CUDA_CUMSUM,
    STRIA_CUDA_CUMPROD,
    STRIA_CUDA_LOGCUMSUMEXP,
    STRIA_CUDA_CUMMAX,
    STRIA_CUDA_CUMMIN
} stria_cuda_scan_kind;

/* One operand of rows: `step` bytes from element to element, stride[d] from row to row. */
typedef struct stria_cuda_scanned {
    char       *data;
    stria_dtype dtype;
    int64_t     step, stride[STRIA_CUDA_MAX_DIMS];
} stria_cuda_scanned;

/* Rows of x, counted along the other dims, the fastest first. There are rows, and they have elements; out may be x itself.
 *
 * compute  of sums and products: f64 for floats, else i64 or u64; of products, c128 for complex numbers
 * places   of extremes: i64, the number of the element */
typedef struct stria_cuda_scan_call {
    stria_cuda_scan_kind kind;
    stria_dtype          compute;
    int64_t              length, n_rows;
    int32_t              ndim;
    int64_t              shape[STRIA_CUDA_MAX_DIMS];
    stria_cuda_scanned   x, out, places;
} stria_cuda_scan_call;

#endif
