/* mlir_functions.c - functions that words and conversions call, as MLIR: what takes another number of steps for each
 * element, or many. */
#include "compile/mlir.h"

#define INTERNAL "attributes {llvm.linkage = #llvm.linkage<internal>}"
#define ALWAYS_INLINE "attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = [\"alwaysinline\"]}"

/* Euclid's algorithm, of unsigned integers. */
static void put_gcd(stria_mlir *m, const char *type)
{
    static const char lines[] = "func.func private @stria_word_gcd_$t(%a: $t, %b: $t) -> $t " INTERNAL " {\n"
                                "  %zero = arith.constant 0 : $t\n"
                                "  %r:2 = scf.while (%x = %a, %y = %b) : ($t, $t) -> ($t, $t) {\n"
                                "    %more = arith.cmpi ne, %y, %zero : $t\n"
                                "    scf.condition(%more) %x, %y : $t, $t\n"
                                "  } do {\n"
                                "  ^bb0(%x: $t, %y: $t):\n"
                                "    %rest = arith.remui %x, %y : $t\n"
                                "    scf.yield %y, %rest : $t, $t\n"
                                "  }\n"
                                "  return %r#0 : $t\n"
                                "}";
    stria_mlir_put_template(&m->text, 2, lines, &(stria_mlir_places){.type = type});
}

/* What vec_reduce_angle.h does, in integers of 128 to 1216 bits: the quadrant and both parts of the rest; zeros below
 * 2^19. */
