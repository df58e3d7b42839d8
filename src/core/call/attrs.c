/* attrs.c - copies of the attributes of a call. */
#include "call/attrs.h"

#include <string.h>

#include "base/generator.h"

static const stria_schema *find_schema(stria_row row)
{
    if (row < STRIA_ROW_OF_FUNCTION(0) || row >= STRIA_ROW_EXPRESSION) return NULL;
    return stria_schema_get((stria_function)(row - STRIA_ROW_OF_FUNCTION(0)));
}

static size_t round_up(size_t nbytes) { return (nbytes + 7) / 8 * 8; }

/* Bytes of what a list or text lies in beside the record. */
static size_t measure(const stria_param *param, const char *attrs)
{
    const void *field = attrs + param->offset;

    switch (param->kind) {
    case STRIA_KIND_AXES: return round_up((size_t)((const stria_axes *)field)->n * sizeof(int));
    case STRIA_KIND_SHAPE:
    case STRIA_KIND_INT_LIST: return (size_t)((const stria_sizes *)field)->n * sizeof(int64_t);
    case STRIA_KIND_INT_OR_LIST: return (size_t)((const stria_int_or_list *)field)->n * sizeof(int64_t);
    case STRIA_KIND_TEXT: return round_up(strlen(*(const char *const *)field) + 1);
    default: return 0;
    }
}

size_t stria_attrs_get_nbytes(const stria_call *call)
{
    const stria_schema *schema = find_schema(call->row);

    if (call->attrs == NULL) return 0;
    if (call->row == STRIA_ROW_EXPRESSION) return sizeof(stria_expression_attrs);
    if (schema == NULL)
        return sizeof(stria_reduce_attrs) + (size_t)((const stria_reduce_attrs *)call->attrs)->axes.n * sizeof(int);
    size_t total = round_up(schema->attrs_size);
    for (int k = 0; k < schema->n_attributes; k++) total += measure(&schema->attributes[k], call->attrs);
    return total;
}

static const void *copy_list(const void *from, size_t nbytes, char **room)
{
    char *to = *room;

    if (from == NULL) return NULL;
    memcpy(to, from, nbytes);
    *room += round_up(nbytes);
    return to;
}

static void copy_attribute(const stria_param *param, char *attrs, char **room)
{
    void *field = attrs + param->offset;

    if (param->kind == STRIA_KIND_AXES) {
        stria_axes *axes = field;
        axes->at = copy_list(axes->at, (size_t)axes->n * sizeof(int), room);
    } else if (param->kind == STRIA_KIND_SHAPE || param->kind == STRIA_KIND_INT_LIST) {
        stria_sizes *sizes = field;
        sizes->at = copy_list(sizes->at, (size_t)sizes->n * sizeof(int64_t), room);
    } else if (param->kind == STRIA_KIND_INT_OR_LIST) {
        stria_int_or_list *sizes = field;
        sizes->at = copy_list(sizes->at, (size_t)sizes->n * sizeof(int64_t), room);
    } else if (param->kind == STRIA_KIND_TEXT) {
        const char **text = field;
        *text = copy_list(*text, strlen(*text) + 1, room);
    } else if (param->kind == STRIA_KIND_GENERATOR) {
        stria_generator_retain(*(stria_generator **)field);
    }
}

void stria_attrs_copy(const stria_call *call, void *to)
{
    const stria_schema *schema = find_schema(call->row);
    char               *room = to;

    if (call->attrs == NULL) return;
    if (call->row == STRIA_ROW_EXPRESSION) {
        memcpy(to, call->attrs, sizeof(stria_expression_attrs));
        stria_expression_retain((stria_expression *)(uintptr_t)((stria_expression_attrs *)to)->program);
    } else if (schema == NULL) {
        stria_reduce_attrs *attrs = to;
        *attrs = *(const stria_reduce_attrs *)call->attrs;
        room += sizeof *attrs;
        attrs->axes.at = copy_list(attrs->axes.at, (size_t)attrs->axes.n * sizeof(int), &room);
    } else {
        memcpy(to, call->attrs, schema->attrs_size);
        room += round_up(schema->attrs_size);
        for (int k = 0; k < schema->n_attributes; k++) copy_attribute(&schema->attributes[k], to, &room);
    }
}

void stria_attrs_end(stria_row row, void *attrs)
{
    const stria_schema *schema = find_schema(row);

    if (row == STRIA_ROW_EXPRESSION)
        stria_expression_release((stria_expression *)(uintptr_t)((stria_expression_attrs *)attrs)->program);
    for (int k = 0; schema != NULL && k < schema->n_attributes; k++)
        if (schema->attributes[k].kind == STRIA_KIND_GENERATOR)
            stria_generator_release(*(stria_generator **)(void *)((char *)attrs + schema->attributes[k].offset));
}
