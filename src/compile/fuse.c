/* fuse.c - element-wise steps become one where the result of one is only read by another.
 *
 * A step takes the steps that make its inputs into itself, if nobody else looks at these results, they have its shape, and nothing that they
 * read is written to in between. It is then an expression, in which these results never reach memory. Both give the same bits: an
 * expression computes each op in the dtypes, and rounds it, as if it ran alone.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "compile/graph.h"
#include "cpu/expression.h"
#include "table/rows.h"

/* Values of a draft: of input views, of constants, of its code; numbered apart until it is done. */
enum { CONSTANTS_AT = 1 << 20, CODE_AT = 1 << 21, MOST_CODE = 512, MOST_BETWEEN = 64, MOST_INPUTS = 64 };

/* A value that goes to memory beside the last one. */
typedef struct stored {
    int value, view;
} stored;

/* What an element-wise step computes. */
typedef struct draft {
    int                n_stored;
    stored             stored[STRIA_EXPRESSION_MAX_OUTPUTS - 1];
    int                n_in, n_constants, n_code;
    int               *in; /* views */
    stria_scalar      *constants;
    stria_instruction *code;
    bool               has_taken; /* another step */
} draft;

typedef struct fusion {
    stria_graph_form *g;
    size_t            n;          /* steps at first */
    draft           **drafts;     /* [steps]; NULL: no element-wise step, or taken */
    int              *writer;     /* [buffers]: the step that makes it, or -1: none, or several */
    int              *reader;     /* [buffers]: the step that reads it, -1: none, -2: several */
    int              *last_write; /* [buffers] so far */
} fusion;

static int get_buffer(const stria_graph_form *g, int view) { return g->views.at[view].buffer; }

/* ---------------------------------------------------------------- drafts */

static draft *draft_new(int n_in, int n_constants, int n_code)
{
    const size_t constants = (size_t)n_constants * sizeof(stria_scalar);
    const size_t code = (size_t)n_code * sizeof(stria_instruction);
    draft       *d = stria_object_new(sizeof *d + constants + code + (size_t)n_in * sizeof(int));

    if (d == NULL) return NULL;
    d->constants = (stria_scalar *)(void *)(d + 1);
    d->code = (stria_instruction *)(void *)((char *)d->constants + constants);
    d->in = (int *)(void *)((char *)d->code + code);
    return d;
}

static int add_input(draft *d, int view)
{
    for (int k = 0; k < d->n_in; k++)
        if (d->in[k] == view) return k;
    d->in[d->n_in] = view;
    return d->n_in++;
}

static int add_constant(draft *d, stria_scalar constant)
{
    for (int k = 0; k < d->n_constants; k++)
        if (d->constants[k].kind == constant.kind && d->constants[k].i == constant.i &&
            memcmp(&d->constants[k].re, &constant.re, sizeof constant.re) == 0 && constant.im == 0 &&
            d->constants[k].im == 0)
            return CONSTANTS_AT + k;
    d->constants[d->n_constants] = constant;
    return CONSTANTS_AT + d->n_constants++;
}

stria_scalar stria_graph_get_number(const stria_tensor *x)
{
    stria_scalar s = {.kind = STRIA_SCALAR_INT};

    switch (x->dtype) {
    case STRIA_BOOL: s.kind = STRIA_SCALAR_BOOL, s.i = *x->data != 0; break;
    case STRIA_U64: s.kind = STRIA_SCALAR_UINT; /* fallthrough */
    case STRIA_I64: memcpy(&s.i, x->data, sizeof s.i); break;
    case STRIA_F64: s.kind = STRIA_SCALAR_FLOAT, memcpy(&s.re, x->data, sizeof s.re); break;
    default:
        s.kind = STRIA_SCALAR_COMPLEX, memcpy(&s.re, x->data, sizeof s.re), memcpy(&s.im, x->data + 8, sizeof s.im);
    }
    return s;
}

