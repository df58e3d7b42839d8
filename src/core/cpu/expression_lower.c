/* expression_lower.c - from the instructions of an expression to steps, for inputs of given dtypes.
 *
 * The instructions are checked with the meta of each op, as if they ran one after another. Those that the result depends on
 * become steps: loops of the kernel table, and conversions where an op takes another dtype than the value has. Steps that
 * follow one another, have one float dtype and words for chains (stria_chain_kernels) become a chain.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/meta.h"
#include "cpu/expression.h"

#define NAME STRIA_EXPRESSION_NAME
#define NONE (-1)

static stria_status refuse_memory(stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_MEMORY, NAME, NULL, NULL, NULL, "no memory for the expression");
}

/* Arrays in one block of zeroed memory. In a first round without memory only their bytes are counted. */
typedef struct arena {
    char  *memory;
    size_t nbytes;
} arena;

static void *take(arena *a, int64_t n, size_t nbytes_each)
{
    void *p = a->memory == NULL ? NULL : a->memory + a->nbytes;

    a->nbytes += ((size_t)n * nbytes_each + 15) / 16 * 16;
    return p;
}

/* ---------------------------------------------------------------- types */

/* What the meta of an instruction says of dtypes. */
typedef struct typed {
    stria_dtype compute, loop_out, result, input[STRIA_MAX_INPUTS];
} typed;

/* Values are numbered as in stria_instruction. */
typedef struct inference {
    const stria_expression *e;
    void                   *memory;
    stria_tensor          **value; /* [n_values]: inputs, borrowed; constants; results without memory */
    typed                  *types; /* [n_code] */
    stria_device            device;
} inference;

static int get_first(const stria_expression *e) { return e->n_in + e->n_constants; }
static int get_n_values(const stria_expression *e) { return get_first(e) + e->n_code; }

static void inference_lay_out(inference *f, arena *a)
{
    f->value = take(a, get_n_values(f->e), sizeof(stria_tensor *));
    f->types = take(a, f->e->n_code, sizeof(typed));
}

static void inference_release(inference *f)
{
    for (int v = f->e->n_in; v < get_n_values(f->e) && f->memory != NULL; v++) stria_tensor_release(f->value[v]);
    stria_object_release(f->memory);
}

/* The result of instruction i, as a tensor without memory. */
static stria_status set_result(inference *f, int i, const stria_meta *meta, stria_error *err)
{
    stria_tensor *result = stria_tensor_new_handle(meta->result, meta->device, meta->ndim);

    if (result == NULL) return refuse_memory(err);
    for (int d = 0; d < meta->ndim; d++) {
        result->shape[d] = meta->shape[d];
        result->strides[d] = 0;
    }
    f->value[get_first(f->e) + i] = result;
    f->types[i] = (typed){meta->compute, meta->loop_out, meta->result, {STRIA_DTYPE_NONE}};
    for (int k = 0; k < stria_instruction_get_arity(&f->e->code[i]); k++) f->types[i].input[k] = meta->input[k];
    f->device = meta->device;
    return STRIA_OK;
}

/* The meta of instruction i. */
static stria_status infer_instruction(inference *f, int i, const stria_tensor *out, stria_error *err)
{
    const stria_instruction *instruction = &f->e->code[i];
    const int                arity = stria_instruction_get_arity(instruction);
    const stria_tensor      *in[STRIA_MAX_INPUTS];
    stria_meta               meta;

    for (int k = 0; k < arity; k++) in[k] = f->value[instruction->in[k]];
    if (instruction->op >= STRIA_OP_COUNT)
        STRIA_TRY(stria_meta_infer_conversion(in[0], stria_instruction_get_dtype(instruction), out, &meta, err));
    else
        STRIA_TRY(stria_meta_infer(instruction->op, in, arity, out, &meta, err));
    return set_result(f, i, &meta, err);
}

/* A number becomes a 0-dim tensor. */
static stria_status make_value(stria_tensor **number, stria_dtype dtype, stria_error *err)
{
    stria_tensor *value;

    STRIA_TRY(stria_tensor_copy(*number, dtype, &value, err));
    stria_tensor_release(*number);
    *number = value;
    return STRIA_OK;
}

