/* test_changing.c - functions whose results have places or sizes that depend on elements, while another thread changes these: results
 * may be of any moment, but nothing outside of the tensors is read or written, and indices lie inside. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "oracle.h"
#include "sanitized.h"

#if MAY_RACE
#include <pthread.h>

#define N 4096 /* elements */
#define ROUNDS 60
static atomic_bool ends;

/* Different numbers, some NaN. */
static void *change_floats(void *data)
{
    volatile float *at = data;

    for (int64_t k = 0; !atomic_load_explicit(&ends, memory_order_relaxed); k++)
        at[k % N] = k % 1000 == 999 ? NAN : (float)(k % 9999991);
    return NULL;
}

/* Small ones, and for a moment wild ones. */
static void *change_integers(void *data)
{
    volatile int64_t *at = data;

    for (int64_t k = 0; !atomic_load_explicit(&ends, memory_order_relaxed); k++) {
        if (k % 512 == 0) at[k % N] = k % 1024 == 0 ? INT64_C(1) << 40 : -(INT64_C(1) << 40);
        at[k % N] = k % 50;
    }
    return NULL;
}

static void *change_truth(void *data)
{
    volatile uint8_t *at = data;

    for (int64_t k = 0; !atomic_load_explicit(&ends, memory_order_relaxed); k++) at[k % N] = (k / 7) & 1;
    return NULL;
}

static void release(stria_tensor **y, int n)
{
    for (int k = 0; k < n; k++) {
        stria_tensor_release(y[k]);
        y[k] = NULL;
    }
}

/* Indices lie in [0, n). */
static void check_indices(stria_tensor *index, int64_t n, const char *what)
{
    const int64_t *at = index ? stria_tensor_get_const_data(index) : NULL;

    for (int64_t k = 0; at && k < stria_tensor_get_numel(index); k++)
        CHECK(at[k] >= 0 && at[k] < n, "%s: %lld is no index", what, (long long)at[k]);
}

static void call_floats(stria_tensor *x, stria_tensor *half)
{
    stria_tensor *y[3] = {NULL};

    CHECK_STATUS(stria_median(x, 0, false, &y[0], &y[1], NULL), STRIA_OK);
    check_indices(y[1], N, "median"), release(y, 2);
    CHECK_STATUS(stria_nanmedian(x, 0, false, &y[0], &y[1], NULL), STRIA_OK);
    check_indices(y[1], N, "nanmedian"), release(y, 2);
    CHECK_STATUS(stria_mode(x, 0, false, &y[0], &y[1], NULL), STRIA_OK);
    check_indices(y[1], N, "mode"), release(y, 2);
    CHECK_STATUS(stria_sort(x, 0, true, false, &y[0], &y[1], NULL), STRIA_OK);
    check_indices(y[1], N, "sort"), release(y, 2);
    CHECK_STATUS(stria_topk(x, 100, 0, true, false, &y[0], &y[1], NULL), STRIA_OK);
    check_indices(y[1], N, "topk"), release(y, 2);
    CHECK_STATUS(stria_kthvalue(x, 7, 0, false, &y[0], &y[1], NULL), STRIA_OK);
    check_indices(y[1], N, "kthvalue"), release(y, 2);
    CHECK_STATUS(stria_cummax(x, 0, &y[0], &y[1], NULL), STRIA_OK);
    check_indices(y[1], N, "cummax"), release(y, 2);
    CHECK_STATUS(stria_unique(x, true, true, true, STRIA_AXIS_NONE, &y[0], &y[1], &y[2], NULL), STRIA_OK);
    check_indices(y[1], stria_tensor_get_numel(y[0]), "unique"), release(y, 3);
    CHECK_STATUS(stria_unique_consecutive(x, true, true, 0, &y[0], &y[1], &y[2], NULL), STRIA_OK);
    check_indices(y[1], stria_tensor_get_numel(y[0]), "unique_consecutive"), release(y, 3);
    CHECK_STATUS(stria_quantile(x, half, 0, false, "linear", &y[0], NULL), STRIA_OK);
    release(y, 1);
    const stria_status status = stria_histc(x, 10, 0, 0, &y[0], NULL); /* NaN is refused */
    CHECK(status == STRIA_OK || status == STRIA_ERR_ARGUMENT, "histc: status %d", (int)status);
    release(y, 1);
    CHECK_STATUS(stria_nonzero(x, &y[0], NULL), STRIA_OK);
    check_indices(y[0], N, "nonzero"), release(y, 1);
    CHECK_STATUS(stria_searchsorted(x, x, NULL, false, "left", false, &y[0], NULL), STRIA_OK);
    check_indices(y[0], N + 1, "searchsorted"), release(y, 1);
}

