/* total_norm.c - the norm of all elements of several tensors. */
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/compose.h"
#include "tensor/tensor.h"

/* The promoted dtype of real floats. */
static stria_status infer_dtype(const stria_call *call, stria_dtype *result, stria_error *err)
{
    char name[48];

    *result = call->n_list > 0 ? call->list[0]->dtype : STRIA_F32;
    for (int k = 0; k < call->n_list; k++) {
        const stria_dtype dtype = call->list[k]->dtype;
        snprintf(name, sizeof name, "tensors[%d]", k);
        if (stria_dtype_get_category(dtype) != STRIA_CATEGORY_F)
            return stria_infer_refuse_dtype(call, name, dtype, "a real float", err);
        *result = stria_dtype_get_promoted(*result, dtype);
    }
    return STRIA_OK;
}

/* The norms of the members that have elements, in f64. */
static stria_status make_norms(const stria_call *call, double p, stria_tensor **norms, int *n, stria_error *err)
{
    char name[48];

    for (int k = 0; k < call->n_list; k++) {
        if (call->list[k]->numel == 0) continue;
        snprintf(name, sizeof name, "tensors[%d]", k);
        STRIA_TRY(stria_temps_rename(stria_norm(call->list[k], p, NULL, 0, false, STRIA_F64, &norms[*n], err), "x",
                                     name, err));
        ++*n;
    }
    return STRIA_OK;
}

stria_status stria_compose_total_norm(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const double   p = ((const stria_total_norm_attrs *)call->attrs)->p;
    stria_device   device = call->n_list > 0 ? call->list[0]->device : STRIA_CPU;
    stria_dtype    result;
    stria_tensor **norms;
    stria_status   status;
    int            n = 0;

    if (!(p > 0)) return stria_infer_refuse_number(call, "p", "a number above 0", p, err);
    STRIA_TRY(infer_dtype(call, &result, err));
    norms = stria_object_new(((size_t)call->n_list + 1) * sizeof *norms);
    if (norms == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, "total_norm", NULL, NULL, NULL, "no memory for %d norms",
                               call->n_list);
    status = make_norms(call, p, norms, &n, err);
    if (status == STRIA_OK && n > 0) status = stria_stack((const stria_tensor *const *)norms, n, 0, STRIA_TEMP, err);
    if (status == STRIA_OK && n > 0) status = stria_norm(STRIA_LAST, p, NULL, 0, false, result, &y[0], err);
    if (status == STRIA_OK && n == 0) status = stria_zeros(NULL, 0, result, device, &y[0], err);
    for (int k = 0; k < n; k++) stria_tensor_release(norms[k]);
    stria_object_release(norms);
    return status;
}
