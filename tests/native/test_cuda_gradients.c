/* test_cuda_gradients.c - derivatives of every row on a CUDA device, of first and second order, near the CPU's: calls of derivative_call.h, real and
 * complex. A row of which no call has a gradient there, though its rule says that there is one, fails. */
#include <math.h>
#include <string.h>

#include "autograd/rules.h"
#include "base/error.h"
#include "cuda_case.h"
#include "derivative_call.h"
#include "stria_autograd.h"
#include "table/rows.h"

#define ATTEMPTS 400   /* by chance, for each row */
#define CALLS 8        /* with a gradient, for each row */
#define TOLERANCE 1e-9 /* of the largest element, or of 1 */
enum { MOST_OUTPUTS = 12 };

/* What a call gives on one device. */
typedef struct derivatives {
    stria_status  status[2]; /* of each order; of the first, it is STRIA_ERR_ARGUMENT where no result has a gradient */
    stria_tensor *of[2][DERIVATIVE_INPUTS]; /* by the leaves, in order; NULL: none */
    stria_error   err;
} derivatives;

static random_state random_numbers;

/* Numbers of a seed, of x's dtype, shape and device. */
static stria_tensor *new_weight(const stria_tensor *x, uint64_t seed)
{
    random_state  random = {seed};
    stria_tensor *host = NULL, *y = NULL;
    int64_t       index[STRIA_MAX_DIMS] = {0};

    CHECK_STATUS(stria_tensor_new(x->dtype, x->ndim, x->shape, &host, NULL), STRIA_OK);
    for (int64_t k = 0; k < x->numel; k++) {
        value v = value_from_real(2 * random_unit(&random) - 1);
        v.imag = 2 * random_unit(&random) - 1;
        value_set(x->dtype, v, tensor_at(host, index));
        index_next(x->ndim, x->shape, index);
    }
    CHECK_STATUS(stria_tensor_copy_to(host, STRIA_DTYPE_NONE, x->device, &y, NULL), STRIA_OK);
    stria_tensor_release(host);
    return y;
}

static void release_all(stria_tensor **xs, int n)
{
    for (int k = 0; k < n; k++) {
        stria_tensor_release(xs[k]);
        xs[k] = NULL;
    }
}

/* By the leaves, of those of n tensors that have a gradient, each times a weight. */
static stria_status differentiate(stria_tensor *const *from, int n, stria_tensor *const *leaves, int n_leaves,
                                  int flags, stria_tensor **grads, stria_error *err)
{
    stria_tensor *roots[MOST_OUTPUTS] = {NULL}, *weights[MOST_OUTPUTS] = {NULL};
    int           n_roots = 0;

    for (int k = 0; k < n && n_roots < MOST_OUTPUTS; k++) {
        if (from[k] == NULL || !stria_tensor_get_requires_grad(from[k])) continue;
        roots[n_roots] = from[k];
        weights[n_roots++] = new_weight(from[k], (uint64_t)(k + 1));
    }
    const stria_status status =
        n_roots == 0 ? STRIA_ERR_ARGUMENT
                     : stria_grad(roots, n_roots, weights, leaves, n_leaves, flags | STRIA_GRAD_UNUSED, grads, err);
    release_all(weights, n_roots);
    return status;
}

/* Those of the call as its inputs are now. The first order without the second takes other paths than with it. */
static derivatives get_derivatives(derivative_call *d, int order)
{
    derivatives   y = {.status = {STRIA_OK, STRIA_OK}};
    stria_tensor *leaves[DERIVATIVE_INPUTS], *outputs[MOST_OUTPUTS];
    int           n = 0, n_outputs = 0;

    for (int k = 0; k < d->n_in; k++)
        if (d->in[k].is_leaf) leaves[n++] = d->in[k].x;
    y.status[0] = derivative_call_run(d, &y.err);
    for (int k = 0; y.status[0] == STRIA_OK && k < row_call_count_outputs(&d->call) && n_outputs < MOST_OUTPUTS; k++)
        outputs[n_outputs++] = row_call_get_output(&d->call, k);
    if (y.status[0] == STRIA_OK)
        y.status[0] = differentiate(outputs, n_outputs, leaves, n, order == 2 ? STRIA_GRAD_CREATE : 0, y.of[0], &y.err);
    if (y.status[0] == STRIA_OK && order == 2) y.status[1] = differentiate(y.of[0], n, leaves, n, 0, y.of[1], &y.err);
    row_call_release(&d->call);
    return y;
}

static void release_derivatives(derivatives *y)
{
    release_all(y->of[0], DERIVATIVE_INPUTS);
    release_all(y->of[1], DERIVATIVE_INPUTS);
}

