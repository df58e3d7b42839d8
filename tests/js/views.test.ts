// Views beside those of tensor.ts: arguments by place, as a list or one by one, by name; what they share; errors.
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  asStrided,
  atleast1d,
  atleast2d,
  atleast3d,
  arange,
  broadcastTo,
  moveaxis,
  movedim,
  narrow,
  ravel,
  scope,
  swapaxes,
  tensor,
  unflatten,
  unfold,
  zeros,
  type Tensor,
} from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

test('asStrided, unfold: windows', () => {
  scope(() => {
    const x = arange(0, 8);
    assert.deepEqual(asStrided(x, [2, 3], [3, 1]).toArray(), [
      [0, 1, 2],
      [3, 4, 5],
    ]);
    assert.deepEqual(x.slice(0, 4).asStrided([2], [-1], 3).toArray(), [3, 2]);
    assert.deepEqual(x.asStrided({ size: [2], stride: [4], storageOffset: 1 }).toArray(), [1, 5]);
    assert.deepEqual(x.slice(0, 4).asStrided(2, 1).toArray(), [4, 5]);
    assert.throws(() => x.asStrided([9], [1]), { code: 'ERR_ARGUMENT', op: 'asStrided', argument: 'size' });
    assert.throws(() => x.asStrided([2], [1], -1), { code: 'ERR_ARGUMENT', argument: 'storageOffset' });
    assert.throws(() => x.asStrided([2, 2], [1]), { code: 'ERR_ARGUMENT', argument: 'stride' });
    const windows: Tensor<'float32'> = unfold(x, 0, 3, 2);
    assert.deepEqual(windows.toArray(), [
      [0, 1, 2],
      [2, 3, 4],
      [4, 5, 6],
    ]);
    x.unfold(0, 2, 7).copy_(9);
    assert.deepEqual(x.toArray(), [9, 9, 2, 3, 4, 5, 6, 7]);
    assert.throws(() => x.unfold(0, 9, 1), { code: 'ERR_ARGUMENT', op: 'unfold', argument: 'size' });
  });
});

test('movedim, moveaxis, swapaxes, t, mT', () => {
  scope(() => {
    const x = zeros([2, 3, 4]);
    assert.deepEqual(movedim(x, 0, 2).shape, [3, 4, 2]);
    assert.deepEqual(x.movedim([0, 1], [-1, 0]).shape, [3, 4, 2]);
    assert.deepEqual(x.movedim([0, 1], -1, 0).shape, [3, 4, 2]);
    assert.deepEqual(moveaxis(x, { source: 2, destination: 0 }).shape, [4, 2, 3]);
    assert.deepEqual(swapaxes(x, 0, -1).shape, [4, 3, 2]);
    assert.deepEqual(x.swapdims({ dim0: 1, dim1: 2 }).shape, [2, 4, 3]);
    assert.deepEqual(x.mT.shape, [2, 4, 3]);
    assert.deepEqual(zeros([2, 3]).t().shape, [3, 2]);
    assert.throws(() => zeros([2]).mT, { code: 'ERR_SHAPE', op: 'mT', argument: 'x' });
    assert.throws(() => x.t(), { code: 'ERR_SHAPE', op: 't', argument: 'x' });
    assert.throws(() => x.movedim([0, 1], [0]), {
      code: 'ERR_ARGUMENT',
      op: 'movedim',
      argument: 'destination',
    });
  });
});

test('narrow, ravel, unflatten, broadcastTo, atleast', () => {
  scope(() => {
    const x = tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    assert.deepEqual(narrow(x, 1, -2, 2).toArray(), [
      [2, 3],
      [5, 6],
    ]);
    assert.deepEqual(x.narrow({ axis: 0, start: 1, length: 1 }).toArray(), [[4, 5, 6]]);
    assert.throws(() => x.narrow(1, 2, 2), { code: 'ERR_ARGUMENT', op: 'narrow', argument: 'length' });
    assert.throws(() => x.narrow(1, 4, 0), { code: 'ERR_ARGUMENT', op: 'narrow', argument: 'start' });
    assert.deepEqual(ravel(x.T).toArray(), [1, 4, 2, 5, 3, 6]);
    assert.deepEqual(unflatten(x, 1, [1, -1]).shape, [2, 1, 3]);
    assert.deepEqual(x.unflatten(1, 3, 1).shape, [2, 3, 1]);
    assert.deepEqual(broadcastTo(x, 2, 2, 3).shape, [2, 2, 3]);
    assert.deepEqual(x.broadcastTo([2, 2, 3]).shape, [2, 2, 3]);
    assert.deepEqual(
      [atleast1d(tensor(1)), atleast2d(tensor([1, 2])), atleast3d(x)].map((y) => y.shape),
      [[1], [1, 2], [2, 3, 1]],
    );
  });
});

test('iteration gives the parts along the first axis', () => {
  scope(() => {
    const x = arange(0, 6).reshape(3, 2);
    const rows: unknown[] = [];
    for (const row of x) {
      rows.push(row.toArray());
      row.mul_(10); // a view
    }
    assert.deepEqual(rows, [
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    assert.equal(x.sum().item(), 150);
    const [first, ...rest] = x.t();
    assert.deepEqual(first!.toArray(), [0, 20, 40]);
    assert.equal(rest.length, 1);
    assert.deepEqual([...zeros([0, 3])], []);
    assert.throws(() => tensor(1)[Symbol.iterator](), {
      code: 'ERR_SHAPE',
      op: 'iterator',
      message: /1 dim or more, got a 0-dim tensor/,
    });
    const gone = zeros([2]);
    const each = gone[Symbol.iterator]();
    each.next();
    gone.dispose();
    assert.throws(() => each.next(), { code: 'ERR_DISPOSED' });
  });
});
