/* mlir_program.h - graphs as programs of machine code: their text through toolchains/mlir.sh, or by the plug-in that is open. */
#ifndef TEST_MLIR_PROGRAM_H
#define TEST_MLIR_PROGRAM_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gradients.h"
#include "stria_mlir.h"

typedef enum mlir_way { MLIR_BY_TOOLS, MLIR_BY_PLUGIN } mlir_way;

/* A program of a graph; is_there false: it could not be made. */
typedef struct mlir_program {
    stria_graph        *graph;
    void               *library;
    stria_mlir_program *run; /* NULL: the graph runs as machine code */
    bool                is_there;
    bool                is_skipped; /* MLIR is absent */
} mlir_program;

static inline void mlir_print_file(const char *path)
{
    char  line[256];
    FILE *file = fopen(path, "r");

    for (int k = 0; k < 20 && file != NULL && fgets(line, sizeof line, file) != NULL; k++) printf("  %s", line);
    if (file != NULL) fclose(file);
}

static inline mlir_program mlir_program_new_by_tools(stria_graph *g, const char *name)
{
    mlir_program p = {.graph = g};
    char         folder[] = "/tmp/stria_mlir_XXXXXX", path[96], command[256], *text = NULL;
    stria_error  err;

    const stria_status status = stria_graph_get_mlir(g, name, &text, &err);
    CHECK(status == STRIA_OK, "%s: %s", name, err.message);
    if (status != STRIA_OK || mkdtemp(folder) == NULL) return p;
    CHECK(strstr(text, "xbf16>") == NULL, "%s: code for bf16 may ask for __truncsfbf2",
          name); /* where AVX-512 is, it does not */
    snprintf(path, sizeof path, "%s/p.mlir", folder);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
    stria_mlir_release(text);
    snprintf(command, sizeof command, "toolchains/mlir.sh %s/p.mlir %s/p.so > %s/log 2>&1", folder, folder, folder);
    const int ended = system(command), code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    p.is_skipped = code == 77;
    CHECK(code == 0 || code == 77, "%s: MLIR refuses it, status %d, %s", name, code, path);
    if (code == 0) {
        snprintf(path, sizeof path, "%s/p.so", folder);
        p.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        CHECK(p.library != NULL, "%s: %s", name, dlerror());
        snprintf(path, sizeof path, "%s_run", name);
        if (p.library != NULL) *(void **)(void *)&p.run = dlsym(p.library, path);
        CHECK(p.run != NULL, "%s: there is no %s", name, path);
    } else if (code != 77) {
        snprintf(path, sizeof path, "%s/log", folder);
        mlir_print_file(path);
        return p; /* the folder stays, to be looked at */
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0, "%s", command);
    p.is_there = p.run != NULL;
    return p;
}

/* Compiles a graph; what fails is counted, and printed. By the plug-in it is another graph afterwards: its runs are the program's. */
static inline mlir_program mlir_program_new(mlir_way way, stria_graph *g, const char *name)
{
    stria_error err;

    if (way == MLIR_BY_TOOLS) return mlir_program_new_by_tools(g, name);
    const stria_status status = stria_graph_compile(g, &err);
    CHECK(status == STRIA_OK, "%s: %s", name, err.message);
    return (mlir_program){.graph = g, .is_there = status == STRIA_OK};
}

static inline stria_status mlir_program_run(const mlir_program *p, stria_tensor *const *in, int n_in,
                                            stria_tensor **out, stria_error *err)
{
    return p->run != NULL ? stria_graph_run_program(p->graph, p->run, in, n_in, NULL, 0, out, err)
                          : stria_graph_run(p->graph, in, n_in, out, err);
}

static inline void mlir_program_end(mlir_program *p)
{
    if (p->library != NULL) dlclose(p->library);
}

/* The same shape, dtype, and bits, but which NaN a NaN is. */
static inline bool mlir_is_same(const stria_tensor *a, const stria_tensor *b)
{
    stria_tensor *x, *y;
    bool          same = a->dtype == b->dtype && stria_tensor_has_shape(a, b->ndim, b->shape);

    if (!same) return false;
    OK(stria_contiguous((stria_tensor *)(uintptr_t)a, &x, NULL));
    OK(stria_contiguous((stria_tensor *)(uintptr_t)b, &y, NULL));
    for (int64_t i = 0; i < x->numel && same; i++) {
        const size_t at = (size_t)i * stria_dtype_get_size(x->dtype);
        char         u[64], v[64];
        same = value_same(x->dtype, x->data + at, y->data + at);
        if (!same)
            printf("  element %lld of %lld: %s, not %s\n", (long long)i, (long long)x->numel,
                   value_print(x->dtype, y->data + at, u, sizeof u), value_print(x->dtype, x->data + at, v, sizeof v));
    }
    RELEASE(x, y);
    return same;
}

#endif
