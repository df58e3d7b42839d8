/* compose.c - how composites run (compose.h). */
#include "call/compose.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "call/call_internal.h"
#include "call/meta.h"
#include "tensor/shape.h"

/* NULL: no composite of that kind. */
static stria_compose_fn *const composes[] = {
#define STRIA_FN_LIST(name, tensors, attributes, outputs, summary) NULL,
#define STRIA_FN_OP(name, tensors, attributes, outputs, summary) NULL,
#define STRIA_FN_COMPOSE(name, tensors, attributes, outputs, summary) stria_compose_##name,
#define STRIA_FN(name, tensors, attributes, outputs, summary) NULL,
#include "table/functions.def"
};

static stria_compose_list_fn *const list_composes[] = {
#define STRIA_FN_LIST(name, tensors, attributes, outputs, summary) stria_compose_##name,
#define STRIA_FN(name, tensors, attributes, outputs, summary) NULL,
#include "table/functions.def"
};

static void begin_temps(stria_temps *temps)
{
    temps->n = 0;
    temps->at[0] = NULL;
}

void stria_temps_release(stria_temps *temps)
{
    for (int k = 0; k <= temps->n; k++) stria_tensor_release(temps->at[k]);
}

static stria_status run_list(const stria_call *call, const stria_schema *schema, stria_error *err)
{
    stria_temps  temps;
    stria_status status;

    begin_temps(&temps);
    *call->out_list = (stria_tensor_list){NULL, 0};
    status = list_composes[stria_call_get_function(call)](call, call->out_list, &temps, err);
    stria_temps_release(&temps);
    if (status != STRIA_OK) stria_tensor_list_release(call->out_list);
    return stria_error_set_op(err, status, schema->name);
}

/* ---------------------------------------------------------------- rows of ops.def with numbers */

#define NO_OP (-1)
static const int ops[] = {
#define STRIA_FN_OP(name, tensors, attributes, outputs, summary) STRIA_OP_##name,
#define STRIA_FN_COMPOSE(name, tensors, attributes, outputs, summary) NO_OP,
#define STRIA_FN(name, tensors, attributes, outputs, summary) NO_OP,
#include "table/functions.def"
};

stria_status stria_compose_make_number(const stria_call *call, int k, stria_tensor **number, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));
    const stria_param  *param = &schema->attributes[k];
    const void         *field = (const char *)call->attrs + param->offset;
    stria_scalar        value = {STRIA_SCALAR_FLOAT, 0, 0, 0};

    if (param->kind == STRIA_KIND_NUMBER) value.re = *(const double *)field;
    if (param->kind == STRIA_KIND_FLAG) value.re = *(const bool *)field;
    if (param->kind != STRIA_KIND_SCALAR) return stria_tensor_new_scalar(value, number, err);

    const stria_dtype    common = stria_promote_result(call->in, schema->n_tensors);
    const stria_category category = stria_dtype_get_category(common);
    value = *(const stria_scalar *)field;
    STRIA_TRY(stria_tensor_new_scalar(value, number, err));
    const stria_category own = stria_dtype_get_category((*number)->dtype);
    if (own < STRIA_CATEGORY_F || own <= category) return STRIA_OK;
    const char *name = stria_dtype_get_name(common);
    return stria_error_set(
        err, STRIA_ERR_DTYPE, schema->name, param->name, own > STRIA_CATEGORY_F ? "a real number" : "an integer", NULL,
        "%s must be %s for operands of %s", param->name, own > STRIA_CATEGORY_F ? "a real number" : "an integer", name);
}

static stria_status run_op(const stria_call *call, const stria_schema *schema, stria_op op, stria_error *err)
{
    const stria_tensor *in[STRIA_MAX_INPUTS];
    stria_tensor       *numbers[STRIA_MAX_INPUTS] = {NULL};
    const stria_call    inner = {
           STRIA_ROW_OF_OP(op), schema->n_tensors + schema->n_attributes, in, NULL, 0, NULL, call->out, NULL};
    stria_status status = STRIA_OK;

    for (int k = 0; k < schema->n_tensors; k++) in[k] = call->in[k];
    for (int k = 0; k < schema->n_attributes && status == STRIA_OK; k++) {
        status = stria_compose_make_number(call, k, &numbers[k], err);
        in[schema->n_tensors + k] = numbers[k];
    }
    if (status == STRIA_OK)
        status = stria_op_has_limits(op) ? stria_clamp_run(&inner, err) : stria_call_run(&inner, err);
    for (int k = 0; k < schema->n_attributes; k++) stria_tensor_release(numbers[k]);
    return stria_error_set_op(err, status, schema->name);
}

/* ---------------------------------------------------------------- functions made of several calls */

static void describe(const stria_tensor *y, stria_output_meta *meta)
{
    meta->dtype = y->dtype;
    meta->order = STRIA_ORDER_ROW_MAJOR;
    meta->converts = false;
    meta->ndim = y->ndim;
    for (int d = 0; d < y->ndim; d++) meta->shape[d] = y->shape[d];
}

stria_status stria_compose_check_outs(const stria_call *call, const stria_tensor *const *y, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));
    stria_output_meta   outs[STRIA_MAX_OUTPUTS];
    stria_call_meta     meta = {.out = outs, .device = y[0]->device};

    for (int k = 0; k < schema->n_outputs; k++) describe(y[k], &outs[k]);
    return stria_call_check_outs(call, schema, &meta, err);
}

