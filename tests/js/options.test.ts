// Options: what a function does not have is refused by name, in every function; what it has is read once.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { add, ArgumentError, scope, StriaError, sum, tensor, zeros, type Tensor } from 'stria';
import { checkLeaksAtEnd, flat, load } from './support.js';

await load();
checkLeaksAtEnd();

const any = (value: unknown): never => value as never;
const loose = (f: unknown): ((...given: unknown[]) => unknown) => f as never;
const row = (): Tensor => tensor([1, 2, 3]);

test('methods that take nothing refuse arguments', () => {
  const x = row();
  for (const name of ['clone', 'dataSync', 'data', 'toArray', 'detach_', 'retainGrad', 'dispose'] as const)
    assert.throws(
      () => loose(x[name]).call(x, { dtype: 'int32' }),
      (error: StriaError) =>
        error instanceof ArgumentError && error.op === name && /at most 0/.test(error.message),
    );
  x.dispose();
});

test('misspelt options are refused, with the nearest spelling', () => {
  const x = row();
  const calls: [run: () => unknown, op: string, argument: string, near: string][] = [
    [() => sum(x, any({ axes: 0 })), 'sum', 'axes', 'axis'],
    [() => x.sum(0, any({ keepDims: true })), 'sum', 'keepDims', 'keepdims'],
    [() => x.sum(0, any({ keep_dim: true })), 'sum', 'keep_dim', 'keepdim'],
    [() => x.amax(any({ dims: 0 })), 'amax', 'dims', 'dim'],
    [() => zeros([2], any({ type: 'int32' })), 'zeros', 'type', 'dtype'],
    [() => zeros(2, 3, any({ Dtype: 'int32' })), 'zeros', 'Dtype', 'dtype'],
    [() => stria.full([2], 1, any({ dtpye: 'int32' })), 'full', 'dtpye', 'dtype'],
    [() => stria.arange(0, 5, 1, any({ type: 'int32' })), 'arange', 'type', 'dtype'],
    [() => stria.zerosLike(x, any({ type: 'int32' })), 'zerosLike', 'type', 'dtype'],
    [() => tensor([1], any({ shap: [1] })), 'tensor', 'shap', 'shape'],
    [() => add(x, x, any({ output: x })), 'add', 'output', 'out'],
    [() => x.sub(x, any({ Alpha: 2 })), 'sub', 'Alpha', 'alpha'],
    [() => x.add_(x, any({ alfa: 2 })), 'add_', 'alfa', 'alpha'],
    [() => x.round(any({ decimal: 2 })), 'round', 'decimal', 'decimals'],
    [() => x.neg(any({ Out: x })), 'neg', 'Out', 'out'],
    [() => stria.lerp(x, x, 1, any({ ou: x })), 'lerp', 'ou', 'out'],
    [() => x.clamp(any({ min: 0, maximum: 2 })), 'clamp', 'maximum', 'max'],
    [() => x.clamp(0, 1, any({ outt: x })), 'clamp', 'outt', 'out'],
    [() => x.gelu(any({ approx: 'tanh' })), 'gelu', 'approx', 'approximate'],
    [() => x.argmax(any({ axes: 0 })), 'argmax', 'axes', 'axis'],
    [() => x.var(0, any({ corection: 0 })), 'var', 'corection', 'correction'],
    [() => x.norm(2, 0, any({ keepDims: true })), 'norm', 'keepDims', 'keepdims'],
    [() => x.norm(any({ P: 1 })), 'norm', 'P', 'p'],
    [() => x.cumsum(0, any({ type: 'float64' })), 'cumsum', 'type', 'dtype'],
    [() => x.softmax(any({ axes: 0 })), 'softmax', 'axes', 'axis'],
    [() => stria.layerNorm(x, 3, any({ epsilon: 1 })), 'layerNorm', 'epsilon', 'eps'],
    [() => stria.matmul(x, x, any({ outp: x })), 'matmul', 'outp', 'out'],
    [() => stria.kernel((v) => v.neg())(any(x), any({ Out: x })), 'kernel', 'Out', 'out'],
    [() => stria.inspect('sum', x, 0, any({ keepDims: true })), 'sum', 'keepDims', 'keepdims'],
    [() => x.sum().item(any({ bigInt: true })), 'item', 'bigInt', 'bigint'],
  ];
  scope(() => {
    for (const [run, op, argument, near] of calls)
      assert.throws(run, {
        name: 'ArgumentError',
        code: 'ERR_ARGUMENT',
        message: `${op}: unknown option '${argument}' (did you mean '${near}'?)`,
        op,
        argument,
        expected: near,
        got: argument,
      });
  });
  x.dispose();
});

