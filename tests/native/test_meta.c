/* test_meta.c - dtypes, shapes and refusals of ops and reductions, before anything is computed.
 *
 * Usage: test_meta [cases.json] */
#include <string.h>

#include "iter_case.h"
#include "call/meta.h"
#include "oracle.h"

/* ---------------------------------------------------------------- operands in words: "f32[2,3]", "i64!" (a number) */

static stria_tensor *new_operand(const char *text)
{
    char          word[8] = "";
    int64_t       shape[STRIA_MAX_DIMS];
    int           ndim = 0, used = 0;
    stria_tensor *x = NULL;

    if (sscanf(text, "%7[a-z0-9]%n", word, &used) != 1) return NULL;
    text += used;
    bool is_number = *text == '!';
    while (*text == '[' || *text == ',') {
        long long size = 0;
        text++;
        if (sscanf(text, "%lld%n", &size, &used) != 1) break;
        text += used;
        shape[ndim++] = size;
    }
    CHECK_STATUS(stria_tensor_new(iter_case_get_dtype(word), ndim, shape, &x, NULL), STRIA_OK);
    if (x == NULL) return NULL;
    x->is_wrapped_number = is_number;
    if (x->numel > 0) memset(x->data, 0, (size_t)x->numel * stria_dtype_get_size(x->dtype));
    return x;
}

/* ---------------------------------------------------------------- element-wise: what is accepted */

static const struct {
    stria_op    op;
    const char *in[STRIA_MAX_INPUTS];
    const char *common, *compute, *first_input, *loop_out, *result;
    int64_t     shape[4]; /* ended by -1 */
} accepted[] = {
    {STRIA_OP_add, {"f32[2,3]", "f32[3]"}, "f32", "f32", "f32", "f32", "f32", {2, 3, -1}},
    {STRIA_OP_add, {"u8[4]", "i8[4]"}, "i16", "i16", "i16", "i16", "i16", {4, -1}},
    {STRIA_OP_add, {"bool[4]", "bool[4]"}, "bool", "bool", "bool", "bool", "bool", {4, -1}},
    {STRIA_OP_add, {"f16[4]", "f16"}, "f16", "f32", "f32", "f32", "f16", {4, -1}},
    {STRIA_OP_add, {"f16[4]", "bf16[4]"}, "f32", "f32", "f32", "f32", "f32", {4, -1}},
    {STRIA_OP_add, {"i32[4]", "f64!"}, "f32", "f32", "f32", "f32", "f32", {4, -1}},
    {STRIA_OP_add, {"u8[4]", "i64!"}, "u8", "u8", "u8", "u8", "u8", {4, -1}},
    {STRIA_OP_add, {"u64[4]", "i64[4]"}, "f64", "f64", "f64", "f64", "f64", {4, -1}},
    {STRIA_OP_add, {"f32[0]", "f32[1]"}, "f32", "f32", "f32", "f32", "f32", {0, -1}},
    {STRIA_OP_div, {"i32[4]", "i32[4]"}, "f32", "f32", "f32", "f32", "f32", {4, -1}},
    {STRIA_OP_div, {"f64[4]", "i32[4]"}, "f64", "f64", "f64", "f64", "f64", {4, -1}},
    {STRIA_OP_exp, {"bool[4]"}, "f32", "f32", "f32", "f32", "f32", {4, -1}},
    {STRIA_OP_exp, {"bf16[4]"}, "bf16", "f32", "f32", "f32", "bf16", {4, -1}},
    {STRIA_OP_lt, {"i32[2,1]", "f64[3]"}, "f64", "f64", "f64", "bool", "bool", {2, 3, -1}},
    {STRIA_OP_isnan, {"i8[4]"}, "i8", "i8", "i8", "bool", "bool", {4, -1}},
    {STRIA_OP_bitwise_and, {"bool[4]", "i16[4]"}, "i16", "i16", "i16", "i16", "i16", {4, -1}},
    {STRIA_OP_where, {"bool[2,1]", "i32[3]", "f16"}, "f16", "f32", "bool", "f32", "f16", {2, 3, -1}},
    {STRIA_OP_where, {"u8[2]", "i32[2]", "i64!"}, "i32", "i32", "bool", "i32", "i32", {2, -1}},
    {STRIA_OP_clamp, {"f32[2]", "i64!", "f64!"}, "f32", "f32", "f32", "f32", "f32", {2, -1}},
    {STRIA_OP_pow, {"i32[2]", "i64!"}, "i32", "i32", "i32", "i32", "i32", {2, -1}},
};