/* A number that calls take without looking at its dtype; a constant is an input of a group, as it is of a call. */
static bool is_number(const stria_graph_form *g, int view)
{
    const stria_buffer *b = &g->buffers.at[get_buffer(g, view)];
    return b->kind == STRIA_BUFFER_NUMBER && b->tensor->is_wrapped_number;
}

/* A copy, as a rule to another dtype. */
static bool is_conversion(const stria_graph_form *g, const stria_graph_step *step)
{
    return step->row == STRIA_ROW_OF_FUNCTION(STRIA_FN_to) && !is_number(g, step->views[0]) &&
           g->views.at[step->views[1]].dtype == ((const stria_to_attrs *)step->attrs)->dtype;
}

/* Whether an expression converts a number, which it could not if that were one of its constants. */
static bool converts_number(const stria_graph_form *g, const stria_graph_step *step, const stria_expression *program)
{
    for (int i = 0; i < program->n_code; i++)
        if (program->code[i].op >= STRIA_OP_COUNT && program->code[i].in[0] < program->n_in &&
            is_number(g, step->views[program->code[i].in[0]]))
            return true;
    return false;
}

/* Whether the step is element-wise, and of dtypes that expressions pass through registers. */
static bool is_element_wise(const stria_graph_form *g, const stria_graph_step *step)
{
    const stria_expression *program = stria_graph_step_get_expression(step);

    if (step->row >= STRIA_OP_COUNT && program == NULL && !is_conversion(g, step)) return false;
    if (step->is_constant) return false;
    if (program != NULL && (program->number_dtype != STRIA_DTYPE_NONE || program->n_out != 1 || program->has_complex ||
                            converts_number(g, step, program)))
        return false;
    for (int k = 0; k < step->n_in + step->n_out; k++)
        if (stria_dtype_is_complex(g->views.at[step->views[k]].dtype)) return false;
    return step->n_in <= MOST_INPUTS;
}

/* The number of tensor k of the step in the draft. */
static int add_tensor(const stria_graph_form *g, draft *d, const stria_graph_step *step, int k)
{
    const stria_buffer *b = &g->buffers.at[get_buffer(g, step->views[k])];
    return is_number(g, step->views[k]) ? add_constant(d, stria_graph_get_number(b->tensor))
                                        : add_input(d, step->views[k]);
}

static draft *draft_step(const stria_graph_form *g, const stria_graph_step *step)
{
    const stria_expression *e = stria_graph_step_get_expression(step);
    draft                  *d =
        e == NULL ? draft_new(step->n_in, step->n_in, 1) : draft_new(e->n_in, e->n_in + e->n_constants, e->n_code);

    if (d == NULL) return NULL;
    if (e == NULL) {
        d->code[0].op = step->row < STRIA_OP_COUNT ? (stria_op)step->row
                                                   : STRIA_CONVERT(((const stria_to_attrs *)step->attrs)->dtype);
        for (int k = 0; k < step->n_in; k++) d->code[0].in[k] = add_tensor(g, d, step, k);
        d->n_code = 1;
        return d;
    }
    for (int i = 0; i < e->n_code; i++) {
        d->code[i].op = e->code[i].op;
        for (int k = 0; k < stria_instruction_get_arity(&e->code[i]); k++) {
            const int v = e->code[i].in[k];
            d->code[i].in[k] = v < e->n_in                    ? add_tensor(g, d, step, v)
                               : v < e->n_in + e->n_constants ? add_constant(d, e->constants[v - e->n_in])
                                                              : CODE_AT + v - e->n_in - e->n_constants;
        }
    }
    d->n_code = e->n_code;
    return d;
}

/* ---------------------------------------------------------------- taking */

static int move_value(draft *to, const draft *from, int value, int code_at)
{
    if (value >= CODE_AT) return value + code_at;
    if (value >= CONSTANTS_AT) return add_constant(to, from->constants[value - CONSTANTS_AT]);
    return add_input(to, from->in[value]);
}

