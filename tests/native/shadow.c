/* shadow.c - views and where their elements are (shadow.h). */
#include "shadow.h"

#include <stdlib.h>
#include <string.h>

#define GUARD 64

static int64_t pick(random_state *random, int64_t n) { return (int64_t)(random_next(random) % (uint64_t)n); }

/* ---------------------------------------------------------------- memory */

void base_new(base *b, random_state *random, stria_dtype dtype, int ndim, const int64_t *shape, double low, double high)
{
    const size_t size = stria_dtype_get_size(dtype);

    memset(b, 0, sizeof *b);
    b->dtype = dtype;
    b->ndim = ndim;
    b->numel = 1;
    for (int d = 0; d < ndim; d++) b->numel *= b->shape[d] = shape[d];
    b->start = GUARD + size * (size_t)pick(random, 4);
    b->nbytes = b->start + (size_t)b->numel * size + GUARD;
    b->memory = malloc(b->nbytes);
    b->wanted = malloc(b->nbytes);
    if (b->memory == NULL || b->wanted == NULL) exit(2);
    memset(b->memory, 0x5a, b->nbytes);
    for (int64_t k = 0; k < b->numel; k++) {
        if (k < 4099) /* drawing each of many would take longer than the test */
            random_element(random, dtype, low, high, base_at(b, k));
        else
            memcpy(base_at(b, k), base_at(b, k - 4099), size);
    }
    memcpy(b->wanted, b->memory, b->nbytes);
    CHECK_STATUS(stria_tensor_new_external(dtype, ndim, shape, NULL, base_at(b, 0), NULL, NULL, &b->tensor, NULL),
                 STRIA_OK);
}

void base_release(base *b)
{
    stria_tensor_release(b->tensor);
    free(b->memory);
    free(b->wanted);
    memset(b, 0, sizeof *b);
}

char *base_at(const base *b, int64_t place)
{
    return b->memory + b->start + (size_t)place * stria_dtype_get_size(b->dtype);
}

char *base_wanted(const base *b, int64_t place)
{
    return b->wanted + b->start + (size_t)place * stria_dtype_get_size(b->dtype);
}

bool base_is_as_wanted(const base *b)
{
    const size_t size = stria_dtype_get_size(b->dtype);

    if (memcmp(b->memory, b->wanted, b->nbytes) == 0) return true;
    if (memcmp(b->memory, b->wanted, b->start) != 0) return false;
    for (int64_t k = 0; k < b->numel; k++) {
        if (!value_same(b->dtype, base_at(b, k), base_wanted(b, k))) return false; /* NaNs of any kind are equal */
    }
    const size_t end = b->start + (size_t)b->numel * size;
    return memcmp(b->memory + end, b->wanted + end, b->nbytes - end) == 0;
}

/* ---------------------------------------------------------------- views */

void shadow_new(shadow *s, const base *b)
{
    s->base = b;
    s->ndim = b->ndim;
    s->numel = b->numel;
    memcpy(s->shape, b->shape, sizeof b->shape);
    s->places = malloc((size_t)(b->numel + 1) * sizeof *s->places);
    if (s->places == NULL) exit(2);
    for (int64_t k = 0; k < b->numel; k++) s->places[k] = k;
    stria_tensor_retain(s->tensor = b->tensor);
}

void shadow_release(shadow *s)
{
    stria_tensor_release(s->tensor);
    free(s->places);
    memset(s, 0, sizeof *s);
}

void shadow_copy(const shadow *s, shadow *copy)
{
    *copy = *s;
    copy->places = malloc((size_t)(s->numel + 1) * sizeof *s->places);
    if (copy->places == NULL) exit(2);
    memcpy(copy->places, s->places, (size_t)s->numel * sizeof *s->places);
    stria_tensor_retain(copy->tensor);
}

/* What a view does to an index: the index of the old shadow that belongs to one of the new. */
typedef void index_map(const int64_t *index, int64_t *old, const int64_t *numbers);

