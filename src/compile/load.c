/* load.c - a graph from the bytes of a file, which may be anything.
 *
 * What the file says of places is checked here: numbers of views and buffers, and that every view lies inside its buffer. Each step is then
 * called while this thread records (load_steps.c). Nothing runs.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "call/backend.h"
#include "compile/dynamic.h"
#include "compile/load.h"
#include "stria_autograd.h"
#include "tensor/device.h"

/* ---------------------------------------------------------------- buffers and views */

static stria_status take_generators(stria_loading *l)
{
    const stria_graph_dynamic *d = l->live->dynamic;

    for (int k = 0; k < l->generators.n; k++) stria_generator_release(l->generators.at[k]);
    for (l->generators.n = 0; l->generators.n < d->n_generators; l->generators.n++) {
        GROW(l->generators);
        l->generators.at[l->generators.n] = stria_generator_retain(d->generators[l->generators.n]);
    }
    return STRIA_OK;
}

static stria_status read_generators(stria_loading *l)
{
    bool is_first = true;

    TAKE(stria_json_take(&l->json, '['));
    while (stria_json_next(&l->json, ']', &is_first)) {
        stria_generator_state state;
        bool                  is_seed = true;
        GROW(l->generators);
        TAKE(stria_json_take(&l->json, '['));
        STRIA_TRY(stria_load_take_next(l, &is_seed));
        TAKE(stria_json_take_whole(&l->json, &state.seed));
        STRIA_TRY(stria_load_take_next(l, &is_seed));
        TAKE(stria_json_take_whole(&l->json, &state.offset));
        STRIA_TRY(stria_load_take_end(l, ']', &is_seed));
        STRIA_TRY(stria_generator_new(state.seed, &l->generators.at[l->generators.n], l->err));
        stria_generator_set_state(l->generators.at[l->generators.n++], state);
    }
    return l->json.wrong ? stria_load_refuse_json(l) : STRIA_OK;
}

static stria_status read_buffer(stria_loading *l)
{
    stria_load_source s = {.kind = STRIA_BUFFER_INPUT};
    char              word[16];
    bool              is_first = true;
    stria_scalar      number;

    TAKE(stria_json_take(&l->json, '['));
    STRIA_TRY(stria_load_take_next(l, &is_first));
    STRIA_TRY(stria_load_take_text(l, word, sizeof word));
    const int  kind = stria_words_find("input|held|number|made|constant", word);
    const bool is_constant = kind == STRIA_BUFFER_MADE + 1;
    if (kind < 0) return stria_load_refuse(l, "no kind of buffer");
    s.kind = is_constant ? STRIA_BUFFER_NUMBER : (stria_buffer_kind)kind;
    STRIA_TRY(stria_load_take_next(l, &is_first));
    if (s.kind != STRIA_BUFFER_NUMBER) {
        TAKE(stria_json_take_int(&l->json, &s.value));
        if (s.value < 0) return stria_load_refuse(l, "a number below 0");
        s.end = s.value;
        l->sources.at[l->sources.n] = s;
        return stria_load_take_end(l, ']', &is_first);
    }
    STRIA_TRY(stria_load_take_scalar(l, &number));
    STRIA_TRY(stria_load_take_end(l, ']', &is_first));
    STRIA_TRY(stria_tensor_new_scalar(number, &s.base, l->err));
    s.base->is_constant = is_constant;
    s.base->is_wrapped_number = !is_constant;
    s.end = stria_dtype_sizes[s.base->dtype];
    l->sources.at[l->sources.n] = s;
    return STRIA_OK;
}

static stria_status read_buffers(stria_loading *l)
{
    bool is_first = true;

    TAKE(stria_json_take(&l->json, '['));
    while (stria_json_next(&l->json, ']', &is_first)) {
        GROW(l->sources);
        STRIA_TRY(read_buffer(l));
        l->sources.n++;
    }
    return l->json.wrong ? stria_load_refuse_json(l) : STRIA_OK;
}

