// Written by scripts/gen_ops.mjs from the op table; change that instead.

import type { DeviceName, DType } from './tables.gen.js';
import type {
  AlphaOptions,
  CountOf,
  IndexOf,
  DecimalsOptions,
  Dims,
  DTypeOf,
  FloatOf,
  LossOf,
  Operand,
  OutOptions,
  PairOf,
  PartOf,
  Promote,
  Promote3,
  PromoteAll,
  PromoteOptional,
  ReduceOptions,
  Scalar,
  TruthOf,
  WideOf,
} from './types.js';
import { TensorBase } from './base.js';
import type { Generator } from './generator.js';
import { run, runInPlace, spread } from './functions.js';
import { refuseMore } from './options.js';
import type { Tensor } from './tensor.js';
import {
  binary,
  binaryInPlace,
  reduce,
  rounded,
  roundedInPlace,
  scaled,
  scaledInPlace,
  ternary,
  ternaryInPlace,
  unary,
  unaryInPlace,
} from './run.js';

/** a + b; integers wrap, bool is or */
export function add<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: AlphaOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('add', 3, arguments);
  return scaled(0, 72, a, b, options) as Tensor<NoInfer<O>>;
}

/** a - b; integers wrap */
export function sub<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: AlphaOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('sub', 3, arguments);
  return scaled(1, 73, a, b, options) as Tensor<NoInfer<O>>;
}

/** a * b; integers wrap, bool is and */
export function mul<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('mul', 3, arguments);
  return binary(2, a, b, options) as Tensor<NoInfer<O>>;
}

/** -a; the smallest integer stays itself */
export function neg<A extends Operand, O extends DType = DTypeOf<A>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('neg', 2, arguments);
  return unary(4, a, options) as Tensor<NoInfer<O>>;
}

/** absolute value; the smallest integer stays itself */
export function abs<A extends Operand, O extends DType = PartOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('abs', 2, arguments);
  return unary(5, a, options) as Tensor<NoInfer<O>>;
}

/** -1, 0 or 1; NaN stays NaN, zeros keep their sign */
export function sign<A extends Operand, O extends DType = DTypeOf<A>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('sign', 2, arguments);
  return unary(6, a, options) as Tensor<NoInfer<O>>;
}

/** a * a */
export function square<A extends Operand, O extends DType = DTypeOf<A>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('square', 2, arguments);
  return unary(7, a, options) as Tensor<NoInfer<O>>;
}

/** square root, correctly rounded; NaN below zero */
export function sqrt<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('sqrt', 2, arguments);
  return unary(8, a, options) as Tensor<NoInfer<O>>;
}

/** 1 / sqrt(a) */
export function rsqrt<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('rsqrt', 2, arguments);
  return unary(9, a, options) as Tensor<NoInfer<O>>;
}

/** cube root */
export function cbrt<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('cbrt', 2, arguments);
  return unary(10, a, options) as Tensor<NoInfer<O>>;
}

/** 1 / a */
export function reciprocal<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('reciprocal', 2, arguments);
  return unary(11, a, options) as Tensor<NoInfer<O>>;
}

/** a to the power b; integers wrap */
export function pow<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('pow', 3, arguments);
  return binary(12, a, b, options) as Tensor<NoInfer<O>>;
}

/** a + c * (b - a), exact at c = 0 and c = 1 */
export function lerp<
  A extends Operand,
  B extends Operand,
  C extends Operand,
  O extends DType = FloatOf<Promote3<A, B, C>>,
>(a: A, b: B, c: C, options?: OutOptions<O>): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('lerp', 4, arguments);
  return ternary(13, a, b, c, options) as Tensor<NoInfer<O>>;
}

/** e to the power a */
export function exp<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('exp', 2, arguments);
  return unary(14, a, options) as Tensor<NoInfer<O>>;
}

/** 2 to the power a */
export function exp2<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('exp2', 2, arguments);
  return unary(15, a, options) as Tensor<NoInfer<O>>;
}

/** exp(a) - 1, accurate near zero */
export function expm1<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('expm1', 2, arguments);
  return unary(16, a, options) as Tensor<NoInfer<O>>;
}

/** natural logarithm */
export function log<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('log', 2, arguments);
  return unary(17, a, options) as Tensor<NoInfer<O>>;
}

/** log(1 + a), accurate near zero */
export function log1p<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('log1p', 2, arguments);
  return unary(18, a, options) as Tensor<NoInfer<O>>;
}

/** logarithm to base 2 */
export function log2<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('log2', 2, arguments);
  return unary(19, a, options) as Tensor<NoInfer<O>>;
}

/** logarithm to base 10 */
export function log10<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('log10', 2, arguments);
  return unary(20, a, options) as Tensor<NoInfer<O>>;
}

/** sine of a, in radians */
export function sin<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('sin', 2, arguments);
  return unary(21, a, options) as Tensor<NoInfer<O>>;
}

/** cosine of a, in radians */
export function cos<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('cos', 2, arguments);
  return unary(22, a, options) as Tensor<NoInfer<O>>;
}

/** tangent of a, in radians */
export function tan<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('tan', 2, arguments);
  return unary(23, a, options) as Tensor<NoInfer<O>>;
}

/** angle whose sine is a, in radians; NaN beyond [-1, 1] */
export function asin<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('asin', 2, arguments);
  return unary(24, a, options) as Tensor<NoInfer<O>>;
}

/** angle whose cosine is a, in radians; NaN beyond [-1, 1] */
export function acos<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('acos', 2, arguments);
  return unary(25, a, options) as Tensor<NoInfer<O>>;
}

/** angle whose tangent is a, in radians */
export function atan<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('atan', 2, arguments);
  return unary(26, a, options) as Tensor<NoInfer<O>>;
}

/** angle of the point (b, a), in radians, in [-pi, pi] */
export function atan2<A extends Operand, B extends Operand, O extends DType = FloatOf<Promote<A, B>>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('atan2', 3, arguments);
  return binary(27, a, b, options) as Tensor<NoInfer<O>>;
}

/** hyperbolic tangent */
export function tanh<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('tanh', 2, arguments);
  return unary(28, a, options) as Tensor<NoInfer<O>>;
}

/** hyperbolic sine */
export function sinh<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('sinh', 2, arguments);
  return unary(29, a, options) as Tensor<NoInfer<O>>;
}

/** hyperbolic cosine */
export function cosh<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('cosh', 2, arguments);
  return unary(30, a, options) as Tensor<NoInfer<O>>;
}

/** inverse hyperbolic sine */
export function asinh<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('asinh', 2, arguments);
  return unary(31, a, options) as Tensor<NoInfer<O>>;
}

/** inverse hyperbolic cosine; NaN below 1 */
export function acosh<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('acosh', 2, arguments);
  return unary(32, a, options) as Tensor<NoInfer<O>>;
}

/** inverse hyperbolic tangent; NaN beyond [-1, 1] */
export function atanh<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('atanh', 2, arguments);
  return unary(33, a, options) as Tensor<NoInfer<O>>;
}

/** 1 / (1 + exp(-a)) */
export function sigmoid<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('sigmoid', 2, arguments);
  return unary(34, a, options) as Tensor<NoInfer<O>>;
}

/** max(a, 0); NaN stays NaN */
export function relu<A extends Operand, O extends DType = DTypeOf<A>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('relu', 2, arguments);
  return unary(35, a, options) as Tensor<NoInfer<O>>;
}

/** error function */
export function erf<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('erf', 2, arguments);
  return unary(38, a, options) as Tensor<NoInfer<O>>;
}

/** 1 - erf(a), accurate where erf(a) is near 1 */
export function erfc<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('erfc', 2, arguments);
  return unary(39, a, options) as Tensor<NoInfer<O>>;
}

/** largest integer not above a */
export function floor<A extends Operand, O extends DType = DTypeOf<A>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('floor', 2, arguments);
  return unary(40, a, options) as Tensor<NoInfer<O>>;
}

/** smallest integer not below a */
export function ceil<A extends Operand, O extends DType = DTypeOf<A>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('ceil', 2, arguments);
  return unary(41, a, options) as Tensor<NoInfer<O>>;
}

/** nearest integer, halves to even */
export function round<A extends Operand, O extends DType = DTypeOf<A>>(
  a: A,
  options?: DecimalsOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('round', 2, arguments);
  return rounded(42, 74, a, options) as Tensor<NoInfer<O>>;
}

/** integer part, toward zero */
export function trunc<A extends Operand, O extends DType = DTypeOf<A>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('trunc', 2, arguments);
  return unary(43, a, options) as Tensor<NoInfer<O>>;
}

/** smaller of a and b; NaN if either is NaN; -0 below 0 */
export function minimum<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('minimum', 3, arguments);
  return binary(44, a, b, options) as Tensor<NoInfer<O>>;
}

/** larger of a and b; NaN if either is NaN; 0 above -0 */
export function maximum<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('maximum', 3, arguments);
  return binary(45, a, b, options) as Tensor<NoInfer<O>>;
}

/** a == b */
export function eq<A extends Operand, B extends Operand, O extends DType = 'bool'>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('eq', 3, arguments);
  return binary(48, a, b, options) as Tensor<NoInfer<O>>;
}

/** a != b; true with NaN */
export function ne<A extends Operand, B extends Operand, O extends DType = 'bool'>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('ne', 3, arguments);
  return binary(49, a, b, options) as Tensor<NoInfer<O>>;
}

/** a < b */
export function lt<A extends Operand, B extends Operand, O extends DType = 'bool'>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('lt', 3, arguments);
  return binary(50, a, b, options) as Tensor<NoInfer<O>>;
}

/** a <= b */
export function le<A extends Operand, B extends Operand, O extends DType = 'bool'>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('le', 3, arguments);
  return binary(51, a, b, options) as Tensor<NoInfer<O>>;
}

/** a > b */
export function gt<A extends Operand, B extends Operand, O extends DType = 'bool'>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('gt', 3, arguments);
  return binary(52, a, b, options) as Tensor<NoInfer<O>>;
}

/** a >= b */
export function ge<A extends Operand, B extends Operand, O extends DType = 'bool'>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('ge', 3, arguments);
  return binary(53, a, b, options) as Tensor<NoInfer<O>>;
}

/** true where a is NaN */
export function isnan<A extends Operand, O extends DType = 'bool'>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('isnan', 2, arguments);
  return unary(54, a, options) as Tensor<NoInfer<O>>;
}

/** true where a is an infinity */
export function isinf<A extends Operand, O extends DType = 'bool'>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('isinf', 2, arguments);
  return unary(55, a, options) as Tensor<NoInfer<O>>;
}

/** true where a is neither an infinity nor NaN */
export function isfinite<A extends Operand, O extends DType = 'bool'>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('isfinite', 2, arguments);
  return unary(56, a, options) as Tensor<NoInfer<O>>;
}

/** a and b as truth values; NaN is true */
export function logicalAnd<A extends Operand, B extends Operand, O extends DType = 'bool'>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('logicalAnd', 3, arguments);
  return binary(57, a, b, options) as Tensor<NoInfer<O>>;
}

/** a or b as truth values; NaN is true */
export function logicalOr<A extends Operand, B extends Operand, O extends DType = 'bool'>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('logicalOr', 3, arguments);
  return binary(58, a, b, options) as Tensor<NoInfer<O>>;
}

/** true where a is zero */
export function logicalNot<A extends Operand, O extends DType = 'bool'>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('logicalNot', 2, arguments);
  return unary(59, a, options) as Tensor<NoInfer<O>>;
}

/** a & b */
export function bitwiseAnd<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('bitwiseAnd', 3, arguments);
  return binary(60, a, b, options) as Tensor<NoInfer<O>>;
}

/** a | b */
export function bitwiseOr<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('bitwiseOr', 3, arguments);
  return binary(61, a, b, options) as Tensor<NoInfer<O>>;
}

/** a ^ b */
export function bitwiseXor<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('bitwiseXor', 3, arguments);
  return binary(62, a, b, options) as Tensor<NoInfer<O>>;
}

/** every bit of a inverted; bool: not */
export function bitwiseNot<A extends Operand, O extends DType = DTypeOf<A>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('bitwiseNot', 2, arguments);
  return unary(63, a, options) as Tensor<NoInfer<O>>;
}

/** a / b rounded toward zero; integers divided by 0 give 0 */
export function truncDivide<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('truncDivide', 3, arguments);
  return binary(64, a, b, options) as Tensor<NoInfer<O>>;
}

/** a / b rounded down; integers divided by 0 give 0 */
export function floorDivide<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('floorDivide', 3, arguments);
  return binary(65, a, b, options) as Tensor<NoInfer<O>>;
}

/** what a / b rounded toward zero leaves, exact, with the sign of a; x/0: NaN, of integers 0 */
export function fmod<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('fmod', 3, arguments);
  return binary(66, a, b, options) as Tensor<NoInfer<O>>;
}

/** what a / b rounded down leaves, with the sign of b; x/0: NaN, of integers 0 */
export function remainder<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('remainder', 3, arguments);
  return binary(67, a, b, options) as Tensor<NoInfer<O>>;
}

/** a << b; 0 where b is negative or at least the number of bits */
export function bitwiseLeftShift<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('bitwiseLeftShift', 3, arguments);
  return binary(68, a, b, options) as Tensor<NoInfer<O>>;
}

/** a >> b, filled with the sign; nothing but that where b is negative or at least the number of bits */
export function bitwiseRightShift<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('bitwiseRightShift', 3, arguments);
  return binary(69, a, b, options) as Tensor<NoInfer<O>>;
}

/** smaller of a and b; the other one if one is NaN; -0 below 0 */
export function fmin<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('fmin', 3, arguments);
  return binary(70, a, b, options) as Tensor<NoInfer<O>>;
}

/** larger of a and b; the other one if one is NaN; 0 above -0 */
export function fmax<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('fmax', 3, arguments);
  return binary(71, a, b, options) as Tensor<NoInfer<O>>;
}

/** whether one of a and b is true, but not both; NaN is true */
export function logicalXor<A extends Operand, B extends Operand, O extends DType = 'bool'>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('logicalXor', 3, arguments);
  return binary(75, a, b, options) as Tensor<NoInfer<O>>;
}

/** whether the sign bit is set; that of -0 and of some NaN is */
export function signbit<A extends Operand, O extends DType = 'bool'>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('signbit', 2, arguments);
  return unary(76, a, options) as Tensor<NoInfer<O>>;
}

/** the magnitude of a with the sign of b */
export function copysign<A extends Operand, B extends Operand, O extends DType = FloatOf<Promote<A, B>>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('copysign', 3, arguments);
  return binary(77, a, b, options) as Tensor<NoInfer<O>>;
}

/** the number next to a towards b */
export function nextafter<A extends Operand, B extends Operand, O extends DType = FloatOf<Promote<A, B>>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('nextafter', 3, arguments);
  return binary(78, a, b, options) as Tensor<NoInfer<O>>;
}

/** 1 where a is above 0, b where it is 0, else 0, of NaN too */
export function heaviside<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('heaviside', 3, arguments);
  return binary(79, a, b, options) as Tensor<NoInfer<O>>;
}

/** greatest common divisor, not negative; of 0 and 0 it is 0 */
export function gcd<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('gcd', 3, arguments);
  return binary(80, a, b, options) as Tensor<NoInfer<O>>;
}

/** least common multiple, not negative; wraps */
export function lcm<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('lcm', 3, arguments);
  return binary(81, a, b, options) as Tensor<NoInfer<O>>;
}

/** a without its integer part; NaN of infinities */
export function frac<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('frac', 2, arguments);
  return unary(82, a, options) as Tensor<NoInfer<O>>;
}

/** degrees to radians */
export function deg2rad<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('deg2rad', 2, arguments);
  return unary(83, a, options) as Tensor<NoInfer<O>>;
}

/** radians to degrees */
export function rad2deg<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('rad2deg', 2, arguments);
  return unary(84, a, options) as Tensor<NoInfer<O>>;
}

/** a limited to [0, 6] */
export function relu6<A extends Operand, O extends DType = DTypeOf<A>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('relu6', 2, arguments);
  return unary(85, a, options) as Tensor<NoInfer<O>>;
}

/** a / (1 + abs(a)); NaN of infinities */
export function softsign<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('softsign', 2, arguments);
  return unary(86, a, options) as Tensor<NoInfer<O>>;
}

/** a + 3 limited to [0, 6], divided by 6 */
export function hardsigmoid<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('hardsigmoid', 2, arguments);
  return unary(87, a, options) as Tensor<NoInfer<O>>;
}

/** a * hardsigmoid(a) */
export function hardswish<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('hardswish', 2, arguments);
  return unary(88, a, options) as Tensor<NoInfer<O>>;
}

/** 10 to the power a */
export function exp10<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('exp10', 2, arguments);
  return unary(89, a, options) as Tensor<NoInfer<O>>;
}

/** a * 2^b, rounded once where b is integral */
export function ldexp<A extends Operand, B extends Operand, O extends DType = FloatOf<Promote<A, B>>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('ldexp', 3, arguments);
  return binary(90, a, b, options) as Tensor<NoInfer<O>>;
}

/** a * log(b); 0 where a is 0 and b not NaN */
export function xlogy<A extends Operand, B extends Operand, O extends DType = FloatOf<Promote<A, B>>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('xlogy', 3, arguments);
  return binary(91, a, b, options) as Tensor<NoInfer<O>>;
}

/** log(exp(a) + exp(b)) */
export function logaddexp<A extends Operand, B extends Operand, O extends DType = FloatOf<Promote<A, B>>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('logaddexp', 3, arguments);
  return binary(92, a, b, options) as Tensor<NoInfer<O>>;
}

/** log2(2^a + 2^b) */
export function logaddexp2<A extends Operand, B extends Operand, O extends DType = FloatOf<Promote<A, B>>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('logaddexp2', 3, arguments);
  return binary(93, a, b, options) as Tensor<NoInfer<O>>;
}

/** sqrt(a^2 + b^2), without overflow on the way; infinite if a or b is */
export function hypot<A extends Operand, B extends Operand, O extends DType = FloatOf<Promote<A, B>>>(
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('hypot', 3, arguments);
  return binary(94, a, b, options) as Tensor<NoInfer<O>>;
}

/** sin(pi a) / (pi a), 1 at 0 */
export function sinc<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('sinc', 2, arguments);
  return unary(95, a, options) as Tensor<NoInfer<O>>;
}

/** area below a under the standard normal distribution */
export function ndtr<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('ndtr', 2, arguments);
  return unary(96, a, options) as Tensor<NoInfer<O>>;
}

/** number whose erf is a; NaN beyond [-1, 1] */
export function erfinv<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('erfinv', 2, arguments);
  return unary(97, a, options) as Tensor<NoInfer<O>>;
}

/** modified Bessel function of the first kind, of order 0 */
export function i0<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('i0', 2, arguments);
  return unary(98, a, options) as Tensor<NoInfer<O>>;
}

/** logarithm of the magnitude of the gamma function */
export function lgamma<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('lgamma', 2, arguments);
  return unary(99, a, options) as Tensor<NoInfer<O>>;
}

/** derivative of lgamma */
export function digamma<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('digamma', 2, arguments);
  return unary(100, a, options) as Tensor<NoInfer<O>>;
}

/** a * sigmoid(a) */
export function silu<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('silu', 2, arguments);
  return unary(101, a, options) as Tensor<NoInfer<O>>;
}

/** a * tanh(log(1 + exp(a))) */
export function mish<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('mish', 2, arguments);
  return unary(102, a, options) as Tensor<NoInfer<O>>;
}

/** scale * a above 0, scale * alpha * (exp(a) - 1) below; scale = 1.0507, alpha = 1.6733 */
export function selu<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('selu', 2, arguments);
  return unary(103, a, options) as Tensor<NoInfer<O>>;
}

/** log(sigmoid(a)) */
export function logsigmoid<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('logsigmoid', 2, arguments);
  return unary(104, a, options) as Tensor<NoInfer<O>>;
}

/** a - tanh(a), accurate near zero */
export function tanhshrink<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('tanhshrink', 2, arguments);
  return unary(114, a, options) as Tensor<NoInfer<O>>;
}

/** number of 1 bits of the magnitude of a */
export function bitwiseCount<A extends Operand, O extends DType = DTypeOf<A>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('bitwiseCount', 2, arguments);
  return unary(115, a, options) as Tensor<NoInfer<O>>;
}

/** number of 0 bits before the first 1 bit of a; of 0 all */
export function countLeadingZeros<A extends Operand, O extends DType = DTypeOf<A>>(
  a: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('countLeadingZeros', 2, arguments);
  return unary(116, a, options) as Tensor<NoInfer<O>>;
}

/** sum of the elements; pairwise; 0 if empty */
export function sum<D extends DType, O extends DType = WideOf<D>>(
  x: Tensor<D>,
  dim?: Dims | null | ReduceOptions<O>,
  options?: ReduceOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('sum', 3, arguments);
  return reduce(0, 'sum', x, dim, options) as Tensor<NoInfer<O>>;
}

/** product of the elements; 1 if empty */
export function prod<D extends DType, O extends DType = WideOf<D>>(
  x: Tensor<D>,
  dim?: Dims | null | ReduceOptions<O>,
  options?: ReduceOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('prod', 3, arguments);
  return reduce(1, 'prod', x, dim, options) as Tensor<NoInfer<O>>;
}

/** largest element; NaN if any is NaN */
export function amax<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dim?: Dims | null | ReduceOptions<O>,
  options?: ReduceOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('amax', 3, arguments);
  return reduce(2, 'amax', x, dim, options) as Tensor<NoInfer<O>>;
}

/** smallest element; NaN if any is NaN */
export function amin<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dim?: Dims | null | ReduceOptions<O>,
  options?: ReduceOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('amin', 3, arguments);
  return reduce(3, 'amin', x, dim, options) as Tensor<NoInfer<O>>;
}

/** true if an element is non-zero or NaN; false if empty */
export function any<D extends DType, O extends DType = TruthOf<D>>(
  x: Tensor<D>,
  dim?: Dims | null | ReduceOptions<O>,
  options?: ReduceOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('any', 3, arguments);
  return reduce(4, 'any', x, dim, options) as Tensor<NoInfer<O>>;
}

/** true if every element is non-zero or NaN; true if empty */
export function all<D extends DType, O extends DType = TruthOf<D>>(
  x: Tensor<D>,
  dim?: Dims | null | ReduceOptions<O>,
  options?: ReduceOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('all', 3, arguments);
  return reduce(5, 'all', x, dim, options) as Tensor<NoInfer<O>>;
}

/** arithmetic mean; NaN if empty */
export function mean<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dim?: Dims | null | ReduceOptions<O>,
  options?: ReduceOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('mean', 3, arguments);
  return reduce(6, 'mean', x, dim, options) as Tensor<NoInfer<O>>;
}

/** Of slice. */
export interface SliceOptions {
  /** Axis; negative ones count from the end. `axis` is the same. Default: 0. */
  dim?: number;
  axis?: number;
  /** A whole number. Default: not given. */
  start?: number | null;
  /** A whole number. Default: not given. */
  stop?: number | null;
  /** A whole number. Default: 1. */
  step?: number;
}

/** x[start:stop:step] along an axis, by Python's rules for negative and large bounds; step is not 0 */
export function slice<D extends DType>(
  x: Tensor<D>,
  dim?: number | null | SliceOptions,
  start?: number | null | SliceOptions,
  stop?: number | null | SliceOptions,
  step?: number | null | SliceOptions,
): Tensor<D> {
  if (arguments.length > 5) refuseMore('slice', 5, arguments);
  return run(0, [x, dim, start, stop, step]) as Tensor<D>;
}

/** Of select. */
export interface SelectOptions {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
  /** A whole number. Needed, where it is not an argument. */
  index?: number;
}

/** x[index] along an axis, which vanishes */
export function select<D extends DType>(x: Tensor<D>, dim: number, index: number | SelectOptions): Tensor<D>;
export function select<D extends DType>(x: Tensor<D>, options: SelectOptions): Tensor<D>;
export function select(x?: unknown, dim?: unknown, index?: unknown): unknown {
  if (arguments.length > 3) refuseMore('select', 3, arguments);
  return run(1, [x, dim, index]);
}

/** Of transpose. */
export interface TransposeOptions {
  /** Axis; negative ones count from the end. Needed, where it is not an argument. */
  dim0?: number;
  /** Axis; negative ones count from the end. Needed, where it is not an argument. */
  dim1?: number;
}

/** two axes exchanged */
export function transpose<D extends DType>(
  x: Tensor<D>,
  dim0: number,
  dim1: number | TransposeOptions,
): Tensor<D>;
export function transpose<D extends DType>(x: Tensor<D>, options: TransposeOptions): Tensor<D>;
export function transpose(x?: unknown, dim0?: unknown, dim1?: unknown): unknown {
  if (arguments.length > 3) refuseMore('transpose', 3, arguments);
  return run(2, [x, dim0, dim1]);
}

/** Of permute. */
export interface PermuteOptions {
  /** Axes, one or several; negative ones count from the end. Needed, where it is not an argument. */
  dims?: Dims;
}

/** axis k is axis dims[k] of x */
export function permute<D extends DType>(x: Tensor<D>, dims: Dims | PermuteOptions): Tensor<D>;
export function permute<D extends DType>(x: Tensor<D>, ...dims: number[]): Tensor<D>;
export function permute(x?: unknown, ...dims: unknown[]): unknown {
  return run(3, spread(3, [x], dims, 1));
}

/** Of flip. */
export interface FlipOptions {
  /** Axes, one or several; negative ones count from the end. Needed, where it is not an argument. */
  dims?: Dims;
}

/** order of the elements reversed along axes */
export function flip<D extends DType>(x: Tensor<D>, dims: Dims | FlipOptions): Tensor<D>;
export function flip<D extends DType>(x: Tensor<D>, ...dims: number[]): Tensor<D>;
export function flip(x?: unknown, ...dims: unknown[]): unknown {
  return run(4, spread(4, [x], dims, 1));
}

/** Of viewDtype. */
export interface ViewDtypeOptions<O extends DType = DType> {
  /** dtype to convert to first, and to return. */
  dtype?: O;
}

/** the same bytes as elements of another dtype; the last axis is longer or shorter where sizes of elements differ; not to bool */
export function viewDtype<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dtype?: O | null | ViewDtypeOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('viewDtype', 2, arguments);
  return run(6, [x, dtype]) as Tensor<NoInfer<O>>;
}

/** Of expand. */
export interface ExpandOptions {
  /** Sizes, one or several. Needed, where it is not an argument. */
  shape?: number | readonly number[];
}

/** broadcast to a shape, with stride 0; -1 keeps a size */
export function expand<D extends DType>(
  x: Tensor<D>,
  shape: number | readonly number[] | ExpandOptions,
): Tensor<D>;
export function expand<D extends DType>(x: Tensor<D>, ...shape: number[]): Tensor<D>;
export function expand(x?: unknown, ...shape: unknown[]): unknown {
  return run(7, spread(7, [x], shape, 1));
}

/** Of squeeze. */
export interface SqueezeOptions {
  /** Axes, one or several; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: Dims | null;
  axis?: Dims | null;
}

/** without the axes that have size 1 */
export function squeeze<D extends DType>(x: Tensor<D>, dim?: Dims | null | SqueezeOptions): Tensor<D>;
export function squeeze<D extends DType>(x: Tensor<D>, ...dim: number[]): Tensor<D>;
export function squeeze(x?: unknown, ...dim: unknown[]): unknown {
  return run(8, spread(8, [x], dim, 1));
}

/** Of unsqueeze. */
export interface UnsqueezeOptions {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
}

/** with an axis of size 1 inserted */
export function unsqueeze<D extends DType>(x: Tensor<D>, dim: number | UnsqueezeOptions): Tensor<D> {
  if (arguments.length > 2) refuseMore('unsqueeze', 2, arguments);
  return run(9, [x, dim]) as Tensor<D>;
}

/** Of diagonal. */
export interface DiagonalOptions {
  /** A whole number. Default: 0. */
  offset?: number;
  /** Axis; negative ones count from the end. Default: 0. */
  dim1?: number;
  /** Axis; negative ones count from the end. Default: 1. */
  dim2?: number;
}

/** the diagonal of two axes, which vanish, as the last axis */
export function diagonal<D extends DType>(
  x: Tensor<D>,
  offset?: number | null | DiagonalOptions,
  dim1?: number | null | DiagonalOptions,
  dim2?: number | null | DiagonalOptions,
): Tensor<D> {
  if (arguments.length > 4) refuseMore('diagonal', 4, arguments);
  return run(10, [x, offset, dim1, dim2]) as Tensor<D>;
}

/** Of reshape. */
export interface ReshapeOptions {
  /** Sizes, one or several. Needed, where it is not an argument. */
  shape?: number | readonly number[];
}

/** view where the strides allow it, else a copy */
export function reshape<D extends DType>(
  x: Tensor<D>,
  shape: number | readonly number[] | ReshapeOptions,
): Tensor<D>;
export function reshape<D extends DType>(x: Tensor<D>, ...shape: number[]): Tensor<D>;
export function reshape(x?: unknown, ...shape: unknown[]): unknown {
  return run(11, spread(11, [x], shape, 1));
}

/** x itself if it is row-major without gaps, else a copy that is */
export function contiguous<D extends DType>(x: Tensor<D>): Tensor<D> {
  if (arguments.length > 1) refuseMore('contiguous', 1, arguments);
  return run(12, [x]) as Tensor<D>;
}

/** matrix product; the axes before the last two broadcast, one-dim operands are a row and a column */
export function matmul<D extends DType, E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
  a: Tensor<D>,
  b: Tensor<E>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('matmul', 3, arguments);
  return run(13, [a, b, options]) as Tensor<NoInfer<O>>;
}

/** matrix product of two tensors of 2 dims */
export function mm<D extends DType, E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
  a: Tensor<D>,
  b: Tensor<E>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('mm', 3, arguments);
  return run(14, [a, b, options]) as Tensor<NoInfer<O>>;
}

/** matrix products of two batches: tensors of 3 dims */
export function bmm<D extends DType, E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
  a: Tensor<D>,
  b: Tensor<E>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('bmm', 3, arguments);
  return run(15, [a, b, options]) as Tensor<NoInfer<O>>;
}

/** product of a matrix and a vector */
export function mv<D extends DType, E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
  a: Tensor<D>,
  b: Tensor<E>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('mv', 3, arguments);
  return run(16, [a, b, options]) as Tensor<NoInfer<O>>;
}

/** sum of the products of two vectors */
export function dot<D extends DType, E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
  a: Tensor<D>,
  b: Tensor<E>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('dot', 3, arguments);
  return run(17, [a, b, options]) as Tensor<NoInfer<O>>;
}

/** products of all pairs of elements of two vectors */
export function outer<D extends DType, E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
  a: Tensor<D>,
  b: Tensor<E>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('outer', 3, arguments);
  return run(19, [a, b, options]) as Tensor<NoInfer<O>>;
}

/** sums of the products along the last axes of both; the product where one is 0-dim */
export function inner<D extends DType, E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
  a: Tensor<D>,
  b: Tensor<E>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('inner', 3, arguments);
  return run(20, [a, b, options]) as Tensor<NoInfer<O>>;
}

/** sum of the products of two vectors, of which the first is conjugated */
export function vdot<D extends DType, E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
  a: Tensor<D>,
  b: Tensor<E>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('vdot', 3, arguments);
  return run(21, [a, b, options]) as Tensor<NoInfer<O>>;
}

/** Of addmm. */
export interface AddmmOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number, bigint or boolean. Default: 1. */
  beta?: Scalar;
  /** A number, bigint or boolean. Default: 1. */
  alpha?: Scalar;
}

/** beta x + alpha (mat1 mat2); with beta 0 the elements of x do not count */
export function addmm<
  D extends DType,
  E extends DType,
  F extends DType,
  O extends DType = Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>,
>(x: Tensor<D>, mat1: Tensor<E>, mat2: Tensor<F>, options?: AddmmOptions<O>): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('addmm', 4, arguments);
  return run(22, [x, mat1, mat2, options]) as Tensor<NoInfer<O>>;
}

/** Of addmv. */
export interface AddmvOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number, bigint or boolean. Default: 1. */
  beta?: Scalar;
  /** A number, bigint or boolean. Default: 1. */
  alpha?: Scalar;
}

/** beta x + alpha (mat vec); with beta 0 the elements of x do not count */
export function addmv<
  D extends DType,
  E extends DType,
  F extends DType,
  O extends DType = Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>,
>(x: Tensor<D>, mat: Tensor<E>, vec: Tensor<F>, options?: AddmvOptions<O>): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('addmv', 4, arguments);
  return run(23, [x, mat, vec, options]) as Tensor<NoInfer<O>>;
}

/** Of addr. */
export interface AddrOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number, bigint or boolean. Default: 1. */
  beta?: Scalar;
  /** A number, bigint or boolean. Default: 1. */
  alpha?: Scalar;
}

/** beta x + alpha (outer product of vec1 and vec2); with beta 0 the elements of x do not count */
export function addr<
  D extends DType,
  E extends DType,
  F extends DType,
  O extends DType = Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>,
>(x: Tensor<D>, vec1: Tensor<E>, vec2: Tensor<F>, options?: AddrOptions<O>): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('addr', 4, arguments);
  return run(24, [x, vec1, vec2, options]) as Tensor<NoInfer<O>>;
}

/** Of baddbmm. */
export interface BaddbmmOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number, bigint or boolean. Default: 1. */
  beta?: Scalar;
  /** A number, bigint or boolean. Default: 1. */
  alpha?: Scalar;
}

/** beta x + alpha (batch1 batch2) of each matrix of two batches; with beta 0 the elements of x do not count */
export function baddbmm<
  D extends DType,
  E extends DType,
  F extends DType,
  O extends DType = Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>,
>(x: Tensor<D>, batch1: Tensor<E>, batch2: Tensor<F>, options?: BaddbmmOptions<O>): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('baddbmm', 4, arguments);
  return run(25, [x, batch1, batch2, options]) as Tensor<NoInfer<O>>;
}

/** Of addbmm. */
export interface AddbmmOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number, bigint or boolean. Default: 1. */
  beta?: Scalar;
  /** A number, bigint or boolean. Default: 1. */
  alpha?: Scalar;
}

/** beta x + alpha (sum of batch1 batch2 over the batch); with beta 0 the elements of x do not count */
export function addbmm<
  D extends DType,
  E extends DType,
  F extends DType,
  O extends DType = Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>,
>(x: Tensor<D>, batch1: Tensor<E>, batch2: Tensor<F>, options?: AddbmmOptions<O>): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('addbmm', 4, arguments);
  return run(26, [x, batch1, batch2, options]) as Tensor<NoInfer<O>>;
}

/** Kronecker product: b once for each element of a, times it */
export function kron<D extends DType, E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
  a: Tensor<D>,
  b: Tensor<E>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('kron', 3, arguments);
  return run(28, [a, b, options]) as Tensor<NoInfer<O>>;
}

/** Of cross. */
export interface CrossOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: -1. */
  dim?: number;
  axis?: number;
}

/** cross products of the vectors of size 3 along an axis */
export function cross<D extends DType, E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
  a: Tensor<D>,
  b: Tensor<E>,
  dim?: number | null | CrossOptions<O>,
  options?: CrossOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('cross', 4, arguments);
  return run(29, [a, b, dim, options]) as Tensor<NoInfer<O>>;
}

/** product of 2 matrices or more, in the order that needs the fewest multiplications; the ends may be vectors */
export function multiDot<L extends readonly Tensor[], O extends DType = PromoteAll<L>>(
  tensors: readonly [...L],
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('multiDot', 2, arguments);
  return run(30, [tensors, options]) as Tensor<NoInfer<O>>;
}

/** product of matrices, in the order that needs the fewest multiplications */
export function chainMatmul<L extends readonly Tensor[], O extends DType = PromoteAll<L>>(
  matrices: readonly [...L],
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('chainMatmul', 2, arguments);
  return run(31, [matrices, options]) as Tensor<NoInfer<O>>;
}

/** Of matrixPower. */
export interface MatrixPowerOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Needed, where it is not an argument. */
  n?: number;
}

/** product of n times x, of square matrices; the identity for n = 0 */
export function matrixPower<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  n: number | MatrixPowerOptions<O>,
  options?: MatrixPowerOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('matrixPower', 3, arguments);
  return run(32, [x, n, options]) as Tensor<NoInfer<O>>;
}

/** sum of the diagonal of a matrix */
export function trace<D extends DType, O extends DType = WideOf<D>>(
  x: Tensor<D>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('trace', 2, arguments);
  return run(33, [x, options]) as Tensor<NoInfer<O>>;
}

/** Of cdist. */
export interface CdistOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 2. */
  p?: number;
  /** Default: use_mm_for_euclid_dist_if_necessary. */
  computeMode?:
    'use_mm_for_euclid_dist_if_necessary' | 'use_mm_for_euclid_dist' | 'donot_use_mm_for_euclid_dist';
}

/** norms of order p of the differences of all pairs of rows of x1 and x2 */
export function cdist<D extends DType, E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
  x1: Tensor<D>,
  x2: Tensor<E>,
  p?: number | null | CdistOptions<O>,
  computeMode?:
    | 'use_mm_for_euclid_dist_if_necessary'
    | 'use_mm_for_euclid_dist'
    | 'donot_use_mm_for_euclid_dist'
    | null
    | CdistOptions<O>,
  options?: CdistOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('cdist', 5, arguments);
  return run(34, [x1, x2, p, computeMode, options]) as Tensor<NoInfer<O>>;
}

/** singular values of matrices along the last two axes, in descending order; NaN where one has an element that is not finite */
export function svdvals<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('svdvals', 2, arguments);
  return run(35, [x, options]) as Tensor<NoInfer<O>>;
}

/** determinants of square matrices along the last two axes; 1 of an empty one */
export function det<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('det', 2, arguments);
  return run(36, [x, options]) as Tensor<NoInfer<O>>;
}

/** inverses of square matrices along the last two axes; a singular one is refused */
export function inverse<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('inverse', 2, arguments);
  return run(37, [x, options]) as Tensor<NoInfer<O>>;
}

/** Of svd. */
export interface SvdOptions<O extends DType = DType, P extends DType = DType, Q extends DType = DType> {
  /** Default: true. */
  some?: boolean;
  /** Default: true. */
  computeUv?: boolean;
  /** Where the results go, all of them. */
  out?: { u: Tensor<O>; s: Tensor<P>; v: Tensor<Q> };
}

