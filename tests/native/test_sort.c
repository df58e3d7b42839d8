/* test_sort.c - sort, argsort and msort, against what defines it: the indices are a permutation, the values stand at them in x, neighbours are in order,
 * and equal ones have ascending indices. Every dtype, axis, layout and thread count, out=, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

/* ---------------------------------------------------------------- the oracle */

/* -1, 0, 1; NaN is the largest, and equal to itself. */
static int compare(value a, value b)
{
    if (!a.is_float) return a.whole < b.whole ? -1 : a.whole > b.whole;
    if (isnan(a.real) || isnan(b.real)) return isnan(a.real) - isnan(b.real);
    return a.real < b.real ? -1 : a.real > b.real;
}

static int64_t get_index(const stria_tensor *indices, const int64_t *index)
{
    return *(const int64_t *)(const void *)tensor_at(indices, index);
}

/* The row at `index`, whose entry of the axis is 0. */
static void check_row(const stria_tensor *x, int axis, bool descending, const stria_tensor *values,
                      const stria_tensor *indices, int64_t *index, const char *what)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    const size_t      size = stria_dtype_get_size(dtype);
    const int         ndim = stria_tensor_get_ndim(x);
    const int64_t     length = ndim ? stria_tensor_get_shape(x)[axis] : 1;
    bool             *seen = calloc((size_t)length, 1);
    int64_t           source[STRIA_MAX_DIMS], last = -1;
    value             before = {0};

    memcpy(source, index, sizeof source);
    for (int64_t k = 0; k < length && seen; k++) {
        if (ndim) index[axis] = k;
        const int64_t at = get_index(indices, index);
        const bool    is_new = at >= 0 && at < length && !seen[at];
        CHECK(is_new, "%s axis %d: index %lld at %lld is out of range or there twice", what, axis, (long long)at,
              (long long)k);
        if (!is_new) break;
        seen[at] = true;
        if (ndim) source[axis] = at;
        CHECK(memcmp(tensor_at(x, source), tensor_at(values, index), size) == 0, "%s %s axis %d: value at %lld", what,
              stria_dtype_get_name(dtype), axis, (long long)k);
        const value now = value_get(dtype, tensor_at(values, index));
        const int   order = k == 0 ? -1 : descending ? compare(now, before) : compare(before, now);
        CHECK(order < 0 || (order == 0 && last < at), "%s %s axis %d: order at %lld", what, stria_dtype_get_name(dtype),
              axis, (long long)k);
        before = now;
        last = at;
    }
    if (ndim) index[axis] = 0;
    free(seen);
}

static void check_result(const stria_tensor *x, int axis, bool descending, const stria_tensor *values,
                         const stria_tensor *indices, const char *what)
{
    const int      ndim = stria_tensor_get_ndim(x);
    const int64_t *shape = stria_tensor_get_shape(x);
    int64_t        outer[STRIA_MAX_DIMS], index[STRIA_MAX_DIMS] = {0};

    for (int k = 0; k < 2; k++)
        CHECK(stria_tensor_get_ndim(k ? indices : values) == ndim &&
                  memcmp(stria_tensor_get_shape(k ? indices : values), shape, sizeof *shape * (size_t)ndim) == 0,
              "%s: wrong shape", what);
    CHECK(stria_tensor_get_dtype(values) == stria_tensor_get_dtype(x) && stria_tensor_get_dtype(indices) == STRIA_I64,
          "%s: wrong dtype", what);
    if (stria_tensor_get_numel(x) == 0) return;
    for (int d = 0; d < ndim; d++) outer[d] = d == axis ? 1 : shape[d];
    do check_row(x, axis, descending, values, indices, index, what);
    while (index_next(ndim, outer, index));
}

static bool same_bits(const stria_tensor *a, const stria_tensor *b)
{
    return memcmp(stria_tensor_get_const_data(a), stria_tensor_get_const_data(b),
                  (size_t)stria_tensor_get_numel(a) * stria_dtype_get_size(stria_tensor_get_dtype(a))) == 0;
}

