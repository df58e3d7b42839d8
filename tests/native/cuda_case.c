/* cuda_case.c - see cuda_case.h. */
#include "cuda_case.h"

#include <stdlib.h>
#include <string.h>

#include "cuda_host_case.h"
#include "tensor/tensor.h"

bool cuda_case_begin(const char *program)
{
    stria_device_info info;
    stria_error       err = {0};

    if (stria_device_get_count(STRIA_DEVICE_CUDA) > 0) {
        CHECK_STATUS(stria_device_get_info(CUDA, &info, NULL), STRIA_OK);
        printf("%s: on %s\n", program, info.name);
        return true;
    }
    CHECK_STATUS(stria_device_get_info(CUDA, &info, &err), STRIA_ERR_UNSUPPORTED);
    printf("%s: SKIPPED (%s)\n0 passed, 0 failed, 1 skipped\n", program, err.message);
    return false;
}

void cuda_case_check_leaks(int n_threads)
{
    const int              n_devices = stria_device_get_count(STRIA_DEVICE_CUDA);
    const stria_cuda_host *host = cuda_host_case_get();
    stria_cuda_host_counts counts;

    for (int k = 0; k < n_devices; k++) {
        const stria_device device = STRIA_DEVICE(STRIA_DEVICE_CUDA, (int16_t)k);
        stria_memory_stats stats = {0};
        CHECK_STATUS(stria_device_synchronize(device, NULL), STRIA_OK);
        CHECK_STATUS(stria_device_memory_get_stats(device, &stats, NULL), STRIA_OK);
        CHECK(stats.live_storages == 0 && stats.live_bytes == 0, "%d storages of %lld bytes are left over on %s",
              (int)stats.live_storages, (long long)stats.live_bytes, stria_device_get_name(device));
    }
    if (host == NULL) return;
    host->get_counts(&counts);
    CHECK(counts.blocks == 0 && counts.bytes == 0, "%d blocks of %lld bytes are left over", (int)counts.blocks,
          (long long)counts.bytes);
    CHECK(counts.waiting == 0 && counts.graphs == 0, "%d operations wait, %d graphs are left over", (int)counts.waiting,
          (int)counts.graphs);
    CHECK(counts.streams <= n_threads * n_devices, "%d streams of %d threads", (int)counts.streams, n_threads);
    CHECK(counts.pinned <= 2 * counts.streams && counts.events == counts.pinned,
          "%d pinned blocks and %d events of %d streams", (int)counts.pinned, (int)counts.events, (int)counts.streams);
    CHECK(counts.pools <= n_devices, "%d pools of %d devices", (int)counts.pools, n_devices);
}

int cuda_case_finish(const char *program)
{
    cuda_case_check_leaks(1);
    return check_finish(program);
}

bool cuda_case_is_drawn(void)
{
    static random_state random = {1};
    static int64_t      part = 0;

    if (part == 0) part = !check_is_full() ? check_get_setting("STRIA_CUDA_CASES", 1) : 1;
    return random_next(&random) % (uint64_t)part == 0;
}

stria_tensor *cuda_case_to_cpu(const stria_tensor *x)
{
    stria_tensor *y = NULL;

    CHECK_STATUS(stria_tensor_new(x->dtype, x->ndim, x->shape, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(y, x, NULL), STRIA_OK);
    return y;
}

stria_tensor *cuda_case_to_device(const stria_tensor *x, stria_device device)
{
    stria_tensor *y = NULL;

    CHECK_STATUS(stria_empty(x->shape, x->ndim, x->dtype, device, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(y, x, NULL), STRIA_OK);
    return y;
}

/* What the layout is a view of. */
static stria_tensor *new_base(stria_dtype dtype, int ndim, const int64_t *shape, uint64_t seed)
{
    random_state  random = {seed * 1000003 + (uint64_t)dtype};
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, ndim, shape, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < x->numel; k++)
        random_element(&random, dtype, -10, 10, x->data + k * (int64_t)stria_dtype_get_size(dtype));
    return x;
}

static stria_tensor *new_number(stria_dtype dtype, uint64_t seed)
{
    const bool         is_float = dtype_is_float(dtype);
    const stria_scalar value = {is_float              ? STRIA_SCALAR_FLOAT
                                : dtype == STRIA_BOOL ? STRIA_SCALAR_BOOL
                                                      : STRIA_SCALAR_INT,
                                (int64_t)(dtype == STRIA_BOOL ? seed % 2 : seed % 7), (double)(seed % 7) + 0.25, 0};
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new_scalar(value, &x, NULL), STRIA_OK);
    return x;
}

