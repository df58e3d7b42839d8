/* random.c - random numbers: groups of words of a generator's stream, and what is made of them in place (simd/kernels.h). Elements are
 * numbered in row-major order, whatever the memory order; work is cut into groups, so that no number depends on the threads. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/generator.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "simd/kernels.h"

#define BLOCK 16 /* groups at once, 4 KB */

/* Numbers of one distribution. */
typedef struct random_numbers {
    stria_random_map *map;
    stria_dtype       lane; /* of what map makes: f32, f64 */
    int               bits;
    double            a, b, limit;
    /* where they go */
    const stria_kernels  *kernels;
    stria_generator_state state;
    char                 *dst;
    stria_dtype           dtype;
    int64_t               numel;
} random_numbers;

static int64_t count_in_group(const random_numbers *r)
{
    return STRIA_RANDOM_BYTES / (int64_t)stria_dtype_get_size(r->lane);
}

static void run_groups(void *context, int chunk, int64_t begin, int64_t end)
{
    const random_numbers *r = context;
    const int64_t         each = count_in_group(r), size = (int64_t)stria_dtype_get_size(r->dtype);
    stria_cast_loop      *cast = r->kernels->cast[r->lane][r->dtype];
    _Alignas(64) char     block[BLOCK * STRIA_RANDOM_BYTES];
    (void)chunk;

    for (int64_t g = begin; g < end; g += BLOCK) {
        const int64_t n = end - g < BLOCK ? end - g : BLOCK, first = g * each;
        const int64_t count = r->numel - first < n * each ? r->numel - first : n * each;
        char         *dst = r->dst + first * size;
        const bool    direct = r->lane == r->dtype && count == n * each;
        char         *data = direct ? dst : block;
        r->kernels->lane[STRIA_U32]->random.words(data, r->state.seed, r->state.offset + (uint64_t)g, n);
        r->map(data, n, r->bits, r->a, r->b, r->limit);
        if (!direct) cast(dst, size, data, (int64_t)stria_dtype_get_size(r->lane), count);
    }
}

/* Fills y; where it is not row-major, apart first. */
static stria_status fill(random_numbers *r, stria_generator *generator, stria_tensor *y, stria_error *err)
{
    stria_tensor *whole = NULL;

    if (stria_tensor_is_contiguous(y))
        whole = stria_tensor_retain(y);
    else
        STRIA_TRY(stria_tensor_new(y->dtype, y->ndim, y->shape, &whole, err));
    r->dst = whole->data;
    r->dtype = y->dtype;
    r->numel = y->numel;
    const int64_t each = count_in_group(r), n = (y->numel - 1) / each + 1;
    r->state = stria_generator_take(generator, (uint64_t)n);
    stria_parallel_for(stria_team_get(), 0, n, STRIA_GRAIN / each, run_groups, r);
    const stria_status status = whole == y ? STRIA_OK : stria_backend_copy(y, whole, err);
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

static random_numbers begin_floats(stria_dtype dtype)
{
    const stria_kernels       *kernels = stria_dispatch_get();
    const stria_dtype          lane = dtype == STRIA_F64 ? STRIA_F64 : STRIA_F32;
    const stria_random_kernels own = kernels->lane[lane]->random;

    return (random_numbers){.kernels = kernels, .lane = lane, .map = own.uniform, .bits = get_facts(dtype).bits};
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
    random_numbers r = begin_floats(y->dtype);

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
