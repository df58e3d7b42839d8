/* test_unique.c - unique and unique_consecutive, against what defines them: the groups are in order, or runs; each member went to the group
 * whose slice it is equal to; the slice of a group is that of its first member, bit for bit; counts. Elements and slices, every dtype and
 * layout, NaN, zeros of both signs, what is not asked for, out=, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

/* ---------------------------------------------------------------- the oracle: members and their keys */

/* Element e of member m: of elements (axis -1) the only one; of slices in row-major order of the other axes. */
static const void *element_at(const stria_tensor *x, int axis, int64_t m, int64_t e)
{
    const int ndim = stria_tensor_get_ndim(x);
    int64_t   index[STRIA_MAX_DIMS], rest = axis < 0 ? m : e;

    for (int d = ndim - 1; d >= 0; d--) {
        const int64_t size = stria_tensor_get_shape(x)[d];
        index[d] = d == axis ? m : rest % size;
        if (d != axis) rest /= size;
    }
    return tensor_at(x, index);
}

/* -1, 0, 1; NaN is the largest, and equal to none: 2. */
static int compare_values(value a, value b)
{
    if (!a.is_float) return a.whole < b.whole ? -1 : a.whole > b.whole;
    if (isnan(a.real) && isnan(b.real)) return 2;
    if (isnan(a.real) || isnan(b.real)) return isnan(a.real) ? 1 : -1;
    return a.real < b.real ? -1 : a.real > b.real;
}

/* The first difference that orders them; 2 if there is only NaN beside NaN, 0 if they are equal. */
static int compare_members(const stria_tensor *x, int x_axis, int64_t a, const stria_tensor *y, int y_axis, int64_t b,
                           int64_t width)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    int               unequal = 0;

    for (int64_t e = 0; e < width; e++) {
        const int order = compare_values(value_get(dtype, element_at(x, x_axis, a, e)),
                                         value_get(dtype, element_at(y, y_axis, b, e)));
        if (order == 2)
            unequal = 2;
        else if (order != 0)
            return order;
    }
    return unequal;
}

static bool same_member(const stria_tensor *x, int axis, int64_t m, const stria_tensor *y, int y_axis, int64_t g,
                        int64_t width)
{
    const size_t size = stria_dtype_get_size(stria_tensor_get_dtype(x));

    for (int64_t e = 0; e < width; e++)
        if (memcmp(element_at(x, axis, m, e), element_at(y, y_axis, g, e), size) != 0) return false;
    return true;
}

typedef struct found {
    stria_tensor *values, *inverse, *counts;
} found;

static void release_found(found *y)
{
    stria_tensor_release(y->values), stria_tensor_release(y->inverse), stria_tensor_release(y->counts);
}

static int64_t whole_at(const stria_tensor *x, int64_t k)
{
    return ((const int64_t *)stria_tensor_get_const_data(x))[k];
}

