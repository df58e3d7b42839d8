// Mutation testing: makes small slips in the sources, one at a time, and runs the tests that should notice.
//
//   node tools/mutate.mjs [--count=100] [--seed=1] [--first=0] [--match=regex] [--minutes=M] [--require=90] [--jobs=2]
//   node tools/mutate.mjs --replay=SEED:NUMBER[,SEED:NUMBER ..]      mutants of the present sources again
//   node tools/mutate.mjs --replay=PATH:LINE:COLUMN:TEXT=>REPLACEMENT
//   node tools/mutate.mjs --list                    mutants alone, without running them
//   --tests=regex           these suites and tests of the package alone, such as those that should notice
//   --folder=build/mutate   where copies and builds lie; two runs at once need two
//   --resume                what an earlier run of the same sources and tests found is taken from its report
//
// Mutant NUMBER of SEED: operators (mutate_sites.mjs has them) are drawn at random, and each time one is drawn it is applied at the
// next of its places, in an order that hashes of the seed, the file's name and the line's text give. So sources that move to another
// folder, or change elsewhere, keep their mutants, though a new place may come between them, and none comes twice. mutate_tree.mjs
// builds and tests a mutant in a copy of the sources under build/mutate; --jobs of them at once, by default one for each core, at most
// four. Each ends as killed, survived, "did not compile", or "same code": the compiler makes the same program of it.
// build/mutate/report.jsonl keeps one line for each; those that mutate_equivalent.json explains are not run and counted apart. The exit
// status is 1 if less than --require percent are killed, if none can be, or if so many do not compile that the share says little.
//
// Left out: sources of other targets (NEON, WebAssembly and the code that is made for it, CUDA, pages), generated files; and of the suites the slow ones, where the
// file is not theirs, and test_ops: test_hash holds the same loops to recorded bits. So a survivor here may still fail `make test`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sitesOf } from './mutate_sites.mjs';
import { Tree } from './mutate_tree.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = [
  'src/autograd',
  'src/compile',
  'src/core',
  'src/simd',
  'bindings/js/src',
  'bindings/js/native',
];
const otherTargets = /neon|wasm|web\.ts$|\.gen\.ts$|opdump\.c$/;
const mostThatDoNotCompile = 40; // percent

const options = Object.fromEntries(
  process.argv.slice(2).map((arg) => {
    const [, name, value] = /^--(\w+)(?:=([^]*))?$/.exec(arg) ?? [];
    if (!name) throw new Error(`'${arg}' is no option; see the head of ${basename(process.argv[1])}`);
    return [name, value ?? 'true'];
  }),
);
const home = resolve(root, options.folder ?? 'build/mutate');
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

function lineOf(text, at) {
  const begin = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return { number: text.slice(0, at).split('\n').length, begin, end: end < 0 ? text.length : end };
}

function sources() {
  const list = execFileSync('git', ['ls-files', '--', ...folders], { cwd: root, encoding: 'utf8' });
  return list.split('\n').filter((path) => /\.(c|h|ts)$/.test(path) && !otherTargets.test(path));
}

