/* call.c - the door: the steps of call.h. */
#include "call/call.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/error.h"
#include "call/backend.h"
#include "tensor/device.h"
#include "tensor/layout.h"
#include "tensor/overlap.h"
#include "tensor/shape.h"

static stria_infer_fn *const infers[] = {
#define STRIA_FN(name, tensors, attributes, outputs, summary) stria_infer_##name,
#include "table/functions.def"
};

/* ---------------------------------------------------------------- schema */

static stria_status check_tensor(const char *name, const char *argument, const stria_tensor *x, stria_error *err)
{
    if (x != NULL) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, name, argument, "a tensor", "NULL", "%s is NULL", argument);
}

static stria_status check_list(const char *name, const char *argument, const stria_call *call, stria_error *err)
{
    char text[32];

    if (call->n_list < 0 || (call->n_list > 0 && call->list == NULL))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, argument, "a list of tensors", "NULL",
                               "%s is no list of tensors", argument);
    for (int k = 0; k < call->n_list; k++) {
        if (call->list[k] != NULL) continue;
        snprintf(text, sizeof text, "%s[%d]", argument, k);
        return check_tensor(name, text, NULL, err);
    }
    return STRIA_OK;
}

static stria_status check_sizes(const stria_schema *schema, const stria_param *param, const stria_sizes *sizes,
                                stria_error *err)
{
    char got[32];

    snprintf(got, sizeof got, "%d", sizes->n);
    if (sizes->n < 0 || sizes->n > STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, schema->name, param->name, "0 .. 64 sizes", got,
                               "a tensor has 0 to %d dims, not %d", STRIA_MAX_DIMS, sizes->n);
    if (sizes->n == 0 || sizes->at != NULL) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, param->name, "sizes", "NULL", "%s is NULL",
                           param->name);
}

static stria_status check_ints(const stria_schema *schema, const stria_param *param, const stria_sizes *ints,
                               stria_error *err)
{
    char expected[48], got[32];

    snprintf(expected, sizeof expected, "0 .. %d whole numbers", STRIA_MAX_INTS);
    snprintf(got, sizeof got, "%d", ints->n);
    if (ints->n < 0 || ints->n > STRIA_MAX_INTS)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, param->name, expected, got,
                               "%s must have %s, not %s", param->name, expected, got);
    if (ints->n == 0 || ints->at != NULL) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, param->name, expected, "NULL", "%s is NULL",
                           param->name);
}

static stria_status check_axes(const stria_schema *schema, const stria_param *param, const stria_axes *axes,
                               stria_error *err)
{
    if (axes->n < 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, param->name, "a list of axes", NULL,
                               "n_%s is negative", param->name);
    if (axes->at != NULL || axes->n == 0) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, param->name, "a list of axes", "NULL", "%s is NULL",
                           param->name);
}

/* What no row need look at: sizes without a place, words that there are not. */
static stria_status check_attribute(const stria_schema *schema, const stria_param *param, const char *attrs,
                                    stria_error *err)
{
    const char *field = attrs + param->offset;

    if (param->kind == STRIA_KIND_WORD && !stria_words_has(param->words, *(const int *)(const void *)field))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, param->name, param->words, NULL,
                               "%s must be one of %s", param->name, param->words);
    if (param->kind == STRIA_KIND_SHAPE) return check_sizes(schema, param, (const void *)field, err);
    if (param->kind == STRIA_KIND_INT_LIST) return check_ints(schema, param, (const void *)field, err);
    if (param->kind == STRIA_KIND_AXES) return check_axes(schema, param, (const void *)field, err);
    return STRIA_OK;
}

