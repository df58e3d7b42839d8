/* blocks.c - runs of steps block by block (blocks.h).
 *
 * A lane is what one thread needs: memory for a block of the local buffers, and a handle for each tensor that is sliced. From one block to the
 * next, only the addresses of these change, so that calls are bound once. Ranges have two lengths, of which each has handles of its own.
 */
#include "compile/blocks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "compile/step.h"

/* A tensor of a step that follows the blocks. */
typedef struct mover {
    int               tensor; /* among those of all steps */
    int               view;
    stria_graph_slice slice;
} mover;

/* Blocks of one length. */
typedef struct set {
    int64_t           length;
    stria_call       *calls;   /* [n_steps] */
    stria_ready_step *steps;   /* [n_steps] */
    stria_tensor    **tensors; /* [n_tensors], of the calls: those that are sliced are owned */
} set;

typedef struct lane {
    stria_storage *memory;
    set            sets[2]; /* of the longer ranges, of the others */
    stria_status   status;
    stria_error    error;
} lane;

struct stria_graph_lanes {
    const stria_graph_frame  *frame;
    const stria_graph_blocks *blocks;
    stria_graph_fold         *fold;   /* of such blocks; or */
    stria_graph_update       *update; /* of such ones; else */
    size_t                    nbytes; /* of the memory of a lane */
    int                       n_tensors, n_movers, n_lanes;
    mover                    *movers; /* [n_movers] */
    lane                     *lanes[STRIA_MAX_THREADS];
};

static const stria_graph_step *get_step(const stria_graph_lanes *l, int i)
{
    return &stria_graph_frame_get_form(l->frame)->steps.at[l->blocks->first + i];
}

/* ---------------------------------------------------------------- lanes */

static void lane_release(const stria_graph_lanes *l, lane *a)
{
    if (a == NULL) return;
    for (int k = 0; k < 2 && a->sets[k].tensors != NULL; k++) {
        for (int i = 0; i < l->blocks->n_steps; i++) stria_ready_step_end(&a->sets[k].steps[i]);
        for (int i = 0; i < l->n_movers; i++) stria_tensor_release(a->sets[k].tensors[l->movers[i].tensor]);
    }
    stria_storage_release(a->memory);
    stria_object_release(a);
}

void stria_graph_lanes_release(stria_graph_lanes *l)
{
    if (l == NULL) return;
    for (int k = 0; k < l->n_lanes; k++) lane_release(l, l->lanes[k]);
    stria_graph_fold_release(l->fold);
    stria_graph_update_release(l->update);
    stria_object_release(l);
}

/* A handle over a block of so many slices; where it is local, over its place in the lane. NULL: no memory. */
static stria_tensor *new_handle(const stria_graph_lanes *l, const mover *m, int64_t length, stria_storage *memory)
{
    const stria_graph_form   *g = stria_graph_frame_get_form(l->frame);
    const stria_graph_blocks *b = l->blocks;
    const stria_graph_view   *whole = &g->views.at[m->view];
    const stria_buffer       *buffer = &g->buffers.at[whole->buffer];
    int64_t                   sizes[2 * STRIA_MAX_DIMS];
    stria_graph_view          part = *whole;

    memcpy(sizes, whole->sizes, 2 * (size_t)whole->ndim * sizeof *sizes);
    for (int d = m->slice.shift; d < b->n_outer; d++) sizes[d - m->slice.shift] = 1;
    if (m->slice.size > 1) {
        sizes[b->n_outer - 1 - m->slice.shift] = length;
        sizes[whole->ndim + b->n_outer - 1 - m->slice.shift] = m->slice.stride;
    }
    part.sizes = sizes;
    if (buffer->is_local) part.offset += buffer->block_place;
    return stria_graph_view_new_handle(&part, STRIA_CPU, memory);
}

static bool fill_set(const stria_graph_lanes *l, lane *a, set *s)
{
    stria_tensor **at = s->tensors;

    for (int i = 0; i < l->blocks->n_steps; i++) {
        const stria_graph_step *step = get_step(l, i);
        for (int k = 0; k < stria_graph_step_count(step); k++)
            at[k] = step->views[k] < 0 ? NULL : stria_graph_frame_get_handle(l->frame, step->views[k]);
        s->calls[i] = (stria_call){.row = step->row,
                                   .n_in = step->n_in,
                                   .in = (const stria_tensor *const *)at,
                                   .attrs = step->attrs,
                                   .out = at + step->n_in};
        s->steps[i].call = &s->calls[i];
        at += stria_graph_step_count(step);
    }
    for (int k = 0; k < l->n_movers; k++) s->tensors[l->movers[k].tensor] = NULL;
    for (int k = 0; k < l->n_movers; k++)
        if ((s->tensors[l->movers[k].tensor] = new_handle(l, &l->movers[k], s->length, a->memory)) == NULL)
            return false;
    return true;
}

static lane *lane_new(const stria_graph_lanes *l)
{
    const size_t n = (size_t)l->blocks->n_steps;
    const size_t nbytes =
        n * (sizeof(stria_call) + sizeof(stria_ready_step)) + (size_t)l->n_tensors * sizeof(stria_tensor *);
    lane *a = stria_object_new(sizeof *a + 2 * nbytes);

    if (a == NULL) return NULL;
    a->memory = stria_storage_new(l->nbytes > 0 ? l->nbytes : 1, STRIA_CPU);
    bool is_whole = a->memory != NULL;
    for (int k = 0; k < 2 && is_whole; k++) {
        set *s = &a->sets[k];
        s->calls = (stria_call *)(void *)((char *)(a + 1) + (size_t)k * nbytes);
        s->steps = (stria_ready_step *)(void *)(s->calls + n);
        s->tensors = (stria_tensor **)(void *)(s->steps + n);
        s->length = stria_graph_blocks_get_most(l->blocks) - k;
        is_whole = fill_set(l, a, s);
    }
    if (is_whole) return a;
    lane_release(l, a);
    return NULL;
}

