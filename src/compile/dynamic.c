/* dynamic.c - graphs for many sizes of a dimension (dynamic.h). */
#include "compile/dynamic.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/meta.h"
#include "io/json.h"
#include "table/dtype.h"

#define OP "graph"

/* ---------------------------------------------------------------- functions of the size */

/* A number of each of three programs, as its text. */
typedef struct numbers {
    const char *at[3];
    size_t      n[3];
} numbers;

static bool is_number(char c) { return c == '-' || (c >= '0' && c <= '9'); }

static bool solve(const int64_t v[3], const int64_t *sizes, int64_t *a, int64_t *b)
{
    int64_t step;

    if (__builtin_sub_overflow(v[1], v[0], &step) || step % (sizes[1] - sizes[0]) != 0) return false;
    *a = step / (sizes[1] - sizes[0]);
    if (__builtin_mul_overflow(*a, sizes[0], b) || __builtin_sub_overflow(v[0], *b, b)) return false;
    return !__builtin_mul_overflow(*a, sizes[2], &step) && !__builtin_add_overflow(step, *b, &step) && step == v[2];
}

static bool find_whole(const numbers *x, const int64_t *sizes, int64_t *a, int64_t *b)
{
    int64_t v[3];

    for (int k = 0; k < 3; k++) {
        if (x->n[k] > 18) return false; /* bits, or more than offsets are */
        v[k] = strtoll(x->at[k], NULL, 10);
    }
    return solve(v, sizes, a, b);
}

static double get_double(const char *text)
{
    const uint64_t bits = strtoull(text, NULL, 10);
    double         x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Numbers of means and of their gradients, '/'; of averages, '*'; and of estimates of a variance, which are u / (u - 1), ':'. */
static const char kinds[] = "/*:";

static double compute(char kind, int64_t c, int64_t value)
{
    if (kind == ':') return (double)value / ((double)value - (double)c);
    return kind == '/' ? (double)c / (double)value : (double)value / (double)c;
}

/* The value of which it is made. */
static double invert(char kind, int64_t c, double y)
{
    if (kind == ':') return (double)c * y / (y - 1);
    return kind == '/' ? (double)c / y : (double)c * y;
}

/* With u = a size + b: c / u, u / c or u / (u - c); kind 0: none of these. */
static char find_real(const numbers *x, const int64_t *sizes, int64_t *c, int64_t *a, int64_t *b)
{
    enum { MOST = 64, KINDS = sizeof kinds - 1 };

    for (int64_t k = 0; k < KINDS * MOST; k++) {
        const char kind = kinds[k % KINDS];
        int64_t    v[3];
        bool       fits = true;
        *c = k / KINDS + 1;
        for (int i = 0; i < 3 && fits; i++) {
            const double y = get_double(x->at[i]), value = invert(kind, *c, y);
            fits = fabs(value) < 0x1p53;
            v[i] = fits ? llrint(value) : 0;
            const double again = compute(kind, *c, v[i]);
            fits = fits && memcmp(&again, &y, sizeof y) == 0;
        }
        if (fits && solve(v, sizes, a, b)) return kind;
    }
    return 0;
}

static bool put_function(stria_json_sink *out, const numbers *x, const int64_t *sizes)
{
    int64_t a, b, c;

    stria_json_put_words(out, "\"@");
    if (!find_whole(x, sizes, &a, &b)) {
        const char kind = find_real(x, sizes, &c, &a, &b);
        if (kind == 0) return false;
        stria_json_put(out, kind);
        stria_json_put_int(out, c);
        stria_json_put(out, ',');
    }
    stria_json_put_int(out, a);
    stria_json_put(out, ',');
    stria_json_put_int(out, b);
    stria_json_put(out, '"');
    return true;
}

/* Where a program is another one: the call that was begun last. */
static stria_status refuse_difference(const char *text, size_t n, stria_error *err)
{
    static const char row[] = "{\"row\":[\"";
    const char       *name = NULL;
    int               steps = 0, length = 0;

    for (size_t k = 0; k + sizeof row <= n; k++)
        if (memcmp(text + k, row, sizeof row - 1) == 0) name = text + k + sizeof row - 1, steps++;
    if (name != NULL) {
        name = strchr(name, ',') + 2;
        while (name[length] != '"') length++;
    }
    if (name == NULL)
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, OP, "dynamic", "the same calls for each size", NULL,
                               "the program is another one for each size: what it makes has sizes that are no a n + b, "
                               "or it computes with numbers that are no u = a n + b, c / u, u / c or u / (u - c)");
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, OP, "dynamic", "the same calls for each size", NULL,
                           "the program is another one for each size: call %d, %.*s, or what follows it, has numbers "
                           "that are no u = a n + b, c / u, u / c or u / (u - c), or is another call",
                           steps - 1, length, name);
}

