/* expression.c - several element-wise ops in one pass over memory: a blocked interpreter of a short program.
 *
 * Checking    Each op of the program is checked by its meta, as if the ops ran one after another.
 * Lowering    An op becomes a step: a loop of the kernel table. A conversion is a step too; it stands before an op that takes
 *             another dtype than the value has. Consecutive steps of one float dtype become a chain, where the ISA has
 *             chains (stria_chain_kernels).
 * Running     The buffered iterator hands out blocks. A chain passes its values on in registers. The other steps run over
 *             SUB_BLOCK elements at a time, so that intermediate values stay in the first-level cache.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cpu/exec.h"
#include "call/meta.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "cpu/nontemporal.h"

#define NAME "expression"
#define SUB_BLOCK 512
#define MAX_VALUES (STRIA_EXPRESSION_MAX_INPUTS + STRIA_EXPRESSION_MAX_CONSTANTS + STRIA_EXPRESSION_MAX_CODE)
/* Each instruction and each of its operands may need a conversion. */
#define MAX_STEPS (5 * STRIA_EXPRESSION_MAX_CODE)
#define MAX_SLOTS 16
/* Of a step no more than load, the op and store, and one `end` for two of them. */
#define MAX_LINKS (4 * STRIA_EXPRESSION_MAX_CODE)

/* Where a step finds or leaves elements. */
typedef enum place_kind { PLACE_OPERAND, PLACE_CONSTANT, PLACE_SLOT } place_kind;
typedef struct place {
    place_kind kind;
    int        index; /* of the operand; of the constant; of the step that defines it, later of its slot */
    int64_t    size;  /* in a slot: bytes of an element */
} place;

typedef struct step {
    stria_loop      *loop; /* or */
    stria_cast_loop *cast;
    stria_op         op; /* of the loop */
    int              n_in;
    place            in[STRIA_MAX_INPUTS], out;
    stria_dtype      dtype;                         /* of the result */
    _Alignas(8) char constant[STRIA_MAX_INPUTS][8]; /* inputs that are constants, in the dtype of the loop */
} step;

/* A word of a chain before it is known where its data is: what runs on elements, and on a single one. */
typedef struct link {
    stria_chain_code *run, *run_one;
    int               step; /* data: input number `input` of this step, or its result if -1; of no step if -1 */
    int               input;
} link;

/* Steps that run together. */
typedef struct part {
    const stria_chain_kernels *chain; /* NULL: step by step */
    int                        first_step, n_steps, first_link, n_links;
} part;

typedef struct program {
    const stria_expression    *code;
    const stria_kernels       *kernels;
    const stria_tensor *const *in;
    stria_tensor              *value[MAX_VALUES]; /* inputs, constants, results without memory */
    stria_meta                 meta[STRIA_EXPRESSION_MAX_CODE];
    bool                       needed[MAX_VALUES];
    int                        operand[STRIA_EXPRESSION_MAX_INPUTS];  /* of the iterator, by input; 0: not needed */
    stria_dtype                lane[STRIA_EXPRESSION_MAX_INPUTS + 1]; /* of each operand */
    place                      found[MAX_VALUES];
    int                        n_operands, n_steps, n_parts, n_links;
    uintptr_t                  large, large_end; /* memory of a result that is stored past the caches; both 0: none */
    step                       steps[MAX_STEPS];
    part                       parts[MAX_STEPS];
    link                       links[MAX_LINKS];
} program;

static int first_instruction(const program *p) { return p->code->n_in + p->code->n_constants; }
static int last_value(const program *p) { return first_instruction(p) + p->code->n_code - 1; }

/* ---------------------------------------------------------------- checks and types */

static stria_status refuse(stria_error *err, const char *argument, const char *expected, const char *text)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, NAME, argument, expected, NULL, "%s", text);
}

