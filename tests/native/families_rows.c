/* families_rows.c - calls of families.h that are one row each: ops, copies, reductions, scans, order, products; and expressions. */
#include <math.h>

#include "base/error.h"
#include "families.h"

/* ---------------------------------------------------------------- element-wise */

FAMILY(add, stria_add(in->x, in->y, out, err))
FAMILY(exp_flat, stria_exp(in->flat, out, err))
FAMILY(add_turned, stria_add(in->x, in->turned, out, err))
FAMILY(add_converted, stria_add(in->half, in->whole, out, err))
FAMILY(add_strided, stria_add(in->narrow, in->half, out, err))
FAMILY(where_mask, stria_where(in->mask, in->turned, in->half, out, err))
FAMILY(less_turned, stria_lt(in->turned, in->whole, out, err))

/* In place: x + turned into a copy of x. */
stria_status family_in_place(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    STRIA_TRY(stria_tensor_copy(in->x, STRIA_F32, out, err));
    const stria_tensor *const operands[] = {*out, in->turned};
    return stria_apply_out(STRIA_OP_add, operands, 2, *out, err);
}

stria_status family_expression(const family_inputs *in, stria_tensor **out, stria_error *err)
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

stria_status family_expression_kept(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    return stria_expression_apply(in->kept, (const stria_tensor *const[]){in->x, in->y}, 2, out, err);
}

/* More inputs than the iterator keeps inline, more values at once than there are slots in scratch. */
stria_status family_expression_wide(const family_inputs *in, stria_tensor **out, stria_error *err)
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
stria_status family_full(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    const int64_t      n = 2 * stria_tensor_get_numel(in->x);
    const stria_scalar three = {.kind = STRIA_SCALAR_INT, .i = 3};

    return stria_full(&n, 1, three, STRIA_BF16, STRIA_CPU, out, err);
}

stria_status family_set(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    STRIA_TRY(stria_tensor_new(STRIA_I64, 2, (int64_t[]){FAMILY_ROWS, FAMILY_COLUMNS}, out, err));
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
FAMILY(layer_norm, stria_layer_norm(in->half, NULL, NULL, (int64_t[]){FAMILY_COLUMNS}, 1, 1e-5, out, err))

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

stria_status family_median(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    stria_tensor *values = NULL;
    STRIA_TRY(stria_median(in->half_rows, 1, false, &values, out, err));
    stria_tensor_release(values);
    return STRIA_OK;
}

stria_status family_mode(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    stria_tensor *values = NULL;
    STRIA_TRY(stria_mode(in->turned, 0, false, &values, out, err));
    stria_tensor_release(values);
    return STRIA_OK;
}

stria_status family_cummax(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    stria_tensor *values = NULL;
    STRIA_TRY(stria_cummax(in->turned, 0, &values, out, err));
    stria_tensor_release(values);
    return STRIA_OK;
}

stria_status family_largest(const family_inputs *in, stria_tensor **out, stria_error *err)
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
FAMILY(sum_to_size, stria_sum_to_size(in->turned, (const int64_t[]){FAMILY_COLUMNS}, 1, out, err))
FAMILY(cat_converted, cat(in->turned, in->half, out, err))
FAMILY(pad, pad(in->turned, "constant", out, err))
FAMILY(pad_reflect, pad(in->half, "reflect", out, err))
FAMILY(masked_select, stria_masked_select(in->turned, in->mask, out, err))

stria_status family_masked_fill(const family_inputs *in, stria_tensor **out, stria_error *err)
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

/* ---------------------------------------------------------------- ops of other families, complex numbers */

FAMILY(sin_half, stria_sin(in->half, out, err))
FAMILY(lgamma_turned, stria_lgamma(in->turned, out, err))
FAMILY(round_strided, stria_round(in->narrow, out, err))
FAMILY(logical_xor_turned, stria_logical_xor(in->turned, in->mask, out, err))
FAMILY(bitwise_and_strided, stria_bitwise_and(in->narrow, in->whole, out, err))
FAMILY(gelu_turned, stria_gelu(in->turned, out, err))
FAMILY(glu, stria_glu(in->half, 1, out, err))
FAMILY(addcmul, stria_addcmul(in->turned, in->half, in->x, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 3}, out, err))
FAMILY(isclose, stria_isclose(in->turned, in->x, 0.1, 0.1, false, out, err))
FAMILY(mul_complex, stria_mul(in->z, in->z_turned, out, err))
FAMILY(exp_complex_turned, stria_exp(in->z_turned, out, err))
FAMILY(sum_complex, stria_sum(in->z_turned, last, 1, false, out, err))
FAMILY(angle, stria_angle(in->z_turned, out, err))

