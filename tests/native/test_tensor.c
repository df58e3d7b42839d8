/* test_tensor.c - creation, ownership, layout predicates, resizing, and views: random chains of views against a model that
 * copies every element. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "oracle.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

/* ---------------------------------------------------------------- creation and ownership */

static void check_new(void)
{
    const int64_t shape[] = {2, 3, 4}, strides[] = {1, 2, 8}, wide[] = {1, 2, 1, 2, 1, 2, 1, 3};
    stria_tensor *x = NULL, *y = NULL;

    for (int dtype = 0; dtype < STRIA_DTYPE_COUNT; dtype++) {
        CHECK_STATUS(stria_tensor_new((stria_dtype)dtype, 3, shape, &x, NULL), STRIA_OK);
        CHECK(stria_tensor_get_dtype(x) == (stria_dtype)dtype && stria_tensor_get_ndim(x) == 3 &&
                  stria_tensor_get_numel(x) == 24 && stria_tensor_get_contiguous(x),
              "properties of a %s tensor", stria_dtype_get_name((stria_dtype)dtype));
        CHECK((uintptr_t)stria_tensor_get_data(x) % 64 == 0, "alignment");
        CHECK(stria_tensor_get_storage_nbytes(x) == 24 * stria_dtype_get_size((stria_dtype)dtype), "bytes");
        CHECK(stria_tensor_get_strides(x)[0] == 12 && stria_tensor_get_strides(x)[2] == 1, "strides");
        CHECK(stria_tensor_get_device(x) == STRIA_DEVICE_CPU, "device");
        stria_tensor_release(x);
    }
    CHECK_STATUS(stria_tensor_new_strided(STRIA_F32, 3, shape, strides, &x, NULL), STRIA_OK);
    CHECK(!stria_tensor_get_contiguous(x) && stria_tensor_get_storage_nbytes(x) == 4 * (1 + 1 + 4 + 24), "strided");
    stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new(STRIA_F64, 8, wide, &x, NULL), STRIA_OK); /* more dims than the handle holds */
    CHECK(stria_tensor_get_numel(x) == 24 && stria_tensor_get_strides(x)[0] == 24, "eight dims");
    CHECK_STATUS(stria_transpose(x, 1, 7, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_shape(y)[1] == 3 && stria_tensor_get_strides(y)[1] == 1, "a view of eight dims");
    CHECK(stria_tensor_get_aliased(x, y), "a view shares the storage");
    stria_tensor_release(x);
    stria_tensor_release(y);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 0, NULL, &x, NULL), STRIA_OK);
    CHECK(stria_tensor_get_numel(x) == 1 && stria_tensor_get_contiguous(x), "0-dim");
    stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new_meta(STRIA_F32, 2, (int64_t[]){1 << 30, 1 << 20}, &x, NULL), STRIA_OK);
    CHECK(stria_tensor_get_data(x) == NULL && stria_tensor_get_numel(x) == (int64_t)1 << 50, "meta");
    CHECK_STATUS(stria_slice(x, 0, 5, INT64_MIN, 2, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_data(y) == NULL && stria_tensor_get_device(y) == STRIA_DEVICE_META &&
              stria_tensor_get_shape(y)[0] == (1 << 29) - 2,
          "a view of a meta tensor");
    stria_tensor_release(x);
    stria_tensor_release(y);
}

static void check_values(void)
{
    const float   data[] = {1, 2, 3, 4, 5, 6};
    char          bytes[25];
    double        c[2];
    int64_t       i;
    stria_tensor *x = NULL;

    memcpy(bytes + 1, data, sizeof data); /* not aligned */
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 2, (int64_t[]){2, 3}, bytes + 1, 24, &x, NULL), STRIA_OK);
    CHECK(memcmp(stria_tensor_get_data(x), data, 24) == 0, "copied elements");
    stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_COMPLEX, 0, 1.5, -2}, &x, NULL), STRIA_OK);
    memcpy(c, stria_tensor_get_data(x), sizeof c);
    CHECK(stria_tensor_get_dtype(x) == STRIA_C128 && c[0] == 1.5 && c[1] == -2 && x->is_wrapped_number,
          "complex scalar");
    stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_INT, INT64_MIN, 0, 0}, &x, NULL), STRIA_OK);
    memcpy(&i, stria_tensor_get_data(x), sizeof i);
    CHECK(stria_tensor_get_dtype(x) == STRIA_I64 && i == INT64_MIN, "integer scalar");
    stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_BOOL, 7, 0, 0}, &x, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(x) == STRIA_BOOL && *(char *)stria_tensor_get_data(x) == 1, "bool scalar");
    stria_tensor_release(x);
}

static void count_release(void *context) { ++*(int *)context; }

