// The ops of the Python array API standard, of StableHLO's interpreter, and of suites of accuracy: one set of names.
import type { Tensor } from 'stria';
import type { Adapters, Functions } from './conformance_cases.js';

const unary = (...names: string[]): Adapters =>
  Object.fromEntries(names.map((name) => [name, (S: Functions, [x]: Tensor[]) => S[name](x)]));

const binary = (names: Record<string, string>): Adapters =>
  Object.fromEntries(
    Object.entries(names).map(([word, name]) => [word, (S: Functions, [a, b]: Tensor[]) => S[name](a, b)]),
  );

const isFloat = (x: Tensor): boolean => /float/.test(x.dtype);
const isBool = (x: Tensor): boolean => x.dtype === 'bool';

// StableHLO divides whole numbers towards zero, and counts the sign of a remainder from the dividend.
export const math: Adapters = {
  ...unary(
    'abs',
    'acos',
    'acosh',
    'asin',
    'asinh',
    'atan',
    'atanh',
    'cbrt',
    'ceil',
    'cos',
    'cosh',
    'erf',
    'erfc',
    'exp',
  ),
  ...unary(
    'exp10',
    'exp2',
    'expm1',
    'floor',
    'isfinite',
    'isinf',
    'isnan',
    'log',
    'log1p',
    'log2',
    'log10',
    'neg',
    'real',
  ),
  ...unary('rsqrt', 'sign', 'signbit', 'sin', 'sinh', 'sqrt', 'square', 'tan', 'tanh', 'trunc', 'imag'),
  ...binary({
    add: 'add',
    sub: 'sub',
    mul: 'mul',
    multiply: 'mul',
    divide: 'div',
    pow: 'pow',
    atan2: 'atan2',
  }),
  ...binary({
    maximum: 'maximum',
    minimum: 'minimum',
    copysign: 'copysign',
    nextafter: 'nextafter',
    hypot: 'hypot',
  }),
  ...binary({
    logaddexp: 'logaddexp',
    floor_divide: 'floorDivide',
    remainder: 'remainder',
    rem: 'fmod',
    complex: 'complex',
  }),
  ...binary({
    eq: 'eq',
    ne: 'ne',
    ge: 'ge',
    gt: 'gt',
    le: 'le',
    lt: 'lt',
    bitwise_left_shift: 'bitwiseLeftShift',
  }),
  ...binary({
    and: 'bitwiseAnd',
    or: 'bitwiseOr',
    xor: 'bitwiseXor',
    shift_right_arithmetic: 'bitwiseRightShift',
  }),
  shift_right_logical: (S, [a, b]) => {
    const unsigned = a.dtype.replace(/^int/, 'uint') as 'uint8';
    return S.bitwiseRightShift(a.to(unsigned), b.to(unsigned)).to(a.dtype);
  },
  // counts the bits of a negative number as they lie in memory
  population_count: (S, [x]) => {
    const unsigned = x.dtype.replace(/^int/, 'uint') as 'uint8';
    return S.bitwiseCount(x.to(unsigned)).to(x.dtype);
  },
  count_leading_zeros: (S, [x]) => S.countLeadingZeros(x),
  not: (S, [x]) => (isBool(x) ? S.logicalNot(x) : S.bitwiseNot(x)),
  div: (S, [a, b]) => (isFloat(a) ? S.div(a, b) : S.truncDivide(a, b)),
  round: (S, [x], { mode }) =>
    mode === 'half_away' ? S.mul(S.sign(x), S.floor(S.add(S.abs(x), 0.5))) : S.round(x),
  cast: (_, [x], { to }) => x.to(to),
  concatenate: (S, inputs, { axis }) => S.cat(inputs, axis),
  reshape: (_, [x], { shape }) => x.reshape(shape),
  clamp: (S, [x, low, high]) => S.minimum(S.maximum(x, low), high),
  where: (S, [condition, a, b]) => S.where(condition, a, b),
  mean: (S, [x]) => S.mean(x),
  prod: (S, [x]) => S.prod(x),
  sum: (S, [x]) => S.sum(x),
  max: (S, [x]) => S.amax(x),
  min: (S, [x]) => S.amin(x),
  // those of the standard divide by the count
  std: (S, [x]) => S.std(x, { correction: 0 }),
  var: (S, [x]) => S.variance(x, { correction: 0 }),
};
