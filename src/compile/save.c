/* save.c - the bytes of a graph. The program is written twice, first to count its bytes. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/backend.h"
#include "compile/dynamic.h"
#include "compile/saved.h"
#include "cpu/expression.h"
#include "io/json.h"
#include "stria_safetensors.h"
#include "table/rows.h"

#define OP STRIA_GRAPH_OP

static const stria_param reduce_params[] = {
    {.name = "axes", .kind = STRIA_KIND_AXES, .offset = offsetof(stria_reduce_attrs, axes)},
    {.name = "keepdim", .kind = STRIA_KIND_FLAG, .offset = offsetof(stria_reduce_attrs, keepdim)},
    {.name = "dtype", .kind = STRIA_KIND_DTYPE, .offset = offsetof(stria_reduce_attrs, dtype)}};
const stria_schema stria_graph_reduction = {
    .name = "reduction", .attributes = reduce_params, .n_attributes = 3, .attrs_size = sizeof(stria_reduce_attrs)};

const stria_schema *stria_graph_get_schema(stria_row row)
{
    if (row < STRIA_OP_COUNT || row >= STRIA_ROW_EXPRESSION) return NULL;
    return row < STRIA_ROW_OF_FUNCTION(0) ? &stria_graph_reduction
                                          : stria_schema_get((stria_function)(row - STRIA_ROW_OF_FUNCTION(0)));
}

bool stria_graph_is_saved(const stria_param *param)
{
    return param->kind != STRIA_KIND_DEVICE && param->kind != STRIA_KIND_OPTIONS && param->kind != STRIA_KIND_ARGUMENTS;
}

bool stria_graph_view_get_range(const stria_graph_view *v, int64_t *begin, int64_t *end)
{
    int64_t steps;

    *begin = v->offset;
    if (__builtin_add_overflow(v->offset, (int64_t)stria_dtype_sizes[v->dtype], end)) return false;
    for (int d = 0; d < v->ndim; d++) {
        const int64_t size = v->sizes[d], stride = v->sizes[v->ndim + d];
        if (size == 0) {
            *begin = *end = 0;
            return true;
        }
        if (__builtin_mul_overflow(size - 1, stride, &steps) ||
            __builtin_mul_overflow(steps, (int64_t)stria_dtype_sizes[v->dtype], &steps) ||
            __builtin_add_overflow(steps < 0 ? *begin : *end, steps, steps < 0 ? begin : end))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- what is saved */

/* The part of a buffer's storage that views look at; of held ones a file has no more. */
typedef struct part {
    int64_t begin, end;
    int     held; /* its number in the file; -1: none */
} part;

typedef struct saving {
    const stria_graph      *graph;
    const stria_graph_form *form;
    stria_json_sink         out;
    part                   *parts;      /* [buffers] */
    stria_generator       **generators; /* [n_generators], borrowed */
    const stria_generator  *usual;      /* what the file has as the default one */
    const double           *numbers;    /* [2 * numbers of the graph]: values and changes, or NULL */
    int                     n_generators, n_held;
    bool                    is_of_sizes; /* calls that made views are told, too */
    bool is_live; /* of what is in memory: places are those of it, .grad is told, states of generators are not */
} saving;

static stria_generator *get_generator(const stria_graph_step *step, const stria_param *param)
{
    return *(stria_generator *const *)(void *)((char *)step->attrs + param->offset);
}

static int find_generator(const saving *s, const stria_generator *g)
{
    for (int k = 0; k < s->n_generators; k++)
        if (s->generators[k] == g) return k;
    return -1;
}

static stria_status find_generators(saving *s, stria_error *err)
{
    int room = 0;

    for (int i = 0; i < s->form->steps.n; i++) {
        const stria_graph_step *step = &s->form->steps.at[i];
        const stria_schema     *schema = stria_graph_get_schema(step->row);
        for (int k = 0; schema != NULL && step->attrs != NULL && k < schema->n_attributes; k++) {
            if (schema->attributes[k].kind != STRIA_KIND_GENERATOR) continue;
            stria_generator *g = get_generator(step, &schema->attributes[k]);
            if (g == NULL || g == s->usual || find_generator(s, g) >= 0) continue;
            if (!stria_graph_grow(&s->generators, &room, s->n_generators, sizeof *s->generators))
                return stria_graph_refuse_memory(err);
            s->generators[s->n_generators++] = g;
        }
    }
    return STRIA_OK;
}

