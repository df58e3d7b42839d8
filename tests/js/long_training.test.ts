// A training of many steps holds as much memory after the last one as after a fourth of them: tensors and their bytes, what JavaScript keeps for
// them, and what the process has. 4,000 steps; 100,000 in `make test-all`.
import test from 'node:test';
import assert from 'node:assert/strict';
import { compile, manualSeed, memory, mseLoss, randn, scope, type Tensor } from 'stria';
import * as nn from 'stria/nn';
import * as optim from 'stria/optim';
import { checkLeaksAtEnd, isSanitized, load } from './support.js';

await load();
checkLeaksAtEnd(true);

const steps = process.env.STRIA_FULL ? 100_000 : isSanitized ? 1600 : 4000;
// Bytes that the engine takes on its own account: code, tables of its own; where it collects, larger spaces for what is young.
const mostHeapGrowth = 1e6;
const mostGrowth = 24e6;
const mostGrowthOfCollector = 64e6;
// AddressSanitizer keeps what is released, of this process as a whole, so that nobody gets it again soon.
const quarantine = isSanitized ? 256 * 2 ** 20 : 0;

interface Usage {
  tensors: number[];
  heap: number;
  process: number;
}

const task = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** After the collector has run, more than once: what it finds in one run it may end in the next one. */
async function usage(): Promise<Usage> {
  for (let k = 0; k < 4; k++) {
    await task();
    (globalThis as { gc?: () => void }).gc!();
  }
  const { liveBytes, liveTensors, liveStorages } = memory();
  const { heapUsed, rss } = process.memoryUsage();
  return { tensors: [liveBytes, liveTensors, liveStorages], heap: heapUsed, process: rss };
}

/** A network, its optimiser, and what computes the loss of a step after it was made. */
function newTraining(): { step: (x: Tensor, y: Tensor) => Tensor; end: () => void } {
  manualSeed(3);
  const model = new nn.Sequential(
    new nn.Linear(3, 8),
    new nn.Tanh(),
    new nn.Dropout(0.1),
    new nn.Linear(8, 2),
  );
  const optimizer = new optim.Adam(model.parameters(), { lr: 0.01 });
  const step = (x: Tensor, y: Tensor): Tensor => {
    optimizer.zeroGrad();
    const loss = mseLoss(model.forward(x), y);
    loss.backward();
    optimizer.step();
    return loss.detach();
  };
  return { step, end: () => model.zeroGrad() };
}

/** Makes n steps; `run` makes number k, and may take its time. */
async function checkFlat(
  name: string,
  n: number,
  run: (k: number) => number | Promise<number>,
  mostBytes = mostGrowth,
): Promise<void> {
  let early: Usage | undefined;
  let most = 0;
  let [first, last] = [0, 0];
  for (let k = 1; k <= n; k++) {
    const made = run(k);
    last = typeof made === 'number' ? made : await made;
    if (k === 1) first = last;
    if (k % 10 === 0) most = Math.max(most, memory().liveBytes);
    if (k === n / 4) early = await usage();
  }
  const late = await usage();
  assert.deepEqual(late.tensors, early!.tensors, `${name}: bytes, tensors, storages`);
  assert.ok(
    late.heap - early!.heap < mostHeapGrowth,
    `${name}: ${late.heap - early!.heap} bytes of JavaScript more`,
  );
  // where the collector came late, the memory of WebAssembly stays as large as what was there then
  assert.ok(
    late.process - early!.process < mostBytes + most + quarantine,
    `${name}: ${late.process - early!.process} bytes more`,
  );
  assert.ok(most < mostBytes, `${name}: ${most} bytes of tensors at a time`);
  assert.ok(last < 0.8 * first, `${name}: the loss was ${first}, and is ${last}: nothing was learnt`);
}

async function withTraining(
  body: (step: (x: Tensor, y: Tensor) => Tensor, x: Tensor, y: Tensor) => Promise<void>,
): Promise<void> {
  await scope(async (s) => {
    const { step, end } = s.run(newTraining);
    const x = s.run(() => randn([16, 3]));
    const y = s.run(() => x.slice(1, 0, 2).sin());
    await body(step, x, y);
    end();
  });
}

test('eager steps in scopes', () =>
  withTraining((step, x, y) => checkFlat('scopes', steps, () => scope(() => step(x, y).item() as number))));

test('eager steps, each tensor left to the collector', () =>
  withTraining((step, x, y) =>
    checkFlat(
      'no scopes',
      steps / 2,
      (k) => {
        const loss = step(x, y).item() as number;
        return k % 100 === 0 ? task().then(() => loss) : loss; // finalizers run between tasks
      },
      mostGrowthOfCollector,
    ),
  ));

test('compiled steps', () =>
  withTraining(async (step, x, y) => {
    const program = compile(step);
    await checkFlat('compiled', steps, () => {
      const loss = program(x, y);
      const value = loss.item() as number;
      loss.dispose();
      return value;
    });
    assert.equal(program.stats().misses, 1, 'recordings');
    program.dispose();
  }));

test('compiled steps of many shapes: recordings come and go', () =>
  withTraining(async (step, x, y) => {
    const program = compile(step, { cacheSize: 2 });
    await checkFlat('recordings', steps / 5, (k) =>
      scope(() => {
        const n = k % 20 === 0 ? 10 + ((k / 20) % 3) : 16;
        return program(x.slice(0, 0, n), y.slice(0, 0, n)).item() as number;
      }),
    );
    assert.ok(program.stats().misses > steps / 150, `${program.stats().misses} recordings`);
    program.dispose();
  }));
