/* load.h - what is shared by the parts of the reader of saved graphs. Internal. */
#ifndef STRIA_COMPILE_LOAD_H
#define STRIA_COMPILE_LOAD_H

#include "base/error.h"
#include "compile/saved.h"
#include "io/json.h"
#include "stria_safetensors.h"

#define OP STRIA_GRAPH_OP

/* A buffer of the file, and the tensor that it becomes: a symbol, a tensor with elements, a number. Views look at [begin, end). */
typedef struct stria_load_source {
    stria_buffer_kind kind;
    int64_t           value; /* number of the input, of the held tensor; bytes of a MADE one */
    int64_t           begin, end;
    stria_tensor     *base; /* owned; NULL: not made yet */
} stria_load_source;

/* What the attributes of one step lie in. */
enum { MOST_LISTS = 8 };
typedef struct stria_load_attributes {
    stria_any_attrs        any;
    stria_reduce_attrs     reduce;
    stria_expression_attrs expression;
    int64_t                ints[MOST_LISTS][STRIA_MAX_INTS];
    int                    axes[MOST_LISTS][STRIA_MAX_INTS];
    char                   text[STRIA_MAX_TEXT + 1];
    int                    n_lists;
} stria_load_attributes;

typedef STRIA_GROWING(int) stria_load_indices;

typedef struct stria_loading {
    stria_json               json;
    const char              *begin; /* of the JSON */
    const char              *where; /* the member that is read */
    const stria_safetensors *file;
    int64_t                 *held; /* [n_entries]: the entry of each held tensor, or -1 */
    STRIA_GROWING(stria_generator *) generators;
    STRIA_GROWING(stria_load_source) sources;
    STRIA_GROWING(stria_graph_view) views;
    STRIA_GROWING(stria_tensor *) tensors;
    stria_load_indices     places; /* of views: those that are read */
    stria_load_attributes *attrs;
    stria_recording       *recording;
    const stria_graph     *live;   /* whose tensors, generators and gradients it takes; NULL: those of the file */
    stria_generator       *usual;  /* what stands for the default one */
    stria_device           device; /* that it is loaded to */
    stria_error           *err;
} stria_loading;

#define TAKE(taken)                                     \
    do {                                                \
        if (!(taken)) return stria_load_refuse_json(l); \
    } while (0)
#define GROW(array)                                                       \
    do {                                                                  \
        if (!STRIA_GROW(array)) return stria_graph_refuse_memory(l->err); \
    } while (0)

/* What is taken must come next; what is refused is refused with the member that is read. */
stria_status stria_load_refuse(const stria_loading *l, const char *what);
stria_status stria_load_refuse_json(const stria_loading *l);
stria_status stria_load_take_text(stria_loading *l, char *text, size_t size);
stria_status stria_load_take_member(stria_loading *l, const char *name, bool *is_first);
stria_status stria_load_take_end(stria_loading *l, char close, bool *is_first);
stria_status stria_load_take_next(stria_loading *l, bool *is_first);
stria_status stria_load_take_index(stria_loading *l, int64_t least, int64_t most, int *index);
stria_status stria_load_take_views(stria_loading *l, stria_load_indices *to, int least, int *n);
stria_status stria_load_take_ints(stria_loading *l, int64_t *to, int most, int *n);
stria_status stria_load_take_scalar(stria_loading *l, stria_scalar *x);
stria_status stria_load_take_dtype(stria_loading *l, stria_dtype *dtype);
stria_status stria_load_take_row(stria_loading *l, stria_row first, int n, stria_row *row);
stria_status stria_load_take_attributes(stria_loading *l, const stria_schema *schema, char *record);
stria_status stria_load_take_expression(stria_loading *l, int n_in, stria_expression **out);

/* The tensor of view k, which lies over what its buffer has become; owned by the caller. (load.c) */
stria_status stria_load_find_tensor(stria_loading *l, int k, stria_tensor **out);
/* All of them, recorded. (load_steps.c) */
stria_status stria_load_read_steps(stria_loading *l);

#endif
