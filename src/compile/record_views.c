/* record_views.c - what recorded calls look at: buffers, and views of them (recording.h). */
#include "compile/recording.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tensor/overlap.h"

/* ---------------------------------------------------------------- buffers */

static size_t hash_storage(const void *storage) { return (size_t)((uintptr_t)storage >> 4) * 2654435761u; }

static stria_recording_place *find_place(const stria_recording *r, const void *storage)
{
    size_t k = hash_storage(storage);

    for (;; k++) {
        stria_recording_place *p = &r->places[k & (size_t)(r->room - 1)];
        if (p->storage == storage || p->storage == NULL) return p;
    }
}

int stria_recording_find_buffer(const stria_recording *r, const void *storage)
{
    const stria_recording_place *p = r->room > 0 ? find_place(r, storage) : NULL;
    return p != NULL && p->storage != NULL ? p->buffer : -1;
}

bool stria_recording_remember(stria_recording *r, const void *storage, int buffer)
{
    stria_recording_place *const was = r->places;
    const int                    was_room = r->room;

    if (2 * (r->n_places + 1) > r->room) {
        const int              room = was_room > 0 ? 2 * was_room : 64;
        stria_recording_place *more = stria_object_new((size_t)room * sizeof *more);
        if (more == NULL) return false;
        r->places = more;
        r->room = room;
        for (int k = 0; k < was_room; k++)
            if (was[k].storage != NULL) *find_place(r, was[k].storage) = was[k];
        stria_object_release(was);
    }
    *find_place(r, storage) = (stria_recording_place){storage, buffer};
    r->n_places++;
    return true;
}

/* Takes a storage out again; those behind it that it was in the way of move up. */
static void forget_storage(stria_recording *r, const void *storage)
{
    const size_t           mask = (size_t)(r->room - 1);
    stria_recording_place *hole = r->room > 0 ? find_place(r, storage) : NULL;

    if (hole == NULL || hole->storage == NULL) return;
    for (size_t k = (size_t)(hole - r->places) + 1; r->places[k & mask].storage != NULL; k++) {
        const size_t from_home = (k - hash_storage(r->places[k & mask].storage)) & mask;
        if (from_home < ((k - (size_t)(hole - r->places)) & mask)) continue;
        *hole = r->places[k & mask];
        hole = &r->places[k & mask];
    }
    hole->storage = NULL;
    r->n_places--;
}

static void end_buffer(stria_recording *r, stria_buffer *b)
{
    forget_storage(r, b->symbol->storage);
    if (b->kind == STRIA_BUFFER_HELD && b->holder != NULL) forget_storage(r, b->holder->storage);
    stria_tensor_release(b->tensor);
    stria_tensor_release(b->holder);
    stria_tensor_release(b->symbol);
}

stria_status stria_recording_new_symbol(const stria_tensor *x, const stria_tensor *base, stria_tensor **symbol,
                                        stria_error *err)
{
    stria_tensor *y = stria_tensor_new_handle(x->dtype, STRIA_META, x->ndim);

    *symbol = NULL;
    if (y == NULL) return stria_graph_refuse_memory(err);
    for (int d = 0; d < x->ndim; d++) {
        y->shape[d] = x->shape[d];
        y->strides[d] = x->strides[d];
    }
    y->numel = x->numel;
    y->is_wrapped_number = x->is_wrapped_number;
    y->storage = base->storage;
    stria_storage_retain(y->storage);
    y->data = STRIA_META_BASE + (x->data != NULL ? x->data - x->storage->data : 0);
    *symbol = y;
    return STRIA_OK;
}

stria_status stria_recording_add_buffer(stria_recording *r, stria_buffer_kind kind, stria_tensor *symbol, int *number,
                                        stria_error *err)
{
    stria_graph_form *g = &r->graph->recorded;
    stria_tensor     *own;

    *number = g->buffers.n;
    if (!STRIA_GROW(g->buffers) || !stria_recording_remember(r, symbol->storage, *number))
        return stria_graph_refuse_memory(err);
    STRIA_TRY(stria_recording_new_symbol(symbol, symbol, &own, err));
    g->buffers.at[g->buffers.n++] = (stria_buffer){.kind = kind, .symbol = own, .last = -1};
    return STRIA_OK;
}

