/* accuracy.c - the transcendental functions against MPFR's correctly rounded ones.
 *
 *     accuracy [--full] [function ..]
 *     accuracy --table ..                  measures rows for docs/accuracy.md (accuracy_table.c)
 *
 * f32: every 200003rd bit pattern, twice as many where STRIA_FULL is set, with --full all 2^32. f64: random numbers over the
 * exponent range and around the places where functions change (0, 1, multiples of pi/2, thresholds of overflow). Prints the
 * largest error of each in units of the last place, and where; fails if one is above its bound: the "Max error" that the
 * comment above the function states, in the headers that vec_math.h includes, which are read for it; in f32 else that of
 * vec_math.h. The scalar vocabulary is measured: test_hash and test_ops hold the other instruction sets to the same bits.
 */
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"
#include "oracle.h"
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

/* The references below compute with 300 bits. */
static int times_x(mpfr_t y, const mpfr_t x, int (*factor)(mpfr_t, const mpfr_t, mpfr_rnd_t), mpfr_rnd_t rnd)
{
    mpfr_t t;
    mpfr_init2(t, 300);
    factor(t, x, MPFR_RNDN);
    mpfr_mul(y, t, x, rnd);
    mpfr_clear(t);
    return 0;
}
static int silu_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd) { return times_x(y, x, sigmoid_mpfr, rnd); }

/* -log(1 + exp(-x)) */
static int logsigmoid_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t t;
    if (mpfr_cmp_si(x, -1000) < 0) return mpfr_set(y, x, rnd); /* exp(-x) is beyond MPFR's range here */
    mpfr_init2(t, 300);
    mpfr_neg(t, x, MPFR_RNDN);
    mpfr_exp(t, t, MPFR_RNDN);
    mpfr_log1p(t, t, MPFR_RNDN);
    mpfr_neg(y, t, rnd);
    mpfr_clear(t);
    return 0;
}

/* x tanh(log(1 + exp(x))) */
static int mish_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t t;
    mpfr_init2(t, 300);
    mpfr_exp(t, x, MPFR_RNDN);
    mpfr_log1p(t, t, MPFR_RNDN);
    mpfr_tanh(t, t, MPFR_RNDN);
    mpfr_mul(y, t, x, rnd);
    mpfr_clear(t);
    return 0;
}

static int selu_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t t, u;
    mpfr_inits2(300, t, u, (mpfr_ptr)0);
    mpfr_set_str(t, "1.0507009873554804934193349852946", 10, MPFR_RNDN);
    if (mpfr_sgn(x) > 0) {
        mpfr_mul(y, t, x, rnd);
    } else {
        mpfr_set_str(u, "1.6732632423543772848170429916717", 10, MPFR_RNDN);
        mpfr_mul(t, t, u, MPFR_RNDN);
        mpfr_expm1(u, x, MPFR_RNDN);
        mpfr_mul(y, t, u, rnd);
    }
    mpfr_clears(t, u, (mpfr_ptr)0);
    return 0;
}

static int tanhshrink_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t t;
    if (mpfr_inf_p(x)) return mpfr_set(y, x, rnd);
    mpfr_init2(t, 2400); /* what cancels is x^3 of x */
    mpfr_tanh(t, x, MPFR_RNDN);
    mpfr_sub(y, x, t, rnd);
    if (mpfr_zero_p(x)) mpfr_set(y, x, rnd);
    mpfr_clear(t);
    return 0;
}

static int softsign_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t t;
    mpfr_init2(t, 2400);
    mpfr_abs(t, x, MPFR_RNDN);
    mpfr_add_ui(t, t, 1, MPFR_RNDN);
    mpfr_div(y, x, t, rnd);
    mpfr_clear(t);
    return 0;
}

/* x limited to [-3, 3], plus 3, divided by 6 */
static int hardsigmoid_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t t;
    if (mpfr_nan_p(x)) return mpfr_set(y, x, rnd);
    mpfr_init2(t, 1200);
    mpfr_add_ui(t, x, 3, MPFR_RNDN);
    if (mpfr_sgn(t) < 0) mpfr_set_ui(t, 0, MPFR_RNDN);
    if (mpfr_cmp_ui(t, 6) > 0) mpfr_set_ui(t, 6, MPFR_RNDN);
    mpfr_div_ui(y, t, 6, rnd);
    mpfr_clear(t);
    return 0;
}
static int hardswish_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd) { return times_x(y, x, hardsigmoid_mpfr, rnd); }

