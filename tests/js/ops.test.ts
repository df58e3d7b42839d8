// Every element-wise op: any dtype, any layout, at points that the oracle in C knows; reductions against plain JavaScript.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import * as stria from 'stria';
import { dtypes, functionRows, opNumbers, scope, tensor, type DType, type Tensor } from 'stria';
import { bits, checkLeaksAtEnd, flat, load, ulpDistance } from './support.js';

await load();
checkLeaksAtEnd();

// Points of every row and dtype, with what the oracle in C makes of them (tests/native/test_points.c).
interface Points {
  name: string;
  dtypes: DType[];
  result: DType;
  /** Units in the last place. */
  bound: number;
  operands: unknown[][];
  results: unknown[];
}

const longNames = new Map(dtypes.map(({ word, name }) => [word as string, name]));
const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function element(text: string, dtype: DType): unknown {
  if (dtype === 'bool') return text === '1';
  if (bits[dtype] !== undefined) return BigInt(text);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${text}`));
  return dtype === 'float32' ? view.getFloat32(4) : view.getFloat64(0);
}

function pointsOf(line: string): Points {
  const [word, of, to, bound, ...points] = line.split(' ');
  const operandTypes = of.split(',').map((short) => longNames.get(short)!);
  const result = longNames.get(to)!;
  const sides = points.map((point) => point.split('='));
  return {
    name: camel(word),
    dtypes: operandTypes,
    result,
    bound: Number(bound),
    operands: operandTypes.map((dtype, k) => sides.map(([left]) => element(left.split(',')[k], dtype))),
    results: sides.map(([, right]) => element(right, result)),
  };
}

const path = fileURLToPath(new URL('../../../../tests/data/op_points.txt', import.meta.url));
const lines = readFileSync(path, 'utf8').trimEnd().split('\n').map(pointsOf);
// A tensor of a shape that lies in memory in one of many ways; the values decide the elements.
type Layout = 'plain' | 'transposed' | 'sliced' | 'reversed' | 'offset' | 'broadcast';
const layouts: Layout[] = ['plain', 'transposed', 'sliced', 'reversed', 'offset', 'broadcast'];

function lay(values: readonly unknown[], shape: readonly number[], dtype: DType, layout: Layout): Tensor {
  const count = shape.reduce((a, b) => a * b, 1);
  const make = (full: readonly number[]): Tensor => {
    const size = full.reduce((a, b) => a * b, 1);
    const list = Array.from({ length: size }, (_, k) => values[k % values.length]);
    return tensor(list as number[], { dtype, shape: full });
  };
  const [rows, columns] = shape;
  if (count === 0 || shape.length < 2) return make(shape);
  switch (layout) {
    case 'plain':
      return make(shape);
    case 'transposed':
      return make([columns, rows]).transpose(0, 1);
    case 'sliced':
      return make([rows, 2 * columns + 1]).slice(1, 1, null, 2);
    case 'reversed':
      return make(shape).flip(0, 1);
    case 'offset':
      return make([rows + 1, columns + 1])
        .slice(0, 1)
        .slice(1, 1);
    case 'broadcast':
      return make([1, columns]).expand(rows, columns);
  }
}

// The tensor of a shape whose element k is value(k), in memory as the layout says.
function place(
  value: (k: number) => unknown,
  shape: readonly number[],
  dtype: DType,
  layout: Layout,
): Tensor {
  const count = shape.reduce((a, b) => a * b, 1);
  const values = Array.from({ length: count }, (_, k) => value(k));
  const plain = tensor(values as number[], { dtype, shape });
  if (layout === 'broadcast')
    return count === 0 || shape.length < 2 ? plain : plain.narrow(0, 0, 1).expand(...shape);
  return lay([0], shape, dtype, layout).copy_(plain);
}

function expectSame({ name, result, bound, operands, results }: Points, p: number, got: unknown): void {
  const where = (): string =>
    `${name}(${operands.map((list) => String(list[p])).join(', ')}) as ${result} is ${String(got)}, not ${String(results[p])}`;
  if (result === 'float32' || result === 'float64') {
    const wanted = results[p] as number;
    // the point is rounded, and units below a power of two are half as large
    if (bound > 0) assert.ok(ulpDistance(got as number, wanted, result) <= 2 * bound, where());
    else assert.ok(Object.is(got, wanted), where());
  } else {
    assert.equal(result === 'bool' ? got : BigInt(got as number), results[p], where());
  }
}

const shapes = [[], [1], [7], [3, 5], [5, 3], [1, 9], [17, 3], [0, 4]];
// Those that are reached by an option of another one; rows with numbers are functions, too.
const byOption = ['geluTanh', 'addScaled', 'subScaled', 'roundTo'];
const withNumbers = functionRows.map(({ name }) => name);

for (const name of Object.keys(opNumbers).filter((one) => !byOption.includes(one))) {
  const own = lines.filter((line) => line.name === name);
  const run = (stria as unknown as Record<string, (...x: Tensor[]) => Tensor>)[name];

  test(`${name}: every dtype and layout`, () => {
    assert.ok(own.length > 0, 'tests/data/op_points.txt has points');
    for (const points of own)
      for (const [s, shape] of shapes.entries())
        for (const [first] of layouts.entries())
          scope(() => {
            const placed = points.dtypes.map((_, k) => layouts[(first + k) % layouts.length]);
            const columns = shape.length === 2 && placed.includes('broadcast') ? shape[1] : 0;
            const point = (k: number): number =>
              ((columns > 0 ? k % columns : k) + s + first) % points.results.length;
            const tensors = points.dtypes.map((dtype, k) =>
              place((at) => points.operands[k][point(at)], shape, dtype, placed[k]),
            );
            const result = run(...tensors);
            assert.deepEqual(result.shape, shape);
            assert.equal(result.dtype, points.result);
            flat(result).forEach((got, k) => expectSame(points, point(k), got));
          });
  });

  if (own.every(({ dtypes }) => bits[dtypes.at(-1)!] === undefined))
    test(`${name}: integers become float32 first`, () => {
      scope(() => {
        const x = own[0].dtypes.map((_, k) => tensor([1, 2, k, 7], { dtype: 'int16' }));
        const result = run(...x);
        assert.equal(result.dtype, own.some(({ result }) => result === 'bool') ? 'bool' : 'float32');
        assert.deepEqual(flat(result), flat(run(...x.map((one) => one.to('float32')))));
      });
    });

  test(`${name}: in place and into out give the same elements`, () => {
    const dtypes =
      own.find(({ dtypes: [...of] }) => of.at(-1) === 'float32')?.dtypes ??
      own.find(({ dtypes: [...of] }) => of.at(-1) === 'int32')!.dtypes;
    scope(() => {
      const list = dtypes.at(-1) === 'float32' ? [0.25, -0.5, 0.75, 0.125, 0.5, 0.875] : [1, -2, 3, 4, 5, 6];
      const inputs = dtypes.map((dtype, k) =>
        lay(list.slice(k).concat(list.slice(0, k)), [2, 3], dtype, layouts[k]),
      );
      const wanted = run(...inputs);
      const out = stria.empty([2, 3], { dtype: wanted.dtype });
      (run as unknown as (...x: unknown[]) => Tensor)(...inputs, { out });
      assert.deepEqual(flat(out), flat(wanted));
      const target = inputs[0].clone();
      const method = (target as unknown as Record<string, (...x: Tensor[]) => Tensor>)[`${name}_`];
      if (dtypes[0] === 'bool') return; // a condition takes no elements in place
      assert.equal(method.apply(target, inputs.slice(1)), target);
      assert.deepEqual(flat(target), flat(wanted.to(dtypes[0])));
    });
  });
}

test('every line of the points is of an op, and every op has one', () => {
  const named = new Set(lines.map(({ name }) => name));
  const known = new Set([...Object.keys(opNumbers), ...withNumbers]);
  assert.deepEqual(
    [...named].filter((name) => !known.has(name)),
    [],
  );
  assert.deepEqual(
    Object.keys(opNumbers).filter((name) => !named.has(name)),
    [],
  );
});

test('where takes the condition element by element', () => {
  scope(() => {
    const condition = tensor([[true], [false]]);
    const x = stria.where(condition, tensor([1, 2, 3]), 0);
    assert.deepEqual(x.toArray(), [
      [1, 2, 3],
      [0, 0, 0],
    ]);
    assert.equal(x.dtype, 'float32');
    assert.deepEqual(
      tensor([1, 2])
        .where(tensor([false, true]), 9)
        .toArray(),
      [9, 2],
    );
  });
});

test('gelu by tanh, and clamp with one bound', () => {
  scope(() => {
    const x = tensor([-1, 0, 0.5, 2], { dtype: 'float64' });
    const approximate = (a: number): number =>
      0.5 * a * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (a + 0.044715 * a ** 3)));
    const got = stria.gelu(x, { approximate: 'tanh' }).toArray() as number[];
    flat(x).forEach((a, k) => assert.ok(Math.abs(got[k] - approximate(a as number)) < 1e-14));
    assert.deepEqual(x.clamp({ min: 0 }).toArray(), [0, 0, 0.5, 2]);
    assert.deepEqual(x.clamp(null, 1).toArray(), [-1, 0, 0.5, 1]);
    assert.deepEqual(stria.clamp(x, 0, 1).toArray(), [0, 0, 0.5, 1]);
    assert.deepEqual(x.clone().clamp_({ min: -0.5, max: 1 }).toArray(), [-0.5, 0, 0.5, 1]);
    assert.throws(() => x.clamp({}), {
      code: 'ERR_ARGUMENT',
      op: 'clamp',
      argument: 'min and max',
      message: 'clamp: min and max must be given, one of them at least, got neither',
    });
    assert.throws(() => x.clamp({ min: stria.ones([3]) }), {
      op: 'clamp',
      argument: 'min',
      code: 'ERR_SHAPE',
    });
    assert.throws(() => x.clamp(null, 'a' as never), { op: 'clamp', argument: 'max', code: 'ERR_ARGUMENT' });
    assert.throws(() => x.add(null as never), { op: 'add', argument: 'b', code: 'ERR_ARGUMENT' });
  });
});

test('bounds that an integer dtype does not hold limit as numbers do', () => {
  scope(() => {
    const [u, w] = [tensor([5, 250], { dtype: 'uint8' }), tensor([5n, 2n ** 63n], { dtype: 'uint64' })];
    const i = tensor([5, -9], { dtype: 'int32' });
    const is = (x: Tensor, expected: readonly (number | bigint)[]): void =>
      assert.deepEqual(flat(x).map(String), expected.map(String));
    is(u.clamp(-10, 1000), [5, 250]);
    is(u.clamp({ min: 0, max: 256 }), [5, 250]);
    is(u.clampMin(-1), [5, 250]);
    is(u.clampMax(300), [5, 250]);
    is(u.clamp(300, 400), [255, 255]);
    is(u.clone().clamp_(-3, 100), [5, 100]);
    is(u.hardtanh(-10, 100), [5, 100]);
    is(u.hardtanh(), [1, 1]);
    is(i.hardtanh(-3e9, 4n), [4, -9]);
    is(i.clamp(-3e9, 4n), [4, -9]);
    is(i.clamp({ max: -3e9 }), [-(2 ** 31), -(2 ** 31)]);
    is(w.clamp(-1, 2n ** 63n), [5n, 2n ** 63n]);
    is(w.clamp(7n, -1), [0, 0]);
    const most = tensor([5n, 2n ** 64n - 1n], { dtype: 'uint64' });
    is(most.clamp(0n, 2n ** 63n), [5n, 2n ** 63n]);
    is(most.clampMin(2n ** 63n), [2n ** 63n, 2n ** 64n - 1n]);
    is(most.clampMax(2n ** 63n + 5n), [5n, 2n ** 63n + 5n]);
    is(most.clamp(null, 2n ** 63n + 5n), [5n, 2n ** 63n + 5n]);
    is(tensor([-7n, 7n]).clampMax(2n ** 64n - 1n), [-7n, 7n]);
    const limited = stria.kernel((x) => x.clamp(-10, 1000).add(x));
    is(limited(u), [10, 244]);
    is(tensor([-7n, 7n]).clamp(-3n, 2n ** 64n - 1n), [-3, 7]);
    is(u.clamp({ max: tensor([300, 7], { dtype: 'int32' }) }), [5, 7]);
    const compiled = stria.compile((x: Tensor) => x.clamp(-10, 1000).clampMin(-1));
    is(compiled(u), [5, 250]);
    compiled.clear();
    assert.equal(u.clamp(-10.5, 7).dtype, 'float32');
  });
});

test('numbers take part in promotion by category only', () => {
  scope(() => {
    const dtypeOf = (x: DType, y: number | bigint | boolean): DType =>
      stria.add(tensor([1], { dtype: x }), y).dtype;
    assert.equal(dtypeOf('uint8', 2), 'uint8');
    assert.equal(dtypeOf('uint8', 2.5), 'float32');
    assert.equal(dtypeOf('float64', 2), 'float64');
    assert.equal(dtypeOf('int32', 5n), 'int32');
    assert.equal(dtypeOf('bool', 2), 'int64');
    assert.equal(dtypeOf('int16', true), 'int16');
    assert.equal(dtypeOf('float16', 0.1), 'float16');
    assert.deepEqual(stria.sub(10, tensor([1, 2])).toArray(), [9, 8]);
    assert.deepEqual(stria.add(tensor([2n ** 60n]), 1n).toArray(), [2n ** 60n + 1n]);
    assert.equal(Object.is(tensor([1]).mul(-0).toArray()[0 as never], -0), true);
  });
});

type Numbers = number | readonly Numbers[];
const at = (nested: unknown, path: number[]): number =>
  path.reduce((level, k) => (level as unknown[])[k], nested) as number;

test('reductions agree with loops, along any axes and in any layout', () => {
  const finite = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 6, maxLength: 30 });
  const folds: Record<string, (list: number[]) => number> = {
    sum: (list) => list.reduce((a, b) => a + b, 0),
    amax: (list) => Math.max(...list),
    amin: (list) => Math.min(...list),
    mean: (list) => list.reduce((a, b) => a + b, 0) / list.length,
    any: (list) => Number(list.some((a) => a !== 0)),
    all: (list) => Number(list.every((a) => a !== 0)),
  };
  fc.assert(
    fc.property(
      finite,
      fc.constantFrom(...layouts),
      fc.constantFrom('sum', 'amax', 'amin', 'mean', 'any', 'all'),
      (list, layout, name) => {
        scope(() => {
          const x = lay(list, [5, 4], 'float64', layout);
          const nested = x.toArray() as Numbers;
          const fold = folds[name];
          const method = (dim?: number | number[], options?: object): unknown[] =>
            flat(
              (x as unknown as Record<string, (d?: unknown, o?: unknown) => Tensor>)[name](dim, options),
            ).map(Number);
          const row = (i: number): number[] => [0, 1, 2, 3].map((j) => at(nested, [i, j]));
          const column = (j: number): number[] => [0, 1, 2, 3, 4].map((i) => at(nested, [i, j]));
          assert.deepEqual(method(), [fold(flat(x) as number[])]);
          assert.deepEqual(method([0, 1]), [fold(flat(x) as number[])]);
          assert.deepEqual(
            method(1),
            [0, 1, 2, 3, 4].map((i) => fold(row(i))),
          );
          assert.deepEqual(
            method(-2),
            [0, 1, 2, 3].map((j) => fold(column(j))),
          );
        });
      },
    ),
    { numRuns: 60, seed: 20_26 },
  );
});

test('options of reductions', () => {
  scope(() => {
    const x = tensor(
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      { dtype: 'int32' },
    );
    assert.deepEqual(x.sum(1, { keepdim: true }).shape, [2, 1]);
    assert.deepEqual(x.sum({ axis: 0, keepdims: true }).toArray(), [[5n, 7n, 9n]]);
    assert.equal(x.sum().dtype, 'int64');
    assert.equal(x.sum({ dtype: 'float64' }).item(), 21);
    assert.equal(x.prod().item(), 720);
    const out = stria.empty([2], { dtype: 'float64' });
    assert.equal(stria.sum(x, 1, { out }), out);
    assert.deepEqual(out.toArray(), [6, 15]);
    assert.throws(() => x.mean(), {
      code: 'ERR_DTYPE',
      op: 'mean',
      argument: 'x',
      message: 'mean: int32 is not supported; give a float dtype',
    });
    assert.throws(() => x.sum({ dim: 0, axis: 1 }), {
      code: 'ERR_CONFIG',
      op: 'sum',
      argument: 'dim and axis',
      message: 'sum: dim and axis must be given once, got 0 and 1',
    });
    assert.equal(stria.sum(tensor([], { dtype: 'float32' })).item(), 0);
    assert.throws(() => stria.amax(tensor([])), {
      code: 'ERR_EMPTY',
      op: 'amax',
      argument: 'x',
      message: 'amax: axis 0 has size 0, and there is no amax of nothing',
    });
    assert.equal(x.gt(5).any().item(), true);
  });
});
