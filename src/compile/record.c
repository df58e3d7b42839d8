/* record.c - from calls to a graph. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/attrs.h"
#include "call/meta.h"
#include "compile/graph.h"
#include "tensor/device.h"

#define OP "recording"

/* Storages, of the program and on META, to buffers, and leaves to grads: open addressing, at most half full. */
typedef struct place {
    const void *storage;
    int         buffer;
} place;

struct stria_recording {
    stria_graph *graph;
    place       *places;
    int          n_places, room; /* a power of 2, or 0 */
    int         *found;          /* views by their hash: [views_room], -1: none */
    int          found_room;
    int          numbers[64]; /* buffers behind 1, by the hash of their number */
    bool         has_failed;  /* there was no memory: what is recorded is not whole */
    bool         has_step;    /* the last call that was recorded left one */
    bool         is_over;     /* gradients are what they were */
};

static _Thread_local stria_recording *here;

/* ---------------------------------------------------------------- buffers */

static size_t hash_storage(const void *storage) { return (size_t)((uintptr_t)storage >> 4) * 2654435761u; }

static place *find_place(const stria_recording *r, const void *storage)
{
    size_t k = hash_storage(storage);

    for (;; k++) {
        place *p = &r->places[k & (size_t)(r->room - 1)];
        if (p->storage == storage || p->storage == NULL) return p;
    }
}

static int find_buffer(const stria_recording *r, const void *storage)
{
    const place *p = r->room > 0 ? find_place(r, storage) : NULL;
    return p != NULL && p->storage != NULL ? p->buffer : -1;
}

static bool remember_storage(stria_recording *r, const void *storage, int buffer)
{
    place *const was = r->places;
    const int    was_room = r->room;

    if (2 * (r->n_places + 1) > r->room) {
        const int room = was_room > 0 ? 2 * was_room : 64;
        place    *more = stria_object_new((size_t)room * sizeof *more);
        if (more == NULL) return false;
        r->places = more;
        r->room = room;
        for (int k = 0; k < was_room; k++)
            if (was[k].storage != NULL) *find_place(r, was[k].storage) = was[k];
        stria_object_release(was);
    }
    *find_place(r, storage) = (place){storage, buffer};
    r->n_places++;
    return true;
}

/* A handle over the storage of `base`, on META, as x lies over its own. */
static stria_status new_symbol(const stria_tensor *x, const stria_tensor *base, stria_tensor **symbol, stria_error *err)
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

/* A buffer whose storage on META is that of symbol. It has a handle of its own: the caller's may get another storage. */
static stria_status add_buffer(stria_recording *r, stria_buffer_kind kind, stria_tensor *symbol, int *number,
                               stria_error *err)
{
    stria_graph_form *g = &r->graph->recorded;
    stria_tensor     *own;

    *number = g->buffers.n;
    if (!STRIA_GROW(g->buffers) || !remember_storage(r, symbol->storage, *number))
        return stria_graph_refuse_memory(err);
    STRIA_TRY(new_symbol(symbol, symbol, &own, err));
    g->buffers.at[g->buffers.n++] = (stria_buffer){.kind = kind, .symbol = own, .last = -1};
    return STRIA_OK;
}

/* The buffer of a tensor with elements, which the graph holds from now on. */
static stria_status hold(stria_recording *r, const stria_tensor *x, int *number, stria_error *err)
{
    stria_tensor *base = NULL;

    *number = find_buffer(r, x->storage);
    if (*number >= 0) return STRIA_OK;
    STRIA_TRY(stria_tensor_new_on(STRIA_META, x->dtype, 0, NULL, NULL, &base, err));
    stria_status status = add_buffer(r, STRIA_BUFFER_HELD, base, number, err);
    stria_tensor_release(base);
    STRIA_TRY(status);
    if (!remember_storage(r, x->storage, *number)) return stria_graph_refuse_memory(err);
    stria_tensor *own, *base_of_x = x->base != NULL ? x->base : (stria_tensor *)(uintptr_t)x;
    STRIA_TRY(stria_tensor_view((stria_tensor *)(uintptr_t)x, x->ndim, x->shape, x->strides, 0, &own, err));
    if (stria_tensor_get_gradients() != NULL) own->base = stria_tensor_retain(base_of_x);
    r->graph->recorded.buffers.at[*number].tensor = own;
    r->graph->recorded.buffers.at[*number].holder = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
    return STRIA_OK;
}

