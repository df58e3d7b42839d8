/* abi_inspect.c - what the iterator makes of a call, without running it. */
#include <stdio.h>
#include <string.h>

#include "abi_table.h"
#include "base/alloc.h"
#include "base/error.h"
#include "iter.h"
#include "iter/iter_internal.h"
#include "call/meta.h"

/* A tensor on the META device with the layout of x: nothing is allocated for its elements or for the output. */
static stria_tensor *twin_new(const stria_tensor *x)
{
    stria_tensor *twin = stria_tensor_new_handle(x->dtype, STRIA_META, x->ndim);
    if (!twin) return NULL;
    twin->storage = stria_storage_new(0, STRIA_META);
    if (!twin->storage) {
        stria_tensor_release(twin);
        return NULL;
    }
    twin->numel = x->numel;
    twin->is_wrapped_number = x->is_wrapped_number;
    for (int d = 0; d < x->ndim; d++) {
        twin->shape[d] = x->shape[d];
        twin->strides[d] = x->strides[d];
    }
    return twin;
}

static stria_status twin_get(int k, stria_tensor **twin)
{
    stria_abi_scratch       *scratch = stria_abi_get_scratch();
    const stria_abi_operand *operand = &scratch->operand[k];
    stria_tensor            *x, *owned = NULL;
    if (operand->kind >= STRIA_SCALAR_BOOL && operand->kind <= STRIA_SCALAR_COMPLEX) {
        stria_scalar value = {(stria_scalar_kind)operand->kind, operand->i, operand->re, operand->im};
        STRIA_TRY(stria_tensor_new_scalar(value, &owned, &scratch->error));
        x = owned;
    } else {
        x = stria_abi_get_tensor(operand->re, "inspect", "operand");
        if (!x) return STRIA_ERR_DISPOSED;
    }
    *twin = twin_new(x);
    stria_tensor_release(owned);
    if (*twin) return STRIA_OK;
    return stria_error_set(&scratch->error, STRIA_ERR_MEMORY, "inspect", NULL, NULL, NULL, "no memory");
}

/* The JSON of an iterator over twins, with the dtypes of the op around it; what lies beyond `offset`
 * goes to n[]. */
static stria_status answer_write(stria_iter *it, const stria_dtype dtypes[3], double offset, size_t *nbytes)
{
    stria_abi_scratch     *scratch = stria_abi_get_scratch();
    stria_iter_description description;
    char                   head[160], *text;
    size_t                 from = offset > 0 ? (size_t)stria_abi_get_int64(offset) : 0, length;
    int                    head_length;

    /* the twins stand for tensors with memory: a general set-up merges there */
    it->is_meta = false;
    it->common_device = STRIA_CPU;
    for (int k = 0; k < it->n_operands; k++) it->operands[k].device = STRIA_CPU;
    if (stria_iter_get_setup(it) == STRIA_ITER_GENERAL) stria_iter_coalesce(it);
    stria_iter_describe(it, &description);
    head_length = snprintf(
        head, sizeof head, "{\"common_dtype\":\"%s\",\"compute_dtype\":\"%s\",\"result_dtype\":\"%s\",\"iteration\":",
        stria_dtype_get_name(dtypes[0]), stria_dtype_get_name(dtypes[1]), stria_dtype_get_name(dtypes[2]));
    length = (size_t)head_length + stria_iter_print_description(&description, NULL, 0);
    text = stria_object_new(length + 2);
    if (!text)
        return stria_error_set(&scratch->error, STRIA_ERR_MEMORY, "inspect", NULL, NULL, NULL,
                               "no memory for the text");
    memcpy(text, head, (size_t)head_length);
    stria_iter_print_description(&description, text + head_length, length + 1 - (size_t)head_length);
    text[length++] = '}';
    if (from > length) from = length;
    memcpy(scratch->n, text + from, length - from < sizeof scratch->n ? length - from : sizeof scratch->n);
    stria_object_release(text);
    *nbytes = length;
    return STRIA_OK;
}

