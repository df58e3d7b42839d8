/* cuda_scene.c - see cuda_scene.h. */
#include "cuda_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table/rows.h"

static const struct {
    const char *row, *text;
} forms[] = {
#define FORM(row, text) {#row, text},
#include "cuda_forms.def"
};
enum { N_FORMS = sizeof forms / sizeof *forms };

/* ---------------------------------------------------------------- what a call is */

const char *cuda_scene_describe(cuda_scene *s)
{
    size_t n = (size_t)snprintf(s->text, sizeof s->text, "round %lld call %d, %s:", (long long)s->round, s->number,
                                stria_row_get_name(s->call.call.row));
    for (int k = 0; k < s->n_in + STRIA_MAX_OUTPUTS && n < sizeof s->text - 200; k++) {
        const chance_twin *t = k < s->n_in ? s->in[k] : s->out[k - s->n_in];
        if (t == NULL) continue;
        const stria_tensor *x = t->on[0];
        n += (size_t)snprintf(s->text + n, sizeof s->text - n, "%s %s[", k < s->n_in ? "" : " out",
                              stria_dtype_get_name(x->dtype));
        for (int d = 0; d < x->ndim; d++)
            n += (size_t)snprintf(s->text + n, sizeof s->text - n, d ? " %d:%d" : "%d:%d", (int)x->shape[d],
                                  (int)x->strides[d]);
        n += (size_t)snprintf(s->text + n, sizeof s->text - n, "]%s%s", x->is_wrapped_number ? "number" : "",
                              t->on[1]->device.type == STRIA_DEVICE_CPU ? "cpu" : "");
    }
    const stria_schema *schema = s->call.schema;
    for (int k = 0; schema != NULL && k < schema->n_attributes && n < sizeof s->text - 60; k++) {
        const stria_param *p = &schema->attributes[k];
        const void        *field = (const char *)&s->call.attrs + p->offset;
        n += (size_t)snprintf(s->text + n, sizeof s->text - n, " %s=", p->name);
        switch ((stria_param_kind)p->kind) {
        case STRIA_KIND_AXIS:
        case STRIA_KIND_WORD: n += (size_t)snprintf(s->text + n, 20, "%d", *(const int *)field); break;
        case STRIA_KIND_INT: n += (size_t)snprintf(s->text + n, 30, "%lld", (long long)*(const int64_t *)field); break;
        case STRIA_KIND_NUMBER: n += (size_t)snprintf(s->text + n, 30, "%g", *(const double *)field); break;
        case STRIA_KIND_FLAG: n += (size_t)snprintf(s->text + n, 30, "%d", *(const bool *)field); break;
        case STRIA_KIND_DTYPE: n += (size_t)snprintf(s->text + n, 30, "%d", (int)*(const stria_dtype *)field); break;
        case STRIA_KIND_SCALAR:
            n += (size_t)snprintf(s->text + n, 40, "%lld/%g", (long long)((const stria_scalar *)field)->i,
                                  ((const stria_scalar *)field)->re);
            break;
        case STRIA_KIND_SHAPE:
        case STRIA_KIND_INT_LIST:
            for (int i = 0; i < ((const stria_sizes *)field)->n && i < 6; i++)
                n += (size_t)snprintf(s->text + n, 30, "%lld,", (long long)((const stria_sizes *)field)->at[i]);
            break;
        default: break;
        }
    }
    if (schema == NULL && s->call.call.row >= STRIA_OP_COUNT && n < sizeof s->text - 60) {
        const stria_reduce_attrs *a = &s->call.attrs.reduce;
        for (int i = 0; i < a->axes.n; i++) n += (size_t)snprintf(s->text + n, 20, " axis %d", a->axes.at[i]);
        snprintf(s->text + n, 40, " keepdim %d dtype %d", a->keepdim, (int)a->dtype);
    }
    return s->text;
}

/* ---------------------------------------------------------------- tensors of a call */

static int pick(cuda_scene *s, int n) { return chance_pick(s->c, n); }

