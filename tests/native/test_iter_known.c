/* test_iter_known.c - an iterator built from the meta of a call (stria_iter_build_element) is the one that the public build
 * makes of the same operands by finding everything itself: random ops on operands of random shapes, layouts, dtypes and
 * devices. */
#include <string.h>

#include "call/backend.h"
#include "iter/iter_internal.h"
#include "oracle.h"
#include "tensor/device.h"

#define ROUNDS 20000
#define MOST_DIMS 4

static random_state random_numbers;

static int pick(int n) { return (int)(random_next(&random_numbers) % (uint64_t)n); }

/* Of sizes from shape, some of them 1, some leading ones missing; transposed, reversed, expanded or with gaps. */
static stria_tensor *new_operand(int ndim, const int64_t *shape, stria_dtype dtype, bool is_meta)
{
    const int     missing = pick(4) ? 0 : pick(ndim + 1), axis = -1;
    int64_t       sizes[MOST_DIMS], expanded[MOST_DIMS];
    stria_tensor *x, *y;
    stria_status  status;

    for (int d = missing; d < ndim; d++) sizes[d - missing] = pick(4) ? shape[d] : 1;
    ndim -= missing;
    const int kind = ndim > 1 ? pick(6) : 0;
    if (kind == 1) { /* made transposed */
        const int64_t last = sizes[ndim - 1];
        sizes[ndim - 1] = sizes[0];
        sizes[0] = last;
    }
    memcpy(expanded, sizes, (size_t)ndim * sizeof *sizes);
    if (kind == 3) sizes[0] = 1;
    if (is_meta)
        CHECK_STATUS(stria_empty(sizes, ndim, dtype, STRIA_META, &x, NULL), STRIA_OK);
    else
        CHECK_STATUS(stria_tensor_new(dtype, ndim, sizes, &x, NULL), STRIA_OK);
    if (x->storage->nbytes > 0) memset(x->data, 0, x->storage->nbytes);
    if (kind == 1)
        status = stria_transpose(x, 0, -1, &y, NULL);
    else if (kind == 2)
        status = stria_flip(x, &axis, 1, &y, NULL);
    else if (kind == 3)
        status = stria_expand(x, expanded, ndim, &y, NULL);
    else
        return x;
    CHECK_STATUS(status, STRIA_OK);
    stria_tensor_release(x);
    return y;
}

/* An output of the shape or of another one, by a number that says which: twice the same. */
static stria_tensor *new_output(int number, const stria_meta *meta, stria_dtype dtype)
{
    int64_t       shape[STRIA_MAX_DIMS], strides[STRIA_MAX_DIMS], step = 1;
    stria_tensor *y;

    for (int d = 0; d < meta->ndim; d++) shape[d] = meta->shape[d] + (number == 1);
    for (int d = 0; d < meta->ndim; d++) { /* column-major */
        strides[d] = step;
        step *= shape[d] > 0 ? shape[d] : 1;
    }
    CHECK_STATUS(stria_tensor_new_on(meta->device, dtype, meta->ndim, shape, number == 2 ? strides : NULL, &y, NULL),
                 STRIA_OK);
    return y;
}

static bool same_operands(const stria_iter *a, const stria_iter *b)
{
    for (int k = 0; k < a->n_operands; k++) {
        const stria_iter_operand *p = &a->operands[k], *q = &b->operands[k];
        const stria_tensor       *x = p->tensor, *y = q->tensor;
        if (p->dtype != q->dtype || p->is_output != q->is_output || p->will_resize != q->will_resize ||
            p->read_write != q->read_write || p->owned != q->owned || !stria_device_equals(p->device, q->device) ||
            (k > 0 && p->data != q->data) || x->dtype != y->dtype || !stria_device_equals(x->device, y->device))
            return false;
        if (!stria_tensor_has_shape(x, y->ndim, y->shape)) return false;
        for (int d = 0; d < x->ndim; d++)
            if (x->strides[d] != y->strides[d]) return false;
        for (int r = 0; r < a->ndim; r++)
            if (stria_iter_row(a, r)[k] != stria_iter_row(b, r)[k]) return false;
    }
    return true;
}

