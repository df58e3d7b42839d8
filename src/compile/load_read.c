/* load_read.c - the JSON of saved graphs: words, numbers, lists, attributes, expressions. */
#include <string.h>

#include "base/alloc.h"
#include "compile/load.h"
#include "cpu/expression.h"
#include "table/rows.h"

stria_status stria_load_refuse(const stria_loading *l, const char *what)
{
    return stria_error_set(l->err, STRIA_ERR_FORMAT, OP, "bytes", "a saved graph", NULL, "%s: %s", l->where, what);
}

stria_status stria_load_refuse_json(const stria_loading *l)
{
    return stria_error_set(l->err, STRIA_ERR_FORMAT, OP, "bytes", "a saved graph", NULL, "%s: character %lld: %s",
                           l->where, (long long)((const char *)l->json.at - l->begin), l->json.wrong);
}

/* ---------------------------------------------------------------- JSON */

/* The next text, of at most `size` - 1 bytes. */
stria_status stria_load_take_text(stria_loading *l, char *text, size_t size)
{
    size_t nbytes;

    TAKE(stria_json_take_text(&l->json, text, size - 1, &nbytes));
    if (nbytes >= size || memchr(text, 0, nbytes) != NULL) return stria_load_refuse(l, "no such word");
    text[nbytes] = 0;
    return STRIA_OK;
}

/* The next member of an object, which must be this one. */
stria_status stria_load_take_member(stria_loading *l, const char *name, bool *is_first)
{
    char text[64];

    l->where = name;
    if (!stria_json_next(&l->json, '}', is_first))
        return l->json.wrong ? stria_load_refuse_json(l) : stria_load_refuse(l, "is missing");
    STRIA_TRY(stria_load_take_text(l, text, sizeof text));
    if (strcmp(text, name) != 0) return stria_load_refuse(l, "must come here");
    TAKE(stria_json_take(&l->json, ':'));
    return STRIA_OK;
}

/* The end of an object or list. */
stria_status stria_load_take_end(stria_loading *l, char close, bool *is_first)
{
    if (stria_json_next(&l->json, close, is_first)) return stria_load_refuse(l, "has too many members");
    return l->json.wrong ? stria_load_refuse_json(l) : STRIA_OK;
}

/* Another member of a list of a fixed number of them. */
stria_status stria_load_take_next(stria_loading *l, bool *is_first)
{
    if (stria_json_next(&l->json, ']', is_first)) return STRIA_OK;
    return l->json.wrong ? stria_load_refuse_json(l) : stria_load_refuse(l, "has too few members");
}

/* A whole number in [least, most]. */
stria_status stria_load_take_index(stria_loading *l, int64_t least, int64_t most, int *index)
{
    int64_t value;

    TAKE(stria_json_take_int(&l->json, &value));
    if (value < least || value > most) return stria_load_refuse(l, "a number that there is not");
    *index = (int)value;
    return STRIA_OK;
}

/* Numbers of views, behind those of `to`; least -1: some may be left out. *n of them. */
stria_status stria_load_take_views(stria_loading *l, stria_load_indices *to, int least, int *n)
{
    bool is_first = true;

    *n = 0;
    TAKE(stria_json_take(&l->json, '['));
    for (; stria_json_next(&l->json, ']', &is_first); ++*n) {
        GROW(*to);
        STRIA_TRY(stria_load_take_index(l, least, l->views.n - 1, &to->at[to->n]));
        to->n++;
    }
    return l->json.wrong ? stria_load_refuse_json(l) : STRIA_OK;
}

/* A list of at most `most` whole numbers. */
stria_status stria_load_take_ints(stria_loading *l, int64_t *to, int most, int *n)
{
    bool is_first = true;

    TAKE(stria_json_take(&l->json, '['));
    for (*n = 0; stria_json_next(&l->json, ']', &is_first); ++*n) {
        if (*n == most) return stria_load_refuse(l, "has too many members");
        TAKE(stria_json_take_int(&l->json, &to[*n]));
    }
    return l->json.wrong ? stria_load_refuse_json(l) : STRIA_OK;
}

static stria_status take_double(stria_loading *l, double *number)
{
    uint64_t bits;

    TAKE(stria_json_take_whole(&l->json, &bits));
    memcpy(number, &bits, sizeof bits);
    return STRIA_OK;
}

