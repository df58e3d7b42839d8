// native.mjs - the rows of the native table: what is computed, how each library does it, what stria must reach.
//
//   name     of the row; `make bench ROWS=regex` matches it
//   in       inputs by name: 'f32[1000,1000]', with ' positive' for numbers in (0.01, 1), ' levels' for whole numbers
//            from 0 to 255, ' below 1000' from 0 to 999, else in (-1, 1), as are both parts of
//            c64 and c128; bool and u8 are random
//   let      views of them by name, as NumPy writes them: { t: 'a.T' }
//   args     the operands, in order; default: the names of `in`
//   out      dtype and shape of the output, reused by every call; without it every call makes a new one
//   outIs    or the name of the view to use as the output
//   stria    one of
//              ['op', row of ops.def]   ['reduce', row, axis ..]   ['set'] (copy into out)   ['iter'] (build the iterator only)
//              ['fn', row of functions.def, value ..]: a value for each tensor, attribute and output of the row, in that order. Tensors
//                and outputs are names of arrays, or 'out'; without the outputs every call makes new ones. Lists are lists, null is
//                what is not given, words and texts are texts
//              ['expression', constants, [op, value ..], ..]: values are numbered as in stria_expression
//              ['chain', ['op', row, operands, output], ..]
//              ['training', kernel of native/stria_training.c]
//            What libstria does not export yet is listed as "not yet an op".
//   numpy, torch           expressions over the names, np or torch, and o, the output; torch_setup: statements before the first
//   eigen, xtensor, onednn, openblas, torch_cpp, torch_training   names of kernels in native/peer_*.cpp
//   target   stria's median over the best peer's must not exceed this, at every thread count
//   limitNs  stria's median must not exceed this
//   threads  default [1, 2]
//   flops    operations of one call where they bound it; otherwise the roof is bytes over bandwidth
//   check    false: the call has no result to compare
//   rtol, atol   how closely every peer must agree with NumPy (or with the first peer) before anything is timed

import { trainingRows } from './training.mjs';

// Of stria.h: no axis, no dtype given.
const AXIS_NONE = -(2 ** 31);
const DTYPE_NONE = -1;

const million = 'f32[1000000]';
const square = 'f32[1000,1000]';

/** One or two inputs of a million elements; every peer calls it by the same name unless told otherwise. */
function elementwise(op, target, { numpy, torch, positive = false, binary = false, ...rest } = {}) {
  const names = binary ? 'a, b' : 'a';
  const input = million + (positive ? ' positive' : '');
  return {
    name: `${op} 1e6`,
    group: 'element-wise',
    in: binary ? { a: million, b: `${million} positive` } : { a: input },
    out: million,
    stria: ['op', op],
    numpy: numpy ?? `np.${op}(${names}, out=o)`,
    torch: torch ?? `torch.${op}(${names}, out=o)`,
    eigen: op,
    xtensor: op,
    onednn: op,
    target,
    ...rest,
  };
}

/** A million complex numbers. */
function complex(op, dtype, { binary = false, out = dtype, numpy = op, target = 1.0 } = {}) {
  const names = binary ? 'a, b' : 'a';
  return {
    name: `${op} 1e6 ${dtype}`,
    group: 'complex',
    in: { a: `${dtype}[1000000]`, ...(binary && { b: `${dtype}[1000000]` }) },
    out: `${out}[1000000]`,
    stria: ['op', op],
    numpy: `np.${numpy}(${names}, out=o)`,
    torch: `torch.${op}(${names}, out=o)`,
    target,
    rtol: 1e-3,
    atol: 1e-4,
  };
}

function reduction(name, shape, out, axis, target, rest = {}) {
  return {
    name,
    group: 'reductions',
    in: { a: shape },
    out,
    stria: axis === null ? ['reduce', 'sum'] : ['reduce', 'sum', axis],
    numpy: `np.sum(a, axis=${axis ?? 'None'}, out=o)`,
    torch: axis === null ? 'torch.sum(a)' : `torch.sum(a, ${axis}, out=o)`,
    target,
    rtol: 1e-4,
    atol: 2e-3,
    ...rest,
  };
}

function product(n, target, rest = {}) {
  return {
    name: `matmul ${n}`,
    group: 'products',
    in: { a: `f32[${n},${n}]`, b: `f32[${n},${n}]` },
    out: `f32[${n},${n}]`,
    stria: ['fn', 'matmul', 'a', 'b', 'out'],
    numpy: 'np.matmul(a, b, out=o)',
    torch: 'torch.mm(a, b, out=o)',
    eigen: 'matmul',
    onednn: 'matmul',
    openblas: 'matmul',
    target,
    flops: 2 * n ** 3,
    rtol: 1e-3,
    atol: 1e-3,
    ...rest,
  };
}

