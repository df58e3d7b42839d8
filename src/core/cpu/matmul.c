/* matmul.c - the path of one matrix product: meta -> output -> plan -> run (matmul_run.c). */
#include <stdio.h>

#include "base/error.h"
#include "cpu/matmul_plan.h"
#include "call/meta.h"
#include "tensor/overlap.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

/* matmul, or one of the functions that take operands of certain dims only (0: of any, but not 0-dim ones). */
typedef struct product {
    const char *name;
    int         a_ndim, b_ndim;
} product;
static const product matmul = {"matmul", 0, 0}, mm = {"mm", 2, 2}, bmm = {"bmm", 3, 3}, mv = {"mv", 2, 1},
                     dot = {"dot", 1, 1};

typedef struct matmul_meta {
    const char  *op;
    stria_dtype  compute; /* F32 for f16 and bf16 */
    stria_dtype  result;
    stria_device device;
    int64_t      m, n, k;
    int          n_batch;
    int          ndim; /* of the result: the batch, m unless a has one dim, n unless b has */
    int64_t      shape[STRIA_MAX_DIMS];
} matmul_meta;

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

static stria_status check_ndim(const product *op, const char *argument, const stria_tensor *x, int ndim,
                               stria_error *err)
{
    char expected[32], got[96];
    if (ndim == 0 ? x->ndim > 0 : x->ndim == ndim) return STRIA_OK;
    snprintf(expected, sizeof expected, ndim == 0 ? "at least one dim" : ndim == 1 ? "1 dim" : "%d dims", ndim);
    stria_shape_print(got, sizeof got, x->ndim, x->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, op->name, argument, expected, got, "%s needs %s, its shape is %s",
                           argument, expected, got);
}

static stria_status infer_shape(const product *op, const stria_tensor *a, const stria_tensor *b, matmul_meta *meta,
                                stria_error *err)
{
    const int a_batch = a->ndim > 2 ? a->ndim - 2 : 0, b_batch = b->ndim > 2 ? b->ndim - 2 : 0;

    STRIA_TRY(check_ndim(op, "a", a, op->a_ndim, err));
    STRIA_TRY(check_ndim(op, "b", b, op->b_ndim, err));
    meta->m = a->ndim == 1 ? 1 : a->shape[a->ndim - 2];
    meta->n = b->ndim == 1 ? 1 : b->shape[b->ndim - 1];
    meta->k = a->shape[a->ndim - 1];
    if (meta->k != b->shape[b->ndim == 1 ? 0 : b->ndim - 2])
        return refuse_shapes(op->name, a, b,
                             b->ndim == 1 ? "the last axis of a must have the size of b"
                                          : "the last axis of a must have the size of axis -2 of b",
                             err);
    meta->n_batch = a_batch;
    for (int d = 0; d < a_batch; d++) meta->shape[d] = a->shape[d];
    if (op->a_ndim == 3 && a->shape[0] != b->shape[0])
        return refuse_shapes(op->name, a, b, "the first axes must have the same size", err);
    if (stria_shape_broadcast(op->name, &meta->n_batch, meta->shape, b_batch, b->shape, NULL) != STRIA_OK)
        return refuse_shapes(op->name, a, b, "the axes before the last two must broadcast", err);
    meta->ndim = meta->n_batch;
    if (a->ndim > 1) meta->shape[meta->ndim++] = meta->m;
    if (b->ndim > 1) meta->shape[meta->ndim++] = meta->n;
    return STRIA_OK;
}

static stria_status infer_dtypes(const stria_tensor *const *in, matmul_meta *meta, stria_error *err)
{
    meta->result = stria_promote_result(in, 2);
    meta->compute = stria_dtype_get_compute(meta->result);
    const stria_category category = stria_dtype_get_category(meta->result);
    if (category != STRIA_CATEGORY_B && category != STRIA_CATEGORY_C) return STRIA_OK;
    const char *name = stria_dtype_get_name(meta->result);
    return stria_error_set(err, STRIA_ERR_DTYPE, meta->op, "a", "integers or floats", name,
                           "there are no matrix products of %s%s", name,
                           category == STRIA_CATEGORY_B ? "; convert to an integer or float dtype first" : "");
}

