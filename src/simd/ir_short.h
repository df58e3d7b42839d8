/* ir_short.h - which rows a page gets tapes of (STRIA_IR_SHORT): it downloads them, and short modules are made of them. Those of words
 * that no module has, and those with long tapes, are left out; so are the long ones of f64. */
#ifndef STRIA_IR_SHORT_H
#define STRIA_IR_SHORT_H

/* words one by one are functions, and not copied into every row */
#define VEC_INLINE static __attribute__((noinline, unused))
#define STRIA_ONE_LANE
#define STRIA_LANE_b8
#define STRIA_LANE_i32
#define STRIA_LANE_f32
#define STRIA_LANE_f64

/* left out of every lane type */
#define STRIA_IR_OUT_pow ~, 1
#define STRIA_IR_OUT_cbrt ~, 1
#define STRIA_IR_OUT_sin ~, 1
#define STRIA_IR_OUT_cos ~, 1
#define STRIA_IR_OUT_tan ~, 1
#define STRIA_IR_OUT_asin ~, 1
#define STRIA_IR_OUT_acos ~, 1
#define STRIA_IR_OUT_atan ~, 1
#define STRIA_IR_OUT_atan2 ~, 1
#define STRIA_IR_OUT_sinh ~, 1
#define STRIA_IR_OUT_cosh ~, 1
#define STRIA_IR_OUT_asinh ~, 1
#define STRIA_IR_OUT_acosh ~, 1
#define STRIA_IR_OUT_atanh ~, 1
#define STRIA_IR_OUT_erfc ~, 1
#define STRIA_IR_OUT_ldexp ~, 1
#define STRIA_IR_OUT_exp10 ~, 1
#define STRIA_IR_OUT_log10 ~, 1
#define STRIA_IR_OUT_xlogy ~, 1
#define STRIA_IR_OUT_logaddexp ~, 1
#define STRIA_IR_OUT_logaddexp2 ~, 1
#define STRIA_IR_OUT_sinc ~, 1
#define STRIA_IR_OUT_ndtr ~, 1
#define STRIA_IR_OUT_erfinv ~, 1
#define STRIA_IR_OUT_i0 ~, 1
#define STRIA_IR_OUT_lgamma ~, 1
#define STRIA_IR_OUT_digamma ~, 1
#define STRIA_IR_OUT_logit ~, 1
#define STRIA_IR_OUT_tanhshrink ~, 1
#define STRIA_IR_OUT_nextafter ~, 1
#define STRIA_IR_OUT_trunc_divide ~, 1
#define STRIA_IR_OUT_floor_divide ~, 1
#define STRIA_IR_OUT_fmod ~, 1
#define STRIA_IR_OUT_remainder ~, 1
#define STRIA_IR_OUT_bitwise_left_shift ~, 1
#define STRIA_IR_OUT_bitwise_right_shift ~, 1
#define STRIA_IR_OUT_gcd ~, 1
#define STRIA_IR_OUT_lcm ~, 1
#define STRIA_IR_OUT_bitwise_count ~, 1
#define STRIA_IR_OUT_count_leading_zeros ~, 1
#define STRIA_IR_OUT_round_to ~, 1
#define STRIA_IR_OUT_deg2rad ~, 1
#define STRIA_IR_OUT_rad2deg ~, 1
#define STRIA_IR_OUT_frac ~, 1
#define STRIA_IR_OUT_hypot ~, 1
#define STRIA_IR_OUT_softshrink ~, 1
#define STRIA_IR_OUT_hardshrink ~, 1
#define STRIA_IR_OUT_heaviside ~, 1
#define STRIA_IR_OUT_signbit ~, 1
#define STRIA_IR_OUT_logical_xor ~, 1
#define STRIA_IR_OUT_fmin ~, 1
#define STRIA_IR_OUT_fmax ~, 1
#define STRIA_IR_OUT_softsign ~, 1
#define STRIA_IR_OUT_copysign ~, 1
#define STRIA_IR_OUT_celu ~, 1
#define STRIA_IR_OUT_selu ~, 1
#define STRIA_IR_OUT_mish ~, 1
#define STRIA_IR_OUT_log2 ~, 1
#define STRIA_IR_OUT_exp2 ~, 1
#define STRIA_IR_OUT_logsigmoid ~, 1
#define STRIA_IR_OUT_bitwise_and ~, 1
#define STRIA_IR_OUT_bitwise_or ~, 1
#define STRIA_IR_OUT_bitwise_xor ~, 1
#define STRIA_IR_OUT_bitwise_not ~, 1
#define STRIA_IR_OUT_isinf ~, 1
#define STRIA_IR_OUT_log1p ~, 1
#define STRIA_IR_OUT_softplus ~, 1
#define STRIA_IR_OUT_elu ~, 1
#define STRIA_IR_OUT_expm1 ~, 1

/* of f32 alone */
#define STRIA_IR_F32_exp ~, 1
#define STRIA_IR_F32_log ~, 1
#define STRIA_IR_F32_tanh ~, 1
#define STRIA_IR_F32_sigmoid ~, 1
#define STRIA_IR_F32_gelu ~, 1
#define STRIA_IR_F32_gelu_tanh ~, 1
#define STRIA_IR_F32_erf ~, 1
#define STRIA_IR_F32_silu ~, 1
#define STRIA_IR_F32_rsqrt ~, 1
#define STRIA_IR_F32_hardsigmoid ~, 1
#define STRIA_IR_F32_hardswish ~, 1

#define STRIA_IR_SECOND(a, b, ...) b
#define STRIA_IR_PICK(...) STRIA_IR_SECOND(__VA_ARGS__)
#define STRIA_IR_HAS(name)                        \
    (!STRIA_IR_PICK(STRIA_IR_OUT_##name, 0, ~) && \
     (!STRIA_IR_PICK(STRIA_IR_F32_##name, 0, ~) || (STRIA_IS_FLOAT && STRIA_SIZE == 4)))

#endif
