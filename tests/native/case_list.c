/* case_list.c - the ledger (case_list.h). */
#include "case_list.h"

#include <string.h>

#include "call/meta.h"
#include "oracle.h"

const case_kind case_kinds[] = {
    {"build", "test_iter", 281},
    {"transform", "test_iter", 23},
    {"loops", "test_iter", 11},
    {"for_each", "test_iter", 6},
    {"parallel_reduce", "test_iter", 11},
    {"parallel_for", "test_parallel", 13},
    {"values", "test_values", 73},
    {"sum_exact", "test_values", 17},
    {"result_type", "test_promote", 27},
    {"reduce_meta", "test_meta", 48},
    {"magic_division", "test_cuda_plan", 10},
    {"cuda_grid", "test_cuda_plan", 6},
    {"cuda_vec_width", "test_cuda_plan", 9},
    {"cuda_reduce_config", "test_cuda_plan", 10},
};
const int case_kind_count = (int)(sizeof case_kinds / sizeof case_kinds[0]);

const char *const case_exceptions[] = {
    "result_type-025", "result_type-026", "result_type-027", "values-006",    "values-007",    "values-008",
    "values-009",      "values-062",      "sum_exact-001",   "sum_exact-002", "sum_exact-003", "sum_exact-004",
    "sum_exact-005",   "sum_exact-006",   "sum_exact-007",   "sum_exact-008", "sum_exact-009", "sum_exact-010",
    "sum_exact-011",   "sum_exact-012",   "sum_exact-013",   "sum_exact-014", "sum_exact-015", "sum_exact-016",
    "sum_exact-017",   "build-033",       "build-043",
};
const int case_exception_count = (int)(sizeof case_exceptions / sizeof case_exceptions[0]);

/* Words of the cases that are not names of rows. */
static const struct {
    const char *word, *row;
} words[] = {
    {"div_floor", "floor_divide"},
    {"div_trunc", "trunc_divide"},
    {"lshift", "bitwise_left_shift"},
    {"rshift", "bitwise_right_shift"},
    {"pow_scalar", "pow"},
    {"iadd", "add"},
    {"imul", "mul"},
    {"idiv", "div"},
    {"sum_u8", "sum"},
    {"sum_i64", "sum"},
    {"var0", "var"},
    {"var_dim1", "var"},
};

static const char *const functions[] = {
#define STRIA_FN(name, tensors, attributes, outputs, summary) #name,
#include "table/functions.def"
};

case_row case_find_row(const char *word)
{
    case_row row = {0};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].word, word) == 0) word = words[i].row;
    }
    for (int i = 0; i < STRIA_OP_COUNT; i++) {
        if (strcmp(stria_op_infos[i].name, word) != 0) continue;
        row.is_op = true;
        row.op = (stria_op)i;
    }
    for (int i = 0; i < STRIA_RED_COUNT; i++) {
        if (strcmp(stria_reduction_infos[i].name, word) != 0) continue;
        row.is_reduction = true;
        row.reduction = (stria_reduction)i;
    }
    for (int i = 0; i < STRIA_FN_COUNT; i++) {
        if (strcmp(functions[i], word) != 0) continue;
        row.is_function = true;
        row.function = (stria_function)i;
    }
    return row;
}

case_state case_get_state(const json *entry)
{
    const char *id = json_get_string(entry, "id", ""), *kind = json_get_string(entry, "kind", "");
    const char *op = json_get_string(entry, "op", "");

    for (int i = 0; i < case_exception_count; i++) {
        if (strcmp(case_exceptions[i], id) == 0) return CASE_EXCEPTED;
    }
    if (strcmp(kind, "values") != 0 && strcmp(kind, "reduce_meta") != 0) return CASE_RUN;
    const case_row row = case_find_row(op);
    const bool     is_convert = strcmp(op, "convert") == 0;
    return row.is_op || row.is_reduction || row.is_function || is_convert ? CASE_RUN : CASE_NOT_YET;
}

/* Adds a word to a list of them, once. */
static void add_word(char *list, size_t size, const char *word)
{
    const size_t used = strlen(list), n = strlen(word);

    for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word)) {
        if ((at[n] == 0 || at[n] == ' ') && (at == list || at[-1] == ' ')) return;
    }
    snprintf(list + used, size - used, "%s%s", used ? " " : "", word);
}

void case_run_kind(const json *file, const char *kind, case_check *check)
{
    const json *cases = json_get(file, "cases");
    char        missing[512] = "";
    int         states[3] = {0}, expected = 0;

    for (const json *entry = cases != NULL ? cases->first : NULL; entry != NULL; entry = entry->next) {
        if (strcmp(json_get_string(entry, "kind", ""), kind) != 0) continue;
        const case_state state = case_get_state(entry);
        states[state]++;
        if (state != CASE_NOT_YET) check(entry);
        if (state == CASE_NOT_YET) add_word(missing, sizeof missing, json_get_string(entry, "op", "?"));
    }
    for (int i = 0; i < case_kind_count; i++) {
        if (strcmp(case_kinds[i].kind, kind) == 0) expected = case_kinds[i].count;
    }
    printf("  %-15s %3d as specified, %d as docs/semantics.md says", kind, states[CASE_RUN], states[CASE_EXCEPTED]);
    if (missing[0]) printf(", %d not yet an op: %s", states[CASE_NOT_YET], missing);
    printf("\n");
    CHECK(states[0] + states[1] + states[2] == expected, "%d cases of kind %s, expected %d",
          states[0] + states[1] + states[2], kind, expected);
}
