/* mlir_cast.c - conversions of elements as MLIR: the rules of cast_lanes.h. */
#include <inttypes.h>
#include <string.h>

#include "compile/mlir.h"

/* bf16 is its bits: with a type of its own LLVM moves operations into it, and then wants __truncsfbf2 for what it cannot do there, which
 * libgcc has from version 13 on. */
const char *stria_mlir_get_type(stria_dtype dtype)
{
    switch (dtype) {
    case STRIA_BOOL:
    case STRIA_U8:
    case STRIA_I8: return "i8";
    case STRIA_U16:
    case STRIA_I16:
    case STRIA_BF16: return "i16";
    case STRIA_U32:
    case STRIA_I32: return "i32";
    case STRIA_U64:
    case STRIA_I64: return "i64";
    case STRIA_F16: return "f16";
    case STRIA_F32: return "f32";
    case STRIA_F64: return "f64";
    default: return NULL;
    }
}

static bool is_half(stria_dtype dtype) { return dtype == STRIA_F16 || dtype == STRIA_BF16; }
static bool is_float(stria_dtype dtype) { return stria_dtype_get_category(dtype) == STRIA_CATEGORY_F; }
static int  get_width(stria_dtype dtype) { return 8 * (int)stria_dtype_sizes[dtype]; }

bool stria_mlir_has_cast(stria_dtype from, stria_dtype to)
{
    if (stria_mlir_get_type(from) == NULL || stria_mlir_get_type(to) == NULL) return false;
    return is_float(from) || !is_half(to) || get_width(from) < 64; /* 64 bits to 16: rounded to odd first */
}

static stria_mlir_name get_new(stria_mlir *m) { return stria_mlir_get_name("%%v%d", m->n_values++); }

/* One operation that changes the type. */
static stria_mlir_name change(stria_mlir *m, const char *operation, stria_mlir_name x, const char *from, const char *to,
                              int indent)
{
    const stria_mlir_name r = get_new(m);

    stria_mlir_put(&m->text, "%*s%s = %s %s : %s to %s\n", indent, "", r.at, operation, x.at, from, to);
    return r;
}

static stria_mlir_name call(stria_mlir *m, stria_mlir_function function, const char *name, stria_mlir_name x,
                            const char *from, const char *to, int indent)
{
    const stria_mlir_name r = get_new(m);

    m->is_needed[function] = true;
    stria_mlir_put(&m->text, "%*s%s = func.call @%s(%s) : (%s) -> %s\n", indent, "", r.at, name, x.at, from, to);
    return r;
}

static stria_mlir_name fill(stria_mlir *m, const char *lines, stria_mlir_places places, int indent)
{
    const stria_mlir_name r = get_new(m);

    places.result = r.at;
    stria_mlir_put_template(&m->text, indent, lines, &places);
    return r;
}

static stria_mlir_name put_truth(stria_mlir *m, stria_dtype from, stria_mlir_name x, int indent)
{
    static const char whole[] = "$r_0 = arith.constant 0 : $t\n"
                                "$r_1 = arith.cmpi ne, $a, $r_0 : $t\n"
                                "$r = arith.extui $r_1 : i1 to i8";
    static const char real[] = "$r_0 = arith.constant 0.0 : $t\n"
                               "$r_1 = arith.cmpf une, $a, $r_0 : $t\n"
                               "$r = arith.extui $r_1 : i1 to i8";
    return fill(m, is_float(from) ? real : whole,
                (stria_mlir_places){.operand = {x.at}, .type = stria_mlir_get_type(from)}, indent);
}

