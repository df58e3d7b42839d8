/* graph.c - what a graph owns. */
#include "compile/dynamic.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/attrs.h"

stria_status stria_graph_refuse_memory(stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_MEMORY, "recording", NULL, NULL, NULL, "no memory for the graph");
}

stria_status stria_graph_refuse_code(const stria_graph *g, const char *op, stria_error *err)
{
    const char *name = stria_device_get_name(g->device);

    return stria_error_set(err, STRIA_ERR_DEVICE, op, "graph", "cpu", name,
                           "machine code is of the CPU, the graph is on %s", name);
}

bool stria_graph_grow(void *array, int *room, int n, size_t nbytes_each)
{
    void **at = array, *more;

    if (n < *room) return true;
    const int wanted = *room > 0 ? 2 * *room : 16;
    more = stria_object_new((size_t)wanted * nbytes_each);
    if (more == NULL) return false;
    if (n > 0) memcpy(more, *at, (size_t)n * nbytes_each);
    stria_object_release(*at);
    *at = more;
    *room = wanted;
    return true;
}

stria_graph *stria_graph_new(void)
{
    stria_graph *g = stria_object_new(sizeof *g);

    if (g == NULL) return NULL;
    atomic_init(&g->refcount, 1);
    g->device = STRIA_CPU;
    return g;
}

bool stria_graph_step_writes(const stria_graph_step *step, int k)
{
    const int n_read = step->n_in + step->n_list;

    if (k >= n_read) return true;
    if (k < step->n_in || step->row < STRIA_ROW_OF_FUNCTION(0) || step->row >= STRIA_ROW_EXPRESSION) return false;
    const stria_schema *schema = stria_schema_get((stria_function)(step->row - STRIA_ROW_OF_FUNCTION(0)));
    if (!stria_schema_is_update(schema)) return false;
    const int first = stria_schema_count_single(schema), n_lists = schema->n_tensors - first;
    return stria_param_is_updated(&schema->tensors[first + (k - step->n_in) / (step->n_list / n_lists)]);
}

bool stria_graph_step_draws(const stria_graph_step *step)
{
    if (step->row < STRIA_ROW_OF_FUNCTION(0) || step->row >= STRIA_ROW_EXPRESSION) return false;
    const stria_schema *schema = stria_schema_get((stria_function)(step->row - STRIA_ROW_OF_FUNCTION(0)));
    for (int k = 0; k < schema->n_attributes; k++)
        if (schema->attributes[k].kind == STRIA_KIND_GENERATOR) return true;
    return false;
}

void stria_graph_form_pack(stria_graph_form *f)
{
    int n = 0;

    for (int i = 0; i < f->steps.n; i++)
        if (f->steps.at[i].views != NULL) f->steps.at[n++] = f->steps.at[i];
    f->steps.n = n;
}

void stria_graph_step_end(stria_graph_step *step)
{
    if (step->is_owner) {
        if (step->attrs != NULL) stria_attrs_end(step->row, step->attrs);
        stria_object_release(step->views);
    }
    step->views = NULL;
    step->is_owner = false;
}

stria_graph *stria_graph_retain(stria_graph *g)
{
    if (g != NULL) atomic_fetch_add_explicit(&g->refcount, 1, memory_order_relaxed);
    return g;
}

static void end_form(stria_graph_form *f)
{
    for (int k = 0; k < f->steps.n; k++) stria_graph_step_end(&f->steps.at[k]);
    stria_object_release(f->step_views);
    stria_object_release(f->buffers.at);
    stria_object_release(f->views.at);
    stria_object_release(f->steps.at);
    stria_object_release(f->inputs.at);
    stria_object_release(f->results.at);
    stria_object_release(f->blocks.at);
}

void stria_graph_release(stria_graph *g)
{
    if (g == NULL || atomic_fetch_sub_explicit(&g->refcount, 1, memory_order_acq_rel) != 1) return;
    stria_graph_frame_release(atomic_load_explicit(&g->kept, memory_order_relaxed));
    stria_graph_code *code = atomic_load_explicit(&g->code, memory_order_relaxed);
    if (code != NULL) code->release(code);
    stria_dynamic_release(g->dynamic);
    for (int k = 0; k < g->recorded.buffers.n; k++) {
        stria_tensor_release(g->recorded.buffers.at[k].tensor);
        stria_tensor_release(g->recorded.buffers.at[k].holder);
        stria_tensor_release(g->recorded.buffers.at[k].symbol);
    }
    for (int k = 0; k < g->recorded.views.n; k++) stria_object_release(g->recorded.views.at[k].sizes);
    for (int k = 0; k < g->grads.n; k++) stria_graph_grad_end(&g->grads.at[k]);
    for (int k = 0; k < g->looks.n; k++) stria_graph_step_end(&g->looks.at[k].call);
    stria_object_release(g->looks.at);
    stria_object_release(g->grads.at);
    stria_object_release(g->numbers.at);
    end_form(&g->planned);
    end_form(&g->recorded);
    stria_object_release(g);
}

stria_graph_number_info stria_graph_get_number_info(const stria_graph *g, int k)
{
    if (k < 0 || k >= g->numbers.n) return (stria_graph_number_info){NULL, 0, 0};
    return (stria_graph_number_info){g->numbers.at[k].param->name, g->numbers.at[k].value, g->numbers.at[k].change};
}

stria_graph_info stria_graph_get_info(const stria_graph *g)
{
    return (stria_graph_info){.n_inputs = g->recorded.inputs.n,
                              .n_results = g->recorded.results.n,
                              .n_numbers = g->numbers.n,
                              .n_calls = g->n_calls,
                              .n_steps = g->planned.steps.n,
                              .recorded_nbytes = g->recorded_nbytes,
                              .nbytes = stria_graph_get_run_nbytes(g),
                              .n_captured = atomic_load_explicit(&g->n_captured, memory_order_relaxed),
                              .n_captures = atomic_load_explicit(&g->n_captures, memory_order_relaxed),
                              .n_launches = atomic_load_explicit(&g->n_launches, memory_order_relaxed)};
}

void stria_graph_view_set_handle(const stria_graph_view *v, stria_tensor *x)
{
    x->numel = 1;
    for (int d = 0; d < v->ndim; d++) {
        x->shape[d] = v->sizes[d];
        x->strides[d] = v->sizes[v->ndim + d];
        x->numel *= v->sizes[d];
    }
    x->data = x->storage->data != NULL ? x->storage->data + v->offset : NULL;
}

stria_tensor *stria_graph_view_new_handle(const stria_graph_view *v, stria_device device, stria_storage *storage)
{
    stria_tensor *x = stria_tensor_new_handle(v->dtype, device, v->ndim);

    if (x == NULL) return NULL;
    x->storage = storage;
    stria_storage_retain(storage);
    stria_graph_view_set_handle(v, x);
    return x;
}
