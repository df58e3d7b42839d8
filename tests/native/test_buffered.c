/* test_buffered.c - stria_iter_for_each_buffered against plain nested loops: any layouts and dtypes, several outputs,
 * in-place, results of reductions, and what it refuses. */
#include <string.h>

#include "iter.h"
#include "oracle.h"

#define MAX_OPERANDS STRIA_ITER_INLINE_OPERANDS

static const stria_dtype dtypes[] = {STRIA_BOOL, STRIA_U8,  STRIA_I8,   STRIA_U16, STRIA_I16, STRIA_U32, STRIA_I32,
                                     STRIA_U64,  STRIA_I64, STRIA_BF16, STRIA_F16, STRIA_F32, STRIA_F64};
enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

/* What the loop below checks of its own arguments. */
typedef struct loop_context {
    int          n, n_outputs;
    int64_t      size;   /* of a lane */
    bool         adds;   /* a reduction */
    _Atomic bool broken; /* set by any thread */
} loop_context;

/* Output k = sum over inputs m of (k + m + 1) * input m, in f64, added to what a reduction's output holds. */
static void weigh(void *context, char *const *data, const int64_t *strides, int64_t count)
{
    loop_context *seen = context;

    for (int k = 0; k < seen->n; k++)
        if (strides[k] != seen->size && (strides[k] != 0 || (k < seen->n_outputs && !seen->adds))) seen->broken = true;
    for (int64_t i = 0; i < count; i++) {
        double in[MAX_OPERANDS], x[MAX_OPERANDS] = {0};
        for (int m = seen->n_outputs; m < seen->n; m++) memcpy(&in[m], data[m] + i * strides[m], sizeof(double));
        for (int k = 0; k < seen->n_outputs; k++) {
            if (seen->adds) memcpy(&x[k], data[k] + i * strides[k], sizeof(double));
            for (int m = seen->n_outputs; m < seen->n; m++) x[k] += (k + m - seen->n_outputs + 1) * in[m];
            memcpy(data[k] + i * strides[k], &x[k], sizeof(double));
        }
    }
}

/* Output 0 = input 0, bit by bit. */
static void move(void *context, char *const *data, const int64_t *strides, int64_t count)
{
    loop_context *seen = context;
    for (int k = 0; k < 2; k++)
        if (strides[k] != seen->size && (k == 0 || strides[k] != 0)) seen->broken = true;
    for (int64_t i = 0; i < count; i++) memcpy(data[0] + i * strides[0], data[1] + i * strides[1], (size_t)seen->size);
}

/* Integers from 0 to 100: every dtype but bool has them and their weighted sums in f64 are exact. */
static void make_small(stria_tensor *x, int ndim, const int64_t *shape, random_state *random)
{
    int64_t index[STRIA_MAX_DIMS] = {0};
    do {
        value_set(stria_tensor_get_dtype(x), value_from_whole((whole_int)(random_next(random) % 101)),
                  tensor_at_broadcast(x, ndim, index));
    } while (index_next(ndim, shape, index));
}

typedef struct problem {
    int           n, n_outputs, ndim;
    int64_t       shape[4], numel;
    stria_tensor *operand[MAX_OPERANDS];
} problem;

static layout random_layout(random_state *random, bool is_output)
{
    static const layout outputs[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED, LAYOUT_OFFSET,
                                     LAYOUT_STEPPED};
    return is_output ? outputs[random_next(random) % 5] : (layout)(random_next(random) % LAYOUT_COUNT);
}

static void problem_init(problem *p, random_state *random, bool one_dtype)
{
    static const int64_t sizes[] = {1, 2, 3, 5, 7, 16, 33, 70, 130, 600, 2100};
    const stria_dtype    dtype = dtypes[random_next(random) % N_DTYPES];

    p->ndim = (int)(random_next(random) % 4);
    p->numel = 1;
    for (int d = 0; d < p->ndim; d++) {
        do p->shape[d] = sizes[random_next(random) % 11];
        while (p->numel * p->shape[d] > 40000);
        p->numel *= p->shape[d];
    }
    p->n_outputs = 1 + (!one_dtype && random_next(random) % 4 == 0);
    p->n = p->n_outputs + 1 + (one_dtype ? 0 : (int)(random_next(random) % 3));
    for (int k = 0; k < p->n; k++) {
        const stria_dtype own = one_dtype ? dtype : dtypes[random_next(random) % N_DTYPES];
        p->operand[k] = tensor_random(random, own, random_layout(random, k < p->n_outputs), p->ndim, p->shape, 0, 100);
        make_small(p->operand[k], p->ndim, p->shape, random);
    }
}

static void problem_release(problem *p)
{
    for (int k = 0; k < p->n; k++) stria_tensor_release(p->operand[k]);
}

