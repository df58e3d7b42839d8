// .npz files: NumPy's, our own, and hostile ones.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as stria from 'stria';
import { arange, dtypes, memory, tensor, zeros, type Tensor } from 'stria';
import { loadNpz, saveNpz } from 'stria/npz';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

const data = fileURLToPath(new URL('../../../../tests/data/', import.meta.url));
const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const endAll = (tensors: Record<string, Tensor>): void => Object.values(tensors).forEach((x) => x.dispose());

function refused(bytes: Uint8Array, pattern: string | RegExp, options?: object): void {
  const before = memory().liveTensors;
  assert.throws(
    () => loadNpz(bytes, options),
    (error) => {
      assert.ok(error instanceof stria.StriaError, String(error));
      assert.deepEqual([error.code, error.op], ['ERR_FORMAT', 'loadNpz'], error.message);
      if (typeof pattern === 'string') assert.equal(error.message, `loadNpz: ${pattern}`);
      else assert.match(error.message, pattern);
      return true;
    },
  );
  assert.equal(memory().liveTensors, before);
}

for (const file of ['numpy_stored.npz', 'numpy_deflated.npz'])
  test(`${file} by NumPy`, () => {
    const tensors = loadNpz(readFileSync(data + file));
    assert.deepEqual(Object.keys(tensors), ['x', 'layer/bias', 'n', 'ü', 'turned', 'c']);
    assert.deepEqual(tensors.x!.toArray(), [[0, 1, 2], [3, 4, 5]]); // prettier-ignore
    assert.deepEqual(tensors['layer/bias']!.toArray(), [true, false]);
    assert.equal(tensors.n!.item(), 2 ** 40);
    assert.deepEqual([tensors.ü!.shape, tensors.ü!.dtype], [[0, 3], 'int16']);
    assert.deepEqual([...tensors.turned!.dataSync()], [...Array(400).keys()]);
    assert.deepEqual(tensors.c!.toArray(), [{ re: 1, im: 2 }]);
    endAll(tensors);
  });

function some(): Record<string, Tensor> {
  const all: Record<string, Tensor> = { empty: zeros([0, 2]), scalar: tensor(2.5), wide: arange(5000) };
  for (const { name } of dtypes) if (name !== 'bfloat16') all[`t_${name}`] = zeros([3, 5], { dtype: name });
  return all;
}

test('files come back, stored and deflated', () => {
  const given = some();
  const [stored, deflated] = [saveNpz(given), saveNpz(new Map(Object.entries(given)), { compressed: true })];
  assert.ok(deflated.length < 0.7 * stored.length, `${deflated.length} of ${stored.length} bytes`);
  for (const file of [stored, deflated]) {
    const tensors = loadNpz(file);
    assert.deepEqual(Object.keys(tensors), Object.keys(given));
    for (const [name, x] of Object.entries(given)) {
      assert.deepEqual([tensors[name]!.dtype, tensors[name]!.shape], [x.dtype, x.shape]);
      assert.deepEqual(tensors[name]!.toArray(), x.toArray(), name);
    }
    endAll(tensors);
  }
  assert.deepEqual(Object.keys(loadNpz(saveNpz({}))), []);
  const shared = new Uint8Array(new SharedArrayBuffer(deflated.length));
  shared.set(deflated);
  endAll(loadNpz(shared));
  endAll(given);
});

const python = ['python3', '/usr/bin/python3'].find(
  (name) => spawnSync(name, ['-c', 'import numpy']).status === 0,
);

test('NumPy reads what is written', { skip: python === undefined && 'no Python with NumPy' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'stria-npz-'));
  const given = some();
  const program =
    'import sys, numpy as np\n' +
    "for f in sys.argv[1:]:\n  z = np.load(f)\n  assert z['wide'].tolist() == list(range(5000)) and z['scalar'] == 2.5, f\n" +
    "  print(' '.join(sorted(z.files)))\n";
  try {
    const files = [false, true].map((compressed) => {
      const path = join(folder, `${compressed}.npz`);
      writeFileSync(path, saveNpz(given, { compressed }));
      return path;
    });
    const { status, stdout, stderr } = spawnSync(python!, ['-c', program, ...files], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const names = Object.keys(given).sort().join(' ');
    assert.equal(stdout, `${names}\n${names}\n`);
  } finally {
    rmSync(folder, { recursive: true });
    endAll(given);
  }
});

