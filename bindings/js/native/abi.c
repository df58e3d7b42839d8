/* abi.c - the flat ABI: tensors, ops, copies, state. inspect is in abi_inspect.c, functions.def in abi_call.c, devices in abi_device.c. */
#include "abi.h"

#include <stdio.h>
#include <string.h>

#include "abi_table.h"
#include "base/error.h"
#include "call/meta.h"
#include "table/schema.h"

static const char *const input_names[STRIA_MAX_INPUTS] = {"a", "b", "c"};

static stria_error *error_get(void) { return &stria_abi_get_scratch()->error; }

double stria_abi_layout(double part)
{
    static const size_t offsets[] = {
        offsetof(stria_abi_scratch, n),
        offsetof(stria_abi_scratch, operand),
        offsetof(stria_abi_scratch, error.op),
        offsetof(stria_abi_scratch, error.argument),
        offsetof(stria_abi_scratch, error.expected),
        offsetof(stria_abi_scratch, error.got),
        offsetof(stria_abi_scratch, error.message),
        sizeof(stria_abi_scratch),
    };
    int k = stria_abi_get_int(part);
    return k >= 0 && k < (int)(sizeof offsets / sizeof *offsets) ? (double)offsets[k] : -1;
}

static uint32_t hash_add(uint32_t hash, const char *word)
{
    for (; *word; word++) hash = (hash ^ (uint8_t)*word) * 16777619u; /* FNV-1a */
    return (hash ^ '\n') * 16777619u;
}

static uint32_t number_add(uint32_t hash, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    return hash_add(hash, text);
}

/* A word that may be NULL. */
static uint32_t word_add(uint32_t hash, const char *word) { return hash_add(hash, word != NULL ? word : ""); }

static uint32_t params_add(uint32_t hash, const stria_param *params, int n)
{
    for (int k = 0; k < n; k++) {
        hash = hash_add(hash_add(hash, params[k].kind_name), params[k].name);
        hash = word_add(word_add(hash, params[k].usual), params[k].words);
        hash = number_add(hash, params[k].n);
    }
    return hash;
}

/* A function with its parameters: how a call is read depends on them. */
static uint32_t function_add(uint32_t hash, const stria_schema *schema)
{
    hash = params_add(hash_add(hash, schema->name), schema->tensors, schema->n_tensors);
    hash = params_add(hash, schema->attributes, schema->n_attributes);
    return params_add(hash, schema->outputs, schema->n_outputs);
}

/* What is known of a row by its words alone. */
typedef struct named {
    const char *name;
    int         number;
} named;

static const char *const op_results[] = {
#define STRIA_OP(set, name, arity, result, lanes, summary) #result,
#include "table/ops.def"
};
static const char *const reduction_results[] = {
#define STRIA_RED(set, name, result, identity, combine, finish, summary) #result,
#include "table/ops.def"
};
static const char *const words[] = {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) js,
#include "table/dtypes.def"
#define STRIA_STATUS(name, number, js_class, text) #name,
#include "base/status.def"
};
static const named numbers[] = {
#define STRIA_DEVICE_TYPE(name, ENUM, most, summary) {#name, most},
#include "table/devices.def"
#define STRIA_ABI(name, n_args, summary) {#name, n_args},
#include "abi.def"
};

double stria_abi_fingerprint(void)
{
    uint32_t hash = 2166136261u;

    for (int k = 0; k < STRIA_OP_COUNT; k++)
        hash = hash_add(number_add(hash_add(hash, stria_op_infos[k].name), stria_op_infos[k].arity), op_results[k]);
    for (int k = 0; k < STRIA_RED_COUNT; k++)
        hash = hash_add(hash_add(hash, stria_reduction_infos[k].name), reduction_results[k]);
    for (int k = 0; k < STRIA_FN_COUNT; k++) hash = function_add(hash, stria_schema_get((stria_function)k));
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) hash = hash_add(hash, words[k]);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        hash = number_add(hash_add(hash, numbers[k].name), numbers[k].number);
    return hash;
}

/* ---------------------------------------------------------------- arguments */

static bool op_is_valid(double op, int count, const char *what)
{
    if (op >= 0 && op < count) return true;
    stria_error_set(error_get(), STRIA_ERR_ARGUMENT, what, "op", NULL, NULL, "no such operation");
    return false;
}

stria_status stria_abi_get_dtype(double value, const char *op, bool allow_none, stria_dtype *dtype)
{
    int number = stria_abi_get_int(value);
    if (number < (allow_none ? -1 : 0) || number >= STRIA_DTYPE_COUNT)
        return stria_error_set(error_get(), STRIA_ERR_DTYPE, op, "dtype", "a dtype", NULL, "no such dtype");
    *dtype = (stria_dtype)number;
    return STRIA_OK;
}

bool stria_abi_get_scalar(int k, stria_scalar *value)
{
    if (k < 0 || k >= STRIA_ABI_OPERANDS) return false;
    const stria_abi_operand *operand = &stria_abi_get_scratch()->operand[k];
    if (!(operand->kind >= STRIA_SCALAR_BOOL && operand->kind <= STRIA_SCALAR_UINT)) return false;
    value->kind = (stria_scalar_kind)operand->kind;
    value->i = value->kind == STRIA_SCALAR_BOOL ? operand->re != 0 : operand->i;
    value->re = operand->re;
    value->im = operand->im;
    return true;
}

