/* iter.h - the strided multi-operand iterator.
 *
 * It takes operands of any shapes and strides, works out the shape they broadcast to, checks types, devices and memory
 * overlap, allocates outputs, orders the dimensions by memory, merges those that can be merged, and hands a loop
 * two-dimensional runs of elements, on one thread or several. The library's own kernels use it exactly as below, and
 * so can anyone who writes a kernel:
 *
 *     stria_iter_config config;
 *     stria_iter iter;
 *     stria_iter_config_init(&config);
 *     stria_iter_config_set_elementwise(&config, STRIA_F32);
 *     stria_iter_config_add_output(&config, NULL);                      // to be allocated
 *     stria_iter_config_add_input(&config, a);
 *     stria_iter_config_add_input(&config, b);
 *     if ((status = stria_iter_build(&iter, &config, err)) != STRIA_OK) return status;
 *     stria_iter_for_each(&iter, my_loop, &my_context, 0);
 *     *out = stria_iter_take_output(&iter, 0);
 *     stria_iter_release(&iter);
 *
 * Words. Operands are numbered outputs first. Inside the iterator, dimension 0 is the fastest one and strides are in
 * bytes; tensors count their strides in elements and their last axis is usually the fastest. Strides may be negative.
 *
 * Memory. No heap is used up to STRIA_ITER_INLINE_OPERANDS operands and STRIA_ITER_INLINE_DIMS dims, one block beyond.
 * The structs are visible so that they can live on the stack; read and change them through the functions only.
 *
 * Devices. Where operands are on a CUDA device, addresses (stria_iter_get_data, those that loops get) are of that device: the host must not
 * follow them. An iterator is built of such operands as of any; a loop on the host must not be run over them.
 *
 * Gradients. A run writes to its outputs, and says so when it ends: a gradient that needs the elements of before is refused
 * (stria_autograd.h). A run is no call: it has no gradient, and results keep the history that they have.
 *
 * Threads. Distinct iterators are independent; a built iterator may be read and run by many threads.
 */
#ifndef STRIA_ITER_H
#define STRIA_ITER_H

#include "stria.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRIA_ITER_INLINE_OPERANDS 8
#define STRIA_ITER_INLINE_DIMS 12
#define STRIA_ITER_MAX_OPERANDS 4096

/* ---------------------------------------------------------------- configuration */

/* What to iterate over and how. Mistakes in the calls below are remembered and reported by stria_iter_build. */
typedef struct stria_iter_config {
    /* the options, by the names of their setters */
    bool           check_mem_overlap, check_all_same_dtype, check_all_same_device, enforce_safe_casting_to_output;
    bool           promote_inputs_to_common_dtype, cast_common_dtype_to_outputs, promote_integer_inputs_to_float;
    bool           allow_cpu_scalars, is_reduction, enforce_linear_iteration, resize_outputs;
    bool           has_static_shape, has_static_device, copy_if_overlap, multi_index;
    stria_dtype    static_dtype; /* STRIA_DTYPE_NONE: not set */
    stria_device   static_device;
    int            static_ndim;
    int            n_outputs, n_operands, operand_capacity;
    stria_status   status; /* of the calls so far */
    const char    *message;
    const char    *name; /* operation, for error messages */
    stria_tensor **operands;
    stria_tensor  *inline_operands[STRIA_ITER_INLINE_OPERANDS];
    int64_t        static_shape[STRIA_MAX_DIMS]; /* [static_ndim] */
    int            op_axes_ndim;                 /* -1: no operand has op_axes */
    bool           has_op_axes[STRIA_ITER_INLINE_OPERANDS];
    int8_t         op_axes[STRIA_ITER_INLINE_OPERANDS][STRIA_MAX_DIMS];
} stria_iter_config;

/* Sets every option to its default (given below) and forgets all operands. */
STRIA_API void stria_iter_config_init(stria_iter_config *config);
/* Needed only after adding more than STRIA_ITER_INLINE_OPERANDS operands; harmless otherwise. */
STRIA_API void stria_iter_config_release(stria_iter_config *config);

/* Operands are borrowed and must outlive the iterator. All outputs come before any input (else ERR_INTERNAL). An output
 * may be NULL: the iterator allocates it. An input may not. The same tensor as output and input means in-place. */
STRIA_API void stria_iter_config_add_output(stria_iter_config *config, stria_tensor *out);
STRIA_API void stria_iter_config_add_input(stria_iter_config *config, const stria_tensor *in);

/* Operation named in error messages, a static string; default "iter". */
STRIA_API void stria_iter_config_set_name(stria_iter_config *config, const char *name);

/* Default on. Refuse outputs that have several elements at one address, and those of which an element lies on an input's
 * element at another position (ERR_OVERLAP). An input of which that is too expensive to decide is copied first, as is one
 * that shares memory at equal positions only but has other strides; the copy keeps the memory order. Outputs are not
 * compared with each other: where several lie over each other, which value stays is not defined. */
