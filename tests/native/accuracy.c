/* accuracy.c - the transcendental functions against MPFR's correctly rounded ones.
 *
 *     accuracy [--full] [function ..]
 *
 * f32: every 40009th bit pattern, with --full all 2^32. f64: random numbers over the exponent range and around the places
 * where functions change (0, 1, multiples of pi/2, thresholds of overflow). Prints the largest error of each in units of
 * the last place, and where; fails if one is above its bound. The scalar vocabulary is measured: test_hash and test_ops
 * hold the other instruction sets to the same bits.
 */
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vec_scalar.h"

#include "vec_math.h"

static int gelu_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t t;
    mpfr_init2(t, 300);
    mpfr_sqrt_ui(t, 2, MPFR_RNDN);
    mpfr_div(t, x, t, MPFR_RNDN);
    mpfr_neg(t, t, MPFR_RNDN);
    mpfr_erfc(t, t, MPFR_RNDN);
    mpfr_mul(t, t, x, MPFR_RNDN);
    mpfr_div_2ui(y, t, 1, rnd);
    mpfr_clear(t);
    return 0;
}

static int sigmoid_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t t;
    mpfr_init2(t, 300);
    mpfr_neg(t, x, MPFR_RNDN);
    mpfr_exp(t, t, MPFR_RNDN);
    mpfr_add_ui(t, t, 1, MPFR_RNDN);
    mpfr_ui_div(y, 1, t, rnd);
    mpfr_clear(t);
    return 0;
}

static int gelu_tanh_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t t, u;
    mpfr_inits2(300, t, u, (mpfr_ptr)0);
    mpfr_sqr(t, x, MPFR_RNDN);
    mpfr_mul_ui(t, t, 44715, MPFR_RNDN);
    mpfr_div_ui(t, t, 1000000, MPFR_RNDN);
    mpfr_add_ui(t, t, 1, MPFR_RNDN);
    mpfr_mul(t, t, x, MPFR_RNDN);
    mpfr_const_pi(u, MPFR_RNDN);
    mpfr_ui_div(u, 8, u, MPFR_RNDN); /* (2 sqrt(2/pi))^2 */
    mpfr_sqrt(u, u, MPFR_RNDN);
    mpfr_mul(t, t, u, MPFR_RNDN);
    sigmoid_mpfr(t, t, MPFR_RNDN);
    mpfr_mul(y, t, x, rnd);
    mpfr_clears(t, u, (mpfr_ptr)0);
    return 0;
}

typedef struct function {
    const char *name;
    float (*f32_1)(float);
    double (*f64_1)(double);
    float (*f32_2)(float, float);
    double (*f64_2)(double, double);
    int (*mpfr_1)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    int (*mpfr_2)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
    double low, high; /* where f64 samples are dense */
    double bound;     /* ULP */
} function;

#define UNARY(name, mpfr, low, high)                                                                                   \
    static float  name##_f32(float x) { return vec_##name##_f32(x); }                                                  \
    static double name##_f64(double x) { return vec_##name##_f64(x); }
#define BINARY(name, mpfr, low, high)                                                                                  \
    static float  name##_f32(float x, float y) { return vec_##name##_f32(x, y); }                                      \
    static double name##_f64(double x, double y) { return vec_##name##_f64(x, y); }
#define FUNCTIONS                                                                                                      \
    UNARY(exp, mpfr_exp, -746, 710)                                                                                    \
    UNARY(expm1, mpfr_expm1, -40, 710)                                                                                 \
    UNARY(log, mpfr_log, 0, 4)                                                                                         \
    UNARY(log1p, mpfr_log1p, -1, 3)                                                                                    \
    UNARY(log2, mpfr_log2, 0, 4)                                                                                       \
    UNARY(sin, mpfr_sin, -700000, 700000)                                                                              \
    UNARY(cos, mpfr_cos, -700000, 700000)                                                                              \
    UNARY(tanh, mpfr_tanh, -22, 22)                                                                                    \
    UNARY(sigmoid, sigmoid_mpfr, -745, 40)                                                                             \
    UNARY(gelu, gelu_mpfr, -39, 10)                                                                                    \
    UNARY(gelu_tanh, gelu_tanh_mpfr, -22, 10)                                                                          \
    UNARY(erf, mpfr_erf, -6, 6)                                                                                        \
    BINARY(pow, mpfr_pow, 0, 30)                                                                                       \
    BINARY(atan2, mpfr_atan2, -10, 10)
FUNCTIONS
#undef UNARY
#undef BINARY

static const function functions[] = {
#define UNARY(name, mpfr, low, high) {#name, name##_f32, name##_f64, NULL, NULL, mpfr, NULL, low, high, 1.0},
#define BINARY(name, mpfr, low, high) {#name, NULL, NULL, name##_f32, name##_f64, NULL, mpfr, low, high, 1.0},
    FUNCTIONS};

static uint64_t state = 88172645463325252u;
static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

typedef struct worst {
    double ulp, x, y;
} worst;

/* Distance of `got` from the exact value in units of the last place of a format with `bits` of precision and least
 * exponent `emin`. */
