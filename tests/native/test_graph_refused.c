/* test_graph_refused.c - calls that are refused while calls are recorded leave nothing behind; views, and results of another shape, in tensors
 * that were given. */
#include <string.h>

#include "compile/recording.h"
#undef GRAD /* of rules */
#undef OP   /* of recordings */
#include "graph_case.h"

static stria_tensor *new_matrix(int64_t rows, int64_t columns)
{
    const int64_t sizes[] = {rows, columns};
    stria_tensor *flat = new_vector(rows * columns), *x;

    OK(stria_reshape(flat, sizes, 2, &x, NULL));
    stria_tensor_release(flat);
    return x;
}

/* ---------------------------------------------------------------- what a refused call leaves */

typedef struct scene {
    stria_tensor *x, *z; /* [4, 6] and [2, 2], which are symbols when calls are made */
    stria_tensor
        *w; /* [4, 6], and what follows: with elements, none of which a graph holds before a call is made with it */
    stria_tensor    *small;          /* [3] */
    stria_tensor    *many;           /* [4, 3], each element four times */
    stria_tensor    *places, *words; /* i64 [4], and as f32 a part of it, [4] */
    stria_generator *generator;
} scene;

typedef stria_status refused(const scene *s, stria_error *err);

static stria_status add(const scene *s, stria_error *err)
{
    return stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){s->x, s->w}, 2, s->small, err);
}
static stria_status choose(const scene *s, stria_error *err)
{
    const stria_scalar value = {STRIA_SCALAR_FLOAT, .re = 2.5};
    stria_tensor      *number, *y = NULL;

    OK(stria_tensor_new_scalar(value, &number, NULL));
    const stria_status status =
        stria_apply(STRIA_OP_where, (const stria_tensor *[]){s->small, number, s->x}, 3, &y, err);
    stria_tensor_release(number);
    return status;
}
static stria_status drop(const scene *s, stria_error *err)
{
    return stria_dropout_out(s->x, 0.5, true, s->generator, s->small, err);
}
static stria_status drop_held(const scene *s, stria_error *err)
{
    return stria_dropout_out(s->w, 0.5, true, s->generator, s->small, err);
}
static stria_status find_largest(const scene *s, stria_error *err)
{
    return stria_topk_out(s->x, 2, 1, true, true, s->z, s->places, err);
}
static stria_status descend(const scene *s, stria_error *err)
{
    const stria_tensor *const grads[] = {s->w};
    return stria_sgd(&s->many, 1, grads, 1, NULL, 0, 0.1, 0, 0, 0, false, false, false, err);
}
static stria_status descend_over(const scene *s, stria_error *err)
{
    const stria_tensor *const grads[] = {s->many};
    return stria_sgd(&s->many, 1, grads, 1, NULL, 0, 0.1, 0, 0, 0, false, false, false, err);
}
static stria_status stack(const scene *s, stria_error *err)
{
    return stria_stack_out((const stria_tensor *[]){s->x, s->w}, 2, 1, s->small, err);
}
static stria_status turn(const scene *s, stria_error *err) { return stria_transpose_out(s->w, 0, 1, s->small, err); }
static stria_status look_beyond(const scene *s, stria_error *err)
{
    const int64_t size = 9, stride = 1;
    stria_tensor *y = NULL;

    return stria_as_strided(s->small, &size, 1, &stride, 1, STRIA_INT_NONE, &y, err);
}
static stria_status find_into_one_memory(const scene *s, stria_error *err)
{
    return stria_max_out(s->x, 1, false, s->words, s->places, err);
}

static stria_status place(const scene *s, stria_error *err)
{
    const int64_t size = 4, stride = 1;
    return stria_as_strided_out((stria_tensor *)(uintptr_t)s->x, &size, 1, &stride, 1, 0, s->small, err);
}

static const struct {
    const char  *name;
    refused     *call;
    stria_status expected;
} calls[] = {{"add", add, STRIA_ERR_SHAPE},
             {"where", choose, STRIA_ERR_DTYPE},
             {"dropout", drop, STRIA_ERR_SHAPE},
             {"dropout of a tensor with elements", drop_held, STRIA_ERR_SHAPE},
             {"topk", find_largest, STRIA_ERR_SHAPE},
             {"sgd of other shapes", descend, STRIA_ERR_SHAPE},
             {"sgd of one element", descend_over, STRIA_ERR_OVERLAP},
             {"stack", stack, STRIA_ERR_SHAPE},
             {"transpose", turn, STRIA_ERR_SHAPE},
             {"as_strided", look_beyond, STRIA_ERR_ARGUMENT},
             {"as_strided at a place", place, STRIA_ERR_SHAPE},
             {"max", find_into_one_memory, STRIA_ERR_OVERLAP}};
