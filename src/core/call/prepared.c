/* prepared.c - the steps of the door (call.c) in two parts: what a call is found to be, and the implementation that computes it. */
#include "call/prepared.h"

#include "base/alloc.h"
#include "base/error.h"
#include "call/call_internal.h"
#include "tensor/overlap.h"

struct stria_prepared_call {
    const stria_call *call;
    const char       *name;
    stria_infer_fn   *infer; /* of attributes that change; else NULL */
    stria_impl_fn    *impl;  /* NULL: nothing is to be computed */
    stria_call_meta   meta;
    stria_output_meta outs[];
};

/* Whether the implementation can write to the outputs themselves. */
static bool is_direct(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta)
{
    for (int k = 0; k < schema->n_outputs; k++)
        if (!stria_output_is_direct(call, schema, k, meta)) return false;
    return true;
}

static bool has_elements(const stria_call *call, int n_outputs)
{
    for (int k = 0; k < n_outputs; k++)
        if (call->out[k]->numel > 0) return true;
    return n_outputs == 0;
}

static stria_status prepare_function(stria_prepared_call *p, const stria_schema *schema, bool *is_prepared,
                                     stria_error *err)
{
    const stria_call *call = p->call;
    stria_infer_fn   *infer = stria_call_get_infer(stria_call_get_function(call));

    if (infer == NULL || call->out_list != NULL) return STRIA_OK;
    if (call->row == STRIA_ROW_OF_FUNCTION(STRIA_FN_copy) && call->out[0] == call->in[0] &&
        stria_overlap_find_itself(call->out[0]) != STRIA_OVERLAP_NONE)
        return STRIA_OK; /* which takes one value, and itself; other outputs may not be such tensors */
    STRIA_TRY(stria_call_check_schema(call, schema, err));
    STRIA_TRY(infer(call, &p->meta, err));
    if (!p->meta.has_device) STRIA_TRY(stria_call_infer_device(call, schema, &p->meta, err));
    STRIA_TRY(stria_call_find_impl(call, schema, p->meta.device, &p->impl, err));
    if (stria_schema_is_update(schema))
        STRIA_TRY(stria_call_check_update(call, schema, err));
    else
        STRIA_TRY(stria_call_check_outs(call, schema, &p->meta, err));
    *is_prepared = is_direct(call, schema, &p->meta);
    return STRIA_OK;
}

static stria_status prepare_reduction(stria_prepared_call *p, bool *is_prepared, stria_error *err)
{
    stria_reduction_schema r;

    STRIA_TRY(stria_call_infer_reduction(p->call, &r, &p->meta, &p->impl, err));
    STRIA_TRY(stria_call_check_outs(p->call, &r.schema, &p->meta, err));
    *is_prepared = is_direct(p->call, &r.schema, &p->meta);
    return STRIA_OK;
}

stria_status stria_prepared_call_new(const stria_call *call, bool is_varied, stria_prepared_call **prepared,
                                     stria_error *err)
{
    const bool          is_function = call->row >= STRIA_ROW_OF_FUNCTION(0) && call->row < STRIA_ROW_EXPRESSION;
    const stria_schema *schema = is_function ? stria_schema_get(stria_call_get_function(call)) : NULL;
    const int           n_outputs = is_function ? schema->n_outputs : 1;
    bool                is_prepared = false;

    *prepared = NULL;
    if (call->row < STRIA_OP_COUNT || call->row == STRIA_ROW_EXPRESSION) return STRIA_OK;
    stria_prepared_call *p = stria_object_new(sizeof *p + (size_t)n_outputs * sizeof *p->outs);
    if (p == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, stria_call_get_name(call), NULL, NULL, NULL,
                               "no memory for a call");
    p->call = call;
    p->name = stria_call_get_name(call);
    p->meta.out = p->outs;
    if (is_varied) p->infer = stria_call_get_infer(stria_call_get_function(call));
    const stria_status status =
        is_function ? prepare_function(p, schema, &is_prepared, err) : prepare_reduction(p, &is_prepared, err);
    if (status != STRIA_OK || !is_prepared) {
        stria_prepared_call_release(p);
        return status;
    }
    if (!has_elements(call, n_outputs)) p->impl = NULL;
    *prepared = p;
    return STRIA_OK;
}

stria_status stria_prepared_call_run(const stria_prepared_call *p, stria_error *err)
{
    stria_call_meta again;

    if (p->infer != NULL) {
        again = p->meta;
        STRIA_TRY(p->infer(p->call, &again, err));
    }
    if (p->impl == NULL) return STRIA_OK;
    const stria_status status = p->impl(p->call, &p->meta, p->call->out, err);
    return status == STRIA_OK ? STRIA_OK : stria_error_set_op(err, status, p->name);
}

void stria_prepared_call_release(stria_prepared_call *p) { stria_object_release(p); }