/** singular values s of matrices along the last two axes, in descending order, and unit vectors, the columns of u and v: x = u diag(s) v^T; without `some` u and v are square, without compute_uv that and 0 */
export function svd<D extends DType, O extends DType = D, P extends DType = D, Q extends DType = D>(
  x: Tensor<D>,
  some?: boolean | null | SvdOptions<O, P, Q>,
  computeUv?: boolean | null | SvdOptions<O, P, Q>,
  options?: SvdOptions<O, P, Q>,
): { u: Tensor<NoInfer<O>>; s: Tensor<NoInfer<P>>; v: Tensor<NoInfer<Q>> } {
  if (arguments.length > 4) refuseMore('svd', 4, arguments);
  return run(38, [x, some, computeUv, options]) as {
    u: Tensor<NoInfer<O>>;
    s: Tensor<NoInfer<P>>;
    v: Tensor<NoInfer<Q>>;
  };
}

/** Of argmax. */
export interface ArgmaxOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: number | null;
  axis?: number | null;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
}

/** index of the largest element, the first of equals; the first NaN if there is one */
export function argmax<D extends DType, O extends DType = 'int64'>(
  x: Tensor<D>,
  dim?: number | null | ArgmaxOptions<O>,
  options?: ArgmaxOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('argmax', 3, arguments);
  return run(39, [x, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of argmin. */
export interface ArgminOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: number | null;
  axis?: number | null;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
}

/** index of the smallest element, the first of equals; the first NaN if there is one */
export function argmin<D extends DType, O extends DType = 'int64'>(
  x: Tensor<D>,
  dim?: number | null | ArgminOptions<O>,
  options?: ArgminOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('argmin', 3, arguments);
  return run(40, [x, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of var. */
export interface VarOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axes, one or several; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: Dims | null;
  axis?: Dims | null;
  /** What is subtracted from the count before it divides. Default: 1. */
  correction?: number;
  /** true is correction 1, false 0. */
  unbiased?: boolean;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
}

/** variance: mean squared distance from the mean, divided by count - correction; NaN if empty */
export function variance<D extends DType, O extends DType = PartOf<FloatOf<D>>>(
  x: Tensor<D>,
  dim?: Dims | null | VarOptions<O>,
  options?: VarOptions<O>,
): Tensor<NoInfer<O>>;
export function variance<D extends DType, O extends DType = PartOf<FloatOf<D>>>(
  x: Tensor<D>,
  ...dim: number[] | [...dim: number[], options: VarOptions<O>]
): Tensor<NoInfer<O>>;
export function variance(x?: unknown, ...dim: unknown[]): unknown {
  return run(41, spread(41, [x], dim, 1));
}
export { variance as var };

/** Of std. */
export interface StdOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axes, one or several; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: Dims | null;
  axis?: Dims | null;
  /** What is subtracted from the count before it divides. Default: 1. */
  correction?: number;
  /** true is correction 1, false 0. */
  unbiased?: boolean;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
}

/** standard deviation: square root of var */
export function std<D extends DType, O extends DType = PartOf<FloatOf<D>>>(
  x: Tensor<D>,
  dim?: Dims | null | StdOptions<O>,
  options?: StdOptions<O>,
): Tensor<NoInfer<O>>;
export function std<D extends DType, O extends DType = PartOf<FloatOf<D>>>(
  x: Tensor<D>,
  ...dim: number[] | [...dim: number[], options: StdOptions<O>]
): Tensor<NoInfer<O>>;
export function std(x?: unknown, ...dim: unknown[]): unknown {
  return run(42, spread(42, [x], dim, 1));
}

/** Of norm. */
export interface NormOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 2. */
  p?: number;
  /** Axes, one or several; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: Dims | null;
  axis?: Dims | null;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
  /** dtype to convert to first, and to return. */
  dtype?: O;
}

/** sum of |x|^p to the power 1/p; p = 2 if not given, 0 counts, infinite p: largest or smallest |x|; 0 if empty */
export function norm<D extends DType, O extends DType = PartOf<FloatOf<D>>>(
  x: Tensor<D>,
  p?: number | null | NormOptions<O>,
  dim?: Dims | null | NormOptions<O>,
  options?: NormOptions<O>,
): Tensor<NoInfer<O>>;
export function norm<D extends DType, O extends DType = PartOf<FloatOf<D>>>(
  x: Tensor<D>,
  p: number | null,
  ...dim: number[] | [...dim: number[], options: NormOptions<O>]
): Tensor<NoInfer<O>>;
export function norm(x?: unknown, p?: unknown, ...dim: unknown[]): unknown {
  return run(43, spread(43, [x, p], dim, 2));
}

/** Of matrixNorm. */
export interface MatrixNormOptions<O extends DType = DType> extends OutOptions<O> {
  /** Default: fro. */
  ord?: 'fro' | '1' | '-1' | 'inf' | '-inf' | 'nuc' | '2' | '-2' | number;
  /** Axes, one or several; negative ones count from the end. `axis` is the same. */
  dim?: Dims | null;
  axis?: Dims | null;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
  /** dtype to convert to first, and to return. */
  dtype?: O;
}

/** norm of the matrices along two axes, the last ones: fro is the 2-norm of the elements; 1 and inf the largest sum of |x| of a column, a row; 2 the largest singular value; -1, -inf and -2 the smallest; nuc the sum of the singular values */
export function matrixNorm<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  ord?: 'fro' | '1' | '-1' | 'inf' | '-inf' | 'nuc' | '2' | '-2' | number | null | MatrixNormOptions<O>,
  dim?: Dims | null | MatrixNormOptions<O>,
  options?: MatrixNormOptions<O>,
): Tensor<NoInfer<O>>;
export function matrixNorm<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  ord: 'fro' | '1' | '-1' | 'inf' | '-inf' | 'nuc' | '2' | '-2' | number | null,
  ...dim: number[] | [...dim: number[], options: MatrixNormOptions<O>]
): Tensor<NoInfer<O>>;
export function matrixNorm(x?: unknown, ord?: unknown, ...dim: unknown[]): unknown {
  return run(44, spread(44, [x, ord], dim, 2));
}

/** Of dist. */
export interface DistOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 2. */
  p?: number;
}

/** norm of order p of a - b */
export function dist<D extends DType, E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
  a: Tensor<D>,
  b: Tensor<E>,
  p?: number | null | DistOptions<O>,
  options?: DistOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('dist', 4, arguments);
  return run(45, [a, b, p, options]) as Tensor<NoInfer<O>>;
}

/** Of logsumexp. */
export interface LogsumexpOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axes, one or several; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: Dims;
  axis?: Dims;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
}

/** logarithm of the sum of the exponentials, which does not overflow on the way; -infinity if empty */
export function logsumexp<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  dim: Dims | LogsumexpOptions<O>,
  options?: LogsumexpOptions<O>,
): Tensor<NoInfer<O>>;
export function logsumexp<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  ...dim: number[] | [...dim: number[], options: LogsumexpOptions<O>]
): Tensor<NoInfer<O>>;
export function logsumexp(x?: unknown, ...dim: unknown[]): unknown {
  return run(46, spread(46, [x], dim, 1));
}

/** Of countNonzero. */
export interface CountNonzeroOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axes, one or several; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: Dims | null;
  axis?: Dims | null;
}

/** number of elements that are not 0; NaN is not */
export function countNonzero<D extends DType, O extends DType = 'int64'>(
  x: Tensor<D>,
  dim?: Dims | null | CountNonzeroOptions<O>,
  options?: CountNonzeroOptions<O>,
): Tensor<NoInfer<O>>;
export function countNonzero<D extends DType, O extends DType = 'int64'>(
  x: Tensor<D>,
  ...dim: number[] | [...dim: number[], options: CountNonzeroOptions<O>]
): Tensor<NoInfer<O>>;
export function countNonzero(x?: unknown, ...dim: unknown[]): unknown {
  return run(47, spread(47, [x], dim, 1));
}

/** Of nansum. */
export interface NansumOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axes, one or several; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: Dims | null;
  axis?: Dims | null;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
  /** dtype to convert to first, and to return. */
  dtype?: O;
}

/** sum of the elements that are not NaN; 0 if there are none */
export function nansum<D extends DType, O extends DType = WideOf<D>>(
  x: Tensor<D>,
  dim?: Dims | null | NansumOptions<O>,
  options?: NansumOptions<O>,
): Tensor<NoInfer<O>>;
export function nansum<D extends DType, O extends DType = WideOf<D>>(
  x: Tensor<D>,
  ...dim: number[] | [...dim: number[], options: NansumOptions<O>]
): Tensor<NoInfer<O>>;
export function nansum(x?: unknown, ...dim: unknown[]): unknown {
  return run(48, spread(48, [x], dim, 1));
}

/** Of nanmean. */
export interface NanmeanOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axes, one or several; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: Dims | null;
  axis?: Dims | null;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
  /** dtype to convert to first, and to return. */
  dtype?: O;
}

/** mean of the elements that are not NaN; NaN if there are none */
export function nanmean<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  dim?: Dims | null | NanmeanOptions<O>,
  options?: NanmeanOptions<O>,
): Tensor<NoInfer<O>>;
export function nanmean<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  ...dim: number[] | [...dim: number[], options: NanmeanOptions<O>]
): Tensor<NoInfer<O>>;
export function nanmean(x?: unknown, ...dim: unknown[]): unknown {
  return run(49, spread(49, [x], dim, 1));
}

/** Of varMean. */
export interface VarMeanOptions<O extends DType = DType, P extends DType = DType> {
  /** Axes, one or several; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: Dims | null;
  axis?: Dims | null;
  /** What is subtracted from the count before it divides. Default: 1. */
  correction?: number;
  /** true is correction 1, false 0. */
  unbiased?: boolean;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
  /** Where the results go, all of them. */
  out?: { var: Tensor<O>; mean: Tensor<P> };
}

/** var and mean */
export function varMean<D extends DType, O extends DType = PartOf<FloatOf<D>>, P extends DType = FloatOf<D>>(
  x: Tensor<D>,
  dim?: Dims | null | VarMeanOptions<O, P>,
  options?: VarMeanOptions<O, P>,
): { var: Tensor<NoInfer<O>>; mean: Tensor<NoInfer<P>> };
export function varMean<D extends DType, O extends DType = PartOf<FloatOf<D>>, P extends DType = FloatOf<D>>(
  x: Tensor<D>,
  ...dim: number[] | [...dim: number[], options: VarMeanOptions<O, P>]
): { var: Tensor<NoInfer<O>>; mean: Tensor<NoInfer<P>> };
export function varMean(x?: unknown, ...dim: unknown[]): unknown {
  return run(50, spread(50, [x], dim, 1));
}

/** Of stdMean. */
export interface StdMeanOptions<O extends DType = DType, P extends DType = DType> {
  /** Axes, one or several; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: Dims | null;
  axis?: Dims | null;
  /** What is subtracted from the count before it divides. Default: 1. */
  correction?: number;
  /** true is correction 1, false 0. */
  unbiased?: boolean;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
  /** Where the results go, all of them. */
  out?: { std: Tensor<O>; mean: Tensor<P> };
}

/** std and mean */
export function stdMean<D extends DType, O extends DType = PartOf<FloatOf<D>>, P extends DType = FloatOf<D>>(
  x: Tensor<D>,
  dim?: Dims | null | StdMeanOptions<O, P>,
  options?: StdMeanOptions<O, P>,
): { std: Tensor<NoInfer<O>>; mean: Tensor<NoInfer<P>> };
export function stdMean<D extends DType, O extends DType = PartOf<FloatOf<D>>, P extends DType = FloatOf<D>>(
  x: Tensor<D>,
  ...dim: number[] | [...dim: number[], options: StdMeanOptions<O, P>]
): { std: Tensor<NoInfer<O>>; mean: Tensor<NoInfer<P>> };
export function stdMean(x?: unknown, ...dim: unknown[]): unknown {
  return run(51, spread(51, [x], dim, 1));
}

/** Of aminmax. */
export interface AminmaxOptions<O extends DType = DType, P extends DType = DType> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: number | null;
  axis?: number | null;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
  /** Where the results go, all of them. */
  out?: { min: Tensor<O>; max: Tensor<P> };
}

/** smallest and largest element; NaN if any is NaN */
export function aminmax<D extends DType, O extends DType = D, P extends DType = D>(
  x: Tensor<D>,
  options?: AminmaxOptions<O, P>,
): { min: Tensor<NoInfer<O>>; max: Tensor<NoInfer<P>> } {
  if (arguments.length > 2) refuseMore('aminmax', 2, arguments);
  return run(52, [x, options]) as { min: Tensor<NoInfer<O>>; max: Tensor<NoInfer<P>> };
}

/** Of sumToSize. */
export interface SumToSizeOptions<O extends DType = DType> extends OutOptions<O> {
  /** Sizes, one or several. Needed, where it is not an argument. */
  size?: number | readonly number[];
}

/** x added up along every axis that broadcasting adds or stretches from size to the shape of x */
export function sumToSize<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  size: number | readonly number[] | SumToSizeOptions<O>,
  options?: SumToSizeOptions<O>,
): Tensor<NoInfer<O>>;
export function sumToSize<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  ...size: number[] | [...size: number[], options: SumToSizeOptions<O>]
): Tensor<NoInfer<O>>;
export function sumToSize(x?: unknown, ...size: unknown[]): unknown {
  return run(55, spread(55, [x], size, 1));
}

/** Of mode. */
export interface ModeOptions<O extends DType = DType, P extends DType = DType> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: -1. */
  dim?: number;
  axis?: number;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
  /** Where the results go, all of them. */
  out?: { values: Tensor<O>; indices: Tensor<P> };
}

/** value that is there most often, the smallest of several, and where it is: the last of them */
export function mode<D extends DType, O extends DType = D, P extends DType = 'int64'>(
  x: Tensor<D>,
  dim?: number | null | ModeOptions<O, P>,
  options?: ModeOptions<O, P>,
): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
  if (arguments.length > 3) refuseMore('mode', 3, arguments);
  return run(58, [x, dim, options]) as { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> };
}

/** Of quantile. */
export interface QuantileOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: number | null;
  axis?: number | null;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
  /** Default: linear. */
  interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
}

/** value below which a share q of the elements lies; a 1-dim tensor of q makes the first axis; NaN if any is NaN */
export function quantile<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  q: Operand,
  dim?: number | null | QuantileOptions<O>,
  options?: QuantileOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('quantile', 4, arguments);
  return run(59, [x, q, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of nanquantile. */
export interface NanquantileOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: number | null;
  axis?: number | null;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
  /** Default: linear. */
  interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
}

/** quantile of the elements that are not NaN; NaN if there are none */
export function nanquantile<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  q: Operand,
  dim?: number | null | NanquantileOptions<O>,
  options?: NanquantileOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('nanquantile', 4, arguments);
  return run(60, [x, q, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of histc. */
export interface HistcOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Default: 100. */
  bins?: number;
  /** A number. Default: 0. */
  min?: number;
  /** A number. Default: 0. */
  max?: number;
}

/** how many elements lie in each of some bins of equal width from min to max, from the smallest to the largest element where these are equal */
export function histc<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  bins?: number | null | HistcOptions<O>,
  min?: number | null | HistcOptions<O>,
  max?: number | null | HistcOptions<O>,
  options?: HistcOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('histc', 5, arguments);
  return run(61, [x, bins, min, max, options]) as Tensor<NoInfer<O>>;
}

/** Of cov. */
export interface CovOptions<O extends DType = DType> extends OutOptions<O> {
  fweights?: Tensor | null;
  aweights?: Tensor | null;
  /** What is subtracted from the count before it divides. Default: 1. */
  correction?: number;
  /** true is correction 1, false 0. */
  unbiased?: boolean;
}

/** covariances of the rows of x, variables, over its columns, observations; fweights: how often each was made, aweights: how much it counts */
export function cov<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  options?: CovOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('cov', 2, arguments);
  return run(62, [x, options]) as Tensor<NoInfer<O>>;
}

/** correlations of the rows of x, variables, over its columns, observations */
export function corrcoef<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('corrcoef', 2, arguments);
  return run(63, [x, options]) as Tensor<NoInfer<O>>;
}

/** Of cummax. */
export interface CummaxOptions<O extends DType = DType, P extends DType = DType> {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
  /** Where the results go, all of them. */
  out?: { values: Tensor<O>; indices: Tensor<P> };
}

/** running largest element along an axis, and where it is: the last of equals; NaN from the first NaN on */
export function cummax<D extends DType, O extends DType = D, P extends DType = 'int64'>(
  x: Tensor<D>,
  dim: number | CummaxOptions<O, P>,
  options?: CummaxOptions<O, P>,
): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
  if (arguments.length > 3) refuseMore('cummax', 3, arguments);
  return run(64, [x, dim, options]) as { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> };
}

/** Of cummin. */
export interface CumminOptions<O extends DType = DType, P extends DType = DType> {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
  /** Where the results go, all of them. */
  out?: { values: Tensor<O>; indices: Tensor<P> };
}

/** running smallest element along an axis, and where it is: the last of equals; NaN from the first NaN on */
export function cummin<D extends DType, O extends DType = D, P extends DType = 'int64'>(
  x: Tensor<D>,
  dim: number | CumminOptions<O, P>,
  options?: CumminOptions<O, P>,
): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
  if (arguments.length > 3) refuseMore('cummin', 3, arguments);
  return run(65, [x, dim, options]) as { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> };
}

/** Of logcumsumexp. */
export interface LogcumsumexpOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
}

/** logarithm of the running sum of the exponentials along an axis */
export function logcumsumexp<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  dim: number | LogcumsumexpOptions<O>,
  options?: LogcumsumexpOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('logcumsumexp', 3, arguments);
  return run(66, [x, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of diff. */
export interface DiffOptions<
  W extends DType = DType,
  V extends DType = DType,
  O extends DType = DType,
> extends OutOptions<O> {
  /** A whole number. Default: 1. */
  n?: number;
  /** Axis; negative ones count from the end. `axis` is the same. Default: -1. */
  dim?: number;
  axis?: number;
  prepend?: Tensor<W> | null;
  append?: Tensor<V> | null;
}

/** differences of neighbours along an axis, n times; of bool whether they differ */
export function diff<
  D extends DType,
  W extends DType = never,
  V extends DType = never,
  O extends DType = PromoteOptional<PromoteOptional<D, W>, V>,
>(
  x: Tensor<D>,
  n?: number | null | DiffOptions<W, V, O>,
  dim?: number | null | DiffOptions<W, V, O>,
  options?: DiffOptions<W, V, O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('diff', 4, arguments);
  return run(67, [x, n, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of trapezoid. */
export interface TrapezoidOptions<O extends DType = DType> extends OutOptions<O> {
  x?: Tensor | null;
  /** A number. Default: 1. */
  dx?: number;
  /** Axis; negative ones count from the end. `axis` is the same. Default: -1. */
  dim?: number;
  axis?: number;
}

/** area below y along an axis, by straight lines between elements that lie dx apart, or at x */
export function trapezoid<D extends DType, O extends DType = FloatOf<D>>(
  y: Tensor<D>,
  options?: TrapezoidOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('trapezoid', 2, arguments);
  return run(68, [y, options]) as Tensor<NoInfer<O>>;
}

/** Of cumulativeTrapezoid. */
export interface CumulativeTrapezoidOptions<O extends DType = DType> extends OutOptions<O> {
  x?: Tensor | null;
  /** A number. Default: 1. */
  dx?: number;
  /** Axis; negative ones count from the end. `axis` is the same. Default: -1. */
  dim?: number;
  axis?: number;
}

/** running area below y along an axis, as of trapezoid */
export function cumulativeTrapezoid<D extends DType, O extends DType = FloatOf<D>>(
  y: Tensor<D>,
  options?: CumulativeTrapezoidOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('cumulativeTrapezoid', 2, arguments);
  return run(69, [y, options]) as Tensor<NoInfer<O>>;
}

/** Of cumsum. */
export interface CumsumOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
  /** dtype to convert to first, and to return. */
  dtype?: O;
}

/** running sum along an axis; floats accumulate in f64, integers wrap */
export function cumsum<D extends DType, O extends DType = WideOf<D>>(
  x: Tensor<D>,
  dim: number | CumsumOptions<O>,
  options?: CumsumOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('cumsum', 3, arguments);
  return run(70, [x, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of cumprod. */
export interface CumprodOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
  /** dtype to convert to first, and to return. */
  dtype?: O;
}

/** running product along an axis; floats accumulate in f64, integers wrap */
export function cumprod<D extends DType, O extends DType = WideOf<D>>(
  x: Tensor<D>,
  dim: number | CumprodOptions<O>,
  options?: CumprodOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('cumprod', 3, arguments);
  return run(71, [x, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of softmax. */
export interface SoftmaxOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
  /** dtype to convert to first, and to return. */
  dtype?: O;
}

/** exponentials along an axis divided by their sum */
export function softmax<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  dim: number | SoftmaxOptions<O>,
  options?: SoftmaxOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('softmax', 3, arguments);
  return run(72, [x, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of logSoftmax. */
export interface LogSoftmaxOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
  /** dtype to convert to first, and to return. */
  dtype?: O;
}

/** logarithm of softmax, accurate where softmax vanishes */
export function logSoftmax<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  dim: number | LogSoftmaxOptions<O>,
  options?: LogSoftmaxOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('logSoftmax', 3, arguments);
  return run(73, [x, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of layerNorm. */
export interface LayerNormOptions<O extends DType = DType> extends OutOptions<O> {
  /** Sizes, one or several. Needed, where it is not an argument. */
  normalizedShape?: number | readonly number[];
  weight?: Tensor | null;
  bias?: Tensor | null;
  /** Added to the variance. Default: 0.00001. */
  eps?: number;
}

/** (x - mean) / sqrt(variance + eps) over the last axes, times weight plus bias */
export function layerNorm<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  normalizedShape: number | readonly number[] | LayerNormOptions<O>,
  options?: LayerNormOptions<O>,
): Tensor<NoInfer<O>>;
export function layerNorm<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  ...normalizedShape: number[] | [...normalizedShape: number[], options: LayerNormOptions<O>]
): Tensor<NoInfer<O>>;
export function layerNorm(x?: unknown, ...normalizedShape: unknown[]): unknown {
  return run(74, spread(74, [x], normalizedShape, 1));
}

/** Of softmaxBackward. */
export interface SoftmaxBackwardOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
}

/** y * (gradient - sum of gradient * y along an axis): the gradient of x where softmax(x) is y, and gradient that of y */
export function softmaxBackward<D extends DType, O extends DType = D>(
  gradient: Tensor<D>,
  y: Tensor,
  dim: number | SoftmaxBackwardOptions<O>,
  options?: SoftmaxBackwardOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('softmaxBackward', 4, arguments);
  return run(75, [gradient, y, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of logSoftmaxBackward. */
export interface LogSoftmaxBackwardOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
}

/** gradient - exp(y) * sum of gradient along an axis: the gradient of x where log_softmax(x) is y, and gradient that of y */
export function logSoftmaxBackward<D extends DType, O extends DType = D>(
  gradient: Tensor<D>,
  y: Tensor,
  dim: number | LogSoftmaxBackwardOptions<O>,
  options?: LogSoftmaxBackwardOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('logSoftmaxBackward', 4, arguments);
  return run(76, [gradient, y, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of layerNormBackward. */
export interface LayerNormBackwardOptions<
  O extends DType = DType,
  P extends DType = DType,
  Q extends DType = DType,
> {
  /** Sizes, one or several. Needed, where it is not an argument. */
  normalizedShape?: number | readonly number[];
  weight?: Tensor | null;
  /** A number. Default: 0.00001. */
  eps?: number;
  /** Where the results go, all of them. */
  out?: { xGradient: Tensor<O>; weightGradient: Tensor<P>; biasGradient: Tensor<Q> };
}

/** the gradients of x, weight and bias of layer_norm, where gradient is that of its result */
export function layerNormBackward<
  D extends DType,
  O extends DType = D,
  P extends DType = D,
  Q extends DType = D,
>(
  gradient: Tensor<D>,
  x: Tensor,
  normalizedShape: number | readonly number[] | LayerNormBackwardOptions<O, P, Q>,
  options?: LayerNormBackwardOptions<O, P, Q>,
): { xGradient: Tensor<NoInfer<O>>; weightGradient: Tensor<NoInfer<P>>; biasGradient: Tensor<NoInfer<Q>> };
export function layerNormBackward<
  D extends DType,
  O extends DType = D,
  P extends DType = D,
  Q extends DType = D,
>(
  gradient: Tensor<D>,
  x: Tensor,
  ...normalizedShape: number[] | [...normalizedShape: number[], options: LayerNormBackwardOptions<O, P, Q>]
): { xGradient: Tensor<NoInfer<O>>; weightGradient: Tensor<NoInfer<P>>; biasGradient: Tensor<NoInfer<Q>> };
export function layerNormBackward(gradient?: unknown, x?: unknown, ...normalizedShape: unknown[]): unknown {
  return run(77, spread(77, [gradient, x], normalizedShape, 2));
}

/** the elements of x where mask is true, in row-major order, as one dim */
export function maskedSelect<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  mask: Tensor<'bool'>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('maskedSelect', 3, arguments);
  return run(78, [x, mask, options]) as Tensor<NoInfer<O>>;
}

/** value where mask is true, else x */
export function maskedFill<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  mask: Tensor<'bool'>,
  value: Operand,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('maskedFill', 4, arguments);
  return run(79, [x, mask, value, options]) as Tensor<NoInfer<O>>;
}

/** Of bincount. */
export interface BincountOptions<W extends DType = DType, O extends DType = DType> extends OutOptions<O> {
  weights?: Tensor<W> | null;
  /** A whole number. Default: 0. */
  minlength?: number;
}

/** how often each of 0, 1, 2 .. occurs in x, of whole numbers and one dim; with weights, their sums */
export function bincount<D extends DType, W extends DType = never, O extends DType = CountOf<W>>(
  x: Tensor<D>,
  options?: BincountOptions<W, O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('bincount', 2, arguments);
  return run(80, [x, options]) as Tensor<NoInfer<O>>;
}

/** elements at positions of an axis: y[i][j] = x[index[i][j]][j] for dim 0; no negative positions */
export function gather<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dim: number,
  index: Tensor,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('gather', 4, arguments);
  return run(81, [x, index, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of takeAlongDim. */
export interface TakeAlongDimOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: number | null;
  axis?: number | null;
}

/** gather where x and indices broadcast but for the axis; both are flat without dim */
export function takeAlongDim<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  indices: Tensor,
  dim?: number | null | TakeAlongDimOptions<O>,
  options?: TakeAlongDimOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('takeAlongDim', 4, arguments);
  return run(82, [x, indices, dim, options]) as Tensor<NoInfer<O>>;
}

/** elements of x in row-major order at positions, from the end where they are negative */
export function take<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  index: Tensor,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('take', 3, arguments);
  return run(83, [x, index, options]) as Tensor<NoInfer<O>>;
}

/** slices at positions of an axis, one behind another; no negative positions */
export function indexSelect<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dim: number,
  index: Tensor,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('indexSelect', 4, arguments);
  return run(84, [x, index, dim, options]) as Tensor<NoInfer<O>>;
}

/** x[indices[0], indices[1] ..]: positions that broadcast, from the end where they are negative, or masks of the first axes */
export function index<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  indices: readonly Tensor[],
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('index', 3, arguments);
  return run(86, [x, indices, options]) as Tensor<NoInfer<O>>;
}

/** positions of the elements that are not 0: the same as nonzero */
export function argwhere<D extends DType, O extends DType = 'int64'>(
  x: Tensor<D>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('argwhere', 2, arguments);
  return run(88, [x, options]) as Tensor<NoInfer<O>>;
}

/** Of scatter. */
export interface ScatterOptions<O extends DType = DType> extends OutOptions<O> {
  /** Default: none. */
  reduce?: 'none' | 'add' | 'multiply';
}

/** x with src at positions of an axis: y[index[i][j]][j] = src[i][j] for dim 0; src is a tensor or a number, the last of equal positions stays; or src added or multiplied there, in order */
export function scatter<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dim: number,
  index: Tensor,
  src: Operand,
  options?: ScatterOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('scatter', 5, arguments);
  return run(89, [x, index, src, dim, options]) as Tensor<NoInfer<O>>;
}

/** x with src added at positions of an axis: y[index[i][j]][j] += src[i][j] for dim 0, in order */
export function scatterAdd<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dim: number,
  index: Tensor,
  src: Tensor,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('scatterAdd', 5, arguments);
  return run(90, [x, index, src, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of scatterReduce. */
export interface ScatterReduceOptions<O extends DType = DType> extends OutOptions<O> {
  /** Needed, where it is not an argument. */
  reduce?: 'sum' | 'prod' | 'mean' | 'amax' | 'amin';
  /** Default: true. */
  includeSelf?: boolean;
}

/** x with src combined into it at positions of an axis; without include_self elements of x that are met do not count */
export function scatterReduce<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dim: number,
  index: Tensor,
  src: Tensor,
  reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin' | ScatterReduceOptions<O>,
  options?: ScatterReduceOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 6) refuseMore('scatterReduce', 6, arguments);
  return run(91, [x, index, src, dim, reduce, options]) as Tensor<NoInfer<O>>;
}

/** Of put. */
export interface PutOptions<O extends DType = DType> extends OutOptions<O> {
  /** Default: false. */
  accumulate?: boolean;
}

/** x with source at positions in row-major order, from the end where they are negative; added there with accumulate */
export function put<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  index: Tensor,
  source: Tensor,
  accumulate?: boolean | null | PutOptions<O>,
  options?: PutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('put', 5, arguments);
  return run(92, [x, index, source, accumulate, options]) as Tensor<NoInfer<O>>;
}

/** Of indexAdd. */
export interface IndexAddOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number, bigint or boolean. Default: 1. */
  alpha?: Scalar;
}

/** x with alpha times the slices of source added at positions of an axis, in order */
export function indexAdd<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dim: number,
  index: Tensor,
  source: Tensor,
  options?: IndexAddOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('indexAdd', 5, arguments);
  return run(93, [x, index, source, dim, options]) as Tensor<NoInfer<O>>;
}

/** x with the slices of source at positions of an axis; the last of equal positions stays */
export function indexCopy<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dim: number,
  index: Tensor,
  source: Tensor,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('indexCopy', 5, arguments);
  return run(94, [x, index, source, dim, options]) as Tensor<NoInfer<O>>;
}

/** x with value in the slices at positions of an axis, from the end where they are negative */
export function indexFill<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dim: number,
  index: Tensor,
  value: Operand,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('indexFill', 5, arguments);
  return run(95, [x, index, value, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of indexReduce. */
export interface IndexReduceOptions<O extends DType = DType> extends OutOptions<O> {
  /** Needed, where it is not an argument. */
  reduce?: 'prod' | 'mean' | 'amax' | 'amin';
  /** Default: true. */
  includeSelf?: boolean;
}

/** x with the slices of source combined into it at positions of an axis; without include_self slices of x that are met do not count */
export function indexReduce<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dim: number,
  index: Tensor,
  source: Tensor,
  reduce: 'prod' | 'mean' | 'amax' | 'amin' | IndexReduceOptions<O>,
  options?: IndexReduceOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 6) refuseMore('indexReduce', 6, arguments);
  return run(96, [x, index, source, dim, reduce, options]) as Tensor<NoInfer<O>>;
}

/** Of indexPut. */
export interface IndexPutOptions<O extends DType = DType> extends OutOptions<O> {
  /** Default: false. */
  accumulate?: boolean;
}

/** x with values, broadcast, where index(x, indices) takes elements; added in order with accumulate, else the last stays */
export function indexPut<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  indices: readonly Tensor[],
  values: Operand,
  accumulate?: boolean | null | IndexPutOptions<O>,
  options?: IndexPutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('indexPut', 5, arguments);
  return run(97, [x, values, indices, accumulate, options]) as Tensor<NoInfer<O>>;
}

/** x with elements of source, one after another in row-major order, where mask is true */
export function maskedScatter<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  mask: Tensor<'bool'>,
  source: Tensor,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('maskedScatter', 4, arguments);
  return run(98, [x, mask, source, options]) as Tensor<NoInfer<O>>;
}

/** Of selectScatter. */
export interface SelectScatterOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
  /** A whole number. Needed, where it is not an argument. */
  index?: number;
}

/** x with src in place of select(x, dim, index) */
export function selectScatter<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  src: Tensor,
  dim: number,
  index: number | SelectScatterOptions<O>,
  options?: SelectScatterOptions<O>,
): Tensor<NoInfer<O>>;
export function selectScatter<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  src: Tensor,
  options: SelectScatterOptions<O>,
): Tensor<NoInfer<O>>;
export function selectScatter(
  x?: unknown,
  src?: unknown,
  dim?: unknown,
  index?: unknown,
  options?: unknown,
): unknown {
  if (arguments.length > 5) refuseMore('selectScatter', 5, arguments);
  return run(99, [x, src, dim, index, options]);
}

/** Of sliceScatter. */
export interface SliceScatterOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: 0. */
  dim?: number;
  axis?: number;
  /** A whole number. Default: not given. */
  start?: number | null;
  /** A whole number. Default: not given. */
  stop?: number | null;
  /** A whole number. Default: 1. */
  step?: number;
}

/** x with src in place of slice(x, dim, start, stop, step) */
export function sliceScatter<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  src: Tensor,
  dim?: number | null | SliceScatterOptions<O>,
  start?: number | null | SliceScatterOptions<O>,
  stop?: number | null | SliceScatterOptions<O>,
  step?: number | null | SliceScatterOptions<O>,
  options?: SliceScatterOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 7) refuseMore('sliceScatter', 7, arguments);
  return run(100, [x, src, dim, start, stop, step, options]) as Tensor<NoInfer<O>>;
}

/** Of diagonalScatter. */
export interface DiagonalScatterOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Default: 0. */
  offset?: number;
  /** Axis; negative ones count from the end. Default: 0. */
  dim1?: number;
  /** Axis; negative ones count from the end. Default: 1. */
  dim2?: number;
}

/** x with src in place of diagonal(x, offset, dim1, dim2) */
export function diagonalScatter<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  src: Tensor,
  offset?: number | null | DiagonalScatterOptions<O>,
  dim1?: number | null | DiagonalScatterOptions<O>,
  dim2?: number | null | DiagonalScatterOptions<O>,
  options?: DiagonalScatterOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 6) refuseMore('diagonalScatter', 6, arguments);
  return run(101, [x, src, offset, dim1, dim2, options]) as Tensor<NoInfer<O>>;
}

/** Of oneHot. */
export interface OneHotOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Default: -1. */
  numClasses?: number;
}

/** x with a new last axis of num_classes: 1 at the position x, else 0; -1: as many as the largest needs */
export function oneHot<D extends DType, O extends DType = 'int64'>(
  x: Tensor<D>,
  numClasses?: number | null | OneHotOptions<O>,
  options?: OneHotOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('oneHot', 3, arguments);
  return run(102, [x, numClasses, options]) as Tensor<NoInfer<O>>;
}

/** Of searchsorted. */
export interface SearchsortedOptions<
  O extends DType = DType,
  I extends boolean = boolean,
> extends OutOptions<O> {
  sorter?: Tensor | null;
  /** Default: false. */
  right?: boolean;
  /** Default: none. */
  side?: 'none' | 'left' | 'right';
  /** Default: false. */
  outInt32?: I;
}

/** where values are to be inserted into rows in order: before equal elements, or behind them with right; NaN counts as largest; i32 with out_int32 */
export function searchsorted<D extends DType, I extends boolean = false, O extends DType = IndexOf<I>>(
  sortedSequence: Tensor<D>,
  values: Operand,
  options?: SearchsortedOptions<O, I>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('searchsorted', 3, arguments);
  return run(103, [sortedSequence, values, options]) as Tensor<NoInfer<O>>;
}

/** Of bucketize. */
export interface BucketizeOptions<
  O extends DType = DType,
  I extends boolean = boolean,
> extends OutOptions<O> {
  /** Default: false. */
  right?: boolean;
  /** Default: false. */
  outInt32?: I;
}

/** searchsorted(boundaries, x): the number of boundaries below x, or with right not above it; i32 with out_int32 */
export function bucketize<A extends Operand, I extends boolean = false, O extends DType = IndexOf<I>>(
  x: A,
  boundaries: Tensor,
  options?: BucketizeOptions<O, I>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('bucketize', 3, arguments);
  return run(104, [x, boundaries, options]) as Tensor<NoInfer<O>>;
}

/** Of isin. */
export interface IsinOptions<O extends DType = DType> extends OutOptions<O> {
  /** Default: false. */
  invert?: boolean;
}

/** whether each element is among test_elements, or not with invert; NaN never is */
export function isin<A extends Operand, O extends DType = 'bool'>(
  elements: A,
  testElements: Operand,
  options?: IsinOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('isin', 3, arguments);
  return run(105, [elements, testElements, options]) as Tensor<NoInfer<O>>;
}

/** Of embeddingRenorm. */
export interface EmbeddingRenormOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Needed, where it is not an argument. */
  maxNorm?: number;
  /** A number. Default: 2. */
  normType?: number;
}

/** weight, where rows at positions whose norm of order norm_type is above max_norm are multiplied by max_norm / (norm + 1e-7) */
export function embeddingRenorm<D extends DType, O extends DType = D>(
  weight: Tensor<D>,
  indices: Tensor,
  maxNorm: number | EmbeddingRenormOptions<O>,
  normType?: number | null | EmbeddingRenormOptions<O>,
  options?: EmbeddingRenormOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('embeddingRenorm', 5, arguments);
  return run(106, [weight, indices, maxNorm, normType, options]) as Tensor<NoInfer<O>>;
}

/** Of sort. */
export interface SortOptions<O extends DType = DType, P extends DType = DType> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: -1. */
  dim?: number;
  axis?: number;
  /** Default: false. */
  descending?: boolean;
  /** Default: false. */
  stable?: boolean;
  /** Where the results go, all of them. */
  out?: { values: Tensor<O>; indices: Tensor<P> };
}

/** elements in order along an axis, and where they were; NaN counts as largest, equal elements keep their order */
export function sort<D extends DType, O extends DType = D, P extends DType = 'int64'>(
  x: Tensor<D>,
  dim?: number | null | SortOptions<O, P>,
  descending?: boolean | null | SortOptions<O, P>,
  options?: SortOptions<O, P>,
): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
  if (arguments.length > 4) refuseMore('sort', 4, arguments);
  return run(107, [x, dim, descending, options]) as {
    values: Tensor<NoInfer<O>>;
    indices: Tensor<NoInfer<P>>;
  };
}

/** Of argsort. */
export interface ArgsortOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: -1. */
  dim?: number;
  axis?: number;
  /** Default: false. */
  descending?: boolean;
  /** Default: false. */
  stable?: boolean;
}

/** where the elements were that sort puts in order along an axis */
export function argsort<D extends DType, O extends DType = 'int64'>(
  x: Tensor<D>,
  dim?: number | null | ArgsortOptions<O>,
  descending?: boolean | null | ArgsortOptions<O>,
  options?: ArgsortOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('argsort', 4, arguments);
  return run(108, [x, dim, descending, options]) as Tensor<NoInfer<O>>;
}