static bool join(char *const texts[3], const int64_t *sizes, stria_json_sink *out, size_t *where)
{
    const char *at[3] = {texts[0], texts[1], texts[2]};

    for (; *at[0] != 0 || *at[1] != 0 || *at[2] != 0;) {
        *where = (size_t)(at[0] - texts[0]);
        if (!is_number(*at[0]) || !is_number(*at[1]) || !is_number(*at[2])) {
            if (*at[0] != *at[1] || *at[0] != *at[2]) return false;
            stria_json_put(out, *at[0]);
            for (int k = 0; k < 3; k++) at[k]++;
            continue;
        }
        numbers x;
        bool    is_same = true;
        for (int k = 0; k < 3; k++) {
            x.at[k] = at[k];
            for (x.n[k] = 0; is_number(at[k][x.n[k]]);) x.n[k]++;
            at[k] += x.n[k];
            is_same &= x.n[k] == x.n[0] && memcmp(x.at[k], x.at[0], x.n[0]) == 0;
        }
        for (size_t k = 0; is_same && k < x.n[0]; k++) stria_json_put(out, x.at[0][k]);
        if (!is_same && !put_function(out, &x, sizes)) return false;
    }
    return true;
}

stria_status stria_dynamic_join(char *const texts[3], const int64_t sizes[3], char **text, size_t *nbytes,
                                stria_error *err)
{
    stria_json_sink out = {NULL, 0};
    size_t          where = 0;

    if (!join(texts, sizes, &out, &where)) return refuse_difference(texts[0], where, err);
    *text = stria_object_new(out.n + 1);
    if (*text == NULL) return stria_graph_refuse_memory(err);
    *nbytes = out.n;
    out = (stria_json_sink){*text, 0};
    (void)join(texts, sizes, &out, &where);
    (*text)[*nbytes] = 0;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the program of a size */

/* A whole number of the text, which may be anything, and what ends it; false: none, or too large. */
static bool take_whole(const char **at, const char *end, char last, int64_t *number)
{
    const bool is_negative = *at < end && **at == '-';
    int64_t    value = 0;
    int        n = 0;

    for (*at += is_negative; *at < end && isdigit((unsigned char)**at); ++*at, n++)
        if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_add_overflow(value, (int64_t)(**at - '0'), &value))
            return false;
    *number = is_negative ? -value : value;
    return n > 0 && *at < end && *(*at)++ == last;
}

static bool put_number(const char **at, const char *end, int64_t size, stria_json_sink *out)
{
    const char kind = *at < end && **at != 0 && strchr(kinds, **at) != NULL ? *(*at)++ : 0;
    int64_t    a, b, c = 1;
    uint64_t   bits;

    if (kind != 0 && !take_whole(at, end, ',', &c)) return false;
    if (!take_whole(at, end, ',', &a) || !take_whole(at, end, '"', &b) || __builtin_mul_overflow(a, size, &a) ||
        __builtin_add_overflow(a, b, &a))
        return false;
    if (kind == 0) {
        stria_json_put_int(out, a);
        return true;
    }
    const double value = compute(kind, c, a);
    memcpy(&bits, &value, sizeof bits);
    stria_json_put_whole(out, bits);
    return true;
}

