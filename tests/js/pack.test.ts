// The packed package installs into an empty folder, offline, and runs there.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

function run(folder: string, program: string, ...args: string[]): string {
  try {
    return execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return assert.fail(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
  }
}

const program = (options: string): string => `
import { init, tensor, scope, memory } from 'stria';
const { backend, variant } = await init(${options});
const total = scope(() => tensor([[1, 2], [3, 4]]).mul(2).sum().item());
console.log(JSON.stringify({ backend, variant, total, live: memory().liveTensors }));
`;

// require(), where the engine loads ES modules by it and where it does not.
function checkRequire(folder: string): void {
  const text = (name: string): string => `
const { init, tensor, Tensor, memory } = require('${name}');
init().then(({ backend }) => {
  const x = tensor([1, 2]);
  const isTensor = x instanceof Tensor;
  console.log(JSON.stringify({ backend, isTensor, sum: x.add(1).sum().item() }));
});
`;
  for (const name of ['stria', './node_modules/stria/dist/cjs/index.js']) {
    writeFileSync(join(folder, 'require.cjs'), text(name));
    const { isTensor, sum } = JSON.parse(run(folder, process.execPath, 'require.cjs')) as Record<
      string,
      unknown
    >;
    assert.deepEqual([isTensor, sum], [true, 5], name);
  }
}

// The types, checked themselves, in a program without the types of Node; and for a CommonJS program.
function checkTypes(folder: string): void {
  const text = `
import { init, tensor, type Info, type Tensor } from 'stria';
export async function main(): Promise<number> {
  const found: Info = await init();
  const x: Tensor<'float32'> = tensor([found.threads]);
  x[Symbol.dispose]();
  return x.sum().item();
}
`;
  writeFileSync(join(folder, 'program.mts'), text);
  writeFileSync(join(folder, 'program.cts'), text);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  for (const file of ['program.mts', 'program.cts'])
    run(
      folder,
      process.execPath,
      tsc,
      ...['--noEmit', '--strict', '--skipLibCheck', 'false'],
      ...['--target', 'es2022', '--lib', 'es2022,dom', '--module', 'node16', file],
    );
}

test('npm pack, install, run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stria-pack-'));
  try {
    run(root, 'npm', 'pack', '--silent', '--pack-destination', folder);
    const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }');
    run(folder, 'npm', 'install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', `./${tarball}`);
    const manifest = JSON.parse(
      readFileSync(join(folder, 'node_modules/stria/package.json'), 'utf8'),
    ) as Record<string, unknown>;
    assert.equal(manifest.dependencies, undefined, 'no run-time dependencies');
    const scripts = Object.keys((manifest.scripts ?? {}) as object);
    assert.deepEqual(
      scripts.filter((name) => /install|prepare/.test(name)),
      [],
      'no install scripts',
    );
    assert.match(readFileSync(join(folder, 'node_modules/stria/LICENSE'), 'utf8'), /^MIT License/);
    const wasm = readdirSync(join(folder, 'node_modules/stria/dist/wasm'));
    for (const [file, options] of [
      ['auto.mjs', '{}'],
      ['wasm.mjs', "{ backend: 'wasm' }"],
    ] as const) {
      if (file === 'wasm.mjs' && !wasm.includes('stria-simd.wasm')) continue;
      writeFileSync(join(folder, file), program(options));
      const { backend, total, live } = JSON.parse(run(folder, process.execPath, file)) as Record<
        string,
        unknown
      >;
      assert.deepEqual([total, live], [20, 0]);
      if (file === 'wasm.mjs') assert.equal(backend, 'wasm');
    }
    checkRequire(folder);
    checkTypes(folder);
    const shipped = run(folder, 'npm', 'ls', '--all', '--parseable').trim().split('\n');
    assert.equal(shipped.length, 2, 'the package alone');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