/* On failure `f` is to be released all the same. */
static stria_status infer(inference *f, const stria_tensor *const *in, const stria_tensor *out, stria_error *err)
{
    const stria_expression *e = f->e;
    arena                   bytes = {NULL, 0};

    inference_lay_out(f, &bytes);
    f->memory = stria_object_new(bytes.nbytes);
    if (f->memory == NULL) return refuse_memory(err);
    inference_lay_out(f, &(arena){f->memory, 0});
    for (int k = 0; k < e->n_in; k++) f->value[k] = (stria_tensor *)(uintptr_t)in[k]; /* only read */
    for (int c = 0; c < e->n_constants; c++) {
        const stria_status status = stria_tensor_new_scalar(e->constants[c], &f->value[e->n_in + c], err);
        if (status != STRIA_OK) return stria_error_set_op(err, status, NAME);
        if (e->number_dtype != STRIA_DTYPE_NONE) STRIA_TRY(make_value(&f->value[e->n_in + c], e->number_dtype, err));
    }
    for (int i = 0; i < e->n_code; i++) STRIA_TRY(infer_instruction(f, i, i == e->n_code - 1 ? out : NULL, err));
    return STRIA_OK;
}

stria_status stria_expression_infer(const stria_expression *e, const stria_tensor *const *in, const stria_tensor *out,
                                    stria_error *err)
{
    inference          f = {.e = e};
    const stria_status status = infer(&f, in, out, err);

    inference_release(&f);
    return status;
}

/* ---------------------------------------------------------------- steps */

/* A step with what is known of it while steps are made. Places in slots have the number of the step that fills them. */
typedef struct draft {
    stria_step step;
    int        next_cast;   /* the next conversion of the same value, or NONE */
    int        n_uses;      /* by steps */
    int        n_uses_next; /* by the step that follows */
    int        last_use;
    int        slot;
    int        output; /* the operand that gets its result, or NONE */
} draft;

typedef struct builder {
    const stria_expression *e;
    const inference        *f;
    const stria_kernels    *kernels;
    bool                    converts_in_memory; /* inputs, and the result: code has few dtypes */
    bool                    converts_result;    /* so it is */
    bool                   *needed;             /* [n_values] */
    stria_place            *found;              /* [n_values] */
    int                    *first_cast;         /* [n_values]: step, or NONE */
    stria_dtype            *has;                /* [n_values]: dtype at the place that was found */
    stria_dtype            *lane;               /* [n_in] */
    bool                   *is_mixed;           /* [n_in]: instructions take it in several dtypes */
    draft                  *drafts;             /* [n_steps], room for most_steps */
    stria_part             *parts;              /* [n_parts] */
    stria_link             *links;              /* [n_links] */
    int                    *free_slots;         /* [n_free] */
    stria_lowered_operand  *operands;           /* [n_operands] */
    int                     n_dead;
    int                     most_steps, n_steps, n_parts, n_links, n_free, n_slots, n_operands;
} builder;

/* What does not depend on the number of steps, then what does. */
static void lay_out_values(builder *b, arena *a)
{
    const int n_values = get_n_values(b->e), n_in = b->e->n_in;

    b->needed = take(a, n_values, sizeof *b->needed);
    b->found = take(a, n_values, sizeof *b->found);
    b->first_cast = take(a, n_values, sizeof *b->first_cast);
    b->has = take(a, n_values, sizeof *b->has);
    b->lane = take(a, n_in, sizeof *b->lane);
    b->is_mixed = take(a, n_in, sizeof *b->is_mixed);
    b->operands = take(a, b->e->n_out + n_in, sizeof *b->operands);
}

static void lay_out_steps(builder *b, arena *a)
{
    b->drafts = take(a, b->most_steps, sizeof *b->drafts);
    b->parts = take(a, b->most_steps, sizeof *b->parts);
    b->links = take(a, 4 * (int64_t)b->most_steps, sizeof *b->links); /* load, the op, store, end */
    b->free_slots = take(a, b->most_steps, sizeof *b->free_slots);
}

