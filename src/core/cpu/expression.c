/* expression.c - several element-wise ops in one pass over memory: making expressions, their cache of lowerings, and calls.
 *
 * A call finds the lowering for its inputs, or makes it (expression_lower.c), and runs it (expression_run.c): directly where
 * every operand is contiguous in the shape of the result or one value, over the iterator otherwise.
 */
#include "cpu/expression.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "cpu/flat.h"
#include "cpu/nontemporal.h"
#include "table/rows.h"
#include "tensor/device.h"

#define NAME STRIA_EXPRESSION_NAME
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static stria_status refuse(stria_error *err, const char *argument, const char *expected, const char *text)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, NAME, argument, expected, NULL, "%s", text);
}

/* ---------------------------------------------------------------- making one */

#define RANGE(least, most) TEXT(least) " to " TEXT(most)

static stria_status check_counts(int n_in, const stria_scalar *constants, int n_constants,
                                 const stria_instruction *code, int n_code, stria_error *err)
{
    if (n_in < 1 || n_in > STRIA_EXPRESSION_MAX_INPUTS)
        return refuse(err, "n_in", RANGE(1, STRIA_EXPRESSION_MAX_INPUTS),
                      "an expression has " RANGE(1, STRIA_EXPRESSION_MAX_INPUTS) " inputs");
    if (n_constants < 0 || n_constants > STRIA_EXPRESSION_MAX_CONSTANTS)
        return refuse(err, "n_constants", RANGE(0, STRIA_EXPRESSION_MAX_CONSTANTS),
                      "an expression has " RANGE(0, STRIA_EXPRESSION_MAX_CONSTANTS) " constants");
    if (n_code < 1 || n_code > STRIA_EXPRESSION_MAX_CODE)
        return refuse(err, "n_code", RANGE(1, STRIA_EXPRESSION_MAX_CODE),
                      "an expression has " RANGE(1, STRIA_EXPRESSION_MAX_CODE) " instructions");
    if (constants == NULL && n_constants > 0)
        return refuse(err, "constants", "an array", "the constants of the expression are NULL");
    if (code == NULL) return refuse(err, "code", "an array", "the code of the expression is NULL");
    return STRIA_OK;
}

static stria_status check_code(int n_in, int n_values, const stria_instruction *code, int n_code, stria_error *err)
{
    for (int i = 0; i < n_code; i++) {
        if ((int)code[i].op < 0 || (int)code[i].op >= STRIA_OP_COUNT + STRIA_DTYPE_COUNT)
            return refuse(err, "code", "a stria_op", "an instruction has no such op");
        for (int k = 0; k < stria_instruction_get_arity(&code[i]); k++)
            if (code[i].in[k] < 0 || code[i].in[k] >= n_values + i)
                return refuse(err, "code", "an input, a constant or an earlier instruction",
                              "an instruction refers to a value that does not exist before it");
        if (code[i].op >= STRIA_OP_COUNT && code[i].in[0] >= n_in && code[i].in[0] < n_values)
            return refuse(err, "code", "an input or an earlier instruction", "a constant is not converted");
    }
    return STRIA_OK;
}

const char *stria_instruction_get_name(const stria_instruction *i)
{
    static const char *const conversions[] = {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) [STRIA_##ENUM] = "to." #word,
#include "table/dtypes.def"
    };

    return i->op >= STRIA_OP_COUNT ? conversions[i->op - STRIA_OP_COUNT] : stria_op_infos[i->op].name;
}