static void find_parts(saving *s)
{
    const stria_graph_form *form = s->form;
    int64_t                 begin, end;

    for (int k = 0; k < form->buffers.n; k++) {
        s->parts[k] = (part){0, 0, form->buffers.at[k].kind == STRIA_BUFFER_HELD ? s->n_held : -1};
        s->n_held += form->buffers.at[k].kind == STRIA_BUFFER_HELD;
    }
    for (int k = 0; k < form->views.n; k++) {
        part *p = &s->parts[form->views.at[k].buffer];
        (void)stria_graph_view_get_range(&form->views.at[k], &begin, &end); /* it is in memory */
        if (begin == end) continue;
        if (p->begin == p->end) *p = (part){begin, end, p->held};
        if (begin < p->begin) p->begin = begin;
        if (end > p->end) p->end = end;
    }
    for (int k = 0; k < form->buffers.n; k++) /* views stay aligned */
        s->parts[k].begin -= s->is_live && s->parts[k].held >= 0 ? s->parts[k].begin : s->parts[k].begin % 8;
}

/* ---------------------------------------------------------------- JSON */

/* Begins member k of a list or object. */
static void begin_member(saving *s, int k)
{
    if (k > 0) stria_json_put(&s->out, ',');
}

static void put_name(saving *s, const char *name)
{
    stria_json_put_text(&s->out, name);
    stria_json_put(&s->out, ':');
}

static void put_ints(saving *s, const int64_t *at, int n)
{
    stria_json_put(&s->out, '[');
    for (int k = 0; k < n; k++) begin_member(s, k), stria_json_put_int(&s->out, at[k]);
    stria_json_put(&s->out, ']');
}

static void put_indices(saving *s, const int *at, int n)
{
    stria_json_put(&s->out, '[');
    for (int k = 0; k < n; k++) begin_member(s, k), stria_json_put_int(&s->out, at[k]);
    stria_json_put(&s->out, ']');
}

static void put_bits(saving *s, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    stria_json_put_whole(&s->out, bits);
}

static void put_scalar(saving *s, const stria_scalar *x)
{
    char kind[16];

    stria_words_get(STRIA_GRAPH_SCALARS, (int)x->kind, kind, sizeof kind);
    stria_json_put(&s->out, '[');
    stria_json_put_text(&s->out, kind);
    stria_json_put(&s->out, ',');
    if (x->kind == STRIA_SCALAR_FLOAT || x->kind == STRIA_SCALAR_COMPLEX)
        put_bits(s, x->re);
    else
        stria_json_put_whole(&s->out, (uint64_t)x->i);
    if (x->kind == STRIA_SCALAR_COMPLEX) stria_json_put(&s->out, ','), put_bits(s, x->im);
    stria_json_put(&s->out, ']');
}

static void put_dtype(saving *s, stria_dtype dtype)
{
    stria_json_put_text(&s->out, dtype == STRIA_DTYPE_NONE ? "" : stria_dtype_get_name(dtype));
}

static void put_attribute(saving *s, const stria_param *param, const void *field)
{
    const stria_axes        *axes = field;
    const stria_sizes       *sizes = field;
    const stria_int_or_list *either = field;
    char                     word[64];

    switch (param->kind) {
    case STRIA_KIND_AXIS: stria_json_put_int(&s->out, *(const int *)field); break;
    case STRIA_KIND_AXES: put_indices(s, axes->at, axes->at == NULL ? 0 : axes->n); break;
    case STRIA_KIND_SHAPE:
    case STRIA_KIND_INT_LIST: put_ints(s, sizes->at, sizes->n); break;
    case STRIA_KIND_INT_OR_LIST:
        if (either->at == NULL)
            stria_json_put_int(&s->out, either->one);
        else
            put_ints(s, either->at, either->n);
        break;
    case STRIA_KIND_INTS: put_ints(s, field, param->n); break;
    case STRIA_KIND_INT: stria_json_put_int(&s->out, *(const int64_t *)field); break;
    case STRIA_KIND_NUMBER: put_bits(s, *(const double *)field); break;
    case STRIA_KIND_SCALAR: put_scalar(s, field); break;
    case STRIA_KIND_FLAG: stria_json_put_int(&s->out, *(const bool *)field); break;
    case STRIA_KIND_DTYPE: put_dtype(s, *(const stria_dtype *)field); break;
    case STRIA_KIND_GENERATOR: stria_json_put_int(&s->out, find_generator(s, *(stria_generator *const *)field)); break;
    case STRIA_KIND_WORD:
        stria_words_get(param->words, *(const int *)field, word, sizeof word);
        stria_json_put_text(&s->out, word);
        break;
    default: stria_json_put_text(&s->out, *(const char *const *)field); /* TEXT */
    }
}

