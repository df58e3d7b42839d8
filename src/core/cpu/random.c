/* random.c - random numbers: groups of words of a generator's stream, and what is made of them in place (simd/kernels.h). Elements are
 * numbered in row-major order, whatever the memory order; work is cut into groups, so that no number depends on the threads. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/generator.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "cpu/random_numbers.h"
#include "simd/kernels.h"

#define BLOCK 16 /* groups at once, 4 KB */

/* Numbers, and where they go. */
typedef struct fill_task {
    const stria_random_numbers *r;
    const stria_kernels        *kernels;
    char                       *dst;
    stria_dtype                 dtype;
    int64_t                     numel;
} fill_task;

static int64_t count_in_group(const stria_random_numbers *r)
{
    if (r->kind == STRIA_RANDOM_WHOLE) return STRIA_RANDOM_WORDS / stria_random_count_words(r->count);
    return STRIA_RANDOM_BYTES / (int64_t)stria_dtype_get_size(r->lane);
}

static stria_random_map *get_map(const fill_task *task)
{
    const stria_random_kernels *k = &task->kernels->lane[task->r->lane]->random;
    stria_random_map *const     maps[] = {NULL, k->uniform, k->normal, k->exponential};

    return maps[task->r->kind];
}

/* The upper half of the product, and the lower one. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low)
{
    const uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    const uint64_t p = a0 * b0, q = a1 * b0 + (p >> 32), r = a0 * b1 + (q & UINT32_MAX);

    *low = r << 32 | (p & UINT32_MAX);
    return a1 * b1 + (q >> 32) + (r >> 32);
}

/* Whole numbers in place of the words of n groups: low + floor(count x), where the words are a fraction x of 64 or 128 bits. */
static void map_whole(const stria_random_numbers *r, char *data, int64_t n)
{
    const int words = stria_random_count_words(r->count);
    uint64_t *to = (uint64_t *)(void *)data, *from = to, low, rest, sum;

    for (int64_t k = n * STRIA_RANDOM_WORDS / words; k > 0; k--, from += words / 2) {
        uint64_t number = r->count == 0 ? *from : multiply(from[words / 2 - 1], r->count, &low);
        if (words == 4) {
            rest = multiply(from[0], r->count, &sum);
            number += low + rest < low;
        }
        *to++ = r->low + number;
    }
}

static void run_groups(void *context, int chunk, int64_t begin, int64_t end)
{
    const fill_task            *task = context;
    const stria_random_numbers *r = task->r;
    const int64_t               each = count_in_group(r), size = (int64_t)stria_dtype_get_size(task->dtype);
    stria_cast_loop            *cast = task->kernels->cast[r->lane][task->dtype];
    stria_random_map           *map = get_map(task);
    _Alignas(64) char           block[BLOCK * STRIA_RANDOM_BYTES];
    (void)chunk;

    for (int64_t g = begin; g < end; g += BLOCK) {
        const int64_t n = end - g < BLOCK ? end - g : BLOCK, first = g * each;
        const int64_t count = task->numel - first < n * each ? task->numel - first : n * each;
        char         *dst = task->dst + first * size;
        const bool    direct = map != NULL && r->lane == task->dtype && count == n * each;
        char         *data = direct ? dst : block;
        task->kernels->lane[STRIA_U32]->random.words(data, r->state.seed, r->state.offset + (uint64_t)g, n);
        if (map != NULL)
            map(data, n, r->bits, r->a, r->b, r->limit);
        else
            map_whole(r, data, n);
        if (!direct) cast(dst, size, data, (int64_t)stria_dtype_get_size(r->lane), count);
    }
}

/* Fills a row-major tensor. */
static stria_status fill_whole_tensor(const stria_random_numbers *r, int64_t n, stria_tensor *y, stria_error *err)
{
    fill_task task = {r, stria_dispatch_get(), y->data, y->dtype, y->numel};

    if (y->device.type != STRIA_DEVICE_CPU) return stria_backend_get(y->device)->random(r, n, y, err);
    stria_parallel_for(stria_team_get(), 0, n, STRIA_GRAIN / count_in_group(r), run_groups, &task);
    return STRIA_OK;
}

/* Fills y; where it is not row-major, apart first. */
static stria_status fill(stria_random_numbers *r, stria_generator *generator, stria_tensor *y, stria_error *err)
{
    stria_tensor *whole = NULL;

    if (stria_tensor_is_contiguous(y))
        whole = stria_tensor_retain(y);
    else
        STRIA_TRY(stria_tensor_new_on(y->device, y->dtype, y->ndim, y->shape, NULL, &whole, err));
    const int64_t n = (y->numel - 1) / count_in_group(r) + 1;
    r->state = stria_generator_take(generator, (uint64_t)n);
    stria_status status = fill_whole_tensor(r, n, whole, err);
    if (status == STRIA_OK && whole != y) status = stria_backend_copy(y, whole, err);
    stria_tensor_release(whole);
    return status;
}