static void check_argsort(const stria_tensor *x, int axis, bool descending, const stria_tensor *indices,
                          const char *what)
{
    stria_tensor *y = NULL;

    CHECK_STATUS(stria_argsort(x, axis, descending, true, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_dtype(y) == STRIA_I64 && same_bits(y, indices), "argsort: %s", what);
    stria_tensor_release(y);
}

static void check_sort(const stria_tensor *x, int axis, bool descending, const char *what)
{
    const int     ndim = stria_tensor_get_ndim(x);
    stria_tensor *values = NULL, *indices = NULL;

    CHECK_STATUS(stria_sort(x, ndim && axis % 2 ? axis - ndim : axis, descending, false, &values, &indices, NULL),
                 STRIA_OK);
    if (values && indices) {
        check_result(x, axis, descending, values, indices, what);
        check_argsort(x, axis, descending, indices, what);
    }
    stria_tensor_release(values), stria_tensor_release(indices);
}

/* ---------------------------------------------------------------- cases */

static void test_layouts(void)
{
    static const struct {
        int     ndim;
        int64_t sizes[4];
    } shapes[] = {{0, {0}},      {1, {1}},           {1, {77}},      {2, {5, 9}},
                  {2, {70, 33}}, {4, {2, 3, 2, 17}}, {3, {2, 0, 3}}, {3, {3, 1, 16}}};
    random_state random = {31};

    for (int d = STRIA_BOOL; d <= STRIA_F64; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int kind = 0; kind <= LAYOUT_EXPANDED; kind++) {
                const int ndim = shapes[s].ndim;
                if (kind == LAYOUT_ROW || kind == LAYOUT_COLUMN || (ndim == 0 && kind)) continue;
                stria_tensor *x = tensor_random(&random, (stria_dtype)d, (layout)kind, ndim, shapes[s].sizes, -9, 9);
                if (!x) continue;
                for (int axis = 0; axis < (ndim ? ndim : 1); axis++) {
                    check_sort(x, axis, false, layout_names[kind]);
                    check_sort(x, axis, true, layout_names[kind]);
                }
                stria_tensor_release(x);
            }
}

/* Every special value of each dtype, several times, in a long row: zeros of both signs, infinities, NaN, the ends of ranges. */
static void test_specials(void)
{
    static const int64_t n = 600;

    for (int d = STRIA_BOOL; d <= STRIA_F64; d++) {
        stria_tensor *x = NULL;
        CHECK_STATUS(stria_tensor_new((stria_dtype)d, 1, &n, &x, NULL), STRIA_OK);
        random_state random = {32};
        for (int64_t k = 0; k < n; k++) special_element((stria_dtype)d, random_next(&random) % 1000, tensor_at(x, &k));
        check_sort(x, 0, false, "specials");
        check_sort(x, 0, true, "specials");
        stria_tensor_release(x);
    }
}

/* Lengths around the runs that are merged; many equal elements; rows over threads. */
static void test_long(void)
{
    static const int64_t lengths[] = {2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 65, 511, 513, 4096, 4097, 20011};
    static const int     threads[] = {1, 2, 7};
    random_state         random = {33};

    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (int few = 0; few < 2; few++) {
            const int64_t shape[] = {5, lengths[l]};
            stria_tensor *x = NULL, *first[2] = {NULL, NULL};
            CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, shape, &x, NULL), STRIA_OK);
            float *at = stria_tensor_get_data(x);
            for (int64_t k = 0; k < stria_tensor_get_numel(x); k++)
                at[k] = few ? (float)(random_next(&random) % 5) : (float)random_unit(&random);
            for (int t = 0; t < 3; t++) {
                stria_tensor *y[2] = {NULL, NULL};
                CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
                CHECK_STATUS(stria_sort(x, 1, l % 2, true, &y[0], &y[1], NULL), STRIA_OK);
                if (!y[0] || !y[1]) continue;
                if (t == 0) check_result(x, 1, l % 2, y[0], y[1], "long");
                for (int k = 0; k < 2; k++) {
                    if (first[k]) CHECK(same_bits(first[k], y[k]), "%d threads change the bits", threads[t]);
                    if (t == 0)
                        first[k] = y[k];
                    else
                        stria_tensor_release(y[k]);
                }
            }
            stria_tensor_release(x), stria_tensor_release(first[0]), stria_tensor_release(first[1]);
        }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