/* ---------------------------------------------------------------- views that must copy, parts, joining, creation */

FAMILY(reshape_turned, stria_reshape(in->turned, (const int64_t[]){-1}, 1, out, err))
FAMILY(roll, stria_roll(in->turned, (const int64_t[]){5}, 1, last, 1, out, err))
FAMILY(repeat_interleave, stria_repeat_interleave(in->half, in->chosen, 0, out, err))
FAMILY(tril, stria_tril(in->turned, 3, out, err))
FAMILY(arange,
       stria_arange((stria_scalar){.kind = STRIA_SCALAR_INT}, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 100000},
                    (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 1}, STRIA_F32, STRIA_CPU, out, err))

/* ---------------------------------------------------------------- indexing */

FAMILY(gather, stria_gather(in->turned, in->rows, 0, out, err))
FAMILY(index_select, stria_index_select(in->turned, in->chosen, 1, out, err))
FAMILY(index, stria_index(in->flat, (const stria_tensor *const[]){in->places}, 1, out, err))
FAMILY(nonzero, stria_nonzero(in->turned, out, err))
FAMILY(scatter, stria_scatter(in->x, in->rows, in->turned, 0, "none", out, err))
FAMILY(scatter_add, stria_scatter_add(in->half, in->rows, in->half, 0, out, err))
FAMILY(scatter_reduce, stria_scatter_reduce(in->turned, in->rows, in->x, 0, "mean", true, out, err))
FAMILY(index_add,
       stria_index_add(in->few, in->spread, in->few, 0, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 2}, out, err))
FAMILY(index_put, stria_index_put(in->flat, in->share, (const stria_tensor *const[]){in->places}, 1, false, out, err))
FAMILY(index_put_added,
       stria_index_put(in->flat, in->share, (const stria_tensor *const[]){in->places}, 1, true, out, err))
FAMILY(one_hot, stria_one_hot(in->chosen, FAMILY_COLUMNS, out, err))

/* ---------------------------------------------------------------- products, statistics, layers, losses */

FAMILY(einsum, stria_einsum((const stria_tensor *const[]){in->a, in->tall}, 2, "ij,jk->ki", out, err))
FAMILY(tensordot, stria_tensordot(in->turned, in->x, 0, last, 1, last, 1, out, err))
FAMILY(cdist, stria_cdist(in->x, in->turned, 2, "use_mm_for_euclid_dist_if_necessary", out, err))
FAMILY(cdist_norms, stria_cdist(in->x, in->turned, 1, "donot_use_mm_for_euclid_dist", out, err))
FAMILY(svdvals, stria_svdvals(in->matrices, out, err))
FAMILY(det, stria_det(in->invertible, out, err))
FAMILY(inverse, stria_inverse(in->invertible, out, err))
FAMILY(matrix_norm, stria_matrix_norm(in->turned, "1", NULL, 0, false, STRIA_DTYPE_NONE, out, err))
FAMILY(quantile_flat, stria_quantile(in->flat, in->share, STRIA_AXIS_NONE, false, "midpoint", out, err))
FAMILY(histc_flat, stria_histc(in->flat, 100, 0, 0, out, err))
FAMILY(rms_norm, stria_rms_norm(in->half, NULL, (const int64_t[]){FAMILY_COLUMNS}, 1, NAN, out, err))
FAMILY(softmax_backward_columns, stria_softmax_backward(in->turned, in->x, 0, out, err))
FAMILY(linear, stria_linear(in->half, in->x, NULL, out, err))
FAMILY(mse_loss, stria_mse_loss(in->turned, in->half, "mean", out, err))
FAMILY(cross_entropy, stria_cross_entropy(in->turned, in->chosen, NULL, "mean", -100, 0.1, out, err))
FAMILY(binary_cross_entropy, stria_binary_cross_entropy_with_logits(in->turned, in->half, NULL, NULL, "none", out, err))