static void check_call(stria_status status, const char *what)
{
    CHECK(status == STRIA_OK || status == STRIA_ERR_ARGUMENT || status == STRIA_ERR_SHAPE ||
              status == STRIA_ERR_MEMORY || status == STRIA_ERR_OVERFLOW,
          "%s: status %d", what, (int)status);
}

static void call_integers(stria_tensor *index, stria_tensor *x)
{
    const stria_tensor *list[] = {index, index};
    stria_tensor       *y[1] = {NULL}, *matrix = NULL;

    CHECK_STATUS(stria_unsqueeze(x, 1, &matrix, NULL), STRIA_OK);
    check_call(stria_bincount(index, NULL, 0, y, NULL), "bincount"), release(y, 1);
    check_call(stria_bincount(index, x, 60, y, NULL), "bincount"), release(y, 1);
    check_call(stria_one_hot(index, 60, y, NULL), "one_hot"), release(y, 1);
    check_call(stria_repeat_interleave(x, index, 0, y, NULL), "repeat_interleave"), release(y, 1);
    check_call(stria_embedding(matrix, index, STRIA_INT_NONE, y, NULL), "embedding"), release(y, 1);
    check_call(stria_put(x, index, x, true, y, NULL), "put"), release(y, 1);
    check_call(stria_scatter_add(x, index, x, 0, y, NULL), "scatter_add"), release(y, 1);
    check_call(stria_index(matrix, list, 1, y, NULL), "index"), release(y, 1);
    check_call(stria_index(matrix, list, 2, y, NULL), "index"), release(y, 1);
    stria_tensor_release(matrix);
}

static void call_truth(stria_tensor *mask, stria_tensor *x)
{
    const stria_tensor *list[] = {mask};
    stria_tensor       *y[1] = {NULL};

    check_call(stria_masked_select(x, mask, y, NULL), "masked_select"), release(y, 1);
    check_call(stria_masked_scatter(x, mask, x, y, NULL), "masked_scatter"), release(y, 1);
    check_call(stria_index(x, list, 1, y, NULL), "index"), release(y, 1);
    CHECK_STATUS(stria_nonzero(mask, y, NULL), STRIA_OK);
    check_indices(y[0], N, "nonzero of truth values"), release(y, 1);
}

typedef void call_fn(stria_tensor *changing, stria_tensor *other);

/* Memory behind the elements is no memory, or with `at_end` false that before them. */
static void run(stria_dtype dtype, void *(*change)(void *), call_fn *call, stria_tensor *other, bool at_end)
{
    const int64_t n = N;
    const size_t  nbytes = N * stria_dtype_get_size(dtype);
    guarded       memory = guarded_new(nbytes, at_end);
    stria_tensor *x = NULL;
    pthread_t     thread;

    memset(memory.data, 0, nbytes);
    CHECK_STATUS(stria_tensor_new_external(dtype, 1, &n, NULL, memory.data, NULL, NULL, &x, NULL), STRIA_OK);
    atomic_store(&ends, false);
    if (pthread_create(&thread, NULL, change, memory.data) == 0) {
        for (int k = 0; k < ROUNDS; k++) call(x, other);
        atomic_store(&ends, true);
        pthread_join(thread, NULL);
    }
    stria_tensor_release(x);
    guarded_release(memory);
}
#endif

SUITE(test_changing)
{
    check_isa("test_changing");
#ifdef N
    const int64_t n = N;
    stria_tensor *x = NULL, *half = NULL;

    CHECK_STATUS(stria_ones(&n, 1, STRIA_F32, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = 0.5}, &half, NULL), STRIA_OK);
    for (int at_end = 0; at_end < 2; at_end++) {
        run(STRIA_F32, change_floats, call_floats, half, at_end);
        run(STRIA_I64, change_integers, call_integers, x, at_end);
        run(STRIA_BOOL, change_truth, call_truth, x, at_end);
    }
    stria_tensor_release(x), stria_tensor_release(half);
#endif
    return check_finish("test_changing");
}
