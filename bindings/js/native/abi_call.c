/* abi_call.c - the rows of functions.def through the flat ABI: one reader for all of them, driven by the schema of the row. */
#include <stdio.h>
#include <string.h>

#include "abi_table.h"
#include "base/alloc.h"
#include "base/error.h"
#include "call/call.h"

/* The arguments of a call, read one after another from the numbers of the scratch block. */
typedef struct reader {
    const stria_schema *schema;
    const double       *numbers;
    int                 n, at;
    stria_tensor       *owned[STRIA_ABI_OPERANDS]; /* made from numbers, to be released */
    int                 n_owned, n_axes;
    int                 axes[2][STRIA_MAX_DIMS + 1]; /* of AXES; a row has two at most */
    int64_t             sizes[STRIA_MAX_DIMS];       /* of SHAPE; the same */
    int64_t             ints[STRIA_MAX_INTS];        /* of INT_LIST; the same */
    char                text[STRIA_MAX_TEXT + 2];    /* of TEXT; the same */
    int64_t            *long_list;                   /* of INT_OR_LIST, or NULL; to be released; the same */
    stria_call_lists    lists[STRIA_MAX_LISTS];      /* to be released */
    int                 n_lists;
} reader;

static stria_error *error_get(void) { return &stria_abi_get_scratch()->error; }

/* 0 where the numbers have ended, which is the caller's mistake and harmless. */
static double next(reader *r) { return r->at < r->n ? r->numbers[r->at++] : 0; }

/* A tensor: 0 none, below 0 operand number -1 - value, else a handle. */
static stria_status read_tensor(reader *r, const char *argument, const stria_tensor **x)
{
    const double  value = next(r);
    const int     k = -1 - stria_abi_get_int(value);
    stria_tensor *found = NULL, *owned = NULL;

    *x = NULL;
    if (value == 0) return STRIA_OK;
    if (k < 0 || k >= STRIA_ABI_OPERANDS || r->n_owned == STRIA_ABI_OPERANDS) {
        *x = stria_abi_get_tensor(value, r->schema->name, argument);
        return *x ? STRIA_OK : STRIA_ERR_DISPOSED;
    }
    STRIA_TRY(stria_abi_get_operand(k, r->schema->name, argument, &found, &owned));
    r->owned[r->n_owned++] = owned;
    *x = found;
    return STRIA_OK;
}

/* How many follow; cut to `most`, one more if they are too many. */
static int read_count(reader *r, int most)
{
    const int n = stria_abi_get_int(next(r));
    return n > most ? most + 1 : n;
}

static stria_status read_list(reader *r, const stria_param *param)
{
    const int            n = read_count(r, r->n);
    const stria_tensor **list;

    if (n < 0 || n > r->n - r->at)
        return stria_error_set(error_get(), STRIA_ERR_ARGUMENT, r->schema->name, param->name, NULL, NULL,
                               "%s is longer than the call", param->name);
    list = stria_object_new(((size_t)n + 1) * sizeof *list);
    if (!list)
        return stria_error_set(error_get(), STRIA_ERR_MEMORY, r->schema->name, NULL, NULL, NULL, "no memory for %s",
                               param->name);
    r->lists[r->n_lists++] = (stria_call_lists){list, n};
    for (int k = 0; k < n; k++) {
        const int at = r->at;
        if (read_tensor(r, param->name, &list[k]) == STRIA_OK) continue;
        char name[48]; /* the same again, for the name of the member */
        snprintf(name, sizeof name, "%s[%d]", param->name, k);
        r->at = at;
        return read_tensor(r, name, &list[k]);
    }
    return STRIA_OK;
}

static stria_status read_int_or_list(reader *r, const stria_param *param, stria_int_or_list *field)
{
    const int n = read_count(r, r->n);

    *field = (stria_int_or_list){0, NULL, 0};
    if (n < 0) {
        field->one = stria_abi_get_int64(next(r));
        return STRIA_OK;
    }
    if (n > r->n - r->at)
        return stria_error_set(error_get(), STRIA_ERR_ARGUMENT, r->schema->name, param->name, NULL, NULL,
                               "%s is longer than the call", param->name);
    r->long_list = stria_object_new(((size_t)n + 1) * sizeof *r->long_list);
    if (!r->long_list)
        return stria_error_set(error_get(), STRIA_ERR_MEMORY, r->schema->name, NULL, NULL, NULL, "no memory for %s",
                               param->name);
    for (int k = 0; k < n; k++) r->long_list[k] = stria_abi_get_int64(next(r));
    *field = (stria_int_or_list){0, r->long_list, n};
    return STRIA_OK;
}

