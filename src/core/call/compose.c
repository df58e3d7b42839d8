/* compose.c - how composites run (compose.h). */
#include "call/compose.h"

#include "base/error.h"
#include "call/call_internal.h"

/* NULL: no composite. */
static stria_compose_fn *const composes[] = {
#define STRIA_FN_LIST(name, tensors, attributes, outputs, summary) NULL,
#define STRIA_FN_COMPOSE(name, tensors, attributes, outputs, summary) stria_compose_##name,
#define STRIA_FN(name, tensors, attributes, outputs, summary) NULL,
#include "table/functions.def"
};

static stria_compose_list_fn *const list_composes[] = {
#define STRIA_FN_LIST(name, tensors, attributes, outputs, summary) stria_compose_##name,
#define STRIA_FN(name, tensors, attributes, outputs, summary) NULL,
#include "table/functions.def"
};

static stria_status run_list(const stria_call *call, const stria_schema *schema, stria_error *err)
{
    stria_temps  temps;
    stria_status status;

    temps.n = 0;
    *call->out_list = (stria_tensor_list){NULL, 0};
    status = list_composes[stria_call_get_function(call)](call, call->out_list, &temps, err);
    for (int k = 0; k < temps.n; k++) stria_tensor_release(temps.at[k]);
    if (status != STRIA_OK) stria_tensor_list_release(call->out_list);
    return stria_error_set_op(err, status, schema->name);
}

static void describe(const stria_tensor *y, stria_output_meta *meta)
{
    meta->dtype = y->dtype;
    meta->order = STRIA_ORDER_ROW_MAJOR;
    meta->converts = false;
    meta->ndim = y->ndim;
    for (int d = 0; d < y->ndim; d++) meta->shape[d] = y->shape[d];
}

stria_status stria_compose_run(const stria_call *call, const stria_schema *schema, stria_error *err)
{
    stria_tensor     *y[STRIA_MAX_OUTPUTS] = {NULL};
    stria_output_meta outs[STRIA_MAX_OUTPUTS];
    stria_call_meta   meta = {.out = outs};
    stria_temps       temps;
    stria_status      status;

    if (stria_schema_makes_list(schema)) return run_list(call, schema, err);
    temps.n = 0;
    status = composes[stria_call_get_function(call)](call, y, &temps, err);
    for (int k = 0; k < temps.n; k++) stria_tensor_release(temps.at[k]);
    if (status == STRIA_OK) {
        for (int k = 0; k < schema->n_outputs; k++) describe(y[k], &outs[k]);
        meta.device = y[0]->device;
        status = stria_call_check_outs(call, schema, &meta, err);
    }
    return stria_call_end_outputs(call, schema, status, y, err);
}