/* Rows that are long enough for radix and for several threads at once, of every dtype: all digits, few, equal elements alone, in order
 * already. More rows than threads, and fewer. */
static void test_radix(void)
{
    enum { ALL, FEW, EQUAL, ASCENDING, KINDS };
    static const int threads[] = {1, 2, 7};
    random_state     random = {35};

    for (int d = STRIA_BOOL; d <= STRIA_F64; d++)
        for (int kind = 0; kind < KINDS; kind++) {
            const int64_t shape[] = {1 + kind % 2 * 2, kind == ALL ? 70001 : 66000};
            stria_tensor *x = NULL, *first[2] = {NULL, NULL};
            CHECK_STATUS(stria_tensor_new((stria_dtype)d, 2, shape, &x, NULL), STRIA_OK);
            const size_t size = stria_dtype_get_size((stria_dtype)d);
            char        *at = stria_tensor_get_data(x);
            for (int64_t k = 0; k < stria_tensor_get_numel(x); k++) {
                uint64_t bits = random_next(&random); /* of floats some are NaN */
                if (kind == FEW) bits = bits % 3 << (8 * size - 5);
                if (kind == EQUAL) bits = 1;
                if (kind == ASCENDING) bits = (uint64_t)k;
                if (d == STRIA_BOOL) bits &= 1;
                memcpy(at + (size_t)k * size, &bits, size);
            }
            for (int t = 0; t < 3; t++) {
                stria_tensor *y[2] = {NULL, NULL};
                CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
                CHECK_STATUS(stria_sort(x, 1, kind % 2, true, &y[0], &y[1], NULL), STRIA_OK);
                if (!y[0] || !y[1]) continue;
                if (t == 0) check_result(x, 1, kind % 2, y[0], y[1], "radix");
                for (int k = 0; k < 2; k++) {
                    if (first[k])
                        CHECK(same_bits(first[k], y[k]), "%s: %d threads change the bits",
                              stria_dtype_get_name((stria_dtype)d), threads[t]);
                    if (t == 0)
                        first[k] = y[k];
                    else
                        stria_tensor_release(y[k]);
                }
            }
            stria_tensor_release(x), stria_tensor_release(first[0]), stria_tensor_release(first[1]);
        }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

/* Rows that are sorted in parts, or would be: clusters that differ in their lower bits alone, so that long runs begin alike; keys that the
 * library's sample (sort_parts.h) does not meet, a few beyond the ends of what it meets, or nearly all in one place, for which there is no
 * room; nearly all keys in one part. Whatever is sampled, the result is the same. */
static void test_parts(void)
{
    enum { CLUSTERS, BEYOND, CROWDED, NEAR, DOMINANT, KINDS };
    static const stria_dtype dtypes[] = {STRIA_I64, STRIA_U64, STRIA_F64};
    static const int64_t     n = 90001;
    random_state             random = {37};

    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    for (int d = 0; d < 3; d++)
        for (int kind = 0; kind < KINDS; kind++) {
            stria_tensor *x = NULL;
            uint32_t      phase = 1;
            CHECK_STATUS(stria_tensor_new(dtypes[d], 1, &n, &x, NULL), STRIA_OK);
            uint64_t *at = stria_tensor_get_data(x);
            for (int64_t k = 0; k < n; k++) {
                const uint64_t any = random_next(&random);
                if (k % 512 == 0) phase = phase * 1664525 + 1013904223;
                const bool is_met = k % 16 == (int64_t)(phase >> 16) % 16;
                at[k] = any >> 2; /* positive and finite */
                if (kind == CLUSTERS) at[k] = (any % 7) << 58 | (any >> 32) % 4096 << (any % 2 ? 0 : 45);
                if (kind == BEYOND && !is_met && any % 1000 == 0)
                    at[k] = any % 3 ? any % 5 : (UINT64_C(3) << 61) - any % 5;
                if (kind == CROWDED && !is_met) at[k] = (UINT64_C(1) << 60) + any % 100000;
                if (kind == DOMINANT && any % 64 != 0) at[k] = (UINT64_C(1) << 60) + (any >> 32) % 100000;
                if (kind == NEAR) at[k] = (UINT64_C(1) << 60) + any % 3000;
            }
            check_sort(x, 0, false, "parts");
            check_sort(x, 0, true, "parts");
            stria_tensor_release(x);
        }
}

static void test_msort(void)
{
    static const int64_t sizes[] = {30, 4};
    random_state         random = {36};
    stria_tensor *x = tensor_random(&random, STRIA_I16, LAYOUT_CONTIGUOUS, 2, sizes, -9, 9), *y = NULL, *values = NULL,
                 *indices = NULL;

    CHECK_STATUS(stria_msort(x, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_sort(x, 0, false, false, &values, &indices, NULL), STRIA_OK);
    CHECK(same_bits(y, values), "msort");
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(values), stria_tensor_release(indices);
}

/* Results into tensors of other shapes, dtypes and strides, and over x. */
static void test_out(void)
{
    static const int64_t sizes[] = {6, 20}, other[] = {2, 3}, turned[] = {1, 6};
    random_state         random = {34};
    stria_tensor        *x = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 2, sizes, -9, 9), *values = NULL,
                 *indices = NULL, *narrow = NULL, *wide = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, other, &values, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_strided(STRIA_I64, 2, sizes, turned, &indices, NULL), STRIA_OK);
    CHECK_STATUS(stria_sort_out(x, 1, false, false, values, indices, NULL), STRIA_OK);
    check_result(x, 1, false, values, indices, "resized, column by column");
    CHECK_STATUS(stria_tensor_new(STRIA_F64, 2, sizes, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_I16, 2, sizes, &narrow, NULL), STRIA_OK);
    CHECK_STATUS(stria_sort_out(x, 1, false, false, wide, narrow, NULL), STRIA_OK);
    const float   *a = stria_tensor_get_const_data(values);
    const double  *b = stria_tensor_get_const_data(wide);
    const int16_t *at = stria_tensor_get_const_data(narrow);
    for (int64_t k = 0; k < 120; k++) {
        const int64_t index[] = {k / 20, k % 20};
        CHECK((double)a[k] == b[k] || (isnan(a[k]) && isnan(b[k])), "out of f64 at %lld", (long long)k);
        CHECK(at[k] == get_index(indices, index), "out of i16 at %lld", (long long)k);
    }
    /* into x itself */
    stria_tensor *kept = NULL;
    CHECK_STATUS(stria_tensor_copy(x, STRIA_F32, &kept, NULL), STRIA_OK);
    CHECK_STATUS(stria_sort_out(x, 0, true, false, x, indices, NULL), STRIA_OK);
    check_result(kept, 0, true, x, indices, "over x");
    stria_tensor_release(kept), stria_tensor_release(values), stria_tensor_release(indices);
    stria_tensor_release(narrow), stria_tensor_release(wide), stria_tensor_release(x);
}