/* A text that is too long keeps one character too many; what is no ASCII becomes DEL, which no row takes. */
static const char *read_text(reader *r)
{
    const int n = read_count(r, STRIA_MAX_TEXT);

    for (int k = 0; k < n; k++) {
        const int code = stria_abi_get_int(next(r));
        r->text[k] = (char)(code > 0 && code < 127 ? code : 127);
    }
    r->text[n > 0 ? n : 0] = 0;
    return r->text;
}

static stria_status read_generator(reader *r, const stria_param *param, stria_generator **field)
{
    return stria_abi_get_generator(next(r), r->schema->name, param->name, field);
}

/* An attribute that is one number; false: of another kind, or a number that may be refused. */
static inline bool read_one(const stria_param *param, double value, char *field)
{
    switch ((stria_param_kind)param->kind) {
    case STRIA_KIND_AXIS: *(int *)(void *)field = stria_abi_get_int(value); return true;
    case STRIA_KIND_INT: *(int64_t *)(void *)field = stria_abi_get_int64(value); return true;
    case STRIA_KIND_NUMBER: *(double *)(void *)field = value; return true;
    case STRIA_KIND_FLAG: *(bool *)(void *)field = value != 0; return true;
    case STRIA_KIND_DTYPE: *(stria_dtype *)(void *)field = STRIA_DTYPE_NONE; return value == -1;
    default: return false;
    }
}

static stria_status read_attribute(reader *r, const stria_param *param, char *field)
{
    stria_scalar scalar;

    switch ((stria_param_kind)param->kind) {
    case STRIA_KIND_AXIS:
    case STRIA_KIND_INT:
    case STRIA_KIND_NUMBER:
    case STRIA_KIND_FLAG: read_one(param, next(r), field); break;
    case STRIA_KIND_WORD: *(int *)(void *)field = stria_abi_get_int(next(r)); break;
    case STRIA_KIND_TEXT: *(const char **)(void *)field = read_text(r); break;
    case STRIA_KIND_DTYPE: return stria_abi_get_dtype(next(r), r->schema->name, true, (stria_dtype *)(void *)field);
    case STRIA_KIND_DEVICE: {
        const double type = next(r);
        *(stria_device *)(void *)field = stria_abi_get_device(type, next(r));
        break;
    }
    case STRIA_KIND_INTS:
        for (int k = 0; k < param->n; k++) ((int64_t *)(void *)field)[k] = stria_abi_get_int64(next(r));
        break;
    case STRIA_KIND_AXES: {
        const int n = read_count(r, STRIA_MAX_DIMS);
        int      *at = r->axes[r->n_axes++ % 2];
        for (int k = 0; k < n; k++) at[k] = stria_abi_get_int(next(r));
        *(stria_axes *)(void *)field = n < 0 ? (stria_axes){NULL, 0} : (stria_axes){at, n};
        break;
    }
    case STRIA_KIND_SHAPE:
    case STRIA_KIND_INT_LIST: {
        const int most = param->kind == STRIA_KIND_SHAPE ? STRIA_MAX_DIMS : STRIA_MAX_INTS;
        int64_t  *at = param->kind == STRIA_KIND_SHAPE ? r->sizes : r->ints;
        const int n = read_count(r, most);
        for (int k = 0; k < n && k < most; k++) at[k] = stria_abi_get_int64(next(r));
        *(stria_sizes *)(void *)field = (stria_sizes){at, n};
        break;
    }
    case STRIA_KIND_GENERATOR: return read_generator(r, param, (stria_generator **)(void *)field);
    case STRIA_KIND_INT_OR_LIST: return read_int_or_list(r, param, (stria_int_or_list *)(void *)field);
    case STRIA_KIND_SCALAR:
        if (!stria_abi_get_scalar(-1 - stria_abi_get_int(next(r)), &scalar))
            return stria_error_set(error_get(), STRIA_ERR_ARGUMENT, r->schema->name, param->name, "a number", NULL,
                                   "%s is no number", param->name);
        *(stria_scalar *)(void *)field = scalar;
        break;
    default: break; /* OPTIONS is no parameter */
    }
    return STRIA_OK;
}

