/* mlir_run.c - runs of a graph by machine code that was made from its text (mlir.c). */
#include "base/alloc.h"
#include "base/error.h"
#include "compile/mlir.h"
#include "stria_mlir.h"

/* One run. */
typedef struct run {
    stria_mlir_host          host; /* the first: what the program hands back */
    const stria_graph       *graph;
    const stria_graph_frame *frame;
    stria_mlir_program      *program;
    stria_status             status;
    stria_error             *err;
} run;

/* After a failure nothing more is called. */
static void call(const stria_mlir_host *host, int64_t step)
{
    run *r = (run *)(uintptr_t)host;

    if (r->status == STRIA_OK) r->status = stria_graph_frame_run_step(r->frame, (int)step, r->err);
}

/* Whether a buffer that is written to lies apart from all that the graph does not make: a program looks at each buffer
 * by itself. */
static bool is_apart(const stria_graph_form *g, int k, void *const *data, const int64_t *lowest)
{
    const char *begin = data[k], *end = begin + (g->buffers.at[k].nbytes - lowest[k]);

    for (int i = 0; i < g->buffers.n; i++) {
        if (i == k || data[i] == NULL || g->buffers.at[i].kind == STRIA_BUFFER_MADE) continue;
        const char *other = data[i];
        if (other < end && begin < other + (g->buffers.at[i].nbytes - lowest[i])) return false;
    }
    return true;
}

/* data: [buffers], then what the program gets: those that are arguments, and the arena. */
static stria_status run_program(run *r, void **data, int64_t *lowest, stria_error *err)
{
    const stria_graph_form *g = &r->graph->planned;
    void                  **list = data + g->buffers.n;
    int                     n = 0;

    stria_mlir_find_lowest(g, lowest);
    for (int k = 0; k < g->buffers.n; k++)
        if (stria_mlir_is_argument(g, k)) {
            data[k] = stria_graph_frame_get_data(r->frame, k);
            if (lowest[k] < 0) data[k] = (char *)data[k] + lowest[k];
            list[n++] = data[k];
        }
    list[n] = stria_graph_frame_get_arena(r->frame);
    for (int k = 0; k < g->buffers.n; k++)
        if (g->buffers.at[k].is_written && g->buffers.at[k].kind != STRIA_BUFFER_MADE && data[k] != NULL &&
            !is_apart(g, k, data, lowest))
            return stria_graph_frame_run_steps(r->frame, NULL, err);
    r->program(&r->host, list);
    for (int k = 0; k < g->buffers.n; k++)
        if (g->buffers.at[k].is_written && g->buffers.at[k].kind == STRIA_BUFFER_HELD)
            stria_tensor_touch(g->buffers.at[k].tensor);
    return r->status;
}

static stria_status run_steps(const stria_graph_frame *frame, void *context, stria_error *err)
{
    run         *r = context;
    const size_t n = (size_t)r->graph->planned.buffers.n;
    void       **data = stria_object_new((2 * n + 1) * sizeof *data + n * sizeof(int64_t));

    if (data == NULL) return stria_graph_refuse_memory(err);
    r->frame = frame;
    r->err = err;
    const stria_status status = run_program(r, data, (int64_t *)(void *)(data + 2 * n + 1), err);
    stria_object_release(data);
    return status;
}

stria_status stria_graph_run_program(stria_graph *graph, stria_mlir_program *program, stria_tensor *const *in, int n_in,
                                     const double *numbers, int n_numbers, stria_tensor **out, stria_error *err)
{
    run r = {.host = {call}, .graph = graph, .program = program};

    if (program == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "graph", "program", "a program", "NULL", "program is NULL");
    return stria_graph_run_by(graph, in, n_in, numbers, n_numbers, out, run_steps, &r, err);
}
