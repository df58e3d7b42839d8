/* expression_run.c - runs a lowered expression over the elements of a call.
 *
 * The elements pass through all steps block by block, so that intermediate results never leave the first-level cache. Steps
 * that form a chain (stria_chain_kernels) keep their values in registers; the others are loops of the kernel table, from slot
 * to slot. Operands that are not as the steps take them come in blocks from exec.c, or, where there are more of them than that
 * takes, from run_rows below.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "cpu/expression.h"
#include "cpu/fold.h"
#include "cpu/nontemporal.h"
#include "iter/iter_internal.h"

#define BLOCK 512
#define LEAST_BLOCK 64
#define ELEMENT_BYTES 8 /* at most, of a lane */
/* More than one line keeps slots from lying a multiple of 4096 bytes apart. */
#define LINE_BYTES 64
/* What the scratch of a thread has room for, beside the blocks of exec.c. */
#define SCRATCH_SLOTS 16
#define SCRATCH_LINKS 256
/* Of all slots of a wide program: they may fill the second-level cache. */
#define SLOTS_BYTES (64 << 10)
/* Rows that are shorter are packed together. */
#define LONG_ROW 64

/* ---------------------------------------------------------------- memory */

typedef struct work {
    stria_chain_word *words;   /* [n_links] */
    char            **chunk;   /* [n_operands], of the elements of a chunk */
    char            **piece;   /* [n_operands], of a block in memory */
    char            **at;      /* [n_operands], of a block as the steps take it */
    int64_t          *strides; /* [n_operands], there */
    char             *slots;   /* [n_slots][pitch] */
    char             *buffers; /* [n_operands][pitch], of packed operands, where there are more than exec.c takes */
    int64_t           block, pitch;
} work;

static int64_t get_pitch(int64_t block) { return block * ELEMENT_BYTES + LINE_BYTES; }

