// Mutation testing: makes small slips in the sources, one at a time, and runs the tests that should notice.
//
//   node tools/mutate.mjs [--count=100] [--seed=1] [--first=0] [--match=regex] [--minutes=M] [--require=90]
//   node tools/mutate.mjs --replay=SEED:NUMBER      one mutant of the present sources again
//   node tools/mutate.mjs --replay=PATH:LINE:COLUMN:TEXT=>REPLACEMENT
//   node tools/mutate.mjs --list                    mutants alone, without running them
//
// Mutant NUMBER of SEED is a pure function of both and of the sources: an operator (mutate_sites.mjs has them), then a place. The
// mutant is built in a copy of the sources under build/mutate, with one instruction set, and the suites of the test program run on
// it, those named after the file first, until one fails; then, for what JavaScript reaches, the tests of the package on the addon.
// Each ends as killed, survived or "did not compile". build/mutate/report.jsonl keeps one line for each; survivors that
// mutate_equivalent.json explains are counted apart. The exit status is 1 if less than --require percent are killed.
//
// Left out: sources of other targets (NEON, WebAssembly, CUDA), generated files; and of the suites the slow ones, where the file
// is not theirs, and test_ops (test_hash holds the same loops to recorded bits). So a survivor here may still fail `make test`.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sitesOf } from './mutate_sites.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = join(root, 'build/mutate');
const tree = join(home, 'source');
const folders = ['src/core', 'src/simd', 'bindings/js/src', 'bindings/js/native'];
const otherTargets = /neon|wasm|\.gen\.ts$|opdump\.c$/;
const leftOut = /^test_ops$|_simde$|_cuda/;
const slow = /^(test_(matmul|reduce|mask|arg|buffered)|fuzz_iter(_bytes)?)$/;

const options = Object.fromEntries(
  process.argv.slice(2).map((arg) => {
    const [, name, value] = /^--(\w+)(?:=([^]*))?$/.exec(arg) ?? [];
    if (!name) throw new Error(`'${arg}' is no option; see the head of ${basename(process.argv[1])}`);
    return [name, value ?? 'true'];
  }),
);
const seed = Number(options.seed ?? 1);
const requirement = Number(options.require ?? 90);

// ---------------------------------------------------------------- choosing

// splitmix64, as in tests/native/support.c
function* randomNumbers(state) {
  for (;;) {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let z = state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    yield z ^ (z >> 31n);
  }
}

function allSites() {
  const list = execFileSync('git', ['ls-files', '--', ...folders], { cwd: root, encoding: 'utf8' });
  const files = list.split('\n').filter((path) => /\.(c|h|ts)$/.test(path) && !otherTargets.test(path));
  const wanted = new RegExp(options.match ?? '');
  const byOperator = new Map();
  for (const path of files.filter((name) => wanted.test(name)).sort())
    for (const site of sitesOf(readFileSync(join(root, path), 'utf8'), path)) {
      if (!byOperator.has(site.operator)) byOperator.set(site.operator, []);
      byOperator.get(site.operator).push({ path, ...site });
    }
  return [...byOperator.keys()].sort().map((operator) => byOperator.get(operator));
}

function lineOf(text, at) {
  const begin = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return { number: text.slice(0, at).split('\n').length, begin, end: end < 0 ? text.length : end };
}

/** A mutant with its texts: of the file, and of the line before and after. */
function describe(site, name) {
  const text = readFileSync(join(root, site.path), 'utf8');
  const mutated = text.slice(0, site.start) + site.replacement + text.slice(site.end);
  const line = lineOf(text, site.start);
  const after = lineOf(mutated, site.start);
  return {
    name,
    path: site.path,
    operator: site.operator,
    line: line.number,
    column: site.start - line.begin + 1,
    from: text.slice(site.start, site.end),
    to: site.replacement,
    before: text.slice(line.begin, line.end).trim(),
    after: mutated.slice(after.begin, after.end).trim(),
    mutated,
  };
}

function choose(sites, number) {
  const random = randomNumbers((BigInt(seed) << 32n) + BigInt(number));
  const pick = (list) => list[Number(random.next().value % BigInt(list.length))];
  return describe(pick(pick(sites)), `${seed}:${number}`);
}