test('options of init', async () => {
  await assert.rejects(() => stria.init(any({ thread: 2 })), {
    name: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'init',
    argument: 'thread',
    message: "init: unknown option 'thread' (did you mean 'threads'?)",
  });
  await assert.rejects(() => stria.init(any(4)), { op: 'init', argument: 'options', got: '4' });
});

test('what resembles no option is refused with those that there are', () => {
  const x = row();
  assert.throws(() => sum(x, 0, any({ colour: 1 })), {
    code: 'ERR_ARGUMENT',
    op: 'sum',
    argument: 'colour',
    message: "sum: unknown option 'colour' (known: dim, axis, keepdim, keepdims, dtype, out)",
  });
  assert.throws(() => x.mul(2, any({ alpha: 3 })), { message: "mul: unknown option 'alpha' (known: out)" });
  const long = 'x'.repeat(1 << 20);
  assert.throws(() => x.neg(any({ [long]: 1 })), { argument: 'x'.repeat(40) });
  x.dispose();
});

test('what is no object of options is refused', () => {
  const x = row();
  for (const [value, shown] of [
    [true, 'true'],
    [false, 'false'],
    [0, '0'],
    ['float32', '"float32"'],
    [x, 'a tensor'],
    [[1], '[1]'],
    [new Date(0), 'an object (Date)'],
    [new Map([['keepdim', true]]), 'an object (Map)'],
  ] as const) {
    const refusal = { name: 'ArgumentError', code: 'ERR_ARGUMENT', argument: 'options', got: shown };
    assert.throws(() => sum(x, 0, any(value)), { ...refusal, op: 'sum' });
    assert.throws(() => add(x, x, any(value)), { ...refusal, op: 'add' });
    assert.throws(() => x.cumsum(0, any(value)), { ...refusal, op: 'cumsum' });
    assert.throws(() => tensor([1], any(value)), { ...refusal, op: 'tensor' });
  }
  assert.throws(() => x.sum(0, any({ keepdim: 'no' })), { op: 'sum', argument: 'keepdim', got: '"no"' });
  scope(() => assert.deepEqual(add(x, x, any(null)).toArray(), [2, 4, 6]));
  x.dispose();
});

test('arguments beyond the last are refused', () => {
  const x = row();
  const calls: [run: () => unknown, op: string, most: number][] = [
    [() => loose(x.neg_.bind(x))({ out: x }), 'neg_', 0],
    [() => loose(x.mul_.bind(x))(1, { out: x }), 'mul_', 1],
    [() => loose(x.add_.bind(x))(1, {}, 1), 'add_', 2],
    [() => loose(add)(x, x, undefined, 1), 'add', 3],
    [() => loose(x.sum.bind(x))(0, {}, 1), 'sum', 2],
    [() => loose(x.cumsum_.bind(x))(0, 1), 'cumsum_', 1],
    [() => loose(tensor)([1], {}, 1), 'tensor', 2],
    [() => loose(stria.where)(true, x, x, {}, 1), 'where', 4],
    [() => loose(stria.arange)(3, { dtype: 'int32' }, 1), 'arange', 2],
  ];
  for (const [run, op, most] of calls)
    assert.throws(run, { code: 'ERR_ARGUMENT', op, argument: 'arguments', expected: `at most ${most}` });
  x.dispose();
});

test('an option given twice', () => {
  const x = row();
  const calls: [run: () => unknown, op: string, argument: string][] = [
    [() => x.sum({ dim: 0, axis: -1 }), 'sum', 'dim and axis'],
    [() => x.sum({ keepdim: true, keepdims: false }), 'sum', 'keepdim and keepdims'],
    [() => x.sum(0, { dim: 0 }), 'sum', 'dim'],
    [() => x.argmax(0, { axis: 0 }), 'argmax', 'dim'],
    [() => x.norm(1, 0, { p: 2 }), 'norm', 'p'],
    [() => x.var({ unbiased: true, correction: 0 }), 'var', 'correction and unbiased'],
  ];
  for (const [run, op, argument] of calls) assert.throws(run, { code: 'ERR_CONFIG', op, argument });
  scope(() => assert.equal(x.sum({ dim: [0], axis: [0] }).item(), 6));
  x.dispose();
});

