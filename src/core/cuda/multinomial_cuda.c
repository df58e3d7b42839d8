/* multinomial_cuda.c - positions drawn by weights on CUDA, by the numbers that the CPU draws; how the weights add up is waited for. */
#include <math.h>

#include "base/error.h"
#include "cpu/multinomial.h"
#include "cuda/made_cuda.h"

/* Whether all elements of a bool are true. */
static stria_status are_all(stria_temps *temps, const stria_tensor *x, bool *all, stria_error *err)
{
    uint8_t value = 0;

    STRIA_TRY(stria_reduce(STRIA_RED_all, x, NULL, 0, false, STRIA_DTYPE_NONE, STRIA_TEMP, err));
    STRIA_TRY(stria_cuda_read(STRIA_LAST, STRIA_BOOL, &value, err));
    *all = value != 0;
    return STRIA_OK;
}

/* As of check_row of the CPU, of the first row that it would refuse. */
static stria_status check_rows(stria_temps *temps, const stria_tensor *weights, const stria_tensor *positive,
                               int64_t least, stria_error *err)
{
    const int     axis = 1;
    stria_tensor *zero, *infinity, *wanted, *counts, *one, *other;
    int64_t       count, row;
    bool          is_fine;

    STRIA_TRY(stria_cuda_make_whole(temps, 0, &zero, err));
    STRIA_TRY(stria_temps_number(temps, (double)INFINITY, &infinity, err));
    STRIA_TRY(stria_ge(weights, zero, STRIA_TEMP, err));
    one = STRIA_LAST;
    STRIA_TRY(stria_lt(weights, infinity, STRIA_TEMP, err));
    STRIA_TRY(stria_logical_and(one, STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(are_all(temps, STRIA_LAST, &is_fine, err));
    if (!is_fine) return stria_multinomial_refuse_weights(err);
    STRIA_TRY(stria_reduce(STRIA_RED_sum, positive, &axis, 1, false, STRIA_I64, STRIA_TEMP, err));
    counts = STRIA_LAST;
    STRIA_TRY(stria_cuda_make_whole(temps, least, &wanted, err));
    STRIA_TRY(stria_ge(counts, wanted, STRIA_TEMP, err));
    one = STRIA_LAST;
    STRIA_TRY(stria_reduce(STRIA_RED_sum, weights, &axis, 1, false, STRIA_DTYPE_NONE, STRIA_TEMP, err));
    STRIA_TRY(stria_lt(STRIA_LAST, infinity, STRIA_TEMP, err));
    STRIA_TRY(stria_logical_and(one, STRIA_LAST, STRIA_TEMP, err));
    other = STRIA_LAST;
    STRIA_TRY(are_all(temps, other, &is_fine, err));
    if (is_fine) return STRIA_OK;
    STRIA_TRY(stria_to(other, STRIA_U8, STRIA_TEMP, err));
    STRIA_TRY(stria_argmin(STRIA_LAST, 0, false, STRIA_TEMP, err));
    STRIA_TRY(stria_cuda_read(STRIA_LAST, STRIA_I64, &row, err));
    STRIA_TRY(stria_select(counts, 0, row, STRIA_TEMP, err));
    STRIA_TRY(stria_cuda_read(STRIA_LAST, STRIA_I64, &count, err));
    return stria_multinomial_refuse_row(count, least, err);
}

/* The running sums of the weights, which do not grow but at one above 0; and the last of those. Sums of rows of many blocks may be rounded
 * otherwise than those of neighbours: the largest so far is taken, and only where the weight is above 0. */
static stria_status make_sums(stria_temps *temps, const stria_tensor *weights, const stria_tensor *positive,
                              stria_tensor **sums, stria_tensor **last, stria_error *err)
{
    const int64_t n = weights->shape[1];
    stria_tensor *numbers, *zero, *largest = NULL, *places = NULL, *at = NULL, *unused = NULL, *all;

    STRIA_TRY(stria_cumsum(weights, 1, STRIA_DTYPE_NONE, STRIA_TEMP, err));
    all = STRIA_LAST;
    STRIA_TRY(stria_cuda_make_whole(temps, 0, &zero, err));
    STRIA_TRY(stria_where(positive, all, zero, STRIA_TEMP, err));
    STRIA_TRY(stria_cummax(STRIA_LAST, 1, &largest, &unused, err));
    stria_tensor_release(unused);
    STRIA_TRY(stria_temps_keep(temps, largest, err));
    *sums = largest;
    STRIA_TRY(stria_cuda_make_numbers(temps, weights->device, 0, n, &numbers, err));
    STRIA_TRY(stria_where(positive, numbers, zero, STRIA_TEMP, err));
    STRIA_TRY(stria_max(STRIA_LAST, 1, true, &places, &at, err));
    stria_tensor_release(at);
    STRIA_TRY(stria_temps_keep(temps, places, err));
    *last = places;
    return STRIA_OK;
}

/* With replacement: a position is where the share u of the sum lies. */
static stria_status draw_shares(stria_temps *temps, const stria_multinomial_attrs *a, const stria_tensor *weights,
                                const stria_tensor *positive, stria_tensor *y, stria_error *err)
{
    const int64_t rows = weights->shape[0], n = weights->shape[1], shape[] = {rows, a->num_samples};
    stria_tensor *sums, *last, *u;

    STRIA_TRY(make_sums(temps, weights, positive, &sums, &last, err));
    STRIA_TRY(stria_rand(shape, 2, STRIA_F64, weights->device, a->generator, STRIA_TEMP, err));
    u = STRIA_LAST;
    STRIA_TRY(stria_slice(sums, 1, n - 1, n, 1, STRIA_TEMP, err));
    STRIA_TRY(stria_mul(u, STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(stria_searchsorted(sums, STRIA_LAST, NULL, true, "none", false, STRIA_TEMP, err));
    STRIA_TRY(stria_minimum(STRIA_LAST, last, STRIA_TEMP, err));
    return stria_cuda_set_flat(temps, y, STRIA_LAST, err);
}

/* Without: the smallest of exponential numbers divided by the weights, in order; NaN is the largest of all. */
static stria_status draw_all(stria_temps *temps, const stria_multinomial_attrs *a, const stria_tensor *weights,
                             const stria_tensor *positive, stria_tensor *y, stria_error *err)
{
    stria_tensor *nan, *keys, *values = NULL, *indices = NULL;

    STRIA_TRY(stria_exponential(weights, 1, a->generator, STRIA_TEMP, err));
    STRIA_TRY(stria_div(STRIA_LAST, weights, STRIA_TEMP, err));
    keys = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, (double)NAN, &nan, err));
    STRIA_TRY(stria_where(positive, keys, nan, STRIA_TEMP, err));
    STRIA_TRY(stria_topk(STRIA_LAST, a->num_samples, -1, false, true, &values, &indices, err));
    stria_tensor_release(values);
    STRIA_TRY(stria_temps_keep(temps, indices, err));
    return stria_cuda_set_flat(temps, y, indices, err);
}

static stria_status make_multinomial(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                     stria_temps *temps, stria_error *err)
{
    const stria_multinomial_attrs *a = call->attrs;
    const stria_tensor            *x = call->in[0];
    const int                      axis = 1;
    stria_tensor                  *weights, *zero, *positive;
    (void)meta;

    if (y[0]->numel == 0) return STRIA_OK;
    STRIA_TRY(stria_cuda_make_rows(temps, x, x->ndim - 1, STRIA_F64, &weights, err));
    STRIA_TRY(stria_cuda_make_whole(temps, 0, &zero, err));
    STRIA_TRY(stria_gt(weights, zero, STRIA_TEMP, err));
    positive = STRIA_LAST;
    STRIA_TRY(check_rows(temps, weights, positive, a->replacement ? 1 : a->num_samples, err));
    STRIA_TRY(stria_reduce(STRIA_RED_amax, weights, &axis, 1, true, STRIA_DTYPE_NONE, STRIA_TEMP, err));
    STRIA_TRY(stria_div(weights, STRIA_LAST, STRIA_TEMP, err));
    weights = STRIA_LAST;
    return a->replacement ? draw_shares(temps, a, weights, positive, y[0], err)
                          : draw_all(temps, a, weights, positive, y[0], err);
}

stria_status stria_cuda_multinomial(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                    stria_error *err)
{
    return stria_cuda_make(make_multinomial, call, meta, y, err);
}
