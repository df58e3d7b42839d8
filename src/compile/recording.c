/* recording.c - what recorded calls begin and end with: inputs, numbers that vary, gradients of tensors with elements, results. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "compile/recording.h"
#include "tensor/device.h"

static _Thread_local stria_recording *here;

/* ---------------------------------------------------------------- gradients of tensors with elements */

/* A stria_gradient_state.watch_grad: slot->grad is noted before anything is done to it. */
static void on_grad(void *context, stria_slot *slot, bool reads)
{
    stria_recording *r = context;
    stria_graph     *g = r->graph;

    if (slot->device.type == STRIA_DEVICE_META || r->has_failed || r->is_over) return;
    int at = stria_recording_find_buffer(r, slot->node);
    if (at < 0) {
        at = g->grads.n;
        if (!STRIA_GROW(g->grads) || !stria_recording_remember(r, slot->node, at)) {
            r->has_failed = true;
            return;
        }
        lock(&slot->guard);
        stria_tensor *first = stria_tensor_retain(slot->grad);
        unlock(&slot->guard);
        g->grads.at[g->grads.n++] = (stria_graph_grad){stria_node_retain(slot->node), first, reads, false, NULL, -1};
    }
    g->grads.at[at].is_set |= !reads;
}

static void take_back_grads(stria_recording *r)
{
    for (int k = 0; k < r->graph->grads.n && !r->is_over; k++) stria_graph_grad_take_back(&r->graph->grads.at[k]);
    r->is_over = true;
}

static stria_status add_grads(stria_recording *r, stria_error *err)
{
    for (int k = 0; k < r->graph->grads.n; k++) {
        stria_graph_grad *grad = &r->graph->grads.at[k];
        if (!grad->is_read) stria_tensor_release(grad->first), grad->first = NULL;
        if (grad->last == NULL || grad->last->device.type != STRIA_DEVICE_META) continue;
        const int buffer = stria_recording_find_buffer(r, grad->last->storage);
        if (buffer < 0)
            return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "grad", "a symbol of this recording", NULL,
                                   "the gradient of a tensor is a symbol that was not made by the calls recorded");
        STRIA_TRY(stria_recording_add_view(r, OP, grad->last, buffer, false, &grad->view, err));
        r->graph->recorded.buffers.at[buffer].is_result = true;
        stria_tensor_release(grad->last);
        grad->last = NULL;
    }
    return STRIA_OK;
}

/* ---------------------------------------------------------------- histories of tensors that are written to */

static stria_written *find_written(const stria_recording *r, const stria_tensor *x)
{
    for (int k = 0; k < r->written.n && x != NULL; k++)
        if (r->written.at[k].x == x) return &r->written.at[k];
    return NULL;
}

/* A stria_gradient_state.watch_history: of what is written to, and of views that look at it anew. */
static void on_history(void *context, stria_tensor *x, const stria_slot *slot)
{
    stria_recording *r = context;
    stria_slot      *first = x->gradient;

    if ((x->device.type == STRIA_DEVICE_META && !x->is_given) || r->has_failed || r->is_over) return;
    if (find_written(r, x) != NULL || (!slot->is_rewritten && find_written(r, x->base) == NULL)) return;
    if (!STRIA_GROW(r->written)) {
        r->has_failed = true;
        return;
    }
    if (first != NULL) stria_node_retain(first->node);
    r->written.at[r->written.n++] = (stria_written){stria_tensor_retain(x), first};
}

/* Whether x has the history that the program gave it: one of symbols. */
static bool has_new_history(const stria_written *w)
{
    const stria_slot *slot = w->x->gradient;
    return slot != NULL && slot != w->first && !stria_slot_is_leaf(slot);
}

static stria_status check_written(const stria_recording *r, stria_error *err)
{
    for (int k = 0; k < r->written.n; k++)
        if (has_new_history(&r->written.at[k]))
            return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "x", "a value that requires no gradient",
                                   "one that requires it",
                                   "%s was written with a value that requires a gradient, whose history does not "
                                   "leave what is recorded: turn gradients off to write, or write a detached value",
                                   r->written.at[k].x->is_given ? "an input" : "a captured tensor");
    return STRIA_OK;
}

static void take_back_written(stria_recording *r)
{
    for (int k = 0; k < r->written.n; k++) {
        stria_written *w = &r->written.at[k];
        if (has_new_history(w)) stria_slot_attach(w->x, w->first);
        if (w->first != NULL) stria_node_release(w->first->node);
        stria_tensor_release(w->x);
    }
    stria_object_release(r->written.at);
}

/* ---------------------------------------------------------------- versions of what is written to */