static stria_status refuse_foreign(const stria_call *call, stria_error *err)
{
    return stria_error_set(
        err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), NULL, "a symbol of this recording", "meta",
        "a tensor on meta was made before the recording began, or by another one, so that it stands for nothing");
}

static stria_status refuse_device(const stria_call *call, const stria_tensor *x, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_DEVICE, stria_call_get_name(call), NULL, "cpu",
                           stria_device_get_name(x->device), "tensors on %s are not recorded",
                           stria_device_get_name(x->device));
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

/* The number of the view that x, of this buffer, is. grows: what was made gets room for x. */
static stria_status add_view(stria_recording *r, const char *op, const stria_tensor *x, int buffer, bool grows,
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
        if (end > g->buffers.at[buffer].nbytes) g->buffers.at[buffer].nbytes = end;
        *at = g->views.n;
        g->views.at[g->views.n++] = v;
    }
    *number = *at;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- calls */

/* A call, and the same on META. */
typedef struct recorded {
    const stria_call   *call;
    const stria_schema *schema; /* of functions, else NULL */
    int                 n_in, n_list, n_out;
    stria_tensor      **twins;     /* [n_in + n_list + n_out]: what the call on META gets; owned */
    int                *views;     /* [n_in + n_list + n_out] */
    int                 n_buffers; /* before the call */
} recorded;

static const stria_tensor *get_tensor(const recorded *c, int k)
{
    if (k < c->n_in) return c->call->in[k];
    return k < c->n_in + c->n_list ? c->call->list[k - c->n_in] : c->call->out[k - c->n_in - c->n_list];
}

static void describe(const stria_call *call, recorded *c)
{
    *c = (recorded){.call = call, .n_in = call->n_in, .n_list = call->n_list, .n_out = 1};
    if (call->row >= STRIA_ROW_OF_REDUCTION(0) && call->row < STRIA_ROW_OF_FUNCTION(0)) c->n_in = 1;
    if (call->row < STRIA_ROW_OF_FUNCTION(0) || call->row >= STRIA_ROW_EXPRESSION) return;
    c->schema = stria_schema_get(stria_call_get_function(call));
    c->n_in = stria_schema_count_single(c->schema);
    c->n_out = c->schema->n_outputs;
}

/* Whether numbers of the call stay what they are. Those of a call of numbers alone, which would be made, do not, nor what is copied, which
 * must be where it is copied to. */
static bool keeps_numbers(const recorded *c)
{
    if (c->call->row == STRIA_ROW_OF_FUNCTION(STRIA_FN_copy)) return false;
    for (int k = 0; k < c->n_in + c->n_list; k++)
        if (get_tensor(c, k) != NULL && !get_tensor(c, k)->is_wrapped_number) return true;
    return false;
}

