/* stria_dlpack.h - tensors to and from other libraries in one process, without copying: DLPack 1.1
 * (https://dmlc.github.io/dlpack/latest/c_api.html).
 *
 * A program that uses the header of DLPack itself includes that one before; otherwise its structs are declared here, with the same
 * names and layout. The conventions are those of stria.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STRIA_DLPACK_H
#define STRIA_DLPACK_H

#include "stria.h"

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(DLPACK_DLPACK_H_)

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1

typedef struct {
    uint32_t major, minor;
} DLPackVersion;

/* device_type: 1 is the memory of the CPU, 2 that of a CUDA device. */
typedef struct {
    int32_t device_type, device_id;
} DLDevice;

/* code: 0 signed, 1 unsigned, 2 float, 4 bfloat, 5 complex, 6 bool; bits of one lane; lanes: 1 but for vectors. */
typedef struct {
    uint8_t  code, bits;
    uint16_t lanes;
} DLDataType;

typedef struct {
    void      *data;
    DLDevice   device;
    int32_t    ndim;
    DLDataType dtype;
    int64_t   *shape;       /* [ndim] */
    int64_t   *strides;     /* [ndim], in elements; before 1.2 NULL for row-major */
    uint64_t   byte_offset; /* of element [0,..,0] from data */
} DLTensor;

typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void    *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void         *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

#endif

/**
 * stria_dlpack_new - x for another library, which shares its memory and ends it by its deleter, from any thread.
 *
 * out  data is the address of element [0,..,0] (NULL without elements), byte_offset 0; shape and strides are there in any case
 *
 * The memory stays until the deleter runs, also if x is released, or given another shape as an `out`, before. What either library writes
 * the other one sees; two threads must not do so at once.
 * Errors: ERR_DEVICE (x is not in the memory of the CPU), ERR_MEMORY.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_dlpack_new(stria_tensor *x, struct DLManagedTensor **out,
                                                         stria_error *err);

/* The same with a version and flags: DLPACK_FLAG_BITMASK_READ_ONLY asks the other library not to write, DLPACK_FLAG_BITMASK_IS_COPIED
 * makes a copy for it. Other flags are ERR_ARGUMENT. */
STRIA_API STRIA_MUST_CHECK stria_status stria_dlpack_new_versioned(stria_tensor *x, uint64_t flags,
                                                                   struct DLManagedTensorVersioned **out,
                                                                   stria_error                      *err);

/**
 * stria_tensor_new_dlpack - a tensor over the memory of another library, which vouches that every element lies in it.
 *
 * managed  taken over, whatever is returned: its deleter (which may be NULL) is called exactly once, on failure at once, else when the
 *          last view is gone, on the thread that releases it
 *
 * Errors: ERR_DEVICE (not the memory of the CPU), ERR_DTYPE (more lanes than 1, or no such dtype here), ERR_SHAPE, ERR_OVERFLOW, ERR_ARGUMENT
 *         (NULL, not aligned to the elements), ERR_MEMORY.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_new_dlpack(struct DLManagedTensor *managed, stria_tensor **out,
                                                                stria_error *err);

/* The same of a versioned one. Read-only memory is copied, since every tensor may be written to, and the deleter called. Another major
 * version than 1: ERR_UNSUPPORTED. */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_new_dlpack_versioned(struct DLManagedTensorVersioned *managed,
                                                                          stria_tensor **out, stria_error *err);

#ifdef __cplusplus
}
#endif

#endif /* STRIA_DLPACK_H */
