// stria/optim: steps and learning rates as PyTorch's (tests/data/training.py), state, groups, clipping, refusals.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { memory, ones, saveSafetensors, scope, StriaError, tensor, zeros, type Tensor } from 'stria';
import * as optim from 'stria/optim';
import { load } from './support.js';

await load();

interface Values {
  shape: number[];
  values: number[];
}
interface OptimizerCase {
  name: 'SGD' | 'Adam' | 'AdamW' | 'RMSprop' | 'Adagrad';
  options: Record<string, unknown>;
  params: Values[];
  grads: Values[][];
  after: Values[][];
}
interface SchedulerCase {
  name: string;
  options: Record<string, unknown>;
  rates: number[];
  momenta?: number[];
  metrics?: number[];
}
const golden = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../../../tests/data/training.json', import.meta.url)), 'utf8'),
) as { optimizers: OptimizerCase[]; schedulers: SchedulerCase[] };

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const optionsOf = (options: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [camel(name), value]));
const read = ({ shape, values }: Values): Tensor<'float64'> => tensor(values, { shape, dtype: 'float64' });
const parameter = (x: Tensor): Tensor => {
  x.requiresGrad = true;
  return x;
};
const refused = (code: string, op: string, argument: string, run: () => unknown, text = ''): void =>
  assert.throws(run, (error) => {
    assert.ok(error instanceof StriaError, String(error));
    assert.deepEqual([error.code, error.op, error.argument], [code, op, argument], error.message);
    assert.ok(error.message.includes(text), error.message);
    return true;
  });

function isClose(x: Tensor, { values }: Values, what: string): void {
  const got = x.detach().dataSync();
  values.forEach((value, k) => {
    const one = Number(got[k]);
    assert.ok(
      Math.abs(one - value) <= 1e-12 * (1 + Math.abs(value)),
      `${what}: ${one}, PyTorch has ${value}`,
    );
  });
}

golden.optimizers.forEach(({ name, options, params, grads, after }, number) => {
  test(`${name} ${number} follows PyTorch, and goes on from its state`, () => {
    const Kind = optim[name] as new (params: Tensor[], options: object) => optim.Optimizer;
    let own = params.map((x) => parameter(read(x)));
    let optimizer = new Kind(own, optionsOf(options));
    grads.forEach((step, k) => {
      if (k === 3) {
        const state = optimizer.stateDict();
        own = own.map((x) => parameter(x.detach().to('float64')));
        optimizer = new Kind(own, optionsOf(options));
        optimizer.loadStateDict(state);
      }
      step.forEach((grad, m) => (own[m].grad = read(grad)));
      scope(() => optimizer.step());
      own.forEach((x, m) => isClose(x, after[k][m], `step ${k}, parameter ${m}`));
    });
  });
});

const arguments_: Record<string, string[]> = {
  StepLR: ['step_size', 'gamma'],
  MultiStepLR: ['milestones', 'gamma'],
  ExponentialLR: ['gamma'],
  CosineAnnealingLR: ['T_max', 'eta_min'],
  LinearLR: ['start_factor', 'end_factor', 'total_iters'],
};

test('a momentum that is switched on later begins with the gradient, as PyTorch does', () => {
  const x = parameter(tensor([1, 2], { dtype: 'float64' }));
  const late = parameter(tensor([1], { dtype: 'float64' }));
  const optimizer = new optim.SGD([x, late], { lr: 0.1, dampening: 0.5 });
  const seen: number[] = [];
  for (let k = 0; k < 7; k++) {
    optimizer.paramGroups[0].momentum = k === 2 || k === 3 || k === 6 ? 0.9 : 0;
    x.grad = ones([2], { dtype: 'float64' });
    if (k > 2) late.grad = ones([1], { dtype: 'float64' });
    optimizer.step();
    seen.push(Number(x.detach().dataSync()[0]));
  }
  // torch.optim.SGD
  [0.9, 0.8, 0.7, 0.56, 0.46, 0.36, 0.184].forEach((value, k) =>
    assert.ok(Math.abs(seen[k] - value) < 1e-12, `${seen}`),
  );
  assert.ok(Math.abs(Number(late.detach().dataSync()[0]) - 0.56) < 1e-12, `${late.detach().dataSync()}`);
});

