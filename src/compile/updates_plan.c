/* updates_plan.c - gradients that are never there as a whole: a matrix product that a step of an optimiser alone reads, as the gradient of a parameter, is
 * made right before what the optimiser does with that parameter, which becomes a step of its own (blocks.h).
 *
 * The pair stands as early as it can, since what the product reads need not live longer than that: behind the product, and behind the last step that
 * looks at the parameter or its states. Only steps that refuse nothing are passed on the way, so that where a run is refused, a parameter is what it would
 * have been.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "compile/blocks.h"
#include "cpu/matmul_bound.h"
#include "cpu/update.h"

/* A parameter that is updated by parts. */
typedef struct pair {
    int product, update, member; /* steps; the parameter is number `member` of the list */
    int place;                   /* step before which the two stand */
} pair;

typedef struct pairing {
    stria_graph_form *g;
    int              *writer, *reader; /* [buffers]: the step that writes to it, that reads it; -1: none, -2: several */
    pair             *pairs;
    int               n, room;
} pairing;

static int get_buffer(const stria_graph_form *g, int view) { return view < 0 ? -1 : g->views.at[view].buffer; }

static bool is_update(const stria_graph_step *step)
{
    return stria_row_is_update(step->row) && !step->is_constant && step->n_in == 0;
}

static int count_lists(const stria_graph_step *step)
{
    return stria_schema_get((stria_function)(step->row - STRIA_ROW_OF_FUNCTION(0)))->n_tensors;
}

static void note_uses(const pairing *t)
{
    const stria_graph_form *g = t->g;

    for (int k = 0; k < g->buffers.n; k++) t->writer[k] = t->reader[k] = -1;
    for (int i = 0; i < g->steps.n; i++) {
        const stria_graph_step *step = &g->steps.at[i];
        for (int k = 0; k < stria_graph_step_count(step); k++) {
            const int b = get_buffer(g, step->views[k]);
            if (b < 0) continue;
            int *at = stria_graph_step_writes(step, k) ? &t->writer[b] : &t->reader[b];
            *at = *at == -1 || *at == i ? i : -2;
        }
    }
}

/* ---------------------------------------------------------------- what may be a pair */

static bool mentions(const stria_graph_form *g, const stria_graph_step *step, int buffer)
{
    for (int k = 0; k < stria_graph_step_count(step); k++)
        if (get_buffer(g, step->views[k]) == buffer) return true;
    return false;
}

/* Whether what is held in the buffer lies apart from all else that is held, and inputs cannot lie over it: runs refuse these. */
static bool lies_apart(const stria_graph_form *g, int buffer)
{
    const stria_buffer *b = &g->buffers.at[buffer];

    if (b->kind != STRIA_BUFFER_HELD) return false;
    const uintptr_t begin = (uintptr_t)b->tensor->storage->data, end = begin + b->tensor->storage->nbytes;
    for (int k = 0; k < g->buffers.n; k++) {
        const stria_buffer *other = &g->buffers.at[k];
        if (k == buffer || other->kind != STRIA_BUFFER_HELD) continue;
        const uintptr_t at = (uintptr_t)other->tensor->storage->data;
        if (at < end && begin < at + other->tensor->storage->nbytes) return false;
    }
    return true;
}

/* Whether all that the step looks at of the member is row-major, and looked at in this way alone; what is updated is held. */
static bool is_alone(const stria_graph_form *g, const stria_graph_step *step, int n, int member)
{
    const stria_graph_view *first = &g->views.at[step->views[member]];

    for (int k = member; k < step->n_list; k += n) {
        const stria_graph_view *v = step->views[k] < 0 ? NULL : &g->views.at[step->views[k]];
        if (v == NULL) continue;
        if (v->dtype != first->dtype || !stria_graph_view_is_row_major(v)) return false;
        if (stria_graph_step_writes(step, k) && !lies_apart(g, v->buffer)) return false;
        for (int other = 0; other < step->n_list; other++)
            if (other != k && get_buffer(g, step->views[other]) == v->buffer) return false;
    }
    return first->dtype == STRIA_F32 || first->dtype == STRIA_F64;
}

/* Elements that one thread holds at once: smaller gradients are whole anyway. */
static int64_t count_taken(const stria_graph_form *g, const stria_graph_step *product)
{
    const stria_graph_view *b = &g->views.at[product->views[1]];
    return stria_matmul_get_taken(stria_graph_view_count(b, 0) * stria_dtype_sizes[b->dtype]);
}

