/* check.c - the steps of a call that refuse: its schema, devices, and the outputs that the caller gave. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "call/call_internal.h"
#include "tensor/device.h"
#include "tensor/overlap.h"

/* ---------------------------------------------------------------- schema */

static stria_status refuse_missing(const char *name, const char *argument, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, name, argument, "a tensor", "NULL", "%s is NULL", argument);
}

/* The members of list `which` of n_lists. */
static stria_status check_list(const char *name, const stria_param *param, const stria_call *call, int which,
                               int n_lists, stria_error *err)
{
    const char *argument = param->name;
    const int   n = call->n_list / n_lists, first = which * n;
    char        text[48];

    if (call->n_list < 0 || n * n_lists != call->n_list || (call->n_list > 0 && call->list == NULL))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, argument, "a list of tensors", "NULL",
                               "%s is no list of tensors", argument);
    bool is_left_out = param->kind == STRIA_KIND_UPDATED_OR_NONE;
    for (int k = 0; k < n && is_left_out; k++) is_left_out = call->list[first + k] == NULL;
    for (int k = 0; k < n && !is_left_out; k++) {
        if (call->list[first + k] != NULL) continue;
        snprintf(text, sizeof text, "%s[%d]", argument, k);
        return refuse_missing(name, text, err);
    }
    return STRIA_OK;
}

/* A list of numbers among the attributes: 0 .. most of them, at an address. */
static stria_status check_numbers(const stria_schema *schema, const stria_param *param, stria_status status,
                                  const char *what, int most, int n, const void *at, stria_error *err)
{
    char expected[64], got[32];

    if (n >= 0 && n <= most && (n == 0 || at != NULL)) return STRIA_OK; /* no words are made for what is right */
    if (n >= 0 && n <= most)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, param->name, what, "NULL", "%s is NULL",
                               param->name);
    if (most == INT_MAX)
        snprintf(expected, sizeof expected, "0 or more %s", what);
    else
        snprintf(expected, sizeof expected, "0 .. %d %s", most, what);
    snprintf(got, sizeof got, "%d", n);
    return stria_error_set(err, status, schema->name, param->name, expected, got, "%s must have %s, not %d",
                           param->name, expected, n);
}

static stria_status check_scalar(const stria_schema *schema, const stria_param *param, const stria_scalar *scalar,
                                 stria_error *err)
{
    if ((unsigned)scalar->kind <= STRIA_SCALAR_UINT) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, param->name, "a kind of scalar", NULL,
                           "%s: %d is not a kind of scalar", param->name, (int)scalar->kind);
}

static stria_status check_text(const stria_schema *schema, const stria_param *param, const char *text, stria_error *err)
{
    char expected[48];

    if (text == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, param->name, "a text", "NULL", "%s is NULL",
                               param->name);
    if (memchr(text, 0, STRIA_MAX_TEXT + 1) != NULL) return STRIA_OK;
    snprintf(expected, sizeof expected, "at most %d characters", STRIA_MAX_TEXT);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, param->name, expected, "more", "%s must have %s",
                           param->name, expected);
}

/* The kinds that check_attribute looks at; kinds are fewer than 32. */
#define BIT(kind) (UINT32_C(1) << STRIA_KIND_##kind)
#define CHECKED_KINDS \
    (BIT(WORD) | BIT(DEVICE) | BIT(SCALAR) | BIT(TEXT) | BIT(AXES) | BIT(INT_OR_LIST) | BIT(SHAPE) | BIT(INT_LIST))

/* What no row need look at: sizes without a place, words that there are not. */
static stria_status check_attribute(const stria_schema *schema, const stria_param *param, const char *attrs,
                                    stria_error *err)
{
    const char *field = attrs + param->offset;

    if (param->kind == STRIA_KIND_WORD && !stria_words_has(param->words, *(const int *)(const void *)field))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, param->name, param->words, NULL,
                               "%s must be one of %s", param->name, param->words);
    if (param->kind == STRIA_KIND_DEVICE) {
        const stria_device device = *(const stria_device *)(const void *)field;
        return stria_device_is_none(device) ? STRIA_OK : stria_device_check(schema->name, param->name, device, err);
    }
    if (param->kind == STRIA_KIND_SCALAR) return check_scalar(schema, param, (const void *)field, err);
    if (param->kind == STRIA_KIND_TEXT)
        return check_text(schema, param, *(const char *const *)(const void *)field, err);
    if (param->kind == STRIA_KIND_AXES) {
        const stria_axes *axes = (const void *)field; /* too many: the row says which axis is wrong */
        return check_numbers(schema, param, STRIA_ERR_ARGUMENT, "axes", INT_MAX, axes->n, axes->at, err);
    }
    if (param->kind == STRIA_KIND_INT_OR_LIST) {
        const stria_int_or_list *list = (const void *)field;
        if (list->at == NULL) return STRIA_OK;
        return check_numbers(schema, param, STRIA_ERR_ARGUMENT, "whole numbers", INT_MAX, list->n, list->at, err);
    }
    if (param->kind == STRIA_KIND_SHAPE || param->kind == STRIA_KIND_INT_LIST) {
        const stria_sizes *sizes = (const void *)field;
        return param->kind == STRIA_KIND_SHAPE
                   ? check_numbers(schema, param, STRIA_ERR_SHAPE, "sizes", STRIA_MAX_DIMS, sizes->n, sizes->at, err)
                   : check_numbers(schema, param, STRIA_ERR_ARGUMENT, "whole numbers", STRIA_MAX_INTS, sizes->n,
                                   sizes->at, err);
    }
    return STRIA_OK;
}