#define N_CALLS ((int)(sizeof calls / sizeof *calls))

static scene new_scene(void)
{
    const int64_t four[] = {4}, expanded[] = {4, 3};
    stria_tensor *words;
    scene         s = {.x = new_matrix(4, 6), .z = new_matrix(2, 2), .w = new_matrix(4, 6), .small = new_vector(3)};

    OK(stria_expand(s.small, expanded, 2, &s.many, NULL));
    OK(stria_zeros(four, 1, STRIA_I64, STRIA_CPU, &s.places, NULL));
    OK(stria_view_dtype(s.places, STRIA_F32, &words, NULL));
    OK(stria_slice(words, 0, 2, 6, 1, &s.words, NULL));
    OK(stria_generator_new(7, &s.generator, NULL));
    stria_tensor_release(words);
    return s;
}

static void end_scene(scene *s)
{
    RELEASE(s->x, s->z, s->w, s->small, s->many, s->places, s->words);
    stria_generator_release(s->generator);
}

/* relu(x) * x, and with it calls that are refused: call `which`, -1: all, -2: none. bytes: as saved. */
static void record_with(const scene *s, int which, void **bytes, size_t *nbytes)
{
    stria_tensor *symbols[2], *a, *y;
    stria_graph  *g;
    stria_error   err;

    stria_recording *r = record_inputs((stria_tensor *const[]){s->x, s->z}, 2, symbols);
    scene            inside = *s;
    inside.x = symbols[0];
    OK(stria_relu(symbols[1], &inside.z, NULL));
    OK(stria_relu(symbols[0], &a, NULL));
    for (int k = 0; k < N_CALLS; k++) {
        if (which != -1 && which != k) continue;
        const stria_status status = calls[k].call(&inside, &err);
        CHECK(status == calls[k].expected, "%s: %s", calls[k].name, status == STRIA_OK ? "no error" : err.message);
        CHECK(inside.z->shape[0] == 2 && inside.z->shape[1] == 2, "%s: a symbol has another shape", calls[k].name);
    }
    OK(stria_mul(a, symbols[0], &y, NULL));
    OK(stria_recording_end(r, (stria_tensor *const[]){y, inside.z}, 2, &g, NULL));
    CHECK(stria_graph_get_info(g).n_calls == 3, "%d calls", (int)stria_graph_get_info(g).n_calls);
    OK(stria_graph_save(g, NULL, 0, bytes, nbytes, NULL));
    RELEASE(symbols[0], symbols[1], inside.z, a, y);
    stria_graph_release(g);
}

static void check_traces(void)
{
    void  *without, *bytes;
    size_t n_without, nbytes;

    for (int which = -1; which < N_CALLS; which++) {
        scene          s = new_scene();
        const unsigned version = atomic_load(&s.small->storage->version);
        record_with(&s, -2, &without, &n_without);
        record_with(&s, which, &bytes, &nbytes);
        const char *name = which < 0 ? "all" : calls[which].name;
        CHECK(nbytes == n_without && memcmp(bytes, without, nbytes) == 0, "%s: %zu bytes are saved, not %zu", name,
              nbytes, n_without);
        CHECK(atomic_load(&s.small->storage->version) == version, "%s: a version", name);
        CHECK(stria_generator_get_state(s.generator).offset == 0, "%s: the generator has moved", name);
        stria_bytes_release(without);
        stria_bytes_release(bytes);
        end_scene(&s);
    }
}

