/* row_call.c - see row_call.h. */
#include "row_call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table/rows.h"

stria_row row_find(const char *name)
{
    for (int f = 0; f < STRIA_FN_COUNT; f++)
        if (strcmp(stria_schema_get((stria_function)f)->name, name) == 0) return STRIA_ROW_OF_FUNCTION(f);
    for (int k = 0; k < STRIA_OP_COUNT; k++)
        if (strcmp(stria_op_infos[k].name, name) == 0) return STRIA_ROW_OF_OP(k);
    for (int k = 0; k < STRIA_RED_COUNT; k++)
        if (strcmp(stria_reduction_infos[k].name, name) == 0) return STRIA_ROW_OF_REDUCTION(k);
    return -1;
}

stria_dtype row_find_dtype(const char *name)
{
    for (int d = 0; name != NULL && d < STRIA_DTYPE_COUNT; d++)
        if (strcmp(stria_dtype_get_name((stria_dtype)d), name) == 0) return (stria_dtype)d;
    return STRIA_DTYPE_NONE;
}

/* ---------------------------------------------------------------- attributes */

stria_sizes row_call_keep_sizes(row_call *c, const int64_t *sizes, int n)
{
    int64_t *kept = c->sizes[c->n_sizes++ % 4];

    if (n > 16) n = 16;
    for (int k = 0; k < n; k++) kept[k] = sizes[k];
    return (stria_sizes){kept, n};
}

stria_axes row_call_keep_axes(row_call *c, const int *axes, int n)
{
    int *kept = c->axes[c->n_axes++ % 4];

    if (n > 8) n = 8;
    for (int k = 0; k < n; k++) kept[k] = axes[k];
    return (stria_axes){kept, n};
}

static stria_scalar to_scalar(double number)
{
    if (number == floor(number)) return (stria_scalar){.kind = STRIA_SCALAR_INT, .i = (int64_t)number};
    return (stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = number};
}

static void set_usual(const stria_param *param, void *field)
{
    const bool   has_number = strchr("-0123456789", param->usual ? param->usual[0] : 'x') != NULL;
    const double number = has_number ? strtod(param->usual, NULL) : 1;
    const bool   is_open = param->usual && strcmp(param->usual, "OPEN") == 0;

    switch ((stria_param_kind)param->kind) {
    case STRIA_KIND_AXIS:
        *(int *)field = has_number ? (int)number : strcmp(param->usual, "ALL") == 0 ? STRIA_AXIS_NONE : 0;
        break;
    case STRIA_KIND_INT_OR_LIST: ((stria_int_or_list *)field)->one = 1; break;
    case STRIA_KIND_INTS:
        for (int k = 0; k < param->n; k++) ((int64_t *)field)[k] = is_open ? STRIA_INT_NONE : (int64_t)number;
        break;
    case STRIA_KIND_INT: *(int64_t *)field = is_open ? STRIA_INT_NONE : (int64_t)number; break;
    case STRIA_KIND_NUMBER: *(double *)field = is_open ? NAN : number; break;
    case STRIA_KIND_SCALAR: *(stria_scalar *)field = to_scalar(number); break;
    case STRIA_KIND_FLAG: *(bool *)field = has_number && number != 0; break;
    case STRIA_KIND_DTYPE: *(stria_dtype *)field = STRIA_DTYPE_NONE; break;
    case STRIA_KIND_DEVICE: *(stria_device *)field = STRIA_DEVICE_NONE; break;
    case STRIA_KIND_WORD: {
        const int at = stria_words_find(param->words, param->usual);
        *(int *)field = at < 0 ? 0 : at;
        break;
    }
    case STRIA_KIND_TEXT: *(const char **)field = ""; break;
    default: break; /* lists are empty, the generator is the default one */
    }
}

/* A number, or several; -1: it is neither, or there are too many. */
static int read_numbers(const json *value, int64_t *numbers, int most)
{
    int n = 0;

    if (value->type == JSON_NUMBER) {
        numbers[0] = value->integer;
        return 1;
    }
    if (value->type != JSON_ARRAY || value->count > most) return -1;
    for (const json *entry = value->first; entry; entry = entry->next) numbers[n++] = entry->integer;
    return n;
}

static double read_number(const json *value)
{
    return value->type == JSON_STRING ? strtod(value->string, NULL) : value->number;
}

