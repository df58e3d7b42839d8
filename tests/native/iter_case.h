/* iter_case.h - operands, configuration and expectations of an iterator as JSON, in the format of
 * tests/data/cases.json, which the generator of random cases (tests/fuzz/gen_iter_cases.py) writes as well. */
#ifndef TEST_ITER_CASE_H
#define TEST_ITER_CASE_H

#include "iter.h"
#include "json.h"
#include "tensor/tensor.h"

#define CASE_MAX_OPERANDS 16

typedef struct iter_case {
    const char       *id;
    int               n_operands, n_outputs;
    stria_tensor     *operands[CASE_MAX_OPERANDS]; /* NULL: to be allocated */
    bool              is_alias[CASE_MAX_OPERANDS]; /* the same tensor as an earlier operand */
    bool              has_memory;                  /* every operand on the CPU has real memory */
    stria_iter_config config;
} iter_case;

/* Whether the case, or what it expects, needs a dtype that the library does not have. */
bool iter_case_is_foreign(const json *entry);
/* Makes the operands and the configuration (without one: preset reduce_op); ends with iter_case_release. */
void iter_case_new(iter_case *test, const json *entry);
void iter_case_release(iter_case *test);
/* Makes, builds, and checks a case of kind "build", with the further checks of iter_steps.h that it asks for. */
void iter_case_check_build(const json *entry);
/* Checks a list of integers; `what` names it in the failure. */
void iter_case_check_list(const char *id, const char *what, const json *expected, int n, const int64_t *got);
/* The dtype of a word ("f32"), or STRIA_DTYPE_NONE. */
stria_dtype iter_case_get_dtype(const char *word);

#endif
