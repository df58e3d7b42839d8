/* expression_bound.c - calls of an expression that differ only in where their elements lie: graphs make them. Results may be several. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "call/backend.h"
#include "cpu/expression.h"
#include "cpu/flat.h"
#include "cpu/nontemporal.h"
#include "cpu/short_rows.h"

/* How an operand lies that is no iterator's. */
typedef struct flat_operand {
    int64_t size;   /* bytes from an element to the next; 0: one value */
    int64_t period; /* elements that come again and again; 0: there is one for each of the result */
    int64_t length; /* elements of whole periods that lie behind one another */
    char   *copies; /* of short periods; else NULL */
} flat_operand;

struct stria_expression_bound {
    stria_lowering       *lowering;
    stria_expression     *program; /* retained, where another device computes it; else NULL */
    stria_expression_call call;
    stria_iter            iter;
    char                 *data[STRIA_EXEC_MAX_OPERANDS];
    int64_t               strides[2 * STRIA_EXEC_MAX_OPERANDS], shift[STRIA_EXEC_MAX_OPERANDS];
    stria_dtype           memory[STRIA_EXEC_MAX_OPERANDS];
    flat_operand          flat[STRIA_EXEC_MAX_OPERANDS];
    bool                  is_periodic; /* an operand is */
    char                 *copies;      /* of all short periods */
    _Alignas(8) char values[STRIA_EXEC_MAX_OPERANDS][8];
    stria_loop *loop; /* of the only step, which takes its operands as they are; else NULL */
    int64_t     loop_strides[1 + STRIA_MAX_INPUTS];
    bool        is_small; /* it runs once, on one thread, over operands that have elements each, or constants: */
    int         loop_in[STRIA_MAX_INPUTS]; /* these inputs; -1: a constant */
    int64_t     block;                     /* of ranges */
    size_t      block_bytes;
};

/* Periods are copied until they are at least as long as a block of an expression. */
#define LONG_PERIOD 512
#define LEAST_SHORT_BYTES 16
#define MOST_SHORT_BYTES 64

static const stria_tensor *get_operand(const stria_lowering *l, int k, const stria_tensor *const *in,
                                       stria_tensor *const *out)
{
    return k < l->n_out ? out[k] : in[l->operands[k].input];
}

static stria_status refuse_memory(stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_MEMORY, STRIA_EXPRESSION_NAME, NULL, NULL, NULL, "no memory for a call");
}

/* Elements of x that come again and again in a result like y: its last dims are those of y, the others 1. 0: it lies in another way. */
static int64_t find_period(const stria_tensor *x, const stria_tensor *y)
{
    int d = 1;

    if (!stria_tensor_is_contiguous(x) || x->ndim > y->ndim) return 0;
    while (d <= x->ndim && x->shape[x->ndim - d] == y->shape[y->ndim - d]) d++;
    for (; d <= x->ndim; d++)
        if (x->shape[x->ndim - d] != 1) return 0;
    return x->numel;
}

static bool set_flat(stria_expression_bound *b, int k, const stria_tensor *x, const stria_tensor *y)
{
    flat_operand *f = &b->flat[k];

    *f = (flat_operand){.size = stria_tensor_get_item_size(x)};
    b->memory[k] = x->dtype;
    b->strides[k] = f->size;
    if (k >= b->lowering->n_out && x->numel == 1) {
        b->memory[k] = b->lowering->operands[k].lane;
        f->size = b->strides[k] = 0;
        return true;
    }
    b->call.converts |= x->dtype != b->lowering->operands[k].lane;
    if (stria_flat_get(x, y->ndim, y->shape, false) == STRIA_FLAT_RUN) return true;
    f->period = k < b->lowering->n_out ? 0 : find_period(x, y);
    f->length = f->period;
    b->is_periodic = true;
    return f->period > 0;
}

