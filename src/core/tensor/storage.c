/* storage.c - reference-counted element memory, and the handles over it.
 *
 * A small tensor is one block: [storage, up to 64 bytes][handle][elements]. The block lives as long as the storage; the
 * handle in it keeps the storage alive through `home`, also when out= has given it another storage. */
#include "base/alloc.h"
#include "tensor/device.h"
#include "tensor/tensor.h"

#define ALIGN_UP(n) (((n) + 63) / 64 * 64)
#define STORAGE_BYTES ALIGN_UP(sizeof(stria_storage))
#define HANDLE_BYTES ALIGN_UP(sizeof(stria_tensor))

/* ---------------------------------------------------------------- storages */

static void set_up_storage(stria_storage *s, stria_storage_origin origin, stria_device device, char *data,
                           size_t nbytes)
{
    atomic_init(&s->refcount, 1);
    atomic_init(&s->n_borrows, 0);
    atomic_init(&s->version, 0);
    s->device = device;
    s->origin = origin;
    s->has_handle = false;
    atomic_init(&s->has_untracked, false);
    atomic_init(&s->is_held, false);
    atomic_init(&s->writer, STRIA_WRITER_UNKNOWN);
    s->data = data;
    s->nbytes = nbytes;
    s->release = NULL;
    s->context = NULL;
}

/* The elements, and where they come from; NULL: no memory, or (nothing on a device) none is needed. */
static char *new_elements(size_t nbytes, stria_device device, stria_storage_origin *origin, void **context)
{
    const stria_device_memory *memory = stria_device_get_memory(device);
    char                      *data = NULL;

    *origin = STRIA_ORIGIN_NONE;
    if (device.type == STRIA_DEVICE_META) return STRIA_META_BASE;
    if (device.type == STRIA_DEVICE_CPU)
        data = stria_block_new(nbytes);
    else if (memory != NULL && nbytes > 0)
        data = memory->allocate(device, nbytes, context);
    if (data) *origin = device.type == STRIA_DEVICE_CPU ? STRIA_ORIGIN_BLOCK : STRIA_ORIGIN_DEVICE;
    return data;
}

/* Whether a tensor of nbytes there has an address. */
static bool needs_elements(size_t nbytes, stria_device device) { return device.type == STRIA_DEVICE_CPU || nbytes > 0; }

stria_storage *stria_storage_new(size_t nbytes, stria_device device)
{
    stria_storage_origin origin;
    stria_storage       *s;
    void                *context = NULL;
    char                *data;

    if (device.type == STRIA_DEVICE_CPU && nbytes <= SIZE_MAX - STORAGE_BYTES &&
        nbytes + STORAGE_BYTES <= STRIA_EMBED_MAX) {
        s = stria_embed_new(nbytes + STORAGE_BYTES, nbytes, false);
        if (s) set_up_storage(s, STRIA_ORIGIN_EMBEDDED, device, (char *)s + STORAGE_BYTES, nbytes);
        return s;
    }
    s = stria_object_new(sizeof *s);
    if (!s) return NULL;
    data = new_elements(nbytes, device, &origin, &context);
    if (!data && needs_elements(nbytes, device)) {
        stria_object_release(s);
        return NULL;
    }
    set_up_storage(s, origin, device, data, nbytes);
    s->context = context;
    stria_alloc_count_storage(1);
    return s;
}

stria_storage *stria_storage_new_external(void *data, size_t nbytes, void (*release)(void *context), void *context)
{
    stria_storage *s = stria_object_new(sizeof *s);

    if (!s) return NULL;
    set_up_storage(s, STRIA_ORIGIN_EXTERNAL, STRIA_CPU, data, nbytes);
    s->release = release;
    s->context = context;
    stria_alloc_count_storage(1);
    return s;
}

void stria_storage_retain(stria_storage *s) { atomic_fetch_add_explicit(&s->refcount, 1, memory_order_relaxed); }

/* Removes an owner; returns whether it was the last. If there is only one, no locked instruction is needed: no other
 * thread can add an owner. */