static void check_external(void)
{
    double        data[12] = {0};
    int           released = 0;
    stria_tensor *x = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new_external(STRIA_F64, 2, (int64_t[]){3, 4}, (int64_t[]){-4, 1}, data + 8, count_release,
                                           &released, &x, NULL),
                 STRIA_OK);
    CHECK(stria_tensor_get_storage_nbytes(x) == 96 && x->storage->data == (char *)data, "extent of negative strides");
    CHECK_STATUS(stria_select(x, 0, -1, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_data(y) == data, "the last row lies first");
    CHECK(stria_tensor_retain(y) == y, "retain");
    stria_tensor_release(x);
    stria_tensor_release(y);
    CHECK(released == 0, "released while a view is alive");
    stria_tensor_release(y);
    CHECK(released == 1, "released %d times", released);
    CHECK_STATUS(stria_tensor_new_external(STRIA_F64, 1, (int64_t[]){0}, NULL, NULL, NULL, NULL, &x, NULL), STRIA_OK);
    stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new_external(STRIA_F64, 1, (int64_t[]){1}, NULL, (char *)data + 1, NULL, NULL, &x, NULL),
                 STRIA_ERR_ARGUMENT);
    stria_tensor_release(NULL);
    CHECK(stria_tensor_retain(NULL) == NULL, "retain of NULL");
}