void stria_recording_touch(stria_recording *r, stria_tensor *x)
{
    int k = 0;

    stria_tensor_touch(x);
    while (k < r->touched.n && r->touched.at[k].storage != x->storage) k++;
    if (k == r->touched.n) {
        if (!STRIA_GROW(r->touched)) return; /* it stays: who saved x is told of a change */
        stria_storage_retain(x->storage);
        r->touched.at[r->touched.n++] = (stria_touched){x->storage, 0, 0, 0};
    }
    stria_touched *t = &r->touched.at[k];
    if (t->mark != r->mark.number) {
        t->n_before = t->n;
        t->mark = r->mark.number;
    }
    t->n++;
}

static void untouch(stria_touched *t, unsigned n)
{
    atomic_fetch_sub_explicit(&t->storage->version, t->n - n, memory_order_relaxed);
    t->n = n;
}

/* Nothing is going to be written: what was saved of before is what there is. */
static void take_back_touched(stria_recording *r, bool has_graph)
{
    for (int k = 0; k < r->touched.n; k++) {
        if (!has_graph) untouch(&r->touched.at[k], 0);
        stria_storage_release(r->touched.at[k].storage);
    }
    stria_object_release(r->touched.at);
}

/* ---------------------------------------------------------------- calls that are refused */

static void end_steps(stria_recording *r)
{
    stria_graph *g = r->graph;

    while (g->recorded.steps.n > r->mark.n_steps) stria_graph_step_end(&g->recorded.steps.at[--g->recorded.steps.n]);
    while (g->looks.n > r->mark.n_looks) stria_graph_step_end(&g->looks.at[--g->looks.n].call);
}

void stria_recording_on_mark(void *context, bool is_refused)
{
    stria_recording      *r = context;
    stria_graph          *g = r->graph;
    stria_recording_mark *m = &r->mark;

    if (!is_refused) {
        r->changed_buffers.n = r->changed_numbers.n = 0;
        *m = (stria_recording_mark){m->number + 1,
                                    g->recorded.buffers.n,
                                    g->recorded.views.n,
                                    g->recorded.steps.n,
                                    g->looks.n,
                                    g->n_calls,
                                    r->has_step,
                                    r->has_device,
                                    g->device};
        return;
    }
    if (r->has_failed) return;
    end_steps(r);
    stria_recording_forget(r);
    for (int k = 0; k < r->touched.n; k++)
        if (r->touched.at[k].mark == m->number) untouch(&r->touched.at[k], r->touched.at[k].n_before);
    g->n_calls = m->n_calls;
    g->device = m->device;
    r->has_device = m->has_device;
    r->has_step = m->has_step;
}

/* ---------------------------------------------------------------- beginning and ending */

bool stria_recording_is_on(void) { return here != NULL; }

stria_status stria_recording_use_device(stria_recording *r, const char *op, stria_device device, stria_error *err)
{
    const stria_device known = r->graph->device;

    if (device.type == STRIA_DEVICE_META) return STRIA_OK;
    if (device.type != STRIA_DEVICE_CPU && device.type != STRIA_DEVICE_CUDA)
        return stria_error_set(err, STRIA_ERR_DEVICE, op, NULL, "cpu", stria_device_get_name(device),
                               "tensors on %s are not recorded", stria_device_get_name(device));
    if (r->has_device && !stria_device_equals(device, known)) {
        const char *first = stria_device_get_name(known), *second = stria_device_get_name(device);
        return stria_error_set(err, STRIA_ERR_DEVICE, op, NULL, first, second,
                               "a recording is of one device: this one has been on %s, and here is %s", first, second);
    }
    r->graph->device = device;
    r->has_device = true;
    return STRIA_OK;
}

bool stria_recording_has_step(const stria_recording *r) { return r->has_step; }

static void end(stria_recording *r, bool has_graph)
{
    if (here == r) {
        stria_call_set_recorder(NULL, NULL);
        stria_gradient_here.watch_grad = NULL;
        stria_gradient_here.watch_history = NULL;
        here = NULL;
    }
    take_back_grads(r);
    take_back_written(r);
    take_back_touched(r, has_graph);
    stria_graph_release(r->graph);
    stria_object_release(r->places);
    stria_object_release(r->found);
    stria_object_release(r->changed_buffers.at);
    stria_object_release(r->changed_numbers.at);
    stria_object_release(r);
}

