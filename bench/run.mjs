// run.mjs - `make bench`: stria beside its peers. A table here; numbers and a page with plots in build/bench.
//
//     node bench/run.mjs [--quick] [--rows=regex]
//
// --rows=readme runs the short table of the README, --rows=cuda those of CUDA devices. How to read it, how to add a row or a peer: bench/README.md.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { besideTorch, cudaPrograms, listCuda, specOf } from './lib/cuda.mjs';
import { page } from './lib/page.mjs';
import { markdown, rowOf, textHead, textRow } from './lib/report.mjs';
import { compileTime, neighbour, sizes, sumError, temporaries } from './lib/specials.mjs';
import { count, quantile } from './lib/statistics.mjs';
import { jsRows } from './rows/js.mjs';
import { growthRows, nativeRows, readmeRows } from './rows/native.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const build = process.env.STRIA_BUILD ?? path.join(root, 'build/native');
const results = path.join(root, 'build/bench');
const peersDir = path.join(results, 'native');
const option = (name) => process.argv.find((a) => a.startsWith(`--${name}=`))?.slice(name.length + 3);

const quick = process.argv.includes('--quick');
const pattern = option('rows') || '.';
const isReadme = pattern === 'readme';
const wanted = isReadme ? { test: (name) => readmeRows.includes(name) } : new RegExp(pattern);
const isCuda = pattern === 'cuda';
const isWhole = pattern === '.';
const specialNames = ['busy neighbour', 'sum error', 'temporaries', 'size', 'native build'].filter((name) =>
  wanted.test(name),
);
const wants = (name) => specialNames.includes(name);
/** With several threads, before each sample: seconds for the threads of other libraries to fall asleep (ONNX Runtime's take
 * longest), and of calls that wake the library's own. */
const between = (sleep_s, wake_s, js_sleep_s) => ({ sleep_s, wake_s, js_sleep_s });
const settings = quick
  ? {
      samples: 9,
      min_samples: 3,
      sample_s: 0.0005,
      budget_s: 0.1,
      roof_s: 0.05,
      neighbour_calls: 300,
      ...between(0.004, 0.002, 0.01),
    }
  : {
      samples: 41,
      min_samples: 5,
      sample_s: 0.002,
      budget_s: 1.0,
      roof_s: 0.3,
      neighbour_calls: 3000,
      ...between(0.01, 0.008, 0.04),
    };

const report = {
  date: new Date().toISOString(),
  quick,
  machine: {
    cpu: os.cpus()[0]?.model.trim(),
    cores: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
  },
  settings,
  sections: [],
  specials: [],
};

const LONGEST_RUN_MS = 900e3; // a part that takes longer hangs

/** Runs a program that prints JSON objects, one a line, and hands each on; says so if it ends badly. */
async function run(program, args, { input = '', env = {} } = {}, each = () => {}) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
  const watchdog = setTimeout(() => child.kill('SIGKILL'), LONGEST_RUN_MS);
  const closed = new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code === 0 ? null : `ended with ${signal ?? code}`));
  });
  child.stdin.on('error', () => {}); // it ended without reading; `closed` tells
  child.stdin.end(input);
  for await (const text of createInterface({ input: child.stdout })) {
    if (text.startsWith('{')) each(JSON.parse(text));
    else console.log(`  ${text}`);
  }
  const failure = await closed;
  clearTimeout(watchdog);
  if (failure) console.log(`  ${path.basename(program)} ${path.basename(args[0] ?? '')}: ${failure}`);
  return failure;
}

function fail(section, failure) {
  if (failure)
    report.specials.push({ name: section, value: '-', limit: '-', verdict: 'failed', note: failure });
}

function begin(title, fields) {
  console.log(`\n${title}`);
  const section = { title, ...fields, rows: [] };
  report.sections.push(section);
  return section;
}

function sayMachine(machine) {
  console.log(
    `  ${Object.entries(machine.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join('; ')}`,
  );
  for (const [name, why] of Object.entries(machine.absent)) console.log(`  absent: ${name} (${why})`);
}

function sayHead(rows, note) {
  if (rows.length) console.log(`  ${note}\n${textHead()}`);
}

// ---------------------------------------------------------------- native

