/* test_describe_random.c - descriptions of random iterators: every reason against the strides of the operands, which are
 * worked out here once more; every dim against the axes that are said to be in it; and the JSON, parsed back, against the
 * struct. The seed is fixed. */
#include <stdlib.h>
#include <string.h>

#include "iter.h"
#include "json.h"
#include "oracle.h"

#define ROUNDS 6000
#define MOST_DIMS 5

/* ---------------------------------------------------------------- random problems */

typedef struct problem {
    int               ndim, n; /* operands, output first; operand[0] may be NULL */
    bool              reduces;
    int64_t           shape[MOST_DIMS];
    stria_tensor     *operand[4];
    stria_iter_config config;
} problem;

static uint64_t below(random_state *random, uint64_t n) { return random_next(random) % n; }

/* Puts a view in the place of its tensor. */
static void replace(stria_tensor **x, stria_status status, stria_tensor **by)
{
    CHECK(status == STRIA_OK, "a view: %s", stria_status_get_name(status));
    if (status != STRIA_OK) return;
    stria_tensor_release(*x);
    *x = *by;
}

/* A tensor of this shape whose axes lie in memory in any order, perhaps two apart, backwards or repeated. */
static stria_tensor *new_random(random_state *random, stria_dtype dtype, int ndim, const int64_t *shape)
{
    int64_t       base[MOST_DIMS] = {0}, full[MOST_DIMS] = {0};
    int           at[MOST_DIMS]; /* axis k of the tensor is axis at[k] of the memory */
    bool          apart[MOST_DIMS];
    stria_tensor *x = NULL, *view = NULL;

    for (int k = 0; k < ndim; k++) at[k] = k;
    for (int k = ndim - 1; k > 0 && below(random, 2); k--) {
        const int j = (int)below(random, (uint64_t)k + 1), other = at[j];
        at[j] = at[k];
        at[k] = other;
    }
    for (int k = 0; k < ndim; k++) {
        const bool repeats = below(random, 10) == 0;
        apart[k] = !repeats && below(random, 8) == 0;
        base[at[k]] = repeats ? 1 : apart[k] ? 2 * shape[k] : shape[k];
        full[k] = shape[k];
    }
    CHECK_STATUS(stria_tensor_new(dtype, ndim, base, &x, NULL), STRIA_OK);
    replace(&x, stria_permute(x, at, ndim, &view, NULL), &view);
    for (int k = 0; k < ndim; k++) {
        if (apart[k]) replace(&x, stria_slice(x, k, 0, INT64_MIN, 2, &view, NULL), &view);
        if (below(random, 8) == 0) replace(&x, stria_flip(x, &k, 1, &view, NULL), &view);
    }
    replace(&x, stria_expand(x, full, ndim, &view, NULL), &view);
    return x;
}

static stria_tensor *new_input(random_state *random, const problem *p)
{
    static const stria_dtype dtypes[] = {STRIA_U8, STRIA_I16, STRIA_F32, STRIA_F64};
    int64_t                  shape[MOST_DIMS];
    const int                missing = below(random, 3) == 0 ? (int)below(random, (uint64_t)p->ndim + 1) : 0;

    for (int k = missing; k < p->ndim; k++) shape[k - missing] = below(random, 6) == 0 ? 1 : p->shape[k];
    return new_random(random, dtypes[below(random, 4)], p->ndim - missing, shape);
}

