// Every op in plain JavaScript: on numbers for floats, on bigints for integers, on booleans for bool.
import type { DType } from 'stria';

export interface Oracle {
  /** Missing: the op has no such dtypes. */
  float?: (...x: number[]) => number | boolean;
  /** In place of float, where steps are rounded to the dtype: `round` does that. */
  steps?: (round: (x: number) => number, ...x: number[]) => number;
  integer?: (...x: bigint[]) => bigint | boolean;
  bool?: (...x: boolean[]) => boolean;
  /** Float results may differ by this many units in the last place from the number closest to the oracle's. */
  ulps?: number;
  /** Integers become floats first. */
  promotes?: boolean;
  /** Numbers that the op is tried on; default: everything. */
  domain?: [number, number];
}

const big = (x: bigint): bigint => (x < 0n ? -x : x);

// erf: a series near zero, a continued fraction for erfc far from it.
export function erf(x: number): number {
  const a = Math.abs(x);
  if (Number.isNaN(x) || a === 0) return x;
  if (a < 2.5) {
    let term = a;
    let sum = a;
    for (let n = 1; n < 100; n++) {
      term *= (-a * a) / n;
      sum += term / (2 * n + 1);
    }
    return (Math.sign(x) * 2 * sum) / Math.sqrt(Math.PI);
  }
  let fraction = 0;
  for (let n = 100; n > 0; n--) fraction = n / 2 / (a + fraction);
  return Math.sign(x) * (1 - Math.exp(-a * a) / ((a + fraction) * Math.sqrt(Math.PI)));
}

function rint(x: number): number {
  const rounded = Math.round(x);
  const even = Math.abs(x - Math.trunc(x)) === 0.5 ? 2 * Math.round(x / 2) : rounded;
  return even === 0 ? Math.sign(x) * 0 : even;
}

function minimum(a: number, b: number): number {
  return Math.min(a, b);
}

function power(a: bigint, b: bigint): bigint {
  if (b >= 0n) {
    // wraps later; the exponent is cut so that the number stays small
    let result = 1n;
    let base = a;
    for (let rest = b; rest > 0n; rest >>= 1n) {
      if (rest & 1n) result = BigInt.asIntN(128, result * base);
      base = BigInt.asIntN(128, base * base);
    }
    return result;
  }
  if (big(a) !== 1n) return 0n;
  return a === 1n || b % 2n === 0n ? 1n : -1n;
}

// Whether a remainder is not 0 and has another sign than the divisor.
const isAcross = (rest: number | bigint, divisor: number | bigint): boolean =>
  rest != 0 && !Number.isNaN(rest) && divisor < 0 !== rest < 0;

function floorDivide(round: (x: number) => number, a: number, b: number): number {
  const ratio = round(a / b);
  const rest = a % b;
  let quotient = round(round(a - rest) / b);
  if (isAcross(rest, b)) quotient = round(quotient - 1);
  if (b === 0 || Number.isNaN(ratio)) return ratio;
  if (quotient === 0) return ratio < 0 || Object.is(ratio, -0) ? -0 : 0;
  const down = Math.floor(quotient);
  return round(quotient - down > 0.5 ? down + 1 : down);
}

const across = (a: bigint, b: bigint): boolean => isAcross(a % b, b);
const shifts = (n: bigint): boolean => n >= 0n && n < 64n;

// Of a number; NaN has one, too, but shows it in memory alone.
const isNegative = (x: number): boolean => {
  const memory = new DataView(new ArrayBuffer(8));
  memory.setFloat64(0, x);
  return memory.getUint8(0) > 127;
};

// The neighbour of a towards b: bits of numbers of one sign are in the order of their magnitudes.
function nextAfter(round: (x: number) => number, a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return NaN;
  if (a === b) return b;
  const isDouble = round(0.1) === 0.1;
  const numbers = isDouble ? new Float64Array([a]) : new Float32Array([a]);
  const bits = isDouble ? new BigInt64Array(numbers.buffer) : new Int32Array(numbers.buffer);
  if (a === 0) {
    bits[0] = isDouble ? 1n : 1;
    return b < 0 ? -numbers[0]! : numbers[0]!;
  }
  const step = a < b === a > 0 ? 1 : -1;
  bits[0] = isDouble ? (bits[0] as bigint) + BigInt(step) : (bits[0] as number) + step;
  return numbers[0]!;
}

const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? big(a) : divisor(b, a % b));

// Newton's method on erf.
function erfinv(x: number): number {
  let y = (x * Math.sqrt(Math.PI)) / 2;
  for (let k = 0; k < 40; k++) y -= ((erf(y) - x) * Math.sqrt(Math.PI) * Math.exp(y * y)) / 2;
  return y;
}

// The series of the Bessel function, whose terms are positive.
function i0(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; k < 200; k++) {
    term *= (x * x) / 4 / k / k;
    sum += term;
  }
  return sum;
}