/* Takes the new tensor (NULL: the call failed) and shape. */
static void replace(shadow *s, stria_tensor *view, int ndim, const int64_t *shape, index_map *map,
                    const int64_t *numbers)
{
    int64_t   index[SHADOW_DIMS] = {0}, old[SHADOW_DIMS] = {0}, numel = 1, *places;
    const int old_ndim = s->ndim;

    CHECK(view != NULL, "a view was refused");
    if (view == NULL) return;
    for (int d = 0; d < ndim; d++) numel *= shape[d];
    places = malloc((size_t)(numel + 1) * sizeof *places);
    if (places == NULL) exit(2);
    for (int64_t k = 0; k < numel; k++) {
        int64_t place = 0;
        map(index, old, numbers);
        for (int d = 0; d < old_ndim; d++) place = place * s->shape[d] + old[d];
        places[k] = s->places[place];
        index_next(ndim, shape, index);
    }
    free(s->places);
    stria_tensor_release(s->tensor);
    s->places = places;
    s->tensor = view;
    s->ndim = ndim;
    s->numel = numel;
    memcpy(s->shape, shape, (size_t)ndim * sizeof *shape);
}

/* numbers: ndim, axis, first, step */
static void map_slice(const int64_t *index, int64_t *old, const int64_t *numbers)
{
    memcpy(old, index, (size_t)numbers[0] * sizeof *old);
    old[numbers[1]] = numbers[2] + index[numbers[1]] * numbers[3];
}

void shadow_slice(shadow *s, int axis, int64_t first, int64_t count, int64_t step)
{
    const int64_t numbers[] = {s->ndim, axis, first, step};
    int64_t       shape[SHADOW_DIMS], stop = first + count * step;
    stria_tensor *view = NULL;

    memcpy(shape, s->shape, sizeof shape);
    shape[axis] = count;
    if (stop < 0) stop = INT64_MIN;
    CHECK_STATUS(stria_slice(s->tensor, axis, first, stop, step, &view, NULL), STRIA_OK);
    replace(s, view, s->ndim, shape, map_slice, numbers);
}

/* numbers: ndim, axes */
static void map_permute(const int64_t *index, int64_t *old, const int64_t *numbers)
{
    for (int d = 0; d < numbers[0]; d++) old[numbers[1 + d]] = index[d];
}

void shadow_permute(shadow *s, const int *axes)
{
    int64_t       numbers[1 + SHADOW_DIMS] = {s->ndim}, shape[SHADOW_DIMS];
    stria_tensor *view = NULL;

    for (int d = 0; d < s->ndim; d++) {
        numbers[1 + d] = axes[d];
        shape[d] = s->shape[axes[d]];
    }
    CHECK_STATUS(stria_permute(s->tensor, axes, s->ndim, &view, NULL), STRIA_OK);
    replace(s, view, s->ndim, shape, map_permute, numbers);
}

void shadow_flip(shadow *s, int axis)
{
    const int64_t numbers[] = {s->ndim, axis, s->shape[axis] - 1, -1};
    int64_t       shape[SHADOW_DIMS];
    stria_tensor *view = NULL;

    memcpy(shape, s->shape, sizeof shape);
    CHECK_STATUS(stria_flip(s->tensor, &axis, 1, &view, NULL), STRIA_OK);
    replace(s, view, s->ndim, shape, map_slice, numbers);
}

/* numbers: dims in front, old ndim, old shape */
static void map_expand(const int64_t *index, int64_t *old, const int64_t *numbers)
{
    for (int d = 0; d < numbers[1]; d++) old[d] = numbers[2 + d] == 1 ? 0 : index[numbers[0] + d];
}

void shadow_expand(shadow *s, int ndim, const int64_t *shape)
{
    int64_t       numbers[2 + SHADOW_DIMS] = {ndim - s->ndim, s->ndim};
    stria_tensor *view = NULL;

    memcpy(numbers + 2, s->shape, (size_t)s->ndim * sizeof *numbers);
    CHECK_STATUS(stria_expand(s->tensor, shape, ndim, &view, NULL), STRIA_OK);
    replace(s, view, ndim, shape, map_expand, numbers);
}

/* numbers: old ndim, axis, index */
static void map_select(const int64_t *index, int64_t *old, const int64_t *numbers)
{
    for (int d = 0; d < numbers[0]; d++) {
        old[d] = d == numbers[1] ? numbers[2] : index[d > numbers[1] ? d - 1 : d];
    }
}