STRIA_API void stria_iter_config_set_check_mem_overlap(stria_iter_config *config, bool on);
/* Default on. All inputs and given outputs have one dtype (else ERR_DTYPE). Switched off, for good, by turning on
 * promote_inputs_to_common_dtype or cast_common_dtype_to_outputs. */
STRIA_API void stria_iter_config_set_check_all_same_dtype(stria_iter_config *config, bool on);
/* Default on. All operands are on one device (else ERR_DEVICE). When off, a NULL output needs a static device. */
STRIA_API void stria_iter_config_set_check_all_same_device(stria_iter_config *config, bool on);
/* Default off. The common dtype must be castable to each given output's dtype (else ERR_DTYPE). */
STRIA_API void stria_iter_config_set_enforce_safe_casting_to_output(stria_iter_config *config, bool on);
/* Default off. The common dtype is found by promotion; on the CPU, inputs of other dtypes are converted into
 * temporaries that keep their memory order. */
STRIA_API void stria_iter_config_set_promote_inputs_to_common_dtype(stria_iter_config *config, bool on);
/* Default off. On the CPU, a given output of another dtype is replaced by a temporary of the common dtype, to be copied
 * back with stria_iter_cast_outputs. */
STRIA_API void stria_iter_config_set_cast_common_dtype_to_outputs(stria_iter_config *config, bool on);
/* Default off. A common dtype of integers or bool becomes f32. Needs promote_inputs_to_common_dtype on before
 * (else ERR_INTERNAL). */
STRIA_API void stria_iter_config_set_promote_integer_inputs_to_float(stria_iter_config *config, bool on);
/* Default off. One 0-dim CPU input may accompany operands on another device. */
STRIA_API void stria_iter_config_set_allow_cpu_scalars(stria_iter_config *config, bool on);
/* Default off. Outputs may be smaller than the iteration; dims in which they have stride 0 are reduced and come
 * first. */
STRIA_API void stria_iter_config_set_is_reduction(stria_iter_config *config, bool on);
/* Default off. Iterate in row-major order of the common shape. */
STRIA_API void stria_iter_config_set_enforce_linear_iteration(stria_iter_config *config, bool on);
/* Default on. Outputs do not take part in shape inference; one of another shape is resized unless it is in-place. */
STRIA_API void stria_iter_config_set_resize_outputs(stria_iter_config *config, bool on);
/* dtype of allocated outputs. check_all_same_dtype must be off before (else ERR_CONFIG). */
STRIA_API void stria_iter_config_set_static_dtype(stria_iter_config *config, stria_dtype dtype);
/* Device of allocated outputs. */
STRIA_API void stria_iter_config_set_static_device(stria_iter_config *config, stria_device device);
/* Iterate over this shape instead of the broadcast one, with the axes in squash [n_squash] taken as size 1: every
 * operand has ndim dims, and the caller vouches that its strides reach valid memory. resize_outputs must be off
 * before (else ERR_CONFIG); a squash axis outside [0, ndim) is ERR_AXIS. */
STRIA_API void stria_iter_config_set_static_shape(stria_iter_config *config, int ndim, const int64_t *shape,
                                                  const int *squash, int n_squash);

/* ---- from NumPy's iterator */

/* Default off. An input that shares memory with an output in another way than element by element is copied first, instead
 * of ERR_OVERLAP. The copy keeps the memory order. */
STRIA_API void stria_iter_config_set_copy_if_overlap(stria_iter_config *config, bool on);
/* Default off. Keep every dim apart, so that positions have an index (stria_iter_cursor_get_index): no fast set-up, no
 * merging. Dims are still ordered by memory unless enforce_linear_iteration is on. */
STRIA_API void stria_iter_config_set_multi_index(stria_iter_config *config, bool on);
/* Axis d of the iteration is axis axes[d] of the operand [n_axes], or, with -1, one the operand does not have: it
 * broadcasts there. An output that does not have an axis is reduced over it (is_reduction must be on). The operand has
 * been added before, is given (not NULL) and among the first STRIA_ITER_INLINE_OPERANDS; each of its axes is named once,
 * those of size 1 may be left out. All operands with op_axes have the same n_axes. An output with op_axes is not
 * resized. Errors: ERR_AXIS, ERR_ARGUMENT. */
STRIA_API void stria_iter_config_set_op_axes(stria_iter_config *config, int operand, const int *axes, int n_axes);

/* ---- presets. The first changes options only; the others set options and add the operands given, on a config fresh
 * from stria_iter_config_init. An out may be NULL where an output may be allocated. */

/* The library's own element-wise ops, which convert block by block and so want no temporaries: overlap checked, outputs
 * resized, one CPU scalar allowed, dtypes left alone, new outputs get result_dtype. */