static bool drop(atomic_int *refcount)
{
    return atomic_load_explicit(refcount, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(refcount, 1, memory_order_acq_rel) == 1;
}

/* ends_handle: the handle in the block ends at the same time. */
static void end_storage(stria_storage *s, bool ends_handle)
{
    if (s->origin == STRIA_ORIGIN_EMBEDDED) {
        const size_t before = STORAGE_BYTES + (s->has_handle ? HANDLE_BYTES : 0);
        stria_embed_release(s, before + s->nbytes, s->nbytes, ends_handle);
        return;
    }
    if (s->origin == STRIA_ORIGIN_BLOCK) stria_block_release(s->data, s->nbytes);
    if (s->origin == STRIA_ORIGIN_DEVICE)
        stria_device_get_memory(s->device)->release(s->device, s->data, s->nbytes, s->context);
    if (s->release) s->release(s->context);
    stria_object_release(s);
    stria_alloc_count_storage(-1);
}

void stria_storage_release(stria_storage *s)
{
    if (s && drop(&s->refcount)) end_storage(s, false);
}

/* ---------------------------------------------------------------- handles */

const stria_gradient_hooks *_Atomic stria_tensor_gradients;

static void set_up_handle(stria_tensor *x, stria_dtype dtype, stria_device device, int ndim)
{
    atomic_init(&x->refcount, 1);
    x->dtype = dtype;
    x->device = device;
    x->is_wrapped_number = x->is_constant = false;
    x->is_cut = x->is_given = false;
    x->gradient = NULL;
    x->base = NULL;
    x->ndim = ndim;
    x->numel = 0;
    x->storage = x->home = NULL;
    x->data = NULL;
    x->shape = x->inline_sizes;
    x->strides = x->inline_sizes + STRIA_INLINE_DIMS;
}

stria_tensor *stria_tensor_new_handle(stria_dtype dtype, stria_device device, int ndim)
{
    int64_t      *sizes = NULL;
    stria_tensor *x;

    if (ndim > STRIA_INLINE_DIMS) {
        sizes = stria_object_new(2 * (size_t)ndim * sizeof *sizes);
        if (!sizes) return NULL;
    }
    x = stria_handle_new(sizeof *x);
    if (!x) {
        stria_object_release(sizes);
        return NULL;
    }
    set_up_handle(x, dtype, device, ndim);
    if (sizes) {
        x->shape = sizes;
        x->strides = sizes + ndim;
    }
    return x;
}

stria_tensor *stria_tensor_new_with_storage(stria_dtype dtype, stria_device device, int ndim, size_t nbytes)
{
    const size_t   before = STORAGE_BYTES + HANDLE_BYTES;
    stria_storage *s;
    stria_tensor  *x;

    if (device.type == STRIA_DEVICE_CPU && ndim <= STRIA_INLINE_DIMS && nbytes <= SIZE_MAX - before &&
        before + nbytes <= STRIA_EMBED_MAX) {
        s = stria_embed_new(before + nbytes, nbytes, true);
        if (!s) return NULL;
        set_up_storage(s, STRIA_ORIGIN_EMBEDDED, device, (char *)s + before, nbytes);
        s->has_handle = true;
        x = (stria_tensor *)((char *)s + STORAGE_BYTES);
        set_up_handle(x, dtype, device, ndim);
        x->home = s;
    } else {
        x = stria_tensor_new_handle(dtype, device, ndim);
        if (!x) return NULL;
        s = stria_storage_new(nbytes, device);
        if (!s) {
            stria_tensor_release(x);
            return NULL;
        }
    }
    x->storage = s;
    x->data = s->data;
    return x;
}

stria_tensor *stria_tensor_retain(stria_tensor *x)
{
    if (x) atomic_fetch_add_explicit(&x->refcount, 1, memory_order_relaxed);
    return x;
}

void stria_tensor_release(stria_tensor *x)
{
    stria_storage *home;

    if (!x || !drop(&x->refcount)) return;
    if (x->shape != x->inline_sizes) stria_object_release(x->shape);
    if (x->gradient) stria_tensor_get_gradients()->end(x);
    if (x->base) stria_tensor_release(x->base);
    home = x->home;
    if (x->storage != home) stria_storage_release(x->storage);
    if (!home) {
        stria_handle_release(x, sizeof *x);
    } else if (drop(&home->refcount)) {
        end_storage(home, true);
    } else {
        stria_alloc_count_handle(-1); /* views keep the block; see end_storage with ends_handle false */
    }
}
