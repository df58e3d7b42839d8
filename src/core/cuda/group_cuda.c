/* group_cuda.c - expressions on CUDA as one kernel each: text (group_text.c), which the plug-in compiles once it comes again; operands as walks. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cuda/cuda_device.h"
#include "cuda/group_text.h"
#include "iter/iter_internal.h"

/* In lowering->code: the text for results of these dtypes in memory. */
typedef struct kept_text {
    uint64_t    hash;
    stria_dtype out[STRIA_EXPRESSION_MAX_OUTPUTS];
    char        text[];
} kept_text;

/* FNV-1a. */
static uint64_t get_hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (; *text != 0; text++) h = (h ^ (uint8_t)*text) * 0x100000001b3u;
    return h;
}

static kept_text *new_text(const stria_lowered_call *call, uint32_t values)
{
    const stria_lowering *l = call->lowering;
    stria_dtype           memory[STRIA_CUDA_GROUP_OPERANDS];

    for (int k = 0; k < l->n_operands; k++) memory[k] = stria_iter_get_dtype(call->iter, k);
    kept_text *kept = (kept_text *)(void *)stria_cuda_group_print(l, memory, values, sizeof(kept_text));
    if (kept == NULL) return NULL;
    for (int k = 0; k < l->n_out; k++) kept->out[k] = memory[k];
    kept->hash = get_hash(kept->text);
    return kept;
}

static bool is_text_for(const kept_text *kept, const stria_lowered_call *call)
{
    for (int k = 0; k < call->lowering->n_out; k++)
        if (kept->out[k] != stria_iter_get_dtype(call->iter, k)) return false;
    return true;
}

/* NULL: there is none. *is_kept: the lowering owns it. */
static kept_text *get_text(const stria_lowered_call *call, uint32_t values, bool *is_kept)
{
    void      *none = NULL;
    kept_text *kept = atomic_load_explicit(&call->lowering->code, memory_order_acquire);

    *is_kept = kept != NULL && is_text_for(kept, call);
    if (*is_kept) return kept;
    kept = new_text(call, values);
    *is_kept = kept != NULL && atomic_compare_exchange_strong(&call->lowering->code, &none, (void *)kept);
    return kept;
}

/* ---------------------------------------------------------------- calls */

typedef struct runner {
    stria_cuda_work      *work;
    stria_cuda_group_call call;
} runner;

static stria_status run_part(void *context, stria_iter *part, stria_error *err)
{
    runner                *r = context;
    stria_cuda_group_call *call = &r->call;
    (void)err;

    if (r->work->code != STRIA_CUDA_OK) return STRIA_OK;
    call->ndim = stria_iter_get_ndim(part);
    for (int d = 0; d < call->ndim; d++) {
        const int64_t *strides = stria_iter_get_strides(part, d);
        call->shape[d] = stria_iter_get_shape(part)[d];
        for (int k = 0; k < call->n_operands; k++) call->strides[d][k] = call->data[k] != NULL ? strides[k] : 0;
    }
    for (int k = 0; k < call->n_operands; k++)
        if (call->data[k] != NULL) call->data[k] = stria_iter_get_data(part, k);
    if (stria_cuda_work_put(r->work, r->work->plugin->group(r->work->stream, call))) call->is_wanted = true;
    return STRIA_OK;
}

/* Values go with the call; the rest has data. */
static uint32_t set_operands(const stria_lowered_call *from, stria_cuda_group_call *to)
{
    const stria_lowering *l = from->lowering;
    uint32_t              values = 0;

    to->n_operands = l->n_operands;
    to->n_results = l->n_out;
    for (int k = 0; k < l->n_operands; k++) {
        const stria_tensor *x = k < l->n_out ? from->out[k] : from->in[l->operands[k].input];
        to->value[k] = 0;
        to->size[k] = (int32_t)stria_dtype_get_size(stria_iter_get_dtype(from->iter, k));
        to->data[k] = stria_iter_get_data(from->iter, k);
        if (x->device.type != STRIA_DEVICE_CPU) continue;
        values |= 1u << k;
        to->data[k] = NULL;
        l->kernels->cast[x->dtype][l->operands[k].lane]((char *)&to->value[k], 0, x->data, 0, 1);
    }
    return values;
}

static stria_status run(const stria_lowered_call *call, runner *r, stria_cuda_work *work, stria_error *err)
{
    const stria_lowering *l = call->lowering;

    STRIA_TRY(stria_cuda_work_begin(work, STRIA_EXPRESSION_NAME, call->out[0]->device, err));
    for (int k = 0; k < l->n_operands; k++)
        stria_cuda_work_use(work, k < l->n_out ? call->out[k] : call->in[l->operands[k].input]);
    r->work = work;
    if (stria_iter_can_use_32bit_indexing(call->iter)) return run_part(r, (stria_iter *)(uintptr_t)call->iter, err);
    return stria_iter_with_32bit_indexing(call->iter, run_part, r, err);
}

stria_status stria_cuda_lowered(const stria_lowered_call *call, bool *is_run, stria_error *err)
{
    stria_cuda_work work;
    runner          r = {.call.is_wanted = false};
    bool            is_kept;

    *is_run = false;
    if (call->lowering->n_operands > STRIA_CUDA_GROUP_OPERANDS) return STRIA_OK;
    if (stria_iter_get_ndim(call->iter) > STRIA_CUDA_MAX_DIMS) return STRIA_OK;
    kept_text *kept = get_text(call, set_operands(call, &r.call), &is_kept);
    if (kept == NULL) return STRIA_OK;
    r.call.text = kept->text;
    r.call.hash = kept->hash;
    stria_status status = run(call, &r, &work, err);
    if (status == STRIA_OK) {
        const bool has_none = work.code == STRIA_CUDA_NO_KERNEL && !r.call.is_wanted; /* nothing is done */
        if (has_none) work.code = STRIA_CUDA_OK;
        status = stria_cuda_work_end(&work, call->lowering->result, err);
        *is_run = !has_none;
    }
    if (!is_kept) stria_object_release(kept);
    return status;
}
