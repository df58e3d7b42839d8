// Division by rounding modes, comparisons of whole tensors, parts of numbers, gates, other dtypes of the same bytes, norms of matrices:
// as functions and methods, their options, types and errors.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { allclose, div, equal, eye, frexp, glu, memory, scope, tensor, zeros, type Tensor } from 'stria';
import { checkLeaksAtEnd, flat, load } from './support.js';

await load();
checkLeaksAtEnd();

const list = (x: Tensor): number[] => flat(x).map(Number);

test('div: rounding modes, of floats and of integers, in place and into a tensor', () => {
  scope(() => {
    const a = tensor([-7, 7, 5.5]);
    const whole = tensor([-7, 7, 5], { dtype: 'int16' });
    assert.deepEqual(list(div(a, 2)), [-3.5, 3.5, 2.75]);
    assert.deepEqual(list(div(a, 2, { roundingMode: 'trunc' })), [-3, 3, 2]);
    assert.deepEqual(list(a.div(2, { roundingMode: 'floor' })), [-4, 3, 2]);
    assert.deepEqual(list(a.div(2, { roundingMode: null })), [-3.5, 3.5, 2.75]);
    const floored: Tensor<'int16'> = div(whole, 2, { roundingMode: 'floor' });
    assert.equal(floored.dtype, 'int16');
    assert.deepEqual(list(floored), [-4, 3, 2]);
    const divided: Tensor<'float32'> = div(whole, 2, {});
    assert.equal(divided.dtype, 'float32');
    assert.deepEqual(list(div(7, tensor([2, -2]), { roundingMode: 'trunc' })), [3, -3]);
    const out = zeros([3], { dtype: 'float64' });
    assert.equal(div(a, 2, { roundingMode: 'floor', out }), out);
    assert.deepEqual(list(out), [-4, 3, 2]);
    assert.equal(div(a, 2, { out }), out);
    assert.deepEqual(list(out), [-3.5, 3.5, 2.75]);
    assert.deepEqual(list(whole.div_(2, { roundingMode: 'trunc' })), [-3, 3, 2]);
    assert.deepEqual(list(a.clone().div_(2, { roundingMode: null })), [-3.5, 3.5, 2.75]);
    assert.deepEqual(list(a.clone().div_(2)), [-3.5, 3.5, 2.75]);
    const mode = { code: 'ERR_ARGUMENT', argument: 'roundingMode' };
    assert.throws(() => div(a, 2, { roundingMode: 'ceil' as never }), { ...mode, op: 'div' });
    assert.throws(() => a.div_(2, { roundingMode: '' as never }), { ...mode, op: 'div_' });
    assert.throws(() => a.div_(2, { out } as never), { code: 'ERR_ARGUMENT', argument: 'out', op: 'div_' });
    assert.throws(() => div(a, 2, { rounding: 'floor' } as never), {
      code: 'ERR_ARGUMENT',
      argument: 'rounding',
    });
    assert.throws(() => div(a, zeros([2]), { roundingMode: 'floor' }), { code: 'ERR_SHAPE', op: 'div' });
    assert.throws(() => whole.div_(2), { code: 'ERR_DTYPE', op: 'div' });
    assert.throws(() => (div as (...given: unknown[]) => unknown)(a, 2, {}, 1), { argument: 'arguments' });
    assert.throws(() => div(a, tensor([true]), { roundingMode: 'trunc', out: 3 as never }), {
      argument: 'out',
    });
  });
});

test('equal and allclose: booleans', () => {
  scope(() => {
    const a = tensor([1, 2, 3]);
    assert.equal(equal(a, tensor([1, 2, 3], { dtype: 'int32' })), true);
    assert.equal(a.equal(tensor([1, 2, 4])), false);
    assert.equal(equal(a, zeros([3, 1])), false);
    assert.equal(equal(tensor([NaN]), tensor([NaN])), false);
    assert.equal(allclose(a, tensor([1, 2, 3.00001])), true);
    assert.equal(allclose(a, tensor([1, 2, 3.1])), false);
    assert.equal(a.allclose(tensor([1, 2, 3.1]), 0, 0.2), true);
    assert.equal(allclose(tensor([NaN]), tensor([NaN]), { equalNan: true }), true);
    assert.equal(a.allclose(tensor([1, 2, 3.1]), { rtol: 0.1 }), true);
    const out = zeros([], { dtype: 'bool' });
    assert.equal(equal(a, a), true);
    const before = memory().liveTensors;
    for (let k = 0; k < 5; k++) assert.ok(equal(a, a) && allclose(a, a));
    assert.equal(memory().liveTensors, before, 'nothing is left behind');
    assert.throws(() => allclose(a, a, { rtol: -1 }), {
      code: 'ERR_ARGUMENT',
      op: 'allclose',
      argument: 'rtol',
    });
    assert.throws(() => equal(zeros([2], { device: 'meta' }), zeros([2], { device: 'meta' })), {
      op: 'item',
    });
    assert.equal(out.item(), false);
  });
});

