/* group_text.c - a lowered expression as CUDA C (group_text.h): each op as its words (src/simd/ir.h), by the names that these have in
 * src/simd/vec_scalar.h; each conversion by those of src/simd/cast_lanes.h. src/cuda/group.cuh is what the text stands on. */
#include "cuda/group_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "ir.h"
#include "table/rows.h"

#define MOST_BYTES ((size_t)1 << 20)

/* A value by its name. */
typedef struct name {
    char at[40];
} name;

typedef struct printer {
    const stria_lowering *l;
    char                 *text;
    size_t                n, room, before;
    bool                  has_failed;
    name                 *operands; /* [n_operands]: in the dtype of their lanes, once they are known */
    name                 *slots;    /* [n_slots] */
    stria_ir_tape        *tape;
} printer;

/* ---------------------------------------------------------------- text */

static bool grow(printer *p, size_t least)
{
    const size_t room = least < 2 * p->room ? 2 * p->room : least;
    char        *more = room <= MOST_BYTES ? stria_object_new(p->before + room) : NULL;

    if (more == NULL) return false;
    if (p->text != NULL) memcpy(more, p->text, p->before + p->n);
    stria_object_release(p->text);
    p->text = more;
    p->room = room;
    return true;
}

__attribute__((format(printf, 2, 3))) static void put(printer *p, const char *format, ...)
{
    char    line[256];
    va_list arguments;

    va_start(arguments, format);
    const int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    p->has_failed = p->has_failed || n < 0 || (size_t)n >= sizeof line ||
                    (p->n + (size_t)n + 1 > p->room && !grow(p, p->n + (size_t)n + 1));
    if (p->has_failed) return;
    memcpy(p->text + p->before + p->n, line, (size_t)n + 1);
    p->n += (size_t)n;
}

__attribute__((format(printf, 1, 2))) static name get_name(const char *format, ...)
{
    name    x;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(x.at, sizeof x.at, format, arguments);
    va_end(arguments);
    return x;
}

/* Of cast_lanes.h. */
static const char *get_element(stria_dtype dtype)
{
    static const char *const names[STRIA_DTYPE_COUNT] = {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) [STRIA_##ENUM] = #ENUM,
#include "table/dtypes.def"
    };
    return names[dtype];
}

/* Of vec_scalar.h. */
static const char *get_lane(stria_dtype dtype) { return dtype == STRIA_BOOL ? "b8" : stria_dtype_get_name(dtype); }

static name get_constant(stria_dtype dtype, uint64_t bits)
{
    if (dtype == STRIA_F32) return get_name("vec_frombits_f32(0x%08" PRIx64 "u)", bits);
    if (dtype == STRIA_F64) return get_name("vec_frombits_f64(0x%016" PRIx64 "ull)", bits);
    return get_name("(vec_%s)0x%" PRIx64 "ull", get_lane(dtype), bits);
}

/* ---------------------------------------------------------------- words */

static void put_word(printer *p, const stria_ir_instruction *i, name result, const name *in)
{
    const stria_ir_word word = (stria_ir_word)i->word;
    const char         *lane = get_lane((stria_dtype)i->dtype), *type = lane;
    char                gives[16];

    if (word == STRIA_IR_widen) type = "f64";
    if (word == STRIA_IR_narrow) type = "f32";
    if (word == STRIA_IR_bits) type = i->dtype == STRIA_F32 ? "u32" : "u64";
    if (word == STRIA_IR_toint) type = i->dtype == STRIA_F32 ? "i32" : "i64";
    snprintf(gives, sizeof gives, stria_ir_word_is_mask(word) ? "uint8_t" : "vec_%s", type);
    put(p, "    const %s %s = ", gives, result.at);
    switch (word) {
    case STRIA_IR_input_mask: put(p, "%s != 0;\n", in[0].at); return;
    case STRIA_IR_set: put(p, "%s;\n", get_constant((stria_dtype)i->dtype, i->bits).at); return;
    case STRIA_IR_reinterpret: put(p, "(vec_%s)%s;\n", lane, in[0].at); return;
    case STRIA_IR_narrow: put(p, "vec_narrow_w64(%s);\n", in[0].at); return;
    case STRIA_IR_shl:
    case STRIA_IR_shr:
        put(p, "vec_%s_%s(%s, %d);\n", stria_ir_word_get_name(word), lane, in[0].at, (int)i->bits);
        return;
    default: break;
    }
    put(p, "vec_%s_%s(", stria_ir_word_get_name(word), lane);
    for (int k = 0; k < stria_ir_word_get_arity(word); k++) put(p, "%s%s", k > 0 ? ", " : "", in[k].at);
    put(p, ");\n");
}

static name get_value(const printer *p, int step, const name *inputs, int number)
{
    const stria_ir_instruction *i = &p->tape->code[number];

    return i->word == STRIA_IR_input ? inputs[i->bits] : get_name("s%d_%d", step, number);
}

