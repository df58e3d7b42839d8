/* tensor.c - handles: creation, properties, layout predicates, resizing. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "tensor/device.h"
#include "tensor/overlap.h"
#include "tensor/shape.h"

#define OP "tensor"

/* ---------------------------------------------------------------- shapes and layouts */

static stria_status refuse_product(const char *op, const char *argument, int ndim, const int64_t *shape,
                                   const char *limit, stria_error *err)
{
    char text[96];

    stria_shape_print(text, sizeof text, ndim, shape);
    return stria_error_set(err, STRIA_ERR_OVERFLOW, op, argument, limit, text, "shape %s needs more than %s", text,
                           limit);
}

stria_status stria_shape_get_numel(const char *op, const char *argument, stria_dtype dtype, int ndim,
                                   const int64_t *shape, int64_t *numel, size_t *nbytes, stria_error *err)
{
    int64_t product = 1, count = 1, total;

    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0) {
            char text[96];
            stria_shape_print(text, sizeof text, ndim, shape);
            return stria_error_set(err, STRIA_ERR_SHAPE, op, argument, "sizes >= 0", text,
                                   "shape %s has the negative size %lld at axis %d", text, (long long)shape[d], d);
        }
        if (shape[d] == 0)
            count = 0;
        else if (__builtin_mul_overflow(product, shape[d], &product))
            return refuse_product(op, argument, ndim, shape, "2^63 - 1 elements", err);
    }
    if (__builtin_mul_overflow(product, (int64_t)stria_dtype_get_size(dtype), &total))
        return refuse_product(op, argument, ndim, shape, "2^63 - 1 bytes", err);
    if (nbytes) {
        if (count && (uint64_t)total > (uint64_t)PTRDIFF_MAX) /* nothing fits everywhere */
            return refuse_product(op, argument, ndim, shape, "the address space holds", err);
        *nbytes = count ? (size_t)total : 0;
    }
    *numel = count ? product : 0;
    return STRIA_OK;
}

/* The same for positive sizes without overflow, which nearly every tensor has; false for others. */
static bool get_plain_numel(stria_dtype dtype, int ndim, const int64_t *shape, int64_t *numel, size_t *nbytes)
{
    int64_t count = 1, total;

    for (int d = 0; d < ndim; d++)
        if (shape[d] <= 0 || __builtin_mul_overflow(count, shape[d], &count)) return false;
    if (__builtin_mul_overflow(count, (int64_t)stria_dtype_sizes[dtype], &total)) return false;
    *numel = count;
    *nbytes = (size_t)total;
    return (uint64_t)total <= (uint64_t)PTRDIFF_MAX;
}

/* Elements from the lowest to the highest address, and how far the first lies above the lowest. False on overflow. */
static bool get_extent(int ndim, const int64_t *shape, const int64_t *strides, int64_t *extent, int64_t *below)
{
    int64_t high = 0, low = 0;

    *extent = *below = 0;
    if (stria_shape_is_empty(ndim, shape)) return true;
    for (int d = 0; d < ndim; d++) {
        int64_t  reach;
        int64_t *end = strides[d] < 0 ? &low : &high;
        if (__builtin_mul_overflow(shape[d] - 1, strides[d], &reach) || __builtin_add_overflow(*end, reach, end))
            return false;
    }
    if (__builtin_sub_overflow(high, low, extent) || __builtin_add_overflow(*extent, 1, extent)) return false;
    *below = -low;
    return true;
}

static void copy_sizes(int64_t *to, const int64_t *from, int ndim)
{
    for (int d = 0; d < ndim; d++) to[d] = from[d];
}

/* Strides that no element is reached by, of sizes of 1 and of tensors without elements, may be any number. Here they become 1 where a
 * number of bytes would overflow, so that nobody else has to look. */
#define MOST_STRIDE (INT64_MAX / 16)
static __attribute__((noinline)) void bound_strides(int64_t *strides, int ndim, const int64_t *shape, int64_t numel)
{
    for (int d = 0; d < ndim; d++)
        if ((shape[d] < 2 || numel == 0) && (strides[d] > MOST_STRIDE || strides[d] < -MOST_STRIDE)) strides[d] = 1;
}

