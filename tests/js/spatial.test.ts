// Convolutions, pooling and norms of channels as modules: initial values, names of what is saved, what they compute beside the functions, running
// statistics, refusals, and a small network that learns.
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  arange,
  batchNorm,
  conv2d,
  convTranspose2d,
  crossEntropy,
  Generator,
  maxPool2d,
  ones,
  randn,
  StriaError,
  tensor,
  zeros,
  type Tensor,
} from 'stria';
import * as nn from 'stria/nn';
import * as optim from 'stria/optim';
import { load } from './support.js';

await load();

const refused = (code: string, op: string, argument: string, run: () => unknown): void =>
  assert.throws(run, (error) => {
    assert.ok(error instanceof StriaError, String(error));
    assert.deepEqual([error.code, error.op, error.argument], [code, op, argument], error.message);
    return true;
  });

const near = (a: Tensor, b: Tensor, bound = 1e-5): void => {
  assert.deepEqual(a.shape, b.shape);
  assert.ok(Number(a.sub(b).abs().max().item()) <= bound, `${a} beside ${b}`);
};

test('convolutions: shapes of parameters, initial values, results', () => {
  const generator = new Generator(3);
  const layer = new nn.Conv2d(4, 6, [3, 2], { stride: [2, 1], padding: 1, groups: 2, generator });
  assert.deepEqual(layer.weight.shape, [6, 2, 3, 2]);
  assert.deepEqual(
    layer.namedParameters().map(([name]) => name),
    ['weight', 'bias'],
  );
  const bound = 1 / Math.sqrt(2 * 3 * 2);
  for (const x of [layer.weight, layer.bias!]) {
    const values = (x.toArray() as number[]).flat(Infinity) as unknown as number[];
    assert.ok(values.every((v) => Math.abs(v) <= bound) && new Set(values).size > 1);
  }
  const x = randn([2, 4, 5, 6], { generator });
  const { weight, bias } = layer;
  near(layer.forward(x), conv2d(x, weight, { bias, stride: [2, 1], padding: [1, 1], groups: 2 }));
  const back = new nn.ConvTranspose2d(4, 2, 3, { stride: 2, outputPadding: 1, bias: false, generator });
  assert.deepEqual(back.weight.shape, [4, 2, 3, 3]);
  assert.equal(back.bias, null);
  near(back.forward(x), convTranspose2d(x, back.weight, { stride: 2, outputPadding: 1 }));
  assert.deepEqual(
    new nn.Conv1d(2, 3, 5, { dilation: 2, dtype: 'float64' }).forward(ones([2, 9], { dtype: 'float64' }))
      .shape,
    [3, 1],
  );
  assert.deepEqual(new nn.Conv3d(1, 1, 2).forward(ones([1, 1, 3, 3, 3])).shape, [1, 1, 2, 2, 2]);
  assert.deepEqual(new nn.ConvTranspose1d(1, 1, 2).forward(ones([1, 1, 3])).shape, [1, 1, 4]);
  assert.deepEqual(new nn.ConvTranspose3d(1, 1, 2).forward(ones([1, 1, 1, 1, 1])).shape, [1, 1, 2, 2, 2]);
});

test('pooling: modules compute what the functions do', () => {
  const x = arange(24).reshape([1, 1, 4, 6]).to('float32');
  assert.deepEqual(new nn.MaxPool2d(2).forward(x).toArray(), maxPool2d(x, 2).toArray());
  assert.deepEqual(new nn.MaxPool2d([2, 3], { stride: 1, padding: 1 }).forward(x).shape, [1, 1, 5, 6]);
  assert.deepEqual(new nn.AvgPool2d(2, { divisorOverride: 1 }).forward(x).toArray(), [
    [
      [
        [14, 22, 30],
        [62, 70, 78],
      ],
    ],
  ]);
  assert.deepEqual(new nn.AdaptiveAvgPool2d(1).forward(x).toArray(), [[[[11.5]]]]);
  assert.deepEqual(new nn.AdaptiveMaxPool2d([1, 2]).forward(x).toArray(), [[[[20, 23]]]]);
  const row = x.reshape([1, 24]);
  assert.deepEqual(new nn.MaxPool1d(8).forward(row).toArray(), [[7, 15, 23]]);
  assert.deepEqual(new nn.AvgPool1d(12).forward(row).toArray(), [[5.5, 17.5]]);
  assert.deepEqual(new nn.AdaptiveAvgPool1d(2).forward(row).toArray(), [[5.5, 17.5]]);
  assert.deepEqual(new nn.AdaptiveMaxPool1d(2).forward(row).toArray(), [[11, 23]]);
  const cube = ones([1, 2, 2, 2]);
  assert.deepEqual(new nn.MaxPool3d(2).forward(cube).shape, [1, 1, 1, 1]);
  assert.deepEqual(new nn.AvgPool3d(2).forward(cube).toArray(), [[[[1]]]]);
});

