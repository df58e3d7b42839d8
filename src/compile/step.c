/* step.c - a step with the tensors of a frame, looked at once: how its row computes them is found when it first runs. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "compile/graph.h"
#include "compile/step.h"
#include "tensor/overlap.h"

static const stria_buffer *get_buffer(const stria_graph_form *g, int view)
{
    return &g->buffers.at[g->views.at[view].buffer];
}

/* Whether what the step writes shares memory with what it looks at in each run as it does in this one. What steps make lies where the planner
 * says; a run refuses inputs that share memory with what it writes to, unless that is an input and the graph holds the other. */
static bool is_settled(const stria_graph_form *g, const stria_graph_step *step)
{
    bool writes_input = false, has_held = false;

    for (int k = 0; k < stria_graph_step_count(step); k++) {
        if (step->views[k] < 0) continue;
        const stria_buffer *b = get_buffer(g, step->views[k]);
        writes_input |= b->kind == STRIA_BUFFER_INPUT && stria_graph_step_writes(step, k);
        has_held |= b->kind == STRIA_BUFFER_HELD;
    }
    return !writes_input || !has_held;
}

/* What is element-wise takes results that lie apart from all inputs, or a single one that is exactly an input. */
static bool is_bindable(const stria_graph_form *g, const stria_graph_step *step, const stria_call *call)
{
    for (int k = 0; k < step->n_in + step->n_out; k++)
        if (step->views[k] < 0) return false;
    for (int k = 0; k < step->n_out; k++) {
        const stria_tensor *y = call->out[k];
        if (get_buffer(g, step->views[step->n_in + k])->kind == STRIA_BUFFER_MADE) continue; /* the planner knows */
        if (stria_overlap_find_itself(y) != STRIA_OVERLAP_NONE) return false;
        for (int n = 0; n < step->n_in + k; n++) {
            const stria_tensor *x = n < step->n_in ? call->in[n] : call->out[n - step->n_in];
            const stria_overlap found = stria_overlap_find(y, x);
            if (found != STRIA_OVERLAP_NONE && (found != STRIA_OVERLAP_SAME || step->n_out > 1)) return false;
        }
    }
    return true;
}

/* What an element-wise step computes, with a reference for the caller: an op is an expression of one. */
static stria_status get_program(const stria_call *call, stria_expression **program, stria_error *err)
{
    stria_instruction code = {.op = (stria_op)call->row};

    if (call->row == STRIA_ROW_EXPRESSION) {
        *program = stria_expression_retain(
            (stria_expression *)(uintptr_t)((const stria_expression_attrs *)call->attrs)->program);
        return STRIA_OK;
    }
    for (int k = 0; k < call->n_in; k++) code.in[k] = k;
    return stria_expression_new(call->n_in, NULL, 0, &code, 1, program, err);
}

static stria_status bind(stria_ready_step *ready, stria_error *err)
{
    const stria_call *call = ready->call;
    stria_expression *program;

    STRIA_TRY(get_program(call, &program, err));
    const stria_status status = stria_expression_bind(program, call->in, call->out, &ready->bound, err);
    stria_expression_release(program);
    return stria_error_set_op(err, status, stria_row_get_name(call->row));
}

static stria_status bind_product(stria_ready_step *ready, const stria_product_end *end, stria_product_bound **bound,
                                 stria_error *err)
{
    const stria_call *call = ready->call;

    return stria_product_bind(call->in[0], call->in[1], call->out[0], end, bound, err);
}

static stria_status get_ready(const stria_graph_form *g, const stria_graph_step *step, stria_ready_step *ready,
                              stria_error *err)
{
    const stria_call *call = ready->call;

    ready->writes_held = false;
    for (int k = 0; k < stria_graph_step_count(step); k++)
        if (step->views[k] >= 0 && stria_graph_step_writes(step, k))
            ready->writes_held |= get_buffer(g, step->views[k])->kind == STRIA_BUFFER_HELD;
    if (step->is_constant || !is_settled(g, step)) return STRIA_OK;
    if (!stria_graph_step_is_element_wise(step)) {
        STRIA_TRY(stria_prepared_call_new(call, step->n_numbers > 0, &ready->prepared, err));
        if (!stria_row_is_product(step->row) || !step->is_plain || ready->prepared == NULL) return STRIA_OK;
        if (call->out[0]->device.type != STRIA_DEVICE_CPU) return STRIA_OK;
        return bind_product(ready, &(stria_product_end){.program = NULL}, &ready->product, err);
    }
    const bool is_large = call->out[0]->numel > STRIA_GRAIN; /* what the door does beside is little then */
    const bool is_near = call->out[0]->device.type == STRIA_DEVICE_CPU;
    if (step->row != STRIA_ROW_EXPRESSION && (!step->is_plain || is_large || !is_near)) return STRIA_OK;
    return is_bindable(g, step, call) ? bind(ready, err) : STRIA_OK;
}

static stria_status get_join_ready(const stria_graph_form *g, const stria_graph_step *next, stria_ready_step *ready,
                                   stria_error *err)
{
    const stria_call *call = ready[1].call;
    stria_expression *program;

    if (!is_bindable(g, next, call)) return STRIA_OK;
    STRIA_TRY(get_program(call, &program, err));
    const stria_status status =
        bind_product(ready, &(stria_product_end){program, call->in, call->out}, &ready->joined, err);
    stria_expression_release(program);
    return stria_error_set_op(err, status, stria_row_get_name(call->row));
}

stria_status stria_ready_step_run_joined(const stria_graph_form *g, const stria_graph_step *next,
                                         stria_ready_step *ready, bool *is_made, stria_error *err)
{
    if (!ready->is_join_ready) {
        STRIA_TRY(get_join_ready(g, next, ready, err));
        ready->is_join_ready = true;
    }
    *is_made = ready->joined != NULL;
    return *is_made ? stria_product_run_bound(ready->joined, err) : STRIA_OK;
}

/* Versions of what the graph holds go up. */
static void touch(const stria_graph_form *g, const stria_graph_step *step, const stria_call *call)
{
    for (int k = 0; k < stria_graph_step_count(step); k++) {
        const stria_tensor *x = call->in[k]; /* all tensors of the step, in one order */
        if (step->views[k] >= 0 && stria_graph_step_writes(step, k) &&
            get_buffer(g, step->views[k])->kind == STRIA_BUFFER_HELD)
            stria_tensor_touch((stria_tensor *)(uintptr_t)x);
    }
}

stria_status stria_ready_step_run(const stria_graph_form *g, const stria_graph_step *step, stria_ready_step *ready,
                                  stria_error *err)
{
    const stria_call *call = ready->call;
    stria_status      status;

    if (!ready->is_ready) {
        STRIA_TRY(get_ready(g, step, ready, err));
        ready->is_ready = true;
    }
    if (ready->bound != NULL)
        status = stria_expression_run_bound(ready->bound, call->in, call->out, err);
    else if (ready->product != NULL)
        status = stria_product_run_bound(ready->product, err);
    else if (ready->prepared != NULL)
        status = stria_prepared_call_run(ready->prepared, err);
    else
        return stria_call_run(call, err);
    if (status == STRIA_OK && ready->writes_held) touch(g, step, call);
    return status;
}

void stria_ready_step_end(const stria_ready_step *ready)
{
    stria_expression_bound_release(ready->bound);
    stria_prepared_call_release(ready->prepared);
    stria_product_bound_release(ready->product);
    stria_product_bound_release(ready->joined);
}
