/* mlir_run.c - runs of a graph by machine code that was made from its text (mlir.c). */
#include "base/alloc.h"
#include "base/error.h"
#include "compile/mlir.h"
#include "stria_mlir.h"

/* One run. */
typedef struct run {
    stria_mlir_host          host; /* the first: what the program hands back */
    const stria_graph_frame *frame;
    stria_status             status;
    stria_error             *err;
} run;

/* After a failure nothing more is called. */
static void call(const stria_mlir_host *host, int64_t step)
{
    run *r = (run *)(uintptr_t)host;

    if (r->status == STRIA_OK) r->status = stria_graph_frame_run_step(r->frame, (int)step, r->err);
}

/* ---------------------------------------------------------------- what a program is given */

stria_mlir_layout *stria_mlir_layout_new(const stria_graph_form *form)
{
    const size_t       n = (size_t)form->buffers.n;
    stria_mlir_layout *l = stria_object_new(sizeof *l + n * (sizeof *l->given + sizeof *l->lowest));
    if (l == NULL) return NULL;
    l->form = form;
    l->lowest = (int64_t *)(void *)(l + 1);
    l->given = (int *)(void *)(l->lowest + n);
    stria_mlir_find_lowest(form, l->lowest);
    for (int k = 0; k < form->buffers.n; k++) {
        const stria_buffer *b = &form->buffers.at[k];
        if (!stria_mlir_is_argument(form, k)) continue;
        l->given[l->n++] = k;
        l->writes |= b->is_written && b->kind != STRIA_BUFFER_MADE;
    }
    return l;
}

static int64_t get_nbytes(const stria_mlir_layout *l, int k)
{
    return l->form->buffers.at[l->given[k]].nbytes - l->lowest[l->given[k]];
}

static bool is_made(const stria_mlir_layout *l, int k)
{
    return l->form->buffers.at[l->given[k]].kind == STRIA_BUFFER_MADE;
}

/* Whether what is written to lies apart from all that the graph does not make: a program looks at each buffer by
 * itself. */
static bool is_apart(const stria_mlir_layout *l, void *const *data)
{
    for (int k = 0; k < l->n; k++) {
        const char *begin = data[k], *end = begin + get_nbytes(l, k);
        if (is_made(l, k) || !l->form->buffers.at[l->given[k]].is_written) continue;
        for (int i = 0; i < l->n; i++) {
            const char *other = data[i];
            if (i != k && !is_made(l, i) && other < end && begin < other + get_nbytes(l, i)) return false;
        }
    }
    return true;
}

/* data: [n + 1], what the program gets: the buffers that are arguments, and the arena. */
static stria_status run_program(const stria_mlir_layout *l, stria_mlir_program *program, void **data,
                                const stria_graph_frame *frame, stria_error *err)
{
    run r = {.host = {call}, .frame = frame, .err = err};

    for (int k = 0; k < l->n; k++) data[k] = stria_graph_frame_get_data(frame, l->given[k]) + l->lowest[l->given[k]];
    data[l->n] = stria_graph_frame_get_arena(frame);
    if (l->writes && !is_apart(l, data)) return stria_graph_frame_run_steps(frame, NULL, err);
    program(&r.host, data);
    for (int k = 0; k < l->n && l->writes; k++) {
        const stria_buffer *b = &l->form->buffers.at[l->given[k]];
        if (b->is_written && b->kind == STRIA_BUFFER_HELD) stria_tensor_touch(b->tensor);
    }
    return r.status;
}

stria_status stria_mlir_layout_run(const stria_mlir_layout *l, stria_mlir_program *program,
                                   const stria_graph_frame *frame, stria_error *err)
{
    void *few[32], **data = l->n < 32 ? few : stria_object_new(((size_t)l->n + 1) * sizeof *data);

    if (data == NULL) return stria_graph_refuse_memory(err);
    const stria_status status = run_program(l, program, data, frame, err);
    if (data != few) stria_object_release(data);
    return status;
}

/* ---------------------------------------------------------------- a program that the caller has */

typedef struct given {
    stria_mlir_program      *program;
    const stria_mlir_layout *layout;
} given;

static stria_status run_steps(const stria_graph_frame *frame, void *context, stria_error *err)
{
    const given *g = context;
    return stria_mlir_layout_run(g->layout, g->program, frame, err);
}

stria_status stria_graph_run_program(stria_graph *graph, stria_mlir_program *program, stria_tensor *const *in, int n_in,
                                     const double *numbers, int n_numbers, stria_tensor **out, stria_error *err)
{
    given              g = {.program = program};
    stria_mlir_layout *layout = NULL;

    if (program == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "graph", "program", "a program", "NULL", "program is NULL");
    if (graph != NULL && (layout = stria_mlir_layout_new(&graph->planned)) == NULL)
        return stria_graph_refuse_memory(err);
    g.layout = layout;
    const stria_status status = stria_graph_run_by(graph, in, n_in, numbers, n_numbers, out, run_steps, &g, err);
    stria_object_release(layout);
    return status;
}
