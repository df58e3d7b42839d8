/* rules.h - rules.def as a table: what is known of the derivative of each row. Internal. */
#ifndef STRIA_RULES_H
#define STRIA_RULES_H

#include "autograd/rule.h"

typedef enum stria_rule_kind {
    STRIA_RULE_SILENT,   /* nothing is said; of a composite: its inner calls have derivatives */
    STRIA_RULE_FORMULAS, /* D */
    STRIA_RULE_FUNCTION, /* RULE */
    STRIA_RULE_CONSTANT,
    STRIA_RULE_STOPS,
    STRIA_RULE_CLIPS,
    STRIA_RULE_GEOMETRY
} stria_rule_kind;

typedef stria_term stria_formula_fn(stria_term a, stria_term b, stria_term c, stria_term y, stria_term g);
typedef void       stria_rule_fn(stria_rule_run *run, const void *attrs);

/* When a value is saved: FOR, OF_ALL, OF_VALUES. */
typedef enum stria_rule_when { STRIA_SAVE_ALWAYS, STRIA_SAVE_OF_ALL, STRIA_SAVE_OF_VALUES } stria_rule_when;

/* One FOR(k, X(j)). */
typedef struct stria_rule_save {
    short input; /* k, or STRIA_RULE_ANY */
    char  kind;  /* 'X', 'Y' */
    short index; /* j, or STRIA_RULE_LIST */
    char  when;  /* a stria_rule_when */
} stria_rule_save;
#define STRIA_RULE_ANY (-1)
#define STRIA_RULE_LIST (-2)
#define STRIA_RULE_MAX_SAVES 12

typedef struct stria_rule {
    stria_rule_kind   kind;
    stria_formula_fn *formulas[STRIA_MAX_INPUTS]; /* NULL: that input has no derivative */
    stria_rule_fn    *fn;
    stria_rule_save   saves[STRIA_RULE_MAX_SAVES + 1]; /* the last one has kind 0 */
} stria_rule;

const stria_rule *stria_rule_of(stria_row row);

/* Whether a call with these attributes is one that OF_ALL, or OF_VALUES, is for. Rules ask it, too, before they read what was saved for it. */
bool stria_rule_is_of_all(stria_row row, const void *attrs);
bool stria_rule_is_of_values(stria_row row, const void *attrs);

/* A formula as it was found when it was first needed: which values it mentions, and the expression that it is. Kept for ever. */
typedef struct stria_formula {
    unsigned          mentions;   /* bit k: value k of a b c y g */
    int               is_value;   /* k + 1: the formula is nothing but value k; else 0 */
    stria_expression *expression; /* of the values that it mentions, in their order; NULL: it runs row by row */
} stria_formula;
#define STRIA_VALUE_Y 3
#define STRIA_VALUE_G 4
#define STRIA_N_VALUES 5
stria_status stria_formula_get(stria_row row, int input, const stria_formula **formula, stria_error *err);

#endif