static double error_ulp(mpfr_t exact, double got, int bits, int emin)
{
    mpfr_t      d;
    double      r;
    mpfr_exp_t  e;
    const int   overflow = bits == 24 ? 128 : 1024;
    if (mpfr_nan_p(exact)) return got != got ? 0 : INFINITY;
    if (got != got) return INFINITY;
    if (isinf(got)) { /* right if the exact value rounds to it */
        mpfr_t limit;
        mpfr_init2(limit, 100);
        mpfr_set_ui_2exp(limit, (1ul << (bits + 1)) - 1, overflow - bits - 1, MPFR_RNDN);
        if (got < 0) mpfr_neg(limit, limit, MPFR_RNDN);
        r = got > 0 ? mpfr_cmp(exact, limit) >= 0 : mpfr_cmp(exact, limit) <= 0;
        mpfr_clear(limit);
        return r ? 0 : INFINITY;
    }
    if (mpfr_inf_p(exact)) return INFINITY;
    if (mpfr_zero_p(exact)) return got == 0 ? 0 : INFINITY;
    e = mpfr_get_exp(exact);
    if (e < emin) e = emin;
    mpfr_init2(d, 300);
    mpfr_sub_d(d, exact, got, MPFR_RNDN);
    mpfr_mul_2si(d, d, bits - e, MPFR_RNDN);
    r = fabs(mpfr_get_d(d, MPFR_RNDN));
    mpfr_clear(d);
    return r;
}

static void measure(const function *f, bool is_f32, double x, double y, worst *w)
{
    static mpfr_t mx, my, mr;
    static bool   ready;
    double        got, ulp;
    if (!ready) {
        mpfr_inits2(53, mx, my, (mpfr_ptr)0);
        mpfr_init2(mr, 180);
        ready = true;
    }
    mpfr_set_d(mx, x, MPFR_RNDN);
    mpfr_set_d(my, y, MPFR_RNDN);
    if (f->mpfr_1)
        f->mpfr_1(mr, mx, MPFR_RNDN);
    else
        f->mpfr_2(mr, mx, my, MPFR_RNDN);
    if (is_f32)
        got = f->f32_1 ? f->f32_1((float)x) : f->f32_2((float)x, (float)y);
    else
        got = f->f64_1 ? f->f64_1(x) : f->f64_2(x, y);
    ulp = error_ulp(mr, got, is_f32 ? 24 : 53, is_f32 ? -125 : -1021);
    if (ulp > w->ulp) {
        w->ulp = ulp;
        w->x = x;
        w->y = y;
    }
}

static float f32_from_bits(uint32_t u)
{
    float x;
    memcpy(&x, &u, 4);
    return x;
}
static double f64_from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, 8);
    return x;
}
static double uniform(double low, double high)
{
    return low + (high - low) * ((double)(next_random() >> 11) * 0x1p-53);
}

/* Numbers of every size, near the interesting ones, and dense in the function's range. */
static double sample(const function *f, int k)
{
    static const double near[] = {0.5, 1, 1.5707963267948966, 3.141592653589793, 6.283185307179586, 0.34657359027997264, 0.70710678118654752, 2, 709.78271289338400, 745.13321910194111};
    switch (k % 4) {
    case 0: return f64_from_bits(next_random());
    case 1: {
        const double c = near[next_random() % 10] * (double)(1 + (k % 5 == 0 ? next_random() % 100000 : 0));
        const double x = c + c * uniform(-1, 1) * ldexp(1, -(int)(next_random() % 53));
        return next_random() & 1 ? x : -x;
    }
    case 2: return uniform(f->low, f->high);
    default: return ldexp(uniform(-1, 1), (int)(next_random() % 24) - 16);
    }
}

int main(int argc, char **argv)
{
    bool full = false;
    int  passed = 0, failed = 0;
    for (int i = 1; i < argc; i++) full = full || strcmp(argv[i], "--full") == 0;
    mpfr_set_emin(-2000);
    mpfr_set_emax(2000);
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        const function *f = &functions[k];
        worst           w32 = {0, 0, 0}, w64 = {0, 0, 0};
        bool            wanted = argc == 1 + full;
        for (int i = 1; i < argc; i++) wanted = wanted || strcmp(argv[i], f->name) == 0;
        if (!wanted) continue;
        if (f->f32_1) {
            const uint64_t step = full ? 1 : 40009;
            for (uint64_t u = 0; u < 1ull << 32; u += step) measure(f, true, f32_from_bits((uint32_t)u), 0, &w32);
        } else {
            for (int i = 0; i < (full ? 20000000 : 100000); i++)
                measure(f, true, (float)sample(f, i), (float)sample(f, (int)(next_random() & 1023)), &w32);
        }
        for (int i = 0; i < (full ? 20000000 : 100000); i++)
            measure(f, false, sample(f, i), f->f64_2 ? sample(f, (int)(next_random() & 1023)) : 0, &w64);
        printf("%-10s f32 %.4f ULP at %a %a   f64 %.4f ULP at %a %a\n", f->name, w32.ulp, w32.x, w32.y, w64.ulp, w64.x,
               w64.y);
        if (w32.ulp > f->bound || w64.ulp > f->bound) {
            printf("%s: above its bound of %.1f ULP\n", f->name, f->bound);
            failed++;
        } else {
            passed++;
        }
    }
    printf("accuracy: %d passed, %d failed, 0 skipped\n", passed, failed);
    return failed ? 1 : 0;
}
