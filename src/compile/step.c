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

static stria_status bind(const stria_expression *program, stria_ready_step *ready, stria_error *err)
{
    return stria_expression_bind(program, ready->call->in, ready->call->out, &ready->bound, err);
}

/* An op as an expression of one: large ones gain nothing. */
static stria_status bind_op(const stria_graph_step *step, stria_ready_step *ready, stria_error *err)
{
    stria_instruction code = {.op = (stria_op)step->row};
    stria_expression *program;

    if (!step->is_plain || ready->call->out[0]->numel > STRIA_GRAIN) return STRIA_OK;
    for (int k = 0; k < step->n_in; k++) code.in[k] = k;
    STRIA_TRY(stria_expression_new(step->n_in, NULL, 0, &code, 1, &program, err));
    const stria_status status = bind(program, ready, err);
    stria_expression_release(program);
    return stria_error_set_op(err, status, stria_row_get_name(step->row));
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
    if (step->row >= STRIA_OP_COUNT && step->row != STRIA_ROW_EXPRESSION)
        return stria_prepared_call_new(call, step->n_numbers > 0, &ready->prepared, err);
    if (!is_bindable(g, step, call)) return STRIA_OK;
    if (step->row != STRIA_ROW_EXPRESSION) return bind_op(step, ready, err);
    return bind(((const stria_expression_attrs *)call->attrs)->program, ready, err);
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
}
