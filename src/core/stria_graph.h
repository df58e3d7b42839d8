/* stria_graph.h - programs of calls: recorded once, run often.
 *
 *     stria_recording *r;
 *     stria_recording_begin(&r, &err);
 *     stria_recording_add_input(r, x, &s, &err);             s stands for x: it has no elements
 *     stria_mul(s, w, &t, &err);  stria_relu(t, &u, &err);   calls of this thread are written down, not made
 *     stria_recording_end(r, &u, 1, &graph, &err);
 *     stria_graph_run(graph, &x, 1, &y, &err);               as stria_mul and stria_relu of x, bit for bit
 *
 * While a thread records, its calls compute shapes and dtypes only. Their results are symbols: tensors on the META device, which refuse to be
 * read. Tensors with elements may take part, too: the graph holds them, reads them when it runs, and writes to them where a call does that. What
 * a call refuses it refuses while it is recorded, also a view beyond the memory that an input was shown to have. An input of which as_strided
 * takes a view at a storage_offset begins where its memory does, in each run. Conventions are those of stria.h.
 *
 * Gradients and steps of optimisers are recorded, too. .grad of tensors with elements may be a symbol meanwhile; when the recording ends it is
 * what it was before, and each run does to it what the calls did: sets it to a new tensor, to none, or adds to the one that is there. Where calls leave it
 * as none, a gradient may never be there as a whole.
 * Random numbers are drawn anew by each run, from the generators that the calls were given. What a run writes to keeps its shape: an input to
 * which a call gave another one, as its out, is not changed by runs.
 *
 * Threads:  a recording belongs to the thread that began it, which has one at a time. A graph may be run by several threads at once, unless
 *           it writes to tensors that it holds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STRIA_GRAPH_H
#define STRIA_GRAPH_H

#include "stria.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls that are being written down. */
typedef struct stria_recording stria_recording;
/* A program. */
typedef struct stria_graph stria_graph;

/* ---------------------------------------------------------------- recording */

/* From now on the calls of this thread are written down; one that is refused leaves nothing. stria_backward makes many
 * calls: those before the one that was refused stay. ERR_ARGUMENT: it records already; ERR_MEMORY. */
STRIA_API STRIA_MUST_CHECK stria_status stria_recording_begin(stria_recording **out, stria_error *err);

/* A symbol for the next input of the graph, which has the dtype, shape and strides of x, and is owned by the caller. Its elements are not read.
 * A recording is of one device, the CPU or a CUDA device: what its calls look at or ask for is there, but for numbers; a call that is not, and an
 * input elsewhere, is ERR_DEVICE. ERR_ARGUMENT (something is NULL, or the recording is another thread's), ERR_MEMORY. */
STRIA_API STRIA_MUST_CHECK stria_status stria_recording_add_input(stria_recording *recording, const stria_tensor *x,
                                                                  stria_tensor **symbol, stria_error *err);

/* While it pauses, calls are made as ever: of tensors that outlive the recording. Symbols mean nothing to them. Graphs
 * neither run nor load: the thread records still. */
STRIA_API void stria_recording_pause(stria_recording *recording, bool is_paused);

/**
 * stria_recording_end - end a recording, and make a graph of it.
 *
 * results  [n_results] symbols, or tensors with elements that the graph holds from now on; borrowed
 * out      new graph with one reference, owned by the caller; NULL on failure
 *
 * The recording ends, and is released, also on failure, unless it is another thread's: that one goes on. Symbols that
 * are left mean nothing to later calls.
 * Errors:  ERR_ARGUMENT (another thread's recording, a symbol of another one), ERR_MEMORY (also where a call that was
 *          recorded, or an input, had none). ERR_ARGUMENT of the argument "x": an input, or a tensor with elements, was
 *          written to in place and got a history, which runs would not give it; it is as it was before the recording.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_recording_end(stria_recording *recording, stria_tensor *const *results,
                                                            int n_results, stria_graph **out, stria_error *err);
/* An attribute of the last call that was recorded, a number or flag such as the step of adam or a learning rate, may
 * have another value in each run: it becomes number *index of the graph, counted from 0. The call must be a step of an
 * optimiser: numbers of other calls may change shapes. A view, or empty, has none. ERR_ARGUMENT (another thread's
 * recording; the call has no such number), ERR_MEMORY. */
STRIA_API STRIA_MUST_CHECK stria_status stria_recording_add_number(stria_recording *recording, const char *attribute,
                                                                   int *index, stria_error *err);
/* Ends a recording of this thread without a graph; others go on. NULL is allowed. */
STRIA_API void stria_recording_cancel(stria_recording *recording);

/* ---------------------------------------------------------------- graphs */

STRIA_API stria_graph *stria_graph_retain(stria_graph *graph); /* NULL is allowed, here and in release */
STRIA_API void         stria_graph_release(stria_graph *graph);