static stria_status check_schema(const stria_call *call, const stria_schema *schema, stria_error *err)
{
    for (int k = 0; k < schema->n_tensors; k++) {
        const stria_param *param = &schema->tensors[k];
        if (param->kind == STRIA_KIND_LIST)
            STRIA_TRY(check_list(schema->name, param->name, call, err));
        else if (param->kind != STRIA_KIND_OPTIONAL)
            STRIA_TRY(check_tensor(schema->name, param->name, call->in[k], err));
    }
    for (int k = 0; k < schema->n_attributes; k++)
        STRIA_TRY(check_attribute(schema, &schema->attributes[k], (const char *)call->attrs, err));
    return STRIA_OK;
}

/* ---------------------------------------------------------------- meta: devices and given outputs */

/* Tensor k of the call, those of the list behind the others; NULL: absent, or there is none. */
static const stria_tensor *get_input(const stria_call *call, const stria_schema *schema, int k)
{
    const int n_fixed = schema->n_tensors - stria_schema_has_list(schema);

    if (k < n_fixed) return call->in[k];
    return k - n_fixed < call->n_list ? call->list[k - n_fixed] : NULL;
}

static int count_inputs(const stria_call *call, const stria_schema *schema)
{
    return schema->n_tensors - stria_schema_has_list(schema) + call->n_list;
}

/* Whether the tensor may be on the CPU while the others are elsewhere: a number, or a 0-dim OPERAND. */
static bool may_be_apart(const stria_schema *schema, int k, const stria_tensor *x)
{
    return k < schema->n_tensors && schema->tensors[k].kind == STRIA_KIND_OPERAND && x->ndim == 0 &&
           x->device == STRIA_DEVICE_CPU;
}

/* "weight", or "tensors[2]". */
static const char *get_input_name(const stria_schema *schema, int k, char *text, size_t size)
{
    const int n_fixed = schema->n_tensors - stria_schema_has_list(schema);

    if (k < n_fixed) return schema->tensors[k].name;
    snprintf(text, size, "%s[%d]", schema->tensors[n_fixed].name, k - n_fixed);
    return text;
}

static stria_status infer_device(const stria_call *call, const stria_schema *schema, stria_call_meta *meta,
                                 stria_error *err)
{
    const int           n = count_inputs(call, schema);
    const stria_tensor *first = NULL;
    int                 first_k = 0;
    char                one[32], other[32];

    for (int k = 0; k < n; k++) {
        const stria_tensor *x = get_input(call, schema, k);
        if (x == NULL) continue;
        if (first == NULL) {
            first = x;
            first_k = k;
            continue;
        }
        if (x->device == first->device || may_be_apart(schema, k, x)) continue;
        const char *expected = stria_device_get_name(first->device), *got = stria_device_get_name(x->device);
        const char *argument = get_input_name(schema, k, one, sizeof one);
        return stria_error_set(err, STRIA_ERR_DEVICE, schema->name, argument, expected, got,
                               "%s is on %s but %s is on %s", argument, got,
                               get_input_name(schema, first_k, other, sizeof other), expected);
    }
    meta->device = first != NULL ? first->device : STRIA_DEVICE_CPU;
    return STRIA_OK;
}

static bool has_shape(const stria_tensor *x, const stria_output_meta *meta)
{
    return stria_tensor_has_shape(x, meta->ndim, meta->shape);
}

/* A given output of a shape that is known. */
static stria_status check_out_shape(const stria_call *call, const stria_schema *schema, const stria_tensor *out, int k,
                                    const stria_output_meta *meta, stria_error *err)
{
    char expected[96], got[96];

    if (has_shape(out, meta)) return stria_overlap_check_out(schema->name, out, err);
    if (schema->outputs[k].kind != STRIA_KIND_INPLACE || out != call->in[0]) return STRIA_OK;
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

    if (out->device != meta->device) {
        const char *expected = stria_device_get_name(meta->device), *got = stria_device_get_name(out->device);
        return stria_error_set(err, STRIA_ERR_DEVICE, schema->name, "out", expected, got,
                               "out is on %s but the operands are on %s", got, expected);
    }
    if (!stria_dtype_get_castable(dtype, out->dtype)) {
        const char *expected = stria_dtype_get_name(dtype), *got = stria_dtype_get_name(out->dtype);
        return stria_error_set(err, STRIA_ERR_DTYPE, schema->name, "out", expected, got,
                               "a result of %s does not cast to an out of %s", expected, got);
    }
    return meta->out[k].order == STRIA_ORDER_UNKNOWN ? STRIA_OK
                                                     : check_out_shape(call, schema, out, k, &meta->out[k], err);
}

