/* rules.c - rules.def as a table, and its formulas as expressions. */
#include "autograd/rules.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "autograd/formulas.h"
#include "autograd/run.h"
#include "base/alloc.h"
#include "base/error.h"
#include "table/rows.h"

/* ---------------------------------------------------------------- functions of the lines */

#define D(row, input, formula)                                                                                      \
    static stria_term formula_##row##_##input(stria_term a, stria_term b, stria_term c, stria_term y, stria_term g) \
    {                                                                                                               \
        (void)a, (void)b, (void)c, (void)y, (void)g;                                                                \
        return formula;                                                                                             \
    }
#define RULE(row, ...) \
    RULE_FN(row);      \
    static void run_##row(stria_rule_run *run, const void *attrs) { stria_rule_##row(run, attrs); }
#include "autograd/rules.def"

/* ---------------------------------------------------------------- the table */

/* The number of each row by its name. */
enum {
#define STRIA_OP(set, name, arity, result, lanes, summary) ROW_##name = STRIA_ROW_OF_OP(STRIA_OP_##name),
#define STRIA_RED(set, name, result, identity, combine, finish, summary) \
    ROW_##name = STRIA_ROW_OF_REDUCTION(STRIA_RED_##name),
#include "table/ops.def"
#define STRIA_FN(name, tensors, attributes, outputs, summary) ROW_##name = STRIA_ROW_OF_FUNCTION(STRIA_FN_##name),
#define STRIA_FN_OP(name, tensors, attributes, outputs, summary)
#include "table/functions.def"
};

enum { INPUT_a, INPUT_b, INPUT_c };
#define ANY STRIA_RULE_ANY
#define LIST STRIA_RULE_LIST
#define NONE \
    {        \
        0    \
    }
#define FOR(k, value)               \
    {                               \
        k, value, STRIA_SAVE_ALWAYS \
    }
#define OF_ALL(k, value)            \
    {                               \
        k, value, STRIA_SAVE_OF_ALL \
    }
#define OF_VALUES(k, value)            \
    {                                  \
        k, value, STRIA_SAVE_OF_VALUES \
    }
