/* mlir_steps.c - steps of a graph as MLIR: loops over elements in affine, products of matrices in linalg. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/backend.h"
#include "compile/mlir.h"
#include "table/rows.h"

static const stria_graph_view *get_view(const stria_mlir *m, int view) { return &m->form->views.at[view]; }
static const stria_buffer     *get_buffer(const stria_mlir *m, int view)
{
    return &m->form->buffers.at[get_view(m, view)->buffer];
}

static int64_t get_numel(const stria_graph_view *v)
{
    int64_t n = 1;

    for (int d = 0; d < v->ndim; d++) n *= v->sizes[d];
    return n;
}

/* ---------------------------------------------------------------- loops */

/* An operand of a loop: element sum(strides * index) + offset of its memref. */
typedef struct operand {
    int      view;
    int64_t  offset;
    int64_t *strides; /* [STRIA_MAX_DIMS] */
} operand;

/* The result is operand 0. */
typedef struct loops {
    int      ndim, n;
    int64_t  sizes[STRIA_MAX_DIMS];
    operand *at;
    bool    *is_loaded; /* [n] */
    void    *memory;
} loops;

static bool loops_new(loops *l, int n)
{
    const size_t strides = STRIA_MAX_DIMS * sizeof(int64_t);
    char        *memory = stria_object_new((size_t)n * (sizeof *l->at + strides + sizeof *l->is_loaded));

    *l = (loops){.n = n, .memory = memory, .at = (operand *)(void *)memory};
    if (memory == NULL) return false;
    for (int k = 0; k < n; k++)
        l->at[k].strides = (int64_t *)(void *)(memory + (size_t)n * sizeof *l->at + (size_t)k * strides);
    l->is_loaded = (bool *)(memory + (size_t)n * (sizeof *l->at + strides));
    return true;
}

/* Whether a loop may write to `out` and read from `in`: they are the same elements, or have none in common. */
static bool is_apart(const stria_mlir *m, int out, int in)
{
    const stria_graph_view *a = get_view(m, out), *b = get_view(m, in);
    int64_t                 begin[2], end[2];

    if (out == in || a->buffer != b->buffer) return true;
    for (int k = 0; k < 2; k++) {
        const stria_graph_view *v = k == 0 ? a : b;
        begin[k] = stria_graph_view_get_begin(v);
        end[k] = stria_graph_view_get_end(v);
    }
    return end[0] <= begin[1] || end[1] <= begin[0];
}

static bool set_operand(const stria_mlir *m, loops *l, int k, int view)
{
    const stria_graph_view *v = get_view(m, view);
    operand                *o = &l->at[k];

    o->view = view;
    l->is_loaded[k] = get_buffer(m, view)->kind != STRIA_BUFFER_NUMBER;
    if (stria_mlir_get_type(v->dtype) == NULL) return false;
    if (!l->is_loaded[k]) return true;
    if (k == 0) {
        l->ndim = v->ndim;
        for (int d = 0; d < v->ndim; d++) l->sizes[d] = v->sizes[d];
    }
    for (int d = 0; d < v->ndim; d++) o->strides[d + l->ndim - v->ndim] = v->sizes[d] == 1 ? 0 : v->sizes[v->ndim + d];
    return stria_mlir_get_offset(m, v, &o->offset) && (k == 0 || is_apart(m, l->at[0].view, view));
}

static void swap_dims(loops *l, int d, int e)
{
    const int64_t size = l->sizes[d];

    l->sizes[d] = l->sizes[e];
    l->sizes[e] = size;
    for (int k = 0; k < l->n; k++) {
        const int64_t stride = l->at[k].strides[d];
        l->at[k].strides[d] = l->at[k].strides[e];
        l->at[k].strides[e] = stride;
    }
}

static bool is_one_dim(const loops *l, int outer, int inner)
{
    for (int k = 0; k < l->n; k++)
        if (l->is_loaded[k] && l->at[k].strides[outer] != l->at[k].strides[inner] * l->sizes[inner]) return false;
    return true;
}

static int64_t get_size(int64_t x) { return x < 0 ? -x : x; }

