/* dlpack.c - DLPack: https://dmlc.github.io/dlpack/latest/c_api.html */
#include "stria_dlpack.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "tensor/tensor.h"

#define OP "dlpack"
#define CPU_TYPE 1

/* By category; bf16 has a code of its own. */
enum { CODE_I = 0, CODE_U = 1, CODE_F = 2, CODE_BF16 = 4, CODE_C = 5, CODE_B = 6 };

static const uint8_t codes[] = {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    STRIA_##ENUM == STRIA_BF16 ? CODE_BF16 : CODE_##category,
#include "table/dtypes.def"
};

/* ---------------------------------------------------------------- to others */

/* What a deleter gets back: the struct that the other library sees is its first member. */
typedef struct lent {
    DLManagedTensor managed;
    stria_tensor   *held; /* owned; shape and strides are its */
} lent;

typedef struct lent_versioned {
    DLManagedTensorVersioned managed;
    stria_tensor            *held;
} lent_versioned;

static void end_lent(DLManagedTensor *self)
{
    lent *l = (lent *)(void *)self;

    if (!self) return;
    stria_tensor_release(l->held);
    stria_object_release(l);
}

static void end_lent_versioned(DLManagedTensorVersioned *self)
{
    lent_versioned *l = (lent_versioned *)(void *)self;

    if (!self) return;
    stria_tensor_release(l->held);
    stria_object_release(l);
}

static stria_status refuse_null(const char *argument, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, argument, NULL, "NULL", "%s is NULL", argument);
}

/* A handle of its own on what is lent, so that its shape stays what it is. */
static stria_status hold(stria_tensor *x, bool copies, const void *out, stria_tensor **held, stria_error *err)
{
    stria_status status;

    if (!x || !out) return refuse_null(x ? "out" : "x", err);
    if (x->device.type != STRIA_DEVICE_CPU)
        return stria_error_set(err, STRIA_ERR_DEVICE, OP, "x", "a tensor on the CPU", stria_device_get_name(x->device),
                               "the tensor is on %s, not in the memory of the CPU", stria_device_get_name(x->device));
    status = copies ? stria_tensor_copy(x, STRIA_DTYPE_NONE, held, err)
                    : stria_tensor_view(x, x->ndim, x->shape, x->strides, 0, held, err);
    return stria_error_set_op(err, status, OP);
}

static DLTensor describe(stria_tensor *x)
{
    return (DLTensor){
        .data = x->numel > 0 ? x->data : NULL,
        .device = {.device_type = CPU_TYPE, .device_id = 0},
        .ndim = x->ndim,
        .dtype = {.code = codes[x->dtype], .bits = (uint8_t)(8 * stria_dtype_get_size(x->dtype)), .lanes = 1},
        .shape = x->shape,
        .strides = x->strides,
        .byte_offset = 0,
    };
}

static stria_status refuse_memory(stria_tensor *held, stria_error *err)
{
    stria_tensor_release(held);
    return stria_error_set(err, STRIA_ERR_MEMORY, OP, NULL, NULL, NULL, "no memory for a managed tensor");
}

stria_status stria_dlpack_new(stria_tensor *x, struct DLManagedTensor **out, stria_error *err)
{
    stria_tensor *held = NULL;
    lent         *l;

    if (out) *out = NULL;
    STRIA_TRY(hold(x, false, out, &held, err));
    l = stria_object_new(sizeof *l);
    if (!l) return refuse_memory(held, err);
    l->held = held;
    l->managed.dl_tensor = describe(held);
    l->managed.manager_ctx = l;
    l->managed.deleter = end_lent;
    *out = &l->managed;
    return STRIA_OK;
}

