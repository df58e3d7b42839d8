/* frame.c - frames: made of a graph, kept by it, and released. */
#include "compile/frame.h"

#include <string.h>

#include "base/alloc.h"
#include "compile/capturing.h"

void stria_graph_frame_release(stria_graph_frame *f)
{
    if (f == NULL) return;
    stria_graph_capturing_release(f->capturing);
    for (int k = 0; f->handles != NULL && k < f->graph->planned.views.n; k++) stria_tensor_release(f->handles[k]);
    for (int k = 0; f->storages != NULL && k < f->graph->planned.buffers.n; k++) stria_storage_release(f->storages[k]);
    stria_storage_release(f->arena);
    stria_object_release(f->handles);
    for (int i = 0; f->ready != NULL && i < f->graph->planned.steps.n; i++) stria_ready_step_end(&f->ready[i]);
    for (int k = 0; f->lanes != NULL && k < f->graph->planned.blocks.n; k++) stria_graph_lanes_release(f->lanes[k]);
    stria_object_release(f->calls);
    stria_object_release(f->varied);
    stria_graph_replay_release(f->replay);
    stria_object_release(f);
}

static bool is_set_for_each_run(const stria_buffer *b)
{
    return b->kind == STRIA_BUFFER_INPUT || (b->kind == STRIA_BUFFER_MADE && b->is_result);
}

static stria_storage *new_storage(stria_graph_frame *f, const stria_buffer *b)
{
    const bool lacks_place = f->arena == NULL || (f->is_in_blocks && b->is_local);
    char      *place = lacks_place ? NULL : f->arena->data + (f->is_in_blocks ? b->block_place : b->place);

    if (b->kind == STRIA_BUFFER_HELD || b->kind == STRIA_BUFFER_NUMBER) {
        stria_storage_retain(b->tensor->storage);
        return b->tensor->storage;
    }
    char          *data = is_set_for_each_run(b) ? NULL
                          : place == NULL        ? (char *)f /* nobody looks at it, but NULL has no offsets */
                                                 : place;
    stria_storage *s = stria_storage_new_external(data, (size_t)b->nbytes, NULL, NULL);
    if (s != NULL && data == place && place != NULL) stria_storage_set_place(s, place, f->arena);
    return s;
}

static bool fill(stria_graph_frame *f)
{
    const stria_graph_form *g = &f->graph->planned;
    const size_t            n = (size_t)(g->views.n + 3 * g->buffers.n + 2 * g->inputs.n);
    const size_t            of_buffer = 2 * sizeof(int) + sizeof(bool);
    void                  **room = stria_object_new((n + 1) * sizeof *room + (size_t)g->buffers.n * of_buffer);

    if (room == NULL) return false;
    f->handles = (stria_tensor **)room;
    f->storages = (stria_storage **)(room + g->views.n);
    f->written = f->storages + g->buffers.n;
    f->results = (stria_tensor **)(f->written + g->buffers.n);
    f->inputs = f->results + g->buffers.n;
    f->copies = f->inputs + g->inputs.n;
    f->result_views = (int *)(void *)(f->copies + g->inputs.n);
    f->held = f->result_views + g->buffers.n;
    f->is_handed = (bool *)(void *)(f->held + g->buffers.n);
    for (int k = f->graph->grads.n - 1; k >= 0; k--)
        if (g->grad_views[k] >= 0) f->result_views[g->views.at[g->grad_views[k]].buffer] = g->grad_views[k];
    for (int k = g->results.n - 1; k >= 0; k--)
        f->result_views[g->views.at[g->results.at[k]].buffer] = g->results.at[k];
    const size_t arena = f->is_in_blocks ? f->graph->block_arena_nbytes : f->graph->arena_nbytes;
    if (arena > 0 && (f->arena = stria_storage_new(arena, f->graph->device)) == NULL) return false;
    for (int k = 0; k < g->buffers.n; k++) {
        const stria_buffer *b = &g->buffers.at[k];
        if ((f->storages[k] = new_storage(f, b)) == NULL) return false;
        if (b->kind == STRIA_BUFFER_HELD && b->is_written) f->written[f->n_written++] = f->storages[k];
        if (b->kind == STRIA_BUFFER_HELD && b->holder != NULL) f->held[f->n_held++] = k;
        f->n_places += is_set_for_each_run(b);
        f->writes_inputs |= b->kind == STRIA_BUFFER_INPUT && b->is_written;
    }
    for (int k = 0; k < g->views.n; k++) {
        const stria_graph_view *v = &g->views.at[k];
        const stria_buffer     *b = &g->buffers.at[v->buffer];
        const bool         is_number = b->kind == STRIA_BUFFER_NUMBER && v->ndim == 0 && v->dtype == b->tensor->dtype;
        const stria_device device = b->kind == STRIA_BUFFER_NUMBER ? STRIA_CPU : f->graph->device;
        f->handles[k] =
            is_number ? stria_tensor_retain(b->tensor) : stria_graph_view_new_handle(v, device, f->storages[v->buffer]);
        if (f->handles[k] == NULL) return false;
    }
    return true;
}

