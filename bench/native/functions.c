/* functions.c - a struct of arguments for each row of functions.def, and the two calls that read it (functions.h). */
#include "functions.h"

#include <string.h>

/* A field of the struct. */
#define FIELD_(kind, ...) FIELD_##kind(__VA_ARGS__) FIELD__
#define FIELD__(kind, ...) FIELD_##kind(__VA_ARGS__) FIELD_
#define FIELD__END
#define FIELD___END
#define FIELD_IN(name) stria_tensor *name;
#define FIELD_OPTIONAL FIELD_IN
#define FIELD_OPERAND FIELD_IN
#define FIELD_BASE FIELD_IN
#define FIELD_LIST(name) bench_list name;
#define FIELD_UPDATED FIELD_LIST
#define FIELD_UPDATED_OR_NONE FIELD_LIST
#define FIELD_AXIS(name, usual) int name;
#define FIELD_AXES(name, usual) bench_list name;
#define FIELD_SHAPE FIELD_LIST
#define FIELD_INT_LIST FIELD_LIST
#define FIELD_INT_OR_LIST(name) bench_int_or_list name;
#define FIELD_INTS(name, n, usual) const int64_t *name;
#define FIELD_INT(name, usual) int64_t name;
#define FIELD_NUMBER(name, usual) double name;
#define FIELD_SCALAR(name, usual) stria_scalar name;
#define FIELD_FLAG(name, usual) bool name;
#define FIELD_DTYPE(name) int name;
#define FIELD_DEVICE(name) stria_device name;
#define FIELD_WORD(name, usual, all) const char *name;
#define FIELD_TEXT(name) const char *name;
#define FIELD_GENERATOR(name) stria_generator *name;
#define FIELD_OPTIONS(name)
#define FIELD_ARGUMENTS(name, all)
#define FIELD_OUT(name, dtype) stria_tensor *name;
#define FIELD_INPLACE FIELD_OUT
#define FIELD_VIEW FIELD_OUT

/* Its description. */
#define PLACE(kind, name) {#name, #kind, (int64_t)offsetof(HERE, name)},
#define PLACE_(kind, ...) PLACE_##kind(__VA_ARGS__) PLACE__
#define PLACE__(kind, ...) PLACE_##kind(__VA_ARGS__) PLACE_
#define PLACE__END
#define PLACE___END
#define PLACE_IN(name) PLACE(IN, name)
#define PLACE_OPTIONAL(name) PLACE(OPTIONAL, name)
#define PLACE_OPERAND(name) PLACE(OPERAND, name)
#define PLACE_BASE(name) PLACE(BASE, name)
#define PLACE_LIST(name) PLACE(LIST, name)
#define PLACE_UPDATED(name) PLACE(LIST, name)
#define PLACE_UPDATED_OR_NONE(name) PLACE(LIST, name)
#define PLACE_AXIS(name, usual) PLACE(AXIS, name)
#define PLACE_AXES(name, usual) PLACE(AXES, name)
#define PLACE_SHAPE(name) PLACE(SHAPE, name)
#define PLACE_INT_LIST(name) PLACE(INT_LIST, name)
#define PLACE_INT_OR_LIST(name) PLACE(INT_OR_LIST, name)
#define PLACE_INTS(name, n, usual) PLACE(INTS, name)
#define PLACE_INT(name, usual) PLACE(INT, name)
#define PLACE_NUMBER(name, usual) PLACE(NUMBER, name)
#define PLACE_SCALAR(name, usual) PLACE(SCALAR, name)
#define PLACE_FLAG(name, usual) PLACE(FLAG, name)
#define PLACE_DTYPE(name) PLACE(DTYPE, name)
#define PLACE_DEVICE(name) PLACE(DEVICE, name)
#define PLACE_WORD(name, usual, all) PLACE(WORD, name)
#define PLACE_TEXT(name) PLACE(TEXT, name)
#define PLACE_GENERATOR(name) PLACE(GENERATOR, name)
#define PLACE_OPTIONS(name)
#define PLACE_ARGUMENTS(name, all)
#define PLACE_OUT(name, dtype) PLACE(OUT, name)
#define PLACE_INPLACE(name, dtype) PLACE(INPLACE, name)
#define PLACE_VIEW(name, dtype) PLACE(VIEW, name)

