/* run.c - runs of a graph.
 *
 * A frame is what one run needs: the arena, and a handle for every view. Handles of what the graph holds and of the arena are made once; those of
 * inputs and of results lie over storages whose memory is set for each run. A graph keeps one frame, so that runs that follow one another
 * make none.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "compile/blocks.h"
#include "compile/dynamic.h"
#include "compile/step.h"
#include "stria_autograd.h"
#include "tensor/device.h"
#include "tensor/layout.h"
#include "tensor/overlap.h"

#define OP "graph"

/* A view over memory that is set for each run. */
typedef struct moving {
    stria_tensor        *handle;
    const stria_storage *storage;
    int64_t              offset;
} moving;

struct stria_graph_frame {
    const stria_graph *graph;
    stria_storage     *arena;
    stria_storage    **storages; /* [buffers]; of what is set for each run: without memory of their own */
    stria_tensor     **handles;  /* [views] */
    stria_tensor     **inputs;   /* [inputs]: what a run reads: the caller's, or */
    stria_tensor *
        *copies; /* [inputs]: their elements laid out anew, owned during one; NULL: they are as they were recorded */
    stria_tensor      **results;      /* [buffers]: new ones of a run, owned during it, unless they are */
    bool               *is_handed;    /* [buffers]: the caller's already */
    int                *result_views; /* [buffers]: of results, the view of the first */
    int                *set;          /* [n_set]: buffers that are set for each run */
    int                *held;         /* [n_held]: what the graph holds, of tensors that may be given other memory */
    int                 n_set, n_held;
    bool                writes_inputs;
    stria_call         *calls;   /* [steps], over handles */
    stria_ready_step   *ready;   /* [steps] */
    stria_graph_lanes **lanes;   /* [blocks of the form] */
    moving             *moving;  /* [n_moving] */
    stria_storage     **written; /* [n_written]: of what the graph holds, and writes to */
    int                 n_moving, n_written;
    bool                has_constants;
    bool                is_in_blocks; /* some steps run block by block: the arena lacks what is local to them */
    char               *varied;       /* attributes of steps with numbers, for this run */
};

/* A device that has failed has no memory either, and says why. */
static stria_status refuse_memory(const stria_graph *g, stria_error *err)
{
    if (g->device.type != STRIA_DEVICE_CPU) STRIA_TRY(stria_device_get_status(g->device, OP, err));
    return stria_error_set(err, STRIA_ERR_MEMORY, OP, NULL, NULL, NULL, "no memory to run the graph");
}

/* ---------------------------------------------------------------- frames */

void stria_graph_frame_release(stria_graph_frame *f)
{
    if (f == NULL) return;
    for (int k = 0; f->handles != NULL && k < f->graph->planned.views.n; k++) stria_tensor_release(f->handles[k]);
    for (int k = 0; f->storages != NULL && k < f->graph->planned.buffers.n; k++) stria_storage_release(f->storages[k]);
    stria_storage_release(f->arena);
    stria_object_release(f->handles);
    for (int i = 0; f->ready != NULL && i < f->graph->planned.steps.n; i++) stria_ready_step_end(&f->ready[i]);
    for (int k = 0; f->lanes != NULL && k < f->graph->planned.blocks.n; k++) stria_graph_lanes_release(f->lanes[k]);
    stria_object_release(f->calls);
    stria_object_release(f->varied);
    stria_object_release(f);
}

static bool is_set_for_each_run(const stria_buffer *b)
{
    return b->kind == STRIA_BUFFER_INPUT || (b->kind == STRIA_BUFFER_MADE && b->is_result);
}

/* Memory of f's device; what lies in it waits for whom that waits for. */
static void set_place(stria_storage *s, char *data, const stria_storage *memory)
{
    s->data = data;
    if (memory->device.type == STRIA_DEVICE_CPU) return;
    s->device = memory->device;
    s->context = memory->context;
}

