/* contract.c - sums of products of tensors whose axes have labels (contract.h). */
#include "compose/contract.h"

#include <stdio.h>

#include "base/error.h"
#include "call/meta.h"
#include "tensor/device.h"
#include "tensor/shape.h"

/* Parts for which every order is tried; parts among which the next pair is looked for. */
#define MOST_TRIED 8
#define MOST_COMPARED 128

typedef struct contraction {
    stria_labelled *parts;
    int             n;
    uint64_t        out;
    const int64_t  *size;
    int             rank[64]; /* of a label: its place in the result */
    stria_dtype     compute;
} contraction;

#define BIT(label) (UINT64_C(1) << (label))

/* ---------------------------------------------------------------- one part */

/* Puts another tensor in place of that of a part. */
static stria_status replace(stria_labelled *part, stria_status status, stria_tensor *const *x)
{
    if (status != STRIA_OK) return status;
    stria_tensor_release(part->x);
    part->x = *x;
    return STRIA_OK;
}

static void drop_axis(stria_labelled *part, int axis, int ndim)
{
    for (int d = axis; d + 1 < ndim; d++) part->label[d] = part->label[d + 1];
}

static void find_set(stria_labelled *part)
{
    part->set = 0;
    for (int d = 0; d < part->x->ndim; d++) part->set |= BIT(part->label[d]);
}

/* Axes of one label become their diagonal, and axes of size 1 vanish: what is left has the size of its label. */
static stria_status simplify(stria_labelled *part, stria_error *err)
{
    stria_tensor *x = NULL;
    int           ones[STRIA_MAX_DIMS], n_ones = 0;

    for (int d = 0; d < part->x->ndim; d++)
        for (int e = d + 1; e < part->x->ndim; e++) {
            if (part->label[e] != part->label[d]) continue;
            const uint8_t label = part->label[d];
            const int     ndim = part->x->ndim;
            STRIA_TRY(replace(part, stria_diagonal(part->x, 0, d, e, &x, err), &x));
            drop_axis(part, e, ndim);
            drop_axis(part, d, ndim - 1);
            part->label[ndim - 2] = label;
            e = d; /* another axis is here now */
        }
    for (int d = 0; d < part->x->ndim; d++)
        if (part->x->shape[d] == 1) ones[n_ones++] = d;
    if (n_ones > 0) {
        const int ndim = part->x->ndim;
        STRIA_TRY(replace(part, stria_squeeze(part->x, ones, n_ones, &x, err), &x));
        for (int k = n_ones - 1; k >= 0; k--) drop_axis(part, ones[k], ndim);
    }
    find_set(part);
    return STRIA_OK;
}

/* Sums over the labels of a set, which the part has. */
static stria_status sum_over(const contraction *c, stria_labelled *part, uint64_t set, stria_error *err)
{
    stria_tensor *x = NULL;
    int           axes[STRIA_MAX_DIMS], n = 0, left = 0;

    for (int d = 0; d < part->x->ndim; d++) {
        if (set & BIT(part->label[d]))
            axes[n++] = d;
        else
            part->label[left++] = part->label[d];
    }
    STRIA_TRY(replace(part, stria_reduce(STRIA_RED_sum, part->x, axes, n, false, c->compute, &x, err), &x));
    part->is_made = true;
    part->set &= ~set;
    return STRIA_OK;
}

static stria_status convert(stria_labelled *part, stria_dtype dtype, stria_error *err)
{
    stria_tensor *x = NULL;

    if (part->x->dtype == dtype) return STRIA_OK;
    STRIA_TRY(replace(part, stria_tensor_copy(part->x, dtype, &x, err), &x));
    part->is_made = true;
    return STRIA_OK;
}

/* x with its axes in the order of labels[n], those that it lacks of size 1. */
static stria_status lay_out(const stria_labelled *part, const uint8_t *labels, int n, stria_tensor **y,
                            stria_error *err)
{
    int           axes[STRIA_MAX_DIMS], n_axes = 0;
    int64_t       shape[STRIA_MAX_DIMS];
    stria_tensor *turned = NULL;

    for (int k = 0; k < n; k++) {
        shape[k] = 1;
        if (!(part->set & BIT(labels[k]))) continue;
        int d = 0;
        while (part->label[d] != labels[k]) d++;
        shape[k] = part->x->shape[d];
        axes[n_axes++] = d;
    }
    STRIA_TRY(stria_permute(part->x, axes, n_axes, &turned, err));
    const stria_status status = stria_view(turned, shape, n, y, err);
    stria_tensor_release(turned);
    return status;
}