golden.schedulers.forEach(({ name, options, rates, momenta, metrics }, number) => {
  test(`${name} ${number} follows PyTorch`, () => {
    const optimizer = new optim.SGD([parameter(zeros([1]))], { lr: 0.4, momentum: 0.9 });
    const [group] = optimizer.paramGroups;
    const Kind = (optim as unknown as Record<string, new (...given: unknown[]) => optim.StepLR>)[name];
    const given = arguments_[name]
      ? arguments_[name].map((one) => options[one])
      : [name === 'LambdaLR' ? (epoch: number) => 1 / (1 + epoch) : optionsOf(options)];
    const scheduler = new Kind(optimizer, ...given);
    rates.forEach((rate, k) => {
      if (metrics) (scheduler as unknown as optim.ReduceLROnPlateau).step(metrics[k]);
      assert.ok(Math.abs(group.lr - rate) <= 1e-14, `epoch ${k}: ${group.lr}, PyTorch has ${rate}`);
      if (momenta) assert.ok(Math.abs(group.momentum - momenta[k]) <= 1e-14, `epoch ${k}: ${group.momentum}`);
      if (!metrics && k < 19) scheduler.step();
    });
    if (!metrics) {
      const other = new optim.StepLR(new optim.SGD([parameter(zeros([1]))], { lr: 1 }), 1);
      other.loadStateDict(scheduler.stateDict());
      assert.deepEqual(other.getLastLr(), scheduler.getLastLr());
    }
  });
});

test('groups have options of their own, and parameters without a gradient are passed over', () => {
  const [a, b, c] = [1, 2, 3].map((x) => parameter(tensor([x])));
  const optimizer = new optim.SGD([{ params: [a] }, { params: [b, c], lr: 1 }], { lr: 0.5 });
  a.grad = tensor([1]);
  b.grad = tensor([1]);
  assert.equal(
    optimizer.step(() => 7),
    7,
  );
  assert.deepEqual(
    [a, b, c].map((x) => x.item()),
    [0.5, 1, 3],
  );
  optimizer.zeroGrad({ setToNone: false });
  assert.equal(a.grad!.item(), 0);
  optimizer.zeroGrad();
  assert.deepEqual(
    [a, b, c].map((x) => x.grad),
    [null, null, null],
  );
  optimizer.addParamGroup({ params: [parameter(tensor([9]))], lr: 3 });
  assert.deepEqual(
    optimizer.paramGroups.map(({ lr }) => lr),
    [0.5, 1, 3],
  );
});

test('a parameter that joins later counts its own steps', () => {
  const [a, b] = [1, 1].map((x) => parameter(tensor([x], { dtype: 'float64' })));
  const optimizer = new optim.Adam([a, b], { lr: 0.1 });
  a.grad = tensor([1], { dtype: 'float64' });
  optimizer.step();
  b.grad = tensor([1], { dtype: 'float64' });
  optimizer.step();
  assert.ok(Math.abs((b.item() as number) - 0.9) < 1e-8);
  assert.deepEqual([optimizer.state.get(a)!.step, optimizer.state.get(b)!.step], [2, 1]);
});

test('more parameters than a call takes', () => {
  const all = Array.from({ length: 1000 }, () => parameter(ones([2])));
  const optimizer = new optim.AdamW(all, { lr: 0.5, weightDecay: 0 });
  for (const x of all) x.grad = ones([2]);
  const norm = optim.clipGradNorm(all, 1e6);
  assert.ok(Math.abs((norm.item() as number) - Math.sqrt(2000)) < 1e-3);
  optimizer.step();
  for (const x of all) assert.deepEqual(x.detach().toArray(), [0.5, 0.5]);
});

