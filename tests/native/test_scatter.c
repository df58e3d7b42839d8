/* test_scatter.c - scatter, scatter_add, scatter_reduce, put, index_add, index_copy, index_fill, index_reduce and index_put against plain
 * loops: every dtype, layout, form and thread count, in place, refusals, an index that another thread changes. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "index_case.h"
#include "sanitized.h"

#if MAY_RACE
#include <pthread.h>
#endif

#define ROUNDS 3000
#define MOST 4 /* dims */

typedef enum kind { WRITE, SUM, PROD, MEAN, AMAX, AMIN } kind;
static const char *const words[] = {"", "sum", "prod", "mean", "amax", "amin"};

static random_state random_numbers = {61};

static int pick(int n) { return (int)(random_next(&random_numbers) % (uint64_t)n); }

static layout pick_layout(int ndim)
{
    static const layout kinds[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED,
                                   LAYOUT_OFFSET,     LAYOUT_STEPPED,    LAYOUT_EXPANDED};
    return ndim == 0 ? LAYOUT_CONTIGUOUS : kinds[pick(6)];
}

static stria_tensor *pick_tensor(stria_dtype dtype, int ndim, const int64_t *shape)
{
    return tensor_random(&random_numbers, dtype, pick_layout(ndim), ndim, shape, -9, 9);
}

static stria_tensor *pick_index(int ndim, const int64_t *shape, int64_t low, int64_t high)
{
    return index_random(&random_numbers, pick(2) ? STRIA_I64 : STRIA_I32, pick_layout(ndim), ndim, shape, low, high);
}

/* ---------------------------------------------------------------- the oracle: elements as values, one after another */

typedef struct oracle {
    stria_dtype dtype;
    kind        kind;
    bool        include_self;
    int64_t     n;
    value      *at;     /* [n], row-major; f16 and bf16 as f32 */
    int64_t    *counts; /* how many elements each consists of */
} oracle;

static oracle oracle_new(const stria_tensor *x, kind kind, bool include_self)
{
    oracle  o = {stria_tensor_get_dtype(x), kind, include_self, stria_tensor_get_numel(x), NULL, NULL};
    int64_t at[STRIA_MAX_DIMS] = {0}, k = 0;

    o.at = calloc((size_t)o.n + 1, sizeof *o.at);
    o.counts = calloc((size_t)o.n + 1, sizeof *o.counts);
    if (o.n > 0) do {
            o.at[k] = value_get(o.dtype, tensor_at(x, at));
            o.counts[k++] = include_self;
        } while (index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), at));
    return o;
}

/* In the dtype that is computed in. */
static value round_to(stria_dtype dtype, value v) { return value_convert(v, oracle_compute(dtype)); }

static bool is_less(value a, value b)
{
    if (!a.is_float) return a.whole < b.whole;
    return a.real < b.real || (a.real == b.real && signbit(a.real) && !signbit(b.real));
}

static value join(stria_dtype dtype, kind kind, value a, value b)
{
    value r = a;

    if (kind == AMAX || kind == AMIN) {
        if (a.is_float && isnan(a.real)) return a;
        if (b.is_float && isnan(b.real)) return b;
        return (kind == AMAX) == is_less(a, b) ? b : a;
    }
    if (dtype == STRIA_BOOL) {
        r.whole = kind == PROD ? a.whole && b.whole : a.whole || b.whole;
        return r;
    }
    if (kind == PROD) {
        r.whole = (whole_int)((uint64_t)a.whole * (uint64_t)b.whole);
        r.real = a.real * b.real - (dtype_is_complex(dtype) ? a.imag * b.imag : 0);
        r.imag = a.real * b.imag + a.imag * b.real;
        if (dtype == STRIA_C64) { /* rounded after each step */
            const float re = (float)a.real, im = (float)a.imag, other = (float)b.real, side = (float)b.imag;
            const float p = re * other, q = im * side, s = re * side, t = im * other;
            r.real = (double)(p - q);
            r.imag = (double)(s + t);
        }
    } else {
        r.whole = a.whole + b.whole;
        r.real = a.real + b.real;
        r.imag = a.imag + b.imag;
    }
    return round_to(dtype, r);
}

