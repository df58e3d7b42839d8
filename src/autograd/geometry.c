/* geometry.c - how views lie over their bases, as nodes know it (stria_geometry). */
#include "autograd/node.h"
#include "base/error.h"

/* ---------------------------------------------------------------- of what dtypes */

static bool is_of_parts(const stria_tensor *x, const stria_tensor *number)
{
    return stria_dtype_is_complex(number->dtype) && x->dtype == stria_dtype_get_part(number->dtype);
}

static bool has_other_dtype(const stria_tensor *x, const stria_tensor *base) { return x->dtype != base->dtype; }

bool stria_geometry_is_known(const stria_tensor *x, const stria_tensor *base)
{
    if (!has_other_dtype(x, base)) return true;
    const stria_tensor *number = is_of_parts(x, base) ? base : is_of_parts(base, x) ? x : NULL;
    return number != NULL && number->ndim < STRIA_MAX_DIMS;
}

/* ---------------------------------------------------------------- where elements lie */

/* Elements from the lowest to the first, and from there to the highest. */
typedef struct reach {
    int64_t below, above;
} reach;

static reach measure(const stria_tensor *x, bool is_complex)
{
    reach r = {0, 0};

    for (int d = 0; d < x->ndim && x->numel > 0; d++) {
        const int64_t length = (x->shape[d] - 1) * x->strides[d];
        *(length < 0 ? &r.below : &r.above) += length < 0 ? -length : length;
    }
    return is_complex ? (reach){2 * r.below, 2 * r.above + 1} : r;
}

/* Sizes that a side needs: shape and strides. */
static int count_sizes(const stria_tensor *x, bool is_complex) { return 2 * (x->ndim + is_complex); }

static void describe_side(const stria_tensor *x, bool is_complex, int64_t offset, stria_geometry_side *side,
                          int64_t **sizes)
{
    int64_t *shape = *sizes, *strides = shape + x->ndim + is_complex;

    for (int d = 0; d < x->ndim; d++) {
        shape[d] = x->shape[d];
        strides[d] = x->strides[d] * (is_complex ? 2 : 1);
    }
    if (is_complex) shape[x->ndim] = 2, strides[x->ndim] = 1;
    *side = (stria_geometry_side){x->ndim + is_complex, is_complex, offset, shape, strides};
    *sizes += count_sizes(x, is_complex);
}

/* Bytes from where the memory begins: of a tensor that is recorded, the view is a symbol, in another memory that is like it. */
static int64_t get_place(const stria_tensor *x) { return x->data - x->storage->data; }

static void describe(const stria_tensor *x, const stria_tensor *base, stria_geometry *g, int64_t **sizes)
{
    const bool    is_apart = has_other_dtype(x, base);
    const bool    is_complex = is_apart && is_of_parts(base, x), base_is_complex = is_apart && !is_complex;
    const int64_t item = stria_tensor_get_item_size(is_complex ? base : x);
    const reach   own = measure(x, is_complex), all = measure(base, base_is_complex);
    const int64_t between = x->numel > 0 && base->numel > 0 ? (get_place(x) - get_place(base)) / item : 0;
    int64_t       lowest = -all.below < between - own.below ? -all.below : between - own.below;
    const int64_t highest = all.above > between + own.above ? all.above : between + own.above;

    if (is_apart && ((is_complex ? between : 0) - lowest) % 2 != 0) lowest--; /* complex numbers lie at even places */
    g->extent = highest - lowest + 1;
    describe_side(x, is_complex, between - lowest, &g->view, sizes);
    describe_side(base, base_is_complex, -lowest, &g->base, sizes);
}

/* ---------------------------------------------------------------- nodes */

stria_status stria_node_new_geometry(const stria_tensor *x, const stria_tensor *base, stria_row row, int n_in,
                                     stria_node **out, stria_error *err)
{
    const bool            is_view = row == STRIA_ROW_VIEW_OF;
    const stria_tensor   *result = is_view ? x : base;
    const stria_node_plan plan = {.row = row,
                                  .rule = is_view ? &stria_rule_view_of : &stria_rule_write_view,
                                  .n_in = n_in,
                                  .n_out = 1,
                                  .n_sizes = result->ndim + count_sizes(x, true) + count_sizes(base, true),
                                  .attrs_nbytes = sizeof(stria_geometry)};
    int64_t              *sizes;

    if (!stria_geometry_is_known(x, base))
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, "gradient", NULL, stria_dtype_get_name(base->dtype),
                               stria_dtype_get_name(x->dtype),
                               "a view of another dtype does not follow what is written to the memory that it shares");
    *out = stria_node_new(&plan, &sizes);
    if (*out == NULL) return stria_gradient_fail_memory("gradient", err);
    stria_node_describe(result, &(*out)->slots[0].meta, &sizes);
    (*out)->slots[0].device = x->device;
    describe(x, base, (*out)->attrs, &sizes);
    return STRIA_OK;
}