/** A million elements in order, or their places; `outs` are the outputs as stria has them. */
function sorted(dtype, op, outs, numpy, torch, out) {
  return {
    name: `${op} 1e6 ${dtype}`,
    group: 'order',
    in: { a: `${dtype}[1000000]`, ...(outs.length > 1 && { places: 'i64[1000000]' }) },
    args: ['a'],
    out: `${out}[1000000]`,
    stria: ['fn', op, 'a', -1, 0, 0, ...outs],
    numpy,
    torch,
    target: 1.0,
  };
}

/** Values alone: what says where they went is empty. */
function unique(input, out, name) {
  return {
    name,
    group: 'order',
    in: { a: input, inverse: 'i64[0]', counts: 'i64[0]' },
    args: ['a'],
    out,
    stria: ['fn', 'unique', 'a', 1, 0, 0, AXIS_NONE, 'out', 'inverse', 'counts'],
    numpy: 'np.unique(a)',
    torch: 'torch.unique(a)',
    target: 0.8,
  };
}

/** Axes before the last two are not padded. */
function padded(mode, shape, [left, right, above, below]) {
  const [height, width] = shape.slice(-2);
  const sides = [...shape.slice(2).map(() => '(0, 0)'), `(${above}, ${below})`, `(${left}, ${right})`];
  return {
    name: `pad ${mode} [${shape}]`,
    group: 'copies',
    in: { a: `f32[${shape}]` },
    out: `f32[${[...shape.slice(0, -2), height + above + below, width + left + right]}]`,
    stria: ['fn', 'pad', 'a', [left, right, above, below], mode, 0, 'out'],
    numpy: `np.pad(a, (${sides.join(', ')}), '${mode}')`,
    torch: `torch.nn.functional.pad(a, (${left}, ${right}, ${above}, ${below}), '${mode}')`,
    target: 1.1,
  };
}

/** The mean loss of 1e6 predictions. */
function loss(name, more, torch, rest = {}) {
  return {
    name: `${name} 1e6`,
    group: 'losses',
    in: { a: `${million} positive`, b: `${million} positive` },
    out: 'f32[]',
    stria: ['fn', name, 'a', 'b', ...more, 'out'],
    torch: `torch.nn.functional.${torch ?? name}(a, b)`,
    target: 0.8,
    rtol: 1e-4,
    ...rest,
  };
}

const transposeBy = {
  args: ['t'],
  stria: ['set'],
  numpy: '(np.copyto(o, t), o)',
  torch: 'o.copy_(t)',
  onednn: 'transpose',
  group: 'copies',
};

const softmaxRow = {
  in: { a: 'f32[1024,1024]' },
  out: 'f32[1024,1024]',
  group: 'rows',
  rtol: 1e-4,
};

const window = (name, a, { in: others, ...row }) => ({
  name,
  in: { a, ...others },
  group: 'rows',
  rtol: 1e-4,
  ...row,
});

