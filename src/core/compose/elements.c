/* elements.c - formulas of elements (elements.h). */
#include "compose/elements.h"

#include "base/error.h"
#include "call/backend.h"

/* Fewer are as fast by the calls themselves. */
#define LEAST_NUMEL ((int64_t)1 << 16)
#define MOST_CALLS STRIA_MAX_TEMPS
#define MOST_INPUTS 16

/* ---------------------------------------------------------------- what a formula calls */

/* Values are inputs, and behind them what the calls make. */
typedef struct outline {
    const stria_tensor *seen[MOST_INPUTS]; /* what stands for input k in the calls */
    const stria_tensor *in[MOST_INPUTS];   /* with elements */
    const stria_tensor *made[MOST_CALLS];  /* by call k; alive as long as the temporaries */
    stria_instruction   code[MOST_CALLS];  /* operand k of the inputs is k, what call k made is MOST_INPUTS + k */
    int                 n_in, n_code;
    bool                is_whole; /* all calls are element-wise, and there is room for them */
} outline;

static int find_value(outline *o, const stria_tensor *x)
{
    for (int k = 0; k < o->n_code; k++)
        if (o->made[k] == x) return MOST_INPUTS + k;
    for (int k = 0; k < o->n_in; k++)
        if (o->seen[k] == x) return k;
    if (x->device.type != STRIA_DEVICE_CPU || x->ndim != 0 || o->n_in == MOST_INPUTS) return -1;
    o->seen[o->n_in] = o->in[o->n_in] = x; /* a number of the formula */
    return o->n_in++;
}

static stria_status note(void *context, const stria_call *call, bool *is_taken, stria_error *err)
{
    outline *o = context;

    *is_taken = true;
    const bool fits = call->row < STRIA_OP_COUNT && o->n_code < MOST_CALLS && call->out[0] == NULL;
    STRIA_TRY(stria_call_run(call, err));
    o->is_whole &= fits;
    if (!fits) return STRIA_OK;
    stria_instruction *i = &o->code[o->n_code];
    i->op = (stria_op)call->row;
    for (int k = 0; k < call->n_in; k++) {
        i->in[k] = find_value(o, call->in[k]);
        o->is_whole &= i->in[k] >= 0;
    }
    o->made[o->n_code++] = call->out[0];
    return STRIA_OK;
}

/* Runs the formula on tensors without elements; *last becomes what it makes, one of `temps`. */
static stria_status take_outline(const stria_call *call, const stria_formula *formula, outline *o, stria_temps *temps,
                                 stria_tensor **last, stria_error *err)
{
    const stria_tensor *in[MOST_INPUTS] = {NULL};

    for (int k = 0; k < formula->n_in; k++) {
        const stria_tensor *x = in[k] = formula->in[k];
        if (x == NULL) continue;
        if (x->ndim > 0) {
            STRIA_TRY(stria_tensor_new_on(STRIA_META, x->dtype, x->ndim, x->shape, NULL, STRIA_TEMP, err));
            in[k] = STRIA_LAST;
        }
        o->seen[o->n_in] = in[k];
        o->in[o->n_in++] = x;
    }
    stria_call_set_recorder(note, o);
    const stria_status status = formula->fn(call->attrs, in, temps, err);
    stria_call_set_recorder(NULL, NULL);
    *last = STRIA_LAST;
    o->is_whole &= status == STRIA_OK && o->n_code > 0 && o->made[o->n_code - 1] == *last;
    for (int k = 0; k < o->n_code; k++)
        o->is_whole &= o->made[k]->numel == (*last)->numel; /* a smaller one would be made often */
    return status;
}

static stria_status make_expression(outline *o, stria_expression **e, stria_error *err)
{
    for (int i = 0; i < o->n_code; i++)
        for (int k = 0; k < stria_op_infos[o->code[i].op].arity; k++)
            if (o->code[i].in[k] >= MOST_INPUTS) o->code[i].in[k] += o->n_in - MOST_INPUTS;
    return stria_expression_new(o->n_in, NULL, 0, o->code, o->n_code, e, err);
}

/* ---------------------------------------------------------------- as one pass */

/* The elements, or all of them combined, by an expression. *y stays NULL where that is not possible: nothing was done. */
static stria_status run_as_one(const stria_call *call, const stria_formula *formula, const stria_reduction *reduction,
                               stria_tensor **y, stria_error *err)
{
    outline           o = {.is_whole = true};
    stria_temps       own = {{NULL}, 0};
    stria_tensor     *last = NULL;
    stria_expression *e = NULL;

    stria_status status = take_outline(call, formula, &o, &own, &last, err);
    if (status == STRIA_OK && o.is_whole) status = make_expression(&o, &e, err);
    if (e != NULL && reduction == NULL) status = stria_expression_apply(e, o.in, o.n_in, y, err);
    if (e != NULL && reduction != NULL)
        status = stria_backend_get(o.in[0]->device)->fold_expression(e, o.in, last, *reduction, y, err);
    stria_expression_release(e);
    stria_temps_release(&own);
    return status;
}

static bool is_worthwhile(const stria_call *call, const stria_formula *formula)
{
    int64_t numel = 0;

    if (formula->n_in > MOST_INPUTS || stria_call_is_seen(call)) return false;
    for (int k = 0; k < formula->n_in; k++) {
        const stria_tensor *x = formula->in[k];
        if (x == NULL) continue;
        const stria_backend *backend = stria_backend_get(x->device);
        if (backend == NULL || backend->fold_expression == NULL) return false;
        if (x->numel > numel) numel = x->numel;
    }
    return numel > LEAST_NUMEL;
}

/* Then the result is row-major whoever computes it. Else its memory order would depend on the order of the operands of an expression. */
static bool is_row_major(const stria_formula *formula)
{
    for (int k = 0; k < formula->n_in; k++)
        if (formula->in[k] != NULL && !stria_tensor_is_contiguous(formula->in[k])) return false;
    return true;
}

stria_status stria_formula_make(const stria_call *call, const stria_formula *formula, stria_temps *temps,
                                stria_error *err)
{
    stria_tensor *y = NULL;

    if (is_row_major(formula) && is_worthwhile(call, formula)) STRIA_TRY(run_as_one(call, formula, NULL, &y, err));
    if (y != NULL) return stria_temps_keep(temps, y, err);
    return formula->fn(call->attrs, formula->in, temps, err);
}

stria_status stria_formula_reduce(const stria_call *call, const stria_formula *formula, stria_reduction reduction,
                                  stria_temps *temps, stria_error *err)
{
    stria_tensor *y = NULL;

    if (is_worthwhile(call, formula)) STRIA_TRY(run_as_one(call, formula, &reduction, &y, err));
    if (y != NULL) return stria_temps_keep(temps, y, err);
    STRIA_TRY(formula->fn(call->attrs, formula->in, temps, err));
    return stria_reduce(reduction, STRIA_LAST, NULL, 0, false, STRIA_DTYPE_NONE, STRIA_TEMP, err);
}