static void check_word(const char *op, const char *what, stria_dtype got, const char *expected)
{
    CHECK(strcmp(stria_dtype_get_name(got), expected) == 0, "%s: %s is %s, expected %s", op, what,
          stria_dtype_get_name(got), expected);
}

static void check_accepted(size_t i)
{
    const char   *name = stria_op_infos[accepted[i].op].name;
    stria_tensor *in[STRIA_MAX_INPUTS];
    stria_meta    meta;
    stria_error   err = {0};
    int           n = 0, ndim = 0;

    while (n < STRIA_MAX_INPUTS && accepted[i].in[n] != NULL) {
        in[n] = new_operand(accepted[i].in[n]);
        n++;
    }
    stria_status status = stria_meta_infer(accepted[i].op, (const stria_tensor *const *)in, n, NULL, &meta, &err);
    CHECK(status == STRIA_OK, "%s: %s", name, err.message);
    while (accepted[i].shape[ndim] >= 0) ndim++;
    if (status == STRIA_OK) {
        check_word(name, "common", meta.common, accepted[i].common);
        check_word(name, "compute", meta.compute, accepted[i].compute);
        check_word(name, "first input", meta.input[0], accepted[i].first_input);
        check_word(name, "last input", meta.input[n - 1], accepted[i].compute);
        check_word(name, "loop_out", meta.loop_out, accepted[i].loop_out);
        check_word(name, "result", meta.result, accepted[i].result);
        CHECK(meta.ndim == ndim && memcmp(meta.shape, accepted[i].shape, (size_t)ndim * sizeof(int64_t)) == 0,
              "%s: case %d: shape", name, (int)i);
    }
    for (int k = 0; k < n; k++) stria_tensor_release(in[k]);
}

/* ---------------------------------------------------------------- element-wise: what is refused, and how it is said */

static const struct {
    stria_op     op;
    const char  *in[STRIA_MAX_INPUTS];
    const char  *out; /* "=a": the first input itself */
    stria_status status;
    const char  *message;
} refused[] = {
    {STRIA_OP_add,
     {"f32[2,3]", "f32[4]"},
     NULL,
     STRIA_ERR_SHAPE,
     "add: shapes [2,3] and [4] do not broadcast at axis 1"},
    {STRIA_OP_mul, {"f32[0]", "f32[2]"}, NULL, STRIA_ERR_SHAPE, "mul: shapes [0] and [2] do not broadcast at axis 0"},
    {STRIA_OP_where,
     {"bool[2]", "f32[3]", "f32"},
     NULL,
     STRIA_ERR_SHAPE,
     "where: shapes [2] and [3] do not broadcast at axis 0"},
    {STRIA_OP_sub, {"bool[2]", "bool[2]"}, NULL, STRIA_ERR_DTYPE, "sub: bool is not supported; use bitwise_xor"},
    {STRIA_OP_neg, {"bool[2]"}, NULL, STRIA_ERR_DTYPE, "neg: bool is not supported; use logical_not"},
    {STRIA_OP_bitwise_and, {"i32[2]", "f32[2]"}, NULL, STRIA_ERR_DTYPE, "bitwise_and: f32 is not supported"},
    {STRIA_OP_cbrt, {"c64[2]"}, NULL, STRIA_ERR_DTYPE, "cbrt: c64 is not supported"},
    {STRIA_OP_atan2, {"c128[2]", "i32[2]"}, NULL, STRIA_ERR_DTYPE, "atan2: c128 is not supported"},
    {STRIA_OP_where,
     {"i32[2]", "f32[2]", "f32[2]"},
     NULL,
     STRIA_ERR_DTYPE,
     "where: the condition must be bool, not i32"},
    {STRIA_OP_add,
     {"f32[2]", "f32[2]"},
     "i32[2]",
     STRIA_ERR_DTYPE,
     "add: a result of f32 does not cast to an out of i32"},
    {STRIA_OP_div, {"i64[2]", "i64[2]"}, "=a", STRIA_ERR_DTYPE, "div: a result of f32 does not cast to an out of i64"},
    {STRIA_OP_add,
     {"f32[3]", "f32[2,3]"},
     "=a",
     STRIA_ERR_SHAPE,
     "add: in-place: a result of shape [2,3] does not fit a tensor of shape [3]"},
    {STRIA_OP_add, {"f32[3]"}, NULL, STRIA_ERR_ARGUMENT, "add: takes 2 inputs, got 1"},
    {STRIA_OP_lt, {"f32[3]", "f32[3]"}, "f32[3]", STRIA_OK, ""},
    {STRIA_OP_add, {"f32[3]", "f32[3]"}, "f64[7]", STRIA_OK, ""},
    {STRIA_OP_add, {"f32[2,3]", "f32[3]"}, "=a", STRIA_OK, ""},
};

