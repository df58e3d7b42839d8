/* gemm_template.h - the loops of matrix products for lane type STRIA_T (contract: gemm.h).
 *
 * Parameters: STRIA_T; the vocabulary; from gemm_<isa>.h
 *   GEMM_ROWS_<t>, GEMM_VECTORS_<t>   a tile: rows (at most 15), and vectors in a row of it
 *   gemm_madd_<t>(a, b, c)            a b + c */

#include "vec_words.h"
#define FN(name) STRIA_CAT3(name, _, STRIA_T)
#define MR STRIA_CAT(GEMM_ROWS_, STRIA_T)
#define NV STRIA_CAT(GEMM_VECTORS_, STRIA_T)
#define NR (NV * V_LANES)
#define MADD STRIA_CAT(gemm_madd_, STRIA_T)
#define LONG_K 128 /* products of a tile that take longer than memory does */

/* ---------------------------------------------------------------- tiles */

/* One tile of rows x (vectors * V_LANES), accumulated in registers: rows and vectors are constants of the caller. */
GEMM_INLINE void FN(tile)(const int rows, const int vectors, v_ctype *c, ptrdiff_t c_row, const v_ctype *a,
                          ptrdiff_t a_row, ptrdiff_t a_k, const v_ctype *b, ptrdiff_t b_k, ptrdiff_t k, bool accumulate)
{
    const int      half = rows > 8 ? (rows + 1) / 2 : rows; /* two addresses need half as many offsets in registers */
    const v_ctype *upper = a + half * a_row;
    v_vec          sum[MR][NV];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) sum[i][j] = v_set(0);
            /* prefetches the cache lines of c that the tile is stored to when its products are done */
#pragma GCC unroll 16
    for (int i = 0; i < rows && k >= LONG_K; i++) {
        __builtin_prefetch(c + i * c_row, 1);
        __builtin_prefetch(c + i * c_row + vectors * V_LANES - 1, 1);
    }
    for (ptrdiff_t p = 0; p < k; p++) {
        v_vec row[NV];
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) row[j] = v_load(b + j * V_LANES);
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) {
            const v_vec x = v_set(i < half ? a[i * a_row] : upper[(i - half) * a_row]);
#pragma GCC unroll 4
            for (int j = 0; j < vectors; j++) sum[i][j] = MADD(x, row[j], sum[i][j]);
        }
        a += a_k;
        upper += a_k;
        b += b_k;
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) {
            v_ctype *at = c + i * c_row + j * V_LANES;
            v_store(at, accumulate ? v_add(v_load(at), sum[i][j]) : sum[i][j]);
        }
}

/* The first n columns of a tile into c: the same additions as those of whole tiles. */
static void FN(store_edge)(v_ctype *c, int64_t c_row, const v_ctype *tile, int64_t tile_row, int64_t rows, int64_t n,
                           bool accumulate)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n; j++) {
            v_ctype *at = c + i * c_row + j;
            *at = (v_ctype)(accumulate ? *at + tile[i * tile_row + j] : tile[i * tile_row + j]);
        }
}

/* What the tiles of a panel share. */
typedef struct FN(panel_job) {
    v_ctype       *c;
    ptrdiff_t      c_row, a_row, a_k, b_k, n, k;
    const v_ctype *b;
    bool           accumulate, is_edge; /* is_edge: n is not a whole number of vectors */
} FN(panel_job);

/* below: rows of the panel behind the tile. Where rows lie one behind another, what a tile of partial vectors writes behind a row is overwritten by
 * the rows below. */
GEMM_INLINE void FN(run_tile)(const int rows, const int vectors, const FN(panel_job) * job, v_ctype *c,
                              const v_ctype *a, int64_t below)
{
    v_ctype         edge[MR * NR];
    const bool      is_covered = !job->accumulate && job->c_row == job->n && below * job->n >= vectors * V_LANES;
    const bool      is_apart = job->is_edge && !is_covered;
    const ptrdiff_t c_row = is_apart ? NR : job->c_row;
    FN(tile)
    (rows, vectors, is_apart ? edge : c, c_row, a, job->a_row, job->a_k, job->b, job->b_k, job->k,
     job->accumulate && !is_apart);
    if (is_apart) FN(store_edge)(c, job->c_row, edge, NR, rows, job->n, job->accumulate);
}

/* A tile of fewer than MR rows: some of the rows i .. m - 1. Returns how many rows are done. */
GEMM_INLINE int64_t FN(run_rest)(const int rows, const int vectors, const FN(panel_job) * job, v_ctype *c,
                                 const v_ctype *a, int64_t i, int64_t m)
{
    if (rows >= MR || m - i < rows) return i;
    FN(run_tile)(rows < MR ? rows : MR, vectors, job, c + i * job->c_row, a + i * job->a_row, m - i - rows);
    return i + rows;
}

/* A panel in tiles of MR rows, and what is left in tiles of 8, 4, 2 and 1. */
GEMM_INLINE void FN(run_panel)(const int vectors, const FN(panel_job) * job, const v_ctype *a, int64_t group, int64_t m)
{
    v_ctype *c = job->c;
    int64_t  i = 0;
    for (; m >= MR; m -= MR) {
        FN(run_tile)(MR, vectors, job, c, a, m - MR);
        c += MR * job->c_row;
        a += group;
    }
    i = FN(run_rest)(8, vectors, job, c, a, i, m);
    i = FN(run_rest)(4, vectors, job, c, a, i, m);
    i = FN(run_rest)(2, vectors, job, c, a, i, m);
    FN(run_rest)(1, vectors, job, c, a, i, m);
}