/* Room for copies of short periods. False: no memory. */
static bool make_copies(stria_expression_bound *b)
{
    size_t nbytes = 0;

    for (int k = 0; k < b->lowering->n_operands; k++) {
        flat_operand *f = &b->flat[k];
        if (f->period == 0 || f->period >= LONG_PERIOD) continue;
        f->length = (LONG_PERIOD - 1) / f->period * f->period + f->period;
        if (f->length > b->call.numel) f->length = b->call.numel; /* whole periods, too */
        nbytes += (size_t)(f->length * f->size + 7) / 8 * 8;
    }
    if (nbytes == 0) return true;
    char *at = b->copies = stria_object_new(nbytes);
    for (int k = 0; k < b->lowering->n_operands && at != NULL; k++) {
        flat_operand *f = &b->flat[k];
        if (f->period == 0 || f->period >= LONG_PERIOD) continue;
        f->copies = at;
        at += (f->length * f->size + 7) / 8 * 8;
    }
    return b->copies != NULL;
}

/* Whether each operand is contiguous in the shape of the result, or one value; or repeats itself, of a result that stays in the caches. */
static bool bind_flat(stria_expression_bound *b, const stria_tensor *const *in, stria_tensor *const *out)
{
    const stria_lowering *l = b->lowering;

    for (int k = 0; k < l->n_operands; k++)
        if (!set_flat(b, k, get_operand(l, k, in, out), out[0])) return false;
    b->call.strides = b->strides;
    return !b->is_periodic ||
           (!b->call.converts && b->call.numel * stria_tensor_get_item_size(out[0]) < STRIA_NONTEMPORAL_BYTES);
}

static stria_status bind_iterator(stria_expression_bound *b, const stria_tensor *const *in, stria_tensor *const *out,
                                  stria_error *err)
{
    const stria_lowering *l = b->lowering;
    stria_iter_config     config;

    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, STRIA_EXPRESSION_NAME);
    stria_iter_config_set_elementwise(&config, l->result);
    if (b->program != NULL) {
        stria_iter_config_set_check_all_same_device(&config, false);
        stria_iter_config_set_static_device(&config, l->device);
    }
    for (int k = 0; k < l->n_operands; k++) {
        const stria_tensor *x = get_operand(l, k, in, out);
        if (k < l->n_out)
            stria_iter_config_add_output(&config, (stria_tensor *)(uintptr_t)x);
        else
            stria_iter_config_add_input(&config, x);
    }
    const stria_status status = stria_iter_build(&b->iter, &config, err);
    stria_iter_config_release(&config);
    STRIA_TRY(status);
    for (int k = 0; k < l->n_operands; k++) {
        b->memory[k] = b->iter.operands[k].dtype;
        b->shift[k] = b->iter.operands[k].data - get_operand(l, k, in, out)->data;
    }
    b->call.iter = &b->iter;
    b->call.converts = false;
    return STRIA_OK;
}

/* A single loop. */
static void bind_loop(stria_expression_bound *b)
{
    const stria_step *s = &b->lowering->steps[0];

    if (b->lowering->n_steps != 1 || s->loop == NULL || b->call.converts || s->out.kind != STRIA_PLACE_OPERAND) return;
    b->loop_strides[0] = b->strides[s->out.index];
    for (int k = 0; k < s->n_in; k++)
        b->loop_strides[1 + k] = s->in[k].kind == STRIA_PLACE_OPERAND ? b->strides[s->in[k].index] : 0;
    b->loop = s->loop;
    b->is_small = b->call.numel <= STRIA_GRAIN && !b->is_periodic && b->loop_strides[0] != 0;
    for (int k = 0; k < s->n_in; k++) {
        const bool is_operand = s->in[k].kind == STRIA_PLACE_OPERAND;
        b->loop_in[k] = is_operand ? b->lowering->operands[s->in[k].index].input : -1;
        b->is_small &= !is_operand || b->loop_strides[1 + k] != 0;
    }
}

/* How much memory ranges take. False: more than scratch has. */
static bool bind_ranges(stria_expression_bound *b)
{
    stria_expression_work work;

    if (stria_expression_reserve(b->lowering, LONG_PERIOD, &work, NULL) != STRIA_OK) return false;
    stria_expression_give(&work);
    b->block = work.block;
    b->block_bytes = work.nbytes;
    return work.memory == NULL;
}