/* ---------------------------------------------------------------- floats */

/* Bits of a float dtype, its first power of 2 that is too large, and its smallest number. */
typedef struct float_facts {
    int    bits, most;
    double least;
} float_facts;

static float_facts get_facts(stria_dtype dtype)
{
    if (dtype == STRIA_F16) return (float_facts){11, 16, 0x1p-24};
    if (dtype == STRIA_BF16) return (float_facts){8, 128, 0x1p-133};
    return dtype == STRIA_F32 ? (float_facts){24, 128, 0x1p-149} : (float_facts){53, 1024, DBL_TRUE_MIN};
}

static stria_random_numbers begin_floats(stria_random_kind kind, stria_dtype dtype)
{
    return (stria_random_numbers){
        .kind = kind, .lane = dtype == STRIA_F64 ? STRIA_F64 : STRIA_F32, .bits = get_facts(dtype).bits};
}

/* The distance of the numbers of a dtype from x towards 0, at least that of its smallest ones. */
static double get_step(float_facts facts, double x)
{
    int exponent;
    frexp(x, &exponent);
    return fmax(ldexp(1, exponent - facts.bits), facts.least);
}

/* x as a number of the dtype; infinite where it has none. */
static double round_to(stria_dtype dtype, double x)
{
    const float_facts facts = get_facts(dtype);
    if (dtype == STRIA_F64 || x == 0) return x;
    const double step = get_step(facts, x), y = rint(x / step) * step;
    return fabs(y) < ldexp(1, facts.most) ? y : copysign(INFINITY, x);
}

/* The largest number of the dtype below x, which is one. */
static double get_below(stria_dtype dtype, double x)
{
    const float_facts facts = get_facts(dtype);
    int               exponent;

    if (x == 0) return -facts.least;
    const double step = get_step(facts, x);
    return x > 0 && frexp(x, &exponent) == 0.5 ? x - fmax(step / 2, facts.least) : x - step;
}

static stria_status check_float(const stria_call *call, const char *argument, stria_dtype dtype, stria_error *err)
{
    if (stria_dtype_get_category(dtype) == STRIA_CATEGORY_F) return STRIA_OK;
    return stria_infer_refuse_dtype(call, argument, dtype, "a real float", err);
}

/* A shape, with a float dtype. */
static stria_status infer_shape(const stria_call *call, stria_sizes shape, stria_dtype dtype, stria_call_meta *meta,
                                stria_error *err)
{
    STRIA_TRY(stria_infer_dtype(call, dtype, STRIA_F32, &dtype, err));
    STRIA_TRY(check_float(call, "dtype", dtype, err));
    return stria_infer_shape(call, "shape", shape.at, shape.n, dtype, &meta->out[0], err);
}

/* As x, of a float dtype. */
static stria_status infer_like(const stria_call *call, stria_dtype dtype, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0];

    STRIA_TRY(stria_infer_dtype(call, dtype, x->dtype, &dtype, err));
    STRIA_TRY(check_float(call, dtype == x->dtype ? "x" : "dtype", dtype, err));
    STRIA_TRY(stria_infer_shape(call, "x", x->shape, x->ndim, dtype, &meta->out[0], err));
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

stria_status stria_infer_rand(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_rand_attrs *a = call->attrs;
    return infer_shape(call, a->shape, a->dtype, meta, err);
}

stria_status stria_infer_rand_like(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_like(call, ((const stria_rand_like_attrs *)call->attrs)->dtype, meta, err);
}

static stria_status fill_uniform(stria_generator *generator, double from, double to, stria_tensor *y, stria_error *err)
{
    stria_random_numbers r = begin_floats(STRIA_RANDOM_UNIFORM, y->dtype);

    r.a = from;
    r.b = ldexp(to - from, -r.bits);
    r.limit = from == to ? from : get_below(y->dtype, to);
    return fill(&r, generator, y, err);
}

stria_status stria_cpu_rand(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return fill_uniform(((const stria_rand_attrs *)call->attrs)->generator, 0, 1, y[0], err);
}

stria_status stria_cpu_rand_like(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    (void)meta;
    return fill_uniform(((const stria_rand_like_attrs *)call->attrs)->generator, 0, 1, y[0], err);
}

/* ERR_ARGUMENT unless the number, rounded to the dtype, is finite. */
static stria_status check_number(const stria_call *call, const char *argument, double value, stria_dtype dtype,
                                 stria_error *err)
{
    char got[32];

    if (isfinite(round_to(dtype, value))) return STRIA_OK;
    snprintf(got, sizeof got, "%g", value);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), argument, "a finite number", got,
                           "%s is %s, but must be a finite number of %s", argument, got, stria_dtype_get_name(dtype));
}

