/* index_case.h - random indices and comparisons for the suites of the indexing functions. */
#ifndef TEST_INDEX_CASE_H
#define TEST_INDEX_CASE_H

#include <string.h>

#include "oracle.h"

/* A tensor of i32 or i64 with the layout, and elements in [low, high). */
static inline stria_tensor *index_random(random_state *random, stria_dtype dtype, layout kind, int ndim,
                                         const int64_t *shape, int64_t low, int64_t high)
{
    stria_tensor *x = tensor_random(random, dtype, ndim == 0 ? LAYOUT_CONTIGUOUS : kind, ndim, shape, 0, 1);
    int64_t       at[STRIA_MAX_DIMS] = {0};

    if (x == NULL || stria_tensor_get_numel(x) == 0) return x;
    do {
        const int64_t i = low + (int64_t)(random_next(random) % (uint64_t)(high - low));
        value_set(dtype, value_from_whole(i), tensor_at(x, at));
    } while (index_next(ndim, stria_tensor_get_shape(x), at));
    return x;
}

static inline int64_t index_at(const stria_tensor *index, const int64_t *at)
{
    return (int64_t)value_get(stria_tensor_get_dtype(index), tensor_at(index, at)).whole;
}

/* Checks dtype and shape. */
static inline bool index_check_shape(const stria_tensor *y, stria_dtype dtype, int ndim, const int64_t *shape,
                                     const char *what)
{
    const bool is_right = y != NULL && stria_tensor_get_dtype(y) == dtype && stria_tensor_get_ndim(y) == ndim &&
                          (ndim == 0 || memcmp(stria_tensor_get_shape(y), shape, (size_t)ndim * sizeof *shape) == 0);
    CHECK(is_right, "%s: dtype or shape", what);
    return is_right;
}

/* Bits of two elements are equal. */
static inline void index_check_bits(const stria_tensor *x, const int64_t *from, const stria_tensor *y,
                                    const int64_t *at, const char *what)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    CHECK(memcmp(tensor_at(x, from), tensor_at(y, at), stria_dtype_get_size(dtype)) == 0, "%s: an element of %s", what,
          stria_dtype_get_name(dtype));
}

#define REFUSED(call, status, name, arg, text)                                                          \
    do {                                                                                                \
        stria_error err = {0};                                                                          \
        CHECK_STATUS(call, status);                                                                     \
        CHECK(strcmp(err.op, name) == 0 && strcmp(err.argument, arg) == 0 && strstr(err.message, text), \
              "op %s, argument %s, message %s", err.op, err.argument, err.message);                     \
    } while (0)

#endif