static void oracle_meet(oracle *o, int64_t k, value v)
{
    v = round_to(o->dtype, v);
    if (o->counts[k] == 0 && o->kind == PROD && dtype_is_complex(o->dtype)) /* begins with 1 + 0i */
        v = join(o->dtype, PROD, (value){.is_float = true, .real = 1}, v);
    if (o->kind == WRITE || (o->counts[k] == 0 && !o->include_self))
        o->at[k] = v;
    else
        o->at[k] = join(o->dtype, o->kind, o->at[k], v);
    o->counts[k]++;
}

static void oracle_end(oracle *o, const stria_tensor *x, const stria_tensor *y, const char *what)
{
    int64_t at[STRIA_MAX_DIMS] = {0}, k = 0;
    char    want[16], text[64], other[64];

    if (!index_check_shape(y, o->dtype, stria_tensor_get_ndim(x), stria_tensor_get_shape(x), what)) o->n = 0;
    if (o->n > 0) do {
            value v = o->at[k];
            if (o->kind == MEAN && o->counts[k] > 1) {
                const int64_t n = o->counts[k];
                v.real =
                    oracle_compute(o->dtype) == STRIA_F32 ? (double)((float)v.real / (float)n) : v.real / (double)n;
                whole_int q = v.whole / n;
                if (v.whole % n != 0 && v.whole < 0) q--;
                v.whole = q;
            }
            value_set(o->dtype, v, want);
            CHECK(value_same(o->dtype, want, tensor_at(y, at)), "%s %s %s: %s instead of %s at %lld", what,
                  words[o->kind], stria_dtype_get_name(o->dtype),
                  value_print(o->dtype, tensor_at(y, at), text, sizeof text),
                  value_print(o->dtype, want, other, sizeof other), (long long)k);
            k++;
        } while (index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), at));
    free(o->at);
    free(o->counts);
}

static int64_t ravel(int ndim, const int64_t *shape, const int64_t *at)
{
    int64_t k = 0;
    for (int d = 0; d < ndim; d++) k = k * shape[d] + at[d];
    return k;
}

/* ---------------------------------------------------------------- cases */

static kind pick_kind(stria_dtype dtype, bool has_sum)
{
    const kind k = (kind)(pick(5) + 1);
    if (k == SUM && !has_sum) return PROD;
    if (dtype_is_complex(dtype)) return PROD;
    return k == MEAN && dtype == STRIA_BOOL ? AMAX : k;
}

/* y from a call on x; now and then in place on a copy of it. */
#define RUN(y, name, x, ...)                                                                     \
    do {                                                                                         \
        if (pick(3) == 0) {                                                                      \
            CHECK_STATUS(stria_tensor_copy(x, stria_tensor_get_dtype(x), &(y), NULL), STRIA_OK); \
            CHECK_STATUS(stria_##name##_out(y, __VA_ARGS__, y, NULL), STRIA_OK);                 \
        } else {                                                                                 \
            CHECK_STATUS(stria_##name(x, __VA_ARGS__, &(y), NULL), STRIA_OK);                    \
        }                                                                                        \
    } while (0)

static void check_along(void)
{
    const stria_dtype dtype = (stria_dtype)pick(STRIA_DTYPE_COUNT);
    const int         ndim = pick(MOST), axis = ndim ? pick(ndim) : 0, what = pick(4);
    int64_t           shape[MOST], own[MOST], longer[MOST], at[MOST] = {0}, to[MOST];

    for (int d = 0; d < ndim; d++) {
        shape[d] = 1 + pick(pick(8) ? 5 : 40);
        own[d] = d == axis ? pick(9) : shape[d] - (shape[d] > 1 ? pick(2) : 0);
        longer[d] = own[d] + pick(2);
    }
    static const char *const reduce[] = {"none", "add", "multiply"};
    const int                scattered = pick(3); /* WRITE, SUM, PROD */
    const kind    kind = what == 0 || what == 3 ? (enum kind)scattered : what == 1 ? SUM : pick_kind(dtype, true);
    const bool    include_self = what != 2 || pick(2);
    stria_tensor *x = pick_tensor(dtype, ndim, shape), *src = pick_tensor(dtype, ndim, longer), *y = NULL;
    stria_tensor *index = pick_index(ndim, own, 0, ndim ? shape[axis] : 1), *number = NULL;
    oracle        o = oracle_new(x, kind, include_self);

    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT, .i = 1}, &number, NULL), STRIA_OK);
    if (stria_tensor_get_numel(index) > 0) do {
            memcpy(to, at, sizeof to);
            if (ndim) to[axis] = index_at(index, at);
            const value v =
                what == 3 ? value_convert(value_from_whole(1), dtype) : value_get(dtype, tensor_at(src, at));
            oracle_meet(&o, ravel(ndim, shape, to), v);
        } while (index_next(ndim, own, at));
    switch (what) {
    case 0: RUN(y, scatter, x, index, src, axis, reduce[scattered]); break;
    case 1: RUN(y, scatter_add, x, index, src, axis); break;
    case 2: RUN(y, scatter_reduce, x, index, src, axis, words[kind], include_self); break;
    default: RUN(y, scatter, x, index, number, axis, reduce[scattered]); break;
    }
    oracle_end(&o, x, y, "along");
    stria_tensor_release(x), stria_tensor_release(src), stria_tensor_release(index), stria_tensor_release(y);
    stria_tensor_release(number);
}

