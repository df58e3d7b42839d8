// sort, cat and pad: function, method, { out }, several results, lists, words, types and errors, against plain JavaScript.
import test from 'node:test';
import assert from 'node:assert/strict';
import { cat, pad, scope, sort, tensor, zeros, DTypeError, ShapeError, type Tensor } from 'stria';
import { checkLeaksAtEnd, flat, load } from './support.js';

await load();
checkLeaksAtEnd();

const list = (x: Tensor): number[] => flat(x).map(Number);

const rows = [
  [3, -1, 4, 1],
  [5, 9, -2, 9],
  [6, 5, 3, 5],
];

test('sort: values and indices, along every axis, as function and method', () => {
  scope(() => {
    const x = tensor(rows);
    const { values, indices } = sort(x);
    assert.deepEqual(
      list(values),
      rows.flatMap((row) => [...row].sort((a, b) => a - b)),
    );
    assert.deepEqual(list(indices), [1, 3, 0, 2, 2, 0, 1, 3, 2, 1, 3, 0]);
    assert.equal(values.dtype, 'float32');
    assert.equal(indices.dtype, 'int64');
    assert.deepEqual(list(x.sort(0).values), [3, -1, -2, 1, 5, 5, 3, 5, 6, 9, 4, 9]);
    assert.deepEqual(list(x.sort(-1, true).indices), [2, 0, 3, 1, 1, 3, 0, 2, 0, 1, 3, 2]);
    assert.deepEqual(list(x.sort({ axis: 1, descending: true, stable: true }).indices), [
      ...[2, 0, 3, 1],
      ...[1, 3, 0, 2],
      ...[0, 1, 3, 2],
    ]);
    const special = tensor([NaN, 0, -0, -Infinity, Infinity, NaN]);
    assert.deepEqual(list(special.sort().indices), [3, 1, 2, 4, 0, 5]);
    assert.deepEqual(list(special.sort({ descending: true }).indices), [0, 5, 4, 1, 2, 3]);
    assert.deepEqual(list(tensor([true, false, true]).sort().indices), [1, 0, 2]);
    const large = tensor(new BigInt64Array([2n ** 62n + 1n, 2n ** 62n, -1n]));
    assert.deepEqual(list(large.sort().indices), [2, 1, 0]);
    assert.equal(sort(tensor(7)).values.item(), 7);
    assert.deepEqual(sort(zeros([0, 3])).indices.shape, [0, 3]);
  });
});

test('sort: results into an object of tensors, errors', () => {
  scope(() => {
    const x = tensor(rows);
    const values = zeros([1], { dtype: 'float64' });
    const indices = zeros([3, 4], { dtype: 'int16' });
    const into = sort(x, 1, { out: { values, indices } });
    assert.equal(into.values, values);
    assert.equal(into.indices, indices);
    assert.deepEqual(list(values), list(x.sort().values));
    assert.deepEqual(list(indices), list(x.sort().indices));
    assert.throws(() => sort(x, 0, { out: values as never }), { code: 'ERR_ARGUMENT', argument: 'out' });
    assert.throws(() => sort(x, 0, { out: { values } as never }), {
      code: 'ERR_ARGUMENT',
      op: 'sort',
      argument: 'out.indices',
    });
    assert.throws(() => sort(x, 0, { out: { values, indices, indexes: indices } as never }), {
      code: 'ERR_ARGUMENT',
      argument: 'out.indexes',
      message: /unknown option 'out.indexes' \(did you mean 'indices'\?\)|known: values, indices/,
    });
    assert.throws(() => sort(x, 0, { out: { values: values, indices: values } as never }), {
      code: 'ERR_OVERLAP',
      message: /values and indices share memory/,
    });
    assert.throws(() => sort(x, 2), { code: 'ERR_AXIS', op: 'sort', argument: 'dim' });
    assert.throws(() => sort(x.to('complex64')), DTypeError);
    assert.throws(() => sort(x, 0, 1 as never), { code: 'ERR_ARGUMENT', argument: 'descending' });
  });
});