static void put_expression(saving *s, const stria_expression *e)
{
    put_name(s, "constants");
    stria_json_put(&s->out, '[');
    for (int k = 0; k < e->n_constants; k++) begin_member(s, k), put_scalar(s, &e->constants[k]);
    stria_json_put_words(&s->out, "],");
    put_name(s, "code");
    stria_json_put(&s->out, '[');
    for (int k = 0; k < e->n_code; k++) {
        begin_member(s, k);
        stria_json_put(&s->out, '[');
        stria_json_put_text(&s->out, stria_instruction_get_name(&e->code[k]));
        for (int i = 0; i < stria_instruction_get_arity(&e->code[k]); i++)
            stria_json_put(&s->out, ','), stria_json_put_int(&s->out, e->code[k].in[i]);
        stria_json_put(&s->out, ']');
    }
    stria_json_put(&s->out, ']');
}

static void put_attrs(saving *s, const stria_graph_step *step)
{
    const stria_schema *schema = stria_graph_get_schema(step->row);
    const void         *attrs = step->attrs;
    stria_any_attrs     own;
    int                 n = 0;

    for (int k = step->first_number; s->numbers != NULL && k < step->first_number + step->n_numbers; k++) {
        if (attrs != &own) attrs = memcpy(&own, step->attrs, stria_graph_step_get_attrs_size(step));
        stria_graph_number_set(s->graph->numbers.at[k].param, &own, s->numbers[k]);
    }
    stria_json_put(&s->out, '{');
    if (step->row == STRIA_ROW_EXPRESSION) put_expression(s, stria_graph_step_get_expression(step));
    for (int k = 0; schema != NULL && k < schema->n_attributes; k++) {
        const stria_param *param = &schema->attributes[k];
        if (!stria_graph_is_saved(param)) continue;
        begin_member(s, n++);
        put_name(s, param->name);
        put_attribute(s, param, (const char *)attrs + param->offset);
    }
    stria_json_put(&s->out, '}');
}

static void put_step(saving *s, const stria_graph_step *step)
{
    const int kind = (step->row >= STRIA_ROW_OF_REDUCTION(0)) + (step->row >= STRIA_ROW_OF_FUNCTION(0)) +
                     (step->row >= STRIA_ROW_EXPRESSION);
    char word[16];

    stria_words_get(STRIA_GRAPH_ROWS, kind, word, sizeof word);
    stria_json_put_words(&s->out, "{\"row\":[");
    stria_json_put_text(&s->out, word);
    stria_json_put(&s->out, ',');
    stria_json_put_text(&s->out, stria_row_get_name(step->row));
    stria_json_put_words(&s->out, "],\"in\":");
    put_indices(s, step->views, step->n_in);
    stria_json_put_words(&s->out, ",\"list\":");
    put_indices(s, step->views + step->n_in, step->n_list);
    stria_json_put_words(&s->out, ",\"out\":");
    put_indices(s, step->views + step->n_in + step->n_list, step->n_out);
    stria_json_put_words(&s->out, step->is_new ? ",\"new\":1,\"attrs\":" : ",\"new\":0,\"attrs\":");
    put_attrs(s, step);
    stria_json_put_words(&s->out, ",\"numbers\":[");
    for (int k = 0; k < step->n_numbers; k++) {
        const stria_graph_number *number = &s->graph->numbers.at[step->first_number + k];
        begin_member(s, k);
        stria_json_put(&s->out, '[');
        stria_json_put_text(&s->out, number->param->name);
        stria_json_put(&s->out, ',');
        stria_json_put_int(&s->out, s->numbers != NULL
                                        ? (int64_t)s->numbers[s->graph->numbers.n + step->first_number + k]
                                        : number->change);
        stria_json_put(&s->out, ']');
    }
    stria_json_put_words(&s->out, "]}");
}