/* Whether the step makes that view, as the product of two matrices of its dtype that steps make, or nobody writes to. */
static bool is_matrix_product(const pairing *t, const stria_graph_step *step, int view)
{
    const stria_graph_form *g = t->g;
    const stria_graph_view *y = &g->views.at[view];

    if (!stria_row_is_product(step->row) || step->is_constant || step->is_joined || !step->is_plain ||
        step->views[2] != view)
        return false;
    for (int k = 0; k < 2; k++) {
        const stria_graph_view *v = &g->views.at[step->views[k]];
        if (v->ndim != 2 || v->dtype != y->dtype || stria_graph_view_count(v, 0) == 0) return false;
        if (g->buffers.at[v->buffer].kind != STRIA_BUFFER_MADE && t->writer[v->buffer] != -1) return false;
    }
    return y->sizes[0] > 1 && y->sizes[1] > 1 && stria_graph_view_count(y, 0) > count_taken(g, step);
}

/* Whether the step computes whatever its elements are. */
static bool refuses_nothing(const stria_graph_step *step)
{
    return stria_graph_step_is_element_wise(step) || step->row < STRIA_ROW_OF_FUNCTION(0) ||
           stria_row_is_product(step->row);
}

/* Whether step i looks at what is updated of the member. */
static bool looks_at_member(const stria_graph_form *g, int i, const stria_graph_step *step, int n, int member)
{
    for (int k = member; k < step->n_list; k += n)
        if (step->views[k] >= 0 && stria_graph_step_writes(step, k) &&
            mentions(g, &g->steps.at[i], get_buffer(g, step->views[k])))
            return true;
    return false;
}

/* Whether step i writes to what the product reads, or to an input that may lie over it. */
static bool changes_operand(const stria_graph_form *g, int i, const stria_graph_step *product)
{
    const stria_graph_step *step = &g->steps.at[i];

    for (int k = 0; k < stria_graph_step_count(step); k++) {
        const int b = get_buffer(g, step->views[k]);
        if (b < 0 || !stria_graph_step_writes(step, k)) continue;
        for (int n = 0; n < 2; n++) {
            const int read = get_buffer(g, product->views[n]);
            if (read == b ||
                (g->buffers.at[read].kind != STRIA_BUFFER_MADE && g->buffers.at[b].kind == STRIA_BUFFER_INPUT))
                return true;
        }
    }
    return false;
}

/* The first step before which the two may stand; -1: none. */
static int find_place(const stria_graph_form *g, int product, int update, int n, int member)
{
    const stria_graph_step *step = &g->steps.at[update];
    int                     place = update;

    while (place - 1 > product && refuses_nothing(&g->steps.at[place - 1]) &&
           !looks_at_member(g, place - 1, step, n, member))
        place--;
    if (g->steps.at[place - 1].is_joined) place++; /* it stays next to what it is joined to */
    for (int i = product + 1; i < place; i++)
        if (changes_operand(g, i, &g->steps.at[product])) return -1;
    return place;
}

/* The product that is the gradient of the member, and nothing else. */
static stria_status add_pair(pairing *t, int update, int n, int member, stria_error *err)
{
    const stria_graph_form *g = t->g;
    const stria_graph_step *step = &g->steps.at[update];
    const int               view = step->views[n + member], b = get_buffer(g, view);

    if (g->buffers.at[b].kind != STRIA_BUFFER_MADE || g->buffers.at[b].is_result || t->reader[b] != update)
        return STRIA_OK;
    const int product = t->writer[b];
    if (product < 0 || product >= update || !is_matrix_product(t, &g->steps.at[product], view) ||
        !is_alone(g, step, n, member))
        return STRIA_OK;
    const int place = find_place(g, product, update, n, member);
    if (place < 0) return STRIA_OK;
    if (!stria_graph_grow(&t->pairs, &t->room, t->n, sizeof *t->pairs)) return stria_graph_refuse_memory(err);
    t->pairs[t->n++] = (pair){product, update, member, place};
    return STRIA_OK;
}