stria_status stria_load_take_scalar(stria_loading *l, stria_scalar *x)
{
    char     kind[16];
    uint64_t whole;
    bool     is_first = true;

    *x = (stria_scalar){.kind = STRIA_SCALAR_BOOL};
    TAKE(stria_json_take(&l->json, '['));
    STRIA_TRY(stria_load_take_next(l, &is_first));
    STRIA_TRY(stria_load_take_text(l, kind, sizeof kind));
    const int number = stria_words_find(STRIA_GRAPH_SCALARS, kind);
    if (number < 0) return stria_load_refuse(l, "no kind of number");
    x->kind = (stria_scalar_kind)number;
    STRIA_TRY(stria_load_take_next(l, &is_first));
    if (x->kind == STRIA_SCALAR_FLOAT || x->kind == STRIA_SCALAR_COMPLEX) {
        STRIA_TRY(take_double(l, &x->re));
    } else {
        TAKE(stria_json_take_whole(&l->json, &whole));
        if (x->kind == STRIA_SCALAR_BOOL && whole > 1) return stria_load_refuse(l, "a bool is 0 or 1");
        x->i = (int64_t)whole;
    }
    if (x->kind == STRIA_SCALAR_COMPLEX) {
        STRIA_TRY(stria_load_take_next(l, &is_first));
        STRIA_TRY(take_double(l, &x->im));
    }
    return stria_load_take_end(l, ']', &is_first);
}

stria_status stria_load_take_dtype(stria_loading *l, stria_dtype *dtype)
{
    char name[16];

    STRIA_TRY(stria_load_take_text(l, name, sizeof name));
    *dtype = STRIA_DTYPE_NONE;
    for (int k = 0; k < STRIA_DTYPE_COUNT; k++)
        if (strcmp(name, stria_dtype_get_name((stria_dtype)k)) == 0) *dtype = (stria_dtype)k;
    return *dtype != STRIA_DTYPE_NONE || name[0] == 0 ? STRIA_OK : stria_load_refuse(l, "no such dtype");
}

/* The name of one of the rows first .. first + n - 1. */
stria_status stria_load_take_row(stria_loading *l, stria_row first, int n, stria_row *row)
{
    char name[64];

    STRIA_TRY(stria_load_take_text(l, name, sizeof name));
    for (*row = first; *row < first + n; ++*row)
        if (strcmp(name, stria_row_get_name(*row)) == 0) return STRIA_OK;
    return stria_load_refuse(l, "no such row");
}

/* ---------------------------------------------------------------- attributes */

static stria_status take_list(stria_loading *l, int64_t **list, int *n)
{
    stria_load_attributes *a = l->attrs;

    *list = NULL;
    if (a->n_lists == MOST_LISTS) return stria_load_refuse(l, "has too many lists");
    *list = a->ints[a->n_lists++];
    return stria_load_take_ints(l, *list, STRIA_MAX_INTS, n);
}

static stria_status take_axes(stria_loading *l, stria_axes *axes)
{
    int     *to = l->attrs->axes[l->attrs->n_lists];
    int64_t *list;

    STRIA_TRY(take_list(l, &list, &axes->n));
    for (int k = 0; k < axes->n; k++) {
        if (list[k] < INT32_MIN || list[k] > INT32_MAX) return stria_load_refuse(l, "no axis");
        to[k] = (int)list[k];
    }
    axes->at = axes->n > 0 ? to : NULL;
    return STRIA_OK;
}

static stria_status take_int_or_list(stria_loading *l, stria_int_or_list *to)
{
    int64_t *list;

    if (l->json.at < l->json.end && *l->json.at != '[') {
        TAKE(stria_json_take_int(&l->json, &to->one));
        return STRIA_OK;
    }
    STRIA_TRY(take_list(l, &list, &to->n));
    to->at = list;
    return STRIA_OK;
}

static stria_status take_ints_of_row(stria_loading *l, int64_t *to, int n)
{
    int n_taken;

    STRIA_TRY(stria_load_take_ints(l, to, n, &n_taken));
    return n_taken == n ? STRIA_OK : stria_load_refuse(l, "has too few members");
}

