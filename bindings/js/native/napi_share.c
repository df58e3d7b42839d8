/* napi_share.c - tensors over the memory of ArrayBuffers.
 *
 * A reference keeps the ArrayBuffer from being collected while a tensor is left. It does not keep JavaScript from detaching it (transfer(),
 * postMessage(), structuredClone()): the memory is another buffer's then and may go at any time. JavaScript does not run while the library
 * computes, so it is enough to ask before: whenever the handle of a tensor with external memory is looked up, and of all of them (sweep) before
 * what reads tensors that it kept without their handles: programs, walks of gradients. Those find a storage that is lost, or another version.
 *
 * Memory that several threads see (SharedArrayBuffer) or that may shrink (resizable) is refused in JavaScript, before it comes here. */
#include "napi_share.h"

#include <stdlib.h>

#include "abi_table.h"
#include "base/error.h"
#include "tensor/tensor.h"

typedef struct share {
    napi_env       env;
    napi_ref       buffer;
    size_t         nbytes;
    stria_storage *storage; /* whose context this is */
    struct share  *next, **link;
} share;

static _Thread_local int64_t shared_nbytes;
static _Thread_local share  *shares; /* of this thread */

int64_t stria_napi_get_shared_nbytes(void) { return shared_nbytes; }

/* Of a storage, when its last tensor goes: on the thread of its handles. */
static void share_end(void *context)
{
    share *s = context;

    napi_delete_reference(s->env, s->buffer);
    shared_nbytes -= (int64_t)s->nbytes;
    *s->link = s->next;
    if (s->next) s->next->link = s->link;
    if (!shares) stria_abi_set_guard(NULL), stria_abi_set_sweep(NULL);
    free(s);
}

static const share *get_share(const stria_tensor *x)
{
    return x->storage->release == share_end ? x->storage->context : NULL;
}

/* Whether the memory is still that of its ArrayBuffer; if not, it never is again. */
static bool is_share_there(const share *s)
{
    napi_value buffer = NULL;
    bool       is_gone = true;

    if (atomic_load_explicit(&s->storage->is_lost, memory_order_relaxed)) return false;
    if (napi_get_reference_value(s->env, s->buffer, &buffer) == napi_ok && buffer &&
        napi_is_detached_arraybuffer(s->env, buffer, &is_gone) == napi_ok && !is_gone)
        return true;
    atomic_store_explicit(&s->storage->is_lost, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->storage->version, 1, memory_order_relaxed);
    return false;
}

static bool is_there(stria_tensor *x)
{
    const share *s = get_share(x);

    return !s || is_share_there(s);
}

static void sweep(void)
{
    for (const share *s = shares; s; s = s->next) is_share_there(s);
}

/* The tensor over nbytes at data, which belong to buffer. */
static stria_status share_new(napi_env env, napi_value buffer, void *data, size_t nbytes, stria_dtype dtype, int ndim,
                              const int64_t *shape, stria_tensor **out)
{
    stria_error *err = &stria_abi_get_scratch()->error;
    share       *s = malloc(sizeof *s);
    stria_status status;

    if (!s || napi_create_reference(env, buffer, 1, &s->buffer) != napi_ok) {
        free(s);
        return stria_error_set(err, STRIA_ERR_MEMORY, "tensor", NULL, NULL, NULL, "no memory for a reference");
    }
    s->env = env;
    s->nbytes = nbytes;
    status = stria_tensor_new_external(dtype, ndim, shape, NULL, data, share_end, s, out, err);
    if (status != STRIA_OK) {
        napi_delete_reference(env, s->buffer);
        free(s);
        return status;
    }
    /* as if it were borrowed for good: an operation that gave it other memory would end the sharing without a word */
    s->storage = (*out)->storage;
    atomic_store_explicit(&s->storage->n_borrows, 1, memory_order_relaxed);
    shared_nbytes += (int64_t)nbytes;
    s->next = shares;
    s->link = &shares;
    if (shares) shares->link = &s->next;
    shares = s;
    stria_abi_set_guard(is_there);
    stria_abi_set_sweep(sweep);
    return STRIA_OK;
}

static double share_run(napi_env env, napi_value buffer, double offset, double dtype_number, double ndim)
{
    stria_error  *err = &stria_abi_get_scratch()->error;
    int64_t       shape[STRIA_MAX_DIMS], numel;
    const int     n = stria_abi_get_sizes(0, ndim, shape);
    stria_dtype   dtype = STRIA_DTYPE_NONE;
    stria_tensor *x = NULL;
    void         *data;
    size_t        length, nbytes;
    stria_status  status = stria_abi_get_dtype(dtype_number, "tensor", false, &dtype);

    if (status == STRIA_OK &&
        (n < 0 || n > STRIA_MAX_DIMS || napi_get_arraybuffer_info(env, buffer, &data, &length) != napi_ok))
        status = stria_error_set(err, STRIA_ERR_ARGUMENT, "tensor", "buffer", "an ArrayBuffer", NULL,
                                 "buffer is no ArrayBuffer");
    if (status == STRIA_OK) status = stria_shape_get_numel("tensor", "shape", dtype, n, shape, &numel, &nbytes, err);
    if (status != STRIA_OK) return -(double)status;
    if (!(offset >= 0 && offset <= (double)length && nbytes <= length - (size_t)offset))
        return -(double)stria_error_set(err, STRIA_ERR_ARGUMENT, "tensor", "buffer", "as many bytes", NULL,
                                        "buffer is too small");
    status = nbytes == 0 ? stria_tensor_new(dtype, n, shape, &x, err)
                         : share_new(env, buffer, (char *)data + (size_t)offset, nbytes, dtype, n, shape, &x);
    return stria_abi_get_result(status, x);
}

napi_value stria_napi_share(napi_env env, napi_callback_info info)
{
    napi_value args[4], result;
    size_t     n_args = 4;
    double     numbers[3], handle = -(double)STRIA_ERR_INTERNAL;

    if (napi_get_cb_info(env, info, &n_args, args, NULL, NULL) == napi_ok &&
        napi_get_value_double(env, args[1], &numbers[0]) == napi_ok &&
        napi_get_value_double(env, args[2], &numbers[1]) == napi_ok &&
        napi_get_value_double(env, args[3], &numbers[2]) == napi_ok)
        handle = share_run(env, args[0], numbers[0], numbers[1], numbers[2]);
    return napi_create_double(env, handle, &result) == napi_ok ? result : NULL;
}

napi_value stria_napi_get_shared(napi_env env, const stria_tensor *x, size_t nbytes)
{
    const share *s = get_share(x);
    napi_value   buffer = NULL, view = NULL;
    void        *data;
    size_t       length;

    if (s && napi_get_reference_value(env, s->buffer, &buffer) == napi_ok && buffer &&
        napi_get_arraybuffer_info(env, buffer, &data, &length) == napi_ok &&
        napi_create_typedarray(env, napi_uint8_array, nbytes, buffer, (size_t)(x->data - (char *)data), &view) ==
            napi_ok)
        return view;
    return NULL;
}
