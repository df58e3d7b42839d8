/* derivative_call.c - see derivative_call.h. */
#include "derivative_call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stria_autograd.h"
#include "table/rows.h"

/* ---------------------------------------------------------------- what is known of rows */

typedef struct sample {
    const char *row, *text;
} sample;
static const sample samples[] = {
#define CALL(row, text) {#row, text},
#include "gradient_samples.def"
};
enum { N_SAMPLES = sizeof samples / sizeof *samples };

static const struct {
    const char *row;
    double      low, high;
} ranges[] = {
#define RANGE(row, low, high) {#row, low, high},
#include "gradient_samples.def"
};

static const char *const conventions[] = {
#define BY_CONVENTION(row) #row,
#include "gradient_samples.def"
};

bool derivative_is_measurable(const char *row)
{
    for (size_t k = 0; k < sizeof conventions / sizeof *conventions; k++)
        if (strcmp(conventions[k], row) == 0) return false;
    return true;
}

int derivative_count_texts(const char *row)
{
    int n = 0;

    for (int k = 0; k < N_SAMPLES; k++) n += strcmp(samples[k].row, row) == 0;
    return n;
}

static const char *get_text(const char *row, int number)
{
    for (int k = 0; k < N_SAMPLES; k++)
        if (strcmp(samples[k].row, row) == 0 && number-- == 0) return samples[k].text;
    return NULL;
}

/* Where elements are drawn from: what samples.def says of an op, but no further than 3 from 0. */
static void get_range(const char *row, double *low, double *high)
{
    *low = -3;
    *high = 3;
    for (int k = 0; k < STRIA_OP_COUNT; k++) {
        if (strcmp(oracle_ops[k].name, row) != 0) continue;
        *low = fmax(*low, oracle_ops[k].low);
        *high = fmin(*high, oracle_ops[k].high);
    }
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        if (strcmp(ranges[k].row, row) != 0) continue;
        *low = ranges[k].low;
        *high = ranges[k].high;
    }
}

/* ---------------------------------------------------------------- tensors */

static random_state *chances;
static const char   *row_name;

static int pick(int n) { return (int)(random_next(chances) % (uint64_t)n); }

/* What a tensor is filled with. */
typedef struct filling {
    stria_dtype dtype;
    double      low, high; /* of floats */
    int         below;     /* of i64: 0 .. below - 1 */
    bool        is_place;  /* of i64: the place along the last axis, from the end */
    bool        has_zeros; /* of floats: two of three are 0 */
} filling;

static void fill(stria_tensor *x, const filling *f)
{
    const int    ndim = stria_tensor_get_ndim(x);
    int64_t      index[DERIVATIVE_DIMS + 1] = {0};
    const double width = f->high - f->low;

    for (int64_t k = 0; k < stria_tensor_get_numel(x); k++) {
        value v = value_from_real(f->low + width * random_unit(chances));
        v.imag = f->low + width * random_unit(chances);
        if (f->has_zeros && k % 3 != 0) v.real = v.imag = 0;
        if (f->dtype == STRIA_I64 && f->is_place)
            v = value_from_whole(ndim > 0 ? stria_tensor_get_shape(x)[ndim - 1] - 1 - index[ndim - 1] : 0);
        else if (f->dtype == STRIA_I64 || f->dtype == STRIA_BOOL)
            v = value_from_whole(pick(f->below));
        value_set(f->dtype, v, tensor_at(x, index));
        index_next(ndim, stria_tensor_get_shape(x), index);
    }
}

/* Of some layout: row-major, transposed, reversed, every second element of something larger. */
static stria_tensor *new_tensor(const filling *f, int ndim, const int64_t *shape)
{
    int64_t       larger[DERIVATIVE_DIMS] = {0};
    stria_tensor *base = NULL, *x = NULL;
    const int     layout = ndim > 0 ? pick(5) : 0, axis = ndim > 0 ? pick(ndim) : 0;

    for (int d = 0; d < ndim; d++) larger[d] = shape[d];
    if (layout == 1) larger[axis] = 2 * shape[axis] + 1;
    if (layout == 2) larger[0] = shape[ndim - 1], larger[ndim - 1] = shape[0];
    CHECK_STATUS(stria_tensor_new(f->dtype, ndim, larger, &base, NULL), STRIA_OK);
    if (layout == 1)
        CHECK_STATUS(stria_slice(base, axis, 1, INT64_MAX, 2, &x, NULL), STRIA_OK);
    else if (layout == 2)
        CHECK_STATUS(stria_transpose(base, 0, -1, &x, NULL), STRIA_OK);
    else if (layout == 3)
        CHECK_STATUS(stria_flip(base, &axis, 1, &x, NULL), STRIA_OK);
    else
        x = stria_tensor_retain(base);
    stria_tensor_release(base);
    fill(x, f);
    return x;
}

