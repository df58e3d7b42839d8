/* test_cuda_words.c - groups as CUDA C: every row as text, compiled by the host and compared with the CPU's bits; then through the plug-in, which
 * keeps code in memory and in files. */
#include <stdlib.h>
#include <string.h>

#include "cuda_lie.h"
#include "suite.h"

#if defined(__EMSCRIPTEN__)
SUITE(test_cuda_words)
{
    printf("test_cuda_words: SKIPPED (no plug-ins in this build)\n0 passed, 0 failed, 1 skipped\n");
    return 77;
}
#else
#include <dirent.h>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cuda/calls_group.h"
#include "cuda/group_text.h"
#include "cuda_host_case.h"
#include "graph_case.h"
#include "sanitized.h"
#include "table/rows.h"

#define FIRST_LINE "#include \"group.cuh\"\n"
#define MOST_CASES 4096

static char folder[] = "/tmp/stria_words_XXXXXX";

/* ---------------------------------------------------------------- every row, in one module */

enum { N_ELEMENTS = 67 };

typedef struct row_case {
    stria_op      op;
    stria_tensor *in[STRIA_MAX_INPUTS], *expected;
} row_case;

static row_case cases[MOST_CASES];
static int      n_cases;

static const double special[] = {0.0,  -0.0, 1.0, -1.0,  0.5,     -2.5,    3.75,   1e-3,  1e10,   -7e5,   127.0,
                                 -128, 255,  2.0, 1e-40, 1e300,   1e-310,  0x1p20, 1e22,  -1e9,   0x1p31, 0x1p63,
                                 80.0, -90,  700, 1.5,   -0.9999, 0.99999, 88.72,  -88.7, 2.4e-8, 170.6,  30.1};

static stria_tensor *new_operand(stria_dtype dtype, uint64_t seed)
{
    random_state  random = {seed * 7919 + (uint64_t)dtype};
    const int64_t n = N_ELEMENTS;
    stria_tensor *x = NULL, *wide, *rest;

    OK(stria_tensor_new(STRIA_F64, 1, &n, &wide, NULL));
    for (int64_t k = 0; k < n; k++) {
        const uint64_t which = random_next(&random) % 96;
        double        *at = (double *)(void *)wide->data + k;
        random_element(&random, STRIA_F64, -20, 20, (char *)at);
        if (which < sizeof special / sizeof *special) *at = special[which];
        if (which == 90) *at = (double)INFINITY;
        if (which == 91) *at = -(double)INFINITY;
        if (which == 92) *at = (double)NAN;
    }
    OK(stria_tensor_copy(wide, dtype, &x, NULL));
    rest = x;
    stria_tensor_release(wide);
    return rest;
}

/* Text of an expression of one op of inputs of the dtypes, and what the CPU makes of it. NULL: there is none of this dtype. */
static char *new_row(stria_op op, stria_dtype dtype, uint64_t seed)
{
    const int               arity = stria_op_infos[op].arity;
    const stria_instruction code = {.op = op, .in = {0, 1, 2}};
    row_case               *c = &cases[n_cases];
    stria_expression       *e;
    stria_lowering         *l = NULL;
    stria_dtype             memory[1 + STRIA_MAX_INPUTS];
    char                   *text = NULL;

    *c = (row_case){.op = op};
    for (int k = 0; k < arity; k++)
        c->in[k] = new_operand(k == 0 && stria_op_infos[op].result == STRIA_RESULT_SELECT ? STRIA_BOOL : dtype,
                               seed + (uint64_t)k);
    OK(stria_expression_new(arity, NULL, 0, &code, 1, &e, NULL));
    const stria_tensor *const *in = (const stria_tensor *const *)c->in;
    if (n_cases < MOST_CASES && stria_lowering_new(e, in, NULL, &l, NULL) == STRIA_OK) {
        OK(stria_expression_apply(e, in, arity, &c->expected, NULL));
        memory[0] = c->expected->dtype;
        for (int k = 1; k < l->n_operands; k++) memory[k] = c->in[l->operands[k].input]->dtype;
        text = stria_cuda_group_print(l, memory, 0, 0);
        CHECK(text != NULL, "%s of %s has no text", stria_op_infos[op].name, stria_dtype_get_name(dtype));
    }
    stria_lowering_release(l);
    stria_expression_release(e);
    if (text == NULL) release_all(arity, c->in), stria_tensor_release(c->expected);
    n_cases += text != NULL;
    return text;
}

