// Runs tests/js on every backend in dist/.
//
//   node scripts/test.mjs [backend ..]    native, simd, threads, relaxed; default: all that are in dist/
//
// With --check, those of the inner loop: what takes long is left to `make test`, and TypeScript is compiled where it changed.
// Tests that compare backends, or test the package, run once.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tests = join(root, 'build/tests');
const once = [
  'parity.test.js',
  'programs_parity.test.js',
  'pack.test.js',
  'generated.test.js',
  'result_types.test.js',
  'imports.test.js',
  'made_up_rows.test.js',
];
// What runs on two of the modules, of which `make test-all` runs everything. That with threads differs from simd in the pool, in memory
// that workers share, and in how it is loaded; the relaxed one from that with threads in the multiply-add of products alone.
const parts = {
  threads: [
    'create.test.js',
    'errors.test.js',
    'generator.test.js',
    'hostile.test.js',
    'inputs.test.js',
    'inspect.test.js',
    'kernel.test.js',
    'lifetime.test.js',
    'matmul.test.js',
    'nn.test.js',
    'options.test.js',
    'ops.test.js',
    'products.test.js',
    'programs.test.js',
    'readme.test.js',
    'reductions.test.js',
    'repeat.test.js',
    'safetensors.test.js',
    'share.test.js',
    'sort_join.test.js',
    'spatial.test.js',
    'threads_change.test.js',
    'training_bits.test.js',
    'trap.test.js',
    'trap_thread.test.js',
    'worker.test.js',
  ],
  relaxed: ['matmul.test.js', 'ops.test.js', 'products.test.js', 'worker.test.js'],
};

// What --check leaves out: seconds each, and seldom what a change breaks
const slow = ['compile_rows.test.js', 'lifetime.test.js', 'long_training.test.js'];

function run(args, env = {}) {
  return (
    spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
      .status === 0
  );
}

function runs(flag) {
  return spawnSync(process.execPath, [flag, '-e', '0']).status === 0;
}

const has = {
  native: existsSync(join(root, 'dist/native', `stria-${process.platform}-${process.arch}.node`)),
  ...Object.fromEntries(
    ['simd', 'threads', 'relaxed'].map((name) => [
      name,
      existsSync(join(root, 'dist/wasm', `stria-${name}.wasm`)),
    ]),
  ),
};
const wanted = process.argv.slice(2).filter((name) => name !== '--check');
const isCheck = process.argv.includes('--check');
const backends = Object.keys(has).filter(
  (name) => has[name] && (wanted.length === 0 || wanted.includes(name)),
);
for (const name of wanted) if (!has[name]) throw new Error(`no ${name} in dist/: run the build first`);

const compiled = ['node_modules/typescript/bin/tsc', '-p', '../../tests/js'];
if (isCheck) {
  compiled.push('--incremental', '--tsBuildInfoFile', join(tests, 'check.tsbuildinfo'));
  const sources = new Set(readdirSync(join(root, '../../tests/js')));
  for (const name of existsSync(tests) ? readdirSync(tests) : [])
    if (name.endsWith('.js') && !sources.has(name.replace(/js$/, 'ts'))) rmSync(join(tests, name));
} else rmSync(tests, { recursive: true, force: true });
if (!run(compiled)) process.exit(1);

const relaxedFlag = runs('--experimental-wasm-relaxed-simd') ? ['--experimental-wasm-relaxed-simd'] : [];
const files = readdirSync(tests).filter((name) => name.endsWith('.test.js'));
for (const name of Object.values(parts).flat())
  if (!files.includes(name)) throw new Error(`there is no ${name}`);
let failed = 0;

// Everything if a test fails, else the summary and what was skipped.
function runTests(label, names, flags, env) {
  const all = `--test-concurrency=${availableParallelism()}`; // without it, one core is left idle
  const args = [...flags, '--test', all, '--test-reporter=spec', ...names.map((name) => join(tests, name))];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 1 << 28,
  });
  const failures = stdout.slice(Math.max(stdout.indexOf('failing tests:'), 0));
  const summary = stdout
    .split('\n')
    .filter((line) => /^ℹ (tests|pass|fail|skipped) |﹣| rows passed /.test(line));
  console.log(`-- javascript ${label}, ${names.length} files`);
  if (status !== 0) console.log(failures + stderr);
  console.log(summary.join('\n'));
  if (status !== 0) failed++;
}

for (const name of backends) {
  const flags = name === 'relaxed' ? relaxedFlag : [];
  const part = process.env.STRIA_FULL || wanted.length > 0 ? undefined : parts[name];
  const own = files.filter(
    (file) =>
      !once.includes(file) &&
      !file.startsWith('browser') &&
      (part === undefined || part.includes(file)) &&
      !(isCheck && slow.includes(file)),
  );
  runTests(name, own, [...flags, '--expose-gc'], { STRIA_TEST_BACKEND: name });
}
if (wanted.length === 0)
  runTests(
    'package',
    files.filter((file) => once.includes(file)),
    [],
    { STRIA_TEST_BACKENDS: backends.join() },
  );
process.exit(failed === 0 ? 0 : 1);
