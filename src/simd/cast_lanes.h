/* cast_lanes.h - conversion of one element, in plain C that compilers vectorise.
 *
 * An element is loaded to its carrier, a type that holds every value of its dtype exactly, and converted from there:
 *
 *   element_<D>             what memory holds (f16 and bf16 as bits)
 *   CARRIER_<D>, load_<D>   its carrier I32 U32 I64 U64 F32 F64 C64 C128, and the way there
 *   to_<D>_from_<carrier>   the conversion
 *
 * Rules (stria.h, stria_tensor_copy): integers wrap; float to integer truncates and saturates, NaN gives 0; anything but
 * zero is true; to a float is rounded once, to nearest even; complex to real drops the imaginary part. Conversions are
 * exact or rounded once, so every ISA gives the same bits.
 */
typedef struct cast_c64 {
    float re, im;
} cast_c64;
typedef struct cast_c128 {
    double re, im;
} cast_c128;

typedef uint8_t   element_BOOL;
typedef uint8_t   element_U8;
typedef int8_t    element_I8;
typedef uint16_t  element_U16;
typedef int16_t   element_I16;
typedef uint32_t  element_U32;
typedef int32_t   element_I32;
typedef uint64_t  element_U64;
typedef int64_t   element_I64;
typedef uint16_t  element_F16;
typedef uint16_t  element_BF16;
typedef float     element_F32;
typedef double    element_F64;
typedef cast_c64  element_C64;
typedef cast_c128 element_C128;

#define CARRIER_BOOL I32
#define CARRIER_U8 I32
#define CARRIER_I8 I32
#define CARRIER_U16 I32
#define CARRIER_I16 I32
#define CARRIER_U32 U32
#define CARRIER_I32 I32
#define CARRIER_U64 U64
#define CARRIER_I64 I64
#define CARRIER_F16 F32
#define CARRIER_BF16 F32
#define CARRIER_F32 F32
#define CARRIER_F64 F64
#define CARRIER_C64 C64
#define CARRIER_C128 C128

/* ---------------------------------------------------------------- bits */

V_LAMBDA uint32_t cast_bits_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