test('frexp, glu, clampMin, clampMax, localResponseNorm', () => {
  scope(() => {
    const { mantissa, exponent } = frexp(tensor([8, -0.75, 0, Infinity]));
    assert.deepEqual(list(mantissa), [0.5, -0.75, 0, Infinity]);
    assert.deepEqual(list(exponent), [4, 0, 0, 0]);
    assert.equal(exponent.dtype, 'int32');
    const x = tensor([
      [1, 2, 0, 0],
      [3, 4, 0, 0],
    ]);
    assert.deepEqual(glu(x).toArray(), [
      [0.5, 1],
      [1.5, 2],
    ]);
    assert.deepEqual(x.glu(0).shape, [1, 4]);
    assert.deepEqual(list(x.clampMin(2)), [2, 2, 2, 2, 3, 4, 2, 2]);
    assert.deepEqual(list(stria.clampMax(x, tensor([[2], [3]]))), [1, 2, 0, 0, 3, 3, 0, 0]);
    assert.deepEqual(list(x.clone().clampMin_(1)), [1, 2, 1, 1, 3, 4, 1, 1]);
    const y = stria.localResponseNorm(x.reshape([1, 2, 4]), 1, 2, 1, 1);
    assert.ok(
      allclose(
        y,
        tensor([
          [
            [1 / 3, 2 / 9, 0, 0],
            [3 / 19, 4 / 33, 0, 0],
          ],
        ]),
      ),
    );
  });
});

test('view and viewDtype: the same bytes as another dtype', () => {
  scope(() => {
    const x = tensor([1, -2.5]);
    const bits = x.view('int32');
    assert.equal(bits.dtype, 'int32');
    assert.deepEqual(list(bits), [1065353216, -1071644672]);
    assert.deepEqual(stria.view(x, 'uint8').shape, [8]);
    assert.deepEqual(x.view(2, 1).shape, [2, 1]);
    assert.deepEqual(x.view([1, 2]).shape, [1, 2]);
    assert.deepEqual(x.view({ shape: [1, 2] }).shape, [1, 2]);
    assert.deepEqual(stria.viewDtype(x, 'float64').shape, [1]);
    bits.fill_(0);
    assert.deepEqual(list(x), [0, 0]);
    assert.throws(() => x.view('bool'), { code: 'ERR_DTYPE', op: 'viewDtype', argument: 'dtype' });
    assert.throws(() => x.view('no dtype' as never), { code: 'ERR_SHAPE', op: 'view', argument: 'shape[0]' });
    assert.throws(() => zeros([3]).view('float64'), { code: 'ERR_SHAPE', op: 'viewDtype', argument: 'x' });
  });
});

test('svd with square matrices, and without vectors', () => {
  scope(() => {
    const x = tensor([
      [3, 0],
      [0, 2],
      [0, 0],
    ]);
    const { u, s, v } = x.svd({ some: false });
    assert.deepEqual(
      [u.shape, s.toArray(), v.shape],
      [
        [3, 3],
        [3, 2],
        [2, 2],
      ],
    );
    assert.ok(allclose(u.matmul(u.T), eye(3), 1e-5, 1e-6));
    assert.deepEqual(x.svd(true).u.shape, [3, 2]);
    const without = x.svd(true, false);
    assert.deepEqual(without.s.toArray(), [3, 2]);
    assert.deepEqual([without.u.shape, without.u.countNonzero().item()], [[3, 3], 0]);
    assert.throws(() => x.svd(1 as never), { code: 'ERR_ARGUMENT', op: 'svd', argument: 'some' });
    assert.throws(() => x.svd({ computeUV: true } as never), { op: 'svd', argument: 'computeUV' });
  });
});

test('det, svdvals, norms of matrices; dtype of mean, prod and norm', () => {
  scope(() => {
    const x = tensor([
      [3, 0],
      [4, 5],
    ]);
    assert.ok(Math.abs(stria.det(x).item() - 15) < 1e-5);
    assert.ok(allclose(x.svdvals(), tensor([Math.sqrt(45), Math.sqrt(5)])));
    assert.ok(Math.abs(stria.matrixNorm(x, 2).item() - Math.sqrt(45)) < 1e-5);
    assert.ok(Math.abs(x.matrixNorm('nuc').item() - Math.sqrt(80)) < 1e-5);
    assert.ok(Math.abs(x.matrixNorm(-2).item() - Math.sqrt(5)) < 1e-5);
    const whole = tensor([1, 2, 4], { dtype: 'int32' });
    const mean: Tensor<'float64'> = whole.mean({ dtype: 'float64' });
    assert.equal(mean.dtype, 'float64');
    assert.equal(mean.item(), 7 / 3);
    const product: Tensor<'float32'> = stria.prod(whole, null, { dtype: 'float32' });
    assert.equal(product.dtype, 'float32');
    assert.equal(product.item(), 8);
    assert.equal(whole.norm(1, null, { dtype: 'float64' }).item(), 7);
  });
});

test('scatter with reduce, embedding with paddingIdx', () => {
  scope(() => {
    const x = tensor([1, 2, 3]);
    const index = tensor([0, 0, 2], { dtype: 'int64' });
    assert.deepEqual(list(x.scatter(0, index, tensor([2, 3, 4]), { reduce: 'add' })), [6, 2, 7]);
    assert.deepEqual(list(stria.scatter(x, 0, index, 2, { reduce: 'multiply' })), [4, 2, 6]);
    assert.deepEqual(list(x.clone().scatter_(0, index, 5, { reduce: 'add' })), [11, 2, 8]);
    assert.throws(() => x.scatter(0, index, 2, { reduce: 'sum' as never }), {
      op: 'scatter',
      argument: 'reduce',
    });
    const rows = tensor([[1], [2], [3]]);
    assert.deepEqual(list(stria.embedding(rows, index, { paddingIdx: -1 })), [1, 1, 3]);
    assert.throws(() => stria.embedding(rows, index, { paddingIdx: 3 }), {
      op: 'embedding',
      argument: 'paddingIdx',
    });
    assert.throws(() => stria.isin(x, x, { assumeUnique: true } as never), { argument: 'assumeUnique' });
  });
});
