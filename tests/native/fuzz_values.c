/* fuzz_values.c - random ops and reductions over random views: compositions of slices, flips, permutations, diagonals ..,
 * inputs that share memory, any dtypes, results that are new, given, in place or over other memory of an input; against
 * naive loops over lists of places (shadow.h), with everything that must not change watched.
 *
 * In the environment: STRIA_FUZZ_VALUES cases (20000), STRIA_FUZZ_SEED (1), STRIA_FUZZ_FIRST (0), the number of the first one:
 * a case depends on seed and number alone, and these are printed where one fails. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shadow.h"
#include "table/rows.h"

#define MAX_BASES 4

static random_state random_source;
static int64_t      case_number;

static int64_t pick(int64_t n) { return (int64_t)(random_next(&random_source) % (uint64_t)n); }
static bool    chance(int percent) { return pick(100) < percent; }

static stria_dtype pick_dtype(void) { return (stria_dtype)pick(STRIA_F64 + 1); }

/* ---------------------------------------------------------------- one case */

typedef struct scene {
    const oracle_op *op;
    int              n_bases;
    base             bases[MAX_BASES];
    shadow           in[3];
    bool             is_wrapped[3];
    int              ndim;
    int64_t          shape[SHADOW_DIMS], numel;
} scene;

/* The dtypes and shapes of the inputs. */
static const char *describe(const scene *s)
{
    static char text[512];
    size_t      used = 0;

    for (int k = 0; k < 3 && s->in[k].base != NULL; k++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s[", k ? ", " : "",
                                 stria_dtype_get_name(s->in[k].base->dtype));
        for (int d = 0; d < s->in[k].ndim; d++) {
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%lld", d ? "," : "", (long long)s->in[k].shape[d]);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "]%s", s->is_wrapped[k] ? " wrapped" : "");
    }
    return text;
}

static void end_scene(scene *s)
{
    for (int k = 0; k < 3; k++) shadow_release(&s->in[k]);
    for (int k = 0; k < s->n_bases; k++) base_release(&s->bases[k]);
}

/* A view made by a random chain of steps; small, or large enough for several threads. */
static void make_view(scene *s, shadow *view, stria_dtype dtype, double low, double high)
{
    static const int64_t large[][3] = {{300, 150, 1}, {40000, 1, 1}, {3, 5, 2500}, {33, 33, 33}};
    int64_t              shape[SHADOW_DIMS];
    const bool           is_large = pick(250) == 0;
    const int            ndim = is_large ? 3 : (int)pick(5), which = (int)pick(4);
    base                *b = &s->bases[s->n_bases++];

    for (int d = 0; d < ndim; d++) shape[d] = is_large ? large[which][d] : 1 + pick(6);
    if (!is_large && ndim > 0 && chance(3)) shape[pick(ndim)] = 0;
    base_new(b, &random_source, dtype, ndim, shape, low, high);
    shadow_new(view, b);
    for (int steps = (int)pick(is_large ? 3 : 7); steps > 0; steps--) shadow_step(view, &random_source);
    shadow_check(view, "a chain of views");
}

/* A number of the host language, which is a shadow of one place. */
static void make_number(scene *s, shadow *view, double low, double high)
{
    base              *b = &s->bases[s->n_bases++];
    const bool         is_float = chance(50);
    const double       value = floor(4 * (low + (high - low) * random_unit(&random_source))) / 4;
    const stria_scalar number = is_float ? (stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = value}
                                         : (stria_scalar){.kind = STRIA_SCALAR_INT, .i = (int64_t)value};

    base_new(b, &random_source, is_float ? STRIA_F64 : STRIA_I64, 0, NULL, 0, 1);
    value_set(b->dtype, is_float ? value_from_real(value) : value_from_whole((int64_t)value), base_at(b, 0));
    memcpy(b->wanted, b->memory, b->nbytes);
    shadow_new(view, b);
    stria_tensor_release(view->tensor);
    CHECK_STATUS(stria_tensor_new_scalar(number, &view->tensor, NULL), STRIA_OK);
}

