/* matmul.c - matrix products: what they return, and the plan that matmul_run.c runs. */
#include <stdio.h>

#include "base/error.h"
#include "cpu/complex_parts.h"
#include "cpu/matmul_plan.h"
#include "call/call.h"
#include "call/meta.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

/* What a row of the family takes: operands of certain dims, or (0) of any but none. */
typedef struct product {
    int a_ndim, b_ndim;
} product;

static product get_product(const stria_call *call)
{
    switch (stria_call_get_function(call)) {
    case STRIA_FN_mm: return (product){2, 2};
    case STRIA_FN_bmm: return (product){3, 3};
    case STRIA_FN_mv: return (product){2, 1};
    case STRIA_FN_dot: return (product){1, 1};
    default: return (product){0, 0};
    }
}

/* ---------------------------------------------------------------- meta: every refusal */

static stria_status refuse_shapes(const char *op, const stria_tensor *a, const stria_tensor *b, const char *why,
                                  stria_error *err)
{
    char left[96], right[96];
    stria_shape_print(left, sizeof left, a->ndim, a->shape);
    stria_shape_print(right, sizeof right, b->ndim, b->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, op, "b", left, right, "shapes %s and %s do not fit: %s", left, right,
                           why);
}

static stria_status check_ndim(const char *name, const char *argument, const stria_tensor *x, int ndim,
                               stria_error *err)
{
    char expected[32], got[96];
    if (ndim == 0 ? x->ndim > 0 : x->ndim == ndim) return STRIA_OK;
    snprintf(expected, sizeof expected, ndim == 0 ? "at least one dim" : ndim == 1 ? "1 dim" : "%d dims", ndim);
    stria_shape_print(got, sizeof got, x->ndim, x->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, expected, got, "%s needs %s, its shape is %s",
                           argument, expected, got);
}

static stria_status infer_shape(const stria_call *call, stria_output_meta *out, stria_error *err)
{
    const char         *name = stria_call_get_name(call);
    const stria_tensor *a = call->in[0], *b = call->in[1];
    const product       op = get_product(call);
    const int           b_batch = b->ndim > 2 ? b->ndim - 2 : 0;

    STRIA_TRY(check_ndim(name, "a", a, op.a_ndim, err));
    STRIA_TRY(check_ndim(name, "b", b, op.b_ndim, err));
    if (a->shape[a->ndim - 1] != b->shape[b->ndim == 1 ? 0 : b->ndim - 2])
        return refuse_shapes(name, a, b,
                             b->ndim == 1 ? "the last axis of a must have the size of b"
                                          : "the last axis of a must have the size of axis -2 of b",
                             err);
    out->ndim = a->ndim > 2 ? a->ndim - 2 : 0;
    for (int d = 0; d < out->ndim; d++) out->shape[d] = a->shape[d];
    if (op.a_ndim == 3 && a->shape[0] != b->shape[0])
        return refuse_shapes(name, a, b, "the first axes must have the same size", err);
    if (stria_shape_broadcast(name, &out->ndim, out->shape, b_batch, b->shape, NULL) != STRIA_OK)
        return refuse_shapes(name, a, b, "the axes before the last two must broadcast", err);
    if (a->ndim > 1) out->shape[out->ndim++] = a->shape[a->ndim - 2];
    if (b->ndim > 1) out->shape[out->ndim++] = b->shape[b->ndim - 1];
    return STRIA_OK;
}

static stria_status infer(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    stria_output_meta *out = &meta->out[0];

    out->dtype = stria_promote_result(call->in, 2);
    out->order = STRIA_ORDER_ROW_MAJOR;
    const stria_category category = stria_dtype_get_category(out->dtype);
    /* an integer must wrap before it widens; a complex number has a product of its own */
    out->converts =
        category == STRIA_CATEGORY_F && (call->out[0] == NULL || !stria_dtype_is_complex(call->out[0]->dtype));
    if (category != STRIA_CATEGORY_B) return infer_shape(call, out, err);
    const char *name = stria_dtype_get_name(out->dtype);
    return stria_error_set(err, STRIA_ERR_DTYPE, stria_call_get_name(call), "a", "numbers", name,
                           "there are no matrix products of %s; convert to an integer or float dtype first", name);
}

/* ---------------------------------------------------------------- run */

/* Strides of the dims of the batch, to the right as far as x has them. */
static void set_batch(stria_matmul_side *side, const stria_tensor *x, int x_batch, int n_batch)
{
    for (int d = 0; d < n_batch; d++) {
        const int own = d - (n_batch - x_batch);
        side->batch[d] = own < 0 || x->shape[own] == 1 ? 0 : x->strides[own];
    }
}

void stria_matmul_plan_set(stria_matmul_plan *plan, const stria_tensor *a, const stria_tensor *b, const stria_tensor *y)
{
    const int n_batch = y->ndim - (a->ndim > 1) - (b->ndim > 1);

    plan->m = a->ndim == 1 ? 1 : a->shape[a->ndim - 2];
    plan->n = b->ndim == 1 ? 1 : b->shape[b->ndim - 1];
    plan->k = a->shape[a->ndim - 1];
    plan->n_batch = n_batch;
    for (int d = 0; d < n_batch; d++) plan->batch[d] = y->shape[d];
    plan->a.data = a->data;
    plan->a.dtype = a->dtype;
    plan->a.along = a->ndim > 1 ? a->strides[a->ndim - 2] : 0;
    plan->a.step = a->strides[a->ndim - 1];
    set_batch(&plan->a, a, a->ndim > 2 ? a->ndim - 2 : 0, n_batch);
    plan->b.data = b->data;
    plan->b.dtype = b->dtype;
    plan->b.along = b->ndim > 1 ? b->strides[b->ndim - 1] : 0;
    plan->b.step = b->strides[b->ndim > 1 ? b->ndim - 2 : 0];
    set_batch(&plan->b, b, b->ndim > 2 ? b->ndim - 2 : 0, n_batch);
    plan->c.data = y->data;
    plan->c.dtype = y->dtype;
    plan->c.along = a->ndim > 1 ? y->strides[n_batch] : 0;
    plan->c.step = b->ndim > 1 ? y->strides[y->ndim - 1] : 0;
    set_batch(&plan->c, y, n_batch, n_batch);
    plan->is_exchanged = false;
}

static stria_status multiply(const stria_call *call, const stria_call_meta *meta, stria_tensor **out, stria_error *err)
{
    stria_matmul_plan plan;

    if (stria_dtype_is_complex(out[0]->dtype)) return stria_complex_matmul(call->in[0], call->in[1], out[0], err);
    plan.kernels = stria_dispatch_get();
    stria_matmul_plan_set(&plan, call->in[0], call->in[1], out[0]);
    return stria_matmul_plan_run(&plan, stria_dtype_get_compute(meta->out[0].dtype), err);
}

#define PRODUCT(name)                                                                                    \
    stria_status stria_infer_##name(const stria_call *call, stria_call_meta *meta, stria_error *err)     \
    {                                                                                                    \
        return infer(call, meta, err);                                                                   \
    }                                                                                                    \
    stria_status stria_cpu_##name(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, \
                                  stria_error *err)                                                      \
    {                                                                                                    \
        return multiply(call, meta, y, err);                                                             \
    }
PRODUCT(matmul)
PRODUCT(mm)
PRODUCT(bmm)
PRODUCT(mv)
PRODUCT(dot)
#undef PRODUCT