static bool put_program(const char *text, size_t nbytes, int64_t size, stria_json_sink *out)
{
    const char *end = text + nbytes;

    for (const char *at = text; at < end;) {
        if (*at != '"' || at + 1 == end || at[1] != '@') {
            stria_json_put(out, *at++);
            continue;
        }
        at += 2;
        if (!put_number(&at, end, size, out)) return false;
    }
    return true;
}

stria_status stria_dynamic_put_size(const char *text, size_t nbytes, int64_t size, char **program, size_t *n_program,
                                    stria_error *err)
{
    stria_json_sink out = {NULL, 0};

    if (!put_program(text, nbytes, size, &out))
        return stria_error_set(err, STRIA_ERR_FORMAT, OP, "bytes", "a saved graph", NULL,
                               "a number of the program is no function of the size %lld", (long long)size);
    *program = stria_object_new(out.n + 1);
    if (*program == NULL) return stria_graph_refuse_memory(err);
    *n_program = out.n;
    out = (stria_json_sink){*program, 0};
    (void)put_program(text, nbytes, size, &out);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- graphs of sizes */

void stria_dynamic_release(stria_graph_dynamic *d)
{
    if (d == NULL) return;
    for (int k = 0; k < 2; k++) stria_graph_release(d->others[k]);
    for (int k = 0; k < STRIA_DYNAMIC_KEPT; k++) stria_graph_release(d->kept[k].graph);
    for (int k = 0; k < d->n_held; k++) stria_tensor_release(d->held[k]);
    for (int k = 0; k < d->n_generators; k++) stria_generator_release(d->generators[k]);
    stria_object_release(d->held);
    stria_generator_release(d->usual);
    stria_object_release(d->generators);
    stria_object_release(d->text);
    stria_object_release(d);
}

static const stria_graph_view *get_input(const stria_graph *g, int k)
{
    return &g->recorded.views.at[g->recorded.inputs.at[k]];
}

/* The size that a size of an input tells, *size as long as none did; false: it fits none. */
static bool match(const stria_graph_dynamic *d, int64_t first, int64_t second, int64_t is, int64_t *size)
{
    if (first == second) return is == first;
    const int64_t a = (second - first) / (d->sizes[1] - d->sizes[0]); /* sizes are not negative */
    int64_t       found;
    if (a == 0 || (is - first) % a != 0 || __builtin_add_overflow(d->sizes[0], (is - first) / a, &found)) return false;
    if (*size >= 0 && *size != found) return false;
    *size = found;
    return found >= STRIA_DYNAMIC_LEAST;
}

int64_t stria_dynamic_find_size(const stria_graph *g, stria_tensor *const *in)
{
    const stria_graph_dynamic *d = g->dynamic;
    int64_t                    size = -1;

    for (int k = 0; k < g->recorded.inputs.n; k++) {
        const stria_graph_view *v = get_input(g, k), *w = get_input(d->others[0], k);
        if (in[k] == NULL || in[k]->ndim != v->ndim || in[k]->dtype != v->dtype) return -1;
        for (int i = 0; i < v->ndim; i++)
            if (!match(d, v->sizes[i], w->sizes[i], in[k]->shape[i], &size)) return -1;
    }
    return size;
}

/* The one that is kept moves to the front. */
static stria_graph *find_kept(stria_graph_dynamic *d, int64_t size)
{
    stria_graph *found = NULL;

    lock(&d->guard);
    for (int k = 0; k < STRIA_DYNAMIC_KEPT && found == NULL; k++) {
        if (d->kept[k].graph == NULL || d->kept[k].size != size) continue;
        found = stria_graph_retain(d->kept[k].graph);
        memmove(d->kept + 1, d->kept, (size_t)k * sizeof *d->kept);
        d->kept[0].size = size;
        d->kept[0].graph = found;
    }
    unlock(&d->guard);
    return found;
}

static void keep(stria_graph_dynamic *d, int64_t size, stria_graph *g)
{
    lock(&d->guard);
    stria_graph *last = d->kept[STRIA_DYNAMIC_KEPT - 1].graph;
    memmove(d->kept + 1, d->kept, (STRIA_DYNAMIC_KEPT - 1) * sizeof *d->kept);
    d->kept[0].size = size;
    d->kept[0].graph = stria_graph_retain(g);
    unlock(&d->guard);
    stria_graph_release(last);
}

/* The calls of this size are others than those of the sizes that were recorded. */
static stria_status refuse_size(int64_t size, const stria_error *why, stria_error *err)
{
    static const char op[] = OP ": ";
    const char       *words = why->message;
    char              got[32];

    if (strncmp(words, op, sizeof op - 1) == 0) words += sizeof op - 1;
    snprintf(got, sizeof got, "%lld", (long long)size);
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, OP, "dynamic", "the same calls as were recorded", got,
                           "the program is another one for size %s: %s; record that size by itself", got, words);
}

