/* test_error_kinds.c - every kind of error of the specification (tests/data/cases.json, format.error_kinds), as the library words
 * it: operation, argument, what was expected and what came, and shapes or dtypes where they are the matter. */
#include <string.h>

#include "case_list.h"
#include "iter.h"
#include "oracle.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define AXES(...) ((const int[]){__VA_ARGS__})

static stria_error       err;
static stria_tensor     *x, *y, *column, *whole, *flags, *expanded, *shifted, *part, *meta, *single, *other, *empty;
static stria_iter        it;
static stria_iter_config config;

static stria_status build(void)
{
    const stria_status status = stria_iter_build(&it, &config, &err);

    stria_iter_config_release(&config);
    stria_iter_release(&it); /* harmless after a failure */
    return status;
}

static stria_status apply(stria_op op, const stria_tensor *a, const stria_tensor *b, stria_tensor *out)
{
    const stria_tensor *in[] = {a, b};
    stria_tensor       *made = NULL;
    const stria_status  status =
        out != NULL ? stria_apply_out(op, in, b ? 2 : 1, out, &err) : stria_apply(op, in, b ? 2 : 1, &made, &err);

    stria_tensor_release(made);
    return status;
}

static stria_status reduce(stria_reduction op, const stria_tensor *in, int n_axes, const int *axes)
{
    stria_tensor      *made = NULL;
    const stria_status status = stria_reduce(op, in, axes, n_axes, false, STRIA_DTYPE_NONE, &made, &err);

    stria_tensor_release(made);
    return status;
}

/* ---------------------------------------------------------------- how to get each kind */

static stria_status broadcast(void) { return apply(STRIA_OP_add, x, other, NULL); }
static stria_status output_shape(void) { return apply(STRIA_OP_add, column, x, column); }
static stria_status internal_overlap(void) { return apply(STRIA_OP_add, x, x, expanded); }
static stria_status partial_overlap(void) { return apply(STRIA_OP_neg, shifted, NULL, part); }

static stria_status dtype_mismatch(void)
{
    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, "blend");
    stria_iter_config_add_output(&config, x);
    stria_iter_config_add_input(&config, x);
    stria_iter_config_add_input(&config, whole);
    return build();
}

static stria_status unsafe_cast(void) { return apply(STRIA_OP_add, x, x, whole); }
static stria_status device(void) { return apply(STRIA_OP_add, x, meta, NULL); }

static stria_status too_many_cpu_scalars(void)
{
    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, "blend");
    stria_iter_config_set_allow_cpu_scalars(&config, true);
    stria_iter_config_add_output(&config, NULL);
    stria_iter_config_add_input(&config, meta);
    stria_iter_config_add_input(&config, single);
    stria_iter_config_add_input(&config, single);
    return build();
}

static stria_status internal(void)
{
    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, "blend");
    stria_iter_config_add_input(&config, x);
    stria_iter_config_add_output(&config, NULL);
    return build();
}

static stria_status config_order(void)
{
    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, "blend");
    stria_iter_config_set_static_shape(&config, 2, SHAPE(2, 3), NULL, 0);
    return build();
}

static stria_status squash_range(void)
{
    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, "blend");
    stria_iter_config_set_resize_outputs(&config, false);
    stria_iter_config_set_static_shape(&config, 2, SHAPE(2, 3), AXES(2), 1);
    return build();
}

static stria_status reduce_outputs_differ(void)
{
    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, "blend");
    stria_iter_config_set_reduce_op_pair(&config, x, column, x);
    return build();
}

static stria_status dim_range(void) { return reduce(STRIA_RED_sum, x, 1, AXES(2)); }
static stria_status duplicate_dim(void) { return reduce(STRIA_RED_sum, x, 2, AXES(1, -1)); }
static stria_status empty_no_dim(void) { return reduce(STRIA_RED_amax, empty, 0, NULL); }
static stria_status empty_reduced_dim(void) { return reduce(STRIA_RED_amin, empty, 1, AXES(0)); }
static stria_status mean_dtype(void) { return reduce(STRIA_RED_mean, whole, 0, NULL); }
static stria_status var_dtype(void)
{
    stria_tensor      *made = NULL;
    const stria_status status = stria_var(whole, NULL, 0, 1, false, &made, &err);

    stria_tensor_release(made);
    return status;
}

static stria_status bool_subtract(void) { return apply(STRIA_OP_sub, flags, flags, NULL); }

static stria_status negative_int_power(void)
{
    const stria_scalar exponent = {.kind = STRIA_SCALAR_INT, .i = -1};
    stria_tensor      *number = NULL;

    CHECK_STATUS(stria_tensor_new_scalar(exponent, &number, NULL), STRIA_OK);
    const stria_status status = apply(STRIA_OP_pow, whole, number, NULL);
    stria_tensor_release(number);
    return status;
}

typedef stria_status provoke_fn(void);
#define KIND(name, status, op, argument, expected, got, message)          \
    {                                                                     \
#name, name, STRIA_##status, op, argument, expected, got, message \
    }
