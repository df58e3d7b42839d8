/* histc.c - how many elements lie in each of some bins of equal width. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/call.h"
#include "cpu/axis_rows.h"
#include "cpu/counts.h"
#include "cpu/keys.h"

#define BLOCK 1024

typedef struct histogram {
    stria_bins bins;
    int64_t   *counts;
} histogram;

/* What is done with a block of numbers. */
typedef void block_fn(histogram *h, const double *x, int64_t n);

static void widen(histogram *h, const double *x, int64_t n)
{
    stria_bins *b = &h->bins;

    for (int64_t k = 0; k < n && !isnan(b->least); k++) { /* NaN stays */
        if (!(x[k] >= b->least)) b->least = x[k];
        if (!(x[k] <= b->most)) b->most = x[k];
    }
}

static void count(histogram *h, const double *x, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        const int64_t bin = stria_bins_find(&h->bins, x[k]);
        if (bin >= 0) h->counts[bin]++;
    }
}

/* Every element of x as f64, block by block. */
static void for_each_block(const stria_tensor *x, histogram *h, block_fn *block)
{
    stria_cast_loop *load = stria_dispatch_get()->cast[x->dtype][STRIA_F64];
    const int        axis = x->ndim - 1;
    const int64_t    length = x->ndim > 0 ? x->shape[axis] : 1;
    const int64_t    step = x->ndim > 0 ? x->strides[axis] * stria_tensor_get_item_size(x) : 0;
    double           numbers[BLOCK];

    for (int64_t row = 0; row < (length > 0 ? x->numel / length : 0); row++) {
        const char *at = stria_row_get_data(x, axis, row);
        for (int64_t k = 0, n; k < length; k += n) {
            n = length - k < BLOCK ? length - k : BLOCK;
            load((char *)numbers, 8, at + k * step, step, n);
            block(h, numbers, n);
        }
    }
}

static bool is_narrow(const stria_tensor *x) { return x->dtype != STRIA_F64; }

/* A bound as bins of x have it. volatile: where two doubles that were rounded to float are stored side by side, gcc 12 (-O2, its SLP
 * vectorizer) leaves out the rounding. */
static double round_bound(const stria_tensor *x, double bound)
{
    const volatile float narrow = (float)bound;
    return is_narrow(x) ? (double)narrow : bound;
}

bool stria_bins_begin(const stria_tensor *x, const stria_histc_attrs *attrs, stria_bins *bins)
{
    *bins = (stria_bins){round_bound(x, attrs->min), round_bound(x, attrs->max), attrs->bins, is_narrow(x)};
    return attrs->min == attrs->max && x->numel > 0;
}

stria_status stria_bins_finish(stria_bins *bins, stria_error *err)
{
    if (!isfinite(bins->least) || !isfinite(bins->most))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "histc", "x", "finite numbers, or min and max", NULL,
                               "the elements range from %g to %g, and bins do not", bins->least, bins->most);
    if (bins->least == bins->most) {
        bins->least -= 1;
        bins->most += 1;
    }
    return STRIA_OK;
}

static stria_status find_bounds(const stria_tensor *x, const stria_histc_attrs *attrs, histogram *h, stria_error *err)
{
    if (stria_bins_begin(x, attrs, &h->bins)) {
        h->bins.least = (double)INFINITY;
        h->bins.most = -(double)INFINITY;
        for_each_block(x, h, widen);
    }
    return stria_bins_finish(&h->bins, err);
}

static void store(const histogram *h, stria_tensor *y)
{
    stria_cast_loop *cast = stria_dispatch_get()->cast[STRIA_I64][y->dtype];
    cast(y->data, y->strides[0] * stria_tensor_get_item_size(y), (const char *)h->counts, 8, h->bins.n);
}

stria_status stria_infer_histc(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_histc_attrs *attrs = call->attrs;
    const stria_tensor      *x = call->in[0];

    if (stria_dtype_get_category(x->dtype) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "a float", err);
    if (attrs->bins < 1)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "histc", "bins", "1 or more", NULL,
                               "bins must be 1 or more, not %lld", (long long)attrs->bins);
    const bool is_min_finite = isfinite(round_bound(x, attrs->min));
    if (!is_min_finite || !isfinite(round_bound(x, attrs->max)))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "histc", is_min_finite ? "max" : "min", "a finite number", NULL,
                               "bins from %g to %g: both must be finite numbers of %s", attrs->min, attrs->max,
                               is_narrow(x) ? "f32" : "f64");
    if (attrs->min > attrs->max)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "histc", "max", "min or above", NULL,
                               "max %g lies below min %g", attrs->max, attrs->min);
    meta->out[0].dtype = x->dtype;
    meta->out[0].order = STRIA_ORDER_ROW_MAJOR;
    meta->out[0].ndim = 1;
    meta->out[0].shape[0] = attrs->bins;
    return STRIA_OK;
}

stria_status stria_cpu_histc(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_histc_attrs *attrs = call->attrs;
    const stria_tensor      *x = call->in[0];
    histogram                h;
    size_t                   nbytes = 0;

    (void)meta;
    STRIA_TRY(find_bounds(x, attrs, &h, err));
    h.counts = stria_block_new_parts(h.bins.n, 8, &nbytes);
    if (!h.counts) return stria_error_set(err, STRIA_ERR_MEMORY, "histc", NULL, NULL, NULL, "no memory for the counts");
    memset(h.counts, 0, (size_t)h.bins.n * 8);
    for_each_block(x, &h, count);
    store(&h, y[0]);
    stria_block_release(h.counts, nbytes);
    return STRIA_OK;
}