static bool same(const stria_iter *a, const stria_iter *b)
{
    return a->ndim == b->ndim && a->n_operands == b->n_operands && a->n_outputs == b->n_outputs &&
           a->common_ndim == b->common_ndim && a->common_dtype == b->common_dtype &&
           stria_device_equals(a->common_device, b->common_device) && a->setup == b->setup &&
           a->is_meta == b->is_meta && a->all_same_shape == b->all_same_shape && a->all_scalars == b->all_scalars &&
           memcmp(a->shape, b->shape, (size_t)a->ndim * 8) == 0 &&
           memcmp(a->common_shape, b->common_shape, (size_t)a->common_ndim * 8) == 0 && same_operands(a, b);
}

static void build_public(stria_iter *it, const stria_call *call, const stria_meta *meta, stria_tensor *out)
{
    stria_iter_config config;

    stria_iter_config_init(&config);
    stria_iter_config_set_elementwise(&config, meta->result);
    stria_iter_config_add_output(&config, out);
    for (int k = 0; k < call->n_in; k++) stria_iter_config_add_input(&config, call->in[k]);
    CHECK_STATUS(stria_iter_build(it, &config, NULL), STRIA_OK);
    stria_iter_config_release(&config);
}

/* Returns the kinds that were met, as bits. */
static unsigned check_round(int round)
{
    static const stria_op ops[] = {STRIA_OP_neg, STRIA_OP_add, STRIA_OP_lt, STRIA_OP_where, STRIA_OP_exp};
    const stria_op        op = ops[pick(5)];
    const int             n_in = stria_op_infos[op].arity, ndim = pick(MOST_DIMS + 1), given = pick(5);
    const bool            is_meta = pick(6) == 0;
    int64_t               shape[MOST_DIMS];
    const stria_tensor   *in[STRIA_MAX_INPUTS];
    stria_tensor         *twin = NULL, *out = NULL;
    stria_meta            meta;
    stria_iter            one, other;

    for (int d = 0; d < ndim; d++) shape[d] = pick(9) ? 1 + pick(4) : 0;
    for (int k = 0; k < n_in; k++) {
        const stria_dtype dtype = op == STRIA_OP_where && k == 0 ? STRIA_BOOL : pick(3) ? STRIA_F32 : STRIA_I16;
        in[k] = k > 0 && pick(8) == 0 ? stria_tensor_retain((stria_tensor *)(uintptr_t)in[k - 1])
                                      : new_operand(ndim, shape, dtype, is_meta);
    }
    const stria_call call = {STRIA_ROW_OF_OP(op), n_in, in, NULL, 0, NULL, &out, NULL};
    const bool       infers = stria_meta_infer(op, in, n_in, NULL, &meta, NULL) == STRIA_OK;
    if (infers && given < 4) {
        if (given < 3) {
            out = new_output(given, &meta, pick(2) ? meta.result : STRIA_F64);
            twin = new_output(given, &meta, out->dtype);
        } else {
            out = stria_tensor_retain((stria_tensor *)(uintptr_t)in[n_in - 1]);
            twin = stria_tensor_retain(out);
        }
    }
    stria_tensor *const held = out;
    const bool          runs = infers && stria_meta_infer(op, in, n_in, out, &meta, NULL) == STRIA_OK;
    if (runs) {
        const stria_status status = stria_iter_build_element(&one, &call, &meta, NULL);
        if (status == STRIA_OK) {
            build_public(&other, &call, &meta, twin);
            CHECK(same(&one, &other), "round %d: %s: the iterators differ", round, stria_op_infos[op].name);
            stria_iter_release(&other);
        } else { /* memory in common */
            CHECK(status == STRIA_ERR_OVERLAP, "round %d: %s", round, stria_status_get_name(status));
        }
        stria_iter_release(&one);
    }
    stria_tensor_release(held), stria_tensor_release(twin);
    for (int k = 0; k < n_in; k++) stria_tensor_release((stria_tensor *)(uintptr_t)in[k]);
    return runs ? 1u << given | (unsigned)is_meta << 5 | (unsigned)!meta.inputs_fit << 6 : 0;
}

SUITE(test_iter_known)
{
    const int64_t before = stria_memory_get_stats().live_tensors;
    unsigned      met = 0;

    check_isa("test_iter_known");
    random_numbers = (random_state){7};
    for (int round = 0; round < ROUNDS; round++) met |= check_round(round);
    CHECK((met & 0x7f) == 0x7f, "not every kind of call was met: %x", met);
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("test_iter_known");
}
