/* plan.c - which steps run, and where their results lie.
 *
 * A step whose results nobody reads is left out, but for what draws random numbers: the next ones would be others. Buffers that no result
 * looks at lie in an arena: each takes the smallest gap that is large enough, from the step that mentions it first to the last one.
 *
 * What is made for the caches of the CPU, tiles and blocks, is planned there alone: on other devices steps run one after another.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "compile/blocks.h"

#define ALIGNMENT 64

static stria_buffer *get_buffer(const stria_graph_form *g, int view)
{
    return &g->buffers.at[g->views.at[view].buffer];
}

/* ---------------------------------------------------------------- steps that are needed */

/* is_live: [buffers] what is read later, or lives on. */
static bool is_needed(const stria_graph_form *g, const stria_graph_step *step, const bool *is_live)
{
    const int n = stria_graph_step_count(step);

    if (stria_graph_step_draws(step)) return true;
    for (int k = 0; k < n; k++)
        if (step->views[k] >= 0 && stria_graph_step_writes(step, k) && is_live[g->views.at[step->views[k]].buffer])
            return true;
    return false;
}

static stria_status leave_out_dead(stria_graph_form *g, stria_error *err)
{
    bool *is_live = stria_object_new((size_t)g->buffers.n + 1);

    if (is_live == NULL) return stria_graph_refuse_memory(err);
    for (int k = 0; k < g->buffers.n; k++)
        is_live[k] = g->buffers.at[k].is_result || g->buffers.at[k].kind != STRIA_BUFFER_MADE;
    for (int i = g->steps.n - 1; i >= 0; i--) {
        stria_graph_step *step = &g->steps.at[i];
        if (!is_needed(g, step, is_live)) {
            stria_graph_step_end(step);
            continue;
        }
        for (int k = 0; k < stria_graph_step_count(step); k++)
            if (step->views[k] >= 0) is_live[g->views.at[step->views[k]].buffer] = true;
    }
    stria_graph_form_pack(g);
    stria_object_release(is_live);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the arena */

static void note_uses(stria_graph_form *g)
{
    for (int k = 0; k < g->buffers.n; k++) g->buffers.at[k].is_written = false, g->buffers.at[k].last = -1;
    for (int i = 0; i < g->steps.n; i++) {
        const stria_graph_step *step = &g->steps.at[i];
        for (int k = 0; k < stria_graph_step_count(step); k++) {
            if (step->views[k] < 0) continue;
            stria_buffer *b = get_buffer(g, step->views[k]);
            if (b->last < 0) b->first = i;
            b->last = step->is_joined ? i + 1 : i; /* the next step takes it with it */
            b->is_written |= stria_graph_step_writes(step, k);
            b->is_constant |= step->is_constant && stria_graph_step_writes(step, k);
        }
    }
    for (int k = 0; k < g->buffers.n; k++)
        if (g->buffers.at[k].is_constant) g->buffers.at[k].first = 0, g->buffers.at[k].last = g->steps.n - 1;
}

/* What blocks make, and is not theirs alone, is there from the first of their steps on: after that all of it is still to be read that any of
 * them reads. */
static void note_blocks(stria_graph_form *g)
{
    for (int j = 0; j < g->blocks.n; j++) {
        const int first = g->blocks.at[j].first, last = first + g->blocks.at[j].n_steps - 1;
        for (int k = 0; k < g->buffers.n; k++) {
            stria_buffer *b = &g->buffers.at[k];
            if (!b->is_local && b->last >= 0 && b->first > first && b->first <= last) b->first = first;
        }
    }
}

/* Gaps of the arena, by their places; the last one has no end. */
typedef struct gap {
    int64_t begin, end;
} gap;
typedef struct gaps {
    gap *at;
    int  n;
} gaps;

static int64_t round_up(int64_t nbytes) { return (nbytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static int64_t take(gaps *free, int64_t nbytes)
{
    int best = free->n - 1;

    for (int k = 0; k < free->n - 1; k++) {
        const int64_t size = free->at[k].end - free->at[k].begin;
        if (size >= nbytes && (best == free->n - 1 || size < free->at[best].end - free->at[best].begin)) best = k;
    }
    const int64_t place = free->at[best].begin;
    free->at[best].begin += nbytes;
    if (free->at[best].begin == free->at[best].end) {
        memmove(free->at + best, free->at + best + 1, (size_t)(free->n - best - 1) * sizeof *free->at);
        free->n--;
    }
    return place;
}

static void give_back(gaps *free, int64_t begin, int64_t end)
{
    int k = 0;

    while (free->at[k].end <= begin) k++; /* the first gap behind it; the last one has no end */
    const bool meets_next = free->at[k].begin == end, meets_last = k > 0 && free->at[k - 1].end == begin;
    if (meets_next && meets_last) {
        free->at[k - 1].end = free->at[k].end;
        memmove(free->at + k, free->at + k + 1, (size_t)(free->n - k - 1) * sizeof *free->at);
        free->n--;
    } else if (meets_next) {
        free->at[k].begin = begin;
    } else if (meets_last) {
        free->at[k - 1].end = end;
    } else {
        memmove(free->at + k + 1, free->at + k, (size_t)(free->n - k) * sizeof *free->at);
        free->at[k] = (gap){begin, end};
        free->n++;
    }
}

/* Whether a buffer is larger than the address space, or all of them are more than 2^63 - 1 bytes. */
static bool is_too_large(const stria_graph_form *g)
{
    int64_t total = 0;

    for (int k = 0; k < g->buffers.n; k++) {
        const stria_buffer *b = &g->buffers.at[k];
        if (b->kind == STRIA_BUFFER_MADE && (b->last >= 0 || b->is_result) &&
            (b->nbytes > PTRDIFF_MAX - ALIGNMENT || __builtin_add_overflow(total, round_up(b->nbytes), &total)))
            return true;
    }
    return false;
}

/* Places are found three times: where steps run one after another, for all; where they run in blocks, for the rest and for what is local. */
typedef enum layout { IN_STEPS, IN_BLOCKS, LOCAL } layout;

static bool is_placed(const stria_buffer *b, layout how)
{
    return b->kind == STRIA_BUFFER_MADE && !b->is_result && b->last >= 0 && b->nbytes > 0 &&
           (how == IN_STEPS || b->is_local == (how == LOCAL)) && (how != LOCAL || b->local_nbytes > 0);
}

static int64_t get_nbytes(const stria_buffer *b, layout how)
{
    return round_up(how == LOCAL ? b->local_nbytes : b->nbytes);
}

/* Whether step i takes a product with it that reads the buffer. */
static bool is_read_by_product(const stria_graph_form *g, int i, int buffer)
{
    const stria_graph_step *product = i > 0 && g->steps.at[i - 1].is_joined ? &g->steps.at[i - 1] : NULL;

    for (int k = 0; product != NULL && k < product->n_in; k++)
        if (g->views.at[product->views[k]].buffer == buffer) return true;
    return false;
}

/* What step i, element-wise, may leave its result k over: an input that ends there, and lies as the result does. */
static stria_buffer *find_ending(const stria_graph_form *g, layout how, int i, int k)
{
    const stria_graph_step *step = &g->steps.at[i];

    if (!stria_graph_step_is_element_wise(step) || step->n_out != 1)
        return NULL; /* one of several results is written before all inputs are read */
    const stria_graph_view *y = &g->views.at[step->views[step->n_in + step->n_list]];
    if (y->buffer != k) return NULL;
    for (int j = 0; j < step->n_in; j++) {
        const stria_graph_view *x = &g->views.at[step->views[j]];
        stria_buffer           *b = &g->buffers.at[x->buffer];
        bool is_same = is_placed(b, how) && b->last == i && !b->is_handed_on && !b->is_constant && x->buffer != k &&
                       !is_read_by_product(g, i, x->buffer) && get_nbytes(b, how) == get_nbytes(&g->buffers.at[k], how);
        for (int n = 0; n < step->n_in && is_same; n++) {
            const stria_graph_view *v = &g->views.at[step->views[n]];
            if (v->buffer == x->buffer)
                is_same = v->dtype == y->dtype && v->ndim == y->ndim && v->offset == y->offset &&
                          memcmp(v->sizes, y->sizes, 2 * (size_t)v->ndim * sizeof *v->sizes) == 0;
        }
        if (is_same) return b;
    }
    return NULL;
}

/* The buffers that end at each step, linked: heads[i] and next[k]. */
static stria_status place_buffers(stria_graph_form *g, layout how, size_t *nbytes, stria_error *err)
{
    const size_t n_lists = 2 * (size_t)g->steps.n + (size_t)g->buffers.n;
    int         *begins = stria_object_new((n_lists + 2 * (size_t)g->buffers.n + 1) * sizeof *begins);
    gaps         free = {stria_object_new(((size_t)g->buffers.n + 2) * sizeof *free.at), 1};
    int64_t      total = 0;

    if (begins == NULL || free.at == NULL || is_too_large(g)) {
        stria_object_release(begins);
        stria_object_release(free.at);
        return stria_graph_refuse_memory(err);
    }
    int *ends = begins + g->steps.n, *next_begin = ends + g->steps.n, *next_end = next_begin + g->buffers.n;
    free.at[0] = (gap){0, INT64_MAX};
    for (int i = 0; i < 2 * g->steps.n; i++) begins[i] = -1;
    for (int k = g->buffers.n - 1; k >= 0; k--) {
        stria_buffer *b = &g->buffers.at[k];
        b->is_handed_on = false;
        if (!is_placed(b, how)) continue;
        next_begin[k] = begins[b->first], begins[b->first] = k;
        next_end[k] = ends[b->last], ends[b->last] = k;
    }
    for (int i = 0; i < g->steps.n; i++) {
        for (int k = begins[i]; k >= 0; k = next_begin[k]) {
            stria_buffer *b = &g->buffers.at[k], *over = find_ending(g, how, i, k);
            if (over != NULL) { /* which ends here: its place goes on */
                b->place = over->place;
                over->is_handed_on = true;
                continue;
            }
            b->place = take(&free, get_nbytes(b, how));
            if (b->place + get_nbytes(b, how) > total) total = b->place + get_nbytes(b, how);
        }
        for (int k = ends[i]; k >= 0; k = next_end[k])
            if (!g->buffers.at[k].is_handed_on)
                give_back(&free, g->buffers.at[k].place, g->buffers.at[k].place + get_nbytes(&g->buffers.at[k], how));
    }
    *nbytes = (size_t)total;
    stria_object_release(begins);
    stria_object_release(free.at);
    return total > PTRDIFF_MAX ? stria_graph_refuse_memory(err) : STRIA_OK;
}

/* The places of both forms of a run. */
static stria_status place(stria_graph *graph, stria_error *err)
{
    stria_graph_form *g = &graph->planned;

    if (g->blocks.n > 0) {
        STRIA_TRY(place_buffers(g, LOCAL, &graph->local_nbytes, err));
        note_blocks(g);
        STRIA_TRY(place_buffers(g, IN_BLOCKS, &graph->block_arena_nbytes, err));
        for (int k = 0; k < g->buffers.n; k++) g->buffers.at[k].block_place = g->buffers.at[k].place;
        note_uses(g);
    }
    return place_buffers(g, IN_STEPS, &graph->arena_nbytes, err);
}

size_t stria_graph_get_result_nbytes(const stria_graph_form *g)
{
    size_t total = 0;

    for (int k = 0; k < g->buffers.n; k++)
        if (g->buffers.at[k].kind == STRIA_BUFFER_MADE && g->buffers.at[k].is_result)
            total += (size_t)g->buffers.at[k].nbytes;
    return total;
}

size_t stria_graph_get_run_nbytes(const stria_graph *g)
{
    int64_t n = 1; /* threads */

    if (g->planned.blocks.n == 0) return g->arena_nbytes;
    for (int k = 0; k < g->planned.blocks.n; k++)
        if (g->planned.blocks.at[k].n_blocks > n) n = g->planned.blocks.at[k].n_blocks;
    if (n > stria_threads_get()) n = stria_threads_get();
    return g->block_arena_nbytes + (size_t)n * g->local_nbytes;
}

size_t stria_graph_get_peak(const stria_graph_form *g)
{
    const size_t n = (size_t)g->buffers.n;
    int         *last = stria_object_new((2 * n + 1) * sizeof *last), *first;
    size_t       now = 0, most = 0;

    if (last == NULL) return 0;
    first = last + n;
    for (size_t k = 0; k < n; k++) first[k] = -1;
    for (int i = 0; i < g->steps.n; i++)
        for (int k = 0; k < stria_graph_step_count(&g->steps.at[i]); k++) {
            const int view = g->steps.at[i].views[k], b = view < 0 ? -1 : g->views.at[view].buffer;
            if (b < 0 || g->buffers.at[b].kind != STRIA_BUFFER_MADE) continue;
            if (first[b] < 0) first[b] = i;
            last[b] = g->buffers.at[b].is_result ? g->steps.n : i;
        }
    for (int i = 0; i < g->steps.n; i++) {
        const stria_graph_step *step = &g->steps.at[i];
        for (int k = 0; k < 2 * stria_graph_step_count(step); k++) { /* what begins, then what ends */
            const bool ends = k >= stria_graph_step_count(step);
            const int  view = step->views[ends ? k - stria_graph_step_count(step) : k];
            const int  b = view < 0 ? -1 : g->views.at[view].buffer;
            if (b < 0 || g->buffers.at[b].kind != STRIA_BUFFER_MADE || (ends ? last[b] : first[b]) != i) continue;
            *(ends ? &last[b] : &first[b]) = -2; /* counted */
            now = ends ? now - (size_t)g->buffers.at[b].nbytes : now + (size_t)g->buffers.at[b].nbytes;
            if (now > most) most = now;
        }
    }
    stria_object_release(last);
    return most;
}

/* ---------------------------------------------------------------- the planned form */

/* A copy of n items in place of a growing array. */
static bool copy_items(void *array, int *n_copied, int *room, const void *from, int n, size_t nbytes_each)
{
    void **at = array;

    *n_copied = *room = n;
    *at = stria_object_new((size_t)n * nbytes_each + 1);
    if (*at != NULL && n > 0) memcpy(*at, from, (size_t)n * nbytes_each);
    return *at != NULL;
}
#define COPY(to, from) copy_items(&(to).at, &(to).n, &(to).room, (from).at, (from).n, sizeof *(from).at)

static stria_status begin(stria_graph *g, stria_error *err)
{
    const stria_graph_form *from = &g->recorded;
    stria_graph_form       *to = &g->planned;
    size_t                  n = 0;

    for (int i = 0; i < from->steps.n; i++) n += (size_t)stria_graph_step_count(&from->steps.at[i]);
    to->step_views = stria_object_new((n + (size_t)g->grads.n) * sizeof *to->step_views + 1);
    if (to->step_views == NULL || !COPY(to->buffers, from->buffers) || !COPY(to->views, from->views) ||
        !COPY(to->inputs, from->inputs) || !COPY(to->results, from->results) || !COPY(to->steps, from->steps)) {
        to->steps.n = 0; /* they may be anything */
        return stria_graph_refuse_memory(err);
    }
    int *views = to->step_views;
    to->grad_views = views + n;
    for (int i = 0; i < to->steps.n; i++) {
        stria_graph_step *step = &to->steps.at[i];
        memcpy(views, step->views, (size_t)stria_graph_step_count(step) * sizeof *views);
        step->views = views;
        step->is_owner = false;
        views += stria_graph_step_count(step);
    }
    for (int k = 0; k < g->grads.n; k++) to->grad_views[k] = g->grads.at[k].view;
    return STRIA_OK;
}

stria_status stria_graph_plan(stria_graph *g, stria_error *err)
{
    stria_graph_form *planned = &g->planned;

    for (int k = 0; k < g->recorded.buffers.n; k++)
        if (g->recorded.buffers.at[k].kind == STRIA_BUFFER_MADE)
            g->recorded_nbytes += (size_t)g->recorded.buffers.at[k].nbytes;
    STRIA_TRY(begin(g, err));
    STRIA_TRY(stria_graph_simplify(planned, g->grads.n, err));
    STRIA_TRY(leave_out_dead(planned, err));
    STRIA_TRY(stria_graph_fuse(planned, err));
    if (g->device.type == STRIA_DEVICE_CPU) STRIA_TRY(stria_graph_join_products(planned, err));
    if (g->device.type == STRIA_DEVICE_CPU) STRIA_TRY(stria_graph_pair_updates(planned, err));
    for (int i = 0; i < planned->steps.n; i++)
        if (planned->steps.at[i].n_numbers > 0)
            g->varied_nbytes += (stria_graph_step_get_attrs_size(&planned->steps.at[i]) + 7) / 8 * 8;
    note_uses(planned);
    if (g->device.type == STRIA_DEVICE_CPU) STRIA_TRY(stria_graph_find_blocks(planned, err));
    return place(g, err);
}
