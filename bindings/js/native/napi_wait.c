/* napi_wait.c - what waits for a device does so on a thread of Node's pool, and JavaScript goes on meanwhile.
 *
 * What is read is copied on the device first, in the order of the calls: JavaScript may write to the tensor while the copy comes over. Words of
 * an error are put into the scratch block right before the promise is kept: what waits for it runs before any other JavaScript. */
#include "napi_wait.h"

#include <stdlib.h>

#include "abi_table.h"
#include "base/error.h"
#include "call/backend.h"
#include "tensor/tensor.h"

typedef struct waiting {
    napi_async_work work;
    napi_deferred   deferred;
    napi_ref        buffer;        /* of the ArrayBuffer that `host` lies over */
    stria_tensor   *source, *host; /* NULL: nothing is read */
    stria_device    device;
    stria_status    status;
    stria_error     error;
} waiting;

static napi_value number_new(napi_env env, double number)
{
    napi_value result;
    return napi_create_double(env, number, &result) == napi_ok ? result : NULL;
}

static napi_value failed(napi_env env, stria_status status) { return number_new(env, -(double)status); }

static void waiting_release(napi_env env, waiting *w)
{
    if (w->buffer) napi_delete_reference(env, w->buffer);
    if (w->work) napi_delete_async_work(env, w->work);
    stria_tensor_release(w->source);
    stria_tensor_release(w->host);
    free(w);
}

/* On a thread of the pool. */
static void execute(napi_env env, void *data)
{
    waiting *w = data;
    (void)env;

    w->status =
        w->source ? stria_backend_copy(w->host, w->source, &w->error) : stria_device_synchronize(w->device, &w->error);
}

/* On the thread of JavaScript. */
static void complete(napi_env env, napi_status ran, void *data)
{
    waiting           *w = data;
    stria_abi_scratch *scratch = stria_abi_get_scratch();
    napi_value         result = NULL;

    if (ran != napi_ok) w->status = STRIA_ERR_INTERNAL;
    if (w->status != STRIA_OK && scratch) scratch->error = w->error;
    if (w->status == STRIA_OK && w->buffer && napi_get_reference_value(env, w->buffer, &result) != napi_ok)
        w->status = STRIA_ERR_INTERNAL;
    if (!result) result = failed(env, w->status);
    if (result) napi_resolve_deferred(env, w->deferred, result);
    waiting_release(env, w);
}

static waiting *waiting_new(void) { return calloc(1, sizeof(waiting)); }

/* The promise; w is gone where it cannot begin. */
static napi_value begin(napi_env env, waiting *w)
{
    napi_value name, promise;

    if (napi_create_string_utf8(env, "stria", NAPI_AUTO_LENGTH, &name) != napi_ok ||
        napi_create_async_work(env, NULL, name, execute, complete, w, &w->work) != napi_ok ||
        napi_create_promise(env, &w->deferred, &promise) != napi_ok || napi_queue_async_work(env, w->work) != napi_ok) {
        waiting_release(env, w);
        return failed(env, STRIA_ERR_INTERNAL);
    }
    return promise;
}

napi_value stria_napi_wait(napi_env env, napi_callback_info info)
{
    napi_value args[2];
    size_t     n_args = 2;
    double     type, index;
    waiting   *w;

    if (napi_get_cb_info(env, info, &n_args, args, NULL, NULL) != napi_ok ||
        napi_get_value_double(env, args[0], &type) != napi_ok || napi_get_value_double(env, args[1], &index) != napi_ok)
        return failed(env, STRIA_ERR_INTERNAL);
    w = waiting_new();
    if (!w) return failed(env, STRIA_ERR_MEMORY);
    w->device = stria_abi_get_device(type, index);
    return begin(env, w);
}

/* The copy on the device, and the memory that it is going to. */
static stria_status prepare(napi_env env, waiting *w, const stria_tensor *x, stria_error *err)
{
    const size_t nbytes = (size_t)x->numel * stria_dtype_get_size(x->dtype);
    napi_value   buffer;
    void        *bytes;

    STRIA_TRY(stria_abi_new_packed(x, x->device, NULL, &w->source, err));
    if (napi_create_arraybuffer(env, nbytes, &bytes, &buffer) != napi_ok ||
        napi_create_reference(env, buffer, 1, &w->buffer) != napi_ok)
        return stria_error_set(err, STRIA_ERR_MEMORY, "read", NULL, NULL, NULL, "no memory for the elements");
    return stria_tensor_new_external(x->dtype, x->ndim, x->shape, NULL, bytes, NULL, NULL, &w->host, err);
}

napi_value stria_napi_read_later(napi_env env, napi_callback_info info)
{
    napi_value    arg;
    size_t        n_args = 1;
    double        handle;
    stria_tensor *x;
    waiting      *w;

    if (napi_get_cb_info(env, info, &n_args, &arg, NULL, NULL) != napi_ok ||
        napi_get_value_double(env, arg, &handle) != napi_ok)
        return failed(env, STRIA_ERR_INTERNAL);
    x = stria_abi_get_tensor(handle, "read", "x");
    if (!x) return failed(env, STRIA_ERR_DISPOSED);
    w = waiting_new();
    if (!w) return failed(env, STRIA_ERR_MEMORY);
    const stria_status status = prepare(env, w, x, &stria_abi_get_scratch()->error);
    if (status == STRIA_OK) return begin(env, w);
    waiting_release(env, w);
    return failed(env, status);
}