/* Two outputs may not be one tensor, nor lie over each other. */
static stria_status check_outs_apart(const stria_call *call, const stria_schema *schema, stria_error *err)
{
    for (int k = 1; k < schema->n_outputs; k++)
        for (int i = 0; i < k; i++) {
            if (call->out[k] == NULL || call->out[i] == NULL) continue;
            if (call->out[k] != call->out[i] && stria_overlap_find(call->out[k], call->out[i]) == STRIA_OVERLAP_NONE)
                continue;
            return stria_error_set(err, STRIA_ERR_OVERLAP, schema->name, "out", "tensors apart", NULL,
                                   "%s and %s share memory", schema->outputs[i].name, schema->outputs[k].name);
        }
    return STRIA_OK;
}

/* ---------------------------------------------------------------- outputs */

static bool may_lie_over(const stria_call *call, const stria_schema *schema, int k, int input, const stria_tensor *x)
{
    return schema->outputs[k].kind == STRIA_KIND_INPLACE && input == 0 &&
           stria_tensor_has_shape(x, call->out[k]->ndim, call->out[k]->shape);
}

/* Whether the implementation may write to the caller's tensor itself. */
static bool is_direct(const stria_call *call, const stria_schema *schema, int k, const stria_call_meta *meta)
{
    const stria_tensor *out = call->out[k];
    const int           n = count_inputs(call, schema);

    if (meta->out[k].order != STRIA_ORDER_ROW_MAJOR && meta->out[k].order != STRIA_ORDER_LIKE_FIRST) return false;
    if ((out->dtype != meta->out[k].dtype && !meta->out[k].converts) || !has_shape(out, &meta->out[k])) return false;
    for (int i = 0; i < n; i++) {
        const stria_tensor *x = get_input(call, schema, i);
        const stria_overlap found = x != NULL ? stria_overlap_find(out, x) : STRIA_OVERLAP_NONE;
        if (found == STRIA_OVERLAP_NONE) continue;
        if (found == STRIA_OVERLAP_SAME && may_lie_over(call, schema, k, i, x)) continue;
        return false;
    }
    return true;
}

/* A view of a tensor whose gradient is wanted knows whose view it is. */
static stria_status new_view(stria_tensor *x, const stria_output_meta *out, stria_tensor **y, stria_error *err)
{
    STRIA_TRY(stria_tensor_view(x, out->ndim, out->shape, out->strides, out->offset, y, err));
    if (x->gradient != NULL || x->base != NULL) (*y)->base = stria_tensor_retain(x->base != NULL ? x->base : x);
    return STRIA_OK;
}

static stria_status new_output(const stria_call *call, const stria_call_meta *meta, int k, stria_tensor **y,
                               stria_error *err)
{
    const stria_output_meta *out = &meta->out[k];
    const stria_dtype        dtype = out->converts && call->out[k] != NULL ? call->out[k]->dtype : out->dtype;
    int64_t                  strides[STRIA_MAX_DIMS];
    const stria_tensor      *first = call->in[0];

    if (out->order == STRIA_ORDER_UNKNOWN) return STRIA_OK;
    if (out->order == STRIA_ORDER_SAME) {
        *y = stria_tensor_retain((stria_tensor *)(uintptr_t)first);
        return STRIA_OK;
    }
    if (out->order == STRIA_ORDER_VIEW) return new_view((stria_tensor *)(uintptr_t)first, out, y, err);
    if (out->order == STRIA_ORDER_LIKE_FIRST && has_shape(first, out)) {
        stria_layout_get_dense_strides(first->ndim, first->shape, first->strides, strides);
        return stria_tensor_new_on(meta->device, dtype, out->ndim, out->shape, strides, y, err);
    }
    return stria_tensor_new_on(meta->device, dtype, out->ndim, out->shape, NULL, y, err);
}

