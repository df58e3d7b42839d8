// stria/nn: modules and their names, state and files, layers and initial values, batches; and whole trainings that follow PyTorch step by step
// (tests/data/training.py).
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  arange,
  crossEntropy,
  Generator,
  loadSafetensors,
  memory,
  ones,
  scope,
  StriaError,
  tensor,
  zeros,
  type DType,
  type Tensor,
} from 'stria';
import * as nn from 'stria/nn';
import * as optim from 'stria/optim';
import { load } from './support.js';

await load();

const refused = (code: string, op: string, argument: string, run: () => unknown, text = ''): void =>
  assert.throws(run, (error) => {
    assert.ok(error instanceof StriaError, String(error));
    assert.deepEqual([error.code, error.op, error.argument], [code, op, argument], error.message);
    assert.ok(error.message.includes(text), error.message);
    return true;
  });

// ---------------------------------------------------------------- modules

class Block extends nn.Module {
  first = new nn.Linear(2, 3);
  layers = new nn.ModuleList([new nn.Linear(3, 3), new nn.Dropout(0.9)]);
  scale = new nn.Parameter(ones([3]));
  ignored = zeros([1]);

  constructor() {
    super();
    this.registerBuffer('mean', zeros([3]));
    this.registerBuffer('cache', zeros([3]), { persistent: false });
  }

  forward(x: Tensor): Tensor {
    const y = this.first.forward(x);
    return [...this.layers].reduce((z, layer) => (layer as nn.Linear).forward(z), y).mul(this.scale);
  }
}

test('a module does not contain itself', () => {
  const layers = new nn.ModuleList<nn.Module>();
  refused('ERR_ARGUMENT', 'registerModule', 'module', () => layers.append(layers), 'another Module');
  assert.equal(layers.length, 0);
});

test('parameters, buffers and modules are found under their names', () => {
  const model = new nn.Sequential(new Block(), new nn.ReLU(), new nn.Linear(3, 1, { bias: false }));
  assert.deepEqual(
    model.namedParameters().map(([name]) => name),
    ['0.scale', '0.first.weight', '0.first.bias', '0.layers.0.weight', '0.layers.0.bias', '2.weight'],
  );
  assert.deepEqual(
    model.namedBuffers().map(([name]) => name),
    ['0.mean', '0.cache'],
  );
  assert.deepEqual(Object.keys(model.stateDict()).sort(), [
    '0.first.bias',
    '0.first.weight',
    '0.layers.0.bias',
    '0.layers.0.weight',
    '0.mean',
    '0.scale',
    '2.weight',
  ]);
  assert.deepEqual(
    model.namedModules().map(([name]) => name),
    ['', '0', '0.first', '0.layers', '0.layers.0', '0.layers.1', '1', '2'],
  );
  assert.equal(model.parameters(false).length, 0);
  for (const x of model.parameters()) assert.ok(x instanceof nn.Parameter && x.requiresGrad);
  assert.ok(!(model.buffers()[0] instanceof nn.Parameter) && !((3 as unknown) instanceof nn.Parameter));
  const visited: nn.Module[] = [];
  model.apply((module) => visited.push(module));
  assert.equal(visited.length, 8);
  assert.equal(visited.at(-1), model);
  model.eval();
  assert.ok(model.modules().every(({ training }) => !training));
  assert.deepEqual(model.forward(ones([4, 2])).shape, [4, 1]);
  model.train();
  model.requiresGrad_(false);
  assert.ok(model.parameters().every((x) => !x.requiresGrad));
});

test('a tensor in two places is one parameter', () => {
  const model = new nn.Sequential(new nn.Linear(2, 2), new nn.Linear(2, 2));
  (model.at(1) as nn.Linear).weight = (model.at(0) as nn.Linear).weight;
  assert.equal(model.parameters().length, 3);
  assert.equal(Object.keys(model.stateDict()).length, 4);
});

test('a module in two places is one module, and its state has both names', () => {
  class Tied extends nn.Module {
    encoder = new nn.Linear(2, 2);
    decoder = this.encoder;
    self: nn.Module = this;

    forward(x: Tensor): Tensor {
      return this.decoder.forward(this.encoder.forward(x));
    }
  }
  const model = new Tied();
  const names = ['encoder.weight', 'encoder.bias', 'decoder.weight', 'decoder.bias'];
  assert.deepEqual(Object.keys(model.stateDict()), names);
  assert.deepEqual(
    model.namedParameters().map(([name]) => name),
    names.slice(0, 2),
  );
  assert.equal(model.modules().length, 2);
  const other = new Tied();
  assert.deepEqual(other.load(model.save()), { missingKeys: [], unexpectedKeys: [] });
  assert.deepEqual(other.decoder.weight.toArray(), model.encoder.weight.toArray());
});

