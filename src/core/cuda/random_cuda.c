/* random_cuda.c - random numbers on CUDA: the same as on the CPU, of the same generators. */
#include "base/error.h"
#include "cpu/random_numbers.h"
#include "cuda/cuda_device.h"

stria_status stria_cuda_random(const stria_random_numbers *r, int64_t n, stria_tensor *y, stria_error *err)
{
    const stria_cuda_random_call call = {.data = y->data,
                                         .count = y->numel,
                                         .n_groups = n,
                                         .kind = r->kind,
                                         .dtype = y->dtype,
                                         .lane = r->lane,
                                         .bits = r->bits,
                                         .words = stria_random_count_words(r->count),
                                         .a = r->a,
                                         .b = r->b,
                                         .limit = r->limit,
                                         .low = r->low,
                                         .range = r->count,
                                         .seed = r->state.seed,
                                         .group = r->state.offset};
    stria_cuda_work              work;

    STRIA_TRY(stria_cuda_work_begin(&work, "random numbers", y->device, err));
    stria_cuda_work_use(&work, y);
    if (work.code == STRIA_CUDA_OK) stria_cuda_work_put(&work, work.plugin->random(work.stream, &call));
    return stria_cuda_work_end(&work, y->dtype, err);
}
