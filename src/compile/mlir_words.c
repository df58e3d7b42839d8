/* mlir_words.c - rows of ops.def as MLIR: their tapes (ir.h), word by word. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compile/mlir.h"
#include "table/rows.h"

/* ---------------------------------------------------------------- the words
 *
 * In arith, whose operations are those of the machine; of math only what is exact. Nothing has fast-math flags. "" is
 * the operand itself. What is missing for signed integers, bool and floats is as for unsigned ones. */

typedef struct word {
    const char *whole, *sign, *real, *truth;
} word;

#define COMPARED(whole_is, sign_is, real_is)                                                                      \
    {                                                                                                             \
        .whole = "$r = arith.cmpi " whole_is ", $a, $b : $t", .sign = "$r = arith.cmpi " sign_is ", $a, $b : $t", \
        .real = "$r = arith.cmpf " real_is ", $a, $b : $t"                                                        \
    }
#define ROUNDED(function)                                     \
    {                                                         \
        .whole = "", .real = "$r = math." function " $a : $t" \
    }
#define SHIFTED(operation)                                    \
    {                                                         \
        .whole = "$r_0 = arith.constant $w : $t\n"            \
                 "$r_1 = arith.constant 0 : $t\n"             \
                 "$r_2 = arith.cmpi ult, $b, $r_0 : $t\n"     \
                 "$r_3 = arith.select $r_2, $b, $r_1 : $t\n"  \
                 "$r_4 = arith." operation " $a, $r_3 : $t\n" \
                 "$r = arith.select $r_2, $r_4, $r_1 : $t"    \
    }
/* The operand that is `first`, and NaN if either is NaN; equal ones are joined, for zeros of both signs. Not arith.maximumf: where f32 comes from
 * a half, LLVM 19 makes that a maximum of halves, which (of bf16) takes 0 for the larger one of 0 and NaN. */
#define EXTREME(first, joined)                    \
    "$r_0 = arith.bitcast $a : $t to $u\n"        \
    "$r_1 = arith.bitcast $b : $t to $u\n"        \
    "$r_2 = arith." joined " $r_0, $r_1 : $u\n"   \
    "$r_3 = arith.bitcast $r_2 : $u to $t\n"      \
    "$r_4 = arith.cmpf " first ", $a, $b : $t\n"  \
    "$r_5 = arith.select $r_4, $a, $b : $t\n"     \
    "$r_6 = arith.cmpf oeq, $a, $b : $t\n"        \
    "$r_7 = arith.select $r_6, $r_3, $r_5 : $t\n" \
    "$r_8 = arith.addf $a, $b : $t\n"             \
    "$r_9 = arith.cmpf uno, $a, $b : $t\n"        \
    "$r = arith.select $r_9, $r_8, $r_7 : $t"
#define CALLED_ANGLE                                                                 \
    {                                                                                \
        .whole = "$r:3 = func.call @stria_word_angle($a) : (f64) -> (f64, f64, f64)" \
    }