static stria_status check_code(const stria_expression *e, const stria_tensor *const *in, stria_error *err)
{
    if (e == NULL || e->n_in < 1 || e->n_in > STRIA_EXPRESSION_MAX_INPUTS)
        return refuse(err, "n_in", "1 to 7 inputs", "an expression has 1 to 7 inputs");
    if (e->n_constants < 0 || e->n_constants > STRIA_EXPRESSION_MAX_CONSTANTS)
        return refuse(err, "n_constants", "0 to 32", "an expression has 0 to 32 constants");
    if (e->n_code < 1 || e->n_code > STRIA_EXPRESSION_MAX_CODE)
        return refuse(err, "n_code", "1 to 64", "an expression has 1 to 64 instructions");
    for (int k = 0; k < e->n_in; k++)
        if (in == NULL || in[k] == NULL) return refuse(err, "in", "a tensor", "an input is NULL");
    if (e->constants == NULL && e->n_constants > 0)
        return refuse(err, "constants", "an array", "the constants of the expression are NULL");
    if (e->code == NULL) return refuse(err, "code", "an array", "the code of the expression is NULL");
    for (int i = 0; i < e->n_code; i++) {
        const stria_instruction *instruction = &e->code[i];
        if ((int)instruction->op < 0 || instruction->op >= STRIA_OP_COUNT)
            return refuse(err, "code", "a stria_op", "an instruction has no such op");
        for (int k = 0; k < stria_op_infos[instruction->op].arity; k++)
            if (instruction->in[k] < 0 || instruction->in[k] >= e->n_in + e->n_constants + i)
                return refuse(err, "code", "an input, a constant or an earlier instruction",
                              "an instruction refers to a value that does not exist before it");
    }
    return STRIA_OK;
}

static void get_inputs(const program *p, int i, const stria_tensor **in)
{
    const stria_instruction *instruction = &p->code->code[i];
    for (int k = 0; k < stria_op_infos[instruction->op].arity; k++) in[k] = p->value[instruction->in[k]];
}

/* The meta of every instruction, its result as a tensor without memory. */
static stria_status infer(program *p, const stria_tensor *out, stria_error *err)
{
    const stria_expression *e = p->code;

    for (int c = 0; c < e->n_constants; c++)
        STRIA_TRY(stria_tensor_new_scalar(e->constants[c], &p->value[e->n_in + c], err));
    for (int i = 0; i < e->n_code; i++) {
        const stria_tensor *in[STRIA_MAX_INPUTS];
        stria_meta         *meta = &p->meta[i];
        const bool          is_last = i == e->n_code - 1;
        get_inputs(p, i, in);
        STRIA_TRY(
            stria_meta_infer(e->code[i].op, in, stria_op_infos[e->code[i].op].arity, is_last ? out : NULL, meta, err));
        stria_tensor *result = stria_tensor_new_handle(meta->result, meta->device, meta->ndim);
        if (result == NULL) return stria_error_set(err, STRIA_ERR_MEMORY, NAME, NULL, NULL, NULL, "no memory");
        for (int d = 0; d < meta->ndim; d++) {
            result->shape[d] = meta->shape[d];
            result->strides[d] = 0;
        }
        p->value[first_instruction(p) + i] = result;
    }
    return STRIA_OK;
}

/* What the last instruction depends on. */
static void mark_needed(program *p)
{
    const int first = first_instruction(p);

    memset(p->needed, 0, sizeof p->needed);
    p->needed[last_value(p)] = true;
    for (int i = p->code->n_code - 1; i >= 0; i--) {
        const stria_instruction *instruction = &p->code->code[i];
        if (!p->needed[first + i]) continue;
        for (int k = 0; k < stria_op_infos[instruction->op].arity; k++) p->needed[instruction->in[k]] = true;
    }
}

/* ---------------------------------------------------------------- lowering */

/* The dtype that every use of an input takes it in, so that the iterator may convert it; its own if they differ. */
static stria_dtype choose_lane(const program *p, int input)
{
    stria_dtype lane = STRIA_DTYPE_NONE;

    for (int i = 0; i < p->code->n_code; i++) {
        const stria_instruction *instruction = &p->code->code[i];
        if (!p->needed[first_instruction(p) + i]) continue;
        for (int k = 0; k < stria_op_infos[instruction->op].arity; k++) {
            if (instruction->in[k] != input) continue;
            if (lane != STRIA_DTYPE_NONE && lane != p->meta[i].input[k]) return p->in[input]->dtype;
            lane = p->meta[i].input[k];
        }
    }
    return lane;
}

