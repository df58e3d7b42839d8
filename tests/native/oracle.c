/* oracle.c - values, conversions and the table of formulas (oracle.h). Tensors, guarded memory and checks:
 * support.c. */
#include "oracle.h"

#include <math.h>
#include <string.h>
#include <tgmath.h>

/* ---------------------------------------------------------------- dtypes */

bool        dtype_is_float(stria_dtype d) { return d >= STRIA_F16 && d <= STRIA_F64; }
bool        dtype_is_complex(stria_dtype d) { return d == STRIA_C64 || d == STRIA_C128; }
static bool is_signed(stria_dtype d) { return d == STRIA_I8 || d == STRIA_I16 || d == STRIA_I32 || d == STRIA_I64; }

static int dtype_bits(stria_dtype d)
{
    static const int bits[] = {1, 8, 8, 16, 16, 32, 32, 64, 64, 16, 16, 32, 64, 64, 128};
    return bits[d];
}

stria_dtype oracle_compute(stria_dtype d) { return d == STRIA_F16 || d == STRIA_BF16 ? STRIA_F32 : d; }

/* The smallest integer dtype that holds every value of both; f64 where there is none (u64 with a signed one). */
static stria_dtype promote_integers(stria_dtype a, stria_dtype b)
{
    static const stria_dtype signed_of[] = {STRIA_I8, STRIA_I16, STRIA_I32, STRIA_I64};
    if (a == STRIA_BOOL) return b;
    if (b == STRIA_BOOL) return a;
    if (is_signed(a) == is_signed(b)) return dtype_bits(a) >= dtype_bits(b) ? a : b;
    const stria_dtype s = is_signed(a) ? a : b, u = is_signed(a) ? b : a;
    for (int k = 0; k < 4; k++)
        if (dtype_bits(signed_of[k]) > dtype_bits(u) && dtype_bits(signed_of[k]) >= dtype_bits(s)) return signed_of[k];
    return STRIA_F64;
}

stria_dtype oracle_promote(stria_dtype a, stria_dtype b)
{
    if (a == b) return a;
    if (dtype_is_complex(a) || dtype_is_complex(b))
        return a == STRIA_C128 || b == STRIA_C128 || a == STRIA_F64 || b == STRIA_F64 ? STRIA_C128 : STRIA_C64;
    if (dtype_is_float(a) && dtype_is_float(b)) {
        if (dtype_bits(a) == dtype_bits(b)) return STRIA_F32;
        return dtype_bits(a) > dtype_bits(b) ? a : b;
    }
    if (dtype_is_float(a)) return a;
    if (dtype_is_float(b)) return b;
    return promote_integers(a, b);
}

bool oracle_castable(stria_dtype from, stria_dtype to)
{
    if (dtype_is_complex(from)) return dtype_is_complex(to);
    if (dtype_is_float(from)) return dtype_is_float(to) || dtype_is_complex(to);
    return from == STRIA_BOOL || to != STRIA_BOOL;
}

/* ---------------------------------------------------------------- floating formats */

/* Significant bits, and the range of exponents of normal numbers. */
typedef struct format {
    int precision, lowest, highest;
} format;

static format format_of(stria_dtype d)
{
    switch (d) {
    case STRIA_F16: return (format){11, -14, 15};
    case STRIA_BF16: return (format){8, -126, 127};
    case STRIA_F32:
    case STRIA_C64: return (format){24, -126, 127};
    default: return (format){53, -1022, 1023};
    }
}

