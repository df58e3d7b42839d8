/* expression_apart.c - an expression that has complex numbers, or is on a device that makes no code of it: its ops one after another, of which
 * each goes over its operands by itself. */
#include "base/alloc.h"
#include "base/error.h"
#include "call/backend.h"
#include "cpu/expression.h"
#include "table/rows.h"
#include "tensor/device.h"

#define NONE (-1)

bool stria_expression_has_complex(const stria_expression *e, const stria_tensor *const *in)
{
    bool found = e->has_complex;

    for (int k = 0; k < e->n_in; k++) found |= stria_dtype_is_complex(in[k]->dtype);
    return found;
}

/* Values are numbered as in stria_instruction. */
typedef struct values {
    const stria_expression *e;
    stria_tensor          **at; /* [n_values]; inputs are borrowed */
    int *last; /* [n_values]: the last instruction that takes the value; NONE: none that the result depends on */
} values;

static int get_first(const stria_expression *e) { return e->n_in + e->n_constants; }

static void find_last(const values *v)
{
    const stria_expression *e = v->e;
    const int               first = get_first(e);

    for (int k = 0; k < first + e->n_code; k++) v->last[k] = NONE;
    for (int k = 0; k < e->n_out; k++) v->last[e->out[k]] = e->n_code; /* the caller takes it */
    for (int i = e->n_code - 1; i >= 0; i--)
        for (int k = 0; k < stria_instruction_get_arity(&e->code[i]) && v->last[first + i] != NONE; k++)
            if (v->last[e->code[i].in[k]] == NONE) v->last[e->code[i].in[k]] = i;
}

/* Ends the operands that instruction i was the last to take; inputs are the caller's. */
static void release_operands(const values *v, int i)
{
    for (int k = 0; k < stria_instruction_get_arity(&v->e->code[i]); k++) {
        const int operand = v->e->code[i].in[k];
        if (operand < v->e->n_in || v->last[operand] != i) continue;
        stria_tensor_release(v->at[operand]);
        v->at[operand] = NULL;
    }
}

/* A number, or, where the expression has those of a dtype, a 0-dim tensor. */
static stria_status make_constant(const values *v, int c, stria_error *err)
{
    stria_tensor **value = &v->at[v->e->n_in + c], *number = NULL;

    if (v->e->number_dtype == STRIA_DTYPE_NONE) return stria_tensor_new_scalar(v->e->constants[c], value, err);
    STRIA_TRY(stria_tensor_new_scalar(v->e->constants[c], &number, err));
    const stria_status status = stria_tensor_copy(number, v->e->number_dtype, value, err);
    stria_tensor_release(number);
    return status;
}

static stria_status convert(const stria_tensor *x, stria_dtype dtype, stria_tensor *given, stria_tensor **made,
                            stria_error *err)
{
    STRIA_TRY(stria_tensor_copy(x, dtype, made, err));
    return given != NULL ? stria_tensor_set(given, *made, err) : STRIA_OK;
}

static stria_status run_instruction(const values *v, int i, stria_tensor *given, stria_error *err)
{
    const stria_instruction *instruction = &v->e->code[i];
    const int                arity = stria_instruction_get_arity(instruction);
    const bool               is_given = given != NULL && i == v->e->n_code - 1;
    const stria_tensor      *in[STRIA_MAX_INPUTS];

    for (int k = 0; k < arity; k++) in[k] = v->at[instruction->in[k]];
    if (instruction->op >= STRIA_OP_COUNT)
        return convert(in[0], stria_instruction_get_dtype(instruction), is_given ? given : NULL,
                       &v->at[get_first(v->e) + i], err);
    if (is_given) return stria_apply_out(instruction->op, in, arity, given, err);
    return stria_apply(instruction->op, in, arity, &v->at[get_first(v->e) + i], err);
}

static stria_status run_all(const values *v, stria_tensor *given, stria_error *err)
{
    const stria_expression *e = v->e;

    for (int c = 0; c < e->n_constants; c++) STRIA_TRY(make_constant(v, c, err));
    for (int i = 0; i < e->n_code; i++) {
        if (v->last[get_first(e) + i] == NONE) continue;
        STRIA_TRY(run_instruction(v, i, given, err));
        release_operands(v, i);
    }
    return STRIA_OK;
}

static stria_status begin(values *v, const stria_tensor *const *in, stria_error *err)
{
    const size_t n = (size_t)(get_first(v->e) + v->e->n_code);

    v->at = stria_object_new(n * (sizeof *v->at + sizeof *v->last));
    if (v->at == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, STRIA_EXPRESSION_NAME, NULL, NULL, NULL,
                               "no memory for the expression");
    v->last = (int *)(void *)(v->at + n);
    for (int k = 0; k < v->e->n_in; k++) v->at[k] = (stria_tensor *)(uintptr_t)in[k]; /* only read */
    find_last(v);
    return STRIA_OK;
}

static void end(const values *v)
{
    for (int k = v->e->n_in; k < get_first(v->e) + v->e->n_code; k++) stria_tensor_release(v->at[k]);
    stria_object_release(v->at);
}

stria_status stria_expression_run_apart(const stria_expression *e, const stria_tensor *const *in, stria_tensor *given,
                                        stria_tensor **out, stria_error *err)
{
    const int last = get_first(e) + e->n_code - 1;
    values    v = {.e = e};

    STRIA_TRY(stria_expression_infer(e, in, given, err)); /* every refusal, before anything is computed */
    STRIA_TRY(begin(&v, in, err));
    const stria_status status = run_all(&v, given, err);
    if (status == STRIA_OK && given == NULL) {
        *out = v.at[last];
        v.at[last] = NULL;
    }
    end(&v);
    return status;
}

stria_status stria_expression_run_apart_into(const stria_expression *e, const stria_tensor *const *in,
                                             stria_tensor *const *out, stria_error *err)
{
    values        v = {.e = e};
    stria_tensor *given = e->n_out == 1 ? out[0] : NULL;

    STRIA_TRY(begin(&v, in, err));
    stria_status status = run_all(&v, given, err);
    for (int k = 0; k < e->n_out && given == NULL && status == STRIA_OK; k++)
        status = stria_backend_copy(out[k], v.at[e->out[k]], err);
    end(&v);
    return status;
}

/* ---------------------------------------------------------------- other devices */

stria_status stria_expression_run_lowered(const stria_lowered_call *call, stria_error *err)
{
    const stria_backend *backend = stria_backend_get(call->out[0]->device);
    bool                 is_run = false;

    if (stria_iter_get_numel(call->iter) == 0) return STRIA_OK;
    if (backend->lowered != NULL) STRIA_TRY(backend->lowered(call, &is_run, err));
    return is_run ? STRIA_OK : stria_expression_run_apart_into(call->e, call->in, call->out, err);
}

stria_status stria_expression_find_device(const stria_expression *e, const stria_tensor *const *in,
                                          stria_device *device, stria_error *err)
{
    *device = STRIA_CPU;
    for (int k = 0; k < e->n_in && device->type == STRIA_DEVICE_CPU; k++) *device = in[k]->device;
    for (int k = 0; k < e->n_in; k++) {
        const stria_tensor *x = in[k];
        if (stria_device_equals(x->device, *device) || (x->device.type == STRIA_DEVICE_CPU && x->ndim == 0)) continue;
        const char *first = stria_device_get_name(*device), *second = stria_device_get_name(x->device);
        return stria_error_set(err, STRIA_ERR_DEVICE, STRIA_EXPRESSION_NAME, "in", first, second,
                               "operands are on %s and %s", first, second);
    }
    return STRIA_OK;
}
