/* node.c - nodes: making, releasing, and the slots of tensors. */
#include "autograd/node.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

_Thread_local stria_gradient_state stria_gradient_here;
spin_lock                          stria_gradient_lock = ATOMIC_FLAG_INIT;

/* ---------------------------------------------------------------- nodes */

static void *take(char **at, size_t nbytes)
{
    void *p = *at;
    *at += (nbytes + 7) / 8 * 8;
    return p;
}

stria_node *stria_node_new(const stria_node_plan *plan, int64_t **sizes)
{
    const size_t slots = (size_t)plan->n_out * sizeof(stria_slot), edges = (size_t)plan->n_in * sizeof(stria_slot *);
    const size_t inputs = plan->has_inputs ? (size_t)plan->n_in * sizeof(stria_rule_meta) : 0;
    const size_t saved = (size_t)plan->n_saved * sizeof(stria_saved), shapes = (size_t)plan->n_sizes * sizeof(int64_t);
    const size_t total = sizeof(stria_node) + slots + edges + inputs + saved + shapes + plan->attrs_nbytes + 40;
    stria_node  *node = stria_object_new(total);

    if (node == NULL) return NULL;
    char *at = (char *)node + sizeof(stria_node) + slots;
    atomic_init(&node->refcount, 1);
    node->row = plan->row;
    node->rule = plan->rule;
    node->n_in = plan->n_in;
    node->n_out = plan->n_out;
    node->n_saved = plan->n_saved;
    *sizes = take(&at, shapes);
    if (plan->has_inputs) node->inputs = take(&at, inputs);
    node->saved = take(&at, saved);
    node->edges = take(&at, edges);
    node->attrs = take(&at, plan->attrs_nbytes);
    for (int k = 0; k < plan->n_out; k++) {
        node->slots[k].node = node;
        node->slots[k].index = k;
    }
    return node;
}

