// Functions on whole tensors: function, method, { out }, options, types and errors, against plain JavaScript.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import {
  argmax,
  argmin,
  bincount,
  cumprod,
  cumsum,
  layerNorm,
  logSoftmax,
  maskedFill,
  maskedSelect,
  softmax,
  norm,
  std,
  variance,
  scope,
  tensor,
  zeros,
  DTypeError,
  ShapeError,
  type Tensor,
} from 'stria';
import { checkLeaksAtEnd, flat, load } from './support.js';

await load();
checkLeaksAtEnd();

const list = (x: Tensor): number[] => flat(x).map(Number);

// Some numbers with ties, in rows.
const rows = [
  [3, -1, 4, 1],
  [5, 9, -2, 9],
  [6, 5, 3, 5],
];
const columns = rows[0].map((_, k) => rows.map((row) => row[k]));
const first = (values: number[], best: number): number => values.indexOf(best);

test('argmax and argmin: every axis, as function and method', () => {
  scope(() => {
    const x = tensor(rows);
    assert.equal(argmax(x).item(), 5);
    assert.equal(x.argmin().item(), 6);
    assert.equal(argmax(x).dtype, 'int64');
    assert.deepEqual(
      list(argmax(x, 1)),
      rows.map((row) => first(row, Math.max(...row))),
    );
    assert.deepEqual(
      list(x.argmin(0)),
      columns.map((column) => first(column, Math.min(...column))),
    );
    assert.deepEqual(list(x.argmax(-1)), list(x.argmax({ axis: 1 })));
    assert.deepEqual(x.argmax(1, { keepdim: true }).shape, [3, 1]);
    assert.deepEqual(x.argmax({ dim: 0, keepdims: true }).shape, [1, 4]);
    assert.deepEqual(x.argmax(null, { keepdim: true }).shape, [1, 1]);
    assert.deepEqual(list(x.transpose(0, 1).argmax(0)), list(x.argmax(1)));
    assert.equal(tensor([1, NaN, 5, NaN]).argmax().item(), 1);
  });
});

test('argmax: out and errors', () => {
  scope(() => {
    const x = tensor(rows);
    const out = zeros([3], { dtype: 'int64' });
    assert.equal(argmax(x, 1, { out }), out);
    assert.deepEqual(list(out), list(argmax(x, 1)));
    assert.throws(() => argmax(tensor([true, false])), { code: 'ERR_DTYPE', op: 'argmax' });
    assert.throws(() => argmax(tensor([true, false])), DTypeError);
    assert.throws(() => argmax(x, 2), { code: 'ERR_AXIS', op: 'argmax' });
    assert.throws(() => argmin(zeros([0])), ShapeError);
    assert.throws(() => argmin(zeros([0])), { code: 'ERR_EMPTY', message: /argmin/ });
    assert.throws(() => argmax(x, 0.5), {
      code: 'ERR_AXIS',
      op: 'argmax',
      argument: 'dim',
      message: 'argmax: dim must be a whole number, got 0.5',
    });
    assert.throws(() => argmax(x, { dim: 0, axis: 1 }), {
      code: 'ERR_CONFIG',
      op: 'argmax',
      argument: 'dim and axis',
      message: 'argmax: dim and axis must be given once, got 0 and 1',
    });
    assert.throws(() => argmax(3 as never), {
      code: 'ERR_ARGUMENT',
      op: 'argmax',
      argument: 'x',
      message: 'argmax: x must be a tensor, got 3',
    });
    assert.throws(() => argmax(x, 0, { out: 3 as never }), { code: 'ERR_ARGUMENT', argument: 'out' });
    const gone = tensor([1]);
    gone.dispose();
    assert.throws(() => argmax(gone), {
      code: 'ERR_DISPOSED',
      op: 'argmax',
      argument: 'x',
      message: 'argmax: x was disposed of',
    });
    assert.throws(() => argmax(x, 1, { out: gone as never }), {
      code: 'ERR_DISPOSED',
      op: 'argmax',
      argument: 'out',
      message: 'argmax: out was disposed of',
    });
    assert.throws(() => x.sum(1, { out: gone as never }), {
      code: 'ERR_DISPOSED',
      op: 'sum',
      argument: 'out',
      message: 'sum: out was disposed of',
    });
    assert.throws(() => x.clamp(1, 2, { out: gone as never }), {
      code: 'ERR_DISPOSED',
      op: 'clamp',
      argument: 'out',
      message: 'clamp: out was disposed of',
    });
  });
});

