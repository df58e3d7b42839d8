/* tensor.h - the tensor and its storage. Internal. */
#ifndef STRIA_TENSOR_H
#define STRIA_TENSOR_H

#include <stdatomic.h>

#include "stria.h"
#include "table/dtype.h"
#include "tensor/layout.h"

typedef enum stria_storage_origin {
    STRIA_ORIGIN_NONE,     /* META device: no memory */
    STRIA_ORIGIN_EMBEDDED, /* struct, elements and perhaps the first handle are one block */
    STRIA_ORIGIN_BLOCK,    /* from stria_block_new */
    STRIA_ORIGIN_DEVICE,   /* from the memory of its device (device.h) */
    STRIA_ORIGIN_EXTERNAL  /* the caller's */
} stria_storage_origin;

typedef struct stria_storage {
    atomic_int           refcount;
    atomic_int           n_borrows; /* see stria_tensor_borrow */
    atomic_uint          version;   /* how many calls have written to it */
    stria_device         device;
    stria_storage_origin origin;
    bool                 has_handle;    /* EMBEDDED: a handle lies between this struct and data */
    atomic_bool          is_lost;       /* EXTERNAL: its owner took the memory back, so that nothing may look at it */
    atomic_bool          has_untracked; /* views were made whose base is not known: before gradients were first used */
    atomic_bool          is_held;       /* a recording has met it, whose graph may hold it */
    atomic_short         writer;        /* the row that wrote last, where gradients saw it, or a STRIA_WRITER_ */
    char                *data;          /* STRIA_META_BASE on the META device */
    size_t               nbytes;
    void (*release)(void *context); /* of external memory; may be NULL */
    void *context;                  /* of release, and of the memory of a device (device.h) */
} stria_storage;

/* What wrote to a storage and is no row. */
#define STRIA_WRITER_UNKNOWN (-1)
#define STRIA_WRITER_ITERATOR (-2) /* a loop of a program over an iterator */

/* Where every storage of the META device begins: no memory is there, but views have offsets as on other devices, of
 * inputs of recordings below 0, too. A multiple of every alignment of elements, and in the middle, so that no view
 * begins at NULL. */
#define STRIA_META_BASE ((char *)(UINTPTR_MAX / 2 + 1))

/* Dimensions kept inside the handle; more go to the heap. */
#define STRIA_INLINE_DIMS 6

struct stria_tensor {
    atomic_int     refcount;
    stria_dtype    dtype;
    stria_device   device;
    bool           is_wrapped_number;
    bool           is_constant; /* a 0-dim tensor on the CPU that nobody writes to: what is recorded has its value */
    bool           is_cut;   /* a view that takes no part in the history of its base: it was made without gradients */
    bool           is_given; /* an input of what is recorded: whoever runs it has a tensor of this shape */
    int            ndim;
    void          *gradient; /* what gradients keep for this handle (stria_slot of autograd/node.h, owned), or NULL */
    stria_tensor  *base; /* of a view, once gradients are in use: the tensor that it is a view of, owned; else NULL */
    int64_t        numel;
    stria_storage *storage;
    stria_storage *home;    /* the storage whose block this handle lies in, or NULL; owned, once if it is `storage` */
    char          *data;    /* element [0,..,0], inside storage */
    int64_t       *shape;   /* [ndim]: inline_sizes or heap */
    int64_t       *strides; /* [ndim], elements */
    int64_t        inline_sizes[2 * STRIA_INLINE_DIMS];
};

/* Gradients, once the process uses them: `end` releases what a handle that ends has in `gradient`. Nothing is set before. */
typedef struct stria_gradient_hooks {
    void (*end)(stria_tensor *x);
} stria_gradient_hooks;
extern const stria_gradient_hooks *_Atomic stria_tensor_gradients;
static inline const stria_gradient_hooks  *stria_tensor_get_gradients(void)
{
    return atomic_load_explicit(&stria_tensor_gradients, memory_order_relaxed);
}

static inline int64_t stria_tensor_get_item_size(const stria_tensor *x) { return stria_dtype_sizes[x->dtype]; }

static inline bool stria_tensor_has_shape(const stria_tensor *x, int ndim, const int64_t *shape)
{
    if (x->ndim != ndim) return false;
    for (int d = 0; d < ndim; d++)
        if (x->shape[d] != shape[d]) return false;
    return true;
}

stria_storage *stria_storage_new(size_t nbytes, stria_device device); /* NULL: no memory */
/* Over memory of the caller; NULL: no memory, and release is not called. */
stria_storage *stria_storage_new_external(void *data, size_t nbytes, void (*release)(void *context), void *context);
void           stria_storage_retain(stria_storage *storage);
void           stria_storage_release(stria_storage *storage); /* NULL is allowed */

/* A handle with room for ndim dims, shape and strides unset, storage NULL. NULL: no memory. */
stria_tensor *stria_tensor_new_handle(stria_dtype dtype, stria_device device, int ndim);
/* The same with a new storage of nbytes and data at its start: all in one block where that is small. */
stria_tensor *stria_tensor_new_with_storage(stria_dtype dtype, stria_device device, int ndim, size_t nbytes);

/* numel and bytes of a shape of valid ndim. Refuses negative sizes, and products beyond 2^63 - 1 in which a size of 0
 * counts as 1, so that row-major strides never overflow. With nbytes not NULL also what the address space cannot hold.
 * `op` and `argument` go into the error. */
