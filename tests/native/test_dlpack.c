/* test_dlpack.c - DLPack against a consumer and a producer written here: every dtype, strides, offsets, flags, and that each deleter runs
 * exactly once. tests/native/dlpack_numpy.py does the same with NumPy. */
#include "stria_dlpack.h"

#include <string.h>

#include "base/alloc.h"
#include "oracle.h"

static int64_t live(void) { return stria_memory_get_stats().live_tensors; }

/* ---------------------------------------------------------------- to others */

/* By the words of the specification, not by those of the library. */
static const struct {
    stria_dtype dtype;
    int         code, bits;
} known[] = {
    {STRIA_BOOL, 6, 8},  {STRIA_U8, 1, 8},   {STRIA_I8, 0, 8},   {STRIA_U16, 1, 16}, {STRIA_I16, 0, 16},
    {STRIA_U32, 1, 32},  {STRIA_I32, 0, 32}, {STRIA_U64, 1, 64}, {STRIA_I64, 0, 64}, {STRIA_F16, 2, 16},
    {STRIA_BF16, 4, 16}, {STRIA_F32, 2, 32}, {STRIA_F64, 2, 64}, {STRIA_C64, 5, 64}, {STRIA_C128, 5, 128},
};

static void check_dtypes(void)
{
    CHECK(sizeof known / sizeof *known == STRIA_DTYPE_COUNT, "a dtype is missing");
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        stria_tensor             *x = NULL, *y = NULL;
        DLManagedTensor          *m = NULL;
        DLManagedTensorVersioned *v = NULL;
        const char               *name = stria_dtype_get_name(known[k].dtype);

        CHECK_STATUS(stria_tensor_new(known[k].dtype, 2, (int64_t[]){2, 3}, &x, NULL), STRIA_OK);
        CHECK_STATUS(stria_dlpack_new(x, &m, NULL), STRIA_OK);
        CHECK_STATUS(stria_dlpack_new_versioned(x, 0, &v, NULL), STRIA_OK);
        if (!m || !v) return;
        const DLTensor *both[] = {&m->dl_tensor, &v->dl_tensor};
        for (int b = 0; b < 2; b++) {
            const DLTensor *t = both[b];
            CHECK(t->dtype.code == known[k].code && t->dtype.bits == known[k].bits && t->dtype.lanes == 1,
                  "%s: %d, %d, %d", name, t->dtype.code, t->dtype.bits, t->dtype.lanes);
            CHECK(t->data == stria_tensor_get_data(x) && t->byte_offset == 0 && (int)t->device.device_type == 1 &&
                      t->device.device_id == 0 && t->ndim == 2 && t->shape[0] == 2 && t->shape[1] == 3 &&
                      t->strides[0] == 3 && t->strides[1] == 1,
                  "%s", name);
        }
        CHECK(v->version.major == 1 && v->version.minor == 1 && v->flags == 0, "version");
        stria_tensor_release(x);
        CHECK_STATUS(stria_tensor_new_dlpack(m, &y, NULL), STRIA_OK);
        CHECK(y && stria_tensor_get_dtype(y) == known[k].dtype && stria_tensor_get_data(y) == both[1]->data, "%s: back",
              name);
        stria_tensor_release(y);
        CHECK_STATUS(stria_tensor_new_dlpack_versioned(v, &y, NULL), STRIA_OK);
        CHECK(y && stria_tensor_get_dtype(y) == known[k].dtype, "%s: back", name);
        stria_tensor_release(y);
        CHECK(live() == 0, "%s: %lld tensors are left", name, (long long)live());
    }
}

