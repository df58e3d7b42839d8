// safetensors files: those of the format's own tests, what breaks its rules, writing and reading.
import test from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as stria from 'stria';
import {
  dtypes,
  fromBytes,
  loadSafetensors,
  memory,
  saveSafetensors,
  tensor,
  zeros,
  type Tensor,
} from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

const folder =
  process.env.STRIA_TESTDATA ?? fileURLToPath(new URL('../../../../../shared/testdata', import.meta.url));
const literals = `${folder}/safetensors-literals.jsonl`;

function fileOf(header: string, body: readonly number[] = []): Uint8Array {
  const text = new TextEncoder().encode(header);
  const bytes = new Uint8Array(8 + text.length + body.length);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 8);
  bytes.set(body, 8 + text.length);
  return bytes;
}

const endAll = (tensors: Record<string, Tensor>): void => Object.values(tensors).forEach((x) => x.dispose());

function refused(run: () => unknown, code: string, op: string, argument: string, message: string): void {
  const before = memory().liveTensors;
  assert.throws(run, (error) => {
    assert.ok(error instanceof stria.StriaError, String(error));
    assert.deepEqual(
      [error.code, error.op, error.argument, error.message],
      [code, op, argument, `${op}: ${message}`],
    );
    return true;
  });
  assert.equal(memory().liveTensors, before, message);
}

test("the format's own tests", { skip: !existsSync(literals) && `${literals} is not here` }, () => {
  const rows = readFileSync(literals, 'utf8').trim().split('\n');
  assert.ok(rows.length >= 14);
  for (const row of rows) {
    const { name, b64, expect } = JSON.parse(row) as Record<'name' | 'b64' | 'expect', string>;
    const bytes = new Uint8Array(Buffer.from(b64, 'base64'));
    if (expect === 'ok') {
      const { tensors } = loadSafetensors(bytes);
      assert.deepEqual(Object.keys(tensors), ['test'], name);
      assert.ok(
        tensors.test!.dataSync().every((value) => value === 0),
        name,
      );
      endAll(tensors);
    } else {
      const code = expect === 'error:ValidationOverflow' ? 'ERR_OVERFLOW' : 'ERR_FORMAT';
      assert.throws(() => loadSafetensors(bytes), { code, op: 'loadSafetensors', argument: 'bytes' }, name);
    }
  }
});

test('every dtype comes back, aligned in the file', () => {
  const given: Record<string, Tensor> = {};
  for (const { name, size } of dtypes) {
    if (name === 'complex128') continue;
    const bytes = Uint8Array.from({ length: 6 * size }, (_, k) => (name === 'bool' ? k & 1 : 37 * k + 5));
    given[name] = fromBytes(bytes, { dtype: name, shape: [2, 3] });
  }
  const file = saveSafetensors(given, { format: 'pt' });
  const { tensors, metadata } = loadSafetensors(file);
  assert.deepEqual({ ...metadata }, { format: 'pt' });
  assert.deepEqual(Object.keys(tensors).sort(), Object.keys(given).sort());
  for (const [name, x] of Object.entries(tensors)) {
    assert.deepEqual([x.dtype, x.shape], [name, [2, 3]]);
    const inDoubles = (y: Tensor): Uint8Array => stria.scope(() => stria.toNpy(y.to('float64')));
    assert.deepEqual(inDoubles(x), inDoubles(given[name]!), name);
  }
  const header = JSON.parse(
    Buffer.from(file.subarray(8, 8 + file[0]! + 256 * file[1]!)).toString(),
  ) as Record<string, { data_offsets: number[] }>;
  for (const { name, size } of dtypes)
    if (name !== 'complex128') assert.equal(header[name]!.data_offsets[0]! % size, 0, name);
  stria.dispose(tensors, given);
});