static void check_members(const stria_tensor *x, int axis, bool runs, const found *y, const char *what)
{
    const int64_t n = axis < 0 ? stria_tensor_get_numel(x) : stria_tensor_get_shape(x)[axis];
    const int64_t width = axis < 0 || n == 0 ? 1 : stria_tensor_get_numel(x) / n,
                  n_groups = stria_tensor_get_numel(y->counts);
    const int y_axis = axis < 0 ? 0 : axis;
    int64_t  *counts = calloc((size_t)n_groups + 1, sizeof *counts), total = 0;

    for (int64_t m = 0; m < n; m++) {
        const int64_t g = whole_at(y->inverse, m);
        CHECK(g >= 0 && g < n_groups, "%s: group %lld", what, (long long)g);
        if (g < 0 || g >= n_groups) break;
        if (counts[g]++ == 0)
            CHECK(same_member(x, axis, m, y->values, y_axis, g, width), "%s: values of group %lld", what, (long long)g);
        else
            CHECK(compare_members(x, axis, m, y->values, y_axis, g, width) == 0, "%s: member %lld of group %lld", what,
                  (long long)m, (long long)g);
        if (runs && m > 0)
            CHECK(g == whole_at(y->inverse, m - 1) + (compare_members(x, axis, m - 1, x, axis, m, width) != 0),
                  "%s: run at %lld", what, (long long)m);
    }
    for (int64_t g = 0; g < n_groups; g++) {
        CHECK(counts[g] == whole_at(y->counts, g) && counts[g] > 0, "%s: count of group %lld", what, (long long)g);
        total += counts[g];
        if (!runs && g > 0 && width == 1) {
            const int order = compare_members(y->values, y_axis, g - 1, y->values, y_axis, g, width);
            CHECK(order == -1 || order == 2, "%s: order of group %lld", what, (long long)g);
        }
        for (int64_t other = 0; other < g && !runs && n_groups < 100; other++)
            CHECK(compare_members(y->values, y_axis, other, y->values, y_axis, g, width) != 0, "%s: group %lld twice",
                  what, (long long)g);
    }
    CHECK(total == n, "%s: members", what);
    free(counts);
}

static stria_status run(const stria_tensor *x, bool runs, bool inverse, bool counts, int dim, found *y,
                        stria_error *err)
{
    *y = (found){NULL, NULL, NULL};
    return runs ? stria_unique_consecutive(x, inverse, counts, dim, &y->values, &y->inverse, &y->counts, err)
                : stria_unique(x, true, inverse, counts, dim, &y->values, &y->inverse, &y->counts, err);
}

static bool same_bits(const stria_tensor *a, const stria_tensor *b)
{
    return stria_tensor_get_numel(a) == stria_tensor_get_numel(b) &&
           memcmp(stria_tensor_get_const_data(a), stria_tensor_get_const_data(b),
                  (size_t)stria_tensor_get_numel(a) * stria_dtype_get_size(stria_tensor_get_dtype(a))) == 0;
}

static void check_unique(const stria_tensor *x, int axis, bool runs, const char *what)
{
    const int dim = axis < 0 ? STRIA_AXIS_NONE : axis;
    found     y, alone;

    CHECK_STATUS(run(x, runs, true, true, dim, &y, NULL), STRIA_OK);
    if (!y.values) return;
    const int     ndim = stria_tensor_get_ndim(x);
    const int64_t n_groups = stria_tensor_get_numel(y.counts);
    CHECK(stria_tensor_get_dtype(y.values) == stria_tensor_get_dtype(x) &&
              stria_tensor_get_dtype(y.inverse) == STRIA_I64 && stria_tensor_get_dtype(y.counts) == STRIA_I64,
          "%s: dtypes", what);
    CHECK(stria_tensor_get_ndim(y.values) == (axis < 0 ? 1 : ndim) &&
              stria_tensor_get_shape(y.values)[axis < 0 ? 0 : axis] == n_groups &&
              stria_tensor_get_ndim(y.counts) == 1 && stria_tensor_get_ndim(y.inverse) == (axis < 0 ? ndim : 1),
          "%s: shapes", what);
    for (int d = 0; d < ndim; d++)
        if (axis < 0)
            CHECK(stria_tensor_get_shape(y.inverse)[d] == stria_tensor_get_shape(x)[d], "%s: shape of inverse", what);
        else if (d != axis)
            CHECK(stria_tensor_get_shape(y.values)[d] == stria_tensor_get_shape(x)[d], "%s: shape of values", what);
    check_members(x, axis, runs, &y, what);
    CHECK_STATUS(run(x, runs, false, false, dim, &alone, NULL), STRIA_OK);
    CHECK(alone.values && same_bits(alone.values, y.values), "%s: values alone", what);
    CHECK(alone.values && stria_tensor_get_numel(alone.inverse) == 0 && stria_tensor_get_numel(alone.counts) == 0,
          "%s: not asked for", what);
    release_found(&y), release_found(&alone);
}

