/* test_compiler_page.c - docs/compiler.md follows one example, relu(linear(x, w, b)) with 16 rows of 10, through every stage. What each stage
 * gives stands there between marks; here it is made again and compared.
 *
 *     test_compiler_page --write FILE    writes it into FILE, of a machine with MLIR and wabt
 */
#include <stdlib.h>
#include <unistd.h>

#include "compile/graph.h"
#include "base/alloc.h"
#include "cpu/expression.h"
#include "cuda/group_text.h"
#include "io/json.h"
#include "stria_mlir.h"
#include "wasm/program.h"
#undef GRAD /* of rules */
#include "gradients.h"
#include "suite.h"

#define ROOM (1 << 18)

/* A text that grows; what does not fit is a failure. */
typedef struct text {
    char at[ROOM];
    int  n;
} text;

static void put(text *t, const char *words, int n)
{
    CHECK(t->n + n < ROOM, "the text is too long");
    if (t->n + n >= ROOM) return;
    memcpy(t->at + t->n, words, (size_t)n), t->n += n, t->at[t->n] = 0;
}
static void put_words(text *t, const char *words) { put(t, words, (int)strlen(words)); }

static text page, stage;
static bool is_write;
static int  n_skipped;

/* ---------------------------------------------------------------- the page */

/* The stage is what stands in the page behind <!-- name -->, as a block of a language. */
static void end_stage(const char *name, const char *language)
{
    static text block, next;
    char        mark[64];

    block.n = next.n = 0;
    put_words(&block, "\n\n```"), put_words(&block, language), put_words(&block, "\n"), put(&block, stage.at, stage.n);
    if (stage.n == 0 || stage.at[stage.n - 1] != '\n') put_words(&block, "\n");
    put_words(&block, "```\n\n");
    snprintf(mark, sizeof mark, "<!-- %s -->", name);
    char *begin = strstr(page.at, mark), *end = begin == NULL ? NULL : strstr(begin, "<!-- end -->");
    CHECK(end != NULL, "docs/compiler.md has no place %s", mark);
    if (end == NULL) return;
    begin += strlen(mark);
    const bool is_same = end - begin == block.n && memcmp(begin, block.at, (size_t)block.n) == 0;
    if (is_write) {
        put(&next, page.at, (int)(begin - page.at)), put(&next, block.at, block.n), put_words(&next, end);
        page.n = 0, put(&page, next.at, next.n);
    } else {
        CHECK(is_same, "docs/compiler.md has another text of %s than%s", name, block.at);
    }
    stage.n = 0;
}

/* JSON with a line for each member of the outer two levels. */
static void put_json(const char *json, int n)
{
    int  depth = 0;
    bool is_text = false;

    for (int k = 0; k < n; k++) {
        const char c = json[k];
        if (c == '"' && (k == 0 || json[k - 1] != '\\')) is_text = !is_text;
        const bool opens = !is_text && (c == '{' || c == '['), closes = !is_text && (c == '}' || c == ']');
        const bool is_empty = opens && (json[k + 1] == ']' || json[k + 1] == '}');
        if (closes && --depth < 2 && json[k - 1] != '[' && json[k - 1] != '{') put(&stage, "\n    ", 1 + 2 * depth);
        put(&stage, &c, 1);
        if ((opens && ++depth <= 2 && !is_empty) || (c == ',' && !is_text && depth <= 2))
            put(&stage, "\n    ", 1 + 2 * depth);
    }
}

/* ---------------------------------------------------------------- stages */

static stria_tensor *new_zeros(int ndim, const int64_t *shape)
{
    stria_tensor *x;

    OK(stria_zeros(shape, ndim, STRIA_F32, STRIA_CPU, &x, NULL));
    return x;
}

