/* test_gather.c - gather, take_along_dim, take, index_select, embedding, index, nonzero against plain loops: every dtype, layout, axis
 * and index dtype, thread counts, out=, refusals, and an index that another thread changes. */
#include <math.h>
#include <stdatomic.h>

#include "index_case.h"
#include "sanitized.h"

#if MAY_RACE
#include <pthread.h>
#endif

#define ROUNDS 1500
#define MOST 4 /* dims */

static random_state random_numbers = {51};

static int pick(int n) { return (int)(random_next(&random_numbers) % (uint64_t)n); }

static int pick_shape(int least, int64_t *shape)
{
    const int ndim = least + pick(MOST - least);

    for (int d = 0; d < ndim; d++) shape[d] = pick(12) == 0 ? 0 : pick(9) == 0 ? 20 + pick(40) : 1 + pick(5);
    return ndim;
}

static layout pick_layout(int ndim)
{
    static const layout kinds[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED,
                                   LAYOUT_OFFSET,     LAYOUT_STEPPED,    LAYOUT_EXPANDED};
    return ndim == 0 ? LAYOUT_CONTIGUOUS : kinds[pick(6)];
}

static stria_tensor *pick_tensor(int ndim, const int64_t *shape)
{
    return tensor_random(&random_numbers, (stria_dtype)pick(STRIA_DTYPE_COUNT), pick_layout(ndim), ndim, shape, -9, 9);
}

static stria_tensor *pick_index(int ndim, const int64_t *shape, int64_t low, int64_t high)
{
    return index_random(&random_numbers, pick(2) ? STRIA_I64 : STRIA_I32, pick_layout(ndim), ndim, shape, low,
                        high > low ? high : low + 1);
}

/* ---------------------------------------------------------------- oracles */

static void check_gather(void)
{
    int64_t   shape[MOST], wanted[MOST], at[MOST] = {0}, from[MOST];
    const int ndim = pick_shape(0, shape), axis = ndim ? pick(ndim) : 0;
    bool      is_empty = false;

    for (int d = 0; d < ndim; d++) {
        wanted[d] = d == axis ? 1 + pick(7) : shape[d] - (shape[d] > 1 ? pick(2) : 0);
        is_empty |= wanted[d] == 0;
    }
    if (ndim && shape[axis] == 0) wanted[axis] = 0, is_empty = true;
    stria_tensor *x = pick_tensor(ndim, shape), *y = NULL;
    stria_tensor *index = pick_index(ndim, wanted, 0, ndim ? shape[axis] : 1);
    CHECK_STATUS(stria_gather(x, index, pick(2) && ndim ? axis - ndim : axis, &y, NULL), STRIA_OK);
    if (index_check_shape(y, stria_tensor_get_dtype(x), ndim, wanted, "gather") && !is_empty) do {
            memcpy(from, at, sizeof from);
            if (ndim) from[axis] = index_at(index, at);
            index_check_bits(x, from, y, at, "gather");
        } while (index_next(ndim, wanted, at));
    stria_tensor_release(x), stria_tensor_release(index), stria_tensor_release(y);
}

static void check_take_along_dim(void)
{
    int64_t   shape[MOST], own[MOST], wanted[MOST], at[MOST] = {0}, from[MOST], where[MOST];
    const int ndim = pick_shape(1, shape), axis = pick(ndim);
    bool      is_empty = false;

    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 0) shape[d] = 2;
        own[d] = d == axis ? pick(5) : pick(2) ? shape[d] : 1;
        wanted[d] = d == axis || shape[d] == 1 ? own[d] : shape[d];
        if (d != axis && own[d] != 1 && pick(4) == 0) wanted[d] = own[d], shape[d] = 1;
        if (d != axis && wanted[d] < shape[d]) wanted[d] = shape[d];
        is_empty |= wanted[d] == 0;
    }
    stria_tensor *x = pick_tensor(ndim, shape), *y = NULL, *index = pick_index(ndim, own, 0, shape[axis]);
    CHECK_STATUS(stria_take_along_dim(x, index, axis, &y, NULL), STRIA_OK);
    if (index_check_shape(y, stria_tensor_get_dtype(x), ndim, wanted, "take_along_dim") && !is_empty) do {
            for (int d = 0; d < ndim; d++) where[d] = own[d] == 1 ? 0 : at[d], from[d] = shape[d] == 1 ? 0 : at[d];
            from[axis] = index_at(index, where);
            index_check_bits(x, from, y, at, "take_along_dim");
        } while (index_next(ndim, wanted, at));
    stria_tensor_release(x), stria_tensor_release(index), stria_tensor_release(y);
}

