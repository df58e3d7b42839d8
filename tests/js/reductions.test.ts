// Reductions with forms of their own in JavaScript: max and min of all, along an axis and of two tensors; words that spell numbers;
// several results by name.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { max, min, scope, tensor, zeros, type Tensor } from 'stria';
import { checkLeaksAtEnd, flat, load } from './support.js';

await load();
checkLeaksAtEnd();

const list = (x: Tensor): number[] => flat(x).map(Number);
const rows = [
  [3, -1, 4, 1],
  [5, 9, -2, 9],
];

test('max and min: of all elements, along an axis, of two tensors', () => {
  scope(() => {
    const x = tensor(rows);
    assert.equal(max(x).item(), 9);
    assert.equal(x.min().item(), -2);
    assert.equal(max(x, {}).item(), 9);
    assert.deepEqual(max(x, { keepdim: true }).shape, [1, 1]);
    const { values, indices } = max(x, 1);
    assert.deepEqual(list(values), [4, 9]);
    assert.deepEqual(list(indices), [2, 1]);
    assert.equal(indices.dtype, 'int64');
    assert.deepEqual(list(x.min(0).indices), [0, 0, 1, 0]);
    assert.deepEqual(list(x.min({ axis: -1, keepdims: true }).values), [-1, -2]);
    assert.deepEqual(x.max(0, { keepdim: true }).indices.shape, [1, 4]);
    const other = tensor([4, 0, 4, 0]);
    assert.deepEqual(list(max(x, other)), [4, 0, 4, 1, 5, 9, 4, 9]);
    assert.deepEqual(list(x.min(other)), [3, -1, 4, 0, 4, 0, -2, 0]);
    const out = zeros([1]);
    assert.equal(max(x, other, { out }), out);
    const pair = { values: zeros([1]), indices: zeros([1], { dtype: 'int64' }) };
    assert.equal(max(x, 0, { out: pair }).values, pair.values);
    assert.deepEqual(list(pair.values), [5, 9, 4, 9]);
    assert.equal(min(x, { out: pair } as never), pair.values);
    assert.equal(pair.values.item(), -2);
  });
});

test('max and min: errors name the function and the argument', () => {
  scope(() => {
    const x = tensor(rows);
    const any = (value: unknown): never => value as never;
    assert.throws(() => max(x, 2), { code: 'ERR_AXIS', op: 'max', argument: 'dim' });
    assert.throws(() => x.min(any('0')), { op: 'min', argument: 'dim' });
    assert.throws(() => max(any(3)), { code: 'ERR_ARGUMENT', op: 'max', argument: 'x' });
    assert.throws(() => max(x, any({ dims: 1 })), { code: 'ERR_ARGUMENT', op: 'max' });
    assert.throws(() => max(x, any({}), any({})), { code: 'ERR_ARGUMENT', op: 'max', argument: 'options' });
    assert.throws(() => max(x, tensor([1, 2, 3])), { code: 'ERR_SHAPE', op: 'max', argument: 'other' });
    assert.throws(() => (max as (...given: unknown[]) => unknown)(x, 1, {}, 2), { op: 'max' });
    assert.throws(() => (x as unknown as { max(...given: unknown[]): unknown }).max(0, {}, 2), { op: 'max' });
    assert.throws(() => max(zeros([2, 0]), 1), { code: 'ERR_EMPTY', op: 'max', argument: 'x' });
  });
});

test('norms of matrices: orders as words and as numbers', () => {
  scope(() => {
    const x = tensor(rows);
    assert.equal(stria.matrixNorm(x, 1).item(), 10);
    assert.equal(stria.matrixNorm(x, '1').item(), 10);
    assert.equal(x.matrixNorm(Infinity).item(), 25);
    assert.equal(x.matrixNorm(-Infinity).item(), 9);
    assert.equal(x.matrixNorm('-1').item(), 6);
    assert.equal(x.matrixNorm().item(), x.norm().item());
    assert.throws(() => x.matrixNorm(3 as never), {
      code: 'ERR_ARGUMENT',
      op: 'matrixNorm',
      argument: 'ord',
    });
    assert.equal(tensor([3, 4], { dtype: 'int32' }).norm({ dtype: 'float64' }).item(), 5);
  });
});

