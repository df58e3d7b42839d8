/* test_reference.c - the C examples of docs/reference (examples/reference): each gives what it says, and every row has one. */
#include <math.h>
#include <string.h>

#include "test.h"
#include "table/rows.h"
#include "table/schema.h"
#include "../../examples/reference/reference.h"

stria_tensor     *a, *b, *c, *x, *y, *values, *indices, *out;
stria_tensor_list list;
stria_error       err;

/* Most examples, most tensors that one of them makes, and most characters and elements of one text. */
enum { MAX_EXAMPLES = 1024, MAX_MADE = 16, MAX_TEXT = 2048, MAX_ELEMENTS = 512 };

static struct example {
    const char *name, *file;
    void (*run)(void);
} examples[MAX_EXAMPLES];
static int n_examples;

static stria_tensor *made[MAX_MADE];
static int           n_made;

void reference_add(const char *name, const char *file, void (*run)(void))
{
    if (n_examples < MAX_EXAMPLES) examples[n_examples] = (struct example){name, file, run};
    n_examples++;
}

bool reference_check(bool ok, const char *file, int line)
{
    if (test_count(ok, file, line)) printf("%s\n", err.message);
    return ok;
}

/* ---------------------------------------------------------------- text to tensor */

typedef struct reading {
    const char *at;
    double      elements[2 * MAX_ELEMENTS]; /* real and imaginary parts */
    int64_t     shape[STRIA_MAX_DIMS];
    int         n, ndim;
    bool        ok;
} reading;

static bool skip(reading *r, const char *word)
{
    const size_t n = strlen(word);
    while (*r->at == ' ') r->at++;
    if (strncmp(r->at, word, n) != 0) return false;
    r->at += n;
    return true;
}

/* 1, true, nan, -inf, 1+2i */
static void read_element(reading *r)
{
    double *to = r->elements + (ptrdiff_t)(2 * r->n);
    char   *end;

    if (r->n == MAX_ELEMENTS) {
        r->ok = false;
        return;
    }
    r->n++;
    to[0] = to[1] = 0;
    if (skip(r, "true")) {
        to[0] = 1;
    } else if (!skip(r, "false")) {
        to[0] = strtod(r->at, &end);
        if (end == r->at) r->ok = false;
        r->at = end;
        if (*end == 'i' || ((*end == '+' || *end == '-') && strchr(end, 'i'))) {
            if (*end == 'i')
                to[1] = to[0], to[0] = 0;
            else
                to[1] = strtod(end, &end);
            r->at = end + (*end == 'i');
        }
    }
}

static void read_list(reading *r, int depth)
{
    int64_t size = 0;

    if (!skip(r, "[")) {
        read_element(r);
        return;
    }
    if (depth + 1 > r->ndim) r->ndim = depth + 1;
    if (!skip(r, "]")) do {
            read_list(r, depth + 1);
            size++;
        } while (r->ok && skip(r, ","));
    if (size > 0) r->ok = r->ok && skip(r, "]");
    r->shape[depth] = size;
}

stria_tensor *of(stria_dtype dtype, const char *text)
{
    static reading r;
    stria_tensor  *parts = NULL, *tensor = NULL;

    r = (reading){.at = text, .ok = true};
    read_list(&r, 0);
    const bool is_complex = dtype == STRIA_C64 || dtype == STRIA_C128;
    if (!is_complex)
        for (int k = 0; k < r.n; k++) r.elements[k] = r.elements[2 * (ptrdiff_t)k];
    stria_status status = stria_tensor_new_copy_of(is_complex ? STRIA_C128 : STRIA_F64, r.ndim, r.shape, r.elements,
                                                   (size_t)r.n * (is_complex ? 16 : 8), &parts, &err);
    if (status == STRIA_OK) status = stria_to(parts, dtype, &tensor, &err);
    stria_tensor_release(parts);
    CHECK(r.ok && status == STRIA_OK, "%s is no tensor", text);
    if (n_made < MAX_MADE)
        made[n_made++] = tensor;
    else
        CHECK(false, "more than %d tensors", MAX_MADE);
    return tensor;
}

/* ---------------------------------------------------------------- tensor to text */

typedef struct writing {
    char   text[MAX_TEXT];
    size_t n;
} writing;

static void write_text(writing *w, const char *text)
{
    for (; *text && w->n + 1 < sizeof w->text; text++) w->text[w->n++] = *text;
    w->text[w->n] = 0;
}