function replayed(text) {
  const numbers = /^(\d+):(\d+)$/.exec(text);
  if (numbers) {
    options.seed = numbers[1];
    const random = randomNumbers((BigInt(numbers[1]) << 32n) + BigInt(numbers[2]));
    const pick = (list) => list[Number(random.next().value % BigInt(list.length))];
    return describe(pick(pick(allSites())), text);
  }
  const [, path, line, column, from, to] = /^([^:]+):(\d+):(\d+):([^]*)=>([^]*)$/.exec(text) ?? [];
  if (!path) throw new Error(`'${text}' is neither SEED:NUMBER nor PATH:LINE:COLUMN:TEXT=>REPLACEMENT`);
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + Number(column) - 1;
  return describe({ path, operator: 'given', start, end: start + from.length, replacement: to }, text);
}

// ---------------------------------------------------------------- building

function run(program, args, { cwd = tree, seconds = 3600, env = {} } = {}) {
  // what a mutant allocates without end, or repeats, stops with it
  const limited = ['-c', 'ulimit -v 16000000; ulimit -c 0; exec "$@"', 'sh', program, ...args];
  const result = spawnSync(program === 'node' ? program : 'sh', program === 'node' ? args : limited, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, STRIA_FUZZ_COUNT: '2000', STRIA_FUZZ_VALUES: '1000', ...env },
    timeout: Math.ceil(seconds * 1000),
    killSignal: 'SIGKILL',
    maxBuffer: 1 << 28,
  });
  return { ok: result.status === 0, skipped: result.status === 77, text: `${result.stdout}${result.stderr}` };
}

function copySources() {
  mkdirSync(home, { recursive: true });
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const path of list.split('\n').filter((name) => name !== '' && existsSync(join(root, name)))) {
    const to = join(tree, path);
    const text = readFileSync(join(root, path));
    // files that are as they were keep their time: Ninja builds what changed
    if (existsSync(to) && readFileSync(to).equals(text)) continue;
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(root, path), to);
  }
  const modules = join(tree, 'bindings/js/node_modules');
  if (!existsSync(modules)) symlinkSync(join(root, 'bindings/js/node_modules'), modules);
}

const buildFolder = (isa) => join(home, isa, 'native');

function configure(isa) {
  if (existsSync(join(buildFolder(isa), 'build.ninja'))) return;
  const definitions = [
    'CMAKE_BUILD_TYPE=Mutant',
    'CMAKE_C_FLAGS_MUTANT=-O1 -DSTRIA_DEBUG',
    `STRIA_ONLY_ISAS=${isa}`,
    'STRIA_BUILD_NAPI=ON',
    'STRIA_BUILD_CUDA=OFF',
  ];
  const args = ['-G', 'Ninja', '-S', tree, '-B', buildFolder(isa), ...definitions.map((one) => `-D${one}`)];
  const { ok, text } = run('cmake', args, { cwd: root });
  if (!ok) throw new Error(text);
}

// Objects of mutants are not kept.
function build(isa, env = { CCACHE_READONLY: '1' }) {
  const jobs = String(availableParallelism());
  const args = ['--build', buildFolder(isa), '-j', jobs, '--target', 'stria_tests', 'stria_napi'];
  return run('cmake', args, { env });
}

// ---------------------------------------------------------------- testing

const isaOf = (path) =>
  /vec_(avx512|scalar)|gemm_(avx512|scalar)/.exec(path)?.slice(1).find(Boolean) ?? 'avx2';
const suiteTimes = new Map();

/** Every suite on unchanged sources, with its time: it must pass. Times of the same sources are kept. */
function measureSuites(isa) {
  if (suiteTimes.has(isa)) return;
  const kept = join(home, isa, 'times.json');
  const version = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  configure(isa);
  const built = build(isa, {});
  if (!built.ok) throw new Error(`${isa}: the unchanged sources do not build:\n${built.text}`);
  const known = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : null;
  if (known?.version === version) {
    suiteTimes.set(isa, new Map(known.times));
    return;
  }
  const program = join(buildFolder(isa), 'stria_tests');
  const times = new Map();
  for (const suite of execFileSync(program, [], { encoding: 'utf8' }).trim().split('\n')) {
    if (leftOut.test(suite)) continue;
    if (slow.test(suite)) {
      times.set(suite, 60);
      continue;
    }
    const begin = Date.now();
    const { ok, skipped, text } = run(program, [suite]);
    if (!ok && !skipped)
      throw new Error(`${isa}: ${suite} fails on the unchanged sources:\n${text.slice(-2000)}`);
    if (ok) times.set(suite, (Date.now() - begin) / 1000);
  }
  suiteTimes.set(isa, times);
  writeFileSync(kept, JSON.stringify({ version, times: [...times] }));
}

const isNamedAfter = (suite, path) => {
  const [stem] = basename(path).split(/[._]/);
  return new RegExp(`^(test|fuzz)_${stem}`).test(suite);
};

