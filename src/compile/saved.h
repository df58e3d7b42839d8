/* saved.h - the saved form of graphs, which save.c writes and load.c reads. Internal.
 *
 * A file in the safetensors format. Its tensors are what the graph holds, flat, as "held.0", "held.1" ..; its metadata has the program
 * under STRIA_GRAPH_KEY, a JSON object whose members come in this order:
 *
 *     version      STRIA_GRAPH_VERSION
 *     generators   [[seed, offset] ..]
 *     buffers      [["input", k] or ["held", k] or ["number", scalar] or ["made", bytes] or ["constant", scalar] ..]
 *     views        [[buffer, dtype, offset in bytes, shape, strides] ..]
 *     inputs       views
 *     steps        [{"row": [kind, name], "in": views, "list": views, "out": views, "new": 0 or 1, "attrs": {..}, "numbers": [..]} ..]
 *     results      views
 *
 * Programs of many sizes (STRIA_GRAPH_SIZE_KEY) have numbers as of dynamic.h, and calls that made views among the steps.
 *
 * A constant is a number that a rule of derivatives made; no wrapped number, so its dtype counts in promotion.
 *
 * A view that is left out is -1. A scalar is its kind, then whole numbers: ["int", i], ["float", bits] .. Bits are those of the number in
 * memory. Attributes have the names of the row; numbers are those that each run may be given, [name, change] each. Generators are numbers of the list, or -1, the default one.
 */
#ifndef STRIA_COMPILE_SAVED_H
#define STRIA_COMPILE_SAVED_H

#include "compile/graph.h"

#define STRIA_GRAPH_OP "graph"
#define STRIA_GRAPH_KEY "stria.graph"
#define STRIA_GRAPH_SIZE_KEY "stria.graph.size" /* of a program for many sizes: one of them, see dynamic.h */
#define STRIA_GRAPH_VERSION 3
#define STRIA_GRAPH_HELD "held."
#define STRIA_GRAPH_ROWS "op|reduction|function|expression"
#define STRIA_GRAPH_SCALARS "bool|int|float|complex|uint" /* in the order of stria_scalar_kind */

/* As stria_graph_save and stria_graph_load, where another generator than the process's is the default one. numbers: as many of the graph,
 * then their changes; NULL: those that it has. */
stria_status stria_graph_save_as(const stria_graph *graph, const stria_generator *usual, const double *numbers,
                                 const char *const *metadata, int64_t n_metadata, void **bytes, size_t *nbytes,
                                 stria_error *err);
stria_status stria_graph_load_as(const void *bytes, size_t nbytes, stria_generator *usual, stria_device device,
                                 stria_graph **out, stria_error *err);

/* The attributes of plain reductions as those of a row of functions.def. */
extern const stria_schema stria_graph_reduction;
/* What attributes a row has; NULL: none, or those of an expression. */
const stria_schema *stria_graph_get_schema(stria_row row);

/* Whether files have this attribute: a device is where the graph runs, and some are no parameters. */
bool stria_graph_is_saved(const stria_param *param);

#endif
