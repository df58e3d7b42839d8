// Programs for programs_parity.test.ts: saved by one backend, run by another.
//
//   node programs_parity_program.js save BACKEND FOLDER    records and saves each, runs it, and prints its results
//   node programs_parity_program.js run BACKEND FOLDER     loads each file that is there, runs it, and prints its results
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  compile,
  Generator,
  init,
  loadProgram,
  manualSeed,
  mseLoss,
  noGrad,
  randn,
  tensor,
  where,
  type Tensor,
} from 'stria';
import { LayerNorm, Linear, Sequential, Tanh } from 'stria/nn';
import { Adam } from 'stria/optim';
import { optionsFor } from './support.js';

const [way, backend, folder] = process.argv.slice(2) as ['save' | 'run', string, string];
await init(optionsFor(backend));
manualSeed(7);

const ROWS = 37;
const COLUMNS = 70;

/** The same numbers in each process. */
function numbers(rows: number, columns: number, seed: number): Tensor {
  const list = Float32Array.from(
    { length: rows * columns },
    (_, k) => ((k * 37 + seed * 11) % 64) / 16 - 2 + ((k * seed) % 7) / 1000,
  );
  return tensor(list, { dtype: 'float32', shape: [rows, columns] });
}

type Run = (...x: Tensor[]) => Tensor[];
interface Case {
  run: Run;
  args: Tensor[];
  /** How often it runs: what it keeps goes on from one run to the next. */
  times?: number;
}

const a = numbers(ROWS, COLUMNS, 1);
const b = numbers(1, COLUMNS, 3);

function train(): Case {
  const net = new Sequential(new LayerNorm(COLUMNS), new Tanh());
  const optimizer = new Adam(net.parameters(), { lr: 0.1 });
  return {
    args: [a, numbers(ROWS, COLUMNS, 5)],
    times: 3,
    run: (x, y) => {
      const loss = mseLoss(net.forward(x), y);
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      optimizer.zeroGrad();
      return [loss.detach(), ...net.parameters().map((p) => p.detach().clone())];
    },
  };
}

/** Products of matrices are within their bound on each backend, and have other bits. */
function product(): Case {
  const net = new Sequential(new Linear(COLUMNS, 16), new Tanh(), new Linear(16, 4));
  return { args: [a], run: (x) => [noGrad(() => net.forward(x).softmax(1))] };
}

/** The numbers of examples/c/program.c, which runs what a batch of 2 rows of 8 goes through. */
function grid(rows: number, columns: number): Tensor {
  const list = Array.from({ length: rows * columns }, (_, k) => ((k * 37) % 64) / 32 - 1);
  return tensor(list, { dtype: 'float32', shape: [rows, columns] });
}

function layer(): Case {
  const net = new Linear(8, 4);
  return { args: [grid(2, 8)], run: (x) => [noGrad(() => net.forward(x).softmax(1))] };
}

function step(): Case {
  const net = new Linear(8, 4);
  const optimizer = new Adam(net.parameters(), { lr: 0.05 });
  return {
    args: [grid(2, 8)],
    times: 10,
    run: (x) => {
      const loss = mseLoss(net.forward(x), x.narrow(1, 0, 4));
      loss.backward();
      optimizer.step();
      optimizer.zeroGrad();
      return [loss.detach()];
    },
  };
}

function draw(): Case {
  const generator = new Generator(3);
  return { args: [a], times: 3, run: (x) => [x.add(randn([ROWS, COLUMNS], { generator }))] };
}

const cases: Record<string, () => Case> = {
  chain: () => ({ args: [a, b], run: (x, y) => [x.mul(y).add(1).relu().mul(y.neg().exp()), x.mul(y)] }),
  mask: () => ({ args: [a, b], run: (x, y) => [where(x.gt(y), x.mul(2), x.add(y)), x.gt(y).logicalNot()] }),
  halves: () => ({
    args: [a, b],
    run: (x, y) => [x.to('float16').mul(y.to('float16')), x.to('bfloat16').add(1)],
  }),
  pixels: () => ({
    args: [a],
    run: (x) => [x.mul(100).to('uint8').to('float32').mul(0.5).sub(3).to('int32')],
  }),
  softmax: () => ({
    args: [a],
    run: (x) => [
      x
        .sub(x.amax(1, { keepdim: true }))
        .exp()
        .sum(1),
      x.softmax(1),
      x.cumsum(0),
    ],
  }),
  views: () => ({
    args: [a],
    run: (x) => [
      x.t().flip(0).slice(0, 1, null, 3).sin().contiguous(),
      x.narrow(1, 2, 5).add(x.narrow(1, 9, 5)),
    ],
  }),
  integers: () => ({ args: [a], run: (x) => [x.mul(10).to('int64').remainder(7).cumsum(1), x.argmax(1)] }),
  draw,
  train,
  product,
  layer,
  step,
};

function bytes(x: Tensor): string {
  const array = x.contiguous().dataSync() as Float32Array;
  return `${x.dtype} [${x.shape}] ${Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('hex')}`;
}

const results: Record<string, string[]> = {};
for (const [name, make] of Object.entries(cases)) {
  const file = join(folder, `${name}.safetensors`);
  if (way === 'run' && !existsSync(file)) continue;
  const { run, args, times = 1 } = make();
  const compiled = compile(run);
  if (way === 'save') writeFileSync(file, compiled.save(...args));
  const f = way === 'save' ? compiled : (loadProgram(readFileSync(file)) as typeof run);
  results[name] = [];
  for (let k = 0; k < times; k++) results[name].push(...[f(...args)].flat().map(bytes));
}
console.log(JSON.stringify(results));
