/* frame_results.c - memory of a run, and what it gives to the caller. */
#include "base/error.h"
#include "compile/capturing.h"
#include "compile/frame.h"
#include "stria_autograd.h"
#include "tensor/device.h"

stria_status stria_graph_refuse_run(const stria_graph *g, stria_error *err)
{
    if (g->device.type != STRIA_DEVICE_CPU) STRIA_TRY(stria_device_get_status(g->device, STRIA_GRAPH_NAME, err));
    const size_t nbytes = stria_graph_get_run_nbytes(g) + stria_graph_get_result_nbytes(&g->planned);
    return stria_error_set(err, STRIA_ERR_MEMORY, STRIA_GRAPH_NAME, NULL, NULL, NULL,
                           "no memory to run the graph, which takes %llu bytes", (unsigned long long)nbytes);
}

stria_tensor *stria_run_place_new_memory(const stria_graph *graph, const stria_run_place *p)
{
    stria_tensor *x = stria_tensor_new_with_storage(p->view->dtype, graph->device, p->view->ndim, p->nbytes);

    if (x != NULL) stria_graph_view_set_handle(p->view, x);
    return x;
}

stria_status stria_graph_frame_set_memory(stria_graph_frame *f, stria_error *err)
{
    for (const stria_run_place *p = f->places, *end = p + f->n_places; p < end; p++) {
        if (p->input >= 0) {
            stria_storage_set_place(p->storage, f->inputs[p->input]->data, f->inputs[p->input]->storage);
            continue;
        }
        const int n = (int)(p - f->places);
        f->results[p->buffer] = stria_graph_capturing_new_result(f, n);
        if (f->results[p->buffer] == NULL) return stria_graph_refuse_run(f->graph, err);
        const stria_storage *place = stria_graph_capturing_get_place(f, n);
        stria_storage_set_place(p->storage, place->data, place);
    }
    for (const stria_moving *m = f->moving, *end = m + f->n_moving; m < end; m++)
        m->handle->data = m->storage->data != NULL ? m->storage->data + m->offset : NULL; /* nothing, on a device */
    return STRIA_OK;
}

/* What a view of what lives on is for the caller: of an input, or held, it is a view of that tensor. */
stria_status stria_graph_frame_new_result(const stria_graph_frame *f, int view, stria_tensor *const *in,
                                          bool has_gradients, stria_tensor **out, stria_error *err)
{
    const stria_graph_form *g = &f->graph->planned;
    const stria_graph_view *v = &g->views.at[view];
    const stria_buffer     *b = &g->buffers.at[v->buffer];

    if (b->kind == STRIA_BUFFER_MADE) {
        const bool is_first = view == f->result_views[v->buffer];
        *out = !is_first ? stria_graph_view_new_handle(v, f->graph->device, f->results[v->buffer]->storage)
               : f->is_handed[v->buffer] ? stria_tensor_retain(f->results[v->buffer])
                                         : f->results[v->buffer];
        f->is_handed[v->buffer] |= is_first;
        return *out != NULL ? STRIA_OK : stria_graph_refuse_run(f->graph, err);
    }
    stria_tensor *x = b->kind == STRIA_BUFFER_INPUT ? in[b->input] : b->tensor;
    if (b->kind == STRIA_BUFFER_NUMBER) {
        STRIA_TRY(stria_tensor_copy(f->handles[view], STRIA_DTYPE_NONE, out, err));
        (*out)->is_wrapped_number = f->handles[view]->is_wrapped_number;
        return STRIA_OK;
    }
    if (b->kind == STRIA_BUFFER_INPUT && g->inputs.at[b->input] == view) {
        *out = stria_tensor_retain(x);
        return STRIA_OK;
    }
    const int64_t begin = b->kind == STRIA_BUFFER_INPUT ? 0 : x->data - x->storage->data;
    STRIA_TRY(stria_tensor_view_as(x, v->dtype, v->ndim, v->sizes, v->sizes + v->ndim, 0, out, err));
    if (x->data != NULL) (*out)->data = x->data + (v->offset - begin);
    if (stria_tensor_get_gradients() == NULL) {
        atomic_store_explicit(&x->storage->has_untracked, true, memory_order_relaxed);
        return STRIA_OK;
    }
    (*out)->base = stria_tensor_retain(x->base != NULL ? x->base : x);
    (*out)->is_cut = !has_gradients || stria_tensor_get_requires_grad((*out)->base);
    return STRIA_OK;
}

stria_status stria_graph_frame_set_grads(const stria_graph_frame *f, stria_tensor *const *in, bool has_gradients,
                                         stria_error *err)
{
    for (int k = 0; k < f->graph->grads.n; k++) {
        const stria_graph_grad *grad = &f->graph->grads.at[k];
        stria_tensor           *y = stria_tensor_retain(grad->last);
        if (grad->is_set && grad->view >= 0)
            STRIA_TRY(stria_graph_frame_new_result(f, f->graph->planned.grad_views[k], in, has_gradients, &y, err));
        if (grad->is_set)
            stria_graph_grad_set(grad, y);
        else
            stria_tensor_release(y);
    }
    return STRIA_OK;
}
