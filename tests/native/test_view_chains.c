/* test_view_chains.c - random chains of views against a model that copies every element. */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "tensor/tensor.h"

/* ---------------------------------------------------------------- the model */

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

SUITE(test_view_chains)
{
    check_chains();
    CHECK(stria_memory_get_stats().live_storages == 0 && stria_memory_get_stats().live_bytes == 0, "memory is left");
    return check_finish("test_view_chains");
}
