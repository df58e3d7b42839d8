/* test_reduce.c - every reduction of ops.def against sums in long double and exact integers: every dtype, every
 * subset of axes up to rank 4, layouts, keepdim, long inputs around the block sizes, empties, NaN, out=, dtype=, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

/* ---------------------------------------------------------------- the oracle */

/* Whether the result is a truth value, of elements of any dtype. */
static bool is_truth(const oracle_reduction *row) { return strcmp(row->rule, "TRUTH") == 0; }

/* Which dtype a result has: 0 dims of freedom are left by ops.def's result column. NONE: the row refuses the dtype. */
static stria_dtype result_dtype(const oracle_reduction *row, stria_dtype x)
{
    if (strcmp(row->rule, "WIDE") == 0) return dtype_is_float(x) || x == STRIA_U64 ? x : STRIA_I64;
    if (is_truth(row)) return x == STRIA_U8 ? STRIA_U8 : STRIA_BOOL;
    if (strcmp(row->rule, "FLOAT") == 0) return dtype_is_float(x) ? x : STRIA_DTYPE_NONE;
    return x;
}

typedef struct total {
    long double real, magnitude; /* sum of |x|, for the error bound */
    whole_int   whole;
    int64_t     count;
} total;

/* Elements are taken as `compute` (bool where the result is a truth value). */
static void total_add(total *t, const oracle_reduction *row, value v)
{
    const long double real = v.is_float ? (long double)v.real : (long double)v.whole;
    if (t->count++ == 0 && row->refuses_empty) {
        t->real = real;
        t->whole = v.whole;
    } else {
        t->real = row->real(t->real, real);
        t->whole = row->whole(t->whole, v.whole);
    }
    t->magnitude += fabsl(real);
}

static bool is_inexact(const oracle_reduction *row, stria_dtype compute)
{
    return dtype_is_float(compute) && !row->refuses_empty && !is_truth(row);
}

/* Whether got is the total, as an element of dtype `result` that was computed in `compute`. */
static bool total_matches(const total *t, const oracle_reduction *row, stria_dtype compute, stria_dtype result,
                          const void *got)
{
    char expected[16];
    if (!is_inexact(row, compute)) {
        value_set(result, dtype_is_float(compute) ? value_from_real((double)t->real) : value_from_whole(t->whole),
                  expected);
        return value_same(result, got, expected);
    }
    const bool        is_prod = strcmp(row->name, "prod") == 0, is_mean = strcmp(row->name, "mean") == 0;
    const long double divisor = is_mean ? (long double)t->count : 1, exact = t->real / divisor;
    const long double eps = compute == STRIA_F64 ? 0x1p-53L : 0x1p-24L;
    const long double scale = is_prod ? fabsl(t->real) * (long double)t->count : t->magnitude / divisor * 12;
    const double      reached = value_get(result, got).real;
    value_set(result, value_from_real((double)exact), expected);
    if (value_same(result, got, expected)) return true;
    if (isnan(exact) || isinf(exact)) return false;
    long double bound = scale * eps + 0x1p-149L;
    /* f16 and bf16: one unit of the result besides, as the rounding may tip over */
    if (result != compute) bound += fabsl(exact) * (result == STRIA_BF16 ? 0x1p-8L : 0x1p-11L) + 0x1p-25L;
    return fabsl((long double)reached - exact) <= bound;
}