static bool run_command(const char *source, const char *module)
{
    const char *compiler = getenv("STRIA_CUDA_HOST_COMPILER");
    char        command[2048];

    snprintf(command, sizeof command, "%s %s -o %s", compiler, source, module);
    return system(command) == 0;
}

typedef void element_fn(char *const *at, const uint64_t *value);

static void check_case(const row_case *c, element_fn *run)
{
    const int         arity = stria_op_infos[c->op].arity;
    const int64_t     size = stria_tensor_get_item_size(c->expected);
    _Alignas(16) char got[16];
    char             *at[1 + STRIA_MAX_INPUTS] = {got};
    int64_t           differ = 0, first = 0;

    for (int64_t i = 0; i < N_ELEMENTS; i++) {
        for (int k = 0; k < arity; k++) at[1 + k] = c->in[k]->data + i * stria_tensor_get_item_size(c->in[k]);
        run(at, NULL);
        if (value_same(c->expected->dtype, got, c->expected->data + i * size)) continue;
        if (differ++ == 0) first = i;
    }
    CHECK(differ == 0, "%s of %s: %d elements differ from the CPU's, the first is %d", stria_op_infos[c->op].name,
          stria_dtype_get_name(c->in[arity - 1]->dtype), (int)differ, (int)first);
}

/* The module: each text in a namespace, and a table of what they define. share: one of so many dtypes of each row. */
static void test_rows(int share)
{
    char               source[64], module[64];
    int                n_written = 0;
    element_fn *const *table = NULL;

    snprintf(source, sizeof source, "%s/rows.cpp", folder);
    snprintf(module, sizeof module, "%s/rows.so", folder);
    FILE *file = fopen(source, "wb");
    CHECK(file != NULL, "%s", source);
    if (file == NULL) return;
    fputs(FIRST_LINE, file);
    for (int op = 0; op < STRIA_OP_COUNT; op++)
        for (int d = 0; d < STRIA_DTYPE_COUNT; d++) {
            if (stria_dtype_is_complex((stria_dtype)d) || (op * 5 + d) % share != 0) continue;
            char *text = new_row((stria_op)op, (stria_dtype)d, (uint64_t)(op * 31 + d));
            if (text == NULL) continue;
            CHECK(strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) == 0, "the first line");
            char *kernel = strstr(text, "extern \"C\"");
            CHECK(kernel != NULL, "a kernel");
            if (kernel != NULL) *kernel = 0;
            fprintf(file, "namespace g%d {\n%s}\n", n_written++, text + strlen(FIRST_LINE));
            stria_object_release(text);
        }
    fprintf(file, "extern \"C\" void (*const table[])(char *const *, const uint64_t *) = {\n");
    for (int k = 0; k < n_written; k++) fprintf(file, "    g%d::group_element,\n", k);
    fprintf(file, "};\n");
    fclose(file);
    CHECK(run_command(source, module), "the texts do not compile");
    void *opened = dlopen(module, RTLD_NOW);
    CHECK(opened != NULL, "%s", opened == NULL ? dlerror() : "");
    if (opened != NULL) table = dlsym(opened, "table");
    CHECK(table != NULL && n_written == n_cases, "%d texts of %d cases", n_written, n_cases);
    for (int k = 0; k < n_cases; k++) {
        if (table != NULL) check_case(&cases[k], table[k]);
        release_all(STRIA_MAX_INPUTS, cases[k].in);
        stria_tensor_release(cases[k].expected);
    }
    printf("  %d rows and dtypes as CUDA C\n", n_cases);
    remove(source), remove(module);
}