static bool drop(stria_node *node)
{
    return atomic_load_explicit(&node->refcount, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(&node->refcount, 1, memory_order_acq_rel) == 1;
}

static void end_hooks(stria_hook *hook)
{
    while (hook != NULL) {
        stria_hook *next = hook->next;
        if (hook->release != NULL) hook->release(hook->context);
        stria_object_release(hook);
        hook = next;
    }
}

/* What a copy of attributes holds beside its block. */
static void end_attrs(const stria_node *node)
{
    if (node->row == STRIA_ROW_REPLAY) {
        const stria_replay *replay = node->attrs;
        if (replay->release != NULL) replay->release(replay->context);
    }
    if (node->row < STRIA_ROW_OF_FUNCTION(0) || node->row >= STRIA_ROW_EXPRESSION) return;
    const stria_schema *schema = stria_schema_get((stria_function)(node->row - STRIA_ROW_OF_FUNCTION(0)));
    for (int k = 0; k < schema->n_attributes; k++)
        if (schema->attributes[k].kind == STRIA_KIND_GENERATOR)
            stria_generator_release(
                *(stria_generator *const *)(void *)((char *)node->attrs + schema->attributes[k].offset));
}

static void end(stria_node *node)
{
    for (int k = 0; k < node->n_saved; k++) stria_tensor_release(node->saved[k].x);
    for (int k = 0; k < node->n_out; k++) {
        stria_tensor_release(node->slots[k].grad);
        if (node->slots[k].hooks != NULL) end_hooks(node->slots[k].hooks);
    }
    end_attrs(node);
    stria_object_release(node);
}

/* The last owner of a node ends it, and with it, perhaps, the nodes that its edges and saved tensors own: those wait in a list. */
void stria_node_release(stria_node *node)
{
    stria_gradient_state *here;

    if (node == NULL || !drop(node)) return;
    here = &stria_gradient_here;
    node->next = here->ending;
    here->ending = node;
    if (here->is_ending) return;
    here->is_ending = true;
    while ((node = here->ending) != NULL) {
        here->ending = node->next;
        for (int k = 0; k < node->n_in; k++)
            if (node->edges[k] != NULL) stria_node_release(node->edges[k]->node);
        end(node);
    }
    here->is_ending = false;
}

void stria_node_describe(const stria_tensor *x, stria_rule_meta *meta, int64_t **sizes)
{
    meta->dtype = x->dtype;
    meta->ndim = x->ndim;
    meta->numel = x->numel;
    meta->shape = *sizes;
    for (int d = 0; d < x->ndim; d++) (*sizes)[d] = x->shape[d];
    *sizes += x->ndim;
}

void stria_node_set_edge(stria_node *node, int k, stria_slot *slot)
{
    node->edges[k] = slot;
    if (slot == NULL) return;
    stria_node_retain(slot->node);
    if (slot->node->sequence > node->sequence) node->sequence = slot->node->sequence;
}

void stria_node_end_edges(stria_node *node)
{
    stria_gradient_state *here = &stria_gradient_here;

    if (here->sequence > node->sequence) node->sequence = here->sequence;
    here->sequence = ++node->sequence;
}

const char *stria_node_get_name(stria_row row)
{
    if (row == STRIA_ROW_LEAF) return "a leaf";
    if (row == STRIA_ROW_VIEW_OF || row == STRIA_ROW_WRITE_VIEW) return "a view";
    if (row == STRIA_ROW_REPLAY) return "checkpoint";
    return row >= 0 && row < STRIA_ROW_LEAF ? stria_row_get_name(row) : "an unknown call";
}

/* ---------------------------------------------------------------- slots of tensors */

/* What x leaves behind when its slot is not its own any more. */
typedef struct stria_left {
    stria_node   *node;
    stria_tensor *grad;
} stria_left;

/* x has nothing to do with its slot any more. A gradient with a history may lead back to the slot: it ends with the handle. */
static stria_left take_slot(stria_tensor *x)
{
    stria_slot *slot = x->gradient;
    stria_left  left = {NULL, NULL};

    if (slot == NULL) return left;
    if (slot->owner == x) {
        lock(&slot->is_adding);
        slot->owner = NULL;
        left.grad = slot->grad;
        slot->grad = NULL;
        unlock(&slot->is_adding);
    }
    left.node = slot->node;
    return left;
}

/* May run what programs have to run when hooks and memory end: under no lock. */
static void end_left(stria_left left)
{
    stria_tensor_release(left.grad);
    stria_node_release(left.node);
}

static void leave(stria_tensor *x) { end_left(take_slot(x)); }

static const stria_gradient_hooks hooks = {leave};

void stria_gradients_begin(void)
{
    if (stria_tensor_get_gradients() != NULL) return;
    atomic_store(&stria_tensor_gradients, &hooks);
    stria_call_set_gradients(stria_gradients_run);
}

/* Returns what the caller has to end. */
static stria_left replace_slot(stria_tensor *x, stria_slot *slot)
{
    const stria_left left = take_slot(x);

    if (slot != NULL) {
        slot->owner = x;
        stria_node_retain(slot->node);
        if (x->base != NULL && x->base->gradient != NULL)
            slot->base_sequence = ((const stria_slot *)x->base->gradient)->node->sequence;
    }
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
    if (device.type != other.type || device.index != other.index)
        return stria_error_set(err, STRIA_ERR_DEVICE, op, argument, stria_device_get_name(device),
                               stria_device_get_name(other), "the gradient of a tensor on %s is on %s",
                               stria_device_get_name(device), stria_device_get_name(other));
    if (converts ? stria_dtype_get_castable(gradient->dtype, x->dtype) : gradient->dtype == x->dtype) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_DTYPE, op, argument, to, from, "the gradient of a tensor of %s is %s", to,
                           from);
}

stria_status stria_slot_get(stria_tensor *x, stria_slot **slot, stria_error *err)
{
    const stria_node_plan plan = {.row = STRIA_ROW_LEAF, .n_out = 1, .n_sizes = x->ndim};
    int64_t              *sizes;

    stria_gradients_begin();
    STRIA_TRY(stria_slot_find(x, slot, err));
    if (*slot != NULL) return STRIA_OK;
    stria_node *node = stria_node_new(&plan, &sizes);
    if (node == NULL) return stria_error_set(err, STRIA_ERR_MEMORY, "gradient", NULL, NULL, NULL, "no memory");
    stria_node_describe(x, &node->slots[0].meta, &sizes);
    node->slots[0].device = x->device;
    stria_node_end_edges(node);
    node->slots[0].owner = x;
    *slot = x->gradient = node->slots;
    return STRIA_OK;
}

