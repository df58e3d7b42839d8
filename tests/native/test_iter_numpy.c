/* test_iter_numpy.c - what the iterator has from NumPy's: op_axes, multi-index, external loop, ranges that can be resumed,
 * copy-if-overlap; against plain nested loops. */
#include <string.h>

#include "iter.h"
#include "oracle.h"

static stria_tensor *new_counting(stria_dtype dtype, int ndim, const int64_t *shape)
{
    stria_tensor *x = NULL;
    CHECK_STATUS(stria_tensor_new(dtype, ndim, shape, &x, NULL), STRIA_OK);
    char *data = stria_tensor_get_data(x);
    for (int64_t k = 0; k < stria_tensor_get_numel(x); k++)
        value_set(dtype, value_from_whole(k % 120), data + (size_t)k * stria_dtype_get_size(dtype));
    return x;
}

static stria_tensor *new_zeros(stria_dtype dtype, int ndim, const int64_t *shape)
{
    stria_tensor *x = NULL;
    CHECK_STATUS(stria_full(shape, ndim, (stria_scalar){.kind = STRIA_SCALAR_INT}, dtype, STRIA_CPU, &x, NULL),
                 STRIA_OK);
    return x;
}

/* out = a * b, or in a reduction out += a * b, all i32. */
static void multiply(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    const bool adds = *(const bool *)context;
    for (int64_t j = 0; j < n1; j++) {
        for (int64_t i = 0; i < n0; i++) {
            int32_t *out = (int32_t *)(data[0] + i * strides[0] + j * strides[3]);
            int32_t  a = *(int32_t *)(data[1] + i * strides[1] + j * strides[4]);
            int32_t  b = *(int32_t *)(data[2] + i * strides[2] + j * strides[5]);
            *out = (adds ? *out : 0) + a * b;
        }
    }
}

static int32_t get_i32(const stria_tensor *x, const int64_t *index) { return *(const int32_t *)tensor_at(x, index); }

/* ---------------------------------------------------------------- op_axes */

static void test_outer_product(void)
{
    const int64_t     shape[2] = {5, 7};
    const int         rows[2] = {0, -1}, columns[2] = {-1, 0}, swapped[2] = {1, 0};
    stria_tensor     *a = new_counting(STRIA_I32, 1, shape), *b = new_counting(STRIA_I32, 1, shape + 1), *y;
    stria_iter_config config;
    stria_iter        it;
    bool              adds = false;
    int64_t           index[2], wrong = 0;

    y = new_zeros(STRIA_I32, 2, (const int64_t[2]){7, 5});
    stria_iter_config_init(&config);
    stria_iter_config_add_output(&config, y);
    stria_iter_config_set_op_axes(&config, 0, swapped, 2);
    stria_iter_config_add_input(&config, a);
    stria_iter_config_set_op_axes(&config, 1, rows, 2);
    stria_iter_config_add_input(&config, b);
    stria_iter_config_set_op_axes(&config, 2, columns, 2);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    stria_iter_for_each(&it, multiply, &adds, 0);
    stria_tensor *taken = stria_iter_take_output(&it, 0);
    CHECK(taken == y, "the output taken is the one given");
    stria_tensor_release(taken);
    stria_iter_release(&it);
    for (index[0] = 0; index[0] < 7; index[0]++)
        for (index[1] = 0; index[1] < 5; index[1]++)
            wrong += get_i32(y, index) != get_i32(a, index + 1) * get_i32(b, index);
    CHECK(wrong == 0, "outer product: %lld wrong", (long long)wrong);
    stria_tensor_release(a);
    stria_tensor_release(b);
    stria_tensor_release(y);
}

/* out[i,k] = sum over j of a[i,j] * b[j,k], dims in any order */
static void test_product(const int order[3])
{
    const int64_t     sizes[3] = {4, 6, 5};
    const int         of_y[3] = {0, -1, 1}, of_a[3] = {0, 1, -1}, of_b[3] = {-1, 0, 1};
    int               axes[3][3];
    stria_tensor     *a = new_counting(STRIA_I32, 2, sizes), *b = new_counting(STRIA_I32, 2, sizes + 1);
    stria_tensor     *y = new_zeros(STRIA_I32, 2, (const int64_t[2]){4, 5});
    stria_iter_config config;
    stria_iter        it;
    bool              adds = true;
    int64_t           wrong = 0;

    for (int d = 0; d < 3; d++) {
        axes[0][d] = of_y[order[d]];
        axes[1][d] = of_a[order[d]];
        axes[2][d] = of_b[order[d]];
    }
    stria_iter_config_init(&config);
    stria_iter_config_set_is_reduction(&config, true);
    stria_iter_config_add_output(&config, y);
    stria_iter_config_add_input(&config, a);
    stria_iter_config_add_input(&config, b);
    for (int k = 0; k < 3; k++) stria_iter_config_set_op_axes(&config, k, axes[k], 3);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    CHECK(stria_iter_get_numel(&it) == 120, "%lld", (long long)stria_iter_get_numel(&it));
    stria_iter_run_range(&it, multiply, &adds, 0, 120);
    stria_iter_release(&it);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t k = 0; k < 5; k++) {
            int32_t sum = 0;
            for (int64_t j = 0; j < 6; j++)
                sum += get_i32(a, (const int64_t[2]){i, j}) * get_i32(b, (const int64_t[2]){j, k});
            wrong += get_i32(y, (const int64_t[2]){i, k}) != sum;
        }
    CHECK(wrong == 0, "product: %lld wrong", (long long)wrong);
    stria_tensor_release(a);
    stria_tensor_release(b);
    stria_tensor_release(y);
}

