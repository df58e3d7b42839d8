/* napi.c - the Node addon: every function of abi.def through one trampoline, those that move bytes, and the watch over tensors
 * that nobody disposes of.
 *
 * No function throws for what stria refuses: like the ABI itself they return minus a status. One table of handles per
 * thread, so every worker thread has tensors of its own. */
#include <node_api.h>
#include <stdlib.h>
#include <string.h>

#include "abi_files.h"
#include "abi_table.h"
#include "base/error.h"
#include "napi_share.h"
#include "napi_wait.h"
#include "tensor/device.h"
#include "tensor/tensor.h"

#define MAX_ARGS 6
/* Result of a call that Node itself refused. */
#define CALL_FAILED (-(double)STRIA_ERR_INTERNAL)

typedef double function_0(void);
typedef double function_1(double);
typedef double function_2(double, double);
typedef double function_3(double, double, double);
typedef double function_4(double, double, double, double);
typedef double function_5(double, double, double, double, double);
typedef double function_6(double, double, double, double, double, double);

typedef struct function {
    const char *name;
    int         n_args;
    void (*call)(void);
} function;

static const function functions[] = {
#define STRIA_ABI(name, n_args, summary) {#name, n_args, (void (*)(void))stria_abi_##name},
#include "abi.def"
};

static double call(const function *fn, const double *x)
{
    switch (fn->n_args) {
    case 0: return ((function_0 *)fn->call)();
    case 1: return ((function_1 *)fn->call)(x[0]);
    case 2: return ((function_2 *)fn->call)(x[0], x[1]);
    case 3: return ((function_3 *)fn->call)(x[0], x[1], x[2]);
    case 4: return ((function_4 *)fn->call)(x[0], x[1], x[2], x[3]);
    case 5: return ((function_5 *)fn->call)(x[0], x[1], x[2], x[3], x[4]);
    default: return ((function_6 *)fn->call)(x[0], x[1], x[2], x[3], x[4], x[5]);
    }
}

static napi_value number_new(napi_env env, double number)
{
    napi_value result;
    return napi_create_double(env, number, &result) == napi_ok ? result : NULL;
}

static napi_value trampoline(napi_env env, napi_callback_info info)
{
    napi_value args[MAX_ARGS];
    size_t     n_args = MAX_ARGS;
    double     numbers[MAX_ARGS];
    void      *fn;
    if (napi_get_cb_info(env, info, &n_args, args, NULL, &fn) != napi_ok) return number_new(env, CALL_FAILED);
    int wanted = ((const function *)fn)->n_args;
    for (int k = 0; k < wanted; k++)
        if (napi_get_value_double(env, args[k], &numbers[k]) != napi_ok) numbers[k] = __builtin_nan("");
    return number_new(env, call(fn, numbers));
}

/* ---------------------------------------------------------------- bytes */

/* The arguments of a function (handle, typed array), as far as `handle` and `bytes` ask for them. */
static bool arguments_get(napi_env env, napi_callback_info info, double *handle, void **bytes, size_t *nbytes)
{
    napi_value           args[2];
    size_t               n_args = 2, offset;
    napi_value           buffer;
    napi_typedarray_type type;
    int                  next = 0;
    if (napi_get_cb_info(env, info, &n_args, args, NULL, NULL) != napi_ok) return false;
    if (handle && napi_get_value_double(env, args[next++], handle) != napi_ok) return false;
    if (!bytes) return true;
    return napi_get_typedarray_info(env, args[next], &type, nbytes, bytes, &buffer, &offset) == napi_ok &&
           type == napi_uint8_array;
}

/* read(handle, Uint8Array): elements of a contiguous tensor to JavaScript. */
static napi_value read_bytes(napi_env env, napi_callback_info info)
{
    double handle, result = CALL_FAILED;
    void  *bytes;
    size_t nbytes;
    if (arguments_get(env, info, &handle, &bytes, &nbytes)) result = stria_abi_read(handle, bytes, nbytes);
    return number_new(env, result);
}

