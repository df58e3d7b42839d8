// borrow(): the memory of a tensor inside a callback, and what becomes of it there and afterwards.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { memory, scope, tensor, type Tensor } from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

const { variant } = await load();
checkLeaksAtEnd();

/** Where threads share the memory of the module, the callback gets a copy. */
const isCopy = variant !== null && variant !== 'simd';
const live = (): number[] => [memory().liveTensors, memory().liveStorages];

test('writing to borrowed elements changes the tensor', () => {
  scope(() => {
    const x = tensor([1, 2, 3]);
    const sum = x.borrow((elements) => {
      elements[1] = 20;
      return elements.reduce((total, value) => total + value);
    });
    assert.equal(sum, 24);
    assert.deepEqual(x.toArray(), [1, 20, 3]);
  });
});

test('to borrow for reading is no new version for gradients', () => {
  scope(() => {
    const x = tensor([1, 2, 3]).requiresGrad_();
    for (const readOnly of [true, false]) {
      const y = x.exp();
      const before = y.detach().toArray();
      assert.equal(
        y.detach().borrow((elements) => elements.length, { readOnly }),
        3,
      );
      if (readOnly) y.sum().backward();
      else assert.throws(() => y.sum().backward(), /exp needs its .* changed in place/);
      assert.deepEqual(x.grad!.toArray(), before);
    }
    const z = x.mul(x);
    z.detach().borrow(() => z.detach().borrow(() => 0, { readOnly: true }), { readOnly: true });
    z.sum().backward();
    const options = { readOnly: 1 } as never;
    assert.throws(() => x.borrow(() => 0, options), /borrow: readOnly must be true or false, got 1/);
    assert.throws(
      () => x.borrow(() => 0, { readonly: true } as never),
      /'readonly' \(did you mean 'readOnly'/,
    );
  });
});

test('the array is empty after the callback, however that ends', () => {
  scope(() => {
    const x = tensor([1, 2, 3]);
    let kept: Float32Array | undefined;
    assert.equal(
      x.borrow((elements) => ((kept = elements), 'result')),
      'result',
    );
    assert.throws(
      () =>
        x.borrow((elements) => {
          kept = elements;
          throw new Error('stop');
        }),
      /^Error: stop$/,
    );
    if (isCopy) assert.equal(kept!.buffer.byteLength, 12, 'a copy of these elements alone');
    else assert.equal(kept!.length, 0);
  });
});

test('what a view kept from a callback shows is never another tensor', () => {
  scope(() => {
    const kept: Float32Array[] = [];
    for (let k = 0; k < 50; k++) {
      const x = stria.full([1000], k, { dtype: 'float32' });
      x.borrow((elements) => void kept.push(elements));
      x.dispose();
    }
    const secret = Array.from({ length: 50 }, () => stria.full([1000], 7777));
    for (const [k, view] of kept.entries()) {
      assert.ok(view.length === 0 || view[0] === k);
      if (view.length > 0) view.fill(-1);
    }
    for (const x of secret) assert.equal(x.at(0).item(), 7777);
  });
});

test('in an async callback the array is there until the first await', async () => {
  const x = tensor([1, 2, 3]);
  const before = await x.borrow(async (elements) => {
    const first = elements[0];
    await Promise.resolve();
    if (!isCopy) assert.equal(elements.length, 0);
    return first;
  });
  assert.equal(before, 1);
  x.dispose();
});

test('the memory stays inside the callback when the tensor is disposed of', () => {
  const before = live();
  const x = tensor([1, 2, 3]);
  x.borrow((elements) => {
    x.dispose();
    const others = Array.from({ length: 100 }, () => tensor([9, 9, 9]));
    assert.deepEqual(Array.from(elements), [1, 2, 3]);
    elements.fill(5);
    for (const other of others) assert.deepEqual(other.toArray(), [9, 9, 9]);
    stria.dispose(others);
  });
  assert.deepEqual(live(), before, 'and goes afterwards');
});

test('an operation that would resize borrowed memory is refused', () => {
  scope(() => {
    const x = tensor([1, 2, 3]);
    const y = x.view(3, 1);
    const big = stria.ones([1000]);
    const mask = big.gt(0);
    x.borrow((elements) => {
      const resizes: [string, () => Tensor][] = [
        ['add', () => stria.add(big, 1, { out: x })],
        ['add', () => stria.add(big, 1, { out: y })],
        ['add', () => stria.add(big, big, { out: x })],
        ['add', () => stria.add(tensor([1]), 1, { out: x })],
        ['sum', () => stria.sum(stria.ones([2, 50]), 0, { out: x })],
        ['cumsum', () => stria.cumsum(big, 0, { out: x })],
        ['matmul', () => stria.matmul(stria.ones([2, 3]), stria.ones([3, 2]), { out: x })],
        ['maskedSelect', () => stria.maskedSelect(big, mask, { out: x })],
        ['kernel', () => stria.kernel((a) => a.neg().abs())(big, { out: x })],
      ];
      for (const [op, run] of resizes)
        assert.throws(run, { code: 'ERR_ARGUMENT', op, argument: 'out', message: /memory is borrowed/ }, op);
      assert.deepEqual(Array.from(elements), [1, 2, 3]);
      stria.add(tensor([1, 1, 1]), 1, { out: x }); // the same shape: no other memory
      if (!isCopy) assert.deepEqual(Array.from(elements), [2, 2, 2]);
    });
    assert.deepEqual(stria.add(big, 1, { out: x }).shape, [1000]);
    assert.deepEqual(y.shape, [3, 1]);
  });
});

test('callbacks nest, on one tensor too', () => {
  const before = live();
  scope(() => {
    const [x, y] = [tensor([1, 2, 3]), tensor([4, 5, 6])];
    x.borrow((a) => {
      y.borrow((b) => {
        x.borrow((c) => assert.deepEqual(Array.from(c), [1, 2, 3]));
        b.set(a);
        y.dispose();
      });
      const other = stria.full([3], 8);
      assert.equal(a.length, 3, 'the outer array outlives the inner callback');
      a[0] = 10;
      assert.deepEqual(other.toArray(), [8, 8, 8]);
    });
    assert.deepEqual(x.toArray(), [10, 2, 3]);
  });
  assert.deepEqual(live(), before);
});

test('operations inside a callback work, memory that grows included', () => {
  scope(() => {
    const x = tensor([1, 2, 3]);
    x.borrow((elements) => {
      elements[0] = 5;
      const big = stria.ones([1 << 24]);
      assert.equal(big.sum().item(), 1 << 24);
      assert.ok(elements.length === 3 || elements.length === 0);
    });
    assert.deepEqual(x.toArray(), [5, 2, 3]);
    assert.equal(
      x
        .add(stria.ones([3]))
        .sum()
        .item(),
      13,
    );
  });
});

test('memory moved out of the callback stays alive', () => {
  type Movable = ArrayBuffer & { transfer?: () => ArrayBuffer };
  const x = stria.full([1000], 3);
  let moved: ArrayBuffer | undefined;
  x.borrow((elements) => {
    try {
      moved = (elements.buffer as Movable).transfer?.();
    } catch {
      // the memory of a module cannot be moved
    }
  });
  x.dispose();
  const others = Array.from({ length: 20 }, () => stria.full([1000], 4));
  if (moved) assert.ok(new Float32Array(moved).every((value) => value === 3));
  stria.dispose(others);
});

// A borrowed array of a module becomes empty when memory grows; what makes a tensor of it reads it before.
test('tensors from borrowed arrays, however much memory they take', () => {
  scope(() => {
    const x = stria.full([1 << 22], 7);
    for (let k = 0; k < 4; k++) {
      const y = x.borrow((elements) => tensor(elements, { shape: [1 << 11, 1 << 11] }));
      assert.equal(y.amin().item(), 7);
    }
    const file = tensor(stria.toNpy(x));
    for (let k = 0; k < 4; k++)
      assert.equal(
        file
          .borrow((bytes) => stria.fromNpy(bytes))
          .amin()
          .item(),
        7,
      );
  });
});

test('what is refused', () => {
  scope(() => {
    const x = tensor([[1, 2], [3, 4]]); // prettier-ignore
    assert.throws(() => x.T.borrow(() => 0), { code: 'ERR_ARGUMENT', op: 'borrow', argument: 'x' });
    assert.throws(() => x.borrow(3 as never), { code: 'ERR_ARGUMENT', op: 'borrow', argument: 'body' });
    x.dispose();
    assert.throws(() => x.borrow(() => 0), { code: 'ERR_DISPOSED', op: 'borrow', argument: 'x' });
  });
});