static void put_angle(stria_mlir *m)
{
    static const char test[] = "func.func private @stria_word_angle(%x: f64) -> (f64, f64, f64) " INTERNAL " {\n"
                               "  %zero = arith.constant 0.0 : f64\n"
                               "  %least = arith.constant 524288.0 : f64\n"
                               "  %size = math.absf %x : f64\n"
                               "  %is_huge = arith.cmpf oge, %size, %least : f64\n"
                               "  %r:3 = scf.if %is_huge -> (f64, f64, f64) {\n"
                               "    %q, %hi, %lo = func.call @stria_word_huge_angle(%x) : (f64) -> (f64, f64, f64)\n"
                               "    scf.yield %q, %hi, %lo : f64, f64, f64\n"
                               "  } else {\n"
                               "    scf.yield %zero, %zero, %zero : f64, f64, f64\n"
                               "  }\n"
                               "  return %r#0, %r#1, %r#2 : f64, f64, f64\n"
                               "}";
    static const char reduction[] =
        "func.func private @stria_word_huge_angle(%x: f64) -> (f64, f64, f64) " INTERNAL " {\n"
        "  // |x| = mantissa * 2^exponent\n"
        "  %bits = arith.bitcast %x : f64 to i64\n"
        "  %c0 = arith.constant 0 : i64\n"
        "  %c1 = arith.constant 1 : i64\n"
        "  %c2 = arith.constant 2 : i64\n"
        "  %c32 = arith.constant 32 : i64\n"
        "  %c52 = arith.constant 52 : i64\n"
        "  %c2047 = arith.constant 2047 : i64\n"
        "  %c1075 = arith.constant 1075 : i64\n"
        "  %fraction_mask = arith.constant 0xFFFFFFFFFFFFF : i64\n"
        "  %leading_one = arith.constant 0x10000000000000 : i64\n"
        "  %shifted = arith.shrui %bits, %c52 : i64\n"
        "  %biased = arith.andi %shifted, %c2047 : i64\n"
        "  %exponent = arith.subi %biased, %c1075 : i64\n"
        "  %fraction = arith.andi %bits, %fraction_mask : i64\n"
        "  %mantissa = arith.ori %fraction, %leading_one : i64\n"
        "  %is_negative = arith.cmpi slt, %bits, %c0 : i64\n"
        "  // 2/pi, 1216 bits, of which 256 matter, from 32 * first on\n"
        "  %two_over_pi = arith.constant "
        "0xA2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163ABDEBBC561B7246E3A424DD2E0"
        "06492EEA09D1921CFE1DEB1CB129A73EE88235F52EBB4484E99C7026B45F7E413991D639835339F49C845F8BBDF9283B1FF897FFDE0598"
        "0F"
        "EF2F118B5A0A6D1F6D367ECF27CB09B74F463F669E5FEA2D7527BAC7EBE5F17B3D0739F78A5292EA6BFB5FB11F8D5D0856033046FC7B6B"
        "AB"
        " : i1216\n"
        "  %from_2 = arith.maxsi %exponent, %c2 : i64\n"
        "  %above_2 = arith.subi %from_2, %c2 : i64\n"
        "  %first = arith.divui %above_2, %c32 : i64\n"
        "  %begin = arith.muli %first, %c32 : i64\n"
        "  %c960 = arith.constant 960 : i64\n"
        "  %below = arith.subi %c960, %begin : i64\n"
        "  %below_wide = arith.extui %below : i64 to i1216\n"
        "  %from_begin = arith.shrui %two_over_pi, %below_wide : i1216\n"
        "  %part = arith.trunci %from_begin : i1216 to i256\n"
        "  %part_wide = arith.extui %part : i256 to i320\n"
        "  %mantissa_wide = arith.extui %mantissa : i64 to i320\n"
        "  %product = arith.muli %part_wide, %mantissa_wide : i320\n"
        "  // 128 bits from two above the point down: the quadrant, and 126 bits behind the point\n"
        "  %c130 = arith.constant 130 : i64\n"
        "  %rest_at_0 = arith.addi %begin, %c130 : i64\n"
        "  %rest_at = arith.subi %rest_at_0, %exponent : i64\n"
        "  %rest_at_wide = arith.extui %rest_at : i64 to i320\n"
        "  %cut = arith.shrui %product, %rest_at_wide : i320\n"
        "  %v = arith.trunci %cut : i320 to i128\n"
        "  %w2 = arith.constant 2 : i128\n"
        "  %w126 = arith.constant 126 : i128\n"
        "  %w0 = arith.constant 0 : i128\n"
        "  %ones = arith.constant -1 : i128\n"
        "  %quadrant_wide = arith.shrui %v, %w126 : i128\n"
        "  %quadrant_0 = arith.trunci %quadrant_wide : i128 to i64\n"
        "  %behind = arith.shli %v, %w2 : i128\n"
        "  // at least a half: the next quadrant, and a negative rest\n"
        "  %rest_negative = arith.cmpi slt, %behind, %w0 : i128\n"
        "  %next_quadrant = arith.addi %quadrant_0, %c1 : i64\n"
        "  %quadrant = arith.select %rest_negative, %next_quadrant, %quadrant_0 : i64\n"
        "  %turned = arith.xori %behind, %ones : i128\n"
        "  %rest = arith.select %rest_negative, %turned, %behind : i128\n"
        "  // 53 + 53 bits of it, without leading zeros";
    static const char rest[] = "%zeros = math.ctlz %rest : i128\n"
                               "%w64 = arith.constant 64 : i128\n"
                               "%leading = arith.minui %zeros, %w64 : i128\n"
                               "%normal = arith.shli %rest, %leading : i128\n"
                               "%w75 = arith.constant 75 : i128\n"
                               "%w22 = arith.constant 22 : i128\n"
                               "%high_wide = arith.shrui %normal, %w75 : i128\n"
                               "%low_wide = arith.shrui %normal, %w22 : i128\n"
                               "%high_bits = arith.trunci %high_wide : i128 to i64\n"
                               "%low_53 = arith.trunci %low_wide : i128 to i64\n"
                               "%low_mask = arith.constant 0x1FFFFFFFFFFFFF : i64\n"
                               "%low_bits = arith.andi %low_53, %low_mask : i64\n"
                               "%high_0 = arith.uitofp %high_bits : i64 to f64\n"
                               "%low_0 = arith.uitofp %low_bits : i64 to f64\n"
                               "%leading_64 = arith.trunci %leading : i128 to i64\n"
                               "%c970 = arith.constant 970 : i64\n" /* 2^-53 */
                               "%c917 = arith.constant 917 : i64\n" /* 2^-106 */
                               "%high_exponent = arith.subi %c970, %leading_64 : i64\n"
                               "%low_exponent = arith.subi %c917, %leading_64 : i64\n"
                               "%high_scale_bits = arith.shli %high_exponent, %c52 : i64\n"
                               "%low_scale_bits = arith.shli %low_exponent, %c52 : i64\n"
                               "%high_scale = arith.bitcast %high_scale_bits : i64 to f64\n"
                               "%low_scale = arith.bitcast %low_scale_bits : i64 to f64\n"
                               "%high = arith.mulf %high_0, %high_scale : f64\n"
                               "%low = arith.mulf %low_0, %low_scale : f64\n"
                               "%minus_high = arith.negf %high : f64\n"
                               "%minus_low = arith.negf %low : f64\n"
                               "%turns = arith.xori %rest_negative, %is_negative : i1\n"
                               "%f_hi = arith.select %turns, %minus_high, %high : f64\n"
                               "%f_lo = arith.select %turns, %minus_low, %low : f64\n"
                               "// times pi/2\n"
                               "%c_hi = arith.constant 0x3FF921FB54442D18 : f64\n"
                               "%c_lo = arith.constant 0x3C91A62633145C07 : f64\n"
                               "%s = arith.constant 0x41A0000002000000 : f64\n"
                               "%sf = arith.mulf %s, %f_hi : f64\n"
                               "%sc = arith.mulf %s, %c_hi : f64\n"
                               "%a1_0 = arith.subf %sf, %f_hi : f64\n"
                               "%a1 = arith.subf %sf, %a1_0 : f64\n"
                               "%a2 = arith.subf %f_hi, %a1 : f64\n"
                               "%b1_0 = arith.subf %sc, %c_hi : f64\n"
                               "%b1 = arith.subf %sc, %b1_0 : f64\n"
                               "%b2 = arith.subf %c_hi, %b1 : f64\n"
                               "%p = arith.mulf %f_hi, %c_hi : f64\n"
                               "%p11 = arith.mulf %a1, %b1 : f64\n"
                               "%p12 = arith.mulf %a1, %b2 : f64\n"
                               "%p21 = arith.mulf %a2, %b1 : f64\n"
                               "%p22 = arith.mulf %a2, %b2 : f64\n"
                               "%e0 = arith.subf %p11, %p : f64\n"
                               "%e1 = arith.addf %e0, %p12 : f64\n"
                               "%e2 = arith.addf %e1, %p21 : f64\n"
                               "%e3 = arith.addf %e2, %p22 : f64\n"
                               "%h_lo = arith.mulf %f_hi, %c_lo : f64\n"
                               "%l_hi = arith.mulf %f_lo, %c_hi : f64\n"
                               "%small = arith.addf %h_lo, %l_hi : f64\n"
                               "%e = arith.addf %e3, %small : f64\n"
                               "%hi = arith.addf %p, %e : f64\n"
                               "%lo_0 = arith.subf %p, %hi : f64\n"
                               "%lo = arith.addf %lo_0, %e : f64\n"
                               "%minus_quadrant = arith.subi %c0, %quadrant : i64\n"
                               "%signed = arith.select %is_negative, %minus_quadrant, %quadrant : i64\n"
                               "%c3 = arith.constant 3 : i64\n"
                               "%turn = arith.andi %signed, %c3 : i64\n"
                               "%q = arith.sitofp %turn : i64 to f64\n"
                               "return %q, %hi, %lo : f64, f64, f64";
    stria_mlir_put_template(&m->text, 2, test, &(stria_mlir_places){.width = 0});
    stria_mlir_put_template(&m->text, 2, reduction, &(stria_mlir_places){.width = 0});
    stria_mlir_put_template(&m->text, 4, rest, &(stria_mlir_places){.width = 0});
    stria_mlir_put(&m->text, "  }\n");
}