/* A number is itself: calls look at it to find dtypes, and to refuse it. */
static stria_status make_number(stria_recording *r, const stria_tensor *x, recorded *c, int k, stria_error *err)
{
    stria_tensor *symbol = NULL;
    uint64_t      bits[2] = {0};

    memcpy(bits, x->data, (size_t)stria_tensor_get_item_size(x));
    const uint64_t      h = (bits[0] ^ bits[1] ^ (uint64_t)x->dtype) * 0x9e3779b97f4a7c15u;
    int                *kept = &r->numbers[h >> 58], buffer = *kept - 1;
    const stria_tensor *number = buffer < 0 ? NULL : r->graph->recorded.buffers.at[buffer].tensor;
    if (number == NULL || number->dtype != x->dtype ||
        memcmp(number->data, bits, (size_t)stria_tensor_get_item_size(x)) != 0) {
        STRIA_TRY(stria_tensor_new_on(STRIA_META, x->dtype, 0, NULL, NULL, &symbol, err));
        const stria_status status = add_buffer(r, STRIA_BUFFER_NUMBER, symbol, &buffer, err);
        stria_tensor_release(symbol);
        STRIA_TRY(status);
        r->graph->recorded.buffers.at[buffer].tensor = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
        *kept = buffer + 1;
    }
    if (keeps_numbers(c))
        c->twins[k] = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
    else
        STRIA_TRY(new_symbol(x, r->graph->recorded.buffers.at[buffer].symbol, &c->twins[k], err));
    symbol = r->graph->recorded.buffers.at[buffer].symbol;
    return add_view(r, stria_call_get_name(c->call), symbol, buffer, true, &c->views[k], err);
}

/* What stands for tensor k on META, and its view. */
static stria_status make_twin(stria_recording *r, recorded *c, int k, stria_error *err)
{
    const stria_tensor *x = get_tensor(c, k);
    int                 buffer;

    c->views[k] = -1;
    if (x == NULL) return STRIA_OK;
    if (x->is_wrapped_number && x->device.type == STRIA_DEVICE_CPU) return make_number(r, x, c, k, err);
    if (x->device.type == STRIA_DEVICE_META) {
        buffer = find_buffer(r, x->storage);
        if (buffer < 0) return refuse_foreign(c->call, err);
        c->twins[k] = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
    } else if (x->device.type == STRIA_DEVICE_CPU) {
        STRIA_TRY(hold(r, x, &buffer, err));
        for (int i = 0; i < k && c->twins[k] == NULL; i++) /* one tensor twice is one, such as an output in place */
            if (get_tensor(c, i) == x) c->twins[k] = stria_tensor_retain(c->twins[i]);
        if (c->twins[k] == NULL)
            STRIA_TRY(new_symbol(x, r->graph->recorded.buffers.at[buffer].symbol, &c->twins[k], err));
    } else {
        return refuse_device(c->call, x, err);
    }
    const bool is_out = k >= c->n_in + c->n_list;
    return add_view(r, stria_call_get_name(c->call), c->twins[k], buffer, is_out, &c->views[k], err);
}

/* Attributes that ask for a device ask for `to`: for META while calls are recorded, for the CPU when they run. */
static void move(const recorded *c, void *attrs, stria_device to)
{
    for (int k = 0; c->schema != NULL && k < c->schema->n_attributes; k++)
        if (c->schema->attributes[k].kind == STRIA_KIND_DEVICE)
            *(stria_device *)(void *)((char *)attrs + c->schema->attributes[k].offset) = to;
}

/* An output as the call on META left it: its view, and its buffer. */
static stria_status add_output(stria_recording *r, recorded *c, int k, stria_error *err)
{
    stria_tensor *y = c->twins[k];
    int           buffer = find_buffer(r, y->storage);
    const bool    is_view = buffer >= 0 && c->call->out[k - c->n_in - c->n_list] == NULL;

    if (buffer < 0) STRIA_TRY(add_buffer(r, STRIA_BUFFER_MADE, y, &buffer, err));
    return add_view(r, stria_call_get_name(c->call), y, buffer, !is_view, &c->views[k], err);
}

