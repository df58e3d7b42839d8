/* test_graph_dynamic.c - graphs for many sizes: the bits of the calls at each, files of them, programs that are others at some size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph_case.h"

/* What is recorded: of x [n, 5] and the held w, the results y. */
typedef void program(stria_tensor *x, stria_tensor *w, stria_tensor **y);
enum { N_RESULTS = 2, COLUMNS = 5 };

static stria_tensor *new_matrix(int64_t rows, int64_t columns, int seed)
{
    stria_tensor *x;

    OK(stria_tensor_new(STRIA_F32, 2, (const int64_t[]){rows, columns}, &x, NULL));
    for (int64_t i = 0; i < rows * columns; i++)
        ((float *)stria_tensor_get_data(x))[i] = (float)((i * 37 + seed * 11) % 64) / 32 - 1;
    return x;
}

/* softmax(relu(x w), 1) and its mean over the rows. */
static void run_layer(stria_tensor *x, stria_tensor *w, stria_tensor **y)
{
    stria_tensor *a, *b;

    OK(stria_matmul(x, w, &a, NULL));
    OK(stria_relu(a, &b, NULL));
    OK(stria_softmax(b, 1, STRIA_DTYPE_NONE, &y[0], NULL));
    OK(stria_mean(y[0], (const int[]){0}, 1, false, &y[1], NULL));
    RELEASE(a, b);
}

/* A mean of squares and its gradient, which has 1 / n; views that end with the batch. */
static void run_loss(stria_tensor *x, stria_tensor *w, stria_tensor **y)
{
    stria_tensor *a, *loss, *last;

    OK(stria_tensor_set_grad(w, NULL, NULL));
    OK(stria_matmul(x, w, &a, NULL));
    OK(stria_mse_loss(a, x, "mean", &loss, NULL));
    OK(backward(loss, 0, NULL));
    const bool was = stria_grad_mode_set(false);
    OK(stria_flip(x, (const int[]){0}, 1, &last, NULL));
    OK(stria_mul(last, x, &y[0], NULL));
    OK(stria_detach(loss, &y[1], NULL));
    stria_grad_mode_set(was);
    RELEASE(a, loss, last);
}

/* In place, into a part of the batch, and a number of rows. */
static void run_in_place(stria_tensor *x, stria_tensor *w, stria_tensor **y)
{
    stria_tensor *rest, *count;

    OK(stria_matmul(x, w, &y[0], NULL));
    const int64_t rows = stria_tensor_get_shape(x)[0];
    OK(stria_narrow(y[0], 0, 1, rows - 1, &rest, NULL));
    OK(stria_apply_out(STRIA_OP_exp, (const stria_tensor *[]){rest}, 1, rest, NULL));
    OK(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_INT, .i = rows}, &count, NULL));
    OK(stria_mul(rest, count, &y[1], NULL));
    RELEASE(rest, count);
}

/* Another call where there are 29 rows; a table of rows by rows. */
static void run_others(stria_tensor *x, stria_tensor *w, stria_tensor **y)
{
    const bool is_other = stria_tensor_get_shape(x)[0] == 29;

    OK(stria_matmul(x, w, &y[0], NULL));
    OK((is_other ? stria_sin : stria_cos)(y[0], &y[1], NULL));
}
static void run_square(stria_tensor *x, stria_tensor *w, stria_tensor **y)
{
    stria_tensor *turned;

    OK(stria_transpose(x, 0, 1, &turned, NULL));
    OK(stria_matmul(x, turned, &y[0], NULL));
    OK(stria_relu(w, &y[1], NULL));
    RELEASE(turned);
}

/* The first 64 rows. */
static void run_cut(stria_tensor *x, stria_tensor *w, stria_tensor **y)
{
    stria_tensor *part;

    OK(stria_slice(x, 0, 0, 64, 1, &part, NULL));
    OK(stria_matmul(part, w, &y[0], NULL));
    y[1] = stria_tensor_retain(y[0]);
    stria_tensor_release(part);
}

