/* test_cases.c - every case of tests/data/cases.json is accounted for: run as specified, answered as docs/semantics.md says,
 * or waiting for an op. */
#include <stdlib.h>
#include <string.h>

#include "case_list.h"
#include "oracle.h"

#define CASE_COUNT 545

static char *read_text(const char *path)
{
    FILE  *file = fopen(path, "rb");
    char  *text = calloc(1, 1 << 20);
    size_t n = file != NULL && text != NULL ? fread(text, 1, (1 << 20) - 1, file) : 0;

    CHECK(n > 0, "cannot read %s", path);
    if (file != NULL) fclose(file);
    return text;
}

static void check_kinds(const json *cases)
{
    int states[3] = {0}, all = 0;

    for (int i = 0; i < case_kind_count; i++) {
        int count = 0, of_state[3] = {0};
        for (const json *entry = cases->first; entry != NULL; entry = entry->next) {
            if (strcmp(json_get_string(entry, "kind", ""), case_kinds[i].kind) != 0) continue;
            of_state[case_get_state(entry)]++;
            count++;
        }
        CHECK(count == case_kinds[i].count, "%d cases of kind %s", count, case_kinds[i].kind);
        printf("  %-18s %-14s %3d run, %2d excepted, %2d not yet\n", case_kinds[i].kind, case_kinds[i].program,
               of_state[CASE_RUN], of_state[CASE_EXCEPTED], of_state[CASE_NOT_YET]);
        for (int s = 0; s < 3; s++) states[s] += of_state[s];
        all += count;
    }
    printf("  %-33s %3d run, %2d excepted, %2d not yet\n", "all", states[CASE_RUN], states[CASE_EXCEPTED],
           states[CASE_NOT_YET]);
    CHECK(cases->count == CASE_COUNT && all == CASE_COUNT, "%d cases, %d of known kinds", cases->count, all);
}

/* An exception is a case, and the documentation names it. */
static void check_exceptions(const json *cases, const char *semantics)
{
    for (int i = 0; i < case_exception_count; i++) {
        int found = 0;
        for (const json *entry = cases->first; entry != NULL; entry = entry->next) {
            found += strcmp(json_get_string(entry, "id", ""), case_exceptions[i]) == 0;
        }
        CHECK(found == 1, "%s is %d cases", case_exceptions[i], found);
        CHECK(strstr(semantics, case_exceptions[i]) != NULL, "docs/semantics.md does not name %s", case_exceptions[i]);
    }
}

SUITE(test_cases)
{
    json *file = json_parse_file(CASES_PATH);
    char *semantics = read_text("docs/semantics.md");

    CHECK(file != NULL, "cannot read %s", CASES_PATH);
    if (file != NULL && semantics != NULL) {
        check_kinds(json_get(file, "cases"));
        check_exceptions(json_get(file, "cases"), semantics);
    }
    json_free(file);
    free(semantics);
    return check_finish("test_cases");
}