/* What the results depend on, and how many steps that may take. */
static void mark_needed(builder *b)
{
    const int first = get_first(b->e);

    for (int k = 0; k < b->e->n_out; k++) b->needed[b->e->out[k]] = true;
    for (int i = b->e->n_code - 1; i >= 0; i--) {
        const stria_instruction *instruction = &b->e->code[i];
        if (!b->needed[first + i]) {
            b->n_dead++;
            continue;
        }
        for (int k = 0; k < stria_instruction_get_arity(instruction); k++) b->needed[instruction->in[k]] = true;
        b->most_steps +=
            stria_instruction_get_arity(instruction) + 2; /* a conversion of each input, the op, one of its result */
    }
}

/* The dtype that every instruction takes an input in, so that it is converted once; its own if they differ. */
static void choose_lanes(builder *b)
{
    for (int k = 0; k < b->e->n_in; k++) b->lane[k] = STRIA_DTYPE_NONE;
    for (int i = 0; i < b->e->n_code; i++) {
        const stria_instruction *instruction = &b->e->code[i];
        if (!b->needed[get_first(b->e) + i]) continue;
        for (int k = 0; k < stria_instruction_get_arity(instruction); k++) {
            const int         v = instruction->in[k];
            const bool        is_converted = instruction->op >= STRIA_OP_COUNT && b->converts_in_memory;
            const stria_dtype wanted = is_converted ? b->f->types[i].result : b->f->types[i].input[k];
            if (v >= b->e->n_in) continue;
            b->is_mixed[v] |= b->lane[v] != STRIA_DTYPE_NONE && b->lane[v] != wanted;
            b->lane[v] = wanted;
        }
    }
}

static void choose_operands(builder *b)
{
    choose_lanes(b);
    for (int k = 0; k < b->e->n_out; k++)
        b->operands[b->n_operands++] =
            (stria_lowered_operand){NONE, b->f->types[b->e->out[k] - get_first(b->e)].loop_out};
    for (int k = 0; k < b->e->n_in; k++) {
        if (!b->needed[k]) continue;
        b->has[k] = b->is_mixed[k] ? b->f->value[k]->dtype : b->lane[k];
        b->found[k] = (stria_place){STRIA_PLACE_OPERAND, b->n_operands, 0};
        b->operands[b->n_operands++] = (stria_lowered_operand){k, b->has[k]};
    }
}

/* The place of value v in another dtype. */
static stria_place convert(builder *b, int v, stria_dtype wanted)
{
    int i = b->first_cast[v];

    while (i != NONE && b->drafts[i].step.dtype != wanted) i = b->drafts[i].next_cast;
    if (i == NONE) {
        i = b->n_steps++;
        b->drafts[i].step = (stria_step){.cast = b->kernels->cast[b->has[v]][wanted],
                                         .n_in = 1,
                                         .in = {b->found[v]},
                                         .compute = b->has[v],
                                         .dtype = wanted};
        b->drafts[i].next_cast = b->first_cast[v];
        b->drafts[i].output = NONE;
        b->first_cast[v] = i;
    }
    return (stria_place){STRIA_PLACE_SLOT, i, 0};
}

/* Elements as they are: as integers, since f16 would go by way of f32, which changes NaNs. */
static stria_cast_loop *get_move(const builder *b, stria_dtype dtype)
{
    static const stria_dtype of_size[] = {[1] = STRIA_U8, [2] = STRIA_U16, [4] = STRIA_U32, [8] = STRIA_U64};
    const stria_dtype        bits = of_size[stria_dtype_sizes[dtype]];

    return b->kernels->cast[bits][bits];
}

/* The output that gets value v; NONE: no result is. */
static int find_output(const builder *b, int v)
{
    int k = b->e->n_out - 1;

    while (k >= 0 && b->e->out[k] != v) k--;
    return k;
}

