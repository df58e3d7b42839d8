/* families.c - see families.h. Elements are small multiples of 1/4, so that most results are exact. */
#include "families.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "iter.h"
#include "oracle.h"

#define ROWS 192
#define COLUMNS 256
#define WIDE_ROWS 400 /* enough for four chunks of stria_iter_parallel_reduce */

/* ---------------------------------------------------------------- inputs */

static stria_tensor *make(stria_dtype dtype, int ndim, const int64_t *shape, uint64_t seed)
{
    stria_tensor *x = NULL;
    random_state  random = {seed};

    CHECK_STATUS(stria_tensor_new(dtype, ndim, shape, &x, NULL), STRIA_OK);
    for (int64_t k = 0, size = (int64_t)stria_dtype_get_size(dtype); x && k < stria_tensor_get_numel(x); k++) {
        const double v = (double)(int64_t)(random_next(&random) % 33) - 16;
        value_set(dtype, value_from_real(dtype_is_float(dtype) ? v / 4 : v),
                  (char *)stria_tensor_get_data(x) + k * size);
    }
    return x;
}

void family_inputs_init(family_inputs *in)
{
    const int64_t shape[] = {ROWS, COLUMNS}, turned[] = {COLUMNS, ROWS}, wider[] = {ROWS, 2 * COLUMNS};
    stria_tensor *base;

    memset(in, 0, sizeof *in);
    in->x = make(STRIA_F32, 2, shape, 1);
    in->y = make(STRIA_F32, 2, shape, 2);
    base = make(STRIA_F32, 2, turned, 3);
    CHECK_STATUS(stria_transpose(base, 0, 1, &in->turned, NULL), STRIA_OK);
    stria_tensor_release(base);
    in->half = make(STRIA_F16, 2, shape, 4);
    in->whole = make(STRIA_I32, 2, shape, 5);
    in->mask = make(STRIA_BOOL, 2, shape, 6);
    base = make(STRIA_I32, 2, wider, 7);
    CHECK_STATUS(stria_slice(base, 1, 0, INT64_MAX, 2, &in->narrow, NULL), STRIA_OK);
    stria_tensor_release(base);
    in->few = make(STRIA_F32, 2, (int64_t[]){20000, 6}, 8);
    in->flat = make(STRIA_F32, 1, (int64_t[]){150000}, 9);
    in->half_rows = make(STRIA_F16, 2, (int64_t[]){12, 10000}, 10);
    static const stria_instruction difference[] = {{STRIA_OP_sub, {0, 1}}, {STRIA_OP_square, {2}}};
    CHECK_STATUS(stria_expression_new(2, NULL, 0, difference, 2, &in->kept, NULL), STRIA_OK);
    in->wide = make(STRIA_I64, 2, (int64_t[]){WIDE_ROWS, COLUMNS}, 11);
    in->a = make(STRIA_F32, 2, (int64_t[]){160, 160}, 12);
    in->b = make(STRIA_F16, 2, (int64_t[]){160, 160}, 13);
    in->batch = make(STRIA_I32, 3, (int64_t[]){24, 40, 40}, 14);
    in->tall = make(STRIA_F32, 2, (int64_t[]){160, 1200}, 15);
    in->vector = make(STRIA_F16, 1, (int64_t[]){160}, 16);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = 0.3}, &in->share, NULL),
                 STRIA_OK);
}

void family_inputs_release(family_inputs *in)
{
    stria_tensor *const all[] = {in->x,      in->y,     in->turned, in->half,      in->whole, in->mask,
                                 in->narrow, in->few,   in->flat,   in->half_rows, in->wide,  in->a,
                                 in->b,      in->batch, in->tall,   in->vector,    in->share};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) stria_tensor_release(all[k]);
    stria_expression_release(in->kept);
}

void *family_get_bytes(stria_tensor *x, size_t *nbytes)
{
    stria_tensor *packed = NULL;
    void         *bytes = NULL;

    *nbytes = (size_t)stria_tensor_get_numel(x) * stria_dtype_get_size(stria_tensor_get_dtype(x));
    if (stria_contiguous(x, &packed, NULL) != STRIA_OK) return NULL;
    bytes = malloc(*nbytes + 1);
    if (bytes) memcpy(bytes, stria_tensor_get_const_data(packed), *nbytes);
    stria_tensor_release(packed);
    return bytes;
}

/* ---------------------------------------------------------------- element-wise */

#define FAMILY(name, call) \
    static stria_status run_##name(const family_inputs *in, stria_tensor **out, stria_error *err) { return call; }