/* write(handle, Uint8Array): elements of a contiguous tensor from JavaScript. */
static napi_value write_bytes(napi_env env, napi_callback_info info)
{
    double handle, failure = CALL_FAILED;
    void  *bytes;
    size_t nbytes;
    if (!arguments_get(env, info, &handle, &bytes, &nbytes)) return number_new(env, failure);
    stria_tensor *x = stria_abi_get_flat(handle, (double)nbytes, "write", &failure);
    if (!x) return number_new(env, failure);
    if (nbytes) memcpy(stria_tensor_get_data(x), bytes, nbytes);
    return number_new(env, 0);
}

/* What an ArrayBuffer over borrowed memory holds on to. */
typedef struct loan {
    double         handle;  /* of abi.def's borrow */
    stria_storage *storage; /* owned; NULL once given back */
    struct loan   *next;    /* the one before, not given back yet */
} loan;

static _Thread_local loan *loans;

static loan *take_loan(const loan *wanted, double handle)
{
    for (loan **at = &loans; *at; at = &(*at)->next) {
        loan *l = *at;
        if (wanted ? l != wanted : l->handle != handle) continue;
        *at = l->next;
        return l;
    }
    return NULL;
}

/* Node runs it in a later task, other hosts as soon as the buffer is emptied or collected. */
static void loan_end(napi_env env, void *data, void *context)
{
    loan *l = context;
    (void)env;
    (void)data;
    (void)take_loan(l, 0);
    stria_storage_release(l->storage);
    free(l);
}

/* lend(handle from borrow, bytes) -> ArrayBuffer over the elements, or a number; a Uint8Array if the tensor shares an ArrayBuffer with
 * JavaScript, which stays as it is. The memory stays until the buffer is emptied
 * (giveBack), or, where JavaScript has moved it into another buffer, until that is collected. */
static napi_value lend(napi_env env, napi_callback_info info)
{
    napi_value args[2], buffer;
    size_t     n_args = 2;
    double     handle, nbytes, failure;
    if (napi_get_cb_info(env, info, &n_args, args, NULL, NULL) != napi_ok ||
        napi_get_value_double(env, args[0], &handle) != napi_ok ||
        napi_get_value_double(env, args[1], &nbytes) != napi_ok)
        return number_new(env, CALL_FAILED);
    stria_tensor *x = stria_abi_get_flat(handle, nbytes, "borrow", &failure);
    if (!x) return number_new(env, failure);
    napi_value shared = stria_napi_get_shared(env, x, (size_t)nbytes);
    if (shared) return shared;
    loan *l = malloc(sizeof *l);
    if (!l) return number_new(env, -(double)STRIA_ERR_MEMORY);
    *l = (loan){handle, x->storage, loans};
    stria_storage_retain(l->storage);
    if (napi_create_external_arraybuffer(env, x->data, (size_t)nbytes, loan_end, l, &buffer) != napi_ok) {
        loan_end(env, NULL, l);
        return number_new(env, -(double)STRIA_ERR_UNSUPPORTED); /* some hosts forbid memory that is not theirs */
    }
    loans = l;
    return buffer;
}

/* giveBack(handle from borrow, whether elements may have been written, ArrayBuffer): the buffer becomes empty, and what nobody can see any more is given up. */
static napi_value give_back(napi_env env, napi_callback_info info)
{
    napi_value args[3];
    size_t     n_args = 3;
    double     handle, is_written;
    bool       is_gone = false;
    if (napi_get_cb_info(env, info, &n_args, args, NULL, NULL) != napi_ok ||
        napi_get_value_double(env, args[0], &handle) != napi_ok ||
        napi_get_value_double(env, args[1], &is_written) != napi_ok)
        return number_new(env, CALL_FAILED);
    if (napi_is_detached_arraybuffer(env, args[2], &is_gone) != napi_ok) return number_new(env, CALL_FAILED);
    loan *l = take_loan(NULL, handle);
    if (l && !is_gone) {
        stria_storage *storage = l->storage;
        l->storage = NULL; /* emptying the buffer may end the loan at once */
        if (napi_detach_arraybuffer(env, args[2]) == napi_ok)
            stria_storage_release(storage);
        else
            l->storage = storage;
    }
    return number_new(env, stria_abi_give_back(handle, is_written));
}