/* Calls go on: with what the refused one looked at, what was written to before it, and its number. */
static void check_rest(int which)
{
    const stria_scalar value = {STRIA_SCALAR_FLOAT, .re = 2.5};
    scene              s = new_scene();
    stria_tensor      *symbols[2], *number, *sum, *a, *b, *c, *out, *expected;
    stria_graph       *g;

    OK(stria_tensor_new_scalar(value, &number, NULL));
    OK(stria_add(s.x, s.w, &a, NULL));
    OK(stria_mul(a, number, &b, NULL));
    OK(stria_sum(s.small, NULL, 0, false, &sum, NULL));
    OK(stria_add(b, sum, &expected, NULL));
    RELEASE(a, b, sum);
    const unsigned   version = atomic_load(&s.w->storage->version);
    stria_recording *r = record_inputs((stria_tensor *const[]){s.x, s.z}, 2, symbols);
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){symbols[0], s.w}, 2, s.w, NULL));
    scene inside = s;
    inside.x = symbols[0];
    OK(stria_relu(symbols[1], &inside.z, NULL));
    CHECK(calls[which].call(&inside, NULL) != STRIA_OK, "%s", calls[which].name);
    OK(stria_mul(s.w, number, &b, NULL));
    OK(stria_sum(s.small, NULL, 0, false, &sum, NULL));
    OK(stria_add(b, sum, &c, NULL));
    OK(stria_recording_end(r, &c, 1, &g, NULL));
    CHECK(atomic_load(&s.w->storage->version) == version + 1, "%s: the version of what is written to",
          calls[which].name);
    OK(stria_graph_run(g, (stria_tensor *const[]){s.x, s.z}, 2, &out, NULL));
    CHECK(has_same_bits(out, expected), "after %s", calls[which].name);
    stria_graph_release(g);
    RELEASE(symbols[0], symbols[1], inside.z, number, sum, b, c, out, expected);
    end_scene(&s);
}

/* An input may begin anywhere in its memory, and numbers are as they were. */
static void check_marks(void)
{
    scene              s = new_scene();
    const stria_scalar half = {STRIA_SCALAR_FLOAT, .re = 0.5};
    stria_tensor      *big = new_vector(30), *part, *symbol, *number, *y, *z, *out;
    stria_graph       *g;
    void              *bytes[2];
    size_t             nbytes[2];

    OK(stria_slice(big, 0, 6, 30, 1, &part, NULL));
    OK(stria_reshape(part, (const int64_t[]){4, 6}, 2, &out, NULL));
    stria_tensor_release(part);
    part = out;
    OK(stria_tensor_new_scalar(half, &number, NULL));
    for (int with = 0; with < 2; with++) {
        stria_recording *r = record_inputs(&s.x, 1, &symbol);
        OK(stria_mul(symbol, number, &y, NULL));
        if (with)
            CHECK_STATUS(
                stria_as_strided_out(symbol, (const int64_t[]){4}, 1, (const int64_t[]){1}, 1, 0, s.small, NULL),
                STRIA_ERR_SHAPE);
        for (int k = 0; k < 200 && with; k++) {
            stria_tensor *other;
            OK(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_FLOAT, .re = k}, &other, NULL));
            CHECK_STATUS(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){symbol, other}, 2, s.small, NULL),
                         STRIA_ERR_SHAPE);
            stria_tensor_release(other);
        }
        OK(stria_mul(y, number, &z, NULL));
        OK(stria_recording_end(r, &z, 1, &g, NULL));
        OK(stria_graph_run(g, &part, 1, &out, NULL));
        OK(stria_graph_save(g, NULL, 0, &bytes[with], &nbytes[with], NULL));
        stria_graph_release(g);
        RELEASE(symbol, y, z, out);
    }
    CHECK(nbytes[0] == nbytes[1] && memcmp(bytes[0], bytes[1], nbytes[0]) == 0, "%zu bytes are saved, not %zu",
          nbytes[1], nbytes[0]);
    for (int k = 0; k < 2; k++) stria_bytes_release(bytes[k]);
    RELEASE(big, part, number);
    end_scene(&s);
}

/* Outputs that are a symbol and a tensor with elements of one memory. */
static void check_mixed(void)
{
    stria_tensor *x = new_matrix(4, 4), *w = new_vector(12), *symbol, *first, *apart, *over;

    OK(stria_slice(w, 0, 2, 6, 1, &over, NULL));
    OK(stria_slice(w, 0, 4, 8, 1, &apart, NULL));
    stria_recording *r = record_inputs(&x, 1, &symbol);
    OK(stria_slice(w, 0, 0, 4, 1, &first, NULL));
    for (int turned = 0; turned < 2; turned++)
        CHECK_STATUS(stria_aminmax_out(symbol, 0, false, turned ? over : first, turned ? first : over, NULL),
                     STRIA_ERR_OVERLAP);
    OK(stria_aminmax_out(symbol, 0, false, first, apart, NULL));
    stria_recording_cancel(r);
    RELEASE(x, w, symbol, first, apart, over);
}