test('the bytes are those that C writes', () => {
  const u = tensor(new Uint8Array([1, 2, 3]));
  const s = tensor([[1, 2], [3, 4]], { dtype: 'int16' }); // prettier-ignore
  const t = s.T;
  const file = saveSafetensors(new Map<string, Tensor>([['u', u], ['t\n"\x1f\\', t], ['€', u]]), { format: 'pt', b: '' }); // prettier-ignore
  const header =
    '{"__metadata__":{"format":"pt","b":""},' +
    '"t\\n\\"\\u001f\\\\":{"dtype":"I16","shape":[2,2],"data_offsets":[0,8]},' +
    '"u":{"dtype":"U8","shape":[3],"data_offsets":[8,11]},' +
    '"€":{"dtype":"U8","shape":[3],"data_offsets":[11,14]}} ';
  assert.deepEqual(file, fileOf(header, [1, 0, 3, 0, 2, 0, 4, 0, 1, 2, 3, 1, 2, 3]));
  const empty = saveSafetensors({});
  assert.deepEqual(empty, fileOf('{}      '));
  assert.deepEqual(Object.keys(loadSafetensors(empty).tensors), []);
  stria.dispose(u, s, t);
});

test('names of any kind', () => {
  const names = ['10', '2', '__proto__', 'constructor', '', 'é\u0000', 'toString'];
  const x = new Map(names.map((name, k) => [name, stria.full([2], k)]));
  const { tensors } = loadSafetensors(saveSafetensors(x));
  assert.equal(Object.getPrototypeOf(tensors), null);
  assert.deepEqual(Object.keys(tensors).sort(), [...names].sort());
  names.forEach((name, k) => assert.deepEqual(tensors[name]!.toArray(), [k, k], name));
  stria.dispose(x, tensors);
});

test('views, empty tensors, tensors without dims; bytes inside a larger buffer', () => {
  const x = stria.scope(() => stria.arange(6).view([2, 3]));
  const given = { t: x.T, e: zeros([0, 4]), s: tensor(2.5), m: x.slice({ dim: 1, start: 1 }) };
  const file = saveSafetensors(given);
  const shifted = new Uint8Array(file.length + 3);
  shifted.set(file, 3);
  const { tensors } = loadSafetensors(shifted.subarray(3));
  for (const [name, y] of Object.entries(given))
    assert.deepEqual(tensors[name]!.toArray(), y.toArray(), name);
  stria.dispose(tensors, given, x);
  const shared = new Uint8Array(new SharedArrayBuffer(file.length));
  shared.set(file);
  const again = loadSafetensors(shared);
  assert.deepEqual(again.tensors.s!.item(), 2.5);
  endAll(again.tensors);
});

test('bytes of truth values become 0 and 1', () => {
  const file = fileOf('{"a":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}}', [0, 2, 255]);
  const { tensors } = loadSafetensors(file);
  assert.deepEqual([...tensors.a!.dataSync()], [0, 1, 1]);
  endAll(tensors);
});

test('what breaks a rule is refused', () => {
  const load = 'loadSafetensors';
  const good = fileOf('{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}', [1, 2]);
  for (let n = 0; n < good.length; n++)
    assert.throws(() => loadSafetensors(good.subarray(0, n)), { code: 'ERR_FORMAT', op: load });
  const huge = good.slice();
  huge[7] = 0x80;
  refused(
    () => loadSafetensors(huge),
    ...(['ERR_FORMAT', load, 'bytes'] as const),
    'a header of 9223372036854775861 bytes, the most is 100000000',
  );
  const rows: [string, number[], string][] = [
    ['{"a":{}}', [], "tensor 'a': dtype, shape and data_offsets must be there"],
    [
      '{"a":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}}',
      [1, 2],
      "tensor 'a': dtype 'F8_E4M3' is not supported",
    ],
    [
      '{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}',
      [1, 2, 3],
      "tensor 'b': its bytes are those of another tensor, too",
    ],
    [
      '{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\\u0061":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}',
      [1, 2],
      "tensor 'a': its name is there twice",
    ],
    [
      `{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":${'['.repeat(1e5)}`,
      [1],
      'byte 128: values inside one another, more than 64 deep',
    ],
    ['{"a":1}', [], 'byte 13: an object must stand here'],
  ];
  for (const [header, body, message] of rows)
    refused(() => loadSafetensors(fileOf(header, body)), 'ERR_FORMAT', load, 'bytes', message);
  refused(
    () => loadSafetensors(fileOf('{"a":{"dtype":"U8","shape":[0,9007199254740993],"data_offsets":[0,0]}}')),
    ...(['ERR_OVERFLOW', load, 'shape'] as const),
    'shape must be fewer than 2^53 elements, got [0,9007199254740992]',
  );
  refused(
    () => loadSafetensors('text' as never),
    ...(['ERR_ARGUMENT', load, 'bytes'] as const),
    'bytes must be a typed array, DataView or ArrayBuffer, got "text"',
  );
});