export const nativeRows = [
  // ---- element-wise, contiguous
  elementwise('add', 1.05, { binary: true }),
  elementwise('mul', 1.05, { binary: true, numpy: 'np.multiply(a, b, out=o)' }),
  elementwise('div', 1.05, { binary: true, numpy: 'np.divide(a, b, out=o)' }),
  elementwise('relu', 1.05, {
    numpy: 'np.maximum(a, np.float32(0), out=o)',
    torch: 'torch.clamp_min(a, 0, out=o)',
    xtensor: undefined,
  }),
  elementwise('sqrt', 1.05, { positive: true }),
  elementwise('exp', 1.0),
  // beside libraries that promise 1 ULP, as stria does: Eigen's and oneDNN's are faster and less accurate
  elementwise('tanh', 1.2, { eigen: undefined, xtensor: undefined, onednn: undefined, rtol: 1e-4 }),
  {
    ...elementwise('add', 0.8, { binary: true, xtensor: undefined, onednn: undefined }),
    name: 'add 1e7, fresh output',
    in: { a: 'f32[10000000]', b: 'f32[10000000]' },
    out: null,
    numpy: 'np.add(a, b)',
    torch: 'torch.add(a, b)',
    eigen: 'add_new',
  },
  {
    name: 'add 1e6 in place',
    group: 'element-wise',
    in: { b: million },
    out: million,
    stria: ['chain', ['op', 'add', ['o', 'b'], 'o']],
    numpy: 'np.add(o, b, out=o)',
    torch: 'o.add_(b)',
  },
  {
    ...elementwise('add', undefined, {
      binary: true,
      eigen: undefined,
      xtensor: undefined,
      onednn: undefined,
    }),
    name: 'add 1e6 f64',
    in: { a: 'f64[1000000]', b: 'f64[1000000]' },
    out: 'f64[1000000]',
  },

  // ---- broadcast, transposed, strided, mixed
  {
    name: '[1000,1000]+[1000]',
    group: 'layouts',
    in: { a: square, b: 'f32[1000]' },
    out: square,
    stria: ['op', 'add'],
    numpy: 'np.add(a, b, out=o)',
    torch: 'torch.add(a, b, out=o)',
    eigen: 'add_row',
    xtensor: 'add_row',
    onednn: 'add_row',
    target: 1.05,
  },
  {
    name: '[125000,8]+[8]',
    group: 'layouts',
    in: { a: 'f32[125000,8]', b: 'f32[8]' },
    out: 'f32[125000,8]',
    stria: ['op', 'add'],
    numpy: 'np.add(a, b, out=o)',
    torch: 'torch.add(a, b, out=o)',
    eigen: 'add_row',
    xtensor: 'add_row',
    onednn: 'add_row',
    target: 0.3,
  },
  {
    name: '[1000,1000,3]*[3]',
    group: 'layouts',
    in: { a: 'f32[1000,1000,3]', b: 'f32[3]' },
    out: 'f32[1000,1000,3]',
    stria: ['op', 'mul'],
    numpy: 'np.multiply(a, b, out=o)',
    torch: 'torch.mul(a, b, out=o)',
    eigen: 'mul_row',
    onednn: 'mul_row',
    target: 0.25,
  },
  {
    name: 'A + A.T 1000x1000',
    group: 'layouts',
    in: { a: square },
    let: { t: 'a.T' },
    args: ['a', 't'],
    out: square,
    stria: ['op', 'add'],
    numpy: 'np.add(a, t, out=o)',
    torch: 'torch.add(a, t, out=o)',
    eigen: 'add_transposed',
    target: 0.35,
  },
  {
    name: 'a[::2]+b[::2]',
    group: 'layouts',
    in: { a: 'f32[2000000]', b: 'f32[2000000]' },
    let: { x: 'a[::2]', y: 'b[::2]' },
    args: ['x', 'y'],
    out: million,
    stria: ['op', 'add'],
    numpy: 'np.add(x, y, out=o)',
    torch: 'torch.add(x, y, out=o)',
    eigen: 'add_strided',
    target: 1.1,
  },
  {
    name: 'a[::-1]+b',
    group: 'layouts',
    in: { a: million, b: million },
    let: { x: 'a[::-1]' },
    args: ['x', 'b'],
    out: million,
    stria: ['op', 'add'],
    numpy: 'np.add(x, b, out=o)',
    torch: 'torch.add(torch.flip(a, [0]), b, out=o)',
    eigen: 'add_strided',
  },
  {
    name: 'i32 + f32',
    group: 'layouts',
    in: { a: 'i32[1000000]', b: million },
    out: million,
    stria: ['op', 'add'],
    numpy: "np.add(a, b, out=o, dtype=np.float32, casting='same_kind')",
    torch: 'torch.add(a, b, out=o)',
    eigen: 'add_mixed',
    target: 1.1,
  },

  // ---- complex
  ...['c64', 'c128'].flatMap((dtype) => [
    complex('add', dtype, { binary: true, target: 1.05 }),
    complex('mul', dtype, { binary: true, numpy: 'multiply', target: 1.05 }),
    complex('div', dtype, { binary: true, numpy: 'divide', target: 1.05 }),
    complex('abs', dtype, { out: dtype === 'c64' ? 'f32' : 'f64' }),
    complex('sqrt', dtype),
    complex('exp', dtype),
  ]),
  reduction('sum 1e6 c64', 'c64[1000000]', 'c64[]', null, 1.0, { group: 'complex' }),
  {
    name: 'matmul 256 c64',
    group: 'complex',
    in: { a: 'c64[256,256]', b: 'c64[256,256]' },
    out: 'c64[256,256]',
    stria: ['fn', 'matmul', 'a', 'b', 'out'],
    numpy: 'np.matmul(a, b, out=o)',
    torch: 'torch.mm(a, b, out=o)',
    target: 1.1,
    rtol: 1e-3,
    atol: 1e-3,
  },

  // ---- comparisons, masks
  {
    name: 'a < b',
    group: 'masks',
    in: { a: million, b: million },
    out: 'bool[1000000]',
    stria: ['op', 'lt'],
    numpy: 'np.less(a, b, out=o)',
    torch: 'torch.lt(a, b, out=o)',
    eigen: 'less',
    target: 1.05,
  },
  {
    name: 'where(random mask)',
    group: 'masks',
    in: { m: 'bool[1000000]', a: million, b: million },
    out: million,
    stria: ['op', 'where'],
    numpy: 'np.where(m, a, b)',
    torch: 'torch.where(m, a, b)',
    eigen: 'where',
    target: 0.05,
  },
  {
    name: 'x[mask]',
    group: 'masks',
    in: { a: million, m: 'bool[1000000]' },
    stria: ['fn', 'masked_select', 'a', 'm'],
    numpy: 'a[m]',
    torch: 'torch.masked_select(a, m)',
    target: 0.05,
  },
  {
    name: 'masked fill',
    group: 'masks',
    in: { a: million, m: 'bool[1000000]', v: 'f32[]' },
    out: million,
    stria: ['fn', 'masked_fill', 'a', 'm', 'v', 'out'],
    numpy: 'np.where(m, v, a)',
    torch: 'a.masked_fill(m, v)',
  },

  // ---- chains
  {
    name: 'relu(a*b+c), compiled',
    group: 'chains',
    in: { a: million, b: million, c: million },
    out: million,
    stria: ['expression', [], ['mul', 0, 1], ['add', 3, 2], ['relu', 4]],
    numpy: '(np.multiply(a, b, out=o), np.add(o, c, out=o), np.maximum(o, np.float32(0), out=o))',
    torch: '(torch.mul(a, b, out=o), torch.add(o, c, out=o), torch.clamp_min(o, 0, out=o))',
    eigen: 'relu_mul_add',
    xtensor: 'relu_mul_add',
    target: 1.1,
  },
  {
    name: 'relu(a*b+c), three calls',
    group: 'chains',
    in: { a: million, b: million, c: million },
    out: million,
    stria: [
      'chain',
      ['op', 'mul', ['a', 'b'], 'o'],
      ['op', 'add', ['o', 'c'], 'o'],
      ['op', 'relu', ['o'], 'o'],
    ],
    numpy: '(np.multiply(a, b, out=o), np.add(o, c, out=o), np.maximum(o, np.float32(0), out=o))',
    torch: '(torch.mul(a, b, out=o), torch.add(o, c, out=o), torch.clamp_min(o, 0, out=o))',
  },
  {
    name: '(a+b)(a-b)/(c+1), compiled',
    group: 'chains',
    in: { a: million, b: million, c: `${million} positive`, t: million },
    args: ['a', 'b', 'c'],
    out: million,
    stria: ['expression', [1], ['add', 0, 1], ['sub', 0, 1], ['mul', 4, 5], ['add', 2, 3], ['div', 6, 7]],
    numpy:
      '(np.add(a, b, out=o), np.subtract(a, b, out=t), np.multiply(o, t, out=o), np.add(c, np.float32(1), out=t), np.divide(o, t, out=o))',
    torch:
      '(torch.add(a, b, out=o), torch.sub(a, b, out=t), torch.mul(o, t, out=o), torch.add(c, 1, out=t), torch.div(o, t, out=o))',
    eigen: 'chain',
    xtensor: 'chain',
    target: 1.1,
    rtol: 1e-4,
  },

  // ---- reductions
  reduction('sum all 1e6', million, 'f32[]', null, 1.05, { eigen: 'sum', xtensor: 'sum' }),
  reduction('sum axis 0 of 1000x1000', square, 'f32[1000]', 0, 1.1, {
    eigen: 'sum_first',
    xtensor: 'sum_first',
    onednn: 'sum_first',
  }),
  reduction('sum axis 1 of 1000x1000', square, 'f32[1000]', 1, 1.1, {
    eigen: 'sum_last',
    xtensor: 'sum_last',
    onednn: 'sum_last',
  }),
  reduction('sum middle of [64,128,256]', 'f32[64,128,256]', 'f32[64,256]', 1, 1.0, {
    xtensor: 'sum_middle',
    onednn: 'sum_middle',
  }),
  reduction('sum last of [262144,8]', 'f32[262144,8]', 'f32[262144]', 1, 0.2, {
    eigen: 'sum_last',
    xtensor: 'sum_last',
    onednn: 'sum_last',
  }),
  {
    name: 'max 1e6',
    group: 'reductions',
    in: { a: million },
    out: 'f32[]',
    stria: ['reduce', 'amax'],
    numpy: 'np.max(a)',
    torch: 'torch.amax(a)',
    eigen: 'amax',
    xtensor: 'amax',
    target: 1.05,
  },
  {
    name: 'argmax 1e6',
    group: 'reductions',
    in: { a: million },
    out: 'i64[]',
    stria: ['fn', 'argmax', 'a', AXIS_NONE, 0, 'out'],
    numpy: 'np.argmax(a)',
    torch: 'torch.argmax(a)',
    eigen: 'argmax',
    target: 1.05,
  },
  {
    name: 'var 1e6',
    group: 'reductions',
    in: { a: million },
    out: 'f32[]',
    stria: ['fn', 'var', 'a', null, 1, 0, 'out'],
    numpy: 'np.var(a, ddof=1)',
    torch: 'torch.var(a)',
    eigen: 'var',
    target: 0.9,
    rtol: 1e-3,
  },

  {
    name: 'logsumexp 1e6',
    group: 'reductions',
    in: { a: million },
    out: 'f32[]',
    stria: ['fn', 'logsumexp', 'a', null, 0, 'out'],
    numpy: 'np.log(np.sum(np.exp(a)))',
    rtol: 1e-6,
    torch: 'torch.logsumexp(a, 0)',
    target: 1.05,
  },
  {
    name: 'median 1e6',
    group: 'reductions',
    in: { a: million, i: 'i64[1] levels' },
    args: ['a'],
    out: 'f32[]',
    stria: ['fn', 'median', 'a', AXIS_NONE, 0, 'out', 'i'],
    numpy: 'np.partition(a, 499999)[499999]',
    torch: 'torch.median(a)',
    target: 1.05,
  },

  // ---- scans
  {
    name: 'cummax 1e6',
    group: 'scans',
    in: { a: million, i: 'i64[1000000] levels' },
    args: ['a'],
    out: million,
    stria: ['fn', 'cummax', 'a', 0, 'out', 'i'],
    numpy: 'np.maximum.accumulate(a, out=o)',
    torch: 'torch.cummax(a, 0).values',
    target: 1.05,
  },
  {
    name: 'cumsum 1e6',
    group: 'scans',
    in: { a: million },
    out: million,
    stria: ['fn', 'cumsum', 'a', 0, DTYPE_NONE, 'out'],
    numpy: 'np.cumsum(a, out=o)',
    torch: 'torch.cumsum(a, 0, out=o)',
    target: 0.2,
    atol: 0.05,
  },
  {
    name: 'cumsum axis 0 of 1000x1000',
    group: 'scans',
    in: { a: square },
    out: square,
    stria: ['fn', 'cumsum', 'a', 0, DTYPE_NONE, 'out'],
    numpy: 'np.cumsum(a, axis=0, out=o)',
    torch: 'torch.cumsum(a, 0, out=o)',
    target: 0.2,
    atol: 2e-3,
  },

  // ---- order; among equal elements peers choose as they like
  sorted('f32', 'sort', ['out', 'places'], 'np.sort(a)', 'torch.sort(a, out=(o, places))[0]', 'f32'),
  sorted('i64', 'sort', ['out', 'places'], 'np.sort(a)', 'torch.sort(a, out=(o, places))[0]', 'i64'),
  { ...sorted('f32', 'argsort', ['out'], 'np.argsort(a)', 'torch.argsort(a)', 'i64'), check: false },
  { ...sorted('i64', 'argsort', ['out'], 'np.argsort(a)', 'torch.argsort(a)', 'i64'), check: false },
  {
    name: 'topk 100 of 1e6',
    group: 'order',
    in: { a: million, places: 'i64[100]' },
    args: ['a'],
    out: 'f32[100]',
    stria: ['fn', 'topk', 'a', 100, -1, 1, 1, 'out', 'places'],
    numpy: 'np.sort(np.partition(a, 999900)[999900:])[::-1]',
    torch: 'torch.topk(a, 100, out=(o, places))[0]',
    target: 0.8,
  },
  unique('f32[1000000] levels', 'f32[256]', 'unique 1e6, 256 values'),
  unique('i64[1000000]', 'i64[1000000]', 'unique 1e6 i64, all different'),

  // ---- random numbers, over what was there
  {
    name: 'rand 1e6',
    group: 'random',
    in: { a: million },
    outIs: 'a',
    stria: ['fn', 'uniform', 'a', 0, 1, null, 'a'],
    numpy: 'np.random.random(1000000)',
    torch: 'a.uniform_()',
    target: 0.8,
    check: false,
  },
  {
    name: 'randn 1e6',
    group: 'random',
    in: { a: million },
    outIs: 'a',
    stria: ['fn', 'fill_normal', 'a', 0, 1, null, 'a'],
    numpy: 'np.random.standard_normal(1000000)',
    torch: 'a.normal_()',
    target: 0.8,
    check: false,
  },

  // ---- indexing
  {
    name: 'gather 1e6 of 1e6',
    group: 'indexing',
    in: { a: million, i: 'i64[1000000] below 1000000' },
    out: million,
    stria: ['fn', 'gather', 'a', 'i', 0, 'out'],
    numpy: 'np.take_along_axis(a, i, 0)',
    torch: 'torch.gather(a, 0, i, out=o)',
    target: 0.8,
  },
  {
    name: 'gather [1000,1000], axis 1',
    group: 'indexing',
    in: { a: square, i: 'i64[1000,1000] below 1000' },
    out: square,
    stria: ['fn', 'gather', 'a', 'i', 1, 'out'],
    numpy: 'np.take_along_axis(a, i, 1)',
    torch: 'torch.gather(a, 1, i, out=o)',
    target: 0.8,
  },
  {
    name: 'gather [1000,1000], axis 0',
    group: 'indexing',
    in: { a: square, i: 'i64[1000,1000] below 1000' },
    out: square,
    stria: ['fn', 'gather', 'a', 'i', 0, 'out'],
    numpy: 'np.take_along_axis(a, i, 0)',
    torch: 'torch.gather(a, 0, i, out=o)',
    target: 0.8,
  },
  {
    name: 'scatter_add 1e6 into 1000, in place',
    group: 'indexing',
    in: { a: 'f32[1000]', i: 'i64[1000000] below 1000', b: million },
    args: ['a', 'i', 'b'],
    outIs: 'a',
    stria: ['fn', 'scatter_add', 'a', 'i', 'b', 0, 'a'],
    numpy: 'np.add.at(a, i, b)',
    torch: 'a.scatter_add_(0, i, b)',
    target: 0.8,
    check: false,
  },
  {
    name: 'index_select 1000 rows of [10000,1000]',
    group: 'indexing',
    in: { a: 'f32[10000,1000]', i: 'i64[1000] below 10000' },
    out: square,
    stria: ['fn', 'index_select', 'a', 'i', 0, 'out'],
    numpy: 'np.take(a, i, 0, out=o)',
    torch: 'torch.index_select(a, 0, i, out=o)',
    target: 1.05,
  },

  // ---- copies
  {
    name: 'cat [1000,1000] x 2, axis 0',
    group: 'copies',
    in: { a: square, b: square },
    out: 'f32[2000,1000]',
    stria: ['fn', 'cat', ['a', 'b'], 0, 'out'],
    numpy: 'np.concatenate((a, b), axis=0, out=o)',
    torch: 'torch.cat((a, b), 0, out=o)',
    target: 1.1,
  },
  {
    name: 'cat [1000,1000] x 2, axis 1',
    group: 'copies',
    in: { a: square, b: square },
    out: 'f32[1000,2000]',
    stria: ['fn', 'cat', ['a', 'b'], 1, 'out'],
    numpy: 'np.concatenate((a, b), axis=1, out=o)',
    torch: 'torch.cat((a, b), 1, out=o)',
    target: 1.1,
  },
  {
    name: 'cat [100000,2] x 2, axis 1',
    group: 'copies',
    in: { a: 'f32[100000,2]', b: 'f32[100000,2]' },
    out: 'f32[100000,4]',
    stria: ['fn', 'cat', ['a', 'b'], 1, 'out'],
    numpy: 'np.concatenate((a, b), axis=1, out=o)',
    torch: 'torch.cat((a, b), 1, out=o)',
    target: 1.1,
  },
  {
    name: 'roll [1000,1000], axis 0, fresh',
    group: 'copies',
    in: { a: square },
    stria: ['fn', 'roll', 'a', [123], [0]],
    numpy: 'np.roll(a, 123, 0)',
    torch: 'torch.roll(a, 123, 0)',
    target: 1.1,
  },
  {
    name: 'roll [1000,1000], axis 1, fresh',
    group: 'copies',
    in: { a: square },
    stria: ['fn', 'roll', 'a', [123], [1]],
    numpy: 'np.roll(a, 123, 1)',
    torch: 'torch.roll(a, 123, 1)',
    target: 1.1,
  },
  padded('constant', [32, 64, 56, 56], [1, 1, 1, 1]),
  padded('reflect', [32, 64, 56, 56], [1, 1, 1, 1]),
  padded('constant', [1000, 1000], [8, 8, 8, 8]),
  {
    ...transposeBy,
    name: 'transpose copy 1000',
    in: { a: square },
    let: { t: 'a.T' },
    out: square,
    eigen: 'transpose',
    openblas: 'transpose',
    target: 1.1,
  },
  {
    ...transposeBy,
    name: 'transpose copy 4096',
    in: { a: 'f32[4096,4096]' },
    let: { t: 'a.T' },
    out: 'f32[4096,4096]',
    eigen: 'transpose',
    openblas: 'transpose',
    target: 0.6,
  },
  {
    ...transposeBy,
    name: 'NCHW->NHWC 32x3x224x224',
    in: { a: 'f32[32,3,224,224]' },
    let: { t: 'a.transpose(0, 2, 3, 1)' },
    out: 'f32[32,224,224,3]',
    target: 0.4,
  },
  {
    name: 'f32 planes -> u8 pixels 853x1280',
    group: 'copies',
    in: { a: 'f32[3,853,1280] levels' },
    let: { t: 'a.transpose(1, 2, 0)' },
    args: ['t'],
    out: 'u8[853,1280,3]',
    stria: ['set'],
    numpy: "(np.copyto(o, t, casting='unsafe'), o)",
    torch: 'o.copy_(t)',
  },
  {
    name: 'u8 RGBA pixels -> f32 planes 853x1280',
    group: 'copies',
    in: { a: 'u8[853,1280,4]' },
    let: { t: 'a.transpose(2, 0, 1)[:3]' },
    args: ['t'],
    out: 'f32[3,853,1280]',
    stria: ['set'],
    numpy: '(np.copyto(o, t), o)',
    torch: 'o.copy_(t)',
  },

  // ---- rows of a matrix
  {
    ...softmaxRow,
    name: 'softmax 1024x1024',
    stria: ['fn', 'softmax', 'a', 1, DTYPE_NONE, 'out'],
    numpy:
      '(np.subtract(a, a.max(-1, keepdims=True), out=o), np.exp(o, out=o), np.divide(o, o.sum(-1, keepdims=True), out=o))',
    torch: 'torch.softmax(a, 1)',
    eigen: 'softmax',
    onednn: 'softmax',
    target: 0.8,
  },
  {
    ...softmaxRow,
    name: 'layer norm 1024x1024',
    stria: ['fn', 'layer_norm', 'a', null, null, [1024], 1e-5, 'out'],
    torch: 'torch.nn.functional.layer_norm(a, (1024,))',
    atol: 1e-4,
  },

  // ---- windows
  window('conv2d 3x3 8x64x56x56', 'f32[8,64,56,56]', {
    in: { w: 'f32[64,64,3,3]' },
    out: 'f32[8,64,56,56]',
    stria: ['fn', 'conv2d', 'a', 'w', null, null, [1, 1], null, 1, 'out'],
    torch: 'torch.nn.functional.conv2d(a, w, None, 1, 1)',
    atol: 1e-3,
  }),
  window('conv2d 7x7 step 2 1x3x224x224', 'f32[1,3,224,224]', {
    in: { w: 'f32[64,3,7,7]' },
    out: 'f32[1,64,112,112]',
    stria: ['fn', 'conv2d', 'a', 'w', null, [2, 2], [3, 3], null, 1, 'out'],
    torch: 'torch.nn.functional.conv2d(a, w, None, 2, 3)',
    atol: 1e-3,
  }),
  window('conv2d depthwise 8x64x56x56', 'f32[8,64,56,56]', {
    in: { w: 'f32[64,1,3,3]' },
    out: 'f32[8,64,56,56]',
    stria: ['fn', 'conv2d', 'a', 'w', null, null, [1, 1], null, 64, 'out'],
    torch: 'torch.nn.functional.conv2d(a, w, None, 1, 1, 1, 64)',
    atol: 1e-4,
  }),
  window('max pool 3x3 step 2 8x64x112x112', 'f32[8,64,112,112]', {
    out: 'f32[8,64,56,56]',
    stria: ['fn', 'max_pool2d', 'a', [3, 3], [2, 2], [1, 1], null, false, 'out'],
    torch: 'torch.nn.functional.max_pool2d(a, 3, 2, 1)',
  }),
  window('average pool 2x2 8x64x112x112', 'f32[8,64,112,112]', {
    out: 'f32[8,64,56,56]',
    stria: ['fn', 'avg_pool2d', 'a', [2, 2], null, null, false, true, 4, 'out'],
    torch: 'torch.nn.functional.avg_pool2d(a, 2)',
  }),

  // ---- products
  product(100, 1.1),
  product(256, 1.1),
  product(512, 1.1),
  product(1000, 1.0),
  product(2048, 1.1),
  {
    ...product(3),
    name: 'matmul [3,3] x [3,1e6]',
    in: { a: 'f32[3,3]', b: 'f32[3,1000000]' },
    out: 'f32[3,1000000]',
    eigen: undefined,
    onednn: undefined,
    openblas: undefined,
    flops: 18e6,
  },
  {
    ...product(64, 1.0),
    name: 'batched matmul 64 x 64^3',
    in: { a: 'f32[64,64,64]', b: 'f32[64,64,64]' },
    out: 'f32[64,64,64]',
    torch: 'torch.bmm(a, b, out=o)',
    eigen: 'bmm',
    onednn: 'bmm',
    openblas: 'bmm',
    flops: 2 * 64 ** 4,
  },

  {
    name: 'einsum bij,bjk->bik 64 x 64^3',
    group: 'products',
    in: { a: 'f32[64,64,64]', b: 'f32[64,64,64]' },
    out: 'f32[64,64,64]',
    stria: ['fn', 'einsum', ['a', 'b'], 'bij,bjk->bik', 'out'],
    numpy: "np.einsum('bij,bjk->bik', a, b, out=o, optimize=True)",
    torch: "torch.einsum('bij,bjk->bik', a, b)",
    target: 0.8,
    rtol: 1e-3,
    atol: 1e-3,
    flops: 2 * 64 ** 4,
  },
  {
    name: 'einsum ab,bc,cd->ad, 1000 10 1000 10',
    group: 'products',
    in: { a: 'f32[1000,10]', b: 'f32[10,1000]', c: 'f32[1000,10]' },
    out: 'f32[1000,10]',
    stria: ['fn', 'einsum', ['a', 'b', 'c'], 'ab,bc,cd->ad', 'out'],
    numpy: "np.einsum('ab,bc,cd->ad', a, b, c, out=o, optimize=True)",
    torch: "torch.einsum('ab,bc,cd->ad', a, b, c)",
    target: 0.8,
    rtol: 1e-3,
    atol: 1e-3,
    flops: 4e5,
  },

  // ---- losses
  loss('mse_loss', ['mean'], undefined, { numpy: 'np.mean(np.square(a - b))' }),
  loss('l1_loss', ['mean'], undefined, { numpy: 'np.mean(np.abs(a - b))' }),
  loss('binary_cross_entropy', [null, 'mean'], undefined, { rtol: 1e-3 }),
  {
    ...loss('cross_entropy', []),
    name: 'cross_entropy [1000,1000]',
    in: { a: square, b: 'i64[1000] below 1000' },
    stria: ['fn', 'cross_entropy', 'a', 'b', null, 'mean', -100, 0, 'out'],
  },

  // ---- what a call costs
  {
    name: 'add of 10, functional',
    group: 'calls',
    in: { a: 'f32[10]', b: 'f32[10]' },
    stria: ['op', 'add'],
    numpy: 'np.add(a, b)',
    torch: 'torch.add(a, b)',
    torch_cpp: 'add_new',
    limitNs: 60,
    threads: [1],
  },
  {
    name: 'add of 10, out=',
    group: 'calls',
    in: { a: 'f32[10]', b: 'f32[10]' },
    out: 'f32[10]',
    stria: ['op', 'add'],
    numpy: 'np.add(a, b, out=o)',
    torch: 'torch.add(a, b, out=o)',
    torch_cpp: 'add',
    limitNs: 30,
    threads: [1],
  },
  {
    name: 'relu(a*b+c) of 16, compiled',
    group: 'calls',
    in: { a: 'f32[16]', b: 'f32[16]', c: 'f32[16]' },
    out: 'f32[16]',
    stria: ['expression', [], ['mul', 0, 1], ['add', 3, 2], ['relu', 4]],
    numpy: '(np.multiply(a, b, out=o), np.add(o, c, out=o), np.maximum(o, np.float32(0), out=o))',
    torch: '(torch.mul(a, b, out=o), torch.add(o, c, out=o), torch.clamp_min(o, 0, out=o))',
    threads: [1],
  },
  {
    name: 'relu(a*b+c) of 16, three calls',
    group: 'calls',
    in: { a: 'f32[16]', b: 'f32[16]', c: 'f32[16]' },
    out: 'f32[16]',
    stria: [
      'chain',
      ['op', 'mul', ['a', 'b'], 'o'],
      ['op', 'add', ['o', 'c'], 'o'],
      ['op', 'relu', ['o'], 'o'],
    ],
    numpy: '(np.multiply(a, b, out=o), np.add(o, c, out=o), np.maximum(o, np.float32(0), out=o))',
    torch: '(torch.mul(a, b, out=o), torch.add(o, c, out=o), torch.clamp_min(o, 0, out=o))',
    threads: [1],
  },
  {
    name: 'iterator build, contiguous binary',
    group: 'calls',
    in: { a: 'f32[64,64]', b: 'f32[64,64]' },
    out: 'f32[64,64]',
    stria: ['iter'],
    torch_cpp: 'iter_build',
    limitNs: 40,
    target: 1 / 3,
    threads: [1],
    check: false,
  },
  {
    name: 'iterator build, 3 operands x 4 dims',
    group: 'calls',
    in: { a: 'f32[6,5,4,3]', b: 'f32[6,4,5,1]', c: 'f32[9,10,8,7]' },
    let: { x: 'a.transpose(3, 1, 2, 0)', y: 'b.T', z: 'c[::3, ::2, ::2, :6]' },
    args: ['x', 'y'],
    outIs: 'z',
    stria: ['iter'],
    torch_cpp: 'iter_build',
    limitNs: 150,
    target: 1 / 3,
    threads: [1],
    check: false,
  },

  ...trainingRows,
];

/** The short table of the README: 1000x1000 f32 beside NumPy and PyTorch, new outputs where the name says so. */
export const readmeRows = [
  'add 1e6',
  'mul 1e6',
  'matmul 1000',
  'transpose copy 1000',
  'relu 1e6',
  '[1000,1000]+[1000]',
];

/** How time grows with size: one row per op and power of ten. */
export function growthRows(largest) {
  const rows = [];
  for (const [op, binary] of [
    ['add', true],
    ['exp', false],
    ['sum', false],
  ]) {
    for (let n = 10; n <= largest; n *= 10) {
      const shape = `f32[${n}]`;
      const base =
        op === 'sum'
          ? reduction('', shape, 'f32[]', null, undefined, { eigen: 'sum', rtol: 1e-2, atol: 0.5 })
          : elementwise(op, undefined, { binary, xtensor: undefined, onednn: undefined });
      rows.push({
        ...base,
        name: `growth: ${op} ${n}`,
        group: 'growth',
        growth: { op, n },
        in: Object.fromEntries(Object.keys(base.in).map((name) => [name, shape])),
        out: op === 'sum' ? 'f32[]' : shape,
        threads: [1],
      });
    }
  }
  return rows;
}