/* Checks y = row over the axes in `reduced` of x; rank 0 has no axes. */
static void check_result(const oracle_reduction *row, const stria_tensor *x, unsigned reduced, bool keepdim,
                         stria_dtype compute, const stria_tensor *y, const char *what)
{
    const int      ndim = stria_tensor_get_ndim(x), out_ndim = stria_tensor_get_ndim(y);
    const int64_t *shape = stria_tensor_get_shape(x);
    int64_t        kept[STRIA_MAX_DIMS], index[STRIA_MAX_DIMS] = {0}, at[STRIA_MAX_DIMS] = {0}, n = 0, numel = 1;
    int            expected_ndim = 0;

    for (int k = 0; k < ndim; k++) {
        if (!(reduced >> k & 1))
            kept[expected_ndim++] = shape[k], numel *= shape[k];
        else if (keepdim)
            kept[expected_ndim++] = 1;
    }
    CHECK(out_ndim == expected_ndim && memcmp(stria_tensor_get_shape(y), kept, sizeof *kept * (size_t)out_ndim) == 0,
          "%s %s: wrong shape", row->name, what);
    if (out_ndim != expected_ndim || numel == 0) return;
    total *totals = calloc((size_t)numel, sizeof *totals);
    if (!totals) exit(2);
    for (int64_t k = 0; k < numel; k++) totals[k].real = row->start, totals[k].whole = row->start;
    if (stria_tensor_get_numel(x) > 0) {
        do {
            int64_t slot = 0;
            for (int k = 0; k < ndim; k++)
                if (!(reduced >> k & 1)) slot = slot * shape[k] + index[k];
            total_add(&totals[slot], row,
                      value_convert(value_get(stria_tensor_get_dtype(x), tensor_at(x, index)), compute));
        } while (index_next(ndim, shape, index));
    }
    do {
        const stria_dtype result = stria_tensor_get_dtype(y);
        const void       *got = tensor_at(y, at);
        char              text[48];
        CHECK(total_matches(&totals[n], row, compute, result, got), "%s %s %s, axes %x: %s, expected %La", row->name,
              what, stria_dtype_get_name(stria_tensor_get_dtype(x)), reduced,
              value_print(result, got, text, sizeof text),
              is_inexact(row, compute) ? totals[n].real : (long double)totals[n].whole);
        n++;
    } while (index_next(out_ndim, kept, at));
    free(totals);
}

static stria_dtype compute_dtype(const oracle_reduction *row, stria_dtype result)
{
    return is_truth(row) ? STRIA_BOOL : oracle_compute(result);
}

/* Finite values of moderate size over the elements of x, for sums and products of floats. */
static void make_tame(random_state *random, stria_tensor *x)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    int64_t           index[STRIA_MAX_DIMS] = {0};
    if (!dtype_is_float(dtype) || stria_tensor_get_numel(x) == 0) return;
    do {
        value_set(dtype, value_from_real(random_unit(random) * 2.5 - 1.25), tensor_at(x, index));
    } while (index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), index));
}

static int axes_of(unsigned reduced, int ndim, bool negative, int *axes)
{
    int n = 0;
    for (int k = 0; k < ndim; k++)
        if (reduced >> k & 1) axes[n++] = negative ? k - ndim : k;
    return n;
}

