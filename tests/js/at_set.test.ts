// x.at() and x.set() against NumPy: random mixtures of positions, slices, ellipsis, new axes, arrays and masks (index_cases.json), and what
// those do not have: tensors as indices, views and copies, values, errors, leaks.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  arange,
  dispose,
  memory,
  newAxis,
  scope,
  tensor,
  ones,
  zeros,
  StriaError,
  type Index,
  type Tensor,
} from 'stria';
import { checkLeaksAtEnd, flat, load } from './support.js';

await load();
checkLeaksAtEnd();

interface Case {
  shape: number[];
  index: Index[];
  get: [shape: number[], elements: number[]] | null;
  value: number[];
  set: number[];
}
const path = fileURLToPath(new URL('../../../../tests/data/index_cases.json', import.meta.url));
const cases = JSON.parse(readFileSync(path, 'utf8')) as Case[];
const list = (x: Tensor): number[] => flat(x).map(Number);
const count = (shape: readonly number[]): number => shape.reduce((total, size) => total * size, 1);
const range = (shape: readonly number[], start = 0): Tensor =>
  arange(start, start + count(shape), 1, { dtype: 'float64' }).reshape(shape as number[]);

test('methods of an index and a value that somebody replaced are not called', () => {
  const [x, index, mask, value] = [
    tensor([1, 2, 3]),
    tensor([2], { dtype: 'int8' }),
    tensor(true),
    tensor([[9]], { dtype: 'int32' }),
  ];
  for (const given of [index, mask, value])
    for (const name of ['to', 'reshape', 'permute', 'clone'])
      Object.defineProperty(given, name, { value: null });
  const [one, all] = [x.at(index), x.at(mask)];
  assert.deepEqual([one.toArray(), all.toArray()], [[3], [[1, 2, 3]]]);
  x.set(index, value);
  assert.deepEqual(x.toArray(), [1, 2, 9]);
  dispose(x, index, mask, value, one, all);
});

test('mixtures of indices, as NumPy does them', () => {
  let refused = 0;
  for (const { shape, index, get, value, set } of cases)
    scope(() => {
      const x = range(shape);
      const what = JSON.stringify({ shape, index });
      if (get === null) {
        refused++;
        assert.throws(() => x.at(...index), StriaError, what);
        if (list(x.at(...index.filter((one) => typeof one === 'string'))).length > 0)
          assert.throws(() => x.set(...index, 7), StriaError, what); // else there is nothing to write
        assert.deepEqual(list(x), list(range(shape)), `${what}: a refused set has written`);
        return;
      }
      const y = x.at(...index);
      assert.deepEqual([y.shape, list(y)], get, what);
      assert.equal(x.set(...index, range(value, 100)), x);
      assert.deepEqual(list(x), set, `set ${what} of ${JSON.stringify(value)}`);
    });
  assert.ok(cases.length - refused >= 600, `${cases.length} cases, ${refused} refused`);
});

test('the same with strided tensors, and tensors as indices', () => {
  cases.slice(0, 300).forEach(({ shape, index, get, value, set }, k) =>
    scope(() => {
      if (get === null) return;
      const wide = zeros([...shape, 2], { dtype: 'int32' });
      const axes = shape.map((_, axis) => axis);
      const x = wide
        .select(-1, 1)
        .permute([...axes].reverse())
        .permute([...axes].reverse());
      x.copy_(range(shape));
      const dtype = (['int64', 'int32', 'int8', 'uint32'] as const)[k % 4]!;
      const tensors = index.map((one) => {
        if (!Array.isArray(one)) return one;
        const t: Tensor = tensor(one as number[]);
        if (t.dtype === 'bool') return t;
        return dtype === 'uint32' && list(t).some((n) => n < 0) ? t.to('int16') : t.to(dtype);
      });
      assert.deepEqual(list(x.at(...tensors)), get[1]);
      x.set(...tensors, range(value, 100));
      assert.deepEqual(list(x), set);
      assert.ok(list(wide.select(-1, 0)).every((n) => n === 0));
    }),
  );
});