static void check_list(void)
{
    const stria_dtype  dtype = (stria_dtype)pick(STRIA_DTYPE_COUNT);
    const int          ndim = pick(MOST), axis = ndim ? pick(ndim) : 0, what = pick(4);
    const stria_scalar one = {.kind = STRIA_SCALAR_INT, .i = 1};
    int64_t            shape[MOST], own[MOST], at[MOST] = {0}, to[MOST], n = 1;

    for (int d = 0; d < ndim; d++) own[d] = shape[d] = 1 + pick(pick(8) ? 5 : 40);
    if (ndim) own[axis] = n = pick(9);
    const kind    kind = what == 0 || what == 3 ? WRITE : what == 1 ? SUM : pick_kind(dtype, false);
    const bool    include_self = what != 2 || pick(2);
    stria_tensor *x = pick_tensor(dtype, ndim, shape), *src = pick_tensor(dtype, ndim, own), *y = NULL, *number = NULL;
    const int64_t size = ndim ? shape[axis] : 1;
    stria_tensor *index = pick_index(n == 1 ? pick(2) : 1, &n, what == 3 ? -size : 0, size);
    oracle        o = oracle_new(x, kind, include_self);

    CHECK_STATUS(stria_tensor_new_scalar(one, &number, NULL), STRIA_OK);
    if (stria_tensor_get_numel(src) > 0) do {
            memcpy(to, at, sizeof to);
            const int64_t zero = 0, i = index_at(index, ndim ? &at[axis] : &zero);
            if (ndim) to[axis] = i < 0 ? i + size : i;
            const value v =
                what == 3 ? value_convert(value_from_whole(1), dtype) : value_get(dtype, tensor_at(src, at));
            oracle_meet(&o, ravel(ndim, shape, to), v);
        } while (index_next(ndim, own, at));
    switch (what) {
    case 0: RUN(y, index_copy, x, index, src, axis); break;
    case 1: RUN(y, index_add, x, index, src, axis, one); break;
    case 2: RUN(y, index_reduce, x, index, src, axis, words[kind], include_self); break;
    default: RUN(y, index_fill, x, index, number, axis); break;
    }
    oracle_end(&o, x, y, "list");
    stria_tensor_release(x), stria_tensor_release(src), stria_tensor_release(index), stria_tensor_release(y);
    stria_tensor_release(number);
}

