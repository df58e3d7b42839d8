// fromBuffer: tensors over the memory of JavaScript, and what JavaScript may do to that memory meanwhile.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Worker } from 'node:worker_threads';
import * as stria from 'stria';
import { dtypes, fromBuffer, info, memory, tensor, type Tensor } from 'stria';
import { backendName, checkLeaksAtEnd, collect, isSanitized, load } from './support.js';

await load();
checkLeaksAtEnd(true);
const shares = backendName === 'native';

function refused(run: () => unknown, code: string, argument: string, message: string): void {
  const before = memory().liveTensors;
  assert.throws(run, (error) => {
    assert.ok(error instanceof stria.StriaError, String(error));
    assert.deepEqual([error.code, error.argument, error.message], [code, argument, message]);
    return true;
  });
  assert.equal(memory().liveTensors, before, message);
}

/** Takes the memory away from an ArrayBuffer. */
const detach = (buffer: ArrayBuffer): ArrayBuffer => structuredClone(buffer, { transfer: [buffer] });

test('info says whether memory is shared', () => assert.equal(info().sharesBuffers, shares));

test('every dtype of every typed array; what is written is seen', () => {
  for (const [array, dtype] of [
    [new Uint8Array([1, 2, 3, 4]), 'uint8'],
    [new Uint8ClampedArray([1, 2, 3, 4]), 'uint8'],
    [new Int16Array([1, 2, 3, 4]), 'int16'],
    [new Uint32Array([1, 2, 3, 4]), 'uint32'],
    [new Float32Array([1, 2, 3, 4]), 'float32'],
    [new Float64Array([1, 2, 3, 4]), 'float64'],
  ] as const) {
    const x: Tensor = fromBuffer(array as Float32Array, { shape: [2, 2] });
    assert.deepEqual([x.dtype, x.shape, x.toArray()], [dtype, [2, 2], [[1, 2], [3, 4]]]); // prettier-ignore
    array[3] = 9;
    const y = x.at(1, 1);
    assert.equal(y.item(), shares ? 9 : 4);
    x.at(0, 0).fill_(7).dispose();
    assert.equal(array[0], shares ? 7 : 1);
    stria.dispose(x, y);
  }
  for (const { name, size } of dtypes) {
    const buffer = new ArrayBuffer(5 * 16);
    const x = fromBuffer(buffer, { dtype: name, byteOffset: 16, shape: [2, 2] });
    assert.deepEqual([x.dtype, x.numel, x.storageBytes ?? 4 * size], [name, 4, 4 * size]);
    x.dispose();
  }
  const wide = fromBuffer(new BigInt64Array([1n, -2n]));
  assert.deepEqual(wide.toArray(), [1n, -2n]);
  wide.dispose();
});

test('offsets, views, empty and 0-dim tensors', () => {
  const all = new Float32Array([0, 1, 2, 3, 4, 5]);
  const part = all.subarray(2);
  const x = fromBuffer(part, { byteOffset: 4 });
  assert.deepEqual(x.toArray(), [3, 4, 5]);
  const bytes = new DataView(all.buffer, 4, 8);
  const y = fromBuffer(bytes, { dtype: 'float32' });
  assert.deepEqual(y.toArray(), [1, 2]);
  const one = fromBuffer(all, { shape: [], byteOffset: 20 });
  assert.equal(one.item(), 5);
  const none = fromBuffer(all, { shape: [0, 3] });
  assert.deepEqual(none.shape, [0, 3]);
  const nothing = fromBuffer(new ArrayBuffer(0), { dtype: 'int8' });
  assert.equal(nothing.numel, 0);
  stria.dispose(x, y, one, none, nothing);
});