static void write_number(writing *w, double v)
{
    char text[400];

    snprintf(text, sizeof text, fabs(v) < 1e-3 ? "%.4g" : "%.4f", v);
    if (!isfinite(v)) {
        strcpy(text, isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
    } else if (v == floor(v)) {
        snprintf(text, sizeof text, fabs(v) < 1e15 ? "%.0f" : "%.10g", v);
    } else if (strchr(text, '.') && !strchr(text, 'e')) {
        while (text[strlen(text) - 1] == '0') text[strlen(text) - 1] = 0;
        if (text[strlen(text) - 1] == '.') text[strlen(text) - 1] = 0;
    }
    write_text(w, text);
}

static void write_element(writing *w, const double *parts, stria_dtype dtype)
{
    if (dtype == STRIA_BOOL) {
        write_text(w, parts[0] != 0 ? "true" : "false");
        return;
    }
    write_number(w, parts[0]);
    if (dtype != STRIA_C64 && dtype != STRIA_C128) return;
    if (!signbit(parts[1])) write_text(w, "+");
    write_number(w, parts[1]);
    write_text(w, "i");
}

/* Elements along an axis and those behind it; returns how many were written. */
static int64_t write_list(writing *w, const stria_tensor *t, const double *at, int axis)
{
    int64_t n = 0;

    if (axis == stria_tensor_get_ndim(t)) {
        write_element(w, at, stria_tensor_get_dtype(t));
        return 1;
    }
    write_text(w, "[");
    for (int64_t k = 0; k < stria_tensor_get_shape(t)[axis]; k++) {
        if (k > 0) write_text(w, ", ");
        n += write_list(w, t, at + 2 * n, axis + 1);
    }
    write_text(w, "]");
    return n;
}

static void write_tensor(writing *w, const stria_tensor *t)
{
    stria_tensor *parts = NULL, *flat = NULL;

    if (!t) {
        write_text(w, "no tensor");
        return;
    }
    stria_status status = stria_to(t, STRIA_C128, &parts, &err);
    if (status == STRIA_OK) status = stria_contiguous(parts, &flat, &err);
    if (status == STRIA_OK)
        write_list(w, t, stria_tensor_get_const_data(flat), 0);
    else
        write_text(w, err.message);
    stria_tensor_release(flat);
    stria_tensor_release(parts);
}

static void compare(const writing *w, const char *text, const char *file, int line)
{
    if (test_count(strcmp(w->text, text) == 0, file, line)) printf("is \"%s\", not \"%s\"\n", w->text, text);
}

void reference_compare(const stria_tensor *const *tensors, int n, const char *text, const char *file, int line)
{
    writing w = {.n = 0};

    for (int k = 0; k < n; k++) {
        if (k > 0) write_text(&w, ", ");
        write_tensor(&w, tensors[k]);
    }
    compare(&w, text, file, line);
}

void reference_equals(double value, const char *text, const char *file, int line)
{
    writing w = {.n = 0};
    write_number(&w, value);
    compare(&w, text, file, line);
}

void reference_text(const char *value, const char *text, const char *file, int line)
{
    writing w = {.n = 0};
    write_text(&w, value);
    compare(&w, text, file, line);
}

/* ---------------------------------------------------------------- the examples, and the rows that they are of */

static void release_all(void)
{
    stria_tensor **const all[] = {&a, &b, &c, &x, &y, &values, &indices, &out};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        for (int i = 0; i < n_made; i++)
            if (made[i] == *all[k]) *all[k] = NULL;
        stria_tensor_release(*all[k]);
        *all[k] = NULL;
    }
    for (int i = 0; i < n_made; i++) stria_tensor_release(made[i]);
    n_made = 0;
    stria_tensor_list_release(&list);
}

/* The row `name` of a family has an example, in the file of the family. */
static void check_row(const char *name, const char *family)
{
    char wanted[128];
    int  k = 0;

    snprintf(wanted, sizeof wanted, "examples/reference/%s.c", family);
    while (k < n_examples && strcmp(examples[k].name, name) != 0) k++;
    CHECK(k < n_examples, "stria_%s has no example: add EXAMPLE(%s) to %s", name, name, wanted);
    if (k == n_examples) return;
    const char  *file = examples[k].file;
    const size_t n = strlen(file), m = strlen(wanted);
    CHECK(n >= m && strcmp(file + n - m, wanted) == 0, "the example of stria_%s is in %s, not in %s", name, file,
          wanted);
}

static void check_rows(void)
{
    const char *family = "";

#define STRIA_FAMILY(word) family = #word;
#define STRIA_OP(set, name, arity, result, lanes, summary) check_row(#name, family);
#define STRIA_RED(set, name, result, identity, combine, finish, summary) check_row(#name, family);
#include "table/ops.def"
#define STRIA_FAMILY(word) family = #word;
#define STRIA_FN(name, tensors, attributes, outputs, summary) check_row(#name, family);
#include "table/functions.def"
}

SUITE(test_reference)
{
    CHECK(n_examples <= MAX_EXAMPLES, "%d examples", n_examples);
    for (int k = 0; k < n_examples && k < MAX_EXAMPLES; k++) {
        if (argc > 1 && strcmp(argv[1], examples[k].name) != 0) continue;
        const int64_t failed = test_failed;
        examples[k].run();
        release_all();
        if (test_failed > failed) printf("in the example %s of %s\n", examples[k].name, examples[k].file);
    }
    if (argc == 1) check_rows();
    return test_finish();
}
