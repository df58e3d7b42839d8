// The ops of ONNX, as its backend tests call them, on functions of stria. Ops without a line here are counted as missing.
import type { DType, Tensor } from 'stria';
import { Missing, normalised, type Adapters, type Functions } from './conformance_cases.js';

// Numbers of dtypes in ONNX.
const dtypeOf: Record<number, DType> = {
  ...{
    1: 'float32',
    2: 'uint8',
    3: 'int8',
    4: 'uint16',
    5: 'int16',
    6: 'int32',
    7: 'int64',
    9: 'bool',
    10: 'float16',
  },
  ...{ 11: 'float64', 12: 'uint32', 13: 'uint64', 14: 'complex64', 15: 'complex128', 16: 'bfloat16' },
};

function dtypeNumbered(to: unknown): DType {
  const dtype = dtypeOf[Number(to)];
  if (dtype === undefined) throw new Missing(`dtype ${String(to)}`);
  return dtype;
}

const unary = (names: Record<string, string>): Adapters =>
  Object.fromEntries(
    Object.entries(names).map(([op, name]) => [op, (S: Functions, [x]: Tensor[]) => S[name](x)]),
  );
const binary = (names: Record<string, string>): Adapters =>
  Object.fromEntries(
    Object.entries(names).map(([op, name]) => [op, (S: Functions, [a, b]: Tensor[]) => S[name](a, b)]),
  );
// Any number of inputs, two by two.
const chain =
  (name: string): Adapters[string] =>
  (S, inputs) =>
    inputs.reduce((a, b) => S[name](a, b)).clone();

const isWhole = (x: Tensor): boolean => /int/.test(x.dtype);
// The numbers of a small tensor of whole numbers.
const listOf = (x: Tensor | undefined): number[] | undefined =>
  x === undefined ? undefined : Array.from(x.dataSync() as ArrayLike<number | bigint>, Number);
const wrapped = (axis: number, x: Tensor): number => (axis < 0 ? axis + x.shape.length : axis);
const rangeFrom = (first: number, end: number): number[] =>
  Array.from({ length: Math.max(end - first, 0) }, (_, k) => first + k);

type Step = (S: Functions, x: Tensor) => Tensor;

// Axes are the second input, or an attribute; without them all, or none where noop_with_empty_axes says so.
function reduced(name: string, before?: Step, after?: Step): Adapters[string] {
  return (S, [x, axes], attrs) => {
    const given = (listOf(axes) ?? (attrs.axes as number[] | undefined) ?? []).map((axis) =>
      wrapped(axis, x),
    );
    const from = before ? before(S, x) : x;
    const dim = given.length > 0 ? given : rangeFrom(0, x.shape.length);
    const isNone = given.length === 0 && attrs.noop_with_empty_axes === 1;
    const y = isNone ? from : (S[name](from, dim, { keepdim: (attrs.keepdims ?? 1) !== 0 }) as Tensor);
    const kept = y.dtype === x.dtype ? y.clone() : y.to(x.dtype);
    return after ? after(S, kept) : kept;
  };
}

function argument(name: string): Adapters[string] {
  return (S, [x], { axis = 0, keepdims = 1, select_last_index = 0 }) => {
    const from = select_last_index ? x.flip(axis) : x;
    const found = S[name](from, axis, { keepdim: keepdims !== 0 });
    return select_last_index ? S.sub(x.shape.at(axis)! - 1, found) : found;
  };
}

function running(name: string, undo: string): Adapters[string] {
  return (S, [x, axis], { exclusive = 0, reverse = 0 }) => {
    const dim = Number(axis.item());
    const from = reverse ? x.flip(dim) : x;
    const all = S[name](from, dim, { dtype: x.dtype });
    let y = all;
    if (exclusive) {
      const n = x.shape.at(dim)!;
      const first = S.full(from.narrow(dim, 0, 1).shape, undo === 'sub' ? 0 : 1, { dtype: x.dtype });
      y = S.cat([first, all.narrow(dim, 0, n - 1)], dim);
    }
    return reverse ? y.flip(dim) : y;
  };
}

const activation = (name: string, options: Record<string, string>): Adapters[string] => {
  return (S, [x], attrs) => {
    const given = Object.entries(options).filter(([from]) => attrs[from] !== undefined);
    return S[name](x, Object.fromEntries(given.map(([from, to]) => [to, attrs[from]])));
  };
};