static const word words[STRIA_IR_WORD_COUNT] = {
    [STRIA_IR_set] = {.whole = "$r = arith.constant $x : $t"},
    [STRIA_IR_input_mask] = {.whole = "$r_0 = arith.constant 0 : i8\n$r = arith.cmpi ne, $a, $r_0 : i8"},
    [STRIA_IR_add] = {.whole = "$r = arith.addi $a, $b : $t",
                      .real = "$r = arith.addf $a, $b : $t",
                      .truth = "$r = arith.ori $a, $b : $t"},
    [STRIA_IR_sub] = {.whole = "$r = arith.subi $a, $b : $t", .real = "$r = arith.subf $a, $b : $t"},
    [STRIA_IR_mul] = {.whole = "$r = arith.muli $a, $b : $t",
                      .real = "$r = arith.mulf $a, $b : $t",
                      .truth = "$r = arith.andi $a, $b : $t"},
    [STRIA_IR_div] = {.whole = "$r = arith.divf $a, $b : $t"},
    [STRIA_IR_min] = {.whole = "$r = arith.minui $a, $b : $t",
                      .sign = "$r = arith.minsi $a, $b : $t",
                      .real = EXTREME("olt", "ori")},
    [STRIA_IR_max] = {.whole = "$r = arith.maxui $a, $b : $t",
                      .sign = "$r = arith.maxsi $a, $b : $t",
                      .real = EXTREME("ogt", "andi")},
    [STRIA_IR_copysign] = {.whole = "$r = math.copysign $a, $b : $t"},
    [STRIA_IR_and] = {.whole = "$r = arith.andi $a, $b : $t"},
    [STRIA_IR_or] = {.whole = "$r = arith.ori $a, $b : $t"},
    [STRIA_IR_xor] = {.whole = "$r = arith.xori $a, $b : $t"},
    [STRIA_IR_not] = {.whole = "$r_0 = arith.constant -1 : $t\n$r = arith.xori $a, $r_0 : $t",
                      .truth = "$r_0 = arith.constant 1 : $t\n$r = arith.xori $a, $r_0 : $t"},
    [STRIA_IR_shl] = {.whole = "$r_0 = arith.constant $n : $t\n$r = arith.shli $a, $r_0 : $t"},
    [STRIA_IR_shr] = {.whole = "$r_0 = arith.constant $n : $t\n$r = arith.shrui $a, $r_0 : $t",
                      .sign = "$r_0 = arith.constant $n : $t\n$r = arith.shrsi $a, $r_0 : $t"},
    [STRIA_IR_quot] = {.whole = "$r_0 = arith.constant 0 : $t\n"
                                "$r_1 = arith.constant 1 : $t\n"
                                "$r_2 = arith.cmpi eq, $b, $r_0 : $t\n"
                                "$r_3 = arith.select $r_2, $r_1, $b : $t\n"
                                "$r_4 = arith.divui $a, $r_3 : $t\n"
                                "$r = arith.select $r_2, $r_0, $r_4 : $t"},
    [STRIA_IR_shift_left] = SHIFTED("shli"),
    [STRIA_IR_shift_right] = SHIFTED("shrui"),
    [STRIA_IR_fmod] = {.whole = "$r = arith.remf $a, $b : $t"}, /* exact */
    [STRIA_IR_gcd] = {.whole = "$r = func.call @stria_word_gcd_$t($a, $b) : ($t, $t) -> $t"},
    [STRIA_IR_neg] = {.whole = "$r_0 = arith.constant 0 : $t\n$r = arith.subi $r_0, $a : $t",
                      .real = "$r = arith.negf $a : $t"},
    [STRIA_IR_abs] = {.whole = "",
                      .sign = "$r_0 = arith.constant 0 : $t\n"
                              "$r_1 = arith.subi $r_0, $a : $t\n"
                              "$r_2 = arith.cmpi slt, $a, $r_0 : $t\n"
                              "$r = arith.select $r_2, $r_1, $a : $t",
                      .real = "$r = math.absf $a : $t"},
    [STRIA_IR_sign] = {.whole = "$r_0 = arith.constant 1 : $t\n$r = arith.minui $a, $r_0 : $t",
                       .sign = "$r_0 = arith.constant 1 : $t\n"
                               "$r_1 = arith.constant -1 : $t\n"
                               "$r_2 = arith.minsi $a, $r_0 : $t\n"
                               "$r = arith.maxsi $r_2, $r_1 : $t",
                       .real = "$r_0 = arith.constant 0.0 : $t\n"
                               "$r_1 = arith.constant 1.0 : $t\n"
                               "$r_2 = arith.constant -1.0 : $t\n"
                               "$r_3 = arith.cmpf ogt, $a, $r_0 : $t\n"
                               "$r_4 = arith.cmpf olt, $a, $r_0 : $t\n"
                               "$r_5 = arith.select $r_4, $r_2, $a : $t\n"
                               "$r = arith.select $r_3, $r_1, $r_5 : $t",
                       .truth = ""},
    [STRIA_IR_sqrt] = {.whole = "$r = math.sqrt $a : $t"},
    [STRIA_IR_floor] = ROUNDED("floor"),
    [STRIA_IR_ceil] = ROUNDED("ceil"),
    [STRIA_IR_trunc] = ROUNDED("trunc"),
    [STRIA_IR_rint] = ROUNDED("roundeven"),
    [STRIA_IR_eq] = COMPARED("eq", "eq", "oeq"),
    [STRIA_IR_ne] = COMPARED("ne", "ne", "une"),
    [STRIA_IR_lt] = COMPARED("ult", "slt", "olt"),
    [STRIA_IR_le] = COMPARED("ule", "sle", "ole"),
    [STRIA_IR_isinf] = {.whole = "$r = arith.constant false",
                        .real = "$r_0 = math.absf $a : $t\n"
                                "$r_1 = arith.constant $x : $t\n"
                                "$r = arith.cmpf oeq, $r_0, $r_1 : $t"},
    [STRIA_IR_isfinite] = {.whole = "$r = arith.constant true",
                           .real = "$r_0 = math.absf $a : $t\n"
                                   "$r_1 = arith.constant $x : $t\n"
                                   "$r = arith.cmpf olt, $r_0, $r_1 : $t"},
    [STRIA_IR_mask_and] = {.whole = "$r = arith.andi $a, $b : i1"},
    [STRIA_IR_mask_or] = {.whole = "$r = arith.ori $a, $b : i1"},
    [STRIA_IR_mask_xor] = {.whole = "$r = arith.xori $a, $b : i1"},
    [STRIA_IR_mask_not] = {.whole = "$r_0 = arith.constant true\n$r = arith.xori $a, $r_0 : i1"},
    [STRIA_IR_select] = {.whole = "$r = arith.select $a, $b, $c : $t"},
    [STRIA_IR_bits] = {.whole = "$r = arith.bitcast $a : $t to $u"},
    [STRIA_IR_frombits] = {.whole = "$r = arith.bitcast $a : $u to $t"},
    /* what is out of range is some value, but one */
    [STRIA_IR_toint] = {.whole = "$r_0 = arith.fptosi $a : $t to $u\n$r = llvm.freeze $r_0 : $u"},
    [STRIA_IR_fromint] = {.whole = "$r = arith.sitofp $a : $u to $t"},
    [STRIA_IR_reinterpret] = {.whole = ""},
    [STRIA_IR_widen] = {.whole = "$r = arith.extf $a : f32 to f64"},
    [STRIA_IR_narrow] = {.whole = "$r = arith.truncf $a : f64 to f32"},
    [STRIA_IR_angle_quadrant] = CALLED_ANGLE,
    [STRIA_IR_angle_hi] = CALLED_ANGLE,
    [STRIA_IR_angle_lo] = CALLED_ANGLE,
};

