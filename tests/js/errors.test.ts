// Bad input: a clear error, the library usable afterwards, nothing leaked.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { memory, scope, tensor, type Tensor } from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

assert.throws(() => tensor([1]), { code: 'ERR_CONFIG', message: /init/ });
await assert.rejects(() => stria.init({ backend: 'gpu' as 'wasm' }), { code: 'ERR_ARGUMENT' });
await assert.rejects(() => stria.init({ threads: 0.5 }), { code: 'ERR_ARGUMENT' });
await load();
checkLeaksAtEnd();

const any = (value: unknown): never => value as never;

interface Refusal {
  name: string;
  code: string;
  run: () => unknown;
  message?: RegExp;
  error?: string;
  op?: string;
  argument?: string;
}

const x = (): Tensor =>
  tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
const empty = (): Tensor => stria.zeros([0, 3]);
const deep = Array.from({ length: 70 }).reduce<unknown>((inner) => [inner], 1);

const refusals: Refusal[] = [
  {
    name: 'shapes',
    code: 'ERR_SHAPE',
    error: 'ShapeError',
    run: () => x().add(tensor([1, 2])),
    message: /\[2,3\].*\[2\]/,
    op: 'add',
    argument: 'b',
  },
  {
    name: 'ragged at depth 1',
    code: 'ERR_SHAPE',
    run: () => tensor([[1, 2], [3]]),
    message: /data\[1\].*2.*1/,
  },
  {
    name: 'ragged: number for array',
    code: 'ERR_SHAPE',
    run: () => tensor(any([[1], 2])),
    message: /data\[1\]/,
  },
  {
    name: 'ragged: array for number',
    code: 'ERR_SHAPE',
    run: () => tensor(any([1, [2]])),
    message: /data\[1\]/,
  },
  {
    name: 'no number',
    code: 'ERR_ARGUMENT',
    run: () => tensor(any([[1, 'a']])),
    message: /data\[0\]\[1\].*"a"/,
  },
  { name: 'undefined', code: 'ERR_ARGUMENT', run: () => tensor(any(undefined)) },
  { name: 'null inside', code: 'ERR_ARGUMENT', run: () => tensor(any([null])) },
  { name: 'a tensor inside', code: 'ERR_ARGUMENT', run: () => tensor(any([x()])), message: /tensor/ },
  { name: 'a tensor', code: 'ERR_ARGUMENT', run: () => tensor(any(x())), message: /clone/ },
  { name: 'a DataView', code: 'ERR_ARGUMENT', run: () => tensor(any(new DataView(new ArrayBuffer(8)))) },
  { name: 'too deep', code: 'ERR_SHAPE', run: () => tensor(any(deep)) },
  { name: 'a bigint too large', code: 'ERR_ARGUMENT', run: () => tensor([2n ** 63n]) },
  { name: 'a negative uint64', code: 'ERR_ARGUMENT', run: () => tensor([-1n], { dtype: 'uint64' }) },
  {
    name: 'an unknown dtype',
    code: 'ERR_DTYPE',
    error: 'DTypeError',
    run: () => tensor([1], { dtype: any('float31') }),
    message: /float31/,
  },
  {
    name: 'a dtype of the prototype',
    code: 'ERR_DTYPE',
    run: () => stria.zeros([1], { dtype: any('toString') }),
  },
  {
    name: 'shape of another size',
    code: 'ERR_SHAPE',
    run: () => tensor(new Uint8Array(5), { shape: [2, 3] }),
  },
  { name: 'a NaN size', code: 'ERR_SHAPE', run: () => stria.zeros([NaN]), message: /shape\[0\].*NaN/ },
  {
    name: 'a fractional size',
    code: 'ERR_SHAPE',
    run: () => stria.zeros([2, 1.5]),
    message: /shape\[1\].*1\.5/,
  },
  { name: 'a negative size', code: 'ERR_SHAPE', run: () => stria.zeros([-1]) },
  { name: 'an infinite size', code: 'ERR_SHAPE', run: () => stria.zeros([Infinity]) },
  { name: 'a text for a size', code: 'ERR_SHAPE', run: () => stria.zeros(any(['3'])) },
  {
    name: 'a product beyond 2^53',
    code: 'ERR_OVERFLOW',
    error: 'ShapeError',
    run: () => stria.zeros([2 ** 30, 2 ** 30]),
  },
  { name: 'a product beyond 2^63', code: 'ERR_OVERFLOW', run: () => stria.zeros([2 ** 40, 2 ** 40]) },
  { name: 'a size beyond 2^53', code: 'ERR_OVERFLOW', run: () => stria.empty([2 ** 60]) },
  { name: 'an empty product with large sizes', code: 'ERR_OVERFLOW', run: () => stria.empty([0, 2 ** 60]) },
  { name: 'expand beyond 2^63', code: 'ERR_OVERFLOW', run: () => tensor([1]).expand(2 ** 32, 2 ** 32) },
  { name: '65 dims', code: 'ERR_SHAPE', run: () => stria.zeros(Array<number>(65).fill(1)) },
  {
    name: '65 dims by unsqueeze',
    code: 'ERR_SHAPE',
    run: () => stria.zeros(Array<number>(64).fill(1)).unsqueeze(0),
  },
  {
    name: 'an axis out of range',
    code: 'ERR_AXIS',
    run: () => x().sum(2),
    message: /axis 2 .* 2 dims/,
    op: 'sum',
    argument: 'axes',
  },
  {
    name: 'an axis given twice',
    code: 'ERR_AXIS',
    run: () => x().sum([0, -2]),
    message: /axis -2 .*twice/,
    op: 'sum',
    argument: 'axes',
  },
  {
    name: 'the largest of nothing',
    code: 'ERR_EMPTY',
    run: () => empty().amax(),
    message: /axis 0 .*size 0/,
    op: 'amax',
    argument: 'x',
  },
  {
    name: 'the smallest along an empty axis',
    code: 'ERR_EMPTY',
    run: () => empty().amin(0),
    message: /axis 0 .*size 0/,
    op: 'amin',
    argument: 'x',
  },
  { name: 'a fractional axis', code: 'ERR_AXIS', run: () => x().sum(0.5) },
  { name: 'an axis as text', code: 'ERR_AXIS', run: () => x().sum(any('0')) },
  { name: 'permute with too few axes', code: 'ERR_ARGUMENT', run: () => x().permute(0) },
  { name: 'select out of range', code: 'ERR_ARGUMENT', run: () => x().select(0, 2) },
  { name: 'slice with step 0', code: 'ERR_ARGUMENT', run: () => x().slice(0, 0, 1, 0) },
  { name: 'slice with a fraction', code: 'ERR_ARGUMENT', run: () => x().slice(0, 0.5) },
  { name: 'narrow out of range', code: 'ERR_ARGUMENT', run: () => x().narrow(0, 1, 2) },
  { name: 'at with nonsense', code: 'ERR_ARGUMENT', run: () => x().at('a:b') },
  { name: 'at with too many', code: 'ERR_AXIS', run: () => x().at(0, 0, 0) },
  { name: 'view of another size', code: 'ERR_SHAPE', run: () => x().view(4) },
  { name: 'two sizes of -1', code: 'ERR_SHAPE', run: () => x().view(-1, -1) },
  { name: 'item of several', code: 'ERR_SHAPE', run: () => x().item() },
  { name: 'an operand that is none', code: 'ERR_ARGUMENT', run: () => x().add(any({})), message: /add: b/ },
  { name: 'no operand', code: 'ERR_ARGUMENT', run: () => x().add(any(undefined)) },
  { name: 'an array as operand', code: 'ERR_ARGUMENT', run: () => x().add(any([1, 2, 3])) },
  { name: 'a bigint operand too large', code: 'ERR_ARGUMENT', run: () => x().add(2n ** 64n) },
  { name: 'out that is none', code: 'ERR_ARGUMENT', run: () => stria.add(x(), x(), { out: any(3) }) },
  {
    name: 'out of a lesser dtype',
    code: 'ERR_DTYPE',
    run: () => stria.add(x(), 1, { out: any(stria.zeros([2, 3], { dtype: 'int32' })) }),
    message: /^add: .*float32 .*int32$/,
    op: 'add',
    argument: 'out',
  },
  { name: 'in place into a lesser dtype', code: 'ERR_DTYPE', run: () => tensor([1n]).add_(0.5) },
  {
    name: 'in place with a larger shape',
    code: 'ERR_SHAPE',
    run: () => tensor([1]).add_(x()),
    message: /\[2,3\].*\[1\]/,
    op: 'add',
    argument: 'out',
  },
  {
    name: 'in place on a broadcast view',
    code: 'ERR_OVERLAP',
    error: 'OverlapError',
    run: () => tensor([1]).expand(3).add_(1),
    message: /\[3\].*\[0\].*one address/,
    op: 'add',
    argument: 'out',
  },
  {
    name: 'overlap',
    code: 'ERR_OVERLAP',
    run: () => {
      const y = stria.arange(4);
      stria.add(y.slice(0, 0, 3), 1, { out: y.slice(0, 1) });
    },
    message: /\[3\].*\[3\].*part of their memory/,
    op: 'add',
    argument: 'out',
  },
  { name: 'an op without the dtype', code: 'ERR_DTYPE', run: () => tensor([true]).neg() },
  {
    name: 'subtraction of bools',
    code: 'ERR_DTYPE',
    run: () => tensor([true]).sub(tensor([false])),
    message: /bool .*bitwise_xor/,
    op: 'sub',
    argument: 'a',
  },
  {
    name: 'integers to a negative integer power',
    code: 'ERR_ARGUMENT',
    run: () => tensor([2n]).pow(-1),
    message: /negative integer power/,
    op: 'pow',
    argument: 'b',
  },
  { name: 'a shift of floats', code: 'ERR_DTYPE', run: () => x().bitwiseLeftShift(1) },
  { name: 'a shift by a float', code: 'ERR_DTYPE', run: () => tensor([1n]).bitwiseRightShift(0.5) },
  { name: 'a shift of bool', code: 'ERR_DTYPE', run: () => tensor([true]).bitwiseLeftShift(tensor([true])) },
  { name: 'a remainder of bool', code: 'ERR_DTYPE', run: () => tensor([true]).remainder(true) },
  { name: 'a quotient of bool', code: 'ERR_DTYPE', run: () => tensor([true]).floorDivide(true) },
  {
    name: 'a quotient of floats into integers',
    code: 'ERR_DTYPE',
    run: () => tensor([7], { dtype: 'int32' }).truncDivide_(0.5),
  },
  { name: 'bits of floats', code: 'ERR_DTYPE', run: () => x().bitwiseNot() },
  { name: 'reduction of a number', code: 'ERR_ARGUMENT', run: () => stria.sum(any(3)) },
  {
    name: 'mean of integers',
    code: 'ERR_DTYPE',
    run: () => tensor([1n]).mean(),
    message: /^mean: int64 /,
    op: 'mean',
    argument: 'x',
  },
  {
    name: 'npy: nothing',
    code: 'ERR_FORMAT',
    error: 'FormatError',
    run: () => stria.fromNpy(new Uint8Array(0)),
  },
  { name: 'npy: garbage', code: 'ERR_FORMAT', run: () => stria.fromNpy(new Uint8Array(200).fill(65)) },
  { name: 'npy: cut', code: 'ERR_FORMAT', run: () => stria.fromNpy(stria.toNpy(x()).subarray(0, 140)) },
  { name: 'npy: no bytes', code: 'ERR_ARGUMENT', run: () => stria.fromNpy(any('text')) },
  {
    name: 'fromBytes: a rest',
    code: 'ERR_SHAPE',
    run: () => stria.fromBytes(new Uint8Array(5), { dtype: 'float32' }),
  },
  { name: 'arange with NaN', code: 'ERR_ARGUMENT', run: () => stria.arange(NaN) },
  { name: 'arange without progress', code: 'ERR_ARGUMENT', run: () => stria.arange(0, 1, 0) },
  { name: 'linspace with a fraction of a step', code: 'ERR_SHAPE', run: () => stria.linspace(0, 1, 2.5) },
  { name: 'threads', code: 'ERR_ARGUMENT', run: () => stria.setThreads(0) },
  { name: 'gelu', code: 'ERR_ARGUMENT', run: () => stria.gelu(x(), { approximate: any('sigmoid') }) },
  { name: 'strides of another length', code: 'ERR_SHAPE', run: () => stria.emptyStrided([2, 2], [1]) },
  { name: 'negative strides', code: 'ERR_ARGUMENT', run: () => stria.emptyStrided([2], [-1]) },
];

