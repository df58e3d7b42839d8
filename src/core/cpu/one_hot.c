/* one_hot.c - a 1 at the position that each element says. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cpu/index_plan.h"

stria_status stria_infer_one_hot(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const int64_t       n = ((const stria_one_hot_attrs *)call->attrs)->num_classes;
    const stria_tensor *x = call->in[0];
    stria_output_meta  *out = &meta->out[0];
    int64_t             numel;
    char                got[32];

    STRIA_TRY(stria_index_infer_dtype(call, "x", x, err));
    snprintf(got, sizeof got, "%lld", (long long)n);
    if (n < -1 || n == 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "one_hot", "num_classes", "1 or more, or -1", got,
                               "num_classes is %s, but must be 1 or more, or -1", got);
    if (x->ndim == STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, "one_hot", "x", "fewer dims", NULL, "x already has %d dims",
                               STRIA_MAX_DIMS);
    if (n == -1 && x->numel == 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "one_hot", "num_classes", "given", "-1",
                               "num_classes must be given where x has no elements");
    stria_infer_same_shape(x, STRIA_I64, out);
    out->shape[out->ndim++] = n;
    if (n == -1) {
        out->order = STRIA_ORDER_UNKNOWN;
        return STRIA_OK;
    }
    return stria_shape_get_numel("one_hot", "num_classes", STRIA_I64, out->ndim, out->shape, &numel, NULL, err);
}

/* x as i64, row-major, where nobody else writes; and one more than the largest. ERR_ARGUMENT: a negative one. */
static stria_status copy_classes(const stria_call *call, stria_tensor **copy, int64_t *n, stria_error *err)
{
    const int64_t limit = ((const stria_one_hot_attrs *)call->attrs)->num_classes;

    STRIA_TRY(stria_tensor_new_shaped(STRIA_I64, call->in[0], copy, err));
    STRIA_TRY(stria_tensor_set(*copy, call->in[0], err));
    const int64_t *at = (const int64_t *)(const void *)(*copy)->data;
    STRIA_TRY(stria_index_check(call, "x", *copy, limit == -1 ? INT64_MAX : limit, false, "num_classes", err));
    *n = limit;
    for (int64_t k = 0; limit == -1 && k < (*copy)->numel; k++)
        if (at[k] >= *n) *n = at[k] + 1;
    return STRIA_OK;
}

stria_status stria_cpu_one_hot(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    stria_tensor *copy = NULL;
    int64_t       shape[STRIA_MAX_DIMS], n = 0;
    stria_status  status = copy_classes(call, &copy, &n, err);

    memcpy(shape, meta->out[0].shape, (size_t)meta->out[0].ndim * sizeof *shape);
    shape[meta->out[0].ndim - 1] = n;
    if (status == STRIA_OK && !y[0]) status = stria_tensor_new(STRIA_I64, meta->out[0].ndim, shape, &y[0], err);
    if (status == STRIA_OK) status = stria_fill_out(y[0], (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 0}, y[0], err);
    if (status == STRIA_OK) {
        const int64_t    one = 1;
        stria_index_plan plan;
        stria_index_plan_init(&plan, copy->ndim, copy->shape);
        stria_index_plan_set_index(&plan, copy, 0);
        plan.table = y[0]->data;
        plan.item_size = (int64_t)sizeof one;
        plan.size = n;
        plan.step = y[0]->strides[copy->ndim] * plan.item_size;
        for (int d = 0; d < copy->ndim; d++) plan.table_strides[d] = y[0]->strides[d] * plan.item_size;
        plan.free = UINT64_MAX;
        plan.other = (char *)(uintptr_t)&one;
        stria_index_run(&plan, stria_index_set, &plan);
    }
    stria_tensor_release(copy);
    return status;
}
