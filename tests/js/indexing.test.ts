// The functions of indexing: arguments in PyTorch's order, as functions and methods, in place, errors.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { arange, scope, tensor, zeros, type Tensor } from 'stria';
import { checkLeaksAtEnd, flat, load } from './support.js';

await load();
checkLeaksAtEnd();

const list = (x: Tensor): number[] => flat(x).map(Number);
const index = (values: unknown): Tensor<'int64'> => tensor(values as number[], { dtype: 'int64' });
const refused = (run: () => unknown, op: string, argument: string, message: RegExp, code = 'ERR_ARGUMENT') =>
  assert.throws(run, { code, op, argument, message });

test('gather, takeAlongDim, take, indexSelect, embedding', () => {
  scope(() => {
    const x = arange(12).reshape(3, 4);
    const places = index([
      [2, 0, 1, 1],
      [0, 0, 2, 2],
    ]);
    assert.deepEqual(stria.gather(x, 0, places).toArray(), [
      [8, 1, 6, 7],
      [0, 1, 10, 11],
    ]);
    assert.deepEqual(list(x.gather(-1, index([[3], [0]]))), [3, 4]);
    assert.deepEqual(list(x.takeAlongDim(index([[1], [0], [3]]), 1)), [1, 4, 11]);
    assert.deepEqual(list(x.takeAlongDim(index([[2, 1]]), { axis: 1 })), [2, 1, 6, 5, 10, 9]);
    assert.deepEqual(list(x.takeAlongDim(index([11, 0]))), [11, 0]);
    assert.deepEqual(list(x.take(index([[0, -1]]))), [0, 11]);
    assert.deepEqual(list(x.T.take(index([1, 3]))), [4, 1]);
    assert.deepEqual(x.indexSelect(0, index([2, 2])).toArray(), [
      [8, 9, 10, 11],
      [8, 9, 10, 11],
    ]);
    assert.deepEqual(x.embedding(index([[1], [0]])).shape, [2, 1, 4]);
    const out = zeros([2, 4]);
    assert.equal(stria.gather(x, 0, places, { out }), out);
    assert.equal(out.at(0, 0).item(), 8);
    refused(() => x.gather(0, index([[3]])), 'gather', 'index', /index\[0,0\] is 3, .* axis 0 of size 3/);
    refused(() => x.take(index([-13])), 'take', 'index', /index\[0\] is -13, out of range for x of size 12/);
    refused(() => x.gather(0, x), 'gather', 'index', /f(loat)?32/, 'ERR_DTYPE');
  });
});

test('index, nonzero, argwhere', () => {
  scope(() => {
    const x = arange(12).reshape(3, 4);
    assert.deepEqual(list(x.index([index([0, -1]), index([[1], [2]])])), [1, 9, 2, 10]);
    assert.deepEqual(list(x.index([x.gt(8)])), [9, 10, 11]);
    assert.deepEqual(list(x.index([tensor([true, false, true]), index([0, 3])])), [0, 11]);
    assert.deepEqual(
      tensor([
        [0, 3],
        [NaN, -0],
      ])
        .nonzero()
        .toArray(),
      [
        [0n, 1n],
        [1n, 0n],
      ],
    );
    assert.deepEqual(stria.argwhere(tensor([0, 1, 1])).toArray(), [[1n], [2n]]);
    refused(() => x.index([index([3])]), 'index', 'indices[0]', /indices\[0\]\[0\] is 3/);
  });
});