static stria_storage *new_storage(stria_graph_frame *f, const stria_buffer *b)
{
    const bool lacks_place = f->arena == NULL || (f->is_in_blocks && b->is_local);
    char      *place = lacks_place ? NULL : f->arena->data + (f->is_in_blocks ? b->block_place : b->place);

    if (b->kind == STRIA_BUFFER_HELD || b->kind == STRIA_BUFFER_NUMBER) {
        stria_storage_retain(b->tensor->storage);
        return b->tensor->storage;
    }
    char          *data = is_set_for_each_run(b) ? NULL
                          : place == NULL        ? (char *)f /* nobody looks at it, but NULL has no offsets */
                                                 : place;
    stria_storage *s = stria_storage_new_external(data, (size_t)b->nbytes, NULL, NULL);
    if (s != NULL && data == place && place != NULL) set_place(s, place, f->arena);
    return s;
}

static bool fill(stria_graph_frame *f)
{
    const stria_graph_form *g = &f->graph->planned;
    const size_t            n = (size_t)(g->views.n + 3 * g->buffers.n + 2 * g->inputs.n);
    const size_t            of_buffer = 3 * sizeof(int) + sizeof(bool);
    void                  **room = stria_object_new((n + 1) * sizeof *room + (size_t)g->buffers.n * of_buffer);

    if (room == NULL) return false;
    f->handles = (stria_tensor **)room;
    f->storages = (stria_storage **)(room + g->views.n);
    f->written = f->storages + g->buffers.n;
    f->results = (stria_tensor **)(f->written + g->buffers.n);
    f->inputs = f->results + g->buffers.n;
    f->copies = f->inputs + g->inputs.n;
    f->result_views = (int *)(void *)(f->copies + g->inputs.n);
    f->set = f->result_views + g->buffers.n;
    f->held = f->set + g->buffers.n;
    f->is_handed = (bool *)(void *)(f->held + g->buffers.n);
    for (int k = f->graph->grads.n - 1; k >= 0; k--)
        if (g->grad_views[k] >= 0) f->result_views[g->views.at[g->grad_views[k]].buffer] = g->grad_views[k];
    for (int k = g->results.n - 1; k >= 0; k--)
        f->result_views[g->views.at[g->results.at[k]].buffer] = g->results.at[k];
    const size_t arena = f->is_in_blocks ? f->graph->block_arena_nbytes : f->graph->arena_nbytes;
    if (arena > 0 && (f->arena = stria_storage_new(arena, f->graph->device)) == NULL) return false;
    for (int k = 0; k < g->buffers.n; k++) {
        const stria_buffer *b = &g->buffers.at[k];
        if ((f->storages[k] = new_storage(f, b)) == NULL) return false;
        if (b->kind == STRIA_BUFFER_HELD && b->is_written) f->written[f->n_written++] = f->storages[k];
        if (b->kind == STRIA_BUFFER_HELD && b->holder != NULL) f->held[f->n_held++] = k;
        if (is_set_for_each_run(b)) f->set[f->n_set++] = k;
        f->writes_inputs |= b->kind == STRIA_BUFFER_INPUT && b->is_written;
    }
    for (int k = 0; k < g->views.n; k++) {
        const stria_graph_view *v = &g->views.at[k];
        const stria_buffer     *b = &g->buffers.at[v->buffer];
        const bool         is_number = b->kind == STRIA_BUFFER_NUMBER && v->ndim == 0 && v->dtype == b->tensor->dtype;
        const stria_device device = b->kind == STRIA_BUFFER_NUMBER ? STRIA_CPU : f->graph->device;
        f->handles[k] =
            is_number ? stria_tensor_retain(b->tensor) : stria_graph_view_new_handle(v, device, f->storages[v->buffer]);
        if (f->handles[k] == NULL) return false;
    }
    return true;
}

