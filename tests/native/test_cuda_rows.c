/* test_cuda_rows.c - CUDA has the rows of functions.def that the CPU has, and docs/cuda.md lists them. With --write it is made to. */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

#if defined(__EMSCRIPTEN__)
SUITE(test_cuda_rows)
{
    printf("test_cuda_rows: SKIPPED (no plug-ins in this build)\n0 passed, 0 failed, 1 skipped\n");
    return 77;
}
#else
#include "call/backend.h"

#define PAGE "docs/cuda.md"
#define BEGIN "test_cuda_rows --write -->\n"
#define END "<!-- end of rows -->"

static int compare(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* "`arange` `contiguous` ..", in lines of at most 120 characters. */
static void print_rows(char *text, size_t size)
{
    const char *names[STRIA_FN_COUNT];
    int         n = 0;
    size_t      at = 0, line = 0;

    for (int k = 0; k < STRIA_FN_COUNT; k++)
        if (stria_backend_cuda.impl[k] != NULL) names[n++] = stria_row_get_name(STRIA_ROW_OF_FUNCTION(k));
    qsort(names, (size_t)n, sizeof *names, compare);
    for (int k = 0; k < n; k++) {
        const bool is_first = k == 0 || at - line + strlen(names[k]) + 3 > 120;
        if (is_first) line = at + (k > 0);
        at += (size_t)snprintf(text + at, size - at, "%s`%s`", k == 0 ? "" : is_first ? "\n" : " ", names[k]);
    }
    snprintf(text + at, size - at, "\n");
}

SUITE(test_cuda_rows)
{
    static char page[1 << 16], rows[1 << 14];
    FILE       *file = fopen(PAGE, "rb");

    for (int k = 0; k < STRIA_FN_COUNT; k++)
        CHECK(stria_backend_cpu.impl[k] == NULL || stria_backend_cuda.impl[k] != NULL, "CUDA has no %s",
              stria_row_get_name(STRIA_ROW_OF_FUNCTION(k)));
    print_rows(rows, sizeof rows);
    CHECK(file != NULL, PAGE " is not there");
    if (file == NULL) return check_finish("test_cuda_rows");
    page[fread(page, 1, sizeof page - 1, file)] = 0;
    fclose(file);
    char *begin = strstr(page, BEGIN), *end = strstr(page, END);
    CHECK(begin != NULL && end != NULL, PAGE " has no place for the rows");
    if (begin == NULL || end == NULL) return check_finish("test_cuda_rows");
    begin += strlen(BEGIN);
    if (argc > 1 && strcmp(argv[1], "--write") == 0) {
        file = fopen(PAGE, "wb");
        CHECK(file != NULL, PAGE " cannot be written");
        if (file == NULL) return check_finish("test_cuda_rows");
        fprintf(file, "%.*s%s%s", (int)(begin - page), page, rows, end);
        fclose(file);
    } else {
        CHECK((size_t)(end - begin) == strlen(rows) && memcmp(begin, rows, strlen(rows)) == 0,
              PAGE " lists other rows than CUDA has: stria_tests test_cuda_rows --write");
    }
    return check_finish("test_cuda_rows");
}
#endif
