/* test_refusals.c - mistakes in the use of the iterator, and of functions, that no other suite makes: status, operation,
 * argument and message of each. */
#include <string.h>

#include "iter.h"
#include "oracle.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})

static stria_error       err;
static stria_iter        it;
static stria_iter_config config;
static stria_tensor     *x, *out;

static void expect(stria_status got, stria_status status, const char *op, const char *argument, const char *message)
{
    CHECK(got == status && err.code == status, "%s: %s, expected %s", message, stria_status_get_name(got),
          stria_status_get_name(status));
    CHECK(strcmp(err.op, op) == 0 && strcmp(err.argument, argument) == 0, "%s: op '%s', argument '%s'", message, err.op,
          err.argument);
    CHECK(strcmp(err.message, message) == 0, "the message is '%s', expected '%s'", err.message, message);
    memset(&err, 0, sizeof err);
}

static void begin(void)
{
    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, "blend");
}

static stria_status build(void)
{
    const stria_status status = stria_iter_build(&it, &config, &err);

    stria_iter_config_release(&config);
    stria_iter_release(&it); /* harmless after a failure */
    return status;
}

static void check_config(void)
{
    int64_t many[65];

    for (int d = 0; d < 65; d++) many[d] = 1;
    begin();
    stria_iter_config_set_static_dtype(&config, STRIA_F32);
    expect(build(), STRIA_ERR_CONFIG, "blend", "config", "blend: static_dtype needs check_all_same_dtype off before");
    begin();
    stria_iter_config_set_check_all_same_dtype(&config, false);
    stria_iter_config_set_static_dtype(&config, (stria_dtype)99);
    expect(build(), STRIA_ERR_DTYPE, "blend", "config", "blend: static_dtype is no dtype");
    begin();
    stria_iter_config_set_resize_outputs(&config, false);
    stria_iter_config_set_static_shape(&config, 65, many, NULL, 0);
    expect(build(), STRIA_ERR_SHAPE, "blend", "config", "blend: static_shape has too many dims");
    begin();
    for (int k = 0; k <= STRIA_ITER_MAX_OPERANDS; k++) stria_iter_config_add_input(&config, x);
    expect(build(), STRIA_ERR_ARGUMENT, "blend", "config", "blend: too many operands");
}

/* An output of 2^61 elements of 8 bytes, out of two that are small. */
static void check_large_output(void)
{
    stria_tensor *column = NULL, *row = NULL;

    CHECK_STATUS(stria_empty(SHAPE((int64_t)1 << 32, 1), 2, STRIA_F64, STRIA_META, &column, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(SHAPE(1, (int64_t)1 << 29), 2, STRIA_F64, STRIA_META, &row, NULL), STRIA_OK);
    begin();
    stria_iter_config_set_binary_op(&config, NULL, column, row);
    expect(build(), STRIA_ERR_OVERFLOW, "blend", "out", "blend: the output has more than 2^63 - 1 bytes");
    stria_tensor_release(column);
    stria_tensor_release(row);
}

static void check_borrowing(void)
{
    begin();
    stria_iter_config_set_borrowing_binary_op(&config, NULL, x, x);
    CHECK_STATUS(stria_iter_build(&it, &config, &err), STRIA_OK);
    CHECK(stria_iter_get_ndim(&it) == 1 && stria_iter_get_n_operands(&it) == 3 && stria_iter_get_n_outputs(&it) == 1 &&
              stria_iter_get_numel(&it) == 6,
          "two inputs of 2 by 3, in one dim");
    stria_iter_config_release(&config);
    stria_iter_release(&it);
}

static void check_functions(void)
{
    stria_tensor *complex = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_C64, 1, SHAPE(3), &complex, NULL), STRIA_OK);
    expect(stria_softmax(complex, 0, STRIA_F32, &out, &err), STRIA_ERR_DTYPE, "softmax", "x",
           "softmax: x is c64, but must be real");
    expect(stria_layer_norm(x, complex, NULL, SHAPE(3), 1, 1e-5, &out, &err), STRIA_ERR_DTYPE, "layer_norm", "weight",
           "layer_norm: weight is c64, but must be real");
    expect(stria_layer_norm(x, NULL, complex, SHAPE(3), 1, 1e-5, &out, &err), STRIA_ERR_DTYPE, "layer_norm", "bias",
           "layer_norm: bias is c64, but must be real");
    CHECK(out == NULL, "an output after an error");
    int64_t product = -1; /* overflows, but for the 0 among the sizes */
    CHECK_STATUS(stria_shape_get_product("blend", 3, SHAPE((int64_t)1 << 32, (int64_t)1 << 32, 0), &product, NULL),
                 STRIA_OK);
    CHECK(product == 0, "the product is %lld", (long long)product);
    stria_tensor_release(complex);
}