static size_t get_head_bytes(int n_links, int n_operands)
{
    const size_t nbytes = (size_t)n_links * sizeof(stria_chain_word) + (size_t)n_operands * 4 * sizeof(int64_t);

    return (nbytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

_Static_assert(LEAST_BLOCK *ELEMENT_BYTES >= STRIA_CHAIN_BYTES, "a slot holds a group of a chain");
_Static_assert(STRIA_EXEC_SCRATCH_BYTES + SCRATCH_SLOTS * (BLOCK * ELEMENT_BYTES + LINE_BYTES) +
                       SCRATCH_LINKS * sizeof(stria_chain_word) + STRIA_EXEC_MAX_OPERANDS * 4 * sizeof(int64_t) <=
                   STRIA_SCRATCH_BYTES,
               "a thread has room for blocks of operands and the slots of an expression");
_Static_assert(STRIA_FOLD_SCRATCH_BYTES <= STRIA_EXEC_SCRATCH_BYTES,
               "or for those of a reduction in place of operands");

static bool is_wide(const stria_lowering *l)
{
    return l->n_slots > SCRATCH_SLOTS || l->n_links > SCRATCH_LINKS || l->n_operands > STRIA_EXEC_MAX_OPERANDS;
}

static size_t get_work_bytes(const stria_lowering *l, int64_t block)
{
    const int n_buffers = l->n_operands > STRIA_EXEC_MAX_OPERANDS ? l->n_operands : 0;

    return get_head_bytes(l->n_links, l->n_operands) + (size_t)(l->n_slots + n_buffers) * (size_t)get_pitch(block);
}

static work lay_out(const stria_lowering *l, int64_t block, char *memory)
{
    work  w = {.block = block, .pitch = get_pitch(block)};
    char *p = memory;

    w.words = (stria_chain_word *)(void *)p; /* a multiple of 8 bytes, also where pointers have 4 */
    p += (size_t)l->n_links * sizeof *w.words;
    w.strides = (int64_t *)(void *)p;
    w.chunk = (char **)(void *)(w.strides + l->n_operands);
    w.piece = w.chunk + l->n_operands;
    w.at = w.piece + l->n_operands;
    w.slots = memory + get_head_bytes(l->n_links, l->n_operands);
    w.buffers = w.slots + l->n_slots * w.pitch;
    return w;
}

stria_status stria_expression_reserve(const stria_lowering *l, int64_t most_elements, stria_expression_work *given,
                                      stria_error *err)
{
    given->block = BLOCK;
    given->memory = NULL;
    if (is_wide(l)) {
        int64_t block = SLOTS_BYTES / ELEMENT_BYTES / (l->n_slots + 1);
        if (block > most_elements) block = most_elements;
        block = (block + LEAST_BLOCK - 1) / LEAST_BLOCK * LEAST_BLOCK;
        given->block = block < LEAST_BLOCK ? LEAST_BLOCK : block > BLOCK ? BLOCK : block;
        given->nbytes = get_work_bytes(l, given->block);
        given->memory = stria_block_new(given->nbytes);
        if (given->memory == NULL)
            return stria_error_set(err, STRIA_ERR_MEMORY, STRIA_EXPRESSION_NAME, NULL, NULL, NULL,
                                   "no memory for %llu bytes of intermediate results",
                                   (unsigned long long)given->nbytes);
    } else {
        given->nbytes = get_work_bytes(l, BLOCK);
    }
    const stria_status status = stria_scratch_reserve(STRIA_EXPRESSION_NAME, err);
    if (status != STRIA_OK) stria_expression_give(given);
    return status;
}

void stria_expression_give(const stria_expression_work *given) { stria_block_release(given->memory, given->nbytes); }

/* ---------------------------------------------------------------- a block */

/* What runs the program on one thread; the context of run_flat. */
typedef struct runner {
    const stria_expression_call *call;
    work                         w;
} runner;

/* memory: NULL: scratch, which is returned, to be given back. */
static char *start(runner *r, const stria_expression_call *call, const stria_expression_work *given, char *memory)
{
    char *const scratch = memory == NULL ? stria_scratch_take(given->nbytes) : NULL;

    *r = (runner){call, lay_out(call->lowering, given->block, memory == NULL ? scratch : memory)};
    return scratch;
}

static void end(char *scratch)
{
    if (scratch != NULL) stria_scratch_give(scratch);
}

/* Where the data of a step's input, or of its result, is for one block, and how far its next element. */
static inline char *find(const stria_step *s, const stria_place *where, char *const *data, const int64_t *strides,
                         const work *w, int64_t *stride)
{
    switch (where->kind) {
    case STRIA_PLACE_OPERAND: *stride = strides[where->index]; return data[where->index];
    case STRIA_PLACE_CONSTANT: *stride = 0; return (char *)s->constant[where->index]; /* only read */
    default: *stride = where->size; return w->slots + where->index * w->pitch;
    }
}

/* Elements begin .. begin + count - 1 of a block by the loop of one step. */
static void run_step(const stria_step *s, char *const *data, const int64_t *strides, const work *w, int64_t begin,
                     int64_t count)
{
    char   *at[1 + STRIA_MAX_INPUTS];
    int64_t stride[1 + STRIA_MAX_INPUTS];

    for (int k = 0; k <= s->n_in; k++) {
        at[k] = find(s, k == 0 ? &s->out : &s->in[k - 1], data, strides, w, &stride[k]);
        at[k] += begin * stride[k];
    }
    if (s->cast != NULL)
        s->cast(at[0], stride[0], at[1], stride[1], count);
    else
        s->loop(at, stride, count);
}

/* Whether a link of a chain stores past the caches: into a large result itself, not into a buffer on the way to it. */
static bool is_nontemporal(const stria_expression_call *call, const stria_part *chain, const stria_link *l,
                           const char *data)
{
    const uintptr_t at = (uintptr_t)data;

    return at >= call->large && at < call->large_end && chain->chain->store_nontemporal != NULL &&
           l->run == chain->chain->store && at % (uintptr_t)call->lowering->kernels->vector_bytes == 0;
}

/* Whether results lie apart from what they are made of. */
static bool is_apart(const stria_lowering *l, char *const *data, const int64_t *strides, int64_t count)
{
    for (int y = 0; y < l->n_out; y++)
        for (int x = l->n_out; x < l->n_operands; x++) {
            const uintptr_t out = (uintptr_t)data[y], in = (uintptr_t)data[x];
            const uintptr_t out_end = out + (uintptr_t)(strides[y] * count);
            const uintptr_t in_end = in + (uintptr_t)(strides[x] == 0 ? ELEMENT_BYTES : strides[x] * count);
            if (out < in_end && in < out_end) return false;
        }
    return true;
}

/* As many elements of a block as a chain does. `moving`: whether results in slots are those of the whole block. */
static int64_t run_chain(const stria_expression_call *call, const stria_part *chain, char *const *data,
                         const int64_t *strides, const work *w, bool moving, int64_t count)
{
    const stria_lowering *p = call->lowering;
    bool                  needs_fence = false;

    if (count < chain->least) return 0;
    for (int n = 0; n < chain->n_links; n++) {
        const stria_link *l = &p->links[chain->first_link + n];
        int64_t           stride = 0;
        w->words[n] = (stria_chain_word){l->run, NULL, 0};
        if (l->step < 0) continue;
        const stria_step  *s = &p->steps[l->step];
        const stria_place *where = l->input < 0 ? &s->out : &s->in[l->input];
        w->words[n].data = find(s, where, data, strides, w, &stride);
        if (stride == 0) w->words[n].run = l->run_one;
        if (stride != 0 && (moving || where->kind != STRIA_PLACE_SLOT)) w->words[n].moving = -1;
        if (is_nontemporal(call, chain, l, w->words[n].data)) {
            w->words[n].run = chain->chain->store_nontemporal;
            needs_fence = true;
        }
    }
    /* a slot of the whole block may be one that the chain reads */
    const bool    may_repeat = !moving && !needs_fence && is_apart(p, data, strides, count);
    const int64_t done = chain->chain->run(w->words, count, may_repeat);
    if (needs_fence) chain->chain->fence();
    return done;
}

/* All steps on one block. */
static void run_parts(const stria_expression_call *call, char *const *data, const int64_t *strides, const work *w,
                      int64_t count)
{
    const stria_lowering *p = call->lowering;

    for (int i = 0; i < p->n_parts; i++) {
        const stria_part *part = &p->parts[i];
        const int64_t     done = part->chain != NULL ? run_chain(call, part, data, strides, w, true, count) : 0;
        for (int k = 0; k < part->n_steps && done < count; k++)
            run_step(&p->steps[part->first_step + k], data, strides, w, done, count - done);
    }
}

static stria_code_run *code_run;

void stria_code_set(stria_code_run *run) { code_run = run; }

bool stria_code_is_set(void) { return code_run != NULL; }

static bool run_code(const stria_lowering *l, char *const *data, const int64_t *strides, int64_t count)
{
    return code_run != NULL && code_run((stria_lowering *)(uintptr_t)l, data, strides, count); /* its code changes */
}

/* Elements that are as the steps take them: contiguous, or one value. */
static void run_blocks(const stria_expression_call *call, char *const *data, const int64_t *strides, const work *w,
                       int64_t count)
{
    const stria_lowering *p = call->lowering;
    int64_t               begin = 0;

    if (run_code(p, data, strides, count)) return;
    if (p->n_steps == 1 && p->parts[0].chain == NULL) { /* from operands to operands */
        run_step(&p->steps[0], data, strides, w, 0, count);
        return;
    }
    /* a chain by itself needs no blocks, and slots for one group only */
    if (p->n_parts == 1 && p->parts[0].chain != NULL)
        begin = run_chain(call, &p->parts[0], data, strides, w, false, count);
    if (begin == 0 && count <= w->block) {
        run_parts(call, data, strides, w, count);
        return;
    }
    for (int64_t n; begin < count; begin += n) {
        n = count - begin < w->block ? count - begin : w->block;
        for (int k = 0; k < p->n_operands; k++) w->at[k] = data[k] + begin * strides[k];
        run_parts(call, w->at, strides, w, n);
    }
}

/* The same as a stria_loop1d. */
static void run_flat(void *context, char *const *data, const int64_t *strides, int64_t count)
{
    const runner *r = context;

    run_blocks(r->call, data, strides, &r->w, count);
}

size_t stria_expression_get_block_bytes(const stria_lowering *l, int64_t block) { return get_work_bytes(l, block); }

void stria_expression_run_block(const stria_lowering *l, int64_t block, char *memory, char *const *data,
                                const int64_t *strides, int64_t count)
{
    const stria_expression_call call = {.lowering = l};
    const work                  w = lay_out(l, block, memory);

    run_blocks(&call, data, strides, &w, count);
}

/* ---------------------------------------------------------------- operands of any layout, however many */

/* Elements from anywhere to anywhere as they are: as integers, since f16 would go by way of f32, which changes NaNs. */
static stria_cast_loop *get_cast(const stria_kernels *kernels, stria_dtype from, stria_dtype to)
{
    static const stria_dtype of_size[] = {
        [1] = STRIA_U8, [2] = STRIA_U16, [4] = STRIA_U32, [8] = STRIA_U64, [16] = STRIA_C128};

    if (from != to) return kernels->cast[from][to];
    const stria_dtype bits = of_size[stria_dtype_sizes[from]];
    return kernels->cast[bits][bits];
}

/* Which elements of a piece are at hand. */
typedef struct block {
    int64_t        width, height;
    char *const   *base;
    const int64_t *strides; /* [2 * n_operands], inner and outer */
} block;

/* Brings an input of the block to where the steps take it, or chooses where they leave the result. */
static void load_operand(const stria_expression_call *call, const block *b, const work *w, int k)
{
    const stria_lowering *p = call->lowering;
    const stria_dtype     memory = call->memory[k], lane = p->operands[k].lane;
    const int64_t         size = stria_dtype_sizes[lane], inner = b->strides[k], outer = b->strides[p->n_operands + k];
    char                 *buffer = w->buffers + k * w->pitch;
    const bool            is_value = k > 0 && inner == 0 && (b->height == 1 || outer == 0);

    w->at[k] = b->base[k];
    w->strides[k] = is_value ? 0 : size;
    if (memory == lane && (is_value || (inner == size && (b->height == 1 || outer == b->width * size)))) return;
    w->at[k] = buffer;
    if (k == 0) return;
    stria_cast_loop *cast = get_cast(p->kernels, memory, lane);
    const int64_t    width = is_value ? 1 : b->width, height = is_value ? 1 : b->height;
    for (int64_t j = 0; j < height; j++) cast(buffer + j * width * size, size, b->base[k] + j * outer, inner, width);
}

static void store_result(const stria_expression_call *call, const block *b, const work *w)
{
    const stria_lowering *p = call->lowering;
    const stria_dtype     memory = call->memory[0], lane = p->operands[0].lane;
    const int64_t         size = stria_dtype_sizes[lane];

    if (w->at[0] == b->base[0]) return;
    for (int64_t j = 0; j < b->height; j++)
        get_cast(p->kernels, lane, memory)(b->base[0] + j * b->strides[p->n_operands], b->strides[0],
                                           w->at[0] + j * b->width * size, size, b->width);
}

/* A stria_loop2d: operands that are not as the steps take them go through buffers. */
static void run_rows(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    const runner                *r = context;
    const stria_expression_call *call = r->call;
    const int                    n_operands = call->lowering->n_operands;
    const work                   w = r->w;
    const int64_t                width = n0 < w.block ? n0 : w.block, rows = n0 < LONG_ROW ? w.block / n0 : 1;
    block                        b = {width, rows, w.piece, strides};

    for (int64_t j = 0; j < n1; j += b.height) {
        b.height = rows < n1 - j ? rows : n1 - j;
        for (int64_t i = 0; i < n0; i += b.width) {
            b.width = width < n0 - i ? width : n0 - i;
            for (int k = 0; k < n_operands; k++) {
                w.piece[k] = data[k] + i * strides[k] + j * strides[n_operands + k];
                load_operand(call, &b, &w, k);
            }
            const int64_t n = b.width * b.height;
            if (!run_code(call->lowering, w.at, w.strides, n)) run_parts(call, w.at, w.strides, &w, n);
            store_result(call, &b, &w);
        }
        b.width = width;
    }
}

/* ---------------------------------------------------------------- a call */

typedef struct team_call {
    const stria_expression_call *call;
    const stria_expression_work *given;
    char                        *more; /* for chunks 1, 2 .. */
    stria_exec                   exec; /* unless there are more operands than it takes */
} team_call;

/* The elements begin .. end - 1 of a call without an iterator, through `loop` where they are to be converted. */
static void run_direct(const runner *r, stria_loop2d *loop, void *context, int64_t begin, int64_t end)
{
    const stria_expression_call *call = r->call;
    const int                    n = call->lowering->n_operands;
    char                        *few[STRIA_EXEC_MAX_OPERANDS], **at = few;

    if (n > STRIA_EXEC_MAX_OPERANDS) at = r->w.chunk;
    for (int k = 0; k < n; k++) at[k] = call->data[k] + begin * call->strides[k];
    if (call->converts)
        loop(context, at, call->strides, end - begin, 1);
    else
        run_flat((void *)(uintptr_t)r, at, call->strides, end - begin);
}

static void run_chunk(void *context, int chunk, int64_t first, int64_t last)
{
    const team_call             *t = context;
    const stria_expression_call *call = t->call;
    char                        *memory = t->given->memory;
    runner                       r;
    stria_exec                   exec;
    stria_loop2d                *loop = run_rows;
    void                        *loop_context = &r;

    if (memory != NULL && chunk > 0) memory = t->more + (size_t)(chunk - 1) * t->given->nbytes;
    char *const scratch = start(&r, call, t->given, memory);
    if ((call->iter != NULL || call->converts) && call->lowering->n_operands <= STRIA_EXEC_MAX_OPERANDS) {
        exec = t->exec;
        exec.loop = run_flat;
        exec.context = &r;
        loop = stria_exec_loop2d;
        loop_context = &exec;
    }
    if (call->iter != NULL)
        stria_iter_walk_range(call->iter, loop, loop_context, first, last);
    else
        run_direct(&r, loop, loop_context, first, last);
    end(scratch);
}

static void run_team(const stria_expression_call *call, const stria_expression_work *given)
{
    const stria_lowering *p = call->lowering;
    team_call             t = {.call = call, .given = given};
    stria_chunks          split = {0, call->numel, call->numel, 1};
    stria_dtype           lane[STRIA_EXEC_MAX_OPERANDS];
    size_t                nbytes = 0;

    if (call->numel > STRIA_GRAIN) split = stria_chunks_build(stria_team_get(), 0, call->numel, STRIA_GRAIN);
    if (given->memory != NULL && split.n_chunks > 1) {
        t.more = stria_block_new_parts(split.n_chunks - 1, (int64_t)given->nbytes, &nbytes);
        if (t.more == NULL) split = stria_chunks_build((stria_team){1}, 0, call->numel, STRIA_GRAIN);
    }
    if ((call->iter != NULL || call->converts) && p->n_operands <= STRIA_EXEC_MAX_OPERANDS) {
        for (int k = 0; k < p->n_operands; k++) lane[k] = p->operands[k].lane;
        stria_exec_init(&t.exec, p->kernels, p->n_operands, p->n_out, call->memory, lane);
        t.exec.has_dear_calls = true;
    }
    stria_chunks_run(&split, run_chunk, &t);
    stria_block_release(t.more, nbytes);
}

void stria_expression_run(const stria_expression_call *call, const stria_expression_work *given)
{
    runner r;

    if (call->numel == 0) return;
    if (call->iter != NULL || call->converts || call->numel > STRIA_GRAIN) {
        run_team(call, given);
        return;
    }
    char *const scratch = start(&r, call, given, given->memory);
    run_flat(&r, call->data, call->strides, call->numel);
    end(scratch);
}