static void choose_operands(program *p)
{
    p->n_operands = 1;
    p->lane[0] = p->meta[p->code->n_code - 1].loop_out;
    for (int k = 0; k < p->code->n_in; k++) {
        p->operand[k] = 0;
        if (!p->needed[k]) continue;
        p->found[k] = (place){PLACE_OPERAND, p->n_operands, 0};
        p->lane[p->n_operands] = choose_lane(p, k);
        p->operand[k] = p->n_operands++;
    }
}

static place convert(program *p, place from, stria_dtype has, stria_dtype wanted)
{
    step *s;

    for (int i = 0; i < p->n_steps; i++) { /* converted before? */
        s = &p->steps[i];
        if (s->cast != NULL && s->dtype == wanted && s->in[0].kind == from.kind && s->in[0].index == from.index)
            return (place){PLACE_SLOT, i, 0};
    }
    s = &p->steps[p->n_steps];
    *s = (step){.cast = p->kernels->cast[has][wanted], .n_in = 1, .in = {from}, .dtype = wanted};
    return (place){PLACE_SLOT, p->n_steps++, 0};
}

static stria_dtype get_dtype(const program *p, place at)
{
    return at.kind == PLACE_OPERAND ? p->lane[at.index] : p->steps[at.index].dtype;
}

static void lower_instruction(program *p, int i)
{
    const stria_instruction *instruction = &p->code->code[i];
    const stria_meta        *meta = &p->meta[i];
    const int                arity = stria_op_infos[instruction->op].arity;
    step s = {.loop = p->kernels->lane[meta->compute]->loop[instruction->op], .op = instruction->op, .n_in = arity};

    for (int k = 0; k < arity; k++) {
        const int           v = instruction->in[k];
        const stria_tensor *x = p->value[v];
        if (v >= p->code->n_in && v < first_instruction(p)) {
            p->kernels->cast[x->dtype][meta->input[k]](s.constant[k], 0, x->data, 0, 1);
            s.in[k] = (place){PLACE_CONSTANT, k, 0};
            continue;
        }
        s.in[k] = p->found[v];
        if (get_dtype(p, s.in[k]) != meta->input[k])
            s.in[k] = convert(p, s.in[k], get_dtype(p, s.in[k]), meta->input[k]);
    }
    s.dtype = meta->loop_out;
    p->steps[p->n_steps] = s;
    p->found[first_instruction(p) + i] = (place){PLACE_SLOT, p->n_steps++, 0};
    /* f16 and bf16 are rounded after every op, as they are when each runs alone; the last one on its way to memory */
    if (meta->result != meta->loop_out && i < p->code->n_code - 1)
        p->found[first_instruction(p) + i] =
            convert(p, p->found[first_instruction(p) + i], meta->loop_out, meta->result);
}

/* ---------------------------------------------------------------- chains */

/* The words for a step; NULL: it is none for a chain. Its inputs and its result are of one dtype then. */
static stria_chain_code *const *get_words(const program *p, int i, const stria_chain_kernels **chain)
{
    const step *s = &p->steps[i];

    *chain = s->loop != NULL ? p->kernels->lane[s->dtype]->chain : NULL;
    return *chain != NULL && (*chain)->op[s->op][0] != NULL ? (*chain)->op[s->op] : NULL;
}

static bool is_result_of(place at, int step) { return at.kind == PLACE_SLOT && at.index == step; }

/* Whether a chain has to put the result of step i into memory: unless the next step of the chain takes it, once, and no
 * other does. */
static bool is_stored(const program *p, const part *chain, int i)
{
    int here = 0, elsewhere = i == p->n_steps - 1;

    for (int j = i + 1; j < p->n_steps; j++) {
        for (int k = 0; k < p->steps[j].n_in; k++) {
            if (!is_result_of(p->steps[j].in[k], i)) continue;
            *(j == i + 1 && j < chain->first_step + chain->n_steps ? &here : &elsewhere) += 1;
        }
    }
    return elsewhere > 0 || here != 1;
}

static void add_link(program *p, stria_chain_code *run, stria_chain_code *run_one, int step, int input)
{
    p->links[p->n_links++] = (link){run, run_one, step, input};
}

