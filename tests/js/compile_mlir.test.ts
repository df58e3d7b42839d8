// compile(fn, { backend: 'mlir' }): machine code in Node, where the plug-in is.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile, manualSeed, mseLoss, rand, scope, type Tensor } from 'stria';
import { Linear, Sequential, Tanh } from 'stria/nn';
import { Adam } from 'stria/optim';
import { backendName, checkLeaksAtEnd, flat, isSanitized, load, refused } from './support.js';

const builds = process.env.STRIA_BUILD_DIR ?? fileURLToPath(new URL('../../../../build', import.meta.url));
const plugin = `${builds}/native/libstria_mlir.so`;
process.env.STRIA_MLIR_PLUGIN ??= plugin;
await load();
checkLeaksAtEnd(true);

const skip =
  backendName !== 'native' || isSanitized
    ? 'of the addon'
    : !existsSync(process.env.STRIA_MLIR_PLUGIN) && 'the plug-in is not built';

test('chains have the bits of eager calls, and are compiled once for each signature', { skip }, () => {
  scope(() => {
    const body = (a: Tensor, b: Tensor): Tensor => a.mul(b).add(1).tanh().mul(a.neg().exp());
    const f = compile(body, { backend: 'mlir' });
    for (const shape of [[7], [300, 5], [7]])
      for (let k = 0; k < 3; k++) {
        const [a, b] = [rand(shape), rand(shape)];
        assert.deepEqual(flat(f(a, b)), flat(body(a, b)));
      }
    assert.deepEqual([f.stats().misses, f.stats().hits], [2, 7]);
    f.dispose();
  });
});

test('a training step', { skip }, () => {
  const train = (backend: 'interpreter' | 'mlir'): unknown[] =>
    scope(() => {
      manualSeed(5);
      const net = new Sequential(new Linear(4, 8), new Tanh(), new Linear(8, 2));
      const optimizer = new Adam(net.parameters(), { lr: 0.01 });
      const step = compile(
        (x: Tensor, y: Tensor) => {
          optimizer.zeroGrad();
          const loss = mseLoss(net.forward(x), y);
          loss.backward();
          optimizer.step();
          return loss.detach();
        },
        { backend },
      );
      const losses = Array.from({ length: 5 }, () => step(rand([6, 4]), rand([6, 2])).item());
      step.dispose();
      net.zeroGrad();
      return losses;
    });
  const [expected, got] = [train('interpreter'), train('mlir')] as [number[], number[]];
  got.forEach((loss, k) => assert.ok(Math.abs(loss - expected[k]!) < 1e-5, `${loss}, not ${expected[k]}`));
});

test('options that are none, and places without a plug-in', () => {
  const fn = (x: Tensor): Tensor => x;
  assert.throws(
    () => compile(fn, { backend: 'llvm' as 'mlir' }),
    refused('ERR_ARGUMENT', /must be 'interpreter' or 'mlir'/, 'backend'),
  );
  assert.throws(
    () => compile(fn, { backend: 'mlir', dynamic: [0] }),
    refused('ERR_ARGUMENT', /left out with backend 'mlir'/, 'dynamic'),
  );
  if (backendName !== 'native') {
    assert.throws(
      () => compile(fn, { backend: 'mlir' }),
      refused('ERR_UNSUPPORTED', /no plug-in of MLIR.*this is WebAssembly/, 'backend'),
    );
    return;
  }
  const program = `
    import { compile, init } from 'stria';
    await init({ backend: 'native' });
    try { compile((x) => x, { backend: 'mlir' }); }
    catch (error) { console.log(error.code, error.argument, error.message); }`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { ...process.env, STRIA_MLIR_PLUGIN: '/nowhere/libstria_mlir.so' },
    encoding: 'utf8',
  });
  assert.match(
    stdout,
    /^ERR_UNSUPPORTED backend compile: there is no plug-in of MLIR, libstria_mlir, .* \/nowhere\/libstria_mlir.so/,
  );
});
