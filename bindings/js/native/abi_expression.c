/* abi_expression.c - the flat ABI: several element-wise ops in one pass (layout of the program: abi.h). */
#include "abi.h"
#include "abi_table.h"
#include "base/error.h"

/* A number in the place of an integer, or something out of any range. */
static int get_small(double value) { return value >= -1 && value <= 1000 ? (int)value : -1; }

double stria_abi_expression(double n_in, double n_constants, double n_code, double out)
{
    const double     *n = stria_abi_get_scratch()->n;
    stria_error      *err = &stria_abi_get_scratch()->error;
    stria_tensor     *in[STRIA_EXPRESSION_MAX_INPUTS], *y = NULL;
    stria_scalar      constants[STRIA_EXPRESSION_MAX_CONSTANTS];
    stria_instruction code[STRIA_EXPRESSION_MAX_CODE];
    stria_expression  e = {get_small(n_in), get_small(n_constants), get_small(n_code), constants, code};
    stria_status      status;

    for (int k = 0; k < e.n_in && k < STRIA_EXPRESSION_MAX_INPUTS; k++) {
        in[k] = stria_abi_get_tensor(n[STRIA_ABI_N_EXPRESSION_INPUTS + k], "kernel", "input");
        if (!in[k]) return -STRIA_ERR_DISPOSED;
    }
    for (int k = 0; k < e.n_constants && k < STRIA_EXPRESSION_MAX_CONSTANTS; k++) {
        const double *at = n + STRIA_ABI_N_EXPRESSION_CONSTANTS + 2 * k;
        const bool    is_float = at[0] == STRIA_SCALAR_FLOAT;
        constants[k] = (stria_scalar){at[0] == STRIA_SCALAR_BOOL ? STRIA_SCALAR_BOOL
                                      : is_float                 ? STRIA_SCALAR_FLOAT
                                                                 : STRIA_SCALAR_INT,
                                      is_float ? 0 : stria_abi_get_int64(at[1]), at[1], 0};
    }
    for (int k = 0; k < e.n_code && k < STRIA_EXPRESSION_MAX_CODE; k++) {
        const double *at = n + STRIA_ABI_N_EXPRESSION_CODE + 4 * k;
        code[k].op = (stria_op)get_small(at[0]);
        for (int i = 0; i < STRIA_MAX_INPUTS; i++) code[k].in[i] = get_small(at[1 + i]);
    }
    if (out != 0) {
        y = stria_abi_get_tensor(out, "kernel", "out");
        if (!y) return -STRIA_ERR_DISPOSED;
        return -(double)stria_expression_apply_out(&e, (const stria_tensor *const *)in, y, err);
    }
    status = stria_expression_apply(&e, (const stria_tensor *const *)in, &y, err);
    return stria_abi_get_result(status, y);
}
