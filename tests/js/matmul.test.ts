// Matrix products: functions, methods, { out }, batches, dtypes, views and errors, against plain JavaScript.
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  DTypeError,
  bmm,
  dot,
  matmul,
  mm,
  mv,
  scope,
  tensor,
  zeros,
  ShapeError,
  type DType,
  type Tensor,
} from 'stria';
import { checkLeaksAtEnd, flat, load } from './support.js';

await load();
checkLeaksAtEnd();

const list = (x: Tensor): number[] => flat(x).map(Number);

// Small whole numbers: every order of additions is exact.
const matrix = (rows: number, columns: number, seed: number): number[][] =>
  Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (_, j) => ((i * 7 + j * 5 + seed) % 9) - (seed % 2 ? 4 : 0)),
  );
const product = (a: number[][], b: number[][]): number[][] =>
  a.map((row) => b[0]!.map((_, j) => row.reduce((sum, x, p) => sum + x * b[p]![j]!, 0)));

test('matmul of many sizes, as function and method', () => {
  scope(() => {
    for (const [m, k, n] of [
      [1, 1, 1],
      [2, 3, 4],
      [7, 17, 9],
      [33, 40, 35],
      [130, 70, 150],
      [1, 300, 50],
      [50, 300, 1],
    ] as const) {
      const a = matrix(m, k, 1);
      const b = matrix(k, n, 3);
      const expected = product(a, b).flat();
      assert.deepEqual(list(matmul(tensor(a), tensor(b))), expected);
      assert.deepEqual(list(tensor(a).mm(tensor(b))), expected);
      const columns = tensor(b[0]!.map((_, j) => b.map((row) => row[j]!))).transpose(0, 1);
      assert.deepEqual(list(tensor(a).matmul(columns)), expected);
    }
  });
});

test('vectors and batches', () => {
  scope(() => {
    const a = matrix(3, 4, 2);
    const b = matrix(4, 5, 3);
    const v = [1, -2, 3, 4];
    assert.equal(dot(tensor(v), tensor(v)).item(), 30);
    assert.deepEqual(matmul(tensor(v), tensor(v)).shape, []);
    const column = v.map((x) => [x]);
    assert.deepEqual(list(mv(tensor(a), tensor(v))), product(a, column).flat());
    assert.deepEqual(list(matmul(tensor(v), tensor(b))), product([v], b).flat());
    const batch = matmul(tensor([a, matrix(3, 4, 5)]), tensor(b));
    assert.deepEqual(batch.shape, [2, 3, 5]);
    assert.deepEqual(list(batch), [...product(a, b), ...product(matrix(3, 4, 5), b)].flat());
    const both = bmm(tensor([a, a]), tensor([b, matrix(4, 5, 7)]));
    assert.deepEqual(list(both), [...product(a, b), ...product(a, matrix(4, 5, 7))].flat());
    assert.deepEqual(matmul(zeros([2, 1, 3, 4]), zeros([6, 4, 5])).shape, [2, 6, 3, 5]);
    assert.deepEqual(list(matmul(zeros([2, 0]), zeros([0, 2]))), [0, 0, 0, 0]);
  });
});

test('every dtype, and the dtype of the result', () => {
  scope(() => {
    const a = matrix(9, 12, 2);
    const b = matrix(12, 8, 4);
    const expected = product(a, b).flat();
    const dtypes: DType[] = [
      'uint16',
      'int16',
      'uint32',
      'int32',
      'uint64',
      'int64',
      'float16',
      'float32',
      'float64',
    ];
    for (const dtype of dtypes) {
      const y = matmul(tensor(a, { dtype }), tensor(b, { dtype }));
      assert.equal(y.dtype, dtype);
      assert.deepEqual(list(y), expected, dtype);
    }
    const wrapped = matmul(tensor(a, { dtype: 'uint8' }), tensor(b, { dtype: 'uint8' }));
    assert.deepEqual(
      list(wrapped),
      expected.map((x) => x % 256),
    );
    assert.equal(matmul(tensor(a, { dtype: 'int32' }), tensor(b)).dtype, 'float32');
  });
});

test('out and errors', () => {
  scope(() => {
    const a = tensor(matrix(3, 4, 2));
    const b = tensor(matrix(4, 5, 3));
    const out = zeros([3, 5]);
    assert.equal(matmul(a, b, { out }), out);
    assert.deepEqual(list(out), list(a.matmul(b)));
    const square = tensor(matrix(4, 4, 2));
    const expected = list(square.matmul(square));
    assert.equal(square.matmul(square, { out: square }), square);
    assert.deepEqual(list(square), expected);
    assert.throws(() => matmul(b, a), { code: 'ERR_SHAPE', op: 'matmul', message: /\[4,5\] and \[3,4\]/ });
    assert.throws(() => matmul(a, tensor(2)), ShapeError);
    assert.throws(() => mm(a, zeros([4])), { code: 'ERR_SHAPE', op: 'mm', argument: 'b' });
    assert.throws(() => bmm(a, b), { code: 'ERR_SHAPE', op: 'bmm' });
    assert.throws(() => mv(a, b), { code: 'ERR_SHAPE', op: 'mv' });
    assert.throws(() => dot(zeros([3]), zeros([4])), { code: 'ERR_SHAPE', op: 'dot' });
    assert.throws(
      () => matmul(zeros([3, 4], { dtype: 'bool' }), zeros([4, 5], { dtype: 'bool' })),
      DTypeError,
    );
    assert.throws(() => matmul(a, b, { out: zeros([3, 5], { dtype: 'int32' }) }), {
      code: 'ERR_DTYPE',
      op: 'matmul',
      argument: 'out',
      message: 'matmul: a result of float32 does not cast to an out of int32',
    });
    assert.throws(() => matmul(a, 3 as never), { code: 'ERR_ARGUMENT', argument: 'b' });
    const gone = zeros([4, 5]);
    gone.dispose();
    assert.throws(() => matmul(a, gone), {
      code: 'ERR_DISPOSED',
      op: 'matmul',
      argument: 'b',
      message: 'matmul: b was disposed of',
    });
  });
});
