/* record.c - from calls to a graph. */
#include <string.h>

#include "base/alloc.h"
#include "call/attrs.h"
#include "call/meta.h"
#include "compile/recording.h"
#include "tensor/device.h"

static stria_status refuse_foreign(const stria_call *call, stria_error *err)
{
    return stria_error_set(
        err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), NULL, "a symbol of this recording", "meta",
        "a tensor on meta was made before the recording began, or by another one, so that it stands for nothing");
}

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

/* A wrapped number is itself: calls look at it to find dtypes, and to refuse it. */
static stria_status make_number(stria_recording *r, const stria_tensor *x, recorded *c, int k, stria_error *err)
{
    stria_tensor *symbol = NULL;
    uint64_t      bits[2] = {0};

    memcpy(bits, x->data, (size_t)stria_tensor_get_item_size(x));
    const uint64_t      kind = (uint64_t)x->dtype << 1 | x->is_wrapped_number;
    const uint64_t      h = (bits[0] ^ bits[1] ^ kind) * 0x9e3779b97f4a7c15u;
    int                *kept = &r->numbers[h >> 58], buffer = *kept - 1;
    const stria_tensor *number = buffer < 0 ? NULL : r->graph->recorded.buffers.at[buffer].tensor;
    if (number == NULL || number->dtype != x->dtype || number->is_wrapped_number != x->is_wrapped_number ||
        memcmp(number->data, bits, (size_t)stria_tensor_get_item_size(x)) != 0) {
        STRIA_TRY(stria_tensor_new_on(STRIA_META, x->dtype, 0, NULL, NULL, &symbol, err));
        const stria_status status = stria_recording_add_buffer(r, STRIA_BUFFER_NUMBER, symbol, &buffer, err);
        stria_tensor_release(symbol);
        STRIA_TRY(status);
        r->graph->recorded.buffers.at[buffer].tensor = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
        if (!STRIA_GROW(r->changed_numbers)) return stria_graph_refuse_memory(err);
        r->changed_numbers.at[r->changed_numbers.n++] = (stria_changed_number){(int)(kept - r->numbers), *kept};
        *kept = buffer + 1;
    }
    if (x->is_wrapped_number && keeps_numbers(c))
        c->twins[k] = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
    else
        STRIA_TRY(stria_recording_new_symbol(x, r->graph->recorded.buffers.at[buffer].symbol, &c->twins[k], err));
    symbol = r->graph->recorded.buffers.at[buffer].symbol;
    return stria_recording_add_view(r, stria_call_get_name(c->call), symbol, buffer, true, &c->views[k], err);
}

/* Views of the twin are views of the tensor that is held, to gradients: its history is that of their base. */
static stria_status make_held_twin(const stria_tensor *x, const stria_tensor *base, stria_tensor **twin,
                                   stria_error *err)
{
    STRIA_TRY(stria_recording_new_symbol(x, base, twin, err));
    if (stria_tensor_get_gradients() == NULL) return STRIA_OK;
    (*twin)->base = stria_tensor_retain(x->base != NULL ? x->base : (stria_tensor *)(uintptr_t)x);
    (*twin)->is_cut = x->is_cut;
    return STRIA_OK;
}

/* What stands for tensor k on META, and its view. */
static stria_status make_twin(stria_recording *r, recorded *c, int k, stria_error *err)
{
    const stria_tensor *x = get_tensor(c, k);
    int                 buffer;

    c->views[k] = -1;
    if (x == NULL) return STRIA_OK;
    if ((x->is_wrapped_number || x->is_constant) && x->device.type == STRIA_DEVICE_CPU)
        return make_number(r, x, c, k, err);
    if (x->device.type == STRIA_DEVICE_META) {
        buffer = stria_recording_find_buffer(r, x->storage);
        if (buffer < 0) return refuse_foreign(c->call, err);
        c->twins[k] = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
    } else {
        STRIA_TRY(stria_recording_use_device(r, stria_call_get_name(c->call), x->device, err));
        STRIA_TRY(stria_recording_hold(r, x, &buffer, err));
        for (int i = 0; i < k && c->twins[k] == NULL; i++) /* one tensor twice is one, such as an output in place */
            if (get_tensor(c, i) == x) c->twins[k] = stria_tensor_retain(c->twins[i]);
        if (c->twins[k] == NULL)
            STRIA_TRY(make_held_twin(x, r->graph->recorded.buffers.at[buffer].symbol, &c->twins[k], err));
    }
    const bool is_out = k >= c->n_in + c->n_list;
    return stria_recording_add_view(r, stria_call_get_name(c->call), c->twins[k], buffer, is_out, &c->views[k], err);
}

