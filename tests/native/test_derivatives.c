/* test_derivatives.c - the derivative of every row, of first and second order, against differences in f64: calls of derivative_call.h, in
 * layouts of all kinds, real and complex. A row that says nothing of its derivative fails, and one of which no call succeeded. */
#include <math.h>
#include <string.h>

#include "autograd/rules.h"
#include "base/error.h"
#include "derivative_call.h"
#include "stria_autograd.h"
#include "table/rows.h"

#define ATTEMPTS 400  /* by chance, for each row */
#define CALLS 8       /* that succeed, for each row */
#define COORDINATES 5 /* of each input */
#define STEP 2e-4
#define TOLERANCE 2e-6 /* of max(1, |derivative|) */
enum { MOST_OUTPUTS = 12 };

/* What is derived: the sum of outputs times weights; for the second order, the sum of its gradients times directions. */
typedef struct subject {
    derivative_call d;
    stria_tensor   *outputs[MOST_OUTPUTS],
        *weights[MOST_OUTPUTS]; /* outputs that have gradients: borrowed; weights: owned */
    int           n_outputs;
    stria_tensor *leaves[DERIVATIVE_INPUTS], *directions[DERIVATIVE_INPUTS];
    int           n_leaves;
} subject;

/* What was seen of a row. */
typedef struct findings {
    int  calls, differentiable; /* that succeeded; whose results have gradients */
    int  checked, skipped;      /* coordinates of the first order */
    int  second;                /* of the second */
    bool is_refused;            /* the rule says that there is no derivative */
    bool has_lost;              /* a float result of leaves had none */
    char first_refusal[200];
} findings;

static random_state random_numbers = {3};

static int pick(int n) { return (int)(random_next(&random_numbers) % (uint64_t)n); }

/* ---------------------------------------------------------------- sums */

static stria_tensor *new_random_like(const stria_tensor *x)
{
    stria_tensor *y = NULL;
    int64_t       index[STRIA_MAX_DIMS] = {0};

    CHECK_STATUS(
        stria_tensor_new(stria_tensor_get_dtype(x), stria_tensor_get_ndim(x), stria_tensor_get_shape(x), &y, NULL),
        STRIA_OK);
    for (int64_t k = 0; k < stria_tensor_get_numel(x); k++) {
        value v = value_from_real(2 * random_unit(&random_numbers) - 1);
        v.imag = 2 * random_unit(&random_numbers) - 1;
        value_set(stria_tensor_get_dtype(x), v, tensor_at(y, index));
        index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), index);
    }
    return y;
}

/* The sum of Re(conj(w) x). */
static double get_product(const stria_tensor *x, const stria_tensor *w)
{
    int64_t index[STRIA_MAX_DIMS] = {0};
    double  sum = 0;

    for (int64_t k = 0; k < stria_tensor_get_numel(x); k++) {
        const value a = value_get(stria_tensor_get_dtype(x), tensor_at(x, index));
        const value b = value_get(stria_tensor_get_dtype(w), tensor_at(w, index));
        sum += a.real * b.real;
        if (dtype_is_complex(stria_tensor_get_dtype(x)) && dtype_is_complex(stria_tensor_get_dtype(w)))
            sum += a.imag * b.imag;
        index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), index);
    }
    return sum;
}

/* Runs the call, and finds the outputs that have gradients. */
static stria_status run(subject *s, stria_error *err)
{
    STRIA_TRY(derivative_call_run(&s->d, err));
    s->n_outputs = 0;
    for (int k = 0; k < row_call_count_outputs(&s->d.call) && s->n_outputs < MOST_OUTPUTS; k++) {
        stria_tensor *y = row_call_get_output(&s->d.call, k);
        if (y != NULL && stria_tensor_get_requires_grad(y)) s->outputs[s->n_outputs++] = y;
    }
    return STRIA_OK;
}

/* The sum itself. */
static bool get_sum(subject *s, double *sum)
{
    const int n = s->n_outputs;

    *sum = 0;
    if (run(s, NULL) != STRIA_OK || s->n_outputs != n) return false;
    for (int k = 0; k < n; k++) {
        if (stria_tensor_get_numel(s->outputs[k]) != stria_tensor_get_numel(s->weights[k])) return false;
        *sum += get_product(s->outputs[k], s->weights[k]);
    }
    return true;
}