test('views, copies, slices as objects, new axes, truth values', () => {
  scope(() => {
    const x = arange(12).reshape(3, 4);
    x.at(1, { start: 1, stop: 3 }).copy_(0);
    assert.deepEqual(list(x.at(1)), [4, 0, 0, 7], 'a view');
    x.at([1]).copy_(9);
    assert.deepEqual(list(x.at(1)), [4, 0, 0, 7], 'a copy');
    assert.deepEqual(x.at(newAxis, '...', { step: -1 }).shape, [1, 3, 4]);
    assert.deepEqual(list(x.at(0, { step: -2 })), [3, 1]);
    assert.deepEqual(x.at().shape, [3, 4]);
    assert.deepEqual(x.at(true).shape, [1, 3, 4]);
    assert.deepEqual(x.at(tensor(false)).shape, [0, 3, 4]);
    assert.deepEqual(x.at([]).shape, [0, 4]);
    assert.deepEqual(x.at(tensor(2, { dtype: 'int64' })).toArray(), [8, 9, 10, 11]);
    assert.deepEqual(list(x.at([1n, 2n], new Int32Array([0, -1]))), [4, 11]);
    assert.deepEqual(list(x.at(x.gt(8))), [9, 10, 11]);
    // positions beside arrays are arrays without dims, as in NumPy: with a slice between them the axes of both come first
    const y = arange(24).reshape(2, 3, 4);
    assert.deepEqual(y.at(0, ':', [0, 1]).shape, [2, 3]);
    assert.deepEqual(y.at(':', 0, [0, 1]).shape, [2, 2]);
  });
});

test('values of set: numbers, arrays, typed arrays, other dtypes, leading axes, the tensor itself', () => {
  scope(() => {
    const x = zeros([2, 3], { dtype: 'int32' });
    assert.deepEqual(list(x.set(5)), [5, 5, 5, 5, 5, 5]);
    assert.deepEqual(list(x.set(0, [1, 2, 3])), [1, 2, 3, 5, 5, 5]);
    assert.deepEqual(list(x.set([0, 1], [2, 0], tensor([7.9, -8.9]))), [1, 2, 7, -8, 5, 5]);
    assert.deepEqual(list(x.set(':', [1], [[[4], [3]]])), [1, 4, 7, -8, 3, 5]);
    assert.deepEqual(list(x.set(1, new Float64Array([1, 2, 300]))), [1, 4, 7, 1, 2, 300]);
    assert.deepEqual(list(x.set(x.gt(5), true)), [1, 4, 1, 1, 2, 1]);
    const y = arange(6);
    assert.deepEqual(list(y.set('1:', y.at(':-1'))), [0, 0, 1, 2, 3, 4], 'the value lies over the view');
    assert.deepEqual(list(y.set([0, 1, 2], y.at('3:'))), [2, 3, 4, 2, 3, 4]);
    assert.deepEqual(list(y.set([1, 1, 1], [7, 8, 9])), [2, 9, 4, 2, 3, 4], 'the last stays');
    const b = zeros([2], { dtype: 'bool' });
    assert.deepEqual(b.set(0, 2).toArray(), [true, false]);
    assert.deepEqual(zeros([0]).set([], 3).shape, [0]);
    // whole numbers as copy_ converts them
    for (const [dtype, value] of [
      ['int8', 200],
      ['uint8', -1],
      ['uint64', -1],
      ['int32', 2 ** 40 + 7],
      ['uint8', 2.7],
      ['float16', 2049],
      ['bool', 2],
      ['uint64', -1n],
      ['int8', 2n ** 63n],
      ['float64', 2n ** 63n],
    ] as const) {
      const [set, copied] = [zeros([1], { dtype }).set(0, value), zeros([1], { dtype }).copy_(value)];
      assert.deepEqual(set.toArray(), copied.toArray(), `${value} as ${dtype}`);
    }
    assert.ok(Object.is(ones([1]).set(0, -0).item(), -0));
  });
});