/* The same elements as another input: itself, or turned round. */
static void make_relative(const shadow *of, shadow *view)
{
    int axes[SHADOW_DIMS];

    shadow_copy(of, view);
    if (of->ndim == 0 || chance(30)) return;
    if (of->ndim >= 2 && of->shape[0] == of->shape[1] && chance(60)) {
        for (int d = 0; d < of->ndim; d++) axes[d] = d < 2 ? 1 - d : d;
        shadow_permute(view, axes);
    } else {
        shadow_flip(view, (int)pick(of->ndim));
    }
}

/* The other inputs broadcast with the first: some dims fewer, some of size 1. */
static void make_other(scene *s, int k, stria_dtype dtype)
{
    int64_t   shape[SHADOW_DIMS];
    const int dropped = chance(20) ? (int)pick(s->ndim + 1) : 0, ndim = s->ndim - dropped;

    for (int d = 0; d < ndim; d++) shape[d] = chance(12) ? 1 : s->shape[d + dropped];
    shadow_of_shape(&s->in[k], &s->bases[s->n_bases++], &random_source, dtype, ndim, shape, true, s->op->low,
                    s->op->high);
    shadow_check(&s->in[k], "a layout");
}

static void make_inputs(scene *s)
{
    const bool select = s->op->rule == ORACLE_SELECT;
    const bool same = chance(60),
               numbers = strcmp(s->op->name, "pow") != 0; /* negative numbers as exponents are refused */
    const stria_dtype dtype = pick_dtype();

    make_view(s, &s->in[0], select ? STRIA_BOOL : dtype, s->op->low, s->op->high);
    s->ndim = s->in[0].ndim;
    s->numel = 1;
    for (int d = 0; d < s->ndim; d++) {
        s->shape[d] = s->in[0].shape[d];
        if (s->shape[d] == 1 && s->op->arity > 1 && s->in[0].numel < 300 && chance(20)) s->shape[d] = 1 + pick(3);
        s->numel *= s->shape[d];
    }
    for (int k = 1; k < s->op->arity; k++) {
        const bool is_condition_next = select && k == 1;
        if (!is_condition_next && chance(20))
            make_relative(&s->in[k - 1], &s->in[k]), s->is_wrapped[k] = s->is_wrapped[k - 1];
        else if (numbers && !select && chance(8))
            make_number(s, &s->in[k], s->op->low, s->op->high), s->is_wrapped[k] = true;
        else
            make_other(s, k, same ? dtype : pick_dtype());
    }
    /* every size of the result comes from an input */
    for (int d = 0; d < s->ndim; d++) {
        int64_t size = 1;
        for (int k = 0; k < s->op->arity; k++) {
            const int own = d - (s->ndim - s->in[k].ndim);
            if (own >= 0 && s->in[k].shape[own] != 1) size = s->in[k].shape[own];
        }
        s->shape[d] = size;
    }
    s->numel = 1;
    for (int d = 0; d < s->ndim; d++) s->numel *= s->shape[d];
}

/* ---------------------------------------------------------------- dtypes, by the three priorities */

static int category(stria_dtype d) { return d == STRIA_BOOL ? 0 : dtype_is_float(d) ? 2 : 1; }

static stria_dtype join(stria_dtype higher, stria_dtype lower)
{
    if (higher == STRIA_DTYPE_NONE) return lower;
    if (lower == STRIA_DTYPE_NONE || category(lower) <= category(higher)) return higher;
    return oracle_promote(higher, lower);
}

