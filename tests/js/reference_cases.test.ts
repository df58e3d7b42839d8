// The functions against PyTorch 1.13: what it gave for random arguments of few elements, of all dtypes, layouts, axes and options
// (reference_cases.json), where semantics.md does not say otherwise; results of float16 and bfloat16 are those of float32, rounded once.
// Tensors are { t: dtype, s: shape, b: bytes in base64, v: views that are taken of them }, those of results that are halves as float32.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as stria from 'stria';
import { fromBytes, scope, zeros, StriaError, Tensor, type DType } from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

interface Stored {
  t: DType;
  s: number[];
  b: string;
  v?: [name: string, ...args: unknown[]][];
}
interface Case {
  f: string;
  a: unknown[];
  o?: Record<string, unknown>;
  e: Stored | { err: 1 } | { many: Record<string, Stored>; list?: true };
  /** A difference may be r times the number, s times the largest one, and a more. */
  tol?: { r?: number; a?: number; s?: number };
}
type Called = (...args: unknown[]) => unknown;

const path = fileURLToPath(new URL('../../../../tests/data/reference_cases.json', import.meta.url));
const cases = JSON.parse(readFileSync(path, 'utf8')) as Case[];
const call = stria as unknown as Record<string, Called>;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, 'base64'));
const isStored = (value: object): value is Stored => 'b' in value && 't' in value;
const isHalf = (dtype: DType): boolean => dtype === 'float16' || dtype === 'bfloat16';

function decode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(decode);
  if ('n' in value) return Number(value.n);
  if ('big' in value) return BigInt(value.big as string);
  if (!isStored(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, decode(one)]));
  let x: unknown = fromBytes(bytesOf(value.b), { dtype: value.t, shape: value.s });
  for (const [name, ...args] of value.v ?? []) x = (x as Record<string, Called>)[name]!(...args);
  return x;
}

function check(got: unknown, want: Stored, tol: Case['tol'], what: string): void {
  assert.ok(got instanceof Tensor, `${what}: no tensor`);
  assert.deepEqual([got.dtype, [...got.shape]], [want.t, want.s], what);
  const dtype = isHalf(want.t) ? 'float32' : want.t;
  const a = [...got.to(dtype).dataSync()].map(Number);
  const b = [...fromBytes(bytesOf(want.b), { dtype, shape: want.s }).dataSync()].map(Number);
  const largest = Math.max(0, ...b.filter(Number.isFinite).map(Math.abs));
  a.forEach((one, k) => {
    const other = b[k]!;
    const most = (tol?.r ?? 0) * Math.abs(other) + (tol?.s ?? 0) * largest + (tol?.a ?? 0);
    const isSame =
      one === other || (Number.isNaN(one) && Number.isNaN(other)) || Math.abs(one - other) <= most;
    assert.ok(isSame, `${what}: element ${k} is ${one}, not ${other}`);
  });
}

test('functions as PyTorch has them', () => {
  let refused = 0;
  for (const { f, a, o, e, tol } of cases)
    scope(() => {
      const what = JSON.stringify({ f, a, o });
      const options = o === undefined ? [] : [decode(o)];
      const run = (): unknown => call[f]!(...(decode(a) as unknown[]), ...options);
      if ('err' in e) {
        refused++;
        assert.throws(run, (error) => error instanceof StriaError && error.op === f, what);
        return;
      }
      const y = run();
      if (isStored(e)) return check(y, e, tol, what);
      if (e.list) assert.equal((y as unknown[]).length, Object.keys(e.many).length, what);
      for (const [name, want] of Object.entries(e.many))
        check((y as Record<string, unknown>)[name], want, tol, what);
    });
  assert.ok(cases.length - refused >= 600 && refused >= 90, `${cases.length} cases, ${refused} refused`);
});

test('the same into a given tensor, which lies otherwise', () => {
  for (const { f, a, o, e, tol } of cases)
    scope(() => {
      const outputs = stria.functionRows.find(({ name }) => name === f)?.outputs ?? [];
      if (!isStored(e) || outputs.length !== 1 || outputs[0]!.kind === 'VIEW') return;
      const last = e.s.length;
      const out = zeros([...e.s, 2], { dtype: e.t }).select(last, 1);
      const y = call[f]!(...(decode(a) as unknown[]), { ...(decode(o ?? {}) as object), out });
      assert.equal(y, out);
      check(out, e, tol, JSON.stringify({ f, a, o }));
    });
});