static const char *get_template(const stria_ir_instruction *i)
{
    const word *w = &words[i->word];

    switch (stria_dtype_get_category((stria_dtype)i->dtype)) {
    case STRIA_CATEGORY_B: return w->truth != NULL ? w->truth : w->whole;
    case STRIA_CATEGORY_I: return w->sign != NULL ? w->sign : w->whole;
    case STRIA_CATEGORY_F: return w->real != NULL ? w->real : w->whole;
    default: return w->whole;
    }
}

/* ---------------------------------------------------------------- tapes */

#define MOST_INLINE 10 /* instructions, inputs among them, that are written where they are used */

/* The instruction whose value an instruction is: its operand, where it is nothing but that. */
static int find_value(const stria_ir_tape *tape, int n)
{
    const char *lines;

    while ((lines = get_template(&tape->code[n])) != NULL && lines[0] == 0) n = tape->code[n].operand[0];
    return n;
}

static bool is_angle(const stria_ir_instruction *i)
{
    return i->word == STRIA_IR_angle_quadrant || i->word == STRIA_IR_angle_hi || i->word == STRIA_IR_angle_lo;
}

/* The first instruction that asks for the same angle: a call has all three results. */
static int find_angle(const stria_ir_tape *tape, int n)
{
    int first = n;

    for (int k = n - 1; k >= 0 && k >= n - 16; k--)
        if (is_angle(&tape->code[k]) && tape->code[k].operand[0] == tape->code[n].operand[0]) first = k;
    return first;
}

static stria_mlir_name get_value(const stria_ir_tape *tape, const char *prefix, const stria_mlir_name *operands, int n)
{
    const int                   v = find_value(tape, n);
    const stria_ir_instruction *i = &tape->code[v];

    if (i->word == STRIA_IR_input) return operands[i->bits];
    if (!is_angle(i)) return stria_mlir_get_name("%s%d", prefix, v);
    return stria_mlir_get_name("%s%d#%d", prefix, find_angle(tape, v), i->word - STRIA_IR_angle_quadrant);
}

static void print_bits(stria_dtype dtype, uint64_t bits, char *text, size_t size)
{
    const int width = 8 * (int)stria_dtype_sizes[dtype];

    if (stria_dtype_get_category(dtype) == STRIA_CATEGORY_F)
        snprintf(text, size, "0x%0*" PRIX64, width / 4, bits);
    else
        snprintf(text, size, "%" PRId64, (int64_t)(bits << (64 - width)) >> (64 - width));
}

