/* opdump.c - prints the tables (dtypes.def, status.def, devices.def, families.def, ops.def, functions.def) and the promotion table as JSON, for the generators of
 * other languages and of the documentation. A host tool, not part of the library. */
#include <stdio.h>

#include "table/rows.h"
#include "table/schema.h"

/* Strings of the tables hold no control characters. */
static void string_print(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void field_print(const char *name, const char *text)
{
    printf("\"%s\": ", name);
    string_print(text);
}

/* Separates the rows of a list: nothing before the first. */
static void row_begin(int *row) { printf("%s\n    {", (*row)++ ? "," : ""); }

static void dtypes_print(void)
{
    int row = 0;
    printf("  \"dtypes\": [");
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    row_begin(&row);                                                       \
    field_print("word", #word);                                            \
    printf(", \"size\": %d, ", size);                                      \
    field_print("category", #category);                                    \
    printf(", ");                                                          \
    field_print("js", js);                                                 \
    printf(", ");                                                          \
    field_print("npy", npy);                                               \
    printf(", ");                                                          \
    field_print("summary", summary);                                       \
    putchar('}');
#include "table/dtypes.def"
    printf("\n  ],\n");
}

static void statuses_print(void)
{
    int row = 0;
    printf("  \"statuses\": [");
#define STRIA_STATUS(name, number, js_class, text) \
    row_begin(&row);                               \
    field_print("name", #name);                    \
    printf(", \"number\": %d, ", number);          \
    field_print("class", #js_class);               \
    printf(", ");                                  \
    field_print("text", text);                     \
    putchar('}');
#include "base/status.def"
    printf("\n  ],\n");
}

static void devices_print(void)
{
    int row = 0;
    printf("  \"devices\": [");
#define STRIA_DEVICE_TYPE(name, ENUM, most, summary) \
    row_begin(&row);                                 \
    field_print("name", #name);                      \
    printf(", \"most\": %d, ", most);                \
    field_print("summary", summary);                 \
    putchar('}');
#include "table/devices.def"
    printf("\n  ],\n");
}

static void families_print(void)
{
    int row = 0;
    printf("  \"families\": [");
#define STRIA_FAMILY_ROW(word, title) \
    row_begin(&row);                  \
    field_print("word", #word);       \
    printf(", ");                     \
    field_print("title", title);      \
    putchar('}');
#include "table/families.def"
    printf("\n  ],\n");
}

/* Of the row that follows; what is no word of families.def does not compile. */
#define STRIA_FAMILY_ROW(word, title) static const char family_##word[] = #word;
#include "table/families.def"
static const char *family;

static void family_print(void)
{
    field_print("family", family);
    printf(", ");
}

static void ops_print(void)
{
    static const char *const complex_words[] = {"NONE", "PAIR", "PART", "TRUTH"};
    int                      row = 0;
    printf("  \"ops\": [");
#define STRIA_FAMILY(word) family = family_##word;
#define STRIA_OP(set, name, arity, result, lanes, summary)                                          \
    row_begin(&row);                                                                                \
    field_print("name", #name);                                                                     \
    printf(", \"arity\": %d, \"numbers\": %d, ", arity, stria_op_infos[STRIA_OP_##name].n_numbers); \
    family_print();                                                                                 \
    field_print("set", #set);                                                                       \
    printf(", ");                                                                                   \
    field_print("result", #result);                                                                 \
    printf(", ");                                                                                   \
    field_print("complex", complex_words[stria_complex_rules[STRIA_OP_##name]]);                    \
    printf(", ");                                                                                   \
    field_print("summary", summary);                                                                \
    putchar('}');
#include "table/ops.def"
    printf("\n  ],\n");
}

static void reductions_print(void)
{
    int row = 0;
    printf("  \"reductions\": [");
#define STRIA_FAMILY(word) family = family_##word;
#define STRIA_RED(set, name, result, identity, combine, finish, summary) \
    row_begin(&row);                                                     \
    family_print();                                                      \
    field_print("name", #name);                                          \
    printf(", ");                                                        \
    field_print("set", #set);                                            \
    printf(", ");                                                        \
    field_print("result", #result);                                      \
    printf(", ");                                                        \
    field_print("identity", #identity);                                  \
    printf(", ");                                                        \
    field_print("summary", summary);                                     \
    putchar('}');
#include "table/ops.def"
    printf("\n  ],\n");
}

/* One part of a row: an array of parameters. */
static void params_print(const char *name, const stria_param *params, int n)
{
    printf(", \"%s\": [", name);
    for (int k = 0; k < n; k++) {
        printf("%s{", k ? ", " : "");
        field_print("kind", params[k].kind_name);
        printf(", ");
        field_print("name", params[k].name);
        if (params[k].usual) {
            printf(", ");
            field_print(params[k].kind >= STRIA_KIND_OUT ? "dtype" : "usual", params[k].usual);
        }
        if (params[k].words) {
            printf(", ");
            field_print("words", params[k].words);
        }
        if (params[k].n) printf(", \"n\": %d", params[k].n);
        putchar('}');
    }
    putchar(']');
}

/* [STRIA_FN_COUNT] of each function. */
static void families_find(const char **families)
{
#define STRIA_FAMILY(word) family = family_##word;
#define STRIA_FN(name, tensors, attributes, outputs, summary) families[STRIA_FN_##name] = family;
#include "table/functions.def"
}

#define PRINTED_(...) #__VA_ARGS__
#define PRINTED(...) PRINTED_(__VA_ARGS__)

/* The parameters in C, and those of the form with existing outputs; NULL where there is none. */
static void prototype_print(stria_function function)
{
    static const char *const prototypes[][2] = {
#define STRIA_FN_LIST(name, tensors, attributes, outputs, summary)                                                   \
    {PRINTED(STRIA_EACH(STRIA_PARAM, tensors) STRIA_EACH(STRIA_PARAM, attributes) STRIA_EACH(STRIA_PARAM, outputs)), \
     NULL},
#define STRIA_FN_UPDATE(name, tensors, attributes, outputs, summary) \
    {PRINTED(STRIA_EACH(STRIA_PARAM, tensors) STRIA_EACH(STRIA_PARAM, attributes)), NULL},
#define STRIA_FN(name, tensors, attributes, outputs, summary)                                                        \
    {PRINTED(STRIA_EACH(STRIA_PARAM, tensors) STRIA_EACH(STRIA_PARAM, attributes) STRIA_EACH(STRIA_PARAM, outputs)), \
     PRINTED(STRIA_EACH(STRIA_PARAM, tensors) STRIA_EACH(STRIA_PARAM, attributes) STRIA_EACH(STRIA_GIVEN, outputs))},
#include "table/functions.def"
    };
    printf(", ");
    field_print("prototype", prototypes[function][0]);
    if (!prototypes[function][1]) return;
    printf(", ");
    field_print("outPrototype", prototypes[function][1]);
}

static void functions_print(void)
{
    static const char *const summaries[] = {
#define STRIA_FN(name, tensors, attributes, outputs, summary) summary,
#include "table/functions.def"
    };
    const char *families[STRIA_FN_COUNT];
    int         row = 0;

    families_find(families);
    printf("  \"functions\": [");
    for (int k = 0; k < STRIA_FN_COUNT; k++) {
        const stria_schema *schema = stria_schema_get((stria_function)k);
        row_begin(&row);
        field_print("name", schema->name);
        printf(", ");
        field_print("family", families[k]);
        printf(", ");
        field_print("summary", summaries[k]);
        params_print("tensors", schema->tensors, schema->n_tensors);
        params_print("attributes", schema->attributes, schema->n_attributes);
        params_print("outputs", schema->outputs, schema->n_outputs);
        prototype_print((stria_function)k);
        putchar('}');
    }
    printf("\n  ],\n");
}

static void promotion_print(void)
{
    printf("  \"promotion\": [");
    for (int a = 0; a < STRIA_DTYPE_COUNT; a++) {
        printf("%s\n    [", a ? "," : "");
        for (int b = 0; b < STRIA_DTYPE_COUNT; b++)
            printf("%s%d", b ? ", " : "", stria_dtype_get_promoted((stria_dtype)a, (stria_dtype)b));
        putchar(']');
    }
    printf("\n  ]\n");
}

int main(void)
{
    printf("{\n");
    field_print("version", STRIA_VERSION);
    printf(",\n");
    dtypes_print();
    statuses_print();
    devices_print();
    families_print();
    ops_print();
    reductions_print();
    functions_print();
    promotion_print();
    printf("}\n");
    return ferror(stdout) != 0 || fflush(stdout) != 0;
}
