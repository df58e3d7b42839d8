/* scatter_loops.c - scatter_template.h for each compute dtype. */
#include "cpu/scatter_loops.h"

#include <math.h>
#include <string.h>

#include "table/dtype.h"

/* ---------------------------------------------------------------- integers */

#define WRAPPED_ADD(a, b) ((uint64_t)(a) + (uint64_t)(b))
#define WRAPPED_MUL(a, b) ((uint64_t)(a) * (uint64_t)(b))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))

#define T int8_t
#define NAME(word) word##_i8
#define ADD WRAPPED_ADD
#define MUL WRAPPED_MUL
#define MAX LARGER
#define MIN SMALLER
#include "cpu/scatter_template.h"
#define T int16_t
#define NAME(word) word##_i16
#define ADD WRAPPED_ADD
#define MUL WRAPPED_MUL
#define MAX LARGER
#define MIN SMALLER
#include "cpu/scatter_template.h"
#define T int32_t
#define NAME(word) word##_i32
#define ADD WRAPPED_ADD
#define MUL WRAPPED_MUL
#define MAX LARGER
#define MIN SMALLER
#include "cpu/scatter_template.h"
#define T int64_t
#define NAME(word) word##_i64
#define ADD WRAPPED_ADD
#define MUL WRAPPED_MUL
#define MAX LARGER
#define MIN SMALLER
#include "cpu/scatter_template.h"
#define T uint8_t
#define NAME(word) word##_u8
#define ADD WRAPPED_ADD
#define MUL WRAPPED_MUL
#define MAX LARGER
#define MIN SMALLER
#include "cpu/scatter_template.h"
#define T uint16_t
#define NAME(word) word##_u16
#define ADD WRAPPED_ADD
#define MUL WRAPPED_MUL
#define MAX LARGER
#define MIN SMALLER
#include "cpu/scatter_template.h"
#define T uint32_t
#define NAME(word) word##_u32
#define ADD WRAPPED_ADD
#define MUL WRAPPED_MUL
#define MAX LARGER
#define MIN SMALLER
#include "cpu/scatter_template.h"
#define T uint64_t
#define NAME(word) word##_u64
#define ADD WRAPPED_ADD
#define MUL WRAPPED_MUL
#define MAX LARGER
#define MIN SMALLER
#include "cpu/scatter_template.h"

/* A byte of a bool other than 0 is true. */
#define T uint8_t
#define NAME(word) word##_bool
#define ADD(a, b) (((a) | (b)) != 0)
#define MUL(a, b) ((a) != 0 && (b) != 0)
#define MAX(a, b) (((a) | (b)) != 0)
#define MIN(a, b) ((a) != 0 && (b) != 0)
#include "cpu/scatter_template.h"

/* ---------------------------------------------------------------- floats */

static inline float max_f(float a, float b)
{
    if (isnan(a) || isnan(b)) return isnan(a) ? a : b;
    return a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
static inline float min_f(float a, float b)
{
    if (isnan(a) || isnan(b)) return isnan(a) ? a : b;
    return a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}
static inline double max_d(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) ? a : b;
    return a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
static inline double min_d(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) ? a : b;
    return a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}

#define HAS_PASS
#define T float
#define NAME(word) word##_f32
#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define MAX max_f
#define MIN min_f
#include "cpu/scatter_template.h"
#define HAS_PASS
#define T double
#define NAME(word) word##_f64
#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define MAX max_d
#define MIN min_d
#include "cpu/scatter_template.h"

/* ---------------------------------------------------------------- complex */

typedef struct complex_f {
    float re, im;
} complex_f;
typedef struct complex_d {
    double re, im;
} complex_d;

