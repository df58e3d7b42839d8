// Makes dist/: the compiled TypeScript, and the wasm modules and native addon that CMake built, as far as they exist.
//
//   node scripts/build.mjs [--require=simd,threads,relaxed,native]    fails if one of these is missing
//
// It is made once: later calls do nothing until something that it is made of changes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeCommonJs } from './commonjs.mjs';
import { writeFflate } from './vendor.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const builds = process.env.STRIA_BUILD_DIR ?? join(root, '../../build');
// dist/ is made under another name first, so that it is never half there
const dist = join(root, `build/dist-${process.pid}`);
const required =
  process.argv
    .find((arg) => arg.startsWith('--require='))
    ?.slice(10)
    .split(',') ?? [];

function built(...path) {
  return join(builds, ...path);
}

function run(program, ...args) {
  execFileSync(program, args, { cwd: root, stdio: 'inherit' });
}

const addon = join(dist, 'native', `stria-${process.platform}-${process.arch}.node`);
const wasm = (variant, ...endings) =>
  endings.map((ending) => {
    const name = `stria-${variant}.${ending}`;
    return [built(`wasm-${variant}`, name), join(dist, 'wasm', name)];
  });
// The module with relaxed SIMD runs in the JavaScript of the one without.
const parts = {
  native: [[built('native', 'stria.node'), addon]],
  simd: wasm('simd', 'mjs', 'wasm'),
  threads: wasm('threads', 'mjs', 'wasm'),
  relaxed: wasm('relaxed', 'wasm'),
};

const missing = Object.keys(parts).filter((part) => !parts[part].every(([from]) => existsSync(from)));
const lacking = required.filter((part) => missing.includes(part));
if (lacking.length > 0 || missing.length === 4) {
  console.error(
    `missing: ${lacking.join(', ') || 'every backend'}; build with \`make js\` in the project's root`,
  );
  process.exit(1);
}
if (missing.length > 0) console.log(`dist/ is without: ${missing.join(', ')} (not built)`);

const opdump = built('native', process.platform === 'win32' ? 'stria_opdump.exe' : 'stria_opdump');
const tables = existsSync(opdump) ? execFileSync(opdump) : undefined;

// What dist/, and what the generator writes, are made of. As long as it is the same, dist/ stays as it is.
function hashOfInputs() {
  const hash = createHash('sha256');
  const add = (path) => {
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts?.isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name));
    else if (facts) hash.update(`\0${path}\0`).update(readFileSync(path));
  };
  for (const name of [
    'src',
    'scripts',
    'native',
    'README.md',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
  ])
    add(join(root, name));
  for (const name of ['LICENSE', 'docs', 'src/core']) add(join(root, '../..', name));
  for (const [from] of Object.values(parts).flat()) add(from);
  return hash.update(tables ?? '').digest('hex');
}

// What Emscripten wrote around a module must neither look for files nor wait at its top: src/load_wasm.ts does the one,
// and bundlers refuse the other.
function checkGlue(variant) {
  const file = built(`wasm-${variant}`, `stria-${variant}.mjs`);
  if (!existsSync(file)) return;
  const text = readFileSync(file, 'utf8');
  const found = /import\.meta|\bimport\s*\(|\bawait\s|\brequire\(|new URL\(|new Function|\beval\(/.exec(text);
  if (found) throw new Error(`${file} contains "${found[0]}": written by an unknown version of Emscripten`);
  const twin = built('wasm-threads', 'stria-threads.mjs');
  // in the inner loop one of them may be of yesterday
  if (variant !== 'relaxed' || !['threads', 'relaxed'].every((part) => required.includes(part))) return;
  const other = text
    .replaceAll('stria-relaxed', 'stria-threads')
    .replace(/var _stria_wasm_relaxed=[^;]*;/, '');
  if (other !== readFileSync(twin, 'utf8'))
    throw new Error(`${file} is not as ${twin}, which is to run its module`);
}

// Emscripten's glue without its functions for the module's exports: src/backend_wasm.ts calls those by themselves.
function trimmed(text) {
  const short = text.replace(/var (_stria_\w+)=Module\["\1"\]=[^;]*;/g, '');
  if (short.includes('_stria_abi_')) throw new Error("Emscripten's glue names exports in an unknown way");
  return short;
}

function copyPart(from, to) {
  if (from.endsWith('.mjs')) writeFileSync(to, trimmed(readFileSync(from, 'utf8')));
  else copyFileSync(from, to);
}

// The program of a thread in a page: the module's JavaScript again, so that it stands alone. A bundler that shares a file
// between programs may get it wrong (Parcel 2.16 does), and one that knows nothing of workers has one file to copy.
function writeWorker() {
  const text = trimmed(readFileSync(built('wasm-threads', 'stria-threads.mjs'), 'utf8'));
  const end = 'export default Module;';
  const [body, rest] = text.split(end);
  if (rest === undefined)
    throw new Error(`stria-threads.mjs lacks "${end}": written by an unknown version of Emscripten`);
  writeFileSync(join(dist, 'wasm/worker.js'), `${body}void Module({ striaThread: true });\n`);
}

Object.keys(parts).forEach(checkGlue);
const stamp = join(root, 'build/dist.sha256');
const inputs = hashOfInputs();
const isMade = existsSync(join(root, 'dist')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs;
if (isMade) process.exit(0);
rmSync(stamp, { force: true });

mkdirSync(join(root, 'build'), { recursive: true });
if (tables) {
  const path = join(root, 'build/ops.json');
  writeFileSync(path, tables);
  run(process.execPath, 'scripts/gen_ops.mjs', path, '--check');
}
run(process.execPath, 'node_modules/typescript/bin/tsc', '-p', '.', '--outDir', dist);
writeFflate(root, dist);
mkdirSync(join(dist, 'wasm'), { recursive: true });
mkdirSync(join(dist, 'native'), { recursive: true });

for (const part of Object.keys(parts))
  if (!missing.includes(part)) for (const [from, to] of parts[part]) copyPart(from, to);
// Imports are static, so that bundlers follow them: what is not built stands there as a module that says so.
for (const part of ['simd', 'threads'].filter((name) => missing.includes(name)))
  writeFileSync(
    join(dist, `wasm/stria-${part}.mjs`),
    `export default () => Promise.reject(new Error('stria-${part} is not built'));\n`,
  );
if (!missing.includes('native')) {
  const hash = createHash('sha256').update(readFileSync(addon)).digest('hex');
  writeFileSync(`${addon}.sha256`, `${hash}\n`);
}
if (!missing.includes('threads')) writeWorker();
if (!missing.includes('simd')) {
  const bytes = readFileSync(join(dist, 'wasm/stria-simd.wasm')).toString('base64');
  writeFileSync(join(dist, 'wasm/stria-simd.inline.js'), `export default '${bytes}';\n`);
}
writeCommonJs(dist);
copyFileSync(join(root, '../../LICENSE'), join(root, 'LICENSE')); // npm takes it from here
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(dist, join(root, 'dist'));
writeFileSync(stamp, inputs);