/* ---------------------------------------------------------------- by the plug-in */

enum { N_OPERANDS = 4 };
static const stria_cuda_host *host;

/* relu(a * b + c) * exp(-d), and more for each variant: other code. */
static stria_expression *new_program(int variant)
{
    const stria_instruction code[] = {{STRIA_OP_mul, {0, 1}}, {STRIA_OP_add, {5, 2}}, {STRIA_OP_relu, {6}},
                                      {STRIA_OP_neg, {3}},    {STRIA_OP_exp, {8}},    {STRIA_OP_mul, {7, 9}},
                                      {STRIA_OP_add, {10, 4}}};
    const stria_scalar      number = {STRIA_SCALAR_FLOAT, .re = variant + 0.5};
    stria_expression       *e = NULL;

    OK(stria_expression_new(N_OPERANDS, &number, 1, code, sizeof code / sizeof *code, &e, NULL));
    return e;
}

static int64_t count_launches(void)
{
    stria_cuda_host_counts counts;

    host->get_counts(&counts);
    return counts.launches;
}

typedef struct operands {
    stria_tensor *far[N_OPERANDS], *near[N_OPERANDS];
} operands;

static operands new_operands(const stria_dtype *dtypes, const cuda_layout *layouts, uint64_t seed)
{
    operands o;

    for (int k = 0; k < N_OPERANDS; k++) {
        o.far[k] = cuda_case_new(CUDA, dtypes[k], layouts[k], seed + (uint64_t)k);
        o.near[k] = cuda_case_new(STRIA_CPU, dtypes[k], layouts[k], seed + (uint64_t)k);
    }
    return o;
}

static void end_operands(operands *o) { release_all(N_OPERANDS, o->far), release_all(N_OPERANDS, o->near); }

/* The same on both, and how many kernels that took. */
static int64_t check_call(const stria_expression *e, const operands *o, const char *what)
{
    stria_tensor *y = NULL, *z = NULL;
    stria_error   err;

    OK(stria_expression_apply(e, (const stria_tensor *const *)o->near, N_OPERANDS, &z, NULL));
    const int64_t      before = count_launches();
    const stria_status status = stria_expression_apply(e, (const stria_tensor *const *)o->far, N_OPERANDS, &y, &err);
    const int64_t      n = count_launches() - before;
    CHECK(status == STRIA_OK, "%s: %s", what, err.message);
    if (status == STRIA_OK) cuda_case_check_same(what, y, z);
    RELEASE(y, z);
    return n;
}

static const stria_dtype all_f32[] = {STRIA_F32, STRIA_F32, STRIA_F32, STRIA_F32};
static const cuda_layout packed[] = {AS_PACKED, AS_PACKED, AS_PACKED, AS_PACKED};