const close = (got: number, wanted: number, bound = 1e-6): void =>
  assert.ok(
    Object.is(got, wanted) || Math.abs(got - wanted) <= bound * Math.abs(wanted),
    `${got}, not ${wanted}`,
  );
const varianceOf = (values: number[], correction = 1): number => {
  const mean = values.reduce((a, b) => a + b) / values.length;
  return values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / Math.max(values.length - correction, 0);
};

test('var and std: axes, correction, keepdim, out, errors', () => {
  scope(() => {
    const x = tensor(rows, { dtype: 'float64' });
    assert.equal(stria.var, variance);
    close(variance(x).item() as number, varianceOf(rows.flat()));
    close(x.var().item() as number, varianceOf(rows.flat()));
    close(x.std({ correction: 0 }).item() as number, Math.sqrt(varianceOf(rows.flat(), 0)));
    list(x.var(1)).forEach((got, k) => close(got, varianceOf(rows[k])));
    list(std(x, 0, { unbiased: false })).forEach((got, k) =>
      close(got, Math.sqrt(varianceOf(columns[k], 0))),
    );
    list(x.var([-1], { correction: 2, keepdim: true })).forEach((got, k) =>
      close(got, varianceOf(rows[k], 2)),
    );
    assert.deepEqual(x.var([0, 1], { keepdims: true }).shape, [1, 1]);
    assert.deepEqual(x.var({ axis: 1 }).shape, [3]);
    assert.equal(
      tensor([1e8, 1e8 + 8, 1e8 + 16])
        .var()
        .item(),
      64,
    );
    assert.equal(x.var(0).dtype, 'float64');
    assert.ok(Number.isNaN(tensor([1]).to('float32').var().item()));
    const out = zeros([3], { dtype: 'float64' });
    assert.equal(x.var(1, { out }), out);
    list(out).forEach((got, k) => close(got, varianceOf(rows[k])));
    assert.throws(() => tensor([1, 2], { dtype: 'int32' }).var(), { code: 'ERR_DTYPE', op: 'var' });
    assert.throws(() => x.std(0, { unbiased: true, correction: 0 }), { code: 'ERR_CONFIG', op: 'std' });
    assert.throws(() => x.std(0, { correction: '1' as never }), {
      code: 'ERR_ARGUMENT',
      argument: 'correction',
    });
    assert.throws(() => x.var([0, 0]), {
      code: 'ERR_AXIS',
      op: 'var',
      argument: 'dim',
      message: 'var: axis 0 is given twice',
    });
    assert.throws(() => x.var('0' as never), {
      code: 'ERR_AXIS',
      op: 'var',
      argument: 'dim',
      message: 'var: dim must be a number or a list of numbers, got "0"',
    });
  });
});

const normOf = (values: number[], p: number): number => {
  const sizes = values.map(Math.abs);
  if (p === 0) return sizes.filter((v) => v !== 0).length;
  if (Math.abs(p) === Infinity) return p > 0 ? Math.max(...sizes) : Math.min(...sizes);
  return sizes.reduce((sum, v) => sum + v ** p, 0) ** (1 / p);
};

