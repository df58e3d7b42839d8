/* fuse_product.c - a matrix product whose only reader is element-wise stands right before it: both are then one step of a run.
 *
 * The two stay steps of the program, which can be made one after another. Where a run makes both, the second one is computed of each tile of the product
 * while that is in a cache (cpu/matmul_bound.h). What the product reads lives until the second one has ended.
 */
#include <string.h>

#include "base/alloc.h"
#include "compile/graph.h"
#include "cpu/matmul_bound.h"

/* Steps between the two, at most: over them the product is made later, and what it reads lives longer. */
enum { MOST_BETWEEN = 64 };

typedef struct joining {
    stria_graph_form *g;
    int              *writer;     /* [buffers]: the step that makes it; -1: none, -2: several */
    int              *reader;     /* the same of what reads it */
    int              *last_write; /* [buffers], so far */
    int               last_outer; /* step that wrote to what no step makes, so far; it may lie over other tensors */
    int              *product;    /* [steps]: that is joined to the step, or -1 */
} joining;

static int get_buffer(const stria_graph_form *g, int view) { return view < 0 ? -1 : g->views.at[view].buffer; }

static void note_uses(joining *t)
{
    const stria_graph_form *g = t->g;

    for (int k = 0; k < g->buffers.n; k++) t->writer[k] = t->reader[k] = t->last_write[k] = -1;
    for (int i = 0; i < g->steps.n; i++) {
        const stria_graph_step *step = &g->steps.at[i];
        t->product[i] = -1;
        for (int k = 0; k < stria_graph_step_count(step); k++) {
            const int b = get_buffer(g, step->views[k]);
            if (b < 0) continue;
            int *at = stria_graph_step_writes(step, k) ? &t->writer[b] : &t->reader[b];
            *at = *at == -1 || (*at == i && at == &t->reader[b]) ? i : -2;
        }
    }
}

static bool is_end(const stria_graph_form *g, const stria_graph_step *step)
{
    if (!stria_graph_step_is_element_wise(step) || step->is_constant || !step->is_plain) return false;
    for (int k = step->n_in; k < step->n_in + step->n_out; k++)
        if (step->views[k] < 0 || g->buffers.at[get_buffer(g, step->views[k])].kind != STRIA_BUFFER_MADE) return false;
    return true;
}

/* The product that step j reads as its input k; -1: none that may be joined to it. */
static int find_product(const joining *t, int j, int k)
{
    const stria_graph_form *g = t->g;
    const stria_graph_step *step = &g->steps.at[j];
    const int               view = step->views[k], b = get_buffer(g, view);

    if (b < 0 || g->buffers.at[b].kind != STRIA_BUFFER_MADE || g->buffers.at[b].is_result || t->reader[b] != j)
        return -1;
    const int               i = t->writer[b];
    const stria_graph_step *product = i >= 0 ? &g->steps.at[i] : NULL;
    if (i < 0 || i >= j || j - i > MOST_BETWEEN || !stria_row_is_product(product->row) || product->is_constant ||
        !product->is_plain || !stria_graph_view_is_same(&g->views.at[product->views[2]], &g->views.at[view]))
        return -1;
    for (int n = 0; n < step->n_in; n++) { /* what is made in between stays next to it, but another product */
        const int w = step->views[n] < 0 ? -1 : t->writer[get_buffer(g, step->views[n])];
        if (w > i && w < j && !stria_row_is_product(g->steps.at[w].row)) return -1;
    }
    for (int n = 0; n < step->n_in; n++)
        if (get_buffer(g, step->views[n]) == b &&
            !stria_graph_view_is_same(&g->views.at[step->views[n]], &g->views.at[view]))
            return -1;
    for (int n = 0; n < 2; n++) {
        const int read = get_buffer(g, product->views[n]);
        if (t->last_write[read] > i || (g->buffers.at[read].kind != STRIA_BUFFER_MADE && t->last_outer > i)) return -1;
    }
    return i;
}

static void join(joining *t)
{
    const stria_graph_form *g = t->g;

    for (int j = 0; j < g->steps.n; j++) {
        const stria_graph_step *step = &g->steps.at[j];
        for (int k = 0; k < step->n_in && is_end(g, step); k++) {
            const int i = find_product(t, j, k);
            if (i > t->product[j]) t->product[j] = i;
        }
        for (int k = 0; k < stria_graph_step_count(step); k++)
            if (step->views[k] >= 0 && stria_graph_step_writes(step, k)) {
                const int b = get_buffer(g, step->views[k]);
                t->last_write[b] = j;
                if (g->buffers.at[b].kind != STRIA_BUFFER_MADE) t->last_outer = j;
            }
    }
}

/* Each product right before what it is joined to. */
static void put_in_order(const joining *t, stria_graph_step *steps)
{
    stria_graph_form *g = t->g;
    int               n = 0;

    memcpy(steps, g->steps.at, (size_t)g->steps.n * sizeof *steps);
    for (int j = 0; j < g->steps.n; j++)
        if (t->product[j] >= 0) steps[t->product[j]].is_joined = true;
    for (int j = 0; j < g->steps.n; j++) {
        if (steps[j].is_joined) continue;
        if (t->product[j] >= 0) g->steps.at[n++] = steps[t->product[j]];
        g->steps.at[n++] = steps[j];
    }
}

stria_status stria_graph_join_products(stria_graph_form *g, stria_error *err)
{
    const size_t      n_steps = (size_t)g->steps.n, n_buffers = (size_t)g->buffers.n;
    stria_graph_step *room = stria_object_new(n_steps * sizeof *room + (3 * n_buffers + n_steps) * sizeof(int) + 8);
    joining           t = {.g = g, .last_outer = -1};

    if (room == NULL) return stria_graph_refuse_memory(err);
    t.writer = (int *)(void *)(room + n_steps);
    t.reader = t.writer + n_buffers;
    t.last_write = t.reader + n_buffers;
    t.product = t.last_write + n_buffers;
    note_uses(&t);
    join(&t);
    put_in_order(&t, room);
    stria_object_release(room);
    return STRIA_OK;
}
