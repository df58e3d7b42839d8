/* test_derivatives.c - the derivative of every row, of first and second order, against differences in f64: calls of derivative_call.h, in
 * layouts of all kinds, real and complex. A row that says nothing of its derivative fails, and one of which no call succeeded. */
#include <math.h>
#include <string.h>

#include "autograd/rules.h"
#include "autograd/run.h"
#include "base/error.h"
#include "derivative_call.h"
#include "stria_autograd.h"
#include "table/rows.h"

#define ATTEMPTS 400  /* by chance, for each row */
#define CALLS 8       /* that succeed, for each row */
#define COORDINATES 5 /* of each input */
#define STEP 2e-4
#define TOLERANCE 2e-6 /* of max(1, |derivative|) */
enum { MOST_OUTPUTS = 12, MOST_ROOTS = DERIVATIVE_INPUTS + MOST_OUTPUTS };

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
    int  calls, differentiable;  /* that succeeded; whose results have gradients */
    int  checked, skipped;       /* coordinates of the first order */
    int  second, second_skipped; /* of the second */
    bool is_refused;             /* the rule says that there is no derivative */
    bool has_lost;               /* a float result of leaves had none */
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

/* Some parts of elements of a leaf, f64 or c128, against its gradient (NULL: zeros). */
static void check_leaf(subject *s, sum_fn *fn, stria_tensor *leaf, int k, const stria_tensor *grad, int *checked,
                       int *skipped, const char *what)
{
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
        if (is_right && is_measurable)
            check_leaf(s, get_sum, s->leaves[k], k, grads[k], &found->checked, &found->skipped, "first");
    }
    release_all(grads, s->n_leaves);
    return status == STRIA_OK && is_measurable;
}

/* The gradients as results of the inputs and of the weights, which they are linear in. */
static void check_second(subject *s, findings *found)
{
    stria_tensor *grads[DERIVATIVE_INPUTS] = {NULL}, *seconds[MOST_ROOTS] = {NULL}, *roots[MOST_ROOTS];
    stria_tensor *from[DERIVATIVE_INPUTS], *directions[DERIVATIVE_INPUTS];
    stria_error   err = {0};
    int           n = 0, n_roots = 0;

    for (int k = 0; k < s->n_leaves; k++) roots[n_roots++] = s->leaves[k];
    bool has_elements = true; /* the mean of nothing is NaN, whatever the weight */
    for (int k = 0; k < s->n_leaves; k++) has_elements &= stria_tensor_get_numel(s->leaves[k]) > 0;
    for (int k = 0; k < s->n_outputs && has_elements; k++) {
        CHECK_STATUS(stria_tensor_set_requires_grad(s->weights[k], true, NULL), STRIA_OK);
        if (stria_tensor_get_dtype(s->weights[k]) == STRIA_F64 || stria_tensor_get_dtype(s->weights[k]) == STRIA_C128)
            roots[n_roots++] = s->weights[k];
    }
    stria_status status = get_gradients(s, STRIA_GRAD_CREATE, grads, &err);
    for (int k = 0; k < s->n_leaves; k++) {
        if (grads[k] == NULL || !stria_tensor_get_requires_grad(grads[k])) continue;
        directions[n] = s->directions[k];
        from[n++] = grads[k];
    }
    if (status == STRIA_OK && n > 0)
        status = stria_grad(from, n, directions, roots, n_roots, STRIA_GRAD_UNUSED, seconds, &err);
    CHECK(status == STRIA_OK, "%s: second order: %s, %s", derivative_call_describe(&s->d), err.op, err.message);
    for (int k = 0; k < n_roots && status == STRIA_OK; k++)
        if (has_same_meta(seconds[k], roots[k]))
            check_leaf(s, get_slope, roots[k], k, seconds[k], &found->second, &found->second_skipped, "second");
    release_all(grads, s->n_leaves);
    release_all(seconds, n_roots);
}

/* ---------------------------------------------------------------- other forms of the same call */

/* The distance of two gradients, relative to 1 or their size. */
static double get_distance(const stria_tensor *a, const stria_tensor *b)
{
    int64_t index[STRIA_MAX_DIMS] = {0};
    double  most = 0;

    for (int64_t k = 0; a != NULL && b != NULL && k < stria_tensor_get_numel(a); k++) {
        const value  u = value_get(stria_tensor_get_dtype(a), tensor_at(a, index));
        const value  v = value_get(stria_tensor_get_dtype(b), tensor_at(b, index));
        const double distance =
            hypot(u.real - v.real, u.is_float ? u.imag - v.imag : 0) / fmax(1, hypot(v.real, v.imag));
        if (isfinite(distance) && distance > most) most = distance;
        index_next(stria_tensor_get_ndim(a), stria_tensor_get_shape(a), index);
    }
    return most;
}