static stria_status read_view(stria_loading *l)
{
    stria_graph_view *v = &l->views.at[l->views.n];
    int64_t           shape[STRIA_MAX_DIMS], strides[STRIA_MAX_DIMS], numel;
    int               n_strides;
    bool              is_first = true;

    TAKE(stria_json_take(&l->json, '['));
    STRIA_TRY(stria_load_take_next(l, &is_first));
    STRIA_TRY(stria_load_take_index(l, 0, l->sources.n - 1, &v->buffer));
    STRIA_TRY(stria_load_take_next(l, &is_first));
    STRIA_TRY(stria_load_take_dtype(l, &v->dtype));
    if (v->dtype == STRIA_DTYPE_NONE) return stria_load_refuse(l, "no such dtype");
    STRIA_TRY(stria_load_take_next(l, &is_first));
    TAKE(stria_json_take_int(&l->json, &v->offset));
    STRIA_TRY(stria_load_take_next(l, &is_first));
    STRIA_TRY(stria_load_take_ints(l, shape, STRIA_MAX_DIMS, &v->ndim));
    STRIA_TRY(stria_load_take_next(l, &is_first));
    STRIA_TRY(stria_load_take_ints(l, strides, STRIA_MAX_DIMS, &n_strides));
    STRIA_TRY(stria_load_take_end(l, ']', &is_first));
    if (n_strides != v->ndim) return stria_load_refuse(l, "not as many strides as sizes");
    STRIA_TRY(stria_shape_get_numel(OP, "bytes", v->dtype, v->ndim, shape, &numel, NULL, l->err));
    v->sizes = stria_object_new((2 * (size_t)v->ndim + 1) * sizeof *v->sizes);
    if (v->sizes == NULL) return stria_graph_refuse_memory(l->err);
    memcpy(v->sizes, shape, (size_t)v->ndim * sizeof *shape);
    memcpy(v->sizes + v->ndim, strides, (size_t)v->ndim * sizeof *strides);
    return STRIA_OK;
}

static stria_status read_views(stria_loading *l)
{
    bool is_first = true;

    TAKE(stria_json_take(&l->json, '['));
    while (stria_json_next(&l->json, ']', &is_first)) {
        GROW(l->views);
        STRIA_TRY(read_view(l));
        l->views.n++;
    }
    return l->json.wrong ? stria_load_refuse_json(l) : STRIA_OK;
}

/* ---------------------------------------------------------------- tensors */

/* To the device, once, by no call of the recording. */
static stria_status move_held(const stria_loading *l, stria_tensor **x)
{
    stria_tensor *near = *x, *there;

    if (l->device.type == STRIA_DEVICE_CPU) return STRIA_OK;
    STRIA_TRY(stria_tensor_new_on(l->device, near->dtype, near->ndim, near->shape, NULL, &there, l->err));
    const stria_status status = near->numel > 0 ? stria_backend_copy(there, near, l->err) : STRIA_OK;
    *x = status == STRIA_OK ? there : near;
    stria_tensor_release(status == STRIA_OK ? near : there);
    return status;
}

/* The elements of a held tensor. */
static stria_status make_held(stria_loading *l, stria_load_source *s)
{
    if (l->live != NULL) {
        if (s->value >= l->live->dynamic->n_held) return stria_load_refuse(l, "a tensor that the graph does not hold");
        s->base = stria_tensor_retain(l->live->dynamic->held[s->value]);
        s->end = (int64_t)s->base->storage->nbytes;
        return STRIA_OK;
    }
    if (s->value >= l->file->n_entries || l->held[s->value] < 0)
        return stria_load_refuse(l, "a tensor that the file does not have");
    STRIA_TRY(stria_safetensors_copy_entry(&l->file->entries[l->held[s->value]], &s->base, l->err));
    STRIA_TRY(move_held(l, &s->base));
    s->end = (int64_t)s->base->storage->nbytes;
    if (s->base->numel == 0) s->end = 0;
    return STRIA_OK;
}

/* A symbol of so many bytes that no step makes. */
static stria_status make_empty(stria_loading *l, stria_load_source *s)
{
    return stria_empty(&s->value, 1, STRIA_U8, STRIA_META, &s->base, l->err);
}

/* Whether views of this dtype begin at a multiple of the size of their elements, of the parts of complex ones. */
static bool is_aligned(const stria_graph_view *v)
{
    const int size = stria_dtype_sizes[v->dtype] > 8 ? 8 : stria_dtype_sizes[v->dtype];
    return v->offset % (v->dtype == STRIA_C64 ? 4 : size) == 0;
}