/* An op: its tape, of these inputs. */
static name put_op(printer *p, int step, const stria_step *s, const name *inputs)
{
    if (!stria_ir_record(s->op, s->compute, p->tape)) {
        p->has_failed = true;
        return inputs[0];
    }
    for (int n = 0; n < p->tape->count; n++) {
        const stria_ir_instruction *i = &p->tape->code[n];
        name                        in[3] = {inputs[0], inputs[0], inputs[0]};
        if (i->word == STRIA_IR_input) continue;
        for (int k = 0; k < stria_ir_word_get_arity((stria_ir_word)i->word); k++)
            in[k] = get_value(p, step, inputs, i->operand[k]);
        if (i->word == STRIA_IR_input_mask) in[0] = inputs[i->bits];
        put_word(p, i, get_name("s%d_%d", step, n), in);
    }
    return get_value(p, step, inputs, p->tape->count - 1);
}

/* ---------------------------------------------------------------- steps */

static name get_input(const printer *p, const stria_step *s, int k)
{
    const bool is_mask = s->loop != NULL && k == 0 && stria_op_infos[s->op].result == STRIA_RESULT_SELECT;
    uint64_t   bits = 0;

    if (s->in[k].kind == STRIA_PLACE_OPERAND) return p->operands[s->in[k].index];
    if (s->in[k].kind == STRIA_PLACE_SLOT) return p->slots[s->in[k].index];
    const stria_dtype dtype = is_mask ? STRIA_BOOL : s->compute;
    memcpy(&bits, s->constant[s->in[k].index], (size_t)stria_dtype_sizes[dtype]);
    return get_constant(dtype, bits);
}

static void put_step(printer *p, int i)
{
    const stria_step *s = &p->l->steps[i];
    name              in[STRIA_MAX_INPUTS], out = get_name("s%d", i);

    for (int k = 0; k < s->n_in; k++) in[k] = get_input(p, s, k);
    if (s->cast != NULL) {
        put(p, "    const element_%s %s = as_%s::from(load_%s(%s));\n", get_element(s->dtype), out.at,
            get_element(s->dtype), get_element(s->compute), in[0].at);
    } else {
        put(p, "    // %s\n", stria_op_infos[s->op].name);
        out = put_op(p, i, s, in);
    }
    *(s->out.kind == STRIA_PLACE_SLOT ? &p->slots[s->out.index] : &p->operands[s->out.index]) = out;
}

static void put_load(printer *p, int k, stria_dtype memory, bool is_value)
{
    const stria_dtype lane = p->l->operands[k].lane;
    const char       *from = get_element(is_value ? lane : memory);

    p->operands[k] = get_name("x%d", k);
    put(p, "    const element_%s x%d = as_%s::from(load_%s(*(const element_%s *)", get_element(lane), k,
        get_element(lane), from, from);
    put(p, is_value ? "&value[%d]));\n" : "at[%d]));\n", k);
}

static void put_all(printer *p, const stria_dtype *memory, uint32_t values)
{
    const stria_lowering *l = p->l;

    put(p, "#include \"group.cuh\"\n\n");
    put(p, "static __device__ __forceinline__ void group_element(char *const *at, const uint64_t *value)\n{\n");
    for (int k = l->n_out; k < l->n_operands; k++) put_load(p, k, memory[k], values >> k & 1u);
    for (int i = 0; i < l->n_steps && !p->has_failed; i++) put_step(p, i);
    for (int k = 0; k < l->n_out; k++)
        put(p, "    *(element_%s *)at[%d] = as_%s::from(load_%s(%s));\n", get_element(memory[k]), k,
            get_element(memory[k]), get_element(l->operands[k].lane), p->operands[k].at);
    put(p, "}\n\nextern \"C\" __global__ void stria_group(stria_cuda_group_params call)\n{\n");
    put(p, "    run_group<%d", l->n_out);
    for (int k = 0; k < l->n_operands; k++) put(p, ", element_%s", get_element(memory[k]));
    put(p, ">(call, blockIdx.x, threadIdx.x);\n}\n");
}

char *stria_cuda_group_print(const stria_lowering *l, const stria_dtype *memory, uint32_t values, size_t before)
{
    const size_t n_names = (size_t)l->n_operands + (size_t)l->n_slots;
    printer      p = {.l = l, .before = before};

    p.tape = stria_object_new(sizeof *p.tape);
    p.operands = stria_object_new((n_names + 1) * sizeof *p.operands);
    p.has_failed = p.tape == NULL || p.operands == NULL || !grow(&p, 4096);
    if (!p.has_failed) {
        p.slots = p.operands + l->n_operands;
        put_all(&p, memory, values);
    }
    stria_object_release(p.tape);
    stria_object_release(p.operands);
    if (!p.has_failed) return p.text;
    stria_object_release(p.text);
    return NULL;
}
