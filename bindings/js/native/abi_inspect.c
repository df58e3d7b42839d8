/* abi_inspect.c - what the iterator makes of a call, without running it. */
#include <string.h>

#include "abi_table.h"
#include "error.h"
#include "iter.h"
#include "iter_internal.h"
#include "meta.h"

/* A tensor on the META device with the layout of x: nothing is allocated for its elements or for the output. */
static stria_tensor *twin_new(const stria_tensor *x)
{
    stria_tensor *twin = stria_tensor_new_handle(x->dtype, STRIA_DEVICE_META, x->ndim);
    if (!twin) return NULL;
    twin->storage = stria_storage_new(0, STRIA_DEVICE_META);
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

static void facts_write(const stria_iter *it, const stria_meta *meta, double *n)
{
    int            ndim = stria_iter_get_ndim(it), common_ndim = stria_iter_get_common_ndim(it);
    int            operands = stria_iter_get_n_operands(it);
    const int8_t  *permutation = stria_iter_get_permutation(it);
    const int64_t *shape = stria_iter_get_shape(it);
    double        *next = n + STRIA_ABI_N_INSPECT;
    n[0] = ndim;
    n[1] = common_ndim;
    n[2] = meta->common;
    n[3] = meta->compute;
    n[4] = meta->result;
    n[5] = stria_iter_get_setup(it);
    n[6] = stria_iter_is_contiguous(it);
    n[7] = operands;
    n[8] = (double)stria_iter_get_numel(it);
    for (int d = 0; d < common_ndim; d++) *next++ = (double)stria_iter_get_common_shape(it)[d];
    for (int d = 0; d < common_ndim; d++) *next++ = permutation ? permutation[d] : -1;
    for (int d = 0; d < ndim; d++) *next++ = (double)shape[d];
    for (int d = 0; d < ndim; d++)
        for (int k = 0; k < operands; k++) *next++ = (double)stria_iter_get_strides(it, d)[k];
}

static stria_status inspect(stria_op op, stria_tensor *const *in, int n_in)
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
    /* the twins are on the META device, where a general set-up stops before merging */
    if (stria_iter_get_setup(&iter) == STRIA_ITER_GENERAL) stria_iter_coalesce(&iter);
    facts_write(&iter, &meta, scratch->n);
    stria_iter_release(&iter);
    return STRIA_OK;
}

double stria_abi_inspect(double op, double n_in)
{
    stria_tensor *in[STRIA_MAX_INPUTS] = {NULL};
    stria_status  status = STRIA_OK;
    int           n = stria_abi_get_int(n_in);
    if (!(op >= 0 && op < STRIA_OP_COUNT) || n < 1 || n > STRIA_MAX_INPUTS)
        return -(double)stria_error_set(&stria_abi_get_scratch()->error, STRIA_ERR_ARGUMENT, "inspect", "op", NULL,
                                        NULL, "no such operation, or a wrong number of operands");
    for (int k = 0; k < n && status == STRIA_OK; k++) status = twin_get(k, &in[k]);
    if (status == STRIA_OK) status = inspect((stria_op)op, in, n);
    for (int k = 0; k < n; k++) stria_tensor_release(in[k]);
    return status == STRIA_OK ? stria_abi_get_scratch()->n[0] : -(double)status;
}