/* Of f64: cut, and the nearest there is; NaN is 0. Clamped before it is converted, so that it always can be. */
static stria_mlir_name put_saturated(stria_mlir *m, stria_dtype to, stria_mlir_name x, int indent)
{
    static const char short_lines[] = "$r_0 = arith.constant $l : f64\n"
                                      "$r_1 = arith.constant $h : f64\n"
                                      "$r_2 = arith.constant 0.0 : f64\n"
                                      "$r_3 = arith.cmpf ogt, $a, $r_0 : f64\n"
                                      "$r_4 = arith.select $r_3, $a, $r_0 : f64\n"
                                      "$r_5 = arith.cmpf olt, $r_4, $r_1 : f64\n"
                                      "$r_6 = arith.select $r_5, $r_4, $r_1 : f64\n"
                                      "$r_7 = arith.cmpf uno, $a, $a : f64\n"
                                      "$r_8 = arith.select $r_7, $r_2, $r_6 : f64\n"
                                      "$r = arith.$x $r_8 : f64 to i32";
    static const char long_lines[] = "$r_0 = arith.constant $l : f64\n"
                                     "$r_1 = arith.constant $h : f64\n"
                                     "$r_2 = arith.constant 0.0 : f64\n"
                                     "$r_3 = arith.constant $b : i64\n"
                                     "$r_4 = arith.constant $c : i64\n"
                                     "$r_5 = arith.cmpf oge, $a, $r_0 : f64\n"
                                     "$r_6 = arith.cmpf olt, $a, $r_1 : f64\n"
                                     "$r_7 = arith.cmpf olt, $a, $r_0 : f64\n"
                                     "$r_8 = arith.cmpf oge, $a, $r_1 : f64\n"
                                     "$r_9 = arith.andi $r_5, $r_6 : i1\n"
                                     "$r_10 = arith.select $r_9, $a, $r_2 : f64\n"
                                     "$r_11 = arith.$x $r_10 : f64 to i64\n"
                                     "$r_12 = arith.select $r_7, $r_3, $r_11 : i64\n"
                                     "$r = arith.select $r_8, $r_4, $r_12 : i64";
    const bool        has_sign = stria_dtype_get_category(to) == STRIA_CATEGORY_I;
    const int         width = get_width(to);
    const char       *function = has_sign || width < 32 ? "fptosi" : "fptoui";

    if (width == 64)
        return fill(m, long_lines,
                    (stria_mlir_places){.operand = {x.at, has_sign ? "0x8000000000000000" : "0",
                                                    has_sign ? "0x7FFFFFFFFFFFFFFF" : "-1"},
                                        .lowest = has_sign ? "-9223372036854775808.0" : "0.0",
                                        .highest = has_sign ? "9223372036854775808.0" : "18446744073709551616.0",
                                        .constant = function},
                    indent);
    const stria_mlir_name lowest = stria_mlir_get_name("%" PRId64 ".0", has_sign ? -((int64_t)1 << (width - 1)) : 0);
    const stria_mlir_name highest =
        stria_mlir_get_name("%" PRId64 ".0", ((int64_t)1 << (has_sign ? width - 1 : width)) - 1);
    const stria_mlir_name r =
        fill(m, short_lines,
             (stria_mlir_places){.operand = {x.at}, .lowest = lowest.at, .highest = highest.at, .constant = function},
             indent);
    return width == 32 ? r : change(m, "arith.trunci", r, "i32", stria_mlir_get_type(to), indent);
}

/* A whole number without a sign, as f32 or f64: by their bits, and not by arith.uitofp. LLVM 19 makes that of a vector of i1 where it finds
 * short loops in which a number has the bit of a truth in all its places (its pass slp-vectorizer), so that 255 becomes 1. Numbers of 32 bits
 * or less are the last bits of 2^23 or 2^52, which is then taken off: exact, but for 32 bits to f32, which round once, from f64. Of 64 bits,
 * half is converted where the sign stands for 2^63; its last bit holds what was shifted out. */
static stria_mlir_name put_float_of_unsigned(stria_mlir *m, stria_dtype from, stria_dtype to, stria_mlir_name x,
                                             int indent)
{
    static const char short_lines[] = "$r_0 = arith.extui $a : $t to i32\n"
                                      "$r_1 = arith.constant 0x4B000000 : i32\n"
                                      "$r_2 = arith.ori $r_0, $r_1 : i32\n"
                                      "$r_3 = arith.bitcast $r_2 : i32 to f32\n"
                                      "$r_4 = arith.constant 0x4B000000 : f32\n"
                                      "$r = arith.subf $r_3, $r_4 : f32";
    static const char lines[] = "$r_0 = arith.extui $a : i32 to i64\n"
                                "$r_1 = arith.constant 0x4330000000000000 : i64\n"
                                "$r_2 = arith.ori $r_0, $r_1 : i64\n"
                                "$r_3 = arith.bitcast $r_2 : i64 to f64\n"
                                "$r_4 = arith.constant 0x4330000000000000 : f64\n"
                                "$r = arith.subf $r_3, $r_4 : f64";
    static const char long_lines[] = "$r_0 = arith.constant 0 : i64\n"
                                     "$r_1 = arith.constant 1 : i64\n"
                                     "$r_2 = arith.shrui $a, $r_1 : i64\n"
                                     "$r_3 = arith.andi $a, $r_1 : i64\n"
                                     "$r_4 = arith.ori $r_2, $r_3 : i64\n"
                                     "$r_5 = arith.cmpi slt, $a, $r_0 : i64\n"
                                     "$r_6 = arith.select $r_5, $r_4, $a : i64\n"
                                     "$r_7 = arith.sitofp $r_6 : i64 to $t\n"
                                     "$r_8 = arith.addf $r_7, $r_7 : $t\n"
                                     "$r = arith.select $r_5, $r_8, $r_7 : $t";
    const int         width = get_width(from);
    stria_mlir_places places = {.operand = {x.at}, .type = stria_mlir_get_type(width == 64 ? to : from)};

    if (width == 64) return fill(m, long_lines, places, indent);
    const stria_mlir_name r = fill(m, width == 32 ? lines : short_lines, places, indent);
    if (width == 32) return to == STRIA_F64 ? r : change(m, "arith.truncf", r, "f64", "f32", indent);
    return to == STRIA_F32 ? r : change(m, "arith.extf", r, "f32", "f64", indent);
}