test('a state that lies in the memory of the module is loaded as it was', () => {
  const model = new nn.Sequential(new nn.Linear(2, 2), new nn.Linear(2, 2));
  const [first, second] = ['0.weight', '1.weight'].map((name) => model.stateDict()[name]!);
  const was = [first!.toArray(), second!.toArray()];
  const now = (): unknown[] => [first!.toArray(), second!.toArray()];
  model.loadStateDict(model.stateDict());
  assert.deepEqual(now(), was);
  model.loadStateDict({ '0.weight': second!, '1.weight': first! }, { strict: false });
  assert.deepEqual(now(), [was[1], was[0]], 'each has what the other had');
  const turned = first!.transpose(0, 1); // overlaps it with other strides
  const before = turned.toArray() as number[][];
  model.loadStateDict({ '1.weight': turned, '0.weight': turned.flip(0) }, { strict: false });
  assert.deepEqual(now(), [[...before].reverse(), before]);
});

test('weights of losses are buffers', () => {
  const weight = tensor([1, 2, 3]);
  const x = tensor([[0.5, -1, 2]]);
  const loss = new nn.CrossEntropyLoss({ weight, labelSmoothing: 0.1 });
  const logits = new nn.BCEWithLogitsLoss({ weight, posWeight: tensor([4, 5, 6]) });
  assert.deepEqual(Object.keys(new nn.ModuleList<nn.Module>([loss, logits]).stateDict()), [
    '0.weight',
    '1.weight',
    '1.pos_weight',
  ]);
  assert.deepEqual(Object.keys(new nn.NLLLoss().stateDict()), []);
  assert.deepEqual(loss.parameters(), []);
  assert.equal(loss.to('float64').options.weight!.dtype, 'float64');
  assert.equal(weight.dtype, 'float32');
  const target = tensor([1], { dtype: 'int64' });
  const expected = crossEntropy(x, target, { weight, labelSmoothing: 0.1 }).item();
  assert.ok(Math.abs(loss.forward(x, target).item() - expected) < 1e-6);
  loss.loadStateDict({ weight: tensor([1, 0, 0]) });
  assert.equal(loss.forward(x, target).item() !== expected, true);
  loss.weight = null;
  assert.ok(
    Math.abs(loss.forward(x, target).item() - crossEntropy(x, target, { labelSmoothing: 0.1 }).item()) < 1e-6,
  );
  refused('ERR_ARGUMENT', 'NLLLoss', 'weight', () => new nn.NLLLoss({ weight: 3 as never }), 'a tensor');
});

test('arguments beyond the last are refused', () => {
  const parameters = new nn.Linear(1, 1).parameters();
  const sgd = new optim.SGD(parameters, { lr: 1, momentum: 0.5 });
  const most = {
    ...{
      Linear: [1, 1, {}],
      LayerNorm: [1, {}],
      RMSNorm: [1, {}],
      Embedding: [1, 1, {}],
      Dropout: [0.5, {}],
    },
    ...{ Flatten: [1, 2], Softplus: [1, 20], GELU: [{}], LeakyReLU: [0.1], ELU: [1], Softmax: [1] },
    ...{ LogSoftmax: [1], ReLU: [], Mish: [], MSELoss: [{}], Conv2d: [1, 1, 1, {}] },
    ...{ ConvTranspose1d: [1, 1, 1, {}], MaxPool2d: [2, {}], AdaptiveAvgPool2d: [2] },
    ...{ BatchNorm1d: [2, {}], GroupNorm: [2, 2, {}], Generator: [1] },
    ...{ SGD: [parameters, { lr: 1 }], Adam: [parameters, {}], AdamW: [parameters, {}] },
    ...{ RMSprop: [parameters, {}], Adagrad: [parameters, {}] },
    ...{ StepLR: [sgd, 1, 0.5], MultiStepLR: [sgd, [1], 0.5], ExponentialLR: [sgd, 0.5] },
    ...{ CosineAnnealingLR: [sgd, 1, 0], LinearLR: [sgd, 0.5, 1, 5], LambdaLR: [sgd, () => 1] },
    ...{ OneCycleLR: [sgd, { maxLr: 1, totalSteps: 5 }], ReduceLROnPlateau: [sgd, {}] },
  };
  const classes = { ...nn, ...optim, Generator } as unknown as Record<
    string,
    new (...args: unknown[]) => object
  >;
  for (const [op, args] of Object.entries<unknown[]>(most)) {
    const make = (...rest: unknown[]): object => new classes[op]!(...args, ...rest);
    make();
    const words = `at most ${args.length}, got ${args.length + 1}`;
    refused('ERR_ARGUMENT', op, 'arguments', () => make({ inplace: true }), words);
  }
});