static void put_buffer(saving *s, int k)
{
    static const char *const kinds[] = {"[\"input\",", "[\"held\",", "[\"number\",", "[\"made\","};
    const stria_buffer      *b = &s->form->buffers.at[k];
    const bool               is_constant = b->kind == STRIA_BUFFER_NUMBER && !b->tensor->is_wrapped_number;

    stria_json_put_words(&s->out, is_constant ? "[\"constant\"," : kinds[b->kind]);
    if (b->kind == STRIA_BUFFER_NUMBER) {
        const stria_scalar number = stria_graph_get_number(b->tensor);
        put_scalar(s, &number);
    } else {
        stria_json_put_int(&s->out, b->kind == STRIA_BUFFER_INPUT  ? b->input
                                    : b->kind == STRIA_BUFFER_HELD ? s->parts[k].held
                                                                   : s->parts[k].end);
    }
    stria_json_put(&s->out, ']');
}

static void put_view(saving *s, const stria_graph_view *v)
{
    const part *p = &s->parts[v->buffer];
    int64_t     begin, end;

    (void)stria_graph_view_get_range(v, &begin, &end);
    stria_json_put(&s->out, '[');
    stria_json_put_int(&s->out, v->buffer);
    stria_json_put(&s->out, ',');
    put_dtype(s, v->dtype);
    stria_json_put(&s->out, ',');
    stria_json_put_int(&s->out, begin == end ? 0 : v->offset - (p->held >= 0 ? p->begin : 0));
    stria_json_put(&s->out, ',');
    put_ints(s, v->sizes, v->ndim);
    stria_json_put(&s->out, ',');
    put_ints(s, v->sizes + v->ndim, v->ndim);
    stria_json_put(&s->out, ']');
}

/* Steps, and in programs of many sizes between them the calls that made views, which are steps there that make nothing. */
static void put_steps(saving *s)
{
    const stria_graph *g = s->graph;
    int                n = 0;

    stria_json_put_words(&s->out, ",\"steps\":[");
    for (int k = 0, look = 0; k <= s->form->steps.n; k++) {
        for (; s->is_of_sizes && look < g->looks.n && g->looks.at[look].before == k; look++)
            begin_member(s, n++), put_step(s, &g->looks.at[look].call);
        if (k < s->form->steps.n) begin_member(s, n++), put_step(s, &s->form->steps.at[k]);
    }
    stria_json_put(&s->out, ']');
}

static void put_program(saving *s)
{
    const stria_graph_form *form = s->form;

    stria_json_put_words(&s->out, "{\"version\":");
    stria_json_put_int(&s->out, STRIA_GRAPH_VERSION);
    stria_json_put_words(&s->out, ",\"generators\":[");
    for (int k = 0; k < s->n_generators && !s->is_live; k++) {
        const stria_generator_state state = stria_generator_get_state(s->generators[k]);
        begin_member(s, k);
        stria_json_put(&s->out, '[');
        stria_json_put_whole(&s->out, state.seed);
        stria_json_put(&s->out, ',');
        stria_json_put_whole(&s->out, state.offset);
        stria_json_put(&s->out, ']');
    }
    stria_json_put_words(&s->out, "],\"buffers\":[");
    for (int k = 0; k < form->buffers.n; k++) begin_member(s, k), put_buffer(s, k);
    stria_json_put_words(&s->out, "],\"views\":[");
    for (int k = 0; k < form->views.n; k++) begin_member(s, k), put_view(s, &form->views.at[k]);
    stria_json_put_words(&s->out, "],\"inputs\":");
    put_indices(s, form->inputs.at, form->inputs.n);
    put_steps(s);
    stria_json_put_words(&s->out, ",\"results\":");
    put_indices(s, form->results.at, form->results.n);
    if (s->is_live && s->graph->grads.n > 0) {
        stria_json_put_words(&s->out, ",\"grads\":[");
        for (int k = 0; k < s->graph->grads.n; k++)
            begin_member(s, k), stria_json_put_int(&s->out, s->graph->grads.at[k].view);
        stria_json_put(&s->out, ']');
    }
    stria_json_put(&s->out, '}');
}

/* The program, in a new buffer that ends with 0. */
static stria_status print_program(saving *s, char **text, stria_error *err)
{
    s->out = (stria_json_sink){NULL, 0};
    put_program(s);
    *text = stria_object_new(s->out.n + 1);
    if (*text == NULL) return stria_graph_refuse_memory(err);
    s->out = (stria_json_sink){*text, 0};
    put_program(s);
    (*text)[s->out.n] = 0;
    return STRIA_OK;
}