static void check_reduction(stria_reduction op, const stria_tensor *x, unsigned reduced, bool keepdim, const char *what)
{
    const oracle_reduction *row = &oracle_reductions[op];
    const int               ndim = stria_tensor_get_ndim(x);
    const stria_dtype       dtype = stria_tensor_get_dtype(x), result = result_dtype(row, dtype);
    int                     axes[STRIA_MAX_DIMS];
    const int               n_axes = axes_of(reduced, ndim, reduced & 1, axes);
    stria_tensor           *y = NULL;
    stria_error             err = {0};
    bool                    empty = false;

    for (int k = 0; k < ndim; k++) empty |= (reduced >> k & 1) && stria_tensor_get_shape(x)[k] == 0;
    const stria_status expected = result == STRIA_DTYPE_NONE    ? STRIA_ERR_DTYPE
                                  : row->refuses_empty && empty ? STRIA_ERR_EMPTY
                                                                : STRIA_OK;
    const stria_status status = stria_reduce(op, x, axes, n_axes, keepdim, STRIA_DTYPE_NONE, &y, &err);
    CHECK(status == expected, "%s %s %s, axes %x: %s (%s)", row->name, what, stria_dtype_get_name(dtype), reduced,
          stria_status_get_name(status), err.message);
    if (!y) return;
    CHECK(stria_tensor_get_dtype(y) == result, "%s of %s is %s", row->name, stria_dtype_get_name(dtype),
          stria_dtype_get_name(stria_tensor_get_dtype(y)));
    check_result(row, x, reduced, keepdim, compute_dtype(row, result), y, what);
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- shapes, axes, layouts, dtypes */

static bool needs_tame(stria_reduction op)
{
    return op == STRIA_RED_sum || op == STRIA_RED_prod || op == STRIA_RED_mean;
}

static void test_axes(void)
{
    static const struct {
        int     ndim;
        int64_t shape[4];
    } shapes[] = {
        {0, {0}},        {1, {9}},       {1, {131}},     {2, {5, 70}},      {2, {33, 4}},
        {3, {3, 4, 17}}, {3, {2, 0, 3}}, {3, {0, 0, 2}}, {4, {2, 3, 4, 9}}, {4, {3, 1, 5, 1}},
    };
    static const layout layouts[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED,
                                     LAYOUT_OFFSET,     LAYOUT_STEPPED,    LAYOUT_EXPANDED};
    random_state        random = {21};
    for (int op = 0; op < STRIA_RED_COUNT; op++) {
        for (int d = 0; d <= STRIA_F64; d++) {
            for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
                for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; l++) {
                    stria_tensor *x =
                        tensor_random(&random, (stria_dtype)d, layouts[l], shapes[s].ndim, shapes[s].shape, -3, 3);
                    if (!x) continue;
                    if (needs_tame((stria_reduction)op)) make_tame(&random, x);
                    const unsigned subsets = 1u << shapes[s].ndim;
                    for (unsigned reduced = subsets > 1; reduced < subsets; reduced++)
                        check_reduction((stria_reduction)op, x, reduced, reduced % 3 == 1 || reduced == 6,
                                        layout_names[layouts[l]]);
                    stria_tensor_release(x);
                }
            }
        }
    }
}

/* Specials in sums: an infinity stays, two of opposite sign or a NaN make NaN. */
static void test_specials(void)
{
    static const float   rows[][5] = {{1, INFINITY, 2, 3, 4},
                                      {INFINITY, 1, -INFINITY, 2, 3},
                                      {1, 2, NAN, 4, 5},
                                      {-0.0f, -0.0f, -0.0f, -0.0f, -0.0f},
                                      {-INFINITY, 0, 0, 0, 0}};
    static const int64_t shape[] = {5, 5};
    stria_tensor        *x = NULL;
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 2, shape, rows, sizeof rows, &x, NULL), STRIA_OK);
    for (int op = 0; x && op < STRIA_RED_COUNT; op++)
        for (unsigned reduced = 1; reduced < 4; reduced++)
            check_reduction((stria_reduction)op, x, reduced, false, "specials");
    stria_tensor_release(x);
}

static void test_long(void)
{
    static const int64_t     sizes[] = {63, 64, 65, 127, 4095, 4096, 4097, 65535, 65536, 65537, 131173};
    static const int64_t     wide[][2] = {{67, 1031}, {5001, 17}, {3, 40000}};
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_I32, STRIA_U8, STRIA_BOOL, STRIA_F16, STRIA_I64};
    random_state             random = {22};
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++) {
        for (int op = 0; op < STRIA_RED_COUNT; op++) {
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                const layout  kind = s % 3 == 2 ? LAYOUT_STEPPED : s % 3 == 1 ? LAYOUT_FLIPPED : LAYOUT_CONTIGUOUS;
                stria_tensor *x = tensor_random(&random, dtypes[d], kind, 1, &sizes[s], -3, 3);
                if (needs_tame((stria_reduction)op)) make_tame(&random, x);
                if (op != STRIA_RED_prod) check_reduction((stria_reduction)op, x, 1, false, "long");
                stria_tensor_release(x);
            }
            for (size_t s = 0; s < 3; s++) {
                stria_tensor *x = tensor_random(&random, dtypes[d], s == 1 ? LAYOUT_TRANSPOSED : LAYOUT_CONTIGUOUS, 2,
                                                wide[s], -3, 3);
                if (needs_tame((stria_reduction)op)) make_tame(&random, x);
                for (unsigned reduced = 1; op != STRIA_RED_prod && reduced < 4; reduced++)
                    check_reduction((stria_reduction)op, x, reduced, false, "long, two axes");
                stria_tensor_release(x);
            }
        }
    }
}

