/* test_divide.c - quotients and remainders (vec_divide.h) of one instruction set: fmod against libm over all exponents
 * and around whole quotients, integers against 128-bit ones, every pair of 8-bit numbers and every shift among them. */
#include <math.h>
#include <string.h>

#include "kernels.h"
#include "oracle.h"

enum { N = 4096 };

static void run(stria_op op, stria_dtype dtype, void *a, void *b, void *out)
{
    const int64_t size = (int64_t)stria_dtype_get_size(dtype), stride[3] = {size, size, size};
    char *const   data[3] = {out, a, b};
    stria_dispatch_get()->lane[dtype]->loop[op](data, stride, N);
}

/* ---------------------------------------------------------------- floats */

/* Numbers of any size, of near sizes, and those around a multiple of b. */
static void fill_reals(random_state *random, stria_dtype dtype, int round, double *a, double *b)
{
    const int exponent = dtype == STRIA_F32 ? 149 : 1074, range = dtype == STRIA_F32 ? 276 : 2097;
    for (int k = 0; k < N; k++) {
        const int    far = (int)(random_next(random) % (uint64_t)range) - exponent;
        const int    near = far + (int)(random_next(random) % 60) - (round % 2 ? 5 : 30);
        const double x = random_unit(random) + 0.5, y = random_unit(random) + 0.5;
        b[k] = ldexp(y, far);
        a[k] = round % 4 == 3 ? ldexp(x, (int)(random_next(random) % (uint64_t)range) - exponent) : ldexp(x, near);
        if (dtype == STRIA_F32) a[k] = (double)(float)a[k], b[k] = (double)(float)b[k];
        if (round % 4 == 2) a[k] = rint(a[k] / b[k]) * b[k];
        if (dtype == STRIA_F32) a[k] = (double)(float)a[k];
        if (random_next(random) & 1) a[k] = -a[k];
        if (random_next(random) & 1) b[k] = -b[k];
    }
}

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b)); }

static void test_fmod(void)
{
    static double a[N], b[N], out[N];
    static float  a32[N], b32[N], out32[N];
    random_state  random = {31};

    for (int round = 0; round < 60; round++) {
        fill_reals(&random, STRIA_F64, round, a, b);
        run(STRIA_OP_fmod, STRIA_F64, a, b, out);
        for (int k = 0; k < N; k++)
            CHECK(same(out[k], fmod(a[k], b[k])), "fmod(%a, %a) = %a, expected %a", a[k], b[k], out[k],
                  fmod(a[k], b[k]));
        fill_reals(&random, STRIA_F32, round, a, b);
        for (int k = 0; k < N; k++) a32[k] = (float)a[k], b32[k] = (float)b[k];
        run(STRIA_OP_fmod, STRIA_F32, a32, b32, out32);
        for (int k = 0; k < N; k++)
            CHECK(same((double)out32[k], fmod(a[k], b[k])), "fmodf(%a, %a) = %a, expected %a", a[k], b[k],
                  (double)out32[k], fmod(a[k], b[k]));
    }
}

/* What PyTorch 1.13 gives on the CPU. */
static void test_reals(void)
{
    static const struct {
        double a, b, down, rest;
    } cases[] = {
        {5.5, -2, -3, -0.5},     {-5.5, 2, -3, 0.5},  {1, 0, INFINITY, NAN},        {-1, 0, -INFINITY, NAN},
        {0, 0, NAN, NAN},        {1, INFINITY, 0, 1}, {-1, INFINITY, -1, INFINITY}, {1, -INFINITY, -1, -INFINITY},
        {INFINITY, 2, NAN, NAN}, {NAN, 2, NAN, NAN},  {2, NAN, NAN, NAN},           {-0.0, 2, -0.0, -0.0},
        {0, -2, -0.0, 0},        {-4, 2, -2, -0.0},   {1, -0.0, -INFINITY, NAN},    {1, 0.1, 9, 0.09999999999999995},
    };
    static double a[N], b[N], down[N], rest[N];
    const int     n = (int)(sizeof cases / sizeof *cases);

    for (int k = 0; k < N; k++) a[k] = cases[k % n].a, b[k] = cases[k % n].b;
    run(STRIA_OP_floor_divide, STRIA_F64, a, b, down);
    run(STRIA_OP_remainder, STRIA_F64, a, b, rest);
    for (int k = 0; k < N; k++) {
        CHECK(same(down[k], cases[k % n].down), "floor_divide(%g, %g) = %g", a[k], b[k], down[k]);
        CHECK(same(rest[k], cases[k % n].rest), "remainder(%g, %g) = %g", a[k], b[k], rest[k]);
    }
}

/* ---------------------------------------------------------------- integers */