static stria_graph_lanes *lanes_new(const stria_graph_frame *frame, const stria_graph_blocks *b, size_t nbytes)
{
    const stria_graph_form *g = stria_graph_frame_get_form(frame);
    int                     n_tensors = 0;

    for (int i = b->first; i < b->first + b->n_steps; i++) n_tensors += stria_graph_step_count(&g->steps.at[i]);
    stria_graph_lanes *l = stria_object_new(sizeof *l + (size_t)n_tensors * sizeof(mover));
    if (l == NULL) return NULL;
    *l = (stria_graph_lanes){.frame = frame, .blocks = b, .nbytes = nbytes, .n_tensors = n_tensors};
    l->movers = (mover *)(void *)(l + 1);
    n_tensors = 0;
    for (int i = 0; i < b->n_steps; i++) {
        const stria_graph_step *step = get_step(l, i);
        for (int k = 0; k < stria_graph_step_count(step); k++, n_tensors++) {
            if (step->views[k] < 0) continue;
            const stria_graph_slice slice = stria_graph_blocks_get_slice(g, b, step, k);
            if (slice.is_sliced) l->movers[l->n_movers++] = (mover){n_tensors, step->views[k], slice};
        }
    }
    return l;
}

static bool add_lanes(stria_graph_lanes *l, int n)
{
    for (; l->n_lanes < n; l->n_lanes++)
        if ((l->lanes[l->n_lanes] = lane_new(l)) == NULL) return false;
    return true;
}

/* ---------------------------------------------------------------- blocks */

/* Puts the handles over block number `block`. */
static void move(const stria_graph_lanes *l, const set *s, int64_t block, int64_t first)
{
    const stria_graph_form   *g = stria_graph_frame_get_form(l->frame);
    const stria_graph_blocks *b = l->blocks;

    for (int k = 0; k < l->n_movers; k++) {
        const mover            *m = &l->movers[k];
        const stria_graph_view *v = &g->views.at[m->view];
        int64_t                 rest = block / b->n_ranges, at = first * m->slice.stride;
        if (g->buffers.at[v->buffer].is_local) continue;
        for (int d = b->flat - 1; d >= 0; d--) {
            if (d >= m->slice.shift && v->sizes[d - m->slice.shift] > 1)
                at += rest % b->sizes[d] * v->sizes[v->ndim + d - m->slice.shift];
            rest /= b->sizes[d];
        }
        s->tensors[m->tensor]->data =
            stria_graph_frame_get_data(l->frame, v->buffer) + v->offset + at * stria_dtype_sizes[v->dtype];
    }
}

static void run_chunk(void *context, int chunk, int64_t begin, int64_t end)
{
    const stria_graph_lanes  *l = context;
    const stria_graph_blocks *b = l->blocks;
    const stria_graph_form   *g = stria_graph_frame_get_form(l->frame);
    lane                     *a = l->lanes[chunk];
    const bool                was = stria_grad_mode_set(false);

    a->status = STRIA_OK;
    for (int64_t block = begin; block < end && a->status == STRIA_OK; block++) {
        const int64_t range = block % b->n_ranges, first = stria_graph_blocks_get_begin(b, range);
        const set    *s = &a->sets[stria_graph_blocks_get_begin(b, range + 1) - first < a->sets[0].length];
        move(l, s, block, first);
        for (int i = 0; i < b->n_steps && a->status == STRIA_OK; i++)
            a->status = stria_ready_step_run(g, get_step(l, i), &s->steps[i], &a->error);
    }
    stria_grad_mode_set(was);
}

/* What the calls of held tensors do beside their elements. */
static void touch(const stria_graph_lanes *l)
{
    const stria_graph_form *g = stria_graph_frame_get_form(l->frame);

    for (int i = 0; i < l->blocks->n_steps; i++) {
        const stria_graph_step *step = get_step(l, i);
        for (int k = step->n_in; k < step->n_in + step->n_out; k++) {
            const stria_buffer *buffer = &g->buffers.at[g->views.at[step->views[k]].buffer];
            if (buffer->kind == STRIA_BUFFER_HELD) stria_tensor_touch(buffer->tensor);
        }
    }
}

stria_status stria_graph_blocks_run(const stria_graph_frame *frame, const stria_graph_blocks *b, size_t nbytes,
                                    stria_graph_lanes **lanes, stria_error *err)
{
    const stria_chunks split = stria_chunks_build(stria_team_get(), 0, b->n_blocks, 1);

    if (*lanes == NULL) *lanes = lanes_new(frame, b, nbytes);
    if (*lanes != NULL && b->is_fold) return stria_graph_fold_run(frame, b, &(*lanes)->fold, err);
    if (*lanes != NULL && b->is_update) return stria_graph_update_run(frame, b, &(*lanes)->update, err);
    if (*lanes == NULL || !add_lanes(*lanes, split.n_chunks)) return stria_graph_refuse_memory(err);
    stria_chunks_run(&split, run_chunk, *lanes);
    touch(*lanes);
    for (int k = 0; k < split.n_chunks; k++) {
        const lane *a = (*lanes)->lanes[k];
        if (a->status == STRIA_OK) continue;
        if (err != NULL) *err = a->error;
        return a->status;
    }
    return STRIA_OK;
}