/* ---------------------------------------------------------------- cases */

static void test_layouts(void)
{
    static const struct {
        int     ndim;
        int64_t sizes[3];
    } shapes[] = {{0, {0}}, {1, {0}}, {1, {1}}, {1, {77}}, {2, {12, 2}}, {2, {2, 13}}, {3, {2, 3, 4}}};
    random_state random = {51};

    for (int d = STRIA_BOOL; d <= STRIA_F64; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int kind = 0; kind <= LAYOUT_EXPANDED; kind++) {
                const int ndim = shapes[s].ndim;
                if (kind == LAYOUT_ROW || kind == LAYOUT_COLUMN || (ndim == 0 && kind)) continue;
                stria_tensor *x = tensor_random(&random, (stria_dtype)d, (layout)kind, ndim, shapes[s].sizes, -1, 1);
                if (!x) continue;
                for (int form = 0; form < 2; form++)
                    for (int axis = -1; axis < ndim; axis++) check_unique(x, axis, form, layout_names[kind]);
                stria_tensor_release(x);
            }
}

/* Special values several times; few different whole numbers, so that slices are equal. */
static void test_values(void)
{
    static const int64_t n = 600, sizes[] = {40, 2};

    for (int d = STRIA_BOOL; d <= STRIA_F64; d++) {
        stria_tensor *x = NULL, *few = NULL;
        random_state  random = {52};
        CHECK_STATUS(stria_tensor_new((stria_dtype)d, 1, &n, &x, NULL), STRIA_OK);
        CHECK_STATUS(stria_tensor_new((stria_dtype)d, 2, sizes, &few, NULL), STRIA_OK);
        for (int64_t k = 0; k < n; k++) special_element((stria_dtype)d, random_next(&random) % 12, tensor_at(x, &k));
        char *at = stria_tensor_get_data(few);
        for (int64_t k = 0; k < 80; k++, at += stria_dtype_get_size((stria_dtype)d))
            special_element((stria_dtype)d, random_next(&random) % 4, at);
        for (int form = 0; form < 2; form++) {
            check_unique(x, -1, form, "specials");
            for (int axis = -1; axis < 2; axis++) check_unique(few, axis, form, "slices of specials");
        }
        stria_tensor_release(x), stria_tensor_release(few);
    }
}

/* Rows and columns in known order. */
static void test_known(void)
{
    static const float   zeros[] = {0.0f, -0.0f, NAN, 1, NAN, -0.0f, 1};
    static const int32_t rows[] = {2, 1, 1, 3, 2, 1, 1, 2};
    static const int64_t n = 7, sizes[] = {4, 2}, places[] = {0, 0, 2, 1, 3, 0, 1}, often[] = {3, 2, 1, 1},
                         row_places[] = {2, 1, 2, 0};
    stria_tensor *x = NULL;
    found         y;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, &n, &x, NULL), STRIA_OK);
    memcpy(stria_tensor_get_data(x), zeros, sizeof zeros);
    CHECK_STATUS(run(x, false, true, true, STRIA_AXIS_NONE, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_numel(y.values) == 4 &&
              memcmp(stria_tensor_get_const_data(y.inverse), places, sizeof places) == 0 &&
              memcmp(stria_tensor_get_const_data(y.counts), often, sizeof often) == 0,
          "zeros are equal, NaNs are not");
    release_found(&y), stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new(STRIA_I32, 2, sizes, &x, NULL), STRIA_OK);
    memcpy(stria_tensor_get_data(x), rows, sizeof rows);
    CHECK_STATUS(run(x, false, true, true, 0, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_shape(y.values)[0] == 3 &&
              memcmp(stria_tensor_get_const_data(y.inverse), row_places, sizeof row_places) == 0,
          "rows in lexicographic order");
    release_found(&y), stria_tensor_release(x);
}