static void check_put(void)
{
    const stria_dtype dtype = (stria_dtype)pick(STRIA_DTYPE_COUNT);
    const int         ndim = pick(MOST), own_ndim = pick(3);
    int64_t           shape[MOST], own[2], at[2] = {0};

    for (int d = 0; d < ndim; d++) shape[d] = 1 + pick(5);
    for (int d = 0; d < own_ndim; d++) own[d] = 1 + pick(6);
    const bool    accumulate = pick(2);
    stria_tensor *x = pick_tensor(dtype, ndim, shape), *y = NULL, *flat = NULL;
    const int64_t n = stria_tensor_get_numel(x), all = -1;
    stria_tensor *index = pick_index(own_ndim, own, -n, n), *src = pick_tensor(dtype, own_ndim, own);
    oracle        o = oracle_new(x, accumulate ? SUM : WRITE, true);

    do {
        const int64_t i = index_at(index, at);
        oracle_meet(&o, i < 0 ? i + n : i, value_get(dtype, tensor_at(src, at)));
    } while (index_next(own_ndim, own, at));
    CHECK_STATUS(stria_reshape(src, &all, 1, &flat, NULL), STRIA_OK);
    RUN(y, put, x, index, pick(2) ? flat : src, accumulate);
    oracle_end(&o, x, y, "put");
    stria_tensor_release(x), stria_tensor_release(src), stria_tensor_release(index), stria_tensor_release(y);
    stria_tensor_release(flat);
}

static void check_index_put(void)
{
    const stria_dtype dtype = (stria_dtype)pick(STRIA_DTYPE_COUNT);
    const int         ndim = 1 + pick(MOST - 1), n = 1 + pick(ndim), own_ndim = pick(3);
    int64_t       shape[MOST], common[2] = {1 + pick(4), 1 + pick(4)}, taken[2 * MOST], at[2 * MOST] = {0}, to[MOST];
    stria_tensor *index[MOST] = {NULL}, *y = NULL;
    const stria_tensor *list[MOST];
    int64_t             narrow[2 * MOST];

    for (int d = 0; d < ndim; d++) shape[d] = 1 + pick(5);
    memcpy(taken, common, sizeof common);
    for (int k = 0; k < n; k++) {
        int64_t own[2] = {common[0], common[1]};
        if (k > 0 && own_ndim > 0 && pick(3) == 0) own[pick(own_ndim)] = 1;
        list[k] = index[k] = pick_index(own_ndim, own, -shape[k], shape[k]);
    }
    const int taken_ndim = own_ndim + ndim - n, less = taken_ndim ? pick(taken_ndim + 1) : 0;
    for (int d = n; d < ndim; d++) taken[own_ndim + d - n] = shape[d];
    for (int d = less; d < taken_ndim; d++) narrow[d] = pick(3) ? taken[d] : 1;
    const bool    accumulate = pick(2);
    stria_tensor *x = pick_tensor(dtype, ndim, shape), *values = pick_tensor(dtype, taken_ndim - less, narrow + less);
    oracle        o = oracle_new(x, accumulate ? SUM : WRITE, true);

    do {
        for (int d = 0; d < ndim; d++) {
            const int64_t i = d >= n ? at[own_ndim + d - n]
                                     : (int64_t)value_get(stria_tensor_get_dtype(index[d]),
                                                          tensor_at_broadcast(index[d], own_ndim, at))
                                           .whole;
            to[d] = i < 0 ? i + shape[d] : i;
        }
        oracle_meet(&o, ravel(ndim, shape, to), value_get(dtype, tensor_at_broadcast(values, taken_ndim, at)));
    } while (index_next(taken_ndim, taken, at));
    if (pick(3) == 0) {
        CHECK_STATUS(stria_tensor_copy(x, dtype, &y, NULL), STRIA_OK);
        CHECK_STATUS(stria_index_put_out(y, values, list, n, accumulate, y, NULL), STRIA_OK);
    } else {
        CHECK_STATUS(stria_index_put(x, values, list, n, accumulate, &y, NULL), STRIA_OK);
    }
    oracle_end(&o, x, y, "index_put");
    for (int k = 0; k < n; k++) stria_tensor_release(index[k]);
    stria_tensor_release(x), stria_tensor_release(values), stria_tensor_release(y);
}

/* ---------------------------------------------------------------- large ones, over threads */