test('clipping by norm and by value', () => {
  const [a, b] = [parameter(zeros([2])), parameter(zeros([1]))];
  assert.equal(optim.clipGradNorm([a, b], 1).item(), 0);
  a.grad = tensor([3, 0]);
  b.grad = tensor([4]);
  assert.equal(optim.clipGradNorm([a, b], 2.5).item(), 5);
  assert.ok(Math.abs((a.grad.slice(0, 0, 1).item() as number) - 1.5) < 1e-6);
  assert.equal((optim.clipGradNorm([a, b], 1, { normType: Infinity }).item() as number) > 1.9, true);
  a.grad = tensor([-3, 0.25]);
  optim.clipGradValue(a, 0.5);
  assert.deepEqual(a.grad.toArray(), [-0.5, 0.25]);
  a.grad = tensor([NaN, 1]);
  refused('ERR_ARGUMENT', 'clipGradNorm', 'params', () =>
    optim.clipGradNorm(a, 1, { errorIfNonfinite: true }),
  );
});

test('states survive the scope of the step; nothing else is left', () => {
  const a = parameter(zeros([3]));
  const optimizer = new optim.Adam([a]);
  scope(() => {
    a.grad = ones([3]);
    optimizer.step();
  });
  const before = memory().liveTensors;
  for (let k = 0; k < 5; k++)
    scope(() => {
      a.grad = ones([3]);
      optimizer.step();
      optimizer.zeroGrad();
    });
  assert.ok(memory().liveTensors <= before, `${memory().liveTensors} tensors, ${before} before`);
  assert.equal(optimizer.state.get(a)!.step, 6);
});

test('a step that one group refuses leaves the others as they were', () => {
  scope(() => {
    const [a, b] = [tensor([1, 2]).requiresGrad_(), tensor([3]).requiresGrad_()];
    const optimizer = new optim.SGD([{ params: [a] }, { params: [b] }], { lr: 0.5 });
    a.sum().add(b.sum()).backward();
    optimizer.paramGroups[1]!.lr = NaN;
    assert.throws(() => optimizer.step(), /lr must be a number, got NaN/);
    assert.deepEqual([a.toArray(), b.toArray()], [[1, 2], [3]]);
    optimizer.paramGroups[1]!.lr = 1;
    const scheduler = new optim.StepLR(optimizer, 2);
    assert.throws(() => (scheduler.step as (epoch: number) => void)(3), /at most 0/);
  });
});