/* Attributes that ask for a device ask for `to`: for META while calls are recorded, for the device of the graph when they run. */
static void move(const stria_schema *schema, void *attrs, stria_device to)
{
    for (int k = 0; schema != NULL && k < schema->n_attributes; k++)
        if (schema->attributes[k].kind == STRIA_KIND_DEVICE)
            *(stria_device *)(void *)((char *)attrs + schema->attributes[k].offset) = to;
}

static void move_step(const stria_graph_step *step, stria_device to)
{
    if (step->row >= STRIA_ROW_OF_FUNCTION(0) && step->row < STRIA_ROW_EXPRESSION && step->attrs != NULL)
        move(stria_schema_get((stria_function)(step->row - STRIA_ROW_OF_FUNCTION(0))), step->attrs, to);
}

void stria_recording_set_devices(stria_recording *r)
{
    const stria_graph *g = r->graph;

    for (int i = 0; i < g->recorded.steps.n; i++) move_step(&g->recorded.steps.at[i], g->device);
    for (int k = 0; k < g->looks.n; k++) move_step(&g->looks.at[k].call, g->device);
}

/* What the call asks for is on the device of the graph. */
static stria_status use_devices(stria_recording *r, const recorded *c, stria_error *err)
{
    for (int k = 0; c->schema != NULL && c->call->attrs != NULL && k < c->schema->n_attributes; k++) {
        const stria_param *param = &c->schema->attributes[k];
        if (param->kind != STRIA_KIND_DEVICE) continue;
        const stria_device *device = (const stria_device *)(const void *)((const char *)c->call->attrs + param->offset);
        if (!stria_device_is_none(*device)) STRIA_TRY(stria_recording_use_device(r, c->schema->name, *device, err));
    }
    return STRIA_OK;
}

/* An output as the call on META left it: its view, and its buffer. */
static stria_status add_output(stria_recording *r, recorded *c, int k, stria_error *err)
{
    stria_tensor *y = c->twins[k];
    int           buffer = stria_recording_find_buffer(r, y->storage);
    const bool    is_view = buffer >= 0 && c->call->out[k - c->n_in - c->n_list] == NULL;

    if (buffer < 0) STRIA_TRY(stria_recording_add_buffer(r, STRIA_BUFFER_MADE, y, &buffer, err));
    return stria_recording_add_view(r, stria_call_get_name(c->call), y, buffer, !is_view, &c->views[k], err);
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

static stria_status new_step(const recorded *c, stria_graph_step *step, stria_error *err)
{
    const int    n = c->n_in + c->n_list + c->n_out;
    const size_t views = ((size_t)n * sizeof(int) + 7) / 8 * 8, attrs = stria_attrs_get_nbytes(c->call);
    char        *block = stria_object_new(views + attrs + 8);

    if (block == NULL) return stria_graph_refuse_memory(err);
    *step = (stria_graph_step){
        .row = c->call->row, .n_in = c->n_in, .n_list = c->n_list, .n_out = c->n_out, .is_new = true, .is_owner = true};
    step->views = (int *)(void *)block;
    for (int k = 0; k < c->n_out; k++) step->is_new &= c->call->out[k] == NULL;
    step->is_plain = is_plain(c, step->is_new);
    memcpy(step->views, c->views, (size_t)n * sizeof(int));
    if (attrs > 0) {
        step->attrs = block + views;
        stria_attrs_copy(c->call, step->attrs);
    }
    return STRIA_OK;
}

static stria_status add_step(stria_recording *r, const recorded *c, stria_error *err)
{
    stria_graph_form *g = &r->graph->recorded;
    stria_graph_step  step;

    if (!STRIA_GROW(g->steps)) return stria_graph_refuse_memory(err);
    STRIA_TRY(new_step(c, &step, err));
    g->steps.at[g->steps.n++] = step;
    return STRIA_OK;
}

/* Whether a view is told by a place in a memory of which files have a part. */
static bool is_placed(const recorded *c)
{
    const stria_as_strided_attrs *attrs = c->call->attrs;
    return c->call->row == STRIA_ROW_OF_FUNCTION(STRIA_FN_as_strided) && attrs->storage_offset != STRIA_INT_NONE;
}

/* Notes a call that computes nothing, unless what it made is new, or a number. */
static stria_status add_look(stria_recording *r, const recorded *c, stria_error *err)
{
    stria_graph            *g = r->graph;
    stria_graph_step        call;
    const int               buffer = g->recorded.views.at[c->views[c->n_in + c->n_list]].buffer;
    const stria_buffer_kind kind = g->recorded.buffers.at[buffer].kind;

    if (buffer >= c->n_buffers || kind == STRIA_BUFFER_NUMBER || (kind == STRIA_BUFFER_HELD && is_placed(c)))
        return STRIA_OK;
    if (!STRIA_GROW(g->looks)) return stria_graph_refuse_memory(err);
    STRIA_TRY(new_step(c, &call, err));
    g->looks.at[g->looks.n++] = (stria_graph_look){call, g->recorded.steps.n};
    return STRIA_OK;
}

/* Tensors with elements keep their shapes, which those of y are. */
static stria_status check_given_shapes(const recorded *c, stria_tensor *const *y, stria_error *err)
{
    for (int k = 0; k < c->n_out; k++) {
        const stria_tensor *given = c->call->out[k];
        if (given != NULL && given->device.type != STRIA_DEVICE_META &&
            !stria_tensor_has_shape(given, y[k]->ndim, y[k]->shape))
            return stria_call_refuse_resize(stria_call_get_name(c->call), given, y[k]->ndim, y[k]->shape, err);
    }
    return STRIA_OK;
}

/* Runs it into new outputs, to look at their shapes: before symbols among the given ones get theirs. */
static stria_status try_shapes(const recorded *c, const stria_call *twin, stria_error *err)
{
    stria_tensor *y[STRIA_MAX_OUTPUTS] = {NULL};
    stria_call    fresh = *twin;

    fresh.out = y;
    stria_status status = stria_call_run(&fresh, err);
    if (status == STRIA_OK) status = check_given_shapes(c, y, err);
    for (int k = 0; k < c->n_out; k++) stria_tensor_release(y[k]);
    return status;
}

/* Runs the call on META. */
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
        move(c->schema, &moved, STRIA_META);
        twin.attrs = &moved;
    }
    twin.out = y;
    bool is_given = false;
    for (int k = 0; k < c->n_out; k++) {
        y[k] = outs[k];
        is_given |= outs[k] != NULL;
    }
    if (c->n_out > 1 && is_given) STRIA_TRY(try_shapes(c, &twin, err));
    STRIA_TRY(stria_call_run(&twin, err));
    for (int k = 0; k < c->n_out; k++)
        if (c->call->out[k] == NULL) outs[k] = y[k]; /* owned from now on */
    return check_given_shapes(c, y, err);
}

