/* replay.c - runs of small programs again, on inputs as they were recorded: what depends on the program alone is found once for each frame, and
 * a replay compares inputs, sets where they and new results lie, and makes the steps. All else is a run of run.c: programs that change what
 * others see, inputs that lie in another way, and what is refused. */
#include "base/alloc.h"
#include "base/error.h"
#include "compile/frame.h"
#include "tensor/device.h"

typedef struct replayed_step {
    const stria_graph_step *step;
    stria_ready_step       *ready;
    bool                    is_joined; /* to the next one */
} replayed_step;

struct stria_graph_replay {
    int           n_steps;
    replayed_step steps[];
};

/* Whether runs change nothing but their results, which are all apart. */
static bool is_replayable(const stria_graph_frame *f)
{
    const stria_graph      *graph = f->graph;
    const stria_graph_form *g = &graph->planned;

    if (graph->device.type != STRIA_DEVICE_CPU || graph->grads.n > 0 || graph->numbers.n > 0 || g->blocks.n > 0 ||
        f->writes_inputs || f->n_written > 0)
        return false;
    int n_inputs = 0;
    for (int k = 0; k < f->n_places; k++) {
        if (f->places[k].view->buffer != f->places[k].buffer) return false;
        n_inputs += f->places[k].input >= 0;
    }
    if (n_inputs != g->inputs.n) return false;
    for (int k = 0; k < g->results.n; k++) {
        const int           view = g->results.at[k];
        const stria_buffer *b = &g->buffers.at[g->views.at[view].buffer];
        if (b->kind != STRIA_BUFFER_MADE || f->result_views[g->views.at[view].buffer] != view) return false;
        for (int n = 0; n < k; n++)
            if (g->results.at[n] == view) return false;
    }
    return true;
}

/* Those that a run makes after the first one; false: not all of them are bound to their tensors. */
static bool find_steps(const stria_graph_frame *f, stria_graph_replay *r)
{
    const stria_graph_form *g = &f->graph->planned;

    for (int i = 0; i < g->steps.n; i++) {
        stria_ready_step *ready = &f->ready[i];
        const bool        is_joined = g->steps.at[i].is_joined && ready->joined != NULL;
        if (g->steps.at[i].is_constant && !is_joined) continue;
        const bool is_bound = ready->bound != NULL || ready->product != NULL || ready->prepared != NULL;
        if (!is_joined && (!is_bound || ready->writes_held)) return false;
        r->steps[r->n_steps++] = (replayed_step){&g->steps.at[i], ready, is_joined};
        i += is_joined;
    }
    return true;
}

void stria_graph_replay_prepare(stria_graph *graph, stria_graph_frame *f)
{
    const stria_graph_form *g = &graph->planned;

    f->is_tried = true;
    stria_graph_replay *r =
        is_replayable(f) ? stria_object_new(sizeof *r + (size_t)g->steps.n * sizeof *r->steps) : NULL;
    if (r == NULL) return; /* no memory: no replays */
    if (!find_steps(f, r)) {
        stria_object_release(r);
        return;
    }
    f->replay = r;
    atomic_store_explicit(&graph->has_replay, true, memory_order_relaxed);
}

void stria_graph_replay_release(stria_graph_replay *r) { stria_object_release(r); }

/* x is in every respect what was recorded, and gradients have never met it. */
static bool is_as_recorded(const stria_graph_view *v, bool must_begin, const stria_tensor *x)
{
    if (x == NULL || x->dtype != v->dtype || x->ndim != v->ndim || !stria_device_equals(x->device, STRIA_CPU) ||
        x->gradient != NULL || x->base != NULL)
        return false;
    for (int d = 0; d < v->ndim; d++)
        if (x->shape[d] != v->sizes[d] || x->strides[d] != v->sizes[v->ndim + d]) return false;
    return !must_begin || x->data == x->storage->data;
}

static bool set_inputs(const stria_graph_frame *f, stria_tensor *const *in)
{
    const stria_graph_form *g = &f->graph->planned;

    for (const stria_run_place *p = f->places, *end = p + f->n_places; p < end; p++) {
        if (p->input < 0) continue;
        if (!is_as_recorded(p->view, p->must_begin, in[p->input])) return false;
        p->storage->data = in[p->input]->data;
    }
    for (int k = 0; k < f->n_held; k++) {
        const stria_buffer *b = &g->buffers.at[f->held[k]];
        if (b->holder->storage != b->tensor->storage) return false;
    }
    return true;
}

static stria_status make(const stria_graph_frame *f, stria_tensor **out, stria_error *err)
{
    const stria_graph_form   *g = &f->graph->planned;
    const stria_graph_replay *r = f->replay;

    for (const stria_run_place *p = f->places, *end = p + f->n_places; p < end; p++) {
        if (p->input >= 0) continue;
        stria_tensor *y = out[p->result] = stria_run_place_new_memory(f->graph, p);
        if (y == NULL) return stria_graph_refuse_run(f->graph, err);
        p->storage->data = y->storage->data;
    }
    for (const stria_moving *m = f->moving, *end = m + f->n_moving; m < end; m++)
        m->handle->data = m->storage->data != NULL ? m->storage->data + m->offset : NULL; /* of no elements */
    for (const replayed_step *s = r->steps, *end = s + r->n_steps; s < end; s++) {
        if (s->ready->bound != NULL && !s->is_joined)
            STRIA_TRY(stria_expression_run_bound(s->ready->bound, s->ready->call->in, s->ready->call->out, err));
        else if (s->is_joined)
            STRIA_TRY(stria_product_run_bound(s->ready->joined, err));
        else
            STRIA_TRY(stria_ready_step_run(g, s->step, s->ready, err));
    }
    return STRIA_OK;
}

bool stria_graph_replay_run(stria_graph *graph, stria_tensor *const *in, int n_in, stria_tensor **out,
                            stria_status *status, stria_error *err)
{
    if (n_in != graph->planned.inputs.n || (n_in > 0 && in == NULL) || stria_recording_is_on()) return false;
    stria_graph_frame *f = atomic_exchange_explicit(&graph->kept, NULL, memory_order_acquire);
    if (f == NULL) return false;
    for (int k = 0; k < graph->planned.results.n; k++) out[k] = NULL;
    const bool is_made = f->replay != NULL && set_inputs(f, in);
    if (is_made) *status = make(f, out, err);
    stria_graph_frame_keep(graph, f);
    for (int k = 0; is_made && k < graph->planned.results.n && *status != STRIA_OK; k++) {
        stria_tensor_release(out[k]);
        out[k] = NULL;
    }
    return is_made;
}