static stria_status bind_operands(stria_expression_bound *b, const stria_tensor *const *in, stria_tensor *const *out,
                                  stria_error *err)
{
    if (b->program != NULL) return bind_iterator(b, in, out, err);
    const bool is_flat = bind_flat(b, in, out);

    if (is_flat && !b->call.converts && !bind_ranges(b)) b->block = 0;
    if (!is_flat || (b->is_periodic && b->block == 0)) {
        b->is_periodic = false;
        b->block = 0;
        return bind_iterator(b, in, out, err);
    }
    bind_loop(b);
    return make_copies(b) ? STRIA_OK : refuse_memory(err);
}

stria_status stria_expression_bind(const stria_expression *e, const stria_tensor *const *in, stria_tensor *const *out,
                                   stria_expression_bound **bound, stria_error *err)
{
    stria_expression_bound *b;

    *bound = NULL;
    if (e->n_in + e->n_out > STRIA_EXEC_MAX_OPERANDS || stria_expression_has_complex(e, in)) return STRIA_OK;
    if (stria_dispatch_get() == NULL) return stria_isa_get_status(err);
    b = stria_object_new(sizeof *b);
    if (b == NULL) return refuse_memory(err);
    stria_status status = stria_lowering_new(e, in, e->n_out == 1 ? out[0] : NULL, &b->lowering, err);
    if (status == STRIA_OK && b->lowering->converts_result && out[0]->dtype != b->lowering->result) {
        stria_expression_bound_release(b);
        return STRIA_OK;
    }
    if (status == STRIA_OK) {
        b->call = (stria_expression_call){
            .lowering = b->lowering, .data = b->data, .memory = b->memory, .numel = out[0]->numel};
        if (b->lowering->device.type != STRIA_DEVICE_CPU)
            b->program = stria_expression_retain((stria_expression *)(uintptr_t)e); /* counted, not changed */
        if (b->call.numel > 0) status = bind_operands(b, in, out, err);
    }
    if (status == STRIA_OK)
        *bound = b;
    else
        stria_expression_bound_release(b);
    return status;
}

void stria_expression_bound_release(stria_expression_bound *b)
{
    if (b == NULL) return;
    if (b->call.iter != NULL) stria_iter_release(&b->iter);
    stria_lowering_release(b->lowering);
    stria_expression_release(b->program);
    stria_object_release(b->copies);
    stria_object_release(b);
}

/* Whether the result has no gaps, and no input lies there. */
static bool is_apart(const stria_expression_bound *b, const stria_tensor *y)
{
    for (int k = 1; k < b->lowering->n_operands; k++)
        if (b->call.data[k] == y->data) return false;
    return stria_tensor_is_contiguous(y);
}

/* Short periods come from where the first is, since what was just written in other pieces is not at hand yet; of long ones each copy is as long as
 * what there is already. */
static char *fill_copies(const flat_operand *f, const char *period)
{
    const int64_t end = f->length * f->size;
    int64_t       n = f->period * f->size;

    if (n >= LEAST_SHORT_BYTES && n <= MOST_SHORT_BYTES && n % 8 == 0) {
        stria_copy_short_rows(f->copies, (size_t)n, period, 0, (size_t)n, end / n);
        return f->copies;
    }
    memcpy(f->copies, period, (size_t)n);
    for (; n < end; n *= 2) memcpy(f->copies + n, f->copies, (size_t)(n < end - n ? n : end - n));
    return f->copies;
}

void stria_expression_bound_set(stria_expression_bound *b, const stria_tensor *const *in, stria_tensor *const *out)
{
    const stria_lowering *l = b->lowering;

    for (int k = 0; k < l->n_operands; k++) {
        const stria_tensor *x = get_operand(l, k, in, out);
        if (b->call.iter != NULL) {
            b->iter.operands[k].data = x->data + b->shift[k];
        } else if (b->strides[k] == 0) {
            l->kernels->cast[x->dtype][l->operands[k].lane](b->values[k], 0, x->data, 0, 1);
            b->data[k] = b->values[k];
        } else {
            b->data[k] = b->flat[k].copies != NULL ? fill_copies(&b->flat[k], x->data) : x->data;
        }
    }
}

bool stria_expression_bound_has_ranges(const stria_expression_bound *b) { return b->block > 0; }

size_t stria_expression_bound_get_range_bytes(const stria_expression_bound *b) { return b->block_bytes; }