static int rsqrt_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    if (!mpfr_zero_p(x)) return mpfr_rec_sqrt(y, x, rnd);
    mpfr_set_inf(y, mpfr_signbit(x) ? -1 : 1);
    return 0;
}

/* x, or alpha (exp(w) - 1) for x <= 0, w = x or x / alpha */
static int elu_of(mpfr_t y, const mpfr_t x, const mpfr_t alpha, bool divides, mpfr_rnd_t rnd)
{
    mpfr_t t;
    if (mpfr_nan_p(x) || (mpfr_nan_p(alpha) && mpfr_sgn(x) <= 0)) return mpfr_set_nan(y), 0;
    if (mpfr_sgn(x) > 0) return mpfr_set(y, x, rnd);
    if (divides && mpfr_regular_p(x) && mpfr_regular_p(alpha) && mpfr_get_exp(x) - mpfr_get_exp(alpha) < -1000)
        return mpfr_set(y, x, rnd); /* the quotient may leave MPFR's range here */
    mpfr_init2(t, 300);
    divides ? mpfr_div(t, x, alpha, MPFR_RNDN) : mpfr_set(t, x, MPFR_RNDN);
    if (!mpfr_nan_p(t) && mpfr_cmp_d(t, 0x1.62e42fefa39efp9) > 0)
        mpfr_set_inf(t, 1); /* as exp overflows, alpha however small */
    mpfr_expm1(t, t, MPFR_RNDN);
    mpfr_mul(y, t, alpha, rnd);
    if (divides && mpfr_inf_p(alpha) && !mpfr_inf_p(x)) mpfr_set(y, x, rnd); /* the limit */
    mpfr_clear(t);
    return 0;
}
static int elu_mpfr(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd) { return elu_of(z, x, y, false, rnd); }
static int celu_mpfr(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd) { return elu_of(z, x, y, true, rnd); }

static int ndtr_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t t;
    mpfr_init2(t, 300);
    mpfr_sqrt_ui(t, 2, MPFR_RNDN);
    mpfr_div(t, x, t, MPFR_RNDN);
    mpfr_neg(t, t, MPFR_RNDN);
    mpfr_erfc(t, t, MPFR_RNDN);
    mpfr_div_2ui(y, t, 1, rnd);
    mpfr_clear(t);
    return 0;
}

static int sinc_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t t, u;
    if (mpfr_zero_p(x)) return mpfr_set_ui(y, 1, rnd);
    mpfr_inits2(2400, t, u, (mpfr_ptr)0); /* pi x to that many bits, for x up to 2^1024 */
    mpfr_const_pi(t, MPFR_RNDN);
    mpfr_mul(t, t, x, MPFR_RNDN);
    mpfr_sin(u, t, MPFR_RNDN);
    mpfr_div(y, u, t, rnd);
    if (mpfr_integer_p(x)) mpfr_set_zero(y, 1);
    mpfr_clears(t, u, (mpfr_ptr)0);
    return 0;
}

static int xlogy_mpfr(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd)
{
    mpfr_t t;
    if (mpfr_zero_p(x) && !mpfr_nan_p(y)) return mpfr_set_ui(z, 0, rnd);
    mpfr_init2(t, 300);
    mpfr_log(t, y, MPFR_RNDN);
    mpfr_mul(z, t, x, rnd);
    mpfr_clear(t);
    return 0;
}

/* log(e^x + e^y), and the same with base 2 */
static int add_logarithms(mpfr_t z, const mpfr_t x, const mpfr_t y, bool is_two, mpfr_rnd_t rnd)
{
    mpfr_t t, u;
    if (mpfr_nan_p(x) || mpfr_nan_p(y)) return mpfr_set_nan(z), 0;
    mpfr_srcptr larger = mpfr_cmp(x, y) < 0 ? y : x, other = mpfr_cmp(x, y) < 0 ? x : y;
    if (mpfr_inf_p(larger) || mpfr_inf_p(other)) return mpfr_set(z, larger, rnd);
    mpfr_inits2(3000, t, u, (mpfr_ptr)0); /* differences of any two doubles exactly */
    mpfr_sub(t, other, larger, MPFR_RNDN);
    if (mpfr_cmp_si(t, -3000) < 0) {
        mpfr_set(z, larger, rnd);
    } else {
        mpfr_set_prec(u, 400);
        is_two ? mpfr_exp2(u, t, MPFR_RNDN) : mpfr_exp(u, t, MPFR_RNDN);
        mpfr_log1p(u, u, MPFR_RNDN);
        if (is_two) {
            mpfr_set_prec(t, 400);
            mpfr_const_log2(t, MPFR_RNDN);
            mpfr_div(u, u, t, MPFR_RNDN);
        }
        mpfr_add(z, u, larger, rnd);
    }
    mpfr_clears(t, u, (mpfr_ptr)0);
    return 0;
}
int logaddexp_mpfr(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd)
{
    return add_logarithms(z, x, y, false, rnd);
}
int logaddexp2_mpfr(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd)
{
    return add_logarithms(z, x, y, true, rnd);
}

