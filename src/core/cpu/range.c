/* range.c - sequences of numbers: arange, linspace, logspace. Element k is found from k alone, so that chunks and blocks may begin
 * anywhere, and threads change no bit. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "cpu/range.h"
#include "cpu/sequence.h"
#include "simd/kernels.h"
#include "table/dtype.h"

/* ---------------------------------------------------------------- numbers */

static double get_double(stria_scalar value)
{
    if (value.kind == STRIA_SCALAR_FLOAT || value.kind == STRIA_SCALAR_COMPLEX) return value.re;
    return value.kind == STRIA_SCALAR_UINT ? (double)(uint64_t)value.i : (double)value.i;
}

static const char *print_scalar(char *text, size_t size, stria_scalar value)
{
    if (value.kind == STRIA_SCALAR_UINT)
        snprintf(text, size, "%llu", (unsigned long long)value.i);
    else if (value.kind == STRIA_SCALAR_FLOAT || value.kind == STRIA_SCALAR_COMPLEX)
        snprintf(text, size, "%g", isnan(value.re) ? fabs(value.re) : value.re); /* no sign of NaN */
    else
        snprintf(text, size, "%lld", (long long)value.i);
    return text;
}

static stria_status check_finite(const stria_call *call, const char *argument, stria_scalar value, stria_error *err)
{
    char got[32];

    if (isfinite(get_double(value)) && (value.kind != STRIA_SCALAR_COMPLEX || isfinite(value.im))) return STRIA_OK;
    if (value.kind == STRIA_SCALAR_COMPLEX && isfinite(value.re)) value.re = value.im;
    print_scalar(got, sizeof got, value);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), argument, "finite", got,
                           "%s is %s, but must be finite", argument, got);
}

/* ERR_DTYPE: a complex number. */
static stria_status check_real(const stria_call *call, const char *argument, stria_scalar value, stria_error *err)
{
    if (value.kind != STRIA_SCALAR_COMPLEX) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_DTYPE, stria_call_get_name(call), argument, "a real number", "complex",
                           "%s is complex, but must be real", argument);
}

bool stria_range_is_whole(stria_dtype dtype)
{
    const stria_category category = stria_dtype_get_category(dtype);
    return category == STRIA_CATEGORY_I || category == STRIA_CATEGORY_U;
}

/* What a bound or step is to elements of dtype: whole for integers. */
static double get_term(stria_scalar value, stria_dtype dtype)
{
    return stria_range_is_whole(dtype) ? trunc(get_double(value)) : get_double(value);
}

/* ---------------------------------------------------------------- arange */

/* A whole number from -2^64 + 1 to 2^64 - 1; 0 is not negative. */
typedef struct wide {
    bool     is_negative;
    uint64_t size;
} wide;

/* Cut to a whole number; false: too large. */
static bool get_wide(stria_scalar value, wide *w)
{
    if (value.kind == STRIA_SCALAR_FLOAT) {
        const double whole = trunc(value.re);
        if (!(fabs(whole) < 18446744073709551616.0)) return false;
        *w = (wide){whole < 0, (uint64_t)fabs(whole)};
        return true;
    }
    const uint64_t bits = (uint64_t)value.i;
    const bool     is_negative = value.kind == STRIA_SCALAR_INT && value.i < 0;
    *w = (wide){is_negative, is_negative ? 0 - bits : bits};
    return true;
}

static bool is_less(wide a, wide b)
{
    if (a.is_negative != b.is_negative) return a.is_negative;
    return a.is_negative ? a.size > b.size : a.size < b.size;
}

/* |a - b| - 1 of two that differ; false: 2^64 or more. */
static bool get_between(wide a, wide b, uint64_t *between)
{
    if (a.is_negative == b.is_negative) {
        *between = (a.size > b.size ? a.size - b.size : b.size - a.size) - 1;
        return true;
    }
    const uint64_t above = a.is_negative ? b.size : a.size;
    *between = (a.is_negative ? a.size : b.size) - 1 + above;
    return *between >= above;
}

static stria_status refuse_range(const char *argument, stria_scalar value, stria_dtype dtype, stria_error *err)
{
    const char *within = dtype == STRIA_U64 ? "u64" : "i64";
    char        got[32];

    print_scalar(got, sizeof got, value);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "arange", argument, within, got,
                           "%s is %s, but the elements must be within %s", argument, got, within);
}

static stria_status refuse_step(const stria_arange_attrs *a, stria_error *err)
{
    char step[32], start[32], end[32];

    print_scalar(step, sizeof step, a->step);
    print_scalar(start, sizeof start, a->start);
    print_scalar(end, sizeof end, a->end);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "arange", "step", "of the sign of end - start", step,
                           "step %s does not lead from %s to %s", step, start, end);
}