test('a state goes through a file, and what does not fit is refused with all its names', () => {
  const [one, other] = [new Block(), new Block()];
  const bytes = one.save({ epoch: '3' });
  assert.equal(loadSafetensors(bytes).metadata.epoch, '3');
  assert.deepEqual(other.load(bytes), { missingKeys: [], unexpectedKeys: [] });
  const [a, b] = [one.stateDict(), other.stateDict()];
  for (const name of Object.keys(a)) assert.deepEqual(a[name].toArray(), b[name].toArray(), name);
  const { mean, ...rest } = a;
  const before = other.first.weight.detach().toArray();
  const dict = { ...rest, more: mean, 'first.weight': zeros([3, 2]) };
  refused(
    'ERR_ARGUMENT',
    'loadStateDict',
    'mean',
    () => other.loadStateDict(dict),
    'missing: mean; not expected: more',
  );
  assert.deepEqual(other.first.weight.detach().toArray(), before);
  assert.deepEqual(other.loadStateDict(dict, { strict: false }), {
    missingKeys: ['mean'],
    unexpectedKeys: ['more'],
  });
  assert.deepEqual(other.first.weight.detach().toArray(), zeros([3, 2]).toArray());
  refused(
    'ERR_SHAPE',
    'loadStateDict',
    'first.weight',
    () => other.loadStateDict({ ...a, 'first.weight': zeros([2, 2]) }),
    'first.weight ([2,2] for [3,2])',
  );
  refused('ERR_ARGUMENT', 'loadStateDict', 'dict', () => other.loadStateDict(3 as never));
  refused('ERR_ARGUMENT', 'loadStateDict', 'scale', () => other.loadStateDict({ ...a, scale: 3 as never }));
  refused('ERR_ARGUMENT', 'registerBuffer', 'name', () => one.registerBuffer('a.b', null));
  refused('ERR_ARGUMENT', 'registerBuffer', 'name', () => one.registerBuffer('forward', null));
  assert.throws(() => one.registerBuffer('__proto__', null), /a name that modules have not, got "__proto__"/);
  refused('ERR_ARGUMENT', 'registerParameter', 'x', () => one.registerParameter('w', zeros([1])));
});

test('a state is loaded whole or not at all', () => {
  const model = new nn.Sequential(new nn.Linear(2, 2), new nn.Linear(2, 2));
  const before = model.stateDict();
  const values = Object.fromEntries(Object.entries(before).map(([name, x]) => [name, x.toArray()]));
  const gone = zeros([2]);
  gone.dispose();
  const others = {
    '0.weight': ones([2, 2]),
    '0.bias': ones([2]),
    '1.weight': zeros([2, 2], { dtype: 'complex64' }),
    '1.bias': ones([3]),
  };
  const into = (dict: unknown) => (): unknown => model.loadStateDict(dict as nn.StateDict);
  const words =
    'loadStateDict: of another shape: 1.bias ([3] for [2]); complex, not real: 1.weight (complex64 for float32)';
  refused('ERR_SHAPE', 'loadStateDict', '1.bias', into(others), words);
  others['1.bias'] = ones([2]);
  refused('ERR_DTYPE', 'loadStateDict', '1.weight', into(others), 'complex, not real: 1.weight (complex64');
  others['1.weight'] = zeros([2, 2], { device: 'meta' }) as never;
  refused(
    'ERR_DEVICE',
    'loadStateDict',
    '1.weight',
    into(others),
    'on another device: 1.weight (meta for cpu)',
  );
  refused('ERR_DISPOSED', 'loadStateDict', '1.weight', into({ ...others, '1.weight': gone }), '1.weight was');
  refused('ERR_ARGUMENT', 'loadStateDict', 'dict', into([ones([1])]));
  for (const [name, x] of Object.entries(before)) assert.deepEqual(x.toArray(), values[name], name);
  const many = new nn.ModuleList(Array.from({ length: 12 }, () => new nn.Linear(1, 1)));
  const names = Object.keys(many.stateDict());
  refused('ERR_ARGUMENT', 'loadStateDict', '0.weight', () => many.loadStateDict({}), `: ${names.join(', ')}`);
  // a Map, and integers into a float
  model.loadStateDict(
    new Map<string, Tensor>([...Object.entries(others), ['1.weight', ones([2, 2], { dtype: 'int32' })]]),
  );
  assert.deepEqual((model.at(1) as nn.Linear).weight.detach().toArray(), ones([2, 2]).toArray());
  (model.at(1) as nn.Linear).weight.dispose();
  refused('ERR_DISPOSED', 'stateDict', '1.weight', () => model.stateDict(), '1.weight was disposed of');
  refused('ERR_DISPOSED', 'load', '1.weight', () => model.load(new nn.Linear(1, 1).save()), '1.weight was');
  refused('ERR_DISPOSED', 'zeroGrad', '1.weight', () => model.zeroGrad(), '1.weight was disposed of');
});

