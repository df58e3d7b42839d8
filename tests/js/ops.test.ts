// Every element-wise op and reduction: any dtype, any layout, against plain JavaScript.
import test from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as stria from 'stria';
import { opArities, opNumbers, scope, tensor, type DType, type Tensor } from 'stria';
import { oracles, wrap, type Oracle } from './oracle.js';
import { bits, checkLeaksAtEnd, flat, isSigned, load, ulpDistance } from './support.js';

await load();
checkLeaksAtEnd();

const floats: DType[] = ['float32', 'float64'];
const integers: DType[] = ['uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'uint64', 'int64'];
const SEED = 20_26;
const RUNS = 40;

function value(dtype: DType, [least, most]: [number, number] = [-Infinity, Infinity]): fc.Arbitrary<unknown> {
  if (dtype === 'bool') return fc.boolean();
  const width = bits[dtype];
  if (width !== undefined) {
    const [min, max] = isSigned(dtype)
      ? [-(1n << BigInt(width - 1)), (1n << BigInt(width - 1)) - 1n]
      : [0n, (1n << BigInt(width)) - 1n];
    return fc.oneof(
      fc.bigInt({ min, max }),
      fc.bigInt({ min: min < -9n ? -9n : min, max: 9n }),
      fc.constantFrom(min, max),
    );
  }
  const inside = (x: number): boolean =>
    (x >= least && x <= most) || (Number.isNaN(x) && least === -Infinity);
  const any = dtype === 'float32' ? fc.float() : fc.double();
  const near = fc
    .double({ min: -10, max: 10, noNaN: true })
    .map((x) => (dtype === 'float32' ? Math.fround(x) : x));
  return fc
    .oneof(any, near, fc.constantFrom(0, -0, 1, -1, 0.5, -1.5, 2.5, Infinity, -Infinity, NaN))
    .filter(inside);
}

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

function toFloat(x: number, dtype: DType): number {
  return dtype === 'float32' ? Math.fround(x) : x;
}

function expectSame(name: string, dtype: DType, got: unknown, oracle: Oracle, operands: unknown[]): void {
  const where = (): string => `${name}(${operands.map(String).join(', ')}) as ${dtype} is ${String(got)}`;
  const asNumbers = operands.map(Number);
  if (dtype === 'bool' && oracle.bool && !oracle.promotes) {
    assert.equal(got, oracle.bool(...(operands as boolean[])), where());
  } else if (bits[dtype] !== undefined && oracle.integer && !oracle.promotes) {
    const wanted = oracle.integer(...operands.map((x) => BigInt(x as bigint)));
    const stored = typeof wanted === 'bigint' ? wrap(wanted, dtype, bits[dtype]) : wanted;
    assert.equal(typeof got === 'boolean' ? got : BigInt(got as number), stored, where());
  } else {
    const precision = dtype === 'float64' ? 'float64' : 'float32';
    const wanted = oracle.steps
      ? oracle.steps((x) => toFloat(x, precision), ...asNumbers)
      : oracle.float!(...asNumbers);
    if (typeof wanted === 'boolean') return assert.equal(got, wanted, where());
    if (oracle.ulps === Infinity) {
      const scale = Math.max(1, ...asNumbers.map(Math.abs));
      assert.ok(Math.abs((got as number) - wanted) <= scale * 1e-5, where() + `, not ${wanted}`);
      return;
    }
    const distance = ulpDistance(got as number, toFloat(wanted, precision), precision);
    assert.ok(distance <= (oracle.ulps ?? 0), where() + `, not ${toFloat(wanted, precision)}`);
  }
}

const shapes = fc.constantFrom<readonly number[]>([], [1], [7], [3, 5], [5, 3], [1, 9], [17, 3], [0, 4]);

for (const [name, oracle] of Object.entries(oracles)) {
  const arity = opArities[opNumbers[name as stria.OpName]];
  const run = (stria as unknown as Record<string, (...x: Tensor[]) => Tensor>)[name];
  const candidates: DType[] = [
    ...(oracle.bool ? (['bool'] as DType[]) : []),
    ...(oracle.integer || oracle.promotes ? integers : []),
    ...(oracle.float || oracle.steps ? floats : []),
  ];

  test(`${name}: every dtype and layout`, () => {
    for (const dtype of candidates) {
      const isInteger = bits[dtype] !== undefined;
      if (isInteger && oracle.promotes && oracle.domain) continue; // integers leave the domain
      const values = fc.array(value(dtype, oracle.domain), { minLength: 4, maxLength: 40 });
      const lists = fc.tuple(
        ...Array.from({ length: arity }, () => fc.tuple(values, fc.constantFrom(...layouts))),
      );
      fc.assert(
        fc.property(shapes, lists, (shape, operands) => {
          scope(() => {
            const tensors = operands.map(([list, layout]) => lay(list, shape, dtype, layout));
            const inputs = tensors.map(flat);
            const result = run(...tensors);
            assert.deepEqual(result.shape, shape);
            const results = flat(result);
            for (let k = 0; k < results.length; k++) {
              const args = inputs.map((input) =>
                oracle.promotes ? toFloat(Number(input[k]), 'float32') : input[k],
              );
              if (oracle.promotes && dtype === 'float64') inputs.forEach((input, i) => (args[i] = input[k]));
              expectSame(
                name,
                oracle.promotes && dtype !== 'float64' ? 'float32' : dtype,
                results[k],
                oracle,
                args,
              );
            }
          });
        }),
        { numRuns: Math.ceil(RUNS / candidates.length) + 4, seed: SEED },
      );
    }
  });

  test(`${name}: in place and into out give the same elements`, () => {
    const dtype = oracle.float || oracle.steps ? 'float32' : 'int32';
    scope(() => {
      const list = dtype === 'float32' ? [0.25, -0.5, 0.75, 0.125, 0.5, 0.875] : [1, -2, 3, 4, 5, 6];
      const inputs = Array.from({ length: arity }, (_, k) =>
        lay(list.slice(k).concat(list.slice(0, k)), [2, 3], dtype, layouts[k]),
      );
      const wanted = run(...inputs);
      const out = stria.empty([2, 3], { dtype: wanted.dtype });
      (run as unknown as (...x: unknown[]) => Tensor)(...inputs, { out });
      assert.deepEqual(flat(out), flat(wanted));
      const target = inputs[0].clone();
      const method = (target as unknown as Record<string, (...x: Tensor[]) => Tensor>)[`${name}_`];
      assert.equal(method.apply(target, inputs.slice(1)), target);
      assert.deepEqual(flat(target), flat(wanted.to(dtype)));
    });
  });
}

test('every op of the table has an oracle here or a test of its own', () => {
  const own = ['where', 'geluTanh', 'addScaled', 'subScaled', 'roundTo'];
  assert.deepEqual(
    Object.keys(opNumbers).filter((name) => !(name in oracles) && !own.includes(name)),
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
    { numRuns: 60, seed: SEED },
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