/* A converting output through op_axes: the temporary's elements reach the caller's tensor. */
static void test_converting_output(void)
{
    const int64_t     shape[2] = {3, 4};
    const int         swapped[2] = {1, 0}, same[2] = {0, 1};
    stria_tensor     *a = new_counting(STRIA_I32, 2, shape), *y = new_zeros(STRIA_F64, 2, (const int64_t[2]){4, 3});
    stria_iter_config config;
    stria_iter        it;
    bool              adds = false;
    int64_t           wrong = 0;

    stria_iter_config_init(&config);
    stria_iter_config_set_binary_op(&config, y, a, a);
    stria_iter_config_set_op_axes(&config, 0, swapped, 2);
    stria_iter_config_set_op_axes(&config, 1, same, 2);
    stria_iter_config_set_op_axes(&config, 2, same, 2);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    stria_iter_for_each(&it, multiply, &adds, 0);
    CHECK_STATUS(stria_iter_cast_outputs(&it, NULL), STRIA_OK);
    stria_iter_release(&it);
    for (int64_t i = 0; i < 12; i++)
        wrong += *(double *)tensor_at(y, (const int64_t[2]){i % 4, i / 4}) != (double)(i * i);
    CHECK(wrong == 0, "converting output: %lld wrong", (long long)wrong);
    stria_tensor_release(a);
    stria_tensor_release(y);
}

static void check_axes_refused(int operand, const int *axes, int n_axes, stria_status expected, const char *words)
{
    const int64_t     shape[2] = {2, 3};
    stria_tensor     *a = new_counting(STRIA_I32, 2, shape);
    stria_iter_config config;
    stria_iter        it;
    stria_error       err;

    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, "mine");
    stria_iter_config_add_output(&config, NULL);
    stria_iter_config_add_input(&config, a);
    stria_iter_config_set_op_axes(&config, operand, axes, n_axes);
    stria_iter_config_set_op_axes(&config, 1, (const int[2]){0, 1}, 2);
    CHECK_STATUS(stria_iter_build(&it, &config, &err), expected);
    CHECK(strstr(err.message, words) != NULL && strcmp(err.op, "mine") == 0, "%s: %s", err.op, err.message);
    stria_tensor_release(a);
}

static void test_refused_axes(void)
{
    check_axes_refused(1, (const int[2]){0, 0}, 2, STRIA_ERR_AXIS, "twice");
    check_axes_refused(1, (const int[2]){0, 2}, 2, STRIA_ERR_AXIS, "does not have");
    check_axes_refused(1, (const int[2]){0, -2}, 2, STRIA_ERR_AXIS, "does not have");
    check_axes_refused(1, (const int[2]){0, -1}, 2, STRIA_ERR_AXIS, "leave out");
    check_axes_refused(1, (const int[3]){0, 1, -1}, 3, STRIA_ERR_AXIS, "differ in length");
    check_axes_refused(0, (const int[2]){0, 1}, 2, STRIA_ERR_ARGUMENT, "to be allocated");
    check_axes_refused(5, (const int[2]){0, 1}, 2, STRIA_ERR_ARGUMENT, "not added");
}

/* ---------------------------------------------------------------- cursors */

/* An iterator over two random views that broadcast together. */
typedef struct pair {
    stria_tensor *x[2];
    int           ndim;
    int64_t       shape[4];
    stria_iter    it;
} pair;

