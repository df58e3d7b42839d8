/* calls_index.h - the arguments of gathers and scatters, and of the search for what is true. Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_INDEX_H
#define STRIA_CUDA_CALLS_INDEX_H

#include "walk.h"

#define STRIA_CUDA_INDEX_DIMS 64

typedef enum stria_cuda_index_action {
    STRIA_CUDA_INDEX_CHECK, /* *is_out = 1 where an index is out of range */
    STRIA_CUDA_INDEX_GET,   /* other = table */
    STRIA_CUDA_INDEX_SET,   /* table = other */
    STRIA_CUDA_INDEX_ADD,   /* table = table + other, .. in the dtype of the table, no f16 or bf16 */
    STRIA_CUDA_INDEX_MUL,
    STRIA_CUDA_INDEX_MAX,
    STRIA_CUDA_INDEX_MIN,
    STRIA_CUDA_INDEX_ORDER /* order: which positions meet one element */
} stria_cuda_index_action;

/* Positions of one element of the table that are combined one after another; the results of more are combined in their order. */
#define STRIA_CUDA_INDEX_PART 1024

/* Positions of the dims behind the n_shared first ones, by the element of the table that they meet, and row-major where they meet one: n of them.
 *
 * keys      [n] that of the element; to ORDER the table begins at `lowest` bytes from its data, and has n_elements from there on, with gaps
 * numbers   [n] of the positions
 * parts     room for (n / STRIA_CUDA_INDEX_PART + 1) * n_shared_positions elements of the table */
typedef struct stria_cuda_index_order {
    int64_t   n, n_shared_positions, lowest, n_elements;
    uint64_t *keys;
    int64_t  *numbers;
    char     *parts;
} stria_cuda_index_order;

/* A stria_index_plan (src/core/cpu/index_plan.h), of which indices are in range but for CHECK. Strides are in bytes, the last dim is the
 * fastest.
 *
 * Positions that meet one element of the table do so in row-major order: a thread takes a position of the dims that are free, the first
 * n_free ones here, and goes through all positions of the others. In CHECK and GET all are free. Where the others are many, there is an order:
 * then a thread takes those that meet one element, and a position of the dims along which the index is the same, the first n_shared ones. */
typedef struct stria_cuda_index_call {
    stria_cuda_index_action action;
    stria_dtype             index_dtype, table_dtype, other_dtype; /* index: i32, i64 */
    int32_t                 ndim, n_shared, n_free, item_size;
    bool                    wraps;
    int64_t                 size, step;
    const char             *index;
    char                   *table, *other;
    int32_t                *is_out;
    stria_cuda_index_order  order; /* keys NULL: there is none */
    int64_t                 shape[STRIA_CUDA_INDEX_DIMS], index_strides[STRIA_CUDA_INDEX_DIMS];
    int64_t                 table_strides[STRIA_CUDA_INDEX_DIMS], other_strides[STRIA_CUDA_INDEX_DIMS];
} stria_cuda_index_call;

/* Of n bytes side by side, those that are not 0. out NULL: *total = how many there are, and starts becomes what the second call wants, room for
 * (n + 1023) / 1024 numbers. Then out[total][ndim] becomes their positions in a tensor of this shape, whose elements are numbered row-major. */
typedef struct stria_cuda_find_call {
    const uint8_t *mask;
    int64_t        n;
    int64_t       *starts, *total, *out;
    int32_t        ndim;
    int64_t        shape[STRIA_CUDA_INDEX_DIMS];
} stria_cuda_find_call;

/* places[k] = r of 0 .. n - 1 in ascending order, choice number k of them in the order of their numbers, or with repetitions. There are n_choices,
 * which fits, and so does every count on the way. r >= 1. */
typedef struct stria_cuda_choices_call {
    int64_t  n, r, n_choices;
    bool     repeats;
    int64_t *places;
} stria_cuda_choices_call;

#endif
