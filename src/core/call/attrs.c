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

static bool is_same_list(const void *a, int n_a, const void *b, int n_b, size_t nbytes_each)
{
    return n_a == n_b && (a == NULL) == (b == NULL) &&
           (n_a <= 0 || a == NULL || memcmp(a, b, (size_t)n_a * nbytes_each) == 0);
}

static bool is_same_attribute(const stria_param *param, const char *a, const char *b)
{
    static const unsigned char sizes[] = {[STRIA_KIND_AXIS] = sizeof(int),
                                          [STRIA_KIND_INT] = sizeof(int64_t),
                                          [STRIA_KIND_NUMBER] = sizeof(double),
                                          [STRIA_KIND_SCALAR] = sizeof(stria_scalar),
                                          [STRIA_KIND_FLAG] = sizeof(bool),
                                          [STRIA_KIND_DTYPE] = sizeof(stria_dtype),
                                          [STRIA_KIND_DEVICE] = sizeof(stria_device),
                                          [STRIA_KIND_GENERATOR] = sizeof(void *),
                                          [STRIA_KIND_WORD] = sizeof(int)};
    const void                *x = a + param->offset, *y = b + param->offset;

    switch (param->kind) {
    case STRIA_KIND_AXES: {
        const stria_axes *one = x, *other = y;
        return is_same_list(one->at, one->n, other->at, other->n, sizeof(int));
    }
    case STRIA_KIND_SHAPE:
    case STRIA_KIND_INT_LIST: {
        const stria_sizes *one = x, *other = y;
        return is_same_list(one->at, one->n, other->at, other->n, sizeof(int64_t));
    }
    case STRIA_KIND_INT_OR_LIST: {
        const stria_int_or_list *one = x, *other = y;
        return one->one == other->one && is_same_list(one->at, one->n, other->at, other->n, sizeof(int64_t));
    }
    case STRIA_KIND_TEXT: return strcmp(*(const char *const *)x, *(const char *const *)y) == 0;
    case STRIA_KIND_OPTIONS:
    case STRIA_KIND_ARGUMENTS: return true;
    case STRIA_KIND_INTS: return memcmp(x, y, (size_t)param->n * sizeof(int64_t)) == 0;
    default: return memcmp(x, y, sizes[param->kind]) == 0;
    }
}

bool stria_attrs_is_same(stria_row row, const void *a, const void *b)
{
    const stria_schema *schema = find_schema(row);

    if (a == NULL || b == NULL) return a == b;
    if (row == STRIA_ROW_EXPRESSION)
        return ((const stria_expression_attrs *)a)->program == ((const stria_expression_attrs *)b)->program;
    if (schema == NULL) {
        const stria_reduce_attrs *one = a, *other = b;
        return one->keepdim == other->keepdim && one->dtype == other->dtype &&
               is_same_list(one->axes.at, one->axes.n, other->axes.at, other->axes.n, sizeof(int));
    }
    for (int k = 0; k < schema->n_attributes; k++)
        if (!is_same_attribute(&schema->attributes[k], a, b)) return false;
    return true;
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