test('a parameter is a leaf, also where it is made of what is computed', () => {
  const source = ones([2], { requiresGrad: true });
  const own = new nn.Parameter(source.mul(3));
  assert.ok(own.isLeaf && own.requiresGrad && own instanceof nn.Parameter);
  own.mul(2).sum().backward();
  assert.deepEqual([own.grad!.toArray(), source.grad], [[2, 2], null]);
  assert.equal(new nn.Parameter(source), source);
  assert.equal(new nn.Parameter(source.mul(3), { requiresGrad: false }).requiresGrad, false);
  source.dispose();
  refused('ERR_DISPOSED', 'Parameter', 'x', () => new nn.Parameter(source));
});

test('modules that are assigned to the places of others', () => {
  const model = new nn.Sequential(new nn.Linear(2, 3), new nn.ReLU(), new nn.Linear(3, 1));
  const fields = model as unknown as Record<string, nn.Module>;
  const other = new nn.Linear(2, 3);
  fields['0'] = other;
  fields['1'] = new nn.Tanh();
  assert.equal(model.at(0), other);
  assert.deepEqual([...model], model.children());
  const x = ones([4, 2]);
  const last = model.at(2);
  assert.deepEqual(model.forward(x).toArray(), last.forward(other.forward(x).tanh()).toArray());
  delete fields['1'];
  assert.equal(model.length, 2);
  assert.deepEqual(model.forward(x).toArray(), last.forward(other.forward(x)).toArray());
  model.append(new nn.Sigmoid());
  assert.deepEqual(
    model.namedChildren().map(([name]) => name),
    ['0', '2', '3'],
  );
});

test('names of fields have no points', () => {
  const module = new nn.Sequential(new nn.Linear(1, 1));
  const fields = module as unknown as Record<string, unknown>;
  fields['0.weight'] = new nn.Parameter(ones([1]));
  const words = 'Module: 0.weight must be a name without a point, got a field with a Parameter';
  refused('ERR_ARGUMENT', 'Module', '0.weight', () => module.parameters(), words);
  refused('ERR_ARGUMENT', 'Module', '0.weight', () => module.save(), words);
  delete fields['0.weight'];
  fields['a.b'] = new nn.ReLU();
  refused('ERR_ARGUMENT', 'Module', 'a.b', () => module.modules(), 'got a field with a Module');
  fields['a.b'] = 'a text';
  assert.equal(module.parameters().length, 2);
});

test('names of fields are not those of modules, whichever method looks at them', () => {
  for (const name of [
    'namedModules',
    'namedChildren',
    'children',
    'modules',
    'namedParameters',
    'namedBuffers',
  ]) {
    const module = new nn.Sequential(new nn.Linear(1, 1));
    (module as unknown as Record<string, unknown>)[name] = new nn.ReLU();
    const words = `Module: ${name} must be a name that modules have not, got a field with a Module`;
    const calls = [
      () => module.parameters(),
      () => module.buffers(),
      () => module.stateDict(),
      () => module.save(),
      () => module.eval(),
      () => module.zeroGrad(),
      () => module.requiresGrad_(),
      () => module.to('float64'),
      () => module.apply(() => undefined),
      () => module.length,
      () => module.forward(ones([1, 1])),
    ];
    for (const call of calls) refused('ERR_ARGUMENT', 'Module', name, call, words);
  }
});

test('modules are nested deeply', () => {
  const deepest = new nn.Linear(1, 1);
  let model: nn.Sequential = new nn.Sequential(deepest);
  for (let k = 0; k < 20000; k++) model = new nn.Sequential(model);
  assert.equal(model.modules().length, 20002);
  assert.equal(model.namedModules().at(-1)![0].length, 2 * 20001 - 1);
  assert.deepEqual(model.parameters(), [deepest.weight, deepest.bias]);
  assert.equal(model.eval().training, false);
  assert.equal(deepest.training, false);
  const order: nn.Module[] = [];
  model.apply((module) => void order.push(module));
  assert.deepEqual([order[0] === deepest, order.at(-1) === model, order.length], [true, true, 20002]);
  const x = ones([1, 1]);
  assert.deepEqual(model.forward(x).toArray(), deepest.forward(x).toArray());
  assert.deepEqual(
    Object.values(model.stateDict()).map((x) => x.shape),
    [[1, 1], [1]],
  );
});

test('options of layers and losses are refused when they are made', () => {
  refused(
    'ERR_ARGUMENT',
    'MSELoss',
    'reductoin',
    () => new nn.MSELoss({ reductoin: 'sum' } as never),
    'reduction',
  );
  refused('ERR_ARGUMENT', 'CrossEntropyLoss', 'out', () => new nn.CrossEntropyLoss({ out: 1 } as never));
  refused('ERR_DTYPE', 'Linear', 'dtype', () => new nn.Linear(1, 1, { dtype: 'int32' }), 'a float');
  refused('ERR_DTYPE', 'Embedding', 'dtype', () => new nn.Embedding(1, 1, { dtype: 'bool' }));
  refused('ERR_DTYPE', 'LayerNorm', 'dtype', () => new nn.LayerNorm(1, { dtype: 'float31' as never }));
  refused('ERR_ARGUMENT', 'RMSNorm', 'eps', () => new nn.RMSNorm(1, { eps: -1 }));
  refused('ERR_ARGUMENT', 'LeakyReLU', 'negativeSlope', () => new nn.LeakyReLU({} as never));
  refused('ERR_ARGUMENT', 'Softmax', 'dim', () => new nn.Softmax('1' as never));
});

