// Measures rows against MPFR (build/native/accuracy), those of complex numbers against long double (test_complex), and writes tests/data/accuracy.json, from which `make generate` makes docs/accuracy.md.
//
//   node tools/accuracy.mjs [--quick | --all] [--f32 | --f64] [row ..]
//   node tools/accuracy.mjs --from=FILE          lines that were measured before
//
// A line takes the place of one of the same row and dtype that looked at fewer inputs, or at as many and found less, or whose bits were
// others (tests/data/hashes.txt).
import { spawn } from 'node:child_process';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const path = `${root}tests/data/accuracy.json`;
const hashes = new Map(
  readFileSync(`${root}tests/data/hashes.txt`, 'utf8')
    .split('\n')
    .map((line) => line.split(' ')),
);

const key = ({ row, part, dtype }) => `${row} ${part} ${dtype}`;

function read() {
  try {
    return new Map(JSON.parse(readFileSync(path, 'utf8')).map((line) => [key(line), line]));
  } catch (error) {
    if (error.code === 'ENOENT') return new Map();
    throw error;
  }
}

// Written after each line, so that a long run may be stopped.
function add(line) {
  const lines = read();
  const old = lines.get(key(line));
  const hash = hashes.get(`${line.row}.${line.dtype}`);
  const isBetter = old && (old.count > line.count || (old.count === line.count && old.ulp > line.ulp));
  if (!isBetter || old.hash !== hash) lines.set(key(line), { ...line, hash });
  const sorted = [...lines.keys()].sort().map((name) => JSON.stringify(lines.get(name)));
  writeFileSync(path, `[\n${sorted.join(',\n')}\n]\n`);
}

const args = process.argv.slice(2);
const rows = args.filter((arg) => !arg.startsWith('-'));
const counts = { '--quick': 25_000, '--all': 3_000_000 };
const count = counts[args.find((arg) => arg in counts)] ?? 300_000;

function take(text) {
  if (!text.startsWith('{')) return;
  const line = JSON.parse(text);
  if (rows.length > 0 && !rows.includes(line.row)) return;
  console.log(`${key(line)}: ${line.ulp ?? `${line.misses} misses`}, ${line.count} inputs`);
  add(line);
}

async function measure(program, ...rest) {
  const child = spawn(`${root}build/native/${program}`, rest, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const text of createInterface({ input: child.stdout })) take(text);
  return child.exitCode ?? (await new Promise((resolve) => child.on('exit', resolve)));
}

const from = args[0]?.startsWith('--from=') && args[0].slice('--from='.length);
if (from) {
  for await (const text of createInterface({ input: createReadStream(from) })) take(text);
} else {
  let status = await measure('accuracy', '--table', ...args);
  if (!args.includes('--f32') && !args.includes('--f64'))
    status ||= await measure('stria_tests', 'test_complex', '--table', String(count));
  if (status !== 0) process.exit(1);
}