/* Any layout takes the code of its dtypes: it is compiled for the second call, and is one kernel from then on. */
static void test_layouts(void)
{
    static const stria_dtype mixed[] = {STRIA_F16, STRIA_I32, STRIA_F32, STRIA_BF16};
    static const cuda_layout layouts[][N_OPERANDS] = {{AS_PACKED, AS_PACKED, AS_PACKED, AS_PACKED},
                                                      {AS_TURNED, AS_STEP, AS_FLIPPED, AS_SHIFTED},
                                                      {AS_ROW, AS_COLUMN, AS_PACKED, AS_TURNED},
                                                      {AS_COLUMN, AS_ROW, AS_ROW, AS_COLUMN},
                                                      {AS_SHIFTED, AS_SHIFTED, AS_STEP, AS_STEP}};
    static const cuda_layout values[][N_OPERANDS] = {{AS_RUN, AS_NUMBER, AS_RUN, AS_RUN},
                                                     {AS_PACKED, AS_NUMBER, AS_ROW, AS_TURNED},
                                                     {AS_CPU, AS_PACKED, AS_CPU, AS_CPU}};
    stria_expression        *e = new_program(0);

    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 5; k++) {
            operands      o = new_operands(m == 0 ? all_f32 : mixed, layouts[k], (uint64_t)(100 * m + k));
            const int64_t n = check_call(e, &o, "an expression");
            CHECK(k == 0 ? n > 1 : n == 1, "call %d: %d kernels", k, (int)n);
            end_operands(&o);
        }
    for (int k = 0; k < 6; k++) { /* a number, and then several tensors of the CPU */
        operands      o = new_operands(mixed, values[k / 2], (uint64_t)(300 + k));
        const int64_t n = check_call(e, &o, "beside a number");
        CHECK(k % 4 == 0 ? n > 1 : n == 1, "number %d: %d kernels", k, (int)n);
        end_operands(&o);
    }
    stria_expression_release(e);
}

/* Rows whose elements are read by fours, ends that are fewer, what is not aligned, and squares of what lies across. */
static void test_forms(void)
{
    static const struct {
        int     ndim;
        int64_t shape[3];
        lie     how[N_OPERANDS];
    } cases[] = {{2, {9, 48}, {{"", 0, 0, 0, 0}, {"", 0, 1, 0, 0}, {"", 0, 2, 0, 0}, {"", 0, 3, 0, 0}}},
                 {2, {5, 12}, {{"", 0, 0, 0, 0}, {"", 0, 0, 0, 8}, {"", 0, 0, 8, 4}, {"", 1, 0, 0, 0}}},
                 {2, {9, 48}, {{"", 0, 0, 0, 0}, {"", 0, 1, 1, 0}, {"", 0, 2, 0, 0}, {"", 0, 0, 0, 0}}},
                 {2, {9, 46}, {{"", 0, 0, 0, 0}, {"", 0, 1, 0, 0}, {"", 0, 0, 0, 0}, {"", 0, 0, 0, 0}}},
                 {1, {1029}, {{"", 0, 0, 0, 0}, {"", 0, 0, 8, 0}, {"", 0, 1, 0, 0}, {"", 0, 0, 0, 0}}},
                 {1, {3}, {{"", 0, 0, 0, 0}, {"", 0, 0, 0, 0}, {"", 0, 0, 0, 0}, {"", 0, 0, 0, 0}}},
                 {2, {70, 45}, {{"", 0, 0, 0, 0}, {"10", 0, 0, 0, 0}, {"", 0, 0, 0, 0}, {"10", 0, 0, 0, 0}}},
                 {2, {32, 16}, {{"", 0, 0, 0, 0}, {"10", 1, 0, 0, 0}, {"", 0, 1, 0, 0}, {"10", 2, 0, 0, 0}}},
                 {3, {5, 40, 33}, {{"", 0, 0, 0, 0}, {"021", 0, 0, 0, 0}, {"", 0, 2, 0, 0}, {"", 0, 0, 0, 0}}},
                 {3, {20, 7, 33}, {{"", 0, 0, 3, 1}, {"210", 0, 0, 0, 0}, {"", 0, 0, 0, 0}, {"201", 0, 0, 0, 0}}}};
    static const stria_dtype mixed[] = {STRIA_F64, STRIA_U8, STRIA_F32, STRIA_BF16};
    stria_expression        *e = new_program(0);

    for (int m = 0; m < 2; m++)
        for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
            operands o;
            char     what[64];
            for (int i = 0; i < N_OPERANDS; i++) {
                const twins x = lie_new(m == 0 ? STRIA_F32 : mixed[i], cases[k / 2].ndim, cases[k / 2].shape,
                                        &cases[k / 2].how[i], (uint64_t)i + 1);
                o.far[i] = x.there, o.near[i] = x.here;
            }
            snprintf(what, sizeof what, "dtypes %d of case %d", m, (int)k / 2);
            const int64_t n = check_call(e, &o, what);
            CHECK(k < 2 || n == 1, "%s: %d kernels", what, (int)n);
            end_operands(&o);
        }
    stria_expression_release(e);
}