#define REFUSED_BY(op_name, call, status, name, text)                                                       \
    do {                                                                                                    \
        stria_error err = {0};                                                                              \
        CHECK_STATUS(call, status);                                                                         \
        CHECK(strcmp(err.op, op_name) == 0 && strcmp(err.argument, name) == 0 && strstr(err.message, text), \
              "op %s, argument %s, message %s", err.op, err.argument, err.message);                         \
    } while (0)
#define REFUSED(call, status, name, text) REFUSED_BY("sort", call, status, name, text)

static void test_refusals(void)
{
    static const int64_t sizes[] = {4, 5};
    stria_tensor        *x = NULL, *complex = NULL, *y = NULL, *z = NULL, *part = NULL, *meta = NULL;

    CHECK_STATUS(stria_full(sizes, 2, (stria_scalar){.i = 1}, STRIA_I64, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_C64, 2, sizes, &complex, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(sizes, 2, STRIA_U8, STRIA_META, &meta, NULL), STRIA_OK);
    REFUSED(stria_sort(NULL, 0, false, false, &y, &z, &err), STRIA_ERR_ARGUMENT, "x", "x is NULL");
    REFUSED(stria_sort(x, 0, false, false, &y, NULL, &err), STRIA_ERR_ARGUMENT, "indices", "indices is NULL");
    REFUSED(stria_sort(x, 0, false, false, NULL, &z, &err), STRIA_ERR_ARGUMENT, "values", "values is NULL");
    REFUSED(stria_sort(x, 2, false, false, &y, &z, &err), STRIA_ERR_AXIS, "dim", "axis 2 is out of range");
    REFUSED(stria_sort(complex, 0, false, false, &y, &z, &err), STRIA_ERR_DTYPE, "x", "x is c64");
    REFUSED_BY("argsort", stria_argsort(complex, 0, false, false, &y, &err), STRIA_ERR_DTYPE, "x", "x is c64");
    REFUSED_BY("argsort", stria_argsort(x, -3, false, false, &y, &err), STRIA_ERR_AXIS, "dim", "axis -3");
    REFUSED_BY("msort", stria_msort(complex, &y, &err), STRIA_ERR_DTYPE, "x", "x is c64");
    CHECK(y == NULL && z == NULL, "outputs of a refused call");
    CHECK_STATUS(stria_sort(meta, 0, false, false, &y, &z, NULL), STRIA_OK);
    CHECK(y && z && stria_tensor_get_device(z).type == STRIA_DEVICE_META && stria_tensor_get_dtype(z) == STRIA_I64 &&
              stria_tensor_get_dtype(y) == STRIA_U8,
          "meta");
    stria_tensor_release(y), stria_tensor_release(z);
    CHECK_STATUS(stria_tensor_new(STRIA_I64, 2, sizes, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 2, sizes, &z, NULL), STRIA_OK);
    CHECK_STATUS(stria_flip(y, (const int[]){0}, 1, &part, NULL), STRIA_OK);
    REFUSED(stria_sort_out(x, 0, false, false, y, y, &err), STRIA_ERR_OVERLAP, "out",
            "values and indices share memory");
    REFUSED(stria_sort_out(x, 0, false, false, y, part, &err), STRIA_ERR_OVERLAP, "out",
            "values and indices share memory");
    REFUSED(stria_sort_out(x, 0, false, false, z, y, &err), STRIA_ERR_DTYPE, "out", "out of bool");
    REFUSED(stria_sort_out(x, 0, false, false, y, NULL, &err), STRIA_ERR_ARGUMENT, "indices", "indices is NULL");
    stria_tensor_release(x), stria_tensor_release(complex), stria_tensor_release(meta);
    stria_tensor_release(y), stria_tensor_release(z), stria_tensor_release(part);
}

SUITE(test_sort)
{
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    if (check_has_values()) {
        test_layouts();
        test_specials();
    }
    test_long();
    test_radix();
    test_parts();
    if (check_has_values()) {
        test_msort();
        test_out();
        test_refusals();
    }
    return check_finish("test_sort");
}