static void add(cuda_scene *s, int place, chance_twin *t)
{
    s->in[s->n_in] = t;
    s->place[s->n_in++] = place;
}

bool cuda_scene_is_named(const char *name, const char *list)
{
    const size_t n = strlen(name);

    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0)) return true;
    return false;
}

static chance_filling pick_filling(cuda_scene *s)
{
    return pick(s, 2) ? FILL_ANY : pick(s, 2) ? FILL_SMALL : FILL_REAL;
}

/* One more tensor, which often fits those before. */
static chance_twin *pick_tensor(cuda_scene *s, const char *name)
{
    int64_t        shape[STRIA_MAX_DIMS];
    int            ndim;
    const bool     has_first = s->n_in > 0 && s->in[0]->on[0]->ndim > 0;
    stria_dtype    dtype = s->n_in > 0 && pick(s, 2) ? s->in[0]->on[0]->dtype : chance_pick_dtype(s->c);
    chance_filling filling = pick_filling(s);

    if (s->c->n_kept > 0 && pick(s, 3) == 0) return chance_look(s->c);
    if (cuda_scene_is_named(name, "index indices target")) {
        dtype = pick(s, 3) ? STRIA_I64 : STRIA_I32;
        s->c->below = has_first ? s->in[0]->on[0]->shape[pick(s, s->in[0]->on[0]->ndim)] : 2;
        filling = FILL_BELOW;
    }
    if (cuda_scene_is_named(name, "mask condition")) dtype = STRIA_BOOL;
    if (!has_first || pick(s, 10) == 0) {
        ndim = chance_pick_shape(s->c, shape);
    } else {
        const stria_tensor *first = s->in[0]->on[0];
        const int           kind = pick(s, 6), dropped = kind == 0 ? pick(s, first->ndim + 1) : 0;
        ndim = first->ndim - dropped;
        for (int d = 0; d < ndim; d++) shape[d] = kind == 1 && pick(s, 2) ? 1 : first->shape[dropped + d];
    }
    return chance_new(s->c, dtype, filling, ndim, shape);
}

static chance_twin *pick_operand(cuda_scene *s, const char *name)
{
    if (s->n_in > 0 && pick(s, 6) == 0) return chance_new_number(s->c);
    if (s->n_in > 0 && pick(s, 8) == 0) return chance_new_on_cpu(s->c, chance_pick_dtype(s->c));
    return pick_tensor(s, name);
}

/* ---------------------------------------------------------------- attributes */