/* A storage_offset of an input counts from the beginning of a memory, where it must begin itself then: another one has another offset. */
static stria_status check_offset(stria_recording *r, const recorded *c, stria_error *err)
{
    const stria_graph_form *g = &r->graph->recorded;

    if (!is_placed(c)) return STRIA_OK;
    const int     buffer = g->views.at[c->views[0]].buffer;
    stria_buffer *b = &g->buffers.at[buffer];
    if (!stria_recording_note_buffer(r, buffer)) return stria_graph_refuse_memory(err);
    b->must_be |= b->is_whole;
    if (b->kind != STRIA_BUFFER_INPUT || b->is_whole) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, "as_strided", "storage_offset", "left out", NULL,
                           "storage_offset of an input that does not begin where its memory does is not recorded: "
                           "leave it out, and take a view that begins there first");
}

static stria_status record(stria_recording *r, recorded *c, stria_error *err)
{
    const int first = c->n_in + c->n_list, n = first + c->n_out;

    for (int k = 0; k < n; k++) STRIA_TRY(make_twin(r, c, k, err));
    STRIA_TRY(use_devices(r, c, err));
    c->n_buffers = r->graph->recorded.buffers.n;
    STRIA_TRY(run_on_meta(c, err));
    STRIA_TRY(check_offset(r, c, err));
    for (int k = 0; k < c->n_out; k++) STRIA_TRY(add_output(r, c, first + k, err));
    const bool has_step = !computes_nothing(r, c);
    STRIA_TRY(has_step ? add_step(r, c, err) : add_look(r, c, err));
    r->has_step = has_step;
    r->graph->n_calls++;
    for (int k = 0; k < c->n_out; k++) {
        if (c->call->out[k] == NULL)
            c->call->out[k] = stria_tensor_retain(c->twins[first + k]);
        else if (c->call->out[k]->device.type != STRIA_DEVICE_META)
            stria_recording_touch(r, c->call->out[k]); /* when it runs; who saved it must know now */
    }
    for (int k = c->n_in; k < first && c->schema != NULL && stria_schema_is_update(c->schema); k++) {
        stria_tensor *x = (stria_tensor *)(uintptr_t)get_tensor(c, k);
        if (x != NULL && x->device.type != STRIA_DEVICE_META &&
            stria_graph_step_writes(stria_recording_get_last_step(r), k))
            stria_recording_touch(r, x);
    }
    return STRIA_OK;
}

/* After this there will be no graph: buffers may be without what they stand for. */
static stria_status fail(stria_recording *r, stria_error *err)
{
    r->has_failed = true;
    return stria_graph_refuse_memory(err);
}

stria_status stria_recording_on_call(void *context, const stria_call *call, bool *is_taken, stria_error *err)
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