static bool set_list(row_call *c, const stria_param *param, void *field, const json *value)
{
    int64_t   numbers[16];
    int       axes[16];
    const int n = read_numbers(value, numbers, 16);

    if (n < 0) return false;
    for (int k = 0; k < n; k++) axes[k] = (int)numbers[k];
    if (param->kind == STRIA_KIND_AXES) {
        *(stria_axes *)field = row_call_keep_axes(c, axes, n);
    } else if (param->kind == STRIA_KIND_INTS) {
        for (int k = 0; k < param->n; k++) ((int64_t *)field)[k] = numbers[n == 1 ? 0 : k];
        return n == 1 || n == param->n;
    } else if (param->kind == STRIA_KIND_INT_OR_LIST) {
        const stria_sizes sizes = row_call_keep_sizes(c, numbers, n);
        *(stria_int_or_list *)field = (stria_int_or_list){numbers[0], value->type == JSON_ARRAY ? sizes.at : NULL,
                                                          value->type == JSON_ARRAY ? n : 0};
    } else {
        *(stria_sizes *)field = row_call_keep_sizes(c, numbers, n);
    }
    return true;
}

static bool set_attribute(row_call *c, const stria_param *param, void *field, const json *value)
{
    switch ((stria_param_kind)param->kind) {
    case STRIA_KIND_AXIS: *(int *)field = value->type == JSON_NULL ? STRIA_AXIS_NONE : (int)value->integer; return true;
    case STRIA_KIND_INT: *(int64_t *)field = value->type == JSON_NULL ? STRIA_INT_NONE : value->integer; return true;
    case STRIA_KIND_NUMBER: *(double *)field = read_number(value); return true;
    case STRIA_KIND_SCALAR: *(stria_scalar *)field = to_scalar(read_number(value)); return true;
    case STRIA_KIND_FLAG: *(bool *)field = value->boolean; return value->type == JSON_BOOL;
    case STRIA_KIND_WORD: return (*(int *)field = stria_words_find(param->words, value->string)) >= 0;
    case STRIA_KIND_DTYPE: return (*(stria_dtype *)field = row_find_dtype(value->string)) != STRIA_DTYPE_NONE;
    case STRIA_KIND_TEXT: *(const char **)field = value->string; return value->type == JSON_STRING;
    case STRIA_KIND_AXES:
    case STRIA_KIND_SHAPE:
    case STRIA_KIND_INT_LIST:
    case STRIA_KIND_INTS:
    case STRIA_KIND_INT_OR_LIST: return set_list(c, param, field, value);
    default: return false;
    }
}

static bool set_of_reduction(row_call *c, const char *name, const json *value)
{
    const stria_param dim = {.kind = STRIA_KIND_AXES};

    if (strcmp(name, "keepdim") == 0) c->attrs.reduce.keepdim = value->boolean;
    if (strcmp(name, "dim") == 0) return set_list(c, &dim, &c->attrs.reduce.axes, value);
    return strcmp(name, "keepdim") == 0;
}

bool row_call_set(row_call *c, const char *name, const json *value)
{
    if (c->schema == NULL) return c->call.row >= STRIA_OP_COUNT && set_of_reduction(c, name, value);
    for (int k = 0; k < c->schema->n_attributes; k++) {
        const stria_param *param = &c->schema->attributes[k];
        if (strcmp(param->name, name) == 0) return set_attribute(c, param, (char *)&c->attrs + param->offset, value);
    }
    return false;
}

/* ---------------------------------------------------------------- calls */

void row_call_begin(row_call *c, stria_row row)
{
    memset(c, 0, sizeof *c);
    c->call = (stria_call){row, 0, c->in, c->list, 0, &c->attrs, c->out, &c->made};
    if (row < STRIA_OP_COUNT) {
        c->call.n_in = stria_op_infos[row].arity;
    } else if (row < STRIA_ROW_OF_FUNCTION(0)) {
        c->call.n_in = 1;
        c->attrs.reduce.dtype = STRIA_DTYPE_NONE;
    } else {
        c->schema = stria_schema_get((stria_function)(row - STRIA_ROW_OF_FUNCTION(0)));
        for (int k = 0; k < c->schema->n_attributes; k++)
            set_usual(&c->schema->attributes[k], (char *)&c->attrs + c->schema->attributes[k].offset);
    }
}

static bool makes_list(const row_call *c) { return c->schema != NULL && stria_schema_makes_list(c->schema); }

int row_call_count_outputs(const row_call *c)
{
    return makes_list(c) ? c->made.n : c->schema != NULL ? c->schema->n_outputs : 1;
}

stria_tensor *row_call_get_output(const row_call *c, int k) { return makes_list(c) ? c->made.at[k] : c->out[k]; }

stria_status row_call_run(row_call *c, stria_error *err)
{
    row_call_release(c);
    return stria_call_run(&c->call, err);
}

void row_call_release(row_call *c)
{
    for (int k = 0; k < STRIA_MAX_OUTPUTS; k++) {
        stria_tensor_release(c->out[k]);
        c->out[k] = NULL;
    }
    stria_tensor_list_release(&c->made);
}