/* One unit in the last place at |x|. */
static long double format_quantum(format f, long double x)
{
    int e = x == 0 ? f.lowest : ilogbl(x);
    if (e < f.lowest) e = f.lowest;
    return ldexpl(1.0L, e - (f.precision - 1));
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* 2 to the e, a normal number. */
static double power_of_two(int e)
{
    const uint64_t bits = (uint64_t)(e + 1023) << 52;
    double         x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Exponent of a finite number; of subnormal ones -1023. */
static int exponent_of(double x) { return (int)(bits_of(x) >> 52 & 0x7ff) - 1023; }

/* x rounded to nearest even in a format. */
static double format_round(format f, double x)
{
    if (f.precision == 53) return x;
    if (f.precision == 24) return (double)(float)x;
    if (isnan(x) || isinf(x) || x == 0) return x;
    const int e = exponent_of(x);
    if (e > f.highest) return copysign((double)INFINITY, x);
    /* in units of the last place it has less than 12 bits, and 2^52 leaves no place for a fraction */
    const int    last = (e < f.lowest ? f.lowest : e) - (f.precision - 1);
    const double units = fabs(x) * power_of_two(-last) + 0x1p52 - 0x1p52, r = units * power_of_two(last);
    return copysign(r >= 2 * power_of_two(f.highest) ? (double)INFINITY : r, x);
}

/* The same of a number that may have more bits; 64 at most, so that the division is exact. */
static double format_round_wide(format f, long double x)
{
    if (isnan(x) || isinf(x) || x == 0 || f.precision == 53) return (double)x;
    if (f.precision == 24) return (double)(float)x;
    if ((long double)(double)x == x) return format_round(f, (double)x);
    const long double quantum = format_quantum(f, x), r = rintl(x / quantum) * quantum;
    const long double largest = ldexpl(2.0L - ldexpl(1.0L, 1 - f.precision), f.highest);
    if (fabsl(r) > largest) return (double)copysignl(INFINITY, x);
    return (double)(r == 0 ? copysignl(0.0L, x) : r);
}

static uint16_t encode_16(stria_dtype d, double x)
{
    const format   f = format_of(d);
    const int      fraction = f.precision - 1;
    const uint16_t sign = signbit(x) ? 0x8000 : 0, top = (uint16_t)(0x7fff >> fraction << fraction);
    if (isnan(x)) return (uint16_t)(top | (1 << (fraction - 1)));
    x = fabs(format_round(f, x));
    if (isinf(x)) return sign | top;
    const int e = exponent_of(x);
    if (e < f.lowest) return (uint16_t)(sign | (uint16_t)(x * power_of_two(fraction - f.lowest)));
    return (uint16_t)(sign | (e - f.lowest + 1) << fraction |
                      (int)(bits_of(x) >> (52 - fraction) & ((1u << fraction) - 1)));
}

static double decode_16(stria_dtype d, uint16_t bits)
{
    const format f = format_of(d);
    const int    fraction = f.precision - 1, e = (bits & 0x7fff) >> fraction, m = bits & ((1 << fraction) - 1);
    double       x;
    if (e == 0x7fff >> fraction)
        x = m ? (double)NAN : (double)INFINITY;
    else if (e == 0)
        x = m * power_of_two(f.lowest - fraction);
    else
        x = (m + (1 << fraction)) * power_of_two(e - 1 + f.lowest - fraction);
    return bits & 0x8000 ? -x : x;
}

/* ---------------------------------------------------------------- values */

value value_from_real(double real) { return (value){.is_float = true, .real = real}; }
value value_from_whole(whole_int whole) { return (value){.whole = whole}; }

static whole_int wrap(stria_dtype d, whole_int x)
{
    if (d == STRIA_BOOL) return x != 0;
    const whole_int modulus = (whole_int)1 << dtype_bits(d);
    x &= modulus - 1;
    return is_signed(d) && x >= modulus / 2 ? x - modulus : x;
}

static whole_int saturate(stria_dtype d, double x)
{
    const whole_int one = 1, highest = (one << (dtype_bits(d) - is_signed(d))) - 1,
                    lowest = is_signed(d) ? -highest - 1 : 0;
    if (isnan(x)) return 0;
    if (x >= ldexp(1.0, dtype_bits(d) - is_signed(d))) return highest;
    if (x <= (double)lowest) return lowest;
    return (whole_int)x;
}

value value_convert(value v, stria_dtype d)
{
    if (d == STRIA_BOOL) return value_from_whole(v.is_float ? v.real != 0 || v.imag != 0 : v.whole != 0);
    if (!dtype_is_float(d) && !dtype_is_complex(d))
        return value_from_whole(v.is_float ? saturate(d, v.real) : wrap(d, v.whole));
    const format f = format_of(d);
    value        r;
    if (v.is_float)
        r = value_from_real(format_round(f, v.real));
    else if (v.whole == (int32_t)v.whole)
        r = value_from_real(format_round(f, (int32_t)v.whole));
    else /* integers of up to 64 bits are exact in long double here */
        r = value_from_real(format_round_wide(f, (long double)v.whole));
    if (dtype_is_complex(d) && v.is_float) r.imag = format_round(f, v.imag);
    return r;
}

#define GET(type) (memcpy(&u, at, sizeof(type)), (type)u.as_##type)
value value_get(stria_dtype d, const void *at)
{
    union {
        uint8_t  as_uint8_t;
        int8_t   as_int8_t;
        uint16_t as_uint16_t;
        int16_t  as_int16_t;
        uint32_t as_uint32_t;
        int32_t  as_int32_t;
        uint64_t as_uint64_t;
        int64_t  as_int64_t;
        float    as_float;
        double   as_double;
    } u;
    value r;
    switch (d) {
    case STRIA_BOOL: return value_from_whole(GET(uint8_t) != 0);
    case STRIA_U8: return value_from_whole(GET(uint8_t));
    case STRIA_I8: return value_from_whole(GET(int8_t));
    case STRIA_U16: return value_from_whole(GET(uint16_t));
    case STRIA_I16: return value_from_whole(GET(int16_t));
    case STRIA_U32: return value_from_whole(GET(uint32_t));
    case STRIA_I32: return value_from_whole(GET(int32_t));
    case STRIA_U64: return value_from_whole(GET(uint64_t));
    case STRIA_I64: return value_from_whole(GET(int64_t));
    case STRIA_F16:
    case STRIA_BF16: return value_from_real(decode_16(d, GET(uint16_t)));
    case STRIA_F32: return value_from_real((double)GET(float));
    case STRIA_F64: return value_from_real(GET(double));
    case STRIA_C64:
        r = value_get(STRIA_F32, at);
        r.imag = value_get(STRIA_F32, (const char *)at + 4).real;
        return r;
    default:
        r = value_get(STRIA_F64, at);
        r.imag = value_get(STRIA_F64, (const char *)at + 8).real;
        return r;
    }
}
#undef GET

void value_set(stria_dtype d, value v, void *at)
{
    v = value_convert(v, d);
    if (d == STRIA_F16 || d == STRIA_BF16) {
        const uint16_t bits = encode_16(d, v.real);
        memcpy(at, &bits, 2);
    } else if (d == STRIA_F32 || d == STRIA_C64) {
        const float parts[2] = {(float)v.real, (float)v.imag};
        memcpy(at, parts, stria_dtype_get_size(d));
    } else if (d == STRIA_F64 || d == STRIA_C128) {
        const double parts[2] = {v.real, v.imag};
        memcpy(at, parts, stria_dtype_get_size(d));
    } else {
        const size_t size = stria_dtype_get_size(d);
        for (size_t k = 0; k < size; k++) { /* least significant byte first, as every target here has it */
            ((uint8_t *)at)[k] = (uint8_t)((uint64_t)v.whole >> (8 * k));
        }
    }
}

static bool parts_are_nan(stria_dtype d, const void *at) { return (dtype_is_float(d)) && isnan(value_get(d, at).real); }

bool value_same(stria_dtype d, const void *a, const void *b)
{
    if (dtype_is_complex(d)) {
        const stria_dtype part = d == STRIA_C64 ? STRIA_F32 : STRIA_F64;
        const size_t      size = stria_dtype_get_size(part);
        return value_same(part, a, b) && value_same(part, (const char *)a + size, (const char *)b + size);
    }
    if (memcmp(a, b, stria_dtype_get_size(d)) == 0) return true;
    return parts_are_nan(d, a) && parts_are_nan(d, b);
}

char *value_print(stria_dtype d, const void *at, char *text, size_t size)
{
    const value v = value_get(d, at);
    if (dtype_is_complex(d))
        snprintf(text, size, "%a%+ai", v.real, v.imag);
    else if (v.is_float)
        snprintf(text, size, "%a", v.real);
    else if (v.whole < 0)
        snprintf(text, size, "%lld", (long long)v.whole);
    else
        snprintf(text, size, "%llu", (unsigned long long)v.whole);
    return text;
}

void value_canonicalise(stria_dtype d, void *at, int64_t count)
{
    const stria_dtype part = d == STRIA_C64 ? STRIA_F32 : d == STRIA_C128 ? STRIA_F64 : d;
    const size_t      size = stria_dtype_get_size(part);
    if (!dtype_is_float(part)) return;
    if (part != d) count *= 2;
    for (int64_t k = 0; k < count; k++) {
        char *element = (char *)at + (size_t)k * size;
        if (parts_are_nan(part, element)) value_set(part, value_from_real((double)NAN), element);
    }
}

double oracle_ulps(stria_dtype d, double got, long double exact)
{
    const format f = format_of(d);
    if (isnan(exact)) return isnan(got) ? 0 : INFINITY;
    if (isnan(got)) return INFINITY;
    if (exact == 0 || got == 0) {
        if (exact == 0 && got == 0) return 0;
    }
    if (isinf(exact)) return isinf(got) && (got > 0) == (exact > 0) ? 0 : INFINITY;
    const long double beyond = ldexpl(1.0L, f.highest + 1); /* where the next number after the largest would be */
    const long double inside = fabsl(exact) < beyond ? exact : copysignl(beyond * 0.75L, exact);
    const long double reached = isinf(got) ? copysignl(beyond, (long double)got) : (long double)got;
    if (fabsl(exact) >= beyond && isinf(got)) return (got > 0) == (exact > 0) ? 0 : INFINITY;
    return (double)(fabsl(reached - exact) / format_quantum(f, inside));
}

/* ---------------------------------------------------------------- formulas */

static whole_int wrap_mul(whole_int x, whole_int y)
{
    __extension__ typedef unsigned __int128 wide;
    return (whole_int)((wide)x * (wide)y);
}

static whole_int wrap_add(whole_int x, whole_int y)
{
    __extension__ typedef unsigned __int128 wide;
    return (whole_int)((wide)x + (wide)y);
}

/* By repeated multiplication modulo 2^128; a negative exponent is 1 / x^-y truncated, and 0 for x = 0. */
static whole_int wrap_pow(whole_int x, whole_int y)
{
    whole_int r = 1;
    if (y < 0) return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0;
    for (; y > 0; y >>= 1, x = wrap_mul(x, x))
        if (y & 1) r = wrap_mul(r, x);
    return r;
}

/* glibc 2.36 gives infinity for powl(-INFINITY, -0x1p63); all numbers from 2^62 on are even. */
static long double exact_pow(long double x, long double y)
{
    return powl(x, isinf(x) && fabsl(y) > 0x1p62L ? copysignl(0x1p62L, y) : y);
}

static whole_int magnitude(whole_int x) { return x < 0 ? -x : x; }
static whole_int common_divisor(whole_int x, whole_int y) { return y == 0 ? magnitude(x) : common_divisor(y, x % y); }
static whole_int common_multiple(whole_int x, whole_int y)
{
    return x == 0 || y == 0 ? 0 : wrap_mul(magnitude(x) / common_divisor(x, y), magnitude(y));
}

static whole_int count_ones(whole_int x) { return x == 0 ? 0 : (x & 1) + count_ones(x >> 1); }
static whole_int count_digits(whole_int x) { return x == 0 ? 0 : 1 + count_digits(x >> 1); }

static long double exact_gelu(long double x)
{
    if (x == -(long double)INFINITY) return -0.0L;
    return 0.5L * x * erfcl(-x * 0.70710678118654752440084436210484903928L);
}

/* x (1 + tanh u) / 2 = x / (1 + exp(-2 u)) with u = sqrt(2 / pi) (x + 0.044715 x^3) */
static long double exact_gelu_tanh(long double x)
{
    if (x == -(long double)INFINITY) return -0.0L;
    const long double u = 0.79788456080286535587989211986876373695L * (x + 0.044715L * x * x * x);
    return x / (1.0L + expl(-2.0L * u));
}

static long double exact_ldexp(long double x, long double y)
{
    if (x == 0 && y == (long double)INFINITY) return NAN;
    if (isinf(x) && y == -(long double)INFINITY) return NAN;
    const long double whole = floorl(y);
    if (isinf(y) || isnan(y)) return x * exp2l(y);
    return ldexpl(x * exp2l(y - whole), whole < -100000 ? -100000 : whole > 100000 ? 100000 : (int)whole);
}

static long double exact_xlogy(long double x, long double y)
{
    return isnan(y) ? y : x == 0 ? 0 : x * (y < 0 ? (long double)NAN : logl(y));
}

static long double exact_log1pexp(long double x) { return x > 100 ? x : log1pl(expl(x)); }
static long double exact_softplus(long double x, long double beta, long double threshold)
{
    const long double w = x * beta;
    if ((double)w > threshold) return x;
    return w < -700 ? (double)expl(w) / beta : exact_log1pexp(w) / beta; /* a subnormal exponential is rounded first */
}
static long double exact_logaddexp(long double x, long double y)
{
    const long double larger = x > y ? x : y, less = x > y ? y : x;
    return isnan(x) || isnan(y) ? x + y : x == y ? x + logl(2) : larger + log1pl(expl(less - larger));
}
static long double exact_logaddexp2(long double x, long double y)
{
    const long double larger = x > y ? x : y, less = x > y ? y : x;
    return isnan(x) || isnan(y) ? x + y : x == y ? x + 1 : larger + log1pl(exp2l(less - larger)) / logl(2);
}

/* erfc(a) / 2, a = -x / sqrt(2); in the tail its relative error is 2 a^2 times that of a, of which the rounding error is e. */
static long double exact_ndtr(long double x)
{
    const long double high = 0xb504f333f9de6484p-64L, low = 0x1.65f626cdd52bp-66L; /* of 1 / sqrt(2) */
    const long double a = -x * high, e = fmal(-x, high, -a) - x * low;
    if (isinf(x)) return x > 0;
    return 0.5L * (erfcl(a) - 1.12837916709551257390L * expl(-a * a) * e);
}

static long double exact_sinc(long double x)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    if (x == 0) return 1;
    if (isfinite(x) && x == rintl(x)) return 0;
    return (fmodl(rintl(x), 2) != 0 ? -1 : 1) * sinl(pi * (x - rintl(x))) / (pi * x);
}

/* x n / (n + 2), n = e (e + 2), e = exp(x) */
static long double exact_mish(long double x)
{
    const long double e = expl(x), n = e * (e + 2);
    return x == -(long double)INFINITY ? -0.0L : x > 100 ? x : x * (n / (n + 2));
}

/* (x cosh(x) - sinh(x)) / cosh(x): the terms of the numerator's series have one sign. */
static long double exact_tanhshrink(long double x)
{
    long double power = x, sum = 0; /* x^(2k+1) / (2k+1)! */

    if (!(fabsl(x) < 1)) return isinf(x) ? x : x - tanhl(x);
    for (int k = 1; k < 14; k++) {
        power *= x * x / (2 * k) / (2 * k + 1);
        sum += 2 * k * power;
    }
    return x == 0 ? x : sum / coshl(x);
}

static long double exact_selu(long double x)
{
    const long double scale = 1.0507009873554804934193349852946L, alpha = 1.6732632423543772848170429916717L;
    return x > 0 ? scale * x : scale * alpha * expm1l(x);
}

/* The zero of erf(y) - x, or of 1 - x - erfc(y), by Newton's method from below, where both are convex or concave. */
static long double exact_erfinv(long double x)
{
    const long double a = fabsl(x), half_root_pi = 0.886226925452758013649083741670572591L;
    long double       y = a < 0.9L ? a * half_root_pi : sqrtl(-logl((1 - a) * (1 + a)));
    if (!(a < 1)) return a == 1 ? copysignl(INFINITY, x) : (long double)NAN;
    if (a < 1e-10L) return x * half_root_pi;
    for (int k = 0; k < 60; k++) y -= (a < 0.5L ? erfl(y) - a : 1 - a - erfcl(y)) * half_root_pi * expl(y * y);
    return copysignl(y, x);
}

/* The series, whose terms are positive. */
static long double exact_i0(long double x)
{
    const long double z = x * x / 4;
    long double       term = 1, sum = 1;
    if (fabsl(x) > 800) return INFINITY;
    for (int k = 1; k < 2000 && term > sum * 0x1p-70L; k++) sum += term *= z / k / k;
    return isnan(x) ? x : sum;
}

static long double exact_lgamma(long double x)
{
    if (isinf(x) || (x <= 0 && x == floorl(x))) return INFINITY;
    return lgammal(x);
}

/* log(x) - 0.5 / x - digamma(x) for x of 40 and more is the asymptotic series in z = 1 / x^2. */
static const long double digamma_series[] = {0, 1 / 12.0L, -1 / 120.0L, 1 / 252.0L, -1 / 240.0L, 1 / 132.0L};
#define DIGAMMA_TERMS (int)(sizeof digamma_series / sizeof *digamma_series)

/* Of x near the positive zero r, whose first bits are subtracted exactly: digamma(x) - digamma(r), with digamma(x + 1) = digamma(x) + 1 / x
 * applied to both, and d = x - r as a factor of every difference, so that nothing cancels. */
static long double digamma_near_zero(long double x)
{
    const long double d = x - 0x1.762d86356be3fp+0L - 9.549995429965697715e-17L;
    long double       r = 1.46163214496836234126L, sum = 0, series = 0, slope = 0;

    for (; r < 41; r += 1, x += 1) sum += d / (x * r);
    const long double u = 1 / (x * x), v = 1 / (r * r);
    for (int k = DIGAMMA_TERMS - 1; k > 0; k--) { /* slope: (series(u) - series(v)) / (u - v), by Horner's rule */
        series = series * v + digamma_series[k];
        slope = slope * u + series;
    }
    return sum + log1pl(d / r) + d / (2 * x * r) + d * (x + r) * u * v * slope;
}

/* Above 40 the asymptotic series; up to there by x + 1; below 0 by reflection. */
static long double exact_digamma(long double x)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    long double       less = 0, series = 0;

    if (x == 0) return copysignl(INFINITY, -x);
    if (isinf(x)) return x > 0 ? x : (long double)NAN;
    if (x < 0) {
        const long double f = x - rintl(x);
        return f == 0 ? (long double)NAN : exact_digamma(1 - x) - (fabsl(f) == 0.5L ? 0 : pi / tanl(pi * f));
    }
    if (x > 1 && x < 2) return digamma_near_zero(x);
    for (; x < 40; x += 1) less += 1 / x;
    for (int k = DIGAMMA_TERMS - 1; k >= 0; k--) series = series / (x * x) + digamma_series[k];
    return logl(x) - 0.5L / x - series - less;
}