static inline void copy_strides(int64_t *to, const int64_t *from, int ndim, const int64_t *shape, int64_t numel)
{
    bool is_large = false;

    for (int d = 0; d < ndim; d++) {
        to[d] = from[d];
        is_large |= (uint64_t)from[d] + MOST_STRIDE > 2 * (uint64_t)MOST_STRIDE;
    }
    if (is_large) bound_strides(to, ndim, shape, numel);
}

/* ---------------------------------------------------------------- creation */

static stria_status refuse_memory(size_t nbytes, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_MEMORY, OP, NULL, NULL, NULL, "no memory for %llu bytes",
                           (unsigned long long)nbytes);
}

/* The device may have failed meanwhile. */
static stria_status refuse_memory_on(stria_device device, size_t nbytes, stria_error *err)
{
    if (stria_device_equals(device, STRIA_CPU)) return refuse_memory(nbytes, err);
    STRIA_TRY(stria_device_get_status(device, OP, err));
    return stria_error_set(err, STRIA_ERR_MEMORY, OP, NULL, NULL, NULL, "no memory for %llu bytes on %s",
                           (unsigned long long)nbytes, stria_device_get_name(device));
}

static stria_status refuse_new(stria_dtype dtype, int ndim, stria_error *err)
{
    char got[32];

    if (!stria_is_dtype(dtype)) {
        stria_shape_print(got, sizeof got, 1, &(int64_t){dtype});
        return stria_error_set(err, STRIA_ERR_DTYPE, OP, "dtype", "a dtype", got, "%d is not the number of a dtype",
                               (int)dtype);
    }
    if (ndim < 0 || ndim > STRIA_MAX_DIMS) {
        stria_shape_print(got, sizeof got, 1, &(int64_t){ndim});
        return stria_error_set(err, STRIA_ERR_SHAPE, OP, "ndim", "0 .. 64", got, "a tensor has 0 to %d dims, not %d",
                               STRIA_MAX_DIMS, ndim);
    }
    return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "shape", "sizes", "NULL", "shape is NULL");
}

/* What every constructor checks, apart from the sizes themselves. Sets *out to NULL. */
static inline stria_status check_new(stria_dtype dtype, int ndim, const int64_t *shape, stria_tensor **out,
                                     stria_error *err)
{
    if (!out)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "out", "a place for the result", "NULL", "out is NULL");
    *out = NULL;
    if (stria_is_dtype(dtype) && (ndim == 0 || (ndim > 0 && ndim <= STRIA_MAX_DIMS && shape))) return STRIA_OK;
    return refuse_new(dtype, ndim, err);
}

/* A tensor with new memory of nbytes, or none on META. strides NULL: row-major. */
static inline __attribute__((always_inline)) stria_status
new_with_memory(stria_dtype dtype, stria_device device, int ndim, const int64_t *shape, const int64_t *strides,
                int64_t numel, size_t nbytes, stria_tensor **out, stria_error *err)
{
    stria_tensor *x = stria_tensor_new_with_storage(dtype, device, ndim, nbytes);

    if (!x) return refuse_memory_on(device, nbytes, err);
    x->numel = numel;
    copy_sizes(x->shape, shape, ndim);
    if (strides)
        copy_strides(x->strides, strides, ndim, shape, numel);
    else
        stria_shape_get_strides(ndim, shape, x->strides);
    *out = x;
    return STRIA_OK;
}

stria_status stria_tensor_new(stria_dtype dtype, int ndim, const int64_t *shape, stria_tensor **out, stria_error *err)
{
    int64_t numel;
    size_t  nbytes;

    STRIA_TRY(check_new(dtype, ndim, shape, out, err));
    if (!get_plain_numel(dtype, ndim, shape, &numel, &nbytes))
        STRIA_TRY(stria_shape_get_numel(OP, "shape", dtype, ndim, shape, &numel, &nbytes, err));
    return new_with_memory(dtype, STRIA_CPU, ndim, shape, NULL, numel, nbytes, out, err);
}

stria_status stria_tensor_new_shaped(stria_dtype dtype, const stria_tensor *x, stria_tensor **out, stria_error *err)
{
    int64_t nbytes;

    if (__builtin_mul_overflow(x->numel, (int64_t)stria_dtype_sizes[dtype], &nbytes) ||
        (uint64_t)nbytes > (uint64_t)PTRDIFF_MAX)
        return stria_tensor_new(dtype, x->ndim, x->shape, out, err); /* refuses it */
    return new_with_memory(dtype, STRIA_CPU, x->ndim, x->shape, NULL, x->numel, (size_t)nbytes, out, err);
}

