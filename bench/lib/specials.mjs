// specials.mjs - measurements that are not a row beside peers: each is { name, value, limit, verdict, note }.

import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';

import { time } from './report.mjs';

const verdictOf = (value, limit) => (value <= limit ? 'met' : 'missed');

/** From the times of native/run.py's busy_neighbour. */
export function neighbour({ cores, times_ns: t }) {
  const value = t.busy_2.mean / t.quiet_1.mean;
  const each = ['quiet_1', 'quiet_2', 'busy_1', 'busy_2'].map((key) => {
    const [state, threads] = key.split('_');
    return `${threads} thread${threads > 1 ? 's' : ''} ${state} ${time(t[key].mean)} (median ${time(t[key].median)})`;
  });
  return {
    name: 'busy neighbour: mean of add 1e6 on 2 threads beside it / on 1 thread without it',
    value: value.toFixed(2),
    limit: '<= 2',
    verdict: cores < 2 ? 'needs two cores' : verdictOf(value, 2),
    note: each.join(', '),
  };
}

/** Relative errors of the f32 sum of a million numbers, by library. */
export function sumError(errors, where) {
  const others = Object.entries(errors).filter(([name]) => name !== 'stria');
  return {
    name: `f32 sum of 1e6, relative error, ${where}`,
    value: errors.stria.toExponential(1),
    limit: '<= 1e-7',
    verdict: verdictOf(errors.stria, 1e-7),
    note: others.map(([name, e]) => `${name} ${e.toExponential(1)}`).join(', '),
  };
}

/** From the lines of js/temporaries.mjs: speed beside a loop that disposes, and the most memory that was held. */
export function temporaries(records, where) {
  const disposed = records.find((r) => r.way === 'disposed');
  return records
    .filter((r) => r.way !== 'disposed')
    .map((r) => {
      const slower = r.ns / disposed.ns;
      const peak = r.peakBytes / 2 ** 20;
      const good = !r.failure && slower <= 1.5 && peak <= 256;
      return {
        name: `temporaries left to the collector, ${r.way}, ${where}`,
        value: `${slower.toFixed(2)} x the time of disposing, peak ${Math.round(peak)} MiB`,
        limit: '<= 1.5 x, <= 256 MiB',
        verdict: r.failure ? 'failed' : good ? 'met' : 'missed',
        note: `${time(r.ns)} an iteration, disposing ${time(disposed.ns)}${r.failure ? `; ${r.failure}` : ''}`,
      };
    });
}

/** Sizes of what a page loads: one wasm module with its loader, and the JavaScript; Brotli at its best. */
export function sizes(dist) {
  const read = (folder, wanted) =>
    readdirSync(path.join(dist, folder))
      .filter(wanted)
      .map((name) => readFileSync(path.join(dist, folder, name)));
  const packed = (files) => files.reduce((sum, bytes) => sum + brotliCompressSync(bytes).length, 0);
  // what a page without a bundler loads
  const reached = new Set();
  const reach = (name) => {
    if (reached.has(name)) return;
    reached.add(name);
    const text = readFileSync(path.join(dist, name), 'utf8');
    for (const [, next] of text.matchAll(/(?:from|import) '\.\/([\w.]+\.js)'/g)) reach(next);
  };
  reach('index.js');
  const script = packed(read('.', (name) => reached.has(name)));
  return ['simd', 'threads', 'relaxed'].map((variant) => {
    const files = read('wasm', (name) => name.includes(variant) && !name.includes('inline'));
    if (files.length === 0)
      return {
        name: `size of wasm and JavaScript, ${variant}`,
        value: 'not built',
        limit: '-',
        verdict: 'not built',
        note: '',
      };
    const total = script + packed(files);
    return {
      name: `size of wasm and JavaScript, ${variant}`,
      value: `${Math.round(total / 1000)} kB brotli`,
      limit: '-',
      verdict: 'no target',
      note: `JavaScript ${Math.round(script / 1000)} kB of it, not minified; tests/bundlers has a limit for it minified`,
    };
  });
}

/** Seconds of a build of everything in a folder of its own. */
export function compileTime(root, folder, jobs) {
  const quiet = { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] };
  const limit = 300;
  const base = { name: `native build from scratch, ${jobs} jobs`, limit: `<= ${limit} s` };
  rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync('cmake', ['--preset', 'native', '-B', folder], quiet);
    const start = performance.now();
    execFileSync('cmake', ['--build', folder, '-j', String(jobs)], { ...quiet, timeout: 1.2e6 });
    const seconds = (performance.now() - start) / 1000;
    return {
      ...base,
      value: `${Math.round(seconds)} s`,
      verdict: verdictOf(seconds, limit),
      note: 'library, addon, tests',
    };
  } catch (error) {
    return { ...base, value: '-', verdict: 'failed', note: String(error.message).split('\n')[0] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
