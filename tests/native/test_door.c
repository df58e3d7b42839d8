/* test_door.c - the door (call/call.h): views and copies into given tensors, recorders; strides that no element is reached by. */
#include <string.h>

#include "call/call.h"
#include "oracle.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define AXES(...) ((const int[]){__VA_ARGS__})

static const float grid[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static stria_tensor *new_f32(int ndim, const int64_t *shape, const float *values)
{
    stria_tensor *x;
    int64_t       n = 1;

    for (int d = 0; d < ndim; d++) n *= shape[d];
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, ndim, shape, values, (size_t)n * 4, &x, NULL), STRIA_OK);
    return x;
}

/* x is row-major and has these n elements, and was written to. Ends it. */
static void check_written(const char *what, stria_tensor *x, int n, const float *values)
{
    CHECK(x->numel == n && stria_tensor_is_contiguous(x), "%s: %lld elements", what, (long long)x->numel);
    CHECK(memcmp(x->data, values, (size_t)n * 4) == 0, "%s: the elements differ", what);
    CHECK(x->storage->version > 0, "%s: not counted as a write", what);
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- views into given tensors */

static void check_given_views(void)
{
    static const float zeros[9] = {0}, transposed[9] = {1, 4, 7, 2, 5, 8, 3, 6, 9};
    stria_tensor      *x = new_f32(2, SHAPE(3, 3), grid);
    stria_tensor      *y = new_f32(1, SHAPE(3), zeros);

    CHECK_STATUS(stria_select_out(x, 0, 1, y, NULL), STRIA_OK);
    check_written("select", y, 3, &grid[3]);
    y = new_f32(2, SHAPE(3, 3), zeros);
    CHECK_STATUS(stria_transpose_out(x, 0, 1, y, NULL), STRIA_OK);
    check_written("transpose", y, 9, transposed);
    y = new_f32(2, SHAPE(3, 3), zeros);
    CHECK_STATUS(stria_contiguous_out(x, y, NULL), STRIA_OK);
    check_written("contiguous", y, 9, grid);
    y = new_f32(1, SHAPE(9), zeros);
    CHECK_STATUS(stria_reshape_out(x, SHAPE(9), 1, y, NULL), STRIA_OK);
    check_written("reshape", y, 9, grid);
    y = new_f32(1, SHAPE(1), zeros);
    CHECK_STATUS(stria_view_out(x, SHAPE(9), 1, y, NULL), STRIA_OK);
    check_written("view, resized", y, 9, grid);
    CHECK_STATUS(stria_transpose_out(x, 0, 1, x, NULL), STRIA_OK); /* memory in common does no harm */
    check_written("transpose into itself", x, 9, transposed);
}

/* Who borrows memory may write to it. */
static void check_borrowed(void)
{
    stria_tensor *x = new_f32(1, SHAPE(9), grid), *held;

    CHECK_STATUS(stria_tensor_borrow(x, &held, NULL), STRIA_OK);
    stria_tensor_give_back(held, true);
    check_written("borrow", x, 9, grid);
}

/* ---------------------------------------------------------------- recorders */

typedef struct log {
    int           n_calls, n_others;
    stria_row     row;
    stria_tensor *x;
} log;

static stria_status count_other(void *context, const stria_call *call, bool *is_taken, stria_error *err)
{
    (void)call, (void)is_taken, (void)err;
    ((log *)context)->n_others++;
    return STRIA_OK;
}

/* Calls the library, which is not recorded, and at the second call hands over to another recorder. */
static stria_status count(void *context, const stria_call *call, bool *is_taken, stria_error *err)
{
    log          *l = context;
    stria_tensor *y;

    l->n_calls++;
    l->row = call->row;
    CHECK_STATUS(stria_neg(l->x, &y, err), STRIA_OK);
    stria_tensor_release(y);
    if (l->n_calls == 2) stria_call_set_recorder(count_other, l);
    *is_taken = false;
    return STRIA_OK;
}

static void check_recorder(void)
{
    log           l = {.x = new_f32(1, SHAPE(9), grid)};
    stria_tensor *y = NULL;
    stria_error   err;

    stria_call_set_recorder(count, &l);
    CHECK_STATUS(stria_exp(l.x, &y, NULL), STRIA_OK);
    stria_tensor_release(y);
    CHECK(l.n_calls == 1 && l.row == STRIA_ROW_OF_OP(STRIA_OP_exp), "%d calls, of row %d", l.n_calls, l.row);
    /* the numbers that follow those of the ops are of reductions: not these */
    const stria_tensor *const in[] = {l.x};
    CHECK_STATUS(stria_apply((stria_op)STRIA_OP_COUNT, in, 1, &y, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.op, "apply") == 0 && strcmp(err.argument, "op") == 0, "'%s' of '%s'", err.argument, err.op);
    CHECK_STATUS(stria_apply((stria_op)-1, in, 1, &y, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_reduce((stria_reduction)STRIA_RED_COUNT, l.x, NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL),
                 STRIA_ERR_ARGUMENT);
    CHECK(l.n_calls == 1, "a call of no row was recorded");
    CHECK_STATUS(stria_sum(l.x, NULL, 0, false, &y, NULL), STRIA_OK);
    stria_tensor_release(y);
    CHECK(l.n_calls == 2 && l.row == STRIA_ROW_OF_REDUCTION(STRIA_RED_sum), "%d calls, of row %d", l.n_calls, l.row);
    CHECK_STATUS(stria_flip(l.x, AXES(0), 1, &y, NULL), STRIA_OK);
    stria_tensor_release(y);
    CHECK(l.n_calls == 2 && l.n_others == 1, "%d calls, and %d of the recorder set last", l.n_calls, l.n_others);
    stria_call_set_recorder(NULL, NULL);
    CHECK_STATUS(stria_exp(l.x, &y, NULL), STRIA_OK);
    stria_tensor_release(y);
    CHECK(l.n_others == 1, "recorded after the end");
    stria_tensor_release(l.x);
}

/* ---------------------------------------------------------------- strides of no consequence */

/* Every family on a tensor [1, 1] or [5, 0] whose strides are as large as numbers are. */
static void check_strides(const stria_tensor *x)
{
    stria_tensor *made[12] = {NULL}, *view = NULL;
    int           n = 0;

    CHECK_STATUS(stria_tensor_copy(x, STRIA_F64, &made[n++], NULL), STRIA_OK);
    CHECK_STATUS(stria_add(x, x, &made[n++], NULL), STRIA_OK);
    CHECK_STATUS(stria_sum(x, AXES(1), 1, false, &made[n++], NULL), STRIA_OK);
    CHECK_STATUS(stria_cumsum(x, 0, STRIA_DTYPE_NONE, &made[n++], NULL), STRIA_OK);
    CHECK_STATUS(stria_softmax(x, 0, STRIA_DTYPE_NONE, &made[n++], NULL), STRIA_OK);
    CHECK_STATUS(stria_var(x, AXES(0), 1, 0, false, &made[n++], NULL), STRIA_OK);
    CHECK_STATUS(stria_flip((stria_tensor *)(uintptr_t)x, AXES(0, 1), 2, &view, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(view, STRIA_F32, &made[n++], NULL), STRIA_OK);
    stria_tensor_release(view);
    CHECK_STATUS(stria_transpose((stria_tensor *)(uintptr_t)x, 0, 1, &view, NULL), STRIA_OK);
    CHECK_STATUS(stria_matmul(view, x, &made[n++], NULL), STRIA_OK);
    stria_tensor_release(view);
    for (int k = 0; k < n; k++) stria_tensor_release(made[k]);
}

static void check_large_strides(void)
{
    static float         memory[4] = {3, 0, 0, 0};
    static const int64_t strides[] = {INT64_MIN, INT64_MAX};
    stria_tensor        *x, *y, *z;

    for (int k = 0; k < 2; k++) {
        CHECK_STATUS(stria_tensor_new_external(STRIA_F32, 2, k ? SHAPE(5, 0) : SHAPE(1, 1), strides, memory, NULL, NULL,
                                               &x, NULL),
                     STRIA_OK);
        check_strides(x);
        stria_tensor_release(x);
    }
    /* a step so large that one element is left */
    const stria_scalar two = {STRIA_SCALAR_INT, 2, 0, 0};
    CHECK_STATUS(stria_full(SHAPE(5), 1, two, STRIA_I64, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(x, 0, STRIA_INT_NONE, STRIA_INT_NONE, (int64_t)1 << 62, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_bincount(y, y, 0, &z, NULL), STRIA_OK);
    CHECK(z->numel == 3 && ((const double *)(const void *)z->data)[2] == 2, "%lld counts", (long long)z->numel);
    stria_tensor_release(z);
    stria_tensor_release(y);
    CHECK_STATUS(stria_slice(x, 0, STRIA_INT_NONE, STRIA_INT_NONE, INT64_MIN, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(y, STRIA_C128, &z, NULL), STRIA_OK);
    stria_tensor_release(z);
    stria_tensor_release(y);
    stria_tensor_release(x);
    /* where there are no elements, no slice begins anywhere else */
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, SHAPE((int64_t)1 << 60, 0), &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(x, 0, ((int64_t)1 << 60) - 1, STRIA_INT_NONE, 1, &y, NULL), STRIA_OK);
    CHECK(y->data == x->data && y->numel == 0 && y->shape[0] == 1, "a slice of nothing is elsewhere");
    stria_tensor_release(y);
    stria_tensor_release(x);
}

/* The flat ABI gives words by their numbers. */
static void check_words(void)
{
    const float         element = 1;
    const int64_t       one = 1;
    stria_tensor       *x = NULL, *y = NULL;
    stria_pad_attrs     attrs = {.mode = 0};
    const stria_tensor *in[] = {NULL};
    const stria_call    call = {STRIA_ROW_OF_FUNCTION(STRIA_FN_pad), 0, in, NULL, 0, &attrs, &y, NULL};

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 1, &one, &element, sizeof element, &x, NULL), STRIA_OK);
    in[0] = x;
    for (int number = -1; number <= 5; number++) {
        stria_error err = {0};
        attrs.mode = number;
        const stria_status status = stria_call_run(&call, &err);
        const bool         is_word = number >= 0 && number < 4;
        CHECK((status == STRIA_OK) == is_word, "word %d: %s", number, err.message);
        CHECK(is_word || strcmp(err.argument, "mode") == 0, "word %d: argument %s", number, err.argument);
        stria_tensor_release(y);
        y = NULL;
    }
    stria_tensor_release(x);
}

SUITE(test_door)
{
    check_isa("test_door");
    check_given_views();
    check_borrowed();
    check_words();
    check_recorder();
    check_large_strides();
    return check_finish("test_door");
}
