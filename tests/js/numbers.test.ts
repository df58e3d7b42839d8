// Ops with numbers as arguments and options, and functions made of ops: values, forms, types.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { scope, tensor, type Tensor } from 'stria';
import { checkLeaksAtEnd, flat, load } from './support.js';

await load();
checkLeaksAtEnd();

const close = (got: Tensor, wanted: readonly number[], within = 1e-15): void => {
  const list = flat(got) as number[];
  assert.equal(list.length, wanted.length);
  list.forEach((a, k) =>
    assert.ok(
      Math.abs(a - wanted[k]!) <= within * Math.max(1, Math.abs(wanted[k]!)),
      `${a}, not ${wanted[k]}`,
    ),
  );
};
const values = [-3, -0.25, 0, 0.25, 3];

test('a number is an argument, an option or left out', () => {
  scope(() => {
    const x = tensor([-2, 0, 3]);
    assert.deepEqual(stria.leakyRelu(x, 0.5).toArray(), [-1, 0, 3]);
    assert.deepEqual(stria.leakyRelu(x, { negativeSlope: 0.5 }).toArray(), [-1, 0, 3]);
    assert.deepEqual(x.leakyRelu(0.25).toArray(), [-0.5, 0, 3]);
    assert.deepEqual(flat(stria.leakyRelu(x)), flat(stria.leakyRelu(x, 0.01)));
    const out = stria.zeros([3]);
    assert.equal(stria.leakyRelu(x, 1, { out }), out);
    assert.deepEqual(out.toArray(), [-2, 0, 3]);
    assert.equal(x.leakyRelu_({ negativeSlope: 2 }), x);
    assert.deepEqual(x.toArray(), [-4, 0, 3]);
  });
});

test('activations with numbers', () => {
  scope(() => {
    const x = tensor(values, { dtype: 'float64' });
    const each = (fn: (a: number) => number): number[] => values.map(fn);
    close(
      stria.softplus(x, 2),
      each((a) => Math.log1p(Math.exp(2 * a)) / 2),
    );
    close(stria.softplus(x, { beta: 2, threshold: 1 }), [
      Math.log1p(Math.exp(-6)) / 2,
      Math.log1p(Math.exp(-0.5)) / 2,
      Math.log(2) / 2,
      Math.log1p(Math.exp(0.5)) / 2,
      3,
    ]);
    close(
      stria.elu(x, 1.5),
      each((a) => (a > 0 ? a : 1.5 * Math.expm1(a))),
    );
    close(
      stria.celu(x, 2),
      each((a) => (a > 0 ? a : 2 * Math.expm1(a / 2))),
    );
    assert.deepEqual(stria.hardshrink(x, 0.25).toArray(), [-3, 0, 0, 0, 3]);
    assert.deepEqual(stria.softshrink(x).toArray(), [-2.5, 0, 0, 0, 2.5]);
    assert.deepEqual(stria.hardtanh(x, -0.5, 2).toArray(), [-0.5, -0.25, 0, 0.25, 2]);
    assert.deepEqual(stria.threshold(x, 0.1, 7).toArray(), [7, 7, 7, 0.25, 3]);
    close(stria.logit(tensor([0.25, 0.5, 1], { dtype: 'float64' }), 0.125), [-Math.log(3), 0, Math.log(7)]);
    assert.deepEqual(stria.logit(tensor([0, 1, 2])).toArray(), [-Infinity, Infinity, NaN]);
  });
});

test('numbers and dtypes', () => {
  scope(() => {
    const whole = tensor([-5, 5], { dtype: 'int32' });
    const limited = stria.hardtanh(whole, -3, 3);
    assert.equal(limited.dtype, 'int32');
    assert.deepEqual(limited.toArray(), [-3, 3]);
    assert.equal(stria.elu(whole).dtype, 'float32');
    assert.equal(stria.elu(tensor([1], { dtype: 'float16' })).dtype, 'float16');
    assert.throws(() => stria.hardtanh(whole, 0.5), {
      code: 'ERR_DTYPE',
      op: 'hardtanh',
      argument: 'minVal',
    });
    assert.throws(() => whole.elu_(), { code: 'ERR_DTYPE', op: 'elu' });
    assert.deepEqual(whole.threshold_(0, 9n).toArray(), [9, 5]);
  });
});

test('functions made of ops', () => {
  scope(() => {
    const [a, b, c] = [tensor([1, 2]), tensor([3, 4]), tensor([2, 8])];
    assert.deepEqual(stria.addcmul(a, b, c).toArray(), [7, 34]);
    assert.deepEqual(a.addcmul(b, c, { value: 0.5 }).toArray(), [4, 18]);
    assert.deepEqual(stria.addcdiv(a, b, c, -2).toArray(), [-2, 1]);
    const own = tensor([1, 2]);
    assert.equal(own.addcmul_(b, c, 2), own);
    assert.deepEqual(own.toArray(), [13, 66]);
    assert.deepEqual(own.addcdiv_(b, c, { value: -2 }).toArray(), [10, 65]);
    assert.deepEqual(tensor([NaN, 1, -Infinity]).nanToNum_(5, { neginf: -7 }).toArray(), [5, 1, -7]);
    assert.throws(() => tensor([1, 2], { dtype: 'int32' }).addcdiv_(b, c), {
      code: 'ERR_DTYPE',
      op: 'addcdiv',
    });
    assert.throws(() => tensor([1]).addcmul_(b, c), { code: 'ERR_SHAPE', op: 'addcmul' });
    const x = tensor([1, NaN, Infinity, -Infinity], { dtype: 'float64' });
    const most = Number.MAX_VALUE;
    assert.deepEqual(stria.nanToNum(x).toArray(), [1, 0, most, -most]);
    assert.deepEqual(x.nanToNum(2, 3).toArray(), [1, 2, 3, -most]);
    assert.deepEqual(x.nanToNum({ neginf: 4 }).toArray(), [1, 0, most, 4]);
    assert.deepEqual(stria.isclose(x, x).toArray(), [true, false, true, true]);
    assert.deepEqual(stria.isclose(x, x, { equalNan: true }).toArray(), [true, true, true, true]);
    assert.equal(stria.isclose(x, x).dtype, 'bool');
    assert.throws(() => stria.isclose(x, x, -1), { code: 'ERR_ARGUMENT', op: 'isclose', argument: 'rtol' });
    const channels = tensor([
      [-1, -1],
      [2, -2],
    ]);
    assert.deepEqual(stria.prelu(channels, tensor([0.5, 0.25])).toArray(), [
      [-0.5, -0.25],
      [2, -0.5],
    ]);
  });
});
