/* kernels.h - the contract between the core and the per-ISA loops. Internal.
 *
 * Each ISA object (kernels.c compiled once with STRIA_ISA) exports one const table, stria_kernels_<isa>. */
#ifndef STRIA_KERNELS_H
#define STRIA_KERNELS_H

#include "near.h"
#include "gemm.h"
#include "stria_enums.h"

/**
 * stria_loop - one op over one run of elements.
 *
 * data          [1 + arity] addresses of the first elements, output first
 * stride_bytes  [1 + arity] the output's is its element size; an input's is its element size, or 0 for one value
 *               broadcast over the run
 * count         elements, >= 0
 *
 * No alignment is needed. The output may equal an input exactly and must not overlap one otherwise.
 */
typedef void stria_loop(char *const *data, const int64_t *stride_bytes, int64_t count);

/**
 * stria_cast_loop - convert count elements; strides in bytes, any sign, 0 allowed for the source.
 * Overlap: none, or dst == src with equal strides and equal element sizes.
 */
typedef void stria_cast_loop(char *dst, int64_t dst_stride, const char *src, int64_t src_stride, int64_t count);

/**
 * Reductions combine blocks of at most STRIA_REDUCE_BLOCK elements of the compute dtype, in an order that is the same on
 * every ISA.
 *
 * row      *result = the block combined: with L = STRIA_REDUCE_GROUP_BYTES / element size lanes, lane k takes elements
 *          k, k + L, k + 2L, .. in this order (the last group filled up with the neutral element); then lane k combines
 *          with lane k + L/2, then k + L/4, .. down to one.  1 <= count <= STRIA_REDUCE_BLOCK.
 * pairs    the same of elements of two parts, of which each is combined as row does with its likes
 * columns  of n columns, the n_columns elements of a row contiguous, rows stride_bytes apart, n_rows >= 1:
 *              v = src[0][j], or combine(acc[j], src[0][j]) unless these rows begin; v = combine(v, src[i][j]) for i = 1 .. n_rows-1;
 *              v = combine(slot k [j], v) for k = n_slots-1 .. 0; slot 0 [j] = v
 *          where slot k is slot_bytes behind slot k - 1, and acc is slot n_slots, which may be overwritten
 * few      several short rows: result[i] = row i combined, the count <= STRIA_REDUCE_FEW elements from src + i * stride_bytes
 *          on. STRIA_REDUCE_ROWS elements are combined one after another, then these results as a binary tree. Returns how many
 *          rows it did, at most n. If count is not a whole number of vectors, it does rows without gaps between them only, and
 *          reads beyond the end of a row, but not of row n - 1. NULL for elements of 1 and 2 bytes, and where vectors have
 *          one lane
 */
#define STRIA_REDUCE_BLOCK 4096
#define STRIA_REDUCE_GROUP_BYTES 256
#define STRIA_REDUCE_ROWS 16
#define STRIA_REDUCE_FEW 64
typedef void    stria_reduce_row(char *result, const char *src, int64_t count);
typedef void    stria_reduce_columns(char *slots, int n_slots, int64_t slot_bytes, bool begins, const char *src,
                                     int64_t stride_bytes, int64_t n_rows, int64_t n_columns);
typedef int64_t stria_reduce_few(char *result, const char *src, int64_t stride_bytes, int64_t count, int64_t n);

/**
 * Moves: elements of 2^k bytes, k = 0 .. 4, between strided and packed memory, bits unchanged. Strides and pitches in
 * bytes, any sign (0 allowed for the source of a gather); no alignment; the two sides do not overlap.
 *
 * gather     dst[i] = src[i * stride]        packed <- strided
 * scatter    dst[i * stride] = src[i]        strided <- packed
 * transpose  dst[j][i] = src[i][j] for i < n_columns, j < n_rows: rows of dst dst_pitch apart, of src src_pitch (0: all
 *            columns of dst are alike)
 *
 * copy_nontemporal  nbytes as they are, past the caches (nontemporal.h); the thread calls fence after its last one. NULL, both, where the
 *                   machine has no such store
 */
typedef void stria_move_gather(char *dst, const char *src, int64_t stride, int64_t count);
typedef void stria_move_scatter(char *dst, int64_t stride, const char *src, int64_t count);
typedef void stria_move_transpose(char *dst, int64_t dst_pitch, const char *src, int64_t src_pitch, int64_t n_columns,
                                  int64_t n_rows);
typedef void stria_move_bytes(char *dst, const char *src, int64_t nbytes);
#define STRIA_MOVE_SIZES 5