/* Position of element k in row-major order. */
static void unravel(int ndim, const int64_t *shape, int64_t k, int64_t *at)
{
    for (int d = ndim - 1; d >= 0; d--) {
        at[d] = k % shape[d];
        k /= shape[d];
    }
}

static void check_take(bool is_along)
{
    int64_t       shape[MOST], own[MOST], at[MOST] = {0}, from[MOST], flat[1];
    const int     ndim = pick_shape(0, shape), own_ndim = pick_shape(0, own);
    stria_tensor *x = pick_tensor(ndim, shape), *y = NULL;
    const int64_t n = stria_tensor_get_numel(x);
    int64_t       k = 0;
    if (n == 0) own[0] = 0;
    stria_tensor *index = pick_index(n == 0 ? 1 : own_ndim, own, is_along ? 0 : -n, n);

    CHECK_STATUS(is_along ? stria_take_along_dim(x, index, STRIA_AXIS_NONE, &y, NULL) : stria_take(x, index, &y, NULL),
                 STRIA_OK);
    flat[0] = stria_tensor_get_numel(index);
    const int      y_ndim = is_along ? 1 : stria_tensor_get_ndim(index);
    const int64_t *y_shape = is_along ? flat : stria_tensor_get_shape(index);
    if (index_check_shape(y, stria_tensor_get_dtype(x), y_ndim, y_shape, "take") && flat[0] > 0) do {
            const int64_t i = index_at(index, at);
            unravel(ndim, shape, i < 0 ? i + n : i, from);
            index_check_bits(x, from, y, is_along ? &k : at, "take");
            k++;
        } while (index_next(stria_tensor_get_ndim(index), stria_tensor_get_shape(index), at));
    stria_tensor_release(x), stria_tensor_release(index), stria_tensor_release(y);
}

static void check_index_select(void)
{
    int64_t       shape[MOST], wanted[MOST], at[MOST] = {0}, from[MOST];
    const int     ndim = pick_shape(0, shape), axis = ndim ? pick(ndim) : 0, own_ndim = ndim ? pick(2) : 0;
    const int64_t n = own_ndim == 0 ? 1 : pick(30);

    if (ndim && shape[axis] == 0) shape[axis] = 3;
    memcpy(wanted, shape, sizeof wanted);
    if (ndim) wanted[axis] = n;
    stria_tensor *x = pick_tensor(ndim, shape), *y = NULL;
    stria_tensor *index = pick_index(own_ndim, &n, 0, ndim ? shape[axis] : 1);
    CHECK_STATUS(stria_index_select(x, index, axis, &y, NULL), STRIA_OK);
    if (index_check_shape(y, stria_tensor_get_dtype(x), ndim, wanted, "index_select") && stria_tensor_get_numel(y) > 0)
        do {
            memcpy(from, at, sizeof from);
            if (ndim) from[axis] = index_at(index, &at[axis]);
            index_check_bits(x, from, y, at, "index_select");
        } while (index_next(ndim, wanted, at));
    stria_tensor_release(x), stria_tensor_release(index), stria_tensor_release(y);
}

static void check_embedding(void)
{
    int64_t       own[MOST + 1], at[MOST + 1] = {0}, from[2], shape[] = {1 + pick(9), pick(70)};
    const int     ndim = pick_shape(0, own);
    stria_tensor *x = pick_tensor(2, shape), *y = NULL, *index = pick_index(ndim, own, 0, shape[0]);

    own[ndim] = shape[1];
    CHECK_STATUS(stria_embedding(x, index, STRIA_INT_NONE, &y, NULL), STRIA_OK);
    if (index_check_shape(y, stria_tensor_get_dtype(x), ndim + 1, own, "embedding") && stria_tensor_get_numel(y) > 0)
        do {
            from[0] = index_at(index, at);
            from[1] = at[ndim];
            index_check_bits(x, from, y, at, "embedding");
        } while (index_next(ndim + 1, own, at));
    stria_tensor_release(x), stria_tensor_release(index), stria_tensor_release(y);
}