test('each option is read once', () => {
  scope(() => {
    const x = tensor([
      [1, 2],
      [3, 4],
    ]);
    const counted = (values: Record<string, unknown[]>): [object, Record<string, number>] => {
      const reads: Record<string, number> = {};
      const options = {};
      for (const [name, answers] of Object.entries(values))
        Object.defineProperty(options, name, {
          enumerable: true,
          get: () => answers[Math.min((reads[name] = (reads[name] ?? 0) + 1), answers.length) - 1],
        });
      return [options, reads];
    };
    const small = zeros([2]);
    const [lying, reads] = counted({
      dim: [0, 7],
      keepdim: [false, 'no'],
      out: [small, 3],
      dtype: ['float32', 'x'],
    });
    assert.equal(x.sum(any(lying)), small);
    assert.deepEqual(small.toArray(), [4, 6]);
    assert.deepEqual(reads, { dim: 1, keepdim: 1, out: 1, dtype: 1 });
    const [once, outReads] = counted({ out: [small, undefined] });
    assert.equal(add(small, small, any(once)), small);
    assert.deepEqual(outReads, { out: 1 });
    const [bounds, boundReads] = counted({ min: [1, 'x'], max: [2, 'x'] });
    assert.deepEqual(flat(x.clamp(any(bounds))), [1, 2, 2, 2]);
    assert.deepEqual(boundReads, { min: 1, max: 1 });
  });
});

test('options that cannot be read', () => {
  const x = row();
  const failure = new Error('mine');
  const throwing = {
    get out() {
      throw failure;
    },
  };
  const hostile = new Proxy({}, { ownKeys: () => { throw failure; } }); // prettier-ignore
  for (const options of [throwing, hostile])
    for (const [run, op] of [
      [() => x.neg(any(options)), 'neg'],
      [() => x.sum(0, any(options)), 'sum'],
    ] as const)
      assert.throws(run, (error: StriaError) => {
        assert.ok(error instanceof ArgumentError);
        assert.deepEqual(
          [error.code, error.op, error.argument, error.cause],
          ['ERR_ARGUMENT', op, 'options', failure],
        );
        return true;
      });
  x.dispose();
});

test('zeros, ones and empty take sizes one by one', () => {
  scope(() => {
    assert.deepEqual(zeros(2, 3).shape, [2, 3]);
    assert.deepEqual(zeros(4).shape, [4]);
    assert.deepEqual(zeros([]).shape, []);
    assert.deepEqual(stria.ones(2, 1, { dtype: 'int32' }).toArray(), [[1], [1]]);
    assert.deepEqual([stria.empty(2, 2, { dtype: 'bool' }).dtype, stria.empty(0).numel], ['bool', 0]);
    assert.equal(zeros(2, { dtype: 'int8' }).dtype, 'int8');
    assert.throws(() => loose(zeros)(), { code: 'ERR_SHAPE', op: 'zeros', argument: 'shape' });
    assert.throws(() => zeros(2, -3), { code: 'ERR_SHAPE', op: 'zeros', argument: 'shape[1]' });
    assert.throws(() => loose(zeros)([2], [3]), { code: 'ERR_ARGUMENT', op: 'zeros', argument: 'options' });
    assert.throws(() => loose(zeros)([2], 3), { code: 'ERR_ARGUMENT', op: 'zeros', argument: 'options' });
    assert.throws(() => loose(zeros)('2'), { code: 'ERR_SHAPE', op: 'zeros', argument: 'shape[0]' });
  });
});