/* What a call is made of, beside lists. Of attrs the fields of the row are set, and no more. */
typedef struct parts {
    const stria_tensor *in[STRIA_MAX_TENSORS];
    stria_tensor       *out[STRIA_MAX_OUTPUTS];
    stria_any_attrs     attrs;
} parts;

static stria_status read_call(reader *r, stria_call *call, parts *p)
{
    const stria_schema *schema = r->schema;

    for (int k = 0; k < schema->n_tensors; k++) {
        const stria_param *param = &schema->tensors[k];
        if (stria_param_is_list(param))
            STRIA_TRY(read_list(r, param));
        else
            STRIA_TRY(read_tensor(r, param->name, &p->in[k]));
    }
    if (r->n_lists > 0) {
        call->list = r->lists[0].at;
        call->n_list = r->lists[0].n;
    }
    for (int k = 0; k < schema->n_attributes; k++)
        STRIA_TRY(read_attribute(r, &schema->attributes[k], (char *)&p->attrs + schema->attributes[k].offset));
    for (int k = 0; k < schema->n_outputs && !stria_schema_makes_list(schema); k++) {
        const double handle = next(r);
        if (handle == 0) continue;
        p->out[k] = stria_abi_get_tensor(handle, schema->name, "out");
        if (!p->out[k]) return STRIA_ERR_DISPOSED;
    }
    return STRIA_OK;
}

/* Handles of new outputs into n[], 0 for those that were given; the first is returned. */
static double put_outputs(const stria_schema *schema, stria_tensor *const *given, stria_tensor *const *out)
{
    double *n = stria_abi_get_scratch()->n, failure = 0;

    for (int k = 0; k < schema->n_outputs; k++) {
        n[k] = 0;
        if (given[k] != NULL) continue;
        if (failure < 0) {
            stria_tensor_release(out[k]);
            continue;
        }
        n[k] = stria_abi_put_tensor(out[k]);
        if (n[k] < 0) failure = n[k];
    }
    for (int k = 0; k < schema->n_outputs && failure < 0; k++)
        if (n[k] > 0) stria_abi_dispose(n[k]);
    return failure < 0 ? failure : n[0];
}

/* ---------------------------------------------------------------- lists of results */

#if defined(__EMSCRIPTEN__)
#define PER_THREAD
#else
#define PER_THREAD _Thread_local
#endif
/* What the last call has made, until it is handed out: tensors before `next` are the caller's. */
static PER_THREAD struct {
    stria_tensor_list list;
    int               next;
} made;

void stria_abi_drop_list(void)
{
    if (made.list.at != NULL) stria_tensor_list_release(&made.list);
    made.next = 0;
}

double stria_abi_list_next(void)
{
    double *n = stria_abi_get_scratch()->n;
    int     count = 0;

    while (made.next < made.list.n && count < STRIA_ABI_NUMBERS) {
        stria_tensor *x = made.list.at[made.next];
        made.list.at[made.next++] = NULL;
        n[count] = stria_abi_put_tensor(x);
        if (n[count] < 0) {
            const double failure = n[count];
            while (count > 0) stria_abi_dispose(n[--count]);
            stria_abi_drop_list();
            return failure;
        }
        count++;
    }
    if (made.next == made.list.n) stria_abi_drop_list();
    return count;
}

/* ---------------------------------------------------------------- calls */