/* npyGet(Uint8Array) -> handle */
static napi_value npy_get(napi_env env, napi_callback_info info)
{
    void         *bytes;
    size_t        nbytes;
    stria_tensor *x = NULL;
    if (!arguments_get(env, info, NULL, &bytes, &nbytes)) return number_new(env, CALL_FAILED);
    stria_status status = stria_npy_get(bytes, nbytes, &x, &stria_abi_get_scratch()->error);
    return number_new(env, stria_abi_get_result(status, x));
}

/* npyCopy(handle) -> ArrayBuffer, or a number */
static napi_value npy_copy(napi_env env, napi_callback_info info)
{
    double     handle;
    void      *bytes, *copy;
    size_t     nbytes;
    napi_value buffer;
    if (!arguments_get(env, info, &handle, NULL, NULL)) return number_new(env, CALL_FAILED);
    stria_tensor *x = stria_abi_get_tensor(handle, "toNpy", "x");
    if (!x) return number_new(env, -(double)STRIA_ERR_DISPOSED);
    stria_error  *err = &stria_abi_get_scratch()->error;
    stria_tensor *host = NULL; /* a copy of what is elsewhere */
    stria_status  status = STRIA_OK;
    if (x->device.type != STRIA_DEVICE_CPU && x->device.type != STRIA_DEVICE_META)
        status = stria_abi_new_packed(x, STRIA_CPU, NULL, &host, err);
    if (status == STRIA_OK) status = stria_npy_copy(host ? host : x, &bytes, &nbytes, err);
    stria_tensor_release(host);
    if (status != STRIA_OK) return number_new(env, -(double)status);
    bool made = napi_create_arraybuffer(env, nbytes, &copy, &buffer) == napi_ok;
    if (made) memcpy(copy, bytes, nbytes);
    stria_bytes_release(bytes);
    return made ? buffer : number_new(env, -(double)STRIA_ERR_MEMORY);
}

/* safetensorsCheck(bytes of the file, Uint8Array of the first of them): stria_abi_safetensors_check */
static napi_value safetensors_check(napi_env env, napi_callback_info info)
{
    double file_nbytes;
    void  *bytes;
    size_t nbytes;
    if (!arguments_get(env, info, &file_nbytes, &bytes, &nbytes)) return number_new(env, CALL_FAILED);
    return number_new(env, stria_abi_safetensors_check(bytes, nbytes, file_nbytes));
}

/* ---------------------------------------------------------------- tensors that the collector finds
 *
 * A tensor that was not disposed of soon is watched through a weak reference. A sweep disposes of the tensors whose reference
 * the collector has cleared. Engines run finalizers between tasks only. A sweep may run at any time, so memory comes back in a
 * loop that never returns to the event loop, too. The engine is told how many bytes the watched tensors hold, and collects
 * earlier for it. */
#define SWEEP_TENSORS 4096
#define SWEEP_BYTES ((int64_t)16 << 20)
#define HANDLES_AT_ONCE 256
#define PRESS_BYTES ((int64_t)256 << 20)
#define PRESSES 100

typedef struct watched {
    napi_ref reference;
    double   handle;
} watched;

static _Thread_local struct {
    watched *list; /* [capacity] */
    size_t   n, capacity;
    size_t  next_n; /* when so many are watched or so many bytes live, the next sweep is due if the collector has run */
    int64_t next_live; /* bytes of all threads: where several work, sweeps come sooner than they need */
    int64_t reported;  /* bytes that the engine was told of */
    napi_ref witness;  /* of an object that nobody holds: cleared when the collector runs */
} watch = {.next_n = SWEEP_TENSORS, .next_live = SWEEP_BYTES};

static void watch_clear(napi_env env)
{
    for (size_t k = 0; k < watch.n; k++) napi_delete_reference(env, watch.list[k].reference);
    if (watch.witness) napi_delete_reference(env, watch.witness);
    free(watch.list);
    memset(&watch, 0, sizeof watch);
    watch.next_n = SWEEP_TENSORS;
    watch.next_live = SWEEP_BYTES;
}

static bool watch_reserve(size_t n)
{
    size_t capacity = watch.capacity ? watch.capacity : 1024;
    while (capacity < watch.n + n) capacity *= 2;
    watched *list = capacity == watch.capacity ? watch.list : realloc(watch.list, capacity * sizeof *list);
    if (!list) return false;
    watch.list = list;
    watch.capacity = capacity;
    return true;
}