static inline complex_f add_c64(complex_f a, complex_f b) { return (complex_f){a.re + b.re, a.im + b.im}; }
static inline complex_f mul_c64(complex_f a, complex_f b)
{
    return (complex_f){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline complex_d add_c128(complex_d a, complex_d b) { return (complex_d){a.re + b.re, a.im + b.im}; }
static inline complex_d mul_c128(complex_d a, complex_d b)
{
    return (complex_d){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

#define T complex_f
#define NAME(word) word##_parts_f
#define ADD add_c64
#define MUL mul_c64
#include "cpu/scatter_template.h"
#define T complex_d
#define NAME(word) word##_parts_d
#define ADD add_c128
#define MUL mul_c128
#include "cpu/scatter_template.h"

/* ---------------------------------------------------------------- choice */

stria_scatter_fn *stria_scatter_get(stria_dtype dtype, stria_scatter_op op)
{
    static stria_scatter_fn *const all[STRIA_DTYPE_COUNT][STRIA_SCATTER_OPS] = {
        [STRIA_BOOL] = {add_each_bool, mul_each_bool, max_each_bool, min_each_bool},
        [STRIA_U8] = {add_each_u8, mul_each_u8, max_each_u8, min_each_u8},
        [STRIA_U16] = {add_each_u16, mul_each_u16, max_each_u16, min_each_u16},
        [STRIA_U32] = {add_each_u32, mul_each_u32, max_each_u32, min_each_u32},
        [STRIA_U64] = {add_each_u64, mul_each_u64, max_each_u64, min_each_u64},
        [STRIA_I8] = {add_each_i8, mul_each_i8, max_each_i8, min_each_i8},
        [STRIA_I16] = {add_each_i16, mul_each_i16, max_each_i16, min_each_i16},
        [STRIA_I32] = {add_each_i32, mul_each_i32, max_each_i32, min_each_i32},
        [STRIA_I64] = {add_each_i64, mul_each_i64, max_each_i64, min_each_i64},
        [STRIA_F32] = {add_each_f32, mul_each_f32, max_each_f32, min_each_f32},
        [STRIA_F64] = {add_each_f64, mul_each_f64, max_each_f64, min_each_f64},
        [STRIA_C64] = {add_each_parts_f, mul_each_parts_f, NULL, NULL},
        [STRIA_C128] = {add_each_parts_d, mul_each_parts_d, NULL, NULL},
    };
    return all[dtype][op];
}

stria_index_pass *stria_scatter_get_pass(stria_dtype dtype, stria_scatter_op op)
{
    if (op != STRIA_SCATTER_ADD) return NULL;
    return dtype == STRIA_F32 ? add_pass_f32 : dtype == STRIA_F64 ? add_pass_f64 : NULL;
}

/* The bits of the largest or smallest number of a real dtype. */
static uint64_t get_end(stria_dtype dtype, bool is_largest)
{
    const int      bits = 8 * (int)stria_dtype_get_size(dtype);
    const uint64_t all = UINT64_MAX >> (64 - bits), top = UINT64_C(1) << (bits - 1);

    switch (stria_dtype_get_category(dtype)) {
    case STRIA_CATEGORY_B: return is_largest;
    case STRIA_CATEGORY_U: return is_largest ? all : 0;
    case STRIA_CATEGORY_I: return is_largest ? all ^ top : top;
    default: break;
    }
    if (dtype == STRIA_F32) return is_largest ? 0x7f800000u : 0xff800000u;
    return is_largest ? UINT64_C(0x7ff0000000000000) : UINT64_C(0xfff0000000000000);
}

/* The same number in all parts. */
static void set_parts(stria_dtype dtype, double number, char *at)
{
    const float  narrow[] = {(float)number, (float)number};
    const double wide[] = {number, number};

    if (dtype == STRIA_F32 || dtype == STRIA_C64)
        memcpy(at, narrow, stria_dtype_get_size(dtype));
    else
        memcpy(at, wide, stria_dtype_get_size(dtype));
}

void stria_scatter_get_identity(stria_dtype dtype, stria_scatter_op op, char *at)
{
    const size_t   size = stria_dtype_get_size(dtype);
    const bool     is_whole = stria_dtype_get_category(dtype) < STRIA_CATEGORY_F;
    const uint64_t one = 1;

    memset(at, 0, 16);
    if (op == STRIA_SCATTER_ADD && !is_whole) set_parts(dtype, -0.0, at); /* -0 + x is x, for -0 too */
    if (op == STRIA_SCATTER_MUL && is_whole) memcpy(at, &one, size);      /* little-endian, as every target */
    if (op == STRIA_SCATTER_MUL && !is_whole) {
        set_parts(dtype, 1, at);
        if (stria_dtype_get_category(dtype) == STRIA_CATEGORY_C) memset(at + size / 2, 0, size / 2);
    }
    if (op == STRIA_SCATTER_MAX || op == STRIA_SCATTER_MIN) {
        const uint64_t end = get_end(dtype, op == STRIA_SCATTER_MIN);
        memcpy(at, &end, size);
    }
}