static void FN(panel)(void *c, int64_t c_row, stria_gemm_left a, const void *b, int64_t b_k, int64_t m, int64_t n,
                      int64_t k, bool accumulate)
{
    FN(panel_job)
    job = {.c = c,
           .c_row = (ptrdiff_t)c_row,
           .a_row = (ptrdiff_t)a.row,
           .a_k = (ptrdiff_t)a.k,
           .b_k = (ptrdiff_t)b_k,
           .n = (ptrdiff_t)n,
           .k = (ptrdiff_t)k,
           .b = b,
           .accumulate = accumulate,
           .is_edge = n % V_LANES != 0};
    for (; job.n > 0; job.n -= NR) {
        switch (job.n < NR ? (job.n + V_LANES - 1) / V_LANES : NV) {
        case 1: FN(run_panel)(1, &job, a.data, a.group, m); break;
#if STRIA_CAT(GEMM_VECTORS_, STRIA_T) > 1
        case 2: FN(run_panel)(2, &job, a.data, a.group, m); break;
#endif
#if STRIA_CAT(GEMM_VECTORS_, STRIA_T) > 2
        case 3: FN(run_panel)(3, &job, a.data, a.group, m); break;
#endif
#if STRIA_CAT(GEMM_VECTORS_, STRIA_T) > 3
        default: FN(run_panel)(4, &job, a.data, a.group, m); break;
#endif
        }
        job.c += NR;
        job.b += NR;
    }
}

/* ---------------------------------------------------------------- a matrix and a vector */

/* Four rows at a time, each in two sums: these eight multiply-adds do not depend on each other. */
static v_ctype FN(add_up)(v_vec sum)
{
    v_ctype lane[V_LANES];
    v_store(lane, sum);
    for (int half = V_LANES / 2; half > 0; half /= 2)
        for (int q = 0; q < half; q++) lane[q] = (v_ctype)(lane[q] + lane[q + half]);
    return lane[0];
}

GEMM_INLINE void FN(dot_rows)(const int rows, v_ctype *y, const v_ctype *a, int64_t row, const v_ctype *x, int64_t k)
{
    v_vec   even[4], odd[4];
    int64_t p = 0;
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) even[i] = odd[i] = v_set(0);
    for (; p + 2 * V_LANES <= k; p += 2 * V_LANES) {
        const v_vec x0 = v_load(x + p), x1 = v_load(x + p + V_LANES);
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            even[i] = MADD(v_load(a + i * row + p), x0, even[i]);
            odd[i] = MADD(v_load(a + i * row + p + V_LANES), x1, odd[i]);
        }
    }
    for (; p + V_LANES <= k; p += V_LANES) {
        const v_vec x0 = v_load(x + p);
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) even[i] = MADD(v_load(a + i * row + p), x0, even[i]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
        v_ctype rest = 0; /* of less than a vector */
        for (int64_t q = p; q < k; q++) rest += a[i * row + q] * x[q];
        y[i] = (v_ctype)(y[i] + rest);
        if (p > 0) y[i] = (v_ctype)(y[i] + FN(add_up)(v_add(even[i], odd[i])));
    }
}

static void FN(dot)(void *to, const void *from, int64_t row, const void *x, int64_t m, int64_t k)
{
    v_ctype       *y = to;
    const v_ctype *a = from;
    int64_t        i = 0;
    for (; i + 4 <= m; i += 4) FN(dot_rows)(4, y + i, a + i * row, row, x, k);
    for (; i < m; i++) FN(dot_rows)(1, y + i, a + i * row, row, x, k);
}

/* y += x[0] a[0] + .. + x[rows - 1] a[rows - 1]: that many rows of a in one pass over y. */
GEMM_INLINE void FN(axpy_rows)(const int rows, v_ctype *y, const v_ctype *a, int64_t row, const v_ctype *x, int64_t m)
{
    v_vec   xs[8];
    int64_t i = 0;
#pragma GCC unroll 8
    for (int q = 0; q < rows; q++) xs[q] = v_set(x[q]);
    for (; i + V_LANES <= m; i += V_LANES) {
        v_vec sum = v_load(y + i);
#pragma GCC unroll 8
        for (int q = 0; q < rows; q++) sum = MADD(xs[q], v_load(a + q * row + i), sum);
        v_store(y + i, sum);
    }
    for (; i < m; i++) {
        v_ctype sum = y[i];
#pragma GCC unroll 8
        for (int q = 0; q < rows; q++) sum += x[q] * a[q * row + i];
        y[i] = sum;
    }
}

static void FN(axpy)(void *to, const void *from, int64_t row, const void *at, int64_t m, int64_t k)
{
    const v_ctype *a = from, *x = at;
    int64_t        p = 0;
    for (; p + 8 <= k; p += 8) FN(axpy_rows)(8, to, a + p * row, row, x + p, m);
    const bool is_float = (v_ctype)0.5 != 0; /* of whole numbers it is 0 */
    for (; is_float && p + 3 <= k; p += 3)   /* a row of a 3 x 3 window; of whole numbers, not worth its code */
        FN(axpy_rows)(3, to, a + p * row, row, x + p, m);
    for (; p < k; p++) FN(axpy_rows)(1, to, a + p * row, row, x + p, m);
}

#undef FN
#undef MR
#undef NV
#undef NR
#undef MADD
#undef LONG_K
