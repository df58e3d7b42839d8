/* explain.c - what a graph is, as text. The reasons are not kept but found again, by the comparisons that fusing itself makes. */
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "compile/blocks.h"
#include "cpu/expression.h"
#include "io/bytes.h"
#include "io/json.h"
#include "table/rows.h"

/* Buffers that are listed where most memory is taken. */
enum { MOST_LIVE = 8 };

typedef struct explainer {
    const stria_graph *graph;
    int64_t           *live;   /* [planned steps + 1]: bytes that are there while the step is made */
    const char       **ends;   /* of the planned form */
    int               *writer; /* [planned buffers]: the step that wrote last, or -1 */
    size_t             peak;   /* of the recorded form */
    stria_json_sink    out;
} explainer;

static void put_key(explainer *e, const char *key)
{
    stria_json_put(&e->out, '"'), stria_json_put_words(&e->out, key), stria_json_put_words(&e->out, "\":");
}

static void put_number(explainer *e, const char *key, int64_t number)
{
    put_key(e, key), stria_json_put_int(&e->out, number), stria_json_put(&e->out, ',');
}

/* 15 digits, as 15e-1: whole numbers below 1e15 as they are. JSON has neither infinities nor NaN. */
static void put_decimal(explainer *e, double x)
{
    int power = 0;

    if (!isfinite(x)) {
        stria_json_put_text(&e->out, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
        return;
    }
    if (signbit(x)) stria_json_put(&e->out, '-'), x = -x;
    for (; x >= 1e15; x /= 10) power++;
    for (; x < 1e14 && x != (double)(int64_t)x; x *= 10) power--;
    stria_json_put_int(&e->out, (int64_t)(x + 0.5));
    if (power != 0) stria_json_put(&e->out, 'e'), stria_json_put_int(&e->out, power);
}

static void put_scalar(explainer *e, stria_scalar x)
{
    switch (x.kind) {
    case STRIA_SCALAR_FLOAT: put_decimal(e, x.re); break;
    case STRIA_SCALAR_COMPLEX:
        stria_json_put(&e->out, '['), put_decimal(e, x.re), stria_json_put(&e->out, ',');
        put_decimal(e, x.im), stria_json_put(&e->out, ']');
        break;
    case STRIA_SCALAR_UINT: stria_json_put_whole(&e->out, (uint64_t)x.i); break;
    default: stria_json_put_int(&e->out, x.i);
    }
}

/* "key":[ */
static void begin_list(explainer *e, const char *key) { put_key(e, key), stria_json_put(&e->out, '['); }

/* What comes before member k. */
static void begin_member(explainer *e, int k)
{
    if (k > 0) stria_json_put(&e->out, ',');
}

/* Else a buffer that leaves the graph is a gradient alone. */
static bool is_returned(const stria_graph_form *form, int buffer)
{
    for (int k = 0; k < form->results.n; k++)
        if (form->views.at[form->results.at[k]].buffer == buffer) return true;
    return false;
}

/* {"buffer":3,"of":"input","dtype":"f32","shape":[2,3] */
static void begin_view(explainer *e, const stria_graph_form *form, int view)
{
    static const char *const kinds[] = {"input", "held", "number", "made"};
    const stria_graph_view  *v = &form->views.at[view];
    const stria_buffer      *b = &form->buffers.at[v->buffer];

    stria_json_put(&e->out, '{');
    put_number(e, "buffer", v->buffer);
    put_key(e, "of"), stria_json_put_text(&e->out, kinds[b->kind]);
    stria_json_put(&e->out, ','), put_key(e, "dtype");
    stria_json_put_text(&e->out, stria_dtype_get_name(v->dtype));
    stria_json_put(&e->out, ','), begin_list(e, "shape");
    for (int d = 0; d < v->ndim; d++) begin_member(e, d), stria_json_put_int(&e->out, v->sizes[d]);
    stria_json_put(&e->out, ']');
    if (b->kind == STRIA_BUFFER_NUMBER)
        stria_json_put(&e->out, ','), put_key(e, "value"), put_scalar(e, stria_graph_get_number(b->tensor));
    if (b->kind == STRIA_BUFFER_MADE && b->is_result)
        stria_json_put_words(&e->out, is_returned(form, v->buffer) ? ",\"result\":true" : ",\"gradient\":true");
}

/* ends: of the tensors of this step; or NULL */
static void put_views(explainer *e, const stria_graph_form *form, const stria_graph_step *step, const char *const *ends)
{
    begin_list(e, "reads");
    for (int k = 0, n = 0; k < step->n_in + step->n_list; k++) {
        if (step->views[k] < 0) continue;
        const int buffer = form->views.at[step->views[k]].buffer;
        begin_member(e, n++), begin_view(e, form, step->views[k]);
        if (ends != NULL && ends[k] != NULL && form->buffers.at[buffer].kind == STRIA_BUFFER_MADE) {
            stria_json_put(&e->out, ','), put_number(e, "from", e->writer[buffer]);
            put_key(e, "why"), stria_json_put_text(&e->out, ends[k]);
        }
        stria_json_put(&e->out, '}');
    }
    stria_json_put_words(&e->out, "],"), begin_list(e, "writes");
    for (int k = 0, n = 0; k < stria_graph_step_count(step); k++)
        if (step->views[k] >= 0 && stria_graph_step_writes(step, k))
            begin_member(e, n++), begin_view(e, form, step->views[k]), stria_json_put(&e->out, '}');
    stria_json_put(&e->out, ']');
}

static void put_program(explainer *e, const stria_expression *program)
{
    begin_list(e, "ops");
    for (int k = 0; k < program->n_code; k++)
        begin_member(e, k), stria_json_put_text(&e->out, stria_instruction_get_name(&program->code[k]));
    stria_json_put_words(&e->out, "],"), begin_list(e, "operands");
    for (int k = 0; k < program->n_code; k++) {
        begin_member(e, k), stria_json_put(&e->out, '[');
        for (int n = 0; n < stria_instruction_get_arity(&program->code[k]); n++)
            begin_member(e, n), stria_json_put_int(&e->out, program->code[k].in[n]);
        stria_json_put(&e->out, ']');
    }
    stria_json_put_words(&e->out, "],"), begin_list(e, "constants");
    for (int k = 0; k < program->n_constants; k++) begin_member(e, k), put_scalar(e, program->constants[k]);
    stria_json_put_words(&e->out, "],"), begin_list(e, "gives");
    for (int k = 0; k < program->n_out; k++) begin_member(e, k), stria_json_put_int(&e->out, program->out[k]);
    stria_json_put_words(&e->out, "],");
}

static void put_steps(explainer *e, const char *key, const stria_graph_form *form, const char *const *ends)
{
    begin_list(e, key);
    for (int i = 0; i < form->steps.n; i++) {
        const stria_graph_step *step = &form->steps.at[i];
        begin_member(e, i), stria_json_put(&e->out, '{'), put_key(e, "row"),
            stria_json_put_text(&e->out, stria_row_get_name(step->row));
        stria_json_put(&e->out, ',');
        if (step->row == STRIA_ROW_EXPRESSION) put_program(e, stria_graph_step_get_expression(step));
        if (step->is_constant) stria_json_put_words(&e->out, "\"once\":true,");
        if (step->is_joined || step->is_gradient) stria_json_put_words(&e->out, "\"joined\":true,");
        put_views(e, form, step, ends);
        stria_json_put(&e->out, '}');
        for (int k = 0; k < stria_graph_step_count(step) && ends != NULL; k++)
            if (step->views[k] >= 0 && stria_graph_step_writes(step, k))
                e->writer[form->views.at[step->views[k]].buffer] = i;
        if (ends != NULL) ends += stria_graph_step_count(step);
    }
    stria_json_put(&e->out, ']');
}

/* "blocks":[{"from":0,"steps":5,"dims":1,"pieces":63,"slices":16,"why":".."}] */
static void put_blocks(explainer *e)
{
    begin_list(e, "blocks");
    for (int k = 0; k < e->graph->planned.blocks.n; k++) {
        const stria_graph_blocks *b = &e->graph->planned.blocks.at[k];
        begin_member(e, k), stria_json_put(&e->out, '{');
        put_number(e, "from", b->first), put_number(e, "steps", b->n_steps), put_number(e, "dims", b->n_outer);
        put_number(e, "pieces", b->n_blocks), put_key(e, "slices");
        stria_json_put_int(&e->out, stria_graph_blocks_get_most(b));
        if (b->end != NULL) stria_json_put(&e->out, ','), put_key(e, "why"), stria_json_put_text(&e->out, b->end);
        stria_json_put(&e->out, '}');
    }
    stria_json_put_words(&e->out, "],");
}

/* Bytes of a run's memory that the buffer takes, from its first step to the last one of [*first, *last]; 0: it takes none. */
static int64_t get_span(const stria_graph *g, int buffer, int *first, int *last)
{
    const stria_buffer *b = &g->planned.buffers.at[buffer];

    *first = *last = 0;
    if (b->kind != STRIA_BUFFER_MADE || b->last < 0 || (g->planned.blocks.n > 0 && b->is_local)) return 0;
    *first = b->first;
    *last = b->is_result ? g->planned.steps.n - 1 : b->last;
    /* what is made in blocks is there from their first step on */
    for (int k = 0; k < g->planned.blocks.n; k++) {
        const int from = g->planned.blocks.at[k].first;
        if (*first > from && *first < from + g->planned.blocks.at[k].n_steps) *first = from;
    }
    return b->nbytes;
}

static void count_live(const explainer *e)
{
    const stria_graph_form *g = &e->graph->planned;

    for (int i = 0; i <= g->steps.n; i++) e->live[i] = 0;
    for (int k = 0; k < g->buffers.n; k++) {
        int           first, last;
        const int64_t nbytes = get_span(e->graph, k, &first, &last);
        if (nbytes == 0) continue;
        e->live[first] += nbytes;
        e->live[last + 1] -= nbytes;
    }
    for (int i = 1; i <= g->steps.n; i++) e->live[i] += e->live[i - 1];
}

/* "live":{"group":3,"bytes":960,"buffers":[{"buffer":5,"bytes":640},..]} */
static void put_live(explainer *e)
{
    const stria_graph_form *g = &e->graph->planned;
    int64_t                 before = INT64_MAX;
    int                     step = 0, last_put = -1;

    for (int i = 1; i < g->steps.n; i++)
        if (e->live[i] > e->live[step]) step = i;
    put_key(e, "live"), stria_json_put(&e->out, '{');
    put_number(e, "group", step), put_number(e, "bytes", e->live[step]), begin_list(e, "buffers");
    for (int n = 0; n < MOST_LIVE; n++) { /* the largest of those that are not listed yet */
        int     found = -1;
        int64_t most = 0;
        for (int k = 0; k < g->buffers.n; k++) {
            int           first, last;
            const int64_t nbytes = get_span(e->graph, k, &first, &last);
            if (nbytes <= most || first > step || last < step) continue;
            if (nbytes < before || (nbytes == before && k > last_put)) found = k, most = nbytes;
        }
        if (found < 0) break;
        begin_member(e, n), stria_json_put(&e->out, '{'), put_number(e, "buffer", found), put_key(e, "bytes");
        stria_json_put_int(&e->out, most), stria_json_put(&e->out, '}');
        before = most, last_put = found;
    }
    stria_json_put_words(&e->out, "]},");
}

static void put_captured(explainer *e)
{
    const stria_graph_info info = stria_graph_get_info(e->graph);

    if (e->graph->device.type == STRIA_DEVICE_CPU) return;
    put_key(e, "captured"), stria_json_put(&e->out, '{');
    put_number(e, "steps", info.n_captured), put_number(e, "captures", info.n_captures);
    put_key(e, "launches"), stria_json_put_int(&e->out, info.n_launches), stria_json_put_words(&e->out, "},");
}

static void put_all(explainer *e)
{
    const stria_graph *g = e->graph;

    for (int k = 0; k < g->planned.buffers.n; k++) e->writer[k] = -1;
    e->out.n = 0;
    stria_json_put(&e->out, '{');
    put_number(e, "inputs", g->recorded.inputs.n), put_number(e, "results", g->recorded.results.n);
    put_number(e, "numbers", g->numbers.n), put_number(e, "gradients", g->grads.n);
    put_number(e, "recordedBytes", (int64_t)g->recorded_nbytes);
    put_number(e, "peakBytesRecorded", (int64_t)e->peak);
    put_number(e, "peakBytes", (int64_t)(stria_graph_get_run_nbytes(g) + stria_graph_get_result_nbytes(&g->planned)));
    put_number(e, "arenaBytes", (int64_t)(g->planned.blocks.n > 0 ? g->block_arena_nbytes : g->arena_nbytes));
    put_number(e, "blockBytes", (int64_t)g->local_nbytes), put_live(e);
    put_captured(e), put_steps(e, "nodes", &g->recorded, NULL), stria_json_put(&e->out, ',');
    put_blocks(e), put_steps(e, "groups", &g->planned, e->ends), stria_json_put(&e->out, '}');
}

/* Whether steps make any byte, so that the peak is more than 0. */
static bool makes_bytes(const stria_graph_form *form)
{
    for (int i = 0; i < form->steps.n; i++)
        for (int k = 0; k < stria_graph_step_count(&form->steps.at[i]); k++) {
            const int           view = form->steps.at[i].views[k];
            const stria_buffer *b = view < 0 ? NULL : &form->buffers.at[form->views.at[view].buffer];
            if (b != NULL && b->kind == STRIA_BUFFER_MADE && b->nbytes > 0) return true;
        }
    return false;
}

stria_status stria_graph_explain(const stria_graph *g, void **text, size_t *nbytes, stria_error *err)
{
    size_t n = 0;

    if (text != NULL) *text = NULL;
    if (nbytes != NULL) *nbytes = 0;
    if (g == NULL || text == NULL || nbytes == NULL) {
        const char *name = g == NULL ? "graph" : text == NULL ? "text" : "nbytes";
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "graph", name, NULL, "NULL", "%s is NULL", name);
    }
    for (int i = 0; i < g->planned.steps.n; i++) n += (size_t)stria_graph_step_count(&g->planned.steps.at[i]);
    const size_t live = ((size_t)g->planned.steps.n + 1) * sizeof(int64_t), ends = (n + 1) * sizeof(char *);
    explainer    e = {.graph = g, .live = stria_object_new(live + ends + (size_t)g->planned.buffers.n * sizeof(int))};
    if (e.live == NULL) return stria_graph_refuse_memory(err);
    e.ends = (const char **)(void *)((char *)e.live + live);
    e.writer = (int *)(void *)((char *)e.ends + ends);
    count_live(&e);
    stria_status status = stria_graph_find_ends(&g->planned, e.ends, err);
    e.peak = stria_graph_get_peak(&g->recorded); /* 0, too, where there was no memory to find it */
    if (status == STRIA_OK && e.peak == 0 && makes_bytes(&g->recorded)) status = stria_graph_refuse_memory(err);
    if (status == STRIA_OK) {
        put_all(&e);
        e.out.text = stria_bytes_new(e.out.n);
        if (e.out.text == NULL)
            status = stria_graph_refuse_memory(err);
        else
            put_all(&e), *text = e.out.text, *nbytes = e.out.n;
    }
    stria_object_release(e.live);
    return status;
}
