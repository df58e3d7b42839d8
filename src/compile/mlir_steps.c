/* mlir_steps.c - steps of a graph as MLIR: loops over elements in affine, products of matrices in linalg. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/backend.h"
#include "compile/mlir.h"
#include "table/rows.h"

static const stria_buffer *get_buffer(const stria_mlir *m, int view)
{
    return &m->form->buffers.at[stria_mlir_get_view(m, view)->buffer];
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
    const stria_graph_view *a = stria_mlir_get_view(m, out), *b = stria_mlir_get_view(m, in);
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
    const stria_graph_view *v = stria_mlir_get_view(m, view);
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
    const stria_graph_view *v = stria_mlir_get_view(m, o->view);
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
    const stria_graph_view *v = stria_mlir_get_view(m, o->view);

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

/* What the lowering needs of a tensor: its dtype and shape; of a number the number. */
static stria_tensor *new_sample(const stria_mlir *m, int view)
{
    const stria_graph_view *v = stria_mlir_get_view(m, view);
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
    const stria_expression *program = stria_graph_step_get_expression(step);
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
    const stria_expression *program = stria_graph_step_get_expression(step);

    if (program == NULL ? step->row >= STRIA_OP_COUNT
                        : program->number_dtype != STRIA_DTYPE_NONE || program->has_complex)
        return false;
    for (int k = 0; k < step->n_in + step->n_out; k++)
        if (stria_mlir_get_type(stria_mlir_get_view(m, step->views[k])->dtype) == NULL) return false;
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
        const stria_dtype memory = stria_mlir_get_view(m, at->at[k].view)->dtype, lane = l->operands[k].lane;
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
        return stria_mlir_put_cast(m, stria_mlir_get_view(m, at->at[k].view)->dtype, lane, load(m, at, k, indent),
                                   indent);
    const stria_tensor *number = get_buffer(m, at->at[k].view)->tensor;
    l->kernels->cast[number->dtype][lane](value, 0, number->data, 0, 1);
    return stria_mlir_put_constant(m, lane, value, indent);
}

/* What stands in the loops. */
static void put_elements(stria_mlir *m, const values *v, const loops *at, int indent)
{
    const stria_lowering *l = v->lowering;

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
        const stria_dtype memory = stria_mlir_get_view(m, at->at[k].view)->dtype;
        store(m, at, k, stria_mlir_put_cast(m, v->dtypes[k], memory, v->names[k], indent), indent);
    }
}

static void put_body(stria_mlir *m, const values *v, const loops *at)
{
    put_elements(m, v, at, begin_loops(m, at));
    end_loops(m, at);
}

/* ---------------------------------------------------------------- quick forms
 *
 * A loop over some hundreds of elements computes the quick forms, and whether an element was beyond them; if one was, a second loop computes
 * these elements again, in full. */

enum { FEWEST_QUICK = 64, MOST_QUICK = 2048, USUAL_QUICK = 1024 };

/* Whether b begins where a has not ended, or a where b has not. */
static bool may_meet(const stria_mlir *m, int a, int b)
{
    const int           i = stria_mlir_get_view(m, a)->buffer, k = stria_mlir_get_view(m, b)->buffer;
    const stria_buffer *x = &m->form->buffers.at[i], *y = &m->form->buffers.at[k];

    if (i == k) return true;
    if (x->kind != STRIA_BUFFER_MADE || y->kind != STRIA_BUFFER_MADE || x->is_result || y->is_result) return false;
    return x->place < y->place + y->nbytes && y->place < x->place + x->nbytes;
}

/* It pays, and what is read is not written to meanwhile. */
static bool is_quick(stria_mlir *m, const stria_lowering *l, const loops *at)
{
    bool has_quick = false;

    if (at->ndim == 0 || at->ndim == STRIA_MAX_DIMS || at->sizes[at->ndim - 1] < FEWEST_QUICK) return false;
    for (int i = 0; i < l->n_steps && !has_quick; i++)
        has_quick = l->steps[i].loop != NULL && stria_mlir_is_quick_row(m, l->steps[i].op, l->steps[i].compute);
    for (int k = 0; k < l->n_out && has_quick; k++) {
        if (at->at[k].strides[at->ndim - 1] != 1) return false;
        for (int i = l->n_out; i < l->n_operands; i++)
            if (at->is_loaded[i] && may_meet(m, at->at[k].view, at->at[i].view)) return false;
    }
    return has_quick;
}

/* How many elements of n are looked at together: all, or a part of them, if need be with a rest. */
static int64_t get_block(int64_t n)
{
    if (n <= MOST_QUICK) return n;
    for (int64_t block = MOST_QUICK; block >= MOST_QUICK / 4; block--)
        if (n % block == 0) return block;
    return USUAL_QUICK;
}

