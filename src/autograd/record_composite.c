/* record_composite.c - calls that are made of others, where gradients are recorded: each of those comes to record.c itself. */
#include "autograd/record.h"
#include "base/error.h"
#include "cpu/expression.h"
#include "table/rows.h"

/* Another tensor with the elements and the history of x. */
static stria_status copy_with_history(const stria_tensor *x, stria_tensor **copy, stria_error *err)
{
    stria_tensor *plain = NULL;
    stria_slot   *slot = NULL;

    STRIA_TRY(stria_slot_find(x, &slot, err));
    STRIA_TRY(stria_tensor_copy(x, STRIA_DTYPE_NONE, &plain, err));
    const stria_status status = stria_slot_view(plain, slot, copy, err);
    stria_tensor_release(plain);
    return status;
}

/* Without a rule of its own its calls are recorded, else it is. */
static stria_status make(const stria_record *r, const stria_call *call, stria_error *err)
{
    return r->rule->kind == STRIA_RULE_SILENT ? r->family(call, err) : stria_gradients_run(call, r->family, err);
}

/* The composite makes a new result. In place it reads a copy: what its calls save is not written over then, and does not own the history that
 * x is going to have. */
static stria_status run_composite_new(const stria_record *r, stria_tensor **y, stria_error *err)
{
    const stria_tensor *in[STRIA_MAX_TENSORS];
    stria_tensor       *copy = NULL;
    stria_call          call = *r->call;

    call.out = y;
    if (!r->is_in_place) return make(r, &call, err);
    STRIA_TRY(copy_with_history(r->call->in[0], &copy, err));
    const int n = r->schema->n_tensors - stria_schema_has_list(r->schema);
    for (int k = 0; k < n; k++) in[k] = r->call->in[k] == r->call->in[0] ? copy : r->call->in[k];
    call.in = in;
    const stria_status status = make(r, &call, err);
    stria_tensor_release(copy);
    return status;
}

static stria_status check_cast(const stria_record *r, const stria_tensor *made, const stria_tensor *out,
                               stria_error *err)
{
    const char *to = stria_dtype_get_name(out->dtype), *from = stria_dtype_get_name(made->dtype);

    if (stria_dtype_get_castable(made->dtype, out->dtype)) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_DTYPE, r->schema->name, "out", from, to,
                           "a result of %s does not cast to an out of %s", from, to);
}

/* The results are then copied to the tensors that were given; new ones are handed over when nothing can fail any more. */
stria_status stria_record_run_composite_into(const stria_record *r, stria_error *err)
{
    stria_tensor **out = r->call->out, *y[STRIA_MAX_OUTPUTS] = {NULL};
    stria_status   status = run_composite_new(r, y, err);

    for (int k = 0; k < r->n_out && status == STRIA_OK; k++)
        if (out[k] != NULL) status = check_cast(r, y[k], out[k], err);
    for (int k = 0; k < r->n_out && status == STRIA_OK; k++)
        if (out[k] != NULL) status = stria_error_set_op(err, stria_tensor_set(out[k], y[k], err), r->schema->name);
    for (int k = 0; k < r->n_out; k++) {
        if (status == STRIA_OK && out[k] == NULL)
            out[k] = y[k];
        else
            stria_tensor_release(y[k]);
    }
    return status;
}

/* The rows of ops.def with numbers write to their output themselves. */
static bool is_op_with_numbers(const stria_record *r)
{
    static const bool are[] = {
#define STRIA_FN_OP(name, tensors, attributes, outputs, summary) true,
#define STRIA_FN_COMPOSE(name, tensors, attributes, outputs, summary) false,
#define STRIA_FN(name, tensors, attributes, outputs, summary) false,
#include "table/functions.def"
    };
    return are[stria_call_get_function(r->call)];
}

stria_status stria_record_run_composite(const stria_record *r, stria_error *err)
{
    stria_gradient_state *here = &stria_gradient_here;
    stria_status          status;

    if (r->needs && r->is_given && !r->is_in_place && here->depth == 0) return stria_record_refuse_out(r, err);
    here->depth++;
    status = r->needs && r->is_given && !is_op_with_numbers(r) ? stria_record_run_composite_into(r, err)
                                                               : r->family(r->call, err);
    here->depth--;
    return status;
}

/* An expression whose inputs require gradients is what its instructions are, one after another. In place it reads a copy, as composites do. */
stria_status stria_record_run_instructions(const stria_record *r, stria_error *err)
{
    const stria_expression_attrs *attrs = r->call->attrs;
    const stria_expression       *e = attrs->program;
    const int                     n_before = e != NULL ? e->n_in + e->n_constants : 0;
    stria_status                  status = STRIA_OK;
    stria_tensor                 *copy = NULL;
    stria_tensor_list             values;

    if (e == NULL || e->n_in != r->call->n_in) return r->family(r->call, err); /* refuses it */
    STRIA_TRY(stria_tensor_list_new(&values, n_before + e->n_code, STRIA_EXPRESSION_NAME, "code", err));
    if (r->is_in_place) status = copy_with_history(r->call->in[0], &copy, err);
    for (int k = 0; k < e->n_in; k++) {
        const stria_tensor *x = r->call->in[k];
        values.at[k] = stria_tensor_retain(copy != NULL && x == r->call->in[0] ? copy : (stria_tensor *)(uintptr_t)x);
    }
    stria_tensor_release(copy);
    for (int k = 0; k < e->n_constants && status == STRIA_OK; k++)
        status = stria_tensor_new_scalar(e->constants[k], &values.at[e->n_in + k], err);
    for (int k = 0; k < e->n_code && status == STRIA_OK; k++) {
        const stria_tensor *in[STRIA_MAX_INPUTS];
        const int           arity = stria_instruction_get_arity(&e->code[k]);
        for (int i = 0; i < arity; i++) in[i] = values.at[e->code[k].in[i]];
        if (e->code[k].op >= STRIA_OP_COUNT)
            status = stria_tensor_copy(in[0], stria_instruction_get_dtype(&e->code[k]), &values.at[n_before + k], err);
        else
            status = stria_apply(e->code[k].op, in, arity, &values.at[n_before + k], err);
    }
    if (status == STRIA_OK && r->is_given) {
        status = stria_tensor_set(r->call->out[0], values.at[n_before + e->n_code - 1], err);
    } else if (status == STRIA_OK) {
        r->call->out[0] = values.at[n_before + e->n_code - 1];
        values.at[n_before + e->n_code - 1] = NULL;
    }
    stria_tensor_list_release(&values);
    return stria_error_set_op(err, status, STRIA_EXPRESSION_NAME);
}