/* The words of step i; the accumulator holds the result of the step before, if that is in the chain too. */
static void link_step(program *p, const part *chain, int i)
{
    const stria_chain_kernels *kernels;
    stria_chain_code *const   *op = get_words(p, i, &kernels);
    const step                *s = &p->steps[i];
    const bool                 has_left = i > chain->first_step && is_result_of(s->in[0], i - 1);
    const bool                 has_right = i > chain->first_step && s->n_in == 2 && is_result_of(s->in[1], i - 1);

    if (has_right && !has_left) {
        add_link(p, op[STRIA_CHAIN_RIGHT], op[STRIA_CHAIN_RIGHT_ONE], i, 0);
    } else {
        if (!has_left) add_link(p, kernels->load, kernels->load_one, i, 0);
        if (s->n_in == 1)
            add_link(p, op[0], op[0], -1, -1);
        else
            add_link(p, op[STRIA_CHAIN_LEFT], op[STRIA_CHAIN_LEFT_ONE], i, 1);
    }
    if (is_stored(p, chain, i)) add_link(p, kernels->store, NULL, i, -1);
}

/* Divides the steps into chains and the others. */
static void divide(program *p)
{
    p->n_parts = p->n_links = 0;
    for (int i = 0; i < p->n_steps;) {
        part                       next = {NULL, i, 1, p->n_links, 0};
        const stria_chain_kernels *other;
        if (get_words(p, i, &next.chain) == NULL) next.chain = NULL;
        while (next.chain != NULL && i + next.n_steps < p->n_steps && get_words(p, i + next.n_steps, &other) != NULL &&
               other == next.chain)
            next.n_steps++;
        if (next.n_steps == 1) next.chain = NULL; /* its loop does it */
        if (next.chain != NULL) {
            for (int k = 0; k < next.n_steps; k++) link_step(p, &next, i + k);
            add_link(p, next.chain->end, NULL, -1, -1);
        }
        next.n_links = p->n_links - next.first_link;
        p->parts[p->n_parts++] = next;
        i += next.n_steps;
    }
}

/* ---------------------------------------------------------------- slots */

/* Slots for the results of steps, each free again after its last use. False: more values at once than slots. */
static bool assign_slots(program *p)
{
    int  last_use[MAX_STEPS], slot_of[MAX_STEPS];
    bool taken[MAX_SLOTS] = {false};

    for (int i = 0; i < p->n_steps; i++) {
        last_use[i] = i;
        for (int k = 0; k < p->steps[i].n_in; k++)
            if (p->steps[i].in[k].kind == PLACE_SLOT) last_use[p->steps[i].in[k].index] = i;
    }
    for (int i = 0; i < p->n_steps - 1; i++) {
        step *s = &p->steps[i];
        int   slot = 0;
        while (slot < MAX_SLOTS && taken[slot]) slot++;
        if (slot == MAX_SLOTS) return false;
        taken[slot] = true;
        slot_of[i] = slot;
        for (int k = 0; k < s->n_in; k++)
            if (s->in[k].kind == PLACE_SLOT && last_use[s->in[k].index] == i) taken[slot_of[s->in[k].index]] = false;
        s->out = (place){PLACE_SLOT, slot, (int64_t)stria_dtype_get_size(s->dtype)};
    }
    p->steps[p->n_steps - 1].out = (place){PLACE_OPERAND, 0, 0};
    for (int i = 0; i < p->n_steps; i++)
        for (int k = 0; k < p->steps[i].n_in; k++)
            if (p->steps[i].in[k].kind == PLACE_SLOT) p->steps[i].in[k] = p->steps[p->steps[i].in[k].index].out;
    return true;
}

static stria_status lower(program *p, stria_error *err)
{
    choose_operands(p);
    p->n_steps = 0;
    for (int i = 0; i < p->code->n_code; i++)
        if (p->needed[first_instruction(p) + i]) lower_instruction(p, i);
    divide(p);
    if (assign_slots(p)) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, NAME, "code", NULL, NULL,
                           "more than %d values are needed at once; split the expression", MAX_SLOTS);
}

/* ---------------------------------------------------------------- running */

