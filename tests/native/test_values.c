/* test_values.c - the cases of tests/data/cases.json that give values, through the public functions; and sums, whose order is
 * our own, against exact ones.
 *
 * Usage: test_values [cases.json] */
#include <math.h>
#include <string.h>

#include "case_list.h"
#include "iter_case.h"
#include "call/call.h"
#include "oracle.h"

/* ---------------------------------------------------------------- from JSON to tensors */

static double get_number(const json *v)
{
    if (v->type == JSON_BOOL) return v->boolean;
    if (v->type == JSON_NUMBER) return v->number;
    return strcmp(v->string, "nan") == 0 ? (double)NAN : strcmp(v->string, "inf") == 0 ? INFINITY : -INFINITY;
}

static value get_value(const json *v)
{
    return v->type == JSON_NUMBER && v->number == (double)v->integer ? value_from_whole(v->integer)
                                                                     : value_from_real(get_number(v));
}

/* A list, or a list of lists of equal length. */
static stria_tensor *new_tensor(stria_dtype dtype, const json *list)
{
    const bool    is_matrix = list->first != NULL && list->first->type == JSON_ARRAY;
    const int64_t shape[2] = {list->count, is_matrix ? list->first->count : 0};
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, is_matrix ? 2 : 1, shape, &x, NULL), STRIA_OK);
    char *at = stria_tensor_get_data(x);
    for (const json *row = list->first; row != NULL; row = row->next) {
        for (const json *v = is_matrix ? row->first : row; v != NULL; v = is_matrix ? v->next : NULL) {
            value_set(dtype, get_value(v), at);
            at += stria_dtype_get_size(dtype);
        }
    }
    return x;
}

/* A number of the host language: a list gives a tensor, anything else a wrapped number. */
static stria_tensor *new_argument(stria_dtype dtype, const json *arg)
{
    stria_tensor *x = NULL;

    if (arg->type == JSON_ARRAY) return new_tensor(dtype, arg);
    stria_scalar number = {.kind = STRIA_SCALAR_FLOAT, .re = get_number(arg)};
    if (arg->type == JSON_BOOL) number = (stria_scalar){.kind = STRIA_SCALAR_BOOL, .i = arg->boolean};
    if (arg->type == JSON_NUMBER && arg->number == (double)arg->integer) {
        number = (stria_scalar){.kind = STRIA_SCALAR_INT, .i = arg->integer};
    }
    CHECK_STATUS(stria_tensor_new_scalar(number, &x, NULL), STRIA_OK);
    return x;
}

/* ---------------------------------------------------------------- values */

/* The attributes of a function of one tensor: axes as of a reduction, and a number, which is the correction, or the order of a
 * norm. A row whose axis must be given has 0 where there is none. */
static void set_attribute(const stria_param *param, stria_any_attrs *attrs, const int *axes, int n_axes, double number,
                          bool keepdim)
{
    char *field = (char *)attrs + param->offset;

    switch ((stria_param_kind)param->kind) {
    case STRIA_KIND_AXIS: {
        const int none = strcmp(param->usual, "ALL") == 0 ? STRIA_AXIS_NONE : 0;
        *(int *)(void *)field = n_axes > 0 ? axes[0] : none;
        break;
    }
    case STRIA_KIND_AXES: *(stria_axes *)(void *)field = (stria_axes){axes, n_axes}; break;
    case STRIA_KIND_NUMBER: *(double *)(void *)field = number; break;
    case STRIA_KIND_DEVICE: *(stria_device *)(void *)field = STRIA_DEVICE_NONE; break;
    case STRIA_KIND_DTYPE: *(stria_dtype *)(void *)field = STRIA_DTYPE_NONE; break;
    case STRIA_KIND_FLAG: *(bool *)(void *)field = keepdim; break;
    default: break;
    }
}

/* Whether the row has an order p, as norm. */
static bool has_order(stria_function function)
{
    return strcmp(stria_schema_get(function)->attributes[0].name, "p") == 0;
}

