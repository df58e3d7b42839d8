/* test_promote.c - promotion and casting against the tables of tests/data/cases.json, and against a table of NumPy's
 * for the unsigned integers, where the two differ.
 *
 * Usage: test_promote [cases.json] */
#include <string.h>

#include "iter_case.h"
#include "call/meta.h"
#include "oracle.h"

/* By dtype, the partner of u16, u32, u64: numpy.promote_types for bool and integers. With complex it is the complex,
 * as for the other integers. */
static const struct {
    const char *dtype, *with[3];
} numpy[] = {
    {"bool", {"u16", "u32", "u64"}}, {"u8", {"u16", "u32", "u64"}},      {"i8", {"i32", "i64", "f64"}},
    {"u16", {"u16", "u32", "u64"}},  {"i16", {"i32", "i64", "f64"}},     {"u32", {"u32", "u32", "u64"}},
    {"i32", {"i32", "i64", "f64"}},  {"u64", {"u64", "u64", "u64"}},     {"i64", {"i64", "i64", "f64"}},
    {"c64", {"c64", "c64", "c64"}},  {"c128", {"c128", "c128", "c128"}},
};

static const char *promote_words(const char *a, const char *b)
{
    return stria_dtype_get_name(stria_dtype_get_promoted(iter_case_get_dtype(a), iter_case_get_dtype(b)));
}

static void check_unsigned(void)
{
    static const char *const rows[3] = {"u16", "u32", "u64"};

    for (size_t i = 0; i < sizeof numpy / sizeof numpy[0]; i++) {
        for (int r = 0; r < 3; r++) {
            const char *got = promote_words(rows[r], numpy[i].dtype);
            CHECK(strcmp(got, numpy[i].with[r]) == 0, "%s with %s is %s, expected %s", rows[r], numpy[i].dtype, got,
                  numpy[i].with[r]);
            CHECK(promote_words(numpy[i].dtype, rows[r]) == got, "%s with %s depends on the order", rows[r],
                  numpy[i].dtype);
        }
    }
}

/* What is no dtype promotes to nothing, is cast to as nothing, and is cast from as an integer is. */
static void check_no_dtype(void)
{
    static const stria_dtype none[] = {STRIA_DTYPE_NONE, STRIA_DTYPE_COUNT};

    for (int k = 0; k < 2; k++) {
        for (int d = 0; d < STRIA_DTYPE_COUNT; d++) {
            const stria_dtype x = (stria_dtype)d;
            CHECK(stria_dtype_get_promoted(none[k], x) == STRIA_DTYPE_NONE, "%d with %d", none[k], d);
            CHECK(stria_dtype_get_promoted(x, none[k]) == STRIA_DTYPE_NONE, "%d with %d", d, none[k]);
            CHECK(stria_dtype_get_castable(none[k], x) == (x != STRIA_BOOL), "%d to %d", none[k], d);
            CHECK(!stria_dtype_get_castable(x, none[k]), "%d to %d", d, none[k]);
        }
        for (int j = 0; j < 2; j++) CHECK(!stria_dtype_get_castable(none[k], none[j]), "%d to %d", none[k], none[j]);
    }
}

static void check_tables(const json *tables)
{
    const json *dtypes = json_get(tables, "dtypes");
    int         ran = 0, foreign = 0, numpys = 0;

    for (int i = 0; i < dtypes->count; i++) {
        for (int j = 0; j < dtypes->count; j++) {
            const char *a = json_at(dtypes, i)->string, *b = json_at(dtypes, j)->string;
            const char *promoted = json_at(json_at(json_get(tables, "promote"), i), j)->string;
            if (strcmp(a, "c32") == 0 || strcmp(b, "c32") == 0) {
                foreign++;
                continue;
            }
            const json *castable = json_at(json_at(json_get(tables, "can_cast"), i), j);
            bool        expected = castable->type == JSON_BOOL ? castable->boolean : castable->integer;
            CHECK(stria_dtype_get_castable(iter_case_get_dtype(a), iter_case_get_dtype(b)) == expected, "%s to %s", a,
                  b);
            if (strcmp(promoted, "error") == 0) {
                numpys++; /* checked by check_unsigned */
                continue;
            }
            CHECK(strcmp(promote_words(a, b), promoted) == 0, "%s with %s is %s, expected %s", a, b,
                  promote_words(a, b), promoted);
            ran++;
        }
    }
    printf("  tables       %3d pairs, %d with c32 skipped, %d by NumPy's table\n", ran, foreign, numpys);
    CHECK(ran == 171 && numpys == 54, "%d and %d pairs", ran, numpys);
}

/* A 0-dim tensor or one of some dims of a size that is of no matter. */
static stria_tensor *new_operand(const json *operand)
{
    int64_t       shape[STRIA_MAX_DIMS];
    int           ndim = (int)json_get_int(operand, "ndim", 0);
    stria_tensor *x = NULL;

    for (int d = 0; d < ndim; d++) shape[d] = 2;
    CHECK_STATUS(stria_tensor_new(iter_case_get_dtype(json_get_string(operand, "dtype", "")), ndim, shape, &x, NULL),
                 STRIA_OK);
    x->is_wrapped_number = json_get_bool(operand, "wrapped_number", false);
    return x;
}

/* The reference refuses these three; here NumPy's table answers. */
static const struct {
    const char *id, *dtype;
} defined_here[] = {
    {"result_type-025", "i32"},
    {"result_type-026", "u32"},
    {"result_type-027", "c64"},
};

static const char *get_expected(const json *entry)
{
    const char *id = json_get_string(entry, "id", "");

    for (size_t i = 0; i < sizeof defined_here / sizeof defined_here[0]; i++) {
        if (strcmp(defined_here[i].id, id) == 0) return defined_here[i].dtype;
    }
    return json_get_string(json_get(entry, "expect"), "dtype", "an error");
}

static void check_result_type(const json *entry)
{
    const json   *operands = json_get(entry, "operands");
    stria_tensor *x[CASE_MAX_OPERANDS];

    for (int i = 0; i < operands->count; i++) x[i] = new_operand(json_at(operands, i));
    const char *got = stria_dtype_get_name(stria_promote_result((const stria_tensor *const *)x, operands->count));
    CHECK(strcmp(got, get_expected(entry)) == 0, "%s: %s, expected %s", json_get_string(entry, "id", ""), got,
          get_expected(entry));
    for (int i = 0; i < operands->count; i++) stria_tensor_release(x[i]);
}

SUITE(test_promote)
{
    const char *path = argc > 1 ? argv[1] : "tests/data/cases.json";
    json       *file = json_parse_file(path);
    int         ran = 0, foreign = 0;

    check_unsigned();
    check_no_dtype();
    CHECK(file != NULL, "cannot read %s", path);
    if (file != NULL) check_tables(json_get(file, "tables"));
    const json *cases = json_get(file, "cases");
    for (const json *entry = cases != NULL ? cases->first : NULL; entry != NULL; entry = entry->next) {
        if (strcmp(json_get_string(entry, "kind", ""), "result_type") != 0) continue;
        if (iter_case_is_foreign(entry)) {
            foreign++;
            continue;
        }
        check_result_type(entry);
        ran++;
    }
    printf("  result_type  %3d cases, %d with c32 skipped\n", ran, foreign);
    json_free(file);
    return check_finish("test_promote");
}