FAMILY(add, stria_add(in->x, in->y, out, err))
FAMILY(exp_flat, stria_exp(in->flat, out, err))
FAMILY(add_turned, stria_add(in->x, in->turned, out, err))
FAMILY(add_converted, stria_add(in->half, in->whole, out, err))
FAMILY(add_strided, stria_add(in->narrow, in->half, out, err))
FAMILY(where_mask, stria_where(in->mask, in->turned, in->half, out, err))
FAMILY(less_turned, stria_lt(in->turned, in->whole, out, err))

/* In place: x + turned into a copy of x. */
static stria_status run_in_place(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    STRIA_TRY(stria_tensor_copy(in->x, STRIA_F32, out, err));
    const stria_tensor *const operands[] = {*out, in->turned};
    return stria_apply_out(STRIA_OP_add, operands, 2, *out, err);
}

static stria_status run_expression(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    static const stria_scalar      constants[] = {{.kind = STRIA_SCALAR_FLOAT, .re = 1.5}};
    static const stria_instruction code[] = {
        {STRIA_OP_mul, {0, 3}}, {STRIA_OP_sigmoid, {4}}, {STRIA_OP_add, {1, 2}}, {STRIA_OP_mul, {5, 6}}};
    const stria_tensor *const operands[] = {in->turned, in->whole, in->half};
    stria_expression         *e;

    stria_status status = stria_expression_new(3, constants, 1, code, 4, &e, err);
    if (status == STRIA_OK) status = stria_expression_apply(e, operands, 3, out, err);
    stria_expression_release(e);
    return status;
}

static stria_status run_expression_kept(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    return stria_expression_apply(in->kept, (const stria_tensor *const[]){in->x, in->y}, 2, out, err);
}

/* More inputs than the iterator keeps inline, more values at once than there are slots in scratch. */
static stria_status run_expression_wide(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    enum { INPUTS = 12 };
    stria_instruction   code[2 * INPUTS * 2];
    const stria_tensor *operands[INPUTS];
    stria_expression   *e;
    int                 n = 0;

    for (int k = 0; k < INPUTS; k++) {
        operands[k] = k % 4 == 0 ? in->turned : k % 4 == 1 ? in->half : k % 4 == 2 ? in->whole : in->y;
        code[n++] = (stria_instruction){STRIA_OP_sigmoid, {k}};
        code[n++] = (stria_instruction){STRIA_OP_neg, {k}};
    }
    for (int k = 1, sum = INPUTS; k < 2 * INPUTS; k++, sum = INPUTS + n - 1)
        code[n++] = (stria_instruction){STRIA_OP_add, {INPUTS + k, sum}};
    stria_status status = stria_expression_new(INPUTS, NULL, 0, code, n, &e, err);
    if (status == STRIA_OK) status = stria_expression_apply(e, operands, INPUTS, out, err);
    stria_expression_release(e);
    return status;
}

/* ---------------------------------------------------------------- casts, copies */

FAMILY(cast, stria_tensor_copy(in->x, STRIA_F64, out, err))
FAMILY(cast_turned, stria_tensor_copy(in->turned, STRIA_I16, out, err))
FAMILY(contiguous, stria_contiguous(in->turned, out, err))
static stria_status run_full(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    const int64_t      n = 2 * stria_tensor_get_numel(in->x);
    const stria_scalar three = {.kind = STRIA_SCALAR_INT, .i = 3};

    return stria_full(&n, 1, three, STRIA_BF16, STRIA_CPU, out, err);
}

static stria_status run_set(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    STRIA_TRY(stria_tensor_new(STRIA_I64, 2, (int64_t[]){ROWS, COLUMNS}, out, err));
    return stria_tensor_set(*out, in->narrow, err);
}

/* ---------------------------------------------------------------- reductions, scans, rows */

static const int first[] = {0}, last[] = {1};