static void remove_axis(shadow *s, int axis, int64_t at, bool squeeze)
{
    const int64_t      numbers[] = {s->ndim, axis, at};
    int64_t            shape[SHADOW_DIMS];
    stria_tensor      *view = NULL;
    const stria_status status =
        squeeze ? stria_squeeze(s->tensor, &axis, 1, &view, NULL) : stria_select(s->tensor, axis, at, &view, NULL);

    CHECK_STATUS(status, STRIA_OK);
    for (int d = 0; d + 1 < s->ndim; d++) shape[d] = s->shape[d < axis ? d : d + 1];
    replace(s, view, s->ndim - 1, shape, map_select, numbers);
}

/* numbers: new ndim, axis */
static void map_unsqueeze(const int64_t *index, int64_t *old, const int64_t *numbers)
{
    for (int d = 0, n = 0; d < numbers[0]; d++) {
        if (d != numbers[1]) old[n++] = index[d];
    }
}

static void unsqueeze(shadow *s, int axis)
{
    const int64_t numbers[] = {s->ndim + 1, axis};
    int64_t       shape[SHADOW_DIMS];
    stria_tensor *view = NULL;

    for (int d = 0, n = 0; d <= s->ndim; d++) shape[d] = d == axis ? 1 : s->shape[n++];
    CHECK_STATUS(stria_unsqueeze(s->tensor, axis, &view, NULL), STRIA_OK);
    replace(s, view, s->ndim + 1, shape, map_unsqueeze, numbers);
}

/* numbers: old ndim, axis0, axis1, offset */
static void map_diagonal(const int64_t *index, int64_t *old, const int64_t *numbers)
{
    const int64_t at = index[numbers[0] - 2];

    for (int d = 0, n = 0; d < numbers[0]; d++) {
        if (d == numbers[1])
            old[d] = at + (numbers[3] < 0 ? -numbers[3] : 0);
        else if (d == numbers[2])
            old[d] = at + (numbers[3] > 0 ? numbers[3] : 0);
        else
            old[d] = index[n++];
    }
}

static void diagonal(shadow *s, int axis0, int axis1, int64_t offset)
{
    const int64_t numbers[] = {s->ndim, axis0, axis1, offset};
    const int64_t rows = s->shape[axis0] + (offset < 0 ? offset : 0);
    const int64_t columns = s->shape[axis1] - (offset > 0 ? offset : 0);
    int64_t       shape[SHADOW_DIMS], length = rows < columns ? rows : columns;
    int           n = 0;
    stria_tensor *view = NULL;

    for (int d = 0; d < s->ndim; d++) {
        if (d != axis0 && d != axis1) shape[n++] = s->shape[d];
    }
    shape[n++] = length > 0 ? length : 0;
    CHECK_STATUS(stria_diagonal(s->tensor, offset, axis0, axis1, &view, NULL), STRIA_OK);
    replace(s, view, n, shape, map_diagonal, numbers);
}

/* Merges two neighbouring dims, or all; the strides need not allow it. The row-major order of the elements stays. */
static void merge(shadow *s, random_state *random)
{
    int64_t       shape[SHADOW_DIMS];
    int           n = 0, at = (int)pick(random, s->ndim);
    stria_tensor *view = NULL;

    for (int d = 0; d < s->ndim; d++) {
        if (d == at && d > 0)
            shape[n - 1] *= s->shape[d];
        else
            shape[n++] = s->shape[d];
    }
    if (stria_view(s->tensor, shape, n, &view, NULL) != STRIA_OK) return;
    stria_tensor_release(s->tensor);
    s->tensor = view;
    s->ndim = n;
    memcpy(s->shape, shape, (size_t)n * sizeof *shape);
}

static void shuffle(random_state *random, int n, int *order)
{
    for (int d = 0; d < n; d++) order[d] = d;
    for (int d = n - 1; d > 0; d--) {
        const int e = (int)pick(random, d + 1), swapped = order[d];
        order[d] = order[e];
        order[e] = swapped;
    }
}

static void slice_somewhere(shadow *s, random_state *random, int axis)
{
    const int64_t n = s->shape[axis];

    if (n == 0) return;
    const int64_t step = 1 + pick(random, 3), first = pick(random, n);
    if (pick(random, 4) == 0)
        shadow_slice(s, axis, first, pick(random, first / step + 1) + 1, -step);
    else
        shadow_slice(s, axis, first, pick(random, 12) == 0 ? 0 : pick(random, (n - 1 - first) / step + 1) + 1, step);
}