/* A conversion. One that is no result may be a step that is there already, or none. */
static void lower_conversion(builder *b, int i)
{
    const int         v = get_first(b->e) + i, from = b->e->code[i].in[0], output = find_output(b, v);
    const stria_dtype dtype = b->f->types[i].result;

    b->has[v] = dtype;
    if (output == NONE) {
        b->found[v] = b->has[from] == dtype ? b->found[from] : convert(b, from, dtype);
        return;
    }
    draft *const maker = b->found[from].kind == STRIA_PLACE_SLOT ? &b->drafts[b->found[from].index] : NULL;
    if (b->converts_in_memory && i == b->e->n_code - 1 && maker != NULL && maker->output == NONE) {
        maker->output = output;
        b->operands[output].lane = b->has[from];
        b->converts_result = true;
        return;
    }
    b->drafts[b->n_steps].step =
        (stria_step){.cast = b->has[from] == dtype ? get_move(b, dtype) : b->kernels->cast[b->has[from]][dtype],
                     .n_in = 1,
                     .in = {b->found[from]},
                     .compute = b->has[from],
                     .dtype = dtype};
    b->drafts[b->n_steps].output = output;
    b->found[v] = (stria_place){STRIA_PLACE_SLOT, b->n_steps++, 0};
}

static void lower_instruction(builder *b, int i)
{
    const stria_instruction *instruction = &b->e->code[i];
    const typed             *types = &b->f->types[i];
    const int                v = get_first(b->e) + i, arity = stria_instruction_get_arity(instruction);
    stria_step               s = {.loop = b->kernels->lane[types->compute]->loop[instruction->op],
                                  .op = instruction->op,
                                  .n_in = arity,
                                  .compute = types->compute,
                                  .dtype = types->loop_out};

    for (int k = 0; k < arity; k++) {
        const int           from = instruction->in[k];
        const stria_tensor *x = b->f->value[from];
        if (from >= b->e->n_in && from < get_first(b->e)) {
            int64_t    nearest;
            const bool is_limited =
                stria_op_has_limits(instruction->op) && k > 0 && stria_clamp_find_nearest(x, types->input[k], &nearest);
            b->kernels->cast[x->dtype][types->input[k]](s.constant[k], 0, is_limited ? (char *)&nearest : x->data, 0,
                                                        1);
            s.in[k] = (stria_place){STRIA_PLACE_CONSTANT, k, 0};
        } else {
            s.in[k] = b->has[from] == types->input[k] ? b->found[from] : convert(b, from, types->input[k]);
        }
    }
    b->drafts[b->n_steps].step = s;
    b->drafts[b->n_steps].output = find_output(b, v);
    b->found[v] = (stria_place){STRIA_PLACE_SLOT, b->n_steps++, 0};
    b->has[v] = types->loop_out;
    if (types->result == types->loop_out || i == b->e->n_code - 1) return;
    /* f16 and bf16 are rounded after every op, as they are when each runs alone; the last one on its way to memory */
    b->found[v] = convert(b, v, types->result);
    b->has[v] = types->result;
    b->first_cast[v] = NONE;
}

static void count_uses(builder *b)
{
    for (int i = 0; i < b->n_steps; i++) {
        const stria_step *s = &b->drafts[i].step;
        b->drafts[i].last_use = i;
        for (int k = 0; k < s->n_in; k++) {
            if (s->in[k].kind != STRIA_PLACE_SLOT) continue;
            draft *from = &b->drafts[s->in[k].index];
            from->n_uses++;
            from->n_uses_next += s->in[k].index == i - 1;
            from->last_use = i;
        }
    }
}

/* ---------------------------------------------------------------- chains */

/* The words for a step; NULL: it is none for a chain. Its inputs and its result are of one dtype then. */
static stria_chain_code *const *get_words(const builder *b, int i, const stria_chain_kernels **chain)
{
    const stria_step *s = &b->drafts[i].step;

    *chain = s->loop != NULL ? b->kernels->lane[s->dtype]->chain : NULL;
    return *chain != NULL && (*chain)->op[s->op][0] != NULL ? (*chain)->op[s->op] : NULL;
}

static bool is_result_of(stria_place at, int step) { return at.kind == STRIA_PLACE_SLOT && at.index == step; }

/* Whether a chain has to put the result of step i into memory: unless the next step of the chain takes it, once, and no
 * other does. */
