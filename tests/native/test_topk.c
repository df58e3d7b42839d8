/* test_topk.c - topk and kthvalue, against the first k of sort, which is stable: values, places, the order of those that are not to be
 * sorted. Every dtype, axis, layout, k; rows longer than what is read at once; threads, out=, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

static size_t size_of(const stria_tensor *x) { return stria_dtype_get_size(stria_tensor_get_dtype(x)); }

static int compare_places(const void *a, const void *b)
{
    const int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return one < other ? -1 : one > other;
}

/* The row at `index`, whose entry of the axis is 0: elements and places of y are the first k of those of sort. */
static void check_row(stria_tensor *const *y, stria_tensor *const *all, int axis, int64_t k, bool sorted,
                      int64_t *index, const char *what)
{
    const int ndim = stria_tensor_get_ndim(all[0]);
    int64_t  *places = malloc((size_t)(k + 1) * 2 * sizeof *places), *order = places + k + 1, source[STRIA_MAX_DIMS];

    for (int64_t i = 0; i < k; i++) {
        if (ndim) index[axis] = i;
        memcpy(&order[i], tensor_at(all[1], index), sizeof *order);
    }
    memcpy(places, order, (size_t)k * sizeof *places);
    if (!sorted) qsort(places, (size_t)k, sizeof *places, compare_places);
    for (int64_t i = 0; i < k; i++) {
        if (ndim) index[axis] = i;
        CHECK(memcmp(tensor_at(y[1], index), &places[i], sizeof *places) == 0, "%s axis %d k %lld: place %lld", what,
              axis, (long long)k, (long long)i);
        if (k > 200 && i % 98 > 0) continue; /* a search for each takes long */
        memcpy(source, index, sizeof source);
        int64_t at = 0; /* where sort has the element of this place */
        while (order[at] != places[i]) at++;
        if (ndim) source[axis] = at;
        CHECK(memcmp(tensor_at(y[0], index), tensor_at(all[0], source), size_of(y[0])) == 0, "%s: value %lld", what,
              (long long)i);
    }
    if (ndim) index[axis] = 0;
    free(places);
}

