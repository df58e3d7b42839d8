/* stria.h - the public interface of stria, a tensor library.
 *
 * Conventions, unless a function says otherwise:
 *   sizes     sizes, strides, offsets and counts are in elements; a name with _bytes is in bytes
 *   axes      a negative axis counts from the end
 *   result    every function that can fail returns a stria_status and writes its outputs only on success
 *   err       may be NULL; otherwise it is filled on failure and left alone on success
 *   owner     a stria_tensor that a function hands out through an `out` parameter belongs to the caller, who ends it with
 *             stria_tensor_release; inputs are borrowed for the call; `const stria_tensor *` promises that shape and
 *             elements stay as they are
 *   threads   functions may be called from any thread; one tensor may be read by many threads or written by one
 *   stack     a call needs less than 40 KB; what is larger is 150 KB of heap that each thread keeps until it ends
 *   process   the library never prints, exits or aborts
 *   fork      a process may fork while its threads run calls; the child calls what it likes, on threads of its own (on one, where
 *             threads are OpenMP's). Only a child that is forked inside a loop of the user must not return from that loop
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STRIA_H
#define STRIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stria_enums.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRIA_VERSION_MAJOR 0
#define STRIA_VERSION_MINOR 1
#define STRIA_VERSION_PATCH 0
#define STRIA_VERSION "0.1.0"

#if defined(STRIA_STATIC)
#define STRIA_API
#elif defined(_WIN32)
#define STRIA_API __declspec(dllimport)
#else
#define STRIA_API __attribute__((visibility("default")))
#endif

#if defined(__GNUC__) || defined(__clang__)
#define STRIA_MUST_CHECK __attribute__((warn_unused_result))
#else
#define STRIA_MUST_CHECK
#endif

/* ---------------------------------------------------------------- status and errors */

typedef enum stria_status {
#define STRIA_STATUS(name, number, js_class, text) STRIA_##name = number,
#include "base/status.def"
} stria_status;

/* stria_error - what went wrong, in words.
 *
 * code      the returned status
 * op        operation, e.g. "add" or "reshape"
 * argument  the argument at fault, e.g. "b", "out", "axes[1]"; empty if none in particular
 * expected, got   the two sides of the disagreement; may be empty
 * message   the four as one sentence, e.g. "add: shapes [2,3] and [4] do not broadcast at axis 1"
 *
 * All strings are zero-terminated UTF-8, cut if too long. The struct owns no memory. */
typedef struct stria_error {
    stria_status code;
    char         op[48];
    char         argument[32];
    char         expected[96];
    char         got[96];
    char         message[320];
} stria_error;

/* Name ("ERR_SHAPE") and text of a status; "unknown" for a number that is none. Static strings. */
STRIA_API const char *stria_status_get_name(stria_status status);
STRIA_API const char *stria_status_get_text(stria_status status);

/* ---------------------------------------------------------------- dtypes */

/* Bytes of one element; 0 for a value that is no dtype. */
STRIA_API size_t stria_dtype_get_size(stria_dtype dtype);
/* Word of a dtype ("f32"); "none" for a value that is no dtype. Static string. */
STRIA_API const char *stria_dtype_get_name(stria_dtype dtype);
/* The dtype both convert to (docs/semantics.md has the table). Never fails for valid dtypes. */
STRIA_API stria_dtype stria_dtype_get_promoted(stria_dtype a, stria_dtype b);
/* False for complex to non-complex, float to integer, non-bool to bool: what in-place and out= arithmetic refuses. A value
 * that is no dtype casts to all but bool, and nothing casts to it. */
STRIA_API bool stria_dtype_get_castable(stria_dtype from, stria_dtype to);

/* ---------------------------------------------------------------- devices */

/* Types of devices: CPU, META (shape, strides and dtype only; no memory), CUDA, CUSTOM (of a program that brings its own). */
typedef enum stria_device_type {
#define STRIA_DEVICE_TYPE(name, ENUM, most, summary) STRIA_DEVICE_##ENUM,
#include "table/devices.def"
    STRIA_DEVICE_COUNT
} stria_device_type;

/* A device: which one of its type. There is one CPU and one META, of index 0. */
typedef struct stria_device {
    int16_t type; /* a stria_device_type */
    int16_t index;
} stria_device;

#ifdef __cplusplus
#define STRIA_DEVICE(type, index) (stria_device{type, index})
#else
#define STRIA_DEVICE(type, index) ((stria_device){type, index})
#endif
#define STRIA_CPU STRIA_DEVICE(STRIA_DEVICE_CPU, 0)
#define STRIA_META STRIA_DEVICE(STRIA_DEVICE_META, 0)
/* No device: of what makes tensors, that of the tensor which they are like, else the CPU. */
#define STRIA_DEVICE_NONE STRIA_DEVICE(-1, 0)

/* "cpu", "meta", "cuda:1"; "none" for a value that is no device. Static string. */
STRIA_API const char *stria_device_get_name(stria_device device);

/* Devices of a type: 1 CPU, 1 META; of CUDA as many as there are, 0 where there is none or the plug-in libstria_cuda does not load
 * (docs/cuda.md): stria_device_get_info tells why. It is opened when a program first asks for a CUDA device, or for this number. */
STRIA_API int stria_device_get_count(stria_device_type type);

/* What a device is. Where it has no memory of its own, or it is not known, numbers are 0. */
typedef struct stria_device_info {
    char     name[128]; /* of the hardware */
    uint64_t memory_total_bytes;
    uint64_t memory_free_bytes; /* that nobody uses, on this or any other process' account */
    int      capability[2];     /* CUDA's compute capability, {9, 0} */
} stria_device_info;
/* ERR_ARGUMENT: no device. ERR_UNSUPPORTED: it is not there, and the message says why: no plug-in, one of another version, no driver, too
 * old a driver, no such device. ERR_DEVICE: it has failed. */
STRIA_API STRIA_MUST_CHECK stria_status stria_device_get_info(stria_device device, stria_device_info *info,
                                                              stria_error *err);