test('counting: item() of 64-bit integers', () => {
  scope(() => {
    const y = tensor([1, 0, 1, 1]);
    const correct = y.eq(tensor([1, 0, 0, 1])).sum();
    assert.equal(correct.dtype, 'int64');
    assert.equal(correct.item() / 4, 0.75);
    assert.equal(correct.item({ bigint: true }), 3n);
    assert.equal(correct.item({ bigint: false }), 3);
    assert.equal(tensor(-5, { dtype: 'int8' }).item({ bigint: true }), -5n);
    const largest = tensor([2n ** 53n - 1n]);
    assert.equal(largest.item(), 2 ** 53 - 1);
    assert.equal(largest.neg().item(), 1 - 2 ** 53);
    for (const beyond of [2n ** 53n, -(2n ** 53n), 2n ** 62n + 1n]) {
      const x = tensor([beyond]);
      assert.throws(() => x.item(), {
        code: 'ERR_OVERFLOW',
        op: 'item',
        argument: 'x',
        message: `item: x must be within 2^53, or read with { bigint: true }, got ${beyond}`,
      });
      assert.equal(x.item({ bigint: true }), beyond);
      assert.match(String(x), new RegExp(String(beyond)));
    }
    assert.equal(tensor([2n ** 64n - 1n], { dtype: 'uint64' }).item({ bigint: true }), 2n ** 64n - 1n);
    for (const x of [tensor(1.5), tensor(true), tensor({ re: 1, im: 2 })])
      assert.throws(() => x.item({ bigint: true }), { code: 'ERR_DTYPE', op: 'item', argument: 'x' });
    assert.deepEqual(tensor([1n, 2n]).toArray(), [1n, 2n]);
  });
});

test('alpha of add and sub', () => {
  scope(() => {
    const x = tensor([1, 2, 3]);
    const y = tensor([10, 20, 30]);
    const whole = (values: number[]): Tensor => tensor(values, { dtype: 'int32' });
    assert.deepEqual(add(x, y, { alpha: 3 }).toArray(), [31, 62, 93]);
    assert.deepEqual(x.sub(y, { alpha: 0.5 }).toArray(), [-4, -8, -12]);
    assert.deepEqual(x.add(2, { alpha: 3 }).toArray(), [7, 8, 9]);
    assert.deepEqual(add(1, y, { alpha: -1 }).toArray(), [-9, -19, -29]);
    assert.deepEqual(stria.sub(x, tensor([[1], [2]]), { alpha: 2 }).toArray(), [
      [-1, 0, 1],
      [-3, -2, -1],
    ]);
    const out = zeros([3], { dtype: 'float64' });
    assert.equal(add(x, y, { alpha: 0.1, out }), out);
    // unfused, in the dtype of the operands
    const tenth = Math.fround(0.1);
    assert.deepEqual(
      out.toArray(),
      [1, 2, 3].map((a) => Math.fround(a + Math.fround(tenth * (10 * a)))),
    );
    const half = tensor([2048], { dtype: 'float16' }).add(1, { alpha: 1.5 });
    assert.deepEqual([half.dtype, half.item()], ['float16', 2050]);
    const sum = whole([5]).add(whole([2 ** 31 - 1]), { alpha: 2 });
    assert.deepEqual([sum.dtype, sum.item()], ['int32', 3]);
    assert.deepEqual(
      tensor(new Uint8Array([1]))
        .sub(1, { alpha: 2 })
        .toArray(),
      [255],
    );
    assert.equal(
      tensor([1n])
        .add(1, { alpha: 2n ** 53n })
        .item({ bigint: true }),
      2n ** 53n + 1n,
    );
    assert.equal(whole([1]).add(0.5, { alpha: 0.5 }).item(), 1.25);
    const both = tensor([true, false]);
    for (const [alpha, wanted] of [
      [true, [true, true]],
      [1, [true, true]],
      [false, [true, false]],
    ] as const) {
      const or = both.add(tensor([true, true]), { alpha });
      assert.deepEqual([or.dtype, or.toArray()], ['bool', wanted]);
    }
    assert.equal(x.add_(y, { alpha: 2 }), x);
    assert.deepEqual(x.toArray(), [21, 42, 63]);
    assert.deepEqual(x.sub_(y, { alpha: 2 }).toArray(), [1, 2, 3]);
    assert.deepEqual(x.add(y, { alpha: undefined }).toArray(), [11, 22, 33]);

    for (const [run, code] of [
      [() => whole([1]).add(1, { alpha: 0.5 }), 'ERR_DTYPE'],
      [() => both.add(true, { alpha: 0.5 }), 'ERR_DTYPE'],
      [() => x.add(y, { alpha: true }), 'ERR_DTYPE'],
      [() => whole([1]).add_(1, { alpha: 0.5 }), 'ERR_DTYPE'],
      [() => x.add(y, { alpha: any('2') }), 'ERR_ARGUMENT'],
      [() => x.add(y, { alpha: any(y) }), 'ERR_ARGUMENT'],
    ] as const)
      assert.throws(run, { code, op: 'add', argument: 'alpha', message: /^add: alpha must be / });
    assert.throws(() => x.add(tensor([1, 2]), { alpha: 2 }), {
      code: 'ERR_SHAPE',
      op: 'add',
      message: /^add: /,
    });
    assert.throws(() => both.sub(both, { alpha: 2 }), {
      code: 'ERR_DTYPE',
      op: 'sub',
      message: /bitwise_xor/,
    });
  });
});