stria_status stria_abi_get_operand(int k, const char *op, const char *argument, stria_tensor **x, stria_tensor **owned)
{
    stria_scalar value;
    *owned = NULL;
    if (stria_abi_get_scalar(k, &value)) {
        stria_status status = stria_tensor_new_scalar(value, owned, error_get());
        *x = *owned;
        return status;
    }
    *x = stria_abi_get_tensor(stria_abi_get_scratch()->operand[k].re, op, argument);
    return *x ? STRIA_OK : STRIA_ERR_DISPOSED;
}

/* ---------------------------------------------------------------- tensors */

double stria_abi_tensor_new(double dtype, double ndim)
{
    int64_t       shape[STRIA_MAX_DIMS];
    int           n = stria_abi_get_sizes(0, ndim, shape);
    stria_dtype   type = STRIA_DTYPE_NONE;
    stria_tensor *x = NULL;
    stria_status  status = stria_abi_get_dtype(dtype, "empty", false, &type);
    if (status == STRIA_OK) status = stria_tensor_new(type, n, shape, &x, error_get());
    return stria_abi_get_result(status, x);
}

double stria_abi_describe(double a)
{
    stria_tensor *x = stria_abi_get_tensor(a, "describe", "x");
    double       *n = stria_abi_get_scratch()->n;
    if (!x) return -STRIA_ERR_DISPOSED;
    n[0] = x->dtype;
    n[1] = x->device.type;
    n[2] = (double)x->numel;
    n[3] = stria_tensor_get_contiguous(x);
    n[4] = (double)(uintptr_t)stria_tensor_get_const_data(x);
    n[5] = (double)stria_tensor_get_storage_nbytes(x);
    n[6] = (double)stria_dtype_get_size(x->dtype);
    n[7] = x->device.index;
    for (int d = 0; d < x->ndim; d++) {
        n[STRIA_ABI_N_SHAPE + d] = (double)x->shape[d];
        n[STRIA_ABI_N_STRIDES + d] = (double)x->strides[d];
    }
    return x->ndim;
}

/* ---------------------------------------------------------------- ops */

static double apply_handles(double op, const double *handles, int n_in)
{
    const stria_tensor *in[STRIA_MAX_INPUTS];
    stria_tensor       *out = NULL;
    if (!op_is_valid(op, STRIA_OP_COUNT, "apply")) return -STRIA_ERR_ARGUMENT;
    for (int k = 0; k < n_in; k++) {
        in[k] = stria_abi_get_tensor(handles[k], stria_op_infos[(int)op].name, input_names[k]);
        if (!in[k]) return -STRIA_ERR_DISPOSED;
    }
    stria_status status = stria_apply((stria_op)op, in, n_in, &out, error_get());
    return stria_abi_get_result(status, out);
}

double stria_abi_apply1(double op, double a) { return apply_handles(op, (const double[]){a}, 1); }

double stria_abi_apply2(double op, double a, double b) { return apply_handles(op, (const double[]){a, b}, 2); }

double stria_abi_apply3(double op, double a, double b, double c)
{
    return apply_handles(op, (const double[]){a, b, c}, 3);
}

double stria_abi_apply2_number(double op, double a, double kind, double value, double swap)
{
    stria_abi_operand *operand = stria_abi_get_scratch()->operand;
    int                number = swap != 0 ? 0 : 1;
    operand[number] = (stria_abi_operand){kind, value, 0, stria_abi_get_int64(value)};
    operand[1 - number] = (stria_abi_operand){STRIA_ABI_HANDLE, a, 0, 0};
    return stria_abi_apply(op, 2, 0);
}

static double apply_handles_out(double op, const double *handles, int n_in, double out)
{
    const stria_tensor *in[STRIA_MAX_INPUTS];
    stria_tensor       *y;
    if (!op_is_valid(op, STRIA_OP_COUNT, "apply")) return -STRIA_ERR_ARGUMENT;
    y = stria_abi_get_tensor(out, stria_op_infos[(int)op].name, "out");
    if (!y) return -STRIA_ERR_DISPOSED;
    for (int k = 0; k < n_in; k++) {
        in[k] = stria_abi_get_tensor(handles[k], stria_op_infos[(int)op].name, input_names[k]);
        if (!in[k]) return -STRIA_ERR_DISPOSED;
    }
    return -(double)stria_apply_out((stria_op)op, in, n_in, y, error_get());
}

double stria_abi_apply1_out(double op, double a, double out)
{
    return apply_handles_out(op, (const double[]){a}, 1, out);
}

double stria_abi_apply2_out(double op, double a, double b, double out)
{
    return apply_handles_out(op, (const double[]){a, b}, 2, out);
}