/* Rows that are met and longer than max_norm become as long as that, others keep their bits. */
static void check_renorm(void)
{
    static const stria_dtype floats[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16};
    static const double      orders[] = {2, 1, INFINITY, 0.5}, errors[] = {1e-5, 1e-6, 4e-3, 3e-2};
    const int                which = pick(4), ndim = pick(3);
    const int64_t            shape[] = {1 + pick(9), 1 + pick(9)}, own[] = {1 + pick(3), 1 + pick(3)};
    const double             p = orders[pick(4)], most = 1 + pick(6);
    stria_tensor *x = tensor_random(&random_numbers, floats[which], (layout)pick(2), 2, shape, 0, 1), *y = NULL;
    stria_tensor *index = pick_index(ndim, own, 0, shape[0]), *copy = NULL;
    int64_t       met = 0;

    tensor_fill_random(&random_numbers, x, -3, 3);
    CHECK_STATUS(stria_tensor_copy(x, floats[which], &copy, NULL), STRIA_OK);
    for (int64_t at[2] = {0}, more = 1; more; more = index_next(ndim, own, at))
        met |= INT64_C(1) << index_at(index, at);
    CHECK_STATUS(stria_embedding_renorm(x, index, most, p, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_embedding_renorm_out(copy, index, most, p, copy, NULL), STRIA_OK);
    for (int64_t at[2] = {0}; at[0] < shape[0]; at[0]++) {
        double norm = 0;
        for (at[1] = 0; at[1] < shape[1]; at[1]++) {
            const double size = fabs(value_get(floats[which], tensor_at(x, at)).real);
            norm = isinf(p) ? fmax(norm, size) : norm + pow(size, p);
        }
        if (!isinf(p)) norm = pow(norm, 1 / p);
        const double factor = (met >> at[0] & 1) && norm > most ? most / (norm + 1e-7) : 1;
        for (at[1] = 0; at[1] < shape[1]; at[1]++) {
            const double old = value_get(floats[which], tensor_at(x, at)).real, wanted = old * factor;
            const double got = value_get(floats[which], tensor_at(y, at)).real;
            CHECK(factor == 1 ? got == old : fabs(got - wanted) <= errors[which] * fabs(wanted),
                  "embedding_renorm %s p %g: %g instead of %g", stria_dtype_get_name(floats[which]), p, got, wanted);
            CHECK(value_get(floats[which], tensor_at(copy, at)).real == got, "embedding_renorm in place");
        }
    }
    stria_tensor_release(x), stria_tensor_release(index), stria_tensor_release(y), stria_tensor_release(copy);
}

/* Integers alone, which broadcast; masks are checked below. */
static void check_index(void)
{
    int64_t             shape[MOST], common[2] = {1 + pick(4), 1 + pick(4)}, wanted[2 * MOST], at[2 * MOST] = {0};
    const int           ndim = pick_shape(1, shape), n = 1 + pick(ndim), own_ndim = pick(3);
    stria_tensor       *index[MOST] = {NULL}, *y = NULL;
    int64_t             from[MOST], own[2];
    const stria_tensor *list[MOST];

    for (int k = 0; k < n; k++) {
        if (shape[k] == 0) shape[k] = 2;
        for (int d = 0; d < own_ndim; d++) own[d] = k > 0 && pick(3) == 0 ? 1 : common[d];
        const int less = k > 0 && own_ndim > 0 ? pick(2) : 0;
        list[k] = index[k] = pick_index(own_ndim - less, own + less, -shape[k], shape[k]);
    }
    memcpy(wanted, common, sizeof common);
    for (int d = n; d < ndim; d++) wanted[own_ndim + d - n] = shape[d];
    const int     y_ndim = own_ndim + ndim - n;
    stria_tensor *x = pick_tensor(ndim, shape);
    CHECK_STATUS(stria_index(x, list, n, &y, NULL), STRIA_OK);
    if (index_check_shape(y, stria_tensor_get_dtype(x), y_ndim, wanted, "index") && stria_tensor_get_numel(y) > 0) do {
            for (int d = 0; d < ndim; d++) {
                if (d >= n) {
                    from[d] = at[own_ndim + d - n];
                    continue;
                }
                const int64_t i =
                    (int64_t)value_get(stria_tensor_get_dtype(index[d]), tensor_at_broadcast(index[d], own_ndim, at))
                        .whole;
                from[d] = i < 0 ? i + shape[d] : i;
            }
            index_check_bits(x, from, y, at, "index");
        } while (index_next(y_ndim, wanted, at));
    for (int k = 0; k < n; k++) stria_tensor_release(index[k]);
    stria_tensor_release(x), stria_tensor_release(y);
}

/* A mask alone takes what its positions take. */
static void check_nonzero(void)
{
    int64_t       shape[MOST], at[MOST] = {0}, row = 0;
    const int     ndim = pick_shape(0, shape);
    stria_tensor *x = pick_tensor(ndim, shape), *y = NULL, *same = NULL, *taken = NULL, *mask = NULL;

    for (size_t k = 0; k < 1 && stria_tensor_get_numel(x) > 0 && pick(2); k++) do { /* more zeros */
            if (pick(2)) value_set(stria_tensor_get_dtype(x), value_from_whole(0), tensor_at(x, at));
        } while (index_next(ndim, shape, at));
    memset(at, 0, sizeof at);
    CHECK_STATUS(stria_nonzero(x, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_argwhere(x, &same, NULL), STRIA_OK);
    if (stria_tensor_get_numel(x) > 0) do {
            const value v = value_get(stria_tensor_get_dtype(x), tensor_at(x, at));
            if (!(v.is_float ? v.real != 0 || v.imag != 0 : v.whole != 0)) continue;
            for (int d = 0; d < ndim; d++) {
                const int64_t where[] = {row, d};
                CHECK(row < stria_tensor_get_shape(y)[0] && index_at(y, where) == at[d], "nonzero: row %lld",
                      (long long)row);
            }
            row++;
        } while (index_next(ndim, shape, at));
    const int64_t wanted[] = {row, ndim};
    index_check_shape(y, STRIA_I64, 2, wanted, "nonzero");
    index_check_shape(same, STRIA_I64, 2, wanted, "argwhere");
    CHECK_STATUS(stria_tensor_copy(x, STRIA_BOOL, &mask, NULL), STRIA_OK);
    if (ndim > 0) {
        const stria_tensor *list[] = {mask};
        CHECK_STATUS(stria_index(x, list, 1, &taken, NULL), STRIA_OK);
        for (int64_t k = 0; index_check_shape(taken, stria_tensor_get_dtype(x), 1, &row, "masked") && k < row; k++) {
            for (int d = 0; d < ndim; d++) at[d] = index_at(y, (const int64_t[]){k, d});
            index_check_bits(x, at, taken, &k, "masked");
        }
    }
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(same);
    stria_tensor_release(taken), stria_tensor_release(mask);
}

/* ---------------------------------------------------------------- large ones, over threads */

static bool same_bits(const stria_tensor *a, const stria_tensor *b)
{
    return memcmp(stria_tensor_get_const_data(a), stria_tensor_get_const_data(b),
                  (size_t)stria_tensor_get_numel(a) * stria_dtype_get_size(stria_tensor_get_dtype(a))) == 0;
}

static void test_large(void)
{
    static const int64_t shape[] = {300, 700}, flat[] = {210000};
    stria_tensor        *x = tensor_random(&random_numbers, STRIA_F32, LAYOUT_CONTIGUOUS, 2, shape, -9, 9);
    stria_tensor        *index = index_random(&random_numbers, STRIA_I64, LAYOUT_CONTIGUOUS, 2, shape, 0, 300);
    stria_tensor        *list = index_random(&random_numbers, STRIA_I32, LAYOUT_CONTIGUOUS, 1, flat, -210000, 210000);
    stria_tensor        *first[4] = {NULL}, *turned = NULL;

    CHECK_STATUS(stria_transpose(x, 0, 1, &turned, NULL), STRIA_OK);
    for (int threads = 1; threads <= 7; threads += 3) {
        stria_tensor *y[4] = {NULL};
        CHECK_STATUS(stria_threads_set(threads, NULL), STRIA_OK);
        CHECK_STATUS(stria_gather(x, index, 0, &y[0], NULL), STRIA_OK);
        CHECK_STATUS(stria_take(turned, list, &y[1], NULL), STRIA_OK);
        CHECK_STATUS(stria_nonzero(turned, &y[2], NULL), STRIA_OK);
        CHECK_STATUS(stria_index(x, (const stria_tensor *[]){index}, 1, &y[3], NULL), STRIA_OK);
        for (int k = 0; k < 4; k++) {
            if (threads > 1) CHECK(same_bits(first[k], y[k]), "%d: %d threads change the bits", k, threads);
            if (threads > 1)
                stria_tensor_release(y[k]);
            else
                first[k] = y[k];
        }
    }
    for (int64_t k = 0; k < 210000; k += 97) {
        const int64_t at[] = {k / 700, k % 700}, from[] = {index_at(index, at), k % 700};
        index_check_bits(x, from, first[0], at, "large gather");
        const int64_t i = index_at(list, &k), whole = i < 0 ? i + 210000 : i, there[] = {whole / 300, whole % 300};
        index_check_bits(turned, there, first[1], &k, "large take");
    }
    for (int k = 0; k < 4; k++) stria_tensor_release(first[k]);
    stria_tensor_release(x), stria_tensor_release(index), stria_tensor_release(list), stria_tensor_release(turned);
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

/* ---------------------------------------------------------------- refusals */

static stria_tensor *new_index(int64_t a, int64_t b, int64_t c)
{
    static const int64_t n = 3;
    stria_tensor        *x = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_I64, 1, &n, &x, NULL), STRIA_OK);
    memcpy(stria_tensor_get_data(x), (int64_t[]){a, b, c}, 24);
    return x;
}

static void test_refusals(void)
{
    static const int64_t five = 5, three = 3, sizes[] = {2, 5};
    stria_tensor        *x = NULL, *m = NULL, *y = NULL, *empty = NULL, *meta = NULL, *mask = NULL, *given = NULL;
    stria_tensor        *high = new_index(1, 5, 9), *low = new_index(0, 4, -1), *under = new_index(-5, -6, 0);
    stria_tensor        *near = new_index(0, 1, 1);
    static const int64_t none = 0;

    CHECK_STATUS(stria_full(&five, 1, (stria_scalar){.i = 1}, STRIA_F32, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(sizes, 2, (stria_scalar){.i = 1}, STRIA_F32, STRIA_CPU, &m, NULL), STRIA_OK);
    CHECK_STATUS(
        stria_full(&three, 1, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 7}, STRIA_F32, STRIA_CPU, &given, NULL),
        STRIA_OK);
    CHECK_STATUS(stria_full(&three, 1, (stria_scalar){.i = 1}, STRIA_BOOL, STRIA_CPU, &mask, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, &none, &empty, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(&three, 1, STRIA_I64, STRIA_META, &meta, NULL), STRIA_OK);
    const stria_tensor *const lists[][2] = {{high, low}, {low, under}, {mask, low}, {x, low}};

    REFUSED(stria_gather(x, high, 0, &y, &err), STRIA_ERR_ARGUMENT, "gather", "index",
            "index[1] is 5, out of range for axis 0 of size 5");
    REFUSED(stria_gather_out(x, low, 0, given, &err), STRIA_ERR_ARGUMENT, "gather", "index", "index[2] is -1");
    CHECK(*(const float *)stria_tensor_get_const_data(given) == 7, "a refused gather has written");
    REFUSED(stria_gather(x, x, 0, &y, &err), STRIA_ERR_DTYPE, "gather", "index",
            "index is f32, but must be i32 or i64");
    REFUSED(stria_gather(x, low, 1, &y, &err), STRIA_ERR_AXIS, "gather", "dim", "axis 1 is out of range");
    REFUSED(stria_gather(m, low, 1, &y, &err), STRIA_ERR_SHAPE, "gather", "index", "index has shape [3]");
    REFUSED(stria_gather(empty, low, 0, &y, &err), STRIA_ERR_ARGUMENT, "gather", "index", "axis 0 has size 0");
    REFUSED(stria_index_select(x, high, 0, &y, &err), STRIA_ERR_ARGUMENT, "index_select", "index", "index[1] is 5");
    REFUSED(stria_index_select(x, low, 0, &y, &err), STRIA_ERR_ARGUMENT, "index_select", "index", "index[2] is -1");
    REFUSED(stria_index_select(m, m, 0, &y, &err), STRIA_ERR_DTYPE, "index_select", "index", "index is f32");
    REFUSED(stria_take(x, under, &y, &err), STRIA_ERR_ARGUMENT, "take", "index", "index[1] is -6, out of range for x");
    REFUSED(stria_take(empty, low, &y, &err), STRIA_ERR_ARGUMENT, "take", "index", "x has size 0");
    REFUSED(stria_take_along_dim(x, low, 0, &y, &err), STRIA_ERR_ARGUMENT, "take_along_dim", "indices",
            "indices[2] is -1");
    REFUSED(stria_take_along_dim(m, low, 0, &y, &err), STRIA_ERR_SHAPE, "take_along_dim", "indices", "as many dims");
    REFUSED(stria_embedding(m, high, STRIA_INT_NONE, &y, &err), STRIA_ERR_ARGUMENT, "embedding", "indices",
            "indices[1] is 5, out of range for axis 0 of weight of size 2");
    REFUSED(stria_embedding_renorm_out(m, high, 1, 2, m, &err), STRIA_ERR_ARGUMENT, "embedding_renorm", "indices",
            "indices[1] is 5, out of range for axis 0 of weight of size 2");
    REFUSED(stria_embedding_renorm(x, low, 1, 2, &y, &err), STRIA_ERR_SHAPE, "embedding_renorm", "weight", "two dims");
    REFUSED(stria_embedding_renorm(low, low, 1, 2, &y, &err), STRIA_ERR_DTYPE, "embedding_renorm", "weight",
            "must be a real float");
    REFUSED(stria_embedding_renorm(m, near, 1, NAN, &y, &err), STRIA_ERR_ARGUMENT, "embedding_renorm", "norm_type",
            "NaN");
    REFUSED(stria_embedding(x, low, STRIA_INT_NONE, &y, &err), STRIA_ERR_SHAPE, "embedding", "weight", "two dims");
    REFUSED(stria_index(x, lists[0], 1, &y, &err), STRIA_ERR_ARGUMENT, "index", "indices[0]", "indices[0][1] is 5");
    REFUSED(stria_index(m, &lists[0][1], 1, &y, &err), STRIA_ERR_ARGUMENT, "index", "indices[0]",
            "indices[0][1] is 4, out of range for axis 0 of size 2");
    REFUSED(stria_index(m, (const stria_tensor *[]){mask, low}, 2, &y, &err), STRIA_ERR_SHAPE, "index", "indices[0]",
            "mask of shape [3]");
    REFUSED(stria_index(x, lists[1], 2, &y, &err), STRIA_ERR_ARGUMENT, "index", "indices", "more than the 1 dims");
    REFUSED(stria_index(x, lists[3], 1, &y, &err), STRIA_ERR_DTYPE, "index", "indices[0]", "i32, i64 or bool");
    REFUSED(stria_index(x, NULL, 0, &y, &err), STRIA_ERR_ARGUMENT, "index", "indices", "indices is empty");
    REFUSED(stria_nonzero(meta, &y, &err), STRIA_ERR_DEVICE, "nonzero", "x", "depends on elements");
    REFUSED(stria_gather(x, meta, 0, &y, &err), STRIA_ERR_DEVICE, "gather", "index", "meta");
    REFUSED(stria_gather(NULL, low, 0, &y, &err), STRIA_ERR_ARGUMENT, "gather", "x", "x is NULL");
    CHECK(y == NULL, "an output of a refused call");
    stria_tensor_release(x), stria_tensor_release(m), stria_tensor_release(given), stria_tensor_release(mask);
    stria_tensor_release(empty), stria_tensor_release(meta), stria_tensor_release(high), stria_tensor_release(low);
    stria_tensor_release(under), stria_tensor_release(near);
}

/* Into strided tensors, other dtypes, and over the inputs. */
static void test_out(void)
{
    static const int64_t sizes[] = {6, 5}, turned[] = {1, 6};
    stria_tensor        *x = tensor_random(&random_numbers, STRIA_F32, LAYOUT_CONTIGUOUS, 2, sizes, -9, 9), *y = NULL;
    stria_tensor *index = index_random(&random_numbers, STRIA_I64, LAYOUT_CONTIGUOUS, 2, sizes, 0, 6), *kept = NULL;
    stria_tensor *wide = NULL;

    CHECK_STATUS(stria_gather(x, index, 0, &kept, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_strided(STRIA_F32, 2, sizes, turned, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F64, 2, sizes, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_gather_out(x, index, 0, y, NULL), STRIA_OK);
    CHECK_STATUS(stria_gather_out(x, index, 0, wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_gather_out(x, index, 0, x, NULL), STRIA_OK);
    for (int64_t k = 0; k < 30; k++) {
        const int64_t at[] = {k / 5, k % 5};
        index_check_bits(kept, at, y, at, "strided out");
        index_check_bits(kept, at, x, at, "out is x");
        const float  a = *(const float *)(const void *)tensor_at(kept, at);
        const double b = *(const double *)(const void *)tensor_at(wide, at);
        CHECK((double)a == b || (a != a && b != b), "out of f64");
    }
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(index), stria_tensor_release(kept);
    stria_tensor_release(wide);
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

/* Reads stay in guarded memory, whatever the index becomes. */
static void test_hostile(void)
{
    const int64_t n = 4096, size = 16;
    guarded       memory = guarded_new(16 * 4, true);
    stria_tensor *x = NULL, *index = NULL, *given = NULL;
    pthread_t     thread;

    memset(memory.data, 0, 16 * 4);
    CHECK_STATUS(stria_tensor_new_external(STRIA_F32, 1, &size, NULL, memory.data, NULL, NULL, &x, NULL), STRIA_OK);
    CHECK_STATUS(
        stria_full(&n, 1, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 3}, STRIA_I64, STRIA_CPU, &index, NULL),
        STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, &n, &given, NULL), STRIA_OK);
    atomic_store(&hostile_ends, false);
    if (pthread_create(&thread, NULL, change, stria_tensor_get_data(index)) == 0) {
        for (int k = 0; k < 20000; k++) {
            stria_tensor *y = NULL;
            stria_status  status = stria_gather(x, index, 0, &y, NULL);
            stria_tensor_release(y);
            CHECK(status == STRIA_OK || status == STRIA_ERR_ARGUMENT, "status %d", (int)status);
            status = stria_index_select_out(x, index, 0, given, NULL);
            CHECK(status == STRIA_OK || status == STRIA_ERR_ARGUMENT, "status %d", (int)status);
        }
        atomic_store(&hostile_ends, true);
        pthread_join(thread, NULL);
    }
    stria_tensor_release(x), stria_tensor_release(index), stria_tensor_release(given);
    guarded_release(memory);
}
#else
static void test_hostile(void) {}
#endif

SUITE(test_gather)
{
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    for (int k = 0; k < check_get_count(ROUNDS); k++) {
        check_gather();
        check_take_along_dim();
        check_take(k % 2);
        check_index_select();
        check_embedding();
        check_renorm();
        check_index();
        check_nonzero();
    }
    test_large();
    if (check_has_values()) {
        test_out();
        test_refusals();
    }
    test_hostile();
    return check_finish("test_gather");
}