static void new_reduction(problem *p, random_state *random)
{
    const uint64_t reduced = below(random, (uint64_t)1 << p->ndim);
    int64_t        kept[MOST_DIMS];
    stria_tensor  *out = NULL;
    int            n = 0;

    for (int k = 0; k < p->ndim; k++) {
        if (!((reduced >> k) & 1)) kept[n++] = p->shape[k];
    }
    p->n = 2;
    CHECK_STATUS(stria_tensor_new(STRIA_F32, n, kept, &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_iter_view_reduced(out, p->ndim, reduced, false, &p->operand[0], NULL), STRIA_OK);
    stria_tensor_release(out);
    p->operand[1] = new_random(random, STRIA_F32, p->ndim, p->shape);
    stria_iter_config_set_reduce_op(&p->config, p->operand[0], p->operand[1]);
}

static void problem_init(problem *p, random_state *random)
{
    static const int64_t sizes[] = {0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 20, 40};

    memset(p, 0, sizeof *p);
    p->ndim = (int)below(random, MOST_DIMS + 1);
    for (int k = 0; k < p->ndim; k++) p->shape[k] = sizes[below(random, k == 0 ? 12 : 9)];
    stria_iter_config_init(&p->config);
    p->reduces = below(random, 5) == 0;
    if (p->reduces) {
        new_reduction(p, random);
    } else {
        p->n = 2 + (int)below(random, 3);
        for (int k = 1; k < p->n; k++) p->operand[k] = new_input(random, p);
        if (below(random, 4) == 0) CHECK_STATUS(stria_tensor_new(STRIA_F32, 0, NULL, &p->operand[0], NULL), STRIA_OK);
        stria_iter_config_set_elementwise(&p->config, STRIA_F32);
        stria_iter_config_add_output(&p->config, p->operand[0]);
        for (int k = 1; k < p->n; k++) stria_iter_config_add_input(&p->config, p->operand[k]);
    }
    stria_iter_config_set_enforce_linear_iteration(&p->config, below(random, 10) == 0);
    stria_iter_config_set_multi_index(&p->config, below(random, 10) == 0);
}

static void problem_release(problem *p)
{
    for (int k = 0; k < p->n; k++) stria_tensor_release(p->operand[k]);
    stria_iter_config_release(&p->config);
}

/* ---------------------------------------------------------------- reasons against strides */

/* Byte stride of a tensor in logical dim `axis` of the common shape (3.7). */
static int64_t stride_of(const stria_tensor *x, const stria_iter_description *d, int axis)
{
    const int own = axis - (d->n_axes - stria_tensor_get_ndim(x));

    if (own < 0 || (stria_tensor_get_shape(x)[own] == 1 && d->shape[axis] != 1)) return 0;
    return stria_tensor_get_strides(x)[own] * (int64_t)stria_dtype_get_size(stria_tensor_get_dtype(x));
}

static bool took_part(const stria_iter_description *d, int k) { return d->operands[k].origin == STRIA_ITER_GIVEN; }

/* What one operand says in cmp(a, b) of 3.8: -1 axis a first, 1 axis b first, 0 no opinion. */
static int opinion(const stria_iter_description *d, int k, const stria_iter_description_axis *a,
                   const stria_iter_description_axis *b)
{
    const int64_t x = a->strides[k] < 0 ? -a->strides[k] : a->strides[k];
    const int64_t y = b->strides[k] < 0 ? -b->strides[k] : b->strides[k];

    if (d->is_reduction && k < d->n_outputs && (x == 0) != (y == 0)) return x == 0 ? -1 : 1;
    if (x == 0 || y == 0) return 0;
    if (x != y) return x < y ? -1 : 1;
    return a->size > b->size ? 1 : 0;
}

/* A comparison: which of two axes comes first (-1: none), and by which operand. */
typedef struct comparison {
    int first, operand;
} comparison;

/* The whole of cmp(a, b); a and b are positions in d->axes. */
static comparison compare(const stria_iter_description *d, int a, int b)
{
    for (int k = 0; k < d->n_operands; k++) {
        const int sign = took_part(d, k) ? opinion(d, k, &d->axes[a], &d->axes[b]) : 0;
        if (sign != 0) return (comparison){sign < 0 ? a : b, k};
    }
    return (comparison){-1, -1};
}

/* Sorts as 3.8 says; said[a][b] with a < b is what was found for these two, first == b + 1 where they never met. */
static void sort(const stria_iter_description *d, comparison said[MOST_DIMS][MOST_DIMS])
{
    int at[MOST_DIMS], n = 0;

    for (int axis = d->n_axes - 1; axis >= 0; axis--) {
        for (int r = 0; r < d->n_axes; r++)
            if (d->axes[r].axis == axis) at[n++] = r;
    }
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++) said[a][b] = (comparison){b + 1, -1};
    for (int i = 1; i < n; i++) {
        for (int j = i - 1, moving = i; j >= 0; j--) {
            const int        left = at[j], right = at[moving];
            const comparison found = compare(d, left, right);
            said[left < right ? left : right][left < right ? right : left] = found;
            if (found.first == left) break;
            if (found.first < 0) continue;
            at[j] = right;
            at[moving] = left;
            moving = j;
        }
    }
    for (int r = 0; r < n; r++) CHECK(at[r] == r, "the sort gives another order at %d", r);
}