/* The last 12 rows of those behind the fourth: of fewer they lie in memory, but are none of these. */
static void run_last(stria_tensor *x, stria_tensor *w, stria_tensor **y)
{
    stria_tensor *rest, *part;

    OK(stria_slice(x, 0, 4, INT64_MAX, 1, &rest, NULL));
    OK(stria_slice(rest, 0, -12, INT64_MAX, 1, &part, NULL));
    OK(stria_matmul(part, w, &y[0], NULL));
    y[1] = stria_tensor_retain(y[0]);
    RELEASE(rest, part);
}

static stria_tensor *table;

/* As many rows of what is held as x has, of the 64 that a part of it has. */
static void run_held(stria_tensor *x, stria_tensor *w, stria_tensor **y)
{
    stria_tensor *part, *rows;

    (void)w;
    OK(stria_slice(table, 0, 0, 64, 1, &part, NULL));
    OK(stria_slice(part, 0, 0, stria_tensor_get_shape(x)[0], 1, &rows, NULL));
    OK(stria_neg(rows, &y[0], NULL));
    OK(stria_sin(rows, &y[1], NULL));
    RELEASE(part, rows);
}

static stria_graph *record(program *run, stria_tensor *w, int64_t rows)
{
    stria_tensor    *x = new_matrix(rows, COLUMNS, 0), *symbol, *y[N_RESULTS];
    stria_recording *r;
    stria_graph     *g;

    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &symbol, NULL));
    run(symbol, w, y);
    OK(stria_recording_end(r, y, N_RESULTS, &g, NULL));
    RELEASE(x, symbol, y[0], y[1]);
    return g;
}

/* By recordings of 23, 29 and `third` rows. */
static stria_status make_by(program *run, stria_tensor *w, int64_t third, stria_graph **g, stria_error *err)
{
    stria_graph *others[2] = {record(run, w, 29), record(run, w, third)};

    *g = record(run, w, 23);
    const stria_status status = stria_graph_set_dynamic(*g, 23, others, (const int64_t[]){29, third}, err);
    stria_graph_release(others[0]);
    stria_graph_release(others[1]);
    return status;
}

static stria_status make(program *run, stria_tensor *w, stria_graph **g, stria_error *err)
{
    return make_by(run, w, 6, g, err);
}

/* The graph and the calls, of rows from 2 on in an order that makes graphs come and go. */
static void compare(program *run, stria_graph *g, stria_tensor *w, bool has_grad)
{
    static const int64_t sizes[] = {2, 3, 4, 5, 23, 29, 6, 64, 1000, 7, 8, 9, 10, 11, 12, 2, 23, 4096, 64};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        stria_tensor *x = new_matrix(sizes[k], COLUMNS, (int)k), *y[N_RESULTS], *expected[N_RESULTS], *grad = NULL;
        stria_error   err = {0};
        run(x, w, expected);
        if (has_grad) {
            OK(stria_tensor_copy(GRAD(w), STRIA_DTYPE_NONE, &grad, NULL));
            OK(stria_tensor_set_grad(w, NULL, NULL));
        }
        const stria_status status = stria_graph_run(g, &x, 1, y, &err);
        CHECK(status == STRIA_OK, "%lld rows: %s", (long long)sizes[k], err.message);
        for (int i = 0; i < N_RESULTS && status == STRIA_OK; i++)
            CHECK(has_same_bits(y[i], expected[i]), "result %d of %lld rows", i, (long long)sizes[k]);
        if (has_grad) CHECK(has_same_bits(GRAD(w), grad), "the gradient of %lld rows", (long long)sizes[k]);
        RELEASE(x, y[0], y[1], expected[0], expected[1], grad);
    }
}