/* A float rounded to one of 16 bits, as cast_lanes.h does it: normal results by an integer addition below the bits that
 * are kept, subnormal ones by adding a power of two whose last place is theirs. */
typedef struct narrowing {
    const char        *from, *bits, *to, *result; /* types; `to` is a name alone */
    unsigned long long size_mask, rebase, half, below, above, infinity;
    unsigned long long magic; /* bits of that power */
    int                shift, sign_shift, result_infinity, result_nan;
} narrowing;

static void put_narrowing(stria_mlir *m, const narrowing *n)
{
    stria_mlir_text *t = &m->text;
    const char      *i = n->bits;

    stria_mlir_put(t, "  func.func private @stria_%s_of_%s(%%x: %s) -> %s " ALWAYS_INLINE " {\n", n->to, n->from,
                   n->from, n->result);
    stria_mlir_put(t, "    %%bits = arith.bitcast %%x : %s to %s\n", n->from, i);
    const struct {
        const char        *name;
        unsigned long long value;
    } constants[] = {{"size_mask", n->size_mask},
                     {"rebase", n->rebase},
                     {"half", n->half},
                     {"one", 1},
                     {"shift", (unsigned)n->shift},
                     {"magic_bits", n->magic},
                     {"below", n->below},
                     {"above", n->above},
                     {"infinity", n->infinity},
                     {"result_infinity", (unsigned)n->result_infinity},
                     {"result_nan", (unsigned)n->result_nan},
                     {"sign_shift", (unsigned)n->sign_shift},
                     {"sign_mask", 0x8000}};
    for (size_t k = 0; k < sizeof constants / sizeof *constants; k++)
        stria_mlir_put(t, "    %%%s = arith.constant 0x%llX : %s\n", constants[k].name, constants[k].value, i);
    static const char lines[] = "%u = arith.andi %bits, %size_mask : $u\n"
                                "%rebased = arith.subi %u, %rebase : $u\n"
                                "%last = arith.shrui %rebased, %shift : $u\n"
                                "%odd = arith.andi %last, %one : $u\n"
                                "%n0 = arith.addi %rebased, %half : $u\n"
                                "%n1 = arith.addi %n0, %odd : $u\n"
                                "%normal = arith.shrui %n1, %shift : $u\n"
                                "%magic = arith.bitcast %magic_bits : $u to $t\n"
                                "%size = arith.bitcast %u : $u to $t\n"
                                "%s0 = arith.addf %size, %magic : $t\n"
                                "%s1 = arith.bitcast %s0 : $t to $u\n"
                                "%subnormal = arith.subi %s1, %magic_bits : $u\n"
                                "%is_subnormal = arith.cmpi ult, %u, %below : $u\n"
                                "%is_infinite = arith.cmpi uge, %u, %above : $u\n"
                                "%is_nan = arith.cmpi ugt, %u, %infinity : $u\n"
                                "%r0 = arith.select %is_subnormal, %subnormal, %normal : $u\n"
                                "%r1 = arith.select %is_infinite, %result_infinity, %r0 : $u\n"
                                "%r2 = arith.select %is_nan, %result_nan, %r1 : $u\n"
                                "%sign0 = arith.shrui %bits, %sign_shift : $u\n"
                                "%sign = arith.andi %sign0, %sign_mask : $u\n"
                                "%r3 = arith.ori %r2, %sign : $u\n"
                                "%r4 = arith.trunci %r3 : $u to i16";
    stria_mlir_put_template(t, 4, lines, &(stria_mlir_places){.type = n->from, .other = i});
    stria_mlir_put(t, "    %%r = arith.bitcast %%r4 : i16 to %s\n    return %%r : %s\n  }\n", n->result, n->result);
}