/* The calls of the steps, and what else a run changes. */
static bool bind(stria_graph_frame *f)
{
    const stria_graph_form *g = &f->graph->planned;
    size_t                  n_tensors = 0, varied = 0;

    for (int i = 0; i < g->steps.n; i++) n_tensors += (size_t)stria_graph_step_count(&g->steps.at[i]);
    const size_t calls = (size_t)g->steps.n * sizeof(stria_call), tensors = n_tensors * sizeof(stria_tensor *);
    const size_t ready = (size_t)g->steps.n * sizeof *f->ready;
    const size_t lanes = (size_t)g->blocks.n * sizeof *f->lanes;
    f->calls = stria_object_new(calls + (size_t)g->views.n * sizeof(moving) + tensors + ready + lanes + 1);
    f->varied = f->graph->varied_nbytes > 0 ? stria_object_new(f->graph->varied_nbytes) : NULL;
    if (f->calls == NULL || (f->varied == NULL && f->graph->varied_nbytes > 0)) return false;
    f->moving = (moving *)(void *)((char *)f->calls + calls);
    f->ready = (stria_ready_step *)(void *)(f->moving + g->views.n);
    f->lanes = (stria_graph_lanes **)(void *)(f->ready + g->steps.n);
    stria_tensor **at = (stria_tensor **)(void *)(f->lanes + g->blocks.n);
    for (int k = 0; k < g->views.n; k++)
        if (is_set_for_each_run(&g->buffers.at[g->views.at[k].buffer]))
            f->moving[f->n_moving++] =
                (moving){f->handles[k], f->storages[g->views.at[k].buffer], g->views.at[k].offset};
    for (int i = 0; i < g->steps.n; i++) {
        const stria_graph_step *step = &g->steps.at[i];
        const int               n_read = step->n_in + step->n_list;
        const void             *attrs = step->attrs;
        if (step->n_numbers > 0) {
            attrs = memcpy(f->varied + varied, attrs, stria_graph_step_get_attrs_size(step));
            varied += (stria_graph_step_get_attrs_size(step) + 7) / 8 * 8;
        }
        for (int k = 0; k < n_read + step->n_out; k++) at[k] = step->views[k] < 0 ? NULL : f->handles[step->views[k]];
        f->calls[i] = (stria_call){step->row,
                                   step->n_in,
                                   (const stria_tensor *const *)at,
                                   (const stria_tensor *const *)(at + step->n_in),
                                   step->n_list,
                                   attrs,
                                   at + n_read,
                                   NULL};
        f->ready[i].call = &f->calls[i];
        at += n_read + step->n_out;
    }
    return true;
}

/* in_blocks: where the graph has any. */
static stria_graph_frame *take_frame(stria_graph *g, bool in_blocks)
{
    stria_graph_frame *f = atomic_exchange_explicit(&g->kept, NULL, memory_order_acquire);

    in_blocks &= g->planned.blocks.n > 0;
    if (f != NULL && f->is_in_blocks == in_blocks) return f;
    stria_graph_frame_release(f);
    f = stria_object_new(sizeof *f);
    if (f == NULL) return NULL;
    f->graph = g;
    f->is_in_blocks = in_blocks;
    if (fill(f) && bind(f)) return f;
    stria_graph_frame_release(f);
    return NULL;
}

static void give_frame(stria_graph *g, stria_graph_frame *f)
{
    stria_graph_frame *none = NULL;

    for (int k = 0; k < g->planned.inputs.n; k++) {
        if (f->copies[k] != NULL) stria_tensor_release(f->copies[k]);
        f->copies[k] = NULL;
    }
    for (int n = 0; n < f->n_set; n++) {
        const int k = f->set[n];
        if (!f->is_handed[k]) stria_tensor_release(f->results[k]);
        f->results[k] = NULL;
        f->is_handed[k] = false;
    }
    if (!atomic_compare_exchange_strong_explicit(&g->kept, &none, f, memory_order_release, memory_order_relaxed))
        stria_graph_frame_release(f);
}

/* ---------------------------------------------------------------- inputs */

static stria_status refuse_input(stria_status code, int k, const char *expected, const char *got, const char *what,
                                 stria_error *err)
{
    char name[24];

    snprintf(name, sizeof name, "in[%d]", k);
    return stria_error_set(err, code, OP, name, expected, got, "%s %s %s, but was recorded as %s", name, what, got,
                           expected);
}

