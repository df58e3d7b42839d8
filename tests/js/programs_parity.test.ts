// A program that one backend has saved runs on the others, with the same bits; C runs what JavaScript has saved, and the reverse.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const backends = (process.env.STRIA_TEST_BACKENDS ?? 'native')
  .split(',')
  .filter((name) => name !== 'relaxed');
const program = fileURLToPath(new URL('./programs_parity_program.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'stria-programs-'));
after(() => rmSync(folder, { recursive: true }));

/** Products of matrices are within their bound on each backend, and have other bits. */
const withProducts = ['product', 'layer', 'step'];

type Results = Record<string, string[]>;
function call(way: 'save' | 'run', backend: string, place: string): Results {
  const args = [program, way, backend, place];
  return JSON.parse(
    execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 }),
  ) as Results;
}

/** The float32 numbers of results. */
function read(results: string[] | undefined): number[] {
  return results!.flatMap((text) => {
    const bytes = Uint8Array.from(Buffer.from(text.split(' ')[2]!, 'hex'));
    return [...new Float32Array(bytes.buffer)];
  });
}

function checkNear(got: number[], expected: number[], bound: number, what: string): void {
  assert.equal(got.length, expected.length, what);
  got.forEach((value, k) =>
    assert.ok(Math.abs(value - expected[k]!) <= bound, `${what}: [${k}] is ${value} and not ${expected[k]!}`),
  );
}

function checkResults(got: Results, expected: Results, on: string): void {
  assert.deepEqual(Object.keys(got), Object.keys(expected));
  for (const [name, results] of Object.entries(expected))
    if (withProducts.includes(name)) checkNear(read(got[name]), read(results), 1e-5, `${name} on ${on}`);
    else assert.deepEqual(got[name], results, `${name} on ${on}`);
}

const builds = process.env.STRIA_BUILD_DIR ?? fileURLToPath(new URL('../../../../build', import.meta.url));
const example = join(builds, 'native/example_program');
const skip = existsSync(example) ? false : 'the C example is not built';
const runExample = (way: string, file: string): number[] =>
  execFileSync(example, [way, file], { encoding: 'utf8' }).trim().split(/\s+/).map(Number);

for (const from of backends) {
  const place = mkdtempSync(join(folder, from));
  const expected = call('save', from, place);

  test(`what ${from} has saved runs on ${backends.join(', ')}`, () => {
    assert.ok(Object.keys(expected).length > 10);
    for (const to of backends) checkResults(call('run', to, place), expected, to);
  });

  test(`the C example runs what ${from} has saved`, { skip }, () => {
    checkNear(runExample('run', join(place, 'layer.safetensors')), read(expected.layer), 2e-6, 'layer');
    const losses = runExample('train', join(place, 'step.safetensors'));
    checkNear(losses, read(expected.step), 1e-5, 'step');
    assert.ok(losses[9]! < losses[0]!);
  });
}

test('what the C example has saved runs on every backend', { skip }, () => {
  const place = mkdtempSync(join(folder, 'c'));
  const file = join(place, 'layer.safetensors');
  execFileSync(example, ['save', file]);
  const expected = runExample('run', file);
  assert.equal(expected.length, 8);
  for (const backend of backends)
    checkNear(read(call('run', backend, place).layer), expected, 2e-6, `on ${backend}`);
});
