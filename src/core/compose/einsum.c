/* einsum.c - reads the equation of einsum: letters become labels, of which contract.c makes sums of products. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/compose.h"
#include "compose/contract.h"

/* Symbols of an equation: 0 .. 51 are the letters A .. Z, a .. z. */
enum { LETTERS = 52, ELLIPSIS = LETTERS, COMMA, ARROW, END, NO_SYMBOL };

#define MOST_LABELS 64

/* What an equation is for given operands. Labels: those of letters in alphabetical order, then the axes that `...` stands for. */
typedef struct equation {
    const char                *name, *text, *at; /* of the row; `at` is behind the symbol read last */
    const stria_tensor *const *operands;
    int                        n;
    uint64_t                   used, twice;       /* letters in operands; those that occur more than once there */
    int                        n_letters, n_open; /* axes that `...` stands for; -1: there is none */
    int                        label[LETTERS];
    int64_t                    size[MOST_LABELS];
    uint8_t                    out[STRIA_MAX_DIMS];
    int                        n_out;
} equation;

/* ---------------------------------------------------------------- symbols */

static int get_letter(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    return c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1;
}

static char get_char(int letter) { return (char)(letter < 26 ? 'A' + letter : 'a' + letter - 26); }

/* Reads a symbol; *at is where it stands. */
static int next_symbol(equation *e, const char **at)
{
    while (*e->at == ' ') e->at++;
    *at = e->at;
    const int letter = get_letter(*e->at);
    if (letter >= 0) {
        e->at++;
        return letter;
    }
    if (*e->at == 0) return END;
    if (strncmp(e->at, "...", 3) == 0) {
        e->at += 3;
        return ELLIPSIS;
    }
    if (strncmp(e->at, "->", 2) == 0) {
        e->at += 2;
        return ARROW;
    }
    return *e->at == ',' ? (e->at++, COMMA) : NO_SYMBOL;
}

/* ERR_ARGUMENT: "equation at 4: .." */
static stria_status refuse(const equation *e, const char *at, const char *expected, const char *what, stria_error *err)
{
    char got[16];

    if (*at > 32 && *at < 127)
        snprintf(got, sizeof got, "'%c'", *at);
    else if (*at == 0)
        snprintf(got, sizeof got, "the end");
    else
        snprintf(got, sizeof got, "code %d", (unsigned char)*at);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, e->name, "equation", expected, got, "equation at %d, %s: %s",
                           (int)(at - e->text), got, what);
}

/* ---------------------------------------------------------------- the terms of operands */

/* A term: its letters are counted, its `...` widens n_open. */
static stria_status end_term(equation *e, int k, int n_letters, bool is_open, stria_error *err)
{
    char expected[48], got[24], argument[32];

    if (k >= e->n) return STRIA_OK; /* the number of terms is what is wrong */
    const int ndim = e->operands[k]->ndim;
    if (is_open && ndim - n_letters > e->n_open) e->n_open = ndim - n_letters;
    if (is_open ? ndim >= n_letters : ndim == n_letters) return STRIA_OK;
    snprintf(argument, sizeof argument, "operands[%d]", k);
    snprintf(expected, sizeof expected, is_open ? "%d dims or more" : "%d dims", n_letters);
    snprintf(got, sizeof got, "%d", ndim);
    return stria_error_set(err, STRIA_ERR_SHAPE, e->name, argument, expected, got,
                           "%s has %s dims, but its term says %s", argument, got, expected);
}

static stria_status refuse_terms(const equation *e, int n_terms, stria_error *err)
{
    char expected[32], got[32];

    snprintf(expected, sizeof expected, "%d terms", e->n);
    snprintf(got, sizeof got, "%d", n_terms);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, e->name, "equation", expected, got,
                           "equation has terms for %d operands, but there are %d", n_terms, e->n);
}

/* Counts what the terms of operands have; e->at is then behind them. *symbol: ARROW or END. A term that does not fit its operand is
 * refused where the numbers of both agree. */
