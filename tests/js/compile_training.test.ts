// compile(): whole training steps have the bits of eager ones, and what changes between them is seen.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Worker } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import {
  compile,
  crossEntropy,
  manualSeed,
  mseLoss,
  noGrad,
  rand,
  randn,
  scope,
  tensor,
  type Tensor,
} from 'stria';
import * as nn from 'stria/nn';
import * as optim from 'stria/optim';
import { backendName, checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd(true); // what optimisers and recordings keep belongs to no scope

type Make = (params: Tensor[]) => optim.Optimizer;
const optimizers: Record<string, Make> = {
  SGD: (params) => new optim.SGD(params, { lr: 0.05 }),
  'SGD with momentum': (params) => new optim.SGD(params, { lr: 0.05, momentum: 0.9, nesterov: true }),
  Adam: (params) => new optim.Adam(params, { amsgrad: true }),
  AdamW: (params) => new optim.AdamW(params),
  RMSprop: (params) => new optim.RMSprop(params, { momentum: 0.5, centered: true }),
  Adagrad: (params) => new optim.Adagrad(params, { lrDecay: 0.1 }),
};

const newModel = (): nn.Sequential =>
  new nn.Sequential(
    new nn.Linear(4, 8),
    new nn.LayerNorm(8),
    new nn.GELU(),
    new nn.Dropout(0.2),
    new nn.Linear(8, 2),
  );

interface Training {
  losses: unknown[];
  state: unknown;
  misses: number;
}

/** Steps of a network; `change` may do anything between two of them. */
function train(
  isCompiled: boolean,
  make: Make,
  steps: number,
  change: (k: number, model: nn.Sequential, optimizer: optim.Optimizer) => void = () => undefined,
): Training {
  return scope(() => {
    manualSeed(7);
    const model = newModel();
    const optimizer = make(model.parameters());
    const body = (x: Tensor, y: Tensor): Tensor => {
      optimizer.zeroGrad();
      const loss = mseLoss(model.forward(x), y);
      loss.backward();
      optim.clipGradNorm(model.parameters(), 0.5);
      optimizer.step();
      return loss;
    };
    const program = compile(body);
    const step = isCompiled ? program : body;
    const losses: unknown[] = [];
    for (let k = 0; k < steps; k++) {
      scope(() => losses.push(step(randn([16, 4]), randn([16, 2])).item()));
      change(k, model, optimizer);
    }
    const { misses } = program.stats();
    program.dispose();
    const state = {
      params: model.parameters().map((x) => x.dataSync()),
      grads: model.parameters().map((x) => x.grad?.dataSync()),
      steps: [...optimizer.state.values()].map((one) => one.step),
      kept: [...optimizer.state.values()].map(({ tensors }) =>
        Object.fromEntries(Object.entries(tensors).map(([name, x]) => [name, x.dataSync()])),
      ),
    };
    return { losses, state, misses };
  });
}

function same(make: Make, steps: number, misses: number, change?: Parameters<typeof train>[3]): void {
  const eager = train(false, make, steps, change);
  const compiled = train(true, make, steps, change);
  assert.deepEqual(compiled.losses, eager.losses);
  assert.deepEqual(compiled.state, eager.state);
  assert.equal(compiled.misses, misses, 'recordings');
}

for (const [name, make] of Object.entries(optimizers))
  test(`${name}: 100 steps with dropout, clipping and a schedule`, () => {
    const schedules = new WeakMap<optim.Optimizer, optim.StepLR>();
    same(make, 100, 1, (_k, _model, optimizer) => {
      if (!schedules.has(optimizer)) schedules.set(optimizer, new optim.StepLR(optimizer, 7, 0.9));
      schedules.get(optimizer)!.step();
    });
  });

test('what else a step looks at is recorded again when it changes', () => {
  const { Adam } = optimizers;
  same(Adam!, 8, 2, (k, model) => k === 3 && model.eval());
  same(Adam!, 12, 2, (k, model) => k % 4 === 3 && model.train(!model.training));
  same(Adam!, 8, 2, (k, _, optimizer) => k === 3 && (optimizer.paramGroups[0]!.weightDecay = 0.1));
  same(Adam!, 8, 2, (k, model) => k === 3 && model.parameters()[0]!.requiresGrad_(false));
  same(Adam!, 8, 2, (k, _, optimizer) => k === 3 && optimizer.loadStateDict(optimizer.stateDict()));
  // the new bias is none of the optimiser's, so that its gradients add up: another program once there are some
  same(Adam!, 8, 3, (k, model, optimizer) => {
    if (k === 3) optimizer.step(); // eager in between: the numbers of all steps go on
    if (k === 3) (model.at(0) as nn.Linear).bias = new nn.Parameter(tensor(Array<number>(8).fill(0.5)));
  });
  same(Adam!, 6, 1, (k, model) => k === 3 && model.zeroGrad());
  same(Adam!, 6, 1, (k, model) => k === 3 && noGrad(() => model.parameters()[0]!.mul_(0.5)));
  same(Adam!, 6, 1, (k, model) => k === 3 && model.loadStateDict(model.stateDict()));
});

test('gradients that add up, cleared outside and at the end of fn', () => {
  const run = (isCompiled: boolean): unknown =>
    scope(() => {
      manualSeed(3);
      const layer = new nn.Linear(3, 2);
      const body = (x: Tensor): void => layer.forward(x).square().sum().backward();
      const both = (x: Tensor): Tensor => {
        const loss = layer.forward(x).sum();
        loss.backward();
        const norm = layer.weight.grad!.norm();
        layer.zeroGrad();
        return norm;
      };
      const programs = [compile(body), compile(both)] as const;
      const [add, clear] = isCompiled ? programs : [body, both];
      const seen: unknown[] = [];
      for (let k = 0; k < 9; k++) {
        add(rand([4, 3]));
        seen.push(layer.weight.grad!.toArray());
        if (k % 3 === 2) layer.zeroGrad();
        if (k === 4) seen.push(clear(rand([4, 3])).toArray(), layer.weight.grad);
      }
      programs.forEach((one) => one.dispose());
      return seen;
    });
  assert.deepEqual(run(true), run(false));
});

test('two steps in one call; two optimisers; a step that fails counts as none', () => {
  const run = (isCompiled: boolean): unknown =>
    scope(() => {
      manualSeed(3);
      const [a, b] = [new nn.Linear(3, 3), new nn.Linear(3, 2)];
      const first = new optim.SGD(a.parameters(), { lr: 0.1, momentum: 0.9 });
      const second = new optim.Adam(b.parameters());
      const body = (x: Tensor, classes: Tensor): Tensor[] =>
        [1, 2].map(() => {
          a.zeroGrad();
          b.zeroGrad();
          const loss = crossEntropy(b.forward(a.forward(x).tanh()), classes);
          loss.backward();
          first.step();
          second.step();
          return loss;
        });
      const program = compile(body);
      const step = isCompiled ? program : body;
      const seen: unknown[] = [];
      for (let k = 0; k < 5; k++) {
        const x = rand([2, 3]);
        seen.push(step(x, tensor([1, 0], { dtype: 'int64' })).map((loss) => loss.item()));
        if (k === 2) assert.throws(() => step(x, tensor([1, 9], { dtype: 'int64' })), /9|range/);
      }
      program.dispose();
      return [seen, [...second.state.values()].map((one) => one.step), b.weight.toArray()];
    });
  assert.deepEqual(run(true), run(false));
});

test('schedulers step outside', () => {
  scope(() => {
    const w = tensor([1], { requiresGrad: true });
    const optimizer = new optim.SGD([w], { lr: 1 });
    const schedule = new optim.StepLR(optimizer, 1);
    const f = compile(() => schedule.step());
    assert.throws(
      () => f(),
      /^UnsupportedError.*step: would happen while compile\(\) records.*after the compiled function/s,
    );
    optimizer.paramGroups[0]!.lr = 'x' as never;
    const step = compile((x: Tensor) => {
      w.mul(x).sum().backward();
      optimizer.step();
    });
    assert.throws(() => step(tensor([1])), /lr/);
    step.dispose();
    w.grad = null;
  });
});

test('a worker compiles for itself', async () => {
  const program = `
    import { compile, init, tensor } from 'stria';
    import { parentPort, workerData } from 'node:worker_threads';
    await init(workerData);
    const f = compile((x) => x.mul(x).add(1));
    for (let k = 0; k < 3; k++) f(tensor([k]));
    parentPort.postMessage([f(tensor([2, 3])).toArray(), f.stats().misses]);
  `;
  const url = new URL(
    `data:text/javascript,${encodeURIComponent(program.replace(`'stria'`, `'${import.meta.resolve('stria')}'`))}`,
  );
  const options =
    backendName === 'native' ? { backend: 'native' } : { backend: 'wasm', variant: backendName };
  const worker = new Worker(url, { workerData: options });
  const f = compile((x: Tensor) => x.sub(1));
  const answer = await new Promise((resolve, reject) => {
    worker.on('message', resolve);
    worker.on('error', reject);
  });
  assert.deepEqual(answer, [[5, 10], 2]);
  scope(() => assert.deepEqual(f(tensor([2])).toArray(), [1]));
  f.dispose();
  await worker.terminate();
  assert.ok(fileURLToPath(import.meta.url));
});

test('gradients that are cleared behind the step are never there as a whole', () => {
  const share = (isCleared: boolean): { share: number; loss: unknown } =>
    scope(() => {
      manualSeed(3);
      const model = new nn.Sequential(new nn.Linear(784, 256), new nn.ReLU(), new nn.Linear(256, 10));
      const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
      const step = compile((x: Tensor, y: Tensor) => {
        if (!isCleared) optimizer.zeroGrad();
        const loss = mseLoss(model.forward(x), y);
        loss.backward();
        optimizer.step();
        if (isCleared) optimizer.zeroGrad();
        return loss;
      });
      const [x, y] = [rand([128, 784]), rand([128, 10])];
      let loss: unknown;
      for (let k = 0; k < 3; k++) loss = step(x, y).item();
      const { peakBytes, peakBytesRecorded } = step.explain();
      assert.equal(model.parameters()[0]!.grad === null, isCleared);
      step.dispose();
      model.zeroGrad();
      return { share: peakBytes / peakBytesRecorded, loss };
    });
  const [first, last] = [share(false), share(true)];
  assert.equal(first.loss, last.loss);
  assert.ok(first.share > 2 * last.share, `${last.share} where they are cleared, ${first.share} else`);
});