stria_status stria_dynamic_get_graph(stria_graph *g, int64_t size, stria_graph **out, stria_error *err)
{
    stria_graph_dynamic *d = g->dynamic;
    stria_error          why = {0};
    char                *program;
    size_t               nbytes;

    *out = size == d->sizes[0] ? stria_graph_retain(g) : find_kept(d, size);
    if (*out != NULL) return STRIA_OK;
    STRIA_TRY(stria_dynamic_put_size(d->text, d->nbytes, size, &program, &nbytes, err));
    const stria_status status = stria_graph_load_size(g, program, nbytes, out, &why);
    stria_object_release(program);
    if (status == STRIA_ERR_MEMORY) return stria_graph_refuse_memory(err);
    if (status != STRIA_OK) return refuse_size(size, &why, err);
    keep(d, size, *out);
    return STRIA_OK;
}

/* Whether nobody but its graph has a tensor that is held, and the graph does not write to it. */
static bool is_alone(const stria_buffer *b)
{
    const stria_tensor *held = b->tensor, *holder = b->holder;

    return !b->is_written && holder != NULL && atomic_load(&holder->refcount) == 1 + (held->base == holder) &&
           atomic_load(&held->storage->refcount) == 2;
}

/* Whether the tensor is all of the memory that the graph may look at. */
static bool is_whole(const stria_buffer *b)
{
    const stria_tensor *x = b->tensor;
    return (const void *)x->data == (const void *)x->storage->data && stria_tensor_is_contiguous(x) &&
           b->nbytes <= x->numel * (int64_t)stria_dtype_get_size(x->dtype);
}

/* Of the same memory, or with the same elements, on the CPU. */
static bool has_same_elements(const stria_buffer *a, const stria_buffer *b)
{
    const stria_tensor *x = a->tensor, *y = b->tensor;

    if (x->storage == y->storage) return true;
    return x->device.type == STRIA_DEVICE_CPU && y->device.type == STRIA_DEVICE_CPU && x->dtype == y->dtype &&
           stria_tensor_has_shape(x, y->ndim, y->shape) && is_whole(a) && is_whole(b) &&
           (x->numel == 0 || memcmp(x->data, y->data, (size_t)x->numel * stria_dtype_get_size(x->dtype)) == 0);
}

/* The same tensor; or one that was made for each recording. */
static bool is_same_tensor(const stria_buffer *a, const stria_buffer *b)
{
    return a->tensor->storage == b->tensor->storage || (is_alone(a) && is_alone(b) && has_same_elements(a, b));
}

/* Held tensors in the order of the buffers, which is that of their numbers in texts: next, from buffer *k on; NULL: there is none. */
static const stria_buffer *get_next_held(const stria_graph *g, int *k)
{
    for (; *k < g->recorded.buffers.n; ++*k)
        if (g->recorded.buffers.at[*k].kind == STRIA_BUFFER_HELD) return &g->recorded.buffers.at[(*k)++];
    return NULL;
}

