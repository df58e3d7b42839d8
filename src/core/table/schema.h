/* schema.h - the rows of functions.def as data: which parameters a function has, and where its attributes lie. Internal. */
#ifndef STRIA_SCHEMA_H
#define STRIA_SCHEMA_H

#include "stria.h"

typedef enum stria_param_kind {
    STRIA_KIND_IN,
    STRIA_KIND_OPTIONAL,
    STRIA_KIND_OPERAND,
    STRIA_KIND_BASE,
    STRIA_KIND_LIST, /* and those that follow are lists */
    STRIA_KIND_UPDATED,
    STRIA_KIND_UPDATED_OR_NONE,
    STRIA_KIND_AXIS,
    STRIA_KIND_AXES,
    STRIA_KIND_SHAPE,
    STRIA_KIND_INT_LIST,
    STRIA_KIND_INT_OR_LIST,
    STRIA_KIND_INTS,
    STRIA_KIND_INT,
    STRIA_KIND_NUMBER,
    STRIA_KIND_SCALAR,
    STRIA_KIND_FLAG,
    STRIA_KIND_DTYPE,
    STRIA_KIND_DEVICE,
    STRIA_KIND_GENERATOR,
    STRIA_KIND_WORD,
    STRIA_KIND_TEXT,
    STRIA_KIND_OPTIONS,   /* no parameter: what follows is named in languages that name arguments */
    STRIA_KIND_ARGUMENTS, /* no parameter: `words` is the order of the arguments in such languages, "x, dim, index" */
    STRIA_KIND_OUT,
    STRIA_KIND_INPLACE,
    STRIA_KIND_VIEW,
    STRIA_KIND_TENSORS
} stria_param_kind;

/* One parameter of a function. */
typedef struct stria_param {
    const char *name;
    const char *kind_name; /* "AXIS" */
    const char *usual;     /* the row's text: "0", "ALL", "REQUIRED"; of outputs the dtype, "INDEX" */
    const char *words;     /* WORD: "a|b|c" */
    int16_t     kind;      /* a stria_param_kind */
    int16_t     n;         /* INTS: how many */
    int32_t offset; /* of the field in the record of attributes; lists: of the pointer, their length lies behind it */
} stria_param;

/* A row. */
typedef struct stria_schema {
    const char        *name;
    const stria_param *tensors, *attributes, *outputs; /* [n_..], in the order of the row; lists are the last tensors */
    int                n_tensors, n_attributes, n_outputs;
    size_t             attrs_size; /* of the record of attributes */
} stria_schema;

/* Most tensors of a row, beside lists; most lists; most outputs. */
#define STRIA_MAX_TENSORS 5
#define STRIA_MAX_LISTS 5
#define STRIA_MAX_OUTPUTS 4
/* Most whole numbers of an INT_LIST: two for each axis. */
#define STRIA_MAX_INTS (2 * STRIA_MAX_DIMS)

/* Most characters of a TEXT. */
#define STRIA_MAX_TEXT 1024

const stria_schema *stria_schema_get(stria_function function);

/* The number of a word in "a|b|c"; -1 if it is not there, or NULL. */
int stria_words_find(const char *words, const char *word);
/* The word of that number, as much of it as `size` bytes hold. */
void stria_words_get(const char *words, int number, char *word, size_t size);
/* Whether there is a word of that number. */
bool stria_words_has(const char *words, int number);

static inline bool stria_param_is_list(const stria_param *param)
{
    return param->kind >= STRIA_KIND_LIST && param->kind <= STRIA_KIND_UPDATED_OR_NONE;
}

/* Whether it is a list that is written to. */
static inline bool stria_param_is_updated(const stria_param *param)
{
    return param->kind > STRIA_KIND_LIST && param->kind <= STRIA_KIND_UPDATED_OR_NONE;
}

static inline bool stria_schema_has_list(const stria_schema *schema)
{
    return schema->n_tensors > 0 && stria_param_is_list(&schema->tensors[schema->n_tensors - 1]);
}

/* Tensors beside lists: they come first. */
static inline int stria_schema_count_single(const stria_schema *schema)
{
    int n = schema->n_tensors;

    while (n > 0 && stria_param_is_list(&schema->tensors[n - 1])) n--;
    return n;
}

static inline bool stria_schema_makes_list(const stria_schema *schema)
{
    return schema->n_outputs > 0 && schema->outputs[0].kind == STRIA_KIND_TENSORS;
}

/* An FN_UPDATE. */
static inline bool stria_schema_is_update(const stria_schema *schema) { return schema->n_outputs == 0; }

/* Lists among attributes. Borrowed from the caller. */
typedef struct stria_axes {
    const int *at; /* [n]; NULL: all axes; reductions take n = 0 for that, too */
    int        n;
} stria_axes;
typedef struct stria_sizes {
    const int64_t *at; /* [n] */
    int            n;
} stria_sizes;
typedef struct stria_int_or_list {
    int64_t        one; /* where at is NULL */
    const int64_t *at;  /* [n] */
    int            n;
} stria_int_or_list;

/* stria_<name>_attrs, the record of a row's attributes. Fields have the names of the row: an AXES(dim, ALL) is a
 * stria_axes dim. */
#define STRIA_FIELD_(kind, ...) STRIA_FIELD_##kind(__VA_ARGS__) STRIA_FIELD__
#define STRIA_FIELD__(kind, ...) STRIA_FIELD_##kind(__VA_ARGS__) STRIA_FIELD_
#define STRIA_FIELD__END
#define STRIA_FIELD___END
#define STRIA_FIELD_AXIS(name, usual) int name;
#define STRIA_FIELD_AXES(name, usual) stria_axes name;
#define STRIA_FIELD_SHAPE(name) stria_sizes name;
#define STRIA_FIELD_INT_LIST(name) stria_sizes name;
#define STRIA_FIELD_INT_OR_LIST(name) stria_int_or_list name;
#define STRIA_FIELD_INTS(name, n, usual) int64_t name[n];
#define STRIA_FIELD_INT(name, usual) int64_t name;
#define STRIA_FIELD_NUMBER(name, usual) double name;
#define STRIA_FIELD_SCALAR(name, usual) stria_scalar name;
#define STRIA_FIELD_FLAG(name, usual) bool name;
#define STRIA_FIELD_DTYPE(name) stria_dtype name;
#define STRIA_FIELD_DEVICE(name) stria_device name;
#define STRIA_FIELD_GENERATOR(name) stria_generator *name; /* borrowed from the caller; NULL: the default one */
#define STRIA_FIELD_WORD(name, usual, all) int name;       /* its number in `all` */
#define STRIA_FIELD_TEXT(name) const char *name;           /* borrowed from the caller */
#define STRIA_FIELD_OPTIONS(name)
#define STRIA_FIELD_ARGUMENTS(name, all)
#define STRIA_FN(name, tensors, attributes, outputs, summary) \
    typedef struct stria_##name##_attrs {                     \
        STRIA_EACH(STRIA_FIELD, attributes) char none;        \
    } stria_##name##_attrs;
#include "table/functions.def"

/* Room for the record of any row. */
typedef union stria_any_attrs {
#define STRIA_FN(name, tensors, attributes, outputs, summary) stria_##name##_attrs name;
#include "table/functions.def"
} stria_any_attrs;

#endif
