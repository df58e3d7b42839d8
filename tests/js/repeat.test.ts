// Copies of parts, and joining by views: forms of arguments, in place, out, types.
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  arange,
  blockDiag,
  cartesianProd,
  columnStack,
  combinations,
  diag,
  diagflat,
  hstack,
  repeatInterleave,
  roll,
  rot90,
  scope,
  tensor,
  tile,
  tril,
  triu,
  vstack,
  zeros,
  type Tensor,
} from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

test('roll, repeat, tile, repeatInterleave', () => {
  scope(() => {
    const x = arange(0, 4);
    const m = x.reshape(2, 2);
    assert.deepEqual(roll(x, 1).toArray(), [3, 0, 1, 2]);
    assert.deepEqual(m.roll(1).toArray(), [
      [3, 0],
      [1, 2],
    ]);
    assert.deepEqual(m.roll(1, 0).toArray(), [
      [2, 3],
      [0, 1],
    ]);
    assert.deepEqual(m.roll([1, -1], [0, 1]).toArray(), [
      [3, 2],
      [1, 0],
    ]);
    assert.deepEqual(m.roll({ shifts: 1, dims: -1 }).toArray(), [
      [1, 0],
      [3, 2],
    ]);
    assert.throws(() => m.roll([1, 2], 0), { code: 'ERR_ARGUMENT', op: 'roll', argument: 'shifts' });
    assert.deepEqual(x.repeat(2, 1).shape, [2, 4]);
    assert.deepEqual(tile(x, [2]).toArray(), [0, 1, 2, 3, 0, 1, 2, 3]);
    assert.deepEqual(repeatInterleave(m, 2).toArray(), [0, 0, 1, 1, 2, 2, 3, 3]);
    const counts = tensor([2, 0], { dtype: 'int64' });
    assert.deepEqual(m.repeatInterleave(counts, 1).toArray(), [
      [0, 0],
      [2, 2],
    ]);
    assert.throws(() => m.repeatInterleave(1.5, 1), {
      code: 'ERR_DTYPE',
      op: 'repeatInterleave',
      argument: 'repeats',
    });
    const out = zeros([1]);
    assert.equal(roll(x, 2, { out }), out);
    assert.deepEqual(out.toArray(), [2, 3, 0, 1]);
  });
});

test('tril, triu in place; diag, diagflat, rot90', () => {
  scope(() => {
    const x = tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    assert.deepEqual(tril(x).toArray(), [
      [1, 0, 0],
      [4, 5, 0],
    ]);
    assert.deepEqual(triu(x, { diagonal: 1 }).toArray(), [
      [0, 2, 3],
      [0, 0, 6],
    ]);
    assert.deepEqual(diag(x, 1).toArray(), [2, 6]);
    assert.deepEqual(diagflat(tensor([1, 2])).toArray(), [
      [1, 0],
      [0, 2],
    ]);
    assert.deepEqual(rot90(x).toArray(), [
      [3, 6],
      [2, 5],
      [1, 4],
    ]);
    assert.deepEqual(x.rot90(-1, [0, 1]).toArray(), [
      [4, 1],
      [5, 2],
      [6, 3],
    ]);
    assert.deepEqual(x.rot90({ k: 2 }).toArray(), [
      [6, 5, 4],
      [3, 2, 1],
    ]);
    assert.equal(x.T.tril_(-1).triu_(-1).sum().item(), 2 + 6);
  });
});

test('hstack, vstack, columnStack, blockDiag, cartesianProd, combinations', () => {
  scope(() => {
    const a = tensor([1, 2]);
    const b = tensor([3, 4], { dtype: 'int32' });
    assert.deepEqual(hstack([a, b]).toArray(), [1, 2, 3, 4]);
    assert.deepEqual(vstack([a, b]).toArray(), [
      [1, 2],
      [3, 4],
    ]);
    const columns: Tensor<'float32'> = columnStack([b, a]);
    assert.deepEqual(columns.toArray(), [
      [3, 1],
      [4, 2],
    ]);
    const blocks: Tensor<'int32'> = blockDiag([b, b]);
    assert.deepEqual(blocks.toArray(), [
      [3, 4, 0, 0],
      [0, 0, 3, 4],
    ]);
    assert.deepEqual(cartesianProd([a, b]).toArray(), [
      [1, 3],
      [1, 4],
      [2, 3],
      [2, 4],
    ]);
    assert.deepEqual(combinations(a).toArray(), [[1, 2]]);
    assert.deepEqual(a.combinations({ withReplacement: true }).shape, [3, 2]);
    assert.throws(() => vstack([a, zeros([3])]), { code: 'ERR_SHAPE', op: 'vstack', argument: 'tensors[1]' });
  });
});