test('norm: orders, axes, keepdim, out, range, errors', () => {
  scope(() => {
    const x = tensor(rows, { dtype: 'float64' });
    close(norm(x).item() as number, normOf(rows.flat(), 2));
    for (const p of [0, 1, 2, 3, -1, 0.5, Infinity, -Infinity]) {
      close(x.norm(p).item() as number, normOf(rows.flat(), p));
      list(x.norm(p, 1)).forEach((got, k) => close(got, normOf(rows[k], p)));
      list(norm(x, { p, dim: 0 })).forEach((got, k) => close(got, normOf(columns[k], p)));
      list(x.norm(p, { axis: [-1], keepdims: true })).forEach((got, k) => close(got, normOf(rows[k], p)));
    }
    assert.deepEqual(x.norm(2, [0, 1], { keepdim: true }).shape, [1, 1]);
    assert.deepEqual(x.norm(undefined, 1).shape, [3]);
    assert.equal(x.to('float32').norm().dtype, 'float32');
    assert.equal(x.to('float16').norm(1, 0).dtype, 'float16');
    assert.equal(tensor([3e30, 4e30]).norm().item(), Math.fround(5e30));
    assert.equal(tensor([3e300, 4e300], { dtype: 'float64' }).norm().item(), 5e300);
    assert.equal(tensor([3, NaN]).norm(Infinity).item(), NaN);
    assert.equal(zeros([0]).norm().item(), 0);
    const out = zeros([3], { dtype: 'float64' });
    assert.equal(x.norm(2, 1, { out }), out);
    list(out).forEach((got, k) => close(got, normOf(rows[k], 2)));
    assert.throws(() => tensor([1, 2], { dtype: 'int32' }).norm(), { code: 'ERR_DTYPE', op: 'norm' });
    assert.throws(() => tensor([true]).norm(1), { code: 'ERR_DTYPE', op: 'norm' });
    assert.throws(() => x.norm('fro' as never), { code: 'ERR_ARGUMENT', op: 'norm', argument: 'p' });
    assert.throws(() => x.norm(NaN), { code: 'ERR_ARGUMENT', argument: 'p' });
    assert.throws(() => x.norm({ p: 1 }, 1), { code: 'ERR_ARGUMENT', argument: 'p' });
    assert.throws(() => x.norm(2, 2), {
      code: 'ERR_AXIS',
      op: 'norm',
      argument: 'dim',
      message: 'norm: axis 2 is out of range for 2 dims',
    });
    assert.throws(() => x.norm(2, { dim: 0, axis: 1 }), {
      code: 'ERR_CONFIG',
      op: 'norm',
      argument: 'dim and axis',
      message: 'norm: dim and axis must be given once, got 0 and 1',
    });
    assert.throws(() => zeros([0]).norm(Infinity), { code: 'ERR_EMPTY', op: 'norm' });
    assert.throws(() => norm(3 as never), {
      code: 'ERR_ARGUMENT',
      op: 'norm',
      argument: 'x',
      message: 'norm: x must be a tensor, got 3',
    });
  });
});

const running = (values: number[], step: (a: number, b: number) => number): number[] =>
  values.reduce<number[]>((done, x, k) => [...done, k === 0 ? x : step(done[k - 1], x)], []);

test('cumsum and cumprod: axes, dtypes, in place, out, errors', () => {
  scope(() => {
    const x = tensor(rows);
    const sums = rows.map((row) => running(row, (a, b) => a + b));
    const products = columns.map((column) => running(column, (a, b) => a * b));
    assert.deepEqual(list(cumsum(x, 1)), sums.flat());
    assert.deepEqual(list(x.cumsum(-1)), sums.flat());
    assert.deepEqual(list(x.cumsum({ axis: 1 })), sums.flat());
    assert.deepEqual(list(cumprod(x, 0).transpose(0, 1)), products.flat());
    assert.equal(tensor(new Int8Array([100, 100])).cumsum(0).dtype, 'int64');
    assert.deepEqual(list(tensor(new Int8Array([100, 100])).cumsum(0)), [100, 200]);
    assert.deepEqual(list(tensor(new Int8Array([100, 100])).cumsum(0, { dtype: 'int8' })), [100, -56]);
    const out = zeros([3, 4]);
    assert.equal(cumsum(x, 1, { out }), out);
    assert.deepEqual(list(out), sums.flat());
    assert.equal(x.cumsum_(1), x);
    assert.deepEqual(list(x), sums.flat());
    assert.throws(() => x.cumsum(2), { code: 'ERR_AXIS', op: 'cumsum' });
    assert.throws(() => x.cumsum(undefined as never), { code: 'ERR_AXIS', argument: 'dim' });
    assert.throws(() => tensor([1]).cumprod(0, { dtype: 'bool' }), { code: 'ERR_DTYPE', op: 'cumprod' });
    assert.throws(() => x.cumsum(0, { dtype: 'x' as never }), {
      code: 'ERR_DTYPE',
      op: 'cumsum',
      argument: 'dtype',
      message:
        'cumsum: dtype must be one of bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128, got "x"',
    });
  });
});