static stria_status refuse_zero(const stria_arange_attrs *a, stria_dtype dtype, stria_error *err)
{
    char step[32];

    print_scalar(step, sizeof step, a->step);
    if (get_double(a->step) == 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "arange", "step", "not 0", step, "step is 0");
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "arange", "step", "not 0 when it is cut to a whole number", step,
                           "step is %s, which is cut to 0 for %s", step, stria_dtype_get_name(dtype));
}

static stria_status refuse_count(stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_OVERFLOW, "arange", "end", NULL, NULL, "more than 2^63 - 1 elements");
}

static stria_status plan_whole(const stria_arange_attrs *a, stria_dtype dtype, stria_arange_plan *plan,
                               stria_error *err)
{
    wide     start, end, step;
    uint64_t between = 0;

    if (!get_wide(a->start, &start)) return refuse_range("start", a->start, dtype, err);
    if (!get_wide(a->end, &end)) return refuse_range("end", a->end, dtype, err);
    if (!get_wide(a->step, &step)) return refuse_range("step", a->step, dtype, err);
    if (step.size == 0) return refuse_zero(a, dtype, err);
    if (step.is_negative ? is_less(start, end) : is_less(end, start)) return refuse_step(a, err);
    const bool is_empty = !is_less(start, end) && !is_less(end, start);
    if (!is_empty && !get_between(start, end, &between)) return refuse_range("end", a->end, dtype, err);
    const uint64_t count = is_empty ? 0 : between / step.size + 1; /* 2^64 becomes 0 */
    const uint64_t last = between / step.size * step.size;         /* its distance from start */
    const uint64_t most = dtype == STRIA_U64 ? UINT64_MAX : (uint64_t)INT64_MAX;
    const uint64_t least = dtype == STRIA_U64 ? 0 : (uint64_t)INT64_MAX + 1; /* -least .. most: the elements */
    plan->whole_first = start.is_negative ? 0 - start.size : start.size;
    plan->whole_step = step.is_negative ? 0 - step.size : step.size;
    if (!is_empty && (start.is_negative ? start.size > least : start.size > most))
        return refuse_range("start", a->start, dtype, err);
    if (last > (step.is_negative ? plan->whole_first + least : most - plan->whole_first))
        return refuse_range("end", a->end, dtype, err);
    if (count > (uint64_t)INT64_MAX || (count == 0 && !is_empty)) return refuse_count(err);
    plan->count = (int64_t)count;
    return STRIA_OK;
}

static stria_status plan_floats(const stria_arange_attrs *a, stria_dtype dtype, stria_arange_plan *plan,
                                stria_error *err)
{
    const double start = get_double(a->start), end = get_double(a->end), step = get_double(a->step);
    const double reach = end - start;

    if (step == 0) return refuse_zero(a, dtype, err);
    if (step > 0 ? end < start : end > start) return refuse_step(a, err);
    const double count = ceil(isfinite(reach) ? reach / step : end / step - start / step);
    if (!(count < 9223372036854775808.0)) return refuse_count(err);
    plan->scale = isfinite(reach) ? 1 : 2;
    plan->first = start / plan->scale;
    plan->step = step / plan->scale;
    plan->count = (int64_t)count;
    return STRIA_OK;
}

stria_status stria_arange_plan_get(const stria_call *call, stria_dtype dtype, stria_arange_plan *plan, stria_error *err)
{
    const stria_arange_attrs *a = call->attrs;

    STRIA_TRY(check_finite(call, "start", a->start, err));
    STRIA_TRY(check_finite(call, "end", a->end, err));
    STRIA_TRY(check_finite(call, "step", a->step, err));
    return stria_range_is_whole(dtype) ? plan_whole(a, dtype, plan, err) : plan_floats(a, dtype, plan, err);
}

static bool is_whole_kind(stria_scalar value)
{
    return value.kind == STRIA_SCALAR_BOOL || value.kind == STRIA_SCALAR_INT || value.kind == STRIA_SCALAR_UINT;
}