test('cat: lists of tensors, axes, dtypes, out, errors', () => {
  scope(() => {
    const x = tensor(rows);
    const y = tensor([[7, 8, 9, 0]]);
    assert.deepEqual(cat([x, y]).toArray(), [...rows, [7, 8, 9, 0]]);
    assert.deepEqual(
      cat([x, x], 1).toArray(),
      rows.map((row) => [...row, ...row]),
    );
    assert.deepEqual(cat([x.transpose(0, 1), x.transpose(0, 1)], { axis: -1 }).shape, [4, 6]);
    const mixed = cat([x.to('uint8'), y.to('int8')]);
    assert.equal(mixed.dtype, 'int16');
    assert.deepEqual(cat([zeros([0, 4]), y]).toArray(), [[7, 8, 9, 0]]);
    const many = Array.from({ length: 500 }, (_, k) => tensor([k]));
    assert.deepEqual(
      list(cat(many)),
      many.map((_, k) => k),
    );
    const out = zeros([1], { dtype: 'float64' });
    assert.equal(cat([x, y], { out }), out);
    assert.deepEqual(out.shape, [4, 4]);
    assert.throws(() => cat([]), { code: 'ERR_ARGUMENT', op: 'cat', argument: 'tensors' });
    assert.throws(() => cat([x, 3 as never]), { code: 'ERR_ARGUMENT', argument: 'tensors[1]' });
    assert.throws(() => cat([x, x.transpose(0, 1)]), ShapeError);
    assert.throws(() => cat([x, x.transpose(0, 1)]), { op: 'cat', argument: 'tensors[1]' });
    assert.throws(() => cat([tensor(1)]), { code: 'ERR_SHAPE', argument: 'tensors[0]' });
    assert.throws(() => cat([x], 2), { code: 'ERR_AXIS', argument: 'dim' });
  });
});

test('pad: modes, values, axes from the last one backwards, cropping, errors', () => {
  scope(() => {
    const x = tensor([1, 2, 3]);
    assert.deepEqual(list(pad(x, [1, 2])), [0, 1, 2, 3, 0, 0]);
    assert.deepEqual(list(x.pad([2, 1], { value: 7 })), [7, 7, 1, 2, 3, 7]);
    assert.deepEqual(list(x.pad([2, 1], 'reflect')), [3, 2, 1, 2, 3, 2]);
    assert.deepEqual(list(x.pad([2, 1], { mode: 'replicate' })), [1, 1, 1, 2, 3, 3]);
    assert.deepEqual(list(x.pad([2, 1], 'circular')), [2, 3, 1, 2, 3, 1]);
    assert.deepEqual(list(x.pad([-1, 1])), [2, 3, 0]);
    assert.deepEqual(list(x.pad([])), [1, 2, 3]);
    const frame = tensor(rows).pad([0, 0, 1, 0], 'constant', { value: -Infinity });
    assert.deepEqual(frame.shape, [4, 4]);
    assert.deepEqual(list(frame.select(0, 0)), [-Infinity, -Infinity, -Infinity, -Infinity]);
    assert.deepEqual(list(tensor(rows).pad([1, 1, 1, 1], 'reflect').select(0, 0)), [9, 5, 9, -2, 9, -2]);
    assert.equal(x.to('int64').pad([1, 0], { value: 5n }).dtype, 'int64');
    assert.deepEqual(flat(tensor([true]).pad([1, 1], { value: true })).map(Boolean), [true, true, true]);
    const out = zeros([1]);
    assert.equal(pad(x, [1, 0], { out }), out);
    assert.deepEqual(list(out), [0, 1, 2, 3]);
    assert.throws(() => pad(x, 1), { code: 'ERR_SHAPE', op: 'pad', argument: 'pad' });
    assert.throws(() => pad(x, [1, 0.5]), { op: 'pad', argument: 'pad[1]' });
    assert.throws(() => pad(x, [1, 1, 1, 1]), { code: 'ERR_SHAPE', argument: 'pad' });
    assert.throws(() => pad(x, [0, 3], 'reflect'), { code: 'ERR_SHAPE', argument: 'pad' });
    assert.throws(() => pad(x, [0, 1], 'mirror' as never), { code: 'ERR_ARGUMENT', argument: 'mode' });
    assert.throws(() => pad(x, [0, 1], 'reflect', { value: 1 }), { code: 'ERR_ARGUMENT', argument: 'value' });
    assert.throws(() => x.to('int8').pad([0, 1], { value: 0.5 }), { code: 'ERR_DTYPE', argument: 'value' });
  });
});