stria_status stria_recording_begin(stria_recording **out, stria_error *err)
{
    stria_recording *r;

    if (out == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "out", "a place for the recording", "NULL", "out is NULL");
    *out = NULL;
    if (here != NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, NULL, "a thread that does not record", NULL,
                               "this thread records already");
    r = stria_object_new(sizeof *r);
    if (r == NULL) return stria_graph_refuse_memory(err);
    r->graph = stria_graph_new();
    if (r->graph == NULL) {
        stria_object_release(r);
        return stria_graph_refuse_memory(err);
    }
    here = r;
    stria_call_set_recorder(stria_recording_on_call, r);
    stria_call_set_recorder_mark(stria_recording_on_mark, stria_recording_overlaps);
    stria_gradient_here.watch_grad = on_grad;
    stria_gradient_here.watch_history = on_history;
    stria_gradient_here.watch_context = r;
    *out = r;
    return STRIA_OK;
}

static stria_status check_recording(const stria_recording *r, stria_error *err)
{
    if (r != NULL && r == here) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "recording", "the recording of this thread",
                           r == NULL ? "NULL" : NULL,
                           r == NULL ? "the recording is NULL" : "the recording is another thread's");
}

/* A new input that lies as x does, but from the beginning of a storage. */
static stria_status add_input(stria_recording *r, const stria_tensor *x, stria_tensor **symbol, stria_error *err)
{
    stria_graph_form *g = &r->graph->recorded;
    stria_tensor     *base = NULL;
    int               buffer, view;

    STRIA_TRY(stria_recording_use_device(r, OP, x->device, err));
    if (!STRIA_GROW(g->inputs)) return stria_graph_refuse_memory(err);
    STRIA_TRY(stria_tensor_new_on(STRIA_META, x->dtype, 0, NULL, NULL, &base, err));
    const stria_status status = stria_recording_add_buffer(r, STRIA_BUFFER_INPUT, base, &buffer, err);
    stria_tensor_release(base);
    STRIA_TRY(status);
    g->buffers.at[buffer].input = g->inputs.n;
    g->buffers.at[buffer].is_whole = x->data == x->storage->data;
    STRIA_TRY(stria_recording_new_symbol(x, g->buffers.at[buffer].symbol, symbol, err));
    (*symbol)->data = STRIA_META_BASE;
    (*symbol)->is_wrapped_number = false;
    (*symbol)->is_given = true;
    STRIA_TRY(stria_recording_add_view(r, OP, *symbol, buffer, true, &view, err));
    g->inputs.at[g->inputs.n++] = view;
    return STRIA_OK;
}

stria_status stria_recording_add_input(stria_recording *r, const stria_tensor *x, stria_tensor **symbol,
                                       stria_error *err)
{
    if (x == NULL || symbol == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, x == NULL ? "x" : "symbol",
                               "a tensor and a place for its symbol", "NULL", "%s is NULL", x == NULL ? "x" : "symbol");
    *symbol = NULL;
    STRIA_TRY(check_recording(r, err));
    if (r->has_failed) return stria_graph_refuse_memory(err);
    const stria_status status = add_input(r, x, symbol, err);
    r->has_failed |= status == STRIA_ERR_MEMORY;
    if (status != STRIA_OK) stria_tensor_release(*symbol), *symbol = NULL;
    return status;
}

stria_status stria_recording_add_number(stria_recording *r, const char *attribute, int *index, stria_error *err)
{
    STRIA_TRY(check_recording(r, err));
    stria_graph        *g = r->graph;
    stria_graph_step   *step = r->has_step ? stria_recording_get_last_step(r) : NULL;
    const stria_schema *schema = NULL;

    if (step != NULL && step->row >= STRIA_ROW_OF_FUNCTION(0) && step->row < STRIA_ROW_EXPRESSION)
        schema = stria_schema_get((stria_function)(step->row - STRIA_ROW_OF_FUNCTION(0)));
    if (schema != NULL && !stria_schema_is_update(schema)) schema = NULL; /* shapes may depend on its numbers */
    for (int k = 0; schema != NULL && attribute != NULL && index != NULL && k < schema->n_attributes; k++) {
        const stria_param *param = &schema->attributes[k];
        const bool         is_flag = param->kind == STRIA_KIND_FLAG, is_int = param->kind == STRIA_KIND_INT;
        if ((!is_flag && !is_int && param->kind != STRIA_KIND_NUMBER) || strcmp(param->name, attribute) != 0) continue;
        if (!STRIA_GROW(g->numbers)) return stria_graph_refuse_memory(err);
        const void *field = (const char *)step->attrs + param->offset;
        *index = g->numbers.n;
        if (step->n_numbers++ == 0) step->first_number = *index;
        g->numbers.at[g->numbers.n++] = (stria_graph_number){param,
                                                             is_flag  ? (double)*(const bool *)field
                                                             : is_int ? (double)*(const int64_t *)field
                                                                      : *(const double *)field,
                                                             is_int - is_flag};
        return STRIA_OK;
    }
    return stria_error_set(
        err, STRIA_ERR_ARGUMENT, OP, "attribute", "a number of the last call, a step of an optimiser", attribute,
        "the last call that was recorded has no number %s", attribute != NULL ? attribute : "without a name");
}