static const stria_op divisions[] = {STRIA_OP_trunc_divide, STRIA_OP_floor_divide, STRIA_OP_fmod, STRIA_OP_remainder};

static whole_int expected(stria_op op, whole_int a, whole_int b)
{
    if (b == 0) return 0;
    const whole_int cut = a / b, rest = a % b, across = rest != 0 && (rest < 0) != (b < 0);
    if (op == STRIA_OP_trunc_divide) return cut;
    if (op == STRIA_OP_floor_divide) return cut - across;
    return op == STRIA_OP_fmod ? rest : rest + across * b;
}

static void check_integers(stria_dtype dtype, char *a, char *b)
{
    static char  out[N * 8];
    const size_t size = stria_dtype_get_size(dtype);

    for (size_t o = 0; o < sizeof divisions / sizeof *divisions; o++) {
        run(divisions[o], dtype, a, b, out);
        for (size_t k = 0; k < N; k++) {
            const whole_int x = value_get(dtype, a + k * size).whole, y = value_get(dtype, b + k * size).whole;
            char            want[8];
            value_set(dtype, value_from_whole(expected(divisions[o], x, y)), want);
            CHECK(memcmp(out + k * size, want, size) == 0, "%s.%s(%lld, %lld)", oracle_ops[divisions[o]].name,
                  stria_dtype_get_name(dtype), (long long)x, (long long)y);
        }
    }
}

static void test_integers(void)
{
    static char  a[N * 8], b[N * 8];
    random_state random = {32};

    for (int d = STRIA_U8; d <= STRIA_I64; d++) {
        const stria_dtype dtype = (stria_dtype)d;
        const int         bits = 8 * (int)stria_dtype_get_size(dtype);
        for (int round = 0; round < 16; round++) {
            for (int k = 0; k < N; k++) {
                /* every pair of bytes; else sizes of all kinds, and neighbours of multiples */
                whole_int x = round * 16 + k / 256, y = k % 256;
                if (bits > 8) {
                    x = (whole_int)(random_next(&random) >> random_next(&random) % (uint64_t)bits);
                    y = (whole_int)(random_next(&random) >> random_next(&random) % 64);
                    if (k % 3 == 0 && y != 0) x = x / y * y - (whole_int)(random_next(&random) % 3) + 1;
                    if (k % 5 == 0) x = -x;
                    if (k % 7 == 0) y = -y;
                }
                value_set(dtype, value_from_whole(x), a + (size_t)k * (size_t)bits / 8);
                value_set(dtype, value_from_whole(y), b + (size_t)k * (size_t)bits / 8);
            }
            check_integers(dtype, a, b);
        }
    }
}

/* ---------------------------------------------------------------- shifts */

static void check_shifts(stria_dtype dtype, char *a, char *b)
{
    static char  left[N * 8], right[N * 8];
    const size_t size = stria_dtype_get_size(dtype);

    run(STRIA_OP_bitwise_left_shift, dtype, a, b, left);
    run(STRIA_OP_bitwise_right_shift, dtype, a, b, right);
    for (size_t k = 0; k < N; k++) {
        const whole_int x = value_get(dtype, a + k * size).whole, n = value_get(dtype, b + k * size).whole;
        const bool      fits = n >= 0 && n < 8 * (whole_int)size;
        char            want[8];
        value_set(dtype, value_from_whole(fits ? x * ((whole_int)1 << n) : 0), want);
        CHECK(memcmp(left + k * size, want, size) == 0, "%s %lld << %lld", stria_dtype_get_name(dtype), (long long)x,
              (long long)n);
        value_set(dtype, value_from_whole(fits ? x >> n : x < 0 ? -1 : 0), want);
        CHECK(memcmp(right + k * size, want, size) == 0, "%s %lld >> %lld", stria_dtype_get_name(dtype), (long long)x,
              (long long)n);
    }
}

static void test_shifts(void)
{
    static char  a[N * 8], b[N * 8];
    random_state random = {33};

    for (int d = STRIA_U8; d <= STRIA_I64; d++) {
        const size_t size = stria_dtype_get_size((stria_dtype)d);
        for (size_t k = 0; k < N; k++) {
            const whole_int n = k % 5 == 4 ? (whole_int)(int64_t)random_next(&random) : (whole_int)(k / 5 % 80) - 8;
            value_set((stria_dtype)d, value_from_whole((whole_int)random_next(&random)), a + k * size);
            value_set((stria_dtype)d, value_from_whole(n), b + k * size);
        }
        check_shifts((stria_dtype)d, a, b);
    }
}

SUITE(test_divide)
{
    check_isa("test_divide");
    test_fmod();
    test_reals();
    test_integers();
    test_shifts();
    return check_finish("test_divide");
}