/* Versions that went up are as before the call. */
static void check_versions(void)
{
    stria_tensor    *x = new_vector(3), *both = new_matrix(2, 3);
    stria_storage   *storage = x->storage;
    const unsigned   version = atomic_load(&storage->version), version_of_both = atomic_load(&both->storage->version);
    stria_recording *r;

    OK(stria_recording_begin(&r, NULL));
    stria_recording_on_mark(r, false);
    stria_recording_touch(r, x);
    stria_recording_on_mark(r, false);
    stria_recording_touch(r, x);
    stria_recording_touch(r, x);
    stria_recording_on_mark(r, true);
    CHECK(atomic_load(&storage->version) == version + 1, "after a call that was refused");
    stria_recording_on_mark(r, false);
    stria_recording_on_mark(r, true);
    CHECK(atomic_load(&storage->version) == version + 1, "after one that wrote nothing");
    OK(stria_stack_out((const stria_tensor *[]){x, x}, 2, 0, both, NULL));
    CHECK(atomic_load(&both->storage->version) == version_of_both + 1, "a composite that is recorded");
    stria_recording_cancel(r);
    CHECK(atomic_load(&storage->version) == version, "after all");
    CHECK(atomic_load(&both->storage->version) == version_of_both, "after all, of what a composite was to write");
    RELEASE(x, both);
}

/* ---------------------------------------------------------------- views in tensors that were given */

typedef stria_status viewing(stria_tensor *x, stria_tensor *out, stria_error *err);
#define VIEWING(name, ...)                                                                \
    static stria_status name##_into(stria_tensor *x, stria_tensor *out, stria_error *err) \
    {                                                                                     \
        return stria_##name##_out(x, __VA_ARGS__ out, err);                               \
    }
VIEWING(slice, 0, 1, 4, 2, )
VIEWING(select, 1, 2, )
VIEWING(transpose, 0, 1, )
VIEWING(permute, ((const int[]){1, 0}), 2, )
VIEWING(flip, ((const int[]){0, 1}), 2, )
VIEWING(view, ((const int64_t[]){2, 12}), 2, )
VIEWING(expand, ((const int64_t[]){2, 4, 6}), 3, )
VIEWING(squeeze, NULL, 0, )
VIEWING(unsqueeze, 1, )
VIEWING(diagonal, 1, 0, 1, )
VIEWING(as_strided, ((const int64_t[]){3, 3}), 2, ((const int64_t[]){1, 2}), 2, STRIA_INT_NONE, )
VIEWING(unfold, 1, 2, 2, )
VIEWING(detach, )
VIEWING(real, )
VIEWING(movedim, ((const int[]){1}), 1, ((const int[]){0}), 1, )
static viewing *const viewings[] = {slice_into,      select_into, transpose_into, permute_into,   flip_into,
                                    view_into,       expand_into, squeeze_into,   unsqueeze_into, diagonal_into,
                                    as_strided_into, unfold_into, detach_into,    real_into,      movedim_into};
#define N_VIEWINGS ((int)(sizeof viewings / sizeof *viewings))