test('what cannot be written is refused', () => {
  const x = zeros([2]);
  const c = zeros([2], { dtype: 'complex128' });
  const m = zeros([2], { device: 'meta' });
  const gone = zeros([2]);
  gone.dispose();
  const throwing = Object.defineProperty({}, 'a', {
    enumerable: true,
    get: () => {
      throw new Error('no');
    },
  });
  const save = 'saveSafetensors';
  const rows: [unknown, unknown, string, string, string][] = [
    [{ a: 1 }, undefined, 'ERR_ARGUMENT', 'tensors.a', 'tensors.a must be a tensor, got 1'],
    [[x], undefined, 'ERR_ARGUMENT', 'tensors', 'tensors must be an object, got [a tensor]'],
    [null, undefined, 'ERR_ARGUMENT', 'tensors', 'tensors must be an object, got null'],
    [
      throwing,
      undefined,
      'ERR_ARGUMENT',
      'tensors',
      'tensors must be an object that can be read, got one that throws',
    ],
    [
      { __metadata__: x },
      undefined,
      'ERR_ARGUMENT',
      'tensors',
      'tensors must be without the name of metadata, got "__metadata__"',
    ],
    [
      { '\ud800': x },
      undefined,
      'ERR_ARGUMENT',
      'tensors',
      'tensors must be an object whose keys are well-formed texts, got "\\ud800"',
    ],
    [
      new Map([[1, x]]),
      undefined,
      'ERR_ARGUMENT',
      'tensors',
      'tensors must be an object whose keys are well-formed texts, got 1',
    ],
    [
      { a: c },
      undefined,
      'ERR_DTYPE',
      'tensors.a',
      'tensors.a must be of a dtype that safetensors has, got complex128',
    ],
    [{ a: m }, undefined, 'ERR_DEVICE', 'tensors.a', 'tensors.a must be with elements, got meta'],
    [{ a: gone }, undefined, 'ERR_DISPOSED', 'tensors.a', 'tensors.a was disposed of'],
    [{ a: x }, { k: 1 }, 'ERR_ARGUMENT', 'metadata.k', 'metadata.k must be a well-formed text, got 1'],
    [
      { a: x },
      { k: '\udc00' },
      'ERR_ARGUMENT',
      'metadata.k',
      'metadata.k must be a well-formed text, got "\\udc00"',
    ],
    [{ a: x }, 'pt', 'ERR_ARGUMENT', 'metadata', 'metadata must be an object, got "pt"'],
  ];
  for (const [tensors, metadata, code, argument, message] of rows)
    refused(() => saveSafetensors(tensors as never, metadata as never), code, save, argument, message);
  stria.dispose(x, c, m);
});

test('damaged files are refused or read, and nothing is left', () => {
  const good = fileOf(
    '{"__metadata__":{"f":"\\u00e9"},"a":{"dtype":"I16","shape":[2],"data_offsets":[0,4]},' +
      '"b":{"shape":[1,3],"dtype":"U8","data_offsets":[4,7]}}',
    [1, 2, 3, 4, 5, 6, 7],
  );
  let state = 1;
  const random = (n: number): number => (state = (state * 48271) % 2147483647) % n;
  const likely = Buffer.from('0123456789{}[],:" \\uUIF862ab');
  let accepted = 0;
  for (let round = 0; round < 3000; round++) {
    const bytes = good.slice();
    for (let k = random(3); k >= 0; k--)
      bytes[random(bytes.length)] = random(2) ? likely[random(likely.length)]! : random(256);
    try {
      endAll(loadSafetensors(bytes).tensors);
      accepted++;
    } catch (error) {
      assert.ok(
        error instanceof stria.StriaError && ['ERR_FORMAT', 'ERR_OVERFLOW'].includes(error.code),
        `${error}`,
      );
    }
  }
  assert.ok(accepted > 20 && accepted < 2900, `${accepted} accepted`);
});