static const char *get_device_name(stria_device device)
{
    return device == STRIA_DEVICE_CPU ? "cpu" : device == STRIA_DEVICE_META ? "meta" : "cuda";
}

static stria_status check_devices(const char *op, const stria_tensor *a, const stria_tensor *x, const char *argument,
                                  stria_error *err)
{
    const char *expected = get_device_name(a->device), *got = get_device_name(x->device);
    if (x->device == a->device) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_DEVICE, op, argument, expected, got, "%s is on %s but a is on %s", argument,
                           got, expected);
}

static stria_status check_out(const stria_tensor *a, const stria_tensor *out, const matmul_meta *meta, stria_error *err)
{
    STRIA_TRY(check_devices(meta->op, a, out, "out", err));
    if (stria_dtype_get_castable(meta->result, out->dtype)) return STRIA_OK;
    const char *from = stria_dtype_get_name(meta->result), *to = stria_dtype_get_name(out->dtype);
    return stria_error_set(err, STRIA_ERR_DTYPE, meta->op, "out", from, to,
                           "a result of %s does not cast to an out of %s", from, to);
}

static stria_status infer(const product *op, const stria_tensor *a, const stria_tensor *b, const stria_tensor *out,
                          matmul_meta *meta, stria_error *err)
{
    const stria_tensor *in[] = {a, b};

    meta->op = op->name;
    if (!a || !b)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, op->name, a ? "b" : "a", "a tensor", "NULL", "%s is NULL",
                               a ? "b" : "a");
    STRIA_TRY(infer_dtypes(in, meta, err));
    STRIA_TRY(check_devices(op->name, a, b, "b", err));
    if (a->device == STRIA_DEVICE_CUDA)
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, meta->op, "a", "cpu", "cuda",
                               "there are no matrix products on this device yet");
    STRIA_TRY(infer_shape(op, a, b, meta, err));
    meta->device = a->device;
    return out ? check_out(a, out, meta, err) : STRIA_OK;
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

/* y = a b. y has the shape of the result, and no memory in common with a and b. */
static stria_status multiply(const matmul_meta *meta, const stria_tensor *a, const stria_tensor *b, stria_tensor *y,
                             stria_error *err)
{
    stria_matmul_plan plan;

    plan.kernels = stria_dispatch_get();
    if (!plan.kernels) return stria_isa_get_status(err);
    plan.m = meta->m;
    plan.n = meta->n;
    plan.k = meta->k;
    plan.n_batch = meta->n_batch;
    for (int d = 0; d < meta->n_batch; d++) plan.batch[d] = meta->shape[d];
    plan.a.data = a->data;
    plan.a.dtype = a->dtype;
    plan.a.along = a->ndim > 1 ? a->strides[a->ndim - 2] : 0;
    plan.a.step = a->strides[a->ndim - 1];
    set_batch(&plan.a, a, a->ndim > 2 ? a->ndim - 2 : 0, meta->n_batch);
    plan.b.data = b->data;
    plan.b.dtype = b->dtype;
    plan.b.along = b->ndim > 1 ? b->strides[b->ndim - 1] : 0;
    plan.b.step = b->strides[b->ndim > 1 ? b->ndim - 2 : 0];
    set_batch(&plan.b, b, b->ndim > 2 ? b->ndim - 2 : 0, meta->n_batch);
    plan.c.data = y->data;
    plan.c.dtype = y->dtype;
    plan.c.along = a->ndim > 1 ? y->strides[meta->n_batch] : 0;
    plan.c.step = b->ndim > 1 ? y->strides[y->ndim - 1] : 0;
    set_batch(&plan.c, y, meta->n_batch, meta->n_batch);
    return stria_matmul_plan_run(&plan, meta->compute, err);
}