static stria_status scan_terms(equation *e, int *symbol, stria_error *err)
{
    stria_status status = STRIA_OK;
    int          n_letters = 0, n_terms = 0;
    bool         is_open = false;

    for (;;) {
        const char *at;
        const int   next = next_symbol(e, &at);
        if (next < LETTERS) {
            e->twice |= e->used & UINT64_C(1) << next;
            e->used |= UINT64_C(1) << next;
            n_letters++;
        } else if (next == ELLIPSIS) {
            if (is_open) return refuse(e, at, "one ... in a term", "a second ... in a term", err);
            is_open = true;
        } else if (next == NO_SYMBOL) {
            return refuse(e, at, "a letter, '...', ',' or '->'", "no letter, '...', ',' or '->'", err);
        } else {
            if (status == STRIA_OK) status = end_term(e, n_terms, n_letters, is_open, err);
            n_terms++;
            n_letters = 0;
            is_open = false;
            if (next == COMMA) continue;
            *symbol = next;
            return n_terms == e->n ? status : refuse_terms(e, n_terms, err);
        }
    }
}

static stria_status number_labels(equation *e, stria_error *err)
{
    for (int letter = 0; letter < LETTERS; letter++)
        if (e->used >> letter & 1) e->label[letter] = e->n_letters++;
    if (e->n_letters + (e->n_open > 0 ? e->n_open : 0) <= MOST_LABELS) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, e->name, "equation", "at most 64 different axes", "more",
                           "letters and the axes of ... are more than %d", MOST_LABELS);
}

/* ---------------------------------------------------------------- sizes and labels of operands */

/* The size of axis d of operand k, which has a label. */
static stria_status set_size(equation *e, int k, int d, int label, const char *axis, stria_error *err)
{
    const int64_t size = e->operands[k]->shape[d];
    char          argument[32], expected[48], got[32];

    if (e->size[label] == 1) e->size[label] = size;
    if (size == e->size[label] || size == 1) return STRIA_OK;
    snprintf(argument, sizeof argument, "operands[%d]", k);
    snprintf(expected, sizeof expected, "size %lld", (long long)e->size[label]);
    snprintf(got, sizeof got, "%lld", (long long)size);
    return stria_error_set(err, STRIA_ERR_SHAPE, e->name, argument, expected, got,
                           "axis %d of %s has size %s, but %s has size %lld in another term", d, argument, got, axis,
                           (long long)e->size[label]);
}

static stria_status check_repeated(const equation *e, int k, int d, const stria_labelled *part, stria_error *err)
{
    const stria_tensor *x = e->operands[k];
    char                argument[32], expected[48], got[32];

    for (int before = 0; before < d; before++) {
        if (part->label[before] != part->label[d] || x->shape[before] == x->shape[d]) continue;
        snprintf(argument, sizeof argument, "operands[%d]", k);
        snprintf(expected, sizeof expected, "size %lld", (long long)x->shape[before]);
        snprintf(got, sizeof got, "%lld", (long long)x->shape[d]);
        return stria_error_set(err, STRIA_ERR_SHAPE, e->name, argument, expected, got,
                               "axes %d and %d of %s have one letter, but sizes %lld and %s", before, d, argument,
                               (long long)x->shape[before], got);
    }
    return STRIA_OK;
}

