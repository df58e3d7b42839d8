/* captures.c - captures as objects, and which steps of a program are launched as one (capturing.h). */
#include "base/alloc.h"
#include "compile/capturing.h"

/* ---------------------------------------------------------------- captures */

static void release(stria_kept *kept)
{
    stria_capture *c = (stria_capture *)(void *)kept;

    for (int k = 0; k < c->n_parts; k++)
        if (c->parts[k] != NULL) c->table->release(c->parts[k]);
    for (int n = 0; n < c->n_places; n++) stria_storage_release(c->results[n]);
    stria_storage_release(c->memory);
    stria_object_release(c);
}

stria_capture *stria_capture_new(const stria_backend_capture *table, int n_places, int n_parts)
{
    const size_t   n_pointers = (size_t)n_parts + 2 * (size_t)n_places;
    stria_capture *c = stria_object_new(sizeof *c + n_pointers * sizeof(void *));

    if (c == NULL) return NULL;
    c->kept.release = release;
    c->table = table;
    c->n_places = n_places;
    c->n_parts = n_parts;
    c->parts = (stria_captured **)(void *)(c + 1);
    c->data = (char **)(void *)(c->parts + n_parts);
    c->results = (stria_storage **)(void *)(c->data + n_places);
    return c;
}

void stria_capture_release(stria_capture *c)
{
    if (c != NULL) release(&c->kept);
}

/* ---------------------------------------------------------------- parts */

/* While parts are made. */
typedef struct maker {
    const stria_graph_frame *f;
    const stria_graph_form  *g;
    int                     *last_part; /* [buffers]: that has a handle over it; from 1 */
    stria_captured_parts    *parts;
    stria_tensor           **at; /* room for handles */
} maker;

/* Steps from `first` on that can be captured, one after another; those that are made once are none any more. */
static int find_end(const stria_graph_form *g, const bool *can, int first, int *n_launched)
{
    int end = first;

    for (*n_launched = 0; end < g->steps.n && (can[end] || g->steps.at[end].is_constant); end++)
        *n_launched += !g->steps.at[end].is_constant;
    return end;
}

/* What lies in the arena has one home. */
static bool is_in_arena(const stria_buffer *b) { return b->kind == STRIA_BUFFER_MADE && !b->is_result; }

static void add_uses(maker *m, stria_captured_part *p, int number)
{
    bool has_arena = false;

    p->uses = m->at;
    for (int i = p->first; i < p->first + p->n_steps; i++) {
        const stria_graph_step *step = &m->g->steps.at[i];
        for (int k = 0; k < stria_graph_step_count(step); k++) {
            if (step->views[k] < 0) continue;
            const int           buffer = m->g->views.at[step->views[k]].buffer;
            const stria_buffer *b = &m->g->buffers.at[buffer];
            if (m->last_part[buffer] == number || b->kind == STRIA_BUFFER_NUMBER || (is_in_arena(b) && has_arena))
                continue;
            m->last_part[buffer] = number;
            has_arena |= is_in_arena(b);
            p->uses[p->n_uses++] = m->f->handles[step->views[k]];
        }
    }
    m->at += p->n_uses;
}

static void add_touched(maker *m, stria_captured_part *p)
{
    p->touched = m->at;
    for (int i = p->first; i < p->first + p->n_steps; i++) {
        const stria_graph_step *step = &m->g->steps.at[i];
        for (int k = 0; k < stria_graph_step_count(step) && !step->is_constant; k++)
            if (step->views[k] >= 0 && stria_graph_step_writes(step, k) &&
                m->g->buffers.at[m->g->views.at[step->views[k]].buffer].kind == STRIA_BUFFER_HELD)
                p->touched[p->n_touched++] = m->f->handles[step->views[k]];
    }
    m->at += p->n_touched;
}

stria_captured_parts *stria_captured_parts_new(const stria_graph_frame *f, const bool *can)
{
    const stria_graph_form *g = &f->graph->planned;
    size_t                  n_tensors = 0;

    for (int i = 0; i < g->steps.n; i++) n_tensors += (size_t)stria_graph_step_count(&g->steps.at[i]);
    const size_t          n_steps = (size_t)g->steps.n, n_places = (size_t)f->n_places;
    stria_captured_parts *parts = stria_object_new(sizeof *parts + n_steps * sizeof *parts->at +
                                                   2 * n_tensors * sizeof(void *) + n_places * sizeof(bool));
    maker                 m = {f, g, stria_object_new(((size_t)g->buffers.n + 1) * sizeof *m.last_part), parts, NULL};
    if (parts != NULL && m.last_part != NULL) {
        parts->at = (stria_captured_part *)(void *)(parts + 1);
        m.at = (stria_tensor **)(void *)(parts->at + n_steps);
        parts->is_named = (bool *)(void *)(m.at + 2 * n_tensors);
        for (int i = 0, n_launched; i < g->steps.n; i++) {
            const int end = find_end(g, can, i, &n_launched);
            if (n_launched > 1) {
                stria_captured_part *p = &parts->at[parts->n++];
                *p = (stria_captured_part){.first = i, .n_steps = end - i};
                parts->n_steps += n_launched;
                add_uses(&m, p, parts->n);
                add_touched(&m, p);
            }
            if (end > i) i = end - 1;
        }
        for (int n = 0; n < f->n_places; n++) parts->is_named[n] = m.last_part[f->places[n].buffer] > 0;
    } else {
        stria_object_release(parts);
        parts = NULL;
    }
    stria_object_release(m.last_part);
    return parts;
}
