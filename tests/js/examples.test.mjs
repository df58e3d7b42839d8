// The JavaScript example, run as a user would: from a folder whose node_modules holds the package. It must print what the
// C example prints, and write the same bytes on every backend.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'stria-example-'));
mkdirSync(path.join(folder, 'node_modules'));
symlinkSync(path.join(root, 'bindings/js'), path.join(folder, 'node_modules/stria'), 'dir');
const learning = ['linear.mjs', 'digits.mjs', 'characters.mjs'];
for (const name of ['standardise.mjs', 'files.mjs', 'gpu.mjs', ...learning])
  copyFileSync(path.join(root, 'examples/js', name), path.join(folder, name));
after(() => rmSync(folder, { recursive: true }));

function run(options) {
  const output = path.join(folder, 'out.npy');
  const text = execFileSync(
    process.execPath,
    [path.join(folder, 'standardise.mjs'), path.join(root, 'examples/data/iris.npy'), output],
    { encoding: 'utf8', env: { ...process.env, STRIA_INIT: JSON.stringify(options) } },
  );
  return { text, bytes: readFileSync(output) };
}

const expected = readFileSync(path.join(root, 'examples/expected.txt'), 'utf8');
const simd = run({ backend: 'wasm', variant: 'simd' });

test('the example prints what the C example prints', () => {
  assert.equal(simd.text, expected);
});

test('the result is a .npy file of 150 x 4 float64', () => {
  assert.match(simd.bytes.toString('latin1', 0, 128), /^\x93NUMPY[^]*'<f8'[^]*\(150, 4\)/);
  assert.equal(simd.bytes.length % 64, (150 * 4 * 8) % 64);
});

for (const options of [{}, { backend: 'wasm', variant: 'threads', threads: 2 }]) {
  test(`the same bytes with ${JSON.stringify(options)}`, () => {
    const other = run(options);
    assert.equal(other.text, expected);
    assert.deepEqual(other.bytes, simd.bytes);
  });
}

for (const options of [{}, { backend: 'wasm', variant: 'simd' }]) {
  test(`files.mjs with ${JSON.stringify(options)}`, () => {
    const text = execFileSync(
      process.execPath,
      [path.join(folder, 'files.mjs'), path.join(root, 'examples/data/iris.npy'), folder],
      { encoding: 'utf8', env: { ...process.env, STRIA_INIT: JSON.stringify(options) } },
    );
    assert.equal(
      text,
      'safetensors: half, means, table; source iris\n' +
        'table: float64 [150,4], the same from both\n' +
        'means: float64 [4], the same from both\n' +
        'half: float16 [150,4], the same from both\n' +
        'memory is shared as info() says\n',
    );
  });
}

// On the CPU, and on the host runtime of CUDA where it is built.
const builds = process.env.STRIA_BUILD_DIR ?? path.join(root, 'build');
const hostPlugin = path.join(builds, 'native/libstria_cuda_host.so');
const hasAddon = existsSync(
  path.join(root, `bindings/js/dist/native/stria-${process.platform}-${process.arch}.node`),
);
for (const [plugin, first, skip] of [
  [path.join(folder, 'absent.so'), /^on the CPU: ./, false],
  [
    hostPlugin,
    /^on cuda:0: host runtime, device 0, compute capability /,
    !(hasAddon && existsSync(hostPlugin)),
  ],
])
  test(`gpu.mjs says where it runs with ${path.basename(plugin)}`, { skip }, () => {
    const env = { ...process.env, STRIA_CUDA_PLUGIN: plugin };
    const text = execFileSync(process.execPath, [path.join(folder, 'gpu.mjs')], { encoding: 'utf8', env });
    assert.match(text, first);
    assert.match(text, /\nthe mean of exp\(-x\^2\) over \[-3, 3\] is 0\.295\d\n$/);
  });

// They throw where they have not learnt what they should.
for (const [name, output] of [
  ['linear.mjs', /^y = 2\.0000 a \+ -3\.0000 b \+ 0\.5000 c \+ 1\.0000, loss /],
  ['digits.mjs', /epoch 30 of 30: loss [^]*9[789]\.\d % of 360 digits/],
  ['characters.mjs', /'Twas brillig[^]*Bandersnatch!"/],
])
  for (const options of [{}, { backend: 'wasm', variant: 'simd' }])
    test(`${name} learns with ${JSON.stringify(options)}`, () => {
      const program = [path.join(folder, name), path.join(root, 'examples/data/digits.npy')];
      const env = { ...process.env, STRIA_INIT: JSON.stringify(options) };
      assert.match(execFileSync(process.execPath, program, { encoding: 'utf8', env }), output);
    });

test('the JavaScript of docs/writing_a_kernel.md runs', () => {
  const guide = readFileSync(path.join(root, 'docs/writing_a_kernel.md'), 'utf8');
  const program = path.join(folder, 'guide.mjs');
  writeFileSync(program, /^```js\n([^]*?)^```$/m.exec(guide)[1]);
  const lines = execFileSync(process.execPath, [program], { encoding: 'utf8' }).trim().split('\n');
  const [swish, huber] = lines.map((line) => JSON.parse(line));
  const sigmoid = (x) => 1 / (1 + Math.exp(-x));
  [-1, 0, 1].forEach((x, k) => assert.ok(Math.abs(swish[k] - x * sigmoid(2 * x)) < 1e-6));
  assert.deepEqual(huber, [0.125, 0.125, 4]);
});
