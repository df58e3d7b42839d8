/* dynamic.h - graphs for many sizes of a dimension. Internal.
 *
 * The same calls are recorded at three sizes. Their saved forms must differ in numbers alone, each of which is a function of the size that the
 * first two tell and the third one confirms: a size + b of whole numbers; of others, with u = a size + b: c / u, u / c, u / (u - c). So the text with
 * these functions in their places is the program of every size: "@a,b", "@/c,a,b", "@*c,a,b", "@:c,a,b" become numbers. It is loaded for a size as a file is, with
 * all checks, but over the tensors, generators and gradients of the first graph. Calls that made views are in the text, too, so that they are made
 * again: what they make must be what the views say.
 */
#ifndef STRIA_COMPILE_DYNAMIC_H
#define STRIA_COMPILE_DYNAMIC_H

#include "base/lock.h"
#include "compile/graph.h"

enum {
    STRIA_DYNAMIC_LEAST = 2, /* 0 and 1 are other calls: what broadcasts, sums of nothing */
    STRIA_DYNAMIC_KEPT = 8   /* graphs of other sizes that are kept */
};

struct stria_graph_dynamic {
    int64_t           sizes[3];
    stria_graph      *others[2]; /* of sizes 1 and 2; owned; the last one is NULL where the program is that of a file */
    char             *text;      /* [nbytes]; owned */
    size_t            nbytes;
    stria_tensor    **held; /* [n_held]: what the text calls them; owned */
    stria_generator **generators;
    stria_generator  *usual; /* of a file: what stands for the default one; owned, or NULL */
    int               n_held, n_generators;
    spin_lock         guard;
    struct {
        int64_t      size;
        stria_graph *graph;
    } kept[STRIA_DYNAMIC_KEPT]; /* the one that was used last comes first */
};

/* The text of three programs of these sizes, in a new buffer; refused with the step that is another one. */
stria_status stria_dynamic_join(char *const texts[3], const int64_t sizes[3], char **text, size_t *nbytes,
                                stria_error *err);
/* The program of a size, in a new buffer. */
stria_status stria_dynamic_put_size(const char *text, size_t nbytes, int64_t size, char **program, size_t *n_program,
                                    stria_error *err);
/* The size that inputs have; -1: they fit no size. */
int64_t stria_dynamic_find_size(const stria_graph *graph, stria_tensor *const *in);
/* The graph of a size, with a reference for the caller. */
stria_status stria_dynamic_get_graph(stria_graph *graph, int64_t size, stria_graph **out, stria_error *err);
/* Whether both are the same program, as they are printed, over the same tensors. */
stria_status stria_dynamic_compare(const stria_graph *a, const stria_graph *b, bool *is_same, stria_error *err);
void         stria_dynamic_release(stria_graph_dynamic *dynamic);

/* The program as it is saved: is_live, of what is in memory. (save.c) A new buffer that ends with 0. */
stria_status stria_graph_print(const stria_graph *graph, stria_graph_dynamic *to, char **text, stria_error *err);
/* A graph from the program of a size, over what `graph` holds. (load.c) */
stria_status stria_graph_load_size(const stria_graph *graph, const char *text, size_t nbytes, stria_graph **out,
                                   stria_error *err);

#endif