stria_status stria_expression_new(int n_in, const stria_scalar *constants, int n_constants,
                                  const stria_instruction *code, int n_code, stria_expression **out, stria_error *err)
{
    if (out == NULL) return refuse(err, "out", "a place for the expression", "out is NULL");
    *out = NULL;
    STRIA_TRY(check_counts(n_in, constants, n_constants, code, n_code, err));
    for (int c = 0; c < n_constants; c++)
        if ((unsigned)constants[c].kind > STRIA_SCALAR_UINT)
            return refuse(err, "constants", "a kind of scalar", "a constant has no such kind");
    STRIA_TRY(check_code(n_in, n_in + n_constants, code, n_code, err));

    const size_t constant_bytes = (size_t)n_constants * sizeof *constants, code_bytes = (size_t)n_code * sizeof *code;
    stria_expression *e = stria_object_new(sizeof *e + constant_bytes + code_bytes);
    if (e == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, NAME, NULL, NULL, NULL, "no memory for the expression");
    char *copies = (char *)(e + 1);
    if (n_constants > 0) memcpy(copies, constants, constant_bytes);
    memcpy(copies + constant_bytes, code, code_bytes);
    atomic_init(&e->refcount, 1);
    e->n_in = n_in;
    e->n_constants = n_constants;
    e->n_code = n_code;
    e->constants = (const stria_scalar *)(void *)copies;
    e->code = (const stria_instruction *)(void *)(copies + constant_bytes);
    e->number_dtype = STRIA_DTYPE_NONE;
    for (int c = 0; c < n_constants; c++) e->has_complex |= constants[c].kind == STRIA_SCALAR_COMPLEX;
    for (int i = 0; i < n_code; i++)
        e->has_complex |= code[i].op >= STRIA_OP_COUNT && stria_dtype_is_complex(stria_instruction_get_dtype(&code[i]));
    e->n_out = 1;
    e->out[0] = n_in + n_constants + n_code - 1;
    atomic_init(&e->tick, 1); /* no place was used then */
    atomic_init(&e->latest, 0);
    for (int k = 0; k < STRIA_EXPRESSION_CACHE; k++) {
        atomic_init(&e->cache[k].hash, 0);
        atomic_init(&e->cache[k].pins, 0);
        atomic_init(&e->cache[k].used, 0);
        e->cache[k].lowering = NULL;
    }
    *out = e;
    return STRIA_OK;
}

stria_expression *stria_expression_retain(stria_expression *expression)
{
    if (expression != NULL) atomic_fetch_add_explicit(&expression->refcount, 1, memory_order_relaxed);
    return expression;
}

void stria_expression_release(stria_expression *expression)
{
    if (expression == NULL || atomic_fetch_sub_explicit(&expression->refcount, 1, memory_order_acq_rel) > 1) return;
    for (int k = 0; k < STRIA_EXPRESSION_CACHE; k++) stria_lowering_release(expression->cache[k].lowering);
    stria_object_release(expression);
}

/* ---------------------------------------------------------------- the cache */

#define BEING_FILLED (1 << 30)

/* Never 0. */
static unsigned get_hash(int n_in, const stria_tensor *const *in)
{
    unsigned hash = 0;

    for (int k = 0; k < n_in; k++) hash = (hash ^ stria_lowering_get_key(in[k])) * 0x9E3779B1u;
    return hash | 1;
}

static bool has_key(const stria_lowering *l, int n_in, const stria_tensor *const *in)
{
    for (int k = 0; k < n_in; k++)
        if (l->key[k] != stria_lowering_get_key(in[k])) return false;
    return true;
}

static void unpin(stria_cached_lowering *place) { atomic_fetch_sub_explicit(&place->pins, 1, memory_order_release); }

static void mark_used(stria_expression *e, unsigned k)
{
    const unsigned tick = atomic_load_explicit(&e->tick, memory_order_relaxed);

    if (atomic_load_explicit(&e->cache[k].used, memory_order_relaxed) == tick) return; /* the last one again */
    atomic_store_explicit(&e->tick, tick + 1, memory_order_relaxed);
    atomic_store_explicit(&e->cache[k].used, tick + 1, memory_order_relaxed);
    atomic_store_explicit(&e->latest, k, memory_order_relaxed);
}

/* The place with the lowering for inputs like these, pinned; NULL: there is none. */
static stria_cached_lowering *find(stria_expression *e, unsigned hash, const stria_tensor *const *in)
{
    const unsigned latest = atomic_load_explicit(&e->latest, memory_order_relaxed);

    for (unsigned i = 0; i < STRIA_EXPRESSION_CACHE; i++) {
        const unsigned         k = (latest + i) % STRIA_EXPRESSION_CACHE;
        stria_cached_lowering *place = &e->cache[k];
        if (atomic_load_explicit(&place->hash, memory_order_relaxed) != hash) continue;
        if (atomic_fetch_add_explicit(&place->pins, 1, memory_order_acquire) >= 0 && place->lowering != NULL &&
            has_key(place->lowering, e->n_in, in)) {
            mark_used(e, k);
            return place;
        }
        unpin(place);
    }
    return NULL;
}