const softmaxOf = (values: number[]): number[] => {
  const terms = values.map((x) => Math.exp(x - Math.max(...values)));
  const sum = terms.reduce((a, b) => a + b);
  return terms.map((x) => x / sum);
};

test('softmax and logSoftmax: axes, dtypes, out, errors', () => {
  scope(() => {
    const x = tensor(rows, { dtype: 'float64' });
    list(softmax(x, 1)).forEach((got, k) => close(got, rows.map(softmaxOf).flat()[k]));
    list(x.softmax(0).transpose(0, 1)).forEach((got, k) => close(got, columns.map(softmaxOf).flat()[k]));
    list(x.logSoftmax(-1)).forEach((got, k) => close(got, Math.log(rows.map(softmaxOf).flat()[k])));
    list(logSoftmax(x, { axis: 1 })).forEach((got, k) => close(Math.exp(got), list(x.softmax(1))[k]));
    assert.equal(tensor(new Int8Array([1, 2])).softmax(0, { dtype: 'float32' }).dtype, 'float32');
    assert.equal(x.softmax(1).dtype, 'float64');
    const out = zeros([1], { dtype: 'float64' });
    assert.equal(softmax(x, 1, { out }), out);
    assert.deepEqual(list(out), list(x.softmax(1)));
    assert.throws(() => tensor(new Int8Array([1, 2])).softmax(0), { code: 'ERR_DTYPE', op: 'softmax' });
    assert.throws(() => x.logSoftmax(2), { code: 'ERR_AXIS', op: 'logSoftmax' });
    assert.throws(() => x.softmax({}), { code: 'ERR_AXIS', argument: 'dim' });
  });
});

test('layerNorm: shapes, weight and bias, out, errors', () => {
  scope(() => {
    const x = tensor(rows, { dtype: 'float64' });
    const norm = (row: number[], eps = 1e-5): number[] => {
      const mean = row.reduce((a, b) => a + b) / row.length;
      return row.map((v) => (v - mean) / Math.sqrt(varianceOf(row, 0) + eps));
    };
    list(layerNorm(x, 4)).forEach((got, k) => close(got, rows.map((row) => norm(row)).flat()[k]));
    list(x.layerNorm([3, 4], { eps: 0.5 })).forEach((got, k) => close(got, norm(rows.flat(), 0.5)[k]));
    const weight = tensor([1, 2, 3, 4]);
    const bias = tensor([0, 1, 0, -1]);
    list(x.layerNorm([4], { weight, bias })).forEach((got, k) =>
      close(got, rows.map((row) => norm(row)).flat()[k] * list(weight)[k % 4] + list(bias)[k % 4]),
    );
    const out = zeros([3, 4], { dtype: 'float64' });
    assert.equal(x.layerNorm(4, { out }), out);
    assert.deepEqual(list(out), list(x.layerNorm(4)));
    assert.throws(() => x.layerNorm(3), { code: 'ERR_SHAPE', op: 'layerNorm', expected: '[3]' });
    assert.throws(() => x.layerNorm(4, { weight: x }), { code: 'ERR_SHAPE', argument: 'weight' });
    assert.throws(() => x.layerNorm(4, { eps: '1' as never }), { code: 'ERR_ARGUMENT', argument: 'eps' });
    assert.throws(() => x.layerNorm(-4), {
      code: 'ERR_SHAPE',
      op: 'layerNorm',
      argument: 'normalizedShape[0]',
      message: 'layerNorm: normalizedShape[0] must be a whole number >= 0, got -4',
    });
  });
});