/* What a graph is, in numbers. */
typedef struct stria_graph_info {
    int    n_inputs, n_results, n_numbers;
    int    n_calls;         /* written down */
    int    n_steps;         /* that a run makes */
    size_t recorded_nbytes; /* of all that the calls make */
    size_t nbytes; /* of what a run holds at a time beside inputs and results, with as many threads as are set */
    /* Of CUDA devices, where runs launch groups of steps as CUDA graphs (docs/cuda.md): */
    int     n_captured; /* steps in such groups; 0 until runs have shown which these are, and where there are none */
    int64_t n_captures, n_launches; /* groups that were captured so far, and launches of them */
} stria_graph_info;
STRIA_API stria_graph_info stria_graph_get_info(const stria_graph *graph);

/* A number of a graph: the attribute that it is, its value in the first run, and what each further run is meant to add, but not below 0:
 * 1 of a whole number, which counts steps; -1 of a flag, which is set in the first run alone; else 0. The name lives as long as the library. */
typedef struct stria_graph_number_info {
    const char *name; /* NULL: the graph has no number k */
    double      value;
    int         change;
} stria_graph_number_info;
STRIA_API stria_graph_number_info stria_graph_get_number_info(const stria_graph *graph, int k);

/**
 * stria_graph_run - make the calls of a graph.
 *
 * in   [n_in] of the dtypes and shapes that were recorded, on the CPU; those that the graph does not write to, and no result is a view of,
 *      may have any strides
 * out  [n_results of the graph] new tensors, owned by the caller; a result that is an input is that tensor, one that is a view of an input
 *      or of a tensor that the graph holds is a view of it
 *
 * Errors:  ERR_ARGUMENT (not as many inputs; an input that requires a gradient, which must be recorded instead), ERR_SHAPE, ERR_DTYPE,
 *          ERR_DEVICE, ERR_OVERLAP (an input that is written to shares memory with another one or a held tensor, or an input with a held tensor that is written to),
 *          ERR_MEMORY; and what calls refuse because of elements, such as an index out of range. Outputs are NULL then,
 *          inputs that are written to may have changed, and a .grad that the calls set, whatever it was, may be none.
 *          ERR_ARGUMENT of the argument "grad": a gradient that the calls added to, or read, is another tensor than it was, or is there
 *          where none was; the calls must be recorded again. The same of "held": a tensor that the graph holds was given other memory. ERR_UNSUPPORTED: this thread records; make the calls of the graph instead.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_graph_run(stria_graph *graph, stria_tensor *const *in, int n_in,
                                                        stria_tensor **out, stria_error *err);
/* The same with other numbers: [n_numbers], as many as were added, or none: those that were recorded. ERR_ARGUMENT. */
STRIA_API STRIA_MUST_CHECK stria_status stria_graph_run_with(stria_graph *graph, stria_tensor *const *in, int n_in,
                                                             const double *numbers, int n_numbers, stria_tensor **out,
                                                             stria_error *err);

/**
 * stria_graph_explain - what a graph is, as JSON in a new buffer to be ended with stria_bytes_release; nbytes without a zero at the end.
 *
 *     {"inputs":4,"results":1,"numbers":0,"gradients":0,
 *      "recordedBytes":..     of all that the calls make
 *      "peakBytesRecorded":.. of that at a time, if each tensor lived from the first call that mentions it to the last one
 *      "peakBytes":..         of what a run takes: the arena, results, and the blocks of all threads that are set
 *      "arenaBytes":..        of the arena alone; "blockBytes" of what each thread has beside it
 *      "live":{..}            when most of it is taken: {"group":3,"bytes":960,"buffers":[{"buffer":5,"bytes":640},..]}, the 8 largest that are
 *                             there while that group is made; what lies in the place of another one counts, too
 *      "captured":{..}        of a graph on a CUDA device alone: {"steps":7,"captures":1,"launches":98}, as of stria_graph_info
 *      "nodes":[..]           the calls as they were recorded
 *      "blocks":[..]          which of the groups run block by block
 *      "groups":[..]}         the steps that a run makes
 *
 * Each node or group: {"row":"expression","ops":["mul","add"],"once":true,"reads":[..],"writes":[..]}; once where it is made once and kept,
 * since it depends on nothing; "joined":true where the next group takes it with it, tile by tile: a product. Of an expression, beside its ops, "operands":[[0,1],[3,2]], "constants":[0.5] and "gives":[4]: the values that
 * each op takes, and those that are written. They are numbered as for stria_expression_new: what it reads, then constants, then ops.
 *
 * Each of blocks: {"from":2,"steps":5,"dims":1,"pieces":63,"slices":16,"why":".."}: 5 groups, of which number 2 is the first, are made of 63 pieces
 * of the first dim one after another, each of at most 16 slices along it, so that what they hand on to each other stays in the cache. "why"
 * says why the next group is not among them. "dims":0: an expression, and a reduction over everything or the first dims that has it make its
 * elements part by part; or a matrix product, and the step of an optimiser that alone reads it, as the gradient of a parameter, which it takes
 * tile by tile.
 *
 * What is read and written: {"buffer":3,"of":"made","dtype":"f32","shape":[2,3]}, of an "input", "held", a "number" with its "value", or "made".
 * What leaves the graph has "result":true, or "gradient":true where it is no result. What a step changes, such as the parameters of sgd, it reads
 * and writes. Where a group reads what group number "from" made, "why" says why they are two groups. Numbers have 15 digits; a complex one is
 * [re,im]; those that JSON lacks are the texts "inf", "-inf" and "nan".
 *
 * Errors:  ERR_ARGUMENT (NULL), ERR_MEMORY.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_graph_explain(const stria_graph *graph, void **text, size_t *nbytes,
                                                            stria_error *err);

/* ---------------------------------------------------------------- sizes */