static void test_large(void)
{
    static const int64_t shape[] = {300, 700}, flat = 210000, few = 40, rows[] = {40, 700};
    stria_tensor *x = tensor_random(&random_numbers, STRIA_F32, LAYOUT_CONTIGUOUS, 2, shape, -9, 9), *turned = NULL;
    stria_tensor *src = tensor_random(&random_numbers, STRIA_F32, LAYOUT_CONTIGUOUS, 2, shape, -9, 9);
    stria_tensor *some = tensor_random(&random_numbers, STRIA_F32, LAYOUT_CONTIGUOUS, 2, rows, -9, 9);
    stria_tensor *index = index_random(&random_numbers, STRIA_I64, LAYOUT_CONTIGUOUS, 2, shape, 0, 30);
    stria_tensor *list = index_random(&random_numbers, STRIA_I64, LAYOUT_CONTIGUOUS, 1, &few, 0, 30);
    stria_tensor *all = index_random(&random_numbers, STRIA_I64, LAYOUT_CONTIGUOUS, 1, &flat, -999, 999), *first[6];
    const stria_scalar half = {.kind = STRIA_SCALAR_FLOAT, .re = 0.5};

    CHECK_STATUS(stria_transpose(src, 0, 1, &turned, NULL), STRIA_OK);
    for (int threads = 1; threads <= 7; threads += 3) {
        stria_tensor *y[6] = {NULL};
        CHECK_STATUS(stria_threads_set(threads, NULL), STRIA_OK);
        CHECK_STATUS(stria_scatter_add(x, index, src, 0, &y[0], NULL), STRIA_OK);
        CHECK_STATUS(stria_scatter(x, index, src, 1, "none", &y[1], NULL), STRIA_OK);
        CHECK_STATUS(stria_index_add(x, list, some, 0, half, &y[2], NULL), STRIA_OK);
        CHECK_STATUS(stria_put(x, all, turned, true, &y[3], NULL), STRIA_OK);
        CHECK_STATUS(stria_scatter_reduce(x, index, src, 0, "mean", false, &y[4], NULL), STRIA_OK);
        CHECK_STATUS(stria_index_reduce(x, list, some, 0, "amax", true, &y[5], NULL), STRIA_OK);
        for (int k = 0; k < 6; k++) {
            if (threads == 1) {
                first[k] = y[k];
                continue;
            }
            CHECK(memcmp(stria_tensor_get_const_data(first[k]), stria_tensor_get_const_data(y[k]),
                         (size_t)stria_tensor_get_numel(x) * 4) == 0,
                  "%d: %d threads change the bits", k, threads);
            stria_tensor_release(y[k]);
        }
    }
    oracle o = oracle_new(x, SUM, true);
    for (int64_t k = 0; k < 210000; k++) {
        const int64_t at[] = {k / 700, k % 700};
        oracle_meet(&o, index_at(index, at) * 700 + k % 700, value_get(STRIA_F32, tensor_at(src, at)));
    }
    oracle_end(&o, x, first[0], "large");
    for (int k = 0; k < 6; k++) stria_tensor_release(first[k]);
    stria_tensor_release(x), stria_tensor_release(src), stria_tensor_release(some), stria_tensor_release(index);
    stria_tensor_release(list), stria_tensor_release(all), stria_tensor_release(turned);
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

/* ---------------------------------------------------------------- refusals */

static stria_tensor *new_list(stria_dtype dtype, int64_t a, int64_t b)
{
    static const int64_t n = 2;
    stria_tensor        *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 1, &n, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < n; k++) value_set(dtype, value_from_whole(k ? b : a), tensor_at(x, &k));
    return x;
}