static void set_by_chance(cuda_scene *s, const stria_param *param)
{
    row_call           *c = &s->call;
    void               *field = (char *)&c->attrs + param->offset;
    const stria_tensor *x = s->n_in > 0 ? s->in[0]->on[0] : NULL;
    const int           ndim = x != NULL ? x->ndim : 2;
    int                 axes[3];
    int64_t             sizes[8] = {1};

    switch ((stria_param_kind)param->kind) {
    case STRIA_KIND_AXIS: *(int *)field = pick(s, 20) && ndim > 0 ? pick(s, 2 * ndim) - ndim : pick(s, 6) - 3; break;
    case STRIA_KIND_WORD: {
        int n = 1;
        while (stria_words_has(param->words, n)) n++;
        *(int *)field = pick(s, n);
        break;
    }
    case STRIA_KIND_INT: *(int64_t *)field = pick(s, 12) ? pick(s, 6) - 1 : 40; break;
    case STRIA_KIND_INTS:
        for (int k = 0; k < param->n; k++) ((int64_t *)field)[k] = pick(s, 3);
        break;
    case STRIA_KIND_NUMBER: {
        static const double numbers[] = {0, 0.5, 1, 1.5, 2, 3, -1, INFINITY, 1e-5, 0.1};
        *(double *)field = numbers[pick(s, 10)];
        break;
    }
    case STRIA_KIND_FLAG: *(bool *)field = pick(s, 2); break;
    case STRIA_KIND_DTYPE: *(stria_dtype *)field = pick(s, 2) ? STRIA_DTYPE_NONE : chance_pick_dtype(s->c); break;
    case STRIA_KIND_SCALAR:
        *(stria_scalar *)field =
            (stria_scalar){(stria_scalar_kind)(1 + pick(s, 2)), pick(s, 9) - 2, 0.5 * pick(s, 9) - 1, 0};
        break;
    case STRIA_KIND_AXES:
        for (int k = 0; k < 3; k++) axes[k] = ndim > 0 ? pick(s, 2 * ndim) - ndim : 0;
        *(stria_axes *)field = row_call_keep_axes(c, axes, 1 + pick(s, 2));
        break;
    case STRIA_KIND_SHAPE: {
        const int n = x != NULL ? pick(s, ndim + 1) : chance_pick_shape(s->c, sizes);
        if (x != NULL && n <= 8) memcpy(sizes, x->shape + ndim - n, sizeof *sizes * (size_t)n);
        if (x != NULL && pick(s, 3) == 0) sizes[0] = -1;
        *(stria_sizes *)field = row_call_keep_sizes(c, sizes, n > 0 ? n : x != NULL);
        break;
    }
    case STRIA_KIND_INT_LIST:
    case STRIA_KIND_INT_OR_LIST:
        for (int k = 0; k < 8; k++) sizes[k] = pick(s, 4) - (strcmp(param->name, "pad") == 0);
        if (param->kind == STRIA_KIND_INT_LIST)
            *(stria_sizes *)field = row_call_keep_sizes(c, sizes, 2 * (1 + pick(s, 3)));
        else
            *(stria_int_or_list *)field = (stria_int_or_list){1 + pick(s, 3), NULL, 0};
        break;
    default: break;
    }
}

/* ---------------------------------------------------------------- by a form */

static int64_t size_of(const cuda_scene *s, int64_t *letters, char letter)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 9, 17};
    int64_t             *size = &letters[letter & 31];

    if (*size < 0) *size = chance_pick(s->c, 40) ? sizes[chance_pick(s->c, 8)] : 0;
    return *size;
}

static const char *add_by_form(cuda_scene *s, const char *at, int64_t *letters, stria_dtype dtype, int *in_list)
{
    const size_t   length = strcspn(at, "[");
    int64_t        shape[8];
    int            ndim = 0, place = 0;
    chance_filling filling = pick_filling(s);
    const char    *after = at + length + 1;

    for (; *after != ']'; after++) shape[ndim++] = size_of(s, letters, *after);
    after++;
    if (*after == '<') {
        s->c->below = size_of(s, letters, after[1]);
        filling = FILL_BELOW;
        dtype = pick(s, 4) ? STRIA_I64 : pick(s, 3) ? STRIA_I32 : chance_pick_dtype(s->c);
        after += 2;
    } else if (*after == '?') {
        dtype = pick(s, 8) ? STRIA_BOOL : STRIA_U8;
        after++;
    } else if (*after == '+') {
        filling = FILL_POSITIVE;
        after++;
    }
    for (int k = 0; k < s->call.schema->n_tensors; k++) {
        const stria_param *p = &s->call.schema->tensors[k];
        if (strlen(p->name) != length || strncmp(p->name, at, length) != 0) continue;
        place = stria_param_is_list(p)
                    ? STRIA_MAX_TENSORS + 100 * (k - stria_schema_count_single(s->call.schema)) + in_list[k]++
                    : k;
        if (p->kind == STRIA_KIND_OPERAND && pick(s, 3) == 0) {
            add(s, place, pick(s, 2) ? chance_new_number(s->c) : chance_new_on_cpu(s->c, dtype));
            return after;
        }
    }
    add(s, place, chance_new(s->c, dtype, filling, ndim, shape));
    return after;
}