/** The suites in the order to try them: those named after the file, then quick ones first. */
function orderSuites(isa, path) {
  const rank = (suite) => (isNamedAfter(suite, path) ? 0 : 1);
  const suites = [...suiteTimes.get(isa)].filter(([suite]) => !slow.test(suite) || isNamedAfter(suite, path));
  return suites.sort(([a, x], [b, y]) => rank(a) - rank(b) || x - y);
}

function testC(isa, path) {
  const program = join(buildFolder(isa), 'stria_tests');
  for (const [suite, time] of orderSuites(isa, path))
    if (!run(program, [suite], { seconds: 20 + 10 * time }).ok) return suite;
  return null;
}

function testJavaScript(isa) {
  const cwd = join(tree, 'bindings/js');
  const made = run('node', ['scripts/build.mjs'], { cwd, env: { STRIA_BUILD_DIR: join(home, isa) } });
  if (!made.ok) return { compiles: false };
  const tested = run('node', ['scripts/test.mjs', 'native'], { cwd, seconds: 600 });
  return { compiles: true, killer: tested.ok ? null : 'JavaScript' };
}

let isJavaScriptChecked = false;

/** The tests of the package must pass on unchanged sources: else all that reaches them would count as killed. */
function checkJavaScript(isa) {
  if (isJavaScriptChecked) return;
  const { compiles, killer } = build(isa, {}).ok ? testJavaScript(isa) : { compiles: false };
  if (!compiles || killer) throw new Error('the tests of the package fail on the unchanged sources');
  isJavaScriptChecked = true;
}

function judge(mutant) {
  const isTypeScript = mutant.path.endsWith('.ts');
  const isa = isaOf(mutant.path);
  const target = join(tree, mutant.path);
  measureSuites(isa);
  checkJavaScript(isa);
  writeFileSync(target, mutant.mutated);
  try {
    if (!isTypeScript && !build(isa).ok) return { result: 'did not compile' };
    const killer = mutant.path.startsWith('src/') ? testC(isa, mutant.path) : null;
    if (killer) return { result: 'killed', killer };
    const js = testJavaScript(isa);
    if (!js.compiles) return { result: 'did not compile' };
    return js.killer ? { result: 'killed', killer: js.killer } : { result: 'survived' };
  } finally {
    writeFileSync(target, readFileSync(join(root, mutant.path)));
  }
}

// ---------------------------------------------------------------- reporting

const equivalents = JSON.parse(readFileSync(join(root, 'tools/mutate_equivalent.json'), 'utf8'));
const whyEquivalent = ({ path, before, after }) =>
  equivalents.find((one) => one.path === path && one.before === before && one.after === after)?.why;

function show(mutant, { result, killer }) {
  const where = `${mutant.path}:${mutant.line}:${mutant.column}`;
  console.log(`${mutant.name} ${result}${killer ? ` by ${killer}` : ''}: ${where}: ${mutant.operator}`);
  if (result === 'survived') console.log(`    - ${mutant.before}\n    + ${mutant.after}`);
}

function summarise(results) {
  const count = (wanted) => results.filter(({ result }) => result === wanted).length;
  const killed = count('killed');
  const real = killed + count('survived');
  const share = real > 0 ? (100 * killed) / real : 100;
  console.log(
    `mutate: ${results.length} mutants of seed ${seed}: ${killed} killed, ${count('survived')} survived, ` +
      `${count('equivalent')} equivalent, ${count('did not compile')} did not compile; ${share.toFixed(1)} % killed`,
  );
  return share >= requirement;
}

function main() {
  const begin = Date.now();
  const count = Number(options.count ?? 100);
  const first = Number(options.first ?? 0);
  const sites = options.replay ? null : allSites();
  const mutants = options.replay
    ? [replayed(options.replay)]
    : Array.from({ length: count }, (_, k) => choose(sites, first + k));
  if (options.list) {
    for (const mutant of mutants) show(mutant, { result: 'mutant' });
    return true;
  }
  copySources();
  const results = [];
  for (const mutant of mutants) {
    if (options.minutes && Date.now() - begin > 60000 * Number(options.minutes)) {
      console.log(
        `mutate: stopped after ${options.minutes} minutes, ${results.length} of ${mutants.length} mutants`,
      );
      break;
    }
    const why = whyEquivalent(mutant);
    const outcome = why ? { result: 'equivalent' } : judge(mutant);
    results.push(outcome);
    show(mutant, outcome);
    const { mutated, ...facts } = mutant;
    appendFileSync(join(home, 'report.jsonl'), `${JSON.stringify({ ...facts, ...outcome })}\n`);
  }
  return summarise(results);
}

process.exit(main() ? 0 : 1);
