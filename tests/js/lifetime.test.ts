// Disposal, scopes, the garbage collector.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { dispose, Generator, memory, scope, tensor, type Tensor } from 'stria';
import { Linear } from 'stria/nn';
import { checkLeaksAtEnd, collect, isSanitized, load } from './support.js';

await load();
checkLeaksAtEnd(true);

const live = (): number => memory().liveTensors;
const skipped = (): string | false =>
  stria.info().backend === 'native' ? false : 'WebAssembly waits for finalizers';
const task = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

test('what is given instead of a function, a tensor or a number is named', () => {
  const given = [
    [undefined, 'undefined'],
    [null, 'null'],
    ['x', '"x"'],
    [[1, 'a'], '[1,"a"]'],
    [{}, 'an object (Object)'],
  ] as const;
  for (const [value, words] of given)
    for (const use of [
      () => scope(value as never),
      () => scope((s) => s.track(value as never)),
      () => stria.setMemoryLimit(value as never),
    ])
      assert.throws(use, (error: Error) => error.message.endsWith(`got ${words}`), words);
});

test('every use after dispose throws', () => {
  const x = tensor([
    [1, 2],
    [3, 4],
  ]);
  const y = tensor([1, 2]);
  x.dispose();
  x.dispose();
  assert.equal(x.isDisposed, true);
  const uses: (() => unknown)[] = [
    () => x.add(1),
    () => x.add(y),
    () => y.add(x),
    () => x.add_(1),
    () => y.add_(x),
    () => stria.add(y, y, { out: x }),
    () => stria.where(x, y, y),
    () => x.sum(),
    () => x.shape,
    () => x.dtype,
    () => x.numel,
    () => x.item(),
    () => x.toArray(),
    () => x.dataSync(),
    () => x.borrow(() => 0),
    () => x.clone(),
    () => x.to('int32'),
    () => x.T,
    () => x.slice(0, 0, 1),
    () => x.view(4),
    () => x.at(0),
    () => x.copy_(y),
    () => y.copy_(x),
    () => stria.toNpy(x),
    () => stria.inspect('add', x, y),
    () => stria.zerosLike(x),
  ];
  for (const use of uses) assert.throws(use, { name: 'DisposedError', code: 'ERR_DISPOSED' }, use.toString());
  y.dispose();
});

test('a stale handle never reaches another tensor', () => {
  const x = tensor([1]);
  const stale = (x as unknown as { _handle: number })._handle;
  x.dispose();
  const others = Array.from({ length: 50 }, (_, k) => tensor([k]));
  const forged = tensor([0]) as unknown as { _handle: number; dispose(): void; dataSync(): unknown };
  const own = forged._handle;
  for (const handle of [stale, 0, -1, NaN, Infinity, 1, 2 ** 31, 2 ** 53, own + 0.25 - 2 ** 22, 1e300]) {
    forged._handle = handle;
    (forged as unknown as { _facts: undefined })._facts = undefined;
    assert.throws(() => forged.dataSync(), { code: 'ERR_DISPOSED' }, String(handle));
  }
  forged._handle = own;
  forged.dispose();
  dispose(others);
});

test('frozen tensors compute, end and have gradients', () => {
  const frozen = <T extends Tensor>(x: T): T => (Object.freeze(x), x);
  const before = live();
  scope(() => checkFrozen(frozen));
  for (let k = 0; k < 1000; k++) frozen(tensor([k])).dispose();
  assert.equal(live(), before);
});

function checkFrozen(frozen: <T extends Tensor>(x: T) => T): void {
  const x = frozen(tensor([[1, 2, 3]]));
  assert.deepEqual(x.shape, [1, 3]);
  assert.deepEqual(x.mul(2).toArray(), [[2, 4, 6]]);
  x.add_(1);
  assert.deepEqual(x.toArray(), [[2, 3, 4]]);
  const empty = frozen(stria.zeros([0]));
  assert.deepEqual(empty.shape, [0]);
  stria.add(x, 1, { out: empty }); // resized
  assert.deepEqual(empty.shape, [1, 3]);
  const known = stria.zeros([0]);
  assert.deepEqual(known.shape, [0]); // asked for before it is frozen
  stria.add(x, 1, { out: frozen(known) });
  assert.deepEqual(known.shape, [1, 3]);
  x.requiresGrad_();
  frozen(x.square().sum()).backward();
  assert.deepEqual(x.grad!.toArray(), [[4, 6, 8]]);
  x.grad = null;
  assert.equal(x.grad, null);
  const y = scope(() => {
    for (let k = 0; k < 10; k++) frozen(tensor([k]));
    return frozen(tensor([7]));
  });
  assert.deepEqual(y.toArray(), [7]);
  for (const each of [x, y, empty, known]) {
    each.dispose();
    assert.throws(() => each.dataSync(), { name: 'DisposedError', code: 'ERR_DISPOSED' });
  }
}