test('maskedSelect: broadcasting, dtypes, out, errors', () => {
  scope(() => {
    const x = tensor(rows);
    const wanted = rows.flat().filter((v) => v > 3);
    const large = x.gt(3);
    assert.deepEqual(list(maskedSelect(x, large)), wanted);
    assert.deepEqual(x.maskedSelect(large).shape, [wanted.length]);
    assert.deepEqual(
      list(x.transpose(0, 1).maskedSelect(large.transpose(0, 1))),
      columns.flat().filter((v) => v > 3),
    );
    assert.deepEqual(list(x.maskedSelect(tensor([true, false, false, true]))), [3, 1, 5, 9, 6, 5]);
    assert.deepEqual(list(x.maskedSelect(tensor([[false], [true], [false]]))), rows[1]);
    assert.deepEqual(
      list(tensor(7).maskedSelect(large)),
      wanted.map(() => 7),
    );
    assert.deepEqual(tensor(7).maskedSelect(tensor(false)).shape, [0]);
    assert.deepEqual(zeros([0, 4]).maskedSelect(tensor(true)).shape, [0]);
    for (const dtype of ['bool', 'uint8', 'int64', 'float16', 'float64', 'complex64'] as const) {
      const y = x.to(dtype).maskedSelect(large);
      assert.equal(y.dtype, dtype);
      assert.equal(y.numel, wanted.length);
    }
    assert.deepEqual(list(x.to('int64').maskedSelect(large)), wanted);
    const out = zeros([1]);
    assert.equal(x.maskedSelect(large, { out }), out);
    assert.deepEqual(list(out), wanted);
    assert.throws(() => x.maskedSelect(tensor([1, 0, 0, 1]) as never), {
      code: 'ERR_DTYPE',
      op: 'maskedSelect',
      argument: 'mask',
    });
    assert.throws(() => x.maskedSelect(tensor([true, false])), { code: 'ERR_SHAPE', argument: 'mask' });
    assert.throws(() => x.maskedSelect([true] as never), { code: 'ERR_ARGUMENT', argument: 'mask' });
    assert.throws(() => x.maskedSelect(large, { out: zeros([1], { dtype: 'int32' }) as never }), {
      code: 'ERR_DTYPE',
    });
  });
});

test('maskedFill: values, in place, broadcasting, out, errors', () => {
  scope(() => {
    const x = tensor(rows);
    const large = x.gt(3);
    const filled = rows.flat().map((v) => (v > 3 ? -7 : v));
    assert.deepEqual(list(maskedFill(x, large, -7)), filled);
    assert.deepEqual(list(x.maskedFill(large, tensor(-7))), filled);
    assert.deepEqual(
      list(x.maskedFill(large, true)),
      filled.map((v) => (v === -7 ? 1 : v)),
    );
    assert.deepEqual(list(x.to('int64').maskedFill(large, -7n)), filled);
    assert.deepEqual(list(x.to('float16').maskedFill(large, -7)), filled);
    assert.deepEqual(
      list(large.maskedFill(large, false)),
      filled.map(() => 0),
    );
    assert.equal(x.to('float16').maskedFill(large, 0.5).dtype, 'float16');
    assert.equal(x.to('complex128').maskedFill(large, 2).maskedSelect(large).to('float32').amin().item(), 2);
    assert.deepEqual(list(x.maskedFill(tensor([true, false, false, true]), 0).select(0, 0)), [0, -1, 4, 0]);
    assert.deepEqual(tensor([1, 2, 3, 4]).maskedFill(large, 0).shape, [3, 4]);
    const out = zeros([3, 4], { dtype: 'float64' });
    assert.equal(x.maskedFill(large, -7, { out }), out);
    assert.deepEqual(list(out), filled);
    assert.throws(() => tensor([1, 2, 3, 4]).maskedFill_(large, 0), { code: 'ERR_SHAPE', op: 'maskedFill' });
    assert.throws(() => x.to('int32').maskedFill(large, 0.5), { code: 'ERR_DTYPE', argument: 'value' });
    assert.throws(() => large.maskedFill(large, 2), { code: 'ERR_DTYPE', argument: 'value' });
    assert.throws(() => x.maskedFill(large, tensor([1])), { code: 'ERR_SHAPE', argument: 'value' });
    assert.throws(() => x.maskedFill(large, undefined as never), { code: 'ERR_ARGUMENT', argument: 'value' });
    assert.throws(() => x.maskedFill(1 as never, 0), { code: 'ERR_ARGUMENT', argument: 'mask' });
    assert.equal(x.maskedFill_(large, -7), x);
    assert.deepEqual(list(x), filled);
  });
});

