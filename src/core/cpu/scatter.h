/* scatter.h - a result that is x, but for elements at positions that an index says. Internal. */
#ifndef STRIA_SCATTER_H
#define STRIA_SCATTER_H

#include "cpu/index_list.h"
#include "cpu/scatter_loops.h"

/* How positions and the source meet the result. */
typedef enum stria_scatter_form {
    STRIA_SCATTER_ALONG, /* the index has the dims of the result, but says those of an axis */
    STRIA_SCATTER_LIST,  /* an index of one dim or none: slices of an axis */
    STRIA_SCATTER_FLAT,  /* the index counts all elements of the result */
    STRIA_SCATTER_MANY   /* call->list */
} stria_scatter_form;

typedef enum stria_scatter_kind {
    STRIA_SCATTER_WRITE,
    STRIA_SCATTER_SUM, /* from here on in the order of the words of scatter_reduce */
    STRIA_SCATTER_PROD,
    STRIA_SCATTER_MEAN,
    STRIA_SCATTER_AMAX,
    STRIA_SCATTER_AMIN
} stria_scatter_kind;

/* source: of the dtype of the result; of one value, or as its positions are shaped; it broadcasts to those of call->list. */
typedef struct stria_scattering {
    const stria_call   *call;
    stria_scatter_form  form;
    stria_scatter_kind  kind;
    const stria_tensor *source;
    int                 axis;
    bool                wraps, include_self;
} stria_scattering;

/**
 * y = x = call->in[0], with the source brought into it. Every index is checked before y is written.
 *
 * f16 and bf16 are combined in f32 and rounded once at the end. The mean of integers is rounded down.
 */
stria_status stria_scatter_run(const stria_scattering *scatter, stria_tensor *y, stria_error *err);

/* How values that meet the same element are combined, by stria_scatter_kind. */
extern const stria_scatter_op stria_scatter_kind_ops[];

/* Adds 1 to `met`, of i64, wherever the source meets it; on the device of both. context: what stria_scatter_divide was given. */
typedef stria_status stria_scatter_count_fn(const stria_scattering *scatter, stria_tensor *met, const void *context,
                                            stria_error *err);
/* The sums in `target` become means. */
stria_status stria_scatter_divide(const stria_scattering *scatter, stria_tensor *target, stria_scatter_count_fn *add,
                                  const void *context, stria_error *err);

/* ERR_SHAPE: the values of index_put do not broadcast to the shape that the indices take out of x. */
stria_status stria_scatter_check_values(const stria_call *call, int ndim, const int64_t *shape, stria_error *err);

/* masked_scatter: ERR_SHAPE where source has fewer than n elements. */
stria_status stria_masked_scatter_check(int64_t n, const stria_tensor *source, stria_error *err);

#endif