/* Dims in the order of the result's memory, as few as can be. */
static void order_dims(loops *l)
{
    int n = 0;

    for (int d = 0; d < l->ndim; d++) {
        if (l->sizes[d] == 1) continue;
        if (d != n) swap_dims(l, d, n);
        for (int e = n; e > 0 && get_size(l->at[0].strides[e - 1]) < get_size(l->at[0].strides[e]); e--)
            swap_dims(l, e - 1, e);
        n++;
    }
    l->ndim = n;
    n = 0;
    for (int d = 1; d < l->ndim; d++) {
        if (is_one_dim(l, n, d)) {
            l->sizes[d] *= l->sizes[n];
            swap_dims(l, n, d);
        } else {
            swap_dims(l, ++n, d);
        }
    }
    if (l->ndim > 0) l->ndim = n + 1;
}

static void put_index(stria_mlir *m, const loops *l, const operand *o)
{
    stria_mlir_text *t = &m->text;
    const char      *plus = "";

    stria_mlir_put(t, "[");
    for (int d = 0; d < l->ndim; d++) {
        if (o->strides[d] == 0) continue;
        stria_mlir_put(t, "%s%%i%d", plus, d);
        if (o->strides[d] != 1) stria_mlir_put(t, " * %" PRId64, o->strides[d]);
        plus = " + ";
    }
    if (o->offset != 0 || plus[0] == 0) stria_mlir_put(t, "%s%" PRId64, plus, o->offset);
    stria_mlir_put(t, "]");
}

static stria_mlir_name load(stria_mlir *m, const loops *l, int k, int indent)
{
    const operand          *o = &l->at[k];
    const stria_graph_view *v = get_view(m, o->view);
    const stria_mlir_name   name = stria_mlir_get_name("%%v%d", m->n_values++);

    stria_mlir_put(&m->text, "%*s%s = affine.load %s", indent, "", name.at,
                   stria_mlir_get_memref(m, v->buffer, v->dtype).at);
    put_index(m, l, o);
    stria_mlir_put(&m->text, " : %s\n", stria_mlir_get_memref_type(m, v->buffer, v->dtype).at);
    if (v->dtype != STRIA_BOOL) return name;
    const stria_mlir_name   truth = stria_mlir_get_name("%%v%d", m->n_values++);
    const stria_mlir_places places = {.result = truth.at, .operand = {name.at}};
    stria_mlir_put_template(&m->text, indent,
                            "$r_0 = arith.constant 0 : i8\n$r_1 = arith.cmpi ne, $a, $r_0 : i8\n"
                            "$r = arith.extui $r_1 : i1 to i8",
                            &places);
    return truth;
}

static void store(stria_mlir *m, const loops *l, int k, stria_mlir_name x, int indent)
{
    const operand          *o = &l->at[k];
    const stria_graph_view *v = get_view(m, o->view);

    stria_mlir_put(&m->text, "%*saffine.store %s, %s", indent, "", x.at,
                   stria_mlir_get_memref(m, v->buffer, v->dtype).at);
    put_index(m, l, o);
    stria_mlir_put(&m->text, " : %s\n", stria_mlir_get_memref_type(m, v->buffer, v->dtype).at);
}

/* The loops around a body; the indentation of the body. */
static int begin_loops(stria_mlir *m, const loops *l)
{
    for (int d = 0; d < l->ndim; d++)
        stria_mlir_put(&m->text, "%*saffine.for %%i%d = 0 to %" PRId64 " {\n", 4 + 2 * d, "", d, l->sizes[d]);
    return 4 + 2 * l->ndim;
}

static void end_loops(stria_mlir *m, const loops *l)
{
    for (int d = l->ndim - 1; d >= 0; d--) stria_mlir_put(&m->text, "%*s}\n", 4 + 2 * d, "");
}

/* ---------------------------------------------------------------- element-wise steps */

static const stria_expression *get_program(const stria_graph_step *step)
{
    return step->row == STRIA_ROW_EXPRESSION ? ((const stria_expression_attrs *)step->attrs)->program : NULL;
}

/* What the lowering needs of a tensor: its dtype and shape; of a number the number. */
static stria_tensor *new_sample(const stria_mlir *m, int view)
{
    const stria_graph_view *v = get_view(m, view);
    const stria_buffer     *b = get_buffer(m, view);

    if (b->kind == STRIA_BUFFER_NUMBER) return stria_tensor_retain(b->tensor);
    stria_tensor *x = stria_tensor_new_handle(v->dtype, STRIA_META, v->ndim);
    if (x == NULL) return NULL;
    for (int d = 0; d < v->ndim; d++) {
        x->shape[d] = v->sizes[d];
        x->strides[d] = v->sizes[v->ndim + d];
    }
    x->numel = get_numel(v);
    return x;
}