stria_status stria_dlpack_new_versioned(stria_tensor *x, uint64_t flags, struct DLManagedTensorVersioned **out,
                                        stria_error *err)
{
    stria_tensor   *held = NULL;
    lent_versioned *l;

    if (out) *out = NULL;
    if (flags & ~(uint64_t)(DLPACK_FLAG_BITMASK_READ_ONLY | DLPACK_FLAG_BITMASK_IS_COPIED))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "flags", "READ_ONLY, IS_COPIED", NULL,
                               "flags 0x%llx are not known", (unsigned long long)flags);
    STRIA_TRY(hold(x, flags & DLPACK_FLAG_BITMASK_IS_COPIED, out, &held, err));
    l = stria_object_new(sizeof *l);
    if (!l) return refuse_memory(held, err);
    l->held = held;
    l->managed.version = (DLPackVersion){DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    l->managed.manager_ctx = l;
    l->managed.deleter = end_lent_versioned;
    l->managed.flags = flags;
    l->managed.dl_tensor = describe(held);
    *out = &l->managed;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- from others */

static stria_status get_dtype(DLDataType from, stria_dtype *dtype, stria_error *err)
{
    if (from.lanes == 1)
        for (int k = 0; k < STRIA_DTYPE_COUNT; k++) {
            if (codes[k] != from.code || 8 * stria_dtype_get_size((stria_dtype)k) != from.bits) continue;
            *dtype = (stria_dtype)k;
            return STRIA_OK;
        }
    return stria_error_set(err, STRIA_ERR_DTYPE, OP, "managed", "a dtype of one lane that there is here", NULL,
                           "no dtype has code %d, %d bits and %d lanes", from.code, from.bits, from.lanes);
}

/* The tensor over the memory that is described; `end` is called with `owner` when it ends. */
static stria_status view_of(const DLTensor *from, void (*end)(void *owner), void *owner, stria_tensor **out,
                            stria_error *err)
{
    stria_dtype dtype = STRIA_DTYPE_NONE;
    uintptr_t   address = (uintptr_t)from->data;

    if (from->device.device_type != CPU_TYPE)
        return stria_error_set(err, STRIA_ERR_DEVICE, OP, "managed", "the memory of the CPU", NULL,
                               "a tensor on a device of type %d, not in the memory of the CPU",
                               (int)from->device.device_type);
    STRIA_TRY(get_dtype(from->dtype, &dtype, err));
    if (address &&
        (from->byte_offset > UINTPTR_MAX || __builtin_add_overflow(address, (uintptr_t)from->byte_offset, &address)))
        return stria_error_set(err, STRIA_ERR_OVERFLOW, OP, "managed", "an offset within memory", NULL,
                               "byte_offset %llu reaches beyond the address space",
                               (unsigned long long)from->byte_offset);
    return stria_error_set_op(
        err,
        stria_tensor_new_external(dtype, from->ndim, from->shape, from->strides, (void *)address, end, owner, out, err),
        OP);
}

static void end_managed(void *owner)
{
    DLManagedTensor *managed = owner;
    if (managed->deleter) managed->deleter(managed);
}

static void end_managed_versioned(void *owner)
{
    DLManagedTensorVersioned *managed = owner;
    if (managed->deleter) managed->deleter(managed);
}

stria_status stria_tensor_new_dlpack(struct DLManagedTensor *managed, stria_tensor **out, stria_error *err)
{
    stria_status status;

    if (out) *out = NULL;
    if (!managed) return refuse_null("managed", err);
    status = out ? view_of(&managed->dl_tensor, end_managed, managed, out, err) : refuse_null("out", err);
    if (status != STRIA_OK) end_managed(managed);
    return status;
}

/* A tensor with the elements of read-only memory. */
static stria_status copy_of(const DLTensor *from, stria_tensor **out, stria_error *err)
{
    stria_tensor *x = NULL;

    STRIA_TRY(view_of(from, NULL, NULL, &x, err));
    const stria_status status = stria_error_set_op(err, stria_tensor_copy(x, STRIA_DTYPE_NONE, out, err), OP);
    stria_tensor_release(x);
    return status;
}

stria_status stria_tensor_new_dlpack_versioned(struct DLManagedTensorVersioned *managed, stria_tensor **out,
                                               stria_error *err)
{
    stria_status status;
    bool         is_copy = false;

    if (out) *out = NULL;
    if (!managed) return refuse_null("managed", err);
    if (!out) {
        status = refuse_null("out", err);
    } else if (managed->version.major != DLPACK_MAJOR_VERSION) { /* of another one nothing else may be read */
        status = stria_error_set(err, STRIA_ERR_UNSUPPORTED, OP, "managed", "version 1", NULL,
                                 "version %u.%u of DLPack, not 1", (unsigned)managed->version.major,
                                 (unsigned)managed->version.minor);
    } else {
        is_copy = managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY;
        status = is_copy ? copy_of(&managed->dl_tensor, out, err)
                         : view_of(&managed->dl_tensor, end_managed_versioned, managed, out, err);
    }
    if (status != STRIA_OK || is_copy) end_managed_versioned(managed);
    return status;
}
