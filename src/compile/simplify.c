/* simplify.c - passes over the planned form, before steps become groups. One walk over the steps does all of them:
 *
 *     renaming     a step that overwrites the whole of what steps have made begins a new buffer, so that each is written once, and fuses
 *     copies       a copy of what is written no more is another name of it
 *     repetitions  a step that computes again what an earlier one did is left out
 *     constants    what depends on nothing is computed once for each frame
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/attrs.h"
#include "compile/graph.h"

/* Larger ones are computed anew by each run: they would be there for all of it. */
#define MOST_CONSTANT_BYTES 65536

/* A buffer as the steps so far have left it; [recorded buffers], and of new ones behind them. */
typedef struct state {
    int     first_view; /* of it, linked; -1: none */
    int     name;       /* the buffer that stands for it now */
    int64_t shift;      /* bytes from the beginning of that */
    int     last_write; /* of the recorded buffer: the step that writes to it last, -1: none */
    int     origin;     /* of a new buffer: the recorded one */
    int     n_writes;
    bool    is_used;
    bool    is_constant;
    bool    is_copied; /* a result that is a copy of it lies in its place */
} state;

typedef struct pass {
    stria_graph_form *g;
    state            *states; /* room for all buffers and one more for each output */
    int              *found;  /* steps by their hash: [room], -1: none */
    int               room;   /* a power of 2 */
    unsigned         *marks;  /* [2 * steps]: hash, and how often its inputs had been written to */
} pass;

static bool is_dense(const stria_graph_view *v)
{
    int64_t expected = 1, numel = 1;

    for (int d = 0; d < v->ndim; d++) numel *= v->sizes[d];
    for (bool is_further = true; is_further && expected < numel;) {
        is_further = false;
        for (int d = 0; d < v->ndim; d++)
            if (v->sizes[d] > 1 && v->sizes[v->ndim + d] == expected) {
                expected *= v->sizes[d];
                is_further = true;
                break;
            }
    }
    return expected == numel;
}

/* Whether the view is all of its buffer, which steps make. */
static bool covers(const stria_graph_form *g, const stria_graph_view *v)
{
    const stria_buffer *b = &g->buffers.at[v->buffer];
    int64_t             nbytes = stria_dtype_sizes[v->dtype];

    for (int d = 0; d < v->ndim; d++) nbytes *= v->sizes[d];
    return b->kind == STRIA_BUFFER_MADE && v->offset == 0 && nbytes == b->nbytes && is_dense(v);
}

static bool is_same_layout(const stria_graph_view *a, const stria_graph_view *b)
{
    return a->dtype == b->dtype && a->ndim == b->ndim &&
           memcmp(a->sizes, b->sizes, 2 * (size_t)a->ndim * sizeof *a->sizes) == 0;
}

static void link_view(pass *p, int k)
{
    state *s = &p->states[p->g->views.at[k].buffer];

    p->g->views.at[k].next = s->first_view;
    s->first_view = k;
}

/* What the view has become. One view has one number, since steps are compared by them. */
static bool translate(pass *p, int *view)
{
    stria_graph_form *g = p->g;

    if (*view < 0 || p->states[g->views.at[*view].buffer].name == g->views.at[*view].buffer) return true;
    stria_graph_view v = g->views.at[*view];
    v.offset += p->states[v.buffer].shift;
    v.buffer = p->states[v.buffer].name;
    for (int k = p->states[v.buffer].first_view; k >= 0; k = g->views.at[k].next)
        if (g->views.at[k].offset == v.offset && is_same_layout(&g->views.at[k], &v)) {
            *view = k;
            return true;
        }
    if (!STRIA_GROW(g->views)) return false;
    *view = g->views.n;
    g->views.at[g->views.n++] = v;
    link_view(p, *view);
    return true;
}

static state *state_of(const pass *p, int view) { return &p->states[p->g->views.at[view].buffer]; }

/* A new buffer for what the step writes to view, which is all of one that was used before. */
static bool rename_output(pass *p, int view)
{
    stria_graph_form *g = p->g;
    const int         b = g->views.at[view].buffer, n = g->buffers.n;

    if (!STRIA_GROW(g->buffers)) return false;
    g->buffers.at[g->buffers.n++] = g->buffers.at[b];
    p->states[n] = (state){.first_view = -1, .name = n, .origin = b, .last_write = p->states[b].last_write};
    p->states[b].name = n;
    p->states[b].shift = 0;
    return true;
}

/* ---------------------------------------------------------------- copies */

/* The tensor that the step copies as it is, or -1. */
static int find_source(const stria_graph_form *g, const stria_graph_step *step)
{
    const int k = step->row == STRIA_ROW_OF_FUNCTION(STRIA_FN_copy) ? 1 : 0;

    if (k == 0 && step->row != STRIA_ROW_OF_FUNCTION(STRIA_FN_to)) return -1;
    if (g->views.at[step->views[0]].dtype != g->views.at[step->views[k]].dtype) return -1; /* `copy` converts to that */
    return is_same_layout(&g->views.at[step->views[k]], &g->views.at[step->views[step->n_in]]) ? step->views[k] : -1;
}