/* Two results, one of them of another dtype; in place; by runs of a graph. */
static void test_graph(void)
{
    stria_tensor    *x = cuda_case_new(CUDA, STRIA_F32, AS_PACKED, 5), *s, *a, *b, *c, *out[3];
    stria_recording *r = record_inputs(&x, 1, &s);
    stria_graph     *g = NULL;
    int64_t          n = 0;

    OK(stria_tanh(s, &a, NULL));
    OK(stria_lt(a, s, &b, NULL));
    OK(stria_where(b, a, s, &c, NULL));
    OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){s, c}, 2, s, NULL));
    OK(stria_recording_end(r, (stria_tensor *[]){a, b, c}, 3, &g, NULL));
    RELEASE(s, a, b, c);
    for (int k = 0; k < 4; k++) {
        stria_tensor *y = cuda_case_new(CUDA, STRIA_F32, AS_PACKED, 7),
                     *z = cuda_case_new(STRIA_CPU, STRIA_F32, AS_PACKED, 7);
        OK(stria_tanh(z, &a, NULL));
        OK(stria_lt(a, z, &b, NULL));
        OK(stria_where(b, a, z, &c, NULL));
        OK(stria_apply_out(STRIA_OP_add, (const stria_tensor *[]){z, c}, 2, z, NULL));
        n = count_launches();
        OK(stria_graph_run(g, &y, 1, out, NULL));
        n = count_launches() - n;
        cuda_case_check_same("tanh", out[0], a), cuda_case_check_same("lt", out[1], b);
        cuda_case_check_same("where", out[2], c), cuda_case_check_same("in place", y, z);
        RELEASE(a, b, c, y, z);
        release_all(3, out);
    }
    CHECK(n <= 2, "a run has %d kernels", (int)n);
    stria_graph_release(g);
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- what is kept, and what is not there */

/* The only file of the folder, or NULL. */
static const char *find_file(const char *at)
{
    static char    path[512];
    struct dirent *item;
    DIR           *d = opendir(at);
    int            n = 0;

    while (d != NULL && (item = readdir(d)) != NULL)
        if (item->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", at, item->d_name);
            n++;
        }
    if (d != NULL) closedir(d);
    return n == 1 ? path : NULL;
}

static void damage(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    int   c = 0;

    CHECK(file != NULL && fseek(file, at, at < 0 ? SEEK_END : SEEK_SET) == 0 && (c = fgetc(file)) != EOF, "%s", path);
    if (file == NULL) return;
    fseek(file, -1, SEEK_CUR);
    fputc(c ^ 1, file);
    fclose(file);
}

/* A new expression each time, so that nothing is left of the last one but what the plug-in keeps. */
static int64_t run_once(int variant)
{
    operands          o = new_operands(all_f32, packed, (uint64_t)variant);
    stria_expression *e = new_program(variant);
    const int64_t     n = check_call(e, &o, "what is kept");

    stria_expression_release(e);
    end_operands(&o);
    return n;
}

static void expect(int variant, bool is_code, const char *what)
{
    const int64_t n = run_once(variant);
    CHECK(is_code ? n == 1 : n > 1, "%s: %d kernels", what, (int)n);
}

static void test_memory(void)
{
    setenv("STRIA_CUDA_KERNELS", "2", 1);
    for (int variant = 1; variant <= 3; variant++) {
        expect(variant, false, "the first time");
        expect(variant, true, "the second time");
    }
    expect(3, true, "among the last two");
    expect(2, true, "among the last two");
    expect(1, false, "left out");
}

