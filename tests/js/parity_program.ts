// Prints a digest of the result of every op, dtype and layout on one backend; parity.test.ts compares them.
//
//   node parity_program.js <backend> <threads>
import { createHash } from 'node:crypto';
import * as stria from 'stria';
import { dtypes, opArities, opNumbers, scope, StriaError, tensor, type DType, type Tensor } from 'stria';
import { optionsFor } from './support.js';

const [backend, threads] = process.argv.slice(2);
await stria.init({ ...optionsFor(backend), threads: Number(threads) });

// Large enough for every loop to run on several threads and to have a rest.
const ROWS = 331;
const COLUMNS = 317;

// Numbers of all sizes, and the special ones; a fixed sequence (xorshift32).
function numbers(count: number, seed: number): Float64Array {
  const list = new Float64Array(count);
  const special = [
    0,
    -0,
    1,
    -1,
    0.5,
    -0.5,
    2,
    1e-40,
    -1e-310,
    1e30,
    -1e300,
    65504,
    255.5,
    Infinity,
    -Infinity,
    NaN,
  ];
  let state = seed;
  for (let k = 0; k < count; k++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const uniform = (state >>> 0) / 2 ** 32;
    if (k % 97 < special.length) list[k] = special[k % 97];
    else list[k] = (uniform - 0.5) * 2 ** ((k % 31) - 12);
  }
  return list;
}

const samples = [1, 2, 3].map((seed) => numbers(ROWS * COLUMNS, 77 * seed));

const layouts: Record<string, (x: Tensor) => Tensor> = {
  plain: (x) => x,
  transposed: (x) => x.view(COLUMNS, ROWS).T,
  reversed: (x) => x.flip(1),
  broadcast: (x) => x.select(0, 3).expand(ROWS, COLUMNS),
};

function digest(x: Tensor): string {
  const array = x.dataSync();
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  if (x.dtype.startsWith('float') || x.dtype === 'bfloat16') unifyNaN(x.dtype, array as Float32Array);
  return createHash('sha256').update(`${x.dtype} [${x.shape}]`).update(bytes).digest('hex').slice(0, 16);
}

// NaN payloads are free.
function unifyNaN(dtype: DType, array: { length: number; [k: number]: number }): void {
  const [exponent, fraction] = dtype === 'float16' ? [0x7c00, 0x3ff] : [0x7f80, 0x7f];
  const areBits = array instanceof Uint16Array;
  for (let k = 0; k < array.length; k++) {
    const value = array[k];
    if (areBits ? (value & exponent) === exponent && (value & fraction) !== 0 : Number.isNaN(value))
      array[k] = areBits ? exponent | fraction : NaN;
  }
}

const results: Record<string, string> = {};

function record(key: string, run: () => Tensor): void {
  scope(() => {
    try {
      results[key] = digest(run());
    } catch (error) {
      if (!(error instanceof StriaError)) throw error;
      results[key] = error.code;
    }
  });
}

type Op = (...x: unknown[]) => Tensor;
const functions = stria as unknown as Record<string, Op>;
// Rows that options of another function reach.
const byOption: Record<string, Op> = {
  geluTanh: (x) => stria.gelu(x as Tensor, { approximate: 'tanh' }),
  addScaled: (x, y) => stria.add(x as Tensor, y as Tensor, { alpha: 3 }),
  subScaled: (x, y) => stria.sub(x as Tensor, y as Tensor, { alpha: 3 }),
  roundTo: (x) => stria.round(x as Tensor, { decimals: 1 }),
};
for (const { name: dtype, category } of dtypes) {
  if (category === 'C') continue;
  const inputs = samples.map((list) => tensor(list, { dtype, shape: [ROWS, COLUMNS] }));
  for (const [name, number] of Object.entries(opNumbers)) {
    const run = byOption[name] ?? functions[name];
    const arity = opArities[number];
    for (const [layout, lay] of Object.entries(layouts)) {
      if (layout !== 'plain' && !['add', 'exp', 'where', 'lt', 'pow'].includes(name)) continue;
      record(`${name} ${dtype} ${layout}`, () => {
        const list = inputs.slice(0, arity).map((x, k) => (k === 0 ? lay(x) : x));
        if (name === 'where') list[0] = list[0].gt(0);
        return run(...list);
      });
    }
  }
  for (const name of ['sum', 'prod', 'amax', 'amin', 'any', 'all', 'mean'])
    for (const dim of [undefined, 0, 1])
      record(`${name} ${dtype} ${String(dim)}`, () => functions[name](inputs[0].view(ROWS, COLUMNS), dim));
  for (const { name: other } of dtypes) record(`to ${dtype} ${other}`, () => inputs[1].to(other));
  for (const x of inputs) x.dispose();
}
console.log(JSON.stringify(results));
