/* random_program.c - see the header. */
#include "random_program.h"

#include "gradients.h"
#include "table/rows.h"

int random_program_pick(random_program *p, int n) { return (int)(random_next(&p->numbers) % (uint64_t)n); }
#define PICK(n) random_program_pick(p, n)

static stria_tensor *choose(random_program *p) { return p->at[PICK(p->n)]; }

static void keep(random_program *p, stria_status status, stria_tensor *y)
{
    if (status == STRIA_OK && p->n < RANDOM_PROGRAM_VALUES)
        p->at[p->n++] = y;
    else
        stria_tensor_release(y);
}

static void step_view(random_program *p)
{
    stria_tensor *x = choose(p), *y = NULL;
    const int     ndim = stria_tensor_get_ndim(x), axis = ndim > 0 ? PICK(ndim) : 0;
    const int64_t size = ndim > 0 ? stria_tensor_get_shape(x)[axis] : 1, flat = -1;
    stria_status  status;

    switch (PICK(7)) {
    case 0: status = stria_transpose(x, 0, -1, &y, NULL); break;
    case 1: {
        const int begin = PICK((int)size + 1);
        status = stria_narrow(x, axis, begin, 1 + PICK(2), &y, NULL);
        break;
    }
    case 2: status = stria_select(x, axis, PICK((int)size + 1), &y, NULL); break;
    case 3: status = stria_flip(x, &axis, 1, &y, NULL); break;
    case 4: status = stria_unsqueeze(x, axis, &y, NULL); break;
    case 5: {
        int64_t shape[STRIA_MAX_DIMS] = {1 + PICK(3)};
        for (int d = 0; d < ndim; d++) shape[d + 1] = stria_tensor_get_shape(x)[d];
        status = ndim < 6 ? stria_expand(x, shape, ndim + 1, &y, NULL) : STRIA_ERR_SHAPE;
        break;
    }
    default: status = stria_reshape(x, &flat, 1, &y, NULL); break;
    }
    keep(p, status, y);
}

static stria_op pick_op(random_program *p)
{
    static const stria_op usual[] = {STRIA_OP_add, STRIA_OP_mul,  STRIA_OP_sub, STRIA_OP_maximum, STRIA_OP_neg,
                                     STRIA_OP_abs, STRIA_OP_tanh, STRIA_OP_exp, STRIA_OP_lt,      STRIA_OP_where};
    return PICK(2) ? usual[PICK((int)(sizeof usual / sizeof *usual))] : (stria_op)PICK(STRIA_OP_COUNT);
}

static stria_scalar pick_number(random_program *p)
{
    if (PICK(2)) return (stria_scalar){STRIA_SCALAR_INT, .i = PICK(5) - 2};
    return (stria_scalar){STRIA_SCALAR_FLOAT, .re = PICK(9) / 4.0};
}

static void step_op(random_program *p)
{
    const stria_op      op = pick_op(p);
    const int           n = stria_op_infos[op].arity;
    const stria_tensor *in[3];
    stria_tensor       *y = NULL, *number = NULL;

    for (int k = 0; k < n; k++) in[k] = choose(p);
    if (n == 2 && PICK(3) == 0) {
        OK(stria_tensor_new_scalar(pick_number(p), &number, NULL));
        in[PICK(2)] = number;
    }
    if (PICK(4) > 0) {
        const stria_status status = stria_apply(op, in, n, &y, NULL);
        keep(p, status, y);
    } else if (stria_apply_out(op, in, n, choose(p), NULL) != STRIA_OK) {
        p->n_refused++;
    }
    stria_tensor_release(number);
}

static void step_function(random_program *p)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16, STRIA_I64, STRIA_U8, STRIA_BOOL};
    stria_tensor            *x = choose(p), *z = choose(p), *y = NULL;
    const int                ndim = stria_tensor_get_ndim(x), axis = ndim > 0 ? PICK(ndim) : 0;
    const stria_tensor      *both[] = {x, z};
    stria_status             status = STRIA_ERR_ARGUMENT;

    switch (PICK(12)) {
    case 0: status = stria_sum(x, &axis, ndim > 0, PICK(2), &y, NULL); break;
    case 1: status = stria_amax(x, &axis, ndim > 0, PICK(2), &y, NULL); break;
    case 2: status = stria_softmax(x, axis, STRIA_DTYPE_NONE, &y, NULL); break;
    case 3: status = stria_cumsum(x, axis, STRIA_DTYPE_NONE, &y, NULL); break;
    case 4:
        if (p->has_products) status = stria_matmul(x, z, &y, NULL);
        break;
    case 5: status = stria_cat(both, 2, axis, &y, NULL); break;
    case 6: p->n_refused += stria_tensor_set(x, z, NULL) != STRIA_OK; return;
    case 7: status = stria_zeros_like(x, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &y, NULL); break;
    case 8: status = stria_ones_like(x, dtypes[PICK(7)], STRIA_DEVICE_NONE, &y, NULL); break;
    case 9: status = stria_full_like(x, pick_number(p), STRIA_F32, STRIA_DEVICE_NONE, &y, NULL); break;
    default: status = stria_tensor_copy(x, dtypes[PICK(7)], &y, NULL); break;
    }
    keep(p, status, y);
}

void random_program_run(random_program *p, int n_steps)
{
    for (int i = 0; i < n_steps; i++) switch (PICK(4)) {
        case 0: step_view(p); break;
        case 1: step_function(p); break;
        default: step_op(p); break;
        }
}

stria_tensor *random_program_new_input(random_program *p)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F32, STRIA_F64, STRIA_I32, STRIA_I64, STRIA_BF16, STRIA_BOOL};
    const stria_dtype        dtype = dtypes[PICK(7)];
    const int                ndim = PICK(4);
    int64_t                  shape[4];
    stria_tensor            *x;

    for (int d = 0; d < ndim; d++) shape[d] = PICK(10) == 0 ? 0 : 1 + PICK(4);
    OK(stria_tensor_new(dtype, ndim, shape, &x, NULL));
    x->is_given = true; /* its shape stays, as that of its symbol does */
    for (int64_t i = 0; i < x->numel; i++)
        random_element(&p->numbers, dtype, -4, 4, x->data + i * stria_tensor_get_item_size(x));
    return x;
}

void random_program_end(random_program *p)
{
    release_all(p->n, p->at);
    p->n = 0;
}
