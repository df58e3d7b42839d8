/* test_cuda_copy.c - copies to, from and within CUDA devices, fills, what creates tensors, and what is refused. */
#include <string.h>

#include "cuda_case.h"
#include "refused.h"
#include "tensor/device.h"
#include "stria_autograd.h"
#include "tensor/tensor.h"

static const cuda_layout layouts[] = {AS_PACKED, AS_TURNED, AS_STEP, AS_FLIPPED, AS_SHIFTED, AS_ROW, AS_COLUMN, AS_ONE};
enum { N_LAYOUTS = (int)(sizeof layouts / sizeof *layouts), N_WHOLE = 5 /* with an element at each place */ };

/* ---------------------------------------------------------------- any dtypes and layouts */

/* `from` and `to` say where the source and the result are. */
static void check_copy(stria_device to, stria_device from, stria_dtype dtype, stria_dtype as, int layout, int target)
{
    stria_tensor *x = cuda_case_new(from, dtype, layouts[layout], 3), *y = cuda_case_new(to, as, layouts[target], 4);
    stria_tensor *x_cpu = cuda_case_new(STRIA_CPU, dtype, layouts[layout], 3);
    stria_tensor *wanted = cuda_case_new(STRIA_CPU, as, layouts[target], 4);
    char          what[128];

    snprintf(what, sizeof what, "copy of %s on %s, layout %d, to %s on %s, layout %d", stria_dtype_get_name(dtype),
             stria_device_get_name(from), layout, stria_dtype_get_name(as), stria_device_get_name(to), target);
    CHECK_STATUS(stria_tensor_set(wanted, x_cpu, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(y, x, NULL), STRIA_OK);
    if (to.type == STRIA_DEVICE_CPU) { /* what is compared is on a device */
        stria_tensor *moved = cuda_case_to_device(y, CUDA);
        stria_tensor_release(y);
        y = moved;
    }
    cuda_case_check_same(what, y, wanted);
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(x_cpu), stria_tensor_release(wanted);
}

static void test_copies(void)
{
    for (int d = 0; d < STRIA_DTYPE_COUNT; d++)
        for (int e = 0; e < STRIA_DTYPE_COUNT; e++)
            for (int k = 0; k < N_LAYOUTS; k++) {
                const int target = (d + e + k) % N_WHOLE;
                check_copy(CUDA, CUDA, (stria_dtype)d, (stria_dtype)e, k, target);
                if ((d + e + k) % 3 > 0 && d != e) continue;
                check_copy(CUDA, STRIA_CPU, (stria_dtype)d, (stria_dtype)e, k, target);
                check_copy(STRIA_CPU, CUDA, (stria_dtype)d, (stria_dtype)e, k, target);
            }
    for (int d = 0; d < STRIA_DTYPE_COUNT; d++)
        for (int k = 0; k < N_LAYOUTS; k++)
            for (int target = 0; target < N_WHOLE; target++) {
                check_copy(CUDA, CUDA, (stria_dtype)d, (stria_dtype)d, k, target);
                check_copy(CUDA, STRIA_CPU, (stria_dtype)d, (stria_dtype)d, k, target);
                check_copy(STRIA_CPU, CUDA, (stria_dtype)d, (stria_dtype)d, k, target);
            }
}

/* More than pinned memory holds, so that its halves take turns. */
static void test_large(void)
{
    const int64_t shape[] = {3, 500009};
    stria_tensor *x = NULL, *turned = NULL;

    CHECK_STATUS(stria_arange((stria_scalar){STRIA_SCALAR_INT, 0, 0, 0},
                              (stria_scalar){STRIA_SCALAR_INT, shape[0] * shape[1], 0, 0},
                              (stria_scalar){STRIA_SCALAR_INT, 1, 0, 0}, STRIA_I64, STRIA_CPU, &x, NULL),
                 STRIA_OK);
    for (int k = 0; k < 3; k++) {
        stria_tensor *y = cuda_case_to_device(x, CUDA);
        cuda_case_check_same("12 MB", y, x);
        stria_tensor_release(y);
    }
    stria_tensor *matrix = NULL;
    CHECK_STATUS(stria_view(x, shape, 2, &matrix, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(matrix, 0, 1, &turned, NULL), STRIA_OK);
    stria_tensor *y = cuda_case_to_device(turned, CUDA);
    cuda_case_check_same("12 MB, transposed", y, turned);
    stria_tensor_release(x), stria_tensor_release(matrix), stria_tensor_release(turned), stria_tensor_release(y);
}

/* Elements of one tensor that lie over each other are refused, on the device as on the CPU. */
static void test_overlap(void)
{
    stria_tensor *x = cuda_case_new(CUDA, STRIA_F32, AS_RUN, 1), *a = NULL, *b = NULL, *wide = NULL;

    CHECK_STATUS(stria_slice(x, 0, 0, 1000, 1, &a, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(x, 0, 1, 1001, 1, &b, NULL), STRIA_OK);
    REFUSED(stria_tensor_set(a, b, &err), STRIA_ERR_OVERLAP, "copy", "out", "");
    stria_tensor_release(b);
    CHECK_STATUS(stria_slice(x, 0, 0, 1, 1, &b, NULL), STRIA_OK);
    CHECK_STATUS(stria_expand(b, (const int64_t[]){7}, 1, &wide, NULL), STRIA_OK);
    stria_tensor *cpu = cuda_case_new(STRIA_CPU, STRIA_F32, AS_ROW, 1);
    REFUSED(stria_tensor_set(wide, cpu, &err), STRIA_ERR_OVERLAP, "copy", "out", "");
    stria_tensor_release(x), stria_tensor_release(a), stria_tensor_release(b), stria_tensor_release(wide);
    stria_tensor_release(cpu);
}

/* ---------------------------------------------------------------- creation */

typedef stria_status create_fn(stria_device device, stria_dtype dtype, stria_tensor **out);

static const stria_scalar number_275 = {STRIA_SCALAR_FLOAT, 0, 2.75, 0};
static const int64_t      shape_34[] = {3, 4};

static stria_status create_zeros(stria_device device, stria_dtype dtype, stria_tensor **out)
{
    return stria_zeros(shape_34, 2, dtype, device, out, NULL);
}
static stria_status create_ones(stria_device device, stria_dtype dtype, stria_tensor **out)
{
    return stria_ones(shape_34, 2, dtype, device, out, NULL);
}
static stria_status create_full(stria_device device, stria_dtype dtype, stria_tensor **out)
{
    return stria_full((const int64_t[]){2051}, 1, number_275, dtype, device, out, NULL);
}
static stria_status create_none(stria_device device, stria_dtype dtype, stria_tensor **out)
{
    return stria_full((const int64_t[]){3, 0}, 2, number_275, dtype, device, out, NULL);
}
static stria_status create_eye(stria_device device, stria_dtype dtype, stria_tensor **out)
{
    return stria_eye(5, 7, dtype, device, out, NULL);
}
static stria_status create_arange(stria_device device, stria_dtype dtype, stria_tensor **out)
{
    return stria_arange((stria_scalar){STRIA_SCALAR_FLOAT, 0, -3.5, 0}, (stria_scalar){STRIA_SCALAR_INT, 1500, 0, 0},
                        (stria_scalar){STRIA_SCALAR_FLOAT, 0, 1.25, 0}, dtype, device, out, NULL);
}
static stria_status create_linspace(stria_device device, stria_dtype dtype, stria_tensor **out)
{
    return stria_linspace((stria_scalar){STRIA_SCALAR_INT, -7, 0, 0}, (stria_scalar){STRIA_SCALAR_INT, 1013, 0, 0}, 777,
                          dtype, device, out, NULL);
}
static stria_status create_wide(stria_device device, stria_dtype dtype, stria_tensor **out)
{
    return stria_linspace((stria_scalar){STRIA_SCALAR_FLOAT, 0, -1e300, 0},
                          (stria_scalar){STRIA_SCALAR_COMPLEX, 0, 1e308, -1e308}, 5, dtype, device, out, NULL);
}

static stria_status create_logspace(stria_device device, stria_dtype dtype, stria_tensor **out)
{
    return stria_logspace((stria_scalar){STRIA_SCALAR_INT, -30, 0, 0}, (stria_scalar){STRIA_SCALAR_FLOAT, 0, 7.3, 0},
                          700, 3, dtype, device, out, NULL);
}
static stria_status create_powers(stria_device device, stria_dtype dtype, stria_tensor **out)
{
    return stria_logspace((stria_scalar){STRIA_SCALAR_INT, 0, 0, 0}, (stria_scalar){STRIA_SCALAR_INT, 4, 0, 0}, 5, -2,
                          dtype, device, out, NULL);
}

static const struct {
    const char *name;
    create_fn  *create;
} creations[] = {{"zeros", create_zeros},       {"ones", create_ones},    {"full", create_full},
                 {"none", create_none},         {"eye", create_eye},      {"arange", create_arange},
                 {"linspace", create_linspace}, {"complex", create_wide}, {"logspace", create_logspace},
                 {"powers", create_powers}};

static void test_creation(void)
{
    char what[64];

    for (size_t k = 0; k < sizeof creations / sizeof *creations; k++)
        for (int d = 0; d < STRIA_DTYPE_COUNT; d++) {
            stria_tensor      *x = NULL, *y = NULL;
            const stria_status wanted = creations[k].create(STRIA_CPU, (stria_dtype)d, &y);
            const stria_status got = creations[k].create(CUDA, (stria_dtype)d, &x);
            snprintf(what, sizeof what, "%s of %s", creations[k].name, stria_dtype_get_name((stria_dtype)d));
            CHECK(got == wanted, "%s: status %d, not %d", what, (int)got, (int)wanted);
            if (x != NULL && y != NULL) cuda_case_check_same(what, x, y);
            stria_tensor_release(x);
            stria_tensor_release(y);
        }
}

/* Fills of every layout, an expanded one among them. */
/* Like a tensor on another device: of its shape and memory order; and there and back. */
static void test_like(void)
{
    static const stria_device devices[] = {
        {STRIA_DEVICE_CPU, 0}, {STRIA_DEVICE_META, 0}, {STRIA_DEVICE_CUDA, 0}, {STRIA_DEVICE_CUDA, 1}};
    const int     n = stria_device_get_count(STRIA_DEVICE_CUDA) > 1 ? 4 : 3;
    stria_tensor *x = NULL, *there = NULL, *back = NULL;

    for (int k = 0; k < n * n; k++) {
        const stria_device from = devices[k / n], to = devices[k % n];
        CHECK_STATUS(stria_empty_strided(shape_34, 2, (const int64_t[]){1, 3}, 2, STRIA_F32, from, &x, NULL), STRIA_OK);
        CHECK_STATUS(stria_full_like(x, (stria_scalar){STRIA_SCALAR_FLOAT, .re = 2.5}, STRIA_F64, to, &there, NULL),
                     STRIA_OK);
        CHECK(stria_device_equals(there->device, to) && there->strides[0] == 1 && there->strides[1] == 3, "like of %s",
              stria_device_get_name(from));
        if (to.type == STRIA_DEVICE_CUDA) {
            stria_tensor *here = NULL;
            CHECK_STATUS(stria_full_like(there, (stria_scalar){STRIA_SCALAR_FLOAT, .re = 2.5}, STRIA_DTYPE_NONE,
                                         STRIA_CPU, &here, NULL),
                         STRIA_OK);
            cuda_case_check_same("full_like", there, here);
            stria_tensor_release(here);
        }
        CHECK_STATUS(stria_zeros_like(there, STRIA_F32, from, &back, NULL), STRIA_OK);
        CHECK(stria_device_equals(back->device, from) && back->dtype == STRIA_F32, "back on %s",
              stria_device_get_name(from));
        stria_tensor_release(x), stria_tensor_release(there), stria_tensor_release(back);
    }
}

static void test_fills(void)
{
    for (int d = 0; d < STRIA_DTYPE_COUNT; d++)
        for (int k = 0; k < N_WHOLE; k++) {
            stria_tensor *x = cuda_case_new(CUDA, (stria_dtype)d, layouts[k], 5), *number = NULL;
            stria_tensor *y = cuda_case_new(STRIA_CPU, (stria_dtype)d, layouts[k], 5);
            CHECK_STATUS(stria_tensor_new_scalar(number_275, &number, NULL), STRIA_OK);
            CHECK_STATUS(stria_tensor_set(x, number, NULL), STRIA_OK);
            CHECK_STATUS(stria_tensor_set(y, number, NULL), STRIA_OK);
            cuda_case_check_same("fill", x, y);
            stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(number);
        }
    stria_tensor *x = cuda_case_new(CUDA, STRIA_F32, AS_ONE, 1), *wide = NULL, *y = NULL, *number = NULL;
    CHECK_STATUS(stria_expand(x, (const int64_t[]){3, 4}, 2, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_scalar(number_275, &number, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(wide, number, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(NULL, 0, number_275, STRIA_F32, STRIA_CPU, &y, NULL), STRIA_OK);
    cuda_case_check_same("expanded fill", x, y);
    stria_tensor *value = cuda_case_to_device(y, CUDA); /* one of the device is converted and goes there, too */
    CHECK_STATUS(stria_fill_out(x, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 0}, x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(wide, value, NULL), STRIA_OK);
    cuda_case_check_same("one value into an expanded tensor", x, y);
    stria_tensor_release(x), stria_tensor_release(wide), stria_tensor_release(y), stria_tensor_release(number);
    stria_tensor_release(value);
}

/* ---------------------------------------------------------------- two devices, refusals */

static void test_two_devices(void)
{
    const stria_device other = STRIA_DEVICE(STRIA_DEVICE_CUDA, 1);
    stria_tensor      *y = NULL;

    if (stria_device_get_count(STRIA_DEVICE_CUDA) < 2) return;
    for (int k = 0; k < N_LAYOUTS; k++)
        for (int target = 0; target < N_WHOLE; target++) {
            check_copy(other, CUDA, STRIA_F32, STRIA_F32, k, target);
            check_copy(CUDA, other, STRIA_I64, STRIA_F16, k, target);
        }
    stria_tensor *a = cuda_case_new(CUDA, STRIA_F32, AS_PACKED, 1), *b = cuda_case_new(other, STRIA_F32, AS_PACKED, 2);
    REFUSED_NEW(stria_add(a, b, &y, &err), STRIA_ERR_DEVICE, "add", "b",
                "b is on cuda:1 but the other operands are on cuda:0");
    stria_tensor_release(a), stria_tensor_release(b);
}

/* stria_tensor_copy_to: dtype, memory order, and the way back of a gradient. */
static void test_to(void)
{
    stria_tensor *x = cuda_case_new(STRIA_CPU, STRIA_F32, AS_TURNED, 5), *there = NULL, *back = NULL, *twice = NULL;
    stria_tensor *g = NULL, *meta = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_set_requires_grad(x, true, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy_to(x, STRIA_F64, CUDA, &there, NULL), STRIA_OK);
    CHECK(there->device.type == STRIA_DEVICE_CUDA && there->dtype == STRIA_F64, "where it is");
    for (int d = 0; d < x->ndim; d++) CHECK(there->strides[d] == x->strides[d], "strides[%d]", d);
    CHECK_STATUS(stria_add(there, there, &twice, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy_to(twice, STRIA_F32, STRIA_CPU, &back, NULL), STRIA_OK);
    CHECK_STATUS(stria_ones(back->shape, back->ndim, STRIA_F32, STRIA_CPU, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_backward((stria_tensor *const[]){back}, 1, (stria_tensor *const[]){y}, NULL, 0, 0, NULL),
                 STRIA_OK);
    g = stria_tensor_get_grad(x);
    CHECK(g != NULL && g->device.type == STRIA_DEVICE_CPU && g->dtype == STRIA_F32, "where the gradient is");
    for (int64_t k = 0; g != NULL && k < g->numel; k++) CHECK(((const float *)g->data)[k] == 2, "gradient %d", (int)k);
    CHECK_STATUS(stria_tensor_copy_to(there, STRIA_DTYPE_NONE, STRIA_META, &meta, NULL), STRIA_OK);
    stria_tensor_release(y);
    REFUSED_NEW(stria_tensor_copy_to(meta, STRIA_DTYPE_NONE, CUDA, &y, &err), STRIA_ERR_DEVICE, "to", "x",
                "x is on meta, and has no elements to copy to cuda:0");
    REFUSED_NEW(stria_tensor_copy_to(x, STRIA_DTYPE_NONE, STRIA_DEVICE(STRIA_DEVICE_CUDA, 16), &y, &err),
                STRIA_ERR_ARGUMENT, "to", "device", "device is no device");
    stria_tensor_release(x), stria_tensor_release(there), stria_tensor_release(twice), stria_tensor_release(back);
    stria_tensor_release(meta);
}

static void test_refusals(void)
{
    stria_tensor *x = cuda_case_new(CUDA, STRIA_F32, AS_PACKED, 1),
                 *cpu = cuda_case_new(STRIA_CPU, STRIA_F32, AS_ROW, 2);
    stria_tensor *y = NULL;
    stria_tensor *kept = cuda_case_to_cpu(x);

    REFUSED_NEW(stria_add(x, cpu, &y, &err), STRIA_ERR_DEVICE, "add", "b",
                "b is on cpu but the other operands are on cuda:0");
    REFUSED(stria_apply_out(STRIA_OP_add, (const stria_tensor *const[]){x, x}, 2, cpu, &err), STRIA_ERR_DEVICE, "add",
            "out", "out is on cpu but the other operands are on cuda:0");
    REFUSED_NEW(stria_complex(x, cpu, &y, &err), STRIA_ERR_DEVICE, "complex", "im", "im is on cpu but re is on cuda:0");
    REFUSED_NEW(stria_complex(cpu, x, &y, &err), STRIA_ERR_DEVICE, "complex", "im", "im is on cuda:0 but re is on cpu");
    cuda_case_check_same("after what was refused", x, kept);
    CHECK_STATUS(stria_tensor_new_on(STRIA_CPU, STRIA_F32, 1, (const int64_t[]){0}, NULL, &y, NULL), STRIA_OK);
    stria_error here = {0}; /* nothing would move; of the same words as on the CPU */
    CHECK_STATUS(stria_tensor_set(kept, y, &here), STRIA_ERR_SHAPE);
    REFUSED(stria_tensor_set(x, y, &err), STRIA_ERR_SHAPE, "copy", here.argument, "do not broadcast");
    stria_tensor *number = NULL, *none = NULL;
    CHECK_STATUS(stria_tensor_new_on(STRIA_CPU, STRIA_F32, 0, NULL, NULL, &number, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_on(CUDA, STRIA_F32, 1, (const int64_t[]){0}, NULL, &none, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(number, y, &here), STRIA_ERR_SHAPE);
    REFUSED(stria_tensor_set(number, none, &err), STRIA_ERR_SHAPE, "copy", here.argument,
            "does not match the broadcast");
    stria_tensor_release(y), stria_tensor_release(number), stria_tensor_release(none);
    y = NULL;
    REFUSED_NEW(stria_zeros(shape_34, 2, STRIA_F32, STRIA_DEVICE(STRIA_DEVICE_CUDA, 15), &y, &err),
                STRIA_ERR_UNSUPPORTED, "zeros", "device", "there is no device cuda:15: CUDA finds");
    stria_tensor_release(x), stria_tensor_release(cpu), stria_tensor_release(kept);
}

SUITE(test_cuda_copy)
{
    check_isa("test_cuda_copy");
    if (!cuda_case_begin("test_cuda_copy")) return 77;
    test_copies();
    test_large();
    test_overlap();
    test_creation();
    test_like();
    test_fills();
    test_two_devices();
    test_to();
    test_refusals();
    return cuda_case_finish("test_cuda_copy");
}
