/* fold_expression.c - reductions of what an expression makes, which never lies in memory (fold.h). */
#include "base/error.h"
#include "call/backend.h"
#include "cpu/expression.h"
#include "cpu/fold.h"

typedef struct maker {
    const stria_expression_bound *bound;
    int                           result;
} maker;

static void make(void *context, char *dst, int64_t first, int64_t n)
{
    const maker *m = context;
    stria_expression_bound_run_range_to(m->bound, m->result, dst, first, n);
}

stria_status stria_expression_bound_reduce(const stria_expression_bound *bound, int result, const stria_call *call,
                                           stria_error *err)
{
    maker                   m = {bound, result};
    const stria_fold_source source = {make, &m};

    return stria_error_set_op(err, stria_reduce_made(call, &source, err), stria_call_get_name(call));
}

/* y, of the bound expression; NULL where that cannot be made in parts. */
static stria_status reduce(stria_expression_bound *bound, const stria_tensor *const *in, stria_tensor *x,
                           stria_reduction reduction, stria_tensor **y, stria_error *err)
{
    const stria_reduce_attrs  attrs = {{NULL, 0}, false, STRIA_DTYPE_NONE};
    const stria_tensor *const elements = x;
    stria_tensor             *result = NULL;
    stria_reduce_meta         meta;

    STRIA_TRY(stria_meta_infer_reduce(reduction, x, NULL, 0, false, STRIA_DTYPE_NONE, NULL, &meta, err));
    if (meta.compute != x->dtype || !stria_expression_bound_has_ranges(bound)) return STRIA_OK;
    STRIA_TRY(stria_tensor_new(meta.result, 0, NULL, &result, err));
    stria_expression_bound_set(bound, in, &x);
    const stria_call   call = {STRIA_ROW_OF_REDUCTION(reduction), 1, &elements, NULL, 0, &attrs, &result, NULL};
    const stria_status status = stria_expression_bound_reduce(bound, 0, &call, err);
    if (status == STRIA_OK)
        *y = result;
    else
        stria_tensor_release(result);
    return status;
}

/* A handle as of a row-major tensor, over no memory: it lies over nobody's. */
static stria_status new_nowhere(const stria_tensor *made, stria_tensor **x, stria_error *err)
{
    static _Alignas(16) char nowhere[16];
    stria_storage           *storage = stria_storage_new_external(nowhere, 0, NULL, NULL);

    *x = storage != NULL ? stria_tensor_new_handle(made->dtype, STRIA_CPU, made->ndim) : NULL;
    if (*x == NULL) {
        stria_storage_release(storage);
        return stria_error_set(err, STRIA_ERR_MEMORY, STRIA_EXPRESSION_NAME, NULL, NULL, NULL, "no memory for a call");
    }
    (*x)->storage = storage;
    (*x)->data = nowhere;
    (*x)->numel = 1;
    for (int d = made->ndim - 1; d >= 0; d--) {
        (*x)->shape[d] = made->shape[d];
        (*x)->strides[d] = (*x)->numel;
        (*x)->numel *= made->shape[d];
    }
    return STRIA_OK;
}

stria_status stria_cpu_fold_expression(const stria_expression *e, const stria_tensor *const *in,
                                       const stria_tensor *made, stria_reduction reduction, stria_tensor **y,
                                       stria_error *err)
{
    stria_expression_bound *bound = NULL;
    stria_tensor           *x;

    if (made->numel <= STRIA_FOLD_CHUNK) return STRIA_OK;
    STRIA_TRY(new_nowhere(made, &x, err));
    stria_status status = stria_expression_bind(e, in, &x, &bound, err);
    if (status == STRIA_OK && bound != NULL) status = reduce(bound, in, x, reduction, y, err);
    stria_expression_bound_release(bound);
    stria_tensor_release(x);
    return status;
}