/* Views, empty tensors, tensors without dims; the memory stays when x changes. */
static void check_views(void)
{
    static const float data[] = {0, 1, 2, 3, 4, 5};
    stria_tensor      *x = NULL, *t = NULL, *f = NULL, *y = NULL;
    DLManagedTensor   *m = NULL;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 2, (int64_t[]){2, 3}, data, sizeof data, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(x, 0, 1, &t, NULL), STRIA_OK);
    CHECK_STATUS(stria_flip(t, (int[]){0}, 1, &f, NULL), STRIA_OK);
    CHECK_STATUS(stria_dlpack_new(f, &m, NULL), STRIA_OK);
    CHECK(m && m->dl_tensor.strides[0] == -1 && m->dl_tensor.strides[1] == 3 && *(float *)m->dl_tensor.data == 2,
          "flipped");
    stria_tensor_release(f);
    stria_tensor_release(t);
    stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new_dlpack(m, &y, NULL), STRIA_OK);
    const float *first = stria_tensor_get_const_data(y);
    CHECK(first[0] == 2 && first[stria_tensor_get_strides(y)[0] * 2 + 3] == 3, "elements");
    stria_tensor_release(y);

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, (int64_t[]){0, 3}, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_dlpack_new(x, &m, NULL), STRIA_OK);
    CHECK(m && m->dl_tensor.data == NULL && m->dl_tensor.ndim == 2, "empty");
    CHECK_STATUS(stria_tensor_new_dlpack(m, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_numel(y) == 0 && stria_tensor_get_shape(y)[1] == 3, "empty");
    stria_tensor_release(x);
    stria_tensor_release(y);

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 0, NULL, data + 4, 4, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_dlpack_new(x, &m, NULL), STRIA_OK);
    stria_tensor *big = NULL; /* x becomes another tensor; what was lent stays */
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 1, (int64_t[]){6}, data, sizeof data, &big, NULL), STRIA_OK);
    CHECK_STATUS(stria_apply_out(STRIA_OP_neg, (const stria_tensor *const[]){big}, 1, x, NULL), STRIA_OK);
    CHECK(m && m->dl_tensor.ndim == 0 && *(float *)m->dl_tensor.data == 4 && stria_tensor_get_numel(x) == 6, "resized");
    m->deleter(m);
    stria_tensor_release(x);
    stria_tensor_release(big);
    CHECK(live() == 0 && stria_memory_get_stats().live_bytes == 0, "memory is left");
}