static stria_iter_order expect_order(const stria_iter_description *d, int r, comparison said)
{
    const stria_iter_description_axis *a = &d->axes[r], *b = &d->axes[r + 1];
    const int                          k = said.operand;

    if (said.first < 0 && a->axis > b->axis) return STRIA_ITER_ORDER_ROW_MAJOR;
    if (said.first != r) return STRIA_ITER_ORDER_SORT;
    if (d->is_reduction && k < d->n_outputs && (a->strides[k] == 0) != (b->strides[k] == 0))
        return STRIA_ITER_ORDER_REDUCED;
    return llabs(a->strides[k]) < llabs(b->strides[k]) ? STRIA_ITER_ORDER_STRIDE : STRIA_ITER_ORDER_SIZE;
}

static void check_order(const stria_iter_description *d)
{
    const bool sorted = d->setup == STRIA_ITER_GENERAL && !d->is_linear;
    comparison said[MOST_DIMS][MOST_DIMS];

    if (sorted) sort(d, said);
    for (int r = 0; r + 1 < d->n_axes; r++) {
        const stria_iter_description_axis *a = &d->axes[r];
        const int                          decider = sorted ? said[r][r + 1].operand : -1;
        const stria_iter_order             wanted = d->setup != STRIA_ITER_GENERAL ? STRIA_ITER_ORDER_ALIKE
                                                    : d->is_linear                 ? STRIA_ITER_ORDER_LINEAR
                                                                                   : expect_order(d, r, said[r][r + 1]);
        CHECK(a->order == wanted && a->order_operand == decider, "order %d: %s by %d, expected %s by %d", r,
              stria_iter_order_get_name(a->order), a->order_operand, stria_iter_order_get_name(wanted), decider);
    }
}

/* Rebuilds the dims from what is said of the axes, and demands that each saying is true. */
static void check_merging(const stria_iter_description *d)
{
    int64_t size = 1;
    int     dim = -1, from = 0, wrong = 0;

    for (int r = 0; r < d->n_axes; r++) {
        const stria_iter_description_axis *axis = &d->axes[r];
        int                                blocker = -1;
        for (int k = d->n_operands - 1; k >= 0 && r > 0; k--) {
            if (size * d->axes[from].strides[k] != axis->strides[k]) blocker = k;
        }
        const bool is_one = r > 0 && (size == 1 || axis->size == 1);
        const bool starts = axis->merge == STRIA_ITER_MERGE_STRIDE || axis->merge == STRIA_ITER_MERGE_MULTI_INDEX;
        wrong += (axis->merge == STRIA_ITER_MERGE_FIRST) != (r == 0);
        wrong += axis->merge == STRIA_ITER_MERGE_SIZE_ONE && !is_one;
        wrong += axis->merge == STRIA_ITER_MERGE_FITS && (is_one || blocker >= 0);
        wrong += (axis->merge == STRIA_ITER_MERGE_MULTI_INDEX) != (d->multi_index && r > 0);
        wrong += axis->merge == STRIA_ITER_MERGE_META;
        wrong += axis->merge == STRIA_ITER_MERGE_STRIDE && (is_one || blocker != axis->merge_operand);
        if (axis->merge == STRIA_ITER_MERGE_STRIDE && blocker >= 0)
            wrong += axis->merge_wanted != size * d->axes[from].strides[blocker] ||
                     axis->merge_found != axis->strides[blocker];
        if (r == 0 || starts) {
            wrong += r > 0 && d->dims[dim].size != size;
            dim++;
            size = axis->size;
            from = r;
        } else {
            if (size == 1) from = r;
            size *= axis->size;
        }
        wrong += axis->dim != dim;
        for (int k = 0; k < d->n_operands && d->setup == STRIA_ITER_GENERAL; k++)
            wrong += dim < d->n_dims && (r + 1 == d->n_axes || d->axes[r + 1].dim != dim) &&
                     d->dims[dim].strides[k] != d->axes[from].strides[k];
    }
    CHECK(wrong == 0 && d->n_dims == dim + 1 && (dim < 0 || d->dims[dim].size == size), "merging: %d wrong", wrong);
}