static void add_input(derivative_call *d, const stria_tensor **place, const filling *f, int ndim, const int64_t *shape)
{
    derivative_input *in = &d->in[d->n_in++];

    *in = (derivative_input){.place = place, .n_expanded = -1};
    in->x = new_tensor(f, ndim, shape);
    in->is_leaf = dtype_is_float(f->dtype) || dtype_is_complex(f->dtype);
    if (in->is_leaf) CHECK_STATUS(stria_tensor_set_requires_grad(in->x, true, NULL), STRIA_OK);
    *place = in->x;
}

/* ---------------------------------------------------------------- by chance */

typedef struct chance_shapes {
    int     ndim, size;
    int64_t shape[DERIVATIVE_DIMS];
} chance_shapes;

/* The shape of one more tensor: often that of the others, perhaps one that broadcasts with it. */
static int pick_shape(const chance_shapes *s, int64_t *shape)
{
    const int kind = pick(8), dropped = kind == 6 && s->ndim > 0 ? 1 + pick(s->ndim) : 0;

    if (kind == 7) {
        const int ndim = pick(4);
        for (int d = 0; d < ndim; d++) shape[d] = s->size;
        return ndim;
    }
    for (int d = dropped; d < s->ndim; d++) shape[d - dropped] = kind == 5 && pick(2) ? 1 : s->shape[d];
    return s->ndim - dropped;
}

static bool is_named(const char *name, const char *list)
{
    const size_t n = strlen(name);

    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0)) return true;
    return false;
}

static filling pick_filling(const char *name, stria_dtype dtype)
{
    filling f = {.dtype = dtype, .below = 2};

    get_range(row_name, &f.low, &f.high);
    if (is_named(name, "index indices")) f.dtype = STRIA_I64;
    if (is_named(name, "mask")) f.dtype = STRIA_BOOL;
    return f;
}

static void add_by_chance(derivative_call *d, const stria_tensor **place, const char *name, const chance_shapes *s,
                          stria_dtype dtype)
{
    int64_t       shape[DERIVATIVE_DIMS];
    const filling f = pick_filling(name, pick(8) ? dtype : STRIA_F64);
    const int     ndim = d->n_in == 0 ? s->ndim : pick_shape(s, shape);

    if (d->n_in == 0) memcpy(shape, s->shape, sizeof shape);
    add_input(d, place, &f, ndim, shape);
    derivative_input *in = &d->in[d->n_in - 1];
    if (!in->is_leaf || pick(8) != 0 || s->ndim == DERIVATIVE_DIMS) return;
    in->n_expanded = ndim + 1;
    in->expanded[0] = 2;
    for (int k = 0; k < ndim; k++) in->expanded[k + 1] = shape[k];
}