/* The largest distance of two numbers, of the largest number, or of 1; infinite: they are of another kind. */
static double get_distance(const stria_tensor *there, const stria_tensor *here)
{
    double most = 0, size = 1;

    if (there == NULL && here == NULL) return 0;
    if (there == NULL || here == NULL || there->dtype != here->dtype || there->device.type != STRIA_DEVICE_CUDA ||
        !stria_tensor_has_shape(there, here->ndim, here->shape))
        return INFINITY;
    stria_tensor *a = cuda_case_to_cpu(there), *b = cuda_case_to_cpu(here);
    const double *x = (const double *)(const void *)a->data, *y = (const double *)(const void *)b->data;
    for (int64_t k = 0; k < b->numel * (dtype_is_complex(b->dtype) ? 2 : 1); k++) {
        if (x[k] == y[k] || (isnan(x[k]) && isnan(y[k]))) continue;
        most = isfinite(x[k]) && isfinite(y[k]) ? fmax(most, fabs(x[k] - y[k])) : INFINITY;
        size = fmax(size, fabs(y[k]));
    }
    stria_tensor_release(a), stria_tensor_release(b);
    return most / size;
}

static void compare(const derivative_call *d, int order, const derivatives *there, const derivatives *here)
{
    for (int k = 0; k < order; k++) {
        CHECK(there->status[k] == here->status[k], "%s: order %d: status %d, %s", derivative_call_describe(d), k + 1,
              (int)there->status[k], there->err.message);
        for (int i = 0; i < DERIVATIVE_INPUTS && there->status[k] == STRIA_OK; i++) {
            const double distance = get_distance(there->of[k][i], here->of[k][i]);
            CHECK(distance <= TOLERANCE, "%s: order %d, input %d: %g from that of the CPU", derivative_call_describe(d),
                  k + 1, i, distance);
        }
    }
}

/* Inputs on the device, as leaves where they are some. `kept` has them as they were. */
static void move_inputs(derivative_call *d, stria_tensor **kept)
{
    for (int k = 0; k < d->n_in; k++) {
        stria_tensor *plain = NULL, *moved = NULL;
        kept[k] = d->in[k].x;
        CHECK_STATUS(stria_detach(kept[k], &plain, NULL), STRIA_OK);
        CHECK_STATUS(stria_tensor_copy_to(plain, STRIA_DTYPE_NONE, CUDA, &moved, NULL), STRIA_OK);
        stria_tensor_release(plain);
        if (d->in[k].is_leaf) CHECK_STATUS(stria_tensor_set_requires_grad(moved, true, NULL), STRIA_OK);
        *d->in[k].place = d->in[k].x = moved;
    }
}

static void restore_inputs(derivative_call *d, stria_tensor *const *kept)
{
    for (int k = 0; k < d->n_in; k++) {
        stria_tensor_release(d->in[k].x);
        *d->in[k].place = d->in[k].x = kept[k];
    }
}

/* One call of one order; whether it has a gradient, or the rule says that there is none. */
static bool try_call(stria_row row, int number, int order, bool *is_refused)
{
    derivative_call d;

    derivative_call_begin(&d, &random_numbers, row, number);
    derivatives here = get_derivatives(&d, order);
    const bool  has_gradient = here.status[0] == STRIA_OK;
    *is_refused |= here.status[0] == STRIA_ERR_UNSUPPORTED && strcmp(here.err.op, stria_row_get_name(row)) == 0;
    if (has_gradient && cuda_case_is_drawn()) {
        stria_tensor *kept[DERIVATIVE_INPUTS];
        move_inputs(&d, kept);
        derivatives there = get_derivatives(&d, order);
        compare(&d, order, &there, &here);
        release_derivatives(&there);
        restore_inputs(&d, kept);
    }
    release_derivatives(&here);
    derivative_call_end(&d);
    return has_gradient;
}

static void check_row(stria_row row)
{
    const char           *name = stria_row_get_name(row);
    const stria_rule_kind kind = stria_rule_of(row)->kind;
    const int             n_texts = derivative_count_texts(name);
    bool                  is_refused = false;
    int                   n = 0;

    if (kind == STRIA_RULE_STOPS || kind == STRIA_RULE_CLIPS || row_find(name) != row) return;
    random_numbers.state = 1;
    for (const char *at = name; *at != 0; at++) random_numbers.state = 131 * random_numbers.state + (unsigned char)*at;
    for (int k = 0; n_texts > 0 ? k < 3 * n_texts : k < ATTEMPTS && n < 2 * CALLS && !is_refused; k++)
        for (int order = 1; order <= 2; order++) {
            const random_state before = random_numbers;
            if (!try_call(row, n_texts > 0 ? k % n_texts : 0, order, &is_refused)) break;
            n++;
            if (order == 1) random_numbers = before; /* the same call */
        }
    CHECK(n > 0 || is_refused || (kind != STRIA_RULE_FORMULAS && kind != STRIA_RULE_FUNCTION),
          "no call of %s has a gradient", name);
}

/* test_cuda_gradients [ROW]: all rows, or one. */
SUITE(test_cuda_gradients)
{
    check_isa("test_cuda_gradients");
    if (!cuda_case_begin("test_cuda_gradients")) return 77;
    for (stria_row row = 0; row < STRIA_ROW_OF_FUNCTION(STRIA_FN_COUNT); row++)
        if (argc < 2 || strcmp(argv[1], stria_row_get_name(row)) == 0) check_row(row);
    return cuda_case_finish("test_cuda_gradients");
}
