/* update_cuda.c - steps of optimisers on CUDA: as many tensors in one launch as its arguments hold. */
#include <string.h>

#include "base/alloc.h"
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

/* Row-major copies of the tensors of members that lie in different ways: [n][STRIA_UPDATE_LISTS], NULL where there is none. *packed is NULL
 * where no member needs them; else it is to be released, whatever the status. */
static stria_status pack(const stria_update *u, const char *op, stria_tensor *(**packed)[STRIA_UPDATE_LISTS],
                         stria_error *err)
{
    const size_t  nbytes = (size_t)u->n * sizeof **packed;
    stria_tensor *x[STRIA_UPDATE_LISTS];
    int           n_packed = 0;

    *packed = NULL;
    for (int k = 0; k < u->n; k++) n_packed += u->list[k]->numel > 0 && !stria_update_is_flat(u, k);
    if (n_packed == 0) return STRIA_OK;
    *packed = stria_object_new(nbytes);
    if (*packed == NULL) return stria_error_set(err, STRIA_ERR_MEMORY, op, NULL, NULL, NULL, "no memory for copies");
    memset(*packed, 0, nbytes);
    for (int k = 0; k < u->n; k++) {
        if (u->list[k]->numel == 0 || stria_update_is_flat(u, k)) continue;
        get_member(u, k, x);
        for (int j = 0; j < STRIA_UPDATE_LISTS; j++)
            if (x[j] != NULL) STRIA_TRY(stria_cuda_new_row_major(x[j], x[j]->dtype, &(*packed)[k][j], err));
    }
    return STRIA_OK;
}

static void run(pending *p, stria_tensor *(*packed)[STRIA_UPDATE_LISTS])
{
    const stria_update *u = p->u;
    stria_tensor       *x[STRIA_UPDATE_LISTS];

    for (int k = 0; k < u->n; k++) {
        if (u->list[k]->numel == 0) continue;
        get_member(u, k, x);
        add(p, packed != NULL && packed[k][0] != NULL ? packed[k] : x);
    }
    for (int d = 0; d < 4; d++) flush(p, &p->calls[d]);
}

/* What the copies have become; gradients (list 1) are not written. */
static stria_status unpack(const stria_update *u, stria_tensor *(*packed)[STRIA_UPDATE_LISTS], stria_error *err)
{
    stria_tensor *x[STRIA_UPDATE_LISTS];

    for (int k = 0; k < u->n; k++) {
        get_member(u, k, x);
        for (int j = 0; j < STRIA_UPDATE_LISTS; j++)
            if (j != 1 && packed[k][j] != NULL) STRIA_TRY(stria_backend_copy(x[j], packed[k][j], err));
    }
    return STRIA_OK;
}

/* Whatever takes memory comes before the first launch, so that an error leaves all tensors as they were. */
stria_status stria_cuda_update(const stria_call *call, const stria_update *u, stria_error *err)
{
    stria_tensor *(*packed)[STRIA_UPDATE_LISTS];
    stria_cuda_work work;
    pending         p = {.u = u, .work = &work};

    STRIA_TRY(stria_cuda_work_begin(&work, stria_call_get_name(call), u->list[0]->device, err));
    stria_cuda_work_use(&work, u->norm);
    for (int k = 0; k < u->n * u->n_lists; k++) stria_cuda_work_use(&work, u->list[k]);
    stria_status status = pack(u, work.op, &packed, err);
    if (status == STRIA_OK) {
        run(&p, packed);
        if (packed != NULL) status = unpack(u, packed, err);
    }
    for (int k = 0; packed != NULL && k < u->n; k++)
        for (int j = 0; j < STRIA_UPDATE_LISTS; j++) stria_tensor_release(packed[k][j]);
    stria_object_release(packed);
    const stria_status ended = stria_cuda_work_end(&work, STRIA_F32, status == STRIA_OK ? err : NULL);
    return status != STRIA_OK ? status : ended;
}