/* Waits until what calls of all threads have begun on the device is done, and reports what failed of it. Calls return before that where a
 * device works beside the host; whoever reads elements waits for them anyway. Errors as above. */
STRIA_API STRIA_MUST_CHECK stria_status stria_device_synchronize(stria_device device, stria_error *err);

/* ---------------------------------------------------------------- random generators */

/* stria_generator - where random numbers come from: a seed, and how much of the stream of that seed was taken.
 *
 * The stream is that of a counter-based generator, Philox 4x32-10: number k of a call is a function of the seed, the offset that the
 * call found, and k, the position in row-major order. So the same seed gives the same bits on every instruction set, number of threads,
 * memory layout and platform (docs/semantics.md has the definition). A call takes ceil(words / 64) of the offset, words being the 32-bit
 * words that its row needs for so many elements; a call that is refused, has no elements or is on META takes nothing.
 *
 * The rows that take a generator borrow it; NULL is the default one, of the process, which begins with seed 0.
 * Threads: calls may share a generator: each takes a part of the stream of its own, in the order in which they come. Setting the state beside
 *          a call is no error, but the call may then find the seed of one state and the offset of the other. */
typedef struct stria_generator stria_generator;

/* All there is to save. */
typedef struct stria_generator_state {
    uint64_t seed;
    uint64_t offset; /* in groups of 64 words; it wraps after 2^64 of them */
} stria_generator_state;

/* A new generator at the beginning of the stream of a seed, owned by the caller. ERR_ARGUMENT (out NULL), ERR_MEMORY. */
STRIA_API STRIA_MUST_CHECK stria_status stria_generator_new(uint64_t seed, stria_generator **out, stria_error *err);
/* A new generator whose seed are the next two words of g: streams of different seeds have nothing in common. It takes 1 of the offset of
 * g. ERR_ARGUMENT, ERR_MEMORY, ERR_UNSUPPORTED as of stria_isa_get_status. */
STRIA_API STRIA_MUST_CHECK stria_status stria_generator_fork(stria_generator *g, stria_generator **out,
                                                             stria_error *err);
/* One owner more (thread-safe), and one fewer; NULL is allowed. The default generator has no owner: nothing happens. */
STRIA_API stria_generator *stria_generator_retain(stria_generator *g);
STRIA_API void             stria_generator_release(stria_generator *g);
/* The default generator; borrowed. */
STRIA_API stria_generator *stria_generator_get_default(void);
/* The beginning of the stream of a seed; and any place of it. g NULL: the default generator. */
STRIA_API void                  stria_generator_set_seed(stria_generator *g, uint64_t seed);
STRIA_API stria_generator_state stria_generator_get_state(const stria_generator *g);
STRIA_API void                  stria_generator_set_state(stria_generator *g, stria_generator_state state);

/* ---------------------------------------------------------------- functions */

/* Functions on whole tensors, in the order of functions.def. */
typedef enum stria_function {
#define STRIA_FN(name, tensors, attributes, outputs, summary) STRIA_FN_##name,
#include "table/functions.def"
    STRIA_FN_COUNT
} stria_function;

/* ---------------------------------------------------------------- tensors */

/* A handle: dtype, shape, strides, offset into a reference-counted storage. Views share the storage. */
typedef struct stria_tensor stria_tensor;

/* Tensors that a function has made, as many as the call decided (stria_split): the caller's, given back all together by
 * stria_tensor_list_release, or taken over one by one with NULL left in their places. */
typedef struct stria_tensor_list {
    stria_tensor **at; /* [n]; NULL if n is 0 */
    int            n;
} stria_tensor_list;

/* Most tensors of a list. */
#define STRIA_MAX_LIST 1048576

/* A number of the host language. As an operand it takes part in promotion by its category only (bool < integer < float
 * < complex): an f32 tensor plus a float number stays f32. */
typedef enum stria_scalar_kind {
    STRIA_SCALAR_BOOL,
    STRIA_SCALAR_INT,
    STRIA_SCALAR_FLOAT,
    STRIA_SCALAR_COMPLEX,
    STRIA_SCALAR_UINT
} stria_scalar_kind;
typedef struct stria_scalar {
    stria_scalar_kind kind;
    int64_t           i;      /* BOOL (0 or 1) and INT; UINT: the bits of an integer that only u64 holds */
    double            re, im; /* FLOAT (re) and COMPLEX */
} stria_scalar;

/**
 * stria_tensor_new - memory for the caller to write: a tensor with uninitialised elements, row-major, on the CPU. It is no call
 *                    of a row; stria_empty is.
 *
 * dtype   of the elements
 * ndim    0 .. STRIA_MAX_DIMS; 0 makes a tensor of one element
 * shape   [ndim] sizes >= 0; may be NULL if ndim is 0
 *
 * Errors: ERR_DTYPE, ERR_SHAPE (negative size, too many dims), ERR_OVERFLOW (bytes beyond 2^63 or the address space),
 *         ERR_MEMORY. Memory is 64-byte aligned.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_new(stria_dtype dtype, int ndim, const int64_t *shape,
                                                         stria_tensor **out, stria_error *err);

/**
 * stria_tensor_new_strided - like stria_tensor_new with the strides given (in elements, none negative); the storage is
 * as large as the last element needs.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_new_strided(stria_dtype dtype, int ndim, const int64_t *shape,
                                                                 const int64_t *strides, stria_tensor **out,
                                                                 stria_error *err);

/* A 0-dim tensor that counts as a number of the host language in promotion (see stria_scalar). */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_new_scalar(stria_scalar value, stria_tensor **out,
                                                                stria_error *err);

