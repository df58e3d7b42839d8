/* max_pool.c - the largest elements of windows along the last three axes, and where they are. On other devices than the CPU it is made of calls. */
#include <math.h>

#include "base/error.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "call/compose.h"
#include "call/pooling.h"

#define DIMS STRIA_CONV_DIMS

/* One axis: window o begins at o * stride - padding. */
typedef struct axis {
    int64_t in, out, taps, stride, padding, dilation;
} axis;

/* Planes of row-major tensors. */
typedef struct task {
    axis        axis[DIMS];
    int64_t     in, out; /* elements of a plane */
    const void *x;
    void       *y;
    int64_t    *indices;
} task;

/* Elements of x that a window meets: first, first + dilation .. before end. */
static void get_window(const axis *a, int64_t o, int64_t *first, int64_t *end)
{
    const int64_t begin = o * a->stride - a->padding, last = begin + (a->taps - 1) * a->dilation;

    *first = begin >= 0 ? begin : begin + ((-begin - 1) / a->dilation + 1) * a->dilation;
    *end = last < a->in ? last + 1 : a->in;
}

/* NaN is the largest, and of two NaN the last one. */
#define T float
#define IS_NAN(x) isnan(x)
#define POOL pool_f32
#define FIND find_f32
#include "cpu/max_pool_template.h"
#define T double
#define IS_NAN(x) isnan(x)
#define POOL pool_f64
#define FIND find_f64
#include "cpu/max_pool_template.h"
#define T int64_t
#define IS_NAN(x) false
#define POOL pool_i64
#define FIND find_i64
#include "cpu/max_pool_template.h"

/* ---------------------------------------------------------------- calls */

/* Windows as slices, a tap of an axis after another. */
typedef struct slices {
    const axis   *axis;
    stria_tensor *values, *indices; /* of the windows; indices -1: padding alone */
} slices;

/* The elements that one tap of an axis meets. */
static stria_status slice(stria_tensor *x, const axis *a, int d, int64_t tap, stria_temps *temps, stria_tensor **part,
                          stria_error *err)
{
    const int64_t start = tap * a->dilation;

    STRIA_TRY(stria_slice(x, d, start, start + (a->out - 1) * a->stride + 1, a->stride, STRIA_TEMP, err));
    *part = STRIA_LAST;
    return STRIA_OK;
}

/* *to = condition ? x : *to, which is owned by the caller. */
static stria_status choose(const stria_tensor *condition, const stria_tensor *x, stria_tensor **to, stria_error *err)
{
    stria_tensor *y = NULL;

    STRIA_TRY(stria_where(condition, x, *to, &y, err));
    stria_tensor_release(*to);
    *to = y;
    return STRIA_OK;
}

/* One more tap: larger elements, NaN, and what is there where padding alone was. */
static stria_status add_tap(slices *s, const stria_tensor *x, const stria_tensor *indices, stria_temps *temps,
                            stria_error *err)
{
    const stria_tensor *is_larger;
    stria_tensor       *zero;

    STRIA_TRY(stria_gt(x, s->values, STRIA_TEMP, err));
    is_larger = STRIA_LAST;
    STRIA_TRY(stria_ne(x, x, STRIA_TEMP, err));
    STRIA_TRY(stria_logical_or(is_larger, STRIA_LAST, STRIA_TEMP, err));
    is_larger = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, 0, &zero, err));
    STRIA_TRY(stria_lt(s->indices, zero, STRIA_TEMP, err));
    STRIA_TRY(stria_logical_or(is_larger, STRIA_LAST, STRIA_TEMP, err));
    is_larger = STRIA_LAST;
    STRIA_TRY(choose(is_larger, x, &s->values, err));
    return choose(is_larger, indices, &s->indices, err);
}