/* NULL where an array or a place belongs. */
static void check_null(void)
{
    const stria_instruction neg = {.op = STRIA_OP_neg, .in = {0}};
    stria_expression       *e;
    stria_tensor           *y = x;

    expect(stria_iter_build(NULL, &config, &err), STRIA_ERR_ARGUMENT, "iter", "it", "iter: it is NULL");
    expect(stria_iter_build(&it, NULL, &err), STRIA_ERR_ARGUMENT, "iter", "config", "iter: config is NULL");
    stria_iter_release(&it);
    begin();
    stria_iter_config_add_output(&config, x);
    stria_iter_config_set_op_axes(&config, 0, NULL, 2);
    expect(build(), STRIA_ERR_ARGUMENT, "blend", "config", "blend: op_axes are NULL");
    begin();
    stria_iter_config_set_resize_outputs(&config, false);
    stria_iter_config_set_static_shape(&config, 2, NULL, NULL, 0);
    expect(build(), STRIA_ERR_ARGUMENT, "blend", "config", "blend: static_shape or its squash axes are NULL");
    begin();
    stria_iter_config_set_resize_outputs(&config, false);
    stria_iter_config_set_static_shape(&config, 2, SHAPE(2, 2), NULL, 1);
    expect(build(), STRIA_ERR_ARGUMENT, "blend", "config", "blend: static_shape or its squash axes are NULL");
    expect(stria_expression_new(1, NULL, 1, &neg, 1, &e, &err), STRIA_ERR_ARGUMENT, "expression", "constants",
           "expression: the constants of the expression are NULL");
    expect(stria_expression_new(1, NULL, 0, NULL, 1, &e, &err), STRIA_ERR_ARGUMENT, "expression", "code",
           "expression: the code of the expression is NULL");
    const stria_tensor *const in[] = {x};
    CHECK_STATUS(stria_expression_new(1, NULL, 0, &neg, 1, &e, NULL), STRIA_OK);
    expect(stria_expression_apply(e, in, 1, NULL, &err), STRIA_ERR_ARGUMENT, "expression", "out",
           "expression: out is NULL");
    expect(stria_expression_apply_out(e, in, 1, NULL, &err), STRIA_ERR_ARGUMENT, "expression", "out",
           "expression: out is NULL");
    stria_expression_release(e);
    expect(stria_iter_view_reduced(x, 70, ~(uint64_t)0, false, &y, &err), STRIA_ERR_SHAPE, "iter", "out",
           "iter: out has 2 dims, not those that remain of 70 dims");
    CHECK(y == NULL, "a refused call gave a view");
    expect(stria_iter_view_reduced(x, 2, 0, true, NULL, &err), STRIA_ERR_ARGUMENT, "iter", "view",
           "iter: view is NULL");
}

/* META tensors have no elements to walk over, or to copy from. */
static void check_meta(void)
{
    stria_tensor     *meta = NULL, *line = NULL;
    stria_iter_cursor cursor;

    CHECK_STATUS(stria_empty(SHAPE(2, 3), 2, STRIA_F32, STRIA_META, &meta, NULL), STRIA_OK);
    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, NULL, meta);
    CHECK_STATUS(stria_iter_build(&it, &config, NULL), STRIA_OK);
    expect(stria_iter_cursor_init(&cursor, &it, 0, 6, false, &err), STRIA_ERR_DEVICE, "cursor", "iter",
           "cursor: META tensors have no elements");
    stria_iter_release(&it);
    CHECK_STATUS(stria_tensor_set(meta, meta, NULL), STRIA_OK);
    expect(stria_tensor_set(x, meta, &err), STRIA_ERR_DEVICE, "copy", "out", "copy: operands are on meta and cpu");
    expect(stria_tensor_set(meta, x, &err), STRIA_ERR_DEVICE, "copy", "in", "copy: operands are on meta and cpu");
    CHECK_STATUS(stria_empty(SHAPE(3), 1, STRIA_F64, STRIA_META, &line, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(meta, line, NULL), STRIA_OK);
    stria_tensor_release(line);
    CHECK_STATUS(stria_empty(SHAPE(4), 1, STRIA_F64, STRIA_META, &line, NULL), STRIA_OK);
    expect(stria_tensor_set(meta, line, &err), STRIA_ERR_SHAPE, "copy", "in",
           "copy: shapes [2,3] and [4] do not broadcast at axis 1");
    stria_tensor_release(line);
    stria_tensor_release(meta);
}

/* A status has a name and a text of its own; a number that is none has neither. */
static void check_texts(void)
{
    for (int k = 0; k < 40; k++) {
        const char *name = stria_status_get_name((stria_status)k), *text = stria_status_get_text((stria_status)k);
        CHECK((strcmp(name, "unknown") == 0) == (strcmp(text, "unknown") == 0) && text[0], "%d: %s, %s", k, name, text);
    }
    CHECK(strcmp(stria_status_get_text(STRIA_OK), "unknown") != 0, "OK has no text");
    CHECK(strcmp(stria_status_get_text((stria_status)999), "unknown") == 0, "999 has one");
}

/* Strides whose sum nothing holds belong to tensors of fewer than two elements along them. */
static void check_wide_strides(void)
{
    stria_tensor *wide = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_view(x, 2, SHAPE(1, 1), SHAPE(INT64_MAX, INT64_MAX), 5, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_diagonal(wide, 0, 0, 1, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_numel(y) == 1 && stria_tensor_get_data(y) == (float *)stria_tensor_get_data(x) + 5,
          "the one element");
    stria_tensor_release(y);
    stria_tensor_release(wide);
}

SUITE(test_refusals)
{
    check_isa("test_refusals");
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, SHAPE(2, 3), &x, NULL), STRIA_OK);
    memset(stria_tensor_get_data(x), 0, 24);
    check_config();
    check_large_output();
    check_borrowing();
    check_functions();
    check_null();
    check_meta();
    check_texts();
    check_wide_strides();
    stria_tensor_release(x);
    return check_finish("test_refusals");
}
