/* frame_inputs.c - what a run is given: as it was recorded, or refused. */
#include <stdio.h>

#include "base/error.h"
#include "compile/frame.h"
#include "tensor/device.h"
#include "tensor/layout.h"
#include "tensor/overlap.h"

stria_status stria_graph_refuse_input(stria_status code, int k, const char *expected, const char *got, const char *what,
                                      stria_error *err)
{
    char name[24];

    snprintf(name, sizeof name, "in[%d]", k);
    return stria_error_set(err, code, STRIA_GRAPH_NAME, name, expected, got, "%s %s %s, but was recorded as %s", name,
                           what, got, expected);
}

static stria_status check_input(const stria_graph *graph, const stria_tensor *x, int k, stria_error *err)
{
    const stria_graph_form *g = &graph->planned;
    const stria_graph_view *v = &g->views.at[g->inputs.at[k]];
    char                    expected[96], got[96];

    if (x == NULL) return stria_graph_refuse_input(STRIA_ERR_ARGUMENT, k, "a tensor", "NULL", "is", err);
    if (!stria_device_equals(x->device, graph->device))
        return stria_graph_refuse_input(STRIA_ERR_DEVICE, k, stria_device_get_name(graph->device),
                                        stria_device_get_name(x->device), "is on", err);
    if (x->dtype != v->dtype)
        return stria_graph_refuse_input(STRIA_ERR_DTYPE, k, stria_dtype_get_name(v->dtype),
                                        stria_dtype_get_name(x->dtype), "is", err);
    if (!stria_tensor_has_shape(x, v->ndim, v->sizes)) {
        stria_shape_print(expected, sizeof expected, v->ndim, v->sizes);
        stria_shape_print(got, sizeof got, x->ndim, x->shape);
        return stria_graph_refuse_input(
            STRIA_ERR_SHAPE, k, expected, got,
            graph->dynamic != NULL ? "has none of the shapes of a program for sizes from 2 on:" : "has shape", err);
    }
    if (g->buffers.at[v->buffer].must_be && x->data != x->storage->data)
        return stria_graph_refuse_input(STRIA_ERR_ARGUMENT, k, "one that begins there",
                                        "a part of a memory that begins later", "is", err);
    return STRIA_OK;
}

static bool lies_as_recorded(const stria_graph_view *v, const stria_tensor *x)
{
    for (int d = 0; d < x->ndim; d++)
        if (x->shape[d] > 1 && x->strides[d] != v->sizes[v->ndim + d]) return false;
    return true;
}

/* The elements of x laid out as they were recorded, where they are not. */
static stria_status find_elements(const stria_graph_form *g, int k, stria_tensor *x, stria_tensor **elements,
                                  stria_error *err)
{
    const stria_graph_view *v = &g->views.at[g->inputs.at[k]];

    if (lies_as_recorded(v, x)) return STRIA_OK;
    if (g->buffers.at[v->buffer].is_written || g->buffers.at[v->buffer].is_result) {
        char expected[96], got[96];
        stria_shape_print(expected, sizeof expected, v->ndim, v->sizes + v->ndim);
        stria_shape_print(got, sizeof got, x->ndim, x->strides);
        return stria_graph_refuse_input(STRIA_ERR_ARGUMENT, k, expected, got,
                                        g->buffers.at[v->buffer].is_written ? "is written to, and has strides"
                                                                            : "is part of a result, and has strides",
                                        err);
    }
    STRIA_TRY(stria_tensor_new_on(x->device, v->dtype, v->ndim, v->sizes, v->sizes + v->ndim, elements, err));
    const stria_status status = stria_tensor_set(*elements, x, err);
    if (status == STRIA_OK) return STRIA_OK;
    stria_tensor_release(*elements);
    *elements = NULL;
    return status;
}

static bool is_shared(const stria_storage *x, const stria_storage *held)
{
    return (uintptr_t)x->data < (uintptr_t)held->data + held->nbytes &&
           (uintptr_t)held->data < (uintptr_t)x->data + x->nbytes;
}

/* An input that is written to is neither another one nor what the graph holds. */
static stria_status check_apart(const stria_graph_frame *f, int k, stria_error *err)
{
    const stria_graph_form *g = &f->graph->planned;

    if (!g->buffers.at[g->views.at[g->inputs.at[k]].buffer].is_written) return STRIA_OK;
    for (int v = 0; v < g->views.n; v++) {
        const int buffer = g->views.at[v].buffer;
        char      name[24];
        if (g->buffers.at[buffer].kind != STRIA_BUFFER_HELD) continue;
        if (!is_shared(f->inputs[k]->storage, f->storages[buffer])) continue;
        if (stria_overlap_find(f->inputs[k], f->handles[v]) == STRIA_OVERLAP_NONE) continue;
        snprintf(name, sizeof name, "in[%d]", k);
        return stria_error_set(err, STRIA_ERR_OVERLAP, STRIA_GRAPH_NAME, name, NULL, NULL,
                               "in[%d] is written to, and shares memory with a tensor that the graph holds", k);
    }
    for (int i = 0; i < g->inputs.n; i++) {
        char name[24];
        if (i == k || stria_overlap_find(f->inputs[k], f->inputs[i]) == STRIA_OVERLAP_NONE) continue;
        snprintf(name, sizeof name, "in[%d]", k);
        return stria_error_set(err, STRIA_ERR_OVERLAP, STRIA_GRAPH_NAME, name, NULL, NULL,
                               "in[%d] is written to, and shares memory with in[%d]", k, i);
    }
    return STRIA_OK;
}

/* What the graph writes to beside its inputs is not an input. */
static stria_status check_held(const stria_graph_frame *f, int k, stria_error *err)
{
    const stria_storage *x = f->inputs[k]->storage;

    for (int n = 0; n < f->n_written; n++) {
        const stria_storage *held = f->written[n];
        char                 name[24];
        if (!is_shared(x, held)) continue;
        snprintf(name, sizeof name, "in[%d]", k);
        return stria_error_set(err, STRIA_ERR_OVERLAP, STRIA_GRAPH_NAME, name, NULL, NULL,
                               "in[%d] shares memory with a tensor that the graph holds and writes to", k);
    }
    return STRIA_OK;
}

stria_status stria_graph_frame_set_inputs(stria_graph_frame *f, stria_tensor *const *in, stria_error *err)
{
    const stria_graph_form *g = &f->graph->planned;

    for (int k = 0; k < g->inputs.n; k++) STRIA_TRY(check_input(f->graph, in[k], k, err));
    for (int k = 0; k < g->inputs.n; k++) {
        STRIA_TRY(find_elements(g, k, in[k], &f->copies[k], err));
        f->inputs[k] = f->copies[k] != NULL ? f->copies[k] : in[k];
        f->has_copies |= f->copies[k] != NULL;
    }
    for (int k = 0; k < g->inputs.n && f->writes_inputs; k++) STRIA_TRY(check_apart(f, k, err));
    for (int k = 0; k < g->inputs.n && f->n_written > 0; k++) STRIA_TRY(check_held(f, k, err));
    return STRIA_OK;
}