#undef X
#undef Y
#define X(j) 'X', j
#define Y(j) 'Y', j
#define D(row, input, formula) \
    [ROW_##row].kind = STRIA_RULE_FORMULAS, [ROW_##row].formulas[INPUT_##input] = formula_##row##_##input,
#define RULE(row, ...) [ROW_##row] = {.kind = STRIA_RULE_FUNCTION, .fn = run_##row, .saves = {__VA_ARGS__}},
#define CONSTANT(row) [ROW_##row] = {.kind = STRIA_RULE_CONSTANT},
#define STOPS(row) [ROW_##row] = {.kind = STRIA_RULE_STOPS},
#define CLIPS(row) [ROW_##row] = {.kind = STRIA_RULE_CLIPS},
#define GEOMETRY(row) [ROW_##row] = {.kind = STRIA_RULE_GEOMETRY},
#pragma GCC diagnostic  push
#pragma GCC diagnostic  ignored "-Woverride-init" /* of a row with several D: its kind again */
#pragma GCC diagnostic  ignored "-Wmissing-field-initializers"
static const stria_rule rules[STRIA_ROW_OF_FUNCTION(STRIA_FN_COUNT)] = {
#include "autograd/rules.def"
};
#pragma GCC diagnostic pop
#undef ANY
#undef LIST
#undef NONE
#undef FOR
#undef OF_ALL
#undef OF_VALUES
#undef X
#undef Y

static const stria_rule silent = {.kind = STRIA_RULE_SILENT};

const stria_rule *stria_rule_of(stria_row row)
{
    return row >= 0 && row < STRIA_ROW_OF_FUNCTION(STRIA_FN_COUNT) ? &rules[row] : &silent;
}

/* ---------------------------------------------------------------- calls that lines of saves are for */

/* The attribute of this name and kind, an int; NULL: the row has none. */
static const int *find_attribute(stria_row row, const void *attrs, const char *name, int kind,
                                 const stria_param **param)
{
    if (row < STRIA_ROW_OF_FUNCTION(0) || row >= STRIA_ROW_EXPRESSION) return NULL;
    const stria_schema *schema = stria_schema_get((stria_function)(row - STRIA_ROW_OF_FUNCTION(0)));
    for (int k = 0; k < schema->n_attributes; k++) {
        *param = &schema->attributes[k];
        if ((*param)->kind == kind && strcmp((*param)->name, name) == 0)
            return (const int *)(const void *)((const char *)attrs + (*param)->offset);
    }
    return NULL;
}

bool stria_rule_is_of_all(stria_row row, const void *attrs)
{
    const stria_param *param;
    const int         *axis = find_attribute(row, attrs, "dim", STRIA_KIND_AXIS, &param);

    return axis == NULL || *axis == STRIA_AXIS_NONE;
}

bool stria_rule_is_of_values(stria_row row, const void *attrs)
{
    const stria_param *param;
    const int         *reduce = find_attribute(row, attrs, "reduce", STRIA_KIND_WORD, &param);
    char               word[16];

    if (reduce == NULL) return true;
    stria_words_get(param->words, *reduce, word, sizeof word);
    return strcmp(word, "sum") != 0 && strcmp(word, "mean") != 0;
}

/* ---------------------------------------------------------------- formulas */

static stria_formula *_Atomic formulas[STRIA_OP_COUNT][STRIA_MAX_INPUTS];

/* The number of a value of the tape in an expression of the values that are mentioned. */
static int get_number(const stria_tape *tape, const int *place, int n_in, int at)
{
    if (at >= STRIA_TAPE_CODE_AT) return n_in + tape->n_constants + at - STRIA_TAPE_CODE_AT;
    return at >= STRIA_TAPE_CONSTANT_AT ? n_in + at - STRIA_TAPE_CONSTANT_AT : place[at];
}

/* The tape as an expression; none where one call does it, too. */
static stria_status new_expression(stria_tape *tape, stria_expression **expression, stria_error *err)
{
    stria_scalar constants[STRIA_TAPE_CONSTANTS];
    int          place[STRIA_N_VALUES], n_in = 0;

    if (tape->is_unfit || tape->n_code < 2) return STRIA_OK;
    for (int k = 0; k < STRIA_N_VALUES; k++) {
        place[k] = n_in;
        n_in += tape->mentions >> k & 1;
    }
    for (int k = 0; k < tape->n_constants; k++)
        constants[k] = (stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = tape->constants[k]};
    for (int k = 0; k < tape->n_code; k++)
        for (int i = 0; i < stria_op_infos[tape->code[k].op].arity; i++)
            tape->code[k].in[i] = get_number(tape, place, n_in, tape->code[k].in[i]);
    return stria_expression_new(n_in, constants, tape->n_constants, tape->code, tape->n_code, expression, err);
}

/* Runs the formula on places of a tape. */
static stria_status make_formula(stria_formula_fn *fn, stria_formula *formula, stria_error *err)
{
    stria_tape     tape;
    stria_rule_run run = {.node = NULL, .tape = &tape, .err = err};
    stria_term     at[STRIA_N_VALUES];

    memset(&tape, 0, sizeof tape);
    stria_rule_run_begin(&run);
    for (int k = 0; k < STRIA_N_VALUES; k++) at[k] = stria_rule_place(&run, k);
    const int result = stria_value_get(&run, fn(at[0], at[1], at[2], at[3], at[4]))->place;
    STRIA_TRY(stria_rule_run_end(&run));
    if (result >= 0 && result < STRIA_N_VALUES) {
        tape.mentions |= 1u << result;
        formula->is_value = result + 1;
    }
    if (result != STRIA_TAPE_CODE_AT + tape.n_code - 1) tape.is_unfit = true;
    formula->mentions = tape.mentions;
    return new_expression(&tape, &formula->expression, err);
}

static __attribute__((noinline)) stria_status find_formula(stria_row row, int input, const stria_formula **formula,
                                                           stria_error *err)
{
    stria_formula *made = stria_object_new(sizeof *made), *none = NULL;

    if (made == NULL) return stria_gradient_fail_memory("gradient", err);
    const stria_status status = make_formula(rules[row].formulas[input], made, err);
    *formula = made;
    if (status == STRIA_OK && atomic_compare_exchange_strong(&formulas[row][input], &none, made)) return STRIA_OK;
    *formula = none;
    stria_expression_release(made->expression);
    stria_object_release(made);
    return status;
}

stria_status stria_formula_get(stria_row row, int input, const stria_formula **formula, stria_error *err)
{
    *formula = atomic_load_explicit(&formulas[row][input], memory_order_acquire);
    return *formula != NULL ? STRIA_OK : find_formula(row, input, formula, err);
}