stria_status stria_infer_arange(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_arange_attrs *a = call->attrs;
    const bool                are_whole = is_whole_kind(a->start) && is_whole_kind(a->end) && is_whole_kind(a->step);
    const bool                is_long = a->start.kind == STRIA_SCALAR_UINT || a->end.kind == STRIA_SCALAR_UINT;
    stria_dtype               dtype;
    stria_arange_plan         plan;

    STRIA_TRY(check_real(call, "start", a->start, err));
    STRIA_TRY(check_real(call, "end", a->end, err));
    STRIA_TRY(check_real(call, "step", a->step, err));
    STRIA_TRY(stria_infer_dtype(call, a->dtype, !are_whole ? STRIA_F32 : is_long ? STRIA_U64 : STRIA_I64, &dtype, err));
    if (!stria_range_is_whole(dtype) && stria_dtype_get_category(dtype) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "dtype", dtype, "an integer or a float", err);
    STRIA_TRY(stria_arange_plan_get(call, dtype, &plan, err));
    return stria_infer_shape(call, "end", &plan.count, 1, dtype, &meta->out[0], err);
}

static void make_whole(const void *sequence, int64_t first, int64_t count, void *block)
{
    const stria_arange_plan *plan = sequence;
    uint64_t                *to = block;

    for (int64_t k = 0; k < count; k++) to[k] = plan->whole_first + (uint64_t)(first + k) * plan->whole_step;
}

static void make_floats(const void *sequence, int64_t first, int64_t count, void *block)
{
    const stria_arange_plan *plan = sequence;
    double                  *to = block;

    for (int64_t k = 0; k < count; k++) to[k] = (plan->first + (double)(first + k) * plan->step) * plan->scale;
}

stria_status stria_cpu_arange(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    stria_arange_plan plan;
    (void)meta;

    STRIA_TRY(stria_arange_plan_get(call, y[0]->dtype, &plan, err));
    if (stria_range_is_whole(y[0]->dtype)) return stria_sequence_run(y[0], 0, STRIA_U64, make_whole, &plan, err);
    return stria_sequence_run(y[0], 0, STRIA_F64, make_floats, &plan, err);
}

/* ---------------------------------------------------------------- linspace */

static void plan_part(stria_linspace_plan *plan, int part, double start, double end)
{
    const double reach = end - start, last = (double)plan->last;
    const double step = isfinite(reach) ? reach / last : end / last - start / last;

    plan->start[part] = start;
    plan->end[part] = plan->last > 0 ? end : start;
    plan->step[part] = plan->last > 0 && isfinite(step) ? step : 0; /* of two elements it does not matter */
}

void stria_linspace_plan_get(stria_scalar start, stria_scalar end, int64_t steps, stria_dtype dtype,
                             stria_linspace_plan *plan)
{
    const bool is_complex = stria_dtype_get_category(dtype) == STRIA_CATEGORY_C;

    plan->n_parts = is_complex ? 2 : 1;
    plan->last = steps - 1;
    plan->half = steps / 2;
    plan_part(plan, 0, get_term(start, dtype), get_term(end, dtype));
    if (is_complex)
        plan_part(plan, 1, start.kind == STRIA_SCALAR_COMPLEX ? start.im : 0,
                  end.kind == STRIA_SCALAR_COMPLEX ? end.im : 0);
}

static stria_status infer_space(const stria_call *call, stria_scalar start, stria_scalar end, int64_t steps,
                                stria_dtype dtype, stria_call_meta *meta, stria_error *err)
{
    const bool is_complex = start.kind == STRIA_SCALAR_COMPLEX || end.kind == STRIA_SCALAR_COMPLEX;

    STRIA_TRY(stria_infer_dtype(call, dtype, is_complex ? STRIA_C64 : STRIA_F32, &dtype, err));
    if (dtype == STRIA_BOOL) return stria_infer_refuse_dtype(call, "dtype", dtype, "a number", err);
    if (stria_dtype_get_category(dtype) != STRIA_CATEGORY_C) {
        STRIA_TRY(check_real(call, "start", start, err));
        STRIA_TRY(check_real(call, "end", end, err));
    }
    STRIA_TRY(check_finite(call, "start", start, err));
    STRIA_TRY(check_finite(call, "end", end, err));
    return stria_infer_shape(call, "steps", &steps, 1, dtype, &meta->out[0], err);
}

stria_status stria_infer_linspace(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_linspace_attrs *a = call->attrs;
    return infer_space(call, a->start, a->end, a->steps, a->dtype, meta, err);
}

static void make_linspace(const void *sequence, int64_t first, int64_t count, void *block)
{
    const stria_linspace_plan *plan = sequence;
    double                    *to = block;
    const int64_t end = first + count, half = plan->half < first ? first : plan->half > end ? end : plan->half;

    for (int part = 0; part < plan->n_parts; part++) {
        double *at = to + part;
        for (int64_t k = first; k < half; k++, at += plan->n_parts)
            *at = plan->start[part] + (double)k * plan->step[part];
        for (int64_t k = half; k < end; k++, at += plan->n_parts)
            *at = plan->end[part] - (double)(plan->last - k) * plan->step[part];
    }
}