/**
 * Packing by a mask of bytes, any of which but 0 means true.
 *
 * count_true  number of true bytes
 * compress    the elements of 2^k bytes, k = 0 .. 4, where the mask is true go to dst one after another; returns their number.
 *             dst has room for `room` elements, at least as many as are wanted; the room behind these may be overwritten
 */
typedef int64_t stria_count_true(const uint8_t *mask, int64_t count);
typedef int64_t stria_compress(char *dst, const char *src, const uint8_t *mask, int64_t count, int64_t room);

/**
 * Positions of extremes (argmax, argmin); values are elements of one dtype, of any alignment.
 *
 * extreme  *result = the largest (smallest) of count >= 1 elements, NaN if there is one. Of equal zeros either
 * wins     whether a replaces `best`, an element before it: it is larger (smaller), or NaN where best is not
 * find     number of the first of count elements that is == *value, or is NaN where *value is; there is one
 * column   of each of n columns of n_rows <= 256 elements, rows stride_bytes apart: the extreme and the number of its row,
 *          the first of equals or the first NaN
 */
typedef struct stria_arg_kernels {
    void (*extreme)(char *result, const char *src, int64_t count);
    bool (*wins)(const char *a, const char *best);
    int64_t (*find)(const char *src, const char *value, int64_t count);
    void (*column)(char *values, uint8_t *rows, const char *src, int64_t stride_bytes, int64_t n_rows, int64_t n);
} stria_arg_kernels;

/**
 * Mean and sum of squared distances from it (m2), of f32 or f64 elements, in an order that is the same on every ISA.
 *
 * row      of 1 <= count <= STRIA_REDUCE_BLOCK elements
 * column   m[j] of each of n columns of 1 <= n_rows <= 64 elements, rows stride_bytes apart
 *
 * Elements are measured from a value near their mean, so that no digits cancel; m2 is right to about 1e-6 for f32, whatever
 * the mean and the range. Infinities and NaN give NaN.
 */
typedef struct stria_moments {
    double pivot, offset; /* their sum is the mean, in more digits than one number has */
    double m2;
} stria_moments;
typedef struct stria_moment_kernels {
    void (*row)(stria_moments *m, const char *src, int64_t count);
    void (*column)(stria_moments *m, const char *src, int64_t stride_bytes, int64_t n_rows, int64_t n);
} stria_moment_kernels;

/**
 * Running sums and products of i64, u64, f32 or f64 elements. An accumulator is 8 bytes: f64 for floats, u64 for integers.
 *
 * row      dst[i] = *base op (*carry op src[0] op .. op src[i]), and *carry = *carry op all of src. In groups of
 *          STRIA_SCAN_GROUP elements: four quads each, a quad as a0, a0 a1, a0 a1 a2, (a0 a1)(a2 a3), the quads' results
 *          one after another, then base and carry. So a run may be cut where whole groups end
 * total    the same *carry without results
 * column   the same of columns j < n, in the same order: element r of each is in row r < n_rows, base[j] and carry[j] are its; rows are
 *          stride bytes apart
 * start    n accumulators that hold nothing yet;  join  *acc = *acc op *later
 *
 * dst may equal src (with equal strides) and must not overlap it otherwise.
 */
#define STRIA_SCAN_GROUP 16
typedef struct stria_scan_kernels {
    void (*row)(char *dst, const char *src, int64_t count, const char *base, char *carry);
    void (*total)(const char *src, int64_t count, char *carry);
    void (*column)(char *dst, int64_t dst_stride, const char *src, int64_t src_stride, char *base, char *carry,
                   int64_t n_rows, int64_t n);
    void (*start)(char *acc, int64_t n);
    void (*join)(char *acc, const char *later);
} stria_scan_kernels;

/**
 * Functions of one row of count >= 1 adjacent f32 or f64 elements, with the same bits on every ISA. dst may equal src.
 *
 * softmax      dst[i] = exp(src[i] - m) / sum_k exp(src[k] - m), m the largest; error at most 3 ULP, plus that of the sum
 * log_softmax  dst[i] = (src[i] - m) - log(sum_k exp(src[k] - m))
 *              NaN, +infinity, or nothing but -infinity in a row make all of it NaN
 * normalise    dst[i] = (src[i] - (pivot + offset)) * factor * weight[i] + bias[i]; weight, bias: of the same dtype, or NULL
 *
 * Their gradients; g: that of the result. Sums of products in groups and blocks as reductions.
 * softmax_backward      dst[i] = y[i] * (g[i] - sum_k g[k] * y[k])
 * log_softmax_backward  dst[i] = g[i] - exp(y[i]) * sum_k g[k]
 * normalise_backward    with z = (src - (pivot + offset)) * factor and h = g * weight: dst[i] = (h[i] - mean(h) - z[i] * mean(h z)) * factor;
 *                       weight_sum[i] += g[i] * z[i]; bias_sum[i] += g[i]; weight may be NULL. is_rms: mean(h) is left out
 */