test('to another dtype', () => {
  const model = new Block().to('float64');
  for (const x of [...model.parameters(), ...model.buffers()]) assert.equal(x.dtype, 'float64');
  assert.ok(model.scale instanceof nn.Parameter && model.scale.requiresGrad);
  scope(() => {
    model.to('float32');
  });
  assert.deepEqual(model.forward(ones([1, 2])).shape, [1, 3]);
  refused('ERR_DTYPE', 'to', 'dtype', () => model.to('int32'));
});

// ---------------------------------------------------------------- layers and initial values

test('layers begin as those of PyTorch, from a generator', () => {
  const layer = new nn.Linear(16, 4, { generator: new Generator(3) });
  const again = new nn.Linear(16, 4, { generator: new Generator(3) });
  assert.deepEqual(layer.weight.detach().toArray(), again.weight.detach().toArray());
  for (const x of [layer.weight, layer.bias!]) assert.ok((x.detach().abs().amax().item() as number) <= 0.25);
  assert.deepEqual(layer.weight.shape, [4, 16]);
  const embedding = new nn.Embedding(5, 2, { paddingIdx: -1 });
  assert.deepEqual(embedding.weight.detach().at(4).toArray(), [0, 0]);
  assert.equal(embedding.paddingIdx, 4);
  refused('ERR_ARGUMENT', 'Embedding', 'paddingIdx', () => new nn.Embedding(5, 2, { paddingIdx: 5 }));
  const short = new nn.Embedding(5, 2, { maxNorm: 0.25, normType: 1 });
  short.weight.detach().fill_(1);
  assert.ok(
    short
      .forward(tensor([1, 3], { dtype: 'int64' }))
      .detach()
      .sub(0.125)
      .abs()
      .amax()
      .item() < 1e-6,
  );
  assert.deepEqual(short.weight.detach().at(0).toArray(), [1, 1]);
  refused('ERR_ARGUMENT', 'Embedding', 'maxNorm', () => new nn.Embedding(5, 2, { maxNorm: -1 }));
  refused('ERR_ARGUMENT', 'Embedding', 'normType', () => new nn.Embedding(5, 2, { normType: NaN }));
  refused('ERR_ARGUMENT', 'Linear', 'inFeatures', () => new nn.Linear(-1, 2));
  refused('ERR_ARGUMENT', 'Linear', 'biass', () => new nn.Linear(1, 2, { biass: true } as never));
  refused('ERR_ARGUMENT', 'Dropout', 'p', () => new nn.Dropout(2));
});

test('dropout learns and stops learning', () => {
  const dropout = new nn.Dropout(0.5, { generator: new Generator(1) });
  const x = ones([1000]);
  const mean = dropout.forward(x).mean().item() as number;
  assert.ok(Math.abs(mean - 1) < 0.15, `${mean}`);
  assert.equal(dropout.eval().forward(x), x);
});

test('initial values have the spread that they should', () => {
  const generator = new Generator(5);
  const x = zeros([200, 300]);
  const spread = (write: (x: Tensor<'float32'>) => Tensor): number => write(x).std().item() as number;
  const expected: [string, (x: Tensor<'float32'>) => Tensor, number][] = [
    ['uniform', (y) => nn.init.uniform(y, -1, 1, { generator }), 1 / Math.sqrt(3)],
    ['normal', (y) => nn.init.normal(y, 0, 2, { generator }), 2],
    ['xavierUniform', (y) => nn.init.xavierUniform(y, { gain: 3, generator }), 3 * Math.sqrt(2 / 500)],
    ['xavierNormal', (y) => nn.init.xavierNormal(y, { generator }), Math.sqrt(2 / 500)],
    [
      'kaimingUniform',
      (y) => nn.init.kaimingUniform(y, { nonlinearity: 'relu', generator }),
      Math.sqrt(2 / 300),
    ],
    ['kaimingNormal', (y) => nn.init.kaimingNormal(y, { mode: 'fanOut', generator }), Math.sqrt(2 / 200)],
  ];
  for (const [name, write, std] of expected)
    assert.ok(Math.abs(spread(write) / std - 1) < 0.02, `${name}: ${spread(write)}, expected ${std}`);
  assert.equal(nn.init.constant(x, 3).sum().item(), 180000);
  assert.equal(nn.init.ones(x).sum().item(), 60000);
  assert.equal(nn.init.zeros(x).sum().item(), 0);
  refused('ERR_SHAPE', 'xavierUniform', 'x', () => nn.init.xavierUniform(zeros([3])));
  refused('ERR_ARGUMENT', 'kaimingNormal', 'mode', () => nn.init.kaimingNormal(x, { mode: 'fan' as never }));
  refused('ERR_ARGUMENT', 'calculateGain', 'nonlinearity', () => nn.init.calculateGain('x' as never));
});