stria_status stria_linspace_set_whole(stria_tensor *y, int64_t k, stria_scalar value, stria_error *err)
{
    const bool    is_held = value.kind == STRIA_SCALAR_INT
                                ? y->dtype == STRIA_I64 || (y->dtype == STRIA_U64 && value.i >= 0)
                                : value.kind == STRIA_SCALAR_UINT && y->dtype == STRIA_U64;
    const int64_t none = 0;
    stria_tensor *element = NULL;

    if (!is_held) return STRIA_OK;
    STRIA_TRY(stria_tensor_view(y, 0, &none, &none, k * y->strides[0], &element, err));
    const stria_status status = stria_backend_fill(element, value, err);
    stria_tensor_release(element);
    return status;
}

stria_status stria_cpu_linspace(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_linspace_attrs *a = call->attrs;
    stria_linspace_plan         plan;
    (void)meta;

    stria_linspace_plan_get(a->start, a->end, a->steps, y[0]->dtype, &plan);
    STRIA_TRY(stria_sequence_run(y[0], 0, plan.n_parts == 2 ? STRIA_C128 : STRIA_F64, make_linspace, &plan, err));
    if (plan.last > 0) STRIA_TRY(stria_linspace_set_whole(y[0], plan.last, a->end, err));
    return stria_linspace_set_whole(y[0], 0, a->start, err);
}

/* ---------------------------------------------------------------- logspace */

typedef struct logspace {
    stria_exponents exponents;
    stria_loop     *pow;
} logspace;

static void run_loop(stria_loop *loop, double *to, double *a, double *b, bool is_one, int64_t count)
{
    char *const   data[] = {(char *)to, (char *)a, (char *)b};
    const int64_t size = (int64_t)sizeof *to, strides[] = {size, is_one ? 0 : size, size};
    loop(data, strides, count);
}

void stria_logspace_plan_get(const stria_logspace_attrs *a, stria_dtype dtype, stria_exponents *e)
{
    stria_linspace_plan plan;
    double              low, product_low, base = a->base;

    stria_linspace_plan_get(a->start, a->end, a->steps, dtype, &plan);
    *e = (stria_exponents){.start = plan.start[0],
                           .end = plan.end[0],
                           .step = plan.step[0],
                           .base = base,
                           .half = plan.half,
                           .last = plan.last};
    if (e->last == 0) return;
    const double last = (double)e->last;
    const double reach = stria_add_exact(e->end, -e->start, &low);
    const double product = stria_mul_exact(e->step, last, &product_low);
    e->step_low = (((reach - product) - product_low) + low) / last;
    /* beyond 2^60 powers are 0, 1 or infinite, and the sums above have no meaning */
    if (fabs(e->start) < 0x1p60 && fabs(e->end) < 0x1p60 && base > 0 && isfinite(base))
        run_loop(stria_dispatch_get()->lane[STRIA_F64]->loop[STRIA_OP_log], &e->log_base, &base, NULL, false, 1);
}

static void make_logspace(const void *sequence, int64_t first, int64_t count, void *block)
{
    const logspace        *plan = sequence;
    const stria_exponents *e = &plan->exponents;
    double                *to = block, low[STRIA_SEQUENCE_BLOCK], base = e->base;

    for (int64_t i = 0; i < count; i++) to[i] = stria_exponents_get(e, first + i, &low[i]);
    run_loop(plan->pow, to, &base, to, true, count);
    for (int64_t i = 0; i < count; i++) to[i] = stria_exponents_finish(e, to[i], low[i]);
}

stria_status stria_infer_logspace(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_logspace_attrs *a = call->attrs;

    STRIA_TRY(check_real(call, "start", a->start, err));
    STRIA_TRY(check_real(call, "end", a->end, err));
    STRIA_TRY(infer_space(call, a->start, a->end, a->steps, a->dtype, meta, err));
    if (stria_dtype_get_category(meta->out[0].dtype) == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "dtype", meta->out[0].dtype, "an integer or a float", err);
    return STRIA_OK;
}

stria_status stria_cpu_logspace(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    logspace plan;
    (void)meta;

    if (stria_dispatch_get() == NULL) return stria_isa_get_status(err);
    plan.pow = stria_dispatch_get()->lane[STRIA_F64]->loop[STRIA_OP_pow];
    stria_logspace_plan_get(call->attrs, y[0]->dtype, &plan.exponents);
    return stria_sequence_run(y[0], 0, STRIA_F64, make_logspace, &plan, err);
}