static void put_instruction(stria_mlir *m, int n, const char *prefix, const stria_mlir_name *operands, int indent)
{
    const stria_ir_tape        *tape = m->tape;
    const stria_ir_instruction *i = &tape->code[n];
    const stria_dtype           dtype = (stria_dtype)i->dtype;
    const int                   width = 8 * (int)stria_dtype_sizes[dtype];
    const char                 *lines = get_template(i);
    stria_mlir_name             names[3], result = stria_mlir_get_name("%s%d", prefix, n);
    char                        constant[32];

    if (lines == NULL || lines[0] == 0 || (is_angle(i) && find_angle(tape, n) != n)) return;
    stria_mlir_places places = {.result = result.at,
                                .type = stria_mlir_get_type(dtype),
                                .other = width == 64 ? "i64" : "i32",
                                .number = (int64_t)i->bits,
                                .width = width,
                                .constant = constant};
    for (int k = 0; k < stria_ir_word_get_arity((stria_ir_word)i->word); k++) {
        names[k] = get_value(tape, prefix, operands, i->operand[k]);
        places.operand[k] = names[k].at;
    }
    if (i->word == STRIA_IR_input_mask) places.operand[0] = operands[i->bits].at;
    if (i->word == STRIA_IR_set)
        print_bits(dtype, i->bits, constant, sizeof constant);
    else
        snprintf(constant, sizeof constant, "%s", width == 64 ? "0x7FF0000000000000" : "0x7F800000");
    if (is_angle(i)) m->is_needed[STRIA_MLIR_ANGLE] = true;
    if (i->word == STRIA_IR_gcd)
        m->is_needed[width == 8    ? STRIA_MLIR_GCD_I8
                     : width == 16 ? STRIA_MLIR_GCD_I16
                     : width == 32 ? STRIA_MLIR_GCD_I32
                                   : STRIA_MLIR_GCD_I64] = true;
    stria_mlir_put_template(&m->text, indent, lines, &places);
}

/* The tape of m, and the name of its result, lanes. */
static stria_mlir_name put_tape(stria_mlir *m, const char *prefix, const stria_mlir_name *operands, int indent)
{
    const int       last = m->tape->count - 1;
    stria_mlir_name result = get_value(m->tape, prefix, operands, last);

    for (int n = 0; n <= last; n++) put_instruction(m, n, prefix, operands, indent);
    if (!stria_ir_instruction_is_mask(m->tape, last)) return result;
    const stria_mlir_name lanes = stria_mlir_get_name("%sr", prefix);
    stria_mlir_put(&m->text, "%*s%s = arith.extui %s : i1 to i8\n", indent, "", lanes.at, result.at);
    return lanes;
}

enum stria_mlir_form stria_mlir_find_row(stria_mlir *m, stria_op op, stria_dtype compute)
{
    uint8_t *form = &m->rows[op][compute];

    if (*form != STRIA_MLIR_UNKNOWN) return (enum stria_mlir_form) * form;
    if (!stria_ir_record(op, compute, m->tape))
        *form = STRIA_MLIR_NO_TAPE;
    else
        *form = m->tape->count <= MOST_INLINE ? STRIA_MLIR_INLINE : STRIA_MLIR_CALLED;
    return (enum stria_mlir_form) * form;
}

static bool is_mask_row(stria_op op) { return stria_op_infos[op].result == STRIA_RESULT_SELECT; }

static const char *get_operand_type(stria_op op, stria_dtype compute, int k)
{
    return stria_mlir_get_type(is_mask_row(op) && k == 0 ? STRIA_BOOL : compute);
}

static const char *get_result_type(stria_op op, stria_dtype compute)
{
    return stria_mlir_get_type(stria_op_infos[op].result == STRIA_RESULT_BOOL ? STRIA_BOOL : compute);
}

static void put_names(stria_mlir *m, stria_op op, const stria_mlir_name *operands)
{
    for (int k = 0; k < stria_op_infos[op].arity; k++)
        stria_mlir_put(&m->text, "%s%s", k > 0 ? ", " : "", operands[k].at);
}

bool stria_mlir_is_quick_row(stria_mlir *m, stria_op op, stria_dtype compute)
{
    return stria_ir_record_quick(op, compute, m->tape);
}

