// argsort, msort, topk, kthvalue, unique, uniqueConsecutive: function, method, { out }, what is asked for, types and errors, against plain
// JavaScript.
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  argsort,
  kthvalue,
  msort,
  scope,
  sort,
  tensor,
  topk,
  unique,
  uniqueConsecutive,
  zeros,
  DTypeError,
  type Tensor,
} from 'stria';
import { checkLeaksAtEnd, flat, load } from './support.js';

await load();
checkLeaksAtEnd();

const list = (x: Tensor): number[] => flat(x).map(Number);

const rows = [
  [3, -1, 4, 1],
  [5, 9, -2, 9],
  [6, 5, 3, 5],
];

test('argsort and msort: as sort has it', () => {
  scope(() => {
    const x = tensor(rows);
    assert.deepEqual(list(argsort(x)), list(sort(x).indices));
    assert.deepEqual(list(x.argsort(0, true)), list(x.sort(0, true).indices));
    assert.deepEqual(list(x.argsort({ descending: true, stable: true })), list(x.sort(-1, true).indices));
    assert.equal(argsort(x).dtype, 'int64');
    assert.deepEqual(list(msort(x)), list(x.sort(0).values));
    assert.deepEqual(x.msort().shape, [3, 4]);
    assert.throws(() => argsort(x.to('complex64')), DTypeError);
  });
});

test('sort and argsort of a long row', () => {
  scope(() => {
    const numbers = Array.from({ length: 100000 }, (_, k) => (k * 7919) % 100003);
    const wanted = numbers.map((_, k) => k).sort((a, b) => numbers[a] - numbers[b]);
    for (const dtype of ['float32', 'int64', 'float64'] as const) {
      const x = tensor(numbers).to(dtype);
      assert.deepEqual(list(x.argsort()), wanted);
      assert.deepEqual(
        list(x.sort().values),
        wanted.map((k) => numbers[k]),
      );
    }
  });
});

test('topk and kthvalue', () => {
  scope(() => {
    const x = tensor(rows);
    const { values, indices } = topk(x, 2);
    assert.deepEqual(list(values), [4, 3, 9, 9, 6, 5]);
    assert.deepEqual(list(indices), [2, 0, 1, 3, 0, 1]);
    assert.deepEqual(list(x.topk(1, 0, { largest: false }).values), [3, -1, -2, 1]);
    assert.deepEqual(list(x.topk(3, { sorted: false }).indices), [0, 2, 3, 0, 1, 3, 0, 1, 3]);
    assert.deepEqual(list(topk(tensor([1, NaN, 2]), 2).values), [NaN, 2]);
    assert.deepEqual(list(topk(x, 0).values), []);
    const out = { values: zeros([1], { dtype: 'float64' }), indices: zeros([1], { dtype: 'int64' }) };
    assert.equal(topk(x, 2, { out }).values, out.values);
    assert.deepEqual(list(out.values), list(values));
    assert.deepEqual(list(kthvalue(x, 2).values), [1, 5, 5]);
    assert.deepEqual(list(x.kthvalue(2, { keepdim: true }).indices), [3, 0, 1]);
    assert.deepEqual(x.kthvalue(3, 0, { keepdim: true }).values.shape, [1, 4]);
    const k = { code: 'ERR_ARGUMENT', op: 'topk', argument: 'k' };
    assert.throws(() => topk(x, 5), k);
    assert.throws(() => topk(x, -1), k);
    assert.throws(() => kthvalue(x, 0), {
      ...k,
      op: 'kthvalue',
      message: /k is 0, but axis 1 of x has size 4/,
    });
  });
});

test('unique: a tensor, or an object with what is asked for', () => {
  scope(() => {
    const x = tensor([
      [3, 1],
      [1, 2],
      [3, 1],
    ]);
    const values: Tensor<'float32'> = unique(x);
    assert.deepEqual(list(values), [1, 2, 3]);
    const all = x.unique({ returnInverse: true, returnCounts: true });
    const { inverse, counts }: { inverse: Tensor<'int64'>; counts: Tensor<'int64'> } = all;
    assert.deepEqual(Object.keys(all), ['values', 'inverse', 'counts']);
    assert.deepEqual(list(all.values), [1, 2, 3]);
    assert.deepEqual(inverse.shape, [3, 2]);
    assert.deepEqual(list(inverse), [2, 0, 0, 1, 2, 0]);
    assert.deepEqual(list(counts), [3, 1, 2]);
    assert.deepEqual(Object.keys(unique(x, { returnCounts: true })), ['values', 'counts']);
    const slices = unique(x, { dim: 0, returnInverse: true });
    assert.deepEqual(slices.values.toArray(), [
      [1, 2],
      [3, 1],
    ]);
    assert.deepEqual(list(slices.inverse), [1, 0, 1]);
    assert.deepEqual(list(unique(tensor([NaN, 1, NaN, 0, -0]), { sorted: false })), [0, 1, NaN, NaN]);
    const out = { values: zeros([1]), inverse: zeros([1]), counts: zeros([1]) };
    assert.equal(unique(x, { out }), out.values);
    assert.deepEqual(list(out.values), [1, 2, 3]);
    assert.deepEqual(out.counts.shape, [0]);
    assert.throws(() => unique(x, 3 as never), { code: 'ERR_ARGUMENT', op: 'unique' });
    assert.throws(() => unique(x, { returnIndex: true } as never), {
      code: 'ERR_ARGUMENT',
      op: 'unique',
      argument: 'returnIndex',
    });
    assert.throws(() => unique(x, { axis: 2 }), { code: 'ERR_AXIS', op: 'unique', argument: 'dim' });
    assert.throws(() => unique(zeros([2, 0]), { dim: 0 }), {
      code: 'ERR_EMPTY',
      op: 'unique',
      argument: 'x',
    });
  });
});

test('bytes of truth values other than 0 and 1 are true', () => {
  scope(() => {
    const x = zeros([6], { dtype: 'bool' });
    x.borrow((bytes) => (bytes as Uint8Array).set([2, 1, 0, 255, 1, 0]));
    const all = unique(x, { returnInverse: true, returnCounts: true });
    assert.deepEqual(
      [list(all.values), list(all.counts)],
      [
        [0, 1],
        [2, 4],
      ],
    );
    assert.deepEqual(list(all.inverse), [1, 1, 0, 1, 1, 0]);
    const { values, indices } = sort(x, 0, { stable: true });
    assert.deepEqual(
      [list(values), list(indices)],
      [
        [0, 0, 1, 1, 1, 1],
        [2, 5, 0, 1, 3, 4],
      ],
    );
    assert.deepEqual(list(uniqueConsecutive(x)), [1, 0, 1, 0]);
    assert.deepEqual(list(topk(x, 4).values), [1, 1, 1, 1]);
  });
});

test('uniqueConsecutive: runs', () => {
  scope(() => {
    const x = tensor([1, 1, 2, 2, 2, 1]);
    assert.deepEqual(list(uniqueConsecutive(x)), [1, 2, 1]);
    const { inverse, counts } = x.uniqueConsecutive({ returnInverse: true, returnCounts: true });
    assert.deepEqual(list(inverse), [0, 0, 1, 1, 1, 2]);
    assert.deepEqual(list(counts), [2, 3, 1]);
    const y = tensor([
      [1, 1, 2],
      [3, 3, 3],
    ]);
    assert.deepEqual(y.uniqueConsecutive({ axis: 1 }).toArray(), [
      [1, 2],
      [3, 3],
    ]);
    assert.throws(() => uniqueConsecutive(x, { sorted: true } as never), { argument: 'sorted' });
  });
});
