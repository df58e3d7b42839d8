/* isa.c - see isa.h. */
#include "isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_features.h"

/* The rows of isa.def that /proc/cpuinfo tells of. */
static const struct {
    const char *isa, *words;
} needs[] = {
#define STRIA_ISA(isa, processor, features) {#isa, features},
#include "table/isa.def"
};

/* Whether the text has the word between blanks. */
static bool has_word(const char *text, const char *word)
{
    const size_t n = strlen(word);

    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        if (at > text && (at[-1] == ' ' || at[-1] == '\t') && (at[n] == ' ' || at[n] == '\n' || at[n] == 0))
            return true;
    return false;
}

bool isa_is_listed(const char *isa, const char *cpuinfo)
{
    for (size_t k = 0; k < sizeof needs / sizeof *needs; k++) {
        char words[100], *rest = NULL;
        bool all = true;
        if (strcmp(isa, needs[k].isa) != 0 || needs[k].words[0] == 0) continue;
        snprintf(words, sizeof words, "%s", needs[k].words);
        for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
            all = all && has_word(cpuinfo, word);
        return all;
    }
    return strcmp(isa, "scalar") == 0;
}

bool isa_is_here(const char *isa)
{
#if defined(__EMSCRIPTEN__) /* what the file lists is the host's */
    return strcmp(isa, "scalar") == 0;
#else
    static char text[1 << 14]; /* the first processor's lines and some more */
    FILE       *file = fopen("/proc/cpuinfo", "r");

    if (file == NULL) return strcmp(isa, "scalar") == 0;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
#if defined(__aarch64__)
    if (strncmp(isa, "avx", 3) == 0) return false;
#endif
    return isa_is_listed(isa, text);
#endif
}

bool isa_is_found(const char *isa)
{
#define STRIA_ISA(name, processor, features) \
    if (strcmp(isa, #name) == 0) return stria_cpu_has_##name();
#include "table/isa.def"
    return false;
}

int isa_skip(const char *suite, const char *isa, const char *why)
{
    const bool must = getenv("STRIA_REQUIRE") != NULL && isa != NULL && isa_is_here(isa);

    if (must)
        printf("%s: FAILED: the machine has %s, so STRIA_REQUIRE wants it: %s\n", suite, isa, why);
    else
        printf("%s: %s: %s\n", suite, getenv("STRIA_REQUIRE_ISA") != NULL ? "FAILED" : "SKIPPED", why);
    return must || getenv("STRIA_REQUIRE_ISA") != NULL ? 1 : 77;
}