static void check(program *run, bool has_grad)
{
    stria_tensor *w = new_matrix(COLUMNS, COLUMNS, 3), *in, *y[N_RESULTS];
    stria_graph  *g, *loaded = NULL;
    stria_error   err = {0};
    void         *bytes = NULL;
    size_t        nbytes = 0;

    if (has_grad) OK(stria_tensor_set_requires_grad(w, true, NULL));
    const stria_status status = make(run, w, &g, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    compare(run, g, w, has_grad);
    for (int64_t rows = 0; rows < 2; rows++) {
        in = new_matrix(rows, COLUMNS, 1);
        CHECK_STATUS(stria_graph_run(g, &in, 1, y, &err), STRIA_ERR_SHAPE);
        CHECK(strstr(err.message, "sizes from 2 on") != NULL && strcmp(err.argument, "in[0]") == 0, "%s", err.message);
        stria_tensor_release(in);
    }
    in = new_matrix(4, COLUMNS + 1, 1);
    CHECK_STATUS(stria_graph_run(g, &in, 1, y, &err), STRIA_ERR_SHAPE);
    stria_tensor_release(in);
    OK(stria_graph_save(g, NULL, 0, &bytes, &nbytes, NULL));
    const stria_status is_loaded = stria_graph_load(bytes, nbytes, &loaded, &err);
    CHECK(is_loaded == STRIA_OK, "%s", err.message);
    if (loaded != NULL) compare(run, loaded, w, false);
    void *again = NULL;
    if (loaded != NULL) CHECK_STATUS(stria_graph_save(loaded, NULL, 0, &again, &nbytes, &err), STRIA_ERR_UNSUPPORTED);
    stria_graph_release(loaded);
    stria_graph_release(g);
    stria_bytes_release(bytes);
    stria_tensor_release(w);
}

static void check_refused(void)
{
    stria_tensor *w = new_matrix(COLUMNS, COLUMNS, 3);
    stria_graph  *g, *other = record(run_layer, w, 6), *others[] = {other, other};
    stria_error   err;

    CHECK_STATUS(make(run_others, w, &g, &err), STRIA_ERR_UNSUPPORTED);
    CHECK(strstr(err.message, "call 1, cos") != NULL && strcmp(err.argument, "dynamic") == 0, "%s", err.message);
    stria_graph_release(g);
    CHECK_STATUS(make(run_square, w, &g, &err), STRIA_ERR_UNSUPPORTED);
    CHECK(strstr(err.message, "no a n + b") != NULL, "%s", err.message);
    CHECK_STATUS(stria_graph_set_dynamic(g, 23, others, (const int64_t[]){6, 6}, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_graph_set_dynamic(g, 1, others, (const int64_t[]){6, 7}, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_graph_set_dynamic(NULL, 2, others, (const int64_t[]){6, 7}, &err), STRIA_ERR_ARGUMENT);
    stria_graph_release(g);
    stria_graph_release(other);
    stria_tensor_release(w);
}

/* Calls that are others at some size: of 64 rows or fewer, x is all of its first 64; of 12 or more, x and the last 12 of a part. Neither the
 * graph nor its file runs at other sizes, whatever they have run before. */
static void check_others(program *run, int64_t least, int64_t most)
{
    static const int64_t sizes[] = {2, 11, 12, 16, 17, 23, 64, 65, 100, 23, 65, 16};
    stria_tensor        *w = new_matrix(COLUMNS, COLUMNS, 3);
    stria_graph         *g[2];
    void                *bytes;
    size_t               nbytes;

    OK(make_by(run, w, 31, &g[0], NULL));
    OK(stria_graph_save(g[0], NULL, 0, &bytes, &nbytes, NULL));
    OK(stria_graph_load(bytes, nbytes, &g[1], NULL));
    for (size_t k = 0; k < 2 * (sizeof sizes / sizeof *sizes); k++) {
        const int64_t      n = sizes[k / 2];
        stria_tensor      *x = new_matrix(n, COLUMNS, 1), *y[N_RESULTS] = {NULL}, *expected[N_RESULTS];
        stria_error        err = {0};
        const stria_status status = stria_graph_run(g[k % 2], &x, 1, y, &err);
        if (n < least || n > most) {
            CHECK(status == STRIA_ERR_UNSUPPORTED && strcmp(err.argument, "dynamic") == 0 &&
                      strstr(err.message, "the program is another one for size") != NULL,
                  "%lld rows: %s", (long long)n, err.message);
        } else {
            run(x, w, expected);
            CHECK(status == STRIA_OK, "%lld rows: %s", (long long)n, err.message);
            for (int i = 0; i < N_RESULTS; i++) CHECK(has_same_bits(y[i], expected[i]), "%lld rows", (long long)n);
            RELEASE(expected[0], expected[1]);
        }
        RELEASE(x, y[0], y[1]);
    }
    stria_bytes_release(bytes);
    stria_graph_release(g[0]);
    stria_graph_release(g[1]);
    stria_tensor_release(w);
}

/* Files that are damaged are refused or run: whatever a size makes of them is checked. */
static void check_damaged(void)
{
    stria_tensor *w = new_matrix(COLUMNS, COLUMNS, 3);
    stria_graph  *g, *loaded;
    stria_error   err;
    void         *bytes;
    size_t        nbytes;
    unsigned      state = 5;
    int           n_loaded = 0, n_run = 0;

    OK(make(run_in_place, w, &g, NULL));
    OK(stria_graph_save(g, NULL, 0, &bytes, &nbytes, NULL));
    char *damaged = malloc(nbytes);
    for (int k = 0; k < 4000; k++) {
        memcpy(damaged, bytes, nbytes);
        for (int i = 0; i < 2; i++) {
            state = state * 1664525 + 1013904223;
            const size_t at = 8 + (state >> 8) % (nbytes - 8);
            state = state * 1664525 + 1013904223;
            damaged[at] = "0123456789@,*/-\""[(state >> 8) % 16];
        }
        if (stria_graph_load(damaged, nbytes, &loaded, &err) != STRIA_OK) continue;
        n_loaded++;
        for (int64_t rows = 2; rows < 50; rows += 9) {
            stria_tensor *x = new_matrix(rows, COLUMNS, 1), *y[8] = {NULL};
            if (stria_graph_get_info(loaded).n_results <= 8 && stria_graph_get_info(loaded).n_inputs == 1)
                n_run += stria_graph_run(loaded, &x, 1, y, &err) == STRIA_OK;
            for (int i = 0; i < 8; i++) stria_tensor_release(y[i]);
            stria_tensor_release(x);
        }
        stria_graph_release(loaded);
    }
    printf("  4000 damaged files: %d loaded, %d runs\n", n_loaded, n_run);
    free(damaged);
    stria_bytes_release(bytes);
    stria_graph_release(g);
    stria_tensor_release(w);
}

/* ---------------------------------------------------------------- files that nobody saved */

/* Loads a file that holds no tensors; the program with ' in place of ". */
static stria_status load_text(const char *program, const char *size, stria_graph **g, stria_error *err)
{
    static char bytes[4096];
    size_t      n = 8;

    n += (size_t)snprintf(bytes + n, sizeof bytes - n, "{\"__metadata__\":{");
    if (size != NULL) n += (size_t)snprintf(bytes + n, sizeof bytes - n, "\"stria.graph.size\":\"%s\",", size);
    n += (size_t)snprintf(bytes + n, sizeof bytes - n, "\"stria.graph\":\"");
    for (; *program != 0 && n < sizeof bytes - 8; program++) {
        if (*program == '\'') bytes[n++] = '\\';
        bytes[n++] = *program == '\'' ? '"' : *program;
    }
    n += (size_t)snprintf(bytes + n, sizeof bytes - n, "\"}}");
    const uint64_t length = n - 8;
    memcpy(bytes, &length, sizeof length);
    return stria_graph_load(bytes, n, g, err);
}

#define PROGRAM(buffers, views, inputs, steps, results)                                                              \
    "{'version':3,'generators':[],'buffers':[" buffers "],'views':[" views "],'inputs':[" inputs "],'steps':[" steps \
    "],'results':[" results "]}"
#define STEP(row, in, out, is_new) \
    "{'row':['op','" row "'],'in':[" in "],'list':[],'out':[" out "],'new':" is_new ",'attrs':{},'numbers':[]}"
#define ROWS "[0,'f32',0,['@1,0'],[1]]"

static void check_foreign(void)
{
    static const struct {
        const char *program, *size, *words; /* NULL: it loads */
    } files[] = {
        {PROGRAM("['input',0],['made','@4,0']", ROWS ",[1,'f32',0,['@1,0'],[1]]", "0", STEP("neg", "0", "1", "1"), "1"),
         "2", NULL},
        /* a held tensor that no view has, whose number nobody looked at */
        {PROGRAM("['input',0],['made','@4,0'],['held',4294967296]", ROWS ",[1,'f32',0,['@1,0'],[1]]", "0",
                 STEP("neg", "0", "1", "1"), "1"),
         "2", "a tensor that is not used"},
        {PROGRAM("['input',0],['made','@4,0'],['held',2147483647]", ROWS ",[1,'f32',0,['@1,0'],[1]]", "0",
                 STEP("neg", "0", "1", "1"), "1"),
         "2", "a tensor that is not used"},
        /* another view is the input at another size */
        {PROGRAM("['input',0],['input',0]", "[0,'f32',0,[2,1,1,1,1,1,1,1],[1,1,1,1,1,1,1,1]],[1,'f32',0,[],[]]",
                 "'@1,-2'", "", ""),
         "2", "other inputs or results for another size"},
        /* state in what is a number */
        {PROGRAM("['number',['float',4607182418800017408]]", "[0,'f64',0,[],[]]", "", STEP("add", "0,0", "0", "0"),
                 "0"),
         NULL, "a number that a step writes to"},
        {PROGRAM("['constant',['float',4607182418800017408]]", "[0,'f64',0,[],[]]", "", STEP("add", "0,0", "0", "0"),
                 "0"),
         NULL, "a number that a step writes to"},
    };
    stria_error err = {0};

    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        stria_graph       *g = NULL;
        const stria_status status = load_text(files[k].program, files[k].size, &g, &err);
        if (files[k].words == NULL)
            CHECK(status == STRIA_OK, "file %zu: %s", k, err.message);
        else
            CHECK(status != STRIA_OK && strstr(err.message, files[k].words) != NULL, "file %zu: %s", k,
                  status == STRIA_OK ? "it loads" : err.message);
        stria_graph_release(g);
    }
}

/* Two views of one tensor that was made for each recording: the first one is the same in all of them, the second one is not. */
static stria_graph *record_views(int64_t rows, float third)
{
    const float      values[] = {1, 2, third, 4};
    stria_tensor    *base, *parts[2], *x = new_matrix(rows, 2, 0), *symbol, *y[2];
    stria_recording *r;
    stria_graph     *g;

    OK(stria_tensor_new(STRIA_F32, 1, (const int64_t[]){4}, &base, NULL));
    memcpy(stria_tensor_get_data(base), values, sizeof values);
    for (int k = 0; k < 2; k++) OK(stria_slice(base, 0, 2 * k, 2 * k + 2, 1, &parts[k], NULL));
    stria_tensor_release(base);
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &symbol, NULL));
    OK(stria_add(symbol, parts[0], &y[0], NULL));
    OK(stria_mul(y[0], parts[1], &y[1], NULL));
    OK(stria_recording_end(r, y + 1, 1, &g, NULL));
    RELEASE(parts[0], parts[1], x, symbol, y[0], y[1]);
    return g;
}

static void check_views_of_constants(void)
{
    stria_graph *g = record_views(23, 10), *others[] = {record_views(29, 100), record_views(6, 1000)};
    stria_error  err;

    CHECK_STATUS(stria_graph_set_dynamic(g, 23, others, (const int64_t[]){29, 6}, &err), STRIA_ERR_UNSUPPORTED);
    CHECK(strstr(err.message, "captures another tensor") != NULL, "%s", err.message);
    for (int k = 0; k < 2; k++) stria_graph_release(others[k]);
    stria_graph_release(g);
}

SUITE(test_graph_dynamic)
{
    check_isa("test_graph_dynamic");
    check_views_of_constants(); /* first: once there are gradients, views have their base */
    check(run_layer, false);
    check(run_in_place, false);
    check(run_loss, true);
    check_refused();
    check_others(run_cut, 2, 64);
    check_others(run_last, 16, 100);
    table = new_matrix(128, COLUMNS, 7);
    check_others(run_held, 2, 64);
    stria_tensor_release(table);
    check_damaged();
    check_foreign();
    return check_finish("test_graph_dynamic");
}