static void put_bf16_of_f32(stria_mlir *m)
{
    static const char lines[] = "func.func private @stria_bf16_of_f32(%x: f32) -> i16 " ALWAYS_INLINE " {\n"
                                "  %u = arith.bitcast %x : f32 to i32\n"
                                "  %c1 = arith.constant 1 : i32\n"
                                "  %c16 = arith.constant 16 : i32\n"
                                "  %half = arith.constant 0x7FFF : i32\n"
                                "  %sign_mask = arith.constant 0x8000 : i32\n"
                                "  %quiet = arith.constant 0x7FC0 : i32\n"
                                "  %size_mask = arith.constant 0x7FFFFFFF : i32\n"
                                "  %infinity = arith.constant 0x7F800000 : i32\n"
                                "  %top = arith.shrui %u, %c16 : i32\n"
                                "  %odd = arith.andi %top, %c1 : i32\n"
                                "  %r0 = arith.addi %u, %half : i32\n"
                                "  %r1 = arith.addi %r0, %odd : i32\n"
                                "  %rounded = arith.shrui %r1, %c16 : i32\n"
                                "  %sign = arith.andi %top, %sign_mask : i32\n"
                                "  %nan = arith.ori %sign, %quiet : i32\n"
                                "  %size = arith.andi %u, %size_mask : i32\n"
                                "  %is_nan = arith.cmpi ugt, %size, %infinity : i32\n"
                                "  %r2 = arith.select %is_nan, %nan, %rounded : i32\n"
                                "  %r = arith.trunci %r2 : i32 to i16\n"
                                "  return %r : i16\n"
                                "}";
    stria_mlir_put_template(&m->text, 2, lines, &(stria_mlir_places){.width = 0});
}

void stria_mlir_put_functions(stria_mlir *m)
{
    static const narrowing narrowings[] = {
        {"f32", "i32", "f16", "f16", 0x7fffffff, 0x38000000, 0xfff, 0x38800000, 0x477ff000, 0x7f800000, 0x3f000000, 13,
         16, 0x7c00, 0x7e00},
        {"f64", "i64", "f16", "f16", 0x7fffffffffffffff, 0x3f00000000000000, 0x1ffffffffff, 0x3f10000000000000,
         0x40effe0000000000, 0x7ff0000000000000, 0x41b0000000000000, 42, 48, 0x7c00, 0x7e00},
        {"f64", "i64", "bf16", "i16", 0x7fffffffffffffff, 0x3800000000000000, 0xfffffffffff, 0x3810000000000000,
         0x47eff00000000000, 0x7ff0000000000000, 0x3ae0000000000000, 45, 48, 0x7f80, 0x7fc0}};
    static const char *const integers[] = {"i8", "i16", "i32", "i64"};

    if (m->is_needed[STRIA_MLIR_ANGLE]) put_angle(m);
    for (int k = 0; k < 4; k++)
        if (m->is_needed[STRIA_MLIR_GCD_I8 + k]) put_gcd(m, integers[k]);
    if (m->is_needed[STRIA_MLIR_F16_OF_F32]) put_narrowing(m, &narrowings[0]);
    if (m->is_needed[STRIA_MLIR_F16_OF_F64]) put_narrowing(m, &narrowings[1]);
    if (m->is_needed[STRIA_MLIR_BF16_OF_F32]) put_bf16_of_f32(m);
    if (m->is_needed[STRIA_MLIR_BF16_OF_F64]) put_narrowing(m, &narrowings[2]);
}