static stria_status call_function(stria_function function, const stria_tensor *x, const int *axes, int n_axes,
                                  double number, bool keepdim, stria_tensor **out, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(function);
    const stria_tensor *in[STRIA_MAX_TENSORS] = {x};
    stria_any_attrs     attrs;
    const stria_call    call = {STRIA_ROW_OF_FUNCTION(function), 0, in, NULL, 0, &attrs, out, NULL};

    memset(&attrs, 0, sizeof attrs);
    for (int k = 0; k < schema->n_attributes; k++)
        set_attribute(&schema->attributes[k], &attrs, axes, n_axes, number, keepdim);
    *out = NULL;
    return stria_call_run(&call, err);
}

/* What the call of a case gives: a tensor of the caller's, or a status. */
static stria_status compute(const json *entry, stria_tensor **out, stria_error *err)
{
    const char       *word = json_get_string(entry, "op", "");
    const json       *args = json_get(entry, "args");
    const case_row    row = case_find_row(word);
    const stria_dtype dtype = iter_case_get_dtype(json_get_string(entry, "dtype", ""));
    stria_tensor     *x[3] = {NULL};
    stria_status      status;
    int               n = 0;

    *out = NULL;
    if (strcmp(word, "convert") == 0) {
        x[n++] = new_tensor(dtype, json_at(args, 0));
        status = stria_tensor_copy(x[0], iter_case_get_dtype(json_at(args, 1)->string), out, err);
    } else if (row.is_op) {
        for (const json *arg = args->first; arg != NULL; arg = arg->next) x[n++] = new_argument(dtype, arg);
        const stria_tensor *const *in = (const stria_tensor *const *)x;
        if (word[0] == 'i' && (strcmp(word, "iadd") == 0 || strcmp(word, "imul") == 0 || strcmp(word, "idiv") == 0)) {
            status = stria_apply_out(row.op, in, n, x[0], err);
            if (status == STRIA_OK) stria_tensor_retain(*out = x[0]);
        } else {
            status = stria_apply(row.op, in, n, out, err);
        }
    } else if (row.is_function) {
        static const int last = 1;
        const double     number = has_order(row.function) ? get_number(json_at(args, 1)) : strcmp(word, "var0") != 0;
        x[n++] = new_tensor(dtype, json_at(args, 0));
        status = call_function(row.function, x[0], &last, strcmp(word, "var_dim1") == 0, number, false, out, err);
    } else {
        const char *of = strncmp(word, "sum_", 4) == 0 ? word + 4 : NULL;
        x[n++] = new_tensor(dtype, json_at(args, 0));
        status = stria_reduce(row.reduction, x[0], NULL, 0, false, iter_case_get_dtype(of), out, err);
    }
    while (n > 0) stria_tensor_release(x[--n]);
    return status;
}

/* What each error of the cases is here, and what its text names. */
static const struct {
    const char  *kind;
    stria_status status;
    const char  *part;
} errors[] = {
    {"negative_int_power", STRIA_ERR_ARGUMENT, "pow"},
    {"bool_subtract", STRIA_ERR_DTYPE, "bool"},
    {"unsafe_cast", STRIA_ERR_DTYPE, "cast"},
    {"empty_no_dim", STRIA_ERR_EMPTY, "no"},
    {"empty_reduced_dim", STRIA_ERR_EMPTY, "size 0"},
    {"var_dtype", STRIA_ERR_DTYPE, "i64"},
    {"norm_dtype", STRIA_ERR_DTYPE, "i32"},
};

static void check_refused(const char *id, const char *kind, stria_status status, const stria_error *err)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (strcmp(errors[i].kind, kind) != 0) continue;
        CHECK(status == errors[i].status && strstr(err->message, errors[i].part) != NULL,
              "%s: expected %s, got %s (%s)", id, kind, stria_status_get_name(status), err->message);
        return;
    }
    CHECK(false, "%s: unknown kind of error %s", id, kind);
}