test('what is wrong is refused by its name', () => {
  {
    const w = parameter(ones([1]));
    // @ts-expect-error lr is required
    refused('ERR_ARGUMENT', 'SGD', 'lr', () => new optim.SGD([w]), 'lr must be given, as a number >= 0');
    const model = { parameters: () => [w] } as unknown as Tensor[];
    refused('ERR_ARGUMENT', 'Adam', 'params', () => new optim.Adam(model), 'such as model.parameters()');
    w.dispose();
  }
  const a = parameter(zeros([3]));
  const sgd = (params: unknown, options: unknown) => (): unknown =>
    new optim.SGD(params as Tensor[], options as { lr: number });
  refused('ERR_ARGUMENT', 'SGD', 'params', sgd([], { lr: 1 }));
  refused('ERR_ARGUMENT', 'SGD', 'params', sgd(a, { lr: 1 }));
  refused('ERR_ARGUMENT', 'SGD', 'params', sgd(3, { lr: 1 }));
  refused('ERR_ARGUMENT', 'SGD', 'params[0]', sgd([3], { lr: 1 }));
  refused('ERR_ARGUMENT', 'SGD', 'params[1]', sgd([a, a], { lr: 1 }));
  refused('ERR_DTYPE', 'SGD', 'params[0]', sgd([zeros([1], { dtype: 'int32' })], { lr: 1 }));
  refused('ERR_ARGUMENT', 'SGD', 'lr', sgd([a], undefined));
  refused('ERR_ARGUMENT', 'SGD', 'lr', sgd([a], { lr: -1 }));
  refused('ERR_ARGUMENT', 'SGD', 'lr', sgd([{ params: [a], lr: '1' }], { lr: 1 }));
  refused('ERR_ARGUMENT', 'SGD', 'momentun', sgd([a], { lr: 1, momentun: 1 }));
  refused('ERR_ARGUMENT', 'SGD', 'nesterov', sgd([a], { lr: 1, nesterov: true }));
  refused('ERR_ARGUMENT', 'SGD', 'maximize', sgd([a], { lr: 1, maximize: 1 }));
  refused('ERR_ARGUMENT', 'Adam', 'betas', () => new optim.Adam([a], { betas: [0.9, 1] }));
  refused('ERR_ARGUMENT', 'RMSprop', 'alpha', () => new optim.RMSprop([a], { alpha: -1 }));
  refused('ERR_ARGUMENT', 'Adagrad', 'lrDecay', () => new optim.Adagrad([a], { lrDecay: NaN }));
  const optimizer = new optim.Adam([a]);
  const state = optimizer.stateDict();
  refused('ERR_ARGUMENT', 'Adam.loadStateDict', 'dict', () => optimizer.loadStateDict(3 as never));
  refused('ERR_ARGUMENT', 'Adam.loadStateDict', 'paramGroups', () =>
    optimizer.loadStateDict({ ...state, paramGroups: [] }),
  );
  refused('ERR_SHAPE', 'Adam.loadStateDict', 'state[0].expAvg', () =>
    optimizer.loadStateDict({
      ...state,
      state: { 0: { step: 1, expAvg: zeros([2]), expAvgSq: zeros([3]) } },
    }),
  );
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  refused('ERR_ARGUMENT', 'Adam.loadStateDict', 'state', () =>
    optimizer.loadStateDict({ ...state, state: proxy as never }),
  );
  const two = new optim.Adam([parameter(zeros([3])), parameter(zeros([3]))]);
  const whole = { step: 1, expAvg: zeros([3]), expAvgSq: zeros([3]) };
  const { liveTensors } = memory();
  refused('ERR_ARGUMENT', 'Adam.loadStateDict', 'state[1].step', () =>
    two.loadStateDict({ ...two.stateDict(), state: { 0: whole, 1: { ...whole, step: -1 } } }),
  );
  assert.equal(memory().liveTensors, liveTensors, 'what was copied before the mistake has ended');
  refused('ERR_ARGUMENT', 'Adam.loadStateDict', 'state[4]', () =>
    optimizer.loadStateDict({ ...state, state: { 4: { step: 1 } } }),
  );
  refused('ERR_ARGUMENT', 'StepLR', 'optimizer', () => new optim.StepLR({} as never, 1));
  const before = optimizer.paramGroups.map((group) => ({ ...group }));
  refused('ERR_ARGUMENT', 'StepLR', 'stepSize', () => new optim.StepLR(optimizer, 0));
  assert.deepEqual(optimizer.paramGroups, before);
  refused('ERR_ARGUMENT', 'LinearLR', 'startFactor', () => new optim.LinearLR(optimizer, 0));
  refused('ERR_ARGUMENT', 'LambdaLR', 'lrLambda', () => new optim.LambdaLR(optimizer, []));
  for (const bad of [NaN, 'x', undefined])
    refused(
      'ERR_ARGUMENT',
      'LambdaLR',
      'the result of lrLambda',
      () => new optim.LambdaLR(optimizer, () => bad as number),
    );
  refused(
    'ERR_ARGUMENT',
    'OneCycleLR',
    'totalSteps',
    () => new optim.OneCycleLR(optimizer, { maxLr: 1, totalSteps: 0 }),
  );
  refused(
    'ERR_ARGUMENT',
    'OneCycleLR',
    'cycleMomentum',
    () => new optim.OneCycleLR(new optim.Adagrad([parameter(zeros([1]))]), { maxLr: 1, totalSteps: 9 }),
  );
  refused(
    'ERR_ARGUMENT',
    'ReduceLROnPlateau',
    'factor',
    () => new optim.ReduceLROnPlateau(optimizer, { factor: 1 }),
  );
  const scheduler = new optim.StepLR(optimizer, 1);
  const saved = scheduler.stateDict();
  for (const bad of [
    { lastEpoch: -7 },
    { lastEpoch: NaN },
    { baseLrs: [NaN] },
    { lrs: [NaN] },
    { lrs: [1, 2] },
  ])
    refused('ERR_ARGUMENT', 'StepLR.loadStateDict', 'dict', () =>
      scheduler.loadStateDict({ ...saved, ...bad }),
    );
  assert.deepEqual(scheduler.stateDict(), saved);
  const cycle = new optim.OneCycleLR(optimizer, { maxLr: 1, totalSteps: 2 });
  cycle.step();
  cycle.step();
  refused('ERR_ARGUMENT', 'OneCycleLR', 'step', () => cycle.step());
});