STRIA_API void stria_iter_config_set_elementwise(stria_iter_config *config, stria_dtype result_dtype);
/* Promotion, conversion through temporaries, safe casts, resizing, CPU scalars. */
STRIA_API void stria_iter_config_set_binary_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *a,
                                               const stria_tensor *b);
/* The same: operands are always borrowed here. */
STRIA_API void stria_iter_config_set_borrowing_binary_op(stria_iter_config *config, stria_tensor *out,
                                                         const stria_tensor *a, const stria_tensor *b);
/* The same with integers as f32. */
STRIA_API void stria_iter_config_set_binary_float_op(stria_iter_config *config, stria_tensor *out,
                                                     const stria_tensor *a, const stria_tensor *b);
/* As binary_op for three inputs, without CPU scalars. */
STRIA_API void stria_iter_config_set_ternary_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *a,
                                                const stria_tensor *b, const stria_tensor *c);
/* A new output is bool; a given one of another dtype is written through a temporary. */
STRIA_API void stria_iter_config_set_comparison_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *a,
                                                   const stria_tensor *b);
/* One dtype throughout. */
STRIA_API void stria_iter_config_set_unary_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *a);
/* As binary_float_op for one input, without CPU scalars. */
STRIA_API void stria_iter_config_set_unary_float_op(stria_iter_config *config, stria_tensor *out,
                                                    const stria_tensor *a);
/* Any dtype in, a new output is bool on the device of a. */
STRIA_API void stria_iter_config_set_unary_force_boolean_op(stria_iter_config *config, stria_tensor *out,
                                                            const stria_tensor *a);
/* One output, nothing else; it is neither resized nor allocated from inputs. */
STRIA_API void stria_iter_config_set_nullary_op(stria_iter_config *config, stria_tensor *out);
/* Reduction of `in` into `out`, which has as many dims as `in` (see stria_iter_view_reduced) and may not be NULL. */
STRIA_API void stria_iter_config_set_reduce_op(stria_iter_config *config, stria_tensor *out, const stria_tensor *in);
/* Into two outputs of equal shape and strides (else ERR_SHAPE) on the device of `in` (else ERR_DEVICE), that have no memory
 * in common (else ERR_OVERLAP). */
STRIA_API void stria_iter_config_set_reduce_op_pair(stria_iter_config *config, stria_tensor *out0, stria_tensor *out1,
                                                    const stria_tensor *in);
/* Copy with conversion by the kernel; devices may differ. */
STRIA_API void stria_iter_config_set_copy(stria_iter_config *config, stria_tensor *out, const stria_tensor *in);

/* ---------------------------------------------------------------- the iterator */

/* How far the build got without general work: which layout all operands share. */
typedef enum stria_iter_setup {
    STRIA_ITER_GENERAL,
    STRIA_ITER_CONTIGUOUS,
    STRIA_ITER_CHANNELS_LAST,
    STRIA_ITER_DENSE
} stria_iter_setup;

typedef struct stria_iter_operand {
    stria_tensor *tensor;     /* current tensor; NULL until an output is allocated */
    stria_tensor *original;   /* what `tensor`, a conversion temporary, stands for; else NULL */
    stria_tensor *given;      /* the caller's; NULL for an output that is allocated */
    char         *data;       /* element at index 0 of every dim; NULL on the META device */
    stria_dtype   dtype;      /* of `tensor`: what memory holds */
    stria_dtype   target;     /* wanted for an output still to be allocated */
    stria_device  device;     /* type -1: not known yet */
    int8_t        contiguous; /* of the tensor at first; -1: not looked at yet */
    bool          is_output;
    bool          will_resize; /* given output whose shape is wrong and may change */
    bool          read_write;  /* the same tensor is also an input */
    bool          has_strides;
    bool          owned;         /* this iterator holds a reference to `tensor` */
    bool          owns_original; /* and to `original` */
} stria_iter_operand;

/* Do not assign one to another: use stria_iter_copy. */
typedef struct stria_iter {
    int                 ndim, n_operands, n_outputs;
    int                 common_ndim;
    stria_dtype         common_dtype; /* STRIA_DTYPE_NONE: the inputs have none in common */
    stria_device        common_device;
    stria_iter_setup    setup;
    bool                is_reduction, is_meta, all_same_shape, all_scalars, accumulate, final_output, multi_index;
    bool                is_linear, has_static_shape;
    bool                is_uniform, shares_memory; /* of the build: spare it steps */
    bool                is_counted;                /* a part, whose writes are counted by what made it */
    stria_iter_operand *operands;                  /* [n_operands] */
    int64_t            *shape;                     /* [ndim] */
    int64_t            *strides;                   /* [ndim][n_operands] bytes, at least two dims present */
    int64_t            *view_offsets;              /* [max(ndim, 1)] */
    int64_t            *common_shape;              /* [common_ndim], logical order */
    int8_t             *permutation;               /* [common_ndim] */
    void               *heap;
    stria_iter_operand  inline_operands[STRIA_ITER_INLINE_OPERANDS];
    int64_t             inline_shape[STRIA_ITER_INLINE_DIMS];
    int64_t             inline_strides[STRIA_ITER_INLINE_OPERANDS * STRIA_ITER_INLINE_DIMS];
    int64_t             inline_view_offsets[STRIA_ITER_INLINE_DIMS];
    int64_t             inline_common_shape[STRIA_ITER_INLINE_DIMS];
    int8_t              inline_permutation[STRIA_ITER_INLINE_DIMS];
} stria_iter;

