/* mlir.c - the text of a graph as an MLIR module: its functions around the steps. */
#include "compile/mlir.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "stria_mlir.h"
#include "table/rows.h"

#define OP "graph"

/* ---------------------------------------------------------------- buffers */

bool stria_mlir_is_argument(const stria_graph_form *form, int k)
{
    const stria_buffer *b = &form->buffers.at[k];

    if (b->kind == STRIA_BUFFER_NUMBER) return false;
    return b->last >= 0 && (b->kind != STRIA_BUFFER_MADE || b->is_result);
}

void stria_mlir_find_lowest(const stria_graph_form *form, int64_t *lowest)
{
    for (int k = 0; k < form->views.n; k++) {
        const stria_graph_view *v = &form->views.at[k];
        const int64_t           begin = stria_graph_view_get_begin(v);
        if (begin < lowest[v->buffer]) lowest[v->buffer] = begin - (16 + begin % 16) % 16;
    }
}

static bool is_temporary(const stria_mlir *m, int k)
{
    const stria_buffer *b = &m->form->buffers.at[k];
    return b->kind == STRIA_BUFFER_MADE && !b->is_result && b->last >= 0;
}

static int64_t get_nbytes(const stria_mlir *m, int k) { return m->form->buffers.at[k].nbytes - m->lowest[k]; }

stria_mlir_name stria_mlir_get_memref(const stria_mlir *m, int k, stria_dtype dtype)
{
    if (m->memory[k] == (int8_t)dtype) return m->names[k];
    return stria_mlir_get_name("%s_%s", m->names[k].at, stria_dtype_get_name(dtype));
}

static stria_mlir_name get_type(int64_t nbytes, stria_dtype dtype)
{
    if (dtype == STRIA_DTYPE_NONE) return stria_mlir_get_name("memref<%" PRId64 "xi8>", nbytes);
    return stria_mlir_get_name("memref<%" PRId64 "x%s>", nbytes / (int64_t)stria_dtype_sizes[dtype],
                               stria_mlir_get_type(dtype));
}

stria_mlir_name stria_mlir_get_memref_type(const stria_mlir *m, int k, stria_dtype dtype)
{
    return get_type(get_nbytes(m, k), dtype);
}

static stria_mlir_name get_own_type(const stria_mlir *m, int k)
{
    return stria_mlir_get_memref_type(m, k, (stria_dtype)m->memory[k]);
}

bool stria_mlir_get_offset(const stria_mlir *m, const stria_graph_view *v, int64_t *offset)
{
    const int64_t nbytes = v->offset - m->lowest[v->buffer], size = (int64_t)stria_dtype_sizes[v->dtype];

    *offset = nbytes / size;
    return nbytes % size == 0;
}

/* What buffers are called, and what of: their one dtype, where their bytes are so many elements; else of bytes. */
static void name_buffers(stria_mlir *m)
{
    const stria_graph_form *g = m->form;
    int                     n_out = 0;

    stria_mlir_find_lowest(g, m->lowest);
    for (int k = 0; k < g->views.n; k++) m->dtypes[g->views.at[k].buffer] |= (uint16_t)(1u << g->views.at[k].dtype);
    for (int k = 0; k < g->buffers.n; k++) {
        const stria_buffer *b = &g->buffers.at[k];
        m->memory[k] = (int8_t)STRIA_DTYPE_NONE;
        for (int d = 0; d < STRIA_DTYPE_COUNT; d++)
            if (m->dtypes[k] == 1u << d && stria_mlir_get_type((stria_dtype)d) != NULL &&
                get_nbytes(m, k) % stria_dtype_sizes[d] == 0)
                m->memory[k] = (int8_t)d;
        m->names[k] = b->kind == STRIA_BUFFER_INPUT  ? stria_mlir_get_name("%%in%d", b->input)
                      : b->kind == STRIA_BUFFER_HELD ? stria_mlir_get_name("%%held%d", k)
                      : b->is_result                 ? stria_mlir_get_name("%%out%d", n_out++)
                                                     : stria_mlir_get_name("%%t%d", k);
    }
}

static void put_view(stria_mlir *m, const stria_mlir_name *name, const char *from, int64_t place, int64_t nbytes,
                     const char *type)
{
    stria_mlir_put(&m->text,
                   "    %s.at = arith.constant %" PRId64 " : index\n"
                   "    %s = memref.view %s[%s.at][] : memref<%" PRId64 "xi8> to %s\n",
                   name->at, place, name->at, from, name->at, nbytes, type);
}