static stria_dtype get_common(const scene *s)
{
    stria_dtype groups[3] = {STRIA_DTYPE_NONE, STRIA_DTYPE_NONE, STRIA_DTYPE_NONE};

    for (int k = s->op->rule == ORACLE_SELECT; k < s->op->arity; k++) {
        const int   group = s->is_wrapped[k] ? 2 : s->in[k].ndim == 0;
        stria_dtype dtype = s->in[k].base->dtype;
        if (s->is_wrapped[k] && dtype_is_float(dtype)) dtype = STRIA_F32;
        groups[group] = groups[group] == STRIA_DTYPE_NONE ? dtype : oracle_promote(groups[group], dtype);
    }
    const stria_dtype common = join(groups[0], join(groups[1], groups[2]));
    return s->op->rule == ORACLE_FLOAT && category(common) < 2 ? STRIA_F32 : common;
}

/* ---------------------------------------------------------------- results */

/* A whole number of the host that bounds clamp: the nearest one that the integer dtype holds. */
static value limit_bound(value v, stria_dtype dtype)
{
    const int       bits = 8 * (int)stria_dtype_get_size(dtype);
    const bool      has_sign = dtype == STRIA_I8 || dtype == STRIA_I16 || dtype == STRIA_I32 || dtype == STRIA_I64;
    const whole_int most = ((whole_int)1 << (has_sign ? bits - 1 : bits)) - 1, least = has_sign ? -1 - most : 0;

    return value_from_whole(v.whole < least ? least : v.whole > most ? most : v.whole);
}

/* Whether got[numel] of dtype result is what the op gives for the inputs as they were before (`wanted`). */
static bool check_results(const scene *s, stria_dtype compute, stria_dtype result, const char *got, char *text,
                          size_t size)
{
    int64_t index[SHADOW_DIMS] = {0};

    for (int64_t i = 0; i < s->numel; i++) {
        value v[3];
        memset(v, 0, sizeof v);
        for (int k = 0; k < s->op->arity; k++) {
            const base       *b = s->in[k].base;
            const char       *at = base_wanted(b, shadow_place(&s->in[k], s->ndim, index));
            const stria_dtype dtype = oracle_input_dtype(s->op, k, compute);
            v[k] = value_get(b->dtype, at);
            if (k > 0 && s->is_wrapped[k] && strcmp(s->op->name, "clamp") == 0 && dtype != STRIA_BOOL &&
                !dtype_is_float(dtype) && !dtype_is_float(b->dtype))
                v[k] = limit_bound(v[k], dtype);
            v[k] = value_convert(v[k], dtype);
        }
        if (!oracle_check(s->op, compute, v, result, got + (size_t)i * stria_dtype_get_size(result), text, size)) {
            return false;
        }
        index_next(s->ndim, s->shape, index);
    }
    return true;
}

/* The elements of y in row-major order, for which the caller gives back the memory. */
static char *gather(const stria_tensor *y)
{
    const size_t size = stria_dtype_get_size(stria_tensor_get_dtype(y));
    int64_t      index[STRIA_MAX_DIMS] = {0};
    char        *list = malloc((size_t)(stria_tensor_get_numel(y) + 1) * size);

    if (list == NULL) exit(2);
    for (int64_t i = 0; i < stria_tensor_get_numel(y); i++) {
        memcpy(list + (size_t)i * size, tensor_at(y, index), size);
        index_next(stria_tensor_get_ndim(y), stria_tensor_get_shape(y), index);
    }
    return list;
}

static void check_result(const scene *s, stria_dtype compute, stria_dtype result, const stria_tensor *y,
                         const char *what)
{
    char text[96] = "";
    bool same = stria_tensor_get_ndim(y) == s->ndim && stria_tensor_get_dtype(y) == result;

    for (int d = 0; same && d < s->ndim; d++) same = stria_tensor_get_shape(y)[d] == s->shape[d];
    CHECK(same, "case %lld, %s(%s) %s: %s of %d dims, expected %s of %d", (long long)case_number, s->op->name,
          describe(s), what, stria_dtype_get_name(stria_tensor_get_dtype(y)), stria_tensor_get_ndim(y),
          stria_dtype_get_name(result), s->ndim);
    if (!same) return;
    char *list = gather(y);
    CHECK(check_results(s, compute, result, list, text, sizeof text), "case %lld, %s(%s) %s: expected %s as %s",
          (long long)case_number, s->op->name, describe(s), what, text, stria_dtype_get_name(result));
    free(list);
}