// Sizes where x has them and 1 elsewhere, so that w broadcasts along the axes.
const along = (w: Tensor, x: Tensor, axes: readonly number[]): Tensor =>
  w.reshape(x.shape.map((size, k) => (axes.includes(k) ? size : 1)));

function whitened(S: Functions, x: Tensor, axes: readonly number[], epsilon: number): Tensor[] {
  const mean = S.mean(x, axes, { keepdim: true });
  const centred = S.sub(x, mean);
  const scale = S.rsqrt(S.add(S.mean(S.square(centred), axes, { keepdim: true }), epsilon));
  return [S.mul(centred, scale), mean, scale];
}

function sliced(x: Tensor, starts: number[], ends: number[], axes?: number[], steps?: number[]): Tensor {
  const clip = (n: number): number => Math.max(Math.min(n, 2 ** 40), -(2 ** 40));
  return starts.reduce((y, start, k) => {
    const step = steps?.[k] ?? 1;
    const end = clip(ends[k]);
    // an end before the first element, going down: all of them
    const stop = step < 0 && end < -x.shape[wrapped(axes?.[k] ?? k, x)] ? null : end;
    return y.slice(wrapped(axes?.[k] ?? k, x), clip(start), stop, step);
  }, x);
}

// Positions of an axis as ONNX's gather takes them: any shape, negative ones count from the end.
function gathered(S: Functions, x: Tensor, indices: Tensor, axis: number): Tensor {
  const flat = indices.reshape([-1]).to('int64');
  const picked = S.indexSelect(x, axis, S.where(S.lt(flat, 0), S.add(flat, x.shape[axis]), flat));
  return picked.reshape([...x.shape.slice(0, axis), ...indices.shape, ...x.shape.slice(axis + 1)]);
}

const fromEnd = (S: Functions, indices: Tensor, size: number): Tensor => {
  const wide = indices.to('int64');
  return S.where(S.lt(wide, 0), S.add(wide, size), wide);
};

const parts = (indices: Tensor): Tensor[] =>
  Array.from({ length: indices.shape.at(-1)! }, (_, k) => indices.select(-1, k).clone().to('int64'));

const reductions: Record<string, string> = { add: 'sum', mul: 'prod', max: 'amax', min: 'amin' };