V_LAMBDA float cast_frombits_f32(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

V_LAMBDA uint64_t cast_bits_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

/* ---------------------------------------------------------------- half precision
 *
 * Rounding a normal result is an integer addition below the kept bits; a subnormal result is rounded by adding a power of
 * two whose last place is that of the subnormals (2^-24 for f16, 2^-133 for bf16). */

V_LAMBDA float load_F16(element_F16 h)
{
    const uint32_t m = h & 0x7fffu, sign = (uint32_t)(h & 0x8000u) << 16;
    const uint32_t normal = (m << 13) + (m >= 0x7c00u ? 0x70000000u : 0x38000000u);
    const uint32_t subnormal = cast_bits_f32((float)(int32_t)m * 0x1p-24f);
    return cast_frombits_f32(sign | (m < 0x400u ? subnormal : normal));
}

V_LAMBDA float load_BF16(element_BF16 h) { return cast_frombits_f32((uint32_t)h << 16); }

V_LAMBDA element_F16 to_F16_from_F32(float x)
{
    const uint32_t bits = cast_bits_f32(x), u = bits & 0x7fffffffu;
    const uint32_t rebased = u - 0x38000000u; /* exponent bias 127 -> 15 */
    const uint32_t normal = (rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13;
    const uint32_t subnormal = cast_bits_f32(cast_frombits_f32(u) + 0.5f) - 0x3f000000u;
    uint32_t       r = u < 0x38800000u ? subnormal : normal; /* below 2^-14 */
    r = u >= 0x477ff000u ? 0x7c00u : r;                      /* 65520 and above */
    r = u > 0x7f800000u ? 0x7e00u : r;
    return (element_F16)(r | (bits >> 16 & 0x8000u));
}

V_LAMBDA element_F16 to_F16_from_F64(double x)
{
    const uint64_t bits = cast_bits_f64(x), u = bits & 0x7fffffffffffffffull;
    const uint64_t rebased = u - ((uint64_t)(1023 - 15) << 52);
    const uint64_t normal = (rebased + ((1ull << 41) - 1) + (rebased >> 42 & 1u)) >> 42;
    const uint64_t subnormal = cast_bits_f64((x < 0 ? -x : x) + 0x1p28) - 0x41b0000000000000ull;
    uint64_t       r = u < 0x3f10000000000000ull ? subnormal : normal; /* below 2^-14 */
    r = u >= 0x40effe0000000000ull ? 0x7c00u : r;                      /* 65520 and above */
    r = u > 0x7ff0000000000000ull ? 0x7e00u : r;
    return (element_F16)(r | (bits >> 48 & 0x8000u));
}

V_LAMBDA element_BF16 to_BF16_from_F32(float x)
{
    const uint32_t u = cast_bits_f32(x);
    const uint32_t r = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
    return (element_BF16)((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16 & 0x8000u) | 0x7fc0u : r);
}

V_LAMBDA element_BF16 to_BF16_from_F64(double x)
{
    const uint64_t bits = cast_bits_f64(x), u = bits & 0x7fffffffffffffffull;
    const uint64_t rebased = u - ((uint64_t)(1023 - 127) << 52);
    const uint64_t normal = (rebased + ((1ull << 44) - 1) + (rebased >> 45 & 1u)) >> 45;
    const uint64_t subnormal = cast_bits_f64((x < 0 ? -x : x) + 0x1p-81) - 0x3ae0000000000000ull;
    uint64_t       r = u < 0x3810000000000000ull ? subnormal : normal; /* below 2^-126 */
    r = u >= 0x47eff00000000000ull ? 0x7f80u : r;                      /* rounds to 2^128 and above */
    r = u > 0x7ff0000000000000ull ? 0x7fc0u : r;
    return (element_BF16)(r | (bits >> 48 & 0x8000u));
}

/* A 64-bit integer as a double that keeps a non-zero last bit for what was cut off, so that rounding it again to a
 * shorter format rounds once ("round to odd": Boldo & Melquiond, IEEE Trans. Computers 57, 2008). */
V_LAMBDA double cast_odd_u64(uint64_t x)
{
    const uint64_t cut = (x >> 11) | ((x & 0x7ffu) != 0);
    return x >> 53 ? (double)cut * 2048.0 : (double)x;
}

V_LAMBDA double cast_odd_i64(int64_t x) { return x < 0 ? -cast_odd_u64(0u - (uint64_t)x) : cast_odd_u64((uint64_t)x); }

/* ---------------------------------------------------------------- loads */

V_LAMBDA int32_t   load_BOOL(element_BOOL x) { return x != 0; }
V_LAMBDA int32_t   load_U8(element_U8 x) { return x; }
V_LAMBDA int32_t   load_I8(element_I8 x) { return x; }
V_LAMBDA int32_t   load_U16(element_U16 x) { return x; }
V_LAMBDA int32_t   load_I16(element_I16 x) { return x; }
V_LAMBDA uint32_t  load_U32(element_U32 x) { return x; }
V_LAMBDA int32_t   load_I32(element_I32 x) { return x; }
V_LAMBDA uint64_t  load_U64(element_U64 x) { return x; }
V_LAMBDA int64_t   load_I64(element_I64 x) { return x; }
V_LAMBDA float     load_F32(element_F32 x) { return x; }
V_LAMBDA double    load_F64(element_F64 x) { return x; }
V_LAMBDA cast_c64  load_C64(element_C64 x) { return x; }
V_LAMBDA cast_c128 load_C128(element_C128 x) { return x; }

/* ---------------------------------------------------------------- float to integer: clamped first, so always defined
 *
 * To the short ones by way of i32, which vectors of every ISA convert to. */

#define CAST_SATURATE(name, type, step, real, lowest, highest) \
    V_LAMBDA type name(real x)                                 \
    {                                                          \
        real y = x > (real)(lowest) ? x : (real)(lowest);      \
        y = y < (real)(highest) ? y : (real)(highest);         \
        y = x != x ? 0 : y;                                    \
        return (type)(step)y;                                  \
    }
CAST_SATURATE(to_U8_from_F32, uint8_t, int32_t, float, 0, UINT8_MAX)
CAST_SATURATE(to_I8_from_F32, int8_t, int32_t, float, INT8_MIN, INT8_MAX)
CAST_SATURATE(to_U16_from_F32, uint16_t, int32_t, float, 0, UINT16_MAX)
CAST_SATURATE(to_I16_from_F32, int16_t, int32_t, float, INT16_MIN, INT16_MAX)
CAST_SATURATE(to_U8_from_F64, uint8_t, int32_t, double, 0, UINT8_MAX)
CAST_SATURATE(to_I8_from_F64, int8_t, int32_t, double, INT8_MIN, INT8_MAX)
CAST_SATURATE(to_U16_from_F64, uint16_t, int32_t, double, 0, UINT16_MAX)
CAST_SATURATE(to_I16_from_F64, int16_t, int32_t, double, INT16_MIN, INT16_MAX)
CAST_SATURATE(to_U32_from_F64, uint32_t, uint32_t, double, 0, UINT32_MAX)
CAST_SATURATE(to_I32_from_F64, int32_t, int32_t, double, INT32_MIN, INT32_MAX)
#undef CAST_SATURATE

V_LAMBDA uint32_t to_U32_from_F32(float x) { return to_U32_from_F64((double)x); }
V_LAMBDA int32_t  to_I32_from_F32(float x) { return to_I32_from_F64((double)x); }

V_LAMBDA uint64_t to_U64_from_F64(double x)
{
    const double   inside = x > 0 && x < 0x1p64 ? x : 0;
    const uint64_t r = (uint64_t)inside;
    return x >= 0x1p64 ? UINT64_MAX : r;
}

V_LAMBDA int64_t to_I64_from_F64(double x)
{
    const double inside = x >= -0x1p63 && x < 0x1p63 ? x : 0;
    int64_t      r = (int64_t)inside;
    r = x < -0x1p63 ? INT64_MIN : r;
    return x >= 0x1p63 ? INT64_MAX : r;
}

V_LAMBDA uint64_t to_U64_from_F32(float x) { return to_U64_from_F64((double)x); }
V_LAMBDA int64_t  to_I64_from_F32(float x) { return to_I64_from_F64((double)x); }

/* ---------------------------------------------------------------- the rest follows a few patterns */

#define CAST_FROM_INTEGERS(D, expression_narrow, expression_i64, expression_u64)     \
    V_LAMBDA element_##D to_##D##_from_I32(int32_t x) { return expression_narrow; }  \
    V_LAMBDA element_##D to_##D##_from_U32(uint32_t x) { return expression_narrow; } \
    V_LAMBDA element_##D to_##D##_from_I64(int64_t x) { return expression_i64; }     \
    V_LAMBDA element_##D to_##D##_from_U64(uint64_t x) { return expression_u64; }
#define CAST_FROM_INTEGERS_PLAIN(D) CAST_FROM_INTEGERS(D, (element_##D)x, (element_##D)x, (element_##D)x)
CAST_FROM_INTEGERS(BOOL, x != 0, x != 0, x != 0)
CAST_FROM_INTEGERS_PLAIN(U8)
CAST_FROM_INTEGERS_PLAIN(I8)
CAST_FROM_INTEGERS_PLAIN(U16)
CAST_FROM_INTEGERS_PLAIN(I16)
CAST_FROM_INTEGERS_PLAIN(U32)
CAST_FROM_INTEGERS_PLAIN(I32)
CAST_FROM_INTEGERS_PLAIN(U64)
CAST_FROM_INTEGERS_PLAIN(I64)
CAST_FROM_INTEGERS_PLAIN(F32)
CAST_FROM_INTEGERS_PLAIN(F64)
CAST_FROM_INTEGERS(F16, to_F16_from_F64((double)x), to_F16_from_F64(cast_odd_i64(x)), to_F16_from_F64(cast_odd_u64(x)))
CAST_FROM_INTEGERS(BF16, to_BF16_from_F64((double)x), to_BF16_from_F64(cast_odd_i64(x)),
                   to_BF16_from_F64(cast_odd_u64(x)))
#undef CAST_FROM_INTEGERS
#undef CAST_FROM_INTEGERS_PLAIN

V_LAMBDA element_BOOL to_BOOL_from_F32(float x) { return x != 0; }
V_LAMBDA element_BOOL to_BOOL_from_F64(double x) { return x != 0; }
V_LAMBDA element_F32  to_F32_from_F32(float x) { return x; }
V_LAMBDA element_F32  to_F32_from_F64(double x) { return (float)x; }
V_LAMBDA element_F64  to_F64_from_F32(float x) { return (double)x; }
V_LAMBDA element_F64  to_F64_from_F64(double x) { return x; }

/* from complex: the real part */
#define CAST_FROM_COMPLEX(D)                                                               \
    V_LAMBDA element_##D to_##D##_from_C64(cast_c64 x) { return to_##D##_from_F32(x.re); } \
    V_LAMBDA element_##D to_##D##_from_C128(cast_c128 x) { return to_##D##_from_F64(x.re); }
CAST_FROM_COMPLEX(U8)
CAST_FROM_COMPLEX(I8)
CAST_FROM_COMPLEX(U16)
CAST_FROM_COMPLEX(I16)
CAST_FROM_COMPLEX(U32)
CAST_FROM_COMPLEX(I32)
CAST_FROM_COMPLEX(U64)
CAST_FROM_COMPLEX(I64)
CAST_FROM_COMPLEX(F16)
CAST_FROM_COMPLEX(BF16)
CAST_FROM_COMPLEX(F32)
CAST_FROM_COMPLEX(F64)
#undef CAST_FROM_COMPLEX
V_LAMBDA element_BOOL to_BOOL_from_C64(cast_c64 x) { return (x.re != 0) | (x.im != 0); }
V_LAMBDA element_BOOL to_BOOL_from_C128(cast_c128 x) { return (x.re != 0) | (x.im != 0); }

/* to complex: imaginary part 0 */
#define CAST_TO_COMPLEX(carrier, type)                   \
    V_LAMBDA element_C64 to_C64_from_##carrier(type x)   \
    {                                                    \
        element_C64 z = {to_F32_from_##carrier(x), 0};   \
        return z;                                        \
    }                                                    \
    V_LAMBDA element_C128 to_C128_from_##carrier(type x) \
    {                                                    \
        element_C128 z = {to_F64_from_##carrier(x), 0};  \
        return z;                                        \
    }
CAST_TO_COMPLEX(I32, int32_t)
CAST_TO_COMPLEX(U32, uint32_t)
CAST_TO_COMPLEX(I64, int64_t)
CAST_TO_COMPLEX(U64, uint64_t)
CAST_TO_COMPLEX(F32, float)
CAST_TO_COMPLEX(F64, double)
#undef CAST_TO_COMPLEX

V_LAMBDA element_C64  to_C64_from_C64(cast_c64 x) { return x; }
V_LAMBDA element_C128 to_C128_from_C128(cast_c128 x) { return x; }
V_LAMBDA element_C64  to_C64_from_C128(cast_c128 x)
{
    element_C64 z = {(float)x.re, (float)x.im};
    return z;
}
V_LAMBDA element_C128 to_C128_from_C64(cast_c64 x)
{
    element_C128 z = {x.re, x.im};
    return z;
}
