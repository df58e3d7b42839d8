/* fold.h - reductions: the elements of x along some axes become one element of y. Internal.
 *
 * The driver (fold.c) decides in which order elements are read, by shape and layout alone. What is done with them is the
 * business of a family of functions. There are two forms:
 *
 *   rows     One output at a time. Its elements come in packed blocks of STRIA_REDUCE_BLOCK. STRIA_FOLD_BLOCKS blocks are a
 *            chunk, the unit that threads take; each chunk has a state, and states are merged in order.
 *   columns  Outputs that lie side by side in memory, a state each. Their elements come as rows, one element per output.
 *
 * Families: the reductions of ops.def (reduce.c), argmax and argmin (arg.c), var and std (moment.c), norm (norm.c), logsumexp
 * (logsumexp.c). */
#ifndef STRIA_FOLD_H
#define STRIA_FOLD_H

#include "call/call.h"
#include "simd/kernels.h"
#include "tensor/tensor.h"

#define STRIA_FOLD_BLOCKS 16
#define STRIA_FOLD_CHUNK ((int64_t)STRIA_FOLD_BLOCKS * STRIA_REDUCE_BLOCK)
/* Scratch that a thread holds meanwhile: a block, or a tile of columns. */
#define STRIA_FOLD_SCRATCH_BYTES (STRIA_REDUCE_BLOCK * 16)
/* Bytes that a state may take before it is finished. */
#define STRIA_FOLD_STATE 128
/* Most rows, most outputs that `columns` is given at once, in families without `slots`. */
#define STRIA_FOLD_ROWS 64
#define STRIA_FOLD_COLUMNS 512

/* Fewer outputs, or parts of them, side by side do not fill vectors: they are rows. */
#define STRIA_FOLD_MIN_COLUMNS 16
/* So few elements per output are columns, whatever their strides. */
#define STRIA_FOLD_SHORT STRIA_REDUCE_FEW

/* The geometry: dims > 1, fastest first, strides in bytes. */
typedef struct stria_fold_plan {
    stria_cast_loop *load;              /* input dtype -> compute dtype */
    bool             same;              /* the input's dtype is the compute dtype */
    int64_t          size, source_size; /* bytes of an element of the compute, the input dtype */
    int64_t          count, n_outputs;  /* elements of an output, outputs; >= 1 */
    const char      *source;
    char            *out;
    int              n_red, n_keep;
    int64_t          red_shape[STRIA_MAX_DIMS], red_stride[STRIA_MAX_DIMS];
    int64_t          keep_shape[STRIA_MAX_DIMS], keep_stride[STRIA_MAX_DIMS], keep_out[STRIA_MAX_DIMS];
} stria_fold_plan;

typedef struct stria_fold stria_fold;

/**
 * A family of functions. Elements are of the compute dtype. A state is finished when it has taken the last block of its chunk,
 * or the last row of its output.
 *
 * state_bytes    of a finished state, at most STRIA_FOLD_STATE; neighbours lie that far apart. 0: the size of an element
 * rows           most rows that `columns` is given at once
 * takes_all      but any number of those that are read in place
 * in_pairs       the chunks of an output are merged as a balanced binary tree, else one after another
 *
 * row            takes a block of n >= 1 elements. The first is number `first` of its output. begin: the state is not set yet
 * merge          state = state and `later`, the state of the elements right behind it; both are finished
 * store          writes the results of n finished states to out, out_stride bytes apart, and may change the states
 * columns        takes n_rows >= 1 rows, stride_bytes apart, of n adjacent elements. Element j belongs to output j. The first
 *                row is number `first` of its outputs; if that is 0, the states are not set yet
 * slots          finished states for which an output needs room until its last row; NULL: one
 * chunk          takes a whole chunk of adjacent elements, instead of `row`; NULL: there is no faster way
 */
typedef struct stria_fold_family {
    int64_t state_bytes;
    int64_t rows;
    bool    takes_all, in_pairs;
    void (*row)(const stria_fold *fold, void *state, const char *block, int64_t first, int64_t n, bool begin);
    void (*merge)(const stria_fold *fold, void *state, const void *later);
    void (*store)(const stria_fold *fold, char *out, int64_t out_stride, void *states, int64_t n);
    void (*columns)(const stria_fold *fold, void *states, const char *rows, int64_t stride_bytes, int64_t first,
                    int64_t n_rows, int64_t n);
    int64_t (*slots)(const stria_fold *fold);
    void (*chunk)(const stria_fold *fold, void *state, const char *elements);
} stria_fold_family;

/* What makes the elements of x, in place of memory: those from number `first` on, in row-major order, to dst. Threads call it at once. */
typedef struct stria_fold_source {
    void (*make)(void *context, char *dst, int64_t first, int64_t n);
    void *context;
} stria_fold_source;

/* One reduction. */
struct stria_fold {
    const stria_fold_family *family;
    const void              *context; /* of the family */
    const stria_kernels     *kernels;
    const char              *op; /* for errors */
    const stria_tensor      *x;
    const stria_fold_source
        *source;     /* or NULL; x is contiguous then, of the compute dtype, and has more than a chunk of elements */
    stria_tensor *y; /* has the shape of the result and shares no memory with x; both have elements */
    uint64_t      reduced;  /* bit k: along axis k of x */
    bool          keepdim;  /* y has these axes */
    bool          in_order; /* elements in row-major order of x, else in any order that the shape fixes */
    stria_dtype   compute;  /* of the elements in blocks and rows */

    /* Kernels whose results are finished states; NULL: the family alone. */
    stria_reduce_row *block; /* of an output that is one block */
    stria_reduce_few *few;   /* of outputs side by side, the state that `columns` would make */
    bool              as_is; /* these states are the results as `store` would write them */

    const stria_fold_plan *plan; /* set by the driver */
};

/* stria_fold_run - reduces x into y. Errors: ERR_MEMORY. */
stria_status stria_fold_run(stria_fold *fold, stria_error *err);

/* A call of a plain reduction over all axes, or over the first ones with STRIA_FOLD_MIN_COLUMNS outputs at least, whose output is given. x is as
 * `source` says, and its memory is not looked at. Errors: ERR_MEMORY. (reduce.c) */
stria_status stria_reduce_made(const stria_call *call, const stria_fold_source *source, stria_error *err);

/* The reduction of elements that are made, over the first axes (fold_made.c). ERR_MEMORY. */
stria_status stria_fold_run_made_columns(const stria_fold *fold, stria_error *err);

/* The geometry of a reduction (fold_plan.c). */
stria_status stria_fold_plan_build(stria_fold_plan *plan, const stria_fold *fold, stria_error *err);

#endif