/* The inputs and weights as another real dtype: gradients have it, too, and are near those of f64. */
static void check_narrow(subject *s, stria_dtype dtype, double tolerance)
{
    stria_tensor *wide[DERIVATIVE_INPUTS] = {NULL}, *narrow[DERIVATIVE_INPUTS] = {NULL}, *leaves[DERIVATIVE_INPUTS];
    stria_tensor *weights[MOST_OUTPUTS] = {NULL}, *kept[MOST_OUTPUTS];
    const int     n_outputs = s->n_outputs;
    stria_error   err = {0};
    int           n = 0;

    if (get_gradients(s, 0, wide, NULL) != STRIA_OK) return;
    memcpy(leaves, s->leaves, sizeof leaves);
    memcpy(kept, s->weights, sizeof kept);
    for (int k = 0; k < s->d.n_in; k++) {
        if (!s->d.in[k].is_leaf) continue;
        const stria_dtype to = dtype_is_complex(stria_tensor_get_dtype(leaves[n])) ? STRIA_C64 : dtype;
        stria_tensor     *plain = NULL;
        CHECK_STATUS(stria_detach(leaves[n], &plain, NULL), STRIA_OK);
        CHECK_STATUS(stria_tensor_copy(plain, to, &s->leaves[n], NULL), STRIA_OK);
        stria_tensor_release(plain);
        CHECK_STATUS(stria_tensor_set_requires_grad(s->leaves[n], true, NULL), STRIA_OK);
        *s->d.in[k].place = s->d.in[k].x = s->leaves[n++];
    }
    if (run(s, NULL) == STRIA_OK && s->n_outputs == n_outputs) {
        for (int k = 0; k < n_outputs; k++)
            CHECK_STATUS(stria_tensor_copy(kept[k], stria_tensor_get_dtype(s->outputs[k]), &weights[k], NULL),
                         STRIA_OK);
        memcpy(s->weights, weights, sizeof weights);
        const stria_status status = get_gradients(s, 0, narrow, &err);
        CHECK(status == STRIA_OK, "%s: %s, %s", derivative_call_describe(&s->d), err.op, err.message);
        for (int k = 0; k < n && status == STRIA_OK; k++) {
            CHECK(has_same_meta(narrow[k], s->leaves[k]), "%s: dtype or shape of gradient %d",
                  derivative_call_describe(&s->d), k);
            CHECK(get_distance(narrow[k], wide[k]) <= tolerance, "%s: gradient %d is %g from that of f64",
                  derivative_call_describe(&s->d), k, get_distance(narrow[k], wide[k]));
        }
    }
    release_all(narrow, n);
    release_all(wide, n);
    release_all(weights, n_outputs);
    memcpy(s->weights, kept, sizeof kept);
    s->n_outputs = n_outputs;
    for (int k = 0, at = 0; k < s->d.n_in; k++) {
        if (!s->d.in[k].is_leaf) continue;
        stria_tensor_release(s->leaves[at]);
        *s->d.in[k].place = s->d.in[k].x = s->leaves[at] = leaves[at];
        at++;
    }
}

/* Whether the row may write over its first input, and this call would fit. */
static bool goes_in_place(const subject *s)
{
    const stria_tensor *y = s->outputs[0], *x = s->d.call.in[0];
    const row_call     *c = &s->d.call;
    for (int k = 0; k < s->d.n_in; k++)
        if (s->d.in[k].n_expanded >= 0) return false;
    const bool may =
        c->schema == NULL ? c->call.row < STRIA_OP_COUNT : c->schema->outputs[0].kind == STRIA_KIND_INPLACE;

    return may && x != NULL && x == s->leaves[0] && has_same_meta(y, x);
}

