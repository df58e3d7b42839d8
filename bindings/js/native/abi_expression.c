/* abi_expression.c - the flat ABI: several element-wise ops in one pass. A program is written piece by piece, then made an
 * expression. */
#include <string.h>

#include "abi.h"
#include "abi_table.h"
#include "base/alloc.h"
#include "base/error.h"

#define OP "expression"
#define FIRST_CAPACITY 16

/* A list that grows; `items` has room for `capacity` items of one size. */
typedef struct list {
    char *items;
    int   n, capacity;
} list;

/* The program being written. */
typedef struct draft {
    list constants, code; /* stria_scalar, stria_instruction */
} draft;

#if defined(__EMSCRIPTEN__)
static draft writing; /* only the main thread of a module calls the ABI */
#else
static _Thread_local draft writing;
#endif

static void list_release(list *l)
{
    if (l->items != NULL) stria_object_release(l->items);
    *l = (list){NULL, 0, 0};
}

static void draft_release(void)
{
    list_release(&writing.constants);
    list_release(&writing.code);
}

static double refuse_memory(void)
{
    draft_release();
    return -(double)stria_error_set(&stria_abi_get_scratch()->error, STRIA_ERR_MEMORY, OP, NULL, NULL, NULL,
                                    "no memory for the expression");
}

/* Room for one more of nbytes, but never for more than one beyond `most`: the expression is refused then. NULL: no memory. */
static void *list_add(list *l, size_t nbytes, int most)
{
    if (l->n > most) return l->items + (size_t)most * nbytes;
    if (l->n == l->capacity) {
        const int capacity = l->capacity > 0 ? 2 * l->capacity : FIRST_CAPACITY;
        char     *items = stria_object_new((size_t)capacity * nbytes);
        if (items == NULL) return NULL;
        if (l->n > 0) memcpy(items, l->items, (size_t)l->n * nbytes);
        if (l->items != NULL) stria_object_release(l->items);
        l->items = items;
        l->capacity = capacity;
    }
    return l->items + (size_t)l->n++ * nbytes;
}

double stria_abi_expression_constant(double kind, double value, double im)
{
    stria_scalar *constant = list_add(&writing.constants, sizeof *constant, STRIA_EXPRESSION_MAX_CONSTANTS);

    if (constant == NULL) return refuse_memory();
    constant->kind = kind == STRIA_SCALAR_FLOAT     ? STRIA_SCALAR_FLOAT
                     : kind == STRIA_SCALAR_COMPLEX ? STRIA_SCALAR_COMPLEX
                     : kind == STRIA_SCALAR_BOOL    ? STRIA_SCALAR_BOOL
                                                    : STRIA_SCALAR_INT;
    const bool is_whole = constant->kind == STRIA_SCALAR_INT || constant->kind == STRIA_SCALAR_BOOL;
    constant->i = is_whole ? stria_abi_get_int64(value) : 0;
    constant->re = value;
    constant->im = im;
    return 0;
}

double stria_abi_expression_op(double op, double in0, double in1, double in2)
{
    stria_instruction *instruction = list_add(&writing.code, sizeof *instruction, STRIA_EXPRESSION_MAX_CODE);

    if (instruction == NULL) return refuse_memory();
    instruction->op = (stria_op)stria_abi_get_int(op);
    instruction->in[0] = stria_abi_get_int(in0);
    instruction->in[1] = stria_abi_get_int(in1);
    instruction->in[2] = stria_abi_get_int(in2);
    return 0;
}

double stria_abi_expression_new(double n_in)
{
    const stria_instruction *code = (const stria_instruction *)(void *)writing.code.items;
    const stria_scalar      *constants = (const stria_scalar *)(void *)writing.constants.items;
    stria_expression        *made;

    const stria_status status = stria_expression_new(stria_abi_get_int(n_in), constants, writing.constants.n, code,
                                                     writing.code.n, &made, &stria_abi_get_scratch()->error);
    draft_release();
    return status == STRIA_OK ? stria_abi_put_object(made, &stria_abi_expressions) : -(double)status;
}

double stria_abi_expression(double expression, double n_in, double out)
{
    const double     *n = stria_abi_get_scratch()->n;
    stria_error      *err = &stria_abi_get_scratch()->error;
    const int         count = stria_abi_get_int(n_in);
    stria_expression *e = stria_abi_get_object(expression, &stria_abi_expressions, "kernel", "kernel");
    stria_tensor     *in[STRIA_EXPRESSION_MAX_INPUTS], *y = NULL;

    if (e == NULL) return -STRIA_ERR_DISPOSED;
    for (int k = 0; k < count && k < STRIA_EXPRESSION_MAX_INPUTS; k++) {
        in[k] = stria_abi_get_tensor(n[k], "kernel", "input");
        if (!in[k]) return -STRIA_ERR_DISPOSED;
    }
    if (out != 0) {
        y = stria_abi_get_tensor(out, "kernel", "out");
        if (!y) return -STRIA_ERR_DISPOSED;
        return -(double)stria_expression_apply_out(e, (const stria_tensor *const *)in, count, y, err);
    }
    const stria_status status = stria_expression_apply(e, (const stria_tensor *const *)in, count, &y, err);
    return stria_abi_get_result(status, y);
}

_Static_assert(STRIA_EXPRESSION_MAX_INPUTS <= STRIA_ABI_NUMBERS,
               "the scratch block holds the inputs of any expression");
