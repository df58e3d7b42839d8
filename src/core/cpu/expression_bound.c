/* expression_bound.c - calls of an expression that differ only in where their elements lie: graphs make them. Results may be several. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "cpu/expression.h"
#include "cpu/nontemporal.h"

struct stria_expression_bound {
    stria_lowering       *lowering;
    stria_expression_call call;
    stria_iter            iter;
    char                 *data[STRIA_EXEC_MAX_OPERANDS];
    int64_t               strides[2 * STRIA_EXEC_MAX_OPERANDS], shift[STRIA_EXEC_MAX_OPERANDS];
    stria_dtype           memory[STRIA_EXEC_MAX_OPERANDS];
    _Alignas(8) char values[STRIA_EXEC_MAX_OPERANDS][8];
    stria_loop *loop; /* of the only step, which takes its operands as they are; else NULL */
    int64_t     loop_strides[1 + STRIA_MAX_INPUTS];
};

static const stria_tensor *get_operand(const stria_lowering *l, int k, const stria_tensor *const *in,
                                       stria_tensor *const *out)
{
    return k < l->n_out ? out[k] : in[l->operands[k].input];
}

/* Whether each operand is contiguous in the shape of the result, or one value. */
static bool bind_flat(stria_expression_bound *b, const stria_tensor *const *in, stria_tensor *const *out)
{
    const stria_lowering *l = b->lowering;

    for (int k = 0; k < l->n_operands; k++) {
        const stria_tensor *x = get_operand(l, k, in, out);
        if (k >= l->n_out && x->numel == 1) {
            b->memory[k] = l->operands[k].lane;
            continue;
        }
        if (!stria_tensor_is_contiguous(x) || !stria_tensor_has_shape(x, out[0]->ndim, out[0]->shape)) return false;
        b->memory[k] = x->dtype;
        b->strides[k] = stria_tensor_get_item_size(x);
        b->call.converts |= x->dtype != l->operands[k].lane;
    }
    b->call.strides = b->strides;
    return true;
}

static stria_status bind_iterator(stria_expression_bound *b, const stria_tensor *const *in, stria_tensor *const *out,
                                  stria_error *err)
{
    const stria_lowering *l = b->lowering;
    stria_iter_config     config;

    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, STRIA_EXPRESSION_NAME);
    stria_iter_config_set_elementwise(&config, l->result);
    for (int k = 0; k < l->n_operands; k++) {
        const stria_tensor *x = get_operand(l, k, in, out);
        if (k < l->n_out)
            stria_iter_config_add_output(&config, (stria_tensor *)(uintptr_t)x);
        else
            stria_iter_config_add_input(&config, x);
    }
    const stria_status status = stria_iter_build(&b->iter, &config, err);
    stria_iter_config_release(&config);
    STRIA_TRY(status);
    for (int k = 0; k < l->n_operands; k++) {
        b->memory[k] = b->iter.operands[k].dtype;
        b->shift[k] = b->iter.operands[k].data - get_operand(l, k, in, out)->data;
    }
    b->call.iter = &b->iter;
    b->call.converts = false;
    return STRIA_OK;
}

/* A short run of a single loop. */
static void bind_loop(stria_expression_bound *b)
{
    const stria_step *s = &b->lowering->steps[0];

    if (b->lowering->n_steps != 1 || s->loop == NULL || b->call.iter != NULL || b->call.converts ||
        b->call.numel > STRIA_GRAIN || s->out.kind != STRIA_PLACE_OPERAND)
        return;
    b->loop_strides[0] = b->strides[s->out.index];
    for (int k = 0; k < s->n_in; k++)
        b->loop_strides[1 + k] = s->in[k].kind == STRIA_PLACE_OPERAND ? b->strides[s->in[k].index] : 0;
    b->loop = s->loop;
}

static void run_loop(stria_expression_bound *b)
{
    const stria_step *s = &b->lowering->steps[0];
    char             *at[1 + STRIA_MAX_INPUTS];

    at[0] = b->data[s->out.index];
    for (int k = 0; k < s->n_in; k++)
        at[1 + k] = s->in[k].kind == STRIA_PLACE_OPERAND ? b->data[s->in[k].index]
                                                         : (char *)(uintptr_t)s->constant[k]; /* only read */
    b->loop(at, b->loop_strides, b->call.numel);
}

stria_status stria_expression_bind(const stria_expression *e, const stria_tensor *const *in, stria_tensor *const *out,
                                   stria_expression_bound **bound, stria_error *err)
{
    stria_expression_bound *b;

    *bound = NULL;
    if (e->n_in + e->n_out > STRIA_EXEC_MAX_OPERANDS || stria_expression_has_complex(e, in)) return STRIA_OK;
    if (stria_dispatch_get() == NULL) return stria_isa_get_status(err);
    b = stria_object_new(sizeof *b);
    if (b == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, STRIA_EXPRESSION_NAME, NULL, NULL, NULL, "no memory for a call");
    stria_status status = stria_lowering_new(e, in, e->n_out == 1 ? out[0] : NULL, &b->lowering, err);
    if (status == STRIA_OK) {
        b->call = (stria_expression_call){
            .lowering = b->lowering, .data = b->data, .memory = b->memory, .numel = out[0]->numel};
        if (b->call.numel > 0 && !bind_flat(b, in, out)) status = bind_iterator(b, in, out, err);
        if (b->call.numel > 0 && status == STRIA_OK) bind_loop(b);
    }
    if (status == STRIA_OK)
        *bound = b;
    else
        stria_expression_bound_release(b);
    return status;
}

void stria_expression_bound_release(stria_expression_bound *b)
{
    if (b == NULL) return;
    if (b->call.iter != NULL) stria_iter_release(&b->iter);
    stria_lowering_release(b->lowering);
    stria_object_release(b);
}

/* A result that the caches could not hold (nontemporal.h); an input that it lies over is read before. */
static void find_large(stria_expression_bound *b, const stria_tensor *y)
{
    const int64_t nbytes = y->numel * stria_tensor_get_item_size(y);

    b->call.large = b->call.large_end = 0;
    if (nbytes < STRIA_NONTEMPORAL_BYTES || !stria_tensor_is_contiguous(y)) return;
    for (int k = 1; k < b->lowering->n_operands; k++)
        if (b->call.data[k] == y->data) return;
    b->call.large = (uintptr_t)y->data;
    b->call.large_end = b->call.large + (uintptr_t)nbytes;
}

stria_status stria_expression_run_bound(stria_expression_bound *b, const stria_tensor *const *in,
                                        stria_tensor *const *out, stria_error *err)
{
    const stria_lowering *l = b->lowering;
    stria_expression_work work;

    if (b->call.numel == 0) return STRIA_OK;
    if (b->loop == NULL) STRIA_TRY(stria_expression_reserve(l, b->call.numel, &work, err));
    for (int k = 0; k < l->n_operands; k++) {
        const stria_tensor *x = get_operand(l, k, in, out);
        if (b->call.iter != NULL) {
            b->iter.operands[k].data = x->data + b->shift[k];
        } else if (b->strides[k] == 0) {
            l->kernels->cast[x->dtype][l->operands[k].lane](b->values[k], 0, x->data, 0, 1);
            b->data[k] = b->values[k];
        } else {
            b->data[k] = x->data;
        }
    }
    if (b->loop != NULL) {
        run_loop(b);
        return STRIA_OK;
    }
    find_large(b, out[0]);
    stria_expression_run(&b->call, &work);
    stria_expression_give(&work);
    return STRIA_OK;
}