/* Tells the engine how many bytes live now, and returns them. */
static int64_t watch_report(napi_env env)
{
    const int64_t live = (int64_t)stria_device_get_live_nbytes();
    int64_t       total;
    napi_adjust_external_memory(env, live - watch.reported, &total);
    watch.reported = live;
    return live;
}

/* Whether the tensor of an entry may still be used. */
static bool is_reachable(napi_env env, const watched *entry)
{
    napi_value tensor = NULL;
    return napi_get_reference_value(env, entry->reference, &tensor) != napi_ok || tensor != NULL;
}

/* Whether the collector has run since the last call that said so. */
static bool collector_ran(napi_env env)
{
    napi_handle_scope scope;
    napi_value        witness = NULL;
    bool              ran;
    if (napi_open_handle_scope(env, &scope) != napi_ok) return false;
    ran = !watch.witness || (napi_get_reference_value(env, watch.witness, &witness) == napi_ok && !witness);
    if (ran) {
        if (watch.witness) napi_delete_reference(env, watch.witness);
        if (napi_create_object(env, &witness) != napi_ok ||
            napi_create_reference(env, witness, 0, &watch.witness) != napi_ok)
            watch.witness = NULL;
    }
    napi_close_handle_scope(env, scope);
    return ran;
}

/* Disposes of the tensors among entries begin .. end - 1 that JavaScript can no longer reach. The other entries are moved to
 * index `kept` and the following ones. Returns the index behind the last of them. */
static size_t sweep_some(napi_env env, size_t begin, size_t end, size_t kept)
{
    napi_handle_scope scope;
    if (napi_open_handle_scope(env, &scope) != napi_ok) {
        memmove(watch.list + kept, watch.list + begin, (end - begin) * sizeof *watch.list);
        return kept + end - begin;
    }
    for (size_t k = begin; k < end; k++) {
        const watched entry = watch.list[k];
        if (is_reachable(env, &entry)) {
            watch.list[kept++] = entry;
            continue;
        }
        stria_abi_dispose(entry.handle); /* refused if it was disposed of before */
        napi_delete_reference(env, entry.reference);
    }
    napi_close_handle_scope(env, scope);
    return kept;
}

static void sweep_all(napi_env env)
{
    size_t kept = 0;
    for (size_t k = 0; k < watch.n; k += HANDLES_AT_ONCE)
        kept = sweep_some(env, k, k + HANDLES_AT_ONCE < watch.n ? k + HANDLES_AT_ONCE : watch.n, kept);
    watch.n = kept;
    watch.next_n = kept + kept / 2 + SWEEP_TENSORS;
    const int64_t live = watch_report(env) + stria_napi_get_shared_nbytes();
    watch.next_live = live + live / 4 + SWEEP_BYTES;
}

/* sweep() -> number of tensors that are still watched */
static napi_value sweep(napi_env env, napi_callback_info info)
{
    (void)info;
    sweep_all(env);
    return number_new(env, (double)watch.n);
}

/* For memory that grew much since the last sweep. Each report of the memory makes the engine do a step of its collection.
 * Returns whether a collection has ended. */
static bool press(napi_env env)
{
    int64_t total;
    for (int k = 0; k < PRESSES; k++) {
        if (collector_ran(env)) return true;
        napi_adjust_external_memory(env, PRESS_BYTES, &total);
        napi_adjust_external_memory(env, -PRESS_BYTES, &total);
    }
    return false;
}

static void sweep_if_due(napi_env env, int64_t live)
{
    const bool much = live >= watch.next_live + PRESS_BYTES;
    if (!much && live < watch.next_live && watch.n < watch.next_n) return;
    if (much ? press(env) : collector_ran(env))
        sweep_all(env);
    else if (much)
        watch.next_live = live; /* no more of it before memory has grown as much again */
}

