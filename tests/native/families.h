/* families.h - one call of each family of the library, or several where its paths differ, large enough for threads: for
 * suites of what must hold whatever is called. */
#ifndef STRIA_TEST_FAMILIES_H
#define STRIA_TEST_FAMILIES_H

#include "stria.h"

typedef struct family_inputs {
    stria_tensor     *x, *y, *turned;      /* f32 [192, 256]; turned: a transposed view */
    stria_tensor     *half, *whole, *mask; /* f16, i32, bool [192, 256] */
    stria_tensor     *narrow;              /* i32 [192, 256], every second column of a wider one */
    stria_tensor     *few;                 /* f32 [20000, 6] */
    stria_tensor     *flat, *half_rows;    /* f32 [150000]; f16 [12, 10000] */
    stria_tensor     *wide;                /* i64 [400, 256] */
    stria_tensor     *a, *b, *batch;       /* f32 [160, 160], f16 [160, 160], i32 [24, 40, 40] */
    stria_tensor     *tall, *vector;       /* f32 [160, 1200], f16 [160] */
    stria_tensor     *share;               /* 0-dim: 0.3 */
    stria_expression *kept;                /* of two inputs */
} family_inputs;

typedef stria_status family_fn(const family_inputs *in, stria_tensor **out, stria_error *err);

typedef struct family {
    const char *name;
    family_fn  *run;
} family;

extern const family families[];
extern const int    family_count;

/* Checked; the inputs are the same every time. */
void family_inputs_init(family_inputs *in);
void family_inputs_release(family_inputs *in);

/* The elements in row-major order, to be freed; *nbytes of them. NULL: no memory. */
void *family_get_bytes(stria_tensor *x, size_t *nbytes);

#endif