/* How the places of an output lie to those of an input. */
typedef enum relation { APART, EXACTLY, PARTLY } relation;

static relation relate(const scene *s, const shadow *out, const shadow *in)
{
    int64_t index[SHADOW_DIMS] = {0};
    bool    all_equal = true, meets = false;
    char   *used;

    if (out->base != in->base) return APART;
    used = calloc((size_t)out->base->numel + 1, 1);
    if (used == NULL) exit(2);
    for (int64_t i = 0; i < out->numel; i++) used[out->places[i]] = 1;
    for (int64_t i = 0; i < in->numel; i++) meets |= used[in->places[i]];
    for (int64_t i = 0; i < s->numel; i++) {
        all_equal &= shadow_place(out, s->ndim, index) == shadow_place(in, s->ndim, index);
        index_next(s->ndim, s->shape, index);
    }
    free(used);
    return !meets ? APART : all_equal && in->numel == out->numel ? EXACTLY : PARTLY;
}

static bool repeats(const shadow *out)
{
    char *used = calloc((size_t)out->base->numel + 1, 1);
    bool  twice = false;

    if (used == NULL) exit(2);
    for (int64_t i = 0; i < out->numel; i++) twice |= used[out->places[i]]++ > 0;
    free(used);
    return twice;
}

/* The result goes over `out`: what must happen, from how it lies to the inputs. Where it lies on part of one, it may be
 * refused; else it is right. */
static void check_given(scene *s, const shadow *out, const stria_tensor *const *in, stria_dtype common)
{
    const stria_dtype compute = oracle_compute(common), target = out->base->dtype;
    relation          worst = repeats(out) ? PARTLY : APART;

    for (int k = 0; k < s->op->arity; k++) {
        const relation with = s->is_wrapped[k] ? APART : relate(s, out, &s->in[k]);
        if (with > worst) worst = with;
    }
    const stria_status status = stria_apply_out((stria_op)(s->op - oracle_ops), in, s->op->arity, out->tensor, NULL);
    CHECK(status == STRIA_OK || (worst == PARTLY && status == STRIA_ERR_OVERLAP),
          "case %lld, %s(%s) into given memory: %s", (long long)case_number, s->op->name, describe(s),
          stria_status_get_name(status));
    if (status == STRIA_OK) {
        check_result(s, compute, target, out->tensor, "into given memory");
        for (int64_t i = 0; i < out->numel; i++) {
            memcpy(base_wanted(out->base, out->places[i]), base_at(out->base, out->places[i]),
                   stria_dtype_get_size(target));
        }
    }
}

/* ---------------------------------------------------------------- element-wise cases */

static stria_dtype pick_target(const scene *s, stria_dtype common)
{
    const stria_dtype result = s->op->rule == ORACLE_BOOL ? STRIA_BOOL : common;
    stria_dtype       target = chance(50) ? result : pick_dtype();

    if (s->op->rule == ORACLE_BOOL) return target;
    if (s->op->ulp != 0 && dtype_is_float(oracle_compute(common))) return result; /* bounds are for these */
    while (!oracle_castable(common, target)) target = pick_dtype();
    return target;
}