/* Watches tensor number k of an array; the list has room. */
static bool watch_one(napi_env env, napi_value tensors, uint32_t k, double handle)
{
    napi_handle_scope scope;
    napi_value        tensor;
    watched           entry = {NULL, handle};
    if (napi_open_handle_scope(env, &scope) != napi_ok) return false;
    const bool done = napi_get_element(env, tensors, k, &tensor) == napi_ok &&
                      napi_create_reference(env, tensor, 0, &entry.reference) == napi_ok;
    napi_close_handle_scope(env, scope);
    if (done) watch.list[watch.n++] = entry;
    return done;
}

/* watch(tensors, Float64Array of their handles, n) -> how many of the n are watched from now on, the first ones. Sweeps when it is
 * time to. */
static napi_value watch_tensors(napi_env env, napi_callback_info info)
{
    napi_value           args[3], buffer;
    size_t               n_args = 3, length, offset;
    uint32_t             n, k = 0;
    void                *handles;
    napi_typedarray_type type;
    if (napi_get_cb_info(env, info, &n_args, args, NULL, NULL) != napi_ok ||
        napi_get_typedarray_info(env, args[1], &type, &length, &handles, &buffer, &offset) != napi_ok ||
        napi_get_value_uint32(env, args[2], &n) != napi_ok || type != napi_float64_array || n > length ||
        !watch_reserve(n))
        return number_new(env, 0);
    while (k < n && watch_one(env, args[0], k, ((const double *)handles)[k])) k++;
    const int64_t live = watch_report(env);
    sweep_if_due(env, live + stria_napi_get_shared_nbytes());
    return number_new(env, k);
}

/* sharedBytes() -> bytes of ArrayBuffers that tensors keep alive; the engine itself counts them */
static napi_value shared_bytes(napi_env env, napi_callback_info info)
{
    (void)info;
    return number_new(env, (double)stria_napi_get_shared_nbytes());
}

/* ---------------------------------------------------------------- the module */

/* The scratch block belongs to JavaScript, since a buffer over foreign memory is not allowed everywhere. Loading the
 * addon again in the same environment gives the same block. */
static _Thread_local napi_ref scratch_reference;

static void environment_end(void *env)
{
    watch_clear(env);
    stria_abi_close();
    stria_abi_open(NULL);
    scratch_reference = NULL;
}

static bool scratch_define(napi_env env, napi_value exports)
{
    napi_value buffer;
    void      *scratch;
    if (!scratch_reference) {
        if (napi_create_arraybuffer(env, sizeof(stria_abi_scratch), &scratch, &buffer) != napi_ok ||
            napi_create_reference(env, buffer, 1, &scratch_reference) != napi_ok ||
            napi_add_env_cleanup_hook(env, environment_end, env) != napi_ok)
            return false;
        stria_abi_open(scratch);
    } else if (napi_get_reference_value(env, scratch_reference, &buffer) != napi_ok) {
        return false;
    }
    return napi_set_named_property(env, exports, "scratch", buffer) == napi_ok;
}

static bool function_define(napi_env env, napi_value exports, const char *name, napi_callback callback,
                            const function *data)
{
    napi_value value;
    return napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, (void *)data, &value) == napi_ok &&
           napi_set_named_property(env, exports, name, value) == napi_ok;
}

NAPI_MODULE_INIT()
{
    static const struct {
        const char   *name;
        napi_callback callback;
    } movers[] = {{"read", read_bytes},
                  {"write", write_bytes},
                  {"lend", lend},
                  {"giveBack", give_back},
                  {"npyGet", npy_get},
                  {"npyCopy", npy_copy},
                  {"safetensorsCheck", safetensors_check},
                  {"share", stria_napi_share},
                  {"sharedBytes", shared_bytes},
                  {"readLater", stria_napi_read_later},
                  {"wait", stria_napi_wait},
                  {"watch", watch_tensors},
                  {"sweep", sweep}};
    bool ok = scratch_define(env, exports);
    for (size_t k = 0; k < sizeof functions / sizeof *functions && ok; k++)
        ok = function_define(env, exports, functions[k].name, trampoline, &functions[k]);
    for (size_t k = 0; k < sizeof movers / sizeof *movers && ok; k++)
        ok = function_define(env, exports, movers[k].name, movers[k].callback, NULL);
    if (!ok) napi_throw_error(env, NULL, "stria: the addon could not be set up");
    return exports;
}