static stria_status begin_outputs(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta,
                                  stria_tensor **y, stria_error *err)
{
    for (int k = 0; k < schema->n_outputs; k++) {
        const bool is_meta = meta->device == STRIA_DEVICE_META;
        if (call->out[k] != NULL && (is_meta || is_direct(call, schema, k, meta)))
            y[k] = stria_tensor_retain(call->out[k]);
        else
            STRIA_TRY(new_output(call, meta, k, &y[k], err));
    }
    return STRIA_OK;
}

/* Gives the caller's tensor the shape and elements of y, which is not it. What can fail comes first: the tensor stays as it is on
 * failure. */
static stria_status replace(stria_tensor *out, stria_tensor *y, stria_error *err)
{
    const stria_backend *backend = stria_backend_get(out->device);
    stria_tensor        *packed = NULL;
    stria_status         status = STRIA_OK;
    int64_t              strides[STRIA_MAX_DIMS];

    if (y->dtype == out->dtype && stria_tensor_is_contiguous(y)) {
        packed = stria_tensor_retain(y);
    } else {
        STRIA_TRY(stria_tensor_new_on(y->device, out->dtype, y->ndim, y->shape, NULL, &packed, err));
        status = stria_tensor_set(packed, y, err);
    }
    stria_shape_get_strides(y->ndim, y->shape, strides);
    if (status == STRIA_OK) status = stria_tensor_resize(out, y->ndim, y->shape, strides, err);
    if (status == STRIA_OK && backend->copy_bytes != NULL)
        status = backend->copy_bytes(out, packed, (size_t)y->numel * stria_dtype_get_size(out->dtype), err);
    stria_tensor_release(packed);
    return status;
}

/* The elements of y, which may be a view of the memory of out. */
static stria_status set_apart(stria_tensor *out, const stria_tensor *y, stria_error *err)
{
    stria_tensor *copy = NULL;
    stria_status  status;

    if (!stria_tensor_get_aliased(out, y)) return stria_tensor_set(out, y, err);
    STRIA_TRY(stria_tensor_copy(y, y->dtype, &copy, err));
    status = stria_tensor_set(out, copy, err);
    stria_tensor_release(copy);
    return status;
}

/* Brings y to the caller's tensor, which gets its shape. */
static stria_status end_given(stria_tensor *out, stria_tensor *y, const stria_output_meta *meta, stria_error *err)
{
    int64_t strides[STRIA_MAX_DIMS];

    if (y != out) return stria_tensor_has_shape(out, y->ndim, y->shape) ? set_apart(out, y, err) : replace(out, y, err);
    if (has_shape(out, meta)) return STRIA_OK;
    stria_shape_get_strides(meta->ndim, meta->shape, strides); /* on META */
    return stria_tensor_resize(out, meta->ndim, meta->shape, strides, err);
}

/* ---------------------------------------------------------------- the whole */

static bool has_elements(const stria_schema *schema, const stria_call_meta *meta, stria_tensor *const *y)
{
    for (int k = 0; k < schema->n_outputs; k++)
        if (meta->out[k].order == STRIA_ORDER_UNKNOWN || y[k]->numel > 0) return true;
    return false;
}

