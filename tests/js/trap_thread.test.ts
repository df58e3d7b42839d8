// A trap in a thread of the pool, while the caller waits for what the thread was to compute: the wait ends in one clear error. The
// thread is made to trap by emptying its table of functions, which is its own, of all but the function that it starts with.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { init, ones, zeros, type StriaError } from 'stria';
import { backendName, optionsFor } from './support.js';

const traps = `
import { parentPort } from 'node:worker_threads';
const { Instance } = WebAssembly;
let table;
WebAssembly.Instance = function (module, imports) {
  const instance = new Instance(module, imports);
  table = instance.exports.__indirect_function_table;
  return instance;
};
parentPort.on('message', ({ cmd, start_routine }) => {
  if (cmd === 'run') for (let k = 0; k < table.length; k++) if (k !== start_routine) table.set(k, null);
});
`;

const hasThreads = ['threads', 'relaxed'].includes(backendName) && availableParallelism() > 1;

test(
  'a trap in a thread stops the module',
  { skip: !hasThreads && 'no threads', timeout: 60_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stria-'));
    after(() => rmSync(folder, { recursive: true }));
    const file = `stria-${backendName}.wasm`;
    copyFileSync(fileURLToPath(import.meta.resolve(`stria/wasm/${file}`)), join(folder, file));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'traps.js'), traps);
    const program = JSON.stringify(import.meta.resolve('stria/wasm/worker_node.js'));
    writeFileSync(join(folder, 'worker_node.js'), `import './traps.js';\nimport ${program};\n`);
    await init({ ...optionsFor(backendName), wasmUrl: pathToFileURL(`${folder}/`), threads: 2 });

    const x = ones(1_000_000),
      out = zeros(1_000_000);
    const stopped = (error: StriaError): boolean => {
      assert.deepEqual([error.name, error.code, error.op], ['StriaError', 'ERR_INTERNAL', 'init']);
      assert.equal(
        error.message,
        'init: the WebAssembly module has stopped (a trap in a thread) and computes nothing more; ' +
          'a new page, worker or process loads it again',
      );
      return true;
    };
    // a thread that has not started yet leaves everything to the caller
    const waits = async (): Promise<void> => {
      for (const end = Date.now() + 30_000; Date.now() < end; await new Promise(setImmediate)) x.exp({ out });
    };
    await assert.rejects(waits(), stopped);
    assert.throws(() => x.exp({ out }), stopped);
    await assert.rejects(init(), stopped);
  },
);