/* The only step, at these places. */
static void run_loop(const stria_expression_bound *b, char *const *data, int64_t count)
{
    const stria_step *s = &b->lowering->steps[0];
    char             *at[1 + STRIA_MAX_INPUTS];

    at[0] = data[s->out.index];
    for (int k = 0; k < s->n_in; k++)
        at[1 + k] = s->in[k].kind == STRIA_PLACE_OPERAND ? data[s->in[k].index]
                                                         : (char *)(uintptr_t)s->constant[k]; /* only read */
    b->loop(at, b->loop_strides, count);
}

void stria_expression_bound_run_range_to(const stria_expression_bound *b, int result, char *dst, int64_t at,
                                         int64_t count)
{
    const stria_lowering *l = b->lowering;
    char *const           memory = b->loop == NULL ? stria_scratch_take(b->block_bytes) : NULL;
    char                 *data[STRIA_EXEC_MAX_OPERANDS];

    for (int64_t n; count > 0; at += n, count -= n) {
        n = count;
        for (int k = 0; k < l->n_operands; k++) {
            const flat_operand *f = &b->flat[k];
            const int64_t       begin = f->period > 0 ? at % f->period : at;
            data[k] = b->data[k] + begin * f->size;
            if (f->period > 0 && f->length - begin < n) n = f->length - begin;
            if (k == result) data[k] = dst;
        }
        if (b->loop != NULL)
            run_loop(b, data, n);
        else
            stria_expression_run_block(l, b->block, memory, data, b->strides, n);
        if (result >= 0) dst += n * b->flat[result].size;
    }
    if (memory != NULL) stria_scratch_give(memory);
}

void stria_expression_bound_run_range(const stria_expression_bound *b, int64_t at, int64_t count)
{
    stria_expression_bound_run_range_to(b, -1, NULL, at, count);
}

static void run_chunk(void *context, int chunk, int64_t begin, int64_t end)
{
    (void)chunk;
    stria_expression_bound_run_range(context, begin, end - begin);
}

void stria_expression_bound_run_ranges(stria_expression_bound *b)
{
    stria_parallel_for(stria_team_get(), 0, b->call.numel, STRIA_GRAIN, run_chunk, b);
}

/* The only step of a small call. */
static void run_small(const stria_expression_bound *b, const stria_tensor *const *in, stria_tensor *const *out)
{
    const stria_step *s = &b->lowering->steps[0];
    char             *at[1 + STRIA_MAX_INPUTS] = {out[s->out.index]->data};

    for (int k = 0; k < s->n_in; k++)
        at[1 + k] = b->loop_in[k] >= 0 ? in[b->loop_in[k]]->data : (char *)(uintptr_t)s->constant[k]; /* only read */
    b->loop(at, b->loop_strides, b->call.numel);
}

stria_status stria_expression_run_bound(stria_expression_bound *b, const stria_tensor *const *in,
                                        stria_tensor *const *out, stria_error *err)
{
    stria_expression_work work;

    if (b->is_small) {
        run_small(b, in, out);
        return STRIA_OK;
    }
    if (b->call.numel == 0) return STRIA_OK;
    if (b->program != NULL) {
        stria_expression_bound_set(b, in, out);
        return stria_expression_run_lowered(&(stria_lowered_call){b->program, b->lowering, &b->iter, in, out}, err);
    }
    if (b->loop != NULL && b->call.numel <= STRIA_GRAIN && !b->is_periodic) {
        stria_expression_bound_set(b, in, out);
        run_loop(b, b->data, b->call.numel);
        return STRIA_OK;
    }
    STRIA_TRY(stria_expression_reserve(b->lowering, b->call.numel, &work, err));
    stria_expression_bound_set(b, in, out);
    if (b->is_periodic) {
        stria_expression_bound_run_ranges(b);
    } else {
        b->call.large = b->call.large_end = 0;
        if (stria_expression_is_large(&b->call, out[0]->dtype) && is_apart(b, out[0]))
            stria_expression_set_large(&b->call, out[0]->data, out[0]->dtype);
        stria_expression_run(&b->call, &work);
    }
    stria_expression_give(&work);
    return STRIA_OK;
}