/* Temporary buffers in the arena, and buffers of bytes as elements. */
static void put_views(stria_mlir *m)
{
    for (int k = 0; k < m->form->buffers.n; k++) {
        const bool is_inside = is_temporary(m, k) && m->form->buffers.at[k].nbytes > 0;
        if (is_inside)
            put_view(m, &m->names[k], "%arena", m->form->buffers.at[k].place, (int64_t)m->graph->arena_nbytes,
                     get_own_type(m, k).at);
        if (m->memory[k] != (int8_t)STRIA_DTYPE_NONE || (!is_inside && !stria_mlir_is_argument(m->form, k))) continue;
        for (int d = 0; d < STRIA_DTYPE_COUNT; d++) {
            if (!(m->dtypes[k] >> d & 1) || stria_mlir_get_type((stria_dtype)d) == NULL) continue;
            const stria_mlir_name name = stria_mlir_get_memref(m, k, (stria_dtype)d);
            put_view(m, &name, m->names[k].at, 0, get_nbytes(m, k),
                     stria_mlir_get_memref_type(m, k, (stria_dtype)d).at);
        }
    }
}

/* ---------------------------------------------------------------- calls */

/* The buffers of a step that a call of it is given: those with memory. */
static bool is_given(const stria_mlir *m, const stria_graph_step *step, int k)
{
    if (step->views[k] < 0) return false;
    const int buffer = m->form->views.at[step->views[k]].buffer;
    return stria_mlir_is_argument(m->form, buffer) ||
           (is_temporary(m, buffer) && m->form->buffers.at[buffer].nbytes > 0);
}

/* Names or types of them, each after a comma. */
static void put_given(stria_mlir *m, const stria_graph_step *step, bool has_names, bool has_types)
{
    for (int k = 0; k < stria_graph_step_count(step); k++) {
        if (!is_given(m, step, k)) continue;
        const int buffer = m->form->views.at[step->views[k]].buffer;
        stria_mlir_put(&m->text, ", ");
        if (has_names && has_types)
            stria_mlir_put(&m->text, "%%x%d: ", k);
        else if (has_names)
            stria_mlir_put(&m->text, "%s", m->names[buffer].at);
        if (has_types) stria_mlir_put(&m->text, "%s", get_own_type(m, buffer).at);
    }
}

static void put_call(stria_mlir *m, int i)
{
    const stria_graph_step *step = &m->form->steps.at[i];

    m->is_called[i] = true;
    stria_mlir_put(&m->text, "    func.call @stria_call_%d(%%context", i);
    put_given(m, step, true, false);
    stria_mlir_put(&m->text, ") : (!llvm.ptr");
    put_given(m, step, false, true);
    stria_mlir_put(&m->text, ") -> ()\n");
}

static void put_call_functions(stria_mlir *m)
{
    for (int i = 0; i < m->form->steps.n; i++) {
        if (!m->is_called[i]) continue;
        stria_mlir_put(&m->text, "  func.func private @stria_call_%d(%%context: !llvm.ptr", i);
        put_given(m, &m->form->steps.at[i], true, true);
        stria_mlir_put(&m->text,
                       ") attributes {llvm.linkage = #llvm.linkage<internal>} {\n"
                       "    %%step = llvm.mlir.constant(%d : i64) : i64\n"
                       "    %%call = llvm.load %%context : !llvm.ptr -> !llvm.ptr\n"
                       "    llvm.call %%call(%%context, %%step) : !llvm.ptr, (!llvm.ptr, i64) -> ()\n"
                       "    return\n"
                       "  }\n",
                       i);
    }
}

/* ---------------------------------------------------------------- the functions of the graph */

static void put_step_title(stria_mlir *m, int i)
{
    const stria_graph_step *step = &m->form->steps.at[i];
    const stria_expression *program = stria_graph_step_get_expression(step);

    stria_mlir_put(&m->text, "    // %d: ", i);
    if (program == NULL) stria_mlir_put(&m->text, "%s", stria_row_get_name(step->row));
    for (int k = 0; program != NULL && k < program->n_code; k++)
        if (k < 16) stria_mlir_put(&m->text, "%s%s", k > 0 ? ", " : "", stria_instruction_get_name(&program->code[k]));
    if (program != NULL && program->n_code > 16) stria_mlir_put(&m->text, " .. %d in all", program->n_code);
    stria_mlir_put(&m->text, "\n");
}

/* Steps as text apart, for what the arguments say of them: which have to be calls. */
static stria_status put_steps(stria_mlir *m, stria_error *err)
{
    for (int i = 0; i < m->form->steps.n && m->text.failure == STRIA_MLIR_FINE; i++) {
        const stria_graph_step *step = &m->form->steps.at[i];
        bool                    is_done = false;
        put_step_title(m, i);
        if (step->n_numbers == 0 && !step->is_constant) STRIA_TRY(stria_mlir_put_step(m, step, &is_done, err));
        if (!is_done) put_call(m, i);
    }
    return STRIA_OK;
}