/**
 * stria_iter_build - work out an iteration.
 *
 * it      need not be initialised; end it with stria_iter_release. After a failure there is nothing to release, and
 *         releasing it is harmless.
 * config  no longer needed afterwards; the operands are
 *
 * Given outputs may have been resized even if a later step fails.
 * Errors: ERR_SHAPE (no broadcast; an output that may not change shape), ERR_OVERFLOW, ERR_DTYPE, ERR_DEVICE,
 *         ERR_OVERLAP, ERR_AXIS, ERR_CONFIG, ERR_INTERNAL, ERR_MEMORY.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_iter_build(stria_iter *it, const stria_iter_config *config,
                                                         stria_error *err);
/* An iterator that holds nothing, for a clean-up path that may run before stria_iter_build. */
STRIA_API void stria_iter_init(stria_iter *it);
/* Ends the iterator, its temporaries, and outputs that it allocated and nobody took. */
STRIA_API void stria_iter_release(stria_iter *it);
/* `copy` iterates over the same tensors independently. It borrows them, so `it` must outlive it; end it with
 * stria_iter_release. Error: ERR_MEMORY, beyond the inline sizes only. */
STRIA_API STRIA_MUST_CHECK stria_status stria_iter_copy(const stria_iter *it, stria_iter *copy, stria_error *err);

/* ---- queries */

STRIA_API int            stria_iter_get_ndim(const stria_iter *it);
STRIA_API int            stria_iter_get_n_operands(const stria_iter *it);
STRIA_API int            stria_iter_get_n_outputs(const stria_iter *it);
STRIA_API int64_t        stria_iter_get_numel(const stria_iter *it);
STRIA_API const int64_t *stria_iter_get_shape(const stria_iter *it);            /* [ndim] */
STRIA_API const int64_t *stria_iter_get_strides(const stria_iter *it, int dim); /* [n_operands] bytes of one dim */
STRIA_API const int64_t *stria_iter_get_view_offsets(const stria_iter *it);     /* [max(ndim, 1)] */
STRIA_API int            stria_iter_get_common_ndim(const stria_iter *it);
STRIA_API const int64_t *stria_iter_get_common_shape(const stria_iter *it); /* [common_ndim], logical order */
/* Logical axis at each position before merging, fastest first [common_ndim]; NULL unless the set-up was general. */
STRIA_API const int8_t    *stria_iter_get_permutation(const stria_iter *it);
STRIA_API stria_iter_setup stria_iter_get_setup(const stria_iter *it);
/* STRIA_DTYPE_NONE if the inputs have none in common. */
STRIA_API stria_dtype  stria_iter_get_common_dtype(const stria_iter *it);
STRIA_API stria_device stria_iter_get_common_device(const stria_iter *it);
STRIA_API stria_dtype  stria_iter_get_dtype(const stria_iter *it, int operand);
STRIA_API char        *stria_iter_get_data(const stria_iter *it, int operand);
/* The tensor that the loop reads or writes, possibly a temporary; borrowed. */
STRIA_API stria_tensor *stria_iter_get_tensor(const stria_iter *it, int operand);
/* The caller's tensor, or the one allocated as output k; the caller owns one reference. Once only per output. */
STRIA_API stria_tensor *stria_iter_take_output(stria_iter *it, int k);

STRIA_API bool stria_iter_is_trivial_1d(const stria_iter *it);
/* One element, or one dim in which every operand is packed. */
STRIA_API bool stria_iter_is_contiguous(const stria_iter *it);
/* Every element of the operand is one and the same; and it is on the CPU. */
STRIA_API bool    stria_iter_is_scalar(const stria_iter *it, int operand);
STRIA_API bool    stria_iter_is_cpu_scalar(const stria_iter *it, int operand);
STRIA_API bool    stria_iter_is_dim_reduced(const stria_iter *it, int dim);
STRIA_API int     stria_iter_get_num_reduce_dims(const stria_iter *it);
STRIA_API int64_t stria_iter_get_num_output_elements(const stria_iter *it);
/* Elements and byte offsets (by magnitude, for negative strides) fit 31 bits. */
STRIA_API bool stria_iter_can_use_32bit_indexing(const stria_iter *it);
/* The dim with the largest extent in bytes, the outermost among equals; -1 if there is none. */
STRIA_API int stria_iter_get_dim_to_split(const stria_iter *it);
/* The part of a larger reduction that this iterator is: whether to combine with what the output holds already, and
 * whether its result is final. */