/* The sum of one short row, in the order that kernels.h states (few): sixteen elements after one another, then pairs. */
static double short_sum(const stria_tensor *x, int64_t row, int64_t count)
{
    const bool is_f32 = stria_tensor_get_dtype(x) == STRIA_F32;
    double     blocks[4];
    int64_t    n = 0;

    for (int64_t at = 0; at < count; at += 16) {
        for (int64_t k = at; k < count && k < at + 16; k++) {
            const int64_t index[] = {row, k};
            const double  v = value_get(stria_tensor_get_dtype(x), tensor_at(x, index)).real;
            blocks[n] = k == at ? v : is_f32 ? (double)((float)blocks[n] + (float)v) : blocks[n] + v;
        }
        n++;
    }
    if (n == 4) blocks[2] = is_f32 ? (double)((float)blocks[2] + (float)blocks[3]) : blocks[2] + blocks[3];
    if (n >= 2) blocks[0] = is_f32 ? (double)((float)blocks[0] + (float)blocks[1]) : blocks[0] + blocks[1];
    if (n >= 3) blocks[0] = is_f32 ? (double)((float)blocks[0] + (float)blocks[2]) : blocks[0] + blocks[2];
    return blocks[0];
}

/* Many short rows, one after another and with gaps: the bits of that order, whatever the path, and no element of a gap. */
static void test_short_rows(void)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64};
    static const layout      layouts[] = {LAYOUT_CONTIGUOUS, LAYOUT_OFFSET, LAYOUT_STEPPED, LAYOUT_FLIPPED};
    const int                axis = 1;
    random_state             random = {25};
    for (int64_t count = 1; count <= 64; count++) {
        for (int64_t rows = 16; rows <= 61; rows += 15) {
            for (int k = 0; k < 8; k++) {
                const int64_t shape[] = {rows, count};
                stria_tensor *x = tensor_random(&random, dtypes[k % 2], layouts[k / 2], 2, shape, -3, 3), *y = NULL;
                make_tame(&random, x);
                CHECK_STATUS(stria_reduce(STRIA_RED_sum, x, &axis, 1, false, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
                for (int64_t r = 0; y && r < rows; r++) {
                    const double got = value_get(dtypes[k % 2], tensor_at(y, &r)).real;
                    const double expected = short_sum(x, r, count);
                    CHECK(got == expected, "row %d of %d with %d elements, %s: %.17g, not %.17g", (int)r, (int)rows,
                          (int)count, layout_names[layouts[k / 2]], got, expected);
                }
                stria_tensor_release(x);
                stria_tensor_release(y);
            }
        }
    }
}

/* Results with gaps between them: those of a contiguous out, and nothing in the gaps. */
static void test_gaps_in_out(void)
{
    static const int64_t         counts[] = {1, 8, 16, 20, 64, 100, 5000};
    static const stria_reduction ops[] = {STRIA_RED_sum, STRIA_RED_mean};
    const int                    axis = 1;
    random_state                 random = {26};
    for (size_t c = 0; c < 2 * sizeof counts / sizeof *counts; c++) {
        const stria_reduction op = ops[c % 2];
        const int64_t         shape[] = {61, counts[c / 2]}, pairs[] = {61, 2};
        stria_tensor         *x = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 2, shape, -3, 3), *y = NULL;
        stria_tensor         *both = NULL, *out = NULL;
        make_tame(&random, x);
        CHECK_STATUS(
            stria_full(pairs, 2, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 7}, STRIA_F32, STRIA_CPU, &both, NULL),
            STRIA_OK);
        CHECK_STATUS(stria_select(both, 1, 0, &out, NULL), STRIA_OK);
        CHECK_STATUS(stria_reduce(op, x, &axis, 1, false, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
        CHECK_STATUS(stria_reduce_out(op, x, &axis, 1, false, STRIA_DTYPE_NONE, out, NULL), STRIA_OK);
        const float *got = stria_tensor_get_const_data(both), *expected = stria_tensor_get_const_data(y);
        for (int r = 0; r < 61; r++)
            CHECK(got[2 * r] == expected[r] && got[2 * r + 1] == 7,
                  "%s, row %d of %d elements: %g and %g, not %g and 7", oracle_reductions[op].name, r, (int)shape[1],
                  got[2 * r], got[2 * r + 1], expected[r]);
        stria_tensor_release(x);
        stria_tensor_release(y);
        stria_tensor_release(out);
        stria_tensor_release(both);
    }
}

/* A sum of 1e6 numbers in f32 within 1e-7 of the exact one, and the same bits from any number of threads. */
static void test_accuracy(void)
{
    static const int64_t flat[] = {1000000}, tall[] = {250000, 4};
    static const int     threads[] = {1, 2, 7};
    random_state         random = {23};
    for (int turn = 0; turn < 4; turn++) {
        const bool    is_flat = turn < 3;
        const int     axis = 0, n_out = is_flat ? 1 : 4;
        stria_tensor *x = NULL, *y = NULL;
        float         first[4] = {0};
        CHECK_STATUS(stria_tensor_new(STRIA_F32, is_flat ? 1 : 2, is_flat ? flat : tall, &x, NULL), STRIA_OK);
        if (!x) return;
        float      *data = stria_tensor_get_data(x);
        long double exact[4] = {0}, magnitude[4] = {0};
        for (int64_t k = 0; k < 1000000; k++) {
            data[k] = (float)(turn == 1 ? exp(20 * random_unit(&random)) : random_unit(&random));
            exact[k % n_out] += (long double)data[k];
            magnitude[k % n_out] += fabsl((long double)data[k]);
        }
        for (int t = 0; t < 3; t++) {
            CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
            CHECK_STATUS(stria_sum(x, &axis, 1, false, &y, NULL), STRIA_OK);
            const float *sums = stria_tensor_get_const_data(y);
            for (int k = 0; k < n_out; k++) {
                const double error = (double)(fabsl((long double)sums[k] - exact[k]) / magnitude[k]);
                CHECK(error <= (is_flat ? 1e-7 : 3e-7), "sum of 1e6: relative error %g", error);
                if (t == 0) first[k] = sums[k];
                CHECK(memcmp(&first[k], &sums[k], 4) == 0, "%d threads change the bits of a sum", threads[t]);
            }
            stria_tensor_release(y);
            y = NULL;
        }
        CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
        stria_tensor_release(x);
    }
}

/* ---------------------------------------------------------------- dtype=, out=, refusals */

static void test_dtype(void)
{
    static const struct {
        stria_reduction op;
        stria_dtype     from, to;
    } cases[] = {
        {STRIA_RED_sum, STRIA_U8, STRIA_F32},   {STRIA_RED_sum, STRIA_F32, STRIA_F64},
        {STRIA_RED_sum, STRIA_I64, STRIA_I32},  {STRIA_RED_sum, STRIA_I32, STRIA_U8},
        {STRIA_RED_prod, STRIA_I64, STRIA_I16}, {STRIA_RED_sum, STRIA_F16, STRIA_F32},
        {STRIA_RED_mean, STRIA_I32, STRIA_F64}, {STRIA_RED_mean, STRIA_BOOL, STRIA_F32},
        {STRIA_RED_sum, STRIA_I8, STRIA_U64},   {STRIA_RED_sum, STRIA_F64, STRIA_F16},
    };
    static const int64_t shape[] = {6, 50};
    random_state         random = {24};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const oracle_reduction *row = &oracle_reductions[cases[k].op];
        const int               axis = 1;
        stria_tensor *x = tensor_random(&random, cases[k].from, LAYOUT_TRANSPOSED, 2, shape, -3, 3), *y = NULL;
        make_tame(&random, x);
        CHECK_STATUS(stria_reduce(cases[k].op, x, &axis, 1, true, cases[k].to, &y, NULL), STRIA_OK);
        if (y) {
            CHECK(stria_tensor_get_dtype(y) == cases[k].to, "dtype= is not obeyed");
            check_result(row, x, 2, true, oracle_compute(cases[k].to), y, "dtype=");
        }
        stria_tensor_release(y);
        stria_tensor_release(x);
    }
}