/**
 * stria_graph_set_dynamic - make a graph run for many sizes of a dimension, such as that of a batch.
 *
 * graph   recorded where the dimension has this size
 * others  [2] the same calls, over the same held tensors, where it has sizes[0] and sizes[1]; they are held from now on. All three sizes are
 *         different ones from 2 to 2^31 - 1
 *
 * Numbers of the three programs that differ (sizes, strides, offsets, attributes) must be u = a n + b, of those that are no whole ones
 * c / u, u / c or u / (u - c), of whole c up to 64. A tensor that the calls made of values, which nobody else has, is the same one if it has the
 * same elements. A run with inputs of another size plans the program of it without recording, and keeps
 * it; eight at a time. All calls are looked at again then, those that make views among them: where one is refused, or makes something else than
 * it would by a n + b, such as a slice that asks for more than the dimension has at this size, the run is ERR_UNSUPPORTED, argument "dynamic". What
 * the program that was recorded computed of sizes itself, or chose by them, the graph does not know. Sizes below 2 are refused: record them by
 * themselves, as broadcasting and sums of nothing are other calls. The graph is saved for all sizes.
 * Errors:  ERR_ARGUMENT (NULL, the sizes), ERR_UNSUPPORTED (programs that differ in anything else, with the call), ERR_MEMORY.
 * Threads: nobody runs the graph meanwhile.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_graph_set_dynamic(stria_graph *graph, int64_t size,
                                                                stria_graph *const others[2], const int64_t sizes[2],
                                                                stria_error *err);

/* ---------------------------------------------------------------- files */

/**
 * stria_graph_save - the bytes of a graph, in a new buffer to be ended with stria_bytes_release: a safetensors file, of the tensors that the
 *                    graph holds, with the program in its metadata under "stria.graph".
 *
 * metadata  [2 * n_metadata] more keys and values of the file in turn, as of stria_safetensors_copy; NULL if there are none
 *
 * Held:    tensors as they are now; of a tensor that is a part of another one, that part. Generators of calls, with their states; the default
 *          generator stays the one of the process that runs the graph. A loaded graph sets no .grad.
 * Training: parameters and what an optimiser keeps for them are held tensors: a loaded step of it goes on from them, with tensors of its own.
 *          Results that are held tensors are views of these. Numbers have their values of the recording.
 * Errors:  ERR_ARGUMENT (NULL, metadata), ERR_UNSUPPORTED (what it does to the .grad of a tensor depends on what was there before), ERR_FORMAT
 *          (a header beyond the limit of such files), ERR_MEMORY.
 * Threads: nobody may write to the held tensors meanwhile.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_graph_save(const stria_graph *graph, const char *const *metadata,
                                                         int64_t n_metadata, void **bytes, size_t *nbytes,
                                                         stria_error *err);

/**
 * stria_graph_load - a graph from such bytes, on any machine: with the same bits as the one that was saved.
 *
 * bytes  borrowed; they may be damaged or made to do harm
 * out    new graph with one reference, owned by the caller; it holds tensors of its own. NULL on failure
 *
 * Nothing runs. Every view must lie inside its buffer, and every step is checked as the call that it is.
 * Errors:  ERR_FORMAT (no such file, another version, sizes that cannot be, a step that the library refuses, by its number), ERR_ARGUMENT (NULL;
 *          this thread records), ERR_UNSUPPORTED (a row that the library lacks), ERR_MEMORY.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_graph_load(const void *bytes, size_t nbytes, stria_graph **out,
                                                         stria_error *err);

/**
 * stria_graph_load_to - the same on a device, the CPU or one of CUDA, wherever the program was recorded: what it holds is copied there once,
 * and its inputs are tensors of that device. Its bits are those of its calls there (docs/cuda.md).
 *
 * Errors:  also ERR_DEVICE (programs do not run on such devices, or it has failed), ERR_UNSUPPORTED (it is not there).
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_graph_load_to(const void *bytes, size_t nbytes, stria_device device,
                                                            stria_graph **out, stria_error *err);

#ifdef __cplusplus
}
#endif
#endif