/* In f64 the exponential is infinite where it is beyond the range, whatever alpha. */
static long double exact_celu(long double x, long double alpha)
{
    const long double w = x / alpha;
    if (fabsl(w) < 1e-20L) return x > 0 ? x : alpha * w; /* perhaps below what an expm1l in double sees */
    return x > 0 ? x : alpha * (w > 709.78L ? (long double)INFINITY : expm1l(w));
}

/* x exp(x) far below 0, in two factors: exp(-x) is beyond the range of a double there. */
static long double exact_silu(long double x)
{
    if (x == -INFINITY) return -0.0L;
    return x < -100 ? x * expl(x / 2) * expl(x / 2) : x / (1 + expl(-x));
}

static long double exact_logit(long double x, long double eps)
{
    const long double most = (double)(1 - eps), p = x < eps ? eps : most < x ? most : x;
    if (p < 0 || p > 1) return (long double)NAN;
    return p > 0.25L && p < 0.75L ? log1pl((2 * p - 1) / (1 - p)) : logl(p / (1 - p));
}

static whole_int floor_of_ratio(whole_int x, whole_int y)
{
    if (y == 0) return 0;
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

/* mask: all ones of the dtype */
static bool is_shift(whole_int count, whole_int mask) { return count >= 0 && count < 64 && mask >> count != 0; }

/* Whether the remainder m is not 0 and has another sign than the divisor. */
#define IS_ACROSS(m, y) ((m) != 0 && ((y) < 0) != ((m) < 0))
/* PyTorch's, one element at a time. */
#define FLOOR_DIVIDE(type)                                                      \
    static type floor_divide_##type(type x, type y)                             \
    {                                                                           \
        const type m = fmod(x, y), q = (x - m) / y - (IS_ACROSS(m, y) ? 1 : 0); \
        if (y == 0) return x / y;                                               \
        if (q == 0) return copysign((type)0, x / y);                            \
        return q - floor(q) > (type)0.5 ? floor(q) + 1 : floor(q);              \
    }
typedef long double extended;
FLOOR_DIVIDE(float)
FLOOR_DIVIDE(double)
FLOOR_DIVIDE(extended)
#undef FLOOR_DIVIDE
#define REAL_FLOOR_DIVIDE(x, y) \
    _Generic(x, float : floor_divide_float, double : floor_divide_double, default : floor_divide_extended)(x, y)

#define REAL_MIN(x, y) (isnan(x) ? (x) : isnan(y) ? (y) : (x) < (y) || ((x) == (y) && signbit(x)) ? (x) : (y))
#define REAL_MAX(x, y) (isnan(x) ? (x) : isnan(y) ? (y) : (x) > (y) || ((x) == (y) && !signbit(x)) ? (x) : (y))

#define REAL_TO_6(x) (isnan(x) ? (x) : (x) > 6 ? 6 : (x) > 0 ? (x) : 0)

#define UNUSED3 (void)x, (void)y, (void)z
#define SAMPLE(name, low, high, ulp, of_reals, of_wholes)                                               \
    static float       f32_##name(float x, float y, float z) { return UNUSED3, (float)(of_reals); }     \
    static double      f64_##name(double x, double y, double z) { return UNUSED3, (double)(of_reals); } \
    static long double wide_##name(long double x, long double y, long double z)                         \
    {                                                                                                   \
        return UNUSED3, (long double)(of_reals);                                                        \
    }                                                                                                   \
    static whole_int whole_##name(whole_int x, whole_int y, whole_int z, whole_int mask)                \
    {                                                                                                   \
        return UNUSED3, (void)mask, (whole_int)(of_wholes);                                             \
    }                                                                                                   \
    static const double low_##name = low, high_##name = high, ulp_##name = ulp;
#define RED_SAMPLE(name, start, of_reals, of_wholes)                                                       \
    static long double red_real_##name(long double acc, long double x) { return (long double)(of_reals); } \
    static whole_int   red_whole_##name(whole_int acc, whole_int x) { return (whole_int)(of_wholes); }     \
    static const int   red_start_##name = start;
#include "samples.def"
#undef REAL_MIN
#undef REAL_MAX
#undef REAL_TO_6
#undef REAL_FLOOR_DIVIDE
#undef IS_ACROSS
#undef UNUSED3

/* The tables follow ops.def, so a row without a sample names functions that do not exist. */
const oracle_op oracle_ops[STRIA_OP_COUNT] = {
#define STRIA_OP(set, name, arity, result, lanes, summary)                                              \
    [STRIA_OP_##name] = {#name,      #set,       arity,      ORACLE_##result, low_##name,  high_##name, \
                         ulp_##name, f32_##name, f64_##name, wide_##name,     whole_##name},
#include "table/ops.def"
};
const oracle_reduction oracle_reductions[STRIA_RED_COUNT] = {
#define STRIA_RED(set, name, result, identity, combine, finish, summary)                                               \
    [STRIA_RED_##name] = {                                                                                             \
        #name,           #set, #result, #identity[0] == 'L' || #identity[0] == 'H', red_start_##name, red_real_##name, \
        red_whole_##name},
#include "table/ops.def"
};

bool oracle_op_has(const oracle_op *op, stria_dtype compute)
{
    const bool is_real = compute == STRIA_F32 || compute == STRIA_F64, is_bool = compute == STRIA_BOOL;
    if (compute > STRIA_F64 || compute == STRIA_F16 || compute == STRIA_BF16) return false;
    if (strcmp(op->set, "ALL") == 0) return true;
    if (strcmp(op->set, "NUM") == 0) return !is_bool;
    if (strcmp(op->set, "INT") == 0) return !is_bool && !is_real;
    if (strcmp(op->set, "BITS") == 0) return !is_real;
    return is_real; /* FLOAT */
}

stria_dtype oracle_input_dtype(const oracle_op *op, int k, stria_dtype compute)
{
    return op->rule == ORACLE_SELECT && k == 0 ? STRIA_BOOL : compute;
}

static double as_real(value v) { return v.is_float ? v.real : (double)v.whole; }

/* Expected element of an exact row, or of an integer one. */
static value exact_result(const oracle_op *op, stria_dtype compute, const value *in)
{
    const whole_int mask = ((whole_int)1 << dtype_bits(compute)) - 1;
    value           v;

    if (compute == STRIA_F32)
        v = value_from_real((double)op->f32((float)as_real(in[0]), (float)as_real(in[1]), (float)as_real(in[2])));
    else if (compute == STRIA_F64)
        v = value_from_real(op->f64(as_real(in[0]), as_real(in[1]), as_real(in[2])));
    else
        v = value_from_whole(wrap(compute, op->whole(in[0].whole, in[1].whole, in[2].whole, mask)));
    return op->rule == ORACLE_BOOL ? value_from_whole(as_real(v) != 0) : v;
}

value oracle_result(const oracle_op *op, stria_dtype compute, const value *in)
{
    if (!dtype_is_float(compute) || op->ulp == 0) return exact_result(op, compute, in);
    return value_from_real(
        format_round_wide(format_of(compute), op->wide(as_real(in[0]), as_real(in[1]), as_real(in[2]))));
}

/* Sums whose parts cancel are measured in units of 1/16 where they are smaller (vec_special_f64.h): what such a unit is. */
static double get_share(const oracle_op *op, stria_dtype d, long double exact)
{
    if (strncmp(op->name, "logaddexp", 9) != 0 || !(fabsl(exact) < 0x1p-4L)) return 1;
    return (double)(format_quantum(format_of(d), exact) / format_quantum(format_of(d), 0x1p-4L));
}

bool oracle_check(const oracle_op *op, stria_dtype compute, const value *in, stria_dtype result, const void *got,
                  char *text, size_t size)
{
    const bool is_real = dtype_is_float(compute);
    if (!is_real || op->ulp == 0 || !dtype_is_float(result)) {
        char expected[16];
        value_set(result, exact_result(op, compute, in), expected);
        if (value_same(result, got, expected)) return true;
        value_print(result, expected, text, size);
        return false;
    }
    const long double exact = op->wide(as_real(in[0]), as_real(in[1]), as_real(in[2]));
    const double      reached = value_get(result, got).real;
    if (reached != 0 && isfinite(reached) && reached == format_round_wide(format_of(result), exact)) return true;
    const double error = oracle_ulps(result, reached, exact) * get_share(op, result, exact);
    /* Rounded again to a shorter dtype: half a unit, and the error of the first rounding. */
    double bound = result == compute ? op->ulp : 0.5 + op->ulp * (result == STRIA_BF16 ? 0x1p-15 : 0x1p-12);
#ifdef __wasm__
    /* musl's expl, logl, erfl .. round their argument and their result to double there, so that in f64 only gross errors
     * show, and nothing of subnormal results; that the bits are those of the other targets, which are held to op->ulp, is
     * test_hash's part. */
    if (result == STRIA_F64) {
        if (fabs(reached) < 0x1p-1022 && fabsl(exact) < 0x1p-1022) return true;
        bound *= 1024;
    }
#endif
    if (exact == 0 && !isnan(reached) ? reached == 0 && !signbit(reached) == !signbit(exact)
                                      : error <= bound + (sizeof(long double) == sizeof(double) ? 1.0 : 0x1p-8))
        return true;
    snprintf(text, size, "%La (off by %.3g ulp)", exact, error);
    return false;
}