/* By Newton's method on erf(u) = |x|, near 1 on erfc(u) = 1 - |x|, from what is to be measured. */
static int erfinv_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t u, e, d, s;
    if (mpfr_zero_p(x)) return mpfr_set(y, x, rnd);
    mpfr_inits2(300, u, e, d, s, (mpfr_ptr)0);
    mpfr_abs(s, x, MPFR_RNDN);
    if (!mpfr_nan_p(x) && mpfr_cmp_ui(s, 1) == 0) {
        mpfr_set_inf(y, mpfr_sgn(x));
    } else if (mpfr_cmp_ui(s, 1) > 0 || mpfr_nan_p(x)) {
        mpfr_set_nan(y);
    } else {
        mpfr_set_d(u, vec_erfinv_f64(mpfr_get_d(s, MPFR_RNDN)), MPFR_RNDN);
        for (int k = 0; k < 3; k++) {
            if (mpfr_cmp_d(s, 0.5) < 0) { /* 1 - |x| would lose what is small */
                mpfr_erf(e, u, MPFR_RNDN);
                mpfr_sub(e, e, s, MPFR_RNDN);
            } else {
                mpfr_erfc(e, u, MPFR_RNDN);
                mpfr_ui_sub(d, 1, s, MPFR_RNDN);
                mpfr_sub(e, d, e, MPFR_RNDN);
            }
            mpfr_sqr(d, u, MPFR_RNDN);
            mpfr_exp(d, d, MPFR_RNDN);
            mpfr_mul(e, e, d, MPFR_RNDN);
            mpfr_const_pi(d, MPFR_RNDN);
            mpfr_sqrt(d, d, MPFR_RNDN);
            mpfr_mul(e, e, d, MPFR_RNDN);
            mpfr_div_2ui(e, e, 1, MPFR_RNDN);
            mpfr_sub(u, u, e, MPFR_RNDN);
        }
        mpfr_set(y, u, rnd);
        if (mpfr_sgn(x) < 0) mpfr_neg(y, y, rnd);
    }
    mpfr_clears(u, e, d, s, (mpfr_ptr)0);
    return 0;
}
/* sum of (x^2/4)^k / k!^2 */
static int i0_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t z, t, s;
    if (!mpfr_number_p(x)) {
        mpfr_abs(y, x, rnd);
        return 0;
    }
    mpfr_inits2(300, z, t, s, (mpfr_ptr)0);
    mpfr_abs(z, x, MPFR_RNDN);
    if (mpfr_cmp_ui(z, 1000) > 0) {
        mpfr_set_inf(y, 1);
        mpfr_clears(z, t, s, (mpfr_ptr)0);
        return 0;
    }
    mpfr_sqr(z, x, MPFR_RNDN);
    mpfr_div_2ui(z, z, 2, MPFR_RNDN);
    mpfr_set_ui(t, 1, MPFR_RNDN);
    mpfr_set_ui(s, 1, MPFR_RNDN);
    for (unsigned k = 1; k < 2000; k++) {
        mpfr_mul(t, t, z, MPFR_RNDN);
        mpfr_div_ui(t, t, k, MPFR_RNDN);
        mpfr_div_ui(t, t, k, MPFR_RNDN);
        mpfr_add(s, s, t, MPFR_RNDN);
        if (mpfr_zero_p(t) || mpfr_get_exp(t) < mpfr_get_exp(s) - 200) break;
    }
    mpfr_set(y, s, rnd);
    mpfr_clears(z, t, s, (mpfr_ptr)0);
    return 0;
}
static int lgamma_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    int sign;
    if (mpfr_cmp_d(x, 0x1p1010) > 0 && !mpfr_inf_p(x)) /* beyond MPFR's range here */
        return mpfr_set_d(y, vec_lgamma_f64(mpfr_get_d(x, MPFR_RNDN)), rnd);
    return mpfr_lgamma(y, &sign, x, rnd);
}

