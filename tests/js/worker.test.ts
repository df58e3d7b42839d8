// Worker threads: each has the engine to itself.
import test from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import {
  checkpoint,
  defaultGenerator,
  dropout,
  Generator,
  info,
  manualSeed,
  memory,
  ones,
  rand,
  tensor,
  type Tensor,
} from 'stria';
import { load } from './support.js';

await load();

interface Report {
  backend: string;
  variant: string | null;
  total: number;
  left: number;
  live: number;
}

async function run(): Promise<Report> {
  const worker = new Worker(new URL('./worker_program.js', import.meta.url));
  const [report] = (await once(worker, 'message')) as [Report];
  await worker.terminate();
  return report;
}

test('each worker has a default generator of its own', async () => {
  manualSeed(9);
  const x = ones([64], { requiresGrad: true });
  const masks: unknown[] = [];
  const y = checkpoint((a: Tensor) => {
    const z = dropout(a, 0.5, true);
    masks.push(z.detach().toArray());
    return z;
  }, x);
  const state = defaultGenerator().getState();
  const worker = new Worker(new URL('./worker_random_program.js', import.meta.url));
  const [report] = (await once(worker, 'message')) as [{ first: unknown; state: unknown }];
  assert.deepEqual(report.first, rand([3], { generator: new Generator(0) }).toArray());
  assert.deepEqual(report.state, { seed: 0n, offset: 1n });
  assert.deepEqual(defaultGenerator().getState(), state);
  y.sum().backward();
  assert.deepEqual(masks[1], masks[0]);
  worker.postMessage('stop');
  await once(worker, 'exit');
});

for (const where of ['hook', 'checkpoint'])
  test(`a worker that is ended in the middle of a walk, in a ${where}, leaves nothing`, async () => {
    const before = memory().liveTensors;
    for (let k = 0; k < 3; k++) {
      const worker = new Worker(new URL('./worker_stopped_program.js', import.meta.url), {
        workerData: where,
      });
      await once(worker, 'message');
      await worker.terminate();
    }
    assert.ok(memory().liveTensors <= before); // fewer where the collector came by
  });

test('workers and the main thread do not disturb one another', async () => {
  const x = tensor([5, 6, 7]);
  const before = memory().liveTensors;
  const reports = await Promise.all([run(), run(), run()]);
  for (const { backend, variant, total, left } of reports) {
    assert.equal(backend, info().backend);
    assert.equal(variant, info().variant);
    assert.deepEqual([total, left], [20, 3]);
  }
  assert.deepEqual(x.toArray(), [5, 6, 7]);
  assert.ok(memory().liveTensors <= before, 'what a worker held went with it');
  x.dispose();
});