stria_status stria_infer_uniform(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_uniform_attrs *a = call->attrs;
    char                       got[32], expected[48];

    STRIA_TRY(infer_like(call, STRIA_DTYPE_NONE, meta, err));
    const stria_dtype dtype = meta->out[0].dtype;
    STRIA_TRY(check_number(call, "from", a->from, dtype, err));
    STRIA_TRY(check_number(call, "to", a->to, dtype, err));
    snprintf(got, sizeof got, "%g", a->to);
    snprintf(expected, sizeof expected, "at least from, %g", a->from);
    if (!(a->from <= a->to))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "uniform", "to", expected, got, "to is %s, but must be %s", got,
                               expected);
    if (isfinite(round_to(dtype, a->to - a->from))) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "uniform", "to", "at a finite distance from from", got,
                           "from %g to %s is farther than any number of %s", a->from, got, stria_dtype_get_name(dtype));
}

stria_status stria_cpu_uniform(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_uniform_attrs *a = call->attrs;
    const stria_dtype          dtype = meta->out[0].dtype;

    return fill_uniform(a->generator, round_to(dtype, a->from), round_to(dtype, a->to), y[0], err);
}

/* ---------------------------------------------------------------- normal, exponential */

stria_status stria_infer_randn(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_randn_attrs *a = call->attrs;
    return infer_shape(call, a->shape, a->dtype, meta, err);
}

stria_status stria_infer_randn_like(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_like(call, ((const stria_randn_like_attrs *)call->attrs)->dtype, meta, err);
}

static stria_status fill_normal(stria_generator *generator, double mean, double std, stria_tensor *y, stria_error *err)
{
    stria_random_numbers r = begin_floats(STRIA_RANDOM_NORMAL, y->dtype);

    r.a = mean;
    r.b = std;
    return fill(&r, generator, y, err);
}

stria_status stria_cpu_randn(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return fill_normal(((const stria_randn_attrs *)call->attrs)->generator, 0, 1, y[0], err);
}

stria_status stria_cpu_randn_like(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_error *err)
{
    (void)meta;
    return fill_normal(((const stria_randn_like_attrs *)call->attrs)->generator, 0, 1, y[0], err);
}

stria_status stria_infer_fill_normal(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_fill_normal_attrs *a = call->attrs;

    STRIA_TRY(infer_like(call, STRIA_DTYPE_NONE, meta, err));
    STRIA_TRY(check_number(call, "mean", a->mean, meta->out[0].dtype, err));
    STRIA_TRY(check_number(call, "std", a->std, meta->out[0].dtype, err));
    return a->std >= 0 ? STRIA_OK : stria_infer_refuse_number(call, "std", "0 or more", a->std, err);
}

stria_status stria_cpu_fill_normal(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                   stria_error *err)
{
    const stria_fill_normal_attrs *a = call->attrs;
    (void)meta;

    return fill_normal(a->generator, a->mean, a->std, y[0], err);
}

stria_status stria_infer_exponential(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_exponential_attrs *a = call->attrs;

    STRIA_TRY(infer_like(call, STRIA_DTYPE_NONE, meta, err));
    return a->lambd > 0 && a->lambd < INFINITY
               ? STRIA_OK
               : stria_infer_refuse_number(call, "lambd", "above 0 and finite", a->lambd, err);
}

stria_status stria_cpu_exponential(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                   stria_error *err)
{
    const stria_exponential_attrs *a = call->attrs;
    stria_random_numbers           r = begin_floats(STRIA_RANDOM_EXPONENTIAL, y[0]->dtype);
    (void)meta;

    r.b = 1 / a->lambd;
    return fill(&r, a->generator, y[0], err);
}

/* ---------------------------------------------------------------- whole numbers */

/* A scalar as a whole number from -2^63 to 2^64: its lower 64 bits, and whether it is negative, or 2^64. ERR_ARGUMENT. */
typedef struct whole {
    uint64_t bits;
    bool     is_negative, is_beyond;
} whole;

static stria_status get_whole(const stria_call *call, const char *argument, stria_scalar value, whole *w,
                              stria_error *err)
{
    *w = (whole){(uint64_t)value.i, value.kind == STRIA_SCALAR_INT && value.i < 0, false};
    if (value.kind == STRIA_SCALAR_BOOL || value.kind == STRIA_SCALAR_INT || value.kind == STRIA_SCALAR_UINT)
        return STRIA_OK;
    if (value.kind == STRIA_SCALAR_FLOAT && value.re == trunc(value.re) && value.re >= -0x1p63 && value.re <= 0x1p64) {
        w->is_negative = value.re < 0;
        w->is_beyond = value.re == 0x1p64;
        w->bits = w->is_beyond ? 0 : w->is_negative ? (uint64_t)(int64_t)value.re : (uint64_t)value.re;
        return STRIA_OK;
    }
    return stria_infer_refuse_number(call, argument, "a whole number from -2^63 to 2^64", value.re, err);
}

