/* blocks.h - steps that run block by block. Internal.
 *
 * Some consecutive steps treat their leading dims alike: none of them combines elements of different slices along these dims. A block of
 * slices passes through all of the steps before the next one begins, so that what they hand on to each other stays in the second-level cache,
 * and what nobody else looks at needs memory for one block of each thread only. The kernels are those of the calls. No result depends on how many
 * slices a call has; steps of which that does not hold do not run so.
 */
#ifndef STRIA_COMPILE_BLOCKS_H
#define STRIA_COMPILE_BLOCKS_H

#include "compile/graph.h"

/* Bytes that a block looks at, at most. */
#define STRIA_BLOCK_BYTES (256 << 10)

static inline int64_t stria_graph_blocks_get_begin(const stria_graph_blocks *b, int64_t range)
{
    return range * (b->extent / b->n_ranges) + (range < b->extent % b->n_ranges ? range : b->extent % b->n_ranges);
}
/* Slices of the longest range. */
static inline int64_t stria_graph_blocks_get_most(const stria_graph_blocks *b)
{
    return (b->extent + b->n_ranges - 1) / b->n_ranges;
}

/* How tensor k of a step lies along the leading dims: it has dim d - shift for dim d of them. */
typedef struct stria_graph_slice {
    int     shift;
    bool    is_sliced;    /* else each block looks at all of it */
    bool    is_collapsed; /* dims flat .. n_outer - 1 are like one */
    int64_t size, stride; /* of that one, in elements; size 1: the tensor lacks it; stride 0: slices are the same */
} stria_graph_slice;
stria_graph_slice stria_graph_blocks_get_slice(const stria_graph_form *g, const stria_graph_blocks *b,
                                               const stria_graph_step *step, int k);

/* Finds them, in the order of the steps; buffers that are looked at within one of them only are local then. Buffers know their first and
 * last steps. (blocks_plan.c) */
stria_status stria_graph_find_blocks(stria_graph_form *planned, stria_error *err);

/* Those that are a fold, of step `first` and the next one; n_steps 0: they are none. (folds.c) */
stria_status stria_graph_find_fold(stria_graph_form *planned, int first, stria_graph_blocks *found, stria_error *err);
typedef struct stria_graph_fold stria_graph_fold;
stria_status                    stria_graph_fold_run(const stria_graph_frame *frame, const stria_graph_blocks *blocks,
                                                     stria_graph_fold **fold, stria_error *err);
void                            stria_graph_fold_release(stria_graph_fold *fold); /* NULL is allowed */

/* Those that are a pair of stria_graph_pair_updates; n_steps 0: they are none. (updates_plan.c) */
stria_graph_blocks                stria_graph_find_update(const stria_graph_form *planned, int first);
typedef struct stria_graph_update stria_graph_update;
stria_status stria_graph_update_run(const stria_graph_frame *frame, const stria_graph_blocks *blocks,
                                    stria_graph_update **update, stria_error *err);
void         stria_graph_update_release(stria_graph_update *update); /* NULL is allowed. (updates.c) */

/* What runs of a frame need for them, made when it is first needed. nbytes: of local buffers. (blocks.c) */
typedef struct stria_graph_lanes stria_graph_lanes;
stria_status stria_graph_blocks_run(const stria_graph_frame *frame, const stria_graph_blocks *blocks, size_t nbytes,
                                    stria_graph_lanes **lanes, stria_error *err);
void         stria_graph_lanes_release(stria_graph_lanes *lanes); /* NULL is allowed */

#endif