/** elements in order along the first axis */
export function msort<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('msort', 2, arguments);
  return run(109, [x, options]) as Tensor<NoInfer<O>>;
}

/** Of topk. */
export interface TopkOptions<O extends DType = DType, P extends DType = DType> {
  /** A whole number. Needed, where it is not an argument. */
  k?: number;
  /** Axis; negative ones count from the end. `axis` is the same. Default: -1. */
  dim?: number;
  axis?: number;
  /** Default: true. */
  largest?: boolean;
  /** Default: true. */
  sorted?: boolean;
  /** Where the results go, all of them. */
  out?: { values: Tensor<O>; indices: Tensor<P> };
}

/** the k largest or smallest elements along an axis, and where they are: of equal ones the first; in order, or in that of x */
export function topk<D extends DType, O extends DType = D, P extends DType = 'int64'>(
  x: Tensor<D>,
  k: number | TopkOptions<O, P>,
  dim?: number | null | TopkOptions<O, P>,
  largest?: boolean | null | TopkOptions<O, P>,
  sorted?: boolean | null | TopkOptions<O, P>,
  options?: TopkOptions<O, P>,
): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
  if (arguments.length > 6) refuseMore('topk', 6, arguments);
  return run(110, [x, k, dim, largest, sorted, options]) as {
    values: Tensor<NoInfer<O>>;
    indices: Tensor<NoInfer<P>>;
  };
}

/** Of kthvalue. */
export interface KthvalueOptions<O extends DType = DType, P extends DType = DType> {
  /** A whole number. Needed, where it is not an argument. */
  k?: number;
  /** Axis; negative ones count from the end. `axis` is the same. Default: -1. */
  dim?: number;
  axis?: number;
  /** Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false. */
  keepdim?: boolean;
  keepdims?: boolean;
  /** Where the results go, all of them. */
  out?: { values: Tensor<O>; indices: Tensor<P> };
}

/** the element that is number k in ascending order along an axis, from 1 on, and where it is; NaN counts as largest */
export function kthvalue<D extends DType, O extends DType = D, P extends DType = 'int64'>(
  x: Tensor<D>,
  k: number | KthvalueOptions<O, P>,
  dim?: number | null | KthvalueOptions<O, P>,
  options?: KthvalueOptions<O, P>,
): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
  if (arguments.length > 4) refuseMore('kthvalue', 4, arguments);
  return run(111, [x, k, dim, options]) as { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> };
}

/** Of cat. */
export interface CatOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: 0. */
  dim?: number;
  axis?: number;
}

/** tensors one behind another along an axis; other sizes are equal */
export function cat<L extends readonly Tensor[], O extends DType = PromoteAll<L>>(
  tensors: readonly [...L],
  dim?: number | null | CatOptions<O>,
  options?: CatOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('cat', 3, arguments);
  return run(114, [tensors, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of pad. */
export interface PadOptions<O extends DType = DType> extends OutOptions<O> {
  /** Whole numbers, one or several. Needed, where it is not an argument. */
  pad?: number | readonly number[];
  /** Default: constant. */
  mode?: 'constant' | 'reflect' | 'replicate' | 'circular';
  /** A number, bigint or boolean. Default: 0. */
  value?: Scalar;
}

/** elements before and behind x: a pair of numbers for each axis, from the last one backwards; negative ones crop */
export function pad<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  pad: number | readonly number[] | PadOptions<O>,
  mode?: 'constant' | 'reflect' | 'replicate' | 'circular' | null | PadOptions<O>,
  options?: PadOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('pad', 4, arguments);
  return run(115, [x, pad, mode, options]) as Tensor<NoInfer<O>>;
}

/** Of stack. */
export interface StackOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: 0. */
  dim?: number;
  axis?: number;
}

/** tensors of one shape side by side along a new axis */
export function stack<L extends readonly Tensor[], O extends DType = PromoteAll<L>>(
  tensors: readonly [...L],
  dim?: number | null | StackOptions<O>,
  options?: StackOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('stack', 3, arguments);
  return run(116, [tensors, dim, options]) as Tensor<NoInfer<O>>;
}

/** cat along axis 1, of tensors of one dim along axis 0; numbers count as one dim */
export function hstack<L extends readonly Tensor[], O extends DType = PromoteAll<L>>(
  tensors: readonly [...L],
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('hstack', 2, arguments);
  return run(117, [tensors, options]) as Tensor<NoInfer<O>>;
}

/** cat along axis 0; one dim counts as a row */
export function vstack<L extends readonly Tensor[], O extends DType = PromoteAll<L>>(
  tensors: readonly [...L],
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('vstack', 2, arguments);
  return run(118, [tensors, options]) as Tensor<NoInfer<O>>;
}

/** the same as vstack */
export function rowStack<L extends readonly Tensor[], O extends DType = PromoteAll<L>>(
  tensors: readonly [...L],
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('rowStack', 2, arguments);
  return run(119, [tensors, options]) as Tensor<NoInfer<O>>;
}

/** cat along axis 2, of tensors with at least 3 dims (atleast_3d) */
export function dstack<L extends readonly Tensor[], O extends DType = PromoteAll<L>>(
  tensors: readonly [...L],
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('dstack', 2, arguments);
  return run(120, [tensors, options]) as Tensor<NoInfer<O>>;
}

/** cat along axis 1; one dim counts as a column */
export function columnStack<L extends readonly Tensor[], O extends DType = PromoteAll<L>>(
  tensors: readonly [...L],
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('columnStack', 2, arguments);
  return run(121, [tensors, options]) as Tensor<NoInfer<O>>;
}

/** matrices along the diagonal of a matrix, 0 elsewhere; one dim counts as a row */
export function blockDiag<L extends readonly Tensor[], O extends DType = PromoteAll<L>>(
  tensors: readonly [...L],
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('blockDiag', 2, arguments);
  return run(122, [tensors, options]) as Tensor<NoInfer<O>>;
}

/** every choice of one element of each tensor, as the rows of a matrix */
export function cartesianProd<L extends readonly Tensor[], O extends DType = PromoteAll<L>>(
  tensors: readonly [...L],
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('cartesianProd', 2, arguments);
  return run(123, [tensors, options]) as Tensor<NoInfer<O>>;
}

/** Of combinations. */
export interface CombinationsOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Default: 2. */
  r?: number;
  /** Default: false. */
  withReplacement?: boolean;
}

/** every choice of r elements of x in their order, as the rows of a matrix */
export function combinations<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  r?: number | null | CombinationsOptions<O>,
  options?: CombinationsOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('combinations', 3, arguments);
  return run(124, [x, r, options]) as Tensor<NoInfer<O>>;
}

/** Of flatten. */
export interface FlattenOptions {
  /** Axis; negative ones count from the end. Default: 0. */
  startDim?: number;
  /** Axis; negative ones count from the end. Default: -1. */
  endDim?: number;
}

/** axes start_dim .. end_dim as one; of a 0-dim tensor one dim of size 1 */
export function flatten<D extends DType>(
  x: Tensor<D>,
  startDim?: number | null | FlattenOptions,
  endDim?: number | null | FlattenOptions,
): Tensor<D> {
  if (arguments.length > 3) refuseMore('flatten', 3, arguments);
  return run(125, [x, startDim, endDim]) as Tensor<D>;
}

/** source, broadcast to the shape of x and converted to its dtype */
export function copy<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  source: Operand,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('copy', 3, arguments);
  return run(127, [x, source, options]) as Tensor<NoInfer<O>>;
}

/** Of fill. */
export interface FillOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number, bigint or boolean. Needed, where it is not an argument. */
  value?: Scalar;
}

/** value, converted to the dtype of x, in place of every element */
export function fill<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  value: Scalar | FillOptions<O>,
  options?: FillOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('fill', 3, arguments);
  return run(128, [x, value, options]) as Tensor<NoInfer<O>>;
}

/** the elements in row-major order as one dim; a view if x is row-major without gaps, else a copy */
export function ravel<D extends DType>(x: Tensor<D>): Tensor<D> {
  if (arguments.length > 1) refuseMore('ravel', 1, arguments);
  return run(129, [x]) as Tensor<D>;
}

/** Of tril. */
export interface TrilOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Default: 0. */
  diagonal?: number;
}

/** 0 above a diagonal of each matrix, else x */
export function tril<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  diagonal?: number | null | TrilOptions<O>,
  options?: TrilOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('tril', 3, arguments);
  return run(130, [x, diagonal, options]) as Tensor<NoInfer<O>>;
}

/** Of triu. */
export interface TriuOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Default: 0. */
  diagonal?: number;
}

/** 0 below a diagonal of each matrix, else x */
export function triu<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  diagonal?: number | null | TriuOptions<O>,
  options?: TriuOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('triu', 3, arguments);
  return run(131, [x, diagonal, options]) as Tensor<NoInfer<O>>;
}

/** Of diagEmbed. */
export interface DiagEmbedOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Default: 0. */
  offset?: number;
  /** Axis; negative ones count from the end. Default: -2. */
  dim1?: number;
  /** Axis; negative ones count from the end. Default: -1. */
  dim2?: number;
}

/** rows along the last axis as diagonals of matrices of two new axes, 0 elsewhere */
export function diagEmbed<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  offset?: number | null | DiagEmbedOptions<O>,
  dim1?: number | null | DiagEmbedOptions<O>,
  dim2?: number | null | DiagEmbedOptions<O>,
  options?: DiagEmbedOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('diagEmbed', 5, arguments);
  return run(132, [x, offset, dim1, dim2, options]) as Tensor<NoInfer<O>>;
}

/** Of diag. */
export interface DiagOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Default: 0. */
  diagonal?: number;
}

/** of one dim a matrix with this diagonal, of a matrix its diagonal, a copy */
export function diag<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  diagonal?: number | null | DiagOptions<O>,
  options?: DiagOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('diag', 3, arguments);
  return run(133, [x, diagonal, options]) as Tensor<NoInfer<O>>;
}

/** Of diagflat. */
export interface DiagflatOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Default: 0. */
  offset?: number;
}

/** a matrix with the elements of x on a diagonal, 0 elsewhere */
export function diagflat<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  offset?: number | null | DiagflatOptions<O>,
  options?: DiagflatOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('diagflat', 3, arguments);
  return run(134, [x, offset, options]) as Tensor<NoInfer<O>>;
}

/** Of rot90. */
export interface Rot90Options {
  /** A whole number. Default: 1. */
  k?: number;
  /** Axes, one or several; negative ones count from the end. */
  dims?: Dims | null;
}

/** turned by k quarters from axis dims[0] towards dims[1]; axes 0 and 1 if none are given; a view */
export function rot90<D extends DType>(
  x: Tensor<D>,
  k?: number | null | Rot90Options,
  dims?: Dims | null | Rot90Options,
): Tensor<D>;
export function rot90<D extends DType>(x: Tensor<D>, k: number | null, ...dims: number[]): Tensor<D>;
export function rot90(x?: unknown, k?: unknown, ...dims: unknown[]): unknown {
  return run(135, spread(135, [x, k], dims, 2));
}

/** Of roll. */
export interface RollOptions<O extends DType = DType> extends OutOptions<O> {
  /** Whole numbers, one or several. Needed, where it is not an argument. */
  shifts?: number | readonly number[];
  /** Axes, one or several; negative ones count from the end. */
  dims?: Dims | null;
}

/** elements moved shifts[k] places along axis dims[k], and from the end to the beginning; without dims in row-major order */
export function roll<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  shifts: number | readonly number[] | RollOptions<O>,
  dims?: Dims | null | RollOptions<O>,
  options?: RollOptions<O>,
): Tensor<NoInfer<O>>;
export function roll<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  shifts: number | readonly number[],
  ...dims: number[] | [...dims: number[], options: RollOptions<O>]
): Tensor<NoInfer<O>>;
export function roll(x?: unknown, shifts?: unknown, ...dims: unknown[]): unknown {
  return run(136, spread(136, [x, shifts], dims, 2));
}

/** Of repeat. */
export interface RepeatOptions<O extends DType = DType> extends OutOptions<O> {
  /** Sizes, one or several. Needed, where it is not an argument. */
  sizes?: number | readonly number[];
}

/** x so many times along each axis; sizes has all axes, new ones first */
export function repeat<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  sizes: number | readonly number[] | RepeatOptions<O>,
  options?: RepeatOptions<O>,
): Tensor<NoInfer<O>>;
export function repeat<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  ...sizes: number[] | [...sizes: number[], options: RepeatOptions<O>]
): Tensor<NoInfer<O>>;
export function repeat(x?: unknown, ...sizes: unknown[]): unknown {
  return run(137, spread(137, [x], sizes, 1));
}

/** Of tile. */
export interface TileOptions<O extends DType = DType> extends OutOptions<O> {
  /** Sizes, one or several. Needed, where it is not an argument. */
  dims?: number | readonly number[];
}

/** x so many times along each axis; what is missing at the front is 1 */
export function tile<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  dims: number | readonly number[] | TileOptions<O>,
  options?: TileOptions<O>,
): Tensor<NoInfer<O>>;
export function tile<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  ...dims: number[] | [...dims: number[], options: TileOptions<O>]
): Tensor<NoInfer<O>>;
export function tile(x?: unknown, ...dims: unknown[]): unknown {
  return run(138, spread(138, [x], dims, 1));
}

/** Of repeatInterleave. */
export interface RepeatInterleaveOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: all. */
  dim?: number | null;
  axis?: number | null;
}

/** each element so many times behind itself along an axis, or a number for each; without dim in row-major order */
export function repeatInterleave<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  repeats: Operand,
  dim?: number | null | RepeatInterleaveOptions<O>,
  options?: RepeatInterleaveOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('repeatInterleave', 4, arguments);
  return run(139, [x, repeats, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of asStrided. */
export interface AsStridedOptions {
  /** Sizes, one or several. Needed, where it is not an argument. */
  size?: number | readonly number[];
  /** Whole numbers, one or several. Needed, where it is not an argument. */
  stride?: number | readonly number[];
  /** A whole number. Default: not given. */
  storageOffset?: number | null;
}

/** element [i, j ..] is that at storage_offset + i stride[0] + j stride[1] .. of the memory of x, in elements; refused where one lies outside */
export function asStrided<D extends DType>(
  x: Tensor<D>,
  size: number | readonly number[],
  stride: number | readonly number[] | AsStridedOptions,
  storageOffset?: number | null | AsStridedOptions,
): Tensor<D>;
export function asStrided<D extends DType>(x: Tensor<D>, options: AsStridedOptions): Tensor<D>;
export function asStrided(x?: unknown, size?: unknown, stride?: unknown, storageOffset?: unknown): unknown {
  if (arguments.length > 4) refuseMore('asStrided', 4, arguments);
  return run(140, [x, size, stride, storageOffset]);
}

/** Of unfold. */
export interface UnfoldOptions {
  /** Axis; negative ones count from the end. Needed, where it is not an argument. */
  dimension?: number;
  /** A whole number. Needed, where it is not an argument. */
  size?: number;
  /** A whole number. Needed, where it is not an argument. */
  step?: number;
}

/** windows of `size` elements along an axis, every `step` elements; the elements of a window are the last axis */
export function unfold<D extends DType>(
  x: Tensor<D>,
  dimension: number,
  size: number,
  step: number | UnfoldOptions,
): Tensor<D>;
export function unfold<D extends DType>(x: Tensor<D>, options: UnfoldOptions): Tensor<D>;
export function unfold<D extends DType>(x: Tensor<D>, dimension: number, options: UnfoldOptions): Tensor<D>;
export function unfold(x?: unknown, dimension?: unknown, size?: unknown, step?: unknown): unknown {
  if (arguments.length > 4) refuseMore('unfold', 4, arguments);
  return run(141, [x, dimension, size, step]);
}

/** Of movedim. */
export interface MovedimOptions {
  /** Axes, one or several; negative ones count from the end. Needed, where it is not an argument. */
  source?: Dims;
  /** Axes, one or several; negative ones count from the end. Needed, where it is not an argument. */
  destination?: Dims;
}

/** axes source[k] at the places destination[k], the others in their order */
export function movedim<D extends DType>(
  x: Tensor<D>,
  source: Dims,
  destination: Dims | MovedimOptions,
): Tensor<D>;
export function movedim<D extends DType>(x: Tensor<D>, options: MovedimOptions): Tensor<D>;
export function movedim<D extends DType>(x: Tensor<D>, source: Dims, ...destination: number[]): Tensor<D>;
export function movedim(x?: unknown, source?: unknown, ...destination: unknown[]): unknown {
  return run(142, spread(142, [x, source], destination, 2));
}

/** Of moveaxis. */
export interface MoveaxisOptions {
  /** Axes, one or several; negative ones count from the end. Needed, where it is not an argument. */
  source?: Dims;
  /** Axes, one or several; negative ones count from the end. Needed, where it is not an argument. */
  destination?: Dims;
}

/** the same as movedim */
export function moveaxis<D extends DType>(
  x: Tensor<D>,
  source: Dims,
  destination: Dims | MoveaxisOptions,
): Tensor<D>;
export function moveaxis<D extends DType>(x: Tensor<D>, options: MoveaxisOptions): Tensor<D>;
export function moveaxis<D extends DType>(x: Tensor<D>, source: Dims, ...destination: number[]): Tensor<D>;
export function moveaxis(x?: unknown, source?: unknown, ...destination: unknown[]): unknown {
  return run(143, spread(143, [x, source], destination, 2));
}

/** Of swapaxes. */
export interface SwapaxesOptions {
  /** Axis; negative ones count from the end. Needed, where it is not an argument. */
  axis0?: number;
  /** Axis; negative ones count from the end. Needed, where it is not an argument. */
  axis1?: number;
}

/** two axes exchanged: transpose */
export function swapaxes<D extends DType>(
  x: Tensor<D>,
  axis0: number,
  axis1: number | SwapaxesOptions,
): Tensor<D>;
export function swapaxes<D extends DType>(x: Tensor<D>, options: SwapaxesOptions): Tensor<D>;
export function swapaxes(x?: unknown, axis0?: unknown, axis1?: unknown): unknown {
  if (arguments.length > 3) refuseMore('swapaxes', 3, arguments);
  return run(144, [x, axis0, axis1]);
}

/** Of swapdims. */
export interface SwapdimsOptions {
  /** Axis; negative ones count from the end. Needed, where it is not an argument. */
  dim0?: number;
  /** Axis; negative ones count from the end. Needed, where it is not an argument. */
  dim1?: number;
}

/** two axes exchanged: transpose */
export function swapdims<D extends DType>(
  x: Tensor<D>,
  dim0: number,
  dim1: number | SwapdimsOptions,
): Tensor<D>;
export function swapdims<D extends DType>(x: Tensor<D>, options: SwapdimsOptions): Tensor<D>;
export function swapdims(x?: unknown, dim0?: unknown, dim1?: unknown): unknown {
  if (arguments.length > 3) refuseMore('swapdims', 3, arguments);
  return run(145, [x, dim0, dim1]);
}

/** the axes of a matrix exchanged; of fewer dims x as it is */
export function t<D extends DType>(x: Tensor<D>): Tensor<D> {
  if (arguments.length > 1) refuseMore('t', 1, arguments);
  return run(146, [x]) as Tensor<D>;
}

/** Of narrow. */
export interface NarrowOptions {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
  /** A whole number. Needed, where it is not an argument. */
  start?: number;
  /** A whole number. Needed, where it is not an argument. */
  length?: number;
}

/** x[start:start + length] along an axis; refused where that is not all inside */
export function narrow<D extends DType>(
  x: Tensor<D>,
  dim: number,
  start: number,
  length: number | NarrowOptions,
): Tensor<D>;
export function narrow<D extends DType>(x: Tensor<D>, options: NarrowOptions): Tensor<D>;
export function narrow<D extends DType>(x: Tensor<D>, dim: number, options: NarrowOptions): Tensor<D>;
export function narrow(x?: unknown, dim?: unknown, start?: unknown, length?: unknown): unknown {
  if (arguments.length > 4) refuseMore('narrow', 4, arguments);
  return run(147, [x, dim, start, length]);
}

/** Of unflatten. */
export interface UnflattenOptions {
  /** Axis; negative ones count from the end. `axis` is the same. Needed, where it is not an argument. */
  dim?: number;
  axis?: number;
  /** Sizes, one or several. Needed, where it is not an argument. */
  sizes?: number | readonly number[];
}

/** an axis as several of these sizes, of which one may be -1 */
export function unflatten<D extends DType>(
  x: Tensor<D>,
  dim: number,
  sizes: number | readonly number[] | UnflattenOptions,
): Tensor<D>;
export function unflatten<D extends DType>(x: Tensor<D>, options: UnflattenOptions): Tensor<D>;
export function unflatten<D extends DType>(x: Tensor<D>, dim: number, ...sizes: number[]): Tensor<D>;
export function unflatten(x?: unknown, dim?: unknown, ...sizes: unknown[]): unknown {
  return run(148, spread(148, [x, dim], sizes, 2));
}

/** Of broadcastTo. */
export interface BroadcastToOptions {
  /** Sizes, one or several. Needed, where it is not an argument. */
  shape?: number | readonly number[];
}

/** broadcast to a shape: expand */
export function broadcastTo<D extends DType>(
  x: Tensor<D>,
  shape: number | readonly number[] | BroadcastToOptions,
): Tensor<D>;
export function broadcastTo<D extends DType>(x: Tensor<D>, ...shape: number[]): Tensor<D>;
export function broadcastTo(x?: unknown, ...shape: unknown[]): unknown {
  return run(149, spread(149, [x], shape, 1));
}

/** a number as one dim of size 1; others as they are */
export function atleast1d<D extends DType>(x: Tensor<D>): Tensor<D> {
  if (arguments.length > 1) refuseMore('atleast1d', 1, arguments);
  return run(150, [x]) as Tensor<D>;
}

/** one dim as a row; others as they are */
export function atleast2d<D extends DType>(x: Tensor<D>): Tensor<D> {
  if (arguments.length > 1) refuseMore('atleast2d', 1, arguments);
  return run(151, [x]) as Tensor<D>;
}

/** one dim as [1, n, 1], a matrix as [n, m, 1]; others as they are */
export function atleast3d<D extends DType>(x: Tensor<D>): Tensor<D> {
  if (arguments.length > 1) refuseMore('atleast3d', 1, arguments);
  return run(152, [x]) as Tensor<D>;
}

/** the same elements without history: no gradient flows to x */
export function detach<D extends DType>(x: Tensor<D>): Tensor<D> {
  if (arguments.length > 1) refuseMore('detach', 1, arguments);
  return run(153, [x]) as Tensor<D>;
}

/** Of split. */
export interface SplitOptions {
  /** A whole number, or a list of them. Needed, where it is not an argument. */
  splitSize?: number | readonly number[];
  /** Axis; negative ones count from the end. `axis` is the same. Default: 0. */
  dim?: number;
  axis?: number;
}

/** parts of an axis of split_size each, the last one perhaps smaller; or of the sizes of a list, which add up to the axis */
export function split<D extends DType>(
  x: Tensor<D>,
  splitSize: number | readonly number[] | SplitOptions,
  dim?: number | null | SplitOptions,
): Tensor<D>[] {
  if (arguments.length > 3) refuseMore('split', 3, arguments);
  return run(154, [x, splitSize, dim]) as Tensor<D>[];
}

/** Of chunk. */
export interface ChunkOptions {
  /** A whole number. Needed, where it is not an argument. */
  chunks?: number;
  /** Axis; negative ones count from the end. `axis` is the same. Default: 0. */
  dim?: number;
  axis?: number;
}

/** at most `chunks` parts of an axis, of equal size but for the last */
export function chunk<D extends DType>(
  x: Tensor<D>,
  chunks: number | ChunkOptions,
  dim?: number | null | ChunkOptions,
): Tensor<D>[] {
  if (arguments.length > 3) refuseMore('chunk', 3, arguments);
  return run(155, [x, chunks, dim]) as Tensor<D>[];
}

/** Of tensorSplit. */
export interface TensorSplitOptions {
  /** A whole number, or a list of them. Needed, where it is not an argument. */
  indicesOrSections?: number | readonly number[];
  /** Axis; negative ones count from the end. `axis` is the same. Default: 0. */
  dim?: number;
  axis?: number;
}

/** so many parts of an axis, the first ones larger by one where it does not divide; or cut at the indices of a list */
export function tensorSplit<D extends DType>(
  x: Tensor<D>,
  indicesOrSections: number | readonly number[] | TensorSplitOptions,
  dim?: number | null | TensorSplitOptions,
): Tensor<D>[] {
  if (arguments.length > 3) refuseMore('tensorSplit', 3, arguments);
  return run(156, [x, indicesOrSections, dim]) as Tensor<D>[];
}

/** Of hsplit. */
export interface HsplitOptions {
  /** A whole number, or a list of them. Needed, where it is not an argument. */
  indicesOrSections?: number | readonly number[];
}

/** tensor_split along axis 1, of one dim along axis 0; a number of parts must divide the axis */
export function hsplit<D extends DType>(
  x: Tensor<D>,
  indicesOrSections: number | readonly number[] | HsplitOptions,
): Tensor<D>[] {
  if (arguments.length > 2) refuseMore('hsplit', 2, arguments);
  return run(157, [x, indicesOrSections]) as Tensor<D>[];
}

/** Of vsplit. */
export interface VsplitOptions {
  /** A whole number, or a list of them. Needed, where it is not an argument. */
  indicesOrSections?: number | readonly number[];
}

/** tensor_split along axis 0, of 2 dims or more; a number of parts must divide the axis */
export function vsplit<D extends DType>(
  x: Tensor<D>,
  indicesOrSections: number | readonly number[] | VsplitOptions,
): Tensor<D>[] {
  if (arguments.length > 2) refuseMore('vsplit', 2, arguments);
  return run(158, [x, indicesOrSections]) as Tensor<D>[];
}

/** Of dsplit. */
export interface DsplitOptions {
  /** A whole number, or a list of them. Needed, where it is not an argument. */
  indicesOrSections?: number | readonly number[];
}

/** tensor_split along axis 2, of 3 dims or more; a number of parts must divide the axis */
export function dsplit<D extends DType>(
  x: Tensor<D>,
  indicesOrSections: number | readonly number[] | DsplitOptions,
): Tensor<D>[] {
  if (arguments.length > 2) refuseMore('dsplit', 2, arguments);
  return run(159, [x, indicesOrSections]) as Tensor<D>[];
}

/** Of unbind. */
export interface UnbindOptions {
  /** Axis; negative ones count from the end. `axis` is the same. Default: 0. */
  dim?: number;
  axis?: number;
}

/** x[0], x[1] .. along an axis, which vanishes */
export function unbind<D extends DType>(x: Tensor<D>, dim?: number | null | UnbindOptions): Tensor<D>[] {
  if (arguments.length > 2) refuseMore('unbind', 2, arguments);
  return run(160, [x, dim]) as Tensor<D>[];
}

/** each tensor broadcast to the shape of all of them together */
export function broadcastTensors<L extends readonly Tensor[]>(
  tensors: readonly [...L],
): { -readonly [K in keyof L]: Tensor<DTypeOf<L[K]>> } {
  if (arguments.length > 1) refuseMore('broadcastTensors', 1, arguments);
  return run(161, [tensors]) as { -readonly [K in keyof L]: Tensor<DTypeOf<L[K]>> };
}

/** Of meshgrid. */
export interface MeshgridOptions {
  /** Default: ij. */
  indexing?: 'ij' | 'xy';
}

/** the coordinates of a grid: tensors of one dim, each along an axis of its own; xy exchanges the first two axes */
export function meshgrid<L extends readonly Tensor[]>(
  tensors: readonly [...L],
  options?: MeshgridOptions,
): { -readonly [K in keyof L]: Tensor<DTypeOf<L[K]>> } {
  if (arguments.length > 2) refuseMore('meshgrid', 2, arguments);
  return run(162, [tensors, options]) as { -readonly [K in keyof L]: Tensor<DTypeOf<L[K]>> };
}

/** Of mseLoss. */
export interface MseLossOptions<O extends DType = DType> extends OutOptions<O> {
  /** Default: mean. */
  reduction?: 'none' | 'mean' | 'sum';
}

/** squared distance from the target */
export function mseLoss<
  D extends DType,
  E extends DType,
  O extends DType = LossOf<Promote<Tensor<D>, Tensor<E>>>,
>(x: Tensor<D>, target: Tensor<E>, options?: MseLossOptions<O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('mseLoss', 3, arguments);
  return run(163, [x, target, options]) as Tensor<NoInfer<O>>;
}

/** Of l1Loss. */
export interface L1LossOptions<O extends DType = DType> extends OutOptions<O> {
  /** Default: mean. */
  reduction?: 'none' | 'mean' | 'sum';
}

/** distance from the target */
export function l1Loss<
  D extends DType,
  E extends DType,
  O extends DType = LossOf<Promote<Tensor<D>, Tensor<E>>>,
>(x: Tensor<D>, target: Tensor<E>, options?: L1LossOptions<O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('l1Loss', 3, arguments);
  return run(164, [x, target, options]) as Tensor<NoInfer<O>>;
}

/** Of huberLoss. */
export interface HuberLossOptions<O extends DType = DType> extends OutOptions<O> {
  /** Default: mean. */
  reduction?: 'none' | 'mean' | 'sum';
  /** A number. Default: 1. */
  delta?: number;
}

/** z^2 / 2 of distances below delta, else delta (z - delta / 2) */
export function huberLoss<
  D extends DType,
  E extends DType,
  O extends DType = LossOf<Promote<Tensor<D>, Tensor<E>>>,
>(x: Tensor<D>, target: Tensor<E>, options?: HuberLossOptions<O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('huberLoss', 3, arguments);
  return run(165, [x, target, options]) as Tensor<NoInfer<O>>;
}

/** Of smoothL1Loss. */
export interface SmoothL1LossOptions<O extends DType = DType> extends OutOptions<O> {
  /** Default: mean. */
  reduction?: 'none' | 'mean' | 'sum';
  /** A number. Default: 1. */
  beta?: number;
}

/** z^2 / (2 beta) of distances below beta, else z - beta / 2 */
export function smoothL1Loss<
  D extends DType,
  E extends DType,
  O extends DType = LossOf<Promote<Tensor<D>, Tensor<E>>>,
>(x: Tensor<D>, target: Tensor<E>, options?: SmoothL1LossOptions<O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('smoothL1Loss', 3, arguments);
  return run(166, [x, target, options]) as Tensor<NoInfer<O>>;
}

/** Of binaryCrossEntropy. */
export interface BinaryCrossEntropyOptions<
  W extends DType = DType,
  O extends DType = DType,
> extends OutOptions<O> {
  weight?: Tensor<W> | null;
  /** Default: mean. */
  reduction?: 'none' | 'mean' | 'sum';
}

/** -(t log x + (1 - t) log(1 - x)) of probabilities x, logarithms not below -100 */
export function binaryCrossEntropy<
  D extends DType,
  E extends DType,
  W extends DType = never,
  O extends DType = LossOf<PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>>,
>(x: Tensor<D>, target: Tensor<E>, options?: BinaryCrossEntropyOptions<W, O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('binaryCrossEntropy', 3, arguments);
  return run(167, [x, target, options]) as Tensor<NoInfer<O>>;
}

/** Of binaryCrossEntropyWithLogits. */
export interface BinaryCrossEntropyWithLogitsOptions<
  W extends DType = DType,
  V extends DType = DType,
  O extends DType = DType,
> extends OutOptions<O> {
  weight?: Tensor<W> | null;
  posWeight?: Tensor<V> | null;
  /** Default: mean. */
  reduction?: 'none' | 'mean' | 'sum';
}

/** binary_cross_entropy of sigmoid(x), accurate where that is 0 or 1; pos_weight multiplies what true targets cost */
export function binaryCrossEntropyWithLogits<
  D extends DType,
  E extends DType,
  W extends DType = never,
  V extends DType = never,
  O extends DType = LossOf<PromoteOptional<PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>, V>>,
>(
  x: Tensor<D>,
  target: Tensor<E>,
  options?: BinaryCrossEntropyWithLogitsOptions<W, V, O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('binaryCrossEntropyWithLogits', 3, arguments);
  return run(168, [x, target, options]) as Tensor<NoInfer<O>>;
}

/** Of klDiv. */
export interface KlDivOptions<O extends DType = DType> extends OutOptions<O> {
  /** Default: mean. */
  reduction?: 'none' | 'mean' | 'sum' | 'batchmean';
  /** Default: false. */
  logTarget?: boolean;
}

/** t (log t - x) of logarithms x of probabilities; batchmean: the sum divided by the first size */
export function klDiv<
  D extends DType,
  E extends DType,
  O extends DType = LossOf<Promote<Tensor<D>, Tensor<E>>>,
>(x: Tensor<D>, target: Tensor<E>, options?: KlDivOptions<O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('klDiv', 3, arguments);
  return run(169, [x, target, options]) as Tensor<NoInfer<O>>;
}

/** Of nllLoss. */
export interface NllLossOptions<O extends DType = DType> extends OutOptions<O> {
  weight?: Tensor | null;
  /** Default: mean. */
  reduction?: 'none' | 'mean' | 'sum';
  /** A whole number. Default: -100. */
  ignoreIndex?: number;
}

/** -x[target] of logarithms x of probabilities, [classes] or [batch, classes, ..], times the weight of the class; the mean divides by the weights */
export function nllLoss<D extends DType, O extends DType = LossOf<FloatOf<D>>>(
  x: Tensor<D>,
  target: Tensor,
  options?: NllLossOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('nllLoss', 3, arguments);
  return run(170, [x, target, options]) as Tensor<NoInfer<O>>;
}

/** Of crossEntropy. */
export interface CrossEntropyOptions<O extends DType = DType> extends OutOptions<O> {
  weight?: Tensor | null;
  /** Default: mean. */
  reduction?: 'none' | 'mean' | 'sum';
  /** A whole number. Default: -100. */
  ignoreIndex?: number;
  /** A number. Default: 0. */
  labelSmoothing?: number;
}

/** nll_loss of log_softmax(x); a target of floats has the shape of x: probabilities of the classes */
export function crossEntropy<D extends DType, O extends DType = LossOf<FloatOf<D>>>(
  x: Tensor<D>,
  target: Tensor,
  options?: CrossEntropyOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('crossEntropy', 3, arguments);
  return run(171, [x, target, options]) as Tensor<NoInfer<O>>;
}

/** Of normalize. */
export interface NormalizeOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 2. */
  p?: number;
  /** Axis; negative ones count from the end. `axis` is the same. Default: 1. */
  dim?: number;
  axis?: number;
  /** A number. Default: 1e-12. */
  eps?: number;
}

/** x / max(norm of x along an axis, eps) */
export function normalize<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  p?: number | null | NormalizeOptions<O>,
  dim?: number | null | NormalizeOptions<O>,
  options?: NormalizeOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('normalize', 4, arguments);
  return run(172, [x, p, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of cosineSimilarity. */
export interface CosineSimilarityOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: 1. */
  dim?: number;
  axis?: number;
  /** A number. Default: 1e-8. */
  eps?: number;
}

/** sum of products along an axis, divided by both norms, of which none counts as less than eps */
export function cosineSimilarity<
  D extends DType,
  E extends DType,
  O extends DType = Promote<Tensor<D>, Tensor<E>>,
>(
  x: Tensor<D>,
  other: Tensor<E>,
  dim?: number | null | CosineSimilarityOptions<O>,
  options?: CosineSimilarityOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('cosineSimilarity', 4, arguments);
  return run(173, [x, other, dim, options]) as Tensor<NoInfer<O>>;
}

/** Of rmsNorm. */
export interface RmsNormOptions<O extends DType = DType> extends OutOptions<O> {
  /** Sizes, one or several. Needed, where it is not an argument. */
  normalizedShape?: number | readonly number[];
  weight?: Tensor | null;
  /** A number. Default: not given. */
  eps?: number | null;
}

/** x / sqrt(mean of x^2 + eps) over the last axes, times weight; eps not given (NaN in C): that of the dtype of x */
export function rmsNorm<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  normalizedShape: number | readonly number[] | RmsNormOptions<O>,
  options?: RmsNormOptions<O>,
): Tensor<NoInfer<O>>;
export function rmsNorm<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  ...normalizedShape: number[] | [...normalizedShape: number[], options: RmsNormOptions<O>]
): Tensor<NoInfer<O>>;
export function rmsNorm(x?: unknown, ...normalizedShape: unknown[]): unknown {
  return run(174, spread(174, [x], normalizedShape, 1));
}

/** Of rmsNormBackward. */
export interface RmsNormBackwardOptions<O extends DType = DType, P extends DType = DType> {
  /** Sizes, one or several. Needed, where it is not an argument. */
  normalizedShape?: number | readonly number[];
  weight?: Tensor | null;
  /** A number. Default: not given. */
  eps?: number | null;
  /** Where the results go, all of them. */
  out?: { xGradient: Tensor<O>; weightGradient: Tensor<P> };
}

/** the gradients of x and weight of rms_norm, where gradient is that of its result */
export function rmsNormBackward<D extends DType, O extends DType = D, P extends DType = D>(
  gradient: Tensor<D>,
  x: Tensor,
  normalizedShape: number | readonly number[] | RmsNormBackwardOptions<O, P>,
  options?: RmsNormBackwardOptions<O, P>,
): { xGradient: Tensor<NoInfer<O>>; weightGradient: Tensor<NoInfer<P>> };
export function rmsNormBackward<D extends DType, O extends DType = D, P extends DType = D>(
  gradient: Tensor<D>,
  x: Tensor,
  ...normalizedShape: number[] | [...normalizedShape: number[], options: RmsNormBackwardOptions<O, P>]
): { xGradient: Tensor<NoInfer<O>>; weightGradient: Tensor<NoInfer<P>> };
export function rmsNormBackward(gradient?: unknown, x?: unknown, ...normalizedShape: unknown[]): unknown {
  return run(175, spread(175, [gradient, x], normalizedShape, 2));
}

/** Of localResponseNorm. */
export interface LocalResponseNormOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Needed, where it is not an argument. */
  size?: number;
  /** A number. Default: 0.0001. */
  alpha?: number;
  /** A number. Default: 0.75. */
  beta?: number;
  /** A number. Default: 1. */
  k?: number;
}

/** x / (k + alpha m)^beta, m the mean of x^2 over `size` neighbours along axis 1, 0 beyond its ends */
export function localResponseNorm<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  size: number | LocalResponseNormOptions<O>,
  alpha?: number | null | LocalResponseNormOptions<O>,
  beta?: number | null | LocalResponseNormOptions<O>,
  k?: number | null | LocalResponseNormOptions<O>,
  options?: LocalResponseNormOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 6) refuseMore('localResponseNorm', 6, arguments);
  return run(176, [x, size, alpha, beta, k, options]) as Tensor<NoInfer<O>>;
}