static int digamma_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rnd)
{
    if (mpfr_zero_p(x)) return mpfr_set_d(y, vec_digamma_f64(mpfr_get_d(x, MPFR_RNDN)), rnd);
    return mpfr_digamma(y, x, rnd);
}

/* Sums whose terms cancel: an error is a share of the last place of what they are made of, where that is larger than the result. */
static double lgamma_part(double x, double y)
{
    (void)y;
    return x < 0 ? vec_lgamma_f64(-x) : 0;
}
static double digamma_part(double x, double y)
{
    (void)y;
    return x < 0 ? vec_digamma_f64(1 - x) : 0;
}
static double logaddexp_part(double x, double y)
{
    (void)x, (void)y;
    return 0.0625;
}

static const struct {
    const char *name;
    double (*get)(double, double);
} parts[] = {
    {"lgamma", lgamma_part}, {"digamma", digamma_part}, {"logaddexp", logaddexp_part}, {"logaddexp2", logaddexp_part}};

#define MATH_1(name, ...)                                             \
    static float  name##_f32(float x) { return vec_##name##_f32(x); } \
    static double name##_f64(double x) { return vec_##name##_f64(x); }
#define MATH_2(name, ...)                                                         \
    static float  name##_f32(float x, float y) { return vec_##name##_f32(x, y); } \
    static double name##_f64(double x, double y) { return vec_##name##_f64(x, y); }
#include "math_functions.def"

const function functions[] = {
#define MATH_1(name, reference, low, high) {#name, name##_f32, name##_f64, NULL, NULL, reference, NULL, low, high},
#define MATH_2(name, reference, low, high) {#name, NULL, NULL, name##_f32, name##_f64, NULL, reference, low, high},
#include "math_functions.def"
};
const int n_functions = (int)(sizeof functions / sizeof functions[0]);

/* ---------------------------------------------------------------- the bounds that the headers state */

static char headers_f32[1 << 17], headers_f64[1 << 17], headers_all[1 << 16];

static void read_header(const char *path, char *text, size_t size)
{
    FILE        *file = fopen(path, "r");
    const size_t n = file ? fread(text, 1, size, file) : 0;

    if (file) fclose(file);
    if (n == 0 || n == size) {
        printf("%s cannot be read as a whole; run this in the root of the project\n", path);
        exit(1);
    }
    text[n] = 0;
}

/* Those of one type, one behind the other. */
static void read_headers_of(const char *type, char *text, size_t size)
{
    static const char *const parts[] = {"math", "activation", "special"};
    for (int k = 0; k < 3; k++) {
        char path[64];
        snprintf(path, sizeof path, "src/simd/vec_%s_%s.h", parts[k], type);
        const size_t used = strlen(text);
        read_header(path, text + used, size - used);
    }
}

static void read_headers(void)
{
    read_header("src/simd/vec_math.h", headers_all, sizeof headers_all);
    read_headers_of("f32", headers_f32, sizeof headers_f32);
    read_headers_of("f64", headers_f64, sizeof headers_f64);
}

/* The number behind these words; 0, which no function meets, where they are missing. */
static double number_behind(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    return at ? strtod(at + strlen(words), NULL) : 0;
}

double stated_bound(const char *name, bool is_f32)
{
    char words[64];
    snprintf(words, sizeof words, "* %s - Max error:", name);
    const double own = number_behind(is_f32 ? headers_f32 : headers_f64, words);
    return own > 0 || !is_f32 ? own : number_behind(headers_all, "f32 functions that do not say theirs:");
}

static uint64_t state = 88172645463325252u;
void            reset_random(void) { state = 88172645463325252u; }
uint64_t        next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

typedef struct worst {
    double ulp, x, y;
} worst;

double error_ulp(mpfr_t exact, double part, double got, int bits, int emin)
{
    mpfr_t     d;
    double     r;
    mpfr_exp_t e;
    const int  overflow = bits == 24 ? 128 : 1024;
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
    if (part != 0 && isfinite(part) && ilogb(part) + 1 > e) e = ilogb(part) + 1;
    mpfr_init2(d, 300);
    mpfr_sub_d(d, exact, got, MPFR_RNDN);
    mpfr_mul_2si(d, d, bits - e, MPFR_RNDN);
    r = fabs(mpfr_get_d(d, MPFR_RNDN));
    mpfr_clear(d);
    return r;
}