stria_status stria_shape_get_numel(const char *op, const char *argument, stria_dtype dtype, int ndim,
                                   const int64_t *shape, int64_t *numel, size_t *nbytes, stria_error *err);

/* A tensor with undefined elements on a device, for shapes that have been checked or not. strides NULL: row-major; none may be
 * negative. Errors as of stria_tensor_new; ERR_ARGUMENT: no device, ERR_UNSUPPORTED: there is no memory on it. */
stria_status stria_tensor_new_on(stria_device device, stria_dtype dtype, int ndim, const int64_t *shape,
                                 const int64_t *strides, stria_tensor **out, stria_error *err);
/* A row-major one on the CPU, of the shape of x. */
stria_status stria_tensor_new_shaped(stria_dtype dtype, const stria_tensor *x, stria_tensor **out, stria_error *err);
/* The same of the shape, device and memory order of x (stria_layout_get_dense_strides). */
stria_status stria_tensor_new_like(const stria_tensor *x, stria_dtype dtype, stria_tensor **out, stria_error *err);

/* Gives x another shape and strides (no negative ones). Its memory is kept where x owns it alone and it is large
 * enough; otherwise x gets new memory, and views of the old keep that. x is unchanged on failure. Used for out= only.
 * Errors: those of stria_tensor_check_resize. */
stria_status stria_tensor_resize(stria_tensor *x, int ndim, const int64_t *shape, const int64_t *strides,
                                 stria_error *err);

/* Whether x can be given another shape. ERR_ARGUMENT: its memory is borrowed; ERR_SHAPE: it is an input of a recording. */
stria_status stria_tensor_check_resize(const stria_tensor *x, stria_error *err);

/* x and y, of one dtype and device, exchange elements, shape and strides; handles stay what they are. x is one tensor that
 * was written to, with the versions of before. */
void stria_tensor_exchange(stria_tensor *x, stria_tensor *y);

/* Whether nobody else holds x or its memory, which is the library's. */
static inline bool stria_tensor_is_alone(const stria_tensor *x)
{
    return atomic_load_explicit(&x->refcount, memory_order_acquire) == 1 &&
           atomic_load_explicit(&x->storage->refcount, memory_order_acquire) == 1 &&
           x->storage->origin != STRIA_ORIGIN_EXTERNAL;
}

/* Whether the memory of x is not there any more (stria_storage.is_lost). */
static inline bool stria_tensor_is_lost(const stria_tensor *x)
{
    return x->storage->origin == STRIA_ORIGIN_EXTERNAL &&
           atomic_load_explicit(&x->storage->is_lost, memory_order_relaxed);
}

/* New tensor over the storage of x, with its own shape and strides; data_offset in elements from x's first element. */
stria_status stria_tensor_view(stria_tensor *x, int ndim, const int64_t *shape, const int64_t *strides,
                               int64_t data_offset, stria_tensor **out, stria_error *err);
/* The same as elements of another dtype, which strides and data_offset count. */
stria_status stria_tensor_view_as(stria_tensor *x, stria_dtype dtype, int ndim, const int64_t *shape,
                                  const int64_t *strides, int64_t data_offset, stria_tensor **out, stria_error *err);

/* Whether positions of x lie at one address because an axis was expanded; and a view of x of one position of each such axis. */
bool         stria_tensor_is_expanded(const stria_tensor *x);
stria_status stria_tensor_view_unexpanded(stria_tensor *x, stria_tensor **out, stria_error *err);

/* A list with n >= 0 places, all NULL. ERR_ARGUMENT (op and argument go into it) if a list has not as many, ERR_MEMORY. */
stria_status stria_tensor_list_new(stria_tensor_list *list, int64_t n, const char *op, const char *argument,
                                   stria_error *err);

/* Lends the memory of x: *held is a view of all of x. The memory stays alive and in its place until *held is given
 * back, also if x is released before. Until then stria_tensor_resize refuses every tensor on it. ERR_ARGUMENT if x is
 * not contiguous, ERR_DEVICE if it is not on the CPU. */
stria_status stria_tensor_borrow(stria_tensor *x, stria_tensor **held, stria_error *err);
/* Ends what stria_tensor_borrow began, and releases `held`. is_written: elements may have been written, which makes a new version of them. */
void stria_tensor_give_back(stria_tensor *held, bool is_written);

/* Counts a write to the elements of x. There is one writer at a time. */
static inline void stria_tensor_touch(stria_tensor *x)
{
    const unsigned version = atomic_load_explicit(&x->storage->version, memory_order_relaxed);
    atomic_store_explicit(&x->storage->version, version + 1, memory_order_relaxed);
}

/* The same of a write by no row, one of STRIA_WRITER_. Threads that write to parts of x may each count theirs. */
static inline void stria_tensor_touch_by(stria_tensor *x, int writer)
{
    atomic_fetch_add_explicit(&x->storage->version, 1, memory_order_relaxed);
    atomic_store_explicit(&x->storage->writer, (short)writer, memory_order_relaxed);
}

static inline bool stria_tensor_is_contiguous(const stria_tensor *x)
{
    return stria_layout_is_row_major(x->ndim, x->shape, x->strides) || x->numel == 0;
}

#endif
