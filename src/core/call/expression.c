/* expression.c - a call of an expression: the door's part, and the entries of stria.h. */
#include "base/error.h"
#include "call/backend.h"

static stria_status refuse(stria_error *err, const char *argument, const char *expected, const char *text)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, STRIA_EXPRESSION_NAME, argument, expected, NULL, "%s", text);
}

/* The first device that is not the CPU; what the inputs say to each other is found by the backend. */
static stria_status find_device(const stria_call *call, stria_device *device, stria_error *err)
{
    *device = STRIA_CPU;
    for (int k = 0; k < call->n_in; k++) {
        if (call->in == NULL || call->in[k] == NULL) return refuse(err, "in", "a tensor", "an input is NULL");
        if (device->type == STRIA_DEVICE_CPU) *device = call->in[k]->device;
    }
    return STRIA_OK;
}

stria_status stria_call_run_expression(const stria_call *call, stria_error *err)
{
    const stria_expression_attrs *attrs = call->attrs;
    stria_tensor                 *given = call->out[0];
    stria_device                  device;

    if (attrs->program == NULL) return refuse(err, "expression", "an expression", "the expression is NULL");
    const int n = stria_expression_count_inputs(attrs->program);
    if (call->n_in != n)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, STRIA_EXPRESSION_NAME, "n_in", NULL, NULL,
                               "takes %d inputs, got %d", n, call->n_in);
    STRIA_TRY(find_device(call, &device, err));
    const stria_backend *backend = stria_backend_get(device);
    if (backend == NULL || backend->expression == NULL)
        return stria_backend_refuse(STRIA_EXPRESSION_NAME, "in", device, err);
    STRIA_TRY(backend->expression(call, err));
    if (given != NULL) stria_tensor_touch(given);
    return STRIA_OK;
}

stria_status stria_expression_apply(const stria_expression *expression, const stria_tensor *const *in, int n_in,
                                    stria_tensor **out, stria_error *err)
{
    const stria_expression_attrs attrs = {expression};
    stria_tensor                *y = NULL;
    const stria_call             call = {STRIA_ROW_EXPRESSION, n_in, in, NULL, 0, &attrs, &y, NULL};

    if (out == NULL) return refuse(err, "out", "a place for the result", "out is NULL");
    *out = NULL;
    STRIA_TRY(stria_call_run(&call, err));
    *out = y;
    return STRIA_OK;
}

stria_status stria_expression_apply_out(const stria_expression *expression, const stria_tensor *const *in, int n_in,
                                        stria_tensor *out, stria_error *err)
{
    const stria_expression_attrs attrs = {expression};
    const stria_call             call = {STRIA_ROW_EXPRESSION, n_in, in, NULL, 0, &attrs, &out, NULL};

    if (out == NULL) return refuse(err, "out", "a tensor", "out is NULL");
    return stria_call_run(&call, err);
}