static void pair_init(pair *p, random_state *random, bool multi_index)
{
    stria_iter_config config;

    p->ndim = (int)(random_next(random) % 5);
    for (int d = 0; d < p->ndim; d++) p->shape[d] = (int64_t)(random_next(random) % 5);
    for (int k = 0; k < 2; k++)
        p->x[k] = tensor_random(random, STRIA_I32, (layout)(random_next(random) % (k ? LAYOUT_SINGLE : LAYOUT_OFFSET)),
                                p->ndim, p->shape, -9, 9);
    stria_iter_config_init(&config);
    stria_iter_config_set_multi_index(&config, multi_index);
    stria_iter_config_set_enforce_linear_iteration(&config, random_next(random) % 4 == 0);
    for (int k = 0; k < 2; k++) stria_iter_config_add_input(&config, p->x[k]);
    CHECK_STATUS(stria_iter_build(&p->it, &config, NULL), STRIA_OK);
}

static void pair_release(pair *p)
{
    stria_iter_release(&p->it);
    stria_tensor_release(p->x[0]);
    stria_tensor_release(p->x[1]);
}

/* Addresses of operand 0 and 1, in the order in which a loop meets them. */
typedef struct trace {
    char   *at[2][700];
    int64_t count;
} trace;

static void record(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    trace *t = context;
    for (int64_t j = 0; j < n1; j++)
        for (int64_t i = 0; i < n0 && t->count < 700; i++, t->count++)
            for (int k = 0; k < 2; k++) t->at[k][t->count] = data[k] + i * strides[k] + j * strides[2 + k];
}

static void follow(stria_iter_cursor *c, const trace *expected, uint64_t seed)
{
    int64_t       wrong = 0, met = 0;
    const int64_t stop = c->end - c->position;

    while (c->count > 0) {
        for (int64_t i = 0; i < c->count; i++, met++)
            for (int k = 0; k < 2; k++)
                wrong += c->data[k] + i * stria_iter_get_strides(c->it, 0)[k] != expected->at[k][c->position + i];
        CHECK(c->external_loop || c->count == 1, "one element at a time");
        stria_iter_cursor_next(c);
    }
    CHECK(wrong == 0 && met == stop && c->position == c->end, "cursor, seed %llu: %lld wrong, met %lld of %lld",
          (unsigned long long)seed, (long long)wrong, (long long)met, (long long)stop);
    stria_iter_cursor_next(c);
    CHECK(c->count == 0 && c->position == c->end, "stays at the end");
}