test('views keep memory alive', () => {
  const x = tensor([1, 2, 3]);
  const view = x.slice(0, 1);
  x.dispose();
  assert.deepEqual(view.toArray(), [2, 3]);
  view.dispose();
});

test('scope keeps what is returned', () => {
  const before = live();
  const { a, list } = scope(() => {
    const x = tensor([1, 2]);
    const y = x.add(1).mul(2);
    return { a: y, list: [x.sub(1), 3], map: new Map([['k', 1]]) };
  });
  assert.deepEqual(a.toArray(), [4, 6]);
  assert.deepEqual((list[0] as Tensor).toArray(), [0, 1]);
  assert.equal(live(), before + 2);
  dispose(a, list);
  assert.equal(live(), before);
  assert.equal(
    stria.tidy(() => tensor([1]).item()),
    1,
  );
});

test('scope keeps keys and values of maps, members of sets, at any depth', () => {
  const before = live();
  const kept = scope(() => {
    const [a, b, c, d] = [tensor(1), tensor(2), tensor(3), tensor(4)];
    a.add(b);
    return {
      map: new Map<unknown, unknown>([
        [a, [b]],
        ['k', new Map([[c, 'v']])],
      ]),
      set: new Set([d]),
    };
  });
  assert.equal(live(), before + 4);
  const [[a, [b]], [, inner]] = [...kept.map] as [[Tensor, [Tensor]], [string, Map<Tensor, string>]];
  const tensors = [a, b, ...inner.keys(), ...kept.set];
  assert.deepEqual(
    tensors.map((x) => x.item()),
    [1, 2, 3, 4],
  );
  dispose(tensors);
  assert.equal(live(), before);
});

test('trimMemory gives back what is kept for reuse', () => {
  scope(() => void stria.zeros([1 << 20]).add(1));
  assert.equal(stria.memory().cachedBytes > 0, !isSanitized, 'a block of 4 MB is kept');
  stria.trimMemory();
  assert.equal(stria.memory().cachedBytes, 0);
  assert.equal(
    scope(() =>
      stria
        .ones([1 << 20])
        .sum()
        .item(),
    ),
    1 << 20,
  );
});

test('scopes nest, and give to the outer one', () => {
  const before = live();
  scope(() => {
    const inner = scope(() => tensor([1]).add(1));
    assert.equal(live(), before + 1);
    assert.deepEqual(inner.toArray(), [2]);
  });
  assert.equal(live(), before);
});

test('scope disposes when its function throws', async () => {
  const before = live();
  assert.throws(
    () =>
      scope(() => {
        tensor([1]);
        throw new Error('stop');
      }),
    /stop/,
  );
  assert.equal(live(), before);
  await assert.rejects(
    scope(async () => {
      tensor([1]);
      await task();
      throw new Error('later');
    }),
    /later/,
  );
  assert.equal(live(), before);
});

test('a promise whose then cannot be read leaves no rejection behind', async () => {
  const rejected = Promise.reject(new Error('thrown by the caller'));
  const cause = new Error('no then');
  Object.defineProperty(rejected, 'then', {
    get() {
      throw cause;
    },
  });
  assert.throws(() => scope(() => rejected), {
    code: 'ERR_ARGUMENT',
    op: 'scope',
    argument: 'result',
    message: 'scope: result must be a value whose members can be read, got one that throws',
    cause,
  });
  await new Promise((resolve) => setImmediate(resolve)); // one that nobody handles would fail this test
});

test('an async scope takes its own tensors and no others', async () => {
  const before = live();
  let outside: Tensor | undefined;
  const running = scope(async (s) => {
    const x = tensor([1, 2]);
    await task();
    const y = s.run(() => x.add(1).mul(3));
    const z = s.track(tensor([5]));
    await task();
    return [y, z.item()] as const;
  });
  outside = tensor([9]);
  const [y, five] = await running;
  assert.equal(five, 5);
  assert.deepEqual(y.toArray(), [6, 9]);
  assert.deepEqual(outside.toArray(), [9]);
  assert.equal(live(), before + 2);
  dispose(y, outside);
});

