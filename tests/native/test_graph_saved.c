/* test_graph_saved.c - files of graphs: what they hold, what goes on after loading, and files that are damaged or made to do harm.
 *
 * That loaded graphs compute what the saved ones do is seen in test_graph, where every second graph passes through a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "graph_case.h"
#include "oom.h"
#include "stria_safetensors.h"

#define MOST_BYTES 16384

/* A file, and its graph's input. */
typedef struct saved {
    char          bytes[MOST_BYTES];
    size_t        nbytes;
    stria_tensor *x;
} saved;

static stria_tensor *new_ramp(int64_t rows, int64_t columns)
{
    const int64_t shape[] = {rows, columns};
    stria_tensor *x;

    OK(stria_tensor_new(STRIA_F32, 2, shape, &x, NULL));
    for (int64_t i = 0; i < rows * columns; i++) ((float *)stria_tensor_get_data(x))[i] = (float)i / 4 - 1;
    return x;
}

static void keep_bytes(saved *s, stria_graph *g, stria_tensor *x)
{
    void *bytes;

    OK(stria_graph_save(g, NULL, 0, &bytes, &s->nbytes, NULL));
    CHECK(s->nbytes <= MOST_BYTES, "%zu bytes", s->nbytes);
    memcpy(s->bytes, bytes, s->nbytes);
    stria_bytes_release(bytes);
    stria_graph_release(g);
    s->x = x;
}

/* softmax(relu(x w + 0.5), 1)[:, 1:] of a held w, its sum into a held total, and random numbers of a generator. */
static void save_layer(saved *s, stria_tensor *w, stria_tensor *total, stria_generator *generator)
{
    const int        axis = 0;
    stria_tensor    *x = new_ramp(4, 3), *symbol, *h, *half, *z, *u, *p, *part, *sums, *noise;
    stria_recording *r;
    stria_graph     *g;

    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &symbol, NULL));
    OK(stria_matmul(symbol, w, &h, NULL));
    OK(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_FLOAT, .re = 0.5}, &half, NULL));
    OK(stria_add(h, half, &z, NULL));
    OK(stria_relu(z, &u, NULL));
    OK(stria_softmax(u, 1, STRIA_DTYPE_NONE, &p, NULL));
    OK(stria_slice(p, 1, 1, INT64_MAX, 1, &part, NULL));
    OK(stria_sum(part, &axis, 1, false, &sums, NULL));
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){total, sums}, 2, total, NULL));
    OK(stria_randn(SHAPE(2), 1, STRIA_F32, STRIA_CPU, generator, &noise, NULL));
    OK(stria_recording_end(r, (stria_tensor *[]){part, noise}, 2, &g, NULL));
    RELEASE(symbol, h, half, z, u, p, part, sums, noise);
    keep_bytes(s, g, x);
}

/* ---------------------------------------------------------------- what goes on */

/* A loaded graph has tensors and generators of its own, as they were when it was saved; saved again it goes on where it is. */
static void check_state(void)
{
    stria_tensor    *w = new_ramp(3, 3), *total, *first[2], *again[2], *third[2];
    stria_generator *generator;
    stria_graph     *g, *h;
    saved            s;
    void            *bytes;
    size_t           nbytes;

    OK(stria_zeros(SHAPE(2), 1, STRIA_F32, STRIA_CPU, &total, NULL));
    OK(stria_generator_new(7, &generator, NULL));
    save_layer(&s, w, total, generator);
    OK(stria_graph_load(s.bytes, s.nbytes, &g, NULL));
    OK(stria_graph_load(s.bytes, s.nbytes, &h, NULL));
    memset(stria_tensor_get_data(w), 0, 36);
    OK(stria_graph_run(g, &s.x, 1, first, NULL));
    OK(stria_graph_run(h, &s.x, 1, again, NULL));
    CHECK(has_same_bits(first[0], again[0]) && has_same_bits(first[1], again[1]), "two graphs of one file");
    RELEASE(again[0], again[1]);
    OK(stria_graph_run(g, &s.x, 1, again, NULL));
    CHECK(has_same_bits(first[0], again[0]) && !has_same_bits(first[1], again[1]), "the generator goes on");
    OK(stria_graph_save(g, NULL, 0, &bytes, &nbytes, NULL));
    stria_graph_release(h);
    OK(stria_graph_load(bytes, nbytes, &h, NULL));
    RELEASE(again[0], again[1]);
    OK(stria_graph_run(g, &s.x, 1, again, NULL));
    OK(stria_graph_run(h, &s.x, 1, third, NULL));
    CHECK(has_same_bits(again[1], third[1]), "a graph that was saved later has the later state");
    stria_bytes_release(bytes);
    stria_graph_release(g), stria_graph_release(h), stria_generator_release(generator);
    RELEASE(w, total, s.x, first[0], first[1], again[0], again[1], third[0], third[1]);
}