test('batch norm: running statistics and the names of PyTorch', () => {
  const norm = new nn.BatchNorm2d(3);
  assert.deepEqual(Object.keys(norm.stateDict()), [
    'weight',
    'bias',
    'running_mean',
    'running_var',
    'num_batches_tracked',
  ]);
  assert.equal(norm.stateDict().num_batches_tracked!.dtype, 'int64');
  const x = randn([4, 3, 5, 5], { generator: new Generator(1) })
    .mul(2)
    .add(1);
  const y = norm.forward(x);
  near(y.mean([0, 2, 3]), zeros([3]));
  near(y.var([0, 2, 3], { correction: 0 }), ones([3]), 1e-4);
  near(norm.running_mean!, x.mean([0, 2, 3]).mul(0.1));
  near(norm.running_var!, x.var([0, 2, 3]).mul(0.1).add(0.9));
  assert.equal(Number(norm.num_batches_tracked!.item()), 1);
  const { running_mean: runningMean, running_var: runningVar } = norm;
  near(norm.eval().forward(x), batchNorm(x, { runningMean, runningVar }));
  assert.equal(Number(norm.num_batches_tracked!.item()), 1);

  const mean = new nn.BatchNorm1d(2, { momentum: null, affine: false });
  mean.forward(
    tensor([
      [1, 2],
      [3, 4],
    ]),
  );
  mean.forward(
    tensor([
      [5, 2],
      [7, 4],
    ]),
  );
  near(mean.running_mean!, tensor([4, 3]));
  const plain = new nn.BatchNorm1d(2, { trackRunningStats: false }).eval();
  near(
    plain.forward(
      tensor([
        [1, 2],
        [3, 4],
      ]),
    ),
    tensor([
      [-1, -1],
      [1, 1],
    ]),
  );
  assert.deepEqual(Object.keys(plain.stateDict()), ['weight', 'bias']);
  assert.ok(norm.running_mean!.isLeaf && !norm.running_mean!.requiresGrad);
});

test('group norm', () => {
  const norm = new nn.GroupNorm(2, 4);
  near(norm.forward(tensor([[1, 3, 10, 20]])), tensor([[-1, 1, -1, 1]]));
  assert.deepEqual(Object.keys(norm.stateDict()), ['weight', 'bias']);
});

test('refusals', () => {
  refused('ERR_ARGUMENT', 'Conv2d', 'kernelSize', () => new nn.Conv2d(1, 1, [1, 2, 3]));
  refused('ERR_ARGUMENT', 'Conv2d', 'kernelSize', () => new nn.Conv2d(1, 1, 0));
  refused('ERR_ARGUMENT', 'Conv2d', 'stride', () => new nn.Conv2d(1, 1, 1, { stride: 0.5 }));
  refused('ERR_ARGUMENT', 'Conv2d', 'padding', () => new nn.Conv2d(1, 1, 1, { padding: 'same' as never }));
  refused('ERR_ARGUMENT', 'Conv2d', 'inChannels', () => new nn.Conv2d(3, 4, 1, { groups: 2 }));
  refused('ERR_DTYPE', 'Conv2d', 'dtype', () => new nn.Conv2d(1, 1, 1, { dtype: 'int32' }));
  refused('ERR_SHAPE', 'conv2d', 'x', () => new nn.Conv2d(1, 1, 1).forward(ones([2, 2])));
  refused('ERR_ARGUMENT', 'GroupNorm', 'numChannels', () => new nn.GroupNorm(2, 3));
  refused('ERR_SHAPE', 'BatchNorm2d', 'x', () => new nn.BatchNorm2d(1).forward(ones([2, 1])));
  refused('ERR_ARGUMENT', 'maxPool2d', 'kernelSize', () => maxPool2d(ones([1, 2, 2]), [1, 2, 3]));
  refused('ERR_ARGUMENT', 'AdaptiveAvgPool2d', 'outputSize', () => new nn.AdaptiveAvgPool2d([1]));
});

// Two kinds of pictures: a bright column, a bright row.
test('a small network learns', () => {
  const generator = new Generator(7);
  const model = new nn.Sequential(
    new nn.Conv2d(1, 4, 3, { padding: 1, generator }),
    new nn.BatchNorm2d(4),
    new nn.ReLU(),
    new nn.MaxPool2d(2),
    new nn.Conv2d(4, 4, 3, { padding: 1, generator }),
    new nn.ReLU(),
    new nn.AdaptiveAvgPool2d(1),
    new nn.Flatten(),
    new nn.Linear(4, 2, { generator }),
  );
  const x = randn([16, 1, 8, 8], { generator }).mul(0.1);
  const target = arange(16).remainder(2).to('int64');
  for (let n = 0; n < 16; n++)
    x.select(0, n)
      .select(n % 2 === 0 ? 1 : 2, n % 8)
      .add_(1);
  const optimizer = new optim.Adam(model.parameters(), { lr: 0.02 });
  const losses: number[] = [];
  for (let step = 0; step < 40; step++) {
    const loss = crossEntropy(model.forward(x) as Tensor, target);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    losses.push(Number(loss.item()));
  }
  assert.ok(losses.at(-1)! < losses[0]! / 4, `${losses[0]} to ${losses.at(-1)}`);
});
