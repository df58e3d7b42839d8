/* test_compose.c - composites (call/compose.h): how they run, and stack and flatten element by element. */
#include <string.h>

#include "call/call.h"
#include "call/compose.h"
#include "oracle.h"
#include "refused.h"

/* ---------------------------------------------------------------- stack */

static void check_stacked(const stria_tensor *const *parts, int n, int axis, const stria_tensor *y)
{
    const int64_t *shape = stria_tensor_get_shape(y);
    int64_t        index[STRIA_MAX_DIMS] = {0}, source[STRIA_MAX_DIMS];

    CHECK(stria_tensor_get_ndim(y) == stria_tensor_get_ndim(parts[0]) + 1 && shape[axis] == n, "shape");
    do {
        int used = 0;
        for (int d = 0; d < stria_tensor_get_ndim(y); d++)
            if (d != axis) source[used++] = index[d];
        CHECK(memcmp(tensor_at(y, index), tensor_at(parts[index[axis]], source), 4) == 0, "part %d", (int)index[axis]);
    } while (index_next(stria_tensor_get_ndim(y), shape, index));
}

static void test_stack(void)
{
    static const int64_t shape[] = {3, 5};
    static const layout  kinds[] = {LAYOUT_TRANSPOSED, LAYOUT_CONTIGUOUS, LAYOUT_FLIPPED};
    random_state         random = {5};
    stria_tensor        *parts[3], *y = NULL, *out = NULL;

    for (int k = 0; k < 3; k++) parts[k] = tensor_random(&random, STRIA_I32, kinds[k], 2, shape, -9, 9);
    const stria_tensor *const list[] = {parts[0], parts[1], parts[2]};
    for (int axis = -3; axis < 3; axis++) {
        CHECK_STATUS(stria_stack(list, 3, axis, &y, NULL), STRIA_OK);
        if (y) check_stacked(list, 3, axis < 0 ? axis + 3 : axis, y);
        stria_tensor_release(y);
    }
    /* into a tensor of another shape, and of another dtype */
    CHECK_STATUS(stria_tensor_new(STRIA_I32, 1, (const int64_t[]){2}, &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_stack_out(list, 3, 1, out, NULL), STRIA_OK);
    check_stacked(list, 3, 1, out);
    stria_tensor_release(out);
    CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 1, (const int64_t[]){2}, &out, NULL), STRIA_OK);
    REFUSED(stria_stack_out(list, 3, 1, out, &err), STRIA_ERR_DTYPE, "stack", "out", "i32 does not cast to an out of");
    CHECK(stria_tensor_get_ndim(out) == 1, "a refused out keeps its shape");
    REFUSED(stria_stack(NULL, 0, 0, &y, &err), STRIA_ERR_ARGUMENT, "stack", "tensors", "tensors is empty");
    REFUSED(stria_stack((const stria_tensor *const[]){parts[0], out}, 2, 0, &y, &err), STRIA_ERR_SHAPE, "stack",
            "tensors[1]", "tensors[1] has shape [2]");
    REFUSED(stria_stack(list, 3, 3, &y, &err), STRIA_ERR_AXIS, "stack", "dim", "axis 3");
    CHECK(y == NULL, "the output of a refused call");
    stria_tensor_release(out);
    for (int k = 0; k < 3; k++) stria_tensor_release(parts[k]);
}

/* ---------------------------------------------------------------- flatten */

static void check_flat(stria_tensor *x, int start, int end, int ndim, const int64_t *shape, bool is_view)
{
    stria_tensor *y = NULL;

    CHECK_STATUS(stria_flatten(x, start, end, &y, NULL), STRIA_OK);
    if (!y) return;
    CHECK(stria_tensor_has_shape(y, ndim, shape), "shape of %d .. %d", start, end);
    CHECK((y->storage == x->storage) == is_view, "a view where possible");
    for (int64_t k = 0; k < stria_tensor_get_numel(y); k++) {
        int64_t from[STRIA_MAX_DIMS], to[STRIA_MAX_DIMS], rest = k, other = k;
        for (int d = x->ndim - 1; d >= 0; rest /= x->shape[d--]) from[d] = rest % x->shape[d];
        for (int d = ndim - 1; d >= 0; other /= shape[d--]) to[d] = other % shape[d];
        CHECK(memcmp(tensor_at(x, from), tensor_at(y, to), 4) == 0, "element %d", (int)k);
    }
    stria_tensor_release(y);
}

