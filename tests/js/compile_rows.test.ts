// Compiled functions give the bits, shapes, dtypes and strides of eager ones: every row of the tables, and random programs.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as stria from 'stria';
import { compile, dtypes, functionRows, opArities, opNumbers, scope, StriaError, type Tensor } from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

/** What two results must have in common. */
function factsOf(value: unknown): unknown {
  if (value instanceof stria.Tensor) {
    const { dtype, shape, strides } = value;
    const data = value.dataSync();
    const list = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : data;
    return { dtype, shape: [...shape], strides: shape.includes(0) ? [] : [...strides], list };
  }
  if (Array.isArray(value)) return value.map(factsOf);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, factsOf(member)]));
  return value;
}

/** What body makes of its arguments, and the arguments afterwards; or the code of its error. */
function outcome(body: (...x: Tensor[]) => unknown, make: () => Tensor[]): unknown {
  return scope(() => {
    stria.manualSeed(1);
    const args = make();
    try {
      return factsOf([body(...args), args]);
    } catch (error) {
      if (error instanceof StriaError) return error.code;
      throw error;
    }
  });
}

// Twice, so that one of the two is a replay. False: what it reads or counts cannot be recorded.
function isSame(name: string, body: (...x: Tensor[]) => unknown, make: () => Tensor[]): boolean {
  const f = compile(body);
  try {
    for (let k = 0; k < 2; k++) {
      const got = outcome(f, make);
      if (got === 'ERR_UNSUPPORTED' || got === 'ERR_DEVICE') return false;
      assert.deepEqual(got, outcome(body, make), name);
    }
    return true;
  } finally {
    f.dispose();
  }
}

// ---------------------------------------------------------------- element-wise ops

const layouts: Record<string, (x: Tensor) => Tensor> = {
  plain: (x) => x,
  transposed: (x) => x.T,
  reversed: (x) => x.flip(1),
  broadcast: (x) => x.narrow(0, 0, 1),
};
const values = [0.5, 1, 2, 3, -1, 0, 7, 1.5, 4, 0.25, -3, 6];
const byOption = ['geluTanh', 'addScaled', 'subScaled', 'roundTo'];
type Run = (...x: unknown[]) => unknown;
const library = stria as unknown as Record<string, Run>;

for (const [name, op] of Object.entries(opNumbers).filter(([one]) => !byOption.includes(one)))
  test(`${name}, compiled`, () => {
    for (const { name: dtype } of dtypes)
      for (const layout of Object.values(layouts)) {
        const arity = opArities[op]!;
        const make = (): Tensor[] =>
          Array.from({ length: arity }, (_, k) =>
            (k === 0 ? layout : layouts.plain!)(
              stria
                .tensor(values.slice(k), { dtype: 'float64', shape: undefined })
                .narrow(0, 0, 9)
                .view(3, 3)
                .to(dtype),
            ),
          );
        assert.ok(isSame(`${name} ${dtype}`, library[name]!, make));
        if (arity === 2)
          isSame(
            `${name} ${dtype} in place`,
            (x, y) => (x as unknown as Record<string, Run>)[`${name}_`]?.(y),
            make,
          );
      }
  });

// ---------------------------------------------------------------- functions

// Their elements are undefined; the shape of their results depends on elements; their results are values.
const exempt = new Set(['empty', 'emptyLike', 'emptyStrided']);
const dependent = new Set([
  ...['argwhere', 'bincount', 'maskedSelect', 'nonzero', 'oneHot', 'repeatInterleave'],
  ...['unique', 'uniqueConsecutive', 'allclose', 'equal', 'histc', 'where'],
]);

const vector = (): Tensor => stria.tensor([3, 1, 2, 5, 4, 0.5]);
const matrix = (): Tensor => vector().view(2, 3);
const square = (): Tensor => stria.tensor([4, 1, 0.5, 1, 3, 0.2, 0.5, 0.2, 2]).view(3, 3);
const whole = (x: Tensor): Tensor => x.to('int64');
const inputs: (() => Tensor[])[] = [
  () => [],
  () => [vector()],
  () => [matrix()],
  () => [square()],
  () => [whole(vector())],
  () => [matrix().gt(2)],
  () => [vector(), vector()],
  () => [matrix(), matrix()],
  () => [square(), square()],
  () => [square(), whole(stria.tensor([2, 0, 1]))],
  () => [matrix(), whole(matrix()).clamp(0, 1), matrix()],
  () => [vector(), vector(), vector()],
  () => [square(), square(), square()],
  () => [matrix().to('complex64')],
  () => [stria.rand([2, 3, 6, 6]), stria.rand([3, 3, 2, 2])],
];
const extras: unknown[][] = [[], [0], [1], [3], [0, 1], [[0]], [2, 1], [[2, 3]], [[3], 2], [1, 0, 0], [0.5]];