/* The value of `both` that input v of d is: what `taken` computes for `view`, or stores, or another input. */
static int find_value(draft *both, const draft *d, const draft *taken, int view, int v)
{
    if (v >= CONSTANTS_AT) return move_value(both, d, v, taken->n_code);
    if (d->in[v] == view) return CODE_AT + taken->n_code - 1;
    for (int k = 0; k < taken->n_stored; k++)
        if (taken->stored[k].view == d->in[v]) return taken->stored[k].value;
    return add_input(both, d->in[v]);
}

/* `taken` computes the input `view` of d: both as one. stores: others read that, too. NULL: no memory. */
static draft *join(const draft *d, const draft *taken, int view, bool stores)
{
    int    n_constants = 0;
    draft *both;

    for (int i = 0; i < taken->n_code; i++) n_constants += stria_instruction_get_arity(&taken->code[i]);
    for (int i = 0; i < d->n_code; i++) n_constants += stria_instruction_get_arity(&d->code[i]);
    both = draft_new(d->n_in + taken->n_in, n_constants, d->n_code + taken->n_code);
    if (both == NULL) return NULL;
    both->has_taken = true;
    for (int i = 0; i < taken->n_code; i++) {
        both->code[i].op = taken->code[i].op;
        for (int k = 0; k < stria_instruction_get_arity(&taken->code[i]); k++)
            both->code[i].in[k] = move_value(both, taken, taken->code[i].in[k], 0);
    }
    for (int i = 0; i < d->n_code; i++) {
        stria_instruction *to = &both->code[taken->n_code + i];
        to->op = d->code[i].op;
        for (int k = 0; k < stria_instruction_get_arity(to); k++)
            to->in[k] = find_value(both, d, taken, view, d->code[i].in[k]);
    }
    for (int k = 0; k < taken->n_stored; k++) both->stored[both->n_stored++] = taken->stored[k];
    if (stores) both->stored[both->n_stored++] = (stored){CODE_AT + taken->n_code - 1, view};
    for (int k = 0; k < d->n_stored; k++)
        both->stored[both->n_stored++] = (stored){d->stored[k].value + taken->n_code, d->stored[k].view};
    both->n_code = d->n_code + taken->n_code;
    return both;
}

static bool has_same_shape(const stria_graph_view *a, const stria_graph_view *b)
{
    return a->ndim == b->ndim && memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof *a->sizes) == 0;
}

/* Whether step m, or what it has taken, looks at the buffer. */
static bool mentions(const fusion *f, int m, int buffer)
{
    const stria_graph_step *step = &f->g->steps.at[m];
    const draft            *d = f->drafts[m];

    for (int k = 0; d != NULL && k < d->n_in; k++)
        if (get_buffer(f->g, d->in[k]) == buffer) return true;
    for (int k = 0; k < stria_graph_step_count(step) && !step->is_taken; k++)
        if (step->views[k] >= 0 && get_buffer(f->g, step->views[k]) == buffer) return true;
    return false;
}

/* Whether what step i leaves in a view may be left there by step j as well: nobody looks at it in between, and j only at the view. */
static bool may_leave(const fusion *f, int i, int j, int view)
{
    const int buffer = get_buffer(f->g, view);

    for (int m = i + 1; m < j; m++)
        if (mentions(f, m, buffer)) return false;
    for (int k = 0; k < f->drafts[j]->n_in; k++)
        if (get_buffer(f->g, f->drafts[j]->in[k]) == buffer && f->drafts[j]->in[k] != view) return false;
    return true;
}

static bool is_read_elsewhere(const fusion *f, int j, int view)
{
    const int buffer = get_buffer(f->g, view);
    return f->g->buffers.at[buffer].is_result || f->reader[buffer] != j;
}

