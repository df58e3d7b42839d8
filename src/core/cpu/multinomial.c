/* multinomial.c - positions drawn by weights. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "call/backend.h"
#include "cpu/multinomial.h"

stria_status stria_infer_multinomial(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_multinomial_attrs *a = call->attrs;
    const stria_tensor            *x = call->in[0];
    stria_output_meta             *out = &meta->out[0];
    char                           got[32];

    if (stria_dtype_get_category(x->dtype) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "a real float", err);
    if (x->ndim < 1 || x->ndim > 2 || x->shape[x->ndim - 1] == 0) {
        stria_shape_print(got, sizeof got, x->ndim, x->shape);
        return stria_error_set(err, STRIA_ERR_SHAPE, "multinomial", "x", "a vector or a matrix of weights", got,
                               "x has shape %s, but must be a vector or a matrix of weights", got);
    }
    snprintf(got, sizeof got, "%lld", (long long)a->num_samples);
    if (a->num_samples < 1)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "multinomial", "num_samples", "1 or more", got,
                               "num_samples is %s, but must be 1 or more", got);
    if (!a->replacement && a->num_samples > x->shape[x->ndim - 1])
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "multinomial", "num_samples", "at most as many as weights", got,
                               "num_samples is %s, but there are %lld weights", got, (long long)x->shape[x->ndim - 1]);
    const int64_t shape[2] = {x->ndim == 2 ? x->shape[0] : a->num_samples, a->num_samples};
    return stria_infer_shape(call, "num_samples", shape, x->ndim, STRIA_I64, out, err);
}

stria_status stria_multinomial_refuse_weights(stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "multinomial", "x", "finite weights, 0 or more", NULL,
                           "x has elements that are negative, infinite or NaN");
}

stria_status stria_multinomial_refuse_row(int64_t count, int64_t least, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "multinomial", "x", "enough weights above 0", NULL,
                           "a row of x has %lld weights above 0 of the %lld that are wanted, or no finite sum",
                           (long long)count, (long long)least);
}

/* Weights of a row that can be drawn. ERR_ARGUMENT: what is no weight, or a row that has too few. */
static stria_status check_row(const double *weights, int64_t n, int64_t least, stria_error *err)
{
    int64_t count = 0;
    double  sum = 0;

    for (int64_t k = 0; k < n; k++) {
        if (!(weights[k] >= 0 && weights[k] < INFINITY)) return stria_multinomial_refuse_weights(err);
        count += weights[k] > 0;
        sum += weights[k];
    }
    if (count >= least && sum < INFINITY) return STRIA_OK;
    return stria_multinomial_refuse_row(count, least, err);
}

/* With replacement: the weights become their running sums, and a position is where the share u of the sum lies. */
static void draw_row(double *weights, int64_t n, const double *u, int64_t *y, int64_t count)
{
    int64_t last = 0; /* the last one that can be drawn */

    for (int64_t k = 0; k < n; k++)
        if (weights[k] > 0) last = k;
    for (int64_t k = 1; k < n; k++) weights[k] += weights[k - 1];
    for (int64_t i = 0; i < count; i++) {
        const double share = u[i] * weights[n - 1];
        int64_t      low = 0, high = last;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (weights[middle] > share)
                high = middle;
            else
                low = middle + 1;
        }
        y[i] = low;
    }
}

/* Without: the smallest of exponential numbers divided by the weights are drawn in the right order. Source: Efraimidis and Spirakis,
 * Weighted random sampling with a reservoir, Inf. Process. Lett. 97 (2006). */
static stria_status draw_all(stria_tensor *weights, stria_generator *generator, stria_tensor *y, stria_error *err)
{
    stria_tensor *values = NULL, *indices = NULL, *keys = NULL;
    stria_status  status = stria_exponential(weights, 1, generator, &keys, err);

    for (int64_t k = 0; status == STRIA_OK && k < keys->numel; k++) {
        const double weight = ((const double *)(const void *)weights->data)[k];
        double      *key = (double *)(void *)keys->data + k;
        *key = weight > 0 ? *key / weight : NAN; /* the largest of all */
    }
    if (status == STRIA_OK) status = stria_topk(keys, y->shape[y->ndim - 1], -1, false, true, &values, &indices, err);
    if (status == STRIA_OK) status = stria_backend_copy(y, indices, err);
    stria_tensor_release(keys);
    stria_tensor_release(values);
    stria_tensor_release(indices);
    return status;
}

/* Weights divided by the largest of their row, so that no quotient of them overflows. */
static void scale_row(double *weights, int64_t n)
{
    double largest = 0;

    for (int64_t k = 0; k < n; k++) largest = fmax(largest, weights[k]);
    for (int64_t k = 0; k < n; k++) weights[k] /= largest;
}

static stria_status draw(const stria_multinomial_attrs *a, stria_tensor *weights, stria_tensor *y, stria_error *err)
{
    const int64_t n = weights->shape[weights->ndim - 1], rows = weights->numel / n;
    const int64_t shape[2] = {rows, a->num_samples};
    double       *at = (double *)(void *)weights->data;
    stria_tensor *u = NULL, *found = NULL;

    for (int64_t r = 0; r < rows; r++) STRIA_TRY(check_row(at + r * n, n, a->replacement ? 1 : a->num_samples, err));
    for (int64_t r = 0; r < rows; r++) scale_row(at + r * n, n);
    if (!a->replacement) return draw_all(weights, a->generator, y, err);
    STRIA_TRY(stria_rand(shape, 2, STRIA_F64, STRIA_CPU, a->generator, &u, err));
    stria_status status = stria_tensor_new(STRIA_I64, y->ndim, y->shape, &found, err);
    for (int64_t r = 0; status == STRIA_OK && r < rows; r++)
        draw_row(at + r * n, n, (const double *)(const void *)u->data + r * a->num_samples,
                 (int64_t *)(void *)found->data + r * a->num_samples, a->num_samples);
    if (status == STRIA_OK) status = stria_backend_copy(y, found, err);
    stria_tensor_release(u);
    stria_tensor_release(found);
    return status;
}

stria_status stria_cpu_multinomial(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                   stria_error *err)
{
    const stria_tensor *x = call->in[0];
    stria_tensor       *weights = NULL;
    (void)meta;

    STRIA_TRY(stria_tensor_new(STRIA_F64, x->ndim, x->shape, &weights, err));
    stria_status status = stria_backend_copy(weights, x, err);
    if (status == STRIA_OK) status = draw(call->attrs, weights, y[0], err);
    stria_tensor_release(weights);
    return status;
}