test('only leaves learn, and steps know nothing of promises', async () => {
  const a = parameter(ones([2]));
  const sum = a.mul(2);
  const words = /SGD: params\[1\] must be a leaf \(x\.detach\(\), or new Parameter\(x\)\), got a result/;
  assert.throws(() => new optim.SGD([a, sum], { lr: 1 }), words);
  refused('ERR_ARGUMENT', 'SGD', 'params[1]', () => new optim.SGD([a, sum], { lr: 1 }));
  const optimizer = new optim.SGD([a], { lr: 1 });
  a.grad = ones([2]);
  const late = (async () => {
    await null;
    throw new Error('late');
  }) as never;
  refused('ERR_ARGUMENT', 'SGD', 'closure', () => optimizer.step(late));
  await null;
  assert.deepEqual(a.detach().toArray(), [1, 1]);
});

test('a parameter that was disposed of is named', () => {
  const [a, b] = [parameter(ones([2])), parameter(ones([2]))];
  const optimizer = new optim.SGD([{ params: [a] }, { params: [b] }], { lr: 1 });
  a.grad = ones([2]);
  b.dispose();
  const words = 'params[1] was disposed of';
  refused('ERR_DISPOSED', 'SGD', 'params[1]', () => optimizer.step(), `SGD: ${words}`);
  refused('ERR_DISPOSED', 'zeroGrad', 'params[1]', () => optimizer.zeroGrad(), words);
  refused('ERR_DISPOSED', 'clipGradNorm', 'params[1]', () => optim.clipGradNorm([a, b], 1), words);
  refused('ERR_DISPOSED', 'Adam', 'params[0]', () => new optim.Adam([b]), 'params[0] was disposed of');
});

test('a state that does not fit changes nothing', () => {
  const make = (): optim.RMSprop => {
    const optimizer = new optim.RMSprop([parameter(ones([2])), parameter(ones([3]))], { momentum: 0.5 });
    for (const x of optimizer.paramGroups[0].params) x.grad = ones(x.shape);
    optimizer.step();
    return optimizer;
  };
  const [one, other] = [make(), make()];
  one.step();
  const state = one.stateDict();
  const load =
    (changes: object, group: object = {}) =>
    (): void =>
      other.loadStateDict({
        paramGroups: [{ ...state.paramGroups[0], ...group }],
        state: { ...state.state, 1: { ...state.state[1], ...changes } },
      } as never);
  const op = 'RMSprop.loadStateDict';
  const complex = zeros([3], { dtype: 'complex64' });
  const gone = zeros([3]);
  gone.dispose();
  refused('ERR_ARGUMENT', op, 'state[1].expAvg', load({ expAvg: zeros([3]) }));
  refused('ERR_ARGUMENT', op, 'state[1].squareAvg', load({ squareAvg: 3 }));
  refused('ERR_SHAPE', op, 'state[1].squareAvg', load({ squareAvg: zeros([2]) }));
  refused('ERR_DTYPE', op, 'state[1].squareAvg', load({ squareAvg: complex }));
  refused('ERR_DEVICE', op, 'state[1].squareAvg', load({ squareAvg: zeros([3], { device: 'meta' }) }));
  refused('ERR_DISPOSED', op, 'state[1].momentumBuffer', load({ momentumBuffer: gone }));
  refused('ERR_ARGUMENT', op, 'state[1].step', load({ step: 1.5 }));
  refused('ERR_ARGUMENT', op, 'lr', load({}, { lr: NaN }));
  refused('ERR_ARGUMENT', op, 'lrs', load({}, { lrs: 1 }));
  refused('ERR_ARGUMENT', op, 'paramGroups[0].initialLr', load({}, { initialLr: 'a' }));
  refused('ERR_ARGUMENT', op, 'paramGroups[0].params[1]', load({}, { params: [0, 0] }));
  refused('ERR_ARGUMENT', op, 'state[1]', load({}, { params: [0, 7] }));
  refused('ERR_ARGUMENT', op, 'state[0].gradAvg', load({}, { centered: true }));
  for (const [one, words] of [
    [null, 'null'],
    [3, '3'],
    [[], '[]'],
    [zeros([1]), 'a tensor'],
  ] as const) {
    // prettier-ignore
    const inGroups = (): void => other.loadStateDict({ ...state, paramGroups: [one] } as never);
    const inState = (): void => other.loadStateDict({ ...state, state: { 1: one } } as never);
    refused('ERR_ARGUMENT', op, 'paramGroups[0]', inGroups, `a group, got ${words}`);
    refused('ERR_ARGUMENT', op, 'state[1]', inState, `the state of a parameter, got ${words}`);
  }
  const steps = (optimizer: optim.RMSprop): number[] =>
    Object.values(optimizer.stateDict().state).map(({ step }) => step);
  assert.deepEqual(steps(other), [1, 1]);
  // numbers of the parameters, in any way that the state agrees with
  const { 0: first, 1: second } = state.state;
  other.loadStateDict({
    state: { 5: first, 3: second },
    paramGroups: [{ ...state.paramGroups[0], params: [5, 3] }],
  });
  assert.deepEqual(steps(other), [2, 2]);
  load({})();
  for (const k of [0, 1])
    assert.deepEqual(
      (other.stateDict().state[k].squareAvg as Tensor).toArray(),
      (state.state[k].squareAvg as Tensor).toArray(),
    );
});