/* Tensors that are parts of larger ones: only what is looked at is in the file. */
static void check_parts(void)
{
    stria_tensor      *all = new_ramp(100, 8), *row, *column, *x = new_ramp(1, 8), *symbol, *y, *z, *out, *expected;
    stria_recording   *r;
    stria_graph       *g;
    stria_safetensors *file;
    void              *bytes;
    size_t             nbytes;

    OK(stria_select(all, 0, 50, &row, NULL));
    OK(stria_slice(all, 0, 50, 58, 1, &column, NULL));
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &symbol, NULL));
    OK(stria_add(symbol, row, &y, NULL));
    OK(stria_mul(y, column, &z, NULL));
    OK(stria_recording_end(r, &z, 1, &g, NULL));
    RELEASE(y, z, symbol);
    OK(stria_graph_run(g, &x, 1, &expected, NULL));
    const char *const more[] = {"key", "value"};
    OK(stria_graph_save(g, more, 1, &bytes, &nbytes, NULL));
    OK(stria_safetensors_new(bytes, nbytes, &file, NULL));
    CHECK(file->n_entries == 1 && file->n_metadata == 2, "%lld tensors", (long long)file->n_entries);
    CHECK(strcmp(file->entries[0].name, "held.0") == 0 && file->entries[0].dtype == STRIA_F32 &&
              file->entries[0].shape[0] == 64,
          "the rows 50 to 57");
    CHECK(strcmp(file->metadata[1].key, "key") == 0 && strcmp(file->metadata[1].value, "value") == 0, "metadata");
    stria_safetensors_release(file);
    stria_graph_release(g);
    OK(stria_graph_load(bytes, nbytes, &g, NULL));
    OK(stria_graph_run(g, &x, 1, &out, NULL));
    CHECK(has_same_bits(out, expected), "a view of a part");
    stria_bytes_release(bytes);
    stria_graph_release(g);
    RELEASE(all, row, column, x, out, expected);
}

/* x 2 - 0.25 as an expression, as the gradient of a held tensor, of which a step is made at a learning rate that varies. */
static void save_step(saved *s)
{
    static const stria_scalar      constants[] = {{.kind = STRIA_SCALAR_INT, .i = 2},
                                                  {.kind = STRIA_SCALAR_FLOAT, .re = .25}};
    static const stria_instruction code[] = {{STRIA_OP_mul, {0, 1}}, {STRIA_OP_sub, {3, 2}}};
    stria_tensor                  *x = new_ramp(2, 2), *w = new_ramp(2, 2), *symbol, *grad;
    stria_expression              *e;
    stria_recording               *r;
    stria_graph                   *g;
    int                            index;

    OK(stria_expression_new(1, constants, 2, code, 2, &e, NULL));
    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &symbol, NULL));
    OK(stria_expression_apply(e, (const stria_tensor *[]){symbol}, 1, &grad, NULL));
    OK(stria_sgd((stria_tensor *[]){w}, 1, (const stria_tensor *[]){grad}, 1, NULL, 0, .1, 0, 0, 0, false, false, true,
                 NULL));
    OK(stria_recording_add_number(r, "lr", &index, NULL));
    OK(stria_recording_end(r, &w, 1, &g, NULL));
    RELEASE(symbol, grad, w);
    stria_expression_release(e);
    keep_bytes(s, g, x);
}

static void check_numbers(void)
{
    const double  lr = 2;
    const float   after[] = {-1 + 2 * 2.25f, -.75f + 2 * 1.75f, -.5f + 2 * 1.25f, -.25f + 2 * .75f};
    stria_graph  *g;
    stria_tensor *y;
    saved         s;

    save_step(&s);
    OK(stria_graph_load(s.bytes, s.nbytes, &g, NULL));
    CHECK(stria_graph_get_info(g).n_numbers == 1, "a number");
    OK(stria_graph_run_with(g, &s.x, 1, &lr, 1, &y, NULL));
    CHECK(memcmp(stria_tensor_get_data(y), after, sizeof after) == 0, "a step at the rate 2: %g",
          (double)((float *)stria_tensor_get_data(y))[0]);
    stria_graph_release(g);
    RELEASE(y, s.x);
}