static bool is_near(value got, value expected, double tolerance)
{
    const double a = got.is_float ? got.real : (double)got.whole;
    const double b = expected.is_float ? expected.real : (double)expected.whole;

    if (isnan(b)) return isnan(a);
    if (tolerance == 0 || isinf(b)) return a == b;
    return fabs(a - b) <= tolerance * fmax(1, fabs(b));
}

static void check_elements(const char *id, const stria_tensor *y, const json *expect, double tolerance)
{
    const stria_dtype dtype = stria_tensor_get_dtype(y);
    const int         n = expect->type == JSON_ARRAY ? expect->count : 1;

    CHECK(stria_tensor_get_numel(y) == n, "%s: %lld elements", id, (long long)stria_tensor_get_numel(y));
    CHECK(stria_tensor_get_ndim(y) == (expect->type == JSON_ARRAY), "%s: %d dims", id, stria_tensor_get_ndim(y));
    for (int64_t i = 0; i < n && i < stria_tensor_get_numel(y); i++) {
        const json *v = expect->type == JSON_ARRAY ? json_at(expect, (int)i) : expect;
        const char *at = tensor_at(y, &i);
        char        text[64];
        if (expect->type != JSON_ARRAY) at = stria_tensor_get_const_data(y);
        CHECK(is_near(value_get(dtype, at), get_value(v), tolerance), "%s: element %lld is %s", id, (long long)i,
              value_print(dtype, at, text, sizeof text));
    }
}

/* What docs/semantics.md says of the excepted cases: floats to integers saturate, integers divided by 0 give 0. */
static json *saturated, *zero;

static const json *get_expected(const json *entry)
{
    if (case_get_state(entry) != CASE_EXCEPTED) return json_get(entry, "expect");
    return strcmp(json_get_string(entry, "op", ""), "convert") == 0 ? saturated : zero;
}