test('pairs: variance and mean, smallest and largest', () => {
  scope(() => {
    const x = tensor(rows);
    const { var: variance, mean } = x.varMean(1);
    assert.deepEqual(list(mean), [1.75, 5.25]);
    assert.deepEqual(list(variance), list(x.var(1)));
    assert.deepEqual(list(stria.stdMean(x).std), list(x.std()));
    const { min: least, max: most } = x.aminmax({ dim: 0 });
    assert.deepEqual([list(least), list(most)], [list(x.amin(0)), list(x.amax(0))]);
    assert.deepEqual(list(x.sumToSize(2, 1)), [7, 21]);
    assert.equal(x.logsumexp([0, 1]).item(), Math.fround(x.to('float64').exp().sum().log().item()));
    assert.equal(x.countNonzero().item(), 8);
    assert.equal(tensor([1, NaN, 3]).nanmean().item(), 2);
  });
});

test('median: of all elements, along an axis; quantile with a number and a list', () => {
  scope(() => {
    const x = tensor(rows);
    assert.equal(x.median().item(), 3);
    assert.deepEqual(x.median({ keepdim: true }).shape, [1, 1]);
    const { values, indices } = stria.median(x, 1);
    assert.deepEqual(
      [list(values), list(indices)],
      [
        [1, 5],
        [3, 0],
      ],
    );
    assert.deepEqual(list(x.median({ dim: 0 }).values), [3, -1, -2, 1]);
    assert.equal(tensor([1, NaN, 3]).nanmedian().item(), 1);
    assert.equal(stria.nanmedian(tensor([NaN, 2]), 0).indices.item(), 1);
    assert.deepEqual(list(x.mode().values), [-1, 9]);
    assert.equal(x.quantile(0.5).item(), 3.5);
    assert.deepEqual(list(x.quantile(tensor([0, 1]), 1)), [-1, -2, 4, 9]);
    assert.equal(x.quantile(0.5, { interpolation: 'higher' }).item(), 4);
    assert.throws(() => x.quantile(2), { code: 'ERR_ARGUMENT', op: 'quantile', argument: 'q' });
    assert.throws(() => x.median(2), { code: 'ERR_AXIS', op: 'median', argument: 'dim' });
    assert.deepEqual(list(x.histc(2, -2, 9)), [4, 4]);
  });
});

test('running results, differences, areas, covariances', () => {
  scope(() => {
    const x = tensor(rows);
    assert.deepEqual(list(x.cummax(1).values), [3, 3, 4, 4, 5, 9, 9, 9]);
    assert.deepEqual(list(stria.cummin(x, 1).indices), [0, 1, 1, 1, 0, 0, 2, 2]);
    assert.deepEqual(list(tensor([0, 0]).logcumsumexp(0)), [0, Math.fround(Math.log(2))]);
    assert.deepEqual(list(x.diff()), [-4, 5, -3, 4, -11, 11]);
    assert.deepEqual(list(x.diff(2, 1)), [9, -8, -15, 22]);
    assert.deepEqual(list(tensor([1, 4]).diff({ prepend: tensor([0]), append: tensor([4]) })), [1, 3, 0]);
    assert.deepEqual(list(x.trapezoid({ dx: 2 })), [10, 28]);
    assert.equal(stria.trapezoid(tensor([1, 3]), { x: tensor([0, 5]) }).item(), 10);
    assert.deepEqual(list(stria.cumulativeTrapezoid(tensor([0, 2, 2]))), [1, 3]);
    assert.equal(tensor([1, 2, 3], { dtype: 'int32' }).cov().dtype, 'float32');
    assert.deepEqual(
      list(
        stria.corrcoef(
          tensor([
            [0, 1, 2],
            [2, 1, 0],
          ]),
        ),
      ),
      [1, -1, -1, 1],
    );
    assert.equal(
      tensor([1, 2])
        .cov({ fweights: tensor([1, 3], { dtype: 'int64' }) })
        .item(),
      0.25,
    );
  });
});
