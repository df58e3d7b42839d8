/* schema.c - functions.def as data (schema.h). */
#include "table/schema.h"

#include <string.h>

/* The parameters of one part of a row. HERE is the record of its attributes. */
#define P(kind, name, usual, words, n, offset) {#name, #kind, usual, words, STRIA_KIND_##kind, n, offset},
#define OFFSET(name) (int32_t) offsetof(HERE, name)
#define DATA_(kind, ...) DATA_##kind(__VA_ARGS__) DATA__
#define DATA__(kind, ...) DATA_##kind(__VA_ARGS__) DATA_
#define DATA__END
#define DATA___END
#define DATA_IN(name) P(IN, name, NULL, NULL, 0, 0)
#define DATA_OPTIONAL(name) P(OPTIONAL, name, NULL, NULL, 0, 0)
#define DATA_OPERAND(name) P(OPERAND, name, NULL, NULL, 0, 0)
#define DATA_BASE(name) P(BASE, name, NULL, NULL, 0, 0)
#define DATA_LIST(name) P(LIST, name, NULL, NULL, 0, 0)
#define DATA_UPDATED(name) P(UPDATED, name, NULL, NULL, 0, 0)
#define DATA_UPDATED_OR_NONE(name) P(UPDATED_OR_NONE, name, NULL, NULL, 0, 0)
#define DATA_AXIS(name, usual) P(AXIS, name, #usual, NULL, 0, OFFSET(name))
#define DATA_AXES(name, usual) P(AXES, name, #usual, NULL, 0, OFFSET(name))
#define DATA_SHAPE(name) P(SHAPE, name, "REQUIRED", NULL, 0, OFFSET(name))
#define DATA_INT_LIST(name) P(INT_LIST, name, "REQUIRED", NULL, 0, OFFSET(name))
#define DATA_INT_OR_LIST(name) P(INT_OR_LIST, name, "REQUIRED", NULL, 0, OFFSET(name))
#define DATA_INTS(name, n, usual) P(INTS, name, #usual, NULL, n, OFFSET(name))
#define DATA_INT(name, usual) P(INT, name, #usual, NULL, 0, OFFSET(name))
#define DATA_NUMBER(name, usual) P(NUMBER, name, #usual, NULL, 0, OFFSET(name))
#define DATA_SCALAR(name, usual) P(SCALAR, name, #usual, NULL, 0, OFFSET(name))
#define DATA_FLAG(name, usual) P(FLAG, name, #usual, NULL, 0, OFFSET(name))
#define DATA_DTYPE(name) P(DTYPE, name, "NONE", NULL, 0, OFFSET(name))
#define DATA_DEVICE(name) P(DEVICE, name, "NONE", NULL, 0, OFFSET(name))
#define DATA_GENERATOR(name) P(GENERATOR, name, "NONE", NULL, 0, OFFSET(name))
#define DATA_WORD(name, usual, all) P(WORD, name, #usual, all, 0, OFFSET(name))
#define DATA_TEXT(name) P(TEXT, name, "REQUIRED", NULL, 0, OFFSET(name))
#define DATA_OPTIONS(name) P(OPTIONS, name, NULL, NULL, 0, 0)
#define DATA_ARGUMENTS(name, all) P(ARGUMENTS, name, NULL, all, 0, 0)
#define DATA_OUT(name, dtype) P(OUT, name, #dtype, NULL, 0, 0)
#define DATA_INPLACE(name, dtype) P(INPLACE, name, #dtype, NULL, 0, 0)
#define DATA_VIEW(name, dtype) P(VIEW, name, #dtype, NULL, 0, 0)
#define DATA_TENSORS(name, dtype) P(TENSORS, name, #dtype, NULL, 0, 0)

/* A row is a function, so that each can have a HERE of its own. */
#define COUNT(list) (int)(sizeof(list) / sizeof *(list)) - 1
#define STRIA_FN(name, tensors, attributes, outputs, summary)                                            \
    static const stria_schema *get_##name(void)                                                          \
    {                                                                                                    \
        typedef stria_##name##_attrs HERE;                                                               \
        static const stria_param     t[] = {STRIA_EACH(DATA, tensors){0}};                               \
        static const stria_param     a[] = {STRIA_EACH(DATA, attributes){0}};                            \
        static const stria_param     o[] = {STRIA_EACH(DATA, outputs){0}};                               \
        static const stria_schema    row = {#name, t, a, o, COUNT(t), COUNT(a), COUNT(o), sizeof(HERE)}; \
        return &row;                                                                                     \
    }
#include "table/functions.def"

const stria_schema *stria_schema_get(stria_function function)
{
    static const stria_schema *(*const rows[])(void) = {
#define STRIA_FN(name, tensors, attributes, outputs, summary) get_##name,
#include "table/functions.def"
    };
    return rows[function]();
}

int stria_words_find(const char *words, const char *word)
{
    const size_t length = word != NULL ? strlen(word) : 0;

    for (int k = 0; word != NULL; k++) {
        const size_t n = strcspn(words, "|");
        if (n == length && memcmp(words, word, n) == 0) return k;
        if (words[n] == 0) break;
        words += n + 1;
    }
    return -1;
}

void stria_words_get(const char *words, int number, char *word, size_t size)
{
    for (; number > 0 && *words; words++) number -= *words == '|';
    const size_t n = strcspn(words, "|") < size ? strcspn(words, "|") : size - 1;
    memcpy(word, words, n);
    word[n] = 0;
}

bool stria_words_has(const char *words, int number)
{
    for (; number > 0 && *words; words++) number -= *words == '|';
    return number == 0;
}