STRIA_API bool stria_iter_get_accumulate(const stria_iter *it);
STRIA_API bool stria_iter_get_final_output(const stria_iter *it);

/* ---- transformations. Indices are the caller's duty: dim in [0, ndim), ranges inside the shape. */

/* Only positions start .. start + size - 1 (size >= 1) of a dim. */
STRIA_API void stria_iter_narrow(stria_iter *it, int dim, int64_t start, int64_t size);
/* Position index[d - from] of every dim d >= from, leaving size 1. */
STRIA_API void stria_iter_select_all_keeping_dim(stria_iter *it, int from, const int64_t *index);
/* `lower` becomes the first half (rounded down) of a dim of size >= 2, a copy as of stria_iter_copy; `it` the rest. */
STRIA_API STRIA_MUST_CHECK stria_status stria_iter_split(stria_iter *it, int dim, stria_iter *lower, stria_error *err);
/* Drops an input; the geometry stays. */
STRIA_API void stria_iter_remove_operand(stria_iter *it, int operand);
/* Calls fn on parts that satisfy stria_iter_can_use_32bit_indexing, lowest first; stops at the first failure. */
typedef stria_status                    stria_iter_part_fn(void *context, stria_iter *part, stria_error *err);
STRIA_API STRIA_MUST_CHECK stria_status stria_iter_with_32bit_indexing(const stria_iter *it, stria_iter_part_fn *fn,
                                                                       void *context, stria_error *err);
/* Converts each temporary output into the caller's tensor (resized if need be) and puts that in its place. */
STRIA_API STRIA_MUST_CHECK stria_status stria_iter_cast_outputs(stria_iter *it, stria_error *err);

/* `view` of out with size 1 and stride 0 inserted at every axis of `reduced` (bit k: axis k of the input, which has
 * ndim axes), so that reductions see which axes those are. With keepdim, out has them already. */
STRIA_API STRIA_MUST_CHECK stria_status stria_iter_view_reduced(stria_tensor *out, int ndim, uint64_t reduced,
                                                                bool keepdim, stria_tensor **view, stria_error *err);

/* ---------------------------------------------------------------- execution */

/**
 * stria_loop2d - process all (i, j), 0 <= i < n0, 0 <= j < n1:
 *
 *     operand k is at  data[k] + i * strides[k] + j * strides[n_operands + k]
 *
 * data     [n_operands] outputs first; scratch, the loop may change it
 * strides  [2 * n_operands] bytes, inner then outer; 0 means broadcast (or, for an output, reduced); any sign
 */
typedef void stria_loop2d(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1);

/* Runs the loop over positions [begin, end) of the iteration, dim 0 fastest, on the calling thread. */
STRIA_API void stria_iter_run_range(const stria_iter *it, stria_loop2d *loop, void *context, int64_t begin,
                                    int64_t end);
/* Runs it over everything, on several threads if there are more than `grain` elements (0: 32768). Tensors on the META device
 * have no memory: the loop then gets NULL for their data, so do not run it over them. */
STRIA_API void stria_iter_for_each(const stria_iter *it, stria_loop2d *loop, void *context, int64_t grain);

/* ---- step by step: the caller's own loop, over any range, to be left and taken up again */

/* A position in an iteration. Read position, count and data; change them through the functions. */
typedef struct stria_iter_cursor {
    const stria_iter *it;
    int64_t           begin, end; /* range of linear positions, dim 0 fastest */
    int64_t           position;   /* where the cursor is; end: done */
    int64_t           count;      /* elements from here on that are stria_iter_get_strides(it, 0) apart; 0: done */
    bool              external_loop;
    char             *data[STRIA_ITER_INLINE_OPERANDS]; /* element at `position`, outputs first */
    int64_t           counter[STRIA_MAX_DIMS];          /* of each iterator dim */
} stria_iter_cursor;