/* Keeps a new lowering in the place that was used longest ago, of those that no call uses; pinned. NULL: all are in use. */
static stria_cached_lowering *keep(stria_expression *e, unsigned hash, stria_lowering *lowering)
{
    unsigned tried = 0;

    for (int i = 0; i < STRIA_EXPRESSION_CACHE; i++) {
        const unsigned now = atomic_load_explicit(&e->tick, memory_order_relaxed);
        unsigned       oldest = 0, age = 0;
        int            none = 0;
        for (unsigned k = 0; k < STRIA_EXPRESSION_CACHE; k++) {
            const unsigned a = now - atomic_load_explicit(&e->cache[k].used, memory_order_relaxed) + 1;
            if (tried >> k & 1 || a <= age) continue;
            oldest = k;
            age = a;
        }
        stria_cached_lowering *place = &e->cache[oldest];
        tried |= 1u << oldest;
        if (!atomic_compare_exchange_strong_explicit(&place->pins, &none, -BEING_FILLED, memory_order_acq_rel,
                                                     memory_order_relaxed))
            continue;
        /* a child forked here that ends the expression finds one of the two, alive */
        stria_lowering *const old = place->lowering;
        place->lowering = lowering;
        atomic_thread_fence(memory_order_release);
        stria_lowering_release(old);
        atomic_store_explicit(&place->hash, hash, memory_order_relaxed);
        mark_used(e, oldest);
        atomic_fetch_add_explicit(&place->pins, BEING_FILLED + 1, memory_order_release);
        return place;
    }
    return NULL;
}

/* ---------------------------------------------------------------- the operands of a call */

/* Operands of a call, in arrays of [n] here, or in `heap` where there are more than fit. */
typedef struct operands {
    int          n;
    char       **data;
    int64_t     *strides; /* [2 * n], the second half 0 */
    stria_dtype *memory;
    char (*values)[8]; /* single values, in the dtype of the steps */
    void       *heap;
    char       *few_data[STRIA_EXEC_MAX_OPERANDS];
    int64_t     few_strides[2 * STRIA_EXEC_MAX_OPERANDS];
    stria_dtype few_memory[STRIA_EXEC_MAX_OPERANDS];
    _Alignas(8) char few_values[STRIA_EXEC_MAX_OPERANDS][8];
} operands;

static bool operands_init(operands *o, int n)
{
    o->n = n;
    o->heap = NULL;
    o->data = o->few_data;
    o->strides = o->few_strides;
    o->memory = o->few_memory;
    o->values = o->few_values;
    if (n <= STRIA_EXEC_MAX_OPERANDS) return true;
    o->heap = stria_object_new((size_t)n * (2 * sizeof(int64_t) + 8 + sizeof(char *) + sizeof(stria_dtype)));
    if (o->heap == NULL) return false;
    o->strides = o->heap;
    o->values = (char(*)[8])(void *)(o->strides + 2 * n);
    o->data = (char **)(void *)(o->values + n);
    o->memory = (stria_dtype *)(void *)(o->data + n);
    return true;
}

static void operands_release(operands *o)
{
    if (o->heap != NULL) stria_object_release(o->heap);
}

/* One call: what it is given, and what is found out about it. */
typedef struct request {
    const stria_expression    *e;
    stria_lowering            *lowering;
    const stria_tensor *const *in;
    stria_tensor              *given;      /* out, or NULL */
    bool                       is_checked; /* every op has been asked about these very operands */
    stria_device               device;     /* of the inputs, but for 0-dim ones of the CPU */
} request;

static const stria_tensor *get_input(const request *r, int operand)
{
    return r->in[r->lowering->operands[operand].input];
}

/* The input whose shape is that of the result, if all are of that shape or one value. */
static const stria_tensor *find_model(const request *r)
{
    const stria_tensor *model = r->lowering->n_operands > 1 ? get_input(r, 1) : NULL; /* of constants alone */

    for (int k = 2; k < r->lowering->n_operands; k++) {
        const stria_tensor *x = get_input(r, k);
        if (model->numel == 1 && (x->numel != 1 || x->ndim > model->ndim)) model = x;
    }
    return model;
}

static bool fits_dtype(const stria_lowering *l, const stria_tensor *out)
{
    return l->is_truth || out->dtype == l->result || stria_dtype_get_castable(l->result, out->dtype);
}

/* Whether the result can be written to `given` as it is. */
static bool is_direct_out(const request *r, const stria_tensor *model)
{
    const stria_tensor *out = r->given;

    if (out->device.type != STRIA_DEVICE_CPU || !fits_dtype(r->lowering, out)) return false;
    if (stria_flat_get(out, model->ndim, model->shape, false) != STRIA_FLAT_RUN) return false;
    for (int k = 1; k < r->lowering->n_operands; k++)
        if (!stria_flat_is_apart(out, get_input(r, k))) return false;
    return true;
}

