/* vec_words.h - the words of vec.h without their lane type: v_add means vec_add_<STRIA_T>, for the rows of ops.def and the
 * loops around them. A word that a lane type lacks is an error only where it is used.
 *
 * This is the one list of these names. It is included once: each name looks STRIA_T up where it is used, so a template is
 * included again with another STRIA_T and nothing else changes.
 *
 *   v_vec v_mask v_ctype V_LANES   lanes, truth values, C type and number of lanes
 *   v_set(x)                       any number, converted to the lane type
 */
#ifndef STRIA_VEC_WORDS_H
#define STRIA_VEC_WORDS_H

#include "paste.h"

#define v_vec STRIA_CAT(vec_, STRIA_T)
#define v_mask STRIA_CAT(vec_mask_, STRIA_T)
#define v_ctype STRIA_CAT(VEC_CTYPE_, STRIA_T)
#define V_LANES STRIA_CAT(VEC_LANES_, STRIA_T)
#define v_set(x) STRIA_CAT(vec_set_, STRIA_T)((v_ctype)(x))

/* lanes of the unsigned type of the same width, which has the same masks */
#define v_uvec STRIA_CAT(vec_, STRIA_CAT(VEC_UNSIGNED_, STRIA_T))
#define v_uctype STRIA_CAT(VEC_CTYPE_, STRIA_CAT(VEC_UNSIGNED_, STRIA_T))
#define v_uset STRIA_CAT(vec_set_, STRIA_CAT(VEC_UNSIGNED_, STRIA_T))
#define v_uadd STRIA_CAT(vec_add_, STRIA_CAT(VEC_UNSIGNED_, STRIA_T))
#define v_uselect STRIA_CAT(vec_select_, STRIA_CAT(VEC_UNSIGNED_, STRIA_T))
#define v_uand STRIA_CAT(vec_and_, STRIA_CAT(VEC_UNSIGNED_, STRIA_T))
#define v_uxor STRIA_CAT(vec_xor_, STRIA_CAT(VEC_UNSIGNED_, STRIA_T))
#define v_uload STRIA_CAT(vec_load_, STRIA_CAT(VEC_UNSIGNED_, STRIA_T))
#define v_ustore STRIA_CAT(vec_store_, STRIA_CAT(VEC_UNSIGNED_, STRIA_T))

/* memory */
#define v_load STRIA_CAT(vec_load_, STRIA_T)
#define v_load_part STRIA_CAT(vec_load_part_, STRIA_T)
#define v_store STRIA_CAT(vec_store_, STRIA_T)
#define v_load_mask STRIA_CAT(vec_load_mask_, STRIA_T)
#define v_store_mask STRIA_CAT(vec_store_mask_, STRIA_T)

/* every lane type */
#define v_eq STRIA_CAT(vec_eq_, STRIA_T)
#define v_ne STRIA_CAT(vec_ne_, STRIA_T)
#define v_lt STRIA_CAT(vec_lt_, STRIA_T)
#define v_le STRIA_CAT(vec_le_, STRIA_T)
#define v_isinf STRIA_CAT(vec_isinf_, STRIA_T)
#define v_isfinite STRIA_CAT(vec_isfinite_, STRIA_T)
#define v_mask_and STRIA_CAT(vec_mask_and_, STRIA_T)
#define v_mask_or STRIA_CAT(vec_mask_or_, STRIA_T)
#define v_mask_xor STRIA_CAT(vec_mask_xor_, STRIA_T)
#define v_mask_not STRIA_CAT(vec_mask_not_, STRIA_T)
#define v_mask_any STRIA_CAT(vec_mask_any_, STRIA_T)
#define v_select STRIA_CAT(vec_select_, STRIA_T)
#define v_add STRIA_CAT(vec_add_, STRIA_T)
#define v_mul STRIA_CAT(vec_mul_, STRIA_T)
#define v_min STRIA_CAT(vec_min_, STRIA_T)
#define v_max STRIA_CAT(vec_max_, STRIA_T)
#define v_larger STRIA_CAT(vec_larger_, STRIA_T)
#define v_smaller STRIA_CAT(vec_smaller_, STRIA_T)
#define v_sign STRIA_CAT(vec_sign_, STRIA_T)

/* numbers */
#define v_sub STRIA_CAT(vec_sub_, STRIA_T)
#define v_neg STRIA_CAT(vec_neg_, STRIA_T)
#define v_abs STRIA_CAT(vec_abs_, STRIA_T)
#define v_floor STRIA_CAT(vec_floor_, STRIA_T)
#define v_ceil STRIA_CAT(vec_ceil_, STRIA_T)
#define v_trunc STRIA_CAT(vec_trunc_, STRIA_T)
#define v_rint STRIA_CAT(vec_rint_, STRIA_T)
#define v_pow STRIA_CAT(vec_pow_, STRIA_T)

/* numbers, vec_divide.h */
#define v_trunc_divide STRIA_CAT(vec_trunc_divide_, STRIA_T)
#define v_floor_divide STRIA_CAT(vec_floor_divide_, STRIA_T)
#define v_fmod STRIA_CAT(vec_fmod_, STRIA_T)
#define v_remainder STRIA_CAT(vec_remainder_, STRIA_T)

/* vec_numbers.h: every lane type; integers; floats */
#define v_signbit STRIA_CAT(vec_signbit_, STRIA_T)
#define v_gcd STRIA_CAT(vec_gcd_, STRIA_T)
#define v_lcm STRIA_CAT(vec_lcm_, STRIA_T)
#define v_bit_count STRIA_CAT(vec_bit_count_, STRIA_T)
#define v_leading_zeros STRIA_CAT(vec_leading_zeros_, STRIA_T)
#define v_nextafter STRIA_CAT(vec_nextafter_, STRIA_T)