stria_status stria_load_find_tensor(stria_loading *l, int k, stria_tensor **out)
{
    const stria_graph_view *v = &l->views.at[k];
    stria_load_source      *s = &l->sources.at[v->buffer];
    int64_t                 begin, end;

    *out = NULL;
    if (s->base == NULL && s->kind == STRIA_BUFFER_INPUT) return stria_load_refuse(l, "an input that is not listed");
    if (s->base == NULL) STRIA_TRY(s->kind == STRIA_BUFFER_HELD ? make_held(l, s) : make_empty(l, s));
    if (s->kind == STRIA_BUFFER_NUMBER) {
        if (v->dtype != s->base->dtype || v->ndim != 0 || v->offset != 0)
            return stria_load_refuse(l, "no view of a number");
        *out = stria_tensor_retain(s->base);
        return STRIA_OK;
    }
    if (!stria_graph_view_get_range(v, &begin, &end) || (begin != end && (begin < s->begin || end > s->end)) ||
        (begin == end && v->offset != 0) || !is_aligned(v))
        return stria_load_refuse(l, "a view beyond its buffer");
    *out = stria_graph_view_new_handle(v, s->base->device, s->base->storage);
    if (*out == NULL) return stria_graph_refuse_memory(l->err);
    if (s->kind == STRIA_BUFFER_HELD) (*out)->base = stria_tensor_retain(s->base->base);
    return STRIA_OK;
}

/* Input k is view `view`, the first of its buffer. */
static stria_status read_input(stria_loading *l, int k, int view)
{
    const stria_graph_view *v = &l->views.at[view];
    stria_load_source      *s = &l->sources.at[v->buffer];
    stria_tensor           *any = NULL, *x = NULL;

    if (s->kind != STRIA_BUFFER_INPUT || s->value != k || s->base != NULL || v->offset != 0 ||
        !stria_graph_view_get_range(v, &s->begin, &s->end))
        return stria_load_refuse(l, "no view of an input");
    STRIA_TRY(stria_tensor_new_on(STRIA_META, v->dtype, 0, NULL, NULL, &any, l->err));
    x = stria_graph_view_new_handle(v, STRIA_META, any->storage);
    stria_status status = x != NULL ? STRIA_OK : stria_graph_refuse_memory(l->err);
    if (status == STRIA_OK) status = stria_recording_add_input(l->recording, x, &s->base, l->err);
    stria_tensor_release(any);
    stria_tensor_release(x);
    return status;
}

