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
  return execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

const program = (options: string): string => `
import { init, tensor, scope, memory } from 'stria';
const { backend, variant } = await init(${options});
const total = scope(() => tensor([[1, 2], [3, 4]]).mul(2).sum().item());
console.log(JSON.stringify({ backend, variant, total, live: memory().liveTensors }));
`;

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
    const wasm = readdirSync(join(folder, 'node_modules/stria/dist/wasm'));
    for (const [file, options] of [
      ['auto.mjs', '{}'],
      ['wasm.mjs', "{ backend: 'wasm' }"],
    ] as const) {
      if (file === 'wasm.mjs' && wasm.length === 0) continue;
      writeFileSync(join(folder, file), program(options));
      const { backend, total, live } = JSON.parse(run(folder, process.execPath, file)) as Record<
        string,
        unknown
      >;
      assert.deepEqual([total, live], [20, 0]);
      if (file === 'wasm.mjs') assert.equal(backend, 'wasm');
    }
    const shipped = run(folder, 'npm', 'ls', '--all', '--parseable').trim().split('\n');
    assert.equal(shipped.length, 2, 'the package alone');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