/* The quick form, and what it says of the element. */
static stria_mlir_name put_quick_row(stria_mlir *m, stria_op op, stria_dtype compute, const stria_mlir_name *operands,
                                     int indent)
{
    const stria_mlir_name both = stria_mlir_get_name("%%v%d", m->n_values++);
    const stria_mlir_name far = stria_mlir_get_name("%%v%d", m->n_values++);
    const char           *type = stria_mlir_get_type(compute);

    m->quick[op][compute] = true;
    stria_mlir_put(&m->text, "%*s%s:2 = func.call @stria_%s_%s_quick(", indent, "", both.at, stria_op_infos[op].name,
                   stria_dtype_get_name(compute));
    put_names(m, op, operands);
    stria_mlir_put(&m->text, ") : (%s) -> (%s, i1)\n%*s%s = arith.ori %s, %s#1 : i1\n", type, type, indent, "", far.at,
                   m->far.at, both.at);
    m->far = far;
    return stria_mlir_get_name("%s#0", both.at);
}

stria_mlir_name stria_mlir_put_row(stria_mlir *m, stria_op op, stria_dtype compute, const stria_mlir_name *operands,
                                   int indent)
{
    const int   arity = stria_op_infos[op].arity;
    const char *comma = "";

    if (m->is_quick && stria_mlir_is_quick_row(m, op, compute)) return put_quick_row(m, op, compute, operands, indent);
    if (stria_mlir_find_row(m, op, compute) == STRIA_MLIR_INLINE) {
        const stria_mlir_name prefix = stria_mlir_get_name("%%v%d.", m->n_values++);
        stria_ir_record(op, compute, m->tape);
        return put_tape(m, prefix.at, operands, indent);
    }
    const stria_mlir_name result = stria_mlir_get_name("%%v%d", m->n_values++);
    stria_mlir_put(&m->text, "%*s%s = func.call @stria_%s_%s(", indent, "", result.at, stria_op_infos[op].name,
                   stria_dtype_get_name(compute));
    put_names(m, op, operands);
    stria_mlir_put(&m->text, ") : (");
    for (int k = 0; k < arity; k++, comma = ", ")
        stria_mlir_put(&m->text, "%s%s", comma, get_operand_type(op, compute, k));
    stria_mlir_put(&m->text, ") -> %s\n", get_result_type(op, compute));
    return result;
}

/* A row of one input: its value, and whether that is not to be used. */
static void put_quick_function(stria_mlir *m, stria_op op, stria_dtype compute)
{
    const stria_mlir_name x = stria_mlir_get_name("%%x0");
    const char           *type = stria_mlir_get_type(compute);

    stria_mlir_put(&m->text,
                   "  func.func private @stria_%s_%s_quick(%%x0: %s) -> (%s, i1) attributes {llvm.linkage = "
                   "#llvm.linkage<internal>, passthrough = [\"alwaysinline\"]} {\n",
                   stria_op_infos[op].name, stria_dtype_get_name(compute), type, type);
    stria_ir_record_far(op, compute, m->tape);
    put_tape(m, "%f", &x, 4);
    const stria_mlir_name far = get_value(m->tape, "%f", &x, m->tape->count - 1);
    stria_ir_record_quick(op, compute, m->tape);
    const stria_mlir_name value = put_tape(m, "%w", &x, 4);
    stria_mlir_put(&m->text, "    return %s, %s : %s, i1\n  }\n", value.at, far.at, type);
}

static void put_row_function(stria_mlir *m, stria_op op, stria_dtype compute)
{
    stria_mlir_name operands[STRIA_MAX_INPUTS];
    const char     *type = get_result_type(op, compute), *comma = "";

    stria_ir_record(op, compute, m->tape);
    stria_mlir_put(&m->text, "  func.func private @stria_%s_%s(", stria_op_infos[op].name,
                   stria_dtype_get_name(compute));
    for (int k = 0; k < stria_op_infos[op].arity; k++, comma = ", ") {
        operands[k] = stria_mlir_get_name("%%x%d", k);
        stria_mlir_put(&m->text, "%s%s: %s", comma, operands[k].at, get_operand_type(op, compute, k));
    }
    stria_mlir_put(&m->text,
                   ") -> %s attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = [\"alwaysinline\"]} {\n",
                   type);
    const stria_mlir_name result = put_tape(m, "%w", operands, 4);
    stria_mlir_put(&m->text, "    return %s : %s\n  }\n", result.at, type);
}

void stria_mlir_put_rows(stria_mlir *m)
{
    for (int op = 0; op < STRIA_OP_COUNT; op++)
        for (int d = 0; d < STRIA_DTYPE_COUNT; d++) {
            if (m->rows[op][d] == STRIA_MLIR_CALLED) put_row_function(m, (stria_op)op, (stria_dtype)d);
            if (m->quick[op][d]) put_quick_function(m, (stria_op)op, (stria_dtype)d);
        }
}
