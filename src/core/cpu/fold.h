/* fold.h - reductions whose state is not an element: position of an extreme, mean and variance. Internal.
 *
 * The driver (fold.c) brings the elements of each output in reach, in an order that shape and layout alone decide, and
 * takes them through a family of functions in one of two forms:
 *
 *   rows     one output at a time, its elements in packed blocks of the compute dtype. Chunks of blocks have a state of
 *            their own, may run on several threads, and are merged in order.
 *   columns  outputs side by side, a state each, rows of elements as they lie in memory. */
#ifndef STRIA_FOLD_H
#define STRIA_FOLD_H

#include "cpu/reduce_plan.h"

/* Most bytes of the state of one output. */
#define STRIA_FOLD_STATE 64
/* Most rows that `columns` is given at once. */
#define STRIA_FOLD_ROWS 64
/* Most outputs that `columns` is given at once. */
#define STRIA_FOLD_COLUMNS 512

typedef struct stria_fold stria_fold;

/**
 * A family of functions.
 *
 * row            takes the n >= 1 elements of a block, of which the first is number `first` of its output; begin: the
 *                state is not set yet
 * merge          state = state and `later`, the state of the elements right behind it
 * store          writes the result of a state to out
 * columns        takes n_rows >= 1 rows, stride_bytes apart, of n adjacent elements; element j belongs to states[j]; the first
 *                row is number `first` of each output, and the states are not set yet if that is 0
 * state_bytes    of one output, at most STRIA_FOLD_STATE; states of columns lie side by side
 */
typedef struct stria_fold_family {
    int64_t state_bytes;
    void (*row)(const stria_fold *fold, void *state, const char *block, int64_t first, int64_t n, bool begin);
    void (*merge)(const stria_fold *fold, void *state, const void *later);
    void (*store)(const stria_fold *fold, char *out, const void *state);
    void (*columns)(const stria_fold *fold, void *states, const char *rows, int64_t stride_bytes, int64_t first,
                    int64_t n_rows, int64_t n);
} stria_fold_family;

struct stria_fold {
    const stria_fold_family *family;
    const stria_kernels     *kernels;
    const void              *context; /* of the family */
    stria_reduce_plan        plan;    /* geometry and load */
};

/**
 * stria_fold_run - reduces x along the axes in `reduced` into y, which has the shape of the result and shares no memory
 * with x; both have elements.
 *
 * compute    dtype of the elements in blocks and rows
 * in_order   the elements of an output come in row-major order of x (else in any order that the shape fixes)
 * op         for errors: ERR_MEMORY only
 */
stria_status stria_fold_run(stria_fold *fold, const char *op, const stria_tensor *x, uint64_t reduced, bool keepdim,
                            stria_dtype compute, bool in_order, stria_tensor *y, stria_error *err);

#endif