static void release_all(stria_tensor **xs, int n)
{
    for (int k = 0; k < n; k++) {
        stria_tensor_release(xs[k]);
        xs[k] = NULL;
    }
}

/* The gradients of the sum by the leaves. */
static stria_status get_gradients(subject *s, int flags, stria_tensor **grads, stria_error *err)
{
    STRIA_TRY(run(s, err));
    return stria_grad(s->outputs, s->n_outputs, s->weights, s->leaves, s->n_leaves, flags | STRIA_GRAD_UNUSED, grads,
                      err);
}

/* The sum of the gradients times directions. */
static bool get_slope(subject *s, double *sum)
{
    stria_tensor *grads[DERIVATIVE_INPUTS] = {NULL};

    *sum = 0;
    if (get_gradients(s, 0, grads, NULL) != STRIA_OK) return false;
    for (int k = 0; k < s->n_leaves; k++)
        if (grads[k] != NULL) *sum += get_product(grads[k], s->directions[k]);
    release_all(grads, s->n_leaves);
    return true;
}

/* ---------------------------------------------------------------- differences */

typedef bool sum_fn(subject *s, double *sum);

static bool get_difference(subject *s, sum_fn *fn, double *at, double step, double *difference)
{
    const double before = *at;
    double       low = 0, high = 0;

    *at = before + step;
    bool is_ok = fn(s, &high);
    *at = before - step;
    is_ok = fn(s, &low) && is_ok;
    *at = before;
    *difference = (high - low) / (2 * step);
    return is_ok && isfinite(*difference);
}

/* The derivative by the number at `at`, of two central differences. False: they do not agree, as beside a kink. */
static bool derive(subject *s, sum_fn *fn, double *at, double *derivative)
{
    double wide, narrow;

    if (!get_difference(s, fn, at, STEP, &wide) || !get_difference(s, fn, at, STEP / 2, &narrow)) return false;
    *derivative = (4 * narrow - wide) / 3;
    return fabs(wide - narrow) <= 1e-3 * fmax(1, fabs(*derivative));
}

/* Some parts of elements of leaf k against its gradient (NULL: zeros). */
static void check_leaf(subject *s, sum_fn *fn, int k, const stria_tensor *grad, int *checked, int *skipped,
                       const char *what)
{
    stria_tensor     *leaf = s->leaves[k];
    const stria_dtype dtype = stria_tensor_get_dtype(leaf);
    const int         ndim = stria_tensor_get_ndim(leaf), parts = dtype_is_complex(dtype) ? 2 : 1;
    const int         numel = (int)stria_tensor_get_numel(leaf);

    for (int n = 0; n < COORDINATES && n < numel * parts; n++) {
        const int place = numel * parts <= COORDINATES ? n / parts : pick(numel);
        const int part = numel * parts <= COORDINATES ? n % parts : pick(parts);
        int64_t   index[STRIA_MAX_DIMS] = {0};
        double    derivative;
        for (int i = 0; i < place; i++) index_next(ndim, stria_tensor_get_shape(leaf), index);
        double *at = (double *)(void *)tensor_at(leaf, index) + part;
        value   got = grad ? value_get(dtype, tensor_at(grad, index)) : value_from_real(0);
        if (!derive(s, fn, at, &derivative)) {
            (*skipped)++;
            continue;
        }
        (*checked)++;
        const double analytic = part ? got.imag : got.real;
        CHECK(fabs(analytic - derivative) <= TOLERANCE * fmax(1, fabs(derivative)),
              "%s: %s order, input %d, element %d, part %d at %.6g: %.12g, by differences %.12g",
              derivative_call_describe(&s->d), what, k, place, part, *at, analytic, derivative);
    }
}

/* ---------------------------------------------------------------- orders */

static bool has_same_meta(const stria_tensor *grad, const stria_tensor *leaf)
{
    return grad == NULL || (stria_tensor_get_dtype(grad) == stria_tensor_get_dtype(leaf) &&
                            stria_tensor_has_shape(grad, leaf->ndim, leaf->shape));
}