static bool is_below(whole a, whole b)
{
    if (a.is_negative != b.is_negative) return a.is_negative;
    if (a.is_beyond || b.is_beyond) return !a.is_beyond;
    return a.is_negative ? (int64_t)a.bits < (int64_t)b.bits : a.bits < b.bits;
}

/* The whole numbers that a real dtype holds without a gap: from `low` on, below `end`. */
static void get_range(stria_dtype dtype, whole *low, whole *end)
{
    const int            bits = (int)stria_dtype_get_size(dtype) * 8;
    const stria_category category = stria_dtype_get_category(dtype);

    *low = (whole){0, false, false};
    *end = (whole){dtype == STRIA_BOOL ? 2 : bits == 64 ? 0 : UINT64_C(1) << bits, false, bits == 64};
    if (category == STRIA_CATEGORY_F || (category != STRIA_CATEGORY_B && category != STRIA_CATEGORY_U)) {
        const uint64_t half = UINT64_C(1) << (category == STRIA_CATEGORY_F ? get_facts(dtype).bits : bits - 1);
        *low = (whole){0 - half, true, false};
        *end = (whole){half + (category == STRIA_CATEGORY_F), false, false};
    }
}

static stria_status check_whole(const stria_call *call, stria_scalar from, stria_scalar to, stria_dtype dtype,
                                stria_error *err)
{
    const char *name = stria_dtype_get_name(dtype);
    whole       low, high, least, end;

    STRIA_TRY(get_whole(call, "low", from, &low, err));
    STRIA_TRY(get_whole(call, "high", to, &high, err));
    if (!is_below(low, high))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), "high", "above low", NULL,
                               "high must be above low");
    if (stria_dtype_get_category(dtype) == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "dtype", dtype, "a real dtype", err);
    get_range(dtype, &least, &end);
    if (is_below(low, least))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), "low", "a number of the dtype", NULL,
                               "low is below the whole numbers of %s", name);
    if (is_below(end, high))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), "high", "a number of the dtype",
                               NULL, "numbers below high are beyond the whole numbers of %s", name);
    return STRIA_OK;
}

static stria_status fill_whole(const stria_call *call, stria_scalar from, stria_scalar to, stria_generator *generator,
                               stria_tensor *y, stria_error *err)
{
    stria_random_numbers r = {.kind = STRIA_RANDOM_WHOLE};
    whole                low, high;

    STRIA_TRY(get_whole(call, "low", from, &low, err));
    STRIA_TRY(get_whole(call, "high", to, &high, err));
    r.lane = low.is_negative ? STRIA_I64 : STRIA_U64;
    r.low = low.bits;
    r.count = high.bits - low.bits;
    return fill(&r, generator, y, err);
}

stria_status stria_infer_randint(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_randint_attrs *a = call->attrs;
    stria_dtype                dtype;

    STRIA_TRY(stria_infer_dtype(call, a->dtype, STRIA_I64, &dtype, err));
    STRIA_TRY(check_whole(call, a->low, a->high, dtype, err));
    return stria_infer_shape(call, "shape", a->shape.at, a->shape.n, dtype, &meta->out[0], err);
}

stria_status stria_cpu_randint(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_randint_attrs *a = call->attrs;
    (void)meta;

    return fill_whole(call, a->low, a->high, a->generator, y[0], err);
}

stria_status stria_infer_randint_like(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_randint_like_attrs *a = call->attrs;
    const stria_tensor             *x = call->in[0];
    stria_dtype                     dtype;

    STRIA_TRY(stria_infer_dtype(call, a->dtype, x->dtype, &dtype, err));
    STRIA_TRY(check_whole(call, a->low, a->high, dtype, err));
    STRIA_TRY(stria_infer_shape(call, "x", x->shape, x->ndim, dtype, &meta->out[0], err));
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

stria_status stria_cpu_randint_like(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                    stria_error *err)
{
    const stria_randint_like_attrs *a = call->attrs;
    (void)meta;

    return fill_whole(call, a->low, a->high, a->generator, y[0], err);
}

/* ---------------------------------------------------------------- generators */

stria_status stria_generator_fork(stria_generator *g, stria_generator **out, stria_error *err)
{
    _Alignas(64) uint32_t words[STRIA_RANDOM_WORDS];

    STRIA_TRY(stria_isa_get_status(err));
    STRIA_TRY(stria_generator_new(0, out, err));
    const stria_generator_state state = stria_generator_take(g, 1);
    stria_dispatch_get()->lane[STRIA_U32]->random.words((char *)words, state.seed, state.offset, 1);
    stria_generator_set_seed(*out, (uint64_t)words[1] << 32 | words[0]);
    return STRIA_OK;
}