for (const { name, code, run, message, error, op, argument } of refusals) {
  test(`refused: ${name}`, () => {
    const before = memory().liveTensors;
    let caught: unknown;
    scope(() => {
      try {
        run();
      } catch (thrown) {
        caught = thrown;
      }
    });
    assert.ok(caught instanceof stria.StriaError, `no StriaError but ${String(caught)}`);
    assert.equal(caught.code, code, caught.message);
    if (error) assert.equal(caught.name, error);
    if (message) assert.match(caught.message, message);
    if (op) assert.equal(caught.op, op);
    if (argument) assert.equal(caught.argument, argument);
    assert.ok(caught.message.length > 10 && caught.stack?.includes('errors.test'));
    assert.equal(memory().liveTensors, before);
    scope(() => assert.deepEqual(tensor([1]).add(1).toArray(), [2]));
  });
}

test('an error tells the operation, the argument, what was expected and what came', () => {
  scope(() => {
    try {
      stria.add(tensor([[1, 2]]), tensor([1, 2, 3]));
      assert.fail('no error');
    } catch (error) {
      assert.ok(error instanceof stria.ShapeError);
      assert.equal(error.op, 'add');
      assert.match(error.message, /add: .*\[1,2\].*\[3\]/);
      assert.deepEqual([error.expected, error.got], ['[1,2]', '[3]']);
    }
  });
});

