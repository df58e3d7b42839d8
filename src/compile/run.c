/* run.c - runs of a graph: what a frame (frame.h) is asked to do. */
#include <math.h>
#include <string.h>

#include "autograd/node.h"
#include "base/error.h"
#include "compile/capturing.h"
#include "compile/dynamic.h"
#include "compile/frame.h"
#include "stria_autograd.h"

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
    if (f->capturing != NULL) return stria_graph_capturing_run_steps(f, err);
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
                err, STRIA_ERR_ARGUMENT, STRIA_GRAPH_NAME, "held", NULL, NULL,
                "a tensor that the graph holds has other memory than it had; record the calls again");
    }
    return STRIA_OK;
}

static stria_status run(stria_graph_frame *f, const request *r, stria_tensor **out, stria_error *err)
{
    const stria_graph_form *g = &f->graph->planned;
    stria_status            status = check_memory(f, err);

    if (status == STRIA_OK) status = stria_graph_frame_set_inputs(f, r->in, err);
    if (status == STRIA_OK) status = stria_graph_grads_check(f->graph, err);
    if (status == STRIA_OK) stria_graph_grads_drop(f->graph, r->in);
    if (status == STRIA_OK) stria_graph_capturing_begin(f);
    if (status == STRIA_OK) status = stria_graph_frame_set_memory(f, err);
    set_numbers(f, r->numbers);
    const bool has_begun = status == STRIA_OK;
    if (has_begun) status = r->steps(f, r->context, err);
    status = stria_graph_capturing_end(f, status, err);
    f->has_constants = status == STRIA_OK;
    for (int k = 0; k < g->inputs.n && has_begun && f->writes_inputs; k++)
        if (g->buffers.at[g->views.at[g->inputs.at[k]].buffer].is_written) stria_tensor_touch(f->inputs[k]);
    for (int k = 0; k < g->results.n && status == STRIA_OK; k++)
        status = stria_graph_frame_new_result(f, g->results.at[k], r->in, r->has_gradients, &out[k], err);
    if (status == STRIA_OK) status = stria_graph_frame_set_grads(f, r->in, r->has_gradients, err);
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
        return stria_error_set(err, STRIA_ERR_ARGUMENT, STRIA_GRAPH_NAME, "n_in", NULL, NULL, "takes %d inputs, got %d",
                               g->planned.inputs.n, in == NULL ? 0 : n_in);
    if (numbers != NULL && n_numbers != g->numbers.n)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, STRIA_GRAPH_NAME, "n_numbers", NULL, NULL,
                               "takes %d numbers, got %d", g->numbers.n, n_numbers);
    for (int k = 0; k < n_numbers && numbers != NULL; k++)
        if (g->numbers.at[k].param->kind == STRIA_KIND_INT && !(fabs(numbers[k]) <= 0x1p53))
            return stria_error_set(
                err, STRIA_ERR_ARGUMENT, STRIA_GRAPH_NAME, "numbers", "a whole number of at most 2^53", NULL,
                "numbers[%d] is %g, and %s is a whole number", k, numbers[k], g->numbers.at[k].param->name);
    const bool has_gradients = stria_gradient_is_wanted(); /* none while steps run */
    for (int k = 0; k < n_in && has_gradients; k++)
        if (in[k] != NULL && stria_tensor_get_requires_grad(in[k]))
            return stria_graph_refuse_input(STRIA_ERR_ARGUMENT, k, "a tensor that requires no gradient",
                                            "one that does", "is", err);
    const bool is_repeated = has_gradients && !stria_grad_mode_get();
    for (int k = 0; k < g->grads.n && is_repeated; k++)
        if (g->grads.at[k].is_set)
            return stria_error_set(err, STRIA_ERR_UNSUPPORTED, STRIA_GRAPH_NAME, NULL, NULL, NULL,
                                   "a backward pass in it changes .grad, and a checkpoint runs it twice");
    if (!stria_recording_is_on()) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, STRIA_GRAPH_NAME, NULL, "a thread that does not record", NULL,
                           "a graph does not run while its thread records; make its calls, which are recorded");
}

stria_status stria_graph_run_by(stria_graph *g, stria_tensor *const *in, int n_in, const double *numbers, int n_numbers,
                                stria_tensor **out, stria_graph_steps_fn *steps, void *context, stria_error *err)
{
    if (g == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, STRIA_GRAPH_NAME, "graph", "a graph", "NULL",
                               "the graph is NULL");
    if (out == NULL && g->planned.results.n > 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, STRIA_GRAPH_NAME, "out", "places for the results", "NULL",
                               "out is NULL");
    const bool makes_calls = steps == stria_graph_frame_run_steps;
    for (int k = 0; k < g->planned.results.n; k++) out[k] = NULL;
    STRIA_TRY(check_run(g, in, n_in, numbers, n_numbers, err));
    if (!makes_calls && g->device.type != STRIA_DEVICE_CPU) return stria_graph_refuse_code(g, STRIA_GRAPH_NAME, err);
    stria_graph_frame *f = stria_graph_frame_take(g, makes_calls);
    if (f == NULL) return stria_graph_refuse_run(g, err);
    const bool         was = stria_grad_mode_set(false);
    const request      r = {in, numbers, was, steps, context};
    const stria_status status = run(f, &r, out, err);
    stria_grad_mode_set(was);
    if (status == STRIA_OK && makes_calls && !f->is_tried) stria_graph_replay_prepare(g, f);
    stria_graph_frame_give(g, f);
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

static stria_status run_with(stria_graph *g, stria_tensor *const *in, int n_in, const double *numbers, int n_numbers,
                             stria_tensor **out, stria_error *err)
{
    if (g != NULL && g->dynamic != NULL && n_in == g->planned.inputs.n && (in != NULL || n_in == 0) &&
        (out != NULL || g->planned.results.n == 0))
        return run_size(g, in, n_in, numbers, n_numbers, out, err);
    stria_graph_code *code = g != NULL ? atomic_load_explicit(&g->code, memory_order_acquire) : NULL;

    return stria_graph_run_by(g, in, n_in, numbers, n_numbers, out,
                              code != NULL ? code->run : stria_graph_frame_run_steps, code, err);
}

/* What runs of calls have prepared is tried first; machine code comes in place of it. */
stria_status stria_graph_run_with(stria_graph *g, stria_tensor *const *in, int n_in, const double *numbers,
                                  int n_numbers, stria_tensor **out, stria_error *err)
{
    stria_status status;

    if (g != NULL && out != NULL && (numbers == NULL || n_numbers == 0) &&
        atomic_load_explicit(&g->has_replay, memory_order_relaxed) &&
        atomic_load_explicit(&g->code, memory_order_relaxed) == NULL &&
        stria_graph_replay_run(g, in, n_in, out, &status, err))
        return status;
    return run_with(g, in, n_in, numbers, n_numbers, out, err);
}

stria_status stria_graph_run(stria_graph *g, stria_tensor *const *in, int n_in, stria_tensor **out, stria_error *err)
{
    return stria_graph_run_with(g, in, n_in, NULL, 0, out, err);
}