/* Fills in the inputs if they need no iterator: contiguous in the shape of the result, or single values. */
static bool prepare_direct(const request *r, const stria_tensor *model, operands *o, bool *converts)
{
    const stria_lowering *l = r->lowering;

    *converts = false;
    for (int k = 1; k < l->n_operands; k++) {
        const stria_tensor *x = get_input(r, k);
        const stria_dtype   lane = l->operands[k].lane;
        const stria_flat    flat = stria_flat_get(x, model->ndim, model->shape, x == model);
        if (flat == STRIA_FLAT_NOT) return false;
        if (x->numel == 1) {
            l->kernels->cast[x->dtype][lane](o->values[k], 0, x->data, 0, 1);
            o->data[k] = o->values[k];
            o->strides[k] = 0;
            o->memory[k] = lane;
        } else {
            o->data[k] = x->data;
            o->strides[k] = stria_tensor_get_item_size(x);
            o->memory[k] = x->dtype;
            *converts |= x->dtype != lane;
        }
    }
    return true;
}

/* ---------------------------------------------------------------- running */

/* Whether the result has no gaps, and shares no memory with an input. */
static bool is_apart(const request *r)
{
    if (r->given == NULL) return true;
    for (int k = 1; k < r->lowering->n_operands; k++)
        if (stria_tensor_get_aliased(r->given, get_input(r, k))) return false;
    return stria_tensor_is_contiguous(r->given);
}

static stria_status run_direct(const request *r, const stria_tensor *model, operands *o, bool converts,
                               stria_tensor **out, stria_error *err)
{
    const stria_lowering *l = r->lowering;
    stria_expression_work work;
    stria_tensor         *y = r->given;

    STRIA_TRY(stria_expression_reserve(l, model->numel, &work, err));
    if (y == NULL) {
        const stria_status status = stria_tensor_new(l->result, model->ndim, model->shape, &y, err);
        if (status != STRIA_OK) {
            stria_expression_give(&work);
            return stria_error_set_op(err, status, NAME);
        }
    }
    o->data[0] = y->data;
    o->strides[0] = stria_tensor_get_item_size(y);
    o->memory[0] = y->dtype;
    converts |= y->dtype != l->operands[0].lane;
    if (converts || o->heap != NULL) memset(o->strides + o->n, 0, (size_t)o->n * sizeof *o->strides);
    stria_expression_call call = {.lowering = l,
                                  .data = o->data,
                                  .strides = o->strides,
                                  .memory = o->memory,
                                  .converts = converts,
                                  .numel = y->numel};
    if (stria_expression_is_large(&call, y->dtype) && is_apart(r)) stria_expression_set_large(&call, y->data, y->dtype);
    stria_expression_run(&call, &work);
    stria_expression_give(&work);
    if (r->given == NULL) *out = y;
    return STRIA_OK;
}

/* Beyond the CPU and META, by the table of the device. */
static stria_status run_on_device(const request *r, stria_iter *iter, stria_tensor **out, stria_error *err)
{
    stria_tensor            *y = stria_iter_get_tensor(iter, 0);
    const stria_lowered_call call = {r->e, r->lowering, iter, r->in, &y};
    const stria_status       status = stria_expression_run_lowered(&call, err);

    if (status == STRIA_OK && r->given == NULL) *out = stria_iter_take_output(iter, 0);
    stria_iter_release(iter);
    return status;
}

static void run_iterator(const request *r, stria_iter *iter, operands *o, const stria_expression_work *work,
                         stria_tensor **out)
{
    stria_expression_call call = {
        .lowering = r->lowering, .iter = iter, .memory = o->memory, .numel = stria_iter_get_numel(iter)};

    for (int k = 0; k < o->n; k++) o->memory[k] = stria_iter_get_dtype(iter, k);
    if (stria_expression_is_large(&call, o->memory[0]) && is_apart(r))
        stria_expression_set_large(&call, stria_iter_get_data(iter, 0), o->memory[0]);
    if (r->device.type == STRIA_DEVICE_CPU) stria_expression_run(&call, work);
    if (r->given == NULL) *out = stria_iter_take_output(iter, 0);
    stria_iter_release(iter);
}