static void check_refused(size_t i)
{
    const char   *name = stria_op_infos[refused[i].op].name;
    stria_tensor *in[STRIA_MAX_INPUTS], *out = NULL;
    stria_meta    meta;
    stria_error   err = {0};
    int           n = 0;

    while (n < STRIA_MAX_INPUTS && refused[i].in[n] != NULL) {
        in[n] = new_operand(refused[i].in[n]);
        n++;
    }
    if (refused[i].out != NULL) {
        out = refused[i].out[0] == '=' ? stria_tensor_retain(in[0]) : new_operand(refused[i].out);
    }
    stria_status status = stria_meta_infer(refused[i].op, (const stria_tensor *const *)in, n, out, &meta, &err);
    CHECK(status == refused[i].status, "%s: case %d: %s", name, (int)i, stria_status_get_name(status));
    CHECK(strcmp(err.message, refused[i].message) == 0, "%s: \"%s\"", name, err.message);
    CHECK(status == STRIA_OK || (err.code == status && strcmp(err.op, name) == 0), "%s: op is \"%s\"", name, err.op);
    stria_tensor_release(out);
    for (int k = 0; k < n; k++) stria_tensor_release(in[k]);
}

static void check_contracts(void)
{
    stria_tensor       *x = new_operand("i32[2]"), *power = new_operand("i64!"), *far = NULL;
    const stria_tensor *in[2] = {x, NULL}, *pair[2] = {x, power};
    stria_meta          meta;
    stria_error         err = {0};
    int64_t             shape[2] = {2, 2};

    CHECK_STATUS(stria_meta_infer(STRIA_OP_add, in, 2, NULL, &meta, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.message, "add: b is NULL") == 0 && strcmp(err.argument, "b") == 0, "%s", err.message);
    CHECK_STATUS(stria_meta_infer((stria_op)STRIA_OP_COUNT, in, 2, NULL, &meta, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_meta_infer((stria_op)-1, in, 2, NULL, &meta, &err), STRIA_ERR_ARGUMENT);
    *(int64_t *)(void *)power->data = -1;
    CHECK_STATUS(stria_meta_infer(STRIA_OP_pow, pair, 2, NULL, &meta, &err), STRIA_ERR_ARGUMENT);
    CHECK(strstr(err.message, "negative integer power") != NULL, "%s", err.message);
    CHECK_STATUS(stria_meta_infer(STRIA_OP_mul, pair, 2, NULL, &meta, &err), STRIA_OK);

    CHECK_STATUS(stria_empty(shape, 2, STRIA_I32, STRIA_META, &far, NULL), STRIA_OK);
    in[1] = far;
    CHECK_STATUS(stria_meta_infer(STRIA_OP_add, in, 2, NULL, &meta, &err), STRIA_ERR_DEVICE);
    CHECK(strcmp(err.message, "add: a is on cpu but the other operands are on meta") == 0, "%s", err.message);
    pair[0] = far;
    CHECK_STATUS(stria_meta_infer(STRIA_OP_add, pair, 2, NULL, &meta, &err), STRIA_OK);
    CHECK(meta.device.type == STRIA_DEVICE_META && meta.ndim == 2, "one CPU number may accompany");
    CHECK_STATUS(stria_meta_infer(STRIA_OP_add, pair, 2, x, &meta, &err), STRIA_ERR_DEVICE);
    stria_tensor_release(x);
    stria_tensor_release(power);
    stria_tensor_release(far);
}

static void check_overflow(void)
{
    int64_t       huge = INT64_C(1) << 40, across[2] = {1, huge}, down[2] = {huge, 1};
    stria_tensor *a = NULL, *b = NULL;
    stria_meta    meta;
    stria_error   err = {0};

    CHECK_STATUS(stria_empty(across, 2, STRIA_U8, STRIA_META, &a, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(down, 2, STRIA_U8, STRIA_META, &b, NULL), STRIA_OK);
    const stria_tensor *in[2] = {a, b};
    CHECK_STATUS(stria_meta_infer(STRIA_OP_add, in, 2, NULL, &meta, &err), STRIA_ERR_OVERFLOW);
    stria_tensor_release(a);
    stria_tensor_release(b);
}

/* ---------------------------------------------------------------- reductions */

static stria_reduction get_reduction(const char *name)
{
    for (int r = 0; r < STRIA_RED_COUNT; r++) {
        if (strcmp(stria_reduction_infos[r].name, name) == 0) return (stria_reduction)r;
    }
    return STRIA_RED_COUNT;
}

static const struct {
    const char  *kind;
    stria_status status;
} reduce_errors[] = {
    {"dim_range", STRIA_ERR_AXIS},     {"duplicate_dim", STRIA_ERR_AXIS},      {"mean_dtype", STRIA_ERR_DTYPE},
    {"empty_no_dim", STRIA_ERR_EMPTY}, {"empty_reduced_dim", STRIA_ERR_EMPTY},
};

static stria_status get_expected_status(const char *kind)
{
    for (size_t i = 0; kind != NULL && i < sizeof reduce_errors / sizeof reduce_errors[0]; i++) {
        if (strcmp(reduce_errors[i].kind, kind) == 0) return reduce_errors[i].status;
    }
    return kind == NULL ? STRIA_OK : STRIA_ERR_INTERNAL;
}

static void check_reduce_case(const json *entry, stria_reduction op)
{
    const char       *id = json_get_string(entry, "id", "?");
    const json       *expect = json_get(entry, "expect"), *dims = json_get(entry, "dims");
    int64_t           shape[STRIA_MAX_DIMS];
    int               axes[STRIA_MAX_DIMS], ndim = 0, n_axes = 0;
    stria_tensor     *x = NULL;
    stria_reduce_meta meta;

    for (const json *v = json_get(entry, "shape")->first; v != NULL; v = v->next) shape[ndim++] = v->integer;
    for (const json *v = dims->first; v != NULL; v = v->next) axes[n_axes++] = (int)v->integer;
    CHECK_STATUS(stria_tensor_new(iter_case_get_dtype(json_get_string(entry, "dtype", "")), ndim, shape, &x, NULL),
                 STRIA_OK);
    stria_status status =
        stria_meta_infer_reduce(op, x, axes, n_axes, json_get_bool(entry, "keepdim", false),
                                iter_case_get_dtype(json_get_string(entry, "dtype_arg", NULL)), NULL, &meta, NULL);
    stria_status expected = get_expected_status(json_get_string(expect, "error", NULL));
    CHECK(status == expected, "%s: %s, expected %s", id, stria_status_get_name(status),
          stria_status_get_name(expected));
    if (status == STRIA_OK && expected == STRIA_OK) {
        iter_case_check_list(id, "shape", json_get(expect, "shape"), meta.ndim, meta.shape);
        check_word(id, "dtype", meta.result, json_get_string(expect, "dtype", ""));
    }
    stria_tensor_release(x);
}

static void check_reduce_cases(const char *path)
{
    json *file = json_parse_file(path);
    int   ran = 0, rowless = 0;

    CHECK(file != NULL, "cannot read %s", path);
    const json *cases = json_get(file, "cases");
    for (const json *entry = cases != NULL ? cases->first : NULL; entry != NULL; entry = entry->next) {
        if (strcmp(json_get_string(entry, "kind", ""), "reduce_meta") != 0) continue;
        stria_reduction op = get_reduction(json_get_string(entry, "op", ""));
        if (op == STRIA_RED_COUNT) {
            rowless++;
        } else {
            check_reduce_case(entry, op);
            ran++;
        }
    }
    printf("  reduce_meta  %3d cases, %d of reductions without a row skipped\n", ran, rowless);
    CHECK(ran >= 35, "%d cases", ran);
    json_free(file);
}

static const struct {
    stria_reduction op;
    const char     *x, *dtype, *out;
    stria_status    status;
    const char     *compute, *result;
} reductions[] = {
    {STRIA_RED_sum, "u64[2]", "", NULL, STRIA_OK, "u64", "u64"},
    {STRIA_RED_sum, "f16[2]", "", NULL, STRIA_OK, "f32", "f16"},
    {STRIA_RED_sum, "u8[2]", "u8", NULL, STRIA_OK, "i64", "u8"},
    {STRIA_RED_sum, "f32[2]", "", "i64", STRIA_OK, "i64", "i64"},
    {STRIA_RED_sum, "f32[2]", "f32", "f64", STRIA_ERR_DTYPE, "", ""},
    {STRIA_RED_sum, "f32[2]", "bool", NULL, STRIA_ERR_DTYPE, "", ""},
    {STRIA_RED_sum, "c64[2]", "", NULL, STRIA_OK, "c64", "c64"},
    {STRIA_RED_mean, "c128[2]", "", NULL, STRIA_OK, "c128", "c128"},
    {STRIA_RED_amax, "c64[2]", "", NULL, STRIA_ERR_DTYPE, "", ""},
    {STRIA_RED_amax, "i8[2]", "", NULL, STRIA_OK, "i8", "i8"},
    {STRIA_RED_amax, "bool[2]", "", NULL, STRIA_OK, "bool", "bool"},
    {STRIA_RED_mean, "bf16[2]", "", NULL, STRIA_OK, "f32", "bf16"},
    {STRIA_RED_mean, "i32[2]", "", "f32", STRIA_ERR_DTYPE, "", ""},
    {STRIA_RED_mean, "f32[2]", "", "i32", STRIA_ERR_DTYPE, "", ""},
    {STRIA_RED_any, "c64[2]", "", NULL, STRIA_OK, "bool", "bool"},
    {STRIA_RED_any, "u8[2]", "", NULL, STRIA_OK, "bool", "u8"},
    {STRIA_RED_all, "f32[2]", "", "f32", STRIA_OK, "bool", "f32"},
    {STRIA_RED_all, "f32[2]", "f32", NULL, STRIA_ERR_DTYPE, "", ""},
};

static void check_reduce_dtypes(size_t i)
{
    const char       *name = stria_reduction_infos[reductions[i].op].name;
    stria_tensor     *x = new_operand(reductions[i].x);
    stria_tensor     *out = reductions[i].out != NULL ? new_operand(reductions[i].out) : NULL;
    stria_dtype       dtype = iter_case_get_dtype(reductions[i].dtype);
    stria_reduce_meta meta;

    stria_status status = stria_meta_infer_reduce(reductions[i].op, x, NULL, 0, false, dtype, out, &meta, NULL);
    CHECK(status == reductions[i].status, "%s: case %d: %s", name, (int)i, stria_status_get_name(status));
    if (status == STRIA_OK && reductions[i].status == STRIA_OK) {
        check_word(name, "compute", meta.compute, reductions[i].compute);
        check_word(name, "result", meta.result, reductions[i].result);
        CHECK(meta.count == 2 && meta.reduced == 1 && meta.ndim == 0, "%s: case %d", name, (int)i);
    }
    stria_tensor_release(out);
    stria_tensor_release(x);
}

static void check_reduce_messages(void)
{
    stria_tensor     *x = new_operand("i32[2,0]");
    stria_reduce_meta meta;
    stria_error       err = {0};
    int               far = -3, twice[2] = {1, -1}, one = 1;

    CHECK_STATUS(stria_meta_infer_reduce(STRIA_RED_sum, x, &far, 1, false, STRIA_DTYPE_NONE, NULL, &meta, &err),
                 STRIA_ERR_AXIS);
    CHECK(strcmp(err.message, "sum: axis -3 is out of range for 2 dims") == 0, "%s", err.message);
    CHECK_STATUS(stria_meta_infer_reduce(STRIA_RED_sum, x, twice, 2, false, STRIA_DTYPE_NONE, NULL, &meta, &err),
                 STRIA_ERR_AXIS);
    CHECK(strcmp(err.message, "sum: axis -1 is given twice") == 0, "%s", err.message);
    CHECK_STATUS(stria_meta_infer_reduce(STRIA_RED_amin, x, &one, 1, false, STRIA_DTYPE_NONE, NULL, &meta, &err),
                 STRIA_ERR_EMPTY);
    CHECK(strcmp(err.message, "amin: axis 1 has size 0, and there is no amin of nothing") == 0, "%s", err.message);
    CHECK_STATUS(stria_meta_infer_reduce(STRIA_RED_mean, x, NULL, 0, false, STRIA_DTYPE_NONE, NULL, &meta, &err),
                 STRIA_ERR_DTYPE);
    CHECK(strcmp(err.message, "mean: i32 is not supported; give a float dtype") == 0, "%s", err.message);
    CHECK_STATUS(stria_meta_infer_reduce(STRIA_RED_sum, NULL, NULL, 0, false, STRIA_DTYPE_NONE, NULL, &meta, &err),
                 STRIA_ERR_ARGUMENT);
    stria_tensor_release(x);
}

SUITE(test_meta)
{
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) check_accepted(i);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) check_refused(i);
    check_contracts();
    check_overflow();
    check_reduce_cases(argc > 1 ? argv[1] : "tests/data/cases.json");
    for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++) check_reduce_dtypes(i);
    check_reduce_messages();
    return check_finish("test_meta");
}
