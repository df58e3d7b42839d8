/* case_list.h - tests/data/cases.json as a ledger: which program runs which kind of case, which cases are answered
 * otherwise here, and which wait for an op. test_cases holds it against the file and against docs/semantics.md. */
#ifndef TEST_CASE_LIST_H
#define TEST_CASE_LIST_H

#include "json.h"
#include "stria.h"

/* Where the tests read the cases from. */
#ifndef STRIA_SOURCE_DIR
#define STRIA_SOURCE_DIR "."
#endif
#define CASES_PATH "tests/data/cases.json"

typedef struct case_kind {
    const char *kind, *program;
    int         count;
} case_kind;
extern const case_kind case_kinds[];
extern const int       case_kind_count;

/* Cases whose answer differs here by intent; docs/semantics.md names each of them. */
extern const char *const case_exceptions[];
extern const int         case_exception_count;

typedef enum case_state {
    CASE_RUN,      /* the library must answer as the case says */
    CASE_EXCEPTED, /* it must answer as docs/semantics.md says */
    CASE_NOT_YET   /* there is no such op yet */
} case_state;
case_state case_get_state(const json *entry);

/* The row of a word of the cases ("div_floor", "iadd", "var0") in ops.def or functions.def, if there is one. */
typedef struct case_row {
    bool            is_op, is_reduction, is_function;
    stria_op        op;
    stria_reduction reduction;
    stria_function  function;
} case_row;
case_row case_find_row(const char *word);

/* Calls check for every case of a kind that is run or excepted, prints how many there were and which ops are missing, and
 * checks that the number is the ledger's. */
typedef void case_check(const json *entry);
void         case_run_kind(const json *file, const char *kind, case_check *check);

#endif