/**
 * stria_iter_cursor_init - put a cursor at the beginning of [begin, end).
 *
 *     for (stria_iter_cursor_init(..); c.count > 0; stria_iter_cursor_next(&c)) ..
 *
 * it             must outlive the cursor; several cursors on one iterator are independent
 * external_loop  true: each step is a whole run of c.count elements, for an inner loop of the caller's; false: one element
 *
 * Outputs count as written here, where the cursor is set, and when it passes the last element. Who writes in between, after a call has
 * read the output, says so by stria_tensor_set_written.
 *
 * Errors: ERR_ARGUMENT (a range outside [0, numel], more than STRIA_ITER_INLINE_OPERANDS operands), ERR_DEVICE.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_iter_cursor_init(stria_iter_cursor *cursor, const stria_iter *it,
                                                               int64_t begin, int64_t end, bool external_loop,
                                                               stria_error *err);
/* Past the present run. */
STRIA_API void stria_iter_cursor_next(stria_iter_cursor *cursor);
/* To any position in [begin, end] (else ERR_ARGUMENT, and the cursor stays). */
STRIA_API STRIA_MUST_CHECK stria_status stria_iter_cursor_set(stria_iter_cursor *cursor, int64_t position,
                                                              stria_error *err);
/* The element's index in the common shape [common_ndim], logical order. ERR_CONFIG without multi_index. */
STRIA_API STRIA_MUST_CHECK stria_status stria_iter_cursor_get_index(const stria_iter_cursor *cursor, int64_t *index,
                                                                    stria_error *err);

/* ---- buffered: loops that know one layout
 *
 * A loop over any strides and dtypes is slow or long. A loop over contiguous elements of the dtype it likes is neither:
 * operands that are something else are brought into that form block by block, in buffers that stay in the first-level
 * cache. Contiguous operands are not copied. All element-wise ops of the library run this way. */

/**
 * stria_loop1d - process `count` elements:  operand k is at  data[k] + i * strides[k]
 *
 * data     [n_operands] outputs first
 * strides  [n_operands] bytes: the size of an element of the lane dtype, or 0 for an input that is one value throughout
 *          and, in a reduction, for an output that is one result throughout
 *
 * Outputs are written, not read; but in a reduction the loop combines each input element with what the output holds, also
 * where the output's stride is not 0. No alignment is promised. An output may be at the same address as an input.
 */
typedef void stria_loop1d(void *context, char *const *data, const int64_t *strides, int64_t count);

/**
 * stria_iter_for_each_buffered - run such a loop over everything.
 *
 * lanes    [n_operands] dtype that the loop has each operand in; elements are converted by the rules of
 *          stria_tensor_copy on the way in and out. NULL: the dtypes they have
 * grain    as of stria_iter_for_each; a reduction runs on the calling thread (see stria_iter_foreach_reduced_elt)
 *
 * The loop is called from several threads at once. The blocks it sees depend on strides and threads, so it must treat each
 * element alike. Errors, before anything is written: ERR_ARGUMENT (more than STRIA_ITER_INLINE_OPERANDS operands),
 * ERR_DTYPE, ERR_DEVICE, ERR_UNSUPPORTED.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_iter_for_each_buffered(const stria_iter *it, const stria_dtype *lanes,
                                                                     stria_loop1d *loop, void *context, int64_t grain,
                                                                     stria_error *err);

/* ---- reductions, built with is_reduction: one input, outputs with stride 0 in the reduced dims */

typedef enum stria_iter_reduce_strategy {
    STRIA_ITER_REDUCE_SERIAL, /* fewer than 32768 elements, one thread, inside a parallel region, or linear iteration with
                                   a reduced dim outermost */
    STRIA_ITER_REDUCE_TWO_PASS, /* one result: each thread reduces a range of the elements, then the partial results */
    STRIA_ITER_REDUCE_SPLIT_DIM /* each thread computes other results: ranges of a kept dim */
} stria_iter_reduce_strategy;

/* How stria_iter_parallel_reduce would go about it now; *dim is the dim that SPLIT_DIM cuts, else -1. */
STRIA_API stria_iter_reduce_strategy stria_iter_get_reduce_strategy(const stria_iter *it, int *dim);

/**
 * stria_iter_parallel_reduce - run a loop that accumulates the input into the output, on several threads.
 *
 * The iterator has one output, which holds the loop's identity (or what is to be combined with the result). The loop does
 * out = combine(out, in) for every element, is associative, and is called on several threads at once with outputs of
 * their own. How the elements are grouped depends on the number of threads, and so may the last bits of the result; the
 * library's own reductions fix their order by the shape instead (stria_reduce).
 *
 * Without elements the output stays as it is. Errors: ERR_ARGUMENT (not one output and one input, or not a reduction);
 * ERR_MEMORY beyond the inline sizes only.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_iter_parallel_reduce(stria_iter *it, stria_loop2d *loop, void *context,
                                                                   stria_error *err);

/**
 * stria_iter_foreach_reduced_elt - call fn once for every result, with the part of the iterator that is reduced into it.
 *
 * For reductions whose accumulator is not what the outputs hold (mean and variance, value and index). `part` has its
 * outputs' addresses at the one result and all elements of the input that belong to it: run a loop over it with
 * stria_iter_run_range or stria_iter_for_each, then store. Parts run on several threads at once; a call for the only
 * result may use threads itself. One input, one or more outputs.
 *
 * Errors: the first failure of fn, after all calls under way have ended; ERR_ARGUMENT as above, and with linear iteration
 *         in which the reduced dims do not come first; ERR_MEMORY.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_iter_foreach_reduced_elt(stria_iter *it, stria_iter_part_fn *fn,
                                                                       void *context, stria_error *err);

/* ---------------------------------------------------------------- what was decided, and why
 *
 * stria_iter_describe tells the story of a build: where each operand comes from, why a fast set-up was taken or refused,
 * what ordered the axes, which of them were merged, what the inner loop sees, how the work is cut over threads. For
 * pictures, for tests, and for those who wonder why a loop is slow. Each enum below has a word and a sentence per value. */