/** A file of two members, and where its parts are. */
function parts(compressed = false): {
  file: Uint8Array;
  view: DataView;
  second: number;
  central: number;
  end: number;
} {
  const x = arange(100);
  const y = tensor([1, 2, 3]);
  const file = saveNpz({ x, y }, { compressed });
  stria.dispose(x, y);
  const view = new DataView(file.buffer);
  const end = file.length - 22;
  const central = view.getUint32(end + 16, true);
  return { file, view, end, central, second: view.getUint32(central + 46 + 5 + 42, true) };
}

test('hostile files are refused', () => {
  const change = (
    what: (p: ReturnType<typeof parts>) => void,
    pattern: string | RegExp,
    compressed = false,
  ): void => {
    const p = parts(compressed);
    what(p);
    refused(p.file, pattern);
  };
  const { file } = parts();
  for (let n = 0; n < file.length; n++)
    refused(file.subarray(0, n), 'no .zip file, or cut off: its directory has no end');
  change(({ file }) => (file[200] ^= 1), '"x.npy": the CRC-32 is another');
  change(({ view }) => view.setUint32(14, 5, true), '"x.npy": its header differs from the directory');
  change(({ file }) => (file[31] = 65), '"x.npy": its header differs from the directory');
  change(({ view, central }) => view.setUint16(central + 10, 12, true), '"x.npy": packed by method 12');
  change(({ view, central }) => view.setUint16(central + 8, 1, true), '"x.npy": encrypted');
  change(
    ({ view, central }) => view.setUint32(central + 42, 7, true),
    '"x.npy": its header is not where it should be',
  );
  change(({ view, central }) => view.setUint32(central, 7, true), 'the directory is malformed');
  change(({ view, end }) => view.setUint32(end + 12, 20, true), 'the directory is not where it should be');
  change(({ view, end }) => view.setUint16(end + 4, 1, true), 'a part of a .zip file in several parts');
  change(({ view, end }) => (view.setUint16(end + 8, 3, true), view.setUint16(end + 10, 3, true)), 'the directory has 2 members, not 3'); // prettier-ignore
  change(
    ({ view, end }) => view.setUint32(end + 16, 0xffffffff, true),
    'the directory is not where it should be',
  );
  change(
    ({ view, central }) => view.setUint32(central + 20, 0xffffffff, true),
    '"x.npy": a zip64 size is missing',
  );
  // two members at one place, and one over the other
  change(({ file, view, central }) => {
    view.setUint32(central + 46 + 5 + 42, 0, true);
    file[central + 46 + 5 + 46] = 120;
  }, '"x.npy": is there twice');
  change(
    ({ view, central }) => view.setUint32(central + 46 + 5 + 42, 0, true),
    /its header is not where it should be|its data reach beyond the place for them|differs from/,
  );
  change(({ view, central }) => {
    view.setUint32(central + 20, 5000, true);
    view.setUint32(central + 24, 5000, true);
  }, '"x.npy": its data reach beyond the place for them');
  change(({ view, central }) => {
    view.setUint32(central + 24, 3e9, true);
    view.setUint32(22, 3e9, true);
  }, /"x.npy": 3000000000 bytes cannot be in \d+/);
  // more or less than the directory says
  for (const size of [400, 527, 529, 600])
    change(
      ({ view, central }) => {
        view.setUint32(central + 24, size, true);
        view.setUint32(22, size, true);
      },
      /"x.npy": (inflates to other than the \d+ bytes of the directory|the CRC-32 is another|the deflated data are damaged)/,
      true,
    );
  change(
    ({ file }) => file.fill(255, 50, 60),
    /"x.npy": (the deflated data are damaged|inflates to|the CRC)/,
    true,
  );
  refused(file, '668 bytes once inflated, more than the 667 of maxBytes', { maxBytes: 667 });
});

// The bytes of a member that is itself a member: what makes small files inflate to as much as one likes.
test('a member over another is refused', () => {
  const y = arange(10);
  const inner = saveNpz({ y });
  const innerView = new DataView(inner.buffer);
  const innerCentral = innerView.getUint32(inner.length - 6, true);
  const x = tensor(inner.subarray(0, innerCentral));
  const outer = saveNpz({ x });
  const outerCentral = new DataView(outer.buffer).getUint32(outer.length - 6, true);
  stria.dispose(x, y);
  const entry = inner.slice(innerCentral, inner.length - 22);
  new DataView(entry.buffer).setUint32(42, 30 + 5 + 128, true); // behind the headers of x.npy
  const file = new Uint8Array([...outer.subarray(0, -22), ...entry, ...outer.subarray(-22)]);
  const view = new DataView(file.buffer);
  view.setUint16(file.length - 22 + 8, 2, true);
  view.setUint16(file.length - 22 + 10, 2, true);
  view.setUint32(file.length - 22 + 12, file.length - 22 - outerCentral, true);
  refused(file, '"x.npy": its data reach beyond the place for them');
});

