/* iter_internal.h - what the files of the iterator share. Internal. */
#ifndef STRIA_ITER_INTERNAL_H
#define STRIA_ITER_INTERNAL_H

#include "call/call.h"
#include "call/meta.h"
#include "iter.h"
#include "base/parallel.h"
#include "tensor/layout.h"
#include "tensor/tensor.h"

/* Points the arrays of `it` at its inline storage, or at one heap block if n_operands or ndim exceed that, and sets
 * n_operands; every entry is left unset. False: no memory. */
bool stria_iter_reserve(stria_iter *it, int n_operands, int ndim);

/* Operands that already have the geometry they will be used with. */
static inline bool stria_iter_is_settled(const stria_iter_operand *op)
{
    return op->tensor != NULL && !op->will_resize;
}

/* Whether the operand's tensor, which is given, is contiguous; looked at once. */
static inline bool stria_iter_is_operand_contiguous(stria_iter_operand *op)
{
    if (op->contiguous < 0) op->contiguous = stria_tensor_is_contiguous(op->tensor);
    return op->contiguous;
}

/* stria_iter_run_range and stria_iter_for_each for the library's calls, which count their writes themselves (iter_run.c). */
void stria_iter_walk_range(const stria_iter *it, stria_loop2d *loop, void *context, int64_t begin, int64_t end);
void stria_iter_walk(const stria_iter *it, stria_loop2d *loop, void *context, int64_t grain);
/* Counts one write to each output, of a run that a program asked for. */
void stria_iter_count_writes(const stria_iter *it);

/* Step 3.2 (iter_overlap.c). */
stria_status stria_iter_check_overlap(stria_iter *it, const stria_iter_config *config, stria_error *err);

/* Puts a copy in another dtype, with the same memory order, in the place of an input's tensor (iter_types.c). */
stria_status stria_iter_convert_input(stria_iter_operand *op, stria_dtype dtype, stria_error *err);

/* Step 3.5: checks and settles dtypes and devices, makes the temporaries of the converting options (iter_types.c). */
stria_status stria_iter_compute_types(stria_iter *it, const stria_iter_config *config, stria_error *err);

/* Step 3.6 (iter_outputs.c): which layout all operands share; then allocates outputs of it, and sets the one dim. */
stria_iter_setup stria_iter_choose_setup(stria_iter *it, const stria_iter_config *config);
stria_status     stria_iter_set_up_fast(stria_iter *it, const stria_iter_config *config, stria_error *err);
/* Allocates the missing outputs in the layout of it->setup. */
stria_status stria_iter_allocate_like(stria_iter *it, const stria_iter_config *config, stria_error *err);
/* Step 3.9: allocates the missing outputs in the order of the dims (iter_outputs.c). */
stria_status stria_iter_allocate_outputs(stria_iter *it, const stria_iter_config *config, stria_error *err);

/* Step 3.7: byte strides of the settled operands; position r is logical dim ndim-1-r until 3.8 (iter_dims.c). */
stria_status stria_iter_compute_strides(stria_iter *it, const stria_iter_config *config, stria_error *err);
/* Step 3.8: fastest dims first (iter_dims.c). */
void stria_iter_reorder(stria_iter *it, const stria_iter_config *config);

/* stria_iter_build of one output and the inputs of an element-wise call, whose shapes, dtypes and devices `meta` has found:
 * they are not looked at again (iter.c). */
stria_status stria_iter_build_known(stria_iter *it, const stria_iter_config *config, const stria_meta *meta,
                                    stria_error *err);

/* The iterator of an element-wise call whose meta is known: the output, made if call->out[0] is NULL, then the inputs
 * (iter_element.c). */
stria_status stria_iter_build_element(stria_iter *it, const stria_call *call, const stria_meta *meta, stria_error *err);

/* The iterator of out = x, of any two dtypes. ERR_OVERLAP, ERR_SHAPE, ERR_DEVICE, ERR_MEMORY. */
stria_status stria_iter_build_copy(stria_iter *it, stria_tensor *out, const stria_tensor *x, stria_error *err);

/* Step 3.10: merges neighbouring dims where every operand's strides allow it (iter_dims.c). */
void stria_iter_coalesce(stria_iter *it);
/* Loops always see the strides of two dims: those that are missing become 0. */
void stria_iter_clear_missing_rows(stria_iter *it);

/* The iterator of a reduction of x into view, as of stria_iter_view_reduced, for loops that convert: in the order of
 * memory, or, with in_order, of the axes (iter_reduce.c). */
stria_status stria_iter_build_reduction(stria_iter *it, const char *name, stria_tensor *view, const stria_tensor *x,
                                        bool in_order, stria_error *err);

/* How a team reduces; *dim as of stria_iter_get_reduce_strategy (iter_reduce.c). */
stria_iter_reduce_strategy stria_iter_choose_reduce_strategy(const stria_iter *it, stria_team team, int *dim);

/* Elements that the chunks of a kept dim are rounded to by stria_iter_parallel_reduce; 1: not rounded
 * (iter_reduce.c). */
int64_t stria_iter_get_chunk_round(const stria_iter *it, int dim);

/* Prints a description as JSON, as stria_iter_describe_json does; returns what that gives in *needed
 * (iter_describe_json.c). */
size_t stria_iter_print_description(const stria_iter_description *description, char *text, size_t size);

/* Byte strides of one dim, and products that may meet meaningless strides of size-1 dims: they wrap. */
static inline int64_t *stria_iter_row(const stria_iter *it, int dim)
{
    return it->strides + (int64_t)dim * it->n_operands;
}
static inline int64_t stria_wrapping_product(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

/* Byte stride (3.7) of a settled operand with elements of item_size bytes along an axis of its `size` and `stride`,
 * in a dim of `length` positions: 0 where it repeats. A shape that was given is as the operand has it. */
static inline int64_t stria_iter_get_axis_stride(int64_t size, int64_t stride, int64_t item_size, int64_t length,
                                                 bool has_static_shape)
{
    if (__builtin_expect(size == 1, false)) {
        if (length != 1 && !has_static_shape) return 0;
    }
    return stria_wrapping_product(stride, item_size);
}

#endif