/* recorded: the output as it was recorded. */
static bool leave_out_copy(pass *p, int i, int recorded)
{
    stria_graph_form       *g = p->g;
    const stria_graph_step *step = &g->steps.at[i];
    const int               from = find_source(g, step), to = step->views[step->n_in];

    if (from < 0 || !covers(g, &g->views.at[to]) || state_of(p, to)->n_writes > 0) return false;
    state    *source = state_of(p, from);
    const int target = g->views.at[recorded].buffer;
    if (p->states[source->origin].last_write > i || p->states[target].last_write > i) return false;
    if (g->buffers.at[target].is_result) {
        if (g->buffers.at[source->origin].is_result || source->is_copied || !covers(g, &g->views.at[from]))
            return false;
        source->is_copied = true;
    }
    p->states[target].name = g->views.at[from].buffer;
    p->states[target].shift = g->views.at[from].offset;
    return true;
}

/* ---------------------------------------------------------------- repetitions and constants */

static bool is_function(const stria_graph_step *step)
{
    return step->row >= STRIA_ROW_OF_FUNCTION(0) && step->row < STRIA_ROW_EXPRESSION;
}

/* Whether the step is a function of what it reads alone, into buffers of its own that nothing else writes to. */
static bool is_pure(const pass *p, int i, const int *recorded)
{
    const stria_graph_step *step = &p->g->steps.at[i];

    if (!step->is_new || step->n_numbers > 0 || stria_graph_step_draws(step) ||
        (is_function(step) &&
         stria_schema_is_update(stria_schema_get((stria_function)(step->row - STRIA_ROW_OF_FUNCTION(0))))))
        return false;
    for (int k = 0; k < step->n_out; k++) {
        const stria_graph_view *v = &p->g->views.at[recorded[k]];
        if (!covers(p->g, v) || p->states[v->buffer].last_write > i || p->g->buffers.at[v->buffer].is_result)
            return false;
    }
    return step->n_out > 0;
}

static unsigned hash_step(const pass *p, const stria_graph_step *step, unsigned *n_writes)
{
    unsigned h = (unsigned)step->row;

    *n_writes = 0;
    for (int k = 0; k < step->n_in + step->n_list; k++) {
        h = (h ^ (unsigned)(step->views[k] + 1)) * 0x9E3779B1u;
        h ^= h >> 15;
        if (step->views[k] >= 0) *n_writes += (unsigned)state_of(p, step->views[k])->n_writes;
    }
    return h ^ *n_writes;
}

/* What b computed is what a does, unless an input was written to in between. */
static bool is_repeated(const stria_graph_step *a, const stria_graph_step *b)
{
    return a->row == b->row && a->n_in == b->n_in && a->n_list == b->n_list &&
           memcmp(a->views, b->views, (size_t)(a->n_in + a->n_list) * sizeof *a->views) == 0 &&
           stria_attrs_is_same(a->row, a->attrs, b->attrs);
}

static bool leave_out_repetition(pass *p, int i, const int *recorded)
{
    stria_graph_form *g = p->g;
    unsigned         *mark = p->marks + 2 * (size_t)i;
    const unsigned    h = mark[0] = hash_step(p, &g->steps.at[i], &mark[1]);

    for (unsigned k = h;; k++) {
        int *at = &p->found[k & (unsigned)(p->room - 1)];
        if (*at < 0) {
            *at = i;
            return false;
        }
        const stria_graph_step *first = &g->steps.at[*at];
        if (memcmp(p->marks + 2 * (size_t)*at, mark, 2 * sizeof *mark) != 0 || !is_repeated(&g->steps.at[i], first))
            continue;
        for (int o = 0; o < first->n_out; o++) {
            const int target = g->views.at[recorded[o]].buffer;
            p->states[target].name = g->views.at[first->views[first->n_in + first->n_list + o]].buffer;
            p->states[target].shift = 0;
        }
        return true;
    }
}

static void find_constant(pass *p, stria_graph_step *step)
{
    static const stria_function like[] = {STRIA_FN_zeros_like, STRIA_FN_ones_like, STRIA_FN_full_like};
    bool                        is_constant = true, reads = true;

    for (size_t k = 0; k < sizeof like / sizeof *like; k++) reads &= step->row != STRIA_ROW_OF_FUNCTION(like[k]);
    for (int k = 0; k < step->n_in + step->n_list && reads; k++)
        is_constant &= step->views[k] < 0 || state_of(p, step->views[k])->is_constant ||
                       p->g->buffers.at[p->g->views.at[step->views[k]].buffer].kind == STRIA_BUFFER_NUMBER;
    for (int k = step->n_in + step->n_list; k < stria_graph_step_count(step); k++)
        is_constant &= p->g->buffers.at[p->g->views.at[step->views[k]].buffer].nbytes <= MOST_CONSTANT_BYTES;
    step->is_constant = is_constant;
    for (int k = step->n_in + step->n_list; k < stria_graph_step_count(step); k++)
        state_of(p, step->views[k])->is_constant = is_constant;
}

