// The functions that the compiler page compiles. What it shows as code is the text of these functions.
import { compile, manualSeed, nn, optim, rand, randint, randn, relu } from './stria.js';

function chain(a, b, c, d) {
  const left = relu(a.mul(b).add(c));
  const right = d.neg().exp();
  return left.mul(right);
}

function softmax(x) {
  const most = x.amax(1, { keepdim: true });
  const powers = x.sub(most).exp();
  return powers.div(powers.sum(1, { keepdim: true }));
}

// Each call makes a network of its own, which begins as any other one does.
function trainingStep() {
  manualSeed(1);
  const { Linear, ReLU, Sequential, crossEntropy } = nn;
  const net = new Sequential(new Linear(64, 64), new ReLU(), new Linear(64, 10));
  const optimizer = new optim.SGD(net.parameters(), { lr: 0.1, momentum: 0.9 });

  return function step(x, labels) {
    optimizer.zeroGrad();
    const loss = crossEntropy(net.forward(x), labels);
    loss.backward();
    optimizer.step();
    return loss.detach();
  };
}

const elements = (count) => `${count.toLocaleString('en')} elements`;

/** `make` gives the function, anew each time; `inputs` its arguments for a size. */
export const examples = {
  chain: {
    title: 'A chain',
    note: 'Six calls. One by one, each writes its result to memory and the next one reads it. Compiled, every element passes through all of them in one go.',
    code: chain,
    make: () => chain,
    inputs: (size) => [rand([size]), rand([size]), randn([size]), rand([size])],
    sizes: [10_000, 100_000, 1_000_000, 4_000_000],
    usual: 1_000_000,
    sizeText: elements,
  },
  softmax: {
    title: 'Softmax',
    note: 'A reduction cannot run element by element with what surrounds it. But rows can stay in the cache from one step to the next.',
    code: softmax,
    make: () => softmax,
    inputs: (size) => [randn([size / 1000, 1000])],
    sizes: [10_000, 100_000, 1_000_000, 4_000_000],
    usual: 1_000_000,
    sizeText: (size) => `${(size / 1000).toLocaleString('en')} rows of 1,000`,
  },
  training: {
    title: 'A training step',
    note: 'Forward, backward and the optimiser are one program. Gradients of parameters are set, and the parameters change in place, as they do without it.',
    code: trainingStep,
    make: trainingStep,
    inputs: (size) => [randn([size, 64]), randint(10, { shape: [size] })],
    sizes: [16, 64, 256, 1024],
    usual: 64,
    sizeText: (size) => `batches of ${size.toLocaleString('en')}`,
  },
};

/** The function and the same compiled, each on the same arguments; ends them all. */
export function open(example, size) {
  manualSeed(7);
  const inputs = example.inputs(size);
  const program = compile(example.make());
  const eager = example.make();
  return {
    program,
    eager: () => eager(...inputs),
    compiled: () => program(...inputs),
    dispose() {
      program.dispose();
      for (const x of inputs) x.dispose();
    },
  };
}