/* Whether the f64 function is enough to see that an f32 result is better than the worst so far. */
static bool is_harmless(const function *f, double x, double y, double got, const worst *w)
{
    const double near = f->f64_1 ? f->f64_1(x) : f->f64_2(x, y);
    int          e;
    if (got != got || near != near) return got != got && near != near;
    if (isinf(got) || isinf((float)near)) return got == (double)(float)near;
    (void)frexp(near, &e);
    return ldexp(fabs(got - near), 24 - (e < -125 ? -125 : e)) < w->ulp - 0x1p-20;
}

double part_of(const char *name, double x, double y)
{
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (strcmp(parts[k].name, name) == 0) return parts[k].get(x, y);
    return 0;
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
    if (is_f32) {
        got = f->f32_1 ? f->f32_1((float)x) : f->f32_2((float)x, (float)y);
        if (is_harmless(f, x, y, got, w)) return;
    } else {
        got = f->f64_1 ? f->f64_1(x) : f->f64_2(x, y);
    }
    mpfr_set_d(mx, x, MPFR_RNDN);
    mpfr_set_d(my, y, MPFR_RNDN);
    if (f->mpfr_1)
        f->mpfr_1(mr, mx, MPFR_RNDN);
    else
        f->mpfr_2(mr, mx, my, MPFR_RNDN);
    ulp = error_ulp(mr, part_of(f->name, x, y), got, is_f32 ? 24 : 53, is_f32 ? -125 : -1021);
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
double uniform(double low, double high) { return low + (high - low) * ((double)(next_random() >> 11) * 0x1p-53); }

/* Numbers of every size, near the interesting ones, and dense in the function's range. */
double sample(const function *f, int k)
{
    static const double near[] = {0.5,
                                  1,
                                  1.5707963267948966,
                                  3.141592653589793,
                                  6.283185307179586,
                                  0.34657359027997264,
                                  0.70710678118654752,
                                  2,
                                  709.78271289338400,
                                  745.13321910194111};
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

/* A second argument; for pow, often one that keeps the result in range. */
double sample_2(const function *f, double x)
{
    const double l = log(fabs(x));
    if (strcmp(f->name, "pow") == 0 && isfinite(l) && l != 0 && next_random() % 4) return uniform(-746, 710) / l;
    return sample(f, (int)(next_random() & 1023));
}

/* All samples of one function. */
static void measure_function(const function *f, bool full, worst *w32, worst *w64)
{
    const bool more = check_is_full();
    const int  n = full ? 20000000 : more ? 25000 : 12500;
    for (uint64_t u = 0; f->f32_1 && u < 1ull << 32; u += full ? 1 : more ? 100003 : 200003)
        measure(f, true, f32_from_bits((uint32_t)u), 0, w32);
    for (int i = 0; i < n; i++) {
        const double x = sample(f, i), y = f->f64_2 ? sample_2(f, x) : 0;
        if (f->f32_2) measure(f, true, (float)x, (float)y, w32);
        measure(f, false, x, y, w64);
    }
}

int main(int argc, char **argv)
{
    bool full = false;
    int  passed = 0, failed = 0;
    for (int i = 1; i < argc; i++) full = full || strcmp(argv[i], "--full") == 0;
    read_headers();
    mpfr_set_emin(-2000);
    mpfr_set_emax(2000);
    if (argc > 1 && strcmp(argv[1], "--table") == 0) return accuracy_table(argc - 2, argv + 2);
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        const function *f = &functions[k];
        worst           w32 = {0, 0, 0}, w64 = {0, 0, 0};
        bool            wanted = argc == 1 + full;
        for (int i = 1; i < argc; i++) wanted = wanted || strcmp(argv[i], f->name) == 0;
        if (!wanted) continue;
        measure_function(f, full, &w32, &w64);
        const double b32 = stated_bound(f->name, true), b64 = stated_bound(f->name, false);
        const bool   ok = w32.ulp <= b32 && w64.ulp <= b64 && b32 <= 2 && b64 <= 2;
        printf("%-10s f32 %.4f of %.2f ULP at %a %a   f64 %.4f of %.2f ULP at %a %a\n", f->name, w32.ulp, b32, w32.x,
               w32.y, w64.ulp, b64, w64.x, w64.y);
        if (!ok) printf("%s: above the bound that its header states, or none of at most 2 ULP is stated\n", f->name);
        passed += ok;
        failed += !ok;
    }
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed ? 1 : 0;
}