typedef struct stria_row_kernels {
    void (*softmax)(char *dst, const char *src, int64_t count);
    void (*log_softmax)(char *dst, const char *src, int64_t count);
    void (*normalise)(char *dst, const char *src, int64_t count, double pivot, double offset, double factor,
                      const char *weight, const char *bias);
    void (*softmax_backward)(char *dst, const char *g, const char *y, int64_t count);
    void (*log_softmax_backward)(char *dst, const char *g, const char *y, int64_t count);
    void (*normalise_backward)(char *dst, const char *g, const char *src, int64_t count, double pivot, double offset,
                               double factor, const char *weight, char *weight_sum, char *bias_sum, bool is_rms);
} stria_row_kernels;

/**
 * Complex numbers of float parts, side by side. As a stria_loop, of elements of two parts (abs: the output's have one); returns how many
 * elements were done. div and abs stop before a vector with an element that is not near: whose larger part is not in NEAR_LEAST ..
 * NEAR_MOST, in which neither squares nor products of two overflow or lose digits; or which is 0, unless it divides. exp stops before one
 * whose parts are not finite, or whose real part is beyond STRIA_EXP_TOP. mul does all.
 *
 *   mul  (ac - bd, ad + bc)     div  ((ac + bd) / s, (bc - ad) / s), s = c^2 + d^2     abs  sqrt(a^2 + b^2)
 *   exp  (exp(a) cos b, exp(a) sin b)
 */
typedef int64_t stria_complex_loop(char *const *data, const int64_t *stride_bytes, int64_t count);
typedef struct stria_complex_kernels {
    stria_complex_loop *mul, *div, *abs, *exp; /* exp: NULL in WebAssembly */
} stria_complex_kernels;

/**
 * Random numbers, in groups of STRIA_RANDOM_WORDS 32-bit words. Word w of group g of a seed is word w / 16 of the block that Philox
 * 4x32-10 makes of the counter 16 g + w % 16 and the key seed: so that 16, 8, 4 lanes or one make the same, in memory order.
 *
 * words        (u32) those of n_groups groups, from `group` on
 * uniform      (f32, f64) in place of the words of n_groups groups: min(a + b k, limit) for each word k, cut to its upper `bits` bits (f64:
 *              for each pair of words, the lower one first, cut to 53 bits)
 * normal       a + b z, z of the standard normal distribution, by Box and Muller: of 2 n numbers of a group the words i and i + n give
 *              numbers i and i + n
 * exponential  b e, e of the exponential distribution of mean 1; never 0
 * The bits are the same on every ISA.
 */
#define STRIA_RANDOM_WORDS 64
#define STRIA_RANDOM_BYTES (4 * STRIA_RANDOM_WORDS)
typedef void stria_random_words(char *dst, uint64_t seed, uint64_t group, int64_t n_groups);
typedef void stria_random_map(char *data, int64_t n_groups, int bits, double a, double b, double limit);
typedef struct stria_random_kernels {
    stria_random_words *words;
    stria_random_map   *uniform, *normal, *exponential;
} stria_random_kernels;

/**
 * Steps of optimisers on count f32 or f64 elements (update_template.h has the formulas), with the same bits on every ISA. data[k]: the
 * elements of list k, which are one after another and share none with another list: 0 parameters, 1 gradients, 2 .. states. All but the
 * gradients are written where has[k].
 *
 * sgd      2 momenta              rmsprop  2 means of squares, 3 momenta, 4 means
 * adam     2 means, 3 means of squares, 4 the largest of these            adagrad  2 sums of squares
 * scale    data[0] times rate     clip     data[0] into [-rate, rate]
 */
#define STRIA_UPDATE_LISTS 5
typedef struct stria_update_step {
    double rate, weight_decay, keep;
    double first, first_rest, second, second_rest, root, eps;
    bool   has[STRIA_UPDATE_LISTS], maximize, nesterov, is_first;
} stria_update_step;
typedef void stria_update_loop(char *const *data, const stria_update_step *step, int64_t count);
typedef struct stria_update_kernels {
    stria_update_loop *sgd, *adam, *rmsprop, *adagrad, *scale, *clip;
} stria_update_kernels;