/* The implementation of the row on the device; NULL where nothing is to be computed. */
static stria_status choose_impl(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta,
                                stria_impl_fn **impl, stria_error *err)
{
    const bool           depends_on_elements = meta->out[0].order == STRIA_ORDER_UNKNOWN;
    const stria_backend *backend = stria_backend_get(meta->device);
    const char          *name = stria_device_get_name(meta->device);

    *impl = NULL;
    if (meta->out[0].order == STRIA_ORDER_VIEW || meta->out[0].order == STRIA_ORDER_SAME) return STRIA_OK;
    if (meta->device == STRIA_DEVICE_META && depends_on_elements)
        return stria_error_set(err, STRIA_ERR_DEVICE, schema->name, schema->tensors[0].name, "cpu", name,
                               "the shape of the result depends on elements, and tensors on %s have none", name);
    if (meta->device == STRIA_DEVICE_META) return STRIA_OK;
    if (backend == NULL || backend->impl[stria_call_get_function(call)] == NULL)
        return stria_backend_refuse(schema->name, schema->tensors[0].name, meta->device, err);
    *impl = backend->impl[stria_call_get_function(call)];
    return backend->get_status(err);
}

static stria_status compute(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta,
                            stria_impl_fn *impl, stria_tensor **y, stria_error *err)
{
    STRIA_TRY(begin_outputs(call, schema, meta, y, err));
    return impl != NULL && has_elements(schema, meta, y) ? impl(call, meta, y, err) : STRIA_OK;
}

/* From what is known about the outputs to the outputs. */
static stria_status run_outputs(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta,
                                stria_impl_fn *impl, stria_error *err)
{
    stria_tensor *y[STRIA_MAX_OUTPUTS] = {NULL};
    stria_status  status = compute(call, schema, meta, impl, y, err);

    for (int k = 0; k < schema->n_outputs && status == STRIA_OK; k++)
        if (call->out[k] != NULL) status = end_given(call->out[k], y[k], &meta->out[k], err);
    for (int k = 0; k < schema->n_outputs; k++) {
        if (status == STRIA_OK && call->out[k] == NULL) {
            call->out[k] = y[k];
            continue;
        }
        if (status == STRIA_OK) stria_tensor_touch(call->out[k]);
        stria_tensor_release(y[k]);
    }
    return stria_error_set_op(err, status, schema->name);
}

static stria_status run_function(const stria_call *call, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));
    stria_output_meta   outs[STRIA_MAX_OUTPUTS];
    stria_call_meta     meta = {.out = outs};
    stria_impl_fn      *impl;

    STRIA_TRY(check_schema(call, schema, err));
    for (int k = 0; k < schema->n_outputs; k++) meta.out[k].converts = false;
    STRIA_TRY(infers[stria_call_get_function(call)](call, &meta, err));
    STRIA_TRY(infer_device(call, schema, &meta, err));
    for (int k = 0; k < schema->n_outputs; k++)
        if (call->out[k] != NULL) STRIA_TRY(check_out(call, schema, k, &meta, err));
    STRIA_TRY(check_outs_apart(call, schema, err));
    STRIA_TRY(choose_impl(call, schema, &meta, &impl, err));
    return run_outputs(call, schema, &meta, impl, err);
}

/* ---------------------------------------------------------------- the rows of ops.def */

static inline stria_status choose_backend(const char *name, stria_device device, const stria_backend **backend,
                                          stria_error *err)
{
    *backend = stria_backend_get(device);
    if (__builtin_expect(*backend != NULL, true)) return STRIA_OK;
    return stria_backend_refuse(name, NULL, device, err);
}

static inline __attribute__((always_inline)) stria_status run_element(const stria_call *call, stria_error *err)
{
    const stria_op       op = (stria_op)call->row;
    stria_tensor        *out = call->out[0];
    const stria_backend *backend;
    stria_meta           meta;

    STRIA_TRY(stria_meta_infer(op, call->in, call->n_in, out, &meta, err)); /* every refusal of shapes and dtypes */
    STRIA_TRY(choose_backend(stria_op_infos[op].name, meta.device, &backend, err));
    STRIA_TRY(backend->element(call, &meta, err));
    if (out != NULL) stria_tensor_touch(out);
    return STRIA_OK;
}