stria_status stria_call_check_schema(const stria_call *call, const stria_schema *schema, stria_error *err)
{
    for (int k = 0; k < schema->n_tensors; k++) {
        const stria_param *param = &schema->tensors[k];
        if (stria_param_is_list(param)) {
            const int n_single = stria_schema_count_single(schema);
            STRIA_TRY(check_list(schema->name, param, call, k - n_single, schema->n_tensors - n_single, err));
        } else if (call->in[k] == NULL && param->kind != STRIA_KIND_OPTIONAL) {
            return refuse_missing(schema->name, param->name, err);
        }
    }
    for (int k = 0; k < schema->n_attributes; k++)
        if ((CHECKED_KINDS >> schema->attributes[k].kind & 1) != 0)
            STRIA_TRY(check_attribute(schema, &schema->attributes[k], (const char *)call->attrs, err));
    return STRIA_OK;
}

/* ---------------------------------------------------------------- meta: devices and given outputs */

const stria_tensor *stria_call_get_input(const stria_call *call, const stria_schema *schema, int k)
{
    const int n_fixed = stria_schema_count_single(schema);

    if (k < n_fixed) return call->in[k];
    return k - n_fixed < call->n_list ? call->list[k - n_fixed] : NULL;
}

int stria_call_count_inputs(const stria_call *call, const stria_schema *schema)
{
    return stria_schema_count_single(schema) + call->n_list;
}

/* Whether the tensor may be on the CPU while the others are elsewhere: a number, or a 0-dim OPERAND; and positions and masks of index and
 * index_put, which are copied to a CUDA device. */
static bool may_be_apart(const stria_call *call, const stria_schema *schema, int k, const stria_tensor *x)
{
    const bool has_positions =
        call->row == STRIA_ROW_OF_FUNCTION(STRIA_FN_index) || call->row == STRIA_ROW_OF_FUNCTION(STRIA_FN_index_put);

    if (has_positions && k >= stria_schema_count_single(schema))
        return call->in[0]->device.type == STRIA_DEVICE_CUDA && x->device.type == STRIA_DEVICE_CPU;
    return k < schema->n_tensors && schema->tensors[k].kind == STRIA_KIND_OPERAND && x->ndim == 0 &&
           x->device.type == STRIA_DEVICE_CPU;
}

const char *stria_call_get_input_name(const stria_call *call, const stria_schema *schema, int k, char *text,
                                      size_t size)
{
    const int n_fixed = stria_schema_count_single(schema);

    if (k < n_fixed) return schema->tensors[k].name;
    const int n = stria_call_count_members(call, schema);
    snprintf(text, size, "%s[%d]", schema->tensors[n_fixed + (k - n_fixed) / n].name, (k - n_fixed) % n);
    return text;
}

stria_device stria_call_get_device(const stria_call *call, const stria_schema *schema, stria_device usual)
{
    for (int k = 0; k < schema->n_attributes; k++) {
        const stria_param *param = &schema->attributes[k];
        if (param->kind != STRIA_KIND_DEVICE) continue;
        const stria_device device = *(const stria_device *)(const void *)((const char *)call->attrs + param->offset);
        return stria_device_is_none(device) ? usual : device;
    }
    return usual;
}

stria_status stria_call_infer_device(const stria_call *call, const stria_schema *schema, stria_call_meta *meta,
                                     stria_error *err)
{
    const int           n_fixed = stria_schema_count_single(schema), n = n_fixed + call->n_list;
    const stria_tensor *first = NULL;
    int                 first_k = 0;
    char                one[48], other[48];

    for (int k = 0; k < n; k++) {
        const stria_tensor *x = k < n_fixed ? call->in[k] : call->list[k - n_fixed];
        if (x == NULL) continue;
        if (first == NULL) {
            first = x;
            first_k = k;
            continue;
        }
        if (stria_device_equals(x->device, first->device) || may_be_apart(call, schema, k, x)) continue;
        const char *expected = stria_device_get_name(first->device), *got = stria_device_get_name(x->device);
        const char *argument = stria_call_get_input_name(call, schema, k, one, sizeof one);
        return stria_error_set(err, STRIA_ERR_DEVICE, schema->name, argument, expected, got,
                               "%s is on %s but %s is on %s", argument, got,
                               stria_call_get_input_name(call, schema, first_k, other, sizeof other), expected);
    }
    meta->device = stria_call_get_device(call, schema, first != NULL ? first->device : STRIA_CPU);
    return STRIA_OK;
}