/* Whether there is nothing to compute: elements are undefined, or the outputs are other views of storages that were there. */
static bool computes_nothing(const stria_recording *r, const recorded *c)
{
    static const stria_function undefined[] = {STRIA_FN_empty, STRIA_FN_empty_like, STRIA_FN_empty_strided};

    for (size_t k = 0; k < sizeof undefined / sizeof *undefined; k++)
        if (c->call->row == STRIA_ROW_OF_FUNCTION(undefined[k])) return c->call->out[0] == NULL;
    for (int k = 0; k < c->n_out; k++) {
        const int at = c->n_in + c->n_list + k;
        if (c->call->out[k] != NULL || r->graph->recorded.views.at[c->views[at]].buffer >= c->n_buffers) return false;
    }
    return c->n_out > 0;
}

/* Whether the row makes the dtypes of its outputs, also where they were given. */
static bool is_plain(const recorded *c, bool is_new)
{
    stria_meta meta;

    if (is_new || c->call->row >= STRIA_OP_COUNT) return is_new;
    return stria_meta_infer((stria_op)c->call->row, (const stria_tensor *const *)c->twins, c->n_in, NULL, &meta,
                            NULL) == STRIA_OK &&
           meta.result == c->twins[c->n_in]->dtype;
}

static stria_status add_step(stria_recording *r, const recorded *c, stria_error *err)
{
    stria_graph_form *g = &r->graph->recorded;
    const int         n = c->n_in + c->n_list + c->n_out;
    const size_t      views = ((size_t)n * sizeof(int) + 7) / 8 * 8, attrs = stria_attrs_get_nbytes(c->call);
    char             *block = STRIA_GROW(g->steps) ? stria_object_new(views + attrs + 8) : NULL;

    if (block == NULL) return stria_graph_refuse_memory(err);
    stria_graph_step step = {
        .row = c->call->row, .n_in = c->n_in, .n_list = c->n_list, .n_out = c->n_out, .is_new = true, .is_owner = true};
    step.views = (int *)(void *)block;
    for (int k = 0; k < c->n_out; k++) step.is_new &= c->call->out[k] == NULL;
    step.is_plain = is_plain(c, step.is_new);
    memcpy(step.views, c->views, (size_t)n * sizeof(int));
    if (attrs > 0) {
        step.attrs = block + views;
        stria_attrs_copy(c->call, step.attrs);
        move(c, step.attrs, STRIA_CPU);
    }
    for (int k = 0; k < n; k++)
        if (c->views[k] >= 0 && stria_graph_step_writes(&step, k))
            g->buffers.at[g->views.at[c->views[k]].buffer].is_written = true;
    g->steps.at[g->steps.n++] = step;
    return STRIA_OK;
}

/* Runs the call on META; *given[k] is what the caller gave. */
static stria_status run_on_meta(const recorded *c, stria_error *err)
{
    stria_any_attrs moved;
    stria_tensor   *y[STRIA_MAX_OUTPUTS];
    stria_call      twin = *c->call;
    stria_tensor  **outs = c->twins + c->n_in + c->n_list;

    twin.in = (const stria_tensor *const *)c->twins;
    twin.list = (const stria_tensor *const *)(c->twins + c->n_in);
    if (c->schema != NULL && twin.attrs != NULL) {
        memcpy(&moved, twin.attrs, c->schema->attrs_size);
        move(c, &moved, STRIA_META);
        twin.attrs = &moved;
    }
    twin.out = y;
    for (int k = 0; k < c->n_out; k++) y[k] = outs[k];
    STRIA_TRY(stria_call_run(&twin, err));
    for (int k = 0; k < c->n_out; k++)
        if (c->call->out[k] == NULL) outs[k] = y[k]; /* owned from now on */
    for (int k = 0; k < c->n_out; k++) {
        const stria_tensor *given = c->call->out[k];
        if (given != NULL && given->device.type == STRIA_DEVICE_CPU &&
            !stria_tensor_has_shape(given, y[k]->ndim, y[k]->shape))
            return stria_call_refuse_resize(stria_call_get_name(c->call), given, y[k]->ndim, y[k]->shape, err);
    }
    return STRIA_OK;
}