/* integers and bool */
#define v_and STRIA_CAT(vec_and_, STRIA_T)
#define v_or STRIA_CAT(vec_or_, STRIA_T)
#define v_xor STRIA_CAT(vec_xor_, STRIA_T)
#define v_not STRIA_CAT(vec_not_, STRIA_T)

/* integers */
#define v_shl STRIA_CAT(vec_shl_, STRIA_T)
#define v_mul_high STRIA_CAT(vec_mul_high_, STRIA_T)
#define v_shr STRIA_CAT(vec_shr_, STRIA_T)
#define v_shift_left STRIA_CAT(vec_shift_left_, STRIA_T)
#define v_shift_right STRIA_CAT(vec_shift_right_, STRIA_T)

/* floats */
#define v_div STRIA_CAT(vec_div_, STRIA_T)
#define v_sqrt STRIA_CAT(vec_sqrt_, STRIA_T)
#define v_unordered STRIA_CAT(vec_unordered_, STRIA_T)
#define v_copysign STRIA_CAT(vec_copysign_, STRIA_T)

/* floats, vec_math.h */
#define v_exp STRIA_CAT(vec_exp_, STRIA_T)
#define v_expm1 STRIA_CAT(vec_expm1_, STRIA_T)
#define v_log STRIA_CAT(vec_log_, STRIA_T)
#define v_log1p STRIA_CAT(vec_log1p_, STRIA_T)
#define v_log2 STRIA_CAT(vec_log2_, STRIA_T)
#define v_sin STRIA_CAT(vec_sin_, STRIA_T)
#define v_cos STRIA_CAT(vec_cos_, STRIA_T)
#define v_atan2 STRIA_CAT(vec_atan2_, STRIA_T)
#define v_tanh STRIA_CAT(vec_tanh_, STRIA_T)
#define v_sigmoid STRIA_CAT(vec_sigmoid_, STRIA_T)
#define v_gelu STRIA_CAT(vec_gelu_, STRIA_T)
#define v_gelu_tanh STRIA_CAT(vec_gelu_tanh_, STRIA_T)
#define v_erf STRIA_CAT(vec_erf_, STRIA_T)
#define v_exp2 STRIA_CAT(vec_exp2_, STRIA_T)
#define v_log10 STRIA_CAT(vec_log10_, STRIA_T)
#define v_cbrt STRIA_CAT(vec_cbrt_, STRIA_T)
#define v_tan STRIA_CAT(vec_tan_, STRIA_T)
#define v_asin STRIA_CAT(vec_asin_, STRIA_T)
#define v_acos STRIA_CAT(vec_acos_, STRIA_T)
#define v_atan STRIA_CAT(vec_atan_, STRIA_T)
#define v_sinh STRIA_CAT(vec_sinh_, STRIA_T)
#define v_cosh STRIA_CAT(vec_cosh_, STRIA_T)
#define v_asinh STRIA_CAT(vec_asinh_, STRIA_T)
#define v_acosh STRIA_CAT(vec_acosh_, STRIA_T)
#define v_atanh STRIA_CAT(vec_atanh_, STRIA_T)
#define v_erfc STRIA_CAT(vec_erfc_, STRIA_T)
#define v_exp10 STRIA_CAT(vec_exp10_, STRIA_T)
#define v_ldexp STRIA_CAT(vec_ldexp_, STRIA_T)
#define v_hypot STRIA_CAT(vec_hypot_, STRIA_T)
#define v_sinc STRIA_CAT(vec_sinc_, STRIA_T)
#define v_xlogy STRIA_CAT(vec_xlogy_, STRIA_T)
#define v_logaddexp STRIA_CAT(vec_logaddexp_, STRIA_T)
#define v_logaddexp2 STRIA_CAT(vec_logaddexp2_, STRIA_T)
#define v_logit STRIA_CAT(vec_logit_, STRIA_T)
#define v_ndtr STRIA_CAT(vec_ndtr_, STRIA_T)
#define v_erfinv STRIA_CAT(vec_erfinv_, STRIA_T)
#define v_i0 STRIA_CAT(vec_i0_, STRIA_T)
#define v_lgamma STRIA_CAT(vec_lgamma_, STRIA_T)
#define v_digamma STRIA_CAT(vec_digamma_, STRIA_T)
#define v_rsqrt STRIA_CAT(vec_rsqrt_, STRIA_T)
#define v_softsign STRIA_CAT(vec_softsign_, STRIA_T)
#define v_hardsigmoid STRIA_CAT(vec_hardsigmoid_, STRIA_T)
#define v_hardswish STRIA_CAT(vec_hardswish_, STRIA_T)
#define v_silu STRIA_CAT(vec_silu_, STRIA_T)
#define v_mish STRIA_CAT(vec_mish_, STRIA_T)
#define v_selu STRIA_CAT(vec_selu_, STRIA_T)
#define v_tanhshrink STRIA_CAT(vec_tanhshrink_, STRIA_T)
#define v_elu STRIA_CAT(vec_elu_, STRIA_T)
#define v_celu STRIA_CAT(vec_celu_, STRIA_T)
#define v_softplus STRIA_CAT(vec_softplus_, STRIA_T)
#define v_logsigmoid STRIA_CAT(vec_logsigmoid_, STRIA_T)

#endif