/* Whether the results of i that are read elsewhere, `view` among them, can be results of j, too. */
static bool may_store(const fusion *f, int i, int j, int view)
{
    const stria_graph_step *step = &f->g->steps.at[j];
    const draft            *taken = f->drafts[i], *d = f->drafts[j];
    const int               n = taken->n_stored + d->n_stored + is_read_elsewhere(f, j, view);

    if (n == 0) return true;
    if (!step->is_plain || f->g->buffers.at[get_buffer(f->g, step->views[step->n_in])].kind != STRIA_BUFFER_MADE ||
        n >= STRIA_EXPRESSION_MAX_OUTPUTS || taken->n_in + d->n_in + n + 1 > STRIA_EXEC_MAX_OPERANDS ||
        j - i > MOST_BETWEEN || !may_leave(f, i, j, view))
        return false;
    for (int k = 0; k < taken->n_stored; k++)
        if (!may_leave(f, i, j, taken->stored[k].view)) return false;
    return true;
}

/* Why step j does not compute its input `view` itself; NULL: it may. */
static const char *find_end(const fusion *f, int j, int view)
{
    const stria_graph_form *g = f->g;
    const stria_graph_step *step = &g->steps.at[j];
    const int               buffer = get_buffer(g, view), i = f->writer[buffer];
    const stria_buffer     *b = &g->buffers.at[buffer];

    if (b->kind != STRIA_BUFFER_MADE) return "it is not made by a step";
    if (i == -2) return "several steps write to it";
    if (i < 0 || i >= j) return "nothing has written to it";
    if (f->drafts[i] == NULL)
        return stria_graph_step_get_expression(&g->steps.at[i]) != NULL
                   ? "the group that makes it has several results"
                   : "what makes it is not element-wise, or complex";
    if (f->drafts[j] == NULL) return "what reads it is not element-wise, or complex";
    const stria_graph_step *maker = &g->steps.at[i];
    const int               out = step->views[step->n_in];
    if (!maker->is_plain) return "it is rounded to the dtype of the tensor that was given for it";
    if (maker->views[maker->n_in] != view) return "another view of it is read than was written";
    if (!has_same_shape(&g->views.at[view], &g->views.at[out])) return "the result has another shape";
    if (f->drafts[i]->n_code + f->drafts[j]->n_code > MOST_CODE ||
        f->drafts[i]->n_in + f->drafts[j]->n_in > MOST_INPUTS)
        return "the group would be too large";
    for (int k = 0; k < f->drafts[j]->n_in; k++)
        if (f->drafts[j]->in[k] != view && get_buffer(g, f->drafts[j]->in[k]) == buffer)
            return "another view of it is read, too";
    for (int k = 0; k < f->drafts[i]->n_in; k++) {
        const int read = f->drafts[i]->in[k];
        if (f->last_write[get_buffer(g, read)] > i || (get_buffer(g, read) == get_buffer(g, out) && read != out))
            return "what it is made of is written to before the result";
    }
    if (!may_store(f, i, j, view))
        return b->is_result ? "it is a result of the graph, too"
                            : "several steps read it, or its group has several results";
    return NULL;
}

static stria_status take_inputs(fusion *f, int j, stria_error *err)
{
    for (int k = 0; k < f->drafts[j]->n_in;) {
        const int view = f->drafts[j]->in[k];
        if (find_end(f, j, view) != NULL) {
            k++;
            continue;
        }
        const int i = f->writer[get_buffer(f->g, view)];
        draft    *both = join(f->drafts[j], f->drafts[i], view, is_read_elsewhere(f, j, view));
        if (both == NULL) return stria_graph_refuse_memory(err);
        stria_object_release(f->drafts[i]);
        stria_object_release(f->drafts[j]);
        f->drafts[i] = NULL;
        f->drafts[j] = both;
        for (int n = 0; n < both->n_in; n++) /* what the one read, the other reads now */
            if (f->reader[get_buffer(f->g, both->in[n])] == i) f->reader[get_buffer(f->g, both->in[n])] = j;
        f->g->steps.at[i].is_taken = true;
        k = 0;
    }
    return STRIA_OK;
}

