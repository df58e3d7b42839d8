/* families.h - one call of each family of the library, or several where its paths differ, large enough for threads: for
 * suites of what must hold whatever is called. */
#ifndef STRIA_TEST_FAMILIES_H
#define STRIA_TEST_FAMILIES_H

#include "call/compose.h"
#include "stria.h"
#include "stria_graph.h"

enum { FAMILY_ROWS = 192, FAMILY_COLUMNS = 256, FAMILY_WIDE_ROWS = 400 };

typedef struct family_inputs {
    stria_tensor     *x, *y, *turned;         /* f32 [192, 256]; turned: a transposed view */
    stria_tensor     *half, *whole, *mask;    /* f16, i32, bool [192, 256] */
    stria_tensor     *narrow;                 /* i32 [192, 256], every second column of a wider one */
    stria_tensor     *few;                    /* f32 [20000, 6] */
    stria_tensor     *flat, *half_rows;       /* f32 [150000]; f16 [12, 10000] */
    stria_tensor     *wide;                   /* i64 [400, 256] */
    stria_tensor     *a, *b, *batch;          /* f32 [160, 160], f16 [160, 160], i32 [24, 40, 40] */
    stria_tensor     *tall, *vector;          /* f32 [160, 1200], f16 [160] */
    stria_tensor     *share;                  /* 0-dim: 0.3 */
    stria_tensor     *z, *z_turned;           /* c64 [192, 256] */
    stria_tensor     *matrices, *invertible;  /* f64 [24, 20, 16], [24, 20, 20] */
    stria_tensor     *rows, *places, *chosen; /* i64 [192, 256], below 192; [60000], below 150000; [192], below 256 */
    stria_tensor     *spread;                 /* i64 [20000], below 20000 */
    stria_expression *kept;                   /* of two inputs */
    stria_graph      *graph;                  /* of one input like x; a run writes to nothing that it holds */
    void             *saved;                  /* the same as a file */
    size_t            saved_nbytes;
} family_inputs;

/* The rows of families.def, and what else computes. */
typedef enum family_word {
#define STRIA_FAMILY_ROW(word, title) FAMILY_##word,
#include "table/families.def"
    FAMILY_expressions,
    FAMILY_iterators,
    FAMILY_gradients,
    FAMILY_graphs,
    FAMILY_COUNT
} family_word;

typedef stria_status family_fn(const family_inputs *in, stria_tensor **out, stria_error *err);

typedef struct family {
    const char *name;
    family_word word;
    family_fn  *run;
} family;

extern const family families[];
extern const int    family_count;

#define FAMILY_CALL(word, name) family_fn family_##name;
#include "family_calls.def"

/* Defines a call that is an expression; and one of several steps, with STRIA_TEMP and STRIA_LAST for what they make on the way. */
#define FAMILY(name, call)                                                                    \
    stria_status family_##name(const family_inputs *in, stria_tensor **out, stria_error *err) \
    {                                                                                         \
        (void)in;                                                                             \
        return call;                                                                          \
    }
#define FAMILY_STEPS(name)                                                                            \
    static stria_status name##_steps(const family_inputs *in, stria_tensor **out, stria_temps *temps, \
                                     stria_error *err);                                               \
    FAMILY(name, family_run_steps(name##_steps, in, out, err))                                        \
    static stria_status name##_steps(const family_inputs *in, stria_tensor **out, stria_temps *temps, stria_error *err)

typedef stria_status family_steps_fn(const family_inputs *in, stria_tensor **out, stria_temps *temps, stria_error *err);
stria_status family_run_steps(family_steps_fn *steps, const family_inputs *in, stria_tensor **out, stria_error *err);

/* A graph of softmax written out along the rows of an input like x. */
stria_status family_record(const family_inputs *in, stria_graph **out, stria_error *err);

/* Checked: the inputs are the same every time, and each family has a call. */
void family_inputs_init(family_inputs *in);
void family_inputs_release(family_inputs *in);

/* The elements in row-major order, to be freed; *nbytes of them. NULL: no memory. */
void *family_get_bytes(stria_tensor *x, size_t *nbytes);

#endif
