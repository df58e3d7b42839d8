/* matmul_cuda.c - matrix products on CUDA: the plan of cpu/matmul.c, with operands that the kernels take as they are, or copies. */
#include "base/error.h"
#include "cpu/matmul_plan.h"
#include "cuda/cuda_device.h"

/* Whether cuBLASLt takes the matrices of a tensor as they lie: one of the last two strides is 1, the other no shorter than a row. */
static bool has_matrices(const stria_tensor *x)
{
    if (x->ndim == 1) return x->strides[0] > 0;
    const int64_t rows = x->shape[x->ndim - 2], columns = x->shape[x->ndim - 1];
    const int64_t row = x->strides[x->ndim - 2], column = x->strides[x->ndim - 1];

    for (int d = 0; d < x->ndim - 2; d++)
        if (x->strides[d] < 0) return false;
    return ((column == 1 || columns == 1) && (row >= columns || rows == 1)) ||
           ((row == 1 || rows == 1) && (column >= rows || columns == 1));
}

/* x, or a row-major copy of it in the dtype. */
static stria_status new_operand(const stria_tensor *x, stria_dtype dtype, bool is_float, stria_tensor **operand,
                                stria_error *err)
{
    if (!is_float || (x->dtype == dtype && has_matrices(x))) {
        *operand = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
        return STRIA_OK;
    }
    return stria_cuda_new_row_major(x, dtype, operand, err);
}

/* y, or a tensor that becomes y: products of floats are stored in their own dtype or in the one that they are computed in. */
static stria_status new_target(stria_tensor *y, stria_dtype dtype, stria_dtype compute, stria_tensor **target,
                               stria_error *err)
{
    if ((y->dtype == dtype || y->dtype == compute) &&
        (stria_tensor_is_contiguous(y) || stria_dtype_get_category(dtype) != STRIA_CATEGORY_F)) {
        *target = stria_tensor_retain(y);
        return STRIA_OK;
    }
    return stria_tensor_new_on(y->device, y->dtype == dtype ? dtype : compute, y->ndim, y->shape, NULL, target, err);
}

/* ---------------------------------------------------------------- batches */

static stria_cuda_matrix get_matrix(const stria_matmul_side *side, int64_t row, int64_t column)
{
    return (stria_cuda_matrix){.data = side->data, .dtype = side->dtype, .row = row, .column = column};
}

/* Dims of the batch without those of size 1, neighbours as one where all sides step through them as through one. */
static void merge_batch(stria_matmul_plan *plan)
{
    stria_matmul_side *const sides[] = {&plan->a, &plan->b, &plan->c};
    int                      n = 0;

    for (int d = 0; d < plan->n_batch; d++) {
        bool joins = n > 0;
        if (plan->batch[d] == 1) continue;
        for (int s = 0; s < 3 && joins; s++) joins = sides[s]->batch[n - 1] == sides[s]->batch[d] * plan->batch[d];
        if (!joins) n++;
        plan->batch[n - 1] = joins ? plan->batch[n - 1] * plan->batch[d] : plan->batch[d];
        for (int s = 0; s < 3; s++) sides[s]->batch[n - 1] = sides[s]->batch[d];
    }
    plan->n_batch = n;
}

/* The matrices of the last dim of the batch; where all meet one b, and lie as one matrix, they are one. */
static void set_last(const stria_matmul_plan *plan, stria_cuda_matmul_call *call)
{
    const int last = plan->n_batch - 1;

    call->n_matrices = 1;
    if (last < 0) return;
    call->n_matrices = plan->batch[last];
    call->a.batch = plan->a.batch[last];
    call->b.batch = plan->b.batch[last];
    call->c.batch = plan->c.batch[last];
    if (call->b.batch != 0 || call->a.batch != call->m * call->a.row || call->c.batch != call->m * call->c.row) return;
    call->m *= call->n_matrices;
    call->n_matrices = 1;
}

static void run(stria_cuda_work *work, const stria_matmul_plan *plan, stria_cuda_matmul_call *call)
{
    int64_t       index[STRIA_MAX_DIMS] = {0};
    const int64_t size_a = stria_dtype_sizes[plan->a.dtype], size_b = stria_dtype_sizes[plan->b.dtype];
    const int64_t size_c = stria_dtype_sizes[plan->c.dtype];
    int           d = 0;

    while (d >= 0 && stria_cuda_work_put(work, work->plugin->matmul(work->stream, call)))
        for (d = plan->n_batch - 2; d >= 0; d--) {
            const int64_t back = ++index[d] < plan->batch[d] ? 1 : 1 - plan->batch[d];
            call->a.data += back * plan->a.batch[d] * size_a;
            call->b.data += back * plan->b.batch[d] * size_b;
            call->c.data += back * plan->c.batch[d] * size_c;
            if (back == 1) break;
            index[d] = 0;
        }
}

static stria_status multiply(const char *name, const stria_tensor *a, const stria_tensor *b, stria_tensor *y,
                             stria_dtype compute, stria_error *err)
{
    stria_cuda_work   work;
    stria_matmul_plan plan;

    stria_matmul_plan_set(&plan, a, b, y);
    if (plan.k == 0) return stria_backend_fill(y, stria_scalar_get(0), err);
    merge_batch(&plan);
    stria_cuda_matmul_call call = {.compute = compute,
                                   .allows_tf32 = stria_tf32_get(),
                                   .m = plan.m,
                                   .n = plan.n,
                                   .k = plan.k,
                                   .a = get_matrix(&plan.a, plan.a.along, plan.a.step),
                                   .b = get_matrix(&plan.b, plan.b.step, plan.b.along),
                                   .c = get_matrix(&plan.c, plan.c.along, plan.c.step)};
    set_last(&plan, &call);
    STRIA_TRY(stria_cuda_work_begin(&work, name, y->device, err));
    stria_cuda_work_use(&work, a);
    stria_cuda_work_use(&work, b);
    stria_cuda_work_use(&work, y);
    if (work.code == STRIA_CUDA_OK) run(&work, &plan, &call);
    return stria_cuda_work_end(&work, y->dtype, err);
}

/* ---------------------------------------------------------------- rows */

static stria_status product(const stria_call *call, const stria_call_meta *meta, stria_tensor *y, stria_error *err)
{
    const stria_dtype dtype = meta->out[0].dtype, compute = stria_dtype_get_compute(dtype);
    const bool        is_float = stria_dtype_get_category(dtype) == STRIA_CATEGORY_F;
    stria_tensor     *a = NULL, *b = NULL, *target = NULL;

    if (y->numel == 0) return STRIA_OK;
    stria_status status = new_operand(call->in[0], dtype, is_float, &a, err);
    if (status == STRIA_OK) status = new_operand(call->in[1], dtype, is_float, &b, err);
    if (status == STRIA_OK) status = new_target(y, dtype, compute, &target, err);
    if (status == STRIA_OK) status = multiply(stria_call_get_name(call), a, b, target, compute, err);
    if (status == STRIA_OK && target != y) status = stria_backend_copy(y, target, err);
    stria_tensor_release(target);
    stria_tensor_release(b);
    stria_tensor_release(a);
    return status;
}

#define PRODUCT(name)                                                                                     \
    stria_status stria_cuda_##name(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, \
                                   stria_error *err)                                                      \
    {                                                                                                     \
        return product(call, meta, y[0], err);                                                            \
    }
PRODUCT(matmul)
PRODUCT(mm)
PRODUCT(bmm)
PRODUCT(mv)
PRODUCT(dot)
#undef PRODUCT