/* How an operand came to be. */
typedef enum stria_iter_origin {
    STRIA_ITER_GIVEN,
    STRIA_ITER_ALLOCATED,
    STRIA_ITER_RESIZED,
    STRIA_ITER_CONVERTED,
    STRIA_ITER_COPIED
} stria_iter_origin;

/* What came of a fast set-up: taken, or the first reason against it. */
typedef enum stria_iter_path {
    STRIA_ITER_PATH_TAKEN,
    STRIA_ITER_PATH_NOT_NEEDED,
    STRIA_ITER_PATH_REDUCTION,
    STRIA_ITER_PATH_STATIC_SHAPE,
    STRIA_ITER_PATH_SHAPES_DIFFER,
    STRIA_ITER_PATH_MULTI_INDEX,
    STRIA_ITER_PATH_LINEAR,
    STRIA_ITER_PATH_NOT_FOUR_DIMS,
    STRIA_ITER_PATH_OTHER_LAYOUT,
    STRIA_ITER_PATH_REVERSED,
    STRIA_ITER_PATH_STRIDES_DIFFER,
    STRIA_ITER_PATH_NO_OPERAND
} stria_iter_path;

/* What put an axis where it is, before the next slower one. */
typedef enum stria_iter_order {
    STRIA_ITER_ORDER_LAST,
    STRIA_ITER_ORDER_STRIDE,
    STRIA_ITER_ORDER_SIZE,
    STRIA_ITER_ORDER_REDUCED,
    STRIA_ITER_ORDER_ROW_MAJOR,
    STRIA_ITER_ORDER_LINEAR,
    STRIA_ITER_ORDER_ALIKE,
    STRIA_ITER_ORDER_SORT
} stria_iter_order;

/* Whether an axis was merged into the dim of the next faster one, and why. */
typedef enum stria_iter_merge {
    STRIA_ITER_MERGE_FIRST,
    STRIA_ITER_MERGE_FITS,
    STRIA_ITER_MERGE_SIZE_ONE,
    STRIA_ITER_MERGE_ALIKE,
    STRIA_ITER_MERGE_STRIDE,
    STRIA_ITER_MERGE_MULTI_INDEX,
    STRIA_ITER_MERGE_META
} stria_iter_merge;

/* What an inner loop over dim 0 sees of an operand. */
typedef enum stria_iter_form {
    STRIA_ITER_FORM_CONTIGUOUS,
    STRIA_ITER_FORM_VALUE,
    STRIA_ITER_FORM_STRIDED,
    STRIA_ITER_FORM_REVERSED
} stria_iter_form;

/* Words ("shapes_differ") and sentences ("the operand has another shape than the iteration"); "unknown" for a number that
 * is none. Static strings. */
STRIA_API const char *stria_iter_setup_get_name(stria_iter_setup setup);
STRIA_API const char *stria_iter_setup_get_text(stria_iter_setup setup);
STRIA_API const char *stria_iter_origin_get_name(stria_iter_origin origin);
STRIA_API const char *stria_iter_origin_get_text(stria_iter_origin origin);
STRIA_API const char *stria_iter_path_get_name(stria_iter_path path);
STRIA_API const char *stria_iter_path_get_text(stria_iter_path path);
STRIA_API const char *stria_iter_order_get_name(stria_iter_order order);
STRIA_API const char *stria_iter_order_get_text(stria_iter_order order);
STRIA_API const char *stria_iter_merge_get_name(stria_iter_merge merge);
STRIA_API const char *stria_iter_merge_get_text(stria_iter_merge merge);
STRIA_API const char *stria_iter_form_get_name(stria_iter_form form);
STRIA_API const char *stria_iter_form_get_text(stria_iter_form form);

#define STRIA_ITER_DESCRIBED_OPERANDS STRIA_ITER_INLINE_OPERANDS

typedef struct stria_iter_description_operand {
    stria_iter_origin origin;
    stria_iter_form   form;
    stria_dtype       dtype;       /* what the loop reads or writes */
    stria_dtype       given_dtype; /* the caller's; NONE for an allocated output */
    stria_device      device;
    bool              is_output;
    bool              is_in_place;       /* the same tensor is an output and an input */
    bool              is_wrapped_number; /* a number of the host language */
    bool              has_op_axes;       /* seen through stria_iter_config_set_op_axes */
} stria_iter_description_operand;

