// wasm.mjs - stria's wasm modules beside tfjs-wasm and plain JavaScript in one Node process, samples taking turns.
//
//     node wasm.mjs [--quick]      prints one JSON object

import { performance } from 'node:perf_hooks';

const quick = process.argv.includes('--quick');
const variant = process.argv.find((a) => a.startsWith('--variant='))?.slice(10) ?? 'simd';
const threads = Number(process.argv.find((a) => a.startsWith('--threads='))?.slice(10) ?? 1);
const samples = quick ? 7 : 31;
const sampleMs = quick ? 1 : 4;
const absent = [];

const stria = await import('../bindings/js/dist/index.js');
await stria.init({ backend: 'wasm', variant, threads, quiet: true });

let tf = null;
try {
  tf = await import('@tensorflow/tfjs-core');
  const wasm = await import('@tensorflow/tfjs-backend-wasm');
  const { createRequire } = await import('node:module');
  const { dirname } = await import('node:path');
  const entry = createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm');
  wasm.setWasmPaths(dirname(entry) + '/');
  wasm.setThreadsCount?.(1);
  tf.env().set('IS_NODE', true);
  await tf.setBackend('wasm');
  await tf.ready();
} catch (error) {
  absent.push(`tfjs-wasm (${error.message.split('\n')[0]})`);
  tf = null;
}

// ---- inputs: the same numbers everywhere

let seed = 1;
function numbers(n) {
  const out = new Float32Array(n);
  for (let k = 0; k < n; k++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    out[k] = (seed >>> 8) / 0x800000 - 1;
  }
  return out;
}

function input(...shape) {
  const data = numbers(shape.reduce((a, b) => a * b, 1));
  return { data, stria: stria.tensor(data, { shape }), tf: tf?.tensor(data, shape) };
}

/** Plain loops, as a page without a library would have them. */
const plain = {
  add: (a, b, o) => {
    for (let k = 0; k < o.length; k++) o[k] = a[k] + b[k];
  },
  addRow: (a, b, o) => {
    const m = b.length;
    for (let i = 0; i < o.length; i += m) for (let j = 0; j < m; j++) o[i + j] = a[i + j] + b[j];
  },
  addTransposed: (a, b, o) => {
    for (let i = 0; i < 1000; i++)
      for (let j = 0; j < 1000; j++) o[i * 1000 + j] = a[i * 1000 + j] + b[j * 1000 + i];
  },
  exp: (a, _, o) => {
    for (let k = 0; k < o.length; k++) o[k] = Math.exp(a[k]);
  },
  relu: (a, _, o) => {
    for (let k = 0; k < o.length; k++) o[k] = a[k] > 0 ? a[k] : 0;
  },
  sum: (a) => {
    let s = 0;
    for (let k = 0; k < a.length; k++) s += a[k];
    return s;
  },
};

const a = input(1000, 1000);
const b = input(1000, 1000);
const row = input(1000);
const a10 = input(10);
const b10 = input(10);
const out = new Float32Array(1e6);
const out10 = new Float32Array(10);
const bT = b.stria.transpose(0, 1);

// Every library makes a new tensor and lets go of it, as its users do.
const fresh = (f) => () => f().dispose();
const cases = [
  [
    'add 10',
    fresh(() => a10.stria.add(b10.stria)),
    () => tf.add(a10.tf, b10.tf),
    () => plain.add(a10.data, b10.data, out10),
  ],
  [
    'add 1e6',
    fresh(() => a.stria.add(b.stria)),
    () => tf.add(a.tf, b.tf),
    () => plain.add(a.data, b.data, out),
  ],
  [
    '[1000,1000]+[1000]',
    fresh(() => a.stria.add(row.stria)),
    () => tf.add(a.tf, row.tf),
    () => plain.addRow(a.data, row.data, out),
  ],
  [
    'A + B.T 1000x1000',
    fresh(() => a.stria.add(bT)),
    () => {
      const t = tf.transpose(b.tf);
      const y = tf.add(a.tf, t);
      t.dispose();
      return y;
    },
    () => plain.addTransposed(a.data, b.data, out),
  ],
  ['exp 1e6', fresh(() => a.stria.exp()), () => tf.exp(a.tf), () => plain.exp(a.data, null, out)],
  ['relu 1e6', fresh(() => a.stria.relu()), () => tf.relu(a.tf), () => plain.relu(a.data, null, out)],
  ['tanh 1e6', fresh(() => a.stria.tanh()), () => tf.tanh(a.tf), null],
  ['sum 1e6', fresh(() => a.stria.sum()), () => tf.sum(a.tf), () => plain.sum(a.data)],
  ['sum axis 0', fresh(() => a.stria.sum(0)), () => tf.sum(a.tf, 0), null],
  ['sum axis 1', fresh(() => a.stria.sum(1)), () => tf.sum(a.tf, 1), null],
];

function sample(call, count) {
  const start = performance.now();
  for (let k = 0; k < count; k++) call();
  return ((performance.now() - start) / count) * 1000;
}

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];

function measure(calls) {
  const names = Object.keys(calls);
  const counts = {};
  for (const name of names) {
    sample(calls[name], 3);
    let count = 1;
    while (sample(calls[name], count) * count < sampleMs * 1000) count *= 2;
    counts[name] = count;
  }
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let s = 0; s < samples; s++) {
    for (let k = 0; k < names.length; k++) {
      const name = names[(s + k) % names.length];
      times[name].push(sample(calls[name], counts[name]));
    }
  }
  const result = {};
  for (const name of names) {
    const sorted = times[name].sort((x, y) => x - y);
    result[name] = {
      median_us: quantile(sorted, 0.5),
      p25_us: quantile(sorted, 0.25),
      p75_us: quantile(sorted, 0.75),
    };
  }
  return result;
}

// One comparison before anything is timed.
const checkSum = a.stria.add(b.stria);
const checkData = checkSum.dataSync();
plain.add(a.data, b.data, out);
for (let k = 0; k < 1e6; k += 997) {
  if (checkData[k] !== out[k]) throw new Error(`add: element ${k} is ${checkData[k]}, expected ${out[k]}`);
}
checkSum.dispose();

const rows = [];
for (const [name, mine, theirs, loops] of cases) {
  const calls = { stria: mine };
  if (tf) calls['tfjs-wasm'] = () => theirs().dispose();
  if (loops) calls.plain = loops;
  const times = measure(calls);
  const peer = times['tfjs-wasm'];
  rows.push({
    case: name,
    threads,
    times,
    best_peer: peer ? 'tfjs-wasm' : null,
    ratio: peer ? times.stria.median_us / peer.median_us : null,
  });
}
const { backend, isa } = stria.info();
console.log(
  JSON.stringify(
    {
      machine: process.arch,
      node: process.version,
      backend,
      variant,
      isa,
      absent,
      versions: { tfjs: tf?.version_core },
      samples,
      cases: rows,
    },
    null,
    1,
  ),
);
process.exit(0);
