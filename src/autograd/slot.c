/* slot.c - the slots of tensors: what history a handle has, and whose .grad is where. */
#include "autograd/node.h"
#include "base/error.h"

/* What x leaves behind when its slot is not its own any more. */
typedef struct stria_left {
    stria_node   *node;
    stria_tensor *grad;
} stria_left;

/* x has nothing to do with its slot any more. .grad goes to another slot (NULL: it ends with the handle, as it may have a history that leads
 * back here), and a walk that is adding to it follows it there. */
static stria_left take_slot(stria_tensor *x, stria_slot *to)
{
    stria_slot *slot = x->gradient;
    stria_left  left = {NULL, NULL};

    if (slot == NULL) return left;
    lock(&slot->guard);
    if (slot->owner == x) {
        slot->owner = NULL;
        if (to != NULL) {
            to->grad = slot->grad;
            to->retains_grad = slot->retains_grad;
            to->is_summing = slot->is_summing;
            if (slot->is_summing) slot->moved_to = stria_node_retain(to->node)->slots + to->index;
        } else {
            left.grad = slot->grad;
        }
        slot->grad = NULL;
    }
    unlock(&slot->guard);
    left.node = slot->node;
    return left;
}

/* May run what programs have to run when hooks and memory end: under no lock. */
static void end_left(stria_left left)
{
    stria_tensor_release(left.grad);
    stria_node_release(left.node);
}

static void leave(stria_tensor *x) { end_left(take_slot(x, NULL)); }

static const stria_gradient_hooks hooks = {leave};

void stria_gradients_begin(void)
{
    if (stria_tensor_get_gradients() != NULL) return;
    atomic_store(&stria_tensor_gradients, &hooks);
    stria_call_set_gradients(stria_gradients_run, stria_gradients_see);
}

/* .grad is the tensor's, whatever its history: the slot, which is new, has it, and goes on retaining it. Returns what the caller has to end. */
static stria_left replace_slot(stria_tensor *x, stria_slot *slot)
{
    if (slot != NULL) {
        stria_gradient_state *here = &stria_gradient_here;
        if (here->watch_history != NULL) here->watch_history(here->watch_context, x, slot);
        stria_node_retain(slot->node);
        slot->owner = x;
        if (x->base != NULL && x->base->gradient != NULL)
            slot->base_sequence = ((const stria_slot *)x->base->gradient)->node->sequence;
    }
    const stria_left left = take_slot(x, slot);
    x->gradient = slot;
    return left;
}

void stria_slot_attach(stria_tensor *x, stria_slot *slot) { end_left(replace_slot(x, slot)); }

stria_status stria_gradient_check(const char *op, const char *argument, const stria_tensor *x,
                                  const stria_tensor *gradient, bool converts, stria_error *err)
{
    const stria_device device = x->device, other = gradient->device;
    const char        *to = stria_dtype_get_name(x->dtype), *from = stria_dtype_get_name(gradient->dtype);
    char               expected[96], got[96];

    if (!stria_tensor_has_shape(gradient, x->ndim, x->shape)) {
        stria_shape_print(expected, sizeof expected, x->ndim, x->shape);
        stria_shape_print(got, sizeof got, gradient->ndim, gradient->shape);
        return stria_error_set(err, STRIA_ERR_SHAPE, op, argument, expected, got,
                               "the gradient of a tensor of shape %s has shape %s", expected, got);
    }
    const bool is_symbol =
        stria_gradient_here.watch_grad != NULL && (device.type == STRIA_DEVICE_META || other.type == STRIA_DEVICE_META);
    if (!is_symbol && (device.type != other.type || device.index != other.index))
        return stria_error_set(err, STRIA_ERR_DEVICE, op, argument, stria_device_get_name(device),
                               stria_device_get_name(other), "the gradient of a tensor on %s is on %s",
                               stria_device_get_name(device), stria_device_get_name(other));
    if (converts ? stria_dtype_get_castable(gradient->dtype, x->dtype) : gradient->dtype == x->dtype) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_DTYPE, op, argument, to, from, "the gradient of a tensor of %s is %s", to,
                           from);
}

stria_status stria_slot_new_leaf(stria_tensor *x, stria_error *err)
{
    const stria_node_plan plan = {.row = STRIA_ROW_LEAF, .n_out = 1, .n_sizes = x->ndim};
    int64_t              *sizes;
    stria_node           *node = stria_node_new(&plan, &sizes);

    if (node == NULL) return stria_gradient_fail_memory("gradient", err);
    stria_node_describe(x, &node->slots[0].meta, &sizes);
    node->slots[0].device = x->device;
    stria_node_end_edges(node);
    stria_slot_attach(x, node->slots);
    stria_node_release(node); /* x holds it */
    return STRIA_OK;
}

stria_status stria_slot_get(stria_tensor *x, stria_slot **slot, stria_error *err)
{
    stria_gradients_begin();
    STRIA_TRY(stria_slot_find(x, slot, err));
    if (*slot != NULL) return STRIA_OK;
    STRIA_TRY(stria_slot_new_leaf(x, err));
    *slot = x->gradient;
    return STRIA_OK;
}

stria_status stria_slot_view(const stria_tensor *x, stria_slot *slot, stria_tensor **y, stria_error *err)
{
    STRIA_TRY(stria_tensor_view((stria_tensor *)(uintptr_t)x, x->ndim, x->shape, x->strides, 0, y, err));
    (*y)->is_wrapped_number = x->is_wrapped_number;
    (*y)->is_constant = x->is_constant;
    if (slot != NULL) (*y)->gradient = stria_node_retain(slot->node)->slots + slot->index;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- views whose base was written to */

/* x, whose base has the history `base` now, looks at it anew. */
static stria_status renew(stria_tensor *x, stria_slot *base, stria_left *left, stria_error *err)
{
    stria_node *node;

    STRIA_TRY(stria_node_new_geometry(x, x->base, STRIA_ROW_VIEW_OF, 1, &node, err));
    stria_node_set_edge(node, 0, base);
    stria_node_end_edges(node);
    *left = replace_slot(x, node->slots);
    stria_node_release(node); /* x holds it */
    return STRIA_OK;
}

stria_status stria_slot_find(const stria_tensor *x, stria_slot **slot, stria_error *err)
{
    const stria_tensor *base = x->base;
    stria_status        status = STRIA_OK;
    stria_slot         *base_slot;
    stria_left          left = {NULL, NULL};

    *slot = NULL;
    if (base == NULL || x->is_cut || (base_slot = base->gradient) == NULL || !base_slot->is_rewritten ||
        !stria_geometry_is_known(x, base)) { /* bits of other dtypes have no gradient */
        *slot = x->gradient;
        return STRIA_OK;
    }
    /* the handle of a view may be read by many threads; one of them renews it */
    lock(&stria_gradient_lock);
    const stria_slot *own = x->gradient;
    const bool        is_current = own != NULL && own->base_sequence == base_slot->node->sequence;
    if (!is_current) status = renew((stria_tensor *)(uintptr_t)x, base_slot, &left, err);
    if (status == STRIA_OK) *slot = x->gradient;
    unlock(&stria_gradient_lock);
    end_left(left);
    return status;
}