static stria_status read_inputs(stria_loading *l)
{
    int n;

    l->places.n = 0;
    STRIA_TRY(stria_load_take_views(l, &l->places, 0, &n));
    for (int k = 0; k < n; k++) STRIA_TRY(read_input(l, k, l->places.at[k]));
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the whole */

/* What the graph does to .grad. */
static stria_status take_grads(stria_loading *l, bool *is_first)
{
    bool is_first_view = true;
    int  view;

    STRIA_TRY(stria_load_take_member(l, "grads", is_first));
    TAKE(stria_json_take(&l->json, '['));
    for (int k = 0; k < l->live->grads.n; k++) {
        stria_tensor *last = NULL;
        STRIA_TRY(stria_load_take_next(l, &is_first_view));
        STRIA_TRY(stria_load_take_index(l, -1, l->views.n - 1, &view));
        if (view >= 0) STRIA_TRY(stria_load_find_tensor(l, view, &last));
        const bool is_added = stria_recording_add_grad(l->recording, &l->live->grads.at[k], last);
        stria_tensor_release(last);
        if (!is_added) return stria_graph_refuse_memory(l->err);
    }
    return stria_load_take_end(l, ']', &is_first_view);
}

static stria_status end_recording(stria_loading *l, bool *is_first, stria_graph **out)
{
    stria_tensor **results;
    stria_status   status = STRIA_OK;
    int            n;

    l->places.n = 0;
    STRIA_TRY(stria_load_take_views(l, &l->places, 0, &n));
    results = stria_object_new(((size_t)n + 1) * sizeof *results);
    if (results == NULL) return stria_graph_refuse_memory(l->err);
    for (int k = 0; k < n && status == STRIA_OK; k++) status = stria_load_find_tensor(l, l->places.at[k], &results[k]);
    if (status == STRIA_OK && l->live != NULL && l->live->grads.n > 0) status = take_grads(l, is_first);
    if (status == STRIA_OK) {
        stria_recording *r = l->recording;
        l->recording = NULL;
        status = stria_recording_end(r, results, n, out, l->err);
    }
    for (int k = 0; status == STRIA_OK && k < (*out)->planned.buffers.n; k++)
        if ((*out)->planned.buffers.at[k].kind == STRIA_BUFFER_NUMBER && (*out)->planned.buffers.at[k].is_written)
            status = stria_load_refuse(l, "a number that a step writes to");
    for (int k = 0; k < n; k++) stria_tensor_release(results[k]);
    stria_object_release(results);
    return status;
}

static stria_status read_program_of_file(stria_loading *l, stria_graph **out)
{
    bool is_first = true;
    int  version;

    l->where = "the program";
    TAKE(stria_json_take(&l->json, '{'));
    STRIA_TRY(stria_load_take_member(l, "version", &is_first));
    STRIA_TRY(stria_load_take_index(l, 0, INT32_MAX, &version));
    if (version != STRIA_GRAPH_VERSION) return stria_load_refuse(l, "another version than this library's");
    STRIA_TRY(stria_load_take_member(l, "generators", &is_first));
    STRIA_TRY(read_generators(l));
    if (l->live != NULL) STRIA_TRY(take_generators(l));
    STRIA_TRY(stria_load_take_member(l, "buffers", &is_first));
    STRIA_TRY(read_buffers(l));
    STRIA_TRY(stria_load_take_member(l, "views", &is_first));
    STRIA_TRY(read_views(l));
    STRIA_TRY(stria_load_take_member(l, "inputs", &is_first));
    STRIA_TRY(read_inputs(l));
    STRIA_TRY(stria_load_take_member(l, "steps", &is_first));
    STRIA_TRY(stria_load_read_steps(l));
    STRIA_TRY(stria_load_take_member(l, "results", &is_first));
    STRIA_TRY(end_recording(l, &is_first, out));
    return stria_load_take_end(l, '}', &is_first);
}

/* Which entries are "held.0", "held.1" .. */
static void find_held(stria_loading *l)
{
    for (int64_t k = 0; k < l->file->n_entries; k++) l->held[k] = -1;
    for (int64_t k = 0; k < l->file->n_entries; k++) {
        const char *digit = l->file->entries[k].name;
        int64_t     number = 0;
        if (strncmp(digit, STRIA_GRAPH_HELD, strlen(STRIA_GRAPH_HELD)) != 0) continue;
        digit += strlen(STRIA_GRAPH_HELD);
        while (*digit >= '0' && *digit <= '9' && number < l->file->n_entries) number = 10 * number + *digit++ - '0';
        if (*digit == 0 && number < l->file->n_entries) l->held[number] = k;
    }
}

static void end(stria_loading *l)
{
    stria_recording_cancel(l->recording);
    for (int k = 0; k < l->generators.n; k++) stria_generator_release(l->generators.at[k]);
    for (int k = 0; k < l->sources.n; k++) stria_tensor_release(l->sources.at[k].base);
    for (int k = 0; k < l->views.n; k++) stria_object_release(l->views.at[k].sizes);
    stria_object_release(l->generators.at);
    stria_object_release(l->sources.at);
    stria_object_release(l->views.at);
    stria_object_release(l->tensors.at);
    stria_object_release(l->places.at);
    stria_object_release(l->attrs);
    stria_object_release(l->held);
}

/* Reads a program; what it takes is found by `file`, or is that of `live`. */
static stria_status load(stria_loading *l, const char *text, size_t nbytes, stria_graph **out)
{
    const unsigned char *from = (const unsigned char *)text;
    const size_t         n_held = l->file != NULL ? (size_t)l->file->n_entries : 0;
    stria_status         status;

    l->json = (stria_json){from, from + nbytes, NULL};
    l->begin = text;
    l->attrs = stria_object_new(sizeof *l->attrs);
    l->held = stria_object_new((n_held + 1) * sizeof *l->held);
    status = l->attrs == NULL || l->held == NULL ? stria_graph_refuse_memory(l->err)
                                                 : stria_recording_begin(&l->recording, l->err);
    if (status == STRIA_OK && (l->live != NULL || l->device.type != STRIA_DEVICE_CPU))
        status = stria_recording_use_device(l->recording, OP, l->device, l->err);
    if (status == STRIA_OK) {
        const bool was = stria_grad_mode_set(false);
        if (l->file != NULL) find_held(l);
        status = read_program_of_file(l, out);
        stria_grad_mode_set(was);
    }
    if (status != STRIA_OK) {
        stria_graph_release(*out);
        *out = NULL;
    }
    return status;
}

/* Whether inputs are of the same dtypes and numbers of dims. */
static bool has_like_inputs(const stria_graph *g, const stria_graph *other)
{
    for (int k = 0; k < g->recorded.inputs.n; k++) {
        const stria_graph_view *v = &g->recorded.views.at[g->recorded.inputs.at[k]],
                               *w = &other->recorded.views.at[other->recorded.inputs.at[k]];
        if (v->dtype != w->dtype || v->ndim != w->ndim) return false;
    }
    return true;
}

stria_status stria_graph_load_size(const stria_graph *g, const char *text, size_t nbytes, stria_graph **out,
                                   stria_error *err)
{
    stria_loading l = {.live = g, .usual = g->dynamic->usual, .device = g->device, .err = err};
    stria_status  status = load(&l, text, nbytes, out);

    end(&l);
    if (status != STRIA_OK) return status;
    for (int k = 0; k < g->recorded.inputs.n && k < (*out)->recorded.inputs.n; k++) {
        stria_buffer *b = &(*out)->planned.buffers.at[(*out)->planned.views.at[(*out)->planned.inputs.at[k]].buffer];
        b->must_be = g->recorded.buffers.at[g->recorded.views.at[g->recorded.inputs.at[k]].buffer].must_be;
    }
    if ((*out)->recorded.inputs.n == g->recorded.inputs.n && (*out)->recorded.results.n == g->recorded.results.n &&
        (*out)->numbers.n == g->numbers.n && has_like_inputs(*out, g))
        return STRIA_OK;
    stria_graph_release(*out);
    *out = NULL;
    return stria_error_set(err, STRIA_ERR_FORMAT, OP, "bytes", "a saved graph", NULL,
                           "the program has other inputs or results for another size");
}

/* What programs of other sizes are made with: the text, and what it calls tensors and generators. */
static stria_status begin_dynamic(stria_loading *l, stria_graph *g, const char *text, size_t nbytes, int64_t size)
{
    stria_graph_dynamic *d = g->dynamic = stria_object_new(sizeof *d);
    int                  n_held = 0;

    if (d == NULL) return stria_graph_refuse_memory(l->err);
    for (int k = 0; k < l->sources.n; k++) {
        const stria_load_source *s = &l->sources.at[k];
        if (s->kind != STRIA_BUFFER_HELD) continue;
        if (s->base == NULL)
            return stria_load_refuse(l, "a tensor that is not used"); /* its number was not looked at */
        if (s->value >= n_held) n_held = (int)s->value + 1; /* below the entries of the file, where it was found */
    }
    d->sizes[0] = size;
    d->sizes[1] = size + 1;
    d->text = stria_object_new(nbytes + 1);
    d->held = stria_object_new(((size_t)n_held + 1) * sizeof *d->held);
    d->generators = stria_object_new(((size_t)l->generators.n + 1) * sizeof *d->generators);
    if (d->text == NULL || d->held == NULL || d->generators == NULL) return stria_graph_refuse_memory(l->err);
    memcpy(d->text, text, nbytes);
    d->nbytes = nbytes;
    d->n_held = n_held;
    d->usual = stria_generator_retain(l->usual);
    for (int k = 0; k < l->sources.n; k++) {
        const stria_load_source *s = &l->sources.at[k];
        if (s->kind == STRIA_BUFFER_HELD && d->held[s->value] == NULL) d->held[s->value] = stria_tensor_retain(s->base);
    }
    for (int k = 0; k < n_held; k++)
        if (d->held[k] == NULL) return stria_load_refuse(l, "a tensor that is not used");
    for (; d->n_generators < l->generators.n; d->n_generators++)
        d->generators[d->n_generators] = stria_generator_retain(l->generators.at[d->n_generators]);
    return stria_dynamic_get_graph(g, d->sizes[1], &d->others[0], l->err);
}

/* A program for many sizes, of which the file names one. */
static stria_status load_dynamic(stria_loading *l, const stria_safetensors_pair *program, const char *size_text,
                                 stria_graph **out)
{
    char        *text, *end_of_size;
    size_t       nbytes;
    const long   size = strtol(size_text, &end_of_size, 10);
    stria_status status;

    if (size < STRIA_DYNAMIC_LEAST || size > INT32_MAX || *end_of_size != 0)
        return stria_error_set(l->err, STRIA_ERR_FORMAT, OP, "bytes", "a saved graph", NULL,
                               STRIA_GRAPH_SIZE_KEY " must be a whole number from 2 to 2^31 - 1");
    STRIA_TRY(stria_dynamic_put_size(program->value, program->value_nbytes, size, &text, &nbytes, l->err));
    status = load(l, text, nbytes, out);
    stria_object_release(text);
    if (status == STRIA_OK) status = begin_dynamic(l, *out, program->value, program->value_nbytes, size);
    if (status == STRIA_OK) return STRIA_OK;
    stria_graph_release(*out);
    *out = NULL;
    return status;
}

/* Whether it says that what the file asks for cannot be: such a file was not saved. */
static bool is_of_file(stria_status status)
{
    return status == STRIA_ERR_SHAPE || status == STRIA_ERR_DTYPE || status == STRIA_ERR_AXIS ||
           status == STRIA_ERR_OVERLAP || status == STRIA_ERR_OVERFLOW;
}

static stria_status set_code(stria_error *err, stria_status code)
{
    if (err != NULL) err->code = code;
    return code;
}

stria_status stria_graph_load_as(const void *bytes, size_t nbytes, stria_generator *usual, stria_device device,
                                 stria_graph **out, stria_error *err)
{
    stria_safetensors            *file;
    const stria_safetensors_pair *program = NULL, *size = NULL;
    stria_status                  status;

    if (out != NULL) *out = NULL;
    if (out == NULL || (bytes == NULL && nbytes > 0))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, out == NULL ? "out" : "bytes", NULL, "NULL", "%s is NULL",
                               out == NULL ? "out" : "bytes");
    STRIA_TRY(stria_device_check(OP, "device", device, err));
    if (device.type != STRIA_DEVICE_CPU && device.type != STRIA_DEVICE_CUDA)
        return stria_error_set(err, STRIA_ERR_DEVICE, OP, "device", "cpu or cuda:0", stria_device_get_name(device),
                               "programs do not run on %s", stria_device_get_name(device));
    STRIA_TRY(stria_device_get_status(device, OP, err));
    STRIA_TRY(stria_error_set_op(err, stria_safetensors_new(bytes, nbytes, &file, err), OP));
    for (int64_t k = 0; k < file->n_metadata; k++) {
        if (strcmp(file->metadata[k].key, STRIA_GRAPH_KEY) == 0) program = &file->metadata[k];
        if (strcmp(file->metadata[k].key, STRIA_GRAPH_SIZE_KEY) == 0) size = &file->metadata[k];
    }
    stria_loading l = {.file = file, .usual = usual, .device = device, .err = err};
    if (program == NULL)
        status = stria_error_set(err, STRIA_ERR_FORMAT, OP, "bytes", "a saved graph", "a safetensors file",
                                 "the file has no program: no metadata named " STRIA_GRAPH_KEY);
    else
        status = size != NULL ? load_dynamic(&l, program, size->value, out)
                              : load(&l, program->value, program->value_nbytes, out);
    end(&l);
    stria_safetensors_release(file);
    return is_of_file(status) ? set_code(err, STRIA_ERR_FORMAT) : status;
}

stria_status stria_graph_load(const void *bytes, size_t nbytes, stria_graph **out, stria_error *err)
{
    return stria_graph_load_as(bytes, nbytes, NULL, STRIA_CPU, out, err);
}

stria_status stria_graph_load_to(const void *bytes, size_t nbytes, stria_device device, stria_graph **out,
                                 stria_error *err)
{
    return stria_graph_load_as(bytes, nbytes, NULL, device, out, err);
}
