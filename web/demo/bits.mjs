// Results that have the same bits on every machine, and a hash of each family of them. web/setup.mjs computes the hashes on the
// native build, the page in WebAssembly; whoever trusts neither opens this file.
//
// Matrix products are left out: they are the one exception to the rule.

const N = 5003; // odd, so that every loop has a rest
const SHAPE = [97, 103]; // about as many, as a matrix

const floats = [
  'exp',
  'exp2',
  'expm1',
  'log',
  'log1p',
  'log2',
  'log10',
  'sin',
  'cos',
  'tan',
  'asin',
  'acos',
  'atan',
].concat([
  'sinh',
  'cosh',
  'tanh',
  'asinh',
  'acosh',
  'atanh',
  'sigmoid',
  'erf',
  'erfc',
  'sqrt',
  'rsqrt',
  'cbrt',
  'reciprocal',
]);
const pairs = [
  'add',
  'sub',
  'mul',
  'div',
  'pow',
  'atan2',
  'fmod',
  'remainder',
  'floorDivide',
  'truncDivide',
  'minimum',
].concat(['maximum', 'fmin', 'fmax']);
const whole = [
  'add',
  'sub',
  'mul',
  'floorDivide',
  'truncDivide',
  'remainder',
  'fmod',
  'bitwiseAnd',
  'bitwiseOr',
].concat(['bitwiseXor', 'minimum', 'maximum']);
const dtypes = [
  'bool',
  'uint8',
  'int8',
  'int16',
  'int32',
  'int64',
  'float16',
  'bfloat16',
  'float32',
  'float64',
];

/** Families in the order of the table: what they are called, what they show, and f(stria, inputs) => tensors. */
export const families = [
  {
    name: 'Functions, float32',
    code: 'exp(x), sin(x), tanh(x), erf(x) …',
    run: (stria, { single }) => floats.map((name) => stria[name](single)),
  },
  {
    name: 'Functions, float64',
    code: 'exp(x), sin(x), tanh(x), erf(x) …',
    run: (stria, { double }) => floats.map((name) => stria[name](double)),
  },
  {
    name: 'Arithmetic',
    code: 'x.div(y), x.pow(y), x.remainder(y) …',
    run: (stria, { single, double, other }) =>
      pairs.flatMap((name) => [stria[name](single, other), stria[name](double, other)]),
  },
  {
    name: 'Whole numbers',
    code: 'i.floorDivide(j), i.bitwiseXor(j) …',
    run: (stria, { integer, small }) => whole.map((name) => stria[name](integer, small)),
  },
  {
    name: 'Half precision',
    code: "x.to('float16').exp() …",
    run: (stria, { single, other }) =>
      ['float16', 'bfloat16'].flatMap((dtype) => {
        const [a, b] = [single.to(dtype), other.to(dtype)];
        return [a.exp(), a.mul(b), a.add(b).sum(), a.tanh()];
      }),
  },
  {
    name: 'Conversions',
    code: 'x.to(dtype), from 10 dtypes to 10',
    run: (_, { double }) => dtypes.flatMap((from) => dtypes.map((to) => double.mul(60).to(from).to(to))),
  },
  {
    name: 'Sums and other reductions',
    code: 'x.sum(0), x.mean(1), x.var(), x.norm() …',
    run: (_, { matrix }) =>
      [matrix, matrix.transpose(0, 1), matrix.slice(1, null, null, 2), matrix.to('float64')].flatMap((x) => [
        ...[x.sum(), x.sum(0), x.sum(1), x.mean(1), x.prod(0), x.amax(0), x.amin(1)],
        ...[x.var(), x.var(0), x.std(1), x.norm(), x.norm(3, 0), x.argmax(1)],
      ]),
  },
  {
    name: 'Rows and running sums',
    code: 'x.softmax(1), layerNorm(x, n), x.cumsum(0) …',
    run: (stria, { matrix }) => [
      ...[matrix.softmax(1), matrix.softmax(0), matrix.logSoftmax(1), stria.layerNorm(matrix, SHAPE[1])],
      ...[matrix.cumsum(0), matrix.cumsum(1), matrix.cumprod(1)],
    ],
  },
  {
    name: 'One pass over several ops',
    code: 'kernel((x, y) => x.mul(y).add(x).exp().clamp(0, 9))',
    run: (stria, { single, other }) => {
      const fused = stria.kernel((x, y) => x.mul(y).add(x).exp().clamp(0, 9));
      return [fused(single, other)];
    },
  },
];

// Whole numbers from 0 to 2^24, the same on every engine: a linear congruential generator in integers.
function* numbers(seed) {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state >>> 8;
  }
}

// n numbers of a range, exact in float32 but for the last multiplication.
function uniform(n, seed, low, high) {
  const source = numbers(seed);
  return Float64Array.from({ length: n }, () => low + (source.next().value / 2 ** 24) * (high - low));
}

function inputs(stria) {
  const double = stria.tensor(uniform(N, 1, -4, 4));
  const integer = stria.tensor(Int32Array.from(uniform(N, 2, -(2 ** 31), 2 ** 31)));
  return {
    double,
    single: double.to('float32'),
    other: stria.tensor(Float32Array.from(uniform(N, 3, 0.01, 3))),
    integer,
    small: stria.tensor(Int32Array.from(uniform(N, 4, -50, 50))),
    matrix: stria.tensor(Float32Array.from(uniform(SHAPE[0] * SHAPE[1], 5, -2, 2)), { shape: SHAPE }),
  };
}

// 64 bits over 32-bit words, two multiplicative halves with the finish of MurmurHash3 (A. Appleby, public domain).
class Hash {
  constructor() {
    [this.a, this.b] = [0x9e3779b9, 0x85ebca6b];
  }

  add(word) {
    this.a = Math.imul((this.a ^ word) | 0, 0x01000193);
    this.b = Math.imul(((this.b << 13) | (this.b >>> 19)) ^ word, 0xcc9e2d51);
  }

  get text() {
    const finish = (h) => {
      h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
      h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
      return ((h ^ (h >>> 16)) >>> 0).toString(16).padStart(8, '0');
    };
    return finish(this.a ^ this.b) + finish(this.b);
  }
}

const isHalf = (x) => x.dtype === 'float16' || x.dtype === 'bfloat16';

// Which NaN a result is, is not specified, so all of them count as one. Halves are read as float32, which has them exactly.
function addTensor(hash, x) {
  const data = (isHalf(x) ? x.to('float32') : x).dataSync();
  const isFloat = data instanceof Float32Array || data instanceof Float64Array;
  if (isFloat) for (let k = 0; k < data.length; k++) if (Number.isNaN(data[k])) data[k] = NaN;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const words = new Uint32Array(Math.ceil(bytes.length / 4));
  new Uint8Array(words.buffer).set(bytes);
  for (const word of words) hash.add(word);
  hash.add(data.length);
  return data.length;
}

/** Name, number of results and hash of one family. */
export function hashFamily(stria, { name, run }) {
  return stria.scope(() => {
    const hash = new Hash();
    const results = run(stria, inputs(stria));
    const count = results.reduce((sum, x) => sum + addTensor(hash, x), 0);
    return { name, count, hash: hash.text };
  });
}