static void set_places(stria_graph_frame *f)
{
    const stria_graph_form *g = &f->graph->planned;
    stria_run_place        *at = f->places;

    for (int k = 0; k < g->buffers.n; k++) {
        const stria_buffer *b = &g->buffers.at[k];
        if (!is_set_for_each_run(b)) continue;
        const bool is_input = b->kind == STRIA_BUFFER_INPUT;
        const int  view = is_input ? g->inputs.at[b->input] : f->result_views[k];
        int        result = 0;
        while (result < g->results.n && g->results.at[result] != view) result++;
        *at++ = (stria_run_place){f->storages[k], &g->views.at[view], (size_t)b->nbytes, k, is_input ? b->input : -1,
                                  result,         b->must_be};
    }
}

/* The calls of the steps, and what else a run changes. */
static bool bind(stria_graph_frame *f)
{
    const stria_graph_form *g = &f->graph->planned;
    size_t                  n_tensors = 0, varied = 0;

    for (int i = 0; i < g->steps.n; i++) n_tensors += (size_t)stria_graph_step_count(&g->steps.at[i]);
    const size_t calls = (size_t)g->steps.n * sizeof(stria_call), tensors = n_tensors * sizeof(stria_tensor *);
    const size_t ready = (size_t)g->steps.n * sizeof *f->ready;
    const size_t lanes = (size_t)g->blocks.n * sizeof *f->lanes;
    f->calls = stria_object_new(calls + (size_t)g->views.n * sizeof *f->moving + tensors + ready + lanes +
                                (size_t)f->n_places * sizeof *f->places + 1);
    f->varied = f->graph->varied_nbytes > 0 ? stria_object_new(f->graph->varied_nbytes) : NULL;
    if (f->calls == NULL || (f->varied == NULL && f->graph->varied_nbytes > 0)) return false;
    f->moving = (stria_moving *)(void *)((char *)f->calls + calls);
    f->places = (stria_run_place *)(void *)(f->moving + g->views.n);
    f->ready = (stria_ready_step *)(void *)(f->places + f->n_places);
    f->lanes = (stria_graph_lanes **)(void *)(f->ready + g->steps.n);
    stria_tensor **at = (stria_tensor **)(void *)(f->lanes + g->blocks.n);
    set_places(f);
    for (int k = 0; k < g->views.n; k++)
        if (is_set_for_each_run(&g->buffers.at[g->views.at[k].buffer]))
            f->moving[f->n_moving++] =
                (stria_moving){f->handles[k], f->storages[g->views.at[k].buffer], g->views.at[k].offset};
    for (int i = 0; i < g->steps.n; i++) {
        const stria_graph_step *step = &g->steps.at[i];
        const int               n_read = step->n_in + step->n_list;
        const void             *attrs = step->attrs;
        if (step->n_numbers > 0) {
            attrs = memcpy(f->varied + varied, attrs, stria_graph_step_get_attrs_size(step));
            varied += (stria_graph_step_get_attrs_size(step) + 7) / 8 * 8;
        }
        for (int k = 0; k < n_read + step->n_out; k++) at[k] = step->views[k] < 0 ? NULL : f->handles[step->views[k]];
        f->calls[i] = (stria_call){step->row,
                                   step->n_in,
                                   (const stria_tensor *const *)at,
                                   (const stria_tensor *const *)(at + step->n_in),
                                   step->n_list,
                                   attrs,
                                   at + n_read,
                                   NULL};
        f->ready[i].call = &f->calls[i];
        at += n_read + step->n_out;
    }
    return true;
}

stria_graph_frame *stria_graph_frame_take(stria_graph *g, bool in_blocks)
{
    stria_graph_frame *f = atomic_exchange_explicit(&g->kept, NULL, memory_order_acquire);

    in_blocks &= g->planned.blocks.n > 0;
    if (f != NULL && f->is_in_blocks == in_blocks) return f;
    stria_graph_frame_release(f);
    f = stria_object_new(sizeof *f);
    if (f == NULL) return NULL;
    f->graph = g;
    f->is_in_blocks = in_blocks;
    if (fill(f) && bind(f)) {
        f->capturing = stria_graph_capturing_new(f);
        return f;
    }
    stria_graph_frame_release(f);
    return NULL;
}

void stria_graph_frame_keep(stria_graph *g, stria_graph_frame *f)
{
    stria_graph_frame *none = NULL;

    if (atomic_compare_exchange_strong_explicit(&g->kept, &none, f, memory_order_release, memory_order_relaxed)) return;
    if (stria_graph_capturing_captures(f->capturing)) /* it is worth more than what another thread has left meanwhile */
        f = atomic_exchange_explicit(&g->kept, f, memory_order_acq_rel);
    stria_graph_frame_release(f);
}

void stria_graph_frame_give(stria_graph *g, stria_graph_frame *f)
{
    for (int k = 0; k < g->planned.inputs.n && f->has_copies; k++) {
        stria_tensor_release(f->copies[k]);
        f->copies[k] = NULL;
    }
    f->has_copies = false;
    for (int n = 0; n < f->n_places; n++) {
        const int k = f->places[n].buffer;
        if (!f->is_handed[k]) stria_tensor_release(f->results[k]);
        f->results[k] = NULL;
        f->is_handed[k] = false;
    }
    stria_graph_frame_keep(g, f);
}