test('activations and losses compute what the functions of their names do', () => {
  const x = tensor([
    [-2, 0.5, 3],
    [1, -1, 0],
  ]);
  const close = (a: Tensor, b: Tensor, what: string): void =>
    assert.deepEqual(a.toArray(), b.toArray(), what);
  close(new nn.ReLU().forward(x), x.relu(), 'ReLU');
  close(new nn.GELU({ approximate: 'tanh' }).forward(x), x.gelu({ approximate: 'tanh' }), 'GELU');
  close(new nn.SiLU().forward(x), x.silu(), 'SiLU');
  close(new nn.Tanh().forward(x), x.tanh(), 'Tanh');
  close(new nn.Sigmoid().forward(x), x.sigmoid(), 'Sigmoid');
  close(new nn.Softmax().forward(x), x.softmax(-1), 'Softmax');
  close(new nn.LogSoftmax(0).forward(x), x.logSoftmax(0), 'LogSoftmax');
  close(new nn.LeakyReLU(0.5).forward(x), x.leakyRelu(0.5), 'LeakyReLU');
  close(
    new nn.RMSNorm(3, { eps: 1e-3 }).eval().forward(x).detach(),
    x.rmsNorm([3], { eps: 1e-3 }),
    'RMSNorm',
  );
  close(
    new nn.MSELoss({ reduction: 'sum' }).forward(x, x.neg()),
    nn.mseLoss(x, x.neg(), { reduction: 'sum' }),
    'MSELoss',
  );
  const target = tensor([2, 0], { dtype: 'int64' });
  close(
    new nn.CrossEntropyLoss({ labelSmoothing: 0.1 }).forward(x, target),
    nn.crossEntropy(x, target, { labelSmoothing: 0.1 }),
    'CrossEntropyLoss',
  );
  close(new nn.NLLLoss().forward(x.logSoftmax(1), target), nn.crossEntropy(x, target), 'NLLLoss');
});

test('targets of crossEntropy that are neither numbers of classes nor probabilities', () => {
  const x = zeros([2, 3]);
  const words = (got: string): string =>
    'crossEntropy: target must hold numbers of classes (int64, int32) of shape [2], or probabilities (floats) of ' +
    `shape [2,3], got ${got}`;
  const loss = (target: Tensor) => (): Tensor => nn.crossEntropy(x, target);
  const slip = tensor([0, 2]);
  refused('ERR_DTYPE', 'crossEntropy', 'target', loss(slip), words('float32 of shape [2]'));
  refused('ERR_SHAPE', 'crossEntropy', 'target', loss(zeros([3])), words('float32 of shape [3]'));
  const oneHot = zeros([2, 3], { dtype: 'int32' });
  refused('ERR_SHAPE', 'crossEntropy', 'target', loss(oneHot), words('int32 of shape [2,3]'));
  refused('ERR_DTYPE', 'nllLoss', 'target', () => nn.nllLoss(x, slip), 'an integer');
  const [byNumbers, byShares] = [slip.to('int32'), tensor([[1, 0, 0], [0, 0, 1]])]; // prettier-ignore
  assert.equal(nn.crossEntropy(x, byNumbers).item(), nn.crossEntropy(x, byShares).item());
});

// ---------------------------------------------------------------- batches

