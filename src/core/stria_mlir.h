/* stria_mlir.h - graphs as MLIR, the input of LLVM's compilers, and as machine code.
 *
 * In this process, where the plug-in libstria_mlir is installed:
 *
 *     stria_mlir_open(NULL, &err);                               once: LLVM is loaded
 *     stria_graph_compile(graph, &err);                          from now on stria_graph_run is machine code
 *
 * Or by hand:
 *
 *     stria_graph_get_mlir(graph, "step", &text, &err);          a module, for mlir-opt
 *     .. mlir-opt, mlir-translate and clang make a library of it (docs/mlir.md), dlsym("step_run") a program ..
 *     stria_graph_run_program(graph, program, &x, 1, NULL, 0, &y, &err);  as stria_graph_run_with
 *
 * Conventions are those of stria.h. SPDX-License-Identifier: MIT
 */
#ifndef STRIA_MLIR_H
#define STRIA_MLIR_H

#include "stria_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * stria_graph_get_mlir - the text of a module that computes what a graph computes.
 *
 * name  of its function; letters, digits and _ are kept, others become _, and "" or NULL is "graph"
 * text  new, ends with 0, to be released by stria_mlir_release; NULL on failure
 *
 * The dialects are func, memref, affine, arith, linalg, some of math and scf, and llvm for the way in and out. Function
 * `name` takes a memref for each tensor that the graph is given, holds or makes as a result, and one for its arena.
 * Element-wise steps, copies and fills are loops over the same operations, in the same order, as the library's own: no
 * fast-math flags, no function of a mathematical library but the exact fmod; so they give the same bits, where the
 * compiler contracts nothing. Products of matrices are linalg.matmul, within the bound of stria_matmul. Every other step
 * is a call of the library, by way of the context that `name`_run is given.
 *
 * Errors:  ERR_ARGUMENT (graph or text is NULL), ERR_MEMORY, ERR_UNSUPPORTED (the text would be longer than 1 GiB).
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_graph_get_mlir(const stria_graph *graph, const char *name, char **text,
                                                             stria_error *err);
STRIA_API void                          stria_mlir_release(char *text); /* NULL is allowed */

/* What a program calls for steps of the library; the first thing that it is given. */
typedef struct stria_mlir_host {
    void (*call)(const struct stria_mlir_host *host, int64_t step);
} stria_mlir_host;

/* Function `name`_run of a module as machine code. */
typedef void stria_mlir_program(const stria_mlir_host *host, void *const *buffers);

/* As stria_graph_run_with, by a program that was compiled from the text of this very graph, or of one that was recorded
 * the same way. It may be run by several threads at once where the graph may. Where an argument that is written to
 * shares memory with another one, the library makes the calls itself. ERR_ARGUMENT (program is NULL), and what
 * stria_graph_run_with refuses. */
STRIA_API STRIA_MUST_CHECK stria_status stria_graph_run_program(stria_graph *graph, stria_mlir_program *program,
                                                                stria_tensor *const *in, int n_in,
                                                                const double *numbers, int n_numbers,
                                                                stria_tensor **out, stria_error *err);

/* ---------------------------------------------------------------- in this process */

/**
 * stria_mlir_open - load the plug-in that compiles graphs in this process.
 *
 * path  of libstria_mlir.so; NULL: the one beside this library (a program that is linked with the static library: beside the program), else where
 *       the system looks for libraries
 *
 * Nothing else loads it. It stays for the life of the process; to open it again does nothing.
 * Errors:  ERR_UNSUPPORTED (there is none, or it does not load: LLVM is not there; this is WebAssembly), ERR_FORMAT (it is something else, or of
 *          another version of this library), ERR_CONFIG (another one is open).
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_mlir_open(const char *path, stria_error *err);
/* What it compiles with, such as "LLVM 19"; NULL: it is not open. */
STRIA_API const char *stria_mlir_get_compiler(void);

/**
 * stria_graph_compile - make machine code of a graph, for this processor; runs of the graph are made by it from now on.
 *
 * Results have the same bits; those of products of matrices are within the bound of stria_matmul. It takes some tens of milliseconds. The code is
 * released with the graph; that of the last 64 different texts is kept, for graphs that are recorded the same way. To compile a graph again does
 * nothing. It may run, and be compiled, on several threads at once.
 *
 * Errors:  ERR_ARGUMENT (graph is NULL), ERR_CONFIG (no plug-in is open), ERR_MEMORY, ERR_UNSUPPORTED (as stria_graph_get_mlir; or the compiler
 *          refuses the text). The graph runs as before then.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_graph_compile(stria_graph *graph, stria_error *err);

#ifdef __cplusplus
}
#endif
#endif