/* Windows along one axis; d: the axis from the end, -1 .. -3. */
static stria_status reduce_axis(slices *s, const axis *a, int d, stria_error *err)
{
    stria_tensor *const x = s->values, *const indices = s->indices;
    stria_status status = STRIA_OK;

    s->values = s->indices = NULL;
    for (int64_t tap = 0; tap < a->taps && status == STRIA_OK; tap++) {
        stria_temps   temps = {{NULL}, 0};
        stria_tensor *part, *places;
        status = slice(x, a, d, tap, &temps, &part, err);
        if (status == STRIA_OK) status = slice(indices, a, d, tap, &temps, &places, err);
        if (status == STRIA_OK && tap == 0) {
            s->values = stria_tensor_retain(part);
            s->indices = stria_tensor_retain(places);
        } else if (status == STRIA_OK) {
            status = add_tap(s, part, places, &temps, err);
        }
        stria_temps_release(&temps);
    }
    stria_tensor_release(x);
    stria_tensor_release(indices);
    return status;
}

static stria_scalar get_lowest(stria_dtype dtype)
{
    const int bits = 8 * (int)stria_dtype_get_size(dtype);

    if (stria_dtype_get_category(dtype) == STRIA_CATEGORY_F) return stria_scalar_get(-INFINITY);
    if (stria_dtype_get_category(dtype) == STRIA_CATEGORY_U) return (stria_scalar){.kind = STRIA_SCALAR_INT};
    return (stria_scalar){.kind = STRIA_SCALAR_INT, .i = INT64_MIN >> (64 - bits)};
}

/* x with padding, and the number of each element, -1 of padding. */
static stria_status begin(slices *s, const stria_tensor *x, stria_temps *temps, stria_error *err)
{
    const stria_scalar none = {.kind = STRIA_SCALAR_INT, .i = -1}, zero = {.kind = STRIA_SCALAR_INT};
    const stria_scalar one = {.kind = STRIA_SCALAR_INT, .i = 1};
    const axis        *a = s->axis;
    const stria_scalar end = {.kind = STRIA_SCALAR_INT, .i = a[0].in * a[1].in * a[2].in};
    const int64_t      shape[] = {a[0].in, a[1].in, a[2].in};
    int64_t            pairs[2 * DIMS];

    for (int d = 0; d < DIMS; d++) {
        const int64_t reach = (a[d].taps - 1) * a[d].dilation + 1, padded = (a[d].out - 1) * a[d].stride + reach;
        pairs[2 * (DIMS - 1 - d)] = a[d].padding;
        pairs[2 * (DIMS - 1 - d) + 1] = padded - a[d].in - a[d].padding;
    }
    STRIA_TRY(stria_arange(zero, end, one, STRIA_I64, x->device, STRIA_TEMP, err));
    STRIA_TRY(stria_view(STRIA_LAST, shape, DIMS, STRIA_TEMP, err));
    const stria_tensor *numbers = STRIA_LAST;
    STRIA_TRY(stria_pad(x, pairs, 2 * DIMS, "constant", get_lowest(x->dtype), &s->values, err));
    return stria_pad(numbers, pairs, 2 * DIMS, "constant", none, &s->indices, err);
}

static stria_status pool_by_calls(const axis *a, const stria_tensor *x, stria_tensor **y, stria_error *err)
{
    stria_temps  temps = {{NULL}, 0};
    slices       s = {a, NULL, NULL};
    stria_status status = begin(&s, x, &temps, err);

    for (int d = DIMS - 1; d >= 0 && status == STRIA_OK; d--) status = reduce_axis(&s, &a[d], d - DIMS, err);
    if (status == STRIA_OK) status = stria_backend_copy(y[0], s.values, err);
    if (status == STRIA_OK) status = stria_backend_copy(y[1], s.indices, err);
    stria_tensor_release(s.values);
    stria_tensor_release(s.indices);
    stria_temps_release(&temps);
    return status;
}

/* ---------------------------------------------------------------- the CPU */

