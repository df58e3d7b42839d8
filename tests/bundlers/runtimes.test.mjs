// The packed package in this Node; with STRIA_FULL=1 in Node 20, 22 and 24, Deno and Bun, each from npm
// (toolchains/setup.sh runtimes).
import test, { before } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { app, installApp } from './build.mjs';
import { checkValues } from './values.mjs';

const modules = path.join(path.dirname(fileURLToPath(import.meta.url)), 'runtimes/node_modules');
const isFull = Boolean(process.env.STRIA_FULL);

// [name, package, program, arguments before those of the program]
const others = [
  ...['node20', 'node22', 'node24'].map((name) => ['Node', name, `${name}/bin/node`, []]),
  ['Deno', '@deno/linux-x64-glibc', '@deno/linux-x64-glibc/deno', ['run', '-A']],
  ['Bun', '@oven/bun-linux-x64-baseline', '@oven/bun-linux-x64-baseline/bin/bun', []],
];

function found([name, folder, program, args]) {
  const file = path.join(modules, folder, 'package.json');
  assert.ok(existsSync(file), `${folder} is not installed: toolchains/setup.sh runtimes`);
  const version = JSON.parse(readFileSync(file, 'utf8')).version.replace(/^v/, '');
  return { name, version, program: path.join(modules, program), args };
}

const runtimes = isFull
  ? others.map(found)
  : [{ name: 'Node', version: process.versions.node, program: process.execPath, args: [] }];

function run(program, args) {
  const options = { cwd: app, encoding: 'utf8', timeout: 60000 };
  const { status, signal, stdout, stderr } = spawnSync(program, args, options);
  assert.equal(status, 0, `${signal ?? ''} ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

before(() => installApp());

for (const { name, version, program, args } of runtimes) {
  const compute = (options) => {
    const result = run(program, [...args, 'runtime.mjs', JSON.stringify(options)]);
    checkValues(result);
    return result;
  };
  test(`${name} ${version}`, { skip: process.platform !== 'linux' && 'reads /proc' }, async (t) => {
    await t.test('the addon', () => {
      const { backend, reason } = compute({});
      assert.deepEqual([backend, reason], ['native', 'the native addon loads here']);
    });
    await t.test('WebAssembly', () => {
      const { backend, variant } = compute({ backend: 'wasm' });
      assert.equal(backend, 'wasm');
      assert.equal(variant, version.startsWith('20.') ? 'threads' : 'relaxed');
    });
    await t.test('WebAssembly without threads', () => {
      assert.equal(compute({ backend: 'wasm', variant: 'simd' }).variant, 'simd');
    });
    await t.test('threads of WebAssembly compute, within one turn of the event loop', () => {
      const settings = { backend: 'wasm', variant: 'threads', measured: true };
      const [first, second] = compute({ ...settings, threads: 2 }).busy;
      assert.ok(second > first / 10, `busy for ${first} and ${second}`);
      const [alone, other = 0] = compute({ ...settings, threads: 1 }).busy;
      assert.ok(other < alone / 10, `one thread asked for, two busy: ${alone} and ${other}`);
    });
    await t.test('require', { skip: name === 'Deno' && 'its programs given as text are ES modules' }, () => {
      const text = `const { init, ones } = require('stria');
        init().then(({ backend }) => console.log(JSON.stringify([backend, ones([3]).sum().item()])));`;
      assert.deepEqual(run(program, [...args, '-e', text]), ['native', 3]);
    });
    await t.test('a program given as text', { skip: name !== 'Node' && 'an option of Node' }, () => {
      // threads must not inherit its options
      const text = "process.argv.splice(1, 0, 'text'); await import('./runtime.mjs');";
      const options = { backend: 'wasm', variant: 'threads', threads: 2, measured: true };
      const result = run(program, ['--input-type=module', '-e', text, JSON.stringify(options)]);
      checkValues(result);
      const [first, second] = result.busy;
      assert.ok(second > first / 10, `busy for ${first} and ${second}`);
    });
  });
}