static void test_out(void)
{
    static const float   values[] = {1.5f, 1.5f, -0.25f, 8.0f};
    static const int64_t four[] = {4}, square[] = {2, 2};
    stria_tensor        *x = NULL, *out = NULL, *row = NULL, *column = NULL;
    const int            axis = 0;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 2, square, values, sizeof values, &x, NULL), STRIA_OK);
    /* the input takes the dtype of out first: 1.5 -> 1 */
    CHECK_STATUS(stria_tensor_new(STRIA_I64, 1, four, &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_reduce_out(STRIA_RED_sum, x, &axis, 1, false, STRIA_DTYPE_NONE, out, NULL), STRIA_OK);
    CHECK(stria_tensor_get_ndim(out) == 1 && stria_tensor_get_shape(out)[0] == 2, "out is not resized");
    const int64_t *sums = stria_tensor_get_const_data(out);
    CHECK(sums[0] == 1 && sums[1] == 9, "sums are %lld and %lld", (long long)sums[0], (long long)sums[1]);
    stria_tensor_release(out);
    out = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F64, 0, NULL, &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_reduce_out(STRIA_RED_mean, x, NULL, 0, false, STRIA_DTYPE_NONE, out, NULL), STRIA_OK);
    CHECK(*(const double *)stria_tensor_get_const_data(out) == 2.6875, "mean into f64");
    stria_tensor_release(out);

    /* out inside x: as if x had been read first */
    CHECK_STATUS(stria_select(x, 0, 1, &row, NULL), STRIA_OK);
    CHECK_STATUS(stria_reduce_out(STRIA_RED_sum, x, &axis, 1, false, STRIA_DTYPE_NONE, row, NULL), STRIA_OK);
    const float *after = stria_tensor_get_const_data(x);
    CHECK(after[2] == 1.25f && after[3] == 9.5f && after[0] == 1.5f, "a sum over its own input: %g %g", after[2],
          after[3]);
    stria_tensor_release(row);

    /* several elements of out at one address */
    stria_tensor *one = NULL;
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 0, NULL, &one, NULL), STRIA_OK);
    CHECK_STATUS(stria_expand(one, square, 1, &column, NULL), STRIA_OK);
    CHECK_STATUS(stria_reduce_out(STRIA_RED_sum, x, &axis, 1, false, STRIA_DTYPE_NONE, column, NULL),
                 STRIA_ERR_OVERLAP);
    stria_tensor_release(column);
    stria_tensor_release(one);
    stria_tensor_release(x);
}