/* Whether what is made of symbols, by a composite or as a view, is recorded into a tensor with elements, to which a step of its own copies it. */
static bool is_recorded_out(const stria_tensor *out, stria_device device)
{
    return device.type == STRIA_DEVICE_META && out->device.type != STRIA_DEVICE_META && stria_call_is_recorded();
}

stria_status stria_call_refuse_resize(const char *op, const stria_tensor *out, int ndim, const int64_t *shape,
                                      stria_error *err)
{
    char expected[96], got[96];

    stria_shape_print(expected, sizeof expected, ndim, shape);
    stria_shape_print(got, sizeof got, out->ndim, out->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, op, "out", expected, got,
                           "the result has shape %s, and out has %s, which is not changed while calls are recorded",
                           expected, got);
}

/* A given output of a shape that is known. */
static stria_status check_out_shape(const stria_call *call, const stria_schema *schema, const stria_tensor *out, int k,
                                    const stria_output_meta *meta, stria_device device, stria_error *err)
{
    char expected[96], got[96];

    if (stria_output_fits(out, meta)) return stria_overlap_check_out(schema->name, out, err);
    if (is_recorded_out(out, device)) return stria_call_refuse_resize(schema->name, out, meta->ndim, meta->shape, err);
    if (schema->outputs[k].kind != STRIA_KIND_INPLACE || out != call->in[0])
        return stria_error_set_op(err, stria_tensor_check_resize(out, err), schema->name);
    stria_shape_print(expected, sizeof expected, out->ndim, out->shape);
    stria_shape_print(got, sizeof got, meta->ndim, meta->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, schema->name, "out", expected, got,
                           "in-place: a result of shape %s does not fit a tensor of shape %s", got, expected);
}

static stria_status check_out(const stria_call *call, const stria_schema *schema, int k, const stria_call_meta *meta,
                              stria_error *err)
{
    const stria_tensor *out = call->out[k];
    const stria_dtype   dtype = meta->out[k].dtype;

    if (!stria_device_equals(out->device, meta->device) && !is_recorded_out(out, meta->device)) {
        const char *expected = stria_device_get_name(meta->device), *got = stria_device_get_name(out->device);
        const bool  is_asked = stria_call_count_inputs(call, schema) == 0 ||
                              !stria_device_is_none(stria_call_get_device(call, schema, STRIA_DEVICE_NONE));
        return stria_error_set(err, STRIA_ERR_DEVICE, schema->name, "out", expected, got,
                               is_asked ? "out is on %s but device is %s" : "out is on %s but the operands are on %s",
                               got, expected);
    }
    if (!stria_dtype_get_castable(dtype, out->dtype)) {
        const char *expected = stria_dtype_get_name(dtype), *got = stria_dtype_get_name(out->dtype);
        return stria_error_set(err, STRIA_ERR_DTYPE, schema->name, "out", expected, got,
                               "a result of %s does not cast to an out of %s", expected, got);
    }
    return meta->out[k].order == STRIA_ORDER_UNKNOWN
               ? STRIA_OK
               : check_out_shape(call, schema, out, k, &meta->out[k], meta->device, err);
}

/* Whether two outputs share no memory. An empty tensor that keeps its shape may be given twice: a graph has one tensor for two empty views of one
 * place. */
static bool are_apart(const stria_call *call, const stria_call_meta *meta, int i, int k)
{
    const stria_tensor *a = call->out[i], *b = call->out[k];

    if (a == NULL || b == NULL) return true;
    if (a->device.type != b->device.type) return !stria_call_overlaps_recorded(a, b);
    if (a != b) return stria_overlap_find(a, b) == STRIA_OVERLAP_NONE;
    return a->numel == 0 && meta->out[i].order != STRIA_ORDER_UNKNOWN && stria_output_fits(a, &meta->out[i]) &&
           stria_output_fits(b, &meta->out[k]);
}

static stria_status check_outs_apart(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta,
                                     stria_error *err)
{
    for (int k = 1; k < schema->n_outputs; k++)
        for (int i = 0; i < k; i++) {
            if (are_apart(call, meta, i, k)) continue;
            return stria_error_set(err, STRIA_ERR_OVERLAP, schema->name, "out", "tensors apart", NULL,
                                   "%s and %s share memory", schema->outputs[i].name, schema->outputs[k].name);
        }
    return STRIA_OK;
}

stria_status stria_call_check_outs(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta,
                                   stria_error *err)
{
    for (int k = 0; k < schema->n_outputs; k++)
        if (call->out[k] != NULL) STRIA_TRY(check_out(call, schema, k, meta, err));
    return check_outs_apart(call, schema, meta, err);
}