static bool check_first(subject *s, findings *found)
{
    stria_tensor *grads[DERIVATIVE_INPUTS] = {NULL};
    stria_error   err = {0};

    const stria_status status = get_gradients(s, 0, grads, &err);
    found->is_refused |= status == STRIA_ERR_UNSUPPORTED && strcmp(err.op, stria_row_get_name(s->d.call.call.row)) == 0;
    CHECK(status == STRIA_OK || found->is_refused, "%s: %s, %s", derivative_call_describe(&s->d), err.op, err.message);
    const bool is_measurable = derivative_is_measurable(stria_row_get_name(s->d.call.call.row));
    for (int k = 0; k < s->n_leaves && status == STRIA_OK; k++) {
        const bool is_right = has_same_meta(grads[k], s->leaves[k]);
        CHECK(is_right, "%s: the gradient of input %d has another dtype or shape", derivative_call_describe(&s->d), k);
        if (is_right && is_measurable) check_leaf(s, get_sum, k, grads[k], &found->checked, &found->skipped, "first");
    }
    release_all(grads, s->n_leaves);
    return status == STRIA_OK && is_measurable;
}

static void check_second(subject *s, findings *found)
{
    stria_tensor *grads[DERIVATIVE_INPUTS] = {NULL}, *seconds[DERIVATIVE_INPUTS] = {NULL};
    stria_tensor *from[DERIVATIVE_INPUTS], *directions[DERIVATIVE_INPUTS];
    stria_error   err = {0};
    int           n = 0, skipped = 0;

    stria_status status = get_gradients(s, STRIA_GRAD_CREATE, grads, &err);
    for (int k = 0; k < s->n_leaves; k++) {
        if (grads[k] == NULL || !stria_tensor_get_requires_grad(grads[k])) continue;
        directions[n] = s->directions[k];
        from[n++] = grads[k];
    }
    if (status == STRIA_OK && n > 0)
        status = stria_grad(from, n, directions, s->leaves, s->n_leaves, STRIA_GRAD_UNUSED, seconds, &err);
    CHECK(status == STRIA_OK, "%s: second order: %s, %s", derivative_call_describe(&s->d), err.op, err.message);
    for (int k = 0; k < s->n_leaves && status == STRIA_OK; k++)
        if (has_same_meta(seconds[k], s->leaves[k]))
            check_leaf(s, get_slope, k, seconds[k], &found->second, &skipped, "second");
    release_all(grads, s->n_leaves);
    release_all(seconds, s->n_leaves);
}

/* ---------------------------------------------------------------- rows */

static void find_leaves(subject *s)
{
    s->n_leaves = 0;
    for (int k = 0; k < s->d.n_in; k++) {
        if (!s->d.in[k].is_leaf) continue;
        s->directions[s->n_leaves] = new_random_like(s->d.in[k].x);
        s->leaves[s->n_leaves++] = s->d.in[k].x;
    }
}

/* Whether a result that could have a gradient has none: a composite took a way around its history. */
static bool has_lost(const subject *s)
{
    int64_t n = 0;

    for (int k = 0; k < s->n_leaves; k++) n += stria_tensor_get_numel(s->leaves[k]);
    if (n == 0) return false; /* nothing of the leaves is in it */
    for (int k = 0; k < row_call_count_outputs(&s->d.call); k++) {
        const stria_tensor *y = row_call_get_output(&s->d.call, k);
        if (y != NULL && stria_dtype_get_category(stria_tensor_get_dtype(y)) >= STRIA_CATEGORY_F &&
            !stria_tensor_get_requires_grad(y))
            return true;
    }
    return false;
}