/* Of one intermediate value; the cache line keeps slots from lying a multiple of 4096 bytes apart. */
typedef char slot_memory[SUB_BLOCK * 8 + 64];
_Static_assert(sizeof(slot_memory) >= STRIA_CHAIN_BYTES, "a slot holds a group of a chain");
_Static_assert(STRIA_EXEC_SCRATCH_BYTES + MAX_SLOTS * sizeof(slot_memory) <= STRIA_SCRATCH_BYTES,
               "a thread has room for blocks of operands and the slots of an expression");

/* Where the data of a step's input, or of its result, is for one block, and how far its next element. */
static char *find(const step *s, place where, char *const *data, const int64_t *strides, slot_memory *slots,
                  int64_t *stride)
{
    switch (where.kind) {
    case PLACE_OPERAND: *stride = strides[where.index]; return data[where.index];
    case PLACE_CONSTANT: *stride = 0; return (char *)s->constant[where.index]; /* only read */
    default: *stride = where.size; return slots[where.index];
    }
}

/* Elements begin .. begin + count - 1 of a block by the loop of one step. */
static void run_step(const step *s, char *const *data, const int64_t *strides, slot_memory *slots, int64_t begin,
                     int64_t count)
{
    char   *at[1 + STRIA_MAX_INPUTS];
    int64_t stride[1 + STRIA_MAX_INPUTS];

    for (int k = 0; k <= s->n_in; k++) {
        at[k] = find(s, k == 0 ? s->out : s->in[k - 1], data, strides, slots, &stride[k]);
        at[k] += begin * stride[k];
    }
    if (s->cast != NULL)
        s->cast(at[0], stride[0], at[1], stride[1], count);
    else
        s->loop(at, stride, count);
}

/* Whether a link of a chain stores past the caches: only into a large result itself, never into a buffer. */
static bool is_nontemporal(const program *p, const part *chain, const link *l, const char *data)
{
    const uintptr_t at = (uintptr_t)data;

    return at >= p->large && at < p->large_end && chain->chain->store_nontemporal != NULL &&
           l->run == chain->chain->store && at % (uintptr_t)p->kernels->vector_bytes == 0;
}

/* A result that the caches could not hold, and that shares no memory with an input (nontemporal.h). */
static void find_large(program *p, const stria_iter *iter, const stria_tensor *given)
{
    const int64_t nbytes = stria_iter_get_numel(iter) * (int64_t)stria_dtype_get_size(stria_iter_get_dtype(iter, 0));

    p->large = p->large_end = 0;
    if (nbytes < STRIA_NONTEMPORAL_BYTES || (given != NULL && !stria_tensor_get_contiguous(given))) return;
    for (int k = 0; given != NULL && k < p->code->n_in; k++)
        if (stria_tensor_get_aliased(given, p->in[k])) return;
    p->large = (uintptr_t)stria_iter_get_data(iter, 0);
    p->large_end = p->large + (uintptr_t)nbytes;
}

/* As many elements of a block as a chain does. `moving`: whether results in slots are those of the whole block. */
static int64_t run_chain(const program *p, const part *chain, char *const *data, const int64_t *strides,
                         slot_memory *slots, bool moving, int64_t count)
{
    stria_chain_word words[MAX_LINKS];
    bool             needs_fence = false;
    int              n = 0;

    do { /* there is one at least */
        const link *l = &p->links[chain->first_link + n];
        int64_t     stride = 0;
        words[n] = (stria_chain_word){l->run, NULL, 0};
        if (l->step < 0) continue;
        const step *s = &p->steps[l->step];
        const place where = l->input < 0 ? s->out : s->in[l->input];
        words[n].data = find(s, where, data, strides, slots, &stride);
        if (stride == 0) words[n].run = l->run_one;
        if (stride != 0 && (moving || where.kind != PLACE_SLOT)) words[n].moving = -1;
        if (is_nontemporal(p, chain, l, words[n].data)) {
            words[n].run = chain->chain->store_nontemporal;
            needs_fence = true;
        }
    } while (++n < chain->n_links);
    const int64_t done = chain->chain->run(words, count);
    if (needs_fence) chain->chain->fence();
    return done;
}

