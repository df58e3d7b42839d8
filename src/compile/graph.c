/* graph.c - what a graph owns. */
#include "compile/graph.h"

#include "base/alloc.h"
#include "call/attrs.h"

stria_graph *stria_graph_new(void)
{
    stria_graph *g = stria_object_new(sizeof *g);

    if (g != NULL) atomic_init(&g->refcount, 1);
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

void stria_graph_step_end(stria_graph_step *step)
{
    if (step->attrs != NULL) stria_attrs_end(step->row, step->attrs);
    stria_object_release(step->views);
    step->views = NULL;
}

stria_graph *stria_graph_retain(stria_graph *g)
{
    if (g != NULL) atomic_fetch_add_explicit(&g->refcount, 1, memory_order_relaxed);
    return g;
}

void stria_graph_release(stria_graph *g)
{
    if (g == NULL || atomic_fetch_sub_explicit(&g->refcount, 1, memory_order_acq_rel) != 1) return;
    stria_graph_frame_release(atomic_load_explicit(&g->kept, memory_order_relaxed));
    for (int k = 0; k < g->buffers.n; k++) {
        stria_tensor_release(g->buffers.at[k].tensor);
        stria_tensor_release(g->buffers.at[k].symbol);
    }
    for (int k = 0; k < g->views.n; k++) stria_object_release(g->views.at[k].sizes);
    for (int k = 0; k < g->steps.n; k++) stria_graph_step_end(&g->steps.at[k]);
    stria_object_release(g->buffers.at);
    stria_object_release(g->views.at);
    stria_object_release(g->steps.at);
    stria_object_release(g->inputs.at);
    stria_object_release(g->results.at);
    stria_object_release(g);
}

stria_graph_info stria_graph_get_info(const stria_graph *g)
{
    return (stria_graph_info){g->inputs.n, g->results.n, g->n_calls, g->steps.n, g->recorded_nbytes, g->arena_nbytes};
}