/* Brings y, which was made with this status, to the outputs. */
static stria_status end_outputs(const stria_call *call, const stria_schema *schema, stria_status status,
                                stria_tensor **y, stria_error *err)
{
    if (status == STRIA_OK) status = stria_compose_check_outs(call, (const stria_tensor *const *)y, err);
    return stria_call_end_outputs(call, schema, status, y, err);
}

stria_status stria_compose_view(const stria_call *call, stria_error *err)
{
    stria_tensor *y = NULL;
    stria_call    view = *call;

    view.out = &y;
    const stria_status status = stria_call_run(&view, err);
    return end_outputs(call, stria_schema_get(stria_call_get_function(call)), status, &y, err);
}

stria_status stria_compose_run(const stria_call *call, const stria_schema *schema, stria_error *err)
{
    stria_tensor *y[STRIA_MAX_OUTPUTS] = {NULL};
    stria_temps   temps;
    stria_status  status;

    if (stria_schema_makes_list(schema)) return run_list(call, schema, err);
    if (ops[stria_call_get_function(call)] != NO_OP)
        return run_op(call, schema, (stria_op)ops[stria_call_get_function(call)], err);
    begin_temps(&temps);
    status = composes[stria_call_get_function(call)](call, y, &temps, err);
    stria_temps_release(&temps);
    return end_outputs(call, schema, status, y, err);
}

/* ---------------------------------------------------------------- what composites share */

stria_status stria_temps_keep(stria_temps *temps, stria_tensor *x, stria_error *err)
{
    stria_tensor **place = STRIA_TEMP;

    if (place == NULL) {
        stria_tensor_release(x);
        return stria_error_set(err, STRIA_ERR_MEMORY, "compose", NULL, NULL, NULL, "too many intermediate results");
    }
    *place = x;
    return STRIA_OK;
}

stria_status stria_temps_number(stria_temps *temps, double value, stria_tensor **number, stria_error *err)
{
    const stria_scalar scalar = {.kind = STRIA_SCALAR_FLOAT, .re = value};

    STRIA_TRY(stria_tensor_new_scalar(scalar, STRIA_TEMP, err));
    *number = STRIA_LAST;
    return STRIA_OK;
}

stria_status stria_temps_convert(stria_temps *temps, const stria_tensor **in, int n, stria_dtype dtype,
                                 stria_error *err)
{
    for (int k = 0; k < n; k++) {
        if (in[k] == NULL || in[k]->dtype == dtype) continue;
        STRIA_TRY(stria_tensor_copy(in[k], dtype, STRIA_TEMP, err));
        in[k] = STRIA_LAST;
    }
    return STRIA_OK;
}

stria_status stria_temps_widen(const stria_call *call, stria_temps *temps, const stria_tensor **in, int n,
                               stria_dtype *result, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));
    const stria_tensor *given[STRIA_MAX_TENSORS];
    int                 n_given = 0;

    for (int k = 0; k < n; k++) {
        if (in[k] == NULL) continue;
        if (stria_dtype_get_category(in[k]->dtype) == STRIA_CATEGORY_C)
            return stria_infer_refuse_dtype(call, schema->tensors[k].name, in[k]->dtype, "real", err);
        given[n_given++] = in[k];
    }
    *result = stria_promote_result(given, n_given);
    if (stria_dtype_get_category(*result) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, schema->tensors[0].name, in[0]->dtype, "a float", err);
    return stria_temps_convert(temps, in, n, stria_dtype_get_compute(*result), err);
}

stria_status stria_temps_widen_operands(const stria_call *call, stria_temps *temps, const stria_tensor **in, int n,
                                        stria_dtype *result, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));
    int64_t             shape[STRIA_MAX_DIMS];
    int                 ndim = 0;

    for (int k = 0; k < n; k++) {
        if (in[k] == NULL) continue;
        const stria_status status = stria_shape_broadcast(schema->name, &ndim, shape, in[k]->ndim, in[k]->shape, err);
        if (status == STRIA_OK) continue;
        if (err != NULL) snprintf(err->argument, sizeof err->argument, "%s", schema->tensors[k].name);
        return status;
    }
    return stria_temps_widen(call, temps, in, n, result, err);
}

static bool is_in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Where the text has the name, not as a part of another word; NULL: nowhere. */
static char *find_name(char *text, const char *name)
{
    const size_t n = strlen(name);

    for (char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name))
        if ((at == text || !is_in_word(at[-1])) && !is_in_word(at[n])) return at;
    return NULL;
}

stria_status stria_temps_rename(stria_status status, const char *inner, const char *argument, stria_error *err)
{
    const size_t n = strlen(inner);
    char         rest[sizeof err->message], old[sizeof err->argument];

    if (status == STRIA_OK || err == NULL || strncmp(err->argument, inner, n) != 0) return status;
    if (err->argument[n] != 0 && err->argument[n] != '[') return status;
    snprintf(old, sizeof old, "%s", err->argument);
    snprintf(err->argument, sizeof err->argument, "%s%s", argument, old + n);
    char *at = find_name(err->message, old); /* "gather: index[2] is 7, .." */
    if (at == NULL) return status;
    snprintf(rest, sizeof rest, "%s", at + n);
    snprintf(at, sizeof err->message - (size_t)(at - err->message), "%s%s", argument, rest);
    return status;
}

stria_status stria_temps_narrow(stria_tensor *x, stria_dtype result, stria_tensor **y, stria_error *err)
{
    if (x->dtype != result) return stria_tensor_copy(x, result, y, err);
    *y = stria_tensor_retain(x);
    return STRIA_OK;
}