test('a state goes through a file', () => {
  const make = (): optim.AdamW =>
    new optim.AdamW([parameter(ones([2], { dtype: 'float64' })), parameter(ones([3]))], { amsgrad: true });
  const [one, other] = [make(), make()];
  const { params } = one.paramGroups[0];
  params[0].grad = tensor([1, 2], { dtype: 'float64' });
  one.step();
  one.paramGroups[0].lr = 0.1 + 0.2;
  const before = memory().liveTensors;
  const bytes = one.save({ epoch: '3' });
  assert.equal(memory().liveTensors, before);
  assert.deepEqual({ ...other.load(bytes) }, { epoch: '3' });
  assert.equal(memory().liveTensors, before + 3);
  assert.equal(other.paramGroups[0].lr, 0.1 + 0.2);
  assert.equal(other.state.get(other.paramGroups[0].params[1]), undefined);
  const [mine, its] = [one, other].map((x) => x.stateDict().state[0]);
  assert.deepEqual(Object.keys(its), Object.keys(mine));
  for (const name of ['expAvg', 'expAvgSq', 'maxExpAvgSq']) {
    assert.equal((its[name] as Tensor).dtype, 'float64');
    assert.deepEqual((its[name] as Tensor).toArray(), (mine[name] as Tensor).toArray(), name);
  }
  refused('ERR_ARGUMENT', 'AdamW.save', 'metadata', () => one.save({ optimizer: '' }));
  refused('ERR_FORMAT', 'AdamW.load', 'bytes', () => other.load(saveSafetensors({ x: zeros([1]) })));
  const adam = new optim.Adam([parameter(ones([2]))]);
  refused('ERR_FORMAT', 'AdamW.load', 'bytes', () => other.load(adam.save()));
  const strange = saveSafetensors({ '0.expAvg': zeros([2]) }, { optimizer: '{"kind":"AdamW","steps":{}}' });
  refused('ERR_ARGUMENT', 'AdamW.load', 'dict', () => other.load(strange));
  const damaged = saveSafetensors({}, { optimizer: '{"kind":"AdamW","steps":{},"paramGroups":[null]}' });
  refused('ERR_ARGUMENT', 'AdamW.load', 'paramGroups[0]', () => other.load(damaged));
});

