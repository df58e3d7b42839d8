/* rules_parts.h - what rules of functions share: new tensors, and axes as they count from the end. Internal. */
#ifndef STRIA_RULES_PARTS_H
#define STRIA_RULES_PARTS_H

#include "autograd/rule.h"

/* The axis in [0, ndim); 0 of none. */
static inline int stria_part_wrap_axis(int dim, int ndim) { return ndim == 0 ? 0 : dim < 0 ? dim + ndim : dim; }

static inline stria_scalar stria_part_integer(int64_t i) { return (stria_scalar){.kind = STRIA_SCALAR_INT, .i = i}; }

/* What the run owns from now on; status not STRIA_OK: the run has failed. */
stria_term stria_part_keep(stria_rule_run *run, stria_status status, stria_tensor *x);

/* One number everywhere, of a shape and dtype, on the device of `like`. */
stria_term stria_part_full(stria_rule_run *run, stria_term like, stria_dtype dtype, int ndim, const int64_t *shape,
                           int64_t number);
/* 0 of the shape of input k, of the dtype and on the device of `like`. */
stria_term stria_part_zeros(stria_rule_run *run, int k, stria_term like);
/* 0 .. n - 1 as i64 on the device of `like`. */
stria_term stria_part_range(stria_rule_run *run, stria_term like, int64_t n);

/* x in the shape of input k, or of its meta. */
stria_term stria_part_shape_as_input(stria_rule_run *run, int k, stria_term x);
stria_term stria_part_reshape(stria_term x, const stria_rule_meta *meta);
/* x as one dim, of n elements. */
stria_term stria_part_flatten(stria_term x, int64_t n);

/* x times the conjugate of a number, an attribute: the gradient of what was multiplied by it. */
stria_term stria_part_scale(stria_rule_run *run, stria_term x, stria_scalar number);

/* x with axis `from` at the place `to`, the others in their order; ndim: dims of x. */
stria_term stria_part_move_axis(stria_term x, int ndim, int from, int to);

/* x along an axis, with zeros before and behind it; negative numbers crop. ndim: dims of x. */
stria_term stria_part_pad_axis(stria_term x, int ndim, int axis, int64_t before, int64_t after);

/* What index_add, scatter_add, scatter and put (which adds) make of zeros that are nobody else's: it is written into them. */
stria_term stria_part_add_slices(stria_rule_run *run, stria_term zeros, stria_term index, stria_term source, int dim);
stria_term stria_part_add_along(stria_rule_run *run, stria_term zeros, stria_term index, stria_term source, int dim);
stria_term stria_part_put_along(stria_rule_run *run, stria_term zeros, stria_term index, stria_term source, int dim);
stria_term stria_part_add_flat(stria_rule_run *run, stria_term zeros, stria_term index, stria_term source);

/* ERR_UNSUPPORTED: what the row computes has no derivative by `argument`. */
void stria_part_refuse(stria_rule_run *run, const char *name, const char *why);

#endif
