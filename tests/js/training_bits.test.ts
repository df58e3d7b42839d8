// Whole trainings leave parameters of the same bits as C programs: hashes of tests/data/hashes.txt, which
// tests/native/hash_training.c writes. The networks, their data and their steps are those of that file.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  cat,
  dropout,
  dtypes,
  Generator,
  layerNorm,
  mseLoss,
  noGrad,
  rand,
  randn,
  scope,
  type Tensor,
} from 'stria';
import * as optim from 'stria/optim';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd(true); // what optimisers keep belongs to no scope

const path = fileURLToPath(new URL('../../../../tests/data/hashes.txt', import.meta.url));
const hashes = new Map(
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('training.'))
    .map((line) => line.split(' ') as [string, string]),
);

const FEATURES = 5;
const HIDDEN = 7;

const plans: Record<
  string,
  { samples: number; steps: number; optimizer: (params: Tensor[]) => optim.Optimizer }
> = {
  polynomial: { samples: 301, steps: 200, optimizer: (params) => new optim.Adam(params, { lr: 0.02 }) },
  sgd: {
    samples: 101,
    steps: 30,
    optimizer: (params) =>
      new optim.SGD(params, { lr: 0.05, momentum: 0.9, weightDecay: 1e-4, nesterov: true }),
  },
  adam: { samples: 101, steps: 30, optimizer: (params) => new optim.Adam(params, { lr: 0.02 }) },
  rmsprop: { samples: 101, steps: 30, optimizer: (params) => new optim.RMSprop(params, { lr: 0.01 }) },
  adagrad: { samples: 101, steps: 30, optimizer: (params) => new optim.Adagrad(params, { lr: 0.05 }) },
  adamw: { samples: 2503, steps: 5, optimizer: (params) => new optim.AdamW(params, { lr: 0.02 }) },
};

// A product of matrices, added up in the order that all targets have.
const multiply = (a: Tensor, b: Tensor): Tensor => a.unsqueeze(2).mul(b).sum(1);

function train(name: string, dtype: 'float32' | 'float64'): Tensor {
  const { samples, steps, optimizer } = plans[name];
  const generator = new Generator(2024);
  const x = randn([samples, FEATURES], { dtype, generator });
  const y = x.sum(1, { keepdim: true }).sin();
  const isPolynomial = name === 'polynomial';
  const shapes = isPolynomial
    ? [[FEATURES, 1]]
    : [[FEATURES, HIDDEN], [HIDDEN], [HIDDEN], [HIDDEN], [HIDDEN, 1], [1]];
  const params: Tensor[] = shapes.map((shape) => rand(shape, { dtype, generator, requiresGrad: true }));
  const [weight, bias, scale, shift, outer, last] = params;
  const learner = optimizer(params);
  const predict = (): Tensor => {
    if (isPolynomial) return multiply(dropout(x, 0.1, { generator }), weight);
    const hidden = dropout(multiply(x, weight).add(bias).tanh(), 0.2, { generator });
    return multiply(layerNorm(hidden, [HIDDEN], { weight: scale, bias: shift }), outer).add(last);
  };
  for (let step = 0; step < steps; step++)
    scope(() => {
      mseLoss(predict(), y).backward();
      learner.step();
      learner.zeroGrad();
    });
  const all = noGrad(() => cat(params.map((one) => one.flatten())));
  generator.dispose();
  return all;
}

// test_hash.c: FNV-1a over words, with a final mix; dtype, shape, elements.
function hashOf(x: Tensor): string {
  let hash = 0xcbf29ce484222325n;
  const mix = (word: bigint): void => {
    hash = BigInt.asUintN(64, (hash ^ word) * 0x100000001b3n);
    hash ^= hash >> 29n;
  };
  mix(BigInt(dtypes.findIndex(({ name }) => name === x.dtype)));
  x.shape.forEach((size) => mix(BigInt(size)));
  const { buffer, byteOffset, length } = x.dataSync() as Float32Array<ArrayBuffer>;
  const words =
    x.dtype === 'float32'
      ? new Uint32Array(buffer, byteOffset, length)
      : new BigUint64Array(buffer, byteOffset, length);
  words.forEach((word: number | bigint) => mix(BigInt(word)));
  return hash.toString(16).padStart(16, '0');
}

test('the file has a line for each training', () => {
  assert.equal(hashes.size, 2 * Object.keys(plans).length);
});

for (const dtype of ['float32', 'float64'] as const)
  for (const name of Object.keys(plans))
    test(`${name}, ${dtype}`, () => {
      const found = scope(() => hashOf(train(name, dtype)));
      assert.equal(found, hashes.get(`training.${name}.${dtype === 'float32' ? 'f32' : 'f64'}`));
    });