/* ---------------------------------------------------------------- two parts */

/* Adds the labels of a set to a list, in the order of the axes of a part. */
static int add_labels(const stria_labelled *part, uint64_t set, uint8_t *labels, int n)
{
    for (int d = 0; d < part->x->ndim; d++)
        if (set & BIT(part->label[d])) labels[n++] = part->label[d];
    return n;
}

/* By their places in the result. */
static void sort_labels(const contraction *c, uint8_t *labels, int n)
{
    for (int k = 1; k < n; k++) {
        const uint8_t label = labels[k];
        int           i = k;
        for (; i > 0 && c->rank[labels[i - 1]] > c->rank[label]; i--) labels[i] = labels[i - 1];
        labels[i] = label;
    }
}

/* The product of two parts with nothing to sum. */
static stria_status multiply(const contraction *c, const stria_labelled *a, const stria_labelled *b, stria_labelled *y,
                             stria_error *err)
{
    stria_tensor *left = NULL, *right = NULL;
    stria_status  status;
    int           n = add_labels(a, a->set, y->label, 0);

    n = add_labels(b, b->set & ~a->set, y->label, n);
    sort_labels(c, y->label, n);
    status = lay_out(a, y->label, n, &left, err);
    if (status == STRIA_OK) status = lay_out(b, y->label, n, &right, err);
    if (status == STRIA_OK) status = stria_mul(left, right, &y->x, err);
    stria_tensor_release(left);
    stria_tensor_release(right);
    return status;
}

/* A part as matrices: its axes in the order of labels[n], the first n_batch as they are, n_rows as one, the rest as one. */
static stria_status new_matrices(const contraction *c, const stria_labelled *part, const uint8_t *labels, int n_batch,
                                 int n_rows, int n, stria_tensor **y, stria_error *err)
{
    int64_t       shape[STRIA_MAX_DIMS + 2], sizes[STRIA_MAX_DIMS];
    stria_tensor *turned = NULL;

    for (int k = 0; k < n; k++) sizes[k] = c->size[labels[k]];
    for (int k = 0; k < n_batch; k++) shape[k] = sizes[k];
    STRIA_TRY(stria_shape_get_product("contract", n_rows, sizes + n_batch, &shape[n_batch], err));
    STRIA_TRY(
        stria_shape_get_product("contract", n - n_batch - n_rows, sizes + n_batch + n_rows, &shape[n_batch + 1], err));
    STRIA_TRY(lay_out(part, labels, n, &turned, err));
    const stria_status status = stria_reshape(turned, shape, n_batch + 2, y, err);
    stria_tensor_release(turned);
    return status;
}

static int get_first_rank(const contraction *c, const stria_labelled *part, uint64_t set)
{
    int first = 64;

    for (int d = 0; d < part->x->ndim; d++)
        if (set & BIT(part->label[d]) && c->rank[part->label[d]] < first) first = c->rank[part->label[d]];
    return first;
}

/* The product of two parts, with the labels of `summed`, which both have, summed: y is [shared .., of a .., of b ..]. */
static stria_status multiply_matrices(const contraction *c, const stria_labelled *a, const stria_labelled *b,
                                      uint64_t summed, stria_labelled *y, stria_error *err)
{
    const uint64_t        batch = a->set & b->set & ~summed;
    const stria_labelled *larger = a->x->ndim >= b->x->ndim ? a : b; /* whose axes to be summed keep their order */
    uint8_t               left_labels[STRIA_MAX_DIMS], right_labels[STRIA_MAX_DIMS];
    int64_t               shape[STRIA_MAX_DIMS];
    stria_tensor         *left = NULL, *right = NULL, *product = NULL;
    stria_status          status;

    if (get_first_rank(c, b, b->set & ~a->set) < get_first_rank(c, a, a->set & ~b->set)) {
        const stria_labelled *swap = a; /* the result lies as it is wanted in the end */
        a = b;
        b = swap;
    }
    const int n_batch = add_labels(a, batch, left_labels, 0);
    sort_labels(c, left_labels, n_batch);
    for (int k = 0; k < n_batch; k++) right_labels[k] = y->label[k] = left_labels[k];
    const int n_left = add_labels(a, a->set & ~b->set, left_labels, n_batch);
    const int n_right = add_labels(larger, summed, right_labels, n_batch);
    int       n = add_labels(b, b->set & ~a->set, y->label, add_labels(a, a->set & ~b->set, y->label, n_batch));

    status = new_matrices(c, a, left_labels, n_batch, n_left - n_batch, add_labels(larger, summed, left_labels, n_left),
                          &left, err);
    if (status == STRIA_OK)
        status = new_matrices(c, b, right_labels, n_batch, n_right - n_batch,
                              add_labels(b, b->set & ~a->set, right_labels, n_right), &right, err);
    if (status == STRIA_OK) status = stria_matmul(left, right, &product, err);
    for (int k = 0; k < n; k++) shape[k] = c->size[y->label[k]];
    if (status == STRIA_OK) status = stria_view(product, shape, n, &y->x, err);
    stria_tensor_release(left);
    stria_tensor_release(right);
    stria_tensor_release(product);
    return status;
}