static bool holds_same(const stria_graph *a, const stria_graph *b)
{
    for (int i = 0, j = 0;;) {
        const stria_buffer *x = get_next_held(a, &i), *y = get_next_held(b, &j);
        if (x == NULL || y == NULL) return x == y;
        if (!has_same_elements(x, y)) return false;
    }
}

stria_status stria_dynamic_compare(const stria_graph *a, const stria_graph *b, bool *is_same, stria_error *err)
{
    char        *texts[2] = {NULL};
    stria_status status = stria_graph_print(a, NULL, &texts[0], err);

    if (status == STRIA_OK) status = stria_graph_print(b, NULL, &texts[1], err);
    *is_same = status == STRIA_OK && strcmp(texts[0], texts[1]) == 0 && holds_same(a, b);
    for (int k = 0; k < 2; k++) stria_object_release(texts[k]);
    return status;
}

/* Whether a number that bounds whole numbers is another one: clamp has limited it for one size, and would not for others. */
static bool has_other_bounds(const stria_graph *g, const stria_graph *other)
{
    for (int i = 0; i < g->recorded.steps.n && i < other->recorded.steps.n; i++) {
        const stria_graph_step *s = &g->recorded.steps.at[i], *t = &other->recorded.steps.at[i];
        if (t->row != s->row ||
            (!(s->row < STRIA_OP_COUNT && stria_op_has_limits((stria_op)s->row)) &&
             s->row != STRIA_ROW_OF_OP(STRIA_OP_maximum) && s->row != STRIA_ROW_OF_OP(STRIA_OP_minimum)))
            continue;
        const stria_category category = stria_dtype_get_category(g->recorded.views.at[s->views[0]].dtype);
        if (category != STRIA_CATEGORY_I && category != STRIA_CATEGORY_U) continue;
        for (int k = 1; k < stria_graph_step_count(s) && s->views[k] >= 0 && t->views[k] >= 0; k++) {
            const stria_buffer *a = &g->recorded.buffers.at[g->recorded.views.at[s->views[k]].buffer],
                               *b = &other->recorded.buffers.at[other->recorded.views.at[t->views[k]].buffer];
            if (a->kind != STRIA_BUFFER_NUMBER || b->kind != STRIA_BUFFER_NUMBER) continue;
            if (a->tensor->dtype != b->tensor->dtype ||
                memcmp(a->tensor->data, b->tensor->data, stria_dtype_get_size(a->tensor->dtype)) != 0)
                return true;
        }
    }
    return false;
}

/* What distinguishes two programs beside their numbers; NULL: nothing. */
static const char *find_difference(const stria_graph *g, const stria_graph *other)
{
    if (other->recorded.inputs.n != g->recorded.inputs.n || other->dynamic != NULL) return "its inputs are others";
    for (int k = 0; k < g->recorded.inputs.n; k++)
        if (get_input(g, k)->ndim != get_input(other, k)->ndim) return "its inputs are others";
    if (other->recorded.buffers.n != g->recorded.buffers.n) return "it makes more tensors, or fewer";
    for (int k = 0; k < g->recorded.buffers.n; k++) { /* the same tensors in the same places */
        const stria_buffer *a = &g->recorded.buffers.at[k], *b = &other->recorded.buffers.at[k];
        if (a->kind != b->kind) return "it makes other tensors";
        if (a->kind == STRIA_BUFFER_HELD && !is_same_tensor(a, b)) return "it captures another tensor";
    }
    if (has_other_bounds(g, other)) return "whole numbers have another bound";
    return NULL;
}

static stria_status refuse_program(const char *difference, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, OP, "dynamic", "the same calls for each size", NULL,
                           "the program is another one for each size: %s", difference);
}

