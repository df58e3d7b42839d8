/* abi.h - the flat ABI: what bindings to other languages call. Internal to the bindings; C programs use stria.h.
 *
 * Every function of abi.def takes and returns doubles, so that a call needs no conversion layer and no memory. Lists
 * and words go through one scratch block per thread.
 *
 * Tensors, expressions, generators and graphs are named by handles: numbers made of a slot and a generation. A handle that
 * was disposed of, or that never was one, gives ERR_DISPOSED for ever: a generation is not used twice. A result below zero
 * is minus a stria_status.
 * Arguments that are no handle may be any double; sizes and axes are cut to the range of their C type, and refused
 * there.
 *
 * Threads: handles and scratch belong to the thread that called stria_abi_open.
 */
#ifndef STRIA_ABI_H
#define STRIA_ABI_H

#include "stria_graph.h"

#if defined(__EMSCRIPTEN__)
#include <emscripten/emscripten.h>
#define STRIA_ABI_EXPORT EMSCRIPTEN_KEEPALIVE
#else
#define STRIA_ABI_EXPORT
#endif

/* Numbers that a call can hand over in n[]. So a walk has at most 2048 outputs, and twice its outputs and its inputs are at most 4096; a
 * checkpoint has at most 4094 inputs, and 4096 inputs and outputs together. */
#define STRIA_ABI_NUMBERS 4096
#define STRIA_ABI_OPERANDS 4

/* kind of an operand: a stria_scalar_kind, or one of these */
#define STRIA_ABI_HANDLE 5
#define STRIA_ABI_NONE 6 /* not given: a bound of clamp */

/* value of a number: re (FLOAT; BOOL as 0 or 1), re and im (COMPLEX), i (INT, UINT); handle in re. */
typedef struct stria_abi_operand {
    double  kind, re, im;
    int64_t i;
} stria_abi_operand;

/* Parts of the scratch block by the numbers that stria_abi_layout takes: 0 n, 1 operand, 2 .. 6 the strings of error
 * in their order, 7 the end.
 *
 * describe fills n[]:
 *   0 dtype  1 type of device  2 numel  3 contiguous  4 address  5 storage bytes  6 element bytes  7 index of device
 *   8 .. shape  72 .. strides
 * generator_get and generator_set have in n[]: the lower and the upper half of the seed, then of the offset
 * inspect and inspect_reduction fill n[] with as many bytes as fit of {"common_dtype", "compute_dtype", "result_dtype",
 *   "iteration"}, the last as of stria_iter_describe_json
 * call reads the arguments of a row of functions.def from n[], one after another in the order of the row:
 *   tensors     a handle; 0: left out; -1 - k: operand[k]. A list: how many, then the handles; 0 of one that
 *               is left out
 *   attributes  a number; AXIS and INT: NaN where none is given; AXES: how many, then the axes, -1: all; SHAPE and
 *               INT_LIST: how many, then these; INTS: all of them; INT_OR_LIST: -1 and a number, or how many, then
 *               these; SCALAR: -1 - k: operand[k]; DTYPE: -1: none; DEVICE: type and index, -1 and 0: none; GENERATOR: a handle, 0:
 *               the default one; TEXT: how many characters, then their codes; WORD: its number in the row
 *   outputs     the handle of the caller's tensor, or 0 for a new one; nothing for a list. A row without outputs returns 0 */
typedef struct stria_abi_scratch {
    double            n[STRIA_ABI_NUMBERS];
    stria_abi_operand operand[STRIA_ABI_OPERANDS];
    stria_error       error;
} stria_abi_scratch;

#define STRIA_ABI_N_SHAPE 8
#define STRIA_ABI_N_STRIDES 72

/* Starts the table of this thread on a scratch block that outlives it. Opening again changes the block only. */
void stria_abi_open(stria_abi_scratch *scratch);
/* Disposes of every handle of this thread, and of the walks that stopped for the host and were not ended. */
void stria_abi_close(void);
/* Its part of abi_gradient.c: the walks, and, when handles have ended, the numbers that nobody will ask for. */
void stria_abi_end_walks(void);
void stria_abi_end_numbers(void);

/* The tensor of a handle, borrowed; NULL with the error filled if there is none. */
stria_tensor *stria_abi_get_tensor(double handle, const char *op, const char *argument);
/* A handle that owns x, or minus ERR_MEMORY (x is released then). */
double stria_abi_put_tensor(stria_tensor *x);
/* Other things that have handles: how one ends, and what is expected of a handle ("a live graph"). */
typedef struct stria_abi_object_kind {
    void (*release)(void *);
    const char *expected;
} stria_abi_object_kind;
extern const stria_abi_object_kind stria_abi_expressions, stria_abi_generators, stria_abi_graphs;
/* The same for these. */
void  *stria_abi_get_object(double handle, const stria_abi_object_kind *kind, const char *op, const char *argument);
double stria_abi_put_object(void *x, const stria_abi_object_kind *kind);
/* 0: the default generator of this thread, which is not that of the process: what another thread takes of its own changes nothing here. */
stria_status stria_abi_get_generator(double handle, const char *op, const char *argument, stria_generator **out);

#define STRIA_ABI_ARGS_0 void
#define STRIA_ABI_ARGS_1 double
#define STRIA_ABI_ARGS_2 double, double
#define STRIA_ABI_ARGS_3 double, double, double
#define STRIA_ABI_ARGS_4 double, double, double, double
#define STRIA_ABI_ARGS_5 double, double, double, double, double
#define STRIA_ABI_ARGS_6 double, double, double, double, double, double
#define STRIA_ABI(name, n_args, summary) STRIA_ABI_EXPORT double stria_abi_##name(STRIA_ABI_ARGS_##n_args);
#include "abi.def"

#endif