/* A storage_offset of an input counts from the beginning of a memory, where it must begin itself then: another one has another offset. */
static stria_status check_offset(const stria_recording *r, const recorded *c, stria_error *err)
{
    const stria_graph_form       *g = &r->graph->recorded;
    const stria_as_strided_attrs *attrs = c->call->attrs;

    if (c->call->row != STRIA_ROW_OF_FUNCTION(STRIA_FN_as_strided) || attrs->storage_offset == STRIA_INT_NONE)
        return STRIA_OK;
    stria_buffer *b = &g->buffers.at[g->views.at[c->views[0]].buffer];
    b->must_be |= b->is_whole;
    if (b->kind != STRIA_BUFFER_INPUT || b->is_whole) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, "as_strided", "storage_offset", "left out", NULL,
                           "storage_offset of an input that does not begin where its memory does is not recorded: "
                           "leave it out, and take a view that begins there first");
}

/* Notes a slice that begins or ends where its tensor does because that has no more. It leaves a view alone, which does not say so. */
static void note_cut(stria_recording *r, const recorded *c)
{
    const stria_slice_attrs *attrs = c->call->attrs;
    const int64_t everything = (int64_t)1 << 47; /* no dim is as long: who asks for that wants all there is */

    if (c->call->row != STRIA_ROW_OF_FUNCTION(STRIA_FN_slice)) return;
    const stria_tensor *x = c->twins[0];
    const int64_t       size = x->shape[attrs->dim < 0 ? attrs->dim + x->ndim : attrs->dim];
    const int64_t       most = size - (attrs->step < 0), bounds[] = {attrs->start, attrs->stop};
    for (int k = 0; k < 2; k++)
        if ((bounds[k] > most && bounds[k] < everything) || (bounds[k] < -size && bounds[k] > -everything))
            r->graph->cut_sizes = (r->graph->cut_sizes ^ (uint64_t)(size + 1)) * 0x9e3779b97f4a7c15u;
}

static stria_graph_step *get_last_step(const stria_recording *r)
{
    return &r->graph->recorded.steps.at[r->graph->recorded.steps.n - 1];
}

static stria_status record(stria_recording *r, recorded *c, stria_error *err)
{
    const int first = c->n_in + c->n_list, n = first + c->n_out;

    for (int k = 0; k < n; k++) STRIA_TRY(make_twin(r, c, k, err));
    c->n_buffers = r->graph->recorded.buffers.n;
    STRIA_TRY(check_offset(r, c, err));
    STRIA_TRY(run_on_meta(c, err));
    note_cut(r, c);
    for (int k = 0; k < c->n_out; k++) STRIA_TRY(add_output(r, c, first + k, err));
    const bool has_step = !computes_nothing(r, c);
    if (has_step) STRIA_TRY(add_step(r, c, err));
    r->has_step = has_step;
    r->graph->n_calls++;
    for (int k = 0; k < c->n_out; k++) {
        if (c->call->out[k] == NULL)
            c->call->out[k] = stria_tensor_retain(c->twins[first + k]);
        else if (c->call->out[k]->device.type == STRIA_DEVICE_CPU)
            stria_tensor_touch(c->call->out[k]); /* when it runs; who saved it must know now */
    }
    for (int k = c->n_in; k < first && c->schema != NULL && stria_schema_is_update(c->schema); k++) {
        stria_tensor *x = (stria_tensor *)(uintptr_t)get_tensor(c, k);
        if (x != NULL && x->device.type == STRIA_DEVICE_CPU && stria_graph_step_writes(get_last_step(r), k))
            stria_tensor_touch(x);
    }
    return STRIA_OK;
}

/* After this there will be no graph: buffers may be without what they stand for. */
static stria_status fail(stria_recording *r, stria_error *err)
{
    r->has_failed = true;
    return stria_graph_refuse_memory(err);
}