test('texts of a Map are saved, too', () => {
  const optimizer = new optim.Adam([ones([1], { requiresGrad: true })]);
  const bytes = optimizer.save(new Map([['epoch', '3']]));
  assert.deepEqual({ ...optimizer.load(bytes) }, { epoch: '3' });
  assert.throws(
    () => optimizer.save(new Map([['optimizer', 'x']])),
    /metadata must be without the name 'optimizer'/,
  );
  assert.throws(() => optimizer.save(3 as never), /metadata must be an object/);
});

test('options that are not finite go through a file', () => {
  const make = (momentum: number): optim.SGD =>
    new optim.SGD([parameter(ones([1]))], { lr: 1, momentum, dampening: -momentum });
  const [one, other] = [make(Infinity), make(0)];
  one.paramGroups[0].initialLr = Infinity;
  other.load(one.save());
  const { momentum, dampening, initialLr, lr } = other.paramGroups[0];
  assert.deepEqual([momentum, dampening, initialLr, lr], [Infinity, -Infinity, Infinity, 1]);
  one.paramGroups[0].lr = 0.12345;
  const file = Buffer.from(one.save()).toString('latin1').replace('0.12345', '\\"NaN\\"');
  refused('ERR_ARGUMENT', 'SGD.load', 'lr', () => other.load(Buffer.from(file, 'latin1')), 'got NaN');
  one.paramGroups[0].lr = NaN;
  refused('ERR_ARGUMENT', 'SGD.save', 'lr', () => one.save(), 'got NaN');
  one.paramGroups[0].lr = 1n as unknown as number;
  refused('ERR_ARGUMENT', 'SGD.save', 'lr', () => one.save(), 'got 1');
});

test("lists of options are no one else's", () => {
  const make = (): optim.Adam => new optim.Adam([parameter(ones([1]))]);
  const betasOf = (optimizer: optim.Adam): number[] => optimizer.paramGroups[0].betas as unknown as number[];
  const [one, other] = [make(), make()];
  betasOf(one)[0] = 0.5;
  const unchanged = [one.defaults, other.defaults, other.paramGroups[0], make().defaults];
  for (const { betas } of unchanged) assert.deepEqual(betas, [0.9, 0.999]);
  const dict = one.stateDict();
  other.loadStateDict(dict);
  const given = dict.paramGroups[0].betas as number[];
  assert.deepEqual(given, [0.5, 0.999]);
  given[0] = 0.25;
  assert.deepEqual([betasOf(one), betasOf(other)], [[0.5, 0.999], [0.5, 0.999]]); // prettier-ignore
});

test('states of schedulers go through JSON', () => {
  const make = (): optim.ReduceLROnPlateau =>
    new optim.ReduceLROnPlateau(new optim.SGD([parameter(zeros([1]))], { lr: 1 }), { patience: 0 });
  const [one, other] = [make(), make()];
  const text = JSON.stringify(one.stateDict());
  assert.equal(text, '{"best":null,"numBadEpochs":0,"cooldownCounter":0,"lastEpoch":0}');
  other.step(3);
  other.loadStateDict(JSON.parse(text) as Record<string, number | null>);
  assert.equal(other.best, Infinity);
  const op = 'ReduceLROnPlateau.loadStateDict';
  refused('ERR_ARGUMENT', op, 'best', () => other.loadStateDict({ ...one.stateDict(), best: NaN }));
  refused('ERR_ARGUMENT', op, 'lastEpoch', () =>
    other.loadStateDict({ best: null, numBadEpochs: 0, cooldownCounter: 0 }),
  );
});

