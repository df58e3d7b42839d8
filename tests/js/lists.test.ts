// Functions that make lists of tensors: numbers and lists of them, options, long lists, types, memory.
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  broadcastTensors,
  chunk,
  dsplit,
  hsplit,
  memory,
  meshgrid,
  scope,
  split,
  tensor,
  tensorSplit,
  unbind,
  vsplit,
  zeros,
  type Tensor,
} from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

const arrays = (list: readonly Tensor[]): unknown[] => list.map((x) => x.toArray());
const shapes = (list: readonly Tensor[]): unknown[] => list.map((x) => x.shape);

test('split, chunk, tensorSplit: a number or a list, by place, by name, as methods', () => {
  scope(() => {
    const x = tensor([0, 1, 2, 3, 4, 5, 6], { dtype: 'int32' });
    const parts: Tensor<'int32'>[] = split(x, 3);
    assert.ok(Array.isArray(parts));
    assert.deepEqual(arrays(parts), [[0, 1, 2], [3, 4, 5], [6]]);
    assert.deepEqual(arrays(x.split([1, 0, 6])), [[0], [], [1, 2, 3, 4, 5, 6]]);
    assert.deepEqual(arrays(x.split({ splitSize: 4, axis: -1 })), [
      [0, 1, 2, 3],
      [4, 5, 6],
    ]);
    assert.deepEqual(arrays(split(x, { splitSize: new Int32Array([3, 4]) as never })), [
      [0, 1, 2],
      [3, 4, 5, 6],
    ]);
    assert.deepEqual(arrays(chunk(x, 2)), [
      [0, 1, 2, 3],
      [4, 5, 6],
    ]);
    assert.deepEqual(arrays(x.tensorSplit(3)), [
      [0, 1, 2],
      [3, 4],
      [5, 6],
    ]);
    assert.deepEqual(arrays(tensorSplit(x, [-2, 100], { dim: 0 })), [[0, 1, 2, 3, 4], [5, 6], []]);
    assert.deepEqual(arrays(tensorSplit(x, [])), [[0, 1, 2, 3, 4, 5, 6]]);
  });
});

test('parts are views of x', () => {
  scope(() => {
    const x = zeros([2, 4]);
    for (const part of hsplit(x, 2)) part.copy_(1);
    unbind(x, 1)[3].copy_(5);
    vsplit(x, 2)[1].copy_(7);
    assert.deepEqual(x.toArray(), [
      [1, 1, 1, 5],
      [7, 7, 7, 7],
    ]);
    assert.deepEqual(shapes(dsplit(zeros([2, 1, 4]), [1])), [
      [2, 1, 1],
      [2, 1, 3],
    ]);
  });
});

test('meshgrid, broadcastTensors: each of its dtype', () => {
  scope(() => {
    const a = tensor([1, 2, 3]);
    const b = tensor([4, 5], { dtype: 'int32' });
    const [x, y]: [Tensor<'float32'>, Tensor<'int32'>] = meshgrid([a, b]);
    assert.deepEqual(x.toArray(), [
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    assert.deepEqual(y.toArray(), [
      [4, 5],
      [4, 5],
      [4, 5],
    ]);
    assert.deepEqual(shapes(meshgrid([a, b, b], { indexing: 'xy' })), [
      [2, 3, 2],
      [2, 3, 2],
      [2, 3, 2],
    ]);
    const both: [Tensor<'float32'>, Tensor<'int32'>] = broadcastTensors([
      a,
      zeros([2, 1], { dtype: 'int32' }),
    ]);
    assert.deepEqual(shapes(both), [
      [2, 3],
      [2, 3],
    ]);
    assert.deepEqual(broadcastTensors([]), []);
    assert.throws(() => broadcastTensors([a, b]), {
      code: 'ERR_SHAPE',
      op: 'broadcastTensors',
      argument: 'tensors[1]',
    });
    assert.throws(() => meshgrid([a, b], { indexing: 'yx' as never }), {
      code: 'ERR_ARGUMENT',
      argument: 'indexing',
    });
  });
});

test('more parts than the scratch block holds numbers, and none', () => {
  scope(() => {
    const x = tensor(Int32Array.from({ length: 10000 }, (_, k) => k));
    const parts = unbind(x);
    assert.equal(parts.length, 10000);
    assert.ok(parts.every((part, k) => part.ndim === 0 && part.item() === k));
    assert.equal(memory().liveTensors >= 10001, true);
    assert.equal(x.split(1).length, 10000);
    assert.equal(unbind(zeros([4096])).length, 4096);
    assert.deepEqual(unbind(zeros([0, 3])), []);
    assert.throws(() => unbind(zeros([1]).expand(2 ** 40)), {
      code: 'ERR_ARGUMENT',
      op: 'unbind',
      argument: 'dim',
    });
    assert.throws(() => x.split(0), { code: 'ERR_ARGUMENT', op: 'split', argument: 'splitSize' });
    assert.throws(() => x.split([1, -1, 10000]), {
      code: 'ERR_ARGUMENT',
      op: 'split',
      argument: 'splitSize[1]',
    });
    assert.throws(() => x.split([1, 2]), {
      message: 'split: splitSize adds up to 3, but axis 0 has size 10000',
    });
    assert.throws(() => split(x, 3, { out: x } as never), {
      code: 'ERR_ARGUMENT',
      op: 'split',
      argument: 'out',
    });
    const before = memory().liveTensors;
    for (const part of unbind(x)) part.dispose();
    assert.equal(memory().liveTensors, before);
  });
});