test('what at and set refuse, and that nothing is written or left over', () => {
  scope(() => {
    const x = arange(12).reshape(3, 4);
    const before = memory().liveTensors;
    const refused = (run: () => unknown, op: string, argument: string, code: string, message: RegExp): void =>
      assert.throws(run, (error: unknown) => {
        assert.ok(error instanceof StriaError, String(error));
        assert.deepEqual([error.op, error.argument, error.code], [op, argument, code], error.message);
        assert.match(error.message, message);
        return true;
      });
    const any = (value: unknown): Index => value as Index;
    refused(() => x.at(3), 'at', 'indices[0]', 'ERR_ARGUMENT', /^at: .*3/);
    for (const most of [2n ** 64n - 1n, 2n ** 63n + 1n])
      refused(
        () => x.at(BigUint64Array.of(most)),
        'at',
        'indices[0]',
        'ERR_ARGUMENT',
        /9223372036854775807, out of range/,
      );
    refused(() => x.at('...', 4), 'at', 'indices[1]', 'ERR_ARGUMENT', /^at: .*4/);
    refused(
      () => x.at(0, [4]),
      'at',
      'indices[1]',
      'ERR_ARGUMENT',
      /indices\[1\]\[0\] is 4, out of range for axis 1 of size 4/,
    );
    refused(
      () => x.at(':', [0, -5]),
      'at',
      'indices[1]',
      'ERR_ARGUMENT',
      /^at: indices\[1\]\[1\] is -5, .* axis 1 of size 4/,
    );
    refused(() => x.set(':', [0, 4], 1), 'set', 'indices[1]', 'ERR_ARGUMENT', /^set: indices\[1\]\[1\] is 4/);
    refused(
      () => x.set([0, 3], ':', 1),
      'set',
      'indices[0]',
      'ERR_ARGUMENT',
      /indices\[0\]\[1\] is 3, .* axis 0 of size 3/,
    );
    refused(() => x.at(0, 0, 0), 'at', 'indices', 'ERR_AXIS', /at most 2, got 3/);
    refused(() => x.at('...', 0, '...'), 'at', 'indices', 'ERR_ARGUMENT', /one '...'/);
    refused(() => x.at([0.5]), 'at', 'indices[0]', 'ERR_ARGUMENT', /whole numbers, got 0.5/);
    refused(() => x.at(0, any({ begin: 1 })), 'at', 'indices[1].begin', 'ERR_ARGUMENT', /begin/);
    refused(() => x.at({ step: 0 }), 'at', 'indices[0]', 'ERR_ARGUMENT', /step/);
    refused(() => x.at(any(new Date())), 'at', 'indices[0]', 'ERR_ARGUMENT', /an object \(Date\)/);
    refused(() => x.at(0, any(new Map())), 'at', 'indices[1]', 'ERR_ARGUMENT', /an object \(Map\)/);
    refused(() => x.at(any(undefined)), 'at', 'indices[0]', 'ERR_ARGUMENT', /got undefined/);
    refused(() => x.at(any(() => 1)), 'at', 'indices[0]', 'ERR_ARGUMENT', /whole number/);
    refused(() => x.at(x), 'at', 'indices[0]', 'ERR_DTYPE', /integer dtype or bool/);
    refused(() => x.at([true, false]), 'at', 'indices[0]', 'ERR_SHAPE', /mask of shape \[2\]/);
    refused(() => x.at(':', [true, false]), 'at', 'indices[1]', 'ERR_SHAPE', /from 1 on are \[4\]/);
    refused(() => x.at([0, 1], [0, 1, 2]), 'at', 'indices[1]', 'ERR_SHAPE', /^at: /);
    refused(() => x.set(0, [1, 2]), 'set', 'value', 'ERR_SHAPE', /^set: /);
    scope(() => {
      refused(() => zeros([3, 0]).at(':', [0]), 'at', 'indices[1]', 'ERR_ARGUMENT', /axis 1 has size 0/);
      const unmade = zeros([3, 4], { device: 'meta' });
      assert.deepEqual(unmade.at(':', [[0, 9]]).shape, [3, 1, 2]); // nobody looks at positions there
      assert.deepEqual(unmade.at(Int32Array.of(1, 2), 0).shape, [2]);
      unmade.set([0, 1], 5);
      unmade.set(0, 5);
      unmade.set(0, [1, 2, 3, 4]);
      unmade.set([0, 1], [1, 2, 3, 4]);
      unmade.set(0, ones([4]));
      refused(() => unmade.at([true, false, true]), 'at', 'x', 'ERR_DEVICE', /depends on elements/);
    });
    refused(() => x.set([0], [1, 2]), 'set', 'value', 'ERR_SHAPE', /value has shape \[2\]/);
    refused(() => x.set(0, zeros([2, 1, 4])), 'set', 'value', 'ERR_SHAPE', /1 dims or fewer/);
    refused(() => x.set(0, 'x' as never), 'set', 'value', 'ERR_ARGUMENT', /^set: value/);
    refused(() => (x.set as () => unknown)(), 'set', 'value', 'ERR_ARGUMENT', /nothing/);
    const gone = tensor([1]);
    gone.dispose();
    refused(() => x.at(gone), 'at', 'indices[0]', 'ERR_DISPOSED', /./);
    refused(() => x.set(0, gone), 'set', 'value', 'ERR_DISPOSED', /./);
    refused(() => gone.at(0), 'at', 'x', 'ERR_DISPOSED', /./);
    assert.deepEqual(list(x), list(arange(12)));
    const made = memory().liveTensors - before;
    assert.ok(made <= 4, `${made} tensors are left over`); // those of this test
  });
});