/* Bytes that shape and strides span, and the bytes below element [0,..,0]. */
static stria_status get_span(stria_dtype dtype, int ndim, const int64_t *shape, const int64_t *strides, size_t *nbytes,
                             size_t *nbytes_below, stria_error *err)
{
    const int64_t size = (int64_t)stria_dtype_get_size(dtype);
    int64_t       extent, below, total;

    if (!get_extent(ndim, shape, strides, &extent, &below) || __builtin_mul_overflow(extent, size, &total) ||
        (uint64_t)total > (uint64_t)PTRDIFF_MAX) {
        char text[96];
        stria_shape_print(text, sizeof text, ndim, strides);
        return stria_error_set(err, STRIA_ERR_OVERFLOW, OP, "strides", "fewer bytes", text,
                               "strides %s reach beyond the address space", text);
    }
    *nbytes = (size_t)total;
    *nbytes_below = (size_t)(below * size);
    return STRIA_OK;
}

stria_status stria_tensor_new_strided(stria_dtype dtype, int ndim, const int64_t *shape, const int64_t *strides,
                                      stria_tensor **out, stria_error *err)
{
    int64_t numel;
    size_t  nbytes, below;

    if (ndim == 0 || !strides) {
        if (ndim == 0) return stria_tensor_new(dtype, ndim, shape, out, err);
        if (out) *out = NULL;
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "strides", "strides", "NULL", "strides is NULL");
    }
    STRIA_TRY(check_new(dtype, ndim, shape, out, err));
    STRIA_TRY(stria_shape_get_numel(OP, "shape", dtype, ndim, shape, &numel, NULL, err));
    for (int d = 0; d < ndim; d++) {
        if (strides[d] < 0) {
            char text[96];
            stria_shape_print(text, sizeof text, ndim, strides);
            return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "strides", "strides >= 0", text,
                                   "strides %s have a negative one at axis %d", text, d);
        }
    }
    STRIA_TRY(get_span(dtype, ndim, shape, strides, &nbytes, &below, err));
    return new_with_memory(dtype, STRIA_CPU, ndim, shape, strides, numel, nbytes, out, err);
}

stria_status stria_tensor_new_on(stria_device device, stria_dtype dtype, int ndim, const int64_t *shape,
                                 const int64_t *strides, stria_tensor **out, stria_error *err)
{
    int64_t numel;
    size_t  nbytes = 0, below;

    if (stria_device_equals(device, STRIA_CPU))
        return strides != NULL && ndim > 0 ? stria_tensor_new_strided(dtype, ndim, shape, strides, out, err)
                                           : stria_tensor_new(dtype, ndim, shape, out, err);
    STRIA_TRY(check_new(dtype, ndim, shape, out, err));
    STRIA_TRY(stria_device_check(OP, "device", device, err));
    STRIA_TRY(stria_shape_get_numel(OP, "shape", dtype, ndim, shape, &numel,
                                    device.type == STRIA_DEVICE_META ? NULL : &nbytes, err));
    if (device.type != STRIA_DEVICE_META) {
        STRIA_TRY(stria_device_get_status(device, OP, err));
        if (strides != NULL) STRIA_TRY(get_span(dtype, ndim, shape, strides, &nbytes, &below, err));
    }
    return new_with_memory(dtype, device, ndim, shape, strides, numel, nbytes, out, err);
}

stria_status stria_tensor_new_like(const stria_tensor *x, stria_dtype dtype, stria_tensor **out, stria_error *err)
{
    int64_t strides[STRIA_MAX_DIMS];

    stria_layout_get_dense_strides(x->ndim, x->shape, x->strides, strides);
    return stria_tensor_new_on(x->device, dtype, x->ndim, x->shape, strides, out, err);
}