static stria_status new_product(const matmul_meta *meta, const stria_tensor *a, const stria_tensor *b,
                                stria_tensor **out, stria_error *err)
{
    stria_tensor *y = NULL;
    stria_status  status;

    if (meta->device == STRIA_DEVICE_META)
        return stria_tensor_new_meta(meta->result, meta->ndim, meta->shape, out, err);
    STRIA_TRY(stria_tensor_new(meta->result, meta->ndim, meta->shape, &y, err));
    status = multiply(meta, a, b, y, err);
    if (status == STRIA_OK)
        *out = y;
    else
        stria_tensor_release(y);
    return status;
}

static stria_status run(const product *op, const stria_tensor *a, const stria_tensor *b, stria_tensor **out,
                        stria_error *err)
{
    matmul_meta meta;

    if (!out)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, op->name, "out", "a place for the result", "NULL",
                               "out is NULL");
    *out = NULL;
    STRIA_TRY(infer(op, a, b, NULL, &meta, err));
    return stria_error_set_op(err, new_product(&meta, a, b, out, err), op->name);
}

static bool has_shape(const stria_tensor *x, const matmul_meta *meta)
{
    if (x->ndim != meta->ndim) return false;
    for (int d = 0; d < x->ndim; d++)
        if (x->shape[d] != meta->shape[d]) return false;
    return true;
}

static stria_status run_out(const product *op, const stria_tensor *a, const stria_tensor *b, stria_tensor *out,
                            stria_error *err)
{
    matmul_meta   meta;
    stria_tensor *y = NULL;
    stria_status  status = STRIA_OK;
    int64_t       strides[STRIA_MAX_DIMS];

    if (!out) return stria_error_set(err, STRIA_ERR_ARGUMENT, op->name, "out", "a tensor", "NULL", "out is NULL");
    STRIA_TRY(infer(op, a, b, out, &meta, err));
    const bool fits = has_shape(out, &meta);
    /* an integer must wrap to the result's dtype before it widens to that of out */
    const bool is_one_step = out->dtype == meta.result || stria_dtype_get_category(meta.result) == STRIA_CATEGORY_F;
    if (fits) STRIA_TRY(stria_overlap_check_out(op->name, out, err));
    if (fits && meta.device == STRIA_DEVICE_META) return STRIA_OK;
    if (fits && is_one_step && stria_overlap_find(out, a) == STRIA_OVERLAP_NONE &&
        stria_overlap_find(out, b) == STRIA_OVERLAP_NONE)
        return multiply(&meta, a, b, out, err);

    /* Another shape, or memory shared with an input: the product is made apart, so that out stays as it is on failure. */
    status = new_product(&meta, a, b, &y, err);
    if (status == STRIA_OK && !fits) {
        stria_shape_get_strides(meta.ndim, meta.shape, strides);
        status = stria_tensor_resize(out, meta.ndim, meta.shape, strides, err);
    }
    if (status == STRIA_OK) status = stria_tensor_set(out, y, err);
    stria_tensor_release(y);
    return stria_error_set_op(err, status, op->name);
}

#define PRODUCT(name)                                                                                                  \
    stria_status stria_##name(const stria_tensor *a, const stria_tensor *b, stria_tensor **out, stria_error *err)      \
    {                                                                                                                  \
        return run(&name, a, b, out, err);                                                                             \
    }                                                                                                                  \
    stria_status stria_##name##_out(const stria_tensor *a, const stria_tensor *b, stria_tensor *out, stria_error *err) \
    {                                                                                                                  \
        return run_out(&name, a, b, out, err);                                                                         \
    }
PRODUCT(matmul)
PRODUCT(mm)
PRODUCT(bmm)
PRODUCT(mv)
PRODUCT(dot)
#undef PRODUCT