static void check_topk(const stria_tensor *x, int axis, int64_t k, bool largest, bool sorted, const char *what)
{
    const int      ndim = stria_tensor_get_ndim(x);
    const int64_t *shape = stria_tensor_get_shape(x);
    int64_t        outer[STRIA_MAX_DIMS], index[STRIA_MAX_DIMS] = {0};
    stria_tensor  *y[2] = {NULL, NULL}, *all[2] = {NULL, NULL};

    CHECK_STATUS(stria_sort(x, axis, largest, true, &all[0], &all[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_topk(x, k, axis % 2 ? axis - ndim : axis, largest, sorted, &y[0], &y[1], NULL), STRIA_OK);
    if (!y[0] || !y[1]) return;
    CHECK(stria_tensor_get_dtype(y[0]) == stria_tensor_get_dtype(x) && stria_tensor_get_dtype(y[1]) == STRIA_I64,
          "dtypes");
    for (int o = 0; o < 2; o++)
        for (int d = 0; d < ndim; d++)
            CHECK(stria_tensor_get_shape(y[o])[d] == (d == axis ? k : shape[d]), "%s: size of axis %d", what, d);
    for (int d = 0; d < ndim; d++) outer[d] = d == axis ? 1 : shape[d];
    if (stria_tensor_get_numel(y[0]) > 0) {
        do check_row(y, all, axis, k, sorted, index, what);
        while (index_next(ndim, outer, index));
    }
    for (int o = 0; o < 2; o++) stria_tensor_release(y[o]), stria_tensor_release(all[o]);
}

/* The k-th of sort along the axis, which stays with size 1. */
static void check_kth(const stria_tensor *x, int axis, int64_t k, const char *what)
{
    const int     ndim = stria_tensor_get_ndim(x);
    stria_tensor *y[2] = {NULL, NULL}, *flat[2] = {NULL, NULL}, *all[2] = {NULL, NULL};

    CHECK_STATUS(stria_sort(x, axis, false, true, &all[0], &all[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_kthvalue(x, k, axis, true, &y[0], &y[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_kthvalue(x, k, axis, false, &flat[0], &flat[1], NULL), STRIA_OK);
    for (int o = 0; o < 2 && y[o] && flat[o] && all[o]; o++) {
        stria_tensor *wanted = NULL, *packed = NULL;
        CHECK_STATUS(ndim ? stria_slice(all[o], axis, k - 1, k, 1, &wanted, NULL)
                          : stria_reshape(all[o], NULL, 0, &wanted, NULL),
                     STRIA_OK);
        CHECK_STATUS(stria_contiguous(wanted, &packed, NULL), STRIA_OK);
        const size_t nbytes = (size_t)stria_tensor_get_numel(packed) * size_of(packed);
        CHECK(stria_tensor_get_ndim(y[o]) == ndim && stria_tensor_get_ndim(flat[o]) == (ndim ? ndim - 1 : 0),
              "%s: dims", what);
        CHECK((size_t)stria_tensor_get_numel(y[o]) * size_of(y[o]) == nbytes, "%s: elements", what);
        CHECK(memcmp(stria_tensor_get_const_data(y[o]), stria_tensor_get_const_data(packed), nbytes) == 0 &&
                  memcmp(stria_tensor_get_const_data(flat[o]), stria_tensor_get_const_data(packed), nbytes) == 0,
              "%s axis %d k %lld: output %d of kthvalue", what, axis, (long long)k, o);
        stria_tensor_release(wanted), stria_tensor_release(packed);
    }
    for (int o = 0; o < 2; o++) stria_tensor_release(y[o]), stria_tensor_release(flat[o]), stria_tensor_release(all[o]);
}

/* ---------------------------------------------------------------- cases */

static void test_layouts(void)
{
    static const struct {
        int     ndim;
        int64_t sizes[3];
    } shapes[] = {{0, {0}}, {1, {1}}, {1, {77}}, {2, {5, 9}}, {3, {2, 3, 17}}, {3, {2, 0, 3}}};
    random_state random = {41};

    for (int d = STRIA_BOOL; d <= STRIA_F64; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int kind = 0; kind <= LAYOUT_EXPANDED; kind++) {
                const int ndim = shapes[s].ndim;
                if (kind == LAYOUT_ROW || kind == LAYOUT_COLUMN || (ndim == 0 && kind)) continue;
                stria_tensor *x = tensor_random(&random, (stria_dtype)d, (layout)kind, ndim, shapes[s].sizes, -9, 9);
                if (!x) continue;
                for (int axis = 0; axis < (ndim ? ndim : 1); axis++) {
                    const int64_t length = ndim ? stria_tensor_get_shape(x)[axis] : 1;
                    for (int64_t k = ndim ? 0 : 1; k <= length; k += 1 + length / 3)
                        for (int form = 0; form < 4; form++)
                            check_topk(x, axis, k, form & 1, form & 2, layout_names[kind]);
                    for (int64_t k = 1; k <= length; k += 1 + length / 3) check_kth(x, axis, k, layout_names[kind]);
                }
                stria_tensor_release(x);
            }
}

static void test_specials(void)
{
    static const int64_t n = 600;

    for (int d = STRIA_BOOL; d <= STRIA_F64; d++) {
        stria_tensor *x = NULL;
        CHECK_STATUS(stria_tensor_new((stria_dtype)d, 1, &n, &x, NULL), STRIA_OK);
        random_state random = {42};
        for (int64_t k = 0; k < n; k++) special_element((stria_dtype)d, random_next(&random) % 1000, tensor_at(x, &k));
        for (int64_t k = 1; k <= n; k += 40) {
            for (int form = 0; form < 4; form++) check_topk(x, 0, k, form & 1, form & 2, "specials");
            check_kth(x, 0, k, "specials");
        }
        stria_tensor_release(x);
    }
}

/* Element k of a long row. */
typedef enum row_kind { RANDOM, FEW_DIFFERENT, FALLING, RISING, WITH_NAN, WITH_INFINITIES, ROW_KINDS } row_kind;

static double long_element(row_kind kind, int64_t k, int64_t n, random_state *random)
{
    const int64_t number = (int64_t)(random_next(random) >> 33);

    switch (kind) {
    case FEW_DIFFERENT: return (double)(number % 3);
    case FALLING: return (double)(n - k);
    case RISING: return (double)k;
    case WITH_NAN: return number % 1000 == 0 ? (double)NAN : (double)(number % 100000 - 50000);
    case WITH_INFINITIES: return number % 1000 == 0 ? (number & 8 ? 1 : -1) * (double)INFINITY : (double)-number;
    default: return (double)number;
    }
}

/* Rows that are read in several stretches, and selected from in between; falling and rising, so that every element comes before all that were
 * read. Elements of lane types, adjacent and not, and of others. */
static void test_long(void)
{
    static const int64_t n = 50000, apart = 3, ks[] = {1, 2, 100, 5000, 20000, 49999, 50000};
    enum { N_FLOATS = 3 };
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_I32, STRIA_U64, STRIA_U8};
    static const int         threads[] = {1, 3};
    random_state             random = {43};

    for (int form = 0; form < 2 * (int)(sizeof dtypes / sizeof *dtypes) * ROW_KINDS; form++) {
        const row_kind    kind = (row_kind)(form / 2 % ROW_KINDS);
        const stria_dtype dtype = dtypes[form / 2 / ROW_KINDS];
        const bool        is_float = form / 2 / ROW_KINDS < N_FLOATS;
        stria_tensor     *x = NULL, *values = NULL;
        if (kind >= WITH_NAN && !is_float) continue;
        CHECK_STATUS(stria_tensor_new(STRIA_F64, 1, &n, &values, NULL), STRIA_OK);
        for (int64_t k = 0; k < n; k++) *(double *)tensor_at(values, &k) = long_element(kind, k, n, &random);
        CHECK_STATUS(form & 1 ? stria_tensor_new_strided(dtype, 1, &n, &apart, &x, NULL)
                              : stria_tensor_new(dtype, 1, &n, &x, NULL),
                     STRIA_OK);
        CHECK_STATUS(stria_tensor_set(x, values, NULL), STRIA_OK);
        stria_tensor_release(values);
        for (int i = (form + form / 2 / ROW_KINDS) % 3; i < (int)(sizeof ks / sizeof *ks); i += 3) {
            CHECK_STATUS(stria_threads_set(threads[i % 2], NULL), STRIA_OK);
            for (int way = 0; way < 4; way++) check_topk(x, 0, ks[i], way & 1, way & 2, "long");
            check_kth(x, 0, ks[i], "long");
        }
        stria_tensor_release(x);
    }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

/* Into tensors of other dtypes and strides, and over x. */
static void test_out(void)
{
    static const int64_t sizes[] = {4, 9}, wanted[] = {4, 3}, turned[] = {1, 4}, column[] = {4}, apart[] = {2};
    random_state         random = {44};
    stria_tensor *x = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 2, sizes, -9, 9), *y[2] = {NULL, NULL},
                 *out[2] = {NULL, NULL};

    CHECK_STATUS(stria_topk(x, 3, 1, true, true, &y[0], &y[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_strided(STRIA_F64, 2, wanted, turned, &out[0], NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_strided(STRIA_I64, 2, wanted, turned, &out[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_topk_out(x, 3, 1, true, true, out[0], out[1], NULL), STRIA_OK);
    for (int64_t k = 0; k < 12; k++) {
        const int64_t at[] = {k / 3, k % 3};
        const value   a = value_get(STRIA_F64, tensor_at(out[0], at)), b = value_get(STRIA_F32, tensor_at(y[0], at));
        CHECK(a.real == b.real || (a.real != a.real && b.real != b.real), "out of f64");
        CHECK(memcmp(tensor_at(out[1], at), tensor_at(y[1], at), 8) == 0, "out of i64, column by column");
    }
    stria_tensor_release(out[0]), stria_tensor_release(out[1]), stria_tensor_release(y[0]), stria_tensor_release(y[1]);
    /* kthvalue into tensors with gaps */
    CHECK_STATUS(stria_kthvalue(x, 2, 1, false, &y[0], &y[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_strided(STRIA_F32, 1, column, apart, &out[0], NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_strided(STRIA_I64, 1, column, apart, &out[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_kthvalue_out(x, 2, 1, false, out[0], out[1], NULL), STRIA_OK);
    for (int64_t k = 0; k < 4; k++)
        for (int o = 0; o < 2; o++)
            CHECK(memcmp(tensor_at(out[o], &k), tensor_at(y[o], &k), size_of(y[o])) == 0, "kthvalue out %d", o);
    CHECK_STATUS(stria_topk_out(x, 9, 1, false, false, x, out[1], NULL), STRIA_OK);
    stria_tensor_release(out[0]), stria_tensor_release(out[1]), stria_tensor_release(y[0]), stria_tensor_release(y[1]);
    stria_tensor_release(x);
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
    static const int64_t sizes[] = {4, 5}, empty[] = {3, 0};
    stria_tensor        *x = NULL, *complex = NULL, *none = NULL, *single = NULL, *y = NULL, *z = NULL;

    CHECK_STATUS(stria_full(sizes, 2, (stria_scalar){.i = 1}, STRIA_I64, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_C64, 2, sizes, &complex, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, empty, &none, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(NULL, 0, (stria_scalar){.i = 1}, STRIA_F32, STRIA_CPU, &single, NULL), STRIA_OK);
    REFUSED("topk", stria_topk(x, 6, 1, true, true, &y, &z, &err), STRIA_ERR_ARGUMENT, "k",
            "k is 6, but axis 1 of x has size 5");
    REFUSED("topk", stria_topk(x, 5, 0, true, true, &y, &z, &err), STRIA_ERR_ARGUMENT, "k", "axis 0 of x has size 4");
    REFUSED("topk", stria_topk(x, -1, 0, true, true, &y, &z, &err), STRIA_ERR_ARGUMENT, "k", "k is -1");
    REFUSED("topk", stria_topk(single, 0, 0, true, true, &y, &z, &err), STRIA_ERR_ARGUMENT, "k", "k is 0");
    REFUSED("topk", stria_topk(x, 1, 2, true, true, &y, &z, &err), STRIA_ERR_AXIS, "dim", "axis 2 is out of range");
    REFUSED("topk", stria_topk(complex, 1, 0, true, true, &y, &z, &err), STRIA_ERR_DTYPE, "x", "x is c64");
    REFUSED("topk", stria_topk(x, 1, 0, true, true, &y, NULL, &err), STRIA_ERR_ARGUMENT, "indices", "indices is NULL");
    REFUSED("kthvalue", stria_kthvalue(x, 0, 1, false, &y, &z, &err), STRIA_ERR_ARGUMENT, "k", "k is 0");
    REFUSED("kthvalue", stria_kthvalue(x, 6, 1, false, &y, &z, &err), STRIA_ERR_ARGUMENT, "k", "k is 6");
    REFUSED("kthvalue", stria_kthvalue(none, 1, 1, false, &y, &z, &err), STRIA_ERR_ARGUMENT, "k", "size 0");
    REFUSED("kthvalue", stria_kthvalue(x, 1, -3, false, &y, &z, &err), STRIA_ERR_AXIS, "dim", "axis -3");
    REFUSED("kthvalue", stria_kthvalue(complex, 1, 0, false, &y, &z, &err), STRIA_ERR_DTYPE, "x", "x is c64");
    for (int bits = 44; bits < 63; bits++) { /* rows longer than memory, of one element */
        const int64_t length = INT64_C(1) << bits;
        stria_tensor *long_row = NULL, *byte = NULL;
        CHECK_STATUS(stria_tensor_copy(single, STRIA_U8, &byte, NULL), STRIA_OK);
        CHECK_STATUS(stria_expand(byte, &length, 1, &long_row, NULL), STRIA_OK);
        stria_tensor_release(byte);
        REFUSED("kthvalue", stria_kthvalue(long_row, length, 0, false, &y, &z, &err), STRIA_ERR_MEMORY, "",
                "no memory");
        stria_tensor_release(long_row);
    }
    CHECK(y == NULL && z == NULL, "outputs of a refused call");
    CHECK_STATUS(stria_topk(none, 0, 1, true, true, &y, &z, NULL), STRIA_OK);
    CHECK(y && z && stria_tensor_get_numel(y) == 0, "none of nothing");
    stria_tensor_release(y), stria_tensor_release(z);
    stria_tensor_release(x), stria_tensor_release(complex), stria_tensor_release(none), stria_tensor_release(single);
}

SUITE(test_topk)
{
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    if (check_has_values()) {
        test_layouts();
        test_specials();
    }
    test_long();
    if (check_has_values()) {
        test_out();
        test_refusals();
    }
    return check_finish("test_topk");
}