stria_status stria_tensor_new_scalar(stria_scalar value, stria_tensor **out, stria_error *err)
{
    static const stria_dtype dtypes[] = {STRIA_BOOL, STRIA_I64, STRIA_F64, STRIA_C128, STRIA_U64};
    const double             complex_value[2] = {value.re, value.im};
    stria_tensor            *x = NULL;

    if (out) *out = NULL;
    if ((unsigned)value.kind > STRIA_SCALAR_UINT)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "value", "a kind of scalar", NULL,
                               "%d is not a kind of scalar", (int)value.kind);
    STRIA_TRY(stria_tensor_new(dtypes[value.kind], 0, NULL, out ? &x : NULL, err));
    x->is_wrapped_number = true;
    switch (value.kind) {
    case STRIA_SCALAR_BOOL: *x->data = value.i != 0; break;
    case STRIA_SCALAR_INT:
    case STRIA_SCALAR_UINT: memcpy(x->data, &value.i, sizeof value.i); break;
    case STRIA_SCALAR_FLOAT: memcpy(x->data, complex_value, sizeof value.re); break;
    case STRIA_SCALAR_COMPLEX: memcpy(x->data, complex_value, sizeof complex_value); break;
    }
    *out = x;
    return STRIA_OK;
}

stria_status stria_tensor_new_copy_of(stria_dtype dtype, int ndim, const int64_t *shape, const void *data,
                                      size_t nbytes, stria_tensor **out, stria_error *err)
{
    int64_t numel;
    size_t  wanted;

    STRIA_TRY(check_new(dtype, ndim, shape, out, err));
    STRIA_TRY(stria_shape_get_numel(OP, "shape", dtype, ndim, shape, &numel, &wanted, err));
    if (nbytes != wanted || (nbytes && !data))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, nbytes == wanted ? "data" : "nbytes", NULL, NULL,
                               nbytes == wanted ? "data is NULL (%llu, %llu bytes)" : "%llu bytes given, %llu needed",
                               (unsigned long long)nbytes, (unsigned long long)wanted);
    STRIA_TRY(new_with_memory(dtype, STRIA_CPU, ndim, shape, NULL, numel, nbytes, out, err));
    if (nbytes) memcpy((*out)->data, data, nbytes);
    return STRIA_OK;
}

stria_status stria_tensor_new_external(stria_dtype dtype, int ndim, const int64_t *shape, const int64_t *strides,
                                       void *data, void (*release)(void *context), void *context, stria_tensor **out,
                                       stria_error *err)
{
    int64_t       row_major[STRIA_MAX_DIMS], numel;
    size_t        nbytes, below, size;
    stria_tensor *x;

    STRIA_TRY(check_new(dtype, ndim, shape, out, err));
    STRIA_TRY(stria_shape_get_numel(OP, "shape", dtype, ndim, shape, &numel, NULL, err));
    if (!strides) {
        stria_shape_get_strides(ndim, shape, row_major);
        strides = row_major;
    }
    STRIA_TRY(get_span(dtype, ndim, shape, strides, &nbytes, &below, err));
    size = stria_dtype_get_size(dtype);
    if (size > 8) size = 8; /* complex: aligned as its parts */
    if (nbytes && (!data || (uintptr_t)data % size != 0))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "data", "an aligned address", NULL,
                               data ? "data is not aligned to the element size" : "data is NULL");
    x = stria_tensor_new_handle(dtype, STRIA_CPU, ndim);
    if (!x) return refuse_memory(sizeof *x, err);
    x->storage = stria_storage_new_external(data ? (char *)data - below : NULL, nbytes, release, context);
    if (!x->storage) {
        stria_tensor_release(x);
        return refuse_memory(sizeof *x->storage, err);
    }
    x->data = data;
    x->numel = numel;
    copy_sizes(x->shape, shape, ndim);
    copy_strides(x->strides, strides, ndim, shape, numel);
    *out = x;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- properties */

stria_dtype    stria_tensor_get_dtype(const stria_tensor *x) { return x->dtype; }
stria_device   stria_tensor_get_device(const stria_tensor *x) { return x->device; }
int            stria_tensor_get_ndim(const stria_tensor *x) { return x->ndim; }
const int64_t *stria_tensor_get_shape(const stria_tensor *x) { return x->shape; }
const int64_t *stria_tensor_get_strides(const stria_tensor *x) { return x->strides; }
int64_t        stria_tensor_get_numel(const stria_tensor *x) { return x->numel; }
const void    *stria_tensor_get_const_data(const stria_tensor *x)
{
    return x->device.type != STRIA_DEVICE_META ? x->data : NULL;
}
void *stria_tensor_get_data(stria_tensor *x) { return (void *)(uintptr_t)stria_tensor_get_const_data(x); }
void  stria_tensor_set_written(stria_tensor *x)
{
    if (x != NULL) stria_tensor_touch_by(x, STRIA_WRITER_UNKNOWN);
}
size_t stria_tensor_get_storage_nbytes(const stria_tensor *x) { return x->storage->nbytes; }

