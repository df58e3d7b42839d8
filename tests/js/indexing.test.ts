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

test('positions as a tuple', () => {
  scope(() => {
    const x = tensor([
      [0, 1, 0],
      [4, 0, 5],
    ]);
    const tuple = x.nonzero({ asTuple: true });
    assert.deepEqual(tuple.map(list), [
      [0, 1, 1],
      [1, 0, 2],
    ]);
    assert.deepEqual(list(x.index(tuple)), [1, 4, 5]);
    assert.deepEqual(stria.where(x).map(list), tuple.map(list));
    assert.deepEqual(stria.where(x.gt(4)).map(list), [[1], [2]]);
    assert.deepEqual(tensor(5).nonzero({ asTuple: true }).map(list), [[0]]);
    assert.deepEqual(tensor(0).nonzero({ asTuple: true }).map(list), [[]]);
    assert.deepEqual(tensor(5).nonzero().shape, [1, 0]);
    assert.deepEqual(zeros([2, 0, 3]).nonzero({ asTuple: true }).map(list), [[], [], []]);
    assert.deepEqual(x.nonzero({ asTuple: false }).shape, [3, 2]);
    const out = zeros([0, 2], { dtype: 'int64' });
    assert.equal(stria.nonzero(x, { out }), out);
    const wrong = (options: object) => () => stria.nonzero(x, options);
    refused(wrong({ asTuple: true, out }), 'nonzero', 'out', /left out with asTuple/);
    refused(wrong({ asTuple: 1 }), 'nonzero', 'asTuple', /true or false/);
    refused(wrong({ asTupel: true }), 'nonzero', 'asTupel', /asTuple/);
    refused(() => stria.nonzero([1] as never, { asTuple: true }), 'nonzero', 'x', /a tensor/);
    refused(
      () => (x.nonzero as (...given: unknown[]) => unknown)({}, 1),
      'nonzero',
      'arguments',
      /at most 1/,
    );
  });
});

test('rows of an embedding that are too long are made shorter in place', () => {
  scope(() => {
    const weight = tensor([
      [3, 4],
      [0, 2],
      [6, 8],
    ]);
    weight.requiresGrad = true;
    const rows = weight.embedding(index([0, 1, 0]), { maxNorm: 2.5, paddingIdx: 2 });
    assert.ok(stria.allclose(rows.detach(), tensor([1.5, 2, 0, 2, 1.5, 2]).reshape(3, 2)));
    assert.ok(stria.allclose(weight.detach(), tensor([1.5, 2, 0, 2, 6, 8]).reshape(3, 2)));
    rows.sum().backward();
    assert.deepEqual(weight.grad!.toArray(), [
      [2, 2],
      [1, 1],
      [0, 0],
    ]);
    const x = tensor([[3, 4]]);
    assert.ok(stria.allclose(x.embedding(index([0]), { maxNorm: 1, normType: 1 }), tensor([[3 / 7, 4 / 7]])));
    assert.deepEqual(list(x.embeddingRenorm(index([0]), 9)), list(x));
    assert.equal(x.embeddingRenorm_(index([0]), 9), x);
    refused(() => x.embedding(index([1]), { maxNorm: 0 }), 'embeddingRenorm', 'indices', /indices\[0\] is 1/);
    refused(() => x.embedding(index([0]), { maxNorm: 'a' as never }), 'embeddingRenorm', 'maxNorm', /number/);
    refused(
      () => x.embedding(index([0]), { maxNorm: 1, normType: NaN }),
      'embeddingRenorm',
      'normType',
      /NaN/,
    );
    refused(() => x.embedding(index([0]), { scale: 1 } as never), 'embedding', 'scale', /scale/);
    assert.ok(stria.allclose(x, tensor([[3 / 7, 4 / 7]])), 'nothing was written');
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
    const narrow: Tensor<'int32'> = sorted.searchsorted(tensor([0, 3, 9]), { outInt32: true });
    assert.deepEqual([narrow.dtype, list(narrow)], ['int32', [0, 1, 4]]);
    const one: Tensor<'int64'> = stria.bucketize(3, sorted, { outInt32: false });
    assert.deepEqual([one.dtype, one.item()], ['int64', 1]);
    assert.equal(stria.bucketize(3, sorted, { outInt32: true, right: true }).item(), 3);
    assert.equal(stria.isin(3, sorted).item(), true);
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
