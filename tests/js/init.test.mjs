// Loading: every call of init settles, with a reason, and takes the next best where the best cannot be had. Each program runs
// in a process of its own, since a backend stays once it is loaded.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../bindings/js');
const wasm = path.join(root, 'dist/wasm');

// Runs the text of a module in Node, with `stria` and what it prints as JSON at its end.
function run(text, { flags = [], cwd = root } = {}) {
  const program = `
    import * as stria from 'stria';
    import { readFileSync } from 'node:fs';
    const { init, ones } = stria;
    const report = (error) => {
      const { name, code, op, argument, expected, got, message } = error;
      return { isStria: error instanceof stria.StriaError, name, code, op, argument, expected, got, message };
    };
    const total = () => ones([300, 1000]).exp().sum().item();
    ${text}`;
  const args = [...flags, '--input-type=module', '-e', program];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    timeout: 60000,
  });
  assert.equal(status, 0, `${signal ?? ''} ${stderr}`);
  return JSON.parse(stdout);
}

// A copy of files of the package in a folder of its own.
function inFolder(files, body) {
  const folder = mkdtempSync(path.join(tmpdir(), 'stria-init-'));
  try {
    for (const [from, to] of files) cpSync(path.join(root, from), path.join(folder, to), { recursive: true });
    return body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const print = (expression) => `console.log(JSON.stringify(${expression}));`;
const answer = 815484.5; // 300000 e, rounded to float32

for (const variant of ['simd', 'threads'])
  test(`${variant} runs in a program given as text`, () => {
    const { info, sum } = run(
      `const info = await init({ backend: 'wasm', variant: '${variant}', threads: 4 });
       ${print('{ info, sum: total() }')}`,
    );
    assert.equal(info.variant, variant);
    assert.equal(info.reason, 'asked for');
    assert.ok(Math.abs(sum - answer) < 1, String(sum));
  });

test('256 threads: none is started before it is needed, and no more than there are cores', () => {
  const { threads, start, call, started, cores } = run(`
    import { existsSync, readdirSync } from 'node:fs';
    import { availableParallelism } from 'node:os';
    const count = () => existsSync('/proc/self/task') ? readdirSync('/proc/self/task').length : 0;
    const begin = performance.now();
    const { threads } = await init({ backend: 'wasm', variant: 'threads', threads: 256 });
    const ready = performance.now();
    const before = count();
    ones([4000, 1000]).exp();
    const [start, call] = [ready - begin, performance.now() - ready];
    const started = [before, count() - before];
    ${print('{ threads, start, call, started, cores: availableParallelism() }')}`);
  assert.equal(threads, 256);
  assert.ok(start < 3000, `init: ${start} ms`);
  assert.ok(call < 3000, `first call: ${call} ms`);
  assert.ok(started[1] < cores, `${started} threads before and by the first call, on ${cores} cores`);
});

test('a given file is the module it is', () => {
  for (const variant of ['simd', 'threads']) {
    const file = JSON.stringify(path.join(wasm, `stria-${variant}.wasm`));
    for (const option of [
      `wasmUrl: ${file}`,
      `wasmBinary: readFileSync(${file})`,
      `wasmModule: new WebAssembly.Module(readFileSync(${file}))`,
    ]) {
      const [info, sum] = run(
        `const info = await init({ backend: 'wasm', ${option} }); ${print('[info, total()]')}`,
      );
      assert.deepEqual([info.variant, info.reason], [variant, 'the module given'], option);
      assert.ok(Math.abs(sum - answer) < 1);
    }
  }
});

test('a module that is given means WebAssembly, also where the addon loads', () => {
  const file = JSON.stringify(path.join(wasm, 'stria-simd.wasm'));
  for (const name of ['wasmBinary', 'wasmModule']) {
    const given =
      name === 'wasmBinary' ? `readFileSync(${file})` : `new WebAssembly.Module(readFileSync(${file}))`;
    const [refused, info] = run(`
      const refused = await init({ backend: 'native', ${name}: ${given} }).catch(report);
      const info = await init({ ${name}: ${given} });
      ${print('[refused, info]')}`);
    assert.deepEqual([info.backend, info.variant], ['wasm', 'simd']);
    assert.deepEqual([refused.code, refused.op, refused.argument], ['ERR_CONFIG', 'init', name]);
    assert.match(
      refused.message,
      new RegExp(`^init: ${name} must be left out for the native backend, got an object`),
    );
  }
});

test('what cannot be loaded is refused, and the process goes on', () => {
  const file = JSON.stringify(path.join(wasm, 'stria-simd.wasm'));
  const errors = run(`
    const empty = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
    const cases = {
      noExports: { wasmModule: new WebAssembly.Module(empty) },
      noModule: { wasmModule: {} },
      noBytes: { wasmBinary: 'text' },
      brokenBytes: { wasmBinary: readFileSync(${file}).subarray(0, 5000) },
      missing: { wasmUrl: '/nowhere/stria.wasm' },
      otherVariant: { wasmUrl: ${file}, variant: 'threads' },
    };
    const errors = {};
    for (const [name, options] of Object.entries(cases))
      errors[name] = await init({ backend: 'wasm', ...options }).then(() => 'loaded', report);
    errors.then = (await init({ backend: 'wasm', variant: 'simd' })).variant;
    ${print('errors')}`);
  const shape = ({ isStria, name, code, op, argument }) => [isStria, name, code, op, argument];
  assert.deepEqual(shape(errors.noExports), [true, 'ArgumentError', 'ERR_ARGUMENT', 'init', 'the module']);
  assert.equal(
    errors.noExports.message,
    'init: the module must be one of stria-*.wasm, got a module without its exports',
  );
  assert.deepEqual(shape(errors.noModule), [true, 'ArgumentError', 'ERR_ARGUMENT', 'init', 'wasmModule']);
  assert.deepEqual(shape(errors.noBytes), [true, 'ArgumentError', 'ERR_ARGUMENT', 'init', 'wasmBinary']);
  assert.deepEqual(shape(errors.brokenBytes), [true, 'UnsupportedError', 'ERR_UNSUPPORTED', 'init', '']);
  assert.match(errors.brokenBytes.message, /^init: wasmBinary does not compile: /);
  assert.deepEqual(shape(errors.missing), [true, 'UnsupportedError', 'ERR_UNSUPPORTED', 'init', '']);
  assert.match(errors.missing.message, /^init: file:\/\/\/nowhere\/stria\.wasm does not load: ENOENT/);
  assert.deepEqual(shape(errors.otherVariant), [true, 'StriaError', 'ERR_CONFIG', 'init', 'variant']);
  assert.equal(errors.otherVariant.expected, "'simd', which the module is");
  assert.equal(errors.then, 'simd', 'a failed init may be tried again');
});

test('a folder with the simd module alone: it is the one that runs, and the reason names the other', () => {
  inFolder([['dist/wasm/stria-simd.wasm', 'stria-simd.wasm']], (folder) => {
    const url = JSON.stringify(`${folder}/`);
    const info = run(`${print(`await init({ backend: 'wasm', wasmUrl: ${url}, quiet: true })`)}`);
    assert.deepEqual([info.variant, info.threads], ['simd', 1]);
    assert.match(info.reason, /^no '(relaxed|threads)': file:.*stria-\w+\.wasm does not load: ENOENT/);
    const refused = run(
      `${print(`await init({ backend: 'wasm', wasmUrl: ${url}, variant: 'threads' }).catch(report)`)}`,
    );
    assert.deepEqual(
      [refused.name, refused.code, refused.op],
      ['UnsupportedError', 'ERR_UNSUPPORTED', 'init'],
    );
    assert.match(refused.message, /^init: no 'threads': .*stria-threads\.wasm does not load/);
  });
});

test('an instruction set that was asked for and is missing is refused, whatever else would load', () => {
  const refused = run(`process.env.STRIA_FORCE_ISA = 'none'; ${print('await init().catch(report)')}`);
  assert.equal(refused.isStria, true);
  assert.deepEqual([refused.name, refused.code, refused.op], ['UnsupportedError', 'ERR_UNSUPPORTED', 'init']);
  assert.equal(refused.message, "init: the instruction set 'none' is not available here");
});

test('a damaged addon is refused before it is loaded', () => {
  const name = `stria-${process.platform}-${process.arch}.node`;
  inFolder(
    [
      ['dist', 'dist'],
      ['package.json', 'package.json'],
    ],
    (folder) => {
      const addon = path.join(folder, 'dist/native', name);
      const size = readFileSync(addon).length;
      const load = `{ auto: await init(), native: null }`;
      for (const damage of ['cut', 'changed']) {
        if (damage === 'cut') truncateSync(addon, size >> 1);
        else writeFileSync(addon, Buffer.alloc(size));
        const refused = run(`${print("await init({ backend: 'native' }).catch(report)")}`, { cwd: folder });
        assert.deepEqual([refused.name, refused.op], ['UnsupportedError', 'init'], damage);
        assert.match(refused.message, /the file is damaged: its SHA-256 is not that of the package/);
        const { auto } = run(`${print(load)}`, { cwd: folder });
        assert.equal(auto.backend, 'wasm');
        assert.match(auto.reason, /no native addon loads here .*damaged/);
      }
    },
  );
});

test('a call that waits for one that fails tries its own options', () => {
  const [first, second, third] = run(`
    const settled = await Promise.allSettled([
      init({ backend: 'wasm', wasmUrl: '/nowhere/x.wasm' }),
      init({ variant: 'simd' }),
      init(),
    ]);
    console.log(JSON.stringify(settled.map(({ status, value }) => [status, value?.variant])));`);
  assert.deepEqual([first[0], second, third], ['rejected', ['fulfilled', 'simd'], ['fulfilled', 'simd']]);
});

test('the module for pages says what Node imports', () => {
  const { message } = run(`
    const pages = await import(${JSON.stringify(path.join(root, 'dist/index.js'))});
    ${print("await pages.init({ backend: 'wasm' }).catch((error) => ({ message: error.message }))")}`);
  assert.match(
    message,
    /does not load: a page needs a server, and Node imports 'stria', or dist\/node.js by its path/,
  );
});