/* Refusals of the ops that neither the lowering nor the iterator makes. */
static bool may_be_refused(const request *r)
{
    const stria_lowering *l = r->lowering;
    bool                  found = l->has_dead_code;

    if (r->given != NULL) found |= !stria_device_equals(r->given->device, r->device) || !fits_dtype(l, r->given);
    for (int k = 1; k < l->n_operands; k++) found |= get_input(r, k)->numel == 0; /* shapes in between may overflow */
    return found;
}

static stria_status iterate(const request *r, operands *o, stria_tensor **out, stria_error *err)
{
    const bool is_far = r->device.type != STRIA_DEVICE_CPU && r->device.type != STRIA_DEVICE_META;

    stria_expression_work work = {.memory = NULL};
    stria_iter_config     config;
    stria_iter            iter;
    stria_status          status;

    if (!r->is_checked && may_be_refused(r)) STRIA_TRY(stria_expression_infer(r->e, r->in, r->given, err));
    if (!is_far) STRIA_TRY(stria_expression_reserve(r->lowering, INT64_MAX, &work, err));
    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, NAME);
    stria_iter_config_set_elementwise(&config, r->lowering->result);
    if (is_far) { /* 0-dim inputs on the CPU may be many: each op has one */
        stria_iter_config_set_check_all_same_device(&config, false);
        stria_iter_config_set_static_device(&config, r->device);
    }
    stria_iter_config_add_output(&config, r->given);
    for (int k = 1; k < r->lowering->n_operands; k++) stria_iter_config_add_input(&config, get_input(r, k));
    status = stria_iter_build(&iter, &config, err);
    stria_iter_config_release(&config);
    if (status == STRIA_OK && is_far) return run_on_device(r, &iter, out, err);
    if (status == STRIA_OK) run_iterator(r, &iter, o, &work, out);
    if (!is_far) stria_expression_give(&work);
    if (status != STRIA_OK && !r->is_checked) /* the op that refuses says it better */
        STRIA_TRY(stria_expression_infer(r->e, r->in, r->given, err));
    return status;
}

static stria_status call_lowering(const request *r, stria_tensor **out, stria_error *err)
{
    const stria_tensor *model = find_model(r);
    operands            o;
    bool                converts = false;
    stria_status        status;

    if (!operands_init(&o, r->lowering->n_operands))
        return stria_error_set(err, STRIA_ERR_MEMORY, NAME, NULL, NULL, NULL, "no memory for the operands");
    const bool is_known = r->is_checked || !r->lowering->has_dead_code;
    if (model != NULL && r->device.type == STRIA_DEVICE_CPU && is_known &&
        (r->given == NULL || is_direct_out(r, model)) && prepare_direct(r, model, &o, &converts))
        status = run_direct(r, model, &o, converts, out, err);
    else
        status = iterate(r, &o, out, err);
    operands_release(&o);
    return status;
}

int stria_expression_count_inputs(const stria_expression *expression) { return expression->n_in; }

stria_status stria_cpu_expression(const stria_call *call, stria_error *err)
{
    const stria_expression_attrs *attrs = call->attrs;
    stria_expression *e = (stria_expression *)(uintptr_t)attrs->program; /* the cache changes, what it is does not */
    stria_tensor     *given = call->out[0];
    stria_lowering   *made = NULL;
    stria_device      device;

    if (stria_dispatch_get() == NULL) return stria_isa_get_status(err);
    if (stria_expression_has_complex(e, call->in))
        return stria_expression_run_apart(e, call->in, given, call->out, err);

    const unsigned         hash = get_hash(call->n_in, call->in);
    stria_cached_lowering *place = find(e, hash, call->in);
    if (place != NULL) {
        const stria_status status = stria_expression_find_device(e, call->in, &device, err);
        if (status != STRIA_OK) {
            unpin(place);
            return status;
        }
    } else {
        STRIA_TRY(stria_lowering_new(e, call->in, given, &made, err));
        device = made->device;
        place = keep(e, hash, made);
    }
    const request      r = {.e = e,
                            .lowering = place != NULL ? place->lowering : made,
                            .in = call->in,
                            .given = given,
                            .is_checked = made != NULL,
                            .device = device};
    const bool         is_apart = r.lowering->converts_result && given != NULL && given->dtype != r.lowering->result;
    const stria_status status =
        is_apart ? stria_expression_run_apart(e, call->in, given, call->out, err) : call_lowering(&r, call->out, err);
    if (place != NULL)
        unpin(place);
    else
        stria_lowering_release(made);
    return status;
}