/** Sites of all files by operator, each with its key: the same wherever the file lies and whatever else stands in it. */
function allSites(seed) {
  const files = sources();
  const wanted = new RegExp(options.match ?? '');
  const byOperator = new Map();
  for (const path of files.filter((name) => wanted.test(name)).sort()) {
    const text = readFileSync(join(root, path), 'utf8');
    const seen = new Map();
    for (const site of sitesOf(text, path)) {
      const { begin, end } = lineOf(text, site.start);
      const line = text.slice(begin, end);
      const what = [basename(path), line.trim(), site.start - begin - line.search(/\S/), site.replacement];
      const plain = [seed, site.operator, ...what].join('\0');
      const earlier = seen.get(plain) ?? 0;
      seen.set(plain, earlier + 1);
      const key = createHash('sha256').update(`${plain}\0${earlier}`).digest('hex');
      if (!byOperator.has(site.operator)) byOperator.set(site.operator, []);
      byOperator.get(site.operator).push({ path, key, ...site });
    }
  }
  for (const sites of byOperator.values()) sites.sort((a, b) => (a.key < b.key ? -1 : 1));
  return byOperator;
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

/** Mutants first .. first + count - 1 of a seed. */
function choose(seed, first, count) {
  const byOperator = allSites(seed);
  const operators = [...byOperator.keys()].sort();
  const random = randomNumbers(BigInt(seed));
  const chosen = [];
  for (let total = 0; total < first + count && operators.length > 0;) {
    const at = Number(random.next().value % BigInt(operators.length));
    const site = byOperator.get(operators[at]).shift();
    if (!site) operators.splice(at, 1);
    else if (total++ >= first) chosen.push(describe(site, `${seed}:${total - 1}`));
  }
  return chosen;
}

function replayed(text) {
  if (/^\d+:\d+(,\d+:\d+)*$/.test(text))
    return text.split(',').flatMap((name) => {
      const [seed, number] = name.split(':').map(Number);
      return choose(seed, number, 1);
    });
  const [, path, line, column, from, to] = /^([^:]+):(\d+):(\d+):([^]*)=>([^]*)$/.exec(text) ?? [];
  if (!path) throw new Error(`'${text}' is neither SEED:NUMBER nor PATH:LINE:COLUMN:TEXT=>REPLACEMENT`);
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + Number(column) - 1;
  const found = lines.join('\n').slice(start, start + from.length);
  if (found !== from) throw new Error(`'${found}' stands there, not '${from}'`);
  return [describe({ path, operator: 'given', start, end: start + from.length, replacement: to }, text)];
}

// ---------------------------------------------------------------- judging

const equivalents = JSON.parse(readFileSync(join(root, 'tools/mutate_equivalent.json'), 'utf8'));
const whyEquivalent = ({ path, before, after }) =>
  equivalents.find((one) => one.file === basename(path) && one.before === before && one.after === after)?.why;

/** Entries whose line is no more: they explain nothing. */
function reportStale() {
  for (const { file, before } of equivalents) {
    const paths = sources().filter((path) => basename(path) === file);
    const holds = (path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .some((line) => line.trim() === before);
    if (!paths.some(holds)) console.log(`mutate: mutate_equivalent.json: ${file} has no line '${before}'`);
  }
}

function show(mutant, { result, killer, isTimeout }) {
  const where = `${mutant.path}:${mutant.line}:${mutant.column}`;
  const by = killer ? ` by ${killer}${isTimeout ? ' (time limit)' : ''}` : '';
  console.log(`${mutant.name} ${result}${by}: ${where}: ${mutant.operator}`);
  if (result === 'survived') console.log(`    - ${mutant.before}\n    + ${mutant.after}`);
}

const report = join(home, 'report.jsonl');
const keyOf = ({ sources, path, line, column, after }) => [sources, path, line, column, after].join('\0');

/** What the report says of mutants, by keyOf. */
function known() {
  if (!options.resume || !existsSync(report)) return new Map();
  const lines = readFileSync(report, 'utf8').trim().split('\n').map(JSON.parse);
  return new Map(lines.map((one) => [keyOf(one), one]));
}

/** Takes mutants from the list until it is empty or the time is over. */
async function work(tree, mutants, results, deadline, found) {
  for (;;) {
    const mutant = Date.now() < deadline ? mutants.shift() : undefined;
    if (!mutant) return;
    const { mutated, ...facts } = { ...mutant, sources: tree.hash };
    const earlier = found.get(keyOf(facts));
    const outcome = whyEquivalent(mutant)
      ? { result: 'equivalent' }
      : (earlier ?? (await tree.judge(mutant)));
    results.push(outcome);
    show(mutant, outcome);
    if (!earlier) appendFileSync(report, `${JSON.stringify({ ...facts, ...outcome })}\n`);
  }
}

function summarise(results) {
  const count = (wanted) => results.filter(({ result }) => result === wanted).length;
  const killed = count('killed');
  const byTime = results.filter(({ isTimeout }) => isTimeout).length;
  const dead = count('did not compile');
  const real = killed + count('survived');
  const share = (100 * killed) / real;
  console.log(
    `mutate: ${results.length} mutants: ${killed} killed (${byTime} by a time limit), ${count('survived')} survived, ` +
      `${count('equivalent')} equivalent, ${count('same code')} of the same code, ${dead} did not compile; ${real > 0 ? share.toFixed(1) : 'none'} % killed`,
  );
  const isTold = 100 * dead <= mostThatDoNotCompile * results.length;
  if (real === 0) console.log('mutate: FAILED: none that could be killed');
  else if (!isTold) console.log(`mutate: FAILED: more than ${mostThatDoNotCompile} % did not compile`);
  else if (share < requirement) console.log(`mutate: FAILED: less than ${requirement} % killed`);
  else return true;
  return false;
}

async function main() {
  const begin = Date.now();
  const mutants = options.replay
    ? replayed(options.replay)
    : choose(Number(options.seed ?? 1), Number(options.first ?? 0), Number(options.count ?? 100));
  reportStale();
  if (options.list) {
    for (const mutant of mutants) show(mutant, { result: 'mutant' });
    return true;
  }
  mkdirSync(home, { recursive: true });
  const cores = availableParallelism();
  const jobs = Math.max(1, Math.min(Number(options.jobs ?? Math.min(cores, 4)), mutants.length));
  const wanted = new RegExp(options.tests ?? '');
  const deadline = options.minutes ? begin + 60000 * Number(options.minutes) : Infinity;
  const results = [];
  const total = mutants.length;
  const trees = Array.from(
    { length: jobs },
    (_, k) => new Tree(root, join(home, String(k)), Math.ceil(cores / jobs), wanted),
  );
  const found = known();
  await Promise.all(trees.map((tree) => work(tree, mutants, results, deadline, found)));
  if (mutants.length > 0)
    console.log(`mutate: stopped after ${options.minutes} minutes, ${results.length} of ${total} mutants`);
  return summarise(results);
}

process.exit((await main()) ? 0 : 1);