static stria_status find_pairs(pairing *t, stria_error *err)
{
    for (int j = 0; j < t->g->steps.n; j++) {
        const stria_graph_step *step = &t->g->steps.at[j];
        const int               n = is_update(step) ? step->n_list / count_lists(step) : 0;
        for (int k = 0; k < n; k++) STRIA_TRY(add_pair(t, j, n, k, err));
    }
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the form */

static bool is_paired(const pairing *t, int update, int member)
{
    for (int k = 0; k < t->n; k++)
        if (t->pairs[k].update == update && t->pairs[k].member == member) return true;
    return false;
}

static bool is_moved(const pairing *t, int step)
{
    for (int k = 0; k < t->n; k++)
        if (t->pairs[k].product == step) return true;
    return false;
}

/* The update of one member alone, or, with member -1, of those that are in no pair; NULL views: there are none, or no memory. */
static stria_graph_step new_update(const pairing *t, int update, int member, bool *is_refused)
{
    const stria_graph_step *step = &t->g->steps.at[update];
    const int               n_lists = count_lists(step), n = step->n_list / n_lists;
    stria_graph_step        part = *step;
    int                     n_members = 0;

    for (int k = 0; k < n; k++) n_members += member < 0 ? !is_paired(t, update, k) : k == member;
    const size_t views = ((size_t)(n_lists * n_members) * sizeof(int) + 7) / 8 * 8;
    part.is_owner = true;
    part.attrs = NULL;
    part.n_list = 0;
    part.views = n_members > 0 ? stria_object_new(views + stria_graph_step_get_attrs_size(step)) : NULL;
    *is_refused |= n_members > 0 && part.views == NULL;
    if (part.views == NULL) return part;
    part.attrs = memcpy((char *)part.views + views, step->attrs, stria_graph_step_get_attrs_size(step));
    for (int k = 0; k < step->n_list; k++)
        if (member < 0 ? !is_paired(t, update, k % n) : k % n == member) part.views[part.n_list++] = step->views[k];
    return part;
}

/* Each pair in its place, and what is left of the updates in theirs. */
static stria_status put_in_order(const pairing *t, stria_error *err)
{
    stria_graph_form *g = t->g;
    stria_graph_step *steps = stria_object_new((size_t)(g->steps.n + t->n) * sizeof *steps);
    int               n = 0;
    bool              is_refused = steps == NULL;

    for (int i = 0; i < g->steps.n && !is_refused; i++) {
        bool is_split = false;
        for (int k = 0; k < t->n; k++) {
            is_split |= t->pairs[k].update == i;
            if (t->pairs[k].place != i) continue;
            steps[n] = g->steps.at[t->pairs[k].product];
            steps[n++].is_gradient = true;
            steps[n++] = new_update(t, t->pairs[k].update, t->pairs[k].member, &is_refused);
        }
        if (is_split) {
            steps[n] = new_update(t, i, -1, &is_refused);
            n += steps[n].views != NULL;
        } else if (!is_moved(t, i)) {
            steps[n++] = g->steps.at[i];
        }
    }
    if (is_refused) {
        for (int i = 0; i < n; i++)
            if (stria_row_is_update(steps[i].row)) stria_graph_step_end(&steps[i]);
        stria_object_release(steps);
        return stria_graph_refuse_memory(err);
    }
    stria_object_release(g->steps.at);
    g->steps.at = steps;
    g->steps.n = n;
    g->steps.room = n;
    return STRIA_OK;
}

stria_status stria_graph_pair_updates(stria_graph_form *g, stria_error *err)
{
    const size_t n_buffers = (size_t)g->buffers.n;
    pairing      t = {.g = g, .writer = stria_object_new(2 * n_buffers * sizeof(int) + 1)};

    if (t.writer == NULL) return stria_graph_refuse_memory(err);
    t.reader = t.writer + n_buffers;
    note_uses(&t);
    stria_status status = find_pairs(&t, err);
    if (status == STRIA_OK && t.n > 0) status = put_in_order(&t, err);
    stria_object_release(t.writer);
    stria_object_release(t.pairs);
    return status;
}

stria_graph_blocks stria_graph_find_update(const stria_graph_form *g, int first)
{
    const stria_graph_step *product = &g->steps.at[first];

    if (!product->is_gradient) return (stria_graph_blocks){.n_steps = 0};
    const int64_t count = stria_graph_view_count(&g->views.at[product->views[2]], 0), most = count_taken(g, product);
    const int64_t n = (count + most - 1) / most;
    return (stria_graph_blocks){.first = first,
                                .n_steps = 2,
                                .is_update = true,
                                .extent = count,
                                .n_ranges = n,
                                .n_blocks = n,
                                .end = first + 2 < g->steps.n ? "the step of an optimiser ends it" : NULL};
}
