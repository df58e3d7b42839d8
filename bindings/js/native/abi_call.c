/* abi_call.c - the rows of functions.def through the flat ABI: one entry for all of them. */
#include "abi_table.h"
#include "base/error.h"

#define MAX_INPUTS 3

/* What a call found in the scratch block, whatever the kind of the function. */
typedef struct call {
    const stria_tensor *in[MAX_INPUTS]; /* NULL: absent */
    stria_dtype         dtype;
    bool                keepdim;
    double              number;
    int                 axis;  /* first of the list, or STRIA_AXIS_NONE */
    int                 count; /* of the list; 0 if none was given */
    int                 axes[STRIA_MAX_DIMS + 1];
    int64_t             sizes[STRIA_MAX_DIMS];
} call;

static const char *const function_names[] = {
#define STRIA_FN(kind, name, result, summary) #name,
#include "table/functions.def"
};

/* Names of the inputs of each kind, for errors. */
#define INPUTS_PRODUCT "a", "b"
#define INPUTS_ARG "x"
#define INPUTS_MOMENT "x"
#define INPUTS_POWER "x"
#define INPUTS_SCAN "x"
#define INPUTS_ROW "x"
#define INPUTS_NORM "x", "weight", "bias"
#define INPUTS_MASK "x", "mask"
#define INPUTS_FILL "x", "mask", "value"
#define INPUTS_COUNT "x", "weights"
static const char input_names[][MAX_INPUTS][8] = {
#define STRIA_FN(kind, name, result, summary) {INPUTS_##kind},
#include "table/functions.def"
};

/* The parameters of each kind, in the order of STRIA_PARAMS_<kind>. */
#define ARGS_PRODUCT c->in[0], c->in[1]
#define ARGS_ARG c->in[0], c->axis, c->keepdim
#define ARGS_MOMENT c->in[0], c->axes, c->count, c->number, c->keepdim
#define ARGS_POWER c->in[0], c->number, c->axes, c->count, c->keepdim
#define ARGS_SCAN c->in[0], c->axis, c->dtype
#define ARGS_ROW c->in[0], c->axis, c->dtype
#define ARGS_NORM c->in[0], c->sizes, c->count, c->in[1], c->in[2], c->number
#define ARGS_MASK c->in[0], c->in[1]
#define ARGS_FILL c->in[0], c->in[1], c->in[2]
#define ARGS_COUNT c->in[0], c->in[1], c->count > 0 ? c->sizes[0] : 0

/* Into out, or, where that is NULL, a new *y. */
static stria_status run(stria_function function, const call *c, stria_tensor *out, stria_tensor **y, stria_error *err)
{
    switch (function) {
#define STRIA_FN(kind, name, result, summary) \
    case STRIA_FN_##name:                     \
        return out ? stria_##name##_out(ARGS_##kind, out, err) : stria_##name(ARGS_##kind, y, err);
#include "table/functions.def"
    default: return STRIA_ERR_INTERNAL;
    }
}

static stria_status read_parameters(const char *name, call *c)
{
    const double *n = stria_abi_get_scratch()->n;
    STRIA_TRY(stria_abi_get_dtype(n[0], name, true, &c->dtype));
    c->keepdim = n[1] != 0;
    c->number = n[2];
    c->count = stria_abi_get_sizes(STRIA_ABI_N_LIST, n[3], c->sizes);
    for (int k = 0; k < c->count; k++) c->axes[k] = stria_abi_get_int(n[STRIA_ABI_N_LIST + k]);
    c->axis = c->count > 0 ? c->axes[0] : STRIA_AXIS_NONE;
    if (c->count < 0) c->count = 0;
    return STRIA_OK;
}

double stria_abi_call(double function, double n_in, double out)
{
    stria_tensor *in[MAX_INPUTS] = {NULL}, *owned[MAX_INPUTS] = {NULL}, *y = NULL;
    stria_error  *err = &stria_abi_get_scratch()->error;
    const int     n = stria_abi_get_int(n_in);
    stria_status  status;
    call          c = {{NULL}, STRIA_DTYPE_NONE, false, 0, 0, 0, {0}, {0}};

    if (!(function >= 0 && function < STRIA_FN_COUNT) || n < 1 || n > MAX_INPUTS)
        return -(double)stria_error_set(err, STRIA_ERR_ARGUMENT, "call", "function", NULL, NULL, "no such function");
    const stria_function number = (stria_function)function;
    const char          *name = function_names[number];
    status = read_parameters(name, &c);
    for (int k = 0; k < n && status == STRIA_OK; k++) {
        if (stria_abi_get_scratch()->operand[k].kind == STRIA_ABI_ABSENT) continue;
        status = stria_abi_get_operand(k, name, input_names[number][k], &in[k], &owned[k]);
        c.in[k] = in[k];
    }
    if (status == STRIA_OK && out != 0) {
        y = stria_abi_get_tensor(out, name, "out");
        status = y ? run(number, &c, y, NULL, err) : STRIA_ERR_DISPOSED;
    } else if (status == STRIA_OK) {
        status = run(number, &c, NULL, &y, err);
    }
    for (int k = 0; k < n; k++) stria_tensor_release(owned[k]);
    return status == STRIA_OK && out != 0 ? 0 : stria_abi_get_result(status, y);
}