static stria_status check_input(const stria_graph *graph, const stria_tensor *x, int k, stria_error *err)
{
    const stria_graph_form *g = &graph->planned;
    const stria_graph_view *v = &g->views.at[g->inputs.at[k]];
    char                    expected[96], got[96];

    if (x == NULL) return refuse_input(STRIA_ERR_ARGUMENT, k, "a tensor", "NULL", "is", err);
    if (!stria_device_equals(x->device, graph->device))
        return refuse_input(STRIA_ERR_DEVICE, k, stria_device_get_name(graph->device), stria_device_get_name(x->device),
                            "is on", err);
    if (x->dtype != v->dtype)
        return refuse_input(STRIA_ERR_DTYPE, k, stria_dtype_get_name(v->dtype), stria_dtype_get_name(x->dtype), "is",
                            err);
    if (!stria_tensor_has_shape(x, v->ndim, v->sizes)) {
        stria_shape_print(expected, sizeof expected, v->ndim, v->sizes);
        stria_shape_print(got, sizeof got, x->ndim, x->shape);
        return refuse_input(
            STRIA_ERR_SHAPE, k, expected, got,
            graph->dynamic != NULL ? "has none of the shapes of a program for sizes from 2 on:" : "has shape", err);
    }
    if (g->buffers.at[v->buffer].must_be && x->data != x->storage->data)
        return refuse_input(STRIA_ERR_ARGUMENT, k, "one that begins there", "a part of a memory that begins later",
                            "is", err);
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
        return refuse_input(STRIA_ERR_ARGUMENT, k, expected, got,
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

static stria_status check_apart(const stria_graph_frame *f, int k, stria_error *err)
{
    const stria_graph_form *g = &f->graph->planned;

    if (!g->buffers.at[g->views.at[g->inputs.at[k]].buffer].is_written) return STRIA_OK;
    for (int i = 0; i < g->inputs.n; i++) {
        char name[24];
        if (i == k || stria_overlap_find(f->inputs[k], f->inputs[i]) == STRIA_OVERLAP_NONE) continue;
        snprintf(name, sizeof name, "in[%d]", k);
        return stria_error_set(err, STRIA_ERR_OVERLAP, OP, name, NULL, NULL,
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
        if ((uintptr_t)x->data >= (uintptr_t)held->data + held->nbytes ||
            (uintptr_t)held->data >= (uintptr_t)x->data + x->nbytes)
            continue;
        snprintf(name, sizeof name, "in[%d]", k);
        return stria_error_set(err, STRIA_ERR_OVERLAP, OP, name, NULL, NULL,
                               "in[%d] shares memory with a tensor that the graph holds, and writes to", k);
    }
    return STRIA_OK;
}

static stria_status set_inputs(stria_graph_frame *f, stria_tensor *const *in, stria_error *err)
{
    const stria_graph_form *g = &f->graph->planned;

    for (int k = 0; k < g->inputs.n; k++) STRIA_TRY(check_input(f->graph, in[k], k, err));
    for (int k = 0; k < g->inputs.n; k++) {
        STRIA_TRY(find_elements(g, k, in[k], &f->copies[k], err));
        f->inputs[k] = f->copies[k] != NULL ? f->copies[k] : in[k];
    }
    for (int k = 0; k < g->inputs.n && f->writes_inputs; k++) STRIA_TRY(check_apart(f, k, err));
    for (int k = 0; k < g->inputs.n && f->n_written > 0; k++) STRIA_TRY(check_held(f, k, err));
    return STRIA_OK;
}

/* ---------------------------------------------------------------- a run */

/* The first result that looks at a buffer brings its memory: in one block where it is small. */
static stria_tensor *new_memory(const stria_graph *graph, const stria_graph_view *v)
{
    const size_t  nbytes = (size_t)graph->planned.buffers.at[v->buffer].nbytes;
    stria_tensor *x = stria_tensor_new_with_storage(v->dtype, graph->device, v->ndim, nbytes);

    if (x != NULL) stria_graph_view_set_handle(v, x);
    return x;
}

static stria_status set_memory(stria_graph_frame *f, stria_error *err)
{
    const stria_graph_form *g = &f->graph->planned;

    for (int n = 0; n < f->n_set; n++) {
        const int           k = f->set[n];
        const stria_buffer *b = &g->buffers.at[k];
        if (b->kind == STRIA_BUFFER_MADE) {
            f->results[k] = new_memory(f->graph, &g->views.at[f->result_views[k]]);
            if (f->results[k] == NULL) return refuse_memory(f->graph, err);
            set_place(f->storages[k], f->results[k]->storage->data, f->results[k]->storage);
        } else {
            set_place(f->storages[k], f->inputs[b->input]->data, f->inputs[b->input]->storage);
        }
    }
    for (int k = 0; k < f->n_moving; k++) {
        const moving *m = &f->moving[k];
        m->handle->data = m->storage->data != NULL ? m->storage->data + m->offset : NULL; /* nothing, on a device */
    }
    return STRIA_OK;
}

void stria_graph_number_set(const stria_param *param, void *attrs, double value)
{
    void *field = (char *)attrs + param->offset;

    if (param->kind == STRIA_KIND_FLAG)
        *(bool *)field = value != 0;
    else if (param->kind == STRIA_KIND_INT)
        *(int64_t *)field = (int64_t)value;
    else
        *(double *)field = value;
}

static void set_numbers(stria_graph_frame *f, const double *numbers)
{
    const stria_graph *g = f->graph;

    for (int i = 0; i < g->planned.steps.n && f->varied != NULL; i++) {
        const stria_graph_step *step = &g->planned.steps.at[i];
        if (step->n_numbers > 0 && numbers == NULL)
            memcpy((void *)(uintptr_t)f->calls[i].attrs, step->attrs, stria_graph_step_get_attrs_size(step));
        if (numbers == NULL) continue;
        for (int k = step->first_number; k < step->first_number + step->n_numbers; k++)
            stria_graph_number_set(g->numbers.at[k].param, (void *)(uintptr_t)f->calls[i].attrs, numbers[k]);
    }
}

/* What a view of what lives on is for the caller: of an input, or held, it is a view of that tensor. */
static stria_status new_result(const stria_graph_frame *f, int view, stria_tensor *const *in, bool has_gradients,
                               stria_tensor **out, stria_error *err)
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
        return *out != NULL ? STRIA_OK : refuse_memory(f->graph, err);
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

static stria_status set_grads(const stria_graph_frame *f, stria_tensor *const *in, bool has_gradients, stria_error *err)
{
    for (int k = 0; k < f->graph->grads.n; k++) {
        const stria_graph_grad *grad = &f->graph->grads.at[k];
        stria_tensor           *y = stria_tensor_retain(grad->last);
        if (grad->is_set && grad->view >= 0)
            STRIA_TRY(new_result(f, f->graph->planned.grad_views[k], in, has_gradients, &y, err));
        if (grad->is_set)
            stria_graph_grad_set(grad, y);
        else
            stria_tensor_release(y);
    }
    return STRIA_OK;
}

char         *stria_graph_frame_get_data(const stria_graph_frame *f, int buffer) { return f->storages[buffer]->data; }
stria_tensor *stria_graph_frame_get_handle(const stria_graph_frame *f, int view) { return f->handles[view]; }
const stria_graph_form *stria_graph_frame_get_form(const stria_graph_frame *f) { return &f->graph->planned; }
const void *stria_graph_frame_get_attrs(const stria_graph_frame *f, int step) { return f->calls[step].attrs; }
char       *stria_graph_frame_get_arena(const stria_graph_frame *f) { return f->arena != NULL ? f->arena->data : NULL; }

stria_status stria_graph_frame_run_step(const stria_graph_frame *f, int i, stria_error *err)
{
    const stria_graph_step *step = &f->graph->planned.steps.at[i];

    if (f->has_constants && step->is_constant) return STRIA_OK;
    return stria_ready_step_run(&f->graph->planned, step, &f->ready[i], err);
}

stria_status stria_graph_frame_run_steps(const stria_graph_frame *f, void *context, stria_error *err)
{
    const stria_graph_form *g = &f->graph->planned;

    (void)context;
    for (int i = 0, k = 0; i < g->steps.n;) {
        const stria_graph_blocks *b = f->is_in_blocks && k < g->blocks.n ? &g->blocks.at[k] : NULL;
        bool                      is_joined = g->steps.at[i].is_joined && (b == NULL || b->first != i + 1);
        if (b != NULL && b->first == i) {
            STRIA_TRY(stria_graph_blocks_run(f, b, f->graph->local_nbytes, &f->lanes[k++], err));
            i += b->n_steps;
            continue;
        }
        if (is_joined) STRIA_TRY(stria_ready_step_run_joined(g, &g->steps.at[i + 1], &f->ready[i], &is_joined, err));
        if (!is_joined) STRIA_TRY(stria_graph_frame_run_step(f, i, err));
        i += is_joined ? 2 : 1; /* both are made, or the first */
    }
    return STRIA_OK;
}

/* What a run is given, and what makes its steps. */
typedef struct request {
    stria_tensor *const  *in;
    const double         *numbers;
    bool                  has_gradients;
    stria_graph_steps_fn *steps;
    void                 *context;
} request;

static stria_status check_memory(const stria_graph_frame *f, stria_error *err)
{
    for (int k = 0; k < f->n_held; k++) {
        const stria_buffer *b = &f->graph->planned.buffers.at[f->held[k]];
        if (b->holder->storage != b->tensor->storage)
            return stria_error_set(
                err, STRIA_ERR_ARGUMENT, OP, "held", NULL, NULL,
                "a tensor that the graph holds has other memory than it had; record the calls again");
    }
    return STRIA_OK;
}

static stria_status run(stria_graph_frame *f, const request *r, stria_tensor **out, stria_error *err)
{
    const stria_graph_form *g = &f->graph->planned;
    stria_status            status = check_memory(f, err);

    if (status == STRIA_OK) status = set_inputs(f, r->in, err);
    if (status == STRIA_OK) status = stria_graph_grads_check(f->graph, err);
    if (status == STRIA_OK) stria_graph_grads_drop(f->graph, r->in);
    if (status == STRIA_OK) status = set_memory(f, err);
    set_numbers(f, r->numbers);
    const bool has_begun = status == STRIA_OK;
    if (has_begun) status = r->steps(f, r->context, err);
    f->has_constants = status == STRIA_OK;
    for (int k = 0; k < g->inputs.n && has_begun && f->writes_inputs; k++)
        if (g->buffers.at[g->views.at[g->inputs.at[k]].buffer].is_written) stria_tensor_touch(f->inputs[k]);
    for (int k = 0; k < g->results.n && status == STRIA_OK; k++)
        status = new_result(f, g->results.at[k], r->in, r->has_gradients, &out[k], err);
    if (status == STRIA_OK) status = set_grads(f, r->in, r->has_gradients, err);
    for (int k = 0; k < g->results.n && status != STRIA_OK; k++) {
        stria_tensor_release(out[k]);
        out[k] = NULL;
    }
    return status;
}

static stria_status check_run(const stria_graph *g, stria_tensor *const *in, int n_in, const double *numbers,
                              int n_numbers, stria_error *err)
{
    if (n_in != g->planned.inputs.n || (n_in > 0 && in == NULL))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "n_in", NULL, NULL, "takes %d inputs, got %d",
                               g->planned.inputs.n, in == NULL ? 0 : n_in);
    if (numbers != NULL && n_numbers != g->numbers.n)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "n_numbers", NULL, NULL, "takes %d numbers, got %d",
                               g->numbers.n, n_numbers);
    for (int k = 0; k < n_numbers && numbers != NULL; k++)
        if (g->numbers.at[k].param->kind == STRIA_KIND_INT && !(fabs(numbers[k]) <= 0x1p53))
            return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "numbers", "a whole number of at most 2^53", NULL,
                                   "numbers[%d] is %g, and %s is a whole number", k, numbers[k],
                                   g->numbers.at[k].param->name);
    const bool has_gradients = stria_grad_mode_get(); /* none while steps run */
    for (int k = 0; k < n_in && has_gradients; k++)
        if (in[k] != NULL && stria_tensor_get_requires_grad(in[k]))
            return refuse_input(STRIA_ERR_ARGUMENT, k, "a tensor that requires no gradient", "one that does", "is",
                                err);
    if (!stria_recording_is_on()) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, OP, NULL, "a thread that does not record", NULL,
                           "a graph does not run while its thread records; make its calls, which are recorded");
}