/* Bytes of tensor k of a step, where steps make it. */
static int64_t get_made(const stria_graph_form *form, const stria_graph_step *step, int k)
{
    const stria_buffer *b = step->views[k] < 0 ? NULL : &form->buffers.at[form->views.at[step->views[k]].buffer];
    return b != NULL && b->kind == STRIA_BUFFER_MADE ? b->nbytes : 0;
}

/* The first step that is another call, or of tensors whose sizes are no a n + b; -1: it is not found by these. */
static int find_other_step(const stria_graph *g, const stria_graph_dynamic *d)
{
    const stria_graph_form *f = &g->recorded, *x = &d->others[0]->recorded, *y = &d->others[1]->recorded;
    int64_t                 a, b;

    for (int i = 0; i < f->steps.n; i++) {
        if (i >= x->steps.n || i >= y->steps.n) return i;
        const stria_graph_step *s = &f->steps.at[i], *t = &x->steps.at[i], *u = &y->steps.at[i];
        const int               n = stria_graph_step_count(s);
        if (t->row != s->row || u->row != s->row || stria_graph_step_count(t) != n || stria_graph_step_count(u) != n)
            return i;
        for (int k = 0; k < n; k++)
            if (!solve((int64_t[]){get_made(f, s, k), get_made(x, t, k), get_made(y, u, k)}, d->sizes, &a, &b))
                return i;
    }
    return -1;
}

static stria_status refuse_step(const stria_graph *g, int i, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, OP, "dynamic", "the same calls for each size", NULL,
                           "the program is another one for each size: call %d, %s, is another call, or has sizes that "
                           "are no a n + b",
                           i, stria_row_get_name(g->recorded.steps.at[i].row));
}

static stria_status make_dynamic(stria_graph *g, stria_graph_dynamic *d, stria_error *err)
{
    char        *texts[3] = {NULL};
    stria_status status = stria_graph_print(g, d, &texts[0], err);

    for (int k = 0; k < 2 && status == STRIA_OK; k++) {
        const char *difference = find_difference(g, d->others[k]);
        status = difference == NULL ? stria_graph_print(d->others[k], NULL, &texts[k + 1], err)
                                    : refuse_program(difference, err);
    }
    const bool are_printed = status == STRIA_OK;
    if (are_printed) status = stria_dynamic_join(texts, d->sizes, &d->text, &d->nbytes, err);
    for (int k = 0; k < 3; k++) stria_object_release(texts[k]);
    const int step = are_printed && status == STRIA_ERR_UNSUPPORTED ? find_other_step(g, d) : -1;
    return step < 0 ? status : refuse_step(g, step, err);
}

stria_status stria_graph_set_dynamic(stria_graph *g, int64_t size, stria_graph *const others[2], const int64_t sizes[2],
                                     stria_error *err)
{
    if (g == NULL || others == NULL || sizes == NULL || others[0] == NULL || others[1] == NULL || g->dynamic != NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "graph", "three graphs without dynamic sizes", NULL,
                               "a graph or list is NULL, or the graph has a dynamic size already");
    if (size < STRIA_DYNAMIC_LEAST || sizes[0] < STRIA_DYNAMIC_LEAST || sizes[1] < STRIA_DYNAMIC_LEAST ||
        size == sizes[0] || size == sizes[1] || sizes[0] == sizes[1] || size > INT32_MAX || sizes[0] > INT32_MAX ||
        sizes[1] > INT32_MAX)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "sizes", "three sizes from 2 to 2^31 - 1", NULL,
                               "the sizes must be three different ones from 2 to 2^31 - 1");
    stria_graph_dynamic *d = stria_object_new(sizeof *d);
    if (d == NULL) return stria_graph_refuse_memory(err);
    d->sizes[0] = size;
    for (int k = 0; k < 2; k++) {
        d->sizes[k + 1] = sizes[k];
        d->others[k] = stria_graph_retain(others[k]);
    }
    const stria_status status = make_dynamic(g, d, err);
    if (status == STRIA_OK)
        g->dynamic = d;
    else
        stria_dynamic_release(d);
    return status;
}