/* An axis of the common shape, as it is before merging. */
typedef struct stria_iter_description_axis {
    int              axis; /* of the common shape */
    int              dim;  /* of the iterator, that it became or went into */
    int64_t          size;
    stria_iter_order order; /* why it comes before the next entry */
    int              order_operand;
    stria_iter_merge merge; /* with the entry before; of what blocks it, the first operand */
    int              merge_operand;
    int64_t          merge_wanted; /* MERGE_STRIDE: the byte stride that would fit, and the one it has */
    int64_t          merge_found;
    int64_t          strides[STRIA_ITER_DESCRIBED_OPERANDS]; /* bytes */
} stria_iter_description_axis;

typedef struct stria_iter_description_dim {
    int64_t size;
    int64_t strides[STRIA_ITER_DESCRIBED_OPERANDS]; /* bytes */
} stria_iter_description_dim;

/* A verdict and the operand it rests on; -1: on none in particular. */
typedef struct stria_iter_description_path {
    stria_iter_path verdict;
    int             operand;
} stria_iter_description_path;

/* stria_iter_for_each (stria_iter_parallel_reduce for a reduction of one input into one output), with the default grain
 * and the present number of threads, called from outside any parallel region. */
typedef struct stria_iter_description_threads {
    int                        n_threads;
    int                        n_chunks; /* 0: nothing to do */
    int                        dim;      /* whose positions are cut; -1: those of the whole iteration */
    int64_t                    grain;
    int64_t                    chunk_size; /* positions; the last chunk may have fewer */
    int64_t                    round;      /* chunks begin at multiples of this, rounded down; 1: as chunk_size says */
    stria_iter_reduce_strategy strategy;   /* SERIAL unless it is a reduction */
} stria_iter_description_threads;

/* About 14 KB, nothing of it elsewhere. Operands are numbered as in the iterator; -1 stands for no operand. Of more than
 * STRIA_ITER_DESCRIBED_OPERANDS the first ones are listed; verdicts take all into account. */
typedef struct stria_iter_description {
    int                            n_operands, n_outputs;
    int                            n_listed; /* operands in the arrays below */
    int                            n_axes, n_dims;
    int64_t                        numel;
    stria_dtype                    common_dtype;
    stria_device                   common_device;
    stria_iter_setup               setup;
    bool                           is_reduction, is_linear, has_static_shape, multi_index, accumulate, final_output;
    bool                           is_part;        /* no longer as it was built: narrowed, split or cast back */
    bool                           is_contiguous;  /* stria_iter_is_contiguous */
    bool                           fits_32bit;     /* stria_iter_can_use_32bit_indexing */
    int                            n_reduced_dims; /* stria_iter_get_num_reduce_dims; 0 unless it is a reduction */
    int                            dim_to_split;   /* stria_iter_get_dim_to_split */
    int64_t                        shape[STRIA_MAX_DIMS]; /* [n_axes] common shape, logical order */
    stria_iter_description_path    contiguous, channels_last, dense;
    stria_iter_description_threads threads;
    stria_iter_description_operand operands[STRIA_ITER_DESCRIBED_OPERANDS]; /* [n_listed] */
    stria_iter_description_axis    axes[STRIA_MAX_DIMS];                    /* [n_axes] fastest first */
    stria_iter_description_dim     dims[STRIA_MAX_DIMS];                    /* [n_dims] fastest first */
} stria_iter_description;

/**
 * stria_iter_describe - everything a built iterator decided.
 *
 * Axes, their order and their merging are those of the build, found again from the operands (a transformation since then
 * shows in dims and is_part only); dims, forms, threads and flags are the present ones. Of an iterator without operands
 * everything is 0, -1 or NONE. Costs some microseconds; allocates nothing, cannot fail.
 */
STRIA_API void stria_iter_describe(const stria_iter *it, stria_iter_description *description);

/**
 * stria_iter_describe_json - the same as JSON, one object on one line.
 *
 * text    [size] receives the zero-terminated text, cut if it is too long; may be NULL if size is 0
 * needed  length of the whole text without the terminating zero; below `size` if nothing was cut. May be NULL
 *
 * Keys are the members of the structs; of an enum `x` the word is at "x" and its sentence at "x_text"; lists have their
 * length instead of the n_ members. dtypes and devices are words, "none" included. `paths` holds contiguous,
 * channels_last and dense.
 *
 * Errors: ERR_ARGUMENT (it NULL; text NULL with a size).
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_iter_describe_json(const stria_iter *it, char *text, size_t size,
                                                                 size_t *needed, stria_error *err);

#ifdef __cplusplus
}
#endif

#endif /* STRIA_ITER_H */
