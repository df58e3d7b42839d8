// run.mjs - stria beside other JavaScript libraries in one Node process, samples of all of them taking turns.
//
//     node run.mjs '{"backend": "wasm", "variant": "simd", "threads": 1, "rows": [names], "settings": {..}}'
//
// Prints one JSON object a line, as native/run.py does: the libraries, then one per row with samples in nanoseconds, last
// {"done": true}. Results are compared with the first library's before anything is timed.

import { writeSync } from 'node:fs';
import { setImmediate, setTimeout } from 'node:timers/promises';

import { measure } from '../lib/sampling.mjs';
import { jsRows } from '../rows/js.mjs';
import { loadPeers } from './peers.mjs';

const plan = JSON.parse(process.argv[2]);
const say = (record) => writeSync(1, JSON.stringify(record) + '\n');
// A plain loop whose first call takes longer (s) is not called again: that call is its only sample.
const TOO_SLOW = 0.3;
const size = (shape) => shape.reduce((a, b) => a * b, 1);

let seed = 1;
function numbers(n) {
  const out = new Float32Array(n);
  for (let k = 0; k < n; k++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    out[k] = (seed >>> 8) / 0x800000 - 1;
  }
  return out;
}

const levels = (n) => numbers(n).map((x) => Math.floor(128 * x + 128));

function input(row, shape) {
  const data = (row.levels ? levels : numbers)(size(shape));
  return row.bytes === 'in' ? Uint8Array.from(data) : data;
}

/** async (count) => seconds. Calls that return promises are awaited one by one. */
function timed(call, end, isAsync) {
  if (isAsync)
    return async (count) => {
      const start = performance.now();
      for (let k = 0; k < count; k++) end(await call());
      return (performance.now() - start) / 1000;
    };
  return async (count) => {
    const start = performance.now();
    for (let k = 0; k < count; k++) end(call());
    return (performance.now() - start) / 1000;
  };
}

function difference(mine, reference, tolerance) {
  if (mine.length !== reference.length) return `${mine.length} elements instead of ${reference.length}`;
  let worst = 0;
  for (let k = 0; k < mine.length; k++) {
    const gap = Math.abs(mine[k] - reference[k]);
    if (!(gap <= tolerance * Math.max(1, Math.abs(reference[k])))) worst = Math.max(worst, gap || Infinity);
  }
  return worst ? `differs by up to ${worst.toPrecision(3)}` : null;
}

const isMissing = (error) => error instanceof TypeError && /is not a function/.test(error.message);

/** The jobs of a row that agree with the first library, and what became of the others. */
async function prepare(row, peers) {
  const data = Object.fromEntries(Object.entries(row.in).map(([name, shape]) => [name, input(row, shape)]));
  const found = { jobs: {}, once: {}, wrong: {}, failed: {}, missing: null };
  let reference = null;
  for (const [name, peer] of Object.entries(peers)) {
    try {
      const tensors = {};
      for (const [key, shape] of Object.entries(row.in)) tensors[key] = peer.tensor(data[key], shape);
      const call = await peer.job(row, tensors);
      if (!call) continue;
      const start = performance.now();
      const first = call();
      const isAsync = typeof first?.then === 'function';
      const result = await first;
      const seconds = (performance.now() - start) / 1000;
      const elements = Float32Array.from(await peer.read(result));
      peer.end(result);
      const wrong = reference && difference(elements, reference, row.tolerance ?? 1e-5);
      reference ??= elements;
      if (wrong) found.wrong[name] = wrong;
      else if (name === 'plain' && seconds > TOO_SLOW) found.once[name] = [seconds * 1e9];
      else found.jobs[name] = timed(call, peer.end, isAsync);
    } catch (error) {
      if (name === 'stria' && isMissing(error)) found.missing = error.message;
      else found.failed[name] = String(error.message).split('\n')[0];
    }
  }
  return found;
}

/** Relative error of the f32 sum of a million positive numbers, by library, against the sum in whole numbers. */
async function sumErrors() {
  const row = jsRows.find((r) => r.name === 'sum all 1e6');
  const data = numbers(1e6).map((x) => Math.abs(x));
  let exact = 0n; // in units of 2^-23, which all of them are multiples of
  for (const x of data) exact += BigInt(x * 2 ** 23);
  const errors = {};
  for (const [name, peer] of Object.entries(peers)) {
    const call = await peer.job(row, { a: peer.tensor(data, row.in.a) });
    const result = await call();
    const [sum] = await peer.read(result);
    errors[name] = Math.abs(sum * 2 ** 23 - Number(exact)) / Number(exact);
    peer.end(result);
  }
  return errors;
}

const { peers, absent } = await loadPeers(plan);
const versions = Object.fromEntries(Object.entries(peers).map(([name, peer]) => [name, peer.version]));
say({ machine: { isa: peers.stria.isa, node: process.version, versions, absent } });
for (const row of jsRows.filter((r) => plan.rows.includes(r.name))) {
  const { jobs, once, wrong, failed, missing } = await prepare(row, peers);
  // a turn of the event loop lets libraries clean up; with threads, those of another library may still be spinning
  const pause = () => (plan.threads > 1 ? setTimeout(plan.settings.js_sleep_s * 1000) : setImmediate());
  const wake = plan.threads > 1 ? plan.settings.wake_s : 0;
  const samples = { ...(await measure(jobs, plan.settings, pause, wake)), ...once };
  const read = Object.values(row.in).reduce((sum, shape) => sum + size(shape), 0);
  const bytes = (row.bytes === 'in' ? 1 : 4) * read + (row.bytes === 'out' ? 1 : 4) * size(row.out);
  say({ row: row.name, threads: plan.threads, missing, wrong, failed, bytes, samples });
}
if (plan.specials) say({ special: 'sum_error', errors: await sumErrors() });
say({ done: true });
process.exit(0);