test('a limit on memory: MemoryError, and it works again afterwards', () => {
  const before = memory();
  stria.setMemoryLimit(before.liveBytes + (4 << 20));
  try {
    scope(() => {
      assert.throws(() => stria.zeros([4 << 20]), { name: 'MemoryError', code: 'ERR_MEMORY' });
      const y = stria.zeros([1 << 18]);
      assert.throws(() => {
        const kept: Tensor[] = [];
        for (let k = 0; k < 10; k++) kept.push(y.add(1));
      }, stria.MemoryError);
    });
    scope(() =>
      assert.equal(
        stria
          .ones([1 << 18])
          .sum()
          .item(),
        1 << 18,
      ),
    );
  } finally {
    stria.setMemoryLimit(0);
  }
  assert.equal(memory().liveTensors, before.liveTensors);
});

test('sizes that no machine has are refused without trying', () => {
  assert.throws(
    () => stria.empty([2 ** 52]),
    (error: stria.StriaError) => ['ERR_MEMORY', 'ERR_OVERFLOW'].includes(error.code),
  );
});

test('tensors cannot be made from outside', () => {
  assert.throws(() => new (stria.Tensor as unknown as new () => unknown)(), TypeError);
});

test('init again gives the same, and refuses another backend', async () => {
  const first = stria.info();
  assert.deepEqual(await stria.init(), first);
  const other = first.backend === 'native' ? 'wasm' : 'native';
  await assert.rejects(() => stria.init({ backend: other }), { code: 'ERR_CONFIG' });
  assert.ok(first.reason.length > 0 && first.threads >= 1 && first.isa.length > 0);
});
