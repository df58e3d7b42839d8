/* layout.h - how the dims of a tensor lie in memory: predicates, and the order of dims by strides. Internal. */
#ifndef STRIA_LAYOUT_H
#define STRIA_LAYOUT_H

#include "stria.h"

/* Layout predicates of the iterator. Contiguous: row-major without gaps, or empty. Channels-last: 4 dims (N,C,H,W) stored
 * in the order N,H,W,C. Dense: no gaps and no overlap, in any order of the dims. Dims of size 1 do not matter. */
bool stria_layout_is_contiguous(int ndim, const int64_t *shape, const int64_t *strides);
bool stria_layout_is_channels_last(int ndim, const int64_t *shape, const int64_t *strides);
bool stria_layout_is_dense(int ndim, const int64_t *shape, const int64_t *strides);

/* Contiguous, the empty ones aside. */
static inline bool stria_layout_is_row_major(int ndim, const int64_t *shape, const int64_t *strides)
{
    int64_t wanted = 1;

    for (int d = ndim - 1; d >= 0; d--) {
        if (shape[d] == 1) continue;
        if (strides[d] != wanted) return false;
        wanted *= shape[d];
    }
    return true;
}

static inline uint64_t stria_magnitude(int64_t a) { return a < 0 ? 0 - (uint64_t)a : (uint64_t)a; }

/* The greatest common divisor, by Euclid; of a and 0 it is a. */
static inline uint64_t stria_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Whether a dim of size > 1 runs backwards. */
bool stria_layout_has_negative_stride(int ndim, const int64_t *shape, const int64_t *strides);

/* Strides without gaps or negative ones for the same shape: the layout's own where it is dense, magnitudes taken, else packed in
 * the order of its strides (sizes 0 taken as 1). This is the memory order that copies keep. */
void stria_layout_get_dense_strides(int ndim, const int64_t *shape, const int64_t *strides, int64_t *dense);

/* Sorts the dims n-1, .., 0 as section 3.8 of the iterator's specification says: an insertion sort that walks past ambiguous neighbours. compare
 * returns -1 if dim a comes before dim b, 1 if after, 0 if it cannot tell. */
typedef int stria_layout_compare_fn(const void *context, int a, int b);
void        stria_layout_sort_dims(int n, int *order, stria_layout_compare_fn *compare, const void *context);

/* The comparison of a single layout. */
typedef struct stria_layout {
    const int64_t *shape, *strides;
} stria_layout;
stria_layout_compare_fn stria_layout_compare_dims; /* context: a stria_layout */

/* Why one operand puts one logical dim before another. */
typedef enum stria_layout_verdict { VERDICT_NONE, VERDICT_REDUCED, VERDICT_STRIDE, VERDICT_SIZE } stria_layout_verdict;

/* What an operand with strides a and b says about two logical dims of these sizes: sets *sign to -1 if the first comes
 * first, to 1 if the second does, and to 0 with VERDICT_NONE. reduces: it is an output of a reduction. */
static inline stria_layout_verdict stria_layout_compare_strides(bool reduces, int64_t a, int64_t b, int64_t size_a,
                                                                int64_t size_b, int *sign)
{
    const uint64_t x = stria_magnitude(a), y = stria_magnitude(b);

    *sign = 0;
    if (reduces && (x == 0) != (y == 0)) {
        *sign = y == 0 ? 1 : -1;
        return VERDICT_REDUCED;
    }
    if (x == 0 || y == 0) return VERDICT_NONE;
    if (x != y) {
        *sign = x < y ? -1 : 1;
        return VERDICT_STRIDE;
    }
    if (size_a <= size_b) return VERDICT_NONE;
    *sign = 1;
    return VERDICT_SIZE;
}

#endif