static bool is_stored(const builder *b, const stria_part *chain, int i)
{
    const draft *d = &b->drafts[i];

    return i + 1 >= chain->first_step + chain->n_steps || d->output != NONE || d->n_uses != 1 || d->n_uses_next != 1;
}

static void add_link(builder *b, stria_chain_code *run, stria_chain_code *run_one, int step, int input)
{
    b->links[b->n_links++] = (stria_link){run, run_one, step, input};
}

/* The words of step i; the accumulator holds the result of the step before, if that is in the chain too. */
static void link_step(builder *b, const stria_part *chain, int i)
{
    const stria_chain_kernels *kernels;
    stria_chain_code *const   *op = get_words(b, i, &kernels);
    const stria_step          *s = &b->drafts[i].step;
    const bool                 has_left = i > chain->first_step && is_result_of(s->in[0], i - 1);
    const bool                 has_right = i > chain->first_step && s->n_in == 2 && is_result_of(s->in[1], i - 1);

    if (has_right && !has_left) {
        add_link(b, op[STRIA_CHAIN_RIGHT], op[STRIA_CHAIN_RIGHT_ONE], i, 0);
    } else {
        if (!has_left) add_link(b, kernels->load, kernels->load_one, i, 0);
        if (s->n_in == 1)
            add_link(b, op[0], op[0], NONE, NONE);
        else
            add_link(b, op[STRIA_CHAIN_LEFT], op[STRIA_CHAIN_LEFT_ONE], i, 1);
    }
    if (is_stored(b, chain, i)) add_link(b, kernels->store, NULL, i, NONE);
}

/* Divides the steps into chains and the others. */
static void divide(builder *b)
{
    for (int i = 0; i < b->n_steps;) {
        stria_part                 next = {.first_step = i, .n_steps = 1, .first_link = b->n_links};
        const stria_chain_kernels *other;
        if (get_words(b, i, &next.chain) == NULL) next.chain = NULL;
        while (next.chain != NULL && i + next.n_steps < b->n_steps && get_words(b, i + next.n_steps, &other) != NULL &&
               other == next.chain)
            next.n_steps++;
        if (next.n_steps == 1) next.chain = NULL; /* its loop does it */
        if (next.chain != NULL) {
            next.least = next.chain->nbytes / stria_dtype_sizes[b->drafts[i].step.dtype];
            for (int k = 0; k < next.n_steps; k++) link_step(b, &next, i + k);
            add_link(b, next.chain->end, NULL, NONE, NONE);
        }
        next.n_links = b->n_links - next.first_link;
        b->parts[b->n_parts++] = next;
        i += next.n_steps;
    }
}

/* ---------------------------------------------------------------- slots */

/* Slots for the results of steps, each free again after its last use. */
static void assign_slots(builder *b)
{
    for (int i = 0; i < b->n_steps; i++) {
        stria_step *s = &b->drafts[i].step;
        if (b->drafts[i].output == NONE) {
            b->drafts[i].slot = b->n_free > 0 ? b->free_slots[--b->n_free] : b->n_slots++;
            s->out = (stria_place){STRIA_PLACE_SLOT, b->drafts[i].slot, (int64_t)stria_dtype_sizes[s->dtype]};
        } else {
            s->out = (stria_place){STRIA_PLACE_OPERAND, b->drafts[i].output, 0};
        }
        for (int k = 0; k < s->n_in; k++) {
            if (s->in[k].kind != STRIA_PLACE_SLOT) continue;
            draft *from = &b->drafts[s->in[k].index];
            s->in[k] = from->step.out;
            if (from->last_use != i || from->output != NONE) continue;
            from->last_use = NONE; /* freed once, though it may be both inputs */
            b->free_slots[b->n_free++] = from->slot;
        }
    }
}

/* ---------------------------------------------------------------- all of it */