/* Lengths around what is looked at at once, and long enough for radix. */
static void test_long(void)
{
    static const int64_t lengths[] = {511, 512, 513, 1025, 40000};
    random_state         random = {53};

    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (int d = 0; d < 2; d++) {
            const stria_dtype dtype = d ? STRIA_I64 : STRIA_F32;
            stria_tensor     *x = NULL;
            CHECK_STATUS(stria_tensor_new(dtype, 1, &lengths[l], &x, NULL), STRIA_OK);
            for (int64_t k = 0; k < lengths[l]; k++) {
                const int64_t whole = (int64_t)(random_next(&random) % 1000) - 500;
                if (d)
                    *(int64_t *)tensor_at(x, &k) = whole * ((int64_t)1 << 40);
                else
                    *(float *)tensor_at(x, &k) = (float)whole;
            }
            check_unique(x, -1, false, "long");
            check_unique(x, -1, true, "long");
            stria_tensor_release(x);
        }
}

#define REFUSED(op_name, call, status, name, text)                                                          \
    do {                                                                                                    \
        stria_error err = {0};                                                                              \
        CHECK_STATUS(call, status);                                                                         \
        CHECK(strcmp(err.op, op_name) == 0 && strcmp(err.argument, name) == 0 && strstr(err.message, text), \
              "op %s, argument %s, message %s", err.op, err.argument, err.message);                         \
    } while (0)

static void test_refusals(void)
{
    static const int64_t sizes[] = {4, 5}, empty[] = {3, 0}, other = 2;
    static const char   *names[] = {"unique", "unique_consecutive"};
    stria_tensor        *x = NULL, *complex = NULL, *none = NULL, *meta = NULL, *out[3] = {NULL, NULL, NULL};
    found                y;

    CHECK_STATUS(stria_full(sizes, 2, (stria_scalar){.i = 1}, STRIA_I64, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_C64, 2, sizes, &complex, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, empty, &none, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(sizes, 2, STRIA_U8, STRIA_META, &meta, NULL), STRIA_OK);
    for (int form = 0; form < 2; form++) {
        REFUSED(names[form], run(NULL, form, true, true, 0, &y, &err), STRIA_ERR_ARGUMENT, "x", "x is NULL");
        REFUSED(names[form], run(complex, form, true, true, 0, &y, &err), STRIA_ERR_DTYPE, "x", "x is c64");
        REFUSED(names[form], run(x, form, true, true, 2, &y, &err), STRIA_ERR_AXIS, "dim", "axis 2 is out of range");
        REFUSED(names[form], run(none, form, true, true, 0, &y, &err), STRIA_ERR_EMPTY, "x", "axis 1 of x has size 0");
        REFUSED(names[form], run(meta, form, true, true, 0, &y, &err), STRIA_ERR_DEVICE, "x", "depends on elements");
        CHECK(y.values == NULL && y.inverse == NULL && y.counts == NULL, "outputs of a refused call");
        check_unique(none, 1, form, "an empty axis");
    }
    for (int k = 0; k < 3; k++) CHECK_STATUS(stria_tensor_new(STRIA_I32, 1, &other, &out[k], NULL), STRIA_OK);
    CHECK_STATUS(stria_unique_out(x, true, true, true, STRIA_AXIS_NONE, out[0], out[1], out[2], NULL), STRIA_OK);
    CHECK(stria_tensor_get_numel(out[0]) == 1 && *(const int32_t *)stria_tensor_get_const_data(out[0]) == 1 &&
              stria_tensor_get_numel(out[1]) == 20 && *(const int32_t *)stria_tensor_get_const_data(out[2]) == 20,
          "into tensors of another dtype and shape");
    for (int k = 0; k < 3; k++) stria_tensor_release(out[k]);
    stria_tensor_release(x), stria_tensor_release(complex), stria_tensor_release(none), stria_tensor_release(meta);
}

SUITE(test_unique)
{
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    test_layouts();
    test_values();
    test_known();
    test_long();
    test_refusals();
    return check_finish("test_unique");
}
