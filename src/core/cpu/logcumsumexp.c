/* logcumsumexp.c - the logarithm of running sums of exponentials along an axis.
 *
 * A row is taken in blocks, in f64. What came before a block is one number, the result so far. Where no result of the block lies more
 * than RANGE below its largest element, the terms exp(x - largest) neither overflow nor vanish beside the sums they belong to: the loops
 * of the op table make them and the kernels of the scans add them. Else elements are joined one by one. Both give the same bits on every
 * instruction set. */
#include <math.h>

#include "base/error.h"
#include "base/parallel.h"
#include "call/call.h"
#include "cpu/axis_rows.h"

#define BLOCK 1024
#define RANGE 600 /* exp(-600) is a normal f64 */

typedef struct exp_scan {
    const stria_axis_rows    *rows;
    const stria_lane_kernels *lane; /* of f64 */
} exp_scan;

static void run_1(const exp_scan *scan, stria_op op, double *x, int64_t n)
{
    char *const   data[2] = {(char *)x, (char *)x};
    const int64_t steps[2] = {8, 8};
    scan->lane->loop[op](data, steps, n);
}

static void run_2(const exp_scan *scan, stria_op op, double *x, double other, int64_t n)
{
    char *const   data[3] = {(char *)x, (char *)x, (char *)&other};
    const int64_t steps[3] = {8, 8, 0};
    scan->lane->loop[op](data, steps, n);
}

/* log(exp(a) + exp(b)) */
static double join(const exp_scan *scan, double a, double b)
{
    const double most = a > b ? a : b;
    double       rest = a > b ? b - a : a - b;

    if (isnan(a) || isnan(b)) return NAN;
    if (a == b && isinf(a)) return a;
    run_1(scan, STRIA_OP_exp, &rest, 1);
    run_1(scan, STRIA_OP_log1p, &rest, 1);
    return most + rest;
}

/* The largest element of the block and `sofar`, where the terms may be added up; else NaN. */
static double get_pivot(const double *x, int64_t n, double sofar)
{
    double most = sofar, first = sofar;

    for (int64_t k = 0; k < n; k++) {
        if (isnan(x[k])) return NAN;
        if (x[k] > most) most = x[k];
        if (first == -(double)INFINITY) first = x[k];
    }
    return isfinite(most) && most - first <= RANGE ? most : NAN;
}

/* Results take the place of x; returns the last one. */
static double scan_block(const exp_scan *scan, double *x, int64_t n, double sofar)
{
    const double pivot = get_pivot(x, n, sofar);
    double       before = sofar - pivot, total;

    if (isnan(pivot)) {
        for (int64_t k = 0; k < n; k++) x[k] = sofar = join(scan, sofar, x[k]);
        return sofar;
    }
    run_1(scan, STRIA_OP_exp, &before, 1);
    run_2(scan, STRIA_OP_sub, x, pivot, n);
    run_1(scan, STRIA_OP_exp, x, n);
    scan->lane->scan[0].start((char *)&total, 1);
    scan->lane->scan[0].row((char *)x, (const char *)x, n, (const char *)&before, (char *)&total);
    run_1(scan, STRIA_OP_log, x, n);
    run_2(scan, STRIA_OP_add, x, pivot, n);
    return x[n - 1];
}

static void rows_range(void *context, int thread, int64_t begin, int64_t end)
{
    const exp_scan        *scan = context;
    const stria_axis_rows *rows = scan->rows;
    _Alignas(64) double    x[BLOCK];
    (void)thread;

    for (int64_t k = begin; k < end; k++) {
        double  sofar = -(double)INFINITY;
        int64_t in, out;
        stria_axis_rows_get_offsets(rows, k, &in, &out);
        for (int64_t at = 0, n; at < rows->length; at += n) {
            n = rows->length - at < BLOCK ? rows->length - at : BLOCK;
            rows->load((char *)x, 8, rows->source + in + at * rows->in_step, rows->in_step, n);
            sofar = scan_block(scan, x, n, sofar);
            rows->store(rows->out + out + at * rows->out_step, rows->out_step, (const char *)x, 8, n);
        }
    }
}

/* ---------------------------------------------------------------- the row of the table */

stria_status stria_infer_logcumsumexp(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_logcumsumexp_attrs *attrs = call->attrs;
    const stria_tensor             *x = call->in[0];
    const stria_category            category = stria_dtype_get_category(x->dtype);

    if (category == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "bool, integer or float", err);
    STRIA_TRY(stria_infer_axis(call, x, attrs->dim, meta, err));
    stria_infer_same_shape(x, category == STRIA_CATEGORY_F ? x->dtype : STRIA_F32, &meta->out[0]);
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

stria_status stria_cpu_logcumsumexp(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                    stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    stria_axis_rows      rows;
    exp_scan             scan = {&rows, kernels->lane[STRIA_F64]};

    STRIA_TRY(stria_axis_rows_init(&rows, "logcumsumexp", kernels, call->in[0], y[0], meta->axis, STRIA_F64, err));
    const int64_t grain = STRIA_GRAIN / 16 / rows.length; /* an element takes much longer than a copy */
    stria_parallel_for(stria_team_get(), 0, rows.n_rows, grain > 1 ? grain : 1, rows_range, &scan);
    return STRIA_OK;
}
