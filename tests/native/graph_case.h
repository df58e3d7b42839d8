/* graph_case.h - what suites of graphs share: vectors, recordings of inputs, bits. */
#ifndef TEST_GRAPH_CASE_H
#define TEST_GRAPH_CASE_H

#include "gradients.h"
#include "oracle.h"
#include "stria_graph.h"

/* 1/8, 2/8, .. 7/8, 1/8 .. */
static inline stria_tensor *new_vector(int64_t n)
{
    stria_tensor *x;

    OK(stria_tensor_new(STRIA_F32, 1, &n, &x, NULL));
    for (int64_t i = 0; i < n; i++) ((float *)stria_tensor_get_data(x))[i] = (float)(i % 7 + 1) / 8;
    return x;
}

/* A recording with the symbols of inputs. */
static inline stria_recording *record_inputs(stria_tensor *const *in, int n, stria_tensor **symbols)
{
    stria_recording *r;

    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < n; k++) OK(stria_recording_add_input(r, in[k], &symbols[k], NULL));
    return r;
}

/* Of the same dtype and shape, bit for bit; or both NULL. */
static inline bool has_same_bits(const stria_tensor *a, const stria_tensor *b)
{
    stria_tensor *x, *y;

    if (a == NULL || b == NULL) return a == b;
    if (a->dtype != b->dtype || !stria_tensor_has_shape(a, b->ndim, b->shape)) return false;
    OK(stria_contiguous((stria_tensor *)(uintptr_t)a, &x, NULL));
    OK(stria_contiguous((stria_tensor *)(uintptr_t)b, &y, NULL));
    const bool same = x->numel == 0 || memcmp(x->data, y->data, (size_t)x->numel * stria_dtype_get_size(x->dtype)) == 0;
    RELEASE(x, y);
    return same;
}

/* The same, but for what bits a NaN has: where code is made for a group, the engine chooses these. */
static inline bool has_same_values(const stria_tensor *a, const stria_tensor *b)
{
    int64_t index[STRIA_MAX_DIMS] = {0};

    if (a->dtype != b->dtype || !stria_tensor_has_shape(a, b->ndim, b->shape)) return false;
    for (int64_t i = 0; i < a->numel; i++, index_next(a->ndim, a->shape, index))
        if (!value_same(a->dtype, tensor_at(a, index), tensor_at(b, index))) return false;
    return true;
}

#endif
