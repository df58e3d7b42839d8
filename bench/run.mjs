// run.mjs - `make bench`: stria beside its peers; a table here, the numbers in build/bench/*.json.
//
//     node bench/run.mjs [--quick]
//
// Peers and stria run in one process on the same inputs and take turns, so that a change of the machine's mood touches all
// of them alike. A peer that is not installed is named.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const build = process.env.STRIA_BUILD ?? path.join(root, 'build/native');
const results = path.join(root, 'build/bench');
const quick = process.argv.includes('--quick') ? ['--quick'] : [];
mkdirSync(results, { recursive: true });

function run(program, args, env = {}) {
  return execFileSync(program, args, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 26,
  });
}

function save(name, result) {
  const file = path.join(results, `${name}.json`);
  const stamp = { date: new Date().toISOString(), cpu: os.cpus()[0]?.model, cores: os.cpus().length };
  writeFileSync(file, JSON.stringify({ ...stamp, ...result }, null, 1) + '\n');
  console.log(`  written to ${path.relative(root, file)}\n`);
}

const microseconds = (t) => (t === undefined ? '-' : t < 10 ? t.toFixed(2) : t.toFixed(0));
const cell = (t) =>
  t ? `${microseconds(t.median_us)} (${microseconds(t.p25_us)}-${microseconds(t.p75_us)})` : '-';

function table(rows) {
  const widths = rows[0].map((_, k) => Math.max(...rows.map((row) => row[k].length)));
  for (const row of rows)
    console.log(
      '  ' + row.map((text, k) => (k ? text.padStart(widths[k]) : text.padEnd(widths[k]))).join('  '),
    );
}

function showPeers(title, result) {
  console.log(title);
  for (const name of result.absent ?? []) console.log(`  absent: ${name}`);
  if (!result.cases.length) return;
  const names = [...new Set(result.cases.flatMap((c) => Object.keys(c.times)))];
  table([
    ['microseconds: median (quartiles)', 'threads', ...names, 'stria / best peer'],
    ...result.cases.map((c) => [
      c.case,
      String(c.threads),
      ...names.map((name) => cell(c.times[name])),
      c.ratio === null ? '-' : `${c.ratio.toFixed(2)} (${c.best_peer})`,
    ]),
  ]);
}

// ---- whole calls from C

const program = path.join(build, 'bench/bench_ops');
if (existsSync(program)) {
  const cases = run(program, quick, { STRIA_NUM_THREADS: '1' })
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  console.log(`Calls from C: ${cases[0].isa}, ${cases[0].threads} thread`);
  table([
    ['nanoseconds', 'median', 'quartiles'],
    ...cases.map((c) => [c.case, c.median_ns.toFixed(1), `${c.p25_ns.toFixed(1)}-${c.p75_ns.toFixed(1)}`]),
  ]);
  save('c', { cases });
} else {
  console.log(`absent: ${program} (configure with -DSTRIA_BUILD_BENCH=ON)\n`);
}

// ---- beside NumPy and PyTorch

const library = ['libstria.so', 'libstria.dylib'].map((name) => path.join(build, name)).find(existsSync);
const python =
  process.env.STRIA_BENCH_PYTHON ?? (existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3');
if (library) {
  const text = run(python, [
    path.join(root, 'bench/peers.py'),
    library,
    path.join(root, 'src/core/ops.def'),
    ...quick,
  ]);
  const result = JSON.parse(text);
  const versions = Object.entries(result.versions ?? {}).map(([name, version]) => `${name} ${version}`);
  showPeers(`Beside ${versions.join(', ') || 'no peer'}: ${result.isa ?? ''}`, result);
  save('native', result);
} else {
  console.log(`absent: libstria in ${build}\n`);
}

// ---- wasm

if (existsSync(path.join(root, 'bindings/js/dist/index.js'))) {
  const modules = [
    ['simd', 1],
    ['threads', 2],
  ];
  for (const [variant, threads] of modules) {
    const args = [
      path.join(root, 'bench/wasm.mjs'),
      `--variant=${variant}`,
      `--threads=${threads}`,
      ...quick,
    ];
    const result = JSON.parse(run(process.execPath, args).replace(/^[^{]*/, ''));
    showPeers(
      `WebAssembly in Node ${result.node}: ${variant} module, tfjs ${result.versions.tfjs ?? 'absent'}`,
      result,
    );
    save(`wasm-${variant}`, result);
  }
} else {
  console.log('absent: bindings/js/dist (run `make js`)');
}