/* Nothing is written by what is refused, in place either. */
static void test_refusals(void)
{
    const stria_scalar one = {.kind = STRIA_SCALAR_INT, .i = 1}, half = {.kind = STRIA_SCALAR_FLOAT, .re = 0.5};
    stria_tensor      *x = new_list(STRIA_I32, 7, 8), *src = new_list(STRIA_I32, 1, 2), *f = new_list(STRIA_F32, 1, 2);
    stria_tensor      *high = new_list(STRIA_I64, 0, 2), *low = new_list(STRIA_I64, 1, -1),
                 *under = new_list(STRIA_I32, 0, -3);
    stria_tensor *fine = new_list(STRIA_I64, 0, 1), *y = NULL, *number = NULL, *c = new_list(STRIA_C64, 1, 2),
                 *b = NULL;
    const stria_tensor *lists[] = {high, under, fine};

    CHECK_STATUS(stria_tensor_new_scalar(half, &number, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(x, STRIA_BOOL, &b, NULL), STRIA_OK);
    REFUSED(stria_scatter_out(x, high, src, 0, "multiply", x, &err), STRIA_ERR_ARGUMENT, "scatter", "index",
            "index[1] is 2, out of range for axis 0 of size 2");
    REFUSED(stria_scatter_add_out(x, low, src, 0, x, &err), STRIA_ERR_ARGUMENT, "scatter_add", "index",
            "index[1] is -1, out of range for axis 0 of size 2");
    REFUSED(stria_scatter_reduce_out(x, low, src, 0, "mean", false, x, &err), STRIA_ERR_ARGUMENT, "scatter_reduce",
            "index", "index[1] is -1");
    REFUSED(stria_put_out(x, under, src, true, x, &err), STRIA_ERR_ARGUMENT, "put", "index", "index[1] is -3");
    REFUSED(stria_index_add_out(x, low, src, 0, one, x, &err), STRIA_ERR_ARGUMENT, "index_add", "index", "is -1");
    REFUSED(stria_index_copy_out(x, high, src, 0, x, &err), STRIA_ERR_ARGUMENT, "index_copy", "index", "is 2");
    REFUSED(stria_index_fill_out(x, under, src, 0, x, &err), STRIA_ERR_SHAPE, "index_fill", "value", "0-dim");
    REFUSED(stria_index_put_out(x, src, lists, 1, true, x, &err), STRIA_ERR_ARGUMENT, "index_put", "indices[0]",
            "indices[0][1] is 2");
    REFUSED(stria_index_put_out(x, src, lists + 1, 1, false, x, &err), STRIA_ERR_ARGUMENT, "index_put", "indices[0]",
            "indices[0][1] is -3");
    for (int64_t k = 0; k < 2; k++) CHECK(index_at(x, &k) == 7 + k, "a refused call has written");
    REFUSED(stria_scatter(x, fine, f, 0, "none", &y, &err), STRIA_ERR_DTYPE, "scatter", "src",
            "src is f32, but must be i32");
    REFUSED(stria_scatter(x, fine, number, 0, "none", &y, &err), STRIA_ERR_DTYPE, "scatter", "src",
            "a src of f64 does not cast");
    REFUSED(stria_index_put(x, f, lists + 2, 1, false, &y, &err), STRIA_ERR_DTYPE, "index_put", "values", "is f32");
    REFUSED(stria_index_add(x, fine, src, 0, half, &y, &err), STRIA_ERR_DTYPE, "index_add", "alpha", "alpha");
    REFUSED(stria_scatter_reduce(x, fine, src, 0, "max", true, &y, &err), STRIA_ERR_ARGUMENT, "scatter_reduce",
            "reduce", "sum|prod|mean|amax|amin");
    REFUSED(stria_index_reduce(x, fine, src, 0, "sum", true, &y, &err), STRIA_ERR_ARGUMENT, "index_reduce", "reduce",
            "prod|mean|amax|amin");
    REFUSED(stria_scatter_reduce(c, fine, c, 0, "amax", true, &y, &err), STRIA_ERR_DTYPE, "scatter_reduce", "x",
            "real");
    REFUSED(stria_scatter_reduce(b, fine, b, 0, "mean", true, &y, &err), STRIA_ERR_DTYPE, "scatter_reduce", "x",
            "mean");
    stria_tensor *zero = NULL;
    CHECK_STATUS(stria_select(src, 0, 0, &zero, NULL), STRIA_OK);
    REFUSED(stria_scatter(x, fine, src, 0, "sum", &y, &err), STRIA_ERR_ARGUMENT, "scatter", "reduce",
            "none|add|multiply");
    REFUSED(stria_put(x, fine, zero, false, &y, &err), STRIA_ERR_SHAPE, "put", "source", "source has shape []");
    REFUSED(stria_index_copy(x, fine, zero, 0, &y, &err), STRIA_ERR_SHAPE, "index_copy", "source", "does not fit [2]");
    REFUSED(stria_scatter(x, fine, zero, 0, "none", &y, &err), STRIA_ERR_SHAPE, "scatter", "src", "src has shape []");
    REFUSED(stria_scatter(x, fine, src, 1, "none", &y, &err), STRIA_ERR_AXIS, "scatter", "dim", "axis 1");
    CHECK(y == NULL, "an output of a refused call");
    stria_tensor_release(x), stria_tensor_release(src), stria_tensor_release(f), stria_tensor_release(high);
    stria_tensor_release(low), stria_tensor_release(under), stria_tensor_release(fine), stria_tensor_release(c);
    stria_tensor_release(number), stria_tensor_release(b), stria_tensor_release(zero);
}

/* One bad index among many, wherever it stands: nothing is written, neither to x in place, small and large, nor to a result of a gather. */
static void test_far_refusals(void)
{
    enum { N = 20000 };
    static const int64_t places[] = {0, 4095, 4096, 8191, 9000, 12288, N - 1};
    static const int64_t bad[] = {50, -1, INT64_MAX, INT64_MIN};
    const int64_t        n = N, few = 50;
    const stria_scalar   one = {.kind = STRIA_SCALAR_INT, .i = 1};
    int64_t              at[1] = {0};
    stria_tensor        *x = NULL, *large = NULL, *index = NULL, *src = NULL, *y = NULL;

    CHECK_STATUS(stria_zeros(&few, 1, STRIA_F32, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(&n, 1, STRIA_F32, STRIA_CPU, &large, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(&n, 1, STRIA_I64, STRIA_CPU, &index, NULL), STRIA_OK);
    CHECK_STATUS(stria_ones(&n, 1, STRIA_F32, STRIA_CPU, &src, NULL), STRIA_OK);
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        for (int b = 0; b < 4; b++) {
            char text[64];
            at[0] = places[k];
            memcpy(tensor_at(index, at), &bad[b], sizeof *bad);
            snprintf(text, sizeof text, "index[%d] is %lld", (int)places[k], (long long)bad[b]);
            REFUSED(stria_scatter_add_out(x, index, src, 0, x, &err), STRIA_ERR_ARGUMENT, "scatter_add", "index", text);
            REFUSED(stria_scatter_reduce_out(x, index, src, 0, "mean", false, x, &err), STRIA_ERR_ARGUMENT,
                    "scatter_reduce", "index", text);
            REFUSED(stria_gather_out(x, index, 0, src, &err), STRIA_ERR_ARGUMENT, "gather", "index", text);
            REFUSED(stria_scatter_add(x, index, src, 0, &y, &err), STRIA_ERR_ARGUMENT, "scatter_add", "index", text);
            REFUSED(stria_scatter(x, index, src, 0, "none", &y, &err), STRIA_ERR_ARGUMENT, "scatter", "index", text);
            REFUSED(stria_index_add(x, index, src, 0, one, &y, &err), STRIA_ERR_ARGUMENT, "index_add", "index", text);
            const stria_tensor *list[] = {index};
            if (bad[b] > 0)
                REFUSED(stria_index_put(x, src, list, 1, true, &y, &err), STRIA_ERR_ARGUMENT, "index_put", "indices[0]",
                        text + strlen("index"));
            if (bad[b] > 0) REFUSED(stria_put(x, index, src, true, &y, &err), STRIA_ERR_ARGUMENT, "put", "index", text);
            const int64_t wrong = bad[b] == 50 ? N : bad[b];
            memcpy(tensor_at(index, at), &wrong, sizeof wrong);
            REFUSED(stria_scatter_add_out(large, index, src, 0, large, &err), STRIA_ERR_ARGUMENT, "scatter_add",
                    "index", "out of range for axis 0 of size 20000");
            memset(tensor_at(index, at), 0, sizeof *bad);
        }
    for (at[0] = 0; at[0] < few; at[0]++) CHECK(value_get(STRIA_F32, tensor_at(x, at)).real == 0, "x was written");
    for (at[0] = 0; at[0] < n; at[0]++) {
        CHECK(value_get(STRIA_F32, tensor_at(src, at)).real == 1, "out was written");
        CHECK(value_get(STRIA_F32, tensor_at(large, at)).real == 0, "a large x was written");
    }
    CHECK(y == NULL, "the output of a refused call");
    stria_tensor_release(x);
    stria_tensor_release(large);
    stria_tensor_release(index);
    stria_tensor_release(src);
}

/* alpha, and sources that lie over the result. */
static void test_particular(void)
{
    stria_tensor      *x = new_list(STRIA_F32, 1, 2), *index = new_list(STRIA_I64, 1, 1), *y = NULL, *turned = NULL;
    stria_tensor      *b = new_list(STRIA_BOOL, 0, 1);
    const stria_scalar half = {.kind = STRIA_SCALAR_FLOAT, .re = 0.5}, none = {.kind = STRIA_SCALAR_INT, .i = 0};

    CHECK_STATUS(stria_index_add(x, index, x, 0, half, &y, NULL), STRIA_OK);
    const float *at = stria_tensor_get_const_data(y);
    CHECK(at[0] == 1 && at[1] == 3.5f, "%g %g", (double)at[0], (double)at[1]);
    stria_tensor_release(y);
    CHECK_STATUS(stria_index_add(b, index, b, 0, none, &y, NULL), STRIA_OK);
    const uint8_t *truth = stria_tensor_get_const_data(y);
    CHECK(truth[0] == 0 && truth[1] == 1, "alpha 0 of bool");
    stria_tensor_release(y);
    CHECK_STATUS(stria_flip(x, (const int[]){0}, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_scatter_add_out(x, index, turned, 0, x, NULL), STRIA_OK); /* the source lies over the result */
    at = stria_tensor_get_const_data(x);
    CHECK(at[0] == 1 && at[1] == 5, "%g %g", (double)at[0], (double)at[1]);
    stria_tensor_release(x), stria_tensor_release(index), stria_tensor_release(turned), stria_tensor_release(b);
}

/* ---------------------------------------------------------------- an index that changes meanwhile */

#if MAY_RACE
static atomic_bool hostile_ends;

static void *change(void *data)
{
    volatile int64_t *at = data;

    for (int64_t k = 0; !atomic_load(&hostile_ends); k++) { /* mostly right, so that some calls pass the check */
        at[k % 4096] = (INT64_C(1) << 40) + k;
        at[k % 4096] = 3;
    }
    return NULL;
}

/* Writes stay between guard pages, whatever the index becomes. */
static void test_hostile(void)
{
    const int64_t n = 4096, size = 1024;
    guarded       memory = guarded_new(4096, true);
    stria_tensor *x = NULL, *index = NULL, *src = NULL;
    pthread_t     thread;

    memset(memory.data, 0, 4096);
    CHECK_STATUS(stria_tensor_new_external(STRIA_F32, 1, &size, NULL, memory.data, NULL, NULL, &x, NULL), STRIA_OK);
    CHECK_STATUS(
        stria_full(&n, 1, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 3}, STRIA_I64, STRIA_CPU, &index, NULL),
        STRIA_OK);
    CHECK_STATUS(stria_full(&n, 1, (stria_scalar){.i = 1}, STRIA_F32, STRIA_CPU, &src, NULL), STRIA_OK);
    atomic_store(&hostile_ends, false);
    if (pthread_create(&thread, NULL, change, stria_tensor_get_data(index)) == 0) {
        for (int k = 0; k < 40000; k++) {
            const stria_tensor *list[] = {index};
            const stria_status  status = k % 4 == 0   ? stria_scatter_add_out(x, index, src, 0, x, NULL)
                                         : k % 4 == 1 ? stria_scatter_out(x, index, src, 0, "none", x, NULL)
                                         : k % 4 == 2 ? stria_put_out(x, index, src, true, x, NULL)
                                                      : stria_index_put_out(x, src, list, 1, false, x, NULL);
            CHECK(status == STRIA_OK || status == STRIA_ERR_ARGUMENT, "status %d", (int)status);
        }
        atomic_store(&hostile_ends, true);
        pthread_join(thread, NULL);
    }
    stria_tensor_release(x), stria_tensor_release(index), stria_tensor_release(src);
    guarded_release(memory);
}
#else
static void test_hostile(void) {}
#endif

SUITE(test_scatter)
{
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    for (int k = 0; k < check_get_count(ROUNDS); k++) {
        check_along();
        check_list();
        check_put();
        check_index_put();
    }
    test_large();
    if (check_has_values()) {
        test_particular();
        test_refusals();
        test_far_refusals();
    }
    test_hostile();
    return check_finish("test_scatter");
}