stria_status stria_recording_hold(stria_recording *r, const stria_tensor *x, int *number, stria_error *err)
{
    stria_tensor *base = NULL;

    *number = stria_recording_find_buffer(r, x->storage);
    if (*number >= 0) return STRIA_OK;
    STRIA_TRY(stria_tensor_new_on(STRIA_META, x->dtype, 0, NULL, NULL, &base, err));
    stria_status status = stria_recording_add_buffer(r, STRIA_BUFFER_HELD, base, number, err);
    stria_tensor_release(base);
    STRIA_TRY(status);
    if (!stria_recording_remember(r, x->storage, *number)) return stria_graph_refuse_memory(err);
    atomic_store_explicit(&x->storage->is_held, true, memory_order_relaxed);
    stria_tensor *own, *base_of_x = x->base != NULL ? x->base : (stria_tensor *)(uintptr_t)x;
    STRIA_TRY(stria_tensor_view((stria_tensor *)(uintptr_t)x, x->ndim, x->shape, x->strides, 0, &own, err));
    if (stria_tensor_get_gradients() != NULL) own->base = stria_tensor_retain(base_of_x);
    r->graph->recorded.buffers.at[*number].tensor = own;
    r->graph->recorded.buffers.at[*number].holder = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
    return STRIA_OK;
}

bool stria_recording_overlaps(void *context, const stria_tensor *a, const stria_tensor *b)
{
    const stria_recording *r = context;
    const bool             is_first = a->device.type == STRIA_DEVICE_META;
    const stria_tensor    *symbol = is_first ? a : b, *x = is_first ? b : a;
    const int              buffer = stria_recording_find_buffer(r, x->storage);
    stria_tensor          *twin;

    if (buffer < 0 || buffer != stria_recording_find_buffer(r, symbol->storage)) return false;
    if (stria_recording_new_symbol(x, r->graph->recorded.buffers.at[buffer].symbol, &twin, NULL) != STRIA_OK)
        return true; /* refused rather than wrong */
    const bool overlaps = stria_overlap_find(symbol, twin) != STRIA_OVERLAP_NONE;
    stria_tensor_release(twin);
    return overlaps;
}

/* ---------------------------------------------------------------- views */

static uint64_t hash_view(const stria_graph_view *v)
{
    uint64_t h = (uint64_t)v->buffer * 0x9e3779b97f4a7c15u ^ (uint64_t)v->offset ^ (uint64_t)v->dtype << 56;

    for (int d = 0; d < 2 * v->ndim; d++) h = (h ^ (uint64_t)v->sizes[d]) * 0x9e3779b97f4a7c15u + (h >> 29);
    return h ^ h >> 31;
}

static int *find_view(const stria_recording *r, const stria_graph_view *v)
{
    for (size_t k = (size_t)hash_view(v);; k++) {
        int *at = &r->found[k & (size_t)(r->found_room - 1)];
        if (*at < 0 || stria_graph_view_is_same(&r->graph->recorded.views.at[*at], v)) return at;
    }
}

/* As forget_storage. */
static void forget_view(stria_recording *r, int number)
{
    const stria_graph_view *views = r->graph->recorded.views.at;
    const size_t            mask = (size_t)(r->found_room - 1);
    int                    *hole = find_view(r, &views[number]);

    for (size_t k = (size_t)(hole - r->found) + 1; r->found[k & mask] >= 0; k++) {
        const size_t from_home = (k - (size_t)hash_view(&views[r->found[k & mask]])) & mask;
        if (from_home < ((k - (size_t)(hole - r->found)) & mask)) continue;
        *hole = r->found[k & mask];
        hole = &r->found[k & mask];
    }
    *hole = -1;
    stria_object_release(views[number].sizes);
}

bool stria_recording_note_buffer(stria_recording *r, int buffer)
{
    const stria_buffer *b = &r->graph->recorded.buffers.at[buffer];

    if (buffer >= r->mark.n_buffers) return true;
    if (!STRIA_GROW(r->changed_buffers)) return false;
    r->changed_buffers.at[r->changed_buffers.n++] = (stria_changed_buffer){buffer, b->nbytes, b->must_be};
    return true;
}

void stria_recording_forget(stria_recording *r)
{
    stria_graph_form *g = &r->graph->recorded;

    while (g->views.n > r->mark.n_views) {
        forget_view(r, g->views.n - 1);
        g->views.n--;
    }
    while (g->buffers.n > r->mark.n_buffers) end_buffer(r, &g->buffers.at[--g->buffers.n]);
    while (r->changed_buffers.n > 0) {
        const stria_changed_buffer *was = &r->changed_buffers.at[--r->changed_buffers.n];
        g->buffers.at[was->buffer].nbytes = was->nbytes;
        g->buffers.at[was->buffer].must_be = was->must_be;
    }
    while (r->changed_numbers.n > 0) {
        const stria_changed_number *was = &r->changed_numbers.at[--r->changed_numbers.n];
        r->numbers[was->place] = was->buffer;
    }
}