FAMILY(sum_all, stria_sum(in->x, NULL, 0, false, out, err))
FAMILY(sum_rows, stria_sum(in->x, last, 1, false, out, err))
FAMILY(sum_columns, stria_sum(in->x, first, 1, false, out, err))
FAMILY(sum_strided, stria_sum(in->narrow, NULL, 0, false, out, err))
FAMILY(sum_long_rows, stria_sum(in->half_rows, last, 1, false, out, err))
FAMILY(sum_turned_half, stria_sum(in->half, first, 1, true, out, err))
FAMILY(sum_few, stria_sum(in->few, last, 1, false, out, err))
FAMILY(mean_turned, stria_mean(in->turned, last, 1, false, out, err))
FAMILY(amax, stria_amax(in->whole, first, 1, false, out, err))
FAMILY(argmax, stria_argmax(in->flat, STRIA_AXIS_NONE, false, out, err))
FAMILY(argmax_rows, stria_argmax(in->narrow, 1, false, out, err))
FAMILY(argmax_columns, stria_argmax(in->half, 0, false, out, err))
FAMILY(var, stria_var(in->flat, NULL, 0, 1, false, out, err))
FAMILY(var_rows, stria_var(in->half, last, 1, 1, false, out, err))
FAMILY(var_columns, stria_var(in->x, first, 1, 0, true, out, err))
FAMILY(norm, stria_norm(in->flat, 2, NULL, 0, false, STRIA_DTYPE_NONE, out, err))
FAMILY(norm_columns, stria_norm(in->turned, 3, first, 1, false, STRIA_DTYPE_NONE, out, err))
FAMILY(cumsum_flat, stria_cumsum(in->flat, 0, STRIA_DTYPE_NONE, out, err))
FAMILY(cumsum_rows, stria_cumsum(in->narrow, 1, STRIA_DTYPE_NONE, out, err))
FAMILY(cumsum_columns, stria_cumsum(in->half, 0, STRIA_DTYPE_NONE, out, err))
FAMILY(softmax, stria_softmax(in->x, 1, STRIA_DTYPE_NONE, out, err))
FAMILY(softmax_columns, stria_softmax(in->x, 0, STRIA_DTYPE_NONE, out, err))
FAMILY(softmax_long, stria_softmax(in->half_rows, 1, STRIA_DTYPE_NONE, out, err))
FAMILY(log_softmax_half, stria_log_softmax(in->half, 1, STRIA_DTYPE_NONE, out, err))
FAMILY(layer_norm, stria_layer_norm(in->half, NULL, NULL, (int64_t[]){COLUMNS}, 1, 1e-5, out, err))

/* ---------------------------------------------------------------- masks, products */

static stria_status count_bytes(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    const int64_t numel = stria_tensor_get_numel(in->whole);
    stria_tensor *line = NULL, *low = NULL;
    stria_status  status = stria_reshape(in->whole, &numel, 1, &line, err);

    if (status == STRIA_OK) status = stria_tensor_copy(line, STRIA_U8, &low, err); /* modulo 256 */
    if (status == STRIA_OK) status = stria_bincount(low, NULL, 0, out, err);
    stria_tensor_release(line);
    stria_tensor_release(low);
    return status;
}
FAMILY(bincount, count_bytes(in, out, err))
static stria_status sort(const stria_tensor *x, int axis, stria_tensor **values, stria_error *err)
{
    stria_tensor *indices = NULL;

    STRIA_TRY(stria_sort(x, axis, true, true, values, &indices, err));
    stria_tensor_release(indices);
    return STRIA_OK;
}

static stria_status topk(const stria_tensor *x, int64_t k, bool wants_order, stria_tensor **values, stria_error *err)
{
    stria_tensor *indices = NULL;

    STRIA_TRY(stria_topk(x, k, 1, true, wants_order, values, &indices, err));
    stria_tensor_release(indices);
    return STRIA_OK;
}

static stria_status unique(const stria_tensor *x, int dim, stria_tensor **values, stria_error *err)
{
    stria_tensor *inverse = NULL, *counts = NULL;

    STRIA_TRY(stria_unique(x, true, true, true, dim, values, &inverse, &counts, err));
    stria_tensor_release(inverse);
    stria_tensor_release(counts);
    return STRIA_OK;
}

static stria_status cat(const stria_tensor *a, const stria_tensor *b, stria_tensor **out, stria_error *err)
{
    return stria_cat((const stria_tensor *const[]){a, b, a}, 3, 0, out, err);
}

static stria_status pad(const stria_tensor *x, const char *mode, stria_tensor **out, stria_error *err)
{
    return stria_pad(x, (const int64_t[]){3, -2, 4, 1}, 4, mode, (stria_scalar){.kind = STRIA_SCALAR_INT}, out, err);
}

FAMILY(sort_rows, sort(in->half, 1, out, err))
FAMILY(sort_columns, sort(in->turned, 0, out, err))
FAMILY(topk, topk(in->turned, 7, true, out, err))
FAMILY(topk_unordered, topk(in->half, 20, false, out, err))
FAMILY(unique, unique(in->turned, STRIA_AXIS_NONE, out, err))
FAMILY(unique_slices, unique(in->half, 0, out, err))
FAMILY(cat, cat(in->x, in->x, out, err))

static stria_status run_median(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    stria_tensor *values = NULL;
    STRIA_TRY(stria_median(in->half_rows, 1, false, &values, out, err));
    stria_tensor_release(values);
    return STRIA_OK;
}