static stria_status new_lowering(const stria_mlir *m, const stria_graph_step *step, stria_lowering **lowering,
                                 stria_error *err)
{
    const stria_expression *program = get_program(step);
    stria_expression       *single = NULL;
    stria_status            status = STRIA_OK;
    stria_tensor          **samples = stria_object_new((size_t)step->n_in * sizeof *samples + 1);

    if (samples == NULL) return stria_graph_refuse_memory(err);
    if (program == NULL) {
        const stria_instruction code = {.op = (stria_op)step->row, .in = {0, 1, 2}};
        status = stria_expression_new(step->n_in, NULL, 0, &code, 1, &single, err);
        program = single;
    }
    for (int k = 0; k < step->n_in && status == STRIA_OK; k++) {
        samples[k] = new_sample(m, step->views[k]);
        if (samples[k] == NULL) status = stria_graph_refuse_memory(err);
    }
    if (status == STRIA_OK)
        status = stria_lowering_new(program, (const stria_tensor *const *)samples, NULL, lowering, err);
    for (int k = 0; k < step->n_in; k++) stria_tensor_release(samples[k]);
    stria_expression_release(single);
    stria_object_release(samples);
    return status;
}

static bool is_element_wise(const stria_mlir *m, const stria_graph_step *step)
{
    const stria_expression *program = get_program(step);

    if (program == NULL ? step->row >= STRIA_OP_COUNT
                        : program->number_dtype != STRIA_DTYPE_NONE || program->has_complex)
        return false;
    for (int k = 0; k < step->n_in + step->n_out; k++)
        if (stria_mlir_get_type(get_view(m, step->views[k])->dtype) == NULL) return false;
    return true;
}

/* The dtype that an op takes operand k in. */
static stria_dtype get_input_dtype(const stria_step *s, int k)
{
    return k == 0 && stria_op_infos[s->op].result == STRIA_RESULT_SELECT ? STRIA_BOOL : s->compute;
}

/* Values of a body: of operands, then of slots. */
typedef struct values {
    const stria_lowering *lowering;
    stria_mlir_name      *names;  /* [n_operands + n_slots] */
    stria_dtype          *dtypes; /* [n_operands + n_slots] */
} values;

static int get_place(const values *v, stria_place at)
{
    return at.kind == STRIA_PLACE_OPERAND ? at.index : v->lowering->n_operands + at.index;
}

static bool has_conversions(const stria_mlir *m, const stria_lowering *l, const loops *at)
{
    for (int k = 0; k < l->n_operands; k++) {
        const stria_dtype memory = get_view(m, at->at[k].view)->dtype, lane = l->operands[k].lane;
        if (at->is_loaded[k] && !(k < l->n_out ? stria_mlir_has_cast(lane, memory) : stria_mlir_has_cast(memory, lane)))
            return false;
    }
    return true;
}

/* Whether every step of the lowering can be written. */
static bool has_words(stria_mlir *m, const stria_lowering *l, const values *v)
{
    for (int k = 0; k < l->n_operands; k++) v->dtypes[k] = l->operands[k].lane;
    for (int i = 0; i < l->n_steps; i++) {
        const stria_step *s = &l->steps[i];
        if (s->loop == NULL ? !stria_mlir_has_cast(v->dtypes[get_place(v, s->in[0])], s->dtype)
                            : stria_mlir_find_row(m, s->op, s->compute) == STRIA_MLIR_NO_TAPE)
            return false;
        v->dtypes[get_place(v, s->out)] = s->dtype;
    }
    return true;
}

static stria_mlir_name put_lowered_step(stria_mlir *m, const values *v, const stria_step *s, int indent)
{
    stria_mlir_name operands[STRIA_MAX_INPUTS];

    if (s->loop == NULL) {
        const int from = get_place(v, s->in[0]);
        return stria_mlir_put_cast(m, v->dtypes[from], s->dtype, v->names[from], indent);
    }
    for (int k = 0; k < s->n_in; k++)
        operands[k] = s->in[k].kind == STRIA_PLACE_CONSTANT
                          ? stria_mlir_put_constant(m, get_input_dtype(s, k), s->constant[k], indent)
                          : v->names[get_place(v, s->in[k])];
    return stria_mlir_put_row(m, s->op, s->compute, operands, indent);
}

