// The ops of WebNN, as the web-platform-tests call them, on functions of stria.
import type { Tensor } from 'stria';
import { Missing, normalised, type Adapters, type Attributes, type Functions } from './conformance_cases.js';

const numbers = (value: unknown): number[] => value as number[];

// WebNN's [] reduces nothing, where stria's reduces nothing, too; no axes are all.
function reduced(
  name: string,
  before?: (S: Functions, x: Tensor) => Tensor,
  after?: string,
): Adapters[string] {
  return (S, [x], attrs) => {
    const dim = attrs.axes === undefined ? x.shape.map((_, k) => k) : numbers(attrs.axes);
    const from = before ? before(S, x) : x;
    if (dim.length === 0) return after ? S[after](from.clone()) : from.clone();
    const y = S[name](from, dim, { keepdim: attrs.keepDimensions === true });
    // WebNN keeps the dtype of integers
    const kept = (y as Tensor).dtype === x.dtype ? y : (y as Tensor).to(x.dtype);
    return after ? S[after](kept) : kept;
  };
}

const arg =
  (name: string): Adapters[string] =>
  (S, [x], attrs) =>
    S[name](x, attrs.axis, { keepdim: attrs.keepDimensions === true }).to(attrs.outputDataType ?? 'int32');

const affine = (S: Functions, x: Tensor, a: number, b: number): Tensor => S.add(S.mul(x, a), b);

// Positions of an axis of `size`: negative ones count from the end, those beyond either end are the last one there.
function bounded(S: Functions, indices: Tensor, size: number): Tensor {
  const inside = S.clamp(indices.to('int64'), -size, size - 1);
  return S.where(S.lt(inside, 0), S.add(inside, size), inside);
}

function normalisedOver(
  S: Functions,
  x: Tensor,
  axes: number[],
  attrs: Attributes,
  scale?: Tensor,
  bias?: Tensor,
): Tensor {
  const y = normalised(S, x, axes, Number(attrs.epsilon ?? 1e-5));
  // scale and bias have the sizes of the axes, in the order of `axes`
  const placed = (w: Tensor): Tensor => {
    const order = [...axes.keys()].sort((i, j) => axes[i] - axes[j]);
    const sorted = axes.length > 0 ? w.permute(order) : w;
    return sorted.reshape(x.shape.map((size, k) => (axes.includes(k) ? size : 1)));
  };
  const scaled = scale ? S.mul(y, placed(scale)) : y;
  return bias ? S.add(scaled, placed(bias)) : scaled;
}

// Elements mirrored at the ends of every axis, those at the ends too.
const symmetric = (S: Functions, x: Tensor, pairs: number[][]): Tensor =>
  pairs.reduce((y, [before, after], k) => {
    const first = y.narrow(k, 0, before).flip(k);
    return S.cat([first, y, y.narrow(k, y.shape[k] - after, after).flip(k)], k) as Tensor;
  }, x);