test('using ends a tensor at the end of the block', () => {
  const before = live();
  {
    using x = tensor([1]);
    using y = x.add(1);
    assert.equal(y.item(), 2);
  }
  assert.equal(live(), before);
});

test('one million disposed temporaries in one turn leave nothing', () => {
  const before = live();
  const a = tensor([1, 2, 3]);
  for (let k = 0; k < 1_000_000; k++) a.add(a).dispose();
  a.dispose();
  assert.equal(live(), before);
});

test('the collector ends what nobody holds', async () => {
  const before = live();
  for (let k = 0; k < 1000; k++) tensor([k]);
  assert.ok(live() >= before + 1000);
  await collect(before);
  assert.equal(live(), before);
});

test('temporaries of one synchronous loop do not pile up in the addon', { skip: skipped() }, async () => {
  const before = live();
  const x = stria.ones([1000]);
  const kept: Tensor[] = [];
  let most = 0;
  for (let k = 0; k < 300_000; k++) {
    const y = x.add(k);
    if (k % 100 === 0) kept.push(y);
    if (k % 1000 === 0) {
      kept[kept.length >> 1]!.dispose();
      most = Math.max(most, memory().liveBytes);
    }
  }
  assert.ok(most < 4e8, `${most} bytes at the most, of 1.2e9 made`);
  for (const [k, y] of kept.entries())
    if (!y.isDisposed) assert.equal(y.at(-1).item(), 100 * k + 1, 'what is reachable stays');
  dispose(x, kept);
  await collect(before);
  assert.equal(live(), before);
});

test(
  'large temporaries of one synchronous loop do not pile up in the addon',
  { skip: skipped() },
  async () => {
    const before = live();
    // views of one element, as large as they may be: what they seem to hold is no memory
    const views = Array.from({ length: 83 }, () => stria.ones([1]).expand(2 ** 26, 2 ** 26));
    await task();
    const x = stria.ones([1 << 22]);
    let most = 0;
    for (let k = 0; k < 200; k++) {
      x.add(k);
      most = Math.max(most, memory().liveBytes);
    }
    assert.ok(most < 1e9, `${most} bytes at the most, of 3.3e9 made`);
    for (let k = 0; k < 15; k++) {
      stria.empty([1 << 26]);
      most = Math.max(most, memory().liveBytes);
    }
    assert.ok(most < 2e9, `${most} bytes at the most, of 4e9 not even touched`);
    dispose(x, views);
    await collect(before);
    assert.equal(live(), before);
  },
);

test('large temporaries in an async loop do not pile up', async () => {
  const x = stria.ones([1 << 20]);
  let most = 0;
  for (let k = 0; k < 600; k++) {
    const y = x.add(k);
    if (k % 10 === 0) await y.at(0).data();
    most = Math.max(most, memory().liveBytes);
  }
  x.dispose();
  assert.ok(most < 1.5e9, `${most} bytes at the most, of 2.5e9 made`);
});

test('out= and in-place keep one tensor', () => {
  const before = live();
  scope(() => {
    const x = tensor([1, 2]);
    const out = stria.empty([2]);
    assert.equal(stria.add(x, 1, { out }), out);
    assert.equal(stria.add(x, x, { out }), out);
    assert.equal(x.add_(1), x);
    assert.equal(live(), before + 2);
    stria.add(stria.ones([3, 2]), 1, { out });
    assert.deepEqual(out.shape, [3, 2]);
    assert.deepEqual(out.toArray(), [
      [2, 2],
      [2, 2],
      [2, 2],
    ]);
  });
});

test('tensors and generators cannot be cloned, and engines say what to send instead', () => {
  const x = tensor([1, 2]);
  const words = /send the data\(\) and shape of a tensor.*could not be cloned/;
  for (const value of [x, { weight: x }, [new Generator(1)], new Linear(1, 1)])
    assert.throws(
      () => structuredClone(value),
      (error: Error) => error.name === 'DataCloneError' && words.test(error.message),
    );
  const { port1, port2 } = new MessageChannel();
  assert.throws(() => port1.postMessage(x), words);
  port1.close();
  port2.close();
  dispose(x);
});