static stria_mlir_name put_operand(stria_mlir *m, const stria_lowering *l, const loops *at, int k, int indent)
{
    const stria_dtype lane = l->operands[k].lane;
    _Alignas(8) char  value[16] = {0};

    if (at->is_loaded[k])
        return stria_mlir_put_cast(m, get_view(m, at->at[k].view)->dtype, lane, load(m, at, k, indent), indent);
    const stria_tensor *number = get_buffer(m, at->at[k].view)->tensor;
    l->kernels->cast[number->dtype][lane](value, 0, number->data, 0, 1);
    return stria_mlir_put_constant(m, lane, value, indent);
}

static void put_body(stria_mlir *m, const values *v, const loops *at)
{
    const stria_lowering *l = v->lowering;
    const int             indent = begin_loops(m, at);

    for (int k = l->n_out; k < l->n_operands; k++) {
        v->names[k] = put_operand(m, l, at, k, indent);
        v->dtypes[k] = l->operands[k].lane;
    }
    for (int i = 0; i < l->n_steps; i++) {
        const stria_mlir_name result = put_lowered_step(m, v, &l->steps[i], indent);
        const int             place = get_place(v, l->steps[i].out);
        v->names[place] = result;
        v->dtypes[place] = l->steps[i].dtype;
    }
    for (int k = 0; k < l->n_out; k++) {
        const stria_dtype memory = get_view(m, at->at[k].view)->dtype;
        store(m, at, k, stria_mlir_put_cast(m, v->dtypes[k], memory, v->names[k], indent), indent);
    }
    end_loops(m, at);
}

