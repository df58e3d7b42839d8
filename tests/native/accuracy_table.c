/* accuracy_table.c - measures rows of ops.def for docs/accuracy.md: what the library computes, against MPFR.
 *
 *     accuracy --table [--quick | --all] [--f32 | --f64] [row ..]
 *
 * --f32 and --f64 leave the other dtypes out. One line of JSON for each row and dtype: the largest error in units of the last place, where it was, how many inputs, and how they
 * were chosen.
 *   f32, one argument    all 2^32 inputs with --all, else every 61st bit pattern, with --quick every 100003rd
 *   f64, two arguments   random bit patterns, numbers near the places where functions change, numbers where the function is dense, and
 *                        inputs that are hard to reduce: 300,000, with --all ten times as many, with --quick 25,000; f32 ten times
 *   f16, bf16            all inputs: how many differ from the f32 result, rounded once
 * An f32 result is compared with that of f64 first; MPFR decides where the error might be larger than what was found before.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"
#include "stria.h"

/* ---------------------------------------------------------------- references of rows that are no function of vec_math.h */

static int reciprocal_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd) { return mpfr_ui_div(y, 1, x, rnd); }

static int scaled_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd, bool to_degrees)
{
    mpfr_t t;
    mpfr_init2(t, 300);
    mpfr_const_pi(t, MPFR_RNDN);
    mpfr_div_ui(t, t, 180, MPFR_RNDN);
    if (to_degrees)
        mpfr_div(y, x, t, rnd);
    else
        mpfr_mul(y, x, t, rnd);
    mpfr_clear(t);
    return 0;
}
static int deg2rad_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd) { return scaled_mpfr(y, x, rnd, false); }
static int rad2deg_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd) { return scaled_mpfr(y, x, rnd, true); }

/* log(1 + exp(x)), x above 20 */
static int softplus_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t t;
    if (mpfr_cmp_ui(x, 20) > 0) return mpfr_set(y, x, rnd);
    mpfr_init2(t, 300);
    mpfr_exp(t, x, MPFR_RNDN);
    mpfr_log1p(y, t, rnd);
    mpfr_clear(t);
    return 0;
}

static int logit_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t t;
    mpfr_init2(t, 1200);
    mpfr_ui_sub(t, 1, x, MPFR_RNDN);
    mpfr_div(t, x, t, MPFR_RNDN);
    mpfr_log(y, t, rnd);
    mpfr_clear(t);
    return 0;
}

/* ---------------------------------------------------------------- rows */

/* part: of the inputs; empty: all. Bounds of the rows below are those of docs/semantics.md. */
typedef struct row {
    const char *name, *part;
    double      bound; /* stated; 0: that of the header of the function */
    function    f;     /* references, and where samples are dense */
    stria_status (*run)(const stria_tensor *const *in, stria_tensor *out, stria_error *err);
} row;

