// Integers that no number holds: bigints up to 2^64 as scalars, and ranges of them.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { scope, tensor } from 'stria';
import { checkLeaksAtEnd, flat, load } from './support.js';

await load();
checkLeaksAtEnd();

const top = 2n ** 64n - 1n;
const half = 2n ** 63n;

test('uint64 with bigints from 2^63', () => {
  scope(() => {
    const x = tensor([0n, half, top], { dtype: 'uint64' });
    assert.deepEqual(flat(stria.full([2], top, { dtype: 'uint64' })), [top, top]);
    assert.deepEqual(flat(x.eq(half)), [false, true, false]);
    assert.deepEqual(flat(x.lt(half + 1n)), [true, true, false]);
    assert.deepEqual(flat(x.add(half)), [half, 0n, half - 1n]);
    assert.deepEqual(flat(stria.sub(top, x)), [top, half - 1n, 0n]);
    assert.deepEqual(flat(x.maximum(half)), [half, half, top]);
    assert.deepEqual(flat(tensor([0n, 1n, 2n], { dtype: 'uint64' }).add(1, { alpha: top })), [top, 0n, 1n]);
    assert.deepEqual(flat(x.maskedFill(tensor([true, false, false]), top)), [top, half, top]);
    assert.deepEqual(flat(stria.where(tensor([true, false, false]), half, x)), [half, half, top]);
    assert.deepEqual(flat(x.clamp(1, half)), [1n, half, half]);
    assert.deepEqual(flat(x.pow(half)), [0n, 0n, 1n]);
    assert.equal(x.add(half).dtype, 'uint64');
    assert.equal(x.clone().copy_(top).eq(top).all().item(), true);
    x.add_(half);
    assert.deepEqual(flat(x), [half, 0n, half - 1n]);
  });
});

test('other dtypes with bigints from 2^63', () => {
  scope(() => {
    assert.deepEqual(flat(tensor([0, 1], { dtype: 'float64' }).add(half)), [2 ** 63, 2 ** 63]);
    assert.deepEqual(flat(stria.full([1], half, { dtype: 'float32' })), [2 ** 63]);
    assert.deepEqual(flat(tensor([1.5]).mul(half)), [1.5 * 2 ** 63]);
    assert.deepEqual(flat(tensor([0, 1], { dtype: 'uint8' }).add(top)), [255, 0]); // wraps, as 300 does
    assert.equal(tensor([true]).add(half).dtype, 'uint64');
    for (const sum of [stria.add(half, 1), stria.add(1, half)])
      assert.deepEqual([sum.dtype, sum.toArray()], ['uint64', half + 1n]);
  });
});

test('ranges of bigints are exact', () => {
  scope(() => {
    const start = 2n ** 53n;
    assert.deepEqual(flat(stria.arange(start, start + 3n, { dtype: 'int64' })), [
      start,
      start + 1n,
      start + 2n,
    ]);
    assert.deepEqual(flat(stria.arange(3n, { dtype: 'int64' })), [0n, 1n, 2n]);
    assert.deepEqual(flat(stria.arange(5, -2n, -3, { dtype: 'int64' })), [5n, 2n, -1n]);
    assert.deepEqual(flat(stria.arange(0n, 7n, 3n, { dtype: 'uint64' })), [0n, 3n, 6n]);
    assert.deepEqual(flat(stria.arange(top - 2n, top, { dtype: 'uint64' })), [top - 2n, top - 1n]);
    assert.deepEqual(stria.arange(3n, 3n, { dtype: 'int64' }).shape, [0]);
  });
});