test('steps leave nothing to the collector', () => {
  const x = parameter(tensor([1, 2, 3]));
  const others = [4, 5].map((n) => parameter(ones(n)));
  const params = [x, ...others];
  const learner = new optim.Adam(params, { lr: 0.1 });
  const step = (): void => {
    scope(() => {
      for (const one of params) one.square().sum().backward();
      optim.clipGradNorm(params, 1);
      optim.clipGradValue(params, 0.5);
    });
    learner.step();
    learner.zeroGrad({ setToNone: false });
    learner.zeroGrad();
  };
  step();
  const { liveTensors, liveBytes } = memory();
  for (let k = 0; k < 10; k++) step();
  assert.deepEqual([memory().liveTensors, memory().liveBytes], [liveTensors, liveBytes]);
  // a gradient that was asked for stays, and stays the same
  x.sum().backward();
  const gradient = x.grad!;
  learner.step();
  assert.equal(x.grad, gradient);
  assert.deepEqual(gradient.toArray(), [1, 1, 1]);
});

test('a group that is added later is not scheduled by schedulers that are there', () => {
  const make = (): Tensor => parameter(ones([1]));
  const makers: ((o: optim.Optimizer) => optim.LRScheduler)[] = [
    (o) => new optim.LambdaLR(o, (epoch) => 0.5 ** epoch),
    (o) => new optim.StepLR(o, 1, 0.5),
    (o) => new optim.CosineAnnealingLR(o, 4),
    (o) => new optim.OneCycleLR(o, { maxLr: 1, totalSteps: 9 }),
  ];
  for (const scheduler of makers) {
    const o = new optim.SGD([make()], { lr: 0.1, momentum: 0.9 });
    const s = scheduler(o);
    const first = o.paramGroups[0]!.lr;
    o.addParamGroup({ params: [make()], lr: 1 });
    s.step();
    assert.notEqual(o.paramGroups[0]!.lr, first);
    assert.equal(o.paramGroups[1]!.lr, 1);
    s.loadStateDict(s.stateDict());
  }
});

test('a function that throws leaves a scheduler as it was', () => {
  const o = new optim.SGD([parameter(ones([1]))], { lr: 1 });
  let isBroken = false;
  const s = new optim.LambdaLR(o, (epoch) => {
    if (isBroken) throw new Error('broken');
    return 0.5 ** epoch;
  });
  isBroken = true;
  assert.throws(() => s.step(), /broken/);
  assert.deepEqual([s.lastEpoch, o.paramGroups[0]!.lr], [0, 1]);
  isBroken = false;
  s.step();
  assert.deepEqual([s.lastEpoch, o.paramGroups[0]!.lr], [1, 0.5]);
});

test('one cycle whose rise has one step begins at its top', () => {
  const o = new optim.AdamW([parameter(ones([1]))]);
  const s = new optim.OneCycleLR(o, { maxLr: 1, totalSteps: 10, pctStart: 0.1 });
  assert.deepEqual(s.getLastLr(), [1]);
  assert.deepEqual(o.paramGroups[0]!.betas, [0.85, 0.999]);
  for (let k = 1; k < 10; k++) s.step();
  assert.ok(s.getLastLr()[0]! > 0 && s.getLastLr()[0]! < 1e-5);
});

test('zeroGrad({ setToNone: false }) ends the history of gradients', () => {
  const run = (setToNone: boolean): unknown => {
    const w = parameter(tensor([1, 2], { dtype: 'float64' }));
    const o = new optim.SGD([w], { lr: 0.01 });
    for (let k = 0; k < 3; k++) {
      o.zeroGrad({ setToNone });
      w.pow(3).sum().backward({ createGraph: true });
      w.grad!.square().sum().backward();
      o.step();
    }
    o.zeroGrad({ setToNone });
    assert.ok(setToNone ? w.grad === null : !w.grad!.requiresGrad);
    return w.toArray();
  };
  assert.deepEqual(run(false), run(true));
});

test('the state of a dictionary is an object or a Map', () => {
  const w = parameter(tensor([1, 2]));
  const o = new optim.SGD([w], { lr: 0.1, momentum: 0.9 });
  w.square().sum().backward();
  o.step();
  const { state, paramGroups } = o.stateDict();
  const other = new optim.SGD([w], { lr: 0.1, momentum: 0.9 });
  other.loadStateDict({ state: new Map(Object.entries(state)) as never, paramGroups });
  assert.equal(other.state.size, 1);
  assert.throws(() => other.loadStateDict({ state: o.state as never, paramGroups }), /well-formed texts/);
});