/* One value fills an expanded tensor; several are refused. */
static void check_set_expanded(void)
{
    const stria_scalar seven = {STRIA_SCALAR_INT, 7, 0, 0};
    stria_tensor      *x = NULL, *wide = NULL, *value = NULL, *row = NULL;
    stria_error        err;

    CHECK_STATUS(
        stria_tensor_new_full(STRIA_F32, 2, (int64_t[]){3, 1}, (stria_scalar){STRIA_SCALAR_INT, 1, 0, 0}, &x, NULL),
        STRIA_OK);
    CHECK_STATUS(stria_expand(x, (int64_t[]){2, 3, 100000}, 3, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_scalar(seven, &value, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(wide, value, &err), STRIA_OK);
    for (int k = 0; k < 3; k++) CHECK(((const float *)stria_tensor_get_data(x))[k] == 7, "element %d", k);
    CHECK_STATUS(stria_tensor_new_full(STRIA_F32, 1, (int64_t[]){100000}, seven, &row, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(wide, row, &err), STRIA_ERR_OVERLAP);
    CHECK(strcmp(err.op, "copy") == 0 && err.argument[0], "names op and argument: %s, %s", err.op, err.argument);
    stria_tensor_release(row);
    stria_tensor_release(value);
    stria_tensor_release(wide);
    stria_tensor_release(x);
}

static void check_resize(void)
{
    const int64_t small[] = {4}, large[] = {30, 40}, seven[] = {1, 1, 1, 1, 1, 2, 2}, ones[] = {1, 1, 1, 1, 1, 1, 1};
    int64_t       strides[8];
    stria_tensor *x = NULL, *view = NULL;
    char         *before;

    CHECK_STATUS(stria_tensor_new(STRIA_U8, 1, (int64_t[]){100}, &x, NULL), STRIA_OK);
    before = stria_tensor_get_data(x);
    memset(before, 7, 100);
    stria_shape_get_strides(1, small, strides);
    CHECK_STATUS(stria_tensor_resize(x, 1, small, strides, NULL), STRIA_OK);
    CHECK(stria_tensor_get_data(x) == before && stria_tensor_get_numel(x) == 4, "memory that suffices is kept");
    CHECK_STATUS(stria_slice(x, 0, 1, 3, 1, &view, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_resize(x, 7, seven, ones, NULL), STRIA_OK);
    CHECK(stria_tensor_get_data(x) != before && stria_tensor_get_ndim(x) == 7,
          "memory that a view shares is left alone");
    CHECK(!stria_tensor_get_aliased(x, view) && *(char *)stria_tensor_get_data(view) == 7,
          "the view keeps the old memory");
    stria_shape_get_strides(2, large, strides);
    CHECK_STATUS(stria_tensor_resize(x, 2, large, strides, NULL), STRIA_OK);
    CHECK(stria_tensor_get_storage_nbytes(x) == 1200 && stria_tensor_get_contiguous(x), "grown");
    memset(stria_tensor_get_data(x), 1, 1200);
    CHECK(*(char *)stria_tensor_get_data(view) == 7, "the view keeps its elements");
    stria_tensor_release(view);
    CHECK_STATUS(stria_tensor_resize(x, 1, (int64_t[]){-1}, strides, NULL), STRIA_ERR_SHAPE);
    stria_error err;
    stria_alloc_set_failure(1); /* shape and strides of seven dims: 14 numbers */
    CHECK_STATUS(stria_tensor_resize(x, 7, seven, ones, &err), STRIA_ERR_MEMORY);
    stria_alloc_set_failure(0);
    CHECK(strcmp(err.message, "tensor: no memory for 112 bytes") == 0 && strcmp(err.op, "tensor") == 0, "%s",
          err.message);
    CHECK(stria_tensor_get_ndim(x) == 2, "a refused resize changes nothing");
    CHECK(stria_memory_get_stats().live_tensors == 1 && stria_memory_get_stats().live_storages <= 2,
          "one tensor, and perhaps the memory it started with, where its handle lies");
    stria_tensor_release(x);
    CHECK(stria_memory_get_stats().live_storages == 0, "every storage is gone");
}

/* Copies have no gaps and the memory order of what they copy, whether that has gaps or not; without memory, too. */
static void check_memory_order(void)
{
    static const struct {
        int     ndim;
        int64_t shape[4], strides[4], offset, expected[4];
    } rows[] = {
        {2, {4, 6}, {6, 1}, 0, {6, 1}},                        /* row-major */
        {2, {4, 6}, {1, 4}, 0, {1, 4}},                        /* transposed */
        {2, {4, 6}, {12, 1}, 0, {6, 1}},                       /* with gaps */
        {2, {4, 6}, {1, 8}, 0, {1, 4}},                        /* transposed, with gaps */
        {2, {4, 6}, {2, 16}, 1, {1, 4}},                       /* the same, every other element */
        {3, {2, 3, 4}, {4, 60, 10}, 0, {1, 8, 2}},             /* permuted, with gaps */
        {4, {2, 3, 4, 5}, {120, 1, 30, 6}, 0, {60, 1, 15, 3}}, /* channels-last, of more channels */
        {4, {2, 3, 4, 5}, {60, 1, 15, 3}, 0, {60, 1, 15, 3}},  /* channels-last */
        {2, {4, 6}, {-1, 4}, 3, {1, 4}},                       /* transposed and flipped */
        {2, {4, 3}, {0, 1}, 0, {3, 1}},                        /* expanded */
        {3, {2, 3, 4}, {1, 0, 2}, 0, {1, 2, 6}},               /* expanded between transposed dims */
        {1, {5}, {-2}, 8, {1}},                                /* backwards */
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        stria_tensor *base = NULL, *x = NULL, *copy = NULL, *meta = NULL, *meta_copy = NULL;
        const size_t  nbytes = (size_t)rows[k].ndim * sizeof(int64_t);
        CHECK_STATUS(stria_tensor_new(STRIA_I32, 1, (int64_t[]){400}, &base, NULL), STRIA_OK);
        for (int i = 0; i < 400; i++) ((int32_t *)base->data)[i] = i;
        CHECK_STATUS(stria_tensor_view(base, rows[k].ndim, rows[k].shape, rows[k].strides, rows[k].offset, &x, NULL),
                     STRIA_OK);
        CHECK_STATUS(stria_tensor_copy(x, STRIA_I64, &copy, NULL), STRIA_OK);
        CHECK(memcmp(copy->strides, rows[k].expected, nbytes) == 0, "row %zu: strides of the copy", k);
        int64_t index[4] = {0}, wrong = 0;
        do {
            int64_t from = 0, to = 0;
            for (int d = 0; d < rows[k].ndim; d++) {
                from += index[d] * x->strides[d];
                to += index[d] * copy->strides[d];
            }
            wrong += ((int64_t *)copy->data)[to] != ((int32_t *)x->data)[from];
        } while (index_next(rows[k].ndim, rows[k].shape, index));
        CHECK(wrong == 0, "row %zu: %lld wrong elements", k, (long long)wrong);
        CHECK_STATUS(stria_tensor_new_meta(STRIA_I32, rows[k].ndim, rows[k].shape, &meta, NULL), STRIA_OK);
        memcpy(meta->strides, rows[k].strides, nbytes);
        CHECK_STATUS(stria_tensor_copy(meta, STRIA_F32, &meta_copy, NULL), STRIA_OK);
        CHECK(stria_tensor_get_device(meta_copy) == STRIA_DEVICE_META && meta_copy->dtype == STRIA_F32 &&
                  memcmp(meta_copy->strides, rows[k].expected, nbytes) == 0,
              "row %zu: a copy without memory", k);
        stria_tensor *all[] = {base, x, copy, meta, meta_copy};
        for (int i = 0; i < 5; i++) stria_tensor_release(all[i]);
    }
}

/* A new axis has the stride of what lies behind it: its size times its stride. */
static void check_unsqueezed_strides(void)
{
    static const int64_t shape[] = {2, 3}, expected[3][3] = {{6, 3, 1}, {3, 3, 1}, {3, 1, 1}};
    stria_tensor        *x = NULL, *turned = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, shape, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(x, 0, 1, &turned, NULL), STRIA_OK);
    for (int axis = 0; axis < 3; axis++) {
        CHECK_STATUS(stria_unsqueeze(x, axis, &y, NULL), STRIA_OK);
        CHECK(memcmp(stria_tensor_get_strides(y), expected[axis], sizeof expected[axis]) == 0, "unsqueeze at axis %d",
              axis);
        stria_tensor_release(y);
    }
    CHECK_STATUS(stria_unsqueeze(turned, 1, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_strides(y)[1] == 6, "unsqueeze before 2 elements that are 3 apart");
    stria_tensor_release(y);
    stria_tensor_release(turned);
    stria_tensor_release(x);
}

static void check_layouts(void)
{
    static const struct {
        int     ndim;
        int64_t shape[4], strides[4];
        bool    contiguous, channels_last, dense;
    } rows[] = {
        {0, {0}, {0}, true, false, true},
        {1, {5}, {1}, true, false, true},
        {1, {5}, {2}, false, false, false},
        {1, {1}, {9}, true, false, true},
        {2, {3, 0}, {7, 7}, true, false, true},
        {2, {2, 3}, {1, 2}, false, false, true},
        {2, {2, 3}, {1, 3}, false, false, false},
        {2, {2, 3}, {0, 1}, false, false, false},
        {2, {3, 2}, {1, 1}, false, false, false},
        {3, {2, 1, 3}, {3, 99, 1}, true, false, true},
        {4, {2, 3, 4, 5}, {60, 1, 15, 3}, false, true, true},
        {4, {2, 3, 4, 5}, {60, 20, 5, 1}, true, false, true},
        {4, {2, 1, 4, 5}, {20, 7, 5, 1}, true, true, true},
        {3, {2, 3, 4}, {4, 8, 1}, false, false, true},
        {3, {2, 2, 2}, {2, 2, 1}, false, false, false},
        {2, {2, 3}, {-3, 1}, false, false, false},
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const int      n = rows[k].ndim;
        const int64_t *shape = rows[k].shape, *strides = rows[k].strides;
        CHECK(stria_layout_is_contiguous(n, shape, strides) == rows[k].contiguous, "row %zu: contiguous", k);
        CHECK(stria_layout_is_channels_last(n, shape, strides) == rows[k].channels_last, "row %zu: channels-last", k);
        CHECK(stria_layout_is_dense(n, shape, strides) == rows[k].dense, "row %zu: dense", k);
    }
}

/* ---------------------------------------------------------------- views against a model */

#define MODEL_MAX 4096

/* Shape and the elements in row-major order. */
typedef struct model {
    int     ndim;
    int64_t numel, shape[STRIA_MAX_DIMS], values[MODEL_MAX];
} model;

static int64_t *model_at(model *m, const int64_t *index)
{
    int64_t at = 0;
    for (int d = 0; d < m->ndim; d++) at = at * m->shape[d] + index[d];
    return &m->values[at];
}

static void check_model(const char *what, model *m, const stria_tensor *x)
{
    int64_t index[STRIA_MAX_DIMS] = {0};
    bool    same = x->ndim == m->ndim;

    m->numel = 1;
    for (int d = 0; d < m->ndim; d++) m->numel *= m->shape[d];
    for (int d = 0; same && d < m->ndim; d++) same = x->shape[d] == m->shape[d];
    CHECK(same, "%s: the shape differs", what);
    CHECK(x->numel == m->numel, "%s: %lld elements, expected %lld", what, (long long)x->numel, (long long)m->numel);
    if (!same || m->numel == 0) return;
    do {
        const char *at = tensor_at(x, index);
        if (at < x->storage->data || at + 8 > x->storage->data + x->storage->nbytes) {
            CHECK(false, "%s: an element outside the storage", what);
            return;
        }
        same = same && memcmp(at, model_at(m, index), 8) == 0;
    } while (index_next(m->ndim, m->shape, index));
    CHECK(same, "%s: an element differs", what);
}

/* One step: a random view of x, and the same of from into to. NULL: the step was not possible. */
typedef struct step {
    random_state *random;
    stria_tensor *x;
    model        *from, *to;
    const char   *what;
} step;

static int64_t pick(step *s, int64_t low, int64_t high)
{
    return low + (int64_t)(random_next(s->random) % (uint64_t)(high - low + 1));
}

/* Fills to->values: element index of `to` is the element of `from` that map gives. */
static void model_fill(step *s, void (*map)(const int64_t *to, int64_t *from, const void *data), const void *data)
{
    int64_t index[STRIA_MAX_DIMS] = {0}, source[STRIA_MAX_DIMS] = {0};

    s->to->numel = 1;
    for (int d = 0; d < s->to->ndim; d++) s->to->numel *= s->to->shape[d];
    if (s->to->numel == 0) return;
    do {
        map(index, source, data);
        *model_at(s->to, index) = *model_at(s->from, source);
    } while (index_next(s->to->ndim, s->to->shape, index));
}

typedef struct slice_data {
    int     ndim, axis;
    int64_t list[64];
} slice_data;
static void map_slice(const int64_t *to, int64_t *from, const void *data)
{
    const slice_data *s = data;
    for (int d = 0; d < s->ndim; d++) from[d] = d == s->axis ? s->list[to[d]] : to[d];
}

/* The indices by the definition: walk from start towards stop. */
static stria_tensor *step_slice(step *s)
{
    stria_tensor *out = NULL;
    slice_data    data = {s->x->ndim, 0, {0}};
    int64_t       start, stop, step, size, n = 0;

    s->what = "slice";
    if (s->x->ndim == 0) return NULL;
    data.axis = (int)pick(s, 0, s->x->ndim - 1);
    size = s->x->shape[data.axis];
    step = pick(s, 0, 1) ? pick(s, 1, 3) : -pick(s, 1, 3);
    if (pick(s, 0, 20) == 0) step = step > 0 ? INT64_MAX : INT64_MIN;
    start = pick(s, -size - 2, size + 2);
    stop = pick(s, -size - 2, size + 2);
    if (pick(s, 0, 5) == 0) start = INT64_MIN;
    if (pick(s, 0, 5) == 0) stop = INT64_MIN;
    CHECK_STATUS(stria_slice(s->x, pick(s, 0, 1) ? data.axis : data.axis - s->x->ndim, start, stop, step, &out, NULL),
                 STRIA_OK);
    for (int64_t k = step > 0 ? 0 : size - 1, next = k; k >= 0 && k<size; k += step> 0 ? 1 : -1) {
        const int64_t first = start == INT64_MIN ? (step > 0 ? 0 : size - 1) : start < 0 ? start + size : start;
        const int64_t end = stop == INT64_MIN ? (step > 0 ? size : -1)
                            : stop < 0        ? (stop + size < -1 ? -1 : stop + size)
                                              : stop;
        const int64_t jump = step == INT64_MAX || step == INT64_MIN ? 1000 : step < 0 ? -step : step;
        if (step > 0 ? k < first || k >= end : k > first || k <= end) {
            next = k + (step > 0 ? 1 : -1);
            continue;
        }
        if (k != next) continue;
        data.list[n++] = k;
        next = step > 0 ? k + jump : k - jump;
    }
    *s->to = (model){.ndim = s->from->ndim};
    memcpy(s->to->shape, s->from->shape, sizeof s->to->shape);
    s->to->shape[data.axis] = n;
    model_fill(s, map_slice, &data);
    return out;
}

typedef struct axes_data {
    int     ndim;
    int     axes[STRIA_MAX_DIMS];
    int64_t add[STRIA_MAX_DIMS], sign[STRIA_MAX_DIMS];
} axes_data;

/* from[axes[d]] = add + sign * to[d]; axes[d] < 0: the index of `to` is dropped. */
static void map_axes(const int64_t *to, int64_t *from, const void *data)
{
    const axes_data *a = data;
    for (int d = 0; d < a->ndim; d++)
        if (a->axes[d] >= 0) from[a->axes[d]] = a->add[d] + a->sign[d] * to[d];
}

static void identity(step *s, axes_data *a)
{
    a->ndim = s->from->ndim;
    for (int d = 0; d < a->ndim; d++) {
        a->axes[d] = d;
        a->add[d] = 0;
        a->sign[d] = 1;
    }
    *s->to = (model){.ndim = s->from->ndim};
    memcpy(s->to->shape, s->from->shape, sizeof s->to->shape);
}

static stria_tensor *step_permute(step *s)
{
    stria_tensor *out = NULL;
    axes_data     a;
    int           axes[STRIA_MAX_DIMS];

    s->what = "permute";
    identity(s, &a);
    for (int d = a.ndim - 1; d > 0; d--) {
        const int other = (int)pick(s, 0, d), held = a.axes[d];
        a.axes[d] = a.axes[other];
        a.axes[other] = held;
    }
    for (int d = 0; d < a.ndim; d++) {
        s->to->shape[d] = s->from->shape[a.axes[d]];
        axes[d] = pick(s, 0, 1) ? a.axes[d] : a.axes[d] - a.ndim;
    }
    CHECK_STATUS(stria_permute(s->x, axes, a.ndim, &out, NULL), STRIA_OK);
    model_fill(s, map_axes, &a);
    return out;
}

static stria_tensor *step_transpose(step *s)
{
    stria_tensor *out = NULL;
    axes_data     a;

    s->what = "transpose";
    identity(s, &a);
    const int n = a.ndim ? a.ndim : 1, i = (int)pick(s, 0, n - 1), j = (int)pick(s, 0, n - 1);
    CHECK_STATUS(stria_transpose(s->x, i, j - n, &out, NULL), STRIA_OK);
    if (a.ndim) {
        a.axes[i] = j;
        a.axes[j] = i;
        s->to->shape[i] = s->from->shape[j];
        s->to->shape[j] = s->from->shape[i];
    }
    model_fill(s, map_axes, &a);
    return out;
}

static stria_tensor *step_flip(step *s)
{
    stria_tensor *out = NULL;
    axes_data     a;
    int           axes[STRIA_MAX_DIMS], n = 0;

    s->what = "flip";
    identity(s, &a);
    for (int d = 0; d < a.ndim; d++) {
        if (pick(s, 0, 1)) continue;
        axes[n++] = d;
        a.sign[d] = -1;
        a.add[d] = s->from->shape[d] - 1;
    }
    CHECK_STATUS(stria_flip(s->x, axes, n, &out, NULL), STRIA_OK);
    model_fill(s, map_axes, &a);
    return out;
}

static stria_tensor *step_expand(step *s)
{
    stria_tensor *out = NULL;
    axes_data     a;
    int64_t       shape[STRIA_MAX_DIMS];
    const int     extra = s->from->ndim < 8 ? (int)pick(s, 0, 2) : 0;

    s->what = "expand";
    if (s->from->numel > 200) return NULL;
    a.ndim = s->from->ndim + extra;
    *s->to = (model){.ndim = a.ndim};
    for (int d = 0; d < a.ndim; d++) {
        const int64_t size = d >= extra ? s->from->shape[d - extra] : 1;
        const bool    grows = size == 1 && pick(s, 0, 2) == 0;
        a.axes[d] = d >= extra && !grows ? d - extra : -1;
        a.add[d] = 0;
        a.sign[d] = 1;
        s->to->shape[d] = grows ? pick(s, 0, 3) : size;
        shape[d] = d >= extra && !grows && pick(s, 0, 1) ? -1 : s->to->shape[d];
    }
    CHECK_STATUS(stria_expand(s->x, shape, a.ndim, &out, NULL), STRIA_OK);
    model_fill(s, map_axes, &a);
    return out;
}

static stria_tensor *step_select(step *s)
{
    stria_tensor *out = NULL;
    axes_data     a;
    slice_data    data = {s->from->ndim, 0, {0}};

    s->what = "select";
    if (s->from->ndim == 0) return NULL;
    data.axis = (int)pick(s, 0, s->from->ndim - 1);
    const int64_t size = s->from->shape[data.axis];
    if (size == 0) return NULL;
    const int64_t index = pick(s, -size, size - 1);
    CHECK_STATUS(stria_select(s->x, data.axis, index, &out, NULL), STRIA_OK);
    data.list[0] = index < 0 ? index + size : index;
    identity(s, &a);
    s->to->shape[data.axis] = 1; /* as a slice of one, whose axis then goes */
    model_fill(s, map_slice, &data);
    s->to->ndim--;
    for (int d = data.axis; d < s->to->ndim; d++) s->to->shape[d] = s->from->shape[d + 1];
    return out;
}

/* Squeeze and unsqueeze change the shape only. */
static stria_tensor *step_squeeze(step *s)
{
    stria_tensor *out = NULL;
    axes_data     a;
    int           axes[STRIA_MAX_DIMS], n = 0;
    const bool    all = pick(s, 0, 1);

    identity(s, &a);
    memcpy(s->to->values, s->from->values, sizeof s->to->values);
    if (s->from->ndim < 9 && pick(s, 0, 1)) {
        const int axis = (int)pick(s, 0, a.ndim);
        s->what = "unsqueeze";
        CHECK_STATUS(stria_unsqueeze(s->x, pick(s, 0, 1) ? axis : axis - a.ndim - 1, &out, NULL), STRIA_OK);
        s->to->ndim++;
        for (int d = a.ndim; d > axis; d--) s->to->shape[d] = s->from->shape[d - 1];
        s->to->shape[axis] = 1;
        return out;
    }
    s->what = "squeeze";
    s->to->ndim = 0;
    for (int d = 0; d < a.ndim; d++) {
        const bool listed = all || pick(s, 0, 1);
        if (listed) axes[n++] = d;
        if (!listed || s->from->shape[d] != 1) s->to->shape[s->to->ndim++] = s->from->shape[d];
    }
    CHECK_STATUS(stria_squeeze(s->x, all ? NULL : axes, all ? 0 : n, &out, NULL), STRIA_OK);
    return out;
}

typedef struct diagonal_data {
    int     ndim, axis0, axis1;
    int64_t offset;
} diagonal_data;
static void map_diagonal(const int64_t *to, int64_t *from, const void *data)
{
    const diagonal_data *g = data;
    const int64_t        i = to[g->ndim - 2];
    for (int d = 0, k = 0; d < g->ndim; d++)
        if (d != g->axis0 && d != g->axis1) from[d] = to[k++];
    from[g->axis0] = g->offset < 0 ? i - g->offset : i;
    from[g->axis1] = g->offset < 0 ? i : i + g->offset;
}

static stria_tensor *step_diagonal(step *s)
{
    stria_tensor *out = NULL;
    diagonal_data g = {s->from->ndim, 0, 0, pick(s, -3, 3)};
    int64_t       size = 0;

    s->what = "diagonal";
    if (s->from->ndim < 2) return NULL;
    g.axis0 = (int)pick(s, 0, g.ndim - 1);
    g.axis1 = (g.axis0 + (int)pick(s, 1, g.ndim - 1)) % g.ndim;
    CHECK_STATUS(stria_diagonal(s->x, g.offset, g.axis0, g.axis1 - g.ndim, &out, NULL), STRIA_OK);
    *s->to = (model){.ndim = 0};
    for (int d = 0; d < g.ndim; d++)
        if (d != g.axis0 && d != g.axis1) s->to->shape[s->to->ndim++] = s->from->shape[d];
    for (int64_t i = 0; i < s->from->shape[g.axis0]; i++)
        size += i + g.offset >= 0 && i + g.offset < s->from->shape[g.axis1];
    s->to->shape[s->to->ndim++] = size;
    model_fill(s, map_diagonal, &g);
    return out;
}

/* Whether strides exist that reach the elements of x in row-major order under shape: those of the unit steps, if they
 * hold everywhere. */
static bool view_exists(const stria_tensor *x, int ndim, const int64_t *shape)
{
    static int64_t addresses[MODEL_MAX];
    int64_t        index[STRIA_MAX_DIMS] = {0}, strides[STRIA_MAX_DIMS], n = 0, unit = 1;

    if (x->numel == 0) return true;
    do addresses[n++] = tensor_at(x, index) - x->storage->data;
    while (index_next(x->ndim, x->shape, index));
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = shape[d] > 1 ? addresses[unit] - addresses[0] : 0;
        unit *= shape[d];
    }
    memset(index, 0, sizeof index);
    n = 0;
    do {
        int64_t at = addresses[0];
        for (int d = 0; d < ndim; d++) at += index[d] * strides[d];
        if (at != addresses[n++]) return false;
    } while (index_next(ndim, shape, index));
    return true;
}

static stria_tensor *step_reshape(step *s)
{
    stria_tensor *out = NULL;
    int64_t       rest = s->from->numel, given[STRIA_MAX_DIMS];

    s->what = "view_shape";
    *s->to = (model){.ndim = 0};
    if (rest == 0) {
        s->to->shape[0] = pick(s, 0, 2);
        s->to->shape[1] = 0;
        s->to->ndim = 2;
    }
    while (rest > 1 && s->to->ndim < 7) {
        int64_t factor = pick(s, 1, rest < 12 ? rest : 12);
        while (rest % factor) factor--;
        s->to->shape[s->to->ndim++] = factor;
        rest /= factor;
    }
    if (rest > 1 || pick(s, 0, 3) == 0) s->to->shape[s->to->ndim++] = rest;
    memcpy(given, s->to->shape, sizeof given);
    if (s->to->ndim && s->from->numel && pick(s, 0, 1)) given[pick(s, 0, s->to->ndim - 1)] = -1;
    memcpy(s->to->values, s->from->values, sizeof s->to->values);
    const bool         exists = view_exists(s->x, s->to->ndim, s->to->shape);
    const stria_status status = stria_view(s->x, given, s->to->ndim, &out, NULL);
    CHECK(status == (exists ? STRIA_OK : STRIA_ERR_SHAPE), "view_shape: %s, but a view %s",
          stria_status_get_name(status), exists ? "exists" : "does not exist");
    CHECK((out != NULL) == (status == STRIA_OK), "view_shape: out after %s", stria_status_get_name(status));
    return out;
}

static void check_chains(void)
{
    static stria_tensor *(*const steps[])(step *) = {step_slice,   step_permute, step_transpose, step_flip,
                                                     step_expand,  step_select,  step_squeeze,   step_diagonal,
                                                     step_reshape, step_reshape};
    static model models[2];
    random_state random = {20240607};
    int64_t      counts[10] = {0};

    for (int chain = 0; chain < 3000; chain++) {
        step          s = {&random, NULL, &models[0], &models[1], ""};
        stria_tensor *x = NULL;
        *s.from = (model){.ndim = (int)(random_next(&random) % 5), .numel = 1};
        for (int d = 0; d < s.from->ndim; d++) {
            s.from->shape[d] = (int64_t)(random_next(&random) % 12 ? random_next(&random) % 6 + 1 : 0);
            s.from->numel *= s.from->shape[d];
        }
        for (int64_t k = 0; k < s.from->numel; k++) s.from->values[k] = k * 1000003;
        CHECK_STATUS(stria_tensor_new_copy_of(STRIA_I64, s.from->ndim, s.from->shape, s.from->values,
                                              (size_t)s.from->numel * 8, &x, NULL),
                     STRIA_OK);
        for (int k = 0; k < 7 && x; k++) {
            const int kind = (int)(random_next(&random) % 10);
            s.x = x;
            stria_tensor *y = steps[kind](&s);
            if (!y) continue;
            check_model(s.what, s.to, y);
            counts[kind]++;
            stria_tensor_release(x);
            x = y;
            model *held = s.from;
            s.from = s.to;
            s.to = held;
        }
        stria_tensor_release(x);
    }
    for (int k = 0; k < 10; k++) CHECK(counts[k] > 300, "kind %d was tried %lld times only", k, (long long)counts[k]);
}

/* contiguous and reshape copy where they must. */
static void check_copies(void)
{
    const int32_t data[] = {0, 1, 2, 3, 4, 5}, transposed[] = {0, 3, 1, 4, 2, 5};
    stria_tensor *x = NULL, *t = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_I32, 2, (int64_t[]){2, 3}, data, sizeof data, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_contiguous(x, &y, NULL), STRIA_OK);
    CHECK(y == x, "a contiguous tensor is its own contiguous form");
    stria_tensor_release(y);
    CHECK_STATUS(stria_reshape(x, (int64_t[]){-1}, 1, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_aliased(x, y) && stria_tensor_get_numel(y) == 6, "reshape views where it can");
    stria_tensor_release(y);
    CHECK_STATUS(stria_transpose(x, 0, 1, &t, NULL), STRIA_OK);
    CHECK_STATUS(stria_contiguous(t, &y, NULL), STRIA_OK);
    CHECK(!stria_tensor_get_aliased(x, y) && stria_tensor_get_contiguous(y) && stria_tensor_get_shape(y)[0] == 3 &&
              memcmp(stria_tensor_get_data(y), transposed, sizeof transposed) == 0,
          "contiguous copies in row-major order");
    stria_tensor_release(y);
    CHECK_STATUS(stria_reshape(t, (int64_t[]){2, -1}, 2, &y, NULL), STRIA_OK);
    CHECK(!stria_tensor_get_aliased(x, y) && stria_tensor_get_shape(y)[1] == 3 &&
              memcmp(stria_tensor_get_data(y), transposed, sizeof transposed) == 0,
          "reshape copies where it must");
    stria_tensor_release(y);
    stria_tensor_release(t);
    stria_tensor_release(x);
}

/* Memory that is lent keeps its place and its size. */
static void check_borrow(void)
{
    stria_tensor *x = NULL, *y = NULL, *big = NULL, *held = NULL, *again = NULL;
    stria_error   err;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, (int64_t[]){3}, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, (int64_t[]){100}, &big, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(x, 0, 0, 3, 1, &y, NULL), STRIA_OK);
    memcpy(stria_tensor_get_data(x), (float[]){1, 2, 3}, 12);
    memset(stria_tensor_get_data(big), 0, 400);
    const float *data = stria_tensor_get_const_data(x);
    CHECK_STATUS(stria_tensor_borrow(x, &held, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_borrow(y, &again, NULL), STRIA_OK);
    CHECK(stria_tensor_get_const_data(held) == data, "the same memory");
    for (int k = 0; k < 2; k++) {
        CHECK_STATUS(stria_apply_out(STRIA_OP_neg, (const stria_tensor *const[]){big}, 1, k ? y : x, &err),
                     STRIA_ERR_ARGUMENT);
        CHECK(strcmp(err.op, "neg") == 0 && strcmp(err.argument, "out") == 0, "%s %s", err.op, err.argument);
        CHECK(strcmp(err.message, "neg: out cannot be given another shape while its memory is borrowed") == 0, "%s",
              err.message);
        CHECK_STATUS(stria_cumsum_out(big, 0, STRIA_DTYPE_NONE, x, &err), STRIA_ERR_ARGUMENT);
        CHECK(strcmp(err.op, "cumsum") == 0, "%s", err.op);
        CHECK(stria_tensor_get_numel(x) == 3 && stria_tensor_get_const_data(x) == data, "x is as it was");
        stria_tensor_give_back(k ? held : again);
    }
    CHECK_STATUS(stria_apply_out(STRIA_OP_neg, (const stria_tensor *const[]){big}, 1, x, NULL), STRIA_OK);
    CHECK(stria_tensor_get_numel(x) == 100, "resized afterwards");

    CHECK_STATUS(stria_tensor_borrow(y, &held, NULL), STRIA_OK);
    stria_tensor_release(y);
    CHECK(stria_tensor_get_const_data(held) == data && data[2] == 3, "it outlives its tensors");
    stria_tensor_give_back(held);
    CHECK_STATUS(stria_tensor_new_strided(STRIA_F32, 1, (int64_t[]){3}, (int64_t[]){2}, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_borrow(y, &held, &err), STRIA_ERR_ARGUMENT);
    CHECK(held == NULL && strcmp(err.op, "borrow") == 0, "refused: gaps");
    stria_tensor_release(y);
    CHECK_STATUS(stria_tensor_new_meta(STRIA_F32, 1, (int64_t[]){3}, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_borrow(y, &held, &err), STRIA_ERR_DEVICE);
    stria_tensor_release(y);
    stria_tensor_release(x);
    stria_tensor_release(big);
}

SUITE(test_tensor)
{
    check_new();
    check_values();
    check_external();
    check_set_expanded();
    check_resize();
    check_memory_order();
    check_unsqueezed_strides();
    check_layouts();
    check_chains();
    check_copies();
    check_borrow();
    CHECK(stria_memory_get_stats().live_storages == 0 && stria_memory_get_stats().live_bytes == 0, "memory is left");
    return check_finish("test_tensor");
}