/* Part i becomes the product of parts i and k, and part k is no more. `others`: the labels of all other parts. */
static stria_status join(const contraction *c, int i, int k, uint64_t others, stria_error *err)
{
    stria_labelled *a = &c->parts[i], *b = &c->parts[k], y = {0};
    const uint64_t  summed = a->set & b->set & ~(others | c->out);
    stria_status    status;

    status = summed == 0 ? multiply(c, a, b, &y, err) : multiply_matrices(c, a, b, summed, &y, err);
    if (status != STRIA_OK) return status;
    stria_tensor_release(a->x);
    stria_tensor_release(b->x);
    b->x = NULL;
    *a = y;
    a->is_made = true;
    find_set(a);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the order of the pairs */

static double get_count(const contraction *c, uint64_t set)
{
    double count = 1;

    for (int label = 0; set != 0; label++, set >>= 1)
        if (set & 1) count *= (double)c->size[label];
    return count;
}

/* The best order for each set of parts, found from those of smaller sets. */
typedef struct orders {
    double   cost[1 << MOST_TRIED];
    uint64_t labels[1 << MOST_TRIED]; /* that a set of parts has */
    uint8_t  split[1 << MOST_TRIED];  /* one of the two sets that are multiplied last */
} orders;

static uint64_t get_left(const contraction *c, const orders *o, int set)
{
    return o->labels[set] & (c->out | o->labels[(1 << c->n) - 1 - set]);
}

static void find_orders(const contraction *c, orders *o)
{
    o->labels[0] = 0;
    for (int set = 1; set < 1 << c->n; set++) {
        const int last = 31 - __builtin_clz((unsigned)set);
        o->labels[set] = o->labels[set ^ 1 << last] | c->parts[last].set;
    }
    for (int set = 1; set < 1 << c->n; set++) {
        const int first = set & -set;
        o->cost[set] = 0;
        o->split[set] = 0;
        for (int half = (set - 1) & set; half > 0; half = (half - 1) & set) {
            if (!(half & first)) continue; /* each pair once */
            const double cost =
                o->cost[half] + o->cost[set ^ half] + get_count(c, get_left(c, o, half) | get_left(c, o, set ^ half));
            if (o->split[set] != 0 && cost >= o->cost[set]) continue;
            o->cost[set] = cost;
            o->split[set] = (uint8_t)half;
        }
    }
}

/* Multiplies the parts of a set; *at is where the product is. */
static stria_status run_orders(const contraction *c, const orders *o, int set, int *at, stria_error *err)
{
    int other;

    *at = __builtin_ctz((unsigned)set);
    if (o->split[set] == 0) return STRIA_OK;
    STRIA_TRY(run_orders(c, o, o->split[set], at, err));
    STRIA_TRY(run_orders(c, o, set ^ o->split[set], &other, err));
    return join(c, *at, other, o->labels[(1 << c->n) - 1 - set], err);
}

/* The labels of all parts but two. */
static uint64_t get_others(const contraction *c, int i, int k)
{
    uint64_t others = 0;

    for (int part = 0; part < c->n; part++)
        if (part != i && part != k) others |= c->parts[part].set;
    return others;
}

/* The labels that two parts or more have, and those that three or more have. */
static void count_labels(const contraction *c, uint64_t *twice, uint64_t *thrice)
{
    uint64_t once = 0;

    *twice = *thrice = 0;
    for (int k = 0; k < c->n; k++) {
        *thrice |= *twice & c->parts[k].set;
        *twice |= once & c->parts[k].set;
        once |= c->parts[k].set;
    }
}

/* Multiplies the pair after which the least is to be kept, until there is one. */
static stria_status run_greedily(contraction *c, stria_error *err)
{
    while (c->n > 1) {
        const int compared = c->n < MOST_COMPARED ? c->n : MOST_COMPARED;
        double    best = 0;
        int       first = -1, second = -1;
        uint64_t  twice, thrice;
        count_labels(c, &twice, &thrice);
        for (int i = 0; i < compared; i++)
            for (int k = i + 1; k < compared; k++) {
                const uint64_t a = c->parts[i].set, b = c->parts[k].set;
                const uint64_t left = (a | b) & (c->out | ~(a & b) | thrice);
                const double   grows = get_count(c, left) - get_count(c, a) - get_count(c, b);
                if (first >= 0 && grows >= best) continue;
                best = grows;
                first = i;
                second = k;
            }
        STRIA_TRY(join(c, first, second, get_others(c, first, second), err));
        c->n--;
        for (int k = second; k < c->n; k++) c->parts[k] = c->parts[k + 1];
        c->parts[c->n].x = NULL;
    }
    return STRIA_OK;
}

static stria_status run_pairs(contraction *c, int *at, stria_error *err)
{
    orders o;

    *at = 0;
    if (c->n > MOST_TRIED) return run_greedily(c, err);
    find_orders(c, &o);
    return run_orders(c, &o, (1 << c->n) - 1, at, err);
}

/* ---------------------------------------------------------------- all of it */

/* Sums what one part alone has, and converts where a product would not compute in the right dtype. */
static stria_status prepare(contraction *c, stria_dtype result, stria_error *err)
{
    uint64_t twice, thrice;

    for (int k = 0; k < c->n; k++) STRIA_TRY(simplify(&c->parts[k], err));
    count_labels(c, &twice, &thrice);
    for (int k = 0; k < c->n; k++) {
        const uint64_t lone = c->parts[k].set & ~(c->out | twice);
        if (lone != 0) STRIA_TRY(sum_over(c, &c->parts[k], lone, err));
    }
    if (c->n == 1) return STRIA_OK;
    if (c->n == 2) {
        const stria_dtype dtype = stria_dtype_get_promoted(c->parts[0].x->dtype, c->parts[1].x->dtype);
        if (dtype == result || dtype == c->compute) return STRIA_OK; /* a product converts, and rounds once */
    }
    for (int k = 0; k < c->n; k++) STRIA_TRY(convert(&c->parts[k], c->compute, err));
    return STRIA_OK;
}

stria_status stria_contract(stria_labelled *parts, int n, const uint8_t *out, int n_out, const int64_t *size,
                            stria_dtype result, stria_tensor **y, stria_error *err)
{
    contraction   c = {.parts = parts, .n = n, .size = size, .compute = stria_dtype_get_compute(result)};
    stria_tensor *x = NULL;
    stria_status  status;
    int           at = 0;

    for (int label = 0; label < 64; label++) c.rank[label] = 64;
    for (int k = 0; k < n_out; k++) {
        c.rank[out[k]] = k;
        c.out |= BIT(out[k]);
    }
    STRIA_TRY(prepare(&c, result, err));
    STRIA_TRY(run_pairs(&c, &at, err));
    STRIA_TRY(lay_out(&parts[at], out, n_out, &x, err));
    if (x->dtype == result && parts[at].is_made) {
        *y = x;
        return STRIA_OK;
    }
    status = stria_tensor_copy(x, result, y, err);
    stria_tensor_release(x);
    return status;
}

stria_status stria_contract_infer_dtype(const stria_call *call, const stria_tensor *const *xs, int n,
                                        stria_dtype *result, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));
    char                name[32];

    *result = stria_promote_result(xs, n);
    for (int k = 0; k < n; k++) {
        snprintf(name, sizeof name, "%s", schema->tensors[k < schema->n_tensors ? k : 0].name);
        if (stria_schema_has_list(schema)) snprintf(name, sizeof name, "%s[%d]", schema->tensors[0].name, k);
        const stria_category category = stria_dtype_get_category(xs[k]->dtype);
        if (category == STRIA_CATEGORY_B && stria_dtype_get_category(*result) == STRIA_CATEGORY_B)
            return stria_infer_refuse_dtype(call, name, xs[k]->dtype, "a number", err);
        if (stria_device_equals(xs[k]->device, xs[0]->device)) continue;
        if (stria_call_is_recorded())
            continue; /* a symbol beside a tensor that is held; the calls of this row are checked */
        const char *expected = stria_device_get_name(xs[0]->device), *got = stria_device_get_name(xs[k]->device);
        return stria_error_set(err, STRIA_ERR_DEVICE, schema->name, name, expected, got,
                               "%s is on %s but the first is on %s", name, got, expected);
    }
    return STRIA_OK;
}