test('decimals of round', () => {
  scope(() => {
    const x = tensor([1.005, 2.675, -0.125, 1234.5678, NaN, -Infinity, 0], { dtype: 'float64' });
    const wanted = (decimals: number): unknown => {
      const power = Number(`1e${Math.abs(decimals)}`);
      const even = (v: number): number => {
        const r = Math.round(v);
        return r - v === 0.5 && r % 2 !== 0 ? r - 1 : r;
      };
      const one = (v: number): number =>
        !Number.isFinite(v) ? v : decimals < 0 ? even(v / power) * power : even(v * power) / power;
      return (x.toArray() as number[]).map(one);
    };
    for (const decimals of [1, 2, 3, 10, -1, -2, -3])
      assert.deepEqual(x.round({ decimals }).toArray(), wanted(decimals), String(decimals));
    assert.deepEqual(x.round({ decimals: 0 }).toArray(), x.round().toArray());
    assert.deepEqual(stria.round(tensor([0.25, 0.75, 1e38]), { decimals: 1 }).toArray(), [
      ...[0.2, 0.8, 1e38].map(Math.fround),
    ]);
    assert.deepEqual(tensor([25, 35, 149]).round_({ decimals: -1 }).toArray(), [20, 40, 150]);
    assert.equal(stria.round(1.26, { decimals: 1 }).item(), Math.fround(1.3));
    const out = zeros([7], { dtype: 'float64' });
    assert.equal(x.round({ decimals: 1, out }), out);
    assert.equal(tensor([1.26], { dtype: 'float16' }).round({ decimals: 1 }).dtype, 'float16');
    // what would overflow is left as it is
    assert.deepEqual(tensor([1e30]).round({ decimals: 20 }).toArray(), [Math.fround(1e30)]);
    assert.throws(() => tensor([1], { dtype: 'int32' }).round({ decimals: 1 }), {
      code: 'ERR_DTYPE',
      op: 'round',
      argument: 'a',
      got: 'int32',
    });
    for (const decimals of [1.5, NaN, any('2'), 39, -39])
      assert.throws(() => tensor([1]).round({ decimals }), {
        code: 'ERR_ARGUMENT',
        op: 'round',
        argument: 'decimals',
      });
  });
});

test('constants into expanded tensors, numbers into bool', () => {
  scope(() => {
    const x = zeros([3, 1]);
    const wide = x.expand(3, 4);
    wide.copy_(2);
    assert.deepEqual(x.toArray(), [[2], [2], [2]]);
    wide.copy_(tensor([5]));
    assert.deepEqual(wide.select(1, 3).toArray(), [5, 5, 5]);
    assert.throws(() => wide.copy_([1, 2, 3, 4]), { code: 'ERR_OVERLAP', name: 'OverlapError' });
    const truths = tensor([true, false, false]);
    const mask = tensor([false, true, false]);
    assert.deepEqual(truths.maskedFill(mask, 1).toArray(), [true, true, false]);
    assert.deepEqual(truths.maskedFill(truths, 0).toArray(), [false, false, false]);
    assert.deepEqual(truths.maskedFill(mask, 1n).dtype, 'bool');
    assert.deepEqual(truths.maskedFill_(mask, 1).toArray(), [true, true, false]);
    for (const value of [2, -1, 1.5])
      assert.throws(() => truths.maskedFill(mask, value), { code: 'ERR_DTYPE', argument: 'value' });
  });
});