static stria_status begin(saving *s, stria_error *err)
{
    s->form = &s->graph->recorded;
    s->parts = stria_object_new(((size_t)s->form->buffers.n + 1) * sizeof *s->parts);
    if (s->parts == NULL) return stria_graph_refuse_memory(err);
    STRIA_TRY(find_generators(s, err));
    find_parts(s);
    return STRIA_OK;
}

static void end(saving *s)
{
    stria_object_release(s->parts);
    stria_object_release(s->generators);
}

/* What the text calls held tensors and generators. */
static stria_status take_names(saving *s, stria_graph_dynamic *to, stria_error *err)
{
    to->held = stria_object_new(((size_t)s->n_held + 1) * sizeof *to->held);
    if (to->held == NULL) return stria_graph_refuse_memory(err);
    for (int k = 0; k < s->form->buffers.n; k++)
        if (s->parts[k].held >= 0) to->held[to->n_held++] = stria_tensor_retain(s->form->buffers.at[k].tensor);
    to->generators = s->generators;
    to->n_generators = s->n_generators;
    s->generators = NULL;
    for (int k = 0; k < to->n_generators; k++) stria_generator_retain(to->generators[k]);
    return STRIA_OK;
}

stria_status stria_graph_print(const stria_graph *g, stria_graph_dynamic *to, char **text, stria_error *err)
{
    saving       s = {.graph = g, .is_of_sizes = true, .is_live = true};
    stria_status status = begin(&s, err);

    if (status == STRIA_OK) status = print_program(&s, text, err);
    if (status == STRIA_OK && to != NULL) status = take_names(&s, to, err);
    end(&s);
    return status;
}

/* The program of all sizes. */
static stria_status print_dynamic(saving *s, char **text, stria_error *err)
{
    const stria_graph_dynamic *d = s->graph->dynamic;
    char                      *texts[3] = {NULL};
    size_t                     nbytes;
    stria_status               status = print_program(s, &texts[0], err);

    for (int k = 0; k < 2 && status == STRIA_OK; k++) {
        saving other = {.graph = d->others[k], .usual = s->usual, .numbers = s->numbers, .is_of_sizes = true};
        status = begin(&other, err);
        if (status == STRIA_OK) status = print_program(&other, &texts[k + 1], err);
        end(&other);
    }
    if (status == STRIA_OK) status = stria_dynamic_join(texts, d->sizes, text, &nbytes, err);
    for (int k = 0; k < 3; k++) stria_object_release(texts[k]);
    return status;
}

/* ---------------------------------------------------------------- the file */

/* The bytes of `p` of the storage of a held tensor, as one flat tensor on its device: of its dtype where they are whole elements, else as
 * bytes. */
static stria_tensor *new_flat(const stria_tensor *x, const part *p)
{
    stria_dtype   dtype = x->dtype == STRIA_C128 ? STRIA_F64 : x->dtype; /* files have no c128 */
    const int64_t nbytes = p->end - p->begin;

    if (nbytes % stria_dtype_sizes[dtype] != 0) dtype = STRIA_U8;
    stria_tensor *y = stria_tensor_new_handle(dtype, x->device, 1);
    if (y == NULL) return NULL;
    y->shape[0] = y->numel = nbytes / stria_dtype_sizes[dtype];
    y->strides[0] = 1;
    y->storage = x->storage;
    stria_storage_retain(y->storage);
    y->data = y->numel > 0 ? x->storage->data + p->begin : NULL;
    return y;
}

/* The same on the CPU. */
static stria_status new_item(const stria_tensor *x, const part *p, stria_tensor **out, stria_error *err)
{
    stria_tensor *y = NULL, *flat = *out = new_flat(x, p);

    if (flat == NULL) return stria_graph_refuse_memory(err);
    if (x->device.type == STRIA_DEVICE_CPU) return STRIA_OK;
    *out = NULL;
    stria_status status = stria_tensor_new(flat->dtype, 1, flat->shape, &y, err);
    if (status == STRIA_OK && y->numel > 0) status = stria_backend_copy(y, flat, err);
    stria_tensor_release(flat);
    if (status == STRIA_OK)
        *out = y;
    else
        stria_tensor_release(y);
    return status;
}

static stria_status new_items(const saving *s, stria_safetensors_item *items, char (*names)[24], stria_error *err)
{
    for (int k = 0; k < s->form->buffers.n; k++) {
        const int held = s->parts[k].held;
        if (held < 0) continue;
        snprintf(names[held], sizeof names[held], STRIA_GRAPH_HELD "%d", held);
        stria_tensor *x;
        STRIA_TRY(new_item(s->form->buffers.at[k].tensor, &s->parts[k], &x, err));
        items[held] = (stria_safetensors_item){names[held], x};
    }
    return STRIA_OK;
}