/* What a file of g is, in its place. */
static stria_graph *save_and_load(stria_graph *g)
{
    stria_graph *loaded = NULL;
    void        *bytes;
    size_t       nbytes;
    stria_error  err;

    OK(stria_graph_save(g, NULL, 0, &bytes, &nbytes, NULL));
    const stria_status status = stria_graph_load(bytes, nbytes, &loaded, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    stria_bytes_release(bytes);
    if (status != STRIA_OK) return g;
    stria_graph_release(g);
    return loaded;
}

typedef enum target { SYMBOL, OTHER_SHAPE, WITH_ELEMENTS, ITSELF } target;

/* Whether `out` is one for this view: x itself keeps its shape. */
static bool is_apt(target to, const stria_tensor *expected)
{
    return to != ITSELF || stria_tensor_has_shape(expected, 2, (const int64_t[]){4, 6});
}

static void check_view(int k, target to, bool is_held)
{
    const int64_t one = 1;
    stria_tensor *x = new_matrix(4, 6), *symbol, *expected, *out, *ran[2], *results[2];
    stria_graph  *g;
    stria_error   err;

    OK(stria_tensor_new(STRIA_F32, 1, &one, &expected, NULL));
    OK(viewings[k](x, expected, NULL));
    if (!is_apt(to, expected)) {
        RELEASE(x, expected);
        return;
    }
    stria_tensor *held = new_matrix(4, 6);
    if (to == WITH_ELEMENTS) OK(stria_tensor_new_like(expected, STRIA_F32, &out, NULL));
    stria_recording *r = record_inputs(&x, 1, &symbol);
    stria_tensor    *from = is_held ? held : symbol, *copy = NULL;
    if (to == ITSELF) {
        OK(stria_tensor_copy(from, STRIA_F32, &copy, NULL));
        from = copy;
        out = stria_tensor_retain(copy);
    }
    if (to == SYMBOL) OK(stria_empty(expected->shape, expected->ndim, STRIA_F32, STRIA_META, &out, NULL));
    if (to == OTHER_SHAPE) OK(stria_relu(symbol, &out, NULL));
    if (to == OTHER_SHAPE && stria_tensor_has_shape(expected, 2, out->shape)) {
        stria_tensor *other;
        OK(stria_slice(out, 0, 1, 3, 1, &other, NULL));
        stria_tensor_release(out);
        out = other;
    }
    const stria_status status = viewings[k](from, out, &err);
    CHECK(status == STRIA_OK, "view %d to %d: %s", k, (int)to, err.message);
    results[0] = out;
    OK(stria_relu(symbol, &results[1], NULL));
    OK(stria_recording_end(r, results, 2, &g, NULL));
    if (to != WITH_ELEMENTS) g = save_and_load(g);
    OK(stria_graph_run(g, &x, 1, ran, NULL));
    CHECK(has_same_bits(ran[0], expected), "view %d to %d", k, (int)to);
    CHECK(to != OTHER_SHAPE || memcmp(ran[0]->strides, expected->strides, (size_t)expected->ndim * 8) == 0,
          "view %d: order", k);
    if (to == WITH_ELEMENTS) CHECK(ran[0]->storage == out->storage, "view %d: where it was given", k);
    stria_graph_release(g);
    RELEASE(x, symbol, expected, held, copy, out, ran[0], ran[1], results[1]);
}

/* What is made of given outputs of another shape lies as eager calls leave it. */
static void check_orders(void)
{
    stria_tensor *x = new_matrix(4, 6), *symbol, *t, *out, *expected, *ran;
    stria_graph  *g;
    const int64_t one = 1;

    for (int turned = 0; turned < 2; turned++) {
        OK(stria_tensor_new(STRIA_F32, 1, &one, &expected, NULL));
        OK(stria_transpose(x, 0, 1, &t, NULL));
        const stria_tensor *two[] = {turned ? t : x, turned ? t : x};
        OK(stria_stack_out(two, 2, 2, expected, NULL));
        stria_tensor_release(t);
        stria_recording *r = record_inputs(&x, 1, &symbol);
        OK(stria_transpose(symbol, 0, 1, &t, NULL));
        OK(stria_empty(&one, 1, STRIA_F32, STRIA_META, &out, NULL));
        const stria_tensor *symbols[] = {turned ? t : symbol, turned ? t : symbol};
        OK(stria_stack_out(symbols, 2, 2, out, NULL));
        OK(stria_recording_end(r, &out, 1, &g, NULL));
        g = save_and_load(g);
        OK(stria_graph_run(g, &x, 1, &ran, NULL));
        CHECK(has_same_bits(ran, expected), "stack");
        CHECK(memcmp(ran->strides, expected->strides, 3 * sizeof *ran->strides) == 0, "the order of stack");
        stria_graph_release(g);
        RELEASE(symbol, t, out, expected, ran);
    }
    stria_tensor_release(x);
}

/* A tensor with elements gets a view of itself: its elements are copied first, and it is written once. */
static void check_itself(void)
{
    stria_tensor *w = new_matrix(4, 4), *expected, *x = new_vector(3), *symbol, *y, *out;
    stria_graph  *g;

    OK(stria_transpose(w, 0, 1, &y, NULL));
    OK(stria_tensor_copy(y, STRIA_F32, &expected, NULL));
    stria_tensor_release(y);
    const unsigned   version = atomic_load(&w->storage->version);
    stria_recording *r = record_inputs(&x, 1, &symbol);
    OK(stria_transpose_out(w, 0, 1, w, NULL));
    CHECK(atomic_load(&w->storage->version) == version + 1, "the version of what is written to");
    OK(stria_relu(symbol, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    OK(stria_graph_run(g, &x, 1, &out, NULL));
    CHECK(has_same_bits(w, expected), "transposed onto itself");
    stria_graph_release(g);
    RELEASE(w, expected, x, symbol, y, out);
}

/* `copy` converts to the dtype of its first tensor, then to that of the output. */
static void check_copy(void)
{
    const int64_t two = 2;
    stria_tensor *x, *source = new_vector(3), *in[2], *symbols[2], *a, *out, *expected, *ran;
    stria_graph  *g;

    OK(stria_zeros((const int64_t[]){3}, 1, STRIA_I64, STRIA_CPU, &x, NULL));
    ((float *)stria_tensor_get_data(source))[1] = 2.75f;
    OK(stria_neg(source, &a, NULL));
    OK(stria_zeros(&two, 1, STRIA_F32, STRIA_CPU, &expected, NULL));
    OK(stria_copy_out(x, a, expected, NULL));
    stria_tensor_release(a);
    in[0] = x, in[1] = source;
    stria_recording *r = record_inputs(in, 2, symbols);
    OK(stria_neg(symbols[1], &a, NULL));
    OK(stria_empty(&two, 1, STRIA_F32, STRIA_CPU, &out, NULL));
    OK(stria_copy_out(symbols[0], a, out, NULL));
    OK(stria_recording_end(r, &out, 1, &g, NULL));
    OK(stria_graph_run(g, in, 2, &ran, NULL));
    CHECK(has_same_bits(ran, expected), "a copy by way of another dtype");
    stria_graph_release(g);
    RELEASE(x, source, symbols[0], symbols[1], a, out, expected, ran);
}

/* A call that is refused draws no numbers, where none are recorded either. */
static void check_generator(void)
{
    scene s = new_scene();

    CHECK_STATUS(stria_dropout_out(s.x, 0.5, true, s.generator, s.places, NULL), STRIA_ERR_DTYPE);
    CHECK_STATUS(stria_bernoulli_out(s.x, 0.5, s.generator, s.places, NULL), STRIA_ERR_DTYPE);
    CHECK(stria_generator_get_state(s.generator).offset == 0, "the generator has moved");
    OK(stria_dropout_out(s.x, 0.5, true, s.generator, s.small, NULL)); /* which gets another shape */
    CHECK(stria_generator_get_state(s.generator).offset > 0 && s.small->ndim == 2, "it moves");
    end_scene(&s);
}

/* Two given outputs without elements may be views of one memory. */
static void check_empty(void)
{
    const int64_t sizes[] = {0, 5};
    stria_tensor *x, *memory = new_vector(8), *values, *other, *first, *symbol, *y;
    stria_graph  *g;
    stria_error   err;

    OK(stria_tensor_new(STRIA_F32, 2, sizes, &x, NULL));
    OK(stria_slice(memory, 0, 4, 4, 1, &values, NULL));
    OK(stria_slice(memory, 0, 4, 4, 1, &other, NULL));
    OK(stria_slice(memory, 0, 0, 1, 1, &first, NULL));
    OK(stria_aminmax_out(x, 1, false, values, other, NULL));
    stria_recording *r = record_inputs(&x, 1, &symbol);
    OK(stria_aminmax_out(symbol, 1, false, values, other, NULL));
    OK(stria_relu(symbol, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    stria_tensor_release(y);
    const stria_status status = stria_graph_run(g, &x, 1, &y, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    OK(stria_aminmax_out(x, 1, false, values, values, NULL));
    CHECK_STATUS(stria_aminmax_out(memory, 0, false, values, values, NULL), STRIA_ERR_OVERLAP);
    CHECK_STATUS(stria_aminmax_out(memory, 0, true, first, first, NULL), STRIA_ERR_OVERLAP);
    stria_graph_release(g);
    RELEASE(x, memory, values, other, first, symbol, y);
}

SUITE(test_graph_refused)
{
    check_traces();
    for (int which = 0; which < N_CALLS; which++) check_rest(which);
    check_versions();
    check_marks();
    check_mixed();
    check_itself();
    check_copy();
    check_generator();
    for (int k = 0; k < N_VIEWINGS; k++)
        for (int to = SYMBOL; to <= ITSELF; to++)
            for (int is_held = 0; is_held < 2; is_held++) check_view(k, (target)to, is_held);
    check_orders();
    check_empty();
    return check_finish("test_graph_refused");
}