static stria_status run_mode(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    stria_tensor *values = NULL;
    STRIA_TRY(stria_mode(in->turned, 0, false, &values, out, err));
    stria_tensor_release(values);
    return STRIA_OK;
}

static stria_status run_cummax(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    stria_tensor *values = NULL;
    STRIA_TRY(stria_cummax(in->turned, 0, &values, out, err));
    stria_tensor_release(values);
    return STRIA_OK;
}

static stria_status run_largest(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    stria_tensor *values = NULL;
    STRIA_TRY(stria_max(in->narrow, 0, false, &values, out, err));
    stria_tensor_release(values);
    return STRIA_OK;
}

FAMILY(logsumexp, stria_logsumexp(in->flat, NULL, 0, false, out, err))
FAMILY(logsumexp_columns, stria_logsumexp(in->turned, first, 1, false, out, err))
FAMILY(logcumsumexp, stria_logcumsumexp(in->half_rows, 1, out, err))
FAMILY(quantile, stria_quantile(in->turned, in->share, 0, false, "linear", out, err))
FAMILY(nanmean, stria_nanmean(in->turned, first, 1, false, STRIA_DTYPE_NONE, out, err))
FAMILY(histc, stria_histc(in->turned, 30, -4, 4, out, err))
FAMILY(diff, stria_diff(in->turned, in->x, NULL, 3, 0, out, err))
FAMILY(trapezoid, stria_trapezoid(in->half, in->turned, 1, 0, out, err))
FAMILY(cov, stria_cov(in->tall, NULL, NULL, 1, out, err))
FAMILY(sum_to_size, stria_sum_to_size(in->turned, (const int64_t[]){COLUMNS}, 1, out, err))
FAMILY(cat_converted, cat(in->turned, in->half, out, err))
FAMILY(pad, pad(in->turned, "constant", out, err))
FAMILY(pad_reflect, pad(in->half, "reflect", out, err))
FAMILY(masked_select, stria_masked_select(in->turned, in->mask, out, err))

static stria_status run_masked_fill(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    stria_tensor *value = NULL;

    STRIA_TRY(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT, .i = 7}, &value, err));
    const stria_status status = stria_masked_fill(in->turned, in->mask, value, out, err);
    stria_tensor_release(value);
    return status;
}

FAMILY(matmul, stria_matmul(in->a, in->a, out, err))
FAMILY(matmul_converted, stria_matmul(in->b, in->a, out, err))
FAMILY(matmul_half, stria_matmul(in->b, in->b, out, err))
FAMILY(matmul_batch, stria_matmul(in->batch, in->batch, out, err))
FAMILY(matmul_vector, stria_matmul(in->a, in->vector, out, err))
FAMILY(matmul_columns, stria_matmul(in->vector, in->tall, out, err))

/* ---------------------------------------------------------------- the public iterator */

/* out = a + b of i64, at any strides. */
static void add_loop(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    (void)context;
    for (int64_t j = 0; j < n1; j++)
        for (int64_t i = 0; i < n0; i++)
            *(int64_t *)(void *)(data[0] + i * strides[0] + j * strides[3]) =
                *(int64_t *)(void *)(data[1] + i * strides[1] + j * strides[4]) +
                *(int64_t *)(void *)(data[2] + i * strides[2] + j * strides[5]);
}

/* out += x of i64, at any strides. */
static void sum_loop(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    (void)context;
    for (int64_t j = 0; j < n1; j++)
        for (int64_t i = 0; i < n0; i++)
            *(int64_t *)(void *)(data[0] + i * strides[0] + j * strides[2]) +=
                *(int64_t *)(void *)(data[1] + i * strides[1] + j * strides[3]);
}

/* out = 2 * x of f64, of lanes. */
static void double_loop(void *context, char *const *data, const int64_t *strides, int64_t count)
{
    (void)context;
    for (int64_t k = 0; k < count; k++)
        *(double *)(void *)(data[0] + k * strides[0]) = 2 * *(double *)(void *)(data[1] + k * strides[1]);
}

static stria_status sum_part(void *context, stria_iter *part, stria_error *err)
{
    (void)err;
    stria_iter_run_range(part, sum_loop, context, 0, stria_iter_get_numel(part));
    return STRIA_OK;
}

static stria_status run_for_each(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    stria_iter_config config;
    stria_iter        it;

    stria_iter_config_init(&config);
    stria_iter_config_set_binary_op(&config, NULL, in->wide, in->wide);
    STRIA_TRY(stria_iter_build(&it, &config, err));
    stria_iter_for_each(&it, add_loop, NULL, 1000);
    *out = stria_iter_take_output(&it, 0);
    stria_iter_release(&it);
    return STRIA_OK;
}