/* ---------------------------------------------------------------- the walk */

static bool visit(pass *p, int i)
{
    stria_graph_form *g = p->g;
    stria_graph_step *step = &g->steps.at[i];
    const int         n_read = step->n_in + step->n_list;
    int               recorded[STRIA_MAX_OUTPUTS];

    for (int k = 0; k < n_read; k++)
        if (!translate(p, &step->views[k])) return false;
    for (int k = 0; k < step->n_out; k++) {
        const int v = recorded[k] = step->views[n_read + k];
        if (v < 0) continue;
        if (state_of(p, v)->is_used && covers(g, &g->views.at[v]) && !rename_output(p, v)) return false;
        if (!translate(p, &step->views[n_read + k])) return false;
    }
    const bool pure = is_pure(p, i, recorded);
    if ((step->n_out == 1 && leave_out_copy(p, i, recorded[0])) || (pure && leave_out_repetition(p, i, recorded))) {
        stria_graph_step_end(step);
        return true;
    }
    if (pure) find_constant(p, step);
    for (int k = 0; k < stria_graph_step_count(step); k++) {
        if (step->views[k] < 0) continue;
        state *s = state_of(p, step->views[k]);
        s->is_used = p->states[s->origin].is_used = true;
        s->n_writes += stria_graph_step_writes(step, k);
    }
    return true;
}

static void begin(pass *p)
{
    const stria_graph_form *g = p->g;

    for (int k = 0; k < g->buffers.n; k++) p->states[k] = (state){-1, .name = k, .origin = k, .last_write = -1};
    for (int k = 0; k < g->views.n; k++) link_view(p, k);
    for (int k = 0; k < p->room; k++) p->found[k] = -1;
    for (int i = 0; i < g->steps.n; i++)
        for (int k = 0; k < stria_graph_step_count(&g->steps.at[i]); k++)
            if (g->steps.at[i].views[k] >= 0 && stria_graph_step_writes(&g->steps.at[i], k))
                state_of(p, g->steps.at[i].views[k])->last_write = i;
}

static bool walk(pass *p, int n_grads)
{
    stria_graph_form *g = p->g;

    begin(p);
    for (int i = 0; i < g->steps.n; i++)
        if (!visit(p, i)) return false;
    stria_graph_form_pack(g);
    for (int k = 0; k < g->results.n; k++)
        if (!translate(p, &g->results.at[k])) return false;
    for (int k = 0; k < n_grads; k++)
        if (!translate(p, &g->grad_views[k])) return false;
    for (int k = 0; k < g->buffers.n; k++) g->buffers.at[k].is_result = false;
    for (int k = 0; k < g->results.n; k++) g->buffers.at[g->views.at[g->results.at[k]].buffer].is_result = true;
    for (int k = 0; k < n_grads; k++)
        if (g->grad_views[k] >= 0) g->buffers.at[g->views.at[g->grad_views[k]].buffer].is_result = true;
    for (int i = 0; i < g->steps.n; i++) /* a copy of a constant may be a result, and lie in its place */
        for (int k = 0; k < g->steps.at[i].n_out && g->steps.at[i].is_constant; k++) {
            const stria_graph_step *step = &g->steps.at[i];
            const int               view = step->views[step->n_in + step->n_list + k];
            g->steps.at[i].is_constant = !g->buffers.at[g->views.at[view].buffer].is_result;
        }
    return true;
}

stria_status stria_graph_simplify(stria_graph_form *g, int n_grads, stria_error *err)
{
    pass   p = {.g = g, .room = 64};
    size_t n_outputs = 0;

    while (p.room < 2 * g->steps.n) p.room *= 2;
    for (int i = 0; i < g->steps.n; i++) n_outputs += (size_t)g->steps.at[i].n_out;
    p.states = stria_object_new(((size_t)g->buffers.n + n_outputs + 1) * sizeof *p.states);
    p.found = stria_object_new(((size_t)p.room + 2 * (size_t)g->steps.n) * sizeof *p.found);
    bool is_done = p.states != NULL && p.found != NULL;
    if (is_done) {
        p.marks = (unsigned *)(p.found + p.room);
        is_done = walk(&p, n_grads);
    }
    stria_object_release(p.states);
    stria_object_release(p.found);
    return is_done ? STRIA_OK : stria_graph_refuse_memory(err);
}
