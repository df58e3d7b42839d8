/* walk.c - iterators as the plug-in takes them (cuda_device.h). */
#include "base/error.h"
#include "cuda/cuda_device.h"
#include "iter/iter_internal.h"

typedef struct walker {
    stria_cuda_work    *work;
    stria_cuda_walk_fn *fn;
    void               *context;
} walker;

static void describe(const stria_iter *it, stria_cuda_walk *walk)
{
    const int n = stria_iter_get_n_operands(it), ndim = stria_iter_get_ndim(it);

    walk->n_operands = n;
    walk->ndim = ndim < STRIA_CUDA_MAX_DIMS ? ndim : STRIA_CUDA_MAX_DIMS;
    for (int d = 0; d < walk->ndim; d++) {
        const int64_t *strides = stria_iter_get_strides(it, d);
        walk->shape[d] = stria_iter_get_shape(it)[d];
        for (int k = 0; k < n; k++)
            walk->strides[d * n + k] = it->operands[k].device.type == STRIA_DEVICE_CUDA ? strides[k] : 0;
    }
    for (int k = 0; k < n; k++) {
        walk->dtype[k] = stria_iter_get_dtype(it, k);
        walk->data[k] = it->operands[k].device.type == STRIA_DEVICE_CUDA ? stria_iter_get_data(it, k) : NULL;
    }
}

/* To the next index of the dims beyond those of a walk; false: there is none. */
static bool advance(const stria_iter *it, stria_cuda_walk *walk, int64_t *index)
{
    const int64_t *shape = stria_iter_get_shape(it);

    for (int d = STRIA_CUDA_MAX_DIMS; d < stria_iter_get_ndim(it); d++) {
        const int64_t *strides = stria_iter_get_strides(it, d);
        const bool     is_over = ++index[d] == shape[d];
        for (int k = 0; k < walk->n_operands; k++)
            if (walk->data[k] != NULL) walk->data[k] += is_over ? -(shape[d] - 1) * strides[k] : strides[k];
        if (!is_over) return true;
        index[d] = 0;
    }
    return false;
}

static stria_status run_part(void *context, stria_iter *part, stria_error *err)
{
    const walker   *w = context;
    stria_cuda_walk walk;
    int64_t         index[STRIA_MAX_DIMS] = {0};
    (void)err;

    describe(part, &walk);
    while (stria_cuda_work_put(w->work, w->fn(w->context, w->work, &walk)) && advance(part, &walk, index)) continue;
    return STRIA_OK;
}

stria_status stria_cuda_walk_each(stria_cuda_work *work, const stria_iter *it, stria_cuda_walk_fn *fn, void *context,
                                  stria_error *err)
{
    walker w = {work, fn, context};

    if (stria_iter_get_numel(it) == 0) return STRIA_OK;
    if (stria_iter_can_use_32bit_indexing(it)) return run_part(&w, (stria_iter *)(uintptr_t)it, err);
    return stria_iter_with_32bit_indexing(it, run_part, &w, err);
}