static stria_status take_attribute(stria_loading *l, const stria_param *param, void *field)
{
    stria_sizes *sizes = field;
    int64_t     *list;
    int          number;
    char         word[64];

    switch (param->kind) {
    case STRIA_KIND_AXIS: return stria_load_take_index(l, INT32_MIN, INT32_MAX, field);
    case STRIA_KIND_AXES: return take_axes(l, field);
    case STRIA_KIND_SHAPE:
    case STRIA_KIND_INT_LIST:
        STRIA_TRY(take_list(l, &list, &sizes->n));
        sizes->at = list;
        return STRIA_OK;
    case STRIA_KIND_INT_OR_LIST: return take_int_or_list(l, field);
    case STRIA_KIND_INTS: return take_ints_of_row(l, field, param->n);
    case STRIA_KIND_INT: TAKE(stria_json_take_int(&l->json, field)); return STRIA_OK;
    case STRIA_KIND_NUMBER: return take_double(l, field);
    case STRIA_KIND_SCALAR: return stria_load_take_scalar(l, field);
    case STRIA_KIND_DTYPE: return stria_load_take_dtype(l, field);
    case STRIA_KIND_FLAG:
        STRIA_TRY(stria_load_take_index(l, 0, 1, &number));
        *(bool *)field = number == 1;
        return STRIA_OK;
    case STRIA_KIND_GENERATOR:
        STRIA_TRY(stria_load_take_index(l, -1, l->generators.n - 1, &number));
        *(stria_generator **)field = number < 0 ? l->usual : l->generators.at[number];
        return STRIA_OK;
    case STRIA_KIND_WORD:
        STRIA_TRY(stria_load_take_text(l, word, sizeof word));
        number = stria_words_find(param->words, word);
        *(int *)field = number;
        return number >= 0 ? STRIA_OK : stria_load_refuse(l, "a word that the row does not have");
    default: /* TEXT: a row has one */
        STRIA_TRY(stria_load_take_text(l, l->attrs->text, sizeof l->attrs->text));
        *(const char **)field = l->attrs->text;
        return STRIA_OK;
    }
}

stria_status stria_load_take_attributes(stria_loading *l, const stria_schema *schema, char *record)
{
    bool is_first = true;

    for (int k = 0; k < schema->n_attributes; k++) {
        const stria_param *param = &schema->attributes[k];
        if (param->kind == STRIA_KIND_DEVICE) *(stria_device *)(void *)(record + param->offset) = l->device;
        if (!stria_graph_is_saved(param)) continue;
        STRIA_TRY(stria_load_take_member(l, param->name, &is_first));
        STRIA_TRY(take_attribute(l, param, record + param->offset));
    }
    return stria_load_take_end(l, '}', &is_first);
}

/* ---------------------------------------------------------------- expressions */

typedef struct program {
    STRIA_GROWING(stria_scalar) constants;
    STRIA_GROWING(stria_instruction) code;
} program;

static stria_status read_instruction(stria_loading *l, stria_instruction *to)
{
    char name[64];
    bool is_first = true;

    TAKE(stria_json_take(&l->json, '['));
    STRIA_TRY(stria_load_take_next(l, &is_first));
    STRIA_TRY(stria_load_take_text(l, name, sizeof name));
    to->op = (stria_op)0;
    while ((int)to->op < STRIA_OP_COUNT + STRIA_DTYPE_COUNT && strcmp(name, stria_instruction_get_name(to)) != 0)
        to->op = (stria_op)(to->op + 1);
    if ((int)to->op == STRIA_OP_COUNT + STRIA_DTYPE_COUNT) return stria_load_refuse(l, "no such op");
    for (int k = 0; k < stria_instruction_get_arity(to); k++) {
        STRIA_TRY(stria_load_take_next(l, &is_first));
        STRIA_TRY(stria_load_take_index(l, 0, INT32_MAX, &to->in[k]));
    }
    return stria_load_take_end(l, ']', &is_first);
}

static stria_status read_program(stria_loading *l, program *p)
{
    bool is_first = true, is_first_item = true;

    STRIA_TRY(stria_load_take_member(l, "constants", &is_first));
    TAKE(stria_json_take(&l->json, '['));
    while (stria_json_next(&l->json, ']', &is_first_item)) {
        GROW(p->constants);
        STRIA_TRY(stria_load_take_scalar(l, &p->constants.at[p->constants.n]));
        p->constants.n++;
    }
    STRIA_TRY(stria_load_take_member(l, "code", &is_first));
    TAKE(stria_json_take(&l->json, '['));
    is_first_item = true;
    while (stria_json_next(&l->json, ']', &is_first_item)) {
        GROW(p->code);
        STRIA_TRY(read_instruction(l, &p->code.at[p->code.n]));
        p->code.n++;
    }
    return stria_load_take_end(l, '}', &is_first);
}

stria_status stria_load_take_expression(stria_loading *l, int n_in, stria_expression **out)
{
    program p = {.code = {NULL, 0, 0}};

    *out = NULL;
    stria_status status = read_program(l, &p);
    if (status == STRIA_OK)
        status = stria_expression_new(n_in, p.constants.at, p.constants.n, p.code.at, p.code.n, out, l->err);
    stria_object_release(p.constants.at);
    stria_object_release(p.code.at);
    return status;
}
