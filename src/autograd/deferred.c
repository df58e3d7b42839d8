/* deferred.c - element-wise words of a rule that run later, together: as one expression, when their result is asked for. */
#include "autograd/run.h"
#include "base/alloc.h"
#include "base/error.h"
#include "call/call.h"
#include "table/rows.h"

/* Calls of fewer elements cost less than an expression that is made for them. */
#define LEAST_NUMEL 16384
static int64_t least_numel = LEAST_NUMEL;

void stria_deferred_set_least(int64_t numel) { least_numel = numel >= 0 ? numel : LEAST_NUMEL; }

#define MOST_WORDS 64
#define MOST_INPUTS 16
#define MOST_CONSTANTS 32

struct stria_deferred {
    int n, n_inputs, n_numbers; /* operands that are tensors, numbers */
    struct {
        stria_op   op;
        int        n_in;
        int64_t    numel; /* of its largest operand */
        stria_term in[STRIA_MAX_INPUTS];
    } at[MOST_WORDS];
};

static bool is_deferred(const stria_rule_run *run, stria_term term)
{
    const stria_value *value = stria_value_get(run, term);

    return run->tape == NULL && value->place >= 0 && value->x == NULL && !value->is_number;
}

/* 1 of a number. */
static int64_t get_numel(const stria_rule_run *run, stria_term term)
{
    const stria_value *value = stria_value_get(run, term);

    if (value->is_number) return 1;
    return value->x != NULL ? value->x->numel : run->deferred->at[value->place].numel;
}

/* Tensors are row-major: so is then what words make of them, together or one by one. */
bool stria_deferred_fits(const stria_rule_run *run, const stria_term *in, int n)
{
    bool is_large = false;

    if (run->tape != NULL || run->create_graph || run->status != STRIA_OK || stria_call_is_recorded()) return false;
    for (int k = 0; k < n; k++) {
        const stria_value *value = stria_value_get(run, in[k]);
        if (value->is_number) continue;
        if (is_deferred(run, in[k])) {
            is_large = true;
            continue;
        }
        const stria_tensor *x = value->x;
        if (x == NULL || !stria_tensor_is_contiguous(x) || x->device.type != STRIA_DEVICE_CPU ||
            stria_dtype_is_complex(x->dtype))
            return false;
        is_large |= x->numel >= least_numel;
    }
    const stria_deferred *d = run->deferred;
    return is_large &&
           (d == NULL || (d->n < MOST_WORDS && d->n_inputs + n <= MOST_INPUTS && d->n_numbers + n <= MOST_CONSTANTS));
}

stria_term stria_deferred_add(stria_rule_run *run, stria_op op, const stria_term *in, int n)
{
    stria_deferred *d = run->deferred;

    if (d == NULL) d = run->deferred = stria_object_new(sizeof *d);
    if (d == NULL) {
        stria_rule_fail(run, stria_gradient_fail_memory("backward", run->err));
        return (stria_term){0};
    }
    int64_t numel = 1;
    for (int k = 0; k < n; k++)
        if (get_numel(run, in[k]) > numel) numel = get_numel(run, in[k]);
    for (int k = 0; k < n; k++) /* what is broadcast would be computed again for each element */
        if (get_numel(run, in[k]) < numel) stria_deferred_run(run, in[k]);
    d->at[d->n].op = op;
    d->at[d->n].n_in = n;
    d->at[d->n].numel = numel;
    for (int k = 0; k < n; k++) {
        d->at[d->n].in[k] = in[k];
        if (stria_value_get(run, in[k])->is_number)
            d->n_numbers++;
        else if (!is_deferred(run, in[k]))
            d->n_inputs++;
    }
    return stria_rule_place(run, d->n++);
}

/* ---------------------------------------------------------------- what a result depends on */

/* An expression that is being made. Values are numbered from 0 among inputs, from CONSTANTS among numbers, from CODE among instructions. */
#define CONSTANTS 1000
#define CODE 2000
typedef struct outline {
    stria_rule_run     *run;
    const stria_tensor *in[MOST_INPUTS + MOST_WORDS]; /* of words that have run since, too */
    stria_scalar        constants[MOST_CONSTANTS];
    stria_instruction   code[MOST_WORDS];
    int                 n_in, n_constants, n_code;
    int                 made[MOST_WORDS]; /* instruction of a word, from 1 on */
} outline;

static int add_input(outline *o, const stria_tensor *x)
{
    for (int k = 0; k < o->n_in; k++)
        if (o->in[k] == x) return k;
    o->in[o->n_in] = x;
    return o->n_in++;
}

static int add_constant(outline *o, double number)
{
    o->constants[o->n_constants] = (stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = number};
    return CONSTANTS + o->n_constants++;
}

/* The number of a value; words before it come first. They nest as deep as there are words at most. */
static int add_value(outline *o, stria_term term)
{
    const stria_value *value = stria_value_get(o->run, term);
    stria_instruction  code;

    if (value->is_number) return add_constant(o, value->number);
    if (value->x != NULL) return add_input(o, value->x);
    const int word = value->place;
    if (o->made[word] > 0) return CODE + o->made[word] - 1;
    code.op = o->run->deferred->at[word].op;
    for (int k = 0; k < o->run->deferred->at[word].n_in; k++)
        code.in[k] = add_value(o, o->run->deferred->at[word].in[k]);
    o->code[o->n_code] = code;
    o->made[word] = ++o->n_code;
    return CODE + o->n_code - 1;
}

static int get_number(const outline *o, int value)
{
    if (value >= CODE) return o->n_in + o->n_constants + value - CODE;
    return value >= CONSTANTS ? o->n_in + value - CONSTANTS : value;
}

static stria_status run_together(outline *o, stria_tensor **y, stria_error *err)
{
    stria_expression *e = NULL;

    for (int i = 0; i < o->n_code; i++)
        for (int k = 0; k < stria_op_infos[o->code[i].op].arity; k++)
            o->code[i].in[k] = get_number(o, o->code[i].in[k]);
    STRIA_TRY(stria_expression_new(o->n_in, o->constants, o->n_constants, o->code, o->n_code, &e, err));
    const stria_status status = stria_expression_apply(e, o->in, o->n_in, y, err);
    stria_expression_release(e);
    return status;
}

/* The word by itself: no operand is deferred. */
static stria_status run_alone(stria_rule_run *run, int word, stria_tensor **y)
{
    const stria_tensor *in[STRIA_MAX_INPUTS];
    const int           n = run->deferred->at[word].n_in;

    for (int k = 0; k < n; k++) in[k] = stria_word_take(run, run->deferred->at[word].in[k]);
    return run->status != STRIA_OK ? run->status : stria_apply(run->deferred->at[word].op, in, n, y, run->err);
}

void stria_deferred_run(stria_rule_run *run, stria_term term)
{
    outline       o;
    stria_tensor *y = NULL;

    if (!is_deferred(run, term) || run->status != STRIA_OK) return;
    o.run = run;
    o.n_in = o.n_constants = o.n_code = 0;
    for (int k = 0; k < run->deferred->n; k++) o.made[k] = 0;
    const int word = stria_value_get(run, term)->place;
    add_value(&o, term);
    stria_rule_fail(run, o.n_code > 1 ? run_together(&o, &y, run->err) : run_alone(run, word, &y));
    run->values[term.at].x = y;
    run->values[term.at].is_owned = y != NULL;
}