/* What no call of the library looks at, and is new in each run, nothing else points to. */
static void find_own(const stria_mlir *m, bool *is_own, bool *is_own_arena)
{
    const stria_graph_form *g = m->form;

    *is_own_arena = true;
    for (int k = 0; k < g->buffers.n; k++) is_own[k] = g->buffers.at[k].kind == STRIA_BUFFER_MADE;
    for (int i = 0; i < g->steps.n; i++) {
        const stria_graph_step *step = &g->steps.at[i];
        for (int k = 0; m->is_called[i] && k < stria_graph_step_count(step); k++) {
            if (step->views[k] < 0) continue;
            const int buffer = g->views.at[step->views[k]].buffer;
            is_own[buffer] = false;
            if (is_temporary(m, buffer)) *is_own_arena = false;
        }
    }
}

static void put_signature(stria_mlir *m, const char *name, const bool *is_own, bool is_own_arena)
{
    stria_mlir_text *t = &m->text;

    stria_mlir_put(t, "  func.func @%s(%%context: !llvm.ptr", name);
    for (int k = 0; k < m->form->buffers.n; k++)
        if (stria_mlir_is_argument(m->form, k))
            stria_mlir_put(t, ", %s: %s%s", m->names[k].at, get_own_type(m, k).at, is_own[k] ? " {llvm.noalias}" : "");
    if (m->graph->arena_nbytes > 0)
        stria_mlir_put(t, ", %%arena: memref<%zuxi8>%s", m->graph->arena_nbytes, is_own_arena ? " {llvm.noalias}" : "");
    stria_mlir_put(t, ") {\n");
}

/* One buffer of the list: as bytes, then as elements. */
static void put_buffer(stria_mlir *m, int k, int64_t nbytes, stria_dtype dtype)
{
    stria_mlir_text *t = &m->text;

    stria_mlir_put(t,
                   "    %%k%d = arith.constant %d : i64\n"
                   "    %%p%d = func.call @stria_buffer(%%buffers, %%k%d) : (!llvm.ptr, i64) -> memref<i8>\n"
                   "    %%%c%d = memref.reinterpret_cast %%p%d to offset: [0], sizes: [%" PRId64 "], strides: [1] : "
                   "memref<i8> to memref<%" PRId64 "xi8>\n",
                   k, k, k, k, dtype == STRIA_DTYPE_NONE ? 'a' : 'b', k, k, nbytes, nbytes);
    if (dtype == STRIA_DTYPE_NONE) return;
    stria_mlir_put(t, "    %%a%d = memref.view %%b%d[%%zero][] : memref<%" PRId64 "xi8> to %s\n", k, k, nbytes,
                   get_type(nbytes, dtype).at);
}

static void put_run(stria_mlir *m, const char *name)
{
    stria_mlir_text        *t = &m->text;
    const stria_graph_form *g = m->form;
    int                     n = 0;

    stria_mlir_put(t,
                   "  // what programs call: a list of buffers, in the order of the arguments\n"
                   "  func.func @%s_run(%%context: !llvm.ptr, %%buffers: !llvm.ptr) {\n"
                   "    %%zero = arith.constant 0 : index\n",
                   name);
    for (int k = 0; k < g->buffers.n; k++)
        if (stria_mlir_is_argument(g, k)) put_buffer(m, n++, get_nbytes(m, k), (stria_dtype)m->memory[k]);
    if (m->graph->arena_nbytes > 0) put_buffer(m, n++, (int64_t)m->graph->arena_nbytes, STRIA_DTYPE_NONE);
    stria_mlir_put(t, "    func.call @%s(%%context", name);
    for (int k = 0; k < n; k++) stria_mlir_put(t, ", %%a%d", k);
    stria_mlir_put(t, ") : (!llvm.ptr");
    for (int k = 0; k < g->buffers.n; k++)
        if (stria_mlir_is_argument(g, k)) stria_mlir_put(t, ", %s", get_own_type(m, k).at);
    if (m->graph->arena_nbytes > 0) stria_mlir_put(t, ", memref<%zuxi8>", m->graph->arena_nbytes);
    stria_mlir_put(t, ") -> ()\n    return\n  }\n");
    if (n == 0) return;
    static const char lines[] =
        "func.func private @stria_buffer(%buffers: !llvm.ptr, %k: i64) -> memref<i8> "
        "attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = [\"alwaysinline\"]} {\n"
        "  %at = llvm.getelementptr %buffers[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr\n"
        "  %p = llvm.load %at : !llvm.ptr -> !llvm.ptr\n"
        "  %zero = llvm.mlir.constant(0 : i64) : i64\n"
        "  %d0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64)>\n"
        "  %d1 = llvm.insertvalue %p, %d0[0] : !llvm.struct<(ptr, ptr, i64)>\n"
        "  %d2 = llvm.insertvalue %p, %d1[1] : !llvm.struct<(ptr, ptr, i64)>\n"
        "  %d3 = llvm.insertvalue %zero, %d2[2] : !llvm.struct<(ptr, ptr, i64)>\n"
        "  %r = builtin.unrealized_conversion_cast %d3 : !llvm.struct<(ptr, ptr, i64)> to memref<i8>\n"
        "  return %r : memref<i8>\n"
        "}";
    stria_mlir_put_template(t, 2, lines, &(stria_mlir_places){.width = 0});
}