/* The places of lists become numbers of call.list. */
static void place_lists(cuda_scene *s, const int *in_list)
{
    const stria_schema *schema = s->call.schema;
    const int single = stria_schema_count_single(schema), n = schema->n_tensors > single ? in_list[single] : 0;

    for (int k = 0; k < s->n_in; k++) {
        if (s->place[k] < STRIA_MAX_TENSORS) continue;
        const int at = s->place[k] - STRIA_MAX_TENSORS;
        s->place[k] = STRIA_MAX_TENSORS + at / 100 * n + at % 100;
    }
    s->call.call.n_list = n * (schema->n_tensors - single);
}

static void begin_by_form(cuda_scene *s, const char *text)
{
    int64_t           letters[32], sizes[8];
    int               in_list[STRIA_MAX_TENSORS + STRIA_MAX_LISTS] = {0};
    const stria_dtype dtype = pick(s, 4) ? (pick(s, 3) ? STRIA_F32 : STRIA_F64) : chance_pick_dtype(s->c);

    for (int k = 0; k < 32; k++) letters[k] = -1;
    for (const char *at = text; *at != 0;) {
        const size_t word = strcspn(at, "=["), end = strcspn(at, " ");
        if (*at == ' ') {
            at++;
        } else if (at[word] == '[' && word < end) {
            at = add_by_form(s, at, letters, pick(s, 12) ? dtype : chance_pick_dtype(s->c), in_list);
        } else {
            for (int k = 0; k < s->call.schema->n_attributes; k++) {
                const stria_param *p = &s->call.schema->attributes[k];
                void              *field = (char *)&s->call.attrs + p->offset;
                const char        *v = at + word + 1;
                int                n = 0;
                if (strlen(p->name) != word || strncmp(p->name, at, word) != 0) continue;
                if (p->kind == STRIA_KIND_AXIS) *(int *)field = atoi(v);
                if (p->kind == STRIA_KIND_TEXT) *(const char **)field = v;
                if (p->kind == STRIA_KIND_INT)
                    *(int64_t *)field = *v >= 'a' ? size_of(s, letters, *v) : (int64_t)atoi(v);
                if (*v != '[') continue;
                for (v++; *v != ']'; v++) sizes[n++] = size_of(s, letters, *v);
                *(stria_sizes *)field = row_call_keep_sizes(&s->call, sizes, n);
            }
            at += end;
        }
    }
    place_lists(s, in_list);
    for (int k = 0; k < s->call.schema->n_attributes; k++) {
        const stria_param *p = &s->call.schema->attributes[k];
        char               named[64];
        snprintf(named, sizeof named, " %s=", p->name);
        const bool is_needed = strcmp(p->usual ? p->usual : "", "REQUIRED") == 0;
        if (strstr(text, named) == NULL && (is_needed || pick(s, 3) == 0)) set_by_chance(s, p);
    }
}

/* ---------------------------------------------------------------- by chance */

static void begin_by_chance(cuda_scene *s)
{
    row_call           *c = &s->call;
    const stria_schema *schema = c->schema;
    int                 axes[3];

    if (schema == NULL) {
        for (int k = 0; k < c->call.n_in; k++)
            add(s, k, pick_operand(s, c->call.row == STRIA_ROW_OF_OP(STRIA_OP_where) && k == 0 ? "condition" : "a"));
        const int ndim = s->in[0]->on[0]->ndim;
        if (c->call.row < STRIA_OP_COUNT) return;
        c->attrs.reduce.keepdim = pick(s, 2);
        if (pick(s, 6) == 0) c->attrs.reduce.dtype = chance_pick_dtype(s->c);
        for (int k = 0; k < 3; k++) axes[k] = ndim > 0 ? pick(s, 2 * ndim) - ndim : 0;
        if (pick(s, 4)) c->attrs.reduce.axes = row_call_keep_axes(c, axes, 1 + (ndim > 1 ? pick(s, 2) : 0));
        return;
    }
    const int single = stria_schema_count_single(schema);
    for (int k = 0; k < single; k++) {
        const stria_param *p = &schema->tensors[k];
        if (p->kind == STRIA_KIND_OPTIONAL && pick(s, 2)) continue;
        add(s, k, p->kind == STRIA_KIND_OPERAND ? pick_operand(s, p->name) : pick_tensor(s, p->name));
    }
    if (schema->n_tensors > single) {
        const int n = 1 + pick(s, 2);
        c->call.n_list = n * (schema->n_tensors - single);
        for (int k = 0; k < c->call.n_list && k < SCENE_LISTED; k++)
            add(s, STRIA_MAX_TENSORS + k, pick_tensor(s, schema->tensors[single + k / n].name));
    }
    for (int k = 0; k < schema->n_attributes; k++) {
        const stria_param *p = &schema->attributes[k];
        const bool         is_needed = p->usual == NULL || strcmp(p->usual, "REQUIRED") == 0;
        if (is_needed || pick(s, 2)) set_by_chance(s, p);
    }
}