/* Above 2^24 elements their number is no f32, so the sum of a mean is divided by it in double. */
static void test_mean_of_many(void)
{
    static const int64_t shape[] = {(1 << 24) + 1}, *const count = shape;
    const float values[] = {1.0f, 1.1f, 3.3f, -7.7f};
    int         telling = 0;

    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        stria_tensor *one = NULL, *x = NULL, *sum = NULL, *mean = NULL;
        CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 0, NULL, &values[k], 4, &one, NULL), STRIA_OK);
        CHECK_STATUS(stria_expand(one, shape, 1, &x, NULL), STRIA_OK);
        CHECK_STATUS(stria_sum(x, NULL, 0, false, &sum, NULL), STRIA_OK);
        CHECK_STATUS(stria_mean(x, NULL, 0, false, &mean, NULL), STRIA_OK);
        const float total = *(const float *)stria_tensor_get_const_data(sum);
        const float got = *(const float *)stria_tensor_get_const_data(mean);
        const float expected = (float)((double)total / (double)*count);
        CHECK(got == expected, "the mean of %lld times %a is %a, expected %a", (long long)*count, values[k], got,
              expected);
        telling += expected != total / (float)*count;
        stria_tensor_release(one);
        stria_tensor_release(x);
        stria_tensor_release(sum);
        stria_tensor_release(mean);
    }
    CHECK(telling > 0, "division in f32 gives the same");
}