/**
 * stria_tensor_new_copy_of - a row-major tensor whose elements are copied from memory.
 *
 * data    row-major elements, native byte order; any alignment
 * nbytes  must be exactly numel * size of dtype, else ERR_ARGUMENT
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_new_copy_of(stria_dtype dtype, int ndim, const int64_t *shape,
                                                                 const void *data, size_t nbytes, stria_tensor **out,
                                                                 stria_error *err);

/**
 * stria_tensor_new_external - a tensor over memory of the caller, not copied.
 *
 * strides  [ndim] in elements, may be negative; NULL means row-major
 * data     address of element [0,..,0]; aligned to the element size
 * release  called once with context when the last view is gone; may be NULL
 *
 * The caller vouches that every element lies in live memory.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_new_external(stria_dtype dtype, int ndim, const int64_t *shape,
                                                                  const int64_t *strides, void         *data,
                                                                  void (*release)(void *context), void *context,
                                                                  stria_tensor **out, stria_error *err);

/* One more owner of the handle (thread-safe); returns x. NULL is allowed. */
STRIA_API stria_tensor *stria_tensor_retain(stria_tensor *x);
/* One owner fewer; the last one frees the handle, and the storage with its last handle. NULL is allowed. */
STRIA_API void stria_tensor_release(stria_tensor *x);

/** stria_tensor_list_release - releases the tensors of a list and its memory, and leaves it empty. NULL is allowed. */
STRIA_API void stria_tensor_list_release(stria_tensor_list *list);

STRIA_API stria_dtype    stria_tensor_get_dtype(const stria_tensor *x);
STRIA_API stria_device   stria_tensor_get_device(const stria_tensor *x);
STRIA_API int            stria_tensor_get_ndim(const stria_tensor *x);
STRIA_API const int64_t *stria_tensor_get_shape(const stria_tensor *x);   /* [ndim], borrowed */
STRIA_API const int64_t *stria_tensor_get_strides(const stria_tensor *x); /* [ndim], borrowed */
STRIA_API int64_t        stria_tensor_get_numel(const stria_tensor *x);
/* Address of element [0,..,0]; NULL on the META device. The const form is for reading. */
STRIA_API void       *stria_tensor_get_data(stria_tensor *x);
STRIA_API const void *stria_tensor_get_const_data(const stria_tensor *x);
/* Says that the caller wrote to elements of x, by their address or through DLPack: call it after the write and before anything else is
 * computed. A gradient that needs the elements of before is then refused; otherwise it is silently wrong. Calls and iterators say it
 * themselves. NULL is allowed; nothing can fail. Threads: those that write to parts of x may each call it. */
STRIA_API void stria_tensor_set_written(stria_tensor *x);
/* Row-major without gaps; true for empty tensors. */
STRIA_API bool stria_tensor_get_contiguous(const stria_tensor *x);
/* Bytes of the storage behind x, shared with its views. */
STRIA_API size_t stria_tensor_get_storage_nbytes(const stria_tensor *x);
/* Whether two tensors share a storage, or lie over the same external memory. */
STRIA_API bool stria_tensor_get_aliased(const stria_tensor *a, const stria_tensor *b);

/* ---------------------------------------------------------------- copies and conversion */

/**
 * stria_tensor_copy - a new tensor with the elements of x converted to dtype; STRIA_DTYPE_NONE: that of x. It is stria_to.
 *
 * The result has the memory order of x: its strides where x is dense, else its dims packed in the order of their strides.
 * Conversion: integers wrap modulo 2^bits; float to integer truncates toward zero and saturates, NaN becomes 0;
 * non-zero and NaN become true; complex to real drops the imaginary part; rounding is to nearest even.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_copy(const stria_tensor *x, stria_dtype dtype, stria_tensor **out,
                                                          stria_error *err);
/* The same on a device; STRIA_META takes shape and dtype alone. It is stria_tensor_set into a new tensor: a gradient comes back to the device
 * of x. ERR_UNSUPPORTED: there is no such device; ERR_DEVICE: x has no elements. */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_copy_to(const stria_tensor *x, stria_dtype dtype,
                                                             stria_device device, stria_tensor **out, stria_error *err);
/* stria_copy into its first operand, out: x broadcasts to the shape of out; any dtypes. ERR_OVERLAP if they overlap partly, and if
 * positions of out do at one address, unless x is a single value and out an expanded tensor. */
STRIA_API STRIA_MUST_CHECK stria_status stria_tensor_set(stria_tensor *out, const stria_tensor *x, stria_error *err);
/* ---------------------------------------------------------------- running ops */

/**
 * stria_apply - out = op(in[0], .., in[n_in-1]), element by element.
 *
 * Inputs broadcast against one another and promote to a common dtype (docs/semantics.md). out is allocated in the
 * memory order of the inputs.
 * n_in must be the arity of op, else ERR_ARGUMENT.
 * Errors:   ERR_SHAPE, ERR_DTYPE, ERR_DEVICE, ERR_MEMORY.
 * Accuracy: arithmetic is correctly rounded; transcendentals as stated in docs/semantics.md. The bits do not depend on ISA
 *           or thread count, NaN payloads excepted.
 * An input on the META device gives a result on the META device: shape and dtype without computing.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_apply(stria_op op, const stria_tensor *const *in, int n_in,
                                                    stria_tensor **out, stria_error *err);

/**
 * stria_apply_out - the same into an existing tensor.
 *
 * out   must have the broadcast shape of the inputs, and a dtype the result casts to (stria_dtype_get_castable;
 *       comparisons and logic write to any dtype). It may be one of the inputs (in-place), or share all its memory with
 *       one under the same strides; other overlap is ERR_OVERLAP, as is an out with several elements at one address.
 *       If out is not an input and its shape differs, it is given new memory of the right shape; views of its old memory
 *       keep it. In-place results never change shape.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_apply_out(stria_op op, const stria_tensor *const *in, int n_in,
                                                        stria_tensor *out, stria_error *err);

/**
 * stria_reduce - combine the elements of x along some axes.
 *
 *     out[i,k] = sum over j of x[i,j,k]      for STRIA_RED_sum, axes = {1}
 *
 * axes     [n_axes] in [-ndim, ndim), no repeats; n_axes = 0 (or axes = NULL) means all
 * keepdim  true keeps each reduced axis with size 1
 * dtype    dtype to compute and return, or STRIA_DTYPE_NONE for the op's own rule (ops.def)
 *
 * Empty:    the identity, or ERR_EMPTY for amax and amin over an axis of size 0.
 * Accuracy: sums are blocked and pairwise; the order depends on shape and layout alone, not on ISA or threads.
 * Errors:   ERR_AXIS, ERR_DTYPE, ERR_EMPTY, ERR_MEMORY.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_reduce(stria_reduction op, const stria_tensor *x, const int *axes,
                                                     int n_axes, bool keepdim, stria_dtype dtype, stria_tensor **out,
                                                     stria_error *err);
/* The same into an existing tensor, resized if its shape differs. Without dtype the input is converted to the dtype
 * of out before reducing. */
