/* test_errors.c - bad input through the public interface: each call must give its status, a message that names operation
 * and argument, NULL for its output, and leave the library as it was. */
#include <string.h>

#include "oracle.h"

static stria_error   err;
static stria_tensor *out, *x, *y, *meta;

/* The call was refused with this status; err says so, all of it: operation, argument, message. */
static void check_refused(stria_status got, stria_status expected, const char *op, const char *argument,
                          const char *message, const char *call, int line)
{
    check_status(got, expected, call, __FILE__, line);
    if (got == STRIA_OK) {
        stria_tensor_release(out);
        out = NULL;
        return;
    }
    CHECK_AT(line, err.code == got, "%s: err.code is %s", call, stria_status_get_name(err.code));
    CHECK_AT(line, strcmp(err.op, op) == 0 && strcmp(err.argument, argument) == 0, "%s: op '%s', argument '%s'", call,
             err.op, err.argument);
    CHECK_AT(line, strcmp(err.message, message) == 0, "%s: the message is '%s'", call, err.message);
    CHECK_AT(line, out == NULL, "%s: out is not NULL", call);
    memset(&err, 0, sizeof err);
    out = NULL;
}

/* `text` is the message behind the operation. */
#define REFUSED(call, status, op, argument, text)                                           \
    do {                                                                                    \
        out = (stria_tensor *)&err; /* must become NULL */                                  \
        check_refused((call), STRIA_##status, op, argument, op ": " text, #call, __LINE__); \
    } while (0)

#define BIG ((int64_t)1 << 32)
#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define AXES(...) ((const int[]){__VA_ARGS__})

static int64_t many[100];

static void check_creation(void)
{
    float data[4] = {0};

    REFUSED(stria_tensor_new(STRIA_F32, 1, SHAPE(-1), &out, &err), ERR_SHAPE, "tensor", "shape",
            "shape [-1] has the negative size -1 at axis 0");
    REFUSED(stria_tensor_new(STRIA_F32, 2, SHAPE(3, INT64_MIN), &out, &err), ERR_SHAPE, "tensor", "shape",
            "shape [3,-9223372036854775808] has the negative size -9223372036854775808 at axis 1");
    REFUSED(stria_tensor_new(STRIA_F32, 2, SHAPE(0, -7), &out, &err), ERR_SHAPE, "tensor", "shape",
            "shape [0,-7] has the negative size -7 at axis 1");
    REFUSED(stria_tensor_new(STRIA_F32, 65, many, &out, &err), ERR_SHAPE, "tensor", "ndim",
            "a tensor has 0 to 64 dims, not 65");
    REFUSED(stria_tensor_new(STRIA_F32, INT32_MAX, many, &out, &err), ERR_SHAPE, "tensor", "ndim",
            "a tensor has 0 to 64 dims, not 2147483647");
    REFUSED(stria_tensor_new(STRIA_F32, -1, many, &out, &err), ERR_SHAPE, "tensor", "ndim",
            "a tensor has 0 to 64 dims, not -1");
    REFUSED(stria_tensor_new(STRIA_F32, 2, NULL, &out, &err), ERR_ARGUMENT, "tensor", "shape", "shape is NULL");
    REFUSED(stria_tensor_new(STRIA_DTYPE_NONE, 1, SHAPE(1), &out, &err), ERR_DTYPE, "tensor", "dtype",
            "-1 is not the number of a dtype");
    REFUSED(stria_tensor_new(STRIA_DTYPE_COUNT, 1, SHAPE(1), &out, &err), ERR_DTYPE, "tensor", "dtype",
            "15 is not the number of a dtype");
    REFUSED(stria_tensor_new((stria_dtype)12345, 1, SHAPE(1), &out, &err), ERR_DTYPE, "tensor", "dtype",
            "12345 is not the number of a dtype");
    REFUSED(stria_tensor_new(STRIA_F32, 2, SHAPE(BIG, BIG), &out, &err), ERR_OVERFLOW, "tensor", "shape",
            "shape [4294967296,4294967296] needs more than 2^63 - 1 elements");
    REFUSED(stria_tensor_new(STRIA_U8, 2, SHAPE(BIG, BIG / 2), &out, &err), ERR_OVERFLOW, "tensor", "shape",
            "shape [4294967296,2147483648] needs more than 2^63 - 1 elements"); /* 2^63 */
    REFUSED(stria_tensor_new(STRIA_F32, 1, SHAPE(INT64_MAX), &out, &err), ERR_OVERFLOW, "tensor", "shape",
            "shape [9223372036854775807] needs more than 2^63 - 1 bytes");
    REFUSED(stria_tensor_new(STRIA_C128, 1, SHAPE(INT64_MAX / 16 + 1), &out, &err), ERR_OVERFLOW, "tensor", "shape",
            "shape [576460752303423488] needs more than 2^63 - 1 bytes");
    REFUSED(stria_tensor_new(STRIA_F32, 3, SHAPE(0, BIG, BIG), &out, &err), ERR_OVERFLOW, "tensor", "shape",
            "shape [0,4294967296,4294967296] needs more than 2^63 - 1 elements");
    if (sizeof(void *) == 8) {
        /* fits 2^63, beyond 2^53, and beyond any machine */
        REFUSED(stria_tensor_new(STRIA_U8, 1, SHAPE(((int64_t)1 << 53) + 1), &out, &err), ERR_MEMORY, "tensor", "",
                "no memory for 9007199254740993 bytes");
        REFUSED(stria_tensor_new(STRIA_U8, 1, SHAPE(INT64_MAX), &out, &err), ERR_MEMORY, "tensor", "",
                "no memory for 9223372036854775807 bytes");
    } else {
        REFUSED(stria_tensor_new(STRIA_U8, 1, SHAPE(((int64_t)1 << 53) + 1), &out, &err), ERR_OVERFLOW, "tensor",
                "shape", "shape [9007199254740993] needs more than the address space holds");
    }
    REFUSED(stria_empty(SHAPE(BIG, BIG), 2, STRIA_U8, STRIA_META, &out, &err), ERR_OVERFLOW, "empty", "shape",
            "shape [4294967296,4294967296] needs more than 2^63 - 1 elements");
    REFUSED(stria_tensor_new_strided(STRIA_F32, 1, SHAPE(2), SHAPE(-1), &out, &err), ERR_ARGUMENT, "tensor", "strides",
            "strides [-1] have a negative one at axis 0");
    REFUSED(stria_tensor_new_strided(STRIA_F32, 1, SHAPE(2), NULL, &out, &err), ERR_ARGUMENT, "tensor", "strides",
            "strides is NULL");
    REFUSED(stria_tensor_new_strided(STRIA_F32, 1, SHAPE(3), SHAPE(INT64_MAX), &out, &err), ERR_OVERFLOW, "tensor",
            "strides", "strides [9223372036854775807] reach beyond the address space");
    REFUSED(stria_tensor_new_strided(STRIA_F32, 1, SHAPE(2), SHAPE(INT64_MAX), &out, &err), ERR_OVERFLOW, "tensor",
            "strides", "strides [9223372036854775807] reach beyond the address space");
    REFUSED(stria_tensor_new_copy_of(STRIA_F32, 1, SHAPE(4), data, 15, &out, &err), ERR_ARGUMENT, "tensor", "nbytes",
            "15 bytes given, 16 needed");
    REFUSED(stria_tensor_new_copy_of(STRIA_F32, 1, SHAPE(4), data, 17, &out, &err), ERR_ARGUMENT, "tensor", "nbytes",
            "17 bytes given, 16 needed");
    REFUSED(stria_tensor_new_copy_of(STRIA_F32, 1, SHAPE(4), NULL, 16, &out, &err), ERR_ARGUMENT, "tensor", "data",
            "data is NULL (16, 16 bytes)");
    REFUSED(stria_tensor_new_external(STRIA_F32, 1, SHAPE(4), NULL, NULL, NULL, NULL, &out, &err), ERR_ARGUMENT,
            "tensor", "data", "data is NULL");
    REFUSED(stria_tensor_new_external(STRIA_F32, 1, SHAPE(4), SHAPE(INT64_MIN), data, NULL, NULL, &out, &err),
            ERR_OVERFLOW, "tensor", "strides", "strides [-9223372036854775808] reach beyond the address space");
    REFUSED(stria_tensor_new_scalar((stria_scalar){.kind = (stria_scalar_kind)9}, &out, &err), ERR_ARGUMENT, "tensor",
            "value", "9 is not a kind of scalar");
    REFUSED(stria_full(SHAPE(-1), 1, (stria_scalar){.kind = STRIA_SCALAR_INT}, STRIA_F32, STRIA_CPU, &out, &err),
            ERR_SHAPE, "full", "shape", "shape [-1] has the negative size -1 at axis 0");
    REFUSED(stria_full(SHAPE(1), 1, (stria_scalar){.kind = STRIA_SCALAR_INT}, (stria_dtype)99, STRIA_CPU, &out, &err),
            ERR_DTYPE, "full", "dtype", "there is no dtype 99");
}

/* Nothing may be written where out, or a tensor, is NULL. */
static void check_nulls(void)
{
    void  *bytes;
    size_t nbytes;

    out = NULL;
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 0, NULL, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_empty(NULL, 0, STRIA_F32, STRIA_META, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_new_strided(STRIA_F32, 1, SHAPE(1), SHAPE(1), NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT}, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 0, NULL, "1234", 4, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_full(NULL, 0, (stria_scalar){.kind = STRIA_SCALAR_INT}, STRIA_F32, STRIA_CPU, NULL, NULL),
                 STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_slice(x, 0, 0, 1, 1, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_slice(NULL, 0, 0, 1, 1, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_permute(x, NULL, 2, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_flip(x, NULL, 1, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_view(x, NULL, 1, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_expand(x, NULL, 2, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_copy(NULL, STRIA_F32, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_copy(x, STRIA_F32, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_set(NULL, x, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_tensor_set(x, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_contiguous(NULL, &out, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_reshape(x, NULL, 0, NULL, NULL), STRIA_ERR_ARGUMENT);
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
    REFUSED(stria_slice(x, 2, 0, 1, 1, &out, &err), ERR_AXIS, "slice", "dim", "axis 2 is not in [-2,1]");
    REFUSED(stria_slice(x, -3, 0, 1, 1, &out, &err), ERR_AXIS, "slice", "dim", "axis -3 is not in [-2,1]");
    REFUSED(stria_slice(x, INT32_MIN, 0, 1, 1, &out, &err), ERR_AXIS, "slice", "dim",
            "axis -2147483648 is not in [-2,1]");
    REFUSED(stria_slice(x, 0, 0, 1, 0, &out, &err), ERR_ARGUMENT, "slice", "step", "step is 0");
    REFUSED(stria_slice(scalar, 0, 0, 1, 1, &out, &err), ERR_AXIS, "slice", "dim", "axis 0 of a tensor without dims");
    REFUSED(stria_select(x, 0, 2, &out, &err), ERR_ARGUMENT, "select", "index", "index 2 is outside axis 0 of size 2");
    REFUSED(stria_select(x, 0, -3, &out, &err), ERR_ARGUMENT, "select", "index",
            "index -3 is outside axis 0 of size 2");
    REFUSED(stria_select(x, 1, INT64_MIN, &out, &err), ERR_ARGUMENT, "select", "index",
            "index -9223372036854775808 is outside axis 1 of size 3");
    REFUSED(stria_select(scalar, 0, 0, &out, &err), ERR_AXIS, "select", "dim", "axis 0 of a tensor without dims");
    REFUSED(stria_transpose(x, 0, 2, &out, &err), ERR_AXIS, "transpose", "dim1", "axis 2 is not in [-2,1]");
    REFUSED(stria_transpose(scalar, 1, 0, &out, &err), ERR_AXIS, "transpose", "dim0", "axis 1 is not in [-1,0]");
    REFUSED(stria_permute(x, AXES(0, 0), 2, &out, &err), ERR_AXIS, "permute", "dims", "axis 0 is given twice");
    REFUSED(stria_permute(x, AXES(1, -1), 2, &out, &err), ERR_AXIS, "permute", "dims", "axis -1 is given twice");
    REFUSED(stria_permute(x, AXES(0, 2), 2, &out, &err), ERR_AXIS, "permute", "dims", "axis 2 is not in [-2,1]");
    REFUSED(stria_permute(x, AXES(0), 1, &out, &err), ERR_ARGUMENT, "permute", "dims",
            "1 axes given for a tensor of 2 dims");
    REFUSED(stria_permute(x, AXES(0), -1, &out, &err), ERR_ARGUMENT, "permute", "dims",
            "dims must have 0 or more axes, not -1");
    REFUSED(stria_flip(x, AXES(0), -1, &out, &err), ERR_ARGUMENT, "flip", "dims",
            "dims must have 0 or more axes, not -1");
    REFUSED(stria_flip(x, AXES(1, 1), 2, &out, &err), ERR_AXIS, "flip", "dims", "axis 1 is given twice");
    REFUSED(stria_view(x, SHAPE(7), 1, &out, &err), ERR_SHAPE, "view", "shape",
            "shape [7] has another count than the elements of shape [2,3]");
    REFUSED(stria_view(x, SHAPE(-1, -1), 2, &out, &err), ERR_SHAPE, "view", "shape",
            "shape [-1,-1] leaves two sizes open for the elements of shape [2,3]");
    REFUSED(stria_view(x, SHAPE(-1, 4), 2, &out, &err), ERR_SHAPE, "view", "shape",
            "shape [-1,4] cannot be completed for the elements of shape [2,3]");
    REFUSED(stria_view(x, SHAPE(-1, 0), 2, &out, &err), ERR_SHAPE, "view", "shape",
            "shape [-1,0] cannot be completed for the elements of shape [2,3]");
    REFUSED(stria_view(x, SHAPE(-2, -3), 2, &out, &err), ERR_SHAPE, "view", "shape",
            "shape [-2,-3] has the negative size -2 at axis 0");
    REFUSED(stria_view(x, SHAPE(BIG, BIG), 2, &out, &err), ERR_OVERFLOW, "view", "shape",
            "shape [4294967296,4294967296] needs more than 2^63 - 1 elements");
    REFUSED(stria_view(x, many, 65, &out, &err), ERR_SHAPE, "view", "shape", "shape must have 0 .. 64 sizes, not 65");
    REFUSED(stria_view(x, many, -1, &out, &err), ERR_SHAPE, "view", "shape", "shape must have 0 .. 64 sizes, not -1");
    REFUSED(stria_reshape(x, SHAPE(-1, 4), 2, &out, &err), ERR_SHAPE, "reshape", "shape",
            "shape [-1,4] cannot be completed for the elements of shape [2,3]");
    REFUSED(stria_reshape(x, SHAPE(INT64_MIN), 1, &out, &err), ERR_SHAPE, "reshape", "shape",
            "shape [-9223372036854775808] has the negative size -9223372036854775808 at axis 0");
    REFUSED(stria_expand(x, SHAPE(3, 3), 2, &out, &err), ERR_SHAPE, "expand", "shape",
            "shape [3,3] does not fit the tensor of shape [2,3]");
    REFUSED(stria_expand(x, SHAPE(3), 1, &out, &err), ERR_SHAPE, "expand", "shape",
            "shape [3] has fewer dims than the tensor of shape [2,3]");
    REFUSED(stria_expand(x, SHAPE(-1, 2, 3), 3, &out, &err), ERR_SHAPE, "expand", "shape",
            "shape [-1,2,3] does not fit the tensor of shape [2,3]");
    REFUSED(stria_expand(x, SHAPE(BIG, BIG, 2, 3), 4, &out, &err), ERR_OVERFLOW, "expand", "shape",
            "shape [4294967296,4294967296,2,3] needs more than 2^63 - 1 elements");
    REFUSED(stria_expand(x, many, 65, &out, &err), ERR_SHAPE, "expand", "shape",
            "shape must have 0 .. 64 sizes, not 65");
    REFUSED(stria_squeeze(x, AXES(2), 1, &out, &err), ERR_AXIS, "squeeze", "dim", "axis 2 is not in [-2,1]");
    REFUSED(stria_squeeze(x, AXES(0, -2), 2, &out, &err), ERR_AXIS, "squeeze", "dim", "axis -2 is given twice");
    REFUSED(stria_unsqueeze(x, 3, &out, &err), ERR_AXIS, "unsqueeze", "dim", "axis 3 is not in [-3,2]");
    REFUSED(stria_unsqueeze(x, -4, &out, &err), ERR_AXIS, "unsqueeze", "dim", "axis -4 is not in [-3,2]");
    REFUSED(stria_unsqueeze(wide, 0, &out, &err), ERR_SHAPE, "unsqueeze", "x", "the tensor already has 64 dims");
    REFUSED(stria_diagonal(x, 0, 1, 1, &out, &err), ERR_AXIS, "diagonal", "dim2", "both axes are axis 1");
    REFUSED(stria_diagonal(x, 0, 1, -1, &out, &err), ERR_AXIS, "diagonal", "dim2", "both axes are axis 1");
    REFUSED(stria_diagonal(x, 0, 0, 2, &out, &err), ERR_AXIS, "diagonal", "dim2", "axis 2 is not in [-2,1]");
    /* far outside, yet legal */
    for (int k = 0; k < 2; k++) {
        CHECK_STATUS(stria_diagonal(x, k ? INT64_MAX : INT64_MIN, 0, 1, &out, NULL), STRIA_OK);
        CHECK(stria_tensor_get_numel(out) == 0, "a diagonal outside the matrix");
        stria_tensor_release(out);
        CHECK_STATUS(stria_slice(x, 1, k ? INT64_MAX : 1 + INT64_MIN, k ? 1 + INT64_MIN : INT64_MAX,
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
    REFUSED(stria_add(x, four, &out, &err), ERR_SHAPE, "add", "b", "shapes [2,3] and [4] do not broadcast at axis 1");
    CHECK_STATUS(stria_add(x, four, &out, &err), STRIA_ERR_SHAPE);
    CHECK(strcmp(err.message, "add: shapes [2,3] and [4] do not broadcast at axis 1") == 0, "the message is: %s",
          err.message);
    REFUSED(stria_apply(STRIA_OP_add, in, 1, &out, &err), ERR_ARGUMENT, "add", "", "takes 2 inputs, got 1");
    REFUSED(stria_apply(STRIA_OP_add, in, 4, &out, &err), ERR_ARGUMENT, "add", "", "takes 2 inputs, got 4");
    REFUSED(stria_apply(STRIA_OP_add, in, -1, &out, &err), ERR_ARGUMENT, "add", "", "takes 2 inputs, got -1");
    REFUSED(stria_apply(STRIA_OP_add, NULL, 2, &out, &err), ERR_ARGUMENT, "add", "a", "a is NULL");
    REFUSED(stria_apply((stria_op)9999, in, 2, &out, &err), ERR_ARGUMENT, "apply", "op", "there is no op 9999");
    REFUSED(stria_apply((stria_op)-1, in, 2, &out, &err), ERR_ARGUMENT, "apply", "op", "there is no op -1");
    REFUSED(stria_sub(flags, flags, &out, &err), ERR_DTYPE, "sub", "a", "bool is not supported; use bitwise_xor");
    REFUSED(stria_bitwise_and(x, x, &out, &err), ERR_DTYPE, "bitwise_and", "a", "f32 is not supported");
    REFUSED(stria_sum(x, AXES(2), 1, false, &out, &err), ERR_AXIS, "sum", "axes", "axis 2 is out of range for 2 dims");
    REFUSED(stria_sum(x, AXES(-3), 1, false, &out, &err), ERR_AXIS, "sum", "axes",
            "axis -3 is out of range for 2 dims");
    REFUSED(stria_sum(x, AXES(0, -2), 2, false, &out, &err), ERR_AXIS, "sum", "axes", "axis -2 is given twice");
    REFUSED(stria_reduce((stria_reduction)77, x, NULL, 0, false, STRIA_DTYPE_NONE, &out, &err), ERR_ARGUMENT, "reduce",
            "op", "there is no reduction 77");
    REFUSED(stria_reduce(STRIA_RED_sum, x, NULL, 0, false, (stria_dtype)77, &out, &err), ERR_DTYPE, "sum", "dtype",
            "there is no dtype 77");
    REFUSED(stria_tensor_copy(x, (stria_dtype)77, &out, &err), ERR_DTYPE, "to", "dtype", "there is no dtype 77");
    out = NULL;
    check_refused(stria_apply_out(STRIA_OP_add, in, 2, flags, &err), STRIA_ERR_DTYPE, "add", "out",
                  "add: a result of f32 does not cast to an out of bool", "f32 into bool", __LINE__);
    in[1] = four;
    check_refused(stria_apply_out(STRIA_OP_add, in, 2, x, &err), STRIA_ERR_SHAPE, "add", "b",
                  "add: shapes [2,3] and [4] do not broadcast at axis 1", "in-place", __LINE__);
    check_refused(stria_apply_out(STRIA_OP_add, in, 2, NULL, &err), STRIA_ERR_ARGUMENT, "apply", "out",
                  "apply: out is NULL", "out NULL", __LINE__);
    stria_tensor_release(four);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, SHAPE(0, 3), &four, NULL), STRIA_OK);
    REFUSED(stria_amax(four, NULL, 0, false, &out, &err), ERR_EMPTY, "amax", "x",
            "axis 0 has size 0, and there is no amax of nothing");
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
    const stria_tensor *in[] = {column, row};
    stria_expression   *sum = NULL;
    CHECK_STATUS(stria_expression_new(2, NULL, 0, &(stria_instruction){STRIA_OP_add, {0, 1}}, 1, &sum, NULL), STRIA_OK);
    REFUSED(stria_add(column, row, &out, &err), ERR_MEMORY, "add", "", "no memory for 16777216 bytes");
    stria_tensor *line = NULL, *wide = NULL, *bools = NULL;
    CHECK_STATUS(stria_unsqueeze(row, 0, &line, NULL), STRIA_OK);
    CHECK_STATUS(stria_expand(column, SHAPE(1 << 10, 1 << 12), 2, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 0, NULL, &bools, NULL), STRIA_OK);
    *(char *)stria_tensor_get_data(bools) = 1;
    REFUSED(stria_matmul(column, line, &out, &err), ERR_MEMORY, "matmul", "", "no memory for 16777216 bytes");
    REFUSED(stria_neg(wide, &out, &err), ERR_MEMORY, "neg", "", "no memory for 16777216 bytes");
    REFUSED(stria_cumsum(wide, 0, STRIA_DTYPE_NONE, &out, &err), ERR_MEMORY, "cumsum", "",
            "no memory for 16777216 bytes");
    REFUSED(stria_softmax(wide, 0, STRIA_DTYPE_NONE, &out, &err), ERR_MEMORY, "softmax", "",
            "no memory for 16777216 bytes");
    REFUSED(stria_masked_select(wide, bools, &out, &err), ERR_MEMORY, "masked_select", "",
            "no memory for 16777216 bytes");
    REFUSED(stria_expression_apply(sum, in, 2, &out, &err), ERR_MEMORY, "expression", "",
            "no memory for 16777216 bytes");
    stria_expression_release(sum);
    REFUSED(stria_tensor_copy(wide, STRIA_F64, &out, &err), ERR_MEMORY, "to", "", "no memory for 33554432 bytes");
    REFUSED(stria_contiguous(wide, &out, &err), ERR_MEMORY, "contiguous", "", "no memory for 16777216 bytes");
    REFUSED(stria_reshape(wide, SHAPE(-1), 1, &out, &err), ERR_MEMORY, "reshape", "", "no memory for 16777216 bytes");
    REFUSED(stria_full(SHAPE(1 << 19), 1, (stria_scalar){0}, STRIA_F32, STRIA_CPU, &out, &err), ERR_MEMORY, "full", "",
            "no memory for 2097152 bytes");
    stria_tensor_release(line);
    stria_tensor_release(wide);
    stria_tensor_release(bools);
    REFUSED(stria_tensor_new(STRIA_F32, 1, SHAPE(1 << 19), &out, &err), ERR_MEMORY, "tensor", "",
            "no memory for 2097152 bytes");
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

#if UINTPTR_MAX > UINT32_MAX
/* 2^61 elements of one byte each have a shape; as f32 they have none. */
static void check_wider_result(void)
{
    stria_tensor *one = NULL, *many_bytes = NULL;
    stria_error   err = {0};

    CHECK_STATUS(stria_tensor_new(STRIA_U8, 1, SHAPE(1), &one, NULL), STRIA_OK);
    CHECK_STATUS(stria_expand(one, SHAPE(INT64_C(1) << 61), 1, &many_bytes, NULL), STRIA_OK);
    CHECK_STATUS(stria_exp(many_bytes, &y, &err), STRIA_ERR_OVERFLOW);
    CHECK(y == NULL && strstr(err.message, "exp: the output has more than 2^63 - 1 bytes") != NULL, "%s", err.message);
    stria_tensor_release(many_bytes);
    stria_tensor_release(one);
}
#endif

/* Whether out has the elements of y, and memory of its own; it was [1] before. */
static void check_copied(const char *name, stria_tensor *out, stria_tensor *y)
{
    bool same = stria_tensor_get_ndim(out) == stria_tensor_get_ndim(y) &&
                stria_tensor_get_numel(out) == stria_tensor_get_numel(y);
    stria_tensor *packed = NULL;

    CHECK_STATUS(stria_tensor_copy(y, STRIA_F32, &packed, NULL), STRIA_OK);
    stria_tensor *row_major = NULL;
    CHECK_STATUS(stria_contiguous(packed, &row_major, NULL), STRIA_OK);
    CHECK(same && memcmp(stria_tensor_get_data(out), stria_tensor_get_data(row_major),
                         (size_t)stria_tensor_get_numel(y) * 4) == 0,
          "%s: other elements", name);
    CHECK(!stria_tensor_get_aliased(out, y), "%s: no copy", name);
    stria_tensor_release(packed);
    stria_tensor_release(row_major);
    stria_tensor_release(y);
    stria_tensor_release(out);
}

/* A view into a given tensor is copied there. */
#define CHECK_VIEW(name, ...)                                                         \
    do {                                                                              \
        stria_tensor *out, *view = NULL;                                              \
        CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, SHAPE(1), &out, NULL), STRIA_OK); \
        CHECK_STATUS(stria_##name##_out(numbers, __VA_ARGS__, out, NULL), STRIA_OK);  \
        CHECK_STATUS(stria_##name(numbers, __VA_ARGS__, &view, NULL), STRIA_OK);      \
        check_copied(#name, out, view);                                               \
    } while (0)

static void check_views_into_given(void)
{
    const float   elements[6] = {1, 2, 3, 4, 5, 6};
    stria_tensor *numbers = NULL;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 3, SHAPE(2, 1, 3), elements, sizeof elements, &numbers, NULL),
                 STRIA_OK);
    CHECK_VIEW(slice, 2, 2, STRIA_INT_NONE, -2);
    CHECK_VIEW(select, 0, 1);
    CHECK_VIEW(transpose, 0, 2);
    CHECK_VIEW(permute, AXES(2, 0, 1), 3);
    CHECK_VIEW(flip, AXES(0, 2), 2);
    CHECK_VIEW(view, SHAPE(3, 2), 2);
    CHECK_VIEW(expand, SHAPE(2, 4, 3), 3);
    CHECK_VIEW(squeeze, AXES(1), 1);
    CHECK_VIEW(unsqueeze, 0);
    CHECK_VIEW(diagonal, 1, 0, 2);
    stria_tensor_release(numbers);
}
#undef CHECK_VIEW

SUITE(test_errors)
{
    check_isa("test_errors");
    for (int d = 0; d < 100; d++) many[d] = 1;
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, SHAPE(2, 3), &x, NULL), STRIA_OK);
    memset(stria_tensor_get_data(x), 0, 24);
    check_creation();
    check_nulls();
    check_views();
    check_views_into_given();
#if UINTPTR_MAX > UINT32_MAX
    check_wider_result();
#endif
    check_computing();
    check_limit();
    check_names();
    check_cutting();
    CHECK_STATUS(stria_add(x, x, &y, NULL), STRIA_OK); /* the library still works */
    stria_tensor_release(y);
    CHECK_STATUS(stria_empty(SHAPE(2, 3), 2, STRIA_F32, STRIA_META, &meta, NULL), STRIA_OK);
    CHECK_STATUS(stria_add(meta, meta, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_device(y).type == STRIA_DEVICE_META, "meta in, meta out");
    stria_tensor_release(y);
    stria_tensor_release(meta);
    stria_tensor_release(x);
    CHECK(stria_memory_get_stats().live_storages == 0, "storages are left");
    return check_finish("test_errors");
}
