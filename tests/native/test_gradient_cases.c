/* test_gradient_cases.c - gradients against those of PyTorch, of points that include ties, kinks, zeros, infinities and NaN:
 * tests/data/gradient_cases.json, which gradient_cases.py writes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/run.h"
#include "oracle.h"
#include "row_call.h"
#include "tensor/tensor.h"
#include "stria_autograd.h"

/* |got - expected| <= tolerance max(1, |expected|): both compute in f64, along different ways. A case may say that PyTorch is not as accurate. */
#define TOLERANCE 4e-12
enum { MOST = STRIA_MAX_TENSORS + ROW_CALL_LIST };

static int    case_number, n_in_place;
static double tolerance;

/* NULL for null. */
static stria_tensor *read_tensor(const json *entry)
{
    int64_t       shape[8];
    int           ndim = 0;
    stria_tensor *x = NULL;

    if (entry == NULL || entry->type == JSON_NULL) return NULL;
    for (const json *size = json_get(entry, "shape")->first; size; size = size->next) shape[ndim++] = size->integer;
    const stria_dtype dtype = row_find_dtype(json_get_string(entry, "dtype", ""));
    CHECK_STATUS(stria_tensor_new(dtype, ndim, shape, &x, NULL), STRIA_OK);
    const char   *text = json_get_string(entry, "data", "");
    char         *data = stria_tensor_get_data(x), *end;
    const int64_t numel = stria_tensor_get_numel(x);
    for (int64_t k = 0, size = (int64_t)stria_dtype_get_size(dtype); k < numel; k++, data += size) {
        value v = value_from_real(strtod(text, &end));
        CHECK(end != text, "case %d: too few numbers", case_number);
        if (dtype_is_complex(dtype)) v.imag = strtod(end, &end);
        value_set(dtype, v, data);
        text = end;
    }
    return x;
}

static bool is_near(double got, double expected)
{
    if (isnan(expected) || isinf(expected)) return isnan(expected) ? isnan(got) : got == expected;
    return fabs(got - expected) <= tolerance * fmax(1, fabs(expected));
}

/* No gradient is zeros. */
static void check_gradient(const char *row, int k, const stria_tensor *got, const stria_tensor *expected)
{
    int64_t index[8] = {0};

    if (got == NULL && expected == NULL) return;
    if (expected == NULL || (got != NULL && (stria_tensor_get_dtype(got) != stria_tensor_get_dtype(expected) ||
                                             stria_tensor_get_numel(got) != stria_tensor_get_numel(expected) ||
                                             stria_tensor_get_ndim(got) != stria_tensor_get_ndim(expected)))) {
        CHECK(false, "case %d, %s: gradient %d has another dtype or shape", case_number, row, k);
        return;
    }
    const stria_dtype dtype = stria_tensor_get_dtype(expected);
    for (int64_t i = 0; i < stria_tensor_get_numel(expected); i++) {
        const value want = value_get(dtype, tensor_at(expected, index));
        const value have = got ? value_get(dtype, tensor_at(got, index)) : value_from_real(0);
        const bool is_ok = is_near(have.real, want.real) && (!dtype_is_complex(dtype) || is_near(have.imag, want.imag));
        CHECK(is_ok, "case %d, %s: gradient %d, element %d is %.17g%+.17gi, expected %.17g%+.17gi", case_number, row, k,
              (int)i, have.real, dtype_is_complex(dtype) ? have.imag : 0, want.real,
              dtype_is_complex(dtype) ? want.imag : 0);
        index_next(stria_tensor_get_ndim(expected), stria_tensor_get_shape(expected), index);
    }
}

/* A case while it is checked: inputs, then the members of the list. */
typedef struct scene {
    row_call      call;
    stria_tensor *in[MOST], *leaves[MOST], *grads[MOST], *outputs[STRIA_MAX_OUTPUTS], *weights[STRIA_MAX_OUTPUTS];
    const json   *wanted[MOST]; /* of leaves */
    int           n_in, at[MOST], n_leaves, n_outputs;
} scene;

static void read_inputs(scene *s, const json *entry)
{
    const json *wanted = json_get(entry, "gradients")->first;

    for (const json *x = json_get(entry, "inputs")->first; x; x = x->next) {
        s->in[s->n_in] = read_tensor(x);
        s->call.in[s->n_in] = s->in[s->n_in];
        s->n_in++;
    }
    const int first = s->n_in;
    for (const json *x = json_get(entry, "list") ? json_get(entry, "list")->first : NULL; x; x = x->next) {
        s->in[s->n_in] = read_tensor(x);
        s->call.list[s->n_in - first] = s->in[s->n_in];
        s->n_in++;
    }
    s->call.call.n_list = s->n_in - first;
    for (int k = 0; k < s->n_in; k++, wanted = wanted->next) {
        if (wanted->type == JSON_NULL) continue;
        CHECK_STATUS(stria_tensor_set_requires_grad(s->in[k], true, NULL), STRIA_OK);
        s->at[s->n_leaves] = k;
        s->wanted[s->n_leaves] = wanted;
        s->leaves[s->n_leaves++] = s->in[k];
    }
}