static stria_tensor *look(stria_tensor *base, cuda_layout layout)
{
    const int64_t shape[] = {CUDA_ROWS, CUDA_COLUMNS};
    stria_tensor *y = NULL, *part = NULL;

    switch (layout) {
    case AS_TURNED: CHECK_STATUS(stria_transpose(base, 0, 1, &y, NULL), STRIA_OK); break;
    case AS_STEP: CHECK_STATUS(stria_slice(base, 1, 0, STRIA_INT_NONE, 2, &y, NULL), STRIA_OK); break;
    case AS_FLIPPED: CHECK_STATUS(stria_flip(base, (const int[]){1}, 1, &y, NULL), STRIA_OK); break;
    case AS_SHIFTED:
        CHECK_STATUS(stria_slice(base, 0, 1, STRIA_INT_NONE, 1, &part, NULL), STRIA_OK);
        CHECK_STATUS(stria_view(part, shape, 2, &y, NULL), STRIA_OK);
        break;
    default: return base;
    }
    stria_tensor_release(part);
    stria_tensor_release(base);
    return y;
}

stria_tensor *cuda_case_new(stria_device device, stria_dtype dtype, cuda_layout layout, uint64_t seed)
{
    static const struct {
        int     ndim;
        int64_t shape[2];
    } bases[] = {[AS_PACKED] = {2, {CUDA_ROWS, CUDA_COLUMNS}},
                 [AS_TURNED] = {2, {CUDA_COLUMNS, CUDA_ROWS}},
                 [AS_STEP] = {2, {CUDA_ROWS, 2 * CUDA_COLUMNS}},
                 [AS_FLIPPED] = {2, {CUDA_ROWS, CUDA_COLUMNS}},
                 [AS_SHIFTED] = {1, {CUDA_ROWS * CUDA_COLUMNS + 1}},
                 [AS_ROW] = {1, {CUDA_COLUMNS}},
                 [AS_COLUMN] = {2, {CUDA_ROWS, 1}},
                 [AS_ONE] = {0, {0}},
                 [AS_RUN] = {1, {1031}},
                 [AS_CPU] = {0, {0}}};

    if (layout == AS_NUMBER) return new_number(dtype, seed);
    stria_tensor *base = new_base(dtype, bases[layout].ndim, bases[layout].shape, seed);
    if (layout == AS_CPU || device.type == STRIA_DEVICE_CPU) return look(base, layout);
    stria_tensor *moved = cuda_case_to_device(base, device);
    stria_tensor_release(base);
    return look(moved, layout);
}

void cuda_case_check_same(const char *what, const stria_tensor *x, const stria_tensor *y)
{
    const int64_t size = (int64_t)stria_dtype_get_size(y->dtype);
    int64_t       differ = 0, first = -1;
    char          one[64] = "", other[64] = "";

    CHECK(x->device.type == STRIA_DEVICE_CUDA, "%s: the result is on %s", what, stria_device_get_name(x->device));
    CHECK(x->dtype == y->dtype && stria_tensor_has_shape(x, y->ndim, y->shape), "%s: %s, not %s, or another shape",
          what, stria_dtype_get_name(x->dtype), stria_dtype_get_name(y->dtype));
    if (x->dtype != y->dtype || !stria_tensor_has_shape(x, y->ndim, y->shape)) return;
    stria_tensor *a = cuda_case_to_cpu(x), *b = cuda_case_to_cpu(y);
    for (int64_t k = 0; k < b->numel; k++) {
        if (value_same(b->dtype, a->data + k * size, b->data + k * size)) continue;
        if (differ++ == 0) first = k;
    }
    if (first >= 0) {
        value_print(b->dtype, a->data + first * size, one, sizeof one);
        value_print(b->dtype, b->data + first * size, other, sizeof other);
    }
    CHECK(differ == 0, "%s: %d of %d elements differ from the CPU's; element %d is %s, not %s", what, (int)differ,
          (int)b->numel, (int)first, one, other);
    stria_tensor_release(a);
    stria_tensor_release(b);
}