static void test_flatten(void)
{
    static const int64_t shape[] = {2, 3, 4}, all[] = {24}, first[] = {6, 4}, last[] = {2, 12}, one[] = {1};
    random_state         random = {6};
    stria_tensor        *x = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 3, shape, -9, 9), *turned = NULL;
    stria_tensor        *single = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 0, NULL, -9, 9), *y = NULL;

    check_flat(x, 0, -1, 1, all, true);
    check_flat(x, 0, 1, 2, first, true);
    check_flat(x, -2, 2, 2, last, true);
    check_flat(x, 1, 1, 3, shape, true);
    check_flat(single, 0, -1, 1, one, true);
    CHECK_STATUS(stria_transpose(x, 0, 2, &turned, NULL), STRIA_OK);
    check_flat(turned, 0, -1, 1, all, false);
    REFUSED(stria_flatten(x, 2, 1, &y, &err), STRIA_ERR_AXIS, "flatten", "end_dim", "end_dim 1 lies before");
    REFUSED(stria_flatten(x, 3, 1, &y, &err), STRIA_ERR_AXIS, "flatten", "start_dim", "axis 3");
    REFUSED(stria_flatten(x, 0, -4, &y, &err), STRIA_ERR_AXIS, "flatten", "end_dim", "axis -4");
    REFUSED(stria_flatten(NULL, 0, -1, &y, &err), STRIA_ERR_ARGUMENT, "flatten", "x", "x is NULL");
    stria_tensor_release(x), stria_tensor_release(turned), stria_tensor_release(single);
}

/* ---------------------------------------------------------------- how they run */

typedef struct seen {
    stria_row rows[8];
    int       n;
} seen;

static stria_status note_row(void *context, const stria_call *call, bool *is_taken, stria_error *err)
{
    seen *s = context;
    (void)err;
    if (s->n < 8) s->rows[s->n++] = call->row;
    *is_taken = false;
    return STRIA_OK;
}

/* Recorders see the calls that a composite is made of, in their order. */
static void test_recorder(void)
{
    static const int64_t shape[] = {2};
    stria_tensor        *x = NULL, *y = NULL;
    seen                 s = {{0}, 0};

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, shape, &x, NULL), STRIA_OK);
    stria_call_set_recorder(note_row, &s);
    CHECK_STATUS(stria_stack((const stria_tensor *const[]){x, x}, 2, 0, &y, NULL), STRIA_OK);
    stria_call_set_recorder(NULL, NULL);
    CHECK(s.n == 3, "%d calls", s.n);
    CHECK(s.rows[0] == STRIA_ROW_OF_FUNCTION(STRIA_FN_unsqueeze) && s.rows[1] == s.rows[0], "two views");
    CHECK(s.rows[2] == STRIA_ROW_OF_FUNCTION(STRIA_FN_cat), "then cat");
    stria_tensor_release(x), stria_tensor_release(y);
}

static void test_meta_device(void)
{
    static const int64_t shape[] = {2, 3};
    stria_tensor        *x = NULL, *y = NULL;

    CHECK_STATUS(stria_empty(shape, 2, STRIA_F32, STRIA_META, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_stack((const stria_tensor *const[]){x, x}, 2, 0, &y, NULL), STRIA_OK);
    CHECK(y && y->device.type == STRIA_DEVICE_META && y->shape[0] == 2 && y->shape[2] == 3, "on meta");
    stria_tensor_release(y);
    stria_tensor_release(x);
}

/* Whatever is asked for first, the last one or the next place. */
static void test_temps(void)
{
    static const int64_t shape[] = {1};
    stria_temps          temps = {{NULL}, 0};
    stria_tensor        *x = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, shape, &x, NULL), STRIA_OK);
    for (int k = 0; k < STRIA_MAX_TEMPS; k++) {
        stria_tensor *before = stria_temps_last(&temps), **place = stria_temps_next(&temps);
        CHECK(place == &temps.at[k] && stria_temps_next(&temps) == place, "place %d", k);
        CHECK(stria_temps_last(&temps) == before, "the last one, when the place was asked for");
        *place = stria_tensor_retain(x);
        CHECK(stria_temps_last(&temps) == x, "the last one, when the place was filled");
    }
    CHECK(stria_temps_next(&temps) == NULL && temps.n == STRIA_MAX_TEMPS - 1, "no place is left");
    CHECK_STATUS(stria_temps_keep(&temps, stria_tensor_retain(x), NULL), STRIA_ERR_MEMORY);
    for (int k = 0; k < STRIA_MAX_TEMPS; k++) stria_tensor_release(temps.at[k]);
    stria_tensor_release(x);
}

SUITE(test_compose)
{
    const int64_t before = stria_memory_get_stats().live_tensors;

    test_stack();
    test_flatten();
    test_recorder();
    test_meta_device();
    test_temps();
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("test_compose");
}