double stria_abi_apply(double op, double n_in, double out)
{
    stria_tensor *in[STRIA_MAX_INPUTS], *owned[STRIA_MAX_INPUTS] = {NULL}, *y = NULL;
    stria_status  status = STRIA_OK;
    int           n = stria_abi_get_int(n_in);
    if (!op_is_valid(op, STRIA_OP_COUNT, "apply") || n < 1 || n > STRIA_MAX_INPUTS) return -STRIA_ERR_ARGUMENT;
    for (int k = 0; k < n && status == STRIA_OK; k++) {
        in[k] = NULL;
        if (k == 0 || stria_abi_get_scratch()->operand[k].kind != STRIA_ABI_NONE)
            status = stria_abi_get_operand(k, stria_op_infos[(int)op].name, input_names[k], &in[k], &owned[k]);
    }
    if (status == STRIA_OK && out != 0) {
        y = stria_abi_get_tensor(out, stria_op_infos[(int)op].name, "out");
        status =
            y ? stria_apply_out((stria_op)op, (const stria_tensor *const *)in, n, y, error_get()) : STRIA_ERR_DISPOSED;
    } else if (status == STRIA_OK) {
        status = stria_apply((stria_op)op, (const stria_tensor *const *)in, n, &y, error_get());
    }
    for (int k = 0; k < n; k++) stria_tensor_release(owned[k]);
    if (status == STRIA_OK && out != 0) return 0;
    return stria_abi_get_result(status, y);
}

double stria_abi_reduce(double op, double a, double n_axes, double keepdim, double dtype, double out)
{
    int           axes[STRIA_MAX_DIMS + 1], n = stria_abi_get_axes(n_axes, axes);
    stria_tensor *x, *y = NULL;
    stria_dtype   type = STRIA_DTYPE_NONE;
    const char   *name;
    stria_status  status;
    if (!op_is_valid(op, STRIA_RED_COUNT, "reduce")) return -STRIA_ERR_ARGUMENT;
    name = stria_reduction_infos[(int)op].name;
    x = stria_abi_get_tensor(a, name, "x");
    if (!x) return -STRIA_ERR_DISPOSED;
    status = stria_abi_get_dtype(dtype, name, true, &type);
    if (status != STRIA_OK) return -(double)status;
    if (n < 0) n = 0;
    if (out == 0) {
        status = stria_reduce((stria_reduction)op, x, axes, n, keepdim != 0, type, &y, error_get());
        return stria_abi_get_result(status, y);
    }
    y = stria_abi_get_tensor(out, name, "out");
    if (!y) return -STRIA_ERR_DISPOSED;
    return -(double)stria_reduce_out((stria_reduction)op, x, axes, n, keepdim != 0, type, y, error_get());
}

/* ---------------------------------------------------------------- copies */

double stria_abi_copy(double a, double dtype)
{
    stria_tensor *x = stria_abi_get_tensor(a, "to", "x"), *y = NULL;
    stria_dtype   type = STRIA_DTYPE_NONE;
    stria_status  status;
    if (!x) return -STRIA_ERR_DISPOSED;
    status = stria_abi_get_dtype(dtype, "to", true, &type);
    if (status == STRIA_OK) status = stria_tensor_copy(x, type == STRIA_DTYPE_NONE ? x->dtype : type, &y, error_get());
    return stria_abi_get_result(status, y);
}

double stria_abi_set(double out)
{
    stria_tensor *y = stria_abi_get_tensor(out, "copy_", "out"), *x, *owned;
    stria_status  status;
    if (!y) return -STRIA_ERR_DISPOSED;
    status = stria_abi_get_operand(0, "copy_", "x", &x, &owned);
    if (status == STRIA_OK) status = stria_tensor_set(y, x, error_get());
    stria_tensor_release(owned);
    return -(double)status;
}

/* ---------------------------------------------------------------- borrowing */

double stria_abi_borrow(double a)
{
    stria_tensor *x = stria_abi_get_tensor(a, "borrow", "x"), *held = NULL;
    if (!x) return -STRIA_ERR_DISPOSED;
    stria_status status = stria_tensor_borrow(x, &held, error_get());
    if (status != STRIA_OK) return -(double)status;
    double handle = stria_abi_put_tensor(stria_tensor_retain(held));
    if (handle < 0)
        stria_tensor_give_back(held, false);
    else
        stria_tensor_release(held); /* the table owns it now */
    return handle;
}

double stria_abi_give_back(double handle, double is_written)
{
    stria_tensor *held = stria_abi_find_tensor(handle);
    if (!held) return -STRIA_ERR_DISPOSED;
    stria_tensor_give_back(stria_tensor_retain(held), is_written != 0);
    return stria_abi_dispose(handle);
}

/* ---------------------------------------------------------------- state of the process */

double stria_abi_threads_set(double n_threads)
{
    return -(double)stria_threads_set(stria_abi_get_int(n_threads), error_get());
}

double stria_abi_threads_get(void) { return stria_threads_get(); }

double stria_abi_isa(void)
{
    stria_status status = stria_isa_get_status(error_get());
    if (status == STRIA_OK) snprintf(error_get()->message, sizeof error_get()->message, "%s", stria_isa_get_name());
    return -(double)status;
}