static stria_status on_call(void *context, const stria_call *call, bool *is_taken, stria_error *err)
{
    stria_recording *r = context;
    recorded         c;

    *is_taken = true;
    if (r->has_failed) return stria_graph_refuse_memory(err);
    describe(call, &c);
    const int n = c.n_in + c.n_list + c.n_out;
    c.twins = stria_object_new((size_t)n * (sizeof *c.twins + sizeof *c.views) + 8);
    if (c.twins == NULL) return fail(r, err);
    c.views = (int *)(void *)(c.twins + n);
    const stria_status status = record(r, &c, err);
    r->has_failed |= status == STRIA_ERR_MEMORY;
    for (int k = 0; k < n; k++) stria_tensor_release(c.twins[k]);
    stria_object_release(c.twins);
    return status;
}

/* ---------------------------------------------------------------- gradients of tensors with elements */

/* A stria_gradient_state.watch_grad: slot->grad is noted before anything is done to it. */
static void on_grad(void *context, stria_slot *slot, bool reads)
{
    stria_recording *r = context;
    stria_graph     *g = r->graph;

    if (slot->device.type != STRIA_DEVICE_CPU || r->has_failed || r->is_over) return;
    int at = find_buffer(r, slot->node);
    if (at < 0) {
        at = g->grads.n;
        if (!STRIA_GROW(g->grads) || !remember_storage(r, slot->node, at)) {
            r->has_failed = true;
            return;
        }
        lock(&slot->guard);
        stria_tensor *first = stria_tensor_retain(slot->grad);
        unlock(&slot->guard);
        g->grads.at[g->grads.n++] = (stria_graph_grad){stria_node_retain(slot->node), first, reads, false, NULL, -1};
    }
    g->grads.at[at].is_set |= !reads;
}

static void take_back_grads(stria_recording *r)
{
    for (int k = 0; k < r->graph->grads.n && !r->is_over; k++) stria_graph_grad_take_back(&r->graph->grads.at[k]);
    r->is_over = true;
}

static stria_status add_grads(stria_recording *r, stria_error *err)
{
    for (int k = 0; k < r->graph->grads.n; k++) {
        stria_graph_grad *grad = &r->graph->grads.at[k];
        if (!grad->is_read) stria_tensor_release(grad->first), grad->first = NULL;
        if (grad->last == NULL || grad->last->device.type != STRIA_DEVICE_META) continue;
        const int buffer = find_buffer(r, grad->last->storage);
        if (buffer < 0)
            return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "grad", "a symbol of this recording", NULL,
                                   "the gradient of a tensor is a symbol that was not made by the calls recorded");
        STRIA_TRY(add_view(r, OP, grad->last, buffer, false, &grad->view, err));
        r->graph->recorded.buffers.at[buffer].is_result = true;
        stria_tensor_release(grad->last);
        grad->last = NULL;
    }
    return STRIA_OK;
}

/* ---------------------------------------------------------------- beginning and ending */

bool stria_recording_is_on(void) { return here != NULL; }

static void end(stria_recording *r)
{
    if (here == r) {
        stria_call_set_recorder(NULL, NULL);
        stria_gradient_here.watch_grad = NULL;
        here = NULL;
    }
    take_back_grads(r);
    stria_graph_release(r->graph);
    stria_object_release(r->places);
    stria_object_release(r->found);
    stria_object_release(r);
}

stria_status stria_recording_begin(stria_recording **out, stria_error *err)
{
    stria_recording *r;

    if (out == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "out", "a place for the recording", "NULL", "out is NULL");
    *out = NULL;
    if (here != NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, NULL, "a thread that does not record", NULL,
                               "this thread records already");
    r = stria_object_new(sizeof *r);
    if (r == NULL) return stria_graph_refuse_memory(err);
    r->graph = stria_graph_new();
    if (r->graph == NULL) {
        stria_object_release(r);
        return stria_graph_refuse_memory(err);
    }
    here = r;
    stria_call_set_recorder(on_call, r);
    stria_gradient_here.watch_grad = on_grad;
    stria_gradient_here.watch_context = r;
    *out = r;
    return STRIA_OK;
}