STRIA_API STRIA_MUST_CHECK stria_status stria_reduce_out(stria_reduction op, const stria_tensor *x, const int *axes,
                                                         int n_axes, bool keepdim, stria_dtype dtype, stria_tensor *out,
                                                         stria_error *err);

/* One function per row of ops.def: stria_add(a, b, &out, err), stria_exp(a, &out, err), stria_where(c, a, b, &out, err),
 * stria_sum(x, axes, n_axes, keepdim, &out, err).
 * Three rows are what other languages call options: stria_add_scaled(a, b, alpha, ..) and stria_sub_scaled, with alpha from
 * stria_tensor_new_scalar, of a category not above that of a and b; stria_round_to(x, b, c, ..), which rounds to d decimals
 * with b = 1 and c = 10^d, or, for negative d, with b = 10^-d and c = 1.
 * stria_clamp(a, b, c, ..) takes NULL as one of b and c: no bound on that side. */
#define STRIA_ARGS_1 const stria_tensor *a
#define STRIA_ARGS_2 const stria_tensor *a, const stria_tensor *b
#define STRIA_ARGS_3 const stria_tensor *a, const stria_tensor *b, const stria_tensor *c
#define STRIA_LIST_1 a
#define STRIA_LIST_2 a, b
#define STRIA_LIST_3 a, b, c
#define STRIA_OP(set, name, arity, result, lanes, summary)                                                             \
    STRIA_MUST_CHECK static inline stria_status stria_##name(STRIA_ARGS_##arity, stria_tensor **out, stria_error *err) \
    {                                                                                                                  \
        const stria_tensor *in[] = {STRIA_LIST_##arity};                                                               \
        return stria_apply(STRIA_OP_##name, in, arity, out, err);                                                      \
    }
#define OP_WITH(set, name, arity, result, tensors, numbers, lanes, summary) /* functions.def has it, too */
#define STRIA_RED(set, name, result, identity, combine, finish, summary)                                         \
    STRIA_MUST_CHECK static inline stria_status stria_##name(const stria_tensor *x, const int *axes, int n_axes, \
                                                             bool keepdim, stria_tensor **out, stria_error *err) \
    {                                                                                                            \
        return stria_reduce(STRIA_RED_##name, x, axes, n_axes, keepdim, STRIA_DTYPE_NONE, out, err);             \
    }
#include "table/ops.def"
#undef STRIA_ARGS_1
#undef STRIA_ARGS_2
#undef STRIA_ARGS_3
#undef STRIA_LIST_1
#undef STRIA_LIST_2
#undef STRIA_LIST_3

/* ---------------------------------------------------------------- functions on whole tensors
 *
 * A pair for each row of functions.def, which says what it computes (stria_functions.h):
 *
 *     stria_status stria_<name>    (tensors, attributes, stria_tensor **y, .., stria_error *err)   new tensors
 *     stria_status stria_<name>_out(tensors, attributes, stria_tensor *y, .., stria_error *err)    into existing ones
 *
 * and for those that make a list of tensors (FN_LIST) one function:
 *
 *     stria_status stria_<name>    (tensors, attributes, stria_tensor_list *ys, stria_error *err)
 *
 * y        each is resized if its shape differs. Memory in common with an input does no harm: the result is computed apart
 *          and copied, unless the row is INPLACE and y the first input itself. ERR_OVERLAP if several elements of y have one
 *          address, or two outputs share memory.
 * Errors:  ERR_ARGUMENT (NULL where a tensor must be), ERR_AXIS, ERR_DTYPE, ERR_SHAPE, ERR_EMPTY, ERR_DEVICE, ERR_UNSUPPORTED (a
 *          row that the device lacks), ERR_MEMORY; new outputs are NULL then, and given ones as they were.
 * Threads: the bits of a result depend neither on their number nor, but for matrix products, on the instruction set.
 * An input on the META device gives results on the META device; where the shape depends on elements: ERR_DEVICE.
 *
 * views                y is a new handle over the storage of x, which it keeps alive; x is not const because it can be written
 *                      through y. slice: STRIA_INT_NONE as start or stop is not given. squeeze: dim NULL is all axes of size 1;
 *                      others than of size 1 stay. diagonal: may be empty. flip makes strides negative. stria_<name>_out copies the
 *                      elements to y
 * as_strided           storage_offset STRIA_INT_NONE: that of x. ERR_ARGUMENT if an element lies outside the memory of x; META has none,
 *                      and takes any
 * tril, triu           diagonal may be any number; tril_out(x, .., x) works in place
 * repeat_interleave    repeats is a number (stria_tensor_new_scalar) or integers, one for each place of the axis; on the CPU
 * combinations         [n over r, r], of r = 0 [0]; ERR_OVERFLOW if there are too many
 * split .. meshgrid    ys is a list of views of the inputs, ERR_ARGUMENT if it would have more
 *                      than STRIA_MAX_LIST. On failure it is empty
 * argmax, argmin       dim STRIA_AXIS_NONE: in the row-major order of all elements. ERR_EMPTY over nothing
 * var, std             dim as the axes of stria_reduce; divided by max(count - correction, 0), so that too few elements give NaN
 *                      or infinity; of nothing NaN
 * norm                 (sum |x|^p)^(1/p). p = 0: how many are not 0; infinite p: the largest |x|, -infinite: the smallest. Computed
 *                      in f64. p = 2: neither overflows nor vanishes on the way. Of nothing 0, but ERR_EMPTY for negative
 *                      and infinite p
 *                      dtype: of the result, for any real x; it is computed from x as it is
 * svdvals, det         in f64, rounded once. |error of a singular value| <= (rows + columns) 2^-52 times the largest one; NaN for all of a
 *                      matrix with an element that is not finite. det neither overflows nor vanishes on the way; 1 of nothing
 * svd, inverse         in f64, rounded once. svd: x [m, n] gives u [m, k], s [k] and v [n, k], k the smaller of m and n; u and v are unique
 *                      but for the signs of their columns, and for columns of equal s. inverse: ERR_ARGUMENT if a matrix is singular
 * view_dtype           the last axis is as long as its bytes need. ERR_SHAPE where elements do not lie side by side along it, or bytes
 *                      do not make whole elements; ERR_DTYPE: bool from another dtype
 * equal, allclose      one truth value, 0-dim; tensors of other shapes are not equal, those of allclose broadcast
 * frexp                exact
 * matrix_norm          dim: the two axes of the matrices, rows first; NULL: the last two. dtype: x is converted first
 * max, min             dim STRIA_AXIS_NONE: the indices are in the row-major order of all elements
 * logsumexp            log(sum exp(x)), -infinity of nothing; f32 of integers
 * median, nanmedian    dim STRIA_AXIS_NONE: of all elements, the index is in row-major order; of no floats NaN and 0
 * quantile, nanquantile q has no dim, or one, which becomes the first of y; 0 .. 1, else ERR_ARGUMENT
 * histc                bins from min to max; where these are equal from the smallest to the largest element, which must be finite
 *                      then (ERR_ARGUMENT); where those are equal too, from 1 below to 1 above
 * cov                  correction: as of var; fweights: whole numbers, aweights: floats, one for each observation; or NULL
 * trapezoid            x: of one dim or of the dims of y; NULL: dx apart. cumulative_trapezoid is one element shorter than y
 * sum_to_size          size is what stria_expand takes to the shape of x: the sum over what was added and stretched
 * cumsum, cumprod      y[.., i, ..] combines x[.., 0 .. i, ..] along dim; dtype as of stria_reduce
 * softmax, log_softmax every run of x along dim becomes one of the same size; dtype as of stria_reduce
 * layer_norm           over the last axes, whose sizes must be normalized_shape; weight and bias have that shape, or are NULL
 * softmax_backward, log_softmax_backward, layer_norm_backward   the gradients of these three, of the dtype of `gradient`, which has the shape of
 *                      y or x; sums over rows accumulate in f64
 * bincount             y[k] = number of elements of x, of one dim, that are k, for k = 0 .. max(the largest, minlength - 1); i64.
 *                      With weights, of the shape of x, the sum of those where x is k, added in order in f64: f32 if they are, else
 *                      f64. ERR_ARGUMENT for a negative element or minlength, ERR_OVERFLOW for one that is no size
 * gather, scatter .. index_put      An index is i32 or i64. Every element of it is checked before the result is written, in place too:
 *                      ERR_ARGUMENT with the value, its position and the size. One that another thread changes meanwhile leads to
 *                      wrong elements, never outside the tensor. Positions that meet one element are taken in row-major order of the
 *                      index: the last one written stays, sums are added in that order. Work is cut only along axes where positions
 *                      do not meet, so the bits are the same for every number of threads. f16 and bf16 are combined in f32 and
 *                      rounded once
 * searchsorted         rows in ascending order, NaN last; other rows give some position, 0 .. their length */
#define STRIA_AXIS_NONE INT32_MIN
#define STRIA_INT_NONE INT64_MIN
#include "stria_functions.h"

/* Matrix products: out[.., i, j] = sum over p of a[.., i, p] b[.., p, j]
 *
 * matmul   a is [.., m, k], or [k], which counts as [1, k] and whose 1 vanishes from the result; b is [.., k, n], or [k], which
 *          counts as [k, 1] and whose 1 vanishes; two vectors give a 0-dim tensor. The axes before the last two broadcast.
 * mm, bmm, mv, dot   the same for certain dims only: [m,k] [k,n]; [batch,m,k] [batch,k,n], not broadcast; [m,k] [k]; [k] [k]
 *
 * Any strides; no operand is copied as a whole. The common dtype of a and b, row-major: f16 and bf16 are computed in f32 and
 * rounded once, integers wrap.
 * Empty:    k = 0 gives zeros.
 * Accuracy: products are added up in blocks of a few hundred: error at most about k eps times sum |a b|. Multiply and add
 *           are fused where the instruction set does that.
 * Errors:   ERR_SHAPE, ERR_DEVICE, ERR_DTYPE (bool; out), ERR_OVERFLOW, ERR_MEMORY.
 * Source:   Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, ACM TOMS 34 (2008). */

/* Creation
 *
 * empty, zeros, ones, full   of a shape
 * empty_strided              of a shape and strides, in elements, none negative (ERR_ARGUMENT); positions may share elements
 * .. _like                   of the shape and memory order of x, and of its dtype and device unless dtype and device say otherwise; the elements
 *                            of x are not looked at
 * eye                        out[i, j] = 1 where i = j, else 0; m is STRIA_INT_NONE for n
 *
 * dtype   STRIA_DTYPE_NONE: that of a given out, else f32. Of full: bool, i64, u64, f32 or c64 by the kind of the number
 * device  STRIA_CPU, STRIA_META (no memory), or another, which must have memory and the row. STRIA_DEVICE_NONE: that of x, else STRIA_CPU
 * value   converted by the rules of stria_tensor_copy
 * Errors: ERR_SHAPE, ERR_DTYPE, ERR_DEVICE (out elsewhere), ERR_UNSUPPORTED, ERR_ARGUMENT, ERR_OVERFLOW, ERR_MEMORY. */

/* Sequences; Creation says what dtype, device and out are, and the errors
 *
 * arange         start + k step for each k before end is reached. Without dtype i64 where all three are whole numbers (u64 where start or
 *                end is STRIA_SCALAR_UINT), else f32. Integers: all three are cut to whole numbers first, and elements are computed
 *                modulo 2^64; they must be within i64 (u64 within u64), and wrap into smaller dtypes. Floats: in double
 * linspace       first start, last end, and symmetric: start + k s in the first half, end - (steps - 1 - k) s in the second, of
 *                s = (end - start) / (steps - 1), in double. One element is start. Integers: start and end are cut first, and elements
 *                after. Without dtype f32, c64 where start or end is complex
 * logspace       base to the powers that linspace has; of f64 within 2 units in the last place of the exact powers, for base > 0
 * tril_indices   [2, n]: row and column of each position on and below the diagonal (of offset 0 the main one, positive ones lie above it),
 *                row by row. triu_indices: on and above. Without dtype i64
 *
 * ERR_ARGUMENT: start, end or step not finite; arange: step 0, or away from end, or elements beyond i64. ERR_DTYPE: bool, and complex but
 * for linspace. ERR_SHAPE: negative sizes. Nothing is allocated then. */

/* Random numbers: each call takes a part of the stream of its generator (stria_generator).
 *
 * rand, rand_like, uniform   multiples of 2^-24 (f32), 2^-53 (f64), 2^-11 (f16), 2^-8 (bf16) in [0, 1); uniform is from + that (to - from),
 *                            rounded, and never `to`, unless that is `from`
 *
 * randn, randn_like, fill_normal   the standard normal distribution, or mean + std of it; std >= 0
 * normal                     mean and std broadcast together; numbers are f32. ERR_ARGUMENT: an element of std below 0
 * exponential                mean 1 / lambd, lambd > 0
 * randint, randint_like      low to high - 1, whole numbers of -2^63 .. 2^64 that the dtype (i64, unless it says otherwise) holds exactly; no
 *                            number is more probable than another by more than 2^-32 of its probability
 * randperm                   n >= 0; i64 unless dtype says otherwise
 * bernoulli                  p in [0, 1]; NaN: the elements of x are the probabilities, of a float dtype then. In the dtype of x
 * multinomial                x of one or two dims: a row of weights, finite, >= 0, some above 0. Without replacement num_samples of them must be
 * dropout                    p in [0, 1]; x of a float dtype; without training, and for p = 0, a copy
 *
 * dtype      as of creation; of floats but for whole numbers. The numbers of f16 and bf16 are computed in f32, and rounded
 * device     as of creation; META takes nothing of the generator
 * generator  borrowed; NULL: the default one
 * Errors:    ERR_DTYPE, ERR_ARGUMENT (bounds that are not finite or in the wrong order), those of creation */

/* einsum - Einstein's sums: stria_einsum(operands, n_operands, "ij,jk->ik", &y, &err)
 *
 * equation  a term for each operand, with a letter for each axis, `...` for the axes that have none (which broadcast, aligned right);
 *           then, or not, "->" and the letters of the result. Without it: the axes of `...`, then the letters that occur once, in
 *           alphabetical order, capitals first. Spaces count nothing. Axes of one letter have one size, or 1
 * operands  1 or more, of any dims and strides
 *
 * The common dtype; f16 and bf16 are computed in f32 and rounded once, integers wrap. Products are matrix products, where something is
 * summed. Empty sums are 0. A new tensor always.
 * Errors:   ERR_ARGUMENT (equation, with the position), ERR_SHAPE, ERR_DTYPE (bool), ERR_DEVICE, ERR_OVERFLOW, ERR_MEMORY. */

/* Products made of matrix products; the common dtype, f16 and bf16 rounded once, integers wrap. bool is refused; so is complex by cdist. vdot conjugates a.
 *
 * addmm ..      x broadcasts to the shape of the product. beta 0: its elements are not read. Integers: beta and alpha are whole
 * tensordot     dims_a, dims_b: as many axes of each; both NULL: the last `dims` of a and the first of b
 * matrix_power  n >= 0; ERR_ARGUMENT for others
 * cdist         x1 [.., p, m], x2 [.., r, m] of a float dtype: [.., p, r]. p = 0 counts, infinite p: the largest. compute_mode: whether
 *               p = 2 is sqrt(|a|^2 + |b|^2 - 2 a b), which loses digits of close rows; "if_necessary" is beyond 25 rows */

/* Convolutions and pooling. x is [batch, channels, ..] with 1, 2 or 3 axes more, or has no batch. An attribute of several numbers has one for each of these
 * axes; NULL: the usual ones.
 *
 * conv1d ..            weight [out, channels / groups, ..]; sizes are (size + 2 padding - dilation (taps - 1) - 1) / stride + 1, rounded down
 * conv_transpose1d ..  weight [channels, out / groups, ..]; sizes are (size - 1) stride - 2 padding + dilation (taps - 1) + 1 + output_padding, which is less than
 *                      stride or dilation
 * convolution          5 dims: what the others are made of, and their gradients of x; convolution_weight: that of weight
 * max_pool1d ..        stride NULL is kernel_size; padding is at most half of a window, and is never the largest; indices of max_pool2d_with_indices ..
 *                      count in row-major order along the axes
 * avg_pool1d ..        divisor_override STRIA_INT_NONE: the elements of a window, and those of the padding if count_include_pad
 *
 * The common dtype; f16 and bf16 are computed in f32 and rounded once, integers wrap (means are of floats alone). Empty batches are fine.
 * Errors:  ERR_SHAPE (dims, channels, a window that does not fit), ERR_ARGUMENT, ERR_DTYPE (bool, complex), ERR_OVERFLOW, ERR_MEMORY. */

/* Masks
 *
 * masked_select  out[n] = x[i, j, ..] of the n-th [i, j, ..], in row-major order, where mask[i, j, ..] is true
 *                1 dim; bits unchanged. x and mask must be on the CPU, as the shape depends on the elements of mask
 * masked_fill    out[i, j, ..] = mask[i, j, ..] ? value : x[i, j, ..]
 *                in the dtype of x; a new result has the memory order of x where x has its shape
 *
 * x      any dtype, complex too
 * mask   bool; any byte but 0 is true. It broadcasts with x; in place, to the shape of x only
 * value  a 0-dim tensor or number; converted to the dtype of x, which must hold its category (no float to an integer,
 *        nothing but bool to bool); integers wrap. On the CPU, or where x is
 * Empty:   masked_select of nothing true has shape [0].
 * Errors:  ERR_SHAPE, ERR_DTYPE, ERR_DEVICE, ERR_OVERLAP, ERR_OVERFLOW,
 *          ERR_MEMORY. */

/* ---------------------------------------------------------------- several ops in one pass
 *
 * A chain of element-wise ops run one by one writes and reads every intermediate result. As an expression, the elements
 * pass through all of them block by block, and intermediate results never reach memory. */

/* Of one expression: larger ones are refused. */
#define STRIA_EXPRESSION_MAX_INPUTS 512
#define STRIA_EXPRESSION_MAX_CONSTANTS 65536
#define STRIA_EXPRESSION_MAX_CODE 65536

/* in[k] is the number of a value: the inputs come first, then the constants, then the instructions, in their order. */
typedef struct stria_instruction {
    stria_op op;                   /* or STRIA_CONVERT(dtype) */
    int      in[STRIA_MAX_INPUTS]; /* as many as the op's arity; the rest is not looked at */
} stria_instruction;

/* In place of an op: its only input, which is no constant, converted to a dtype, as stria_tensor_copy does. */
#define STRIA_CONVERT(dtype) ((stria_op)(STRIA_OP_COUNT + (dtype)))

/* A program of such instructions, compiled for the dtypes that it meets. */
typedef struct stria_expression stria_expression;

/**
 * stria_expression_new - make an expression of a program, which is copied.
 *
 *     // a * sigmoid(a * 1.5)
 *     stria_scalar      constants[] = {{.kind = STRIA_SCALAR_FLOAT, .re = 1.5}};
 *     stria_instruction code[] = {{STRIA_OP_mul, {0, 1}}, {STRIA_OP_sigmoid, {2}}, {STRIA_OP_mul, {0, 3}}};
 *     stria_expression *swish;
 *     status = stria_expression_new(1, constants, 1, code, 3, &swish, err);
 *
 * n_in       1 .. STRIA_EXPRESSION_MAX_INPUTS
 * constants  [n_constants], may be NULL if there are none; numbers in the sense of promotion
 * code       [n_code], at least one instruction; the last one gives the result
 * out        new expression with one reference, owned by the caller; NULL on failure
 *
 * Errors:   ERR_ARGUMENT (counts, kinds, ops, value numbers), ERR_MEMORY.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_expression_new(int n_in, const stria_scalar *constants, int n_constants,
                                                             const stria_instruction *code, int n_code,
                                                             stria_expression **out, stria_error *err);
/* Adds a reference and returns the expression; NULL is allowed, here and in release. The last release ends it. Thread-safe:
 * each thread that may still call an expression when others release it holds a reference of its own. */
STRIA_API stria_expression *stria_expression_retain(stria_expression *expression);
STRIA_API void              stria_expression_release(stria_expression *expression);

/**
 * stria_expression_apply - run an expression over tensors:  out = the last instruction.
 *
 * in   [n_in], as many as the expression takes; borrowed
 * out  new tensor, owned by the caller; NULL on failure
 *
 * Result:   dtype, shape and bits are those of one call after another: stria_apply for each op, stria_tensor_copy for a conversion. What the last one
 *           does not depend on is checked, but neither computed nor broadcast to.
 * Cost:     the first call with inputs of these dtypes compiles the program for them, which costs as much as some calls;
 *           eight compiled forms are kept, of which the one used longest ago goes first. Inputs that differ in being
 *           0-dim, a number or on another device have forms of their own; shapes and strides do not matter.
 * Errors:   those of stria_apply; ERR_ARGUMENT (NULL, n_in).
 * Threads:  callable concurrently on one expression.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_expression_apply(const stria_expression    *expression,
                                                               const stria_tensor *const *in, int n_in,
                                                               stria_tensor **out, stria_error *err);
/* The same into an existing tensor; out as of stria_apply_out. It may be any of the inputs. */
STRIA_API STRIA_MUST_CHECK stria_status stria_expression_apply_out(const stria_expression    *expression,
                                                                   const stria_tensor *const *in, int n_in,
                                                                   stria_tensor *out, stria_error *err);

/* ---------------------------------------------------------------- files */

/**
 * stria_npy_get - read a tensor from the bytes of a .npy file (versions 1.0 to 3.0).
 *
 * bytes   the whole file; borrowed. Either byte order, C or Fortran order (the result then has column-major strides).
 * Errors: ERR_FORMAT for anything malformed, truncated or of an object or structured dtype, ERR_OVERFLOW, ERR_MEMORY.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_npy_get(const void *bytes, size_t nbytes, stria_tensor **out,
                                                      stria_error *err);
/* The bytes of x as a .npy file (version 1.0, little-endian, C order) in a new buffer, to be ended with
 * stria_bytes_release. bf16 has no .npy dtype: ERR_DTYPE. */
STRIA_API STRIA_MUST_CHECK stria_status stria_npy_copy(const stria_tensor *x, void **bytes, size_t *nbytes,
                                                       stria_error *err);
STRIA_API void                          stria_bytes_release(void *bytes);
/* The same from and to a path (UTF-8). Errors also: ERR_IO, ERR_UNSUPPORTED where there is no file system. */
STRIA_API STRIA_MUST_CHECK stria_status stria_npy_get_file(const char *path, stria_tensor **out, stria_error *err);
STRIA_API STRIA_MUST_CHECK stria_status stria_npy_set_file(const char *path, const stria_tensor *x, stria_error *err);

/* ---------------------------------------------------------------- process-wide state */

/* Threads used for one call, 1 .. 256. The default is the number of cores at hand; STRIA_NUM_THREADS in the environment
 * overrides it. Results do not depend on it. Any thread may set it at any time; a call that runs keeps the number it began
 * with. ERR_ARGUMENT outside the range; where threads are off, any number is 1. */
STRIA_API STRIA_MUST_CHECK stria_status stria_threads_set(int n_threads, stria_error *err);
STRIA_API int                           stria_threads_get(void);

/* Whether matrix products of f32 on CUDA devices may round the elements of their operands to TF32, 10 bits behind the point, which tensor cores
 * multiply many times as fast; not unless it is set. Products of other dtypes, and on the CPU, stay what they are. Any thread may set it at any time, for
 * products that begin afterwards. */
STRIA_API void stria_tf32_set(bool is_allowed);
STRIA_API bool stria_tf32_get(void);

/* The instruction set in use ("scalar", "wasm128", "neon", "avx2", "avx512"). Chosen once, from the machine's features, or
 * from STRIA_FORCE_ISA in the environment. If that asks for one that is missing here, stria_isa_get_status returns
 * ERR_UNSUPPORTED, as does every computation; the error names the op "isa" then. */
STRIA_API const char                   *stria_isa_get_name(void);
STRIA_API STRIA_MUST_CHECK stria_status stria_isa_get_status(stria_error *err);

typedef struct stria_memory_stats {
    uint64_t live_bytes;   /* in storages now */
    uint64_t peak_bytes;   /* most so far */
    uint64_t cached_bytes; /* held for reuse */
    uint64_t limit_bytes;  /* 0: none */
    int64_t  live_tensors; /* handles */
    int64_t  live_storages;
    uint64_t allocation_count;
    uint64_t cache_hit_count;
} stria_memory_stats;
STRIA_API stria_memory_stats stria_memory_get_stats(void);
/* live + cached bytes may not exceed this; the cache is given back first, then ERR_MEMORY. 0: no limit. */
STRIA_API void stria_memory_set_limit(uint64_t limit_bytes);
/* Gives cached blocks back to the system. */
STRIA_API void stria_memory_release_cache(void);

/* The same of the memory of one device. live_tensors is 0 where that is not counted for each device. Errors as of stria_device_get_info;
 * ERR_UNSUPPORTED: the device takes no limit. */
STRIA_API STRIA_MUST_CHECK stria_status stria_device_memory_get_stats(stria_device device, stria_memory_stats *stats,
                                                                      stria_error *err);
STRIA_API STRIA_MUST_CHECK stria_status stria_device_memory_set_limit(stria_device device, uint64_t limit_bytes,
                                                                      stria_error *err);
STRIA_API STRIA_MUST_CHECK stria_status stria_device_memory_release_cache(stria_device device, stria_error *err);

/* ---------------------------------------------------------------- streams */

/* stria_stream - work on a CUDA device in an order of its own.
 *
 * Each thread has a stream on each device that it uses, and needs no other one. A thread that sets another lets the calls that follow run beside
 * those before. Tensors are for every stream: a call waits, on the device, for what other streams do with its operands, and they for it.
 *
 * Streams are used again: a new one may be one that was released, or that of a thread which has ended. What is left of their work comes first
 * then, and it is waited for where tensors are used that were made on it.
 *
 * Threads: a stream is set on one thread at a time. All else may be called with any stream from any thread. */
typedef struct stria_stream stria_stream;

/* A new stream on the device; the caller owns it. ERR_ARGUMENT: no device, or `stream` is NULL. ERR_UNSUPPORTED: the CPU, META and CUSTOM have
 * none, or the device is not there, as in a forked child. ERR_DEVICE. ERR_MEMORY. */
STRIA_API STRIA_MUST_CHECK stria_status stria_stream_new(stria_device device, stria_stream **stream, stria_error *err);
/* NULL is allowed. What was begun goes on; a stream that is set stays set. */
STRIA_API void stria_stream_release(stria_stream *stream);

/* Calls of this thread on the device go to the stream from now on; NULL: to the thread's own one again. It stays set until
 * another one is set or the thread ends, released or not. ERR_ARGUMENT: the stream is of another device, or set on another thread. Errors as of stria_stream_new. */
STRIA_API STRIA_MUST_CHECK stria_status stria_stream_set(stria_device device, stria_stream *stream, stria_error *err);

/* Waits until what was begun on the stream is done, and reports what failed of it. ERR_ARGUMENT: NULL. Other errors as of
 * stria_stream_new. */
STRIA_API STRIA_MUST_CHECK stria_status stria_stream_synchronize(const stria_stream *stream, stria_error *err);

/* *handle: the cudaStream_t that calls of this thread on the device go to, for code of CUDA's own. What that puts there runs in the order of
 * this thread's calls; events that it records there, or lets it wait for (cudaStreamWaitEvent), order other streams. The stream is the
 * library's, and never destroyed; when it is released, or its thread ends, others go on with it. Errors as of stria_stream_new. */
STRIA_API STRIA_MUST_CHECK stria_status stria_stream_get_handle(stria_device device, void **handle, stria_error *err);

/* What such code must say of a tensor x that was made on another stream: before it begins, so that this thread's stream on the device of x waits
 * for all that was done with x; and when it has been put to the stream, so that all that is done with x from then on, its release too, waits
 * for it. Of tensors of the CPU and META nothing happens. ERR_ARGUMENT: x is NULL. Other errors as of
 * stria_stream_new. */
STRIA_API STRIA_MUST_CHECK stria_status stria_stream_wait_tensor(const stria_tensor *x, stria_error *err);
STRIA_API STRIA_MUST_CHECK stria_status stria_stream_record_tensor(const stria_tensor *x, stria_error *err);

#ifdef __cplusplus
}
#endif

#endif /* STRIA_H */
