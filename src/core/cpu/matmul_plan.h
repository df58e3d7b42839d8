/* matmul_plan.h - a matrix product as the loops see it: sizes, addresses and strides, no tensors. Internal.
 *
 *     c[i, j] = sum over p of a[i, p] b[p, j]        for each matrix of the batch
 *
 * matmul.c fills a plan, matmul_run.c simplifies it and runs it in tiles, matmul_vector.c where n is 1; matmul_pack.c
 * brings parts of a and b into the order of the loops. */
#ifndef STRIA_MATMUL_PLAN_H
#define STRIA_MATMUL_PLAN_H

#include "base/parallel.h"
#include "simd/kernels.h"
#include "stria.h"

/* One of the three matrices. Strides are in elements, of any sign, 0 included (not for c). */
typedef struct stria_matmul_side {
    char       *data;
    stria_dtype dtype;
    int64_t     size;                  /* bytes of an element */
    int64_t     along;                 /* stride of i (a, c) or of j (b) */
    int64_t     step;                  /* stride of p (a, b) or of j (c) */
    bool        is_lane;               /* its elements are lanes of the kernel as they are */
    int64_t     batch[STRIA_MAX_DIMS]; /* strides of the batch's dims */
} stria_matmul_side;

typedef struct stria_matmul_plan {
    const stria_kernels     *kernels;
    const stria_gemm_kernel *kernel;
    stria_dtype              lane; /* F32, F64, U32 or U64 */
    int64_t                  lane_size;
    int64_t                  m, n, k;
    int                      n_batch; /* dims of the batch */
    int64_t                  batch[STRIA_MAX_DIMS];
    int64_t                  n_matrices; /* product of batch */
    stria_matmul_side        a, b, c;
    bool                     is_exchanged; /* c is turned over: a is what was b */
} stria_matmul_plan;

/**
 * stria_matmul_plan_run - computes every matrix of the batch.
 *
 * plan    filled by the caller but for is_lane, size, lane_size, kernel and n_matrices; changed
 * compute the dtype to compute in: F32, F64, or any integer dtype, which wraps modulo its size
 *
 * c must not share memory with a or b. k = 0 gives zeros; without elements of c nothing happens.
 * Order of additions: fixed by m, n, k, the dtypes and the strides, never by the number of threads.
 * Errors: ERR_MEMORY for buffers, before c is written.
 */
stria_status stria_matmul_plan_run(stria_matmul_plan *plan, stria_dtype compute, stria_error *err);

/* In two parts: what depends on sizes and strides alone, and the rest. A plan that is simplified can run again with elements elsewhere. False: there is
 * nothing to compute. Sides may have been exchanged. */
bool stria_matmul_plan_simplify(stria_matmul_plan *plan, stria_dtype compute);

/* Elements [at, at + count) of c in the order of memory, counted from the first, are computed; they are in a cache still. */
typedef void stria_matmul_after(void *context, int64_t at, int64_t count);
/* The same elements are at `lanes`, and are stored nowhere else. */
typedef void stria_matmul_take(void *context, int64_t at, int64_t count, const char *lanes);

/* Elements of c that a thread holds before they are taken, at most. A small b stays in the second-level cache and is read where it lies, by few rows
 * of a at a time; of others tiles are squares. */
#define STRIA_MATMUL_TAKEN_SIDE 512
#define STRIA_MATMUL_TAKEN_ROWS 32
#define STRIA_MATMUL_TAKEN_COLUMNS 2048
static inline bool    stria_matmul_takes_squares(int64_t b_nbytes) { return b_nbytes > 1 << 20; }
static inline int64_t stria_matmul_get_taken(int64_t b_nbytes)
{
    return stria_matmul_takes_squares(b_nbytes) ? STRIA_MATMUL_TAKEN_SIDE * STRIA_MATMUL_TAKEN_SIDE
                                                : STRIA_MATMUL_TAKEN_ROWS * STRIA_MATMUL_TAKEN_COLUMNS;
}

/* How c is cut into tiles for a team, of a plan that is simplified and whose n is not 1. */
typedef struct stria_matmul_tiling {
    const stria_matmul_plan *plan;
    int64_t                  tile_m, tile_n, n_tiles_m, n_tiles_n;
    int64_t                  kc, mc, a_row; /* a_row: elements from a packed row to the next */
    bool                     packs_a, packs_b, is_apart;
    size_t                   a_bytes, b_bytes, c_bytes; /* buffers of one chunk */
    char                    *buffers;
    stria_matmul_after      *after; /* of every element once, on any thread; NULL. Not with is_apart */
    stria_matmul_take *
        take; /* the same in place of storing them, of c that is lanes with step 1; set before tiles are chosen; NULL */
    void *context;
} stria_matmul_tiling;

void stria_matmul_tiling_choose(stria_matmul_tiling *tiling, const stria_matmul_plan *plan, stria_team team);
/* Computes every matrix; the caller has reserved scratch memory, of which this much is taken while `after` runs. ERR_MEMORY, before c is written. */
#define STRIA_MATMUL_SCRATCH_BYTES ((size_t)65536)
stria_status stria_matmul_tiling_run(stria_matmul_tiling *tiling, stria_team team, stria_error *err);

/* The plan of a b = y, as of stria_matmul_plan_run, but for the kernels. (matmul.c) */
void stria_matmul_plan_set(stria_matmul_plan *plan, const stria_tensor *a, const stria_tensor *b,
                           const stria_tensor *y);

/* The product for n = 1. Nothing is allocated; the caller has reserved scratch memory. */
void stria_matmul_run_vector(const stria_matmul_plan *plan);

/* Bytes from the first matrix of the batch to another one of a side. */
int64_t stria_matmul_get_offset(const stria_matmul_plan *plan, const stria_matmul_side *s, int64_t matrix);

/* k products of n <= nr columns of b from src on: dst[p][j], dense [k][nr], as lanes; columns from n on are zero. strip: room
 * for a panel, used unless b is lanes. */
void stria_matmul_pack_panel(const stria_matmul_plan *plan, const char *src, char *dst, char *strip, int64_t n,
                             int64_t k);
/* The same for m rows of a, packed as suits its strides: rows a_row elements apart, or groups of mr rows, [k][mr] each. */
stria_gemm_left stria_matmul_pack_block(const stria_matmul_plan *plan, const char *src, char *dst, int64_t a_row,
                                        int64_t m, int64_t k);

static inline int64_t stria_matmul_magnitude(int64_t stride) { return stride < 0 ? -stride : stride; }

/* Multiply-adds below which a second thread does not pay. */
#define STRIA_MATMUL_GRAIN 262144

#endif