void cuda_scene_begin(cuda_scene *s, stria_row row)
{
    int         found[N_FORMS], n = 0;
    const char *name = stria_row_get_name(row);

    row_call_begin(&s->call, row);
    s->call.call.list = s->list;
    s->n_in = 0;
    memset(s->list, 0, sizeof s->list);
    memset(s->out, 0, sizeof s->out);
    for (int k = 0; k < N_FORMS && s->call.schema != NULL; k++)
        if (strcmp(forms[k].row, name) == 0) found[n++] = k;
    if (n > 0 && pick(s, 8))
        begin_by_form(s, forms[found[pick(s, n)]].text);
    else
        begin_by_chance(s);
}

/* ---------------------------------------------------------------- sides */

/* What a row computes from: its tensors, or the same in f64. */
void cuda_scene_place(cuda_scene *s, int side, stria_tensor *const *wide)
{
    for (int k = 0; k < s->n_in; k++) {
        const stria_tensor *x = wide != NULL ? wide[k] : s->in[k]->on[side];
        if (s->place[k] < STRIA_MAX_TENSORS)
            s->call.in[s->place[k]] = x;
        else
            s->list[s->place[k] - STRIA_MAX_TENSORS] = x;
    }
    for (int k = 0; s->call.schema != NULL && k < s->call.schema->n_attributes; k++) {
        const stria_param *p = &s->call.schema->attributes[k];
        if (p->kind == STRIA_KIND_DEVICE)
            *(stria_device *)((char *)&s->call.attrs + p->offset) = side ? CUDA : STRIA_CPU;
    }
    stria_generator_set_seed(NULL, 77);
}

/* Which outputs are given: like those of the CPU, or what the first input is. */
void cuda_scene_pick_outputs(cuda_scene *s)
{
    const stria_schema *schema = s->call.schema;
    const int           n = schema ? schema->n_outputs : 1;

    if (schema != NULL && (stria_schema_makes_list(schema) || stria_schema_is_update(schema))) return;
    cuda_scene_place(s, 0, NULL);
    if (stria_call_run(&s->call.call, NULL) != STRIA_OK) {
        if (pick(s, 4) == 0 && s->n_in > 0) s->out[0] = s->in[0];
        return;
    }
    for (int k = 0; k < n; k++) {
        const stria_tensor *y = s->call.out[k];
        const int           kind = pick(s, 6);
        if (kind == 0 && s->n_in > 0) s->out[k] = s->in[pick(s, s->n_in)];
        if (kind == 1 && y->numel <= 1 << 16) /* the scene has little memory */
            s->out[k] =
                chance_new(s->c, pick(s, 3) ? y->dtype : chance_pick_dtype(s->c), FILL_SMALL, y->ndim, y->shape);
        if (kind == 2 && s->c->n_kept > 0) s->out[k] = chance_look(s->c);
        if (s->out[k] != NULL &&
            (s->out[k]->on[0]->is_wrapped_number || s->out[k]->on[1]->device.type == STRIA_DEVICE_CPU))
            s->out[k] = NULL;
    }
    row_call_release(&s->call);
}