/* ---------------------------------------------------------------- steps */

/* The expression of a draft as a step. */
static stria_status end_step(const draft *d, stria_graph_step *step, stria_error *err)
{
    const size_t views = ((size_t)(d->n_in + 1 + d->n_stored) * sizeof(int) + 7) / 8 * 8;
    char        *block = stria_object_new(views + sizeof(stria_expression_attrs));

    if (block == NULL) return stria_graph_refuse_memory(err);
    for (int i = 0; i < d->n_code; i++)
        for (int k = 0; k < stria_instruction_get_arity(&d->code[i]); k++) {
            int *v = &d->code[i].in[k];
            *v = *v >= CODE_AT        ? d->n_in + d->n_constants + *v - CODE_AT
                 : *v >= CONSTANTS_AT ? d->n_in + *v - CONSTANTS_AT
                                      : *v;
        }
    stria_expression  *program;
    const stria_status status =
        stria_expression_new(d->n_in, d->constants, d->n_constants, d->code, d->n_code, &program, err);
    if (status != STRIA_OK) {
        stria_object_release(block);
        return status;
    }
    stria_graph_step fused = {.row = STRIA_ROW_EXPRESSION,
                              .n_in = d->n_in,
                              .n_out = 1 + d->n_stored,
                              .is_new = step->is_new,
                              .is_plain = step->is_plain,
                              .is_owner = true};
    fused.views = (int *)(void *)block;
    fused.attrs = block + views;
    memcpy(fused.views, d->in, (size_t)d->n_in * sizeof(int));
    fused.views[d->n_in] = step->views[step->n_in];
    for (int k = 0; k < d->n_stored; k++) {
        fused.views[d->n_in + 1 + k] = d->stored[k].view;
        program->out[program->n_out++] = d->n_in + d->n_constants + d->stored[k].value - CODE_AT;
    }
    ((stria_expression_attrs *)fused.attrs)->program = program;
    stria_graph_step_end(step);
    *step = fused;
    return STRIA_OK;
}

stria_status stria_graph_step_to_expression(const stria_graph_form *g, stria_graph_step *step, stria_error *err)
{
    if (step->row >= STRIA_OP_COUNT || !is_element_wise(g, step)) return STRIA_OK;
    draft *d = draft_step(g, step);
    if (d == NULL) return stria_graph_refuse_memory(err);
    const stria_status status = end_step(d, step, err);
    stria_object_release(d);
    return status;
}

static void note_uses(fusion *f)
{
    const stria_graph_form *g = f->g;

    for (int k = 0; k < g->buffers.n; k++) f->writer[k] = f->reader[k] = f->last_write[k] = -1;
    for (int i = 0; i < g->steps.n; i++) {
        const stria_graph_step *step = &g->steps.at[i];
        for (int k = 0; k < step->n_in + step->n_list + step->n_out; k++) {
            if (step->views[k] < 0) continue;
            const int b = get_buffer(g, step->views[k]);
            int      *at = stria_graph_step_writes(step, k) ? &f->writer[b] : &f->reader[b];
            *at = *at == -1 || (*at == i && at == &f->reader[b]) ? i : -2;
        }
    }
}

static void note_writes(const fusion *f, int j)
{
    const stria_graph_step *step = &f->g->steps.at[j];

    for (int k = 0; k < stria_graph_step_count(step); k++)
        if (step->views[k] >= 0 && stria_graph_step_writes(step, k))
            f->last_write[get_buffer(f->g, step->views[k])] = j;
}

