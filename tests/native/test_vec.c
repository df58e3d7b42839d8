/* test_vec.c - the vocabulary of one instruction set (STRIA_ISA) against plain C, word by word, over special values and
 * random bits: the contract of vec.h. vec_case.h has the checks of one type,
 * vec_compress_case.h those of vec_compress.h; here are the words between types. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "paste.h"

#include STRIA_ISA_HEADER(vec_)
#include "vec_math.h"

#include "isa.h"
#include "test.h"

#define T b8
#define KIND 0
#include "vec_case.h"
#define T u8
#define KIND 1
#include "vec_case.h"
#define T i8
#define KIND 2
#include "vec_case.h"
#define T u16
#define KIND 1
#include "vec_case.h"
#define T i16
#define KIND 2
#include "vec_case.h"
#define T u32
#define KIND 1
#include "vec_case.h"
#define T i32
#define KIND 2
#include "vec_case.h"
#define T u64
#define KIND 1
#include "vec_case.h"
#define T i64
#define KIND 2
#include "vec_case.h"
#define T uw64
#define KIND 1
#include "vec_case.h"
#define T iw64
#define KIND 2
#include "vec_case.h"
#define T f32
#define KIND 3
#include "vec_case.h"
#define T f64
#define KIND 3
#include "vec_case.h"
#define T w64
#define KIND 3
#include "vec_case.h"
#include "vec_compress_case.h"

/* Integers of the lanes of floats: bits, toint and fromint one way at a time. */
#define CHECK_INTEGERS(T, unsigned_type, signed_type, value)                                                           \
    do {                                                                                                               \
        VEC_CTYPE_##T             x[VEC_LANES_##T], y[VEC_LANES_##T];                                                  \
        VEC_CTYPE_##unsigned_type u[VEC_LANES_##T];                                                                    \
        VEC_CTYPE_##signed_type   s[VEC_LANES_##T], t[VEC_LANES_##T];                                                  \
        for (int k = 0; k < VEC_LANES_##T; k++) s[k] = (VEC_CTYPE_##signed_type)(value), x[k] = (VEC_CTYPE_##T)s[k];   \
        vec_store_##unsigned_type(u, vec_bits_##T(vec_load_##T(x)));                                                   \
        vec_store_##signed_type(t, vec_toint_##T(vec_load_##T(x)));                                                    \
        vec_store_##T(y, vec_fromint_##T(vec_load_##signed_type(s)));                                                  \
        for (int k = 0; k < VEC_LANES_##T; k++) {                                                                      \
            CHECK(memcmp(&u[k], &x[k], sizeof u[k]) == 0, "bits_" #T " of %g", (double)x[k]);                          \
            CHECK(t[k] == (VEC_CTYPE_##signed_type)x[k], "toint_" #T " of %g is %lld", (double)x[k], (long long)t[k]); \
            CHECK(y[k] == x[k], "fromint_" #T " of %lld is %g", (long long)s[k], (double)y[k]);                        \
        }                                                                                                              \
    } while (0)

static void check_integers(void)
{
    uint64_t random = 11;
    for (int i = 0; i < 4000; i++) {
        const int size = i % 51;
        CHECK_INTEGERS(f64, u64, i64, (int64_t)test_random(&random) >> (63 - size));
        CHECK_INTEGERS(w64, uw64, iw64, (int64_t)test_random(&random) >> (63 - size));
        /* 24 bits are exact in f32; fromint of more is rounded, checked below */
        CHECK_INTEGERS(f32, u32, i32, (int32_t)((int64_t)test_random(&random) >> (63 - i % 24)) * (1 << i % 7));
    }
    for (int i = 0; i < 4000; i++) {
        int32_t s[VEC_LANES_f32];
        float   y[VEC_LANES_f32];
        for (int k = 0; k < VEC_LANES_f32; k++) s[k] = (int32_t)test_random(&random);
        vec_store_f32(y, vec_fromint_f32(vec_load_i32(s)));
        for (int k = 0; k < VEC_LANES_f32; k++) CHECK(y[k] == (float)s[k], "fromint_f32 of %d is %g", s[k], y[k]);
    }
}

#define CHECK_CASTS(u, i)                                                                                           \
    do {                                                                                                            \
        VEC_CTYPE_##u x[VEC_LANES_##u], y[VEC_LANES_##u];                                                           \
        VEC_CTYPE_##i s[VEC_LANES_##u];                                                                             \
        for (int k = 0; k < VEC_LANES_##u; k++) x[k] = (VEC_CTYPE_##u)test_random(&random);                         \
        vec_store_##i(s, vec_##i##_from_##u(vec_load_##u(x)));                                                      \
        vec_store_##u(y, vec_##u##_from_##i(vec_load_##i(s)));                                                      \
        for (int k = 0; k < VEC_LANES_##u; k++)                                                                     \
            CHECK(s[k] == (VEC_CTYPE_##i)x[k] && y[k] == x[k], #u " and " #i " of %llx", (unsigned long long)x[k]); \
    } while (0)

static void check_casts(void)
{
    uint64_t random = 13;
    for (int i = 0; i < 500; i++) {
        CHECK_CASTS(u8, i8);
        CHECK_CASTS(u16, i16);
        CHECK_CASTS(u32, i32);
        CHECK_CASTS(u64, i64);
        CHECK_CASTS(uw64, iw64);
    }
}

/* Words of f32 that may be fused: the operands are such that doubles have the results before they are rounded. */
static void check_fused(void)
{
    uint64_t random = 17;

    for (int i = 0; i < 4000; i++) {
        float a[VEC_LANES_f32], b[VEC_LANES_f32], c[VEC_LANES_f32], p[VEC_LANES_f32], s[VEC_LANES_f32];
        float less[VEC_LANES_f32], grown[VEC_LANES_f32], far[VEC_LANES_f32];
        for (int k = 0; k < VEC_LANES_f32; k++) {
            const uint64_t n = test_random(&random), m = test_random(&random);
            a[k] = ldexpf((float)((int64_t)n >> 40), (int)(m % 20) - 20);
            b[k] = (float)((int)(m >> 8 & 255) - 127);
            c[k] = ldexpf((float)(m >> 16 & 0xffff), -16);
            p[k] = ldexpf(1, (int)(m >> 32) % 120);
            s[k] = ldexpf((float)((int32_t)n >> 8), -24 - (int)(m >> 40) % 8);
            if (i % 16 == 0 && k == 0) a[k] = i % 32 == 0 ? INFINITY : NAN;
        }
        vec_store_f32(less, vec_sub_exact_f32(vec_load_f32(a), vec_load_f32(b), vec_load_f32(c)));
        vec_store_f32(grown, vec_grow_f32(vec_load_f32(p), vec_load_f32(s)));
        vec_store_f32(far, vec_farther_f32(vec_load_f32(a), vec_load_f32(b)));
        for (int k = 0; k < VEC_LANES_f32; k++) {
            const float x = (float)((double)a[k] - (double)b[k] * (double)c[k]);
            const float y = (float)((double)p[k] * (1 + (double)s[k]));
            CHECK(less[k] == x || (less[k] != less[k] && x != x), "sub_exact of %a, %a, %a is %a", (double)a[k],
                  (double)b[k], (double)c[k], (double)less[k]);
            CHECK(grown[k] == y, "grow of %a, %a is %a", (double)p[k], (double)s[k], (double)grown[k]);
            if (a[k] == a[k])
                CHECK(far[k] == fmaxf(fabsf(a[k]), fabsf(b[k])), "farther of %a, %a is %a", (double)a[k], (double)b[k],
                      (double)far[k]);
        }
    }
}

/* Words of unsigned types that take two operands lane by lane. */
#define CHECK_BY_LANES(T, bits)                                                                                      \
    do {                                                                                                             \
        VEC_CTYPE_##T x[VEC_LANES_##T], y[VEC_LANES_##T], q[VEC_LANES_##T], l[VEC_LANES_##T], r[VEC_LANES_##T];      \
        for (int k = 0; k < VEC_LANES_##T; k++) {                                                                    \
            const uint64_t n = test_random(&random), m = test_random(&random);                                       \
            x[k] = (VEC_CTYPE_##T)(n >> m % 64);                                                                     \
            y[k] = (VEC_CTYPE_##T)(i % 2 ? n % (bits + 3) : m >> n % 64);                                            \
        }                                                                                                            \
        vec_store_##T(q, vec_quot_##T(vec_load_##T(x), vec_load_##T(y)));                                            \
        vec_store_##T(l, vec_shift_left_##T(vec_load_##T(x), vec_load_##T(y)));                                      \
        vec_store_##T(r, vec_shift_right_##T(vec_load_##T(x), vec_load_##T(y)));                                     \
        for (int k = 0; k < VEC_LANES_##T; k++) {                                                                    \
            const uint64_t a = x[k], b = y[k];                                                                       \
            CHECK(q[k] == (b == 0 ? 0 : a / b), "quot_" #T " of %llx, %llx", (long long)a, (long long)b);            \
            CHECK(l[k] == (b < bits ? (VEC_CTYPE_##T)(a << b) : 0), "shift_left_" #T " of %llx, %llx", (long long)a, \
                  (long long)b);                                                                                     \
            CHECK(r[k] == (b < bits ? a >> b : 0), "shift_right_" #T " of %llx, %llx", (long long)a, (long long)b);  \
        }                                                                                                            \
    } while (0)

static void check_by_lanes(void)
{
    uint64_t random = 19;
    for (int i = 0; i < 4000; i++) {
        CHECK_BY_LANES(u8, 8);
        CHECK_BY_LANES(u16, 16);
        CHECK_BY_LANES(u32, 32);
        CHECK_BY_LANES(u64, 64);
    }
}

static void check_mul_high(void)
{
    uint64_t random = 23;
    for (int i = 0; i < 4000; i++) {
        uint32_t x[VEC_LANES_u32], y[VEC_LANES_u32], high[VEC_LANES_u32];
        for (int k = 0; k < VEC_LANES_u32; k++) {
            x[k] = (uint32_t)test_random(&random) | (i % 3 ? 0 : ~0u << i % 32);
            y[k] = (uint32_t)(test_random(&random) >> i % 64);
        }
        vec_store_u32(high, vec_mul_high_u32(vec_load_u32(x), vec_load_u32(y)));
        for (int k = 0; k < VEC_LANES_u32; k++)
            CHECK(high[k] == (uint64_t)x[k] * y[k] >> 32, "mul_high_u32 of %x, %x is %x", x[k], y[k], high[k]);
    }
}

static void check_widths(void)
{
    uint64_t random = 17;
    for (int i = 0; i < 20000; i++) {
        float   x[VEC_LANES_f32], z[VEC_LANES_f32];
        double  y[VEC_LANES_f32], wide[VEC_LANES_f32];
        uint8_t m[VEC_LANES_f32], n[VEC_LANES_f32];
        for (int k = 0; k < VEC_LANES_f32; k++) {
            const uint64_t bits = test_random(&random);
            memcpy(&x[k], &bits, sizeof x[k]);
            /* doubles in and near the range of floats, halfway cases among them */
            y[k] = i % 2 ? (double)x[k] * (1 + (double)(bits >> 60) * 0x1p-26)
                         : ldexp((double)(int64_t)bits, i % 400 - 220);
            m[k] = bits >> 40 & 1;
        }
        vec_store_w64(wide, vec_widen_f32(vec_load_f32(x)));
        vec_store_f32(z, vec_narrow_w64(vec_load_w64(y)));
        for (int k = 0; k < VEC_LANES_f32; k++) {
            CHECK(same_w64(wide[k], (double)x[k]), "widen_f32 of %a is %a", x[k], wide[k]);
            CHECK(same_f32(z[k], (float)y[k]), "narrow_w64 of %a is %a", y[k], z[k]);
        }
        vec_store_mask_w64(n, vec_widen_mask_f32(vec_load_mask_f32(m)));
        CHECK(memcmp(m, n, sizeof m) == 0, "widen_mask_f32, round %d", i);
        vec_store_mask_f32(n, vec_narrow_mask_w64(vec_load_mask_w64(m)));
        CHECK(memcmp(m, n, sizeof m) == 0, "narrow_mask_w64, round %d", i);
    }
}

#if defined(STRIA_USE_SIMDE) /* portable AVX-512 */
static const char needed[] = "avx2";
#else
static const char needed[] = STRIA_STRING(STRIA_ISA);
#endif

/* Not part of main, which must not contain instructions that the machine may lack. */
static __attribute__((noinline)) void check_all(void)
{
    check_b8();
    check_u8();
    check_i8();
    check_u16();
    check_i16();
    check_u32();
    check_i32();
    check_u64();
    check_i64();
    check_uw64();
    check_iw64();
    check_f32();
    check_f64();
    check_w64();
    check_integers();
    check_casts();
    check_by_lanes();
    check_fused();
    check_mul_high();
    check_widths();
    check_compress();
}

SUITE(SUITE_NAME)
{
    printf("%s: %s\n", STRIA_STRING(SUITE_NAME), STRIA_STRING(STRIA_ISA));
    if (!isa_is_found(needed)) return isa_skip(STRIA_STRING(SUITE_NAME), needed, "this machine does not run it");
    check_all();
    return test_finish();
}