/* Reads the term of operand k again, for the labels of its axes. */
static stria_status read_term(equation *e, int k, stria_labelled *part, stria_error *err)
{
    const stria_tensor *x = e->operands[k];
    const char         *start = e->at, *at;
    char                axis[24];
    int                 n_letters = 0, d = 0;

    for (int next = next_symbol(e, &at); next <= ELLIPSIS; next = next_symbol(e, &at)) n_letters += next < LETTERS;
    e->at = start;
    for (int next = next_symbol(e, &at); next <= ELLIPSIS; next = next_symbol(e, &at)) {
        const int count = next == ELLIPSIS ? x->ndim - n_letters : 1;
        for (int i = 0; i < count; i++, d++) {
            const int open = e->n_open - count + i;
            part->label[d] = (uint8_t)(next == ELLIPSIS ? e->n_letters + open : e->label[next]);
            if (next == ELLIPSIS)
                snprintf(axis, sizeof axis, "axis %d of ...", open);
            else
                snprintf(axis, sizeof axis, "'%c'", get_char(next));
            STRIA_TRY(check_repeated(e, k, d, part, err));
            STRIA_TRY(set_size(e, k, d, part->label[d], axis, err));
        }
    }
    part->x = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the result */

static stria_status add_out(equation *e, int label, stria_error *err)
{
    if (e->n_out == STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, e->name, "equation", "at most 64 dims", "more",
                               "the result has more than %d dims", STRIA_MAX_DIMS);
    e->out[e->n_out++] = (uint8_t)label;
    return STRIA_OK;
}

static stria_status add_open(equation *e, stria_error *err)
{
    for (int k = 0; k < e->n_open; k++) STRIA_TRY(add_out(e, e->n_letters + k, err));
    return STRIA_OK;
}

/* Without an arrow: what `...` stands for, then the letters that occur once. */
static stria_status make_out(equation *e, stria_error *err)
{
    STRIA_TRY(add_open(e, err));
    for (int letter = 0; letter < LETTERS; letter++)
        if ((e->used & ~e->twice) >> letter & 1) STRIA_TRY(add_out(e, e->label[letter], err));
    return STRIA_OK;
}

static stria_status read_out(equation *e, stria_error *err)
{
    uint64_t seen = 0;

    for (;;) {
        const char *at;
        const int   next = next_symbol(e, &at);
        if (next == END) return STRIA_OK;
        if (next > ELLIPSIS) return refuse(e, at, "a letter or '...'", "no letter or '...' of the result", err);
        if (seen >> next & 1) return refuse(e, at, "each once", "a second time in the result", err);
        if (next < LETTERS && !(e->used >> next & 1))
            return refuse(e, at, "a letter of an operand", "no operand has this letter", err);
        seen |= UINT64_C(1) << next;
        if (next == ELLIPSIS)
            STRIA_TRY(add_open(e, err));
        else
            STRIA_TRY(add_out(e, e->label[next], err));
    }
}

static stria_status read_equation(equation *e, stria_labelled *parts, stria_error *err)
{
    int symbol = END;

    STRIA_TRY(scan_terms(e, &symbol, err));
    STRIA_TRY(number_labels(e, err));
    if (symbol == ARROW)
        STRIA_TRY(read_out(e, err));
    else
        STRIA_TRY(make_out(e, err));
    e->at = e->text;
    for (int k = 0; k < e->n; k++) STRIA_TRY(read_term(e, k, &parts[k], err));
    return STRIA_OK;
}

stria_status stria_compose_einsum(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_einsum_attrs *attrs = call->attrs;
    const int                 n = call->n_list;
    equation                  e = {.name = "einsum", .text = attrs->equation, .at = attrs->equation};
    stria_dtype               result;
    stria_labelled           *parts;
    stria_status              status;
    (void)temps;

    e.operands = call->list;
    e.n = n;
    e.n_open = -1;
    for (int label = 0; label < MOST_LABELS; label++) e.size[label] = 1;
    if (n == 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "einsum", "operands", "a tensor or more", "none",
                               "operands is empty");
    STRIA_TRY(stria_contract_infer_dtype(call, call->list, n, &result, err));
    parts = stria_object_new((size_t)n * sizeof *parts);
    if (!parts)
        return stria_error_set(err, STRIA_ERR_MEMORY, "einsum", "operands", NULL, NULL, "no memory for %d views", n);
    status = read_equation(&e, parts, err);
    if (status == STRIA_OK) status = stria_contract(parts, n, e.out, e.n_out, e.size, result, &y[0], err);
    for (int k = 0; k < n; k++) stria_tensor_release(parts[k].x);
    stria_object_release(parts);
    return status;
}