static void check_operands(const problem *p, const stria_iter_description *d)
{
    int wrong = 0;

    for (int k = 0; k < p->n; k++) {
        const stria_iter_description_operand *operand = &d->operands[k];
        const stria_tensor                   *x = p->operand[k];
        const stria_iter_origin               wanted = x == NULL                                ? STRIA_ITER_ALLOCATED
                                                       : k == 0 && !p->reduces && d->n_axes > 0 ? STRIA_ITER_RESIZED
                                                                                                : STRIA_ITER_GIVEN;
        const int64_t                         stride = d->n_dims > 0 && d->dims[0].size > 1 ? d->dims[0].strides[k] : 0;
        const int64_t                         size = (int64_t)stria_dtype_get_size(operand->dtype);
        const stria_iter_form                 form = stride == 0      ? STRIA_ITER_FORM_VALUE
                                                     : stride < 0     ? STRIA_ITER_FORM_REVERSED
                                                     : stride == size ? STRIA_ITER_FORM_CONTIGUOUS
                                                                      : STRIA_ITER_FORM_STRIDED;
        wrong += operand->origin != wanted || operand->form != form || operand->is_output != (k == 0);
        wrong += operand->given_dtype != (x == NULL ? STRIA_DTYPE_NONE : stria_tensor_get_dtype(x));
        for (int r = 0; x != NULL && took_part(d, k) && r < d->n_axes; r++)
            wrong += d->axes[r].strides[k] != stride_of(x, d, d->axes[r].axis);
    }
    CHECK(wrong == 0, "operands: %d wrong", wrong);
}

static void check_queries(const stria_iter *it, const stria_iter_description *d)
{
    const int8_t *permutation = stria_iter_get_permutation(it);
    int           wrong = 0;

    wrong += d->n_dims != stria_iter_get_ndim(it) || d->numel != stria_iter_get_numel(it) || d->is_part;
    wrong += d->n_axes != stria_iter_get_common_ndim(it) || d->setup != stria_iter_get_setup(it);
    wrong += d->common_dtype != stria_iter_get_common_dtype(it) || d->is_contiguous != stria_iter_is_contiguous(it);
    wrong += d->fits_32bit != stria_iter_can_use_32bit_indexing(it);
    for (int r = 0; r < d->n_axes; r++) {
        wrong += d->shape[r] != stria_iter_get_common_shape(it)[r];
        wrong += d->axes[r].size != d->shape[d->axes[r].axis];
        wrong += permutation != NULL && d->axes[r].axis != permutation[r];
    }
    for (int k = 0; k < d->n_dims; k++) {
        wrong += d->dims[k].size != stria_iter_get_shape(it)[k];
        wrong +=
            memcmp(d->dims[k].strides, stria_iter_get_strides(it, k), (size_t)d->n_operands * sizeof(int64_t)) != 0;
    }
    CHECK(wrong == 0, "queries: %d wrong", wrong);
}