/* The last dim becomes two, blocks and the elements of one. */
static void split_last(loops *at, int64_t block)
{
    const int d = at->ndim++;

    at->sizes[d] = block;
    at->sizes[d - 1] /= block;
    for (int k = 0; k < at->n; k++) {
        at->at[k].strides[d] = at->at[k].strides[d - 1];
        at->at[k].strides[d - 1] *= block;
    }
}

/* The elements behind the blocks, as loops of their own. */
static void move_to_rest(loops *at, int64_t rest)
{
    const int d = --at->ndim - 1;

    for (int k = 0; k < at->n; k++) {
        at->at[k].offset += at->sizes[d] * at->at[k].strides[d];
        at->at[k].strides[d] = at->at[k].strides[d + 1];
    }
    at->sizes[d] = rest;
}

static void put_quick_loops(stria_mlir *m, const values *v, const loops *at)
{
    const int d = at->ndim - 1, indent = 4 + 2 * d;
    loops     outer = *at;

    outer.ndim = d;
    begin_loops(m, &outer);
    const int begin = m->n_values++, far = m->n_values++;
    m->far = stria_mlir_get_name("%%v%d.far", far);
    stria_mlir_put(&m->text,
                   "%*s%%v%d = arith.constant false\n"
                   "%*s%%v%d = affine.for %%i%d = 0 to %" PRId64 " iter_args(%s = %%v%d) -> (i1) {\n",
                   indent, "", begin, indent, "", far, d, at->sizes[d], m->far.at, begin);
    m->is_quick = true;
    put_elements(m, v, at, indent + 2);
    m->is_quick = false;
    stria_mlir_put(&m->text,
                   "%*saffine.yield %s : i1\n%*s}\n"
                   "%*sscf.if %%v%d {\n%*saffine.for %%i%d = 0 to %" PRId64 " {\n",
                   indent + 2, "", m->far.at, indent, "", indent, "", far, indent + 2, "", d, at->sizes[d]);
    put_elements(m, v, at, indent + 4);
    stria_mlir_put(&m->text, "%*s}\n%*s}\n", indent + 2, "", indent, "");
    end_loops(m, &outer);
}

static void put_quick(stria_mlir *m, const values *v, loops *at)
{
    const int64_t n = at->sizes[at->ndim - 1], block = get_block(n), rest = n % block;

    split_last(at, block);
    put_quick_loops(m, v, at);
    if (rest == 0) return;
    move_to_rest(at, rest);
    put_body(m, v, at);
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
    if (*is_done && get_numel(stria_mlir_get_view(m, at.at[0].view)) > 0) {
        order_dims(&at);
        if (is_quick(m, l, &at))
            put_quick(m, &v, &at);
        else
            put_body(m, &v, &at);
    }
    stria_object_release(at.memory);
    stria_object_release(v.names);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- copies and fills */

static stria_status put_copy(stria_mlir *m, int out, int in, bool *is_done, stria_error *err)
{
    const stria_dtype to = stria_mlir_get_view(m, out)->dtype, from = stria_mlir_get_view(m, in)->dtype;
    loops             at;

    if (!stria_mlir_has_cast(from, to) || get_buffer(m, in)->kind == STRIA_BUFFER_NUMBER) return STRIA_OK;
    if (!loops_new(&at, 2)) return stria_graph_refuse_memory(err);
    *is_done = set_operand(m, &at, 0, out) && set_operand(m, &at, 1, in);
    if (*is_done && get_numel(stria_mlir_get_view(m, out)) > 0) {
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
    const stria_dtype dtype = stria_mlir_get_view(m, out)->dtype;
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
    if (*is_done && get_numel(stria_mlir_get_view(m, out)) > 0) {
        order_dims(&at);
        const int indent = begin_loops(m, &at);
        store(m, &at, 0, stria_mlir_put_constant(m, dtype, value->data, indent), indent);
        end_loops(m, &at);
    }
    stria_object_release(at.memory);
    stria_tensor_release(value);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- all of them */

static stria_status put_function(stria_mlir *m, const stria_graph_step *step, bool *is_done, stria_error *err)
{
    const int *views = step->views;

    switch ((stria_function)(step->row - STRIA_ROW_OF_FUNCTION(0))) {
    case STRIA_FN_mm:
    case STRIA_FN_bmm:
    case STRIA_FN_matmul:
        *is_done = stria_mlir_is_product(m, step);
        if (*is_done) stria_mlir_put_product(m, step);
        return STRIA_OK;
    case STRIA_FN_to:
    case STRIA_FN_contiguous: return put_copy(m, views[1], views[0], is_done, err);
    case STRIA_FN_copy: /* to the dtype of the first, then to that of the output */
        if (stria_mlir_get_view(m, views[0])->dtype != stria_mlir_get_view(m, views[2])->dtype) return STRIA_OK;
        return put_copy(m, views[2], views[1], is_done, err);
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