/** Of linear. */
export interface LinearOptions<W extends DType = DType, O extends DType = DType> extends OutOptions<O> {
  bias?: Tensor<W> | null;
}

/** x times the transpose of weight, of [out, in] or [in], plus bias */
export function linear<
  D extends DType,
  E extends DType,
  W extends DType = never,
  O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
>(x: Tensor<D>, weight: Tensor<E>, options?: LinearOptions<W, O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('linear', 3, arguments);
  return run(177, [x, weight, options]) as Tensor<NoInfer<O>>;
}

/** Of empty. */
export interface EmptyOptions<O extends DType = DType> extends OutOptions<O> {
  /** Sizes, one or several. Needed, where it is not an argument. */
  shape?: number | readonly number[];
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** a tensor with undefined elements */
export function empty<O extends DType = 'float32'>(
  shape: number | readonly number[] | EmptyOptions<O>,
  options?: EmptyOptions<O>,
): Tensor<NoInfer<O>>;
export function empty<O extends DType = 'float32'>(
  ...shape: number[] | [...shape: number[], options: EmptyOptions<O>]
): Tensor<NoInfer<O>>;
export function empty(...shape: unknown[]): unknown {
  return run(178, spread(178, [], shape, 0));
}

/** Of emptyStrided. */
export interface EmptyStridedOptions<O extends DType = DType> {
  /** Sizes, one or several. Needed, where it is not an argument. */
  size?: number | readonly number[];
  /** Whole numbers, one or several. Needed, where it is not an argument. */
  stride?: number | readonly number[];
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** a tensor with undefined elements, of these strides, none negative, in elements; it has no more memory than they reach */
export function emptyStrided<O extends DType = 'float32'>(
  size: number | readonly number[],
  stride: number | readonly number[] | EmptyStridedOptions<O>,
  options?: EmptyStridedOptions<O>,
): Tensor<NoInfer<O>>;
export function emptyStrided<O extends DType = 'float32'>(
  options: EmptyStridedOptions<O>,
): Tensor<NoInfer<O>>;
export function emptyStrided<O extends DType = 'float32'>(
  size: number | readonly number[],
  ...stride: number[] | [...stride: number[], options: EmptyStridedOptions<O>]
): Tensor<NoInfer<O>>;
export function emptyStrided(size?: unknown, ...stride: unknown[]): unknown {
  return run(179, spread(179, [size], stride, 1));
}

/** Of zeros. */
export interface ZerosOptions<O extends DType = DType> extends OutOptions<O> {
  /** Sizes, one or several. Needed, where it is not an argument. */
  shape?: number | readonly number[];
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** all elements 0 */
export function zeros<O extends DType = 'float32'>(
  shape: number | readonly number[] | ZerosOptions<O>,
  options?: ZerosOptions<O>,
): Tensor<NoInfer<O>>;
export function zeros<O extends DType = 'float32'>(
  ...shape: number[] | [...shape: number[], options: ZerosOptions<O>]
): Tensor<NoInfer<O>>;
export function zeros(...shape: unknown[]): unknown {
  return run(180, spread(180, [], shape, 0));
}

/** Of ones. */
export interface OnesOptions<O extends DType = DType> extends OutOptions<O> {
  /** Sizes, one or several. Needed, where it is not an argument. */
  shape?: number | readonly number[];
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** all elements 1 */
export function ones<O extends DType = 'float32'>(
  shape: number | readonly number[] | OnesOptions<O>,
  options?: OnesOptions<O>,
): Tensor<NoInfer<O>>;
export function ones<O extends DType = 'float32'>(
  ...shape: number[] | [...shape: number[], options: OnesOptions<O>]
): Tensor<NoInfer<O>>;
export function ones(...shape: unknown[]): unknown {
  return run(181, spread(181, [], shape, 0));
}

/** Of emptyLike. */
export interface EmptyLikeOptions<O extends DType = DType> extends OutOptions<O> {
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: that of x. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** undefined elements, of the shape and memory order of x */
export function emptyLike<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  options?: EmptyLikeOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('emptyLike', 2, arguments);
  return run(183, [x, options]) as Tensor<NoInfer<O>>;
}

/** Of zerosLike. */
export interface ZerosLikeOptions<O extends DType = DType> extends OutOptions<O> {
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: that of x. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** zeros of the shape and memory order of x */
export function zerosLike<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  options?: ZerosLikeOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('zerosLike', 2, arguments);
  return run(184, [x, options]) as Tensor<NoInfer<O>>;
}

/** Of onesLike. */
export interface OnesLikeOptions<O extends DType = DType> extends OutOptions<O> {
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: that of x. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** ones of the shape and memory order of x */
export function onesLike<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  options?: OnesLikeOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('onesLike', 2, arguments);
  return run(185, [x, options]) as Tensor<NoInfer<O>>;
}

/** Of fullLike. */
export interface FullLikeOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number, bigint or boolean. Needed, where it is not an argument. */
  value?: Scalar;
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: that of x. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** one value everywhere, in the shape and memory order of x */
export function fullLike<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  value: Scalar | FullLikeOptions<O>,
  options?: FullLikeOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('fullLike', 3, arguments);
  return run(186, [x, value, options]) as Tensor<NoInfer<O>>;
}

/** Of eye. */
export interface EyeOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Needed, where it is not an argument. */
  n?: number;
  /** A whole number. Default: not given. */
  m?: number | null;
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** n x m, n x n if m is not given: ones on the main diagonal, zeros elsewhere */
export function eye<O extends DType = 'float32'>(
  n: number | EyeOptions<O>,
  m?: number | null | EyeOptions<O>,
  options?: EyeOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('eye', 3, arguments);
  return run(187, [n, m, options]) as Tensor<NoInfer<O>>;
}

/** Of linspace. */
export interface LinspaceOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number, bigint or boolean. Needed, where it is not an argument. */
  start?: Scalar;
  /** A number, bigint or boolean. Needed, where it is not an argument. */
  end?: Scalar;
  /** A whole number. Needed, where it is not an argument. */
  steps?: number;
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** `steps` numbers from start to end, both included, evenly spaced */
export function linspace<O extends DType = 'float32'>(
  start: Scalar,
  end: Scalar,
  steps: number | LinspaceOptions<O>,
  options?: LinspaceOptions<O>,
): Tensor<NoInfer<O>>;
export function linspace<O extends DType = 'float32'>(options: LinspaceOptions<O>): Tensor<NoInfer<O>>;
export function linspace<O extends DType = 'float32'>(
  start: Scalar,
  options: LinspaceOptions<O>,
): Tensor<NoInfer<O>>;
export function linspace(start?: unknown, end?: unknown, steps?: unknown, options?: unknown): unknown {
  if (arguments.length > 4) refuseMore('linspace', 4, arguments);
  return run(189, [start, end, steps, options]);
}

/** Of logspace. */
export interface LogspaceOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number, bigint or boolean. Needed, where it is not an argument. */
  start?: Scalar;
  /** A number, bigint or boolean. Needed, where it is not an argument. */
  end?: Scalar;
  /** A whole number. Needed, where it is not an argument. */
  steps?: number;
  /** A number. Default: 10. */
  base?: number;
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** `steps` powers of base, whose exponents are evenly spaced from start to end, both included */
export function logspace<O extends DType = 'float32'>(
  start: Scalar,
  end: Scalar,
  steps: number | LogspaceOptions<O>,
  base?: number | null | LogspaceOptions<O>,
  options?: LogspaceOptions<O>,
): Tensor<NoInfer<O>>;
export function logspace<O extends DType = 'float32'>(options: LogspaceOptions<O>): Tensor<NoInfer<O>>;
export function logspace<O extends DType = 'float32'>(
  start: Scalar,
  options: LogspaceOptions<O>,
): Tensor<NoInfer<O>>;
export function logspace(
  start?: unknown,
  end?: unknown,
  steps?: unknown,
  base?: unknown,
  options?: unknown,
): unknown {
  if (arguments.length > 5) refuseMore('logspace', 5, arguments);
  return run(190, [start, end, steps, base, options]);
}

/** Of trilIndices. */
export interface TrilIndicesOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Needed, where it is not an argument. */
  row?: number;
  /** A whole number. Needed, where it is not an argument. */
  col?: number;
  /** A whole number. Default: 0. */
  offset?: number;
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** rows and columns of the elements on and below a diagonal of a row x col matrix, in two rows */
export function trilIndices<O extends DType = 'int64'>(
  row: number,
  col: number | TrilIndicesOptions<O>,
  offset?: number | null | TrilIndicesOptions<O>,
  options?: TrilIndicesOptions<O>,
): Tensor<NoInfer<O>>;
export function trilIndices<O extends DType = 'int64'>(options: TrilIndicesOptions<O>): Tensor<NoInfer<O>>;
export function trilIndices(row?: unknown, col?: unknown, offset?: unknown, options?: unknown): unknown {
  if (arguments.length > 4) refuseMore('trilIndices', 4, arguments);
  return run(191, [row, col, offset, options]);
}

/** Of triuIndices. */
export interface TriuIndicesOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Needed, where it is not an argument. */
  row?: number;
  /** A whole number. Needed, where it is not an argument. */
  col?: number;
  /** A whole number. Default: 0. */
  offset?: number;
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** rows and columns of the elements on and above a diagonal of a row x col matrix, in two rows */
export function triuIndices<O extends DType = 'int64'>(
  row: number,
  col: number | TriuIndicesOptions<O>,
  offset?: number | null | TriuIndicesOptions<O>,
  options?: TriuIndicesOptions<O>,
): Tensor<NoInfer<O>>;
export function triuIndices<O extends DType = 'int64'>(options: TriuIndicesOptions<O>): Tensor<NoInfer<O>>;
export function triuIndices(row?: unknown, col?: unknown, offset?: unknown, options?: unknown): unknown {
  if (arguments.length > 4) refuseMore('triuIndices', 4, arguments);
  return run(192, [row, col, offset, options]);
}

/** Of rand. */
export interface RandOptions<O extends DType = DType> extends OutOptions<O> {
  /** Sizes, one or several. Needed, where it is not an argument. */
  shape?: number | readonly number[];
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
  /** Where the numbers come from. Default: the default generator. */
  generator?: Generator | null;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** random numbers, uniform in [0, 1) */
export function rand<O extends DType = 'float32'>(
  shape: number | readonly number[] | RandOptions<O>,
  options?: RandOptions<O>,
): Tensor<NoInfer<O>>;
export function rand<O extends DType = 'float32'>(
  ...shape: number[] | [...shape: number[], options: RandOptions<O>]
): Tensor<NoInfer<O>>;
export function rand(...shape: unknown[]): unknown {
  return run(193, spread(193, [], shape, 0));
}

/** Of randLike. */
export interface RandLikeOptions<O extends DType = DType> extends OutOptions<O> {
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: that of x. */
  device?: DeviceName;
  /** Where the numbers come from. Default: the default generator. */
  generator?: Generator | null;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** random numbers, uniform in [0, 1), of the shape and memory order of x */
export function randLike<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  options?: RandLikeOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('randLike', 2, arguments);
  return run(194, [x, options]) as Tensor<NoInfer<O>>;
}

/** Of uniform. */
export interface UniformOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 0. */
  from?: number;
  /** A number. Default: 1. */
  to?: number;
  /** Where the numbers come from. Default: the default generator. */
  generator?: Generator | null;
}

/** random numbers, uniform in [from, to), in place of every element */
export function uniform<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  from?: number | null | UniformOptions<O>,
  to?: number | null | UniformOptions<O>,
  options?: UniformOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('uniform', 4, arguments);
  return run(195, [x, from, to, options]) as Tensor<NoInfer<O>>;
}

/** Of randn. */
export interface RandnOptions<O extends DType = DType> extends OutOptions<O> {
  /** Sizes, one or several. Needed, where it is not an argument. */
  shape?: number | readonly number[];
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
  /** Where the numbers come from. Default: the default generator. */
  generator?: Generator | null;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** random numbers of the normal distribution with mean 0 and standard deviation 1 */
export function randn<O extends DType = 'float32'>(
  shape: number | readonly number[] | RandnOptions<O>,
  options?: RandnOptions<O>,
): Tensor<NoInfer<O>>;
export function randn<O extends DType = 'float32'>(
  ...shape: number[] | [...shape: number[], options: RandnOptions<O>]
): Tensor<NoInfer<O>>;
export function randn(...shape: unknown[]): unknown {
  return run(196, spread(196, [], shape, 0));
}

/** Of randnLike. */
export interface RandnLikeOptions<O extends DType = DType> extends OutOptions<O> {
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: that of x. */
  device?: DeviceName;
  /** Where the numbers come from. Default: the default generator. */
  generator?: Generator | null;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** random numbers of the standard normal distribution, of the shape and memory order of x */
export function randnLike<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  options?: RandnLikeOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('randnLike', 2, arguments);
  return run(197, [x, options]) as Tensor<NoInfer<O>>;
}

/** Of fillNormal. */
export interface FillNormalOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 0. */
  mean?: number;
  /** A number. Default: 1. */
  std?: number;
  /** Where the numbers come from. Default: the default generator. */
  generator?: Generator | null;
}

/** random numbers of a normal distribution in place of every element; normal_ in JavaScript */
export function fillNormal<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  mean?: number | null | FillNormalOptions<O>,
  std?: number | null | FillNormalOptions<O>,
  options?: FillNormalOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('fillNormal', 4, arguments);
  return run(198, [x, mean, std, options]) as Tensor<NoInfer<O>>;
}

/** Of normal. */
export interface NormalOptions<O extends DType = DType> extends OutOptions<O> {
  /** Where the numbers come from. Default: the default generator. */
  generator?: Generator | null;
}

/** a random number of the normal distribution with each mean and standard deviation, which broadcast together */
export function normal<A extends Operand, B extends Operand, O extends DType = FloatOf<Promote<A, B>>>(
  mean: A,
  std: B,
  options?: NormalOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('normal', 3, arguments);
  return run(199, [mean, std, options]) as Tensor<NoInfer<O>>;
}

/** Of exponential. */
export interface ExponentialOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 1. */
  lambd?: number;
  /** Where the numbers come from. Default: the default generator. */
  generator?: Generator | null;
}

/** random numbers of the exponential distribution with mean 1 / lambd, above 0, in place of every element */
export function exponential<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  lambd?: number | null | ExponentialOptions<O>,
  options?: ExponentialOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('exponential', 3, arguments);
  return run(200, [x, lambd, options]) as Tensor<NoInfer<O>>;
}

/** Of randperm. */
export interface RandpermOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Needed, where it is not an argument. */
  n?: number;
  /** dtype to convert to first, and to return. */
  dtype?: O;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
  /** Where the numbers come from. Default: the default generator. */
  generator?: Generator | null;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** 0 .. n - 1 in a random order */
export function randperm<O extends DType = 'int64'>(
  n: number | RandpermOptions<O>,
  options?: RandpermOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('randperm', 2, arguments);
  return run(203, [n, options]) as Tensor<NoInfer<O>>;
}

/** Of bernoulli. */
export interface BernoulliOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: not given. */
  p?: number | null;
  /** Where the numbers come from. Default: the default generator. */
  generator?: Generator | null;
}

/** 1 with a probability, else 0: p, or, where it is not given (NaN in C), that of each element of x */
export function bernoulli<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  p?: number | null | BernoulliOptions<O>,
  options?: BernoulliOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('bernoulli', 3, arguments);
  return run(204, [x, p, options]) as Tensor<NoInfer<O>>;
}

/** Of multinomial. */
export interface MultinomialOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Needed, where it is not an argument. */
  numSamples?: number;
  /** Default: false. */
  replacement?: boolean;
  /** Where the numbers come from. Default: the default generator. */
  generator?: Generator | null;
}

/** positions along the last axis of a vector or matrix of weights, each as probable as its weight; without replacement none twice */
export function multinomial<D extends DType, O extends DType = 'int64'>(
  x: Tensor<D>,
  numSamples: number | MultinomialOptions<O>,
  replacement?: boolean | null | MultinomialOptions<O>,
  options?: MultinomialOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('multinomial', 4, arguments);
  return run(205, [x, numSamples, replacement, options]) as Tensor<NoInfer<O>>;
}

/** Of dropout. */
export interface DropoutOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 0.5. */
  p?: number;
  /** Default: true. */
  training?: boolean;
  /** Where the numbers come from. Default: the default generator. */
  generator?: Generator | null;
}

/** 0 with probability p, else x / (1 - p); without training x as it is */
export function dropout<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  p?: number | null | DropoutOptions<O>,
  training?: boolean | null | DropoutOptions<O>,
  options?: DropoutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('dropout', 4, arguments);
  return run(206, [x, p, training, options]) as Tensor<NoInfer<O>>;
}

/** Of addcmul. */
export interface AddcmulOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number, bigint or boolean. Default: 1. */
  value?: Scalar;
}

/** a + value * b * c */
export function addcmul<
  D extends DType,
  E extends DType,
  F extends DType,
  O extends DType = Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>,
>(
  a: Tensor<D>,
  b: Tensor<E>,
  c: Tensor<F>,
  value?: Scalar | null | AddcmulOptions<O>,
  options?: AddcmulOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('addcmul', 5, arguments);
  return run(207, [a, b, c, value, options]) as Tensor<NoInfer<O>>;
}

/** Of addcdiv. */
export interface AddcdivOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 1. */
  value?: number;
}

/** a + value * b / c */
export function addcdiv<
  D extends DType,
  E extends DType,
  F extends DType,
  O extends DType = FloatOf<Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>>,
>(
  a: Tensor<D>,
  b: Tensor<E>,
  c: Tensor<F>,
  value?: number | null | AddcdivOptions<O>,
  options?: AddcdivOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('addcdiv', 5, arguments);
  return run(208, [a, b, c, value, options]) as Tensor<NoInfer<O>>;
}

/** Of nanToNum. */
export interface NanToNumOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 0. */
  nan?: number;
  /** A number. Default: not given. */
  posinf?: number | null;
  /** A number. Default: not given. */
  neginf?: number | null;
}

/** a with other numbers for NaN and infinities; without posinf and neginf the largest and the smallest of the dtype */
export function nanToNum<D extends DType, O extends DType = D>(
  a: Tensor<D>,
  nan?: number | null | NanToNumOptions<O>,
  posinf?: number | null | NanToNumOptions<O>,
  neginf?: number | null | NanToNumOptions<O>,
  options?: NanToNumOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 5) refuseMore('nanToNum', 5, arguments);
  return run(209, [a, nan, posinf, neginf, options]) as Tensor<NoInfer<O>>;
}

/** Of frexp. */
export interface FrexpOptions<O extends DType = DType, P extends DType = DType> {
  /** Where the results go, all of them. */
  out?: { mantissa: Tensor<O>; exponent: Tensor<P> };
}

/** x = mantissa * 2^exponent with a mantissa in [0.5, 1); of 0, infinities and NaN the mantissa is x, the exponent 0 */
export function frexp<D extends DType, O extends DType = D, P extends DType = 'int32'>(
  x: Tensor<D>,
  options?: FrexpOptions<O, P>,
): { mantissa: Tensor<NoInfer<O>>; exponent: Tensor<NoInfer<P>> } {
  if (arguments.length > 2) refuseMore('frexp', 2, arguments);
  return run(210, [x, options]) as { mantissa: Tensor<NoInfer<O>>; exponent: Tensor<NoInfer<P>> };
}

/** x, but min where x is below it: clamp without an upper bound */
export function clampMin<D extends DType, A extends Operand, O extends DType = Promote<Tensor<D>, A>>(
  x: Tensor<D>,
  min: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('clampMin', 3, arguments);
  return run(211, [x, min, options]) as Tensor<NoInfer<O>>;
}

/** x, but max where x is above it: clamp without a lower bound */
export function clampMax<D extends DType, A extends Operand, O extends DType = Promote<Tensor<D>, A>>(
  x: Tensor<D>,
  max: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('clampMax', 3, arguments);
  return run(212, [x, max, options]) as Tensor<NoInfer<O>>;
}

/** Of isclose. */
export interface IscloseOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 0.00001. */
  rtol?: number;
  /** A number. Default: 1e-8. */
  atol?: number;
  /** Default: false. */
  equalNan?: boolean;
}

/** whether |a - b| <= atol + rtol * |b|, or a == b; with equal_nan also where both are NaN */
export function isclose<D extends DType, O extends DType = 'bool'>(
  a: Tensor<D>,
  b: Tensor,
  rtol?: number | null | IscloseOptions<O>,
  atol?: number | null | IscloseOptions<O>,
  equalNan?: boolean | null | IscloseOptions<O>,
  options?: IscloseOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 6) refuseMore('isclose', 6, arguments);
  return run(213, [a, b, rtol, atol, equalNan, options]) as Tensor<NoInfer<O>>;
}

/** Of glu. */
export interface GluOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axis; negative ones count from the end. `axis` is the same. Default: -1. */
  dim?: number;
  axis?: number;
}

/** the first half along an axis times the sigmoid of the second */
export function glu<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  dim?: number | null | GluOptions<O>,
  options?: GluOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('glu', 3, arguments);
  return run(216, [x, dim, options]) as Tensor<NoInfer<O>>;
}

/** x above 0, weight * x below; one weight, or one for each index of axis 1 */
export function prelu<
  D extends DType,
  E extends DType,
  O extends DType = FloatOf<Promote<Tensor<D>, Tensor<E>>>,
>(x: Tensor<D>, weight: Tensor<E>, options?: OutOptions<O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('prelu', 3, arguments);
  return run(217, [x, weight, options]) as Tensor<NoInfer<O>>;
}

/** real parts, a view that may be written to; x itself where it is real */
export function real<D extends DType>(x: Tensor<D>): Tensor<PartOf<D>> {
  if (arguments.length > 1) refuseMore('real', 1, arguments);
  return run(218, [x]) as Tensor<PartOf<D>>;
}

/** imaginary parts, a view that may be written to; of complex dtypes only */
export function imag<D extends DType>(x: Tensor<D>): Tensor<PartOf<D>> {
  if (arguments.length > 1) refuseMore('imag', 1, arguments);
  return run(219, [x]) as Tensor<PartOf<D>>;
}

/** complex numbers as pairs: one axis of size 2 more, the last one */
export function viewAsReal<D extends DType>(x: Tensor<D>): Tensor<PartOf<D>> {
  if (arguments.length > 1) refuseMore('viewAsReal', 1, arguments);
  return run(220, [x]) as Tensor<PartOf<D>>;
}

/** pairs of f32 or f64 as complex numbers: without the last axis, which has size 2 and stride 1; other strides are even */
export function viewAsComplex<D extends DType>(x: Tensor<D>): Tensor<PairOf<D>> {
  if (arguments.length > 1) refuseMore('viewAsComplex', 1, arguments);
  return run(221, [x]) as Tensor<PairOf<D>>;
}

/** re + i im, of real floats */
export function complex<D extends DType, A extends Operand, O extends DType = PairOf<Promote<Tensor<D>, A>>>(
  re: Tensor<D>,
  im: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('complex', 3, arguments);
  return run(222, [re, im, options]) as Tensor<NoInfer<O>>;
}

/** abs * (cos(angle) + i sin(angle)), of real floats */
export function polar<D extends DType, A extends Operand, O extends DType = PairOf<Promote<Tensor<D>, A>>>(
  abs: Tensor<D>,
  angle: A,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('polar', 3, arguments);
  return run(223, [abs, angle, options]) as Tensor<NoInfer<O>>;
}

/** complex conjugate; a copy of x where it is real */
export function conj<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('conj', 2, arguments);
  return run(224, [x, options]) as Tensor<NoInfer<O>>;
}

/** angle of a complex number, in radians, in [-pi, pi]; of a real one 0, or pi below 0; NaN of NaN */
export function angle<D extends DType, O extends DType = PartOf<FloatOf<D>>>(
  x: Tensor<D>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('angle', 2, arguments);
  return run(225, [x, options]) as Tensor<NoInfer<O>>;
}

/** x / |x|, 0 of 0; the sign where x is real */
export function sgn<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('sgn', 2, arguments);
  return run(226, [x, options]) as Tensor<NoInfer<O>>;
}

/** whether the imaginary part is 0; true where x is real */
export function isreal<D extends DType, O extends DType = 'bool'>(
  x: Tensor<D>,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('isreal', 2, arguments);
  return run(227, [x, options]) as Tensor<NoInfer<O>>;
}

/** Of sgd. */
export interface SgdOptions {
  /** A number. Needed, where it is not an argument. */
  lr?: number;
  /** Written to in place. */
  momenta?: readonly Tensor[] | null;
  /** A number. Default: 0. */
  momentum?: number;
  /** A number. Default: 0. */
  dampening?: number;
  /** A number. Default: 0. */
  weightDecay?: number;
  /** Default: false. */
  nesterov?: boolean;
  /** Default: false. */
  maximize?: boolean;
  /** Default: false. */
  isFirstStep?: boolean;
}

/** a step of stochastic gradient descent; with momenta, of heavy balls or Nesterov's: at the first step they become the gradients */
export function sgd(
  params: readonly Tensor[],
  grads: readonly Tensor[],
  lr: number | SgdOptions,
  options?: SgdOptions,
): void {
  if (arguments.length > 4) refuseMore('sgd', 4, arguments);
  run(228, [params, grads, lr, options]);
}

/** Of adam. */
export interface AdamOptions {
  /** A whole number. Needed, where it is not an argument. */
  step?: number;
  /** A number. Default: 0.001. */
  lr?: number;
  /** Written to in place. */
  maxExpAvgSqs?: readonly Tensor[] | null;
  /** A number. Default: 0.9. */
  beta1?: number;
  /** A number. Default: 0.999. */
  beta2?: number;
  /** A number. Default: 1e-8. */
  eps?: number;
  /** A number. Default: 0. */
  weightDecay?: number;
  /** Default: false. */
  maximize?: boolean;
}

/** step number 1, 2, .. of Adam, by running means of gradients and of their squares; of AMSGrad where the largest of these are kept */
export function adam(
  params: readonly Tensor[],
  grads: readonly Tensor[],
  expAvgs: readonly Tensor[],
  expAvgSqs: readonly Tensor[],
  step: number | AdamOptions,
  lr?: number | null | AdamOptions,
  options?: AdamOptions,
): void {
  if (arguments.length > 7) refuseMore('adam', 7, arguments);
  run(229, [params, grads, expAvgs, expAvgSqs, step, lr, options]);
}

/** Of adamw. */
export interface AdamwOptions {
  /** A whole number. Needed, where it is not an argument. */
  step?: number;
  /** A number. Default: 0.001. */
  lr?: number;
  /** Written to in place. */
  maxExpAvgSqs?: readonly Tensor[] | null;
  /** A number. Default: 0.9. */
  beta1?: number;
  /** A number. Default: 0.999. */
  beta2?: number;
  /** A number. Default: 1e-8. */
  eps?: number;
  /** A number. Default: 0.01. */
  weightDecay?: number;
  /** Default: false. */
  maximize?: boolean;
}

/** step number 1, 2, .. of AdamW: Adam, where weights decay by lr * weight_decay of themselves */
export function adamw(
  params: readonly Tensor[],
  grads: readonly Tensor[],
  expAvgs: readonly Tensor[],
  expAvgSqs: readonly Tensor[],
  step: number | AdamwOptions,
  lr?: number | null | AdamwOptions,
  options?: AdamwOptions,
): void {
  if (arguments.length > 7) refuseMore('adamw', 7, arguments);
  run(230, [params, grads, expAvgs, expAvgSqs, step, lr, options]);
}

/** Of rmsprop. */
export interface RmspropOptions {
  /** A number. Default: 0.01. */
  lr?: number;
  /** Written to in place. */
  momenta?: readonly Tensor[] | null;
  /** Written to in place. */
  gradAvgs?: readonly Tensor[] | null;
  /** A number. Default: 0.99. */
  alpha?: number;
  /** A number. Default: 1e-8. */
  eps?: number;
  /** A number. Default: 0. */
  weightDecay?: number;
  /** A number. Default: 0. */
  momentum?: number;
  /** Default: false. */
  maximize?: boolean;
}

/** a step of RMSprop, by running means of squares of gradients; with means of gradients, too, of its centred form */
export function rmsprop(
  params: readonly Tensor[],
  grads: readonly Tensor[],
  squareAvgs: readonly Tensor[],
  lr?: number | null | RmspropOptions,
  options?: RmspropOptions,
): void {
  if (arguments.length > 5) refuseMore('rmsprop', 5, arguments);
  run(231, [params, grads, squareAvgs, lr, options]);
}

/** Of adagrad. */
export interface AdagradOptions {
  /** A whole number. Needed, where it is not an argument. */
  step?: number;
  /** A number. Default: 0.01. */
  lr?: number;
  /** A number. Default: 0. */
  lrDecay?: number;
  /** A number. Default: 0. */
  weightDecay?: number;
  /** A number. Default: 1e-10. */
  eps?: number;
  /** Default: false. */
  maximize?: boolean;
}

/** step number 1, 2, .. of Adagrad, by sums of squares of gradients */
export function adagrad(
  params: readonly Tensor[],
  grads: readonly Tensor[],
  stateSums: readonly Tensor[],
  step: number | AdagradOptions,
  lr?: number | null | AdagradOptions,
  options?: AdagradOptions,
): void {
  if (arguments.length > 6) refuseMore('adagrad', 6, arguments);
  run(232, [params, grads, stateSums, step, lr, options]);
}

/** Of totalNorm. */
export interface TotalNormOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 2. */
  p?: number;
}

/** norm of order p of all elements of several tensors: the norm of their norms; 0 of none */
export function totalNorm<L extends readonly Tensor[], O extends DType = FloatOf<PromoteAll<L>>>(
  tensors: readonly [...L],
  p?: number | null | TotalNormOptions<O>,
  options?: TotalNormOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('totalNorm', 3, arguments);
  return run(233, [tensors, p, options]) as Tensor<NoInfer<O>>;
}

/** Of clipGradsWithNorm. */
export interface ClipGradsWithNormOptions {
  /** A number. Needed, where it is not an argument. */
  maxNorm?: number;
}

/** gradients times max_norm / (total_norm + 1e-6), where that is below 1: total_norm gives their norm */
export function clipGradsWithNorm(
  totalNorm: Tensor,
  grads: readonly Tensor[],
  maxNorm: number | ClipGradsWithNormOptions,
): void {
  if (arguments.length > 3) refuseMore('clipGradsWithNorm', 3, arguments);
  run(234, [totalNorm, grads, maxNorm]);
}

/** Of clipGradValue. */
export interface ClipGradValueOptions {
  /** A number. Needed, where it is not an argument. */
  clipValue?: number;
}

/** elements of gradients below -clip_value become that, those above clip_value that */
export function clipGradValue(grads: readonly Tensor[], clipValue: number | ClipGradValueOptions): void {
  if (arguments.length > 2) refuseMore('clipGradValue', 2, arguments);
  run(235, [grads, clipValue]);
}

/** Of convolution. */
export interface ConvolutionOptions<W extends DType = DType, O extends DType = DType> extends OutOptions<O> {
  bias?: Tensor<W> | null;
  /** 3 whole numbers, or one for all. Default: 1. */
  stride?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
  /** Default: false. */
  transposed?: boolean;
  /** 3 whole numbers, or one for all. Default: 0. */
  outputPadding?: number | readonly number[];
  /** A whole number. Default: 1. */
  groups?: number;
}

/** sums of products of weight and windows of x, of 5 dims both, plus bias: conv3d, or conv_transpose3d with transposed */
export function convolution<
  D extends DType,
  E extends DType,
  W extends DType = never,
  O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
>(x: Tensor<D>, weight: Tensor<E>, options?: ConvolutionOptions<W, O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('convolution', 3, arguments);
  return run(236, [x, weight, options]) as Tensor<NoInfer<O>>;
}

/** Of convolutionWeight. */
export interface ConvolutionWeightOptions<O extends DType = DType> extends OutOptions<O> {
  /** 3 whole numbers, or one for all. Needed, where it is not an argument. */
  kernelSize?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 1. */
  stride?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
  /** A whole number. Default: 1. */
  groups?: number;
}

/** the gradient of weight of convolution, where gradient is that of its result; all have 5 dims */
export function convolutionWeight<
  D extends DType,
  E extends DType,
  O extends DType = Promote<Tensor<D>, Tensor<E>>,
>(
  gradient: Tensor<D>,
  x: Tensor<E>,
  kernelSize: number | readonly number[] | ConvolutionWeightOptions<O>,
  options?: ConvolutionWeightOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('convolutionWeight', 4, arguments);
  return run(237, [gradient, x, kernelSize, options]) as Tensor<NoInfer<O>>;
}

/** Of conv1d. */
export interface Conv1dOptions<W extends DType = DType, O extends DType = DType> extends OutOptions<O> {
  bias?: Tensor<W> | null;
  /** 1 whole numbers, or one for all. Default: 1. */
  stride?: number | readonly number[];
  /** 1 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 1 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
  /** A whole number. Default: 1. */
  groups?: number;
}

/** y[n][o][i] = bias[o] + sum of weight[o][c][t] x[n][c][i stride + t dilation - padding], 0 beyond the ends of x; channels in groups that do not meet */
export function conv1d<
  D extends DType,
  E extends DType,
  W extends DType = never,
  O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
>(x: Tensor<D>, weight: Tensor<E>, options?: Conv1dOptions<W, O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('conv1d', 3, arguments);
  return run(238, [x, weight, options]) as Tensor<NoInfer<O>>;
}

/** Of conv2d. */
export interface Conv2dOptions<W extends DType = DType, O extends DType = DType> extends OutOptions<O> {
  bias?: Tensor<W> | null;
  /** 2 whole numbers, or one for all. Default: 1. */
  stride?: number | readonly number[];
  /** 2 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 2 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
  /** A whole number. Default: 1. */
  groups?: number;
}

/** conv1d along two axes: x is [batch, channels, height, width], weight [out, channels / groups, rows, columns] */
export function conv2d<
  D extends DType,
  E extends DType,
  W extends DType = never,
  O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
>(x: Tensor<D>, weight: Tensor<E>, options?: Conv2dOptions<W, O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('conv2d', 3, arguments);
  return run(239, [x, weight, options]) as Tensor<NoInfer<O>>;
}

/** Of conv3d. */
export interface Conv3dOptions<W extends DType = DType, O extends DType = DType> extends OutOptions<O> {
  bias?: Tensor<W> | null;
  /** 3 whole numbers, or one for all. Default: 1. */
  stride?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
  /** A whole number. Default: 1. */
  groups?: number;
}

/** conv1d along three axes */
export function conv3d<
  D extends DType,
  E extends DType,
  W extends DType = never,
  O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
>(x: Tensor<D>, weight: Tensor<E>, options?: Conv3dOptions<W, O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('conv3d', 3, arguments);
  return run(240, [x, weight, options]) as Tensor<NoInfer<O>>;
}

/** Of convTranspose1d. */
export interface ConvTranspose1dOptions<
  W extends DType = DType,
  O extends DType = DType,
> extends OutOptions<O> {
  bias?: Tensor<W> | null;
  /** 1 whole numbers, or one for all. Default: 1. */
  stride?: number | readonly number[];
  /** 1 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 1 whole numbers, or one for all. Default: 0. */
  outputPadding?: number | readonly number[];
  /** A whole number. Default: 1. */
  groups?: number;
  /** 1 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
}

/** the gradient of x of conv1d where x is that of its result: y[n][o][i stride + t dilation - padding] adds up weight[c][o][t] x[n][c][i]; plus bias */
export function convTranspose1d<
  D extends DType,
  E extends DType,
  W extends DType = never,
  O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
>(x: Tensor<D>, weight: Tensor<E>, options?: ConvTranspose1dOptions<W, O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('convTranspose1d', 3, arguments);
  return run(241, [x, weight, options]) as Tensor<NoInfer<O>>;
}

/** Of convTranspose2d. */
export interface ConvTranspose2dOptions<
  W extends DType = DType,
  O extends DType = DType,
> extends OutOptions<O> {
  bias?: Tensor<W> | null;
  /** 2 whole numbers, or one for all. Default: 1. */
  stride?: number | readonly number[];
  /** 2 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 2 whole numbers, or one for all. Default: 0. */
  outputPadding?: number | readonly number[];
  /** A whole number. Default: 1. */
  groups?: number;
  /** 2 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
}

/** conv_transpose1d along two axes: x is [batch, channels, height, width], weight [channels, out / groups, rows, columns] */
export function convTranspose2d<
  D extends DType,
  E extends DType,
  W extends DType = never,
  O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
>(x: Tensor<D>, weight: Tensor<E>, options?: ConvTranspose2dOptions<W, O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('convTranspose2d', 3, arguments);
  return run(242, [x, weight, options]) as Tensor<NoInfer<O>>;
}

/** Of convTranspose3d. */
export interface ConvTranspose3dOptions<
  W extends DType = DType,
  O extends DType = DType,
> extends OutOptions<O> {
  bias?: Tensor<W> | null;
  /** 3 whole numbers, or one for all. Default: 1. */
  stride?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 0. */
  outputPadding?: number | readonly number[];
  /** A whole number. Default: 1. */
  groups?: number;
  /** 3 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
}

/** conv_transpose1d along three axes */
export function convTranspose3d<
  D extends DType,
  E extends DType,
  W extends DType = never,
  O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
>(x: Tensor<D>, weight: Tensor<E>, options?: ConvTranspose3dOptions<W, O>): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('convTranspose3d', 3, arguments);
  return run(243, [x, weight, options]) as Tensor<NoInfer<O>>;
}

/** Of maxPool3dWithIndices. */
export interface MaxPool3dWithIndicesOptions<O extends DType = DType, P extends DType = DType> {
  /** 3 whole numbers, or one for all. Needed, where it is not an argument. */
  kernelSize?: number | readonly number[];
  /** 3 whole numbers, or one for all. */
  stride?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
  /** Default: false. */
  ceilMode?: boolean;
  /** Where the results go, all of them. */
  out?: { values: Tensor<O>; indices: Tensor<P> };
}

/** max_pool3d, and where the elements are, in row-major order of the last three axes: the first of equals, the last NaN if there is one */
export function maxPool3dWithIndices<D extends DType, O extends DType = D, P extends DType = 'int64'>(
  x: Tensor<D>,
  kernelSize: number | readonly number[] | MaxPool3dWithIndicesOptions<O, P>,
  stride?: number | readonly number[] | null | MaxPool3dWithIndicesOptions<O, P>,
  options?: MaxPool3dWithIndicesOptions<O, P>,
): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
  if (arguments.length > 4) refuseMore('maxPool3dWithIndices', 4, arguments);
  return run(244, [x, kernelSize, stride, options]) as {
    values: Tensor<NoInfer<O>>;
    indices: Tensor<NoInfer<P>>;
  };
}

/** Of maxPool2dWithIndices. */
export interface MaxPool2dWithIndicesOptions<O extends DType = DType, P extends DType = DType> {
  /** 2 whole numbers, or one for all. Needed, where it is not an argument. */
  kernelSize?: number | readonly number[];
  /** 2 whole numbers, or one for all. */
  stride?: number | readonly number[];
  /** 2 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 2 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
  /** Default: false. */
  ceilMode?: boolean;
  /** Where the results go, all of them. */
  out?: { values: Tensor<O>; indices: Tensor<P> };
}

/** max_pool2d, and where the elements are, in row-major order of the last two axes: the first of equals, the last NaN if there is one */
export function maxPool2dWithIndices<D extends DType, O extends DType = D, P extends DType = 'int64'>(
  x: Tensor<D>,
  kernelSize: number | readonly number[] | MaxPool2dWithIndicesOptions<O, P>,
  stride?: number | readonly number[] | null | MaxPool2dWithIndicesOptions<O, P>,
  options?: MaxPool2dWithIndicesOptions<O, P>,
): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
  if (arguments.length > 4) refuseMore('maxPool2dWithIndices', 4, arguments);
  return run(245, [x, kernelSize, stride, options]) as {
    values: Tensor<NoInfer<O>>;
    indices: Tensor<NoInfer<P>>;
  };
}