static void try_call(stria_row row, int number, findings *found)
{
    subject     s;
    stria_error err = {0};

    memset(&s, 0, sizeof s);
    derivative_call_begin(&s.d, &random_numbers, row, number);
    find_leaves(&s);
    if (run(&s, &err) == STRIA_OK) {
        found->calls++;
        found->has_lost |= has_lost(&s);
        for (int k = 0; k < s.n_outputs; k++) s.weights[k] = new_random_like(s.outputs[k]);
        if (s.n_outputs > 0) {
            found->differentiable++;
            if (check_first(&s, found)) check_second(&s, found);
        }
    } else if (found->first_refusal[0] == 0 || s.d.text != NULL) {
        snprintf(found->first_refusal, sizeof found->first_refusal, "%.80s: %.100s", derivative_call_describe(&s.d),
                 err.message);
    }
    const int n_weights = MOST_OUTPUTS;
    release_all(s.weights, n_weights);
    release_all(s.directions, s.n_leaves);
    derivative_call_end(&s.d);
}

static bool is_composite(stria_row row)
{
    const stria_call call = {.row = row};

    return stria_call_is_composite(&call);
}

/* Whether there is a call of the row that has a float or complex number among inputs and outputs. */
static bool has_numbers(stria_row row)
{
    if (row < STRIA_OP_COUNT) return (stria_op_infos[row].dtype_set >> STRIA_F64 & 1) != 0;
    if (row < STRIA_ROW_OF_FUNCTION(0)) return true;
    const stria_schema *schema = stria_schema_get((stria_function)(row - STRIA_ROW_OF_FUNCTION(0)));
    return schema->n_tensors > 0 && !stria_schema_is_update(schema); /* which has no results */
}

static void check_row(stria_row row)
{
    const char           *name = stria_row_get_name(row);
    const stria_rule_kind kind = stria_rule_of(row)->kind;
    findings              found = {.calls = 0};
    const int             n_texts = derivative_count_texts(name);

    CHECK(kind != STRIA_RULE_SILENT || is_composite(row), "%s says nothing of its derivative in rules.def", name);
    if (!has_numbers(row) || (kind == STRIA_RULE_SILENT && !is_composite(row))) return;
    for (int k = 0; k < (n_texts ? 3 * n_texts : ATTEMPTS) && (n_texts || found.differentiable < CALLS); k++)
        try_call(row, n_texts ? k % n_texts : 0, &found);
    CHECK(found.calls > 0, "no call of %s succeeded (%s): gradient_samples.def can give one", name,
          found.first_refusal);
    CHECK(!found.has_lost || kind == STRIA_RULE_STOPS, "a result of %s has no gradient", name);
    if (kind == STRIA_RULE_STOPS)
        CHECK(found.differentiable == 0, "results of %s have gradients, but rules.def says that they have none", name);
    else if (kind != STRIA_RULE_SILENT && !found.is_refused && derivative_is_measurable(name))
        CHECK(found.checked > 0, "%s: no derivative was checked", name);
    CHECK(found.skipped <= found.checked, "%s: %d of %d differences lie beside kinks", name, found.skipped,
          found.skipped + found.checked);
}

/* An op has a formula for each input, but not for its numbers and for a condition. */
static void check_formulas(stria_op op)
{
    const stria_rule    *rule = stria_rule_of(STRIA_ROW_OF_OP(op));
    const stria_op_info *info = &stria_op_infos[op];

    if (rule->kind != STRIA_RULE_FORMULAS) return;
    for (int k = info->result == STRIA_RESULT_SELECT; k < info->arity - info->n_numbers; k++)
        CHECK(rule->formulas[k] != NULL, "rules.def has no formula for input %c of %s", 'a' + k, info->name);
}

/* test_derivatives [ROW]: all rows, or one. */
SUITE(test_derivatives)
{
    const int64_t before = stria_memory_get_stats().live_tensors;

    check_isa("test_derivatives");
    for (stria_row row = 0; row < STRIA_ROW_OF_FUNCTION(STRIA_FN_COUNT); row++) {
        if (argc > 1 && strcmp(argv[1], stria_row_get_name(row)) != 0) continue;
        if (row < STRIA_OP_COUNT) check_formulas((stria_op)row);
        random_numbers.state = (uint64_t)row + 1; /* a row's calls depend on no other row */
        if (row >= STRIA_OP_COUNT || stria_op_infos[row].n_numbers == 0)
            check_row(row); /* with numbers: a function, too */
    }
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("test_derivatives");
}