static stria_lowering *lay_out_lowering(const builder *b, arena *a)
{
    stria_lowering *l = take(a, 1, sizeof *l);
    uint16_t       *key = take(a, b->e->n_in, sizeof *key);
    void           *operands = take(a, b->n_operands, sizeof *l->operands);
    stria_step     *steps = take(a, b->n_steps, sizeof *l->steps);
    void           *parts = take(a, b->n_parts, sizeof *l->parts);
    void           *links = take(a, b->n_links, sizeof *l->links);

    if (l == NULL) return NULL;
    for (int k = 0; k < b->e->n_in; k++) key[k] = stria_lowering_get_key(b->f->value[k]);
    for (int i = 0; i < b->n_steps; i++) steps[i] = b->drafts[i].step;
    memcpy(operands, b->operands, (size_t)b->n_operands * sizeof *l->operands);
    memcpy(parts, b->parts, (size_t)b->n_parts * sizeof *l->parts);
    if (b->n_links > 0) memcpy(links, b->links, (size_t)b->n_links * sizeof *l->links);
    l->key = key;
    l->operands = operands;
    l->steps = steps;
    l->parts = parts;
    l->links = links;
    return l;
}

static stria_status finish(const builder *b, stria_lowering **lowering, stria_error *err)
{
    const int first = b->e->out[0] - get_first(b->e); /* the instruction of the result */
    arena     bytes = {NULL, 0};

    (void)lay_out_lowering(b, &bytes);
    char *memory = stria_object_new(bytes.nbytes);
    if (memory == NULL) return refuse_memory(err);
    stria_lowering *l = lay_out_lowering(b, &(arena){memory, 0});
    l->kernels = b->kernels;
    l->result = b->f->types[first].result;
    l->device = b->f->device;
    l->is_truth =
        b->e->code[first].op < STRIA_OP_COUNT && stria_op_infos[b->e->code[first].op].result == STRIA_RESULT_BOOL;
    l->has_dead_code = b->n_dead > 0;
    l->converts_result = b->converts_result;
    l->n_out = b->e->n_out;
    l->n_operands = b->n_operands;
    l->n_steps = b->n_steps;
    l->n_parts = b->n_parts;
    l->n_links = b->n_links;
    l->n_slots = b->n_slots;
    *lowering = l;
    return STRIA_OK;
}

static stria_status build_steps(builder *b, stria_lowering **lowering, stria_error *err)
{
    arena bytes = {NULL, 0};

    lay_out_steps(b, &bytes);
    void *memory = stria_object_new(bytes.nbytes);
    if (memory == NULL) return refuse_memory(err);
    lay_out_steps(b, &(arena){memory, 0});
    choose_operands(b);
    for (int v = 0; v < get_n_values(b->e); v++) b->first_cast[v] = NONE;
    for (int i = 0; i < b->e->n_code; i++)
        if (b->needed[get_first(b->e) + i]) {
            if (b->e->code[i].op >= STRIA_OP_COUNT)
                lower_conversion(b, i);
            else
                lower_instruction(b, i);
        }
    count_uses(b);
    divide(b);
    assign_slots(b);
    const stria_status status = finish(b, lowering, err);
    stria_object_release(memory);
    return status;
}

static stria_status build(const stria_expression *e, const inference *f, stria_lowering **lowering, stria_error *err)
{
    builder b = {.e = e, .f = f, .kernels = stria_dispatch_get(), .converts_in_memory = stria_code_is_set()};
    arena   bytes = {NULL, 0};

    lay_out_values(&b, &bytes);
    void *memory = stria_object_new(bytes.nbytes);
    if (memory == NULL) return refuse_memory(err);
    lay_out_values(&b, &(arena){memory, 0});
    mark_needed(&b);
    const stria_status status = build_steps(&b, lowering, err);
    stria_object_release(memory);
    return status;
}

stria_status stria_lowering_new(const stria_expression *e, const stria_tensor *const *in, const stria_tensor *out,
                                stria_lowering **lowering, stria_error *err)
{
    inference    f = {.e = e};
    stria_status status = infer(&f, in, out, err);

    *lowering = NULL;
    if (status == STRIA_OK) status = build(e, &f, lowering, err);
    inference_release(&f);
    return status;
}

void stria_lowering_release(stria_lowering *lowering)
{
    if (lowering != NULL) stria_object_release(atomic_load_explicit(&lowering->code, memory_order_relaxed));
    stria_object_release(lowering);
}