static void set_by_chance(row_call *c, const stria_param *param, const chance_shapes *s)
{
    void   *field = (char *)&c->attrs + param->offset;
    int     axes[2];
    int64_t sizes[4];

    switch ((stria_param_kind)param->kind) {
    case STRIA_KIND_AXIS: *(int *)field = pick(5) - 2; break;
    case STRIA_KIND_WORD: {
        int n = 1;
        while (stria_words_has(param->words, n)) n++;
        *(int *)field = pick(n);
        break;
    }
    case STRIA_KIND_INT: *(int64_t *)field = pick(4) - 1; break;
    case STRIA_KIND_NUMBER: *(double *)field = 0.5 * (1 + pick(6)); break;
    case STRIA_KIND_FLAG: *(bool *)field = pick(2); break;
    case STRIA_KIND_SCALAR: *(stria_scalar *)field = (stria_scalar){STRIA_SCALAR_FLOAT, 0, 0.5 * pick(5) - 1, 0}; break;
    case STRIA_KIND_AXES:
        for (int k = 0; k < 2; k++) axes[k] = pick(4) - 2;
        *(stria_axes *)field = row_call_keep_axes(c, axes, 1 + pick(2));
        break;
    case STRIA_KIND_SHAPE: { /* some of the last sizes, or all in one */
        const int n = pick(s->ndim + 1);
        sizes[0] = -1;
        *(stria_sizes *)field =
            pick(3) ? row_call_keep_sizes(c, s->shape + s->ndim - n, n) : row_call_keep_sizes(c, sizes, 1);
        break;
    }
    case STRIA_KIND_INT_LIST:
    case STRIA_KIND_INT_OR_LIST:
        for (int k = 0; k < 4; k++) sizes[k] = 1 + pick(2);
        if (param->kind == STRIA_KIND_INT_LIST)
            *(stria_sizes *)field = row_call_keep_sizes(c, sizes, 1 + pick(4));
        else
            *(stria_int_or_list *)field = (stria_int_or_list){1 + pick(2), NULL, 0};
        break;
    default: break;
    }
}

static void begin_by_chance(derivative_call *d)
{
    row_call         *c = &d->call;
    chance_shapes     s = {.ndim = pick(4), .size = 2 + pick(2)};
    const bool        is_square = pick(3) > 0;
    const stria_dtype dtype = pick(4) ? STRIA_F64 : STRIA_C128;
    const stria_param x = {.name = "x", .kind = STRIA_KIND_IN}, *tensors = c->schema ? c->schema->tensors : NULL;
    const int         n = c->schema ? c->schema->n_tensors : c->call.n_in;

    for (int k = 0; k < s.ndim; k++) s.shape[k] = is_square ? s.size : 1 + pick(3);
    if (s.ndim > 0 && pick(16) == 0) s.shape[pick(s.ndim)] = 0;
    for (int k = 0; k < n; k++) {
        const stria_param *param = tensors ? &tensors[k] : &x;
        if (param->kind == STRIA_KIND_LIST) break;
        if (param->kind == STRIA_KIND_OPTIONAL && pick(2)) continue;
        const bool is_condition = tensors == NULL && c->call.row == STRIA_ROW_OF_OP(STRIA_OP_where) && k == 0;
        add_by_chance(d, &c->in[k], is_condition ? "mask" : param->name, &s, dtype);
    }
    if (c->schema == NULL) {
        const int axes[] = {pick(3) - 1, pick(3) - 1};
        if (c->call.row < STRIA_OP_COUNT) return;
        c->attrs.reduce.keepdim = pick(2);
        if (pick(2)) c->attrs.reduce.axes = row_call_keep_axes(c, axes, 1 + pick(2));
        return;
    }
    if (stria_schema_has_list(c->schema)) {
        c->call.n_list = 1 + pick(3);
        for (int k = 0; k < c->call.n_list; k++) add_by_chance(d, &c->list[k], tensors[n - 1].name, &s, dtype);
    }
    for (int k = 0; k < c->schema->n_attributes; k++) {
        const stria_param *param = &c->schema->attributes[k];
        const bool         is_needed = param->usual == NULL || strcmp(param->usual, "REQUIRED") == 0;
        if (is_needed || pick(2)) set_by_chance(c, param, &s);
    }
}

/* ---------------------------------------------------------------- as a text says */

/* The place of a tensor in the call; those of the list one after another. */
static const stria_tensor **find_place(row_call *c, const char *name, size_t length)
{
    for (int k = 0; c->schema != NULL && k < c->schema->n_tensors; k++) {
        const stria_param *param = &c->schema->tensors[k];
        if (strlen(param->name) != length || strncmp(param->name, name, length) != 0) continue;
        if (stria_schema_is_update(c->schema)) { /* lists of one tensor each; those left out are NULL */
            c->call.n_list = c->schema->n_tensors - stria_schema_count_single(c->schema);
            return &c->list[k - stria_schema_count_single(c->schema)];
        }
        return param->kind == STRIA_KIND_LIST ? &c->list[c->call.n_list++] : &c->in[k];
    }
    return c->schema == NULL && length == 1 && name[0] >= 'a' && name[0] <= 'c' ? &c->in[name[0] - 'a'] : &c->in[0];
}