/* The one that was taken, and those before it refused, those after it not looked at. */
static void check_paths(const stria_iter_description *d)
{
    const stria_iter_path verdict[3] = {d->contiguous.verdict, d->channels_last.verdict, d->dense.verdict};
    int                   taken = -1, wrong = 0;

    for (int k = 2; k >= 0; k--) {
        if (verdict[k] == STRIA_ITER_PATH_TAKEN) taken = k;
    }
    for (int k = 0; k < 3; k++) {
        wrong += verdict[k] == STRIA_ITER_PATH_TAKEN && k != taken;
        wrong += (verdict[k] == STRIA_ITER_PATH_NOT_NEEDED) != (taken >= 0 && k > taken);
    }
    CHECK(wrong == 0 && d->setup == (stria_iter_setup)(taken + 1), "paths: %d wrong, %d taken", wrong, taken);
}

/* ---------------------------------------------------------------- JSON against the struct */

static int64_t json_wrong;

static void same_int(const json *object, const char *key, int64_t value)
{
    const json *member = json_get(object, key);
    json_wrong += member == NULL || member->type != JSON_NUMBER || member->integer != value;
}

static void same_bool(const json *object, const char *key, bool value)
{
    const json *member = json_get(object, key);
    json_wrong += member == NULL || member->type != JSON_BOOL || member->boolean != value;
}

static void same_word(const json *object, const char *key, const char *word)
{
    const json *member = json_get(object, key);
    json_wrong += member == NULL || member->type != JSON_STRING || strcmp(member->string, word) != 0;
}

static void same_list(const json *object, const char *key, int n, const int64_t *values)
{
    const json *list = json_get(object, key);
    json_wrong += list == NULL || list->type != JSON_ARRAY || list->count != n;
    for (int k = 0; k < n; k++) json_wrong += json_at(list, k) == NULL || json_at(list, k)->integer != values[k];
}

static void same_path(const json *parent, const char *key, const stria_iter_description_path *path)
{
    const json *object = json_get(parent, key);
    same_word(object, "verdict", stria_iter_path_get_name(path->verdict));
    same_word(object, "verdict_text", stria_iter_path_get_text(path->verdict));
    same_int(object, "operand", path->operand);
}

static void same_head(const json *object, const stria_iter_description *d)
{
    same_int(object, "n_operands", d->n_operands);
    same_int(object, "n_outputs", d->n_outputs);
    same_int(object, "numel", d->numel);
    same_int(object, "n_reduced_dims", d->n_reduced_dims);
    same_int(object, "dim_to_split", d->dim_to_split);
    same_list(object, "shape", d->n_axes, d->shape);
    same_word(object, "common_dtype", stria_dtype_get_name(d->common_dtype));
    same_word(object, "common_device", "cpu");
    same_word(object, "setup", stria_iter_setup_get_name(d->setup));
    same_word(object, "setup_text", stria_iter_setup_get_text(d->setup));
    same_bool(object, "is_reduction", d->is_reduction);
    same_bool(object, "is_linear", d->is_linear);
    same_bool(object, "has_static_shape", d->has_static_shape);
    same_bool(object, "multi_index", d->multi_index);
    same_bool(object, "accumulate", d->accumulate);
    same_bool(object, "final_output", d->final_output);
    same_bool(object, "is_part", d->is_part);
    same_bool(object, "is_contiguous", d->is_contiguous);
    same_bool(object, "fits_32bit", d->fits_32bit);
    same_path(json_get(object, "paths"), "contiguous", &d->contiguous);
    same_path(json_get(object, "paths"), "channels_last", &d->channels_last);
    same_path(json_get(object, "paths"), "dense", &d->dense);
}

static void same_threads(const json *object, const stria_iter_description_threads *t)
{
    static const char *const strategies[] = {"serial", "two_pass", "split_dim"};
    same_int(object, "n_threads", t->n_threads);
    same_int(object, "n_chunks", t->n_chunks);
    same_int(object, "dim", t->dim);
    same_int(object, "grain", t->grain);
    same_int(object, "chunk_size", t->chunk_size);
    same_int(object, "round", t->round);
    same_word(object, "strategy", strategies[t->strategy]);
}