export const webnn: Adapters = {
  elu: (S, [x], { alpha = 1 }) => S.elu(x, { alpha }),
  gelu: (S, [x]) => S.gelu(x),
  hardSigmoid: (S, [x], { alpha = 0.2, beta = 0.5 }) => S.clamp(affine(S, x, alpha, beta), 0, 1),
  hardSwish: (S, [x]) => S.hardswish(x),
  leakyRelu: (S, [x], { alpha = 0.01 }) => S.leakyRelu(x, { negativeSlope: alpha }),
  linear: (S, [x], { alpha = 1, beta = 0 }) => affine(S, x, alpha, beta),
  // WebNN broadcasts the slope as an operand; torch's prelu takes one number for each channel
  prelu: (S, [x, slope]) => S.where(S.lt(x, 0), S.mul(x, slope), x),
  relu: (S, [x]) => S.relu(x),
  sigmoid: (S, [x]) => S.sigmoid(x),
  softmax: (S, [x], { axis }) => S.softmax(x, axis ?? 1),
  softplus: (S, [x]) => S.softplus(x),
  softsign: (S, [x]) => S.softsign(x),
  add: (S, [a, b]) => S.add(a, b),
  sub: (S, [a, b]) => S.sub(a, b),
  mul: (S, [a, b]) => S.mul(a, b),
  div: (S, [a, b]) => S.div(a, b),
  max: (S, [a, b]) => S.maximum(a, b),
  min: (S, [a, b]) => S.minimum(a, b),
  pow: (S, [a, b]) => S.pow(a, b),
  equal: (S, [a, b]) => S.eq(a, b),
  notEqual: (S, [a, b]) => S.ne(a, b),
  greater: (S, [a, b]) => S.gt(a, b),
  greaterOrEqual: (S, [a, b]) => S.ge(a, b),
  lesser: (S, [a, b]) => S.lt(a, b),
  lesserOrEqual: (S, [a, b]) => S.le(a, b),
  logicalAnd: (S, [a, b]) => S.logicalAnd(a, b),
  logicalOr: (S, [a, b]) => S.logicalOr(a, b),
  logicalXor: (S, [a, b]) => S.logicalXor(a, b),
  logicalNot: (S, [x]) => S.logicalNot(x),
  cast: (_, [x], { type }) => x.to(type),
  gemm: (S, [a, b, c], { alpha = 1, beta = 1, aTranspose, bTranspose }) => {
    const product = S.matmul(aTranspose ? a.permute(1, 0) : a, bTranspose ? b.permute(1, 0) : b);
    const scaled = alpha === 1 ? product : S.mul(product, alpha);
    return c ? S.add(scaled, beta === 1 ? c : S.mul(c, beta)) : scaled;
  },
  matmul: (S, [a, b]) => S.matmul(a, b),
  batchNormalization: (S, inputs, attrs, names) => {
    const named = Object.fromEntries(names.map((name, k) => [name, inputs[k]]));
    const { axis = 1, epsilon = 1e-5 } = attrs;
    const placed = (w: Tensor): Tensor =>
      w.reshape(named.input.shape.map((size, k) => (k === axis ? size : 1)));
    const centred = S.sub(named.input, placed(named.mean));
    const y = S.div(centred, S.sqrt(S.add(placed(named.variance), epsilon)));
    const scaled = named.scale ? S.mul(y, placed(named.scale)) : y;
    return named.bias ? S.add(scaled, placed(named.bias)) : scaled;
  },
  instanceNormalization: (S, inputs, attrs, names) => {
    const named = Object.fromEntries(names.map((name, k) => [name, inputs[k]]));
    const isLast = attrs.layout === 'nhwc';
    const y = normalised(S, named.input, isLast ? [1, 2] : [2, 3], Number(attrs.epsilon ?? 1e-5));
    const placed = (w: Tensor): Tensor => w.reshape(isLast ? [1, 1, 1, w.shape[0]] : [1, w.shape[0], 1, 1]);
    const scaled = named.scale ? S.mul(y, placed(named.scale)) : y;
    return named.bias ? S.add(scaled, placed(named.bias)) : scaled;
  },
  layerNormalization: (S, inputs, attrs, names) => {
    const named = Object.fromEntries(names.map((name, k) => [name, inputs[k]]));
    const usual = named.input.shape.map((_, k) => k).slice(1);
    const axes = attrs.axes === undefined ? usual : numbers(attrs.axes);
    return normalisedOver(S, named.input, axes, attrs, named.scale, named.bias);
  },
  argMax: arg('argmax'),
  argMin: arg('argmin'),
  cumulativeSum: (S, [x], { axis, exclusive, reversed }) => {
    const from = reversed ? x.flip(axis) : x;
    const sum = S.cumsum(from, axis, { dtype: x.dtype });
    const y = exclusive ? S.sub(sum, from) : sum;
    return reversed ? y.flip(axis) : y;
  },
  reduceL1: reduced('sum', (S, x) => S.abs(x)),
  reduceL2: (S, [x], attrs) => {
    const dim = attrs.axes === undefined ? x.shape.map((_, k) => k) : numbers(attrs.axes);
    return dim.length === 0 ? S.abs(x) : S.norm(x, 2, dim, { keepdim: attrs.keepDimensions === true });
  },
  // one op in WebNN: a sum may be beyond what a half holds
  reduceLogSum: (S, [x], attrs) =>
    (reduced('sum', undefined, 'log')(S, [x.to('float32')], attrs, []) as Tensor).to(x.dtype),
  reduceLogSumExp: reduced('sum', (S, x) => S.exp(x), 'log'),
  reduceMax: reduced('amax'),
  reduceMean: reduced('mean'),
  reduceMin: reduced('amin'),
  reduceProduct: reduced('prod'),
  reduceSum: reduced('sum'),
  reduceSumSquare: reduced('sum', (S, x) => S.square(x)),
  concat: (S, inputs, { axis }) => S.cat(inputs, axis),
  expand: (_, [x], { newShape }) => x.expand(newShape),
  gather: (S, [x, indices], { axis = 0 }) => {
    const picked = S.indexSelect(x, axis, bounded(S, indices.reshape([-1]), x.shape[axis]));
    return picked.reshape([...x.shape.slice(0, axis), ...indices.shape, ...x.shape.slice(axis + 1)]);
  },
  gatherElements: (S, [x, indices], { axis = 0 }) => S.gather(x, axis, bounded(S, indices, x.shape[axis])),
  gatherND: (S, [x, indices]) =>
    S.index(
      x,
      Array.from({ length: indices.shape.at(-1)! }, (_, k) => bounded(S, indices.select(-1, k), x.shape[k])),
    ),
  pad: (S, [x], { beginningPadding, endingPadding, mode = 'constant', value = 0 }) => {
    const pairs = numbers(beginningPadding).flatMap((before, k) => [[before, numbers(endingPadding)[k]]]);
    const names = { constant: 'constant', edge: 'replicate', reflection: 'reflect' } as Record<
      string,
      string
    >;
    if (mode === 'symmetric') return symmetric(S, x, pairs);
    if (names[mode] === undefined) throw new Missing(mode);
    return S.pad(x, pairs.reverse().flat(), names[mode], { value });
  },
  reshape: (_, [x], { newShape }) => x.reshape(newShape),
  reverse: (_, [x], { axes }) => x.flip(axes ?? x.shape.map((__, k) => k)),
  scatterElements: (S, [x, indices, updates], { axis = 0 }) =>
    S.scatter(x, axis, indices.to('int64'), updates),
  scatterND: (S, [x, indices, updates]) => {
    const parts = Array.from({ length: indices.shape.at(-1)! }, (_, k) =>
      indices.select(-1, k).clone().to('int64'),
    );
    return S.indexPut(x, parts, updates);
  },
  slice: (_, [x], { starts, sizes, strides }) =>
    numbers(starts).reduce(
      (y, start, k) => y.slice(k, start, start + numbers(sizes)[k], strides ? numbers(strides)[k] : 1),
      x,
    ),
  split: (S, [x], { splits, axis = 0 }) =>
    S.split(x, typeof splits === 'number' ? x.shape[axis] / splits : splits, axis),
  tile: (S, [x], { repetitions }) => S.tile(x, repetitions),
  transpose: (_, [x], { permutation }) => x.permute(permutation ?? x.shape.map((__, k) => k).reverse()),
  triangular: (S, [x], { upper = true, diagonal = 0 }) => (upper ? S.triu : S.tril)(x, diagonal),
  clamp: (S, [x], { minValue, maxValue }) => {
    const [low, high] = [minValue, maxValue].map((bound) =>
      bound === undefined ? null : /int/.test(x.dtype) ? BigInt(bound as string) : Number(bound),
    );
    return low === null && high === null ? x.clone() : S.clamp(x, low, high);
  },
  where: (S, [condition, a, b]) => S.where(condition.to('bool'), a, b),
  abs: (S, [x]) => S.abs(x),
  ceil: (S, [x]) => S.ceil(x),
  cos: (S, [x]) => S.cos(x),
  erf: (S, [x]) => S.erf(x),
  exp: (S, [x]) => S.exp(x),
  floor: (S, [x]) => S.floor(x),
  identity: (_, [x]) => x.clone(),
  log: (S, [x]) => S.log(x),
  neg: (S, [x]) => S.neg(x),
  reciprocal: (S, [x]) => S.reciprocal(x),
  sign: (S, [x]) => S.sign(x),
  sin: (S, [x]) => S.sin(x),
  sqrt: (S, [x]) => S.sqrt(x),
  tan: (S, [x]) => S.tan(x),
  tanh: (S, [x]) => S.tanh(x),
};