/**
 * Chains: several ops one after another on the same elements, a few vectors at a time, which stay in registers. A chain is
 * an array of words, the last of which is `end`. Each works on one group of vectors, in the accumulator and at `data`:
 *
 * load, load_one    accumulator = data; = the one element at data
 * store             data = accumulator
 * store_nontemporal the same past the caches, for results that they could not hold. data is aligned to vector_bytes. The thread
 *                   calls fence after its last chain. NULL where the machine has no such store
 * op[.][form]       accumulator = op(accumulator), for ops of one input (form 0); for two inputs
 *                     LEFT  op(accumulator, data)   LEFT_ONE   op(accumulator, the one element at data)
 *                     RIGHT op(data, accumulator)   RIGHT_ONE  op(the one element at data, accumulator)
 *                   NULL where there is no such op for the lane type, of three inputs, or with a bool result or input
 * run               runs the words for elements 0, 1, .. of count; returns how many it did, all but fewer than a group has. may_repeat:
 *                   nothing that is stored lies over what is loaded; a last group may begin among elements that were done before
 *
 * data is NULL for words that do not use it. moving: -1 if data advances from group to group (elements one after another), 0 if
 * it stays: one element, or an intermediate value of STRIA_CHAIN_BYTES.
 */
typedef void stria_chain_code(void); /* in truth of the lane type: chain_template.h */
typedef struct stria_chain_word {
    stria_chain_code *run;
    char             *data;
    int64_t           moving;
} stria_chain_word;
enum { STRIA_CHAIN_LEFT, STRIA_CHAIN_RIGHT, STRIA_CHAIN_LEFT_ONE, STRIA_CHAIN_RIGHT_ONE, STRIA_CHAIN_FORMS };
#define STRIA_CHAIN_BYTES 512 /* at most, of a group */
typedef struct stria_chain_kernels {
    int64_t nbytes; /* of a group */
    int64_t (*run)(const stria_chain_word *words, int64_t count, bool may_repeat);
    stria_chain_code *load, *load_one, *store, *store_nontemporal, *end;
    void (*fence)(void);
    stria_chain_code *op[STRIA_OP_COUNT][STRIA_CHAIN_FORMS];
} stria_chain_kernels;

/* Every loop of one lane type, an object of its own (lane_kernels.c). NULL: the type has no such loop. */
typedef struct stria_lane_kernels {
    stria_loop                *loop[STRIA_OP_COUNT];
    stria_reduce_row          *row[STRIA_RED_COUNT];
    stria_reduce_columns      *columns[STRIA_RED_COUNT];
    stria_reduce_few          *few[STRIA_RED_COUNT];
    stria_reduce_row          *pairs;   /* f32, f64: the sum of complex numbers, of parts */
    stria_arg_kernels          arg[2];  /* max, min; not bool */
    stria_scan_kernels         scan[2]; /* sum, product; i64, u64, f32, f64 */
    stria_moment_kernels       moment;  /* f32, f64 */
    stria_row_kernels          row_map; /* f32, f64 */
    stria_complex_kernels      complex; /* f32, f64: of parts */
    stria_random_kernels       random;  /* words: u32; the others: f32, f64 */
    stria_update_kernels       update;  /* f32, f64 */
    const stria_chain_kernels *chain;   /* f32, f64, but not on every ISA */
} stria_lane_kernels;

typedef struct stria_kernels {
    const char *isa;
    int         vector_bytes;
    const stria_lane_kernels
                         *lane[STRIA_DTYPE_COUNT]; /* by compute dtype; without any loop where none computes in it */
    stria_cast_loop      *cast[STRIA_DTYPE_COUNT][STRIA_DTYPE_COUNT]; /* [from][to], complete */
    stria_move_gather    *gather[STRIA_MOVE_SIZES];
    stria_move_scatter   *scatter[STRIA_MOVE_SIZES];
    stria_move_transpose *transpose[STRIA_MOVE_SIZES];
    stria_move_bytes     *copy_nontemporal;
    void (*fence)(void);
    stria_count_true         *count_true;
    stria_compress           *compress[STRIA_MOVE_SIZES];
    const stria_gemm_kernels *gemm; /* matrix products, in an object of their own */
} stria_kernels;

/* The table in use; chosen at the first call, in the order of isa.def. NULL only if STRIA_FORCE_ISA asks for what is not
 * here. (dispatch.c) */
const stria_kernels *stria_dispatch_get(void);
/* A table by name if this machine runs it, else NULL; for tests. */
const stria_kernels *stria_dispatch_get_isa(const char *isa);

#endif