static void run_given(scene *s, const stria_tensor *const *in, stria_dtype common)
{
    const int kind = (int)pick(3), k = (int)pick(s->op->arity);
    shadow    out = {0};
    base      own = {0};

    if (kind == 0 || s->is_wrapped[k] || s->in[k].ndim != s->ndim ||
        memcmp(s->in[k].shape, s->shape, (size_t)s->ndim * sizeof *s->shape) != 0 ||
        (s->op->rule != ORACLE_BOOL && !oracle_castable(common, s->in[k].base->dtype)) ||
        (s->op->ulp != 0 && s->in[k].base->dtype != common && dtype_is_float(oracle_compute(common)))) {
        shadow_of_shape(&out, &own, &random_source, pick_target(s, common), s->ndim, s->shape, false, -5, 5);
    } else if (kind == 1) {
        shadow_copy(&s->in[k], &out);
    } else {
        make_relative(&s->in[k], &out);
    }
    check_given(s, &out, in, common);
    shadow_release(&out);
    if (own.memory != NULL) {
        CHECK(base_is_as_wanted(&own), "case %lld, %s: memory beside the output", (long long)case_number, s->op->name);
        base_release(&own);
    }
}

/* A tensor of another shape takes the result's. */
static void run_resized(scene *s, const stria_tensor *const *in, stria_dtype common)
{
    const int64_t     one = 1;
    const stria_dtype target = pick_target(s, common);
    stria_tensor     *out = NULL;

    CHECK_STATUS(stria_tensor_new(target, 1, &one, &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_apply_out((stria_op)(s->op - oracle_ops), in, s->op->arity, out, NULL), STRIA_OK);
    check_result(s, oracle_compute(common), target, out, "resized");
    stria_tensor_release(out);
}

/* Rows with numbers are for test_numbers: those take no part in promotion. */
static int pick_op(void)
{
    int op;

    do op = pick(STRIA_OP_COUNT);
    while (stria_op_infos[op].n_numbers > 0);
    return op;
}

static void run_op(void)
{
    scene               s = {.op = &oracle_ops[pick_op()]};
    const stria_tensor *in[3];
    stria_tensor       *y = NULL;

    make_inputs(&s);
    for (int k = 0; k < s.op->arity; k++) in[k] = s.in[k].tensor;
    const stria_dtype common = get_common(&s), compute = oracle_compute(common);
    const int         way = (int)pick(8);
    if (!oracle_op_has(s.op, compute) || way < 4) {
        stria_error        err = {0};
        const stria_status status = stria_apply((stria_op)(s.op - oracle_ops), in, s.op->arity, &y, &err);
        CHECK(status == (oracle_op_has(s.op, compute) ? STRIA_OK : STRIA_ERR_DTYPE), "case %lld, %s(%s): %s, %s",
              (long long)case_number, s.op->name, describe(&s), stria_status_get_name(status), err.message);
        if (y != NULL) check_result(&s, compute, s.op->rule == ORACLE_BOOL ? STRIA_BOOL : common, y, "new");
        stria_tensor_release(y);
    } else if (way == 4) {
        run_resized(&s, in, common);
    } else {
        run_given(&s, in, common);
    }
    for (int k = 0; k < s.n_bases; k++) {
        CHECK(base_is_as_wanted(&s.bases[k]), "case %lld, %s: memory that is no output", (long long)case_number,
              s.op->name);
    }
    end_scene(&s);
}

/* ---------------------------------------------------------------- reductions */

/* The dtype of the result, and that elements are combined in; NONE: refused. `given`: dtype of an out, or NONE. */
static stria_dtype get_reduced_dtype(const oracle_reduction *row, stria_dtype x, stria_dtype given)
{
    if (strcmp(row->rule, "TRUTH") == 0) return x == STRIA_U8 ? STRIA_U8 : STRIA_BOOL;
    if (strcmp(row->rule, "FLOAT") == 0) return dtype_is_float(x) ? x : STRIA_DTYPE_NONE;
    if (strcmp(row->rule, "SAME") == 0) return x;
    if (given != STRIA_DTYPE_NONE) return given;
    return dtype_is_float(x) || x == STRIA_U64 ? x : STRIA_I64;
}

/* Numbers whose sums and products are exact in any order and dtype: small integers, or 1 and -1. */
static void make_exact(base *b, bool is_product)
{
    value low;

    value_set(b->dtype, value_from_whole(-1), base_at(b, 0));
    low = b->numel > 0 ? value_get(b->dtype, base_at(b, 0)) : value_from_whole(0);
    const bool is_signed = low.is_float ? low.real < 0 : low.whole < 0;
    for (int64_t k = 0; k < b->numel; k++) {
        const int64_t v = is_product ? 1 - 2 * pick(2) : pick(17) - 8;
        value_set(b->dtype, value_from_whole(is_signed ? v : v < 0 ? -v : v), base_at(b, k));
    }
    memcpy(b->wanted, b->memory, b->nbytes);
}

typedef struct total {
    value   value;
    int64_t count;
} total;

static void add_to(total *t, const oracle_reduction *row, stria_dtype combine, value v)
{
    v = value_convert(v, combine);
    if (t->count++ == 0 && row->refuses_empty) {
        t->value = v;
        return;
    }
    if (t->count == 1) t->value = value_convert(value_from_whole(row->start), combine);
    if (dtype_is_float(combine))
        t->value = value_from_real((double)row->real(t->value.real, v.real));
    else /* wraps as 64 bits do */
        t->value = value_convert(value_from_whole(row->whole(t->value.whole, v.whole)), combine);
}

static void finish(total *t, const oracle_reduction *row, stria_dtype combine)
{
    if (t->count == 0) t->value = value_convert(value_from_whole(row->start), combine);
    if (strcmp(row->name, "mean") != 0) return;
    const double mean = t->value.real / (double)t->count;
    t->value = value_from_real(combine == STRIA_F32 ? (double)(float)mean : mean);
}

/* y[kept ..] against the elements of x, one by one. */
static void check_reduced(const oracle_reduction *row, const shadow *x, unsigned reduced, bool keepdim,
                          stria_dtype combine, const stria_tensor *y, const char *what)
{
    int64_t index[SHADOW_DIMS] = {0}, kept[SHADOW_DIMS], numel = 1;
    int     n = 0;
    bool    same = true;

    for (int d = 0; d < x->ndim; d++) {
        const bool is_reduced = (reduced >> d) & 1;
        if (!is_reduced) numel *= x->shape[d];
        if (!is_reduced || keepdim) kept[n++] = is_reduced ? 1 : x->shape[d];
    }
    same = stria_tensor_get_ndim(y) == n;
    for (int d = 0; same && d < n; d++) same = stria_tensor_get_shape(y)[d] == kept[d];
    CHECK(same, "case %lld, %s %s: shape", (long long)case_number, row->name, what);
    if (!same || numel == 0) return;
    total *totals = calloc((size_t)numel, sizeof *totals);
    if (totals == NULL) exit(2);
    for (int64_t k = 0; k < x->numel; k++) {
        int64_t slot = 0;
        for (int d = 0; d < x->ndim; d++) {
            if (!((reduced >> d) & 1)) slot = slot * x->shape[d] + index[d];
        }
        add_to(&totals[slot], row, combine, value_get(x->base->dtype, base_wanted(x->base, x->places[k])));
        index_next(x->ndim, x->shape, index);
    }
    const stria_dtype result = stria_tensor_get_dtype(y);
    char             *list = gather(y), expected[16], text[64], other[64];
    for (int64_t k = 0; k < numel; k++) {
        finish(&totals[k], row, combine);
        value_set(result, totals[k].value, expected);
        const char *got = list + (size_t)k * stria_dtype_get_size(result);
        CHECK(value_same(result, got, expected), "case %lld, %s %s of %s, axes %x: %s, expected %s",
              (long long)case_number, row->name, what, stria_dtype_get_name(x->base->dtype), reduced,
              value_print(result, got, text, sizeof text), value_print(result, expected, other, sizeof other));
    }
    free(list);
    free(totals);
}

/* The first element along every reduced axis, kept with size 1: an output inside of the input. */
static void make_inner_output(const shadow *x, unsigned reduced, shadow *out)
{
    shadow_copy(x, out);
    for (int d = 0; d < x->ndim; d++) {
        if ((reduced >> d) & 1) shadow_slice(out, d, 0, 1, 1);
    }
}

static void copy_back(const shadow *out)
{
    for (int64_t i = 0; i < out->numel; i++) {
        memcpy(base_wanted(out->base, out->places[i]), base_at(out->base, out->places[i]),
               stria_dtype_get_size(out->base->dtype));
    }
}

static void run_reduction(void)
{
    const stria_reduction   op = (stria_reduction)pick(STRIA_RED_COUNT);
    const oracle_reduction *row = &oracle_reductions[op];
    const stria_dtype       dtype = pick_dtype();
    scene                   s = {.op = &oracle_ops[0]};
    shadow                 *x = &s.in[0], out = {0};
    int                     axes[SHADOW_DIMS], n_axes = 0;
    stria_tensor           *y = NULL;
    bool                    keepdim = chance(50), is_empty = false;

    make_view(&s, x, dtype, -50, 50);
    if (!row->refuses_empty && strcmp(row->rule, "TRUTH") != 0 && (dtype_is_float(dtype) || chance(50)))
        make_exact(&s.bases[0], strcmp(row->name, "prod") == 0);
    unsigned reduced = (unsigned)pick(1 << x->ndim);
    for (int d = 0; d < x->ndim; d++) {
        if ((reduced >> d) & 1) axes[n_axes++] = chance(50) ? d : d - x->ndim;
    }
    if (n_axes == 0) reduced = (1u << x->ndim) - 1;
    for (int d = 0; d < x->ndim; d++) is_empty |= ((reduced >> d) & 1) && x->shape[d] == 0;
    const int way = (int)pick(4);
    /* sums into bool are refused; wide integers in floats are not exact */
    const stria_dtype given = way == 1   ? (stria_dtype)(1 + pick(dtype_is_float(dtype) ? STRIA_F64 : STRIA_I64))
                              : way == 2 ? dtype
                                         : STRIA_DTYPE_NONE;
    stria_dtype combined = get_reduced_dtype(row, dtype, strcmp(row->rule, "WIDE") == 0 ? given : STRIA_DTYPE_NONE);
    if (way == 1 && strcmp(row->rule, "WIDE") != 0)
        combined = STRIA_DTYPE_NONE; /* their dtypes are test_reduce's part */
    const bool  is_possible = combined != STRIA_DTYPE_NONE && !(row->refuses_empty && is_empty);
    stria_dtype combine = strcmp(row->rule, "TRUTH") == 0 ? STRIA_BOOL : combined;
    if (way == 1 && is_possible) {
        const int64_t two = 2;
        CHECK_STATUS(stria_tensor_new(given, 1, &two, &y, NULL), STRIA_OK);
        CHECK_STATUS(stria_reduce_out(op, x->tensor, axes, n_axes, keepdim, STRIA_DTYPE_NONE, y, NULL), STRIA_OK);
        combine = given;
    } else if (way == 2 && is_possible && combined == dtype && !is_empty && !repeats(x) &&
               !(dtype == STRIA_BOOL && strcmp(row->rule, "WIDE") == 0)) {
        keepdim = true;
        make_inner_output(x, reduced, &out);
        const stria_status status =
            stria_reduce_out(op, x->tensor, axes, n_axes, true, STRIA_DTYPE_NONE, out.tensor, NULL);
        CHECK(status == STRIA_OK, "case %lld, %s in its input: %s (%d dims, axes %x)", (long long)case_number,
              row->name, stria_status_get_name(status), x->ndim, reduced);
        if (status == STRIA_OK) stria_tensor_retain(y = out.tensor);
    } else {
        combined = get_reduced_dtype(row, dtype, STRIA_DTYPE_NONE);
        combine = strcmp(row->rule, "TRUTH") == 0 ? STRIA_BOOL : combined;
        const stria_status expected = combined == STRIA_DTYPE_NONE     ? STRIA_ERR_DTYPE
                                      : row->refuses_empty && is_empty ? STRIA_ERR_EMPTY
                                                                       : STRIA_OK;
        const stria_status status = stria_reduce(op, x->tensor, axes, n_axes, keepdim, STRIA_DTYPE_NONE, &y, NULL);
        CHECK(status == expected, "case %lld, %s of %s: %s", (long long)case_number, row->name,
              stria_dtype_get_name(dtype), stria_status_get_name(status));
    }
    if (combine == STRIA_F16 || combine == STRIA_BF16) combine = STRIA_F32;
    if (strcmp(row->rule, "WIDE") == 0 && !dtype_is_float(combine) && combine != STRIA_U64) combine = STRIA_I64;
    if (y != NULL) check_reduced(row, x, reduced, keepdim, combine, y, way == 2 ? "in its input" : "");
    if (out.tensor != NULL) copy_back(&out);
    CHECK(base_is_as_wanted(&s.bases[0]), "case %lld, %s: memory that is no output", (long long)case_number, row->name);
    shadow_release(&out);
    stria_tensor_release(y);
    end_scene(&s);
}

/* ---------------------------------------------------------------- copies */

/* stria_tensor_copy and stria_tensor_set between any layouts and dtypes. */
static void run_copy(void)
{
    const stria_dtype from = (stria_dtype)pick(STRIA_DTYPE_COUNT), to = (stria_dtype)pick(STRIA_DTYPE_COUNT);
    scene             s = {.op = &oracle_ops[0]};
    shadow           *x = &s.in[0], out = {0};
    base              own = {0};
    stria_tensor     *y = NULL;
    int64_t           index[SHADOW_DIMS] = {0};
    bool              same = true;

    make_view(&s, x, from, -300, 300);
    if (chance(50)) {
        CHECK_STATUS(stria_tensor_copy(x->tensor, to, &y, NULL), STRIA_OK);
    } else {
        shadow_of_shape(&out, &own, &random_source, to, x->ndim, x->shape, false, -5, 5);
        CHECK_STATUS(stria_tensor_set(out.tensor, x->tensor, NULL), STRIA_OK);
        stria_tensor_retain(y = out.tensor);
    }
    for (int64_t k = 0; k < x->numel; k++) {
        char expected[16];
        value_set(to, value_convert(value_get(from, base_at(x->base, x->places[k])), to), expected);
        same &= value_same(to, tensor_at(y, index), expected);
        index_next(x->ndim, x->shape, index);
    }
    CHECK(same, "case %lld: copy from %s to %s", (long long)case_number, stria_dtype_get_name(from),
          stria_dtype_get_name(to));
    CHECK(base_is_as_wanted(&s.bases[0]), "case %lld: a copy changed its input", (long long)case_number);
    if (own.memory != NULL) {
        copy_back(&out);
        CHECK(base_is_as_wanted(&own), "case %lld: a copy changed memory beside its output", (long long)case_number);
    }
    stria_tensor_release(y);
    shadow_release(&out);
    if (own.memory != NULL) base_release(&own);
    end_scene(&s);
}

SUITE(fuzz_values)
{
    const int64_t count = check_get_setting("STRIA_FUZZ_VALUES", 20000), seed = check_get_setting("STRIA_FUZZ_SEED", 1);
    const int64_t first = check_get_setting("STRIA_FUZZ_FIRST", 0);
    const int     before = stria_threads_get();

    check_isa("fuzz_values");
    CHECK_STATUS(stria_threads_set(3, NULL), STRIA_OK);
    for (case_number = first; case_number < first + count; case_number++) {
        random_source.state = (uint64_t)seed * 1000003 + (uint64_t)case_number;
        const int kind = (int)pick(10);
        if (kind < 6)
            run_op();
        else if (kind < 9)
            run_reduction();
        else
            run_copy();
    }
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
    printf("  %lld cases of seed %lld\n", (long long)count, (long long)seed);
    return check_finish("fuzz_values");
}