static void same_operand(const json *object, const stria_iter_description_operand *operand)
{
    same_word(object, "dtype", stria_dtype_get_name(operand->dtype));
    same_word(object, "given_dtype", stria_dtype_get_name(operand->given_dtype));
    same_word(object, "device", "cpu");
    same_word(object, "origin", stria_iter_origin_get_name(operand->origin));
    same_word(object, "origin_text", stria_iter_origin_get_text(operand->origin));
    same_word(object, "form", stria_iter_form_get_name(operand->form));
    same_word(object, "form_text", stria_iter_form_get_text(operand->form));
    same_bool(object, "is_output", operand->is_output);
    same_bool(object, "is_in_place", operand->is_in_place);
    same_bool(object, "is_wrapped_number", operand->is_wrapped_number);
    same_bool(object, "has_op_axes", operand->has_op_axes);
}

static void same_axis(const json *object, const stria_iter_description_axis *axis, int n_listed)
{
    same_int(object, "axis", axis->axis);
    same_int(object, "dim", axis->dim);
    same_int(object, "size", axis->size);
    same_word(object, "order", stria_iter_order_get_name(axis->order));
    same_word(object, "order_text", stria_iter_order_get_text(axis->order));
    same_int(object, "order_operand", axis->order_operand);
    same_word(object, "merge", stria_iter_merge_get_name(axis->merge));
    same_word(object, "merge_text", stria_iter_merge_get_text(axis->merge));
    same_int(object, "merge_operand", axis->merge_operand);
    same_int(object, "merge_wanted", axis->merge_wanted);
    same_int(object, "merge_found", axis->merge_found);
    same_list(object, "strides", n_listed, axis->strides);
}

static void check_json(const stria_iter *it, const stria_iter_description *d)
{
    static char text[40000];
    size_t      needed = 0;

    CHECK_STATUS(stria_iter_describe_json(it, text, sizeof text, &needed, NULL), STRIA_OK);
    CHECK(needed < sizeof text && strlen(text) == needed, "%zu bytes", needed);
    json *object = json_parse(text, needed);
    json_wrong = object == NULL;
    same_head(object, d);
    same_threads(json_get(object, "threads"), &d->threads);
    const json *operands = json_get(object, "operands"), *axes = json_get(object, "axes");
    const json *dims = json_get(object, "dims");
    CHECK(operands && axes && dims && operands->count == d->n_listed && axes->count == d->n_axes &&
              dims->count == d->n_dims,
          "lengths");
    for (int k = 0; k < d->n_listed; k++) same_operand(json_at(operands, k), &d->operands[k]);
    for (int r = 0; r < d->n_axes; r++) same_axis(json_at(axes, r), &d->axes[r], d->n_listed);
    for (int k = 0; k < d->n_dims; k++) {
        same_int(json_at(dims, k), "size", d->dims[k].size);
        same_list(json_at(dims, k), "strides", d->n_listed, d->dims[k].strides);
    }
    CHECK(json_wrong == 0, "JSON: %lld wrong: %s", (long long)json_wrong, text);
    json_free(object);
}

SUITE(test_describe_random)
{
    static stria_iter_description d;
    random_state                  random = {20240611};
    int                           seen[3] = {0}; /* with several axes: general, merged, fast */

    for (int round = 0; round < ROUNDS; round++) {
        problem     p;
        stria_iter  it;
        stria_error err;
        problem_init(&p, &random);
        const stria_status status = stria_iter_build(&it, &p.config, &err);
        CHECK(status == STRIA_OK, "round %d: %s", round, err.message);
        if (status == STRIA_OK) {
            stria_iter_describe(&it, &d);
            check_queries(&it, &d);
            check_operands(&p, &d);
            check_paths(&d);
            check_order(&d);
            check_merging(&d);
            check_json(&it, &d);
            stria_iter_release(&it);
            seen[d.setup != STRIA_ITER_GENERAL ? 2 : d.n_dims < d.n_axes] += d.n_axes > 1;
        }
        if (check_failures > 0 && check_failures < 40) fprintf(stderr, "in round %d\n", round);
        problem_release(&p);
    }
    for (int k = 0; k < 3; k++) CHECK(seen[k] > ROUNDS / 12, "kind %d was seen %d times", k, seen[k]);
    return check_finish("test_describe_random");
}