static stria_status check_recording(const stria_recording *r, stria_error *err)
{
    if (r != NULL && r == here) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "recording", "the recording of this thread",
                           r == NULL ? "NULL" : NULL,
                           r == NULL ? "the recording is NULL" : "the recording is another thread's");
}

/* A new input that lies as x does, but from the beginning of a storage. */
static stria_status add_input(stria_recording *r, const stria_tensor *x, stria_tensor **symbol, stria_error *err)
{
    stria_graph_form *g = &r->graph->recorded;
    stria_tensor     *base = NULL;
    int               buffer, view;

    if (!STRIA_GROW(g->inputs)) return stria_graph_refuse_memory(err);
    STRIA_TRY(stria_tensor_new_on(STRIA_META, x->dtype, 0, NULL, NULL, &base, err));
    const stria_status status = add_buffer(r, STRIA_BUFFER_INPUT, base, &buffer, err);
    stria_tensor_release(base);
    STRIA_TRY(status);
    g->buffers.at[buffer].input = g->inputs.n;
    g->buffers.at[buffer].is_whole = x->data == x->storage->data;
    STRIA_TRY(new_symbol(x, g->buffers.at[buffer].symbol, symbol, err));
    (*symbol)->data = STRIA_META_BASE;
    (*symbol)->is_wrapped_number = false;
    STRIA_TRY(add_view(r, OP, *symbol, buffer, true, &view, err));
    g->inputs.at[g->inputs.n++] = view;
    return STRIA_OK;
}

stria_status stria_recording_add_input(stria_recording *r, const stria_tensor *x, stria_tensor **symbol,
                                       stria_error *err)
{
    if (x == NULL || symbol == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, x == NULL ? "x" : "symbol",
                               "a tensor and a place for its symbol", "NULL", "%s is NULL", x == NULL ? "x" : "symbol");
    *symbol = NULL;
    STRIA_TRY(check_recording(r, err));
    if (r->has_failed) return stria_graph_refuse_memory(err);
    const stria_status status = add_input(r, x, symbol, err);
    r->has_failed |= status == STRIA_ERR_MEMORY;
    if (status != STRIA_OK) stria_tensor_release(*symbol), *symbol = NULL;
    return status;
}

stria_status stria_recording_add_number(stria_recording *r, const char *attribute, int *index, stria_error *err)
{
    STRIA_TRY(check_recording(r, err));
    stria_graph        *g = r->graph;
    stria_graph_step   *step = r->has_step ? get_last_step(r) : NULL;
    const stria_schema *schema = NULL;

    if (step != NULL && step->row >= STRIA_ROW_OF_FUNCTION(0) && step->row < STRIA_ROW_EXPRESSION)
        schema = stria_schema_get((stria_function)(step->row - STRIA_ROW_OF_FUNCTION(0)));
    if (schema != NULL && !stria_schema_is_update(schema)) schema = NULL; /* shapes may depend on its numbers */
    for (int k = 0; schema != NULL && attribute != NULL && index != NULL && k < schema->n_attributes; k++) {
        const stria_param *param = &schema->attributes[k];
        const bool         is_flag = param->kind == STRIA_KIND_FLAG, is_int = param->kind == STRIA_KIND_INT;
        if ((!is_flag && !is_int && param->kind != STRIA_KIND_NUMBER) || strcmp(param->name, attribute) != 0) continue;
        if (!STRIA_GROW(g->numbers)) return stria_graph_refuse_memory(err);
        const void *field = (const char *)step->attrs + param->offset;
        *index = g->numbers.n;
        if (step->n_numbers++ == 0) step->first_number = *index;
        g->numbers.at[g->numbers.n++] = (stria_graph_number){param,
                                                             is_flag  ? (double)*(const bool *)field
                                                             : is_int ? (double)*(const int64_t *)field
                                                                      : *(const double *)field,
                                                             is_int - is_flag};
        return STRIA_OK;
    }
    return stria_error_set(
        err, STRIA_ERR_ARGUMENT, OP, "attribute", "a number of the last call, a step of an optimiser", attribute,
        "the last call that was recorded has no number %s", attribute != NULL ? attribute : "without a name");
}