void shadow_step(shadow *s, random_state *random)
{
    const int axis = s->ndim > 0 ? (int)pick(random, s->ndim) : 0, kind = (int)pick(random, 9);
    int       axes[SHADOW_DIMS];
    int64_t   shape[SHADOW_DIMS];

    if (s->ndim == 0 || kind == 0) {
        if (s->ndim < SHADOW_DIMS - 1) unsqueeze(s, (int)pick(random, s->ndim + 1));
    } else if (kind <= 2) {
        slice_somewhere(s, random, axis);
    } else if (kind == 3) {
        shuffle(random, s->ndim, axes);
        shadow_permute(s, axes);
    } else if (kind == 4) {
        shadow_flip(s, axis);
    } else if (kind == 5) {
        if (s->shape[axis] > 0) remove_axis(s, axis, pick(random, s->shape[axis]), s->shape[axis] == 1);
    } else if (kind == 6) {
        memcpy(shape, s->shape, sizeof shape);
        for (int d = 0; d < s->ndim; d++) {
            if (shape[d] == 1 && s->numel < 200) shape[d] = 1 + pick(random, 3);
        }
        shadow_expand(s, s->ndim, shape);
    } else if (kind == 7 && s->ndim >= 2) {
        shuffle(random, s->ndim, axes);
        diagonal(s, axes[0], axes[1], pick(random, 3) - 1);
    } else {
        merge(s, random);
    }
}

void shadow_of_shape(shadow *s, base *b, random_state *random, stria_dtype dtype, int ndim, const int64_t *shape,
                     bool may_repeat, double low, double high)
{
    int        order[SHADOW_DIMS], inverse[SHADOW_DIMS];
    int64_t    own[SHADOW_DIMS], steps[SHADOW_DIMS];
    bool       repeats[SHADOW_DIMS];
    const bool is_plain = pick(random, 3) == 0;

    shuffle(random, ndim, order);
    for (int d = 0; d < ndim; d++) {
        if (is_plain) order[d] = d;
        const int64_t n = shape[order[d]];
        steps[d] = is_plain || pick(random, 3) ? 1 : 2;
        repeats[d] = may_repeat && pick(random, 8) == 0;
        own[d] = repeats[d] ? 1 : n * steps[d] + (is_plain || pick(random, 3) ? 0 : 2);
        inverse[order[d]] = d;
    }
    base_new(b, random, dtype, ndim, own, low, high);
    shadow_new(s, b);
    for (int d = 0; d < ndim; d++) {
        const int64_t n = shape[order[d]], spare = own[d] - n * steps[d];
        if (!repeats[d] && own[d] != n) shadow_slice(s, d, n > 0 ? pick(random, spare + 1) : 0, n, steps[d]);
        if (!is_plain && pick(random, 6) == 0) shadow_flip(s, d);
    }
    shadow_permute(s, inverse);
    shadow_expand(s, ndim, shape);
}

/* ---------------------------------------------------------------- looking */

void shadow_check(const shadow *s, const char *what)
{
    int64_t index[SHADOW_DIMS] = {0};
    bool    same = stria_tensor_get_ndim(s->tensor) == s->ndim && stria_tensor_get_numel(s->tensor) == s->numel;

    for (int d = 0; same && d < s->ndim; d++) same = stria_tensor_get_shape(s->tensor)[d] == s->shape[d];
    CHECK(same, "%s: the view has another shape", what);
    for (int64_t k = 0; same && k < s->numel; k++) {
        same = tensor_at(s->tensor, index) == base_at(s->base, s->places[k]);
        index_next(s->ndim, s->shape, index);
    }
    CHECK(same, "%s: an element of the view is elsewhere", what);
}

int64_t shadow_place(const shadow *s, int ndim, const int64_t *index)
{
    int64_t k = 0;

    for (int d = 0; d < s->ndim; d++) {
        k = k * s->shape[d] + (s->shape[d] == 1 ? 0 : index[ndim - s->ndim + d]);
    }
    return s->places[k];
}