static void pool_planes(const stria_tensor *x, task *t, stria_dtype dtype)
{
    stria_range_fn *fn = dtype == STRIA_F32 ? pool_f32 : dtype == STRIA_F64 ? pool_f64 : pool_i64;
    const int64_t   taps = t->axis[0].taps * t->axis[1].taps * t->axis[2].taps, grain = STRIA_GRAIN / (t->out * taps);

    stria_parallel_for(stria_team_get(), 0, x->numel / t->in, grain > 1 ? grain : 1, fn, t);
}

/* i64 with the other sign: the bits of u64 in the same order. */
static stria_status turn_sign(const stria_tensor *x, stria_temps *temps, stria_error *err)
{
    const stria_scalar least = {.kind = STRIA_SCALAR_INT, .i = INT64_MIN};

    STRIA_TRY(stria_full(NULL, 0, least, STRIA_I64, x->device, STRIA_TEMP, err));
    return stria_bitwise_xor(x, STRIA_LAST, STRIA_TEMP, err);
}

/* x as f32, f64 or i64, row-major. */
static stria_status take(const stria_tensor *x, stria_dtype lane, stria_temps *temps, stria_error *err)
{
    STRIA_TRY(stria_tensor_copy(x, lane, STRIA_TEMP, err));
    if (x->dtype == STRIA_U64) STRIA_TRY(turn_sign(STRIA_LAST, temps, err));
    return stria_contiguous(STRIA_LAST, STRIA_TEMP, err);
}

static stria_status pool(task *t, const stria_tensor *x, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const bool        is_float = stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_F;
    const stria_dtype lane = is_float ? stria_dtype_get_compute(x->dtype) : STRIA_I64;
    stria_tensor     *values = y[0], *indices = y[1];

    if (x->dtype != lane || !stria_tensor_is_contiguous(x)) {
        STRIA_TRY(take(x, lane, temps, err));
        x = STRIA_LAST;
    }
    if (values->dtype != lane || !stria_tensor_is_contiguous(values)) {
        STRIA_TRY(stria_tensor_new(lane, values->ndim, values->shape, STRIA_TEMP, err));
        values = STRIA_LAST;
    }
    if (!stria_tensor_is_contiguous(indices)) {
        STRIA_TRY(stria_tensor_new(STRIA_I64, indices->ndim, indices->shape, STRIA_TEMP, err));
        indices = STRIA_LAST;
    }
    t->x = x->data;
    t->y = values->data;
    t->indices = (int64_t *)(void *)indices->data;
    pool_planes(x, t, lane);
    if (indices != y[1]) STRIA_TRY(stria_backend_copy(y[1], indices, err));
    if (values == y[0]) return STRIA_OK;
    if (y[0]->dtype == STRIA_U64) {
        STRIA_TRY(turn_sign(values, temps, err));
        values = STRIA_LAST;
    }
    return stria_backend_copy(y[0], values, err);
}

stria_status stria_cpu_max_pool3d_with_indices(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                               stria_error *err)
{
    const stria_max_pool3d_with_indices_attrs *attrs = call->attrs;
    const stria_tensor                        *x = call->in[0];
    task                                       t = {.in = 1, .out = 1};
    stria_temps                                temps = {{NULL}, 0};

    for (int d = 0; d < DIMS; d++) {
        const int64_t taps = attrs->kernel_size[d], stride = attrs->stride[d], at = x->ndim - DIMS + d;
        t.axis[d] = (axis){x->shape[at],      y[0]->shape[at],   taps, stride == STRIA_INT_NONE ? taps : stride,
                           attrs->padding[d], attrs->dilation[d]};
        t.in *= t.axis[d].in;
        t.out *= t.axis[d].out;
    }
    if (meta->device.type != STRIA_DEVICE_CPU) return pool_by_calls(t.axis, x, y, err);
    const stria_status status = pool(&t, x, y, &temps, err);
    stria_temps_release(&temps);
    return status;
}