test('what cannot be shared is refused, on every backend', () => {
  const f = new Float32Array(4);
  const run =
    (...args: unknown[]) =>
    () =>
      (fromBuffer as (...args: unknown[]) => Tensor)(...args);
  const size = 'fromBuffer: buffer must be memory of fixed size that no thread shares, got';
  refused(
    run(new SharedArrayBuffer(8), { dtype: 'uint8' }),
    'ERR_ARGUMENT',
    'buffer',
    `${size} a SharedArrayBuffer`,
  );
  refused(
    run(new Uint8Array(new SharedArrayBuffer(8))),
    'ERR_ARGUMENT',
    'buffer',
    `${size} a SharedArrayBuffer`,
  );
  const Resizable = ArrayBuffer as unknown as new (n: number, options: object) => ArrayBuffer;
  const resizable = new Resizable(8, { maxByteLength: 16 });
  if ('resizable' in resizable) {
    refused(run(resizable, { dtype: 'uint8' }), 'ERR_ARGUMENT', 'buffer', `${size} a resizable one`);
    refused(run(new Int8Array(resizable)), 'ERR_ARGUMENT', 'buffer', `${size} a resizable one`);
  }
  refused(
    run(f, { byteOffset: 2 }),
    ...(['ERR_ARGUMENT', 'byteOffset'] as const),
    'fromBuffer: byteOffset must be at a multiple of 4 in the buffer, for float32, got 2',
  );
  refused(
    run(new Uint8Array(16).subarray(1), { dtype: 'float64' }),
    ...(['ERR_ARGUMENT', 'byteOffset'] as const),
    'fromBuffer: byteOffset must be at a multiple of 8 in the buffer, for float64, got 1',
  );
  refused(run(f, { byteOffset: 20 }), 'ERR_ARGUMENT', 'byteOffset', 'fromBuffer: byteOffset must be from 0 to 16, got 20'); // prettier-ignore
  refused(run(f, { byteOffset: -4 }), 'ERR_ARGUMENT', 'byteOffset', 'fromBuffer: byteOffset must be from 0 to 16, got -4'); // prettier-ignore
  refused(run(f, { byteOffset: 0.5 }), 'ERR_ARGUMENT', 'byteOffset', 'fromBuffer: byteOffset must be a whole number, got 0.5'); // prettier-ignore
  refused(run(f, { shape: [5] }), 'ERR_SHAPE', 'shape', 'fromBuffer: shape must be of at most 16 / 4 elements, got [5]'); // prettier-ignore
  refused(run(f, { shape: [2 ** 52] }), 'ERR_SHAPE', 'shape', 'fromBuffer: shape must be of at most 16 / 4 elements, got [4503599627370496]'); // prettier-ignore
  refused(run(new ArrayBuffer(7), { dtype: 'int16' }), 'ERR_SHAPE', 'buffer', 'fromBuffer: buffer must be a multiple of 2 bytes, got 7'); // prettier-ignore
  assert.throws(run(f.buffer), { code: 'ERR_DTYPE', argument: 'dtype' });
  assert.throws(run(f, { shap: [1] }), { code: 'ERR_ARGUMENT', argument: 'shap' });
  assert.throws(run([1, 2], { dtype: 'int8' }), { code: 'ERR_ARGUMENT', argument: 'buffer' });
  const gone = new Uint8Array(8);
  detach(gone.buffer);
  assert.throws(run(gone), { code: 'ERR_ARGUMENT', argument: 'buffer' });
  assert.throws(run(gone.buffer, { dtype: 'int8' }), { code: 'ERR_ARGUMENT', argument: 'buffer' });
});

test('a detached buffer takes its memory along', { skip: !shares && 'a copy' }, () => {
  for (const [name, take] of [
    ['structuredClone', detach],
    ['transfer', (buffer) => (buffer as unknown as { transfer(): ArrayBuffer }).transfer()],
    [
      'postMessage',
      (buffer) => {
        const { port1, port2 } = new MessageChannel();
        port1.postMessage(buffer, [buffer]);
        port1.close();
        port2.close();
        return buffer;
      },
    ],
  ] as [string, (buffer: ArrayBuffer) => ArrayBuffer][]) {
    const array = new Float32Array(1 << 16).fill(2);
    if (name === 'transfer' && !('transfer' in array.buffer)) continue;
    const x = fromBuffer(array, { shape: [256, 256] });
    const view = x.T;
    const other = tensor([1]);
    take(array.buffer);
    (globalThis as { gc?: () => void }).gc!();
    const message = 'shares a buffer that was detached';
    refused(() => x.sum(), 'ERR_DISPOSED', 'x', `sum: x ${message}`);
    refused(() => stria.add(other, x), 'ERR_DISPOSED', 'b', `add: b ${message}`);
    refused(() => other.add_(view), 'ERR_DISPOSED', 'b', `add: b ${message}`);
    for (const run of [
      () => x.dataSync(),
      () => x.toArray(),
      () => x.fill_(1),
      () => view.clone(),
      () => x.borrow(() => undefined),
      () => stria.toNpy(x),
      () => stria.cat([x, x]),
      () => x.at(0),
      () => stria.add(other, other, { out: x }),
      () => other.copy_(x),
      () => stria.saveSafetensors({ x }),
      () => x.view([-1]),
    ])
      assert.throws(run, { code: 'ERR_DISPOSED' }, `${name}: ${run}`);
    stria.dispose(x, view, other);
  }
});