test('scatter and its family: functions, methods, in place', () => {
  scope(() => {
    const x = zeros([3, 2]);
    const places = index([[2, 0]]);
    const src = tensor([[5, 6]]);
    assert.deepEqual(list(stria.scatter(x, 0, places, src)), [0, 6, 0, 0, 5, 0]);
    assert.deepEqual(list(x.scatter(1, index([[1], [1]]), 3)), [0, 3, 0, 3, 0, 0]);
    assert.deepEqual(list(x.scatterAdd(0, index([[1, 1]]), src)), [0, 0, 5, 6, 0, 0]);
    const y = zeros([2]);
    const same = index([1, 1, 1]);
    const ones = tensor([1, 2, 6]);
    assert.equal(y.scatterAdd_(0, same, ones), y);
    assert.deepEqual(list(y), [0, 9]);
    assert.deepEqual(list(y.scatterReduce(0, same, ones, 'mean', { includeSelf: false })), [0, 3]);
    assert.deepEqual(list(y.scatterReduce(0, same, ones, { reduce: 'amin' })), [0, 1]);
    assert.deepEqual(list(y.scatter_(0, same, ones)), [0, 6]);
    assert.deepEqual(list(y.indexAdd(0, same, ones, { alpha: 2 })), [0, 24]);
    assert.deepEqual(list(y.indexFill(0, index([-2]), 7)), [7, 6]);
    assert.deepEqual(list(y.indexCopy(0, index([1, 0]), tensor([1, 2]))), [2, 1]);
    assert.deepEqual(list(y.indexReduce(0, same, ones, 'prod')), [0, 72]);
    assert.deepEqual(list(x.put(index([-1, 0]), tensor([1, 2]))), [2, 0, 0, 0, 0, 1]);
    assert.deepEqual(list(x.put_(index([0, 0]), tensor([1, 2]), true)), [3, 0, 0, 0, 0, 0]);
    assert.deepEqual(list(x.indexPut([index([2, 0]), index([1, 1])], tensor([8, 9]))), [3, 9, 0, 0, 0, 8]);
    assert.deepEqual(list(x.indexPut_([x.gt(0)], 4, { accumulate: true })), [7, 0, 0, 0, 0, 0]);
    refused(
      () => x.indexPut_([index([3])], 1),
      'indexPut',
      'indices[0]',
      /indices\[0\]\[0\] is 3, .* axis 0 of size 3/,
    );
    refused(() => y.scatter_(0, index([2]), 1), 'scatter', 'index', /index\[0\] is 2/);
    refused(() => y.scatterReduce(0, same, ones, 'max' as never), 'scatterReduce', 'reduce', /one of/);
  });
});

test('search, sets, parts of a tensor', () => {
  scope(() => {
    const sorted = tensor([1, 3, 3, 7]);
    assert.deepEqual(list(sorted.searchsorted(tensor([0, 3, 9]))), [0, 1, 4]);
    assert.deepEqual(list(stria.searchsorted(sorted, 3, { right: true })), [3]);
    assert.deepEqual(list(stria.searchsorted(sorted, 3, { side: 'right' })), [3]);
    assert.throws(() => stria.searchsorted(sorted, 3, { right: true, side: 'left' }), {
      code: 'ERR_ARGUMENT',
      op: 'searchsorted',
      argument: 'side',
      message: 'searchsorted: side is left, but right is true',
    });
    assert.deepEqual(
      list(stria.searchsorted(tensor([7, 1, 3]), 2, { sorter: index([1, 2, 0]), side: 'left' })),
      [1],
    );
    assert.deepEqual(list(tensor([0, 3, 9]).bucketize(sorted, { right: true })), [0, 3, 4]);
    assert.deepEqual(tensor([1, 2, NaN]).isin(sorted).toArray(), [true, false, false]);
    assert.deepEqual(stria.isin(tensor([1, 2]), 2, { invert: true }).toArray(), [true, false]);
    assert.deepEqual(index([1, 0]).oneHot().toArray(), [
      [0n, 1n],
      [1n, 0n],
    ]);
    assert.deepEqual(index([1]).oneHot(3).shape, [1, 3]);
    const x = zeros([2, 2]);
    const mask = tensor([
      [true, false],
      [true, true],
    ]);
    assert.deepEqual(list(x.maskedScatter(mask, tensor([1, 2, 3, 4]))), [1, 0, 2, 3]);
    assert.deepEqual(list(x.selectScatter(tensor([5, 6]), 1, 0)), [5, 0, 6, 0]);
    assert.deepEqual(list(x.sliceScatter(tensor([[5, 6]]), { start: 1 })), [0, 0, 5, 6]);
    assert.deepEqual(list(x.diagonalScatter(tensor([5, 6]))), [5, 0, 0, 6]);
    assert.deepEqual(list(x), [0, 0, 0, 0]);
  });
});