static bool build(const problem *p, stria_iter *it, bool is_reduction)
{
    stria_iter_config config;

    stria_iter_config_init(&config);
    stria_iter_config_set_check_all_same_dtype(&config, false);
    stria_iter_config_set_resize_outputs(&config, false);
    stria_iter_config_set_is_reduction(&config, is_reduction);
    if (is_reduction) stria_iter_config_set_check_mem_overlap(&config, false);
    for (int k = 0; k < p->n; k++) {
        if (k < p->n_outputs)
            stria_iter_config_add_output(&config, p->operand[k]);
        else
            stria_iter_config_add_input(&config, p->operand[k]);
    }
    CHECK_STATUS(stria_iter_build(it, &config, NULL), STRIA_OK);
    stria_iter_config_release(&config);
    return it->n_operands == p->n;
}

static double get_input(const problem *p, int m, const int64_t *index)
{
    const stria_tensor *x = p->operand[m];
    return value_convert(value_get(stria_tensor_get_dtype(x), tensor_at_broadcast(x, p->ndim, index)), STRIA_F64).real;
}

static void check_sums(const problem *p, const char *what, uint64_t seed)
{
    int64_t index[STRIA_MAX_DIMS] = {0}, wrong = 0;

    do {
        for (int k = 0; k < p->n_outputs; k++) {
            const stria_dtype dtype = stria_tensor_get_dtype(p->operand[k]);
            double            sum = 0;
            char              expected[16];
            for (int m = p->n_outputs; m < p->n; m++) sum += (k + m - p->n_outputs + 1) * get_input(p, m, index);
            value_set(dtype, value_from_real(sum), expected);
            wrong += !value_same(dtype, tensor_at(p->operand[k], index), expected);
        }
    } while (index_next(p->ndim, p->shape, index));
    CHECK(wrong == 0, "%s, seed %llu: %lld of %lld elements wrong", what, (unsigned long long)seed, (long long)wrong,
          (long long)p->numel);
}

static void test_conversion(uint64_t seed)
{
    random_state random = {seed};
    problem      p;
    stria_iter   it;
    stria_dtype  lanes[MAX_OPERANDS];

    problem_init(&p, &random, false);
    for (int k = 0; k < p.n; k++) lanes[k] = STRIA_F64;
    loop_context context = {p.n, p.n_outputs, 8, false, false};
    if (build(&p, &it, false)) {
        CHECK_STATUS(stria_iter_for_each_buffered(&it, lanes, weigh, &context, 1000, NULL), STRIA_OK);
        check_sums(&p, "f64 lanes", seed);
        CHECK(!context.broken, "seed %llu: the loop met other strides", (unsigned long long)seed);
    }
    stria_iter_release(&it);
    problem_release(&p);
}

static void test_own_dtype(uint64_t seed)
{
    random_state random = {seed};
    problem      p;
    stria_iter   it;
    int64_t      index[STRIA_MAX_DIMS] = {0}, wrong = 0;

    problem_init(&p, &random, true);
    const stria_dtype dtype = stria_tensor_get_dtype(p.operand[0]);
    loop_context      context = {2, 1, (int64_t)stria_dtype_get_size(dtype), false, false};
    if (build(&p, &it, false)) {
        CHECK_STATUS(stria_iter_for_each_buffered(&it, NULL, move, &context, 0, NULL), STRIA_OK);
        do {
            wrong += memcmp(tensor_at(p.operand[0], index), tensor_at_broadcast(p.operand[1], p.ndim, index),
                            (size_t)context.size) != 0;
        } while (index_next(p.ndim, p.shape, index));
        CHECK(wrong == 0 && !context.broken, "own dtype, seed %llu: %lld wrong", (unsigned long long)seed,
              (long long)wrong);
    }
    stria_iter_release(&it);
    problem_release(&p);
}

/* x = 1 * x + 2 * b in place, x of any dtype */
static void test_in_place(uint64_t seed)
{
    random_state  random = {seed};
    problem       p, before;
    stria_iter    it;
    stria_tensor *copy = NULL;
    stria_dtype   lanes[3] = {STRIA_F64, STRIA_F64, STRIA_F64};

    problem_init(&p, &random, false);
    CHECK_STATUS(stria_tensor_copy(p.operand[0], stria_tensor_get_dtype(p.operand[0]), &copy, NULL), STRIA_OK);
    problem in_place = {3, 1, p.ndim, {0}, p.numel, {p.operand[0], p.operand[0], p.operand[p.n - 1]}};
    memcpy(in_place.shape, p.shape, sizeof p.shape);
    before = in_place;
    before.operand[1] = copy;
    loop_context context = {3, 1, 8, false, false};
    if (build(&in_place, &it, false)) {
        CHECK_STATUS(stria_iter_for_each_buffered(&it, lanes, weigh, &context, 0, NULL), STRIA_OK);
        check_sums(&before, "in place", seed);
    }
    stria_iter_release(&it);
    stria_tensor_release(copy);
    problem_release(&p);
}