static void check_flags(void)
{
    stria_tensor             *x = NULL;
    DLManagedTensorVersioned *v = NULL;
    stria_error               err = {0};

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_U8, 1, (int64_t[]){3}, "abc", 3, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_dlpack_new_versioned(x, DLPACK_FLAG_BITMASK_READ_ONLY, &v, NULL), STRIA_OK);
    CHECK(v && v->flags == 1 && v->dl_tensor.data == stria_tensor_get_data(x), "read-only");
    v->deleter(v);
    CHECK_STATUS(stria_dlpack_new_versioned(x, DLPACK_FLAG_BITMASK_IS_COPIED, &v, NULL), STRIA_OK);
    CHECK(v && v->flags == 2 && v->dl_tensor.data != stria_tensor_get_data(x) &&
              memcmp(v->dl_tensor.data, "abc", 3) == 0,
          "a copy");
    v->deleter(v);
    CHECK_STATUS(stria_dlpack_new_versioned(x, 4, &v, &err), STRIA_ERR_ARGUMENT);
    CHECK(!v && strcmp(err.argument, "flags") == 0 && strcmp(err.message, "dlpack: flags 0x4 are not known") == 0, "%s",
          err.message);
    CHECK_STATUS(stria_dlpack_new_versioned(NULL, 0, &v, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_dlpack_new_versioned(x, 0, NULL, &err), STRIA_ERR_ARGUMENT);
    for (int n = 1; n <= 2; n++) {
        DLManagedTensor *m = NULL;
        stria_alloc_set_failure(n);
        CHECK_STATUS(stria_dlpack_new(x, &m, &err), STRIA_ERR_MEMORY);
        stria_alloc_set_failure(n);
        CHECK_STATUS(stria_dlpack_new_versioned(x, 0, &v, &err), STRIA_ERR_MEMORY);
        stria_alloc_set_failure(0);
        CHECK(!m && !v && strcmp(err.op, "dlpack") == 0 && live() == 1, "allocation %d: %s", n, err.message);
    }
    stria_tensor_release(x);
    DLManagedTensor *m = NULL;
    CHECK_STATUS(stria_empty((int64_t[]){3}, 1, STRIA_F32, STRIA_META, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_dlpack_new(x, &m, &err), STRIA_ERR_DEVICE);
    CHECK(!m && strcmp(err.message, "dlpack: the tensor is on meta, not in the memory of the CPU") == 0, "%s",
          err.message);
    stria_tensor_release(x);
    CHECK(live() == 0, "tensors are left");
}

/* ---------------------------------------------------------------- from others */

static int                      deleted;
static float                    memory[8];
static int64_t                  sizes[65], steps[65];
static DLManagedTensor          made;
static DLManagedTensorVersioned versioned;

static void delete_made(DLManagedTensor *self) { deleted += self == &made ? 1 : 100; }
static void delete_versioned(DLManagedTensorVersioned *self) { deleted += self == &versioned ? 1 : 100; }

/* f32 [2,3] row-major, without strides. */
static void make(void)
{
    deleted = 0;
    for (int k = 0; k < 8; k++) memory[k] = (float)k;
    sizes[0] = 2;
    sizes[1] = 3;
    memset(&made, 0, sizeof made);
    made.dl_tensor.data = memory;
    made.dl_tensor.device.device_type = 1;
    made.dl_tensor.ndim = 2;
    made.dl_tensor.dtype = (DLDataType){2, 32, 1};
    made.dl_tensor.shape = sizes;
    made.deleter = delete_made;
}

static void check_taken(void)
{
    stria_tensor *x = NULL, *y = NULL;

    make();
    CHECK_STATUS(stria_tensor_new_dlpack(&made, &x, NULL), STRIA_OK);
    CHECK(x && stria_tensor_get_data(x) == memory && stria_tensor_get_strides(x)[0] == 3 && deleted == 0, "row-major");
    CHECK_STATUS(stria_transpose(x, 0, 1, &y, NULL), STRIA_OK);
    stria_tensor_release(x);
    CHECK(deleted == 0, "a view is left");
    stria_tensor_release(y);
    CHECK(deleted == 1, "deleted %d times", deleted);

    make(); /* strides and an offset */
    steps[0] = 1;
    steps[1] = -2;
    made.dl_tensor.strides = steps;
    made.dl_tensor.byte_offset = 5 * sizeof(float);
    CHECK_STATUS(stria_tensor_new_dlpack(&made, &x, NULL), STRIA_OK);
    CHECK(x && stria_tensor_get_data(x) == memory + 5 && stria_tensor_get_strides(x)[1] == -2, "strides");
    ((float *)stria_tensor_get_data(x))[0] = 50;
    CHECK(memory[5] == 50, "memory is shared");
    stria_tensor_release(x);
    CHECK(deleted == 1, "deleted %d times", deleted);

    make(); /* nobody to tell */
    made.deleter = NULL;
    CHECK_STATUS(stria_tensor_new_dlpack(&made, &x, NULL), STRIA_OK);
    stria_tensor_release(x);

    make();
    versioned = (DLManagedTensorVersioned){.version = {1, 9}, .deleter = delete_versioned, .dl_tensor = made.dl_tensor};
    CHECK_STATUS(stria_tensor_new_dlpack_versioned(&versioned, &x, NULL), STRIA_OK);
    CHECK(x && stria_tensor_get_data(x) == memory && deleted == 0, "versioned");
    stria_tensor_release(x);
    CHECK(deleted == 1, "deleted %d times", deleted);
    versioned.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    deleted = 0;
    CHECK_STATUS(stria_tensor_new_dlpack_versioned(&versioned, &x, NULL), STRIA_OK);
    CHECK(x && stria_tensor_get_data(x) != memory && ((float *)stria_tensor_get_data(x))[4] == 4 && deleted == 1,
          "read-only memory is copied");
    stria_tensor_release(x);
    CHECK(deleted == 1, "deleted %d times", deleted);
    versioned = (DLManagedTensorVersioned){.version = {2, 0}, .deleter = delete_versioned};
    deleted = 0;
    stria_error err = {0};
    CHECK_STATUS(stria_tensor_new_dlpack_versioned(&versioned, &x, &err), STRIA_ERR_UNSUPPORTED);
    CHECK(!x && deleted == 1 && strcmp(err.message, "dlpack: version 2.0 of DLPack, not 1") == 0, "%s", err.message);
    CHECK_STATUS(stria_tensor_new_dlpack_versioned(&versioned, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK(deleted == 2, "deleted %d times", deleted);
}

/* made is refused, and deleted once. */
static void check_refused(stria_status wanted, const char *argument, const char *message)
{
    stria_tensor *x = NULL;
    stria_error   err = {0};

    deleted = 0;
    CHECK_STATUS(stria_tensor_new_dlpack(&made, &x, &err), wanted);
    CHECK(!x && deleted == 1 && strcmp(err.op, "dlpack") == 0 && strcmp(err.argument, argument) == 0 &&
              strcmp(err.message + strlen("dlpack: "), message) == 0,
          "deleted %d times, argument %s: %s", deleted, err.argument, err.message);
    deleted = 0;
    versioned = (DLManagedTensorVersioned){.version = {1, 0}, .deleter = delete_versioned, .dl_tensor = made.dl_tensor};
    versioned.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    CHECK_STATUS(stria_tensor_new_dlpack_versioned(&versioned, &x, NULL), wanted);
    CHECK(!x && deleted == 1, "%s: deleted %d times", message, deleted);
    make();
}

static void check_bad(void)
{
    stria_tensor *x = NULL;
    stria_error   err = {0};

    make();
    made.dl_tensor.device.device_type = 2;
    check_refused(STRIA_ERR_DEVICE, "managed", "a tensor on a device of type 2, not in the memory of the CPU");
    made.dl_tensor.dtype.lanes = 4;
    check_refused(STRIA_ERR_DTYPE, "managed", "no dtype has code 2, 32 bits and 4 lanes");
    made.dl_tensor.dtype.lanes = 0;
    check_refused(STRIA_ERR_DTYPE, "managed", "no dtype has code 2, 32 bits and 0 lanes");
    made.dl_tensor.dtype = (DLDataType){10, 8, 1};
    check_refused(STRIA_ERR_DTYPE, "managed", "no dtype has code 10, 8 bits and 1 lanes");
    made.dl_tensor.dtype = (DLDataType){6, 1, 1};
    check_refused(STRIA_ERR_DTYPE, "managed", "no dtype has code 6, 1 bits and 1 lanes");
    made.dl_tensor.ndim = 65;
    check_refused(STRIA_ERR_SHAPE, "ndim", "a tensor has 0 to 64 dims, not 65");
    made.dl_tensor.ndim = -1;
    check_refused(STRIA_ERR_SHAPE, "ndim", "a tensor has 0 to 64 dims, not -1");
    made.dl_tensor.shape = NULL;
    check_refused(STRIA_ERR_ARGUMENT, "shape", "shape is NULL");
    sizes[1] = -3;
    check_refused(STRIA_ERR_SHAPE, "shape", "shape [2,-3] has the negative size -3 at axis 1");
    sizes[0] = sizes[1] = INT64_MAX / 2;
    check_refused(STRIA_ERR_OVERFLOW, "shape",
                  "shape [4611686018427387903,4611686018427387903] needs more than 2^63 - 1 elements");
    made.dl_tensor.data = NULL;
    check_refused(STRIA_ERR_ARGUMENT, "data", "data is NULL");
    made.dl_tensor.byte_offset = 2;
    check_refused(STRIA_ERR_ARGUMENT, "data", "data is not aligned to the element size");
    made.dl_tensor.byte_offset = UINT64_MAX - 3;
    check_refused(STRIA_ERR_OVERFLOW, "managed", "byte_offset 18446744073709551612 reaches beyond the address space");
    steps[0] = steps[1] = INT64_MAX / 2;
    made.dl_tensor.strides = steps;
    check_refused(STRIA_ERR_OVERFLOW, "strides",
                  "strides [4611686018427387903,4611686018427387903] reach beyond the address space");

    CHECK_STATUS(stria_tensor_new_dlpack(NULL, &x, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_new_dlpack(&made, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK(deleted == 1, "deleted %d times", deleted);
    for (int n = 1; n <= 2; n++) {
        make();
        stria_alloc_set_failure(n);
        CHECK_STATUS(stria_tensor_new_dlpack(&made, &x, &err), STRIA_ERR_MEMORY);
        stria_alloc_set_failure(0);
        CHECK(!x && deleted == 1, "allocation %d: deleted %d times", n, deleted);
    }
    CHECK(live() == 0, "tensors are left");
}

SUITE(test_dlpack)
{
    check_dtypes();
    check_views();
    check_flags();
    check_taken();
    check_bad();
    return check_finish("test_dlpack");
}