/* ---------------------------------------------------------------- the module */

/* Names that begin with "stria_" are the module's own. */
static void make_name(const char *given, char *name, size_t size)
{
    size_t n = 0;

    if (given == NULL || given[0] == 0) given = "graph";
    if ((given[0] >= '0' && given[0] <= '9') || strncmp(given, "stria_", 6) == 0) name[n++] = '_';
    for (; *given != 0 && n + 1 < size; given++) {
        const char c = *given;
        const bool is_kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        name[n++] = is_kept ? c : '_';
    }
    name[n] = 0;
}

static stria_status put_module(stria_mlir *m, const char *name, bool *is_own, stria_error *err)
{
    stria_mlir_text steps, *t = &m->text;
    bool            is_own_arena;

    name_buffers(m);
    stria_status status = put_steps(m, err);
    steps = *t;
    *t = (stria_mlir_text){.failure = steps.failure};
    if (status == STRIA_OK && t->failure == STRIA_MLIR_FINE) {
        find_own(m, is_own, &is_own_arena);
        stria_mlir_put(t, "// a graph: inputs %d, results %d, steps %d\nmodule {\n", m->form->inputs.n,
                       m->form->results.n, m->form->steps.n);
        put_signature(m, name, is_own, is_own_arena);
        put_views(m);
        stria_mlir_put(t, "%s", steps.at != NULL ? steps.at : "");
        stria_mlir_put(t, "    return\n  }\n");
        put_run(m, name);
        put_call_functions(m);
        stria_mlir_put_rows(m);
        stria_mlir_put_functions(m);
        stria_mlir_put(t, "}\n");
    }
    stria_object_release(steps.at);
    return status;
}

static bool make_arrays(stria_mlir *m, bool **is_own)
{
    const size_t n = (size_t)m->form->buffers.n;
    char        *memory = stria_object_new(n * (sizeof *m->lowest + sizeof *m->names + sizeof *m->dtypes + 2) +
                                           (size_t)m->form->steps.n + 1);

    m->lowest = (int64_t *)(void *)memory;
    if (memory == NULL) return false;
    m->names = (stria_mlir_name *)(void *)(m->lowest + n);
    m->dtypes = (uint16_t *)(void *)(m->names + n);
    m->memory = (int8_t *)(m->dtypes + n);
    *is_own = (bool *)(m->memory + n);
    m->is_called = *is_own + n;
    return true;
}

stria_status stria_graph_get_mlir(const stria_graph *graph, const char *given, char **text, stria_error *err)
{
    char         name[64];
    bool        *is_own = NULL;
    stria_status status;

    if (text != NULL) *text = NULL;
    if (graph == NULL || text == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, graph == NULL ? "graph" : "text", "a graph and a place",
                               "NULL", "%s is NULL", graph == NULL ? "graph" : "text");
    make_name(given, name, sizeof name);
    stria_mlir *m = stria_object_new(sizeof *m);
    if (m == NULL) return stria_graph_refuse_memory(err);
    m->graph = graph;
    m->form = &graph->planned;
    m->tape = stria_object_new(sizeof *m->tape);
    status =
        m->tape != NULL && make_arrays(m, &is_own) ? put_module(m, name, is_own, err) : stria_graph_refuse_memory(err);
    if (status == STRIA_OK && m->text.failure == STRIA_MLIR_TOO_LONG)
        status = stria_error_set(err, STRIA_ERR_UNSUPPORTED, OP, NULL, "a text of at most 1 GiB", NULL,
                                 "the graph's text would be longer than 1 GiB");
    else if (status == STRIA_OK && m->text.failure == STRIA_MLIR_NO_MEMORY)
        status = stria_graph_refuse_memory(err);
    if (status == STRIA_OK)
        *text = m->text.at;
    else
        stria_object_release(m->text.at);
    stria_object_release(m->lowest);
    stria_object_release(m->tape);
    stria_object_release(m);
    return status;
}

void stria_mlir_release(char *text) { stria_object_release(text); }