/* What most calls are: tensors, attributes that are one number each, one new output. False: the reader is needed. */
static bool read_plain(const stria_schema *schema, const double *n, int count, parts *p)
{
    const int n_tensors = schema->n_tensors, n_attributes = schema->n_attributes;

    if (schema->n_outputs != 1 || count != n_tensors + n_attributes + 1 || n[count - 1] != 0 ||
        stria_schema_makes_list(schema))
        return false;
    p->in[0] = NULL;
    for (int k = 0; k < n_tensors; k++, n++) {
        const stria_param_kind kind = (stria_param_kind)schema->tensors[k].kind;
        const bool             is_left_out = kind == STRIA_KIND_OPTIONAL && *n == 0;
        if (!(*n > 0 || is_left_out) || stria_param_is_list(&schema->tensors[k])) return false;
        p->in[k] = is_left_out ? NULL : stria_abi_get_tensor(*n, schema->name, schema->tensors[k].name);
        if (p->in[k] == NULL && !is_left_out) return false;
    }
    for (int k = 0; k < n_attributes; k++)
        if (!read_one(&schema->attributes[k], n[k], (char *)&p->attrs + schema->attributes[k].offset)) return false;
    return true;
}

static double call_plain(int function, const parts *p)
{
    stria_abi_scratch *scratch = stria_abi_get_scratch();
    stria_tensor      *out = NULL;
    const stria_call   call = {STRIA_ROW_OF_FUNCTION(function), 0, p->in, NULL, 0, &p->attrs, &out, NULL};
    const stria_status status = stria_call_run(&call, &scratch->error);

    return status == STRIA_OK ? scratch->n[0] = stria_abi_put_tensor(out) : -(double)status;
}

static __attribute__((noinline)) double call_read(double function, double n_numbers);

double stria_abi_call(double function, double n_numbers)
{
    parts p; /* what is not read is not set */

    if (!(function >= 0 && function < STRIA_FN_COUNT))
        return -(double)stria_error_set(error_get(), STRIA_ERR_ARGUMENT, "call", "function", NULL, NULL,
                                        "no such function");
    const stria_schema *schema = stria_schema_get((stria_function)function);
    const double       *n = stria_abi_get_scratch()->n;
    if (made.list.at == NULL && n_numbers >= 1 && n_numbers <= STRIA_ABI_NUMBERS &&
        read_plain(schema, n, (int)n_numbers, &p))
        return call_plain((int)function, &p);
    return call_read(function, n_numbers);
}

/* Any call. */
static double call_read(double function, double n_numbers)
{
    stria_abi_scratch *scratch = stria_abi_get_scratch();
    parts              p; /* its attributes are not cleared */
    stria_tensor      *out[STRIA_MAX_OUTPUTS];
    stria_status       status;

    stria_call call = {STRIA_ROW_OF_FUNCTION((int)function), 0, p.in, NULL, 0, &p.attrs, out, &made.list};
    reader     r; /* its lists are not cleared */
    r.schema = stria_schema_get((stria_function)function);
    r.numbers = scratch->n;
    r.at = r.n_owned = r.n_axes = r.n_lists = 0;
    r.long_list = NULL;
    memset(&p, 0, offsetof(parts, attrs));
    stria_abi_drop_list();
    r.n = stria_abi_get_int(n_numbers);
    if (r.n < 0 || r.n > STRIA_ABI_NUMBERS) r.n = r.n < 0 ? 0 : STRIA_ABI_NUMBERS;
    status = read_call(&r, &call, &p);
    memcpy(out, p.out, sizeof out);
    if (status == STRIA_OK)
        status = stria_schema_is_update(r.schema) ? stria_call_run_lists(&call, r.lists, &scratch->error)
                                                  : stria_call_run(&call, &scratch->error);
    for (int k = 0; k < r.n_owned; k++) stria_tensor_release(r.owned[k]);
    for (int k = 0; k < r.n_lists; k++) stria_object_release((void *)(uintptr_t)r.lists[k].at);
    if (r.long_list != NULL) stria_object_release(r.long_list);
    if (status == STRIA_OK && stria_schema_makes_list(r.schema)) {
        const double n = made.list.n, first = stria_abi_list_next();
        return first < 0 ? first : n;
    }
    if (status == STRIA_OK && stria_schema_is_update(r.schema)) return 0;
    return status == STRIA_OK ? put_outputs(r.schema, p.out, out) : -(double)status;
}
