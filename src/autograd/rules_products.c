/* rules_products.c - derivatives of matrix products, of any ranks: of y = a b they are g b^H for a, and a^H g for b, where a vector is a
 * row on the left and a column on the right. */
#include "autograd/rules_parts.h"
#include "stria_autograd.h"

/* A product: inputs `first` and the next one, and the gradient. */
typedef struct product {
    stria_rule_run        *run;
    int                    first;
    const stria_rule_meta *a, *b;
    stria_term             g;
} product;

static product get_product(stria_rule_run *run, int first, stria_term g)
{
    return (product){run, first, stria_rule_get_input_meta(run, first), stria_rule_get_input_meta(run, first + 1), g};
}

static stria_term adjoint(stria_term x) { return r_conj(r_transpose(x, -2, -1)); }

/* The rows of a tensor, all its axes but the last one. */
static int64_t count_rows(const stria_rule_meta *x)
{
    int64_t n = 1;

    for (int d = 0; d + 1 < x->ndim; d++) n *= x->shape[d];
    return n;
}

static stria_term stack_rows(stria_term x, int64_t rows, int64_t columns)
{
    const stria_tensor *tensor = stria_term_get_tensor(x);

    if (tensor != NULL && tensor->ndim == 2 && tensor->shape[1] == columns) return x;
    return r_reshape(x, (int64_t[]){rows, columns}, 2);
}

/* The gradient as a matrix, or a batch of them. */
static stria_term matrix_gradient(const product *p)
{
    stria_term g = p->b->ndim == 1 ? r_unsqueeze(p->g, -1) : p->g;

    return p->a->ndim == 1 ? r_unsqueeze(g, -2) : g;
}

/* Slices from which on it pays to multiply one of them. */
#define MANY_SLICES 33

/* Whether x is one slice along an axis, again and again, as expand makes it of the gradient of a sum. Not asked where derivatives of the
 * product are wanted, which must see all of x. */
static bool is_repeated(stria_term x, int axis)
{
    const stria_tensor *tensor = stria_term_get_tensor(x);

    if (tensor == NULL || tensor->ndim < 2 || stria_grad_mode_get()) return false;
    return tensor->strides[tensor->ndim + axis] == 0 && tensor->shape[tensor->ndim + axis] >= MANY_SLICES;
}

/* a b as a new tensor; of equal rows of a, or columns of b, one is multiplied. */
static stria_term multiply(stria_term a, stria_term b)
{
    const bool rows = is_repeated(a, -2), columns = !rows && is_repeated(b, -1);
    int64_t    shape[STRIA_MAX_DIMS];

    if (!rows && !columns) return r_matmul(a, b);
    const stria_tensor *repeated = stria_term_get_tensor(rows ? a : b);
    const int64_t       n = repeated->shape[repeated->ndim - (rows ? 2 : 1)];
    stria_term          one = rows ? r_matmul(r_slice(a, -2, 0, 1, 1), b) : r_matmul(a, r_slice(b, -1, 0, 1, 1));
    const stria_tensor *y = stria_term_get_tensor(one);
    if (y == NULL) return one;
    for (int d = 0; d < y->ndim; d++) shape[d] = y->shape[d];
    shape[rows ? y->ndim - 2 : y->ndim - 1] = n;
    return r_contiguous(r_expand(one, shape, y->ndim));
}

/* g b^H. */
static stria_term left_gradient(const product *p)
{
    stria_rule_run *run = p->run;
    stria_term      b = X(p->first + 1);

    if (p->a->ndim == 1 && p->b->ndim == 1) return r_mul(p->g, r_conj(b));
    return p->b->ndim == 1 ? r_mul(matrix_gradient(p), r_conj(b)) : multiply(matrix_gradient(p), adjoint(b));
}

/* a^H g. One matrix b under many rows of a: these are one matrix, and the sum over them is in the product. */
static stria_term right_gradient(const product *p)
{
    stria_rule_run *run = p->run;
    const int64_t   rows = count_rows(p->a), columns = p->b->ndim == 1 ? 1 : p->b->shape[p->b->ndim - 1];
    stria_term      a = X(p->first), g = p->g;

    if (p->a->ndim == 1 && p->b->ndim == 1) return r_mul(g, r_conj(a));
    if (p->a->ndim == 1) return r_matmul(r_unsqueeze(r_conj(a), 1), matrix_gradient(p));
    if (p->b->ndim > 2) return multiply(adjoint(a), matrix_gradient(p));
    a = stack_rows(a, rows, p->a->shape[p->a->ndim - 1]);
    g = multiply(adjoint(a), stack_rows(g, rows, columns));
    return p->b->ndim == 1 ? r_squeeze(g, (int[]){-1}, 1) : g;
}

static void set_gradients(stria_rule_run *run, int first, stria_term g)
{
    const product p = get_product(run, first, g);

    GRAD(first, left_gradient(&p));
    GRAD(first + 1, right_gradient(&p));
}

#define MULTIPLIES(row)              \
    RULE_FN(row)                     \
    {                                \
        (void)attrs;                 \
        set_gradients(run, 0, G(0)); \
    }
MULTIPLIES(matmul)
MULTIPLIES(mm)
MULTIPLIES(bmm)
MULTIPLIES(mv)
MULTIPLIES(dot)

/* ---------------------------------------------------------------- beta x + alpha (a b) */

#define ADDS_PRODUCT(row)                                                 \
    RULE_FN(row)                                                          \
    {                                                                     \
        GRAD(0, stria_part_scale(run, G(0), attrs->beta));                \
        set_gradients(run, 1, stria_part_scale(run, G(0), attrs->alpha)); \
    }
ADDS_PRODUCT(addmm)
ADDS_PRODUCT(addmv)
ADDS_PRODUCT(baddbmm)

/* ---------------------------------------------------------------- linear layers: x times the transpose of weight, [out, in] or [in] */

static stria_term weight_gradient(stria_rule_run *run)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0), *weight = stria_rule_get_input_meta(run, 1);
    stria_term             rows = stack_rows(X(0), count_rows(x), x->shape[x->ndim - 1]);
    stria_term             g = stack_rows(G(0), count_rows(x), weight->ndim == 2 ? weight->shape[0] : 1);

    stria_term product = r_matmul(r_transpose(g, 0, 1), r_conj(rows));
    return weight->ndim == 2 ? product : stria_part_reshape(product, weight);
}

RULE_FN(linear)
{
    const bool is_row = stria_rule_get_input_meta(run, 1)->ndim == 1;

    (void)attrs;
    GRAD(0, is_row ? r_mul(r_unsqueeze(G(0), -1), r_conj(X(1))) : r_matmul(G(0), r_conj(X(1))));
    GRAD(1, weight_gradient(run));
    GRAD(2, G(0));
}
#undef MULTIPLIES
#undef ADDS_PRODUCT