test('batches of tensors, arrays and objects, in order and shuffled', () => {
  const [x, y] = [arange(7), arange(7).mul(10)];
  const lists = (all: Iterable<Tensor>): unknown[] => [...all].map((batch) => batch.toArray());
  assert.deepEqual(lists(nn.batches(x, { size: 3 })), [[0, 1, 2], [3, 4, 5], [6]]);
  assert.deepEqual(lists(nn.batches(x, { size: 3, dropLast: true })), [
    [0, 1, 2],
    [3, 4, 5],
  ]);
  assert.equal(nn.batches(x, { size: 3 }).length, 3);
  const shuffled = nn.batches({ x, y }, { size: 2, shuffle: true, generator: new Generator(4) });
  const seen: number[] = [];
  for (const batch of shuffled) {
    assert.deepEqual(batch.x.mul(10).toArray(), batch.y.toArray());
    seen.push(...(batch.x.toArray() as number[]).map(Number));
  }
  assert.notDeepEqual(seen, [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual([...seen].sort(), [0, 1, 2, 3, 4, 5, 6]);
  const again = [...nn.batches([x], { size: 7, shuffle: true, generator: new Generator(4) })];
  assert.deepEqual((again[0][0].toArray() as number[]).map(Number), seen);
  refused('ERR_SHAPE', 'batches', 'dataset[1]', () => nn.batches([x, zeros([3])]));
  refused('ERR_ARGUMENT', 'batches', 'size', () => nn.batches(x, { size: 0 }));
  refused('ERR_ARGUMENT', 'batches', 'dataset', () => nn.batches([]));
});

test('batches with dispose end with their turn, and a data set is read once', () => {
  const dataset: Record<string, Tensor> = { x: arange(7), y: arange(7) };
  for (const shuffle of [false, true]) {
    const walk = nn.batches(dataset, { size: 2, shuffle, dispose: true });
    const { liveTensors } = memory();
    let last: Tensor | undefined;
    for (const { x, y } of walk) {
      assert.equal(last?.isDisposed ?? true, true);
      assert.deepEqual(x.toArray(), y.toArray());
      last = x;
      if (x.numel === 1) break;
    }
    assert.ok(last!.isDisposed);
    assert.equal(memory().liveTensors, liveTensors);
  }
  const list = [arange(7), arange(7)];
  let reads = 0;
  const lying = Object.defineProperty({}, 'x', { enumerable: true, get: () => list[reads++] ?? zeros([2]) });
  const walks = [
    nn.batches(dataset, { size: 4 }),
    nn.batches(list, { size: 4 }),
    nn.batches(lying, { size: 4 }),
  ];
  dataset.x = zeros([2]);
  dataset.z = zeros([2]);
  list.length = 1;
  const shapes = walks.map((walk) =>
    [...walk].map((batch) => Object.values(batch as Tensor[]).map(({ shape }) => shape[0])),
  );
  assert.deepEqual(shapes, [[[4, 4], [3, 3]], [[4, 4], [3, 3]], [[4], [3]]]); // prettier-ignore
  const gone = nn.batches([arange(3)]);
  const other = arange(3);
  const ends = nn.batches(other, { shuffle: true });
  other.dispose();
  assert.equal([...gone].length, 3);
  refused('ERR_DISPOSED', 'indexSelect', 'x', () => [...ends]);
  const many = arange(4);
  const walked: number[] = [];
  refused('ERR_DISPOSED', 'slice', 'x', () => {
    for (const batch of nn.batches(many, { size: 2 })) {
      walked.push(batch.numel);
      many.dispose();
    }
  });
  assert.deepEqual(walked, [2]);
  refused('ERR_ARGUMENT', 'batches', 'dispose', () => nn.batches(arange(3), { dispose: 1 as never }));
});

test('a walk over shuffled batches outlives the scope that asked for its first batch, and leaves nothing', () => {
  const x = arange(7);
  const { liveTensors } = memory();
  const walk = nn.batches({ x }, { size: 3, shuffle: true, generator: new Generator(4) })[Symbol.iterator]();
  const sizes: number[] = [];
  for (let isDone = false; !isDone;)
    scope(() => {
      const next = walk.next();
      isDone = next.done === true;
      if (!next.done) sizes.push(next.value.x.numel);
    });
  assert.deepEqual(sizes, [3, 3, 1]);
  assert.equal(memory().liveTensors, liveTensors);
});

test('progress tells how far it is, and of the last item always', () => {
  const told: nn.Progress[] = [];
  const items = [...nn.progress([1, 2, 3], (progress) => told.push(progress), { every: 0 })];
  assert.deepEqual(items, [1, 2, 3]);
  assert.deepEqual(
    told.map(({ done, total }) => [done, total]),
    [
      [1, 3],
      [2, 3],
      [3, 3],
    ],
  );
  const last: nn.Progress[] = [];
  assert.equal([...nn.progress([1, 2], (progress) => last.push(progress), { every: 1000 })].length, 2);
  assert.deepEqual(
    last.map(({ done }) => done),
    [2],
  );
});

// ---------------------------------------------------------------- trainings

interface Values {
  shape: number[];
  values: number[];
}
interface Training {
  name: string;
  loss: 'mse' | 'cross_entropy';
  optimizer: 'SGD' | 'Adam' | 'AdamW' | 'RMSprop' | 'Adagrad';
  options: Record<string, unknown>;
  maxNorm: number | null;
  initial: Record<string, Values>;
  inputs: Values;
  targets: Values;
  float64: { losses: number[]; final: Record<string, Values> };
  float32: { losses: number[]; final: Record<string, Values> };
}
const golden = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../../../tests/data/training.json', import.meta.url)), 'utf8'),
) as { models: Training[] };

class Tokens extends nn.Module {
  embedding = new nn.Embedding(7, 5);
  norm = new nn.LayerNorm(5);
  output = new nn.Linear(5, 3);

  forward(x: Tensor): Tensor {
    return this.output.forward(this.norm.forward(this.embedding.forward(x).mean(1)));
  }
}

const dense = (activation: nn.Module, outputs: number, ...middle: nn.Module[]): nn.Module =>
  new nn.Sequential(new nn.Linear(4, 8), ...middle, activation, new nn.Linear(8, outputs));
const models: Record<string, () => nn.Module> = {
  linear: () => new nn.Sequential(new nn.Linear(4, 2)),
  momentum: () => dense(new nn.Tanh(), 2),
  nesterov: () => dense(new nn.ReLU(), 3),
  adam: () => dense(new nn.GELU(), 3),
  adamw: () => dense(new nn.SiLU(), 3, new nn.LayerNorm(8)),
  rmsprop: () => dense(new nn.Sigmoid(), 2),
  adagrad: () => dense(new nn.Tanh(), 2, new nn.LayerNorm(8)),
  embedding: () => new Tokens(),
};
const read = ({ shape, values }: Values, dtype: DType): Tensor => tensor(values, { shape, dtype });
const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

for (const training of golden.models)
  for (const [dtype, bound] of [
    ['float64', 1e-9],
    ['float32', 1e-4],
  ] as const)
    test(`${training.name} learns as in PyTorch, in ${dtype}`, () => {
      const model = models[training.name]().to(dtype) as nn.Sequential;
      const isClass = training.loss === 'cross_entropy';
      const x = read(training.inputs, training.name === 'embedding' ? 'int64' : dtype);
      const y = read(training.targets, isClass ? 'int64' : dtype);
      const initial = Object.entries(training.initial).map(([name, values]) => [name, read(values, dtype)]);
      model.loadStateDict(Object.fromEntries(initial) as Record<string, Tensor>);
      const options = Object.fromEntries(
        Object.entries(training.options).map(([name, one]) => [camel(name), one]),
      );
      const Kind = optim[training.optimizer] as new (params: Tensor[], options: object) => optim.Optimizer;
      const optimizer = new Kind(model.parameters(), options);
      training[dtype].losses.forEach((expected, step) => {
        const got = scope(() => {
          optimizer.zeroGrad();
          const loss = isClass ? nn.crossEntropy(model.forward(x), y) : nn.mseLoss(model.forward(x), y);
          loss.backward();
          if (training.maxNorm !== null) optim.clipGradNorm(model.parameters(), training.maxNorm);
          optimizer.step();
          return loss.item() as number;
        });
        assert.ok(
          Math.abs(got - expected) <= bound * (1 + Math.abs(expected)),
          `step ${step}: ${got}, PyTorch has ${expected}`,
        );
      });
      for (const [name, { values }] of Object.entries(training[dtype].final)) {
        const own = model.stateDict()[name].dataSync();
        values.forEach((value, k) =>
          assert.ok(
            Math.abs(Number(own[k]) - value) <= bound * (1 + Math.abs(value)),
            `${name}[${k}]: ${own[k]}, not ${value}`,
          ),
        );
      }
    });

test('Softplus has a slope and a threshold', () => {
  scope(() => {
    const x = tensor([1, 3], { dtype: 'float64' });
    const close = (y: Tensor, expected: number[]): void =>
      expected.forEach((value, k) => assert.ok(Math.abs(Number(y.dataSync()[k]) - value) < 1e-12));
    close(new nn.Softplus(2).forward(x), [Math.log1p(Math.exp(2)) / 2, Math.log1p(Math.exp(6)) / 2]);
    close(new nn.Softplus(2, 4).forward(x), [Math.log1p(Math.exp(2)) / 2, 3]);
  });
  refused('ERR_ARGUMENT', 'Softplus', 'beta', () => new nn.Softplus({ beta: 2 } as never));
});

test('a state that cannot be copied into elements that share memory is refused before anything changes', () => {
  scope(() => {
    class Two extends nn.Module {
      a = new nn.Parameter(zeros([1]));
      b = new nn.Parameter(zeros([1]).expand([2]));
      forward(): Tensor {
        return this.a;
      }
    }
    const m = new Two();
    const load = (): unknown => m.loadStateDict({ a: ones([1]), b: ones([2]) });
    refused('ERR_OVERLAP', 'loadStateDict', 'b', load, 'for strides [0]');
    assert.deepEqual(m.a.toArray(), [0]);
  });
});

test('crossEntropy of probabilities has no index to ignore', () => {
  scope(() => {
    const x = tensor([[0, 1, 2]]);
    const p = tensor([[0, 1, 0]]);
    refused('ERR_ARGUMENT', 'crossEntropy', 'ignoreIndex', () => crossEntropy(x, p, { ignoreIndex: 1 }));
    assert.equal(crossEntropy(x, p, { ignoreIndex: -1 }).item(), crossEntropy(x, p).item());
  });
});