function buildPeers() {
  if (!existsSync(path.join(peersDir, 'build.ninja')))
    execFileSync('cmake', ['-G', 'Ninja', '-S', path.join(root, 'bench/native'), '-B', peersDir], {
      stdio: 'pipe',
    });
  // one that does not compile is named as absent later
  execFileSync('cmake', ['--build', peersDir, '--', '-k', '0'], { stdio: 'pipe' });
}

const python =
  process.env.STRIA_BENCH_PYTHON ?? (existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3');
const library = ['libstria.so', 'libstria.dylib'].map((name) => path.join(build, name)).find(existsSync);

function nativePlan(rows, threads, more = {}) {
  const calls = path.join(build, 'bench/stria_bench.so');
  const ops = path.join(root, 'src/core/table/ops.def');
  return JSON.stringify({
    library,
    calls,
    ops_def: ops,
    peers_dir: peersDir,
    rows,
    threads,
    settings,
    roof: true,
    specials: [],
    ...more,
  });
}

const runPython = (input, env, each) =>
  run(python, [path.join(root, 'bench/native/run.py')], { input, env }, each);

/** PyTorch's better instruction set: on machines with AVX-512 it has two, and neither is always the faster. */
async function torchCapability(candidates) {
  if (candidates.length === 0) return {};
  const rows = nativeRows.filter((r) =>
    ['add 1e6', 'exp 1e6', 'sum all 1e6', 'softmax 1024x1024'].includes(r.name),
  );
  let best = { mean: Infinity };
  for (const capability of candidates) {
    const logs = [];
    await runPython(nativePlan(rows, [1], { roof: false }), { ATEN_CPU_CAPABILITY: capability }, (record) => {
      if (record.samples?.torch) logs.push(Math.log(quantile(record.samples.torch, 0.5)));
    });
    const mean = logs.reduce((a, b) => a + b, 0) / logs.length;
    if (logs.length && mean < best.mean) best = { capability, mean };
  }
  return best.capability ? { ATEN_CPU_CAPABILITY: best.capability } : {};
}

function torchCandidates() {
  if (process.env.ATEN_CPU_CAPABILITY) return [];
  const facts = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : '';
  return /\bavx512f\b/.test(facts) ? ['avx2', 'avx512'] : [];
}

async function runNative() {
  const memory = os.freemem();
  const largest = quick || memory < 4 * 2 ** 30 ? 1e7 : 1e8;
  const rows = [...nativeRows, ...(isReadme ? [] : growthRows(largest))].filter((r) => wanted.test(r.name));
  if (rows.length === 0 && !wants('busy neighbour') && !wants('sum error')) return;
  if (!library) {
    console.log(`absent: libstria in ${build}`);
    return;
  }
  try {
    buildPeers();
  } catch (error) {
    console.log(
      `  some native peers do not compile: ${String(error.stdout ?? error.message).match(/.*error:.*/)?.[0] ?? ''}`,
    );
  }
  const env = await torchCapability(torchCandidates());
  const specs = new Map(rows.map((r) => [r.name, r]));
  const threads = os.availableParallelism() > 1 ? [1, 2] : [1];
  // the rows of both thread counts come in turns, and so does the table
  const section = begin('Native, one thread and two', { kind: 'native' });
  let last = null;
  const failure = await runPython(
    nativePlan(rows, threads, { specials: specialNames, roof: rows.length > 0 }),
    env,
    (record) => {
      if (record.machine) {
        Object.assign(section, record.machine);
        sayMachine(record.machine);
        if (record.machine.roof) sayRoof(record.machine.roof);
        sayHead(rows, 'outputs are reused by every library (out=) unless the row says otherwise');
      } else if (record.special === 'neighbour') report.specials.push(neighbour(record));
      else if (record.special === 'sum_error') report.specials.push(sumError(record.errors, 'native'));
      else if (record.row) {
        const row = rowOf(record, specs.get(record.row), section, section.roof);
        section.rows.push(row);
        const label = record.row === last ? `  ${row.threads} threads` : row.name;
        last = record.row;
        console.log(textRow({ ...row, name: label }));
      }
    },
  );
  fail('native run', failure);
}

function sayRoof(roof) {
  for (const [threads, levels] of Object.entries(roof.bandwidth)) {
    const parts = Object.entries(levels).map(
      ([name, kinds]) =>
        `${name} ${Object.values(kinds)
          .map((rate) => Math.round(rate / 1e9))
          .join('/')}`,
    );
    const flops = Math.round(roof.flops[threads] / 1e9);
    console.log(`  roof, ${threads} thread(s): read/copy/add GB/s ${parts.join(', ')}; ${flops} GFLOP/s`);
  }
}

// ---------------------------------------------------------------- JavaScript

const relaxedFlag = (() => {
  const flag = '--experimental-wasm-relaxed-simd'; // older Node; newer ones have it on and do not know the flag
  try {
    execFileSync(process.execPath, [flag, '-e', ''], { stdio: 'ignore' });
    return [flag];
  } catch {
    return [];
  }
})();

const jsSections = [
  { title: 'WebAssembly, one thread', kind: 'wasm', backend: 'wasm', variant: 'simd', threads: 1 },
  { title: 'WebAssembly, two threads', kind: 'wasm', backend: 'wasm', variant: 'threads', threads: 2 },
  {
    title: 'WebAssembly with relaxed SIMD, one thread',
    kind: 'wasm',
    backend: 'wasm',
    variant: 'relaxed',
    threads: 1,
    only: /matmul|exp/,
  },
  { title: 'Node addon, one thread', kind: 'addon', backend: 'native', threads: 1 },
  { title: 'Node addon, two threads', kind: 'addon', backend: 'native', threads: 2 },
];

async function runJavaScript() {
  const specs = new Map(jsRows.map((r) => [r.name, r]));
  for (const plan of jsSections) {
    const names = jsRows
      .map((r) => r.name)
      .filter((name) => wanted.test(name) && (!plan.only || plan.only.test(name)));
    const specials = wants('sum error') && plan.kind === 'wasm' && plan.variant === 'simd';
    if (names.length === 0 && !specials) continue;
    const section = begin(plan.title, {
      kind: plan.kind,
      variant: plan.variant ?? null,
      threads: plan.threads,
    });
    const flags = plan.variant === 'relaxed' ? relaxedFlag : [];
    const given = JSON.stringify({ ...plan, rows: names, settings, specials });
    const args = [...flags, path.join(root, 'bench/js/run.mjs'), given];
    const failure = await run(process.execPath, args, {}, (record) => {
      if (record.machine) {
        Object.assign(section, record.machine);
        sayMachine(record.machine);
        sayHead(names, 'every call makes a new output and ends it, unless the library says otherwise');
      } else if (record.special) report.specials.push(sumError(record.errors, 'wasm'));
      else if (record.row) {
        const row = rowOf(record, specs.get(record.row), section, null);
        section.rows.push(row);
        console.log(textRow(row));
      }
    });
    fail(plan.title, failure);
  }
}

async function runTemporaries() {
  for (const plan of [{ backend: 'wasm', variant: 'simd' }, { backend: 'native' }]) {
    const records = [];
    const given = JSON.stringify({ ...plan, iterations: quick ? 100000 : 1000000 });
    const failure = await run(
      process.execPath,
      [path.join(root, 'bench/js/temporaries.mjs'), given],
      {},
      (record) => {
        if (record.way) records.push(record);
      },
    );
    const where = plan.backend === 'wasm' ? 'wasm' : 'addon';
    if (records.length) report.specials.push(...temporaries(records, where));
    fail(`temporaries, ${where}`, failure);
  }
}

// ---------------------------------------------------------------- CUDA

/** PyTorch's samples by row; in a process of its own. */
async function runTorchCuda(rows, section) {
  const found = new Map();
  const plan = { rows, samples: quick ? 9 : settings.samples, sample_s: quick ? 0.001 : 0.005 };
  const failure = await run(
    python,
    [path.join(root, 'bench/cuda/torch_rows.py')],
    { input: JSON.stringify(plan) },
    (record) => {
      if (record.version) section.versions.torch = record.version;
      else if (record.absent) section.absent.torch = record.absent;
      else found.set(record.row, record.samples.torch);
    },
  );
  fail('PyTorch on CUDA', failure);
  return found;
}

async function runCuda() {
  const programs = cudaPrograms(root);
  const rows = programs === undefined ? [] : listCuda(programs.program).filter((r) => wanted.test(r.row));
  if (programs === undefined && isCuda) return void console.log('absent: bench_cuda (preset native)');
  if (rows.length === 0) return;
  const section = begin('CUDA', { kind: 'cuda', threads: 1, versions: {}, absent: {} });
  const records = [];
  const args = [...programs.peer, ...(quick ? ['--quick'] : []), ...rows.map((r) => r.row)];
  const failure = await run(programs.program, args, { env: programs.env }, (record) => {
    if (record.absent)
      section.skipped = { rows: rows.length, reason: record.absent.replace(/^device: /, '') };
    else if (record.absentPeer) section.absent.peer = record.absentPeer;
    else if (record.machine) section.machine = record.machine;
    else records.push(record);
  });
  fail('CUDA', failure);
  if (section.skipped) return void console.log(`  ${rows.length} rows skipped, ${section.skipped.reason}`);
  if (section.machine === undefined) return;
  const { isHost, device, capability } = section.machine;
  section.versions[device] = capability;
  const torch = isHost ? new Map() : await runTorchCuda(rows, section);
  sayMachine(section);
  if (isHost) section.title = 'CUDA, on the host runtime: the rows run, the times mean nothing';
  if (isHost) console.log(`  ${section.title}`);
  sayHead(rows, 'the device waited for; beside a copy of as many bytes, cuBLASLt called directly, PyTorch');
  const say = (record, spec) => {
    const row = rowOf({ ...record, threads: 1 }, spec, section, null);
    section.rows.push(row);
    console.log(textRow(row));
  };
  for (const record of records) {
    say(record, specOf(record, section.machine));
    const samples = torch.get(record.row);
    if (samples === undefined || !record.samples.stria) continue;
    const beside = besideTorch(record, samples, section.machine);
    say(beside.record, beside.spec);
  }
}

// ---------------------------------------------------------------- all of it

function saySpecials() {
  if (report.specials.length === 0) return;
  console.log('\nOther measurements');
  for (const s of report.specials) {
    console.log(`  ${s.name}: ${s.value} (${s.limit}): ${s.verdict}`);
    if (s.note) console.log(`      ${s.note}`);
  }
}

function saySummary() {
  if (report.sections.some((s) => s.rows.length)) console.log('\nSummary');
  for (const section of report.sections) {
    if (section.skipped)
      console.log(`  ${section.title}: ${section.skipped.rows} skipped, ${section.skipped.reason}`);
    const byThreads = section.threads ? [section.threads] : [...new Set(section.rows.map((r) => r.threads))];
    for (const threads of byThreads) {
      const rows = section.rows.filter((r) => r.threads === threads && !r.growth);
      if (rows.length === 0) continue;
      const counts = Object.entries(count(rows)).map(([verdict, n]) => `${n} ${verdict}`);
      console.log(`  ${section.title} (threads: ${threads}): ${counts.join(', ')}`);
    }
  }
}

mkdirSync(results, { recursive: true });
console.log(
  `${report.machine.cpu}, ${report.machine.cores} cores, ${report.machine.system}${quick ? '; a quick run' : ''}`,
);
if (!isCuda) await runNative();
if (!isReadme) await runCuda();
const dist = path.join(root, 'bindings/js/dist');
if (!isReadme && !isCuda) {
  if (existsSync(path.join(dist, 'index.js'))) {
    await runJavaScript();
    if (wants('temporaries')) await runTemporaries();
    if (wants('size')) report.specials.push(...sizes(dist));
  } else console.log('absent: bindings/js/dist (run `make js`)');
}
if (wants('native build') && !(isWhole && quick))
  report.specials.push(compileTime(root, path.join(results, 'compile'), os.availableParallelism()));
else if (isWhole)
  console.log("\nA quick run does not measure the time of the native build; ROWS='native build' does.");

saySpecials();
saySummary();
if (isReadme) {
  const peers = [
    { name: 'numpy', title: 'NumPy' },
    { name: 'torch', title: 'PyTorch' },
  ];
  console.log(`\n${markdown(report.sections[0]?.rows ?? [], peers)}`);
}
const name = isWhole ? (quick ? 'quick' : 'results') : isReadme ? 'readme' : 'selected';
writeFileSync(path.join(results, `${name}.json`), JSON.stringify(report, null, 1) + '\n');
writeFileSync(path.join(results, `${name}.html`), page(report));
console.log(`\nwritten: build/bench/${name}.json, build/bench/${name}.html`);
const broken = report.sections
  .flatMap((s) => s.rows)
  .filter((r) => r.verdict === 'wrong' || r.verdict === 'failed');
if (broken.length) {
  console.log(`wrong or failing: ${broken.map((r) => r.name).join(', ')}`);
  process.exitCode = 1;
}