bool stria_recording_add_grad(stria_recording *r, const stria_graph_grad *like, stria_tensor *last)
{
    stria_graph *g = r->graph;

    r->is_over = true; /* gradients are what they were: no call has changed them */
    if (!STRIA_GROW(g->grads)) return false;
    g->grads.at[g->grads.n++] = (stria_graph_grad){stria_node_retain(like->leaf),
                                                   stria_tensor_retain(like->first),
                                                   like->is_read,
                                                   like->is_set,
                                                   stria_tensor_retain(last != NULL ? last : like->last),
                                                   -1};
    return true;
}

void stria_recording_set_change(stria_recording *r, int index, int change)
{
    r->graph->numbers.at[index].change = change;
}

void stria_recording_pause(stria_recording *r, bool is_paused)
{
    if (r == NULL || r != here) return;
    stria_call_set_recorder(is_paused ? NULL : on_call, is_paused ? NULL : r);
    stria_gradient_here.watch_grad = is_paused ? NULL : on_grad;
}

static stria_status add_result(stria_recording *r, stria_tensor *x, int k, stria_error *err)
{
    char name[32];
    int  buffer, view;

    snprintf(name, sizeof name, "results[%d]", k);
    if (x == NULL) return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, name, "a symbol", "NULL", "%s is NULL", name);
    if (x->device.type == STRIA_DEVICE_CPU)
        STRIA_TRY(hold(r, x, &buffer, err));
    else
        buffer = find_buffer(r, x->storage);
    if (buffer < 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, name, "a symbol of this recording", NULL,
                               "%s was not made by the calls that were recorded", name);
    STRIA_TRY(add_view(r, OP, x, buffer, false, &view, err));
    if (!STRIA_GROW(r->graph->recorded.results)) return stria_graph_refuse_memory(err);
    r->graph->recorded.results.at[r->graph->recorded.results.n++] = view;
    r->graph->recorded.buffers.at[buffer].is_result = true;
    return STRIA_OK;
}

stria_status stria_recording_end(stria_recording *r, stria_tensor *const *results, int n_results, stria_graph **out,
                                 stria_error *err)
{
    stria_status status = check_recording(r, err);

    if (out != NULL) *out = NULL;
    STRIA_TRY(status);
    if (out == NULL || n_results < 0 || (n_results > 0 && results == NULL))
        status =
            stria_error_set(err, STRIA_ERR_ARGUMENT, OP, out == NULL ? "out" : "results", "a place and a list", NULL,
                            "%s is NULL, or the list has %d results", out == NULL ? "out" : "results", n_results);
    if (status == STRIA_OK && r->has_failed) status = stria_graph_refuse_memory(err);
    take_back_grads(r);
    for (int k = 0; k < n_results && status == STRIA_OK; k++) status = add_result(r, results[k], k, err);
    if (status == STRIA_OK) status = add_grads(r, err);
    stria_graph *g = r->graph;
    if (status == STRIA_OK) status = stria_graph_plan(g, err);
    if (status == STRIA_OK) {
        for (int k = 0; k < g->recorded.buffers.n; k++) {
            stria_tensor_release(g->recorded.buffers.at[k].symbol);
            g->recorded.buffers.at[k].symbol = NULL;
        }
        *out = stria_graph_retain(g);
    }
    end(r);
    return status;
}

void stria_recording_cancel(stria_recording *r)
{
    if (r != NULL && r == here) end(r); /* another thread's goes on */
}