/* The file of what was found; `metadata` has room for the program in front. */
static stria_status put_file(saving *s, const char **metadata, int64_t n_metadata, void **bytes, size_t *nbytes,
                             stria_error *err)
{
    const size_t            n = (size_t)s->n_held;
    stria_safetensors_item *items = stria_object_new((n + 1) * (sizeof *items + 24));
    stria_status            status;

    char *text = NULL, size[24];
    status = s->graph->dynamic != NULL ? print_dynamic(s, &text, err) : print_program(s, &text, err);
    if (status == STRIA_OK && items == NULL) status = stria_graph_refuse_memory(err);
    if (status == STRIA_OK) {
        metadata[0] = STRIA_GRAPH_KEY;
        metadata[1] = text;
        if (s->graph->dynamic != NULL) {
            snprintf(size, sizeof size, "%lld", (long long)s->graph->dynamic->sizes[0]);
            metadata[2 * ++n_metadata] = STRIA_GRAPH_SIZE_KEY;
            metadata[2 * n_metadata + 1] = size;
        }
        status = new_items(s, items, (char(*)[24])(void *)(items + n + 1), err);
        if (status == STRIA_OK)
            status = stria_safetensors_copy(items, s->n_held, metadata, n_metadata + 1, bytes, nbytes, err);
        for (size_t k = 0; k < n; k++) stria_tensor_release((stria_tensor *)(uintptr_t)items[k].x);
    }
    stria_object_release(items);
    stria_object_release(text);
    return status;
}

static stria_status refuse_null(const char *argument, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, argument, NULL, "NULL", "%s is NULL", argument);
}

static stria_status refuse_gradients(const stria_graph *g, stria_error *err)
{
    for (int k = 0; k < g->grads.n; k++) {
        const stria_graph_grad *grad = &g->grads.at[k];
        if (grad->is_read && (grad->first != NULL || grad->last != NULL || grad->view >= 0))
            return stria_error_set(err, STRIA_ERR_UNSUPPORTED, OP, "graph", "a program that makes its gradients itself",
                                   NULL,
                                   "the program adds to the .grad of a tensor, which files do not have: it must set "
                                   "gradients to zero first");
    }
    return STRIA_OK;
}

stria_status stria_graph_save_as(const stria_graph *g, const stria_generator *usual, const double *numbers,
                                 const char *const *metadata, int64_t n_metadata, void **bytes, size_t *nbytes,
                                 stria_error *err)
{
    if (bytes != NULL) *bytes = NULL;
    if (nbytes != NULL) *nbytes = 0;
    if (g == NULL || bytes == NULL || nbytes == NULL)
        return refuse_null(g == NULL ? "graph" : bytes == NULL ? "bytes" : "nbytes", err);
    if (n_metadata < 0 || n_metadata > INT32_MAX || (n_metadata > 0 && metadata == NULL))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "metadata", NULL, NULL,
                               "%lld pairs of metadata, or metadata is NULL", (long long)n_metadata);
    STRIA_TRY(refuse_gradients(g, err));
    if (g->dynamic != NULL && g->dynamic->others[1] == NULL)
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, OP, "graph", "a graph that was recorded", NULL,
                               "a graph of a file with a dynamic size is not saved again: its file is");
    saving       s = {.graph = g, .usual = usual, .numbers = numbers, .is_of_sizes = g->dynamic != NULL};
    const char **all = stria_object_new(2 * (size_t)(n_metadata + 2) * sizeof *all);
    stria_status status = all == NULL ? stria_graph_refuse_memory(err) : begin(&s, err);
    if (status == STRIA_OK) {
        for (int64_t k = 0; k < 2 * n_metadata; k++) all[k + 2] = metadata[k];
        status = stria_error_set_op(err, put_file(&s, all, n_metadata, bytes, nbytes, err), OP);
    }
    stria_object_release((void *)(uintptr_t)all);
    end(&s);
    return status;
}

stria_status stria_graph_save(const stria_graph *g, const char *const *metadata, int64_t n_metadata, void **bytes,
                              size_t *nbytes, stria_error *err)
{
    return stria_graph_save_as(g, stria_generator_get_default(), NULL, metadata, n_metadata, bytes, nbytes, err);
}