/* The call over a copy of its first input, which has history: the same gradients, or a saved value was changed. */
static void check_in_place(subject *s)
{
    stria_tensor       *wide[DERIVATIVE_INPUTS] = {NULL}, *grads[DERIVATIVE_INPUTS] = {NULL}, *x = NULL;
    const stria_tensor *one = s->d.call.in[0];
    row_call           *c = &s->d.call;
    stria_error         err = {0};

    row_call_release(c);
    CHECK_STATUS(stria_mul(one, one, &x, NULL), STRIA_OK); /* x * x: a history with a slope of its own */
    c->in[0] = x;
    stria_generator_set_seed(NULL, 5);
    stria_status status = row_call_run(c, &err);
    if (status == STRIA_OK)
        status = stria_grad((stria_tensor *[]){row_call_get_output(c, 0)}, 1, s->weights, s->leaves, s->n_leaves,
                            STRIA_GRAD_UNUSED | STRIA_GRAD_RETAIN, wide, &err);
    CHECK(status == STRIA_OK, "%s: of a square: %s", derivative_call_describe(&s->d), err.message);
    row_call_release(c);
    c->out[0] = stria_tensor_retain(x);
    stria_generator_set_seed(NULL, 5);
    status = stria_call_run(&c->call, &err);
    if (status == STRIA_OK)
        status = stria_grad(&x, 1, s->weights, s->leaves, s->n_leaves, STRIA_GRAD_UNUSED, grads, &err);
    CHECK(status == STRIA_OK || status == STRIA_ERR_UNSUPPORTED || strstr(err.message, "changed in place"),
          "%s: in place: %s, %s", derivative_call_describe(&s->d), err.op, err.message);
    for (int k = 0; k < s->n_leaves && status == STRIA_OK; k++)
        CHECK((grads[k] == NULL) == (wide[k] == NULL) && get_distance(grads[k], wide[k]) <= 1e-12,
              "%s: in place gradient %d is %g from that of a new result", derivative_call_describe(&s->d), k,
              get_distance(grads[k], wide[k]));
    row_call_release(c);
    c->in[0] = one;
    stria_tensor_release(x);
    release_all(grads, s->n_leaves);
    release_all(wide, s->n_leaves);
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

/* Whether the result depends on the elements of the inputs alone: on no generator, and not on how they lie in memory. */
static bool is_function_of_elements(const row_call *c)
{
    for (int k = 0; c->schema != NULL && k < c->schema->n_attributes; k++)
        if (c->schema->attributes[k].kind == STRIA_KIND_GENERATOR) return false;
    return c->call.row != STRIA_ROW_OF_FUNCTION(STRIA_FN_as_strided);
}

static void check_forms(subject *s)
{
    const bool is_comparable = is_function_of_elements(&s->d.call);

    for (int k = 0; k < s->n_outputs; k++)
        CHECK_STATUS(stria_tensor_set_requires_grad(s->weights[k], false, NULL), STRIA_OK);
    check_narrow(s, STRIA_F32, is_comparable ? 1e-2 : INFINITY);
    check_narrow(s, STRIA_F16, INFINITY);
    check_narrow(s, STRIA_BF16, INFINITY);
    if (run(s, NULL) == STRIA_OK && goes_in_place(s)) check_in_place(s);
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
            if (!found->is_refused) check_forms(&s);
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
    const bool            stops = kind == STRIA_RULE_STOPS || kind == STRIA_RULE_CLIPS;
    const int             n_texts = derivative_count_texts(name);

    CHECK(kind != STRIA_RULE_SILENT || is_composite(row), "%s says nothing of its derivative in rules.def", name);
    if (!has_numbers(row) || (kind == STRIA_RULE_SILENT && !is_composite(row))) return;
    for (int k = 0; k < (n_texts ? 3 * n_texts : ATTEMPTS) && (n_texts || found.differentiable < CALLS); k++)
        try_call(row, n_texts ? k % n_texts : 0, &found);
    CHECK(found.calls > 0, "no call of %s succeeded (%s): gradient_samples.def can give one", name,
          found.first_refusal);
    CHECK(!found.has_lost || stops, "a result of %s has no gradient", name);
    if (stops)
        CHECK(found.differentiable == 0, "results of %s have gradients, but rules.def says that they have none", name);
    else if ((kind != STRIA_RULE_SILENT || found.differentiable > 0) && !found.is_refused &&
             derivative_is_measurable(name)) {
        CHECK(found.checked > 0, "%s: no derivative was checked", name);
        CHECK(found.second > 0, "%s: no derivative of second order was checked", name);
    }
    CHECK(found.second_skipped <= found.second, "%s: %d of %d differences of gradients lie beside kinks", name,
          found.second_skipped, found.second_skipped + found.second);
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

/* Of a row's name, so that its calls depend on no other row. */
static uint64_t get_seed(const char *name)
{
    uint64_t seed = 1;

    for (; *name != '\0'; name++) seed = 131 * seed + (unsigned char)*name;
    return seed;
}

/* All rows, or the one of this name. */
static void check_rows(const char *name)
{
    for (stria_row row = 0; row < STRIA_ROW_OF_FUNCTION(STRIA_FN_COUNT); row++) {
        if (name != NULL && strcmp(name, stria_row_get_name(row)) != 0) continue;
        if (row < STRIA_OP_COUNT) check_formulas((stria_op)row);
        random_numbers.state = get_seed(stria_row_get_name(row));
        if (row >= STRIA_OP_COUNT || stria_op_infos[row].n_numbers == 0)
            check_row(row); /* with numbers: a function, too */
    }
}

/* test_derivatives [ROW] */
SUITE(test_derivatives)
{
    const int64_t before = stria_memory_get_stats().live_tensors;

    check_isa("test_derivatives");
    for (int least = -1; least <= 0; least++) { /* rules word by word, and as expressions where they can be */
        stria_deferred_set_least(least);
        check_rows(argc > 1 ? argv[1] : NULL);
    }
    stria_deferred_set_least(-1);
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("test_derivatives");
}