static void check_values(const json *entry)
{
    const char   *id = json_get_string(entry, "id", "?");
    const json   *expect = get_expected(entry);
    const char   *kind = expect->type == JSON_OBJECT ? json_get_string(expect, "error", "") : NULL;
    const json   *tolerance = json_get(entry, "tol");
    stria_tensor *y = NULL;
    stria_error   err = {0};

    const stria_status status = compute(entry, &y, &err);
    if (kind != NULL) {
        check_refused(id, kind, status, &err);
        CHECK(y == NULL, "%s: a result though it was refused", id);
    } else if (status != STRIA_OK) {
        CHECK(false, "%s: %s (%s)", id, stria_status_get_name(status), err.message);
    } else {
        const char *dtype = json_get_string(entry, "result_dtype", NULL);
        if (dtype != NULL) {
            CHECK(stria_tensor_get_dtype(y) == iter_case_get_dtype(dtype), "%s: dtype %s", id,
                  stria_dtype_get_name(stria_tensor_get_dtype(y)));
        }
        check_elements(id, y, expect, tolerance != NULL ? tolerance->number : 0);
    }
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- shapes and dtypes of functions */

/* The reductions among these cases are test_meta's part. */
static void check_function_meta(const json *entry)
{
    const char    *id = json_get_string(entry, "id", "?");
    const case_row row = case_find_row(json_get_string(entry, "op", ""));
    const json    *expect = json_get(entry, "expect"), *dims = json_get(entry, "dims");
    const char    *kind = json_get_string(expect, "error", NULL);
    int64_t        shape[STRIA_MAX_DIMS];
    int            axes[STRIA_MAX_DIMS], ndim = 0, n_axes = 0;
    stria_tensor  *x = NULL, *y = NULL;
    stria_error    err = {0};

    if (!row.is_function) return;
    for (const json *v = json_get(entry, "shape")->first; v != NULL; v = v->next) shape[ndim++] = v->integer;
    for (const json *v = dims->first; v != NULL; v = v->next) axes[n_axes++] = (int)v->integer;
    CHECK_STATUS(
        stria_empty(shape, ndim, iter_case_get_dtype(json_get_string(entry, "dtype", "")), STRIA_META, &x, NULL),
        STRIA_OK);
    const double       number = has_order(row.function) ? 2 : 1;
    const stria_status status =
        call_function(row.function, x, axes, n_axes, number, json_get_bool(entry, "keepdim", false), &y, &err);
    if (kind != NULL) {
        check_refused(id, kind, status, &err);
    } else if (case_get_state(entry) == CASE_EXCEPTED) {
        CHECK(status == STRIA_ERR_DTYPE, "%s: %s", id, stria_status_get_name(status));
    } else {
        CHECK(status == STRIA_OK, "%s: %s (%s)", id, stria_status_get_name(status), err.message);
    }
    if (y != NULL) {
        iter_case_check_list(id, "shape", json_get(expect, "shape"), stria_tensor_get_ndim(y),
                             stria_tensor_get_shape(y));
        CHECK(stria_tensor_get_dtype(y) == iter_case_get_dtype(json_get_string(expect, "dtype", "")), "%s: dtype %s",
              id, stria_dtype_get_name(stria_tensor_get_dtype(y)));
    }
    stria_tensor_release(y);
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- sums */

static float generate(int64_t i)
{
    return (float)((double)((i * 1103515245 + 12345 + 7919) % (INT64_C(1) << 31)) / 2147483648.0 - 0.25);
}

static float from_bits(const char *hex)
{
    uint32_t bits = 0;
    float    x;

    sscanf(hex, "%8x", &bits);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The reference's order is one of several; ours is bound by the error of pairwise summation, (log2(n) + 1) half units of
 * the sum of magnitudes (Higham 1993), which holds for theirs as well. */
static void check_sum(const json *entry)
{
    const char   *id = json_get_string(entry, "id", "?");
    const int64_t n = json_get_int(entry, "n", 0), shape[2] = {n, 3};
    const bool    is_strided = strncmp(json_get_string(entry, "algorithm", ""), "strided", 7) == 0;
    stria_tensor *base = NULL, *x = NULL, *y = NULL;
    long double   exact = 0, magnitude = 0;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, shape, &base, NULL), STRIA_OK);
    CHECK_STATUS(stria_select(base, 1, 1, &x, NULL), STRIA_OK);
    for (int64_t i = 0; i < n; i++) {
        *(float *)(void *)tensor_at(x, &i) = generate(i);
        exact += (long double)generate(i);
        magnitude += fabsl((long double)generate(i));
    }
    if (!is_strided) {
        stria_tensor *packed = NULL;
        CHECK_STATUS(stria_contiguous(x, &packed, NULL), STRIA_OK);
        stria_tensor_release(x);
        x = packed;
    }
    CHECK_STATUS(stria_sum(x, NULL, 0, false, &y, NULL), STRIA_OK);
    const float       got = *(const float *)stria_tensor_get_const_data(y);
    const float       theirs = from_bits(json_get_string(entry, "expect_f32_bits", "0"));
    const long double bound = (log2l((long double)n) + 1) * 0x1p-24L * magnitude;
    CHECK(fabsl((long double)got - exact) <= bound, "%s: %a, exact %La", id, (double)got, exact);
    CHECK(fabsl((long double)theirs - exact) <= 4 * bound, "%s: the elements are not those of the case", id);
    stria_tensor_release(base);
    stria_tensor_release(x);
    stria_tensor_release(y);
}

SUITE(test_values)
{
    const char *path = argc > 1 ? argv[1] : CASES_PATH;
    json       *file = json_parse_file(path);

    check_isa("test_values");
    saturated = json_parse("[0, 255, 0]", 11);
    zero = json_parse("[0]", 3);
    CHECK(file != NULL && saturated != NULL && zero != NULL, "cannot read %s", path);
    case_run_kind(file, "values", check_values);
    case_run_kind(file, "sum_exact", check_sum);
    case_run_kind(file, "reduce_meta", check_function_meta);
    json_free(saturated);
    json_free(zero);
    json_free(file);
    return check_finish("test_values");
}