/* x[2,3], index[4]<3, mask[2]?, places[3]@, p[2]+ */
static void add_as_said(derivative_call *d, const char *word, stria_dtype dtype)
{
    const char          *at = strchr(word, '[');
    int64_t              shape[DERIVATIVE_DIMS];
    int                  ndim = 0;
    filling              f = {.dtype = dtype, .below = 2};
    const stria_tensor **place = find_place(&d->call, word, (size_t)(at - word));

    get_range(row_name, &f.low, &f.high);
    for (at++; *at != ']'; at += *at == ',') shape[ndim++] = strtol(at, (char **)&at, 10);
    at++;
    if (*at == '<') f.dtype = STRIA_I64, f.below = (int)strtol(at + 1, NULL, 10);
    if (*at == '@') f.dtype = STRIA_I64, f.is_place = true;
    if (*at == '?') f.dtype = STRIA_BOOL;
    if (*at == '+') f.low = 0.1, f.high = 0.9;
    if (*at == '*') f.has_zeros = true;
    add_input(d, place, &f, ndim, shape);
}

static void begin_as_said(derivative_call *d)
{
    const stria_dtype dtype = pick(3) ? STRIA_F64 : STRIA_C128;
    const char       *at = d->text;
    char              word[128];
    int               length;

    while (sscanf(at, " %127s%n", word, &length) == 1) {
        char *equals = strchr(word, '=');
        at += length;
        if (equals == NULL) {
            add_as_said(d, word, dtype);
            continue;
        }
        *equals = 0;
        json *value = d->values[d->n_values++] = json_parse(equals + 1, strlen(equals + 1));
        CHECK(value && row_call_set(&d->call, word, value), "%s: no attribute %s in '%s'", row_name, word, d->text);
    }
}

/* ---------------------------------------------------------------- calls */

void derivative_call_begin(derivative_call *d, random_state *random, stria_row row, int k)
{
    chances = random;
    row_name = stria_row_get_name(row);
    memset(d, 0, sizeof *d);
    row_call_begin(&d->call, row);
    d->text = get_text(row_name, k);
    if (d->text != NULL)
        begin_as_said(d);
    else
        begin_by_chance(d);
}

void derivative_call_end(derivative_call *d)
{
    row_call_release(&d->call);
    for (int k = 0; k < d->n_in; k++) stria_tensor_release(d->in[k].x);
    for (int k = 0; k < d->n_values; k++) json_free(d->values[k]);
}

stria_status derivative_call_run(derivative_call *d, stria_error *err)
{
    stria_tensor *expanded[DERIVATIVE_INPUTS] = {NULL};
    stria_status  status = STRIA_OK;

    for (int k = 0; k < d->n_in && status == STRIA_OK; k++) {
        derivative_input *in = &d->in[k];
        if (in->n_expanded < 0) continue;
        status = stria_expand(in->x, in->expanded, in->n_expanded, &expanded[k], err);
        *in->place = expanded[k];
    }
    stria_generator_set_seed(NULL, 5);
    if (status == STRIA_OK) status = row_call_run(&d->call, err);
    for (int k = 0; k < d->n_in; k++) {
        *d->in[k].place = d->in[k].x;
        stria_tensor_release(expanded[k]);
    }
    return status;
}

const char *derivative_call_describe(const derivative_call *d)
{
    static char text[512];
    int         n = snprintf(text, sizeof text, "%s:", stria_row_get_name(d->call.call.row));

    for (int k = 0; k < d->n_in; k++) {
        const stria_tensor *x = d->in[k].x;
        n += snprintf(text + n, sizeof text - (size_t)n, " %s[", stria_dtype_get_name(stria_tensor_get_dtype(x)));
        for (int i = 0; i < stria_tensor_get_ndim(x); i++)
            n += snprintf(text + n, sizeof text - (size_t)n, i ? ",%d" : "%d", (int)stria_tensor_get_shape(x)[i]);
        n += snprintf(text + n, sizeof text - (size_t)n, d->in[k].n_expanded >= 0 ? "] expanded" : "]");
    }
    snprintf(text + n, sizeof text - (size_t)n, "%s%s", d->text ? ", as " : "", d->text ? d->text : "");
    return text;
}