bool stria_tensor_get_contiguous(const stria_tensor *x) { return stria_tensor_is_contiguous(x); }

bool stria_tensor_get_aliased(const stria_tensor *a, const stria_tensor *b)
{
    return stria_storage_meets(a->storage, b->storage);
}

/* ---------------------------------------------------------------- resizing */

/* Whether x may lay out nbytes anew in the storage it has. */
static bool can_reuse_memory(const stria_tensor *x, size_t nbytes)
{
    stria_storage *s = x->storage;

    return s->origin != STRIA_ORIGIN_EXTERNAL && s->nbytes >= nbytes &&
           atomic_load_explicit(&s->refcount, memory_order_acquire) == 1;
}

stria_status stria_tensor_check_resize(const stria_tensor *x, stria_error *err)
{
    if (x->is_given)
        return stria_error_set(err, STRIA_ERR_SHAPE, OP, "out", NULL, "an input",
                               "out is an input of what is recorded, whose shape is not changed; return a new result");
    if (atomic_load_explicit(&x->storage->n_borrows, memory_order_acquire) == 0) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "out", "memory that is not borrowed", "borrowed memory",
                           "out cannot be given another shape while its memory is borrowed");
}

/* The versions of x go on in the memory that it is about to have. */
static void carry_version(const stria_tensor *x, stria_storage *storage)
{
    const unsigned version = atomic_load_explicit(&x->storage->version, memory_order_relaxed);
    atomic_store_explicit(&storage->version, version, memory_order_relaxed);
}

/* Of the handle only: sizes lie inside it or on the heap. */
static void exchange_sizes(stria_tensor *x, stria_tensor *y)
{
    int64_t *const x_heap = x->shape != x->inline_sizes ? x->shape : NULL;
    int64_t *const y_heap = y->shape != y->inline_sizes ? y->shape : NULL;
    const int      x_ndim = x->ndim, y_ndim = y->ndim;

    for (int k = 0; k < 2 * STRIA_INLINE_DIMS; k++) {
        const int64_t size = x->inline_sizes[k];
        x->inline_sizes[k] = y->inline_sizes[k];
        y->inline_sizes[k] = size;
    }
    x->shape = y_heap ? y_heap : x->inline_sizes;
    y->shape = x_heap ? x_heap : y->inline_sizes;
    x->strides = x->shape + (y_heap ? y_ndim : STRIA_INLINE_DIMS);
    y->strides = y->shape + (x_heap ? x_ndim : STRIA_INLINE_DIMS);
    x->ndim = y_ndim;
    y->ndim = x_ndim;
}

void stria_tensor_exchange(stria_tensor *x, stria_tensor *y)
{
    stria_storage *const storage = x->storage;
    char *const          data = x->data;
    const int64_t        numel = x->numel;

    carry_version(x, y->storage);
    /* a handle owns its home apart from its storage, where they are two */
    if (storage == x->home) stria_storage_retain(storage);
    if (y->storage == y->home) stria_storage_retain(y->storage);
    exchange_sizes(x, y);
    x->storage = y->storage;
    x->data = y->data;
    x->numel = y->numel;
    y->storage = storage;
    y->data = data;
    y->numel = numel;
}