/** Of maxPool1dWithIndices. */
export interface MaxPool1dWithIndicesOptions<O extends DType = DType, P extends DType = DType> {
  /** 1 whole numbers, or one for all. Needed, where it is not an argument. */
  kernelSize?: number | readonly number[];
  /** 1 whole numbers, or one for all. */
  stride?: number | readonly number[];
  /** 1 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 1 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
  /** Default: false. */
  ceilMode?: boolean;
  /** Where the results go, all of them. */
  out?: { values: Tensor<O>; indices: Tensor<P> };
}

/** max_pool1d, and where the elements are along the last axis: the first of equals, the last NaN if there is one */
export function maxPool1dWithIndices<D extends DType, O extends DType = D, P extends DType = 'int64'>(
  x: Tensor<D>,
  kernelSize: number | readonly number[] | MaxPool1dWithIndicesOptions<O, P>,
  stride?: number | readonly number[] | null | MaxPool1dWithIndicesOptions<O, P>,
  options?: MaxPool1dWithIndicesOptions<O, P>,
): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
  if (arguments.length > 4) refuseMore('maxPool1dWithIndices', 4, arguments);
  return run(246, [x, kernelSize, stride, options]) as {
    values: Tensor<NoInfer<O>>;
    indices: Tensor<NoInfer<P>>;
  };
}

/** Of maxPool1d. */
export interface MaxPool1dOptions<O extends DType = DType> extends OutOptions<O> {
  /** 1 whole numbers, or one for all. Needed, where it is not an argument. */
  kernelSize?: number | readonly number[];
  /** 1 whole numbers, or one for all. */
  stride?: number | readonly number[];
  /** 1 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 1 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
  /** Default: false. */
  ceilMode?: boolean;
}

/** largest elements of windows along the last axis; padding never is the largest; ceil_mode: windows may reach beyond it */
export function maxPool1d<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  kernelSize: number | readonly number[] | MaxPool1dOptions<O>,
  stride?: number | readonly number[] | null | MaxPool1dOptions<O>,
  options?: MaxPool1dOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('maxPool1d', 4, arguments);
  return run(247, [x, kernelSize, stride, options]) as Tensor<NoInfer<O>>;
}

/** Of maxPool2d. */
export interface MaxPool2dOptions<O extends DType = DType> extends OutOptions<O> {
  /** 2 whole numbers, or one for all. Needed, where it is not an argument. */
  kernelSize?: number | readonly number[];
  /** 2 whole numbers, or one for all. */
  stride?: number | readonly number[];
  /** 2 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 2 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
  /** Default: false. */
  ceilMode?: boolean;
}

/** largest elements of windows along the last two axes, as of max_pool1d */
export function maxPool2d<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  kernelSize: number | readonly number[] | MaxPool2dOptions<O>,
  stride?: number | readonly number[] | null | MaxPool2dOptions<O>,
  options?: MaxPool2dOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('maxPool2d', 4, arguments);
  return run(248, [x, kernelSize, stride, options]) as Tensor<NoInfer<O>>;
}

/** Of maxPool3d. */
export interface MaxPool3dOptions<O extends DType = DType> extends OutOptions<O> {
  /** 3 whole numbers, or one for all. Needed, where it is not an argument. */
  kernelSize?: number | readonly number[];
  /** 3 whole numbers, or one for all. */
  stride?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 1. */
  dilation?: number | readonly number[];
  /** Default: false. */
  ceilMode?: boolean;
}

/** largest elements of windows along the last three axes, as of max_pool1d */
export function maxPool3d<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  kernelSize: number | readonly number[] | MaxPool3dOptions<O>,
  stride?: number | readonly number[] | null | MaxPool3dOptions<O>,
  options?: MaxPool3dOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('maxPool3d', 4, arguments);
  return run(249, [x, kernelSize, stride, options]) as Tensor<NoInfer<O>>;
}

/** Of avgPool1d. */
export interface AvgPool1dOptions<O extends DType = DType> extends OutOptions<O> {
  /** 1 whole numbers, or one for all. Needed, where it is not an argument. */
  kernelSize?: number | readonly number[];
  /** 1 whole numbers, or one for all. */
  stride?: number | readonly number[];
  /** 1 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** Default: false. */
  ceilMode?: boolean;
  /** Default: true. */
  countIncludePad?: boolean;
}

/** means of windows along the last axis; zeros of the padding count, unless count_include_pad is false */
export function avgPool1d<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  kernelSize: number | readonly number[] | AvgPool1dOptions<O>,
  stride?: number | readonly number[] | null | AvgPool1dOptions<O>,
  options?: AvgPool1dOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('avgPool1d', 4, arguments);
  return run(250, [x, kernelSize, stride, options]) as Tensor<NoInfer<O>>;
}

/** Of avgPool2d. */
export interface AvgPool2dOptions<O extends DType = DType> extends OutOptions<O> {
  /** 2 whole numbers, or one for all. Needed, where it is not an argument. */
  kernelSize?: number | readonly number[];
  /** 2 whole numbers, or one for all. */
  stride?: number | readonly number[];
  /** 2 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** Default: false. */
  ceilMode?: boolean;
  /** Default: true. */
  countIncludePad?: boolean;
  /** A whole number. Default: not given. */
  divisorOverride?: number | null;
}

/** means of windows along the last two axes, as of avg_pool1d; or sums divided by divisor_override */
export function avgPool2d<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  kernelSize: number | readonly number[] | AvgPool2dOptions<O>,
  stride?: number | readonly number[] | null | AvgPool2dOptions<O>,
  options?: AvgPool2dOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('avgPool2d', 4, arguments);
  return run(251, [x, kernelSize, stride, options]) as Tensor<NoInfer<O>>;
}

/** Of avgPool3d. */
export interface AvgPool3dOptions<O extends DType = DType> extends OutOptions<O> {
  /** 3 whole numbers, or one for all. Needed, where it is not an argument. */
  kernelSize?: number | readonly number[];
  /** 3 whole numbers, or one for all. */
  stride?: number | readonly number[];
  /** 3 whole numbers, or one for all. Default: 0. */
  padding?: number | readonly number[];
  /** Default: false. */
  ceilMode?: boolean;
  /** Default: true. */
  countIncludePad?: boolean;
  /** A whole number. Default: not given. */
  divisorOverride?: number | null;
}

/** means of windows along the last three axes, as of avg_pool1d; or sums divided by divisor_override */
export function avgPool3d<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  kernelSize: number | readonly number[] | AvgPool3dOptions<O>,
  stride?: number | readonly number[] | null | AvgPool3dOptions<O>,
  options?: AvgPool3dOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('avgPool3d', 4, arguments);
  return run(252, [x, kernelSize, stride, options]) as Tensor<NoInfer<O>>;
}

/** Of adaptiveAvgPool1d. */
export interface AdaptiveAvgPool1dOptions<O extends DType = DType> extends OutOptions<O> {
  /** 1 whole numbers, or one for all. Needed, where it is not an argument. */
  outputSize?: number | readonly number[];
}

/** means of output_size windows along the last axis: window i from floor(i n / output_size) to ceil((i + 1) n / output_size) */
export function adaptiveAvgPool1d<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  outputSize: number | readonly number[] | AdaptiveAvgPool1dOptions<O>,
  options?: AdaptiveAvgPool1dOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('adaptiveAvgPool1d', 3, arguments);
  return run(253, [x, outputSize, options]) as Tensor<NoInfer<O>>;
}

/** Of adaptiveAvgPool2d. */
export interface AdaptiveAvgPool2dOptions<O extends DType = DType> extends OutOptions<O> {
  /** 2 whole numbers, or one for all. Needed, where it is not an argument. */
  outputSize?: number | readonly number[];
}

/** means of windows along the last two axes, as of adaptive_avg_pool1d */
export function adaptiveAvgPool2d<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  outputSize: number | readonly number[] | AdaptiveAvgPool2dOptions<O>,
  options?: AdaptiveAvgPool2dOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('adaptiveAvgPool2d', 3, arguments);
  return run(254, [x, outputSize, options]) as Tensor<NoInfer<O>>;
}

/** Of adaptiveMaxPool1d. */
export interface AdaptiveMaxPool1dOptions<O extends DType = DType> extends OutOptions<O> {
  /** 1 whole numbers, or one for all. Needed, where it is not an argument. */
  outputSize?: number | readonly number[];
}

/** largest elements of the windows of adaptive_avg_pool1d */
export function adaptiveMaxPool1d<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  outputSize: number | readonly number[] | AdaptiveMaxPool1dOptions<O>,
  options?: AdaptiveMaxPool1dOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('adaptiveMaxPool1d', 3, arguments);
  return run(255, [x, outputSize, options]) as Tensor<NoInfer<O>>;
}

/** Of adaptiveMaxPool2d. */
export interface AdaptiveMaxPool2dOptions<O extends DType = DType> extends OutOptions<O> {
  /** 2 whole numbers, or one for all. Needed, where it is not an argument. */
  outputSize?: number | readonly number[];
}

/** largest elements of the windows of adaptive_avg_pool2d */
export function adaptiveMaxPool2d<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  outputSize: number | readonly number[] | AdaptiveMaxPool2dOptions<O>,
  options?: AdaptiveMaxPool2dOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('adaptiveMaxPool2d', 3, arguments);
  return run(256, [x, outputSize, options]) as Tensor<NoInfer<O>>;
}

/** Of groupNorm. */
export interface GroupNormOptions<O extends DType = DType> extends OutOptions<O> {
  /** A whole number. Needed, where it is not an argument. */
  numGroups?: number;
  weight?: Tensor | null;
  bias?: Tensor | null;
  /** A number. Default: 0.00001. */
  eps?: number;
}

/** (x - mean) / sqrt(variance + eps) of each group of channels, axis 1, of each member of the batch; times weight plus bias of the channel */
export function groupNorm<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  numGroups: number | GroupNormOptions<O>,
  options?: GroupNormOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('groupNorm', 3, arguments);
  return run(258, [x, numGroups, options]) as Tensor<NoInfer<O>>;
}

/** Of instanceNorm. */
export interface InstanceNormOptions<O extends DType = DType> extends OutOptions<O> {
  weight?: Tensor | null;
  bias?: Tensor | null;
  /** A number. Default: 0.00001. */
  eps?: number;
}

/** group_norm where each channel is a group */
export function instanceNorm<D extends DType, O extends DType = FloatOf<D>>(
  x: Tensor<D>,
  options?: InstanceNormOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('instanceNorm', 2, arguments);
  return run(259, [x, options]) as Tensor<NoInfer<O>>;
}

/** Of softplus. */
export interface SoftplusOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 1. */
  beta?: number;
  /** A number. Default: 20. */
  threshold?: number;
}

/** log(1 + exp(beta * a)) / beta; a where beta * a is above the threshold */
export function softplus<D extends DType, O extends DType = FloatOf<D>>(
  a: Tensor<D>,
  beta?: number | null | SoftplusOptions<O>,
  threshold?: number | null | SoftplusOptions<O>,
  options?: SoftplusOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('softplus', 4, arguments);
  return run(260, [a, beta, threshold, options]) as Tensor<NoInfer<O>>;
}

/** Of elu. */
export interface EluOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 1. */
  alpha?: number;
}

/** a above 0, alpha * (exp(a) - 1) below */
export function elu<D extends DType, O extends DType = FloatOf<D>>(
  a: Tensor<D>,
  alpha?: number | null | EluOptions<O>,
  options?: EluOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('elu', 3, arguments);
  return run(261, [a, alpha, options]) as Tensor<NoInfer<O>>;
}

/** Of celu. */
export interface CeluOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 1. */
  alpha?: number;
}

/** a above 0, alpha * (exp(a / alpha) - 1) below */
export function celu<D extends DType, O extends DType = FloatOf<D>>(
  a: Tensor<D>,
  alpha?: number | null | CeluOptions<O>,
  options?: CeluOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('celu', 3, arguments);
  return run(262, [a, alpha, options]) as Tensor<NoInfer<O>>;
}

/** Of leakyRelu. */
export interface LeakyReluOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 0.01. */
  negativeSlope?: number;
}

/** a above 0, negative_slope * a below */
export function leakyRelu<D extends DType, O extends DType = FloatOf<D>>(
  a: Tensor<D>,
  negativeSlope?: number | null | LeakyReluOptions<O>,
  options?: LeakyReluOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('leakyRelu', 3, arguments);
  return run(263, [a, negativeSlope, options]) as Tensor<NoInfer<O>>;
}

/** Of hardshrink. */
export interface HardshrinkOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 0.5. */
  lambd?: number;
}

/** a, but 0 where its magnitude is at most lambd */
export function hardshrink<D extends DType, O extends DType = FloatOf<D>>(
  a: Tensor<D>,
  lambd?: number | null | HardshrinkOptions<O>,
  options?: HardshrinkOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('hardshrink', 3, arguments);
  return run(264, [a, lambd, options]) as Tensor<NoInfer<O>>;
}

/** Of softshrink. */
export interface SoftshrinkOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: 0.5. */
  lambd?: number;
}

/** a moved towards 0 by lambd, 0 where its magnitude is at most that */
export function softshrink<D extends DType, O extends DType = FloatOf<D>>(
  a: Tensor<D>,
  lambd?: number | null | SoftshrinkOptions<O>,
  options?: SoftshrinkOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('softshrink', 3, arguments);
  return run(265, [a, lambd, options]) as Tensor<NoInfer<O>>;
}

/** Of hardtanh. */
export interface HardtanhOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number, bigint or boolean. Default: -1. */
  minVal?: Scalar;
  /** A number, bigint or boolean. Default: 1. */
  maxVal?: Scalar;
}

/** a limited to [min_val, max_val] */
export function hardtanh<D extends DType, O extends DType = D>(
  a: Tensor<D>,
  minVal?: Scalar | null | HardtanhOptions<O>,
  maxVal?: Scalar | null | HardtanhOptions<O>,
  options?: HardtanhOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 4) refuseMore('hardtanh', 4, arguments);
  return run(266, [a, minVal, maxVal, options]) as Tensor<NoInfer<O>>;
}

/** Of threshold. */
export interface ThresholdOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number, bigint or boolean. Needed, where it is not an argument. */
  threshold?: Scalar;
  /** A number, bigint or boolean. Needed, where it is not an argument. */
  value?: Scalar;
}

/** a, but value where a is at most the threshold */
export function threshold<D extends DType, O extends DType = D>(
  a: Tensor<D>,
  threshold: Scalar,
  value: Scalar | ThresholdOptions<O>,
  options?: ThresholdOptions<O>,
): Tensor<NoInfer<O>>;
export function threshold<D extends DType, O extends DType = D>(
  a: Tensor<D>,
  options: ThresholdOptions<O>,
): Tensor<NoInfer<O>>;
export function threshold(a?: unknown, threshold?: unknown, value?: unknown, options?: unknown): unknown {
  if (arguments.length > 4) refuseMore('threshold', 4, arguments);
  return run(267, [a, threshold, value, options]);
}

/** Of logit. */
export interface LogitOptions<O extends DType = DType> extends OutOptions<O> {
  /** A number. Default: not given. */
  eps?: number | null;
}

/** log(a / (1 - a)); a is limited to [eps, 1 - eps] if eps is given */
export function logit<D extends DType, O extends DType = FloatOf<D>>(
  a: Tensor<D>,
  eps?: number | null | LogitOptions<O>,
  options?: LogitOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('logit', 3, arguments);
  return run(268, [a, eps, options]) as Tensor<NoInfer<O>>;
}

