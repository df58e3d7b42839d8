/* test_errors.c - bad input through the public interface: each call must give its status, a message that names operation
 * and argument, NULL for its output, and leave the library as it was. */
#include <string.h>

#include "oracle.h"

static stria_error   err;
static stria_tensor *out, *x, *y, *meta;

/* The call was refused with this status; err says so, in the words of `op` (NULL: any). */
static void check_refused(stria_status got, stria_status expected, const char *op, const char *call, int line)
{
    const size_t n = op ? strlen(op) : 0;

    check_status(got, expected, call, __FILE__, line);
    if (got == STRIA_OK) {
        stria_tensor_release(out);
        out = NULL;
        return;
    }
    check_report(err.code == got, __FILE__, line, "%s: err.code is %s", call, stria_status_get_name(err.code));
    check_report(!op || (strcmp(err.op, op) == 0 && strncmp(err.message, op, n) == 0 && err.message[n] == ':'),
                 __FILE__, line, "%s: the message does not begin with '%s': %s", call, op, err.message);
    check_report(strlen(err.message) > n + 4, __FILE__, line, "%s: no message", call);
    check_report(out == NULL, __FILE__, line, "%s: out is not NULL", call);
    memset(&err, 0, sizeof err);
    out = NULL;
}

#define REFUSED(call, status, op)                                   \
    do {                                                            \
        out = (stria_tensor *)&err; /* must become NULL */          \
        check_refused((call), STRIA_##status, op, #call, __LINE__); \
    } while (0)

#define BIG ((int64_t)1 << 32)
#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define AXES(...) ((const int[]){__VA_ARGS__})

static int64_t many[100];

static void check_creation(void)
{
    float data[4] = {0};

    REFUSED(stria_tensor_new(STRIA_F32, 1, SHAPE(-1), &out, &err), ERR_SHAPE, "tensor");
    REFUSED(stria_tensor_new(STRIA_F32, 2, SHAPE(3, INT64_MIN), &out, &err), ERR_SHAPE, "tensor");
    REFUSED(stria_tensor_new(STRIA_F32, 2, SHAPE(0, -7), &out, &err), ERR_SHAPE, "tensor");
    REFUSED(stria_tensor_new(STRIA_F32, 65, many, &out, &err), ERR_SHAPE, "tensor");
    REFUSED(stria_tensor_new(STRIA_F32, INT32_MAX, many, &out, &err), ERR_SHAPE, "tensor");
    REFUSED(stria_tensor_new(STRIA_F32, -1, many, &out, &err), ERR_SHAPE, "tensor");
    REFUSED(stria_tensor_new(STRIA_F32, 2, NULL, &out, &err), ERR_ARGUMENT, "tensor");
    REFUSED(stria_tensor_new(STRIA_DTYPE_NONE, 1, SHAPE(1), &out, &err), ERR_DTYPE, "tensor");
    REFUSED(stria_tensor_new(STRIA_DTYPE_COUNT, 1, SHAPE(1), &out, &err), ERR_DTYPE, "tensor");
    REFUSED(stria_tensor_new((stria_dtype)12345, 1, SHAPE(1), &out, &err), ERR_DTYPE, "tensor");
    REFUSED(stria_tensor_new(STRIA_F32, 2, SHAPE(BIG, BIG), &out, &err), ERR_OVERFLOW, "tensor");
    REFUSED(stria_tensor_new(STRIA_U8, 2, SHAPE(BIG, BIG / 2), &out, &err), ERR_OVERFLOW, "tensor"); /* 2^63 */
    REFUSED(stria_tensor_new(STRIA_F32, 1, SHAPE(INT64_MAX), &out, &err), ERR_OVERFLOW, "tensor");
    REFUSED(stria_tensor_new(STRIA_C128, 1, SHAPE(INT64_MAX / 16 + 1), &out, &err), ERR_OVERFLOW, "tensor");
    REFUSED(stria_tensor_new(STRIA_F32, 3, SHAPE(0, BIG, BIG), &out, &err), ERR_OVERFLOW, "tensor");
    if (sizeof(void *) == 8) {
        /* fits 2^63, beyond 2^53, and beyond any machine */
        REFUSED(stria_tensor_new(STRIA_U8, 1, SHAPE(((int64_t)1 << 53) + 1), &out, &err), ERR_MEMORY, "tensor");
        REFUSED(stria_tensor_new(STRIA_U8, 1, SHAPE(INT64_MAX), &out, &err), ERR_MEMORY, "tensor");
    } else {
        REFUSED(stria_tensor_new(STRIA_U8, 1, SHAPE(((int64_t)1 << 53) + 1), &out, &err), ERR_OVERFLOW, "tensor");
    }
    REFUSED(stria_tensor_new_meta(STRIA_U8, 2, SHAPE(BIG, BIG), &out, &err), ERR_OVERFLOW, "tensor");
    REFUSED(stria_tensor_new_strided(STRIA_F32, 1, SHAPE(2), SHAPE(-1), &out, &err), ERR_ARGUMENT, "tensor");
    REFUSED(stria_tensor_new_strided(STRIA_F32, 1, SHAPE(2), NULL, &out, &err), ERR_ARGUMENT, "tensor");
    REFUSED(stria_tensor_new_strided(STRIA_F32, 1, SHAPE(3), SHAPE(INT64_MAX), &out, &err), ERR_OVERFLOW, "tensor");
    REFUSED(stria_tensor_new_strided(STRIA_F32, 1, SHAPE(2), SHAPE(INT64_MAX), &out, &err), ERR_OVERFLOW, "tensor");
    REFUSED(stria_tensor_new_copy_of(STRIA_F32, 1, SHAPE(4), data, 15, &out, &err), ERR_ARGUMENT, "tensor");
    REFUSED(stria_tensor_new_copy_of(STRIA_F32, 1, SHAPE(4), data, 17, &out, &err), ERR_ARGUMENT, "tensor");
    REFUSED(stria_tensor_new_copy_of(STRIA_F32, 1, SHAPE(4), NULL, 16, &out, &err), ERR_ARGUMENT, "tensor");
    REFUSED(stria_tensor_new_external(STRIA_F32, 1, SHAPE(4), NULL, NULL, NULL, NULL, &out, &err), ERR_ARGUMENT,
            "tensor");
    REFUSED(stria_tensor_new_external(STRIA_F32, 1, SHAPE(4), SHAPE(INT64_MIN), data, NULL, NULL, &out, &err),
            ERR_OVERFLOW, "tensor");
    REFUSED(stria_tensor_new_scalar((stria_scalar){.kind = (stria_scalar_kind)9}, &out, &err), ERR_ARGUMENT, "tensor");
    REFUSED(stria_tensor_new_full(STRIA_F32, 1, SHAPE(-1), (stria_scalar){.kind = STRIA_SCALAR_INT}, &out, &err),
            ERR_SHAPE, NULL);
    REFUSED(stria_tensor_new_full((stria_dtype)99, 1, SHAPE(1), (stria_scalar){.kind = STRIA_SCALAR_INT}, &out, &err),
            ERR_DTYPE, NULL);
}

/* Nothing may be written where out, or a tensor, is NULL. */
static void check_nulls(void)
{
    void  *bytes;
    size_t nbytes;

    out = NULL;
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 0, NULL, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_new_meta(STRIA_F32, 0, NULL, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_new_strided(STRIA_F32, 1, SHAPE(1), SHAPE(1), NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT}, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 0, NULL, "1234", 4, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_new_full(STRIA_F32, 0, NULL, (stria_scalar){.kind = STRIA_SCALAR_INT}, NULL, NULL),
                 STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_view_slice(x, 0, 0, 1, 1, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_view_slice(NULL, 0, 0, 1, 1, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_view_permute(x, NULL, 2, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_view_flip(x, NULL, 1, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_view_shape(x, 1, NULL, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_view_expand(x, 2, NULL, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_copy(NULL, STRIA_F32, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_copy(x, STRIA_F32, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_set(NULL, x, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_set(x, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_contiguous(NULL, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_reshape(x, 0, NULL, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_npy_get(NULL, 10, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_npy_get("x", 1, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_npy_get(NULL, 0, &out, NULL), STRIA_ERR_FORMAT);
    CHECK_STATUS(stria_npy_copy(NULL, &bytes, &nbytes, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_npy_copy(x, NULL, &nbytes, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_npy_copy(x, &bytes, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_npy_get_file(NULL, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_npy_set_file(NULL, x, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_add(x, NULL, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_add(x, x, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_sum(NULL, NULL, 0, false, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_sum(x, NULL, 0, false, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK(out == NULL, "an output after an error");
}

static void check_views(void)
{
    stria_tensor *scalar = NULL, *wide = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 0, NULL, &scalar, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_U8, 64, many, &wide, NULL), STRIA_OK);
    REFUSED(stria_tensor_view_slice(x, 2, 0, 1, 1, &out, &err), ERR_AXIS, "slice");
    REFUSED(stria_tensor_view_slice(x, -3, 0, 1, 1, &out, &err), ERR_AXIS, "slice");
    REFUSED(stria_tensor_view_slice(x, INT32_MIN, 0, 1, 1, &out, &err), ERR_AXIS, "slice");
    REFUSED(stria_tensor_view_slice(x, 0, 0, 1, 0, &out, &err), ERR_ARGUMENT, "slice");
    REFUSED(stria_tensor_view_slice(scalar, 0, 0, 1, 1, &out, &err), ERR_AXIS, "slice");
    REFUSED(stria_tensor_view_select(x, 0, 2, &out, &err), ERR_ARGUMENT, "select");
    REFUSED(stria_tensor_view_select(x, 0, -3, &out, &err), ERR_ARGUMENT, "select");
    REFUSED(stria_tensor_view_select(x, 1, INT64_MIN, &out, &err), ERR_ARGUMENT, "select");
    REFUSED(stria_tensor_view_select(scalar, 0, 0, &out, &err), ERR_AXIS, "select");
    REFUSED(stria_tensor_view_transpose(x, 0, 2, &out, &err), ERR_AXIS, "transpose");
    REFUSED(stria_tensor_view_transpose(scalar, 1, 0, &out, &err), ERR_AXIS, "transpose");
    REFUSED(stria_tensor_view_permute(x, AXES(0, 0), 2, &out, &err), ERR_AXIS, "permute");
    REFUSED(stria_tensor_view_permute(x, AXES(1, -1), 2, &out, &err), ERR_AXIS, "permute");
    REFUSED(stria_tensor_view_permute(x, AXES(0, 2), 2, &out, &err), ERR_AXIS, "permute");
    REFUSED(stria_tensor_view_permute(x, AXES(0), 1, &out, &err), ERR_ARGUMENT, "permute");
    REFUSED(stria_tensor_view_permute(x, AXES(0), -1, &out, &err), ERR_ARGUMENT, "permute");
    REFUSED(stria_tensor_view_flip(x, AXES(0), -1, &out, &err), ERR_ARGUMENT, "flip");
    REFUSED(stria_tensor_view_flip(x, AXES(1, 1), 2, &out, &err), ERR_AXIS, "flip");
    REFUSED(stria_tensor_view_shape(x, 1, SHAPE(7), &out, &err), ERR_SHAPE, "view");
    REFUSED(stria_tensor_view_shape(x, 2, SHAPE(-1, -1), &out, &err), ERR_SHAPE, "view");
    REFUSED(stria_tensor_view_shape(x, 2, SHAPE(-1, 4), &out, &err), ERR_SHAPE, "view");
    REFUSED(stria_tensor_view_shape(x, 2, SHAPE(-1, 0), &out, &err), ERR_SHAPE, "view");
    REFUSED(stria_tensor_view_shape(x, 2, SHAPE(-2, -3), &out, &err), ERR_SHAPE, "view");
    REFUSED(stria_tensor_view_shape(x, 2, SHAPE(BIG, BIG), &out, &err), ERR_OVERFLOW, "view");
    REFUSED(stria_tensor_view_shape(x, 65, many, &out, &err), ERR_SHAPE, "view");
    REFUSED(stria_tensor_view_shape(x, -1, many, &out, &err), ERR_SHAPE, "view");
    REFUSED(stria_tensor_reshape(x, 2, SHAPE(-1, 4), &out, &err), ERR_SHAPE, "reshape");
    REFUSED(stria_tensor_reshape(x, 1, SHAPE(INT64_MIN), &out, &err), ERR_SHAPE, "reshape");
    REFUSED(stria_tensor_view_expand(x, 2, SHAPE(3, 3), &out, &err), ERR_SHAPE, "expand");
    REFUSED(stria_tensor_view_expand(x, 1, SHAPE(3), &out, &err), ERR_SHAPE, "expand");
    REFUSED(stria_tensor_view_expand(x, 3, SHAPE(-1, 2, 3), &out, &err), ERR_SHAPE, "expand");
    REFUSED(stria_tensor_view_expand(x, 4, SHAPE(BIG, BIG, 2, 3), &out, &err), ERR_OVERFLOW, "expand");
    REFUSED(stria_tensor_view_expand(x, 65, many, &out, &err), ERR_SHAPE, "expand");
    REFUSED(stria_tensor_view_squeeze(x, AXES(2), 1, &out, &err), ERR_AXIS, "squeeze");
    REFUSED(stria_tensor_view_squeeze(x, AXES(0, -2), 2, &out, &err), ERR_AXIS, "squeeze");
    REFUSED(stria_tensor_view_unsqueeze(x, 3, &out, &err), ERR_AXIS, "unsqueeze");
    REFUSED(stria_tensor_view_unsqueeze(x, -4, &out, &err), ERR_AXIS, "unsqueeze");
    REFUSED(stria_tensor_view_unsqueeze(wide, 0, &out, &err), ERR_SHAPE, "unsqueeze");
    REFUSED(stria_tensor_view_diagonal(x, 0, 1, 1, &out, &err), ERR_AXIS, "diagonal");
    REFUSED(stria_tensor_view_diagonal(x, 0, 1, -1, &out, &err), ERR_AXIS, "diagonal");
    REFUSED(stria_tensor_view_diagonal(x, 0, 0, 2, &out, &err), ERR_AXIS, "diagonal");
    /* far outside, yet legal */
    for (int k = 0; k < 2; k++) {
        CHECK_STATUS(stria_tensor_view_diagonal(x, k ? INT64_MAX : INT64_MIN, 0, 1, &out, NULL), STRIA_OK);
        CHECK(stria_tensor_get_numel(out) == 0, "a diagonal outside the matrix");
        stria_tensor_release(out);
        CHECK_STATUS(stria_tensor_view_slice(x, 1, k ? INT64_MAX : 1 + INT64_MIN, k ? 1 + INT64_MIN : INT64_MAX,
                                             k ? INT64_MIN : INT64_MAX, &out, NULL),
                     STRIA_OK);
        CHECK(stria_tensor_get_shape(out)[1] == 1, "a slice with the largest step");
        stria_tensor_release(out);
    }
    out = NULL;
    stria_tensor_release(wide);
    stria_tensor_release(scalar);
}

static void check_computing(void)
{
    stria_tensor       *four = NULL, *flags = NULL;
    const stria_tensor *in[4] = {x, x, x, x};

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, SHAPE(4), &four, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 2, SHAPE(2, 3), &flags, NULL), STRIA_OK);
    REFUSED(stria_add(x, four, &out, &err), ERR_SHAPE, "add");
    CHECK_STATUS(stria_add(x, four, &out, &err), STRIA_ERR_SHAPE);
    CHECK(strcmp(err.message, "add: shapes [2,3] and [4] do not broadcast at axis 1") == 0, "the message is: %s",
          err.message);
    REFUSED(stria_apply(STRIA_OP_add, in, 1, &out, &err), ERR_ARGUMENT, NULL);
    REFUSED(stria_apply(STRIA_OP_add, in, 4, &out, &err), ERR_ARGUMENT, NULL);
    REFUSED(stria_apply(STRIA_OP_add, in, -1, &out, &err), ERR_ARGUMENT, NULL);
    REFUSED(stria_apply(STRIA_OP_add, NULL, 2, &out, &err), ERR_ARGUMENT, NULL);
    REFUSED(stria_apply((stria_op)9999, in, 2, &out, &err), ERR_ARGUMENT, NULL);
    REFUSED(stria_apply((stria_op)-1, in, 2, &out, &err), ERR_ARGUMENT, NULL);
    REFUSED(stria_sub(flags, flags, &out, &err), ERR_DTYPE, "sub");
    REFUSED(stria_bitwise_and(x, x, &out, &err), ERR_DTYPE, "bitwise_and");
    REFUSED(stria_sum(x, AXES(2), 1, false, &out, &err), ERR_AXIS, "sum");
    REFUSED(stria_sum(x, AXES(-3), 1, false, &out, &err), ERR_AXIS, "sum");
    REFUSED(stria_sum(x, AXES(0, -2), 2, false, &out, &err), ERR_AXIS, "sum");
    REFUSED(stria_reduce((stria_reduction)77, x, NULL, 0, false, STRIA_DTYPE_NONE, &out, &err), ERR_ARGUMENT, NULL);
    REFUSED(stria_reduce(STRIA_RED_sum, x, NULL, 0, false, (stria_dtype)77, &out, &err), ERR_DTYPE, NULL);
    REFUSED(stria_tensor_copy(x, (stria_dtype)77, &out, &err), ERR_DTYPE, NULL);
    out = NULL;
    check_refused(stria_apply_out(STRIA_OP_add, in, 2, flags, &err), STRIA_ERR_DTYPE, "add", "f32 into bool", __LINE__);
    in[1] = four;
    check_refused(stria_apply_out(STRIA_OP_add, in, 2, x, &err), STRIA_ERR_SHAPE, "add", "in-place", __LINE__);
    check_refused(stria_apply_out(STRIA_OP_add, in, 2, NULL, &err), STRIA_ERR_ARGUMENT, NULL, "out NULL", __LINE__);
    stria_tensor_release(four);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, SHAPE(0, 3), &four, NULL), STRIA_OK);
    REFUSED(stria_amax(four, NULL, 0, false, &out, &err), ERR_EMPTY, "amax");
    stria_tensor_release(four);
    stria_tensor_release(flags);
}

/* Broadcasting makes a result of 2^40 elements out of little; the limit refuses it. */
static void check_limit(void)
{
    stria_tensor            *column = NULL, *row = NULL;
    const stria_memory_stats before = stria_memory_get_stats();

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, SHAPE(1 << 10, 1), &column, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, SHAPE(1 << 12), &row, NULL), STRIA_OK);
    stria_memory_set_limit(stria_memory_get_stats().live_bytes + (1 << 20));
    const stria_tensor    *in[] = {column, row};
    const stria_expression sum = {2, 0, 1, NULL, &(stria_instruction){STRIA_OP_add, {0, 1}}};
    REFUSED(stria_add(column, row, &out, &err), ERR_MEMORY, "add");
    stria_tensor *line = NULL, *wide = NULL, *bools = NULL;
    CHECK_STATUS(stria_tensor_view_unsqueeze(row, 0, &line, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_view_expand(column, 2, SHAPE(1 << 10, 1 << 12), &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 0, NULL, &bools, NULL), STRIA_OK);
    *(char *)stria_tensor_get_data(bools) = 1;
    REFUSED(stria_matmul(column, line, &out, &err), ERR_MEMORY, "matmul");
    REFUSED(stria_neg(wide, &out, &err), ERR_MEMORY, "neg");
    REFUSED(stria_cumsum(wide, 0, STRIA_DTYPE_NONE, &out, &err), ERR_MEMORY, "cumsum");
    REFUSED(stria_softmax(wide, 0, STRIA_DTYPE_NONE, &out, &err), ERR_MEMORY, "softmax");
    REFUSED(stria_masked_select(wide, bools, &out, &err), ERR_MEMORY, "masked_select");
    REFUSED(stria_expression_apply(&sum, in, &out, &err), ERR_MEMORY, "expression");
    REFUSED(stria_tensor_copy(wide, STRIA_F64, &out, &err), ERR_MEMORY, "copy");
    REFUSED(stria_tensor_contiguous(wide, &out, &err), ERR_MEMORY, "contiguous");
    REFUSED(stria_tensor_reshape(wide, 1, SHAPE(-1), &out, &err), ERR_MEMORY, "reshape");
    REFUSED(stria_tensor_new_full(STRIA_F32, 1, SHAPE(1 << 19), (stria_scalar){0}, &out, &err), ERR_MEMORY, "full");
    stria_tensor_release(line);
    stria_tensor_release(wide);
    stria_tensor_release(bools);
    REFUSED(stria_tensor_new(STRIA_F32, 1, SHAPE(1 << 19), &out, &err), ERR_MEMORY, "tensor");
    CHECK_STATUS(stria_add(column, column, &out, NULL), STRIA_OK);
    stria_tensor_release(out);
    stria_memory_set_limit(0);
    CHECK_STATUS(stria_add(column, row, &out, NULL), STRIA_OK);
    stria_tensor_release(out);
    stria_tensor_release(column);
    stria_tensor_release(row);
    out = NULL;
    CHECK(stria_memory_get_stats().live_bytes == before.live_bytes, "bytes are left");
}

static void check_names(void)
{
    CHECK(strcmp(stria_status_get_name(STRIA_ERR_SHAPE), "ERR_SHAPE") == 0, "name of a status");
    CHECK(strcmp(stria_status_get_name((stria_status)999), "unknown") == 0, "name of no status");
    CHECK(strcmp(stria_status_get_text((stria_status)-5), "unknown") == 0, "text of no status");
    CHECK(strcmp(stria_dtype_get_name((stria_dtype)-1), "none") == 0, "name of no dtype");
    CHECK(strcmp(stria_dtype_get_name(STRIA_BF16), "bf16") == 0, "name of a dtype");
    CHECK(stria_dtype_get_size((stria_dtype)99) == 0 && stria_dtype_get_size(STRIA_C128) == 16, "sizes");
}

/* Long texts are cut, at whole characters. */
static void check_cutting(void)
{
    char path[2000] = "", tail[8];

    for (size_t k = 0; k + 2 < 1500; k += 2) memcpy(path + k, "\xC3\xA9", 3); /* e with acute, two bytes */
    memset(&err, 0x55, sizeof err);
    CHECK_STATUS(stria_npy_get_file(path, &out, &err), STRIA_ERR_IO);
    CHECK(memchr(err.message, 0, sizeof err.message) && memchr(err.got, 0, sizeof err.got), "texts end");
    const size_t n = strlen(err.got), m = strlen(err.message);
    CHECK(n >= sizeof err.got - 3 && n % 2 == 0, "%zu bytes of two-byte characters", n);
    memcpy(tail, err.message + m - 2, 3);
    CHECK(strcmp(tail, "\xC3\xA9") == 0, "the message ends in half a character");
    for (int d = 0; d < 64; d++) many[d] = 1000000;
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 64, many, &out, &err), STRIA_ERR_OVERFLOW);
    CHECK(strstr(err.got, ",..]") != NULL, "a long shape is shortened: %s", err.got);
}

SUITE(test_errors)
{
    check_isa("test_errors");
    for (int d = 0; d < 100; d++) many[d] = 1;
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, SHAPE(2, 3), &x, NULL), STRIA_OK);
    memset(stria_tensor_get_data(x), 0, 24);
    check_creation();
    check_nulls();
    check_views();
    check_computing();
    check_limit();
    check_names();
    check_cutting();
    CHECK_STATUS(stria_add(x, x, &y, NULL), STRIA_OK); /* the library still works */
    stria_tensor_release(y);
    CHECK_STATUS(stria_tensor_new_meta(STRIA_F32, 2, SHAPE(2, 3), &meta, NULL), STRIA_OK);
    CHECK_STATUS(stria_add(meta, meta, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_device(y) == STRIA_DEVICE_META, "meta in, meta out");
    stria_tensor_release(y);
    stria_tensor_release(meta);
    stria_tensor_release(x);
    CHECK(stria_memory_get_stats().live_storages == 0, "storages are left");
    return check_finish("test_errors");
}