static stria_status put_lowering(stria_mlir *m, const stria_graph_step *step, const stria_lowering *l, bool *is_done,
                                 stria_error *err)
{
    const size_t n = (size_t)(l->n_operands + l->n_slots);
    loops        at;
    values       v = {.lowering = l, .names = stria_object_new(n * (sizeof *v.names + sizeof *v.dtypes))};

    if (v.names == NULL || !loops_new(&at, l->n_operands)) {
        stria_object_release(v.names);
        return stria_graph_refuse_memory(err);
    }
    v.dtypes = (stria_dtype *)(void *)(v.names + n);
    *is_done = true;
    for (int k = 0; k < l->n_operands && *is_done; k++)
        *is_done = set_operand(m, &at, k, step->views[k < l->n_out ? step->n_in + k : l->operands[k].input]);
    *is_done = *is_done && has_conversions(m, l, &at) && has_words(m, l, &v);
    if (*is_done && get_numel(get_view(m, at.at[0].view)) > 0) {
        order_dims(&at);
        put_body(m, &v, &at);
    }
    stria_object_release(at.memory);
    stria_object_release(v.names);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- copies and fills */

static stria_status put_copy(stria_mlir *m, int out, int in, bool *is_done, stria_error *err)
{
    const stria_dtype to = get_view(m, out)->dtype, from = get_view(m, in)->dtype;
    loops             at;

    if (!stria_mlir_has_cast(from, to) || get_buffer(m, in)->kind == STRIA_BUFFER_NUMBER) return STRIA_OK;
    if (!loops_new(&at, 2)) return stria_graph_refuse_memory(err);
    *is_done = set_operand(m, &at, 0, out) && set_operand(m, &at, 1, in);
    if (*is_done && get_numel(get_view(m, out)) > 0) {
        order_dims(&at);
        const int indent = begin_loops(m, &at);
        store(m, &at, 0, stria_mlir_put_cast(m, from, to, load(m, &at, 1, indent), indent), indent);
        end_loops(m, &at);
    }
    stria_object_release(at.memory);
    return STRIA_OK;
}

static stria_status put_fill(stria_mlir *m, int out, stria_scalar scalar, bool *is_done, stria_error *err)
{
    const stria_dtype dtype = get_view(m, out)->dtype;
    stria_tensor     *number = NULL, *value = NULL;
    loops             at;

    if (stria_mlir_get_type(dtype) == NULL || scalar.kind == STRIA_SCALAR_COMPLEX) return STRIA_OK;
    STRIA_TRY(stria_tensor_new_scalar(scalar, &number, err));
    const stria_status status = stria_backend_new_copy(number, dtype, &value, err);
    stria_tensor_release(number);
    STRIA_TRY(status);
    if (!loops_new(&at, 1)) {
        stria_tensor_release(value);
        return stria_graph_refuse_memory(err);
    }
    *is_done = set_operand(m, &at, 0, out);
    if (*is_done && get_numel(get_view(m, out)) > 0) {
        order_dims(&at);
        const int indent = begin_loops(m, &at);
        store(m, &at, 0, stria_mlir_put_constant(m, dtype, value->data, indent), indent);
        end_loops(m, &at);
    }
    stria_object_release(at.memory);
    stria_tensor_release(value);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- products of matrices */

/* A memref of all dims of a view, declared here; false: linalg does not take it. */
static bool has_layout(const stria_mlir *m, int view, int ndim, stria_dtype dtype)
{
    const stria_graph_view *v = get_view(m, view);
    int64_t                 offset;

    if (v->ndim != ndim || v->dtype != dtype || !stria_mlir_get_offset(m, v, &offset)) return false;
    for (int d = 0; d < ndim; d++)
        if (v->sizes[d] > 1 && v->sizes[ndim + d] <= 0) return false;
    return true;
}

static void put_list(stria_mlir *m, const int64_t *sizes, int n, const char *comma)
{
    for (int d = 0; d < n; d++) stria_mlir_put(&m->text, "%s%" PRId64, d > 0 ? comma : "", sizes[d]);
}

/* Writes the type of it, too, where name is NULL. */
static void put_matrix(stria_mlir *m, int view, const stria_mlir_name *name)
{
    const stria_graph_view *v = get_view(m, view);
    stria_mlir_text        *t = &m->text;
    int64_t                 offset = 0, strides[3], expected = 1;
    bool                    is_plain;

    stria_mlir_get_offset(m, v, &offset);
    is_plain = offset == 0;
    for (int d = v->ndim - 1; d >= 0; d--) {
        strides[d] = v->sizes[d] == 1 ? expected : v->sizes[v->ndim + d];
        is_plain &= strides[d] == expected;
        expected *= v->sizes[d];
    }
    if (name != NULL) {
        stria_mlir_put(t, "    %s = memref.reinterpret_cast %s to offset: [%" PRId64 "], sizes: [", name->at,
                       stria_mlir_get_memref(m, v->buffer, v->dtype).at, offset);
        put_list(m, v->sizes, v->ndim, ", ");
        stria_mlir_put(t, "], strides: [");
        put_list(m, strides, v->ndim, ", ");
        stria_mlir_put(t, "] : %s to ", stria_mlir_get_memref_type(m, v->buffer, v->dtype).at);
    }
    stria_mlir_put(t, "memref<");
    put_list(m, v->sizes, v->ndim, "x");
    stria_mlir_put(t, "x%s", stria_mlir_get_type(v->dtype));
    if (!is_plain) {
        stria_mlir_put(t, ", strided<[");
        put_list(m, strides, v->ndim, ", ");
        stria_mlir_put(t, "], offset: %" PRId64 ">", offset);
    }
    stria_mlir_put(t, ">%s", name != NULL ? "\n" : "");
}

/* A mark for products of whole tiles (src/mlir/products.mlir). */
static const char *get_tile(const stria_mlir *m, const stria_graph_step *step)
{
    const stria_graph_view *y = get_view(m, step->views[2]);
    const int64_t           k = get_view(m, step->views[0])->sizes[1], width = y->dtype == STRIA_F32 ? 32 : 16;

    if (y->ndim != 2 || y->sizes[0] % 8 != 0 || y->sizes[1] % width != 0 || (k > 256 && k % 256 != 0)) return "";
    return width == 32 ? " {tile_32}" : " {tile_16}";
}

static void put_product(stria_mlir *m, const stria_graph_step *step)
{
    const stria_graph_view *y = get_view(m, step->views[2]);
    stria_mlir_text        *t = &m->text;
    stria_mlir_name         names[3];
    const char             *type = stria_mlir_get_type(y->dtype);

    if (get_numel(y) == 0) return;
    for (int k = 0; k < 3; k++) {
        names[k] = stria_mlir_get_name("%%v%d", m->n_values++);
        put_matrix(m, step->views[k], &names[k]);
    }
    const stria_mlir_name zero = stria_mlir_get_name("%%v%d", m->n_values++);
    stria_mlir_put(t, "    %s = arith.constant 0.0 : %s\n    linalg.fill ins(%s : %s) outs(%s : ", zero.at, type,
                   zero.at, type, names[2].at);
    put_matrix(m, step->views[2], NULL);
    stria_mlir_put(t, ")\n");
    if (get_numel(get_view(m, step->views[0])) == 0) return;
    stria_mlir_put(t, "    linalg.%s%s ins(%s, %s : ", y->ndim == 3 ? "batch_matmul" : "matmul", get_tile(m, step),
                   names[0].at, names[1].at);
    put_matrix(m, step->views[0], NULL);
    stria_mlir_put(t, ", ");
    put_matrix(m, step->views[1], NULL);
    stria_mlir_put(t, ") outs(%s : ", names[2].at);
    put_matrix(m, step->views[2], NULL);
    stria_mlir_put(t, ")\n");
}

static bool is_product(const stria_mlir *m, const stria_graph_step *step)
{
    const stria_graph_view *y = get_view(m, step->views[2]);

    if ((y->dtype != STRIA_F32 && y->dtype != STRIA_F64) || y->ndim < 2 || y->ndim > 3) return false;
    for (int k = 0; k < 3; k++) {
        if (!has_layout(m, step->views[k], y->ndim, y->dtype)) return false;
        if (k < 2 && get_view(m, step->views[k])->buffer == y->buffer) return false;
        if (y->ndim == 3 && get_view(m, step->views[k])->sizes[0] != y->sizes[0]) return false;
    }
    return true;
}

/* ---------------------------------------------------------------- all of them */

static stria_status put_function(stria_mlir *m, const stria_graph_step *step, bool *is_done, stria_error *err)
{
    const int *views = step->views;

    switch ((stria_function)(step->row - STRIA_ROW_OF_FUNCTION(0))) {
    case STRIA_FN_mm:
    case STRIA_FN_bmm:
    case STRIA_FN_matmul:
        *is_done = is_product(m, step);
        if (*is_done) put_product(m, step);
        return STRIA_OK;
    case STRIA_FN_to:
    case STRIA_FN_contiguous: return put_copy(m, views[1], views[0], is_done, err);
    case STRIA_FN_copy: return put_copy(m, views[2], views[1], is_done, err);
    case STRIA_FN_zeros: return put_fill(m, views[0], (stria_scalar){STRIA_SCALAR_INT, .i = 0}, is_done, err);
    case STRIA_FN_ones: return put_fill(m, views[0], (stria_scalar){STRIA_SCALAR_INT, .i = 1}, is_done, err);
    case STRIA_FN_zeros_like: return put_fill(m, views[1], (stria_scalar){STRIA_SCALAR_INT, .i = 0}, is_done, err);
    case STRIA_FN_ones_like: return put_fill(m, views[1], (stria_scalar){STRIA_SCALAR_INT, .i = 1}, is_done, err);
    case STRIA_FN_full: return put_fill(m, views[0], ((const stria_full_attrs *)step->attrs)->value, is_done, err);
    case STRIA_FN_full_like:
        return put_fill(m, views[1], ((const stria_full_like_attrs *)step->attrs)->value, is_done, err);
    case STRIA_FN_fill: return put_fill(m, views[1], ((const stria_fill_attrs *)step->attrs)->value, is_done, err);
    default: return STRIA_OK;
    }
}

stria_status stria_mlir_put_step(stria_mlir *m, const stria_graph_step *step, bool *is_done, stria_error *err)
{
    *is_done = false;
    if (step->row >= STRIA_ROW_OF_FUNCTION(0) && step->row < STRIA_ROW_EXPRESSION)
        return put_function(m, step, is_done, err);
    if (!is_element_wise(m, step)) return STRIA_OK;
    stria_lowering *lowering = NULL;
    STRIA_TRY(new_lowering(m, step, &lowering, err));
    const stria_status status = put_lowering(m, step, lowering, is_done, err);
    stria_lowering_release(lowering);
    return status;
}