/* Sums over every subset of the axes, into an output of any dtype that holds them, from what it holds before. */
static void test_reduction(uint64_t seed)
{
    static const stria_dtype wide[] = {STRIA_I32, STRIA_I64, STRIA_F64, STRIA_U32};
    random_state             random = {seed};
    problem                  p;
    const stria_dtype        lanes[2] = {STRIA_F64, STRIA_F64}, dtype = wide[seed % 4];
    stria_iter               it;
    stria_tensor            *x = NULL, *y = NULL, *view = NULL;
    int64_t                  shape[4], index[4] = {0}, kept[4] = {0}, wrong = 0;
    char                     text[64];
    int                      ndim = 0;

    problem_init(&p, &random, true);
    const uint64_t reduced = random_next(&random) % (1u << p.ndim);
    for (int d = 0; d < p.ndim; d++)
        if (!(reduced >> d & 1)) shape[ndim++] = p.shape[d];
    CHECK_STATUS(stria_full(shape, ndim, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 5}, dtype, STRIA_CPU, &y, NULL),
                 STRIA_OK);
    CHECK_STATUS(stria_expand(p.operand[1], p.shape, p.ndim, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_iter_view_reduced(y, p.ndim, reduced, false, &view, NULL), STRIA_OK);
    problem      sum = {2, 1, p.ndim, {0}, p.numel, {view, x}};
    loop_context context = {2, 1, 8, true, false};
    if (build(&sum, &it, true))
        CHECK_STATUS(stria_iter_for_each_buffered(&it, lanes, weigh, &context, 0, NULL), STRIA_OK);
    stria_iter_release(&it);
    do { /* takes the sum away again, element by element: 5 is to remain */
        for (int d = 0, k = 0; d < p.ndim; d++)
            if (!(reduced >> d & 1)) kept[k++] = index[d];
        char *at = tensor_at(y, kept);
        value_set(dtype,
                  value_from_real(value_convert(value_get(dtype, at), STRIA_F64).real - get_input(&sum, 1, index)), at);
    } while (index_next(p.ndim, p.shape, index));
    memset(kept, 0, sizeof kept);
    do wrong += value_convert(value_get(dtype, tensor_at(y, kept)), STRIA_F64).real != 5;
    while (index_next(ndim, shape, kept));
    CHECK(wrong == 0, "reduction, seed %llu, %s of %s, now %s: %lld of %lld wrong", (unsigned long long)seed,
          stria_dtype_get_name(dtype), stria_dtype_get_name(stria_tensor_get_dtype(x)),
          value_print(dtype, stria_tensor_get_data(y), text, sizeof text), (long long)wrong,
          (long long)stria_tensor_get_numel(y));
    stria_tensor_release(x);
    stria_tensor_release(view);
    stria_tensor_release(y);
    problem_release(&p);
}

static void test_refusals(void)
{
    const int64_t     shape[1] = {4};
    stria_tensor     *x = NULL, *meta = NULL;
    stria_iter_config config;
    stria_iter        it;
    stria_error       err;
    const stria_dtype nonsense[2] = {STRIA_F32, (stria_dtype)77};
    loop_context      context = {2, 1, 4, false, false};

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, shape, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(shape, 1, STRIA_F32, STRIA_META, &meta, NULL), STRIA_OK);
    problem p = {2, 1, 1, {4}, 4, {x, x}};
    if (build(&p, &it, false)) {
        CHECK_STATUS(stria_iter_for_each_buffered(&it, NULL, NULL, NULL, 0, &err), STRIA_ERR_ARGUMENT);
        CHECK(strstr(err.message, "loop is NULL") != NULL, "%s", err.message);
        CHECK_STATUS(stria_iter_for_each_buffered(&it, nonsense, move, &context, 0, &err), STRIA_ERR_DTYPE);
        CHECK(strstr(err.message, "lanes[1]") != NULL, "%s", err.message);
    }
    stria_iter_release(&it);
    problem q = {2, 1, 1, {4}, 4, {meta, meta}};
    if (build(&q, &it, false)) {
        CHECK_STATUS(stria_iter_for_each_buffered(&it, NULL, move, &context, 0, &err), STRIA_ERR_DEVICE);
    }
    stria_iter_release(&it);
    stria_iter_config_init(&config);
    stria_iter_config_add_output(&config, x);
    for (int k = 0; k < MAX_OPERANDS; k++) stria_iter_config_add_input(&config, x);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    CHECK_STATUS(stria_iter_for_each_buffered(&it, NULL, move, &context, 0, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.expected, "1 to 8 operands") == 0, "%s", err.expected);
    stria_iter_release(&it);
    stria_iter_config_release(&config);
    stria_tensor_release(x);
    stria_tensor_release(meta);
}

