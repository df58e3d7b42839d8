/* matmul_bound.h - matrix products that are made often: planned once; and what is element-wise of their results. Internal.
 *
 * An expression of the product is computed of each tile as soon as that is done, while it is in a cache: every op rounds as it does alone, so that the
 * bits are those of one after the other. */
#ifndef STRIA_MATMUL_BOUND_H
#define STRIA_MATMUL_BOUND_H

#include "cpu/expression.h"
#include "cpu/matmul_plan.h"

typedef struct stria_product_bound stria_product_bound;

/* An expression that reads a product. */
typedef struct stria_product_end {
    const stria_expression    *program; /* NULL: there is none */
    const stria_tensor *const *in;      /* some lie exactly over the product: they are it */
    stria_tensor *const       *out;
} stria_product_end;

/* Tensors are as of stria_expression_bind, with y apart from a and b; the call is one that the door takes, of dtypes that are real. Where the end has
 * one result, y is left undefined if that is better. end is borrowed. *bound NULL: they must be called as any other. ERR_MEMORY, and what lowering
 * refuses. */
stria_status stria_product_bind(const stria_tensor *a, const stria_tensor *b, stria_tensor *y,
                                const stria_product_end *end, stria_product_bound **bound, stria_error *err);
/* A product that is nowhere as a whole: `take` gets all of its elements, on any threads. a and b are matrices of the dtype of y, f32 or f64; y is
 * row-major, has more than one column, and its memory is not looked at. Errors: ERR_MEMORY. */
stria_status stria_product_bind_taken(const stria_tensor *a, const stria_tensor *b, stria_tensor *y,
                                      stria_matmul_take *take, void *context, stria_product_bound **bound,
                                      stria_error *err);
stria_status stria_product_run_bound(stria_product_bound *bound, stria_error *err);
void         stria_product_bound_release(stria_product_bound *bound); /* NULL is allowed */

/* Whether the row is a product of a and b alone. */
bool stria_row_is_product(stria_row row);

#endif