stria_status stria_tensor_resize(stria_tensor *x, int ndim, const int64_t *shape, const int64_t *strides,
                                 stria_error *err)
{
    int64_t        numel, *sizes = x->inline_sizes;
    size_t         nbytes = 0, below;
    stria_storage *storage = x->storage;
    const bool     has_memory = x->device.type != STRIA_DEVICE_META;

    STRIA_TRY(stria_tensor_check_resize(x, err));
    STRIA_TRY(stria_shape_get_numel(OP, "out", x->dtype, ndim, shape, &numel, NULL, err));
    if (has_memory) STRIA_TRY(get_span(x->dtype, ndim, shape, strides, &nbytes, &below, err));
    if (ndim > STRIA_INLINE_DIMS) {
        sizes = stria_object_new(2 * (size_t)ndim * sizeof *sizes);
        if (!sizes) return refuse_memory(2 * (size_t)ndim * sizeof *sizes, err);
    }
    if (!can_reuse_memory(x, nbytes)) {
        storage = stria_storage_new(nbytes, x->device);
        if (!storage) {
            if (sizes != x->inline_sizes) stria_object_release(sizes);
            return refuse_memory(nbytes, err);
        }
    }
    /* nothing can fail any more; shape and strides given may be those of x */
    int64_t kept[2 * STRIA_MAX_DIMS];
    copy_sizes(kept, shape, ndim);
    copy_sizes(kept + STRIA_MAX_DIMS, strides, ndim);
    if (storage != x->storage) {
        carry_version(x, storage);
        if (x->storage != x->home) stria_storage_release(x->storage);
        x->storage = storage;
    }
    if (x->shape != x->inline_sizes) stria_object_release(x->shape);
    x->shape = sizes;
    x->strides = sizes + (ndim > STRIA_INLINE_DIMS ? ndim : STRIA_INLINE_DIMS);
    copy_sizes(x->shape, kept, ndim);
    copy_sizes(x->strides, kept + STRIA_MAX_DIMS, ndim);
    x->ndim = ndim;
    x->numel = numel;
    x->data = storage->data;
    return STRIA_OK;
}

stria_status stria_tensor_view(stria_tensor *x, int ndim, const int64_t *shape, const int64_t *strides,
                               int64_t data_offset, stria_tensor **out, stria_error *err)
{
    return stria_tensor_view_as(x, x->dtype, ndim, shape, strides, data_offset, out, err);
}

stria_status stria_tensor_view_as(stria_tensor *x, stria_dtype dtype, int ndim, const int64_t *shape,
                                  const int64_t *strides, int64_t data_offset, stria_tensor **out, stria_error *err)
{
    stria_tensor *y = stria_tensor_new_handle(dtype, x->device, ndim);
    int64_t       numel = 1;

    *out = NULL;
    if (!y) return refuse_memory(sizeof *y, err);
    for (int d = 0; d < ndim; d++) {
        y->shape[d] = shape[d];
        numel = shape[d] ? numel * shape[d] : 0;
    }
    copy_strides(y->strides, strides, ndim, shape, numel);
    y->numel = numel;
    y->storage = x->storage;
    stria_storage_retain(y->storage);
    if (x->device.type != STRIA_DEVICE_META)
        y->data = x->data ? x->data + data_offset * (int64_t)stria_dtype_sizes[dtype] : NULL;
    else /* sizes without memory may be beyond the address space: no arithmetic of pointers */
        y->data = (char *)((uintptr_t)x->data + (uintptr_t)data_offset * stria_dtype_sizes[dtype]);
    *out = y;
    return STRIA_OK;
}

bool stria_tensor_is_expanded(const stria_tensor *x)
{
    for (int d = 0; d < x->ndim; d++)
        if (x->strides[d] == 0 && x->shape[d] > 1) return true;
    return false;
}

stria_status stria_tensor_view_unexpanded(stria_tensor *x, stria_tensor **out, stria_error *err)
{
    int64_t shape[STRIA_MAX_DIMS];

    for (int d = 0; d < x->ndim; d++) shape[d] = x->strides[d] == 0 && x->shape[d] > 1 ? 1 : x->shape[d];
    return stria_tensor_view(x, x->ndim, shape, x->strides, 0, out, err);
}

/* ---------------------------------------------------------------- borrowing */

stria_status stria_tensor_borrow(stria_tensor *x, stria_tensor **held, stria_error *err)
{
    *held = NULL;
    if (x->device.type != STRIA_DEVICE_CPU)
        return stria_error_set(err, STRIA_ERR_DEVICE, "borrow", "x", "cpu", stria_device_get_name(x->device),
                               "x is on %s, not in the memory of the CPU", stria_device_get_name(x->device));
    if (!stria_tensor_is_contiguous(x))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "borrow", "x", "contiguous", "strides with gaps",
                               "x must be contiguous");
    STRIA_TRY(stria_tensor_view(x, x->ndim, x->shape, x->strides, 0, held, err));
    atomic_fetch_add_explicit(&x->storage->n_borrows, 1, memory_order_relaxed);
    return STRIA_OK;
}

void stria_tensor_give_back(stria_tensor *held, bool is_written)
{
    if (is_written) stria_tensor_touch_by(held, STRIA_WRITER_UNKNOWN);
    atomic_fetch_sub_explicit(&held->storage->n_borrows, 1, memory_order_release);
    stria_tensor_release(held);
}
