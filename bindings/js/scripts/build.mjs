// Makes dist/: the compiled TypeScript, and the wasm modules and native addon that CMake built, as far as they exist.
//
//   node scripts/build.mjs [--require=simd,threads,relaxed,native]    fails if one of these is missing
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

const opdump = built('native', process.platform === 'win32' ? 'stria_opdump.exe' : 'stria_opdump');
if (existsSync(opdump)) {
  const tables = execFileSync(opdump);
  const path = join(root, 'build/ops.json');
  mkdirSync(join(root, 'build'), { recursive: true });
  writeFileSync(path, tables);
  run(process.execPath, 'scripts/gen_ops.mjs', path, '--check');
}

run(process.execPath, 'node_modules/typescript/bin/tsc', '-p', '.', '--outDir', dist);
mkdirSync(join(dist, 'wasm'), { recursive: true });
mkdirSync(join(dist, 'native'), { recursive: true });

const parts = {
  native: [
    [built('native', 'stria.node'), join(dist, 'native', `stria-${process.platform}-${process.arch}.node`)],
  ],
};
for (const variant of ['simd', 'threads', 'relaxed'])
  parts[variant] = ['mjs', 'wasm'].map((ending) => {
    const name = `stria-${variant}.${ending}`;
    return [built(`wasm-${variant}`, name), join(dist, 'wasm', name)];
  });

// Bundlers recognise a worker by new Worker(new URL(..), {..}) only, with the options in place.
function copy(from, to) {
  if (!from.endsWith('.mjs')) return copyFileSync(from, to);
  const options = /var workerOptions=(\{[^}]*\});worker=new Worker\((new URL\([^)]*\)),workerOptions\)/;
  const text = readFileSync(from, 'utf8').replace(options, 'worker=new Worker($2,$1)');
  if (text.includes('workerOptions')) throw new Error(`${from}: its worker is not made as expected`);
  writeFileSync(to, text);
}

const missing = [];
for (const [part, files] of Object.entries(parts)) {
  if (files.every(([from]) => existsSync(from))) for (const [from, to] of files) copy(from, to);
  else missing.push(part);
}
if (missing.length > 0) console.log(`dist/ is without: ${missing.join(', ')} (not built)`);
const lacking = required.filter((part) => missing.includes(part));
if (lacking.length > 0 || missing.length === 4) {
  console.error(
    `missing: ${lacking.join(', ') || 'every backend'}; build with \`make js\` in the project's root`,
  );
  rmSync(dist, { recursive: true, force: true });
  process.exit(1);
}
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(dist, join(root, 'dist'));
