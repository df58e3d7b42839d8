/* expression_apart.c - an expression that has complex numbers: its ops one after another, of which each goes over its operands by itself. */
#include "base/alloc.h"
#include "base/error.h"
#include "cpu/expression.h"
#include "table/rows.h"

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
    v->last[first + e->n_code - 1] = e->n_code; /* the caller takes it */
    for (int i = e->n_code - 1; i >= 0; i--)
        for (int k = 0; k < stria_op_infos[e->code[i].op].arity && v->last[first + i] != NONE; k++)
            if (v->last[e->code[i].in[k]] == NONE) v->last[e->code[i].in[k]] = i;
}

/* Ends the operands that instruction i was the last to take; inputs are the caller's. */
static void release_operands(const values *v, int i)
{
    for (int k = 0; k < stria_op_infos[v->e->code[i].op].arity; k++) {
        const int operand = v->e->code[i].in[k];
        if (operand < v->e->n_in || v->last[operand] != i) continue;
        stria_tensor_release(v->at[operand]);
        v->at[operand] = NULL;
    }
}

static stria_status run_instruction(const values *v, int i, stria_tensor *given, stria_error *err)
{
    const stria_instruction *instruction = &v->e->code[i];
    const int                arity = stria_op_infos[instruction->op].arity;
    const stria_tensor      *in[STRIA_MAX_INPUTS];

    for (int k = 0; k < arity; k++) in[k] = v->at[instruction->in[k]];
    if (given != NULL && i == v->e->n_code - 1) return stria_apply_out(instruction->op, in, arity, given, err);
    return stria_apply(instruction->op, in, arity, &v->at[get_first(v->e) + i], err);
}

static stria_status run_all(const values *v, stria_tensor *given, stria_error *err)
{
    const stria_expression *e = v->e;

    for (int c = 0; c < e->n_constants; c++)
        STRIA_TRY(stria_tensor_new_scalar(e->constants[c], &v->at[e->n_in + c], err));
    for (int i = 0; i < e->n_code; i++) {
        if (v->last[get_first(e) + i] == NONE) continue;
        STRIA_TRY(run_instruction(v, i, given, err));
        release_operands(v, i);
    }
    return STRIA_OK;
}

stria_status stria_expression_run_apart(const stria_expression *e, const stria_tensor *const *in, stria_tensor *given,
                                        stria_tensor **out, stria_error *err)
{
    const int    n = get_first(e) + e->n_code;
    values       v = {.e = e};
    stria_status status;

    STRIA_TRY(stria_expression_infer(e, in, given, err)); /* every refusal, before anything is computed */
    v.at = stria_object_new((size_t)n * (sizeof *v.at + sizeof *v.last));
    if (v.at == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, STRIA_EXPRESSION_NAME, NULL, NULL, NULL,
                               "no memory for the expression");
    v.last = (int *)(void *)(v.at + n);
    for (int k = 0; k < e->n_in; k++) v.at[k] = (stria_tensor *)(uintptr_t)in[k]; /* only read */
    find_last(&v);
    status = run_all(&v, given, err);
    if (status == STRIA_OK && given == NULL) {
        *out = v.at[n - 1];
        v.at[n - 1] = NULL;
    }
    for (int k = e->n_in; k < n; k++) stria_tensor_release(v.at[k]);
    stria_object_release(v.at);
    return status;
}