stria_status stria_graph_run_by(stria_graph *g, stria_tensor *const *in, int n_in, const double *numbers, int n_numbers,
                                stria_tensor **out, stria_graph_steps_fn *steps, void *context, stria_error *err)
{
    if (g == NULL) return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "graph", "a graph", "NULL", "the graph is NULL");
    if (out == NULL && g->planned.results.n > 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "out", "places for the results", "NULL", "out is NULL");
    for (int k = 0; k < g->planned.results.n; k++) out[k] = NULL;
    STRIA_TRY(check_run(g, in, n_in, numbers, n_numbers, err));
    if (steps != stria_graph_frame_run_steps && g->device.type != STRIA_DEVICE_CPU)
        return stria_graph_refuse_code(g, OP, err);
    stria_graph_frame *f = take_frame(g, steps == stria_graph_frame_run_steps);
    if (f == NULL) return refuse_memory(g, err);
    const bool         was = stria_grad_mode_set(false);
    const request      r = {in, numbers, was, steps, context};
    const stria_status status = run(f, &r, out, err);
    stria_grad_mode_set(was);
    give_frame(g, f);
    return status;
}

/* By the graph of the size that the inputs have. */
static stria_status run_size(stria_graph *g, stria_tensor *const *in, int n_in, const double *numbers, int n_numbers,
                             stria_tensor **out, stria_error *err)
{
    const int64_t size = stria_dynamic_find_size(g, in);
    stria_graph  *other;

    if (size < 0 || size == g->dynamic->sizes[0])
        return stria_graph_run_by(g, in, n_in, numbers, n_numbers, out, stria_graph_frame_run_steps, NULL, err);
    for (int k = 0; k < g->planned.results.n; k++) out[k] = NULL;
    STRIA_TRY(check_run(g, in, n_in, numbers, n_numbers, err));
    STRIA_TRY(stria_dynamic_get_graph(g, size, &other, err));
    const stria_status status =
        stria_graph_run_by(other, in, n_in, numbers, n_numbers, out, stria_graph_frame_run_steps, NULL, err);
    stria_graph_release(other);
    return status;
}

stria_status stria_graph_run_with(stria_graph *g, stria_tensor *const *in, int n_in, const double *numbers,
                                  int n_numbers, stria_tensor **out, stria_error *err)
{
    if (g != NULL && g->dynamic != NULL && n_in == g->planned.inputs.n && (in != NULL || n_in == 0) &&
        (out != NULL || g->planned.results.n == 0))
        return run_size(g, in, n_in, numbers, n_numbers, out, err);
    stria_graph_code *code = g != NULL ? atomic_load_explicit(&g->code, memory_order_acquire) : NULL;

    return stria_graph_run_by(g, in, n_in, numbers, n_numbers, out,
                              code != NULL ? code->run : stria_graph_frame_run_steps, code, err);
}

stria_status stria_graph_run(stria_graph *g, stria_tensor *const *in, int n_in, stria_tensor **out, stria_error *err)
{
    return stria_graph_run_with(g, in, n_in, NULL, 0, out, err);
}
