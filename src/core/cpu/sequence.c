/* sequence.c - tensors whose element k is a function of k (sequence.h). */
#include "cpu/sequence.h"

#include "base/error.h"
#include "base/parallel.h"
#include "simd/kernels.h"

typedef struct task {
    stria_sequence_fn *make;
    const void        *sequence;
    stria_cast_loop   *store;
    int64_t made_size, step; /* in bytes: of a made element, and from one element of the tensor to the next */
    char   *to;
} task;

static void run_chunk(void *context, int chunk, int64_t begin, int64_t end)
{
    const task *t = context;
    double      block[2 * STRIA_SEQUENCE_BLOCK];
    (void)chunk;

    for (int64_t k = begin; k < end; k += STRIA_SEQUENCE_BLOCK) {
        const int64_t count = end - k < STRIA_SEQUENCE_BLOCK ? end - k : STRIA_SEQUENCE_BLOCK;
        t->make(t->sequence, k, count, block);
        t->store(t->to + k * t->step, t->step, (const char *)block, t->made_size, count);
    }
}

stria_status stria_sequence_run(stria_tensor *y, int64_t row, stria_dtype made, stria_sequence_fn *make,
                                const void *sequence, stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    const int64_t        size = stria_tensor_get_item_size(y);
    const int            axis = y->ndim - 1;
    task                 t = {make, sequence, NULL, (int64_t)stria_dtype_get_size(made), y->strides[axis] * size, NULL};

    if (kernels == NULL) return stria_isa_get_status(err);
    t.store = kernels->cast[made][y->dtype];
    t.to = y->data + (axis > 0 ? row * y->strides[0] * size : 0);
    stria_parallel_for(stria_team_get(), 0, y->shape[axis], STRIA_GRAIN, run_chunk, &t);
    return STRIA_OK;
}