test('what is kept of a detached buffer is not read', { skip: !shares && 'a copy' }, () => {
  const n = 1 << 16;
  // what keeps a tensor beyond its handle: each gives the call that looks at it
  const keepers: Record<string, (f: Tensor<'float32'>) => () => unknown> = {
    'a program that reads it': (f) => {
      const g = stria.compile((x: Tensor) => f.add(x).sum());
      g(tensor(1)).dispose();
      return () => g(tensor(1));
    },
    'a program that reads a view of it': (f) => {
      const part = f.slice(0, 1, null, 2);
      const g = stria.compile((x: Tensor) => part.mul(x));
      g(tensor(1)).dispose();
      return () => g(tensor(1));
    },
    'a program that writes to it': (f) => {
      const g = stria.compile((x: Tensor) => (f.add_(x), x.neg()));
      g(tensor(1)).dispose();
      return () => g(tensor(1));
    },
    'a program that is saved': (f) => {
      const g = stria.compile((x: Tensor) => f.add(x));
      g(tensor(1)).dispose();
      return () => g.save(tensor(1));
    },
    'a program with gradients': (f) => {
      const p = stria.ones(n).requiresGrad_();
      const g = stria.compile((x: Tensor) => {
        p.grad = null;
        const loss = f.mul(p).mul(x).sum();
        loss.backward();
        return loss.detach();
      });
      g(tensor(1)).dispose();
      return () => g(tensor(1));
    },
    'a value that a derivative reads': (f) => {
      const p = stria.ones(n).requiresGrad_();
      const loss = f.mul(p).sum();
      return () => loss.backward();
    },
    'a view that a derivative reads': (f) => {
      const p = stria.ones(n / 2).requiresGrad_();
      const loss = f.slice(0, 0, null, 2).mul(p).sum();
      return () => loss.backward();
    },
    'a value that a derivative reads after a hook': (f) => {
      const p = stria.ones(n).requiresGrad_();
      const y = f.mul(p);
      const loss = y.mul(2).sum();
      const { buffer } = f.borrow((elements) => elements);
      y.registerHook(() => void detach(buffer as ArrayBuffer));
      return () => loss.backward();
    },
    'a gradient that is added to': (f) => {
      const p = stria.ones(n).requiresGrad_();
      p.grad = f;
      const loss = p.mul(2).sum();
      return () => loss.backward();
    },
  };
  for (const [name, keep] of Object.entries(keepers))
    stria.scope(() => {
      const array = new Float32Array(n).fill(2);
      const run = keep(fromBuffer(array));
      if (!name.endsWith('hook')) detach(array.buffer);
      (globalThis as { gc?: () => void }).gc!();
      for (let again = 0; again < 2; again++)
        assert.throws(
          run,
          (error) => {
            assert.ok(error instanceof stria.StriaError, String(error));
            assert.ok(error.code === 'ERR_DISPOSED' || again > 0, `${name}: ${error}`);
            return true;
          },
          name,
        );
    });
});

test('the shape of a shared tensor stays', () => {
  const array = new Float32Array(6);
  const x = fromBuffer(array);
  const y = tensor([1, 2, 3]);
  if (shares) {
    refused(
      () => stria.add(y, y, { out: x }),
      ...(['ERR_ARGUMENT', 'out'] as const),
      'add: out cannot be given another shape while its memory is borrowed',
    );
    stria.mul(y, 2, { out: x.slice({ start: 3 }) }).dispose();
    assert.deepEqual([...array], [0, 0, 0, 2, 4, 6]);
  }
  stria.dispose(x, y);
});