/* Into the caller's tensor, as functions do it. */
static __attribute__((noinline)) stria_status reduce_into_given(const stria_call *call, const stria_reduce_meta *found,
                                                                stria_impl_fn *impl, stria_error *err)
{
    const char        *name = stria_call_get_name(call);
    const stria_param  x = {.name = "x", .kind = STRIA_KIND_IN}, y = {.name = "out", .kind = STRIA_KIND_OUT};
    const stria_schema schema = {.name = name, .tensors = &x, .outputs = &y, .n_tensors = 1, .n_outputs = 1};
    stria_output_meta  outs[1];
    stria_call_meta    meta = {.out = outs};

    meta.device = found->device;
    meta.axes = found->reduced;
    meta.compute = found->compute;
    meta.out[0].dtype = found->result;
    meta.out[0].order = STRIA_ORDER_ROW_MAJOR;
    meta.out[0].converts = false;
    meta.out[0].ndim = found->ndim;
    for (int d = 0; d < found->ndim; d++) meta.out[0].shape[d] = found->shape[d];
    STRIA_TRY(check_out(call, &schema, 0, &meta, err));
    return run_outputs(call, &schema, &meta, impl, err);
}

static inline __attribute__((always_inline)) stria_status run_reduction(const stria_call *call, stria_error *err)
{
    const stria_reduction     reduction = (stria_reduction)(call->row - STRIA_ROW_OF_REDUCTION(0));
    const stria_reduce_attrs *attrs = call->attrs;
    const stria_backend      *backend;
    stria_reduce_meta         found;
    stria_call_meta           meta;
    stria_tensor             *y = NULL;
    stria_status              status;

    STRIA_TRY(stria_meta_infer_reduce(reduction, call->in[0], attrs->axes.at, attrs->axes.n, attrs->keepdim,
                                      attrs->dtype, call->out[0], &found, err));
    const char *name = stria_reduction_infos[reduction].name;
    STRIA_TRY(choose_backend(name, found.device, &backend, err));
    if (call->out[0] != NULL) return reduce_into_given(call, &found, backend->reduce, err);
    if (found.device == STRIA_DEVICE_CPU)
        status = stria_tensor_new(found.result, found.ndim, found.shape, &y, err);
    else
        status = stria_tensor_new_on(found.device, found.result, found.ndim, found.shape, NULL, &y, err);
    meta.out = NULL; /* y says it */
    meta.device = found.device;
    meta.axes = found.reduced;
    meta.compute = found.compute;
    if (status == STRIA_OK && backend->reduce != NULL && y->numel > 0) status = backend->reduce(call, &meta, &y, err);
    if (status == STRIA_OK) {
        call->out[0] = y;
        return STRIA_OK;
    }
    stria_tensor_release(y);
    return stria_error_set_op(err, status, name);
}

/* ---------------------------------------------------------------- recorders */

static _Thread_local struct {
    stria_recorder_fn *fn;
    void              *context;
    bool               is_running; /* what it calls is not recorded */
} recorder;
static atomic_int n_recorders; /* of all threads: a call looks for its own only where there are any */

void stria_call_set_recorder(stria_recorder_fn *fn, void *context)
{
    if ((fn != NULL) != (recorder.fn != NULL)) atomic_fetch_add(&n_recorders, fn != NULL ? 1 : -1);
    recorder.fn = fn;
    recorder.context = context;
}

static __attribute__((noinline)) stria_status record(const stria_call *call, bool *is_taken, stria_error *err)
{
    *is_taken = false;
    if (recorder.fn == NULL || recorder.is_running) return STRIA_OK;
    recorder.is_running = true;
    const stria_status status = recorder.fn(recorder.context, call, is_taken, err);
    recorder.is_running = false;
    return status;
}

/* ---------------------------------------------------------------- the door */