/* What was stored for readers that have become part of the same group is not. */
static void leave_out_stores(const fusion *f)
{
    const stria_graph_form *g = f->g;

    for (int k = 0; k < g->buffers.n; k++) f->reader[k] = g->buffers.at[k].is_result ? 0 : -1;
    for (int j = 0; j < g->steps.n; j++) {
        const stria_graph_step *step = &g->steps.at[j];
        const draft            *d = f->drafts[j];
        for (int k = 0; d != NULL && k < d->n_in; k++) f->reader[get_buffer(g, d->in[k])] = j;
        for (int k = 0; d == NULL && !step->is_taken && k < step->n_in + step->n_list; k++)
            if (step->views[k] >= 0) f->reader[get_buffer(g, step->views[k])] = j;
    }
    for (int j = 0; j < g->steps.n; j++) {
        draft *d = f->drafts[j];
        int    n = 0;
        for (int k = 0; d != NULL && k < d->n_stored; k++)
            if (f->reader[get_buffer(g, d->stored[k].view)] >= 0) d->stored[n++] = d->stored[k];
        if (d != NULL) d->n_stored = n;
    }
}

static stria_status fuse(fusion *f, stria_error *err)
{
    stria_graph_form *g = f->g;

    for (int j = 0; j < g->steps.n; j++) {
        stria_graph_step *step = &g->steps.at[j];
        if (is_element_wise(g, step)) {
            f->drafts[j] = draft_step(g, step);
            if (f->drafts[j] == NULL) return stria_graph_refuse_memory(err);
            STRIA_TRY(take_inputs(f, j, err));
        }
        note_writes(f, j);
    }
    leave_out_stores(f);
    for (int j = 0; j < g->steps.n; j++)
        if (f->drafts[j] != NULL && f->drafts[j]->has_taken) STRIA_TRY(end_step(f->drafts[j], &g->steps.at[j], err));
    for (int j = 0; j < g->steps.n; j++)
        if (g->steps.at[j].is_taken) stria_graph_step_end(&g->steps.at[j]);
    stria_graph_form_pack(g);
    return STRIA_OK;
}

static stria_status begin(fusion *f, stria_graph_form *g, stria_error *err)
{
    const size_t n_steps = (size_t)g->steps.n, n_buffers = (size_t)g->buffers.n;
    char        *room = stria_object_new(n_steps * sizeof(draft *) + 3 * n_buffers * sizeof(int) + 8);

    if (room == NULL) return stria_graph_refuse_memory(err);
    *f = (fusion){.g = g, .drafts = (draft **)(void *)room, .n = n_steps};
    f->writer = (int *)(void *)(room + n_steps * sizeof(draft *));
    f->reader = f->writer + n_buffers;
    f->last_write = f->reader + n_buffers;
    note_uses(f);
    return STRIA_OK;
}

static void end(const fusion *f)
{
    for (size_t j = 0; j < f->n; j++) stria_object_release(f->drafts[j]);
    stria_object_release(f->drafts);
}

stria_status stria_graph_fuse(stria_graph_form *g, stria_error *err)
{
    fusion f;

    STRIA_TRY(begin(&f, g, err));
    const stria_status status = fuse(&f, err);
    end(&f);
    return status;
}

stria_status stria_graph_find_ends(const stria_graph_form *planned, const char **ends, stria_error *err)
{
    fusion       f;
    stria_status status = begin(&f, (stria_graph_form *)(uintptr_t)planned, err); /* only read */

    if (status != STRIA_OK) return status;
    for (int j = 0; j < planned->steps.n && status == STRIA_OK; j++) {
        const stria_graph_step *step = &planned->steps.at[j];
        if (is_element_wise(planned, step) && (f.drafts[j] = draft_step(planned, step)) == NULL)
            status = stria_graph_refuse_memory(err);
        for (int k = 0; k < stria_graph_step_count(step) && status == STRIA_OK; k++)
            *ends++ = step->views[k] >= 0 && k < step->n_in + step->n_list ? find_end(&f, j, step->views[k]) : NULL;
        note_writes(&f, j);
    }
    end(&f);
    return status;
}