test('borrow of a shared tensor is its buffer', { skip: !shares && 'a copy' }, () => {
  const array = new Float32Array([1, 2, 3, 4]);
  const x = fromBuffer(array, { byteOffset: 4 });
  let kept: Float32Array | undefined;
  x.borrow((elements) => {
    kept = elements as Float32Array;
    assert.equal(kept.buffer, array.buffer);
    kept[0] = 20;
  });
  assert.deepEqual([array[1], kept!.length], [20, 3]);
  const before = memory().liveTensors;
  x.borrow((elements) => {
    detach(array.buffer);
    assert.equal((elements as Float32Array).length, 0);
  });
  assert.throws(() => x.sum(), { code: 'ERR_DISPOSED' });
  assert.equal(memory().liveTensors, before, 'the view of borrow');
  x.dispose();
});

test('a lent array can be shared while it is lent', { skip: !shares && 'a copy' }, () => {
  const x = tensor([1, 2, 3, 4]);
  let y: Tensor | undefined;
  x.borrow((elements) => {
    y = fromBuffer(elements as Float32Array);
    assert.equal(y.at(3).item(), 4);
    assert.throws(() => stria.add(x, y!, { out: y! }).at(9), { code: 'ERR_ARGUMENT' });
  });
  assert.throws(() => y!.sum(), { code: 'ERR_DISPOSED' });
  stria.dispose(x, y);
  return collect(0);
});

test('overlap of two tensors on one buffer is seen', { skip: !shares && 'a copy' }, () => {
  const array = new Float32Array([1, 2, 3, 4]);
  const [x, y] = [fromBuffer(array, { shape: [3] }), fromBuffer(array, { byteOffset: 4 })];
  assert.throws(() => stria.neg(x, { out: y }), { code: 'ERR_OVERLAP' });
  stria.dispose(x, y);
});

test(
  'tensors nobody holds give their buffers up',
  { skip: (!shares || isSanitized) && 'no sharing' },
  async () => {
    const start = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let k = 0; k < 100; k++) {
      fromBuffer(new Float32Array(1 << 23)); // 32 MB each
      await new Promise(setImmediate); // what a job has made lives until it ends
      most = Math.max(most, process.memoryUsage().arrayBuffers - start);
    }
    assert.ok(most < 2.5e9, `${most} bytes of buffers at once`);
    await collect(0);
    const buffers = (): number => process.memoryUsage().arrayBuffers - start;
    for (let k = 0; k < 50 && buffers() > 1e8; k++) await collect(-1);
    assert.ok(buffers() < 1e8, `${buffers()} bytes are left`);
  },
);

test('a worker that ends with shared tensors', { skip: !shares && 'a copy' }, async () => {
  const program = `
    const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(import.meta.resolve('stria'))}).then(async ({ init, fromBuffer }) => {
      await init({ backend: 'native' });
      globalThis.kept = [1, 2, 3].map(() => fromBuffer(new Float32Array(1 << 16)));
      parentPort.postMessage(globalThis.kept[0].sum().item());
    });`;
  for (let k = 0; k < 3; k++) {
    const worker = new Worker(program, { eval: true });
    const sum = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    assert.equal(sum, 0);
    await worker.terminate();
  }
});

test('loadSafetensors without a copy', () => {
  const given = { w: tensor([[1, 2], [3, 4]]), b: tensor([true, false]), i: tensor([5n]) }; // prettier-ignore
  const file = stria.saveSafetensors(given);
  const { tensors } = stria.loadSafetensors(file, { copy: false });
  for (const [name, x] of Object.entries(given)) assert.deepEqual(tensors[name]!.toArray(), x.toArray());
  file.fill(0, file.length - 10);
  assert.deepEqual(tensors.b!.toArray(), shares ? [false, false] : [true, false]);
  const shifted = new Uint8Array(file.length + 1);
  shifted.set(file, 1);
  const again = stria.loadSafetensors(shifted.subarray(1), { copy: false }); // not aligned: copies
  shifted.fill(1);
  assert.deepEqual(again.tensors.i!.toArray(), [5n]);
  stria.dispose(tensors, again.tensors, given);
  assert.throws(() => stria.loadSafetensors(file, { copi: false } as never), { code: 'ERR_ARGUMENT', argument: 'copi' }); // prettier-ignore
});