/** The methods that come from the op table; Tensor adds the rest. */
export abstract class TensorOps<D extends DType> extends TensorBase {
  /** this + b; integers wrap, bool is or */
  add<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: AlphaOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('add', 2, arguments);
    return scaled(0, 72, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this + b; integers wrap, bool is or */
  add_(b: Operand, options?: Omit<AlphaOptions, 'out'>): this {
    if (arguments.length > 2) refuseMore('add_', 2, arguments);
    scaledInPlace(0, 72, this as unknown as Tensor, b, options);
    return this;
  }

  /** this - b; integers wrap */
  sub<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: AlphaOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('sub', 2, arguments);
    return scaled(1, 73, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this - b; integers wrap */
  sub_(b: Operand, options?: Omit<AlphaOptions, 'out'>): this {
    if (arguments.length > 2) refuseMore('sub_', 2, arguments);
    scaledInPlace(1, 73, this as unknown as Tensor, b, options);
    return this;
  }

  /** this * b; integers wrap, bool is and */
  mul<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('mul', 2, arguments);
    return binary(2, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this * b; integers wrap, bool is and */
  mul_(b: Operand): this {
    if (arguments.length > 1) refuseMore('mul_', 1, arguments);
    binaryInPlace(2, this as unknown as Tensor, b);
    return this;
  }

  /** -this; the smallest integer stays itself */
  neg<O extends DType = DTypeOf<Tensor<D>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('neg', 1, arguments);
    return unary(4, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: -this; the smallest integer stays itself */
  neg_(): this {
    if (arguments.length > 0) refuseMore('neg_', 0, arguments);
    unaryInPlace(4, this as unknown as Tensor);
    return this;
  }

  /** absolute value; the smallest integer stays itself */
  abs<O extends DType = PartOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('abs', 1, arguments);
    return unary(5, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: absolute value; the smallest integer stays itself */
  abs_(): this {
    if (arguments.length > 0) refuseMore('abs_', 0, arguments);
    unaryInPlace(5, this as unknown as Tensor);
    return this;
  }

  /** -1, 0 or 1; NaN stays NaN, zeros keep their sign */
  sign<O extends DType = DTypeOf<Tensor<D>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('sign', 1, arguments);
    return unary(6, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: -1, 0 or 1; NaN stays NaN, zeros keep their sign */
  sign_(): this {
    if (arguments.length > 0) refuseMore('sign_', 0, arguments);
    unaryInPlace(6, this as unknown as Tensor);
    return this;
  }

  /** this * this */
  square<O extends DType = DTypeOf<Tensor<D>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('square', 1, arguments);
    return unary(7, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this * this */
  square_(): this {
    if (arguments.length > 0) refuseMore('square_', 0, arguments);
    unaryInPlace(7, this as unknown as Tensor);
    return this;
  }

  /** square root, correctly rounded; NaN below zero */
  sqrt<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('sqrt', 1, arguments);
    return unary(8, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: square root, correctly rounded; NaN below zero */
  sqrt_(): this {
    if (arguments.length > 0) refuseMore('sqrt_', 0, arguments);
    unaryInPlace(8, this as unknown as Tensor);
    return this;
  }

  /** 1 / sqrt(this) */
  rsqrt<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('rsqrt', 1, arguments);
    return unary(9, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: 1 / sqrt(this) */
  rsqrt_(): this {
    if (arguments.length > 0) refuseMore('rsqrt_', 0, arguments);
    unaryInPlace(9, this as unknown as Tensor);
    return this;
  }

  /** cube root */
  cbrt<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('cbrt', 1, arguments);
    return unary(10, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: cube root */
  cbrt_(): this {
    if (arguments.length > 0) refuseMore('cbrt_', 0, arguments);
    unaryInPlace(10, this as unknown as Tensor);
    return this;
  }

  /** 1 / this */
  reciprocal<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('reciprocal', 1, arguments);
    return unary(11, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: 1 / this */
  reciprocal_(): this {
    if (arguments.length > 0) refuseMore('reciprocal_', 0, arguments);
    unaryInPlace(11, this as unknown as Tensor);
    return this;
  }

  /** this to the power b; integers wrap */
  pow<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('pow', 2, arguments);
    return binary(12, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this to the power b; integers wrap */
  pow_(b: Operand): this {
    if (arguments.length > 1) refuseMore('pow_', 1, arguments);
    binaryInPlace(12, this as unknown as Tensor, b);
    return this;
  }

  /** this + c * (b - this), exact at c = 0 and c = 1 */
  lerp<B extends Operand, C extends Operand, O extends DType = FloatOf<Promote3<Tensor<D>, B, C>>>(
    b: B,
    c: C,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('lerp', 3, arguments);
    return ternary(13, this as unknown as Tensor, b, c, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this + c * (b - this), exact at c = 0 and c = 1 */
  lerp_(b: Operand, c: Operand): this {
    if (arguments.length > 2) refuseMore('lerp_', 2, arguments);
    ternaryInPlace(13, this as unknown as Tensor, b, c);
    return this;
  }

  /** e to the power this */
  exp<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('exp', 1, arguments);
    return unary(14, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: e to the power this */
  exp_(): this {
    if (arguments.length > 0) refuseMore('exp_', 0, arguments);
    unaryInPlace(14, this as unknown as Tensor);
    return this;
  }

  /** 2 to the power this */
  exp2<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('exp2', 1, arguments);
    return unary(15, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: 2 to the power this */
  exp2_(): this {
    if (arguments.length > 0) refuseMore('exp2_', 0, arguments);
    unaryInPlace(15, this as unknown as Tensor);
    return this;
  }

  /** exp(this) - 1, accurate near zero */
  expm1<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('expm1', 1, arguments);
    return unary(16, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: exp(this) - 1, accurate near zero */
  expm1_(): this {
    if (arguments.length > 0) refuseMore('expm1_', 0, arguments);
    unaryInPlace(16, this as unknown as Tensor);
    return this;
  }

  /** natural logarithm */
  log<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('log', 1, arguments);
    return unary(17, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: natural logarithm */
  log_(): this {
    if (arguments.length > 0) refuseMore('log_', 0, arguments);
    unaryInPlace(17, this as unknown as Tensor);
    return this;
  }

  /** log(1 + this), accurate near zero */
  log1p<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('log1p', 1, arguments);
    return unary(18, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: log(1 + this), accurate near zero */
  log1p_(): this {
    if (arguments.length > 0) refuseMore('log1p_', 0, arguments);
    unaryInPlace(18, this as unknown as Tensor);
    return this;
  }

  /** logarithm to base 2 */
  log2<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('log2', 1, arguments);
    return unary(19, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: logarithm to base 2 */
  log2_(): this {
    if (arguments.length > 0) refuseMore('log2_', 0, arguments);
    unaryInPlace(19, this as unknown as Tensor);
    return this;
  }

  /** logarithm to base 10 */
  log10<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('log10', 1, arguments);
    return unary(20, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: logarithm to base 10 */
  log10_(): this {
    if (arguments.length > 0) refuseMore('log10_', 0, arguments);
    unaryInPlace(20, this as unknown as Tensor);
    return this;
  }

  /** sine of this, in radians */
  sin<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('sin', 1, arguments);
    return unary(21, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: sine of this, in radians */
  sin_(): this {
    if (arguments.length > 0) refuseMore('sin_', 0, arguments);
    unaryInPlace(21, this as unknown as Tensor);
    return this;
  }

  /** cosine of this, in radians */
  cos<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('cos', 1, arguments);
    return unary(22, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: cosine of this, in radians */
  cos_(): this {
    if (arguments.length > 0) refuseMore('cos_', 0, arguments);
    unaryInPlace(22, this as unknown as Tensor);
    return this;
  }

  /** tangent of this, in radians */
  tan<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('tan', 1, arguments);
    return unary(23, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: tangent of this, in radians */
  tan_(): this {
    if (arguments.length > 0) refuseMore('tan_', 0, arguments);
    unaryInPlace(23, this as unknown as Tensor);
    return this;
  }

  /** angle whose sine is this, in radians; NaN beyond [-1, 1] */
  asin<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('asin', 1, arguments);
    return unary(24, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: angle whose sine is this, in radians; NaN beyond [-1, 1] */
  asin_(): this {
    if (arguments.length > 0) refuseMore('asin_', 0, arguments);
    unaryInPlace(24, this as unknown as Tensor);
    return this;
  }

  /** angle whose cosine is this, in radians; NaN beyond [-1, 1] */
  acos<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('acos', 1, arguments);
    return unary(25, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: angle whose cosine is this, in radians; NaN beyond [-1, 1] */
  acos_(): this {
    if (arguments.length > 0) refuseMore('acos_', 0, arguments);
    unaryInPlace(25, this as unknown as Tensor);
    return this;
  }

  /** angle whose tangent is this, in radians */
  atan<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('atan', 1, arguments);
    return unary(26, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: angle whose tangent is this, in radians */
  atan_(): this {
    if (arguments.length > 0) refuseMore('atan_', 0, arguments);
    unaryInPlace(26, this as unknown as Tensor);
    return this;
  }

  /** angle of the point (b, this), in radians, in [-pi, pi] */
  atan2<B extends Operand, O extends DType = FloatOf<Promote<Tensor<D>, B>>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('atan2', 2, arguments);
    return binary(27, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: angle of the point (b, this), in radians, in [-pi, pi] */
  atan2_(b: Operand): this {
    if (arguments.length > 1) refuseMore('atan2_', 1, arguments);
    binaryInPlace(27, this as unknown as Tensor, b);
    return this;
  }

  /** hyperbolic tangent */
  tanh<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('tanh', 1, arguments);
    return unary(28, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: hyperbolic tangent */
  tanh_(): this {
    if (arguments.length > 0) refuseMore('tanh_', 0, arguments);
    unaryInPlace(28, this as unknown as Tensor);
    return this;
  }

  /** hyperbolic sine */
  sinh<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('sinh', 1, arguments);
    return unary(29, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: hyperbolic sine */
  sinh_(): this {
    if (arguments.length > 0) refuseMore('sinh_', 0, arguments);
    unaryInPlace(29, this as unknown as Tensor);
    return this;
  }

  /** hyperbolic cosine */
  cosh<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('cosh', 1, arguments);
    return unary(30, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: hyperbolic cosine */
  cosh_(): this {
    if (arguments.length > 0) refuseMore('cosh_', 0, arguments);
    unaryInPlace(30, this as unknown as Tensor);
    return this;
  }

  /** inverse hyperbolic sine */
  asinh<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('asinh', 1, arguments);
    return unary(31, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: inverse hyperbolic sine */
  asinh_(): this {
    if (arguments.length > 0) refuseMore('asinh_', 0, arguments);
    unaryInPlace(31, this as unknown as Tensor);
    return this;
  }

  /** inverse hyperbolic cosine; NaN below 1 */
  acosh<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('acosh', 1, arguments);
    return unary(32, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: inverse hyperbolic cosine; NaN below 1 */
  acosh_(): this {
    if (arguments.length > 0) refuseMore('acosh_', 0, arguments);
    unaryInPlace(32, this as unknown as Tensor);
    return this;
  }

  /** inverse hyperbolic tangent; NaN beyond [-1, 1] */
  atanh<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('atanh', 1, arguments);
    return unary(33, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: inverse hyperbolic tangent; NaN beyond [-1, 1] */
  atanh_(): this {
    if (arguments.length > 0) refuseMore('atanh_', 0, arguments);
    unaryInPlace(33, this as unknown as Tensor);
    return this;
  }

  /** 1 / (1 + exp(-this)) */
  sigmoid<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('sigmoid', 1, arguments);
    return unary(34, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: 1 / (1 + exp(-this)) */
  sigmoid_(): this {
    if (arguments.length > 0) refuseMore('sigmoid_', 0, arguments);
    unaryInPlace(34, this as unknown as Tensor);
    return this;
  }

  /** max(this, 0); NaN stays NaN */
  relu<O extends DType = DTypeOf<Tensor<D>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('relu', 1, arguments);
    return unary(35, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: max(this, 0); NaN stays NaN */
  relu_(): this {
    if (arguments.length > 0) refuseMore('relu_', 0, arguments);
    unaryInPlace(35, this as unknown as Tensor);
    return this;
  }

  /** error function */
  erf<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('erf', 1, arguments);
    return unary(38, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: error function */
  erf_(): this {
    if (arguments.length > 0) refuseMore('erf_', 0, arguments);
    unaryInPlace(38, this as unknown as Tensor);
    return this;
  }

  /** 1 - erf(this), accurate where erf(this) is near 1 */
  erfc<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('erfc', 1, arguments);
    return unary(39, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: 1 - erf(this), accurate where erf(this) is near 1 */
  erfc_(): this {
    if (arguments.length > 0) refuseMore('erfc_', 0, arguments);
    unaryInPlace(39, this as unknown as Tensor);
    return this;
  }

  /** largest integer not above this */
  floor<O extends DType = DTypeOf<Tensor<D>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('floor', 1, arguments);
    return unary(40, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: largest integer not above this */
  floor_(): this {
    if (arguments.length > 0) refuseMore('floor_', 0, arguments);
    unaryInPlace(40, this as unknown as Tensor);
    return this;
  }

  /** smallest integer not below this */
  ceil<O extends DType = DTypeOf<Tensor<D>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('ceil', 1, arguments);
    return unary(41, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: smallest integer not below this */
  ceil_(): this {
    if (arguments.length > 0) refuseMore('ceil_', 0, arguments);
    unaryInPlace(41, this as unknown as Tensor);
    return this;
  }

  /** nearest integer, halves to even */
  round<O extends DType = DTypeOf<Tensor<D>>>(options?: DecimalsOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('round', 1, arguments);
    return rounded(42, 74, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: nearest integer, halves to even */
  round_(options?: Omit<DecimalsOptions, 'out'>): this {
    if (arguments.length > 1) refuseMore('round_', 1, arguments);
    roundedInPlace(42, 74, this as unknown as Tensor, options);
    return this;
  }

  /** integer part, toward zero */
  trunc<O extends DType = DTypeOf<Tensor<D>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('trunc', 1, arguments);
    return unary(43, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: integer part, toward zero */
  trunc_(): this {
    if (arguments.length > 0) refuseMore('trunc_', 0, arguments);
    unaryInPlace(43, this as unknown as Tensor);
    return this;
  }

  /** smaller of this and b; NaN if either is NaN; -0 below 0 */
  minimum<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('minimum', 2, arguments);
    return binary(44, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: smaller of this and b; NaN if either is NaN; -0 below 0 */
  minimum_(b: Operand): this {
    if (arguments.length > 1) refuseMore('minimum_', 1, arguments);
    binaryInPlace(44, this as unknown as Tensor, b);
    return this;
  }

  /** larger of this and b; NaN if either is NaN; 0 above -0 */
  maximum<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('maximum', 2, arguments);
    return binary(45, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: larger of this and b; NaN if either is NaN; 0 above -0 */
  maximum_(b: Operand): this {
    if (arguments.length > 1) refuseMore('maximum_', 1, arguments);
    binaryInPlace(45, this as unknown as Tensor, b);
    return this;
  }

  /** this == b */
  eq<B extends Operand, O extends DType = 'bool'>(b: B, options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('eq', 2, arguments);
    return binary(48, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this == b */
  eq_(b: Operand): this {
    if (arguments.length > 1) refuseMore('eq_', 1, arguments);
    binaryInPlace(48, this as unknown as Tensor, b);
    return this;
  }

  /** this != b; true with NaN */
  ne<B extends Operand, O extends DType = 'bool'>(b: B, options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('ne', 2, arguments);
    return binary(49, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this != b; true with NaN */
  ne_(b: Operand): this {
    if (arguments.length > 1) refuseMore('ne_', 1, arguments);
    binaryInPlace(49, this as unknown as Tensor, b);
    return this;
  }

  /** this < b */
  lt<B extends Operand, O extends DType = 'bool'>(b: B, options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('lt', 2, arguments);
    return binary(50, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this < b */
  lt_(b: Operand): this {
    if (arguments.length > 1) refuseMore('lt_', 1, arguments);
    binaryInPlace(50, this as unknown as Tensor, b);
    return this;
  }

  /** this <= b */
  le<B extends Operand, O extends DType = 'bool'>(b: B, options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('le', 2, arguments);
    return binary(51, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this <= b */
  le_(b: Operand): this {
    if (arguments.length > 1) refuseMore('le_', 1, arguments);
    binaryInPlace(51, this as unknown as Tensor, b);
    return this;
  }

  /** this > b */
  gt<B extends Operand, O extends DType = 'bool'>(b: B, options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('gt', 2, arguments);
    return binary(52, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this > b */
  gt_(b: Operand): this {
    if (arguments.length > 1) refuseMore('gt_', 1, arguments);
    binaryInPlace(52, this as unknown as Tensor, b);
    return this;
  }

  /** this >= b */
  ge<B extends Operand, O extends DType = 'bool'>(b: B, options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('ge', 2, arguments);
    return binary(53, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this >= b */
  ge_(b: Operand): this {
    if (arguments.length > 1) refuseMore('ge_', 1, arguments);
    binaryInPlace(53, this as unknown as Tensor, b);
    return this;
  }

  /** true where this is NaN */
  isnan<O extends DType = 'bool'>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('isnan', 1, arguments);
    return unary(54, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: true where this is NaN */
  isnan_(): this {
    if (arguments.length > 0) refuseMore('isnan_', 0, arguments);
    unaryInPlace(54, this as unknown as Tensor);
    return this;
  }

  /** true where this is an infinity */
  isinf<O extends DType = 'bool'>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('isinf', 1, arguments);
    return unary(55, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: true where this is an infinity */
  isinf_(): this {
    if (arguments.length > 0) refuseMore('isinf_', 0, arguments);
    unaryInPlace(55, this as unknown as Tensor);
    return this;
  }

  /** true where this is neither an infinity nor NaN */
  isfinite<O extends DType = 'bool'>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('isfinite', 1, arguments);
    return unary(56, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: true where this is neither an infinity nor NaN */
  isfinite_(): this {
    if (arguments.length > 0) refuseMore('isfinite_', 0, arguments);
    unaryInPlace(56, this as unknown as Tensor);
    return this;
  }

  /** this and b as truth values; NaN is true */
  logicalAnd<B extends Operand, O extends DType = 'bool'>(b: B, options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('logicalAnd', 2, arguments);
    return binary(57, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this and b as truth values; NaN is true */
  logicalAnd_(b: Operand): this {
    if (arguments.length > 1) refuseMore('logicalAnd_', 1, arguments);
    binaryInPlace(57, this as unknown as Tensor, b);
    return this;
  }

  /** this or b as truth values; NaN is true */
  logicalOr<B extends Operand, O extends DType = 'bool'>(b: B, options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('logicalOr', 2, arguments);
    return binary(58, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this or b as truth values; NaN is true */
  logicalOr_(b: Operand): this {
    if (arguments.length > 1) refuseMore('logicalOr_', 1, arguments);
    binaryInPlace(58, this as unknown as Tensor, b);
    return this;
  }

  /** true where this is zero */
  logicalNot<O extends DType = 'bool'>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('logicalNot', 1, arguments);
    return unary(59, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: true where this is zero */
  logicalNot_(): this {
    if (arguments.length > 0) refuseMore('logicalNot_', 0, arguments);
    unaryInPlace(59, this as unknown as Tensor);
    return this;
  }

  /** this & b */
  bitwiseAnd<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('bitwiseAnd', 2, arguments);
    return binary(60, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this & b */
  bitwiseAnd_(b: Operand): this {
    if (arguments.length > 1) refuseMore('bitwiseAnd_', 1, arguments);
    binaryInPlace(60, this as unknown as Tensor, b);
    return this;
  }

  /** this | b */
  bitwiseOr<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('bitwiseOr', 2, arguments);
    return binary(61, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this | b */
  bitwiseOr_(b: Operand): this {
    if (arguments.length > 1) refuseMore('bitwiseOr_', 1, arguments);
    binaryInPlace(61, this as unknown as Tensor, b);
    return this;
  }

  /** this ^ b */
  bitwiseXor<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('bitwiseXor', 2, arguments);
    return binary(62, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this ^ b */
  bitwiseXor_(b: Operand): this {
    if (arguments.length > 1) refuseMore('bitwiseXor_', 1, arguments);
    binaryInPlace(62, this as unknown as Tensor, b);
    return this;
  }

  /** every bit of this inverted; bool: not */
  bitwiseNot<O extends DType = DTypeOf<Tensor<D>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('bitwiseNot', 1, arguments);
    return unary(63, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: every bit of this inverted; bool: not */
  bitwiseNot_(): this {
    if (arguments.length > 0) refuseMore('bitwiseNot_', 0, arguments);
    unaryInPlace(63, this as unknown as Tensor);
    return this;
  }

  /** this / b rounded toward zero; integers divided by 0 give 0 */
  truncDivide<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('truncDivide', 2, arguments);
    return binary(64, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this / b rounded toward zero; integers divided by 0 give 0 */
  truncDivide_(b: Operand): this {
    if (arguments.length > 1) refuseMore('truncDivide_', 1, arguments);
    binaryInPlace(64, this as unknown as Tensor, b);
    return this;
  }

  /** this / b rounded down; integers divided by 0 give 0 */
  floorDivide<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('floorDivide', 2, arguments);
    return binary(65, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this / b rounded down; integers divided by 0 give 0 */
  floorDivide_(b: Operand): this {
    if (arguments.length > 1) refuseMore('floorDivide_', 1, arguments);
    binaryInPlace(65, this as unknown as Tensor, b);
    return this;
  }

  /** what this / b rounded toward zero leaves, exact, with the sign of this; x/0: NaN, of integers 0 */
  fmod<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('fmod', 2, arguments);
    return binary(66, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: what this / b rounded toward zero leaves, exact, with the sign of this; x/0: NaN, of integers 0 */
  fmod_(b: Operand): this {
    if (arguments.length > 1) refuseMore('fmod_', 1, arguments);
    binaryInPlace(66, this as unknown as Tensor, b);
    return this;
  }

  /** what this / b rounded down leaves, with the sign of b; x/0: NaN, of integers 0 */
  remainder<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('remainder', 2, arguments);
    return binary(67, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: what this / b rounded down leaves, with the sign of b; x/0: NaN, of integers 0 */
  remainder_(b: Operand): this {
    if (arguments.length > 1) refuseMore('remainder_', 1, arguments);
    binaryInPlace(67, this as unknown as Tensor, b);
    return this;
  }

  /** this << b; 0 where b is negative or at least the number of bits */
  bitwiseLeftShift<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('bitwiseLeftShift', 2, arguments);
    return binary(68, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this << b; 0 where b is negative or at least the number of bits */
  bitwiseLeftShift_(b: Operand): this {
    if (arguments.length > 1) refuseMore('bitwiseLeftShift_', 1, arguments);
    binaryInPlace(68, this as unknown as Tensor, b);
    return this;
  }

  /** this >> b, filled with the sign; nothing but that where b is negative or at least the number of bits */
  bitwiseRightShift<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('bitwiseRightShift', 2, arguments);
    return binary(69, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this >> b, filled with the sign; nothing but that where b is negative or at least the number of bits */
  bitwiseRightShift_(b: Operand): this {
    if (arguments.length > 1) refuseMore('bitwiseRightShift_', 1, arguments);
    binaryInPlace(69, this as unknown as Tensor, b);
    return this;
  }

  /** smaller of this and b; the other one if one is NaN; -0 below 0 */
  fmin<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('fmin', 2, arguments);
    return binary(70, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: smaller of this and b; the other one if one is NaN; -0 below 0 */
  fmin_(b: Operand): this {
    if (arguments.length > 1) refuseMore('fmin_', 1, arguments);
    binaryInPlace(70, this as unknown as Tensor, b);
    return this;
  }

  /** larger of this and b; the other one if one is NaN; 0 above -0 */
  fmax<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('fmax', 2, arguments);
    return binary(71, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: larger of this and b; the other one if one is NaN; 0 above -0 */
  fmax_(b: Operand): this {
    if (arguments.length > 1) refuseMore('fmax_', 1, arguments);
    binaryInPlace(71, this as unknown as Tensor, b);
    return this;
  }

  /** whether one of this and b is true, but not both; NaN is true */
  logicalXor<B extends Operand, O extends DType = 'bool'>(b: B, options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('logicalXor', 2, arguments);
    return binary(75, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: whether one of this and b is true, but not both; NaN is true */
  logicalXor_(b: Operand): this {
    if (arguments.length > 1) refuseMore('logicalXor_', 1, arguments);
    binaryInPlace(75, this as unknown as Tensor, b);
    return this;
  }

  /** whether the sign bit is set; that of -0 and of some NaN is */
  signbit<O extends DType = 'bool'>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('signbit', 1, arguments);
    return unary(76, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: whether the sign bit is set; that of -0 and of some NaN is */
  signbit_(): this {
    if (arguments.length > 0) refuseMore('signbit_', 0, arguments);
    unaryInPlace(76, this as unknown as Tensor);
    return this;
  }

  /** the magnitude of this with the sign of b */
  copysign<B extends Operand, O extends DType = FloatOf<Promote<Tensor<D>, B>>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('copysign', 2, arguments);
    return binary(77, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: the magnitude of this with the sign of b */
  copysign_(b: Operand): this {
    if (arguments.length > 1) refuseMore('copysign_', 1, arguments);
    binaryInPlace(77, this as unknown as Tensor, b);
    return this;
  }

  /** the number next to this towards b */
  nextafter<B extends Operand, O extends DType = FloatOf<Promote<Tensor<D>, B>>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('nextafter', 2, arguments);
    return binary(78, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: the number next to this towards b */
  nextafter_(b: Operand): this {
    if (arguments.length > 1) refuseMore('nextafter_', 1, arguments);
    binaryInPlace(78, this as unknown as Tensor, b);
    return this;
  }

  /** 1 where this is above 0, b where it is 0, else 0, of NaN too */
  heaviside<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('heaviside', 2, arguments);
    return binary(79, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: 1 where this is above 0, b where it is 0, else 0, of NaN too */
  heaviside_(b: Operand): this {
    if (arguments.length > 1) refuseMore('heaviside_', 1, arguments);
    binaryInPlace(79, this as unknown as Tensor, b);
    return this;
  }

  /** greatest common divisor, not negative; of 0 and 0 it is 0 */
  gcd<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('gcd', 2, arguments);
    return binary(80, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: greatest common divisor, not negative; of 0 and 0 it is 0 */
  gcd_(b: Operand): this {
    if (arguments.length > 1) refuseMore('gcd_', 1, arguments);
    binaryInPlace(80, this as unknown as Tensor, b);
    return this;
  }

  /** least common multiple, not negative; wraps */
  lcm<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('lcm', 2, arguments);
    return binary(81, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: least common multiple, not negative; wraps */
  lcm_(b: Operand): this {
    if (arguments.length > 1) refuseMore('lcm_', 1, arguments);
    binaryInPlace(81, this as unknown as Tensor, b);
    return this;
  }

  /** this without its integer part; NaN of infinities */
  frac<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('frac', 1, arguments);
    return unary(82, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this without its integer part; NaN of infinities */
  frac_(): this {
    if (arguments.length > 0) refuseMore('frac_', 0, arguments);
    unaryInPlace(82, this as unknown as Tensor);
    return this;
  }

  /** degrees to radians */
  deg2rad<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('deg2rad', 1, arguments);
    return unary(83, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: degrees to radians */
  deg2rad_(): this {
    if (arguments.length > 0) refuseMore('deg2rad_', 0, arguments);
    unaryInPlace(83, this as unknown as Tensor);
    return this;
  }

  /** radians to degrees */
  rad2deg<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('rad2deg', 1, arguments);
    return unary(84, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: radians to degrees */
  rad2deg_(): this {
    if (arguments.length > 0) refuseMore('rad2deg_', 0, arguments);
    unaryInPlace(84, this as unknown as Tensor);
    return this;
  }

  /** this limited to [0, 6] */
  relu6<O extends DType = DTypeOf<Tensor<D>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('relu6', 1, arguments);
    return unary(85, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this limited to [0, 6] */
  relu6_(): this {
    if (arguments.length > 0) refuseMore('relu6_', 0, arguments);
    unaryInPlace(85, this as unknown as Tensor);
    return this;
  }

  /** this / (1 + abs(this)); NaN of infinities */
  softsign<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('softsign', 1, arguments);
    return unary(86, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this / (1 + abs(this)); NaN of infinities */
  softsign_(): this {
    if (arguments.length > 0) refuseMore('softsign_', 0, arguments);
    unaryInPlace(86, this as unknown as Tensor);
    return this;
  }

  /** this + 3 limited to [0, 6], divided by 6 */
  hardsigmoid<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('hardsigmoid', 1, arguments);
    return unary(87, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this + 3 limited to [0, 6], divided by 6 */
  hardsigmoid_(): this {
    if (arguments.length > 0) refuseMore('hardsigmoid_', 0, arguments);
    unaryInPlace(87, this as unknown as Tensor);
    return this;
  }

  /** this * hardsigmoid(this) */
  hardswish<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('hardswish', 1, arguments);
    return unary(88, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this * hardsigmoid(this) */
  hardswish_(): this {
    if (arguments.length > 0) refuseMore('hardswish_', 0, arguments);
    unaryInPlace(88, this as unknown as Tensor);
    return this;
  }

  /** 10 to the power this */
  exp10<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('exp10', 1, arguments);
    return unary(89, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: 10 to the power this */
  exp10_(): this {
    if (arguments.length > 0) refuseMore('exp10_', 0, arguments);
    unaryInPlace(89, this as unknown as Tensor);
    return this;
  }

  /** this * 2^b, rounded once where b is integral */
  ldexp<B extends Operand, O extends DType = FloatOf<Promote<Tensor<D>, B>>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('ldexp', 2, arguments);
    return binary(90, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this * 2^b, rounded once where b is integral */
  ldexp_(b: Operand): this {
    if (arguments.length > 1) refuseMore('ldexp_', 1, arguments);
    binaryInPlace(90, this as unknown as Tensor, b);
    return this;
  }

  /** this * log(b); 0 where this is 0 and b not NaN */
  xlogy<B extends Operand, O extends DType = FloatOf<Promote<Tensor<D>, B>>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('xlogy', 2, arguments);
    return binary(91, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this * log(b); 0 where this is 0 and b not NaN */
  xlogy_(b: Operand): this {
    if (arguments.length > 1) refuseMore('xlogy_', 1, arguments);
    binaryInPlace(91, this as unknown as Tensor, b);
    return this;
  }

  /** log(exp(this) + exp(b)) */
  logaddexp<B extends Operand, O extends DType = FloatOf<Promote<Tensor<D>, B>>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('logaddexp', 2, arguments);
    return binary(92, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: log(exp(this) + exp(b)) */
  logaddexp_(b: Operand): this {
    if (arguments.length > 1) refuseMore('logaddexp_', 1, arguments);
    binaryInPlace(92, this as unknown as Tensor, b);
    return this;
  }

  /** log2(2^this + 2^b) */
  logaddexp2<B extends Operand, O extends DType = FloatOf<Promote<Tensor<D>, B>>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('logaddexp2', 2, arguments);
    return binary(93, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: log2(2^this + 2^b) */
  logaddexp2_(b: Operand): this {
    if (arguments.length > 1) refuseMore('logaddexp2_', 1, arguments);
    binaryInPlace(93, this as unknown as Tensor, b);
    return this;
  }

  /** sqrt(this^2 + b^2), without overflow on the way; infinite if this or b is */
  hypot<B extends Operand, O extends DType = FloatOf<Promote<Tensor<D>, B>>>(
    b: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('hypot', 2, arguments);
    return binary(94, this as unknown as Tensor, b, options) as Tensor<NoInfer<O>>;
  }
  /** In place: sqrt(this^2 + b^2), without overflow on the way; infinite if this or b is */
  hypot_(b: Operand): this {
    if (arguments.length > 1) refuseMore('hypot_', 1, arguments);
    binaryInPlace(94, this as unknown as Tensor, b);
    return this;
  }

  /** sin(pi this) / (pi this), 1 at 0 */
  sinc<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('sinc', 1, arguments);
    return unary(95, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: sin(pi this) / (pi this), 1 at 0 */
  sinc_(): this {
    if (arguments.length > 0) refuseMore('sinc_', 0, arguments);
    unaryInPlace(95, this as unknown as Tensor);
    return this;
  }

  /** area below this under the standard normal distribution */
  ndtr<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('ndtr', 1, arguments);
    return unary(96, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: area below this under the standard normal distribution */
  ndtr_(): this {
    if (arguments.length > 0) refuseMore('ndtr_', 0, arguments);
    unaryInPlace(96, this as unknown as Tensor);
    return this;
  }

  /** number whose erf is this; NaN beyond [-1, 1] */
  erfinv<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('erfinv', 1, arguments);
    return unary(97, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: number whose erf is this; NaN beyond [-1, 1] */
  erfinv_(): this {
    if (arguments.length > 0) refuseMore('erfinv_', 0, arguments);
    unaryInPlace(97, this as unknown as Tensor);
    return this;
  }

  /** modified Bessel function of the first kind, of order 0 */
  i0<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('i0', 1, arguments);
    return unary(98, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: modified Bessel function of the first kind, of order 0 */
  i0_(): this {
    if (arguments.length > 0) refuseMore('i0_', 0, arguments);
    unaryInPlace(98, this as unknown as Tensor);
    return this;
  }

  /** logarithm of the magnitude of the gamma function */
  lgamma<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('lgamma', 1, arguments);
    return unary(99, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: logarithm of the magnitude of the gamma function */
  lgamma_(): this {
    if (arguments.length > 0) refuseMore('lgamma_', 0, arguments);
    unaryInPlace(99, this as unknown as Tensor);
    return this;
  }

  /** derivative of lgamma */
  digamma<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('digamma', 1, arguments);
    return unary(100, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: derivative of lgamma */
  digamma_(): this {
    if (arguments.length > 0) refuseMore('digamma_', 0, arguments);
    unaryInPlace(100, this as unknown as Tensor);
    return this;
  }

  /** this * sigmoid(this) */
  silu<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('silu', 1, arguments);
    return unary(101, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this * sigmoid(this) */
  silu_(): this {
    if (arguments.length > 0) refuseMore('silu_', 0, arguments);
    unaryInPlace(101, this as unknown as Tensor);
    return this;
  }

  /** this * tanh(log(1 + exp(this))) */
  mish<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('mish', 1, arguments);
    return unary(102, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this * tanh(log(1 + exp(this))) */
  mish_(): this {
    if (arguments.length > 0) refuseMore('mish_', 0, arguments);
    unaryInPlace(102, this as unknown as Tensor);
    return this;
  }

  /** scale * this above 0, scale * alpha * (exp(this) - 1) below; scale = 1.0507, alpha = 1.6733 */
  selu<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('selu', 1, arguments);
    return unary(103, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: scale * this above 0, scale * alpha * (exp(this) - 1) below; scale = 1.0507, alpha = 1.6733 */
  selu_(): this {
    if (arguments.length > 0) refuseMore('selu_', 0, arguments);
    unaryInPlace(103, this as unknown as Tensor);
    return this;
  }

  /** log(sigmoid(this)) */
  logsigmoid<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('logsigmoid', 1, arguments);
    return unary(104, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: log(sigmoid(this)) */
  logsigmoid_(): this {
    if (arguments.length > 0) refuseMore('logsigmoid_', 0, arguments);
    unaryInPlace(104, this as unknown as Tensor);
    return this;
  }

  /** this - tanh(this), accurate near zero */
  tanhshrink<O extends DType = FloatOf<DTypeOf<Tensor<D>>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('tanhshrink', 1, arguments);
    return unary(114, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: this - tanh(this), accurate near zero */
  tanhshrink_(): this {
    if (arguments.length > 0) refuseMore('tanhshrink_', 0, arguments);
    unaryInPlace(114, this as unknown as Tensor);
    return this;
  }

  /** number of 1 bits of the magnitude of this */
  bitwiseCount<O extends DType = DTypeOf<Tensor<D>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('bitwiseCount', 1, arguments);
    return unary(115, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: number of 1 bits of the magnitude of this */
  bitwiseCount_(): this {
    if (arguments.length > 0) refuseMore('bitwiseCount_', 0, arguments);
    unaryInPlace(115, this as unknown as Tensor);
    return this;
  }

  /** number of 0 bits before the first 1 bit of this; of 0 all */
  countLeadingZeros<O extends DType = DTypeOf<Tensor<D>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('countLeadingZeros', 1, arguments);
    return unary(116, this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: number of 0 bits before the first 1 bit of this; of 0 all */
  countLeadingZeros_(): this {
    if (arguments.length > 0) refuseMore('countLeadingZeros_', 0, arguments);
    unaryInPlace(116, this as unknown as Tensor);
    return this;
  }

  /** sum of the elements; pairwise; 0 if empty */
  sum<O extends DType = WideOf<D>>(
    dim?: Dims | null | ReduceOptions<O>,
    options?: ReduceOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('sum', 2, arguments);
    return reduce(0, 'sum', this as unknown as Tensor, dim, options) as Tensor<NoInfer<O>>;
  }

  /** product of the elements; 1 if empty */
  prod<O extends DType = WideOf<D>>(
    dim?: Dims | null | ReduceOptions<O>,
    options?: ReduceOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('prod', 2, arguments);
    return reduce(1, 'prod', this as unknown as Tensor, dim, options) as Tensor<NoInfer<O>>;
  }

  /** largest element; NaN if any is NaN */
  amax<O extends DType = D>(
    dim?: Dims | null | ReduceOptions<O>,
    options?: ReduceOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('amax', 2, arguments);
    return reduce(2, 'amax', this as unknown as Tensor, dim, options) as Tensor<NoInfer<O>>;
  }

  /** smallest element; NaN if any is NaN */
  amin<O extends DType = D>(
    dim?: Dims | null | ReduceOptions<O>,
    options?: ReduceOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('amin', 2, arguments);
    return reduce(3, 'amin', this as unknown as Tensor, dim, options) as Tensor<NoInfer<O>>;
  }

  /** true if an element is non-zero or NaN; false if empty */
  any<O extends DType = TruthOf<D>>(
    dim?: Dims | null | ReduceOptions<O>,
    options?: ReduceOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('any', 2, arguments);
    return reduce(4, 'any', this as unknown as Tensor, dim, options) as Tensor<NoInfer<O>>;
  }

  /** true if every element is non-zero or NaN; true if empty */
  all<O extends DType = TruthOf<D>>(
    dim?: Dims | null | ReduceOptions<O>,
    options?: ReduceOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('all', 2, arguments);
    return reduce(5, 'all', this as unknown as Tensor, dim, options) as Tensor<NoInfer<O>>;
  }

  /** arithmetic mean; NaN if empty */
  mean<O extends DType = D>(
    dim?: Dims | null | ReduceOptions<O>,
    options?: ReduceOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('mean', 2, arguments);
    return reduce(6, 'mean', this as unknown as Tensor, dim, options) as Tensor<NoInfer<O>>;
  }

  /** x[start:stop:step] along an axis, by Python's rules for negative and large bounds; step is not 0 */
  slice(
    dim?: number | null | SliceOptions,
    start?: number | null | SliceOptions,
    stop?: number | null | SliceOptions,
    step?: number | null | SliceOptions,
  ): Tensor<D> {
    if (arguments.length > 4) refuseMore('slice', 4, arguments);
    return run(0, [this as unknown as Tensor, dim, start, stop, step]) as Tensor<D>;
  }

  /** x[index] along an axis, which vanishes */
  select(dim: number, index: number | SelectOptions): Tensor<D>;
  select(options: SelectOptions): Tensor<D>;
  select(dim?: unknown, index?: unknown): unknown {
    if (arguments.length > 2) refuseMore('select', 2, arguments);
    return run(1, [this as unknown as Tensor, dim, index]);
  }

  /** two axes exchanged */
  transpose(dim0: number, dim1: number | TransposeOptions): Tensor<D>;
  transpose(options: TransposeOptions): Tensor<D>;
  transpose(dim0?: unknown, dim1?: unknown): unknown {
    if (arguments.length > 2) refuseMore('transpose', 2, arguments);
    return run(2, [this as unknown as Tensor, dim0, dim1]);
  }

  /** axis k is axis dims[k] of x */
  permute(dims: Dims | PermuteOptions): Tensor<D>;
  permute(...dims: number[]): Tensor<D>;
  permute(...dims: unknown[]): unknown {
    return run(3, spread(3, [this as unknown as Tensor], dims, 0));
  }

  /** order of the elements reversed along axes */
  flip(dims: Dims | FlipOptions): Tensor<D>;
  flip(...dims: number[]): Tensor<D>;
  flip(...dims: unknown[]): unknown {
    return run(4, spread(4, [this as unknown as Tensor], dims, 0));
  }

  /** the same bytes as elements of another dtype; the last axis is longer or shorter where sizes of elements differ; not to bool */
  viewDtype<O extends DType = D>(dtype?: O | null | ViewDtypeOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('viewDtype', 1, arguments);
    return run(6, [this as unknown as Tensor, dtype]) as Tensor<NoInfer<O>>;
  }

  /** broadcast to a shape, with stride 0; -1 keeps a size */
  expand(shape: number | readonly number[] | ExpandOptions): Tensor<D>;
  expand(...shape: number[]): Tensor<D>;
  expand(...shape: unknown[]): unknown {
    return run(7, spread(7, [this as unknown as Tensor], shape, 0));
  }

  /** without the axes that have size 1 */
  squeeze(dim?: Dims | null | SqueezeOptions): Tensor<D>;
  squeeze(...dim: number[]): Tensor<D>;
  squeeze(...dim: unknown[]): unknown {
    return run(8, spread(8, [this as unknown as Tensor], dim, 0));
  }

  /** with an axis of size 1 inserted */
  unsqueeze(dim: number | UnsqueezeOptions): Tensor<D> {
    if (arguments.length > 1) refuseMore('unsqueeze', 1, arguments);
    return run(9, [this as unknown as Tensor, dim]) as Tensor<D>;
  }

  /** the diagonal of two axes, which vanish, as the last axis */
  diagonal(
    offset?: number | null | DiagonalOptions,
    dim1?: number | null | DiagonalOptions,
    dim2?: number | null | DiagonalOptions,
  ): Tensor<D> {
    if (arguments.length > 3) refuseMore('diagonal', 3, arguments);
    return run(10, [this as unknown as Tensor, offset, dim1, dim2]) as Tensor<D>;
  }

  /** view where the strides allow it, else a copy */
  reshape(shape: number | readonly number[] | ReshapeOptions): Tensor<D>;
  reshape(...shape: number[]): Tensor<D>;
  reshape(...shape: unknown[]): unknown {
    return run(11, spread(11, [this as unknown as Tensor], shape, 0));
  }

  /** x itself if it is row-major without gaps, else a copy that is */
  contiguous(): Tensor<D> {
    if (arguments.length > 0) refuseMore('contiguous', 0, arguments);
    return run(12, [this as unknown as Tensor]) as Tensor<D>;
  }

  /** matrix product; the axes before the last two broadcast, one-dim operands are a row and a column */
  matmul<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    b: Tensor<E>,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('matmul', 2, arguments);
    return run(13, [this as unknown as Tensor, b, options]) as Tensor<NoInfer<O>>;
  }

  /** matrix product of two tensors of 2 dims */
  mm<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    b: Tensor<E>,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('mm', 2, arguments);
    return run(14, [this as unknown as Tensor, b, options]) as Tensor<NoInfer<O>>;
  }

  /** matrix products of two batches: tensors of 3 dims */
  bmm<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    b: Tensor<E>,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('bmm', 2, arguments);
    return run(15, [this as unknown as Tensor, b, options]) as Tensor<NoInfer<O>>;
  }

  /** product of a matrix and a vector */
  mv<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    b: Tensor<E>,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('mv', 2, arguments);
    return run(16, [this as unknown as Tensor, b, options]) as Tensor<NoInfer<O>>;
  }

  /** sum of the products of two vectors */
  dot<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    b: Tensor<E>,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('dot', 2, arguments);
    return run(17, [this as unknown as Tensor, b, options]) as Tensor<NoInfer<O>>;
  }

  /** products of all pairs of elements of two vectors */
  outer<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    b: Tensor<E>,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('outer', 2, arguments);
    return run(19, [this as unknown as Tensor, b, options]) as Tensor<NoInfer<O>>;
  }

  /** sums of the products along the last axes of both; the product where one is 0-dim */
  inner<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    b: Tensor<E>,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('inner', 2, arguments);
    return run(20, [this as unknown as Tensor, b, options]) as Tensor<NoInfer<O>>;
  }

  /** sum of the products of two vectors, of which the first is conjugated */
  vdot<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    b: Tensor<E>,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('vdot', 2, arguments);
    return run(21, [this as unknown as Tensor, b, options]) as Tensor<NoInfer<O>>;
  }

  /** beta x + alpha (mat1 mat2); with beta 0 the elements of x do not count */
  addmm<
    E extends DType,
    F extends DType,
    O extends DType = Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>,
  >(mat1: Tensor<E>, mat2: Tensor<F>, options?: AddmmOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('addmm', 3, arguments);
    return run(22, [this as unknown as Tensor, mat1, mat2, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: beta x + alpha (mat1 mat2); with beta 0 the elements of x do not count */
  addmm_(mat1: Tensor, mat2: Tensor, options?: Omit<AddmmOptions, 'out'>): this {
    if (arguments.length > 3) refuseMore('addmm_', 3, arguments);
    runInPlace(22, [this as unknown as Tensor, mat1, mat2, options]);
    return this;
  }

  /** beta x + alpha (mat vec); with beta 0 the elements of x do not count */
  addmv<
    E extends DType,
    F extends DType,
    O extends DType = Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>,
  >(mat: Tensor<E>, vec: Tensor<F>, options?: AddmvOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('addmv', 3, arguments);
    return run(23, [this as unknown as Tensor, mat, vec, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: beta x + alpha (mat vec); with beta 0 the elements of x do not count */
  addmv_(mat: Tensor, vec: Tensor, options?: Omit<AddmvOptions, 'out'>): this {
    if (arguments.length > 3) refuseMore('addmv_', 3, arguments);
    runInPlace(23, [this as unknown as Tensor, mat, vec, options]);
    return this;
  }

  /** beta x + alpha (outer product of vec1 and vec2); with beta 0 the elements of x do not count */
  addr<
    E extends DType,
    F extends DType,
    O extends DType = Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>,
  >(vec1: Tensor<E>, vec2: Tensor<F>, options?: AddrOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('addr', 3, arguments);
    return run(24, [this as unknown as Tensor, vec1, vec2, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: beta x + alpha (outer product of vec1 and vec2); with beta 0 the elements of x do not count */
  addr_(vec1: Tensor, vec2: Tensor, options?: Omit<AddrOptions, 'out'>): this {
    if (arguments.length > 3) refuseMore('addr_', 3, arguments);
    runInPlace(24, [this as unknown as Tensor, vec1, vec2, options]);
    return this;
  }

  /** beta x + alpha (batch1 batch2) of each matrix of two batches; with beta 0 the elements of x do not count */
  baddbmm<
    E extends DType,
    F extends DType,
    O extends DType = Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>,
  >(batch1: Tensor<E>, batch2: Tensor<F>, options?: BaddbmmOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('baddbmm', 3, arguments);
    return run(25, [this as unknown as Tensor, batch1, batch2, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: beta x + alpha (batch1 batch2) of each matrix of two batches; with beta 0 the elements of x do not count */
  baddbmm_(batch1: Tensor, batch2: Tensor, options?: Omit<BaddbmmOptions, 'out'>): this {
    if (arguments.length > 3) refuseMore('baddbmm_', 3, arguments);
    runInPlace(25, [this as unknown as Tensor, batch1, batch2, options]);
    return this;
  }

  /** beta x + alpha (sum of batch1 batch2 over the batch); with beta 0 the elements of x do not count */
  addbmm<
    E extends DType,
    F extends DType,
    O extends DType = Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>,
  >(batch1: Tensor<E>, batch2: Tensor<F>, options?: AddbmmOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('addbmm', 3, arguments);
    return run(26, [this as unknown as Tensor, batch1, batch2, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: beta x + alpha (sum of batch1 batch2 over the batch); with beta 0 the elements of x do not count */
  addbmm_(batch1: Tensor, batch2: Tensor, options?: Omit<AddbmmOptions, 'out'>): this {
    if (arguments.length > 3) refuseMore('addbmm_', 3, arguments);
    runInPlace(26, [this as unknown as Tensor, batch1, batch2, options]);
    return this;
  }

  /** Kronecker product: b once for each element of a, times it */
  kron<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    b: Tensor<E>,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('kron', 2, arguments);
    return run(28, [this as unknown as Tensor, b, options]) as Tensor<NoInfer<O>>;
  }

  /** cross products of the vectors of size 3 along an axis */
  cross<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    b: Tensor<E>,
    dim?: number | null | CrossOptions<O>,
    options?: CrossOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('cross', 3, arguments);
    return run(29, [this as unknown as Tensor, b, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** product of n times x, of square matrices; the identity for n = 0 */
  matrixPower<O extends DType = D>(
    n: number | MatrixPowerOptions<O>,
    options?: MatrixPowerOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('matrixPower', 2, arguments);
    return run(32, [this as unknown as Tensor, n, options]) as Tensor<NoInfer<O>>;
  }

  /** sum of the diagonal of a matrix */
  trace<O extends DType = WideOf<D>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('trace', 1, arguments);
    return run(33, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** norms of order p of the differences of all pairs of rows of x1 and x2 */
  cdist<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    x2: Tensor<E>,
    p?: number | null | CdistOptions<O>,
    computeMode?:
      | 'use_mm_for_euclid_dist_if_necessary'
      | 'use_mm_for_euclid_dist'
      | 'donot_use_mm_for_euclid_dist'
      | null
      | CdistOptions<O>,
    options?: CdistOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('cdist', 4, arguments);
    return run(34, [this as unknown as Tensor, x2, p, computeMode, options]) as Tensor<NoInfer<O>>;
  }

  /** singular values of matrices along the last two axes, in descending order; NaN where one has an element that is not finite */
  svdvals<O extends DType = D>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('svdvals', 1, arguments);
    return run(35, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** determinants of square matrices along the last two axes; 1 of an empty one */
  det<O extends DType = D>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('det', 1, arguments);
    return run(36, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** inverses of square matrices along the last two axes; a singular one is refused */
  inverse<O extends DType = D>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('inverse', 1, arguments);
    return run(37, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** singular values s of matrices along the last two axes, in descending order, and unit vectors, the columns of u and v: x = u diag(s) v^T; without `some` u and v are square, without compute_uv that and 0 */
  svd<O extends DType = D, P extends DType = D, Q extends DType = D>(
    some?: boolean | null | SvdOptions<O, P, Q>,
    computeUv?: boolean | null | SvdOptions<O, P, Q>,
    options?: SvdOptions<O, P, Q>,
  ): { u: Tensor<NoInfer<O>>; s: Tensor<NoInfer<P>>; v: Tensor<NoInfer<Q>> } {
    if (arguments.length > 3) refuseMore('svd', 3, arguments);
    return run(38, [this as unknown as Tensor, some, computeUv, options]) as {
      u: Tensor<NoInfer<O>>;
      s: Tensor<NoInfer<P>>;
      v: Tensor<NoInfer<Q>>;
    };
  }

  /** index of the largest element, the first of equals; the first NaN if there is one */
  argmax<O extends DType = 'int64'>(
    dim?: number | null | ArgmaxOptions<O>,
    options?: ArgmaxOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('argmax', 2, arguments);
    return run(39, [this as unknown as Tensor, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** index of the smallest element, the first of equals; the first NaN if there is one */
  argmin<O extends DType = 'int64'>(
    dim?: number | null | ArgminOptions<O>,
    options?: ArgminOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('argmin', 2, arguments);
    return run(40, [this as unknown as Tensor, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** variance: mean squared distance from the mean, divided by count - correction; NaN if empty */
  var<O extends DType = PartOf<FloatOf<D>>>(
    dim?: Dims | null | VarOptions<O>,
    options?: VarOptions<O>,
  ): Tensor<NoInfer<O>>;
  var<O extends DType = PartOf<FloatOf<D>>>(
    ...dim: number[] | [...dim: number[], options: VarOptions<O>]
  ): Tensor<NoInfer<O>>;
  var(...dim: unknown[]): unknown {
    return run(41, spread(41, [this as unknown as Tensor], dim, 0));
  }

  /** standard deviation: square root of var */
  std<O extends DType = PartOf<FloatOf<D>>>(
    dim?: Dims | null | StdOptions<O>,
    options?: StdOptions<O>,
  ): Tensor<NoInfer<O>>;
  std<O extends DType = PartOf<FloatOf<D>>>(
    ...dim: number[] | [...dim: number[], options: StdOptions<O>]
  ): Tensor<NoInfer<O>>;
  std(...dim: unknown[]): unknown {
    return run(42, spread(42, [this as unknown as Tensor], dim, 0));
  }

  /** sum of |x|^p to the power 1/p; p = 2 if not given, 0 counts, infinite p: largest or smallest |x|; 0 if empty */
  norm<O extends DType = PartOf<FloatOf<D>>>(
    p?: number | null | NormOptions<O>,
    dim?: Dims | null | NormOptions<O>,
    options?: NormOptions<O>,
  ): Tensor<NoInfer<O>>;
  norm<O extends DType = PartOf<FloatOf<D>>>(
    p: number | null,
    ...dim: number[] | [...dim: number[], options: NormOptions<O>]
  ): Tensor<NoInfer<O>>;
  norm(p?: unknown, ...dim: unknown[]): unknown {
    return run(43, spread(43, [this as unknown as Tensor, p], dim, 1));
  }

  /** norm of the matrices along two axes, the last ones: fro is the 2-norm of the elements; 1 and inf the largest sum of |x| of a column, a row; 2 the largest singular value; -1, -inf and -2 the smallest; nuc the sum of the singular values */
  matrixNorm<O extends DType = FloatOf<D>>(
    ord?: 'fro' | '1' | '-1' | 'inf' | '-inf' | 'nuc' | '2' | '-2' | number | null | MatrixNormOptions<O>,
    dim?: Dims | null | MatrixNormOptions<O>,
    options?: MatrixNormOptions<O>,
  ): Tensor<NoInfer<O>>;
  matrixNorm<O extends DType = FloatOf<D>>(
    ord: 'fro' | '1' | '-1' | 'inf' | '-inf' | 'nuc' | '2' | '-2' | number | null,
    ...dim: number[] | [...dim: number[], options: MatrixNormOptions<O>]
  ): Tensor<NoInfer<O>>;
  matrixNorm(ord?: unknown, ...dim: unknown[]): unknown {
    return run(44, spread(44, [this as unknown as Tensor, ord], dim, 1));
  }

  /** norm of order p of a - b */
  dist<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    b: Tensor<E>,
    p?: number | null | DistOptions<O>,
    options?: DistOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('dist', 3, arguments);
    return run(45, [this as unknown as Tensor, b, p, options]) as Tensor<NoInfer<O>>;
  }

  /** logarithm of the sum of the exponentials, which does not overflow on the way; -infinity if empty */
  logsumexp<O extends DType = FloatOf<D>>(
    dim: Dims | LogsumexpOptions<O>,
    options?: LogsumexpOptions<O>,
  ): Tensor<NoInfer<O>>;
  logsumexp<O extends DType = FloatOf<D>>(
    ...dim: number[] | [...dim: number[], options: LogsumexpOptions<O>]
  ): Tensor<NoInfer<O>>;
  logsumexp(...dim: unknown[]): unknown {
    return run(46, spread(46, [this as unknown as Tensor], dim, 0));
  }

  /** number of elements that are not 0; NaN is not */
  countNonzero<O extends DType = 'int64'>(
    dim?: Dims | null | CountNonzeroOptions<O>,
    options?: CountNonzeroOptions<O>,
  ): Tensor<NoInfer<O>>;
  countNonzero<O extends DType = 'int64'>(
    ...dim: number[] | [...dim: number[], options: CountNonzeroOptions<O>]
  ): Tensor<NoInfer<O>>;
  countNonzero(...dim: unknown[]): unknown {
    return run(47, spread(47, [this as unknown as Tensor], dim, 0));
  }

  /** sum of the elements that are not NaN; 0 if there are none */
  nansum<O extends DType = WideOf<D>>(
    dim?: Dims | null | NansumOptions<O>,
    options?: NansumOptions<O>,
  ): Tensor<NoInfer<O>>;
  nansum<O extends DType = WideOf<D>>(
    ...dim: number[] | [...dim: number[], options: NansumOptions<O>]
  ): Tensor<NoInfer<O>>;
  nansum(...dim: unknown[]): unknown {
    return run(48, spread(48, [this as unknown as Tensor], dim, 0));
  }

  /** mean of the elements that are not NaN; NaN if there are none */
  nanmean<O extends DType = FloatOf<D>>(
    dim?: Dims | null | NanmeanOptions<O>,
    options?: NanmeanOptions<O>,
  ): Tensor<NoInfer<O>>;
  nanmean<O extends DType = FloatOf<D>>(
    ...dim: number[] | [...dim: number[], options: NanmeanOptions<O>]
  ): Tensor<NoInfer<O>>;
  nanmean(...dim: unknown[]): unknown {
    return run(49, spread(49, [this as unknown as Tensor], dim, 0));
  }

  /** var and mean */
  varMean<O extends DType = PartOf<FloatOf<D>>, P extends DType = FloatOf<D>>(
    dim?: Dims | null | VarMeanOptions<O, P>,
    options?: VarMeanOptions<O, P>,
  ): { var: Tensor<NoInfer<O>>; mean: Tensor<NoInfer<P>> };
  varMean<O extends DType = PartOf<FloatOf<D>>, P extends DType = FloatOf<D>>(
    ...dim: number[] | [...dim: number[], options: VarMeanOptions<O, P>]
  ): { var: Tensor<NoInfer<O>>; mean: Tensor<NoInfer<P>> };
  varMean(...dim: unknown[]): unknown {
    return run(50, spread(50, [this as unknown as Tensor], dim, 0));
  }

  /** std and mean */
  stdMean<O extends DType = PartOf<FloatOf<D>>, P extends DType = FloatOf<D>>(
    dim?: Dims | null | StdMeanOptions<O, P>,
    options?: StdMeanOptions<O, P>,
  ): { std: Tensor<NoInfer<O>>; mean: Tensor<NoInfer<P>> };
  stdMean<O extends DType = PartOf<FloatOf<D>>, P extends DType = FloatOf<D>>(
    ...dim: number[] | [...dim: number[], options: StdMeanOptions<O, P>]
  ): { std: Tensor<NoInfer<O>>; mean: Tensor<NoInfer<P>> };
  stdMean(...dim: unknown[]): unknown {
    return run(51, spread(51, [this as unknown as Tensor], dim, 0));
  }

  /** smallest and largest element; NaN if any is NaN */
  aminmax<O extends DType = D, P extends DType = D>(
    options?: AminmaxOptions<O, P>,
  ): { min: Tensor<NoInfer<O>>; max: Tensor<NoInfer<P>> } {
    if (arguments.length > 1) refuseMore('aminmax', 1, arguments);
    return run(52, [this as unknown as Tensor, options]) as {
      min: Tensor<NoInfer<O>>;
      max: Tensor<NoInfer<P>>;
    };
  }

  /** x added up along every axis that broadcasting adds or stretches from size to the shape of x */
  sumToSize<O extends DType = D>(
    size: number | readonly number[] | SumToSizeOptions<O>,
    options?: SumToSizeOptions<O>,
  ): Tensor<NoInfer<O>>;
  sumToSize<O extends DType = D>(
    ...size: number[] | [...size: number[], options: SumToSizeOptions<O>]
  ): Tensor<NoInfer<O>>;
  sumToSize(...size: unknown[]): unknown {
    return run(55, spread(55, [this as unknown as Tensor], size, 0));
  }

  /** value that is there most often, the smallest of several, and where it is: the last of them */
  mode<O extends DType = D, P extends DType = 'int64'>(
    dim?: number | null | ModeOptions<O, P>,
    options?: ModeOptions<O, P>,
  ): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
    if (arguments.length > 2) refuseMore('mode', 2, arguments);
    return run(58, [this as unknown as Tensor, dim, options]) as {
      values: Tensor<NoInfer<O>>;
      indices: Tensor<NoInfer<P>>;
    };
  }

  /** value below which a share q of the elements lies; a 1-dim tensor of q makes the first axis; NaN if any is NaN */
  quantile<O extends DType = D>(
    q: Operand,
    dim?: number | null | QuantileOptions<O>,
    options?: QuantileOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('quantile', 3, arguments);
    return run(59, [this as unknown as Tensor, q, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** quantile of the elements that are not NaN; NaN if there are none */
  nanquantile<O extends DType = D>(
    q: Operand,
    dim?: number | null | NanquantileOptions<O>,
    options?: NanquantileOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('nanquantile', 3, arguments);
    return run(60, [this as unknown as Tensor, q, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** how many elements lie in each of some bins of equal width from min to max, from the smallest to the largest element where these are equal */
  histc<O extends DType = D>(
    bins?: number | null | HistcOptions<O>,
    min?: number | null | HistcOptions<O>,
    max?: number | null | HistcOptions<O>,
    options?: HistcOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('histc', 4, arguments);
    return run(61, [this as unknown as Tensor, bins, min, max, options]) as Tensor<NoInfer<O>>;
  }

  /** covariances of the rows of x, variables, over its columns, observations; fweights: how often each was made, aweights: how much it counts */
  cov<O extends DType = FloatOf<D>>(options?: CovOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('cov', 1, arguments);
    return run(62, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** correlations of the rows of x, variables, over its columns, observations */
  corrcoef<O extends DType = FloatOf<D>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('corrcoef', 1, arguments);
    return run(63, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** running largest element along an axis, and where it is: the last of equals; NaN from the first NaN on */
  cummax<O extends DType = D, P extends DType = 'int64'>(
    dim: number | CummaxOptions<O, P>,
    options?: CummaxOptions<O, P>,
  ): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
    if (arguments.length > 2) refuseMore('cummax', 2, arguments);
    return run(64, [this as unknown as Tensor, dim, options]) as {
      values: Tensor<NoInfer<O>>;
      indices: Tensor<NoInfer<P>>;
    };
  }

  /** running smallest element along an axis, and where it is: the last of equals; NaN from the first NaN on */
  cummin<O extends DType = D, P extends DType = 'int64'>(
    dim: number | CumminOptions<O, P>,
    options?: CumminOptions<O, P>,
  ): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
    if (arguments.length > 2) refuseMore('cummin', 2, arguments);
    return run(65, [this as unknown as Tensor, dim, options]) as {
      values: Tensor<NoInfer<O>>;
      indices: Tensor<NoInfer<P>>;
    };
  }

  /** logarithm of the running sum of the exponentials along an axis */
  logcumsumexp<O extends DType = FloatOf<D>>(
    dim: number | LogcumsumexpOptions<O>,
    options?: LogcumsumexpOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('logcumsumexp', 2, arguments);
    return run(66, [this as unknown as Tensor, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** differences of neighbours along an axis, n times; of bool whether they differ */
  diff<
    W extends DType = never,
    V extends DType = never,
    O extends DType = PromoteOptional<PromoteOptional<D, W>, V>,
  >(
    n?: number | null | DiffOptions<W, V, O>,
    dim?: number | null | DiffOptions<W, V, O>,
    options?: DiffOptions<W, V, O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('diff', 3, arguments);
    return run(67, [this as unknown as Tensor, n, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** area below y along an axis, by straight lines between elements that lie dx apart, or at x */
  trapezoid<O extends DType = FloatOf<D>>(options?: TrapezoidOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('trapezoid', 1, arguments);
    return run(68, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** running area below y along an axis, as of trapezoid */
  cumulativeTrapezoid<O extends DType = FloatOf<D>>(
    options?: CumulativeTrapezoidOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('cumulativeTrapezoid', 1, arguments);
    return run(69, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** running sum along an axis; floats accumulate in f64, integers wrap */
  cumsum<O extends DType = WideOf<D>>(
    dim: number | CumsumOptions<O>,
    options?: CumsumOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('cumsum', 2, arguments);
    return run(70, [this as unknown as Tensor, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: running sum along an axis; floats accumulate in f64, integers wrap */
  cumsum_(dim: number | Omit<CumsumOptions, 'out' | 'dtype'>): this {
    if (arguments.length > 1) refuseMore('cumsum_', 1, arguments);
    runInPlace(70, [this as unknown as Tensor, dim]);
    return this;
  }

  /** running product along an axis; floats accumulate in f64, integers wrap */
  cumprod<O extends DType = WideOf<D>>(
    dim: number | CumprodOptions<O>,
    options?: CumprodOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('cumprod', 2, arguments);
    return run(71, [this as unknown as Tensor, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: running product along an axis; floats accumulate in f64, integers wrap */
  cumprod_(dim: number | Omit<CumprodOptions, 'out' | 'dtype'>): this {
    if (arguments.length > 1) refuseMore('cumprod_', 1, arguments);
    runInPlace(71, [this as unknown as Tensor, dim]);
    return this;
  }

  /** exponentials along an axis divided by their sum */
  softmax<O extends DType = FloatOf<D>>(
    dim: number | SoftmaxOptions<O>,
    options?: SoftmaxOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('softmax', 2, arguments);
    return run(72, [this as unknown as Tensor, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: exponentials along an axis divided by their sum */
  softmax_(dim: number | Omit<SoftmaxOptions, 'out' | 'dtype'>): this {
    if (arguments.length > 1) refuseMore('softmax_', 1, arguments);
    runInPlace(72, [this as unknown as Tensor, dim]);
    return this;
  }

  /** logarithm of softmax, accurate where softmax vanishes */
  logSoftmax<O extends DType = FloatOf<D>>(
    dim: number | LogSoftmaxOptions<O>,
    options?: LogSoftmaxOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('logSoftmax', 2, arguments);
    return run(73, [this as unknown as Tensor, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: logarithm of softmax, accurate where softmax vanishes */
  logSoftmax_(dim: number | Omit<LogSoftmaxOptions, 'out' | 'dtype'>): this {
    if (arguments.length > 1) refuseMore('logSoftmax_', 1, arguments);
    runInPlace(73, [this as unknown as Tensor, dim]);
    return this;
  }

  /** (x - mean) / sqrt(variance + eps) over the last axes, times weight plus bias */
  layerNorm<O extends DType = FloatOf<D>>(
    normalizedShape: number | readonly number[] | LayerNormOptions<O>,
    options?: LayerNormOptions<O>,
  ): Tensor<NoInfer<O>>;
  layerNorm<O extends DType = FloatOf<D>>(
    ...normalizedShape: number[] | [...normalizedShape: number[], options: LayerNormOptions<O>]
  ): Tensor<NoInfer<O>>;
  layerNorm(...normalizedShape: unknown[]): unknown {
    return run(74, spread(74, [this as unknown as Tensor], normalizedShape, 0));
  }

  /** In place: (x - mean) / sqrt(variance + eps) over the last axes, times weight plus bias */
  layerNorm_(
    normalizedShape: number | readonly number[] | Omit<LayerNormOptions, 'out'>,
    options?: Omit<LayerNormOptions, 'out'>,
  ): this;
  layerNorm_(
    ...normalizedShape: number[] | [...normalizedShape: number[], options: Omit<LayerNormOptions, 'out'>]
  ): this;
  layerNorm_(...normalizedShape: unknown[]): this {
    runInPlace(74, spread(74, [this as unknown as Tensor], normalizedShape, 0));
    return this;
  }

  /** y * (gradient - sum of gradient * y along an axis): the gradient of x where softmax(x) is y, and gradient that of y */
  softmaxBackward<O extends DType = D>(
    y: Tensor,
    dim: number | SoftmaxBackwardOptions<O>,
    options?: SoftmaxBackwardOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('softmaxBackward', 3, arguments);
    return run(75, [this as unknown as Tensor, y, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** gradient - exp(y) * sum of gradient along an axis: the gradient of x where log_softmax(x) is y, and gradient that of y */
  logSoftmaxBackward<O extends DType = D>(
    y: Tensor,
    dim: number | LogSoftmaxBackwardOptions<O>,
    options?: LogSoftmaxBackwardOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('logSoftmaxBackward', 3, arguments);
    return run(76, [this as unknown as Tensor, y, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** the gradients of x, weight and bias of layer_norm, where gradient is that of its result */
  layerNormBackward<O extends DType = D, P extends DType = D, Q extends DType = D>(
    x: Tensor,
    normalizedShape: number | readonly number[] | LayerNormBackwardOptions<O, P, Q>,
    options?: LayerNormBackwardOptions<O, P, Q>,
  ): { xGradient: Tensor<NoInfer<O>>; weightGradient: Tensor<NoInfer<P>>; biasGradient: Tensor<NoInfer<Q>> };
  layerNormBackward<O extends DType = D, P extends DType = D, Q extends DType = D>(
    x: Tensor,
    ...normalizedShape: number[] | [...normalizedShape: number[], options: LayerNormBackwardOptions<O, P, Q>]
  ): { xGradient: Tensor<NoInfer<O>>; weightGradient: Tensor<NoInfer<P>>; biasGradient: Tensor<NoInfer<Q>> };
  layerNormBackward(x?: unknown, ...normalizedShape: unknown[]): unknown {
    return run(77, spread(77, [this as unknown as Tensor, x], normalizedShape, 1));
  }

  /** the elements of x where mask is true, in row-major order, as one dim */
  maskedSelect<O extends DType = D>(mask: Tensor<'bool'>, options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('maskedSelect', 2, arguments);
    return run(78, [this as unknown as Tensor, mask, options]) as Tensor<NoInfer<O>>;
  }

  /** value where mask is true, else x */
  maskedFill<O extends DType = D>(
    mask: Tensor<'bool'>,
    value: Operand,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('maskedFill', 3, arguments);
    return run(79, [this as unknown as Tensor, mask, value, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: value where mask is true, else x */
  maskedFill_(mask: Tensor<'bool'>, value: Operand): this {
    if (arguments.length > 2) refuseMore('maskedFill_', 2, arguments);
    runInPlace(79, [this as unknown as Tensor, mask, value]);
    return this;
  }

  /** how often each of 0, 1, 2 .. occurs in x, of whole numbers and one dim; with weights, their sums */
  bincount<W extends DType = never, O extends DType = CountOf<W>>(
    options?: BincountOptions<W, O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('bincount', 1, arguments);
    return run(80, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** elements at positions of an axis: y[i][j] = x[index[i][j]][j] for dim 0; no negative positions */
  gather<O extends DType = D>(dim: number, index: Tensor, options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('gather', 3, arguments);
    return run(81, [this as unknown as Tensor, index, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** gather where x and indices broadcast but for the axis; both are flat without dim */
  takeAlongDim<O extends DType = D>(
    indices: Tensor,
    dim?: number | null | TakeAlongDimOptions<O>,
    options?: TakeAlongDimOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('takeAlongDim', 3, arguments);
    return run(82, [this as unknown as Tensor, indices, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** elements of x in row-major order at positions, from the end where they are negative */
  take<O extends DType = D>(index: Tensor, options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('take', 2, arguments);
    return run(83, [this as unknown as Tensor, index, options]) as Tensor<NoInfer<O>>;
  }

  /** slices at positions of an axis, one behind another; no negative positions */
  indexSelect<O extends DType = D>(dim: number, index: Tensor, options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('indexSelect', 3, arguments);
    return run(84, [this as unknown as Tensor, index, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** x[indices[0], indices[1] ..]: positions that broadcast, from the end where they are negative, or masks of the first axes */
  index<O extends DType = D>(indices: readonly Tensor[], options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('index', 2, arguments);
    return run(86, [this as unknown as Tensor, indices, options]) as Tensor<NoInfer<O>>;
  }

  /** positions of the elements that are not 0: the same as nonzero */
  argwhere<O extends DType = 'int64'>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('argwhere', 1, arguments);
    return run(88, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** x with src at positions of an axis: y[index[i][j]][j] = src[i][j] for dim 0; src is a tensor or a number, the last of equal positions stays; or src added or multiplied there, in order */
  scatter<O extends DType = D>(
    dim: number,
    index: Tensor,
    src: Operand,
    options?: ScatterOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('scatter', 4, arguments);
    return run(89, [this as unknown as Tensor, index, src, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: x with src at positions of an axis: y[index[i][j]][j] = src[i][j] for dim 0; src is a tensor or a number, the last of equal positions stays; or src added or multiplied there, in order */
  scatter_(dim: number, index: Tensor, src: Operand, options?: Omit<ScatterOptions, 'out'>): this {
    if (arguments.length > 4) refuseMore('scatter_', 4, arguments);
    runInPlace(89, [this as unknown as Tensor, index, src, dim, options]);
    return this;
  }

  /** x with src added at positions of an axis: y[index[i][j]][j] += src[i][j] for dim 0, in order */
  scatterAdd<O extends DType = D>(
    dim: number,
    index: Tensor,
    src: Tensor,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('scatterAdd', 4, arguments);
    return run(90, [this as unknown as Tensor, index, src, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: x with src added at positions of an axis: y[index[i][j]][j] += src[i][j] for dim 0, in order */
  scatterAdd_(dim: number, index: Tensor, src: Tensor): this {
    if (arguments.length > 3) refuseMore('scatterAdd_', 3, arguments);
    runInPlace(90, [this as unknown as Tensor, index, src, dim]);
    return this;
  }

  /** x with src combined into it at positions of an axis; without include_self elements of x that are met do not count */
  scatterReduce<O extends DType = D>(
    dim: number,
    index: Tensor,
    src: Tensor,
    reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin' | ScatterReduceOptions<O>,
    options?: ScatterReduceOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 5) refuseMore('scatterReduce', 5, arguments);
    return run(91, [this as unknown as Tensor, index, src, dim, reduce, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: x with src combined into it at positions of an axis; without include_self elements of x that are met do not count */
  scatterReduce_(
    dim: number,
    index: Tensor,
    src: Tensor,
    reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin' | Omit<ScatterReduceOptions, 'out'>,
    options?: Omit<ScatterReduceOptions, 'out'>,
  ): this {
    if (arguments.length > 5) refuseMore('scatterReduce_', 5, arguments);
    runInPlace(91, [this as unknown as Tensor, index, src, dim, reduce, options]);
    return this;
  }

  /** x with source at positions in row-major order, from the end where they are negative; added there with accumulate */
  put<O extends DType = D>(
    index: Tensor,
    source: Tensor,
    accumulate?: boolean | null | PutOptions<O>,
    options?: PutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('put', 4, arguments);
    return run(92, [this as unknown as Tensor, index, source, accumulate, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: x with source at positions in row-major order, from the end where they are negative; added there with accumulate */
  put_(index: Tensor, source: Tensor, accumulate?: boolean | null | Omit<PutOptions, 'out'>): this {
    if (arguments.length > 3) refuseMore('put_', 3, arguments);
    runInPlace(92, [this as unknown as Tensor, index, source, accumulate]);
    return this;
  }

  /** x with alpha times the slices of source added at positions of an axis, in order */
  indexAdd<O extends DType = D>(
    dim: number,
    index: Tensor,
    source: Tensor,
    options?: IndexAddOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('indexAdd', 4, arguments);
    return run(93, [this as unknown as Tensor, index, source, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: x with alpha times the slices of source added at positions of an axis, in order */
  indexAdd_(dim: number, index: Tensor, source: Tensor, options?: Omit<IndexAddOptions, 'out'>): this {
    if (arguments.length > 4) refuseMore('indexAdd_', 4, arguments);
    runInPlace(93, [this as unknown as Tensor, index, source, dim, options]);
    return this;
  }

  /** x with the slices of source at positions of an axis; the last of equal positions stays */
  indexCopy<O extends DType = D>(
    dim: number,
    index: Tensor,
    source: Tensor,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('indexCopy', 4, arguments);
    return run(94, [this as unknown as Tensor, index, source, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: x with the slices of source at positions of an axis; the last of equal positions stays */
  indexCopy_(dim: number, index: Tensor, source: Tensor): this {
    if (arguments.length > 3) refuseMore('indexCopy_', 3, arguments);
    runInPlace(94, [this as unknown as Tensor, index, source, dim]);
    return this;
  }

  /** x with value in the slices at positions of an axis, from the end where they are negative */
  indexFill<O extends DType = D>(
    dim: number,
    index: Tensor,
    value: Operand,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('indexFill', 4, arguments);
    return run(95, [this as unknown as Tensor, index, value, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: x with value in the slices at positions of an axis, from the end where they are negative */
  indexFill_(dim: number, index: Tensor, value: Operand): this {
    if (arguments.length > 3) refuseMore('indexFill_', 3, arguments);
    runInPlace(95, [this as unknown as Tensor, index, value, dim]);
    return this;
  }

  /** x with the slices of source combined into it at positions of an axis; without include_self slices of x that are met do not count */
  indexReduce<O extends DType = D>(
    dim: number,
    index: Tensor,
    source: Tensor,
    reduce: 'prod' | 'mean' | 'amax' | 'amin' | IndexReduceOptions<O>,
    options?: IndexReduceOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 5) refuseMore('indexReduce', 5, arguments);
    return run(96, [this as unknown as Tensor, index, source, dim, reduce, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: x with the slices of source combined into it at positions of an axis; without include_self slices of x that are met do not count */
  indexReduce_(
    dim: number,
    index: Tensor,
    source: Tensor,
    reduce: 'prod' | 'mean' | 'amax' | 'amin' | Omit<IndexReduceOptions, 'out'>,
    options?: Omit<IndexReduceOptions, 'out'>,
  ): this {
    if (arguments.length > 5) refuseMore('indexReduce_', 5, arguments);
    runInPlace(96, [this as unknown as Tensor, index, source, dim, reduce, options]);
    return this;
  }

  /** x with values, broadcast, where index(x, indices) takes elements; added in order with accumulate, else the last stays */
  indexPut<O extends DType = D>(
    indices: readonly Tensor[],
    values: Operand,
    accumulate?: boolean | null | IndexPutOptions<O>,
    options?: IndexPutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('indexPut', 4, arguments);
    return run(97, [this as unknown as Tensor, values, indices, accumulate, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: x with values, broadcast, where index(x, indices) takes elements; added in order with accumulate, else the last stays */
  indexPut_(
    indices: readonly Tensor[],
    values: Operand,
    accumulate?: boolean | null | Omit<IndexPutOptions, 'out'>,
  ): this {
    if (arguments.length > 3) refuseMore('indexPut_', 3, arguments);
    runInPlace(97, [this as unknown as Tensor, values, indices, accumulate]);
    return this;
  }

  /** x with elements of source, one after another in row-major order, where mask is true */
  maskedScatter<O extends DType = D>(
    mask: Tensor<'bool'>,
    source: Tensor,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('maskedScatter', 3, arguments);
    return run(98, [this as unknown as Tensor, mask, source, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: x with elements of source, one after another in row-major order, where mask is true */
  maskedScatter_(mask: Tensor<'bool'>, source: Tensor): this {
    if (arguments.length > 2) refuseMore('maskedScatter_', 2, arguments);
    runInPlace(98, [this as unknown as Tensor, mask, source]);
    return this;
  }

  /** x with src in place of select(x, dim, index) */
  selectScatter<O extends DType = D>(
    src: Tensor,
    dim: number,
    index: number | SelectScatterOptions<O>,
    options?: SelectScatterOptions<O>,
  ): Tensor<NoInfer<O>>;
  selectScatter<O extends DType = D>(src: Tensor, options: SelectScatterOptions<O>): Tensor<NoInfer<O>>;
  selectScatter(src?: unknown, dim?: unknown, index?: unknown, options?: unknown): unknown {
    if (arguments.length > 4) refuseMore('selectScatter', 4, arguments);
    return run(99, [this as unknown as Tensor, src, dim, index, options]);
  }

  /** x with src in place of slice(x, dim, start, stop, step) */
  sliceScatter<O extends DType = D>(
    src: Tensor,
    dim?: number | null | SliceScatterOptions<O>,
    start?: number | null | SliceScatterOptions<O>,
    stop?: number | null | SliceScatterOptions<O>,
    step?: number | null | SliceScatterOptions<O>,
    options?: SliceScatterOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 6) refuseMore('sliceScatter', 6, arguments);
    return run(100, [this as unknown as Tensor, src, dim, start, stop, step, options]) as Tensor<NoInfer<O>>;
  }

  /** x with src in place of diagonal(x, offset, dim1, dim2) */
  diagonalScatter<O extends DType = D>(
    src: Tensor,
    offset?: number | null | DiagonalScatterOptions<O>,
    dim1?: number | null | DiagonalScatterOptions<O>,
    dim2?: number | null | DiagonalScatterOptions<O>,
    options?: DiagonalScatterOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 5) refuseMore('diagonalScatter', 5, arguments);
    return run(101, [this as unknown as Tensor, src, offset, dim1, dim2, options]) as Tensor<NoInfer<O>>;
  }

  /** x with a new last axis of num_classes: 1 at the position x, else 0; -1: as many as the largest needs */
  oneHot<O extends DType = 'int64'>(
    numClasses?: number | null | OneHotOptions<O>,
    options?: OneHotOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('oneHot', 2, arguments);
    return run(102, [this as unknown as Tensor, numClasses, options]) as Tensor<NoInfer<O>>;
  }

  /** where values are to be inserted into rows in order: before equal elements, or behind them with right; NaN counts as largest; i32 with out_int32 */
  searchsorted<I extends boolean = false, O extends DType = IndexOf<I>>(
    values: Operand,
    options?: SearchsortedOptions<O, I>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('searchsorted', 2, arguments);
    return run(103, [this as unknown as Tensor, values, options]) as Tensor<NoInfer<O>>;
  }

  /** searchsorted(boundaries, x): the number of boundaries below x, or with right not above it; i32 with out_int32 */
  bucketize<I extends boolean = false, O extends DType = IndexOf<I>>(
    boundaries: Tensor,
    options?: BucketizeOptions<O, I>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('bucketize', 2, arguments);
    return run(104, [this as unknown as Tensor, boundaries, options]) as Tensor<NoInfer<O>>;
  }

  /** whether each element is among test_elements, or not with invert; NaN never is */
  isin<O extends DType = 'bool'>(testElements: Operand, options?: IsinOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('isin', 2, arguments);
    return run(105, [this as unknown as Tensor, testElements, options]) as Tensor<NoInfer<O>>;
  }

  /** weight, where rows at positions whose norm of order norm_type is above max_norm are multiplied by max_norm / (norm + 1e-7) */
  embeddingRenorm<O extends DType = D>(
    indices: Tensor,
    maxNorm: number | EmbeddingRenormOptions<O>,
    normType?: number | null | EmbeddingRenormOptions<O>,
    options?: EmbeddingRenormOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('embeddingRenorm', 4, arguments);
    return run(106, [this as unknown as Tensor, indices, maxNorm, normType, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: weight, where rows at positions whose norm of order norm_type is above max_norm are multiplied by max_norm / (norm + 1e-7) */
  embeddingRenorm_(
    indices: Tensor,
    maxNorm: number | Omit<EmbeddingRenormOptions, 'out'>,
    normType?: number | null | Omit<EmbeddingRenormOptions, 'out'>,
  ): this {
    if (arguments.length > 3) refuseMore('embeddingRenorm_', 3, arguments);
    runInPlace(106, [this as unknown as Tensor, indices, maxNorm, normType]);
    return this;
  }

  /** elements in order along an axis, and where they were; NaN counts as largest, equal elements keep their order */
  sort<O extends DType = D, P extends DType = 'int64'>(
    dim?: number | null | SortOptions<O, P>,
    descending?: boolean | null | SortOptions<O, P>,
    options?: SortOptions<O, P>,
  ): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
    if (arguments.length > 3) refuseMore('sort', 3, arguments);
    return run(107, [this as unknown as Tensor, dim, descending, options]) as {
      values: Tensor<NoInfer<O>>;
      indices: Tensor<NoInfer<P>>;
    };
  }

  /** where the elements were that sort puts in order along an axis */
  argsort<O extends DType = 'int64'>(
    dim?: number | null | ArgsortOptions<O>,
    descending?: boolean | null | ArgsortOptions<O>,
    options?: ArgsortOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('argsort', 3, arguments);
    return run(108, [this as unknown as Tensor, dim, descending, options]) as Tensor<NoInfer<O>>;
  }

  /** elements in order along the first axis */
  msort<O extends DType = D>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('msort', 1, arguments);
    return run(109, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** the k largest or smallest elements along an axis, and where they are: of equal ones the first; in order, or in that of x */
  topk<O extends DType = D, P extends DType = 'int64'>(
    k: number | TopkOptions<O, P>,
    dim?: number | null | TopkOptions<O, P>,
    largest?: boolean | null | TopkOptions<O, P>,
    sorted?: boolean | null | TopkOptions<O, P>,
    options?: TopkOptions<O, P>,
  ): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
    if (arguments.length > 5) refuseMore('topk', 5, arguments);
    return run(110, [this as unknown as Tensor, k, dim, largest, sorted, options]) as {
      values: Tensor<NoInfer<O>>;
      indices: Tensor<NoInfer<P>>;
    };
  }

  /** the element that is number k in ascending order along an axis, from 1 on, and where it is; NaN counts as largest */
  kthvalue<O extends DType = D, P extends DType = 'int64'>(
    k: number | KthvalueOptions<O, P>,
    dim?: number | null | KthvalueOptions<O, P>,
    options?: KthvalueOptions<O, P>,
  ): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
    if (arguments.length > 3) refuseMore('kthvalue', 3, arguments);
    return run(111, [this as unknown as Tensor, k, dim, options]) as {
      values: Tensor<NoInfer<O>>;
      indices: Tensor<NoInfer<P>>;
    };
  }

  /** elements before and behind x: a pair of numbers for each axis, from the last one backwards; negative ones crop */
  pad<O extends DType = D>(
    pad: number | readonly number[] | PadOptions<O>,
    mode?: 'constant' | 'reflect' | 'replicate' | 'circular' | null | PadOptions<O>,
    options?: PadOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('pad', 3, arguments);
    return run(115, [this as unknown as Tensor, pad, mode, options]) as Tensor<NoInfer<O>>;
  }

  /** every choice of r elements of x in their order, as the rows of a matrix */
  combinations<O extends DType = D>(
    r?: number | null | CombinationsOptions<O>,
    options?: CombinationsOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('combinations', 2, arguments);
    return run(124, [this as unknown as Tensor, r, options]) as Tensor<NoInfer<O>>;
  }

  /** axes start_dim .. end_dim as one; of a 0-dim tensor one dim of size 1 */
  flatten(startDim?: number | null | FlattenOptions, endDim?: number | null | FlattenOptions): Tensor<D> {
    if (arguments.length > 2) refuseMore('flatten', 2, arguments);
    return run(125, [this as unknown as Tensor, startDim, endDim]) as Tensor<D>;
  }

  /** value, converted to the dtype of x, in place of every element */
  fill<O extends DType = D>(value: Scalar | FillOptions<O>, options?: FillOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('fill', 2, arguments);
    return run(128, [this as unknown as Tensor, value, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: value, converted to the dtype of x, in place of every element */
  fill_(value: Scalar | Omit<FillOptions, 'out'>): this {
    if (arguments.length > 1) refuseMore('fill_', 1, arguments);
    runInPlace(128, [this as unknown as Tensor, value]);
    return this;
  }

  /** the elements in row-major order as one dim; a view if x is row-major without gaps, else a copy */
  ravel(): Tensor<D> {
    if (arguments.length > 0) refuseMore('ravel', 0, arguments);
    return run(129, [this as unknown as Tensor]) as Tensor<D>;
  }

  /** 0 above a diagonal of each matrix, else x */
  tril<O extends DType = D>(
    diagonal?: number | null | TrilOptions<O>,
    options?: TrilOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('tril', 2, arguments);
    return run(130, [this as unknown as Tensor, diagonal, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: 0 above a diagonal of each matrix, else x */
  tril_(diagonal?: number | null | Omit<TrilOptions, 'out'>): this {
    if (arguments.length > 1) refuseMore('tril_', 1, arguments);
    runInPlace(130, [this as unknown as Tensor, diagonal]);
    return this;
  }

  /** 0 below a diagonal of each matrix, else x */
  triu<O extends DType = D>(
    diagonal?: number | null | TriuOptions<O>,
    options?: TriuOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('triu', 2, arguments);
    return run(131, [this as unknown as Tensor, diagonal, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: 0 below a diagonal of each matrix, else x */
  triu_(diagonal?: number | null | Omit<TriuOptions, 'out'>): this {
    if (arguments.length > 1) refuseMore('triu_', 1, arguments);
    runInPlace(131, [this as unknown as Tensor, diagonal]);
    return this;
  }

  /** rows along the last axis as diagonals of matrices of two new axes, 0 elsewhere */
  diagEmbed<O extends DType = D>(
    offset?: number | null | DiagEmbedOptions<O>,
    dim1?: number | null | DiagEmbedOptions<O>,
    dim2?: number | null | DiagEmbedOptions<O>,
    options?: DiagEmbedOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('diagEmbed', 4, arguments);
    return run(132, [this as unknown as Tensor, offset, dim1, dim2, options]) as Tensor<NoInfer<O>>;
  }

  /** of one dim a matrix with this diagonal, of a matrix its diagonal, a copy */
  diag<O extends DType = D>(
    diagonal?: number | null | DiagOptions<O>,
    options?: DiagOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('diag', 2, arguments);
    return run(133, [this as unknown as Tensor, diagonal, options]) as Tensor<NoInfer<O>>;
  }

  /** a matrix with the elements of x on a diagonal, 0 elsewhere */
  diagflat<O extends DType = D>(
    offset?: number | null | DiagflatOptions<O>,
    options?: DiagflatOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('diagflat', 2, arguments);
    return run(134, [this as unknown as Tensor, offset, options]) as Tensor<NoInfer<O>>;
  }

  /** turned by k quarters from axis dims[0] towards dims[1]; axes 0 and 1 if none are given; a view */
  rot90(k?: number | null | Rot90Options, dims?: Dims | null | Rot90Options): Tensor<D>;
  rot90(k: number | null, ...dims: number[]): Tensor<D>;
  rot90(k?: unknown, ...dims: unknown[]): unknown {
    return run(135, spread(135, [this as unknown as Tensor, k], dims, 1));
  }

  /** elements moved shifts[k] places along axis dims[k], and from the end to the beginning; without dims in row-major order */
  roll<O extends DType = D>(
    shifts: number | readonly number[] | RollOptions<O>,
    dims?: Dims | null | RollOptions<O>,
    options?: RollOptions<O>,
  ): Tensor<NoInfer<O>>;
  roll<O extends DType = D>(
    shifts: number | readonly number[],
    ...dims: number[] | [...dims: number[], options: RollOptions<O>]
  ): Tensor<NoInfer<O>>;
  roll(shifts?: unknown, ...dims: unknown[]): unknown {
    return run(136, spread(136, [this as unknown as Tensor, shifts], dims, 1));
  }

  /** x so many times along each axis; sizes has all axes, new ones first */
  repeat<O extends DType = D>(
    sizes: number | readonly number[] | RepeatOptions<O>,
    options?: RepeatOptions<O>,
  ): Tensor<NoInfer<O>>;
  repeat<O extends DType = D>(
    ...sizes: number[] | [...sizes: number[], options: RepeatOptions<O>]
  ): Tensor<NoInfer<O>>;
  repeat(...sizes: unknown[]): unknown {
    return run(137, spread(137, [this as unknown as Tensor], sizes, 0));
  }

  /** x so many times along each axis; what is missing at the front is 1 */
  tile<O extends DType = D>(
    dims: number | readonly number[] | TileOptions<O>,
    options?: TileOptions<O>,
  ): Tensor<NoInfer<O>>;
  tile<O extends DType = D>(
    ...dims: number[] | [...dims: number[], options: TileOptions<O>]
  ): Tensor<NoInfer<O>>;
  tile(...dims: unknown[]): unknown {
    return run(138, spread(138, [this as unknown as Tensor], dims, 0));
  }

  /** each element so many times behind itself along an axis, or a number for each; without dim in row-major order */
  repeatInterleave<O extends DType = D>(
    repeats: Operand,
    dim?: number | null | RepeatInterleaveOptions<O>,
    options?: RepeatInterleaveOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('repeatInterleave', 3, arguments);
    return run(139, [this as unknown as Tensor, repeats, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** element [i, j ..] is that at storage_offset + i stride[0] + j stride[1] .. of the memory of x, in elements; refused where one lies outside */
  asStrided(
    size: number | readonly number[],
    stride: number | readonly number[] | AsStridedOptions,
    storageOffset?: number | null | AsStridedOptions,
  ): Tensor<D>;
  asStrided(options: AsStridedOptions): Tensor<D>;
  asStrided(size?: unknown, stride?: unknown, storageOffset?: unknown): unknown {
    if (arguments.length > 3) refuseMore('asStrided', 3, arguments);
    return run(140, [this as unknown as Tensor, size, stride, storageOffset]);
  }

  /** windows of `size` elements along an axis, every `step` elements; the elements of a window are the last axis */
  unfold(dimension: number, size: number, step: number | UnfoldOptions): Tensor<D>;
  unfold(options: UnfoldOptions): Tensor<D>;
  unfold(dimension: number, options: UnfoldOptions): Tensor<D>;
  unfold(dimension?: unknown, size?: unknown, step?: unknown): unknown {
    if (arguments.length > 3) refuseMore('unfold', 3, arguments);
    return run(141, [this as unknown as Tensor, dimension, size, step]);
  }

  /** axes source[k] at the places destination[k], the others in their order */
  movedim(source: Dims, destination: Dims | MovedimOptions): Tensor<D>;
  movedim(options: MovedimOptions): Tensor<D>;
  movedim(source: Dims, ...destination: number[]): Tensor<D>;
  movedim(source?: unknown, ...destination: unknown[]): unknown {
    return run(142, spread(142, [this as unknown as Tensor, source], destination, 1));
  }

  /** the same as movedim */
  moveaxis(source: Dims, destination: Dims | MoveaxisOptions): Tensor<D>;
  moveaxis(options: MoveaxisOptions): Tensor<D>;
  moveaxis(source: Dims, ...destination: number[]): Tensor<D>;
  moveaxis(source?: unknown, ...destination: unknown[]): unknown {
    return run(143, spread(143, [this as unknown as Tensor, source], destination, 1));
  }

  /** two axes exchanged: transpose */
  swapaxes(axis0: number, axis1: number | SwapaxesOptions): Tensor<D>;
  swapaxes(options: SwapaxesOptions): Tensor<D>;
  swapaxes(axis0?: unknown, axis1?: unknown): unknown {
    if (arguments.length > 2) refuseMore('swapaxes', 2, arguments);
    return run(144, [this as unknown as Tensor, axis0, axis1]);
  }

  /** two axes exchanged: transpose */
  swapdims(dim0: number, dim1: number | SwapdimsOptions): Tensor<D>;
  swapdims(options: SwapdimsOptions): Tensor<D>;
  swapdims(dim0?: unknown, dim1?: unknown): unknown {
    if (arguments.length > 2) refuseMore('swapdims', 2, arguments);
    return run(145, [this as unknown as Tensor, dim0, dim1]);
  }

  /** the axes of a matrix exchanged; of fewer dims x as it is */
  t(): Tensor<D> {
    if (arguments.length > 0) refuseMore('t', 0, arguments);
    return run(146, [this as unknown as Tensor]) as Tensor<D>;
  }

  /** x[start:start + length] along an axis; refused where that is not all inside */
  narrow(dim: number, start: number, length: number | NarrowOptions): Tensor<D>;
  narrow(options: NarrowOptions): Tensor<D>;
  narrow(dim: number, options: NarrowOptions): Tensor<D>;
  narrow(dim?: unknown, start?: unknown, length?: unknown): unknown {
    if (arguments.length > 3) refuseMore('narrow', 3, arguments);
    return run(147, [this as unknown as Tensor, dim, start, length]);
  }

  /** an axis as several of these sizes, of which one may be -1 */
  unflatten(dim: number, sizes: number | readonly number[] | UnflattenOptions): Tensor<D>;
  unflatten(options: UnflattenOptions): Tensor<D>;
  unflatten(dim: number, ...sizes: number[]): Tensor<D>;
  unflatten(dim?: unknown, ...sizes: unknown[]): unknown {
    return run(148, spread(148, [this as unknown as Tensor, dim], sizes, 1));
  }

  /** broadcast to a shape: expand */
  broadcastTo(shape: number | readonly number[] | BroadcastToOptions): Tensor<D>;
  broadcastTo(...shape: number[]): Tensor<D>;
  broadcastTo(...shape: unknown[]): unknown {
    return run(149, spread(149, [this as unknown as Tensor], shape, 0));
  }

  /** a number as one dim of size 1; others as they are */
  atleast1d(): Tensor<D> {
    if (arguments.length > 0) refuseMore('atleast1d', 0, arguments);
    return run(150, [this as unknown as Tensor]) as Tensor<D>;
  }

  /** one dim as a row; others as they are */
  atleast2d(): Tensor<D> {
    if (arguments.length > 0) refuseMore('atleast2d', 0, arguments);
    return run(151, [this as unknown as Tensor]) as Tensor<D>;
  }

  /** one dim as [1, n, 1], a matrix as [n, m, 1]; others as they are */
  atleast3d(): Tensor<D> {
    if (arguments.length > 0) refuseMore('atleast3d', 0, arguments);
    return run(152, [this as unknown as Tensor]) as Tensor<D>;
  }

  /** the same elements without history: no gradient flows to x */
  detach(): Tensor<D> {
    if (arguments.length > 0) refuseMore('detach', 0, arguments);
    return run(153, [this as unknown as Tensor]) as Tensor<D>;
  }

  /** parts of an axis of split_size each, the last one perhaps smaller; or of the sizes of a list, which add up to the axis */
  split(
    splitSize: number | readonly number[] | SplitOptions,
    dim?: number | null | SplitOptions,
  ): Tensor<D>[] {
    if (arguments.length > 2) refuseMore('split', 2, arguments);
    return run(154, [this as unknown as Tensor, splitSize, dim]) as Tensor<D>[];
  }

  /** at most `chunks` parts of an axis, of equal size but for the last */
  chunk(chunks: number | ChunkOptions, dim?: number | null | ChunkOptions): Tensor<D>[] {
    if (arguments.length > 2) refuseMore('chunk', 2, arguments);
    return run(155, [this as unknown as Tensor, chunks, dim]) as Tensor<D>[];
  }

  /** so many parts of an axis, the first ones larger by one where it does not divide; or cut at the indices of a list */
  tensorSplit(
    indicesOrSections: number | readonly number[] | TensorSplitOptions,
    dim?: number | null | TensorSplitOptions,
  ): Tensor<D>[] {
    if (arguments.length > 2) refuseMore('tensorSplit', 2, arguments);
    return run(156, [this as unknown as Tensor, indicesOrSections, dim]) as Tensor<D>[];
  }

  /** tensor_split along axis 1, of one dim along axis 0; a number of parts must divide the axis */
  hsplit(indicesOrSections: number | readonly number[] | HsplitOptions): Tensor<D>[] {
    if (arguments.length > 1) refuseMore('hsplit', 1, arguments);
    return run(157, [this as unknown as Tensor, indicesOrSections]) as Tensor<D>[];
  }

  /** tensor_split along axis 0, of 2 dims or more; a number of parts must divide the axis */
  vsplit(indicesOrSections: number | readonly number[] | VsplitOptions): Tensor<D>[] {
    if (arguments.length > 1) refuseMore('vsplit', 1, arguments);
    return run(158, [this as unknown as Tensor, indicesOrSections]) as Tensor<D>[];
  }

  /** tensor_split along axis 2, of 3 dims or more; a number of parts must divide the axis */
  dsplit(indicesOrSections: number | readonly number[] | DsplitOptions): Tensor<D>[] {
    if (arguments.length > 1) refuseMore('dsplit', 1, arguments);
    return run(159, [this as unknown as Tensor, indicesOrSections]) as Tensor<D>[];
  }

  /** x[0], x[1] .. along an axis, which vanishes */
  unbind(dim?: number | null | UnbindOptions): Tensor<D>[] {
    if (arguments.length > 1) refuseMore('unbind', 1, arguments);
    return run(160, [this as unknown as Tensor, dim]) as Tensor<D>[];
  }

  /** squared distance from the target */
  mseLoss<E extends DType, O extends DType = LossOf<Promote<Tensor<D>, Tensor<E>>>>(
    target: Tensor<E>,
    options?: MseLossOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('mseLoss', 2, arguments);
    return run(163, [this as unknown as Tensor, target, options]) as Tensor<NoInfer<O>>;
  }

  /** distance from the target */
  l1Loss<E extends DType, O extends DType = LossOf<Promote<Tensor<D>, Tensor<E>>>>(
    target: Tensor<E>,
    options?: L1LossOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('l1Loss', 2, arguments);
    return run(164, [this as unknown as Tensor, target, options]) as Tensor<NoInfer<O>>;
  }

  /** z^2 / 2 of distances below delta, else delta (z - delta / 2) */
  huberLoss<E extends DType, O extends DType = LossOf<Promote<Tensor<D>, Tensor<E>>>>(
    target: Tensor<E>,
    options?: HuberLossOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('huberLoss', 2, arguments);
    return run(165, [this as unknown as Tensor, target, options]) as Tensor<NoInfer<O>>;
  }

  /** z^2 / (2 beta) of distances below beta, else z - beta / 2 */
  smoothL1Loss<E extends DType, O extends DType = LossOf<Promote<Tensor<D>, Tensor<E>>>>(
    target: Tensor<E>,
    options?: SmoothL1LossOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('smoothL1Loss', 2, arguments);
    return run(166, [this as unknown as Tensor, target, options]) as Tensor<NoInfer<O>>;
  }

  /** -(t log x + (1 - t) log(1 - x)) of probabilities x, logarithms not below -100 */
  binaryCrossEntropy<
    E extends DType,
    W extends DType = never,
    O extends DType = LossOf<PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>>,
  >(target: Tensor<E>, options?: BinaryCrossEntropyOptions<W, O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('binaryCrossEntropy', 2, arguments);
    return run(167, [this as unknown as Tensor, target, options]) as Tensor<NoInfer<O>>;
  }

  /** binary_cross_entropy of sigmoid(x), accurate where that is 0 or 1; pos_weight multiplies what true targets cost */
  binaryCrossEntropyWithLogits<
    E extends DType,
    W extends DType = never,
    V extends DType = never,
    O extends DType = LossOf<PromoteOptional<PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>, V>>,
  >(target: Tensor<E>, options?: BinaryCrossEntropyWithLogitsOptions<W, V, O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('binaryCrossEntropyWithLogits', 2, arguments);
    return run(168, [this as unknown as Tensor, target, options]) as Tensor<NoInfer<O>>;
  }

  /** t (log t - x) of logarithms x of probabilities; batchmean: the sum divided by the first size */
  klDiv<E extends DType, O extends DType = LossOf<Promote<Tensor<D>, Tensor<E>>>>(
    target: Tensor<E>,
    options?: KlDivOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('klDiv', 2, arguments);
    return run(169, [this as unknown as Tensor, target, options]) as Tensor<NoInfer<O>>;
  }

  /** -x[target] of logarithms x of probabilities, [classes] or [batch, classes, ..], times the weight of the class; the mean divides by the weights */
  nllLoss<O extends DType = LossOf<FloatOf<D>>>(
    target: Tensor,
    options?: NllLossOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('nllLoss', 2, arguments);
    return run(170, [this as unknown as Tensor, target, options]) as Tensor<NoInfer<O>>;
  }

  /** nll_loss of log_softmax(x); a target of floats has the shape of x: probabilities of the classes */
  crossEntropy<O extends DType = LossOf<FloatOf<D>>>(
    target: Tensor,
    options?: CrossEntropyOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('crossEntropy', 2, arguments);
    return run(171, [this as unknown as Tensor, target, options]) as Tensor<NoInfer<O>>;
  }

  /** x / max(norm of x along an axis, eps) */
  normalize<O extends DType = FloatOf<D>>(
    p?: number | null | NormalizeOptions<O>,
    dim?: number | null | NormalizeOptions<O>,
    options?: NormalizeOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('normalize', 3, arguments);
    return run(172, [this as unknown as Tensor, p, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** sum of products along an axis, divided by both norms, of which none counts as less than eps */
  cosineSimilarity<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    other: Tensor<E>,
    dim?: number | null | CosineSimilarityOptions<O>,
    options?: CosineSimilarityOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('cosineSimilarity', 3, arguments);
    return run(173, [this as unknown as Tensor, other, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** x / sqrt(mean of x^2 + eps) over the last axes, times weight; eps not given (NaN in C): that of the dtype of x */
  rmsNorm<O extends DType = FloatOf<D>>(
    normalizedShape: number | readonly number[] | RmsNormOptions<O>,
    options?: RmsNormOptions<O>,
  ): Tensor<NoInfer<O>>;
  rmsNorm<O extends DType = FloatOf<D>>(
    ...normalizedShape: number[] | [...normalizedShape: number[], options: RmsNormOptions<O>]
  ): Tensor<NoInfer<O>>;
  rmsNorm(...normalizedShape: unknown[]): unknown {
    return run(174, spread(174, [this as unknown as Tensor], normalizedShape, 0));
  }

  /** the gradients of x and weight of rms_norm, where gradient is that of its result */
  rmsNormBackward<O extends DType = D, P extends DType = D>(
    x: Tensor,
    normalizedShape: number | readonly number[] | RmsNormBackwardOptions<O, P>,
    options?: RmsNormBackwardOptions<O, P>,
  ): { xGradient: Tensor<NoInfer<O>>; weightGradient: Tensor<NoInfer<P>> };
  rmsNormBackward<O extends DType = D, P extends DType = D>(
    x: Tensor,
    ...normalizedShape: number[] | [...normalizedShape: number[], options: RmsNormBackwardOptions<O, P>]
  ): { xGradient: Tensor<NoInfer<O>>; weightGradient: Tensor<NoInfer<P>> };
  rmsNormBackward(x?: unknown, ...normalizedShape: unknown[]): unknown {
    return run(175, spread(175, [this as unknown as Tensor, x], normalizedShape, 1));
  }

  /** x / (k + alpha m)^beta, m the mean of x^2 over `size` neighbours along axis 1, 0 beyond its ends */
  localResponseNorm<O extends DType = FloatOf<D>>(
    size: number | LocalResponseNormOptions<O>,
    alpha?: number | null | LocalResponseNormOptions<O>,
    beta?: number | null | LocalResponseNormOptions<O>,
    k?: number | null | LocalResponseNormOptions<O>,
    options?: LocalResponseNormOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 5) refuseMore('localResponseNorm', 5, arguments);
    return run(176, [this as unknown as Tensor, size, alpha, beta, k, options]) as Tensor<NoInfer<O>>;
  }

  /** x times the transpose of weight, of [out, in] or [in], plus bias */
  linear<
    E extends DType,
    W extends DType = never,
    O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
  >(weight: Tensor<E>, options?: LinearOptions<W, O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('linear', 2, arguments);
    return run(177, [this as unknown as Tensor, weight, options]) as Tensor<NoInfer<O>>;
  }

  /** undefined elements, of the shape and memory order of x */
  emptyLike<O extends DType = D>(options?: EmptyLikeOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('emptyLike', 1, arguments);
    return run(183, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** zeros of the shape and memory order of x */
  zerosLike<O extends DType = D>(options?: ZerosLikeOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('zerosLike', 1, arguments);
    return run(184, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** ones of the shape and memory order of x */
  onesLike<O extends DType = D>(options?: OnesLikeOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('onesLike', 1, arguments);
    return run(185, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** one value everywhere, in the shape and memory order of x */
  fullLike<O extends DType = D>(
    value: Scalar | FullLikeOptions<O>,
    options?: FullLikeOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('fullLike', 2, arguments);
    return run(186, [this as unknown as Tensor, value, options]) as Tensor<NoInfer<O>>;
  }

  /** random numbers, uniform in [0, 1), of the shape and memory order of x */
  randLike<O extends DType = D>(options?: RandLikeOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('randLike', 1, arguments);
    return run(194, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** random numbers, uniform in [from, to), in place of every element */
  uniform<O extends DType = D>(
    from?: number | null | UniformOptions<O>,
    to?: number | null | UniformOptions<O>,
    options?: UniformOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('uniform', 3, arguments);
    return run(195, [this as unknown as Tensor, from, to, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: random numbers, uniform in [from, to), in place of every element */
  uniform_(
    from?: number | null | Omit<UniformOptions, 'out'>,
    to?: number | null | Omit<UniformOptions, 'out'>,
    options?: Omit<UniformOptions, 'out'>,
  ): this {
    if (arguments.length > 3) refuseMore('uniform_', 3, arguments);
    runInPlace(195, [this as unknown as Tensor, from, to, options]);
    return this;
  }

  /** random numbers of the standard normal distribution, of the shape and memory order of x */
  randnLike<O extends DType = D>(options?: RandnLikeOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('randnLike', 1, arguments);
    return run(197, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** random numbers of a normal distribution in place of every element; normal_ in JavaScript */
  fillNormal<O extends DType = D>(
    mean?: number | null | FillNormalOptions<O>,
    std?: number | null | FillNormalOptions<O>,
    options?: FillNormalOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('fillNormal', 3, arguments);
    return run(198, [this as unknown as Tensor, mean, std, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: random numbers of a normal distribution in place of every element; normal_ in JavaScript */
  normal_(
    mean?: number | null | Omit<FillNormalOptions, 'out'>,
    std?: number | null | Omit<FillNormalOptions, 'out'>,
    options?: Omit<FillNormalOptions, 'out'>,
  ): this {
    if (arguments.length > 3) refuseMore('normal_', 3, arguments);
    runInPlace(198, [this as unknown as Tensor, mean, std, options]);
    return this;
  }

  /** random numbers of the exponential distribution with mean 1 / lambd, above 0, in place of every element */
  exponential<O extends DType = D>(
    lambd?: number | null | ExponentialOptions<O>,
    options?: ExponentialOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('exponential', 2, arguments);
    return run(200, [this as unknown as Tensor, lambd, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: random numbers of the exponential distribution with mean 1 / lambd, above 0, in place of every element */
  exponential_(
    lambd?: number | null | Omit<ExponentialOptions, 'out'>,
    options?: Omit<ExponentialOptions, 'out'>,
  ): this {
    if (arguments.length > 2) refuseMore('exponential_', 2, arguments);
    runInPlace(200, [this as unknown as Tensor, lambd, options]);
    return this;
  }

  /** 1 with a probability, else 0: p, or, where it is not given (NaN in C), that of each element of x */
  bernoulli<O extends DType = D>(
    p?: number | null | BernoulliOptions<O>,
    options?: BernoulliOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('bernoulli', 2, arguments);
    return run(204, [this as unknown as Tensor, p, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: 1 with a probability, else 0: p, or, where it is not given (NaN in C), that of each element of x */
  bernoulli_(
    p?: number | null | Omit<BernoulliOptions, 'out'>,
    options?: Omit<BernoulliOptions, 'out'>,
  ): this {
    if (arguments.length > 2) refuseMore('bernoulli_', 2, arguments);
    runInPlace(204, [this as unknown as Tensor, p, options]);
    return this;
  }

  /** positions along the last axis of a vector or matrix of weights, each as probable as its weight; without replacement none twice */
  multinomial<O extends DType = 'int64'>(
    numSamples: number | MultinomialOptions<O>,
    replacement?: boolean | null | MultinomialOptions<O>,
    options?: MultinomialOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('multinomial', 3, arguments);
    return run(205, [this as unknown as Tensor, numSamples, replacement, options]) as Tensor<NoInfer<O>>;
  }

  /** 0 with probability p, else x / (1 - p); without training x as it is */
  dropout<O extends DType = D>(
    p?: number | null | DropoutOptions<O>,
    training?: boolean | null | DropoutOptions<O>,
    options?: DropoutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('dropout', 3, arguments);
    return run(206, [this as unknown as Tensor, p, training, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: 0 with probability p, else x / (1 - p); without training x as it is */
  dropout_(
    p?: number | null | Omit<DropoutOptions, 'out'>,
    training?: boolean | null | Omit<DropoutOptions, 'out'>,
    options?: Omit<DropoutOptions, 'out'>,
  ): this {
    if (arguments.length > 3) refuseMore('dropout_', 3, arguments);
    runInPlace(206, [this as unknown as Tensor, p, training, options]);
    return this;
  }

  /** a + value * b * c */
  addcmul<
    E extends DType,
    F extends DType,
    O extends DType = Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>,
  >(
    b: Tensor<E>,
    c: Tensor<F>,
    value?: Scalar | null | AddcmulOptions<O>,
    options?: AddcmulOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('addcmul', 4, arguments);
    return run(207, [this as unknown as Tensor, b, c, value, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: a + value * b * c */
  addcmul_(b: Tensor, c: Tensor, value?: Scalar | null | Omit<AddcmulOptions, 'out'>): this {
    if (arguments.length > 3) refuseMore('addcmul_', 3, arguments);
    runInPlace(207, [this as unknown as Tensor, b, c, value]);
    return this;
  }

  /** a + value * b / c */
  addcdiv<
    E extends DType,
    F extends DType,
    O extends DType = FloatOf<Promote<Tensor<Promote<Tensor<D>, Tensor<E>>>, Tensor<F>>>,
  >(
    b: Tensor<E>,
    c: Tensor<F>,
    value?: number | null | AddcdivOptions<O>,
    options?: AddcdivOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('addcdiv', 4, arguments);
    return run(208, [this as unknown as Tensor, b, c, value, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: a + value * b / c */
  addcdiv_(b: Tensor, c: Tensor, value?: number | null | Omit<AddcdivOptions, 'out'>): this {
    if (arguments.length > 3) refuseMore('addcdiv_', 3, arguments);
    runInPlace(208, [this as unknown as Tensor, b, c, value]);
    return this;
  }

  /** a with other numbers for NaN and infinities; without posinf and neginf the largest and the smallest of the dtype */
  nanToNum<O extends DType = D>(
    nan?: number | null | NanToNumOptions<O>,
    posinf?: number | null | NanToNumOptions<O>,
    neginf?: number | null | NanToNumOptions<O>,
    options?: NanToNumOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 4) refuseMore('nanToNum', 4, arguments);
    return run(209, [this as unknown as Tensor, nan, posinf, neginf, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: a with other numbers for NaN and infinities; without posinf and neginf the largest and the smallest of the dtype */
  nanToNum_(
    nan?: number | null | Omit<NanToNumOptions, 'out'>,
    posinf?: number | null | Omit<NanToNumOptions, 'out'>,
    neginf?: number | null | Omit<NanToNumOptions, 'out'>,
  ): this {
    if (arguments.length > 3) refuseMore('nanToNum_', 3, arguments);
    runInPlace(209, [this as unknown as Tensor, nan, posinf, neginf]);
    return this;
  }

  /** x = mantissa * 2^exponent with a mantissa in [0.5, 1); of 0, infinities and NaN the mantissa is x, the exponent 0 */
  frexp<O extends DType = D, P extends DType = 'int32'>(
    options?: FrexpOptions<O, P>,
  ): { mantissa: Tensor<NoInfer<O>>; exponent: Tensor<NoInfer<P>> } {
    if (arguments.length > 1) refuseMore('frexp', 1, arguments);
    return run(210, [this as unknown as Tensor, options]) as {
      mantissa: Tensor<NoInfer<O>>;
      exponent: Tensor<NoInfer<P>>;
    };
  }

  /** x, but min where x is below it: clamp without an upper bound */
  clampMin<A extends Operand, O extends DType = Promote<Tensor<D>, A>>(
    min: A,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('clampMin', 2, arguments);
    return run(211, [this as unknown as Tensor, min, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: x, but min where x is below it: clamp without an upper bound */
  clampMin_(min: Operand): this {
    if (arguments.length > 1) refuseMore('clampMin_', 1, arguments);
    runInPlace(211, [this as unknown as Tensor, min]);
    return this;
  }

  /** x, but max where x is above it: clamp without a lower bound */
  clampMax<A extends Operand, O extends DType = Promote<Tensor<D>, A>>(
    max: A,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('clampMax', 2, arguments);
    return run(212, [this as unknown as Tensor, max, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: x, but max where x is above it: clamp without a lower bound */
  clampMax_(max: Operand): this {
    if (arguments.length > 1) refuseMore('clampMax_', 1, arguments);
    runInPlace(212, [this as unknown as Tensor, max]);
    return this;
  }

  /** whether |a - b| <= atol + rtol * |b|, or a == b; with equal_nan also where both are NaN */
  isclose<O extends DType = 'bool'>(
    b: Tensor,
    rtol?: number | null | IscloseOptions<O>,
    atol?: number | null | IscloseOptions<O>,
    equalNan?: boolean | null | IscloseOptions<O>,
    options?: IscloseOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 5) refuseMore('isclose', 5, arguments);
    return run(213, [this as unknown as Tensor, b, rtol, atol, equalNan, options]) as Tensor<NoInfer<O>>;
  }

  /** the first half along an axis times the sigmoid of the second */
  glu<O extends DType = FloatOf<D>>(
    dim?: number | null | GluOptions<O>,
    options?: GluOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('glu', 2, arguments);
    return run(216, [this as unknown as Tensor, dim, options]) as Tensor<NoInfer<O>>;
  }

  /** x above 0, weight * x below; one weight, or one for each index of axis 1 */
  prelu<E extends DType, O extends DType = FloatOf<Promote<Tensor<D>, Tensor<E>>>>(
    weight: Tensor<E>,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('prelu', 2, arguments);
    return run(217, [this as unknown as Tensor, weight, options]) as Tensor<NoInfer<O>>;
  }

  /** real parts, a view that may be written to; x itself where it is real */
  real(): Tensor<PartOf<D>> {
    if (arguments.length > 0) refuseMore('real', 0, arguments);
    return run(218, [this as unknown as Tensor]) as Tensor<PartOf<D>>;
  }

  /** imaginary parts, a view that may be written to; of complex dtypes only */
  imag(): Tensor<PartOf<D>> {
    if (arguments.length > 0) refuseMore('imag', 0, arguments);
    return run(219, [this as unknown as Tensor]) as Tensor<PartOf<D>>;
  }

  /** complex numbers as pairs: one axis of size 2 more, the last one */
  viewAsReal(): Tensor<PartOf<D>> {
    if (arguments.length > 0) refuseMore('viewAsReal', 0, arguments);
    return run(220, [this as unknown as Tensor]) as Tensor<PartOf<D>>;
  }

  /** pairs of f32 or f64 as complex numbers: without the last axis, which has size 2 and stride 1; other strides are even */
  viewAsComplex(): Tensor<PairOf<D>> {
    if (arguments.length > 0) refuseMore('viewAsComplex', 0, arguments);
    return run(221, [this as unknown as Tensor]) as Tensor<PairOf<D>>;
  }

  /** re + i im, of real floats */
  complex<A extends Operand, O extends DType = PairOf<Promote<Tensor<D>, A>>>(
    im: A,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('complex', 2, arguments);
    return run(222, [this as unknown as Tensor, im, options]) as Tensor<NoInfer<O>>;
  }

  /** abs * (cos(angle) + i sin(angle)), of real floats */
  polar<A extends Operand, O extends DType = PairOf<Promote<Tensor<D>, A>>>(
    angle: A,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('polar', 2, arguments);
    return run(223, [this as unknown as Tensor, angle, options]) as Tensor<NoInfer<O>>;
  }

  /** complex conjugate; a copy of x where it is real */
  conj<O extends DType = D>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('conj', 1, arguments);
    return run(224, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: complex conjugate; a copy of x where it is real */
  conj_(): this {
    if (arguments.length > 0) refuseMore('conj_', 0, arguments);
    runInPlace(224, [this as unknown as Tensor]);
    return this;
  }

  /** angle of a complex number, in radians, in [-pi, pi]; of a real one 0, or pi below 0; NaN of NaN */
  angle<O extends DType = PartOf<FloatOf<D>>>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('angle', 1, arguments);
    return run(225, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** x / |x|, 0 of 0; the sign where x is real */
  sgn<O extends DType = D>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('sgn', 1, arguments);
    return run(226, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: x / |x|, 0 of 0; the sign where x is real */
  sgn_(): this {
    if (arguments.length > 0) refuseMore('sgn_', 0, arguments);
    runInPlace(226, [this as unknown as Tensor]);
    return this;
  }

  /** whether the imaginary part is 0; true where x is real */
  isreal<O extends DType = 'bool'>(options?: OutOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('isreal', 1, arguments);
    return run(227, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** sums of products of weight and windows of x, of 5 dims both, plus bias: conv3d, or conv_transpose3d with transposed */
  convolution<
    E extends DType,
    W extends DType = never,
    O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
  >(weight: Tensor<E>, options?: ConvolutionOptions<W, O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('convolution', 2, arguments);
    return run(236, [this as unknown as Tensor, weight, options]) as Tensor<NoInfer<O>>;
  }

  /** the gradient of weight of convolution, where gradient is that of its result; all have 5 dims */
  convolutionWeight<E extends DType, O extends DType = Promote<Tensor<D>, Tensor<E>>>(
    x: Tensor<E>,
    kernelSize: number | readonly number[] | ConvolutionWeightOptions<O>,
    options?: ConvolutionWeightOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('convolutionWeight', 3, arguments);
    return run(237, [this as unknown as Tensor, x, kernelSize, options]) as Tensor<NoInfer<O>>;
  }

  /** y[n][o][i] = bias[o] + sum of weight[o][c][t] x[n][c][i stride + t dilation - padding], 0 beyond the ends of x; channels in groups that do not meet */
  conv1d<
    E extends DType,
    W extends DType = never,
    O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
  >(weight: Tensor<E>, options?: Conv1dOptions<W, O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('conv1d', 2, arguments);
    return run(238, [this as unknown as Tensor, weight, options]) as Tensor<NoInfer<O>>;
  }

  /** conv1d along two axes: x is [batch, channels, height, width], weight [out, channels / groups, rows, columns] */
  conv2d<
    E extends DType,
    W extends DType = never,
    O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
  >(weight: Tensor<E>, options?: Conv2dOptions<W, O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('conv2d', 2, arguments);
    return run(239, [this as unknown as Tensor, weight, options]) as Tensor<NoInfer<O>>;
  }

  /** conv1d along three axes */
  conv3d<
    E extends DType,
    W extends DType = never,
    O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
  >(weight: Tensor<E>, options?: Conv3dOptions<W, O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('conv3d', 2, arguments);
    return run(240, [this as unknown as Tensor, weight, options]) as Tensor<NoInfer<O>>;
  }

  /** the gradient of x of conv1d where x is that of its result: y[n][o][i stride + t dilation - padding] adds up weight[c][o][t] x[n][c][i]; plus bias */
  convTranspose1d<
    E extends DType,
    W extends DType = never,
    O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
  >(weight: Tensor<E>, options?: ConvTranspose1dOptions<W, O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('convTranspose1d', 2, arguments);
    return run(241, [this as unknown as Tensor, weight, options]) as Tensor<NoInfer<O>>;
  }

  /** conv_transpose1d along two axes: x is [batch, channels, height, width], weight [channels, out / groups, rows, columns] */
  convTranspose2d<
    E extends DType,
    W extends DType = never,
    O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
  >(weight: Tensor<E>, options?: ConvTranspose2dOptions<W, O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('convTranspose2d', 2, arguments);
    return run(242, [this as unknown as Tensor, weight, options]) as Tensor<NoInfer<O>>;
  }

  /** conv_transpose1d along three axes */
  convTranspose3d<
    E extends DType,
    W extends DType = never,
    O extends DType = PromoteOptional<Promote<Tensor<D>, Tensor<E>>, W>,
  >(weight: Tensor<E>, options?: ConvTranspose3dOptions<W, O>): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('convTranspose3d', 2, arguments);
    return run(243, [this as unknown as Tensor, weight, options]) as Tensor<NoInfer<O>>;
  }

  /** max_pool3d, and where the elements are, in row-major order of the last three axes: the first of equals, the last NaN if there is one */
  maxPool3dWithIndices<O extends DType = D, P extends DType = 'int64'>(
    kernelSize: number | readonly number[] | MaxPool3dWithIndicesOptions<O, P>,
    stride?: number | readonly number[] | null | MaxPool3dWithIndicesOptions<O, P>,
    options?: MaxPool3dWithIndicesOptions<O, P>,
  ): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
    if (arguments.length > 3) refuseMore('maxPool3dWithIndices', 3, arguments);
    return run(244, [this as unknown as Tensor, kernelSize, stride, options]) as {
      values: Tensor<NoInfer<O>>;
      indices: Tensor<NoInfer<P>>;
    };
  }

  /** max_pool2d, and where the elements are, in row-major order of the last two axes: the first of equals, the last NaN if there is one */
  maxPool2dWithIndices<O extends DType = D, P extends DType = 'int64'>(
    kernelSize: number | readonly number[] | MaxPool2dWithIndicesOptions<O, P>,
    stride?: number | readonly number[] | null | MaxPool2dWithIndicesOptions<O, P>,
    options?: MaxPool2dWithIndicesOptions<O, P>,
  ): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
    if (arguments.length > 3) refuseMore('maxPool2dWithIndices', 3, arguments);
    return run(245, [this as unknown as Tensor, kernelSize, stride, options]) as {
      values: Tensor<NoInfer<O>>;
      indices: Tensor<NoInfer<P>>;
    };
  }

  /** max_pool1d, and where the elements are along the last axis: the first of equals, the last NaN if there is one */
  maxPool1dWithIndices<O extends DType = D, P extends DType = 'int64'>(
    kernelSize: number | readonly number[] | MaxPool1dWithIndicesOptions<O, P>,
    stride?: number | readonly number[] | null | MaxPool1dWithIndicesOptions<O, P>,
    options?: MaxPool1dWithIndicesOptions<O, P>,
  ): { values: Tensor<NoInfer<O>>; indices: Tensor<NoInfer<P>> } {
    if (arguments.length > 3) refuseMore('maxPool1dWithIndices', 3, arguments);
    return run(246, [this as unknown as Tensor, kernelSize, stride, options]) as {
      values: Tensor<NoInfer<O>>;
      indices: Tensor<NoInfer<P>>;
    };
  }

  /** largest elements of windows along the last axis; padding never is the largest; ceil_mode: windows may reach beyond it */
  maxPool1d<O extends DType = D>(
    kernelSize: number | readonly number[] | MaxPool1dOptions<O>,
    stride?: number | readonly number[] | null | MaxPool1dOptions<O>,
    options?: MaxPool1dOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('maxPool1d', 3, arguments);
    return run(247, [this as unknown as Tensor, kernelSize, stride, options]) as Tensor<NoInfer<O>>;
  }

  /** largest elements of windows along the last two axes, as of max_pool1d */
  maxPool2d<O extends DType = D>(
    kernelSize: number | readonly number[] | MaxPool2dOptions<O>,
    stride?: number | readonly number[] | null | MaxPool2dOptions<O>,
    options?: MaxPool2dOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('maxPool2d', 3, arguments);
    return run(248, [this as unknown as Tensor, kernelSize, stride, options]) as Tensor<NoInfer<O>>;
  }

  /** largest elements of windows along the last three axes, as of max_pool1d */
  maxPool3d<O extends DType = D>(
    kernelSize: number | readonly number[] | MaxPool3dOptions<O>,
    stride?: number | readonly number[] | null | MaxPool3dOptions<O>,
    options?: MaxPool3dOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('maxPool3d', 3, arguments);
    return run(249, [this as unknown as Tensor, kernelSize, stride, options]) as Tensor<NoInfer<O>>;
  }

  /** means of windows along the last axis; zeros of the padding count, unless count_include_pad is false */
  avgPool1d<O extends DType = FloatOf<D>>(
    kernelSize: number | readonly number[] | AvgPool1dOptions<O>,
    stride?: number | readonly number[] | null | AvgPool1dOptions<O>,
    options?: AvgPool1dOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('avgPool1d', 3, arguments);
    return run(250, [this as unknown as Tensor, kernelSize, stride, options]) as Tensor<NoInfer<O>>;
  }

  /** means of windows along the last two axes, as of avg_pool1d; or sums divided by divisor_override */
  avgPool2d<O extends DType = FloatOf<D>>(
    kernelSize: number | readonly number[] | AvgPool2dOptions<O>,
    stride?: number | readonly number[] | null | AvgPool2dOptions<O>,
    options?: AvgPool2dOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('avgPool2d', 3, arguments);
    return run(251, [this as unknown as Tensor, kernelSize, stride, options]) as Tensor<NoInfer<O>>;
  }

  /** means of windows along the last three axes, as of avg_pool1d; or sums divided by divisor_override */
  avgPool3d<O extends DType = FloatOf<D>>(
    kernelSize: number | readonly number[] | AvgPool3dOptions<O>,
    stride?: number | readonly number[] | null | AvgPool3dOptions<O>,
    options?: AvgPool3dOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('avgPool3d', 3, arguments);
    return run(252, [this as unknown as Tensor, kernelSize, stride, options]) as Tensor<NoInfer<O>>;
  }

  /** means of output_size windows along the last axis: window i from floor(i n / output_size) to ceil((i + 1) n / output_size) */
  adaptiveAvgPool1d<O extends DType = FloatOf<D>>(
    outputSize: number | readonly number[] | AdaptiveAvgPool1dOptions<O>,
    options?: AdaptiveAvgPool1dOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('adaptiveAvgPool1d', 2, arguments);
    return run(253, [this as unknown as Tensor, outputSize, options]) as Tensor<NoInfer<O>>;
  }

  /** means of windows along the last two axes, as of adaptive_avg_pool1d */
  adaptiveAvgPool2d<O extends DType = FloatOf<D>>(
    outputSize: number | readonly number[] | AdaptiveAvgPool2dOptions<O>,
    options?: AdaptiveAvgPool2dOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('adaptiveAvgPool2d', 2, arguments);
    return run(254, [this as unknown as Tensor, outputSize, options]) as Tensor<NoInfer<O>>;
  }

  /** largest elements of the windows of adaptive_avg_pool1d */
  adaptiveMaxPool1d<O extends DType = D>(
    outputSize: number | readonly number[] | AdaptiveMaxPool1dOptions<O>,
    options?: AdaptiveMaxPool1dOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('adaptiveMaxPool1d', 2, arguments);
    return run(255, [this as unknown as Tensor, outputSize, options]) as Tensor<NoInfer<O>>;
  }

  /** largest elements of the windows of adaptive_avg_pool2d */
  adaptiveMaxPool2d<O extends DType = D>(
    outputSize: number | readonly number[] | AdaptiveMaxPool2dOptions<O>,
    options?: AdaptiveMaxPool2dOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('adaptiveMaxPool2d', 2, arguments);
    return run(256, [this as unknown as Tensor, outputSize, options]) as Tensor<NoInfer<O>>;
  }

  /** (x - mean) / sqrt(variance + eps) of each group of channels, axis 1, of each member of the batch; times weight plus bias of the channel */
  groupNorm<O extends DType = FloatOf<D>>(
    numGroups: number | GroupNormOptions<O>,
    options?: GroupNormOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('groupNorm', 2, arguments);
    return run(258, [this as unknown as Tensor, numGroups, options]) as Tensor<NoInfer<O>>;
  }

  /** group_norm where each channel is a group */
  instanceNorm<O extends DType = FloatOf<D>>(options?: InstanceNormOptions<O>): Tensor<NoInfer<O>> {
    if (arguments.length > 1) refuseMore('instanceNorm', 1, arguments);
    return run(259, [this as unknown as Tensor, options]) as Tensor<NoInfer<O>>;
  }

  /** log(1 + exp(beta * a)) / beta; a where beta * a is above the threshold */
  softplus<O extends DType = FloatOf<D>>(
    beta?: number | null | SoftplusOptions<O>,
    threshold?: number | null | SoftplusOptions<O>,
    options?: SoftplusOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('softplus', 3, arguments);
    return run(260, [this as unknown as Tensor, beta, threshold, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: log(1 + exp(beta * a)) / beta; a where beta * a is above the threshold */
  softplus_(
    beta?: number | null | Omit<SoftplusOptions, 'out'>,
    threshold?: number | null | Omit<SoftplusOptions, 'out'>,
  ): this {
    if (arguments.length > 2) refuseMore('softplus_', 2, arguments);
    runInPlace(260, [this as unknown as Tensor, beta, threshold]);
    return this;
  }

  /** a above 0, alpha * (exp(a) - 1) below */
  elu<O extends DType = FloatOf<D>>(
    alpha?: number | null | EluOptions<O>,
    options?: EluOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('elu', 2, arguments);
    return run(261, [this as unknown as Tensor, alpha, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: a above 0, alpha * (exp(a) - 1) below */
  elu_(alpha?: number | null | Omit<EluOptions, 'out'>): this {
    if (arguments.length > 1) refuseMore('elu_', 1, arguments);
    runInPlace(261, [this as unknown as Tensor, alpha]);
    return this;
  }

  /** a above 0, alpha * (exp(a / alpha) - 1) below */
  celu<O extends DType = FloatOf<D>>(
    alpha?: number | null | CeluOptions<O>,
    options?: CeluOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('celu', 2, arguments);
    return run(262, [this as unknown as Tensor, alpha, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: a above 0, alpha * (exp(a / alpha) - 1) below */
  celu_(alpha?: number | null | Omit<CeluOptions, 'out'>): this {
    if (arguments.length > 1) refuseMore('celu_', 1, arguments);
    runInPlace(262, [this as unknown as Tensor, alpha]);
    return this;
  }

  /** a above 0, negative_slope * a below */
  leakyRelu<O extends DType = FloatOf<D>>(
    negativeSlope?: number | null | LeakyReluOptions<O>,
    options?: LeakyReluOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('leakyRelu', 2, arguments);
    return run(263, [this as unknown as Tensor, negativeSlope, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: a above 0, negative_slope * a below */
  leakyRelu_(negativeSlope?: number | null | Omit<LeakyReluOptions, 'out'>): this {
    if (arguments.length > 1) refuseMore('leakyRelu_', 1, arguments);
    runInPlace(263, [this as unknown as Tensor, negativeSlope]);
    return this;
  }

  /** a, but 0 where its magnitude is at most lambd */
  hardshrink<O extends DType = FloatOf<D>>(
    lambd?: number | null | HardshrinkOptions<O>,
    options?: HardshrinkOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('hardshrink', 2, arguments);
    return run(264, [this as unknown as Tensor, lambd, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: a, but 0 where its magnitude is at most lambd */
  hardshrink_(lambd?: number | null | Omit<HardshrinkOptions, 'out'>): this {
    if (arguments.length > 1) refuseMore('hardshrink_', 1, arguments);
    runInPlace(264, [this as unknown as Tensor, lambd]);
    return this;
  }

  /** a moved towards 0 by lambd, 0 where its magnitude is at most that */
  softshrink<O extends DType = FloatOf<D>>(
    lambd?: number | null | SoftshrinkOptions<O>,
    options?: SoftshrinkOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('softshrink', 2, arguments);
    return run(265, [this as unknown as Tensor, lambd, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: a moved towards 0 by lambd, 0 where its magnitude is at most that */
  softshrink_(lambd?: number | null | Omit<SoftshrinkOptions, 'out'>): this {
    if (arguments.length > 1) refuseMore('softshrink_', 1, arguments);
    runInPlace(265, [this as unknown as Tensor, lambd]);
    return this;
  }

  /** a limited to [min_val, max_val] */
  hardtanh<O extends DType = D>(
    minVal?: Scalar | null | HardtanhOptions<O>,
    maxVal?: Scalar | null | HardtanhOptions<O>,
    options?: HardtanhOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 3) refuseMore('hardtanh', 3, arguments);
    return run(266, [this as unknown as Tensor, minVal, maxVal, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: a limited to [min_val, max_val] */
  hardtanh_(
    minVal?: Scalar | null | Omit<HardtanhOptions, 'out'>,
    maxVal?: Scalar | null | Omit<HardtanhOptions, 'out'>,
  ): this {
    if (arguments.length > 2) refuseMore('hardtanh_', 2, arguments);
    runInPlace(266, [this as unknown as Tensor, minVal, maxVal]);
    return this;
  }

  /** a, but value where a is at most the threshold */
  threshold<O extends DType = D>(
    threshold: Scalar,
    value: Scalar | ThresholdOptions<O>,
    options?: ThresholdOptions<O>,
  ): Tensor<NoInfer<O>>;
  threshold<O extends DType = D>(options: ThresholdOptions<O>): Tensor<NoInfer<O>>;
  threshold(threshold?: unknown, value?: unknown, options?: unknown): unknown {
    if (arguments.length > 3) refuseMore('threshold', 3, arguments);
    return run(267, [this as unknown as Tensor, threshold, value, options]);
  }

  /** In place: a, but value where a is at most the threshold */
  threshold_(threshold: Scalar, value: Scalar | Omit<ThresholdOptions, 'out'>): this;
  threshold_(options: Omit<ThresholdOptions, 'out'>): this;
  threshold_(threshold?: unknown, value?: unknown): this {
    if (arguments.length > 2) refuseMore('threshold_', 2, arguments);
    runInPlace(267, [this as unknown as Tensor, threshold, value]);
    return this;
  }

  /** log(a / (1 - a)); a is limited to [eps, 1 - eps] if eps is given */
  logit<O extends DType = FloatOf<D>>(
    eps?: number | null | LogitOptions<O>,
    options?: LogitOptions<O>,
  ): Tensor<NoInfer<O>> {
    if (arguments.length > 2) refuseMore('logit', 2, arguments);
    return run(268, [this as unknown as Tensor, eps, options]) as Tensor<NoInfer<O>>;
  }

  /** In place: log(a / (1 - a)); a is limited to [eps, 1 - eps] if eps is given */
  logit_(eps?: number | null | Omit<LogitOptions, 'out'>): this {
    if (arguments.length > 1) refuseMore('logit_', 1, arguments);
    runInPlace(268, [this as unknown as Tensor, eps]);
    return this;
  }
}