/* With 64 dims a set of axes has every bit. */
static void test_most_dims(void)
{
    static const int all[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
                                44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    int64_t          shape[64];
    for (int d = 0; d < 64; d++) shape[d] = d == 0 || d == 31 || d == 63 ? 2 : 1;
    for (int t = 0; t < 4; t++) {
        const int     n_axes[] = {0, 64, 63, 1}; /* all of them by default, by name, all but the last, the last */
        stria_tensor *x = NULL, *y = NULL;
        CHECK_STATUS(stria_tensor_new(STRIA_I32, 64, shape, &x, NULL), STRIA_OK);
        for (int k = 0; k < 8; k++) ((int32_t *)stria_tensor_get_data(x))[k] = 1 << k;
        CHECK_STATUS(stria_sum(x, t == 0 ? NULL : t == 3 ? all + 63 : all, n_axes[t], false, &y, NULL), STRIA_OK);
        const int64_t *sums = stria_tensor_get_const_data(y);
        CHECK(stria_tensor_get_ndim(y) == (t < 2 ? 0 : 64 - n_axes[t]), "%d of 64 axes: %d dims are left", n_axes[t],
              stria_tensor_get_ndim(y));
        CHECK(sums[0] == (t < 2    ? 255
                          : t == 2 ? 0x55
                                   : 3),
              "%d of 64 axes: the sum is %lld", n_axes[t], (long long)sums[0]);
        stria_tensor_release(x);
        stria_tensor_release(y);
    }
}

static void test_refusals(void)
{
    static const int64_t shape[] = {2, 3};
    random_state         random = {25};
    stria_tensor        *x = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 2, shape, -5, 5), *y = x;
    stria_tensor        *z = tensor_random(&random, STRIA_C128, LAYOUT_CONTIGUOUS, 2, shape, -5, 5);
    const int            far[] = {2}, low[] = {-3}, twice[] = {0, 0}, mixed[] = {1, -1};
    stria_error          err = {0};

    CHECK_STATUS(stria_sum(x, far, 1, false, &y, &err), STRIA_ERR_AXIS);
    CHECK(y == NULL && strcmp(err.op, "sum") == 0 && err.message[0], "the error is: %s", err.message);
    CHECK_STATUS(stria_sum(x, low, 1, false, &y, NULL), STRIA_ERR_AXIS);
    CHECK_STATUS(stria_sum(x, twice, 2, false, &y, NULL), STRIA_ERR_AXIS);
    CHECK_STATUS(stria_sum(x, mixed, 2, false, &y, NULL), STRIA_ERR_AXIS);
    CHECK_STATUS(stria_reduce((stria_reduction)STRIA_RED_COUNT, x, NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL),
                 STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_sum(NULL, NULL, 0, false, &y, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_reduce(STRIA_RED_mean, x, NULL, 0, false, STRIA_I32, &y, NULL), STRIA_ERR_DTYPE);
    for (int op = 0; op < STRIA_RED_COUNT; op++) {
        const stria_status status = stria_reduce((stria_reduction)op, z, NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL);
        if (status == STRIA_OK) stria_tensor_release(y);
        CHECK_STATUS(status, op == STRIA_RED_amax || op == STRIA_RED_amin ? STRIA_ERR_DTYPE : STRIA_OK);
    }
    stria_tensor_release(x);
    stria_tensor_release(z);
}

SUITE(test_reduce)
{
    check_isa("test_reduce");
    if (check_has_values()) {
        test_axes();
        test_specials();
    }
    test_long();
    test_short_rows();
    if (check_has_values()) test_gaps_in_out();
    test_accuracy();
    if (check_has_values()) {
        test_dtype();
        test_out();
        test_mean_of_many();
        test_most_dims();
        test_refusals();
    }
    return check_finish("test_reduce");
}
