// The threads of Node share the addon, and with it the number of threads: a worker may change it while a call runs.
import test from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { getThreads, kernel, scope, setThreads, tensor, type Tensor } from 'stria';
import { backendName, checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

const ramp = (rows: number, columns: number, period: number): Tensor<'float32'> =>
  scope(() =>
    tensor(Float32Array.from({ length: rows * columns }, (_, k) => ((k * 7) % period) / 4 - 4)).reshape([
      rows,
      columns,
    ]),
  );

const skip = backendName !== 'native' && 'the workers of WebAssembly have an engine each';

test('calls while a worker changes the number of threads', { skip }, async () => {
  const x = ramp(192, 256, 33);
  const y = ramp(256, 192, 31);
  const a = ramp(160, 160, 17);
  const swish = kernel((v) => v.mul(v.mul(1.5).sigmoid()));
  const calls: Record<string, () => Tensor> = {
    add: () => x.add(x),
    addTurned: () => x.add(y.transpose(0, 1)),
    sum: () => x.sum(),
    sumColumns: () => x.sum(0),
    argmax: () => x.argmax(1),
    var: () => x.var(0),
    cumsum: () => x.cumsum(1),
    softmax: () => x.softmax(0),
    matmul: () => a.matmul(a),
    product: () => x.matmul(y),
    to: () => y.transpose(0, 1).to('float64'),
    maskedSelect: () => x.maskedSelect(x.gt(0)),
    kernel: () => swish(y.transpose(0, 1)),
  };
  const bytes = (call: () => Tensor): Uint8Array =>
    scope(() => {
      const data = call().contiguous().dataSync() as Float32Array;
      return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    });

  const before = getThreads();
  setThreads(1);
  const expected = Object.entries(calls).map(([name, call]) => ({ name, call, want: bytes(call) }));
  const stops = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('./threads_change_program.js', import.meta.url), { workerData: stops });
  await once(worker, 'message');
  try {
    for (let round = 0; round < 300; round++)
      for (const { name, call, want } of expected)
        assert.deepEqual(bytes(call), want, `${name}, round ${round}`);
  } finally {
    Atomics.store(stops, 0, 1);
    const [count] = (await once(worker, 'message')) as [number];
    await worker.terminate();
    setThreads(before);
    for (const t of [x, y, a]) t.dispose();
    assert.ok(count > 1000, `the number of threads changed ${count} times only`);
  }
});