test('bincount: counts, weights, minlength, out, types, errors', () => {
  scope(() => {
    const x = tensor([3, 1, 3, 0, 3], { dtype: 'int32' });
    assert.deepEqual(list(bincount(x)), [1, 1, 0, 3]);
    assert.equal(x.bincount().dtype, 'int64');
    assert.deepEqual(list(x.bincount({ minlength: 6 })), [1, 1, 0, 3, 0, 0]);
    assert.deepEqual(list(x.bincount({ minlength: 2 })), [1, 1, 0, 3]);
    const bytes = Uint8Array.from({ length: 40000 }, (_, k) => (k * 7) % 256);
    const counts = new Array<number>(256).fill(0);
    bytes.forEach((value) => counts[value]++);
    assert.deepEqual(list(tensor(bytes).bincount()), counts);
    const channel = tensor(bytes, { shape: [100, 100, 4] }).select(2, 1);
    const wanted = new Array<number>(256).fill(0);
    bytes.forEach((value, k) => (wanted[value] += k % 4 === 1 ? 1 : 0));
    assert.deepEqual(list(channel.reshape(-1).bincount({ minlength: 256 })), wanted);
    const weights = tensor([0.5, 1, 2, 4, 8]);
    assert.deepEqual(list(x.bincount({ weights })), [4, 1, 0, 10.5]);
    assert.equal(x.bincount({ weights }).dtype, 'float32');
    assert.equal(bincount(x, { weights: weights.to('float64') }).dtype, 'float64');
    assert.equal(bincount(x, { weights: x }).dtype, 'float64');
    assert.deepEqual(list(bincount(zeros([0], { dtype: 'uint8' }), { minlength: 2 })), [0, 0]);
    const out = zeros([2], { dtype: 'int64' });
    assert.equal(bincount(x, { out }), out);
    assert.deepEqual(list(out), [1, 1, 0, 3]);
    const refused = (run: () => unknown, code: string, argument: string, message: RegExp): void =>
      assert.throws(run, { code, op: 'bincount', argument, message });
    refused(() => bincount(tensor([1.5])), 'ERR_DTYPE', 'x', /x is float32, but must be an integer dtype/);
    refused(() => bincount(tensor([true])), 'ERR_DTYPE', 'x', /an integer dtype/);
    refused(() => bincount(tensor([[1]], { dtype: 'int32' })), 'ERR_SHAPE', 'x', /\[1,1\].*one dim/);
    refused(() => bincount(tensor([1, -2], { dtype: 'int8' })), 'ERR_ARGUMENT', 'x', /an element -2/);
    refused(() => x.bincount({ weights: zeros([4]) }), 'ERR_SHAPE', 'weights', /\[4\].*the shape of x/);
    refused(() => x.bincount({ minlength: -1 }), 'ERR_ARGUMENT', 'minlength', /minlength is -1/);
    refused(() => x.bincount({ minlength: 1.5 }), 'ERR_ARGUMENT', 'minlength', /a whole number/);
    refused(() => bincount(3 as never), 'ERR_ARGUMENT', 'x', /a tensor/);
    assert.throws(() => x.bincount({ minLength: 3 } as never), { op: 'bincount', message: /minlength/ });
  });
});