const char *stria_row_get_name(stria_row row)
{
    if (row < STRIA_OP_COUNT) return stria_op_infos[row].name;
    if (row < STRIA_ROW_OF_FUNCTION(0)) return stria_reduction_infos[row - STRIA_OP_COUNT].name;
    return stria_schema_get((stria_function)(row - STRIA_ROW_OF_FUNCTION(0)))->name;
}

/* The door of one family, of the rows first .. first + n - 1, which the compiler puts in its place. A call of a row that there is
 * not is refused by the family; no recorder sees it. */
static inline __attribute__((always_inline)) stria_status
run(const stria_call *call, stria_row first, int n, stria_status (*family)(const stria_call *call, stria_error *err),
    stria_error *err)
{
    if (__builtin_expect(atomic_load_explicit(&n_recorders, memory_order_relaxed) > 0, false) && call->row >= first &&
        call->row < first + n) {
        bool is_taken;
        STRIA_TRY(record(call, &is_taken, err));
        if (is_taken) return STRIA_OK;
    }
    return family(call, err);
}

#define OPS STRIA_ROW_OF_OP(0), STRIA_OP_COUNT
#define REDUCTIONS STRIA_ROW_OF_REDUCTION(0), STRIA_RED_COUNT
#define FUNCTIONS STRIA_ROW_OF_FUNCTION(0), STRIA_FN_COUNT

stria_status stria_call_run(const stria_call *call, stria_error *err)
{
    if (call->row < STRIA_OP_COUNT) return run(call, OPS, run_element, err);
    return call->row < STRIA_ROW_OF_FUNCTION(0) ? run(call, REDUCTIONS, run_reduction, err)
                                                : run(call, FUNCTIONS, run_function, err);
}

stria_status stria_apply(stria_op op, const stria_tensor *const *in, int n_in, stria_tensor **out, stria_error *err)
{
    stria_tensor    *y = NULL;
    const stria_call call = {STRIA_ROW_OF_OP(op), n_in, in, NULL, 0, NULL, &y};

    if (!out)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "apply", "out", "a place for the result", "NULL",
                               "out is NULL");
    *out = NULL;
    STRIA_TRY(run(&call, OPS, run_element, err));
    *out = y;
    return STRIA_OK;
}

stria_status stria_apply_out(stria_op op, const stria_tensor *const *in, int n_in, stria_tensor *out, stria_error *err)
{
    const stria_call call = {STRIA_ROW_OF_OP(op), n_in, in, NULL, 0, NULL, &out};

    if (!out) return stria_error_set(err, STRIA_ERR_ARGUMENT, "apply", "out", "a tensor", "NULL", "out is NULL");
    return run(&call, OPS, run_element, err);
}

stria_status stria_reduce(stria_reduction op, const stria_tensor *x, const int *axes, int n_axes, bool keepdim,
                          stria_dtype dtype, stria_tensor **out, stria_error *err)
{
    const stria_reduce_attrs attrs = {{axes, n_axes}, keepdim, dtype};
    stria_tensor            *y = NULL;
    const stria_call         call = {STRIA_ROW_OF_REDUCTION(op), 1, &x, NULL, 0, &attrs, &y};

    if (!out)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "reduce", "out", "a place for the result", "NULL",
                               "out is NULL");
    *out = NULL;
    STRIA_TRY(run(&call, REDUCTIONS, run_reduction, err));
    *out = y;
    return STRIA_OK;
}

stria_status stria_reduce_out(stria_reduction op, const stria_tensor *x, const int *axes, int n_axes, bool keepdim,
                              stria_dtype dtype, stria_tensor *out, stria_error *err)
{
    const stria_reduce_attrs attrs = {{axes, n_axes}, keepdim, dtype};
    const stria_call         call = {STRIA_ROW_OF_REDUCTION(op), 1, &x, NULL, 0, &attrs, &out};

    if (!out) return stria_error_set(err, STRIA_ERR_ARGUMENT, "reduce", "out", "a tensor", "NULL", "out is NULL");
    return run(&call, REDUCTIONS, run_reduction, err);
}