static stria_graph *new_example(void)
{
    stria_tensor    *x = new_zeros(2, SHAPE(16, 10)), *w = new_zeros(2, SHAPE(10, 10)), *b = new_zeros(1, SHAPE(10));
    stria_tensor    *s, *t, *y;
    stria_graph     *g;
    stria_recording *r;

    OK(stria_recording_begin(&r, NULL));
    OK(stria_recording_add_input(r, x, &s, NULL));
    OK(stria_linear(s, w, b, &t, NULL));
    OK(stria_relu(t, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    RELEASE(x, w, b, s, t, y);
    return g;
}

static void check_explanation(const stria_graph *g)
{
    void  *json;
    size_t nbytes;

    OK(stria_graph_explain(g, &json, &nbytes, NULL));
    put_json(json, (int)nbytes);
    stria_bytes_release(json);
    end_stage("explain", "json");
}

static void check_saved(const stria_graph *g)
{
    static char json[ROOM];
    void       *file;
    size_t      nbytes, n = 0;

    OK(stria_graph_save(g, NULL, 0, &file, &nbytes, NULL));
    char *end = (char *)file + nbytes, *at = (char *)file + 8;
    while (at < end && strncmp(at, "\"stria.graph\":", 14) != 0) at++;
    stria_json j = {.at = (unsigned char *)at + 14, .end = (unsigned char *)end};
    CHECK(at < end && stria_json_take_text(&j, json, sizeof json, &n) && n < sizeof json, "the file has a program");
    put_json(json, (int)n);
    stria_bytes_release(file);
    end_stage("saved", "json");
}

/* The kernel of the group. */
static void put_cuda(const stria_lowering *l)
{
    stria_dtype memory[3] = {STRIA_F32, STRIA_F32, STRIA_F32};
    char       *cuda = stria_cuda_group_print(l, memory, 0, 0);

    CHECK(cuda != NULL, "the group has a kernel");
    if (cuda != NULL) put_words(&stage, cuda);
    stria_object_release(cuda);
    end_stage("cuda", "cuda");
}

/* The words of the one group, its module, and its kernel. */
static void check_words(const stria_graph *g, stria_module *module)
{
    static stria_program program;
    static stria_ir_tape tape;
    stria_tensor        *x = new_zeros(2, SHAPE(16, 10)), *b = new_zeros(1, SHAPE(10));
    const stria_tensor  *in[] = {x, b};
    stria_lowering      *l = NULL;
    char                 line[160];

    module->nbytes = 0;
    for (int k = 0; k < g->planned.steps.n; k++) {
        const stria_graph_step *step = &g->planned.steps.at[k];
        if (step->row != STRIA_ROW_EXPRESSION || step->n_in != 2) continue;
        const stria_expression *e = ((const stria_expression_attrs *)step->attrs)->program;
        OK(stria_lowering_new(e, in, NULL, &l, NULL));
    }
    CHECK(l != NULL && stria_program_make(l, &program) && stria_module_encode(l, false, module), "there is a group");
    for (int k = 0; k < program.count && l != NULL; k++) {
        tape.code[k] = program.code[k], tape.count = k + 1;
        put_words(&stage, stria_ir_print(&tape, k, line, sizeof line)), put_words(&stage, "\n");
    }
    for (int k = 0; k < program.n_out; k++)
        snprintf(line, sizeof line, "result %%%d\n", program.out[k]), put_words(&stage, line);
    end_stage("words", "");
    if (l != NULL) put_cuda(l);
    stria_lowering_release(l);
    RELEASE(x, b);
}

static void check_bytes(const stria_module *module)
{
    char line[16];

    for (int k = 0; k < module->nbytes; k++) {
        snprintf(line, sizeof line, "%02x%s", module->bytes[k], k % 32 == 31 || k + 1 == module->nbytes ? "\n" : " ");
        put_words(&stage, line);
    }
    end_stage("bytes", "");
}

/* ---------------------------------------------------------------- other programs */

/* What a command prints, from the first line with `begin` on, up to `end`, or to its own end if that is NULL. False: it fails. */
static bool put_output(const char *command, const char *begin, const char *end)
{
    static text output;
    FILE       *pipe = popen(command, "r");
    char        part[4096];

    output.n = 0, output.at[0] = 0;
    for (size_t n; pipe != NULL && (n = fread(part, 1, sizeof part, pipe)) > 0;) put(&output, part, (int)n);
    if (pipe == NULL || pclose(pipe) != 0) return false;
    char *from = strstr(output.at, begin), *to = from == NULL || end == NULL ? NULL : strstr(from, end);
    CHECK(from != NULL && (end == NULL || to != NULL), "%s prints \"%s\"", command, begin);
    if (from == NULL || (end != NULL && to == NULL)) return false;
    if (to != NULL) to[strlen(end)] = 0;
    put_words(&stage, from);
    return true;
}

static void write_file(const char *folder, const char *name, const void *bytes, size_t nbytes)
{
    char  path[160];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, nbytes, file) == nbytes, "%s", path);
    if (file != NULL) fclose(file);
}

static void end_or_skip(bool is_there, const char *name, const char *language, const char *what)
{
    if (is_there) {
        end_stage(name, language);
        return;
    }
    stage.n = 0, n_skipped++;
    printf("  skipped: %s, which %s makes\n", name, what);
    CHECK(!is_write, "docs/compiler.md is written where %s is", what);
}

static void check_others(const stria_graph *g, const stria_module *module)
{
    char  folder[] = "/tmp/stria_page_XXXXXX", command[400];
    char *mlir;

    CHECK(mkdtemp(folder) != NULL, "no folder");
    write_file(folder, "group.wasm", module->bytes, (size_t)module->nbytes);
    snprintf(command, sizeof command, "command -v wasm2wat > /dev/null && wasm2wat %s/group.wasm", folder);
    end_or_skip(put_output(command, "(module", NULL), "wat", "wasm", "wabt");

    OK(stria_graph_get_mlir(g, "linear", &mlir, NULL));
    write_file(folder, "linear.mlir", mlir, strlen(mlir));
    char *end = strstr(mlir, "  // what programs call");
    CHECK(end != NULL, "there is a way in behind the function");
    put(&stage, mlir, end == NULL ? 0 : (int)(end - mlir));
    end_stage("mlir", "mlir");
    stria_mlir_release(mlir);

    snprintf(command, sizeof command, "toolchains/mlir.sh %s/linear.mlir %s/linear.ll 2> %s/log && cat %s/linear.ll",
             folder, folder, folder, folder);
    end_or_skip(put_output(command, "define void @linear(", "\n}\n"), "llvm", "llvm", "MLIR 19");
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0, "%s", command);
}

SUITE(test_compiler_page)
{
    static stria_module module;
    const char         *path = "docs/compiler.md";
    char                part[4096];

    is_write = argc == 3 && strcmp(argv[1], "--write") == 0;
    if (is_write) path = argv[2];
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL, "%s", path);
    for (size_t n; file != NULL && (n = fread(part, 1, sizeof part, file)) > 0;) put(&page, part, (int)n);
    if (file != NULL) fclose(file);

    stria_graph *g = new_example();
    check_explanation(g);
    check_words(g, &module);
    check_bytes(&module);
    check_others(g, &module);
    check_saved(g);
    stria_graph_release(g);

    file = is_write ? fopen(path, "wb") : NULL;
    if (is_write) CHECK(file != NULL && fwrite(page.at, 1, (size_t)page.n, file) == (size_t)page.n, "%s", path);
    if (file != NULL) fclose(file);
    const int status = check_finish("test_compiler_page");
    return status == 0 && n_skipped > 0 ? 77 : status;
}