static stria_status inspect(stria_op op, stria_tensor *const *in, int n_in, double offset, size_t *nbytes)
{
    stria_abi_scratch *scratch = stria_abi_get_scratch();
    stria_meta         meta;
    stria_iter_config  config;
    stria_iter         iter;
    stria_status       status;
    STRIA_TRY(stria_meta_infer(op, (const stria_tensor *const *)in, n_in, NULL, &meta, &scratch->error));
    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, stria_op_infos[op].name);
    stria_iter_config_set_elementwise(&config, meta.result);
    stria_iter_config_add_output(&config, NULL);
    for (int k = 0; k < n_in; k++) stria_iter_config_add_input(&config, in[k]);
    status = stria_iter_build(&iter, &config, &scratch->error);
    stria_iter_config_release(&config);
    if (status != STRIA_OK) return status;
    const stria_dtype dtypes[3] = {meta.common, meta.compute, meta.result};
    status = answer_write(&iter, dtypes, offset, nbytes);
    stria_iter_release(&iter);
    return status;
}

static stria_status inspect_view(stria_reduction op, const stria_reduce_meta *meta, const stria_tensor *x,
                                 stria_tensor *view, double offset, size_t *nbytes)
{
    stria_iter   iter;
    stria_status status;
    status = stria_iter_build_reduction(&iter, stria_reduction_infos[op].name, view, x, false,
                                        &stria_abi_get_scratch()->error);
    if (status != STRIA_OK) return status;
    const stria_dtype dtypes[3] = {x->dtype, meta->compute, meta->result};
    status = answer_write(&iter, dtypes, offset, nbytes);
    stria_iter_release(&iter);
    return status;
}

static stria_status inspect_reduction(stria_reduction op, const stria_tensor *x, const int *axes, int n_axes,
                                      bool keepdim, double offset, size_t *nbytes)
{
    stria_error      *err = &stria_abi_get_scratch()->error;
    stria_reduce_meta meta;
    stria_tensor     *out, *view = NULL;
    stria_status      status;
    STRIA_TRY(stria_meta_infer_reduce(op, x, axes, n_axes, keepdim, STRIA_DTYPE_NONE, NULL, &meta, err));
    STRIA_TRY(stria_tensor_new_on(STRIA_META, meta.result, meta.ndim, meta.shape, NULL, &out, err));
    status = stria_iter_view_reduced(out, x->ndim, meta.reduced, keepdim, &view, err);
    if (status == STRIA_OK) status = inspect_view(op, &meta, x, view, offset, nbytes);
    stria_tensor_release(view);
    stria_tensor_release(out);
    return status;
}

static double refuse_op(void)
{
    return -(double)stria_error_set(&stria_abi_get_scratch()->error, STRIA_ERR_ARGUMENT, "inspect", "op", NULL, NULL,
                                    "no such operation, or a wrong number of operands");
}

double stria_abi_inspect(double op, double n_in, double offset)
{
    stria_tensor *in[STRIA_MAX_INPUTS] = {NULL};
    stria_status  status = STRIA_OK;
    int           n = stria_abi_get_int(n_in);
    size_t        nbytes = 0;
    if (!(op >= 0 && op < STRIA_OP_COUNT) || n < 1 || n > STRIA_MAX_INPUTS) return refuse_op();
    for (int k = 0; k < n && status == STRIA_OK; k++) status = twin_get(k, &in[k]);
    if (status == STRIA_OK) status = inspect((stria_op)op, in, n, offset, &nbytes);
    for (int k = 0; k < n; k++) stria_tensor_release(in[k]);
    return status == STRIA_OK ? (double)nbytes : -(double)status;
}

double stria_abi_inspect_reduction(double op, double n_axes, double keepdim, double offset)
{
    stria_tensor *x = NULL;
    int           axes[STRIA_MAX_DIMS + 1];
    const int     n = stria_abi_get_axes(n_axes, axes);
    size_t        nbytes = 0;
    if (!(op >= 0 && op < STRIA_RED_COUNT)) return refuse_op();
    stria_status status = twin_get(0, &x);
    if (status == STRIA_OK)
        status = inspect_reduction((stria_reduction)op, x, axes, n < 0 ? 0 : n, keepdim != 0, offset, &nbytes);
    stria_tensor_release(x);
    return status == STRIA_OK ? (double)nbytes : -(double)status;
}