#define RUN(name, n)                                                                                   \
    static stria_status run_##name(const stria_tensor *const *in, stria_tensor *out, stria_error *err) \
    {                                                                                                  \
        return stria_apply_out(STRIA_OP_##name, in, n, out, err);                                      \
    }
#define MATH_1(name, ...) RUN(name, 1)
#define MATH_2(name, ...) RUN(name, 2)
#include "math_functions.def"
RUN(sqrt, 1)
RUN(reciprocal, 1)
RUN(deg2rad, 1)
RUN(rad2deg, 1)
RUN(div, 2)

static stria_status run_softplus(const stria_tensor *const *in, stria_tensor *out, stria_error *err)
{
    return stria_softplus_out(in[0], 1, 20, out, err);
}
static stria_status run_logit(const stria_tensor *const *in, stria_tensor *out, stria_error *err)
{
    return stria_logit_out(in[0], NAN, out, err);
}

#define ROW_1(word, of, most, reference, from, to)                                                     \
    {                                                                                                  \
        .name = #word, .part = of, .bound = most, .f = {.mpfr_1 = reference, .low = from, .high = to}, \
        .run = run_##word                                                                              \
    }
#define ROW_2(word, of, most, reference, from, to)                                                     \
    {                                                                                                  \
        .name = #word, .part = of, .bound = most, .f = {.mpfr_2 = reference, .low = from, .high = to}, \
        .run = run_##word                                                                              \
    }

static const row rows[] = {
#define MATH_1(word, ...) {.name = #word, .part = "", .run = run_##word},
#define MATH_2(word, ...) {.name = #word, .part = "", .run = run_##word},
#include "math_functions.def"
    ROW_1(sqrt, "", 0.5, mpfr_sqrt, 0, 100),
    ROW_1(reciprocal, "", 0.5, reciprocal_mpfr, -10, 10),
    ROW_1(deg2rad, "", 1, deg2rad_mpfr, -400, 400),
    ROW_1(rad2deg, "", 1, rad2deg_mpfr, -7, 7),
    ROW_1(softplus, "", 2, softplus_mpfr, -50, 25),
    ROW_1(logit, "", 1, logit_mpfr, 0, 1),
    ROW_2(div, "", 0.5, mpfr_div, -10, 10),
    ROW_2(logaddexp, "near 0", 0.6, logaddexp_mpfr, -50, 50),
    ROW_2(logaddexp2, "near 0", 0.6, logaddexp2_mpfr, -50, 50),
};

/* ---------------------------------------------------------------- running a row over memory */

enum { CHUNK = 1 << 16 };

static void fail(const char *what)
{
    fprintf(stderr, "accuracy --table: %s\n", what);
    exit(1);
}

static stria_tensor *tensor_over(stria_dtype dtype, void *data, int64_t n)
{
    stria_error   err;
    stria_tensor *x = NULL;
    if (stria_tensor_new_external(dtype, 1, &n, NULL, data, NULL, NULL, &x, &err) != STRIA_OK) fail(err.message);
    return x;
}

/* out = row(a) or row(a, b), n elements of one dtype. */
static void run(const row *r, stria_dtype dtype, void *a, void *b, void *out, int64_t n)
{
    stria_error         err;
    stria_tensor       *x = tensor_over(dtype, a, n), *y = b ? tensor_over(dtype, b, n) : NULL;
    stria_tensor       *z = tensor_over(dtype, out, n);
    const stria_tensor *in[] = {x, y};
    if (r->run(in, z, &err) != STRIA_OK) fail(err.message);
    stria_tensor_release(x);
    stria_tensor_release(y);
    stria_tensor_release(z);
}

/* ---------------------------------------------------------------- errors */

typedef struct worst {
    double  ulp, x, y, got;
    int64_t count;
} worst;

static void measure(const row *r, bool is_f32, double x, double y, double got, worst *w)
{
    static mpfr_t mx, my, mr;
    static bool   ready;
    if (!ready) {
        mpfr_inits2(53, mx, my, (mpfr_ptr)0);
        mpfr_init2(mr, 180);
        ready = true;
    }
    mpfr_set_d(mx, x, MPFR_RNDN);
    mpfr_set_d(my, y, MPFR_RNDN);
    if (r->f.mpfr_1)
        r->f.mpfr_1(mr, mx, MPFR_RNDN);
    else
        r->f.mpfr_2(mr, mx, my, MPFR_RNDN);
    const double ulp = error_ulp(mr, part_of(r->name, x, y), got, is_f32 ? 24 : 53, is_f32 ? -125 : -1021);
    if (ulp > w->ulp) {
        w->ulp = ulp;
        w->x = x;
        w->y = y;
        w->got = got;
    }
}

/* Distance of an f32 result from that of f64 in units of the last place of f32; infinite where one of them overflows or is NaN alone. */
static double distance(float got, double near)
{
    uint64_t bits;
    double   inverse;
    if (got != got || near != near) return got != got && near != near ? 0 : INFINITY;
    if (isinf(got) || isinf((float)near)) return got == (float)near ? 0 : INFINITY;
    memcpy(&bits, &near, 8);
    int64_t exponent = (int64_t)(bits >> 52 & 0x7ff) - 1023;
    if (exponent < -126) exponent = -126;
    bits = (uint64_t)(1023 + 23 - exponent) << 52;
    memcpy(&inverse, &bits, 8);
    return fabs((double)got - near) * inverse;
}

/* Chunks of f32 inputs, and the same as f64. */
static struct buffers {
    float  a[CHUNK], b[CHUNK], y[CHUNK];
    double wide_a[CHUNK], wide_b[CHUNK], wide_y[CHUNK];
} buffers;

static void measure_f32_chunk(const row *r, int64_t n, bool has_b, worst *w)
{
    struct buffers *s = &buffers;
    run(r, STRIA_F32, s->a, has_b ? s->b : NULL, s->y, n);
    for (int64_t k = 0; k < n; k++) {
        s->wide_a[k] = s->a[k];
        if (has_b) s->wide_b[k] = s->b[k];
    }
    run(r, STRIA_F64, s->wide_a, has_b ? s->wide_b : NULL, s->wide_y, n);
    for (int64_t k = 0; k < n; k++)
        if (distance(s->y[k], s->wide_y[k]) > w->ulp - 0x1p-20)
            measure(r, true, s->wide_a[k], has_b ? s->wide_b[k] : 0, s->y[k], w);
    w->count += n;
}

/* Every `step`-th bit pattern. */
static void measure_f32_1(const row *r, uint64_t step, worst *w)
{
    for (uint64_t u = 0; u < 1ull << 32;) {
        int64_t n = 0;
        for (; n < CHUNK && u < 1ull << 32; n++, u += step) {
            const uint32_t bits = (uint32_t)u;
            memcpy(&buffers.a[n], &bits, 4);
        }
        measure_f32_chunk(r, n, false, w);
    }
}

/* Hard to reduce, or near the ends of ranges. */
static const double hard[] = {0x1.6ac5b262ca1ffp+849,
                              0x1.921fb54442d18p+0,
                              0x1.921fb54442d18p+1,
                              0x1.1a9d7e7e8b4f9p+18,
                              0x1.62e42fefa39efp+9,
                              -0x1.74910d52d3051p+9,
                              0x1.fffffffffffffp-1,
                              0x1.0000000000001p+0,
                              0x1p-1074,
                              0x1p-1022,
                              0x1.fffffffffffffp+1023};

/* The next inputs. Sums of exponentials near 1 are those that cancel. */
static void next_inputs(const row *r, int64_t k, double *x, double *y)
{
    const int64_t n_hard = (int64_t)(sizeof hard / sizeof *hard);
    *x = k < 2 * n_hard ? (k & 1 ? -hard[k / 2] : hard[k / 2]) : sample(&r->f, (int)(k & 0xfffff));
    *y = r->f.mpfr_2 ? sample_2(&r->f, *x) : 0;
    if (strcmp(r->part, "near 0") == 0) {
        *x = -fabs(uniform(0, 40));
        *y = strcmp(r->name, "logaddexp2") == 0 ? log2(1 - exp2(*x)) : log1p(-exp(*x));
    }
}

static void measure_f64(const row *r, int64_t count, worst *w)
{
    struct buffers *s = &buffers;
    const bool      has_b = r->f.mpfr_2 != NULL;
    for (int64_t k = 0; k < count;) {
        int64_t n = 0;
        for (; n < CHUNK && k < count; n++, k++) next_inputs(r, k, &s->wide_a[n], &s->wide_b[n]);
        run(r, STRIA_F64, s->wide_a, has_b ? s->wide_b : NULL, s->wide_y, n);
        for (int64_t i = 0; i < n; i++) measure(r, false, s->wide_a[i], s->wide_b[i], s->wide_y[i], w);
        w->count += n;
    }
}

static void measure_f32_2(const row *r, int64_t count, worst *w)
{
    for (int64_t k = 0; k < count;) {
        int64_t n = 0;
        for (; n < CHUNK && k < count; n++, k++) {
            double x, y;
            next_inputs(r, k, &x, &y);
            buffers.a[n] = (float)x;
            buffers.b[n] = (float)y;
        }
        measure_f32_chunk(r, n, true, w);
    }
}

/* Of all inputs of a 16-bit dtype, those whose result is not the f32 result rounded once; the first of them goes to w->x. */
static int64_t count_half_misses(const row *r, stria_dtype dtype, worst *w)
{
    static uint16_t in[1 << 16], got[1 << 16], want[1 << 16];
    stria_error     err;
    int64_t         misses = 0;
    for (int k = 0; k < 1 << 16; k++) in[k] = (uint16_t)k;
    run(r, dtype, in, NULL, got, CHUNK);
    stria_tensor *x = tensor_over(dtype, in, CHUNK), *wide = tensor_over(STRIA_F32, buffers.a, CHUNK);
    stria_tensor *y = tensor_over(STRIA_F32, buffers.y, CHUNK), *narrow = tensor_over(dtype, want, CHUNK);
    if (stria_tensor_set(wide, x, &err) != STRIA_OK) fail(err.message);
    run(r, STRIA_F32, buffers.a, NULL, buffers.y, CHUNK);
    if (stria_tensor_set(narrow, y, &err) != STRIA_OK) fail(err.message);
    for (int k = 0; k < 1 << 16; k++) {
        const bool is_nan = buffers.y[k] != buffers.y[k];
        if (is_nan || got[k] == want[k]) continue;
        if (misses++ == 0) w->x = buffers.a[k];
    }
    w->count = 1 << 16;
    stria_tensor_release(x);
    stria_tensor_release(wide);
    stria_tensor_release(y);
    stria_tensor_release(narrow);
    return misses;
}

/* ---------------------------------------------------------------- the table */

static void print_line(const row *r, const char *dtype, const char *mode, double bound, const worst *w)
{
    const bool has_b = r->f.mpfr_2 != NULL;
    printf("{\"row\": \"%s\", \"part\": \"%s\", \"dtype\": \"%s\", \"mode\": \"%s\", \"count\": %lld, ", r->name,
           r->part, dtype, mode, (long long)w->count);
    if (isinf(w->ulp))
        printf("\"ulp\": \"infinite\", ");
    else
        printf("\"ulp\": %.4f, ", w->ulp);
    if (isfinite(bound)) printf("\"bound\": %g, ", bound);
    printf("\"at\": [\"%a\"", w->x);
    if (has_b) printf(", \"%a\"", w->y);
    printf("]}\n");
    fflush(stdout);
}

/* only: NULL, or the one dtype. */
static void measure_row(const row *r, const char *mode, const char *only)
{
    const bool    all = strcmp(mode, "all") == 0, quick = strcmp(mode, "quick") == 0;
    const int64_t n64 = all ? 3000000 : quick ? 25000 : 300000;
    const double  b32 = r->bound > 0 ? r->bound : stated_bound(r->name, true);
    const double  b64 = r->bound > 0 ? r->bound : stated_bound(r->name, false);
    worst         w = {0};

    /* a row has the same inputs, whatever was measured before it */
    reset_random();
    if (only == NULL || strcmp(only, "f32") == 0) {
        if (r->f.mpfr_1) {
            measure_f32_1(r, 100003, &w); /* an error to begin with, so that MPFR seldom has to decide */
            w.count = 0;
            measure_f32_1(r, all ? 1 : quick ? 100003 : 61, &w);
        } else {
            measure_f32_2(r, 10 * n64, &w);
        }
        print_line(r, "f32", mode, b32, &w);
        if (only != NULL) return;
    }
    w = (worst){0};
    reset_random();
    measure_f64(r, n64, &w);
    print_line(r, "f64", mode, b64, &w);
    if (!r->f.mpfr_1 || only != NULL) return;
    for (int k = 0; k < 2; k++) {
        const stria_dtype dtype = k ? STRIA_BF16 : STRIA_F16;
        w = (worst){0};
        const int64_t misses = count_half_misses(r, dtype, &w);
        printf(
            "{\"row\": \"%s\", \"part\": \"\", \"dtype\": \"%s\", \"mode\": \"all\", \"count\": %d, \"misses\": %lld, "
            "\"at\": [\"%a\"]}\n",
            r->name, stria_dtype_get_name(dtype), 1 << 16, (long long)misses, w.x);
    }
}

int accuracy_table(int argc, char **argv)
{
    const char *mode = "dense", *only = NULL;
    int         first = 0;

    for (; first < argc && argv[first][0] == '-'; first++)
        if (strcmp(argv[first], "--f32") == 0 || strcmp(argv[first], "--f64") == 0)
            only = argv[first] + 2;
        else
            mode = argv[first] + 2;
    if (strcmp(mode, "dense") != 0 && strcmp(mode, "quick") != 0 && strcmp(mode, "all") != 0) fail("no such mode");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        row  r = rows[k];
        bool wanted = first == argc;
        for (int i = first; i < argc; i++) wanted = wanted || strcmp(argv[i], r.name) == 0;
        for (int i = 0; i < n_functions && !r.f.mpfr_1 && !r.f.mpfr_2; i++)
            if (strcmp(functions[i].name, r.name) == 0) r.f = functions[i];
        r.f.name = r.name;
        if (wanted) measure_row(&r, mode, only);
    }
    return 0;
}