static stria_mlir_name put_float_of_whole(stria_mlir *m, stria_dtype from, stria_dtype to, stria_mlir_name x,
                                          int indent)
{
    if (stria_dtype_get_category(from) != STRIA_CATEGORY_I) return put_float_of_unsigned(m, from, to, x, indent);
    return change(m, "arith.sitofp", x, stria_mlir_get_type(from), stria_mlir_get_type(to), indent);
}

static stria_mlir_name put_f32_of_half(stria_mlir *m, stria_dtype from, stria_mlir_name x, int indent)
{
    static const char bf16_lines[] = "$r_0 = arith.extui $a : i16 to i32\n"
                                     "$r_1 = arith.constant 16 : i32\n"
                                     "$r_2 = arith.shli $r_0, $r_1 : i32\n"
                                     "$r = arith.bitcast $r_2 : i32 to f32";
    if (from == STRIA_BF16) return fill(m, bf16_lines, (stria_mlir_places){.operand = {x.at}}, indent);
    return change(m, "arith.extf", x, "f16", "f32", indent);
}

static stria_mlir_name cast_float(stria_mlir *m, stria_dtype from, stria_dtype to, stria_mlir_name x, int indent)
{
    if (is_half(from)) {
        x = put_f32_of_half(m, from, x, indent);
        return to == STRIA_F32 ? x : cast_float(m, STRIA_F32, to, x, indent);
    }
    switch (to) {
    case STRIA_BOOL: return put_truth(m, from, x, indent);
    case STRIA_F16:
        return from == STRIA_F32 ? call(m, STRIA_MLIR_F16_OF_F32, "stria_f16_of_f32", x, "f32", "f16", indent)
                                 : call(m, STRIA_MLIR_F16_OF_F64, "stria_f16_of_f64", x, "f64", "f16", indent);
    case STRIA_BF16:
        return from == STRIA_F32 ? call(m, STRIA_MLIR_BF16_OF_F32, "stria_bf16_of_f32", x, "f32", "i16", indent)
                                 : call(m, STRIA_MLIR_BF16_OF_F64, "stria_bf16_of_f64", x, "f64", "i16", indent);
    case STRIA_F32: return change(m, "arith.truncf", x, "f64", "f32", indent);
    case STRIA_F64: return change(m, "arith.extf", x, "f32", "f64", indent);
    default:
        if (from == STRIA_F32) x = change(m, "arith.extf", x, "f32", "f64", indent);
        return put_saturated(m, to, x, indent);
    }
}

stria_mlir_name stria_mlir_put_cast(stria_mlir *m, stria_dtype from, stria_dtype to, stria_mlir_name x, int indent)
{
    const char *type = stria_mlir_get_type(from);
    const bool  has_sign = stria_dtype_get_category(from) == STRIA_CATEGORY_I;

    if (from == to) return x;
    if (is_float(from)) return cast_float(m, from, to, x, indent);
    if (to == STRIA_BOOL) return put_truth(m, from, x, indent);
    if (is_half(to)) return cast_float(m, STRIA_F64, to, put_float_of_whole(m, from, STRIA_F64, x, indent), indent);
    if (is_float(to)) return put_float_of_whole(m, from, to, x, indent);
    if (get_width(from) == get_width(to)) return x;
    return change(m,
                  get_width(to) < get_width(from) ? "arith.trunci"
                  : has_sign                      ? "arith.extsi"
                                                  : "arith.extui",
                  x, type, stria_mlir_get_type(to), indent);
}

stria_mlir_name stria_mlir_put_constant(stria_mlir *m, stria_dtype dtype, const void *value, int indent)
{
    const stria_mlir_name r = get_new(m);
    const int             width = get_width(dtype);
    uint64_t              bits = 0;

    memcpy(&bits, value, (size_t)width / 8); /* little endian */
    if (is_float(dtype))
        stria_mlir_put(&m->text, "%*s%s = arith.constant 0x%0*" PRIX64 " : %s\n", indent, "", r.at, width / 4, bits,
                       stria_mlir_get_type(dtype));
    else
        stria_mlir_put(&m->text, "%*s%s = arith.constant %" PRId64 " : %s\n", indent, "", r.at,
                       (int64_t)(bits << (64 - width)) >> (64 - width), stria_mlir_get_type(dtype));
    return r;
}