static void check_gradients(const scene *s, const char *row)
{
    for (int k = 0; k < s->n_leaves; k++) {
        stria_tensor *expected = read_tensor(s->wanted[k]);
        check_gradient(row, s->at[k], s->grads[k], expected);
        stria_tensor_release(expected);
    }
}

/* The same call into a copy of its first input, where rows can be in place and this one is not refused: the gradients are no others. */
static void check_in_place(scene *s, const char *row)
{
    const stria_schema *schema = s->call.schema;
    stria_tensor       *x = NULL, *grads[MOST] = {NULL};
    stria_row           number = s->call.call.row;

    if (s->in[0] == NULL || s->n_outputs != 1 ||
        (schema != NULL ? schema->outputs[0].kind != STRIA_KIND_INPLACE : number >= STRIA_OP_COUNT))
        return;
    const stria_tensor *y = row_call_get_output(&s->call, 0);
    if (stria_tensor_get_dtype(y) != stria_tensor_get_dtype(s->in[0]) ||
        !stria_tensor_has_shape(s->in[0], stria_tensor_get_ndim(y), stria_tensor_get_shape(y)))
        return;
    row_call_release(&s->call);
    CHECK_STATUS(stria_tensor_copy(s->in[0], STRIA_DTYPE_NONE, &x, NULL), STRIA_OK);
    for (int k = 0; k < s->n_in; k++)
        if (s->call.in[k] == s->in[0]) s->call.in[k] = x;
    s->call.out[0] = stria_tensor_retain(x);
    CHECK_STATUS(stria_call_run(&s->call.call, NULL), STRIA_OK);
    CHECK_STATUS(stria_grad(&x, 1, s->weights, s->leaves, s->n_leaves, STRIA_GRAD_UNUSED, grads, NULL), STRIA_OK);
    for (int k = 0; k < s->n_leaves; k++) {
        stria_tensor_release(s->grads[k]);
        s->grads[k] = grads[k];
    }
    check_gradients(s, row);
    stria_tensor_release(x);
    n_in_place++;
}

static void check_case(const json *entry)
{
    const char     *row = json_get_string(entry, "row", "");
    const stria_row number = row_find(row);
    const json     *inexact = json_get(entry, "tolerance");
    stria_error     err = {0};
    scene           s = {.n_in = 0};

    CHECK(number >= 0, "case %d: there is no row %s", case_number, row);
    if (number < 0) return;
    tolerance = inexact ? inexact->number : TOLERANCE;
    row_call_begin(&s.call, number);
    read_inputs(&s, entry);
    for (const json *a = json_get(entry, "attributes")->first; a; a = a->next)
        CHECK(row_call_set(&s.call, a->key, a), "case %d: %s has no such attribute %s", case_number, row, a->key);
    stria_status status = row_call_run(&s.call, &err);
    int          k = 0;
    for (const json *w = json_get(entry, "weights")->first; w && status == STRIA_OK; w = w->next, k++) {
        s.weights[s.n_outputs] = read_tensor(w);
        if (s.weights[s.n_outputs] != NULL) s.outputs[s.n_outputs++] = row_call_get_output(&s.call, k);
    }
    if (status == STRIA_OK)
        status = stria_grad(s.outputs, s.n_outputs, s.weights, s.leaves, s.n_leaves, STRIA_GRAD_UNUSED, s.grads, &err);
    CHECK(status == STRIA_OK, "case %d, %s: %s, %s", case_number, row, err.op, err.message);
    if (status == STRIA_OK) {
        check_gradients(&s, row);
        check_in_place(&s, row);
    }
    for (k = 0; k < MOST; k++) {
        stria_tensor_release(s.grads[k]);
        stria_tensor_release(s.in[k]);
    }
    for (k = 0; k < s.n_outputs; k++) stria_tensor_release(s.weights[k]);
    row_call_release(&s.call);
}

SUITE(test_gradient_cases)
{
    const int64_t before = stria_memory_get_stats().live_tensors;
    json         *file = json_parse_file("tests/data/gradient_cases.json");

    check_isa("test_gradient_cases");
    CHECK(file != NULL, "tests/data/gradient_cases.json cannot be read");
    for (int least = -1; least <= 0; least++) { /* rules word by word, and as expressions where they can be */
        stria_deferred_set_least(least);
        case_number = 0;
        for (const json *entry = file ? file->first : NULL; entry; entry = entry->next, case_number++)
            check_case(entry);
    }
    stria_deferred_set_least(-1);
    CHECK(n_in_place > 200, "only %d cases are in place", n_in_place);
    json_free(file);
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("test_gradient_cases");
}
