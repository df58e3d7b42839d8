/* update_cuda.c - steps of optimisers on CUDA: as many tensors in one launch as its arguments hold. */
#include "base/error.h"
#include "cpu/update_lists.h"
#include "cuda/cuda_device.h"

/* The call of each dtype that waits for more members. */
typedef struct pending {
    const stria_update    *u;
    stria_cuda_work       *work;
    stria_cuda_update_call calls[4];
} pending;

/* Of the floats that there are. */
static stria_cuda_update_call *find_call(pending *p, stria_dtype dtype)
{
    switch (dtype) {
    case STRIA_F16: return &p->calls[0];
    case STRIA_BF16: return &p->calls[1];
    case STRIA_F32: return &p->calls[2];
    default: return &p->calls[3];
    }
}

static void flush(pending *p, stria_cuda_update_call *call)
{
    if (call->n > 0 && p->work->code == STRIA_CUDA_OK)
        stria_cuda_work_put(p->work, p->work->plugin->update(p->work->stream, call));
    call->n = 0;
}

/* A member, of which x[j] is what list j has. */
static void add(pending *p, stria_tensor *const *x)
{
    stria_cuda_update_call *call = find_call(p, x[0]->dtype);
    const stria_update     *u = p->u;

    if (call->n == 0) {
        call->family = u->family;
        call->step = u->step;
        call->norm = u->norm != NULL ? u->norm->data : NULL;
        call->norm_dtype = u->norm != NULL ? u->norm->dtype : STRIA_F64;
        call->max_norm = u->max_norm;
        call->dtype = x[0]->dtype;
    }
    call->numel[call->n] = x[0]->numel;
    for (int j = 0; j < STRIA_UPDATE_LISTS; j++) call->data[j][call->n] = x[j] != NULL ? x[j]->data : NULL;
    if (++call->n == STRIA_CUDA_UPDATE_MEMBERS) flush(p, call);
}

static void get_member(const stria_update *u, int k, stria_tensor **x)
{
    for (int j = 0; j < STRIA_UPDATE_LISTS; j++)
        x[j] = u->step.has[j] ? (stria_tensor *)(uintptr_t)u->list[j * u->n + k] : NULL;
}

/* A member whose tensors lie in different ways, by way of row-major copies. */
static stria_status run_apart(pending *p, int k, stria_error *err)
{
    stria_tensor *x[STRIA_UPDATE_LISTS], *packed[STRIA_UPDATE_LISTS] = {NULL};
    stria_status  status = STRIA_OK;

    get_member(p->u, k, x);
    for (int j = 0; j < STRIA_UPDATE_LISTS && status == STRIA_OK; j++)
        if (x[j] != NULL) status = stria_cuda_new_row_major(x[j], x[j]->dtype, &packed[j], err);
    if (status == STRIA_OK) {
        flush(p, find_call(p, x[0]->dtype));
        add(p, packed);
        flush(p, find_call(p, x[0]->dtype));
    }
    for (int j = 0; j < STRIA_UPDATE_LISTS; j++) {
        if (x[j] != NULL && j != 1 && status == STRIA_OK) status = stria_backend_copy(x[j], packed[j], err);
        stria_tensor_release(packed[j]);
    }
    return status;
}

stria_status stria_cuda_update(const stria_call *call, const stria_update *u, stria_error *err)
{
    stria_tensor   *x[STRIA_UPDATE_LISTS];
    stria_cuda_work work;
    pending         p = {.u = u, .work = &work};
    stria_status    status = STRIA_OK;

    STRIA_TRY(stria_cuda_work_begin(&work, stria_call_get_name(call), u->list[0]->device, err));
    stria_cuda_work_use(&work, u->norm);
    for (int k = 0; k < u->n * u->n_lists; k++) stria_cuda_work_use(&work, u->list[k]);
    for (int k = 0; k < u->n && status == STRIA_OK; k++) {
        if (u->list[k]->numel == 0) continue;
        get_member(u, k, x);
        if (stria_update_is_flat(u, k))
            add(&p, x);
        else
            status = run_apart(&p, k, err);
    }
    for (int d = 0; d < 4; d++) flush(&p, &p.calls[d]);
    const stria_status ended = stria_cuda_work_end(&work, STRIA_F32, status == STRIA_OK ? err : NULL);
    return status != STRIA_OK ? status : ended;
}
