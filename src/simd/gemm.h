/* gemm.h - the contract between the core's matrix products (src/core/cpu/matmul_run.c) and the loops of one ISA. Internal.
 *
 * gemm_kernels.c, compiled once per ISA, exports one const table stria_gemm_<isa>: for each of f32, f64, u32, u64 a
 * stria_gemm_kernel. Signed integers use the unsigned kernel of their width, which has the same bits.
 *
 * Every pointer is to elements of the kernel's lane type, at any alignment; every stride is in elements, of any sign, 0
 * included. Loops do not allocate. With FMA where the ISA has it: bits differ between ISAs. But each element of a result
 * is computed in one order, whatever tile, panel or run it is part of. */
#ifndef STRIA_GEMM_H
#define STRIA_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stria_enums.h"

/* m rows of the left operand. Element (i, p) is at data[i / mr * group + i % mr * row + p * k]: for plain memory group is
 * mr * row. */
typedef struct stria_gemm_left {
    const void *data;
    int64_t     row, k, group;
} stria_gemm_left;

/**
 * stria_gemm_panel - c[m, n] = a[m, k] b[k, n], or += with accumulate, for n >= 1 columns, nr at a time.
 *
 * c      rows c_row apart, the n elements of a row contiguous; without accumulate written and not read
 * b      rows b_k apart; of each, n rounded up to whole vectors are read. n is at most nr or a multiple of the lanes
 *
 * Order: sum over p ascending from 0, then added to c. k = 0 gives zeros.
 */
typedef void stria_gemm_panel(void *c, int64_t c_row, stria_gemm_left a, const void *b, int64_t b_k, int64_t m,
                              int64_t n, int64_t k, bool accumulate);

/* y[i] += sum over p < k of a[i * row + p] x[p] for i < m; y and x contiguous. */
typedef void stria_gemm_dot(void *y, const void *a, int64_t row, const void *x, int64_t m, int64_t k);

/* y[i] += sum over p < k of a[p * row + i] x[p] for i < m; y and x contiguous. */
typedef void stria_gemm_axpy(void *y, const void *a, int64_t row, const void *x, int64_t m, int64_t k);

typedef struct stria_gemm_kernel {
    int64_t           mr, nr; /* a tile: rows, and columns */
    int64_t           lanes;  /* of a vector */
    int64_t           kc;     /* most products added up in registers: nr x kc elements of b stay in L1 */
    int64_t           mc;     /* rows of a, kc elements each, that stay in L2; a multiple of mr */
    stria_gemm_panel *panel;
    stria_gemm_dot   *dot;
    stria_gemm_axpy  *axpy;
} stria_gemm_kernel;

/* One per ISA. */
typedef struct stria_gemm_kernels {
    stria_gemm_kernel f32, f64, u32, u64;
} stria_gemm_kernels;

#endif