bool stria_recording_add_grad(stria_recording *r, const stria_graph_grad *like, stria_tensor *last)
{
    stria_graph *g = r->graph;

    r->is_over = true; /* gradients are what they were: no call has changed them */
    if (!STRIA_GROW(g->grads)) return false;
    g->grads.at[g->grads.n++] = (stria_graph_grad){stria_node_retain(like->leaf),
                                                   stria_tensor_retain(like->first),
                                                   like->is_read,
                                                   like->is_set,
                                                   stria_tensor_retain(last != NULL ? last : like->last),
                                                   -1};
    return true;
}

void stria_recording_set_change(stria_recording *r, int index, int change)
{
    r->graph->numbers.at[index].change = change;
}

void stria_recording_pause(stria_recording *r, bool is_paused)
{
    if (r == NULL || r != here) return;
    stria_call_set_recorder(is_paused ? NULL : stria_recording_on_call, is_paused ? NULL : r);
    if (!is_paused) stria_call_set_recorder_mark(stria_recording_on_mark, stria_recording_overlaps);
    stria_gradient_here.watch_grad = is_paused ? NULL : on_grad;
    stria_gradient_here.watch_history = is_paused ? NULL : on_history;
}

static stria_status add_result(stria_recording *r, stria_tensor *x, int k, stria_error *err)
{
    char name[32];
    int  buffer, view;

    snprintf(name, sizeof name, "results[%d]", k);
    if (x == NULL) return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, name, "a symbol", "NULL", "%s is NULL", name);
    if (!x->is_wrapped_number) STRIA_TRY(stria_recording_use_device(r, OP, x->device, err));
    if (x->device.type != STRIA_DEVICE_META)
        STRIA_TRY(stria_recording_hold(r, x, &buffer, err));
    else
        buffer = stria_recording_find_buffer(r, x->storage);
    if (buffer < 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, name, "a symbol of this recording", NULL,
                               "%s was not made by the calls that were recorded", name);
    STRIA_TRY(stria_recording_add_view(r, OP, x, buffer, false, &view, err));
    if (!STRIA_GROW(r->graph->recorded.results)) return stria_graph_refuse_memory(err);
    r->graph->recorded.results.at[r->graph->recorded.results.n++] = view;
    r->graph->recorded.buffers.at[buffer].is_result = true;
    return STRIA_OK;
}

static void find_written_buffers(stria_graph_form *g)
{
    for (int i = 0; i < g->steps.n; i++) {
        const stria_graph_step *s = &g->steps.at[i];
        for (int k = 0; k < s->n_in + s->n_list + s->n_out; k++)
            if (s->views[k] >= 0 && stria_graph_step_writes(s, k))
                g->buffers.at[g->views.at[s->views[k]].buffer].is_written = true;
    }
}

stria_status stria_recording_end(stria_recording *r, stria_tensor *const *results, int n_results, stria_graph **out,
                                 stria_error *err)
{
    stria_status status = check_recording(r, err);

    if (out != NULL) *out = NULL;
    STRIA_TRY(status);
    if (out == NULL || n_results < 0 || (n_results > 0 && results == NULL))
        status =
            stria_error_set(err, STRIA_ERR_ARGUMENT, OP, out == NULL ? "out" : "results", "a place and a list", NULL,
                            "%s is NULL, or the list has %d results", out == NULL ? "out" : "results", n_results);
    if (status == STRIA_OK && r->has_failed) status = stria_graph_refuse_memory(err);
    if (status == STRIA_OK) status = check_written(r, err);
    take_back_grads(r);
    for (int k = 0; k < n_results && status == STRIA_OK; k++) status = add_result(r, results[k], k, err);
    if (status == STRIA_OK) status = add_grads(r, err);
    stria_recording_set_devices(r);
    stria_graph *g = r->graph;
    find_written_buffers(&g->recorded);
    if (status == STRIA_OK) status = stria_graph_plan(g, err);
    if (status == STRIA_OK) {
        for (int k = 0; k < g->recorded.buffers.n; k++) {
            stria_tensor_release(g->recorded.buffers.at[k].symbol);
            g->recorded.buffers.at[k].symbol = NULL;
        }
        *out = stria_graph_retain(g);
    }
    end(r, status == STRIA_OK);
    return status;
}

void stria_recording_cancel(stria_recording *r)
{
    if (r != NULL && r == here) end(r, false); /* another thread's goes on */
}