static bool make_room_for_views(stria_recording *r)
{
    stria_graph_form *g = &r->graph->recorded;

    if (!STRIA_GROW(g->views)) return false;
    if (2 * (g->views.n + 1) <= r->found_room) return true;
    const int room = r->found_room > 0 ? 2 * r->found_room : 64;
    int      *more = stria_object_new((size_t)room * sizeof *more);
    if (more == NULL) return false;
    stria_object_release(r->found);
    r->found = more;
    r->found_room = room;
    for (int k = 0; k < room; k++) more[k] = -1;
    for (int k = 0; k < g->views.n; k++) *find_view(r, &g->views.at[k]) = k;
    return true;
}

/* Views lie inside what there is when the graph runs: the storage of a held tensor, as much of an input as was shown, what was made, which
 * grows where a call gives an output another shape. Symbols have no memory, so that calls have not looked at that. */
static stria_status check_inside(const stria_recording *r, const char *op, const stria_graph_view *v, bool grows,
                                 stria_error *err)
{
    const stria_graph_form *g = &r->graph->recorded;
    const stria_buffer     *b = &g->buffers.at[v->buffer];
    int64_t                 low = 0, high = grows ? INT64_MAX : b->nbytes, begin, end;
    char                    got[64], expected[64];

    if (b->kind == STRIA_BUFFER_INPUT && b->input == g->inputs.n) return STRIA_OK; /* the input itself */
    if (b->kind == STRIA_BUFFER_INPUT)
        (void)stria_graph_view_get_range(&g->views.at[g->inputs.at[b->input]], &low, &high); /* it is in memory */
    else if (b->kind == STRIA_BUFFER_HELD)
        high = (int64_t)b->tensor->storage->nbytes;
    const bool fits = stria_graph_view_get_range(v, &begin, &end);
    if (fits && (begin == end || (begin >= low && end <= high))) return STRIA_OK;
    snprintf(expected, sizeof expected, "bytes %lld .. %lld", (long long)low, (long long)high - 1);
    if (fits)
        snprintf(got, sizeof got, "%lld .. %lld", (long long)begin, (long long)end - 1);
    else
        snprintf(got, sizeof got, "more than 2^63");
    return stria_error_set(err, STRIA_ERR_ARGUMENT, op, "view", expected, got,
                           "the view reaches bytes %s of a memory of %s", got, expected);
}

stria_status stria_recording_add_view(stria_recording *r, const char *op, const stria_tensor *x, int buffer, bool grows,
                                      int *number, stria_error *err)
{
    stria_graph_form *g = &r->graph->recorded;
    int64_t           sizes[2 * STRIA_MAX_DIMS];
    stria_graph_view  v = {-1, buffer, x->dtype, x->ndim, 0, sizes};

    if (x->data != NULL) v.offset = (int64_t)(intptr_t)((uintptr_t)x->data - (uintptr_t)x->storage->data);
    for (int d = 0; d < x->ndim; d++) {
        sizes[d] = x->shape[d];
        sizes[x->ndim + d] = x->strides[d];
    }
    if (!make_room_for_views(r)) return stria_graph_refuse_memory(err);
    int *at = find_view(r, &v);
    if (*at < 0) {
        STRIA_TRY(check_inside(r, op, &v, grows, err));
        v.sizes = stria_object_new((2 * (size_t)x->ndim + 1) * sizeof *v.sizes);
        if (v.sizes == NULL) return stria_graph_refuse_memory(err);
        memcpy(v.sizes, sizes, 2 * (size_t)x->ndim * sizeof *sizes);
        const int64_t end = stria_graph_view_get_end(&v);
        if (end > g->buffers.at[buffer].nbytes) {
            if (!stria_recording_note_buffer(r, buffer)) {
                stria_object_release(v.sizes);
                return stria_graph_refuse_memory(err);
            }
            g->buffers.at[buffer].nbytes = end;
        }
        *at = g->views.n;
        g->views.at[g->views.n++] = v;
    }
    *number = *at;
    return STRIA_OK;
}