/* ---------------------------------------------------------------- a transposed operand of bytes among wider ones */

/* Rows of `columns` elements with a gap behind each, a column that is broadcast, or dense. */
typedef enum among { AMONG_GAPS, AMONG_COLUMN, AMONG_DENSE, AMONG_COUNT } among;

static stria_tensor *make_among(among kind, stria_dtype dtype, int64_t rows, int64_t columns, random_state *random)
{
    const int64_t shape[] = {rows, kind == AMONG_COLUMN ? 1 : columns + (kind == AMONG_GAPS)};
    stria_tensor *all = NULL, *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 2, shape, &all, NULL), STRIA_OK);
    make_small(all, 2, shape, random);
    if (kind != AMONG_GAPS) return all;
    CHECK_STATUS(stria_slice(all, 1, 0, columns, 1, &x, NULL), STRIA_OK);
    stria_tensor_release(all);
    return x;
}

static void check_where(const stria_tensor *const *in, stria_tensor *out, int64_t rows, int64_t columns)
{
    const int64_t shape[] = {rows, columns};
    int64_t       index[2] = {0, 0}, wrong = 0;

    CHECK_STATUS(stria_apply_out(STRIA_OP_where, in, 3, out, NULL), STRIA_OK);
    do {
        const bool          takes = value_get(STRIA_BOOL, tensor_at(in[0], index)).whole != 0;
        const stria_tensor *from = in[takes ? 1 : 2];
        const stria_dtype   dtype = stria_tensor_get_dtype(out);
        const value         expected =
            value_convert(value_get(stria_tensor_get_dtype(from), tensor_at_broadcast(from, 2, index)), dtype);
        const value got = value_get(dtype, tensor_at(out, index));
        wrong += expected.is_float ? got.real != expected.real : got.whole != expected.whole;
    } while (index_next(2, shape, index));
    CHECK(wrong == 0, "where on [%d, %d]: %d wrong", (int)rows, (int)columns, (int)wrong);
}

static void test_transposed_bytes(void)
{
    static const int64_t     widths[] = {17, 40, 63, 64, 300, 1024};
    static const stria_dtype pairs[][3] = {{STRIA_F64, STRIA_F64, STRIA_F64},
                                           {STRIA_I64, STRIA_F64, STRIA_F64},
                                           {STRIA_U32, STRIA_I32, STRIA_I64},
                                           {STRIA_F32, STRIA_F32, STRIA_F32}};
    random_state             random = {31};
    for (int c = 0; c < 6 * 4 * AMONG_COUNT * AMONG_COUNT * 2; c++) {
        const int64_t columns = widths[c % 6], rows = 64, shape[] = {columns, rows};
        if (columns >= 300 && c % 5 != 0) continue; /* enough of the long ones */
        const stria_dtype *dtype = pairs[c / 6 % 4];
        const among        kinds[] = {(among)(c / 24 % AMONG_COUNT), (among)(c / 24 / AMONG_COUNT % AMONG_COUNT)};
        stria_tensor      *mask = NULL, *turned = NULL;
        CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 2, shape, &mask, NULL), STRIA_OK);
        for (int64_t i = 0; i < rows * columns; i++)
            ((uint8_t *)stria_tensor_get_data(mask))[i] = random_next(&random) & 1;
        CHECK_STATUS(stria_transpose(mask, 0, 1, &turned, NULL), STRIA_OK);
        stria_tensor *in[] = {turned, make_among(kinds[0], dtype[0], rows, columns, &random),
                              make_among(kinds[1], dtype[1], rows, columns, &random)};
        stria_tensor *out = make_among(c / 216 ? AMONG_GAPS : AMONG_DENSE, dtype[2], rows, columns, &random);
        check_where((const stria_tensor *const *)in, out, rows, columns);
        for (int k = 0; k < 3; k++) stria_tensor_release(in[k]);
        stria_tensor_release(mask);
        stria_tensor_release(out);
    }
}

SUITE(test_buffered)
{
    check_isa("test_buffered");
    for (uint64_t seed = 1; seed <= (uint64_t)check_get_count(400); seed++) {
        CHECK_STATUS(stria_threads_set(1 + (int)(seed % 3), NULL), STRIA_OK);
        test_conversion(seed);
        test_own_dtype(seed);
        test_in_place(seed);
        test_reduction(seed);
    }
    test_transposed_bytes();
    test_refusals();
    CHECK(stria_memory_get_stats().live_tensors == 0, "tensors left");
    return check_finish("test_buffered");
}