static const struct {
    const char  *kind;
    provoke_fn  *provoke;
    stria_status status;
    const char  *op, *argument, *expected, *got, *message;
} kinds[] = {
    KIND(broadcast, ERR_SHAPE, "add", "b", "[2,3]", "[4]", "add: shapes [2,3] and [4] do not broadcast at axis 1"),
    KIND(output_shape, ERR_SHAPE, "add", "out", "[2,1]", "[2,3]",
         "add: in-place: a result of shape [2,3] does not fit a tensor of shape [2,1]"),
    KIND(internal_overlap, ERR_OVERLAP, "add", "out", "one address for each element", "[1,0]",
         "add: the output, of shape [2,3] and strides [1,0], has several elements at one address; copy it first"),
    KIND(partial_overlap, ERR_OVERLAP, "neg", "out", "all or none of an input's memory", "a part",
         "neg: the output of shape [3] and input 0 of shape [3] share part of their memory; copy the input first"),
    KIND(dtype_mismatch, ERR_DTYPE, "blend", "in", "f32", "i32", "blend: operand 2 is i32 but the first input is f32"),
    KIND(unsafe_cast, ERR_DTYPE, "add", "out", "f32", "i32", "add: a result of f32 does not cast to an out of i32"),
    KIND(device, ERR_DEVICE, "add", "a", "meta", "cpu", "add: a is on cpu but the other operands are on meta"),
    KIND(too_many_cpu_scalars, ERR_DEVICE, "blend", "in", "meta", "cpu",
         "blend: more than one CPU scalar beside operands on meta"),
    KIND(internal, ERR_INTERNAL, "blend", "config", "", "", "blend: an output was added after an input"),
    KIND(config_order, ERR_CONFIG, "blend", "config", "", "", "blend: static_shape needs resize_outputs off before"),
    KIND(squash_range, ERR_AXIS, "blend", "config", "", "", "blend: a squash axis of static_shape is out of range"),
    KIND(reduce_outputs_differ, ERR_SHAPE, "blend", "config", "[2,3]", "[2,1]",
         "blend: the two outputs differ in shape or strides: [2,3] and [2,1]"),
    KIND(dim_range, ERR_AXIS, "sum", "axes", "-2 .. 1", "2", "sum: axis 2 is out of range for 2 dims"),
    KIND(duplicate_dim, ERR_AXIS, "sum", "axes", "each axis once", "-1", "sum: axis -1 is given twice"),
    KIND(empty_no_dim, ERR_EMPTY, "amax", "x", "elements along every reduced axis", "[0,3]",
         "amax: axis 0 has size 0, and there is no amax of nothing"),
    KIND(empty_reduced_dim, ERR_EMPTY, "amin", "x", "elements along every reduced axis", "[0,3]",
         "amin: axis 0 has size 0, and there is no amin of nothing"),
    KIND(mean_dtype, ERR_DTYPE, "mean", "x", "", "i32", "mean: i32 is not supported; give a float dtype"),
    KIND(var_dtype, ERR_DTYPE, "var", "x", "a float or complex", "i32",
         "var: x is i32, but must be a float or complex"),
    KIND(negative_int_power, ERR_ARGUMENT, "pow", "b", "a power >= 0", "",
         "pow: integers to a negative integer power; convert to a float first"),
    KIND(bool_subtract, ERR_DTYPE, "sub", "a", "", "bool", "sub: bool is not supported; use bitwise_xor"),
};
#undef KIND

/* Promotion of u16 .. u64 is defined here (docs/semantics.md); the others wait for their ops. */
static const char *const left_out[] = {"unsupported_promotion", "norm_dtype", "zero_division"};

static void check_kind(size_t i)
{
    memset(&err, 0, sizeof err);
    const stria_status status = kinds[i].provoke();
    CHECK(status == kinds[i].status && err.code == status, "%s: %s", kinds[i].kind, stria_status_get_name(status));
    CHECK(strcmp(err.op, kinds[i].op) == 0, "%s: op is '%s'", kinds[i].kind, err.op);
    CHECK(strcmp(err.argument, kinds[i].argument) == 0, "%s: argument is '%s'", kinds[i].kind, err.argument);
    CHECK(strcmp(err.expected, kinds[i].expected) == 0 && strcmp(err.got, kinds[i].got) == 0,
          "%s: expected is '%s', got '%s'", kinds[i].kind, err.expected, err.got);
    CHECK(strcmp(err.message, kinds[i].message) == 0, "%s: the message is '%s'", kinds[i].kind, err.message);
}

/* Every kind of the specification is above or left out by name. */
static void check_list(void)
{
    json *file = json_parse_file(CASES_PATH);
    int   n = 0;

    CHECK(file != NULL, "cannot read %s", CASES_PATH);
    const json *known = json_get(json_get(file, "format"), "error_kinds");
    for (const json *kind = known != NULL ? known->first : NULL; kind != NULL; kind = kind->next) {
        int found = 0;
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) found += strcmp(kinds[i].kind, kind->key) == 0;
        for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) found += strcmp(left_out[i], kind->key) == 0;
        CHECK(found == 1, "kind %s is found %d times", kind->key, found);
        n++;
    }
    CHECK(n == 23, "%d kinds", n);
    json_free(file);
}

static void make_tensors(void)
{
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, SHAPE(2, 3), &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, SHAPE(2, 3), &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, SHAPE(2, 1), &column, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, SHAPE(4), &other, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_I32, 2, SHAPE(2, 3), &whole, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 2, SHAPE(2, 3), &flags, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, SHAPE(0, 3), &empty, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 0, NULL, &single, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(SHAPE(2, 3), 2, STRIA_F32, STRIA_META, &meta, NULL), STRIA_OK);
    CHECK_STATUS(stria_expand(column, SHAPE(2, 3), 2, &expanded, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(other, 0, 0, 3, 1, &part, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(other, 0, 1, 4, 1, &shifted, NULL), STRIA_OK);
    memset(stria_tensor_get_data(whole), 0, 24);
}

SUITE(test_error_kinds)
{
    make_tensors();
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) check_kind(i);
    check_list();
    stria_tensor *const all[] = {x, y, column, whole, flags, expanded, shifted, part, meta, single, other, empty};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) stria_tensor_release(all[i]);
    return check_finish("test_error_kinds");
}