/* A program of several parts, SUB_BLOCK elements or fewer. */
static void run_parts(const program *p, char *const *data, const int64_t *strides, slot_memory *slots, int64_t count)
{
    for (int i = 0; i < p->n_parts; i++) {
        const part   *part = &p->parts[i];
        const int64_t done = part->chain != NULL ? run_chain(p, part, data, strides, slots, true, count) : 0;
        for (int k = 0; k < part->n_steps && done < count; k++)
            run_step(&p->steps[part->first_step + k], data, strides, slots, done, count - done);
    }
}

/* A stria_loop1d; context is the program. */
static void run_program(void *context, char *const *data, const int64_t *strides, int64_t count)
{
    slot_memory   *slots = stria_scratch_take(MAX_SLOTS * sizeof *slots);
    const program *p = context;
    char          *at[STRIA_EXPRESSION_MAX_INPUTS + 1];
    int64_t        begin = 0;

    /* a chain by itself needs no blocks, and slots for one group only */
    if (p->n_parts == 1 && p->parts[0].chain != NULL)
        begin = run_chain(p, &p->parts[0], data, strides, slots, false, count);
    for (int64_t n; begin < count; begin += n) {
        n = count - begin < SUB_BLOCK ? count - begin : SUB_BLOCK;
        for (int k = 0; k < p->n_operands; k++) at[k] = data[k] + begin * strides[k];
        run_parts(p, at, strides, slots, n);
    }
    stria_scratch_give(slots);
}

static stria_status iterate(program *p, stria_tensor *given, stria_tensor **out, stria_error *err)
{
    const stria_meta *meta = &p->meta[p->code->n_code - 1];
    stria_iter_config config;
    stria_iter        iter;
    stria_status      status;

    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, NAME);
    stria_iter_config_set_elementwise(&config, meta->result);
    stria_iter_config_add_output(&config, given);
    for (int k = 0; k < p->code->n_in; k++)
        if (p->operand[k] > 0) stria_iter_config_add_input(&config, p->in[k]);
    status = stria_iter_build(&iter, &config, err);
    stria_iter_config_release(&config);
    if (status != STRIA_OK) return status;
    find_large(p, &iter, given);
    if (meta->device == STRIA_DEVICE_CPU)
        status = stria_iter_for_each_buffered(&iter, p->lane, run_program, p, STRIA_GRAIN, err);
    if (status == STRIA_OK && given == NULL) *out = stria_iter_take_output(&iter, 0);
    stria_iter_release(&iter);
    return status;
}

static stria_status run(program *p, stria_tensor *given, stria_tensor **out, stria_error *err)
{
    stria_status status = infer(p, given, err);

    if (status == STRIA_OK) {
        mark_needed(p);
        status = lower(p, err);
    }
    if (status == STRIA_OK) status = iterate(p, given, out, err);
    for (int k = p->code->n_in; k < MAX_VALUES; k++) stria_tensor_release(p->value[k]);
    return status;
}

static stria_status apply(const stria_expression *e, const stria_tensor *const *in, stria_tensor *given,
                          stria_tensor **out, stria_error *err)
{
    STRIA_TRY(check_code(e, in, err));
    STRIA_TRY(stria_isa_get_status(err));
    STRIA_TRY(stria_scratch_reserve(NAME, err));
    program *p = stria_object_new(sizeof *p); /* too large for small stacks */
    if (p == NULL) return stria_error_set(err, STRIA_ERR_MEMORY, NAME, NULL, NULL, NULL, "no memory");
    p->code = e;
    p->kernels = stria_dispatch_get();
    p->in = in;
    for (int k = 0; k < MAX_VALUES; k++) p->value[k] = k < e->n_in ? (stria_tensor *)in[k] : NULL; /* only read */
    stria_status status = run(p, given, out, err);
    stria_object_release(p);
    return status;
}

stria_status stria_expression_apply(const stria_expression *expression, const stria_tensor *const *in,
                                    stria_tensor **out, stria_error *err)
{
    if (out == NULL) return refuse(err, "out", "a place for the result", "out is NULL");
    *out = NULL;
    return apply(expression, in, NULL, out, err);
}

stria_status stria_expression_apply_out(const stria_expression *expression, const stria_tensor *const *in,
                                        stria_tensor *out, stria_error *err)
{
    if (out == NULL) return refuse(err, "out", "a tensor", "out is NULL");
    return apply(expression, in, out, NULL, err);
}