/* The argument of a call. */
#define PASS_(kind, ...) PASS_##kind(__VA_ARGS__) PASS__
#define PASS__(kind, ...) PASS_##kind(__VA_ARGS__) PASS_
#define PASS__END
#define PASS___END
#define PASS_IN(name) a->name,
#define PASS_OPTIONAL PASS_IN
#define PASS_OPERAND PASS_IN
#define PASS_BASE PASS_IN
#define PASS_LIST(name) a->name.at, (int)a->name.n,
#define PASS_UPDATED PASS_LIST
#define PASS_UPDATED_OR_NONE PASS_LIST
#define PASS_AXIS(name, usual) a->name,
#define PASS_AXES(name, usual) a->name.at, (int)a->name.n,
#define PASS_SHAPE PASS_LIST
#define PASS_INT_LIST PASS_LIST
#define PASS_INT_OR_LIST(name) a->name.one, a->name.list.at, (int)a->name.list.n,
#define PASS_INTS(name, n, usual) a->name,
#define PASS_INT PASS_AXIS
#define PASS_NUMBER PASS_AXIS
#define PASS_SCALAR PASS_AXIS
#define PASS_FLAG PASS_AXIS
#define PASS_DTYPE(name) (stria_dtype) a->name,
#define PASS_DEVICE(name) a->name,
#define PASS_WORD(name, usual, all) a->name,
#define PASS_TEXT(name) a->name,
#define PASS_GENERATOR(name) a->name,
#define PASS_OPTIONS(name)
#define PASS_ARGUMENTS(name, all)
#define PASS_OUT(name, dtype) a->name,
#define PASS_INPLACE PASS_OUT
#define PASS_VIEW PASS_OUT

#define MADE_(kind, ...) MADE_##kind(__VA_ARGS__) MADE__
#define MADE__(kind, ...) MADE_##kind(__VA_ARGS__) MADE_
#define MADE__END
#define MADE___END
#define MADE_OUT(name, dtype) &a->name,
#define MADE_INPLACE MADE_OUT
#define MADE_VIEW MADE_OUT

#define STRIA_FN_LIST(name, tensors, attributes, outputs, summary)
#define ROW(row, fill, tensors, attributes, outputs)                                                              \
    typedef struct row##_arguments {                                                                              \
        STRIA_EACH(FIELD, tensors) STRIA_EACH(FIELD, attributes) STRIA_EACH(FIELD, outputs)                       \
    } row##_arguments;                                                                                            \
    static stria_status row##_make(void *arguments, stria_error *err)                                             \
    {                                                                                                             \
        row##_arguments *a = arguments;                                                                           \
        return stria_##row(STRIA_EACH(PASS, tensors) STRIA_EACH(PASS, attributes) STRIA_EACH(MADE, outputs) err); \
    }                                                                                                             \
    static stria_status row##_fill(void *arguments, stria_error *err)                                             \
    {                                                                                                             \
        row##_arguments *a = arguments;                                                                           \
        return fill(STRIA_EACH(PASS, tensors) STRIA_EACH(PASS, attributes) STRIA_EACH(PASS, outputs) err);        \
    }                                                                                                             \
    static const bench_function *row##_describe(void)                                                             \
    {                                                                                                             \
        typedef row##_arguments     HERE;                                                                         \
        static const bench_field    fields[] = {STRIA_EACH(PLACE, tensors) STRIA_EACH(PLACE, attributes)          \
                                                    STRIA_EACH(PLACE, outputs)};                                  \
        static const bench_function function = {#row,       sizeof(HERE), fields, sizeof fields / sizeof *fields, \
                                                row##_make, row##_fill};                                          \
        return &function;                                                                                         \
    }
#define STRIA_FN(row, tensors, attributes, outputs, summary) ROW(row, stria_##row##_out, tensors, attributes, outputs)
#define STRIA_FN_UPDATE(row, tensors, attributes, outputs, summary) ROW(row, stria_##row, tensors, attributes, outputs)
#include "table/functions.def"

const bench_function *bench_function_find(const char *name)
{
#define STRIA_FN_LIST(name, tensors, attributes, outputs, summary)
#define STRIA_FN(row, tensors, attributes, outputs, summary) \
    if (strcmp(name, #row) == 0) return row##_describe();
#include "table/functions.def"
    return NULL;
}
