/* shadow.h - views made at random through the public functions, beside a list of which element of memory each of their
 * elements is, kept without strides. */
#ifndef TEST_SHADOW_H
#define TEST_SHADOW_H

#include "oracle.h"

#define SHADOW_DIMS 8

/* Memory of a tensor with guard bytes around it, and what it should hold. */
typedef struct base {
    stria_dtype   dtype;
    int           ndim;
    int64_t       shape[SHADOW_DIMS], numel;
    char         *memory, *wanted; /* [guard + numel elements + guard] */
    size_t        nbytes, start;   /* of memory; of the elements in it */
    stria_tensor *tensor;
} base;

/* Filled with random_element(low, high). */
void base_new(base *b, random_state *random, stria_dtype dtype, int ndim, const int64_t *shape, double low,
              double high);
void base_release(base *b);
/* Address of an element in memory, and of the one that is wanted there. */
char *base_at(const base *b, int64_t place);
char *base_wanted(const base *b, int64_t place);
/* Whether memory holds what is wanted, guard bytes included. */
bool base_is_as_wanted(const base *b);

/* A tensor, and the place in base of each of its elements in row-major order. */
typedef struct shadow {
    const base   *base;
    stria_tensor *tensor;
    int           ndim;
    int64_t       shape[SHADOW_DIMS], numel;
    int64_t      *places; /* [numel] */
} shadow;

void shadow_new(shadow *s, const base *b);
void shadow_release(shadow *s);
void shadow_copy(const shadow *s, shadow *copy);

/* Each replaces the shadow by a view of it. */
void shadow_slice(shadow *s, int axis, int64_t first, int64_t count, int64_t step);
void shadow_permute(shadow *s, const int *axes);
void shadow_flip(shadow *s, int axis);
/* shape has the shadow's dims at its end, of the same size or, where that is 1, any. */
void shadow_expand(shadow *s, int ndim, const int64_t *shape);
/* One of all kinds of views. */
void shadow_step(shadow *s, random_state *random);

/* A view of the shape, over a new base of dtype: parts, steps, backward and permuted dims; with may_repeat also stride 0. */
void shadow_of_shape(shadow *s, base *b, random_state *random, stria_dtype dtype, int ndim, const int64_t *shape,
                     bool may_repeat, double low, double high);

/* Every element of the tensor is at its place. */
void shadow_check(const shadow *s, const char *what);
/* Place of the element that belongs to index[ndim] of a broadcast result. */
int64_t shadow_place(const shadow *s, int ndim, const int64_t *index);

#endif