stria_status stria_slot_view(const stria_tensor *x, stria_slot *slot, stria_tensor **y, stria_error *err)
{
    STRIA_TRY(stria_tensor_view((stria_tensor *)(uintptr_t)x, x->ndim, x->shape, x->strides, 0, y, err));
    (*y)->is_wrapped_number = x->is_wrapped_number;
    if (slot != NULL) (*y)->gradient = stria_node_retain(slot->node)->slots + slot->index;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- views whose base was written to */

/* Elements from the lowest to the first, and to the highest. */
static void measure(const stria_tensor *x, int64_t *below, int64_t *above)
{
    *below = *above = 0;
    for (int d = 0; d < x->ndim && x->numel > 0; d++) {
        const int64_t reach = (x->shape[d] - 1) * x->strides[d];
        *(reach < 0 ? below : above) += reach;
    }
    *below = -*below;
}

/* Sizes that a geometry of x over its base needs. */
static int count_sizes(const stria_tensor *x, const stria_tensor *base) { return 2 * (x->ndim + base->ndim); }

static const int64_t *copy_sizes(const int64_t *from, int n, int64_t **sizes)
{
    int64_t *to = *sizes;

    for (int d = 0; d < n; d++) to[d] = from[d];
    *sizes += n;
    return to;
}

static void describe_geometry(const stria_tensor *x, const stria_tensor *base, stria_geometry *g, int64_t **sizes)
{
    const int64_t item = stria_tensor_get_item_size(x);
    int64_t       below, above, base_below, base_above;

    measure(x, &below, &above);
    measure(base, &base_below, &base_above);
    const int64_t between = x->numel > 0 && base->numel > 0 ? (x->data - base->data) / item : 0;
    const int64_t lowest = -base_below < between - below ? -base_below : between - below;
    const int64_t highest = base_above > between + above ? base_above : between + above;
    g->ndim = x->ndim;
    g->base_ndim = base->ndim;
    g->offset = between - lowest;
    g->base_offset = -lowest;
    g->extent = highest - lowest + 1;
    g->shape = copy_sizes(x->shape, x->ndim, sizes);
    g->strides = copy_sizes(x->strides, x->ndim, sizes);
    g->base_shape = copy_sizes(base->shape, base->ndim, sizes);
    g->base_strides = copy_sizes(base->strides, base->ndim, sizes);
}

stria_status stria_node_new_geometry(const stria_tensor *x, const stria_tensor *base, stria_row row, int n_in,
                                     stria_node **out, stria_error *err)
{
    const bool            is_view = row == STRIA_ROW_VIEW_OF;
    const stria_tensor   *result = is_view ? x : base;
    const stria_node_plan plan = {.row = row,
                                  .rule = is_view ? &stria_rule_view_of : &stria_rule_write_view,
                                  .n_in = n_in,
                                  .n_out = 1,
                                  .n_sizes = result->ndim + count_sizes(x, base),
                                  .attrs_nbytes = sizeof(stria_geometry)};
    int64_t              *sizes;

    if (x->dtype != base->dtype)
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, "gradient", NULL, stria_dtype_get_name(base->dtype),
                               stria_dtype_get_name(x->dtype),
                               "a view of another dtype does not follow what is written to the memory that it shares");
    *out = stria_node_new(&plan, &sizes);
    if (*out == NULL) return stria_error_set(err, STRIA_ERR_MEMORY, "gradient", NULL, NULL, NULL, "no memory");
    stria_node_describe(result, &(*out)->slots[0].meta, &sizes);
    (*out)->slots[0].device = x->device;
    describe_geometry(x, base, (*out)->attrs, &sizes);
    return STRIA_OK;
}

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
    if (base == NULL || x->is_cut || (base_slot = base->gradient) == NULL || !base_slot->is_rewritten) {
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