static void test_ranges(uint64_t seed)
{
    random_state      random = {seed};
    pair              p;
    trace             expected = {.count = 0};
    stria_iter_cursor c;

    pair_init(&p, &random, seed % 2);
    const int64_t numel = stria_iter_get_numel(&p.it);
    stria_iter_run_range(&p.it, record, &expected, 0, numel);
    const int64_t begin = (int64_t)(random_next(&random) % (uint64_t)(numel + 1));
    const int64_t end = begin + (int64_t)(random_next(&random) % (uint64_t)(numel - begin + 1));
    CHECK_STATUS(stria_iter_cursor_init(&c, &p.it, begin, end, seed % 3 != 0, NULL), STRIA_OK);
    CHECK(c.position == begin, "starts at the beginning");
    follow(&c, &expected, seed);
    const int64_t middle = begin + (end - begin) / 2;
    CHECK_STATUS(stria_iter_cursor_set(&c, middle, NULL), STRIA_OK);
    follow(&c, &expected, seed);
    CHECK_STATUS(stria_iter_cursor_set(&c, begin, NULL), STRIA_OK);
    follow(&c, &expected, seed);
    CHECK_STATUS(stria_iter_cursor_set(&c, end + 1, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_iter_cursor_set(&c, begin - 1, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_iter_cursor_init(&c, &p.it, begin, numel + 1, true, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_iter_cursor_init(&c, &p.it, end + 1, end, true, NULL), STRIA_ERR_ARGUMENT);
    pair_release(&p);
}

static void test_index(uint64_t seed)
{
    random_state      random = {seed};
    pair              p;
    stria_iter_cursor c;
    int64_t           index[STRIA_MAX_DIMS], wrong = 0;
    stria_error       err;

    pair_init(&p, &random, true);
    CHECK(stria_iter_get_ndim(&p.it) == p.ndim, "no dim is merged");
    int narrowed = -1;
    if (p.ndim > 0 && stria_iter_get_shape(&p.it)[0] > 2) stria_iter_narrow(&p.it, narrowed = 0, 1, 2);
    CHECK_STATUS(stria_iter_cursor_init(&c, &p.it, 0, stria_iter_get_numel(&p.it), false, NULL), STRIA_OK);
    for (; c.count > 0; stria_iter_cursor_next(&c)) {
        CHECK_STATUS(stria_iter_cursor_get_index(&c, index, NULL), STRIA_OK);
        for (int k = 0; k < 2; k++) wrong += tensor_at_broadcast(p.x[k], p.ndim, index) != c.data[k];
    }
    CHECK(wrong == 0, "index, seed %llu: %lld wrong", (unsigned long long)seed, (long long)wrong);
    pair_release(&p);
    pair_init(&p, &random, false);
    CHECK_STATUS(stria_iter_cursor_init(&c, &p.it, 0, 0, false, NULL), STRIA_OK);
    CHECK_STATUS(stria_iter_cursor_get_index(&c, index, &err), STRIA_ERR_CONFIG);
    CHECK(strstr(err.message, "multi_index") != NULL, "%s", err.message);
    pair_release(&p);
}

/* ---------------------------------------------------------------- copy-if-overlap */

/* Two views of one tensor as output and input: the result is that of a copied input. */
static void test_overlap(uint64_t seed)
{
    random_state      random = {seed};
    const int64_t     shape[2] = {8, 8};
    stria_tensor     *x = new_counting(STRIA_I32, 2, shape), *views[2] = {NULL, NULL}, *copy = NULL;
    stria_iter_config config;
    stria_iter        it;
    bool              adds = false;
    int64_t           index[2] = {0, 0}, wrong = 0;

    for (int k = 0; k < 2; k++) {
        stria_tensor *v = NULL, *w = NULL;
        const int64_t row = (int64_t)(random_next(&random) % 5), column = (int64_t)(random_next(&random) % 5);
        const int     axis = 1;
        CHECK_STATUS(stria_slice(x, 0, row, row + 4, 1, &v, NULL), STRIA_OK);
        CHECK_STATUS(stria_slice(v, 1, column, column + 4, 1, &w, NULL), STRIA_OK);
        stria_tensor_release(v);
        switch (random_next(&random) % 3) {
        case 0: CHECK_STATUS(stria_flip(w, &axis, 1, &views[k], NULL), STRIA_OK); break;
        case 1: CHECK_STATUS(stria_transpose(w, 0, 1, &views[k], NULL), STRIA_OK); break;
        default: views[k] = stria_tensor_retain(w); break;
        }
        stria_tensor_release(w);
    }
    CHECK_STATUS(stria_tensor_copy(views[1], STRIA_I32, &copy, NULL), STRIA_OK);
    stria_iter_config_init(&config);
    stria_iter_config_set_copy_if_overlap(&config, true);
    stria_iter_config_add_output(&config, views[0]);
    stria_iter_config_add_input(&config, views[1]);
    stria_iter_config_add_input(&config, views[1]);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    stria_iter_for_each(&it, multiply, &adds, 0);
    stria_iter_release(&it);
    do wrong += get_i32(views[0], index) != get_i32(copy, index) * get_i32(copy, index);
    while (index_next(2, (const int64_t[2]){4, 4}, index));
    CHECK(wrong == 0, "overlap, seed %llu: %lld wrong", (unsigned long long)seed, (long long)wrong);
    stria_tensor_release(x);
    stria_tensor_release(copy);
    for (int k = 0; k < 2; k++) stria_tensor_release(views[k]);
}

/* In-place work needs no copy, an output over itself cannot be mended by one. */
static void test_overlap_limits(void)
{
    const int64_t     shape[1] = {6}, wide[2] = {4, 6};
    stria_tensor     *x = new_counting(STRIA_I32, 1, shape), *expanded = NULL, *again = NULL;
    stria_iter_config config;
    stria_iter        it;

    CHECK_STATUS(stria_expand(x, wide, 2, &expanded, NULL), STRIA_OK);
    CHECK_STATUS(stria_view(x, shape, 1, &again, NULL), STRIA_OK);
    stria_iter_config_init(&config);
    stria_iter_config_set_copy_if_overlap(&config, true);
    stria_iter_config_add_output(&config, x);
    stria_iter_config_add_input(&config, again);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    CHECK(stria_iter_get_tensor(&it, 1) == again, "the same elements in the same order need no copy");
    stria_iter_release(&it);
    stria_iter_config_init(&config);
    stria_iter_config_set_copy_if_overlap(&config, true);
    stria_iter_config_add_output(&config, expanded);
    stria_iter_config_add_input(&config, x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_ERR_OVERLAP);
    stria_tensor_release(x);
    stria_tensor_release(expanded);
    stria_tensor_release(again);
}

SUITE(test_iter_numpy)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

    test_outer_product();
    for (int k = 0; k < 6; k++) test_product(orders[k]);
    test_converting_output();
    test_refused_axes();
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        test_ranges(seed);
        test_index(seed);
        test_overlap(seed);
    }
    test_overlap_limits();
    CHECK(stria_memory_get_stats().live_tensors == 0, "tensors left");
    return check_finish("test_iter_numpy");
}
