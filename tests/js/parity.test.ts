// The same operations give the same bits on every backend and for every number of threads.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const backends = (process.env.STRIA_TEST_BACKENDS ?? 'native').split(',');
const program = fileURLToPath(new URL('./parity_program.js', import.meta.url));
const relaxed = '--experimental-wasm-relaxed-simd';
const flags = spawnSync(process.execPath, [relaxed, '-e', '0']).status === 0 ? [relaxed] : [];

function digests(backend: string, threads: number): Record<string, string> {
  const args = [...(backend === 'relaxed' ? flags : []), program, backend, String(threads)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  assert.equal(status, 0, `${backend}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, string>;
}

const reference = digests(backends[0], 1);

test('there is something to compare', () => {
  assert.ok(Object.keys(reference).length > 300, `${Object.keys(reference).length} digests`);
});

for (const backend of backends)
  for (const threads of [1, 2, 7]) {
    if (backend === backends[0] && threads === 1) continue;
    if (backend === 'simd' && threads !== 1) continue;
    test(`${backend} with ${threads} threads has the bits of ${backends[0]} with 1`, () => {
      const got = digests(backend, threads);
      const different = Object.keys(reference).filter((key) => got[key] !== reference[key]);
      assert.deepEqual(different, []);
      assert.deepEqual(Object.keys(got), Object.keys(reference));
    });
  }