// Stirling's series from 20 on; up to there by gamma(x + 1) = x gamma(x).
function lgamma(x: number): number {
  if (x < 20) return lgamma(x + 1) - Math.log(x);
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + 1 / (12 * x) - 1 / (360 * x ** 3);
}
function digamma(x: number): number {
  if (x < 20) return digamma(x + 1) - 1 / x;
  return Math.log(x) - 0.5 / x - 1 / (12 * x * x) + 1 / (120 * x ** 4);
}

const compare = (fn: (a: number | bigint | boolean, b: number | bigint | boolean) => boolean): Oracle => ({
  float: fn,
  integer: fn,
  bool: fn,
});
const math = (fn: (...x: number[]) => number, domain?: [number, number], ulps = 2): Oracle => ({
  float: fn,
  ulps,
  promotes: true,
  domain,
});
const rounding = (fn: (x: number) => number): Oracle => ({ float: fn, integer: (x) => x });

export const oracles: Record<string, Oracle> = {
  add: { float: (a, b) => a + b, integer: (a, b) => a + b, bool: (a, b) => a || b },
  sub: { float: (a, b) => a - b, integer: (a, b) => a - b },
  mul: { float: (a, b) => a * b, integer: (a, b) => a * b, bool: (a, b) => a && b },
  div: { float: (a, b) => a / b, promotes: true },
  neg: { float: (a) => -a, integer: (a) => -a },
  abs: { float: Math.abs, integer: big },
  sign: { float: Math.sign, integer: (a) => (a > 0n ? 1n : a < 0n ? -1n : 0n), bool: (a) => a },
  square: { float: (a) => a * a, integer: (a) => a * a },
  sqrt: { float: Math.sqrt, promotes: true },
  rsqrt: { float: (a) => 1 / Math.sqrt(a), ulps: 2, promotes: true },
  reciprocal: { float: (a) => 1 / a, promotes: true },
  pow: {
    float: (a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b),
    integer: power,
    ulps: 4,
  },
  lerp: math((a, b, c) => (Math.abs(c) < 0.5 ? a + c * (b - a) : b - (b - a) * (1 - c)), [-4, 4], Infinity),
  exp: math(Math.exp),
  exp2: math((a) => 2 ** a),
  cbrt: math(Math.cbrt),
  log10: math(Math.log10),
  expm1: math(Math.expm1),
  log: math(Math.log),
  log1p: math(Math.log1p),
  log2: math(Math.log2),
  sin: math(Math.sin),
  cos: math(Math.cos),
  tan: math(Math.tan),
  asin: math(Math.asin),
  acos: math(Math.acos),
  atan: math(Math.atan),
  atan2: math(Math.atan2),
  tanh: math(Math.tanh),
  sinh: math(Math.sinh),
  cosh: math(Math.cosh),
  asinh: math(Math.asinh),
  acosh: math(Math.acosh),
  atanh: math(Math.atanh),
  sigmoid: math((a) => 1 / (1 + Math.exp(-a)), [-80, 80], 8),
  relu: { float: (a) => (a > 0 || Number.isNaN(a) ? a : 0), integer: (a) => (a > 0n ? a : 0n) },
  gelu: math((a) => (a * (1 + erf(a / Math.SQRT2))) / 2, [-1, 8], 64),
  erf: math(erf, [-8, 8], 16),
  erfc: math((a) => 1 - erf(a), [-6, 0.25], 64),
  floor: rounding(Math.floor),
  ceil: rounding(Math.ceil),
  round: rounding(rint),
  trunc: rounding(Math.trunc),
  minimum: { float: minimum, integer: (a, b) => (a < b ? a : b), bool: (a, b) => a && b },
  maximum: { float: (a, b) => Math.max(a, b), integer: (a, b) => (a > b ? a : b), bool: (a, b) => a || b },
  eq: compare((a, b) => a === b),
  ne: compare((a, b) => a !== b),
  lt: compare((a, b) => a < b),
  le: compare((a, b) => a <= b),
  gt: compare((a, b) => a > b),
  ge: compare((a, b) => a >= b),
  isnan: { float: Number.isNaN, integer: () => false, bool: () => false },
  isinf: { float: (a) => Math.abs(a) === Infinity, integer: () => false, bool: () => false },
  isfinite: { float: Number.isFinite, integer: () => true, bool: () => true },
  logicalAnd: {
    float: (a, b) => a !== 0 && b !== 0,
    integer: (a, b) => a !== 0n && b !== 0n,
    bool: (a, b) => a && b,
  },
  logicalOr: {
    float: (a, b) => a !== 0 || b !== 0,
    integer: (a, b) => a !== 0n || b !== 0n,
    bool: (a, b) => a || b,
  },
  logicalNot: { float: (a) => a === 0, integer: (a) => a === 0n, bool: (a) => !a },
  bitwiseAnd: { integer: (a, b) => a & b, bool: (a, b) => a && b },
  bitwiseOr: { integer: (a, b) => a | b, bool: (a, b) => a || b },
  bitwiseXor: { integer: (a, b) => a ^ b, bool: (a, b) => a !== b },
  bitwiseNot: { integer: (a) => ~a, bool: (a) => !a },
  truncDivide: {
    steps: (round, a, b) => Math.trunc(round(a / b)),
    integer: (a, b) => (b === 0n ? 0n : a / b),
  },
  floorDivide: {
    steps: floorDivide,
    integer: (a, b) => (b === 0n ? 0n : a / b - (across(a, b) ? 1n : 0n)),
  },
  fmod: { float: (a, b) => a % b, integer: (a, b) => (b === 0n ? 0n : a % b) },
  remainder: {
    steps: (round, a, b) => (isAcross(a % b, b) ? round((a % b) + b) : a % b),
    integer: (a, b) => (b === 0n ? 0n : (a % b) + (across(a, b) ? b : 0n)),
  },
  bitwiseLeftShift: { integer: (a, b) => (shifts(b) ? a << b : 0n) },
  bitwiseRightShift: { integer: (a, b) => (shifts(b) ? a >> b : a < 0n ? -1n : 0n) },
  fmin: {
    float: (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b)),
    integer: (a, b) => (a < b ? a : b),
    bool: (a, b) => a && b,
  },
  fmax: {
    float: (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b)),
    integer: (a, b) => (a > b ? a : b),
    bool: (a, b) => a || b,
  },
  logicalXor: {
    float: (a, b) => (a !== 0) !== (b !== 0),
    integer: (a, b) => (a !== 0n) !== (b !== 0n),
    bool: (a, b) => a !== b,
  },
  signbit: { float: isNegative, integer: (a) => a < 0n, bool: () => false },
  copysign: {
    float: (a, b) => (isNegative(b) ? -Math.abs(a) : Math.abs(a)),
    promotes: true,
  },
  nextafter: { steps: nextAfter, promotes: true },
  heaviside: {
    float: (a, b) => (a === 0 ? b : Number(a > 0)),
    integer: (a, b) => (a === 0n ? b : BigInt(a > 0n)),
    bool: (a, b) => a || b,
  },
  gcd: { integer: divisor },
  lcm: { integer: (a, b) => (a === 0n || b === 0n ? 0n : (big(a) / divisor(a, b)) * big(b)) },
  frac: { steps: (round, a) => round(a - Math.trunc(a)), promotes: true },
  deg2rad: { float: (a) => a * (Math.PI / 180), ulps: 2, promotes: true },
  rad2deg: { float: (a) => a * (180 / Math.PI), ulps: 2, promotes: true },
  exp10: math((a) => 10 ** a, [-300, 300], 4),
  ldexp: math((a, b) => a * 2 ** b, [-30, 30], 4),
  xlogy: math((a, b) => (Number.isNaN(b) ? b : a === 0 ? 0 : a * Math.log(b))),
  logaddexp: math(
    (a, b) => (a === b ? a + Math.LN2 : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)))),
    [1, 80],
    4,
  ),
  logaddexp2: math(
    (a, b) => (a === b ? a + 1 : Math.max(a, b) + Math.log1p(2 ** -Math.abs(a - b)) / Math.LN2),
    [1, 80],
    4,
  ),
  hypot: math((a, b) => Math.hypot(a, b), undefined, 4),
  sinc: math((a) => (a === 0 ? 1 : Math.sin(Math.PI * a) / (Math.PI * a)), [-0.9, 0.9], 16),
  ndtr: math((a) => 0.5 * (1 + erf(a / Math.SQRT2)), [-1, 8], 16),
  erfinv: math(erfinv, [-0.9, 0.9], 64),
  i0: math(i0, [-20, 20], 16),
  lgamma: math(lgamma, [0.25, 50], Infinity),
  digamma: math(digamma, [0.25, 50], Infinity),
  silu: math((a) => a / (1 + Math.exp(-a)), [-80, 80], 8),
  mish: math((a) => a * Math.tanh(Math.log1p(Math.exp(a))), [-80, 80], 8),
  selu: math((a) => 1.0507009873554805 * (a > 0 ? a : 1.6732632423543772 * Math.expm1(a)), undefined, 4),
  logsigmoid: math((a) => Math.min(a, 0) - Math.log1p(Math.exp(-Math.abs(a))), [-80, 80], 4),
  relu6: {
    float: (a) => Math.min(Math.max(a, 0), 6),
    integer: (a) => (a < 0n ? 0n : a > 6n ? 6n : a),
  },
  softsign: { steps: (round, a) => round(a / round(1 + Math.abs(a))), promotes: true },
  hardsigmoid: {
    steps: (round, a) => round(Math.min(Math.max(round(a + 3), 0), 6) / 6),
    promotes: true,
  },
  hardswish: {
    steps: (round, a) => round(a * round(Math.min(Math.max(round(a + 3), 0), 6) / 6)),
    promotes: true,
  },
  clamp: {
    float: (a, b, c) => Math.min(Math.max(a, b), c),
    integer: (a, b, c) => {
      const above = a > b ? a : b;
      return above < c ? above : c;
    },
  },
};

/** An integer as the dtype stores it. */
export function wrap(value: bigint, dtype: DType, width: number): bigint {
  return dtype.startsWith('int') ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value);
}