static void test_files(const char *compiler)
{
    const char *path;

    setenv("STRIA_CUDA_KERNELS", "1", 1);
    setenv("STRIA_CUDA_CACHE", folder, 1);
    expect(4, false, "the first time");
    expect(4, true, "the second time");
    path = find_file(folder);
    CHECK(path != NULL, "there is a file");
    setenv("STRIA_CUDA_HOST_COMPILER", "false", 1);
    expect(5, false, "what puts it out of memory");
    expect(4, true, "from the file");
    for (int k = 0; k < 4 && path != NULL; k++) { /* the magic, the hash, the text, the image */
        const long places[] = {3, 42, 300, -5};
        damage(path, places[k]);
        expect(5, false, "what puts it out of memory");
        expect(4, false, "a damaged file");
        expect(4, false, "a compiler that fails");
        setenv("STRIA_CUDA_HOST_COMPILER", compiler, 1);
        expect(5, false, "what puts it out of memory");
        expect(4, false, "a damaged file");
        expect(4, true, "compiled again");
        setenv("STRIA_CUDA_HOST_COMPILER", "false", 1);
        expect(5, false, "what puts it out of memory");
        expect(4, true, "from the file again");
    }
    CHECK(path == NULL || truncate(path, 50) == 0, "cut");
    expect(5, false, "what puts it out of memory");
    expect(4, false, "a file that is cut");
    if (path != NULL) remove(path);
    setenv("STRIA_CUDA_HOST_COMPILER", compiler, 1);
    setenv("STRIA_CUDA_CACHE", "/nowhere/at/all", 1);
    expect(6, false, "the first time");
    expect(6, true, "a folder that is not there");
    unsetenv("STRIA_CUDA_CACHE");
    unsetenv("STRIA_CUDA_HOST_COMPILER");
    for (int k = 0; k < 3; k++) expect(7, false, "no compiler");
    setenv("STRIA_CUDA_HOST_COMPILER", compiler, 1);
    unsetenv("STRIA_CUDA_KERNELS");
}

/* The last one: the device is lost. */
static void test_fault(void)
{
    enum { ILLEGAL_ADDRESS = 700 };
    operands          o = new_operands(all_f32, packed, 1);
    stria_expression *e = new_program(8);
    stria_tensor     *y = NULL;
    stria_error       err = {0};

    check_call(e, &o, "before a fault"), check_call(e, &o, "before a fault");
    host->set_quiet(true);
    host->fault_kernel(1, ILLEGAL_ADDRESS);
    if (stria_expression_apply(e, (const stria_tensor *const *)o.far, N_OPERANDS, &y, NULL) == STRIA_OK)
        stria_tensor_release(y);
    CHECK_STATUS(stria_device_synchronize(CUDA, &err), STRIA_ERR_DEVICE);
    CHECK(strstr(err.message, "in expression or before") != NULL, "%s", err.message);
    CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *const *)o.far, N_OPERANDS, &y, &err), STRIA_ERR_DEVICE);
    stria_expression_release(e);
    end_operands(&o);
}

SUITE(test_cuda_words)
{
    const char *compiler = getenv("STRIA_CUDA_HOST_COMPILER");

    if (!cuda_case_begin("test_cuda_words")) return 77;
    host = cuda_host_case_get();
    if (host == NULL || compiler == NULL) {
        printf("test_cuda_words: SKIPPED (not on the host runtime)\n0 passed, 0 failed, 1 skipped\n");
        return 77;
    }
    char *kept = strdup(compiler);
    CHECK(mkdtemp(folder) != NULL && kept != NULL, "%s", folder);
    test_rows(argc > 1 ? atoi(argv[1]) : IS_SANITIZED ? 20 : 5);
    test_layouts();
    test_forms();
    test_graph();
    test_memory();
    test_files(kept);
    cuda_case_check_leaks(1);
    test_fault(); /* the device is lost */
    rmdir(folder);
    free(kept);
    return check_finish("test_cuda_words");
}
#endif