/* A program that adds to a gradient from before has no file. */
static void check_gradient_from_before(void)
{
    static const double ones[] = {1, 1};
    stria_tensor       *w = new_leaf(1, SHAPE(2), ones), *first, *y;
    stria_recording    *r;
    stria_graph        *g;
    stria_error         err;
    void               *bytes;
    size_t              nbytes;

    OK(stria_tensor_new_copy_of(STRIA_F64, 1, SHAPE(2), ones, sizeof ones, &first, NULL));
    OK(stria_tensor_set_grad(w, first, NULL));
    OK(stria_recording_begin(&r, NULL));
    OK(stria_sum(w, NULL, 0, false, &y, NULL));
    OK(backward(y, 0, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    CHECK_STATUS(stria_graph_save(g, NULL, 0, &bytes, &nbytes, &err), STRIA_ERR_UNSUPPORTED);
    CHECK(bytes == NULL && strstr(err.message, ".grad") != NULL, "%s", err.message);
    CHECK_STATUS(stria_graph_save(NULL, NULL, 0, &bytes, &nbytes, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_graph_save(g, NULL, 0, NULL, &nbytes, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_graph_save(g, NULL, -1, &bytes, &nbytes, NULL), STRIA_ERR_ARGUMENT);
    stria_graph_release(g);
    RELEASE(w, first, y);
}

/* ---------------------------------------------------------------- memory */

static saved        held_file;
static stria_status load_and_run(stria_tensor **out, stria_error *err)
{
    stria_tensor *outs[2] = {NULL};
    stria_graph  *g;

    STRIA_TRY(stria_graph_load(held_file.bytes, held_file.nbytes, &g, err));
    const stria_status status = stria_graph_run(g, &held_file.x, 1, outs, err);
    *out = outs[0];
    stria_tensor_release(outs[1]);
    stria_graph_release(g);
    return status;
}

static stria_status load_and_save(stria_tensor **out, stria_error *err)
{
    stria_graph *g;
    void        *bytes;
    size_t       nbytes;

    STRIA_TRY(stria_graph_load(held_file.bytes, held_file.nbytes, &g, err));
    stria_status status = stria_graph_save(g, NULL, 0, &bytes, &nbytes, err);
    stria_bytes_release(bytes);
    stria_graph_release(g);
    return status == STRIA_OK ? stria_tensor_new(STRIA_F32, 0, NULL, out, err) : status;
}

/* ---------------------------------------------------------------- refusals */

/* Puts `to` in place of the first `from` of the file, and mends the length of the header. */
static size_t replace(const saved *s, const char *from, const char *to, char *bytes)
{
    const char  *at = NULL;
    const size_t n = strlen(from), m = strlen(to);

    for (size_t k = 8; k + n <= s->nbytes && at == NULL; k++)
        if (memcmp(s->bytes + k, from, n) == 0) at = s->bytes + k;
    CHECK(at != NULL, "'%s' is not in the file", from);
    if (at == NULL) return 0;
    const size_t before = (size_t)(at - s->bytes);
    uint64_t     length;
    memcpy(&length, s->bytes, sizeof length);
    length = length + m - n;
    memcpy(bytes, s->bytes, before);
    memcpy(bytes, &length, sizeof length);
    memcpy(bytes + before, to, m);
    memcpy(bytes + before + m, at + n, s->nbytes - before - n);
    return s->nbytes + m - n;
}

static const struct {
    const char *from, *to, *words; /* of the message */
} damages[] = {
    {"stria.graph", "stria.graf", "no metadata named stria.graph"},
    {"version\\\":3", "version\\\":2", "another version"},
    {"version", "vers", "must come here"},
    {"[\\\"input\\\",0]", "[\\\"input\\\",1]", "inputs: no view of an input"},
    {"[\\\"input\\\",0]", "[\\\"made\\\",48]", "inputs: no view of an input"},
    {"[\\\"held\\\",0]", "[\\\"held\\\",9]", "the file does not have"},
    {"[\\\"held\\\",0]", "[\\\"hold\\\",0]", "no kind of buffer"},
    {"[\\\"float\\\"", "[\\\"flat\\\"", "no kind of number"},
    {"f32\\\",0,[4,3]", "f32\\\",4,[4,3]", "no view of an input"},
    {"f32\\\",0,[3,3]", "f32\\\",4,[3,3]", "a view beyond its buffer"},
    {"f32\\\",0,[3,3]", "f32\\\",2,[2,3]", "a view beyond its buffer"},
    {"f32\\\",0,[3,3]", "f32\\\",0,[3,4611686018427387904]", "3"},
    {"f32\\\",0,[3,3],[3,1]", "f32\\\",0,[3,3],[3,9223372036854775807]", "a view beyond its buffer"},
    {"f32\\\",0,[3,3],[3,1]", "f32\\\",0,[3,3],[3]", "not as many strides"},
    {"f32\\\",0,[3,3]", "f64\\\",0,[3,3]", "a view beyond its buffer"},
    {"f32\\\",0,[3,3]", "f31\\\",0,[3,3]", "no such dtype"},
    {"f32\\\",0,[4,3]", "f32\\\",0,[4,2]", "step 0, matmul"},
    {"matmul", "softmax", "not as many tensors"},
    {"\\\"matmul\\\"", "\\\"matmal\\\"", "no such row"},
    {"\\\"function\\\",\\\"matmul\\\"", "\\\"op\\\",\\\"matmul\\\"", "no such row"},
    {"\\\"function\\\",\\\"matmul\\\"", "\\\"op\\\",\\\"add\\\"", "step 0, add"},
    {"\\\"function\\\",\\\"matmul\\\"", "\\\"function\\\",\\\"split\\\"", "a row that makes a list"},
    {"\\\"dim\\\":1", "\\\"dim\\\":2", "softmax"},
    {"\\\"dim\\\":1", "\\\"axis\\\":1", "must come here"},
    {"\\\"dim\\\":1", "\\\"dim\\\":99999999999", "a number that there is not"},
    {"\\\"new\\\":1", "\\\"new\\\":2", "a number that there is not"},
    {"\\\"in\\\":[0", "\\\"in\\\":[-1", "step 0, matmul"},
    {"\\\"in\\\":[0", "\\\"in\\\":[-2", "a number that there is not"},
    {"\\\"in\\\":[0", "\\\"in\\\":[77", "a number that there is not"},
    {"\\\"in\\\":[4],\\\"list\\\":[],\\\"out\\\":[5],\\\"new\\\":1",
     "\\\"in\\\":[4],\\\"list\\\":[],\\\"out\\\":[8],\\\"new\\\":0",
     "step 2, relu: the result has another dtype, shape or place"},
    {"\\\"generator\\\":0", "\\\"generator\\\":1", "a number that there is not"},
    {"\\\"results\\\":[", "\\\"results\\\":[0.5,", "whole number"},
};

static void check_refusals(const saved *s)
{
    char         bytes[MOST_BYTES + 64];
    stria_graph *g;
    stria_error  err;

    for (size_t k = 0; k < sizeof damages / sizeof *damages; k++) {
        const size_t       nbytes = replace(s, damages[k].from, damages[k].to, bytes);
        const stria_status status = stria_graph_load(bytes, nbytes, &g, &err);
        CHECK(status == STRIA_ERR_FORMAT && g == NULL, "%s: %s", damages[k].to, stria_status_get_name(status));
        if (status == STRIA_OK) {
            stria_graph_release(g);
            continue;
        }
        CHECK(strstr(err.message, damages[k].words) != NULL && strcmp(err.op, "graph") == 0, "%s: %s", damages[k].to,
              err.message);
    }
    CHECK_STATUS(stria_graph_load(NULL, 8, &g, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_graph_load(s->bytes, s->nbytes, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_graph_load(s->bytes, s->nbytes - 1, &g, NULL), STRIA_ERR_FORMAT);
    CHECK_STATUS(stria_graph_load("", 0, &g, NULL), STRIA_ERR_FORMAT);
    stria_recording *r;
    OK(stria_recording_begin(&r, NULL));
    CHECK_STATUS(stria_graph_load(s->bytes, s->nbytes, &g, NULL), STRIA_ERR_ARGUMENT);
    stria_recording_cancel(r);
}

/* ---------------------------------------------------------------- damage */

static random_state random_numbers = {11};
static int          pick(int n) { return (int)(random_next(&random_numbers) % (uint64_t)n); }

/* A number of the header becomes another one, or a byte becomes another one. */
static size_t damage(const saved *s, char *bytes)
{
    static const char *const numbers[] = {"0",          "1",
                                          "2",          "-1",
                                          "3",          "64",
                                          "4",          "2147483647",
                                          "4294967296", "9223372036854775807",
                                          "48",         "12",
                                          "1000000",    "-9223372036854775808"};
    size_t                   nbytes = s->nbytes;
    uint64_t                 length;

    memcpy(bytes, s->bytes, nbytes);
    memcpy(&length, bytes, sizeof length);
    for (int n = 1 + pick(3); n > 0; n--) {
        size_t k = 8 + (size_t)pick((int)length), end;
        if (pick(3) == 0) {
            bytes[k] = pick(2) ? bytes[8 + pick((int)length)] : (char)pick(256);
            continue;
        }
        while (k < length && (bytes[k] < '0' || bytes[k] > '9')) k++;
        for (end = k; end < 8 + length && bytes[end] >= '0' && bytes[end] <= '9';) end++;
        const char  *to = numbers[pick((int)(sizeof numbers / sizeof *numbers))];
        const size_t m = strlen(to);
        if (end == k || nbytes + m > MOST_BYTES) continue;
        memmove(bytes + k + m, bytes + end, nbytes - end);
        memcpy(bytes + k, to, m);
        nbytes += m - (end - k);
        length = length + m - (end - k);
    }
    memcpy(bytes, &length, sizeof length);
    return nbytes;
}

static void check_damage(const saved *s, int n_times)
{
    static char bytes[MOST_BYTES];
    int         n_loaded = 0, n_ran = 0;

    stria_memory_set_limit(stria_memory_get_stats().live_bytes + (64 << 20));
    for (int i = 0; i < n_times; i++) {
        const size_t  nbytes = damage(s, bytes);
        stria_graph  *g;
        stria_tensor *out[16] = {NULL};
        stria_error   err;
        if (stria_graph_load(bytes, nbytes, &g, &err) != STRIA_OK) {
            CHECK(g == NULL && strlen(err.message) > 10, "%s", err.message);
            continue;
        }
        n_loaded++;
        const stria_graph_info info = stria_graph_get_info(g);
        if (info.n_inputs == 1 && info.n_results <= 16 && stria_graph_run(g, &s->x, 1, out, NULL) == STRIA_OK) n_ran++;
        for (int k = 0; k < 16; k++) stria_tensor_release(out[k]);
        stria_graph_release(g);
    }
    stria_memory_set_limit(0);
    printf("  %d damaged files: %d loaded, %d ran\n", n_times, n_loaded, n_ran);
    CHECK(n_times < 1000 || (n_loaded > n_times / 100 && n_loaded < n_times / 2), "%d of %d loaded", n_loaded, n_times);
}

SUITE(test_graph_saved)
{
    const stria_memory_stats before = stria_memory_get_stats();
    stria_tensor            *w = new_ramp(3, 3), *total;
    stria_generator         *generator;
    saved                    s;

    check_isa("test_graph_saved");
    check_state();
    check_parts();
    check_numbers();
    check_gradient_from_before();
    OK(stria_zeros(SHAPE(2), 1, STRIA_F32, STRIA_CPU, &total, NULL));
    OK(stria_generator_new(7, &generator, NULL));
    save_layer(&s, w, total, generator);
    if (getenv("STRIA_SHOW")) printf("%.*s\n", (int)s.nbytes, s.bytes + 8);
    check_refusals(&s);
    held_file = s;
    oom_check_path("load and run", load_and_run);
    oom_check_path("load and save", load_and_save);
    saved steps;
    save_step(&steps);
    const int n = check_is_full() ? 500000 : 10000;
    check_damage(&s, n);
    check_damage(&steps, n);
    RELEASE(steps.x);
    stria_generator_release(generator);
    RELEASE(w, total, s.x);
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_storages == before.live_storages, "%lld storages are left",
          (long long)(after.live_storages - before.live_storages));
    return check_finish("test_graph_saved");
}