static stria_status run_buffered(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    static const stria_dtype lanes[] = {STRIA_F64, STRIA_F64};
    stria_iter_config        config;
    stria_iter               it;

    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, NULL, in->turned);
    STRIA_TRY(stria_iter_build(&it, &config, err));
    const stria_status status = stria_iter_for_each_buffered(&it, lanes, double_loop, NULL, 0, err);
    *out = stria_iter_take_output(&it, 0);
    stria_iter_release(&it);
    return status;
}

/* Sums of `wide` into a new tensor, along the axes in `reduced`. */
static stria_status reduce(const family_inputs *in, uint64_t reduced, bool by_part, stria_tensor **out,
                           stria_error *err)
{
    const int64_t     kept[] = {reduced & 1 ? 1 : WIDE_ROWS, reduced & 2 ? 1 : COLUMNS};
    stria_tensor     *view = NULL;
    stria_iter_config config;
    stria_iter        it;

    STRIA_TRY(stria_full(kept, 2, (stria_scalar){.kind = STRIA_SCALAR_INT}, STRIA_I64, STRIA_CPU, out, err));
    STRIA_TRY(stria_iter_view_reduced(*out, 2, reduced, true, &view, err));
    stria_iter_config_init(&config);
    stria_iter_config_set_reduce_op(&config, view, in->wide);
    stria_status status = stria_iter_build(&it, &config, err);
    if (status == STRIA_OK) {
        status = by_part ? stria_iter_foreach_reduced_elt(&it, sum_part, NULL, err)
                         : stria_iter_parallel_reduce(&it, sum_loop, NULL, err);
        stria_iter_release(&it);
    }
    stria_tensor_release(view);
    return status;
}

FAMILY(reduce_two_passes, reduce(in, 3, false, out, err))
FAMILY(reduce_kept_rows, reduce(in, 2, false, out, err))
FAMILY(reduce_kept_columns, reduce(in, 1, false, out, err))
FAMILY(reduce_parts, reduce(in, 2, true, out, err))

/* ---------------------------------------------------------------- all */

#define ROW(name)         \
    {                     \
#name, run_##name \
    }
const family families[] = {
    ROW(add),
    ROW(exp_flat),
    ROW(add_turned),
    ROW(add_converted),
    ROW(add_strided),
    ROW(where_mask),
    ROW(less_turned),
    ROW(in_place),
    ROW(expression),
    ROW(expression_kept),
    ROW(expression_wide),
    ROW(cast),
    ROW(cast_turned),
    ROW(contiguous),
    ROW(full),
    ROW(set),
    ROW(sum_all),
    ROW(sum_rows),
    ROW(sum_columns),
    ROW(sum_strided),
    ROW(sum_long_rows),
    ROW(sum_turned_half),
    ROW(sum_few),
    ROW(mean_turned),
    ROW(amax),
    ROW(argmax),
    ROW(argmax_rows),
    ROW(argmax_columns),
    ROW(var),
    ROW(var_rows),
    ROW(var_columns),
    ROW(norm),
    ROW(norm_columns),
    ROW(cumsum_flat),
    ROW(cumsum_rows),
    ROW(cumsum_columns),
    ROW(softmax),
    ROW(softmax_columns),
    ROW(softmax_long),
    ROW(log_softmax_half),
    ROW(layer_norm),
    ROW(bincount),
    ROW(sort_rows),
    ROW(sort_columns),
    ROW(topk),
    ROW(topk_unordered),
    ROW(unique),
    ROW(unique_slices),
    ROW(cat),
    ROW(median),
    ROW(mode),
    ROW(cummax),
    ROW(largest),
    ROW(logsumexp),
    ROW(logsumexp_columns),
    ROW(logcumsumexp),
    ROW(quantile),
    ROW(nanmean),
    ROW(histc),
    ROW(diff),
    ROW(trapezoid),
    ROW(cov),
    ROW(sum_to_size),
    ROW(cat_converted),
    ROW(pad),
    ROW(pad_reflect),
    ROW(masked_select),
    ROW(masked_fill),
    ROW(matmul),
    ROW(matmul_converted),
    ROW(matmul_half),
    ROW(matmul_batch),
    ROW(matmul_vector),
    ROW(matmul_columns),
    ROW(for_each),
    ROW(buffered),
    ROW(reduce_two_passes),
    ROW(reduce_kept_rows),
    ROW(reduce_kept_columns),
    ROW(reduce_parts),
};
const int family_count = sizeof families / sizeof *families;