test('a member that inflates to more than the directory says, with the CRC of the part', () => {
  const { file, view, central } = parts(true);
  const x = arange(100);
  let crc = -1;
  for (const byte of stria.toNpy(x).subarray(0, 400)) {
    crc ^= byte;
    for (let k = 0; k < 8; k++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  x.dispose();
  for (const [at, value] of [[14, ~crc], [22, 400], [central + 16, ~crc], [central + 24, 400]] as const) view.setUint32(at, value >>> 0, true); // prettier-ignore
  refused(file, '"x.npy": inflates to other than the 400 bytes of the directory');
});

test('names', () => {
  const x = tensor([1]);
  const named = (name: string): Uint8Array => {
    const file = saveNpz({ abcde: x });
    const view = new DataView(file.buffer);
    const central = view.getUint32(file.length - 6, true);
    const bytes = new TextEncoder().encode(name);
    assert.equal(bytes.length, 9);
    file.set(bytes, 30);
    file.set(bytes, central + 46);
    return file;
  };
  for (const name of [
    '/bcde.npy',
    '../de.npy',
    'a/../.npy',
    'a\\cde.npy',
    'C:cde.npy',
    'a//de.npy',
    'abc\u0000e.npy',
    'abcde.txt',
    'abcdefgh/',
  ])
    refused(named(name), `${JSON.stringify(name)} is no name of a .npy file`);
  const { 'a/cde': y } = loadNpz(named('a/cde.npy'));
  y!.dispose();
  const raw = named('a/cde.npy');
  raw[30] = 0xff;
  raw[new DataView(raw.buffer).getUint32(raw.length - 6, true) + 46] = 0xff;
  refused(raw, 'the name of a member is not UTF-8');
  const given = new Map(['10', '2', '__proto__', ''].map((name) => [name, x]));
  const all = loadNpz(saveNpz(given));
  assert.deepEqual(Object.keys(all).sort(), ['', '10', '2', '__proto__']);
  endAll(all);
  assert.throws(() => saveNpz({ '../x': x }), { code: 'ERR_ARGUMENT', argument: 'tensors' });
  assert.throws(() => saveNpz({ x: 1 } as never), { code: 'ERR_ARGUMENT', argument: 'tensors.x' });
  const b = x.to('bfloat16');
  assert.throws(() => saveNpz({ b }), { code: 'ERR_DTYPE', argument: 'tensors.b' });
  b.dispose();
  assert.throws(() => saveNpz({ x }, { compres: true } as never), { code: 'ERR_ARGUMENT' });
  assert.throws(() => loadNpz('text' as never), { code: 'ERR_ARGUMENT', argument: 'bytes' });
  x.dispose();
});

test('a member that is no array is refused by its name', () => {
  const x = tensor([1, 2, 3, 4]);
  const file = saveNpz({ x });
  x.dispose();
  const bytes = file.slice();
  bytes[36] = 0; // of the magic word
  refused(bytes, '"x.npy": the CRC-32 is another');
});

test('damaged files', () => {
  let state = 7;
  const random = (n: number): number => (state = (state * 48271) % 2147483647) % n;
  let accepted = 0;
  for (let round = 0; round < 1500; round++) {
    const { file } = parts(round % 2 === 0);
    for (let k = random(3); k >= 0; k--) file[random(file.length)] = random(256);
    try {
      endAll(loadNpz(file));
      accepted++;
    } catch (error) {
      assert.ok(error instanceof stria.StriaError && error.code === 'ERR_FORMAT', String(error));
    }
  }
  assert.ok(accepted < 700, `${accepted} accepted`);
});

test('the package without stria/npz has nothing of it', () => {
  for (const file of ['index.js', 'node.js', 'create.js', 'safetensors.js'])
    assert.doesNotMatch(readFileSync(dist + file, 'utf8'), /fflate|zip\.js|npz\.js/, file);
  assert.match(readFileSync(`${dist}fflate.js`, 'utf8'), /MIT License/);
  assert.doesNotMatch(readFileSync(`${dist}fflate.js`, 'utf8'), /Worker|Blob|Function\(/);
});