test('functions with arguments that happen to fit, compiled', () => {
  const found = new Set<string>();
  for (const { name, tensors } of functionRows) {
    const run = library[name];
    if (run === undefined || exempt.has(name)) continue;
    const isList = tensors.length > 0 && ['LIST', 'UPDATED'].includes(tensors[0]!.kind);
    for (const make of inputs)
      for (const extra of extras) {
        const body = (...x: Tensor[]): unknown => (isList ? run(x, ...extra) : run(...x, ...extra));
        if (typeof outcome(body, make) === 'string') continue;
        if (isSame(`${name}(${String(make)}, ${JSON.stringify(extra)})`, body, make)) found.add(name);
        else assert.ok(dependent.has(name) || make === inputs[0], `${name} is not recorded`);
      }
  }
  assert.ok(found.size > 190, `${found.size} functions`);
});

interface Stored {
  t: stria.DType;
  s: number[];
  b: string;
  v?: [name: string, ...args: unknown[]][];
}
interface Case {
  f: string;
  a: unknown[];
  o?: Record<string, unknown>;
  e: object;
}

function decode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(decode);
  if ('n' in value) return Number(value.n);
  if ('big' in value) return BigInt(value.big as string);
  if (!('b' in value && 't' in value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, decode(one)]));
  const { b, t, s, v } = value as Stored;
  let x: unknown = stria.fromBytes(Uint8Array.from(Buffer.from(b, 'base64')), { dtype: t, shape: s });
  for (const [name, ...args] of v ?? []) x = (x as Record<string, Run>)[name]!(...args);
  return x;
}

test('the cases of the reference, compiled', () => {
  const path = fileURLToPath(new URL('../../../../tests/data/reference_cases.json', import.meta.url));
  const cases = JSON.parse(readFileSync(path, 'utf8')) as Case[];
  let same = 0;
  for (const { f, a, o, e } of cases) {
    if ('err' in e) continue;
    const body = (...given: unknown[]): unknown => library[f]!(...given);
    const make = (): unknown[] => [...(decode(a) as unknown[]), ...(o === undefined ? [] : [decode(o)])];
    const what = JSON.stringify({ f, a, o });
    if (isSame(what, body as never, make as never)) same++;
    else assert.ok(dependent.has(f), `${what} is not recorded`);
  }
  assert.ok(same > 550, `${same} cases`);
});

// ---------------------------------------------------------------- random programs

test('random programs, compiled', () => {
  let state = 7;
  const next = (n: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const steps: ((x: Tensor, y: Tensor) => Tensor)[] = [
    (x, y) => x.add(y),
    (x, y) => x.mul(y).sub(1.5),
    (x) => x.tanh(),
    (x, y) => stria.where(x.gt(y), x, y),
    (x) => x.T,
    (x) => x.flip(0),
    (x) => x.sum(0, { keepdim: true }).expand(3, 3),
    (x) => x.amax(1, { keepdim: true }).sub(x),
    (x, y) => x.matmul(y),
    (x) => x.softmax(1),
    (x, y) => x.add_(y.mean()),
    (x) => (x.at(0).mul_(0.5), x),
    (x, y) => x.copy_(y.neg()),
    (x) => x.clone(),
    (x) => stria.cat([x.narrow(0, 1, 2), x.narrow(0, 0, 1)]),
    (x) => x.add(stria.rand([3, 3])),
    (x) => x.to('float64').mul(2).to('float32'),
    (x, y) => stria.add(x, y, { out: stria.zeros([3, 3]) }),
  ];
  for (let k = 0; k < 400; k++) {
    const plan = Array.from(
      { length: 1 + next(20) },
      () => [next(99), next(99), next(steps.length)] as const,
    );
    const body = (...given: Tensor[]): Tensor[] => {
      const all = [...given];
      for (const [i, j, step] of plan) all.push(steps[step]!(all[i % all.length]!, all[j % all.length]!));
      return all.slice(-3);
    };
    assert.ok(
      isSame(JSON.stringify(plan), body, () => [
        square(),
        square().T.mul(0.3),
        matrix().narrow(0, 0, 1).expand(3, 3).clone(),
      ]),
    );
  }
});
