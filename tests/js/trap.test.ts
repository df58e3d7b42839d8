// A trap inside the WebAssembly module: one clear error, from then on, and nothing that hangs or ends the process. The module is
// made to trap by an export that is given an address beyond its memory.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { scope, tensor, type StriaError } from 'stria';
import { backendName, load } from './support.js';

type Exports = Record<string, (...args: number[]) => number>;

let trapsIn: string | undefined;
const { instantiate } = WebAssembly;
(WebAssembly as { instantiate: unknown }).instantiate = async (
  module: WebAssembly.Module,
  imports: WebAssembly.Imports,
) => {
  const { exports } = await instantiate(module, imports);
  const real = exports as unknown as Exports;
  const wrapped = Object.entries(real).map(([name, run]) => [
    name,
    name === 'stria_abi_apply2'
      ? (...args: number[]) =>
          name === trapsIn ? real.stria_wasm_npy_get!(2 ** 32 - 65536, 65536) : run(...args)
      : run,
  ]);
  return { exports: Object.fromEntries(wrapped) as Exports };
};

const task = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a trap stops the module', { skip: backendName === 'native' && 'WebAssembly only' }, async () => {
  await load();
  const x = tensor([1, 2]);
  const stopped = (error: StriaError): boolean => {
    assert.ok(error instanceof stria.StriaError, String(error));
    assert.deepEqual([error.name, error.code, error.op], ['StriaError', 'ERR_INTERNAL', 'init']);
    assert.equal(
      error.message,
      'init: the WebAssembly module has stopped (memory access out of bounds) and computes nothing more; ' +
        'a new page, worker or process loads it again',
    );
    assert.ok(error.cause instanceof WebAssembly.RuntimeError);
    return true;
  };
  trapsIn = 'stria_abi_apply2';
  assert.throws(() => scope(() => x.add(tensor([3, 4]))), stopped);
  trapsIn = undefined;
  for (const run of [
    () => x.add(x),
    () => x.neg(),
    () => x.sum(),
    () => x.dataSync(),
    () => x.borrow(() => 1),
    () => stria.zeros(3),
    () => stria.fromNpy(new Uint8Array(9)),
    () => stria.toNpy(x),
    () => stria.memory(),
    () => stria.info(),
    () => stria.setThreads(1),
  ])
    assert.throws(run, stopped);
  await assert.rejects(x.data(), stopped);
  await assert.rejects(stria.init(), stopped);
  x.dispose();
  assert.equal(x.isDisposed, true);
  (globalThis as { gc?: () => void }).gc?.();
  for (let k = 0; k < 5; k++) await task(); // finalizers, and what waits for the end of a turn
});
