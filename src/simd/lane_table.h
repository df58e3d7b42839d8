/* lane_table.h - the table of one lane type (parameters: lane_types.h). */
#include "lane_declaration.h"
#include "op_sets.h"
#if STRIA_SIZE >= 4 && VEC_LANES_u8 > 1
#define FEW_KERNEL(name) STRIA_CAT3(few_##name, _, STRIA_T)
#else
#define FEW_KERNEL(name) NULL
#endif
#if defined(__wasm__)
#define COMPLEX_EXP NULL
#else
#define COMPLEX_EXP STRIA_CAT(complex_exp_, STRIA_T)
#endif
const stria_lane_kernels STRIA_LANE_TABLE(STRIA_T, STRIA_ISA) = {
#define STRIA_OP(set, name, arity, result, lanes, summary) .loop[STRIA_OP_##name] = STRIA_CAT3(loop_##name, _, STRIA_T),
#define STRIA_RED(set, name, result, identity, combine, finish, summary) \
    .row[STRIA_RED_##name] = STRIA_CAT3(row_##name, _, STRIA_T),         \
    .columns[STRIA_RED_##name] = STRIA_CAT3(columns_##name, _, STRIA_T), .few[STRIA_RED_##name] = FEW_KERNEL(name),
#include "table/ops.def"
#undef FEW_KERNEL
#if !STRIA_IS_BOOL
#define ARG_KERNELS(word)                                                                   \
    {                                                                                       \
        STRIA_CAT(arg_extreme_##word##_, STRIA_T), STRIA_CAT(arg_takes_##word##_, STRIA_T), \
            STRIA_CAT(arg_find_, STRIA_T), STRIA_CAT(arg_column_##word##_, STRIA_T)         \
    }
    .arg[0] = ARG_KERNELS(max),
    .arg[1] = ARG_KERNELS(min),
#undef ARG_KERNELS
#endif
#if STRIA_IS_FLOAT
    .row_map = {STRIA_CAT(row_softmax_, STRIA_T), STRIA_CAT(row_log_softmax_, STRIA_T),
                STRIA_CAT(row_normalise_, STRIA_T), STRIA_CAT(row_softmax_backward_, STRIA_T),
                STRIA_CAT(row_log_softmax_backward_, STRIA_T), STRIA_CAT(row_normalise_backward_, STRIA_T)},
    .pairs = STRIA_CAT(reduce_pairs_, STRIA_T),
    .complex = {STRIA_CAT(complex_mul_, STRIA_T), STRIA_CAT(complex_div_, STRIA_T), STRIA_CAT(complex_abs_, STRIA_T),
                COMPLEX_EXP},
    .update = {STRIA_CAT(update_sgd_, STRIA_T), STRIA_CAT(update_adam_, STRIA_T), STRIA_CAT(update_rmsprop_, STRIA_T),
               STRIA_CAT(update_adagrad_, STRIA_T), STRIA_CAT(update_scale_, STRIA_T),
               STRIA_CAT(update_clip_, STRIA_T)},
    .moment = {STRIA_CAT(moment_row_, STRIA_T), STRIA_CAT(moment_column_, STRIA_T)},
#endif
#if STRIA_IS_RANDOM_WORD
    .random = {.words = STRIA_CAT(random_words_, STRIA_T)},
#elif STRIA_IS_FLOAT
    .random = {NULL, STRIA_CAT(random_uniform_, STRIA_T), STRIA_CAT(random_normal_, STRIA_T),
               STRIA_CAT(random_exponential_, STRIA_T)},
#endif
#if STRIA_IS_FLOAT && defined(STRIA_CHAINS)
    .chain = &STRIA_CAT(chain_kernels_, STRIA_T),
#endif
#if STRIA_IS_SUM
#define SCAN_KERNELS(word)                                                                       \
    {                                                                                            \
        STRIA_CAT(scan_row_##word##_, STRIA_T), STRIA_CAT(scan_total_##word##_, STRIA_T),        \
            STRIA_CAT(scan_column_##word##_, STRIA_T), STRIA_CAT(scan_start_##word##_, STRIA_T), \
            STRIA_CAT(scan_join_##word##_, STRIA_T)                                              \
    }
    .scan[0] = SCAN_KERNELS(sum),
    .scan[1] = SCAN_KERNELS(prod),
#undef SCAN_KERNELS
#endif
};
#undef COMPLEX_EXP