export const onnx: Adapters = {
  ...unary({
    Abs: 'abs',
    Acos: 'acos',
    Acosh: 'acosh',
    Asin: 'asin',
    Asinh: 'asinh',
    Atan: 'atan',
    Atanh: 'atanh',
  }),
  ...unary({
    BitwiseNot: 'bitwiseNot',
    Ceil: 'ceil',
    Cos: 'cos',
    Cosh: 'cosh',
    Erf: 'erf',
    Exp: 'exp',
    Floor: 'floor',
  }),
  ...unary({
    IsNaN: 'isnan',
    Log: 'log',
    Neg: 'neg',
    Not: 'logicalNot',
    Reciprocal: 'reciprocal',
    Round: 'round',
  }),
  ...unary({ Sign: 'sign', Sin: 'sin', Sinh: 'sinh', Sqrt: 'sqrt', Tan: 'tan', Tanh: 'tanh', Relu: 'relu' }),
  ...unary({
    Sigmoid: 'sigmoid',
    Softplus: 'softplus',
    Softsign: 'softsign',
    Mish: 'mish',
    HardSwish: 'hardswish',
  }),
  ...binary({
    Add: 'add',
    And: 'logicalAnd',
    Or: 'logicalOr',
    Xor: 'logicalXor',
    Sub: 'sub',
    Mul: 'mul',
    MatMul: 'matmul',
  }),
  ...binary({
    BitwiseAnd: 'bitwiseAnd',
    BitwiseOr: 'bitwiseOr',
    BitwiseXor: 'bitwiseXor',
    Greater: 'gt',
  }),
  ...binary({ GreaterOrEqual: 'ge', Less: 'lt', LessOrEqual: 'le' }),
  Equal: (S, [a, b]) => S.eq(a, b),
  Identity: (_, [x]) => x.clone(),
  IsInf: (S, [x], { detect_positive = 1, detect_negative = 1 }) => {
    const isInfinite = S.isinf(x);
    if (detect_positive && detect_negative) return isInfinite;
    return S.logicalAnd(isInfinite, detect_positive ? S.gt(x, 0) : S.lt(x, 0));
  },
  Celu: activation('celu', { alpha: 'alpha' }),
  Elu: activation('elu', { alpha: 'alpha' }),
  Gelu: activation('gelu', { approximate: 'approximate' }),
  HardSigmoid: (S, [x], { alpha = 0.2, beta = 0.5 }) => S.clamp(S.add(S.mul(x, alpha), beta), 0, 1),
  Hardmax: (S, [x], { axis = -1 }) => {
    const dim = wrapped(axis, x);
    const places = S.arange(x.shape[dim], { dtype: 'int64' });
    const shaped = places.reshape(x.shape.map((size, k) => (k === dim ? size : 1)));
    return S.eq(shaped, S.argmax(x, dim, { keepdim: true })).to(x.dtype);
  },
  LeakyRelu: activation('leakyRelu', { alpha: 'negativeSlope' }),
  LogSoftmax: (S, [x], { axis = -1 }) => S.logSoftmax(x, axis),
  Softmax: (S, [x], { axis = -1 }) => S.softmax(x, axis),
  PRelu: (S, [x, slope]) => S.where(S.lt(x, 0), S.mul(x, slope), x),
  Selu: (S, [x], { alpha = 1.6732632423543772, gamma = 1.0507009873554805 }) =>
    S.mul(S.elu(x, { alpha }), gamma),
  Shrink: (S, [x], { bias = 0, lambd = 0.5 }) =>
    S.where(S.lt(x, -lambd), S.add(x, bias), S.where(S.gt(x, lambd), S.sub(x, bias), S.zerosLike(x))),
  Swish: (S, [x], { alpha = 1 }) => S.mul(x, S.sigmoid(S.mul(x, alpha))),
  ThresholdedRelu: (S, [x], { alpha = 1 }) => S.threshold(x, alpha, 0),
  BitShift: (S, [a, b], { direction }) =>
    S[direction === 'LEFT' ? 'bitwiseLeftShift' : 'bitwiseRightShift'](a, b),
  Div: (S, [a, b]) => (isWhole(a) ? S.truncDivide(a, b) : S.div(a, b)),
  Max: chain('maximum'),
  Min: chain('minimum'),
  Sum: chain('add'),
  Mean: (S, inputs) =>
    S.div(
      inputs.reduce((a, b) => S.add(a, b)),
      inputs.length,
    ),
  Mod: (S, [a, b], { fmod = 0 }) => S[fmod ? 'fmod' : 'remainder'](a, b),
  Pow: (S, [a, b]) => S.pow(a, b).to(a.dtype),
  Clip: (S, [x, low, high]) => {
    const above = low ? S.maximum(x, low) : x;
    return (high ? S.minimum(above, high) : above).clone();
  },
  Where: (S, [condition, a, b]) => S.where(condition, a, b),
  BitCast: (S, [x], { to }) => S.viewDtype(x, dtypeNumbered(to)).clone(),
  Det: (S, [x]) => S.det(x),
  Cast: (_, [x], { to }) => x.to(dtypeNumbered(to)),
  CastLike: (_, [x, like]) => x.to(like.dtype),
  ArgMax: argument('argmax'),
  ArgMin: argument('argmin'),
  CumSum: running('cumsum', 'sub'),
  CumProd: running('cumprod', 'div'),
  ReduceL1: reduced('sum', (S, x) => S.abs(x)),
  ReduceL2: reduced(
    'sum',
    (S, x) => S.square(x),
    (S, y) => S.sqrt(y),
  ),
  ReduceLogSum: reduced('sum', undefined, (S, y) => S.log(y)),
  ReduceLogSumExp: reduced('logsumexp'),
  ReduceMax: (S, [x, axes], attrs) => reduced('amax')(S, [x, axes], attrs, []),
  ReduceMean: reduced('mean'),
  ReduceMin: reduced('amin'),
  ReduceProd: reduced('prod'),
  ReduceSum: reduced('sum'),
  ReduceSumSquare: reduced('sum', (S, x) => S.square(x)),
  TopK: (S, [x, k], { axis = -1, largest = 1, sorted = 1 }) => {
    const { values, indices } = S.topk(x, Number(k.item()), axis, {
      largest: largest === 1,
      sorted: sorted === 1,
    });
    return [values, indices];
  },
  Einsum: (S, inputs, { equation }) => S.einsum(equation, inputs),
  Gemm: (S, [a, b, c], { alpha = 1, beta = 1, transA, transB }) => {
    const product = S.mul(S.matmul(transA ? a.permute(1, 0) : a, transB ? b.permute(1, 0) : b), alpha);
    return c ? S.add(product, S.mul(c, beta)) : product;
  },
  MatMulInteger: (S, [a, b, aZero, bZero]) =>
    S.matmul(S.sub(a.to('int32'), aZero.to('int32')), S.sub(b.to('int32'), bZero.to('int32'))),
  CenterCropPad: (S, [x, sizes], { axes }) => {
    const all = ((axes as number[] | undefined) ?? rangeFrom(0, x.shape.length)).map((axis) =>
      wrapped(axis, x),
    );
    const wanted = listOf(sizes)!;
    return all
      .reduce((y, axis, k) => {
        const more = wanted[k] - y.shape[axis];
        if (more <= 0) return y.narrow(axis, Math.floor(-more / 2), wanted[k]);
        const pairs = y.shape.map((_, d) =>
          d === axis ? [Math.floor(more / 2), more - Math.floor(more / 2)] : [0, 0],
        );
        return S.pad(y, pairs.reverse().flat());
      }, x)
      .clone();
  },
  Compress: (S, [x, condition], { axis }) => {
    const from = axis === undefined ? x.reshape([-1]) : x;
    const dim = axis === undefined ? 0 : wrapped(axis, x);
    const places = S.nonzero(condition).reshape([-1]);
    return S.indexSelect(from, dim, places);
  },
  Concat: (S, inputs, { axis }) => S.cat(inputs, axis),
  ConstantOfShape: (S, [shape], { value }) => {
    const fill = value ?? { dtype: 'float32', data: [0] };
    return S.full(listOf(shape)!, fill.data[0], { dtype: fill.dtype });
  },
  DepthToSpace: (_, [x], { blocksize: b, mode = 'DCR' }) => {
    const [n, c, h, w] = x.shape;
    const y =
      mode === 'DCR'
        ? x.reshape([n, b, b, c / b / b, h, w]).permute(0, 3, 4, 1, 5, 2)
        : x.reshape([n, c / b / b, b, b, h, w]).permute(0, 1, 4, 2, 5, 3);
    return y.reshape([n, c / b / b, h * b, w * b]);
  },
  SpaceToDepth: (_, [x], { blocksize: b }) => {
    const [n, c, h, w] = x.shape;
    return x
      .reshape([n, c, h / b, b, w / b, b])
      .permute(0, 3, 5, 1, 2, 4)
      .reshape([n, c * b * b, h / b, w / b]);
  },
  Expand: (S, [x, shape]) => S.add(x, S.zeros(listOf(shape)!, { dtype: x.dtype })),
  EyeLike: (S, [x], { dtype, k = 0 }) => {
    const [rows, columns] = x.shape;
    const down = S.arange(rows, { dtype: 'int64' }).reshape([rows, 1]);
    const across = S.arange(columns, { dtype: 'int64' });
    return S.eq(S.add(down, k), across).to(dtype === undefined ? x.dtype : dtypeNumbered(dtype));
  },
  Flatten: (_, [x], { axis = 1 }) => {
    const at = wrapped(axis, x);
    const before = x.shape.slice(0, at).reduce((a, b) => a * b, 1);
    return x.reshape([before, x.numel / before]);
  },
  Gather: (S, [x, indices], { axis = 0 }) => gathered(S, x, indices, wrapped(axis, x)),
  GatherElements: (S, [x, indices], { axis = 0 }) =>
    S.gather(x, axis, fromEnd(S, indices, x.shape.at(axis)!)),
  GatherND: (S, [x, indices], { batch_dims = 0 }) => {
    if (batch_dims === 0) return S.index(x, parts(indices));
    return S.stack(rangeFrom(0, x.shape[0]).map((k) => S.index(x.select(0, k), parts(indices.select(0, k)))));
  },
  NonZero: (S, [x]) => S.nonzero(x).permute(1, 0),
  OneHot: (S, [indices, depth, values], { axis = -1 }) => {
    const n = Number(depth.item());
    const dim = axis < 0 ? axis + indices.shape.length + 1 : axis;
    const places = S.arange(n, { dtype: 'int64' }).reshape([n, ...indices.shape.slice(dim).map(() => 1)]);
    const isHere = S.eq(S.remainder(indices.to('int64'), n).unsqueeze(dim), places);
    return S.where(isHere, values.select(0, 1), values.select(0, 0));
  },
  Pad: (S, [x, pads, value, axes], { mode = 'constant' }) => {
    const all = (listOf(axes) ?? rangeFrom(0, x.shape.length)).map((axis) => wrapped(axis, x));
    const numbers = listOf(pads)!;
    const pairs = x.shape.map((_, d) => {
      const k = all.indexOf(d);
      return k < 0 ? [0, 0] : [numbers[k], numbers[all.length + k]];
    });
    const names: Record<string, string> = { edge: 'replicate', wrap: 'circular' };
    return S.pad(x, pairs.reverse().flat(), names[mode] ?? mode, value ? { value: value.item() } : undefined);
  },
  Range: (S, [start, limit, delta]) =>
    S.arange(Number(start.item()), Number(limit.item()), Number(delta.item()), { dtype: start.dtype }),
  Reshape: (_, [x, shape], { allowzero = 0 }) =>
    x.reshape(listOf(shape)!.map((size, k) => (size === 0 && !allowzero ? x.shape[k] : size))),
  ReverseSequence: (S, [x, lengths], { batch_axis = 1, time_axis = 0 }) => {
    const counts = listOf(lengths)!;
    const rows = counts.map((n, k) => {
      const row = x.select(batch_axis, k);
      const dim = time_axis > batch_axis ? time_axis - 1 : time_axis;
      return S.cat([row.narrow(dim, 0, n).flip(dim), row.narrow(dim, n, row.shape[dim] - n)], dim);
    });
    return S.stack(rows, batch_axis);
  },
  Scatter: (S, [x, indices, updates], { axis = 0 }) =>
    S.scatter(x, axis, fromEnd(S, indices, x.shape.at(axis)!), updates),
  ScatterElements: (S, [x, indices, updates], { axis = 0, reduction = 'none' }) => {
    const places = fromEnd(S, indices, x.shape.at(axis)!);
    return reduction === 'none'
      ? S.scatter(x, axis, places, updates)
      : S.scatterReduce(x, axis, places, updates, reductions[reduction]);
  },
  ScatterND: (S, [x, indices, updates], { reduction = 'none' }) => {
    if (reduction === 'none') return S.indexPut(x, parts(indices), updates);
    if (reduction === 'add') return S.indexPut(x, parts(indices), updates, { accumulate: true });
    // rows of the axes that the indices name, reduced one by one
    const depth = indices.shape.at(-1)!;
    const rows = x.shape.slice(0, depth).reduce((a, b) => a * b, 1);
    const strides = rangeFrom(0, depth).map((k) => x.shape.slice(k + 1, depth).reduce((a, b) => a * b, 1));
    const flat = parts(indices)
      .map((part, k) => S.mul(fromEnd(S, part, x.shape[k]), strides[k]))
      .reduce((a, b) => S.add(a, b))
      .reshape([-1]);
    const y = S.indexReduce(
      x.reshape([rows, x.numel / rows]),
      0,
      flat,
      updates.reshape([flat.numel, -1]),
      reductions[reduction],
    );
    return y.reshape(x.shape);
  },
  Shape: (S, [x], { start = 0, end }) => {
    const sizes = x.shape.slice(start, end as number | undefined);
    return S.tensor(sizes.map(BigInt), { dtype: 'int64', shape: [sizes.length] });
  },
  Size: (S, [x]) => S.tensor(BigInt(x.numel), { dtype: 'int64' }),
  Slice: (_, [x, starts, ends, axes, steps]) =>
    sliced(x, listOf(starts)!, listOf(ends)!, listOf(axes), listOf(steps)),
  Split: (S, [x, sizes], { axis = 0, num_outputs, count }) => {
    const given = listOf(sizes);
    return S.split(x, given ?? Math.ceil(x.shape.at(axis)! / Number(num_outputs ?? count)), axis);
  },
  Squeeze: (_, [x, axes]) => (axes ? x.squeeze(listOf(axes)!) : x.squeeze()),
  Unsqueeze: (_, [x, axes]) => {
    const given = listOf(axes)!;
    const ndim = x.shape.length + given.length;
    return given
      .map((axis) => (axis < 0 ? axis + ndim : axis))
      .sort((a, b) => a - b)
      .reduce((y, axis) => y.unsqueeze(axis), x);
  },
  // updates go to a position of each batch, behind one another along the axis; circular: around its end
  TensorScatter: (S, [x, updates, starts], { axis = -2, mode = 'linear' }) => {
    const dim = wrapped(axis, x);
    const shaped = (values: Tensor, at: number): Tensor =>
      values.reshape(updates.shape.map((_, k) => (k === at ? values.numel : 1)));
    const along = shaped(S.arange(updates.shape[dim], { dtype: 'int64' }), dim);
    const places = S.add(along, starts ? shaped(starts, 0) : 0);
    const index = mode === 'circular' ? S.remainder(places, x.shape[dim]) : places;
    return S.scatter(x, dim, S.contiguous(S.expand(index, updates.shape)), updates);
  },
  Unique: (S, [x], { axis, sorted = 1 }) => {
    const options = { returnInverse: true, returnCounts: true, dim: axis };
    const { values, inverse, counts } = S.unique(x, options);
    // the first place of each: later ones are written first, so that it stays
    const places = S.arange(inverse.numel, { dtype: 'int64' }).flip(0).clone();
    const first = S.scatter(
      S.zeros(counts.shape, { dtype: 'int64' }),
      0,
      inverse.reshape([-1]).flip(0).clone(),
      places,
    );
    if (sorted) return [values, first, inverse.reshape([-1]), counts];
    const order = S.argsort(first);
    const pick = (list: Tensor, dim = 0): Tensor => S.indexSelect(list, dim, order);
    return [
      pick(values, axis ?? 0),
      pick(first),
      S.take(S.argsort(order), inverse.reshape([-1])),
      pick(counts),
    ];
  },
  Tile: (S, [x, repeats]) => S.tile(x, listOf(repeats)!),
  Transpose: (_, [x], { perm }) => x.permute(perm ?? rangeFrom(0, x.shape.length).reverse()),
  Trilu: (S, [x, k], { upper = 1 }) => S[upper ? 'triu' : 'tril'](x, k ? Number(k.item()) : 0),
  BatchNormalization: (
    S,
    [x, scale, bias, mean, variance],
    { epsilon = 1e-5, momentum = 0.9, training_mode = 0 },
  ) => {
    const others = rangeFrom(0, x.shape.length).filter((axis) => axis !== 1);
    const placed = (w: Tensor): Tensor => along(w, x, [1]);
    const ownMean = training_mode ? S.mean(x, others) : mean;
    const own = training_mode ? S.mean(S.square(S.sub(x, placed(ownMean))), others) : variance;
    const unit = S.div(S.sub(x, placed(ownMean)), S.sqrt(S.add(placed(own), epsilon)));
    const y = S.add(S.mul(unit, placed(scale)), placed(bias));
    if (!training_mode) return y;
    const mixed = (old: Tensor, now: Tensor): Tensor => S.add(S.mul(old, momentum), S.mul(now, 1 - momentum));
    return [y, mixed(mean, ownMean), mixed(variance, own)];
  },
  GroupNormalization: (S, [x, scale, bias], { epsilon = 1e-5, num_groups }) => {
    const [n, c] = x.shape;
    const grouped = x.reshape([n, num_groups, x.numel / n / num_groups]);
    const y = normalised(S, grouped, [2], epsilon).reshape(x.shape);
    return S.add(S.mul(y, scale.reshape([1, c, 1, 1])), bias.reshape([1, c, 1, 1]));
  },
  InstanceNormalization: (S, [x, scale, bias], { epsilon = 1e-5 }) => {
    const y = normalised(S, x, rangeFrom(2, x.shape.length), epsilon);
    return S.add(S.mul(y, along(scale, x, [1])), along(bias, x, [1]));
  },
  LayerNormalization: (S, [x, scale, bias], { axis = -1, epsilon = 1e-5 }) => {
    const [y, mean, inverse] = whitened(S, x, rangeFrom(wrapped(axis, x), x.shape.length), epsilon);
    return [bias ? S.add(S.mul(y, scale), bias) : S.mul(y, scale), mean, inverse];
  },
  LpNormalization: (S, [x], { axis = -1, p = 2 }) => {
    const size = S.norm(x, p, axis, { keepdim: true });
    return S.where(S.eq(size, 0), S.zerosLike(x), S.div(x, size));
  },
  LRN: (S, [x], { alpha = 1e-4, beta = 0.75, bias = 1, size }) =>
    S.localResponseNorm(x, size, alpha, beta, bias),
  MeanVarianceNormalization: (S, [x], { axes = [0, 2, 3] }) => normalised(S, x, axes, 1e-9),
  RMSNormalization: (S, [x, scale], { axis = -1, epsilon = 1e-5 }) => {
    const axes = rangeFrom(wrapped(axis, x), x.shape.length);
    return S.mul(S.mul(x, S.rsqrt(S.add(S.mean(S.square(x), axes, { keepdim: true }), epsilon))), scale);
  },
};
